package observe_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

func adviceOf(tb testing.TB, name string) *observe.Spec {
	tb.Helper()
	s, err := observe.LookupWithAgents(name, agents.New)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// TestAdvice compares the candidates with what the player says when he is asked
// himself; the first is what he does. Nothing is shown where there is no question.
func TestAdvice(t *testing.T) {
	eachRuleset(t, func(t *testing.T, r *ruleset.Rules) {
		for _, name := range []string{"advice", "advice:expert:net=off"} {
			_, player, named := strings.Cut(name, ":")
			if !named {
				player = "value"
			}
			factory, err := agents.New(player)
			if err != nil {
				t.Fatal(err)
			}
			adviser, spec := factory().(sim.Adviser), adviceOf(t, name).For(r.NumSeats())
			if spec.Name != name {
				t.Errorf("%s is called %s", name, spec.Name)
			}
			e, several := spec.NewEncoder(), 0
			sampled(t, r, 97, func(table *sim.Table, h *observe.History) {
				for p := range sim.Player(r.NumSeats()) {
					v := table.View(p)
					all := appendAll(e, v, h)
					data := all[len(all)-1]
					var want []sim.Candidate
					if table.Asked().Has(p) {
						want = adviser.Advise(v, nil)
						if want[0].Action != adviser.Act(v) {
							t.Fatalf("the first candidate is %v, not what the player does", want[0].Action)
						}
					}
					if len(want) > 1 {
						several++
					}
					row := func(i int) (n [6]int64) {
						for j := range n {
							n[j] = int64(int32(binary.LittleEndian.Uint32(data[24*i+4*j:])))
						}
						return n
					}
					for i := range 16 {
						var c [6]int64
						if i < len(want) {
							w := want[i]
							c = [6]int64{int64(w.Action) + 1, int64(w.Shanten), int64(w.DealIn), w.Gain, w.Risk, w.Total}
						}
						if row(i) != c {
							t.Fatalf("candidate %d is %v, want %v", i, row(i), c)
						}
					}
				}
			})
			if several == 0 {
				t.Errorf("%s: nothing was weighed up", name)
			}
		}
	})
}

func TestLookupWith(t *testing.T) {
	for name, want := range map[string]string{
		"advise":             "advice",
		"advice:gredy":       "nearest: greedy",
		"advice:random":      "is no adviser",
		"advice:value:x=1":   "x",
		"advice:":            "unknown agent",
		"features:something": "unknown encoding",
	} {
		if _, err := observe.LookupWithAgents(name, agents.New); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", name, err, want)
		}
	}
}

// wrapped hides all of an agent but Act.
type wrapped struct{ sim.Agent }

func (w wrapped) Unwrap() sim.Agent { return w.Agent }

// An adviser that another agent stands for gives its advice as well.
func TestWrappedAdviser(t *testing.T) {
	newWrapped := func(spec string) (func() sim.Agent, error) {
		newAgent, err := agents.New(spec)
		return func() sim.Agent { return wrapped{newAgent()} }, err
	}
	s, err := observe.LookupWithAgents("advice", newWrapped)
	if err != nil {
		t.Fatal(err)
	}
	r := load(t, "ema_2016")
	e, plain := s.For(r.NumSeats()).NewEncoder(), adviceOf(t, "advice").For(r.NumSeats()).NewEncoder()
	sampled(t, r, 97, func(table *sim.Table, h *observe.History) {
		v := table.View(table.Asked().First())
		if !slices.EqualFunc(appendAll(e, v, h), appendAll(plain, v, h), bytes.Equal) {
			t.Fatal("the advice of a wrapped agent is another one")
		}
	})
}
