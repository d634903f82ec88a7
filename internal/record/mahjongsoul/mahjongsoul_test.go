package mahjongsoul_test

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/record/mahjongsoul"
	"github.com/sparrowhall/sparrowhall/internal/record/mjai"
	"github.com/sparrowhall/sparrowhall/internal/testkit/recordtest"
	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// TestRoundTrip writes matches of four and three players as the site has them, reads them back, and
// again by way of mjai.
func TestRoundTrip(t *testing.T) {
	for _, preset := range []string{"mahjong_soul", "mahjong_soul_sanma"} {
		r := rulestest.Rules(t, preset, nil)
		for _, agent := range []string{"eager", "random", "greedy"} {
			for n := range rulestest.Sample[uint64](8, 1000) {
				m := &sim.Match{Seed: sim.MatchSeed(31, n), Keep: sim.KeepValues}
				m.Play(r, recordtest.Agents(t, agent))
				g := recordtest.Parse(t, mahjongsoul.Format, []byte(textOf(t, m, messages(t, r, m), int(n%3))))
				if len(g.Notes) > 0 || g.Seats != r.Seats || n%3 > 0 && (g.Points == nil || g.Names[1] != "player 1") {
					t.Errorf("notes %v, seats %v, points %v, names %v", g.Notes, g.Seats, g.Points, g.Names)
				}
				recordtest.CheckReplay(t, r, g, m)
				throughMJAI(t, r.Name, g, m)
				if t.Failed() {
					t.Fatalf("%s, %s, match %d", preset, agent, n)
				}
			}
		}
	}
}

// throughMJAI replays a record, writes the match as an mjai log, and compares that with the match.
func throughMJAI(t *testing.T, preset string, g *record.Game, want *sim.Match) {
	r := rulestest.Rules(t, preset, nil)
	m := &sim.Match{Seed: want.Seed, Keep: sim.KeepValues}
	if d := record.Replay(r, g, m); !record.Agrees(d) {
		t.Errorf("%v", d)
		return
	}
	w, err := mjai.NewWriter(r, g.Names)
	if err != nil {
		t.Fatal(err)
	}
	log := w.WithValues(m.Values).Append(nil, m.Events)
	again := &sim.Match{Seed: want.Seed}
	for _, d := range record.Replay(r, recordtest.Parse(t, mjai.Format, log), again) {
		if !d.Note {
			t.Errorf("by way of mjai: %v", d)
		}
	}
	if !slices.Equal(again.Events, want.Events) {
		t.Error("by way of mjai it is another match")
	}
}

var update = flag.Bool("update", false, "rewrite the sample record")

// The sample is a match that was played here, in a form of the public tools.
func TestSample(t *testing.T) {
	const path = "../testdata/sample.mahjongsoul.json"
	r := rulestest.Rules(t, "mahjong_soul_sanma", nil)
	m := &sim.Match{Seed: sim.MatchSeed(31, 4), Keep: sim.KeepValues}
	m.Play(r, recordtest.Agents(t, "eager"))
	if *update {
		if err := os.WriteFile(path, []byte(textOf(t, m, messages(t, r, m), 1)+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	recordtest.CheckReplay(t, r, recordtest.Parse(t, mahjongsoul.Format, text), m)
}

// What cannot be read is named with its place, and the hands before it are kept.
func TestFaults(t *testing.T) {
	r := rulestest.Rules(t, "mahjong_soul", nil)
	m := &sim.Match{Seed: sim.MatchSeed(31, 2), Keep: sim.KeepValues}
	m.Play(r, recordtest.Agents(t, "greedy"))
	list := messages(t, r, m)
	whole := textOf(t, m, list, 0)
	ends := slices.IndexFunc(list, func(o object) bool { return o["name"] == ".lq.RecordHule" || o["name"] == ".lq.RecordNoTile" })
	second := list[ends+2]
	for _, c := range []struct{ name, from, to, want string }{
		{"tile", "tile", "9x", "no tile"},
		{"seat", "seat", "", "seat is 7"},
		{"kind", "seat", "", "member seat"},
	} {
		data := second["data"].(object)
		was := data[c.from]
		switch c.name {
		case "tile":
			data["tile"] = c.to
		case "seat":
			data["seat"] = 7
		default:
			data["seat"] = "E"
		}
		g := recordtest.Parse(t, mahjongsoul.Format, []byte(textOf(t, m, list, 0)))
		data[c.from] = was
		if was == nil {
			delete(data, c.from)
		}
		if len(g.Hands) != 1 || g.Truncation == nil || !strings.Contains(g.Truncation.Error(), c.want) {
			t.Errorf("%s: %d hands, %v", c.name, len(g.Hands), g.Truncation)
		}
	}
	g := recordtest.Parse(t, mahjongsoul.Format, []byte(strings.Replace(whole, `[{`, `[{"name":".lq.RecordRevealTile","data":{}},{`, 1)))
	if len(g.Notes) != 1 || !strings.Contains(g.Notes[0].Message, `"RecordRevealTile" is not read`) {
		t.Errorf("notes %v", g.Notes)
	}
	for i := 3; i < 9; i++ {
		g := recordtest.Parse(t, mahjongsoul.Format, []byte(whole[:len(whole)*i/9]))
		if g.Truncation == nil || len(g.Hands) == 0 {
			t.Errorf("%d ninths: %d hands, %v", i, len(g.Hands), g.Truncation)
		}
	}
	if _, err := recordtest.ParseAll(mahjongsoul.Format, []byte(`{"head":{}}`)); err == nil || !strings.Contains(err.Error(), "it has no messages") {
		t.Errorf("a head alone: %v", err)
	}
}
