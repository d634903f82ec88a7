package export

import (
	"fmt"
	"math"
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// MatchRow is what one player did in one match.
type MatchRow struct {
	Match uint64
	Seed  uint64 // of the match, 0 in a sealed run
	// Player is 0..3, Agent the number of the agent that played for him.
	Player, Agent uint8
	Points        int32
	Rank          uint8
	// Placement is in units of ruleset.PlacementUnit.
	Placement int32
	// The number of hands in the match, and in how many of them the player won,
	// won by self-draw, gave a winning tile, declared ready and called; and how
	// many hands nobody won.
	Hands, Wins, SelfDraws, DealIns, Readies, Calls, Draws uint16
	Decisions                                              uint32
	Truncated, Forfeited                                   bool
	// WallSet and Seating are the place of the match in the schedule of a
	// tournament, 0 elsewhere.
	WallSet uint64
	Seating uint8
	// Actions is the action log of the match in the row of player 0, where
	// nothing else is recorded; otherwise it is nil.
	Actions []byte
}

// HandRow is one hand.
type HandRow struct {
	// Match is the number of the match in its run.
	Match uint64
	Hand  uint16 // within the match
	// Round is the wind round, 0 east, Dealer the player who deals, DealIndex the number
	// of hands played before in this round under this dealer, Counter that of honba or
	// repeats, Deposits that of riichi sticks.
	Round     uint8
	Dealer    uint8
	DealIndex uint16
	Counter   uint16
	Deposits  uint16
	// End tells how the hand ended: a sim.WinKind, "exhausted", a
	// sim.AbortReason or "forfeit".
	End string
	// Giver is who gave the winning tile, NoPlayer if nobody did.
	Giver    uint8
	Wins     []Win
	Payments [sim.NumPlayers]int32
	// Awards is the part of Payments that was paid in mid-hand, Debts what is
	// owed after the hand. Both are nil and zero where the players cannot owe
	// each other points.
	Awards [sim.NumPlayers]int32
	Debts  []Debt
	// Ready is the sim.ReadyTier of each player.
	Ready    [sim.NumPlayers]uint8
	Called   [sim.NumPlayers]bool
	Tenpai   [sim.NumPlayers]bool
	Discards uint8
	// Dealt are the tiles that each player was dealt, in grouped notation. ReadyTurn
	// counts the discards that each had made when his declaration was accepted,
	// TenpaiTurn is that of sim.HandMark.
	Dealt                 [sim.NumPlayers]string
	ReadyTurn, TenpaiTurn [sim.NumPlayers]uint8
	// Actions is the action log of the hand, a byte an action, in the order of
	// the decisions.
	Actions []byte
}

// size is about what the row takes beside the columns of fixed size.
func (h *HandRow) size() int {
	const eachWin, eachPattern, eachDebt, dealt = 32, 3, 16, 96
	n := dealt + len(h.Actions) + eachDebt*len(h.Debts)
	for i := range h.Wins {
		n += eachWin + eachPattern*len(h.Wins[i].Patterns)
	}
	return n
}

// NoPlayer stands where no player is meant.
const NoPlayer = 0xff

// Ends of a hand that have no name elsewhere.
const (
	exhausted = "exhausted" // with an empty wall
	forfeit   = "forfeit"   // with the match, because somebody answered illegally
)

// Win is a won hand. The winning tile, han and fu are those of EvWin and
// EvValue, so the tile of a win by flowers alone is "-". Points is in the unit of
// payments.
type Win struct {
	// Player is who won.
	Player  uint8
	Tile    string
	Points  int32
	Han, Fu uint8
	// Yakuman is the multiple of a yakuman hand, 0 for others.
	Yakuman  uint8
	Patterns []Pattern
}

// Pattern is an element of the value of a hand.
type Pattern struct {
	// ID is the name of the pattern in the ruleset.
	ID string
	// Value is in han, yakuman, fan or points, as the family counts.
	Value int16
}

// DecisionRow is one decision.
type DecisionRow struct {
	// Match is the number of the match in its run.
	Match uint64
	Hand  uint16 // within the match
	// Index counts the decisions of the hand; it is the place of Action in the
	// action log.
	Index  uint16
	Player uint8
	Legal  sim.ActionSet
	Action sim.Action
}

// maxHands is the largest number of hands of a match that the rows can count.
const maxHands = math.MaxUint16

// rowMaker makes rows of matches. Its memory is used again for each match. The
// zero value makes rows of players alone.
type rowMaker struct {
	patterns []ruleset.Pattern
	unit     int32
	// book is nil where the players cannot owe each other points.
	book *debtBook
	// tournament is nil where there is none.
	tournament *Tournament
	sealed     bool
	// logged tells whether anybody reads what was answered, dealt whether anybody reads
	// what the players were dealt.
	logged, dealt bool
	hands         []HandRow
	players       [sim.NumPlayers]MatchRow
	actions       []byte
}

func newRowMaker(r *ruleset.Rules, run *Run) rowMaker {
	maker := rowMaker{
		patterns: r.Patterns(), unit: int32(r.Unit()), tournament: run.Tournament, sealed: run.Seal != nil,
		logged: true, dealt: run.Record >= Hands,
	}
	if hasDebts(r) {
		maker.book = &debtBook{}
	}
	return maker
}

// read makes the rows of m: one for each player, and one for each hand and each
// change of a debt. Wins have their patterns if the values were kept. The rows
// are valid until the next call. The error is that of a match too long for them.
func (r *rowMaker) read(m *sim.Match) error {
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
		r.book.begin()
	}
	values := m.Values
	hands := r.hands[:0]
	for i, mark := range m.Hands {
		end := sim.HandMark{Event: len(m.Events), Action: len(m.Actions)}
		if i+1 < len(m.Hands) {
			end = m.Hands[i+1]
		}
		hands = grow(hands)
		h := &hands[i]
		*h = HandRow{
			Match: m.Index, Hand: uint16(i), Giver: NoPlayer, Wins: h.Wins[:0], Debts: h.Debts[:0],
		}
		if r.logged {
			h.Actions = r.actions[mark.Action:end.Action]
		}
		events := m.Events[mark.Event:end.Event]
		h.read(events)
		if r.dealt {
			h.readDealt(events)
		}
		h.TenpaiTurn = mark.TenpaiTurn
		for j := range h.Wins[:min(len(h.Wins), len(values))] {
			h.Wins[j].describe(&values[j], r.patterns, r.unit)
		}
		values = values[min(len(h.Wins), len(values)):]
		if r.book != nil {
			r.book.read(h, events, i == len(m.Hands)-1)
		}
	}
	r.hands = hands
	r.readPlayers(m)
	return nil
}

// grow appends an element to s that may be one that was used before.
func grow[T any](s []T) []T {
	if len(s) < cap(s) {
		return s[:len(s)+1]
	}
	var zero T
	return append(s, zero)
}

// read fills in the row from the events of the hand.
func (h *HandRow) read(events []sim.Event) {
	var discards [sim.NumPlayers]uint8
	for _, e := range events {
		// Nearly all are of two types, which need no table of jumps.
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
			h.Wins = grow(h.Wins)
			w := &h.Wins[len(h.Wins)-1]
			*w = Win{Player: uint8(e.Player), Tile: e.Tile.String(), Patterns: w.Patterns[:0]}
		case sim.EvValue:
			w := &h.Wins[len(h.Wins)-1]
			points, han, fu := e.Worth()
			w.Points, w.Han, w.Fu = points, uint8(han), uint8(fu)
		case sim.EvForfeit:
			// Where the match goes on, an end follows that takes its place.
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

// readDealt fills in what the players were dealt, which is told before all else but
// the start of the hand.
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
	// One text for all, of which each has a part.
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

// maxDealt is more tiles than anybody is dealt.
const maxDealt = 20

// describe fills in what the events leave out. A value is in points, a point
// being a number of units.
func (w *Win) describe(v *ruleset.Value, patterns []ruleset.Pattern, unit int32) {
	w.Points *= unit
	w.Yakuman = v.Yakuman
	for _, p := range v.Patterns[:v.NumPatterns] {
		w.Patterns = append(w.Patterns, Pattern{patterns[p.Pattern].ID, p.Points})
	}
}

// readPlayers makes the rows of the players from those of the hands.
func (r *rowMaker) readPlayers(m *sim.Match) {
	for p := range r.players {
		row := &r.players[p]
		*row = MatchRow{
			Match: m.Index, Seed: m.Seed, Player: uint8(p), Agent: m.Agents[p],
			Points: m.Final.Points[p], Rank: m.Final.Rank[p], Placement: int32(m.Final.Placement[p]),
			Hands: uint16(len(r.hands)), Decisions: m.Decisions[p],
			Truncated: m.Truncated, Forfeited: m.Forfeited.Has(sim.Player(p)),
		}
		if r.sealed {
			row.Seed = 0
		}
		if r.tournament != nil {
			set, seating := r.tournament.Place(m.Index)
			row.WallSet, row.Seating = set, uint8(seating)
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
