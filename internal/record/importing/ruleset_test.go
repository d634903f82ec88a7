package importing_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/record/importing"
	"github.com/sparrowhall/sparrowhall/internal/record/tenhou"
)

// TestSuggestions imports records whose lobby states other rules than their hands are played by.
// Each is imported after what the report suggests, with a note of what the record states.
func TestSuggestions(t *testing.T) {
	sample, err := os.ReadFile("../testdata/sample.mjlog")
	if err != nil {
		t.Fatal(err)
	}
	lobby := regexp.MustCompile(`<GO type="\d+"`)
	if !lobby.Match(sample) {
		t.Fatal("the sample names no lobby")
	}
	suggestion := regexp.MustCompile(`nothing would differ with (?:--ruleset (\w+)|(.*): name a ruleset file that says base = "(\w+)")`)
	suggested := 0
	for _, kind := range []string{"1", "3", "7", "9", "137", "161"} {
		path := filepath.Join(t.TempDir(), "game.mjlog")
		if err := os.WriteFile(path, lobby.ReplaceAll(sample, []byte(`<GO type="`+kind+`"`)), 0o644); err != nil {
			t.Fatal(err)
		}
		run := func(r *configs.Ruleset) *importing.Report {
			files, err := importing.Find(tenhou.Format, []string{path})
			if err != nil {
				t.Fatal(err)
			}
			report, err := importing.Import(t.Context(), files, &importing.Options{Format: tenhou.Format, Ruleset: r, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			return report
		}
		report := run(nil)
		if report.Imported.Records == 1 {
			continue
		}
		m := suggestion.FindStringSubmatch(report.Differences[len(report.Differences)-1].Message)
		if m == nil {
			continue
		}
		suggested++
		name := m[1]
		if name == "" {
			name = filepath.Join(t.TempDir(), "suggested.toml")
			text := "base = \"" + m[3] + "\"\n" + strings.ReplaceAll(m[2], " and ", "\n") + "\n"
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		r, err := configs.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		again := run(r)
		if again.Imported.Records != 1 {
			t.Errorf("lobby %s, by the suggestion %q: %+v", kind, m[0], again.Differences)
		}
		var notes bytes.Buffer
		for _, n := range again.Notes {
			notes.WriteString(n.Message)
		}
		if !strings.Contains(notes.String(), "the record states") {
			t.Errorf("lobby %s: no note of what the record states: %s", kind, notes.String())
		}
	}
	if suggested == 0 {
		t.Error("nothing was suggested")
	}
}
