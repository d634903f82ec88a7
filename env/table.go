package env

import (
	"context"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/belief"
	"github.com/sparrowhall/sparrowhall/sim/observe"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// external stands in place of an agent for the client.
const external = 0xff

// opened is a ruleset and what clients are told about it.
type opened struct {
	rules *ruleset.Rules
	about *envv1.Ruleset
}

// setup is what the tables of one Open have in common.
type setup struct {
	opened
	spec     *observe.Spec // nil if the client wants masks only
	debts    bool
	tables   int
	seed     uint64
	seats    [][sim.NumPlayers]uint8 // one for all tables, or one each: agents or external
	rotate   bool
	hand     bool // an episode is a hand
	auto     bool // the next episode starts by itself
	minBatch int  // 0 in synchronous mode
	// unpacked tells that bits take bytes. It changes while nobody plays.
	unpacked bool
	// makers make the agents that seats name.
	makers []func() sim.Agent
}

// order is where a table stands in the sequence of its matches.
type order struct {
	match uint64 // matches begun
	// given says that the seeds are derived from first, of which k are used;
	// otherwise they are derived from the setup's.
	given    bool
	first, k uint64
}

// episode is what a table plays: all that a copy of the table needs.
type episode struct {
	table sim.Table
	seed  uint64                // of the match
	seats [sim.NumPlayers]uint8 // who plays for each player
	mine  sim.Players           // of the client
	dealt bool                  // a hand of the episode has begun
	acted sim.Players           // who have decided in the episode
	// points and owed are what each player had when he last decided, or when the
	// episode began.
	points, owed [sim.NumPlayers]int32
}

// ask is what a table waits for. The session reads it to check answers without
// touching the table itself.
type ask struct {
	legal   [sim.NumPlayers]sim.ActionSet
	answers [sim.NumPlayers]sim.Action
	step    uint32
	asked   sim.Players // those of the client who are asked
	waiting sim.Players // those who have not answered
	mine    sim.Players // those of the client
	resting bool        // the episode has ended and no other begun
}

// place is one table of a session. While workers play at it the session leaves it
// alone.
type place struct {
	ask
	order   order
	episode *episode
	history *observe.History // nil unless the observation needs it
	board   observe.Board    // of the observations made of the table
}

// kept is a copy of a table for Restore.
type kept struct {
	ask     ask
	order   order
	table   uint32
	episode episode
	history observe.History
}

// worker plays at tables. It belongs to one goroutine.
type worker struct {
	*setup
	ctx     context.Context // of the session, which may end amid a match
	turn    *turn           // nil where nobody else plays
	agents  []sim.Agent
	encoder *observe.Encoder
	packed  [][]byte // an observation that is yet to be unpacked
	events  []sim.Event
	reader  belief.Reader
}

// make makes what the worker plays with, once.
func (w *worker) make() {
	if w.agents != nil {
		return
	}
	w.agents = make([]sim.Agent, len(w.makers))
	for i, make := range w.makers {
		w.agents[i] = make()
	}
	if w.spec != nil {
		w.encoder = w.spec.NewEncoder()
		w.packed = make([][]byte, len(w.spec.Tensors))
	}
}

// open makes a table and begins its first episode. Tables are made one by one
// lest many of them at once keep a processor from others.
func (w *worker) open(n uint32, p *place, out *piece) {
	p.episode = new(episode)
	if w.spec != nil && w.spec.History {
		p.history = new(observe.History)
	}
	w.begin(n, p, out)
}

// newMatch begins the next match of a table.
func (w *worker) newMatch(n uint32, p *place) {
	o, e := &p.order, p.episode
	// Seeds and seats are those of the run that "sparrowhall play" makes of the setup.
	var entries [sim.NumPlayers]uint8
	e.seed, entries = sim.Rotation{Seed: w.seed, KeepSeats: !w.rotate}.Match(uint64(n) + o.match*uint64(w.tables))
	switch {
	case o.given && o.k == 0:
		e.seed = o.first
	case o.given:
		e.seed = sim.MatchSeed(o.first, o.k)
	}
	o.match++
	o.k++
	seats := &w.seats[0]
	if len(w.seats) > 1 {
		seats = &w.seats[n]
	}
	e.mine = 0
	for i := range e.seats {
		e.seats[i] = seats[entries[i]]
		if e.seats[i] == external {
			e.mine |= sim.Player(i).Bit()
		}
	}
	e.table = sim.NewTable(w.rules, e.seed)
	w.newEpisode(e)
}

// newEpisode begins an episode with the hand that is to be dealt.
func (w *worker) newEpisode(e *episode) {
	e.dealt, e.acted = false, 0
	for p := range sim.Player(sim.NumPlayers) {
		w.account(e, p)
	}
}

// account notes what player p has now.
func (w *worker) account(e *episode, p sim.Player) {
	e.points[p] = e.table.Points()[p]
	if w.debts {
		e.owed[p] = owedTo(e.table.View(p))
	}
}

// owedTo returns what others owe the viewer less what he owes them.
func owedTo(v sim.View) (n int32) {
	for _, d := range v.Debts(v.Player()) {
		n += d.Points
	}
	for p := range sim.Player(sim.NumPlayers) {
		n -= v.Debts(p)[v.Player()].Points
	}
	return n
}

// begin starts the next episode of a table: the next hand of its match if the
// episode before has ended with a hand, else the next match.
func (w *worker) begin(n uint32, p *place, out *piece) {
	if p.resting && p.episode.table.Phase() == sim.PhaseDeal {
		w.newEpisode(p.episode)
	} else {
		w.newMatch(n, p)
	}
	w.play(n, p, out)
}

// answer gives the client's answers to the table and plays on.
func (w *worker) answer(n uint32, p *place, out *piece) {
	e := p.episode
	for i := range sim.Player(sim.NumPlayers) {
		if p.asked.Has(i) {
			w.account(e, i)
			e.acted |= i.Bit()
			w.step(p, i, p.answers[i])
		}
	}
	w.play(n, p, out)
}

// play plays on until the client must answer or the table rests, and adds the
// rows. The client's players answer before the built-in ones, so that what those
// would answer never shapes a re-dealt table.
func (w *worker) play(n uint32, p *place, out *piece) {
	e := p.episode
	t := &e.table
	p.asked, p.waiting, p.resting = 0, 0, false
	for w.ctx.Err() == nil {
		phase := t.Phase()
		switch {
		case phase == sim.PhaseOver, phase == sim.PhaseDeal && w.hand && e.dealt:
			w.end(n, p, out)
			switch {
			case !w.auto:
				p.resting, p.mine = true, e.mine
				return
			case phase == sim.PhaseOver:
				w.newMatch(n, p)
			default:
				w.newEpisode(e)
			}
		case phase == sim.PhaseDeal:
			w.events = t.StartHand(w.events[:0])
			p.board.Reset()
			w.record(p)
			e.dealt = true
		case t.Asked()&e.mine != 0:
			w.wait(n, p, out)
			return
		default:
			w.others(p)
			if w.turn != nil {
				w.turn.yield()
			}
		}
	}
}

// step plays an answer that is known to be legal.
func (w *worker) step(p *place, player sim.Player, a sim.Action) {
	var err error
	if w.events, err = p.episode.table.Step(player, a, w.events[:0]); err != nil {
		panic(err) // the session has checked the answer
	}
	w.record(p)
}

// record adds what has happened to the history.
func (w *worker) record(p *place) {
	if p.history != nil {
		p.history.Add(w.events)
	}
}

// others lets the built-in players who are asked answer. One that answers
// illegally is given the default answer, as in matches between agents.
func (w *worker) others(p *place) {
	e := p.episode
	t := &e.table
	for asked := t.Asked(); asked != 0; asked = asked.Rest() {
		i := asked.First()
		legal := t.Legal(i)
		a := w.agents[e.seats[i]].Act(t.View(i))
		if a >= sim.NumActions || !legal.Has(a) {
			a = sim.DefaultAction(&legal)
		}
		w.step(p, i, a)
	}
}

// wait makes the table wait for those of the client's players who are asked.
func (w *worker) wait(n uint32, p *place, out *piece) {
	e := p.episode
	p.mine = e.mine
	p.asked = e.table.Asked() & e.mine
	p.waiting = p.asked
	for i := range sim.Player(sim.NumPlayers) {
		if p.asked.Has(i) {
			e.table.CopyLegal(&p.legal[i], i)
		}
	}
	w.deliver(n, p, out)
}

// deliver adds the rows of those who have not answered, under a new step.
func (w *worker) deliver(n uint32, p *place, out *piece) {
	p.step++
	for i := range sim.Player(sim.NumPlayers) {
		if p.waiting.Has(i) {
			w.add(n, p, i, envv1.RowFlag_ROW_FLAG_ASKED, &p.legal[i], out)
			out.asked++
		}
	}
}

// end adds the last rows of an episode.
func (w *worker) end(n uint32, p *place, out *piece) {
	e := p.episode
	t := &e.table
	flags := envv1.RowFlag_ROW_FLAG_TERMINATED
	if t.Truncated() && !w.hand {
		flags = envv1.RowFlag_ROW_FLAG_TRUNCATED
	}
	if t.Over() {
		flags |= envv1.RowFlag_ROW_FLAG_MATCH_OVER
	}
	for i := range sim.Player(sim.NumPlayers) {
		if !e.mine.Has(i) {
			continue
		}
		l := last{points: t.Points()[i]}
		if t.Over() { // before, the seed would give away the walls to come
			l.seed, l.rank, l.placement = e.seed, t.Final().Rank[i], t.Final().Placement[i]
		}
		out.addLast(l)
		w.add(n, p, i, flags, new(sim.ActionSet), out)
	}
}

// add adds a row for one player, who may choose of legal.
func (w *worker) add(n uint32, p *place, player sim.Player, flags envv1.RowFlag, legal *sim.ActionSet, out *piece) {
	e := p.episode
	// Field by field: the whole would be made elsewhere and copied before it is in the
	// cache.
	var r row
	r.table, r.player, r.step, r.flags = n, player, p.step, flags
	r.reward = e.table.Points()[player] - e.points[player]
	if w.debts {
		r.owed = owedTo(e.table.View(player)) - e.owed[player]
	}
	if !e.acted.Has(player) {
		r.flags |= envv1.RowFlag_ROW_FLAG_FIRST
	}
	out.add(&r, legal, w.debts)
	switch {
	case w.encoder == nil:
	case w.unpacked:
		for i := range w.packed {
			w.packed[i] = w.packed[i][:0]
		}
		w.encoder.AppendOf(w.packed, &e.table, player, p.history, &p.board)
		for i, packed := range w.packed {
			column := &out.columns[numColumns+i]
			*column = w.spec.Tensors[i].AppendUnpacked(*column, packed)
		}
	default:
		w.encoder.AppendOf(out.columns[numColumns:], &e.table, player, p.history, &p.board)
	}
}

// keep copies a table.
func (p *place) keep(n uint32) *kept {
	k := &kept{ask: p.ask, order: p.order, table: n, episode: *p.episode}
	if p.history != nil {
		k.history = *p.history
	}
	return k
}

// put makes a table what was kept. Only where the copy comes from does it go
// back in the order of matches too.
func (p *place) put(n uint32, k *kept) {
	step := p.step
	p.ask = k.ask
	p.step = step
	*p.episode = k.episode
	p.board.Reset()
	if p.history != nil {
		*p.history = k.history
	}
	if n == k.table {
		p.order = k.order
	}
}

// redeal deals anew what player cannot see, as is likely by a reader unless it is nil.
// The answers that other players have given are void.
func (p *place) redeal(player sim.Player, seed uint64, reader *belief.Reader) {
	e := p.episode
	v := e.table.View(player)
	if p.history != nil {
		*p.history = p.history.For(v)
	}
	var odds *sim.Odds
	if reader != nil {
		reader.Look(v)
		odds = reader.Odds()
	}
	e.table = v.RedealBy(odds, seed)
	p.board.Reset() // of hidden kans the kinds are others
	e.table.Reseed(seed)
}
