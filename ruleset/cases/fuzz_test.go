package cases_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/cases"
)

// FuzzScore answers any line with one JSON object: an error, or a value whose
// payments add up to the sticks that were on the table.
func FuzzScore(f *testing.F) {
	text, err := os.ReadFile("../riichi/testdata/cases.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		f.Add(line)
	}
	f.Add([]byte(base))
	rules := map[string]*ruleset.Rules{}
	for _, name := range configs.Names() {
		if rules[name], err = configs.Load(name); err != nil {
			f.Fatal(err)
		}
	}
	load := func(name string, overrides map[string]any) (*ruleset.Rules, error) {
		if r := rules[name]; r != nil && len(overrides) == 0 {
			return r, nil
		}
		return configs.LoadWith("tenhou", overrides)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		answer, ok := cases.Score(line, "tenhou", load)
		var a struct {
			ID       json.RawMessage
			Error    string
			Win      *bool
			Points   int
			Payments map[string]int
		}
		if err := json.Unmarshal(answer, &a); err != nil || a.ID == nil || bytes.ContainsRune(answer, '\n') {
			t.Fatalf("%s: %v", answer, err)
		}
		if ok == (a.Error != "") || ok != (a.Win != nil) {
			t.Fatalf("%s, usable %v", answer, ok)
		}
		if !ok || a.Payments == nil {
			return
		}
		var c struct {
			Deposits int
			Config   map[string]any
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		sum, most := 0, 0
		for _, n := range a.Payments {
			sum += n
			most = max(most, n)
		}
		if c.Config == nil && sum != 1000*c.Deposits || most < a.Points {
			t.Fatalf("%s: payments add up to %d with %d sticks", answer, sum, c.Deposits)
		}
	})
}
