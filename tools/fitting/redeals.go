package fitting

import (
	"math"

	"github.com/sparrowhall/sparrowhall/internal/insight/belief"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// OpponentKind is a kind of opponents whose hands are dealt again.
type OpponentKind int

// The kinds of opponents.
const (
	OpponentDeclared OpponentKind = iota // declared ready
	OpponentClosed                       // not declared, no melds
	OpponentOneMeld
	OpponentMoreMelds
	NumOpponentKinds = iota
)

// String returns the kind in words.
func (k OpponentKind) String() string {
	return [...]string{"declared ready", "no meld", "one meld", "more melds"}[k]
}

// opponentKindOf returns the kind of player p.
func opponentKindOf(v sim.View, p sim.Player) OpponentKind {
	switch {
	case v.Ready(p) != sim.NotReady:
		return OpponentDeclared
	case v.NumMelds(p) == 0:
		return OpponentClosed
	case v.NumMelds(p) == 1:
		return OpponentOneMeld
	}
	return OpponentMoreMelds
}

// RedealScore compares redeals by odds with uniform ones, by kind of opponent.
type RedealScore [NumOpponentKinds]OpponentScore

// OpponentScore compares redeals for one kind of opponents. All fields are sums.
type OpponentScore struct {
	// Hands is the number of hands compared, and Counts that of their kinds of which a tile is
	// unseen.
	Hands, Counts int
	// Ready is the number of ready hands, BelievedReady the sum of the probabilities, and Dealt
	// those of the shares of ready hands dealt.
	Ready                int
	BelievedReady        float64
	EvenDealt, OddsDealt float64
	// Tiles are the negative log-likelihoods of the true number of tiles of each kind, Waits those
	// of whether the hand waits for the kind, in nats: of uniform redeals, and of those by odds.
	EvenTiles, OddsTiles float64
	EvenWaits, OddsWaits float64
}

// All returns the sums over all kinds of opponents.
func (s *RedealScore) All() (all OpponentScore) {
	for i := range s {
		all.join(&s[i])
	}
	return all
}

// Join adds the sums of another score.
func (s *RedealScore) Join(o *RedealScore) {
	for i := range s {
		s[i].join(&o[i])
	}
}

func (s *OpponentScore) join(o *OpponentScore) {
	s.Hands += o.Hands
	s.Counts += o.Counts
	s.Ready += o.Ready
	s.BelievedReady += o.BelievedReady
	s.EvenDealt += o.EvenDealt
	s.OddsDealt += o.OddsDealt
	s.EvenTiles += o.EvenTiles
	s.OddsTiles += o.OddsTiles
	s.EvenWaits += o.EvenWaits
	s.OddsWaits += o.OddsWaits
}

// Add compares redeals at one in every own turns of a match: deals of each sort.
func (s *RedealScore) Add(r *ruleset.Rules, m *sim.Match, reader *belief.Estimator, every, deals int) error {
	n := int(m.Index)
	return m.ReplaySteps(r, func(t *sim.Table, p sim.Player, _ sim.Action, _ []sim.Event) {
		if t == nil || t.Phase() != sim.PhaseTurn {
			return
		}
		if n++; n%every != 0 {
			return
		}
		v := t.View(p)
		reader.Observe(v)
		even, byOdds := dealAgain(v, nil, deals), dealAgain(v, reader.Odds(), deals)
		for i := 1; i < r.NumSeats(); i++ {
			q := v.PlayerAfter(i)
			o := &s[opponentKindOf(v, q)]
			truth := t.View(q)
			o.Hands++
			if truth.Waits() != 0 {
				o.Ready++
			}
			if reader.HasNetwork() {
				o.BelievedReady += float64(reader.EvaluatePlayer(q)) / belief.Unit
			}
			o.EvenDealt += float64(even[q].ready) / float64(deals)
			o.OddsDealt += float64(byOdds[q].ready) / float64(deals)
			for k := range tile.Kind(tile.NumKinds) {
				unseen := v.Unseen(k)
				if unseen == 0 {
					continue
				}
				o.Counts++
				held, waits := truth.Hand(), truth.Waits().Has(k)
				o.EvenTiles += even[q].tileSurprise(k, held.Count(k), unseen, deals)
				o.OddsTiles += byOdds[q].tileSurprise(k, held.Count(k), unseen, deals)
				o.EvenWaits += even[q].waitSurprise(k, waits, deals)
				o.OddsWaits += byOdds[q].waitSurprise(k, waits, deals)
			}
		}
	})
}

// dealtHands counts hands dealt to a player.
type dealtHands struct {
	held  [tile.NumKinds][5]int // by number of tiles
	waits [tile.NumKinds]int
	ready int
}

// dealAgain deals the hidden tiles again and counts the hands of the others.
func dealAgain(v sim.View, odds *sim.Odds, deals int) (hands [sim.NumPlayers]dealtHands) {
	for seed := range uint64(deals) {
		dealt := v.RedealWithOdds(odds, seed)
		for i := 1; i < v.Rules().NumSeats(); i++ {
			p := v.PlayerAfter(i)
			d, h, w := &hands[p], dealt.View(p).Hand(), dealt.View(p).Waits()
			for k := range tile.Kind(tile.NumKinds) {
				d.held[k][h.Count(k)]++
				if w.Has(k) {
					d.waits[k]++
				}
			}
			if w != 0 {
				d.ready++
			}
		}
	}
	return hands
}

// tileSurprise returns the negative log-likelihood of n tiles of kind k. Additive smoothing gives
// each possible number half a deal.
func (d *dealtHands) tileSurprise(k tile.Kind, n, unseen, deals int) float64 {
	return -math.Log((float64(d.held[k][n]) + 0.5) / (float64(deals) + 0.5*float64(unseen+1)))
}

// waitSurprise returns the negative log-likelihood of a hand that waits for kind k or does not.
func (d *dealtHands) waitSurprise(k tile.Kind, waits bool, deals int) float64 {
	n := d.waits[k]
	if !waits {
		n = deals - n
	}
	return -math.Log((float64(n) + 0.5) / (float64(deals) + 1))
}
