package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sparrowhall/sparrowhall/internal/nearest"
	"github.com/sparrowhall/sparrowhall/internal/plain"
)

// Exit statuses.
const (
	statusOK = iota
	statusFailure
	statusUsage
)

// run carries out a command line and returns the exit status. An error is
// written to errOut, each of its lines led by "sparrowhall: ".
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	root := newRootCommand()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(&plain.Writer{W: out})
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	if err != nil {
		for line := range strings.SplitSeq(strings.TrimSpace(err.Error()), "\n") {
			fmt.Fprintln(errOut, "sparrowhall:", plain.Line(line))
		}
	}
	return status(err)
}

// status returns the exit status for what a command returned.
func status(err error) int {
	if err == nil {
		return statusOK
	}
	if _, ok := errors.AsType[failure](err); ok {
		return statusFailure
	}
	return statusUsage
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "sparrowhall",
		Short: "A mahjong parlour for agents",
		Long: `sparrowhall is where agents of every kind sit down and play mahjong: a simulator and
reinforcement-learning environment for many rulesets.`,
		Example:           "  sparrowhall rules list",
		Version:           version(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	group(root,
		newPlayCommand(),
		newReplayCommand(),
		newReviewCommand(),
		newVerifyCommand(),
		newStepsCommand(),
		newImportCommand(),
		newExportLogCommand(),
		newExportParquetCommand(),
		newReportCommand(),
		newLuckCommand(),
		newRulesCommand(),
		newScoreCommand(),
		newSweepCommand(),
		newTuneCommand(),
		newBalanceCommand(),
		newTournamentCommand(),
		newTrainCommand(),
		newServeCommand(),
		newBenchCommand(),
		newBotCommand(),
	)
	root.SetFlagErrorFunc(flagError)
	markFailures(root)
	return root
}

// release is the version of the program. The Python package has the same, and
// refuses a program of another one.
const release = "0.1.0"

// version is the release, and the commit it was built from where that is known.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return release + " " + s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return release
}

// flagValues says what flags of a type take.
var flagValues = map[string]string{
	"int":      fmt.Sprintf("a whole number up to %d", math.MaxInt),
	"int64":    fmt.Sprintf("a whole number up to %d", int64(math.MaxInt64)),
	"uint64":   fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64)),
	"float64":  "a number",
	"duration": "a time with its unit, such as 30s",
	"bool":     "true or false",
}

// flagError names the flag with a value it cannot have, and what it takes. Other
// errors in flags are clear as they are.
func flagError(_ *cobra.Command, err error) error {
	wrong, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	f := wrong.GetFlag()
	want, ok := flagValues[f.Value.Type()]
	if !ok {
		return err
	}
	return fmt.Errorf("--%s: %q; allowed: %s", f.Name, wrong.GetValue(), want)
}

// group makes cmd a command that only has others below it.
func group(cmd *cobra.Command, verbs ...*cobra.Command) {
	cmd.AddCommand(verbs...)
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		var names []string
		for _, v := range verbs {
			names = append(names, v.Name())
		}
		return fmt.Errorf("unknown verb %q of %s; nearest: %s", args[0], cmd.CommandPath(),
			strings.Join(nearest.To(args[0], names, 3), ", "))
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

// arguments returns a check that a command is given from least to most
// arguments.
func arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if n := len(args); n < least || n > most {
			return fmt.Errorf("%d arguments given; usage: %s", n, cmd.UseLine())
		}
		return nil
	}
}

// failure is an error of a verb at work. All others are wrong usage.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// wrongUsage is an error in what a verb was asked to do that only the verb
// itself can see.
type wrongUsage struct{ error }

// usagef returns an error that gives exit status 2.
func usagef(format string, args ...any) error { return wrongUsage{fmt.Errorf(format, args...)} }

// markFailures makes the errors of cmd and the commands below it failures,
// unless they are made by usagef.
func markFailures(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		markFailures(c)
	}
	work := cmd.RunE
	if work == nil {
		return
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := work(cmd, args)
		if _, ok := errors.AsType[wrongUsage](err); ok || err == nil {
			return err
		}
		return failure{err}
	}
}
