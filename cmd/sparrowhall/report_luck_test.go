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
)

// TestReportLuck sees that points are luck and the rest, whatever was recorded.
func TestReportLuck(t *testing.T) {
	play := []string{"--matches", "12", "--agents", "greedy,greedy,tsumogiri,tsumogiri", "--record"}
	text, errOut, status := sparrowhall(t, "", "report", "--quiet", "--luck", mustPlayTo(t, "a", append(play, "matches")...))
	if status != statusOK || errOut != "" {
		t.Fatalf("status %d, err %q", status, errOut)
	}
	for _, want := range []string{"ema_2016: a luck-adjusted match of greedy is worth ", "\nLUCK OF THE AGENTS\n", "\ngreedy, points ", "\ngreedy, placement ", "luck-adjusted", " (24)"} {
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
	if got["points_less_luck"] == 0 || got["luck"] == 0 {
		t.Errorf("luck %v, luck-adjusted %v", got["luck"], got["points_less_luck"])
	}
	if n := len(result.Datasets[0].MatchWorth); n != 2 {
		t.Errorf("%d agents have a worth of a match, want 2", n)
	}
}

// The table of --luck-table has the luck of every player in every hand, which add up to that of
// the report.
func TestReportLuckTable(t *testing.T) {
	dir := mustPlayTo(t, "a", "--matches", "4", "--agents", "greedy,greedy,tsumogiri,tsumogiri", "--record", "matches")
	table := filepath.Join(t.TempDir(), "luck.arrow")
	var result struct {
		Datasets []struct {
			Figures []struct {
				Section, Name, Of string
				Value, Sum, Count float64
			}
		}
	}
	for _, luck := range []string{"--luck=fast", "--luck"} {
		text, errOut, status := sparrowhall(t, "", "report", "--quiet", "--force", luck, "--json", "--workers", "2", dir, "--luck-table", table)
		if status != statusOK || errOut != "" {
			t.Fatalf("status %d, err %q", status, errOut)
		}
		if err := json.Unmarshal([]byte(text), &result); err != nil {
			t.Fatal(err)
		}
	}
	mean := 0.0
	for _, f := range result.Datasets[0].Figures {
		if f.Section == "agent" && f.Name == "luck" && f.Of == "greedy" {
			mean = f.Value
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
	if mean == 0 || math.Abs(sum-8*mean) > 1e-3 {
		t.Errorf("the hands of greedy add up to a luck of %v, want 8 times %v", sum, mean)
	}
	for want, args := range map[string][]string{
		"--luck-table: name a file":                {"--luck", "--luck-table", ""},
		"--luck-table writes what --luck measures": {"--luck-table", "x"},
		"--luck-table is of one dataset":           {"--luck", "--luck-table", "x", "another"},
		"--force says how":                         {"--luck", "--force"},
		"--luck=slow; allowed: strong, fast":       {"--luck=slow"},
		"--workers: -1":                            {"--luck", "--workers", "-1"},
	} {
		if _, errOut, status := sparrowhall(t, "", append([]string{"report", dir}, args...)...); status != statusUsage || !strings.Contains(errOut, want) {
			t.Errorf("%v: status %d, err %q, want %q", args, status, errOut, want)
		}
	}
	// Checked before the work: the dataset is not even opened.
	for path, want := range map[string]string{
		table: "--force replaces it",
		filepath.Join(t.TempDir(), "none", "luck.arrow"): "make it first",
		filepath.Join(table, "luck.arrow"):               "is no folder",
	} {
		if _, errOut, status := sparrowhall(t, "", "report", "--quiet", "--luck=fast", "no-dataset", "--luck-table", path); status != statusFailure || !strings.Contains(errOut, want) {
			t.Errorf("%s: status %d, err %q, want %q", path, status, errOut, want)
		}
	}
}
