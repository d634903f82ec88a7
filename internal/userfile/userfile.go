// Package userfile reads files that users name, such as weights, rulesets and
// tokens. A name may lead to anything: a device without an end, a named pipe that
// no process writes to, a file that grows. So the bytes that are read are counted,
// whatever size the file system reports, and opening and reading end with a context.
//
//	text, err := userfile.Read(cmd.Context(), path, 1<<20)
package userfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// Read returns the content of a file of at most limit bytes. Where the file may be
// read more than once, [ReadRegular] refuses what cannot be.
//
// The error names the file. It wraps [ErrTooLarge] if the file has more bytes, and
// the cause of ctx if that ended first, also while a named pipe waits for a writer.
func Read(ctx context.Context, path string, limit int64) ([]byte, error) {
	f, err := Open(ctx, path, limit)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// ReadRegular is Read of a regular file or a link to one. It refuses devices and
// pipes, whose bytes could not be read a second time, and so needs no context.
func ReadRegular(path string, limit int64) ([]byte, error) {
	if err := checkRegular(path); err != nil {
		return nil, err
	}
	return Read(context.Background(), path, limit)
}

// OpenRegular opens a regular file or a link to one. Opening a pipe would wait for ever.
func OpenRegular(path string) (*os.File, error) {
	if err := checkRegular(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

func checkRegular(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file; copy its content to one and name that", path)
	}
	return err
}

// ErrTooLarge is the error of files with more bytes than may be read.
var ErrTooLarge = errors.New("the file is too large")

// File is a file that is being read. It is for one goroutine.
type File struct {
	file *os.File
	path string
	ctx  context.Context
	stop func() bool // keeps the end of ctx from closing file

	limit, left int64 // bytes that may be read
}

// Open opens a file for reading. Reads fail with [ErrTooLarge] after limit bytes if
// there are more, and with the cause of ctx once that has ended.
func Open(ctx context.Context, path string, limit int64) (*File, error) {
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	go func() { // opening a named pipe waits for a writer
		f, err := os.Open(path)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return nil, o.err
		}
		f := &File{file: o.file, path: path, ctx: ctx, limit: limit, left: limit}
		f.stop = context.AfterFunc(ctx, func() { o.file.Close() })
		return f, nil
	case <-ctx.Done():
		go func() {
			if o := <-done; o.err == nil {
				o.file.Close()
			}
		}()
		return nil, fmt.Errorf("open %s: %w", path, context.Cause(ctx))
	}
}

// Read implements [io.Reader].
func (f *File) Read(b []byte) (int, error) {
	if int64(len(b)) > f.left+1 {
		b = b[:f.left+1] // one more shows that there is more
	}
	n, err := f.file.Read(b)
	if f.ctx.Err() != nil {
		return 0, fmt.Errorf("read %s: %w", f.path, context.Cause(f.ctx))
	}
	if int64(n) > f.left {
		n = int(f.left)
		err = fmt.Errorf("%w: %s has more than %s, the most that is read; check that the name is right", ErrTooLarge, f.path, size(f.limit))
	}
	f.left -= int64(n)
	return n, err
}

// Close implements [io.Closer].
func (f *File) Close() error {
	if !f.stop() {
		return nil // closed at the end of the context
	}
	return f.file.Close()
}

// size returns a number of bytes as text, in the largest unit that divides it.
func size(n int64) string {
	for i, unit := range []string{"GiB", "MiB", "KiB"} {
		if bits := 30 - 10*i; n > 0 && n&(1<<bits-1) == 0 {
			return fmt.Sprintf("%d %s", n>>bits, unit)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
