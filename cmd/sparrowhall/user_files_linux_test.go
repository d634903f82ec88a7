package main

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fileFlags are the command lines that read a file which the user names. %s is the file.
func fileFlags(t *testing.T) [][]string {
	dir := mustPlayTo(t, "data", "--matches", "1", "--agents", fast)
	return [][]string{
		{"report", "merge", "%s"},
		{"serve", "--token-file", "%s", "--listen", "127.0.0.1:0"},
		{"serve", "--tls-cert", "%s", "--tls-key", "%s", "--listen", "127.0.0.1:0"},
		{"play", "--matches", "1", "--out", filepath.Join(t.TempDir(), "out"), "--sign", "%s"},
		{"play", "merge", "--out", filepath.Join(t.TempDir(), "out"), "--sign", "%s", dir},
		{"play", "merge", "--out", filepath.Join(t.TempDir(), "out"), "--seal-file", "%s", dir},
		{"verify", dir, "--key", "%s"},
		{"verify", dir, "--seal-file", "%s"},
		{"replay", dir, "--match", "0", "--seal-file", "%s"},
		{"train", "fit", "--out", "x", "--from", "%s"},
		{"train", "steps", "%s"},
		{"import", "tenhou", "%s"},
		{"play", "--ruleset", "%s"},
		{"rules", "check", "%s"},
		{"rules", "show", "%s"},
		{"rules", "diff", "tenhou", "%s"},
		{"sweep", "--ruleset", "%s", "--knob", "multi_win"},
		{"sweep", "--variant", "%s"},
		{"train", "fit", "--ruleset", "%s", "--out", "x"},
	}
}

// runOn runs a command line on a file.
func runOn(ctx context.Context, args []string, file string) (errOut string, status int) {
	line := make([]string, len(args))
	for i, a := range args {
		line[i] = strings.ReplaceAll(a, "%s", file)
	}
	var out, e strings.Builder
	status = run(ctx, line, strings.NewReader(""), &out, &e)
	return e.String(), status
}

// A file without an end is refused; it does not fill the memory.
func TestEndlessFiles(t *testing.T) {
	for _, args := range fileFlags(t) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		errOut, status := runOn(t.Context(), args, "/dev/zero")
		runtime.ReadMemStats(&after)
		if status == statusOK || errOut == "" {
			t.Errorf("%v: status %d, err %q", args, status, errOut)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<30 {
			t.Errorf("%v: %d bytes were allocated", args, n)
		}
	}
}

// The first interrupt ends a command that waits for the writer of a named pipe.
func TestPipeWithoutWriter(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range fileFlags(t) {
		ctx, interrupt := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, interrupt)
		began := time.Now()
		errOut, status := runOn(ctx, args, pipe)
		if took := time.Since(began); status != statusFailure || errOut == "" || took > 30*time.Second {
			t.Errorf("%v: status %d after %v, err %q", args, status, took, errOut)
		}
	}
}
