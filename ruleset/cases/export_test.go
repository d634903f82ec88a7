package cases

import (
	"fmt"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
)

// Page returns the tables of the members and of the flags of a case, as Markdown,
// with the families that take them.
func Page(families []*ruleset.Family) string {
	takers := func(word string, special bool) string {
		var names []string
		for _, f := range families {
			if f.Traits.TakesCaseWord(word) {
				names = append(names, f.Name)
			}
		}
		if !special {
			return "all"
		}
		return strings.Join(names, ", ")
	}
	var b strings.Builder
	b.WriteString("| member | families | meaning |\n| --- | --- | --- |\n")
	for _, m := range members {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", m.name, takers(m.name, m.special), m.doc)
	}
	b.WriteString("\nThe flags:\n\n| flag | families | meaning |\n| --- | --- | --- |\n")
	for _, f := range flags {
		word := f.word
		if f.count != nil {
			word += ":N"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", word, takers(f.word, f.special), f.doc)
	}
	return b.String()
}
