package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/sim"
)

// datasetFlags are the flags of the verbs that play matches and may write them
// as a dataset.
type datasetFlags struct {
	out         string
	record      string
	fileMatches int64
	force       bool
	sign        string
	shard       string
	json        bool
	workFlags
}

// add adds the flags to a command. record is the table that is recorded up to
// unless the command line says otherwise, atATime what the workers do.
func (o *datasetFlags) add(cmd *cobra.Command, record export.Table, atATime string) {
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "folder to write the dataset to")
	f.StringVar(&o.record, "record", record.String(), "longest table to write: matches, hands or decisions")
	f.Int64Var(&o.fileMatches, "file-matches", export.DefaultFileMatches, "matches whose rows share a file, a multiple of 64; an interruption loses as many of quick agents")
	f.BoolVar(&o.force, "force", false, "start over, replacing a dataset that is in the folder")
	f.StringVar(&o.sign, "sign", "", "PEM file of an ed25519 key to sign the dataset with when it is complete")
	o.addShard(cmd)
	o.addWork(cmd, atATime)
	jsonFlag(cmd, &o.json)
}

// check returns what is wrong with the flags themselves.
func (o *datasetFlags) check(cmd *cobra.Command) error {
	f := cmd.Flags()
	if err := o.checkWork(); err != nil {
		return err
	}
	switch {
	case o.fileMatches < 1 || o.fileMatches%sim.BlockSize != 0:
		return usagef("--file-matches: %d; allowed: multiples of %d", o.fileMatches, sim.BlockSize)
	case f.Changed("out") && o.out == "":
		return usagef("--out: no folder is named")
	}
	if o.out == "" {
		for _, name := range [...]string{"record", "file-matches", "force", "sign", "shard"} {
			if f.Changed(name) {
				return usagef("--%s says how to write a dataset; name its folder with --out", name)
			}
		}
	}
	return nil
}

// table returns the table that is recorded up to.
func (o *datasetFlags) table() (export.Table, error) {
	t, err := export.ParseRecord(o.record)
	if err != nil {
		return t, usagef("--record: %w", err)
	}
	return t, nil
}

// garbagePercent is how much the heap may grow between collections while a dataset is
// written. Rows pass through it and little is kept, so that collecting often costs
// hardly any time and saves a sixth of the memory.
const garbagePercent = 25

// create opens the dataset of a run for writing; without --out there is none.
func (o *datasetFlags) create(run *export.Run) (*export.Writer, error) {
	if o.out == "" {
		return nil, nil
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	w, err := export.Create(o.out, run, o.force)
	if errors.Is(err, export.ErrOccupied) {
		err = fmt.Errorf("%w; --force starts over there", err)
	}
	return w, err
}

// signer returns what signs complete datasets if that is asked for. The key is read
// at once, so that one that is wrong costs no time.
func (o *datasetFlags) signer() (sign func(dir string) error, err error) {
	if o.sign == "" {
		return func(string) error { return nil }, nil
	}
	key, err := export.ReadPrivateKey(o.sign)
	if err != nil {
		return nil, fmt.Errorf("--sign: %w", err)
	}
	return func(dir string) error { return export.Sign(dir, key) }, nil
}

// explain says what a run that ended early leaves behind.
func (o *datasetFlags) explain(err error, w *export.Writer) error {
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	if w == nil {
		return err
	}
	more := ""
	if n := w.Kept(); n > 0 {
		more = fmt.Sprintf(" and %d after them", n)
	}
	return fmt.Errorf("%w; %s holds the first %d of %d matches%s, and the same command continues there", err, o.out, w.Whole(), w.End()-w.First(), more)
}
