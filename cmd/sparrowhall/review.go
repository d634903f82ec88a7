package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/export/review"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/chance"
	"github.com/sparrowhall/sparrowhall/sim/record/page"
)

// reviewOptions are the flags of review.
type reviewOptions struct {
	match         uint64
	player, deals int
	judge         string
	html, seal    string
	force, json   bool
	workFlags
}

func newReviewCommand() *cobra.Command {
	var o reviewOptions
	cmd := &cobra.Command{
		Use:   "review DIR",
		Short: "Say what the choices of a match cost",
		Long: `Review goes through a match of a dataset, played or imported. At each decision where
expert would have answered otherwise it deals the tiles that the player could not see
anew, many times, plays the hand on with either answer, and says how many points the
choice costs, with an interval; a star marks those that are beyond doubt. Costs are
those among players like the judge. With the luck of the tiles it tells how the match
went; see docs/review.md.

With --html the match is written as a web page that shows all this step by step.`,
		Example: `  sparrowhall review runs/first --match 12
  sparrowhall review runs/first --match 12 --player 0 --deals 400
  sparrowhall review runs/mine --match 0 --html review.html`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.Uint64Var(&o.match, "match", 0, "number of the match, from 0")
	f.IntVar(&o.player, "player", -1, "review this player only, 0 to 3")
	f.IntVar(&o.deals, "deals", 100, "how often the unseen tiles are dealt anew at a decision")
	f.StringVar(&o.judge, "judge", "expert", "the built-in agent that judges and plays on")
	f.StringVar(&o.html, "html", "", "write the match with the review as a web page to this file")
	f.BoolVar(&o.force, "force", false, "replace the file of --html if it is there")
	f.BoolVar(&o.json, "json", false, "print JSON")
	o.addWork(cmd, "decisions judged at a time")
	sealFileFlag(cmd, &o.seal, "file with the seed of a sealed run that is not complete")
	return cmd
}

func (o *reviewOptions) check(cmd *cobra.Command, dir string) error {
	f := cmd.Flags()
	if err := o.checkWork(); err != nil {
		return err
	}
	switch {
	case !f.Changed("match"):
		return usagef("--match is missing: which match of %s?", dir)
	case f.Changed("player") && (o.player < 0 || o.player >= sim.NumPlayers):
		return usagef("--player: %d; allowed: 0 to %d", o.player, sim.NumPlayers-1)
	case o.deals < 2 || o.deals > 100000:
		return usagef("--deals: %d; allowed: 2 to 100000", o.deals)
	case o.force && o.html == "":
		return usagef("--force replaces the file of --html, which is not given")
	case f.Changed("html") && o.html == "":
		return usagef("--html: no file is named")
	}
	return nil
}

// reviewed is what review prints.
type reviewed struct {
	Ruleset string                 `json:"ruleset"`
	Match   uint64                 `json:"match"`
	Judge   string                 `json:"judge"`
	Deals   int                    `json:"deals"`
	Agents  [sim.NumPlayers]string `json:"agents"`
	// Luck is that of the tiles for players 0 to 3, in points; nil where it cannot be
	// measured.
	Luck *[sim.NumPlayers]float64 `json:"luck"`
	*review.Review

	rules *ruleset.Rules
}

func (o *reviewOptions) run(cmd *cobra.Command, dir string) error {
	if err := o.check(cmd, dir); err != nil {
		return err
	}
	judge, err := o.newJudge()
	if err != nil {
		return err
	}
	rules, m, names, err := recorded(dir, o.match, o.seal)
	if err != nil {
		return err
	}
	if o.html != "" {
		if err := checkFile(o.html, o.force); err != nil {
			return err
		}
	}
	players := sim.Players(1<<sim.NumPlayers - 1)
	if o.player >= 0 {
		players = sim.Player(o.player).Bit()
	}
	p := o.progress(cmd, "decisions", uint64(len(m.Actions)))
	found, err := review.Match(cmd.Context(), rules, m, review.Options{
		NewJudge: judge, Deals: o.deals, Players: players, Workers: o.number(), Done: p.add,
	})
	p.end()
	if err != nil {
		return err
	}
	asked := quick(names)
	luck, err := luckOf(rules, m, asked)
	if err != nil {
		return err
	}
	result := reviewed{
		Ruleset: rules.Name, Match: o.match, Judge: o.judge, Deals: o.deals, Agents: names,
		Luck: luck, Review: found, rules: rules,
	}
	if o.html != "" {
		var list []page.Verdict
		for _, d := range found.Decisions {
			list = append(list, page.Verdict{Step: d.Step, Better: d.Better, Cost: float64(d.Cost), Low: float64(d.Low), High: float64(d.High)})
		}
		if err := writeFile(o.html, o.force, func(w io.Writer) error { return page.Write(w, rules, m, names, asked, list...) }); err != nil {
			return err
		}
	}
	if o.json {
		return writeJSON(cmd.OutOrStdout(), result)
	}
	return result.write(cmd.OutOrStdout())
}

// newJudge returns what makes judges.
func (o *reviewOptions) newJudge() (func() sim.Agent, error) {
	if name, _, _ := strings.Cut(o.judge, ":"); slices.Contains(agents.Outside(), name) {
		return nil, usagef("--judge: %s plays from outside and cannot be asked about hands that never were; name a built-in agent", o.judge)
	}
	judge, err := agents.New(o.judge)
	if err != nil {
		return nil, fmt.Errorf("--judge: %w", err)
	}
	return judge, nil
}

// luckOf returns what the tiles of a match were worth to its players, in points; nil where
// no estimate is known for the family. The players are those who can be asked what they
// would discard.
func luckOf(r *ruleset.Rules, m *sim.Match, players [sim.NumPlayers]sim.Agent) (*[sim.NumPlayers]float64, error) {
	e, err := chance.For(r)
	if err != nil {
		return nil, nil
	}
	var sum [sim.NumPlayers]float64
	meter := chance.NewMeter(r, e)
	meter.Know(players)
	err = meter.FollowMatch(m, func(_ sim.Event, l chance.Luck) {
		for p, x := range l {
			sum[p] += float64(x) / chance.LuckUnit / float64(r.Unit())
		}
	})
	return &sum, err
}

func (r *reviewed) write(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%s, match %d; judged by %s with %d deals a decision\n\n", r.Ruleset, r.Match, r.Judge, r.Deals); err != nil {
		return err
	}
	decimals := 0
	if r.rules.StartingPoints < 1000 {
		decimals = 2
	}
	interval := func(value, low, high float64) string {
		return decimal(value, decimals) + " [" + decimal(low, decimals) + ", " + decimal(high, decimals) + "]"
	}
	rows := [][]string{{"player", "decisions", "otherwise", "clear", "cost in all", "luck"}}
	for _, s := range r.Players {
		luck := "-"
		if r.Luck != nil {
			luck = decimal(r.Luck[s.Player], decimals)
		}
		rows = append(rows, []string{
			fmt.Sprintf("%d %s", s.Player, r.Agents[s.Player]), fmt.Sprint(s.Decisions), fmt.Sprint(s.Other), fmt.Sprint(s.Clear),
			interval(float64(s.Cost), float64(s.Low), float64(s.High)), luck,
		})
	}
	if err := writeTable(w, rows); err != nil {
		return err
	}
	rows = [][]string{{"hand", "decision", "player", "choice", "judge", "cost"}}
	for _, d := range r.Decisions {
		star := ""
		if d.Clear() {
			star = " *"
		}
		rows = append(rows, []string{
			fmt.Sprint(d.Hand), fmt.Sprint(d.Step), fmt.Sprint(d.Player), actionText(d.Choice, d.Drawn), actionText(d.Better, d.Drawn),
			interval(float64(d.Cost), float64(d.Low), float64(d.High)) + star,
		})
	}
	if len(r.Decisions) == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return writeTable(w, rows)
}

// actionText names an action, and the tile where that was the one drawn.
func actionText(a sim.Action, drawn tile.Face) string {
	if text, found := strings.CutSuffix(a.String(), " drawn"); found {
		return text + " " + drawn.String() + ", drawn"
	}
	return a.String()
}
