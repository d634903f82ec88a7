package report

import (
	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
)

// phraseOf returns the entry of package findings for a figure. In the sentence on its change, {0}
// is the amount and {1} the subject. Answers leave out figures without an entry; the tables of a
// report have them.
func phraseOf(k stats.Key) (id string, ok bool) {
	id = k.Section + "." + k.Name
	return id, findings.HasEntry(id)
}

func (r *Report) nounOf(k stats.Key) findings.Text {
	id, _ := phraseOf(k)
	return findings.NewText(id+".noun", "", r.subject(k))
}

// boundOf returns the entry for the bound of the change of a figure with an entry: with what it is counted by, such as
// a match, where its noun does not say that.
func boundOf(id string) string {
	if id = "bound." + id; findings.HasEntry(id) {
		return id
	}
	return "bound"
}

// subject returns the seat, agent or pattern of a figure.
func (r *Report) subject(k stats.Key) findings.Text {
	switch {
	case k.Of == "":
	case k.Section == stats.SectionSeat:
		return findings.NewText("wind." + k.Of)
	case k.Section == stats.SectionPattern:
		return findings.PatternName(r.Datasets[0].Family, k.Of)
	}
	return findings.PlainText(k.Of)
}

// sentenceOf returns the sentence for a change of a figure by an amount, an increase if up is
// set.
func (r *Report) sentenceOf(k stats.Key, amount findings.Text, up bool) findings.Text {
	id, _ := phraseOf(k)
	t := findings.NewText(id, amount, r.subject(k))
	t.Down = !up
	return t
}
