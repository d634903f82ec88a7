package strength

import (
	"cmp"
	"context"
	"sync"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/matchluck"
	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Contest plays a tournament and keeps its standings.
type Contest struct {
	Run *dataset.Run
	// Tally, Trial and Leader have the matches played so far. Trial and Leader are nil unless
	// the tournament ends by them.
	Tally  *Tally
	Trial  *Trial
	Leader *Leader
	// Writer writes the matches; nil if none are written.
	Writer *dataset.Writer
	// Next is the next match to play, End the number of the match after the last.
	Next, End uint64
	// NewMeter returns a meter of luck, nil if luck is not measured.
	NewMeter func() *matchluck.Meter
	// Luck, if not nil, returns the luck of a match that another contest has measured.
	Luck func(match uint64) *luck.Points

	// shared is the folder in which the tournament is played with other processes, nil for none.
	shared *Shared
	// pairing is held while results are added that decide pairings.
	pairing sync.RWMutex
}

// NewContest returns a tournament before its first match.
func NewContest(run *dataset.Run) (*Contest, error) {
	tally, err := NewTally(run)
	if err != nil {
		return nil, err
	}
	c := &Contest{Run: run, Tally: tally, End: run.Matches}
	if run.Tournament.Accept != nil {
		c.Trial = NewTrial(run)
	}
	if run.Tournament.UntilClear > 0 {
		c.Leader = NewLeader(run, tally)
	}
	return c, nil
}

// Load adds the matches that the Writer has found in the folder dir, which an earlier run has
// played. luck are the options for measuring their luck.
func (c *Contest) Load(ctx context.Context, dir string, luck matchluck.Options) error {
	c.Next, c.End = c.Writer.Next(), c.Writer.End()
	// A shard has no standings: what is rated is the whole run, after its shards are merged.
	if c.Writer.WholeMatches() == 0 || c.Run.Shard.Of > 0 {
		return nil
	}
	d, err := dataset.Open(dir)
	if err != nil {
		return err
	}
	// The trial reads by itself, since it may have to replay the matches to measure their luck.
	if c.Trial != nil {
		if err := c.Trial.Read(ctx, d, luck); err != nil {
			return err
		}
	}
	if err := c.Run.Tournament.AddAll(d); err != nil {
		return err
	}
	return c.Tally.Read(d)
}

// Play plays the matches that are missing and closes the Writer. It sets First, Count and Keep
// of the job. The tournament ends early if its stopping rule is met.
func (c *Contest) Play(ctx context.Context, job *sim.Job) error {
	if c.Writer != nil {
		job.Keep = c.Run.Keep()
	}
	err := c.playAll(ctx, job)
	if c.Writer != nil {
		err = cmp.Or(err, c.Writer.Close()) // it is closed after an error too
	}
	return err
}

func (c *Contest) playAll(ctx context.Context, job *sim.Job) error {
	var s Stopper
	switch {
	case c.Trial != nil:
		s = c.Trial
	case c.Leader != nil:
		s = c.Leader
	default:
		return c.playTo(ctx, job, c.End)
	}
	decided, err := until(s, c.Next, c.End, func(look uint64) error { return c.playTo(ctx, job, look) })
	// A run that is decided by its last match is complete as planned and is not stopped.
	if err != nil || !decided || c.Next == c.End {
		return err
	}
	c.End = c.Next
	if c.Writer != nil {
		return c.Writer.Stop()
	}
	return nil
}

// playTo plays the matches up to number end, end excluded. The pairings of a Swiss round depend
// on earlier results, so those rounds are played one after another.
func (c *Contest) playTo(ctx context.Context, job *sim.Job, end uint64) error {
	if c.shared != nil {
		return c.takeTo(ctx, end)
	}
	t := c.Run.Tournament
	for c.Next < end {
		last := end
		if t.Schedule.Plan.Selection == arena.Swiss {
			// Up to the end of a round and not by a number of matches: an interrupted run may
			// continue in the middle of one.
			last = min(end, (c.Next/t.Schedule.MatchesPerRound()+1)*t.Schedule.MatchesPerRound())
		}
		if err := c.playBlocks(ctx, job, last); err != nil {
			return err
		}
	}
	return nil
}

// playBlocks plays the matches up to number end in parallel.
func (c *Contest) playBlocks(ctx context.Context, job *sim.Job, end uint64) error {
	job.First, job.Count = c.Next, end-c.Next
	// The last function is called in the order of the blocks, so the tally adds the same sums for
	// any number of workers.
	err := sim.Run(ctx, job, c.newBlock, (*luckBlock).add, func(b *luckBlock) error {
		seats := c.Run.Tournament.Schedule.NumSeats()
		for i := range len(b.block.Rows) / seats {
			rows := b.block.Rows[seats*i:][:seats]
			points := b.luckOf(i)
			if c.Luck != nil {
				points = c.Luck(rows[0].Match)
			}
			c.add(rows, points)
		}
		// The rows are emptied by the block itself when it is used again; its luck is kept here.
		b.luck = b.luck[:0]
		return c.Writer.Append(b.block)
	})
	if err == nil {
		c.Next = end
	}
	return err
}

// add adds the next match. A shard has no standings.
func (c *Contest) add(rows []schema.MatchRow, points *luck.Points) {
	if c.Run.Shard.Of == 0 {
		c.Tally.Add(rows)
		c.Run.Tournament.Add(rows)
	}
	if c.Trial != nil {
		c.Trial.Add(rows, points)
	}
}

// luckBlock is a block of matches with their luck, if it is measured.
type luckBlock struct {
	block *dataset.Block
	meter *matchluck.Meter
	names []string // of the agents
	luck  []matchluck.Match
}

func (c *Contest) newBlock() *luckBlock {
	b := &luckBlock{block: c.Writer.NewBlock(), names: c.Run.Agents}
	if c.NewMeter != nil {
		b.meter = c.NewMeter()
	}
	return b
}

func (b *luckBlock) add(m *sim.Match) error {
	if b.meter != nil {
		var names [sim.NumPlayers]string
		for p, agent := range m.Agents[:m.NumSeats()] {
			names[p] = b.names[agent]
		}
		b.luck = append(b.luck, matchluck.Match{})
		if err := b.meter.Measure(m, &names, &b.luck[len(b.luck)-1]); err != nil {
			return err
		}
	}
	return b.block.Add(m)
}

// luckOf returns the luck of match i of the block, nil if it is not measured.
func (b *luckBlock) luckOf(i int) *luck.Points {
	if b.meter == nil {
		return nil
	}
	return &b.luck[i].Points
}
