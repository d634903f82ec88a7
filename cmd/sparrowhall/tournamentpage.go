package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/export/standings"
	"github.com/sparrowhall/sparrowhall/internal/plain"
)

// looks is how often the standings are looked at for a chart of their course. Each
// look draws wall sets again.
const looks = 12

func newTournamentPageCommand() *cobra.Command {
	var html, luck string
	var force bool
	cmd := &cobra.Command{
		Use:   "page DIR",
		Short: "Write a tournament as a web page",
		Long: `Page writes the standings of a tournament, who finishes ahead of whom, and how the
ratings went as matches were added, as one page that needs no network. With --luck it
tells too what the tiles brought each agent and what is left without; see docs/luck.md.`,
		Example: `  sparrowhall tournament page runs/cup --html cup.html
  sparrowhall tournament page runs/cup --luck=fast --html cup.html`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if html == "" {
				return usagef("--html: no file is named")
			}
			if luck != "" && luck != luckStrong && luck != luckFast {
				return luckUsage(luck)
			}
			d, err := export.Open(args[0])
			if err != nil {
				return err
			}
			if err := checkFile(html, force); err != nil {
				return err
			}
			p, err := tournamentPage(cmd.Context(), d)
			if err != nil {
				return err
			}
			if luck != "" {
				measured, err := measureLuck(cmd, args[0], &luckOptions{fast: luck == luckFast})
				if err != nil {
					return err
				}
				p.Luck = measured.table()
				p.Luck[0][0] = "agent"
			}
			return writeFile(html, force, func(w io.Writer) error { return p.Write(w) })
		},
	}
	cmd.Flags().StringVar(&html, "html", "", "file to write")
	addLuckFlag(cmd, &luck, "tell the luck of the tiles as well")
	cmd.Flags().BoolVar(&force, "force", false, "replace the file if it is there")
	return cmd
}

// tournamentPage returns the page of a tournament.
func tournamentPage(ctx context.Context, d *export.Dataset) (*standings.Page, error) {
	result, err := readTournament(ctx, d)
	if err != nil {
		return nil, err
	}
	course, err := standings.Course(d, looks)
	if err != nil {
		return nil, err
	}
	if len(course) == 0 {
		return nil, errors.New("the tournament has no matches yet")
	}
	for _, s := range course {
		for i := range s.Agents {
			s.Agents[i].Name = plain.Line(s.Agents[i].Name)
		}
	}
	p := &standings.Page{
		Title:     "Tournament: " + plain.Line(result.Ruleset),
		Facts:     append([]string{result.played()}, result.remarks()...),
		Standings: result.standingsTable(), Ahead: result.matrix(), Course: course,
	}
	p.Standings[0][0], p.Ahead[0][0] = "agent", "agent"
	return p, nil
}
