package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jansou/jansou/sim/chance"
	"github.com/jansou/jansou/sim/places"
)

// TestReportLuck sees that points are luck and the rest, whatever was recorded.
func TestReportLuck(t *testing.T) {
	play := []string{"--matches", "12", "--agents", "greedy,greedy,tsumogiri,tsumogiri", "--record"}
	text, errOut, status := jansou(t, "", "report", "--quiet", "--luck", mustPlayTo(t, "a", append(play, "matches")...))
	if status != statusOK || errOut != "" {
		t.Fatalf("status %d, err %q", status, errOut)
	}
	for _, want := range []string{"ema_2016: less its luck, one match of greedy is worth ", "\nluck ", "\npoints less luck "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	text, _, _ = jansou(t, "", "report", "--quiet", "--luck", "--json", mustPlayTo(t, "b", append(play, "decisions")...))
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

// TestTrainFit fits an estimate to a few matches, twice the same, and tries wrong flags.
func TestTrainFit(t *testing.T) {
	var files [2][]byte
	for i := range files {
		out := filepath.Join(t.TempDir(), "weights.bin")
		workers := []string{"1", "3"}[i]
		text, errOut, status := jansou(t, "", "train", "fit", "--ruleset", "botzone", "--matches", "150", "--agents", "greedy,greedy,greedy,greedy",
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
	out := filepath.Join(t.TempDir(), "weights.bin")
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{}, statusUsage, "--out: name the file"},
		{[]string{"--out", out, "--hidden", "64"}, statusUsage, "--hidden: two numbers"},
		{[]string{"--out", out, "--every", "0"}, statusUsage, "--every"},
		{[]string{"--out", out, "--lambda", "2"}, statusUsage, "--lambda"},
		{[]string{"--out", out, "--agents", "greedy"}, statusUsage, "--agents: 1 agents"},
		{[]string{"--out", out, "--matches", "1", "--agents", "tsumogiri,tsumogiri,tsumogiri,tsumogiri", "--quiet"}, statusFailure, "play more matches"},
		{[]string{"--out", out, "--ruleset", "ema_2017"}, statusFailure, "nearest presets: ema_2016"},
	} {
		_, errOut, status := jansou(t, "", append([]string{"train", "fit"}, test.args...)...)
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
		text, errOut, status := jansou(t, "", "train", "places", "--matches", "40", "--agents", "greedy,greedy,greedy,greedy",
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
		if _, errOut, status := jansou(t, "", append([]string{"train", "places"}, args...)...); status != statusUsage || !strings.Contains(errOut, want) {
			t.Errorf("%v: status %d, err %q, want %q", args, status, errOut, want)
		}
	}
}
