package reading

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// DescribeJSONError returns an error of encoding/json without the names of Go types,
// which mean nothing to the reader of a record.
func DescribeJSONError(err error) error {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return err // or nil
	case wrong.Field == "":
		return fmt.Errorf("it has a value of the wrong kind: %s", wrong.Value)
	}
	return fmt.Errorf("member %s has a value of the wrong kind: %s", wrong.Field, wrong.Value)
}

// Unread is a member that a form has and that is not read. Decoded as any, a few bytes of empty
// objects would become hundreds.
type Unread struct{}

// UnmarshalJSON implements json.Unmarshaler.
func (*Unread) UnmarshalJSON([]byte) error { return nil }

// Unmarshal parses JSON to a struct, and notes the first member that the struct does not have.
func (b *Builder) Unmarshal(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil && int(d.InputOffset()) == len(text) {
		return nil
	}
	if name, ok := strings.CutPrefix(fmt.Sprint(err), "json: unknown field "); ok {
		b.Note("member %s is not known; neither it nor any other unknown member was read", name)
	}
	// The error of an unknown member hides others, and text may follow the value.
	return DescribeJSONError(json.Unmarshal(text, v))
}

// Close returns JSON that breaks off or is damaged as JSON that ends before the fault: after the
// last array or object that begins or ends in at most depth others. fault is "" if there is none.
func Close(text []byte, depth int) (closed []byte, fault string) {
	if json.Valid(text) {
		return text, ""
	}
	d := json.NewDecoder(bytes.NewReader(text))
	var open, ends []byte // what closes the arrays and objects here, and at last
	last := 0
	for {
		t, err := d.Token()
		if err != nil {
			slices.Reverse(ends)
			return append(slices.Clip(text[:last]), ends...), fmt.Sprintf("the JSON breaks off or is damaged here: %v", err)
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			open = append(open, byte(t.(json.Delim)+2)) // the byte that closes it
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		default:
			continue
		}
		if len(open) <= depth {
			last, ends = int(d.InputOffset()), slices.Clone(open)
		}
	}
}
