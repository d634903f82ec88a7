package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatIf re-scores matches that were played and a record that was imported, with the same
// output by any number of workers, and refuses what cannot be answered by name.
func TestWhatIf(t *testing.T) {
	dir := t.TempDir()
	played, people := filepath.Join(dir, "played"), filepath.Join(dir, "people")
	if _, errOut, status := sparrowhall(t, "", "play", "--ruleset", "ema_2016", "--agents", "value,greedy,value,greedy", "--matches", "60", "--out", played, "--quiet"); status != statusOK {
		t.Fatal(errOut)
	}
	if _, errOut, status := sparrowhall(t, "", "import", "tenhou", filepath.Join(samples, "sample.mjlog"), "--partial", "--out", people, "--quiet"); status != statusOK {
		t.Fatal(errOut)
	}
	whatIf := func(dir string, args ...string) (string, string, int) {
		return sparrowhall(t, "", append([]string{"rules", "what-if", dir, "--quiet", "--judge", "value"}, args...)...)
	}
	out, errOut, status := whatIf(played, "--knob", "noten_total=1200")
	for _, want := range []string{
		"as if noten_total = 1200 instead of 3000", "Re-scored: ", "(100 %)", "payments at a draw: ", "less",
		"Where decisions could depend on the rule", "play both:", "sparrowhall sweep --ruleset ema_2016 --knob noten_total=1200",
	} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if status != statusOK {
		t.Errorf("status %d: %s", status, errOut)
	}
	if again, _, _ := whatIf(played, "--knob", "noten_total=1200", "--workers", "1"); again != out {
		t.Error("one worker prints something else")
	}
	out, errOut, status = whatIf(played, "--knob", "kuitan=false", "--knob", "kiriage_mangan=true", "--json", "--judge", "none")
	var r struct {
		Hands int
		Apart struct{ Hands int }
		Alone []struct {
			Knobs string
			Hands int
		} `json:"apart_by_knob"`
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || status != statusOK {
		t.Fatal(err, errOut)
	}
	if len(r.Alone) != 2 || r.Alone[0].Knobs != "kuitan" || r.Alone[0].Hands == 0 || r.Alone[1].Hands != 0 || r.Apart.Hands != r.Alone[0].Hands {
		t.Errorf("set apart: %+v", r)
	}
	if out, errOut, status := whatIf(people, "--knob", "honba_value=600"); status != statusOK || !strings.Contains(out, "honba_value = 600 instead of 300") {
		t.Errorf("status %d: %s%s", status, out, errOut)
	}
	for _, c := range []struct {
		dir, args, want string
		status          int
	}{
		{played, "", "--knob is missing", statusUsage},
		{played, "--knob kuitan", "name its value: kuitan=VALUE", statusUsage},
		{played, "--knob min_win=1,2", "2 values; name one", statusUsage},
		{played, "--knob kuitann=false", "nearest kuitan", statusUsage},
		{played, "--knob flower_points=1", "mcr", statusUsage},
		{played, "--knob kuitan=true", "has these rules already", statusUsage},
		{played, "--knob kuitan=false", "the judge answers", statusFailure},
		{played, "--knob kuitan=false --knob kuitan=true", "kuitan is given twice", statusUsage},
		{played, "--knob aka_dora=[1,1,1]", "aka_dora: the recorded decisions depend on it", statusFailure},
		{played, "--knob aka_dora=[1,1,1]", "sparrowhall sweep --ruleset ema_2016 --knob 'aka_dora=[1,1,1]'", statusFailure},
		{people, "--knob multi_win=nearest", "records do not have the wins that lost", statusFailure},
		{filepath.Join(dir, "nothing"), "--knob kuitan=false", "nothing", statusFailure},
	} {
		if _, errOut, status := whatIf(c.dir, strings.Fields(c.args)...); status != c.status || !strings.Contains(errOut, c.want) {
			t.Errorf("%q: status %d, %s; want %d and %q", c.args, status, errOut, c.status, c.want)
		}
	}
}

// TestHabits compares agents that were played and the people of an imported record with a judge.
func TestHabits(t *testing.T) {
	dir := t.TempDir()
	played, people := filepath.Join(dir, "played"), filepath.Join(dir, "people")
	if _, errOut, status := sparrowhall(t, "", "play", "--ruleset", "tenhou", "--agents", "greedy,value,value,tsumogiri", "--matches", "12", "--out", played, "--quiet"); status != statusOK {
		t.Fatal(errOut)
	}
	if _, errOut, status := sparrowhall(t, "", "import", "tenhou", filepath.Join(samples, "sample.mjlog"), "--partial", "--out", people, "--quiet"); status != statusOK {
		t.Fatal(errOut)
	}
	compare := func(dir string, args ...string) (string, string, int) {
		return sparrowhall(t, "", append([]string{"report", "habits", dir, "--quiet", "--judge", "value", "--matches", "10", "--decisions", "4", "--deals", "4"}, args...)...)
	}
	type found struct {
		Matches, Decisions, Same int
		Habits                   []struct {
			Name          string
			People, Judge struct{ Value, Count float64 }
			Adjusted      float64 `json:"p_adjusted"`
			Differ        int
		}
		Results []struct{ Name string }
	}
	read := func(args ...string) (f found) {
		t.Helper()
		out, errOut, status := compare(played, append(args, "--json")...)
		if err := json.Unmarshal([]byte(out), &f); err != nil || status != statusOK {
			t.Fatal(err, errOut)
		}
		return f
	}
	same := read("--player", "value")
	if same.Matches != 12 || same.Decisions == 0 || same.Same != same.Decisions || len(same.Results) < 6 {
		t.Errorf("value differs from itself: %+v", same)
	}
	other := read("--player", "tsumogiri")
	if other.Same == other.Decisions {
		t.Errorf("tsumogiri does not differ: %+v", other)
	}
	for _, h := range other.Habits {
		if h.Name == "fast" && !(h.People.Value < h.Judge.Value && h.Adjusted < 0.05 && h.Differ > 0) || h.Name == "pon" && h.People.Value != 0 {
			t.Errorf("tsumogiri: %+v", h)
		}
	}
	out, errOut, status := compare(played, "--player", "tsumogiri")
	if status != statusOK || !strings.Contains(out, "Less often than value they keep the hand as near to ready as") || !strings.Contains(out, "RESULTS OF HANDS") {
		t.Errorf("status %d: %s%s", status, out, errOut)
	}
	if again, _, _ := compare(played, "--player", "tsumogiri", "--workers", "1"); again != out {
		t.Errorf("one worker prints something else:\n%s\n%s", out, again)
	}
	if out, errOut, status := compare(people); status != statusOK || !strings.Contains(out, "passed claims are left out") && !strings.Contains(out, "alike") {
		t.Errorf("status %d: %s%s", status, out, errOut)
	}
	for _, c := range []struct{ args, want string }{
		{"--player zed", `no match has a player named "zed"; nearest: `},
		{"--deals 1", "--deals: 1; allowed"},
		{"--decisions 0", "--decisions: 0; allowed"},
		{"--matches 1", "--matches: 1; allowed"},
		{"--judge mjai:x", "name a built-in agent"},
	} {
		if _, errOut, status := compare(played, strings.Fields(c.args)...); status == statusOK || !strings.Contains(errOut, c.want) {
			t.Errorf("%q: status %d, %s; want %q", c.args, status, errOut, c.want)
		}
	}
}
