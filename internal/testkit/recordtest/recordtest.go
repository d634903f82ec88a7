// Package recordtest has helpers for the tests of record formats: agents that make rare
// events frequent, and checks that hold for every format.
package recordtest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// eager mostly wins and declares kans, riichi and abortive draws whenever it can, so that
// rare events happen; otherwise it plays like another agent.
type eager struct{ sim.Agent }

func (e eager) Act(v sim.View) sim.Action {
	legal, random := v.Legal(), v.Rand()
	for _, first := range [...][2]sim.Action{
		{sim.ActWin, sim.ActWin},
		{sim.ActNineKinds, sim.ActNineKinds},
		{sim.ActKita, sim.ActKita},
		{sim.ActOpenKan, sim.ActAddedKan + 33},
		{sim.ActReady, sim.ActReadyDrawn},
	} {
		for a := first[0]; a <= first[1]; a++ {
			if legal.Has(a) && random.Below(8) > 0 {
				return a
			}
		}
	}
	return e.Agent.Act(v)
}

// Agents returns four instances of an agent of the registry, or of "eager".
func Agents(t testing.TB, name string) *[sim.NumPlayers]sim.Agent {
	t.Helper()
	var seated [sim.NumPlayers]sim.Agent
	for p := range seated {
		factory, err := agents.New(strings.Replace(name, "eager", "greedy", 1))
		if err != nil {
			t.Fatal(err)
		}
		if seated[p] = factory(); name == "eager" {
			seated[p] = eager{seated[p]}
		}
	}
	return &seated
}

// Records returns the real records of Tenhou in the folder that SPARROWHALL_RECORDS names; they are
// not part of the project, and without the folder the test is skipped.
func Records(t *testing.T) []string {
	t.Helper()
	dir := os.Getenv("SPARROWHALL_RECORDS")
	if dir == "" {
		t.Skip("SPARROWHALL_RECORDS names no folder of Tenhou's records")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.mjlog"))
	if err != nil || files == nil {
		t.Fatalf("no records in %s: %v", dir, err)
	}
	return files
}

// ThreePlayers are the presets of three players.
var ThreePlayers = []string{"tenhou_sanma", "mahjong_soul_sanma"}

// RareSeeds are seeds of matches of eager agents under tenhou, by the rare event that
// happens in them.
var RareSeeds = map[string]uint64{
	"four_winds": 1, "triple_ron": 6, "nine_kinds": 26, "four_riichi": 37, "four_kans": 113, "yakuman": 282, "rob": 452,
}

// RareMatch plays the match of a rare event and checks that the event happens.
func RareMatch(t testing.TB, name string) *sim.Match {
	t.Helper()
	return rareMatch(t, rulestest.Rules(t, "tenhou", nil), name, RareSeeds[name])
}

// RareThreeSeeds are seeds of matches of eager agents under tenhou_sanma, as RareSeeds.
var RareThreeSeeds = map[string]uint64{"nine_kinds": 18, "four_kans": 34, "rob": 202, "yakuman": 248, "rob_kita": 889}

// RareThreeMatch plays the match of a rare event of three players and checks that the event
// happens.
func RareThreeMatch(t testing.TB, name string) *sim.Match {
	t.Helper()
	return rareMatch(t, rulestest.Rules(t, "tenhou_sanma", nil), name, RareThreeSeeds[name])
}

func rareMatch(t testing.TB, r *ruleset.Rules, name string, seed uint64) *sim.Match {
	t.Helper()
	m := &sim.Match{Seed: seed, Keep: sim.KeepValues}
	m.Play(r, Agents(t, "eager"))
	for _, e := range m.Events {
		kind, _ := e.Win()
		if e.Type == sim.EvAbort && e.Abort().String() == name || e.Type == sim.EvWin && kind.String() == name {
			return m
		}
	}
	for i := range m.Values {
		if name == "yakuman" && m.Values[i].Yakuman > 0 {
			return m
		}
	}
	t.Fatalf("match %d has no %s any more; look for another", m.Seed, name)
	return nil
}

// ParseAll returns the games of a file up to the first error.
func ParseAll(f *record.Format, text []byte) ([]*record.Game, error) {
	var games []*record.Game
	for g, err := range f.Read(bytes.NewReader(text)) {
		if err != nil {
			return games, err
		}
		games = append(games, g)
	}
	return games, nil
}

// Complaints returns the errors, the notes and the faults that end records of a file.
func Complaints(f *record.Format, text string) (all string) {
	for g, err := range f.Read(strings.NewReader(text)) {
		if all += fmt.Sprintln(err); g != nil {
			all += fmt.Sprintln(g.Truncation)
			for _, n := range g.Notes {
				all += n.Place + ": " + n.Message + "\n"
			}
		}
	}
	return all
}

// Parse returns the only game of a file.
func Parse(t testing.TB, f *record.Format, text []byte) *record.Game {
	t.Helper()
	games, err := ParseAll(f, text)
	if err != nil {
		t.Fatal(err)
	}
	if len(games) != 1 {
		t.Fatalf("%d games", len(games))
	}
	return games[0]
}

// CheckReplay checks that a record replays to the match it was written from. It compares
// the events, not the actions, since records do not have outranked claims.
func CheckReplay(t *testing.T, r *ruleset.Rules, g *record.Game, want *sim.Match) {
	t.Helper()
	got := &sim.Match{Seed: want.Seed}
	for _, d := range record.Replay(r, g, got) {
		t.Errorf("hand %d, %s: %s", d.Hand, d.Place, d.Message)
	}
	if t.Failed() {
		return
	}
	if !slices.Equal(want.Events, got.Events) {
		t.Fatalf("events (-played +replayed):\n%s", cmp.Diff(want.Events, got.Events))
	}
	if want.Final != got.Final {
		t.Errorf("final: %v, replayed %v", want.Final, got.Final)
	}
	again := &sim.Match{Seed: want.Seed, Walls: got.Walls, RoundWind: got.RoundWind}
	if err := again.Replay(r, got.Actions, 0); err != nil || !slices.Equal(again.Events, got.Events) {
		t.Errorf("the walls and actions do not give the match: %v", err)
	}
}
