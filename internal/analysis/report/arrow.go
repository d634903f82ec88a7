package report

import (
	"errors"
	"io"

	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/matchluck"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// writeArrow writes rows as an Arrow IPC file. Their tags are those of the rows of datasets; see
// [schema.NewRecord].
func writeArrow[R any](w io.WriteSeeker, rows []R) error {
	record := schema.NewRecord(rows)
	defer record.Release()
	f, err := ipc.NewFileWriter(w, ipc.WithSchema(record.Schema()))
	if err != nil {
		return err
	}
	return errors.Join(f.Write(record), f.Close())
}

// figureRow is a figure of a dataset.
type figureRow struct {
	Dataset  uint64          `column:"dataset" doc:"number of the dataset as named, from 0"`
	Ruleset  string          `column:"ruleset" doc:"ruleset of the dataset"`
	Section  string          `column:"section" doc:"what the figure is about"`
	Name     string          `column:"name" doc:"the figure"`
	Of       string          `column:"of" doc:"seat, wind, agent or pattern it is of, empty for all"`
	Unit     string          `column:"unit" doc:"what it is measured in; shares are parts of 1"`
	About    string          `column:"about" doc:"what it says"`
	Per      string          `column:"per" doc:"what is counted"`
	Value    float64         `column:"value" doc:"the estimate, sum/count"`
	Sum      float64         `column:"sum" doc:"the amount"`
	Count    float64         `column:"count" doc:"number of cases"`
	Error    float64         `column:"error" doc:"standard error over clusters"`
	Low      interval.Number `column:"low" doc:"lower end of the 95 % interval"`
	High     interval.Number `column:"high" doc:"upper end of the 95 % interval"`
	Clusters uint64          `column:"clusters" doc:"number of independent clusters"`
}

// Figures writes all figures as an Arrow IPC file, a row each.
func (r *Report) Figures(w io.WriteSeeker) error {
	var rows []figureRow
	for i := range r.Datasets {
		for _, f := range r.Datasets[i].Figures {
			rows = append(rows, figureRow{
				uint64(i), r.Datasets[i].Ruleset, f.Section, f.Name, f.Of, string(f.Unit), f.About, f.Per,
				f.Value, f.Sum, f.Count, f.Error, f.Low, f.High, uint64(f.Clusters),
			})
		}
	}
	return writeArrow(w, rows)
}

// differenceRow is a comparison of a figure with that of the first dataset.
type differenceRow struct {
	Dataset    uint64          `column:"dataset" doc:"number of the dataset that is compared with number 0"`
	Section    string          `column:"section" doc:"what the figure is about"`
	Name       string          `column:"name" doc:"the figure"`
	Of         string          `column:"of" doc:"seat, wind, agent or pattern it is of, empty for all"`
	Unit       string          `column:"unit" doc:"what it is measured in; shares are parts of 1"`
	Paired     bool            `column:"paired" doc:"compared match by match"`
	Difference float64         `column:"difference" doc:"figure of the dataset less that of number 0"`
	Error      float64         `column:"error" doc:"standard error"`
	Low        interval.Number `column:"low" doc:"lower end of the 95 % interval"`
	High       interval.Number `column:"high" doc:"upper end of the 95 % interval"`
	P          interval.Number `column:"p" doc:"probability of such a difference by chance"`
	Adjusted   interval.Number `column:"p_adjusted" doc:"the same corrected for all comparisons"`
}

// Differences writes all comparisons as an Arrow IPC file, a row each.
func (r *Report) Differences(w io.WriteSeeker) error {
	var rows []differenceRow
	for _, c := range r.Comparisons {
		rows = append(rows, differenceRow{
			uint64(c.Dataset), c.Section, c.Name, c.Of, string(c.Unit), c.Paired, c.Value, c.Error, c.Low, c.High, c.P, c.Adjusted,
		})
	}
	return writeArrow(w, rows)
}

// quantileRow is a quantile of a distribution of a dataset.
type quantileRow struct {
	Dataset      uint64  `column:"dataset" doc:"number of the dataset as named, from 0"`
	Ruleset      string  `column:"ruleset" doc:"ruleset of the dataset"`
	Distribution string  `column:"distribution" doc:"what is distributed"`
	Unit         string  `column:"unit" doc:"unit of value, low and high"`
	Part         float64 `column:"part" doc:"part of the cases that are no greater"`
	Value        float64 `column:"value" doc:"the quantile"`
	Low          float64 `column:"low" doc:"lower end of the 95 % interval"`
	High         float64 `column:"high" doc:"upper end of the 95 % interval"`
}

// Quantiles writes the quantiles of all distributions as an Arrow IPC file, a row each.
func (r *Report) Quantiles(w io.WriteSeeker) error {
	var rows []quantileRow
	for i := range r.Datasets {
		for _, d := range r.Datasets[i].Distributions {
			for _, q := range d.Quantiles {
				rows = append(rows, quantileRow{uint64(i), r.Datasets[i].Ruleset, d.Name, string(d.Unit), q.Part, q.Value, q.Low, q.High})
			}
		}
	}
	return writeArrow(w, rows)
}

// componentRow is a component of a variance of a dataset.
type componentRow struct {
	Dataset    uint64          `column:"dataset" doc:"number of the dataset as named, from 0"`
	Ruleset    string          `column:"ruleset" doc:"ruleset of the dataset"`
	Of         string          `column:"of" doc:"of which results: ranks; placement points"`
	Part       string          `column:"part" doc:"total; skill; walls, the luck of the walls; rest, the luck of play"`
	Sets       uint64          `column:"sets" doc:"number of duplicate sets, or of matches without them"`
	SetMatches uint64          `column:"set_matches" doc:"matches of a set"`
	Variance   interval.Number `column:"variance" doc:"of one player's result in one match, ranks or placement points squared"`
	Share      interval.Number `column:"share" doc:"part of the total"`
	Low        interval.Number `column:"low" doc:"lower end of the 95 % interval of share"`
	High       interval.Number `column:"high" doc:"upper end of the 95 % interval of share"`
}

// Skills writes the components of skill and luck as an Arrow IPC file, a row each.
func (r *Report) Skills(w io.WriteSeeker) error {
	var rows []componentRow
	for i := range r.Datasets {
		for _, s := range skills(&r.Datasets[i]) {
			for part, c := range []*stats.Component{&s.Total, &s.Skill.Skill, &s.Walls, &s.Rest} {
				name := [...]string{"total", "skill", "walls", "rest"}[part]
				rows = append(rows, componentRow{
					uint64(i), r.Datasets[i].Ruleset, s.what, name, uint64(s.Sets), uint64(s.SetMatches), c.Variance, c.Share, c.Low, c.High,
				})
			}
		}
	}
	return writeArrow(w, rows)
}

// pairRow is the comparison of two agents of a dataset.
type pairRow struct {
	Dataset         uint64          `column:"dataset" doc:"number of the dataset as named, from 0"`
	Ruleset         string          `column:"ruleset" doc:"ruleset of the dataset"`
	A               string          `column:"a" doc:"an agent"`
	B               string          `column:"b" doc:"another"`
	Difference      float64         `column:"difference" doc:"placement points a match that a is better than b"`
	Low             interval.Number `column:"low" doc:"lower end of the 95 % interval"`
	High            interval.Number `column:"high" doc:"upper end of the 95 % interval"`
	Sets            uint64          `column:"sets" doc:"number of sets in which both play"`
	Deviation       interval.Number `column:"deviation" doc:"standard deviation of the difference in a match"`
	PairedDeviation interval.Number `column:"paired_deviation" doc:"the same in a match of a set"`
	Needed          interval.Number `column:"needed" doc:"matches that show the difference at 5 % with a power of 80 %"`
	NeededLow       interval.Number `column:"needed_low" doc:"the same at the far end of the interval"`
	NeededHigh      interval.Number `column:"needed_high" doc:"the same at the near end of the interval"`
	NeededAlone     interval.Number `column:"needed_alone" doc:"the same where every match has walls of its own"`
}

// Pairs writes the differences of agents as an Arrow IPC file, a row for each pair.
func (r *Report) Pairs(w io.WriteSeeker) error {
	var rows []pairRow
	for i := range r.Datasets {
		if s := r.Datasets[i].Skill; s != nil {
			for _, p := range s.Pairs {
				d := &p.Difference
				rows = append(rows, pairRow{
					uint64(i), r.Datasets[i].Ruleset, p.A, p.B, d.Value, d.Low, d.High, uint64(d.Clusters),
					p.Deviation, p.PairedDeviation, p.Needed, p.NeededLow, p.NeededHigh, p.NeededAlone,
				})
			}
		}
	}
	return writeArrow(w, rows)
}

// barRow is a bar of a distribution of a dataset.
type barRow struct {
	Dataset      uint64  `column:"dataset" doc:"number of the dataset as named, from 0"`
	Ruleset      string  `column:"ruleset" doc:"ruleset of the dataset"`
	Distribution string  `column:"distribution" doc:"what is distributed"`
	Unit         string  `column:"unit" doc:"unit of from and to"`
	From         float64 `column:"from" doc:"least value of the bar"`
	To           float64 `column:"to" doc:"first value above the bar"`
	Count        uint64  `column:"count" doc:"number of cases"`
	Share        float64 `column:"share" doc:"part of all cases"`
	Low          float64 `column:"low" doc:"lower end of the 95 % interval"`
	High         float64 `column:"high" doc:"upper end of the 95 % interval"`
}

// Bars writes the bars of all distributions as an Arrow IPC file, a row each.
func (r *Report) Bars(w io.WriteSeeker) error {
	var rows []barRow
	for i := range r.Datasets {
		for _, d := range r.Datasets[i].Distributions {
			for _, b := range d.Bars {
				rows = append(rows, barRow{uint64(i), r.Datasets[i].Ruleset, d.Name, string(d.Unit), b.From, b.To, b.Count, b.Share, b.Low, b.High})
			}
		}
	}
	return writeArrow(w, rows)
}

// luckRow is the luck of a player in a hand.
type luckRow struct {
	Match     uint64  `column:"match" doc:"number of the match in its run"`
	Hand      uint64  `column:"hand" doc:"number of the hand in the match, from 0"`
	Player    uint64  `column:"player" doc:"player, 0 to 3"`
	Agent     string  `column:"agent" doc:"agent that played for the player"`
	Points    float64 `column:"points" doc:"points that the tiles brought beyond what could be expected"`
	Placement float64 `column:"placement" doc:"placement points that they brought"`
}

// WriteLuck writes the luck of every player in every hand of a dataset as an Arrow IPC file.
// list has the luck of its matches, measured with [matchluck.Options.Hands].
func WriteLuck(w io.WriteSeeker, d *dataset.Dataset, list []matchluck.Match) error {
	var rows []luckRow
	unit := float64(d.Rules().Unit())
	for match, err := range d.MatchesByRows() {
		if err != nil {
			return err
		}
		for h, l := range list[match[0].Match-d.First()].Hands {
			for p, m := range match {
				rows = append(rows, luckRow{
					m.Match, uint64(h), uint64(p), d.Manifest.Agents[m.Agent],
					float64(l.Points[p]) / luck.Unit / unit, float64(l.Places[p]) / luck.Unit,
				})
			}
		}
	}
	return writeArrow(w, rows)
}
