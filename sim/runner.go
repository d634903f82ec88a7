package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/sparrowhall/sparrowhall/internal/ordered"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// BlockSize is the number of matches in a block, the unit of work of Run. It is fixed so
// that output written by blocks does not depend on the number of workers.
const BlockSize = 64

// Schedule defines the matches of a run.
type Schedule interface {
	// Match returns the seed of match number index and the numbers of the agents by
	// player. It is called by many goroutines.
	Match(index uint64) (seed uint64, agents [NumPlayers]uint8)
	// NumSeats returns the number of players of the matches, 3 or 4. Of three, the last
	// agent of Match is 0 and does not play.
	NumSeats() int
}

// Rotation is the schedule of as many agents as a table has players. Every match has its own
// seed, and from match to match the agents move on by one seat.
type Rotation struct {
	// Seed is the seed of the run, from which the seeds of the matches are derived.
	Seed uint64
	// KeepSeats lets agent i play for player i in every match.
	KeepSeats bool
	// Seats is the number of players at the table; 0 stands for NumPlayers. The numbers of
	// the agents beyond are 0.
	Seats int
	// Secret, if not nil, replaces Seed.
	Secret *Secret
}

// Match implements Schedule.
func (r Rotation) Match(index uint64) (seed uint64, agents [NumPlayers]uint8) {
	seats := r.NumSeats()
	for p := range agents[:seats] {
		agents[p] = uint8(p)
		if !r.KeepSeats {
			agents[p] = uint8((uint64(p) + index) % uint64(seats))
		}
	}
	if r.Secret != nil {
		return r.Secret.MatchSeed(index), agents
	}
	return MatchSeed(r.Seed, index), agents
}

// NumSeats implements Schedule.
func (r Rotation) NumSeats() int {
	if r.Seats == 3 {
		return 3
	}
	return NumPlayers
}

// Job is a run of matches.
type Job struct {
	Rules    *ruleset.Rules
	Schedule Schedule
	// First and Count are the numbers of the matches to play. First must be a
	// multiple of BlockSize.
	First, Count uint64
	// NewAgent returns a new instance of an agent by its number in the schedule.
	// Workers call it for every instance they need: an instance plays at one table
	// and in one seat at a time.
	NewAgent func(number int) Agent
	// Keep is the value of Match.Keep.
	Keep KeepFlags
	// Workers is the number of matches that are played at the same time, or of blocks if Overlap
	// is set; 0 means one per CPU, or eight.
	Workers int
	// Sealed is the value of Match.Sealed.
	Sealed bool
	// Overlap makes a worker play all matches of a block concurrently, for agents that
	// wait for answers from outside the program.
	Overlap bool
	// Journal, if not nil, records each match as soon as it has ended, and returns those
	// of an earlier attempt.
	Journal Journal
	// Watch, if not nil, shows the matches to spectators. The tables are numbered from 0 to
	// below Tables; matches follow one another at each.
	Watch Watch
}

// Journal stores the matches of a job that may be interrupted before its blocks are
// complete. Its methods are called concurrently, for the matches in any order.
type Journal interface {
	// Recall is called before a match is played, with m ready for Replay. If the journal
	// has its actions, it replays m and returns true; the match is then not played.
	Recall(m *Match) (known bool, err error)
	// Record is called after each match that was not recalled. m is valid during the call
	// only. An error ends the run.
	Record(m *Match) error
}

// overlapWorkers is the default number of workers with Overlap. They wait most of the
// time, and more of them make larger batches of requests.
const overlapWorkers = 8

// Run plays the matches of a job. Workers call each for every match of a block, with the
// block's collector from newBlock. Run calls done for the blocks in the order of their
// matches, from one goroutine. Collectors are reused, so done must reset its block. The
// match passed to each is valid during the call only.
//
// A worker calls Start of each Starter before its first match, and Close of each
// io.Closer when it ends.
//
// If the job is invalid, Run returns an error before it plays. It ends early with the
// cause of ctx, or with the first error of each, of done, or of a Starter,
// Failer or io.Closer among the agents. Then done has been called for a prefix of the blocks.
//
// Run waits for the matches in progress and calls Interrupt of each Interrupter. It drops
// a match in which a player forfeits after the end of ctx, since he might have answered in time.
func Run[B any](ctx context.Context, j *Job, newBlock func() *B, each func(*B, *Match) error, done func(*B) error) error {
	if err := j.check(); err != nil {
		return err
	}
	workers, tables, blocks := j.shares()
	firsts := ordered.Numbers(j.First, j.First+uint64(blocks)*BlockSize, BlockSize)
	var begun atomic.Int64 // workers
	return ordered.Run(ctx, workers, firsts, func() ordered.Worker[uint64, B] {
		w := newWorker(j, int(begun.Add(1))-1, tables)
		return ordered.Worker[uint64, B]{
			Work: func(ctx context.Context, first uint64, b *B) error {
				last := min(first+BlockSize, j.First+j.Count)
				return w.play(ctx, first, last, func(m *Match) error { return each(b, m) })
			},
			Close: w.close,
		}
	}, newBlock, done)
}

// shares returns the number of workers, of tables at which each plays at the same time, and of
// blocks. Where there are fewer blocks than workers asked for, as in a few matches of slow programs,
// the others play at tables of the same blocks.
func (j *Job) shares() (workers, tables, blocks int) {
	workers = j.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
		if j.Overlap {
			workers = overlapWorkers
		}
	}
	blocks = int((j.Count + BlockSize - 1) / BlockSize)
	tables = 1
	switch {
	case j.Overlap:
		tables = BlockSize
	case blocks > 0 && blocks < workers:
		tables = min(workers/blocks, BlockSize)
	}
	return min(workers, max(blocks, 1)), tables, blocks
}

// Tables returns the number of tables at which the matches are played.
func (j *Job) Tables() int {
	workers, tables, _ := j.shares()
	return workers * tables
}

func (j *Job) check() error {
	switch {
	case j.Rules == nil || j.Schedule == nil || j.NewAgent == nil:
		return errors.New("sim: a job needs Rules, a Schedule and NewAgent")
	case j.Schedule.NumSeats() != j.Rules.NumSeats():
		return fmt.Errorf("sim: a schedule of %d players; %s has %d", j.Schedule.NumSeats(), j.Rules.Name, j.Rules.NumSeats())
	case j.Count > 0 && j.First%BlockSize != 0:
		return fmt.Errorf("sim: a job cannot begin with match %d; First must be a multiple of %d", j.First, BlockSize)
	case j.Count > math.MaxUint64-j.First:
		return fmt.Errorf("sim: a job of %d matches from match %d exceeds the range of match numbers", j.Count, j.First)
	}
	return nil
}

// worker plays one block of matches after another.
type worker struct {
	job *Job
	// tables has one table, or one for every match of a block where matches
	// overlap.
	tables []seating
}

// newWorker returns worker number n, with that many tables.
func newWorker(j *Job, n, count int) *worker {
	tables := make([]seating, count)
	for i := range tables {
		tables[i].match.watched = watched{by: j.Watch, table: n*len(tables) + i}
	}
	return &worker{j, tables}
}

// play plays the matches in [first, last) and calls each for them in order.
func (w *worker) play(ctx context.Context, first, last uint64, each func(*Match) error) error {
	for ; first < last; first += uint64(len(w.tables)) {
		tables := w.tables[:min(uint64(len(w.tables)), last-first)]
		if err := w.playTogether(ctx, first, tables); err != nil {
			return err
		}
		for i := range tables {
			if err := each(&tables[i].match); err != nil {
				return err
			}
		}
	}
	return nil
}

// playTogether plays one match at each table, numbered from first.
func (w *worker) playTogether(ctx context.Context, first uint64, tables []seating) error {
	if len(tables) == 1 {
		return tables[0].play(ctx, w.job, first)
	}
	errs := make([]error, len(tables))
	var wg sync.WaitGroup
	for i := range tables {
		wg.Go(func() { errs[i] = tables[i].play(ctx, w.job, first+uint64(i)) })
	}
	wg.Wait()
	return firstError(errs)
}

// firstError returns the first error of a list, nil if there is none. The others mostly
// repeat it.
func firstError(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) close() error {
	var errs []error
	for i := range w.tables {
		errs = append(errs, w.tables[i].close())
	}
	return firstError(errs)
}

// seating is a table and the agents that play at it.
type seating struct {
	match Match
	// agents has the instances of each agent number, as many as a match needed.
	agents [][]Agent
	// free stops waiting for the end of the context for each Interrupter.
	free []func() bool
}

func (s *seating) play(ctx context.Context, j *Job, index uint64) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	m := &s.match
	m.Index, m.Keep, m.Sealed = index, j.Keep, j.Sealed
	m.Seed, m.Agents = j.Schedule.Match(index)
	if j.Journal != nil {
		if known, err := j.Journal.Recall(m); known || err != nil {
			return err
		}
	}
	var seated [NumPlayers]Agent
	for p, number := range m.Agents[:j.Rules.NumSeats()] {
		copies := 0
		for _, other := range m.Agents[:p] {
			if other == number {
				copies++
			}
		}
		a, err := s.agent(ctx, j, int(number), copies)
		if err != nil {
			return err
		}
		seated[p] = a
	}
	m.Play(j.Rules, &seated)
	for _, a := range seated {
		if err := AgentError(a); err != nil {
			return err
		}
	}
	// The end of the context may have interrupted an external agent, so that its player
	// forfeited.
	if len(m.Forfeits) > 0 && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if j.Journal == nil {
		return nil
	}
	return j.Journal.Record(m)
}

// agent returns the i-th instance of an agent number and creates it if needed.
func (s *seating) agent(ctx context.Context, j *Job, number, i int) (Agent, error) {
	for len(s.agents) <= number {
		s.agents = append(s.agents, nil)
	}
	if i < len(s.agents[number]) {
		return s.agents[number][i], nil
	}
	a := j.NewAgent(number)
	s.agents[number] = append(s.agents[number], a)
	if i, ok := As[Interrupter](a); ok {
		s.free = append(s.free, context.AfterFunc(ctx, i.Interrupt))
	}
	return a, StartAgent(a, j.Rules)
}

func (s *seating) close() error {
	for _, free := range s.free {
		defer free()
	}
	var errs []error
	for _, list := range s.agents {
		for _, a := range list {
			errs = append(errs, CloseAgent(a))
		}
	}
	return firstError(errs)
}
