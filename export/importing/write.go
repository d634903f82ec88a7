package importing

import (
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"sync"

	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/inorder"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// batch is the texts of the matches of a block.
type batch struct {
	first uint64
	texts []text
}

// write writes the matches of a group to a folder.
func (im *importer) write(ctx context.Context, g *group, folder string) (err error) {
	name := im.Format.Name
	run := &export.Run{
		Ruleset: g.ruleset, Matches: uint64(len(g.matches)), Agents: []string{name, name, name, name},
		KeepSeats: true, Record: im.Table, FileMatches: im.FileMatches,
		Import: &export.Import{Format: name, Digest: im.digestOf(g)},
	}
	w, err := export.Create(folder, run, im.Force)
	if err != nil {
		return err
	}
	defer func() {
		if closing := w.Close(); err == nil {
			err = closing
		}
	}()
	done := im.Begin("matches", run.Matches-w.Next())
	var changed error
	blocks := sync.Pool{New: func() any { return w.NewBlock() }}
	err = inorder.Run(ctx, im.Workers, im.batches(g, w.Next(), &changed),
		func() inorder.Worker[batch, *export.Block] {
			m := &sim.Match{Keep: run.Keep()}
			return inorder.Worker[batch, *export.Block]{Work: func(_ context.Context, b batch, block **export.Block) error {
				*block = blocks.Get().(*export.Block)
				return im.fill(*block, g, run, b, m)
			}}
		},
		func() **export.Block { return new(*export.Block) },
		func(b **export.Block) error {
			done(len((*b).Rows) / sim.NumPlayers)
			err := w.Append(*b)
			blocks.Put(*b)
			return err
		})
	if err == nil {
		err = changed
	}
	return err
}

// batches returns the texts of the matches from number first on in blocks. It
// ends early, with an error, if a file is not what it was.
func (im *importer) batches(g *group, first uint64, changed *error) iter.Seq[batch] {
	wanted := make([]bool, len(im.files))
	for _, m := range g.matches[first:] {
		wanted[m.file] = true
	}
	return func(yield func(batch) bool) {
		next := first
		b := batch{first: next}
		for t := range im.texts(func(file int) bool { return wanted[file] }) {
			if next == uint64(len(g.matches)) {
				break
			}
			m := &g.matches[next]
			if t.file > int(m.file) || t.file == int(m.file) && t.err != nil {
				break
			}
			if t.file != int(m.file) || t.Number != int(m.number) {
				continue
			}
			if sha256.Sum256(t.Text.Text) != m.sum {
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
			*changed = fmt.Errorf("%s: the file has changed in the meantime; import again", im.files[g.matches[next].file].Path)
		}
	}
}

// fill replays the matches of a batch into a block.
func (im *importer) fill(b *export.Block, g *group, run *export.Run, from batch, m *sim.Match) error {
	for i := range from.texts {
		t := &from.texts[i]
		path := im.files[t.file].Path
		game, err := im.Format.ParseText(&t.Text)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		m.Index = from.first + uint64(i)
		m.Seed, m.Agents = run.Schedule().Match(m.Index)
		if d, _ := im.replay(g.rules, t, game, m); !record.Whole(d) && !(im.Partial && record.Partial(d)) {
			return fmt.Errorf("%s: %s", path, d[0].Message)
		}
		row := &export.Origin{Record: im.files[t.file].Name, Part: uint32(t.Number), Names: game.Names, WholeWalls: true}
		for j := range game.Hands {
			row.WholeWalls = row.WholeWalls && game.Hands[j].Wall != nil && !game.Hands[j].Filled
		}
		if err := b.AddImported(m, row); err != nil {
			return err
		}
	}
	return nil
}
