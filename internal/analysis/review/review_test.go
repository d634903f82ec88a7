package review_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/analysis/review"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// sanma is a ruleset of three players.
const sanma = "tenhou_sanma"

func play(t *testing.T, preset string, hands int64, seed uint64, names [sim.NumPlayers]string) (*ruleset.Rules, *sim.Match) {
	t.Helper()
	r, err := configs.LoadWith(preset, map[string]any{"max_hands": hands})
	if err != nil {
		t.Fatal(err)
	}
	var seated [sim.NumPlayers]sim.Agent
	for p, name := range names {
		newAgent, err := agents.New(name)
		if err != nil {
			t.Fatal(err)
		}
		seated[p] = newAgent()
	}
	m := &sim.Match{Seed: seed, Keep: sim.KeepChoices}
	m.Play(r, &seated)
	return r, m
}

func judged(t *testing.T, r *ruleset.Rules, m *sim.Match, judge string, o review.Options) *review.Review {
	t.Helper()
	newJudge, err := agents.New(judge)
	if err != nil {
		t.Fatal(err)
	}
	o.NewJudge = newJudge
	found, err := review.Match(t.Context(), r, m, o)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// What is to be judged is known before, and is what one player did differently.
func TestProgress(t *testing.T) {
	r, m := play(t, "ema_2016", 1, 3, [...]string{"greedy", "greedy", "value", "value"})
	total, done := -1, 0
	found := judged(t, r, m, "value", review.Options{
		Deals: 2, Players: sim.Player(0).Bit(), Workers: 2,
		Begin: func(n int) { total = n }, Done: func(n int) { done += n },
	})
	checkRatings(t, found)
	if total != done || total != len(found.Decisions) || total == 0 {
		t.Errorf("%d of %d decisions, %d found", done, total, len(found.Decisions))
	}
}

// Who plays as the judge does has nothing to answer for, under any rules.
func TestSame(t *testing.T) {
	for _, preset := range append(configs.Names(), sanma) {
		r, m := play(t, preset, 1, 3, [...]string{"value", "value", "value", "value"})
		found := judged(t, r, m, "value", review.Options{Deals: 2, Players: 1<<r.NumSeats() - 1, Workers: 2})
		if len(found.Decisions) != 0 || len(found.Players) != r.NumSeats() {
			t.Errorf("%s: %+v", preset, found)
		}
		for _, s := range found.Players {
			if s.Decisions == 0 || s.Other != 0 || s.Cost != 0 {
				t.Errorf("%s: %+v", preset, s)
			}
		}
	}
}

// A player who discards what he draws and never wins does clearly worse than the
// judge, in every family; and the number of workers changes nothing.
func TestWorse(t *testing.T) {
	for _, preset := range []string{"ema_2016", "mcr_2006", "universal", "hkma_hktw", sanma} {
		r, m := play(t, preset, 2, 5, [...]string{"greedy", "tsumogiri", "greedy", "greedy"})
		o := review.Options{Deals: 30, Players: sim.Player(1).Bit(), Workers: 1}
		found := judged(t, r, m, "greedy", o)
		if len(found.Players) != 1 || found.Players[0].Player != 1 || found.Players[0].Other == 0 || !(found.Players[0].Cost > 0) {
			t.Errorf("%s: %+v", preset, found.Players)
		}
		hands := map[int]bool{}
		for _, d := range found.Decisions {
			hands[d.Hand] = true
			if second := d.Step >= m.Hands[1].FirstAction; second != (d.Hand == 1) || d.Event != int(m.Choices[d.Step].EventIndex) {
				t.Errorf("%s: step %d, event %d is in hand %d", preset, d.Step, d.Event, d.Hand)
			}
			if d.Player != 1 || m.Actions[d.Step] != d.Choice || d.Choice == d.Better || !(d.Low <= d.Cost.Cost && d.Cost.Cost <= d.High) {
				t.Errorf("%s: %+v", preset, d)
			}
		}
		if !hands[0] || !hands[1] {
			t.Errorf("%s: decisions of the hands %v only", preset, hands)
		}
		luck, err := review.Luck(r, m, [sim.NumPlayers]sim.Agent{})
		if err != nil || len(luck) != r.NumSeats() || !slices.ContainsFunc(luck, func(x float64) bool { return x != 0 }) {
			t.Errorf("%s: luck %v, %v", preset, luck, err)
		}
		o.Workers = 3
		one, _ := json.Marshal(found)
		three, _ := json.Marshal(judged(t, r, m, "greedy", o))
		if string(one) != string(three) {
			t.Errorf("%s: three workers find something else:\n%s\n%s", preset, three, one)
		}
	}
}

// TestSureWin reviews a win that was let go: what it costs can be told before.
func TestSureWin(t *testing.T) {
	for seed := uint64(1); seed < 200; seed++ {
		r, m := play(t, "universal", 1, seed, [...]string{"greedy", "greedy", "greedy", "greedy"})
		last := len(m.Actions) - 1
		if m.Actions[last] != sim.ActWin || m.Choices[last].Legal.Len() != 2 || !m.Choices[last].Legal.Has(sim.ActPass) {
			continue
		}
		// The same hand, but that the winner passes and all after him discard what they draw.
		winner := m.Choices[last].Player
		passing := &sim.Match{Seed: seed, Keep: sim.KeepChoices}
		var seated [sim.NumPlayers]sim.Agent
		step := 0
		for p := range seated {
			seated[p] = &scripted{m: m, last: last, step: &step}
		}
		passing.Play(r, &seated)
		found := judged(t, r, passing, "greedy", review.Options{Deals: 20, Players: winner.Bit(), Workers: 2})
		for _, d := range found.Decisions {
			if d.Step == last {
				if d.Better != sim.ActWin || !(d.Cost.Cost > 0) || d.Kind != review.Wins || !strings.Contains(d.Sentence("en", r), "it passed a win. The judge wins.") {
					t.Errorf("seed %d: a win let go is judged %+v", seed, d)
				}
				return
			}
		}
		t.Fatalf("seed %d: the win that was let go is not among %+v", seed, found.Decisions)
	}
	t.Fatal("no hand ended by a win that could be let go")
}

// scripted answers as in a match until its last decision.
type scripted struct {
	m    *sim.Match
	step *int
	last int
}

func (s *scripted) Act(v sim.View) sim.Action {
	n := *s.step
	*s.step++
	legal := v.Legal()
	switch {
	case n < s.last:
		return s.m.Actions[n]
	case n == s.last:
		return sim.ActPass
	}
	return sim.DefaultAction(&legal)
}

// checkRatings checks that every decision has the judge's ratings, its own answer first, and that the kinds have all
// decisions.
func checkRatings(t *testing.T, found *review.Review) {
	t.Helper()
	better, counts, rated := map[int]sim.Action{}, [sim.NumPlayers]int{}, 0
	for _, d := range found.Decisions {
		better[d.Step] = d.Better
	}
	for _, r := range found.Ratings {
		counts[r.Player]++
		if len(r.Losses) == 0 {
			continue
		}
		rated++
		if own, differs := better[r.Step]; r.Losses[0].Points != 0 || differs && r.Losses[0].Action != own {
			t.Errorf("decision %d: %+v, the judge answers %v", r.Step, r.Losses, own)
		}
	}
	for _, s := range found.Players {
		sum := 0
		for _, k := range s.Kinds {
			sum += k.Decisions
		}
		if s.Decisions != counts[s.Player] || sum != s.Decisions || s.Decisions == 0 {
			t.Errorf("player %d: %d decisions, %d rated, %d in kinds", s.Player, s.Decisions, counts[s.Player], sum)
		}
	}
	if 2*rated < len(found.Ratings) {
		t.Errorf("%d of %d decisions have ratings", rated, len(found.Ratings))
	}
}
