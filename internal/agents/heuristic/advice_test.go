package heuristic_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/sim"
)

// advised checks the advice of its agent at each decision.
type advised struct {
	sim.Adviser
	t     *testing.T
	other sim.Adviser // is given other hidden tiles
	// byTotal tells that of discards it takes the one of the highest total.
	byTotal bool
	list    []sim.Candidate
	again   []sim.Candidate
	// What was met.
	weighed, calls, kans, declared int
}

func (a *advised) Act(v sim.View) sim.Action {
	choice := a.Adviser.Act(v.Masked()) // advice is not given by what others hide
	a.list = a.Advise(v, a.list[:0])
	legal := v.Legal()
	if len(a.list) == 0 || a.list[0].Action != choice {
		a.t.Fatalf("answers %v, advises %v", choice, a.list)
	}
	for i, c := range a.list {
		if !legal.Has(c.Action) || slices.ContainsFunc(a.list[:i], func(d sim.Candidate) bool { return c.Action == d.Action }) {
			a.t.Errorf("advises %v, which is not legal or said before", c.Action)
		}
		if c.Gain < 0 || c.Risk < 0 && c.DealIn == 0 || c.DealIn < 0 || c.DealIn > 3_000_000 || c.Shanten < -1 || c.Shanten > 13 {
			a.t.Errorf("%+v", c)
		}
		switch {
		case c.Action >= sim.ActChi && c.Action <= sim.ActPon+2:
			a.calls++
		case c.Action >= sim.ActClosedKan && c.Action < sim.ActWin:
			a.kans++
		case c.Action.DeclaresReady():
			a.declared++
		}
	}
	if len(a.list) > 1 {
		a.weighed++
		byTotal := func(c, d sim.Candidate) int {
			return cmp.Or(cmp.Compare(d.Total, c.Total), cmp.Compare(c.Action, d.Action))
		}
		if !slices.IsSortedFunc(a.list[1:], byTotal) {
			a.t.Errorf("not the best first: %+v", a.list)
		}
		if best := a.list[1]; choice.IsDiscard() && a.byTotal && best.Action.IsDiscard() && best.Total > a.list[0].Total {
			a.t.Errorf("chooses %+v before %+v", a.list[0], best)
		}
	}
	r := v.Rand()
	table := v.Redeal(r.Uint64())
	if a.again = a.other.Advise(table.View(v.Player()), a.again[:0]); !slices.Equal(a.list, a.again) {
		a.t.Errorf("advises %+v, with other hidden tiles %+v", a.list, a.again)
	}
	if n := testing.AllocsPerRun(10, func() { a.again = a.Advise(v, a.again[:0]) }); n > 0 {
		a.t.Errorf("%v allocations", n)
	}
	return choice
}

// TestAdvice holds advice to what sim.Adviser promises.
func TestAdvice(t *testing.T) {
	for _, spec := range []string{"value", "expert"} {
		for _, preset := range []string{"ema_2016", "mcr_2006", "hkma_hktw"} {
			t.Run(spec+" "+preset, func(t *testing.T) {
				r := load(t, preset)
				seats := lineup(t, 0xf, spec, "")
				a := &advised{Adviser: seats[1].(sim.Adviser), other: lineup(t, 0xf, spec, "")[1].(sim.Adviser), t: t, byTotal: spec == "value"}
				seats[1] = a
				var m sim.Match
				for m.Seed = range 10 {
					m.Play(r, seats)
				}
				if a.weighed == 0 || a.calls == 0 || a.kans == 0 || a.declared == 0 && preset != "mcr_2006" {
					t.Errorf("%d decisions weighed, %d calls, %d kans, %d declarations", a.weighed, a.calls, a.kans, a.declared)
				}
			})
		}
	}
}

// TestWeights makes players by the weights that they offer: a weight that is set is
// told, and those told make the same player.
func TestWeights(t *testing.T) {
	weightsOf := func(spec string) []sim.Weight {
		f, err := agents.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		return f().(sim.Tunable).Weights()
	}
	usual := weightsOf("value")
	for i, w := range usual {
		if w.Min >= w.Max || w.Value < w.Min || w.Value > w.Max {
			t.Errorf("weight %+v", w)
		}
		for _, value := range []int32{w.Min, w.Max, w.Value} {
			got := weightsOf(fmt.Sprintf("value:%s=%d.%03d", w.Name, value/1000, value%1000))
			want := slices.Clone(usual)
			want[i].Value = value
			if !slices.Equal(got, want) {
				t.Errorf("%s = %d gives %v", w.Name, value, got)
			}
		}
	}
	// The weights reach the play. What a player discarded himself is safe in riichi,
	// so one of them shows elsewhere.
	play := func(preset, spec string) []sim.Action {
		m := sim.Match{Seed: 1}
		m.Play(load(t, preset), lineup(t, 0xf, spec, ""))
		return m.Actions
	}
	first := map[string][]sim.Action{"ema_2016": play("ema_2016", "value"), "mcr_2006": play("mcr_2006", "value")}
	for _, w := range usual {
		preset := "ema_2016"
		if w.Name == "wait_own" {
			preset = "mcr_2006"
		}
		other := w.Min
		if other == w.Value {
			other = w.Max
		}
		if slices.Equal(play(preset, fmt.Sprintf("value:%s=%d.%03d", w.Name, other/1000, other%1000)), first[preset]) {
			t.Errorf("%s: with %s at %d the same match is played", preset, w.Name, other)
		}
	}
}
