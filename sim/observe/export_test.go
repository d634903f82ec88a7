package observe

import (
	"reflect"
	"strings"

	"github.com/sparrowhall/sparrowhall/sim"
)

// MaskFor is Mask for tables of so many players.
func MaskFor(seats int) Tensor {
	m := Mask
	_, actions := sim.ActionTable(seats)
	m.Shape = []int{actions}
	return m
}

// Member is a member of the JSON of a text.
type Member struct{ Name, Type, Doc string }

// TextMembers lists the members of a text, those of inner objects with the name
// of the outer member before theirs.
func TextMembers() []Member { return members("", reflect.TypeFor[textTable]()) }

func members(prefix string, t reflect.Type) (list []Member) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		typ := f.Type
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		var inner []Member
		var text string
		switch {
		case typ.Kind() == reflect.Slice:
			text, inner = "list", members(prefix+name+"[].", typ.Elem())
		case typ.Kind() == reflect.Int || typ.Name() == "Number":
			text = "number"
		default:
			text = typ.Kind().String()
		}
		if options == "omitempty" {
			text += ", may be left out"
		}
		list = append(list, Member{prefix + name, text, f.Tag.Get("doc")})
		list = append(list, inner...)
	}
	return list
}
