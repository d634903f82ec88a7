package law

import (
	"go/ast"
	"slices"
	"testing"
)

// listening is what package admission alone may use: by it clients that are silent, slow or many are
// kept from shutting others out.
var listening = map[string][]string{
	"net":     {"Listen", "ListenTCP", "ListenUnix", "ListenConfig"},
	"http":    {"Server", "Serve", "ServeTLS", "ListenAndServe", "ListenAndServeTLS"},
	"netutil": {"LimitListener"},
	"tls":     {"Listen"},
}

// TestListeners checks that all listeners and servers are those of package admission. A type in a
// signature is no server.
func TestListeners(t *testing.T) {
	for _, f := range sourceFiles(t) {
		if f.isTest() || f.folder == "internal/admission" {
			continue
		}
		check := func(e ast.Expr) {
			if s, ok := e.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && slices.Contains(listening[x.Name], s.Sel.Name) {
					t.Errorf("%s: %s.%s; use package admission", f.fset.Position(e.Pos()), x.Name, s.Sel.Name)
				}
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				check(n.Fun)
			case *ast.CompositeLit:
				check(n.Type)
			case *ast.ValueSpec:
				check(n.Type)
			}
			return true
		})
	}
}
