package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

func pages(t *testing.T) (folder string, paths []string) {
	folder = t.TempDir()
	if err := write("../..", folder); err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(folder, "*.md"))
	if err != nil || len(paths) < 15 {
		t.Fatalf("%d pages, %v", len(paths), err)
	}
	return folder, paths
}

// TestLinks checks that the links of every page lead to a page.
func TestLinks(t *testing.T) {
	folder, paths := pages(t)
	link := regexp.MustCompile(`\]\(([\w.-]+\.md)[#)]`)
	for _, page := range paths {
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

// TestSignatures compares the functions and types of each page with those of go doc. It lists
// those of Linux wherever it runs.
func TestSignatures(t *testing.T) {
	_, paths := pages(t)
	imports := regexp.MustCompile("`import \"(.*)\"`")
	lines := regexp.MustCompile(`(?m)^(func|type) .*`)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := string(imports.FindSubmatch(text)[1])
		cmd := exec.Command("go", "doc", "-all", name)
		cmd.Dir = "../.."
		cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64")
		doc, err := cmd.Output()
		if err != nil {
			t.Fatalf("go doc %s: %v", name, err)
		}
		for _, line := range lines.FindAll(doc, -1) {
			if !bytes.Contains(text, line) {
				t.Errorf("the page of %s lacks %s", name, line)
			}
		}
	}
}
