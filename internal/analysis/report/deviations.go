package report

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// deviation is how far a figure of a single dataset is from where it would be if all seats, or
// all agents, were alike.
type deviation struct {
	stats.Comparison
	figure *stats.Figure
	// size is the deviation in standard deviations of a single cluster.
	size float64
}

// deviations returns the deviations of the ranks of seats and agents from their mean and of the
// dealer's wins from those of the others, with probabilities corrected for their number. Where
// agents keep their seats, those of both cannot be separated and are left out.
func (r *Report) deviations() (list []deviation) {
	d := &r.Datasets[0]
	alike := sameAgents(d)
	mean := 0.0 // below that of 1 to 4 where players share ranks
	for _, wind := range d.Winds() {
		if f := d.Figure(stats.Key{Section: stats.SectionSeat, Name: "rank", Of: wind}); f != nil {
			mean += f.Value / float64(len(d.Winds()))
		}
	}
	for i := range d.Figures {
		f := &d.Figures[i]
		v := deviation{figure: f}
		v.Key, v.Meaning, v.Error = f.Key, f.Meaning, f.Error
		v.Value, v.Low, v.High = f.Value, f.Low, f.High
		switch {
		case f.Error == 0 || !f.Low.Known() || d.KeepSeats && !alike:
			continue
		case f.Section == stats.SectionSeat && f.Name == "rank", f.Section == stats.SectionAgent && f.Name == "rank" && !alike:
			v.Value -= mean
			v.Low -= interval.Number(mean)
			v.High -= interval.Number(mean)
		case f.Section != stats.SectionDealer || f.Name != "first_mover_edge":
			continue
		}
		t := distuv.StudentsT{Sigma: 1, Nu: float64(max(f.Clusters-1, 1))}
		v.P = interval.Number(2 * t.Survival(math.Abs(v.Value)/v.Error))
		v.size = v.Value / (f.Error * math.Sqrt(float64(f.Clusters)))
		list = append(list, v)
	}
	stats.AdjustAll(list, func(v *deviation) *stats.Difference { return &v.Difference })
	return list
}

// sameAgents reports whether all agents of a dataset have the same name.
func sameAgents(d *stats.Summary) bool {
	return !slices.ContainsFunc(d.Agents, func(name string) bool { return name != d.Agents[0] })
}

// detectable returns the size of a difference in a headline that nine of ten such runs find
// after the correction.
func (r *Report) detectable(c *stats.Comparison) float64 {
	headlines := 0
	for i := range r.Comparisons {
		if r.Comparisons[i].P.Known() && slices.Contains(stats.Headlines, r.Comparisons[i].Key) {
			headlines++
		}
	}
	if !c.Low.Known() {
		return 0
	}
	level := (1 - interval.Confidence) * stats.HeadlineWeight / float64(max(headlines, 1))
	return (distuv.UnitNormal.Quantile(1-level/2) + distuv.UnitNormal.Quantile(0.9)) * c.Error
}
