//go:build !js

package importing

import (
	"cmp"
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
	name, players := im.options.Format.Name, g.variant.rules.NumSeats()
	run := &dataset.Run{
		Ruleset: g.variant.ruleset, Matches: uint64(len(g.matches)), Agents: slices.Repeat([]string{name}, players),
		KeepSeats: true, Record: im.options.Table, FileMatches: im.options.FileMatches,
		Import: &dataset.Import{Format: name, Digest: im.digestOf(g)},
	}
	if schedule, err := g.lineups.schedule(players); err != nil {
		return err
	} else if schedule != nil {
		run.Agents, run.KeepSeats, run.Tournament = g.lineups.names, false, &dataset.Tournament{Schedule: schedule}
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
	return func(yield func(batch) bool) {
		r := textReader{im: im}
		defer r.close()
		b := batch{first: first}
		for next := first; next < uint64(len(g.matches)); {
			m := &g.matches[next]
			t := r.read(m)
			if t.err != nil || sha256.Sum256(t.record.Text) != m.sum {
				*changed = im.changed(m)
				return
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
	}
}

// textReader reads the texts of matches in the order in which they are written. In a file that is
// nearly the order of the texts; see maxSetSpan.
type textReader struct {
	im    *importer
	file  int32
	texts func() (text, bool)
	stop  func()
	at    int // the number of the next text
	// passed are the last texts of the file, of size bytes, which other seatings of their set need.
	passed []text
	size   int
}

// maxPassed is the most bytes of texts that are kept. A text that is needed again is read again.
const maxPassed = 2 * mostHeld

// errNoText is the error of a text that the file does not have.
var errNoText = errors.New("no such record")

func (r *textReader) read(m *match) text {
	for i := range r.passed {
		if t := r.passed[i]; r.file == m.file && t.record.Number == int(m.number) {
			return t
		}
	}
	if r.stop == nil || r.file != m.file || int(m.number) < r.at {
		r.close()
		*r = textReader{im: r.im, file: m.file}
		r.texts, r.stop = iter.Pull(func(yield func(text) bool) { r.im.textsOf(int(m.file), yield) })
	}
	for {
		t, ok := r.texts()
		if !ok || t.err != nil {
			t.err = cmp.Or(t.err, errNoText)
			return t
		}
		if r.at = t.record.Number + 1; r.at > int(m.number) {
			return t
		}
		r.passed, r.size = append(r.passed, t), r.size+len(t.record.Text)
		for r.size > maxPassed || len(r.passed) > maxSetSpan {
			r.size -= len(r.passed[0].record.Text)
			r.passed = r.passed[1:]
		}
	}
}

func (r *textReader) close() {
	if r.stop != nil {
		r.stop()
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
	row := &schema.Origin{Record: im.files[t.file].Name, Part: uint32(t.record.Number), Names: game.Names, WholeWalls: game.HasWholeWalls()}
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
