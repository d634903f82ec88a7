package dataset

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/userfile"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// ErrNoMatch is the error of a match that a dataset does not have.
var ErrNoMatch = errors.New("no such match")

// Dataset reads a dataset. Any number of goroutines may use it. Each file is compared with
// its checksum before it is read.
type Dataset struct {
	// Manifest describes the dataset, Run the run that it records.
	Manifest *Manifest
	Run      *Run

	dir    string
	text   []byte // of the manifest
	rules  *ruleset.Rules
	layout *schema.Layout
	mem    memory.Allocator
}

// maxManifest is the most bytes of a manifest, more than a billion matches take.
const maxManifest = 1 << 30

// missingError is the error of a folder that has no dataset.
type missingError string

func (e missingError) Error() string { return string(e) }
func (e missingError) Unwrap() error { return fs.ErrNotExist }

// Open reads the manifest of the dataset in a folder. The dataset may be incomplete, and
// another process may be writing it: the files in the manifest are whole. The error is
// [fs.ErrNotExist] if there is no folder, or no manifest in it, as after a crash before the first.
func Open(dir string) (*Dataset, error) {
	path := filepath.Join(dir, manifestName)
	text, err := userfile.ReadRegular(path, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(dir); err != nil {
			return nil, err
		}
		return nil, missingError(fmt.Sprintf("%s: no dataset: there is no %s in it%s", dir, manifestName, within(dir)))
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
		dir: dir, text: text, rules: rules, layout: run.layout(rules), mem: memory.DefaultAllocator,
	}
	if t := run.Tournament; t != nil {
		err = t.AddAll(d)
	}
	return d, err
}

// within returns which of the folders in a folder to name instead, "" if none has a dataset.
func within(dir string) string {
	const most = 3
	entries, _ := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(dir, e.Name(), manifestName)); err == nil {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	switch n := len(names) - most; {
	case len(names) == 0:
		return ""
	case n > 0:
		names = append(names[:most], fmt.Sprintf("or one of %d others", n))
	}
	return "; name a folder in it: " + strings.Join(names, ", ")
}

// Digest returns the SHA-256 of the manifest, which has the checksums of all files.
func (d *Dataset) Digest() string { return fmt.Sprintf("%x", sha256.Sum256(d.text)) }

// Differences returns in what the dataset is not that of a run, "" if it is.
func (d *Dataset) Differences(r *Run) string { return d.Manifest.Differences(newManifest(r)) }

// Rules returns the rules of the matches.
func (d *Dataset) Rules() *ruleset.Rules { return d.rules }

// First returns the number of the first match that the dataset holds: 0 except in a shard.
func (d *Dataset) First() uint64 { return d.Manifest.first }

// Matches returns the number of matches in the dataset, from First on.
func (d *Dataset) Matches() uint64 { return d.Manifest.next() - d.Manifest.first }

// MatchRows returns the rows of table matches in the order of the matches and players. It
// ends with the first error.
func (d *Dataset) MatchRows() iter.Seq2[schema.MatchRow, error] {
	return rows(d, schema.Matches, d.layout.Matches, d.matchCheck())
}

// MatchesByRows returns the rows of each match, one for each player, in the order of the
// matches. They are valid until the next match. It ends with the first error.
func (d *Dataset) MatchesByRows() iter.Seq2[[]schema.MatchRow, error] {
	return func(yield func([]schema.MatchRow, error) bool) {
		rows := make([]schema.MatchRow, 0, d.rules.NumSeats())
		for r, err := range d.MatchRows() {
			if err != nil {
				yield(nil, err)
				return
			}
			if rows = append(rows, r); len(rows) < cap(rows) {
				continue
			}
			if !yield(rows, nil) {
				return
			}
			rows = rows[:0]
		}
	}
}

// HandRows returns the rows of table hands in the order of the hands. It ends with the
// first error, which is [errors.ErrUnsupported] if hands are not recorded.
func (d *Dataset) HandRows() iter.Seq2[schema.HandRow, error] {
	return rows(d, schema.Hands, d.layout.Hands, d.checkHand)
}

// DecisionRows returns the rows of table decisions in the order of the decisions. It ends
// with the first error, which is [errors.ErrUnsupported] if decisions are not recorded.
func (d *Dataset) DecisionRows() iter.Seq2[schema.DecisionRow, error] {
	return rows(d, schema.Decisions, d.layout.Decisions, handRowCheck(d, "index", decisionPlace, (*schema.DecisionRow).Check))
}

// WinRows returns the rows of table wins in the order of the wins and patterns. It ends with
// the first error, which is [errors.ErrUnsupported] if hands are not recorded.
func (d *Dataset) WinRows() iter.Seq2[schema.WinRow, error] {
	return rows(d, schema.Wins, d.layout.Wins, d.checkWin)
}

// LedgerRows returns the rows of table ledger in the order of the changes. It ends with the
// first error, which is [errors.ErrUnsupported] if hands are not recorded or the rules have
// no debts.
func (d *Dataset) LedgerRows() iter.Seq2[schema.LedgerRow, error] {
	return rows(d, schema.Ledger, d.layout.Ledger, handRowCheck(d, "order", changePlace, (*schema.LedgerRow).Check))
}

// Records returns a table as Arrow records, which are the record batches of its files. A
// record is valid until the next one. It ends with the first error.
func (d *Dataset) Records(t schema.Table) iter.Seq2[arrow.Record, error] {
	return func(yield func(arrow.Record, error) bool) {
		d.batches(t, func(_ *tableFile, r arrow.Record, err error) bool { return yield(r, err) })
	}
}

func (d *Dataset) batches(t schema.Table, yield func(*tableFile, arrow.Record, error) bool) {
	if !slices.Contains(d.layout.Tables, t) {
		yield(nil, nil, fmt.Errorf("%s: table %s was not recorded: %w", d.dir, t, errors.ErrUnsupported))
		return
	}
	for n := range d.parts() {
		if !d.partBatches(n, t, yield) {
			return
		}
	}
}

// parts returns the numbers of the files, which all tables have.
func (d *Dataset) parts() iter.Seq[uint64] {
	first := d.Manifest.first / d.Run.FileMatches
	return func(yield func(uint64) bool) {
		for n := range uint64(len(d.Manifest.Files) / len(d.layout.Tables)) {
			if !yield(first + n) {
				return
			}
		}
	}
}

func (d *Dataset) partBatches(n uint64, t schema.Table, yield func(*tableFile, arrow.Record, error) bool) bool {
	p, err := d.openPart(n, []schema.Table{t}, false)
	if err != nil {
		yield(nil, nil, err)
		return false
	}
	defer p.close()
	f := p.files[t]
	for i := range f.reader.NumBatches() {
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

// rows returns the rows of a table. check is called with each row and the one before it,
// nil for the first.
func rows[R any](d *Dataset, t schema.Table, columns schema.Columns[R], check func(r, prev *R) error) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		var list []R
		var prev *R
		last := new(R)
		file, number := "", int64(0) // of the row in its file
		d.batches(t, func(f *tableFile, r arrow.Record, err error) bool {
			if err == nil {
				if f.path != file {
					file, number = f.path, 0
				}
				list = list[:0]
				err = f.guard(func() error {
					list = columns.Read(list, r)
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

// Match replays a match. The players who forfeited are those of the dataset. If it does not
// have the match, the error is [ErrNoMatch].
func (d *Dataset) Match(index uint64) (*sim.Match, error) {
	switch first, end := d.Manifest.first, d.Manifest.next(); {
	case end == first:
		return nil, fmt.Errorf("%s: match %d: %w; it has none", d.dir, index, ErrNoMatch)
	case index < first || index >= end:
		return nil, fmt.Errorf("%s: match %d: %w; it has matches %d to %d", d.dir, index, ErrNoMatch, first, end-1)
	}
	m := &sim.Match{Keep: sim.KeepChoices | sim.KeepValues}
	return m, d.withBlock(index, func(b *storedBlock) error {
		logs, err := b.logs(nil)
		if err != nil {
			return err
		}
		return b.replay(m, &logs[index%sim.BlockSize], index)
	})
}

func (d *Dataset) withBlock(match uint64, use func(b *storedBlock) error) error {
	p, err := d.openPart(match/d.Run.FileMatches, d.layout.ReplayTables(), false)
	if err != nil {
		return err
	}
	defer p.close()
	b := p.block(int(match % d.Run.FileMatches / sim.BlockSize))
	defer b.release()
	return use(b)
}
