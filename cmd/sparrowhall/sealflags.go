package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/export"
)

// sealFlags are the flags of the verbs that play for a competition.
type sealFlags struct {
	sealed bool
	seal   string
}

func (o *sealFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.sealed, "sealed", false, "draw a seed that nobody knows before the run is complete; see docs/competitions.md")
	sealFileFlag(cmd, &o.seal, "file, outside the dataset, that keeps the seed of a sealed run until it is complete")
}

// sealFileFlag adds --seal-file.
func sealFileFlag(cmd *cobra.Command, file *string, help string) {
	cmd.Flags().StringVar(file, "seal-file", "", help)
}

// check returns what is wrong with the flags themselves.
func (o *sealFlags) check(cmd *cobra.Command, out string) error {
	switch f := cmd.Flags(); {
	case o.sealed && f.Changed("seed"):
		return usagef("--seed is that of an open run; that of a sealed one is drawn")
	case o.sealed && out == "":
		return usagef("--sealed keeps its promise in a dataset; name its folder with --out")
	case o.sealed && o.seal == "":
		return usagef("--sealed needs a file for its seed; name it with --seal-file")
	case !o.sealed && f.Changed("seal-file"):
		return usagef("--seal-file is the file of a sealed run; say so by --sealed")
	}
	return nil
}

// apply seals a run that is written to a folder, by a new seal or by that of the
// run that is continued there. It returns without effect if --sealed is not given.
func (o *sealFlags) apply(cmd *cobra.Command, run *export.Run, d *datasetFlags) error {
	if !o.sealed {
		return nil
	}
	if inside, err := within(o.seal, d.out); err != nil {
		return err
	} else if inside {
		return usagef("--seal-file: %s is in the folder of the dataset, which others will read; name a file elsewhere", o.seal)
	}
	seal, err := o.open(run, d)
	if err != nil {
		return err
	}
	run.SetSeal(seal)
	fmt.Fprintf(cmd.ErrOrStderr(), "sealed: the commitment is %x\n", seal.Commitment)
	return nil
}

// open returns the seal of the run: that of the file, or a new one, which it
// writes there.
func (o *sealFlags) open(run *export.Run, d *datasetFlags) (*export.Seal, error) {
	_, err := os.Stat(o.seal)
	missing := errors.Is(err, fs.ErrNotExist)
	there, err := export.Open(d.out)
	begun := err == nil && !d.force
	switch {
	case missing && begun && there.Run.Seal != nil && there.Run.Seal.Known():
		return there.Run.Seal, nil // complete, and its seed is revealed
	case missing && begun:
		return nil, fmt.Errorf("%s: it is missing, and the dataset in %s cannot be continued without the seed in it", o.seal, d.out)
	case missing:
		seal := export.NewSeal()
		return seal, seal.Write(o.seal, run)
	case !begun && run.Shard.Of == 0:
		return nil, fmt.Errorf("%s: there is a seal already, and a seal is for one run; name a new file with --seal-file", o.seal)
	}
	return export.OpenSeal(o.seal, run)
}

// within reports whether a file is in a folder or below it.
func within(file, dir string) (bool, error) {
	var real [2]string
	for i, path := range []string{filepath.Dir(file), dir} {
		path, err := filepath.Abs(path)
		if err != nil {
			return false, err
		}
		// What is not there yet cannot be a link.
		if real[i], err = filepath.EvalSymlinks(path); err != nil {
			real[i] = path
		}
	}
	rel, err := filepath.Rel(real[1], real[0])
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)), nil
}

// unseal makes a sealed dataset playable by a seal file, if one is named.
func unseal(d *export.Dataset, file string) error {
	if file == "" {
		return nil
	}
	seal, _, err := export.ReadSeal(file)
	if err != nil {
		return err
	}
	return d.Unseal(seal)
}
