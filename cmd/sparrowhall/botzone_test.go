package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestImportBotzone imports match logs, the second and third without walls, and
// plays them again from the dataset. The logs are of matches that were played here
// and written down as the judge does.
func TestImportBotzone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	out, errOut, status := sparrowhall(t, "", "import", "botzone", "testdata/botzone.jsonl.gz", "--out", dir, "--quiet")
	if status != statusOK {
		t.Fatalf("import: status %d: %s%s", status, out, errOut)
	}
	if out, errOut, status := sparrowhall(t, "", "verify", dir, "--quiet"); status != statusOK || !strings.Contains(out, "3 matches of botzone") {
		t.Errorf("verify: status %d: %s%s", status, out, errOut)
	}
	// The round winds were drawn elsewhere.
	for match, want := range []string{"round W", "round N", "round S"} {
		out, errOut, status := sparrowhall(t, "", "replay", dir, "--match", string(rune('0'+match)))
		if status != statusOK || !strings.Contains(out, want) {
			t.Errorf("match %d: status %d: %.400s%s", match, status, out, errOut)
		}
	}
}
