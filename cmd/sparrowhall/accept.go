package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/export/standings"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/chance"
)

// acceptFlags are those of a tournament that ends with the answer to a question.
type acceptFlags struct {
	question                string
	elo0, elo1, alpha, beta float64
	luck                    string
}

func (o *acceptFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.question, "accept", "", `stop when it is known whether "A>B": agent A is better than B by --elo1 or only by --elo0`)
	f.Float64Var(&o.elo0, "elo0", 0, "Elo points that are not enough")
	f.Float64Var(&o.elo1, "elo1", 10, "Elo points that are")
	f.Float64Var(&o.alpha, "alpha", 0.05, "probability of the answer --elo1 where --elo0 is true")
	f.Float64Var(&o.beta, "beta", 0.05, "probability of the answer --elo0 where --elo1 is true")
	addLuckFlag(cmd, &o.luck, "take the luck of the tiles off the results of --accept, for fewer matches")
}

// roundsToAccept is the number of rounds of a tournament that ends with an answer, if
// none is given.
const roundsToAccept = 100_000

// check returns what is wrong with the flags themselves.
func (o *acceptFlags) check(cmd *cobra.Command) error {
	f := cmd.Flags()
	if f.Changed("luck") && o.luck != luckStrong && o.luck != luckFast {
		return luckUsage(o.luck)
	}
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

// ask returns the question in a tournament of agents of some names, nil if there is
// none.
func (o *acceptFlags) ask(cmd *cobra.Command, names []string) (*export.Accept, error) {
	if !cmd.Flags().Changed("accept") {
		return nil, nil
	}
	a := &export.Accept{Elo0: o.elo0, Elo1: o.elo1, Alpha: o.alpha, Beta: o.beta, Luck: o.luck != "", FastLuck: o.luck == luckFast}
	found := 0
	for at := range o.question {
		if o.question[at] != '>' {
			continue
		}
		left, right := strings.TrimSpace(o.question[:at]), strings.TrimSpace(o.question[at+1:])
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
		return nil, usagef(`--accept: %q; allowed: "A>B" with the names of two of the agents: %s`, o.question, strings.Join(names, ", "))
	case found > 1:
		return nil, usagef("--accept: %q may be several of the agents; give each a name of its own", o.question)
	}
	if err := a.Check(len(names)); err != nil {
		return nil, usagef("--accept: %w", err)
	}
	return a, nil
}

// trialBlock is a block of matches with the luck of each, if it is measured.
type trialBlock struct {
	*export.Block
	meter *export.LuckMeter
	names []string // of the agents
	luck  []export.MatchLuck
}

// newTrialBlock returns what makes blocks of matches of the agents; luck is measured if
// there is what makes meters.
func newTrialBlock(block func() *export.Block, newMeter func() *export.LuckMeter, names []string) func() *trialBlock {
	return func() *trialBlock {
		b := &trialBlock{Block: block(), names: names}
		if newMeter != nil {
			b.meter = newMeter()
		}
		return b
	}
}

func (b *trialBlock) add(m *sim.Match) error {
	if b.meter != nil {
		var names [sim.NumPlayers]string
		for p, agent := range m.Agents {
			names[p] = b.names[agent]
		}
		b.luck = append(b.luck, export.MatchLuck{})
		if err := b.meter.Measure(m, &names, &b.luck[len(b.luck)-1]); err != nil {
			return err
		}
	}
	return b.Block.Add(m)
}

// of returns the luck of a match of the block, nil if it is not measured.
func (b *trialBlock) of(match int) *chance.Luck {
	if b.meter == nil {
		return nil
	}
	return &b.luck[match].Points
}

// loadTrial adds the matches of a dataset to a trial.
func loadTrial(ctx context.Context, t *standings.Trial, d *export.Dataset) error {
	var luck []export.MatchLuck
	if a := d.Run.Tournament.Accept; a.Luck {
		var err error
		if luck, err = d.Luck(ctx, export.LuckOptions{Fast: a.FastLuck, Player: agents.Quick, Workers: runtime.GOMAXPROCS(0)}); err != nil {
			return err
		}
	}
	var rows []export.MatchRow
	for r, err := range d.MatchRows() {
		if err != nil {
			return err
		}
		if rows = append(rows, r); len(rows) < sim.NumPlayers {
			continue
		}
		var l *chance.Luck
		if luck != nil {
			l = &luck[r.Match-d.First()].Points
		}
		t.Add(rows, l)
		rows = rows[:0]
	}
	return nil
}

// acceptResult is the answer as machines read it.
type acceptResult struct {
	export.Accept
	standings.Evidence
}

// remark is the answer in words.
func (r *acceptResult) remark(names []string, planned uint64, matches uint64) string {
	a, b := names[r.A], names[r.B]
	var text string
	switch r.Verdict {
	case standings.Accepted:
		text = fmt.Sprintf("accepted: %s is better than %s by %v Elo points rather than by %v", a, b, r.Elo1, r.Elo0)
	case standings.Rejected:
		text = fmt.Sprintf("rejected: %s is better than %s by %v Elo points rather than by %v", a, b, r.Elo0, r.Elo1)
	default:
		text = fmt.Sprintf("no answer after %d of %d matches: whether %s is better than %s by %v Elo points or by %v", matches, planned, a, b, r.Elo0, r.Elo1)
	}
	text += fmt.Sprintf("; error rates %v and %v", r.Alpha, r.Beta)
	if r.LogRatio.Known() {
		text += fmt.Sprintf(", log-likelihood ratio %.2f, bounds %.2f and %.2f, %d wall sets", float64(r.LogRatio), r.Lower, r.Upper, r.Sets)
	}
	if r.Explained.Known() {
		text += fmt.Sprintf("; luck explains %.0f %% of the results", 100*float64(r.Explained))
	}
	return text
}
