package review

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/sparrowhall/sparrowhall/internal/pages/board"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

//go:embed en.json ja.json zh-Hant.json
var files embed.FS

// sentences are the sentences of a review by language and key.
var sentences = sync.OnceValue(func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, language := range board.Languages {
		all[language] = board.AddSentences(map[string]string{}, &files, language+".json")
	}
	return all
})

// phrase is a sentence or a part of one: its key in the files of languages, and the values for the
// names in braces there. A value is a text, a number, a tile, some tiles or another phrase.
type phrase struct {
	key    string
	values values
}

type values map[string]any

func (p phrase) in(language string) string {
	text, ok := sentences()[language][p.key]
	if !ok {
		panic("review: no sentence " + p.key + " in " + language)
	}
	var pairs []string
	for name, value := range p.values {
		pairs = append(pairs, "{"+name+"}", valueIn(language, value))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func valueIn(language string, value any) string {
	switch x := value.(type) {
	case string:
		return x
	case int:
		return strconv.Itoa(x)
	case tile.Face:
		return board.TileName(language, x)
	case tile.Kind:
		return board.TileName(language, tile.Face(x))
	case []tile.Kind:
		var b strings.Builder
		for _, k := range x {
			b.WriteString(valueIn(language, k))
		}
		return b.String()
	case phrase:
		return x.in(language)
	}
	panic(fmt.Sprintf("review: a value of type %T", value))
}

// counted returns the phrase of a number of things: tiles or decisions.
func counted(n int, things string) phrase {
	if n == 1 {
		return phrase{key: things + "_1"}
	}
	return phrase{things + "_n", values{"n": n}}
}
