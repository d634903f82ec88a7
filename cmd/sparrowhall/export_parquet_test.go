package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExportParquet(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "played")
	out := filepath.Join(t.TempDir(), "lake")
	sparrowhall(t, "", "play", "--matches", "8", "--quiet", "--record", "hands", "--out", dir)
	got, errOut, status := sparrowhall(t, "", "export-parquet", dir, "--out", out, "--table", "hands")
	if status != statusOK {
		t.Fatalf("status %d: %s", status, errOut)
	}
	if !strings.Contains(got, "8 matches, 1 table:") {
		t.Errorf("it prints %q", got)
	}
	if _, err := os.Stat(filepath.Join(out, "hands", "ruleset=ema_2016", "part-000000.parquet")); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		arguments []string
		want      string
	}{
		{[]string{dir}, "--out is missing"},
		{[]string{dir, "--out", out}, "the folder is not empty; name another with --out"},
		{[]string{dir, "--out", out + "2", "--table", "decisions"}, "decisions was not recorded"},
		{[]string{dir, "--out", out + "2", "--table", "hand"}, "--table: "},
		{[]string{out, "--out", out + "2"}, "manifest.json"},
	} {
		_, said, status := sparrowhall(t, "", append([]string{"export-parquet"}, c.arguments...)...)
		if status == statusOK || !strings.Contains(said, c.want) {
			t.Errorf("export-parquet %v: status %d, %q; want %q", c.arguments, status, said, c.want)
		}
	}
}
