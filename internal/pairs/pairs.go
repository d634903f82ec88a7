// Package pairs makes paired playouts: at decisions of a match the table is copied,
// another action is taken at the copy, and the same players finish the hand at both.
// What the two bring differs by the action and what followed from it, and not by the
// wall.
package pairs

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io"

	"github.com/jansou/jansou/sim"
)

// Header begins a file of pairs.
type Header struct {
	// Version is that of the form.
	Version int
	// Name and Ruleset are the name and the text of the rules.
	Name, Ruleset string
	// Agents are the players; pairs were made for those of the number 0 and for all
	// who are written as it is.
	Agents  []string
	Seed    uint64
	Matches uint64
}

// version is that of the form of files.
const version = 1

// Match is a match and the pairs made in it.
type Match struct {
	// Seed is that of the match.
	Seed uint64
	// Actions are all answers as sim.Match has them.
	Actions []byte
	// Bases[h] is the outcome of hand h, or of as many hands as have been played.
	Bases []Outcome
	Pairs []Pair
}

// Pair is a decision and what came of another action there.
type Pair struct {
	// At is the place of the decision in Actions, Hand that of its hand in Bases.
	At   uint32
	Hand uint16
	// Action was played at the copy.
	Action uint8
	Player uint8
	// Other is the outcome of the hand there.
	Other Outcome
}

// Outcome is where a match stands after a hand.
type Outcome struct {
	// Points are those of each player; what players owe each other counts as paid.
	Points [sim.NumPlayers]int32
	// Round, Dealer, Counter and Deposits are those of sim.Standing.
	Round, Dealer, Counter, Deposits int16
	// Over tells whether the match has ended.
	Over bool
}

// outcome returns where a table stands that is between hands.
func outcome(t *sim.Table) Outcome {
	if t.Over() {
		return Outcome{Points: t.Points(), Over: true}
	}
	s := t.Standing()
	points := s.Points
	for creditor := range s.Ledger {
		for debtor, d := range s.Ledger[creditor] {
			points[creditor] += d.Points
			points[debtor] -= d.Points
		}
	}
	return Outcome{
		Points: points, Round: int16(s.Round), Dealer: int16(s.Dealer),
		Counter: int16(s.Counter), Deposits: int16(s.Deposits),
	}
}

// Writer writes a file of pairs.
type Writer struct {
	buffer *bufio.Writer
	gob    *gob.Encoder
}

// NewWriter begins a file.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	b := bufio.NewWriter(w)
	h.Version = version
	g := &Writer{b, gob.NewEncoder(b)}
	return g, g.gob.Encode(h)
}

// Write appends a match.
func (w *Writer) Write(m *Match) error { return w.gob.Encode(m) }

// Close writes what is left; it does not close the file.
func (w *Writer) Close() error { return w.buffer.Flush() }

// Reader reads a file of pairs.
type Reader struct {
	Header Header
	gob    *gob.Decoder
	read   uint64
}

// NewReader reads the beginning of a file.
func NewReader(r io.Reader) (*Reader, error) {
	p := &Reader{gob: gob.NewDecoder(bufio.NewReaderSize(r, 1<<20))}
	if err := p.gob.Decode(&p.Header); err != nil {
		return nil, fmt.Errorf("pairs: this is no file of pairs: %w", err)
	}
	if p.Header.Version != version {
		return nil, fmt.Errorf("pairs: a file of version %d, this program reads version %d: make it anew", p.Header.Version, version)
	}
	return p, nil
}

// Read reads the next match. After the last it returns io.EOF.
func (r *Reader) Read(m *Match) error {
	*m = Match{}
	err := r.gob.Decode(m)
	switch {
	case err == nil:
		r.read++
		return nil
	case errors.Is(err, io.EOF) && r.read == r.Header.Matches:
		return io.EOF
	case errors.Is(err, io.EOF):
		return fmt.Errorf("pairs: the file ends after %d of %d matches", r.read, r.Header.Matches)
	}
	return fmt.Errorf("pairs: match %d: %w", r.read, err)
}
