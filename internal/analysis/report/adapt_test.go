package report_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/report"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
)

// One who plays far better than three others has adapted well: what he wins by is found.
func TestAdapted(t *testing.T) {
	open := func(names ...string) *dataset.Dataset {
		d, err := dataset.Open(play(t, "botzone", 256, schema.Hands, names...))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d, same := open("greedy", "random", "random", "random"), open("tsumogiri", "random", "random", "random")
	a, err := stats.EvaluateAdaptation(t.Context(), d, same, 1000, 2)
	if err != nil {
		t.Fatal(err)
	}
	if !a.LuckAdjusted || !a.Clear() || a.Matches != 256 || a.Searched != 1000 || a.Agent != "random" || a.Found != "greedy" {
		t.Errorf("%+v", a)
	}
	// The mean without luck adjustment is near.
	sum := 0.0
	for row, err := range d.MatchRows() {
		if err != nil {
			t.Fatal(err)
		}
		if row.Agent == 0 {
			sum += float64(row.Points) / 256
		}
	}
	if math.Abs(sum-a.Worth.Value) > 5*a.Worth.Error+3 {
		t.Errorf("%v points a match, less luck %v", sum, a.Worth.Text(stats.Points))
	}
	// Each of the three is luck-adjusted by a coefficient of its own, so that the difference
	// is not exactly the third.
	if !(a.Beyond.Low > 0) || math.Abs(a.Worth.Value-a.Before.Value-a.Beyond.Value) > 0.2*a.Beyond.Error {
		t.Errorf("worth %v, before %v, beyond %v", a.Worth.Text(stats.Points), a.Before.Text(stats.Points), a.Beyond.Text(stats.Points))
	}
	var dominant []string
	for i := range a.Habits {
		if h := &a.Habits[i]; h.Dominant() {
			dominant = append(dominant, h.Name)
		}
	}
	if !slices.Contains(dominant, "win") || len(dominant) < 8 {
		t.Errorf("dominant: %q of %+v", dominant, a.Habits)
	}
	text := strings.Join(report.DescribeAdaptation(a), "\n")
	for _, want := range []string{
		"one random whose weights were tuned in 1000 matches scores ", " luck-adjusted points a match", "in 256 other matches.", "which is a clear gain.", "\nA dominant strategy: ", ", and ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if _, err := stats.EvaluateAdaptation(t.Context(), open("greedy", "random", "greedy", "random"), nil, 1, 1); !errors.Is(err, stats.ErrNotAdapted) {
		t.Errorf("error %v, want ErrNotAdapted", err)
	}
}
