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

	"github.com/sparrowhall/sparrowhall/internal/release"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/internal/suggest"
)

// Exit statuses.
const (
	statusOK = iota
	statusFailure
	statusUsage
	// statusTime is the status of work that --for has ended, as timeout(1) has it.
	statusTime = 124
	// statusSignal and the number of the signal are the status of work that a signal has cut short, as
	// shells have it: a scheduler starts such work again, but not what has failed.
	statusSignal = 128
)

// Verbs are listed in the order in which they are added.
func init() { cobra.EnableCommandSorting = false }

// run executes a command line and returns the exit status. It writes errors to errOut, each line
// after "sparrowhall: ".
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	root := newRootCommand()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(&sanitize.Writer{W: out})
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	if err != nil {
		for line := range strings.SplitSeq(strings.TrimSpace(err.Error()), "\n") {
			fmt.Fprintln(errOut, "sparrowhall:", sanitize.Line(line))
		}
	}
	return status(ctx, err)
}

// status returns the exit status for the error of a command.
func status(ctx context.Context, err error) int {
	if err == nil {
		return statusOK
	}
	if _, ok := errors.AsType[failure](err); !ok {
		return statusUsage
	}
	if errors.Is(err, outOfTime{}) {
		return statusTime
	}
	if i, ok := errors.AsType[interruption](context.Cause(ctx)); ok {
		return statusSignal + int(i.Signal)
	}
	return statusFailure
}

// The groups of verbs in the help.
var groups = []struct {
	title string
	verbs func() []*cobra.Command
}{
	{"Play:", func() []*cobra.Command {
		return []*cobra.Command{newTableCommand(), newPlayCommand(), newTournamentCommand(), newRateCommand(), newLeagueCommand(), newSiteCommand()}
	}},
	{"Watch and review:", func() []*cobra.Command {
		return []*cobra.Command{newReplayCommand(), newReviewCommand()}
	}},
	{"Analyze rules and results:", func() []*cobra.Command {
		return []*cobra.Command{newReportCommand(), newSweepCommand(), newBalanceCommand(), newTuneCommand()}
	}},
	{"Rulesets and scoring:", func() []*cobra.Command {
		return []*cobra.Command{newRulesCommand(), newScoreCommand()}
	}},
	{"Records and data:", func() []*cobra.Command {
		return []*cobra.Command{newImportCommand(), newExportLogCommand(), newExportParquetCommand(), newVerifyCommand()}
	}},
	{"Learning and bots:", func() []*cobra.Command {
		return []*cobra.Command{newServeCommand(), newStepsCommand(), newTrainCommand(), newBotCommand(), newMCPCommand()}
	}},
	{"Other:", func() []*cobra.Command { return []*cobra.Command{newBenchCommand()} }},
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "sparrowhall",
		Short: "Simulate mahjong under many rulesets",
		Long: `Sparrowhall is a deterministic mahjong simulator and reinforcement-learning
environment for many rulesets.`,
		Example:           "  sparrowhall play --ruleset tenhou --matches 100",
		Version:           version(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	var verbs []*cobra.Command
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, v := range g.verbs() {
			v.GroupID = g.title
			verbs = append(verbs, v)
		}
	}
	addVerbs(root, verbs...)
	root.SetHelpCommand(newHelpCommand(root))
	root.SetUsageFunc(printUsage)
	root.SetFlagErrorFunc(flagError)
	markFailures(root)
	return root
}

// newHelpCommand returns the verb that prints the help of another.
func newHelpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [VERB...]",
		Short:   "Describe a verb",
		Example: "  sparrowhall help tournament run",
		GroupID: "Other:",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, _, err := root.Find(args)
			if err != nil {
				return wrongUsage{err}
			}
			return cmd.Help()
		},
	}
}

// printUsage writes the usage of a command in lines of at most plainWidth characters.
func printUsage(cmd *cobra.Command) error {
	w := cmd.OutOrStderr()
	var b strings.Builder
	b.WriteString("Usage:\n")
	if cmd.Runnable() {
		fmt.Fprintf(&b, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s [verb]\n", cmd.CommandPath())
	}
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	width := 0
	for _, c := range cmd.Commands() {
		width = max(width, len(c.Name()))
	}
	list := func(title, group string) {
		first := true
		for _, c := range cmd.Commands() {
			if c.GroupID == group && c.IsAvailableCommand() {
				if first {
					fmt.Fprintf(&b, "\n%s\n", title)
					first = false
				}
				fmt.Fprintf(&b, "  %-*s  %s\n", width, c.Name(), c.Short)
			}
		}
	}
	for _, g := range cmd.Groups() {
		list(g.Title, g.ID)
	}
	if len(cmd.Groups()) == 0 {
		list("Verbs:", "")
	}
	if cmd.HasAvailableLocalFlags() {
		fmt.Fprintf(&b, "\nFlags:\n%s", cmd.LocalFlags().FlagUsagesWrapped(plainWidth))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n%q describes a verb.\n", cmd.CommandPath()+" [verb] --help")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// version returns the release, and the commit that it was built from if that is known.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return release.Version + " " + s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return release.Version
}

// flagValues describes the values of flags by type.
var flagValues = map[string]string{
	"int":      fmt.Sprintf("a whole number up to %d", math.MaxInt),
	"int64":    fmt.Sprintf("a whole number up to %d", int64(math.MaxInt64)),
	"uint64":   fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64)),
	"float64":  "a number",
	"duration": "a time with its unit, such as 30s",
	"bool":     "true or false",
}

// flagError returns an error that names the flag with a wrong value, and the values that it
// takes. Other errors are returned as they are.
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

// addVerbs adds the verbs of a command that does nothing by itself.
func addVerbs(cmd *cobra.Command, verbs ...*cobra.Command) {
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
			strings.Join(suggest.Nearest(args[0], names, 3), ", "))
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

// arguments returns a check that a command has from least to most arguments.
func arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if n := len(args); n < least || n > most {
			return fmt.Errorf("%d arguments given; usage: %s", n, cmd.UseLine())
		}
		return nil
	}
}

// failure is an error of a verb at work; its exit status is 1. All others are wrong usage.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// wrongUsage is an error in the flags or arguments that the verb itself has found.
type wrongUsage struct{ error }

func (e wrongUsage) Unwrap() error { return e.error }

// usagef returns an error that gives exit status 2.
func usagef(format string, args ...any) error { return wrongUsage{fmt.Errorf(format, args...)} }

// markFailures makes the errors of a command and its verbs failures, unless they are wrong usage.
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
