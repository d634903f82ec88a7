package suggest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/internal/suggest"
)

func TestTo(t *testing.T) {
	names := []string{"ema_2016", "ema_2016_en", "mleague", "tenhou", "wrc"}
	for _, c := range []struct {
		word string
		n    int
		want []string
	}{
		{"tenho", 1, []string{"tenhou"}},
		{"Tennhou", 1, []string{"tenhou"}},
		{"ema", 2, []string{"ema_2016", "ema_2016_en"}},
		{"m_league", 1, []string{"mleague"}},
		{"wrc2025", 1, []string{"wrc"}},
		{"", 1, []string{"wrc"}},
		{"x", 9, []string{"wrc", "tenhou", "mleague", "ema_2016", "ema_2016_en"}},
	} {
		if got := suggest.Nearest(c.word, names, c.n); !cmp.Equal(got, c.want) {
			t.Errorf("nearest to %q: %v, want %v", c.word, got, c.want)
		}
	}
	if got := suggest.Nearest("x", nil, 3); got != nil {
		t.Errorf("nearest of none: %v", got)
	}
}
