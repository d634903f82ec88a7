package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/export/seal"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

func (o *datasetFlags) addShard(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.shard, "shard", "", "play one of n equal parts of whole files, such as 2/8")
}

// parseShard returns the shard of a text such as 2/8, the zero value for an empty one.
func parseShard(text string) (s dataset.Shard, err error) {
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

// reportShard prints which matches a shard holds that the command has written.
func (o *datasetFlags) reportShard(cmd *cobra.Command, first, end uint64) error {
	out := cmd.OutOrStdout()
	if o.json {
		return printJSON(out, struct {
			Shard   string `json:"shard"`
			First   uint64 `json:"first_match"`
			Matches uint64 `json:"matches"`
		}{o.shard, first, end - first})
	}
	merge := cmd
	if merge.Name() == "run" {
		merge = merge.Parent()
	}
	_, err := fmt.Fprintf(out, "%s holds shard %s, matches %d to %d; %s merge joins it with the others\n", sanitize.Line(o.out), o.shard, first, end-1, merge.Name())
	return err
}

// mergeOptions are the flags of verbs that join shards.
type mergeOptions struct {
	out, sealFile string
	sign          signFlag
	force, json   bool
	workFlags

	seal *seal.Seal
}

// newMergeCommand returns the verb that joins the shards of a kind of run. merge joins them and
// prints what the run without shards prints. sealable reports whether such runs may be sealed
// and signed.
func newMergeCommand(what, example string, sealable bool, merge func(o *mergeOptions, cmd *cobra.Command, shards []string) error) *cobra.Command {
	var o mergeOptions
	cmd := &cobra.Command{
		Use:   "merge SHARD...",
		Short: "Join the shards of a " + what,
		Long: `Merge joins the folders of all shards of a ` + what + `, in any order, to
the folder that one machine would have written, byte for byte, and prints what
it would have printed; but a report names its own command. Each file is compared
with its checksum. The same command continues an interrupted merge.`,
		Example: example,
		Args:    arguments(1, 1<<16),
		RunE: func(cmd *cobra.Command, shards []string) error {
			if o.out == "" {
				return usagef("--out is missing: which folder shall be written?")
			}
			if err := o.open(cmd.Context()); err != nil {
				return err
			}
			return merge(&o, cmd, shards)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "folder to write the "+what+" to")
	f.BoolVar(&o.force, "force", false, "start over, replacing what is in the folder")
	o.addWork(cmd, "matches replayed")
	jsonFlag(cmd, &o.json)
	if sealable {
		sealFileFlag(cmd, &o.sealFile, "file with the seed of a sealed run, which merge reveals")
		o.sign.add(cmd, "PEM file of the ed25519 key that signs the dataset")
	}
	return cmd
}

// open reads the files of --seal-file and --sign.
func (o *mergeOptions) open(ctx context.Context) (err error) {
	if o.sealFile != "" {
		if o.seal, _, err = seal.ReadFile(ctx, o.sealFile); err != nil {
			return err
		}
	}
	return o.sign.read(ctx)
}

func (o *mergeOptions) join(cmd *cobra.Command, dirs []string, shardsOf [][]string) error {
	var matches uint64
	for _, shards := range shardsOf {
		for _, dir := range shards {
			d, err := dataset.Open(dir)
			if err != nil {
				return err
			}
			matches += d.Matches()
		}
	}
	p := o.progress(cmd, "matches", matches)
	defer p.End()
	for i, dir := range dirs {
		err := dataset.Merge(cmd.Context(), dir, shardsOf[i], o.seal, o.force, p.Add)
		switch {
		case errors.Is(err, context.Canceled):
			return fmt.Errorf("interrupted; the same command continues in %s", o.out)
		case err != nil:
			return explainOccupied(err)
		}
		if err := o.sign.apply(dir); err != nil {
			return err
		}
	}
	return nil
}

// dataset joins the shards of one dataset and opens it. tournament says which kind the shards
// must be of: other runs have a merge verb of their own.
func (o *mergeOptions) dataset(cmd *cobra.Command, shards []string, tournament bool) (*dataset.Dataset, error) {
	for _, dir := range shards {
		switch d, err := dataset.Open(dir); {
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
	return dataset.Open(o.out)
}
