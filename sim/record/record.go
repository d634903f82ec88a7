// Package record replays what was played elsewhere: a [Format] reads the records
// of other programs as a [Game], which [Replay] plays at a table. The packages
// below it hold the forms, those that are read and those that are written;
// docs/formats.md describes them.
package record

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/jansou/jansou/ruleset/tile"
	"github.com/jansou/jansou/sim"
)

// Format is an outside form of records that can be read.
type Format struct {
	// Name is what the form is called on the command line.
	Name string
	// Ruleset is the preset by which records are replayed unless another is
	// named.
	Ruleset string
	// Suffixes end the names of the files that are taken out of a folder; ".gz"
	// may follow.
	Suffixes []string
	// Parse reads the matches of a file as [ReadRecord] returns it. The error is
	// about the file as a whole; where a place in it is at fault it is a
	// *PlaceError.
	Parse func(text []byte) ([]*Game, error)
}

// Game is a match as a record tells it, in the words of the table: player 0
// deals first.
type Game struct {
	// Names are those of the players, empty where the record has none.
	Names [sim.NumPlayers]string
	// Unit is what the form counts, such as "line", to name a place in the file.
	Unit string
	// Knobs are the rules that the record itself names, by knob, as TOML has
	// their values.
	Knobs map[string]any
	// RoundWind is the round wind that was drawn for the match, nil if it follows
	// the rounds.
	RoundWind *tile.Wind
	Hands     []Hand
	// Points are the points at the end of the match, nil if not told.
	Points *[sim.NumPlayers]int32
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
	// Contradiction says in what the record of the hand contradicts itself, empty
	// if it does not.
	Contradiction string
	// Events is what happened, in the order and the words of the table: draws,
	// discards, ready declarations and their acceptance, claims, kans, flowers,
	// wins, declarations at an exhausted wall, aborts and EvExhausted. Dora
	// indicators may stand anywhere. Of an event, Type, Player and Tile must be
	// given, Detail for discards, claims, ready declarations, declarations and
	// aborts, Value for wins and to tell the acceptance of a declaration.
	// Acceptances and declarations may be left out.
	Events []Event
	// Wins is what the winning hands were worth, in the order of their events.
	Wins []Win
	// Paid is what each player gained when the hand ended, nil if not told.
	Paid *[sim.NumPlayers]int32
}

// Event is an event and its place in the file.
type Event struct {
	sim.Event
	At int
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

// PlaceError is the error of a record at fault somewhere.
type PlaceError struct {
	// Unit is what the form counts, such as "line"; At is its number, from 1.
	Unit    string
	At      int
	Message string
}

// Error returns "line 12: message".
func (e *PlaceError) Error() string { return fmt.Sprintf("%s %d: %s", e.Unit, e.At, e.Message) }

// maxRecord is the largest size of a record when unpacked, far above that of any
// match.
const maxRecord = 16 << 20

var errTooLarge = fmt.Errorf("unpacked, it is larger than %d MB; no record of a match is", maxRecord>>20)

// ReadRecord reads a record, which may be packed by gzip, for [Format.Parse]. The
// error is that of a damaged or overlarge file or of one that is not UTF-8.
func ReadRecord(r io.Reader) ([]byte, error) {
	text, err := readLimited(r)
	if err == nil && bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
		text, err = gunzip(text)
	}
	switch {
	case err != nil:
		return nil, err
	case len(bytes.TrimSpace(text)) == 0:
		return nil, errors.New("the file is empty")
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("byte %d is not UTF-8", validPrefix(text))
	}
	return text, nil
}

func gunzip(packed []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	var text []byte
	if err == nil {
		text, err = readLimited(z)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.New("the gzip file is truncated")
	}
	return text, err
}

func readLimited(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxRecord+1))
	if err == nil && len(text) > maxRecord {
		return nil, errTooLarge
	}
	return text, err
}

// validPrefix returns the number of bytes before the first that is not UTF-8.
func validPrefix(text []byte) int {
	n := 0
	for n < len(text) {
		r, size := utf8.DecodeRune(text[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	return n
}
