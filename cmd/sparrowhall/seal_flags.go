package main

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/export/seal"
)

// sealFlags are the flags of verbs that play for a competition.
type sealFlags struct {
	sealed bool
	seal   string
}

func (o *sealFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.sealed, "sealed", false, "draw a seed that stays secret until the run is complete; see docs/contests.md#sealed-walls")
	sealFileFlag(cmd, &o.seal, "file outside the dataset that keeps the seed of a sealed run")
}

// sealHelp describes --seal-file of verbs that read sealed datasets.
const sealHelp = "file with the seed of a sealed run that is not complete"

func sealFileFlag(cmd *cobra.Command, file *string, help string) {
	cmd.Flags().StringVar(file, "seal-file", "", help)
}

func (o *sealFlags) check(cmd *cobra.Command, out string) error {
	switch f := cmd.Flags(); {
	case o.sealed && f.Changed("seed"):
		return usagef("--seed is for runs without --sealed, which draws the seed")
	case o.sealed && out == "":
		return usagef("--sealed needs a dataset; name its folder with --out")
	case o.sealed && o.seal == "":
		return usagef("--sealed needs a file for its seed; name it with --seal-file")
	case !o.sealed && f.Changed("seal-file"):
		return usagef("--seal-file is for sealed runs; add --sealed")
	}
	return nil
}

// apply seals a run with a new seal, or with that of the run that it continues. Without --sealed
// it does nothing.
func (o *sealFlags) apply(cmd *cobra.Command, run *dataset.Run, d *datasetFlags) error {
	if !o.sealed {
		return nil
	}
	if inside, err := within(o.seal, d.out); err != nil {
		return err
	} else if inside {
		return usagef("--seal-file: %s is in the folder of the dataset, which others will read; name a file elsewhere", o.seal)
	}
	s, err := o.open(cmd.Context(), run, d)
	if err != nil {
		return err
	}
	run.SetSeal(s)
	fmt.Fprintf(cmd.ErrOrStderr(), "sealed: the commitment is %x\n", s.Commitment)
	return nil
}

// open returns the seal in the file, or a new one, which it writes there.
func (o *sealFlags) open(ctx context.Context, run *dataset.Run, d *datasetFlags) (*seal.Seal, error) {
	_, err := os.Stat(o.seal)
	missing := errors.Is(err, fs.ErrNotExist)
	there, err := dataset.Open(d.out)
	begun := err == nil && !d.force
	switch {
	case missing && begun && there.Run.Seal != nil && there.Run.Seal.Known():
		return there.Run.Seal, nil // complete, and its seed is revealed
	case missing && begun:
		return nil, fmt.Errorf("%s: it is missing, and the dataset in %s cannot be continued without the seed in it", o.seal, d.out)
	case missing:
		s := seal.New()
		return s, run.WriteSeal(o.seal, s)
	case !begun && run.Shard.Of == 0 && !d.later: // others may play another part of the run
		return nil, fmt.Errorf("%s: there is a seal already, and a seal is for one run; name a new file with --seal-file", o.seal)
	}
	return run.ReadSeal(ctx, o.seal)
}

// signFlag is --sign: the file of a private key, and the key once it is read.
type signFlag struct {
	file string
	key  ed25519.PrivateKey
}

func (o *signFlag) add(cmd *cobra.Command, help string) {
	cmd.Flags().StringVar(&o.file, "sign", "", help)
}

// read reads the key if one is named. Call it before the work, so that a wrong key is reported
// first.
func (o *signFlag) read(ctx context.Context) (err error) {
	if o.file == "" {
		return nil
	}
	if o.key, err = seal.ReadPrivateKey(ctx, o.file); err != nil {
		return fmt.Errorf("--sign: %w", err)
	}
	return nil
}

// apply signs a complete dataset if there is a key.
func (o *signFlag) apply(dir string) error {
	if o.key == nil {
		return nil
	}
	return dataset.Sign(dir, o.key)
}

// checkKey returns the error of a signature check with the public key of --key, nil without one.
func checkKey(ctx context.Context, file string, check func(ed25519.PublicKey) error) error {
	if file == "" {
		return nil
	}
	key, err := seal.ReadPublicKey(ctx, file)
	if err == nil {
		err = check(key)
	}
	if err != nil {
		return fmt.Errorf("--key: %w", err)
	}
	return nil
}

// within reports whether a file is in a folder or below it.
func within(file, dir string) (bool, error) {
	var real [2]string
	for i, path := range []string{filepath.Dir(file), dir} {
		path, err := filepath.Abs(path)
		if err != nil {
			return false, err
		}
		// A path that does not exist yet is no link.
		if real[i], err = filepath.EvalSymlinks(path); err != nil {
			real[i] = path
		}
	}
	rel, err := filepath.Rel(real[1], real[0])
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)), nil
}

// openDataset opens the dataset in a folder, with the seed of --seal-file if that is named.
func openDataset(ctx context.Context, dir, sealFile string) (*dataset.Dataset, error) {
	d, err := dataset.Open(dir)
	if err == nil {
		err = unseal(ctx, d, sealFile)
	}
	return d, err
}

// unseal gives a sealed dataset the seed in a file, if one is named, so that it can be replayed.
func unseal(ctx context.Context, d *dataset.Dataset, file string) error {
	if file == "" {
		return nil
	}
	s, _, err := seal.ReadFile(ctx, file)
	if err != nil {
		return err
	}
	return d.Unseal(s)
}
