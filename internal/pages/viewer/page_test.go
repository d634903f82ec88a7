package viewer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/analysis/review"
	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/internal/pages/board"
	"github.com/sparrowhall/sparrowhall/internal/pages/viewer"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// sanma is a ruleset of three players.
const sanma = "tenhou_sanma"

var names = [sim.NumPlayers]string{"greedy", "greedy", "</script><b>tsumogiri", ""}

// play plays the first hands of a match with what a page needs.
func play(t *testing.T, preset string, hands int64, seed uint64) (*ruleset.Rules, *sim.Match) {
	t.Helper()
	r, err := configs.LoadWith(preset, map[string]any{"max_hands": hands})
	if err != nil {
		t.Fatal(err)
	}
	greedy, err := agents.New("greedy")
	if err != nil {
		t.Fatal(err)
	}
	var seated [sim.NumPlayers]sim.Agent
	for p := range seated {
		seated[p] = greedy()
	}
	m := &sim.Match{Seed: seed, Keep: sim.KeepChoices | sim.KeepValues}
	m.Play(r, &seated)
	return r, m
}

func write(t *testing.T, r *ruleset.Rules, m *sim.Match) string {
	t.Helper()
	var b strings.Builder
	if err := viewer.Write(&b, r, m, names, [sim.NumPlayers]sim.Agent{}, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestDiscardedFlower checks the page of a match in which the last tile of the wall is a
// flower, which is discarded.
func TestDiscardedFlower(t *testing.T) {
	for seed := range uint64(200) {
		r, m := play(t, "mcr_2006", 4, seed)
		if slices.ContainsFunc(m.Events, func(e sim.Event) bool { return e.Type == sim.EvDiscard && e.Tile.IsFlower() }) {
			write(t, r, m)
			return
		}
	}
	t.Fatal("no match discards a flower")
}

// written is the part of a page's data from which the match can be made again.
type written struct {
	Seed      uint64 `json:",string"`
	Agents    [sim.NumPlayers]string
	Hands     []int
	Events    [][5]int
	Decisions []struct {
		At, Player, Choice int
		Legal              []int
	}
	Wins     []struct{ Patterns []struct{ Name string } }
	Outlooks [][]int
	Luck     [][5]int64
	Stops    []int
	Walls    []struct {
		Live [][]int
		Dead []int
	}
	Verdicts []struct {
		Step int
		Cost [3]float64
	}
}

var dataScript = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)

// read returns the data of a page.
func read(t testing.TB, text string) (d written) {
	t.Helper()
	found := dataScript.FindStringSubmatch(text)
	if found == nil {
		t.Fatal("the page has no data")
	}
	if err := json.Unmarshal([]byte(found[1]), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestData reads events, decisions and values back from the page.
func TestData(t *testing.T) {
	for _, preset := range configs.Names() {
		r, m := play(t, preset, 2, 5)
		d := read(t, write(t, r, m))
		if d.Seed != m.Seed || d.Agents != names || len(d.Hands) != len(m.Hands) || len(d.Events) != len(m.Events) ||
			len(d.Decisions) != len(m.Choices) || len(d.Wins) != len(m.Values) {
			t.Fatalf("%s: the data is not that of the match", preset)
		}
		for i, h := range m.Hands {
			if d.Hands[i] != h.FirstEvent {
				t.Errorf("%s: hand %d begins at event %d, want %d", preset, i, d.Hands[i], h.FirstEvent)
			}
		}
		for i, e := range m.Events {
			if want := [5]int{int(e.Type), int(e.Player), int(e.Tile), int(e.Detail), int(e.Value)}; d.Events[i] != want {
				t.Fatalf("%s: event %d is %v, want %v", preset, i, d.Events[i], want)
			}
		}
		for i, c := range m.Choices {
			x := d.Decisions[i]
			var legal sim.ActionSet
			for _, a := range x.Legal {
				legal.Add(sim.Action(a))
			}
			if x.Player != int(c.Player) || x.At != int(c.EventIndex) || legal != c.Legal || x.Choice != int(m.Actions[i]) {
				t.Fatalf("%s: decision %d is %v, want %v of %v", preset, i, x, m.Actions[i], c)
			}
		}
	}
}

// TestWalls checks that the tiles dealt and drawn in a hand and those that it leaves are the set, that
// the latter are in the order of drawing, and that a page has none that the record does not give.
func TestWalls(t *testing.T) {
	for _, preset := range append(configs.Names(), sanma) {
		r, m := play(t, preset, 4, 5)
		d := read(t, write(t, r, m))
		if len(d.Walls) != len(m.Hands) {
			t.Fatalf("%s: walls of %d hands, want %d", preset, len(d.Walls), len(m.Hands))
		}
		first := sim.NewWall(&r.Flow, m.Seed, 0, 0, 0)
		for i, left := range d.Walls {
			end := len(m.Events)
			if i+1 < len(m.Hands) {
				end = m.Hands[i+1].FirstEvent
			}
			var tiles []tile.Face
			ahead := first[r.NumSeats()*r.HandSize:]
			for _, e := range m.Events[m.Hands[i].FirstEvent:end] {
				switch e.Type {
				case sim.EvDeal:
					dealt, _ := e.Deal()
					tiles = append(tiles, slices.DeleteFunc(dealt[:], func(f tile.Face) bool { return f == tile.NoFace })...)
				case sim.EvDraw:
					tiles = append(tiles, e.Tile)
					if from, _ := e.Draw(); from == sim.FromDeal || from == sim.FromWall || r.ReplacementFrom == ruleset.FromFront {
						ahead = ahead[1:]
					}
				}
			}
			for _, list := range append(left.Live, left.Dead) {
				for _, f := range list {
					tiles = append(tiles, tile.Face(f))
				}
			}
			var wall sim.Wall
			if n := copy(wall[:], tiles); n != len(tiles) || n != sim.SetSize(&r.Flow) || !wall.HasFullSet(&r.Flow) {
				t.Errorf("%s, hand %d: the tiles are not those of the set: %v", preset, i, tiles)
			}
			if i > 0 || r.DeadWall == 0 {
				continue // the ends of a wall may meet where no tile is left out
			}
			for n, f := range left.Live[0] {
				if tile.Face(f) != ahead[n] {
					t.Fatalf("%s: tile %d of those left to draw is %v, want %v", preset, n, tile.Face(f), ahead[n])
				}
			}
		}
		m.WallsFilledIn = true
		if d := read(t, write(t, r, m)); len(d.Walls) > 0 {
			t.Errorf("%s: the page has walls that the record does not give", preset)
		}
	}
}

// TestOneCost checks that a mistake has the same cost and interval beside its rating and in words: the
// corrected ones.
func TestOneCost(t *testing.T) {
	r, m := play(t, "ema_2016", 8, 3)
	expert, err := agents.New("value")
	if err != nil {
		t.Fatal(err)
	}
	found, err := review.Match(t.Context(), r, m, review.Options{NewJudge: expert, Deals: 60, Players: 15, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := viewer.Write(&b, r, m, names, [sim.NumPlayers]sim.Agent{}, found); err != nil {
		t.Fatal(err)
	}
	mistakes := 0
	for i, v := range read(t, b.String()).Verdicts {
		c := &found.Decisions[i]
		low, high := c.Low, c.High
		if c.Mistake && c.Kind != review.Placement {
			low, high = c.Corrected[0], c.Corrected[1]
			mistakes++
		}
		if want := [3]float64{float64(c.Cost.Cost), float64(low), float64(high)}; v.Step != c.Step || v.Cost != want {
			t.Errorf("decision %d costs %v, want %v", v.Step, v.Cost, want)
		}
	}
	if mistakes == 0 {
		t.Error("the match has no mistake")
	}
}

// TestMeasures holds what the page tells of hands and luck against how the hands
// were won, and against the meter.
func TestMeasures(t *testing.T) {
	for _, preset := range configs.Names() {
		r, m := play(t, preset, 6, 5)
		var d written
		if err := json.Unmarshal([]byte(dataScript.FindStringSubmatch(write(t, r, m))[1]), &d); err != nil {
			t.Fatal(err)
		}
		var last [sim.NumPlayers][]int
		rows, wins := d.Outlooks, 0
		for i, e := range m.Events {
			if kind, _ := e.Win(); e.Type == sim.EvWin && kind != sim.WinFlower {
				row, claimed := last[e.Player], kind != sim.WinSelfDraw
				if claimed && (row[2] != 0 || !slices.ContainsFunc(row[3:], func(code int) bool { return code&63 == int(e.Tile.Kind()) })) || !claimed && row[2] != -1 {
					t.Errorf("%s: player %d wins on %v after %v", preset, e.Player, e.Tile, row)
				}
				wins++
			}
			for ; len(rows) > 0 && rows[0][0] == i+1; rows = rows[1:] {
				last[rows[0][1]] = rows[0]
			}
		}
		if wins == 0 || len(rows) > 0 {
			t.Errorf("%s: %d wins, %d rows left", preset, wins, len(rows))
		}
		estimate, err := luck.ValueFunctionFor(r)
		if err != nil {
			t.Fatal(err)
		}
		meter, point := luck.NewControlVariate(r, estimate), float64(luck.Unit*r.Unit())
		var sum, told [sim.NumPlayers]float64
		for _, e := range m.Events {
			for p, x := range meter.Follow(e) {
				sum[p] += float64(x) / point
			}
		}
		for _, row := range d.Luck {
			for p := range told {
				told[p] += float64(row[p+1]) / 100
			}
		}
		for p := range sum {
			if room := .01 * float64(len(d.Luck)); len(d.Luck) == 0 || math.Abs(sum[p]-told[p]) > room {
				t.Errorf("%s: the page tells %v of luck %v", preset, told, sum)
			}
		}
	}
}

// outside matches what could make a browser load something.
var outside = regexp.MustCompile(`(?i)https?:|[\s"']src\s*=|<link|@import|url\(|fetch\(|XMLHttpRequest|WebSocket|import\(`)

func TestSelfContained(t *testing.T) {
	r, m := play(t, "tenhou", 1, 1)
	text := write(t, r, m)
	for _, name := range []string{"http://www.w3.org/2000/svg", "https://github.com/leeoniya/uPlot", `url("data:`} { // names and pictures within the page
		text = strings.ReplaceAll(text, name, "")
	}
	if found := outside.FindString(text); found != "" {
		t.Errorf("the page has %q", found)
	}
	if strings.Contains(text, "<b>tsumogiri") {
		t.Error("the name of an agent is not quoted")
	}
}

// full is a writer with no room.
type full struct{}

var errFull = errors.New("no room")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestErrors(t *testing.T) {
	r, m := play(t, "botzone", 1, 1)
	if err := viewer.Write(full{}, r, m, names, [sim.NumPlayers]sim.Agent{}, nil); !errors.Is(err, errFull) {
		t.Errorf("error %v, want %v", err, errFull)
	}
	m.Choices = nil
	if err := viewer.Write(&strings.Builder{}, r, m, names, [sim.NumPlayers]sim.Agent{}, nil); err == nil {
		t.Error("a page without choices is written")
	}
}

// walk is added to a page: it steps through the match by key, partly in the views
// of the players too, and some way back by button, and notes what it has met.
const walk = `<script>
const press = key => document.dispatchEvent(new KeyboardEvent("keydown", { key }));
const at = () => Number(document.getElementById("position").value);
const last = Number(document.getElementById("position").max);
const seen = { decisions: 0, hidden: 0, calls: 0, worth: [], faan: [] };
seen.left = document.querySelectorAll("#wall .tile").length;
let before = 0;
for (const view of ["a", "0", "1", "2", "3"]) {
  press("Home");
  press(view);
  for (let n = 0; n < (view === "a" ? last : 12); n++) {
    press("ArrowRight");
    if (at() !== n + 1) throw new Error("a key leads from " + n + " to " + at());
    const shown = [...document.querySelectorAll("[data-worth]")], worth = shown.map(e => Number(/([\d,.\u2212]+) points/.exec(e.textContent)[1].replaceAll(",", "")));
    if (view === "a" && worth.length > before) {
      seen.worth.push(...worth.slice(before));
      seen.faan.push(...shown.slice(before).map(e => Number(/(\d+) (?:faan|tai)/.exec(e.textContent)?.[1] ?? 0)));
    }
    before = worth.length;
    if (view === "a") seen.calls += document.querySelectorAll("#decisions .text:has(.tile)").length;
    if (view === "a") seen.decisions += document.querySelectorAll("#decisions .decision").length;
    if (view !== "a") seen.hidden += document.querySelectorAll("#board .t--").length;
  }
}
const back = document.querySelector("[data-go='-step']");
while (!back.disabled) back.click();
seen.start = at();
press("w");
seen.win = document.querySelectorAll("[data-worth]").length;
location.hash = "#hand=0&step=2&view=1";
window.dispatchEvent(new HashChangeEvent("hashchange"));
seen.linked = at() === 2 && document.getElementById("view").value === "1";
press("ArrowDown");
press("End");
press("a");
seen.points = [...document.querySelectorAll("[data-points]")].sort((a, b) => a.dataset.player - b.dataset.player).map(e => Number(e.dataset.points));
seen.over = document.body.dataset.over;
seen.fault = document.getElementById("error").textContent;
document.body.dataset.seen = JSON.stringify(seen);
</script>`

var seenAttribute = regexp.MustCompile(`data-seen="([^"]*)"`)

// TestInBrowser steps through pages where there is a Chromium.
func TestInBrowser(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Log("no chromium here")
		return
	}
	presets, hands := []string{"tenhou", "mcr_2006", "universal", "hkma_hktw", "hk_old_style", sanma}, int64(1)
	if os.Getenv("SPARROWHALL_LONG") != "" {
		presets, hands = append(configs.Names(), sanma), 0
	}
	for _, preset := range presets {
		t.Run(filepath.Base(preset), func(t *testing.T) {
			r, m := play(t, preset, hands, 5)
			dir := t.TempDir()
			file := filepath.Join(dir, "match.html")
			if err := os.WriteFile(file, []byte(write(t, r, m)+walk), 0o644); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			out, err := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
				"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir="+filepath.Join(dir, "profile"),
				"--dump-dom", "file://"+file).Output()
			if err != nil {
				t.Fatal(err)
			}
			found := seenAttribute.FindSubmatch(out)
			if found == nil {
				t.Fatalf("the walk has not come to its end:\n%.300s", out)
			}
			var seen struct {
				Decisions, Hidden, Start, Win int
				Left, Calls                   int
				Worth, Faan                   []int32
				Points                        [sim.NumPlayers]int32
				Linked                        bool
				Over, Fault                   string
			}
			if err := json.Unmarshal([]byte(strings.ReplaceAll(string(found[1]), "&quot;", `"`)), &seen); err != nil {
				t.Fatal(err)
			}
			if seen.Fault != "" || seen.Over != "true" || seen.Start != 0 || seen.Hidden == 0 {
				t.Errorf("the walk has met %+v", seen)
			}
			left, calls := sim.SetSize(&r.Flow)-r.NumSeats()*r.HandSize, 0
			for _, e := range m.Events[:read(t, write(t, r, m)).Stops[0]] {
				if e.Type == sim.EvDraw {
					left--
				}
			}
			for _, c := range m.Choices {
				for a := range c.Legal.All {
					if a >= sim.ActChi && a <= sim.ActOpenKan {
						calls++
					}
				}
			}
			if seen.Left != left || seen.Calls != calls || calls == 0 {
				t.Errorf("%d tiles to come and %d calls with their tiles, want %d and %d", seen.Left, seen.Calls, left, calls)
			}
			var worth, faan []int32
			for _, e := range m.Events {
				if e.Type == sim.EvValue {
					points, _, _ := e.HandValue()
					worth, faan = append(worth, points), append(faan, 0)
				}
			}
			for i := range m.Values {
				if r.Traits.CountsFaan || r.Traits.CountsTai {
					faan[i] = m.Values[i].Base
				}
			}
			if !slices.Equal(seen.Faan, faan) {
				t.Errorf("the page shows hands of %v faan or tai, want %v", seen.Faan, faan)
			}
			if !slices.Equal(seen.Worth, worth) || seen.Win == 0 || !seen.Linked {
				t.Errorf("the page shows hands worth %v, want %v; after W %d wins; linked %v", seen.Worth, worth, seen.Win, seen.Linked)
			}
			if seen.Points != m.Final.Points || seen.Decisions != len(m.Choices) {
				t.Errorf("points %v after %d decisions, want %v after %d", seen.Points, seen.Decisions, m.Final.Points, len(m.Choices))
			}
			if fmt.Sprint(m.Final.Points) == "[0 0 0 0]" {
				t.Error("nothing is paid in this match")
			}
		})
	}
}

// TestLongNames holds that names of agents break in the table beside the board, which
// would otherwise be wider than a window of 1280 pixels.
func TestLongNames(t *testing.T) {
	text, err := os.ReadFile("page.css")
	if err != nil {
		t.Fatal(err)
	}
	style := string(text)
	if m := regexp.MustCompile(`#prospects[^{}]*:first-child[^{}]*\{[^}]*nowrap`).FindString(style); m != "" {
		t.Errorf("names do not break: %s", m)
	}
	for _, want := range []string{"#prospects { overflow-x: auto; }", "td:first-child, th:first-child { text-align: left; padding-left: 0; max-width: 50vw; overflow-wrap: break-word; }"} {
		if !strings.Contains(style, want) {
			t.Errorf("no %q", want)
		}
	}
}

// TestLanguages checks that every language has every sentence with the same values, and that the
// page has each sentence that its script and its elements name.
func TestLanguages(t *testing.T) {
	r, m := play(t, "tenhou", 1, 1)
	var d struct{ Sentences map[string]map[string]string }
	if err := json.Unmarshal([]byte(dataScript.FindStringSubmatch(write(t, r, m))[1]), &d); err != nil {
		t.Fatal(err)
	}
	english := d.Sentences["en"]
	values := regexp.MustCompile(`{\w+}`)
	for _, language := range board.Languages {
		s := d.Sentences[language]
		for key, text := range english {
			if s[key] == "" {
				t.Errorf("%s: no sentence %q", language, key)
			}
			for _, value := range values.FindAllString(text, -1) {
				if !strings.Contains(s[key], value) {
					t.Errorf("%s: %q lacks %s", language, key, value)
				}
			}
		}
	}
	keys := regexp.MustCompile(`sentences\.(\w+)|say\("(\w+)"[,)]|moment\([^"]*"(\w+)"|"(moment_\w+)"|data-(?:say|label|hint)="(\w+)"`)
	for _, file := range []string{"data.js", "panel.js", "measures.js", "page.js", "page.html"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range keys.FindAllStringSubmatch(string(text), -1) {
			if key := strings.Join(found[1:], ""); english[key] == "" {
				t.Errorf("%s: no sentence %q", file, key)
			}
		}
	}
	for a := range sim.Action(sim.NumAllActions) {
		verb, _, _ := strings.Cut(a.String(), " ")
		key := "act_" + verb
		switch {
		case a == sim.ActReadyNow:
			key = "act_ready_now"
		}
		if english[key] == "" {
			t.Errorf("no sentence %q", key)
		}
	}
	for k := review.Efficiency; k <= review.Others; k++ {
		for _, key := range []string{"kind_" + k.Title(r), "kind_" + k.String()} {
			if english[key] == "" {
				t.Errorf("no sentence %q", key)
			}
		}
	}
}
