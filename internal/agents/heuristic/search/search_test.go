package search

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/sim"
)

// firstDiscard is an agent that wins when it may and else takes the first legal action.
type firstDiscard struct{}

func (firstDiscard) Act(v sim.View) sim.Action {
	legal := v.Legal()
	for _, a := range [...]sim.Action{sim.ActWin, sim.ActPass} {
		if legal.Has(a) {
			return a
		}
	}
	return legal.First()
}

func newFirstDiscard() sim.Agent { return firstDiscard{} }

// atTurn returns a table at the n-th turn of the first hand, where no player has won.
func atTurn(t *testing.T, preset string, n int) sim.Table {
	t.Helper()
	r, err := configs.Load(preset)
	if err != nil {
		t.Fatal(err)
	}
	table := sim.NewTable(r, 11)
	table.StartHand(nil)
	for {
		p := table.Asked().First()
		v := table.View(p)
		a := firstDiscard{}.Act(v)
		if table.Phase() == sim.PhaseTurn {
			if n--; n < 0 {
				return table
			}
			a = sim.ActDiscardDrawn
			if legal := v.Legal(); !legal.Has(a) {
				a = legal.First()
			}
		}
		if _, err := table.Step(p, a, nil); err != nil {
			t.Fatal(err)
		}
	}
}

func newRandom() rand.Source { return rand.NewPCG(1, 2) }

// discardsOf returns the first legal discards of the player in turn.
func discardsOf(table *sim.Table, n int) (v sim.View, actions []sim.Action) {
	v = table.View(table.Asked().First())
	legal := v.Legal()
	for a := range legal.All {
		if a.IsDiscard() && !a.DeclaresReady() && len(actions) < n {
			actions = append(actions, a)
		}
	}
	return v, actions
}

// TestCompare sees that the same comparison has the same result, that an action does not differ
// from itself, and that nothing is allocated but the odds.
func TestCompare(t *testing.T) {
	for _, preset := range []string{"tenhou", "tenhou_sanma", "mcr_2006", "zung_jung", "taiwanese", "hk_old_style"} {
		table := atTurn(t, preset, 9)
		v, actions := discardsOf(&table, 2)
		c := &Comparison{Actions: append(actions, actions[0]), Redeals: 20, PlaceWorth: 2000, Random: newRandom(), Beliefs: true}
		s := New(newFirstDiscard)
		if n := s.Compare(v, c); n != 20 {
			t.Errorf("%s: %d redeals", preset, n)
		}
		mean, variance := s.Difference(1)
		if same, none := s.Difference(2); same != 0 || none != 0 {
			t.Errorf("%s: an action differs from itself by %v, variance %v", preset, same, none)
		}
		if variance <= 0 {
			t.Errorf("%s: two discards have the same result at all tables", preset)
		}
		if s.variate == nil {
			t.Errorf("%s: luck is not subtracted", preset)
		}
		again := New(newFirstDiscard)
		c.Random = newRandom()
		again.Compare(v, c)
		if m, w := again.Difference(1); m != mean || w != variance {
			t.Errorf("%s: the second time %v, variance %v; the first time %v, %v", preset, m, w, mean, variance)
		}
		if a := testing.AllocsPerRun(50, func() { s.Compare(v, c) }); a > 1 {
			t.Errorf("%s: %v allocations", preset, a)
		}
		c.Random = constant{}
		if s.Compare(v, c); !isConstant(s) {
			t.Errorf("%s: the same table has different results", preset)
		}
		c.Deadline = time.Now()
		if n := s.Compare(v, c); n != 1 {
			t.Errorf("%s: %d redeals after the deadline", preset, n)
		}
	}
}

// constant is a source of the same table again and again.
type constant struct{}

func (constant) Uint64() uint64 { return 7 }

// isConstant reports whether the second action differs from the first by the same at all tables.
func isConstant(s *Searcher) bool {
	mean, variance := s.Difference(1)
	return variance < 1e-6*(1+mean*mean)
}

// NewValue is heuristic.NewValue. The tests of the package itself cannot import heuristic, which
// imports the package.
var NewValue func(options string) (func() sim.Agent, error)

// TestLuckSubtracted compares the variance of differences with and without luck.
func TestLuckSubtracted(t *testing.T) {
	table := atTurn(t, "tenhou", 9)
	v, actions := discardsOf(&table, 2)
	c := &Comparison{Actions: actions, Redeals: 1000, Random: newRandom(), Beliefs: true}
	newAgent, err := NewValue("")
	if err != nil {
		t.Fatal(err)
	}
	s := New(newAgent)
	s.Compare(v, c)
	mean, adjusted := s.Difference(1)
	s.variate, c.Random = nil, newRandom()
	s.Compare(v, c)
	plainMean, plain := s.Difference(1)
	if adjusted > 0.9*plain {
		t.Errorf("variance %.4f, luck-adjusted %.4f", plain, adjusted)
	}
	if math.Abs(mean-plainMean) > 4*math.Sqrt((plain+adjusted)/1000) {
		t.Errorf("mean %.4f, luck-adjusted %.4f", plainMean, mean)
	}
}

// TestPlace compares expected places with those of the normal distribution.
func TestPlace(t *testing.T) {
	for x := -5.0; x <= 5; x += 0.1 {
		want := math.Erfc(-x/math.Sqrt2) / 2
		if got := float64(normal(int64(math.Round(x*(1<<normalBits))))) / perceptron.OutputUnit; math.Abs(got-want) > 0.004 {
			t.Errorf("normal(%.1f) = %.4f, want %.4f", x, got, want)
		}
	}
	r, err := configs.Load("tenhou")
	if err != nil {
		t.Fatal(err)
	}
	table := sim.NewTable(r, 1)
	s := &Searcher{scale: int64(r.Traits.Scale), handSpread: handSpreadOf(r)}
	for _, c := range []struct {
		points [sim.NumPlayers]int32
		want   float64
	}{
		{[sim.NumPlayers]int32{25000, 25000, 25000, 25000}, 2.5},
		{[sim.NumPlayers]int32{400000, -100000, -100000, -100000}, 1},
		{[sim.NumPlayers]int32{-200000, 100000, 100000, 100000}, 4},
	} {
		if got := float64(s.place(&table, &c.points, 0)) / perceptron.OutputUnit; math.Abs(got-c.want) > 0.01 {
			t.Errorf("%v: place %.3f, want %.3f", c.points, got, c.want)
		}
	}
}
