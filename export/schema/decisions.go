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
	agents  map[string]int32 // numbers of the agents' names
	match   []uint64
	// The columns from hand to turn have a place in this list.
	plain  [numPlain][]int32
	legal  []byte
	action []int32
	// At the next decision: the number of its events before, and of the discards among them.
	event, discards int
}

// Columns of a decisionBuilder.
const (
	colHand = iota
	colIndex
	colRuleset
	colPlayer
	colAgent
	colRound
	colDealer
	colCounter
	colTurn
	numPlain
)

// add adds the decisions i to end-1 of a match. They are of one hand, whose first decision
// is given.
func (d *decisionBuilder) add(m *sim.Match, h *HandRow, first, i, end int) {
	n := end - i
	seats := m.NumSeats()
	var agents [sim.NumPlayers]int32
	for p := range seats {
		agents[p] = d.agents[h.agent(uint8(p))]
	}
	match := grow(&d.match, n)
	for j := range match {
		match[j] = m.Index
	}
	var column [numPlain][]int32
	for c := range column {
		column[c] = grow(&d.plain[c], n)
	}
	fill(column[colHand], int32(h.Hand))
	fill(column[colRuleset], 0) // the one word of its dictionary
	fill(column[colRound], int32(h.Round))
	fill(column[colDealer], int32(h.Dealer))
	fill(column[colCounter], int32(h.Counter))
	if i == first {
		d.discards = 0
		d.event = m.Hands[h.Hand].FirstEvent
	}
	action := grow(&d.action, n)
	for j := range n {
		choice := &m.Choices[i+j]
		for ; d.event < int(choice.EventIndex); d.event++ {
			if m.Events[d.event].Type == sim.EvDiscard {
				d.discards++
			}
		}
		column[colIndex][j] = int32(i - first + j)
		column[colPlayer][j] = int32(choice.Player)
		column[colAgent][j] = agents[choice.Player&3]
		column[colTurn][j] = turnAfter(d.discards, seats)
		action[j] = int32(m.Actions[i+j])
	}
	d.legal = slices.Grow(d.legal, n*legalBytes+legalSlack)
	for j := range n {
		d.legal = appendLegal(d.legal, &m.Choices[i+j].Legal)
	}
}

// turnAfter returns the go-around that follows a number of discards.
func turnAfter(discards, seats int) int32 {
	if seats == 4 {
		return int32(discards/4) + 1 // a division by a constant is a shift
	}
	return int32(discards/3) + 1
}

func fill(column []int32, value int32) {
	for j := range column {
		column[j] = value
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
	columns := [][]byte{arrow.Uint64Traits.CastToBytes(d.match)}
	for _, c := range d.plain {
		columns = append(columns, arrow.Int32Traits.CastToBytes(c))
	}
	columns = append(columns, d.legal, arrow.Int32Traits.CastToBytes(d.action))
	r = arrowfile.MakeRecord(d.schema, int64(n), func(i int) arrow.ArrayData {
		return array.NewData(d.schema.Field(i).Type, n, []*memory.Buffer{nil, memory.NewBufferBytes(columns[i])}, nil, 0, 0)
	})
	if n < d.ownRows {
		*d = decisionBuilder{schema: d.schema, ownRows: d.ownRows, agents: d.agents, event: d.event, discards: d.discards}
	}
	d.match, d.legal, d.action = d.match[:0], d.legal[:0], d.action[:0]
	for c := range d.plain {
		d.plain[c] = d.plain[c][:0]
	}
	return r, decisionBytes * n
}

// decisionBytes is the size of a row of table decisions.
const decisionBytes = 8 + 4*(numPlain+1) + legalBytes

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
