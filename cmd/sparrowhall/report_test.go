package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mustPlayTo writes a dataset and returns its folder.
func mustPlayTo(t *testing.T, name string, args ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	_, errOut, status := sparrowhall(t, "", append([]string{"play", "--quiet", "--record", "hands", "--out", dir}, args...)...)
	if status != statusOK {
		t.Fatalf("status %d, err %q", status, errOut)
	}
	return dir
}

func TestReport(t *testing.T) {
	a := mustPlayTo(t, "a", "--matches", "20", "--agents", "greedy,greedy,random,tsumogiri")
	b := mustPlayTo(t, "b", "--matches", "20", "--agents", "greedy,greedy,random,tsumogiri", "--ruleset", "tenhou")
	out := filepath.Join(t.TempDir(), "report")
	text, errOut, status := sparrowhall(t, "", "report", a, b, "--out", out)
	if status != statusOK || errOut != "" {
		t.Fatalf("status %d, err %q", status, errOut)
	}
	for _, want := range []string{
		"- ema_2016: 20 matches, seed 1, players 2 × greedy, random, tsumogiri.\n", "(Holm)",
		"\nDIFFERENCES\n", "\nMATCHES\n", "\nSEATS AT THE START: TENHOU\n", "\nPATTERNS: EMA_2016\n", "\nDISTRIBUTIONS\n", "\nLUCK AND SKILL\n", "\naka_dora ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if _, err := os.Stat(filepath.Join(out, "report.html")); err != nil {
		t.Error(err)
	}
	text, _, status = sparrowhall(t, "", "report", "--json", a)
	var result struct {
		Datasets []struct {
			Ruleset string
			Figures []struct{ Low, High *float64 }
		}
	}
	if err := json.Unmarshal([]byte(text), &result); err != nil || status != statusOK {
		t.Fatalf("status %d, %v", status, err)
	}
	if len(result.Datasets) != 1 || result.Datasets[0].Ruleset != "ema_2016" || len(result.Datasets[0].Figures) < 100 {
		t.Errorf("JSON %+.200v", result)
	}
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"report"}, statusUsage, "0 arguments given"},
		{[]string{"report", a, "--force"}, statusUsage, "--force"},
		{[]string{"report", a, "--out", out}, statusFailure, "occupied by another report; --force"},
		{[]string{"report", a, "--out", b, "--force"}, statusFailure, "occupied"},
		{[]string{"report", t.TempDir()}, statusFailure, "manifest.json"},
	} {
		_, errOut, status := sparrowhall(t, "", test.args...)
		if status != test.status || !strings.Contains(errOut, test.want) {
			t.Errorf("%v: status %d, err %q, want %d and %q", test.args, status, errOut, test.status, test.want)
		}
	}
}

func TestSweep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sweep")
	args := []string{"sweep", "--matches", "64", "--knob", "multi_win", "--knob", "kiriage_mangan=true", "--quiet", "--agents", "greedy,greedy,greedy,greedy"}
	text, errOut, status := sparrowhall(t, "", append(args, "--out", dir)...)
	if status != statusOK || errOut != "" {
		t.Fatalf("status %d, err %q", status, errOut)
	}
	for _, want := range []string{
		"- ema_2016: 64 matches, seed 1, players 4 × greedy.\n", "\nWHAT WAS FOUND\n", "\nHOW SURE THIS IS\n",
		"\nmulti_win = nearest instead of all:\n", "\nmulti_win = all_abort_on_triple instead of all:\n", "kiriage_mangan=true",
		"\nThe players do not respond: ", "\nfigure, unit ", "- Same: no difference in any of 64 matches", "\nwin value ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, name := range []string{"00_ema_2016", "01_multi_win=nearest", "03_kiriage_mangan=true", filepath.Join("report", "report.html")} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	again, _, status := sparrowhall(t, "", append(args, "--out", dir)...)
	alone, _, _ := sparrowhall(t, "", args...)
	if status != statusOK || again != text || alone != text {
		t.Errorf("the same sweep prints something else:\n%s\n%s", again, alone)
	}
}

// A sweep does not mix with a dataset.
func TestSweepOccupied(t *testing.T) {
	dir := mustPlayTo(t, "a", "--matches", "1", "--agents", fast)
	_, errOut, status := sparrowhall(t, "", "sweep", "--knob", "ura_dora=false", "--out", dir)
	if status != statusFailure || !strings.Contains(errOut, "holds a dataset") {
		t.Errorf("status %d, err %q", status, errOut)
	}
}

func TestSweepCross(t *testing.T) {
	text, errOut, status := sparrowhall(t, "", "sweep", "--matches", "2", "--knob", "kiriage_mangan=true", "--knob", "multi_win=nearest",
		"--knob", "double_wind_pair_fu=2", "--cross", "--quiet", "--json", "--agents", fast)
	if status != statusOK {
		t.Fatalf("status %d, err %q", status, errOut)
	}
	var result struct{ Datasets []struct{ Ruleset string } }
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		t.Fatal(err)
	}
	if len(result.Datasets) != 8 {
		t.Errorf("%d variants of three knobs: %v", len(result.Datasets), result.Datasets)
	}
}

// A variant whose only clear differences follow from the text of the rule is not said to change
// nothing.
func TestSweepPriced(t *testing.T) {
	text, errOut, status := sparrowhall(t, "", "sweep", "--matches", "64", "--knob", "patterns.riichi=2",
		"--quiet", "--agents", "greedy,greedy,greedy,greedy")
	if status != statusOK {
		t.Fatalf("status %d, err %q", status, errOut)
	}
	nothing := strings.Index(text, "- nothing changes clearly but what the rule text changes by itself\n")
	if from := strings.Index(text, "From the rule text itself"); nothing < 0 || from < nothing {
		t.Errorf("sweep of a price:\n%s", text)
	}
}

// A range is a variant for each of its values but the one that the ruleset has.
func TestSweepRange(t *testing.T) {
	text, errOut, status := sparrowhall(t, "", "sweep", "--matches", "2", "--knob", "min_win=1..5:2", "--quiet", "--json", "--agents", fast)
	var result struct{ Datasets []struct{ Ruleset string } }
	if err := json.Unmarshal([]byte(text), &result); err != nil || status != statusOK {
		t.Fatalf("status %d, err %q, %v", status, errOut, err)
	}
	if got := fmt.Sprint(result.Datasets); got != "[{ema_2016} {min_win=3} {min_win=5}]" {
		t.Error(got)
	}
	text, errOut, status = sparrowhall(t, "", "sweep", "--matches", "2", "--knob", "aka_dora=[1,1,1],[2,2,2]", "--knob", "min_win=1,3, 5", "--figure", "lead", "--quiet", "--agents", fast)
	for _, want := range []string{"\naka_dora = [2, 2, 2] instead of [0, 0, 0]:\n", "\nRESPONSE TO MIN_WIN\nmin_win  match lead\n1 ", "\n5   "} {
		if status != statusOK || !strings.Contains(text, want) {
			t.Errorf("status %d, err %q, no %q in\n%s", status, errOut, want, text)
		}
	}
}

func TestSweepBadInput(t *testing.T) {
	for _, test := range []struct {
		knob, want string
	}{
		{"foo", "unknown knob"},
		{"foo=1", "unknown knob"},
		{"min_win=x", "not an integer"},
		{"kiriage_mangan=false", " already"},
		{"starting_points", "its values cannot be listed"},
		{"starting_points=25000", "oka"},
		{"min_win=3..1", "--knob: min_win=3..1: allowed: from..to or from..to:step, ascending, such as 4..12:2"},
		{"min_win=1..3:0", "allowed: from..to or from..to:step"},
		{"min_win=1..1", " already"},
		{"noten_total=3000,3000", "noten_total=3000,3000: ema_2016 has this value already"},
		{"min_win=1..99999999999", "99999999999 is too large"},
		{"honba_value=0..30000", "30001 values; at most 100: make the step larger"},
		{"honba_value=300..400:100", "400 is not a multiple of 300"},
		{"foo=1..2", "unknown knob"},
		{"min_win=2,x", "not an integer"},
		{"min_win=2,2", "the same rules as"},
	} {
		_, errOut, status := sparrowhall(t, "", "sweep", "--knob", test.knob, "--matches", "1")
		if status != statusUsage || !strings.Contains(errOut, test.want) {
			t.Errorf("%s: status %d, err %q, want %q", test.knob, status, errOut, test.want)
		}
	}
	for flags, want := range map[string]string{
		"--figure hans": `--figure: there is no figure "hans"; nearest: `, "--figure rank": "may be several figures: seat.rank:east",
		"--field greedy": "sparrowhall: --field greedy: 1 agent; 4 must be named", "--field value,value,value,value": "these agents play already",
		"--field " + fast + " --field " + fast: "these agents play already",
	} {
		args := append([]string{"sweep", "--knob", "min_win=2..3", "--matches", "1"}, strings.Fields(flags)...)
		if _, errOut, status := sparrowhall(t, "", args...); status != statusUsage || !strings.Contains(errOut, want) {
			t.Errorf("%s: status %d, err %q, want %q", flags, status, errOut, want)
		}
	}
	if _, errOut, status := sparrowhall(t, "", "sweep"); status != statusUsage || !strings.Contains(errOut, "--knob is missing") {
		t.Errorf("status %d, err %q", status, errOut)
	}
	if _, errOut, status := sparrowhall(t, "", "sweep", "--knob", "ura_dora=false", "--knob", "ura_dora=false"); status != statusUsage || !strings.Contains(errOut, "the same rules as") {
		t.Errorf("status %d, err %q", status, errOut)
	}
}

// Partial reports of shards are joined to what report writes of the whole.
func TestReportMerge(t *testing.T) {
	t.Chdir(t.TempDir())
	play := []string{"play", "--matches", "128", "--agents", fast, "--record", "hands", "--file-matches", "64", "--quiet"}
	must := func(args ...string) string {
		t.Helper()
		out, errOut, status := sparrowhall(t, "", args...)
		if status != statusOK {
			t.Fatalf("%v: %s", args, errOut)
		}
		return out
	}
	must(append(play, "--out", "whole")...)
	for _, n := range []string{"1", "2"} {
		must(append(play, "--out", n, "--shard", n+"/2")...)
		if out := must("report", n, "--partial", n+".part", "--quiet"); out != n+".part holds the partial report; report merge joins it with the others\n" {
			t.Error(out)
		}
	}
	want := must("report", "whole", "--quiet")
	if got := must("report", "merge", "2.part", "1.part"); got != want {
		t.Errorf("joined:\n%s\nwant\n%s", got, want)
	}
	must("report", "merge", "1.part", "2.part", "--partial", "all.part")
	if got := must("report", "merge", "all.part", "--out", "report"); got != want {
		t.Errorf("joined twice:\n%s\nwant\n%s", got, want)
	}
	for _, c := range []struct {
		status int
		want   string
		args   []string
	}{
		{statusFailure, "of the 128 matches of ema_2016, 64 to 127 are missing", []string{"merge", "1.part"}},
		{statusFailure, "overlap: match 0 is in both", []string{"merge", "1.part", "1.part"}},
		{statusFailure, "it is no partial report", []string{"merge", "1/manifest.json"}},
		{statusFailure, "file already exists", []string{"1", "--partial", "1.part"}},
		{statusUsage, "--partial writes no report", []string{"1", "--partial", "x", "--json"}},
	} {
		if _, errOut, status := sparrowhall(t, "", append([]string{"report"}, c.args...)...); status != c.status || !strings.Contains(errOut, c.want) {
			t.Errorf("%v: status %d, %q", c.args, status, errOut)
		}
	}
}
