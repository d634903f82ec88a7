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
	// Path is where it lies.
	Path string
	// Name is what the file is called in the dataset: its path in the folder that
	// was named, or its own name.
	Name string
	// Size is its size in bytes as it lies there.
	Size int64
}

// Find returns the files of the paths in their order, those of a folder in the
// order of their names. Of a folder it takes the regular files whose names end as
// the format's do, and the error is that of one without any; a file that is named
// is always taken.
func Find(f *record.Format, paths []string) ([]File, error) {
	var files []File
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, File{path, filepath.Base(path), info.Size()})
			continue
		}
		before := len(files)
		err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !isRecord(p, f.Suffixes) {
				return err
			}
			// A pipe in a folder would be waited for without end.
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

// text is a record of one of the files, or the error that ends a file.
type text struct {
	file int
	record.Text
	err error
	// read is how many bytes of the file have been read since the text before.
	read int
}

// texts returns the records of the files that are wanted, in their order.
func (im *importer) texts(wanted func(file int) bool) iter.Seq[text] {
	return func(yield func(text) bool) {
		for n := range im.files {
			if wanted(n) && !im.textsOf(n, yield) {
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
	for t, err := range im.Format.Texts(in) {
		read := in.n
		in.n = 0
		if !yield(text{n, t, err, read}) {
			return false
		}
	}
	return true
}

// counter counts what is read.
type counter struct {
	r io.Reader
	n int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}
