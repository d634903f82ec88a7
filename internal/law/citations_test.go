package law

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
)

var (
	// tagged cites a text by its tag: "S4 3.12", "S0 end 3-4", "[H] 4.5.8". What
	// follows after a comma is of the same text.
	tagged = regexp.MustCompile(`(\b[A-Z]{1,4}[0-9]{0,2}|\[[A-Z]\]) ((?:[a-z]+[ .]|[A-C]-[IVX]+ ?)?[0-9]+[0-9.]*(?:\([0-9]\))?(?:(?:, |; |-| and | to |\+)(?:[a-z]+[ .])?[0-9][0-9.]*(?:\([0-9]\))?)*)`)
	// cited is a section of a family's rules, with the family where it is named.
	cited = regexp.MustCompile(`(?:(` + strings.Join(familyNames(), "|") + `) |[( ]|sections? )([2-5]\.[0-9]{1,2})([^0-9.%]|\.?$|\. )`)
	// decision is a row of a table of decisions.
	decision = regexp.MustCompile(`\b(D[0-9]{1,2}|[A-Z]-S[0-9]{1,2})\b`)

	source  = regexp.MustCompile(`"(?:src|source)": ?"([^"]*)"`)
	counted = regexp.MustCompile("`(?:[A-Z0-9]+ )?([a-z]+) [0-9]+`")
	chapter = regexp.MustCompile(`^([a-z]+)[ .][0-9]`)
	section = regexp.MustCompile(`^[1-9](\.[0-9]+( - [1-9]\.[0-9]+)?)?$`)
	tag     = regexp.MustCompile(`^([A-Z]{1,4}[0-9]{0,2})$|^\*\*(\[[A-Z]\])`)
)

func familyNames() []string {
	names := make([]string, len(configs.Families))
	for i, f := range configs.Families {
		names[i] = f.Name
	}
	return names
}

// rulePage is what the page of a family in docs/rules lists for citations.
type rulePage struct {
	sections  map[string]bool // of the rules as put together there, and chapters
	tags      map[string]bool // of texts
	chapters  map[string]bool // of texts without numbers, and things that are counted
	decisions map[string]bool
}

func readRulePage(t *testing.T, family string) rulePage {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "rules", family+".md"))
	if err != nil {
		t.Fatal(err)
	}
	p := rulePage{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	ofSections := false // in the table of sections
	for line := range strings.Lines(string(text)) {
		if m := tag.FindStringSubmatch(strings.TrimLeft(line, "- ")); m != nil {
			p.tags[strings.Trim(m[2], "[]")] = true
		}
		for _, m := range counted.FindAllStringSubmatch(line, -1) {
			p.chapters[m[1]] = true
		}
		ofSections = strings.HasPrefix(line, "| section |") || ofSections && strings.HasPrefix(line, "|")
		if !strings.HasPrefix(line, "|") {
			continue
		}
		for cell := range strings.SplitSeq(line, "|") {
			for part := range strings.SplitSeq(strings.TrimSpace(cell), ", ") {
				switch {
				case ofSections && section.MatchString(part):
					var chapter, first, last int
					if n, _ := fmt.Sscanf(part, "%d.%d - %d.%d", &chapter, &first, &chapter, &last); n < 4 {
						last = first
					}
					p.sections[fmt.Sprint(chapter)] = true
					for i := first; i <= last; i++ {
						p.sections[fmt.Sprintf("%d.%d", chapter, i)] = true
					}
				case decision.FindString(part) == part && part != "":
					p.decisions[part] = true
				case tag.MatchString(part):
					p.tags[part] = true
				case regexp.MustCompile(`^[a-z]+$`).MatchString(part):
					p.chapters[part] = true
				}
			}
		}
	}
	return p
}

// citing is the part of a line that may cite: the comment, and in the tables of
// patterns and knobs the text.
func citing(ext, line string) (comment, all string) {
	switch ext {
	case ".go":
		_, comment, _ = strings.Cut(line, "//")
		return comment, line
	case ".jsonl":
		if m := source.FindStringSubmatch(line); m != nil {
			return m[1], m[1]
		}
		return "", ""
	}
	_, comment, _ = strings.Cut(line, "#")
	return comment, comment
}

// TestCitations follows each citation of a rule text, in the rules, the engine, the
// presets and the rule-book cases, to the table that explains it on the page of its
// family.
func TestCitations(t *testing.T) {
	families := familyNames()
	pages := map[string]rulePage{}
	ofTag := map[string]string{}
	for _, family := range families {
		pages[family] = readRulePage(t, family)
		for tag := range pages[family].tags {
			if other, taken := ofTag[tag]; taken {
				t.Errorf("docs/rules/%s.md and docs/rules/%s.md both explain %s", other, family, tag)
			}
			ofTag[tag] = family
		}
	}
	seen := map[string]int{}
	file := func(path string) {
		ext := filepath.Ext(path)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Base(filepath.Dir(path))
		family := ""
		for _, name := range families {
			if folder == name || strings.HasPrefix(filepath.Base(path), name) {
				family = name
			}
		}
		// Presets name their family; rule-book cases beside the families' folders
		// are those of riichi.
		if ext == ".toml" {
			for _, name := range families {
				if strings.Contains(string(text), "\nfamily = \""+name+"\"") || strings.HasPrefix(string(text), "family = \""+name+"\"") {
					family = name
				}
			}
		} else if family == "" && (ext == ".txt" || ext == ".jsonl" || strings.HasSuffix(path, "_test.go")) {
			family = "riichi"
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			comment, all := citing(ext, strings.TrimRight(line, "\n"))
			fail := func(format string, args ...any) {
				t.Helper()
				t.Errorf("%s:%d: %s", strings.TrimPrefix(path, root+"/"), n, fmt.Sprintf(format, args...))
			}
			for _, m := range tagged.FindAllStringSubmatch(all, -1) {
				letter := strings.Trim(m[1], "[]") // presets leave out the brackets
				of, known := ofTag[letter]
				if len(m[1]) == 1 && (ext != ".toml" || of != family) {
					continue
				}
				if !known {
					if strings.HasPrefix(m[1], "[") || strings.Contains(m[2], ".") && strings.Contains(comment, m[0]) {
						fail("no page in docs/rules lists the text %s", m[1])
					}
					continue
				}
				seen[of]++
				for part := range strings.FieldsFuncSeq(m[2], func(r rune) bool { return r == ',' || r == ';' }) {
					part = strings.TrimSpace(part)
					switch c := chapter.FindStringSubmatch(part); {
					case c != nil && slices.Contains(families, c[1]): // the next citation
					case c != nil && !pages[of].chapters[c[1]]:
						fail("docs/rules/%s.md lists no chapter %q of %s", of, c[1], m[1])
					case c == nil && len(letter) == 1:
						number := strings.Join(slices.Collect(firstTwo(part)), ".")
						if !pages[of].sections[number] {
							fail("docs/rules/%s.md has no section %s of %s", of, number, m[1])
						}
					}
				}
			}
			for _, d := range decision.FindAllString(comment, -1) {
				if family == "" {
					fail("%s: of which family?", d)
				} else if seen["decisions"]++; !pages[family].decisions[d] {
					fail("docs/rules/%s.md has no decision %s", family, d)
				}
			}
			for _, m := range cited.FindAllStringSubmatch(tagged.ReplaceAllString(comment, ""), -1) {
				of := m[1]
				if of == "" {
					of = family
				}
				if of == "" {
					fail("%s: of which family?", m[2])
				} else if seen["sections"]++; !pages[of].sections[m[2]] {
					fail("docs/rules/%s.md has no section %s", of, m[2])
				}
			}
		}
	}
	for _, dir := range []string{"ruleset", "sim", "configs"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			ext := filepath.Ext(path)
			if err == nil && !d.IsDir() && slices.Contains([]string{".go", ".txt", ".toml", ".jsonl"}, ext) && filepath.Base(filepath.Dir(path)) != "perft" {
				file(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for what, least := range map[string]int{"sections": 100, "decisions": 40} {
		if seen[what] < least {
			t.Errorf("only %d citations of %s are seen", seen[what], what)
		}
	}
	for _, family := range families {
		if seen[family] < 10 {
			t.Errorf("only %d citations of the texts of docs/rules/%s.md are seen", seen[family], family)
		}
	}
}

// firstTwo yields the first two numbers of a citation such as 4.5.8.
func firstTwo(s string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		n := 0
		for number := range strings.FieldsFuncSeq(s, func(r rune) bool { return r < '0' || r > '9' }) {
			if n++; n > 2 || !yield(number) {
				return
			}
		}
	}
}
