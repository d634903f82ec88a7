package main

import (
	"io/fs"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Equal sweeps and tunings write equal bytes, in whatever folder, and print the same: neither
// the path of a folder nor the name of a temporary one is stored.
func TestSameBytesAnywhere(t *testing.T) {
	for _, args := range [][]string{
		{"sweep", "--quiet", "--ruleset", "botzone", "--knob", "min_win=4", "--matches", "64", "--agents", fast},
		{"tune", "--quiet", "--ruleset", "botzone", "--knob", "min_win=4..8:4", "--want", "won>1%", "--matches", "1024", "--tries", "2", "--best", "1", "--agents", fast},
	} {
		var trees []map[string]string
		var printed []string
		for range 2 {
			dir := t.TempDir()
			text, errOut, status := sparrowhall(t, "", append(args, "--json", "--out", dir+"/kept")...)
			if status != statusOK {
				t.Fatalf("%v: status %d, %s", args, status, errOut)
			}
			trees, printed = append(trees, tree(t, dir)), append(printed, text)
		}
		if diff := cmp.Diff(trees[0], trees[1]); diff != "" {
			t.Errorf("%v: the files differ:\n%.2000s", args, diff)
		}
		if printed[0] != printed[1] {
			t.Errorf("%v --json prints something else", args)
		}
	}
}

// tree returns the files of a folder and those below it.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(os.DirFS(dir), path)
		texts[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}
