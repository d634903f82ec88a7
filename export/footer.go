package export

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/ipc"
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

// footer is what a file says about itself at its end.
type footer struct {
	file *os.File
	// begin is where it begins in the file, bytes what it is.
	begin int64
	bytes []byte
	// places are those of the record batches, which are listed from list on.
	places []place
	list   int
}

// readFooter reads the footer of a file and looks at the lengths that it states. The
// Arrow library believes them, and a damaged one would have it ask for more memory
// than there is. It panics if a reference leads out of the footer.
func readFooter(file *os.File) (*footer, error) {
	end := make([]byte, 4+len(magic))
	size, err := file.Seek(-int64(len(end)), io.SeekEnd)
	if err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(file, end); err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(end))
	if string(end[4:]) != string(magic) || n > size {
		return nil, errors.New("it does not end as one")
	}
	f := &footer{file: file, begin: size - n, bytes: make([]byte, n)}
	if _, err := file.ReadAt(f.bytes, f.begin); err != nil {
		return nil, err
	}
	t := flatbuffers.Table{Bytes: f.bytes, Pos: flatbuffers.GetUOffsetT(f.bytes)}
	if _, _, err := vector(&t, footerDictionaries); err != nil {
		return nil, err
	}
	if err := f.readPlaces(&t); err != nil {
		return nil, err
	}
	schema, ok := reference(&t, footerSchema)
	if !ok {
		return nil, errors.New("it has no schema")
	}
	if _, _, err := vector(&schema, schemaMetadata); err != nil {
		return nil, err
	}
	return f, checkFields(&schema, schemaFields, maxNesting)
}

func (f *footer) readPlaces(t *flatbuffers.Table) error {
	start, n, err := vector(t, footerBatches)
	if err != nil {
		return err
	}
	f.list = int(start)
	if f.list+placeSize*n > len(f.bytes) {
		return fmt.Errorf("it states a list of %d record batches", n)
	}
	le := binary.LittleEndian
	for i := range n {
		b := f.bytes[f.list+placeSize*i:][:placeSize]
		p := place{int64(le.Uint64(b)), int32(le.Uint32(b[8:])), int64(le.Uint64(b[16:]))}
		if p.offset < 0 || p.header < 0 || p.body < 0 || p.offset > f.begin || int64(p.header) > f.begin-p.offset || p.body > f.begin-p.offset-int64(p.header) {
			return fmt.Errorf("record batch %d has %d bytes at %d", i, int64(p.header)+p.body, p.offset)
		}
		f.places = append(f.places, p)
	}
	return nil
}

// emptied returns the file with one record batch without rows in place of those that
// it has, for the Arrow library to say what columns and dictionaries they have. There
// must be one.
func (f *footer) emptied(none message) ipc.ReadAtSeeker {
	e := &emptied{file: f.file, begin: f.begin}
	e.end = make([]byte, -f.begin&(alignment-1))
	p := place{f.begin + int64(len(e.end)), int32(none.header), int64(len(none.bytes) - none.header)}
	e.end = append(e.end, none.bytes...)
	foot := slices.Clone(f.bytes)
	binary.LittleEndian.PutUint32(foot[f.list-4:], 1)
	p.put(foot[f.list:])
	e.end = append(e.end, foot...)
	e.end = binary.LittleEndian.AppendUint32(e.end, uint32(len(foot)))
	e.end = append(e.end, magic...)
	return e
}

// emptied is a file that has another end.
type emptied struct {
	file  *os.File
	begin int64 // of the end
	end   []byte
	io.ReadSeeker
}

// ReadAt implements io.ReaderAt. What is asked for is before the end or in it.
func (e *emptied) ReadAt(p []byte, offset int64) (int, error) {
	if offset < e.begin {
		return e.file.ReadAt(p, offset)
	}
	return bytes.NewReader(e.end).ReadAt(p, offset-e.begin)
}

// Seek returns the size of the file.
func (e *emptied) Seek(int64, int) (int64, error) { return e.begin + int64(len(e.end)), nil }

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
