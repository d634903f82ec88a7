package review

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/pages/board"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// TestLanguages checks that every language has every sentence with the same values, and each
// sentence that the program names.
func TestLanguages(t *testing.T) {
	english := sentences()["en"]
	values := regexp.MustCompile(`{\w+}`)
	for _, language := range board.Languages[1:] {
		s := sentences()[language]
		for key, text := range english {
			if s[key] == "" {
				t.Errorf("%s: no sentence %q", language, key)
			}
			for _, value := range values.FindAllString(text, -1) {
				if !strings.Contains(s[key], value) {
					t.Errorf("%s: %q lacks %s", language, key, value)
				}
			}
		}
		if len(s) != len(english) {
			t.Errorf("%s has %d sentences, want %d", language, len(s), len(english))
		}
	}
	named := regexp.MustCompile(`phrase\{(?:key: )?"(\w+)"|\{\{(?:key: )?"(\w+)"|shape\("(\w+)"`)
	for _, file := range []string{"words.go", "reason.go", "mistakes.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range named.FindAllStringSubmatch(string(text), -1) {
			key := found[1] + found[2] + found[3]
			if _, answer := english["doing_"+key]; english[key] == "" && !answer {
				t.Errorf("no sentence %q of %s", key, file)
			}
		}
	}
}

// TestPhrase checks a phrase with tiles and a part in each language.
func TestPhrase(t *testing.T) {
	p := phrase{"danger", values{
		"f": tile.Face(34), "x": phrase{key: "open"}, "g": tile.Kind(27), "y": phrase{"suji", values{"k": tile.Kind(13)}},
		"rival": phrase{"to_declared", values{"wind": phrase{key: "wind2"}, "ready": phrase{key: "riichi"}}},
	}}
	for language, want := range map[string]string{
		"en":      "0m was dangerous to West's riichi while 1z was suji of 5p",
		"ja":      "西家のリーチに赤5萬は危険、東は5筒の筋",
		"zh-Hant": "對西家的立直，赤5萬 為危險，東 為5筒 的筋牌",
	} {
		if got := p.in(language); got != want {
			t.Errorf("%s: %s, want %s", language, got, want)
		}
	}
}
