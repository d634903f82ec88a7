package dataset

import (
	"slices"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/export/arrowfile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Block collects the rows of a block of matches of a run. It belongs to one goroutine at a
// time.
type Block struct {
	// Rows are the rows of table matches so far, one for each match and player.
	Rows []schema.MatchRow

	maker *schema.Maker
	// builder is nil if nothing is written, as are pieces, the rows of each table of the
	// layout.
	builder *schema.Builder
	layout  *schema.Layout
	pieces  [][]arrowfile.Piece
	last    uint64 // number of the last match that is written
}

// NewBlock returns an empty block of the run that w writes. If w is nil, the block only
// collects Rows.
func (w *Writer) NewBlock() *Block {
	if w == nil {
		return &Block{maker: &schema.Maker{}}
	}
	// Another goroutine may be replacing the manifest, so this reads the run.
	_, end := w.run.span()
	b := &Block{maker: w.run.newMaker(w.rules), last: end - 1, layout: w.layout, pieces: make([][]arrowfile.Piece, len(w.layout.Tables))}
	b.builder = schema.NewBuilder(w.system.mem, w.layout, b.addPiece)
	return b
}

// addPiece adds rows of a table: the last of the block if last is set, otherwise as many as a
// batch may have.
func (b *Block) addPiece(t schema.Table, r arrow.Record, bytes int, last bool) error {
	list := &b.pieces[slices.Index(b.layout.Tables, t)]
	// A few rows are copied into the batch of the file. More make a batch of their own, which is
	// encoded here, in the goroutine of the block.
	if last && len(*list) == 0 && int(r.NumRows()) < b.layout.Bounds.OwnRows {
		*list = append(*list, arrowfile.NewPiece(r, bytes))
	} else {
		*list = append(*list, arrowfile.EncodePiece(r))
	}
	return nil
}

// begin empties a block that is reused, before its first match.
func (b *Block) begin(match uint64) {
	// Emptied at the beginning of the next block and not at the end of the last: until then the
	// writer reads it.
	if match%sim.BlockSize != 0 || len(b.Rows) == 0 {
		return
	}
	b.Rows = b.Rows[:0]
	for i := range b.pieces {
		b.pieces[i] = nil
	}
}

// Add adds a match. Matches are added in the order of their numbers; m must keep what
// Run.Keep returns. The last match of the block encodes its rows, so that encoding is
// spread over goroutines too. The error is that of a match with more than 65,535 hands, or
// of the encoding.
func (b *Block) Add(m *sim.Match) error {
	b.begin(m.Index)
	if err := b.maker.Read(m); err != nil {
		return err
	}
	b.Rows = append(b.Rows, b.maker.Players...)
	if b.builder == nil {
		return nil
	}
	if err := b.builder.AddRows(b.maker); err != nil {
		return err
	}
	if err := b.builder.AddDecisions(b.maker, m); err != nil {
		return err
	}
	if m.Index%sim.BlockSize != sim.BlockSize-1 && m.Index != b.last {
		return nil
	}
	for _, t := range b.layout.Tables {
		if err := b.builder.Flush(t, true); err != nil {
			return err
		}
	}
	return nil
}

// AddImported is Add for a match of an import, which was replayed with its walls.
func (b *Block) AddImported(m *sim.Match, o *schema.Origin) error {
	b.begin(m.Index)
	if b.builder != nil {
		if err := b.builder.AddOrigin(m, o); err != nil {
			return err
		}
	}
	return b.Add(m)
}
