// Package tables plays many mahjong tables for one client: a vectorized environment
// without a transport. A Scheduler deals pieces of tables to workers and gathers the
// rows that the client must answer, in columns. Packages that serve clients, by gRPC,
// shared memory or in process, translate requests into its methods.
//
//	s := tables.New(ctx, config)
//	defer s.Close()
//	round := s.Open()
//	for !round.Done() {
//		err = s.Wait()
//	}
//	rewards := round.AppendColumn(nil, tables.ColumnReward)
package tables

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/sparrowhall/sparrowhall/env/internal/fairqueue"
	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// pieceTables is the number of tables that a worker plays at a time. It is constant so
// that the order of rows does not depend on the number of workers.
const pieceTables = 32

// cheapPiece is the time of a piece below which waking a worker costs more than it
// gains when other clients need the processors.
const cheapPiece = 100 * time.Microsecond

// External is the entry of Config.Seats for the client.
const External = 0xff

// Agent is a player of the server.
type Agent struct {
	// Name is its entry in the seats.
	Name string
	// New makes the player of a worker.
	New func() sim.Agent
}

// Config describes the tables of a Scheduler.
type Config struct {
	// Rules are those of all tables.
	Rules *ruleset.Rules
	// Observation encodes what players see, for as many as play; nil for masks only.
	Observation *observe.Spec
	// Tables is the number of tables.
	Tables int
	// Seed is that of the run, from which the seeds of matches are derived.
	Seed uint64
	// Seeds is a column of uint64 with the seed of each table's first match; empty to
	// derive them from Seed.
	Seeds []byte
	// Seats says who plays: indices of Agents or External, once for all tables or for
	// each table. Where three play the fourth entry is not used.
	Seats [][sim.NumPlayers]uint8
	// Agents are the agents; Reset may need more.
	Agents []Agent
	// RotateSeats moves the entries of Seats by one player from match to match.
	RotateSeats bool
	// HandEpisodes makes an episode a hand instead of a match.
	HandEpisodes bool
	// AutoReset starts the next episode of a table when one ends.
	AutoReset bool
	// MinBatch is the number of rows of a batch in asynchronous mode; 0 for
	// synchronous mode, in which each request has its own Round.
	MinBatch int
	// Luck makes rewards luck-adjusted if it is not nil: each lacks what the tiles since the player's
	// last decision have brought by the estimate, whose mean is zero. At the end of the episode it
	// would be too late for a learner: a hand that looks good was mostly lucky, so its value would
	// be no higher than that of another. Then a decision that makes a hand better would be worth
	// nothing until the end. Tables are then not copied.
	Luck *luck.Linear
	// Workers is the largest number of goroutines that play, the caller's among them in
	// synchronous mode.
	Workers int
	// Queue shares the processors with other clients, by the name Client; may be nil.
	Queue *fairqueue.Queue
	// Client is the name of the client in Queue.
	Client string
}

// hasDebts reports whether losers may owe points from hand to hand.
func (c *Config) hasDebts() bool {
	_, debts := c.Rules.Scorer.(ruleset.DebtCollector)
	return debts
}

// Scheduler plays the tables of one client. It is used by one goroutine; its workers
// play at tables that it leaves alone meanwhile.
type Scheduler struct {
	Config Config
	ctx    context.Context // when it ends, play stops
	debts  bool
	// actions is the size of the action table.
	actions int
	form    Form           // of observations in targets
	alone   func(int) bool // see Attach; may be nil
	// unpacks is whether rows of the form Both have what Unpack says.
	unpacks bool

	tables []table
	busy   []bool // tables in play
	marks  []bool // tables of the request at hand
	marked []uint32

	tasks   chan task
	done    chan *Piece
	kept    []task // tasks that the caller's goroutine plays itself
	own     *worker
	workers int // goroutines
	group   sync.WaitGroup

	playing   int           // pieces in play
	pieceTime time.Duration // moving average for a piece
	alonePlay bool          // the caller's goroutine plays the last round by itself
	exclusive bool          // a playout is in play
	watch     sim.Watch     // see SetWatch; may be nil
	rest      rest

	// Asynchronous mode.
	ready      []*Piece // played and not yet returned by Ready
	unanswered int      // rows returned that wait for an answer
	flush      bool     // return what is ready once nothing is in play
	freePieces chan *Piece
	freeRounds chan *Round
}

// task is work on the items of a piece.
type task struct {
	kind  taskKind
	do    func(w *worker, item uint32, out *Piece)
	piece *Piece
}

type taskKind uint8

const (
	plays    taskKind = iota // plays on at tables
	opens                    // opens tables
	playouts                 // plays on copies of tables
)

// New returns a scheduler of tables that are not yet open. Play stops when ctx ends.
func New(ctx context.Context, c Config) *Scheduler {
	// A table is in one piece at a time, so that no send of a piece of tables ever blocks: there is
	// room for all. Playouts may have more; see enqueue.
	pieces := c.pieces(c.Tables)
	_, actions := sim.ActionTable(c.Rules.NumSeats())
	// The free lists have room for what is in use at a time; what does not fit is collected.
	s := &Scheduler{
		Config: c, ctx: ctx, debts: c.hasDebts(), actions: actions,
		tables: make([]table, c.Tables), busy: make([]bool, c.Tables), marks: make([]bool, c.Tables),
		tasks: make(chan task, pieces), done: make(chan *Piece, pieces),
		freePieces: make(chan *Piece, 4*pieces), freeRounds: make(chan *Round, 16),
	}
	for i := 0; c.Luck != nil && i < c.Tables; i++ {
		s.tables[i].luck = &handLuck{variate: luck.NewLinearControlVariate(c.Rules, c.Luck)}
	}
	for i := range len(c.Seeds) / 8 {
		s.tables[i].matches = matches{seeded: true, first: Uint64(c.Seeds, i)}
	}
	s.own = &worker{scheduler: s}
	return s
}

func (c *Config) pieces(items int) int { return (items + pieceTables - 1) / pieceTables }

// Close ends the workers. The context must have ended unless nothing is in play.
func (s *Scheduler) Close() {
	// Workers take what is left in the closed channel, which the ended context makes short, and
	// leave.
	close(s.tasks)
	s.group.Wait()
}

// Attach announces that rows are written to Targets of a form from now on. Before a round
// that is cheap to play, the scheduler calls alone with its number of pieces, unless it is
// nil. If alone returns true, the caller's goroutine plays the round without waking workers.
func (s *Scheduler) Attach(form Form, alone func(pieces int) bool) {
	s.form, s.alone = form, alone
}

// Unpack makes rows of the form Both have their observations with a byte for each bit from
// now on. Without it they have nothing in these columns. No round may be in play.
func (s *Scheduler) Unpack() { s.unpacks = true }

// Open opens the tables and begins their first episodes.
func (s *Scheduler) Open() *Round {
	for n := range s.tables {
		s.mark(uint32(n))
	}
	return s.startMarked(nil, opens, (*worker).open)
}

// mark adds a table to those of the request at hand.
func (s *Scheduler) mark(n uint32) {
	// A request may name a table several times, once for each of its players.
	if !s.marks[n] {
		s.marks[n] = true
		s.marked = append(s.marked, n)
	}
}

// unmark drops the tables of the request at hand.
func (s *Scheduler) unmark() {
	for _, n := range s.marked {
		s.marks[n] = false
	}
	s.marked = s.marked[:0]
}

// startMarked starts a task at the marked tables, in the order of their numbers.
func (s *Scheduler) startMarked(target *Target, kind taskKind, do func(w *worker, n uint32, out *Piece)) *Round {
	// Rows come in the order of the tables, whatever the order of the answers. Most requests are
	// sorted already.
	if !slices.IsSorted(s.marked) {
		slices.Sort(s.marked)
	}
	for _, n := range s.marked {
		s.busy[n] = true
	}
	r := s.start(s.marked, target, task{kind: kind, do: do})
	s.unmark()
	return r
}

// start divides items into pieces and starts a task for each. The rows of all go into
// a round; in asynchronous mode only those of playouts do, and the result is nil for
// others.
func (s *Scheduler) start(items []uint32, target *Target, t task) *Round {
	s.excludeLook()
	defer s.admitLook()
	pieces := s.Config.pieces(len(items))
	var r *Round
	if s.Config.MinBatch == 0 || t.kind == playouts {
		r = s.newRound(pieces, target)
	}
	// Items of playouts are copies, not tables: while one runs nothing else may, and Collect
	// has no tables to set free.
	s.exclusive = t.kind == playouts
	// Waking a worker takes longer than playing a few tables, so the caller's goroutine
	// takes the first piece.
	own := s.Config.MinBatch == 0 && s.playing == 0
	alone := s.Config.MinBatch == 0 && t.kind == plays && s.alone != nil && s.pieceTime < cheapPiece && s.alone(pieces)
	s.alonePlay = s.Config.MinBatch == 0 && (alone || pieces <= 1)
	// Pieces end in any order; by their number the rows of a round are put in the order of the
	// items.
	order := 0
	for chunk := range slices.Chunk(items, pieceTables) {
		t.piece = s.newPiece()
		t.piece.items = append(t.piece.items, chunk...)
		t.piece.round, t.piece.order = r, order
		s.playing++
		switch {
		case alone, own && order == 0:
			s.kept = append(s.kept, t)
		default:
			s.enqueue(t, min(s.Config.Workers, max(s.Config.pieces(s.Config.Tables), pieces)))
		}
		order++
	}
	return r
}

// enqueue hands a task to the workers, and starts another one if there are fewer than
// the limit, which counts the caller's goroutine in synchronous mode.
func (s *Scheduler) enqueue(t task, limit int) {
	if s.Config.MinBatch == 0 {
		limit-- // the caller's goroutine plays too
	}
	// Goroutines are made as they are needed and then stay: a client with one table never has a
	// second.
	if s.workers < limit && s.workers < s.playing {
		s.workers++
		s.group.Go(func() {
			w := &worker{scheduler: s}
			for t := range s.tasks {
				s.run(w, t)
				// After the end of the context no goroutine may read done any more.
				select {
				case s.done <- t.piece:
				case <-s.ctx.Done():
				}
			}
		})
	}
	select {
	case s.tasks <- t:
	default: // only playouts have more pieces than there are tables
		s.kept = append(s.kept, t)
	}
}

// run does a task. A panic is kept in the piece for Wait and Advance to return.
func (s *Scheduler) run(w *worker, t task) {
	p := t.piece
	defer func() {
		// Deferred, so that it also ends after a panic: other clients would wait for it forever.
		p.took = w.turn.End()
		w.turn = nil
	}()
	defer Recover(&p.failed)
	switch {
	case s.ctx.Err() != nil:
		return
	case s.Config.Queue == nil:
	case t.kind == opens:
		w.turn = s.Config.Queue.BeginOpening(s.Config.Client)
	default:
		w.turn = s.Config.Queue.Begin(s.Config.Client)
	}
	// Within the deferred Recover, since constructors of agents may panic as well.
	w.prepare()
	if p.round != nil {
		p.round.place(p)
	}
	// Long pieces give way between tables, so that another client waits for a table and not for a
	// piece.
	for _, n := range p.items {
		if s.ctx.Err() != nil {
			return
		}
		w.turn.Yield()
		t.do(w, n, p)
	}
	if p.round != nil {
		p.round.finish(p)
	}
}

// PanicError is a panic of an agent or the engine.
type PanicError struct {
	// Value is the argument of panic.
	Value any
	// Stack is that of the goroutine, as debug.Stack returns it.
	Stack []byte
}

// Error returns the value without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("env: panic: %v", e.Value) }

// Recover sets *err to a *PanicError if the goroutine panics. It must be deferred.
func Recover(err *error) {
	if v := recover(); v != nil {
		*err = &PanicError{v, debug.Stack()}
	}
}

// AtRest reports whether no table is in play.
func (s *Scheduler) AtRest() bool { return s.playing == 0 }

// Exclusive reports whether a playout is in play, beside which nothing may start.
func (s *Scheduler) Exclusive() bool { return s.exclusive && s.playing > 0 }

// PlayedAlone reports whether the caller's goroutine played the last round by itself.
func (s *Scheduler) PlayedAlone() bool { return s.alonePlay }

// Busy reports whether a table of a column of uint32 is in play.
func (s *Scheduler) Busy(tables []byte) bool {
	if s.playing == 0 {
		return false
	}
	for i := range len(tables) / 4 {
		// The column comes from a client and is not checked yet.
		if n := Uint32(tables, i); int64(n) < int64(s.Config.Tables) && s.busy[n] {
			return true
		}
	}
	return false
}

// Played returns a channel of pieces that workers have played. Each must be passed to
// Collect.
func (s *Scheduler) Played() <-chan *Piece { return s.done }

// Advance collects a piece that has been played, or plays one that no worker has begun.
// It returns false if there is neither. The error is a *PanicError, after which the
// scheduler must be closed, or that of the context.
func (s *Scheduler) Advance() (bool, error) {
	var t task
	select {
	// First what is done, so that its rows go out before another piece is begun.
	case p := <-s.done:
		return true, s.Collect(p)
	default:
	}
	if len(s.kept) > 0 {
		t = s.kept[0]
		s.kept = slices.Delete(s.kept, 0, 1)
	} else {
		own := s.tasks
		if s.Config.MinBatch > 0 {
			own = nil // rows of other pieces may be due meanwhile
		}
		select {
		case t = <-own:
		default:
			return false, nil
		}
	}
	s.run(s.own, t)
	return true, s.Collect(t.piece)
}

// Wait collects or plays a piece as Advance does, and waits if there is none. A piece must
// be in play.
func (s *Scheduler) Wait() error {
	if ok, err := s.Advance(); ok {
		return err
	}
	select {
	case p := <-s.done:
		return s.Collect(p)
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
}

// Collect takes a piece that has been played. Errors are those of Advance.
func (s *Scheduler) Collect(p *Piece) error {
	s.playing--
	defer s.admitLook()
	if p.failed != nil {
		return p.failed
	}
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	s.pieceTime = (7*s.pieceTime + p.took) / 8 // follows a change within some eight pieces
	// A round is sent when nothing of it is left; without rounds the rows join the next batch.
	if r := p.round; r != nil {
		r.left--
	} else {
		s.ready = append(s.ready, p)
	}
	if !s.exclusive {
		for _, n := range p.items {
			s.busy[n] = false
		}
	}
	return nil
}

// Ready returns the rows to send in asynchronous mode, nil if there are none. It waits for
// MinBatch rows. It returns fewer once nothing is in play and the client has answered all
// rows or requested a flush. If all is set, it returns all rows that are ready.
func (s *Scheduler) Ready(all bool) *Round {
	if s.Config.MinBatch == 0 {
		return nil
	}
	rows := 0
	for _, p := range s.ready {
		rows += p.rows
	}
	rest := s.playing == 0
	switch {
	case all && len(s.ready) > 0:
	case rows >= s.Config.MinBatch, rest && (s.flush || rows > 0 && s.unanswered == 0):
		// A flush ends with the batch that has the last rows in play.
		s.flush = s.flush && !rest
	default:
		return nil
	}
	r := s.newRound(0, nil)
	r.pieces = append(r.pieces, s.ready...)
	s.ready = s.ready[:0]
	for _, p := range r.pieces {
		s.unanswered += p.asked
	}
	return r
}

func (s *Scheduler) newPiece() *Piece {
	select {
	case p := <-s.freePieces:
		return p
	// The list is of limited size, so what a large request needed once does not stay forever.
	default:
		return newPiece(&s.Config)
	}
}
