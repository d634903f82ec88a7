package facts_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/insight/facts"
	"github.com/sparrowhall/sparrowhall/internal/insight/reasons"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// begin returns the first hand of a match with a wall in which all discard as the given text says:
// one action a player and turn, from the dealer on. A player who is asked for a claim passes.
func begin(t *testing.T, preset, wall string, actions ...string) sim.Table {
	t.Helper()
	r, err := configs.Load(preset)
	if err != nil {
		t.Fatal(err)
	}
	rules := *r
	if rules.FirstWall, err = sim.ParseFirstWall(&r.Flow, wall); err != nil {
		t.Fatal(err)
	}
	table := sim.NewTable(&rules, 1)
	table.StartHand(nil)
	step := func(p sim.Player, a sim.Action) {
		if _, err := table.Step(p, a, nil); err != nil {
			t.Fatal(err)
		}
	}
	pass := func() {
		for table.Phase() != sim.PhaseTurn {
			step(table.Asked().First(), sim.ActPass)
		}
	}
	for _, text := range actions {
		pass()
		a, err := sim.ParseAction(text)
		if err != nil {
			t.Fatal(err)
		}
		step(table.View(0).Turn(), a)
	}
	pass()
	return table
}

// text writes waits: for each kind the tiles left, and what comes of a self-draw and of each
// discard, where neighbors are equal once.
func text(v sim.View, h *facts.Hand) string {
	if h == nil {
		return ""
	}
	win := func(w facts.Win) string {
		switch {
		case w.Why == facts.BelowMinimum:
			return fmt.Sprintf("%s %d", w.Why, v.Rules().MinWin)
		case w.Why != "":
			return string(w.Why)
		}
		return v.Rules().PointsText(w.Gain)
	}
	var parts []string
	for _, w := range h.Waits {
		outcomes := []string{win(w.Wins[v.Player()])}
		for i := 1; i < v.Rules().NumSeats(); i++ {
			outcomes = append(outcomes, win(w.Wins[v.PlayerAfter(i)]))
		}
		parts = append(parts, fmt.Sprintf("%v x%d: %s", tile.Kind(w.Kind), w.Left, strings.Join(slices.Compact(outcomes), ", ")))
	}
	return strings.Join(parts, "; ")
}

// TestCases are worked cases of every family.
func TestCases(t *testing.T) {
	for _, c := range []struct {
		name, preset, wall string
		actions            []string
		discard            string // of the own turn of the dealer, empty for the hand as it is
		want               string
		ready              bool
	}{
		{
			"no yaku on a discard, menzen tsumo by self-draw", "ema_2016", "E 123m567m234p68s33z\ndraws 9p\ndora 6z", nil, "discard drawn",
			"7s x4: 1500, no_pattern", true,
		},
		{
			"riichi gives the yaku", "ema_2016", "E 123m567m234p68s33z\ndraws 9p\ndora 6z", nil, "ready drawn",
			"7s x4: 12700, 8700", true,
		},
		{
			"furiten: the wait is among the own discards", "ema_2016", "E 123m456p789p55s23s\ndraws 1s\ndora 6z", nil, "ready drawn",
			"1s x3: 13000, river; 4s x4: 13000, river", true,
		},
		{
			"furiten: a win was passed, until the next own draw", "ema_2016", "E 123m456p789p55s23s\nS 1s\ndraws 1z 9m\ndora 6z",
			[]string{"discard drawn", "discard 1s"},
			"",
			"1s x3: 2100, passed; 4s x4: 2100, passed", true,
		},
		{
			"furiten: a win was passed after riichi", "ema_2016", "E 123m456p789p55s23s\nS 1s\ndraws 1z 9m\ndora 6z",
			[]string{"ready drawn", "discard 1s"},
			"",
			"1s x3: 13000, passed_ready; 4s x4: 13000, passed_ready", true,
		},
		{
			"MCR: below eight fan in every way", "mcr_2006", "E 123m567m234p68s33z\ndraws 9p", nil, "discard drawn",
			"7s x4: minimum 8", false,
		},
		{
			"MCR: a pure straight has sixteen", "mcr_2006", "E 123456789m23p44s\ndraws 9p", nil, "discard drawn",
			"1p x4: 93, 45; 4p x4: 90, 44", true,
		},
		{
			"Old Style: three faan by self-draw alone", "hk_old_style", "E 123m567m222p68s33z\ndraws 9p", nil, "discard drawn",
			"7s x4: 48, minimum 3", true,
		},
		{
			"Old Style: all one suit", "hk_old_style", "E 1123456789m234m\ndraws 9p", nil, "discard drawn",
			"1m x2: 768, 512; 4m x2: 768, 512; 7m x3: 768, 512", true,
		},
		{
			"Zung Jung: no minimum", "zung_jung", "E 123m567m234p68s33z\ndraws 9p", nil, "discard drawn",
			"7s x4: 30", true,
		},
		{
			"Zung Jung: the wait is among the own discards", "universal", "E 123m456p789p55s23s\ndraws 1s", nil, "discard drawn",
			"1s x3: 30, river; 4s x4: 30", true,
		},
		{
			"Taiwanese", "taiwanese", "E 123m567m234p234s68s33z\ndraws 9p", nil, "discard drawn",
			"7s x4: 240, 130", true,
		},
		{
			"Hong Kong Taiwanese league", "hkma_hktw", "E 123m567m234p234s68s33z\ndraws 9p", nil, "discard drawn",
			"7s x4: 183, 96", true,
		},
		{
			"three players", "tenhou_sanma", "E 123p567p234s68s33z\ndraws 9p\ndora 6z", nil, "ready drawn",
			"7s x4: 8800, 8700", true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := begin(t, c.preset, c.wall, c.actions...)
			v := table.View(0)
			h := facts.Of(v).Hand
			if c.discard != "" {
				a, err := sim.ParseAction(c.discard)
				if err != nil {
					t.Fatal(err)
				}
				list := facts.Of(v).Discards
				i := slices.IndexFunc(list, func(d facts.Discard) bool { return d.Action == a })
				if i < 0 {
					t.Fatalf("no facts of %v among %v", a, list)
				}
				h = &list[i].Hand
			}
			if got := text(v, h); got != c.want || h.Ready() != c.ready {
				t.Errorf("%s, ready %v; want %s, ready %v", got, h.Ready(), c.want, c.ready)
			}
		})
	}
}

// TestInvariant plays matches of every preset and tries the tiles that a player could discard or
// draw. A tile that was said to win is one on which the engine offers a win, and no other is; a win
// gains what was said. What is said depends on no hidden tile.
func TestInvariant(t *testing.T) {
	for _, preset := range configs.Names() {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			r, err := configs.LoadWith(preset, map[string]any{"max_hands": int64(8)})
			if err != nil {
				t.Fatal(err)
			}
			newAgent, err := agents.New("greedy")
			if err != nil {
				t.Fatal(err)
			}
			c := trial{T: t, rules: r}
			for seed := range uint64(2) {
				m := &sim.Match{Seed: seed}
				m.Play(r, &[sim.NumPlayers]sim.Agent{newAgent(), newAgent(), newAgent(), newAgent()})
				if err := m.ReplaySteps(r, c.step); err != nil {
					t.Fatal(err)
				}
			}
			if c.offered < 20 || c.paid < 20 || c.refused == 0 && r.MinWin > 1 {
				t.Errorf("%d wins offered, %d paid, %d refused", c.offered, c.paid, c.refused)
			}
		})
	}
}

// trial compares what is said with what the engine does.
type trial struct {
	*testing.T
	rules                             *ruleset.Rules
	decisions, offered, refused, paid int
}

func (c *trial) step(before *sim.Table, p sim.Player, a sim.Action, events []sim.Event) {
	if before == nil {
		return
	}
	v := before.View(p)
	c.decisions++
	dealt, own := v.Redeal(uint64(c.decisions)), facts.Of(v)
	if other := facts.Of(dealt.View(p)); !reflect.DeepEqual(own, other) {
		c.Fatalf("with other hidden tiles the facts are %+v, not %+v", other, own)
	}
	if v.Phase() != sim.PhaseTurn || !a.IsDiscard() {
		return
	}
	var waits tile.Set
	for q := range sim.Player(c.rules.NumSeats()) {
		if q != p {
			waits |= before.View(q).Waits()
		}
	}
	for b := range v.Legal().All {
		f := reasons.DiscardedTile(b, v.Drawn())
		if !b.IsDiscard() || !waits.Has(f.Kind()) {
			continue
		}
		after := c.after(before, p, b)
		for i := 1; i < c.rules.NumSeats(); i++ {
			c.expect(before.View(v.PlayerAfter(i)), f, p, after)
		}
	}
	next := v.PlayerAfter(1)
	for _, e := range events {
		switch e.Type {
		case sim.EvDiscard, sim.EvReady, sim.EvPay, sim.EvIndicator:
		case sim.EvDraw:
			if from, _ := e.Draw(); from != sim.FromWall || e.Player != next || events[len(events)-1] != e {
				return
			}
		default:
			return // more happened before the draw than facts suppose
		}
	}
	if events[len(events)-1].Type != sim.EvDraw {
		return
	}
	for kinds := before.View(next).Waits(); kinds != 0; kinds = kinds.Rest() {
		supposed, f := *before, tile.Face(kinds.First())
		if supposed.ReplaceNextDraw(events, f) {
			c.expect(before.View(next), f, next, c.after(&supposed, p, a))
		}
	}
}

// after returns the table after an action.
func (c *trial) after(before *sim.Table, p sim.Player, a sim.Action) *sim.Table {
	t := *before
	if _, err := t.Step(p, a, nil); err != nil {
		c.Fatal(err)
	}
	return &t
}

// expect compares what v says of a tile that comes next with the table after it has come.
func (c *trial) expect(v sim.View, f tile.Face, from sim.Player, after *sim.Table) {
	h := facts.HandOf(v)
	i := slices.IndexFunc(h.Waits, func(w facts.Wait) bool { return w.Kind == int(f.Kind()) })
	if i < 0 {
		return
	}
	said, p := h.Waits[i].Wins[from], v.Player()
	legal := after.Legal(p)
	if legal.Has(sim.ActWin) != (said.Why == "") {
		c.Errorf("player %d, %v of %d: said %+v, offered %v", p, f, from, said, legal)
		return
	}
	if said.Why != "" {
		c.refused++
		if g := facts.Of(after.View(p)).Refused; from == p && (g == nil || g.Why != said.Why) {
			c.Errorf("player %d has drawn %v: refused %+v, said %+v", p, f, g, said)
		}
		return
	}
	c.offered++
	t := *after
	var events []sim.Event
	for asked := t.Asked(); asked != 0; asked = asked.Rest() {
		a := sim.ActPass
		if asked.First() == p {
			a = sim.ActWin
		}
		var err error
		if events, err = t.Step(asked.First(), a, events); err != nil {
			c.Fatal(err)
		}
	}
	var owed [sim.NumPlayers][sim.NumPlayers]ruleset.Debt
	for q := range owed {
		owed[q] = v.Debts(sim.Player(q))
	}
	gain := int32(0)
	for _, e := range events {
		switch e.Type {
		case sim.EvIndicator:
			return // ura, which no player could know
		case sim.EvPay:
			if payer, payee, amount, _ := e.Pay(); payee == p {
				gain += amount
			} else if payer == p {
				gain -= amount
			}
		case sim.EvDebt:
			debtor, debt := e.Debt()
			change := debt.Points - owed[e.Player][debtor].Points
			if e.Player == p {
				gain += change
			} else if debtor == p {
				gain -= change
			}
		case sim.EvHandEnd:
			// Nor a red five, nor a stick or an indicator that came with the discard.
			if w := after.View(p); !f.IsRed() && w.Deposits() == v.Deposits() && w.NumIndicators() == v.NumIndicators() {
				c.paid++
				if gain != said.Gain {
					c.Errorf("player %d gains %d on %v of %d, said %+v", p, gain, f, from, said)
				}
			}
			return
		}
	}
}
