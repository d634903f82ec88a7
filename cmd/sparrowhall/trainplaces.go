package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/internal/plain"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/places"
)

// placesOptions are the flags of train places.
type placesOptions struct {
	ruleset string
	play    selfPlay
	trainFlags
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
		Example: `  sparrowhall train places --ruleset tenhou --matches 4000 --out riichi_red.csv`,
		Args:    arguments(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.gather(cmd) },
	}
	cmd.Flags().StringVar(&o.ruleset, "ruleset", "ema_2016", "preset or file")
	o.play.add(cmd, "value,value,value,value", 4_000, "")
	o.add(cmd, "matches played at a time")
	return cmd
}

func (o *placesOptions) gather(cmd *cobra.Command) error {
	if err := o.check(); err != nil {
		return err
	}
	job, err := o.play.job(o.ruleset, o.workers)
	if err != nil {
		return err
	}
	p := o.progress(cmd, "matches", job.Count)
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
