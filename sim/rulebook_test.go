package sim_test

import (
	"path/filepath"
	"testing"
)

// TestRuleBook plays the cases of testdata/rules: one for each sentence of the
// rules that the table carries out.
func TestRuleBook(t *testing.T) { playRuleBook(t, "testdata/rules/*.txt") }

// playRuleBook plays the cases of the files that match the pattern under all rules
// they name.
func playRuleBook(t *testing.T, pattern string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || files == nil {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		for _, s := range readScripts(t, file) {
			t.Run(filepath.Base(file)+"/"+s.name, func(t *testing.T) {
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
