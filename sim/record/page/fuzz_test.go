package page_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/jansou/jansou/configs"
	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/sim"
	"github.com/jansou/jansou/sim/record"
	"github.com/jansou/jansou/sim/record/botzone"
	"github.com/jansou/jansou/sim/record/majiang"
	"github.com/jansou/jansou/sim/record/mjai"
	"github.com/jansou/jansou/sim/record/page"
	"github.com/jansou/jansou/sim/record/tenhou"
)

// FuzzRecords: whatever a record tells, and whatever rules it is replayed by, the
// match that comes of it has a page, which can be read.
func FuzzRecords(f *testing.F) {
	forms := []*record.Format{tenhou.Format, mjai.Format, majiang.Format, botzone.Format}
	var all []*ruleset.Rules
	for _, name := range configs.Names() {
		r, err := configs.Load(name)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, r)
	}
	for sample, form := range map[string]uint8{
		"sample.mjlog": 0, "sample.json": 0, "sample.mjson": 1, "sample.majiang.json": 2, "sample.txt": 3,
	} {
		text, err := os.ReadFile("../testdata/" + sample)
		if err != nil {
			f.Fatal(err)
		}
		for rules, r := range all {
			if pages := records(f, forms[form], r, text); pages == 0 && r.Name == forms[form].Ruleset {
				f.Fatalf("%s has no page", sample)
			}
			f.Add(form, uint8(rules), text)
		}
	}
	f.Fuzz(func(t *testing.T, form, rules uint8, text []byte) {
		records(t, forms[int(form)%len(forms)], all[int(rules)%len(all)], text)
	})
}

// records replays the records of a text, checks the pages of those that can be
// replayed, and returns their number.
func records(t testing.TB, form *record.Format, r *ruleset.Rules, text []byte) (pages int) {
	for g, err := range form.Read(bytes.NewReader(text)) {
		if err != nil {
			continue
		}
		m := &sim.Match{Keep: sim.KeepChoices | sim.KeepValues}
		if !record.Partial(record.Replay(r, g, m)) {
			continue
		}
		var b strings.Builder
		if err := page.Write(&b, r, m, g.Names); err != nil {
			t.Fatal(err)
		}
		if got := read(t, b.String()); len(got.Events) != len(m.Events) || got.Agents != g.Names {
			t.Errorf("a page of %d events and players %q for %d and %q", len(got.Events), got.Agents, len(m.Events), g.Names)
		}
		pages++
	}
	return pages
}
