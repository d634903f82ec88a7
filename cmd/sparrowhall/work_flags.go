package main

import (
	"context"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/progress"
	"github.com/sparrowhall/sparrowhall/internal/userfile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// require adds a check of flags to those that are made before a command works.
func require(cmd *cobra.Command, check func() error) {
	others := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if others != nil {
			if err := others(cmd, args); err != nil {
				return err
			}
		}
		return check()
	}
}

// progressFlags are the flags of verbs that show progress.
type progressFlags struct {
	quiet bool
	file  string
}

func (o *progressFlags) addProgress(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.quiet, "quiet", false, "show no progress")
	cmd.Flags().StringVar(&o.file, "progress", "", "file to write the progress to as JSON, every five seconds")
	require(cmd, func() error {
		if o.file == "" {
			return nil
		}
		if err := progress.New(nil, "", 0).WriteTo(o.file); err != nil {
			return usagef("--progress: %w", err)
		}
		return nil
	})
}

// progress begins to show the work on total things of a kind, unless --quiet is given.
func (o *progressFlags) progress(cmd *cobra.Command, what string, total uint64) *progress.Progress {
	var w io.Writer
	if !o.quiet {
		w = cmd.ErrOrStderr()
	}
	p := progress.New(w, what, total)
	if o.file != "" {
		_ = p.WriteTo(o.file) // it was written before the work began; see addProgress
	}
	return p
}

// workFlags are the flags of verbs that work in parallel. They do not change the result.
type workFlags struct {
	progressFlags
	workers int
}

// addWork adds the flags to a command. parallel names what the workers do.
func (o *workFlags) addWork(cmd *cobra.Command, parallel string) {
	cmd.Flags().IntVar(&o.workers, "workers", 0, parallel+" at a time; 0 for one per core")
	o.addProgress(cmd)
	require(cmd, o.checkWork)
}

func (o *workFlags) checkWork() error {
	if o.workers < 0 {
		return usagef("--workers: %d; at least 0", o.workers)
	}
	return nil
}

func (o *workFlags) number() int {
	if o.workers == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return o.workers
}

func rulesetFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "ruleset", "ema_2016", "preset or ruleset file")
}

// wallFlag is the flag that gives the wall of the first hand.
type wallFlag struct{ file string }

func (o *wallFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.file, "wall", "", "file with the wall, or parts of it, of each match's first hand")
}

// apply gives the ruleset the first wall that the file has.
func (o *wallFlag) apply(ctx context.Context, r *configs.Ruleset) error {
	if o.file == "" {
		return nil
	}
	text, err := userfile.Read(ctx, o.file, maxWallFile)
	if err == nil {
		r.FirstWall, err = sim.ParseFirstWall(r.Config.Common(), string(text))
	}
	if err != nil && ctx.Err() == nil {
		err = usagef("--wall %s: %w", o.file, err)
	}
	return err
}

// maxWallFile is the most bytes of a file for --wall.
const maxWallFile = 64 << 10

// openRuleset opens the preset or file that the command line names. Its error is wrong
// usage, unless ctx has ended.
func openRuleset(ctx context.Context, name string) (*configs.Ruleset, error) {
	r, err := configs.OpenContext(ctx, name)
	// A ruleset may be read just before the interrupt, which then finds the work that follows.
	if err != nil && ctx.Err() == nil {
		return nil, wrongUsage{err}
	}
	return r, err
}

func matchFlag(cmd *cobra.Command, to *uint64, what string) {
	cmd.Flags().Uint64Var(to, "match", 0, "number of the "+what+", from 0")
}
