// Package record imports match records of other programs. A [Format] parses records to
// a [Game], and [Replay] plays it at a table:
//
//	for game, err := range tenhou.Format.Read(file) {
//		match := &sim.Match{}
//		differences := record.Replay(rules, game, match)
//	}
//
// The packages below it implement formats, some of them with writers as well;
// docs/formats.md describes them.
package record

import (
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Game is a recorded match. Player 0 deals first.
type Game struct {
	// ID is the id of the match in the record, empty if it has none.
	ID string
	// Seats is the number of players. The fourth entries of lists by player are empty where
	// three play.
	Seats ruleset.Seats
	// Names are the names of the players, empty if not given.
	Names [sim.NumPlayers]string
	// Unit is the unit of places in the record, such as "line".
	Unit string
	// Ruleset is the preset of the match if the record shows that it differs from that
	// of the format; empty otherwise.
	Ruleset string
	// Knobs are the rules that the record states, by knob, with values as in TOML.
	Knobs map[string]any
	// RoundWind is the round wind that was drawn for the match, nil if it follows the
	// rounds.
	RoundWind *tile.Wind
	Hands     []Hand
	// Points are the points at the end of the match, nil if not given.
	Points *[sim.NumPlayers]int32
	// Truncation is the first fault of the record, which ends it; nil if it is complete. Hands
	// are those before the fault, and Rest is the one in which it is, as far as it was read: nil
	// between two hands and where the order of events is not known.
	Truncation *PlaceError
	Rest       *Hand
	// Notes are what the record has and its form does not, such as unknown members.
	Notes []Difference
	// Acceptances is set if the form has an event for each accepted riichi, so that a missing one
	// is noted.
	Acceptances bool
}

// CutAt ends the record before hand n, which has a fault that only the rules show.
func (g *Game) CutAt(n int, fault string) {
	g.Truncation, g.Rest, g.Points = &PlaceError{Unit: g.Unit, Message: fault}, nil, nil
	g.Hands = g.Hands[:n]
}

// AddStartingPoints adds the knob starting_points if the record shows the beginning of
// the match.
func (g *Game) AddStartingPoints() {
	if len(g.Hands) == 0 || g.Hands[0].Start == nil {
		return
	}
	s := *g.Hands[0].Start
	points := s.Points[0]
	even := sim.MatchState{}
	for p := range g.Seats.Count() {
		even.Points[p] = points
	}
	if s == even && points > 0 {
		g.Knobs["starting_points"] = int64(points)
	}
}

// HasWholeWalls reports whether the record has all walls, with no tile filled in.
func (g *Game) HasWholeWalls() bool {
	return !slices.ContainsFunc(g.Hands, func(h Hand) bool { return h.Wall == nil || h.WallFilledIn })
}

// CheckSeats returns an error if the rules are for another number of players.
func (g *Game) CheckSeats(r *ruleset.Rules) error {
	if g.Seats == r.Seats {
		return nil
	}
	return fmt.Errorf("it is the record of a match of %d players, and %s is for %d; name rules for %[1]d players", g.Seats.Count(), r.Name, r.NumSeats())
}

// Hand is a recorded hand.
type Hand struct {
	// Place is the place in the record where the hand begins; see [PlaceError].
	Place int
	// Start is the state of the match before the hand, nil if not given. Records do not
	// have the deal index, which is 0.
	Start *sim.MatchState
	// Deal is the tiles dealt to each player, without the dealer's extra tile.
	Deal [sim.NumPlayers][]tile.Face
	// Wall is the wall, nil if not given. Replay then builds a shared wall from the tiles
	// that the record shows.
	Wall *sim.Wall
	// WallFilledIn is set if tiles of Wall that the record does not show were filled in.
	WallFilledIn bool
	// Contradiction describes how the record of the hand contradicts itself, empty if it
	// does not.
	Contradiction string
	// Events are the events of the hand in the order of the table. These are draws,
	// discards, ready declarations and their acceptance, claims, kans, flowers, Norths set
	// aside, wins,
	// declarations at an exhausted wall, aborts, EvExhausted, and a final EvForfeit.
	// Dora indicators may be anywhere. Acceptances and declarations may be missing.
	//
	// Events need Type, Player and Tile. Discards, claims, ready declarations,
	// declarations and aborts also need Detail; wins and acceptances need Value.
	Events []Event
	// Alternatives are other orders of the same turns, if the record is ambiguous. Replay
	// uses the one that fits the rules.
	Alternatives [][]Event
	// Wins are the values of the winning hands in the order of their events.
	Wins []Win
	// Deltas are the points that each player gained when the hand ended, nil if not given.
	Deltas *[sim.NumPlayers]int32
}

// Event is an event and its place in the record.
type Event struct {
	sim.Event
	// Place is the number of its line, message or element.
	Place int
	// Outranked are claims of the same tile that had a lower priority, if given.
	Outranked []OutrankedClaim
}

// OutrankedClaim is a claim that lost to one with a higher priority.
type OutrankedClaim struct {
	Player sim.Player
	Action sim.Action
}

// NotGiven is the value of a number of a [Win] that the record does not give.
const NotGiven = -1

// Win is the recorded value of a winning hand. Numbers may be NotGiven.
type Win struct {
	// Points is the value without counters and deposits, Yakuman the number of yakuman, 0
	// for other hands.
	Points, Han, Fu, Yakuman int32
	// Patterns are the points, han or yakuman of each pattern by its id, without those
	// that count 0; nil if not given. Without nuki_dora the Norths set aside are taken to
	// be among the dora, as in Tenhou's records.
	Patterns map[string]int
	// Ura are the ura indicators, nil if not given.
	Ura []tile.Face
}

// IllegalError is the error of an answer of an external agent that is not a legal action.
type IllegalError struct{ Legal sim.ActionSet }

// Error lists the legal actions.
func (e *IllegalError) Error() string { return "is not legal; legal: " + e.Legal.String() }

// PlaceError is an error at a place of a record.
type PlaceError struct {
	// Unit is the unit of places, such as "line"; Number counts them from 1.
	Unit    string
	Number  int
	Message string
}

// Error returns "line 12: message".
func (e *PlaceError) Error() string { return fmt.Sprintf("%s %d: %s", e.Unit, e.Number, e.Message) }
