package ruleset

import (
	_ "embed" // the words of the knobs of Flow
	"reflect"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset/internal/rows"
)

// Word is a word that a knob takes: its Text as in files, and its Meaning
// in a line.
type Word struct{ Text, Meaning string }

// words are the words of the types of knobs, such as ruleset.Lock: value i of a type is word i, or
// bit i of one that is a set.
var words = map[string][]Word{}

//go:embed knobwords.go
var knobWords string

func init() { RegisterWords(knobWords) }

// RegisterWords reads the words of knobs from the source of a file knobwords.go: a row for each
// constant, with a comment of the form "word: meaning". So constants and words cannot differ. A
// family calls it in an init function.
func RegisterWords(source string) {
	pkg, name := strings.Fields(source)[1], ""
	for r := range rows.All(source) {
		if fields := strings.Fields(r.Code); len(fields) > 1 { // the first of its type
			name = pkg + "." + fields[1]
		}
		words[name] = append(words[name], Word{r.ID, r.Text})
	}
}

// wordsOf returns the words of the type of a knob, nil if it takes none.
func wordsOf(t reflect.Type) []Word {
	if t == reflect.TypeFor[PointsTable]() {
		t = reflect.TypeFor[PointsCurve]()
	}
	return words[t.String()]
}

// WordOf returns the word of a value of a knob.
func WordOf[T ~uint8](value T) string { return wordsOf(reflect.TypeFor[T]())[value].Text }
