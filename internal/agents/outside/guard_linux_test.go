package outside_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/agents/outside/guard/watch"
)

// A program that is started for each request has a guard each time, so a guard must
// not make the tables of the rules first. Packages are set up in the order of their
// names as far as their imports allow, so that one import too many puts it last.
func TestGuardIsThereBeforeTheRules(t *testing.T) {
	program, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	end, lifeline, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer end.Close()
	defer lifeline.Close()
	var traced bytes.Buffer
	cmd := exec.Cmd{
		Path:   "/proc/self/exe",
		Args:   []string{watch.Name, "0", "0", "0", "", program, "true"},
		Env:    []string{"GODEBUG=inittrace=1"},
		Stderr: &traced,
		// The verdict is not asked for.
		ExtraFiles: []*os.File{end, os.Stderr},
	}
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, traced.String())
	}
	if !strings.Contains(traced.String(), "init os @") {
		t.Fatalf("nothing was traced: %s", traced.String())
	}
	for line := range strings.Lines(traced.String()) {
		if strings.Contains(line, "sparrowhall/ruleset") {
			t.Errorf("set up before the guard: %s", line)
		}
	}
}
