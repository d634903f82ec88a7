package law

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestPackageComments(t *testing.T) {
	comments := map[string]int{}
	for _, f := range sourceFiles(t) {
		if f.isTest() {
			continue
		}
		comments[f.folder] += 0
		if f.ast.Doc != nil {
			comments[f.folder]++
		}
	}
	for folder, n := range comments {
		if n != 1 {
			t.Errorf("%s: %d package comments, want 1", folder, n)
		}
	}
}

// TestExportedComments checks that every name which a caller outside the module can use has a
// comment: types, functions, methods, constants, variables, fields of structs and
// methods of interfaces. A comment on a group or at the end of a line counts. A
// field is also described by a tag doc, by a type of the same name, by a comment of its
// struct that has the words of its name, or where it follows, without an empty line
// between, a field with a comment for both.
func TestExportedComments(t *testing.T) {
	names := 0
	for _, f := range sourceFiles(t) {
		if f.isTest() || ast.IsGenerated(f.ast) || !slices.Contains(public, f.folder) {
			continue
		}
		ask := func(name string, comments ...*ast.CommentGroup) {
			names++
			for _, c := range comments {
				if strings.TrimSpace(c.Text()) != "" {
					return
				}
			}
			t.Errorf("%s/%s: %s has no comment", f.folder, f.name, name)
		}
		for _, decl := range f.ast.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				receiver := receiverOf(d)
				if d.Name.IsExported() && (receiver == "" || ast.IsExported(receiver)) {
					ask(strings.TrimPrefix(receiver+"."+d.Name.Name, "."), d.Doc)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						if !s.Name.IsExported() {
							continue
						}
						ask(s.Name.Name, s.Doc, s.Comment, d.Doc)
						switch u := s.Type.(type) {
						case *ast.StructType:
							askFields(f, s.Name.Name, u.Fields, ask, s.Doc, d.Doc)
						case *ast.InterfaceType:
							askFields(f, s.Name.Name, u.Methods, ask, s.Doc, d.Doc)
						}
					case *ast.ValueSpec:
						for _, name := range s.Names {
							if name.IsExported() {
								ask(name.Name, s.Doc, s.Comment, d.Doc)
							}
						}
					}
				}
			}
		}
	}
	if names < 1000 {
		t.Errorf("only %d names found", names)
	}
}

// word is a part of a name in mixed case.
var word = regexp.MustCompile(`[A-Z]+[a-z0-9]*`)

// askFields asks for the comments of the exported fields of a struct, or of the
// methods of an interface, that has the comments given.
func askFields(f sourceFile, of string, fields *ast.FieldList, ask func(string, ...*ast.CommentGroup), about ...*ast.CommentGroup) {
	told := ""
	for _, c := range about {
		told += strings.ToLower(c.Text())
	}
	isTold := func(name string) bool {
		for _, w := range word.FindAllString(name, -1) {
			if !strings.Contains(told, strings.ToLower(w)) {
				return false
			}
		}
		return true
	}
	line := func(p token.Pos) int { return f.fset.Position(p).Line }
	var above *ast.Field // the last field with a comment, if only fields stand between
	last := 0
	for _, field := range fields.List {
		if above != nil && line(field.Pos()) != last+1 {
			above = nil
		}
		last = line(field.End())
		if field.Doc != nil {
			above = field
		}
		for _, name := range field.Names {
			described := field.Tag != nil && strings.Contains(field.Tag.Value, ` doc:"`)
			if !name.IsExported() || described || isTold(name.Name) || nameOf(field.Type) == name.Name {
				continue
			}
			comments := []*ast.CommentGroup{field.Doc, field.Comment}
			if above != nil {
				comments = append(comments, above.Doc)
			}
			ask(of+"."+name.Name, comments...)
		}
	}
}

// receiverOf returns the name of the type that a method belongs to, or "".
func receiverOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	return nameOf(d.Recv.List[0].Type)
}

// nameOf returns the name of a type without its package, or "".
func nameOf(expr ast.Expr) string {
	for {
		switch e := expr.(type) {
		case *ast.StarExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		case *ast.SelectorExpr:
			return e.Sel.Name
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}
