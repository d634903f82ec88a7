package report

import (
	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
)

// Phrases returns for each figure that answers speak of the sentence for an amount more, for an
// amount less, and the noun, in a language.
func Phrases(amount, language string) map[string][3]string {
	r := &Report{Results: &stats.Results{Datasets: make([]stats.Summary, 1)}}
	list := map[string][3]string{}
	for _, section := range stats.Sections {
		for _, name := range findings.Entries(section + ".") {
			k := stats.Key{Section: section, Name: name, Of: "east"}
			a := findings.PlainText(amount)
			list[k.String()] = [3]string{r.sentenceOf(k, a, true).Translate(language), r.sentenceOf(k, a, false).Translate(language), r.nounOf(k).Translate(language)}
		}
	}
	return list
}
