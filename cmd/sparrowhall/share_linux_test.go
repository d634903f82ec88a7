package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/internal/contest/strength"
)

// Processes that share a tournament write the bytes of one machine, though it ends or pairs by its
// results, one is killed, and others come later.
func TestTournamentShared(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, more := range map[string][]string{
		"accept": {"--agents", "greedy,tsumogiri,random", "--accept", "random > tsumogiri", "--elo0", "-10", "--elo1", "10"},
		"luck":   {"--agents", "greedy,random", "--accept", "greedy > random", "--elo1", "400", "--luck=fast", "--ruleset", "botzone"},
		"clear":  {"--agents", "greedy,tsumogiri", "--until-clear", "0.05", "--rounds", "400"},
		"swiss":  {"--agents", "greedy,greedy,random,random,tsumogiri,tsumogiri,greedy,random", "--swiss", "--rounds", "3"},
	} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			at := func(name string) string { return filepath.Join(base, name) }
			args := func(out string, share ...string) []string {
				args := append([]string{"tournament", "run", "--file-matches", "128", "--quiet", "--workers", "2"}, more...)
				return append(append(args, share...), "--out", at(out))
			}
			want, errOut, status := sparrowhall(t, "", args("whole")...)
			if status != statusOK {
				t.Fatal(errOut)
			}
			signaled(t, syscall.SIGKILL, at("share/block-00000001.gob"), args("killed", "--share", at("share"))...)
			other := exec.Command(self, args("other", "--share", at("share"))...)
			other.Env = append(os.Environ(), asCommand+"=1")
			var said strings.Builder
			other.Stdout = &said
			if err := other.Start(); err != nil {
				t.Fatal(err)
			}
			got, errOut, status := sparrowhall(t, "", args("mine", "--share", at("share"))...)
			if err := other.Wait(); err != nil || status != statusOK {
				t.Fatal(err, errOut)
			}
			if want := timelessTournament(t, want); got != want || said.String() != want {
				t.Errorf("the output is\n%s\nand\n%s\nwant\n%s", got, &said, want)
			}
			for _, dir := range []string{"mine", "other"} {
				if diff := cmp.Diff(files(t, at("whole")), files(t, at(dir))); diff != "" {
					t.Errorf("%s: the bytes differ", dir)
				}
			}
			text, err := os.ReadFile(at("share/nodes.json"))
			var nodes map[string]strength.Node
			if err == nil {
				err = json.Unmarshal(text, &nodes)
			}
			total := uint64(0)
			for _, n := range nodes {
				total += n.Matches
			}
			if err != nil || total == 0 {
				t.Errorf("%v: %s", err, text)
			}
		})
	}
	// The folder of a sealed tournament has no seeds, and the same seal does for all processes.
	base := t.TempDir()
	at := func(name string) string { return filepath.Join(base, name) }
	for _, out := range []string{"mine", "other"} {
		if _, errOut, status := sparrowhall(t, "", tournamentArgs(at(out), "--share", at("share"), "--sealed", "--seal-file", at("seal"), "--progress", at("progress-"+out))...); status != statusOK {
			t.Fatal(errOut)
		}
		if _, errOut, status := sparrowhall(t, "", "verify", "--quiet", at(out)); status != statusOK {
			t.Error(errOut)
		}
	}
	// The first plays all matches, before it writes the dataset.
	if text, err := os.ReadFile(at("progress-mine")); err != nil || strings.Contains(string(text), `"done":0`) {
		t.Errorf("%v: %s", err, text)
	}
	if diff := cmp.Diff(files(t, at("mine")), files(t, at("other"))); diff != "" {
		t.Error("sealed: the bytes differ")
	}
	for name, text := range files(t, at("share")) {
		for _, secret := range secretsOf(t, at("seal"), 80) {
			if strings.Contains(text, string(secret)) {
				t.Errorf("%s has the secret %q", name, secret)
			}
		}
	}
	if _, errOut, status := sparrowhall(t, "", tournamentArgs(t.TempDir(), "--share", t.TempDir(), "--shard", "1/2")...); status != statusUsage || !strings.Contains(errOut, "--share") {
		t.Errorf("with --shard: status %d, %s", status, errOut)
	}
}
