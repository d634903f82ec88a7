package main

import (
	"io"
	"runtime"
	"time"

	"github.com/spf13/cobra"
)

// quietFlag is the flag of what takes long.
type quietFlag struct{ quiet bool }

func (o *quietFlag) addQuiet(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.quiet, "quiet", false, "show no progress")
}

// progress begins to tell how much is done of total things of a kind, unless nobody wants
// to know.
func (o *quietFlag) progress(cmd *cobra.Command, what string, total uint64) *progress {
	var to io.Writer
	if !o.quiet {
		to = cmd.ErrOrStderr()
	}
	return newProgress(to, what, total, time.Now)
}

// workFlags are the flags of what many workers do. They change nothing of what comes of it.
type workFlags struct {
	quietFlag
	workers int
}

// addWork adds the flags to a command. atATime is what the workers do.
func (o *workFlags) addWork(cmd *cobra.Command, atATime string) {
	cmd.Flags().IntVar(&o.workers, "workers", 0, atATime+"; 0 for one a core")
	o.addQuiet(cmd)
}

// checkWork returns what is wrong with the flags themselves.
func (o *workFlags) checkWork() error {
	if o.workers < 0 {
		return usagef("--workers: %d; at least 0", o.workers)
	}
	return nil
}

// number returns how many workers there are.
func (o *workFlags) number() int {
	if o.workers == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return o.workers
}
