// Package opportunity counts the patterns that come within reach of players, whether or
// not they go for them. What players complete depends on prices; what they are offered
// depends far less on them.
//
//	w := opportunity.NewWatcher(rules)
//	for _, match := range matches {
//		w.Follow(match.Events)
//	}
//	rate := float64(w.Offered[pattern]) / float64(w.Hands*rules.NumSeats())
package opportunity

import (
	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// MaxDistance is the largest shanten at which a hand is within reach.
const MaxDistance = 1

// Watcher counts the patterns that come within reach of players. A pattern does so after a
// draw if the shanten for an aim of [aim.Book] is at most MaxDistance. The likely complete
// hand of that aim must have the pattern when won on a discard without a declaration.
// Patterns of the way of winning, of dora and of flowers are not counted.
type Watcher struct {
	// Hands is the number of hands followed, each of all players.
	Hands int
	// Offered[i] is the number of players' hands that were offered pattern i of the
	// ruleset.
	Offered []int

	state      luck.State
	book       *aim.Book
	completion *aim.Completion
	value      ruleset.Value
	// offered has a bit for each pattern, of which there are at most 256, of each player.
	offered [sim.NumPlayers][4]uint64
}

// NewWatcher returns a watcher of matches under the rules.
func NewWatcher(r *ruleset.Rules) *Watcher {
	c := aim.NewCompletion(r)
	c.ClosedFlags, c.OpenFlags = 0, 0
	return &Watcher{Offered: make([]int, len(r.Patterns())), book: aim.NewBook(r), completion: c}
}

// Follow follows the events of a whole match, with all tiles known.
func (w *Watcher) Follow(events []sim.Event) {
	w.state = luck.NewState(w.book.Rules)
	for _, e := range events {
		w.state.Apply(e)
		switch {
		case e.Type == sim.EvHandStart:
			w.endHand()
			w.Hands++
		case e.Type == sim.EvDraw && !e.Tile.IsFlower():
			w.addOffers(e.Player)
		}
	}
	w.endHand()
}

// Add adds the counts of another watcher under the same rules.
func (w *Watcher) Add(o *Watcher) {
	w.Hands += o.Hands
	for i, n := range o.Offered {
		w.Offered[i] += n
	}
}

// endHand counts what was offered in the hand before, if there was one.
func (w *Watcher) endHand() {
	for p := range w.offered {
		for i := range w.Offered {
			w.Offered[i] += int(w.offered[p][i/64] >> (i % 64) & 1)
		}
		w.offered[p] = [4]uint64{}
	}
}

// addOffers adds what a player is offered after a draw. Only the player's own tiles count as
// seen.
func (w *Watcher) addOffers(p sim.Player) {
	at, c := w.state.Position(p), w.completion
	c.Win.SeatWind, c.Win.RoundWind = w.state.Winds(p)
	for k := range c.Unseen {
		if !w.book.Rules.HasKind(tile.Kind(k)) {
			continue // 0 of a kind that the set lacks
		}
		c.Unseen[k] = int8(4 - at.Hand.Count(tile.Kind(k)))
		for _, m := range at.Melds[:at.NumMelds] {
			c.Unseen[k] -= int8(m.Count(tile.Kind(k)))
		}
	}
	for i := range w.book.Aims {
		a := &w.book.Aims[i]
		if at.DistanceBound(a) > MaxDistance {
			continue
		}
		need, ok := at.Need(a)
		if !ok || w.book.Distance(&at, a, &need) > MaxDistance || !c.FindSets(&at, a) {
			continue
		}
		c.MakeWin(&at, a, false)
		w.book.Rules.Value(&c.Win, &w.value)
		for _, s := range w.value.Patterns[:w.value.NumPatterns] {
			w.offered[p][s.Pattern/64] |= 1 << (s.Pattern % 64)
		}
	}
}
