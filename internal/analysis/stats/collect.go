// Package stats computes statistics of datasets: the worth of the seats, how hands end, the
// value and patterns of wins, changes of the lead, the results of agents, and the share of
// luck in results. It reads datasets as streams, so they may be larger than memory. Package
// report writes the statistics.
//
//	r, err := stats.Collect(ctx, []string{"runs/ema", "runs/tenhou"}, nil, nil)
//	won := stats.Key{Section: stats.SectionHand, Name: "won"}
//	fmt.Println(r.Datasets[0].Figure(won).Estimate, r.Comparison(1, won).Difference)
//
// Every [Figure] is a ratio estimate over clusters with a 95 % interval (Cochran,
// Sampling techniques, 1977). Clusters are needed since the hands and players of one match
// depend on each other, and so do the matches of a duplicate set. Further datasets are
// compared with the first, match by match where they have common random numbers: the same
// seeds and agents.
package stats

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/matchluck"
	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// Figure is one estimate of a dataset.
type Figure struct {
	Key
	Meaning
	Estimate
}

// Summary is the statistics of one dataset.
type Summary struct {
	// Dir is the folder of the dataset, Ruleset the name of the preset or file.
	Dir     string `json:"dir"`
	Ruleset string `json:"ruleset"`
	Hash    string `json:"ruleset_hash"`
	Family  string `json:"family"`
	// Seats is 3 where three players play, otherwise 0.
	Seats int `json:"seats,omitempty"`
	// Changes are the knobs in which the ruleset differs from that of the first dataset,
	// nil where they are of different families.
	Changes []Change `json:"changes,omitempty"`
	Agents  []string `json:"agents"`
	Seed    uint64   `json:"seed"`
	// Sealed is the commitment of a sealed run, whose Seed is that of the seatings.
	Sealed   string `json:"sealed,omitempty"`
	Matches  uint64 `json:"matches"`
	Complete bool   `json:"complete"`
	// Hands reports whether hands were recorded. Without them there are only the figures
	// of the table matches.
	Hands bool `json:"hands_recorded"`
	// KeepSeats reports whether each agent has the same seat in all matches, Imported whether
	// the matches were played elsewhere. Format is then that of their records, which also
	// stands for players without names in Agents.
	KeepSeats     bool           `json:"keep_seats,omitempty"`
	Imported      bool           `json:"imported,omitempty"`
	Format        string         `json:"format,omitempty"`
	Figures       []Figure       `json:"figures"`
	Distributions []Distribution `json:"distributions"`
	// Skill is the analysis of placement points, SkillByRank that of ranks, both nil
	// where all agents are the same.
	Skill       *Skill `json:"skill,omitempty"`
	SkillByRank *Skill `json:"skill_by_rank,omitempty"`
	// Prices compares the prices of patterns with their rarity among wins, Offered with
	// their rarity among opportunities; see [Results.MeasureOpportunities].
	Prices  []PatternPrice `json:"prices,omitempty"`
	Offered []PatternPrice `json:"offered,omitempty"`
	// Suggestion is a ruleset file with the prices that Offered suggests, or empty.
	Suggestion string `json:"-"`
	// MatchWorth is nil unless luck was measured. Agents with too few matches for an interval are
	// left out.
	MatchWorth []MatchWorth `json:"match_worth,omitempty"`
}

// MatchWorth is the number of matches that one luck-adjusted match of an agent is worth:
// the variance of its points over that of its luck-adjusted points.
type MatchWorth struct {
	Agent string  `json:"agent"`
	Worth float64 `json:"worth"`
	// Low and High are the 95 % interval.
	Low  interval.Number `json:"low"`
	High interval.Number `json:"high"`
}

// MeasureLuck returns the luck of all matches of a dataset in their order.
type MeasureLuck func(*dataset.Dataset) ([]matchluck.Match, error)

// Comparison is the difference of a figure of one dataset from the same figure of the
// first.
type Comparison struct {
	Key
	Meaning
	// Dataset is the number of the dataset that is compared with number 0.
	Dataset int `json:"dataset"`
	// Paired reports whether both were played from the same seeds by the same agents, so
	// that matches are compared in pairs.
	Paired bool `json:"paired"`
	// Excluded reports whether the figure counts an event that one of the two rulesets
	// excludes and the other does not, so that the difference follows from the rule text.
	Excluded bool `json:"excluded,omitempty"`
	// Matches are those in which the figure changed most in the direction of the difference.
	Matches []uint64 `json:"matches,omitempty"`
	Difference
}

// Results are the statistics of one or more datasets.
type Results struct {
	Datasets []Summary `json:"datasets"`
	// Comparisons are those of all further datasets with the first.
	Comparisons []Comparison `json:"comparisons,omitempty"`
	// Contrasts are the interactions of changes of the ruleset.
	Contrasts []Contrast `json:"contrasts,omitempty"`
	// Curves are the responses of figures to knobs; see [Results.DrawCurves].
	Curves []Curve `json:"curves,omitempty"`
}

// Winds returns the names of the seats.
func (s *Summary) Winds() []string {
	if s.Seats == 3 {
		return Winds(3)
	}
	return Winds(4)
}

// source is a dataset that is being read. tally has the current cluster, datasetSums those
// before it.
type source struct {
	sums  *datasetSums
	tally *tally
	next  func() (*match, error, bool)
	stop  func()
	luck  []matchluck.Match // by match, nil if not measured
	// cluster is the number of the first match of the current cluster.
	cluster uint64
}

// ErrNothing is the error of datasets without matches.
var ErrNothing = errors.New("no match to report on")

// Collect reads datasets and computes their statistics. It measures luck unless measure
// is nil, and calls read, if not nil, with the number of matches read since the last
// call. The error names the dataset that has no matches, is damaged, or was written in
// another schema version.
func Collect(ctx context.Context, dirs []string, measure MeasureLuck, read func(matches int)) (*Results, error) {
	p, err := collect(ctx, dirs, measure, read)
	if err != nil {
		return nil, err
	}
	return p.Results(), nil
}

func collect(ctx context.Context, dirs []string, measure MeasureLuck, read func(matches int)) (*Partial, error) {
	var list []*source
	defer func() {
		for _, s := range list {
			s.stop()
		}
	}()
	var parts []*datasetSums
	for _, dir := range dirs {
		d, err := dataset.Open(dir)
		if err != nil {
			return nil, err
		}
		if d.Matches() == 0 {
			return nil, fmt.Errorf("%s: %w", dir, ErrNothing)
		}
		s := newSource(dir, d, measure != nil)
		list, parts = append(list, s), append(parts, s.sums)
		if measure != nil {
			if s.luck, err = measure(d); err != nil {
				return nil, err
			}
		}
	}
	for _, p := range parts[1:] {
		if err := p.Run.CheckComparable(parts[0].Run, p.Dir, parts[0].Dir); err != nil {
			return nil, err
		}
		if p.pair(parts[0]); samePlay(parts[0], p) {
			p.Joint = make([]crossSums, len(p.at))
		}
	}
	planContrasts(parts)
	if err := readAll(ctx, list, read); err != nil {
		return nil, err
	}
	return &Partial{parts}, nil
}

func newSource(dir string, d *dataset.Dataset, hasLuck bool) *source {
	t := newTally(d.Rules(), d.Manifest.Agents, d.Manifest.Record != schema.Matches, hasLuck)
	run := *d.Manifest
	run.Shard, run.Files, run.Rows = nil, nil, nil
	s := &source{tally: t, sums: &datasetSums{
		Dir: dir, Run: &run, Hash: fmt.Sprintf("%x", t.rules.Hash), Unit: t.rules.Unit(), First: d.First(), Matches: d.Matches(),
		Figures: t.defs, Sums: make([]ratioSums, len(t.defs)), Distributions: t.distributions,
		Skill:  newSkillSums(placementScores, t.rules.NumSeats(), t.agents, t.agentOf, setMatches(d)),
		ByRank: newSkillSums(rankScores, t.rules.NumSeats(), t.agents, t.agentOf, setMatches(d)), Prices: pricesOf(d.Run.Ruleset),
	}}
	for i := range t.defs {
		s.sums.Sums[i] = newRatioSums(t.defs[i].kind())
		if t.defs[i].isAdjusted() {
			s.sums.Sums[i].Control = &controlSums{}
		}
	}
	s.next, s.stop = readMatches(d, t.hasHands)
	return s
}

// readAll reads the datasets cluster by cluster in lockstep.
func readAll(ctx context.Context, list []*source, read func(int)) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := 0
		for _, s := range list {
			k, err := s.readCluster()
			if err != nil {
				return err
			}
			n += k
			if k > 0 && s.sums.Joint != nil {
				s.addPair(list[0])
			}
		}
		if n == 0 {
			return nil
		}
		for _, s := range list {
			if c := s.sums.Contrast; c != nil {
				c.add(list[c.Apart[0]].tally, list[c.Apart[1]].tally, s.tally)
			}
		}
		if read != nil {
			read(n)
		}
	}
}

// readCluster reads the next cluster and returns the number of its matches.
func (s *source) readCluster() (n int, err error) {
	t := s.tally
	clear(t.y)
	clear(t.x)
	clear(t.l)
	var set uint64
	for {
		m, err, ok := s.next()
		if err != nil {
			return n, err
		}
		if !ok {
			break
		}
		number := m.players[0].Match
		set = number / uint64(s.sums.Skill.Set)
		if n == 0 {
			s.cluster = number
		}
		if s.luck != nil {
			m.luck = s.luck[number-s.sums.First].Luck
		}
		t.read(m)
		s.sums.Skill.add(m)
		s.sums.ByRank.add(m)
		n++
		if s.sums.Skill.ends(m) {
			break
		}
	}
	if n == 0 {
		return 0, nil
	}
	for i := range s.sums.Sums {
		s.sums.Sums[i].add(t.y[i], t.x[i])
		if c := s.sums.Sums[i].Control; c != nil {
			c.add(set, t.y[i], t.x[i], t.l[i])
		}
	}
	return n, nil
}

// addPair adds the current cluster of this dataset and the first to the joint sums.
func (s *source) addPair(first *source) {
	a, b := first.tally, s.tally
	for i, at := range s.sums.at {
		if at >= 0 {
			s.sums.Joint[i].add(a.y[i], a.x[i], b.y[at], b.x[at])
			s.sums.Joint[i].note(s.cluster, a.y[i], a.x[i], b.y[at], b.x[at])
		}
	}
}

// readMatches returns a function that reads the next match of a dataset, with its hands if
// hands is set, and one that stops the reading. A match is valid until the next one.
func readMatches(d *dataset.Dataset, hands bool) (next func() (*match, error, bool), stop func()) {
	nextRows, stopRows := iter.Pull2(d.MatchesByRows())
	nextHand, stopHands := func() (schema.HandRow, error, bool) { return schema.HandRow{}, nil, false }, func() {}
	if hands {
		nextHand, stopHands = iter.Pull2(d.HandRows())
	}
	var m match
	next = func() (*match, error, bool) {
		rows, err, ok := nextRows()
		if err != nil || !ok {
			return nil, err, false
		}
		m.players = append(m.players[:0], rows...)
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
