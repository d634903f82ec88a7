// Package golden holds files that tests derive from the code: samples, and tables in pages of the
// documentation. With -update, which go generate passes, a test writes them instead.
//
//	golden.Hold(t, "testdata/signature.txt", signature)
//	golden.HoldBlock(t, "../docs/serving.md", "metrics", table)
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Update reports whether tests write their files.
var Update = flag.Bool("update", false, "write the files that tests derive from the code")

// Hold compares a file with its text.
func Hold(t *testing.T, path, want string) {
	t.Helper()
	if *Update {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(got), want); d != "" {
		t.Errorf("%s is out of date (-), run go generate in the folder of this test:\n%s", path, d)
	}
}

// HoldBlock compares a block of a page, from <!-- NAME, generated --> to <!-- end -->, with its
// text.
func HoldBlock(t *testing.T, path, name, want string) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin := "<!-- " + name + ", generated -->\n"
	before, rest, found := strings.Cut(string(page), begin)
	_, after, ended := strings.Cut(rest, "<!-- end -->")
	if !found || !ended {
		t.Fatalf("%s has no block %q", path, begin)
	}
	Hold(t, path, before+begin+"\n"+want+"\n<!-- end -->"+after)
}
