package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/contest/audit"
	"github.com/sparrowhall/sparrowhall/internal/contest/league"
	"github.com/sparrowhall/sparrowhall/internal/digits"
)

func newLeagueAuditCommand() *cobra.Command {
	var work workFlags
	var v league.View
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "audit DIR",
		Short: "Look for bots that help each other",
		Long: `Audit replays the matches of a league, or of a tournament, and compares how each
pair of bots treats each other with how each treats others in the same seats:
wins that are passed, deal-ins, and discards that are called. The first line
says whether a pair is conspicuous. With honest bots at most one audit in a
hundred names any. Seats and times at which a bot is unusual are listed.
docs/contests.md explains the statistic.`,
		Example: `  sparrowhall league audit cup
  sparrowhall league audit runs/tournament --json`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			x, err := auditFolder(cmd, args[0], v, max(1, work.number()))
			if err != nil {
				return explainInterrupt(err)
			}
			return printResult(cmd, asJSON, x, func(p *printer) { p.audit(x) })
		},
	}
	viewFlags(cmd, &v)
	work.addWork(cmd, "matches replayed")
	jsonFlag(cmd, &asJSON)
	return cmd
}

func auditFolder(cmd *cobra.Command, dir string, v league.View, workers int) (x *league.Audit, err error) {
	err = withLeague(cmd.Context(), dir, func(l *league.League) error {
		x, err = l.Audit(cmd.Context(), v, workers)
		return err
	})
	if !errors.Is(err, league.ErrNoLeague) {
		return x, err
	}
	d, openErr := dataset.Open(dir)
	if openErr != nil {
		return nil, err
	}
	a := audit.New(d.Rules(), d.Run.Agents)
	numbers := make([]int, len(d.Run.Agents))
	for i := range numbers {
		numbers[i] = i
	}
	if err := a.AddDataset(cmd.Context(), d, numbers, audit.Place{}, workers); err != nil {
		return nil, err
	}
	return &league.Audit{Report: a.Report()}, nil
}

// nearTreatments is the number of pairs that are printed if none is conspicuous, mostUnusual that
// of seats and of times.
const (
	nearTreatments = 3
	mostUnusual    = 10
)

func (p *printer) audit(x *league.Audit) {
	list := x.Conspicuous()
	switch {
	case len(x.Treatments) == 0:
		p.paragraphs(fmt.Sprintf("No pair can be compared in %s: that takes three bots that have met each other.", digits.Count(x.Matches, "match")))
	case len(list) > 0:
		p.paragraphs(fmt.Sprintf("Conspicuous: %s in %s favors %s beyond what chance and style explain.", list[0].Agent, digits.Count(x.Matches, "match"), list[0].Other))
	default:
		p.paragraphs(fmt.Sprintf("No pair is conspicuous in %s and %s. Nearest are:", digits.Count(x.Matches, "match"), digits.Count(len(x.Treatments), "comparison")))
		list = x.Treatments[:min(nearTreatments, len(x.Treatments))]
	}
	for i := range list {
		y := &list[i]
		p.item(fmt.Sprintf("%s > %s: %s %s, expected %s, in %s; corrected p %.2g",
			y.Agent, y.Other, y.Act, digits.Count(y.Times, "time"), digits.Fixed(y.Expected, 1), digits.Count(y.Matches, "match"), float64(y.Adjusted)))
	}
	if len(list) > 0 {
		p.printf("\n")
	}
	if len(x.Anomalies) == 0 && len(x.Times) == 0 {
		p.paragraph("No seat and no time is unusual.")
	}
	for _, y := range x.Anomalies[:min(mostUnusual, len(x.Anomalies))] {
		p.item(fmt.Sprintf("%s, %s: ahead of %s%% more opponents than usual in %s; corrected p %.2g", y.Agent, y.Where, digits.Fixed(100*y.Ahead, 1), digits.Count(y.Matches, "match"), float64(y.Adjusted)))
	}
	for _, y := range x.Times[:min(mostUnusual, len(x.Times))] {
		p.item(fmt.Sprintf("%s, round %d: %s ms a decision, usually %s ms", y.Bot, y.Round, digits.Fixed(y.Milliseconds, 1), digits.Fixed(y.Usual, 1)))
	}
	if more := max(0, len(x.Anomalies)-mostUnusual) + max(0, len(x.Times)-mostUnusual); more > 0 {
		p.paragraph("%d more seats and times are unusual; --json prints all.", more)
	}
	if x.Inherited > 0 {
		p.paragraph("%s of the league from which this one was forked, not in this folder: left out.", digits.Count(x.Inherited, "match"))
	}
}
