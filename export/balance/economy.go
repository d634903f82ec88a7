package balance

import (
	"cmp"
	"math"

	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/export/report"
	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// addOffered adds whether what players are offered more rarely costs more.
func (v *View) addOffered() {
	n := float64(len(v.Offered))
	if n == 0 {
		return // too few patterns
	}
	f := Figure{
		Group: Economy, Name: "rarer is dearer", About: "how often the pattern that is offered more rarely costs more, of two that do not cost the same", Unit: report.Share,
		Value: dearer(v.Offered, -1), Low: export.Missing, High: export.Missing, Cases: n, Per: "patterns",
	}
	// A jackknife over patterns, whose prices are what a ruleset chooses.
	sum, squares := 0.0, 0.0
	for i := range v.Offered {
		x := dearer(v.Offered, i)
		sum += x
		squares += x * x
	}
	f.Error = math.Sqrt(max(0, squares-sum*sum/n) * (n - 1) / n)
	if half := interval.StudentT(n-1) * f.Error; half > 0 {
		f.Low, f.High = export.Number(max(0, f.Value-half)), export.Number(min(1, f.Value+half))
	}
	v.Figures = append(v.Figures, f)
}

// dearer returns how often the rarer of two patterns with different prices is the dearer
// one, without the pattern but. Of two as rare as each other it is half the time.
func dearer(list []report.PatternPrice, but int) float64 {
	pairs, right := 0.0, 0.0
	for i := range list {
		for j := range i {
			price := cmp.Compare(list[i].Price, list[j].Price)
			if i == but || j == but || price == 0 {
				continue
			}
			pairs++
			right += (1 - float64(price*cmp.Compare(list[i].Frequency, list[j].Frequency))) / 2
		}
	}
	if pairs == 0 {
		return 0.5 // all patterns cost the same
	}
	return right / pairs
}

// addAdapted adds what adapting to the ruleset is worth.
func (v *View) addAdapted(equal *report.Summary) {
	win := equal.Figure(report.Key{Section: "win", Name: "value"})
	if v.Adaptation == nil || win == nil || !(win.Value > 0) {
		return
	}
	w, mean := &v.Adaptation.Worth, export.Number(win.Value)
	v.Figures = append(v.Figures, Figure{
		Group: Adapting, Name: "worth of adapting", About: "points a match that value gains over three others if its weights are tuned for the ruleset, in mean wins", Unit: report.Times,
		Value: w.Value / win.Value, Error: w.Error / win.Value, Low: w.Low / mean, High: w.High / mean, Cases: w.Count, Per: "matches",
	})
}
