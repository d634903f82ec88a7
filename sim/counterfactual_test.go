package sim_test

import (
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestRetrace sees that a match that is played over has the same events, that at every
// draw another tile can come instead, with all before it the same, and that the player
// in turn may do with the tile he drew what he may do if it is supposed.
func TestRetrace(t *testing.T) {
	for _, preset := range configs.Names() {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			r, err := configs.Load(preset)
			if err != nil {
				t.Fatal(err)
			}
			m := sim.Match{Seed: 77}
			m.Play(r, &mixed)
			var told []sim.Event
			draws := 0
			err = m.ReplaySteps(r, func(before *sim.Table, p sim.Player, a sim.Action, events []sim.Event) {
				told = append(told, events...)
				if before == nil {
					return
				}
				for i, e := range events {
					if e.Type != sim.EvDraw {
						continue
					}
					if draws++; draws%8 == 0 {
						insteads(t, r.DeadWall > 0, before, p, a, events[:i+1])
					}
					if i == len(events)-1 {
						supposed(t, before, p, a)
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(told, m.Events) {
				t.Errorf("%d events are told of %d", len(told), len(m.Events))
			}
			if draws < 40 {
				t.Errorf("%d draws are too few to see anything", draws)
			}
		})
	}
}

// insteads lets every tile come that can in place of the last of the events.
func insteads(t *testing.T, dead bool, before *sim.Table, p sim.Player, a sim.Action, events []sim.Event) {
	t.Helper()
	last := len(events) - 1
	came := 0
	for f := range tile.Face(tile.NumFaces) {
		table := *before
		if !table.ReplaceNextDraw(events, f) {
			if table != *before {
				t.Fatalf("a tile that cannot come has changed the table")
			}
			continue
		}
		came++
		got, err := table.Step(p, a, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := events[last]
		want.Tile = f
		if len(got) <= last || !slices.Equal(got[:last], events[:last]) || got[last] != want {
			t.Fatalf("with %v: %v, want %v, then %v", f, got, events[:last], want)
		}
	}
	if came == 0 || dead && came < 4 {
		t.Fatalf("%d kinds of tiles could come", came)
	}
}

// supposed sees that who has drawn a tile may do with it what he may do if it is supposed
// that he has drawn it, and that others may discard what they have.
func supposed(t *testing.T, before *sim.Table, p sim.Player, a sim.Action) {
	t.Helper()
	table := *before
	if _, err := table.Step(p, a, nil); err != nil {
		t.Fatal(err)
	}
	if table.Phase() != sim.PhaseTurn {
		return
	}
	mover := table.Asked().First()
	v := table.View(mover)
	again := table.WithDraw(mover, v.Drawn())
	w := again.View(mover)
	if v.DrawSource() == sim.FromWall && v.Legal() != w.Legal() || v.Hand() != w.Hand() || v.Reds() != w.Reds() || v.Drawn() != w.Drawn() {
		t.Fatalf("player %d may %v, supposed %v", mover, v.Legal(), w.Legal())
	}
	for other := range sim.Player(sim.NumPlayers) {
		if other == mover {
			continue
		}
		had := table.View(other).Hand()
		supposed := table.WithDraw(other, tile.Face(tile.Kind(33)))
		v := supposed.View(other)
		legal := v.Legal()
		if had.Add(33); v.Hand() != had || v.Turn() != other || !legal.Has(sim.ActDiscardDrawn) {
			t.Fatalf("player %d has %v, want %v", other, v.Hand(), had)
		}
	}
}
