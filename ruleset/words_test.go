package ruleset_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// TestWords reads the files knobwords.go as the compiler does. Each constant has a comment with
// its word and its meaning, and the knobs of a type take the words of its constants, in their order.
func TestWords(t *testing.T) {
	words := map[string][]ruleset.Word{} // by type
	for _, f := range configs.Families {
		fields := reflect.VisibleFields(reflect.TypeOf(f.New()).Elem())
		for _, k := range f.Knobs(f.NewThree()) {
			i := slices.IndexFunc(fields, func(v reflect.StructField) bool { return v.Tag.Get("knob") == k.Key })
			words[fields[i].Type.String()] = k.Words
		}
	}
	words["ruleset.PointsCurve"] = words["ruleset.PointsTable"]
	families, err := filepath.Glob("*/knobwords.go")
	if err != nil || len(families) < 4 {
		t.Fatal(families, err)
	}
	for _, path := range append(families, "knobwords.go") {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			name := file.Name.Name + "." + group.Specs[0].(*ast.ValueSpec).Type.(*ast.Ident).Name
			var want []ruleset.Word
			for _, s := range group.Specs {
				row := s.(*ast.ValueSpec)
				text, meaning, ok := strings.Cut(strings.TrimSpace(row.Comment.Text()), ": ")
				if !ok || strings.Contains(text, " ") {
					t.Errorf("%s: %s has no comment with its word and meaning", path, row.Names[0].Name)
				}
				want = append(want, ruleset.Word{Text: text, Meaning: meaning})
			}
			if diff := cmp.Diff(want, words[name]); diff != "" {
				t.Errorf("%s (-constants +words):\n%s", name, diff)
			}
		}
	}
}
