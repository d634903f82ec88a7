package table

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/export/seal"
	"github.com/sparrowhall/sparrowhall/sim"
)

// recorded writes a dataset of one match of value and opens it.
func recorded(t *testing.T, preset string, hands int64) *dataset.Dataset {
	t.Helper()
	o := options(t, preset, "value", hands)
	dir := filepath.Join(t.TempDir(), "recorded")
	names := []string{"value", "value", "value", "value"}[:o.Ruleset.Rules().NumSeats()]
	run := &dataset.Run{Ruleset: o.Ruleset, Seed: 5, Matches: 1, Agents: names, KeepSeats: true, Record: schema.Decisions, FileMatches: dataset.DefaultFileMatches}
	w, err := dataset.Create(dir, run, false)
	if err != nil {
		t.Fatal(err)
	}
	newAgent := o.Agents[1].New
	err = w.Play(t.Context(), &sim.Job{NewAgent: func(int) sim.Agent { return newAgent() }, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestBranch goes on from a moment of matches of all families, once for one hand and once to the
// end, and from a moment of the second branch. Every branch begins as the match that was recorded,
// can be verified, and names its source; the page sees no more than its player may.
func TestBranch(t *testing.T) {
	for _, preset := range []string{"tenhou", "mcr_2006", "universal", "hkma_hktw", "hk_old_style", "taiwanese", sanma} {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			d := recorded(t, preset, 3)
			for _, moment := range [][2]int{{1, 20}, {2, 0}} {
				o := options(t, preset, "value", 3)
				b, err := NewBranch(d, 0, moment[0], moment[1])
				if err != nil {
					t.Fatal(err)
				}
				from, p := o.Agents[1], b.Asked
				for q := range o.Agents[:o.Ruleset.Rules().NumSeats()] {
					o.Agents[q] = from
				}
				o.Agents[p] = Agent{}
				o.From, o.Out, o.Coach = b, t.TempDir(), expertCoach
				s := serve(t, o)
				first := s.playAs(t, p, "", 1)
				second := s.playAs(t, p, first[len(first)-1].id, -1)
				s.stop()
				for i, all := range [][]received{first, second} {
					d2, m := opened(t, filepath.Join(o.Out, []string{"match-0001", "match-0002"}[i]))
					compareSeen(t, all, m, p, &o.Ruleset.Rules().Flow)
					source, err := d.Match(0)
					if err != nil {
						t.Fatal(err)
					}
					if n := b.From.Actions; n == 0 || !slices.Equal(m.Actions[:n], source.Actions[:n]) || int(m.Choices[n].Player) != int(p) {
						t.Errorf("branch %d does not begin as the match", i)
					}
					if im := d2.Manifest.Import; im == nil || im.From == nil || *im.From != b.From || im.Digest != d.Digest() {
						t.Errorf("the manifest has %v", im)
					}
					if i == 0 && (!m.Truncated || len(m.Hands) != moment[0]+1) {
						t.Errorf("the first branch has %d hands", len(m.Hands))
					}
					if i == 1 && moment[0] == 1 {
						if _, err := NewBranch(d2, 0, 1, 5); err != nil {
							t.Errorf("a branch of a branch: %v", err)
						}
					}
				}
			}
		})
	}
}

func opened(t *testing.T, dir string) (*dataset.Dataset, *sim.Match) {
	t.Helper()
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Verify(t.Context(), 1, func(int) {}); err != nil {
		t.Error(err)
	}
	m, err := d.Match(0)
	if err != nil {
		t.Fatal(err)
	}
	return d, m
}

// TestBranchRestart ends a sitting in the midst of a branch: it goes on where it stood, but not as a
// branch of another moment.
func TestBranchRestart(t *testing.T) {
	d := recorded(t, "ema_2016", 2)
	b, err := NewBranch(d, 0, 0, 30)
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, "ema_2016", "value", 2)
	newAgent, err := agents.New("value")
	if err != nil {
		t.Fatal(err)
	}
	for q := range o.Agents {
		o.Agents[q] = Agent{Name: "value", New: newAgent}
	}
	o.Agents[b.Asked] = Agent{}
	o.From, o.Out = b, t.TempDir()
	s := serve(t, o)
	answers := 0
	s.follow(t, s.Key(b.Asked), "", func(m received) bool {
		if m.kind == "question" {
			if answers == 3 {
				return false
			}
			answers++
			s.answerFirst(t, s.Key(b.Asked), questionOf(t, m))
		}
		return true
	})
	s.stop()
	other := o
	if other.From, err = NewBranch(d, 0, 0, 31); err != nil {
		t.Fatal(err)
	}
	if err := serve2(t, other); err == nil || !strings.Contains(err.Error(), "is in progress here") {
		t.Errorf("another moment: %v", err)
	}
	s = serve(t, o)
	s.playAs(t, b.Asked, "", -1)
	s.stop()
	opened(t, filepath.Join(o.Out, "match-0001"))
}

// TestBranchRefusals checks the errors of moments that a match does not have, and of an answer to
// begin again where no branch is played.
func TestBranchRefusals(t *testing.T) {
	d := recorded(t, "ema_2016", 2)
	for _, c := range []struct {
		match      uint64
		hand, step int
		text       string
	}{
		{1, 0, 0, "match 1"},
		{0, 2, 0, "hand 2; the match has hands 0 to 1"},
		{0, -1, 0, "hand -1"},
		{0, 1, 999, "step 999; hand 1 has steps 0 to"},
		{0, 0, -1, "step -1"},
	} {
		if _, err := NewBranch(d, c.match, c.hand, c.step); err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	last := 0
	for {
		b, err := NewBranch(d, 0, 1, last)
		if err != nil {
			if !strings.Contains(err.Error(), "at the end of the match") {
				t.Errorf("step %d: %v", last, err)
			}
			break
		}
		if b.Asked < 0 {
			t.Fatal("no player is asked")
		}
		last++
	}
	s := serve(t, options(t, "ema_2016", "greedy", 1))
	q := s.firstQuestion(t)
	if status, text := s.answer(t, s.Key(0), q.Question, -1); status != 422 {
		t.Errorf("%d %s", status, text)
	}
}

// A branch of a sealed match has its hidden tiles and its random numbers: at the table of the branch
// players who draw lots answer as in the record. Without the seed it is refused.
func TestBranchOfSealedMatch(t *testing.T) {
	o := options(t, "ema_2016", "random", 2)
	dir, secret := t.TempDir(), seal.New()
	run := &dataset.Run{Ruleset: o.Ruleset, Matches: 1, KeepSeats: true, Record: schema.Decisions, FileMatches: dataset.DefaultFileMatches}
	for range sim.NumPlayers {
		run.Agents = append(run.Agents, "random")
	}
	run.SetSeal(secret)
	w, err := dataset.Create(dir, run, false)
	if err != nil {
		t.Fatal(err)
	}
	random := o.Agents[1].New()
	if err := w.Play(t.Context(), &sim.Job{NewAgent: func(int) sim.Agent { return random }, Workers: 1, Sealed: true}); err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	unrevealed, err := secret.Info(false).Parse()
	if err != nil {
		t.Fatal(err)
	}
	d.Run.SetSeal(unrevealed)
	if _, err := NewBranch(d, 0, 1, 5); !errors.Is(err, dataset.ErrSealed) {
		t.Errorf("a branch without the seed: %v", err)
	}
	if err := d.Unseal(secret); err != nil {
		t.Fatal(err)
	}
	b, err := NewBranch(d, 0, 1, 5)
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Match(0)
	if err != nil {
		t.Fatal(err)
	}
	table, err := b.start(o.Ruleset.Rules())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for hand := 0; !table.Over(); hand++ {
		m.Deal(&table, hand, nil)
		for p := range table.RestOfHand() {
			if a, err := sim.Ask(random, table.View(p)); a != m.Actions[n] || err != nil {
				t.Fatalf("decision %d: player %d answers %v, %v; recorded is %v", n, p, a, err, m.Actions[n])
			}
			if _, err := table.Step(p, m.Actions[n], nil); err != nil {
				t.Fatal(err)
			}
			n++
		}
	}
	if n != len(m.Actions) || n < 40 {
		t.Errorf("%d of %d decisions", n, len(m.Actions))
	}
}
