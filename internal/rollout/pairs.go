// Package rollout makes paired rollouts with common random numbers. At decisions of a
// match it copies the table and takes another action at the copy; the same players
// finish the hand at both, with the same wall. The difference of the results is due to
// the action alone, so it varies less than that of independent rollouts.
//
//	err := rollout.Generate(ctx, &rollout.Job{...}, func(m *rollout.Match) error {
//		return w.Write(m)
//	})
package rollout

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strconv"

	"github.com/sparrowhall/sparrowhall/sim"
)

// Header begins a file of pairs. With the version of the program it determines them.
type Header struct {
	// Name and Ruleset are the name and the text of the rules.
	Name, Ruleset string
	// Agents are the specs of the agents. Pairs are made for agent 0 and those of the same
	// spec.
	Agents []string
	// Engine is sim.EngineVersion: another engine may play other matches.
	Engine int
	// Seed, Matches, Share and Near are those of the Job.
	Seed    uint64
	Matches uint64
	Share   int
	Near    int `json:",omitempty"`
}

// Match is a match and the pairs made in it.
type Match struct {
	// Seed is that of the match.
	Seed uint64
	// Actions are all answers in order, as in sim.Match.
	Actions []byte
	// Baselines[h] is the outcome of hand h as it was played.
	Baselines []Outcome
	// Pairs are in the order of their decisions.
	Pairs []Pair
}

// Pair is a decision with the outcome of another action than the one played.
type Pair struct {
	// At is the index of the decision in Actions, Hand that of its hand in Baselines.
	At   uint32
	Hand uint16
	// Action is the action that Player took at the copy of the table.
	Action uint8
	Player uint8
	// Luck is the luck of the player at the copy minus that in the match, in units, by the
	// linear value function; see package luck. It has mean zero.
	Luck int32
	// Other is the outcome of the hand at the copy.
	Other Outcome
}

// Outcome is the standing of a match after a hand.
type Outcome struct {
	// Points are those of each player; what players owe each other counts as paid.
	Points [sim.NumPlayers]int32
	// Round, Dealer, Counter and Deposits are those of sim.MatchState.
	Round, Dealer, Counter, Deposits int16
	// Over reports whether the match has ended.
	Over bool
}

// NewOutcome returns the standing of a table between hands.
func NewOutcome(t *sim.Table) Outcome {
	if t.Over() {
		return Outcome{Points: t.Points(), Over: true}
	}
	s := t.MatchState()
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

// A file is a line that names its format, then frames: the header as JSON, then one for each
// match. A frame is the length of its contents, their CRC-32, and the contents. A frame that
// was not written whole is recognized by these.
const (
	version = 1
	first   = "sparrowhall pairs "
	// maxFrame is far above the length of any match.
	maxFrame = 64 << 20
)

// counts begins the frame of a match: its seed and the lengths of the lists that follow.
type counts struct {
	Seed                  uint64
	Actions, Bases, Pairs uint32
}

// Writer writes a file of pairs.
type Writer struct {
	w     io.Writer
	frame []byte
}

// NewWriter begins a file.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	x := &Writer{w: w}
	x.begin()
	x.frame = append(x.frame, text...)
	if _, err := fmt.Fprintf(w, "%s%d\n", first, version); err != nil {
		return nil, err
	}
	return x, x.end()
}

// NewAppender returns a Writer that continues a file of whole frames.
func NewAppender(w io.Writer) *Writer { return &Writer{w: w} }

// Write appends a match.
func (w *Writer) Write(m *Match) error {
	w.begin()
	c := counts{m.Seed, uint32(len(m.Actions)), uint32(len(m.Baselines)), uint32(len(m.Pairs))}
	for _, part := range [...]any{c, m.Actions, m.Baselines, m.Pairs} {
		w.frame, _ = binary.Append(w.frame, binary.LittleEndian, part) // all of it is of fixed size
	}
	return w.end()
}

// frameHeader is the number of bytes of a frame before its contents.
const frameHeader = 8

func (w *Writer) begin() { w.frame = append(w.frame[:0], make([]byte, frameHeader)...) }

func (w *Writer) end() error {
	binary.LittleEndian.PutUint32(w.frame, uint32(len(w.frame)-frameHeader))
	binary.LittleEndian.PutUint32(w.frame[4:], crc32.ChecksumIEEE(w.frame[frameHeader:]))
	_, err := w.w.Write(w.frame)
	return err
}

// Reader reads a file of pairs.
type Reader struct {
	Header Header
	r      *bufio.Reader
	read   uint64
	at     int64
	frame  []byte
}

// NewReader reads the beginning of a file.
func NewReader(r io.Reader) (*Reader, error) {
	p := &Reader{r: bufio.NewReaderSize(r, 1<<20)}
	line := make([]byte, len(first)+2)
	if _, err := io.ReadFull(p.r, line); err != nil || !bytes.HasPrefix(line, []byte(first)) || line[len(line)-1] != '\n' {
		return nil, errors.New("rollout: this is no file of pairs")
	}
	if v := string(line[len(first) : len(line)-1]); v != strconv.Itoa(version) {
		return nil, fmt.Errorf("rollout: a file of version %s, this program reads version %d: run train pairs again", v, version)
	}
	p.at = int64(len(line))
	if err := p.next(); err != nil {
		return nil, fmt.Errorf("rollout: the beginning of the file: %w", err)
	}
	if err := json.Unmarshal(p.frame, &p.Header); err != nil {
		return nil, fmt.Errorf("rollout: the beginning of the file: %w", err)
	}
	return p, nil
}

// errTruncated is the error of a file that ends within a frame, errIncomplete that of one that ends
// after a match other than the last.
var errTruncated, errIncomplete = errors.New("the file ends within it"), errors.New("the file ends")

// next reads a frame into p.frame. At the end of the file it returns io.EOF.
func (r *Reader) next() error {
	var begin [frameHeader]byte
	if n, err := io.ReadFull(r.r, begin[:]); err != nil {
		if n == 0 && err == io.EOF {
			return io.EOF
		}
		return truncation(err)
	}
	n := binary.LittleEndian.Uint32(begin[:])
	if n > maxFrame {
		return errors.New("damaged: a part of it would be too long")
	}
	r.frame = slices.Grow(r.frame[:0], int(n))[:n]
	if _, err := io.ReadFull(r.r, r.frame); err != nil {
		return truncation(err)
	}
	if crc32.ChecksumIEEE(r.frame) != binary.LittleEndian.Uint32(begin[4:]) {
		return errors.New("damaged: its checksum is another")
	}
	r.at += int64(frameHeader + len(r.frame))
	return nil
}

func truncation(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return errTruncated
	}
	return err
}

// Read reads the next match. After the last it returns io.EOF.
func (r *Reader) Read(m *Match) error {
	*m = Match{}
	switch err := r.next(); {
	case err == io.EOF && r.read == r.Header.Matches:
		return io.EOF
	case err == io.EOF:
		return fmt.Errorf("rollout: %w after %d of %d matches", errIncomplete, r.read, r.Header.Matches)
	case err != nil:
		return fmt.Errorf("rollout: match %d: %w", r.read, err)
	}
	var c counts
	in := bytes.NewReader(r.frame)
	err := binary.Read(in, binary.LittleEndian, &c)
	if want := int64(c.Actions) + int64(c.Bases)*int64(binary.Size(Outcome{})) + int64(c.Pairs)*int64(binary.Size(Pair{})); err != nil || want != int64(in.Len()) {
		return fmt.Errorf("rollout: match %d: damaged: its lists have another length", r.read)
	}
	m.Seed, m.Actions, m.Baselines, m.Pairs = c.Seed, make([]byte, c.Actions), make([]Outcome, c.Bases), make([]Pair, c.Pairs)
	for _, part := range [...]any{m.Actions, m.Baselines, m.Pairs} {
		if err := binary.Read(in, binary.LittleEndian, part); err != nil {
			return fmt.Errorf("rollout: match %d: %w", r.read, err)
		}
	}
	r.read++
	return nil
}

// CountWhole reads the rest of a file that may be cut off. It returns the number of whole matches,
// the number of their pairs, and where they end; the error says what is damaged there. It must be
// called before Read.
func (r *Reader) CountWhole() (matches uint64, pairs int, end int64, err error) {
	var m Match
	for end = r.at; r.read < r.Header.Matches; end = r.at {
		if err := r.Read(&m); errors.Is(err, errTruncated) || errors.Is(err, errIncomplete) {
			break
		} else if err != nil {
			return matches, pairs, end, err
		}
		matches++
		pairs += len(m.Pairs)
	}
	return matches, pairs, end, nil
}
