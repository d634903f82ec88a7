package law

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestChangelog checks the form of CHANGELOG.md: that of Keep a Changelog, one line for each
// change.
func TestChangelog(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`^## \[(Unreleased|\d+\.\d+\.\d+)\](?: - \d{4}-\d\d-\d\d)?$`)
	entries := 0
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case utf8.RuneCountInString(line) > 120:
			t.Errorf("line %d has %d characters; at most 120 are allowed", i+1, utf8.RuneCountInString(line))
		case strings.HasPrefix(line, "### "):
			if !slices.Contains([]string{"Added", "Changed", "Fixed", "Removed"}, line[4:]) {
				t.Errorf("line %d: the section is %q; allowed are Added, Changed, Fixed and Removed", i+1, line[4:])
			}
		case strings.HasPrefix(line, "## ") && !version.MatchString(line):
			t.Errorf("line %d: %q is no version: ## [Unreleased] or ## [1.2.3] - 2026-01-31", i+1, line)
		case strings.HasPrefix(line, "- "):
			entries++
		}
	}
	if entries == 0 {
		t.Error("there are no entries")
	}
}
