package sim_test

import (
	"reflect"
	"testing"

	"github.com/sparrowhall/sparrowhall/sim"
)

// tableSize is the size of a Table in bytes on 64-bit machines. Searches copy
// tables by the million: let it grow only for a reason.
const tableSize = 1896

// TestTableIsAValue checks that a copy of a Table is a snapshot: nothing in it
// points to anything but the rules.
func TestTableIsAValue(t *testing.T) {
	typ := reflect.TypeFor[sim.Table]()
	if size := typ.Size(); size != tableSize && reflect.TypeFor[int]().Size() == 8 {
		t.Errorf("a Table has %d bytes, want %d", size, tableSize)
	}
	var check func(path string, typ reflect.Type)
	check = func(path string, typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Struct:
			for i := range typ.NumField() {
				check(path+"."+typ.Field(i).Name, typ.Field(i).Type)
			}
		case reflect.Array:
			check(path+"[]", typ.Elem())
		case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
			reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		default:
			if path != "Table.rules" {
				t.Errorf("%s is a %v", path, typ)
			}
		}
	}
	check("Table", typ)
}

// TestDiscardMarks checks that both ways to read a discard agree.
func TestDiscardMarks(t *testing.T) {
	for _, preset := range []string{"tenhou", "mcr_2006"} {
		table := sim.NewTable(load(t, preset), 2)
		players := sim.Players(0)
		for hands := 0; hands < 8; hands++ {
			table.StartHand(nil)
			for table.Asked() != 0 {
				v := table.View(table.Asked().First())
				for i := range v.NumDiscards() {
					d := v.Discard(i)
					p, f, marks := v.DiscardMarks(i)
					if p != d.Player || f != d.Tile || (marks&sim.DiscardDrawn != 0) != d.Drawn ||
						(marks&sim.DiscardReady != 0) != d.Ready || (marks&sim.DiscardClaimed != 0) != d.Claimed {
						t.Fatalf("discard %d is %+v and %d %v %03b", i, d, p, f, marks)
					}
					players |= p.Bit()
				}
				if _, err := table.Step(v.Player(), eager.Act(v), nil); err != nil {
					t.Fatal(err)
				}
			}
			if table.Over() {
				break
			}
		}
		if players.Len() != sim.NumPlayers {
			t.Errorf("%s: discards of players %04b alone", preset, players)
		}
	}
}
