package tables

import (
	"math/bits"

	"github.com/sparrowhall/sparrowhall/env/internal/fairqueue"
	"github.com/sparrowhall/sparrowhall/internal/insight/belief"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// table is one table of a Scheduler. While a worker plays at it no other goroutine
// touches it.
type table struct {
	decision decision
	matches  matches
	episode  *episode
	history  *observe.History // nil unless the observation needs it
	board    observe.Board    // cache of the observations of this table
	luck     *handLuck        // nil unless rewards are luck-adjusted
}

// decision is what a table waits for. Answers are checked against it alone.
type decision struct {
	legal   [sim.NumPlayers]sim.ActionSet
	answers [sim.NumPlayers]sim.Action
	step    uint32
	asked   sim.Players // players of the client who must answer
	waiting sim.Players // those of them who have not answered
	client  sim.Players // players of the client
	resting bool        // the episode has ended and the next has not begun
}

// matches is the position of a table in its sequence of matches.
type matches struct {
	begun uint64 // matches started
	// seeded reports that the seeds are derived from first, of which so many are used;
	// otherwise they are derived from Config.Seed.
	seeded      bool
	first, used uint64
}

// episode is the state of a match and what a copy of the table needs besides.
type episode struct {
	state  sim.Table
	seed   uint64                // of the match
	seats  [sim.NumPlayers]uint8 // the entry of Config.Agents for each player, or External
	client sim.Players           // players of the client
	dealt  bool                  // a hand of the episode has begun
	acted  sim.Players           // players who have decided in the episode
	// points and owed are those of each player at the last decision, or at the start
	// of the episode.
	points, owed [sim.NumPlayers]int32
}

// Copy is a table as it was, for Restore.
type Copy struct {
	decision decision
	matches  matches
	table    uint32
	episode  episode
	history  observe.History
}

// worker plays at tables. It belongs to one goroutine.
type worker struct {
	scheduler *Scheduler
	turn      *fairqueue.Turn
	agents    []sim.Agent
	encoder   *observe.Encoder
	packed    [][]byte // an observation that is yet to be unpacked
	events    []sim.Event
	values    []ruleset.Value // of the winning hands of a table that is followed
	reader    belief.Estimator
	finisher  finisher
}

// prepare constructs the encoder before the first task, and agents before their first.
func (w *worker) prepare() {
	// A reset may have added agents since the last task; those there are kept, with their caches.
	for _, a := range w.scheduler.Config.Agents[len(w.agents):] {
		w.agents = append(w.agents, a.New())
	}
	if w.scheduler.Config.Observation != nil && w.encoder == nil {
		w.encoder = w.scheduler.Config.Observation.NewEncoder()
		w.packed = make([][]byte, len(w.scheduler.Config.Observation.Tensors))
	}
}

// open makes a table and begins its first episode.
func (w *worker) open(n uint32, out *Piece) {
	t := &w.scheduler.tables[n]
	t.episode = new(episode)
	if w.scheduler.Config.Observation != nil && w.scheduler.Config.Observation.History {
		t.history = new(observe.History)
	}
	w.begin(n, out)
}

// newMatch begins the next match of a table. Seeds and seats are those of the run that
// "sparrowhall play" makes with the same options.
func (w *worker) newMatch(n uint32, t *table) {
	m, e := &t.matches, t.episode
	var entries [sim.NumPlayers]uint8
	// The matches of all tables are one sequence, as play numbers them: match i of table n is
	// number n + i*Tables.
	e.seed, entries = sim.Rotation{Seed: w.scheduler.Config.Seed, KeepSeats: !w.scheduler.Config.RotateSeats, Seats: w.scheduler.Config.Rules.NumSeats()}.Match(uint64(n) + m.begun*uint64(w.scheduler.Config.Tables))
	switch {
	// The seed that the client has given is that of the first match itself, so that one match can
	// be played again.
	case m.seeded && m.used == 0:
		e.seed = m.first
	case m.seeded:
		e.seed = sim.MatchSeed(m.first, m.used)
	}
	m.begun++
	m.used++
	seats := &w.scheduler.Config.Seats[0]
	if len(w.scheduler.Config.Seats) > 1 {
		seats = &w.scheduler.Config.Seats[n]
	}
	e.client = 0
	for i := range w.scheduler.Config.Rules.NumSeats() {
		e.seats[i] = seats[entries[i]]
		if e.seats[i] == External {
			e.client |= sim.Player(i).Bit()
		}
	}
	e.state = sim.NewTable(w.scheduler.Config.Rules, e.seed)
	if t.luck != nil {
		t.luck.variate.Reset()
		t.luck.clear()
	}
	w.newEpisode(e)
}

// newEpisode begins an episode with the next hand.
func (w *worker) newEpisode(e *episode) {
	e.dealt, e.acted = false, 0
	for p := range sim.Player(sim.NumPlayers) {
		w.markPoints(e, p)
	}
}

// markPoints sets the points from which the next reward of a player counts.
func (w *worker) markPoints(e *episode, p sim.Player) {
	e.points[p] = e.state.Points()[p]
	if w.scheduler.debts {
		e.owed[p] = e.state.View(p).NetDebt()
	}
}

// begin starts the next episode of a table: the next hand of its match if the last
// episode ended with a hand, else the next match.
func (w *worker) begin(n uint32, out *Piece) {
	t := &w.scheduler.tables[n]
	// Only with episodes of a hand does a table rest within a match.
	if t.decision.resting && t.episode.state.Phase() == sim.PhaseDeal {
		w.newEpisode(t.episode)
	} else {
		w.newMatch(n, t)
	}
	w.play(n, t, out)
}

// answer takes the client's answers and plays on.
func (w *worker) answer(n uint32, out *Piece) {
	t := &w.scheduler.tables[n]
	e := t.episode
	// Points move with the last answer at the earliest, so the rewards of all players begin at
	// the same moment.
	for p := range sim.Player(sim.NumPlayers) {
		if t.decision.asked.Has(p) {
			w.markPoints(e, p)
			if t.luck != nil {
				t.luck.paid[p] = t.luck.units(p)
			}
			e.acted |= p.Bit()
			w.step(n, t, p, t.decision.answers[p])
		}
	}
	w.play(n, t, out)
}

// play plays until the client must answer or the table rests, and adds the rows. Where
// both are asked, the client's players answer before the agents: a table that is re-dealt
// while it waits for the client then contains no answer of an agent.
func (w *worker) play(n uint32, t *table, out *Piece) {
	e := t.episode
	s := &e.state
	t.decision.asked, t.decision.waiting, t.decision.resting = 0, 0, false
	for w.scheduler.ctx.Err() == nil {
		phase := s.Phase()
		switch {
		case phase == sim.PhaseOver, phase == sim.PhaseDeal && w.scheduler.Config.HandEpisodes && e.dealt:
			w.end(n, t, out)
			switch {
			case !w.scheduler.Config.AutoReset:
				t.decision.resting, t.decision.client = true, e.client
				return
			case phase == sim.PhaseOver:
				w.newMatch(n, t)
			default:
				w.newEpisode(e)
			}
		case phase == sim.PhaseDeal:
			w.events = s.StartHand(w.events[:0])
			t.board.Reset() // it caches what players see of one hand
			w.record(t)
			if w.scheduler.follows(n) {
				w.scheduler.show(n, w.events, nil)
			}
			e.dealt = true
		case s.Asked()&e.client != 0:
			w.ask(n, t, out)
			return
		default:
			w.actAgents(n, t)
			w.turn.Yield()
		}
	}
}

// step plays a legal answer at table number n.
func (w *worker) step(n uint32, t *table, p sim.Player, a sim.Action) {
	if w.scheduler.follows(n) {
		w.stepWatched(n, t, p, a)
		return
	}
	var err error
	if w.events, err = t.episode.state.Step(p, a, w.events[:0]); err != nil {
		panic(err) // answers are checked before
	}
	w.record(t)
}

// stepWatched is step at a table that spectators follow.
func (w *worker) stepWatched(n uint32, t *table, p sim.Player, a sim.Action) {
	var err error
	w.values = w.values[:0]
	if w.events, err = t.episode.state.StepValues(p, a, w.events[:0], &w.values); err != nil {
		panic(err) // answers are checked before
	}
	w.record(t)
	if len(w.events) > 0 {
		w.scheduler.show(n, w.events, w.values)
	}
}

func (w *worker) record(t *table) {
	t.luck.follow(w.events)
	if t.history != nil {
		t.history.Add(w.events)
	}
}

// actAgents plays the answers of the agents who are asked.
func (w *worker) actAgents(n uint32, t *table) {
	e := t.episode
	for asked := e.state.Asked(); asked != 0; asked = asked.Rest() {
		p := asked.First()
		// The agents are part of the environment: after a bad answer Ask's default is played, and
		// no player forfeits.
		answer, _ := sim.Ask(w.agents[e.seats[p]], e.state.View(p))
		w.step(n, t, p, answer)
	}
}

// ask makes the table wait for the client's players who are asked.
func (w *worker) ask(n uint32, t *table, out *Piece) {
	e := t.episode
	t.decision.client = e.client
	t.decision.asked = e.state.Asked() & e.client
	t.decision.waiting = t.decision.asked
	for p := range sim.Player(sim.NumPlayers) {
		if t.decision.asked.Has(p) {
			// Copied out of the state, so that answers are checked without the table, which a
			// worker may be playing.
			e.state.CopyLegal(&t.decision.legal[p], p)
		}
	}
	w.deliver(n, out)
}

// deliver adds the rows of the players who have not answered, under a new step.
func (w *worker) deliver(n uint32, out *Piece) {
	// An answer names its step, so one to an earlier question of the table is refused.
	t := &w.scheduler.tables[n]
	t.decision.step++
	for p := range sim.Player(sim.NumPlayers) {
		if t.decision.waiting.Has(p) {
			w.add(n, t, p, Asked, &t.decision.legal[p], out)
			out.asked++
		}
	}
}

// end adds the last rows of an episode.
func (w *worker) end(n uint32, t *table, out *Piece) {
	e := t.episode
	s := &e.state
	// An episode of a hand always ends by the rules; max_hands truncates matches.
	flags := uint8(Terminated)
	if s.Truncated() && !w.scheduler.Config.HandEpisodes {
		flags = Truncated
	}
	if s.Over() {
		flags |= MatchOver
	}
	for p := range sim.Player(sim.NumPlayers) {
		if !e.client.Has(p) {
			continue
		}
		end := episodeEnd{points: s.Points()[p]}
		if s.Over() { // during a match the seed would reveal the walls to come
			final := s.Final()
			end.seed, end.rank, end.placement = e.seed, final.Rank[p], final.Placement[p]
			end.sharedRank = sharedRank(final, w.scheduler.Config.Rules.NumSeats(), p)
		}
		out.addEnd(end)
		w.add(n, t, p, flags, &passAlone, out)
	}
	if t.luck != nil {
		t.luck.clear()
	}
}

func (w *worker) add(n uint32, t *table, p sim.Player, flags uint8, legal *sim.ActionSet, out *Piece) {
	e := t.episode
	var r row // set field by field: a composite literal is built elsewhere and copied
	r.table, r.player, r.step, r.flags = n, p, t.decision.step, flags
	r.reward = e.state.Points()[p] - e.points[p]
	if w.scheduler.debts {
		r.owed = e.state.View(p).NetDebt() - e.owed[p]
	}
	if !e.acted.Has(p) {
		r.flags |= First
	}
	if t.luck != nil {
		r.reward -= t.luck.units(p) - t.luck.paid[p]
	}
	out.add(&r, legal, w.scheduler.debts)
	// The form Both has the packed tensors, the same unpacked, and the legal actions unpacked.
	tensors := len(w.packed)
	observed := out.columns[NumColumns : NumColumns+tensors]
	switch {
	case w.encoder == nil:
	// The encoder writes bits; they go through scratch memory and are spread from there.
	case w.scheduler.form == Unpacked:
		for i := range w.packed {
			w.packed[i] = w.packed[i][:0]
		}
		w.encoder.AppendTable(w.packed, &e.state, p, t.history, &t.board)
		w.unpack(observed, w.packed)
	default:
		w.encoder.AppendTable(observed, &e.state, p, t.history, &t.board)
		if w.scheduler.form == Both && w.scheduler.unpacks {
			for i, column := range observed {
				w.packed[i] = column[len(column)-w.scheduler.Config.Observation.Tensors[i].Size():]
			}
			w.unpack(out.columns[NumColumns+tensors:], w.packed)
		}
	}
	if w.scheduler.form == Both {
		cells := &out.columns[NumColumns+2*tensors]
		*cells = appendCells(*cells, legal, w.scheduler.actions)
	}
}

// unpack appends the tensors of an observation with a byte for each bit.
func (w *worker) unpack(columns, packed [][]byte) {
	for i, tensor := range packed {
		columns[i] = w.scheduler.Config.Observation.Tensors[i].AppendUnpacked(columns[i], tensor)
	}
}

// appendCells appends a byte of 0 or 1 for each of so many actions.
func appendCells(dst []byte, legal *sim.ActionSet, actions int) []byte {
	n := len(dst)
	dst = append(dst, make([]byte, actions)...)
	for i, word := range legal {
		for ; word != 0; word &= word - 1 {
			dst[n+64*i+bits.TrailingZeros64(word)] = 1
		}
	}
	return dst
}

func (t *table) copy(n uint32) *Copy {
	c := &Copy{decision: t.decision, matches: t.matches, table: n, episode: *t.episode}
	if t.history != nil {
		c.history = *t.history
	}
	return c
}

// restore sets the table, which has number n, to a copy. Its position in the sequence of
// matches changes only if the copy was made of the same table.
func (t *table) restore(n uint32, c *Copy) {
	// Steps go on from those of the table, or answers to rows from before the restore would
	// be taken for answers to it.
	step := t.decision.step
	t.decision = c.decision
	t.decision.step = step
	*t.episode = c.episode
	t.board.Reset() // it describes the state before
	if t.history != nil {
		*t.history = c.history
	}
	if n == c.table {
		t.matches = c.matches
	}
}

// redeal deals again what a player cannot see: by the probabilities of reader, or
// uniformly if it is nil. Answers that other players have given are void.
func (t *table) redeal(p sim.Player, seed uint64, reader *belief.Estimator) {
	e := t.episode
	v := e.state.View(p)
	if t.history != nil {
		// The history has what others drew. Left in, it would contradict the new tiles, and show
		// the old ones.
		*t.history = t.history.SeenBy(v)
	}
	var odds *sim.Odds
	if reader != nil {
		reader.Observe(v)
		odds = reader.Odds()
	}
	e.state = v.RedealWithOdds(odds, seed)
	t.board.Reset()      // a hidden kan may be of another kind
	e.state.Reseed(seed) // otherwise later hands would show the true walls
}
