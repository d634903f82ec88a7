package main

import (
	"log"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/internal/contest/league"
	"github.com/sparrowhall/sparrowhall/internal/contest/strength"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

func newLeagueTestCommand() *cobra.Command {
	var o league.TestOptions
	var work workFlags
	var wrapper botWrapper
	var elo string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "test DIR NEW OLD",
		Short: "Test whether a bot is stronger than another",
		Long: `Test plays two bots of a league in duplicate sets until a sequential test
decides: is the first stronger than the second by the higher number of --elo, or
only by the lower one? The first line is the verdict: accepted, rejected or
undecided. docs/contests.md explains the bounds. The page of the league has a
chart. The matches do not count in the ratings. The same command continues a
test that was interrupted.`,
		Example: `  sparrowhall league test cup mine@3 mine@2 --elo 0..10`,
		Args:    arguments(3, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.Elo0, o.Elo1, err = parseElo(elo); err != nil {
				return err
			}
			if o.Rounds < 1 {
				return usagef("--rounds: 0; at least 1")
			}
			o.New, o.Old = args[1], args[2]
			return withLeague(cmd.Context(), args[0], func(l *league.League) error {
				p := work.progress(cmd, "matches", 0)
				o.Run = newRunOptions(log.New(cmd.ErrOrStderr(), "", 0), p, &work, &wrapper)
				r, err := l.Test(cmd.Context(), o)
				p.End()
				if err != nil {
					return explainInterrupt(err)
				}
				return printResult(cmd, asJSON, leagueTestJSON{o.New, o.Old, r.Verdict, r.Matches, r.Course}, func(p *printer) {
					p.paragraphs(r.Summary(args[1], args[2]).String())
					p.paragraph("%s Above the upper bound %s is accepted, below the lower one rejected.", r.Details(), sanitize.Line(args[1]))
				})
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&elo, "elo", "0..10", "leads in Elo points at which the first bot is rejected and accepted")
	f.Float64Var(&o.Alpha, "alpha", 0.05, "probability of accepting at the lower lead")
	f.Float64Var(&o.Beta, "beta", 0.05, "probability of rejecting at the higher lead")
	f.Uint64Var(&o.Rounds, "rounds", roundsToAccept, "duplicate sets of each lineup of the two bots at most")
	wrapper.add(cmd)
	work.addWork(cmd, "matches played")
	jsonFlag(cmd, &asJSON)
	return cmd
}

// leagueTestJSON is a test as JSON.
type leagueTestJSON struct {
	New     string           `json:"new"`
	Old     string           `json:"old"`
	Verdict strength.Verdict `json:"verdict"`
	Matches uint64           `json:"matches"`
	Course  []strength.Look  `json:"course"`
}

// parseElo returns the numbers of a text such as 0..10.
func parseElo(text string) (low, high float64, err error) {
	first, second, found := strings.Cut(text, "..")
	if low, err = strconv.ParseFloat(first, 64); err == nil && found {
		if high, err = strconv.ParseFloat(second, 64); err == nil {
			return low, high, nil
		}
	}
	return 0, 0, usagef("--elo: %q; allowed: two numbers such as 0..10", text)
}
