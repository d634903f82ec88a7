package belief_test

import (
	"math"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/internal/insight/belief"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
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

// TestRedeals sees that redeals by beliefs predict the tiles that others hold clearly better than
// uniform ones, in every family, and deal as many ready hands as the network expects.
func TestRedeals(t *testing.T) {
	const every, deals = 30, 60
	for _, preset := range families {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			r := load(t, preset)
			var reader belief.Estimator
			var even, byOdds, counts float64      // negative log-likelihoods in nats, and their number
			var hands, believed, dealt [3]float64 // by number of melds, of players who have not declared
			for i := range uint64(2) {
				turns(t, r, played(t, r, i), every, func(table *sim.Table, v sim.View) {
					reader.Observe(v)
					for j := 1; j < sim.NumPlayers; j++ {
						q := v.PlayerAfter(j)
						truth := table.View(q).Hand()
						n, nats, _ := redeal(v, nil, q, &truth, deals)
						_, fewer, ready := redeal(v, reader.Odds(), q, &truth, deals)
						counts, even, byOdds = counts+n, even+nats, byOdds+fewer
						if v.Ready(q) == sim.NotReady {
							m := min(v.NumMelds(q), 2)
							hands[m]++
							believed[m] += float64(reader.EvaluatePlayer(q)) / belief.Unit
							dealt[m] += ready
						}
					}
				})
			}
			const margin, most = 0.015, 0.05
			if byOdds/counts > even/counts-margin {
				t.Errorf("uniform %.4f, by beliefs %.4f nats for each of %.0f counts; want %.3f less", even/counts, byOdds/counts, counts, margin)
			}
			for m, n := range hands {
				if n > 0 && math.Abs(dealt[m]-believed[m])/n > most {
					t.Errorf("%d melds: %.3f of the hands are believed to be ready, %.3f are dealt ready", m, believed[m]/n, dealt[m]/n)
				}
			}
		})
	}
}

// redeal deals the hidden tiles again. It returns the number of kinds of which player q may hold
// a tile, the sum of the negative log-likelihoods of how many q really holds, and the share of
// deals in which q is ready. Additive smoothing gives each possible number half a deal.
func redeal(v sim.View, odds *sim.Odds, q sim.Player, truth *hand.Hand, deals int) (n, nats, ready float64) {
	var held [tile.NumKinds][5]float64
	for seed := range uint64(deals) {
		table := v.RedealWithOdds(odds, seed)
		other := table.View(q)
		h := other.Hand()
		for k := range tile.Kind(tile.NumKinds) {
			held[k][h.Count(k)]++
		}
		if other.Waits() != 0 {
			ready += 1 / float64(deals)
		}
	}
	for k := range tile.Kind(tile.NumKinds) {
		if unseen := v.Unseen(k); unseen > 0 {
			n++
			nats -= math.Log((held[k][truth.Count(k)] + 0.5) / (float64(deals) + 0.5*float64(unseen+1)))
		}
	}
	return n, nats, ready
}
