package sim

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// HandMark tells where a hand begins in the lists of a Match, and what its events
// leave out.
type HandMark struct {
	// Event and Action are the places of its first event and of its first answer.
	Event, Action int
	// TenpaiTurn tells after which of his discards, counted from 1, each player waited
	// for a tile for the first time, 0 if after none.
	TenpaiTurn [NumPlayers]uint8
}

// Choice is what an answer was chosen from, by whom, and how many of the events of
// the match had happened when its decision point was reached.
type Choice struct {
	// Legal is what the player could answer.
	Legal  ActionSet
	Player Player
	At     int32
}

// Keep is a set of the lists of a Match that are filled only on request.
type Keep uint8

// The lists that cost time to fill.
const (
	KeepChoices Keep = 1 << iota // Match.Choices
	KeepValues                   // Match.Values
)

// Match is the record of one match. Playing into the same Match again reuses its
// memory.
type Match struct {
	Index uint64 // number of the match in its run
	// Seed is the seed of the match, from which walls and random streams come.
	Seed uint64
	// Sealed makes the random streams of the players such that what is drawn at a
	// decision cannot be turned back into what others are drawn from, as in the
	// matches of a sealed run. The walls are the same.
	Sealed bool
	// Walls, if not nil, are the walls of the hands in order, which then do not
	// come from the seed: those of a match played elsewhere. Replay cuts the match
	// off after the last of them; for Play there must be one for each hand.
	Walls []Wall
	// Start, if not nil, is where the match stands before its first hand: one of
	// which only a part is known. It must be one that [NewTableAt] takes.
	Start *Standing
	// RoundWind is the round wind of a match with Walls under rules that draw one.
	RoundWind tile.Wind
	// Agents[p] is the number of the agent that played for player p.
	Agents [NumPlayers]uint8
	// Events is all that happened, Actions every answer in the order of the
	// decision points, players ascending within one. Hands marks where each
	// hand begins in both.
	Events  []Event
	Actions []Action
	Hands   []HandMark
	// Keep says which of the following lists to fill: Choices[i] is what
	// Actions[i] was chosen from, Values[i] what the hand of the i-th EvWin was
	// worth.
	Keep    Keep
	Choices []Choice
	Values  []ruleset.Value
	// Forfeited are the players whose agent answered illegally, Forfeits how each
	// came to that; a Replay leaves these empty.
	Forfeited Players
	Forfeits  []Forfeit
	Truncated bool
	Decisions [NumPlayers]uint32
	Final     ruleset.Final

	table Table
	out   events  // of the steps of table
	seen  []Event // what a Listener is told
	// retrace, if not nil, is told the steps of a Replay; see [Match.Retrace].
	retrace func(before *Table, p Player, a Action, events []Event)
	before  Table
	told    int // of the events
}

// Play plays a match from its seed and records it. agents[p] decides for player
// p.
//
// An agent that answers illegally forfeits: an EvForfeit event is recorded.
// Where the rules say what that costs, the match ends at once; elsewhere
// DefaultAction answers for the player until the match ends.
//
// Play panics if m.Start is no standing of a match under r, or m.Walls are too few.
func (m *Match) Play(r *ruleset.Rules, agents *[NumPlayers]Agent) {
	t, err := m.start(r)
	if err != nil {
		panic(err) // broken promise of Start
	}
	audience, listeners := newAudience(agents)
	for !t.Over() {
		if t.phase == PhaseDeal {
			m.startHand(t)
			continue
		}
		for asked := t.Asked(); asked != 0; asked = asked.Rest() {
			p := asked.First() & 3
			c := t.chairOf[p] & 3
			a := NoAction
			if !m.Forfeited.Has(p) {
				if listeners.Has(p) {
					m.tell(t, &audience[p], p)
				}
				a = agents[p].Act(View{t, c, p})
			}
			if !t.legal[c].Has(a) {
				if !m.Forfeited.Has(p) {
					m.forfeit(t, p, a, agents[p])
					if t.Over() {
						break
					}
				}
				a = DefaultAction(&t.legal[c])
			}
			m.step(t, c, p, a)
		}
	}
	m.finish(t)
	for ; listeners != 0; listeners = listeners.Rest() {
		p := listeners.First()
		m.tell(t, &audience[p], p)
	}
}

// Forfeit is how a player came to forfeit.
type Forfeit struct {
	Player Player
	// Hand and Decision are the places in Hands and Actions of what was asked.
	Hand, Decision int
	Answer         Action
	Legal          ActionSet
	// Reason is what an Explainer says, empty for other agents.
	Reason string
}

// forfeit records that player p's agent answered illegally.
func (m *Match) forfeit(t *Table, p Player, answer Action, a Agent) {
	f := Forfeit{Player: p, Hand: len(m.Hands) - 1, Decision: len(m.Actions), Answer: answer, Legal: t.Legal(p)}
	if e, ok := a.(Explainer); ok {
		f.Reason = e.Explain()
	}
	m.Forfeited |= p.Bit()
	m.Forfeits = append(m.Forfeits, f)
	m.Events = t.forfeit(p, m.Events)
}

// listening is a player's Listener, if his agent is one, and how many events it
// has been told.
type listening struct {
	Listener
	heard int
}

// newAudience returns what has been told to each player who is a Listener, and which
// are.
func newAudience(agents *[NumPlayers]Agent) (audience [NumPlayers]listening, listeners Players) {
	for p, a := range agents {
		if l, ok := a.(Listener); ok {
			audience[p].Listener = l
			listeners |= Player(p).Bit()
		}
	}
	return audience, listeners
}

// tell tells the listener of player p what it has not heard.
func (m *Match) tell(t *Table, l *listening, p Player) {
	m.seen = m.seen[:0]
	for _, e := range m.Events[l.heard:] {
		m.seen = append(m.seen, e.For(p, &t.rules.Flow))
	}
	l.heard = len(m.Events)
	l.Listen(View{t, t.chairOf[p], p}, m.seen)
}

// Replay plays a match from its seed, its recorded actions and the
// players who forfeited. The error names the hand and decision at which the
// actions do not fit. When players forfeited is not recorded, so there are events
// of it only where it ended the match.
func (m *Match) Replay(r *ruleset.Rules, actions []Action, forfeited Players) error {
	t, err := m.start(r)
	if err != nil {
		return err
	}
	m.Forfeited = forfeited
	for !t.Over() {
		if t.phase == PhaseDeal {
			if n := len(m.Hands); m.Walls != nil && n == len(m.Walls) {
				if n == 0 || len(m.Actions) < len(actions) {
					return fmt.Errorf("sim: hand %d: there are walls of %d hands only", n, n)
				}
				m.Events = t.cutOff(m.Events)
				break
			}
			m.startHand(t)
			continue
		}
		for asked := t.Asked(); asked != 0; asked = asked.Rest() {
			p := asked.First()
			n := len(m.Actions)
			if n == len(actions) && r.ForfeitPoints > 0 && forfeited != 0 {
				// Of a match played elsewhere it may be somebody who was not asked.
				m.Events = t.forfeit(forfeited.First(), m.Events)
				break
			}
			if n == len(actions) {
				return fmt.Errorf("sim: hand %d: the actions end at decision %d, where player %d must answer", len(m.Hands)-1, n, p)
			}
			// In place: a copy would be read before it is written to the end.
			c := t.chairOf[p]
			if !t.legal[c].Has(actions[n]) {
				return fmt.Errorf("sim: hand %d, decision %d: %w", len(m.Hands)-1, n, &IllegalActionError{p, actions[n], t.phase})
			}
			if m.retrace != nil {
				m.before = *t
			}
			m.step(t, c, p, actions[n])
			m.tellRetrace(&m.before, p, actions[n])
		}
	}
	if n := len(m.Actions); n != len(actions) {
		return fmt.Errorf("sim: the match ends after decision %d, but %d actions are given", n, len(actions))
	}
	m.finish(t)
	return nil
}

func (m *Match) start(r *ruleset.Rules) (*Table, error) {
	m.Events, m.Actions, m.Hands = m.Events[:0], m.Actions[:0], m.Hands[:0]
	m.Choices, m.Values = m.Choices[:0], m.Values[:0]
	m.Forfeited, m.Forfeits = 0, m.Forfeits[:0]
	m.table = NewTable(r, m.Seed)
	if m.Start != nil {
		t, err := NewTableAt(r, m.Seed, *m.Start)
		if err != nil {
			return nil, err
		}
		m.table = t
	}
	m.table.sealed = m.Sealed
	m.out = events{list: &m.Events, t: &m.table}
	if m.Keep&KeepValues != 0 {
		m.out.values = &m.Values
	}
	if m.Walls != nil && r.RoundWind == ruleset.WindRandom {
		m.table.SetRoundWind(m.RoundWind)
	}
	return &m.table, nil
}

// SetRoundWind replaces the round wind that the seed gave a match under rules that
// draw one. It is for a table before its first hand and panics during one.
func (t *Table) SetRoundWind(w tile.Wind) {
	if t.phase != PhaseDeal {
		panic("sim: SetRoundWind called in phase " + t.phase.String())
	}
	t.roundWind = w & 3
}

func (m *Match) startHand(t *Table) {
	m.markTenpai(t)
	n := len(m.Hands)
	m.Hands = append(m.Hands, HandMark{Event: len(m.Events), Action: len(m.Actions)})
	if m.Walls == nil {
		m.Events = t.StartHand(m.Events)
	} else {
		if n == len(m.Walls) {
			panic(fmt.Sprintf("sim: a match with walls for %d hands goes on", n))
		}
		m.Events = t.StartHandFrom(&m.Walls[n], m.Events)
	}
	m.tellRetrace(nil, 0, NoAction)
}

// step plays and records an answer of player p on chair c that is known to be legal.
func (m *Match) step(t *Table, c ruleset.Chair, p Player, a Action) {
	m.Actions = append(m.Actions, a)
	if m.Keep&KeepChoices != 0 {
		m.Choices = append(m.Choices, Choice{t.legal[c], p, int32(len(m.Events))})
	}
	t.answer(c, p, a, &m.out)
}

// markTenpai completes the mark of the hand that has ended, if there was one.
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
	m.tellRetrace(nil, 0, NoAction)
}
