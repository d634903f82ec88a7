package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/jansou/jansou/configs"
	"github.com/jansou/jansou/export"
	"github.com/jansou/jansou/export/importing"
	"github.com/jansou/jansou/internal/nearest"
	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/sim"
	"github.com/jansou/jansou/sim/record"
)

// importOptions are the flags of import.
type importOptions struct {
	format      *record.Format
	ruleset     string
	out         string
	record      string
	fileMatches int64
	force       bool
	workers     int
	json        bool
	quiet       bool
}

func newImportCommand() *cobra.Command {
	var o importOptions
	var names []string
	for _, f := range importing.Formats {
		names = append(names, f.Name)
	}
	cmd := &cobra.Command{
		Use:   "import FORMAT FILE|DIR...",
		Short: "Replay records of matches played elsewhere, and write them as a dataset",
		Long: `Import reads records of matches, plays them at a table as they were played, and
says where the table and the record are not of one mind: an illegal action,
another wall, other patterns, points or payments. Of a folder it takes all files
whose names end as the format's do. Formats: ` + strings.Join(names, ", ") + `; docs/formats.md describes them.

With --out the matches in which nothing differs are written to a folder, as play
does, with the legal actions and the choice of every decision; verify and replay
work on it. Files that cannot be read and matches that differ are named and left
out, and the exit status is then 1.

Without --ruleset the rules are the format's preset with what the first usable
record itself says about red fives, open tanyao and the length of the match;
records of other rules are left out.`,
		Example: `  jansou import tenhou records/2023 --out runs/tenhou
  jansou import mjai game.mjson.gz --ruleset mleague`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fmt.Errorf("a format and at least one file or folder must be named; usage: %s", cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			i := slices.Index(names, args[0])
			if i < 0 {
				return usagef("unknown format %q; allowed: %s, nearest %s", args[0], strings.Join(names, ", "), nearest.To(args[0], names, 1)[0])
			}
			o.format = importing.Formats[i]
			return o.importRecords(cmd, args[1:])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.ruleset, "ruleset", "", "preset or file the records must be played by")
	f.StringVar(&o.out, "out", "", "folder to write the dataset to")
	f.StringVar(&o.record, "record", export.Decisions.String(), "longest table to write: matches, hands or decisions")
	f.Int64Var(&o.fileMatches, "file-matches", export.DefaultFileMatches, "matches whose rows share a file, a multiple of 64")
	f.BoolVar(&o.force, "force", false, "start over, replacing a dataset that is in the folder")
	f.IntVar(&o.workers, "workers", 0, "records replayed at a time; 0 for one a core")
	f.BoolVar(&o.quiet, "quiet", false, "show no progress")
	jsonFlag(cmd, &o.json)
	return cmd
}

// check returns what is wrong with the flags themselves.
func (o *importOptions) check(cmd *cobra.Command) error {
	f := cmd.Flags()
	switch {
	case o.workers < 0:
		return usagef("--workers: %d; at least 0", o.workers)
	case o.fileMatches < 1 || o.fileMatches%sim.BlockSize != 0:
		return usagef("--file-matches: %d; allowed: multiples of %d", o.fileMatches, sim.BlockSize)
	case f.Changed("out") && o.out == "":
		return usagef("--out: no folder is named")
	}
	if o.out == "" {
		for _, name := range []string{"record", "file-matches", "force"} {
			if f.Changed(name) {
				return usagef("--%s says how to write a dataset; name its folder with --out", name)
			}
		}
	}
	return nil
}

func (o *importOptions) importRecords(cmd *cobra.Command, paths []string) error {
	if err := o.check(cmd); err != nil {
		return err
	}
	table, err := export.ParseRecord(o.record)
	if err != nil {
		return usagef("--record: %w", err)
	}
	files, err := findRecords(paths, o.format.Suffixes)
	if err != nil {
		return err
	}
	if o.workers == 0 {
		o.workers = runtime.GOMAXPROCS(0)
	}
	im := &importer{importOptions: o, files: files, variants: map[string]*variant{}, digest: sha256.New()}
	if o.ruleset != "" {
		if im.named, err = configs.Open(o.ruleset); err != nil {
			return err
		}
	}
	if err := im.survey(cmd); err != nil {
		return explainImport(err)
	}
	if o.out != "" && len(im.matches) > 0 {
		if err := im.write(cmd, table); err != nil {
			return explainImport(err)
		}
	}
	return im.finish(cmd.OutOrStdout())
}

func explainImport(err error) error {
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted; the same command goes on")
	}
	return err
}

// recordFile is a file to import.
type recordFile struct {
	path string
	// name is what the file is called in the dataset: its path in the folder that
	// was named, or its own name.
	name string
}

// findRecords returns the files of the paths in their order, those of a folder in
// the order of their names.
func findRecords(paths, suffixes []string) ([]recordFile, error) {
	var files []recordFile
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, recordFile{path, filepath.Base(path)})
			continue
		}
		before := len(files)
		err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !isRecord(p, suffixes) {
				return err
			}
			// A pipe in a folder would be waited for without end.
			if info, err := os.Stat(p); err == nil && !info.Mode().IsRegular() {
				return nil
			}
			name, err := filepath.Rel(path, p)
			files = append(files, recordFile{p, filepath.ToSlash(name)})
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(files) == before {
			return nil, fmt.Errorf("%s: no file in it ends in %s or one of these and .gz", path, strings.Join(suffixes, ", "))
		}
	}
	return files, nil
}

func isRecord(path string, suffixes []string) bool {
	path = strings.TrimSuffix(path, ".gz")
	return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(path, s) })
}

// importer imports records.
type importer struct {
	*importOptions
	files []recordFile
	named *configs.Ruleset // by --ruleset, or nil

	mu       sync.Mutex
	variants map[string]*variant

	// chosen is what is imported by: the variant of the first usable record.
	chosen  *variant
	matches []importedMatch
	digest  hash.Hash
	report  importReport
}

// variant is the rules of some records.
type variant struct {
	ruleset *configs.Ruleset
	rules   *ruleset.Rules
	err     error
}

// importedMatch is a match to be written.
type importedMatch struct {
	file, part int
	sum        [sha256.Size]byte // of the file
}

// importReport is what import prints.
type importReport struct {
	Format   string       `json:"format"`
	Ruleset  string       `json:"ruleset,omitempty"`
	Imported importCount  `json:"imported"`
	Differ   importCount  `json:"differ"`
	Unusable importCount  `json:"unusable"`
	List     []importNote `json:"differences"`
}

// importCount counts files or, where they can be read, matches.
type importCount struct {
	Records   int    `json:"records"`
	Hands     int    `json:"hands"`
	Decisions uint64 `json:"decisions"`
}

// importNote is something wrong with a record. Hand and At are left out where
// they tell nothing.
type importNote struct {
	Record  string `json:"record"`
	Part    *int   `json:"part,omitempty"`
	Hand    *int   `json:"hand,omitempty"`
	Place   string `json:"place,omitempty"`
	Message string `json:"message"`
}

func (n *importNote) String() string {
	s := n.Record
	if n.Part != nil {
		s += fmt.Sprintf(": match %d", *n.Part)
	}
	if n.Hand != nil {
		s += fmt.Sprintf(": hand %d", *n.Hand)
	}
	if n.Place != "" {
		s += ": " + n.Place
	}
	return s + ": " + n.Message
}

// checkedFile is what the replay of a file has shown.
type checkedFile struct {
	sum   [sha256.Size]byte
	games []checkedGame
	err   error
}

type checkedGame struct {
	variant     *variant
	differences []record.Difference
	err         error // of rules that cannot be played by
	hands       int
	decisions   uint64
}

// read reads the games of a file.
func (im *importer) read(n int) (games []*record.Game, sum [sha256.Size]byte, err error) {
	f, err := os.Open(im.files[n].path)
	if err != nil {
		return nil, sum, err
	}
	defer f.Close()
	text, err := record.ReadRecord(f)
	if err != nil {
		return nil, sum, err
	}
	games, err = im.format.Parse(text)
	return games, sha256.Sum256(text), err
}

// check replays the games of a file.
func (im *importer) check(n int) checkedFile {
	games, sum, err := im.read(n)
	c := checkedFile{sum: sum, err: err}
	for _, g := range games {
		c.games = append(c.games, im.checkGame(g))
	}
	return c
}

func (im *importer) checkGame(g *record.Game) checkedGame {
	c := checkedGame{hands: len(g.Hands)}
	if c.variant, c.err = im.variantOf(g.Knobs); c.err != nil {
		return c
	}
	var m sim.Match
	c.differences = record.Replay(c.variant.rules, g, &m)
	for _, n := range m.Decisions {
		c.decisions += uint64(n)
	}
	return c
}

// variantOf returns the rules of a record that names some knobs. The error is that
// of rules that are not those of --ruleset, or that no match can have.
func (im *importer) variantOf(knobs map[string]any) (*variant, error) {
	im.mu.Lock()
	defer im.mu.Unlock()
	key := fmt.Sprint(knobs) // in the order of the keys
	v := im.variants[key]
	if v == nil {
		v = im.newVariant(knobs)
		im.variants[key] = v
	}
	return v, v.err
}

func (im *importer) newVariant(knobs map[string]any) *variant {
	v := &variant{ruleset: im.named}
	if im.named == nil {
		v.ruleset, v.err = configs.Change(im.format.Ruleset, knobs)
	} else {
		v.err = otherKnobs(im.named, knobs)
	}
	if v.err == nil {
		v.rules = v.ruleset.Rules()
	}
	return v
}

// otherKnobs returns an error if a ruleset does not have some knobs.
func otherKnobs(r *configs.Ruleset, knobs map[string]any) error {
	has := map[string]any{}
	for _, k := range r.Knobs() {
		has[k.Key] = k.Value()
	}
	for _, key := range slices.Sorted(maps.Keys(knobs)) {
		if !reflect.DeepEqual(has[key], knobs[key]) {
			return fmt.Errorf("the record is of other rules: %s is %v in it, %v in %s", key, knobs[key], has[key], r.Name)
		}
	}
	return nil
}

// survey replays all files and notes what can be written.
func (im *importer) survey(cmd *cobra.Command) error {
	p := newProgress(im.progressTo(cmd), "records", uint64(len(im.files)), time.Now)
	defer p.end()
	im.report = importReport{Format: im.format.Name, List: []importNote{}}
	return inOrder(cmd.Context(), len(im.files), im.workers,
		func(n int) (checkedFile, error) { return im.check(n), nil },
		func(n int, c checkedFile) error {
			im.note(n, &c)
			p.add(1)
			return nil
		})
}

func (im *importer) progressTo(cmd *cobra.Command) io.Writer {
	if im.quiet {
		return nil
	}
	return cmd.ErrOrStderr()
}

// note enters a file into the report.
func (im *importer) note(n int, c *checkedFile) {
	name := im.files[n].name
	if c.err != nil {
		im.report.Unusable.Records++
		im.report.List = append(im.report.List, importNote{Record: name, Message: c.err.Error()})
	}
	for part := range c.games {
		g := &c.games[part]
		about := importNote{Record: name}
		if len(c.games) > 1 {
			about.Part = &part
		}
		if g.err == nil && len(g.differences) == 0 && im.chosen == nil {
			im.chosen = g.variant
			im.report.Ruleset = im.chosen.ruleset.Name
		}
		if g.err == nil && im.chosen != nil && g.variant != im.chosen && g.variant.rules.Hash != im.chosen.rules.Hash {
			g.err = im.apart(g.variant)
		}
		switch {
		case g.err != nil:
			im.report.Unusable.add(g)
			about.Message = g.err.Error()
			im.report.List = append(im.report.List, about)
		case len(g.differences) > 0:
			im.report.Differ.add(g)
			for _, d := range g.differences {
				note := about
				note.Place, note.Message = d.Place, d.Message
				if d.Hand >= 0 {
					note.Hand = &d.Hand
				}
				im.report.List = append(im.report.List, note)
			}
		default:
			im.report.Imported.add(g)
			im.matches = append(im.matches, importedMatch{n, part, c.sum})
			fmt.Fprintf(im.digest, "%s\n%d\n%x\n", name, part, c.sum)
		}
	}
}

// apart returns the error of a record of other rules than the first.
func (im *importer) apart(v *variant) error {
	var knobs []string
	other := v.ruleset.Knobs()
	for i, k := range im.chosen.ruleset.Knobs() {
		if k.Text() != other[i].Text() {
			knobs = append(knobs, fmt.Sprintf("%s = %s", k.Key, other[i].Text()))
		}
	}
	return fmt.Errorf("the record is of other rules than those before: %s; import such records apart", strings.Join(knobs, ", "))
}

func (c *importCount) add(g *checkedGame) {
	c.Records++
	c.Hands += g.hands
	c.Decisions += g.decisions
}

// write writes the matches.
func (im *importer) write(cmd *cobra.Command, table export.Table) (err error) {
	name := im.format.Name
	run := &export.Run{
		Ruleset: im.chosen.ruleset, Matches: uint64(len(im.matches)), Agents: []string{name, name, name, name},
		KeepSeats: true, Record: table, FileMatches: uint64(im.fileMatches),
		Import: &export.Import{Format: name, Digest: hex.EncodeToString(im.digest.Sum(nil))},
	}
	w, err := export.Create(im.out, run, im.force)
	if errors.Is(err, export.ErrOccupied) {
		return fmt.Errorf("%w; --force starts over there", err)
	} else if err != nil {
		return err
	}
	defer func() {
		if closing := w.Close(); err == nil {
			err = closing
		}
	}()
	first := int(w.Next())
	left := len(im.matches) - first
	p := newProgress(im.progressTo(cmd), "matches", uint64(left), time.Now)
	defer p.end()
	blocks := sync.Pool{New: func() any { return w.NewBlock() }}
	return inOrder(cmd.Context(), (left+sim.BlockSize-1)/sim.BlockSize, im.workers,
		func(n int) (*export.Block, error) {
			b := blocks.Get().(*export.Block)
			from := first + n*sim.BlockSize
			return b, im.fill(b, run, from, min(from+sim.BlockSize, len(im.matches)))
		},
		func(_ int, b *export.Block) error {
			p.add(len(b.Rows) / sim.NumPlayers)
			err := w.Append(b)
			blocks.Put(b)
			return err
		})
}

// fill replays the matches from number first up to end into a block.
func (im *importer) fill(b *export.Block, run *export.Run, first, end int) error {
	m := &sim.Match{Keep: run.Keep()}
	var games []*record.Game
	read := -1
	for i := first; i < end; i++ {
		match := &im.matches[i]
		if match.file != read {
			var sum [sha256.Size]byte
			var err error
			if games, sum, err = im.read(match.file); err != nil {
				return fmt.Errorf("%s: %w", im.files[match.file].path, err)
			}
			if sum != match.sum {
				return fmt.Errorf("%s: the file has changed in the meantime", im.files[match.file].path)
			}
			read = match.file
		}
		g := games[match.part]
		m.Index = uint64(i)
		m.Seed, m.Agents = run.Schedule().Match(m.Index)
		if d := record.Replay(im.chosen.rules, g, m); len(d) > 0 {
			return fmt.Errorf("%s: %s", im.files[match.file].path, d[0].Message)
		}
		row := &export.RecordRow{Record: im.files[match.file].name, Part: uint16(match.part), Names: g.Names, WholeWalls: true}
		for j := range g.Hands {
			row.WholeWalls = row.WholeWalls && g.Hands[j].Wall != nil
		}
		if err := b.AddRecord(m, row); err != nil {
			return err
		}
	}
	return nil
}

// finish prints the report. The error says that not all was imported.
func (im *importer) finish(w io.Writer) error {
	r := &im.report
	var err error
	if im.json {
		err = writeJSON(w, r)
	} else {
		err = r.write(w)
	}
	if err != nil {
		return err
	}
	if n := r.Differ.Records + r.Unusable.Records; n > 0 {
		return fmt.Errorf("%d of %d records were left out", n, n+r.Imported.Records)
	}
	return nil
}

func (r *importReport) write(w io.Writer) error {
	for i := range r.List {
		if _, err := fmt.Fprintln(w, &r.List[i]); err != nil {
			return err
		}
	}
	if len(r.List) > 0 {
		fmt.Fprintln(w)
	}
	rows := [][]string{{"", "records", "hands", "decisions"}}
	for _, row := range []struct {
		name string
		importCount
	}{{"imported", r.Imported}, {"differ", r.Differ}, {"unusable", r.Unusable}} {
		rows = append(rows, []string{row.name, fmt.Sprint(row.Records), fmt.Sprint(row.Hands), fmt.Sprint(row.Decisions)})
	}
	return writeTable(w, rows)
}

// inOrder calls work for the numbers below n, workers at a time, and then done
// with the results in order. It ends with ctx's error or the first other one.
func inOrder[T any](ctx context.Context, n, workers int, work func(int) (T, error), done func(int, T) error) error {
	type result struct {
		value T
		err   error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Each result has a channel of its own; the queue holds those at work.
	queue := make(chan chan result, workers-1)
	go func() {
		defer close(queue)
		for i := range n {
			c := make(chan result, 1)
			select {
			case queue <- c:
			case <-ctx.Done():
				return
			}
			go func() {
				value, err := work(i)
				c <- result{value, err}
			}()
		}
	}()
	next := 0
	for c := range queue {
		r := <-c
		if r.err != nil {
			return r.err
		}
		if err := done(next, r.value); err != nil {
			return err
		}
		next++
	}
	if next < n {
		return ctx.Err()
	}
	return nil
}
