package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/export/report"
	"github.com/sparrowhall/sparrowhall/internal/scratch"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/respond"
)

// sweepOptions are the flags of sweep.
type sweepOptions struct {
	playOptions
	knobs   []string
	cross   bool
	figures []string
	others  []string
	// files are variants that are ruleset files.
	files []string
	// adapt is in how many matches players adapt to each ruleset, 0 if they do not.
	adapt int64
}

func newSweepCommand() *cobra.Command {
	var o sweepOptions
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "Find out what a rule does: change knobs, play the same walls, compare",
		Long: `Sweep plays a ruleset as it is and with knobs changed, each time with the same
seeds and agents, and prints what that does to the figures of report. Matches are
compared in pairs, so that effects show that are far smaller than the luck of
single matches, and probabilities are corrected for the number of comparisons.

Each --knob is a variant: KEY=VALUE with a value as in a ruleset file, where
quotes may be left out. KEY=4,6,10 are several, KEY=4..12 or KEY=4..12:2 those of a
range of whole numbers, and KEY alone stands for all other values of a knob that has
a list of them. Each --variant is a ruleset file, such as the suggested.toml of report
--offered. With --cross the knobs are combined in all ways as well, and it is
told what they do together beyond what each does alone.

A range shows how figures follow the knob: those of --figure, or the headlines that
change most clearly. With --field other agents play all of it as well, and effects
that depend on who plays are named.

With --adapt a player adapts to each ruleset: his weights are tuned within that many
matches, and he plays among three who go on as before, at walls that the search has not
seen. It tells what adapting is worth, beside that of a player who has adapted to the
ruleset as it is, and which patterns and habits he has more often. So do the players of
each --field that are equal and have weights.

With --out the datasets are kept, in a folder for each variant, and the whole
report is written to the folder report beside them. The same command continues a
sweep that was interrupted. With --shard the folder holds a part of the matches of
each variant, for sweep merge to join.`,
		Example: `  sparrowhall sweep --ruleset ema_2016 --knob kiriage_mangan=true --matches 2000
  sparrowhall sweep --ruleset mcr_2006 --knob min_win=4..12:2 --figure won --figure win.value
  sparrowhall sweep --ruleset ema_2016 --knob noten_total=0,1000,6000 --field greedy,greedy,greedy,greedy
  sparrowhall sweep --ruleset mcr_2006 --knob patterns.seven_pairs=12 --adapt 5000
  sparrowhall sweep --ruleset ema_2016 --knob multi_win --knob ura_dora=false --out runs/sweep`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.sweep(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.ruleset, "ruleset", "ema_2016", "preset or file to start from")
	f.StringArrayVar(&o.knobs, "knob", nil, "what to change, KEY=VALUE,VALUE, KEY=FROM..TO:STEP or KEY; may be given more than once")
	f.StringArrayVar(&o.files, "variant", nil, "a ruleset file, or a preset, to play as a variant; may be given more than once")
	f.StringArrayVar(&o.figures, "figure", nil, "draw how this figure follows a range, such as won or win.value; may be given more than once")
	f.StringArrayVar(&o.others, "field", nil, "four other agents to play all of it as well, such as greedy,greedy,greedy,greedy; may be given more than once")
	f.Int64Var(&o.adapt, "adapt", 0, "let a player adapt to each ruleset within this many matches; 0 for not")
	f.BoolVar(&o.cross, "cross", false, "combine the knobs in all ways")
	f.Int64Var(&o.matches, "matches", 1000, "number of matches of each variant")
	f.Uint64Var(&o.seed, "seed", 1, "seed of all runs")
	f.StringVar(&o.agentList, "agents", "value,value,value,value", "four agents separated by commas")
	f.StringArrayVar(&o.agents, "agent", nil, "one agent, given four times instead of --agents; may hold commas")
	f.StringVar(&o.out, "out", "", "folder to write datasets and report to")
	f.BoolVar(&o.force, "force", false, "start over, replacing what an earlier sweep has written")
	f.Int64Var(&o.fileMatches, "file-matches", export.DefaultFileMatches, "matches whose rows share a file, a multiple of 64")
	o.addShard(cmd)
	o.addWork(cmd, "matches played at a time")
	jsonFlag(cmd, &o.json)
	cmd.AddCommand(newMergeCommand("sweep", "  sparrowhall sweep merge --out runs/sweep runs/sweep-1 runs/sweep-2", false, mergeSweep))
	return cmd
}

func (o *sweepOptions) sweep(cmd *cobra.Command) error {
	switch {
	case len(o.knobs)+len(o.files) == 0:
		return usagef("--knob is missing: which rule shall change? (Or --variant, a ruleset file.)")
	case o.adapt > 0 && o.shard != "":
		return usagef("--adapt is not divided: sweep without --shard")
	}
	o.record = export.Hands.String()
	if err := o.check(cmd); err != nil {
		return err
	}
	list, err := o.fields()
	if err != nil {
		return err
	}
	variants, err := o.variants(list[0].run.Ruleset)
	if err != nil {
		return err
	}
	var keys []report.Key
	for _, name := range o.figures {
		k, err := report.FindKey(report.Keys(list[0].run.Ruleset.Rules(), list[0].run.Agents), name)
		if err != nil {
			return usagef("--figure: %w", err)
		}
		keys = append(keys, k)
	}
	dir := o.out
	if _, err := os.Stat(filepath.Join(dir, "manifest.json")); dir != "" && err == nil {
		return fmt.Errorf("%s holds a dataset; name another folder for the sweep with --out", dir)
	}
	if dir == "" {
		temp, err := scratch.New(os.TempDir(), "sparrowhall-sweep-")
		if err != nil {
			return err
		}
		defer temp.Remove()
		dir = temp.Path
	}
	adapters := make([]*adapter, len(list))
	for i, f := range list {
		// Only the first field has to adapt: others may be of players without weights.
		if adapters[i], err = newAdapter(f, o.adapt, filepath.Join(dir, fieldName(i), "adapt"), o.force); err != nil && i == 0 {
			return err
		}
	}
	var matches uint64
	for i, f := range list {
		if o.out != "" {
			if err := report.Check(filepath.Join(dir, fieldName(i), "report"), true); err != nil {
				return err
			}
		}
		for n, v := range variants {
			each := *f.run
			each.Ruleset = v
			f.variants = append(f.variants, &each)
			f.dirs = append(f.dirs, filepath.Join(dir, fieldName(i), fmt.Sprintf("%02d_%s", n, fileName(v.Name))))
		}
		if err := f.create(o.force); err != nil {
			return o.explain(err)
		}
		matches += f.matches * uint64(len(variants))
		if adapters[i] != nil {
			matches += adapters[i].matches()
		}
	}
	progress := o.progress(cmd, "matches", matches)
	for _, f := range list {
		f.progress = progress
		for i := range variants {
			if err := f.play(cmd.Context(), i); err != nil {
				progress.end()
				return o.explain(err)
			}
		}
	}
	adapted := make([][]*report.Adaptation, len(list))
	for i, a := range adapters {
		if a == nil {
			continue
		}
		if adapted[i], err = a.adapt(cmd.Context()); err != nil {
			progress.end()
			return o.explain(err)
		}
	}
	progress.end()
	if first := list[0]; first.run.Shard.Of > 0 {
		return o.reportShard(cmd, first.first, first.first+first.matches)
	}
	var dirs [][]string
	for _, f := range list {
		dirs = append(dirs, f.dirs)
	}
	return reportSweep(cmd, dirs, &sweepReport{o.out, keys, o.json, adapted})
}

// fieldName is the folder of a field of agents below that of the sweep: the first has
// none.
func fieldName(i int) string {
	if i == 0 {
		return ""
	}
	return fmt.Sprintf("field%d", i+1)
}

// fields returns what each field of agents is to play, but for the variants.
func (o *sweepOptions) fields() ([]*field, error) {
	run, factories, err := o.run()
	if err != nil {
		return nil, err
	}
	list := []*field{{run: run, factories: factories, workers: o.workers}}
	for _, agents := range o.others {
		run, factories, err := o.field(agents)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(f *field) bool { return slices.Equal(f.run.Agents, run.Agents) }) {
			return nil, usagef("--field %s: these agents play already", agents)
		}
		list = append(list, &field{run: run, factories: factories, workers: o.workers})
	}
	return list, nil
}

// sweepReport says how the report of a sweep is written.
type sweepReport struct {
	out string
	// figures are those of the curves, nil for those that change most clearly.
	figures []report.Key
	json    bool
	// adapted says of each field and ruleset what players make of it who adapt, nil for
	// fields whose players do not.
	adapted [][]*report.Adaptation
}

// reportSweep prints the effects of each field of agents, and writes the reports beside
// the datasets if they are kept.
func reportSweep(cmd *cobra.Command, dirs [][]string, o *sweepReport) error {
	var list []*report.Report
	for i, of := range dirs {
		r, err := report.Collect(cmd.Context(), of, nil, nil)
		if err != nil {
			return err
		}
		if len(o.figures) > 0 {
			r.DrawCurves(o.figures)
		}
		if err := respondTo(cmd.Context(), r, of); err != nil {
			return err
		}
		if i < len(o.adapted) && o.adapted[i] != nil {
			r.Adaptation = o.adapted[i][0]
			for k := range r.Answers {
				r.Answers[k].Adaptation = o.adapted[i][r.Answers[k].Dataset]
			}
		}
		if o.out != "" {
			// The report follows from the datasets, so an earlier one is replaced.
			if err := r.Write(filepath.Join(o.out, fieldName(i), "report"), true); err != nil {
				return err
			}
		}
		list = append(list, r)
	}
	w := cmd.OutOrStdout()
	if o.json && len(list) == 1 {
		return list[0].JSON(w)
	}
	if o.json {
		return writeJSON(w, struct {
			Fields        []*report.Report      `json:"fields"`
			Disagreements []report.Disagreement `json:"disagreements"`
		}{list, report.Disagreements(list)})
	}
	for i, r := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := printEffects(w, r); err != nil {
			return err
		}
	}
	if len(list) == 1 {
		return nil
	}
	fmt.Fprintln(w)
	return printTables(w, []report.Table{report.DisagreementTable(list)})
}

// mostAsked is how many matches are played to see whether the players respond.
const mostAsked = 100

// respondTo tells the answers of a sweep whether the players respond to its rules.
func respondTo(ctx context.Context, r *report.Report, dirs []string) error {
	if len(r.Answers) == 0 {
		return nil
	}
	base, err := export.Open(dirs[0])
	if err != nil {
		return err
	}
	job := &respond.Job{
		Base: base.Rules(), Schedule: base.Run.Schedule(),
		Matches: int(min(base.Run.Matches, mostAsked)), Workers: runtime.GOMAXPROCS(0),
	}
	var factories []func() sim.Agent
	for _, spec := range base.Run.Agents {
		f, err := agents.New(spec)
		if err != nil {
			return err
		}
		factories = append(factories, f)
	}
	job.NewAgent = func(number int) sim.Agent { return factories[number]() }
	for i := range r.Answers {
		d, err := export.Open(dirs[r.Answers[i].Dataset])
		if err != nil {
			return err
		}
		job.Variants = append(job.Variants, d.Rules())
	}
	list, err := respond.Run(ctx, job)
	if errors.Is(err, respond.ErrOutside) {
		return nil
	}
	if err != nil {
		return err
	}
	for i := range r.Answers {
		r.Answers[i].Response = &list[i]
	}
	return nil
}

func mergeSweep(o *mergeOptions, cmd *cobra.Command, shards []string) error {
	names, err := variantsIn(shards[0])
	if err != nil {
		return err
	}
	dirs, shardsOf := make([]string, len(names)), make([][]string, len(names))
	for _, shard := range shards {
		there, err := variantsIn(shard)
		if err != nil {
			return err
		}
		if !slices.Equal(there, names) {
			return fmt.Errorf("%s and %s are shards of different sweeps: the variants are %s there, %s here", shards[0], shard, strings.Join(names, ", "), strings.Join(there, ", "))
		}
		for i, name := range names {
			dirs[i] = filepath.Join(o.out, name)
			shardsOf[i] = append(shardsOf[i], filepath.Join(shard, name))
		}
	}
	for _, name := range names {
		if err := report.Check(filepath.Join(o.out, filepath.Dir(name), "report"), true); err != nil {
			return err
		}
	}
	if err := o.join(cmd, dirs, shardsOf); err != nil {
		return err
	}
	var fields [][]string
	for i := 0; i < len(dirs); {
		n := i + 1
		for n < len(dirs) && filepath.Dir(dirs[n]) == filepath.Dir(dirs[i]) {
			n++
		}
		fields = append(fields, dirs[i:n])
		i = n
	}
	return reportSweep(cmd, fields, &sweepReport{out: o.out, json: o.json})
}

// variantsIn returns the names of the folders of the variants of a sweep, in order,
// those of further fields of agents after those of the first.
func variantsIn(dir string) ([]string, error) {
	var names []string
	for i := 0; ; i++ {
		files, err := fs.Glob(os.DirFS(dir), path.Join(fieldName(i), "[0-9][0-9]*_*/manifest.json"))
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			break
		}
		slices.SortFunc(files, func(a, b string) int { return cmp.Or(cmp.Compare(numberOf(a), numberOf(b)), cmp.Compare(a, b)) })
		for _, file := range files {
			names = append(names, path.Dir(file))
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: it holds no sweep", dir)
	}
	return names, nil
}

// numberOf returns the number that the name of a variant's folder begins with.
func numberOf(manifest string) int {
	digits, _, _ := strings.Cut(path.Base(path.Dir(manifest)), "_")
	n, _ := strconv.Atoi(digits) // a folder of something else
	return n
}

// explain says what a sweep that ended early leaves behind.
func (o *sweepOptions) explain(err error) error {
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	if errors.Is(err, export.ErrOccupied) {
		return fmt.Errorf("%w; --force starts over there", err)
	}
	if o.out == "" {
		return err
	}
	return fmt.Errorf("%w; the same command continues where it stopped", err)
}

// field is what four agents play in a sweep.
type field struct {
	// run is that of the ruleset as it is, variants are those of all, in the folders
	// dirs.
	run       *export.Run
	variants  []*export.Run
	dirs      []string
	factories []func() sim.Agent
	workers   int
	// first is the first match that is played of each, matches their number.
	first, matches uint64
	progress       *progress
}

// number returns how many workers play.
func (s *field) number() int {
	w := workFlags{workers: s.workers}
	return w.number()
}

// create begins the datasets of all variants, so that they can be told apart from
// those of a sweep that ends early.
func (s *field) create(force bool) error {
	for i, run := range s.variants {
		w, err := export.Create(s.dirs[i], run, force)
		if err != nil {
			return err
		}
		s.first, s.matches = w.First(), w.End()-w.First()
		if err := w.Close(); err != nil {
			return err
		}
	}
	return nil
}

// play plays what is missing of the dataset of a variant.
func (s *field) play(ctx context.Context, i int) error {
	run := s.variants[i]
	w, err := export.Create(s.dirs[i], run, false)
	if err != nil {
		return err
	}
	s.progress.skip(w.Whole() + w.Kept())
	job := newJob(run, s.factories, s.workers)
	job.Keep, job.First, job.Count = run.Keep(), w.Next(), w.End()-w.Next()
	job.Journal = &watch{progress: s.progress, journal: w.Journal()}
	err = sim.Run(ctx, job, w.NewBlock, (*export.Block).Add, w.Append)
	return errors.Join(err, w.Close())
}

// fileName makes a name that any file system takes.
func fileName(name string) string { return unusual.ReplaceAllString(name, "_") }

var unusual = regexp.MustCompile(`[^A-Za-z0-9._=-]+`)
