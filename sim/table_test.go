package sim_test

import (
	"reflect"
	"testing"

	"github.com/jansou/jansou/sim"
)

// tableSize is the size of a Table in bytes on 64-bit machines. Searches copy
// tables by the million: let it grow only for a reason.
const tableSize = 1824

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
