package dataset

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/export/arrowfile"
	"github.com/sparrowhall/sparrowhall/internal/ordered"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Difference is the error of a row that is not that of its match.
type Difference struct {
	// File is the path of the file, Row the number of the row in it, from 0.
	File string
	Row  int64
	// Message describes what differs.
	Message string
	// Damage is the error of the checksum of the file, nil if it is right.
	Damage error
}

// Error returns the file, the row, the message and the damage.
func (d *Difference) Error() string {
	s := fmt.Sprintf("%s: row %d: %s", d.File, d.Row, d.Message)
	if d.Damage != nil {
		s += fmt.Sprintf(" (and %v)", d.Damage)
	}
	return s
}

// Verify compares the files with their checksums, replays every match from its seed and
// actions, and compares all rows with those of the replayed match. The columns forfeited,
// and the tables records and walls of an import, are taken as stored. If the rows can be
// read, the error is a [*Difference] with the first row that differs. Damage that changes
// no row is an error too.
//
// Verify uses workers goroutines, GOMAXPROCS if that is 0. They call played, one at a time,
// with the number of matches they have replayed.
func (d *Dataset) Verify(ctx context.Context, workers int, played func(matches int)) error {
	return d.VerifyBlocks(ctx, workers, nil, played)
}

// VerifyBlocks is Verify of the blocks of sim.BlockSize matches for whose numbers pass returns
// true, or of all if pass is nil. Match m is in block m/sim.BlockSize. All files are compared
// with their checksums.
func (d *Dataset) VerifyBlocks(ctx context.Context, workers int, pass func(block uint64) bool, played func(matches int)) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	for n := range d.parts() {
		err := d.verifyPart(ctx, n, workers, pass, played)
		if v := d.Manifest.versionDifference(); err != nil && v != "" {
			return fmt.Errorf("%w; the dataset was written by another version of the program, which may play differently: %s", err, v)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// verifyPart verifies the n-th files.
func (d *Dataset) verifyPart(ctx context.Context, n uint64, workers int, pass func(uint64) bool, played func(int)) error {
	p, err := d.openPart(n, d.layout.Tables, true)
	if err != nil {
		return err
	}
	defer p.close()
	if err := p.verifyRows(ctx, workers, pass, played); err != nil {
		if diff, ok := errors.AsType[*Difference](err); ok {
			diff.Damage = errors.Join(p.damage...)
		}
		return err
	}
	return errors.Join(p.damage...)
}

// verifyRows verifies the blocks of the part in parallel. It returns the error of the first block
// that has one.
func (p *part) verifyRows(ctx context.Context, workers int, pass func(uint64) bool, played func(int)) error {
	type verified struct {
		rows    [schema.NumTables]int64
		matches int
		err     error // returned in the order of the blocks, not when it occurs
	}
	blocks := p.blocks()
	numbers := func(yield func(int) bool) {
		for i := range blocks {
			if pass != nil && !pass(p.first/sim.BlockSize+uint64(i)) {
				continue
			}
			if !yield(i) {
				return
			}
		}
	}
	newWorker := func() ordered.Worker[int, verified] {
		v := newVerifier(p)
		return ordered.Worker[int, verified]{Work: func(_ context.Context, i int, r *verified) error {
			if r.rows, r.matches, r.err = v.block(i); r.err != nil {
				v = newVerifier(p)
			}
			return nil
		}}
	}
	var rows [schema.NumTables]int64
	err := ordered.Run(ctx, min(workers, blocks), numbers, newWorker, func() *verified { return &verified{} }, func(r *verified) error {
		if r.err != nil {
			return r.err
		}
		for t, n := range r.rows {
			rows[t] += n
		}
		played(r.matches)
		return nil
	})
	if err != nil {
		return err
	}
	for t, f := range p.files {
		if f != nil && pass == nil && rows[t] != f.info.Rows {
			return fmt.Errorf("%s: %d rows; the manifest says %d", f.path, rows[t], f.info.Rows)
		}
	}
	return nil
}

// verifier verifies blocks of a part, one after another.
type verifier struct {
	p       *part
	maker   *schema.Maker
	builder *schema.Builder
	match   sim.Match
	logs    []log // of the block

	words [schema.NumTables]*arrowfile.Dictionaries

	// stored is the block at hand; rows and differs are, for each of its tables, the
	// number of rows compared and the first difference.
	stored  *storedBlock
	rows    [schema.NumTables]int64
	differs [schema.NumTables]error
}

func newVerifier(p *part) *verifier {
	v := &verifier{
		p: p, maker: p.d.Run.newMaker(p.d.rules), match: sim.Match{Keep: p.d.Run.Keep()},
	}
	v.builder = schema.NewBuilder(p.d.mem, p.d.layout, v.compare)
	for _, t := range p.d.layout.Tables {
		v.words[t] = p.d.layout.Dictionaries(t)
	}
	return v
}

// block verifies block i. It returns the number of rows of each table and the number of
// matches. After an error the verifier must not be used.
func (v *verifier) block(i int) (rows [schema.NumTables]int64, matches int, err error) {
	v.stored = v.p.block(i)
	defer v.stored.release()
	if v.logs, err = v.stored.logs(v.logs); err != nil {
		return rows, 0, err
	}
	if err := v.play(); err != nil {
		return rows, 0, err
	}
	rows = v.rows
	if v.p.d.Run.Import != nil {
		if rows[schema.Records], err = v.stored.countRecords(); err != nil {
			return rows, 0, err
		}
		// The replay has checked the walls.
		err = v.stored.each(schema.Walls, func(r arrow.Record, _ int) error {
			rows[schema.Walls] += r.NumRows()
			return nil
		})
	}
	return rows, len(v.logs), err
}

// play replays the matches of the block and compares their rows. It returns the first
// difference.
func (v *verifier) play() error {
	v.rows, v.differs = [schema.NumTables]int64{}, [schema.NumTables]error{}
	for k := range v.logs {
		if err := v.stored.replay(&v.match, &v.logs[k], v.stored.first+uint64(k)); err != nil {
			return errors.Join(v.difference(), err)
		}
		err := v.maker.Read(&v.match)
		if err == nil {
			err = v.builder.AddRows(v.maker)
		}
		if err == nil {
			err = v.builder.AddDecisions(v.maker, &v.match)
		}
		if err != nil {
			return err
		}
	}
	for _, t := range compared {
		if v.p.files[t] == nil {
			continue
		}
		if err := v.builder.Flush(t, true); err != nil {
			return err
		}
	}
	return v.difference()
}

// compared are the tables that are compared. A wrong action changes all later rows, so the
// table that shows best where it begins comes first.
var compared = [...]schema.Table{schema.Decisions, schema.Hands, schema.Wins, schema.Ledger, schema.Matches}

// difference returns the difference in the first of the compared tables that has one.
func (v *verifier) difference() error {
	for _, t := range compared {
		if v.differs[t] != nil {
			return v.differs[t]
		}
	}
	return nil
}

// compare compares the next replayed rows of a table with the stored ones. last is set if
// no more follow. It notes the first difference.
func (v *verifier) compare(t schema.Table, indices arrow.Record, _ int, last bool) error {
	replayed := v.words[t].Record(indices)
	defer replayed.Release()
	begin := int(v.rows[t]) // of these rows in the block
	end := begin + int(replayed.NumRows())
	v.rows[t] = int64(end)
	if v.differs[t] != nil {
		return nil
	}
	stored := 0
	err := v.stored.each(t, func(r arrow.Record, before int) error {
		stored = before + int(r.NumRows())
		from, to := max(begin, before), min(end, stored)
		if from >= to || v.differs[t] != nil {
			return nil
		}
		if row, message := compare(r, from-before, replayed, from-begin, to-from); message != "" {
			v.differ(t, from+row, message)
		}
		return nil
	})
	if n := end; err == nil && v.differs[t] == nil && (stored < n || last && stored > n) {
		if !last {
			n = max(n, stored)
		}
		v.differ(t, min(stored, end), fmt.Sprintf("%d rows for these matches are stored, the matches give %d", stored, n))
	}
	return err
}

// differ notes a difference in a row of the block.
func (v *verifier) differ(t schema.Table, row int, message string) {
	v.differs[t] = &Difference{File: v.p.files[t].path, Row: v.stored.fileRow(t, row), Message: message}
}

// compare compares n rows of a stored record, from i on, with n of a replayed one, from j
// on. It returns the first of them that differs and how; the message is empty if all are
// equal.
func compare(stored arrow.Record, i int, replayed arrow.Record, j, n int) (row int, message string) {
	for c := range int(stored.NumCols()) {
		a, b := stored.Column(c), replayed.Column(c)
		if arrowfile.Equal(a.Data(), i, b.Data(), j, n) {
			continue
		}
		for k := range n {
			if !arrowfile.Equal(a.Data(), i+k, b.Data(), j+k, 1) {
				row, n = k, k
				message = fmt.Sprintf("column %s: %s is stored, the match gives %s", stored.ColumnName(c), a.ValueStr(i+k), b.ValueStr(j+k))
				break
			}
		}
	}
	return row, message
}
