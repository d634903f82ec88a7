// Package importing makes datasets of matches that were played elsewhere: it reads
// records in one of the [Formats], plays them at a table, and writes those that
// the rules bear out.
package importing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/inorder"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// Options say what to import and where to.
type Options struct {
	Format *record.Format
	// Ruleset is what the records must be played by; if it is nil, each says
	// itself, as far as it does, and the rest is the format's preset.
	Ruleset *configs.Ruleset
	// Partial lets parts of matches in too: records that break off, up to the last
	// whole hand.
	Partial bool
	// Out is the folder to write to, empty to write nothing. If records are of
	// several rulesets, each has a folder in it that is named after them.
	Out string
	// Table, FileMatches and Force are as in [export.Run] and [export.Create].
	Table       export.Table
	FileMatches uint64
	Force       bool
	// Workers is how many records are played at a time, at least 1. It changes
	// nothing of what is found and written.
	Workers int
	// Begin, if not nil, is called when a part of the work begins: with what is
	// counted and how many of these there are. The function it returns is told how
	// many more are done.
	Begin func(what string, total uint64) func(n int)
}

// Import reads the files, twice if something is written: once to look and once to
// write, and once more before if the form has walls that stand apart. Of each
// record it keeps a few bytes in between, so files may be of any size.
//
// Records that cannot be imported are noted in the report, and take no others
// along. The error is that of ctx, of a folder that is occupied (see
// [export.ErrOccupied]), or of what cannot be written; the same import again goes
// on where it ended.
func Import(ctx context.Context, files []File, o *Options) (*Report, error) {
	im := &importer{
		Options: o, files: files,
		variants: &variants{base: o.Format.Ruleset, named: o.Ruleset, known: map[string]*variant{}},
		seen:     map[content][]*imported{},
		report:   Report{Format: o.Format.Name, Rulesets: []Ruleset{}, Differences: []Note{}, Notes: []Note{}},
	}
	if im.Begin == nil {
		im.Begin = func(string, uint64) func(int) { return func(int) {} }
	}
	if err := im.survey(ctx); err != nil {
		return nil, err
	}
	if o.Out != "" {
		if err := im.checkFolder(); err != nil {
			return nil, err
		}
		for i, g := range im.groups {
			folder := o.Out
			if len(im.groups) > 1 {
				folder = filepath.Join(o.Out, g.name)
			}
			if err := im.write(ctx, g, folder); err != nil {
				return nil, err
			}
			im.report.Rulesets[i].Folder = folder
		}
	}
	return &im.report, nil
}

type importer struct {
	*Options
	files    []File
	variants *variants
	groups   []*group // one for each ruleset, as in the report
	report   Report
	explainer

	// The file that is noted: its first record waits to be told whether there are
	// others in it.
	first *checked
	// seen is the records that are imported, by what happened in their matches, if
	// the form has doubles.
	seen  map[content][]*imported
	apart wallsApart
}

// group is the records of one ruleset.
type group struct {
	*variant
	matches []match
}

// match is a record that is to be written.
type match struct {
	file, number int32
	sum          [sha256.Size]byte // of the text
	// double tells that it is not: another record tells more of the match.
	double bool
}

// checked is what the replay of a record has shown.
type checked struct {
	text
	sum         [sha256.Size]byte
	variant     *variant
	differences []record.Difference
	// err is that of a text that cannot be read, or of rules that it cannot be
	// played by.
	err error
	// taken tells that the record is imported, partial that it is of a part of a
	// match.
	taken, partial bool
	// game is the match if other rules might explain why it is not taken.
	game      *record.Game
	hands     int
	decisions uint64
	telling   telling
	// joined is the walls from elsewhere that the record has got.
	joined []*apart
}

// survey replays all records and notes what can be written.
func (im *importer) survey(ctx context.Context) error {
	if err := im.findWalls(ctx); err != nil {
		return err
	}
	const kilo = 1000
	var total int64
	for _, f := range im.files {
		total += f.Size
	}
	done, read := im.Begin("kB", uint64(total/kilo)), 0
	err := inorder.Run(ctx, im.Workers, im.texts(func(int) bool { return true }),
		func() inorder.Worker[text, checked] {
			m := &sim.Match{}
			return inorder.Worker[text, checked]{Work: func(_ context.Context, t text, c *checked) error {
				*c = im.check(t, m)
				return nil
			}}
		},
		func() *checked { return &checked{} },
		func(c *checked) error {
			read += c.read
			done(read / kilo)
			read %= kilo
			im.collect(c)
			return nil
		})
	if err == nil {
		im.flush()
		im.noteWalls()
	}
	for _, g := range im.groups {
		g.matches = slices.DeleteFunc(g.matches, func(m match) bool { return m.double })
	}
	return err
}

// check replays a record.
func (im *importer) check(t text, m *sim.Match) checked {
	c := checked{text: t}
	if c.err = t.err; c.err != nil {
		return c
	}
	c.sum = sha256.Sum256(t.Text.Text)
	size := len(t.Text.Text)
	g, err := im.Format.ParseText(&t.Text)
	c.Text.Text = nil
	if c.err = err; err != nil {
		return c
	}
	if im.Format.Dated != nil {
		named := map[string]any{}
		maps.Copy(named, im.Format.Dated(filepath.Base(im.files[t.file].Name)))
		maps.Copy(named, g.Knobs)
		g.Knobs = named
	}
	c.hands = len(g.Hands)
	if c.variant, c.err = im.variants.of(g.Ruleset, g.Knobs); c.err != nil {
		return c
	}
	c.differences, c.joined = im.replay(c.variant.rules, &t, g, m)
	c.partial = !record.Whole(c.differences) && record.Partial(c.differences)
	c.taken = record.Whole(c.differences) || im.Partial && c.partial
	if !c.taken && g.Cut == nil {
		c.game = g
	}
	if c.taken {
		for _, n := range m.Decisions {
			c.decisions += uint64(n)
		}
		if im.Format.Doubles {
			c.telling = tellingOf(g, m, size)
		}
	}
	return c
}

// collect notes what a record has shown. The first of a file waits until it is
// known whether there are others in it.
func (im *importer) collect(c *checked) {
	if c.game != nil {
		if why := im.explain(c.game, c.variant); why != "" {
			c.differences = append(c.differences, record.Difference{Hand: -1, Message: why})
		}
		c.game = nil
	}
	if im.first != nil && im.first.file == c.file && c.text.err == nil {
		im.flushAs(true)
	} else {
		im.flush()
	}
	if c.Number == 0 && c.text.err == nil {
		first := *c
		im.first = &first
		return
	}
	im.note(c, c.Number > 0 && c.text.err == nil)
}

func (im *importer) flush() { im.flushAs(false) }

func (im *importer) flushAs(several bool) {
	if im.first != nil {
		im.note(im.first, several)
		im.first = nil
	}
}

// note enters a record into the report. several tells that its file holds others.
func (im *importer) note(c *checked, several bool) {
	for _, a := range c.joined {
		a.joined = true
	}
	about := Note{Record: im.files[c.file].Name}
	if several {
		part := c.Number
		about.Part = &part
	}
	switch {
	case c.err != nil:
		if a := im.apart.at[place{c.file, c.Number}]; a != nil && c.text.err == nil {
			refused := *c
			a.refused, a.about = &refused, about
			break
		}
		im.noteUnusable(c, about)
	case !c.taken:
		im.report.Differ.add(c)
		im.noteAll(about, c.differences, &im.report.Differences)
	default:
		g := im.groupOf(c)
		if im.isDouble(c, about, g) {
			break
		}
		im.noteAll(about, slices.DeleteFunc(c.differences, func(d record.Difference) bool { return !d.Note }), &im.report.Notes)
		im.report.Imported.add(c)
		if im.Out != "" {
			im.groups[g].matches = append(im.groups[g].matches, match{file: int32(c.file), number: int32(c.Number), sum: c.sum})
		}
		im.report.Rulesets[g].add(c)
	}
}

// noteUnusable enters a record that cannot be read into the report.
func (im *importer) noteUnusable(c *checked, about Note) {
	im.report.Unusable.add(c)
	if place, ok := errors.AsType[*record.PlaceError](c.err); ok {
		about.Place, about.Message = fmt.Sprintf("%s %d", place.Unit, place.At), place.Message
	} else {
		about.Message = c.err.Error()
	}
	im.report.Differences = append(im.report.Differences, about)
}

// noteAll adds what is to say about a record to a list.
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

// groupOf returns the place of the group of a record.
func (im *importer) groupOf(c *checked) int {
	for i, g := range im.groups {
		if g.rules.Hash == c.variant.rules.Hash {
			return i
		}
	}
	im.groups = append(im.groups, &group{variant: c.variant})
	im.report.Rulesets = append(im.report.Rulesets, Ruleset{Name: c.variant.name})
	return len(im.groups) - 1
}

// checkFolder returns an error if datasets are to be written side by side into a
// folder that is one.
func (im *importer) checkFolder() error {
	if len(im.groups) < 2 {
		return nil
	}
	entries, err := os.ReadDir(im.Out)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() {
			return fmt.Errorf("%w: the records are of %d rulesets, which are written to folders of their own in %s, but %s is there; name another folder",
				export.ErrOccupied, len(im.groups), im.Out, e.Name())
		}
	}
	return nil
}

// digestOf returns what the records of a group are told apart by from others.
func (im *importer) digestOf(g *group) string {
	h := sha256.New()
	for i := range g.matches {
		m := &g.matches[i]
		fmt.Fprintf(h, "%s\n%d\n%x\n", im.files[m.file].Name, m.number, m.sum)
	}
	return hex.EncodeToString(h.Sum(nil))
}
