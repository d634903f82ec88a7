package export

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// ErrNoMatch is the error of a match that a dataset does not hold.
var ErrNoMatch = errors.New("no such match")

// Dataset is a dataset that is read. It may be read by any number of goroutines
// at a time.
//
// Each file is compared with its checksum before anything is taken from it, so
// what is read is what was written.
type Dataset struct {
	// Manifest describes the dataset, Run what it is the dataset of.
	Manifest *Manifest
	Run      *Run

	dir    string
	text   []byte // of the manifest
	rules  *ruleset.Rules
	layout *layout
	mem    memory.Allocator
}

// Open reads the manifest of the dataset in a folder. The dataset may be
// incomplete, even be written at the moment: what the manifest lists is whole.
func Open(dir string) (*Dataset, error) {
	path := filepath.Join(dir, manifestName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(dir); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s: no dataset: there is no %s in it", dir, manifestName)
	} else if err != nil {
		return nil, err
	}
	m, run, err := parseManifest(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	rules := run.Ruleset.Rules()
	d := &Dataset{
		Manifest: m, Run: run,
		dir: dir, text: text, rules: rules, layout: run.layout(rules, m.SchemaVersion), mem: memory.DefaultAllocator,
	}
	if t := run.Tournament; t != nil {
		err = t.AddAll(d)
	}
	return d, err
}

// Rules returns the rules that were played by.
func (d *Dataset) Rules() *ruleset.Rules { return d.rules }

// First returns the number of the first match that the dataset is for: 0 but in
// a shard.
func (d *Dataset) First() uint64 { return d.Manifest.first }

// Matches returns the number of matches that are there, from First on.
func (d *Dataset) Matches() uint64 { return d.Manifest.next() - d.Manifest.first }

// MatchRows returns the rows of table matches in the order of the matches and
// players. It ends with the first error.
func (d *Dataset) MatchRows() iter.Seq2[MatchRow, error] {
	return rows(d, Matches, d.layout.matches, d.matchCheck())
}

// MatchesByRows returns the four rows of each match, by player, in the order of the
// matches. The rows are valid until the next. It ends with the first error.
func (d *Dataset) MatchesByRows() iter.Seq2[[]MatchRow, error] {
	return func(yield func([]MatchRow, error) bool) {
		rows := make([]MatchRow, 0, sim.NumPlayers)
		for r, err := range d.MatchRows() {
			if err != nil {
				yield(nil, err)
				return
			}
			if rows = append(rows, r); len(rows) < sim.NumPlayers {
				continue
			}
			if !yield(rows, nil) {
				return
			}
			rows = rows[:0]
		}
	}
}

// HandRows returns the rows of table hands in the order of the hands. It ends
// with the first error, which is [errors.ErrUnsupported] if no hands were
// recorded.
func (d *Dataset) HandRows() iter.Seq2[HandRow, error] {
	return rows(d, Hands, d.layout.hands, d.checkHand)
}

// DecisionRows returns the rows of table decisions in the order of the
// decisions. It ends with the first error, which is [errors.ErrUnsupported] if no
// decisions were recorded.
func (d *Dataset) DecisionRows() iter.Seq2[DecisionRow, error] {
	return rows(d, Decisions, d.layout.decisions, d.checkDecision)
}

// LedgerRows returns the rows of table ledger in the order of the changes. It
// ends with the first error, which is [errors.ErrUnsupported] if no hands were
// recorded or the players cannot owe each other points.
func (d *Dataset) LedgerRows() iter.Seq2[LedgerRow, error] {
	return rows(d, Ledger, d.layout.ledger, d.checkLedger)
}

// Records returns a table as Arrow records of at most sim.BlockSize matches. A
// record is valid until the next. It ends with the first error.
func (d *Dataset) Records(t Table) iter.Seq2[arrow.Record, error] {
	return func(yield func(arrow.Record, error) bool) {
		d.batches(t, func(_ *openFile, r arrow.Record, err error) bool { return yield(r, err) })
	}
}

// batches passes on the record batches of a table and the files they are from.
func (d *Dataset) batches(t Table, yield func(*openFile, arrow.Record, error) bool) {
	tables := d.layout.tables
	first := slices.Index(tables, t)
	if first < 0 {
		yield(nil, nil, fmt.Errorf("%s: table %s was not recorded: %w", d.dir, t, errors.ErrUnsupported))
		return
	}
	for i := first; i < len(d.Manifest.Files); i += len(tables) {
		if !d.fileBatches(&d.Manifest.Files[i], yield) {
			return
		}
	}
}

func (d *Dataset) fileBatches(info *FileInfo, yield func(*openFile, arrow.Record, error) bool) bool {
	f, err := d.open(info)
	if err != nil {
		yield(nil, nil, err)
		return false
	}
	defer f.close()
	for i := range f.batches() {
		r, err := f.record(i)
		if err != nil {
			yield(nil, nil, err)
			return false
		}
		more := yield(f, r, nil)
		r.Release()
		if !more {
			return false
		}
	}
	return true
}

// rows passes on the rows of a table. check is called with each and the one
// before, nil for the first, and says what is wrong with it.
func rows[R any](d *Dataset, t Table, columns []column[R], check func(r, prev *R) error) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		var list []R
		var prev *R
		last := new(R)
		file, number := "", int64(0) // of the row in its file
		d.batches(t, func(f *openFile, r arrow.Record, err error) bool {
			if err == nil {
				if f.path != file {
					file, number = f.path, 0
				}
				list = list[:0]
				err = f.guard(func() error {
					list = readRows(list, columns, r)
					return nil
				})
			}
			if err != nil {
				var none R
				yield(none, err)
				return false
			}
			for i := range list {
				if err := check(&list[i], prev); err != nil {
					yield(list[i], &Difference{File: file, Row: number, Message: err.Error()})
					return false
				}
				*last = list[i]
				if prev, number = last, number+1; !yield(*last, nil) {
					return false
				}
			}
			return true
		})
	}
}

// readRows appends the rows of a record to dst.
func readRows[R any](dst []R, columns []column[R], r arrow.Record) []R {
	for i := range int(r.NumRows()) {
		var row R
		for j := range columns {
			columns[j].read(r.Column(j), i, &row)
		}
		dst = append(dst, row)
	}
	return dst
}

// Match plays a recorded match again. Which players forfeited is taken from the
// dataset. If the dataset does not hold the match, the error is [ErrNoMatch].
func (d *Dataset) Match(index uint64) (*sim.Match, error) {
	switch first, end := d.Manifest.first, d.Manifest.next(); {
	case end == first:
		return nil, fmt.Errorf("%s: match %d: %w; none is there", d.dir, index, ErrNoMatch)
	case index < first || index >= end:
		return nil, fmt.Errorf("%s: match %d: %w; matches %d to %d are there", d.dir, index, ErrNoMatch, first, end-1)
	}
	n := index / d.Run.FileMatches
	p, err := d.openPart(n, d.layout.replayTables(), false)
	if err != nil {
		return nil, err
	}
	defer p.close()
	b := p.block(int(index % d.Run.FileMatches / sim.BlockSize))
	defer b.release()
	logs, err := b.logs(nil)
	if err != nil {
		return nil, err
	}
	m := &sim.Match{Keep: sim.KeepChoices | sim.KeepValues}
	return m, b.replay(m, &logs[index%sim.BlockSize], index)
}

// openFile is an Arrow file that is read.
type openFile struct {
	info *FileInfo
	path string
	file *os.File
	// places are those of the record batches, like is one without rows, nil if there is
	// none.
	places []place
	like   arrow.Record
	// firsts is the first match of each record batch.
	firsts []uint64
}

// open opens a file of the dataset that is as it was written.
func (d *Dataset) open(info *FileInfo) (*openFile, error) {
	f, err := d.openUnchecked(info)
	if err != nil {
		return nil, err
	}
	if err = f.check(); err == nil {
		err = f.decode(d)
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func (d *Dataset) openUnchecked(info *FileInfo) (*openFile, error) {
	path := filepath.Join(d.dir, info.Name)
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &openFile{info: info, path: path, file: file}, nil
}

// check compares the file with its size and checksum.
func (f *openFile) check() error {
	h := sha256.New()
	n, err := io.Copy(h, f.file)
	switch {
	case err != nil:
		return err
	case n != f.info.Bytes:
		return fmt.Errorf("%s: %d bytes; the manifest says %d", f.path, n, f.info.Bytes)
	case hex.EncodeToString(h.Sum(nil)) != f.info.SHA256:
		return fmt.Errorf("%s: the checksum is not that of the manifest", f.path)
	}
	return nil
}

// decode reads what the file says about itself.
func (f *openFile) decode(d *Dataset) error {
	schema := d.layout.schema(f.info.Table)
	same := false
	err := f.guard(func() error {
		foot, err := readFooter(f.file)
		if err != nil {
			return err
		}
		f.places = foot.places
		var source ipc.ReadAtSeeker = f.file
		if len(f.places) > 0 {
			source = foot.emptied(withoutRows(schema))
		}
		r, err := ipc.NewFileReader(source, ipc.WithAllocator(modest{d.mem}))
		if err != nil {
			return err
		}
		defer r.Close()
		if same = sameColumns(r.Schema(), schema); same && len(f.places) > 0 {
			f.like, err = r.RecordAt(0)
		}
		return err
	})
	if err != nil {
		return err
	}
	if !same {
		return fmt.Errorf("%s: it has other columns than version %d of table %s", f.path, d.layout.version, f.info.Table)
	}
	f.firsts = f.info.batchFirsts(d.layout.version)
	if f.batches() != len(f.firsts) {
		return fmt.Errorf("%s: %d record batches; there should be %d", f.path, f.batches(), len(f.firsts))
	}
	return nil
}

func (f *openFile) batches() int { return len(f.places) }

// blocks returns the number of blocks of matches in the file.
func (i *FileInfo) blocks() int { return int((i.Matches + sim.BlockSize - 1) / sim.BlockSize) }

// record reads a record batch, which the caller releases, into memory of its own.
func (f *openFile) record(i int) (arrow.Record, error) {
	r, _, err := f.recordIn(i, nil)
	return r, err
}

// recordIn is record with its columns in the given memory, or in more; see
// [decoder.decode].
func (f *openFile) recordIn(i int, dst []byte) (r arrow.Record, used []byte, err error) {
	used = dst
	err = f.guard(func() (err error) {
		d := decoders.Get().(*decoder)
		if r, used, err = d.decode(f.file, f.places[i], f.like, dst); err != nil {
			return err
		}
		decoders.Put(d)
		if f.info.Table != Decisions {
			return nil
		}
		return checkActions(r)
	})
	if err != nil {
		return nil, used, err
	}
	return r, used, nil
}

// checkActions returns an error unless the words of the actions are those of their ids.
func checkActions(r arrow.Record) error {
	d, ok := r.Column(int(r.NumCols()) - 1).(*array.Dictionary)
	if !ok {
		return nil // of an earlier version
	}
	words := d.Dictionary().(*array.String)
	for i := range words.Len() {
		if i >= len(actionWords) || words.Value(i) != actionWords[i] {
			return fmt.Errorf("action %d is not %q", i, words.Value(i))
		}
	}
	return nil
}

// guard calls a function that goes through what the Arrow library made of the
// file; it panics on many a damaged one.
func (f *openFile) guard(read func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: no readable Arrow file: %v", f.path, p)
		}
	}()
	if err := read(); err != nil {
		return fmt.Errorf("%s: no readable Arrow file: %w", f.path, err)
	}
	return nil
}

func (f *openFile) close() error {
	if f == nil {
		return nil
	}
	if f.like != nil {
		f.like.Release()
	}
	return f.file.Close()
}

// modest refuses to allocate what no file of a dataset needs but a damaged one
// may ask for.
type modest struct{ memory.Allocator }

// maxAllocation is far above the size of a column of a batch.
const maxAllocation = 1 << 28

// Allocate implements memory.Allocator.
func (m modest) Allocate(size int) []byte {
	m.check(size)
	return m.Allocator.Allocate(size)
}

// Reallocate implements memory.Allocator.
func (m modest) Reallocate(size int, b []byte) []byte {
	m.check(size)
	return m.Allocator.Reallocate(size, b)
}

func (m modest) check(size int) {
	if size < 0 || size > maxAllocation {
		panic(fmt.Sprintf("a column of %d bytes", size))
	}
}
