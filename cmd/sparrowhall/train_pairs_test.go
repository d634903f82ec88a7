package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Files of pairs are made for agents that list the actions they consider.
func TestTrainPairsUsage(t *testing.T) {
	for args, want := range map[string]string{
		"--agents value,value,value,value":          "value does not list the actions it considers",
		"--agents expert,mjai:false,value,value":    "mjai:false: no program outside plays rollouts",
		"--agents expert:level=2,value,value,value": "must be expert without a level, or net",
		"--out .":         ".: a folder is there; name a file",
		"--share 0":       "--share: 0; from 1 to 1000",
		"--near -1":       "--near: -1; at least 0",
		"--matches 0":     "--matches: 0 is too few",
		"--agents expert": "--agents: 1 agent; 4 must be named, one for each player of ema_2016",
		"--ruleset tenhou_sanma --agents expert,value,value,value": "--agents: 4 agents; 3 must be named, one for each player of tenhou_sanma",
	} {
		if _, errOut, status := sparrowhall(t, "", append([]string{"train", "pairs", "--out", "x"}, strings.Fields(args)...)...); status != statusUsage || !strings.Contains(errOut, want) {
			t.Errorf("%s: status %d, %q, want %q", args, status, errOut, want)
		}
	}
}

// TestTrainPairsGoesOn stops a run at several places and lets the same command go on.
func TestTrainPairsGoesOn(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "a.pairs")
	args := []string{
		"train", "pairs", "--quiet", "--ruleset", "botzone", "--agents", "expert:net=off,value,value,value",
		"--matches", "12", "--out", out,
	}
	make := func(args ...string) (text, errOut string) {
		t.Helper()
		text, errOut, _ = sparrowhall(t, "", args...)
		return text, errOut
	}
	want, errOut := make(args...)
	whole, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err, errOut)
	}
	if got, errOut := make(args...); got != want {
		t.Errorf("a complete file: %q, want %q; %s", got, want, errOut)
	}
	if _, errOut := make(append(args, "--seed", "2")...); !strings.Contains(errOut, "a.pairs: another file is there; remove it, or name another --out") {
		t.Errorf("beside a file of another seed: %q", errOut)
	}
	if got, err := os.ReadFile(out); err != nil || string(got) != string(whole) {
		t.Errorf("a complete file is another: %v", err)
	}
	os.Remove(out)
	damaged := bytes.Clone(whole)
	damaged[len(damaged)/2]++
	if err := os.WriteFile(out+".part", damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, errOut := make(args...); got != want || !strings.Contains(errOut, "warning: ") || !strings.Contains(errOut, "damaged: its checksum is another; it is played again from there") {
		t.Errorf("after a damaged byte: %q, want %q; %s", got, want, errOut)
	}
	for _, at := range []int{0, len(whole) / 2, len(whole) - 1, len(whole)} {
		os.Remove(out)
		if err := os.WriteFile(out+".part", whole[:at], 0o600); err != nil {
			t.Fatal(err)
		}
		if got, errOut := make(args...); got != want {
			t.Errorf("after %d of %d bytes: %q, want %q; %s", at, len(whole), got, want, errOut)
		}
		if got, err := os.ReadFile(out); err != nil || string(got) != string(whole) {
			t.Errorf("after %d of %d bytes the file is another: %v", at, len(whole), err)
		}
	}
	if err := os.Rename(out, out+".part"); err != nil {
		t.Fatal(err)
	}
	if _, errOut := make(append(args, "--seed", "2")...); !strings.Contains(errOut, "a.pairs.part: it was begun with other flags") {
		t.Errorf("with another seed: %q", errOut)
	}
	if err := os.WriteFile(out+".part", []byte("something else, of someone else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errOut := make(args...); !strings.Contains(errOut, "no file of pairs") || !strings.Contains(errOut, "remove it") {
		t.Errorf("beside another file: %q", errOut)
	}
}
