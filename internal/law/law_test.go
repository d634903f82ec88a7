// Package law holds the rules that the code of the module obeys as a whole.
package law

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const (
	module = "github.com/sparrowhall/sparrowhall"
	root   = "../.."
)

// layer is a folder with the packages below it that belong to no longer folder of [layers].
type layer struct {
	folder string
	// may are the layers that its code may import besides its own.
	may []string
	// modules is whether it may import other modules.
	modules bool
	// std, if not nil, is what it may import from the standard library: what computes,
	// and nothing that reads a clock, a file, the network or the environment.
	std []string
}

// layers is a statement of policy: the structure of the module from the bottom to the top. A
// layer imports what is above it in this list alone; the one exception is in [backwards].
// Tests may import anything: they compare layers with each other.
var layers = []layer{
	// Small packages without a subject of their own.
	{folder: "internal", modules: true},
	// Clients of all listeners.
	{folder: "internal/admission", may: []string{"internal"}, modules: true},
	// The rules of the game are a library for anybody.
	{folder: "ruleset", std: slices.Concat(computing, []string{"embed", "reflect"})},
	{folder: "ruleset/cases", may: []string{"ruleset"}, std: slices.Concat(computing, []string{"io", "reflect"})},
	{folder: "configs", may: []string{"ruleset", "internal"}, modules: true},
	// Workers whose results keep their order.
	{folder: "internal/ordered", std: slices.Concat(computing, []string{"context", "runtime"})},
	// A match is a function of its seed. The runner spreads matches over goroutines.
	{folder: "sim", may: []string{"ruleset", "internal/ordered"}, std: slices.Concat(computing, []string{
		"context", "io", "math/rand/v2", "runtime",
	})},
	{folder: "sim/record", may: []string{"ruleset", "sim"}, std: slices.Concat(computing, []string{"bufio", "compress/gzip", "io"})},
	// What learners have done, with the gradients of their loss.
	{folder: "internal/experience", may: []string{"ruleset", "sim"}, std: computing},
	{folder: "internal/arena", may: []string{"sim"}, std: slices.Concat(computing, []string{"math/rand/v2"})},
	// What players reason with, and what analysts, environment and viewers ask about play.
	{folder: "internal/insight", may: []string{"ruleset", "sim", "internal/ordered"}, std: slices.Concat(computing, []string{
		"context", "embed", "encoding/csv", "runtime", "weak",
	})},
	// Pairs are played by players, weights judged by matches, estimates fitted to play.
	{folder: "internal/rollout", may: []string{"ruleset", "sim", "internal/insight", "internal/ordered"}},
	{folder: "internal/cmaes", may: []string{"ruleset", "sim", "internal/insight"}, modules: true},
	{folder: "internal/fit", may: []string{"ruleset", "sim", "internal/insight"}, modules: true},
	// The wire: definitions and what is compiled from them.
	{folder: "proto", modules: true},
	// Datasets, and what their packages share.
	{folder: "internal/export/arrowfile", may: []string{"internal", "sim"}, modules: true},
	{folder: "internal/export/seal", may: []string{"internal", "sim"}, modules: true},
	{folder: "export", may: []string{"ruleset", "sim", "configs", "internal", "internal/arena", "internal/ordered", "internal/export/arrowfile", "internal/export/seal"}, modules: true},
	{folder: "internal/export", may: []string{"ruleset", "sim", "internal", "internal/rollout", "export", "internal/export/arrowfile"}, modules: true},
	// Forms of records are text. The Mersenne twister of Tenhou's walls is that of gonum.
	{folder: "internal/record", may: []string{"ruleset", "sim", "configs", "sim/record", "internal", "internal/ordered", "internal/arena", "export"}, modules: true},
	{folder: "internal/agents/heuristic", may: []string{"ruleset", "sim", "internal/insight", "internal"}},
	{folder: "internal/agents", may: []string{"ruleset", "sim", "sim/record", "internal/insight", "configs", "internal", "internal/admission", "internal/record", "proto", "internal/agents/heuristic"}, modules: true},
	{folder: "agents", may: []string{"ruleset", "sim", "configs", "internal", "internal/agents", "internal/agents/heuristic"}, modules: true},
	{folder: "env", may: []string{"ruleset", "sim", "internal/experience", "internal/insight", "configs", "internal", "internal/admission", "proto"}, modules: true},
	// What people look at and analysts read. The viewer shows reviews.
	{folder: "internal/pages", may: []string{"ruleset", "sim", "internal/insight", "internal", "sim/record", "export"}, modules: true},
	{folder: "internal/analysis", may: []string{"ruleset", "sim", "internal/insight", "configs", "internal", "internal/arena", "internal/cmaes", "internal/ordered", "internal/pages", "export"}, modules: true},
	{folder: "internal/contest", may: []string{
		"ruleset", "sim", "internal/insight", "configs", "internal", "internal/admission", "internal/arena", "internal/agents", "agents", "export", "internal/export/seal", "internal/pages", "internal/analysis",
	}, modules: true},
	{folder: "internal/table", may: []string{"internal/admission", "ruleset", "sim", "sim/record", "internal/insight", "configs", "export", "internal/export/seal", "internal/pages", "internal/analysis", "internal"}, modules: true},
	// The page has the program inside: table, viewer and players, and nothing that needs connections.
	{folder: "internal/browser", may: []string{
		"ruleset", "ruleset/cases", "configs", "sim", "sim/record", "internal", "internal/record", "internal/agents", "internal/pages", "internal/analysis", "internal/table",
	}},
	// Programs plug everything together. tools is a module of its own, for developers.
	{folder: "internal/bench", may: programs, modules: true},
	{folder: "cmd", may: append([]string{"internal/bench"}, programs...), modules: true},
	{folder: "tools", may: programs, modules: true},
	{folder: "internal/testkit", may: programs, modules: true},
	// What the Python tests compare with.
	{folder: "python", may: []string{"ruleset", "sim", "configs"}},
}

// programs is what a program may import.
var programs = []string{
	"internal", "internal/admission", "ruleset", "ruleset/cases", "configs", "sim", "sim/record", "internal/ordered", "internal/experience", "internal/arena", "internal/insight", "internal/rollout", "internal/cmaes", "internal/fit", "proto",
	"export", "internal/export", "internal/export/arrowfile", "internal/export/seal", "internal/record", "internal/agents", "internal/agents/heuristic", "agents", "env",
	"internal/pages", "internal/analysis", "internal/contest", "internal/table", "internal/browser",
}

// backwards is the one import that runs from the top to the bottom of the layers: a replay of a
// match shows what a review found in it, and the pages of reviews are made of boards.
var backwards = map[string]string{"internal/pages/viewer": "internal/analysis/review"}

// computing is the part of the standard library that is the same everywhere and
// always.
var computing = []string{
	"bytes", "cmp", "crypto/sha256", "hash", "encoding/binary", "encoding/json", "errors", "fmt", "iter", "maps", "math", "math/bits", "slices", "strconv", "strings", "sync",
	"sync/atomic", "unicode", "unicode/utf8",
}

// within tells whether folder is one of dirs or below one.
func within(folder string, dirs ...string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool {
		return folder == dir || strings.HasPrefix(folder, dir+"/")
	})
}

// layerOf returns the layer of a folder, nil without one.
func layerOf(folder string) (found *layer) {
	for i := range layers {
		if l := &layers[i]; within(folder, l.folder) && (found == nil || len(l.folder) > len(found.folder)) {
			found = l
		}
	}
	return found
}

// sourceFile is a Go file with its folder relative to the module.
type sourceFile struct {
	folder, name string
	fset         *token.FileSet
	ast          *ast.File
}

func (f sourceFile) isTest() bool { return strings.HasSuffix(f.name, "_test.go") }

func sourceFiles(t *testing.T) []sourceFile {
	t.Helper()
	files, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// parsed parses all files once: the tests together would spend half a minute on it.
var parsed = sync.OnceValues(func() (files []sourceFile, err error) {
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if filepath.Ext(p) != ".go" {
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, p, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		files = append(files, sourceFile{path.Dir(rel), path.Base(rel), fset, f})
		return nil
	})
	if err == nil && len(files) == 0 {
		err = errors.New("no Go files found")
	}
	return files, err
})

func TestImports(t *testing.T) {
	for _, f := range sourceFiles(t) {
		if f.isTest() {
			continue
		}
		own := layerOf(f.folder)
		if own == nil {
			t.Errorf("%s: no layer has this folder", f.folder)
			continue
		}
		for _, spec := range f.ast.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if folder, ok := strings.CutPrefix(imported, module+"/"); ok {
				other := layerOf(folder)
				if other == nil {
					t.Errorf("%s/%s imports %s, which no layer has", f.folder, f.name, folder)
					continue
				}
				if other != own && !slices.Contains(own.may, other.folder) && backwards[f.folder] != folder {
					t.Errorf("%s/%s imports %s: %s may import only %v", f.folder, f.name, folder, own.folder, own.may)
				}
			} else if outside := strings.Contains(strings.Split(imported, "/")[0], "."); outside && !own.modules {
				t.Errorf("%s/%s imports %s: %s keeps to the standard library", f.folder, f.name, imported, own.folder)
			} else if !outside && own.std != nil && !slices.Contains(own.std, imported) {
				t.Errorf("%s/%s imports %s: of the standard library %s may import only %v", f.folder, f.name, imported, own.folder, own.std)
			}
		}
	}
}

// TestLayers checks that imports run one way, and that CONTRIBUTING.md lists the layers in
// their order.
func TestLayers(t *testing.T) {
	var seen []string
	for _, l := range layers {
		for _, m := range l.may {
			if !slices.Contains(seen, m) {
				t.Errorf("%s may import %s, which is not above it in the list", l.folder, m)
			}
		}
		seen = append(seen, l.folder)
	}
	if len(backwards) > 1 {
		t.Errorf("%d exceptions; allowed: 1", len(backwards))
	}
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, ok := strings.Cut(string(text), "<!-- layers -->\n```\n")
	if !ok {
		t.Fatal("CONTRIBUTING.md does not list the layers")
	}
	list, _, _ = strings.Cut(list, "```")
	var listed []string
	for line := range strings.Lines(list) {
		if name, _, ok := strings.Cut(line, " "); ok && name != "" {
			listed = append(listed, strings.TrimSuffix(name, "/"))
		}
	}
	if !slices.Equal(listed, seen) {
		t.Errorf("CONTRIBUTING.md lists the layers %v, want %v", listed, seen)
	}
}

// floats are the files of the rules in which numbers with a fraction are read or
// written: knobs and cases come from text, and messages show points. Nothing is
// decided by them.
var floats = []string{
	"ruleset/knobs.go", "ruleset/flow.go", "ruleset/cases/cases.go", "ruleset/mcr/config.go", "ruleset/riichi/config.go",
}

// TestExactness checks that neither floats nor the global random source decide
// anything in the rules and at the table.
func TestExactness(t *testing.T) {
	sources := []string{"New", "NewChaCha8", "NewPCG", "ChaCha8", "PCG", "Rand", "Source"}
	for _, f := range sourceFiles(t) {
		exact := within(f.folder, "ruleset") || f.folder == "sim"
		if f.isTest() || !within(f.folder, "ruleset", "sim", "internal/insight") {
			continue
		}
		name := f.folder + "/" + f.name
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if exact && (n.Name == "float32" || n.Name == "float64") && !slices.Contains(floats, name) {
					t.Errorf("%s has a %s: the rules are exact", name, n.Name)
				}
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "rand" && !slices.Contains(sources, n.Sel.Name) {
					t.Errorf("%s draws from the global random source: rand.%s", name, n.Sel.Name)
				}
			}
			return true
		})
	}
}
