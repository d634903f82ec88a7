package schema

import (
	"fmt"
	"math"
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// maxHands is the most hands of a match that the rows can count.
const maxHands = math.MaxUint16

// MakerOptions select the contents of the rows of a [Maker].
type MakerOptions struct {
	// Dealt is set to fill in the tiles dealt.
	Dealt bool
	// Ruleset is the name of the ruleset, Agents those of the agents.
	Ruleset string
	Agents  []string
	// Place, if not nil, returns the duplicate set of a match and its seating in it.
	Place func(match uint64) (wallSet uint64, seating int)
	// Sealed is set to leave out the seeds.
	Sealed bool
}

// Maker makes the rows of matches, in memory that it reuses for each match. The zero value
// makes only the rows of players.
type Maker struct {
	// Players are the rows of table matches, a row for each player.
	Players []MatchRow

	players  [sim.NumPlayers]MatchRow
	options  MakerOptions
	patterns []ruleset.Pattern
	unit     int32
	book     *debtBook // nil under rules without debts
	logged   bool      // whether rows have action logs
	hands    []HandRow
	wins     []WinRow
	actions  []byte
	start    int32 // points at the start of a match
}

// NewMaker returns a maker of rows of matches under the rules.
func NewMaker(r *ruleset.Rules, o MakerOptions) *Maker {
	m := &Maker{options: o, patterns: r.Patterns(), unit: int32(r.Unit()), logged: true}
	m.start = int32(r.StartingPoints) * m.unit
	if hasDebts(r) {
		m.book = &debtBook{}
	}
	return m
}

// Read makes the rows of a match: one for each player, each hand and each change of a debt.
// Wins have their patterns if the match kept the values. The rows are valid until the next
// call. The error is that of a match with more than 65,535 hands.
func (r *Maker) Read(m *sim.Match) error {
	if len(m.Hands) > maxHands {
		return fmt.Errorf("match %d has %d hands; at most %d can be counted: let max_hands cut it off", m.Index, len(m.Hands), maxHands)
	}
	if r.logged {
		r.actions = slices.Grow(r.actions[:0], len(m.Actions))[:len(m.Actions)]
		for i, a := range m.Actions {
			r.actions[i] = byte(a)
		}
	}
	if r.book != nil {
		*r.book = debtBook{rows: r.book.rows[:0]}
	}
	agents, points := r.agentsOf(m), [sim.NumPlayers]int32{r.start, r.start, r.start, r.start}
	if m.Start != nil {
		points = m.Start.Points
	}
	values := m.Values
	hands := r.hands[:0]
	for i, mark := range m.Hands {
		end := sim.HandMark{FirstEvent: len(m.Events), FirstAction: len(m.Actions)}
		if i+1 < len(m.Hands) {
			end = m.Hands[i+1]
		}
		hands = extend(hands)
		h := &hands[i]
		*h = HandRow{
			Match: m.Index, Hand: uint16(i), Giver: NoPlayer, Wins: h.Wins[:0], Debts: h.Debts[:0],
			Ruleset: r.options.Ruleset, Agent0: agents[0], Agent1: agents[1], Agent2: agents[2], Agent3: agents[3], Points: points,
		}
		if r.logged {
			h.Actions = r.actions[mark.FirstAction:end.FirstAction]
		}
		events := m.Events[mark.FirstEvent:end.FirstEvent]
		h.readEvents(events)
		if r.options.Dealt {
			h.readDealt(events)
		}
		h.TenpaiTurn = mark.TenpaiTurn
		for p := range points {
			points[p] += h.Payments[p]
		}
		for j := range h.Wins[:min(len(h.Wins), len(values))] {
			h.Wins[j].setValue(&values[j], r.patterns, r.unit)
		}
		values = values[min(len(h.Wins), len(values)):]
		if r.book != nil {
			r.book.readHand(h, events, i == len(m.Hands)-1)
		}
	}
	r.hands = hands
	r.readPlayers(m)
	return nil
}

// agent returns the name of the agent of a player.
func (h *HandRow) agent(player uint8) string {
	return [sim.NumPlayers]string{h.Agent0, h.Agent1, h.Agent2, h.Agent3}[player&3]
}

// agentsOf returns the names of the agents of a match by player.
func (r *Maker) agentsOf(m *sim.Match) (names [sim.NumPlayers]string) {
	if len(r.options.Agents) > 0 {
		for p := range m.NumSeats() {
			names[p] = r.options.Agents[m.Agents[p]]
		}
	}
	return names
}

// winRows returns the rows of table wins of the match.
func (r *Maker) winRows() []WinRow {
	r.wins = r.wins[:0]
	seats := len(r.Players)
	for i := range r.hands {
		h := &r.hands[i]
		for j := range h.Wins {
			w := &h.Wins[j]
			row := WinRow{
				Match: h.Match, Hand: h.Hand, Win: uint8(j), Ruleset: h.Ruleset, Player: w.Player, Agent: h.agent(w.Player),
				Giver: h.Giver, Dealer: h.Dealer, Tile: w.Tile, Turn: uint8(turnAfter(int(h.Discards), seats)),
				Ready: h.Ready[w.Player], Called: h.Called[w.Player],
				Points: w.Points, Han: w.Han, Fu: w.Fu, Yakuman: w.Yakuman,
			}
			for k, p := range w.Patterns {
				row.Index, row.Pattern, row.Value = uint8(k), p.ID, p.Value
				r.wins = append(r.wins, row)
			}
			if len(w.Patterns) == 0 {
				r.wins = append(r.wins, row)
			}
		}
	}
	return r.wins
}

// extend appends an element to s. It may have the value of an earlier use.
func extend[T any](s []T) []T {
	if len(s) < cap(s) {
		return s[:len(s)+1]
	}
	var zero T
	return append(s, zero)
}

func (h *HandRow) readEvents(events []sim.Event) {
	var discards [sim.NumPlayers]uint8
	for _, e := range events {
		// Nearly all events are of these two types; the others need a jump table.
		if e.Type == sim.EvDraw {
			continue
		}
		if e.Type == sim.EvDiscard {
			h.Discards++
			discards[e.Player&3]++
			continue
		}
		switch e.Type {
		case sim.EvHandStart:
			round, index, counter, deposits := e.HandStart()
			h.Round, h.Dealer = uint8(round), uint8(e.Player)
			h.DealIndex, h.Counter, h.Deposits = uint16(index), uint16(counter), uint16(deposits)
		case sim.EvReady:
			if tier, accepted := e.Ready(); accepted {
				h.Ready[e.Player] = uint8(tier)
				h.ReadyTurn[e.Player] = discards[e.Player]
			}
		case sim.EvChi, sim.EvPon, sim.EvOpenKan:
			h.Called[e.Player] = true
		case sim.EvDeclare:
			h.Tenpai[e.Player] = e.Declare()
		case sim.EvExhausted:
			h.End = exhausted
		case sim.EvAbort:
			h.End = e.Abort().String()
		case sim.EvWin:
			kind, giver := e.Win()
			h.End = kind.String()
			if giver != e.Player {
				h.Giver = uint8(giver)
			}
			h.Wins = extend(h.Wins)
			w := &h.Wins[len(h.Wins)-1]
			*w = Win{Player: uint8(e.Player), Tile: e.Tile.String(), Patterns: w.Patterns[:0]}
		case sim.EvValue:
			w := &h.Wins[len(h.Wins)-1]
			points, han, fu := e.HandValue()
			w.Points, w.Han, w.Fu = points, uint8(han), uint8(fu)
		case sim.EvForfeit:
			// If the match goes on, a later event replaces this end.
			if h.End == "" {
				h.End = forfeit
			}
		case sim.EvPay:
			from, to, amount, reason := e.Pay()
			if from < sim.NumPlayers {
				h.Payments[from] -= amount
			}
			if to < sim.NumPlayers {
				h.Payments[to] += amount
			}
			if reason == ruleset.ForAward {
				h.Awards[from] -= amount
				h.Awards[to] += amount
			}
		}
	}
}

// maxDealt is an upper bound of the tiles dealt to a player.
const maxDealt = 20

// readDealt fills in the tiles dealt. Their events follow the start of the hand.
func (h *HandRow) readDealt(events []sim.Event) {
	var dealt [sim.NumPlayers][]tile.Face
	var memory [sim.NumPlayers][maxDealt]tile.Face
	for p := range dealt {
		dealt[p] = memory[p][:0]
	}
	for _, e := range events {
		if e.Type > sim.EvDeal {
			break
		}
		if e.Type != sim.EvDeal {
			continue
		}
		faces, _ := e.Deal()
		for _, f := range faces {
			if f != tile.NoFace {
				dealt[e.Player] = append(dealt[e.Player], f)
			}
		}
	}
	// The four texts are parts of one, so that they take one allocation.
	var letters [2 * sim.NumPlayers * maxDealt]byte
	var ends [sim.NumPlayers]int
	text := letters[:0]
	for p, faces := range dealt {
		text = tile.AppendSorted(text, faces)
		ends[p] = len(text)
	}
	all, begin := string(text), 0
	for p, end := range ends {
		h.Dealt[p] = all[begin:end]
		begin = end
	}
}

// setValue fills in the parts of the value that events lack. Events count points, of which
// each is unit units.
func (w *Win) setValue(v *ruleset.Value, patterns []ruleset.Pattern, unit int32) {
	w.Points *= unit
	w.Yakuman = v.Yakuman
	for _, p := range v.Patterns[:v.NumPatterns] {
		w.Patterns = append(w.Patterns, Pattern{patterns[p.Pattern].ID, p.Points})
	}
}

// readPlayers makes the rows of the players from those of the hands.
func (r *Maker) readPlayers(m *sim.Match) {
	r.Players = r.players[:m.NumSeats()]
	agents, set, seating := r.agentsOf(m), m.Index, 0
	if r.options.Place != nil {
		set, seating = r.options.Place(m.Index)
	}
	for p := range r.Players {
		row := &r.Players[p]
		*row = MatchRow{
			Match: m.Index, Ruleset: r.options.Ruleset, Seed: m.Seed, Player: uint8(p), Name: agents[p], Agent: m.Agents[p],
			Points: m.Final.Points[p], Rank: m.Final.Rank[p], Placement: int32(m.Final.Placement[p]),
			Hands: uint16(len(r.hands)), Decisions: m.Decisions[p],
			Truncated: m.Truncated, Forfeited: m.Forfeited.Has(sim.Player(p)), WallSet: set, Seating: uint8(seating),
		}
		if r.options.Sealed {
			row.Seed = 0
		}
		for i := range r.hands {
			h := &r.hands[i]
			if h.Giver == uint8(p) {
				row.DealIns++
			}
			if h.Ready[p] != uint8(sim.NotReady) {
				row.Readies++
			}
			if h.Called[p] {
				row.Calls++
			}
			if len(h.Wins) == 0 {
				row.Draws++
			}
			for j := range h.Wins {
				if h.Wins[j].Player != uint8(p) {
					continue
				}
				row.Wins++
				if h.Giver == NoPlayer {
					row.SelfDraws++
				}
			}
		}
	}
}
