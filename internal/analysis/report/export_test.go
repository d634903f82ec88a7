package report

import (
	"encoding/json"
	"os"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
)

// Phrases returns for each figure that answers speak of the sentence for an amount more, for an
// amount less, and the noun, in a language.
func Phrases(amount, language string) (map[string][3]string, error) {
	text, err := os.ReadFile("../findings/en.json")
	if err != nil {
		return nil, err
	}
	var entries map[string]string
	if err := json.Unmarshal(text, &entries); err != nil {
		return nil, err
	}
	r := &Report{Results: &stats.Results{Datasets: make([]stats.Summary, 1)}}
	list := map[string][3]string{}
	for id := range entries {
		for _, section := range stats.Sections {
			name, has := strings.CutPrefix(id, section+".")
			if name, noun := strings.CutSuffix(name, ".noun"); has && noun {
				k := stats.Key{Section: section, Name: name, Of: "east"}
				a := findings.PlainText(amount)
				list[k.String()] = [3]string{r.sentenceOf(k, a, true).Translate(language), r.sentenceOf(k, a, false).Translate(language), r.nounOf(k).Translate(language)}
			}
		}
	}
	return list, nil
}
