package sim_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// tagged are citations of the texts themselves, which no table here lists.
	tagged = regexp.MustCompile(`(S4|S0|EN|SEED|GB06|ZH14|\[[A-Z]\])[a-z ]* [0-9.]+(\([0-9]\))?((, |-|\+| and | to |; )[0-9.]+(\([0-9]\))?)*`)
	// cited is a section of a family's rules, with the family where it is named.
	cited = regexp.MustCompile(`(?:(riichi|mcr|zungjung|hktw) |[( ]|sections? )([2-5]\.[0-9]{1,2})([^0-9.]|\.?$|\. )`)
)

// sections returns the sections in the table of a family's page.
func sections(t *testing.T, family string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("../docs/rules/" + family + ".md")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		for cell := range strings.SplitSeq(line, "|") {
			for part := range strings.SplitSeq(strings.TrimSpace(cell), ", ") {
				var chapter, first, last int
				if n, _ := fmt.Sscanf(part, "%d.%d - %d.%d", &chapter, &first, &chapter, &last); n < 4 {
					last = first
				}
				if !regexp.MustCompile(`^[1-9]\.[0-9]+( - [1-9]\.[0-9]+)?$`).MatchString(part) {
					continue
				}
				for i := first; i <= last; i++ {
					found[fmt.Sprintf("%d.%d", chapter, i)] = true
				}
			}
		}
	}
	return found
}

// TestCitations follows each citation of a section, in the comments of the engine
// and of the rule-book cases, to the table of sections on the page of its family.
func TestCitations(t *testing.T) {
	pages := map[string]map[string]bool{}
	for _, family := range []string{"riichi", "mcr", "zungjung", "hktw"} {
		pages[family] = sections(t, family)
	}
	seen := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || d.IsDir() || ext != ".go" && ext != ".txt" || filepath.Dir(path) == "testdata/perft" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		family := "riichi"
		for name := range pages {
			if strings.HasPrefix(filepath.Base(path), name) || filepath.Base(filepath.Dir(path)) == name {
				family = name
			}
		}
		comment := map[string]string{".go": "//", ".txt": "#"}[filepath.Ext(path)]
		shared := filepath.Dir(path) == "." && filepath.Ext(path) == ".go" && !strings.HasSuffix(path, "_test.go")
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			_, line, ok := strings.Cut(line, comment)
			if !ok {
				continue
			}
			for _, m := range cited.FindAllStringSubmatch(tagged.ReplaceAllString(line, ""), -1) {
				of := m[1]
				if of == "" && shared {
					t.Errorf("%s:%d: %s: of which family?", path, n, m[2])
					continue
				} else if of == "" {
					of = family
				}
				if seen++; !pages[of][m[2]] {
					t.Errorf("%s:%d: docs/rules/%s.md has no section %s", path, n, of, m[2])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 100 {
		t.Errorf("only %d citations are seen", seen)
	}
}
