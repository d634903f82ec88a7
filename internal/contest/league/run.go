package league

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/internal/contest/live"
	"github.com/sparrowhall/sparrowhall/internal/contest/pairing"
	"github.com/sparrowhall/sparrowhall/internal/contest/strength"
	"github.com/sparrowhall/sparrowhall/internal/export/seal"
	"github.com/sparrowhall/sparrowhall/sim"
)

// RunOptions are the limits of a run, and how matches are played.
type RunOptions struct {
	// Matches is the number of matches to play, rounded up to whole duplicate sets of a
	// lineup; 0 for no limit.
	Matches uint64
	// Total, if not 0, is the number of matches of this folder in the season after which
	// the run ends, so that the same call after an interruption goes on.
	Total uint64
	// Until is the time at which the run ends, the zero time for none. The round in work
	// stays for the next call.
	Until time.Time
	// Workers is the number of goroutines, 0 for one per processor.
	Workers int
	// Wrap returns the spec by which a bot is started, such as one with a sandbox; nil for
	// the spec itself.
	Wrap func(spec string) string
	// Hall, if not nil, brings bots that connect by themselves to the tables. Then each round
	// has tables at which at least one of them sits, for one match with walls of its own: a
	// bot could remember walls that it has played.
	Hall Hall
	// Played is called with each match as it ends, by many goroutines; it may be nil.
	Played func(*sim.Match, []Bot)
	// Warn is called when a bot is left out; it may be nil.
	Warn func(text string)
	// Sealed is called before each sealed round with its number and commitment; it may be nil.
	Sealed func(round int64, commitment string)
	// Live, if not nil, receives the running and waiting matches.
	Live *live.Activity
}

// warn calls Warn with a text.
func (o *RunOptions) warn(format string, args ...any) {
	if o.Warn != nil {
		o.Warn(fmt.Sprintf(format, args...))
	}
}

func (o *RunOptions) startSpec(b *Bot) string {
	if o.Wrap == nil {
		return b.Agent
	}
	return o.Wrap(b.Agent)
}

// plan is a round before it is played. With the agents it decides every byte of the dataset.
type plan struct {
	// Seed is the seed of a round with public walls, Sealed the secret of one with a seal.
	Seed    uint64     `json:"seed,string"`
	Sealed  *seal.Info `json:"sealed,omitempty"`
	Bots    []int64    `json:"bots"`    // ids, in the order of the dataset's agents
	Lineups [][]int    `json:"lineups"` // places in Bots
	Sets    uint64     `json:"sets_per_lineup"`
	// Single is set for rounds of a hall, whose duplicate sets have one match.
	Single bool `json:"single,omitempty"`
}

// round is a round of the database that is not complete.
type round struct {
	id, engine int64
	plan       plan
}

// Run plays round after round until a limit is met, and returns the number of matches that it
// has added to the league. A bot that cannot be started, whose files have changed since it was
// added, or that forfeits all matches of a round, is left out with a warning.
func (l *League) Run(ctx context.Context, o RunOptions) (played uint64, err error) {
	if err := l.Lock(); err != nil {
		return 0, err
	}
	if !o.Until.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, o.Until, errTimeLimit)
		defer cancel()
	}
	s, err := l.newSession(ctx, &o)
	if err != nil {
		return 0, dropTimeLimit(err)
	}
	for {
		left := uint64(math.MaxUint64)
		if o.Matches > 0 {
			left = o.Matches - min(played, o.Matches)
		}
		if o.Total > 0 {
			left = min(left, o.Total-min(s.ownMatches, o.Total))
		}
		r, err := l.openRound(ctx)
		if err != nil {
			return played, dropTimeLimit(err)
		}
		if r != nil && r.engine != engineVersion { // an earlier version of the program began it
			if err := s.abandon(ctx, r); err != nil {
				return played, dropTimeLimit(err)
			}
			continue
		}
		if left == 0 && r == nil {
			return played, nil
		}
		if r != nil && r.plan.Single && o.Hall == nil {
			return played, errors.New("a round of league serve is in work; league serve goes on with it")
		}
		if r == nil {
			if r, err = s.plan(ctx, left); err != nil {
				return played, dropTimeLimit(err)
			}
		}
		n, err := s.play(ctx, r)
		if err != nil {
			return played, dropTimeLimit(err)
		}
		played += n
		s.ownMatches += n
	}
}

// errTimeLimit is the cause of a context that ends at RunOptions.Until.
var errTimeLimit = errors.New("the time is over")

// session is the state of a call of Run.
type session struct {
	league     *League
	o          *RunOptions
	leftOut    map[int64]bool // by the ids of bots
	forfeited  map[int64]int  // rounds in a row of which a bot forfeited all matches
	ownMatches uint64         // matches of this folder in the season
	pool       *pool
	meetings   pairing.Meetings
}

func (l *League) newSession(ctx context.Context, o *RunOptions) (*session, error) {
	s := &session{league: l, o: o, leftOut: map[int64]bool{}, forfeited: map[int64]int{}}
	if err := l.db.QueryRowContext(ctx, `SELECT coalesce(sum(matches), 0) FROM rounds WHERE season = ? AND engine = ? AND state = ?`,
		l.season.ID, engineVersion, counted).Scan(&s.ownMatches); err != nil {
		return nil, err
	}
	return s, s.load(ctx)
}

// load reads the bots and all results, and leaves out new bots that cannot play.
func (s *session) load(ctx context.Context) (err error) {
	known := map[int64]bool{}
	if s.pool != nil {
		for i := range s.pool.bots {
			known[s.pool.bots[i].ID] = true
		}
	}
	if s.pool, _, err = s.league.newPool(ctx, View{}); err != nil {
		return err
	}
	for i := range s.pool.bots {
		if b := &s.pool.bots[i]; b.Retired == "" && !known[b.ID] {
			if err := s.probe(ctx, b); err != nil {
				s.leaveOut(b, err)
			}
		}
	}
	s.meetings = pairing.NewMeetings(len(s.pool.members))
	return s.league.visitSets(ctx, View{}, s.pool.index, s.addSet)
}

// refresh loads the league again if another process has changed its bots.
func (s *session) refresh(ctx context.Context) error {
	bots, err := s.league.Bots(ctx)
	if err != nil || slices.Equal(bots, s.pool.bots) {
		return err
	}
	return s.load(ctx)
}

// addSet adds a duplicate set to the matches by which bots are paired.
func (s *session) addSet(set storedSet) error {
	s.pool.matches.Add(s.pool.matches.Sets(), set.rankings)
	s.meetings.Add(set.rankings)
	return nil
}

// probe returns why a bot cannot play.
func (s *session) probe(ctx context.Context, b *Bot) error {
	if b.Agent == RemoteAgent {
		if s.o.Hall == nil {
			return errors.New("it connects by itself, and plays where league serve runs")
		}
		return nil
	}
	switch same, err := s.league.hasFingerprint(ctx, b.Agent, b.Fingerprint); {
	case err != nil:
		return err
	case !same:
		return errors.New("what plays has changed since it was added; league add makes it a new version")
	}
	newAgent, err := agents.New(s.o.startSpec(b))
	if err != nil {
		return err
	}
	a := newAgent()
	return errors.Join(sim.StartAgent(a, s.league.rules.Rules()), sim.CloseAgent(a))
}

// leaveOut leaves a bot out of all further rounds.
func (s *session) leaveOut(b *Bot, why error) {
	s.leftOut[b.ID] = true
	s.o.warn("%s is left out: %v", b.Label(), why)
}

// dropTimeLimit returns an error with which a session ended, nil if its time was over.
func dropTimeLimit(err error) error {
	if errors.Is(err, errTimeLimit) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// openRound returns the round that is not complete, nil if there is none.
func (l *League) openRound(ctx context.Context) (*round, error) {
	r := &round{}
	var text string
	switch err := l.db.QueryRowContext(ctx, `SELECT id, engine, plan FROM rounds WHERE state = ?`, playing).Scan(&r.id, &r.engine, &text); {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return r, json.Unmarshal([]byte(text), &r.plan)
}

// plan pairs the bots for the next round and commits the plan.
func (s *session) plan(ctx context.Context, left uint64) (*round, error) {
	var guests []int64
	if s.o.Hall != nil {
		var err error
		if guests, err = s.o.Hall.Gather(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.refresh(ctx); err != nil {
		return nil, err
	}
	var active []int // agents of the pool
	var remote []bool
	for i, at := range s.pool.members {
		if b := &s.pool.bots[at]; b.Retired == "" && !s.leftOut[b.ID] && (b.Agent != RemoteAgent || slices.Contains(guests, b.ID)) {
			active = append(active, i)
			remote = append(remote, b.Agent == RemoteAgent)
		}
	}
	if len(active) < 2 {
		return nil, fmt.Errorf("%d bots can play; at least 2 must: league add adds one", len(active))
	}
	var ratings *strength.Ratings
	if s.pool.matches.Matches() > 0 {
		var err error
		if ratings, err = s.pool.matches.Fit(); err != nil {
			return nil, err
		}
	}
	seats := s.league.seats()
	pairer := pairing.New(seats, ratings, active, s.meetings)
	r := &round{engine: engineVersion, plan: plan{Sets: pairing.SetsPerTable}}
	var lineups [][sim.NumPlayers]uint8
	if s.o.Hall != nil {
		r.plan.Sets, r.plan.Single = 1, true
		lineups = pairer.SeatGuests(remote)
	} else {
		lineups = pairer.Lineups(pairing.Tables(uint64(s.pool.matches.Matches()), left, seats), pairing.SetsPerTable)
	}
	s.setLineups(r, lineups, active)
	return r, s.league.inTransaction(ctx, func(tx *sql.Tx) (err error) {
		if r.id, err = s.league.newRoundID(ctx, tx); err != nil {
			return err
		}
		if r.plan.Sealed = s.league.newSeal(); r.plan.Sealed == nil {
			r.plan.Seed = s.league.deriveSeed("round", r.id)
		}
		text, err := json.Marshal(r.plan)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO rounds (id, season, engine, state, plan, source) VALUES (?, ?, ?, ?, ?, '')`,
			r.id, s.league.season.ID, engineVersion, playing, string(text))
		return err
	})
}

// setLineups sets the lineups of a round and their bots, as many as a dataset can have. The numbers
// in lineups are places in active.
func (s *session) setLineups(r *round, lineups [][sim.NumPlayers]uint8, active []int) {
	for _, lineup := range lineups {
		var list []int
		for _, a := range lineup[:s.league.seats()] {
			id := s.pool.bots[s.pool.members[active[a]]].ID
			i := slices.Index(r.plan.Bots, id)
			if i < 0 {
				if len(r.plan.Bots) == arena.MaxAgents {
					break
				}
				i = len(r.plan.Bots)
				r.plan.Bots = append(r.plan.Bots, id)
			}
			list = append(list, i)
		}
		if len(list) < s.league.seats() {
			return
		}
		r.plan.Lineups = append(r.plan.Lineups, list)
	}
}

// newRoundID returns the number of the next round. It removes a folder of that number, which a
// merge has left that was killed.
func (l *League) newRoundID(ctx context.Context, tx *sql.Tx) (id int64, err error) {
	if err = tx.QueryRowContext(ctx, `SELECT coalesce(max(id), 0) + 1 FROM rounds`).Scan(&id); err == nil {
		err = os.RemoveAll(l.roundDir(id))
	}
	return id, err
}

// roundDir returns the folder of the dataset of a round.
func (l *League) roundDir(id int64) string {
	return filepath.Join(l.dir, matchesName, fmt.Sprintf("%08d", id))
}

func (r *round) datasetRun(rules *configs.Ruleset, bots []Bot) (*dataset.Run, error) {
	seats := rules.Config.Common().NumSeats()
	lineups := make([][sim.NumPlayers]uint8, len(r.plan.Lineups))
	for i, list := range r.plan.Lineups {
		for p, a := range list {
			lineups[i][p] = uint8(a)
		}
	}
	seatings := arena.Rotations(seats)
	if r.plan.Single {
		seatings = 1
	}
	schedule, err := arena.New(arena.Plan{
		Seats: seats, Seed: r.plan.Seed, Agents: len(bots), Selection: arena.ListedLineups, Seatings: seatings, Rounds: 1,
		SetsPerTable: r.plan.Sets, Lineups: lineups,
	})
	if err != nil {
		return nil, err
	}
	run := &dataset.Run{
		Ruleset: rules, Seed: r.plan.Seed, Matches: schedule.Matches(), Record: schema.Matches, FileMatches: dataset.DefaultFileMatches,
		Tournament: &dataset.Tournament{Schedule: schedule},
	}
	for i := range bots {
		run.Agents = append(run.Agents, bots[i].Label())
	}
	if err := setSeal(run, r.plan.Sealed); err != nil {
		return nil, err
	}
	return run, run.Check()
}

// play plays the missing matches of a round and counts it. It returns the number of its matches,
// 0 if a bot could not play and the round was abandoned.
func (s *session) play(ctx context.Context, r *round) (uint64, error) {
	var bots []Bot
	for _, id := range r.plan.Bots {
		b := findID(s.pool.bots, id)
		if b == nil {
			return 0, fmt.Errorf("%s is damaged: round %d has an unknown bot", databaseName, r.id)
		}
		bots = append(bots, *b)
	}
	for i := range bots {
		if s.leftOut[bots[i].ID] { // it was in work when the round was interrupted
			return 0, s.abandon(ctx, r)
		}
	}
	run, err := r.datasetRun(s.league.rules, bots)
	if err != nil {
		return 0, err
	}
	if s.o.Sealed != nil && r.plan.Sealed != nil {
		s.o.Sealed(r.id, r.plan.Sealed.Commitment)
	}
	dir := s.league.roundDir(r.id)
	times, err := s.playMatches(ctx, r, run, bots)
	if err != nil {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		failed := false
		for i := range bots {
			if why := s.probe(ctx, &bots[i]); why != nil {
				s.leaveOut(&bots[i], why)
				failed = true
			}
		}
		if !failed {
			return 0, fmt.Errorf("round %d: %w", r.id, err)
		}
		return 0, s.abandon(ctx, r)
	}
	d, err := dataset.Open(dir)
	if err != nil {
		return 0, err
	}
	result, err := s.league.readResults(ctx, d, bots, max(1, s.o.Workers))
	if err != nil {
		return 0, err
	}
	for i := range bots {
		f := result.figures[bots[i].ID]
		f.Timed, f.Nanoseconds = times[i].decisions.Load(), times[i].nanoseconds.Load()
		if bots[i].Agent == RemoteAgent {
			if err := s.o.Hall.MatchEnded(ctx, bots[i], f.Forfeits > 0); err != nil {
				return 0, err
			}
		} else if s.mustLeave(bots[i].ID, f, r.plan.Single) {
			s.leaveOut(&bots[i], fmt.Errorf("it forfeited all its %d matches of round %d", f.Matches, r.id))
		}
	}
	if err := s.league.inTransaction(ctx, func(tx *sql.Tx) error { return s.league.commitResults(ctx, tx, r.id, result) }); err != nil {
		return 0, err
	}
	return uint64(result.matches), s.addRound(ctx, r.id)
}

// mustLeave counts a round of a bot, and reports whether the bot is to be left out: it forfeited
// all matches of the round, or of three in a row if a round is one match.
func (s *session) mustLeave(bot int64, f *figures, single bool) bool {
	s.forfeited[bot]++
	if f.Forfeits < f.Matches {
		delete(s.forfeited, bot)
	}
	return s.forfeited[bot] >= 3 || s.forfeited[bot] > 0 && !single
}

func (s *session) addRound(ctx context.Context, id int64) error {
	return s.league.visitRound(ctx, id, s.pool.index, s.addSet)
}

// abandon ends a round that cannot be played. Nothing of it counts.
func (s *session) abandon(ctx context.Context, r *round) error {
	if err := os.RemoveAll(s.league.roundDir(r.id)); err != nil {
		return err
	}
	return s.league.exec(ctx, `UPDATE rounds SET state = ?, ended = ? WHERE id = ?`, abandoned, s.league.date(), r.id)
}

// playMatches plays the matches that the dataset of a run lacks, and returns the time of the
// decisions of each bot.
func (s *session) playMatches(ctx context.Context, r *round, run *dataset.Run, bots []Bot) ([]clock, error) {
	times := make([]clock, len(bots))
	newAgents := make([]func() sim.Agent, len(bots))
	// Remote bots take time over the network, so matches overlap.
	job := &sim.Job{Workers: s.o.Workers, Overlap: s.o.Hall != nil}
	for i := range bots {
		if b := bots[i]; b.Agent == RemoteAgent {
			newAgents[i] = func() sim.Agent { return s.o.Hall.NewAgent(b) }
			continue
		}
		var err error
		if newAgents[i], err = agents.New(s.o.startSpec(&bots[i])); err != nil {
			return nil, err
		}
		job.Overlap = job.Overlap || agents.Overlaps(bots[i].Agent)
	}
	job.NewAgent = func(number int) sim.Agent { return &timedAgent{newAgents[number](), &times[number]} }
	w, err := dataset.Create(s.league.roundDir(r.id), run, false)
	if err != nil {
		return nil, err
	}
	seats := run.Ruleset.Config.Common().NumSeats()
	job.Journal = &journal{Journal: w.Journal(), o: s.o, round: r.id, bots: bots, seats: seats}
	if a := s.o.Live; a != nil {
		a.SetQueue(r.queue(seats))
		defer a.EndRound(r.id)
	}
	return times, w.Play(ctx, job)
}

// queue returns the lineups of a round with the numbers of their matches.
func (r *round) queue(seats int) (list []live.Lineup) {
	seatings := arena.Rotations(seats)
	if r.plan.Single {
		seatings = 1
	}
	for _, lineup := range r.plan.Lineups {
		q := live.Lineup{Matches: r.plan.Sets * uint64(seatings)}
		for _, i := range lineup {
			q.Bots = append(q.Bots, r.plan.Bots[i])
		}
		list = append(list, q)
	}
	return list
}

// journal reports each match to the caller before it passes it to the dataset.
type journal struct {
	sim.Journal
	o     *RunOptions
	round int64 // 0 for a test, which is not shown
	bots  []Bot
	seats int
}

// Recall implements sim.Journal.
func (j *journal) Recall(m *sim.Match) (known bool, err error) {
	known, err = j.Journal.Recall(m)
	if j.o.Live != nil && j.round > 0 {
		r := live.Match{Round: j.round, Index: m.Index, Since: time.Now()}
		for _, agent := range m.Agents[:j.seats] {
			r.Bots = append(r.Bots, j.bots[agent].ID)
		}
		if j.o.Live.Begin(r); known {
			j.o.Live.End(r.Round, r.Index)
		}
	}
	return known, err
}

// Record implements sim.Journal.
func (j *journal) Record(m *sim.Match) error {
	if j.o.Live != nil {
		j.o.Live.End(j.round, m.Index)
	}
	if j.o.Played != nil {
		j.o.Played(m, j.bots)
	}
	return j.Journal.Record(m)
}

// clock sums the wall time of the decisions of a bot.
type clock struct{ decisions, nanoseconds atomic.Int64 }

// timedAgent is an agent with a clock.
type timedAgent struct {
	sim.Agent
	clock *clock
}

// Unwrap returns the agent; see [sim.As].
func (t *timedAgent) Unwrap() sim.Agent { return t.Agent }

// Act implements sim.Agent.
func (t *timedAgent) Act(v sim.View) sim.Action {
	start := time.Now()
	a := t.Agent.Act(v)
	t.clock.nanoseconds.Add(int64(time.Since(start)))
	t.clock.decisions.Add(1)
	return a
}
