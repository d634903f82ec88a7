package tables

import (
	"encoding/binary"
	"slices"
	"sync"
)

// Target is memory of the caller that the rows of a round go to, such as memory shared
// with the client. It is not changed while the round is in play.
type Target struct {
	// Columns has a slice for each column, empty, with capacity for Rows rows.
	Columns [][]byte
	// RowBytes is the number of bytes of a row in each column, as Config.RowBytes
	// returns them; nothing is written to a column of 0 bytes.
	RowBytes []int
	// Rows is the number of rows.
	Rows int
}

// NewTarget returns memory for all rows that a request can bring: those of all players who are
// asked, and of those whose episodes end, once or twice.
func NewTarget(c *Config, form Form) Target {
	t := Target{RowBytes: c.RowBytes(form), Rows: 8*c.Tables + 8*pieceTables}
	t.Columns = make([][]byte, len(t.RowBytes))
	for i, n := range t.RowBytes {
		t.Columns[i] = make([]byte, 0, n*t.Rows)
	}
	return t
}

// Round is the rows of one request. Its pieces are played by several workers; rows are
// in the order of their tables, whichever worker is first. The methods below Done may
// be called once Done reports true.
type Round struct {
	// Ends is the results of a Playout, by its rows.
	Ends []HandEnd

	scheduler *Scheduler
	left      int // pieces that are not collected
	target    *Target

	mu        sync.Mutex
	pieces    []*Piece // those played, by their order
	next      int      // first piece that is not placed
	row, last int      // where its rows and its last rows go in the target
	full      bool     // the target has no room for it
}

// newRound returns a round of a number of pieces. The target may be nil.
func (s *Scheduler) newRound(pieces int, target *Target) *Round {
	var r *Round
	select {
	case r = <-s.freeRounds:
	default:
		r = &Round{scheduler: s}
	}
	r.pieces = slices.Grow(r.pieces[:0], pieces)[:pieces]
	clear(r.pieces)
	r.left, r.target, r.Ends = pieces, target, nil
	r.next, r.row, r.last, r.full = 0, 0, 0, false
	return r
}

// Done reports whether all rows are played.
func (r *Round) Done() bool { return r.left == 0 }

// place has a piece write its rows into the target directly, if their position is known
// before they are played.
func (r *Round) place(p *Piece) {
	if r.target == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next != p.order || r.full {
		return
	}
	p.placed = true
	for c, size := range r.target.RowBytes {
		if size > 0 {
			at := size * position(c, r.row, r.last)
			p.columns[c] = r.target.Columns[c][at:at]
		}
	}
}

// position returns the entry of a column that belongs to a row or a last row.
func position(column, row, last int) int {
	if column >= ColumnLastRow && column < NumColumns {
		return last
	}
	return row
}

// finish takes a piece that is played. It copies all pieces whose position is now known
// into the target.
func (r *Round) finish(p *Piece) {
	r.mu.Lock()
	r.pieces[p.order] = p
	if r.target == nil {
		r.mu.Unlock()
		return
	}
	from, row, last := r.next, r.row, r.last
	for r.next < len(r.pieces) && r.pieces[r.next] != nil && !r.full {
		q := r.pieces[r.next]
		if r.row+q.rows > r.target.Rows {
			r.full = true
			break
		}
		r.row += q.rows
		r.last += q.lastRows()
		r.next++
	}
	to := r.next
	r.mu.Unlock()
	for _, q := range r.pieces[from:to] {
		if !q.placed {
			for c, size := range r.target.RowBytes {
				if column := r.target.Columns[c]; size > 0 {
					copy(column[size*position(c, row, last):cap(column)], q.columns[c])
				}
			}
		}
		row += q.rows
		last += q.lastRows()
	}
}

// Placed returns the numbers of rows and of last rows in the target. It returns false
// if there is no target or it has no room for all rows; none of them are then there.
func (r *Round) Placed() (rows, lasts int, ok bool) {
	if r.target == nil {
		return 0, 0, false
	}
	if r.full {
		for _, p := range r.pieces {
			p.unplace(r.scheduler)
		}
		return 0, 0, false
	}
	row, last := uint32(0), 0
	for _, p := range r.pieces {
		n := p.lastRows()
		if row > 0 && n > 0 { // their row numbers count from the piece's first row
			column := r.target.Columns[ColumnLastRow][:4*(last+n)]
			for i := last; i < last+n; i++ {
				binary.LittleEndian.PutUint32(column[4*i:], Uint32(column, i)+row)
			}
		}
		row += uint32(p.rows)
		last += n
	}
	return r.row, r.last, true
}

// Len returns the number of rows.
func (r *Round) Len() (rows int) {
	for _, p := range r.pieces {
		rows += p.rows
	}
	return rows
}

// ColumnSize returns the number of bytes that AppendColumn appends.
func (r *Round) ColumnSize(c int) (n int) {
	for _, p := range r.pieces {
		n += len(p.columns[c])
	}
	if c == ColumnMask {
		n = n / MaskBytes * packedMaskBytes
	}
	return n
}

// AppendColumn appends a column as a Batch of the protocol has it: masks take 23 bytes,
// and bits of an observation are packed. It must not be called after Placed has
// returned true.
func (r *Round) AppendColumn(dst []byte, c int) []byte {
	first := 0
	for _, p := range r.pieces {
		switch c {
		case ColumnLastRow:
			for i := range p.lastRows() {
				dst = binary.LittleEndian.AppendUint32(dst, uint32(first)+Uint32(p.columns[c], i))
			}
		case ColumnMask:
			for mask := range slices.Chunk(p.columns[c], MaskBytes) {
				dst = append(dst, mask[:packedMaskBytes]...)
			}
		default:
			dst = append(dst, p.columns[c]...)
		}
		first += p.rows
	}
	return dst
}

// Release gives the memory of the rows back to the scheduler. Any goroutine may call
// it, once; the round must not be used afterwards.
func (r *Round) Release() {
	s := r.scheduler
	for _, p := range r.pieces {
		p.clear()
		select {
		case s.freePieces <- p:
		default:
		}
	}
	clear(r.pieces)
	select {
	case s.freeRounds <- r:
	default:
	}
}
