//go:build unix

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
)

// An interrupt does not wait for a program that does not answer, neither in a match
// nor when it starts. Nothing of the program is left, and the same command goes on to
// the bytes of a run that nobody has interrupted.
func TestInterruptHangingBot(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	rules := filepath.Join(t.TempDir(), "short.toml")
	if err := os.WriteFile(rules, []byte("base = \"tenhou\"\nmax_hands = 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		verb   string
		total  int    // matches
		kind   string // of the line that is not answered
		match  int    // from which on, of those of a process
		signal syscall.Signal
	}{
		{"play", 16, "tsumo", 3, syscall.SIGINT},
		{"play", 16, "start_game", 1, syscall.SIGTERM},
		{"tournament run", 12, "tsumo", 2, syscall.SIGTERM},
	} {
		t.Run(fmt.Sprint(c.verb, " ", c.kind), func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			bot := "mjai:timeout=100s startup=100s sh testdata/hanging_bot.sh '" + folder + "'"
			args := func(dir string) []string {
				args := append(strings.Fields(c.verb), "--ruleset", rules, "--workers", "1", "--quiet", "--out", dir)
				if c.verb == "play" {
					return append(args, "--matches", fmt.Sprint(c.total), "--agent", bot, "--agent", "tsumogiri", "--agent", "tsumogiri", "--agent", "tsumogiri")
				}
				return append(args, "--rounds", "1", "--agent", "bot="+bot, "--agent", "tsumogiri")
			}
			whole, dir := filepath.Join(folder, "whole"), filepath.Join(folder, "stopped")
			if _, errOut, status := sparrowhall(t, "", args(whole)...); status != statusOK {
				t.Fatalf("status %d: %s", status, errOut)
			}

			hang, alive := filepath.Join(folder, "hang"), filepath.Join(folder, "alive")
			if err := os.WriteFile(hang, fmt.Appendf(nil, "%s\n%d\n", c.kind, c.match), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(alive, 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(exe, args(dir)...)
			cmd.Env = append(os.Environ(), asCommand+"=1")
			var errOut strings.Builder
			cmd.Stderr = &errOut
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Process.Kill()
			hanging := make(chan *os.File, 1)
			go func() {
				f, err := os.Open(alive) // waits for the program to open it
				if err != nil {
					t.Error(err)
				}
				hanging <- f
			}()
			var running *os.File
			select {
			case running = <-hanging:
				defer running.Close()
			case <-time.After(poll.Patience):
				t.Fatal("the program does not hang")
			}
			began := time.Now()
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			if took := time.Since(began); took > poll.Patience {
				t.Errorf("the run ended %v after the interrupt", took)
			}
			if text := errOut.String(); cmd.ProcessState.ExitCode() != statusSignal+int(c.signal) || !interruptedSuffix(c.total).MatchString(text) || strings.Count(text, "\n") != 1 {
				t.Errorf("%v, err %q", cmd.ProcessState, text)
			}
			if err := running.SetReadDeadline(time.Now().Add(poll.Patience)); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(running); err != nil {
				t.Errorf("the program still runs: %v", err)
			}

			if err := os.Remove(hang); err != nil {
				t.Fatal(err)
			}
			if _, errOut, status := sparrowhall(t, "", args(dir)...); status != statusOK || errOut != "" {
				t.Errorf("continued: status %d: %s", status, errOut)
			}
			if diff := cmp.Diff(files(t, whole), files(t, dir)); diff != "" {
				t.Error("continued: the bytes differ")
			}
		})
	}
}
