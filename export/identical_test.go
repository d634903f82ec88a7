package export

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Records of the same rows are identical in every column, and a change of a row is
// seen in the column that it changes alone.
func TestIdentical(t *testing.T) {
	columns := handColumns(inPoints, true)
	schema := arrow.NewSchema(fields(columns), nil)
	record := func(rows []HandRow) arrow.Record {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		writeRows(b, columns, rows)
		return b.NewRecord()
	}
	made := func() []HandRow {
		return []HandRow{
			{Match: 1, End: "exhausted", Giver: NoPlayer, Tenpai: [4]bool{true, false, true, false}, Actions: []byte{1, 2, 3}},
			{Match: 1, Hand: 1, End: "discard", Giver: 2, Wins: []Win{
				{Player: 1, Tile: "5m", Points: 3900, Patterns: []Pattern{{"riichi", 1}, {"tanyao", 1}}},
				{Player: 3, Tile: "5m", Points: 1000, Patterns: []Pattern{{"pinfu", 1}}},
			}, Debts: []Debt{{1, 2, 300, 1}}, Actions: []byte{9}},
			{Match: 2, End: "self_draw", Giver: NoPlayer, Wins: []Win{{Player: 0, Tile: "-"}}},
		}
	}
	stored := record(made())
	for c := range columns {
		if name := stored.ColumnName(c); !identical(stored.Column(c).Data(), record(made()).Column(c).Data()) {
			t.Errorf("column %s of the same rows is not identical", name)
		}
	}
	for column, change := range map[string]func(rows []HandRow){
		"match":    func(rows []HandRow) { rows[2].Match = 3 },
		"end":      func(rows []HandRow) { rows[1].End = "discord" },
		"giver":    func(rows []HandRow) { rows[1].Giver = NoPlayer },
		"wins":     func(rows []HandRow) { rows[1].Wins[0].Patterns[1].Value = 2 },
		"payments": func(rows []HandRow) { rows[0].Payments[3] = 1 },
		"debts":    func(rows []HandRow) { rows[1].Debts = nil },
		"tenpai":   func(rows []HandRow) { rows[0].Tenpai[3] = true },
		"actions":  func(rows []HandRow) { rows[0].Actions = []byte{1, 2} },
	} {
		rows := made()
		change(rows)
		changed := record(rows)
		for c := range columns {
			name := stored.ColumnName(c)
			if got := identical(stored.Column(c).Data(), changed.Column(c).Data()); got != (name != column) {
				t.Errorf("after a change of %s, column %s is identical: %v", column, name, got)
			}
		}
	}
	if rows := made()[:2]; identical(stored.Column(0).Data(), record(rows).Column(0).Data()) {
		t.Error("a column is identical to a shorter one")
	}
}
