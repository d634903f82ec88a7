package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/outfolder"
	"github.com/sparrowhall/sparrowhall/internal/analysis/report"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/testkit/exporttest"
	"github.com/sparrowhall/sparrowhall/internal/testkit/pagetest"
	"github.com/sparrowhall/sparrowhall/sim"
)

func play(t *testing.T, ruleset string, matches uint64, record schema.Table, names ...string) string {
	t.Helper()
	rules, err := configs.Open(ruleset)
	if err != nil {
		t.Fatal(err)
	}
	run := &dataset.Run{Ruleset: rules, Seed: 3, Matches: matches, Agents: names, Record: record, FileMatches: sim.BlockSize}
	dir := filepath.Join(t.TempDir(), filepath.Base(ruleset))
	exporttest.Play(t, run, dir)
	return dir
}

func collect(t *testing.T, dirs ...string) *report.Report {
	t.Helper()
	r, err := stats.Collect(t.Context(), dirs, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report.New(r)
}

// figure returns a figure that must be there.
func figure(t *testing.T, r *report.Report, section, name, of string) *stats.Figure {
	t.Helper()
	f := r.Datasets[0].Figure(stats.Key{Section: section, Name: name, Of: of})
	if f == nil {
		t.Fatalf("there is no figure %s %s %s", section, name, of)
	}
	return f
}

// The summary of imported matches has no seed, agents or flags: their players are people.
func TestImported(t *testing.T) {
	r := collect(t, play(t, "tenhou", 12, schema.Hands, "greedy", "greedy", "greedy", "greedy"))
	for _, seats := range []bool{false, true} {
		d := &r.Datasets[0]
		d.Imported, d.Format, d.Seed, d.KeepSeats = true, "tenhou", 0, seats
		d.Agents = []string{"tenhou", "tenhou", "tenhou", "tenhou"}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, s := range r.Summary().Sections("") {
			list = append(list, strings.Join(append(s.Compared, s.Certainty...), " "))
		}
		for _, s := range append(list, string(text)) {
			if summary, _, _ := strings.Cut(s, `"datasets"`); regexp.MustCompile(`seed|種子|players|玩家|keep-seats|tenhou, tenhou`).MatchString(summary) {
				t.Errorf("the summary of an import has %s", summary)
			}
		}
		if !strings.Contains(list[0], "tenhou: 12 matches, imported records (tenhou). The seats are compared with each other.") {
			t.Errorf("the summary has %s", list[0])
		}
		if parts := r.Summary().Parts(); parts[2].Title != "What does not differ clearly" {
			t.Errorf("%q heads what nothing changes", parts[2].Title)
		}
	}
}

// A page says nothing in English alone, and in Chinese it has the family's words.
func TestPageLanguages(t *testing.T) {
	names := []string{"greedy", "tsumogiri", "greedy", "greedy"}
	a, b, c := play(t, "ema_2016", 64, schema.Hands, names...), play(t, "tenhou", 64, schema.Hands, names...), play(t, "taiwanese", 8, schema.Hands, names...)
	for n, dirs := range [][]string{{a}, {a, b}, {a, b, b, b}, {c}} {
		r := collect(t, dirs...)
		pictures, err := r.Pictures()
		if err != nil {
			t.Fatal(err)
		}
		var page bytes.Buffer
		if err := r.HTML(&page, pictures); err != nil {
			t.Fatal(err)
		}
		for _, text := range pagetest.Untranslated(page.String(), "greedy", "tsumogiri", "ema_2016", "tenhou", "taiwanese") {
			t.Errorf("%d datasets: in English alone: %s", len(dirs), text)
		}
		for _, word := range []string{"胡牌", "放槍", "報聽"} {
			if strings.Contains(page.String(), word) != (n == 3) {
				t.Errorf("%v: %s", dirs, word)
			}
		}
		if strings.Contains(page.String(), "立直的局的比率") != (n < 3) || strings.Contains(page.String(), "declared riichi") != (n < 3) {
			t.Errorf("%v: the words for ready", dirs)
		}
		if others := strings.Contains(page.String(), " 及另外 3 套規則"); others != (n == 2) {
			t.Errorf("%d datasets: %.600s", len(dirs), page.String())
		}
	}
}

// TestFigures compares figures with what the rows say, counted in another way.
func TestFigures(t *testing.T) {
	for _, ruleset := range []string{"tenhou", "mcr_2006", "universal", "hkma_hktw"} {
		t.Run(ruleset, func(t *testing.T) {
			dir := play(t, ruleset, 24, schema.Hands, "greedy", "random", "greedy", "tsumogiri")
			r := collect(t, dir)
			d, err := dataset.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			unit := float64(d.Rules().Unit())
			equal := func(section, name, of string, sum, count float64) {
				t.Helper()
				f := figure(t, r, section, name, of)
				if math.Abs(f.Sum-sum) > 1e-6*(1+math.Abs(sum)) || f.Count != count {
					t.Errorf("%s %s %s: %v of %v, want %v of %v", section, name, of, f.Sum, f.Count, sum, count)
				}
			}
			var matches, hands, east, greedy, greedyHands, greedyWins float64
			for m, err := range d.MatchRows() {
				if err != nil {
					t.Fatal(err)
				}
				if m.Player == 0 {
					matches++
					hands += float64(m.Hands)
					east += float64(m.Points) / unit
				}
				if m.Agent%2 == 0 {
					greedy += float64(m.Points) / unit
					greedyHands += float64(m.Hands)
					greedyWins += float64(m.Wins)
				}
			}
			equal("match", "hands", "", hands, matches)
			equal("seat", "points", "east", east, matches)
			equal("agent", "points", "greedy", greedy, 2*matches)
			equal("agent", "win", "greedy", greedyWins, greedyHands)
			var wins, value, selfDraw, exhausted, dealerWins, paid, lost float64
			patterns := map[string]float64{}
			// owed returns what the dealer of a hand is owed by some debts, less what he owes.
			owed := func(dealer uint8, debts []schema.Debt) (sum float64) {
				for _, x := range debts {
					if x.Creditor == dealer {
						sum += float64(x.Points) / unit
					}
					if x.Debtor == dealer {
						sum -= float64(x.Points) / unit
					}
				}
				return sum
			}
			var debts []schema.Debt // empty after the last hand of a match
			for h, err := range d.HandRows() {
				if err != nil {
					t.Fatal(err)
				}
				switch h.End {
				case "self_draw":
					selfDraw++
				case "exhausted":
					exhausted++
				}
				for _, w := range h.Wins {
					wins++
					value += float64(w.Points) / unit
					if w.Player == h.Dealer {
						dealerWins++
					}
					held := map[string]bool{} // a pattern may count more than once
					for _, p := range w.Patterns {
						held[strings.Clone(p.ID)] = true
					}
					for id := range held {
						patterns[id]++
					}
				}
				paid += float64(h.Payments[h.Dealer])/unit + owed(h.Dealer, h.Debts) - owed(h.Dealer, debts)
				debts = h.Debts
				if h.Giver != schema.NoPlayer {
					lost++
				}
			}
			equal("win", "value", "", value, wins)
			equal("hand", "self_draw", "", selfDraw, hands)
			equal("hand", "exhausted", "", exhausted, hands)
			equal("dealer", "win", "east", dealerWins, hands)
			equal("dealer", "points", "east", paid, hands)
			equal("hand", "discard", "", lost-figure(t, r, "hand", "rob", "").Sum-givenFlowers(t, d), hands)
			if len(patterns) == 0 {
				t.Error("no pattern in any win")
			}
			for id, n := range patterns {
				equal("pattern", "frequency", id, n, wins)
			}
		})
	}
}

// givenFlowers counts the hands that were won by flowers with one of another
// player.
func givenFlowers(t *testing.T, d *dataset.Dataset) float64 {
	n := 0.0
	for h, err := range d.HandRows() {
		if err != nil {
			t.Fatal(err)
		}
		if h.End == "flower" && h.Giver != schema.NoPlayer {
			n++
		}
	}
	return n
}

// TestSums holds what is so in every dataset.
func TestSums(t *testing.T) {
	r := collect(t, play(t, "ema_2016", 40, schema.Hands, "greedy", "greedy", "greedy", "random"))
	first := 0.0
	for _, wind := range []string{"east", "south", "west", "north"} {
		first += figure(t, r, "seat", "first", wind).Sum
	}
	if first < 40 {
		t.Errorf("%v players came first in 40 matches", first)
	}
	ends := 0.0
	for _, end := range []string{"won", "exhausted", "aborted", "forfeited"} {
		ends += figure(t, r, "hand", end, "").Value
	}
	if math.Abs(ends-1) > 1e-12 {
		t.Errorf("the ends of hands are %v of all hands", ends)
	}
	worth := 0.0
	for _, f := range r.Datasets[0].Figures {
		if f.Section == "pattern" && f.Name == "value_share" {
			worth += f.Value
		}
		if f.Low > f.High || float64(f.Low) > f.Value+1e-9 || float64(f.High) < f.Value-1e-9 {
			t.Errorf("%v is %v in [%v, %v]", f.Key, f.Value, f.Low, f.High)
		}
	}
	if math.Abs(worth-1) > 1e-9 {
		t.Errorf("the patterns are %v of their worth", worth)
	}
	changes := figure(t, r, "match", "lead_changes", "")
	if wire := figure(t, r, "match", "wire_to_wire", ""); changes.Sum == 0 || wire.Sum == 0 || wire.Sum > 40 {
		t.Errorf("the lead changed %v times, and %v matches were led from the first hand on", changes.Sum, wire.Sum)
	}
}

// TestSame compares a dataset with itself and with one of other rules.
func TestSame(t *testing.T) {
	a := play(t, "ema_2016", 64, schema.Hands, "greedy", "greedy", "greedy", "greedy")
	b := play(t, "hkma_league_a", 64, schema.Hands, "greedy", "greedy", "greedy", "greedy")
	c := play(t, "universal", 16, schema.Hands, "greedy", "greedy", "greedy", "greedy")
	r := collect(t, a, a, b, c)
	different := map[int]int{}
	for _, x := range r.Comparisons {
		if x.Paired != (x.Dataset < 3) {
			t.Fatalf("dataset %d: paired %v", x.Dataset, x.Paired)
		}
		if x.Dataset == 1 && (x.Value != 0 || x.Error != 0 || x.P.Known() && x.P != 1) {
			t.Errorf("%v differs from itself by %+v", x.Key, x.Difference)
		}
		if x.Difference.Clear() {
			different[x.Dataset]++
		}
		if x.P.Known() && (x.Adjusted < x.P || x.Adjusted > 1) {
			t.Errorf("%v: probability %v, corrected %v", x.Key, x.P, x.Adjusted)
		}
	}
	if different[1] > 0 || different[2] == 0 || different[3] == 0 {
		t.Errorf("clear differences: %v", different)
	}
	labels := []string{r.Label(0), r.Label(1), r.Label(2), r.Label(3)}
	if got, want := strings.Join(labels, "|"), "1: ema_2016|2: ema_2016|hkma_league_a|universal"; got != want {
		t.Errorf("labels %q, want %q", got, want)
	}
	effects := r.Effects()
	if len(effects[0].Rows) < len(stats.Headlines)-1 {
		t.Errorf("%d rows of effects", len(effects[0].Rows))
	}
	// What does the same has no table, whatever the others do.
	if len(effects) != 3 || effects[1].Title != "Differences: hkma_league_a" || effects[2].Title != "Differences: universal" {
		t.Errorf("effects %+v", effects)
	}
}

// TestSameWalls holds that a summary says so of runs that begin on the same walls and are not
// compared match by match.
func TestSameWalls(t *testing.T) {
	first := play(t, "ema_2016", 16, schema.Hands, "greedy", "greedy", "greedy", "greedy")
	for _, other := range []string{
		play(t, "ema_2016", 32, schema.Hands, "greedy", "greedy", "greedy", "greedy"),
		play(t, "ema_2016", 16, schema.Hands, "greedy", "tsumogiri", "greedy", "greedy"),
	} {
		text := strings.Join(collect(t, first, other).Summary().Sections("")[0].Compared, " ")
		if !strings.Contains(text, "although they begin on the same walls") {
			t.Error(text)
		}
	}
}

// TestTables holds that tables find room and that every row has all cells.
func TestTables(t *testing.T) {
	a := play(t, "ema_2016", 64, schema.Hands, "greedy", "greedy", "random", "tsumogiri")
	b := play(t, "mcr_2006", 16, schema.Hands, "greedy", "greedy", "random", "tsumogiri")
	for _, dirs := range [][]string{{a}, {a, b}, {a, a, b}} {
		for _, table := range collect(t, dirs...).Tables() {
			for _, row := range table.Rows {
				if len(row.Cells) != len(table.Head)-1 {
					t.Errorf("%s, %s: %d cells below %d titles", table.Title, row.Label, len(row.Cells), len(table.Head))
				}
			}
			text := strings.Join(table.Lines(100), "\n")
			for _, row := range table.Rows {
				for _, cell := range append(row.Cells, row.Label) {
					if !strings.Contains(text, cell) {
						t.Errorf("%s: %q is lost", table.Title, cell)
					}
				}
			}
			for line := range strings.Lines(text) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 100 {
					t.Errorf("%s: %d characters in %q", table.Title, n, line)
				}
			}
		}
	}
}

// TestFamilies holds that points of another family are not compared.
func TestFamilies(t *testing.T) {
	a := play(t, "ema_2016", 64, schema.Hands, "greedy", "greedy", "greedy", "greedy")
	b := play(t, "mcr_2006", 16, schema.Hands, "greedy", "greedy", "greedy", "greedy")
	r := collect(t, a, b)
	for _, c := range r.Comparisons {
		if c.Unit == stats.Points || c.Unit == stats.Placement {
			t.Errorf("%v is compared", c.Key)
		}
	}
	if r.Comparison(1, stats.Key{Section: "win", Name: "turns"}) == nil {
		t.Error("turns are not compared")
	}
}

// TestMatchesOnly reports on a dataset without hands.
func TestMatchesOnly(t *testing.T) {
	r := collect(t, play(t, "zung_jung", 8, schema.Matches, "greedy", "random", "random", "random"))
	if r.Datasets[0].Hands {
		t.Error("hands are said to be recorded")
	}
	figure(t, r, "match", "hands", "")
	if r.Datasets[0].Figure(stats.Key{Section: "win", Name: "value"}) != nil {
		t.Error("there is a value of wins without hands")
	}
	if err := r.Write(filepath.Join(t.TempDir(), "r"), false); err != nil {
		t.Error(err)
	}
}

// foreign finds what a page would fetch.
var foreign = regexp.MustCompile(`(?i)(src|href)\s*=\s*"[^#]|@import|url\(`)

func TestWrite(t *testing.T) {
	a := play(t, "tenhou", 64, schema.Hands, "greedy", "greedy", "random", "tsumogiri")
	b := play(t, "hkma_hktw", 8, schema.Hands, "greedy", "greedy", "random", "tsumogiri")
	r := collect(t, a, b)
	dir := filepath.Join(t.TempDir(), "new", "report")
	if err := r.Write(dir, false); err != nil {
		t.Fatal(err)
	}
	files := contents(t, dir)
	for _, name := range []string{
		"report.html", "report.json", "figures.arrow", "distributions.arrow", "differences.arrow",
		"quantiles.arrow", "skill.arrow", "pairs.arrow",
		"seats_riichi.png", "seats_hktw.svg", "patterns_hktw.png", "final_points_riichi.png", "win_value_hktw.svg", "win_turn.png", "skill.png", "changes.png",
	} {
		if len(files[name]) == 0 {
			t.Errorf("%s is not there or empty", name)
		}
	}
	var back report.Report
	if err := json.Unmarshal(files["report.json"], &back); err != nil {
		t.Error(err)
	} else if len(back.Datasets) != 2 || len(back.Comparisons) != len(r.Comparisons) {
		t.Errorf("JSON has %d datasets and %d comparisons", len(back.Datasets), len(back.Comparisons))
	}
	if s := foreign.Find(files["report.html"]); s != nil {
		t.Errorf("the page wants %s", s)
	}
	reader, err := ipc.NewFileReader(bytes.NewReader(files["figures.arrow"]))
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	record, err := reader.Record(0)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Datasets[0].Figures) + len(r.Datasets[1].Figures); int(record.NumRows()) != n {
		t.Errorf("%d rows of %d figures", record.NumRows(), n)
	}

	// The same datasets give the same bytes, and a report is not replaced unasked.
	if err := collect(t, a, b).Write(dir, false); !errors.Is(err, outfolder.ErrOccupied) {
		t.Errorf("error %v where a report is", err)
	}
	if err := collect(t, a, b).Write(dir, true); err != nil {
		t.Fatal(err)
	}
	for name, text := range contents(t, dir) {
		if !bytes.Equal(text, files[name]) {
			t.Errorf("%s differs from time to time", name)
		}
	}
	for _, occupied := range []string{a, filepath.Dir(dir)} {
		before := contents(t, occupied)
		if err := r.Write(occupied, true); !errors.Is(err, outfolder.ErrOccupied) {
			t.Errorf("error %v where something else is", err)
		}
		if after := contents(t, occupied); len(after) != len(before) {
			t.Errorf("%s was changed", occupied)
		}
	}
	if list, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*.tmp*")); len(list) > 0 {
		t.Errorf("left behind: %v", list)
	}
}

func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	list := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		list[p], err = os.ReadFile(filepath.Join(dir, p))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestBadInput(t *testing.T) {
	good := play(t, "ema_2016", 2, schema.Hands, "greedy", "random", "random", "random")
	damaged := play(t, "ema_2016", 2, schema.Hands, "greedy", "random", "random", "random")
	name := filepath.Join(damaged, "hands-000000.arrow")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text[:len(text)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	newer := play(t, "ema_2016", 2, schema.Hands, "greedy", "random", "random", "random")
	manifest := filepath.Join(newer, "manifest.json")
	text, err = os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`"schema_version": \d+`).ReplaceAll(text, []byte(`"schema_version": 999`))
	if err := os.WriteFile(manifest, text, 0o666); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		damaged:                            "hands-000000.arrow",
		newer:                              "schema version 999",
		filepath.Join(t.TempDir(), "none"): "none",
	} {
		_, err := stats.Collect(t.Context(), []string{good, dir}, nil, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

// A report replaces what a report has written and nothing else, and can be replaced
// again wherever that was broken off.
func TestReplace(t *testing.T) {
	a := play(t, "tenhou", 4, schema.Matches, "greedy", "greedy", "random", "tsumogiri")
	b := play(t, "mcr_2006", 4, schema.Matches, "greedy", "greedy", "random", "tsumogiri")
	one, two := collect(t, a), collect(t, a, b)
	dir := filepath.Join(t.TempDir(), "report")
	write := func(r *report.Report) {
		t.Helper()
		if err := r.Write(dir, true); err != nil {
			t.Fatal(err)
		}
	}
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(r *report.Report, why string) {
		t.Helper()
		before := contents(t, dir)
		if err := r.Write(dir, true); !errors.Is(err, outfolder.ErrOccupied) || !strings.Contains(err.Error(), why) {
			t.Errorf("%v, want %s", err, why)
		}
		if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
			t.Errorf("%s: files have changed:\n%s", why, diff)
		}
	}
	write(two)
	whole := contents(t, dir)
	put("notes.txt", "mine")
	write(one)
	now := contents(t, dir)
	if string(now["notes.txt"]) != "mine" {
		t.Error("the notes are gone")
	}
	if _, ok := now["differences.arrow"]; ok {
		t.Error("a file of the report before is still there")
	}
	put("differences.arrow", "mine")
	refused(two, "differences.arrow is not of the report")
	if err := os.Remove(filepath.Join(dir, "differences.arrow")); err != nil {
		t.Fatal(err)
	}
	write(two)
	put("report.html", "edited")
	refused(two, "report.html was changed")
	put("report.html", string(whole["report.html"]))

	// As after a kill between two files: the mark lists the old and the new ones.
	var mark struct {
		Version int                 `json:"sparrowhall_report"`
		Files   map[string][]string `json:"files"`
	}
	if err := json.Unmarshal(whole["sparrowhall-report.json"], &mark); err != nil {
		t.Fatal(err)
	}
	write(one)
	other := mark
	other.Files = nil
	if err := json.Unmarshal(contents(t, dir)["sparrowhall-report.json"], &other); err != nil {
		t.Fatal(err)
	}
	both := map[string][]string{}
	for name, sums := range mark.Files {
		both[name] = append(both[name], sums...)
	}
	for name, sums := range other.Files {
		both[name] = append(both[name], sums...)
	}
	mark.Files = both
	text, err := json.Marshal(mark)
	if err != nil {
		t.Fatal(err)
	}
	put("sparrowhall-report.json", string(text))
	put("report.html", string(whole["report.html"]))
	write(two)
	now = contents(t, dir)
	delete(now, "notes.txt")
	if diff := cmp.Diff(whole, now); diff != "" {
		t.Errorf("replaced after a kill: the files differ:\n%s", diff)
	}

	// What merely looks like a report is somebody's.
	dir = t.TempDir()
	put("report.json", "{}")
	refused(one, "it has no sparrowhall-report.json")
	put("sparrowhall-report.json", `{"sparrowhall_report": 1, "files": {"../x": ["0"]}}`)
	refused(one, "is not that of a report")
}
