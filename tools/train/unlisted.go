package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/tools/fitting"
)

// findUnlisted plays matches and tries legal actions that the players do not consider, by
// rollouts with common random numbers. For each kind of action it prints how many were not
// considered and how much more they bring than the ones played, with 95 % intervals. A kind
// marked with * is above zero after correction for the number of figures: list it before the
// next fit.
func findUnlisted(ctx context.Context, args []string, w io.Writer) error {
	c := newCommon("unlisted")
	play := selfPlay{}
	play.add(c, "expert")
	job := fitting.UnlistedJob{}
	var finish string
	c.StringVar(&finish, "finish", "value", "agent that finishes the hands for all players; empty for the agents themselves")
	c.IntVar(&job.Share, "share", 1000, "decisions in a thousand that are examined")
	c.IntVar(&job.DiscardShare, "discards", 100, "the same of decisions with nothing but discards")
	c.IntVar(&job.Redeals, "redeals", 8, "deals of hidden tiles that select promising actions")
	c.IntVar(&job.Deals, "deals", 4, "walls, with the true hands, that measure an action")
	if err := c.Parse(args); err != nil {
		return err
	}
	if most := 1000; job.Share < 0 || job.Share > most || job.DiscardShare < 0 || job.DiscardShare > most || min(job.Redeals, job.Deals) < 1 || c.out != "" {
		return fmt.Errorf("-share %d, -discards %d, -redeals %d, -deals %d, -out %q; allowed: from 0 to %d, the same, at least 1, at least 1, no file", job.Share, job.DiscardShare, job.Redeals, job.Deals, c.out, most)
	}
	matches, err := play.job(c.workers)
	if err != nil {
		return err
	}
	job.Rules, job.NewAgent = matches.Rules, matches.NewAgent
	job.Seed, job.Matches, job.Workers = play.seed, play.matches, c.workers
	if finish != "" {
		if job.NewFinisher, err = agents.New(finish); err != nil {
			return fmt.Errorf("-finish: %w", err)
		}
	}
	u, err := fitting.FindUnlisted(ctx, &job)
	if err != nil {
		return err
	}
	return printUnlisted(w, u)
}

func printUnlisted(w io.Writer, u *fitting.Unlisted) error {
	fmt.Fprintf(w, "%d decisions, %d legal actions besides the ones played; gains in usual wins\n", u.Decisions, u.Legal)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "kind\tconsidered\tnot\tgain\tpromising\tgain")
	for _, k := range u.Kinds {
		fmt.Fprintf(table, "%s\t%d\t%d\t%s\t%d\t%s\n", k.Name, k.Listed, k.Unlisted, gainText(&k.Gain), k.Promising.N, gainText(&k.Promising))
	}
	return table.Flush()
}

// gainText returns a mean with its interval, marked where it is clearly above zero.
func gainText(g *fitting.MeanGain) string {
	if g.N == 0 {
		return "-"
	}
	text := fmt.Sprintf("%.3f [%.3f, %.3f]", g.Mean, g.Low, g.High)
	if g.Clear {
		text += " *"
	}
	return strings.ReplaceAll(text, "Inf", "inf")
}
