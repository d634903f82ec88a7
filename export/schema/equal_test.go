package schema

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/sparrowhall/sparrowhall/internal/export/arrowfile"
)

// Records of the same rows are equal in every column, at any offset, and a change of a row
// shows in its column alone.
func TestEqual(t *testing.T) {
	l := newLayout(Options{Record: Hands, Ruleset: "a", Agents: []string{"b", "c"}}, 4, true, inPoints, []string{"pinfu", "riichi", "tanyao"})
	columns, words := l.Hands, l.Dictionaries(Hands)
	record := func(rows []HandRow) arrow.Record {
		b := array.NewRecordBuilder(memory.DefaultAllocator, arrowfile.IndexSchema(l.Schema(Hands)))
		columns.write(b, rows)
		return words.Record(b.NewRecord())
	}
	made := func() []HandRow {
		list := []HandRow{
			{Match: 1, End: "exhausted", Giver: NoPlayer, Tenpai: [4]bool{true, false, true, false}, Actions: []byte{1, 2, 3}},
			{Match: 1, Hand: 1, End: "discard", Giver: 2, Wins: []Win{
				{Player: 1, Tile: "5m", Points: 3900, Patterns: []Pattern{{"riichi", 1}, {"tanyao", 1}}},
				{Player: 3, Tile: "5m", Points: 1000, Patterns: []Pattern{{"pinfu", 1}}},
			}, Debts: []Debt{{1, 2, 300, 1}}, Actions: []byte{9}},
			{Match: 2, End: "self_draw", Giver: NoPlayer, Wins: []Win{{Player: 0, Tile: "-"}}, Dealt: [4]string{"19m", "", "5z", ""}},
		}
		for i := range list {
			list[i].Ruleset, list[i].Agent0, list[i].Agent1, list[i].Agent2 = "a", "b", "c", "b"
		}
		return list
	}
	stored := record(made())
	for c := range columns {
		name := stored.ColumnName(c)
		if a, b := stored.Column(c).Data(), record(made()).Column(c).Data(); !arrowfile.Equal(a, 0, b, 0, 3) {
			t.Errorf("column %s of the same rows is not equal", name)
		}
		for before := range 10 {
			rows := make([]HandRow, before)
			for i := range rows {
				rows[i] = made()[1]
			}
			later := record(append(rows, made()...)).Column(c).Data()
			if !arrowfile.Equal(stored.Column(c).Data(), 0, later, before, 3) || !arrowfile.Equal(later, before, stored.Column(c).Data(), 0, 3) {
				t.Errorf("column %s of the same rows after %d is not equal", name, before)
			}
		}
	}
	for column, change := range map[string]func(rows []HandRow){
		"match":    func(rows []HandRow) { rows[2].Match = 3 },
		"end":      func(rows []HandRow) { rows[1].End = "rob" },
		"giver":    func(rows []HandRow) { rows[1].Giver = NoPlayer },
		"wins":     func(rows []HandRow) { rows[1].Wins[0].Patterns[1].Value = 2 },
		"payments": func(rows []HandRow) { rows[0].Payments[3] = 1 },
		"debts":    func(rows []HandRow) { rows[1].Debts = nil },
		"tenpai":   func(rows []HandRow) { rows[0].Tenpai[3] = true },
		"dealt":    func(rows []HandRow) { rows[2].Dealt[1] = "1m" },
		"actions":  func(rows []HandRow) { rows[0].Actions = []byte{1, 2} },
	} {
		rows := made()
		change(rows)
		changed := record(rows)
		for c := range columns {
			name := stored.ColumnName(c)
			if got := arrowfile.Equal(stored.Column(c).Data(), 0, changed.Column(c).Data(), 0, 3); got != (name != column) {
				t.Errorf("after a change of %s, column %s is equal: %v", column, name, got)
			}
		}
	}
	// Other dictionaries with the same words, in another order.
	other := newLayout(Options{Record: Hands, Ruleset: "a", Agents: []string{"a", "b", "c"}}, 4, true, inPoints, []string{"tanyao", "pinfu", "riichi", "chinitsu"})
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrowfile.IndexSchema(other.Schema(Hands)))
	other.Hands.write(b, made())
	reordered := other.Dictionaries(Hands).Record(b.NewRecord())
	for c := range columns {
		if !arrowfile.Equal(stored.Column(c).Data(), 0, reordered.Column(c).Data(), 0, 3) {
			t.Errorf("column %s is not equal with other dictionaries", stored.ColumnName(c))
		}
	}
}
