package main

import (
	"strings"
	"testing"
)

func TestSiteRefusals(t *testing.T) {
	_, errOut, code := sparrowhall(t, "", "site", "play")
	if code != statusUsage || !strings.Contains(errOut, "name the folder to write by --out, or the file by --html") {
		t.Errorf("status %d, %q", code, errOut)
	}
	// A folder without the module cannot build the program.
	dir := t.TempDir()
	t.Chdir(dir)
	_, errOut, code = sparrowhall(t, "", "site", "play", "--out", "public")
	if code != statusFailure || !strings.Contains(errOut, "run this in a clone of the repository") {
		t.Errorf("status %d, %q", code, errOut)
	}
}
