package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/internal/agents/heuristic"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/tools/fitting"
)

// measureTrust measures what searches at close decisions know, for the trusts of expert's search.
// For each kind of decision it prints the noise of a single table, and two products in squares of
// the scale, with 95 % intervals: what two searches find beyond the network, and what a search
// finds and what the actions bring at the true hands.
func measureTrust(ctx context.Context, args []string, w io.Writer) error {
	c := newCommon("trust")
	play := selfPlay{}
	play.add(c, "expert")
	job := fitting.TrustJob{}
	c.IntVar(&job.Share, "share", 300, "decisions in a thousand that are examined, if they are close")
	c.IntVar(&job.Redeals, "redeals", 32, "deals of hidden tiles of each of two searches")
	c.IntVar(&job.Walls, "walls", 16, "walls, with the true hands, that measure an action")
	if err := c.Parse(args); err != nil {
		return err
	}
	if most := 1000; job.Share < 0 || job.Share > most || min(job.Redeals, job.Walls) < 2 || c.out != "" {
		return fmt.Errorf("-share %d, -redeals %d, -walls %d, -out %q; allowed: from 0 to %d, at least 2, the same, no file", job.Share, job.Redeals, job.Walls, c.out, most)
	}
	matches, err := play.job(c.workers)
	if err != nil {
		return err
	}
	if _, ok := matches.NewAgent(0).(*heuristic.Expert); !ok {
		return fmt.Errorf("-agents: %T is not an expert; allowed are experts without a search", matches.NewAgent(0))
	}
	if job.NewFinisher, err = agents.New("value"); err != nil {
		return err
	}
	job.NewExpert = func() *heuristic.Expert { return matches.NewAgent(0).(*heuristic.Expert) }
	job.Rules, job.Seed, job.Matches, job.Workers = matches.Rules, play.seed, play.matches, c.workers
	if job.Rules.Rounds*job.Rules.HandsPerRound > 1 {
		job.PlaceWorth = placeWorthOf(job.NewExpert())
	}
	kinds, err := fitting.MeasureTrust(ctx, &job)
	if err != nil {
		return err
	}
	return printTrust(w, kinds)
}

// placeWorthOf returns the weight "places" of an agent.
func placeWorthOf(a sim.Tunable) int32 {
	for _, w := range a.Weights() {
		if w.Name == "places" {
			return w.Value
		}
	}
	return 0
}

func printTrust(w io.Writer, kinds []fitting.Trust) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "kind\tdecisions\tdifferences\tnoise\tall\ttruth")
	for k, t := range kinds {
		name := "all"
		if k < len(kinds)-1 {
			name = heuristic.SearchKind(k).String()
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%.3f\t%s\t%s\n", name, t.Decisions, t.All.N, t.Noise, productText(&t.All), productText(&t.Truth))
	}
	return table.Flush()
}

// productText returns a mean with its interval.
func productText(g *fitting.MeanGain) string {
	if g.N == 0 {
		return "-"
	}
	return fmt.Sprintf("%.5f [%.5f, %.5f]", g.Mean, g.Low, g.High)
}
