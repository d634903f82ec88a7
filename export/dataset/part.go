package dataset

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// part is the files of the same matches, one of each table.
type part struct {
	d *Dataset
	// first is the number of the first match, matches their number.
	first, matches uint64
	// files has the file of each table, nil if it is not opened; damage has the errors of
	// their checksums.
	files  [schema.NumTables]*tableFile
	damage []error
	// records has the record batches of each table.
	records [schema.NumTables][]sharedRecord
}

// sharedRecord is a record batch that is shared by the blocks with rows in it.
type sharedRecord struct {
	mu     sync.Mutex // guards the other fields
	record arrow.Record
	// memory has the columns, and is reused for another record.
	memory *[]byte
	// blocks is the number of blocks that may still need it.
	blocks int
}

// record returns a record batch of a table, which is valid until the blocks with rows in
// it are released.
func (p *part) record(t schema.Table, i int) (arrow.Record, error) {
	s := &p.records[t][i]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record != nil {
		return s.record, nil
	}
	s.memory = spares.Get().(*[]byte)
	var err error
	s.record, *s.memory, err = p.files[t].recordIn(i, *s.memory)
	return s.record, err
}

// done releases the record if no other block needs it.
func (s *sharedRecord) done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.blocks--; s.blocks <= 0 {
		s.release()
	}
}

func (s *sharedRecord) release() {
	if s.record != nil {
		s.record.Release()
		spares.Put(s.memory)
		s.record, s.memory = nil, nil
	}
}

// spares holds the memory of released records for reuse.
var spares = sync.Pool{New: func() any { return new([]byte) }}

// openPart opens the n-th files of some tables. If lenient is set, a wrong checksum is noted
// as damage, and the file is opened if it can be read at all.
func (d *Dataset) openPart(n uint64, tables []schema.Table, lenient bool) (*part, error) {
	p := &part{d: d, first: n * d.Run.FileMatches}
	before := n - d.Manifest.first/d.Run.FileMatches
	for _, t := range tables {
		i := slices.Index(d.layout.Tables, t)
		f, err := d.openFile(&d.Manifest.Files[int(before)*len(d.layout.Tables)+i])
		if err != nil {
			p.close()
			return nil, err
		}
		p.files[t], p.matches = f, f.info.Matches
		damage := f.info.copy(io.Discard, f.file, f.path)
		p.damage = append(p.damage, damage)
		if damage == nil || lenient {
			err = f.readFooter(d)
		}
		if damage != nil && (!lenient || err != nil) {
			err = damage
		}
		if err != nil {
			p.close()
			return nil, err
		}
		p.records[t] = make([]sharedRecord, len(f.firsts))
	}
	for i := range p.blocks() {
		b := p.block(i)
		for _, t := range tables {
			first, end := b.batches(t)
			for j := first; j < end; j++ {
				p.records[t][j].blocks++
			}
		}
	}
	return p, nil
}

func (p *part) close() {
	for t := range p.records {
		for i := range p.records[t] {
			p.records[t][i].release()
		}
	}
	for _, f := range p.files {
		f.close()
	}
}

// storedBlock is the rows of a block of matches.
type storedBlock struct {
	p *part
	// first is the number of the first match, n their number.
	first uint64
	n     int
}

// blocks returns the number of blocks of matches in the part.
func (p *part) blocks() int { return blocksOf(p.matches) }

// block returns block i of the part, which the caller releases.
func (p *part) block(i int) *storedBlock {
	before := uint64(i) * sim.BlockSize
	return &storedBlock{p: p, first: p.first + before, n: int(min(sim.BlockSize, p.matches-before))}
}

// batches returns the record batches of a table that have rows of the block.
func (b *storedBlock) batches(t schema.Table) (first, end int) {
	firsts := b.p.files[t].firsts
	first, own := slices.BinarySearch(firsts, b.first)
	end, _ = slices.BinarySearch(firsts, b.first+1)
	if !own {
		first--
	}
	return first, end
}

// each calls visit with the rows of a table in the block, batch by batch, and the number of
// rows before them.
func (b *storedBlock) each(t schema.Table, visit func(r arrow.Record, before int) error) error {
	before := 0
	first, end := b.batches(t)
	for i := first; i < end; i++ {
		r, err := b.p.record(t, i)
		if err != nil {
			return err
		}
		if err := b.p.files[t].guard(func() error {
			begin, end := b.rows(r)
			part := r.NewSlice(int64(begin), int64(end))
			defer part.Release()
			before += end - begin
			return visit(part, before-(end-begin))
		}); err != nil {
			return err
		}
	}
	return nil
}

// rows returns the first row of the block in a record batch, and the one after its last.
func (b *storedBlock) rows(r arrow.Record) (first, end int) {
	matches := r.Column(0).(*array.Int64).Int64Values()
	first, _ = slices.BinarySearch(matches, int64(b.first))
	end, _ = slices.BinarySearch(matches, int64(b.first)+int64(b.n))
	return first, max(first, end)
}

// release releases the batches that no other block needs.
func (b *storedBlock) release() {
	for t, f := range b.p.files {
		if f != nil {
			first, end := b.batches(schema.Table(t))
			for i := first; i < end; i++ {
				b.p.records[t][i].done()
			}
		}
	}
}

func (b *storedBlock) fileRow(t schema.Table, row int) int64 {
	n := int64(row)
	first, end := b.batches(t)
	for i := range end {
		r, err := b.p.files[t].record(i)
		if err != nil {
			break
		}
		if i < first {
			n += r.NumRows()
		} else if i == first {
			first, _ := b.rows(r)
			n += int64(first)
		}
		r.Release()
	}
	return n
}

// log is the stored data from which a match is replayed.
type log struct {
	// row is the first row of the match in the table with the logs.
	row       int
	actions   []sim.Action
	forfeited sim.Players
	walls     []sim.Wall // nil if they come from the seed
	roundWind tile.Wind  // of an import
	start     *sim.MatchState
	filledIn  bool // the walls
}

// logs returns the logs of the matches. Rows of matches outside the block are ignored. The
// memory of old is reused.
func (b *storedBlock) logs(old []log) ([]log, error) {
	logs := slices.Grow(old[:0], b.n)[:b.n]
	for i := range logs {
		logs[i] = log{row: -1, actions: logs[i].actions[:0], walls: logs[i].walls[:0]}
	}
	err := b.each(b.p.d.layout.LogTable(), func(r arrow.Record, before int) error {
		matches := r.Column(0).(*array.Int64)
		last := r.Column(int(r.NumCols()) - 1)
		for i := range int(r.NumRows()) {
			// Numbers below first wrap around to large ones.
			n := uint64(matches.Value(i)) - b.first
			if n >= uint64(b.n) {
				continue
			}
			if logs[n].row < 0 {
				logs[n].row = before + i
			}
			switch c := last.(type) {
			case *array.Dictionary: // of decisions, one a row
				logs[n].actions = append(logs[n].actions, sim.Action(c.GetValueIndex(i)))
			case *array.Binary:
				for _, a := range c.Value(i) {
					logs[n].actions = append(logs[n].actions, sim.Action(a))
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = b.each(schema.Matches, func(r arrow.Record, _ int) error {
		column := func(name string) arrow.Array { return r.Column(r.Schema().FieldIndices(name)[0]) }
		matches, players := column("match").(*array.Int64), column("player").(*array.Int32)
		forfeited := column("forfeited").(*array.Boolean)
		for i := range forfeited.Len() {
			if n := uint64(matches.Value(i)) - b.first; n < uint64(b.n) && forfeited.Value(i) {
				logs[n].forfeited |= sim.Player(players.Value(i) & 3).Bit()
			}
		}
		return nil
	})
	if err == nil && b.p.d.Run.Import != nil {
		err = b.addWalls(logs)
		if err == nil {
			err = b.addStarts(logs)
		}
	}
	return logs, err
}

func (b *storedBlock) replay(m *sim.Match, l *log, index uint64) error {
	run := b.p.d.Run
	if err := b.p.d.checkPlayable(); err != nil {
		return err
	}
	m.Index = index
	m.Seed, m.Agents = run.Schedule().Match(index)
	m.Sealed = run.Seal != nil // players who are asked again draw the same numbers
	m.RoundWind, m.Start, m.WallsFilledIn = l.roundWind, l.start, l.filledIn
	if m.Walls = l.walls; m.Walls == nil && run.Import != nil {
		m.Walls = []sim.Wall{}
	}
	err := m.Replay(b.p.d.rules, l.actions, l.forfeited)
	if n := len(m.Walls); err == nil && m.Walls != nil && n != len(m.Hands) {
		err = fmt.Errorf("it has %d hands, but %d walls", len(m.Hands), n)
	}
	if err != nil {
		t := b.p.d.layout.LogTable()
		row := max(l.row, 0)
		switch t {
		case schema.Hands:
			row += max(len(m.Hands)-1, 0)
		case schema.Decisions:
			row += len(m.Actions)
		}
		return &Difference{
			File: b.p.files[t].path, Row: b.fileRow(t, row),
			Message: fmt.Sprintf("match %d cannot be played from its actions: %v", index, err),
		}
	}
	m.Forfeited = l.forfeited
	return nil
}
