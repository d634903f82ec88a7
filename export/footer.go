package export

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"
)

// magic stands at both ends of an Arrow file.
var magic = []byte("ARROW1")

// The Arrow format's tables of a footer, by the numbers of their fields.
const (
	footerSchema       = 1
	footerDictionaries = 2
	footerBatches      = 3

	schemaFields   = 1
	schemaMetadata = 2

	fieldType     = 2
	fieldChildren = 5
	fieldMetadata = 6
)

// maxNesting is how deep columns are nested: the wins of a hand, each of which
// is a row, the patterns of a win, each of which is a row, and its columns.
const maxNesting = 5

// usedTypes are the numbers of the types that columns have.
var usedTypes = map[byte]bool{
	2: true, 4: true, 5: true, 6: true, // int, binary, utf8, bool
	12: true, 13: true, 15: true, 16: true, // list, struct, fixed-size binary and list
}

// checkFooter looks at the lengths that the footer of a file states. The Arrow
// library believes them, and a damaged one would have it ask for more memory
// than there is. It panics if a reference leads out of the footer.
func checkFooter(r io.ReadSeeker) error {
	end := make([]byte, 4+len(magic))
	size, err := r.Seek(-int64(len(end)), io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := io.ReadFull(r, end); err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(end))
	if string(end[4:]) != string(magic) || n > size {
		return errors.New("it does not end as one")
	}
	if _, err := r.Seek(size-n, io.SeekStart); err != nil {
		return err
	}
	footer := make([]byte, n)
	if _, err := io.ReadFull(r, footer); err != nil {
		return err
	}
	t := flatbuffers.Table{Bytes: footer, Pos: flatbuffers.GetUOffsetT(footer)}
	for _, field := range []int{footerDictionaries, footerBatches} {
		if _, _, err := vector(&t, field); err != nil {
			return err
		}
	}
	schema, ok := reference(&t, footerSchema)
	if !ok {
		return errors.New("it has no schema")
	}
	if _, _, err := vector(&schema, schemaMetadata); err != nil {
		return err
	}
	return checkFields(&schema, schemaFields, maxNesting)
}

// checkFields checks a vector of fields of a table, nested at most depth deep.
func checkFields(t *flatbuffers.Table, field, depth int) error {
	start, n, err := vector(t, field)
	if err != nil {
		return err
	}
	if n > 0 && depth == 0 {
		return errors.New("its columns are nested too deep")
	}
	for i := range n {
		f := flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(start + flatbuffers.UOffsetT(4*i))}
		if o := f.Offset(slot(fieldType)); o == 0 || !usedTypes[f.GetByte(f.Pos+flatbuffers.UOffsetT(o))] {
			return errors.New("it has columns of other types")
		}
		if _, _, err := vector(&f, fieldMetadata); err != nil {
			return err
		}
		if err := checkFields(&f, fieldChildren, depth-1); err != nil {
			return err
		}
	}
	return nil
}

// slot is the place of a field in the vtable.
func slot(field int) flatbuffers.VOffsetT { return flatbuffers.VOffsetT(4 + 2*field) }

// reference returns the table that a field refers to.
func reference(t *flatbuffers.Table, field int) (flatbuffers.Table, bool) {
	o := t.Offset(slot(field))
	if o == 0 {
		return flatbuffers.Table{}, false
	}
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(t.Pos + flatbuffers.UOffsetT(o))}, true
}

// vector returns the place and length of a vector that a field refers to, which
// may be absent. Elements have at least four bytes.
func vector(t *flatbuffers.Table, field int) (start flatbuffers.UOffsetT, n int, err error) {
	o := flatbuffers.UOffsetT(t.Offset(slot(field)))
	if o == 0 {
		return 0, 0, nil
	}
	start, n = t.Vector(o), t.VectorLen(o)
	if int(start)+4*n > len(t.Bytes) {
		return 0, 0, fmt.Errorf("it states a list of %d elements", n)
	}
	return start, n, nil
}
