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
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
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

	book       *aim.Book
	completion *aim.Completion
	value      ruleset.Value
	players    [sim.NumPlayers]player
	chairOf    [sim.NumPlayers]int
	dealer     sim.Player
	round      tile.Wind
	drawnWind  bool
}

// player is a player's part of the hand.
type player struct {
	at      aim.Position
	offered [4]uint64 // a bit for each pattern, of which there are at most 256
}

// NewWatcher returns a watcher of matches under the rules.
func NewWatcher(r *ruleset.Rules) *Watcher {
	c := aim.NewCompletion(r)
	c.ClosedFlags, c.OpenFlags = 0, 0
	return &Watcher{Offered: make([]int, len(r.Patterns())), book: aim.NewBook(r), completion: c}
}

// Follow follows the events of a whole match, with all tiles known.
func (w *Watcher) Follow(events []sim.Event) {
	w.drawnWind = false
	for _, e := range events {
		w.apply(e)
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

// apply follows an event.
func (w *Watcher) apply(e sim.Event) {
	switch e.Type {
	case sim.EvSeats:
		who, wind, drawn := e.Seats()
		for c, p := range who {
			w.chairOf[p] = c
		}
		if drawn {
			w.drawnWind, w.round = true, wind
		}
	case sim.EvHandStart:
		w.endHand()
		w.startHand(e)
	case sim.EvDeal:
		faces, _ := e.Deal()
		for _, f := range faces {
			w.addTile(e.Player, f)
		}
	case sim.EvDraw:
		w.addTile(e.Player, e.Tile)
		if !e.Tile.IsFlower() {
			w.addOffers(e.Player)
		}
	case sim.EvDiscard:
		if !e.Tile.IsFlower() {
			w.players[e.Player].at.Hand.Remove(e.Tile.Kind())
		}
	case sim.EvKita:
		w.players[e.Player].at.Hand.Remove(e.Tile.Kind())
	case sim.EvChi, sim.EvPon, sim.EvOpenKan, sim.EvClosedKan, sim.EvAddedKan:
		w.meld(e)
	}
}

func (w *Watcher) startHand(e sim.Event) {
	w.dealer = e.Player
	if round, _, _, _ := e.HandStart(); !w.drawnWind {
		w.round = tile.Wind(round & 3)
	}
	for p := range w.players {
		w.players[p] = player{at: aim.Position{Sets: w.book.Rules.HandSize / 3}}
	}
	w.Hands++
}

// endHand counts what was offered in the hand before, if there was one.
func (w *Watcher) endHand() {
	for p := range w.players {
		q := &w.players[p]
		for i := range w.Offered {
			w.Offered[i] += int(q.offered[i/64] >> (i % 64) & 1)
		}
		q.offered = [len(q.offered)]uint64{}
	}
}

// addTile gives a player a tile, unless it is a flower.
func (w *Watcher) addTile(p sim.Player, f tile.Face) {
	if f != tile.NoFace && !f.IsFlower() {
		w.players[p].at.Hand.Add(f.Kind())
	}
}

// meld follows a call or kan.
func (w *Watcher) meld(e sim.Event) {
	at := &w.players[e.Player].at
	k, from := e.Tile.Kind(), uint8(w.book.Rules.NumSeats()-1)
	switch e.Type {
	case sim.EvChi:
		_, place, _ := e.Call()
		low := k - tile.Kind(place)
		own := [...][2]tile.Kind{{low + 1, low + 2}, {low, low + 2}, {low, low + 1}}[place]
		at.AddMeld(hand.Meld{Type: hand.Chi, Kind: low, Claimed: uint8(place), From: from}, 1, own[0], own[1])
	case sim.EvPon:
		at.AddMeld(hand.Meld{Type: hand.Pon, Kind: k, From: from}, 2, k)
	case sim.EvOpenKan:
		at.AddMeld(hand.Meld{Type: hand.OpenKan, Kind: k, From: from}, 3, k)
	case sim.EvClosedKan:
		at.AddMeld(hand.Meld{Type: hand.ClosedKan, Kind: k}, 4, k)
	case sim.EvAddedKan:
		at.Hand.Remove(k)
		for i := range at.Melds[:at.NumMelds] {
			if m := &at.Melds[i]; m.Type == hand.Pon && m.Kind == k {
				m.Type = hand.AddedKan
			}
		}
	}
}

// addOffers adds what a player is offered after a draw. Only the player's own tiles count as
// seen.
func (w *Watcher) addOffers(p sim.Player) {
	q, c := &w.players[p], w.completion
	seat := w.book.Rules.SeatWind(ruleset.Chair(w.chairOf[p]), ruleset.Chair(w.chairOf[w.dealer]))
	c.Win.SeatWind, c.Win.RoundWind = seat, w.round
	for k := range c.Unseen {
		if !w.book.Rules.HasKind(tile.Kind(k)) {
			continue // 0 of a kind that the set lacks
		}
		c.Unseen[k] = int8(4 - q.at.Hand.Count(tile.Kind(k)))
		for _, m := range q.at.Melds[:q.at.NumMelds] {
			c.Unseen[k] -= int8(m.Count(tile.Kind(k)))
		}
	}
	for i := range w.book.Aims {
		a := &w.book.Aims[i]
		if q.at.DistanceBound(a) > MaxDistance {
			continue
		}
		need, ok := q.at.Need(a)
		if !ok || w.book.Distance(&q.at, a, &need) > MaxDistance || !c.FindSets(&q.at, a) {
			continue
		}
		c.MakeWin(&q.at, a, false)
		w.book.Rules.Value(&c.Win, &w.value)
		for _, s := range w.value.Patterns[:w.value.NumPatterns] {
			q.offered[s.Pattern/64] |= 1 << (s.Pattern % 64)
		}
	}
}
