package law

import (
	"bytes"
	"path"
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

// TestSpelling holds names, comments and pages to American spelling. Texts of others, in
// testdata, keep theirs.
func TestSpelling(t *testing.T) {
	american := map[string]string{"grey": "gray", "learnt": "learned", "towards": "toward"}
	for pair := range slices.Chunk(misspell.DictAmerican, 2) {
		american[pair[0]] = pair[1]
	}
	kept := []string{"internal/law/words_test.go", "tools/study", "ruleset/hktw/value_test.go", "internal/pages/page/uplot"}
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
