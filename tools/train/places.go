package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/tools/fitting"
)

// gatherPlaces plays matches and writes how often hands end in each way and what each player
// then gains, counted from the dealer. What points are worth in placements is computed from it.
// A new table replaces a file in internal/insight/placement/tables.
func gatherPlaces(ctx context.Context, args []string, w io.Writer) error {
	c := newCommon("places")
	var play selfPlay
	play.add(c, "value")
	if err := c.Parse(args); err != nil {
		return err
	}
	if c.out == "" {
		return errors.New("name the file to write with -out")
	}
	job, err := play.job(c.workers)
	if err != nil {
		return err
	}
	var all fitting.HandResults
	err = sim.Run(ctx, job,
		func() *fitting.HandResults { return new(fitting.HandResults) },
		func(c *fitting.HandResults, m *sim.Match) error {
			c.Add(job.Rules, m.Events)
			return nil
		},
		func(c *fitting.HandResults) error {
			all.Join(c)
			return nil
		})
	if err != nil {
		return err
	}
	table, err := all.Table()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%d hands\n", all.Hands())
	return os.WriteFile(c.out, table.AppendTo(nil), 0o666)
}
