package report

import (
	"github.com/sparrowhall/sparrowhall/export/stats"
)

// Phrases returns for each figure that answers speak of the sentence for an amount
// more, for an amount less, and the noun.
func Phrases(amount string) map[string][3]string {
	list := map[string][3]string{}
	for name, p := range phrases {
		k := stats.Key{Section: name[0], Name: name[1], Of: "east"}
		list[k.String()] = [3]string{p.sentenceOf(k, amount, true), p.sentenceOf(k, amount, false), p.nounOf(k)}
	}
	return list
}
