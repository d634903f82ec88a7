package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/kballard/go-shellquote"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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

// commandText returns a command with its arguments, for the page that it makes: without the flags
// that say where results go, and without agents that are commands or addresses.
func commandText(cmd *cobra.Command, args []string) string {
	words := strings.Fields(cmd.CommandPath())
	for _, arg := range args {
		if filepath.IsAbs(arg) {
			arg = filepath.Base(arg)
		}
		words = append(words, arg)
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		switch f.Name {
		case "out", "html", "force", "json", "quiet", "progress", "workers":
			return
		case "agents", "agent", "field":
			for _, value := range values {
				if !areBuiltIn(strings.Split(value, ",")) {
					return
				}
			}
		}
		for _, value := range values {
			if filepath.IsAbs(value) {
				value = filepath.Base(value)
			}
			words = append(words, "--"+f.Name+"="+value)
		}
	})
	return shellquote.Join(words...)
}
