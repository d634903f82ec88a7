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
	"github.com/sparrowhall/sparrowhall/sim/record"
)

var suggestion = regexp.MustCompile(`nothing would differ with (?:--ruleset (\w+)|(.*): name a ruleset file that says base = "(\w+)")`)

// follow imports a record under a ruleset, nil for what it states, and again after what the report
// suggests, if it does.
func follow(t *testing.T, f *record.Format, text []byte, under *configs.Ruleset) (again *importing.Report) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "game"+f.Suffixes[0])
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(r *configs.Ruleset) *importing.Report {
		files, err := importing.Find(f, []string{path})
		if err != nil {
			t.Fatal(err)
		}
		report, err := importing.Import(t.Context(), files, &importing.Options{Format: f, Ruleset: r, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	report := run(under)
	if report.Imported.Records == 1 {
		return nil
	}
	m := suggestion.FindStringSubmatch(report.Differences[len(report.Differences)-1].Message)
	if m == nil {
		return nil
	}
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
	again = run(r)
	if again.Imported.Records != 1 {
		t.Errorf("by the suggestion %q: %+v", m[0], again.Differences)
	}
	return again
}

// TestSuggestions imports records whose lobby states other rules than their hands are played by,
// and records under presets that they are not of. Each is imported after what the report suggests,
// with a note of what the record states.
func TestSuggestions(t *testing.T) {
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join("../testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	log := read("sample.mjlog")
	lobby := regexp.MustCompile(`<GO type="\d+"`)
	if !lobby.Match(log) {
		t.Fatal("the sample names no lobby")
	}
	suggested := 0
	for _, kind := range []string{"1", "3", "7", "9", "137", "161"} {
		again := follow(t, tenhou.Format, lobby.ReplaceAll(log, []byte(`<GO type="`+kind+`"`)), nil)
		if again == nil {
			continue
		}
		suggested++
		var notes bytes.Buffer
		for _, n := range again.Notes {
			notes.WriteString(n.Message)
		}
		if !strings.Contains(notes.String(), "the record states") {
			t.Errorf("lobby %s: no note of what the record states: %s", kind, notes.String())
		}
	}
	if suggested == 0 {
		t.Error("nothing was suggested for a lobby")
	}
	suggested = 0
	for _, preset := range configs.Names() {
		r, err := configs.Open(preset)
		if err != nil {
			t.Fatal(err)
		}
		for i, file := range []string{"sample.mjlog", "sample.mjson", "sample.majiang.json"} {
			if follow(t, importing.Formats[i], read(file), r) != nil {
				suggested++
			}
		}
	}
	if suggested < 10 {
		t.Errorf("%d suggestions under other presets", suggested)
	}
}
