// Reference writes a Markdown page for each package that other modules can import, made of
// its comments, for the site of the documentation.
//
//	go -C tools run ./reference FOLDER
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const module = "github.com/sparrowhall/sparrowhall/"

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: reference FOLDER")
	}
	if err := write("..", os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// write writes the pages of the packages below root into folder.
func write(root, folder string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		hidden := rel != "." && strings.HasPrefix(d.Name(), ".")
		if hidden || slices.Contains([]string{"internal", "testdata", "cmd", "tools", "python", "docs", "proto", "node_modules"}, d.Name()) {
			return fs.SkipDir
		}
		page, err := page(path, rel)
		if err != nil || page == "" {
			return err
		}
		return os.WriteFile(filepath.Join(folder, strings.ReplaceAll(rel, "/", "-")+".md"), []byte(page), 0o666)
	})
}

// linux selects the files of one system: others declare the same names once more.
var linux = func() build.Context {
	c := build.Default
	c.GOOS, c.GOARCH = "linux", "amd64"
	return c
}()

// page returns the page of the package in a folder, or nothing if there is none.
func page(path, rel string) (string, error) {
	names, err := filepath.Glob(filepath.Join(path, "*.go"))
	if err != nil {
		return "", err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		switch ok, err := linux.MatchFile(path, filepath.Base(name)); {
		case err != nil:
			return "", err
		case !ok:
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return "", err
		}
		files = append(files, f)
	}
	if len(files) == 0 || files[0].Name.Name == "main" {
		return "", nil
	}
	p, err := doc.NewFromFiles(fset, files, module+rel)
	if err != nil {
		return "", err
	}
	w := writer{fset: fset, pkg: p}
	fmt.Fprintf(&w, "# %s\n\n`import \"%s\"`\n\n", rel, p.ImportPath)
	w.text(p.Doc)
	w.values("## Constants", p.Consts)
	w.values("## Variables", p.Vars)
	if len(p.Funcs) > 0 {
		fmt.Fprint(&w, "## Functions\n\n")
		w.funcs("### ", "", p.Funcs)
	}
	if len(p.Types) > 0 {
		fmt.Fprint(&w, "## Types\n\n")
	}
	for _, t := range p.Types {
		fmt.Fprintf(&w, "### %s\n\n", t.Name)
		w.code(t.Decl)
		w.text(t.Doc)
		w.values("", t.Consts)
		w.values("", t.Vars)
		w.funcs("#### ", "", t.Funcs)
		w.funcs("#### ", t.Name+".", t.Methods)
	}
	return w.String(), nil
}

// writer collects the text of a page.
type writer struct {
	bytes.Buffer
	fset *token.FileSet
	pkg  *doc.Package
}

// heading matches the headings of comments, which stand below those of the page.
var heading = regexp.MustCompile(`(?m)^#+ (.*?)( \{#.*\})?$`)

func (w *writer) text(text string) {
	if text == "" {
		return
	}
	printer := w.pkg.Printer()
	printer.DocLinkURL = func(link *comment.DocLink) string {
		rel, ok := strings.CutPrefix(link.ImportPath, module)
		switch {
		case link.ImportPath == "":
			return "" // headings of one page may have the same name
		case slices.Contains(strings.Split(rel, "/"), "internal"):
			return "" // such packages have no page
		case ok:
			return strings.ReplaceAll(rel, "/", "-") + ".md"
		}
		return link.DefaultURL("https://pkg.go.dev")
	}
	w.Write(heading.ReplaceAll(printer.Markdown(w.pkg.Parser().Parse(text)), []byte("**$1**")))
	w.WriteByte('\n')
}

// code writes a declaration without its comments, those of fields excepted.
func (w *writer) code(node any) {
	fmt.Fprint(w, "```go\n")
	if err := format.Node(w, w.fset, node); err != nil {
		log.Fatal(err)
	}
	fmt.Fprint(w, "\n```\n\n")
}

func (w *writer) values(title string, values []*doc.Value) {
	if len(values) > 0 && title != "" {
		fmt.Fprintf(w, "%s\n\n", title)
	}
	for _, v := range values {
		w.code(v.Decl)
		w.text(v.Doc)
	}
}

func (w *writer) funcs(level, receiver string, funcs []*doc.Func) {
	for _, f := range funcs {
		fmt.Fprintf(w, "%s%s%s\n\n", level, receiver, f.Name)
		w.code(f.Decl)
		w.text(f.Doc)
	}
}
