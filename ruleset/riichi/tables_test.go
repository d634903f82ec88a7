package riichi

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
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
	for id, r := range patterns {
		if r.ID == "" || r.Native == "" || r.Source == "" || seen[r.ID] {
			t.Errorf("row %d: %+v", id, r)
		}
		seen[r.ID] = true
		if han := listed[id]; han.Open > han.Closed || (han.Closed == 0) != (id >= dora) {
			t.Errorf("%s: %d han, open %d", r.ID, han.Closed, han.Open)
		}
	}
}

// TestListings compares prices with the rule text (S4 4.2, S0 yaku): what an open hand
// does not have, what counts a han each, and what is a yakuman.
func TestListings(t *testing.T) {
	closed := strings.Fields("riichi double_riichi ippatsu menzen_tsumo pinfu iipeikou chiitoitsu ryanpeikou renhou")
	for id, l := range (Prices{}).Listings() {
		want := listed[id]
		switch {
		case strings.HasSuffix(l.ID, "dora") || isYakuman(id):
			want = ruleset.Price{Closed: 1, Open: 1}
		case l.ID == "renhou":
			want = ruleset.Price{} // a knob of its own
		}
		if l.Listed != want {
			t.Errorf("%s is listed with %v, want %v", l.ID, l.Listed, want)
		}
		if id < dora && !isYakuman(id) && (listed[id].Open == 0) != slices.Contains(closed, l.ID) {
			t.Errorf("%s: %d han in an open hand", l.ID, listed[id].Open)
		}
	}
}
