package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
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

// Records of 4 MB whose members become hundreds of megabytes leave import below 400 MB, however many
// there are and whatever the number of workers.
func TestImportMemory(t *testing.T) {
	const mostBytes = 400e6
	for format, parts := range map[string][3]string{
		"mahjongsoul": {"[", "{},", "{}]"},
		"majiang":     {`{"title":[`, `{"":0},`, "0]}"},
	} {
		text := parts[0] + strings.Repeat(parts[1], (4<<20-100)/len(parts[1])) + parts[2]
		dir := t.TempDir()
		for n := range 4 {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(n, ".json")), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.CommandContext(t.Context(), os.Args[0], "import", format, dir, "--workers", "4", "--quiet", "--partial")
		cmd.Env = append(os.Environ(), asCommand+"=1")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		go func() { ended <- cmd.Wait() }()
		most := 0
		for running := true; running; {
			select {
			case <-ended:
				running = false
			case <-time.After(10 * time.Millisecond): // Maxrss would be that of the process which starts it
				most = max(most, peakMemory(cmd.Process.Pid))
			}
		}
		if code := cmd.ProcessState.ExitCode(); code != statusFailure || !strings.Contains(out.String(), "4 of 4 records were left out") {
			t.Errorf("%s: status %d: %.500s", format, code, &out)
		}
		if t.Logf("%s: %d MB", format, most/1e6); most == 0 || most > mostBytes {
			t.Errorf("%s: %d bytes", format, most)
		}
	}
}
