package law

import (
	"go/ast"
	"maps"
	"slices"
	"testing"
)

// loops are the files outside sim that ask a table themselves which players must answer, with the
// reason why [sim.Table.RestOfHand] does not do. A loop of its own would decide by itself what an
// illegal answer means and when a hand has ended.
var loops = map[string]string{
	"env/internal/tables/table.go":              "a client answers later: the round ends where its players are asked",
	"internal/table/sitting.go":                 "people at one decision point are asked at the same time",
	"internal/table/seat.go":                    "their answers come from the journal by the place of the player among them",
	"internal/analysis/whatif/whatif.go":        "tables under several rules take a step together, from the record of one",
	"internal/analysis/whatif/follow.go":        "it compares who is asked at two tables",
	"internal/insight/policydiff/policydiff.go": "tables under several rules take a step together, by the answers at one",
	"sim/record/replay.go":                      "the answers of a decision point are looked up among foreign events",
	"tools/fitting/belief_samples.go":           "one claim window is closed, not a hand played",
}

// abilities are what an agent may do besides Act. An assertion misses them in an agent that stands
// for another; see [sim.As].
var abilities = map[string][]string{
	"sim": {"Starter", "Listener", "Failer", "Interrupter", "Explainer", "Adviser", "Tunable"},
	"io":  {"Closer"},
}

// TestOneLoop checks that one loop plays tables, and that one function finds the abilities of agents.
func TestOneLoop(t *testing.T) {
	found := map[string]bool{}
	for _, f := range sourceFiles(t) {
		if f.isTest() || f.folder == "sim" {
			continue
		}
		name := f.folder + "/" + f.name
		ability := func(e ast.Expr) {
			if s, ok := e.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && slices.Contains(abilities[x.Name], s.Sel.Name) {
					t.Errorf("%s: type assertion to %s.%s; use sim.As, which finds it in a wrapped agent too", f.fset.Position(e.Pos()), x.Name, s.Sel.Name)
				}
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Asked" && len(n.Args) == 0 {
					found[name] = true
				}
			case *ast.TypeAssertExpr:
				ability(n.Type)
			case *ast.TypeSwitchStmt:
				for _, c := range n.Body.List {
					for _, e := range c.(*ast.CaseClause).List {
						ability(e)
					}
				}
			}
			return true
		})
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if loops[name] == "" {
			t.Errorf("%s calls Asked: play by sim.Table.RestOfHand and sim.Ask, or list it in loops with the reason", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(loops)) {
		if !found[name] {
			t.Errorf("%s does not call Asked: take it out of loops", name)
		}
	}
}
