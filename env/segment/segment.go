// Package segment is the memory that a server and a client on one machine share:
// how it is laid out, how it is made and found, and how one side waits for the
// other. docs/local-transport.md describes it for other languages.
//
// The client writes requests into slots, the server writes the answer to each into
// the frame that the request names. Both are numbered from 0; a counter in the
// header tells how many there are. Neither side keeps anything in the memory that
// it relies on: what the other has written is copied before it is checked.
package segment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"
)

// Version is the version of the layout.
const Version = 1

// Magic begins every segment.
const Magic = "jansouSM"

// Places in the header. All numbers are little endian.
const (
	atMagic       = 0  // 8 bytes
	atVersion     = 8  // uint32
	atColumnCount = 12 // uint32
	atToken       = 16 // TokenSize bytes
	atSize        = 32 // uint64
	atSlots       = 40 // uint32: how many
	atFrames      = 44 // uint32: how many
	atSlotsAt     = 48 // uint64: where the first begins
	atSlotSize    = 56 // uint64
	atFramesAt    = 64 // uint64
	atFrameSize   = 72 // uint64
	atAnswers     = 80 // uint32: rows of a slot
	atRows        = 84 // uint32: rows of a frame
	atSlotColumns = 88 // 4 uint32: columns of a slot from its start
	atColumns     = 256

	// Words that change, each in a cache line of its own.
	atRequests     = 2048 // requests made
	atResponses    = 2112 // requests answered
	atServerSleeps = 2176 // the server is to be woken
	atClientSleeps = 2240 // the client is to be woken
	atProcessor    = 2244 // where the client last went to sleep: the processor's number and 1
	atSpin         = 2304 // a processor is free for a client that spins
	atEnded        = 2368 // the server answers no more

	headerSize = 4096
	columnSize = 16 // of an entry of the table of columns
	align      = 64
)

// TokenSize is the number of bytes of the token.
const TokenSize = 16

// Kinds of requests and answers.
const (
	// Answers is a request with a column each of tables, players, steps and actions.
	Answers = 1
	// AnswersTo is a request with a column of actions for the rows of a frame, in
	// their order; those that are not asked are left out.
	AnswersTo = 2
	// Batch is an answer with columns.
	Batch = 3
	// Message is a request or answer of the protocol, written by protobuf.
	Message = 4
	// Elsewhere is a request or answer that was too long and is in the stream.
	Elsewhere = 5
)

// Draining is the flag of an answer that tells that the server is about to stop.
const Draining = 1

// Places in slots and frames.
const (
	atKind     = 0
	atFrame    = 4 // of a slot: where the answer goes
	atLasts    = 4 // of a frame: entries of the columns about last rows
	atCount    = 8 // rows, or bytes of a message
	atOf       = 12
	atFlags    = 12 // of a frame
	atID       = 16
	slotHeader = 64
	pageSize   = 4096
)

// Slots and Frames are how many there are: requests that may be under way, and
// answers that are under way or looked at. Of fewTables there are FewFrames, which
// are small then: a client seldom has to look which it needs no more.
const (
	Slots     = 8
	Frames    = 6
	FewFrames = 16
	fewTables = 32
)

// MinMessage is the number of bytes that a message may have at least.
const MinMessage = 16 << 10

// Layout is where things are in a segment.
type Layout struct {
	// Size is the number of bytes of all.
	Size uint64
	// Slots and Frames are how many there are.
	Slots, Frames int
	// SlotsAt and FramesAt are where the first of them begin.
	SlotsAt, FramesAt uint64
	// SlotSize and FrameSize are the numbers of bytes of one.
	SlotSize, FrameSize uint64
	// Answers are the rows of a slot, Rows those of a frame.
	Answers, Rows int
	// SlotColumns are where the columns of a slot begin in it: tables, players,
	// steps, actions.
	SlotColumns [4]uint32
	// Columns are those of a frame, in the order of docs/local-transport.md.
	Columns []Column
	// Token is what a client knows the file by.
	Token [TokenSize]byte
}

// Column is a column of a frame.
type Column struct {
	// At is where it begins, from the start of the frame.
	At uint64
	// Bytes is the number of bytes of a row, 0 where there is no such column.
	Bytes int
}

func up(n uint64, to uint64) uint64 { return (n + to - 1) &^ (to - 1) }

// NewLayout returns the layout for so many tables and columns of so many bytes a
// row.
func NewLayout(tables int, bytes []int) *Layout {
	l := &Layout{Slots: Slots, Frames: Frames, Rows: tables + tables/4 + 64, SlotsAt: headerSize}
	if tables <= fewTables {
		l.Frames = FewFrames
	}
	l.Answers = max(4*tables, l.Rows)
	at := uint64(slotHeader)
	for i, n := range [...]int{4, 1, 4, 1} {
		l.SlotColumns[i] = uint32(at)
		at = up(at+uint64(n*l.Answers), align)
	}
	l.SlotSize = up(max(at, slotHeader+MinMessage), pageSize)
	l.FramesAt = l.SlotsAt + uint64(l.Slots)*l.SlotSize
	at = slotHeader
	for _, n := range bytes {
		l.Columns = append(l.Columns, Column{at, n})
		at = up(at+uint64(n*l.Rows), align)
	}
	l.FrameSize = up(max(at, slotHeader+MinMessage), pageSize)
	l.Size = l.FramesAt + uint64(l.Frames)*l.FrameSize
	return l
}

// write writes the header.
func (l *Layout) write(m []byte) {
	put32 := func(at int, n int) { binary.LittleEndian.PutUint32(m[at:], uint32(n)) }
	put64 := func(at int, n uint64) { binary.LittleEndian.PutUint64(m[at:], n) }
	copy(m[atMagic:], Magic)
	put32(atVersion, Version)
	put32(atColumnCount, len(l.Columns))
	copy(m[atToken:], l.Token[:])
	put64(atSize, l.Size)
	put32(atSlots, l.Slots)
	put32(atFrames, l.Frames)
	put64(atSlotsAt, l.SlotsAt)
	put64(atSlotSize, l.SlotSize)
	put64(atFramesAt, l.FramesAt)
	put64(atFrameSize, l.FrameSize)
	put32(atAnswers, l.Answers)
	put32(atRows, l.Rows)
	for i, at := range l.SlotColumns {
		put32(atSlotColumns+4*i, int(at))
	}
	for i, c := range l.Columns {
		put64(atColumns+columnSize*i, c.At)
		put32(atColumns+columnSize*i+8, c.Bytes)
	}
}

// read reads the header of a segment of a server.
func (l *Layout) read(m []byte, token []byte) error {
	get32 := func(at int) int { return int(binary.LittleEndian.Uint32(m[at:])) }
	get64 := func(at int) uint64 { return binary.LittleEndian.Uint64(m[at:]) }
	switch {
	case string(m[:len(Magic)]) != Magic:
		return errors.New("segment: the file is none of a server's")
	case get32(atVersion) != Version:
		return fmt.Errorf("segment: layout %d; this client knows %d", get32(atVersion), Version)
	case string(m[atToken:atToken+TokenSize]) != string(token):
		return errors.New("segment: the file is that of another stream")
	}
	l.Size, l.SlotsAt, l.SlotSize = get64(atSize), get64(atSlotsAt), get64(atSlotSize)
	l.Slots, l.Frames, l.FramesAt, l.FrameSize = get32(atSlots), get32(atFrames), get64(atFramesAt), get64(atFrameSize)
	l.Answers, l.Rows = get32(atAnswers), get32(atRows)
	for i := range l.SlotColumns {
		l.SlotColumns[i] = uint32(get32(atSlotColumns + 4*i))
	}
	for i := range get32(atColumnCount) {
		l.Columns = append(l.Columns, Column{get64(atColumns + columnSize*i), get32(atColumns + columnSize*i + 8)})
	}
	return nil
}

// Segment is memory that is mapped.
type Segment struct {
	// Layout is that of its memory, as it was when it was made or mapped.
	Layout
	memory []byte
	file   file
}

// word returns a number of the header that both sides read and write.
func (s *Segment) word(at int) *uint32 { return (*uint32)(unsafe.Pointer(&s.memory[at])) }

// Memory returns all of the segment.
func (s *Segment) Memory() []byte { return s.memory }

// Slot returns the slot of a request.
func (s *Segment) Slot(request uint32) Part {
	at := s.SlotsAt + uint64(int(request)%s.Slots)*s.SlotSize
	return Part{s.memory[at : at+s.SlotSize : at+s.SlotSize]}
}

// Frame returns a frame.
func (s *Segment) Frame(n int) Part {
	at := s.FramesAt + uint64(n)*s.FrameSize
	return Part{s.memory[at : at+s.FrameSize : at+s.FrameSize]}
}

// Answered returns column i of the answers in a slot: tables, players, steps,
// actions.
func (s *Segment) Answered(slot Part, i, rows int) []byte {
	size := [...]int{4, 1, 4, 1}[i]
	return slot.memory[s.SlotColumns[i]:][:size*rows]
}

// ColumnOf returns column i of a frame, empty and with room for all its rows.
func (s *Segment) ColumnOf(frame Part, i int) []byte {
	c := s.Columns[i]
	return frame.memory[c.At:][: 0 : c.Bytes*s.Rows]
}

// Part is a slot or a frame.
type Part struct{ memory []byte }

func (p Part) get(at int) uint32    { return binary.LittleEndian.Uint32(p.memory[at:]) }
func (p Part) put(at int, n uint32) { binary.LittleEndian.PutUint32(p.memory[at:], n) }

// Head is what a slot or frame begins with.
type Head struct {
	// Kind is one of the kinds of requests and answers.
	Kind uint32
	// Frame is where the answer to a request goes; Lasts is, of an answer, the
	// number of entries about last rows.
	Frame, Lasts uint32
	// Count is the number of rows, or of the bytes of a message.
	Count uint32
	// Of is the frame that AnswersTo answers; Flags are those of an answer.
	Of, Flags uint32
	// ID is the request_id of the protocol.
	ID uint64
}

// Request reads the head of a slot.
func (p Part) Request() Head {
	return Head{Kind: p.get(atKind), Frame: p.get(atFrame), Count: p.get(atCount), Of: p.get(atOf), ID: binary.LittleEndian.Uint64(p.memory[atID:])}
}

// SetRequest writes the head of a slot.
func (p Part) SetRequest(h Head) {
	p.put(atKind, h.Kind)
	p.put(atFrame, h.Frame)
	p.put(atCount, h.Count)
	p.put(atOf, h.Of)
	binary.LittleEndian.PutUint64(p.memory[atID:], h.ID)
}

// Response reads the head of a frame.
func (p Part) Response() Head {
	return Head{Kind: p.get(atKind), Lasts: p.get(atLasts), Count: p.get(atCount), Flags: p.get(atFlags), ID: binary.LittleEndian.Uint64(p.memory[atID:])}
}

// SetResponse writes the head of a frame.
func (p Part) SetResponse(h Head) {
	p.put(atKind, h.Kind)
	p.put(atLasts, h.Lasts)
	p.put(atCount, h.Count)
	p.put(atFlags, h.Flags)
	binary.LittleEndian.PutUint64(p.memory[atID:], h.ID)
}

// Text returns the place of a message, with room for the longest.
func (p Part) Text() []byte { return p.memory[slotHeader:] }

// SetSpin tells the client whether a processor is free for it to spin.
func (s *Segment) SetSpin(free bool) {
	n := uint32(0)
	if free {
		n = 1
	}
	if word := s.word(atSpin); atomic.LoadUint32(word) != n { // the client looks at it too
		atomic.StoreUint32(word, n)
	}
}

// End tells the client that nothing will be answered any more.
func (s *Segment) End() {
	atomic.StoreUint32(s.word(atEnded), 1)
	wake(s.word(atResponses))
}

// Processor returns the number of the processor on which the client last went to
// sleep, as it says, -1 if it does not.
func (s *Segment) Processor() int { return int(atomic.LoadUint32(s.word(atProcessor))) - 1 }

// Ended reports whether the server has said so.
func (s *Segment) Ended() bool { return atomic.LoadUint32(s.word(atEnded)) != 0 }

// Side is what one side of a segment writes and reads.
type Side struct {
	made, awaited *uint32 // what it writes, and waits for
	sleeps, other *uint32 // whether it is to be woken, and whether the other is
	processor     *uint32 // where it goes to sleep; nil if nobody asks
	spin          *uint32 // may it spin; nil asks the caller
}

// Server returns the server's side.
func (s *Segment) Server() Side {
	return Side{made: s.word(atResponses), awaited: s.word(atRequests), sleeps: s.word(atServerSleeps), other: s.word(atClientSleeps)}
}

// Client returns the client's side.
func (s *Segment) Client() Side {
	return Side{made: s.word(atRequests), awaited: s.word(atResponses), sleeps: s.word(atClientSleeps), other: s.word(atServerSleeps), processor: s.word(atProcessor), spin: s.word(atSpin)}
}

// MaySpin reports whether the server says that a processor is free to spin on.
func (s Side) MaySpin() bool { return s.spin != nil && atomic.LoadUint32(s.spin) != 0 }

// Publish tells the other side that n requests are made, or answered.
func (s Side) Publish(n uint32) {
	s.Show(n)
	s.Rouse()
}

// Show is Publish without Rouse, for a side that has more to do first.
func (s Side) Show(n uint32) { atomic.StoreUint32(s.made, n) }

// Rouse wakes the other side if it sleeps.
func (s Side) Rouse() {
	if atomic.LoadUint32(s.other) != 0 {
		wake(s.made)
	}
}

// Seen returns how many the other side has published.
func (s Side) Seen() uint32 { return atomic.LoadUint32(s.awaited) }

// Wake ends the side's own Wait.
func (s Side) Wake() { wake(s.awaited) }

// spinTime is how long a side may look again and again before it sleeps.
const spinTime = 50 * time.Microsecond

// Wait waits until the other side has published something other than n, but no
// longer than limit. It may return sooner.
func (s Side) Wait(n uint32, spin bool, limit time.Duration) {
	if spin {
		for begin := time.Now(); time.Since(begin) < spinTime; {
			for range 64 {
				if s.Seen() != n {
					return
				}
			}
		}
	}
	if s.processor != nil {
		atomic.StoreUint32(s.processor, uint32(processor()+1))
	}
	atomic.StoreUint32(s.sleeps, 1)
	if s.Seen() == n {
		sleep(s.awaited, n, limit)
	}
	atomic.StoreUint32(s.sleeps, 0)
}
