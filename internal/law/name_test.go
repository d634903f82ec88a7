package law

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// oldName matches what the project was called before, and keptNames the strings that
// keep it: the hash domains of walls, streams and published commitments, on which walls and
// results depend. docs/determinism.md lists them.
var (
	oldName   = regexp.MustCompile(`(?i)jan` + `sou`)
	keptNames = regexp.MustCompile(oldName.String() + ` (wall|match|agent|wind|order|round|sealed match|sealed agent|seal) 1\b`)
)

// TestOldName checks that the old name of the project occurs nowhere else: users of
// another package would be misled by it.
func TestOldName(t *testing.T) {
	fixtures := []string{".git", "CHANGELOG.md", "internal/law/name_test.go", "docs/determinism.md"}
	listed, err := os.ReadFile(filepath.Join(root, "docs/determinism.md"))
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]bool{}
	eachFile(t, func(rel string) bool { return !within(rel, fixtures...) }, func(rel string, text []byte) {
		if oldName.MatchString(rel) {
			t.Errorf("%s has the old name", rel)
		}
		for i, line := range bytes.Split(text, []byte("\n")) {
			for _, name := range keptNames.FindAll(line, -1) {
				kept[string(name)] = true
			}
			if oldName.Match(keptNames.ReplaceAll(line, nil)) {
				t.Errorf("%s:%d has the old name: %.200q", rel, i+1, line)
			}
		}
	})
	for name := range kept {
		if !bytes.Contains(listed, []byte("`"+name)) {
			t.Errorf("docs/determinism.md does not list %q among the strings that keep the old name", name)
		}
	}
}

// eachFile calls visit with the path and the text of every file that wanted accepts, but for very
// large ones.
func eachFile(t *testing.T, wanted func(rel string) bool, visit func(rel string, text []byte)) {
	t.Helper()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") && rel != "." && rel != ".ci" && rel != ".github" || d.Name() == "node_modules" || d.Name() == "__pycache__" {
				return fs.SkipDir
			}
			return nil
		}
		if !wanted(rel) || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err != nil || info.Size() > 4<<20 {
			return err
		}
		text, err := os.ReadFile(p)
		if err == nil {
			visit(rel, text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
