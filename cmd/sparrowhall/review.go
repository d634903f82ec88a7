package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/internal/analysis/review"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/pages/board"
	"github.com/sparrowhall/sparrowhall/internal/pages/viewer"
	"github.com/sparrowhall/sparrowhall/internal/progress"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// reviewOptions are the flags of review.
type reviewOptions struct {
	match       uint64
	player      string
	deals       int
	judge, seal string
	json        bool
	pageFlags
	workFlags
}

func newReviewCommand() *cobra.Command {
	var o reviewOptions
	cmd := &cobra.Command{
		Use:   "review DIR",
		Short: "Estimate what the choices in a match cost",
		Long: `Review replays a match of a dataset, played or imported. At each decision where
the judge would answer differently it deals the unseen tiles many times and
plays the hand on with either answer: rollouts with common random numbers. It
prints for each player what the choices cost by kind, the luck of the tiles,
and the mistakes in words, the costliest first. A mistake is a choice whose cost
is above zero after correction for the number of choices. Costs hold among
players like the judge; see docs/review.md.

With --html the match is written as a web page that shows all this step by
step.`,
		Example: `  sparrowhall review runs/first --match 12
  sparrowhall review runs/first --match 12 --player 0 --deals 400
  sparrowhall review runs/mine --match 0 --html review.html`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	matchFlag(cmd, &o.match, "match")
	f.StringVar(&o.player, "player", "", "review only this player: a number from 0, or a name")
	f.IntVar(&o.deals, "deals", 100, "deals of the unseen tiles per decision")
	f.StringVar(&o.judge, "judge", "expert", "built-in agent that judges and plays on")
	o.addPage(cmd, "file to write the match with the review to as a web page")
	jsonFlag(cmd, &o.json)
	o.addWork(cmd, "decisions judged")
	sealFileFlag(cmd, &o.seal, sealHelp)
	return cmd
}

func (o *reviewOptions) check(cmd *cobra.Command, dir string) error {
	f := cmd.Flags()
	switch {
	case !f.Changed("match"):
		return usagef("--match is missing: which match of %s?", dir)
	case o.deals < 2 || o.deals > 100000:
		return usagef("--deals: %d; allowed: 2 to 100000", o.deals)
	}
	return nil
}

// reviewed is the result that review prints.
type reviewed struct {
	Ruleset string   `json:"ruleset"`
	Match   uint64   `json:"match"`
	Judge   string   `json:"judge"`
	Deals   int      `json:"deals"`
	Agents  []string `json:"agents"`
	// Luck is the luck of the players in points, nil if it cannot be measured.
	Luck []float64 `json:"luck"`
	*review.Review

	rules *ruleset.Rules
}

func (o *reviewOptions) run(cmd *cobra.Command, dir string) error {
	if err := o.check(cmd, dir); err != nil {
		return err
	}
	judge, err := newJudge(o.judge)
	if err != nil {
		return err
	}
	rules, m, names, err := openMatch(cmd.Context(), dir, o.match, o.seal)
	if err != nil {
		return err
	}
	if err := o.checkFile(); err != nil {
		return err
	}
	seats := rules.NumSeats()
	players := sim.Players(1<<seats - 1)
	if cmd.Flags().Changed("player") {
		if players, err = playersNamed(o.player, names[:seats]); err != nil {
			return err
		}
	}
	var p *progress.Progress
	found, err := review.Match(cmd.Context(), rules, m, review.Options{
		NewJudge: judge, Deals: o.deals, Players: players, Workers: o.number(),
		Begin: func(decisions int) { p = o.progress(cmd, "decisions", uint64(decisions)) },
		Done:  func(decisions int) { p.Add(decisions) },
	})
	if p != nil {
		p.End()
	}
	if err != nil {
		return err
	}
	asked := quickAgents(names)
	luck, err := review.Luck(rules, m, asked)
	if err != nil {
		return err
	}
	result := reviewed{
		Ruleset: rules.Name, Match: o.match, Judge: o.judge, Deals: o.deals, Agents: names[:seats],
		Luck: luck, Review: found, rules: rules,
	}
	if err := o.write(func(w io.Writer) error { return viewer.Write(w, rules, m, names, asked, found) }); err != nil {
		return err
	}
	return printResult(cmd, o.json, result, result.print)
}

// newJudge returns the constructor of the agent of --judge, which must answer in any position.
func newJudge(text string) (func() sim.Agent, error) {
	if isKind(text, agents.Outside()) {
		return nil, usagef("--judge: %s is an external agent, which cannot play on from any position; name a built-in agent", text)
	}
	judge, err := agents.New(text)
	if err != nil {
		return nil, usagef("--judge: %w", err)
	}
	return judge, nil
}

func (r *reviewed) print(p *printer) {
	p.printf("%s, match %d; judged by %s with %d deals per decision\n\n", r.Ruleset, r.Match, r.Judge, r.Deals)
	decimals := digits.OfPoints(r.rules.StartingPoints)
	rows := [][]string{{"player", "decisions", "different", "mistakes", "total cost", "luck"}}
	for _, s := range r.Players {
		luck := "-"
		if r.Luck != nil {
			luck = digits.Fixed(r.Luck[s.Player], decimals)
		}
		rows = append(rows, []string{
			fmt.Sprintf("%d %s", s.Player, r.Agents[s.Player]), fmt.Sprint(s.Decisions), fmt.Sprint(s.Other), fmt.Sprint(s.Mistakes),
			s.Text(r.rules), luck,
		})
		for _, k := range s.Kinds {
			rows = append(rows, []string{"  " + k.Kind.Title(r.rules), fmt.Sprint(k.Decisions), fmt.Sprint(k.Other), fmt.Sprint(k.Mistakes), k.Text(r.rules), ""})
		}
	}
	p.aligned(rows)
	p.printf("\n")
	p.paragraphs(r.Noise.Text(board.Languages[0]))
	for _, s := range r.Players {
		r.printMistakes(p, &s)
	}
	r.printDecisions(p, decimals)
}

// playersNamed returns the player of a number, or those of a name.
func playersNamed(text string, names []string) (players sim.Players, err error) {
	for p, name := range names {
		if name == text {
			players |= sim.Player(p).Bit()
		}
	}
	if players != 0 {
		return players, nil
	}
	p, err := strconv.Atoi(text)
	if err != nil || p < 0 || p >= len(names) {
		named := slices.Compact(slices.Sorted(slices.Values(names)))
		return 0, usagef("--player: %q; allowed: 0 to %d, or a name: %s", text, len(names)-1, strings.Join(named, ", "))
	}
	return sim.Player(p).Bit(), nil
}

// printMistakes prints the mistakes of a player in words.
func (r *reviewed) printMistakes(p *printer, s *review.Summary) {
	for _, g := range r.Groups(s.Player) {
		p.printf("Player %d %s: %s\n", s.Player, r.Agents[s.Player], g.Kind.Title(r.rules))
		for _, d := range g.Mistakes {
			p.item(fmt.Sprintf("hand %d, decision %d: %s", d.Hand, d.Step, d.Sentence(board.Languages[0], r.rules)))
		}
		p.printf("\n")
	}
}

// printDecisions prints all decisions with another answer of the judge.
func (r *reviewed) printDecisions(p *printer, decimals int) {
	if len(r.Decisions) == 0 {
		return
	}
	p.printf("All decisions with another answer of the judge\n\n")
	rows := [][]string{{"hand", "decision", "player", "choice", "judge", "cost"}}
	for i := range r.Decisions {
		d := &r.Decisions[i]
		mistake := ""
		if d.Mistake {
			mistake = ", mistake"
		}
		rows = append(rows, []string{
			fmt.Sprint(d.Hand), fmt.Sprint(d.Step), fmt.Sprint(d.Player), actionText(d.Choice, d.Drawn), actionText(d.Better, d.Drawn),
			digits.Interval(float64(d.Cost.Cost), float64(d.Low), float64(d.High), decimals) + mistake,
		})
	}
	p.aligned(rows)
}

// actionText returns an action as text, with the drawn tile if that is discarded.
func actionText(a sim.Action, drawn tile.Face) string {
	if text, found := strings.CutSuffix(a.String(), " drawn"); found {
		return text + " " + drawn.String() + ", drawn"
	}
	return a.String()
}
