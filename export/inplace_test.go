package export

import (
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/sim"
)

// The decisions of a block are compared where they stand, however its rows are divided
// into batches, and a change of any column of any row is seen.
func TestDecisionsInPlace(t *testing.T) {
	run := newRun(t, "ema_2016", Decisions)
	run.Agents, run.Matches = randomAgents, 8
	for _, rows := range []int{100, maxBatchRows} {
		d := bounded(t, t.TempDir(), run, 1, rows, 1<<30)
		p, err := d.openPart(0, d.layout.tables, false)
		if err != nil {
			t.Fatal(err)
		}
		defer p.close()
		b := p.block(0)
		defer b.release()
		logs, err := b.logs(nil)
		if err != nil {
			t.Fatal(err)
		}
		// same is what the comparison says after a change of the i-th batch, if it gets
		// as far as the end.
		same := func(i int, change func(c *decisionColumnsOf, row int)) bool {
			var s storedDecisions
			if !s.open(b) {
				t.Fatal("rows of this version are not compared in place")
			}
			if want := d.Manifest.Rows[Decisions]; s.rows != want || (len(s.batches) > 1) != (rows == 100) {
				t.Fatalf("%d rows in %d batches; there are %d", s.rows, len(s.batches), want)
			}
			c := &s.batches[i%len(s.batches)]
			c.match, c.hand, c.index = slices.Clone(c.match), slices.Clone(c.hand), slices.Clone(c.index)
			c.player, c.legal, c.action = slices.Clone(c.player), slices.Clone(c.legal), slices.Clone(c.action)
			change(c, 31*i%len(c.match))
			m := &sim.Match{Keep: sim.KeepChoices}
			for k := range logs {
				if err := b.replay(m, &logs[k], uint64(k)); err != nil {
					t.Fatal(err)
				}
				if !s.next(m) {
					return false
				}
			}
			return s.done()
		}
		if !same(0, func(*decisionColumnsOf, int) {}) {
			t.Errorf("batches of %d rows: the decisions are not those of the matches", rows)
		}
		for column, change := range map[string]func(c *decisionColumnsOf, row int){
			"match":       func(c *decisionColumnsOf, row int) { c.match[row] += 1 << 40 },
			"hand":        func(c *decisionColumnsOf, row int) { c.hand[row] ^= 1 },
			"index":       func(c *decisionColumnsOf, row int) { c.index[row] ^= 1 << 15 },
			"player":      func(c *decisionColumnsOf, row int) { c.player[row] ^= 4 },
			"first legal": func(c *decisionColumnsOf, row int) { c.legal[row*legalBytes] ^= 1 },
			"next legal":  func(c *decisionColumnsOf, row int) { c.legal[row*legalBytes+10] ^= 2 },
			"last legal":  func(c *decisionColumnsOf, row int) { c.legal[(row+1)*legalBytes-1] ^= 128 },
			"action":      func(c *decisionColumnsOf, row int) { c.action[row]++ },
			"no last row": func(c *decisionColumnsOf, _ int) {
				n := len(c.match) - 1
				*c = decisionColumnsOf{c.match[:n], c.hand[:n], c.index[:n], c.player[:n], c.legal[:n*legalBytes], c.action[:n]}
			},
			"a further row": func(c *decisionColumnsOf, _ int) {
				*c = decisionColumnsOf{append(c.match, 8), append(c.hand, 0), append(c.index, 0), append(c.player, 0), append(c.legal, make([]byte, legalBytes)...), append(c.action, 0)}
			},
		} {
			for _, i := range []int{0, 1, 7} {
				if same(i, change) {
					t.Errorf("batches of %d rows, a change of %s in batch %d is not seen", rows, column, i)
				}
			}
		}
	}
}
