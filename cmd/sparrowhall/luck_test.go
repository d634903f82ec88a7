package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/sparrowhall/sparrowhall/sim/chance"
	"github.com/sparrowhall/sparrowhall/sim/places"
)

// TestReportLuck sees that points are luck and the rest, whatever was recorded.
func TestReportLuck(t *testing.T) {
	play := []string{"--matches", "12", "--agents", "greedy,greedy,tsumogiri,tsumogiri", "--record"}
	text, errOut, status := sparrowhall(t, "", "report", "--quiet", "--luck", mustPlayTo(t, "a", append(play, "matches")...))
	if status != statusOK || errOut != "" {
		t.Fatalf("status %d, err %q", status, errOut)
	}
	for _, want := range []string{"ema_2016: less its luck, one match of greedy is worth ", "\nluck ", "\npoints less luck "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	text, _, _ = sparrowhall(t, "", "report", "--quiet", "--luck", "--json", mustPlayTo(t, "b", append(play, "decisions")...))
	var result struct {
		Datasets []struct {
			MatchWorth []struct{ Worth float64 } `json:"match_worth"`
			Figures    []struct {
				Section, Name, Of string
				Value             float64
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range result.Datasets[0].Figures {
		if f.Section == "agent" && f.Of == "greedy" {
			got[f.Name] = f.Value
		}
	}
	if d := got["points"] - got["luck"] - got["points_less_luck"]; d < -1e-6 || d > 1e-6 || got["luck"] == 0 {
		t.Errorf("points %v, luck %v, less luck %v", got["points"], got["luck"], got["points_less_luck"])
	}
	if n := len(result.Datasets[0].MatchWorth); n != 2 {
		t.Errorf("%d agents have a worth of a match, want 2", n)
	}
}

// TestLuck tells the luck of a dataset and writes the table of hands.
func TestLuck(t *testing.T) {
	dir := mustPlayTo(t, "a", "--matches", "12", "--agents", "greedy,greedy,tsumogiri,tsumogiri", "--record", "matches")
	table := filepath.Join(t.TempDir(), "luck.arrow")
	for _, flag := range []string{"--fast", "--quiet"} {
		text, errOut, status := sparrowhall(t, "", "luck", "--quiet", "--force", flag, dir, "--table", table)
		if status != statusOK || errOut != "" {
			t.Fatalf("status %d, err %q", status, errOut)
		}
		for _, want := range []string{"result ", "less luck", "placement ", "greedy: the tiles brought it ", " placement points over its 24 matches"} {
			if !strings.Contains(strings.ReplaceAll(text, "\n", " "), want) { // lines are broken anywhere
				t.Errorf("%s: no %q in\n%s", flag, want, text)
			}
		}
		for line := range strings.Lines(text) {
			if len(line) > plainWidth+1 && !strings.Contains(line, dir) {
				t.Errorf("%s: a line of %d characters: %s", flag, len(line)-1, line)
			}
		}
	}
	text, _, _ := sparrowhall(t, "", "luck", "--quiet", "--fast", "--json", dir)
	var result struct {
		Agents []struct {
			Agent   string
			Matches float64
			Points  float64 `json:"points_luck_sum"`
			Figures []struct {
				Name  string
				Value float64
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &result); err != nil || len(result.Agents) != 2 {
		t.Fatalf("%v, %d agents in\n%s", err, len(result.Agents), text)
	}
	for _, a := range result.Agents {
		got := map[string]float64{}
		for _, f := range a.Figures {
			got[f.Name] = f.Value
		}
		if d := got["points"] - got["luck"] - got["points_less_luck"]; math.Abs(d) > 1e-6 || math.Abs(got["luck"]*a.Matches-a.Points) > 1e-3 {
			t.Errorf("%s: %v, in all %v", a.Agent, got, a.Points)
		}
		if d := got["placement"] - got["placement_luck"] - got["placement_less_luck"]; math.Abs(d) > 1e-6 || got["placement_luck"] == 0 {
			t.Errorf("%s: %v", a.Agent, got)
		}
	}
	f, err := os.Open(table)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	record, err := r.Record(0)
	if err != nil {
		t.Fatal(err)
	}
	points := record.Column(r.Schema().FieldIndices("points")[0]).(*array.Float64)
	agents := record.Column(r.Schema().FieldIndices("agent")[0]).(*array.String)
	sum := 0.0
	for i := range points.Len() {
		if agents.Value(i) == "greedy" {
			sum += points.Value(i)
		}
	}
	// The table was written last without --fast.
	strong, _, _ := sparrowhall(t, "", "luck", "--quiet", "--json", dir)
	if err := json.Unmarshal([]byte(strong), &result); err != nil {
		t.Fatal(err)
	}
	if math.Abs(sum-result.Agents[0].Points) > 1e-3 {
		t.Errorf("the hands of greedy add up to a luck of %v, want %v", sum, result.Agents[0].Points)
	}
	for want, args := range map[string][]string{
		"--table: no file":            {"--table", ""},
		"--force says how":            {"--force"},
		"--luck=slow: strong or fast": nil,
	} {
		verb := "luck"
		if args == nil {
			verb, args = "report", []string{"--luck=slow"}
		}
		if _, errOut, status := sparrowhall(t, "", append([]string{verb, dir}, args...)...); status != statusUsage || !strings.Contains(errOut, want) {
			t.Errorf("%v: status %d, err %q, want %q", args, status, errOut, want)
		}
	}
	// Told before the work: the dataset is not even looked for.
	for path, want := range map[string]string{
		table: "--force replaces it",
		filepath.Join(t.TempDir(), "none", "luck.arrow"): "make it first",
		filepath.Join(table, "luck.arrow"):               "is no folder",
	} {
		if _, errOut, status := sparrowhall(t, "", "luck", "--quiet", "--fast", "no-dataset", "--table", path); status != statusFailure || !strings.Contains(errOut, want) {
			t.Errorf("%s: status %d, err %q, want %q", path, status, errOut, want)
		}
	}
}

// TestTrainFit fits an estimate to a few matches, twice the same, and tries wrong flags.
func TestTrainFit(t *testing.T) {
	var files [2][]byte
	for i := range files {
		out := filepath.Join(t.TempDir(), "weights.bin")
		workers := []string{"1", "3"}[i]
		text, errOut, status := sparrowhall(t, "", "train", "fit", "--ruleset", "botzone", "--matches", "150", "--agents", "greedy,greedy,greedy,greedy",
			"--hidden", "8,4", "--epochs", "2", "--workers", workers, "--quiet", "--out", out)
		if status != statusOK || errOut != "" || !strings.Contains(text, "epoch 2: explains ") {
			t.Fatalf("status %d, err %q, out %q", status, errOut, text)
		}
		var err error
		if files[i], err = os.ReadFile(out); err != nil {
			t.Fatal(err)
		}
		if _, err := chance.Parse(files[i]); err != nil {
			t.Error(err)
		}
	}
	if string(files[0]) != string(files[1]) {
		t.Error("the number of workers changes the weights")
	}
	first := filepath.Join(t.TempDir(), "first.bin")
	if err := os.WriteFile(first, files[0], 0o600); err != nil {
		t.Fatal(err)
	}
	further := filepath.Join(t.TempDir(), "further.bin")
	text, errOut, status := sparrowhall(t, "", "train", "fit", "--ruleset", "botzone", "--also", "mcr_2006", "--matches", "20", "--every", "6", "--agents", "greedy,greedy,greedy,greedy",
		"--from", first, "--epochs", "1", "--blend", "0", "--quiet", "--out", further)
	if status != statusOK || errOut != "" || !strings.Contains(text, "epoch 0: explains ") || strings.Contains(text, "linear") {
		t.Fatalf("--from: status %d, err %q, out %q", status, errOut, text)
	}
	if data, err := os.ReadFile(further); err != nil || len(data) != len(files[0]) || string(data) == string(files[0]) {
		t.Errorf("--from: %d bytes as before, %v", len(data), err)
	}
	out := filepath.Join(t.TempDir(), "weights.bin")
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{}, statusUsage, "--out: name the file"},
		{[]string{"--out", out, "--hidden", "64"}, statusUsage, "--hidden: two numbers"},
		{[]string{"--out", out, "--every", "0"}, statusUsage, "--every"},
		{[]string{"--out", out, "--blend", "0"}, statusUsage, "--blend: 0 is too few"},
		{[]string{"--out", out, "--from", first, "--hidden", "8,4"}, statusUsage, "--hidden: the sizes are those of --from"},
		{[]string{"--out", out, "--from", out}, statusFailure, "weights.bin"},
		{[]string{"--out", out, "--also", "mcr_2006"}, statusUsage, "--also: mcr_2006 is of family mcr, ema_2016 of riichi"},
		{[]string{"--out", out, "--lambda", "2"}, statusUsage, "--lambda"},
		{[]string{"--out", out, "--agents", "greedy"}, statusUsage, "--agents: 1 agents"},
		{[]string{"--out", out, "--matches", "1", "--agents", "tsumogiri,tsumogiri,tsumogiri,tsumogiri", "--quiet"}, statusFailure, "play more matches"},
		{[]string{"--out", out, "--ruleset", "ema_2017"}, statusFailure, "nearest presets: ema_2016"},
	} {
		_, errOut, status := sparrowhall(t, "", append([]string{"train", "fit"}, test.args...)...)
		if status != test.status || !strings.Contains(errOut, test.want) {
			t.Errorf("%v: status %d, err %q", test.args, status, errOut)
		}
	}
}

// TestTrainPlaces gathers how hands end, twice the same, and tries wrong flags.
func TestTrainPlaces(t *testing.T) {
	var files [2][]byte
	for i := range files {
		out := filepath.Join(t.TempDir(), "usual.csv")
		text, errOut, status := sparrowhall(t, "", "train", "places", "--matches", "40", "--agents", "greedy,greedy,greedy,greedy",
			"--workers", []string{"1", "3"}[i], "--quiet", "--out", out)
		if status != statusOK || errOut != "" || !strings.Contains(text, "hands ended") {
			t.Fatalf("status %d, err %q, out %q", status, errOut, text)
		}
		var err error
		if files[i], err = os.ReadFile(out); err != nil {
			t.Fatal(err)
		}
		if _, err := places.ParseTable(files[i]); err != nil {
			t.Error(err)
		}
	}
	if string(files[0]) != string(files[1]) {
		t.Error("the number of workers changes the table")
	}
	for want, args := range map[string][]string{
		"--out: name the file": nil,
		"--matches: 0":         {"--out", "x", "--matches", "0"},
		"--workers: -1":        {"--out", "x", "--workers", "-1"},
	} {
		if _, errOut, status := sparrowhall(t, "", append([]string{"train", "places"}, args...)...); status != statusUsage || !strings.Contains(errOut, want) {
			t.Errorf("%v: status %d, err %q, want %q", args, status, errOut, want)
		}
	}
}
