package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/jansou/jansou/export"
	"github.com/jansou/jansou/internal/plain"
	"github.com/jansou/jansou/sim"
	"github.com/jansou/jansou/sim/places"
)

// placesOptions are the flags of train places.
type placesOptions struct {
	ruleset string
	agents  string
	matches int64
	seed    uint64
	out     string
	workers int
	quiet   bool
}

func newTrainPlacesCommand() *cobra.Command {
	var o placesOptions
	cmd := &cobra.Command{
		Use:   "places",
		Short: "Gather how hands usually end, for what places are worth",
		Long: `Places plays matches and writes how often hands end in each way and what each player
then gains, counted from the dealer. What points are worth in places is worked out
from it; see docs/luck.md. The tables that are part of the program were made this
way; a new one takes the place of a file in sim/places/tables.`,
		Example: `  jansou train places --ruleset tenhou --matches 4000 --out riichi_red.csv`,
		Args:    arguments(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.gather(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.ruleset, "ruleset", "ema_2016", "preset or file")
	f.StringVar(&o.agents, "agents", "value,value,value,value", "four agents separated by commas")
	f.Int64Var(&o.matches, "matches", 4_000, "number of matches to play")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the matches")
	f.StringVar(&o.out, "out", "", "file to write")
	f.IntVar(&o.workers, "workers", 0, "matches played at a time; 0 for one a core")
	f.BoolVar(&o.quiet, "quiet", false, "show no progress")
	return cmd
}

func (o *placesOptions) gather(cmd *cobra.Command) error {
	switch {
	case o.out == "":
		return usagef("--out: name the file to write")
	case o.matches < 1:
		return usagef("--matches: %d is too few; at least 1", o.matches)
	case o.workers < 0:
		return usagef("--workers: %d; at least 0", o.workers)
	}
	play := playOptions{ruleset: o.ruleset, matches: o.matches, seed: o.seed, agentList: o.agents}
	play.record, play.fileMatches = export.Matches.String(), export.DefaultFileMatches
	run, factories, err := play.run()
	if err != nil {
		return err
	}
	job := newJob(run, factories, o.workers)
	var to io.Writer
	if !o.quiet {
		to = cmd.ErrOrStderr()
	}
	p := newProgress(to, "matches", job.Count, time.Now)
	var all places.Collector
	err = sim.Run(cmd.Context(), job,
		func() *places.Collector { return new(places.Collector) },
		func(c *places.Collector, m *sim.Match) error {
			c.Add(m.Events)
			p.add(1)
			return nil
		},
		func(c *places.Collector) error {
			all.Join(c)
			return nil
		})
	p.end()
	if err != nil {
		return err
	}
	table, err := all.Table()
	if err != nil {
		return err
	}
	if err := writeWhole(o.out, table.AppendTo(nil)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: how %d hands ended\n", plain.Line(o.out), all.Hands())
	return err
}
