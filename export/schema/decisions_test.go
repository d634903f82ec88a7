package schema

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/export/arrowfile"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

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

// The builders of the Arrow library are the oracle of the builder of decisions.
func TestDecisionBuilder(t *testing.T) {
	rules, matches := playRandom(t, 3)
	names := []string{"a", "random", "a", "b"}
	l := NewLayout(rules, Options{Record: Decisions, Ruleset: "ema_2016", Agents: names})
	maker := NewMaker(rules, MakerOptions{Ruleset: "ema_2016", Agents: names})
	var got arrow.Record
	fast := NewBuilder(memory.DefaultAllocator, l, func(_ Table, r arrow.Record, _ int, _ bool) error {
		got = r
		r.Retain()
		return nil
	})
	slow := array.NewRecordBuilder(memory.DefaultAllocator, arrowfile.IndexSchema(l.Schema(Decisions)))
	for i := range matches {
		m := &matches[i]
		m.Agents = [sim.NumPlayers]uint8{3, 0, 1, 2}
		if err := maker.Read(m); err != nil {
			t.Fatal(err)
		}
		if err := fast.AddDecisions(maker, m); err != nil {
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
				row := DecisionRow{
					Match: m.Index, Hand: uint16(h), Index: uint16(i - mark.FirstAction), Ruleset: "ema_2016",
					Player: uint8(c.Player), Agent: names[m.Agents[c.Player]], Turn: 1, Legal: c.Legal, Action: m.Actions[i],
				}
				discards := 0
				for _, e := range m.Events[mark.FirstEvent:c.EventIndex] {
					switch e.Type {
					case sim.EvHandStart:
						round, _, counter, _ := e.HandStart()
						row.Round, row.Dealer, row.Counter = uint8(round), uint8(e.Player), uint16(counter)
					case sim.EvDiscard:
						discards++
						row.Turn = uint8(1 + discards/4)
					}
				}
				rows = append(rows, row)
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
