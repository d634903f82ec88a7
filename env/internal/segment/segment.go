// Package segment is memory that a server and a client on one machine share: its layout,
// how it is made and found, and how one side waits for the other. The page
// docs/local-transport.md has the layout for other languages.
//
// The client writes requests into slots. The server writes the answer to each into the
// frame that the request names. Requests and answers are numbered from 0, and a counter
// of each is in the header. Neither side relies on what the other can write: it copies
// values before it checks them.
//
//	s, err := segment.Create(segment.NewLayout(tables, rowBytes)) // server
//	c, err := segment.Open(s.Path(), s.Size, s.Token[:])          // client
//	c.Slot(0).SetRequest(segment.Head{Kind: segment.Answers})
//	c.Client().Publish(1)
//	s.Server().Wait(0, false, time.Second)
//
// # How it begins
//
//  1. The client sends `Open` with `local = 1`, the version of this layout. With
//     `local_unpacked` each bit of an observation takes a byte in the memory, 0 or 1; it
//     pays at up to 32 tables.
//  2. `Opened.local` has a `path`, a `size` and a `token`, or in `refused` the reason why
//     there is none. It is another version, asynchronous tables, a connection that may come
//     from another machine, `--max-shared` or the part of it of one address, no memory, or
//     no Linux.
//  3. The first `Batch` comes over the stream as always.
//  4. The client opens the path for reading and writing, checks that the file has `size`
//     bytes and that its header repeats the token, maps it, and sends `Attach`, which is
//     answered by `Done`. From then on requests are made in the memory. A client that cannot
//     map it goes on with the stream and sends nothing.
//
// The path is `/proc/PID/fd/N`, a file in memory (`memfd_create`) that only the user of the
// server can open, and no client after `Attach`. It is gone when both sides have ended, however
// they ended.
//
//   - Its size is sealed and its memory is allocated at once. A client can still free pages
//     of its own segment; the server's next write allocates them again, and fails with
//     SIGBUS when no memory is left. Share memory with trusted clients alone.
//   - In a container with processes of its own the path leads to another file or none. Check
//     that it is a link to `/memfd:sparrowhall…` before opening it.
//
// # Header
//
// All numbers are little endian. The header takes 4,096 bytes:
//
//   - 0, 8 bytes: `hall_shm`
//   - 8, uint32: version, 1
//   - 12, uint32: number of columns
//   - 16, 16 bytes: token
//   - 32, uint64: size of the file
//   - 40, 44, uint32: number of slots and of frames
//   - 48, 56, uint64: where the first slot begins, and the size of a slot
//   - 64, 72, uint64: where the first frame begins, and the size of a frame
//   - 80, 84, uint32: rows of a slot and of a frame
//   - 88, 4 × uint32: where the columns of a slot begin in it: table, player, step, action
//   - 256, 16 bytes each: columns of a frame: uint64 where it begins in the frame, uint32 bytes
//     a row (0: there is none)
//   - 2048, uint32: requests made; written by the client
//   - 2112, uint32: requests answered; written by the server
//   - 2176, uint32: not 0: the server sleeps until requests are made
//   - 2240, uint32: not 0: the client sleeps until requests are answered; written by the client
//   - 2244, uint32: the number of the processor on which the client last went to sleep, plus
//     one; 0 if it does not say; written by the client
//   - 2304, uint32: not 0: a processor is free for the client to spin on
//   - 2368, uint32: not 0: the server answers no more
//
// The columns of a frame are those of `Batch`, in this order: table, player, step, flags,
// reward, owed, mask, last_row, last_points, last_rank, last_placement, last_seed,
// last_shared_rank, then the tensors of the observation. Each begins at a multiple of 64. A
// mask takes 24 bytes, the last of which is 0.
//
// # Slots
//
// A slot is one request. Request number n, counted from 0, goes into slot n modulo the number
// of slots; so many may be under way.
//
//   - 0, uint32: kind: 1 answers, 2 answers to a frame, 4 message, 5 elsewhere
//   - 4, uint32: the frame that the answer shall go into, chosen by the client
//   - 8, uint32: rows of 1 and 2, bytes of 4
//   - 12, uint32: the frame that 2 answers
//   - 16, uint64: request_id
//   - 64: the columns of 1; the message of 4
//
// Its kinds:
//
//   - 1: an `Act`
//   - 2: an `Act` whose tables, players and steps are those of a frame: only the column of
//     actions is written, an action for each row; those without `ROW_FLAG_ASKED` are passed
//     over
//   - 4: a `PlayRequest` as protobuf writes it
//   - 5: the next request is in the stream, since it is too long
//
// # Frames
//
// A frame is one answer. It belongs to the client until the client names it in another request,
// so the client decides for how long a batch is valid. With kind 5 the answer is the next
// message of the stream.
//
//   - 0, uint32: kind: 3 batch, 4 message, 5 elsewhere
//   - 4, uint32: last rows of the batch
//   - 8, uint32: rows of the batch, bytes of the message
//   - 12, uint32: 1: the server is about to stop
//   - 16, uint64: request_id
//   - 64: the message of 4, a `PlayResponse`
//
// # Waiting
//
// To make a request, write the slot, add one to the requests made with release order, and call
// `futex(FUTEX_WAKE)` on that word if the server sleeps.
//
// To wait for an answer, compare the requests answered with the number taken so far, with
// acquire order. To sleep:
//
//  1. Write the number of the processor into the word at 2244 if it is easy to learn
//     (`sched_getcpu`).
//  2. Set the word at 2240, and compare once more.
//  3. Call `futex(FUTEX_WAIT)` for at most 100 ms.
//  4. Check that the stream is still there and the word at 2368 still 0, and begin again.
//
// The futexes are shared between processes (not `FUTEX_PRIVATE_FLAG`). If the word at 2304 is
// not 0, look at the counter for up to 50 µs before sleeping, after a request of at most 32
// rows.
//
// Answers come in the order of the requests. The server begins a request while earlier ones are
// in play if it is about other tables: keep two or more halves of your tables under way.
//
// # When it goes wrong
//
//   - the client dies: the stream ends, the server gives the memory back at once
//   - the server dies: the client sees it after 100 ms at most, by the stream; the memory is
//     gone with the client's mapping
//   - the server stops (`--drain`): batches have the flag 1
//   - no memory, another platform, another container: `refused`, or the client does not
//     attach; the stream goes on
//   - requests too many, a frame or kind that is none: the stream ends with
//     `INVALID_ARGUMENT`
//   - rows too many, illegal actions, wrong steps: an `Error` as over the stream, nothing
//     has changed
//
// The server copies a request before it looks at it, and relies on nothing that the client can
// write.
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

// Magic is the first bytes of a segment.
const Magic = "hall_shm"

// header is the first bytes of a segment, in little endian. The fields are those of Layout.
type header struct {
	Magic                                  [len(Magic)]byte
	Version, ColumnCount                   uint32
	Token                                  [TokenSize]byte
	Size                                   uint64
	Slots, Frames                          uint32
	SlotsAt, SlotSize, FramesAt, FrameSize uint64
	Answers, Rows                          uint32
	SlotColumns                            [4]uint32
}

// columnEntry is an entry of the table of columns.
type columnEntry struct {
	At       uint64
	Bytes, _ uint32
}

// Offsets in the header.
const (
	atColumns  = 256 // table of columns
	columnSize = 16  // of an entry

	// Words that change, each in a cache line of its own.
	atRequests     = 2048 // requests made
	atResponses    = 2112 // requests answered
	atServerSleeps = 2176 // not 0: the server must be woken
	atClientSleeps = 2240 // not 0: the client must be woken
	atProcessor    = 2244 // the processor on which the client last went to sleep, plus 1
	atSpin         = 2304 // not 0: a processor is free for a client that spins
	atEnded        = 2368 // not 0: the server has ended

	headerSize = 4096
	align      = 64
)

// TokenSize is the number of bytes of the token.
const TokenSize = 16

// Kinds of requests and answers.
const (
	// Answers is a request with columns of tables, players, steps and actions.
	Answers = 1
	// AnswersTo is a request with a column of actions for the rows of a frame. Actions of
	// rows that are not asked are ignored.
	AnswersTo = 2
	// Batch is an answer with columns.
	Batch = 3
	// Message is a request or answer of the protocol, encoded by protobuf.
	Message = 4
	// Elsewhere is a request or answer in the stream, since it was too long.
	Elsewhere = 5
)

// Draining is the flag of an answer of a server that is about to stop.
const Draining = 1

// Offsets in slots and frames.
const (
	atKind     = 0
	atFrame    = 4  // of a slot: the frame for the answer
	atLasts    = 4  // of a frame: number of last rows
	atCount    = 8  // rows, or bytes of a message
	atAnswered = 12 // of a slot: the frame that is answered
	atFlags    = 12 // of a frame
	atID       = 16
	slotHeader = 64
	pageSize   = 4096
)

// Slots is the number of requests that may be under way. Frames is the number of answers
// under way or in use by the client. Segments of up to fewTables tables have FewFrames,
// since those are small: the client then seldom waits for a free frame.
const (
	Slots     = 8
	Frames    = 6
	FewFrames = 16
	fewTables = 32
)

// MinMessage is the length in bytes of a message that always fits.
const MinMessage = 16 << 10

// Layout is the sizes and offsets of a segment, in bytes.
type Layout struct {
	// Size is that of the segment.
	Size uint64
	// Slots and Frames are their numbers.
	Slots, Frames int
	// SlotsAt and FramesAt are the offsets of the first slot and frame.
	SlotsAt, FramesAt uint64
	// SlotSize and FrameSize are the sizes of one slot and frame.
	SlotSize, FrameSize uint64
	// Answers is the number of rows of a slot, Rows that of a frame.
	Answers, Rows int
	// SlotColumns are the offsets in a slot of its columns: tables, players, steps and
	// actions.
	SlotColumns [4]uint32
	// Columns are those of a frame, in the order of docs/local-transport.md.
	Columns []Column
	// Token identifies the segment to its client.
	Token [TokenSize]byte
}

// Column is a column of a frame.
type Column struct {
	// At is its offset in the frame.
	At uint64
	// Bytes is the size of a row, 0 for a column that does not exist.
	Bytes int
}

// slotColumnBytes are the sizes of a row in the columns of a slot: the numbers of table, player,
// step and action.
var slotColumnBytes = [...]int{4, 1, 4, 1}

// roundUp returns n rounded up to a multiple of a power of two.
func roundUp(n, to uint64) uint64 { return (n + to - 1) &^ (to - 1) }

// NewLayout returns the layout for a number of tables, given the size of a row in each
// column of a frame.
func NewLayout(tables int, bytes []int) *Layout {
	// A batch may have a row for each table and last rows besides. A quarter more, and 64 for few
	// tables, is enough for most; a longer answer goes by the stream.
	l := &Layout{Slots: Slots, Frames: Frames, Rows: tables + tables/4 + 64, SlotsAt: headerSize}
	if tables <= fewTables {
		l.Frames = FewFrames
	}
	l.Answers = max(4*tables, l.Rows) // all four players of a table may answer at once
	at := uint64(slotHeader)
	for i, n := range slotColumnBytes {
		l.SlotColumns[i] = uint32(at)
		at = roundUp(at+uint64(n*l.Answers), align)
	}
	// Whole pages, so that no slot shares one with a frame.
	l.SlotSize = roundUp(max(at, slotHeader+MinMessage), pageSize)
	l.FramesAt = l.SlotsAt + uint64(l.Slots)*l.SlotSize
	at = slotHeader
	for _, n := range bytes {
		l.Columns = append(l.Columns, Column{at, n})
		at = roundUp(at+uint64(n*l.Rows), align)
	}
	l.FrameSize = roundUp(max(at, slotHeader+MinMessage), pageSize)
	l.Size = l.FramesAt + uint64(l.Frames)*l.FrameSize
	return l
}

// write writes the layout into the header, for clients alone; see Read.
func (l *Layout) write(m []byte) error {
	h := header{
		Version: Version, ColumnCount: uint32(len(l.Columns)), Token: l.Token, Size: l.Size,
		Slots: uint32(l.Slots), Frames: uint32(l.Frames),
		SlotsAt: l.SlotsAt, SlotSize: l.SlotSize, FramesAt: l.FramesAt, FrameSize: l.FrameSize,
		Answers: uint32(l.Answers), Rows: uint32(l.Rows), SlotColumns: l.SlotColumns,
	}
	copy(h.Magic[:], Magic)
	_, err := binary.Encode(m, binary.LittleEndian, &h)
	for i, c := range l.Columns {
		if err == nil {
			_, err = binary.Encode(m[atColumns+columnSize*i:], binary.LittleEndian, columnEntry{At: c.At, Bytes: uint32(c.Bytes)})
		}
	}
	return err
}

// Read reads the layout from the header of a segment.
func (l *Layout) Read(m []byte) error {
	var h header
	if _, err := binary.Decode(m, binary.LittleEndian, &h); err != nil {
		return err
	}
	switch {
	case string(h.Magic[:]) != Magic:
		return errors.New("segment: the file is not a segment")
	case h.Version != Version:
		return fmt.Errorf("segment: layout %d; this client knows %d", h.Version, Version)
	// The table of columns ends where the counters begin.
	case h.ColumnCount > (atRequests-atColumns)/columnSize:
		return fmt.Errorf("segment: %d columns", h.ColumnCount)
	}
	// Only clients read the header: a server keeps its own Layout, as a client could change it.
	*l = Layout{
		Size: h.Size, Slots: int(h.Slots), Frames: int(h.Frames),
		SlotsAt: h.SlotsAt, SlotSize: h.SlotSize, FramesAt: h.FramesAt, FrameSize: h.FrameSize,
		Answers: int(h.Answers), Rows: int(h.Rows), SlotColumns: h.SlotColumns, Token: h.Token,
	}
	columns := make([]columnEntry, h.ColumnCount)
	if _, err := binary.Decode(m[atColumns:], binary.LittleEndian, columns); err != nil {
		return err
	}
	for _, c := range columns {
		l.Columns = append(l.Columns, Column{c.At, int(c.Bytes)})
	}
	return nil
}

// Segment is mapped memory. It must be closed.
type Segment struct {
	// Layout is a copy from when the memory was made or mapped.
	Layout Layout
	memory []byte
	file   file
}

// Over returns a segment in memory of the caller, which stays his: it is neither mapped
// nor unmapped, and has no path. The memory must have the size of the layout and be aligned
// to 8 bytes.
func Over(l *Layout, memory []byte) (*Segment, error) {
	if uint64(len(memory)) != l.Size {
		return nil, fmt.Errorf("segment: memory of %d bytes; the layout has %d", len(memory), l.Size)
	}
	return &Segment{Layout: *l, memory: memory}, l.write(memory)
}

// word returns a word of the header that both sides use.
func (s *Segment) word(at int) *uint32 { return (*uint32)(unsafe.Pointer(&s.memory[at])) }

// Memory returns the bytes of the segment.
func (s *Segment) Memory() []byte { return s.memory }

// Slot returns the slot of a request number.
func (s *Segment) Slot(request uint32) Part {
	// By the layout of this side and not by the header, which the other side can change. The third
	// index keeps an append to one part out of the next.
	at := s.Layout.SlotsAt + uint64(request%uint32(s.Layout.Slots))*s.Layout.SlotSize
	return Part{s.memory[at : at+s.Layout.SlotSize : at+s.Layout.SlotSize]}
}

// Frame returns a frame.
func (s *Segment) Frame(n int) Part {
	at := s.Layout.FramesAt + uint64(n)*s.Layout.FrameSize
	return Part{s.memory[at : at+s.Layout.FrameSize : at+s.Layout.FrameSize]}
}

// AnswerColumn returns column i of the answers in a slot: tables, players, steps or
// actions.
func (s *Segment) AnswerColumn(slot Part, i, rows int) []byte {
	return slot.memory[s.Layout.SlotColumns[i]:][:slotColumnBytes[i]*rows]
}

// ColumnOf returns column i of a frame, empty, with capacity for all rows.
func (s *Segment) ColumnOf(frame Part, i int) []byte {
	c := s.Layout.Columns[i]
	return frame.memory[c.At:][: 0 : c.Bytes*s.Layout.Rows]
}

// Part is a slot or a frame: a head, then columns or a message.
type Part struct{ memory []byte }

func (p Part) get(at int) uint32    { return binary.LittleEndian.Uint32(p.memory[at:]) }
func (p Part) put(at int, n uint32) { binary.LittleEndian.PutUint32(p.memory[at:], n) }

// Head is the head of a slot or frame.
type Head struct {
	// Kind is one of the kinds of requests and answers.
	Kind uint32
	// Frame is the frame for the answer to a request; Lasts is the number of last rows
	// of an answer.
	Frame, Lasts uint32
	// Count is the number of rows, or of the bytes of a message.
	Count uint32
	// Answered is the frame that AnswersTo answers; Flags are those of an answer.
	Answered, Flags uint32
	// ID is the request_id of the protocol.
	ID uint64
}

// Request reads the head of a slot.
func (p Part) Request() Head {
	return Head{Kind: p.get(atKind), Frame: p.get(atFrame), Count: p.get(atCount), Answered: p.get(atAnswered), ID: binary.LittleEndian.Uint64(p.memory[atID:])}
}

// SetRequest writes the head of a slot.
func (p Part) SetRequest(h Head) {
	// Not atomic: the counter that is published afterward orders these writes before the other
	// side's reads.
	p.put(atKind, h.Kind)
	p.put(atFrame, h.Frame)
	p.put(atCount, h.Count)
	p.put(atAnswered, h.Answered)
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

// Text returns the memory for a message.
func (p Part) Text() []byte { return p.memory[slotHeader:] }

// SetSpin sets whether a processor is free for the client to spin on.
func (s *Segment) SetSpin(free bool) {
	n := uint32(0)
	if free {
		n = 1
	}
	if word := s.word(atSpin); atomic.LoadUint32(word) != n { // spare the client's cache
		atomic.StoreUint32(word, n)
	}
}

// End marks the server as ended and wakes the client.
func (s *Segment) End() {
	// A client that is about to sleep misses this, since no counter changes. It looks again when
	// the limit of its Wait is over.
	atomic.StoreUint32(s.word(atEnded), 1)
	wake(s.word(atResponses))
}

// Processor returns the number of the processor on which the client last went to sleep,
// by its own account; -1 if it gives none.
func (s *Segment) Processor() int { return int(atomic.LoadUint32(s.word(atProcessor))) - 1 }

// Ended reports whether the server has ended.
func (s *Segment) Ended() bool { return atomic.LoadUint32(s.word(atEnded)) != 0 }

// Side is the words of the header that one side of a segment uses.
type Side struct {
	made, awaited *uint32 // counters that it writes and waits for
	sleeps, other *uint32 // whether it must be woken, and whether the other side must
	processor     *uint32 // where it went to sleep; nil for the server
	spin          *uint32 // whether it may spin; nil for the server
}

// Server returns the server's side.
func (s *Segment) Server() Side {
	return Side{made: s.word(atResponses), awaited: s.word(atRequests), sleeps: s.word(atServerSleeps), other: s.word(atClientSleeps)}
}

// Client returns the client's side.
func (s *Segment) Client() Side {
	return Side{made: s.word(atRequests), awaited: s.word(atResponses), sleeps: s.word(atClientSleeps), other: s.word(atServerSleeps), processor: s.word(atProcessor), spin: s.word(atSpin)}
}

// MaySpin reports whether a processor is free for the client to spin on.
func (s Side) MaySpin() bool { return s.spin != nil && atomic.LoadUint32(s.spin) != 0 }

// Publish sets the number of requests made, or answered, and wakes the other side.
func (s Side) Publish(n uint32) {
	s.PublishQuietly(n)
	s.WakeOther()
}

// PublishQuietly is Publish without waking the other side.
func (s Side) PublishQuietly(n uint32) { atomic.StoreUint32(s.made, n) }

// WakeOther wakes the other side if it sleeps.
func (s Side) WakeOther() {
	// A wake is a system call, and most of the time the other side is awake.
	if atomic.LoadUint32(s.other) != 0 {
		wake(s.made)
	}
}

// Seen returns the number that the other side has published.
func (s Side) Seen() uint32 { return atomic.LoadUint32(s.awaited) }

// WakeSelf ends the side's own Wait.
func (s Side) WakeSelf() { wake(s.awaited) }

// spinTime is how long a side spins before it sleeps.
const spinTime = 50 * time.Microsecond

// Wait waits until the other side has published a number other than n, at most for
// limit. It may return sooner. If spin is set it spins first.
func (s Side) Wait(n uint32, spin bool, limit time.Duration) {
	if spin {
		for begin := time.Now(); time.Since(begin) < spinTime; {
			// The clock is read once in 64 looks, since that takes longer than a look.
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
	// The mark is set before the counter is read again, and the other side sets its counter
	// before it reads the mark: one of the two sees the other, so no wake is lost. The futex
	// reads the counter once more.
	atomic.StoreUint32(s.sleeps, 1)
	if s.Seen() == n {
		sleep(s.awaited, n, limit)
	}
	atomic.StoreUint32(s.sleeps, 0)
}
