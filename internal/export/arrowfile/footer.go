package arrowfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/ipc"
	flatbuffers "github.com/google/flatbuffers/go"
)

// maxNesting is how deep columns are nested: the wins of a hand, each of which is a row,
// the patterns of a win, each of which is a row, and its columns.
const maxNesting = 5

// usedTypes are the numbers of the column types that files have.
var usedTypes = map[byte]bool{
	2: true, 3: true, 4: true, 5: true, 6: true, // int, float, binary, utf8, bool
	12: true, 13: true, 15: true, 16: true, // list, struct, fixed-size binary and list
}

// footer is the footer of a file.
type footer struct {
	file  io.ReaderAt
	begin int64 // its offset in the file
	bytes []byte
	// places are those of the record batches, which are listed from offset list on.
	places []place
	list   int
}

// readFooter reads the footer of a file and checks the lengths that it states: the Arrow
// library trusts them, and would allocate what a damaged one states. It panics if a
// reference leads out of the footer.
func readFooter(file ipc.ReadAtSeeker) (*footer, error) {
	end := make([]byte, 4+len(magic))
	size, err := file.Seek(-int64(len(end)), io.SeekEnd)
	if err != nil {
		return nil, err
	}
	if _, err := file.ReadAt(end, size); err != nil {
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

// withoutBatches returns the file with one record batch, which has no rows, in place of its own.
// From it the Arrow library reads the schema and the dictionaries. The file has at least
// one batch.
func (f *footer) withoutBatches(empty message) ipc.ReadAtSeeker {
	e := &emptiedFile{file: f.file, begin: f.begin}
	e.end = make([]byte, -f.begin&(alignment-1))
	p := place{f.begin + int64(len(e.end)), int32(empty.header), int64(len(empty.bytes) - empty.header)}
	e.end = append(e.end, empty.bytes...)
	foot := slices.Clone(f.bytes)
	binary.LittleEndian.PutUint32(foot[f.list-4:], 1)
	p.put(foot[f.list:])
	e.end = append(e.end, foot...)
	e.end = binary.LittleEndian.AppendUint32(e.end, uint32(len(foot)))
	e.end = append(e.end, magic...)
	return e
}

// emptiedFile is a file whose bytes from begin on are replaced by end.
type emptiedFile struct {
	file  io.ReaderAt
	begin int64
	end   []byte
	io.ReadSeeker
}

// ReadAt implements io.ReaderAt. No read crosses begin.
func (e *emptiedFile) ReadAt(p []byte, offset int64) (int, error) {
	if offset < e.begin {
		return e.file.ReadAt(p, offset)
	}
	return bytes.NewReader(e.end).ReadAt(p, offset-e.begin)
}

// Seek returns the size of the file.
func (e *emptiedFile) Seek(int64, int) (int64, error) { return e.begin + int64(len(e.end)), nil }
