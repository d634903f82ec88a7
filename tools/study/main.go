// Study computes the figures of docs/research/study.md from the datasets that
// tools/study/study.sh has played. It writes the tables of the page, its pictures, and all
// figures as text. docs/study.md is the summary; its figures are among them.
//
//	go -C tools run ./study ../runs/study ../docs
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/analysis/report"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/insight/policydiff"
)

// rulesets are compared with each other. The study proposes changes of changedRulesets, and
// players adapt to adaptedRulesets.
var (
	rulesets        = []string{"ema_2016", "wrc", "hkma_league_a", "tenhou", "mcr_2006", "universal", "zung_jung", "hkma_hktw"}
	changedRulesets = []string{"ema_2016", "hkma_league_a", "mcr_2006", "universal", "zung_jung", "hkma_hktw"}
	adaptedRulesets = []string{"universal", "hkma_hktw"}
)

// kinds are the kinds of players, four of one kind at a table. They are published, so their play
// never changes; strongerKind improves from version to version and has a chapter of its own.
var (
	kinds        = []string{"value", "greedy"}
	strongerKind = "expert"
)

// The fields of tournaments: players who all know how to play, the same with the stronger
// one among them, and some with a beginner.
const (
	ableField     = "able"
	strongField   = "strong"
	beginnerField = "beginner"
)

// test is a comparison of two rulesets, effect one of a variant with the ruleset as it is.
type (
	test struct {
		kind string
		key  stats.Key
		i, j int
	}
	effect struct {
		kind, ruleset string
		variant       int
		key           stats.Key
	}
	response struct {
		kind, ruleset string
		variant       int
	}
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: study RUNS DOCS")
	}
	s := &study{dir: os.Args[1], docs: os.Args[2]}
	if err := s.make(); err != nil {
		log.Fatal(err)
	}
}

// study is the datasets and the results computed from them.
type study struct {
	// dir is the folder of the datasets, docs that of the documentation.
	dir, docs string
	// plays are the reports that compare the rulesets, by kind of players, the stronger
	// included; counts are the counts of their hands.
	plays  map[string]series
	counts map[string][]*counts
	// tests are all comparisons of two rulesets: those of the kinds are corrected for
	// their number, and apart from them those of the stronger.
	tests map[test]*stats.Difference
	// cups are the tournaments of a field, by the ruleset's name; screens are those that
	// tried changes, by the ruleset that was changed, with the ruleset as it is first.
	cups    map[string]map[string]series
	screens map[string]series
	// changes are the rulesets of the last chapter with their variants, of each kind;
	// the last variant is the one that is proposed. effects are what the variants
	// change, responses holds how often policies differ under them.
	changes   map[string]map[string]series
	effects   map[effect]*stats.Difference
	responses map[response]*policydiff.Difference
	tables    []*table
	facts     []string
}

func (s *study) make() error {
	for _, step := range []func() error{s.readPlays, s.readCups, s.readChanges, s.writeNotes, s.writeCourse, s.writeSeats, s.writeEnds, s.writeWorth, s.writePatterns, s.writeSkill, s.writeScreened, s.writeProposals, s.writeChanged, s.writeSearched, s.writeAdaptations, s.writeRobust, s.writeStronger, s.writeBySeed, s.drawPictures} {
		if err := step(); err != nil {
			return err
		}
	}
	return s.write()
}

// seeds returns the folders of a folder, one for each seed.
func (s *study) seeds(path ...string) ([]string, error) {
	list, err := filepath.Glob(filepath.Join(append([]string{s.dir}, append(path, "[0-9]*")...)...))
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s: nothing was played; tools/study/study.sh does", filepath.Join(append([]string{s.dir}, path...)...))
	}
	slices.Sort(list)
	return list, err
}

// collect reports on datasets of several rulesets, seed by seed. folders returns those of a
// ruleset, one for each seed.
func collect(names []string, folders func(name string) ([]string, error)) (series, error) {
	var all [][]string
	for _, name := range names {
		dirs, err := folders(name)
		if err != nil {
			return nil, err
		}
		for i, dir := range dirs {
			if i == len(all) {
				all = append(all, nil)
			}
			all[i] = append(all[i], dir)
		}
	}
	return collectAll(all)
}

// collectAll reports on the datasets of each seed.
func collectAll(all [][]string) (series, error) {
	var s series
	for _, dirs := range all {
		if len(dirs) != len(all[0]) {
			return nil, fmt.Errorf("%s: some seeds have %d datasets, others %d", dirs[0], len(dirs), len(all[0]))
		}
		r, err := stats.Collect(context.Background(), dirs, nil, nil)
		if err != nil {
			return nil, err
		}
		s = append(s, report.New(r))
	}
	return s, nil
}

func (s *study) readPlays() error {
	s.plays, s.counts, s.tests = map[string]series{}, map[string][]*counts{}, map[test]*stats.Difference{}
	var list []*stats.Difference
	for _, kind := range kinds {
		more, err := s.readKind(kind)
		if err != nil {
			return err
		}
		list = append(list, more...)
	}
	stats.Adjust(list)
	list, err := s.readKind(strongerKind)
	stats.Adjust(list)
	return err
}

// readKind reads the matches of four players of a kind and returns the comparisons of
// rulesets that they allow.
func (s *study) readKind(kind string) (list []*stats.Difference, err error) {
	folders := func(name string) ([]string, error) { return s.seeds("play", kind, name) }
	for i, name := range rulesets {
		r, err := collect(rulesets[i:], folders)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			s.plays[kind] = r
		}
		for _, k := range comparedKeys {
			for j := i + 1; j < len(rulesets); j++ {
				if d, ok := r.difference(j-i, k); ok {
					s.tests[test{kind, k, i, j}] = &d
					list = append(list, &d)
				}
			}
		}
		dirs, err := folders(name)
		if err != nil {
			return nil, err
		}
		c, err := count(dirs)
		if err != nil {
			return nil, err
		}
		s.counts[kind] = append(s.counts[kind], c)
	}
	return list, nil
}

func (s *study) readCups() error {
	s.cups = map[string]map[string]series{}
	for _, field := range []string{ableField, strongField, beginnerField} {
		s.cups[field] = map[string]series{}
		names := slices.Clone(rulesets)
		for _, name := range changedRulesets {
			if field != beginnerField {
				names = append(names, proposal(name))
			}
		}
		for _, name := range names {
			r, err := collect([]string{name}, func(name string) ([]string, error) { return s.seeds("cup", field, name) })
			if err != nil {
				return err
			}
			s.cups[field][name] = r
		}
	}
	s.screens = map[string]series{}
	for _, name := range changedRulesets {
		dirs, err := filepath.Glob(filepath.Join(s.dir, "cup", "screen", name, "*"))
		if err != nil {
			return err
		}
		var tried []string
		for _, dir := range dirs {
			if base := filepath.Base(dir); base == "base" {
				tried = slices.Insert(tried, 0, base)
			} else {
				tried = append(tried, base)
			}
		}
		folders := func(base string) ([]string, error) { return s.seeds("cup", "screen", name, base) }
		if s.screens[name], err = collect(tried, folders); err != nil {
			return err
		}
	}
	return nil
}

// proposal is the name under which the changed ruleset was played.
func proposal(name string) string { return name + "_changed" }

// readChanges reads the sweeps and the proposals, and compares them with the rulesets as
// they are. Probabilities are corrected for the number of all of these comparisons.
func (s *study) readChanges() error {
	s.changes, s.responses, s.effects = map[string]map[string]series{}, map[response]*policydiff.Difference{}, map[effect]*stats.Difference{}
	var list []*stats.Difference
	for i, kind := range kinds {
		s.changes[kind] = map[string]series{}
		for _, name := range changedRulesets {
			r, err := s.variants(i, name)
			if err != nil {
				return err
			}
			s.changes[kind][name] = r
			for v := 1; v < len(r[0].Datasets); v++ {
				for _, c := range columns {
					if d, ok := r.difference(v, c.key); ok {
						s.effects[effect{kind, name, v, c.key}] = &d
						list = append(list, &d)
					}
				}
			}
		}
	}
	stats.Adjust(list)
	return nil
}

// variants reads the sweeps of a ruleset at all seeds with the i-th kind of players,
// and what is proposed beside them.
func (s *study) variants(i int, name string) (series, error) {
	sweeps, err := s.seeds("sweep", name)
	if err != nil {
		return nil, err
	}
	proposed, err := s.seeds("play", kinds[i], proposal(name))
	if err != nil {
		return nil, err
	}
	var all [][]string
	for n, dir := range sweeps {
		if i > 0 {
			dir = filepath.Join(dir, fmt.Sprintf("field%d", i+1))
		}
		dirs, err := filepath.Glob(filepath.Join(dir, "[0-9][0-9]_*"))
		if err != nil {
			return nil, err
		}
		if len(dirs) == 0 || n >= len(proposed) {
			return nil, fmt.Errorf("%s: no variants were played, or no proposal", dir)
		}
		slices.Sort(dirs)
		all = append(all, append(dirs, proposed[n]))
		if err := s.readResponses(kinds[i], name, filepath.Join(dir, "report", "report.json")); err != nil {
			return nil, err
		}
	}
	return collectAll(all)
}

// readResponses adds up how often the players of a sweep decide differently.
func (s *study) readResponses(kind, name, path string) error {
	var r struct {
		Answers []report.Answer `json:"answers"`
	}
	if err := readJSON(path, &r); err != nil {
		return err
	}
	for i, a := range r.Answers {
		if a.Response == nil {
			continue
		}
		sum := s.responses[response{kind, name, i + 1}]
		if sum == nil {
			sum = &policydiff.Difference{}
			s.responses[response{kind, name, i + 1}] = sum
		}
		sum.Decisions += a.Response.Decisions
		sum.Changed += a.Response.Changed
	}
	return nil
}

func readJSON(path string, to any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, to); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
