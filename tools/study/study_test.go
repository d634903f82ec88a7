package main

import (
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSmall makes the study of a few matches and compares its form with what is
// published: the same tables with the same rows, and the same pictures.
func TestSmall(t *testing.T) {
	runs, docs := t.TempDir(), t.TempDir()
	program := filepath.Join(t.TempDir(), "sparrowhall")
	if out, err := exec.Command("go", "-C", "../..", "build", "-o", program, "./cmd/sparrowhall").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	page, err := os.ReadFile("../../docs/research/study.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"research", "study"} {
		if err := os.Mkdir(filepath.Join(docs, folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(docs, "research", "study.md"), page, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("./study.sh", runs, "small", docs)
	cmd.Env = append(os.Environ(), "SPARROWHALL="+program)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := os.ReadFile(filepath.Join(docs, "research", "study.md"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(form(string(page)), form(string(got))); diff != "" {
		t.Errorf("the tables of docs/research/study.md have another form; tools/study/study.sh makes them:\n%s", diff)
	}
	published, err := filepath.Glob("../../docs/study/*.png")
	if err != nil || len(published) == 0 {
		t.Fatalf("%d pictures: %v", len(published), err)
	}
	for _, path := range published {
		name := filepath.Base(path)
		if a, b := size(t, path), size(t, filepath.Join(docs, "study", name)); a != b {
			t.Errorf("%s: %v, published is %v", name, b, a)
		}
		if !strings.Contains(string(page), "](../study/"+name+")") {
			t.Errorf("%s is on no page", name)
		}
	}
}

// form returns what of a page is the same however many matches were played: the names
// of its tables with their heads and first columns. Rows of patterns by rank differ.
func form(page string) (list []string) {
	for _, m := range place.FindAllStringSubmatch(page, -1) {
		list = append(list, m[2])
		for line := range strings.Lines(m[0]) {
			if cells := strings.Split(line, " | "); strings.HasPrefix(line, "|") {
				if list = append(list, cells[0]); strings.HasPrefix(cells[0], "| ruleset") {
					list = append(list, line)
				}
			}
		}
	}
	return list
}

func size(t *testing.T, path string) [2]int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, err := png.DecodeConfig(f)
	if err != nil {
		t.Fatal(err)
	}
	return [2]int{c.Width, c.Height}
}

// number is a figure: a number with a fraction, or one that has a unit.
var number = regexp.MustCompile(`[0-9][0-9,]*(?:\.[0-9]+)?(?: ?%| pp|\.[0-9]+)?`)

// TestFigures holds that every figure of the report and of its summary was printed by the
// study.
func TestFigures(t *testing.T) {
	text, err := os.ReadFile("../../docs/study/figures.txt")
	if err != nil {
		t.Fatal(err)
	}
	printed := map[string]bool{}
	for _, n := range figuresIn(string(text)) {
		printed[n] = true
	}
	for _, test := range []struct {
		page  string
		least int // figures on it
	}{
		{"../../docs/study.md", 50},
		{"../../docs/research/study.md", 500},
	} {
		page, err := os.ReadFile(test.page)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(string(page)) {
			for _, f := range figuresIn(line) {
				if n++; !printed[f] {
					t.Errorf("%s: %s was not printed: %s", test.page, f, line)
				}
			}
		}
		if n < test.least {
			t.Errorf("%s: %d figures", test.page, n)
		}
	}
}

// figuresIn returns the figures of a text: numbers with a fraction and shares.
func figuresIn(text string) (list []string) {
	for _, f := range number.FindAllString(text, -1) {
		f = strings.NewReplacer(",", "", " ", "", "pp", "%").Replace(f)
		if strings.ContainsAny(f, ".%") {
			list = append(list, strings.TrimSuffix(f, "%"))
		}
	}
	return list
}

// TestLetters gives rulesets of which some differ their letters.
func TestLetters(t *testing.T) {
	for _, test := range []struct {
		values []float64
		apart  [][2]int
		want   []string
	}{
		{[]float64{1, 2, 3}, nil, []string{"a", "a", "a"}},
		{[]float64{3, 1, 2}, [][2]int{{0, 1}}, []string{"b", "a", "ab"}},
		{[]float64{1, 2, 3}, [][2]int{{0, 1}, {0, 2}, {1, 2}}, []string{"a", "b", "c"}},
	} {
		got := letters(test.values, func(i, j int) bool { return slices.Contains(test.apart, [2]int{i, j}) })
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%v: %s", test.apart, diff)
		}
	}
}
