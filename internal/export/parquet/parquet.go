// Package parquet writes the tables of a dataset as Parquet files, for Spark, BigQuery,
// DuckDB and other programs that do not read Arrow files.
//
//	err := parquet.Write(ctx, d, "lake", nil, func(matches int) { ... })
//	// lake/hands/ruleset=tenhou/part-000000.parquet, ...
package parquet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/tempdir"
)

// runFile is the name of the file that describes the run. Readers of Parquet ignore files
// that begin with an underscore.
const runFile = "_run.json"

// groupRows is the most rows of a row group.
const groupRows = 1 << 20

// groupBytes is the number of bytes after which the next batch begins a new row group. Tests
// change it.
var groupBytes uint64 = 64 << 20

// ErrOccupied is the error of a folder that is not empty.
var ErrOccupied = errors.New("the folder is not empty")

// Write writes tables of a dataset, or all of them if tables is empty, to folder dir, which
// must not exist or be empty. It has a folder for each table, in it one for the ruleset, and
// in that a file for each file of the dataset. It appears when it is complete. Memory is
// bounded by a row group. written is called with the number of matches whose rows of a
// table were written.
//
// The error of a table that is not recorded is [errors.ErrUnsupported].
func Write(ctx context.Context, d *dataset.Dataset, dir string, tables []schema.Table, written func(matches int)) error {
	if len(tables) == 0 {
		tables = d.Run.Tables()
	}
	dir = filepath.Clean(dir)
	switch list, err := os.ReadDir(dir); {
	case err == nil && len(list) > 0:
		return fmt.Errorf("%s: %w", dir, ErrOccupied)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	temp, err := tempdir.Beside(dir)
	if err != nil {
		return err
	}
	err = errors.Join(os.Chmod(temp.Path, 0o755), writeRun(d, filepath.Join(temp.Path, runFile)))
	for _, t := range tables {
		if err != nil {
			break
		}
		err = writeTable(ctx, d, t, filepath.Join(temp.Path, t.String(), "ruleset="+escape(d.Run.Ruleset.Name)), written)
	}
	if err == nil {
		err = temp.Rename(dir)
	}
	if err != nil {
		return errors.Join(err, temp.Remove())
	}
	return nil
}

// escape returns the value of a partition as a folder name, as Hive does.
func escape(value string) string { return strings.ReplaceAll(url.PathEscape(value), "=", "%3D") }

// writeRun writes the manifest without its files.
func writeRun(d *dataset.Dataset, path string) error {
	m := *d.Manifest
	m.Files = []dataset.FileInfo{}
	text, err := json.MarshalIndent(&m, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o666)
}

func writeTable(ctx context.Context, d *dataset.Dataset, t schema.Table, dir string, written func(int)) (err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var w *pqarrow.FileWriter // closing it closes the file
	defer func() {
		if w != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	file, match, group := uint64(0), d.First(), uint64(0)
	for r, err := range d.Records(t) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if r.NumRows() == 0 {
			continue
		}
		matches := r.Column(0).(*array.Int64)
		if n := uint64(matches.Value(0)) / d.Run.FileMatches; w == nil || n != file {
			if w != nil {
				if err := w.Close(); err != nil {
					return err
				}
			}
			file, group = n, 0
			if w, err = create(filepath.Join(dir, fmt.Sprintf("part-%06d.parquet", n)), variableSchema(r.Schema())); err != nil {
				return err
			}
		}
		if group > groupBytes {
			w.NewBufferedRowGroup()
			group = 0
		}
		for _, c := range r.Columns() {
			group += c.Data().SizeInBytes()
		}
		p := variableRecord(r)
		err = w.WriteBuffered(p)
		p.Release()
		if err != nil {
			return err
		}
		if next := uint64(matches.Value(matches.Len()-1)) + 1; written != nil && next > match {
			written(int(next - match))
			match = next
		}
	}
	return nil
}

func create(path string, schema *arrow.Schema) (*pqarrow.FileWriter, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	w, err := pqarrow.NewFileWriter(schema, f,
		parquet.NewWriterProperties(
			parquet.WithCompression(compress.Codecs.Zstd), parquet.WithMaxRowGroupLength(groupRows),
			parquet.WithCreatedBy("sparrowhall"), parquet.WithStats(true)),
		pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}
