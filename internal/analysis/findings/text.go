package findings

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/sparrowhall/sparrowhall/internal/pages/board"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

// Languages are the languages of all pages. Terminals and JSON have the first. Each has a file with
// the same entries.
var Languages = board.Languages

//go:embed en.json ja.json zh-Hant.json
var files embed.FS

// Tag returns the tag of a language in the words of a family of rules, for which a win or a ready
// hand has names of its own. Without a family it is the language.
func Tag(language, family string) string {
	if family == "" {
		return language
	}
	return language + "-x-" + family // for private use: RFC 5646, section 2.2.7
}

// known has the entries of each tag that was used.
var known sync.Map

// words returns the entries of a tag.
func words(tag string) map[string]string {
	if all, ok := known.Load(tag); ok {
		return all.(map[string]string)
	}
	language, family, _ := strings.Cut(tag, "-x-")
	usual := board.AddSentences(map[string]string{}, &files, language+".json")
	all := board.PatternNames(language)
	for id, text := range usual {
		all[id] = board.WithTerms(board.Replace(text, usual, family, "term.given", "term.ready"), language, family)
	}
	known.Store(tag, all)
	return all
}

// Text is text in all languages: an entry of their files with its arguments.
type Text struct {
	// ID is the entry. Without one, or in a language that lacks it, the text is the first
	// argument.
	ID string
	// Args replace {0}, {1} and so on: a Text, a []Text, or any value that fmt prints.
	Args []any
	// Down chooses the second word of {more|less}.
	Down bool
}

// NewText returns the text of an entry.
func NewText(id string, args ...any) Text { return Text{ID: id, Args: args} }

// Count returns a number of things: "match", "set" of duplicate walls, "seating", or "waiting" match.
func Count[T int | int64 | uint64](n T, thing string) Text {
	id := "count." + thing
	if n == 1 {
		id += ".one"
	}
	return NewText(id, n)
}

// PatternName returns the name of a pattern of a family of rules: its ID in English.
func PatternName(family, id string) Text {
	return Text{ID: "pattern." + family + "." + id, Args: []any{id}}
}

// PlainText returns text that is the same in all languages.
func PlainText(text string) Text { return Text{Args: []any{text}} }

// ListAgents returns the names of agents, separated by commas and equal ones once with their number.
func ListAgents(names []string) string {
	var list []string
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		n := 0
		for _, other := range names {
			if other == name {
				n++
			}
		}
		if n > 1 {
			name = fmt.Sprintf("%d × %s", n, name)
		}
		list = append(list, name)
	}
	return strings.Join(list, ", ")
}

// HasEntry reports whether the files have an entry.
func HasEntry(id string) bool { return words(Languages[0])[id] != "" }

// patterns match the English texts of entries with places, the longest first.
var patterns = sync.OnceValue(func() (list []pattern) {
	for id, text := range words(Languages[0]) {
		if places := placeholder.FindAllString(text, -1); strings.HasPrefix(id, "label.") && len(places) > 0 {
			quoted := placeholder.ReplaceAllLiteralString(text, "\x00")
			quoted = strings.ReplaceAll(regexp.QuoteMeta(quoted), "\x00", "(.+?)")
			list = append(list, pattern{id, regexp.MustCompile("(?s)^" + quoted + "$")})
		}
	}
	slices.SortFunc(list, func(a, b pattern) int { return cmp.Or(cmp.Compare(len(b.id), len(a.id)), cmp.Compare(a.id, b.id)) })
	return list
})

// pattern is an entry whose English text has places.
type pattern struct {
	id      string
	matches *regexp.Regexp
}

// Say returns an English text as the entry of its label or figure, whose places {0}, {1} and so on stand for any text. A
// text without an entry is the same in all languages.
func Say(text string) Text {
	for _, id := range []string{"label." + text, "figure." + text} {
		if HasEntry(id) {
			return NewText(id, text)
		}
	}
	for _, p := range patterns() {
		if found := p.matches.FindStringSubmatch(text); found != nil {
			t := Text{ID: p.id}
			for _, part := range found[1:] {
				t.Args = append(t.Args, Say(part))
			}
			return t
		}
	}
	return PlainText(text)
}

// placeholder matches the place of an argument, or the two words for directions.
var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// format returns the text in a language with places for its arguments.
func (t Text) format(language string) string {
	if format := words(language)[t.ID]; format != "" {
		return format
	}
	return "{0}"
}

// Translate returns the text in a language, or in that of a [Tag].
func (t Text) Translate(language string) string {
	return placeholder.ReplaceAllStringFunc(t.format(language), func(p string) string {
		p = p[1 : len(p)-1]
		if up, down, ok := strings.Cut(p, "|"); ok {
			if t.Down {
				return down
			}
			return up
		}
		i, err := strconv.Atoi(p)
		if err != nil || i >= len(t.Args) {
			return ""
		}
		switch arg := t.Args[i].(type) {
		case Text:
			return arg.Translate(language)
		case []Text:
			var list []string
			for _, one := range arg {
				list = append(list, one.Translate(language))
			}
			return strings.Join(list, words(language)["between"])
		default:
			return sanitize.Line(fmt.Sprint(arg))
		}
	})
}

// String returns the text in English.
func (t Text) String() string { return t.Translate(Languages[0]) }

// MarshalJSON implements [json.Marshaler]: the text in English.
func (t Text) MarshalJSON() ([]byte, error) { return json.Marshal(t.String()) }

// startsWithArgument reports whether the text begins with a name or a number, whose case is kept.
func (t Text) startsWithArgument(language string) bool {
	format := t.format(language)
	at := placeholder.FindStringIndex(format)
	if at == nil || at[0] > 0 {
		return false
	}
	i, err := strconv.Atoi(format[1 : at[1]-1])
	if err != nil || i >= len(t.Args) {
		return false
	}
	switch arg := t.Args[i].(type) {
	case Text:
		return arg.startsWithArgument(language)
	case []Text:
		return len(arg) > 0 && arg[0].startsWithArgument(language)
	}
	return true
}

func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// sentence returns the text as a sentence, with a capital and a full stop.
func (t Text) sentence(language string) string {
	text := t.Translate(language)
	if !t.startsWithArgument(language) {
		text = capital(text)
	}
	stop := words(language)["stop"]
	if strings.HasSuffix(text, stop) || strings.HasSuffix(text, "?") || strings.HasSuffix(text, ":") {
		return text
	}
	return text + stop
}
