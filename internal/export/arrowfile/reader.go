package arrowfile

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Reader reads the record batches of a file. Any number of goroutines may use it.
type Reader struct {
	file      io.ReaderAt
	places    []place
	prototype arrow.Record // a record without rows, with the types and dictionaries; nil if there are no batches
}

// ErrColumns is the error of a file whose columns are not those of the schema.
var ErrColumns = errors.New("the columns are not those of the schema")

// NewReader reads the footer and the dictionaries of a file. The names, types and units of
// the columns must be those of the schema; descriptions and metadata may differ.
func NewReader(file ipc.ReadAtSeeker, schema *arrow.Schema, mem memory.Allocator) (*Reader, error) {
	r := &Reader{file: file}
	return r, Guard(func() error {
		foot, err := readFooter(file)
		if err != nil {
			return err
		}
		r.places = foot.places
		if len(r.places) > 0 {
			file = foot.withoutBatches(encodeEmpty(schema))
		}
		library, err := ipc.NewFileReader(file, ipc.WithAllocator(limitedAllocator{mem}))
		if err != nil {
			return err
		}
		defer library.Close()
		if !sameColumns(library.Schema(), schema) {
			return ErrColumns
		}
		if len(r.places) > 0 {
			r.prototype, err = library.RecordAt(0)
		}
		return err
	})
}

// sameColumns reports whether two schemas have columns of the same names, types and units. Their
// metadata may differ, since they have the version of the program.
func sameColumns(a, b *arrow.Schema) bool {
	return slices.EqualFunc(a.Fields(), b.Fields(), func(x, y arrow.Field) bool {
		xUnit, _ := x.Metadata.GetValue("unit")
		yUnit, _ := y.Metadata.GetValue("unit")
		return x.Name == y.Name && x.Nullable == y.Nullable && xUnit == yUnit && arrow.TypeEqual(x.Type, y.Type)
	})
}

// NumBatches returns the number of record batches.
func (r *Reader) NumBatches() int { return len(r.places) }

// Read returns record batch i, which the caller releases. Its columns are in dst or, if
// there is not enough room, in new memory, which is returned; the record is valid until
// that memory is reused.
func (r *Reader) Read(i int, dst []byte) (batch arrow.Record, memory []byte, err error) {
	memory = dst
	err = Guard(func() error {
		d := decoders.Get().(*decoder)
		if batch, memory, err = d.decode(r.file, r.places[i], r.prototype, dst); err == nil {
			decoders.Put(d)
		}
		return err
	})
	return batch, memory, err
}

// Release releases the dictionaries.
func (r *Reader) Release() {
	if r.prototype != nil {
		r.prototype.Release()
	}
}

// Guard calls a function that reads a file, or arrays of one. A panic becomes an error: the
// Arrow library panics on many damaged files.
func Guard(read func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("no readable Arrow file: %v", p)
		}
	}()
	if err := read(); err != nil {
		return fmt.Errorf("no readable Arrow file: %w", err)
	}
	return nil
}

// limitedAllocator panics on sizes that only damaged files state.
type limitedAllocator struct{ memory.Allocator }

// maxAllocation is far above the size of a batch, packed or not. Each worker may need as much.
const maxAllocation = 1 << 26

// Allocate implements memory.Allocator.
func (l limitedAllocator) Allocate(size int) []byte {
	checkSize(size)
	return l.Allocator.Allocate(size)
}

// Reallocate implements memory.Allocator.
func (l limitedAllocator) Reallocate(size int, b []byte) []byte {
	checkSize(size)
	return l.Allocator.Reallocate(size, b)
}

func checkSize(size int) {
	if size < 0 || size > maxAllocation {
		panic(fmt.Sprintf("a column of %d bytes", size))
	}
}
