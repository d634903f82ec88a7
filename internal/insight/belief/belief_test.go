package belief_test

import (
	"math"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/internal/insight/belief"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// families has a preset of each.
var families = []string{"tenhou", "mcr_2006", "universal", "hkma_hktw"}

func load(t *testing.T, preset string) *ruleset.Rules {
	t.Helper()
	r, err := configs.Load(preset)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// played returns a match of four value players.
func played(t *testing.T, r *ruleset.Rules, index uint64) *sim.Match {
	t.Helper()
	newValue, err := agents.New("value")
	if err != nil {
		t.Fatal(err)
	}
	var seats [sim.NumPlayers]sim.Agent
	for p := range seats {
		seats[p] = newValue()
	}
	m := &sim.Match{Index: index, Seed: sim.MatchSeed(11, index)}
	m.Play(r, &seats)
	return m
}

// turns calls each for every n-th own turn of a match.
func turns(t *testing.T, r *ruleset.Rules, m *sim.Match, n int, each func(table *sim.Table, v sim.View)) {
	t.Helper()
	i := 0
	err := m.ReplaySteps(r, func(table *sim.Table, p sim.Player, _ sim.Action, _ []sim.Event) {
		if table == nil || table.Phase() != sim.PhaseTurn {
			return
		}
		if i++; i%n == 0 {
			each(table, table.View(p))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWithoutNetwork sees that a family without a network is dealt by chance.
func TestWithoutNetwork(t *testing.T) {
	r := *load(t, "tenhou")
	r.Family = "another"
	turns(t, &r, played(t, &r, 3), 5, func(_ *sim.Table, v sim.View) {
		var reader belief.Estimator
		if reader.Observe(v); reader.HasNetwork() || reader.Odds() != nil {
			t.Error("there are odds without a network")
		}
	})
}

// discardsOf returns the discards of an own turn that do not declare ready.
func discardsOf(v sim.View) aim.DiscardActions {
	legal := v.Legal()
	return aim.NewDiscardActions(&legal, v.Drawn(), false)
}

// TestWin compares the probabilities of DealIn with what happens: as many discards win as
// expected, among the safe, the risky and the dangerous ones.
func TestWin(t *testing.T) {
	r := load(t, "tenhou")
	var reader belief.Estimator
	var asked, won [3]int
	var expected [3]float64
	count := func(after *sim.Table, p sim.Player, k tile.Kind) {
		chance, loss := reader.DealIn(p, k)
		if reader.SafeKinds(p).Has(k) {
			if chance != 0 {
				t.Errorf("a safe tile wins with %d", chance)
			}
			return
		}
		if loss < 0 || chance < 0 || chance > belief.Unit {
			t.Errorf("a chance of %d to lose %d", chance, loss)
		}
		class := 0
		if chance > belief.Unit/50 {
			class++
		}
		if chance > belief.Unit/10 {
			class++
		}
		asked[class]++
		expected[class] += float64(chance) / belief.Unit
		if legal := after.Legal(p); after.Phase() == sim.PhaseClaim && legal.Has(sim.ActWin) {
			won[class]++
		}
	}
	for i := range uint64(20) {
		turns(t, r, played(t, r, i), 2, func(table *sim.Table, v sim.View) {
			reader.Observe(v)
			for j := 1; j < sim.NumPlayers; j++ {
				reader.EvaluatePlayer(v.PlayerAfter(j))
			}
			discards := discardsOf(v)
			for kinds := discards.Kinds(); kinds != 0; kinds = kinds.Rest() {
				after := *table
				if _, err := after.Step(v.Player(), discards.Action(kinds.First()), nil); err != nil {
					t.Fatal(err)
				}
				for j := 1; j < sim.NumPlayers; j++ {
					count(&after, v.PlayerAfter(j), kinds.First())
				}
			}
		})
	}
	for c := range asked {
		t.Logf("%d asked, %d won, %.1f expected", asked[c], won[c], expected[c])
		if d := float64(won[c]) - expected[c]; math.Abs(d) > 6*math.Sqrt(expected[c]) {
			t.Errorf("of %d discards %d win, %.1f are expected to", asked[c], won[c], expected[c])
		}
	}
	if asked[2] < 100 {
		t.Errorf("only %d discards are called dangerous", asked[2])
	}
}

// TestHidden sees that beliefs depend on nothing that the viewer cannot see.
func TestHidden(t *testing.T) {
	for _, preset := range families {
		r := load(t, preset)
		var reader belief.Estimator
		turns(t, r, played(t, r, 3), 5, func(_ *sim.Table, v sim.View) {
			reader.Observe(v)
			ready := reader.EvaluatePlayer(v.PlayerAfter(1))
			before := reader.Odds()
			other := v.Redeal(9)
			reader.Observe(other.View(v.Player()))
			if after := reader.Odds(); *after != *before || reader.EvaluatePlayer(v.PlayerAfter(1)) != ready {
				t.Errorf("%s: with other hidden tiles other beliefs", preset)
			}
		})
	}
}

// TestNothingAllocated holds reading to memory that is there.
func TestNothingAllocated(t *testing.T) {
	r := load(t, "tenhou")
	var reader belief.Estimator
	turns(t, r, played(t, r, 5), 40, func(_ *sim.Table, v sim.View) {
		if n := testing.AllocsPerRun(1, func() {
			reader.Observe(v)
			for i := 1; i < sim.NumPlayers; i++ {
				reader.EvaluatePlayer(v.PlayerAfter(i))
				for k := range tile.Kind(tile.NumKinds) {
					reader.DealIn(v.PlayerAfter(i), k)
				}
			}
		}); n > 0 {
			t.Errorf("%v allocations", n)
		}
	})
}
