package sim

import (
	"errors"
	"fmt"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// HandMark is the start of a hand in the lists of a Match, and what its events do not
// show.
type HandMark struct {
	// FirstEvent and FirstAction are the indices of its first event and first action.
	FirstEvent, FirstAction int
	// TenpaiTurn is the number of the discard after which each player was first in
	// tenpai, from 1; 0 if he never was.
	TenpaiTurn [NumPlayers]uint8
}

// Choice is the decision at which an answer was given.
type Choice struct {
	// Legal is the set of legal actions.
	Legal  ActionSet
	Player Player
	// EventIndex is the number of events before the decision.
	EventIndex int32
}

// KeepFlags selects the lists of a Match that are filled only on request.
type KeepFlags uint8

// The lists that cost time to fill.
const (
	KeepChoices KeepFlags = 1 << iota // Match.Choices
	KeepValues                        // Match.Values
)

// Match is the record of one match. Playing into the same Match again reuses its
// memory.
type Match struct {
	Index uint64 // number of the match in its run
	// Seed is the seed of the match, from which walls and random streams come.
	Seed uint64
	// Sealed derives the random streams of the players by a one-way hash per decision,
	// so that the numbers drawn at one do not reveal those of others. Sealed runs set
	// it. The walls are the same.
	Sealed bool
	// Walls, if not nil, are the walls of the hands in order, in place of those from
	// the seed: for matches played elsewhere. Replay truncates the match after the last
	// of them. Play needs one for each hand.
	Walls []Wall
	// WallsFilledIn is set if the record does not give the whole Walls: the tiles that were never
	// dealt, drawn or turned are filled in.
	WallsFilledIn bool
	// Start, if not nil, is the state of the match before its first hand, for matches of
	// which only a part is known. [NewTableAt] must accept it.
	Start *MatchState
	// RoundWind is the round wind of a match with Walls under rules that draw one.
	RoundWind tile.Wind
	// Agents[p] is the number of the agent that played for player p. Where three play,
	// this list and the others by player have an entry more.
	Agents [NumPlayers]uint8
	// Events are the events of the match, Actions the answers in the order of the
	// decision points, by ascending player within one. Hands are the starts of the
	// hands in both.
	Events  []Event
	Actions []Action
	Hands   []HandMark
	// Keep selects which of the following lists to fill. Choices[i] is the decision of
	// Actions[i], Values[i] the value of the hand of the i-th EvWin.
	Keep    KeepFlags
	Choices []Choice
	Values  []ruleset.Value
	// Forfeited are the players whose agent answered illegally, Forfeits their first
	// illegal answers. Replay fills in those that it is passed.
	Forfeited Players
	Forfeits  []Forfeit
	Truncated bool
	Decisions [NumPlayers]uint32
	Final     ruleset.Final

	table  Table
	events events  // of the steps of table
	seen   []Event // buffer for a Listener
	// onStep, if not nil, is called for each step of a Replay; see [Match.ReplaySteps].
	onStep   func(before *Table, p Player, a Action, events []Event)
	before   Table
	reported int // of the events
	watched  watched
}

// NumSeats returns the number of players, 4 before the match is played.
func (m *Match) NumSeats() int {
	if m.table.rules == nil {
		return NumPlayers
	}
	return m.table.rules.NumSeats()
}

// Play plays a match from its seed and records it. agents[p] decides for player
// p.
//
// An agent that answers illegally forfeits: an EvForfeit event is recorded.
// Where the rules say what that costs, the match ends at once; elsewhere
// DefaultAction answers for the player until the match ends.
//
// Play panics if m.Start is not a valid state under r, or m.Walls has too few walls.
func (m *Match) Play(r *ruleset.Rules, agents *[NumPlayers]Agent) {
	t, err := m.start(r)
	if err != nil {
		panic(err) // invalid Start
	}
	audience, listeners := findListeners(agents)
	for !t.Over() {
		m.startHand(t)
		m.show()
		for p := range t.RestOfHand() {
			p &= 3 // spares the checks of bounds below
			c := t.chairOf[p] & 3
			a := NoAction
			switch {
			case m.Forfeited.Has(p):
				a = DefaultAction(&t.legal[c])
			default:
				// Events are sent only when their player is asked: an agent that answers slowly
				// is called once for many of them.
				if listeners.Has(p) {
					m.notify(t, &audience[p], p)
				}
				var err error
				if a, err = Ask(agents[p], View{t: t, c: c, p: p}); err != nil {
					var e *IllegalActionError
					errors.As(err, &e) // Ask has no other error
					m.forfeit(t, p, e.Action, e.Reason)
				}
			}
			if !t.Over() { // by a forfeit
				m.step(t, c, p, a)
			}
			m.show()
		}
	}
	m.finish(t)
	m.show()
	// All listeners receive the end, also those whose player has forfeited.
	for ; listeners != 0; listeners = listeners.Rest() {
		p := listeners.First()
		m.notify(t, &audience[p], p)
	}
}

// Forfeit is the illegal answer by which a player forfeited.
type Forfeit struct {
	Player Player
	// Hand and Decision are the indices of the decision in Hands and Actions.
	Hand, Decision int
	// Answer is NoAction if it came too late or is not known.
	Answer Action
	Legal  ActionSet
	// Reason is the result of Explainer.Explain, empty for other agents.
	Reason string
}

// forfeit records the illegal answer of player p at the decision that comes next.
func (m *Match) forfeit(t *Table, p Player, answer Action, reason string) {
	m.Forfeited |= p.Bit()
	m.Forfeits = append(m.Forfeits, Forfeit{
		Player: p, Hand: len(m.Hands) - 1, Decision: len(m.Actions),
		Answer: answer, Legal: t.Legal(p), Reason: reason,
	})
	m.Events = t.Forfeit(p, m.Events)
}

// listenerState is a player's Listener, if his agent is one, and how many events it has
// received.
type listenerState struct {
	listener Listener
	heard    int
}

// findListeners returns the state of each player's Listener, and the players who have
// one.
func findListeners(agents *[NumPlayers]Agent) (audience [NumPlayers]listenerState, listeners Players) {
	for p, a := range agents {
		if l, ok := As[Listener](a); ok {
			audience[p].listener = l
			listeners |= Player(p).Bit()
		}
	}
	return audience, listeners
}

// notify sends the listener of player p the events since its last call.
func (m *Match) notify(t *Table, l *listenerState, p Player) {
	// The listener gets copies that hide what its player cannot see: hidden draws, closed kans, ura
	// indicators of others.
	m.seen = m.seen[:0]
	for _, e := range m.Events[l.heard:] {
		m.seen = append(m.seen, e.SeenBy(p, &t.rules.Flow))
	}
	l.heard = len(m.Events)
	l.listener.Listen(View{t: t, c: t.chairOf[p], p: p}, m.seen)
}

// Replay plays a match from its seed, its recorded actions and the players who
// forfeited. The error names the hand and decision at which an action is not legal.
//
// Datasets do not store when a player forfeited. Replay records the event of a forfeit
// where that ends the match, and those in forfeits, in the order of their Decision, of
// which Hand and Legal are not read.
func (m *Match) Replay(r *ruleset.Rules, actions []Action, forfeited Players, forfeits ...Forfeit) error {
	t, err := m.start(r)
	if err != nil {
		return err
	}
	// From the beginning: for a replay it is a fact, and no agent is asked.
	m.Forfeited = forfeited
	for !t.Over() {
		if n := len(m.Hands); m.Walls != nil && n == len(m.Walls) {
			if n == 0 || len(m.Actions) < len(actions) {
				return fmt.Errorf("sim: hand %d: there are walls of %d hands only", n, n)
			}
			// A record that stops before the match ends is one of a truncated match.
			m.Events = t.cutOff(m.Events)
			break
		}
		m.startHand(t)
		for p := range t.RestOfHand() {
			n := len(m.Actions)
			if len(forfeits) > 0 && forfeits[0].Decision == n && forfeits[0].Player == p {
				m.forfeit(t, p, forfeits[0].Answer, forfeits[0].Reason)
				forfeits = forfeits[1:]
				if t.Over() {
					break
				}
			}
			if n == len(actions) && r.ForfeitPoints > 0 && forfeited != 0 {
				// In matches played elsewhere the player need not have been asked.
				m.Events = t.Forfeit(forfeited.First(), m.Events)
				break
			}
			if n == len(actions) {
				return fmt.Errorf("sim: hand %d: the actions end at decision %d, where player %d must answer", len(m.Hands)-1, n, p)
			}
			// Checked in place: reading a fresh copy would stall on its pending stores.
			c := t.chairOf[p]
			if !t.legal[c].Has(actions[n]) {
				return fmt.Errorf("sim: hand %d, decision %d: %w", len(m.Hands)-1, n, &IllegalActionError{Player: p, Action: actions[n], Phase: t.phase})
			}
			// The copy costs more than the step, so it is made only for those who read it.
			if m.onStep != nil {
				m.before = *t
			}
			m.step(t, c, p, actions[n])
			m.reportStep(&m.before, p, actions[n])
		}
	}
	if len(forfeits) > 0 {
		return fmt.Errorf("sim: the match has no decision %d of player %d, who forfeits there", forfeits[0].Decision, forfeits[0].Player)
	}
	if n := len(m.Actions); n != len(actions) {
		return fmt.Errorf("sim: the match ends after decision %d, but %d actions are given", n, len(actions))
	}
	m.finish(t)
	return nil
}

func (m *Match) start(r *ruleset.Rules) (*Table, error) {
	// All lists keep their memory: once they have grown, a match allocates nothing.
	m.Events, m.Actions, m.Hands = m.Events[:0], m.Actions[:0], m.Hands[:0]
	m.Choices, m.Values = m.Choices[:0], m.Values[:0]
	m.Forfeited, m.Forfeits = 0, m.Forfeits[:0]
	var err error
	if m.table, err = m.NewTable(r); err != nil {
		return nil, err
	}
	m.events = events{list: &m.Events, t: &m.table}
	m.watched.reset()
	switch {
	case m.Keep&KeepValues != 0:
		m.events.values = &m.Values
	case m.watched.by != nil:
		m.events.values = &m.watched.values
	}
	return &m.table, nil
}

// SetRoundWind replaces the round wind drawn from the seed, under rules that draw one.
// Call it before the first hand; it panics during a hand.
func (t *Table) SetRoundWind(w tile.Wind) {
	if t.phase != PhaseDeal {
		panic("sim: SetRoundWind called in phase " + t.phase.String())
	}
	t.roundWind = w & 3
}

func (m *Match) startHand(t *Table) {
	m.markTenpai(t) // the deal clears it
	n := len(m.Hands)
	m.Hands = append(m.Hands, HandMark{FirstEvent: len(m.Events), FirstAction: len(m.Actions)})
	// Replay has cut the match off before; only Play gets here, which was passed too few walls.
	if m.Walls != nil && n == len(m.Walls) {
		panic(fmt.Sprintf("sim: a match with walls for %d hands goes on", n))
	}
	m.Events = m.Deal(t, n, m.Events)
	m.reportStep(nil, 0, NoAction)
}

// step plays and records a legal answer of player p on chair c.
func (m *Match) step(t *Table, c ruleset.Chair, p Player, a Action) {
	m.Actions = append(m.Actions, a)
	if m.Keep&KeepChoices != 0 {
		before := len(m.Events)
		if before > 0 && m.Events[before-1].Type == EvForfeit {
			// The decision came before the forfeit. Replays without the event then number
			// the same decisions alike.
			before--
		}
		m.Choices = append(m.Choices, Choice{t.legal[c], p, int32(before)})
	}
	t.applyAnswer(c, p, a, &m.events)
}

// markTenpai completes the HandMark of the hand that has ended, if any.
func (m *Match) markTenpai(t *Table) {
	if n := len(m.Hands); n > 0 {
		m.Hands[n-1].TenpaiTurn = t.tenpaiTurn
	}
}

func (m *Match) finish(t *Table) {
	m.markTenpai(t)
	m.Truncated = t.truncated
	m.Decisions = t.decisions
	m.Final = t.final
	m.reportStep(nil, 0, NoAction)
}
