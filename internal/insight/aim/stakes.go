package aim

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// PaymentContext is what payments depend on besides the win and the deposits.
type PaymentContext struct {
	// Me is the chair of the player, counted from the dealer.
	Me ruleset.Chair
	// Counter is the number of honba or dealer repeats.
	Counter int
	// Ledger is the debts between the players, by chair.
	Ledger ruleset.Ledger
	// HasDebts reports whether Ledger has a debt.
	HasDebts bool
}

// Equal reports whether payments are the same in both contexts. Ledgers are compared
// only if they have a debt.
func (c *PaymentContext) Equal(o *PaymentContext) bool {
	return c.Me == o.Me && c.Counter == o.Counter && c.HasDebts == o.HasDebts && (!c.HasDebts || c.Ledger == o.Ledger)
}

// Stakes computes what a player gains or pays when a hand is won. Chairs are counted
// from the dealer. Use NewStakes to make one, and Observe or SetContext to set the
// context, which must not be changed otherwise.
type Stakes struct {
	Context    PaymentContext
	rules      *ruleset.Rules
	debts      bool // players may owe each other points
	settlement ruleset.Settlement
	// recent is a direct-mapped cache of settlements. Those of another stamp are of another
	// context.
	recent [64]cachedGain
	stamp  uint32
}

// cachedGain is what the player gains by a win of a value in the context of the stamp.
type cachedGain struct {
	worth        worth
	stamp        uint32
	winner, from ruleset.Chair
	units        int32
}

// worth is the part of a value that payments depend on if no player is liable for a
// pattern.
type worth struct {
	points, base                  int32
	han, fu, yakuman, dealerItems uint8
	flowerWin                     bool
}

// NewStakes returns the stakes of the player after the dealer, without honba, deposits
// and debts.
func NewStakes(r *ruleset.Rules) *Stakes {
	s := &Stakes{rules: r, Context: PaymentContext{Me: 1}, stamp: 1, settlement: ruleset.Settlement{NumWinners: 1}}
	_, s.debts = r.Scorer.(ruleset.DebtCollector)
	for i := range s.settlement.Winners[0].Liable {
		s.settlement.Winners[0].Liable[i] = ruleset.NoChair
	}
	return s
}

// Observe sets the context of the viewer.
func (s *Stakes) Observe(v sim.View) {
	var chairs [sim.NumPlayers]ruleset.Chair
	for p := range sim.Player(sim.NumPlayers) {
		chairs[p] = ruleset.Chair(v.SeatWind(p))
	}
	context := PaymentContext{Me: chairs[v.Player()], Counter: v.Counter()}
	if s.debts {
		for p := range sim.Player(sim.NumPlayers) {
			for q, d := range v.Debts(p) {
				context.Ledger[chairs[p]][chairs[q]] = d
				context.HasDebts = context.HasDebts || d.Points != 0
			}
		}
	}
	s.SetContext(context, v.Deposits())
}

// SetContext sets the context and the number of riichi deposits.
func (s *Stakes) SetContext(context PaymentContext, deposits int) {
	t := &s.settlement
	if !s.Context.Equal(&context) || t.Deposits != deposits {
		s.stamp++
	}
	s.Context = context
	t.Counter, t.Deposits = context.Counter, deposits
}

// Value returns the value that Settle uses. The caller may change it.
func (s *Stakes) Value() *ruleset.Value { return &s.settlement.Winners[0].Value }

// Score sets Value to the value of w and reports whether the hand may win.
func (s *Stakes) Score(w *ruleset.Win) bool {
	v := s.Value()
	s.rules.Value(w, v)
	return v.OK
}

// Settle returns the units that the player gains, debts included, when chair winner
// wins with Value. From is the chair that gave the tile, NoChair for a self-draw.
func (s *Stakes) Settle(winner, from ruleset.Chair) int32 {
	v := s.Value()
	w := worth{v.Points, v.Base, v.Han, v.Fu, v.Yakuman, v.DealerItems, v.FlowerWin}
	at := &s.recent[(uint32(v.Points)*0x9e3779b1^uint32(v.Base)*0x85ebca77^uint32(winner)<<30^uint32(from)<<27)>>26]
	if at.stamp != s.stamp || at.winner != winner || at.from != from || at.worth != w {
		*at = cachedGain{w, s.stamp, winner, from, s.settle(winner, from)}
	}
	return at.units
}

func (s *Stakes) settle(winner, from ruleset.Chair) int32 {
	t := &s.settlement
	w := &t.Winners[0]
	t.NumPayments, t.From = 0, from
	w.Chair, w.Responsible = winner, from
	if s.debts {
		t.Ledger = s.Context.Ledger
	}
	s.rules.Settle(t)
	return t.Gain(s.Context.Me, &s.Context.Ledger)
}
