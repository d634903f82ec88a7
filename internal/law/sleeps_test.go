package law

import (
	"go/ast"
	"testing"
)

// sleeps is a statement of policy: the tests that call time.Sleep outside a bubble of
// testing/synctest, how often, and why no condition stands in their place. A test that waits for
// something uses internal/testkit/poll.
var sleeps = map[string]struct {
	calls  int
	reason string
}{
	"cmd/sparrowhall/hostile_test.go":                         {5, "measures the rates of a server for spans of time"},
	"cmd/sparrowhall/interrupt_test.go":                       {1, "gives a program that should have ended time to show itself"},
	"env/follow_test.go":                                      {1, "polls the threads of the process, and fails with their list"},
	"env/gate_test.go":                                        {3, "clients and agents that are slow, which is what the server is tried with"},
	"env/idle_test.go":                                        {2, "real connections are silent, which no fake clock governs"},
	"env/internal/fairqueue/queue_test.go":                    {1, "the work that the queue shares, in bubbles and in a benchmark"},
	"env/local_test.go":                                       {1, "the file has to be closed soon, long before the server is idle"},
	"env/server_test.go":                                      {2, "an honest client that acts at a pace beside hostile ones"},
	"export/dataset/writer_test.go":                           {1, "workers of random speed, whose results must keep their order"},
	"internal/agents/outside/bots_test.go":                    {2, "external agents that do not answer"},
	"internal/agents/outside/grpc_test.go":                    {1, "an external agent that answers late"},
	"internal/table/load_test.go":                             {2, "people who think, in a measurement of delays"},
	"internal/table/review_test.go":                           {1, "reads a page that asks to be read again later"},
	"internal/table/seat_test.go":                             {1, "the clock of a page that connects later has to have run"},
	"internal/table/site_test.go":                             {1, "a client that reads nothing for longer than the server waits"},
	"internal/agents/outside/guard/watch/group_linux_test.go": {1, "polls processes until a deadline that is part of the case"},
	"internal/agents/outside/hostile_linux_test.go":           {11, "hostile programs that hang or write slowly"},
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

// isSelector reports whether an expression is a name of a package.
func isSelector(e ast.Expr, pkg, name string) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != name {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == pkg
}
