package viewer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/pages/viewer"
	"github.com/sparrowhall/sparrowhall/internal/record/botzone"
	"github.com/sparrowhall/sparrowhall/internal/record/majiang"
	"github.com/sparrowhall/sparrowhall/internal/record/mjai"
	"github.com/sparrowhall/sparrowhall/internal/record/tenhou"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// shortest returns the shortest hand of a sample with what stands before the first
// hand and after the last, so that many records can be tried in little time. Hands
// follow marks, or stand in a list called log.
func shortest(t testing.TB, text []byte, mark, end string) []byte {
	t.Helper()
	var hands []string
	if mark == "" {
		var game map[string]json.RawMessage
		var log []json.RawMessage
		if err := errors.Join(json.Unmarshal(text, &game), json.Unmarshal(game["log"], &log)); err != nil {
			t.Fatal(err)
		}
		game["log"] = slices.Concat([]byte{'['}, slices.MinFunc(log, byLen), []byte{']'})
		text, err := json.Marshal(game)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	before, body, _ := strings.Cut(string(text), mark)
	after := ""
	if at := strings.Index(body, end); end != "" && at >= 0 {
		body, after = body[:at], body[at:]
	}
	for hand := range strings.SplitSeq(body, mark) {
		hands = append(hands, mark+hand)
	}
	return []byte(before + slices.MinFunc(hands, byLen) + after)
}

// byLen compares by length.
func byLen[S ~[]byte | ~string](a, b S) int { return len(a) - len(b) }

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
	for n, sample := range []struct {
		name      string
		form      uint8
		mark, end string
	}{
		{"sample.mjlog", 0, "<INIT", "</mjloggm>"},
		{"sample.json", 0, "", ""},
		{"sample.mjson", 1, `{"type":"start_kyoku"`, `{"type":"end_game"`},
		{"sample.majiang.json", 2, "", ""},
		{"sample.txt", 3, "Match ", ""},
	} {
		text, err := os.ReadFile("../../record/testdata/" + sample.name)
		if err != nil {
			f.Fatal(err)
		}
		text = shortest(f, text, sample.mark, sample.end)
		form := forms[sample.form]
		for rules, r := range all {
			if r.Name == form.Ruleset {
				if records(f, form, r, text) != 1 {
					f.Fatalf("%s has no page", sample.name)
				}
				f.Add(sample.form, uint8(rules), text)
			} else if rules%5 == n { // each of the others once
				f.Add(sample.form, uint8(rules), text)
			}
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
		if !record.AgreesInPart(record.Replay(r, g, m)) {
			continue
		}
		var b strings.Builder
		if err := viewer.Write(&b, r, m, g.Names, [sim.NumPlayers]sim.Agent{}, nil); err != nil {
			t.Fatal(err)
		}
		if got := read(t, b.String()); len(got.Events) != len(m.Events) || got.Agents != g.Names {
			t.Errorf("a page of %d events and players %q for %d and %q", len(got.Events), got.Agents, len(m.Events), g.Names)
		}
		pages++
	}
	return pages
}
