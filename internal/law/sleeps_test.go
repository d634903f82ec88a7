package law

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sleeps is a statement of policy: the tests that call time.Sleep outside a bubble of
// testing/synctest, how often, and why no condition stands in their place. A test that waits for
// something uses internal/testkit/poll.
var sleeps = map[string]struct {
	calls  int
	reason string
}{
	"cmd/sparrowhall/faults_linux_test.go":          {7, "slow clients, and moments of faults, which follow from a seed"},
	"cmd/sparrowhall/hostile_test.go":               {1, "measures the rates of a server for spans of time"},
	"cmd/sparrowhall/siege_test.go":                 {2, "bots that take time for a decision, and measured spans of time"},
	"env/gate_test.go":                              {1, "agents that are slow, which is what the server is tried with"},
	"env/idle_test.go":                              {2, "real connections are silent, which no fake clock governs"},
	"env/internal/fairqueue/queue_test.go":          {1, "the work that the queue shares, in bubbles and in a benchmark"},
	"internal/agents/outside/bots_test.go":          {1, "external agents that do not answer: processes of their own, which end at last"},
	"internal/agents/outside/hostile_linux_test.go": {1, "a hostile program that writes slowly"},
	"internal/table/load_test.go":                   {2, "people who think, in a measurement of delays"},
}

// TestSleeps finds tests that sleep: what should have happened then has not on a busy machine.
func TestSleeps(t *testing.T) {
	found := map[string]int{}
	for _, f := range sourceFiles(t) {
		if !f.isTest() {
			continue
		}
		var bubbles []ast.Node
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && isSelector(call.Fun, "synctest", "Test") {
				bubbles = append(bubbles, n)
			}
			return true
		})
		ast.Inspect(f.ast, func(n ast.Node) bool {
			for _, b := range bubbles {
				if n == b {
					return false
				}
			}
			if sel, ok := n.(*ast.SelectorExpr); ok && isSelector(sel, "time", "Sleep") {
				found[f.folder+"/"+f.name]++
			}
			return true
		})
	}
	for file, n := range found {
		if n > sleeps[file].calls {
			t.Errorf("%s calls time.Sleep %d times, %d are listed: wait by poll.Until or testing/synctest, or give a reason in sleeps", file, n, sleeps[file].calls)
		}
	}
	for file, s := range sleeps {
		if found[file] < s.calls || s.calls == 0 {
			t.Errorf("%s calls time.Sleep %d times, %d are listed in sleeps", file, found[file], s.calls)
		}
	}
}

// TestPythonWaits finds Python tests that sleep or read the clock. One that waits for something
// uses wait_until of conftest.py, which alone does both.
func TestPythonWaits(t *testing.T) {
	dir := filepath.Join(root, "python", "tests")
	files, err := filepath.Glob(filepath.Join(dir, "*.py"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no Python tests: %v", err)
	}
	clock := regexp.MustCompile(`\btime\.(sleep|time|monotonic|perf_counter|process_time)\b|from time import`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			if clock.MatchString(line) && filepath.Base(file) != "conftest.py" {
				t.Errorf("%s:%d: wait by wait_until of conftest.py: %s", file, n+1, strings.TrimSpace(line))
			}
		}
	}
}

// isSelector reports whether an expression is a name of a package.
func isSelector(e ast.Expr, pkg, name string) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != name {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == pkg
}

// TestMonotonic keeps what docs/reliability.md says of steps of the clock: a time that has been through
// Unix seconds or a text has lost the monotonic clock, and a duration from it changes with the step.
func TestMonotonic(t *testing.T) {
	lost := []string{"Unix", "UnixNano", "UnixMilli", "UnixMicro"}
	for _, f := range sourceFiles(t) {
		if f.isTest() {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains(lost, s.Sel.Name) {
				t.Errorf("%s: %s; measure by time.Since of a time.Time", f.fset.Position(n.Pos()), s.Sel.Name)
			}
			return true
		})
	}
}
