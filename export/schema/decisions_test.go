package schema

import (
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/arrowfile"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// playRandom plays matches of random players.
func playRandom(t *testing.T, n int) (*ruleset.Rules, []sim.Match) {
	t.Helper()
	rules, err := configs.Load("ema_2016")
	if err != nil {
		t.Fatal(err)
	}
	random, err := agents.New("random")
	if err != nil {
		t.Fatal(err)
	}
	matches := make([]sim.Match, n)
	for i := range matches {
		matches[i] = sim.Match{Index: uint64(i), Seed: uint64(i), Keep: sim.KeepChoices}
		matches[i].Play(rules, &[sim.NumPlayers]sim.Agent{random(), random(), random(), random()})
	}
	return rules, matches
}

// Decisions are compared however their rows are divided into batches, and a change of any
// column of any row is seen.
func TestDecisionComparer(t *testing.T) {
	rules, matches := playRandom(t, 8)
	for _, rows := range []int{100, 1 << 16} {
		l := NewLayout(rules, Options{Record: Decisions, Version: Version})
		l.Bounds.Rows, l.Bounds.OwnRows = rows, 1<<16 // records keep their memory
		words := l.Dictionaries(Decisions)
		var stored []arrow.Record
		b := NewBuilder(memory.DefaultAllocator, l, func(_ Table, r arrow.Record, _ int, _ bool) error {
			stored = append(stored, words.Record(r))
			return nil
		})
		for i := range matches {
			if err := b.AddDecisions(&matches[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Flush(Decisions, true); err != nil {
			t.Fatal(err)
		}
		total := int64(0)
		for _, r := range stored {
			total += r.NumRows()
		}
		// equal reports whether the matches equal the rows after a change of batch i.
		equal := func(i int, change func(c *decisionBatch, row int)) bool {
			var d DecisionComparer
			d.Reset()
			for _, r := range stored {
				if !d.Add(r) {
					t.Fatal("rows of this version cannot be compared")
				}
			}
			if d.Rows() != total || (len(d.batches) > 1) != (rows == 100) {
				t.Fatalf("%d rows in %d batches; there are %d", d.Rows(), len(d.batches), total)
			}
			c := &d.batches[i%len(d.batches)]
			c.match, c.hand, c.index = slices.Clone(c.match), slices.Clone(c.hand), slices.Clone(c.index)
			c.player, c.legal, c.action = slices.Clone(c.player), slices.Clone(c.legal), slices.Clone(c.action)
			change(c, 31*i%len(c.match))
			for k := range matches {
				if !d.Equal(&matches[k]) {
					return false
				}
			}
			return d.Done()
		}
		if !equal(0, func(*decisionBatch, int) {}) {
			t.Errorf("batches of %d rows: the decisions are not those of the matches", rows)
		}
		for column, change := range map[string]func(c *decisionBatch, row int){
			"match":       func(c *decisionBatch, row int) { c.match[row] += 1 << 40 },
			"hand":        func(c *decisionBatch, row int) { c.hand[row] ^= 1 },
			"index":       func(c *decisionBatch, row int) { c.index[row] ^= 1 << 15 },
			"player":      func(c *decisionBatch, row int) { c.player[row] ^= 4 },
			"first legal": func(c *decisionBatch, row int) { c.legal[row*legalBytes] ^= 1 },
			"next legal":  func(c *decisionBatch, row int) { c.legal[row*legalBytes+10] ^= 2 },
			"last legal":  func(c *decisionBatch, row int) { c.legal[(row+1)*legalBytes-1] ^= 128 },
			"action":      func(c *decisionBatch, row int) { c.action[row]++ },
			"no last row": func(c *decisionBatch, _ int) {
				n := len(c.match) - 1
				*c = decisionBatch{c.match[:n], c.hand[:n], c.index[:n], c.player[:n], c.legal[:n*legalBytes], c.action[:n]}
			},
			"a further row": func(c *decisionBatch, _ int) {
				*c = decisionBatch{append(c.match, 8), append(c.hand, 0), append(c.index, 0), append(c.player, 0), append(c.legal, make([]byte, legalBytes)...), append(c.action, 0)}
			},
		} {
			for _, i := range []int{0, 1, 7} {
				if equal(i, change) {
					t.Errorf("batches of %d rows, a change of %s in batch %d is not seen", rows, column, i)
				}
			}
		}
	}
}

// The builders of the Arrow library are the oracle of the builder of decisions.
func TestDecisionBuilder(t *testing.T) {
	rules, matches := playRandom(t, 3)
	l := NewLayout(rules, Options{Record: Decisions, Version: Version})
	var got arrow.Record
	fast := NewBuilder(memory.DefaultAllocator, l, func(_ Table, r arrow.Record, _ int, _ bool) error {
		got = r
		r.Retain()
		return nil
	})
	slow := array.NewRecordBuilder(memory.DefaultAllocator, arrowfile.IndexSchema(l.Schema(Decisions)))
	for i := range matches {
		m := &matches[i]
		if err := fast.AddDecisions(m); err != nil {
			t.Fatal(err)
		}
		var rows []DecisionRow
		for h, mark := range m.Hands {
			end := len(m.Actions)
			if h+1 < len(m.Hands) {
				end = m.Hands[h+1].FirstAction
			}
			for i := mark.FirstAction; i < end; i++ {
				c := m.Choices[i]
				rows = append(rows, DecisionRow{m.Index, uint16(h), uint16(i - mark.FirstAction), uint8(c.Player), c.Legal, m.Actions[i]})
			}
		}
		l.Decisions.write(slow, rows)
	}
	want := slow.NewRecord()
	if err := fast.Flush(Decisions, true); err != nil {
		t.Fatal(err)
	}
	defer want.Release()
	defer got.Release()
	if !array.RecordEqual(want, got) || got.NumRows() == 0 {
		t.Errorf("%d rows, want %d:\n%v\n%v", got.NumRows(), want.NumRows(), got, want)
	}
}
