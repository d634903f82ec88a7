package schema

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/sparrowhall/sparrowhall/internal/export/arrowfile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// decisionBuilder builds the records of table decisions a column at a time. There are so
// many decisions that appending value by value would take longer than playing.
type decisionBuilder struct {
	schema *arrow.Schema
	// ownRows is that of the bounds: a record of fewer rows is joined with others, so it keeps
	// its memory.
	ownRows int
	match   []uint64
	hand    []uint16
	index   []uint16
	player  []uint8
	legal   []byte
	action  []uint8
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

// take returns the rows as a record and removes them.
func (d *decisionBuilder) take() (r arrow.Record, bytes int) {
	n := len(d.match)
	columns := [...][]byte{
		arrow.Uint64Traits.CastToBytes(d.match),
		arrow.Uint16Traits.CastToBytes(d.hand),
		arrow.Uint16Traits.CastToBytes(d.index),
		d.player,
		d.legal,
		d.action,
	}
	r = arrowfile.MakeRecord(d.schema, int64(n), func(i int) arrow.ArrayData {
		return array.NewData(d.schema.Field(i).Type, n, []*memory.Buffer{nil, memory.NewBufferBytes(columns[i])}, nil, 0, 0)
	})
	if n < d.ownRows {
		*d = decisionBuilder{schema: d.schema, ownRows: d.ownRows}
	}
	d.match, d.hand, d.index = d.match[:0], d.hand[:0], d.index[:0]
	d.player, d.legal, d.action = d.player[:0], d.legal[:0], d.action[:0]
	return r, fixedBytes / 4 * n
}

// CheckActions returns an error if the dictionary of actions in a record of table decisions
// is not that of the action ids.
func CheckActions(r arrow.Record) error {
	words := r.Column(int(r.NumCols()) - 1).(*array.Dictionary).Dictionary().(*array.String)
	for i := range words.Len() {
		if i >= len(actionWords) || words.Value(i) != actionWords[i] {
			return fmt.Errorf("action %d is not %q", i, words.Value(i))
		}
	}
	return nil
}
