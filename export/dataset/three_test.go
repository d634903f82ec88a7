package dataset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// threePlayers are the files of rulesets of three players.
var threePlayers = []string{
	"tenhou_sanma",
	"mahjong_soul_sanma",
}

func newRunOfThree(t testing.TB, file string, record schema.Table) *Run {
	run := newRun(t, file, record)
	run.Agents = []string{"climber", "climber", "random"}
	return run
}

// Matches of three players are written, read, replayed and verified, with three entries
// for each list by player.
func TestThreePlayers(t *testing.T) {
	for _, file := range threePlayers {
		run := newRunOfThree(t, file, schema.Decisions)
		run.Matches = uint64(samples(8, sim.BlockSize+32, 1000))
		dir := t.TempDir()
		mustPlay(t, dir, run, 2)
		if err := verify(t, dir); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		d := mustOpen(t, dir)
		if m := d.Manifest; m.Seats != 3 || m.ActionTableVersion != 2 || m.Ruleset.Knobs["seats"] != 3.0 {
			t.Errorf("%s: the manifest has %d seats, action table %d, knob %v", file, m.Seats, m.ActionTableVersion, m.Ruleset.Knobs["seats"])
		}
		checkOfThree(t, d)
		rows, hands := collect(t, d.MatchRows()), collect(t, d.HandRows())
		if n := uint64(len(rows)); n != 3*run.Matches {
			t.Fatalf("%s: %d rows of %d matches", file, n, run.Matches)
		}
		kita, index := 0, uint64(0)
		for m, err := range d.Replays(0) {
			if err != nil {
				t.Fatal(err)
			}
			placement := int32(0)
			for p, r := range rows[3*index:][:3] {
				if want := uint8((uint64(p) + index) % 3); r.Agent != want || m.Match.Agents[p] != want || m.Names[p] != run.Agents[want] {
					t.Errorf("%s: match %d, player %d: agent %d, %d, %q", file, index, p, r.Agent, m.Match.Agents[p], m.Names[p])
				}
				if int(r.Player) != p || r.Points != m.Match.Final.Points[p] || r.Rank < 1 || r.Rank > 3 {
					t.Errorf("%s: match %d: %+v", file, index, r)
				}
				placement += r.Placement
			}
			if m.Names[3] != "" || m.Match.Final.Rank[3] != 0 {
				t.Errorf("%s: match %d has a fourth player %q, rank %d", file, index, m.Names[3], m.Match.Final.Rank[3])
			}
			if placement != 0 {
				t.Errorf("%s: match %d: placement points add up to %d", file, index, placement)
			}
			for _, e := range m.Match.Events {
				if e.Type == sim.EvKita {
					kita++
				}
			}
			index++
		}
		if index != run.Matches || kita == 0 {
			t.Errorf("%s: %d matches replayed, %d Norths set aside", file, index, kita)
		}
		for _, h := range hands {
			if tiles, err := tile.ParseFaces(h.Dealt[1]); err != nil || len(tiles) != 13 || h.Dealt[3] != "" {
				t.Fatalf("%s: dealt %q: %v", file, h.Dealt, err)
			}
		}
		decided := 0
		for _, r := range collect(t, d.DecisionRows()) {
			if r.Action == sim.ActKita {
				decided++
			}
		}
		if decided == 0 {
			t.Errorf("%s: no decision for kita", file)
		}
	}
}

// checkOfThree checks that the tables have no place for a fourth player.
func checkOfThree(t *testing.T, d *Dataset) {
	t.Helper()
	for _, table := range d.Run.Tables() {
		for _, f := range d.layout.Schema(table).Fields() {
			if l, ok := f.Type.(*arrow.FixedSizeListType); ok && l.Len() != 3 {
				t.Errorf("%v: column %s has lists of %d", table, f.Name, l.Len())
			}
			for _, text := range f.Metadata.Values() {
				if strings.Contains(text, "0..3") || strings.Contains(text, "1..4") {
					t.Errorf("%v: column %s: %q", table, f.Name, text)
				}
			}
		}
	}
}

// A run or a manifest of another number of players than its ruleset is refused.
func TestNumberOfPlayers(t *testing.T) {
	for _, n := range []int{2, 4} {
		run := newRunOfThree(t, threePlayers[0], schema.Hands)
		run.Agents = slices.Repeat([]string{"random"}, n)
		if err, want := run.Check(), fmt.Sprintf("%d agents; tenhou_sanma has 3 players", n); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for file, change := range map[string]func(m *Manifest){
		threePlayers[0]: func(m *Manifest) { m.Seats = 0 },
		"ema_2016":      func(m *Manifest) { m.Seats = 3 },
	} {
		run := newRun(t, file, schema.Hands)
		run.Agents = run.Agents[:run.seats()]
		m := newManifest(run)
		if _, err := m.run(); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if text, err := m.encode(); err != nil || strings.Contains(string(text), `"seats"`) != (run.seats() == 3) {
			t.Errorf("%s: the manifest states the number of players: %v, %s", file, err, text)
		}
		change(m)
		if _, err := m.run(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("seats: %d, but the ruleset has %d players", m.Seats, run.seats())) {
			t.Errorf("%s: %v", file, err)
		}
	}
}
