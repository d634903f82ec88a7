package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"sync"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim/inorder"
)

// BlockSize is the number of matches a worker plays at a time. It is fixed so
// that what is written block by block does not depend on the number of workers.
const BlockSize = 64

// Schedule says which matches a run is made of.
type Schedule interface {
	// Match returns the seed of match number index and the numbers of the agents
	// that play for the players. It is called by many goroutines.
	Match(index uint64) (seed uint64, agents [NumPlayers]uint8)
}

// Rotation is the schedule of four agents at a table: in every match other walls,
// and from match to match the agents move on by one player.
type Rotation struct {
	// Seed is the seed of the run; each match has its own from it.
	Seed uint64
	// KeepSeats lets agent i play for player i in every match.
	KeepSeats bool
	// Secret, if not nil, is what the seeds of the matches come from instead.
	Secret *Secret
}

// Match implements Schedule.
func (r Rotation) Match(index uint64) (seed uint64, agents [NumPlayers]uint8) {
	for p := range agents {
		agents[p] = uint8(p)
		if !r.KeepSeats {
			agents[p] = uint8((uint64(p) + index) % NumPlayers)
		}
	}
	if r.Secret != nil {
		return r.Secret.MatchSeed(index), agents
	}
	return MatchSeed(r.Seed, index), agents
}

// Job is a run of matches.
type Job struct {
	Rules    *ruleset.Rules
	Schedule Schedule
	// First and Count are the numbers of the matches to play. First must be a
	// multiple of BlockSize.
	First, Count uint64
	// NewAgent returns the agent of that number in the schedule, one that plays
	// at one table at a time and for one player. It is called by the workers for
	// every agent they need, also for each place of an agent that sits at a table
	// more than once.
	NewAgent func(number int) Agent
	// Keep says which lists of each Match are filled beyond those that always
	// are.
	Keep Keep
	// Workers is the number of goroutines; 0 means one per processor, or
	// overlapWorkers.
	Workers int
	// Sealed is that of each Match.
	Sealed bool
	// Overlap lets a worker play the matches of a block all at the same time. It
	// is for agents that wait for answers from outside the program.
	Overlap bool
	// Journal, if not nil, is told of each match as soon as it has ended, and may
	// know some from before.
	Journal Journal
}

// Journal keeps what has been played of a job that may be interrupted before its
// blocks are whole. Its methods are called by many goroutines at a time, for the
// matches in no order.
type Journal interface {
	// Recall is called before a match is played. If the journal has its answers, it
	// replays m, of which all is set that goes before a Replay, and returns true;
	// no agent then sits down for it.
	Recall(m *Match) (known bool, err error)
	// Played is called when a match that was not recalled has ended. m is valid
	// during the call only. An error ends the run.
	Played(m *Match) error
}

// overlapWorkers is the number of workers whose matches overlap. They wait most of
// the time, and the more there are, the more is asked at a time.
const overlapWorkers = 8

// Run plays the matches of a job. Workers call each for every match of a block,
// with the block's collector from newBlock; Run then calls done for the blocks
// in order of their matches, from one goroutine. Collectors are used again, so
// done must leave its block empty. The match passed to each is valid during the
// call only.
//
// A worker starts each agent that is a Starter before its first match, and closes
// each that is an io.Closer when its work ends.
//
// The error of a job that cannot be run says what is wrong with it, before anything
// is played. Run ends early with ctx's error, or the first error of each or done or of an
// agent that is a Starter, a Failer or an io.Closer; done has then been called for
// a prefix of the blocks. It ends when the matches under way have ended, which an
// Interrupter is told to make soon. A match in which somebody forfeits then is not
// kept: with more time he might have answered.
func Run[B any](ctx context.Context, j *Job, newBlock func() *B, each func(*B, *Match) error, done func(*B) error) error {
	if err := j.check(); err != nil {
		return err
	}
	workers := j.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
		if j.Overlap {
			workers = overlapWorkers
		}
	}
	blocks := int((j.Count + BlockSize - 1) / BlockSize)
	firsts := func(yield func(uint64) bool) {
		for i := range blocks {
			if !yield(j.First + uint64(i)*BlockSize) {
				return
			}
		}
	}
	workers = min(workers, max(blocks, 1))
	return inorder.Run(ctx, workers, firsts, func() inorder.Worker[uint64, B] {
		w := newWorker(j)
		return inorder.Worker[uint64, B]{
			Work: func(ctx context.Context, first uint64, b *B) error {
				last := min(first+BlockSize, j.First+j.Count)
				return w.play(ctx, first, last, func(m *Match) error { return each(b, m) })
			},
			Close: w.close,
		}
	}, newBlock, done)
}

// check returns which promise of a Job is broken.
func (j *Job) check() error {
	switch {
	case j.Rules == nil || j.Schedule == nil || j.NewAgent == nil:
		return errors.New("sim: a job needs Rules, a Schedule and NewAgent")
	case j.Count > 0 && j.First%BlockSize != 0:
		return fmt.Errorf("sim: a job cannot begin with match %d; allowed: multiples of %d", j.First, BlockSize)
	case j.Count > math.MaxUint64-j.First:
		return fmt.Errorf("sim: a job cannot go on for %d matches from match %d", j.Count, j.First)
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

func newWorker(j *Job) *worker {
	n := 1
	if j.Overlap {
		n = BlockSize
	}
	return &worker{j, make([]seating, n)}
}

// play plays the matches from first up to last and passes them on in order.
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

// playTogether plays a match at each table, the first of the given number.
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

// firstError returns the first error of a list. The others hardly say anything
// else: what ails one agent ails its like.
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

// seating is a table and the agents that have sat down at it.
type seating struct {
	match Match
	// agents has the agents of each number, as many as were needed at a time.
	agents [][]Agent
	// free lets go of the agents that would be told of the end of the run.
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
	for p, number := range m.Agents {
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
		if f, ok := a.(Failer); ok && f.Err() != nil {
			return f.Err()
		}
	}
	// What ends the run may have ended a program outside before, or cut its answer
	// short, so that its player forfeits a match that he would have played.
	if len(m.Forfeits) > 0 && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if j.Journal == nil {
		return nil
	}
	return j.Journal.Played(m)
}

// agent returns the i-th agent of a number, which it makes if there are no more
// than i.
func (s *seating) agent(ctx context.Context, j *Job, number, i int) (Agent, error) {
	for len(s.agents) <= number {
		s.agents = append(s.agents, nil)
	}
	if i < len(s.agents[number]) {
		return s.agents[number][i], nil
	}
	a := j.NewAgent(number)
	s.agents[number] = append(s.agents[number], a)
	if i, ok := a.(Interrupter); ok {
		s.free = append(s.free, context.AfterFunc(ctx, i.Interrupt))
	}
	if starter, ok := a.(Starter); ok {
		return a, starter.Start(j.Rules)
	}
	return a, nil
}

func (s *seating) close() error {
	for _, free := range s.free {
		defer free()
	}
	var errs []error
	for _, list := range s.agents {
		for _, a := range list {
			if c, ok := a.(io.Closer); ok {
				errs = append(errs, c.Close())
			}
		}
	}
	return firstError(errs)
}
