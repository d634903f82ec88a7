package fitting_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/rollout"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/tools/fitting"
)

// blind plays as its player does, but does not consider winning by discard or robbing a kan.
type blind struct {
	rollout.Considerer
	blinded bool // at the last decision
}

func (b *blind) Act(v sim.View) sim.Action {
	a := b.Considerer.Act(v)
	b.blinded = a == sim.ActWin && v.Phase() == sim.PhaseClaim
	if b.blinded {
		return sim.ActPass
	}
	return a
}

func (b *blind) NumCandidates() int {
	if b.blinded {
		return 1
	}
	return b.Considerer.NumCandidates()
}

func (b *blind) Candidate(i int) sim.Action {
	if b.blinded {
		return sim.ActPass
	}
	return b.Considerer.Candidate(i)
}

// findUnlisted searches self-play of expert, or of the same blind to wins, with value to finish
// hands.
func findUnlisted(t *testing.T, preset string, blindfold bool, matches uint64, workers int) *fitting.Unlisted {
	t.Helper()
	r, err := configs.Load(preset)
	if err != nil {
		t.Fatal(err)
	}
	expert, err := agents.New("expert")
	if err != nil {
		t.Fatal(err)
	}
	value, err := agents.New("value")
	if err != nil {
		t.Fatal(err)
	}
	u, err := fitting.FindUnlisted(t.Context(), &fitting.UnlistedJob{
		Rules: r, Seed: 3, Matches: matches, Workers: workers, Share: 400, DiscardShare: 10, Redeals: 3, Deals: 3, NewFinisher: value,
		NewAgent: func(int) sim.Agent {
			if blindfold {
				return &blind{Considerer: expert().(rollout.Considerer)}
			}
			return expert()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func kind(u *fitting.Unlisted, name string) (found fitting.UnlistedKind) {
	for _, k := range u.Kinds {
		if k.Name == name {
			found = k
		}
	}
	return found
}

// TestUnlisted hides the wins on discards from a player. The search finds them, as the only kind
// of actions that is clearly good; a player who sees them has no such kind.
func TestUnlisted(t *testing.T) {
	u := findUnlisted(t, "zung_jung", true, 10, 2)
	if w := kind(u, "win"); w.Listed != 0 || w.Unlisted < 20 || !w.Gain.Clear || !w.Promising.Clear || w.Gain.Low < 0.3 || w.Promising.N > w.Unlisted {
		t.Errorf("hidden wins are %+v", w)
	}
	clear := 0
	for _, k := range u.Kinds {
		if k.Gain.Clear || k.Promising.Clear {
			clear++
		}
		for _, g := range []fitting.MeanGain{k.Gain, k.Promising} {
			if g.N > 0 && (!(g.Low <= g.Mean && g.Mean <= g.High) || math.IsNaN(g.Low)) {
				t.Errorf("%s: mean %v in [%v, %v]", k.Name, g.Mean, g.Low, g.High)
			}
		}
	}
	if clear != 1 || u.Decisions < 200 {
		t.Errorf("%d decisions: %d kinds are clearly good, want 1", u.Decisions, clear)
	}
	u = findUnlisted(t, "zung_jung", false, 10, 2)
	if w := kind(u, "win"); w.Unlisted > 0 {
		t.Errorf("wins of a player who takes them: %+v", w)
	}
	if k := kind(u, "playing on instead of a win"); k.Unlisted < 20 || k.Gain.High > 0 {
		t.Errorf("declined wins are %+v", k)
	}
}

// TestUnlistedWorkers gets the same result by one worker and by three, under rules of four and of
// three players.
func TestUnlistedWorkers(t *testing.T) {
	for _, preset := range []string{"tenhou", "tenhou_sanma", "mcr_2006", "taiwanese"} {
		one, three := findUnlisted(t, preset, false, 3, 1), findUnlisted(t, preset, false, 3, 3)
		if !reflect.DeepEqual(one, three) {
			t.Errorf("%s: the result depends on the number of workers", preset)
		}
		calls := 0
		for _, k := range one.Kinds {
			if strings.HasPrefix(k.Name, "pon") {
				calls += k.Listed + k.Unlisted
			}
		}
		if calls == 0 {
			t.Errorf("%s: no pon was examined", preset)
		}
	}
}
