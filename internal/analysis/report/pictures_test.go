package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
)

// TestSymlogTicks has enough ticks on a narrow and on a wide axis.
func TestSymlogTicks(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		want      []string
	}{
		{-40, 20, []string{"0", "-1", "1", "-3", "3", "-10", "10", "-30"}},
		{-120, -15, []string{"-20", "-50", "-100"}},
		{-0.5, 0.5, []string{"0"}},
	} {
		var got []string
		for _, tick := range (symlog{}).Ticks(test.low, test.high) {
			got = append(got, tick.Label)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("from %v to %v: %s", test.low, test.high, diff)
		}
	}
}

// TestWidened puts bars together without losing a case.
func TestWidened(t *testing.T) {
	bars := []stats.Bar{{From: 1, To: 2, Count: 1, Share: 0.1}, {From: 2, To: 3, Count: 2, Share: 0.2}, {From: 3, To: 4, Count: 3, Share: 0.3}, {From: 7, To: 8, Count: 4, Share: 0.4}}
	want := []stats.Bar{{From: 0, To: 2, Count: 1, Share: 0.1}, {From: 2, To: 4, Count: 5, Share: 0.5}, {From: 6, To: 8, Count: 4, Share: 0.4}}
	if diff := cmp.Diff(want, widened(bars, 2)); diff != "" {
		t.Error(diff)
	}
}

// TestDescribeHabit writes rates with three digits.
func TestDescribeHabit(t *testing.T) {
	for want, h := range map[string]stats.Habit{
		"dominant in 30.0 % instead of 10.0 % (3 times as often)":        {Name: "dominant", Rate: 0.3, Others: 0.1},
		"never by others in 3.00 % instead of 0 % (never by the others)": {Name: "never by others", Rate: 0.03},
	} {
		if got := describeHabit(&h); got != want {
			t.Error(got)
		}
	}
}
