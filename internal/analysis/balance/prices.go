package balance

import (
	"cmp"
	"math"

	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// addOffered adds the share of pairs of patterns in which the rarer opportunity has the
// higher price.
func (v *Profile) addOffered() {
	n := float64(len(v.Offered))
	if n == 0 {
		return // too few patterns
	}
	f := Figure{
		Group: Economy, Name: "rarer is dearer", About: "pairs of patterns with different prices in which the rarer opportunity has the higher price", Unit: stats.Share,
		Value: shareDearer(v.Offered, -1), Low: interval.Missing, High: interval.Missing, Cases: n, Per: "patterns",
	}
	// The jackknife is over patterns, whose prices a ruleset chooses.
	sum, squares := 0.0, 0.0
	for i := range v.Offered {
		x := shareDearer(v.Offered, i)
		sum += x
		squares += x * x
	}
	f.Error = math.Sqrt(max(0, squares-sum*sum/n) * (n - 1) / n)
	if f.Error > 0 && f.Value > 0 && f.Value < 1 {
		f.Low, f.High = interval.AroundShare(f.Value, interval.Effective(f.Value, f.Error, n-1))
	}
	v.Figures = append(v.Figures, f)
}

// shareDearer returns the share of pairs of patterns with different prices in which the rarer
// has the higher price, without pattern number excluded. Equally rare ones count by half.
func shareDearer(list []stats.PatternPrice, excluded int) float64 {
	pairs, right := 0.0, 0.0
	for i := range list {
		for j := range i {
			price := cmp.Compare(list[i].Price, list[j].Price)
			if i == excluded || j == excluded || price == 0 {
				continue
			}
			pairs++
			right += (1 - float64(price*cmp.Compare(list[i].Frequency, list[j].Frequency))) / 2
		}
	}
	if pairs == 0 {
		return 0.5 // all patterns have the same price
	}
	return right / pairs
}

// addAdapted adds the gain of a player tuned for the ruleset.
func (v *Profile) addAdapted(equal *stats.Summary) {
	win := equal.Figure(stats.Key{Section: "win", Name: "value"})
	if v.Adaptation == nil || win == nil || !(win.Value > 0) {
		return
	}
	w, mean := &v.Adaptation.Worth, interval.Number(win.Value)
	v.Figures = append(v.Figures, Figure{
		Group: Adapting, Name: "worth of adapting", About: "points a match that value gains over the others with weights tuned for the ruleset, in mean wins", Unit: stats.Times,
		Value: w.Value / win.Value, Error: w.Error / win.Value, Low: w.Low / mean, High: w.High / mean, Cases: w.Count, Per: "matches",
	})
}
