package riichi

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/jansou/jansou/ruleset/tile"
)

// TestTables goes through the cases of the dora after an indicator and of the
// rounding of fu.
func TestTables(t *testing.T) {
	text, err := os.ReadFile("testdata/tables.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var c struct {
			ID, Kind, Indicator, Dora string
			Raw, Fu                   uint8
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if c.Kind == "fu_rounding" {
			if got := roundFu(c.Raw); got != c.Fu {
				t.Errorf("%s: %d fu rounded to %d, want %d", c.ID, c.Raw, got, c.Fu)
			}
			continue
		}
		indicator, err := tile.ParseFace(c.Indicator)
		if err != nil {
			t.Fatal(err)
		}
		if got := indicator.Kind().Next().String(); got != c.Dora {
			t.Errorf("%s: dora after %s is %s, want %s", c.ID, c.Indicator, got, c.Dora)
		}
	}
}

// TestRows holds the table of patterns: ids are unique, all texts are there, and
// no yaku is worth more in an open hand.
func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for id, r := range rows {
		if r.id == "" || r.name == "" || r.native == "" || r.source == "" || seen[r.id] {
			t.Errorf("row %d: %+v", id, r)
		}
		seen[r.id] = true
		if r.open > r.closed || (r.closed == 0) != (id >= dora) {
			t.Errorf("%s: %d han, open %d", r.id, r.closed, r.open)
		}
	}
}
