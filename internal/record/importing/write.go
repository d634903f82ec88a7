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
	texts []text
}

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
	err = ordered.Run(ctx, im.options.Workers, im.batches(g, w.Next(), &changed),
		func() ordered.Worker[batch, *dataset.Block] {
			m := &sim.Match{Keep: run.Keep()}
			return ordered.Worker[batch, *dataset.Block]{Work: func(_ context.Context, b batch, block **dataset.Block) error {
				*block = blocks.Get().(*dataset.Block)
				return im.fill(*block, g, run, b, m)
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

// batches returns the texts of the matches from number first on, in blocks. If a file has
// changed since the survey, it ends early and sets changed.
func (im *importer) batches(g *group, first uint64, changed *error) iter.Seq[batch] {
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
			b.texts = append(b.texts, t)
			if next++; next%sim.BlockSize == 0 || next == uint64(len(g.matches)) {
				if !yield(b) {
					return
				}
				b = batch{first: next}
			}
		}
		if next < uint64(len(g.matches)) {
			*changed = fmt.Errorf("%s: the file has changed during the import; import again", im.files[g.matches[next].file].Path)
		}
	}
}

func (im *importer) fill(b *dataset.Block, g *group, run *dataset.Run, from batch, m *sim.Match) error {
	for i := range from.texts {
		t := &from.texts[i]
		path := im.files[t.file].Path
		game, err := im.options.Format.ParseText(&t.record)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		m.Index = from.first + uint64(i)
		if n := int(g.matches[m.Index].kept); n > 0 {
			game.CutAt(n, "")
		}
		m.Seed, m.Agents = run.Schedule().Match(m.Index)
		if d, _ := im.replay(g.variant.rules, t, game, m); !record.Agrees(d) && !(im.options.Partial && record.AgreesInPart(d)) {
			return fmt.Errorf("%s: %s", path, d[0].Message)
		}
		row := &schema.Origin{Record: im.files[t.file].Name, Part: uint32(t.record.Number), Names: game.Names, WholeWalls: true}
		for j := range game.Hands {
			row.WholeWalls = row.WholeWalls && game.Hands[j].Wall != nil && !game.Hands[j].WallFilledIn
		}
		if err := b.AddImported(m, row); err != nil {
			return err
		}
	}
	return nil
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
