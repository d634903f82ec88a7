package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/export/balance"
	"github.com/sparrowhall/sparrowhall/export/report"
	"github.com/sparrowhall/sparrowhall/internal/scratch"
	"github.com/sparrowhall/sparrowhall/sim/arena"
)

// balanceOptions are the flags of balance.
type balanceOptions struct {
	ruleset string
	matches int64
	seed    uint64
	adapt   int64
	html    string
	force   bool
	json    bool
	workFlags
}

func newBalanceCommand() *cobra.Command {
	var o balanceOptions
	cmd := &cobra.Command{
		Use:   "balance",
		Short: "Show what a ruleset makes of a match, beside all presets",
		Long: `Balance plays a ruleset and shows in one view how much of the result is luck and how
much is skill, what the seats and the first move are worth, how long and how fast play
is, how the lead changes, how wild it is, and how rich its patterns are. Each figure
stands beside those of all presets, in units that all families share.

Three fields play --matches each: four equal players, players of several strengths with
a beginner among them, and without one. Then a player adapts to the ruleset: his weights
are tuned within --adapt matches, and he plays --matches among three who go on as before.
The players are always the same, so that rulesets can be compared; docs/balance.md says
how the figures are made.`,
		Example: `  sparrowhall balance --ruleset mcr_2006
  sparrowhall balance --ruleset my_rules.toml --html my_rules.html`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.balance(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.ruleset, "ruleset", "ema_2016", "preset or file")
	f.Int64Var(&o.matches, "matches", balanceMatches, "number of matches of each field, a multiple of 4")
	f.Uint64Var(&o.seed, "seed", 1, "seed of all matches")
	f.Int64Var(&o.adapt, "adapt", balanceAdapt, "let a player adapt to the ruleset within this many matches; 0 for not")
	f.StringVar(&o.html, "html", "", "file to write the view to as a web page")
	f.BoolVar(&o.force, "force", false, "replace the file of --html if it is there")
	o.addWork(cmd, "matches played at a time")
	jsonFlag(cmd, &o.json)
	return cmd
}

// balanceMatches is how many matches a field plays if nobody says otherwise, and how many
// it has played of the presets.
const balanceMatches = 1000

// balanceAdapt is within how many matches a player adapts if nobody says otherwise, and
// within how many one has adapted to the presets: few, so that a view does not take minutes.
const balanceAdapt = 2000

func (o *balanceOptions) balance(cmd *cobra.Command) error {
	switch {
	case o.matches < 1 || o.matches%arena.Rotations != 0:
		return usagef("--matches: %d; allowed: multiples of %d, as four players change seats at the same walls", o.matches, arena.Rotations)
	case cmd.Flags().Changed("html") && o.html == "":
		return usagef("--html: no file is named")
	case o.force && o.html == "":
		return usagef("--force says how to write a page; name its file with --html")
	}
	if err := o.checkWork(); err != nil {
		return err
	}
	rules, err := configs.Open(o.ruleset)
	if err != nil {
		return err
	}
	if o.html != "" {
		if err := checkFile(o.html, o.force); err != nil {
			return err
		}
	}
	presets, err := balance.Presets()
	if err != nil {
		return err
	}
	most := uint64(o.matches) * uint64(len(balance.Fields))
	if o.adapt > 0 {
		most += uint64(o.adapt + o.matches)
	}
	p := o.progress(cmd, "matches", most)
	p.open = o.adapt > 0 // he may need fewer
	v, err := o.view(cmd.Context(), rules, p)
	p.end()
	if err != nil {
		return err
	}
	if o.html != "" {
		if err := writeFile(o.html, o.force, func(w io.Writer) error { return v.HTML(w, presets) }); err != nil {
			return err
		}
	}
	if o.json {
		return writeJSON(cmd.OutOrStdout(), struct {
			*balance.View
			Figures []balance.Beside `json:"figures"`
			Remarks []string         `json:"remarks"`
		}{v, v.Beside(presets), v.Remarks(v.Beside(presets))})
	}
	return printBalance(cmd.OutOrStdout(), v, presets)
}

// view plays a ruleset and looks at it.
func (o *balanceOptions) view(ctx context.Context, rules *configs.Ruleset, p *progress) (*balance.View, error) {
	temp, err := scratch.New(os.TempDir(), "sparrowhall-balance-")
	if err != nil {
		return nil, err
	}
	defer temp.Remove()
	var dirs []string
	var adapter *adapter
	for i := range balance.Fields {
		f := &balance.Fields[i]
		run := &export.Run{
			Ruleset: rules, Seed: o.seed, Matches: uint64(o.matches), Agents: f.Agents[:], Record: export.Hands,
			FileMatches: export.DefaultFileMatches,
		}
		if run.Tournament, err = f.Schedule(run.Seed, run.Matches); err != nil {
			return nil, err
		}
		if err := run.Check(); err != nil {
			return nil, usagef("%w", err)
		}
		g := &field{run: run, variants: []*export.Run{run}, dirs: []string{filepath.Join(temp.Path, fmt.Sprint(i))}, workers: o.workers, progress: p}
		for _, spec := range f.Agents {
			factory, err := agents.New(spec)
			if err != nil {
				return nil, err
			}
			g.factories = append(g.factories, factory)
		}
		if i == 0 {
			if adapter, err = newAdapter(g, o.adapt, filepath.Join(temp.Path, "adapt"), false); err != nil {
				return nil, err
			}
		}
		if err := g.create(false); err != nil {
			return nil, err
		}
		if err := g.play(ctx, 0); err != nil {
			return nil, err
		}
		dirs = append(dirs, g.dirs[0])
	}
	adapted := []*report.Adaptation{nil}
	if adapter != nil {
		if adapted, err = adapter.adapt(ctx); err != nil {
			return nil, err
		}
	}
	return balance.Collect(ctx, dirs, adapted[0])
}

// printBalance prints a view beside the presets.
func printBalance(w io.Writer, v *balance.View, presets []balance.View) error {
	list := v.Beside(presets)
	if err := printParagraph(w, v.Played()); err != nil {
		return err
	}
	if remarks := v.Remarks(list); len(remarks) > 0 {
		var lines []string
		for _, text := range remarks {
			lines = append(lines, strings.ReplaceAll(wrap("- "+text+".", widthOf(w)-2), "\n", "\n  "))
		}
		if _, err := fmt.Fprintf(w, "\nWhat stands out:\n%s\n", strings.Join(lines, "\n")); err != nil {
			return err
		}
	}
	if lines := v.Adapted(); lines != nil {
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
		if err := printLines(w, lines, 0); err != nil {
			return err
		}
	} else if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	var tables []report.Table
	for i := range list {
		b := &list[i]
		if n := len(tables); n == 0 || tables[n-1].Title != string(b.Group) {
			tables = append(tables, report.Table{Title: string(b.Group), Head: []string{"figure", "here", "presets", "place"}})
		}
		last := &tables[len(tables)-1]
		last.Rows = append(last.Rows, report.Row{Label: b.Name, Cells: []string{b.Figure.Text(), b.Range(), b.Place()}})
	}
	for _, prices := range [...]*report.Table{v.PriceTable(), v.OfferTable()} {
		prices.Rows = prices.Rows[:min(len(prices.Rows), mostPrices)]
		tables = append(tables, *prices)
	}
	return printTables(w, tables)
}

// mostPrices is how many patterns are printed, those farthest from the line.
const mostPrices = 8
