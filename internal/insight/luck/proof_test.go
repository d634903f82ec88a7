package luck

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// measured is what a player has at the end of some matches, and of that the luck.
type measured struct{ points, luck [sim.NumPlayers]float64 }

// matchFollower follows whole matches.
type matchFollower interface {
	FollowMatch(x *sim.Match, each func(e sim.Event, l Points)) error
}

// findUkeire plays matches of the players of the names and measures them by meters that
// newMeter makes, some at a time.
func measure(t *testing.T, r *ruleset.Rules, names []string, seed uint64, matches int, newMeter func() matchFollower) []measured {
	t.Helper()
	list := make([]measured, matches)
	workers := runtime.GOMAXPROCS(0)
	var group errgroup.Group
	for w := range workers {
		four, meter := seated(t, names...), newMeter()
		group.Go(func() error {
			var m sim.Match
			for i := w; i < matches; i += workers {
				m.Seed = sim.MatchSeed(seed, uint64(i))
				m.Play(r, &four)
				var luck Points
				if err := meter.FollowMatch(&m, func(_ sim.Event, l Points) { luck.Add(&l) }); err != nil {
					return err
				}
				for p, n := range m.Final.Points {
					list[i].points[p] = float64(n)
					list[i].luck[p] = float64(luck[p]) / Unit
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	return list
}

// families has a preset of each of some families.
var families = []string{"ema_2016", "mcr_2006", "universal", "hkma_hktw"}

// TestUnbiased plays matches of players to which the linear estimate was not fitted: the mean
// luck must not be told from zero, and the intervals of points less luck must hold
// what they say.
func TestUnbiased(t *testing.T) {
	const parts = 300
	matches := parts
	if long() {
		matches = 12_600
	}
	for _, preset := range append(families[:len(families):len(families)], sanma) {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			r := load(t, preset)
			e := estimate(t, r)
			newMeter := func() matchFollower { return NewLinearControlVariate(r, &e.Linear) }
			centered(t, measure(t, r, []string{"value:worth=off", "greedy", "random", "tsumogiri"}, 3, matches, newMeter))
			if long() {
				// Equals or nearly so: intervals of a few matches do not hold what is as skewed
				// as the results of one who never discards well.
				covered(t, measure(t, r, []string{"value:worth=off", "greedy"}, 5, matches, newMeter), parts)
			}
		})
	}
}

// TestNetworkUnbiased plays matches of one deal, of players of whom the network was fitted
// to greedy alone; all but the expert are asked what they would discard. The mean luck must
// not be told from zero, and the intervals of points less luck must hold what they say.
func TestNetworkUnbiased(t *testing.T) {
	const parts = 300
	matches := 24
	if long() {
		matches = 12_600
	}
	for _, preset := range families {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			r, err := configs.LoadWith(preset, map[string]any{"rounds": 1, "hands_per_round": 1})
			if err != nil {
				t.Fatal(err)
			}
			e := estimate(t, r)
			// follow plays the matches; from player first on all are asked.
			follow := func(seed uint64, first int, names ...string) []measured {
				return measure(t, r, names, seed, matches, func() matchFollower {
					asked := seated(t, names...)
					clear(asked[:first])
					meter := NewControlVariate(r, e)
					meter.SetPolicies(asked)
					return meter
				})
			}
			centered(t, follow(4, 1, "expert", "value:worth=off", "random", "greedy"))
			if long() {
				covered(t, follow(6, 0, "value:worth=off", "greedy"), parts)
			}
		})
	}
}

// centered sees that the luck of no player can be told from zero.
func centered(t *testing.T, list []measured) {
	t.Helper()
	n := float64(len(list))
	for p := range sim.NumPlayers {
		var sum, squares, points float64
		for i := range list {
			sum += list[i].luck[p]
			squares += list[i].luck[p] * list[i].luck[p]
			points += list[i].points[p]
		}
		mean := sum / n
		e := math.Sqrt((squares/n - mean*mean) / n)
		t.Logf("%.0f matches, player %d: points %.2f, luck %.2f with a standard error of %.2f", n, p, points/n, mean, e)
		if math.Abs(mean) > 3.8*e { // of 32 one is beyond that in 200 runs
			t.Errorf("player %d has luck %.2f a match with a standard error of %.2f", p, mean, e)
		}
	}
}

// covered divides the matches into parts and sees how many of their intervals of 95 %
// of points less luck hold the mean of all.
func covered(t *testing.T, list []measured, parts int) {
	t.Helper()
	size := len(list) / parts
	quantile := distuv.StudentsT{Sigma: 1, Nu: float64(size - 1)}.Quantile(0.975)
	hold := 0
	for p := range sim.NumPlayers {
		rest := func(x *measured) float64 { return x.points[p] - x.luck[p] }
		var truth float64
		for i := range list {
			truth += rest(&list[i]) / float64(len(list))
		}
		for i := range parts {
			var sum, squares float64
			for j := range size {
				x := rest(&list[i*size+j])
				sum += x
				squares += x * x
			}
			n := float64(size)
			mean := sum / n
			e := math.Sqrt((squares - n*mean*mean) / (n - 1) / n)
			if math.Abs(mean-truth) <= quantile*e {
				hold++
			}
		}
	}
	share := float64(hold) / float64(parts*sim.NumPlayers)
	t.Logf("%.3f of the intervals of %d matches hold the mean", share, size)
	if share < 0.93 || share > 0.97 {
		t.Errorf("%.3f of the intervals hold the mean, want 0.93 to 0.97", share)
	}
}

// TestEnumerated lets the last tiles of a wall come in every order, and the players
// finish the hand each time: the mean luck must be zero exactly, and so the mean of
// points less luck that of points.
func TestEnumerated(t *testing.T) {
	last, hands := 4, 3 // tiles, which come in 24 orders
	if long() {
		last, hands = 5, 12
	}
	for _, preset := range []string{"mcr_2006", "universal"} { // with one wall, and no tiles that never come
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			r, err := configs.LoadWith(preset, map[string]any{"max_hands": int64(1), "dead_wall": int64(0)})
			if err != nil {
				t.Fatal(err)
			}
			e := estimate(t, r)
			four := seated(t, "greedy", "tsumogiri")
			tried, moved := 0, 0
			for i := uint64(0); tried < hands; i++ {
				var m sim.Match
				m.Seed = sim.MatchSeed(12, i)
				m.Play(r, &four)
				front, back, at := lastTiles(r, m.Events, last)
				if at < 0 || (sim.SetSize(&r.Flow)-back)%2 != 0 {
					continue // it ended before, or a stack of two is half drawn
				}
				tried++
				wall := sim.NewWall(&r.Flow, m.Seed, 0, 0, 0)
				var sum, linearSum Points
				var points [sim.NumPlayers]map[int32]bool
				for p := range points {
					points[p] = map[int32]bool{}
				}
				orders := 0
				permute(wall[front:back], func() {
					orders++
					o := sim.Match{Seed: m.Seed, Walls: []sim.Wall{wall}}
					o.Play(r, &four)
					meter, linear := NewControlVariate(r, e), NewLinearControlVariate(r, &e.Linear)
					for j, event := range o.Events {
						l, k := meter.Follow(event), linear.Follow(event)
						if j >= at {
							sum.Add(&l)
							linearSum.Add(&k)
						} else if event != m.Events[j] {
							t.Fatalf("match %d: the order of the last tiles changes event %d", i, j)
						}
					}
					for p, n := range o.Final.Points {
						points[p][n] = true
					}
				})
				for p := range sum {
					if len(points[p]) > 1 {
						moved++
					}
					// What divisions lose, by each of the draws.
					if most := int64(orders * last * 16); sum[p] > most || sum[p] < -most || linearSum[p] > most || linearSum[p] < -most {
						t.Errorf("match %d: the luck of player %d is %d and %d on average over %d orders", i, p, sum[p]/int64(orders), linearSum[p]/int64(orders), orders)
					}
				}
			}
			if moved == 0 {
				t.Error("the last tiles decided nothing in any of the hands")
			}
		})
	}
}

// lastTiles returns where in the wall the last n tiles lie and the event after which
// they are left; at is negative where the hand ended before.
func lastTiles(r *ruleset.Rules, events []sim.Event, n int) (front, back, at int) {
	size := sim.SetSize(&r.Flow)
	s := NewState(r)
	front, back = 0, size
	for i, e := range events {
		s.Apply(e)
		switch e.Type {
		case sim.EvDeal:
			faces, _ := e.Deal()
			for _, f := range faces {
				if f != tile.NoFace {
					front++
				}
			}
		case sim.EvDraw:
			if cause, _ := e.Draw(); cause == sim.FromKan || cause == sim.FromFlower {
				back--
			} else {
				front++
			}
			if back-front == n {
				return front, back, i + 1
			}
		}
	}
	return 0, 0, -1
}

// permute calls f with the tiles in every order.
func permute[T any](tiles []T, f func()) {
	if len(tiles) < 2 {
		f()
		return
	}
	for i := range tiles {
		tiles[0], tiles[i] = tiles[i], tiles[0]
		permute(tiles[1:], f)
		tiles[0], tiles[i] = tiles[i], tiles[0]
	}
}

// TestHabits sees that what a discard is likely to be adds up to certainty.
func TestHabits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var d discards
		d.n = 1 + rng.IntN(14)
		var habits [NumDiscardFeatures]int16
		for i := range habits {
			habits[i] = int16(rng.IntN(2000) - 1000)
		}
		for i := range d.list[:d.n] {
			d.list[i].Kind = 2 * tile.Kind(i)
			for f := range d.list[i].Features {
				d.list[i].Features[f] = int16(rng.IntN(2*one)) - one
			}
		}
		var turn discardForecast
		way := newDiscardModel(&habits)
		turn.setProbabilities(&d, &way)
		sum := turn.odds.probability(tile.All)
		if sum > chanceUnit || sum < chanceUnit-d.n || !turn.odds.likely.Has(turn.discard) {
			t.Fatalf("the discards are likely by %d of %d together", sum, chanceUnit)
		}
	}
}
