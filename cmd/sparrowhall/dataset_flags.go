package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/sim"
)

// datasetFlags are the flags of verbs that write a dataset with --out.
type datasetFlags struct {
	out         string
	record      string
	fileMatches int64
	force       bool
	sign        signFlag
	shard       string
	json        bool
	later       bool // the dataset may be written by a later command
	span        time.Duration
	within      context.Context // ends after span
	workFlags
}

// add adds the flags to a command. record is the default of --record, parallel names what the
// workers do.
func (o *datasetFlags) add(cmd *cobra.Command, record schema.Table, parallel string) {
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "folder to write the dataset to")
	f.StringVar(&o.record, "record", record.String(), "most detailed table to write: matches, hands or decisions")
	o.addFileMatches(cmd)
	f.BoolVar(&o.force, "force", false, "start over, replacing a dataset in the folder")
	o.sign.add(cmd, "PEM file of the ed25519 key that signs the complete dataset")
	f.DurationVar(&o.span, "for", 0, "stop after so long, such as 8h, with exit status 124; the same command continues")
	o.addWork(cmd, parallel)
	jsonFlag(cmd, &o.json)
}

func (o *datasetFlags) addFileMatches(cmd *cobra.Command) {
	cmd.Flags().Int64Var(&o.fileMatches, "file-matches", dataset.DefaultFileMatches, "matches per file, a multiple of 64")
}

func (o *datasetFlags) check(cmd *cobra.Command) error {
	f := cmd.Flags()
	switch {
	case o.fileMatches < 1 || o.fileMatches%sim.BlockSize != 0:
		return usagef("--file-matches: %d; allowed: multiples of %d", o.fileMatches, sim.BlockSize)
	case f.Changed("out") && o.out == "":
		return usagef("--out: name a folder")
	}
	if o.out == "" && !o.later {
		for _, name := range [...]string{"record", "file-matches", "force", "sign", "shard", "for"} {
			if f.Changed(name) {
				return usagef("--%s says how to write a dataset; name its folder with --out", name)
			}
		}
	}
	if f.Changed("for") {
		if o.span <= 0 {
			return usagef("--for: %v; allowed: times above 0, such as 30m", o.span)
		}
		ctx, end := context.WithCancelCause(cmd.Context())
		time.AfterFunc(o.span, func() { end(outOfTime{}) })
		cmd.SetContext(ctx)
		o.within = ctx
	}
	return nil
}

// outOfTime is the cause of a context that --for has ended.
type outOfTime struct{}

func (outOfTime) Error() string { return "the time of --for is over" }

// Unwrap makes it what the error of a context is without a cause.
func (outOfTime) Unwrap() error { return context.Canceled }

// table returns the table of --record.
func (o *datasetFlags) table() (schema.Table, error) {
	t, err := schema.ParseRecord(o.record)
	if err != nil {
		return t, usagef("--record: %w", err)
	}
	return t, nil
}

// garbagePercent is how much the heap may grow between collections while a dataset is written.
// Rows pass through and few are kept: frequent collections cost little time and save a sixth of
// the memory.
const garbagePercent = 25

// create opens the dataset of a run for writing, or returns nil without --out.
func (o *datasetFlags) create(run *dataset.Run) (*dataset.Writer, error) {
	if o.out == "" {
		return nil, nil
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	w, err := dataset.Create(o.out, run, o.force)
	return w, explainOccupied(err)
}

// explainOccupied adds to the error of an occupied folder how to replace what is there.
func explainOccupied(err error) error {
	if errors.Is(err, dataset.ErrOccupied) {
		return fmt.Errorf("%w; --force replaces it", err)
	}
	return err
}

// explain adds to the error of a run what its folder holds.
func (o *datasetFlags) explain(err error, w *dataset.Writer) error {
	if late := (outOfTime{}); o.within != nil && errors.Is(err, context.Canceled) && errors.Is(context.Cause(o.within), late) {
		err = late
	} else {
		err = explainInterrupt(err)
	}
	if w == nil {
		return err
	}
	return fmt.Errorf("%w; %s holds %d of %d matches, and the same command continues there", err, o.out, w.WholeMatches()+w.KeptMatches(), w.End()-w.First())
}

// explainInterrupt replaces the error of a canceled context by a plain one.
func explainInterrupt(err error) error {
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted")
	}
	return err
}

// printComplete prints that a dataset was complete before the command.
func (o *datasetFlags) printComplete(p *printer) {
	p.printf("%s is complete already; nothing was played or changed\n\n", sanitize.Line(o.out))
}
