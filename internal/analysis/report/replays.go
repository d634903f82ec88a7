package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/pages/viewer"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// addMatches adds to a finding the match in which its figure changed most, under both rulesets.
func (r *Report) addMatches(f *findings.Finding, dataset int, matches []uint64) {
	if len(matches) == 0 {
		return
	}
	for _, i := range []int{0, dataset} {
		f.Matches = append(f.Matches, findings.Match{Dir: sanitize.Line(r.Datasets[i].Dir), Number: matches[0], Page: r.replays[replay{i, matches[0]}]})
	}
}

// replay is a match of a dataset.
type replay struct {
	dataset int
	match   uint64
}

// writeReplays writes to a folder the pages of the matches in which the figures of the findings
// changed most, and links the summary to them. Matches that cannot be replayed, such as those of
// a sealed run, are left out.
func (r *Report) writeReplays(dir string) error {
	r.replays = map[replay]string{}
	for _, f := range r.Summary().Findings {
		for n, m := range f.Matches {
			key := replay{f.Dataset * n, m.Number}
			if r.replays[key] != "" {
				continue
			}
			name := fmt.Sprintf("replay_%d_%d.html", key.dataset+1, m.Number)
			switch err := r.writeReplay(filepath.Join(dir, name), key); {
			case err == nil:
				r.replays[key] = name
			case !errors.Is(err, errNoReplay):
				return err
			}
		}
	}
	return nil
}

var errNoReplay = errors.New("the match cannot be replayed")

func (r *Report) writeReplay(path string, of replay) error {
	d, err := dataset.Open(r.folders[of.dataset])
	if err != nil {
		return errNoReplay
	}
	rules, m, names, err := ReadMatch(d, of.match)
	if err != nil {
		return errNoReplay
	}
	return writeFile(path, func(f *os.File) error {
		return viewer.Write(f, rules, m, names, [sim.NumPlayers]sim.Agent{}, nil)
	})
}

// ReadMatch returns a match of a dataset with its rules and the names of its players, all of them
// in printable characters.
func ReadMatch(d *dataset.Dataset, index uint64) (r *ruleset.Rules, m *sim.Match, names [sim.NumPlayers]string, err error) {
	if m, err = d.Match(index); err != nil {
		return nil, nil, names, err
	}
	names, err = d.Names(m)
	for p := range names {
		names[p] = sanitize.Line(names[p])
	}
	rules := *d.Rules()
	rules.Name = sanitize.Line(rules.Name)
	return &rules, m, names, err
}
