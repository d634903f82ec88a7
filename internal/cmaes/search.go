// Package cmaes tunes the numeric parameters of agents by CMA-ES, the covariance matrix
// adaptation evolution strategy (Hansen, The CMA Evolution Strategy: A Tutorial, 2016).
// The fitness of a parameter vector is its luck-adjusted result in matches with common
// random numbers: the same duplicateSets for all vectors of a generation.
//
//	s := &cmaes.Search{Plan: plan, Rules: rules, NewAgent: newAgent, Workers: 4}
//	values, err := s.Run(ctx, journal, journal.Truncate)
package cmaes

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"gonum.org/v1/gonum/optimize"

	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Plan is what a search is to tune. With the version of the program it determines the
// result. It is the first line of the journal.
type Plan struct {
	// Name and Ruleset are the name and the text of the rules.
	Name, Ruleset string
	// Agent is the agent to tune, and Weights are the parameters that may change with
	// their initial values. Against are the opponents: three of the first on the first
	// duplicate set, three of the second on the next, and so on.
	Agent   string
	Weights []sim.Weight
	Against []string
	// Walls is the number of duplicate sets on which each candidate plays in every seat,
	// Population the number of candidates of a generation.
	Walls, Generations, Population int
	// Spread is the initial step size, relative to each weight, or to a tenth of its range
	// if that is larger: above 0, at most 1.
	Spread float64
	// Seed is that of the matches and of the search.
	Seed uint64
}

// Check returns an error if a plan cannot be carried out.
func (p *Plan) Check() error {
	switch {
	case len(p.Weights) == 0:
		return errors.New("cmaes: no weight is to be tuned; name at least one")
	case len(p.Against) == 0:
		return errors.New("cmaes: no opponent is named; name at least one")
	case p.Walls < 1 || p.Generations < 1:
		return fmt.Errorf("cmaes: %d duplicate sets and %d generations; at least one of each", p.Walls, p.Generations)
	case p.Population < 4:
		return fmt.Errorf("cmaes: a population of %d; at least 4", p.Population)
	case !(p.Spread > 0 && p.Spread <= 1):
		return fmt.Errorf("cmaes: a spread of %v; above 0 and at most 1", p.Spread)
	}
	return nil
}

// Trial is a candidate and its fitness.
type Trial struct {
	// Values are those of the plan's weights, in thousandths.
	Values []int32
	// Points is its fitness: the mean luck-adjusted gain in a match, in points.
	Points float64
}

// Generation is the summary of a generation.
type Generation struct {
	// Number counts from 0.
	Number int
	// Points is the mean fitness of its trials, Best the highest.
	Points, Best float64
	// Values are the mean of the search distribution after it.
	Values []int32
}

// Search carries out a plan.
type Search struct {
	Plan Plan
	// Rules are those of the plan's Ruleset.
	Rules *ruleset.Rules
	// NewAgent returns the constructor of an agent given as text.
	NewAgent func(text string) (func() sim.Agent, error)
	// Workers is the number of goroutines. The result does not depend on it.
	Workers int
	// Progress, if not nil, is called after each generation.
	Progress func(*Generation)

	journal   io.Writer
	journaled []Trial // of an earlier run
	trials    []Trial
	err       error
}

// Text returns the agent as text, with values for the weights of the plan instead of
// the initial ones.
func (p *Plan) Text(values []int32) string {
	name, given, _ := strings.Cut(p.Agent, ":")
	var options []string
	for option := range strings.SplitSeq(given, ",") {
		key, _, _ := strings.Cut(option, "=")
		if option != "" && !slices.ContainsFunc(p.Weights, func(w sim.Weight) bool { return w.Name == key }) {
			options = append(options, option)
		}
	}
	for i, w := range p.Weights {
		options = append(options, fmt.Sprintf("%s=%v", w.Name, float64(values[i])/1000))
	}
	return name + ":" + strings.Join(options, ",")
}

// Run searches and returns the values found. It resumes from the trials in the journal
// and appends new ones. It calls truncate to cut off a line that was not written whole,
// with the end of the whole lines.
func (s *Search) Run(ctx context.Context, journal io.ReadWriter, truncate func(end int64) error) ([]int32, error) {
	if err := s.Plan.Check(); err != nil {
		return nil, err
	}
	if err := s.readJournal(journal, truncate); err != nil {
		return nil, err
	}
	s.journal = journal
	start := make([]float64, len(s.Plan.Weights))
	problem := optimize.Problem{
		Func: func(x []float64) float64 { return -s.evaluate(ctx, x) },
		Status: func() (optimize.Status, error) {
			if s.err != nil {
				return optimize.Failure, s.err
			}
			return optimize.NotTerminated, nil
		},
	}
	settings := optimize.Settings{
		FuncEvaluations: s.Plan.Generations * s.Plan.Population, Concurrent: 1, Converger: optimize.NeverTerminate{},
	}
	method := optimize.CmaEsChol{
		InitStepSize: 1, Population: s.Plan.Population, StopLogDet: math.NaN(), Src: rand.NewPCG(s.Plan.Seed, 0x74756e65),
	}
	_, err := optimize.Minimize(problem, start, &settings, &method)
	switch {
	case s.err != nil:
		return nil, s.err
	case err != nil:
		return nil, fmt.Errorf("cmaes: %w", err)
	}
	// Average over the last quarter of the search, since one generation is noisy.
	sum, n := make([]float64, len(s.Plan.Weights)), 0
	for g := s.Plan.Generations - max(s.Plan.Generations/4, 1); g < s.Plan.Generations; g++ {
		for i, v := range s.mean(g) {
			sum[i] += v
		}
		n++
	}
	values := make([]int32, len(sum))
	for i := range sum {
		values[i] = int32(math.Round(sum[i] / float64(n)))
	}
	return values, nil
}

// readJournal reads the journal of an earlier run, or begins one.
func (s *Search) readJournal(journal io.ReadWriter, truncate func(end int64) error) error {
	s.journaled, s.trials, s.err = nil, nil, nil
	in := bufio.NewReader(journal)
	end := int64(0)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return err
		}
		if err == io.EOF {
			break // a line without an end was not written whole
		}
		if end == 0 {
			var p Plan
			if json.Unmarshal(line, &p) != nil || p.Agent == "" {
				return errors.New("this is no journal of a search; remove it to begin again")
			}
			if !reflect.DeepEqual(p, s.Plan) {
				return errors.New("it was begun with other flags, of which all but --workers must be the same to go on with it; remove it to begin again")
			}
		} else {
			var t Trial
			if err := json.Unmarshal(line, &t); err != nil || len(t.Values) != len(s.Plan.Weights) {
				return fmt.Errorf("trial %d of the journal is damaged; remove it to begin again", len(s.journaled))
			}
			s.journaled = append(s.journaled, t)
		}
		end += int64(len(line))
	}
	if err := truncate(end); err != nil {
		return err
	}
	if end == 0 {
		return writeLine(journal, s.Plan)
	}
	return nil
}

func writeLine(w io.Writer, x any) error {
	line, err := json.Marshal(x)
	if err == nil {
		_, err = w.Write(append(line, '\n'))
	}
	return err
}

// evaluate returns the fitness of a candidate: the offsets of the weights from their initial
// values, in steps of Spread. It takes it from the journal where an earlier run computed it.
func (s *Search) evaluate(ctx context.Context, x []float64) float64 {
	if s.err != nil {
		return 0
	}
	t := Trial{Values: make([]int32, len(x))}
	for i, w := range s.Plan.Weights {
		step := s.Plan.Spread * max(float64(w.Value), float64(w.Max-w.Min)/10)
		v := math.Round(float64(w.Value) + float64(step*x[i]))
		t.Values[i] = int32(max(float64(w.Min), min(v, float64(w.Max))))
	}
	n := len(s.trials)
	generation := n / s.Plan.Population
	if n < len(s.journaled) && slices.Equal(s.journaled[n].Values, t.Values) {
		t = s.journaled[n]
	} else {
		if n < len(s.journaled) {
			s.err = fmt.Errorf("trial %d of the journal differs from the candidate of this program; remove it to begin again", n)
			return 0
		}
		if t.Points, s.err = s.play(ctx, generation, t.Values); s.err == nil {
			s.err = writeLine(s.journal, t)
		}
		if s.err != nil {
			return 0
		}
	}
	s.trials = append(s.trials, t)
	if len(s.trials)%s.Plan.Population == 0 && s.Progress != nil {
		g := Generation{Number: generation, Best: math.Inf(-1)}
		for _, t := range s.trials[generation*s.Plan.Population:] {
			g.Points += t.Points / float64(s.Plan.Population)
			g.Best = max(g.Best, t.Points)
		}
		for _, v := range s.mean(generation) {
			g.Values = append(g.Values, int32(math.Round(v)))
		}
		s.Progress(&g)
	}
	return t.Points
}

// mean returns the weighted mean of the better half of a generation, from which CMA-ES
// samples the next (Hansen, 2016, equations 6 and 49).
func (s *Search) mean(generation int) []float64 {
	trials := slices.Clone(s.trials[generation*s.Plan.Population:][:s.Plan.Population])
	slices.SortStableFunc(trials, func(a, b Trial) int {
		switch {
		case a.Points > b.Points:
			return -1
		case a.Points < b.Points:
			return 1
		}
		return 0
	})
	sum, all := make([]float64, len(s.Plan.Weights)), 0.0
	half := s.Plan.Population / 2
	for i, t := range trials[:half] {
		w := math.Log(float64(half)+0.5) - math.Log(float64(i+1))
		all += w
		for j, v := range t.Values {
			sum[j] += float64(w * float64(v))
		}
	}
	for j := range sum {
		sum[j] /= all
	}
	return sum
}

// duplicateSets is the schedule of a trial: on each set agent 0 takes every seat in turn,
// against others of an opponent.
type duplicateSets struct {
	seats     int
	seed      uint64
	first     uint64 // set of the trial
	opponents int
}

// NumSeats implements sim.Schedule.
func (w duplicateSets) NumSeats() int { return w.seats }

// Match implements sim.Schedule.
func (w duplicateSets) Match(index uint64) (seed uint64, agents [sim.NumPlayers]uint8) {
	seats := uint64(w.seats)
	wall := w.first + index/seats
	for p := range agents[:seats] {
		if uint64(p) != index%seats {
			agents[p] = uint8(1 + wall%uint64(w.opponents))
		}
	}
	return sim.MatchSeed(w.seed, wall), agents
}

// block sums the results of agent 0 in some matches.
type block struct {
	variate *luck.LinearControlVariate
	points  int64
	luck    int64
}

func (b *block) add(m *sim.Match) error {
	if m.Forfeited != 0 {
		return fmt.Errorf("cmaes: a player answered illegally: %s", m.Forfeits[0].Reason)
	}
	me := slices.Index(m.Agents[:m.NumSeats()], 0)
	b.points += int64(m.Final.Points[me])
	if b.variate != nil {
		b.variate.Reset()
		for _, e := range m.Events {
			l := b.variate.Follow(e)
			b.luck += l[me]
		}
	}
	return nil
}

// play plays the matches of a trial and returns the mean luck-adjusted gain.
func (s *Search) play(ctx context.Context, generation int, values []int32) (float64, error) {
	texts := append([]string{s.Plan.Text(values)}, s.Plan.Against...)
	factories := make([]func() sim.Agent, len(texts))
	for i, text := range texts {
		var err error
		if factories[i], err = s.NewAgent(text); err != nil {
			return 0, err
		}
	}
	newBlock := func() *block { return new(block) }
	if e, err := luck.ValueFunctionFor(s.Rules); err == nil {
		newBlock = func() *block { return &block{variate: luck.NewLinearControlVariate(s.Rules, &e.Linear)} }
	}
	seats := s.Rules.NumSeats()
	matches := uint64(s.Plan.Walls * seats)
	job := &sim.Job{
		Rules: s.Rules, Schedule: duplicateSets{seats, s.Plan.Seed, uint64(generation) * uint64(s.Plan.Walls), len(s.Plan.Against)},
		Count: matches, Workers: s.Workers,
		NewAgent: func(n int) sim.Agent { return factories[n]() },
	}
	points, gained := int64(0), int64(0)
	err := sim.Run(ctx, job, newBlock, (*block).add, func(b *block) error {
		points, gained = points+b.points, gained+b.luck
		b.points, b.luck = 0, 0
		return nil
	})
	start := float64(s.Rules.StartingPoints)
	unit := float64(s.Rules.Unit())
	n := float64(matches)
	return float64(points)/n/unit - start - float64(gained)/luck.Unit/n/unit, err
}
