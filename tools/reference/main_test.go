package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestLinks checks that the links of every page lead to a page.
func TestLinks(t *testing.T) {
	folder := t.TempDir()
	if err := write("../..", folder); err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(folder, "*.md"))
	if err != nil || len(pages) < 50 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	link := regexp.MustCompile(`\]\(([\w.-]+\.md)[#)]`)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(folder, string(m[1]))); err != nil {
				t.Errorf("%s links to %s, which is no page", filepath.Base(page), m[1])
			}
		}
	}
}
