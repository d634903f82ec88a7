package importing

import (
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/sim/record"
)

// File is a file of records to import.
type File struct {
	// Path is its path.
	Path string
	// Name is its name in the dataset: the path in the imported folder, or the file name.
	Name string
	// Size is its size in bytes, compressed if it is.
	Size int64
}

// Find returns the files at the paths in their order, those of a folder in the order of
// their names. A folder gives the regular files with a suffix of the format; one without
// any is an error. A path to a regular file is always included, one to another file is an error.
func Find(f *record.Format, paths []string) ([]File, error) {
	var files []File
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			if !info.Mode().IsRegular() { // files are read more than once
				return nil, fmt.Errorf("%s is not a regular file; copy its content to one and name that", path)
			}
			files = append(files, File{path, filepath.Base(path), info.Size()})
			continue
		}
		before := len(files)
		err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !isRecord(p, f.Suffixes) {
				return err
			}
			// Opening a named pipe in the folder would block.
			info, err := os.Stat(p)
			if err != nil || !info.Mode().IsRegular() {
				return nil
			}
			name, err := filepath.Rel(path, p)
			files = append(files, File{p, filepath.ToSlash(name), info.Size()})
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(files) == before {
			return nil, fmt.Errorf("%s: no file in it ends in %s or one of these and .gz", path, strings.Join(f.Suffixes, ", "))
		}
	}
	return files, nil
}

func isRecord(path string, suffixes []string) bool {
	path = strings.TrimSuffix(path, ".gz")
	return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(path, s) })
}

// text is a record in one of the files, or the error that ends the file.
type text struct {
	file   int
	record record.Text
	err    error
	// read is the number of bytes of the file read since the previous text.
	read int
	// held is what the text takes of mostHeld.
	held int64
}

// mostHeld is the number of bytes of texts that may be parsed or wait for it at a time, as many as a
// record may have. A hostile text is a hundred times as large when it is parsed, so that one for each
// worker would take all memory.
const mostHeld = 4 << 20

// texts returns the records of the files for which include returns true, in their order.
func (im *importer) texts(include func(file int) bool) iter.Seq[text] {
	return func(yield func(text) bool) {
		for n := range im.files {
			if include(n) && !im.textsOf(n, yield) {
				return
			}
		}
	}
}

func (im *importer) textsOf(n int, yield func(text) bool) bool {
	f, err := os.Open(im.files[n].Path)
	if err != nil {
		return yield(text{file: n, err: err})
	}
	defer f.Close()
	in := &counter{r: f}
	for t, err := range im.options.Format.Texts(in) {
		read := in.n
		in.n = 0
		if !yield(text{file: n, record: t, err: err, read: read}) {
			return false
		}
	}
	return true
}

// counter counts the bytes read.
type counter struct {
	r io.Reader
	n int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}
