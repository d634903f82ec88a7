package sim

import (
	"context"
	"runtime"
	"sync"

	"github.com/jansou/jansou/ruleset"
)

// BlockSize is the number of matches a worker plays at a time. It is fixed so
// that what is written block by block does not depend on the number of workers.
const BlockSize = 64

// Job is a run of matches.
type Job struct {
	Rules *ruleset.Rules
	Seed  uint64
	// First and Count are the numbers of the matches to play. First must be a
	// multiple of BlockSize.
	First, Count uint64
	// NewAgents returns the four agents of one worker.
	NewAgents func() [NumPlayers]Agent
	// KeepSeats lets agent i play for player i in every match; otherwise the
	// agents move on by one player from match to match.
	KeepSeats bool
	// Keep says which lists of each Match are filled beyond those that always
	// are.
	Keep Keep
	// Workers is the number of goroutines; 0 means one per processor.
	Workers int
}

// AgentOf returns which agent plays for player p in match number index.
func (j *Job) AgentOf(index uint64, p Player) int {
	if j.KeepSeats {
		return int(p)
	}
	return int((uint64(p) + index) % NumPlayers)
}

// Run plays the matches of a job. Workers call each for every match of a block,
// with the block's collector from newBlock; Run then calls done for the blocks
// in order of their matches, from one goroutine. Collectors are used again, so
// done must leave its block empty. The match passed to each is valid during the
// call only.
//
// Run ends early with ctx's error, or the first error of each or done; done has
// then been called for a prefix of the blocks.
func Run[B any](ctx context.Context, j *Job, newBlock func() *B, each func(*B, *Match) error, done func(*B) error) error {
	workers := j.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	blocks := int((j.Count + BlockSize - 1) / BlockSize)
	workers = min(workers, max(blocks, 1))

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type result struct {
		block int
		b     *B
	}
	todo := make(chan int)
	results := make(chan result, workers)
	// tickets bounds how far the fastest worker runs ahead of done.
	tickets := make(chan struct{}, 4*workers)
	// free holds collectors to be used again; there are no more than tickets.
	free := make(chan *B, cap(tickets))

	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(todo)
		for i := range blocks {
			select {
			case tickets <- struct{}{}:
			case <-ctx.Done():
				return
			}
			select {
			case todo <- i:
			case <-ctx.Done():
				return
			}
		}
	})
	var playing sync.WaitGroup
	for range workers {
		playing.Go(func() {
			w := worker{job: j, agents: j.NewAgents()}
			for i := range todo {
				var b *B
				select {
				case b = <-free:
				default:
					b = newBlock()
				}
				first := uint64(i) * BlockSize
				last := min(first+BlockSize, j.Count)
				for n := first; n < last; n++ {
					if ctx.Err() != nil {
						return
					}
					w.play(j.First + n)
					if err := each(b, &w.match); err != nil {
						cancel(err)
						return
					}
				}
				results <- result{i, b}
			}
		})
	}
	wg.Go(func() {
		playing.Wait()
		close(results)
	})

	waiting := make(map[int]*B)
	nextBlock := 0
	var failed error
	for r := range results {
		waiting[r.block] = r.b
		for {
			b, ok := waiting[nextBlock]
			if !ok {
				break
			}
			delete(waiting, nextBlock)
			nextBlock++
			if failed == nil {
				if failed = done(b); failed != nil {
					cancel(failed)
				}
			}
			free <- b
			<-tickets
		}
	}
	wg.Wait()
	if failed == nil && nextBlock < blocks {
		failed = context.Cause(ctx)
	}
	return failed
}

// worker plays one match after another.
type worker struct {
	job    *Job
	agents [NumPlayers]Agent
	match  Match
}

func (w *worker) play(index uint64) {
	m := &w.match
	m.Index = index
	m.Seed = MatchSeed(w.job.Seed, index)
	m.Keep = w.job.Keep
	var seated [NumPlayers]Agent
	for p := range seated {
		a := w.job.AgentOf(index, Player(p))
		seated[p] = w.agents[a]
		m.Agents[p] = uint8(a)
	}
	m.Play(w.job.Rules, &seated)
}
