package luck

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestKnownExact sees, where players are asked what they would discard, that the luck of all
// that could have come adds up to zero, when each of these tiles has truly come.
func TestKnownExact(t *testing.T) {
	for _, preset := range []string{"ema_2016", "mcr_2006", "universal", "hkma_hktw"} {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			r := load(t, preset)
			e := estimate(t, r)
			four := seated(t, "greedy", "random")
			m := sim.Match{Seed: 11}
			m.Play(r, &four)
			meter := NewControlVariate(r, e)
			meter.SetPolicies(seated(t, "greedy"))
			seen, asked := 0, 0
			err := m.ReplaySteps(r, func(before *sim.Table, p sim.Player, a sim.Action, events []sim.Event) {
				for i, event := range events {
					if event.Type == sim.EvDraw {
						if seen++; before != nil && seen%24 == 0 {
							asked += knownExact(t, meter, before, p, a, events[:i+1])
						}
						meter.policies.prepare(&meter.tracker.state, before, p, a, events[:i+1])
					}
					meter.Follow(event)
					meter.policies.ready = false
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if asked == 0 {
				t.Error("nobody was asked")
			}
		})
	}
}

// knownExact lets every tile that could have come with the last of the events come. It
// returns 1 if players could be asked.
func knownExact(t *testing.T, meter *ControlVariate, before *sim.Table, p sim.Player, a sim.Action, events []sim.Event) (asked int) {
	t.Helper()
	var sum Points
	total := int64(0)
	for f := range tile.Face(tile.NumFaces) {
		n := int64(meter.tracker.state.pool[f])
		if n == 0 {
			continue
		}
		could := *before
		if !could.ReplaceNextDraw(events, f) {
			t.Fatalf("%v is in the pool and cannot come", f)
		}
		table := could
		happened, err := table.Step(p, a, nil)
		if err != nil {
			t.Fatal(err)
		}
		other := *meter
		other.policies.prepare(&other.tracker.state, &could, p, a, happened[:len(events)])
		if other.policies.ready {
			asked = 1
		}
		l := other.Follow(happened[len(events)-1])
		total += n
		for p := range sum {
			sum[p] += n * l[p]
		}
	}
	for p, n := range sum {
		if n < -8*total || n > 8*total {
			t.Fatalf("the luck of player %d adds up to %d over %d tiles", p, n, total)
		}
	}
	return asked
}

// TestKnownForeseen sees that of players who are asked it is known what they discard.
func TestKnownForeseen(t *testing.T) {
	r := load(t, "ema_2016")
	e := estimate(t, r)
	four := seated(t, "value", "greedy")
	m := sim.Match{Seed: 12}
	m.Play(r, &four)
	meter := NewControlVariate(r, e)
	meter.SetPolicies(seated(t, "value", "greedy"))
	discards, foreseen := 0, 0
	var answer tile.Kind
	err := meter.retrace(&m, func(e sim.Event) {
		switch {
		case e.Type == sim.EvDraw && meter.policies.ready:
			answer = meter.policies.discard(e.Player, e.Tile)
		case e.Type == sim.EvDiscard && answer != tile.NoKind:
			discards++
			if answer == e.Tile.Kind() {
				foreseen++
			}
			answer = tile.NoKind
		default:
			answer = tile.NoKind
		}
		meter.Follow(e)
	})
	if err != nil {
		t.Fatal(err)
	}
	if discards < 100 || foreseen != discards {
		t.Errorf("of %d discards %d are foreseen", discards, foreseen)
	}
}

// TestKnownWorth sees that points less luck vary less where players can be asked.
func TestKnownWorth(t *testing.T) {
	r := load(t, "hkma_hktw")
	e := estimate(t, r)
	four := seated(t, "greedy")
	var left [2]float64
	matches := uint64(10)
	if long() {
		matches = 25
	}
	for i := range matches {
		m := sim.Match{Seed: sim.MatchSeed(4, i)}
		m.Play(r, &four)
		for k := range left {
			meter := NewControlVariate(r, e)
			if k == 1 {
				meter.SetPolicies(seated(t, "greedy"))
			}
			var luck Points
			if err := meter.FollowMatch(&m, func(_ sim.Event, l Points) { luck.Add(&l) }); err != nil {
				t.Fatal(err)
			}
			for p, x := range luck {
				rest := float64(m.Final.Points[p]) - float64(x)/Unit // of equals: zero on average
				left[k] += rest * rest
			}
		}
	}
	t.Logf("what is left varies %.2f times as much where players are asked", left[1]/left[0])
	if left[1] > 0.95*left[0] {
		t.Errorf("what is left varies %.2f times as much where players are asked", left[1]/left[0])
	}
}
