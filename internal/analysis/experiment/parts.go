package experiment

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
)

// Parts keeps the partial figures of cells in a folder: a file for each part of the walls, whose
// name identifies the rules. Machines that share the folder share the work.
type Parts struct {
	// Dir is the folder, which must exist; see [OpenParts].
	Dir string
	// Workers is the number of parts that are played at a time, at least 1.
	Workers int
	// Shard is which of the parts are played here, the zero value for all.
	Shard dataset.Shard
	// Wait, if not nil, is called while parts of other shards are missing. It returns nil to
	// look again, or the error that ends the wait.
	Wait func(ctx context.Context) error
	// Played, if not nil, is called with the number of matches played since its last call.
	Played func(matches int)
}

// PartialCell is a ruleset that a line-up plays, kept as partial figures.
type PartialCell struct {
	Ruleset *configs.Ruleset
	// Lineup has a run whose FileMatches is the number of matches of a part. Its Matches is a
	// multiple of it.
	Lineup *Lineup
	// Suffix distinguishes the line-up from others in the names of the files.
	Suffix string
	// Matches is how many matches are played, from the first of the run on.
	Matches uint64
}

// OpenParts prepares a folder for parts and returns that of their files. plan describes in lines
// what all parts have in common, and is kept in the folder. Another plan there is an error.
func OpenParts(dir string, plan []string) (string, error) {
	parts := filepath.Join(dir, "parts")
	if err := os.MkdirAll(parts, 0o777); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "search.txt")
	lines := append(slices.Clone(plan), "")
	text := strings.Join(lines, "\n")
	before, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return parts, tempdir.ReplaceFile(path, []byte(text))
	// The plan is compared as text: any difference makes other matches, and a reader of the file
	// sees which.
	case err != nil || string(before) == text:
		return parts, err
	}
	for i, line := range strings.Split(string(before), "\n") {
		if i < len(lines) && line != lines[i] {
			return "", fmt.Errorf("%s holds the parts of another search: %s there, %s here; name another folder", dir, sanitize.Line(line), sanitize.Line(lines[i]))
		}
	}
	return "", fmt.Errorf("%s is not that of a search; name another folder", path)
}

// ErrWaiting is the error of a shard that has played its parts while parts of others are missing.
var ErrWaiting = errors.New("other shards have not played their parts yet")

// part is a part of the matches of a cell.
type part struct {
	cell   *PartialCell
	number uint64 // from 1
	path   string
}

// Figures plays the missing parts of cells and returns the statistics of each cell. They are those
// of a dataset of its matches, to the last bit.
func (p *Parts) Figures(ctx context.Context, cells []PartialCell) ([]*stats.Summary, error) {
	parts := make([][]part, len(cells))
	for i := range cells {
		parts[i] = p.of(&cells[i])
	}
	all := slices.Concat(parts...)
	if err := p.play(ctx, all); err != nil {
		return nil, err
	}
	// Parts are found by their names, which appear with their last byte. So shards need no other
	// agreement than the folder.
	for slices.ContainsFunc(all, part.missing) {
		if p.Wait == nil {
			return nil, ErrWaiting
		}
		if err := p.Wait(ctx); err != nil {
			return nil, err
		}
	}
	var out []*stats.Summary
	for _, list := range parts {
		s, err := join(ctx, list)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func (p *Parts) of(c *PartialCell) (list []part) {
	// By the hash of the rules and not by their name: two proposals with the same rules share their
	// parts. Some of it keeps names short; join compares the whole.
	hash := c.Ruleset.Hash()
	for n := range c.Matches / c.Lineup.Run.FileMatches {
		list = append(list, part{c, n + 1, filepath.Join(p.Dir, fmt.Sprintf("%x%s-%05d.part", hash[:12], c.Suffix, n+1))})
	}
	return list
}

func (t part) missing() bool {
	_, err := os.Stat(t.path)
	return err != nil
}

// play plays the missing parts of the shard in parallel, each once even if the list repeats it.
func (p *Parts) play(ctx context.Context, all []part) error {
	// The last position of a part in the list decides which shard plays it. All shards have the same
	// list, so each part has one.
	mine := map[string]bool{}
	for i, t := range all {
		mine[t.path] = p.Shard.Of == 0 || uint64(i)%p.Shard.Of == p.Shard.Number-1
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(p.Workers)
	for _, t := range all {
		// Two rulesets of a list may have the same rules, hence the same parts. Set to false, a
		// part is not played twice at the same time.
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

// playPart plays a part as a dataset that it does not keep, and writes its partial figures.
func (p *Parts) playPart(ctx context.Context, t part) (err error) {
	temp, err := tempdir.New(p.Dir, filepath.Base(t.path)+".tmp-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, temp.Remove()) }()
	c := t.cell.Lineup.under(t.cell.Ruleset, filepath.Join(temp.Path, "dataset"))
	// A part is a shard of one file, so it has the walls and the seatings that its matches have in
	// the whole run.
	c.Run.Shard = dataset.Shard{Number: t.number, Of: c.Run.Matches / c.Run.FileMatches}
	if err := c.Create(false); err != nil {
		return err
	}
	// Parts are played in parallel, so one worker plays a part.
	if err := c.Play(ctx, 1, uncounted{}); err != nil {
		return err
	}
	partial, err := stats.CollectPartial(ctx, []string{c.Dir}, nil, nil)
	if err != nil {
		return err
	}
	partial.SetDirs(filepath.Base(t.path)) // not the temporary folder: equal plans write equal bytes
	path := filepath.Join(temp.Path, "part")
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := errors.Join(partial.Write(f), f.Close()); err != nil {
		return err
	}
	if p.Played != nil {
		p.Played(int(c.Matches))
	}
	// On one file system, so that the rename is one step: another machine sees a whole part or
	// none. Two that play the same part write the same bytes.
	return os.Rename(path, t.path)
}

// uncounted is the Progress of a part, which counts when it is whole.
type uncounted struct{}

func (uncounted) Add(int)     {}
func (uncounted) Skip(uint64) {}

// join returns the statistics of the parts of a cell, and refuses parts of another plan.
func join(ctx context.Context, list []part) (*stats.Summary, error) {
	const remedy = "; remove it, and it is played again"
	run, hash := list[0].cell.Lineup.Run, fmt.Sprintf("%x", list[0].cell.Ruleset.Hash())
	var partials []*stats.Partial
	for _, t := range list {
		partial, err := stats.ReadPartial(ctx, t.path)
		if err != nil {
			return nil, fmt.Errorf("%w%s", err, remedy)
		}
		// The name has a part of the hash alone, and a folder without its plan may hold anything.
		if s := &partial.Results().Datasets[0]; s.Hash != hash || s.Seed != run.Seed || !slices.Equal(s.Agents, run.Agents) || s.Matches != run.FileMatches {
			return nil, fmt.Errorf("%s: it is a part of another plan: %d matches of %s, seed %d%s", t.path, s.Matches, sanitize.Line(strings.Join(s.Agents, ",")), s.Seed, remedy)
		}
		partials = append(partials, partial)
	}
	joined, err := stats.Join(partials)
	if err != nil {
		return nil, err
	}
	return &joined.Results().Datasets[0], nil
}
