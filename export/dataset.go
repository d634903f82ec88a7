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

	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/tile"
	"github.com/jansou/jansou/sim"
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
		dir: dir, text: text, rules: rules, layout: run.layout(rules).at(m.SchemaVersion), mem: memory.DefaultAllocator,
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
	logs, err := b.logs()
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
	r    *ipc.FileReader
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
	err := f.guard(func() error {
		err := checkFooter(f.file)
		if err != nil {
			return err
		}
		f.r, err = ipc.NewFileReader(f.file, ipc.WithAllocator(modest{d.mem}))
		return err
	})
	if err != nil {
		return err
	}
	if !sameColumns(f.r.Schema(), d.layout.schema(f.info.Table)) {
		return fmt.Errorf("%s: it has other columns than version %d of table %s", f.path, d.layout.version, f.info.Table)
	}
	if _, end := f.info.block(f.info.blocks() - 1); f.batches() != end {
		return fmt.Errorf("%s: %d record batches; there should be %d", f.path, f.batches(), end)
	}
	return nil
}

func (f *openFile) batches() int { return f.r.NumRecords() }

// blocks returns the number of blocks of matches in the file.
func (i *FileInfo) blocks() int { return int((i.Matches + sim.BlockSize - 1) / sim.BlockSize) }

// block returns the first record batch of a block, and that after the last.
func (i *FileInfo) block(n int) (first, end int) {
	if i.Batches == nil {
		return n, n + 1
	}
	for _, batches := range i.Batches[:n] {
		first += batches
	}
	return first, first + i.Batches[n]
}

// record reads a record batch, which the caller releases.
func (f *openFile) record(i int) (r arrow.Record, err error) {
	err = f.guard(func() (err error) {
		r, err = f.r.RecordAt(i)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
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
	if f.r != nil {
		f.r.Close()
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

// part is the files of the same matches.
type part struct {
	d     *Dataset
	first uint64
	// files has the file of each table, nil where it is not opened; damage holds
	// what is wrong with the checksums.
	files  [numTables]*openFile
	damage []error
}

// openPart opens the n-th files of some tables. If lenient, checksums that
// differ are noted and the files opened nevertheless if they can be read at all.
func (d *Dataset) openPart(n uint64, tables []Table, lenient bool) (*part, error) {
	p := &part{d: d, first: n * d.Run.FileMatches}
	before := n - d.Manifest.first/d.Run.FileMatches
	for _, t := range tables {
		i := slices.Index(d.layout.tables, t)
		f, err := d.openUnchecked(&d.Manifest.Files[int(before)*len(d.layout.tables)+i])
		if err != nil {
			p.close()
			return nil, err
		}
		p.files[t] = f
		damage := f.check()
		p.damage = append(p.damage, damage)
		if damage == nil || lenient {
			err = f.decode(d)
		}
		if damage != nil && (!lenient || err != nil) {
			err = damage
		}
		if err != nil {
			p.close()
			return nil, err
		}
	}
	return p, nil
}

func (p *part) close() {
	for _, f := range p.files {
		f.close()
	}
}

// storedBlock is the rows of a block of matches.
type storedBlock struct {
	p *part
	// i is the number of the block in the part.
	i int
	// first is the number of the first match, n their number.
	first uint64
	n     int
	// last has the record batch of each table that was read last, nil before.
	last [numTables]struct {
		batch  int
		record arrow.Record
	}
}

// block returns the i-th block of the part, which the caller releases.
func (p *part) block(i int) *storedBlock {
	before := uint64(i) * sim.BlockSize
	return &storedBlock{p: p, i: i, first: p.first + before, n: int(min(sim.BlockSize, p.files[Matches].info.Matches-before))}
}

// batches returns the number of record batches of a table.
func (b *storedBlock) batches(t Table) int {
	first, end := b.p.files[t].info.block(b.i)
	return end - first
}

// record returns the i-th record batch of a table. It is valid until the next
// batch of that table.
func (b *storedBlock) record(t Table, i int) (arrow.Record, error) {
	first, _ := b.p.files[t].info.block(b.i)
	last := &b.last[t]
	if last.record != nil && last.batch == i {
		return last.record, nil
	}
	r, err := b.p.files[t].record(first + i)
	if err != nil {
		return nil, err
	}
	if last.record != nil {
		last.record.Release()
	}
	last.batch, last.record = i, r
	return r, nil
}

// each passes on the record batches of a table, and how many rows of the block
// are before them.
func (b *storedBlock) each(t Table, visit func(r arrow.Record, before int) error) error {
	before := 0
	for i := range b.batches(t) {
		r, err := b.record(t, i)
		if err != nil {
			return err
		}
		if err := b.p.files[t].guard(func() error { return visit(r, before) }); err != nil {
			return err
		}
		before += int(r.NumRows())
	}
	return nil
}

func (b *storedBlock) release() {
	for _, last := range b.last {
		if last.record != nil {
			last.record.Release()
		}
	}
}

// log is what is needed to play a match again.
type log struct {
	// row is the first row of the match in the table that holds the log.
	row       int
	actions   []sim.Action
	forfeited sim.Players
	walls     []sim.Wall // nil if they come from the seed
	roundWind tile.Wind  // goes with walls
	start     *sim.Standing
}

// logs collects the action logs of the matches. Rows of matches that do not
// belong to the block are left out.
func (b *storedBlock) logs() ([]log, error) {
	logs := make([]log, b.n)
	for i := range logs {
		logs[i].row = -1
	}
	err := b.each(b.p.d.layout.logTable(), func(r arrow.Record, before int) error {
		matches := r.Column(0).(*array.Uint64)
		actions := r.Column(int(r.NumCols()) - 1).(*array.Binary)
		for i := range int(r.NumRows()) {
			// Numbers below first wrap around.
			n := matches.Value(i) - b.first
			if n >= uint64(b.n) {
				continue
			}
			if logs[n].row < 0 {
				logs[n].row = before + i
			}
			for _, a := range actions.Value(i) {
				logs[n].actions = append(logs[n].actions, sim.Action(a))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = b.each(Matches, func(r arrow.Record, _ int) error {
		for _, row := range readRows(nil, b.p.d.layout.matches, r) {
			if n := row.Match - b.first; n < uint64(b.n) && row.Forfeited {
				logs[n].forfeited |= sim.Player(row.Player).Bit()
			}
		}
		return nil
	})
	if err == nil && b.p.d.Run.Import != nil {
		err = b.walls(logs)
		if err == nil {
			err = b.starts(logs)
		}
	}
	return logs, err
}

// replay plays match number index again.
func (b *storedBlock) replay(m *sim.Match, l *log, index uint64) error {
	run := b.p.d.Run
	if err := b.p.d.playable(); err != nil {
		return err
	}
	m.Index = index
	m.Seed, m.Agents = run.Schedule().Match(index)
	m.RoundWind, m.Start = l.roundWind, l.start
	if m.Walls = l.walls; m.Walls == nil && run.Import != nil {
		m.Walls = []sim.Wall{}
	}
	err := m.Replay(b.p.d.rules, l.actions, l.forfeited)
	if n := len(m.Walls); err == nil && m.Walls != nil && n != len(m.Hands) {
		err = fmt.Errorf("it has %d hands, but %d walls", len(m.Hands), n)
	}
	if err != nil {
		t := b.p.d.layout.logTable()
		row := max(l.row, 0)
		if t == Hands {
			row += max(len(m.Hands)-1, 0)
		}
		return &Difference{
			File: b.p.files[t].path, Row: b.fileRow(t, row),
			Message: fmt.Sprintf("match %d cannot be played from its actions: %v", index, err),
		}
	}
	m.Forfeited = l.forfeited
	return nil
}
