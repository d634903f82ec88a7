// Package sim is the game engine: walls, the table as a state machine, legal actions, what each
// player sees, and runs of many matches. In the terms of game theory a match is a finite
// stochastic game of imperfect information. A [Table] is a state of it, an [Agent] a policy, a
// [View] the information state of one player.
//
// # A table
//
// A Table plays by itself until players have a choice. It then waits at a decision point for the
// players it asks, each with a set of legal actions. They answer at the same time: the answers
// take effect together, by the priority of the rules, with the last of them. A player with one
// legal action is not asked. What happens is appended as [Event] values, which are enough to follow
// the match; [Event.SeenBy] leaves of them what one player may see.
//
//	table := sim.NewTable(rules, seed)
//	var events []sim.Event
//	for !table.Over() {
//		events = table.StartHand(events)
//		for player := range table.RestOfHand() {
//			answer, err := sim.Ask(agents[player], table.View(player))
//			...
//			events, err = table.Step(player, answer, events)
//		}
//	}
//
// The example of Table runs this loop. [Match.Play] is the same loop with a record, [Match.Replay]
// plays a record again, and [Run] plays many matches in parallel with results that do not depend
// on the number of goroutines.
//
// # Duties of the caller
//
//   - In each round of RestOfHand the body answers for the player by Step, or leaves the loop.
//     Otherwise the same player is yielded for ever.
//   - A table is a plain value, and copying it takes a snapshot. It is for one goroutine at a
//     time. A View reads the table it came from, so it is valid until the next step.
//   - Step refuses an illegal action and leaves the table as it was. Ask plays the [DefaultAction]
//     in place of one; where the result counts, the player then forfeits ([Table.Forfeit]).
//   - An agent draws random numbers from [View.Rand] alone. A match is then a function of its
//     rules, its seed and the actions, on every machine.
//   - Agents that stand for others implement Unwrap, and what an agent can do besides Act is
//     found by [As]: a type assertion misses it in such an agent.
//
// # Cost
//
// No decision allocates, so slices for events are passed in and returned, and lists in a Match are
// reused. A player's number is taken modulo four where a table is read, without a check.
//
// # Rules
//
// The engine has no code for single rulesets. It follows the knobs of [ruleset.Flow] and calls the
// Scorer of the rules for shapes, values and payments. The tags of rule texts in comments, such as
// S4 2.6, are explained in docs/rules.
package sim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// Player is one of the players of a match, 0..3, or 0..2 of three. Points, decisions and random
// streams belong to players; a chair is a place in turn order. Methods that read, such
// as Table.View, Table.Legal and Players.Has, take a player modulo four, so that p+1 is
// valid. Table.Step takes 0..3 only.
type Player int8

// NumPlayers is the largest number of players at a table; see [ruleset.Flow.NumSeats].
const NumPlayers = ruleset.NumPlayers

// Bit returns the set that holds p alone.
func (p Player) Bit() Players { return 1 << (p & 3) }

// Players is a set of players: bit p is player p. The zero value is empty.
type Players uint8

// Has reports whether p is in s.
func (s Players) Has(p Player) bool { return s>>(p&3)&1 != 0 }

// Len returns the number of players in s.
func (s Players) Len() int { return bits.OnesCount8(uint8(s)) }

// First returns the lowest player of s, which must not be empty.
func (s Players) First() Player { return Player(bits.TrailingZeros8(uint8(s))) }

// Rest returns s without its lowest player, to iterate over a set:
//
//	for ; s != 0; s = s.Rest() {
//		p := s.First()
//	}
func (s Players) Rest() Players { return s & (s - 1) }

// Phase is what the table is waiting for.
type Phase uint8

// The phases.
const (
	PhaseDeal    Phase = iota // StartHand must be called
	PhaseReady                // all ready players may declare before the first draw
	PhaseFlowers              // a player may win with the flowers
	PhaseTurn                 // the player in turn must discard, win or declare
	PhaseClaim                // the others may claim a discard
	PhaseRob                  // the others may rob a kan
	PhaseDeclare              // a player declares ready or not at an exhausted wall
	PhaseBetween              // a choice between two hands
	PhaseOver                 // the match has ended
)

// String returns the name of the phase.
func (p Phase) String() string {
	return [...]string{"deal", "ready", "flowers", "turn", "claim", "rob", "declare", "between", "over"}[p]
}

// ReadyTier is how a player has declared ready.
type ReadyTier uint8

// The tiers of a ready declaration.
const (
	NotReady      ReadyTier = iota // no declaration
	ReadyOrdinary                  // riichi, or ding in an ordinary turn
	ReadyDouble                    // on the first own turn, uninterrupted
	ReadyHuman                     // ding in the first go-around
	ReadyEarth                     // ding with the first own discard, uninterrupted
	ReadyHeaven                    // ding before the first draw
)

// logEntry is one discard.
type logEntry struct {
	chair ruleset.Chair
	face  tile.Face
	marks uint8
}

// Marks of a discard in the log.
const (
	markDrawn   = DiscardDrawn
	markReady   = DiscardReady
	markClaimed = DiscardClaimed
	// markHidden is set where the discarder alone knows whether the tile was the drawn one.
	markHidden = 1 << 3
)

// maxDiscards is the capacity of the discard log: every tile that can be drawn, and one
// discard for each claim.
const maxDiscards = 128

// seat is the state of one chair during a hand.
type seat struct {
	hand        hand.Hand
	waits       tile.Set // of the hand without a drawn tile
	river       tile.Set // kinds discarded, claimed ones included
	ponKinds    tile.Set // kinds of the pons laid down
	passedKinds tile.Set // kinds of which a win was passed
	passedPons  tile.Set // kinds of which a pon was passed
	bannedKinds tile.Set // kinds that may not be discarded this turn
	melds       [hand.MaxMelds]hand.Meld
	kanAt       [hand.MaxMelds]uint8 // for each kan that could have been robbed: 1 + the number of discards before it
	numMelds    uint8
	reds        [3]uint8 // concealed red fives of each suit
	flowers     uint8    // exposed
	norths      uint8    // Norths set aside
	northsAt    [4]uint8 // for each that could have been won on: 1 + the number of discards before it
	closedKans  uint8    // closed kans completed
	awarded     uint8    // awards already paid for the flowers
	heldFlowers uint8    // flowers among the concealed tiles
	keptDraws   uint8    // tiles drawn after the opening and not discarded or exposed at once
	discards    uint8
	tailDraws   uint8 // replacements in one go
	kanDraws    uint8 // those of them for kans
	minShanten  int8  // lower bound of the shanten of the concealed tiles; see findWaits
	ready       ReadyTier
	declaring   ReadyTier // declared with the discard that is being claimed
	open        bool      // some meld shows another player's tile
	ippatsu     bool
	passLock    bool
	passFinal   bool // the pass lock lasts to the end of the hand
	declinedWin bool // a self-drawn win, in this turn
	liable      [ruleset.NumLiabilities]ruleset.Chair
	liableAt    [ruleset.NumLiabilities]uint8
}

// Table is a match in progress. With three players the fourth chair stays empty: it holds
// no tiles and is never asked, so that loops over all chairs pass over it.
//
// A table is a plain value: its only pointer is to the shared, immutable rules. Copying it takes a
// snapshot.
type Table struct {
	rules *ruleset.Rules
	seed  uint64
	agent uint64 // key of the players' random streams
	// streams are the starting points of the random streams of the players.
	streams [NumPlayers]uint64
	// sealed is set if the streams come from a hash of the key.
	sealed bool
	// readyFrom and readyFromOpen are the results of readyShanten.
	readyFrom, readyFromOpen int8

	// The match.
	points    [NumPlayers]int32
	deposits  int32
	counter   int32
	decisions [NumPlayers]uint32
	hands     int32
	dealIndex int32
	round     uint8
	roundWind tile.Wind
	dealer    ruleset.Chair
	who       [NumPlayers]Player
	chairOf   [NumPlayers]ruleset.Chair
	truncated bool
	mayStop   bool           // the last dealer may end the match before the next hand
	between   uint8          // debts already offered to be cut, of creditor*4+debtor
	ledger    ruleset.Ledger // by player
	final     ruleset.Final

	// The decision point.
	phase      Phase
	asked      ruleset.Chairs // must still answer
	askedAll   ruleset.Chairs // were asked at this point
	answers    [NumPlayers]Action
	legal      [NumPlayers]ActionSet
	turn       ruleset.Chair
	cause      Source
	drawn      tile.Face      // the drawn tile of turn, NoFace after a claim
	window     tile.Face      // the tile that may be claimed or robbed
	kanClosed  bool           // the kan being robbed is closed
	kita       bool           // a North set aside may be won on, not a kan robbed
	declaredBy uint8          // chairs from the dealer on that have declared ready or not at an exhausted wall
	declared   ruleset.Chairs // declared ready

	// The hand.
	wall         Wall
	tenpaiTurn   [NumPlayers]uint8 // by player: see HandMark
	front        [NumPlayers]uint8 // ordinary tiles drawn from each private wall; [0] for a shared wall
	taken        uint8             // replacement tiles taken from the tail
	limit        uint8             // tiles of a wall that can be drawn in total
	opening      uint8             // chairs from the dealer on whose dealt flowers are replaced
	owed         uint8             // replacements that the current chair must still draw
	drawing      bool              // the current chair is drawing them
	entitled     ruleset.Chair     // who may win with the flowers
	eighthFlower ruleset.Chair     // who holds the eighth flower, NoChair if the entitled player does
	kans         uint8
	indicators   uint8          // turned
	pending      uint8          // indicators to be turned with the next discard
	kanChairs    ruleset.Chairs // made a kan
	callers      ruleset.Chairs // made a chi, pon or kan
	chase        uint8          // discards of one kind in a row, up to the last
	abortable    bool           // no chi, pon or kan yet: first-turn rules hold
	noCalls      bool           // no chi, pon or open kan yet
	sticks       ruleset.Chairs // deposited a riichi stick in this hand
	liabilities  uint8          // number of liabilities so far, for their order
	discards     uint8
	log          [maxDiscards]logEntry
	visible      [tile.NumKinds]uint8 // tiles that all players can see
	seats        [NumPlayers]seat
}

// NewTable returns a table at the start of a match, which waits for StartHand.
func NewTable(r *ruleset.Rules, seed uint64) Table {
	key := derive(agentDomain, seed)
	t := Table{rules: r, seed: seed, agent: binary.LittleEndian.Uint64(key[:])}
	t.streams = streamKeys(t.agent)
	t.readyFrom, t.readyFromOpen = readyShanten(r)
	start := int32(r.StartingPoints * r.Unit())
	for p := range t.points {
		if p < r.NumSeats() {
			t.points[p] = start
		}
		t.who[p] = Player(p)
		t.chairOf[p] = ruleset.Chair(p)
	}
	t.turn = ruleset.NoChair
	t.drawn, t.window = tile.NoFace, tile.NoFace
	if r.RoundWind == ruleset.WindRandom {
		wind := derive(windDomain, seed)
		t.roundWind = tile.Wind(wind[0] & 3)
	}
	return t
}

// Rules returns the rules the table plays by.
func (t *Table) Rules() *ruleset.Rules { return t.rules }

// Phase returns what the table is waiting for.
func (t *Table) Phase() Phase { return t.phase }

// Over reports whether the match has ended.
func (t *Table) Over() bool { return t.phase == PhaseOver }

// Points returns the points of each player.
func (t *Table) Points() [NumPlayers]int32 { return t.points }

// Wall returns the wall of the hand in progress or, between hands, of the last one. It is not
// for players to read.
func (t *Table) Wall() Wall { return t.wall }

// Hands returns the number of hands finished.
func (t *Table) Hands() int { return int(t.hands) }

// Decisions returns how many decisions each player has made so far.
func (t *Table) Decisions() [NumPlayers]uint32 { return t.decisions }

// Final returns the final standings, which are zero before the match is over.
func (t *Table) Final() *ruleset.Final { return &t.final }

// Truncated reports whether the match was truncated: at max_hands, after 32,767 hands,
// with 256 riichi sticks on the table, or with a player ten million units away from
// zero.
func (t *Table) Truncated() bool { return t.truncated }

// Asked returns the players whose answers the table waits for.
func (t *Table) Asked() Players {
	if t.rules.SeatRotation == ruleset.NoRotation {
		return Players(t.asked) // player and chair are one
	}
	var s Players
	for c := range t.who {
		s |= Players(t.asked) >> c & 1 << t.who[c]
	}
	return s
}

// Legal returns the actions player p, taken modulo four, may answer with now; none
// if p is not asked.
func (t *Table) Legal(p Player) ActionSet {
	if c := t.chairOf[p&3]; t.asked.Has(c) {
		return t.legal[c]
	}
	return ActionSet{}
}

// CopyLegal copies Legal(p) to dst. It is faster just after a step: reading word by word,
// as the set was written, allows store forwarding.
func (t *Table) CopyLegal(dst *ActionSet, p Player) {
	c := t.chairOf[p&3] & 3
	if !t.asked.Has(c) {
		*dst = ActionSet{}
		return
	}
	for i, word := range &t.legal[c] {
		dst[i] = word
	}
}

// ErrNotAsked is the error of an answer by a player who is not asked.
var ErrNotAsked = errors.New("sim: player was not asked")

// IllegalActionError is the error of an answer that the rules forbid.
type IllegalActionError struct {
	Player Player
	Action Action
	Phase  Phase
	// Reason is the result of Explainer.Explain, empty for other agents.
	Reason string
}

// Error names the player, the action and the phase.
func (e *IllegalActionError) Error() string {
	return fmt.Sprintf("sim: illegal action: player %d may not %s (%s)", e.Player, e.Action, e.Phase)
}

// Step records the answer a of player p. Once all asked players have answered, it
// resolves the decision point, plays on to the next one and appends the events to dst.
// Answers have no visible effect before that.
//
// The error is ErrNotAsked if p was not asked, and an *IllegalActionError if a is not
// legal. The table and dst are then unchanged.
func (t *Table) Step(p Player, a Action, dst []Event) ([]Event, error) {
	err := t.step(p, a, &events{list: &dst, t: t})
	return dst, err
}

func (t *Table) step(p Player, a Action, out *events) error {
	if p < 0 || p >= NumPlayers || !t.asked.Has(t.chairOf[p]) {
		return ErrNotAsked
	}
	c := t.chairOf[p]
	if !t.legal[c].Has(a) {
		return &IllegalActionError{Player: p, Action: a, Phase: t.phase}
	}
	t.applyAnswer(c, p, a, out)
	return nil
}

// applyAnswer records a legal answer of player p on chair c, who was asked.
func (t *Table) applyAnswer(c ruleset.Chair, p Player, a Action, out *events) {
	t.answers[c&3] = a
	t.asked &^= c.Bit()
	t.decisions[p&3]++
	if t.asked == 0 {
		t.resolve(out)
	}
}

// StartHand deals the next hand from the wall of the seed, plays to its first decision
// point and appends the events to dst. The tiles that [ruleset.Rules.FirstWall] gives are in
// the wall of the match's first hand. StartHand panics unless the table is in PhaseDeal, and
// if those tiles are not of the set.
func (t *Table) StartHand(dst []Event) []Event {
	fillWall(&t.wall, &t.rules.Flow, t.seed, int(t.round), t.dealer, int(t.dealIndex))
	if t.rules.FirstWall != nil && t.round == 0 && t.dealer == 0 && t.dealIndex == 0 {
		t.wall.lay(&t.rules.Flow, t.rules.FirstWall)
	}
	return t.startHand(dst)
}

// StartHandFrom is StartHand with a recorded or crafted wall. Its tiles should be those
// of the set, see [Wall.HasFullSet]. It panics if a tile is invalid under the rules, see
// [Wall.FirstInvalid], and unless the table is in PhaseDeal.
func (t *Table) StartHandFrom(w *Wall, dst []Event) []Event {
	if i := w.FirstInvalid(&t.rules.Flow); i >= 0 {
		panic(fmt.Sprintf("sim: StartHandFrom: tile %d of the wall is invalid under the rules", i))
	}
	t.wall = *w
	return t.startHand(dst)
}

// events is the list a step appends to.
type events struct {
	list *[]Event
	t    *Table
	// values, if not nil, receives the value of each winning hand.
	values *[]ruleset.Value
}

func (o *events) add(typ EventType, c ruleset.Chair, f tile.Face, detail uint8, value int32) {
	p := Player(-1)
	if c >= 0 {
		p = o.t.who[c&3]
	}
	// Written field by field in place: copying a composite literal would load it as a
	// whole before its fields are stored, which stalls.
	*o.list = append(*o.list, Event{})
	e := &(*o.list)[len(*o.list)-1]
	e.Type, e.Player, e.Tile, e.Detail, e.Value = typ, p, f, detail, value
}

// left returns how many tiles chair c can still draw: of a shared wall the same
// for all.
func (t *Table) left(c ruleset.Chair) int {
	if t.rules.Walls == ruleset.WallPerSeat {
		return int(t.limit) - int(t.front[c&3])
	}
	return int(t.limit) - int(t.front[0]) - int(t.taken)
}

// wallDone reports whether the wall counts as exhausted for what chair c does now: its
// own, or under LastTileWhen the next player's.
func (t *Table) wallDone(c ruleset.Chair) bool {
	if t.rules.LastTileWhen == ruleset.NextWallEmpty {
		c = c.Next(1)
	}
	return t.left(c) == 0
}

func (t *Table) seatWind(c ruleset.Chair) tile.Wind { return t.rules.SeatWind(c, t.dealer) }
