package heuristic

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestSearchStart refuses rules without a network.
func TestSearchStart(t *testing.T) {
	r, err := configs.Load("zung_jung")
	if err != nil {
		t.Fatal(err)
	}
	other := *r
	other.Family = "other"
	for options, want := range map[string]string{"search=8": `no network for "other"`, "": ""} {
		x := expertOf(t, options)
		if err := x.Start(r); err != nil {
			t.Error(err)
		}
		if err := x.Start(&other); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", options, err, want)
		}
	}
}

// searchChecker compares each decision of an expert that searches with one that does not.
type searchChecker struct {
	*Expert
	t                      *testing.T
	plain                  *Expert
	searches, other, kinds int
}

func (c *searchChecker) Act(v sim.View) sim.Action {
	if c.closeSearch != nil {
		c.closeSearch.redeals = 0
	}
	a, b := c.Expert.Act(v), c.plain.Act(v)
	s := c.closeSearch
	if s == nil || s.redeals == 0 {
		if a != b {
			c.t.Errorf("without a search %v is played instead of %v", a, b)
		}
		return a
	}
	c.searches++
	c.kinds |= 1 << c.SearchKind(v, s.indices)
	if a != b {
		c.other++
	}
	if s.redeals != c.options.searchRedeals || len(s.indices) < 2 || c.plain.Candidate(s.indices[0]) != b {
		c.t.Errorf("%d redeals of %d candidates, the first %v instead of %v", s.redeals, len(s.indices), c.plain.Candidate(s.indices[0]), b)
	}
	played := math.MinInt
	for i := range c.NumCandidates() {
		if c.Candidate(i) == a {
			played = c.PredictedGain(i)
		}
	}
	for i := range c.NumCandidates() {
		if c.PredictedGain(i) > played {
			c.t.Errorf("%v has a higher predicted gain than %v, which is played", c.Candidate(i), a)
		}
	}
	for i, candidate := range s.indices {
		if gap := c.plain.PredictedGain(s.indices[0]) - c.plain.PredictedGain(candidate); gap < 0 || gap > 61 {
			c.t.Errorf("candidate %d is %d thousandths below the first", i, gap)
		}
	}
	return a
}

// TestSearch sees what is searched, and that the play is that of expert elsewhere.
func TestSearch(t *testing.T) {
	for _, preset := range []string{"tenhou", "mcr_2006", sanma} {
		r, err := configs.LoadWith(preset, map[string]any{"max_hands": int64(6)})
		if err != nil {
			t.Fatal(err)
		}
		c := &searchChecker{Expert: expertOf(t, "search=8"), plain: expertOf(t, ""), t: t}
		seats := [sim.NumPlayers]sim.Agent{c, expertOf(t, ""), expertOf(t, ""), expertOf(t, "")}
		m := sim.Match{Seed: 3}
		m.Play(r, &seats)
		if c.searches < 10 || c.kinds&(1<<SearchCalm) == 0 {
			t.Errorf("%s: %d searches of the kinds %b", preset, c.searches, c.kinds)
		}
		t.Logf("%s: %d searches, %d other answers, kinds %b", preset, c.searches, c.other, c.kinds)
	}
}

// TestSearchBudget sees that a search ends at its budget, and that one too short to measure the
// noise changes nothing.
func TestSearchBudget(t *testing.T) {
	r, err := configs.LoadWith("tenhou", map[string]any{"max_hands": int64(1)})
	if err != nil {
		t.Fatal(err)
	}
	x := expertOf(t, "search=1024,budget=1")
	seats := [sim.NumPlayers]sim.Agent{x, expertOf(t, ""), expertOf(t, ""), expertOf(t, "")}
	begun := time.Now()
	m := sim.Match{Seed: 3}
	m.Play(r, &seats)
	if x.closeSearch == nil || x.closeSearch.redeals == 0 || x.closeSearch.redeals == 1024 {
		t.Fatal("no search ended at its budget")
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("a hand took %v", took)
	}
}

// TestSearchTrusts holds corrections to their formula, and the trusts to their bounds: a search is
// not trusted more than it is right.
func TestSearchTrusts(t *testing.T) {
	trust := searchTrust{truth: 0.0024, all: 0.006}
	for _, c := range []struct{ predicted, found, noise, want float64 }{
		{-0.01, 0.05, 0, 0.06 * 0.4},
		{-0.01, 0.05, 0.006, 0.06 * 0.2},
		{-0.01, 0.05, 1e9, 0},
		{-0.01, -0.05, 0, -0.04 * 0.4},
	} {
		if got := trust.correction(c.predicted, c.found, c.noise); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v: correction %.6f", c, got)
		}
	}
	for name, kinds := range searchTrusts {
		if networks.Get("weights/"+name+".bin") == nil {
			t.Errorf("%s has no network", name)
		}
		for kind, trust := range kinds {
			if trust.truth < 0 || trust.truth > trust.all || trust.all == 0 {
				t.Errorf("%s, kind %d: %+v", name, kind, trust)
			}
		}
	}
}
