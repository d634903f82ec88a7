package env

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/sparrowhall/sparrowhall/env/segment"
)

// maxRounds is how many requests of a stream are carried out at a time: as many as
// shared memory has slots for.
const maxRounds = segment.Slots

// round is a request of synchronous mode whose tables are in play. Those of the next
// are begun while the last of the first are in play, so that no worker waits for
// others; they are answered in their order.
type round struct {
	id   uint64
	left int // pieces that are in play
	gather
}

// touch adds a table to those of the request at hand.
func (s *session) touch(n uint32) {
	if !s.marks[n] {
		s.marks[n] = true
		s.touched = append(s.touched, n)
	}
}

// play has the workers do something at the touched tables, in the order of their
// numbers. In synchronous mode the rows are sent when all of them are played, which
// advance and settle see to.
func (s *session) play(id uint64, do func(w *worker, n uint32, p *place, out *piece)) error {
	return s.share(id, false, do)
}

// share is play, told whether tables are opened.
func (s *session) share(id uint64, opens bool, do func(w *worker, n uint32, p *place, out *piece)) error {
	if !slices.IsSorted(s.touched) {
		slices.Sort(s.touched)
	}
	var r *round
	// Waking a worker takes longer than to play a few tables.
	own := s.minBatch == 0 && s.playing == 0
	alone := false
	if s.minBatch == 0 {
		pieces := (len(s.touched) + pieceTables - 1) / pieceTables
		r = s.begin(id, pieces)
		alone = !opens && s.local != nil && s.local.attached && s.pieceTime < cheapPiece &&
			playsAlone(int(s.env.lively.Load()), s.env.processors, pieces)
		s.lone = alone || pieces <= 1
	}
	var first task
	order := 0
	for tables := range slices.Chunk(s.touched, pieceTables) {
		p := s.piece()
		p.tables = append(p.tables, tables...)
		for _, n := range tables {
			s.marks[n], s.busy[n] = false, true
		}
		p.round, p.order = r, order
		order++
		s.playing++
		switch t := (task{p, opens, do}); {
		case own && p.order == 0:
			first = t
		case alone:
			s.kept = append(s.kept, t)
		default:
			s.tasks <- t
		}
	}
	s.touched = s.touched[:0]
	if r == nil {
		return s.sendReady()
	}
	if first.piece != nil {
		s.work(s.own, first)
		if err := s.collected(first.piece); err != nil {
			return err
		}
	}
	return s.sendRounds()
}

// cheapPiece is what a piece takes that is not worth a worker where others need the
// processors: with players that think, workers are always worth waking.
const cheapPiece = 100 * time.Microsecond

// playsAlone tells whether a session plays all the pieces of a cheap round itself.
// Where as many clients ask for one batch after the other as leave a processor each
// for them and their sessions, workers take processors from others, and the tables
// from the cache of the processor that played them last.
func playsAlone(lively, processors, pieces int) bool {
	return lively > 1 && (2*lively > processors || pieces < 4*lively)
}

// begin begins a round of so many pieces.
func (s *session) begin(id uint64, pieces int) *round {
	var r *round
	if n := len(s.spare); n > 0 {
		r, s.spare = s.spare[n-1], s.spare[:n-1]
	} else {
		r = new(round)
	}
	r.id, r.left = id, pieces
	r.gather.begin(s.local, pieces)
	s.rounds = append(s.rounds, r)
	return r
}

// inPlay tells whether one of the tables of a column is in play.
func (s *session) inPlay(tables []byte, rows int) bool {
	if s.playing == 0 {
		return false
	}
	for i := range rows {
		if n := uint32At(tables, i); int64(n) < int64(s.tables) && s.busy[n] {
			return true
		}
	}
	return false
}

// piece returns an empty piece.
func (s *session) piece() *piece {
	select {
	case p := <-s.free:
		return p
	default:
		return newPiece(s.spec)
	}
}

// advance takes over a piece that has been played, or else plays one that no worker
// has begun, so that a few tables wait for nobody, or else waits for one; and it
// sends the rounds that are over. There must be one in play.
func (s *session) advance() error {
	var p *piece
	select {
	case p = <-s.done:
	default:
		if len(s.kept) > 0 {
			p = s.kept[0].piece
			s.work(s.own, s.kept[0])
			s.kept = slices.Delete(s.kept, 0, 1)
			break
		}
		select {
		case t := <-s.tasks:
			s.work(s.own, t)
			p = t.piece
		default:
			p = <-s.done
		}
	}
	if err := s.collected(p); err != nil {
		return err
	}
	return s.sendRounds()
}

// sendRounds sends the rounds that are over, in their order.
func (s *session) sendRounds() error {
	for len(s.rounds) > 0 && s.rounds[0].left == 0 {
		r := s.rounds[0]
		s.rounds = slices.Delete(s.rounds, 0, 1)
		if err := s.sendBatch(r.id, r.pieces, r); err != nil {
			return err
		}
		s.patience()
	}
	return nil
}

// patience begins the time for the round that is to be sent next, if there is one.
func (s *session) patience() {
	if len(s.rounds) > 0 {
		s.time.Reset(s.env.options.RequestTime)
	} else {
		s.time.Stop()
	}
}

// collect waits for a piece that has been played.
func (s *session) collect() (*piece, error) {
	p := <-s.done
	return p, s.collected(p)
}

// collected takes over a piece that has been played.
func (s *session) collected(p *piece) error {
	s.playing--
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	if p.failed != nil {
		return fmt.Errorf("env: %v", p.failed)
	}
	for _, n := range p.tables {
		s.busy[n] = false
	}
	s.pieceTime = (7*s.pieceTime + p.took) / 8
	if p.round != nil {
		p.round.left--
	}
	return nil
}

// settle waits until no table is in play and sends all that is ready.
func (s *session) settle() error {
	for len(s.rounds) > 0 {
		if err := s.advance(); err != nil {
			return err
		}
	}
	for s.playing > 0 {
		p, err := s.collect()
		if err != nil {
			return err
		}
		s.ready = append(s.ready, p)
	}
	if len(s.ready) > 0 {
		return s.sendBatch(0, s.takeReady(), nil)
	}
	return nil
}

// gather puts the rows of pieces one after the other into a frame. Pieces are
// placed by whoever has played the last one that was missing.
type gather struct {
	frame   segment.Part
	number  uint32   // of the frame
	columns [][]byte // of the frame, empty, with room for its rows; nil for none
	bytes   []int    // of a row of each
	room    int

	mu        sync.Mutex
	pieces    []*piece // that have been played, by their order
	next      int      // the first that has not been placed
	row, last int      // where it goes
	over      bool     // there is no room for it
}

// begin prepares for so many pieces, and a frame if there is one.
func (g *gather) begin(l *local, pieces int) {
	g.pieces = slices.Grow(g.pieces[:0], pieces)[:pieces]
	clear(g.pieces)
	g.next, g.row, g.last, g.over = 0, 0, 0, false
	if l == nil || !l.attached {
		return
	}
	g.frame, g.number, g.bytes, g.room = l.segment.Frame(int(l.frame)), l.frame, l.columnBytes, l.segment.Rows
	g.columns = slices.Grow(g.columns[:0], len(g.bytes))[:len(g.bytes)]
	for i := range g.columns {
		g.columns[i] = l.segment.ColumnOf(g.frame, i)
	}
}

// start lets a piece be played right where it goes, if that is known.
func (g *gather) start(p *piece) {
	if g.columns == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.next != p.order || g.over {
		return
	}
	p.bound = true
	for c, size := range g.bytes {
		if size > 0 {
			at := size * g.rowOf(c)
			p.columns[c] = g.columns[c][at:at]
		}
	}
}

// rowOf returns the next row of a column.
func (g *gather) rowOf(c int) int {
	if c >= colLastRow && c < numColumns {
		return g.last
	}
	return g.row
}

// finish takes a piece that has been played and places all that can be placed.
func (g *gather) finish(p *piece) {
	g.mu.Lock()
	g.pieces[p.order] = p
	if g.columns == nil {
		g.mu.Unlock()
		return
	}
	from, row, last := g.next, g.row, g.last
	for g.next < len(g.pieces) && g.pieces[g.next] != nil && !g.over {
		q := g.pieces[g.next]
		if g.row+q.rows > g.room {
			g.over = true
			break
		}
		g.row += q.rows
		g.last += q.lasts()
		g.next++
	}
	to := g.next
	g.mu.Unlock()
	for _, q := range g.pieces[from:to] {
		if !q.bound {
			for c, size := range g.bytes {
				if size > 0 {
					n := row
					if c >= colLastRow && c < numColumns {
						n = last
					}
					copy(g.columns[c][size*n:cap(g.columns[c])], q.columns[c])
				}
			}
		}
		row += q.rows
		last += q.lasts()
	}
}

// done tells how many rows there are, once all pieces are finished. If there was
// no room for all, the pieces have them.
func (g *gather) done(s *setup) (rows, lasts int, ok bool) {
	if g.columns == nil {
		return 0, 0, false
	}
	if g.over {
		for _, p := range g.pieces {
			p.unbind(s)
		}
		return 0, 0, false
	}
	row, last := uint32(0), 0
	for _, p := range g.pieces {
		n := p.lasts()
		if row > 0 && n > 0 { // they count from the first row of the piece
			column := g.columns[colLastRow][:4*(last+n)]
			for i := last; i < last+n; i++ {
				putUint32(column, i, uint32At(column, i)+row)
			}
		}
		row += uint32(p.rows)
		last += n
	}
	return g.row, g.last, true
}
