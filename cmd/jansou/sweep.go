package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"github.com/jansou/jansou/agents"
	"github.com/jansou/jansou/configs"
	"github.com/jansou/jansou/export"
	"github.com/jansou/jansou/export/report"
	"github.com/jansou/jansou/internal/plain"
	"github.com/jansou/jansou/internal/scratch"
	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/sim"
	"github.com/jansou/jansou/sim/respond"
)

// sweepOptions are the flags of sweep.
type sweepOptions struct {
	playOptions
	knobs []string
	cross bool
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
quotes may be left out, or a range of whole numbers, KEY=4..12 or KEY=4..12:2, of
which each is a variant. KEY alone stands for all other values of a knob that has
a list of them. With --cross the knobs are combined in all ways as well.

With --out the datasets are kept, in a folder for each variant, and the whole
report is written to the folder report beside them. The same command continues a
sweep that was interrupted. With --shard the folder holds a part of the matches of
each variant, for sweep merge to join.`,
		Example: `  jansou sweep --ruleset ema_2016 --knob kiriage_mangan=true --matches 2000
  jansou sweep --ruleset mcr_2006 --knob min_win=4..12:2
  jansou sweep --ruleset ema_2016 --knob multi_win --knob ura_dora=false --out runs/sweep`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.sweep(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.ruleset, "ruleset", "ema_2016", "preset or file to start from")
	f.StringArrayVar(&o.knobs, "knob", nil, "what to change, KEY=VALUE, KEY=FROM..TO:STEP or KEY; may be given more than once")
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
	cmd.AddCommand(newMergeCommand("sweep", "  jansou sweep merge --out runs/sweep runs/sweep-1 runs/sweep-2", false, mergeSweep))
	return cmd
}

func (o *sweepOptions) sweep(cmd *cobra.Command) error {
	if len(o.knobs) == 0 {
		return usagef("--knob is missing: which rule shall change?")
	}
	o.record = export.Hands.String()
	if err := o.check(cmd); err != nil {
		return err
	}
	run, factories, err := o.run()
	if err != nil {
		return err
	}
	variants, err := o.variants(run.Ruleset)
	if err != nil {
		return err
	}
	dir := o.out
	if _, err := os.Stat(filepath.Join(dir, "manifest.json")); dir != "" && err == nil {
		return fmt.Errorf("%s holds a dataset; name another folder for the sweep with --out", dir)
	}
	if dir == "" {
		temp, err := scratch.New(os.TempDir(), "jansou-sweep-")
		if err != nil {
			return err
		}
		defer temp.Remove()
		dir = temp.Path
	} else if err := report.Check(filepath.Join(dir, "report"), true); err != nil {
		return err
	}
	s := sweep{variants: make([]*export.Run, len(variants)), factories: factories, workers: o.workers}
	for i, v := range variants {
		each := *run
		each.Ruleset, s.variants[i] = v, &each
		s.dirs = append(s.dirs, filepath.Join(dir, fmt.Sprintf("%02d_%s", i, fileName(v.Name))))
	}
	if err := s.create(o.force); err != nil {
		return o.explain(err)
	}
	s.progress = newProgress(o.progressTo(cmd), "matches", s.matches*uint64(len(variants)), time.Now)
	for i := range variants {
		if err := s.play(cmd.Context(), i); err != nil {
			s.progress.end()
			return o.explain(err)
		}
	}
	s.progress.end()
	if run.Shard.Of > 0 {
		return o.reportShard(cmd, s.first, s.first+s.matches)
	}
	return reportSweep(cmd, s.dirs, o.out, o.json)
}

// reportSweep prints the effects, and writes the report beside the datasets if
// they are kept.
func reportSweep(cmd *cobra.Command, dirs []string, out string, asJSON bool) error {
	r, err := report.Collect(cmd.Context(), dirs, nil, nil)
	if err != nil {
		return err
	}
	if err := respondTo(cmd.Context(), r, dirs); err != nil {
		return err
	}
	if out != "" {
		// The report follows from the datasets, so an earlier one is replaced.
		if err := r.Write(filepath.Join(out, "report"), true); err != nil {
			return err
		}
	}
	if asJSON {
		return r.JSON(cmd.OutOrStdout())
	}
	return printEffects(cmd.OutOrStdout(), r)
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
	if err := report.Check(filepath.Join(o.out, "report"), true); err != nil {
		return err
	}
	if err := o.join(cmd, dirs, shardsOf); err != nil {
		return err
	}
	return reportSweep(cmd, dirs, o.out, o.json)
}

// variantsIn returns the names of the folders of the variants of a sweep, in order.
func variantsIn(dir string) ([]string, error) {
	files, err := fs.Glob(os.DirFS(dir), "[0-9][0-9]*_*/manifest.json")
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: it holds no sweep", dir)
	}
	var names []string
	for _, file := range files {
		names = append(names, path.Dir(file))
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(numberOf(a), numberOf(b)), cmp.Compare(a, b)) })
	return names, nil
}

// numberOf returns the number that the name of a variant's folder begins with.
func numberOf(name string) int {
	digits, _, _ := strings.Cut(name, "_")
	n, _ := strconv.Atoi(digits) // a folder of something else
	return n
}

func printEffects(w io.Writer, r *report.Report) error {
	first := &r.Datasets[0]
	head := fmt.Sprintf("%s, seed %d, %d matches of each variant, agents %s", plain.Line(first.Ruleset), first.Seed, first.Matches, plain.Line(strings.Join(first.Agents, ", ")))
	notes := fmt.Sprintf("Differences are those of matches in pairs, with 95 %% intervals; * is clear at 5 %% among all %d comparisons together (Holm).", r.Compared())
	for _, text := range []string{head, notes, ""} {
		if err := printParagraph(w, text); err != nil {
			return err
		}
	}
	for i := range r.Answers {
		if err := printAnswer(w, r, &r.Answers[i]); err != nil {
			return err
		}
	}
	return printTables(w, r.Effects()[:1])
}

// mostSaid is how many effects of a variant are printed.
const mostSaid = 12

// printAnswer prints what a variant changes, so that it finds room on a screen.
func printAnswer(w io.Writer, r *report.Report, a *report.Answer) error {
	lines := []string{a.Title + ":"}
	for i, e := range a.Effects {
		if i == mostSaid {
			lines = append(lines, fmt.Sprintf("- and %d more effects, which --json and the page of --out tell", len(a.Effects)-i))
			break
		}
		lines = append(lines, fmt.Sprintf("- %s (%.2fσ)", e.Text, e.Magnitude()))
	}
	if len(a.Effects) == 0 {
		lines = append(lines, "- nothing changes clearly")
	}
	said := len(lines) - 1
	if a.Response != nil {
		lines = append(lines, a.Response.String())
	}
	lines = append(lines, a.Sentences()...)
	for i, line := range lines {
		if i > 0 && i <= said {
			line = strings.ReplaceAll(wrap(line, widthOf(w)-2), "\n", "\n  ")
		} else {
			line = wrap(line, widthOf(w))
		}
		if _, err := io.WriteString(w, line+"\n"); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "\n")
	return err
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

// sweep is one that is played.
type sweep struct {
	// variants are the runs, in the folders dirs.
	variants  []*export.Run
	dirs      []string
	factories []func() sim.Agent
	workers   int
	// first is the first match that is played of each, matches their number.
	first, matches uint64
	progress       *progress
}

// create begins the datasets of all variants, so that they can be told apart from
// those of a sweep that ends early.
func (s *sweep) create(force bool) error {
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
func (s *sweep) play(ctx context.Context, i int) error {
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

// variants returns the ruleset as it is, then those with knobs changed.
func (o *sweepOptions) variants(base *configs.Ruleset) ([]*configs.Ruleset, error) {
	var sets [][]change
	for _, text := range o.knobs {
		list, err := o.changes(base, text)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			if o.cross {
				for _, s := range sets {
					if !slices.ContainsFunc(s, func(d change) bool { return d.key == c.key }) {
						sets = append(sets, append(slices.Clone(s), c))
					}
				}
			}
			sets = append(sets, []change{c})
		}
	}
	list := []*configs.Ruleset{base}
	for _, set := range sets {
		r, err := o.changed(set)
		if err != nil {
			return nil, usagef("--knob: %w", err)
		}
		i := slices.IndexFunc(list, func(q *configs.Ruleset) bool { return q.Hash() == r.Hash() })
		switch {
		case i == 0:
			return nil, usagef("--knob %s: %s is so already", r.Name, base.Name)
		case i > 0:
			return nil, usagef("--knob %s: the same ruleset as %s", r.Name, list[i].Name)
		}
		list = append(list, r)
	}
	return list, nil
}

// change is a knob and its new value.
type change struct {
	key   string
	value any
}

// changed returns the ruleset with some knobs changed, named by them.
func (o *sweepOptions) changed(set []change) (*configs.Ruleset, error) {
	overrides := map[string]any{}
	var names []string
	for _, c := range set {
		overrides[c.key] = c.value
		names = append(names, fmt.Sprintf("%s=%v", c.key, c.value))
	}
	r, err := configs.Change(o.ruleset, overrides)
	if err != nil {
		return nil, err
	}
	r.Name = strings.Join(names, ", ")
	return r, nil
}

// changes reads the text after --knob: one value, or a key for all values that go
// with the rest of the ruleset.
func (o *sweepOptions) changes(base *configs.Ruleset, text string) ([]change, error) {
	key, value, given := strings.Cut(text, "=")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if m := numberRange.FindStringSubmatch(value); given && m != nil {
		return o.valuesOf(base, key, m)
	}
	if given {
		var decoded map[string]any
		if err := toml.Unmarshal([]byte("value = "+value), &decoded); err != nil || len(decoded) != 1 {
			return []change{{key, value}}, nil // a word without quotes
		}
		return []change{{key, decoded["value"]}}, nil
	}
	k, ok := ruleset.FindKnob(base.Knobs(), key)
	if !ok {
		_, err := o.changed([]change{{key, value}})
		return nil, usagef("--knob: %w", err)
	}
	var list []change
	for _, v := range k.Choices() {
		c := change{key, v}
		if _, err := o.changed([]change{c}); err == nil && v != k.Value() {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil, usagef("--knob %s: no other value can be listed; name one: --knob %s=VALUE", key, key)
	}
	return list, nil
}

// numberRange is a range of values of a knob: from..to, or from..to:step.
var numberRange = regexp.MustCompile(`^(-?\d+)\.\.(-?\d+)(?::(-?\d+))?$`)

// mostInRange is the largest number of values of a range: each is a variant.
const mostInRange = 100

// valuesOf returns the values of a range but the one that the ruleset has.
func (o *sweepOptions) valuesOf(base *configs.Ruleset, key string, parts []string) ([]change, error) {
	var numbers [3]int64
	for i, text := range parts[1:] {
		if text == "" {
			text = "1"
		}
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return nil, usagef("--knob %s=%s: %s is too large", key, parts[0], text)
		}
		numbers[i] = n
	}
	from, to, step := numbers[0], numbers[1], numbers[2]
	switch {
	case step < 1 || from > to:
		return nil, usagef("--knob %s=%s: allowed: from..to or from..to:step, ascending, such as 4..12:2", key, parts[0])
	case (to-from)/step >= mostInRange:
		return nil, usagef("--knob %s=%s: %d values; at most %d: make the step larger", key, parts[0], (to-from)/step+1, mostInRange)
	}
	var list []change
	for n := from; n <= to; n += step {
		if k, ok := ruleset.FindKnob(base.Knobs(), key); !ok || fmt.Sprint(k.Value()) != fmt.Sprint(n) {
			list = append(list, change{key, n})
		}
	}
	if len(list) == 0 {
		return nil, usagef("--knob %s=%s: %s is so already", key, parts[0], base.Name)
	}
	return list, nil
}

// fileName makes a name that any file system takes.
func fileName(name string) string { return unusual.ReplaceAllString(name, "_") }

var unusual = regexp.MustCompile(`[^A-Za-z0-9._=-]+`)
