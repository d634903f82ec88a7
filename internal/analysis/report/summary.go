package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/digits"
)

// Summary returns the summary at the top of the report: of the differences from the first
// dataset, or of a single dataset.
func (r *Report) Summary() *findings.Summary {
	s := &findings.Summary{Scale: findings.NewText("scale.sigma")}
	first := &r.Datasets[0]
	s.Compared = append(s.Compared, findings.NewText("compared.first", r.Label(0), first.Matches, sourceText(first)))
	if len(r.Datasets) == 1 {
		r.summarizeOne(s)
	} else {
		r.summarizeDifferences(s)
	}
	for i := range r.Datasets {
		if !r.Datasets[i].Hands {
			s.Certainty = append(s.Certainty, findings.NewText("sure.hands", r.Label(i)))
		}
	}
	imported := slices.ContainsFunc(r.Datasets, func(d stats.Summary) bool { return d.Imported })
	more := "sure.more"
	if imported {
		more = "sure.more.records"
	}
	s.Certainty = append(s.Certainty, findings.NewText(more, 4*first.Matches))
	if !imported {
		s.Certainty = append(s.Certainty, findings.NewText("sure.programs"))
	}
	return s
}

// sourceText returns where the matches come from: the seed, or the start of the commitment of a
// sealed run, with the players, or the format of the records.
func sourceText(d *stats.Summary) findings.Text {
	switch {
	case d.Imported:
		return findings.NewText("records", d.Format)
	case d.Sealed != "":
		return findings.NewText("sealed", fmt.Sprintf("%.16s", d.Sealed), findings.ListAgents(d.Agents))
	}
	return findings.NewText("seed", d.Seed, findings.ListAgents(d.Agents))
}

// summarizeDifferences fills in a summary of several datasets.
func (r *Report) summarizeDifferences(s *findings.Summary) {
	var list []findings.Finding
	type response struct {
		text findings.Text
		of   []findings.Text // the rulesets under which it is the same
	}
	var responses []response
	var answers []*Answer
	for i := 1; i < len(r.Datasets); i++ {
		d := &r.Datasets[i]
		label := findings.PlainText(r.Label(i))
		var a *Answer
		if n := slices.IndexFunc(r.Answers, func(a Answer) bool { return a.Dataset == i }); n >= 0 {
			a = &r.Answers[n]
			label = a.title
		}
		if r.paired(i) {
			s.Compared = append(s.Compared, findings.NewText("compared.paired", label))
		} else {
			id := "compared.apart"
			if first := &r.Datasets[0]; d.Seed == first.Seed && !d.Imported && !first.Imported && d.Sealed+first.Sealed == "" {
				id = "compared.same"
			}
			s.Compared = append(s.Compared, findings.NewText(id, label, d.Matches, sourceText(d)))
		}
		if a == nil {
			continue
		}
		under := func(t findings.Text) findings.Text { return t }
		if len(r.Datasets) > 2 {
			name := r.Label(i)
			under = func(t findings.Text) findings.Text { return findings.NewText("under", name, t) }
		}
		list = append(list, r.findingsOf(a, under)...)
		if a.Response != nil {
			text := responseText(a)
			n := slices.IndexFunc(responses, func(other response) bool { return other.text.String() == text.String() })
			if n < 0 {
				n = len(responses)
				responses = append(responses, response{text: text})
			}
			responses[n].of = append(responses[n].of, findings.PlainText(r.Label(i)))
		}
		answers = append(answers, a)
		for _, t := range unchangedSentences(r.unchanged(a), r.Datasets[0].Matches) {
			s.Unchanged = append(s.Unchanged, under(t))
		}
	}
	if len(answers) > 1 {
		s.Bounds = r.bounds(answers)
	}
	for _, one := range responses {
		if len(r.Datasets) > 2 {
			one.text = findings.NewText("under", one.of, one.text)
		}
		s.Players = append(s.Players, one.text)
	}
	s.Findings = findings.Choose(list)
	findings.AlignAll(s.Findings)
	s.Further = len(list) - len(s.Findings)
	addCorrected(s, r.Compared())
	r.addPower(s)
}

// addCorrected adds for how many figures the findings are corrected, if any was looked at.
func addCorrected(s *findings.Summary, figures int) {
	if figures > 0 {
		s.Certainty = append(s.Certainty, findings.NewText("sure.corrected", figures))
	}
}

// paired reports whether a dataset is compared with the first match by match.
func (r *Report) paired(dataset int) bool {
	return slices.ContainsFunc(r.Comparisons, func(c stats.Comparison) bool { return c.Dataset == dataset && c.Paired })
}

// findingsOf returns the findings of an answer. How much a change of prices moves the mean value
// of a win is one: it depends on the hands that players make. Its other amounts of points repeat
// that, and events that a ruleset excludes follow from the rule text.
func (r *Report) findingsOf(a *Answer, under func(findings.Text) findings.Text) (list []findings.Finding) {
	value := stats.Key{Section: stats.SectionWin, Name: "value"}
	for _, e := range slices.Concat(a.Effects, a.Priced) {
		c := r.Comparison(a.Dataset, e.Key)
		if c.Excluded || a.prices(c) && e.Key != value {
			continue
		}
		f := findings.Finding{
			Text: under(e.sentence), Number: e.values, P: e.Adjusted, Size: e.Size,
			Topic:   fmt.Sprint(a.Dataset, " ", topics[e.Section+"."+e.Name]),
			Picture: findings.Picture{Value: e.Size, Low: e.Size, High: e.Size, Lines: []findings.Mark{{Name: findings.NewText("no_change")}}, Text: sigmas},
		}
		if f.Topic == fmt.Sprint(a.Dataset, " ") {
			f.Topic += e.Section
		}
		if e.Low.Known() && e.Value != 0 {
			f.Picture.Low, f.Picture.High = e.Size*float64(e.Low)/e.Value, e.Size*float64(e.High)/e.Value
		}
		f.Dataset = a.Dataset
		r.addMatches(&f, a.Dataset, c.Matches)
		list = append(list, f)
	}
	return list
}

// sigmas returns a number of standard deviations as text.
func sigmas(x float64) string { return digits.Signed(x, 2) + "σ" }

// topics are what figures are about where their section is too wide or too narrow.
var topics = map[string]string{
	"match.hands": "length", "match.decisions": "length", "match.truncated": "length", "dealer.stays": "length",
	"match.lead": "spread", "match.spread": "spread", "match.lead_changes": "course", "match.last_hand_decides": "course",
	"match.comeback_from_last": "course", "match.wire_to_wire": "course",
	"seat.points": "seats", "seat.rank": "seats", "dealer.first_mover_edge": "seats", "dealer.points_edge": "seats",
	"hand.discards": "tempo", "win.turns": "tempo", "hand.ready": "ready", "win.ready": "ready", "agent.ready": "ready",
	"hand.open": "calls", "win.open": "calls", "agent.call": "calls",
}

// responseText describes whether the players play differently.
func responseText(a *Answer) findings.Text {
	switch d := a.Response; {
	case d.Decisions == 0:
		return findings.NewText("players.unknown")
	case d.Changed == 0:
		return findings.NewText("players.same", d.Decisions, d.Matches)
	case d.Slight():
		return findings.NewText("players.hardly", d.Changed, d.Decisions, d.Matches)
	default:
		return findings.NewText("players.differ", digits.Share(float64(d.Changed)/float64(d.Decisions)), d.Decisions, d.Matches)
	}
}

// addPower adds the changes of the value of a win and of the length of a match that nine of ten
// such runs find.
func (r *Report) addPower(s *findings.Summary) {
	var list []findings.Text
	for _, k := range []stats.Key{{Section: stats.SectionWin, Name: "value"}, {Section: stats.SectionMatch, Name: "hands"}, {Section: stats.SectionHand, Name: "won"}} {
		var worst *stats.Comparison
		size := 0.0
		for i := 1; i < len(r.Datasets); i++ {
			if c := r.Comparison(i, k); c != nil && r.detectable(c) > size {
				size, worst = r.detectable(c), c
			}
		}
		if worst != nil && !math.IsInf(size, 0) {
			list = append(list, findings.NewText("power", r.nounOf(k), amount(worst, r.Datasets[0].Figure(k), size, size, size)))
		}
	}
	if len(list) > 0 {
		s.Certainty = append(s.Certainty, findings.NewText("sure.power", list))
	}
}

// summarizeOne fills in the summary of a single dataset: whether the seats are worth the same,
// and whether the agents are equally strong.
func (r *Report) summarizeOne(s *findings.Summary) {
	d := &r.Datasets[0]
	s.Alone = true
	alone := "compared.alone"
	if sameAgents(d) {
		alone = "compared.seats"
	}
	s.Compared = append(s.Compared, findings.NewText(alone))
	deviations := r.deviations()
	var list []findings.Finding
	for i := range deviations {
		v := &deviations[i]
		c, id := &v.Comparison, "alone."+v.Section
		if !c.Clear() {
			id := "bound.mean"
			if c.Section == stats.SectionDealer {
				id = "bound.edge"
			}
			if bound, _ := r.bound(c); bound.ID != "" {
				s.Unchanged = append(s.Unchanged, findings.NewText(id, findings.NewText("alone."+v.Section+".noun", "", r.subject(c.Key)), bound))
			}
			continue
		}
		value, low, high := c.Difference.Absolute()
		f := findings.Finding{P: c.Adjusted, Size: v.size, Topic: c.Section + c.Of}
		f.Text = findings.NewText(id, amount(c, v.figure, value, low, high), r.subject(c.Key))
		f.Text.Down = c.Value < 0
		if c.Unit == stats.Rank {
			f.Number = findings.NewText("alone.rank", v.figure.Text(stats.Rank))
		}
		f.Picture = findings.Picture{
			Value: v.size, Low: v.size * float64(c.Low) / c.Value, High: v.size * float64(c.High) / c.Value,
			Lines: []findings.Mark{{Name: findings.NewText("mean")}}, Text: sigmas,
		}
		list = append(list, f)
	}
	s.Findings = findings.Choose(list)
	findings.AlignAll(s.Findings)
	s.Further = len(list) - len(s.Findings)
	addCorrected(s, len(deviations))
	if d.KeepSeats && !d.Imported && !sameAgents(d) {
		s.Certainty = append(s.Certainty, findings.NewText("sure.seats"))
	}
	if k := d.SkillByRank; k != nil && k.Skill.Low.Known() {
		s.Certainty = append(s.Certainty, findings.NewText("sure.skill", k.Skill.Text()))
	}
}
