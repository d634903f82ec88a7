package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/internal/testkit/golden"
)

// sample is a block of a page that shows a command and what it prints.
var sample = regexp.MustCompile("(?s)```\n\\$ sparrowhall ([^\n]*)\n(.*?)```\n")

// TestSamples runs the commands that pages show with what they print, and holds that
// they print that: the speed at the end, which no two runs share, is not shown.
func TestSamples(t *testing.T) {
	for _, page := range []string{"contests.md"} {
		path := filepath.Join("..", "..", "docs", page)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		blocks := sample.FindAllStringSubmatch(string(text), -1)
		if len(blocks) == 0 {
			t.Errorf("%s: no sample is found", page)
		}
		for _, b := range blocks {
			out, errOut, status := sparrowhall(t, "", append(strings.Fields(b[1]), "--quiet")...)
			if status != statusOK {
				t.Fatalf("%s: %s: %s", page, b[1], errOut)
			}
			got := timelessTournament(t, out)
			if *golden.Update {
				text = []byte(strings.Replace(string(text), b[2], got, 1))
			} else if diff := cmp.Diff(b[2], got); diff != "" {
				t.Errorf("%s: %s prints something else; go test ./cmd/sparrowhall -run Samples -update writes it:\n%s", page, b[1], diff)
			}
		}
		if *golden.Update {
			if err := os.WriteFile(path, text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}
