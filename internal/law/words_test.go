package law

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/golangci/misspell"
)

var (
	// spelled matches the words of a text and of names such as oneColor and one_color.
	spelled = regexp.MustCompile(`[A-Z]?[a-z]+`)
	// keptSpelling matches what keeps its British spelling: the option "defence" of players, which
	// datasets and leagues store, and "dialogue", which is American too.
	keptSpelling = regexp.MustCompile("defence=|[\"`]defence|allowed: defence|option defence|[Dd]ialogue")
)

// replacedWords are the words that the glossary replaces in texts of riichi.
func replacedWords(t *testing.T) *regexp.Regexp {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs/glossary.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(string(text), "| write | not |\n| --- | --- |\n")
	rows, _, _ = strings.Cut(rows, "\n\n")
	var words []string
	for row := range strings.Lines(rows) {
		for word := range strings.SplitSeq(strings.Split(row, "|")[2], ",") {
			words = append(words, strings.ReplaceAll(strings.TrimSpace(word), " ", "[- ]"))
		}
	}
	if len(words) < 30 {
		t.Fatalf("docs/glossary.md replaces only %d words", len(words))
	}
	return regexp.MustCompile(`(?i)\b(` + strings.Join(words, "|") + `)s?\b`)
}

// TestRiichiWords holds texts of riichi to the words of the glossary: its package, its page, its
// sections of other pages, and its sentences at the table.
func TestRiichiWords(t *testing.T) {
	replaced := replacedWords(t)
	heading := regexp.MustCompile(`^## (Family (\w+))?`)
	checked := map[string]int{}
	shared := []string{"docs/patterns.md", "docs/knobs.md"}
	wanted := func(rel string) bool {
		return rel == "docs/rules/riichi.md" || slices.Contains(shared, rel) || path.Base(rel) == "en.json" ||
			within(rel, "ruleset/riichi") && path.Ext(rel) == ".go" && !strings.HasSuffix(rel, "_test.go")
	}
	eachFile(t, wanted, func(rel string, text []byte) {
		riichi := !slices.Contains(shared, rel)
		for i, line := range strings.Split(string(text), "\n") {
			if found := heading.FindStringSubmatch(line); found != nil && slices.Contains(shared, rel) {
				riichi = found[2] == "riichi"
			}
			if !riichi || path.Ext(rel) == ".json" && !strings.Contains(line, `.riichi`) {
				continue
			}
			checked[path.Ext(rel)]++
			_, sentence, _ := strings.Cut(line, `": "`) // past the key
			if path.Ext(rel) != ".json" {
				sentence = strings.ReplaceAll(line, "Hong Kong", "")
			}
			if word := replaced.FindString(sentence); word != "" {
				t.Errorf("%s:%d: %q is not a word of riichi; see docs/glossary.md", rel, i+1, word)
			}
		}
	})
	if checked[".go"] < 1000 || checked[".md"] < 150 || checked[".json"] < 3 {
		t.Errorf("lines checked: %v", checked)
	}
}

// TestSpelling holds names, comments and pages to American spelling. Texts of others, in
// testdata, keep theirs.
func TestSpelling(t *testing.T) {
	american := map[string]string{"grey": "gray", "learnt": "learned", "towards": "toward"}
	for pair := range slices.Chunk(misspell.DictAmerican, 2) {
		american[pair[0]] = pair[1]
	}
	kept := []string{"internal/law/words_test.go", "ruleset/hktw/value_test.go", "internal/pages/chart/uplot"}
	wanted := func(rel string) bool {
		return !within(rel, kept...) && !strings.Contains(rel, "testdata/") && path.Ext(rel) != ".svg"
	}
	eachFile(t, wanted, func(rel string, text []byte) {
		if bytes.IndexByte(text, 0) >= 0 {
			return // binary
		}
		for i, line := range strings.Split(string(text), "\n") {
			for _, word := range spelled.FindAllString(keptSpelling.ReplaceAllString(line, ""), -1) {
				if instead, ok := american[strings.ToLower(word)]; ok {
					t.Errorf("%s:%d: %s; write %s", rel, i+1, word, instead)
				}
			}
		}
	})
}
