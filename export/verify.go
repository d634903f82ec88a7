package export

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/sparrowhall/sparrowhall/sim"
)

// Difference is the error of a dataset that is not what its run gives.
type Difference struct {
	// File is the path of the file, Row the number of the row in it, from 0.
	File string
	Row  int64
	// Message says what is different.
	Message string
	// Damage is what is wrong with the file as a whole, nil if its checksum is
	// right.
	Damage error
}

// Error returns "file: row: message", and what is wrong with the file.
func (d *Difference) Error() string {
	s := fmt.Sprintf("%s: row %d: %s", d.File, d.Row, d.Message)
	if d.Damage != nil {
		s += fmt.Sprintf(" (and %v)", d.Damage)
	}
	return s
}

// Verify checks the files against their checksums, plays every match again from
// its seed and actions, and compares all rows with those that this gives. The
// columns forfeited, and of an import the tables records and walls, are taken as
// they stand. The error names the file, the row and the first difference, if the
// rows can be read at all; it is then a *Difference. Damage that changes no row is
// an error too.
//
// Verify uses the given number of goroutines, or one per processor if that is 0,
// and calls played from one of them at a time with the number of matches that
// were played again.
func (d *Dataset) Verify(ctx context.Context, workers int, played func(matches int)) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	err := d.verify(ctx, workers, played)
	if v := d.Manifest.otherVersion(); err != nil && v != "" {
		return fmt.Errorf("%w; the dataset was written by another version of the program, which may play otherwise: %s", err, v)
	}
	return err
}

func (d *Dataset) verify(ctx context.Context, workers int, played func(int)) error {
	first := d.Manifest.first / d.Run.FileMatches
	for n := range uint64(len(d.Manifest.Files) / len(d.layout.tables)) {
		if err := d.verifyPart(ctx, first+n, workers, played); err != nil {
			return err
		}
	}
	return nil
}

// verifyPart checks the n-th files.
func (d *Dataset) verifyPart(ctx context.Context, n uint64, workers int, played func(int)) error {
	p, err := d.openPart(n, d.layout.tables, true)
	if err != nil {
		return err
	}
	defer p.close()
	if err := p.verifyRows(ctx, workers, played); err != nil {
		if diff, ok := errors.AsType[*Difference](err); ok {
			diff.Damage = errors.Join(p.damage...)
		}
		return err
	}
	return errors.Join(p.damage...)
}

// verifyRows plays the blocks of the part, each worker one after another, and
// returns the error of the first that has one.
func (p *part) verifyRows(ctx context.Context, workers int, played func(int)) error {
	blocks := p.files[Matches].info.blocks()
	var (
		rows   [numTables]int64
		mu     sync.Mutex
		next   int
		failed = blocks // the first block that failed
		first  error
		wg     sync.WaitGroup
	)
	for range min(workers, blocks) {
		wg.Go(func() {
			v := newVerifier(p)
			for {
				mu.Lock()
				i := next
				next++
				// Blocks before the first that failed are still of interest.
				stop := i >= failed || ctx.Err() != nil
				mu.Unlock()
				if stop {
					return
				}
				counts, matches, err := v.block(i)
				mu.Lock()
				if err != nil && i < failed {
					failed, first = i, err
				}
				if err == nil {
					for t, n := range counts {
						rows[t] += n
					}
					played(matches)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if first != nil {
		return first
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	for t, f := range p.files {
		if f != nil && rows[t] != f.info.Rows {
			return fmt.Errorf("%s: %d rows; the manifest says %d", f.path, rows[t], f.info.Rows)
		}
	}
	return nil
}

// verifier plays the blocks of a part again.
type verifier struct {
	p      *part
	maker  rowMaker
	tables *tables
	match  sim.Match
	logs   []log // of the block

	words [numTables]*dictionaries

	// stored is the block that is played. Of each table, rows is the number of its
	// rows that were compared, and differs the first difference.
	stored  *storedBlock
	rows    [numTables]int64
	differs [numTables]error
	// decisions are those of the block where they are compared in place.
	decisions storedDecisions
}

func newVerifier(p *part) *verifier {
	v := &verifier{
		p:     p,
		maker: newRowMaker(p.d.rules, p.d.Run),
		match: sim.Match{Keep: p.d.Run.Keep()},
	}
	v.tables = newTables(p.d.mem, p.d.layout, v.compare)
	for _, t := range p.d.layout.tables {
		v.words[t] = p.d.layout.dictionaries(t)
	}
	return v
}

// block plays the i-th block and compares it. It returns the number of rows of
// each table and the number of matches. After an error the verifier is of no
// further use.
func (v *verifier) block(i int) (rows [numTables]int64, matches int, err error) {
	v.stored = v.p.block(i)
	defer v.stored.release()
	if v.logs, err = v.stored.logs(v.logs); err != nil {
		return rows, 0, err
	}
	inPlace := v.p.files[Decisions] != nil && v.decisions.open(v.stored)
	err = v.play(inPlace)
	if err != nil && inPlace {
		// Once more, with rows to tell what is different from.
		v.tables = newTables(v.p.d.mem, v.p.d.layout, v.compare)
		err = v.play(false)
	}
	if err != nil {
		return rows, 0, err
	}
	rows = v.rows
	if v.p.d.Run.Import != nil {
		if rows[Records], err = v.stored.countRecords(); err != nil {
			return rows, 0, err
		}
		// The walls have been played.
		err = v.stored.each(Walls, func(r arrow.Record, _ int) error {
			rows[Walls] += r.NumRows()
			return nil
		})
	}
	return rows, len(v.logs), err
}

// errOther is the error of decisions that are not those of the matches.
var errOther = errors.New("export: other decisions are stored")

// play plays the matches of the block and compares their rows, the decisions in place or
// with rows that are made of them. It returns the first difference.
func (v *verifier) play(inPlace bool) error {
	v.rows, v.differs = [numTables]int64{}, [numTables]error{}
	for k := range v.logs {
		if err := v.stored.replay(&v.match, &v.logs[k], v.stored.first+uint64(k)); err != nil {
			return errors.Join(v.difference(), err)
		}
		if inPlace && !v.decisions.next(&v.match) {
			return errOther
		}
		err := v.maker.read(&v.match)
		if err == nil {
			err = v.tables.addRows(&v.maker)
		}
		if err == nil && !inPlace {
			err = v.tables.addDecisions(&v.match)
		}
		if err != nil {
			return err
		}
	}
	for _, t := range compared {
		if v.p.files[t] == nil || t == Decisions && inPlace {
			continue
		}
		if err := v.tables.flush(t, true); err != nil {
			return err
		}
	}
	if inPlace {
		if v.rows[Decisions] = v.decisions.rows; !v.decisions.done() {
			return errOther
		}
	}
	return v.difference()
}

// compared are the tables that are compared. A wrong action changes all that
// follows it, so the table that shows where it begins comes first.
var compared = [...]Table{Decisions, Hands, Ledger, Matches}

// difference returns the first difference, nil if there is none.
func (v *verifier) difference() error {
	for _, t := range compared {
		if v.differs[t] != nil {
			return v.differs[t]
		}
	}
	return nil
}

// compare compares the next rows of a table, those of the last ones that are there.
// Differences are noted, so that the one that shows most is told.
func (v *verifier) compare(t Table, numbers arrow.Record, _ int, last bool) error {
	replayed := v.words[t].record(numbers)
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
func (v *verifier) differ(t Table, row int, message string) {
	v.differs[t] = &Difference{File: v.p.files[t].path, Row: v.stored.fileRow(t, row), Message: message}
}

// compare compares n rows of a stored record with n of a replayed one. It returns the
// first in which they differ, counted from the first compared, and how; the message is
// empty if they are equal.
func compare(stored arrow.Record, i int, replayed arrow.Record, j, n int) (row int, message string) {
	for c := range int(stored.NumCols()) {
		a, b := stored.Column(c), replayed.Column(c)
		if alike(a.Data(), i, b.Data(), j, n) {
			continue
		}
		for k := range n {
			if !alike(a.Data(), i+k, b.Data(), j+k, 1) {
				row, n = k, k
				message = fmt.Sprintf("column %s: %s is stored, the match gives %s", stored.ColumnName(c), a.ValueStr(i+k), b.ValueStr(j+k))
				break
			}
		}
	}
	return row, message
}
