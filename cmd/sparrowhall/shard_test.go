package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/internal/analysis/experiment"
)

// Shards of play, in any order, are joined to what one machine writes and prints.
func TestPlayShards(t *testing.T) {
	base := t.TempDir()
	at := func(name string) string { return filepath.Join(base, name) }
	args := func(dir string, more ...string) []string {
		return append([]string{"play", "--matches", "300", "--agents", fast, "--record", "hands", "--file-matches", "64", "--quiet", "--out", dir}, more...)
	}
	out, errOut, status := sparrowhall(t, "", args(at("whole"))...)
	if status != statusOK {
		t.Fatal(errOut)
	}
	want := timeless(t, out)
	var shards []string
	for n := 3; n >= 1; n-- {
		dir := at(fmt.Sprint(n))
		shards = append(shards, dir)
		for _, workers := range []string{"2", "1"} { // the second time all is there
			out, errOut, status := sparrowhall(t, "", args(dir, "--shard", fmt.Sprintf("%d/3", n), "--workers", workers)...)
			if status != statusOK || !strings.Contains(out, fmt.Sprintf("%s holds shard %d/3, matches ", dir, n)) || !strings.Contains(out, "; play merge joins it") {
				t.Fatalf("shard %d: status %d, out %q, err %q", n, status, out, errOut)
			}
		}
	}
	if _, errOut, status := sparrowhall(t, "", "verify", "--quiet", at("2")); status != statusOK {
		t.Error(errOut)
	}
	merge := append([]string{"play", "merge", "--quiet", "--out", at("joined")}, shards...)
	for range 2 {
		got, errOut, status := sparrowhall(t, "", merge...)
		if status != statusOK || got != want {
			t.Errorf("status %d, err %q, out\n%s\nwant\n%s", status, errOut, got, want)
		}
	}
	if diff := cmp.Diff(files(t, at("whole")), files(t, at("joined"))); diff != "" {
		t.Error("the bytes differ")
	}
	other := at("other")
	if _, errOut, status := sparrowhall(t, "", args(other, "--shard", "3/3", "--seed", "2")...); status != statusOK {
		t.Fatal(errOut)
	}
	cup := at("cup")
	if _, errOut, status := sparrowhall(t, "", tournamentArgs(cup, "--shard", "1/1")...); status != statusOK {
		t.Fatal(errOut)
	}
	for _, c := range []struct {
		args, want string
	}{
		{"play merge --out OUT 1 2", "of 3 shards these are missing: 3"},
		{"play merge --out OUT 1 2 3 2", "are both shard 2"},
		{"play merge --out OUT 1 2 other", "are shards of different runs: seed is 1 there, 2 here"},
		{"play merge --out OUT whole", "it is no shard, but a whole run"},
		{"play merge --out OUT cup", "it is of a tournament; tournament merge joins its shards"},
		{"tournament merge --out OUT 1", "it is of no tournament; play merge joins shards of play"},
		{"sweep merge --out OUT 1", "it holds no sweep"},
	} {
		words := strings.Fields(c.args)
		for i := 3; i < len(words); i++ {
			words[i] = at(words[i])
		}
		if _, errOut, status := sparrowhall(t, "", words...); status != statusFailure || !strings.Contains(errOut, c.want) {
			t.Errorf("%s: status %d, %q, want %q", c.args, status, errOut, c.want)
		}
		if _, err := os.Stat(at("OUT")); err == nil {
			t.Errorf("%s: the folder was made", c.args)
		}
	}
	for _, c := range [][]string{args(at("x"), "--shard", "0/2"), args(at("x"), "--shard", "1/9"), {"play", "--shard", "1/2"}, {"play", "merge", at("1")}} {
		if _, _, status := sparrowhall(t, "", c...); status != statusUsage {
			t.Errorf("%v: status %d", c, status)
		}
	}
}

// Shards of a sealed play reveal the seed when they are joined.
func TestSealedPlayShards(t *testing.T) {
	base := t.TempDir()
	at := func(name string) string { return filepath.Join(base, name) }
	for n := 1; n <= 2; n++ {
		dir := at(fmt.Sprint(n))
		if _, errOut, status := sparrowhall(t, "", "play", "--matches", "128", "--agents", fast, "--file-matches", "64", "--quiet", "--record", "matches",
			"--sealed", "--seal-file", at("seal"), "--shard", fmt.Sprintf("%d/2", n), "--out", dir); status != statusOK {
			t.Fatal(errOut)
		}
		if strings.Contains(files(t, dir)["manifest.json"], `"salt"`) {
			t.Errorf("shard %d reveals the seed", n)
		}
	}
	// A shard is replayed with the seed, and not without it.
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"--luck=fast"}, statusFailure, "replayed with its seal file"},
		{[]string{"--luck=fast", "--offered", "--seal-file", at("seal")}, statusOK, ""},
		{[]string{"--offered"}, statusFailure, "replayed with its seal file"},
		{[]string{"--seal-file", at("seal")}, statusUsage, "add --luck or --offered"},
	} {
		if _, errOut, status := sparrowhall(t, "", append([]string{"report", "--quiet", at("1")}, c.args...)...); status != c.status || !strings.Contains(errOut, c.want) {
			t.Errorf("report %v: status %d, %s", c.args, status, errOut)
		}
	}
	if _, errOut, status := sparrowhall(t, "", "play", "merge", "--quiet", "--out", at("out"), at("1"), at("2")); status != statusFailure || !strings.Contains(errOut, "needs their seal") {
		t.Errorf("without the seal: status %d, %s", status, errOut)
	}
	if _, errOut, status := sparrowhall(t, "", "play", "merge", "--quiet", "--seal-file", at("seal"), "--out", at("out"), at("1"), at("2")); status != statusOK {
		t.Fatal(errOut)
	}
	if !strings.Contains(files(t, at("out"))["manifest.json"], `"salt"`) {
		t.Error("the joined run does not reveal the seed")
	}
	if _, errOut, status := sparrowhall(t, "", "verify", "--quiet", at("out")); status != statusOK {
		t.Error(errOut)
	}
}

// Shards of a sweep are joined to its datasets and its report.
func TestSweepShards(t *testing.T) {
	base := t.TempDir()
	at := func(name string) string { return filepath.Join(base, name) }
	args := func(dir string, more ...string) []string {
		return append([]string{"sweep", "--ruleset", "botzone", "--matches", "130", "--agents", fast, "--knob", "min_win=4", "--knob", "multi_win=all", "--field", "random,random,random,random", "--file-matches", "64", "--quiet", "--out", dir}, more...)
	}
	want, errOut, status := sparrowhall(t, "", args(at("whole"))...)
	if status != statusOK {
		t.Fatal(errOut)
	}
	for n := 1; n <= 2; n++ {
		out, errOut, status := sparrowhall(t, "", args(at(fmt.Sprint(n)), "--shard", fmt.Sprintf("%d/2", n))...)
		if status != statusOK || !strings.Contains(out, "; sweep merge joins it") {
			t.Fatalf("status %d, out %q, err %q", status, out, errOut)
		}
	}
	got, errOut, status := sparrowhall(t, "", "sweep", "merge", "--quiet", "--out", at("joined"), at("2"), at("1"))
	if status != statusOK || got != want {
		t.Errorf("status %d, err %q, out\n%s\nwant\n%s", status, errOut, got, want)
	}
	variants, err := experiment.DatasetNames(at("whole"))
	if err != nil || len(variants) != 6 {
		t.Fatal(variants, err)
	}
	for _, v := range variants {
		if diff := cmp.Diff(files(t, filepath.Join(at("whole"), v)), files(t, filepath.Join(at("joined"), v))); diff != "" {
			t.Errorf("%s: the bytes differ", v)
		}
	}
	if _, err := os.Stat(filepath.Join(at("joined"), "report", "report.html")); err != nil {
		t.Error(err)
	}
	planned, err := os.ReadFile(filepath.Join(at("whole"), "plan.txt"))
	joined, err2 := os.ReadFile(filepath.Join(at("joined"), "plan.txt"))
	if err := errors.Join(err, err2); err != nil || !bytes.Equal(planned, joined) {
		t.Errorf("a plan of %q is joined from shards of %q, %v", joined, planned, err)
	}
	if _, errOut, status := sparrowhall(t, "", args(at("whole"), "--knob", "min_win=6")...); status != statusFailure || !strings.Contains(errOut, "03_min_win=6 here; --force replaces it") {
		t.Errorf("another sweep in the folder: status %d, err %q", status, errOut)
	}
	plan := filepath.Join(at("2"), "plan.txt")
	if err := os.WriteFile(plan, []byte(strings.Join(variants[:5], "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, errOut, status := sparrowhall(t, "", "sweep", "merge", "--quiet", "--out", at("again"), at("1"), at("2")); status != statusFailure || !strings.Contains(errOut, "shards of different sweeps") {
		t.Errorf("a variant is missing: status %d, %s", status, errOut)
	}
}
