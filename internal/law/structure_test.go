package law

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
)

// maxLines is how many lines of code a package may have, tests and generated code left out,
// without a reason in CONTRIBUTING.md.
const maxLines = 4000

// TestSizes checks that every package above maxLines has a row with its reason in the table
// of CONTRIBUTING.md, and that the table has no other rows.
func TestSizes(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "| large package | why it is one package |")
	if !ok {
		t.Fatal("CONTRIBUTING.md has no table of large packages")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(table, -1) {
		listed[m[1]] = true
	}
	lines := map[string]int{}
	for _, f := range sourceFiles(t) {
		if !f.isTest() && !ast.IsGenerated(f.ast) {
			lines[f.folder] += f.fset.File(f.ast.Pos()).LineCount()
		}
	}
	for folder, n := range lines {
		if n > maxLines && !listed[folder] {
			t.Errorf("%s has %d lines: split it, or give the reason in CONTRIBUTING.md", folder, n)
		}
		if n <= maxLines && listed[folder] {
			t.Errorf("CONTRIBUTING.md lists %s as large; it has %d lines", folder, n)
		}
	}
}

// maxCode is the most lines of Go in the repository that are neither blank nor a comment, tests
// and compiled code left out. It falls when code is merged or deleted; what has raised it
// is in CONTRIBUTING.md.
const maxCode = 94_377

// TestCode checks the ceiling of lines.
func TestCode(t *testing.T) {
	n := 0
	for _, f := range sourceFiles(t) {
		if f.isTest() || ast.IsGenerated(f.ast) && strings.HasSuffix(f.name, ".pb.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, f.folder, f.name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				n++
			}
		}
	}
	if n > maxCode {
		t.Errorf("%d lines of code, the ceiling is %d", n, maxCode)
	}
}

// TestFamilies checks that no code outside the packages of families, presets and forms of
// records compares the name of a family: what differs is a method of its Scorer, a knob or
// one of its Traits.
func TestFamilies(t *testing.T) {
	isFamily := func(e ast.Expr) bool {
		s, ok := e.(*ast.SelectorExpr)
		return ok && s.Sel.Name == "Family"
	}
	isText := func(e ast.Expr) bool {
		l, ok := e.(*ast.BasicLit)
		return ok && l.Value != `""`
	}
	for _, f := range sourceFiles(t) {
		if f.isTest() || within(f.folder, "sim/record", "internal/record", "tools") {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if n.Op != token.ADD && (isFamily(n.X) && isText(n.Y) || isFamily(n.Y) && isText(n.X)) {
					t.Errorf("%s compares the name of a family", f.fset.Position(n.Pos()))
				}
			case *ast.SwitchStmt:
				if n.Tag != nil && isFamily(n.Tag) {
					t.Errorf("%s switches on the name of a family", f.fset.Position(n.Pos()))
				}
			}
			return true
		})
	}
}

// TestFamilyPages checks that the pages which list the families have all of them.
func TestFamilyPages(t *testing.T) {
	for file, entry := range map[string]string{
		"mkdocs.yml":        ": rules/NAME.md\n",
		"README.md":         "](docs/rules/NAME.md)",
		"README.zh-Hant.md": "](docs/rules/NAME.md)",
		"docs/rulesets.md":  "](rules/NAME.md)",
	} {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range configs.Families {
			if want := strings.ReplaceAll(entry, "NAME", f.Name); !strings.Contains(string(text), want) {
				t.Errorf("%s does not have family %s: %q", file, f.Name, want)
			}
		}
	}
}
