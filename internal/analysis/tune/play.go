package tune

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/internal/tempdir"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Evaluator measures the figures of candidates by playing matches. It keeps the partial reports of
// parts of the matches in a folder, in files whose names identify the rules. An interrupted
// search continues from them, and machines that share the folder share the work.
type Evaluator struct {
	// Targets are the targets whose figures are measured.
	Targets []Target
	// Ruleset returns the ruleset of a candidate.
	Ruleset func(Candidate) (*configs.Ruleset, error)
	// Agents are the players whose figures are measured, Field those of different strength
	// whose ranks measure skill. Each table plays only if a target requires it.
	Agents, Field Table
	// Dir is the folder of the parts, which must exist.
	Dir string
	// Workers is the number of parts that are played at a time, at least 1.
	Workers int
	// Shard is which of the parts are played here, the zero value for all.
	Shard dataset.Shard
	// Wait, if not nil, is called while parts of other shards are missing. It returns nil to
	// look again, or the error that ends the search.
	Wait func(ctx context.Context) error
	// Played, if not nil, is called with the number of matches played since its last call.
	Played func(matches int)
}

// Table is one agent for each player and the run that they play under each candidate.
type Table struct {
	// Run is the run except for the ruleset. FileMatches is the number of matches of a part;
	// Matches is a multiple of it, and the same at both tables.
	Run      dataset.Run
	NewAgent func(number int) sim.Agent
}

// OpenFolder prepares a folder for the parts of a search, and sets p.Dir. It returns an error if
// the folder has the parts of a search with other agents, seed or matches. field names the agents
// of p.Field.
func (p *Evaluator) OpenFolder(dir, field string) error {
	p.Dir = filepath.Join(dir, "parts")
	if err := os.MkdirAll(p.Dir, 0o777); err != nil {
		return err
	}
	path := filepath.Join(dir, "search.txt")
	run := &p.Agents.Run
	lines := []string{
		"agents " + strings.Join(run.Agents, ","), fmt.Sprint("seed ", run.Seed), fmt.Sprint("matches ", run.Matches),
		fmt.Sprint("engine ", sim.EngineVersion), "field " + field, "",
	}
	text := strings.Join(lines, "\n")
	before, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return os.WriteFile(path, []byte(text), 0o666)
	case err != nil || string(before) == text:
		return err
	}
	for i, line := range strings.Split(string(before), "\n") {
		if i < len(lines) && line != lines[i] {
			return fmt.Errorf("%s holds the parts of another search: %s there, %s here; name another folder", dir, sanitize.Line(line), sanitize.Line(lines[i]))
		}
	}
	return fmt.Errorf("%s is not that of a search; name another folder", path)
}

// tablesOfTargets returns the tables that the targets require, and for each target the index of its
// table.
func (p *Evaluator) tablesOfTargets() (list []*Table, index []int) {
	for i := range p.Targets {
		t := &p.Agents
		if p.Targets[i].Skill {
			t = &p.Field
		}
		if !slices.Contains(list, t) {
			list = append(list, t)
		}
		index = append(index, slices.Index(list, t))
	}
	return list, index
}

// Tables returns the number of tables at which each candidate is played.
func (p *Evaluator) Tables() uint64 {
	list, _ := p.tablesOfTargets()
	return uint64(len(list))
}

// ErrWaiting is the error of a shard that has played its parts while parts of others are missing.
var ErrWaiting = errors.New("other shards have not played their parts yet")

// task is a part of the matches of a candidate.
type task struct {
	table   *Table
	ruleset *configs.Ruleset
	number  uint64 // from 1
	path    string
}

// Evaluate measures the figures of candidates; it is an [EvaluateFunc].
func (p *Evaluator) Evaluate(ctx context.Context, candidates []Candidate, matches int) ([][]Measured, error) {
	tables, tableOf := p.tablesOfTargets()
	tasks := make([][][]task, len(candidates)) // by candidate and table
	var all []task
	for i, c := range candidates {
		r, err := p.Ruleset(c)
		if err != nil {
			return nil, err
		}
		for _, table := range tables {
			list := p.tasks(r, table, uint64(matches))
			tasks[i], all = append(tasks[i], list), append(all, list...)
		}
	}
	if err := p.play(ctx, all); err != nil {
		return nil, err
	}
	for slices.ContainsFunc(all, task.missing) {
		if p.Wait == nil {
			return nil, ErrWaiting
		}
		if err := p.Wait(ctx); err != nil {
			return nil, err
		}
	}
	var out [][]Measured
	for i := range candidates {
		summaries := make([]*stats.Summary, len(tables))
		for k := range tables {
			var err error
			if summaries[k], err = joinParts(ctx, tasks[i][k]); err != nil {
				return nil, err
			}
		}
		var row []Measured
		for w, table := range tableOf {
			row = append(row, p.Targets[w].measure(summaries[table]))
		}
		out = append(out, row)
	}
	return out, nil
}

// tasks returns the parts of the first matches of a ruleset at a table.
func (p *Evaluator) tasks(r *configs.Ruleset, table *Table, matches uint64) (list []task) {
	hash := r.Hash()
	name := fmt.Sprintf("%x", hash[:12])
	if table == &p.Field {
		name += "-field"
	}
	for n := range matches / table.Run.FileMatches {
		list = append(list, task{table, r, n + 1, filepath.Join(p.Dir, fmt.Sprintf("%s-%05d.part", name, n+1))})
	}
	return list
}

// missing reports whether the part has not been played.
func (t task) missing() bool {
	_, err := os.Stat(t.path)
	return err != nil
}

// play plays the missing parts of the shard in parallel, each once even if the list repeats it.
func (p *Evaluator) play(ctx context.Context, all []task) error {
	// The last position of a part in the list decides which shard plays it.
	mine := map[string]bool{}
	for i, t := range all {
		mine[t.path] = p.Shard.Of == 0 || uint64(i)%p.Shard.Of == p.Shard.Number-1
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(p.Workers)
	for _, t := range all {
		if mine[t.path] && t.missing() {
			group.Go(func() error {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				return p.playPart(ctx, t)
			})
		}
		mine[t.path] = false
	}
	return group.Wait()
}

// playPart plays a part and writes its partial report.
func (p *Evaluator) playPart(ctx context.Context, t task) (err error) {
	temp, err := tempdir.New(p.Dir, filepath.Base(t.path)+".tmp-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, temp.Remove()) }()
	run := t.table.Run
	run.Ruleset = t.ruleset
	run.Shard = dataset.Shard{Number: t.number, Of: run.Matches / run.FileMatches}
	dir := filepath.Join(temp.Path, "dataset")
	w, err := dataset.Create(dir, &run, false)
	if err != nil {
		return err
	}
	job := &sim.Job{NewAgent: t.table.NewAgent, Workers: 1}
	if err := w.Play(ctx, job); err != nil {
		return err
	}
	partial, err := stats.CollectPartial(ctx, []string{dir}, nil, nil)
	if err != nil {
		return err
	}
	partial.SetDirs(filepath.Base(t.path)) // not the temporary folder: equal searches write equal bytes
	path := filepath.Join(temp.Path, "part")
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := errors.Join(partial.Write(f), f.Close()); err != nil {
		return err
	}
	if p.Played != nil {
		p.Played(int(job.Count))
	}
	return os.Rename(path, t.path)
}

// joinParts returns the statistics of the joined parts of a candidate at a table.
func joinParts(ctx context.Context, list []task) (*stats.Summary, error) {
	var parts []*stats.Partial
	for _, t := range list {
		part, err := stats.ReadPartial(ctx, t.path)
		if err != nil {
			return nil, fmt.Errorf("%w; remove it, and it is played again", err)
		}
		parts = append(parts, part)
	}
	joined, err := stats.Join(parts)
	if err != nil {
		return nil, err
	}
	return &joined.Results().Datasets[0], nil
}
