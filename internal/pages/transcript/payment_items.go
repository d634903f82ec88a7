package transcript

import (
	"fmt"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// share returns what player from owes player to for the win, payments and debts alike.
func (s *writer) share(st ruleset.Settlement, from, to sim.Player) (share int32) {
	payer, winner := ruleset.Chair(s.chairs[from]), ruleset.Chair(s.chairs[to])
	s.rules.Settle(&st)
	for _, p := range st.Payments[:st.NumPayments] {
		if p.Reason == ruleset.ForWin && p.From == payer && p.To == winner {
			share += p.Amount
		}
	}
	return share + st.Ledger[winner][payer].Points
}

// items returns the items of a share. An item is what the share lacks without its cause, so that
// every family has items by its own settlement.
func (s *writer) items(from, to sim.Player) (items []string, share int32) {
	st := s.settlement
	share = s.share(st, from, to)
	st.Counter = 0
	first := s.share(st, from, to)
	st.Dealer = ruleset.NoChair
	for i := range st.Winners {
		st.Winners[i].Value.DealerItems = 0
	}
	plain := s.share(st, from, to)
	for i := range st.Winners {
		st.Winners[i].Value.Base, st.Winners[i].Value.Points = 0, 0
	}
	base := s.share(st, from, to)
	item := func(key string, amount int32) { items = append(items, s.words[key]+" "+s.rules.PointsText(amount)) }
	if s.rules.Traits.DoublingPrices { // the factors of a product are no items of a sum
		if first != plain {
			items = append(items, s.words["item_dealer"])
		}
		return items, share
	}
	if base > 0 {
		item("item_base", base)
	}
	item("item_hand", plain-base)
	if first != plain {
		item("item_dealer", first-plain)
		item("item_streak", share-first)
	}
	return items, share
}

// reason returns what a payment is for, with its items.
func (s *writer) reason(e sim.Event) string {
	from, to, amount, reason := e.Pay()
	var items []string
	switch counter, stick := int32(s.settlement.Counter), int32(s.rules.RiichiStick); {
	case reason == ruleset.ForWin && s.wins <= len(s.match.Values):
		// Without the hands of the table, that a player is liable or immune shows in who pays.
		var share int32
		if items, share = s.items(from, to); share != s.paid(e) && s.rules.SameRoundImmunity {
			items = []string{s.words["item_immunity"]}
		} else if share != s.paid(e) {
			items = []string{s.words["item_liability"]}
		}
	case reason == ruleset.ForCounter:
		items = []string{fmt.Sprintf("%d × %d", counter, amount/counter)}
	case reason == ruleset.ForDeposit && amount%stick == 0:
		items = []string{fmt.Sprintf("%d × %d", amount/stick, stick)}
	case reason == ruleset.ForDebt:
		items = []string{s.say("item_part", "{n}", s.rules.PointsText(amount), "{of}", s.rules.PointsText(s.debts[to][from]))}
	}
	return s.itemized(s.words["reason_"+reason.String()], items)
}

// itemized returns a text with the items behind it.
func (s *writer) itemized(text string, items []string) string {
	if len(items) == 0 {
		return text
	}
	return text + ": " + strings.Join(items, s.words["comma"])
}

// paid returns what the payer of a payment has paid the same player for the win in all.
func (s *writer) paid(e sim.Event) (paid int32) {
	for _, other := range s.events {
		if other.Type == e.Type && other.Player == e.Player && other.Detail == e.Detail {
			paid += other.Value
		}
	}
	return paid
}
