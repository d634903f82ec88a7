package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/export/report"
	"github.com/sparrowhall/sparrowhall/internal/plain"
)

// The ways to measure luck that flags name.
const (
	luckStrong = "strong"
	luckFast   = "fast"
)

// addLuckFlag adds --luck, which may be given without a value.
func addLuckFlag(cmd *cobra.Command, to *string, about string) {
	cmd.Flags().StringVar(to, "luck", "", about+": strong, or fast at less cost and less exactly")
	cmd.Flags().Lookup("luck").NoOptDefVal = luckStrong
}

// luckUsage is the error of another value.
func luckUsage(value string) error {
	return usagef("--luck=%s: %s or %s", value, luckStrong, luckFast)
}

// luckOptions are the flags of luck.
type luckOptions struct {
	fast  bool
	table string
	force bool
	json  bool
	quietFlag
}

func newLuckCommand() *cobra.Command {
	var o luckOptions
	cmd := &cobra.Command{
		Use:   "luck DIR",
		Short: "Tell how lucky everybody was in the matches of a dataset",
		Long: `Luck plays the matches of a dataset again, which may be imported ones, and tells for
each agent what the tiles brought it beyond what could be expected, in points and in
placement points, and what is left without. The rest has the same mean as the
result and a smaller interval; see docs/luck.md.

With --table the luck of every player in every hand is written to an Arrow IPC file.`,
		Example: `  sparrowhall luck runs/cup
  sparrowhall luck runs/club --table runs/club-luck.arrow
  sparrowhall luck runs/big --fast --json`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.luck(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.fast, "fast", false, "measure at less cost and less exactly")
	f.StringVar(&o.table, "table", "", "file to write the luck of every player in every hand to")
	f.BoolVar(&o.force, "force", false, "replace the file of --table")
	o.addQuiet(cmd)
	jsonFlag(cmd, &o.json)
	return cmd
}

func (o *luckOptions) luck(cmd *cobra.Command, dir string) error {
	f := cmd.Flags()
	switch {
	case f.Changed("table") && o.table == "":
		return usagef("--table: no file is named")
	case o.force && o.table == "":
		return usagef("--force says how to write a table; name its file with --table")
	}
	if o.table != "" {
		if err := checkFile(o.table, o.force); err != nil {
			return err
		}
	}
	r, err := measureLuck(cmd, dir, o)
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(cmd.OutOrStdout(), r)
	}
	return r.write(cmd.OutOrStdout())
}

// luckResult is what luck prints.
type luckResult struct {
	Dir     string `json:"dir"`
	Ruleset string `json:"ruleset"`
	Matches uint64 `json:"matches"`
	// Agents are told in the order of the run, each once.
	Agents []luckOfAgent `json:"agents"`
}

// luckOfAgent is the luck of an agent, on average over its matches and in all.
type luckOfAgent struct {
	Agent   string  `json:"agent"`
	Matches float64 `json:"matches"`
	// PointsLuck and PlacementLuck are the sums over all matches.
	PointsLuck    float64 `json:"points_luck_sum"`
	PlacementLuck float64 `json:"placement_luck_sum"`
	// Worth is how many matches one is worth less its luck.
	Worth   float64         `json:"match_worth,omitempty"`
	Figures []report.Figure `json:"figures"`
}

// measureLuck measures the luck of a dataset and writes the table that o names.
func measureLuck(cmd *cobra.Command, dir string, o *luckOptions) (*luckResult, error) {
	d, err := export.Open(dir)
	if err != nil {
		return nil, err
	}
	p := o.progress(cmd, "matches", 2*d.Matches())
	defer p.end()
	measure := func(d *export.Dataset) ([]export.MatchLuck, error) {
		list, err := d.Luck(cmd.Context(), export.LuckOptions{Places: true, Player: agents.Quick, Fast: o.fast, Hands: o.table != "", Workers: runtime.GOMAXPROCS(0), Read: p.add})
		if err != nil || o.table == "" {
			return list, err
		}
		return list, writeFile(o.table, o.force, func(w io.Writer) error {
			return report.WriteLuck(w.(io.WriteSeeker), d, list) // it is a file
		})
	}
	r, err := report.Collect(cmd.Context(), []string{dir}, measure, p.add)
	if err != nil {
		return nil, err
	}
	s := &r.Datasets[0]
	result := &luckResult{Dir: dir, Ruleset: s.Ruleset, Matches: s.Matches}
	for _, f := range s.Luck() {
		n := len(result.Agents)
		if n == 0 || result.Agents[n-1].Agent != f.Of {
			result.Agents = append(result.Agents, luckOfAgent{Agent: f.Of, Matches: f.Count})
			n++
		}
		a := &result.Agents[n-1]
		a.Figures = append(a.Figures, f)
		switch f.Name {
		case report.PointsLuck:
			a.PointsLuck = f.Sum
		case report.PlacementLuck:
			a.PlacementLuck = f.Sum
		}
	}
	for i := range result.Agents {
		for _, w := range s.MatchWorth {
			if w.Agent == result.Agents[i].Agent {
				result.Agents[i].Worth = w.Worth
			}
		}
	}
	return result, nil
}

// write prints the luck.
func (r *luckResult) write(w io.Writer) error {
	if err := printParagraph(w, fmt.Sprintf("%s: %s, %d matches; means of a match with intervals of 95 %%", plain.Line(r.Dir), plain.Line(r.Ruleset), r.Matches)); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	if err := writeRows(w, r.table()); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	for i := range r.Agents {
		a := &r.Agents[i]
		if err := printParagraph(w, fmt.Sprintf("%s: the tiles brought it %+.0f points and %+.1f placement points over its %.0f matches", plain.Line(a.Agent), a.PointsLuck, a.PlacementLuck, a.Matches)); err != nil {
			return err
		}
	}
	return nil
}

// table has a row for each figure and agent.
func (r *luckResult) table() [][]string {
	rows := [][]string{{"", "result", "luck", "less luck"}}
	for i := range r.Agents {
		a := &r.Agents[i]
		for _, of := range [...]struct{ name, luck, less string }{
			{"points", report.PointsLuck, report.PointsLessLuck},
			{"placement", report.PlacementLuck, report.PlacementLessLuck},
		} {
			row := []string{plain.Line(a.Agent) + ", " + of.name}
			for _, name := range [...]string{of.name, of.luck, of.less} {
				for j := range a.Figures {
					if f := &a.Figures[j]; f.Name == name {
						row = append(row, f.Text(f.Unit))
					}
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}
