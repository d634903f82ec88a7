package law

import (
	"go/ast"
	"slices"
	"testing"
)

// public is the packages that Go programs outside this module can import: what a caller
// needs who plays, scores, observes, records and reads mahjong in Go. All else is below an internal
// folder. A package is added here with a reason, such as a caller outside the module.
var public = []string{
	"agents", "configs", "env", "env/client", "export/dataset", "export/schema",
	"proto", "proto/sparrowhall/agent/v1", "proto/sparrowhall/env/v1",
	"ruleset", "ruleset/cases", "ruleset/hand", "ruleset/hkos", "ruleset/hktw", "ruleset/mcr", "ruleset/riichi", "ruleset/taiwanese", "ruleset/tile", "ruleset/zungjung",
	"sim", "sim/observe", "sim/record",
}

// maxPublicNames is the most exported names of public packages, methods and fields of exported
// types included and compiled code left out. It only falls: every one is a promise to callers.
const maxPublicNames = 2231

// TestPublic checks which packages can be imported, and how many names they export.
func TestPublic(t *testing.T) {
	var found []string
	names := 0
	for _, f := range sourceFiles(t) {
		if f.isTest() || f.ast.Name.Name == "main" || within(f.folder, "internal", "env/internal", "tools") {
			continue
		}
		if !slices.Contains(found, f.folder) {
			found = append(found, f.folder)
		}
		if !ast.IsGenerated(f.ast) {
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
							count(field.Names...)
						}
					}
				}
			}
		}
	}
	return n
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
