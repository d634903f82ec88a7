package law

import (
	"bytes"
	"encoding/csv"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestReliability checks that the tests which docs/reliability.md names for each promise exist.
func TestReliability(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "reliability.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	for _, f := range sourceFiles(t) {
		for _, d := range f.ast.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && f.isTest() {
				tests[f.folder+" "+d.Name.Name] = true
			}
		}
	}
	checked := 0
	for _, row := range regexp.MustCompile("((?:`Test\\w+`,? )+)in `([\\w/]+)`").FindAllStringSubmatch(string(text), -1) {
		for _, name := range regexp.MustCompile(`\w+`).FindAllString(row[1], -1) {
			if checked++; !tests[row[2]+" "+name] {
				t.Errorf("docs/reliability.md names %s in %s, which does not exist", name, row[2])
			}
		}
	}
	if checked < 20 {
		t.Errorf("docs/reliability.md names %d tests", checked)
	}
}

// TestSteps checks that the files, tests and names of packages that pages for contributors name exist.
func TestSteps(t *testing.T) {
	declared, packages, tests := map[string]bool{}, map[string]bool{}, ""
	for _, f := range sourceFiles(t) {
		name := f.ast.Name.Name
		packages[name] = true
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				declared[name+"."+d.Name.Name] = true
				tests += " " + d.Name.Name
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						declared[name+"."+spec.Name.Name] = true
					case *ast.ValueSpec:
						for _, id := range spec.Names {
							declared[name+"."+id.Name] = true
						}
					}
				}
			}
		}
	}
	files := ""
	eachFile(t, func(rel string) bool { files += "/" + rel + "\n"; return false }, nil)
	checked := 0
	eachFile(t, func(rel string) bool { return rel == "CONTRIBUTING.md" || path.Dir(rel) == "docs/contributing" }, func(rel string, text []byte) {
		for _, m := range regexp.MustCompile("`(([a-z]+)\\.[A-Z]\\w*)|`([\\w./-]+\\.(?:go|js|jsonl|tsv))`|\\b(Test[A-Z]\\w*)").FindAllStringSubmatch(string(text), -1) {
			checked++
			if packages[m[2]] && !declared[m[1]] || m[3] != "" && !strings.Contains(m[3], "NAME") && !strings.Contains(files, "/"+m[3]+"\n") || m[4] != "" && !strings.Contains(tests, " "+m[4]) {
				t.Errorf("%s names %s, which does not exist", rel, m[0])
			}
		}
	})
	if checked < 60 {
		t.Errorf("%d names are checked", checked)
	}
}

// TestPolicyOfPages checks that each page that the program writes has the policy of package page, or
// its own.
func TestPolicyOfPages(t *testing.T) {
	pages := 0
	eachFile(t, func(rel string) bool {
		return path.Ext(rel) == ".html" && within(rel, "internal") && !strings.Contains(rel, "testdata")
	}, func(rel string, text []byte) {
		// Those of package page are parts of others, and those of the table are served or get a policy
		// when they are written.
		if !bytes.Contains(text, []byte("<head>")) || within(rel, "internal/table") {
			return
		}
		pages++
		dir := filepath.Join(root, path.Dir(rel))
		guarded := bytes.Contains(text, []byte("{{policy}}"))
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			guarded = guarded || bytes.Contains(source, []byte("page.New(")) || bytes.Contains(source, []byte("sanitize.Guard(")) || bytes.Contains(source, []byte("findings.NewPage("))
		}
		if !guarded || !bytes.Contains(text, []byte(`<meta charset="utf-8">`)) {
			t.Errorf("%s has no policy: package page adds it after the character set", rel)
		}
	})
	if pages < 6 {
		t.Errorf("%d pages are checked", pages)
	}
}

// TestHeavyChecks checks that each script of .ci/full.d lists the paths that it depends on, that
// they exist, and that .ci/results.tsv has a row of the right form for each of them.
func TestHeavyChecks(t *testing.T) {
	scripts, err := os.ReadDir(filepath.Join(root, ".ci", "full.d"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d checks: %v", len(scripts), err)
	}
	var names []string
	for _, script := range scripts {
		name := script.Name()
		names = append(names, name)
		text, err := os.ReadFile(filepath.Join(root, ".ci", "full.d", name))
		if err != nil {
			t.Fatal(err)
		}
		var paths []string
		for line := range strings.Lines(string(text)) {
			if list, ok := strings.CutPrefix(line, "# Paths: "); ok {
				paths = append(paths, strings.Fields(list)...)
			}
		}
		if len(paths) == 0 {
			t.Errorf("%s: no line \"# Paths: \" lists the paths that it depends on", name)
		}
		for _, p := range paths {
			if _, err := os.Stat(filepath.Join(root, p)); err != nil {
				t.Errorf("%s depends on %s, which does not exist", name, p)
			}
		}
	}

	file, err := os.Open(filepath.Join(root, ".ci", "results.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, 5
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(rows[0], []string{"check", "result", "date", "commit", "reason"}) {
		t.Errorf("the columns of .ci/results.tsv are %q", rows[0])
	}
	var recorded []string
	hash := regexp.MustCompile(`^(-|[0-9a-f]{40})$`)
	for _, row := range rows[1:] {
		name, result, date, commit, reason := row[0], row[1], row[2], row[3], row[4]
		recorded = append(recorded, name)
		if !slices.Contains([]string{"passed", "failed", "not run"}, result) {
			t.Errorf("%s: the result %q is not passed, failed or not run", name, result)
		}
		if _, err := time.Parse(time.DateOnly, date); err != nil && date != "-" {
			t.Errorf("%s: the date %q is none", name, date)
		}
		if !hash.MatchString(commit) {
			t.Errorf("%s: %q is no commit", name, commit)
		}
		if reason == "" && (result != "passed" || commit == "-") {
			t.Errorf("%s: %s at commit %s has no reason", name, result, commit)
		}
	}
	if !slices.Equal(recorded, names) {
		t.Errorf(".ci/results.tsv has results of %q, the checks are %q", recorded, names)
	}
}
