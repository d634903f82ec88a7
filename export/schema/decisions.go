package schema

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/sparrowhall/sparrowhall/sim"
)

// decisionBuilder builds the records of table decisions a column at a time. There are so
// many decisions that appending value by value would take longer than playing.
type decisionBuilder struct {
	schema *arrow.Schema
	match  []uint64
	hand   []uint16
	index  []uint16
	player []uint8
	legal  []byte
	action []uint8
}

// add adds the decisions i to end-1 of a match. They are of one hand, whose first decision
// is given.
func (d *decisionBuilder) add(m *sim.Match, hand, first, i, end int) {
	n := end - i
	match, hands, index := grow(&d.match, n), grow(&d.hand, n), grow(&d.index, n)
	for j := range match {
		match[j] = m.Index
	}
	for j := range hands {
		hands[j] = uint16(hand)
	}
	for j := range index {
		index[j] = uint16(i - first + j)
	}
	player, action := grow(&d.player, n), grow(&d.action, n)
	for j := range player {
		player[j] = uint8(m.Choices[i+j].Player)
	}
	for j := range action {
		action[j] = uint8(m.Actions[i+j])
	}
	d.legal = slices.Grow(d.legal, n*legalBytes+legalSlack)
	for j := range n {
		d.legal = appendLegal(d.legal, &m.Choices[i+j].Legal)
	}
}

// grow appends n elements to a column and returns them.
func grow[T any](column *[]T, n int) []T {
	*column = slices.Grow(*column, n)
	begin := len(*column)
	*column = (*column)[:begin+n]
	return (*column)[begin:]
}

// take returns the rows as a record and removes them. A record of fewer rows than ownRows
// keeps its memory, since it may be retained.
func (d *decisionBuilder) take(ownRows int) (r arrow.Record, bytes int) {
	n := len(d.match)
	columns := [...][]byte{
		arrow.Uint64Traits.CastToBytes(d.match),
		arrow.Uint16Traits.CastToBytes(d.hand),
		arrow.Uint16Traits.CastToBytes(d.index),
		d.player,
		d.legal,
		d.action,
	}
	arrays := make([]arrow.Array, len(columns))
	for i, bytes := range columns {
		data := array.NewData(d.schema.Field(i).Type, n, []*memory.Buffer{nil, memory.NewBufferBytes(bytes)}, nil, 0, 0)
		arrays[i] = array.MakeFromData(data)
		data.Release()
	}
	r = array.NewRecord(d.schema, arrays, int64(n))
	for _, a := range arrays {
		a.Release()
	}
	if n < ownRows {
		*d = decisionBuilder{schema: d.schema}
	}
	d.match, d.hand, d.index = d.match[:0], d.hand[:0], d.index[:0]
	d.player, d.legal, d.action = d.player[:0], d.legal[:0], d.action[:0]
	return r, fixedBytes / 4 * n
}

// DecisionComparer compares stored rows of table decisions with replayed matches without
// making rows of the matches, which would take a fifth of the time of playing them. It
// reports only whether all are equal.
type DecisionComparer struct {
	batches []decisionBatch
	next    int // the next row, of the first batch
	rows    int64
}

// decisionBatch is the columns of a record of table decisions.
type decisionBatch struct {
	match                 []uint64
	hand, index           []uint16
	player, legal, action []byte
}

// Reset removes the stored rows.
func (d *DecisionComparer) Reset() { *d = DecisionComparer{batches: d.batches[:0]} }

// Add adds stored rows, which must stay valid, and reports whether they can be compared:
// only those of the current version can.
func (d *DecisionComparer) Add(r arrow.Record) bool {
	for _, c := range r.Columns() {
		if c.NullN() != 0 {
			return false
		}
	}
	actions, ok := r.Column(5).(*array.Dictionary)
	if !ok || actions.Dictionary().Len() != len(actionWords) {
		return false
	}
	if r.NumRows() == 0 {
		return true
	}
	d.rows += r.NumRows()
	legal := r.Column(4).Data()
	from, to := legal.Offset()*legalBytes, (legal.Offset()+legal.Len())*legalBytes
	d.batches = append(d.batches, decisionBatch{
		match:  r.Column(0).(*array.Uint64).Uint64Values(),
		hand:   r.Column(1).(*array.Uint16).Uint16Values(),
		index:  r.Column(2).(*array.Uint16).Uint16Values(),
		player: r.Column(3).(*array.Uint8).Uint8Values(),
		legal:  legal.Buffers()[1].Bytes()[from:to],
		action: actions.Indices().(*array.Uint8).Uint8Values(),
	})
	return true
}

// Rows returns the number of stored rows.
func (d *DecisionComparer) Rows() int64 { return d.rows }

// Equal reports whether the next stored rows are the decisions of a match, which kept its
// choices.
func (d *DecisionComparer) Equal(m *sim.Match) bool {
	for hand, mark := range m.Hands {
		end := len(m.Actions)
		if hand+1 < len(m.Hands) {
			end = m.Hands[hand+1].FirstAction
		}
		for i := mark.FirstAction; i < end; {
			if len(d.batches) == 0 {
				return false
			}
			batch := &d.batches[0]
			n := min(end-i, len(batch.match)-d.next)
			if !batch.equal(d.next, m, hand, i, n) {
				return false
			}
			i += n
			if d.next += n; d.next == len(batch.match) {
				d.batches, d.next = d.batches[1:], 0
			}
		}
	}
	return true
}

// equal reports whether n rows are the decisions of a hand, from decision i of the match
// on. It ORs the differences of a column at a time, without branches.
func (b *decisionBatch) equal(row int, m *sim.Match, hand, i, n int) bool {
	var diff uint64
	for _, v := range b.match[row:][:n] {
		diff |= v ^ m.Index
	}
	for _, v := range b.hand[row:][:n] {
		diff |= uint64(v ^ uint16(hand))
	}
	first := i - m.Hands[hand].FirstAction
	for j, v := range b.index[row:][:n] {
		diff |= uint64(v ^ uint16(first+j))
	}
	actions := m.Actions[i:][:n]
	for j, v := range b.action[row:][:n] {
		diff |= uint64(v ^ uint8(actions[j]))
	}
	choices := m.Choices[i:][:n]
	players := b.player[row:][:n]
	legal := b.legal[row*legalBytes:][:n*legalBytes]
	for j := range choices {
		choice := &choices[j]
		diff |= uint64(players[j] ^ uint8(choice.Player))
		l := legal[j*legalBytes:][:legalBytes]
		diff |= binary.LittleEndian.Uint64(l) ^ choice.Legal[0]
		diff |= binary.LittleEndian.Uint64(l[8:]) ^ choice.Legal[1]
		diff |= binary.LittleEndian.Uint64(l[legalBytes-8:])>>(8*legalSlack) ^ choice.Legal[2]
	}
	return diff == 0
}

// Done reports whether all stored rows have been compared.
func (d *DecisionComparer) Done() bool { return len(d.batches) == 0 }

// CheckActions returns an error if the dictionary of actions in a record of table decisions
// is not that of the action ids.
func CheckActions(r arrow.Record) error {
	d, ok := r.Column(int(r.NumCols()) - 1).(*array.Dictionary)
	if !ok {
		return nil // of an earlier version
	}
	words := d.Dictionary().(*array.String)
	for i := range words.Len() {
		if i >= len(actionWords) || words.Value(i) != actionWords[i] {
			return fmt.Errorf("action %d is not %q", i, words.Value(i))
		}
	}
	return nil
}
