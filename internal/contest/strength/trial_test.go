package strength

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
)

// knownLuck plays matches of two agents in which a part of the luck is known.
type knownLuck struct {
	// ahead is by how many Elo points agent 0 is stronger.
	ahead float64
	// known is the part of the variance of a player's score that the luck tells.
	known float64
}

// play adds the matches of the run until add says that it is enough.
func (w *knownLuck) play(run *dataset.Run, seed uint64, add func([]schema.MatchRow, *luck.Points) bool) {
	s := run.Tournament.Schedule
	r := rand.New(rand.NewPCG(seed, 9))
	rows := make([]schema.MatchRow, 4)
	for index := range s.Matches() {
		_, agents := s.Match(index)
		var scores [4]float64
		var gained luck.Points
		for p, a := range agents {
			// The luck of a Gumbel distribution makes the model
			// exact; what is told of it is the luck and noise.
			x := gumbel(r)
			deviation := math.Pi / math.Sqrt(6)
			told := math.Sqrt(w.known)*(x-0.5772156649) + math.Sqrt(1-w.known)*deviation*r.NormFloat64()
			gained[p] = int64(1000 * told * luck.Unit)
			scores[p] = x
			if a == 0 {
				scores[p] += w.ahead / Elo
			}
			rows[p] = schema.MatchRow{Match: index, Player: uint8(p), Agent: a}
		}
		for p := range rows {
			rows[p].Rank = 1
			for q := range rows {
				if scores[q] > scores[p] {
					rows[p].Rank++
				}
			}
		}
		if !add(rows, &gained) {
			return
		}
	}
}

// newTrial returns a tournament of two agents that asks whether the first is better.
func newTrial(t *testing.T, seed uint64, most uint64, question dataset.Accept) (*dataset.Run, *Trial) {
	t.Helper()
	run, _ := newTournament(t, arena.Plan{Seed: seed, Agents: 2, Selection: arena.EveryLineup, Repeats: true, Seatings: 4, Rounds: most})
	run.Tournament.Accept = &question
	if err := run.Check(); err != nil {
		t.Fatal(err)
	}
	return run, NewTrial(run)
}

// fixedSize returns how many matches a test of fixed size needs for the same question
// and error rates: from the deviation of the results of duplicate sets.
func fixedSize(t *testing.T, question dataset.Accept) float64 {
	run, trial := newTrial(t, 1, 40000, question)
	w := knownLuck{}
	w.play(run, 77, func(rows []schema.MatchRow, _ *luck.Points) bool {
		trial.Add(rows, nil)
		return true
	})
	variance := (trial.yy - trial.y*trial.y/trial.n) / (trial.n - 1)
	quantile := distuv.UnitNormal.Quantile
	gap := eloShare(question.Elo1) - eloShare(question.Elo0)
	return 4 * math.Pow((quantile(1-question.Alpha)+quantile(1-question.Beta))/gap, 2) * variance
}

// TestTrial checks the error rates of the sequential test where the truth is either of
// its bounds, and how many matches it needs of those of a test of fixed size on the same
// results. With -v it prints the table of docs/research/measurements.md.
func TestTrial(t *testing.T) {
	trials := sample(60, 1000)
	question := dataset.Accept{A: 0, B: 1, Elo0: 0, Elo1: 20, Alpha: 0.05, Beta: 0.05}
	fixed := fixedSize(t, question)
	for _, c := range []struct {
		truth, known float64
	}{{question.Elo0, 0}, {question.Elo1, 0}, {question.Elo0, 0.6}, {question.Elo1, 0.6}} {
		question.Luck = c.known > 0
		w := knownLuck{ahead: c.truth, known: c.known}
		wrong, open := 0, 0
		var matches, explained float64
		for trial := range trials {
			run, test := newTrial(t, uint64(trial), uint64(6*fixed/12), question)
			look := test.Next(0)
			var played uint64
			w.play(run, uint64(trial), func(rows []schema.MatchRow, luck *luck.Points) bool {
				if !question.Luck {
					luck = nil
				}
				test.Add(rows, luck)
				if played = rows[0].Match + 1; played == min(look, run.Matches) {
					look = test.Next(look)
					return test.Evidence().Verdict == Open
				}
				return true
			})
			matches += float64(played)
			e := test.Evidence()
			if question.Luck {
				explained += float64(e.Explained) / float64(trials)
			}
			switch e.Verdict {
			case Open:
				open++
			case Accepted:
				wrong += int(one(c.truth == question.Elo0))
			case Rejected:
				wrong += int(one(c.truth == question.Elo1))
			}
		}
		rate, part := float64(wrong)/float64(trials), matches/float64(trials)/fixed
		t.Logf("| %v | %.2f | %.3f | %.0f | %.0f | %.2f |", c.truth, explained, rate, matches/float64(trials), fixed, part)
		if slack := 3 * math.Sqrt(0.05*0.95/float64(trials)); rate > 0.05+slack {
			t.Errorf("%+v: wrong in %.3f of the tournaments", c, rate)
		}
		if open > 0 {
			t.Errorf("%+v: %d of %d tournaments without a verdict", c, open, trials)
		}
		most := 0.6
		if !long {
			most = 0.7 // of so few tournaments
		}
		if part > most {
			t.Errorf("%+v: %.2f of the matches of a test of fixed size", c, part)
		}
		if c.known > 0 && math.Abs(explained-0.5) > 0.25 {
			t.Errorf("%+v: luck explains %.2f of the variance", c, explained)
		}
	}
}

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// TestTrialSets holds that the duplicate set is the unit: a match counts nothing before its
// set is whole, and agents beside the two do not count.
func TestTrialSets(t *testing.T) {
	run, _ := newTournament(t, arena.Plan{Seed: 1, Agents: 5, Selection: arena.EveryLineup, Seatings: 4, Rounds: 1})
	run.Tournament.Accept = &dataset.Accept{A: 3, B: 1, Elo1: 10, Alpha: 0.05, Beta: 0.05}
	trial := NewTrial(run)
	sets := 0
	for index := range run.Matches {
		_, agents := run.Tournament.Schedule.Match(index)
		rows := make([]schema.MatchRow, 4)
		with := 0
		for p, a := range agents {
			rows[p] = schema.MatchRow{Match: index, Player: uint8(p), Agent: a, Rank: uint8(5 - a)} // 3 is ahead of 1
			if a == 3 || a == 1 {
				with++
			}
		}
		trial.Add(rows, nil)
		if index%4 == 3 && with == 2 {
			sets++
		}
		if int(trial.n) != sets {
			t.Fatalf("match %d: %v sets, want %d", index, trial.n, sets)
		}
	}
	if sets != 3 || trial.y != 3 {
		t.Errorf("%d sets, ahead in %v", sets, trial.y)
	}
	if e := trial.Evidence(); e.Verdict != Open || e.LogRatio.Known() {
		t.Errorf("after three sets: %+v", e)
	}
}

// TestTrialBounds compares with Wald's bounds and the odds of Elo points.
func TestTrialBounds(t *testing.T) {
	trial := Trial{question: dataset.Accept{Elo1: 400, Alpha: 0.05, Beta: 0.1}, seatings: 4}
	e := trial.Evidence()
	if got := fmt.Sprintf("%.4f %.4f %.4f", e.Lower, e.Upper, eloShare(400)); got != "-2.2513 2.8904 0.9091" {
		t.Errorf("bounds and share %s", got)
	}
}
