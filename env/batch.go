package env

import (
	"encoding/binary"
	"slices"
	"time"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// The columns of a batch. The tensors of the observation come after them.
const (
	colTable = iota
	colPlayer
	colStep
	colFlags
	colReward
	colOwed
	colMask
	colLastRow
	colLastPoints
	colLastRank
	colLastPlacement
	colLastSeed
	numColumns
)

// Field numbers of PlayResponse and Batch.
const (
	fieldRequestID   = 1
	fieldBatch       = 3
	fieldRows        = 1
	fieldObservation = 9
	fieldDraining    = 15
)

// A mask is kept as three words, of which the wire has the bytes that are in use.
const (
	maskBytes     = 24
	wireMaskBytes = (sim.NumActions + 7) / 8
)

// columnBytes returns how many bytes a row has in each column of a frame, 0 where
// the rules have no use for it.
func (s *setup) columnBytes(unpacked bool) []int {
	list := []int{
		colTable: 4, colPlayer: 1, colStep: 4, colFlags: 1, colReward: 4, colOwed: 0, colMask: maskBytes,
		colLastRow: 4, colLastPoints: 4, colLastRank: 1, colLastPlacement: 4, colLastSeed: 8,
	}
	if s.debts {
		list[colOwed] = 4
	}
	if s.spec != nil {
		for i := range s.spec.Tensors {
			size := s.spec.Tensors[i].Size()
			if unpacked {
				size = s.spec.Tensors[i].UnpackedSize()
			}
			list = append(list, size)
		}
	}
	return list
}

// columnFields are the field numbers of the columns.
var columnFields = [numColumns]protowire.Number{2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14}

// fieldOf returns the field number of column c.
func fieldOf(c int) protowire.Number {
	if c < numColumns {
		return columnFields[c]
	}
	return fieldObservation
}

// piece is the rows of some tables, written by one worker: a part of a batch. The
// row numbers in its last-row column count from its own first row.
type piece struct {
	tables  []uint32
	round   *round // nil in asynchronous mode
	order   int    // its place in the round
	rows    int
	asked   int // rows to be answered
	took    time.Duration
	columns [][]byte
	own     [][]byte // the memory of the columns unless bound
	bound   bool     // the columns lie in memory shared with the client
	failed  any      // what a worker panicked with
}

func newPiece(spec *observe.Spec) *piece {
	n := numColumns
	if spec != nil {
		n += len(spec.Tensors)
	}
	return &piece{columns: make([][]byte, n), own: make([][]byte, n)}
}

// lasts returns the number of last rows.
func (p *piece) lasts() int { return len(p.columns[colLastRow]) / 4 }

// unbind gives the piece columns of its own again, with the same content as the
// stream would have it.
func (p *piece) unbind(s *setup) {
	for i, c := range p.columns {
		if p.bound {
			p.columns[i] = append(p.own[i][:0], c...)
		}
		if i >= numColumns && s.unpacked {
			p.columns[i] = s.spec.Tensors[i-numColumns].AppendPacked(nil, p.columns[i])
		}
	}
	p.bound = false
}

// clear empties the piece and keeps its memory.
func (p *piece) clear() {
	p.tables, p.rows, p.asked, p.failed = p.tables[:0], 0, 0, nil
	p.round = nil
	if !p.bound {
		copy(p.own, p.columns)
	}
	p.bound = false
	for i := range p.columns {
		p.columns[i] = p.own[i][:0]
	}
}

// last is how an episode has ended for one player.
type last struct {
	points    int32
	rank      uint8
	placement ruleset.Placement
	seed      uint64
}

// addLast notes that the row to be added next is the last of an episode.
func (p *piece) addLast(l last) {
	c := p.columns
	c[colLastRow] = binary.LittleEndian.AppendUint32(c[colLastRow], uint32(p.rows))
	c[colLastPoints] = appendInt32(c[colLastPoints], l.points)
	c[colLastRank] = append(c[colLastRank], l.rank)
	c[colLastPlacement] = appendInt32(c[colLastPlacement], int32(l.placement))
	c[colLastSeed] = binary.LittleEndian.AppendUint64(c[colLastSeed], l.seed)
}

// row is one row of a batch without its mask and observation.
type row struct {
	table  uint32
	player sim.Player
	step   uint32
	flags  envv1.RowFlag
	reward int32
	owed   int32
}

// add adds a row but for the observation.
func (p *piece) add(r *row, legal *sim.ActionSet, debts bool) {
	c := p.columns
	c[colTable] = binary.LittleEndian.AppendUint32(c[colTable], r.table)
	c[colPlayer] = append(c[colPlayer], uint8(r.player))
	c[colStep] = binary.LittleEndian.AppendUint32(c[colStep], r.step)
	c[colFlags] = append(c[colFlags], uint8(r.flags))
	c[colReward] = appendInt32(c[colReward], r.reward)
	if debts {
		c[colOwed] = appendInt32(c[colOwed], r.owed)
	}
	for _, word := range legal {
		c[colMask] = appendUint64(c[colMask], word)
	}
	p.rows++
}

// batch is a PlayResponse with a Batch, not yet put together.
type batch struct {
	id       uint64
	pieces   []*piece
	round    *round // whose they are, nil in asynchronous mode
	tensors  int
	draining bool
	free     chan<- *piece
	// turns are those of the client for whom it is put together.
	turns  *turns
	client string
}

// release gives the pieces back once the batch has been written.
func (b *batch) release() {
	for _, p := range b.pieces {
		p.clear()
		select {
		case b.free <- p:
		default:
		}
	}
}

// size returns the number of bytes of the Batch and its number of rows.
func (b *batch) size() (size, rows int) {
	for _, p := range b.pieces {
		rows += p.rows
	}
	if rows > 0 {
		size += protowire.SizeTag(fieldRows) + protowire.SizeVarint(uint64(rows))
	}
	for c := range numColumns + b.tensors {
		if n := b.columnSize(c); n > 0 || c >= numColumns {
			size += protowire.SizeTag(fieldOf(c)) + protowire.SizeBytes(n)
		}
	}
	if b.draining {
		size += protowire.SizeTag(fieldDraining) + 1
	}
	return size, rows
}

func (b *batch) columnSize(c int) (n int) {
	for _, p := range b.pieces {
		n += len(p.columns[c])
	}
	if c == colMask {
		n = n / maskBytes * wireMaskBytes
	}
	return n
}

// wireSize returns the number of bytes of the PlayResponse, and the size and rows
// of the Batch in it.
func (b *batch) wireSize() (total, size, rows int) {
	size, rows = b.size()
	total = protowire.SizeTag(fieldBatch) + protowire.SizeBytes(size)
	if b.id != 0 {
		total += protowire.SizeTag(fieldRequestID) + protowire.SizeVarint(b.id)
	}
	return total, size, rows
}

// appendWire appends the PlayResponse to dst: what package proto would write for
// it, gathered from the pieces without a copy in between.
func (b *batch) appendWire(dst []byte, size, rows int) []byte {
	if b.id != 0 {
		dst = protowire.AppendVarint(protowire.AppendTag(dst, fieldRequestID, protowire.VarintType), b.id)
	}
	dst = protowire.AppendTag(dst, fieldBatch, protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(size))
	if rows > 0 {
		dst = protowire.AppendVarint(protowire.AppendTag(dst, fieldRows, protowire.VarintType), uint64(rows))
	}
	// In the order of the field numbers: the observation stands among the columns.
	for c := range colLastRow {
		dst = b.appendColumn(dst, c)
	}
	for c := range b.tensors {
		dst = b.appendColumn(dst, numColumns+c)
	}
	for c := colLastRow; c < numColumns; c++ {
		dst = b.appendColumn(dst, c)
	}
	if b.draining {
		dst = protowire.AppendVarint(protowire.AppendTag(dst, fieldDraining, protowire.VarintType), 1)
	}
	return dst
}

func (b *batch) appendColumn(dst []byte, c int) []byte {
	n := b.columnSize(c)
	if n == 0 && c < numColumns {
		return dst
	}
	dst = protowire.AppendTag(dst, fieldOf(c), protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(n))
	first := 0
	for _, p := range b.pieces {
		switch c {
		case colLastRow:
			for i := range len(p.columns[c]) / 4 {
				dst = binary.LittleEndian.AppendUint32(dst, uint32(first)+uint32At(p.columns[c], i))
			}
		case colMask:
			for mask := range slices.Chunk(p.columns[c], maskBytes) {
				dst = append(dst, mask[:wireMaskBytes]...)
			}
		default:
			dst = append(dst, p.columns[c]...)
		}
		first += p.rows
	}
	return dst
}

// message is a request as it came, to be read by who receives it.
type message struct{ text []byte }

// codec is the protobuf codec, which also knows how to write a batch, and leaves
// a message as it is. It writes the answer to Describe once for all.
type codec struct {
	encoding.CodecV2
	describe  *envv1.DescribeResponse
	described mem.BufferSlice
}

func newCodec(describe *envv1.DescribeResponse) (codec, error) {
	c := codec{CodecV2: encoding.GetCodecV2(proto.Name), describe: describe}
	var err error
	c.described, err = c.CodecV2.Marshal(describe)
	c.described = mem.BufferSlice{mem.SliceBuffer(c.described.Materialize())} // which is freed by none
	return c, err
}

// Marshal implements encoding.CodecV2.
func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	b, ok := v.(*batch)
	if !ok && v == any(c.describe) {
		return c.described, nil
	}
	if !ok {
		return c.CodecV2.Marshal(v)
	}
	defer b.turns.begin(b.client).end()
	total, size, rows := b.wireSize()
	if mem.IsBelowBufferPoolingThreshold(total) {
		return mem.BufferSlice{mem.SliceBuffer(b.appendWire(make([]byte, 0, total), size, rows))}, nil
	}
	pool := mem.DefaultBufferPool()
	buf := pool.Get(total)
	*buf = b.appendWire((*buf)[:0], size, rows)
	return mem.BufferSlice{mem.NewBuffer(buf, pool)}, nil
}

// Unmarshal implements encoding.CodecV2.
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	if m, ok := v.(*message); ok {
		m.text = data.Materialize()
		return nil
	}
	return c.CodecV2.Unmarshal(data, v)
}
