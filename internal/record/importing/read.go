package importing

import (
	"bytes"
	"errors"
	"strings"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// Record is a record that was replayed, with the choices and values of its match.
type Record struct {
	Ruleset *configs.Ruleset
	Names   [sim.NumPlayers]string
	Match   sim.Match
	// Notes are remarks, such as on the faults after the last whole hand.
	Notes []Note
}

// Read replays the first record in a text by the rules of Import with Options.Partial, and writes
// nothing. name is that of its file. The error has the lines that the report of Import would have.
func Read(f *record.Format, name string, content []byte, fixed *configs.Ruleset) (*Record, error) {
	im := newImporter([]File{{Name: name}}, &Options{Format: f, Ruleset: fixed, Partial: true})
	r := &Record{Match: sim.Match{Keep: sim.KeepChoices | sim.KeepValues}}
	for t, err := range f.Texts(bytes.NewReader(content)) {
		found := text{record: t, err: err}
		if err == nil {
			if g, err := f.ParseText(&t); err == nil {
				r.Names = g.Names
			}
		}
		c := im.check(found, &r.Match)
		v := c.variant
		im.collect(&c)
		im.flush(nil)
		if im.report.Imported.Records == 0 {
			break
		}
		r.Ruleset, r.Notes = v.ruleset, im.report.Notes
		return r, nil
	}
	if len(im.report.Differences) == 0 {
		return nil, errors.New(name + ": there is no record in it")
	}
	var lines []string
	for i := range im.report.Differences {
		lines = append(lines, im.report.Differences[i].String())
	}
	return nil, errors.New(strings.Join(lines, "\n"))
}
