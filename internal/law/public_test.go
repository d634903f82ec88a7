package law

import (
	"go/ast"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
)

// public is the packages that Go programs outside this module can import: what a caller
// needs who plays, scores, observes, records and reads mahjong in Go. All else is below an internal
// folder. A package is added here with a reason, such as a caller outside the module. The packages
// of [configs.Families] are public too, and not listed.
var public = []string{
	"agents", "configs", "env", "env/client", "export/dataset", "export/schema",
	"proto", "proto/sparrowhall/agent/v1", "proto/sparrowhall/env/v1",
	"ruleset", "ruleset/cases", "ruleset/hand", "ruleset/tile",
	"sim", "sim/observe", "sim/record",
}

// maxPublicNames is the most exported names of public packages, methods and fields of exported
// types included and compiled code left out. It only falls: every one is a promise to callers.
// Families, knobs and the words of knobs are left out: they are what ruleset files can say.
const maxPublicNames = 1593

// TestPublic checks which packages can be imported, and how many names they export.
func TestPublic(t *testing.T) {
	var found []string
	names := 0
	families := map[string]bool{}
	for _, f := range configs.Families {
		families["ruleset/"+f.Name] = true
	}
	for _, f := range sourceFiles(t) {
		if f.isTest() || f.ast.Name.Name == "main" || within(f.folder, "internal", "env/internal", "ruleset/internal", "tools") || families[f.folder] {
			continue
		}
		if !slices.Contains(found, f.folder) {
			found = append(found, f.folder)
		}
		if !ast.IsGenerated(f.ast) && f.name != "knobwords.go" {
			names += countExported(f.ast)
		}
	}
	slices.Sort(found)
	if !slices.Equal(found, public) {
		t.Errorf("public packages: %v, want %v", found, public)
	}
	if names != maxPublicNames {
		t.Errorf("public packages export %d names, the ceiling is %d; lower it, or move what no caller needs", names, maxPublicNames)
	}
}

// countExported returns the number of exported names that a file declares.
func countExported(f *ast.File) (n int) {
	count := func(names ...*ast.Ident) {
		for _, name := range names {
			if name.IsExported() {
				n++
			}
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || receiver(d).IsExported() {
				count(d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					count(spec.Names...)
				case *ast.TypeSpec:
					count(spec.Name)
					if s, ok := spec.Type.(*ast.StructType); ok && spec.Name.IsExported() {
						for _, field := range s.Fields.List {
							if !isKnob(field) {
								count(field.Names...)
							}
						}
					}
				}
			}
		}
	}
	return n
}

// isKnob reports whether a field of a struct is a knob.
func isKnob(field *ast.Field) bool {
	if field.Tag == nil {
		return false
	}
	tag, err := strconv.Unquote(field.Tag.Value)
	_, ok := reflect.StructTag(tag).Lookup("knob")
	return err == nil && ok
}

// receiver returns the name of the type of a method.
func receiver(d *ast.FuncDecl) *ast.Ident {
	e := d.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x
		}
	}
}
