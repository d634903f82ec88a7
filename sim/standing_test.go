package sim_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jansou/jansou/configs"
	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/tile"
	"github.com/jansou/jansou/sim"
)

// passive passes and discards what it draws.
type passive struct{}

func (passive) Act(v sim.View) sim.Action {
	legal := v.Legal()
	return sim.DefaultAction(&legal)
}

var nobody = [sim.NumPlayers]sim.Agent{passive{}, passive{}, passive{}, passive{}}

// A table set up in the midst of a match plays on like the one that got there.
func TestNewTableAt(t *testing.T) {
	for _, preset := range configs.Names() {
		r, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		if r.Unit() > 1 {
			continue // what the players owe each other is no part of a Standing
		}
		table := sim.NewTable(r, 7)
		for table.Phase() == sim.PhaseDeal {
			at, err := sim.NewTableAt(r, 7, table.Standing())
			if err != nil {
				t.Fatal(err)
			}
			if got, want := at.Standing(), table.Standing(); got != want {
				t.Fatalf("%s: standing %+v, want %+v", preset, got, want)
			}
			if got, want := playHand(t, &at), playHand(t, &table); !slices.Equal(got, want) {
				t.Fatalf("%s: another hand from %+v", preset, table.Standing())
			}
		}
	}
}

// playHand plays a hand by default actions.
func playHand(t *testing.T, table *sim.Table) []sim.Event {
	t.Helper()
	events := table.StartHand(nil)
	for table.Asked() != 0 {
		for p := range sim.Player(sim.NumPlayers) {
			legal := table.Legal(p)
			if legal == (sim.ActionSet{}) {
				continue
			}
			var err error
			if events, err = table.Step(p, sim.DefaultAction(&legal), events); err != nil {
				t.Fatal(err)
			}
		}
	}
	return events
}

func TestNewTableAtErrors(t *testing.T) {
	r, err := configs.Load("tenhou")
	if err != nil {
		t.Fatal(err)
	}
	for want, s := range map[string]sim.Standing{
		"round 8; allowed: 0 to 7":       {Round: 8},
		"dealer -1; allowed: 0 to 3":     {Dealer: -1},
		"counter -1; allowed":            {Counter: -1},
		"deposits 128; allowed":          {Deposits: 128},
		"deal index 32768; allowed":      {DealIndex: 1 << 15},
		"round -1; allowed: 0 to 7":      {Round: -1},
		"dealer 4; allowed: 0 to 3":      {Dealer: 4},
		"deal index -1; allowed":         {DealIndex: -1},
		"counter 32768; allowed: 0 to 3": {Counter: 1 << 15},
	} {
		if _, err := sim.NewTableAt(r, 0, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", s, err, want)
		}
	}
}

// StepValues is Step, and tells what winners have.
func TestStepValues(t *testing.T) {
	r, err := configs.Load("tenhou")
	if err != nil {
		t.Fatal(err)
	}
	m := &sim.Match{Seed: 3, Keep: sim.KeepValues}
	m.Play(r, &nobody)
	table := sim.NewTable(r, 3)
	var values []ruleset.Value
	var events []sim.Event
	for i := 0; !table.Over(); {
		if table.Phase() == sim.PhaseDeal {
			events = table.StartHand(events)
			continue
		}
		for asked, p := table.Asked(), sim.Player(0); asked != 0; asked, p = asked>>1, p+1 {
			if asked&1 == 0 {
				continue
			}
			if events, err = table.StepValues(p, m.Actions[i], events, &values); err != nil {
				t.Fatal(err)
			}
			i++
		}
	}
	if !slices.Equal(events, m.Events) || !slices.Equal(values, m.Values) {
		t.Error("other events or values than those of the match")
	}
}

// The places that are told are those the table takes the tiles from.
func TestPlaces(t *testing.T) {
	for _, preset := range configs.Names() {
		r, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		if r.Walls != ruleset.SharedWall {
			continue
		}
		for dealer := range sim.Player(sim.NumPlayers) {
			at, err := sim.NewTableAt(r, 5, sim.Standing{Dealer: dealer})
			if err != nil {
				t.Fatal(err)
			}
			wall := sim.WallOf(&r.Flow, 5, 0, ruleset.Chair(dealer), 0)
			var dealt [sim.NumPlayers][]tile.Face
			drawn := tile.NoFace
			for _, e := range at.StartHandFrom(&wall, nil) {
				switch e.Type {
				case sim.EvDeal:
					for shift := 24; shift >= 0; shift -= 8 {
						if f := tile.Face(e.Value >> shift); f != tile.NoFace {
							dealt[e.Player] = append(dealt[e.Player], f)
						}
					}
				case sim.EvDraw:
					if drawn == tile.NoFace && e.Detail < uint8(sim.FromKan) {
						drawn = e.Tile
					}
				case sim.EvIndicator:
					if want := wall[sim.IndicatorPlace(0)]; e.Tile != want {
						t.Errorf("%s: indicator %v, want %v", preset, e.Tile, want)
					}
				}
			}
			for c := range ruleset.Chair(sim.NumPlayers) {
				for i, f := range dealt[c] {
					if want := wall[sim.DealtPlace(&r.Flow, ruleset.Chair(dealer), c, i)]; f != want {
						t.Fatalf("%s, dealer %d: tile %d of chair %d is %v, want %v", preset, dealer, i, c, f, want)
					}
				}
			}
			if want := wall[sim.NumPlayers*r.HandSize]; drawn != want && r.Flowers == ruleset.NoFlowers {
				t.Errorf("%s: the dealer begins with %v, want %v", preset, drawn, want)
			}
		}
	}
}

// A match with walls of its own plays and replays with them.
func TestMatchWalls(t *testing.T) {
	r, err := configs.Load("tenhou")
	if err != nil {
		t.Fatal(err)
	}
	var walls []sim.Wall
	for i := range 40 {
		walls = append(walls, sim.WallOf(&r.Flow, 99, i, 2, 0))
	}
	m := &sim.Match{Seed: 1, Walls: walls}
	m.Play(r, &nobody)
	again := &sim.Match{Seed: 1, Walls: walls[:len(m.Hands)]}
	if err := again.Replay(r, m.Actions, 0); err != nil || !slices.Equal(again.Events, m.Events) {
		t.Errorf("the match does not replay: %v", err)
	}
	few := &sim.Match{Seed: 1, Walls: walls[:2]}
	if err := few.Replay(r, m.Actions, 0); err == nil || !strings.Contains(err.Error(), "hand 2: there are walls of 2 hands only") {
		t.Errorf("two walls: error %v", err)
	}
}
