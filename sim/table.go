// Package sim plays mahjong: the wall, the table with its state machine, legal
// actions, what each player sees, and matches by the thousand.
//
// The table knows no family by name. It obeys the knobs of ruleset.Flow and
// asks the ruleset's Scorer for shapes, values and payments.
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

// Player is one of the four players of a match, 0..3. Points, decisions and
// random streams belong to players; chairs are places in turn order. What reads
// of a player, such as Table.View, Table.Legal and Players.Has, takes any number
// modulo four, so that p+1 is the next player; Table.Step takes 0..3 alone.
type Player int8

// NumPlayers is the number of players at a table.
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

// Rest returns s without its lowest player. So the players of a set are gone
// through: for ; s != 0; s = s.Rest() { p := s.First() ... }.
func (s Players) Rest() Players { return s & (s - 1) }

// Phase is what the table is waiting for.
type Phase uint8

// The phases that last until somebody outside does something.
const (
	PhaseDeal    Phase = iota // StartHand must be called
	PhaseReady                // all ready players may declare before the first draw
	PhaseFlowers              // a player may win with the flowers
	PhaseTurn                 // the player in turn has a tile too many
	PhaseClaim                // the others may claim a discard
	PhaseRob                  // the others may rob a kan
	PhaseDeclare              // ready or not, one player at a time
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
)

// maxDiscards is the largest number of discards in a hand: every tile that can
// be drawn, and one for each claim.
const maxDiscards = 128

// seat is the state of one chair during a hand.
type seat struct {
	hand      hand.Hand
	waits     tile.Set // of the hand without a drawn tile
	river     tile.Set // kinds discarded, claimed ones included
	pons      tile.Set // kinds of the pons laid down
	passed    tile.Set // kinds of which a win was passed
	ponPassed tile.Set // kinds of which a pon was passed
	banned    tile.Set // kinds that may not be discarded this turn
	melds     [hand.MaxMelds]hand.Meld
	kanAt     [hand.MaxMelds]uint8 // of each meld that others could have robbed: discards made by then, and one
	numMelds  uint8
	reds      [3]uint8 // concealed red fives of each suit
	flowers   uint8    // exposed
	closed    uint8    // closed kans completed
	awarded   uint8    // awards already paid for the flowers
	held      uint8    // flowers among the concealed tiles
	kept      uint8    // tiles drawn after the opening and not discarded or exposed at once
	discards  uint8
	tailDraws uint8
	far       int8 // lower bound of the shanten of the concealed tiles; see findWaits
	ready     ReadyTier
	declaring ReadyTier // declared with the discard that is being claimed
	open      bool      // some meld shows another player's tile
	oneShot   bool
	passLock  bool
	passFinal bool // the pass lock lasts to the end of the hand
	declined  bool // a self-drawn win, in this turn
	liable    [ruleset.NumLiabilities]ruleset.Chair
	liableAt  [ruleset.NumLiabilities]uint8
}

// Table is a match in progress: a plain value without pointers, slices or maps
// but for the shared, immutable rules. Copying it takes a snapshot.
type Table struct {
	rules *ruleset.Rules
	seed  uint64
	agent uint64 // key of the players' random streams
	// streams is what the streams of each player are started from.
	streams [NumPlayers]uint64
	// sealed tells that the streams come from a hash of the key.
	sealed bool
	// readyFrom and readyFromOpen are what readyShanten says of the rules.
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
	declaredBy uint8          // number of chairs that have declared ready or not at an exhausted wall, counted from the dealer
	declared   ruleset.Chairs // declared ready

	// The hand.
	wall        Wall
	tenpaiTurn  [NumPlayers]uint8 // by player: see HandMark
	front       [NumPlayers]uint8 // ordinary tiles gone from each private wall; of a shared wall the first counts
	taken       uint8             // replacement tiles taken from the tail
	limit       uint8             // tiles of a wall that can be drawn in all
	opening     uint8             // chairs whose dealt flowers are replaced, counted from the dealer
	owed        uint8             // replacements the chair at it has still to draw
	drawing     bool              // it is drawing them
	entitled    ruleset.Chair     // who may win with the flowers
	single      ruleset.Chair     // who holds the eighth flower, NoChair if the entitled does
	kans        uint8
	indicators  uint8          // turned
	pending     uint8          // indicators to be turned with the next discard
	kanChairs   ruleset.Chairs // made a kan
	callers     ruleset.Chairs // made a chi, pon or kan
	chase       uint8          // discards of one kind in a row, up to the last
	abortable   bool           // no chi, pon or kan yet: first-turn rules hold
	noCalls     bool           // no chi, pon or open kan yet
	sticks      ruleset.Chairs // staked a stick in this hand
	liabilities uint8          // counted in order of arising
	discards    uint8
	log         [maxDiscards]logEntry
	visible     [tile.NumKinds]uint8 // tiles every player can see
	seats       [NumPlayers]seat
}

// NewTable returns a table at the start of a match, waiting for StartHand. The
// match is a function of the rules, the seed and the actions of the players.
func NewTable(r *ruleset.Rules, seed uint64) Table {
	key := derive(agentDomain, seed)
	t := Table{rules: r, seed: seed, agent: binary.LittleEndian.Uint64(key[:])}
	t.streams = streamKeys(t.agent)
	t.readyFrom, t.readyFromOpen = readyShanten(r)
	start := int32(r.StartingPoints * r.Unit())
	for p := range t.points {
		t.points[p] = start
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

// Hands returns the number of hands finished.
func (t *Table) Hands() int { return int(t.hands) }

// Decisions returns how many decisions each player has made so far.
func (t *Table) Decisions() [NumPlayers]uint32 { return t.decisions }

// Final returns the standings; they are filled in once the match is over.
func (t *Table) Final() *ruleset.Final { return &t.final }

// Truncated reports whether the match was cut off: at max_hands, after 32,767
// hands, with 256 riichi sticks on the table, or with a player ten million units
// away from zero.
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

// CopyLegal copies Legal(p) to dst. It is quicker where the answer has just been
// worked out: word by word, as it was written, it can be read before it is in memory.
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

// ErrNotAsked is the error of an answer by a player whom the table did not ask.
var ErrNotAsked = errors.New("sim: player was not asked")

// IllegalActionError is the error of an answer that the rules forbid.
type IllegalActionError struct {
	Player Player
	Action Action
	Phase  Phase
}

// Error names the player, the action and the phase.
func (e *IllegalActionError) Error() string {
	return fmt.Sprintf("sim: illegal action: player %d may not %s (%s)", e.Player, e.Action, e.Phase)
}

// Step records player p's answer a. Once every asked player has answered, it
// resolves the decision point, plays on to the next one and appends what
// happened to dst. No answer shows before that.
//
// If p was not asked the error is ErrNotAsked, if a is not legal an
// *IllegalActionError; the table is then unchanged and dst returned as given.
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
		return &IllegalActionError{p, a, t.phase}
	}
	t.answer(c, p, a, out)
	return nil
}

// answer records an answer of player p on chair c, who was asked, that is known to be
// legal.
func (t *Table) answer(c ruleset.Chair, p Player, a Action, out *events) {
	t.answers[c&3] = a
	t.asked &^= c.Bit()
	t.decisions[p&3]++
	if t.asked == 0 {
		t.resolve(out)
	}
}

// StartHand deals the next hand from the wall that the seed gives and plays to
// its first decision point. It panics unless the table is in PhaseDeal.
func (t *Table) StartHand(dst []Event) []Event {
	fillWall(&t.wall, &t.rules.Flow, t.seed, int(t.round), t.dealer, int(t.dealIndex))
	return t.startHand(dst)
}

// StartHandFrom is StartHand with a given wall: a recorded or a crafted one. Its
// tiles should be those of the set, see [Wall.IsOf]; it panics where a place holds
// none that the rules know, see [Wall.Unknown], and unless the table is in PhaseDeal.
func (t *Table) StartHandFrom(w *Wall, dst []Event) []Event {
	if i := w.Unknown(&t.rules.Flow); i >= 0 {
		panic(fmt.Sprintf("sim: StartHandFrom: place %d of the wall holds no tile of the rules", i))
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
	// Field by field where it stays: an event made elsewhere would be read in one
	// piece before its pieces are written, for which a processor waits.
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

// wallDone reports whether the wall counts as used up for what chair c does now:
// his own, or where the rules say so the next player's.
func (t *Table) wallDone(c ruleset.Chair) bool {
	if t.rules.LastTileWhen == ruleset.NextWallEmpty {
		c = c.Next(1)
	}
	return t.left(c) == 0
}

// seatWind returns the wind of chair c.
func (t *Table) seatWind(c ruleset.Chair) tile.Wind { return tile.Wind(c-t.dealer) & 3 }
