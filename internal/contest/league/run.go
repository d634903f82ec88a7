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
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

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
	// is one match, at which at least one of them sits, with walls of its own: a bot could
	// remember walls that it has played.
	Hall Hall
	// Tables is the number of matches of a hall at the same time, 0 for 1.
	Tables int
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
	open, err := s.league.openRounds(ctx)
	if err == nil {
		err = s.playRounds(ctx, open)
	}
	return s.played, dropTimeLimit(err)
}

// playRounds plays the open rounds, and then others until a limit is met. A round of a hall is a
// match. It begins when a table and bots are free, whatever other matches do, so a bot that is slow
// delays only those that sit with it.
func (s *session) playRounds(ctx context.Context, open []*round) error {
	// A signal may come when no match is in play and nothing is being planned, so that no error
	// says so: the matches that are left must not keep the loop going.
	for left := s.left(); ctx.Err() == nil && (left > 0 || len(open) > 0); left = s.left() {
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(max(1, s.o.Tables))
		for ctx.Err() == nil && (left > 0 || len(open) > 0) {
			if len(open) == 0 {
				if err := s.persist(ctx, func() (err error) {
					open, err = s.plan(ctx, left)
					return err
				}); err != nil {
					g.Go(func() error { return err })
					break
				}
			}
			for _, r := range open {
				release := func() {}
				if s.o.Hall != nil {
					release = s.o.Hall.Reserve(r.plan.Bots)
				}
				g.Go(func() error { // waits for a table
					defer release()
					return s.play(ctx, r)
				})
				left -= min(left, 1)
			}
			if open = nil; s.o.Hall == nil {
				break // the next round is planned by the results of this one
			}
		}
		if err := g.Wait(); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// left returns the number of matches that the limits of the run leave to play.
func (s *session) left() uint64 {
	left := uint64(math.MaxUint64)
	if s.o.Matches > 0 {
		left = s.o.Matches - min(s.played, s.o.Matches)
	}
	if s.o.Total > 0 {
		left = min(left, s.o.Total-min(s.ownMatches, s.o.Total))
	}
	return left
}

// errTimeLimit is the cause of a context that ends at RunOptions.Until.
var errTimeLimit = errors.New("the time is over")

// session is the state of a call of Run.
type session struct {
	league *League
	o      *RunOptions

	mu         sync.Mutex     // guards what follows, since the matches of a hall overlap
	leftOut    map[int64]bool // by the ids of bots
	forfeited  map[int64]int  // rounds in a row of which a bot forfeited all matches
	played     uint64         // matches that this call has added
	ownMatches uint64         // matches of this folder in the season
	pool       *pool
	meetings   pairing.Meetings
	ratings    *strength.Ratings // nil before the first match
	fitted     int               // the number of matches of ratings
	// paces are the times that bots take for a decision, by their ids: a mean in which the last
	// matches weigh most.
	paces map[int64]time.Duration
}

func (l *League) newSession(ctx context.Context, o *RunOptions) (*session, error) {
	s := &session{league: l, o: o, leftOut: map[int64]bool{}, forfeited: map[int64]int{}, paces: map[int64]time.Duration{}}
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
	var sums map[int64]*figures
	if s.pool, sums, err = s.league.newPool(ctx, View{}); err != nil {
		return err
	}
	s.ratings = nil
	for id, f := range sums {
		if _, ok := s.paces[id]; !ok && f.Timed > 0 {
			s.paces[id] = time.Duration(f.Nanoseconds / f.Timed)
		}
	}
	for i := range s.pool.bots {
		if b := &s.pool.bots[i]; b.Retired == "" && !known[b.ID] {
			if err := s.probe(ctx, b); err != nil && !isExhausted(err) {
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

// openRounds returns the rounds that are not complete: at most one, but for those of a hall.
func (l *League) openRounds(ctx context.Context) ([]*round, error) {
	type row struct {
		round round
		text  string
	}
	rows, err := queryAll(ctx, l.db, func(r *row) []any { return []any{&r.round.id, &r.round.engine, &r.text} },
		`SELECT id, engine, plan FROM rounds WHERE state = ? ORDER BY id`, playing)
	var list []*round
	for i := range rows {
		list = append(list, &rows[i].round)
		err = errors.Join(err, json.Unmarshal([]byte(rows[i].text), &rows[i].round.plan))
	}
	return list, err
}

// plan pairs the bots for the next round and commits the plan. There is none if the bot of a hall
// that it was for is in the league no more.
func (s *session) plan(ctx context.Context, left uint64) (_ []*round, err error) {
	var guests []Guest
	if s.o.Hall != nil {
		if guests, err = s.o.Hall.Gather(ctx); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(ctx); err != nil {
		return nil, err
	}
	active := s.choose(guests)
	if len(active) < 2 || !s.fill(active) {
		return nil, fmt.Errorf("%d bots can play; %w", len(active), errFewBots)
	}
	// A fit reads all matches. That of 1/64 less pairs the bots of a hall as well.
	if n := s.pool.matches.Matches(); n > 0 && (s.ratings == nil || n > s.fitted+s.fitted/64) {
		if s.ratings, err = s.pool.matches.Fit(); err != nil {
			return nil, err
		}
		s.fitted = n
	}
	pairer := pairing.New(s.league.seats(), s.ratings, active, s.meetings)
	r := &round{engine: engineVersion, plan: plan{Sets: pairing.SetsPerTable}}
	if s.o.Hall == nil {
		s.setLineups(r, pairer.Lineups(pairing.Tables(uint64(s.pool.matches.Matches()), left, s.league.seats()), pairing.SetsPerTable), active)
	} else if s.member(active[0]).ID == guests[0].ID {
		r.plan.Sets, r.plan.Single = 1, true
		s.setLineups(r, pairer.SeatGuest(func(i int) bool { return s.member(active[i]).Agent == RemoteAgent }), active)
	} else {
		return nil, nil
	}
	return []*round{r}, s.league.inTransaction(ctx, func(tx *sql.Tx) (err error) {
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
			id := s.member(active[a]).ID
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

// play plays the missing matches of a round and counts it. It abandons a round in which a bot
// cannot play.
func (s *session) play(ctx context.Context, r *round) error {
	var bots []Bot
	var result *results
	err := s.persist(ctx, func() (err error) {
		bots, result, err = s.playAndCommit(ctx, r)
		return err
	})
	if err != nil || result == nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.played += uint64(result.matches)
	s.ownMatches += uint64(result.matches)
	for _, stored := range result.sets {
		set := storedSet{round: r.id}
		if err := errors.Join(set.decode(stored.results, s.league.seats(), s.pool.index), s.addSet(set)); err != nil {
			return err
		}
	}
	for i := range bots {
		f := result.figures[bots[i].ID]
		s.addPace(bots[i].ID, f)
		if bots[i].Agent == RemoteAgent {
			if err := s.o.Hall.MatchEnded(ctx, bots[i], f.Forfeits > 0); err != nil {
				return err
			}
		} else if s.mustLeave(bots[i].ID, f, r.plan.Single) {
			s.leaveOut(&bots[i], fmt.Errorf("it forfeited all its %d matches of round %d", f.Matches, r.id))
		}
	}
	return nil
}

// playAndCommit plays the missing matches of a round and commits its results. They are nil if a bot
// could not play and the round was abandoned.
func (s *session) playAndCommit(ctx context.Context, r *round) (bots []Bot, result *results, err error) {
	all, err := s.league.Bots(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range r.plan.Bots {
		b := findID(all, id)
		if b == nil {
			return nil, nil, fmt.Errorf("%s is damaged: round %d has an unknown bot", databaseName, r.id)
		}
		bots = append(bots, *b)
	}
	switch {
	case r.engine == engineVersion && r.plan.Single && s.o.Hall == nil:
		return nil, nil, errors.New("a round of league serve is in work; league serve goes on with it")
	case r.engine != engineVersion, s.anyLeftOut(bots): // since the round was begun
		return nil, nil, s.abandon(ctx, r)
	}
	run, err := r.datasetRun(s.league.rules, bots)
	if err != nil {
		return nil, nil, err
	}
	if s.o.Sealed != nil && r.plan.Sealed != nil {
		s.o.Sealed(r.id, r.plan.Sealed.Commitment)
	}
	times, err := s.playMatches(ctx, r, run, bots)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, nil, context.Cause(ctx)
	case !isExhausted(err) && s.leaveOutBroken(ctx, bots):
		return nil, nil, s.abandon(ctx, r)
	default:
		return nil, nil, fmt.Errorf("round %d: %w", r.id, err)
	}
	d, err := dataset.Open(s.league.roundDir(r.id))
	if err != nil {
		return nil, nil, err
	}
	lucks, err := s.league.measure(ctx, d, max(1, s.o.Workers))
	if err != nil {
		return nil, nil, err
	}
	if result, err = readResults(d, bots, lucks); err != nil {
		return nil, nil, err
	}
	for i := range bots {
		f := result.figures[bots[i].ID]
		f.Timed, f.Nanoseconds = times[i].decisions.Load(), times[i].nanoseconds.Load()
	}
	return bots, result, s.league.inTransaction(ctx, func(tx *sql.Tx) error { return s.league.commitResults(ctx, tx, r.id, result) })
}

func (s *session) anyLeftOut(bots []Bot) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(bots, func(b Bot) bool { return s.leftOut[b.ID] })
}

// leaveOutBroken leaves out those of some bots that cannot play any more, and reports whether there
// are any.
func (s *session) leaveOutBroken(ctx context.Context, bots []Bot) (found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range bots {
		if why := s.probe(ctx, &bots[i]); why != nil && !isExhausted(why) {
			s.leaveOut(&bots[i], why)
			found = true
		}
	}
	return found
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

// abandon ends a round that cannot be played. Nothing of it counts.
func (s *session) abandon(ctx context.Context, r *round) error {
	if err := os.RemoveAll(s.league.roundDir(r.id)); err != nil {
		return err
	}
	return s.league.exec(ctx, `UPDATE rounds SET state = ?, ended = ? WHERE id = ?`, abandoned, s.league.date(), r.id)
}

// playMatches plays the matches that the dataset of a run lacks, and returns the time of the
// decisions of each bot.
func (s *session) playMatches(ctx context.Context, r *round, run *dataset.Run, bots []Bot) ([]Clock, error) {
	times := make([]Clock, len(bots))
	newAgents := make([]func() sim.Agent, len(bots))
	job := &sim.Job{Workers: s.o.Workers}
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
	job.NewAgent = func(number int) sim.Agent { return times[number].Time(newAgents[number]()) }
	w, err := dataset.Create(s.league.roundDir(r.id), run, false)
	if err != nil {
		return nil, err
	}
	seats := run.Ruleset.Config.Common().NumSeats()
	persist := func(record func() error) error { return s.persist(ctx, record) }
	job.Journal = &journal{Journal: w.Journal(), o: s.o, round: r.id, bots: bots, seats: seats, persist: persist}
	if a := s.o.Live; a != nil {
		if !r.plan.Single { // a match of a hall begins at once
			a.SetQueue(r.matches(seats))
		}
		defer a.EndRound(r.id)
	}
	return times, w.Play(ctx, job)
}

// matches returns the number of matches of a round.
func (r *round) matches(seats int) uint64 {
	seatings := arena.Rotations(seats)
	if r.plan.Single {
		seatings = 1
	}
	return r.plan.Sets * uint64(len(r.plan.Lineups)*seatings)
}

// journal reports each match to the caller before it passes it to the dataset.
type journal struct {
	sim.Journal
	o     *RunOptions
	round int64 // 0 for a test, which is not shown
	bots  []Bot
	seats int
	// persist records a match, again and again while the machine lacks what it takes.
	persist func(record func() error) error
}

// Recall implements sim.Journal.
func (j *journal) Recall(m *sim.Match) (known bool, err error) {
	known, err = j.Journal.Recall(m)
	if j.o.Live != nil && j.round > 0 {
		r := live.Match{Round: j.round, Index: m.Index, Since: time.Now(), Bots: j.idsOf(m)}
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
	err := j.persist(func() error { return j.Journal.Record(m) })
	if err == nil && j.o.Hall != nil {
		j.o.Hall.Recorded(j.idsOf(m))
	}
	return err
}

// idsOf returns the ids of the bots of a match, by player.
func (j *journal) idsOf(m *sim.Match) (ids []int64) {
	for _, agent := range m.Agents[:j.seats] {
		ids = append(ids, j.bots[agent].ID)
	}
	return ids
}

// Clock sums the wall time of the decisions of agents.
type Clock struct{ decisions, nanoseconds atomic.Int64 }

// Time returns an agent whose decisions the clock times.
func (c *Clock) Time(a sim.Agent) sim.Agent { return &timedAgent{a, c} }

// Mean returns the mean time of a decision, 0 without any.
func (c *Clock) Mean() time.Duration {
	return time.Duration(c.nanoseconds.Load() / max(1, c.decisions.Load()))
}

// timedAgent is an agent with a clock.
type timedAgent struct {
	sim.Agent
	clock *Clock
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
