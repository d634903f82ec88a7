package stats_test

import (
	"fmt"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/analysis/report"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
)

// Where nothing differs but by chance, at most 15 of 200 summaries have a finding: of two
// datasets with other seeds, of one whose seats are worth the same, and of a sweep, whose
// matches are compared in pairs.
func TestSummariesOfNothing(t *testing.T) {
	matches, size, runs, most, names := uint64(512), 400, 20, 3, []string{"greedy", "greedy", "greedy", "greedy"}
	if stats.Long {
		matches, size, runs, most, names = 4096, 1000, 200, 15, []string{"value", "value", "value", "value"}
	}
	s := stats.Simulate(t, "ema_2016", map[string]any{"river_lock": "off", "pass_lock": "off"}, matches, names...)
	for _, c := range []struct {
		what string
		draw func() *stats.Results
	}{
		{"report of one dataset", func() *stats.Results { return s.Alike(size) }},
		{"report of two datasets", func() *stats.Results { return s.Unchanged(size, false) }},
		{"sweep", func() *stats.Results { return s.Unchanged(size, true) }},
	} {
		found := 0
		for range runs {
			if list := report.New(c.draw()).Summary().Findings; len(list) > 0 {
				found++
				t.Logf("%s: %s %s", c.what, list[0].Text, list[0].Number)
			}
		}
		t.Logf("| %s | %d of %d |", c.what, found, runs)
		if found > most {
			t.Errorf("%s: %d of %d summaries have a finding, at most %d", c.what, found, runs, most)
		}
	}
}

// A sweep of 1,000 matches finds planted changes of the value of wins and of the length of matches
// in nine of ten runs: 3 % and 5 % where the rule touches few matches, 3.5 % and 5 % where it changes
// most of them. With -v it prints the
// smallest change of each headline that nine of ten runs find, a table of docs/research/measurements.md.
func TestSmallestFindings(t *testing.T) {
	value, length := stats.Key{Section: stats.SectionWin, Name: "value"}, stats.Key{Section: stats.SectionMatch, Name: "hands"}
	if !stats.Long {
		s := stats.Simulate(t, "ema_2016", map[string]any{"multi_win": "nearest"}, 512, "greedy", "greedy", "greedy", "greedy")
		if found := s.Found(value, 0.2, 400, 20, true); found < 0.9 {
			t.Errorf("a change of 20 %% of the value of wins is found in %v of the runs", found)
		}
		if found := s.Found(length, 0.0001, 400, 20, true); found > 0.2 {
			t.Errorf("a change of 0.01 %% of the length of matches is found in %v of the runs", found)
		}
		return
	}
	names := []string{"value", "value", "value", "value"}
	some := stats.Simulate(t, "ema_2016", map[string]any{"multi_win": "nearest"}, 4096, names...)
	much := stats.Simulate(t, "ema_2016", map[string]any{"river_lock": "off", "pass_lock": "off"}, 4096, names...)
	t.Log("| figure | mean | sweep, the rule touches few matches | sweep, it touches most | other seeds |")
	for _, k := range stats.Headlines {
		line := fmt.Sprintf("| %s | %.4g |", k, much.Mean(k))
		for _, c := range []struct {
			s      *stats.Simulation
			paired bool
		}{{some, true}, {much, true}, {much, false}} {
			scale := 1.0
			if u := some.Unit(k); u == stats.Points && k.Section == stats.SectionDealer {
				scale = 1000 // the edge of the dealer in points
			}
			low, high := 0.0, scale
			for range 9 {
				if middle := (low + high) / 2; c.s.Found(k, middle, 1000, 100, c.paired) >= 0.9 {
					high = middle
				} else {
					low = middle
				}
			}
			if scale == 1 {
				line += fmt.Sprintf(" %.2g %% |", 100*high)
			} else {
				line += fmt.Sprintf(" %.2g |", high)
			}
			if c.paired && (k == value && (high > 0.035 || c.s == some && high > 0.03) || k == length && high > 0.05) {
				t.Errorf("%s: the smallest change found is %v", k, high)
			}
		}
		t.Log(line)
	}
}
