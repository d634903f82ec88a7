package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/export/arrowfile"
	"github.com/sparrowhall/sparrowhall/internal/userfile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// tableFile is a file of a dataset that is being read.
type tableFile struct {
	info   *FileInfo
	path   string
	file   *os.File
	reader *arrowfile.Reader
	firsts []uint64 // the first match of each record batch
}

// openFile opens a file of the dataset. The caller compares it with its checksum and reads its
// footer.
func (d *Dataset) openFile(info *FileInfo) (*tableFile, error) {
	path := filepath.Join(d.dir, info.Name)
	file, err := userfile.OpenRegular(path)
	return &tableFile{info: info, path: path, file: file}, err
}

// copy copies the file, which is at the path, and compares it with its size and checksum.
func (i *FileInfo) copy(to io.Writer, from io.Reader, path string) error {
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, h), from)
	switch {
	case err != nil:
		return err
	case n != i.Bytes:
		return fmt.Errorf("%s: %d bytes; the manifest says %d", path, n, i.Bytes)
	case hex.EncodeToString(h.Sum(nil)) != i.SHA256:
		return fmt.Errorf("%s: the checksum is not that of the manifest", path)
	}
	return nil
}

func (f *tableFile) readFooter(d *Dataset) (err error) {
	f.reader, err = arrowfile.NewReader(f.file, d.layout.Schema(f.info.Table), d.mem)
	if errors.Is(err, arrowfile.ErrColumns) {
		return fmt.Errorf("%s: its columns are not those of table %s", f.path, f.info.Table)
	} else if err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	f.firsts = f.info.batchFirsts()
	if n := f.reader.NumBatches(); n != len(f.firsts) {
		return fmt.Errorf("%s: %d record batches; there should be %d", f.path, n, len(f.firsts))
	}
	return nil
}

func blocksOf(matches uint64) int { return int((matches + sim.BlockSize - 1) / sim.BlockSize) }

// record reads a record batch, which the caller releases, into memory of its own.
func (f *tableFile) record(i int) (arrow.Record, error) {
	r, _, err := f.recordIn(i, nil)
	return r, err
}

// recordIn is record into memory that is reused; see [arrowfile.Reader.Read].
func (f *tableFile) recordIn(i int, dst []byte) (r arrow.Record, memory []byte, err error) {
	r, memory, err = f.reader.Read(i, dst)
	if err == nil && f.info.Table == schema.Decisions {
		err = arrowfile.Guard(func() error { return schema.CheckActions(r) })
	}
	if err != nil {
		return nil, memory, fmt.Errorf("%s: %w", f.path, err)
	}
	return r, memory, nil
}

// guard calls a function that reads arrays of the file. A panic becomes an error.
func (f *tableFile) guard(read func() error) error {
	if err := arrowfile.Guard(read); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	return nil
}

func (f *tableFile) close() error {
	if f == nil {
		return nil
	}
	if f.reader != nil {
		f.reader.Release()
	}
	return f.file.Close()
}
