package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/export/dataset"
)

// acceptFlags are the flags of a tournament that tests whether one agent is better.
type acceptFlags struct {
	hypothesis              string
	elo0, elo1, alpha, beta float64
	luck                    luckFlag
}

func (o *acceptFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.hypothesis, "accept", "", `test "A>B": stop when agent A is shown to lead B by --elo1 Elo points, or only by --elo0`)
	f.Float64Var(&o.elo0, "elo0", 0, "lead in Elo points at which A is rejected")
	f.Float64Var(&o.elo1, "elo1", 10, "lead in Elo points at which A is accepted")
	f.Float64Var(&o.alpha, "alpha", 0.05, "probability of accepting at a lead of --elo0")
	f.Float64Var(&o.beta, "beta", 0.05, "probability of rejecting at a lead of --elo1")
	o.luck.add(cmd, "test luck-adjusted results, which takes fewer matches")
}

// roundsToAccept is the default of --rounds with --accept.
const roundsToAccept = 100_000

func (o *acceptFlags) check(cmd *cobra.Command) error {
	f := cmd.Flags()
	if f.Changed("accept") {
		return nil
	}
	for _, name := range []string{"elo0", "elo1", "alpha", "beta", "luck"} {
		if f.Changed(name) {
			return usagef(`--%s is for --accept "A>B", which is missing`, name)
		}
	}
	return nil
}

// test returns the test of --accept in a tournament of agents of some names, nil without the
// flag.
func (o *acceptFlags) test(cmd *cobra.Command, names []string) (*dataset.Accept, error) {
	if !cmd.Flags().Changed("accept") {
		return nil, nil
	}
	a := &dataset.Accept{Elo0: o.elo0, Elo1: o.elo1, Alpha: o.alpha, Beta: o.beta, Luck: o.luck != "", FastLuck: o.luck == luckFast}
	found := 0
	for at := range o.hypothesis {
		if o.hypothesis[at] != '>' {
			continue
		}
		left, right := strings.TrimSpace(o.hypothesis[:at]), strings.TrimSpace(o.hypothesis[at+1:])
		for i, x := range names {
			for j, y := range names {
				if x == left && y == right && i != j {
					a.A, a.B = i, j
					found++
				}
			}
		}
	}
	switch {
	case found == 0:
		return nil, usagef(`--accept: %q; allowed: "A>B" with the names of two of the agents: %s`, o.hypothesis, strings.Join(names, ", "))
	case found > 1:
		return nil, usagef("--accept: %q may be several of the agents; give each a name of its own", o.hypothesis)
	}
	if err := a.Check(len(names)); err != nil {
		return nil, usagef("--accept: %w", err)
	}
	return a, nil
}
