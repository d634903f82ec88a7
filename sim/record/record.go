// Package record replays what was played elsewhere: a [Format] reads the records
// of other programs as a [Game], which [Replay] plays at a table. The packages
// below it hold the forms, those that are read and those that are written;
// docs/formats.md describes them.
package record

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Game is a match as a record tells it, in the words of the table: player 0
// deals first.
type Game struct {
	// ID is what the record calls the match, empty if it has no name for it.
	ID string
	// Names are those of the players, empty where the record has none.
	Names [sim.NumPlayers]string
	// Unit is what the form counts, such as "line", to name a place in the record.
	Unit string
	// Ruleset is the preset of the place where the match was played, if the record
	// names one of other rules than its form is of; it is empty otherwise.
	Ruleset string
	// Knobs are the rules that the record itself names, by knob, as TOML has
	// their values.
	Knobs map[string]any
	// RoundWind is the round wind that was drawn for the match, nil if it follows
	// the rounds.
	RoundWind *tile.Wind
	Hands     []Hand
	// Points are the points at the end of the match, nil if not told.
	Points *[sim.NumPlayers]int32
	// Cut tells where and how the record breaks off in the midst of a hand, which
	// is not among Hands; nil if it does not.
	Cut *PlaceError
}

// NameStart adds to the knobs of a record the points that all players have at the
// beginning of a match: records tell them, though not as a rule.
func (g *Game) NameStart() {
	if len(g.Hands) == 0 || g.Hands[0].Start == nil {
		return
	}
	s := *g.Hands[0].Start
	points := s.Points[0]
	if s == (sim.Standing{Points: [sim.NumPlayers]int32{points, points, points, points}}) && points > 0 {
		g.Knobs["starting_points"] = int64(points)
	}
}

// Hand is a hand as a record tells it.
type Hand struct {
	// At is the place in the file where the hand begins; see [PlaceError].
	At int
	// Start is where the match stands before the hand, nil if not told. Records
	// do not tell the deal index, which is 0.
	Start *sim.Standing
	// Deal is the tiles dealt to each player, without the dealer's extra tile.
	Deal [sim.NumPlayers][]tile.Face
	// Wall is the wall in the order in which the table takes it, nil if the
	// record does not give it. Then a shared wall is made of the tiles that the
	// record shows.
	Wall *sim.Wall
	// Filled tells that the record does not give all of Wall: the places of tiles
	// that it does not show are filled in.
	Filled bool
	// Contradiction says in what the record of the hand contradicts itself, empty
	// if it does not.
	Contradiction string
	// Events is what happened, in the order and the words of the table: draws,
	// discards, ready declarations and their acceptance, claims, kans, flowers,
	// wins, declarations at an exhausted wall, aborts, EvExhausted, and EvForfeit of a
	// player by whose fault the match ended. Dora indicators may stand anywhere. Of an event, Type, Player and Tile must be
	// given, Detail for discards, claims, ready declarations, declarations and
	// aborts, Value for wins and to tell the acceptance of a declaration.
	// Acceptances and declarations may be left out.
	Events []Event
	// Others is what else may have happened, where the record does not tell: other
	// orders of the same turns. Replay takes the one that the rules bear out.
	Others [][]Event
	// Wins is what the winning hands were worth, in the order of their events.
	Wins []Win
	// Paid is what each player gained when the hand ended, nil if not told.
	Paid *[sim.NumPlayers]int32
}

// Event is an event and its place in the file.
type Event struct {
	sim.Event
	// At is the line, message or tag, as the form counts.
	At int
	// Lost is who wanted the tile of a claim or win as well and came after it, as
	// far as the form tells.
	Lost []Lost
}

// Lost is a claim that others went before.
type Lost struct {
	Player sim.Player
	Action sim.Action
}

// NotTold stands where a record does not give a figure of a [Win].
const NotTold = -1

// Win is what a record tells of a winning hand.
type Win struct {
	// Points is the value without counters and deposits, Yakuman the multiple of
	// a yakuman hand, 0 for others.
	Points, Han, Fu, Yakuman int32
	// Patterns are what the value is made of by pattern id, nil if not told. Those
	// that count nothing are left out.
	Patterns map[string]int
	// Ura is the ura indicators, nil if not told.
	Ura []tile.Face
}

// IllegalError is the error of an answer, in the words of a form, that means no
// legal action.
type IllegalError struct{ Legal sim.ActionSet }

// Error lists what would be legal.
func (e *IllegalError) Error() string { return "is not legal; legal: " + e.Legal.String() }

// PlaceError is the error of a record at fault somewhere.
type PlaceError struct {
	// Unit is what the form counts, such as "line"; At is its number, from 1.
	Unit    string
	At      int
	Message string
}

// Error returns "line 12: message".
func (e *PlaceError) Error() string { return fmt.Sprintf("%s %d: %s", e.Unit, e.At, e.Message) }
