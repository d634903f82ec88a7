package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSealedPlay goes through a sealed run at the command line.
func TestSealedPlay(t *testing.T) {
	dir := t.TempDir()
	out, seal := filepath.Join(dir, "out"), filepath.Join(dir, "seal")
	play := []string{"play", "--agents", "random,random,random,random", "--matches", "2", "--record", "matches", "--quiet", "--sealed"}
	with := func(more ...string) []string { return slices.Concat(play, more) }
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{play, 2, "--sealed keeps its promise in a dataset"},
		{with("--out", out), 2, "--sealed needs a file for its seed"},
		{with("--out", out, "--seal-file", seal, "--seed", "4"), 2, "--seed is that of an open run"},
		{with("--out", out, "--seal-file", filepath.Join(out, "seal")), 2, "is in the folder of the dataset"},
		{[]string{"play", "--seal-file", seal}, 2, "say so by --sealed"},
		{with("--out", out, "--seal-file", seal), 0, "sealed"},
		{with("--out", out, "--seal-file", seal), 0, "complete already"},
		{with("--out", out+"2", "--seal-file", seal), 1, "there is a seal already"},
		{with("--out", out, "--seal-file", seal, "--force"), 1, "there is a seal already"},
		{[]string{"verify", out, "--quiet"}, 0, "its seed is that of the commitment"},
	} {
		stdout, stderr, status := jansou(t, "", c.args...)
		if status != c.status || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%v: status %d, want %d with %q:\n%s%s", c.args, status, c.status, c.want, stdout, stderr)
		}
	}
	if err := os.Remove(seal); err != nil {
		t.Fatal(err)
	}
	if stdout, stderr, status := jansou(t, "", with("--out", out, "--seal-file", seal)...); status != 0 || !strings.Contains(stdout, "complete already") {
		t.Errorf("status %d without the seal of a complete run:\n%s", status, stderr)
	}
}
