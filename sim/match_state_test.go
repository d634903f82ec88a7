package sim_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
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
		r := load(t, preset)
		table := sim.NewTable(r, 7)
		debts := 0
		for table.Phase() == sim.PhaseDeal {
			s := table.MatchState()
			if s.Ledger != (ruleset.Ledger{}) {
				debts++
			}
			at, err := sim.NewTableAt(r, 7, s)
			if err != nil {
				t.Fatal(err)
			}
			if got := at.MatchState(); got != s {
				t.Fatalf("%s: standing %+v, want %+v", preset, got, s)
			}
			var actions []sim.Action
			want := playHand(t, &table, func(p sim.Player) sim.Action {
				a := eagers[p].Act(table.View(p))
				actions = append(actions, a)
				return a
			})
			got := playHand(t, &at, func(sim.Player) sim.Action {
				a := actions[0]
				actions = actions[1:]
				return a
			})
			if !slices.Equal(got, want) || *at.Final() != *table.Final() {
				t.Fatalf("%s: another hand from %+v", preset, s)
			}
		}
		if _, ok := r.Scorer.(ruleset.DebtCollector); ok && debts == 0 {
			t.Errorf("%s: no hand begins with debts", preset)
		}
	}
}

// playHand plays a hand and what may be chosen after it.
func playHand(t *testing.T, table *sim.Table, answer func(sim.Player) sim.Action) []sim.Event {
	t.Helper()
	events := table.StartHand(nil)
	for table.Asked() != 0 {
		for asked := table.Asked(); asked != 0; asked = asked.Rest() {
			var err error
			if events, err = table.Step(asked.First(), answer(asked.First()), events); err != nil {
				t.Fatal(err)
			}
		}
	}
	return events
}

// The most sticks a match can have are told and paid like few.
func TestManyDeposits(t *testing.T) {
	r := load(t, "tenhou")
	s := sim.MatchState{Deposits: 255, Points: [4]int32{25000, 25000, 25000, 25000}}
	table, err := sim.NewTableAt(r, 3, s)
	if err != nil {
		t.Fatal(err)
	}
	events := playHand(t, &table, func(p sim.Player) sim.Action { return eagers[p].Act(table.View(p)) })
	if _, _, _, deposits := events[slices.IndexFunc(events, func(e sim.Event) bool { return e.Type == sim.EvHandStart })].HandStart(); deposits != 255 {
		t.Errorf("the hand begins with %d sticks", deposits)
	}
	total := int32(table.MatchState().Deposits * r.RiichiStick)
	for _, n := range table.Points() {
		total += n
	}
	if total != 4*25000+255*1000 {
		t.Errorf("%d points on the table", total)
	}
}

// TestLeftoverDeposits ends a match with sticks on the table: whoever is first gets
// them, and none are left.
func TestLeftoverDeposits(t *testing.T) {
	r := load(t, "tenhou")
	for first := range sim.Player(sim.NumPlayers) {
		s := sim.MatchState{Round: r.Rounds - 1, Dealer: 3, Deposits: 2, Points: [4]int32{20000, 20000, 20000, 20000}}
		s.Points[first] = 38000
		table, err := sim.NewTableAt(r, 3, s)
		if err != nil {
			t.Fatal(err)
		}
		for !table.Over() {
			playHand(t, &table, func(p sim.Player) sim.Action { return anyhow.Act(table.View(p)) })
		}
		points := table.Points()
		if sum := points[0] + points[1] + points[2] + points[3]; sum != 100000 || table.MatchState().Deposits != 0 {
			t.Errorf("player %d is first: %v points, %d sticks left", first, points, table.MatchState().Deposits)
		}
	}
}

func TestNewTableAtDebtErrors(t *testing.T) {
	r := load(t, "hkma_hktw")
	for _, bad := range []struct {
		creditor, debtor int
		ruleset.Debt
	}{
		{1, 1, ruleset.Debt{Points: 4, Wins: 1}},
		{1, 2, ruleset.Debt{Points: -4, Wins: 1}},
		{1, 2, ruleset.Debt{Points: 4}},
		{1, 2, ruleset.Debt{Wins: 1}},
		{1, 2, ruleset.Debt{Points: ruleset.MaxDebt + 1, Wins: 1}},
		{1, 2, ruleset.Debt{Points: 4, Wins: ruleset.MaxDebtWins + 1}},
	} {
		var s sim.MatchState
		s.Ledger[bad.creditor][bad.debtor] = bad.Debt
		if _, err := sim.NewTableAt(r, 0, s); err == nil || !strings.Contains(err.Error(), "owes") {
			t.Errorf("%+v: error %v", bad, err)
		}
	}
	if _, err := sim.NewTableAt(r, 0, sim.MatchState{Deposits: 1}); err == nil || !strings.Contains(err.Error(), "deposits 1; allowed: 0 to 0") {
		t.Errorf("a stick under rules without sticks: error %v", err)
	}
}

func TestNewTableAtErrors(t *testing.T) {
	r := load(t, "tenhou")
	for want, s := range map[string]sim.MatchState{
		"round 3; allowed: 0 to 2":          {Round: 3},
		"dealer -1; allowed: 0 to 3":        {Dealer: -1},
		"counter -1; allowed":               {Counter: -1},
		"deposits 256; allowed: 0 to 25":    {Deposits: 256},
		"hands 32767; allowed: 0 to 327":    {Hands: 1<<15 - 1},
		"player 2 at 10000000; allowed":     {Points: [4]int32{2: 10_000_000}},
		"player 1 at -10000000; allowed":    {Points: [4]int32{1: -10_000_000}},
		"it has debts; the rules of tenhou": {Ledger: ruleset.Ledger{1: {2: {Points: 1, Wins: 1}}}},
		"deal index 32767; allowed":         {DealIndex: 1<<15 - 1},
		"round -1; allowed: 0 to 2":         {Round: -1},
		"dealer 4; allowed: 0 to 3":         {Dealer: 4},
		"deal index -1; allowed":            {DealIndex: -1},
		"counter 32767; allowed: 0 to 3":    {Counter: 1<<15 - 1},
	} {
		if _, err := sim.NewTableAt(r, 0, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", s, err, want)
		}
	}
}

// TestNewTableAtLimits begins with the largest figures from which a hand can be played.
func TestNewTableAtLimits(t *testing.T) {
	r := load(t, "tenhou")
	for _, s := range []sim.MatchState{
		{Hands: 1<<15 - 2},
		{DealIndex: 1<<15 - 2},
		{Counter: 1<<15 - 2},
		{Deposits: 255},
		{Round: 2, Dealer: 3},
		{Points: [4]int32{9_999_999, -9_999_999}},
	} {
		if _, err := sim.NewTableAt(r, 0, s); err != nil {
			t.Errorf("%+v: %v", s, err)
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
		for asked := table.Asked(); asked != 0; asked = asked.Rest() {
			if events, err = table.StepValues(asked.First(), m.Actions[i], events, &values); err != nil {
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
		for dealer := range sim.Player(r.NumSeats()) {
			at, err := sim.NewTableAt(r, 5, sim.MatchState{Dealer: dealer})
			if err != nil {
				t.Fatal(err)
			}
			wall := sim.NewWall(&r.Flow, 5, 0, ruleset.Chair(dealer), 0)
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
					if want := wall[sim.IndicatorIndex(&r.Flow, 0)]; e.Tile != want {
						t.Errorf("%s: indicator %v, want %v", preset, e.Tile, want)
					}
				}
			}
			for c := range ruleset.Chair(sim.NumPlayers) {
				for i, f := range dealt[c] {
					if want := wall[sim.DealtIndex(&r.Flow, ruleset.Chair(dealer), c, i)]; f != want {
						t.Fatalf("%s, dealer %d: tile %d of chair %d is %v, want %v", preset, dealer, i, c, f, want)
					}
				}
			}
			if want := wall[r.NumSeats()*r.HandSize]; drawn != want && r.Flowers == ruleset.NoFlowers {
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
		walls = append(walls, sim.NewWall(&r.Flow, 99, i, 2, 0))
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
