package observe_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// encoders returns an encoder for each encoding at tables of the rules.
func encoders(tb testing.TB, r *ruleset.Rules) (list []*observe.Encoder) {
	tb.Helper()
	for _, name := range append(observe.Names(), "advice") {
		list = append(list, adviceOf(tb, name).For(r.NumSeats()).NewEncoder())
	}
	return list
}

// appendAll returns the tensors of an encoding.
func appendAll(e *observe.Encoder, v sim.View, h *observe.History) [][]byte {
	dst := make([][]byte, len(e.Spec().Tensors))
	e.Append(dst, v, h)
	return dst
}

func same(a, b [][]byte) bool { return slices.EqualFunc(a, b, bytes.Equal) }

// TestNoPeeking deals the tiles hidden from a player anew: no encoding of what
// the player sees may change by a bit, nor may the mask. What other players were
// dealt and drew is gone from the history that goes with the new table.
func TestNoPeeking(t *testing.T) {
	eachRuleset(t, func(t *testing.T, r *ruleset.Rules) {
		list, events := encoders(t, r), lookup(t, "events").For(r.NumSeats()).NewEncoder()
		seed, changed := uint64(0), 0
		sampled(t, r, 97, func(table *sim.Table, h *observe.History) {
			for p := range sim.Player(r.NumSeats()) {
				if !table.Asked().Has(p) {
					continue
				}
				seed++
				v := table.View(p)
				other := v.Redeal(seed)
				w, known := other.View(p), h.SeenBy(v)
				for _, e := range list {
					if a, b := appendAll(e, v, h), appendAll(e, w, &known); !same(a, b) {
						t.Fatalf("%s shows player %d hidden tiles:\n%s", e.Spec().Name, p, cmp.Diff(a, b))
					}
				}
				if !bytes.Equal(observe.AppendMask(nil, v.Legal()), observe.AppendMask(nil, w.Legal())) {
					t.Fatalf("the mask of player %d shows hidden tiles", p)
				}
				for q := range sim.Player(r.NumSeats()) {
					if q == p {
						continue
					}
					if table.View(q).Hand() != other.View(q).Hand() {
						changed++
					}
					for _, x := range tokensOf(encode(events, other.View(q), &known)) {
						if x.face != 0 && (x.typ == "deal" || x.typ == "draw") {
							t.Fatalf("after a re-deal for player %d, player %d is shown the tiles of the true table", p, q)
						}
					}
				}
			}
		})
		if changed == 0 {
			t.Fatal("no hand was dealt anew")
		}
	})
}

// TestPublicEvents feeds one history with all events and another with what the
// player sees of them: the encodings are the same.
func TestPublicEvents(t *testing.T) {
	eachRuleset(t, func(t *testing.T, r *ruleset.Rules) {
		e := lookup(t, "events").For(r.NumSeats()).NewEncoder()
		for i, agents := range []*[4]sim.Agent{&eagers, &mixed} {
			m := sim.Match{Seed: uint64(i)}
			m.Play(r, agents)
			table := sim.NewTable(r, m.Seed)
			for p := range sim.Player(r.NumSeats()) {
				var all, own observe.History
				n := 0
				for _, event := range m.Events {
					all.Add([]sim.Event{event})
					own.Add([]sim.Event{event.SeenBy(p, &r.Flow)})
					if n++; n%17 != 0 {
						continue
					}
					v := table.View(p)
					if a, b := appendAll(e, v, &all), appendAll(e, v, &own); !same(a, b) {
						t.Fatalf("the history shows player %d hidden tiles:\n%s", p, cmp.Diff(a, b))
					}
				}
			}
		}
	})
}

// TestViewpoint plays the same wall with the same answers in the first hand, and
// in the second with everybody one chair on. Every player is shown the same as
// the one before was, but for what the hands before have led to.
func TestViewpoint(t *testing.T) {
	for _, preset := range []string{"zung_jung", "universal", "mcr_2006", "hkma_hktw", "ema_2016", "hkma_league_a"} {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			r, err := configs.LoadWith(preset, map[string]any{"dealer_stays_on_draw": "never"})
			if err != nil {
				t.Fatal(err)
			}
			first, second, ok := twoHands(t, r)
			if !ok {
				t.Fatal("no first hand leaves the points as they are")
			}
			list := encoders(t, r)
			decisions := 0
			for first.table.Phase() != sim.PhaseDeal {
				for p := range sim.Player(4) {
					q := (p + 1) % 4
					if first.table.Asked()>>p&1 != second.table.Asked()>>q&1 {
						t.Fatalf("player %d is asked in one hand", p)
					}
					v, w := first.table.View(p), second.table.View(q)
					for _, e := range list[:3] {
						a, b := encode(e, v, &first.history), encode(e, w, &second.history)
						for i, tensor := range e.Spec().Tensors {
							x, y := a.read[i], b.read[i]
							if tensor.Name == "amounts" {
								// The counter of repeats goes on after a draw.
								counter := tensor.Fields[slices.IndexFunc(tensor.Fields, func(f observe.Field) bool { return f.Name == "counter" })]
								x[counter.First], y[counter.First] = 0, 0
							}
							if !slices.Equal(x, y) {
								t.Fatalf("%s, %s depends on who looks: %s", e.Spec().Name, tensor.Name, cmp.Diff(x, y))
							}
						}
					}
				}
				asked := first.table.Asked()
				for p := range sim.Player(4) {
					if !asked.Has(p) {
						continue
					}
					a := eager.Act(first.table.View(p))
					first.step(t, p, a)
					second.step(t, (p+1)%4, a)
					decisions++
				}
			}
			if second.table.Phase() != sim.PhaseDeal && second.table.Phase() != sim.PhaseOver || decisions < 10 {
				t.Fatalf("after %d decisions the second hand is in phase %v", decisions, second.table.Phase())
			}
		})
	}
}

func (x *position) step(tb testing.TB, p sim.Player, a sim.Action) {
	tb.Helper()
	events, err := x.table.Step(p, a, nil)
	if err != nil {
		tb.Fatal(err)
	}
	x.history.Add(events)
}

// twoHands returns the first hand of a match and, with the same wall, the second
// of one in which the first hand moved no points and the deal.
func twoHands(t *testing.T, r *ruleset.Rules) (first, second position, ok bool) {
	t.Helper()
	wall := sim.NewWall(&r.Flow, 99, 0, 0, 0)
	first.table = sim.NewTable(r, 0)
	first.history.Add(first.table.StartHandFrom(&wall, nil))
	for seed := range uint64(2000) {
		second.table = sim.NewTable(r, seed)
		start := second.table.Points()
		second.history.Add(second.table.StartHand(nil))
		for second.table.Phase() != sim.PhaseDeal && second.table.Phase() != sim.PhaseOver {
			asked := second.table.Asked()
			for p := range sim.Player(4) {
				if asked.Has(p) {
					legal, rng := second.table.Legal(p), second.table.View(p).Rand()
					a := sim.DefaultAction(&legal)
					if second.table.Phase() == sim.PhaseTurn {
						for a = sim.NoAction; !a.IsDiscard(); a = legal.Nth(rng.Below(legal.Len())) {
						}
					}
					second.step(t, p, a)
				}
			}
		}
		v := second.table.View(0)
		if second.table.Points() != start || v.Deposits() != 0 || v.Dealer() != 1 {
			continue
		}
		second.history.Add(second.table.StartHandFrom(&wall, nil))
		return first, second, true
	}
	return first, second, false
}
