package law

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// TestTemporaryNames finds fixed names of temporary files: where others may write, one of them could
// be a link to any file of the user. internal/tempdir has random ones.
func TestTemporaryNames(t *testing.T) {
	for _, f := range sourceFiles(t) {
		// The folder of a dataset is locked, and its writer removes what is there under the name.
		if f.isTest() || f.folder == "export/dataset" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			l, ok := n.(*ast.BasicLit)
			if !ok || l.Kind != token.STRING {
				return true
			}
			text, _ := strconv.Unquote(l.Value)
			for _, end := range []string{".tmp", ".temp", ".new", ".bak"} {
				if strings.HasSuffix(text, end) {
					t.Errorf("%s: %s names a temporary file; internal/tempdir writes by a random name", f.fset.Position(l.Pos()), l.Value)
				}
			}
			return true
		})
	}
}
