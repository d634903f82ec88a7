package law

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestTemporaryNames finds fixed names of temporary files: where others may write, one of them could
// be a link to any file of the user. internal/tempdir has random ones, in Python sparrowhall._files.
func TestTemporaryNames(t *testing.T) {
	fixed, read := regexp.MustCompile(`\.(tmp|temp|new|bak)["']`), 0
	eachFile(t, func(rel string) bool { return within(rel, "python/src") && path.Ext(rel) == ".py" }, func(rel string, text []byte) {
		read++
		if name := fixed.Find(text); name != nil {
			t.Errorf("%s: a name that ends in %s is that of a temporary file; sparrowhall._files writes by a random name", rel, name)
		}
	})
	if read == 0 {
		t.Error("no file in Python is read")
	}
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
