// Package importing makes datasets of matches that were played elsewhere. It reads records in
// one of the [Formats], replays them at a table, and writes those that do not differ from
// the rules.
//
//	files, err := importing.Find(tenhou.Format, []string{"records"})
//	report, err := importing.Import(ctx, files, &importing.Options{
//		Format: tenhou.Format, Out: "runs/tenhou", Table: schema.Hands,
//		FileMatches: dataset.DefaultFileMatches, Workers: 2,
//	})
package importing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"unique"

	"golang.org/x/sync/semaphore"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/ordered"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// Options select what to import and where to write it.
type Options struct {
	Format *record.Format
	// Ruleset is the ruleset of all records. If it is nil, each record names its rules;
	// the rest is the preset of the format.
	Ruleset *configs.Ruleset
	// Partial includes the whole hands of records of a part of a match.
	Partial bool
	// Out is the folder to write to, empty to write nothing. If there are several
	// rulesets, each has a folder in it, named after the ruleset.
	Out string
	// Table, FileMatches and Force are as in [dataset.Run] and [dataset.Create].
	Table       datasetTable
	FileMatches uint64
	Force       bool
	// Workers is the number of records replayed at a time, at least 1. It does not change
	// the result.
	Workers int
	// Begin, if not nil, is called when a part of the work begins, with the unit of
	// progress and its total. The returned function is called with the units done since
	// its last call.
	Begin func(what string, total uint64) func(n int)
}

// Import reads the files once to check the records and, if Out is set, once more to write
// them; before that it reads them for separate walls, if the format has any. It keeps a few
// bytes of each record, so files may have any size.
//
// A record that cannot be imported is noted in the report. The error is that of ctx, of an
// occupied folder (see [dataset.ErrOccupied]), or of writing. The same import again
// continues where it ended.
func Import(ctx context.Context, files []File, o *Options) (*Report, error) {
	im := newImporter(files, o)
	if err := im.survey(ctx); err != nil {
		return nil, err
	}
	if o.Out != "" {
		if err := im.checkFolder(); err != nil {
			return nil, err
		}
		for i, g := range im.groups {
			if at, why := g.findLineups(); why != "" {
				m := &g.matches[at]
				note := Note{Record: im.files[m.file].Name, Message: why}
				if slices.ContainsFunc(g.matches, func(o match) bool { return o.file == m.file && o.number > 0 }) {
					part := int(m.number)
					note.Part = &part
				}
				im.report.Notes = append(im.report.Notes, note)
			}
			folder := o.Out
			if len(im.groups) > 1 {
				folder = filepath.Join(o.Out, g.variant.name)
			}
			if err := im.write(ctx, g, folder); err != nil {
				return nil, err
			}
			im.report.Rulesets[i].Folder = folder
		}
	}
	return &im.report, nil
}

func newImporter(files []File, o *Options) *importer {
	im := &importer{
		options: o, files: files,
		variants: &variants{base: o.Format.Ruleset, fixed: o.Ruleset, cache: map[string]*variant{}},
		seen:     map[contentDigest][]*importedRecord{}, held: semaphore.NewWeighted(mostHeld),
		report: Report{Format: o.Format.Name, Rulesets: []Ruleset{}, Differences: []Note{}, Notes: []Note{}},
	}
	if im.options.Begin == nil {
		im.options.Begin = func(string, uint64) func(int) { return func(int) {} }
	}
	return im
}

type importer struct {
	options   *Options
	files     []File
	variants  *variants
	groups    []*group // one for each ruleset, as in the report
	report    Report
	explainer explainer

	// last is the last record. It is reported after the next one, which shows whether the file
	// has several.
	last *checkedRecord
	// seen is the imported records by content, if the format has doubles.
	seen     map[contentDigest][]*importedRecord
	separate separateWalls
	held     *semaphore.Weighted // of mostHeld
}

// group is the records to write to the dataset of one ruleset.
type group struct {
	variant *variant
	matches []match // in the order in which they are written
	lineups lineups
}

// match is a record that is to be written.
type match struct {
	file, number int32
	sum          [sha256.Size]byte // of the text
	names        [sim.NumPlayers]string
	deal         contentDigest // of the first hand
	// kept is the number of hands before the fault that ends the record, 0 if it has none that only
	// the rules show.
	kept int32
	// double is set if a more complete record of the same match has replaced it.
	double bool
}

// checkedRecord is the result of replaying a record.
type checkedRecord struct {
	text        text
	sum         [sha256.Size]byte
	variant     *variant
	differences []record.Difference
	// err is the error of parsing the text or of finding its rules.
	err error
	// taken is set if the record is imported, partial if it is of a part of a match.
	taken, partial bool
	// game is the match if other rules might explain the differences.
	game *record.Game
	// before is the record up to the first hand with a difference, if it has whole hands.
	before       *checkedRecord
	names        [sim.NumPlayers]string
	deal         contentDigest
	kept, hands  int
	decisions    uint64
	completeness completeness
	// joined is the separate walls that the record uses.
	joined []*separateWall
}

// survey checks all records and groups those to write.
func (im *importer) survey(ctx context.Context) error {
	if err := im.findWalls(ctx); err != nil {
		return err
	}
	const kilo = 1000
	var total int64
	for _, f := range im.files {
		total += f.Size
	}
	done, read := im.options.Begin("kB", uint64(total/kilo)), 0
	err := ordered.Run(ctx, im.options.Workers, im.heldTexts(ctx),
		func() ordered.Worker[text, checkedRecord] {
			m := &sim.Match{}
			return ordered.Worker[text, checkedRecord]{Work: func(_ context.Context, t text, c *checkedRecord) error {
				*c = im.check(t, m)
				return nil
			}}
		},
		func() *checkedRecord { return &checkedRecord{} },
		func(c *checkedRecord) error {
			read += c.text.read
			done(read / kilo)
			read %= kilo
			held := c.text.held
			im.collect(c)
			im.held.Release(held)
			return nil
		})
	if err == nil {
		im.flush(nil)
		im.noteWalls()
	}
	for _, g := range im.groups {
		g.matches = slices.DeleteFunc(g.matches, func(m match) bool { return m.double })
	}
	return err
}

// heldTexts returns all texts, each when the budget of mostHeld has room for it.
func (im *importer) heldTexts(ctx context.Context) iter.Seq[text] {
	return func(yield func(text) bool) {
		for t := range im.texts(func(int) bool { return true }) {
			if size := min(int64(len(t.record.Text)), mostHeld); im.held.Acquire(ctx, size) == nil {
				t.held = size
			}
			if !yield(t) { // ordered.Run notices the end of ctx
				return
			}
		}
	}
}

// check parses and replays a record.
func (im *importer) check(t text, m *sim.Match) checkedRecord {
	c := checkedRecord{text: t}
	if c.err = t.err; c.err != nil {
		return c
	}
	c.sum = sha256.Sum256(t.record.Text)
	size := len(t.record.Text)
	g, err := im.options.Format.ParseText(&t.record)
	c.text.record.Text = nil
	if c.err = err; g == nil {
		return c
	}
	if im.options.Format.KnobsFromName != nil {
		named := map[string]any{}
		maps.Copy(named, im.options.Format.KnobsFromName(filepath.Base(im.files[t.file].Name)))
		maps.Copy(named, g.Knobs)
		g.Knobs = named
	}
	if c.variant, err = im.variants.find(g); err != nil {
		c.err = err
		return c
	}
	im.judge(&c, g, m)
	if c.err == nil && !c.taken && !c.partial {
		c.before = im.judgeBefore(&c, g, m)
	}
	for p, name := range g.Names {
		c.names[p] = unique.Make(name).Value()
	}
	if im.options.Format.HasDuplicates && c.taken {
		c.completeness = completenessOf(g, m, size)
	}
	return c
}

// judge replays a record.
func (im *importer) judge(c *checkedRecord, g *record.Game, m *sim.Match) {
	c.differences, c.joined = im.replay(c.variant.rules, &c.text, g, m)
	c.differences = append(c.differences, c.variant.notes...)
	c.hands = len(g.Hands)
	c.partial = c.err == nil && !record.Agrees(c.differences) && record.AgreesInPart(c.differences)
	c.taken = c.err == nil && record.Agrees(c.differences) || im.options.Partial && c.partial
	if !c.taken && g.Truncation == nil {
		c.game = g
	}
	c.deal = digestEvents(dealOf(m))
	for i := 0; c.taken && i < len(m.Decisions); i++ {
		c.decisions += uint64(m.Decisions[i])
	}
}

// judgeBefore replays the hands of a record before the first one with a difference. It returns nil
// if there are none. A difference of the final points is after all hands.
func (im *importer) judgeBefore(c *checkedRecord, g *record.Game, m *sim.Match) *checkedRecord {
	d := c.differences[slices.IndexFunc(c.differences, func(d record.Difference) bool { return !d.Note && !d.Part })]
	if d.Hand < 0 {
		d.Hand = len(g.Hands)
	}
	short, before := *g, *c
	short.CutAt(d.Hand, d.Message)
	if im.judge(&before, &short, m); d.Hand == 0 || !before.partial {
		return nil
	}
	// The fault stands for what Replay has of the end, with its place.
	i := slices.IndexFunc(before.differences, func(d record.Difference) bool { return d.Part && d.Place == "" })
	d.Part, before.differences[i] = true, d
	before.kept = d.Hand
	return &before
}

// collect explains the differences of a record and enters the one before it into the report.
func (im *importer) collect(c *checkedRecord) {
	if c.game != nil {
		if why := im.explain(c.game, c.variant); why != "" {
			c.differences = append(c.differences, record.Difference{Hand: -1, Message: why})
			c.before = nil // it has no fault, but other rules
		}
	}
	if before := c.before; before != nil && im.options.Partial {
		*c = *before
	} else if c.before != nil {
		c.partial = true
	}
	c.game, c.before = nil, nil
	im.flush(c)
	last := *c
	im.last = &last
}

// flush enters the last record into the report. next is the one after it, nil if there is none.
func (im *importer) flush(next *checkedRecord) {
	if l := im.last; l != nil {
		several := l.text.record.Number > 0 || next != nil && next.text.file == l.text.file && next.text.err == nil
		im.note(l, several && l.text.err == nil)
		im.last = nil
	}
}

// note enters a record into the report. several is set if its file has others.
func (im *importer) note(c *checkedRecord, several bool) {
	for _, a := range c.joined {
		a.joined = true
	}
	about := Note{Record: im.files[c.text.file].Name}
	if several {
		part := c.text.record.Number
		about.Part = &part
	}
	switch {
	case c.err != nil:
		if a := im.separate.at[place{c.text.file, c.text.record.Number}]; a != nil && c.text.err == nil {
			refused := *c
			a.refused, a.about = &refused, about
			break
		}
		im.noteUnusable(c, about)
	case !c.taken:
		im.report.Differ.add(c, 1)
		im.noteAll(about, c.differences, &im.report.Differences)
	default:
		g := im.groupOf(c)
		if im.isDouble(c, about, g) {
			break
		}
		im.noteAll(about, c.differences, &im.report.Notes) // the faults after whole hands, too
		im.report.Imported.add(c, 1)
		if im.options.Out != "" {
			im.groups[g].matches = append(im.groups[g].matches, match{file: int32(c.text.file), number: int32(c.text.record.Number), sum: c.sum, names: c.names, deal: c.deal, kept: int32(c.kept)})
		}
		im.report.Rulesets[g].add(c, 1)
	}
}

// noteUnusable enters a record that cannot be parsed into the report.
func (im *importer) noteUnusable(c *checkedRecord, about Note) {
	im.report.Unusable.add(c, 1)
	if c.differences != nil { // up to the fault, of a record without a whole hand
		im.noteAll(about, c.differences, &im.report.Differences)
		return
	}
	if place, ok := errors.AsType[*record.PlaceError](c.err); ok {
		about.Place, about.Message = fmt.Sprintf("%s %d", place.Unit, place.Number), place.Message
	} else {
		about.Message = c.err.Error()
	}
	im.report.Differences = append(im.report.Differences, about)
}

func (im *importer) noteAll(about Note, differences []record.Difference, list *[]Note) {
	for _, d := range differences {
		note := about
		note.Place, note.Message = d.Place, d.Message
		if d.Hand >= 0 {
			note.Hand = &d.Hand
		}
		*list = append(*list, note)
	}
}

func (im *importer) groupOf(c *checkedRecord) int {
	for i, g := range im.groups {
		if g.variant.rules.Hash == c.variant.rules.Hash {
			return i
		}
	}
	im.groups = append(im.groups, &group{variant: c.variant})
	im.report.Rulesets = append(im.report.Rulesets, Ruleset{Name: c.variant.name})
	return len(im.groups) - 1
}

func (im *importer) digestOf(g *group) string {
	h := sha256.New()
	for i := range g.matches {
		m := &g.matches[i]
		fmt.Fprintf(h, "%s\n%d\n%x\n", im.files[m.file].Name, m.number, m.sum)
	}
	return hex.EncodeToString(h.Sum(nil))
}
