package aim

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Due is what payments depend on besides the win and the deposits: the chair of
// the player, honba or dealer repeats, and debts. That of Stakes is changed by Look and
// Suppose alone.
type Due struct {
	Me ruleset.Chair
	// Counter is the number of honba or dealer repeats.
	Counter int
	Ledger  ruleset.Ledger
	// Owing tells whether the ledger has a debt.
	Owing bool
}

// Same reports whether two are the same; where nobody owes, ledgers say nothing.
func (d *Due) Same(o *Due) bool {
	return d.Me == o.Me && d.Counter == o.Counter && d.Owing == o.Owing && (!d.Owing || d.Ledger == o.Ledger)
}

// Stakes tell what a win, his own or another's, brings a player. Make one with
// NewStakes. Chairs are counted from the dealer.
type Stakes struct {
	Due
	rules      *ruleset.Rules
	debts      bool // players may owe each other points
	settlement ruleset.Settlement
	// known are the last settlements of some values; those of other stamps are of other
	// stakes.
	known [64]settled
	stamp uint32
}

// settled is what the player gains by a win of a value. It holds for the stakes of the
// stamp.
type settled struct {
	worth        worth
	stamp        uint32
	winner, from ruleset.Chair
	units        int32
}

// worth is what of a value payments depend on where nobody is liable for a pattern.
type worth struct {
	points, base                  int32
	han, fu, yakuman, dealerItems uint8
	flowerWin                     bool
}

// NewStakes returns those of the player after the dealer, without honba, deposits
// and debts.
func NewStakes(r *ruleset.Rules) *Stakes {
	s := &Stakes{rules: r, Due: Due{Me: 1}, stamp: 1, settlement: ruleset.Settlement{NumWinners: 1}}
	_, s.debts = r.Scorer.(ruleset.DebtCollector)
	for i := range s.settlement.Winners[0].Liable {
		s.settlement.Winners[0].Liable[i] = ruleset.NoChair
	}
	return s
}

// Look takes in the stakes of the viewer.
func (s *Stakes) Look(v sim.View) {
	var chairs [sim.NumPlayers]ruleset.Chair
	for p := range sim.Player(sim.NumPlayers) {
		chairs[p] = ruleset.Chair(v.SeatWind(p))
	}
	due := Due{Me: chairs[v.Player()], Counter: v.Counter()}
	if s.debts {
		for p := range sim.Player(sim.NumPlayers) {
			for q, d := range v.Debts(p) {
				due.Ledger[chairs[p]][chairs[q]] = d
				due.Owing = due.Owing || d.Points != 0
			}
		}
	}
	s.Suppose(due, v.Deposits())
}

// Suppose makes the stakes those of what is due, with so many deposits.
func (s *Stakes) Suppose(due Due, deposits int) {
	t := &s.settlement
	if !s.Same(&due) || t.Deposits != deposits {
		s.stamp++
	}
	s.Due = due
	t.Counter, t.Deposits = due.Counter, deposits
}

// Value is what Settle settles. It may be set.
func (s *Stakes) Value() *ruleset.Value { return &s.settlement.Winners[0].Value }

// Score sets Value to that of a win and reports whether it may win.
func (s *Stakes) Score(w *ruleset.Win) bool {
	v := s.Value()
	s.rules.Value(w, v)
	return v.OK
}

// Settle returns the units that the player gains, owed ones included, when a win
// of the Value by winner is paid: from is the chair that gave the tile, NoChair for
// a self-draw.
func (s *Stakes) Settle(winner, from ruleset.Chair) int32 {
	v := s.Value()
	w := worth{v.Points, v.Base, v.Han, v.Fu, v.Yakuman, v.DealerItems, v.FlowerWin}
	at := &s.known[(uint32(v.Points)*0x9e3779b1^uint32(v.Base)*0x85ebca77^uint32(winner)<<30^uint32(from)<<27)>>26]
	if at.stamp != s.stamp || at.winner != winner || at.from != from || at.worth != w {
		*at = settled{w, s.stamp, winner, from, s.settle(winner, from)}
	}
	return at.units
}

func (s *Stakes) settle(winner, from ruleset.Chair) int32 {
	t := &s.settlement
	w := &t.Winners[0]
	t.NumPayments, t.From = 0, from
	w.Chair, w.Responsible = winner, from
	if s.debts {
		t.Ledger = s.Ledger
	}
	s.rules.Settle(t)
	units := int32(0)
	for _, p := range t.Payments[:t.NumPayments] {
		switch s.Me {
		case p.To:
			units += p.Amount
		case p.From:
			units -= p.Amount
		}
	}
	for c := ruleset.Chair(0); s.debts && c < sim.NumPlayers; c++ {
		units += t.Ledger[s.Me][c].Points - s.Ledger[s.Me][c].Points
		units -= t.Ledger[c][s.Me].Points - s.Ledger[c][s.Me].Points
	}
	return units
}

// Scale returns about what a win is worth under the rules, in units: estimates and
// networks are told amounts in multiples of it.
func Scale(r *ruleset.Rules) int {
	if n, ok := scales[r.Family]; ok {
		return n
	}
	return 100
}

// scales are those of the families.
var scales = map[string]int{"riichi": 4000, "mcr": 40, "zungjung": 60, "hktw": 40}
