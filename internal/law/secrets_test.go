package law

import (
	"go/ast"
	"slices"
	"testing"
)

// sealFolder is the package that makes the secrets of sealed runs.
const sealFolder = "internal/export/seal"

// secretMakers are the functions of that package in which a secret comes to be: drawn from the
// system's generator, or read from where it was stored.
var secretMakers = []string{"New", "Parse"}

// TestSecrets checks that the secret of a sealed run is made of 32 bytes of the system's generator
// alone: nothing else makes one, and the package knows no other generator.
func TestSecrets(t *testing.T) {
	made := []string{}
	for _, f := range sourceFiles(t) {
		if f.isTest() || f.folder == "sim" { // where the type is declared
			continue
		}
		for _, i := range f.ast.Imports {
			if f.folder == sealFolder && (i.Path.Value == `"math/rand/v2"` || i.Path.Value == `"math/rand"`) {
				t.Errorf("%s: %s imports %s; secrets come from crypto/rand", f.fset.Position(i.Pos()), sealFolder, i.Path.Value)
			}
		}
		for _, decl := range f.ast.Decls {
			name, random := "", false
			if d, ok := decl.(*ast.FuncDecl); ok {
				name = d.Name.Name
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				call, isCall := n.(*ast.CallExpr)
				random = random || isCall && isSelector(call.Fun, "rand", "Read")
				var kind ast.Expr
				switch n := n.(type) {
				case *ast.CompositeLit:
					kind = n.Type
				case *ast.CallExpr: // a conversion, or new
					kind = ast.Unparen(n.Fun)
					if id, ok := kind.(*ast.Ident); ok && id.Name == "new" && len(n.Args) == 1 {
						kind = n.Args[0]
					}
				}
				if star, ok := kind.(*ast.StarExpr); ok {
					kind = star.X
				}
				if kind == nil || !isSelector(kind, "sim", "Secret") {
					return true
				}
				if f.folder != sealFolder || !slices.Contains(secretMakers, name) {
					t.Errorf("%s: %s makes a sim.Secret; seal.New draws one", f.fset.Position(n.Pos()), name)
				}
				made = append(made, name)
				return true
			})
			if f.folder == sealFolder && name == "New" && (!random || len(decl.(*ast.FuncDecl).Type.Params.List) > 0) {
				t.Errorf("%s.New draws its secret from crypto/rand, and has no parameter that could decide it", sealFolder)
			}
		}
	}
	slices.Sort(made)
	if made = slices.Compact(made); !slices.Equal(made, secretMakers) {
		t.Errorf("secrets are made in %v; the list says %v", made, secretMakers)
	}
}
