// Prose extracts the sentences that users and callers read, for a prose linter. These are
// comments of exported names and packages, help texts, error messages, docstrings of the
// Python package, and pages but for the changelog and translations. It writes a Markdown file
// for each source file. Every sentence keeps its line, so that the linter reports places of
// the source.
//
//	go -C tools run ./prose FOLDER
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: prose FOLDER")
	}
	if err := extract("..", os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// extract writes a Markdown file into folder for every file below root that has sentences.
func extract(root, folder string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if rel != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"testdata", "node_modules", "_proto", "tests", "zh-Hant", "examples", "benchmarks"}, d.Name())) {
				return fs.SkipDir
			}
			return nil
		}
		var lines page
		switch {
		case strings.HasSuffix(rel, ".pb.go"), strings.HasSuffix(rel, "_test.go"):
			return nil
		case strings.HasSuffix(rel, ".go"):
			lines, err = fromGo(path)
		case strings.HasSuffix(rel, ".py"):
			lines, err = fromPython(path)
		case rel == "CHANGELOG.md", strings.HasSuffix(rel, ".zh-Hant.md"):
			return nil
		case strings.HasSuffix(rel, ".md"):
			lines, err = fromPage(path)
		default:
			return nil
		}
		if err != nil || len(lines) == 0 {
			return err
		}
		name := filepath.Join(folder, rel+".md")
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		return os.WriteFile(name, []byte(lines.String()), 0o666)
	})
}

// page holds text by line numbers of the source, which count from 1.
type page map[int]string

func (p page) String() string {
	last := 0
	for n := range p {
		last = max(last, n)
	}
	var b strings.Builder
	for n := 1; n <= last; n++ {
		b.WriteString(p[n])
		b.WriteByte('\n')
	}
	return b.String()
}

// add puts a text of one or more lines at line n. Lines of examples, which are indented,
// are left out.
func (p page) add(n int, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if indented := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "  "); !indented {
			// A colon before a list or an example ends the sentence.
			if strings.HasSuffix(line, ":") {
				line = line[:len(line)-1] + "."
			}
			p[n] = strings.TrimSpace(p[n] + " " + line)
		}
		n++
	}
}

// verb matches what fmt replaces.
var verb = regexp.MustCompile(`%[-+# 0]*[\d.*]*[a-zA-Z]`)

// fromGo returns the comments of packages and exported names, help texts and error
// messages of a Go file.
func fromGo(path string) (page, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	p := page{}
	added := map[*ast.CommentGroup]bool{nil: true}
	comment := func(groups ...*ast.CommentGroup) {
		for _, g := range groups {
			if added[g] { // the names of a block share its comment
				continue
			}
			added[g] = true
			for i, c := range g.List {
				text, ok := strings.CutPrefix(c.Text, "//")
				if !ok || strings.HasPrefix(c.Text, "//go:") {
					continue
				}
				// Comments of neighboring names are no single sentence.
				if i == len(g.List)-1 && !strings.HasSuffix(text, ".") {
					text += "."
				}
				p.add(fset.Position(c.Pos()).Line, strings.TrimPrefix(text, " "))
			}
		}
	}
	comment(f.Doc)
	literal := func(e ast.Expr) {
		ast.Inspect(e, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if s, err := strconv.Unquote(l.Value); err == nil {
					p.add(fset.Position(l.Pos()).Line, strings.TrimSuffix(verb.ReplaceAllString(s, "X"), ".")+".")
				}
			}
			_, call := n.(*ast.CallExpr)
			return !call
		})
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Name.IsExported() {
				comment(n.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						comment(n.Doc, s.Doc, s.Comment)
					}
				case *ast.ValueSpec:
					if slices.ContainsFunc(s.Names, (*ast.Ident).IsExported) {
						comment(n.Doc, s.Doc, s.Comment)
					}
				}
			}
		case *ast.Field:
			if slices.ContainsFunc(n.Names, (*ast.Ident).IsExported) {
				comment(n.Doc, n.Comment)
			}
		case *ast.KeyValueExpr:
			// The help of a command.
			if key, ok := n.Key.(*ast.Ident); ok && (key.Name == "Short" || key.Name == "Long") {
				literal(n.Value)
			}
		case *ast.CallExpr:
			name := ""
			switch fun := n.Fun.(type) {
			case *ast.SelectorExpr:
				name = fun.Sel.Name
			case *ast.Ident:
				name = fun.Name
			}
			switch {
			case (name == "Errorf" || name == "usagef") && len(n.Args) > 0:
				literal(n.Args[0])
			case name == "New" && len(n.Args) == 1:
				if fun, ok := n.Fun.(*ast.SelectorExpr); ok {
					if x, ok := fun.X.(*ast.Ident); ok && x.Name == "errors" {
						literal(n.Args[0])
					}
				}
			case strings.HasSuffix(name, "Var") || strings.HasSuffix(name, "VarP"):
				// The usage of a flag.
				if len(n.Args) >= 3 {
					literal(n.Args[len(n.Args)-1])
				}
			}
		}
		return true
	})
	return p, nil
}

// fromPage returns a page as it is, by lines.
func fromPage(path string) (page, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := page{}
	for i, line := range strings.Split(string(text), "\n") {
		p[i+1] = line
	}
	return p, nil
}

// fromPython returns the docstrings of a Python file.
func fromPython(path string) (page, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := page{}
	inside := false
	for n, line := range strings.Split(string(text), "\n") {
		s := strings.TrimSpace(line)
		opens := !inside && (strings.HasPrefix(s, `"""`) || strings.HasPrefix(s, `r"""`))
		if opens {
			s = strings.TrimPrefix(strings.TrimPrefix(s, "r"), `"""`)
			inside = true
		}
		if !inside {
			continue
		}
		body, _, closes := strings.Cut(s, `"""`)
		if !strings.HasPrefix(body, ">>>") && !strings.HasPrefix(body, "...") {
			p.add(n+1, strings.ReplaceAll(body, "``", "`"))
		}
		if closes {
			inside = false
		}
	}
	if inside {
		return nil, fmt.Errorf("%s: a docstring has no end", path)
	}
	return p, nil
}
