package main

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/internal/plain"
)

// addShard adds --shard.
func (o *datasetFlags) addShard(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.shard, "shard", "", "play one of n equal parts, such as 2/8, which are made of whole files")
}

// parseShard returns the shard of a text such as 2/8, the zero value of none.
func parseShard(text string) (s export.Shard, err error) {
	if text == "" {
		return s, nil
	}
	number, of, _ := strings.Cut(text, "/")
	if s.Number, err = strconv.ParseUint(number, 10, 32); err == nil {
		s.Of, err = strconv.ParseUint(of, 10, 32)
	}
	if err != nil || s.Number < 1 || s.Number > s.Of {
		return s, usagef("--shard: %q; allowed: number/of, such as 1/8 to 8/8", text)
	}
	return s, nil
}

// reportShard says what a shard holds that the command has written.
func (o *datasetFlags) reportShard(cmd *cobra.Command, first, end uint64) error {
	out := cmd.OutOrStdout()
	if o.json {
		return writeJSON(out, struct {
			Shard   string `json:"shard"`
			First   uint64 `json:"first_match"`
			Matches uint64 `json:"matches"`
		}{o.shard, first, end - first})
	}
	merge := cmd
	if merge.Name() == "run" {
		merge = merge.Parent()
	}
	_, err := fmt.Fprintf(out, "%s holds shard %s, matches %d to %d; %s merge joins it with the others\n", plain.Line(o.out), o.shard, first, end-1, merge.Name())
	return err
}

// mergeOptions are the flags of the verbs that join shards.
type mergeOptions struct {
	out, seal, signBy string
	force, json       bool
	quietFlag

	secret *export.Seal
	key    ed25519.PrivateKey
}

// newMergeCommand returns the verb that joins the shards of a kind of run. merge
// does it, and prints what the command that plays all of it prints. secrets tells
// whether runs of the kind may be sealed and signed.
func newMergeCommand(what, example string, secrets bool, merge func(o *mergeOptions, cmd *cobra.Command, shards []string) error) *cobra.Command {
	var o mergeOptions
	cmd := &cobra.Command{
		Use:   "merge SHARD...",
		Short: "Join the shards of a " + what,
		Long: `Merge joins the folders of all shards of a ` + what + `, in any order, to the folder
that one machine would have written, byte for byte, and prints what that prints.
Each file is compared with its checksum. The same command again continues a merge
that was interrupted.`,
		Example: example,
		Args:    arguments(1, 1<<16),
		RunE: func(cmd *cobra.Command, shards []string) error {
			if o.out == "" {
				return usagef("--out is missing: which folder shall be written?")
			}
			if err := o.open(); err != nil {
				return err
			}
			return merge(&o, cmd, shards)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "folder to write the "+what+" to")
	f.BoolVar(&o.force, "force", false, "start over, replacing what is in the folder")
	o.addQuiet(cmd)
	jsonFlag(cmd, &o.json)
	if secrets {
		sealFileFlag(cmd, &o.seal, "file with the seed of a sealed run, which the merge reveals")
		f.StringVar(&o.signBy, "sign", "", "PEM file of an ed25519 key to sign the dataset with")
	}
	return cmd
}

// open reads the files of a seal and of a key, where they are named.
func (o *mergeOptions) open() (err error) {
	if o.seal != "" {
		if o.secret, _, err = export.ReadSeal(o.seal); err != nil {
			return err
		}
	}
	if o.signBy != "" {
		if o.key, err = export.ReadPrivateKey(o.signBy); err != nil {
			return fmt.Errorf("--sign: %w", err)
		}
	}
	return nil
}

// join joins the shards of each of some datasets.
func (o *mergeOptions) join(cmd *cobra.Command, dirs []string, shardsOf [][]string) error {
	var matches uint64
	for _, shards := range shardsOf {
		for _, dir := range shards {
			d, err := export.Open(dir)
			if err != nil {
				return err
			}
			matches += d.Matches()
		}
	}
	p := o.progress(cmd, "matches", matches)
	defer p.end()
	for i, dir := range dirs {
		err := export.Merge(cmd.Context(), dir, shardsOf[i], o.secret, o.force, p.add)
		switch {
		case errors.Is(err, export.ErrOccupied):
			return fmt.Errorf("%w; --force starts over there", err)
		case errors.Is(err, context.Canceled):
			return fmt.Errorf("interrupted; the same command continues in %s", o.out)
		case err != nil:
			return err
		}
		if o.key != nil {
			if err := export.Sign(dir, o.key); err != nil {
				return err
			}
		}
	}
	return nil
}

// dataset joins the shards of one dataset, which it opens. Tournaments are joined
// by one verb, other runs by another.
func (o *mergeOptions) dataset(cmd *cobra.Command, shards []string, tournament bool) (*export.Dataset, error) {
	for _, dir := range shards {
		switch d, err := export.Open(dir); {
		case err != nil:
			return nil, err
		case tournament && d.Run.Tournament == nil:
			return nil, fmt.Errorf("%s: it is of no tournament; play merge joins shards of play", dir)
		case !tournament && d.Run.Tournament != nil:
			return nil, fmt.Errorf("%s: it is of a tournament; tournament merge joins its shards", dir)
		}
	}
	if err := o.join(cmd, []string{o.out}, [][]string{shards}); err != nil {
		return nil, err
	}
	return export.Open(o.out)
}
