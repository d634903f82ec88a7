package ruleset_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

//go:generate go test -run ^TestKnobTables$ . -update

var update = flag.Bool("update", false, "rewrite the tables of the words of knobs")

// TestKnobTables holds that knobtable.go of each family, and the shared one, is
// made of the rows of knobwords.go: a constant with a comment "word: meaning".
func TestKnobTables(t *testing.T) {
	families, err := filepath.Glob("*/knobwords.go")
	if err != nil || len(families) < 4 {
		t.Fatal(families, err)
	}
	for _, words := range append(families, "knobwords.go") {
		path := filepath.Join(filepath.Dir(words), "knobtable.go")
		want := knobTable(t, words)
		got, err := os.ReadFile(path)
		if err == nil && bytes.Equal(got, want) {
			continue
		}
		if !*update {
			t.Errorf("%s is not what the rows of knobwords.go make: go generate ./ruleset", path)
			continue
		}
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// knobTable returns the methods Words of the types of a file, and the table of the words
// that they return, both with a line for each type.
func knobTable(t *testing.T, path string) []byte {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var b, rows bytes.Buffer
	n := 0
	fmt.Fprintf(&b, "// Code generated from knobwords.go. DO NOT EDIT.\n\npackage %s\n", file.Name.Name)
	qualifier := ""
	if file.Name.Name != "ruleset" {
		qualifier = "ruleset."
		b.WriteString("\nimport \"github.com/sparrowhall/sparrowhall/ruleset\"\n")
	}
	b.WriteByte('\n')
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		name := group.Specs[0].(*ast.ValueSpec).Type.(*ast.Ident).Name
		var words strings.Builder
		for _, s := range group.Specs {
			row := s.(*ast.ValueSpec)
			word, meaning, ok := strings.Cut(strings.TrimSpace(row.Comment.Text()), ": ")
			if !ok || strings.ContainsAny(word, " ") {
				t.Fatalf("%s: %s has no comment with its word and meaning", path, row.Names[0].Name)
			}
			fmt.Fprintf(&words, "{Text: %q, Meaning: %q}, ", word, meaning)
		}
		fmt.Fprintf(&b, "func (%s) Words() []%sWord { return words[%d] }\n", name, qualifier, n)
		fmt.Fprintf(&rows, "{%s},\n", strings.TrimSuffix(words.String(), ", "))
		n++
	}
	fmt.Fprintf(&b, "\nvar words = [...][]%sWord{\n%s}\n", qualifier, rows.String())
	text, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return text
}
