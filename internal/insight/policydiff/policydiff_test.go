package policydiff_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/insight/policydiff"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

func changed(t *testing.T, preset, knob string, value any) *ruleset.Rules {
	t.Helper()
	r, err := configs.Change(preset, map[string]any{knob: value})
	if err != nil {
		t.Fatal(err)
	}
	return r.Rules()
}

// job lets an agent play all seats under a preset and some variants.
func job(t *testing.T, agent, preset string, variants ...*ruleset.Rules) *policydiff.Job {
	t.Helper()
	base, err := configs.Load(preset)
	if err != nil {
		t.Fatal(err)
	}
	f, err := agents.New(agent)
	if err != nil {
		t.Fatal(err)
	}
	return &policydiff.Job{
		Base: base, Variants: variants, Schedule: sim.Rotation{Seed: 5}, Matches: 6, Workers: 2,
		NewAgent: func(int) sim.Agent { return f() },
	}
}

func run(t *testing.T, j *policydiff.Job) []policydiff.Difference {
	t.Helper()
	list, err := policydiff.Run(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Rules that a player does not look at are not answered, those he looks at are, and
// nobody answers rules that are as they were, whatever he draws at random.
func TestResponses(t *testing.T) {
	for _, agent := range []string{"random", "value"} {
		base, _ := configs.Load("ema_2016")
		r := run(t, job(t, agent, "ema_2016", base))[0]
		if r.Changed != 0 || r.Apart != 0 || r.Decisions == 0 || !strings.HasPrefix(r.String(), "The players do not respond") {
			t.Errorf("%s, the same rules: %+v", agent, r)
		}
	}
	list := run(t, job(t, "value", "ema_2016",
		changed(t, "ema_2016", "ura_dora", false), changed(t, "ema_2016", "patterns.chiitoitsu", "off")))
	if r := list[0]; r.Changed != 0 || r.Apart != 0 {
		t.Errorf("value looks at ura dora: %+v", r)
	}
	if r := list[1]; r.Changed == 0 || r.Apart == 0 || !strings.Contains(r.String(), `of the kind "discards"`) {
		t.Errorf("value plays for seven pairs that do not exist: %+v", r)
	}
}

// Few different answers are counted, many are given as a share.
func TestSlight(t *testing.T) {
	for changed, want := range map[int]string{
		1:  "The players hardly respond: in the same position they answer otherwise in only 1 of 2000 decisions of 3 matches.",
		2:  "The players respond: in the same position they answer otherwise in 0.1 % of 2000 decisions of 3 matches; 2 of these 2 are of the kind \"calls\".",
		90: "The players respond: in the same position they answer otherwise in 4.5 % of 2000 decisions of 3 matches; 90 of these 90 are of the kind \"calls\".",
	} {
		r := policydiff.Difference{Matches: 3, Decisions: 2000, Changed: changed, Kinds: []policydiff.Count{{Kind: "calls", Decisions: 2000, Changed: changed}}}
		if text := r.String(); text != want {
			t.Errorf("%q, want %q", text, want)
		}
	}
}

// A rule that changes what may be done parts the tables, and does not count as an
// answer.
func TestApart(t *testing.T) {
	r := run(t, job(t, "greedy", "ema_2016", changed(t, "ema_2016", "multi_win", "nearest")))[0]
	if r.Changed != 0 || r.Apart >= r.Hands {
		t.Errorf("greedy looks at how many may win: %+v", r)
	}
	if r = run(t, job(t, "greedy", "ema_2016", changed(t, "ema_2016", "min_win", 13)))[0]; r.Apart == 0 {
		t.Errorf("wins that are no longer allowed: %+v", r)
	}
	r = run(t, job(t, "greedy", "mcr_2006", changed(t, "mcr_2006", "flowers", "none")))[0]
	if !strings.Contains(r.String(), "is unknown") || r.Decisions != 0 {
		t.Errorf("another wall: %+v", r)
	}
}

func TestWorkers(t *testing.T) {
	variant := changed(t, "mcr_2006", "min_win", 6)
	one, many := job(t, "value", "mcr_2006", variant), job(t, "value", "mcr_2006", variant)
	one.Workers, many.Workers = 1, 3
	one.Matches, many.Matches = 3, 3
	if diff := cmp.Diff(run(t, one), run(t, many)); diff != "" {
		t.Errorf("one worker and three differ:\n%s", diff)
	}
}

// follower follows a match by its events.
type follower struct{ sim.Agent }

func (follower) Listen(sim.View, []sim.Event) {}

func TestErrors(t *testing.T) {
	j := job(t, "greedy", "ema_2016", changed(t, "ema_2016", "ura_dora", false))
	plain := j.NewAgent
	j.NewAgent = func(n int) sim.Agent { return follower{plain(n)} }
	if _, err := policydiff.Run(t.Context(), j); !errors.Is(err, policydiff.ErrOutside) {
		t.Errorf("error %v, want ErrOutside", err)
	}
	j.NewAgent = plain
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := policydiff.Run(ctx, j); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}
