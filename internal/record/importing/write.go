//go:build !js

package importing

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/ordered"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// datasetTable is the type of Options.Table.
type datasetTable = schema.Table

// batch is the texts of a block of matches.
type batch struct {
	first uint64
	texts []text // without the records that are too large for it, which are read again
	held  int64
}

// The largest numbers of bytes of texts in a batch, and in all batches that wait to be written.
const (
	mostOfBatch = 2 * mostHeld
	mostWaiting = 4 * mostOfBatch
)

func (im *importer) write(ctx context.Context, g *group, folder string) (err error) {
	name, players := im.options.Format.Name, g.variant.ruleset.Rules().NumSeats()
	run := &dataset.Run{
		Ruleset: g.variant.ruleset, Matches: uint64(len(g.matches)), Agents: slices.Repeat([]string{name}, players),
		KeepSeats: true, Record: im.options.Table, FileMatches: im.options.FileMatches,
		Import: &dataset.Import{Format: name, Digest: im.digestOf(g)},
	}
	w, err := dataset.Create(folder, run, im.options.Force)
	if err != nil {
		return err
	}
	defer func() {
		if closing := w.Close(); err == nil {
			err = closing
		}
	}()
	done := im.options.Begin("matches", run.Matches-w.Next())
	var changed error
	blocks := sync.Pool{New: func() any { return w.NewBlock() }}
	waiting := semaphore.NewWeighted(mostWaiting)
	err = ordered.Run(ctx, im.options.Workers, im.batches(ctx, g, w.Next(), waiting, &changed),
		func() ordered.Worker[batch, *dataset.Block] {
			m := &sim.Match{Keep: run.Keep()}
			return ordered.Worker[batch, *dataset.Block]{Work: func(ctx context.Context, b batch, block **dataset.Block) error {
				defer waiting.Release(b.held)
				*block = blocks.Get().(*dataset.Block)
				return im.fill(ctx, *block, g, run, b, m)
			}}
		},
		func() **dataset.Block { return new(*dataset.Block) },
		func(b **dataset.Block) error {
			done(len((*b).Rows) / players)
			err := w.Append(*b)
			blocks.Put(*b)
			return err
		})
	if err == nil {
		err = changed
	}
	return err
}

// batches returns the texts of the matches from number first on, in blocks, each when waiting has
// room for it. If a file has changed since the survey, it ends early and sets changed.
func (im *importer) batches(ctx context.Context, g *group, first uint64, waiting *semaphore.Weighted, changed *error) iter.Seq[batch] {
	include := make([]bool, len(im.files))
	for _, m := range g.matches[first:] {
		include[m.file] = true
	}
	return func(yield func(batch) bool) {
		next := first
		b := batch{first: next}
		for t := range im.texts(func(file int) bool { return include[file] }) {
			if next == uint64(len(g.matches)) {
				break
			}
			m := &g.matches[next]
			if t.file > int(m.file) || t.file == int(m.file) && t.err != nil {
				break
			}
			if t.file != int(m.file) || t.record.Number != int(m.number) {
				continue
			}
			if sha256.Sum256(t.record.Text) != m.sum {
				break
			}
			if size := int64(len(t.record.Text)); b.held+size <= mostOfBatch {
				b.held += size
			} else {
				t.record.Text = nil
			}
			b.texts = append(b.texts, t)
			if next++; next%sim.BlockSize == 0 || next == uint64(len(g.matches)) {
				if waiting.Acquire(ctx, b.held) != nil {
					b.held = 0 // ordered.Run notices the end of ctx
				}
				if !yield(b) {
					return
				}
				b = batch{first: next}
			}
		}
		if next < uint64(len(g.matches)) {
			*changed = im.changed(&g.matches[next])
		}
	}
}

func (im *importer) fill(ctx context.Context, b *dataset.Block, g *group, run *dataset.Run, from batch, m *sim.Match) error {
	for i := range from.texts {
		m.Index = from.first + uint64(i)
		m.Seed, m.Agents = run.Schedule().Match(m.Index)
		if err := im.fillOne(ctx, b, g, &from.texts[i], m); err != nil {
			return err
		}
	}
	return nil
}

func (im *importer) fillOne(ctx context.Context, b *dataset.Block, g *group, t *text, m *sim.Match) error {
	size := min(int64(len(t.record.Text)), mostHeld)
	if t.record.Text == nil {
		size = mostHeld
	}
	if err := im.held.Acquire(ctx, size); err != nil {
		return err
	}
	defer im.held.Release(size)
	path, match := im.files[t.file].Path, &g.matches[m.Index]
	if t.record.Text == nil {
		im.textsOf(t.file, func(again text) bool {
			t.record = again.record
			return again.err == nil && again.record.Number < int(match.number)
		})
		if sha256.Sum256(t.record.Text) != match.sum {
			return im.changed(match)
		}
	}
	game, err := im.options.Format.ParseText(&t.record)
	t.record.Text = nil
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if n := int(match.kept); n > 0 {
		game.CutAt(n, "")
	}
	if d, _ := im.replay(g.variant.rules, t, game, m); !record.Agrees(d) && !(im.options.Partial && record.AgreesInPart(d)) {
		return fmt.Errorf("%s: %s", path, d[0].Message)
	}
	row := &schema.Origin{Record: im.files[t.file].Name, Part: uint32(t.record.Number), Names: game.Names, WholeWalls: true}
	for j := range game.Hands {
		row.WholeWalls = row.WholeWalls && game.Hands[j].Wall != nil && !game.Hands[j].WallFilledIn
	}
	return b.AddImported(m, row)
}

func (im *importer) changed(m *match) error {
	return fmt.Errorf("%s: the file has changed during the import; import again", im.files[m.file].Path)
}

// checkFolder returns an error if several datasets are to be written into a folder that has
// files.
func (im *importer) checkFolder() error {
	if len(im.groups) < 2 {
		return nil
	}
	entries, err := os.ReadDir(im.options.Out)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() {
			return fmt.Errorf("%w: the records are of %d rulesets, which are written to folders of their own in %s, but %s is there; name another folder",
				dataset.ErrOccupied, len(im.groups), im.options.Out, e.Name())
		}
	}
	return nil
}
