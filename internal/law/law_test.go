// Package law holds the rules that the code of the module obeys as a whole.
package law

import (
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
	"testing"
)

const (
	module = "github.com/sparrowhall/sparrowhall"
	root   = "../.."
)

// imports is a statement of policy: what the packages of a folder, and those
// below it, may import from the rest of the module. A package answers to the
// longest folder that holds it, and may always import what is in that folder.
// Tests may import configs and agents as well, to have rulesets and players to
// try.
var imports = map[string]struct {
	may []string
	// modules tells whether code other than tests may import other modules.
	modules bool
	// std, if not nil, is what code other than tests may import from the standard
	// library: what computes, and nothing that reads a clock, a file, the network or
	// the environment.
	std []string
}{
	// The rules of the game are a library for anybody.
	"ruleset":                  {std: slices.Concat(computing, []string{"embed", "reflect"})},
	"ruleset/cases":            {may: []string{"ruleset"}, std: slices.Concat(computing, []string{"io", "reflect"})},
	"ruleset/internal/handgen": {may: []string{"ruleset"}, std: slices.Concat(computing, []string{"math/rand/v2"})},
	// What several tests share may import what tests may.
	"ruleset/internal/rulestest": {may: []string{"ruleset", "configs"}},
	// A match is a function of its seed. The runner spreads matches over goroutines.
	"sim": {may: []string{"ruleset"}, std: slices.Concat(computing, []string{
		"context", "io", "math/rand/v2", "runtime",
	})},
	// Forms of records are text. The Mersenne twister of Tenhou's walls is that of gonum.
	"sim/record": {may: []string{"ruleset", "sim"}, modules: true, std: slices.Concat(computing, []string{
		"bufio", "compress/gzip", "crypto/sha512", "encoding/base64", "encoding/xml", "io", "math/rand/v2", "net/url", "regexp",
	})},
	"sim/record/recordtest": {may: []string{"ruleset", "sim", "configs", "agents"}, modules: true},
	// What players reason with, and what analysts, environment and viewers ask about play.
	"insight": {may: []string{"ruleset", "sim"}, std: slices.Concat(computing, []string{
		"context", "embed", "encoding/csv", "runtime", "weak",
	})},
	"configs":  {may: []string{"ruleset", "internal/suggest", "internal/userfile"}, modules: true},
	"internal": {modules: true},
	// Pairs are played by players.
	"internal/rollout": {may: []string{"ruleset", "sim", "insight"}},
	// Weights are judged by matches.
	"internal/cmaes": {may: []string{"ruleset", "sim", "insight"}, modules: true},
	// Estimates are fitted to what the table has seen.
	"internal/fit": {may: []string{"ruleset", "sim", "insight"}, modules: true},
	// Clients that mean harm know the wire and nothing else.
	"internal/hostile": {modules: true},
	// The wire: definitions and what is compiled from them.
	"proto": {modules: true},
	// Siblings meet through interfaces that sim owns.
	"agents":            {may: []string{"ruleset", "sim", "insight", "configs", "internal", "proto"}, modules: true},
	"agents/heuristic":  {may: []string{"ruleset", "sim", "insight", "internal/userfile"}},
	"env":               {may: []string{"ruleset", "sim", "insight", "configs", "internal", "proto"}, modules: true},
	"export":            {may: []string{"ruleset", "sim", "insight", "configs", "internal"}, modules: true},
	"export/exporttest": {may: []string{"ruleset", "sim", "export", "agents"}},
	// A league plays matches, rates them and makes pages of them.
	"league": {may: []string{"ruleset", "sim", "insight", "configs", "internal", "agents", "export"}, modules: true},
	// A page at which people play.
	"table": {may: []string{"ruleset", "sim", "insight", "configs", "export"}, modules: true},
	// A module of its own, for developers.
	"tools": {may: []string{"ruleset", "sim", "insight", "configs", "internal", "agents", "env", "export", "league", "table", "proto"}, modules: true},
	// What the Python tests compare with.
	"python": {may: []string{"ruleset", "sim", "configs"}},
	// Commands and benchmarks plug everything together.
	"cmd":            {may: []string{"ruleset", "sim", "insight", "configs", "internal", "agents", "env", "export", "league", "table", "proto"}, modules: true},
	"internal/bench": {may: []string{"ruleset", "sim", "insight", "configs", "internal", "agents", "env", "export", "league", "table", "proto"}, modules: true},
}

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

// lawOf returns the longest folder of the policy that holds folder.
func lawOf(folder string) (dir string, ok bool) {
	for d := range imports {
		if within(folder, d) && len(d) > len(dir) {
			dir, ok = d, true
		}
	}
	return dir, ok
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
	var files []sourceFile
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
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
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no Go files found")
	}
	return files
}

func TestImports(t *testing.T) {
	for _, f := range sourceFiles(t) {
		law, ok := lawOf(f.folder)
		if !ok {
			t.Errorf("%s: no policy for this folder", f.folder)
			continue
		}
		for _, spec := range f.ast.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if folder, ok := strings.CutPrefix(imported, module+"/"); ok {
				may := append([]string{law}, imports[law].may...)
				if f.isTest() {
					may = append(may, "configs", "agents")
				}
				if !within(folder, may...) {
					t.Errorf("%s/%s imports %s: %s may import only %v", f.folder, f.name, folder, f.folder, may)
				}
			} else if outside := strings.Contains(strings.Split(imported, "/")[0], "."); outside && !f.isTest() && !imports[law].modules {
				t.Errorf("%s/%s imports %s: %s keeps to the standard library", f.folder, f.name, imported, law)
			} else if std := imports[law].std; !outside && std != nil && !f.isTest() && !slices.Contains(std, imported) {
				t.Errorf("%s/%s imports %s: of the standard library %s may import only %v", f.folder, f.name, imported, law, std)
			}
		}
	}
}

// TestRooms compares CONTRIBUTING.md with the tree: the table there says what each folder
// may import, and every package is named.
func TestRooms(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	folders := func(cell string) (list []string) {
		for i, part := range strings.Split(cell, "`") {
			if i%2 == 1 {
				list = append(list, strings.TrimSuffix(part, "/"))
			}
		}
		slices.Sort(list)
		return list
	}
	told := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, "|"); len(cells) == 5 {
			for _, folder := range folders(cells[1]) {
				told[folder] = folders(cells[3])
			}
		}
	}
	for folder, law := range imports {
		if shared := slices.Contains(ofTests, folder); !shared && !slices.Equal(slices.Sorted(slices.Values(law.may)), told[folder]) {
			t.Errorf("CONTRIBUTING.md: %s may import %v, by the law %v", folder, told[folder], law.may)
		}
		delete(told, folder)
	}
	for folder := range told {
		t.Errorf("CONTRIBUTING.md: there is no law for %s", folder)
	}
	named := folders(string(text))
	for _, f := range sourceFiles(t) {
		if !slices.Contains(named, f.folder) {
			named = append(named, f.folder)
			t.Errorf("CONTRIBUTING.md does not name %s", f.folder)
		}
	}
}

// ofTests is what several tests share; it may import what tests may.
var ofTests = []string{"ruleset/internal/handgen", "ruleset/internal/rulestest", "sim/record/recordtest"}

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
		if f.isTest() || !within(f.folder, "ruleset", "sim", "insight") {
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
