package main

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/contest/strength"
	"github.com/sparrowhall/sparrowhall/internal/release"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

// pageLooks is the number of points in the chart of the ratings.
const pageLooks = 12

func newTournamentPageCommand() *cobra.Command {
	var file pageFlags
	var luck luckFlag
	var work workFlags
	cmd := &cobra.Command{
		Use:   "page DIR",
		Short: "Write a tournament as a web page",
		Long: `Page writes the standings of a tournament, who finishes ahead of whom, and the
ratings after each part of the matches, as one page that needs no network. With
--luck it adds the luck of each agent and the luck-adjusted result; see
docs/luck.md.`,
		Example: `  sparrowhall tournament page runs/cup --html cup.html
  sparrowhall tournament page runs/cup --luck=fast --html cup.html`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if file.html == "" {
				return usagef("--html: name a file")
			}
			d, err := dataset.Open(args[0])
			if err != nil {
				return err
			}
			if err := file.checkFile(); err != nil {
				return err
			}
			result, err := strength.ReadResult(cmd.Context(), d, luckStrong.options(work.number()))
			if err != nil {
				return err
			}
			p, err := tournamentPage(result, d)
			if err != nil {
				return err
			}
			if luck != "" {
				o := reportOptions{luck: luck, workFlags: work}
				r, err := o.collect(cmd, args)
				if err != nil {
					return err
				}
				// In the order of the standings.
				agents := r.Datasets[0].Agents
				for i, name := range slices.Clone(agents) {
					agents[slices.IndexFunc(result.Agents, func(a strength.Agent) bool { return a.Number == i })] = name
				}
				p.Luck = &r.LuckTables(result.EstimateText)[0]
				p.Luck.Head[0] = "agent"
			}
			p.Made += " · " + commandText(cmd, args)
			return file.write(p.Write)
		},
	}
	file.addPage(cmd, "file to write")
	luck.add(cmd, "add the luck of the agents")
	work.addWork(cmd, "matches replayed")
	return cmd
}

func tournamentPage(result *strength.Result, d *dataset.Dataset) (*strength.Page, error) {
	course, err := strength.Course(d, pageLooks)
	if err != nil {
		return nil, err
	}
	if len(course) == 0 {
		return nil, errors.New("the tournament has no whole file of matches yet; a smaller --file-matches of tournament run gives the first one sooner")
	}
	for _, s := range course {
		for i := range s.Agents {
			s.Agents[i].Name = sanitize.Line(s.Agents[i].Name)
		}
	}
	p := &strength.Page{
		Title: findings.NewText("title.tournament", result.Ruleset), Facts: []findings.Text{result.Summary()},
		Standings: result.Table(), Ahead: result.AheadTable(), Course: course, Family: d.Rules().Family,
		Made: release.Made(d.Manifest.EngineVersion, release.Rules(result.Ruleset, result.Hash), result.SeedText().String()),
	}
	if result.Accept != nil {
		p.Facts = append(p.Facts, result.Verdict())
	}
	p.Facts = append(append(p.Facts, result.Neighbors()...), result.Remarks()...)
	p.Standings.Head[0], p.Ahead.Head[0] = "agent", "agent"
	return p, nil
}
