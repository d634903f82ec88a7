package importing_test

import (
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/importing"
	"github.com/sparrowhall/sparrowhall/sim/record/mjai"
)

// In own_tiles.mjson a player declares riichi with all tiles of the wait in the own melds.
// Rules by which that is legal are found among the changes of the preset, before presets
// that differ in more.
func TestExplain(t *testing.T) {
	rules, err := configs.Open("mahjong_soul")
	if err != nil {
		t.Fatal(err)
	}
	files, err := importing.Find(mjai.Format, []string{"testdata/own_tiles.mjson"})
	if err != nil {
		t.Fatal(err)
	}
	report, err := importing.Import(t.Context(), files, &importing.Options{Format: mjai.Format, Ruleset: rules, Partial: true, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	const want = `nothing would differ with live_wait = "concealed": name a ruleset file that says base = "mahjong_soul" and this with --ruleset`
	last := report.Differences[len(report.Differences)-1].Message
	if report.Differ.Records != 1 || !strings.Contains(last, want) {
		t.Errorf("%d records differ; %q, want %q", report.Differ.Records, last, want)
	}
}
