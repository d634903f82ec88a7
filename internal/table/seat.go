package table

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/sparrowhall/sparrowhall/internal/insight/facts"
	"github.com/sparrowhall/sparrowhall/sim"
)

// seat is one player of a sitting: an agent or a person.
type seat struct {
	player sim.Player
	seats  int // at the table
	// agent is nil for a person, for whom substitute may play while the page is closed.
	agent, substitute sim.Agent
	coach             *coach       // of a person, nil for none
	facts             *facts.Facts // the last that the page has received in this hand
	// delivered is the number of events that the agent has received.
	delivered int
	limit     *rate.Limiter // of answers that are refused
	reading   atomic.Int32  // answers that are being received
	// reserve is the rest of the clock's reserve in this hand.
	reserve time.Duration

	mu       sync.Mutex
	name     string    // that pages show; that of an agent never changes
	key      string    // of a person's page
	opened   bool      // a page has had the key
	sat      time.Time // when a person took the seat in the lobby, zero for never
	last     int64     // number of the seat's last question or page
	question *question // that the person has not answered
	page     *page     // the page that is connected, nil if none is
	left     time.Time // when the last page closed
}

// question is what a person is asked: an action, or to go on to the next hand.
type question struct {
	number int64
	legal  sim.ActionSet // empty for going on
	branch bool          // going on may be to begin the branch again
	end    time.Time     // when the clock ends it, zero for never
	reply  chan sim.Action
}

// nextHand is the answer to go on to the next hand.
const nextHand = sim.NoAction

// errNotOpen is the error of an answer to a question that is not open.
var errNotOpen = errors.New("the question is not open")

// nextNumber returns the number of the seat's next question or page; s.mu is held. Each seat has
// its own count: gaps in a common one would show how many questions the other players had, passed
// calls included. The first number is drawn, so that an answer which arrives after
// its sitting meets no question of the next one. Numbers stay exact in a page's arithmetic.
func (s *seat) nextNumber() int64 {
	if s.last == 0 {
		s.last = 1 + rand.Int64N(1<<52)
	}
	s.last++
	return s.last
}

// answer answers the open question, for the page that has the key. The error states why the answer
// is refused.
func (s *seat) answer(key string, number int64, a sim.Action) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.question
	switch {
	case key != s.key: // the person has left the seat since the request began
		return errWrongKey
	case q == nil:
		return fmt.Errorf("%w: question %d is over, and the table has moved on", errNotOpen, number)
	case number != q.number:
		return fmt.Errorf("%w: question %d is over, and %d is open", errNotOpen, number, q.number)
	case a == restartBranch && !(q.branch && q.legal.Len() == 0):
		return errors.New("only a branch begins again, after one of its hands")
	case q.legal.Len() == 0 && a != nextHand && a != restartBranch:
		return errors.New("the table waits for the next hand, not for an action")
	case q.legal.Len() > 0 && a == nextHand:
		return fmt.Errorf("the action is missing; allowed: %s", q.legal)
	case q.legal.Len() > 0 && !q.legal.Has(a):
		return fmt.Errorf("%s is not legal; allowed: %s", a, q.legal)
	}
	s.question = nil
	q.reply <- a
	return nil
}

// clock returns what the clock leaves of the open question, and whether there is one that it ends.
func (s *seat) clock() (c clockData, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.question
	if q == nil || q.end.IsZero() {
		return c, false
	}
	return clockData{q.number, max(0, time.Until(q.end).Seconds())}, true
}

// page is a page of a seat that is connected.
type page struct {
	number int64
	ended  chan struct{} // closed when a newer page connects, or the person leaves the seat
	why    string        // of the two it was, once ended is closed
}

// end ends the page. The seat's mu is held.
func (p *page) end(why string) {
	p.why = why
	close(p.ended)
}

// connect records that a page with the key of the seat has connected. It replaces an earlier one.
// It returns nil if the key is that of a person who has left the seat.
func (s *seat) connect(key string) *page {
	s.mu.Lock()
	defer s.mu.Unlock()
	if key != s.key {
		return nil
	}
	if s.page != nil {
		s.page.end("replaced")
	}
	s.opened = true
	s.page = &page{number: s.nextNumber(), ended: make(chan struct{})}
	return s.page
}

// disconnect records that a page has closed.
func (s *seat) disconnect(number int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.page != nil && s.page.number == number {
		s.page, s.left = nil, time.Now()
	}
}

// away reports whether the person's page has been closed for at least d.
func (s *seat) away(d time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.page == nil && time.Since(s.left) >= d
}

// agents returns the agents of the seat: that which plays for it, or a person's substitute.
func (s *seat) agents() (list []sim.Agent) {
	for _, agent := range []sim.Agent{s.agent, s.substitute} {
		if agent != nil {
			list = append(list, agent)
		}
	}
	return list
}

// listen passes the new events of a match to the seat's agents that follow them.
func (s *seat) listen(t *sim.Table, events []sim.Event) {
	for _, agent := range s.agents() {
		if listener, ok := sim.As[sim.Listener](agent); ok {
			seen := make([]sim.Event, 0, len(events)-s.delivered)
			for _, e := range events[s.delivered:] {
				seen = append(seen, e.SeenBy(s.player, &t.Rules().Flow))
			}
			listener.Listen(t.View(s.player), seen)
		}
	}
	s.delivered = len(events)
}

// answer is what a player answers at a decision: a legal action, and the illegal answer of an
// agent, nil for others.
type answer struct {
	action  sim.Action
	forfeit *sim.Forfeit
}

// answer returns the answer of player p, who is asked. An agent that answers illegally forfeits, and
// the default answer is given for it until the match ends. So it is for a person whose time is over,
// who does not forfeit.
func (g *game) answer(ctx context.Context, p sim.Player) (answer, error) {
	s := g.s.seats[p]
	legal := g.table.Legal(p)
	n := len(g.actions) + g.askedBefore(p)
	forfeit := g.journal.forfeits[n]
	if a := g.journal.recorded(n); a != sim.NoAction {
		if !legal.Has(a) {
			return answer{}, fmt.Errorf("the journal has %s at answer %d, which is not legal; remove the file to begin the match again", a, n)
		}
		return answer{a, forfeit}, nil
	}
	switch {
	case forfeit != nil, g.forfeited.Has(p):
		return answer{sim.DefaultAction(&legal), forfeit}, nil
	case s.agent == nil:
		a, err := g.askPerson(ctx, s, legal)
		return answer{action: a}, err
	}
	a, illegal := g.askAgent(s.agent, s)
	if illegal == nil {
		return answer{action: a}, nil
	}
	// An agent that has lost its connection has given no answer. The match ends as that of a
	// run does, and goes on from its journal when the agent is there again.
	if err := sim.AgentError(s.agent); err != nil {
		return answer{}, fmt.Errorf("agent of player %d, %s: %w", p, s.name, err)
	}
	return answer{a, &sim.Forfeit{Player: p, Answer: illegal.Action, Reason: illegal.Reason}}, nil
}

// askedBefore returns how many players below p are asked at this decision point.
func (g *game) askedBefore(p sim.Player) (n int) {
	for asked := g.table.Asked(); asked.First() != p; asked = asked.Rest() {
		n++
	}
	return n
}

// askAgent returns the answer of an agent. If that is illegal it is the default answer, with the
// error.
func (g *game) askAgent(agent sim.Agent, s *seat) (a sim.Action, illegal *sim.IllegalActionError) {
	s.listen(&g.table, g.events)
	a, err := sim.Ask(agent, g.table.View(s.player))
	if errors.As(err, &illegal) {
		g.s.o.Log.Warn("illegal answer", "agent", s.name, "player", s.player, "answer", illegal.Action, "reason", illegal.Reason)
	}
	return a, illegal
}

// askPerson asks a person and waits for the answer, the end of the clock, or a substitute.
func (g *game) askPerson(ctx context.Context, s *seat, legal sim.ActionSet) (sim.Action, error) {
	clock := g.s.o.Clock
	q := inquiry{legal: legal, limit: clock.Turn + s.reserve, substitute: func() sim.Action {
		// A person does not forfeit by what a substitute answers.
		a, _ := g.askAgent(s.substitute, s)
		return a
	}}
	if c := g.table.View(s.player).Creditor(); c >= 0 {
		q.creditor = &c
	}
	if g.table.Phase() < sim.PhaseDeclare {
		s.facts = facts.Of(g.table.View(s.player))
		q.facts = s.facts
	}
	if s.coach != nil {
		q.advice = s.coach.advise(g.table.View(s.player))
	}
	begin := time.Now()
	a, err := g.s.wait(ctx, s, q)
	if err != nil {
		return a, err
	}
	if over := time.Since(begin) - clock.Turn; clock.Turn > 0 && over > 0 {
		s.reserve = max(0, s.reserve-over)
	}
	if a == sim.NoAction {
		a = sim.DefaultAction(&legal)
	}
	return a, nil
}

// inquiry is a question to a person before it has a number, with the ways in which the wait for the
// answer may end.
type inquiry struct {
	// legal are the actions to choose from, none for going on to the next hand.
	legal sim.ActionSet
	// limit is the time for the answer, 0 for no limit.
	limit time.Duration
	// substitute, if not nil, answers while the page is closed for longer than Options.Away.
	substitute func() sim.Action
	// advice is the advice of the coach, nil for none.
	advice *advice
	// creditor is the player to whom a debt may be paid, nil at other questions.
	creditor *sim.Player
	// facts are those of the seat, nil between two hands.
	facts *facts.Facts
}

// wait asks the person in a seat one question and returns the answer, NoAction when the time for
// it is over.
func (s *Sitting) wait(ctx context.Context, seat *seat, asked inquiry) (sim.Action, error) {
	if asked.substitute != nil && seat.substitute != nil && seat.away(s.o.Away) {
		return asked.substitute(), nil
	}
	q := &question{legal: asked.legal, branch: s.o.From != nil, reply: make(chan sim.Action, 1)}
	var end <-chan time.Time
	if asked.limit > 0 {
		timer := time.NewTimer(asked.limit)
		defer timer.Stop()
		end, q.end = timer.C, time.Now().Add(asked.limit)
	}
	seat.mu.Lock()
	q.number = seat.nextNumber()
	seat.question = q
	seat.mu.Unlock()
	defer func() {
		seat.mu.Lock()
		seat.question = nil
		seat.mu.Unlock()
		s.feeds[seat.player].add("answered", answeredData{q.number})
	}()
	if asked.advice != nil {
		asked.advice.Question = q.number
		s.feeds[seat.player].add("advice", asked.advice)
	}
	s.feeds[seat.player].add("question", questionData{
		Question: q.number, Legal: numbers(asked.legal.AppendTo(nil)), Seconds: asked.limit.Seconds(),
		Branch: q.branch && q.legal.Len() == 0, Creditor: asked.creditor, Facts: asked.facts,
	})
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for {
		select {
		case a := <-q.reply:
			return a, nil
		case <-end:
			return sim.NoAction, nil
		case <-look.C:
			if asked.substitute != nil && seat.substitute != nil && seat.away(s.o.Away) {
				return asked.substitute(), nil
			}
		case <-ctx.Done():
			return sim.NoAction, context.Cause(ctx)
		}
	}
}
