package sim_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRuleBook plays the cases of testdata/rules under all rules they name: one for each
// sentence of the rules that the table carries out. Those of riichi lie beside the folders of
// the other families.
func TestRuleBook(t *testing.T) {
	const folder = "testdata/rules/"
	files, err := filepath.Glob(folder + "*.txt")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(folder + "*/*.txt")
	if err != nil || files == nil || more == nil {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range slices.Concat(files, more) {
		for _, s := range readScripts(t, file) {
			t.Run(strings.TrimPrefix(filepath.ToSlash(file), folder)+"/"+s.name, func(t *testing.T) {
				if s.setup.presets == nil {
					t.Fatalf("%s:%d: the case names no rules", s.file, s.line)
				}
				for _, preset := range s.setup.presets {
					t.Run(preset, func(t *testing.T) { s.run(t, preset) })
				}
			})
		}
	}
}
