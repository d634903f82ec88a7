package export

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/sparrowhall/sparrowhall/sim"
)

// storedDecisions compares the rows of table decisions of a block with matches where
// they stand, without making rows of the matches: there are so many that this would
// take as long as a fifth of the play. It says only whether all are the same.
type storedDecisions struct {
	batches []decisionColumnsOf
	// row is that of the first batch which comes next, rows the number of all.
	row  int
	rows int64
}

// decisionColumnsOf are the columns of rows of table decisions in a record batch.
type decisionColumnsOf struct {
	match                 []uint64
	hand, index           []uint16
	player, legal, action []byte
}

// open begins with the first row of a block. It reports whether the rows can be
// read and are such as can be compared, as those of this version are. They are valid
// until the block is released.
func (s *storedDecisions) open(b *storedBlock) bool {
	*s = storedDecisions{batches: s.batches[:0]}
	ok := true
	err := b.each(Decisions, func(r arrow.Record, _ int) error {
		for _, c := range r.Columns() {
			ok = ok && c.NullN() == 0
		}
		actions, numbered := r.Column(5).(*array.Dictionary)
		if ok = ok && numbered && actions.Dictionary().Len() == len(actionWords); !ok || r.NumRows() == 0 {
			return nil
		}
		s.rows += r.NumRows()
		legal := r.Column(4).Data()
		from, to := legal.Offset()*legalBytes, (legal.Offset()+legal.Len())*legalBytes
		s.batches = append(s.batches, decisionColumnsOf{
			match:  r.Column(0).(*array.Uint64).Uint64Values(),
			hand:   r.Column(1).(*array.Uint16).Uint16Values(),
			index:  r.Column(2).(*array.Uint16).Uint16Values(),
			player: r.Column(3).(*array.Uint8).Uint8Values(),
			legal:  legal.Buffers()[1].Bytes()[from:to],
			action: actions.Indices().(*array.Uint8).Uint8Values(),
		})
		return nil
	})
	return ok && err == nil
}

// next reports whether the next rows are the decisions of a match.
func (s *storedDecisions) next(m *sim.Match) bool {
	for hand, mark := range m.Hands {
		end := len(m.Actions)
		if hand+1 < len(m.Hands) {
			end = m.Hands[hand+1].Action
		}
		for i := mark.Action; i < end; {
			if len(s.batches) == 0 {
				return false
			}
			columns := &s.batches[0]
			n := min(end-i, len(columns.match)-s.row)
			if !columns.same(s.row, m, hand, i, n) {
				return false
			}
			i += n
			if s.row += n; s.row == len(columns.match) {
				s.batches, s.row = s.batches[1:], 0
			}
		}
	}
	return true
}

// same reports whether n rows are the answers of a hand from the i-th of the match on. It
// goes through a column at a time and looks at what is different at its end, so that
// nothing needs to be foretold.
func (c *decisionColumnsOf) same(row int, m *sim.Match, hand, i, n int) bool {
	var other uint64
	for _, v := range c.match[row:][:n] {
		other |= v ^ m.Index
	}
	for _, v := range c.hand[row:][:n] {
		other |= uint64(v ^ uint16(hand))
	}
	first := i - m.Hands[hand].Action
	for j, v := range c.index[row:][:n] {
		other |= uint64(v ^ uint16(first+j))
	}
	actions := m.Actions[i:][:n]
	for j, v := range c.action[row:][:n] {
		other |= uint64(v ^ uint8(actions[j]))
	}
	choices := m.Choices[i:][:n]
	players := c.player[row:][:n]
	legal := c.legal[row*legalBytes:][:n*legalBytes]
	for j := range choices {
		choice := &choices[j]
		other |= uint64(players[j] ^ uint8(choice.Player))
		l := legal[j*legalBytes:][:legalBytes]
		other |= binary.LittleEndian.Uint64(l) ^ choice.Legal[0]
		other |= binary.LittleEndian.Uint64(l[8:]) ^ choice.Legal[1]
		other |= binary.LittleEndian.Uint64(l[legalBytes-8:])>>(8*legalSlack) ^ choice.Legal[2]
	}
	return other == 0
}

// done reports whether all rows were compared.
func (s *storedDecisions) done() bool { return len(s.batches) == 0 }
