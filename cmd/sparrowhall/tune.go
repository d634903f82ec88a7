package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/export/balance"
	"github.com/sparrowhall/sparrowhall/export/report"
	"github.com/sparrowhall/sparrowhall/export/tune"
	"github.com/sparrowhall/sparrowhall/internal/plain"
	"github.com/sparrowhall/sparrowhall/internal/scratch"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// searchOptions are the flags of tune.
type searchOptions struct {
	playOptions
	knobs []string
	want  string
	tries int
	best  int
	// field are the players of several strengths who play if skill is wished for.
	field string
	// patience is how long a shard waits for the others.
	patience time.Duration

	// dimensions are the knobs and what each may be.
	dimensions []dimension
}

// dimension is a knob and the values that are tried.
type dimension struct {
	key    string
	values []any
}

func newTuneCommand() *cobra.Command {
	var o searchOptions
	cmd := &cobra.Command{
		Use:   "tune",
		Short: "Look for a ruleset that meets wishes",
		Long: `Tune looks among the values of some knobs for rulesets whose figures are as wished. A
wish is the name of a figure of report and what it shall be: hands=10..12, draws<8%,
win.value>20, first_mover_edge~0; wishes are separated by commas. skill>45% is of the
ranks of the players of --field, who are of several strengths and change seats at the
same walls.

Candidates are tried with few matches, those of which most can be expected first, and
the better of them are given more. All of them play at the same walls. It ends with
the best few, and with --out a folder with a ruleset file for each of them, a picture
of the trade-off, and all that was played: the same command continues a search that
was interrupted, to the same result. With --shard several machines that share the
folder play for one search, to the same result; one that has waited for the others
longer than --patience ends, and goes on by the same command.`,
		Example: `  sparrowhall tune --ruleset universal --knob min_win=0..40:10 --knob patterns.seven_pairs=20..60:10 --want "draws=10%"
  sparrowhall tune --ruleset universal --knob min_win=0..30:10 --want "hands=16..18, draws<8%, skill>45%, first_mover_edge~0"
  sparrowhall tune --ruleset mcr_2006 --knob min_win=4..12 --knob flower_points=0..2 --want "draws<8%, win.value>18" --out runs/tuned`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.tune(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.ruleset, "ruleset", "ema_2016", "preset or file to start from")
	f.StringArrayVar(&o.knobs, "knob", nil, "what may be changed, KEY=VALUE,VALUE, KEY=FROM..TO:STEP or KEY; may be given more than once")
	f.StringVar(&o.want, "want", "", "what figures shall be, such as draws<8%,first_mover_edge~0")
	f.Int64Var(&o.matches, "matches", 2048, "matches of each of the best candidates, a multiple of 1024")
	f.IntVar(&o.tries, "tries", 60, "number of candidates that are tried, each with a sixteenth of the matches")
	f.IntVar(&o.best, "best", 3, "number of candidates that are told in the end")
	f.Uint64Var(&o.seed, "seed", 1, "seed of all runs, and of the search")
	f.StringVar(&o.agentList, "agents", "value,value,value,value", "four agents separated by commas")
	f.StringArrayVar(&o.agents, "agent", nil, "one agent, given four times instead of --agents; may hold commas")
	f.StringVar(&o.field, "field", strings.Join(balance.WithBeginner.Agents[:], ","), "four players of several strengths, whose ranks tell skill where that is wished for")
	f.StringVar(&o.out, "out", "", "folder to write the rulesets and what was played to")
	f.StringVar(&o.shard, "shard", "", "play one of n equal parts of the search in the folder of --out, such as 2/8")
	f.DurationVar(&o.patience, "patience", 10*time.Minute, "how long a shard waits for the others before it ends; the same command goes on")
	o.addWork(cmd, "candidates played at a time")
	jsonFlag(cmd, &o.json)
	return cmd
}

// tryMatches is by what the matches of the best are divided for a first try.
const tryMatches = 16

func (o *searchOptions) tune(cmd *cobra.Command) error {
	switch {
	case len(o.knobs) == 0:
		return usagef("--knob is missing: what may be changed?")
	case o.want == "":
		return usagef("--want is missing: which figures shall be how? Such as --want draws<8%%")
	case o.matches < 1 || o.matches%(tryMatches*sim.BlockSize) != 0:
		return usagef("--matches: %d; allowed: multiples of %d", o.matches, tryMatches*sim.BlockSize)
	case o.tries < 1 || o.best < 1 || o.best > o.tries:
		return usagef("--tries %d, --best %d; allowed: at least 1, and no more best than tries", o.tries, o.best)
	case o.shard != "" && o.out == "":
		return usagef("--shard plays for a search in a folder; name it with --out")
	}
	o.record, o.fileMatches = export.Hands.String(), o.matches/tryMatches
	if err := o.check(cmd); err != nil {
		return err
	}
	shard := o.shard
	o.shard = "" // of the search, not of its runs
	run, factories, err := o.run()
	if err != nil {
		return err
	}
	rules := run.Ruleset.Rules()
	wishes, err := tune.ParseWishes(o.want, report.Keys(rules, run.Agents), report.Units(rules, run.Agents))
	if err != nil {
		return usagef("--want: %w", err)
	}
	if err := o.readKnobs(run.Ruleset); err != nil {
		return err
	}
	search := o.search(run.Ruleset, wishes)
	field, err := o.fieldTable(cmd, wishes, run)
	if err != nil {
		return err
	}
	player := &tune.Player{
		Wishes: wishes, Agents: tune.Table{Run: *run, NewAgent: func(number int) sim.Agent { return factories[number]() }}, Field: field, Workers: o.number(),
		Ruleset: func(c tune.Candidate) (*configs.Ruleset, error) {
			r, err := o.changed(o.changesOf(c))
			if err == nil && r.Name == "" {
				r.Name = run.Ruleset.Name
			}
			return r, err
		},
	}
	if player.Shard, err = parseShard(shard); err != nil {
		return err
	}
	if o.out == "" {
		temp, err := scratch.New(os.TempDir(), "sparrowhall-tune-")
		if err != nil {
			return err
		}
		defer temp.Remove()
		player.Dir = temp.Path
	} else if err := o.begin(player); err != nil {
		return err
	}
	player.Wait = o.wait()
	progress := o.progress(cmd, "matches", o.most(search)*player.Tables())
	progress.open = true
	player.Played = progress.add
	search.Evaluate = player.Evaluate
	result, err := search.Run(cmd.Context())
	progress.end()
	if err != nil {
		return o.explain(err)
	}
	t := &tuned{o, run, search, result}
	if o.out != "" {
		if err := t.write(); err != nil {
			return err
		}
	}
	if o.json {
		return writeJSON(cmd.OutOrStdout(), t.json())
	}
	return t.print(cmd.OutOrStdout())
}

// fieldTable returns the table of the players whose ranks tell skill.
func (o *searchOptions) fieldTable(cmd *cobra.Command, wishes []tune.Wish, run *export.Run) (tune.Table, error) {
	if !slices.ContainsFunc(wishes, func(w tune.Wish) bool { return w.Skill }) {
		if cmd.Flags().Changed("field") {
			return tune.Table{}, usagef("--field plays where skill is wished for; no wish names it")
		}
		return tune.Table{}, nil
	}
	field, factories, err := o.playOptions.field(o.field)
	if err != nil {
		return tune.Table{}, err
	}
	if !slices.ContainsFunc(field.Agents, func(a string) bool { return a != field.Agents[0] }) {
		return tune.Table{}, usagef("--field %s: among equal players there is no skill to be seen; name players of several strengths", o.field)
	}
	changing := balance.Field{Duplicate: true}
	if field.Tournament, err = changing.Schedule(run.Seed, run.Matches); err != nil {
		return tune.Table{}, err
	}
	return tune.Table{Run: *field, NewAgent: func(number int) sim.Agent { return factories[number]() }}, nil
}

// begin makes the folder of the parts, and refuses one of another search.
func (o *searchOptions) begin(p *tune.Player) error {
	p.Dir = filepath.Join(o.out, "parts")
	if err := os.MkdirAll(p.Dir, 0o777); err != nil {
		return err
	}
	path := filepath.Join(o.out, "search.txt")
	lines := []string{
		"agents " + strings.Join(p.Agents.Run.Agents, ","), fmt.Sprint("seed ", p.Agents.Run.Seed), fmt.Sprint("matches ", p.Agents.Run.Matches),
		fmt.Sprint("engine ", sim.EngineVersion), "field " + o.field, "",
	}
	text := strings.Join(lines, "\n")
	switch before, err := os.ReadFile(path); {
	case errors.Is(err, os.ErrNotExist):
		return os.WriteFile(path, []byte(text), 0o666)
	case err != nil:
		return err
	case string(before) != text:
		for i, line := range strings.Split(string(before), "\n") {
			if i < len(lines) && line != lines[i] {
				return fmt.Errorf("%s holds the parts of another search: %s there, %s here; name another folder", o.out, plain.Line(line), plain.Line(lines[i]))
			}
		}
		return fmt.Errorf("%s is not that of a search; name another folder", path)
	}
	return nil
}

// wait returns what waits for other shards, a second at a time.
func (o *searchOptions) wait() func(context.Context) error {
	var since time.Time
	return func(ctx context.Context) error {
		now := time.Now()
		if since.IsZero() || now.Sub(since) > o.patience+time.Minute {
			since = now // the wait before has ended
		}
		if now.Sub(since) >= o.patience {
			return tune.ErrWaiting
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(min(time.Second, o.patience)):
			return nil
		}
	}
}

// explain says what a search that ended early leaves behind.
func (o *searchOptions) explain(err error) error {
	switch {
	case errors.Is(err, tune.ErrWaiting):
		return fmt.Errorf("%w; when they have, and their files are in %s, the same command goes on", err, filepath.Join(o.out, "parts"))
	case errors.Is(err, tune.ErrNone):
		_, why := o.changed(o.changesOf(make(tune.Candidate, len(o.dimensions))))
		return usagef("--knob: %w: %w", err, why)
	case errors.Is(err, context.Canceled):
		err = errors.New("interrupted")
	}
	if o.out == "" {
		return err
	}
	return fmt.Errorf("%w; the same command continues where it stopped", err)
}

// readKnobs reads what may be changed.
func (o *searchOptions) readKnobs(base *configs.Ruleset) error {
	for _, text := range o.knobs {
		list, err := o.changes(base, text, true)
		if err != nil {
			return err
		}
		if _, known := ruleset.FindKnob(base.Knobs(), list[0].key); !known {
			_, err := o.changed(list[:1])
			return usagef("--knob: %w", err)
		}
		at := slices.IndexFunc(o.dimensions, func(d dimension) bool { return d.key == list[0].key })
		if at < 0 {
			at = len(o.dimensions)
			o.dimensions = append(o.dimensions, dimension{key: list[0].key})
		}
		d := &o.dimensions[at]
		for _, c := range list {
			if !slices.ContainsFunc(d.values, func(v any) bool { return fmt.Sprint(v) == fmt.Sprint(c.value) }) {
				d.values = append(d.values, c.value)
			}
		}
	}
	if err := o.checkValues(); err != nil {
		return err
	}
	for _, d := range o.dimensions {
		if d.ordered() {
			slices.SortFunc(d.values, func(a, b any) int { return cmp.Compare(a.(int64), b.(int64)) })
		}
	}
	return nil
}

// checkValues refuses values that the ruleset cannot have, be it alone or with one of
// another knob, as each of a list or range is meant.
func (o *searchOptions) checkValues() error {
	for i, d := range o.dimensions {
		for _, v := range d.values {
			_, err := o.changed([]change{{d.key, v}})
			for j := 0; err != nil && j < len(o.dimensions); j++ {
				for k := 0; err != nil && j != i && k < len(o.dimensions[j].values); k++ {
					if _, with := o.changed([]change{{d.key, v}, {o.dimensions[j].key, o.dimensions[j].values[k]}}); with == nil {
						err = nil
					}
				}
			}
			if err != nil {
				return usagef("--knob: %w", err)
			}
		}
	}
	return nil
}

// ordered tells whether all values are numbers.
func (d *dimension) ordered() bool {
	return !slices.ContainsFunc(d.values, func(v any) bool { _, ok := v.(int64); return !ok })
}

// changesOf returns the values of a candidate; -1 stands for the value that the ruleset
// has.
func (o *searchOptions) changesOf(c tune.Candidate) (list []change) {
	for i, v := range c {
		if v >= 0 {
			list = append(list, change{o.dimensions[i].key, o.dimensions[i].values[v]})
		}
	}
	return list
}

// search returns what is searched.
func (o *searchOptions) search(base *configs.Ruleset, wishes []tune.Wish) *tune.Search {
	s := &tune.Search{
		Wishes: wishes, Unit: int(o.fileMatches), Matches: int(o.matches), Tries: o.tries, Best: o.best, Seed: o.seed,
		Legal: func(c tune.Candidate) bool { _, err := o.changed(o.changesOf(c)); return err == nil },
	}
	for _, d := range o.dimensions {
		s.Dimensions = append(s.Dimensions, tune.Dimension{Values: len(d.values), Ordered: d.ordered()})
		k, _ := ruleset.FindKnob(base.Knobs(), d.key)
		s.Start = append(s.Start, slices.IndexFunc(d.values, func(v any) bool { return fmt.Sprint(v) == fmt.Sprint(k.Value()) }))
	}
	return s
}

// most returns the largest number of matches that the search can take.
func (o *searchOptions) most(s *tune.Search) uint64 {
	n := s.Matches + s.Unit*s.Tries
	for m := s.Unit * 4; m <= s.Matches; m *= 4 {
		n += max(s.Best, s.Tries*s.Unit/m) * m
	}
	return uint64(n)
}

// tuned is a search that has ended.
type tuned struct {
	*searchOptions
	run    *export.Run
	search *tune.Search
	result *tune.Result
}

// text writes what a figure of a wish was measured to be, and whether that meets it.
func (t *tuned) text(i int, m tune.Measured) (value, verdict string) {
	w := &t.search.Wishes[i]
	unit := m.Unit
	missUnit := unit
	if unit == report.Share {
		missUnit = report.Gap
	}
	e := report.Estimate{Value: m.Value, Error: m.Error, Count: 1, Low: export.Number(m.Low), High: export.Number(m.High)}
	switch miss := w.Missed(m.Value); {
	case miss == 0:
		verdict = "met"
	case m.Low <= w.High && m.High >= w.Low:
		verdict = "met within the interval"
	default:
		verdict = "missed by " + (&report.Estimate{Value: miss, Error: m.Error}).Rounded(missUnit)
	}
	return e.Text(unit), verdict
}

// name says what a candidate changes.
func (t *tuned) name(c tune.Candidate) string {
	var list []string
	for _, x := range t.changesOf(c) {
		list = append(list, fmt.Sprintf("%s=%v", x.key, x.value))
	}
	return strings.Join(list, ", ")
}

func (t *tuned) print(w io.Writer) error {
	head := fmt.Sprintf("%s, seed %d, agents %s; %d of %d rulesets that can be played were tried, the best with %d matches each.",
		plain.Line(t.run.Ruleset.Name), t.seed, plain.Line(strings.Join(t.run.Agents, ", ")), len(t.result.Trials), t.result.Legal, t.matches)
	if err := printParagraph(w, head); err != nil {
		return err
	}
	tell := func(title string, trial *tune.Trial) error {
		if _, err := fmt.Fprintf(w, "\n%s\n", wrap(title, widthOf(w))); err != nil {
			return err
		}
		table := report.Table{Head: []string{"wish", "figure", ""}}
		for i, m := range trial.Measured {
			value, verdict := t.text(i, m)
			table.Rows = append(table.Rows, report.Row{Label: t.search.Wishes[i].Text, Cells: []string{value, verdict}})
		}
		return printTable(w, &table)
	}
	for i := range t.result.Best {
		b := &t.result.Best[i]
		if err := tell(fmt.Sprintf("%d. %s", i+1, plain.Line(t.name(b.Candidate))), b); err != nil {
			return err
		}
	}
	if err := tell(plain.Line(t.run.Ruleset.Name)+" as it is", &t.result.Start); err != nil {
		return err
	}
	if t.out != "" {
		_, err := fmt.Fprintf(w, "\n%s holds a ruleset file for each, tradeoff.svg and all that was played\n", plain.Line(t.out))
		return err
	}
	if len(t.result.Best) == 0 {
		return nil
	}
	text, err := t.file(&t.result.Best[0])
	if err == nil {
		_, err = fmt.Fprintf(w, "\nThe first as a ruleset file:\n\n%s", text)
	}
	return err
}

// file returns a trial as a ruleset file that says why.
func (t *tuned) file(trial *tune.Trial) (string, error) {
	var b strings.Builder
	changes := t.changesOf(trial.Candidate)
	r, err := t.changed(changes)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "# %s, tuned by sparrowhall tune --want %q.\n", plain.Line(t.run.Ruleset.Name), t.want)
	fmt.Fprintf(&b, "# %d matches of %s, seed %d; %d of %d rulesets were tried.\n", trial.Matches, plain.Line(strings.Join(t.run.Agents, ", ")), t.seed, len(t.result.Trials), t.result.Legal)
	if slices.ContainsFunc(t.search.Wishes, func(w tune.Wish) bool { return w.Skill }) {
		fmt.Fprintf(&b, "# Skill is that of as many matches of %s.\n", plain.Line(t.field))
	}
	for i, m := range trial.Measured {
		value, verdict := t.text(i, m)
		before, _ := t.text(i, t.result.Start.Measured[i])
		fmt.Fprintf(&b, "# %s: %s, %s; as it was %s\n", t.search.Wishes[i].Text, value, verdict, before)
	}
	if !slices.Contains(configs.Names(), t.ruleset) {
		// The file may stand anywhere, so it names no other file.
		return b.String() + r.TOML(), nil
	}
	fmt.Fprintf(&b, "base = %q\n", t.ruleset)
	var prices strings.Builder
	for i, c := range changes {
		k, _ := ruleset.FindKnob(r.Knobs(), c.key)
		line := k.Text()
		if old, _ := ruleset.FindKnob(t.run.Ruleset.Knobs(), c.key); trial.Candidate[i] != t.search.Start[i] {
			line += " # " + old.Text()
		}
		if id, ok := strings.CutPrefix(c.key, "patterns."); ok {
			fmt.Fprintf(&prices, "%s = %s\n", id, line)
			continue
		}
		fmt.Fprintf(&b, "%s = %s\n", c.key, line)
	}
	if prices.Len() > 0 {
		b.WriteString("\n[patterns]\n" + prices.String())
	}
	return b.String(), nil
}

// write writes a file for each of the best, the picture and the result.
func (t *tuned) write() error {
	for i := range t.result.Best {
		text, err := t.file(&t.result.Best[i])
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(t.out, fmt.Sprintf("best%d.toml", i+1)), []byte(text), 0o666); err != nil {
			return err
		}
	}
	for _, name := range []string{"tradeoff.svg", "tradeoff.png"} {
		if err := t.search.Plot(t.result, filepath.Join(t.out, name)); err != nil {
			return err
		}
	}
	f, err := os.Create(filepath.Join(t.out, "result.json"))
	if err != nil {
		return err
	}
	return errors.Join(writeJSON(f, t.json()), f.Close())
}

// trialJSON is a trial as machines read it.
type trialJSON struct {
	Knobs map[string]any `json:"knobs"`
	tune.Trial
}

func (t *tuned) json() any {
	trials := func(list []tune.Trial) []trialJSON {
		out := []trialJSON{}
		for _, x := range list {
			knobs := map[string]any{}
			for _, c := range t.changesOf(x.Candidate) {
				knobs[c.key] = c.value
			}
			out = append(out, trialJSON{knobs, x})
		}
		return out
	}
	return struct {
		Ruleset string      `json:"ruleset"`
		Agents  []string    `json:"agents"`
		Seed    uint64      `json:"seed"`
		Wishes  []string    `json:"wishes"`
		Legal   int         `json:"legal"`
		Drawn   int         `json:"drawn"`
		Start   tune.Trial  `json:"start"`
		Best    []trialJSON `json:"best"`
		Trials  []trialJSON `json:"trials"`
	}{t.run.Ruleset.Name, t.run.Agents, t.seed, wishTexts(t.search.Wishes), t.result.Legal, t.result.Drawn, t.result.Start, trials(t.result.Best), trials(t.result.Trials)}
}

func wishTexts(list []tune.Wish) (texts []string) {
	for i := range list {
		texts = append(texts, list[i].Text)
	}
	return texts
}
