package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/progress"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/sim"
)

// runJournal is the [sim.Journal] of a run: it counts matches and warns of forfeits as each
// match ends, before its block is complete, and passes the match to the dataset.
type runJournal struct {
	progress *progress.Progress
	forfeits *forfeits
	// journal is that of the dataset, nil if none is written.
	journal sim.Journal
	hands   atomic.Uint64 // played so far
}

// Recall implements sim.Journal.
func (j *runJournal) Recall(m *sim.Match) (bool, error) {
	if j.journal == nil {
		return false, nil
	}
	kept, err := j.journal.Recall(m)
	if kept && err == nil {
		f := j.forfeits
		f.mu.Lock()
		defer f.mu.Unlock()
		err = f.count(m.Agents[:m.NumSeats()], m.Forfeited.Has)
	}
	return kept, err
}

// Record implements sim.Journal.
func (j *runJournal) Record(m *sim.Match) error {
	if err := j.forfeits.note(m); err != nil {
		return err
	}
	j.progress.Add(1)
	j.hands.Add(uint64(len(m.Hands)))
	if j.journal == nil {
		return nil
	}
	return j.journal.Record(m)
}

// forfeits warns of the first forfeit of each agent of a run and counts all: a program that has
// ended forfeits every match.
type forfeits struct {
	warnings io.Writer
	agents   []string // by number
	most     uint64   // allowed for an agent, 0 for any number
	sealed   bool     // warnings must not show the seeds of matches

	mu      sync.Mutex
	matches []uint64 // of each agent, as those below
	lost    []uint64
	warned  []uint64 // forfeits, of which a match may have several
}

func newForfeits(warnings io.Writer, run *dataset.Run, most uint64) *forfeits {
	n := len(run.Agents)
	return &forfeits{warnings: warnings, agents: run.Agents, most: most, sealed: run.Seal != nil, matches: make([]uint64, n), lost: make([]uint64, n), warned: make([]uint64, n)}
}

// resume counts the matches in the whole files of a run that goes on in folder dir: the limit and the
// sum are of the run, however often it was interrupted.
func (f *forfeits) resume(dir string) error {
	d, err := dataset.Open(dir)
	if err != nil {
		return err
	}
	for rows, err := range d.MatchesByRows() {
		if err != nil {
			return err
		}
		var numbers [sim.NumPlayers]uint8
		for p := range rows {
			numbers[p] = rows[p].Agent
		}
		if err := f.count(numbers[:len(rows)], func(p sim.Player) bool { return rows[p].Forfeited }); err != nil {
			return err
		}
	}
	return nil
}

// count counts a match of agents, by number. The error is that of an agent with too many forfeits.
func (f *forfeits) count(numbers []uint8, forfeited func(sim.Player) bool) error {
	var tooMany error
	for p, number := range numbers {
		if slices.Contains(numbers[:p], number) {
			continue
		}
		f.matches[number]++
		for q, other := range numbers {
			if other == number && forfeited(sim.Player(q)) {
				f.lost[number]++
				break
			}
		}
		if f.most > 0 && f.lost[number] > f.most && tooMany == nil {
			tooMany = fmt.Errorf("%s has forfeited %s; --max-forfeits allows %d", sanitize.Line(f.agents[number]), digits.Count(f.lost[number], "match"), f.most)
		}
	}
	return tooMany
}

// note counts a match and warns of its forfeits. The error is that of an agent with too many.
func (f *forfeits) note(m *sim.Match) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range m.Forfeits {
		x := &m.Forfeits[i]
		number := m.Agents[x.Player]
		if f.warned[number]++; f.warned[number] > 1 {
			if f.warned[number] == 2 {
				fmt.Fprintf(f.warnings, "warning: further forfeits of %s are only counted\n", sanitize.Line(f.agents[number]))
			}
			continue
		}
		why := x.Reason
		if why == "" {
			why = fmt.Sprintf("answer %v is not legal; legal: %v", x.Answer, x.Legal)
		}
		seed := ""
		if !f.sealed {
			seed = fmt.Sprintf(" (seed %d)", m.Seed)
		}
		fmt.Fprintf(f.warnings, "warning: match %d%s, hand %d, decision %d: player %d, %s, forfeits: %s\n",
			m.Index, seed, x.Hand, x.Decision, x.Player, sanitize.Line(f.agents[number]), sanitize.Line(why))
	}
	return f.count(m.Agents[:m.NumSeats()], func(p sim.Player) bool {
		return slices.ContainsFunc(m.Forfeits, func(x sim.Forfeit) bool { return x.Player == p })
	})
}

// sum prints how many matches each agent forfeited, and returns an error if an agent forfeited
// all of them.
func (f *forfeits) sum() error {
	var all []string
	for i, n := range f.lost {
		if n > 0 {
			fmt.Fprintf(f.warnings, "warning: %s forfeited %d of %d matches\n", sanitize.Line(f.agents[i]), n, f.matches[i])
		}
		if n > 0 && n == f.matches[i] {
			all = append(all, f.agents[i])
		}
	}
	if all != nil {
		return fmt.Errorf("%s forfeited every match", strings.Join(all, ", "))
	}
	return nil
}
