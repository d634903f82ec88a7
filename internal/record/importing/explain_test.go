package importing_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/record/importing"
	"github.com/sparrowhall/sparrowhall/internal/record/mjai"
	"github.com/sparrowhall/sparrowhall/internal/record/tenhou"
	"github.com/sparrowhall/sparrowhall/sim"
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

// In this match an extension ends although the dealer stays, as soon as a player has the target.
func TestExplainExtension(t *testing.T) {
	played, err := configs.Change("tenhou", map[string]any{"extension_renchan_priority": false})
	if err != nil {
		t.Fatal(err)
	}
	m, seated := &sim.Match{Seed: 1554}, seatGreedy(t)
	m.Play(played.Rules(), &seated)
	text, err := tenhou.WriteJSON(played.Rules(), m, [sim.NumPlayers]string{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "ends.json")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	files, err := importing.Find(tenhou.Format, []string{path})
	if err != nil {
		t.Fatal(err)
	}
	report, err := importing.Import(t.Context(), files, &importing.Options{Format: tenhou.Format, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if report.Differ.Records != 1 {
		t.Fatalf("%d records differ", report.Differ.Records)
	}
	if last := report.Differences[len(report.Differences)-1].Message; !strings.Contains(last, "nothing would differ with extension_renchan_priority = false") {
		t.Error(last)
	}
}

// seatGreedy returns four greedy players.
func seatGreedy(t *testing.T) (seated [sim.NumPlayers]sim.Agent) {
	t.Helper()
	for p := range seated {
		factory, err := agents.New("greedy")
		if err != nil {
			t.Fatal(err)
		}
		seated[p] = factory()
	}
	return seated
}

// A record of another number of players than the ruleset is unusable, and says so.
func TestSeats(t *testing.T) {
	three, err := configs.Open("tenhou_sanma")
	if err != nil {
		t.Fatal(err)
	}
	four, err := configs.Open("tenhou")
	if err != nil {
		t.Fatal(err)
	}
	m := &sim.Match{Seed: 1}
	seated := seatGreedy(t)
	m.Play(three.Rules(), &seated)
	text, err := tenhou.WriteJSON(three.Rules(), m, [sim.NumPlayers]string{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "three.json")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	sample := "../testdata/sample.json"
	for _, test := range []struct {
		path    string
		ruleset *configs.Ruleset
		want    string
	}{
		{path, three, ""},
		{sample, four, ""},
		{path, four, "it is the record of a match of 3 players, and tenhou is for 4; name rules for 3 players"},
		{sample, three, "it is the record of a match of 4 players, and " + three.Rules().Name + " is for 3; name rules for 4 players"},
	} {
		files, err := importing.Find(tenhou.Format, []string{test.path})
		if err != nil {
			t.Fatal(err)
		}
		r, err := importing.Import(t.Context(), files, &importing.Options{Format: tenhou.Format, Ruleset: test.ruleset, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if r.Unusable.Records+r.Differ.Records > 0 {
			got = r.Differences[0].Message
		}
		if (got == "") != (test.want == "") || !strings.HasPrefix(got, test.want) {
			t.Errorf("%s under %s: %q, want %q", test.path, test.ruleset.Name, got, test.want)
		}
	}
}
