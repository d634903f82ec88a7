// Package report works out statistics from datasets: what the seats are worth,
// how hands end, what they are worth and of which patterns, how matches go, how
// the agents do, and how much of it is luck. It reads datasets as a stream, so
// they may be larger than memory.
//
// Every figure is an amount divided by a number of cases and comes with a 95 %
// interval that respects what belongs together: the hands and players of one
// match, and in a tournament the matches that share their walls. Several
// datasets are compared figure by figure; where they were played from the same
// seeds by the same agents, match by match.
package report

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/sparrowhall/sparrowhall/export"
)

// Figure is one estimate of a dataset.
type Figure struct {
	Key
	Meaning
	Estimate
}

// Summary is what a dataset says.
type Summary struct {
	// Dir is the folder as it was named, Ruleset the preset or file.
	Dir     string `json:"dir"`
	Ruleset string `json:"ruleset"`
	Hash    string `json:"ruleset_hash"`
	Family  string `json:"family"`
	// Changes are the knobs in which the ruleset differs from that of the first dataset,
	// where both are of one family.
	Changes []Change `json:"changes,omitempty"`
	// Agents are those of the run.
	Agents []string `json:"agents"`
	Seed   uint64   `json:"seed"`
	// Sealed is the commitment of a sealed run, whose Seed is that of the seatings.
	Sealed   string `json:"sealed,omitempty"`
	Matches  uint64 `json:"matches"`
	Complete bool   `json:"complete"`
	// Hands tells whether hands were recorded; without them there are only the
	// figures that table matches gives.
	Hands         bool           `json:"hands_recorded"`
	Figures       []Figure       `json:"figures"`
	Distributions []Distribution `json:"distributions"`
	// Skill is that of placement points, SkillByRank that of ranks.
	Skill       *Skill `json:"skill,omitempty"`
	SkillByRank *Skill `json:"skill_by_rank,omitempty"`
	// Prices sets the prices of patterns beside how rare they are.
	Prices []PatternPrice `json:"prices,omitempty"`
	// Offered does the same with how rare they are among what players are offered, where
	// that was looked at; see [Report.Offer].
	Offered []PatternPrice `json:"offered,omitempty"`
	// suggestion is a ruleset file with the prices suggested by what is offered.
	suggestion string
	// MatchWorth tells, where luck was measured, how many matches one match is worth
	// when its luck is taken off.
	MatchWorth []MatchWorth `json:"match_worth,omitempty"`
}

// MatchWorth is how many matches of an agent one is worth when the luck is taken off:
// the ratio of the variances of its points and of its points less luck.
type MatchWorth struct {
	Agent string  `json:"agent"`
	Worth float64 `json:"worth"`
}

// Measure returns the luck of all matches of a dataset in their order.
type Measure func(*export.Dataset) ([]export.MatchLuck, error)

// Comparison is how a figure of one dataset differs from the same figure of the
// first.
type Comparison struct {
	Key
	Meaning
	// Dataset is the number of the dataset that is compared with number 0.
	Dataset int `json:"dataset"`
	// Paired tells that both were played from the same seeds by the same
	// agents, so that the difference is that of matches in pairs.
	Paired bool `json:"paired"`
	Difference
}

// Report is the statistics of one or more datasets.
type Report struct {
	Datasets []Summary `json:"datasets"`
	// Comparisons are those of all further datasets with the first.
	Comparisons []Comparison `json:"comparisons,omitempty"`
	// Answers say in sentences what the comparisons show.
	Answers []Answer `json:"answers,omitempty"`
	// Adaptation says what players make of the first dataset's ruleset who adapt to it, nil
	// if that was not tried.
	Adaptation *Adaptation `json:"adaptation,omitempty"`
	// Contrasts are those of the datasets with the changes of two others.
	Contrasts []Contrast `json:"contrasts,omitempty"`
	// Curves say how figures follow knobs; see [Report.DrawCurves].
	Curves []Curve `json:"curves,omitempty"`
}

// SeedText says what the seed of the dataset is: a number, or the beginning of the
// commitment to one that was drawn.
func (s *Summary) SeedText() string {
	if s.Sealed != "" {
		return fmt.Sprintf("sealed %.16s", s.Sealed)
	}
	return fmt.Sprintf("seed %d", s.Seed)
}

// source is a dataset that is read.
type source struct {
	*part
	tally   *tally
	matches func() (*match, error, bool)
	stop    func()
	// luck is that of the matches, if it was measured.
	luck []export.MatchLuck
}

// ErrNothing is the error of datasets without matches.
var ErrNothing = errors.New("no match to report on")

// Collect reads datasets and works out their statistics. It calls read with the
// number of matches that were read since the last call. Figures are compared with
// those of the first dataset. Datasets of other schema versions and damaged ones
// are errors that name the file. Luck is measured unless measure is nil.
func Collect(ctx context.Context, dirs []string, measure Measure, read func(matches int)) (*Report, error) {
	p, err := collect(ctx, dirs, measure, read)
	if err != nil {
		return nil, err
	}
	return p.Report(), nil
}

func collect(ctx context.Context, dirs []string, measure Measure, read func(matches int)) (*Partial, error) {
	var list []*source
	defer func() {
		for _, s := range list {
			s.stop()
		}
	}()
	for _, dir := range dirs {
		d, err := export.Open(dir)
		if err != nil {
			return nil, err
		}
		if d.Matches() == 0 {
			return nil, fmt.Errorf("%s: %w", dir, ErrNothing)
		}
		s := newSource(dir, d, measure != nil)
		list = append(list, s)
		if measure != nil {
			if s.luck, err = measure(d); err != nil {
				return nil, err
			}
		}
	}
	first := list[0]
	for _, s := range list[1:] {
		if s.pair(first.part); samePlay(first.part, s.part) {
			s.Joint = make([]joint, len(s.at))
		}
	}
	var parts []*part
	for _, s := range list {
		parts = append(parts, s.part)
	}
	contrasts(parts)
	if err := readAll(ctx, list, read); err != nil {
		return nil, err
	}
	return &Partial{parts}, nil
}

func newSource(dir string, d *export.Dataset, hasLuck bool) *source {
	t := newTally(d.Rules(), d.Manifest.Agents, d.Manifest.Record != export.Matches, hasLuck)
	run := *d.Manifest
	run.Shard, run.Files, run.Rows = nil, nil, nil
	s := &source{tally: t, part: &part{
		Dir: dir, Run: &run, Hash: fmt.Sprintf("%x", t.rules.Hash), Unit: t.rules.Unit(), First: d.First(), Matches: d.Matches(),
		Figures: t.defs, Sums: make([]sums, len(t.defs)), Distributions: t.distributions,
		Skill:  newSkillSums(placementScores, t.agents, t.agentOf, setMatches(d)),
		ByRank: newSkillSums(rankScores, t.agents, t.agentOf, setMatches(d)), Prices: pricesOf(d.Run.Ruleset),
	}}
	for i := range t.defs {
		s.Sums[i] = newSums(t.defs[i].kind())
	}
	s.matches, s.stop = readMatches(d, t.hasHands)
	return s
}

// readAll reads one cluster after another of all datasets side by side.
func readAll(ctx context.Context, list []*source, read func(int)) error {
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		more = false
		n := 0
		for _, s := range list {
			k, err := s.cluster()
			if err != nil {
				return err
			}
			if k == 0 {
				continue
			}
			n += k
			more = true
			if s.Joint != nil {
				s.join(list[0])
			}
		}
		for _, s := range list {
			if c := s.Contrast; c != nil && n > 0 {
				c.add(list[c.Apart[0]].tally, list[c.Apart[1]].tally, s.tally)
			}
		}
		if read != nil && n > 0 {
			read(n)
		}
	}
	return nil
}

// cluster reads the next cluster and returns the number of its matches.
func (s *source) cluster() (int, error) {
	t := s.tally
	clear(t.y)
	clear(t.x)
	n := 0
	for {
		m, err, ok := s.matches()
		if err != nil {
			return n, err
		}
		if !ok {
			break
		}
		if s.luck != nil {
			m.luck = s.luck[m.players[0].Match-s.First].Luck
		}
		t.read(m)
		s.Skill.add(m)
		s.ByRank.add(m)
		n++
		if s.Skill.ends(m) {
			break
		}
	}
	if n > 0 {
		for i := range s.Sums {
			s.Sums[i].add(t.y[i], t.x[i])
		}
	}
	return n, nil
}

// join adds the cluster that both datasets have just read.
func (s *source) join(first *source) {
	a, b := first.tally, s.tally
	for i, at := range s.at {
		if at >= 0 {
			s.Joint[i].add(a.y[i], a.x[i], b.y[at], b.x[at])
		}
	}
}

// readMatches returns what reads the matches of a dataset in their order, with
// their hands if they were recorded, and what ends it.
func readMatches(d *export.Dataset, hands bool) (next func() (*match, error, bool), stop func()) {
	nextRow, stopRows := iter.Pull2(d.MatchRows())
	nextHand, stopHands := func() (export.HandRow, error, bool) { return export.HandRow{}, nil, false }, func() {}
	if hands {
		nextHand, stopHands = iter.Pull2(d.HandRows())
	}
	var m match
	next = func() (*match, error, bool) {
		for p := range m.players {
			row, err, ok := nextRow()
			if err != nil || !ok {
				return nil, err, false
			}
			m.players[p] = row
		}
		m.hands = m.hands[:0]
		for hands && len(m.hands) < int(m.players[0].Hands) {
			h, err, ok := nextHand()
			if err != nil {
				return nil, err, false
			}
			if !ok || h.Match != m.players[0].Match {
				return nil, fmt.Errorf("match %d has %d hands, but %d are in table hands", m.players[0].Match, m.players[0].Hands, len(m.hands)), false
			}
			m.hands = append(m.hands, h)
		}
		return &m, nil, true
	}
	return next, func() { stopRows(); stopHands() }
}
