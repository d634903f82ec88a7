package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/internal/tempdir"
)

// checkFile returns the error that writeFile would return for a path, so that long work does not
// begin in vain.
func checkFile(path string, force bool) error {
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: there is no folder %s; make it first", path, dir)
	} else if err == nil && !info.IsDir() {
		return fmt.Errorf("%s: %s is no folder", path, dir)
	}
	switch info, err := os.Lstat(path); {
	case err != nil: // most often nothing is there
	case info.IsDir():
		return fmt.Errorf("%s: a folder is there; name a file", path)
	case info.Mode()&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0: // the new file would take its place
		return fmt.Errorf("%s: a device, pipe or socket is there; name a file", path)
	case !force:
		return fmt.Errorf("%s: %w; --force replaces it", path, fs.ErrExist)
	}
	return nil
}

// writeFile writes a file that appears under its name only when it is complete. With force it
// replaces a file that is there.
func writeFile(path string, force bool, write func(io.Writer) error) error {
	if err := checkFile(path, force); err != nil {
		return err
	}
	return tempdir.WriteFile(path, write)
}

// pageFlags are --html, a file to write a web page to, and --force.
type pageFlags struct {
	html  string
	force bool
}

func (o *pageFlags) addPage(cmd *cobra.Command, help string) {
	cmd.Flags().StringVar(&o.html, "html", "", help)
	cmd.Flags().BoolVar(&o.force, "force", false, "replace the file of --html")
	require(cmd, func() error { return o.checkPage(cmd) })
}

func (o *pageFlags) checkPage(cmd *cobra.Command) error {
	switch {
	case cmd.Flags().Changed("html") && o.html == "":
		return usagef("--html: name a file")
	case o.force && o.html == "":
		return usagef("--force replaces the file of --html, which is missing")
	}
	return nil
}

// checkFile returns the error that write would return for the path.
func (o *pageFlags) checkFile() error {
	if o.html == "" {
		return nil
	}
	return checkFile(o.html, o.force)
}

func (o *pageFlags) write(page func(io.Writer) error) error {
	if o.html == "" {
		return nil
	}
	return writeFile(o.html, o.force, page)
}

// writeBytes writes a file as writeFile does, replacing a file that is there.
func writeBytes(path string, data []byte) error {
	return writeFile(path, true, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
