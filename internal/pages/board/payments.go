package board

import (
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Item is a part of a payment, or what decides who pays it, by the key of its word.
type Item struct {
	Key string `json:"key"`
	// N and Of are amounts in units. N is nil for an item without an amount, such as liability; it is
	// a number for item_times.
	N  *int32 `json:"n,omitempty"`
	Of *int32 `json:"of,omitempty"`
}

// Text returns the item in words, which are those of [Words].
func (i Item) Text(words map[string]string, r *ruleset.Rules) string {
	text := words[i.Key]
	if i.N == nil {
		return text
	}
	n := r.PointsText(*i.N)
	if i.Of == nil {
		return text + " " + n
	}
	return strings.NewReplacer("{n}", n, "{of}", r.PointsText(*i.Of)).Replace(text)
}

// Payments follows the events of a match and finds the items of its payments:
//
//	p := board.NewPayments(rules)
//	for _, e := range hand {
//		items := p.Apply(e, value, hand)
//		...
//	}
//
// An item is what a payment lacks without its cause, so that every family has items by its own
// settlement.
type Payments struct {
	rules  *ruleset.Rules
	chairs [sim.NumPlayers]ruleset.Chair
	// settlement is that of the hand as far as events have it: without the liable players.
	settlement ruleset.Settlement
	valued     bool // the values of all winners are known
	debts      [sim.NumPlayers][sim.NumPlayers]int32
}

// NewPayments returns the payments of a match from its begin.
func NewPayments(r *ruleset.Rules) *Payments {
	p := &Payments{rules: r}
	for q := range p.chairs {
		p.chairs[q] = ruleset.Chair(q)
	}
	return p
}

// Observe follows a hand from its middle.
func (p *Payments) Observe(v sim.View) {
	for q := range sim.Player(sim.NumPlayers) {
		p.chairs[q] = v.ChairOf(q)
		for debtor, d := range v.Debts(q) {
			p.debts[q][debtor] = d.Points
		}
	}
	p.begin(v.Dealer(), v.Counter())
}

func (p *Payments) begin(dealer sim.Player, counter int) {
	p.settlement = ruleset.Settlement{Dealer: p.chairs[dealer], Counter: counter}
	p.valued = true
}

// Apply follows an event and returns the items of a payment or debt. value is the value of the hand
// of an EvWin, nil where it is not known; all are the events of the hand, or those of its end.
func (p *Payments) Apply(e sim.Event, value *ruleset.Value, all []sim.Event) []Item {
	switch e.Type {
	case sim.EvSeats:
		who, _, _ := e.Seats()
		for c, q := range who {
			p.chairs[q] = ruleset.Chair(c)
		}
	case sim.EvHandStart:
		_, _, counter, _ := e.HandStart()
		p.begin(e.Player, counter)
	case sim.EvWin:
		p.win(e, value)
	case sim.EvPay:
		return p.pay(e, all)
	case sim.EvDebt:
		return p.debt(e)
	}
	return nil
}

func (p *Payments) win(e sim.Event, value *ruleset.Value) {
	kind, giver := e.Win()
	st := &p.settlement
	st.From, st.Robbed = ruleset.NoChair, kind == sim.WinRob
	if giver != e.Player {
		st.From = p.chairs[giver]
	}
	w := &st.Winners[st.NumWinners]
	w.Chair, w.Responsible = p.chairs[e.Player], st.From
	for i := range w.Liable {
		w.Liable[i] = ruleset.NoChair
	}
	if value == nil {
		p.valued = false
	} else {
		w.Value = *value
	}
	st.NumWinners++
}

// share returns what player from owes player to for the win, payments and debts alike.
func (p *Payments) share(st ruleset.Settlement, from, to sim.Player) (share int32) {
	payer, winner := p.chairs[from], p.chairs[to]
	p.rules.Settle(&st)
	for _, x := range st.Payments[:st.NumPayments] {
		if x.Reason == ruleset.ForWin && x.From == payer && x.To == winner {
			share += x.Amount
		}
	}
	return share + st.Ledger[winner][payer].Points
}

// items returns the items of a share.
func (p *Payments) items(from, to sim.Player) (items []Item, share int32) {
	st := p.settlement
	share = p.share(st, from, to)
	st.Counter = 0
	first := p.share(st, from, to)
	st.Dealer = ruleset.NoChair
	for i := range st.Winners {
		st.Winners[i].Value.DealerItems = 0
	}
	plain := p.share(st, from, to)
	for i := range st.Winners {
		st.Winners[i].Value.Base, st.Winners[i].Value.Points = 0, 0
	}
	base := p.share(st, from, to)
	if p.rules.Traits.DoublingPrices { // the factors of a product are no items of a sum
		if first != plain {
			items = []Item{{Key: "item_dealer"}}
		}
		return items, share
	}
	if base > 0 {
		items = []Item{{Key: "item_base", N: &base}}
	}
	items = append(items, Item{Key: "item_hand", N: new(plain - base)})
	if first != plain {
		items = append(items, Item{Key: "item_dealer", N: new(first - plain)}, Item{Key: "item_streak", N: new(share - first)})
	}
	return items, share
}

func (p *Payments) pay(e sim.Event, all []sim.Event) (items []Item) {
	from, to, amount, reason := e.Pay()
	switch counter, stick := int32(p.settlement.Counter), int32(p.rules.RiichiStick); {
	case reason == ruleset.ForWin && p.valued:
		// Without the hands of the table, that a player is liable or immune shows in who pays.
		var share int32
		if items, share = p.items(from, to); share != paid(e, all) && p.rules.SameRoundImmunity {
			items = []Item{{Key: "item_immunity"}}
		} else if share != paid(e, all) {
			items = []Item{{Key: "item_liability"}}
		}
	case reason == ruleset.ForCounter:
		items = []Item{{"item_times", &counter, new(amount / counter)}}
	case reason == ruleset.ForDeposit && amount%stick == 0:
		items = []Item{{"item_times", new(amount / stick), &stick}}
	case reason == ruleset.ForDebt:
		items = []Item{{"item_part", &amount, new(p.debts[to][from])}}
	}
	return items
}

// paid returns what the payer of a payment has paid the same player for the win in all.
func paid(e sim.Event, all []sim.Event) (paid int32) {
	for _, other := range all {
		if other.Type == e.Type && other.Player == e.Player && other.Detail == e.Detail {
			paid += other.Value
		}
	}
	return paid
}

func (p *Payments) debt(e sim.Event) (items []Item) {
	debtor, owed := e.Debt()
	before := p.debts[e.Player][debtor]
	p.debts[e.Player][debtor] = owed.Points
	if owed.Points == 0 || p.settlement.NumWinners == 0 || !p.valued {
		return nil
	}
	items, share := p.items(debtor, e.Player)
	if owed.Wins > 1 {
		items = append([]Item{{"item_grown", new(owed.Points - share), &before}}, items...)
	}
	return items
}

// LimitKey returns the key of the name of the limit that a value has reached, "" if it has none.
func LimitKey(r *ruleset.Rules, v *ruleset.Value) string {
	if v.Han > 0 {
		switch v.Base {
		case 2000, 3000, 4000, 6000, 8000:
			return "limit_" + r.PointsText(v.Base)
		}
		return ""
	}
	total, sum := v.Points, int32(0)
	for _, p := range v.Patterns[:v.NumPatterns] {
		sum += int32(p.Points)
	}
	if r.Traits.CountsFaan || r.Traits.CountsTai {
		total = v.Base
	}
	if v.Yakuman == 0 && sum > total {
		return "limit"
	}
	return ""
}
