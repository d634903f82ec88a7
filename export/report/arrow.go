package report

import (
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/matchluck"
	"github.com/sparrowhall/sparrowhall/export/stats"
	"github.com/sparrowhall/sparrowhall/export/summary"
	"github.com/sparrowhall/sparrowhall/insight/luck"
)

// arrowColumn is a column of a table of statistics, one value a row.
type arrowColumn[R any] struct {
	name   string
	about  string
	kind   arrow.DataType
	append func(b array.Builder, r *R)
}

func textColumn[R any](name, about string, get func(*R) string) arrowColumn[R] {
	return arrowColumn[R]{name, about, arrow.BinaryTypes.String, func(b array.Builder, r *R) {
		b.(*array.StringBuilder).Append(get(r))
	}}
}

func wholeColumn[R any](name, about string, get func(*R) uint64) arrowColumn[R] {
	return arrowColumn[R]{name, about, arrow.PrimitiveTypes.Uint64, func(b array.Builder, r *R) {
		b.(*array.Uint64Builder).Append(get(r))
	}}
}

func numberColumn[R any](name, about string, get func(*R) summary.Number) arrowColumn[R] {
	return arrowColumn[R]{name, about, arrow.PrimitiveTypes.Float64, func(b array.Builder, r *R) {
		if n := get(r); n.Known() {
			b.(*array.Float64Builder).Append(float64(n))
		} else {
			b.AppendNull()
		}
	}}
}

func boolColumn[R any](name, about string, get func(*R) bool) arrowColumn[R] {
	return arrowColumn[R]{name, about, arrow.FixedWidthTypes.Boolean, func(b array.Builder, r *R) {
		b.(*array.BooleanBuilder).Append(get(r))
	}}
}

// writeArrow writes rows as an Arrow IPC file.
func writeArrow[R any](w io.WriteSeeker, columns []arrowColumn[R], rows []R) error {
	var fields []arrow.Field
	for _, c := range columns {
		fields = append(fields, arrow.Field{
			Name: c.name, Type: c.kind, Nullable: c.kind == arrow.PrimitiveTypes.Float64,
			Metadata: arrow.NewMetadata([]string{"description"}, []string{c.about}),
		})
	}
	schema := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for i := range rows {
		for j, c := range columns {
			c.append(b.Field(j), &rows[i])
		}
	}
	record := b.NewRecord()
	defer record.Release()
	f, err := ipc.NewFileWriter(w, ipc.WithSchema(schema))
	if err != nil {
		return err
	}
	if err := f.Write(record); err != nil {
		return err
	}
	return f.Close()
}

// figureRow is a figure and the dataset it is of.
type figureRow struct {
	dataset int
	ruleset string
	stats.Figure
}

// Figures writes all figures as an Arrow IPC file, a row each.
func (r *Report) Figures(w io.WriteSeeker) error {
	var rows []figureRow
	for i := range r.Datasets {
		for _, f := range r.Datasets[i].Figures {
			rows = append(rows, figureRow{i, r.Datasets[i].Ruleset, f})
		}
	}
	return writeArrow(w, []arrowColumn[figureRow]{
		wholeColumn("dataset", "number of the dataset as named, from 0", func(r *figureRow) uint64 { return uint64(r.dataset) }),
		textColumn("ruleset", "ruleset of the dataset", func(r *figureRow) string { return r.ruleset }),
		textColumn("section", "what the figure is about", func(r *figureRow) string { return r.Section }),
		textColumn("name", "the figure", func(r *figureRow) string { return r.Name }),
		textColumn("of", "seat, wind, agent or pattern it is of, empty for all", func(r *figureRow) string { return r.Of }),
		textColumn("unit", "what it is measured in; shares are parts of 1", func(r *figureRow) string { return string(r.Unit) }),
		textColumn("about", "what it says", func(r *figureRow) string { return r.About }),
		textColumn("per", "what is counted", func(r *figureRow) string { return r.Per }),
		numberColumn("value", "the estimate, sum/count", func(r *figureRow) summary.Number { return summary.Number(r.Value) }),
		numberColumn("sum", "the amount", func(r *figureRow) summary.Number { return summary.Number(r.Sum) }),
		numberColumn("count", "number of cases", func(r *figureRow) summary.Number { return summary.Number(r.Count) }),
		numberColumn("error", "standard error over clusters", func(r *figureRow) summary.Number { return summary.Number(r.Error) }),
		numberColumn("low", "lower end of the 95 % interval", func(r *figureRow) summary.Number { return r.Low }),
		numberColumn("high", "upper end of the 95 % interval", func(r *figureRow) summary.Number { return r.High }),
		wholeColumn("clusters", "number of independent clusters", func(r *figureRow) uint64 { return uint64(r.Clusters) }),
	}, rows)
}

// Differences writes all comparisons as an Arrow IPC file, a row each.
func (r *Report) Differences(w io.WriteSeeker) error {
	return writeArrow(w, []arrowColumn[stats.Comparison]{
		wholeColumn("dataset", "number of the dataset that is compared with number 0", func(c *stats.Comparison) uint64 { return uint64(c.Dataset) }),
		textColumn("section", "what the figure is about", func(c *stats.Comparison) string { return c.Section }),
		textColumn("name", "the figure", func(c *stats.Comparison) string { return c.Name }),
		textColumn("of", "seat, wind, agent or pattern it is of, empty for all", func(c *stats.Comparison) string { return c.Of }),
		textColumn("unit", "what it is measured in; shares are parts of 1", func(c *stats.Comparison) string { return string(c.Unit) }),
		boolColumn("paired", "compared match by match", func(c *stats.Comparison) bool { return c.Paired }),
		numberColumn("difference", "figure of the dataset less that of number 0", func(c *stats.Comparison) summary.Number { return summary.Number(c.Value) }),
		numberColumn("error", "standard error", func(c *stats.Comparison) summary.Number { return summary.Number(c.Error) }),
		numberColumn("low", "lower end of the 95 % interval", func(c *stats.Comparison) summary.Number { return c.Low }),
		numberColumn("high", "upper end of the 95 % interval", func(c *stats.Comparison) summary.Number { return c.High }),
		numberColumn("p", "probability of such a difference by chance", func(c *stats.Comparison) summary.Number { return c.P }),
		numberColumn("p_adjusted", "the same corrected for all comparisons", func(c *stats.Comparison) summary.Number { return c.Adjusted }),
	}, r.Comparisons)
}

// quantileRow is a quantile of a distribution of a dataset.
type quantileRow struct {
	dataset             int
	ruleset, name, unit string
	stats.Quantile
}

// Quantiles writes the quantiles of all distributions as an Arrow IPC file, a row
// each.
func (r *Report) Quantiles(w io.WriteSeeker) error {
	var rows []quantileRow
	for i := range r.Datasets {
		for _, d := range r.Datasets[i].Distributions {
			for _, q := range d.Quantiles {
				rows = append(rows, quantileRow{i, r.Datasets[i].Ruleset, d.Name, string(d.Unit), q})
			}
		}
	}
	return writeArrow(w, []arrowColumn[quantileRow]{
		wholeColumn("dataset", "number of the dataset as named, from 0", func(r *quantileRow) uint64 { return uint64(r.dataset) }),
		textColumn("ruleset", "ruleset of the dataset", func(r *quantileRow) string { return r.ruleset }),
		textColumn("distribution", "what is distributed", func(r *quantileRow) string { return r.name }),
		textColumn("unit", "unit of value, low and high", func(r *quantileRow) string { return r.unit }),
		numberColumn("part", "part of the cases that are no greater", func(r *quantileRow) summary.Number { return summary.Number(r.Part) }),
		numberColumn("value", "the quantile", func(r *quantileRow) summary.Number { return summary.Number(r.Value) }),
		numberColumn("low", "lower end of the 95 % interval", func(r *quantileRow) summary.Number { return summary.Number(r.Low) }),
		numberColumn("high", "upper end of the 95 % interval", func(r *quantileRow) summary.Number { return summary.Number(r.High) }),
	}, rows)
}

// componentRow is a component of a variance of a dataset.
type componentRow struct {
	dataset       int
	ruleset, name string
	skill         skillOf
	*stats.Component
}

// Skills writes the components of skill and luck as an Arrow IPC file, a row each.
func (r *Report) Skills(w io.WriteSeeker) error {
	var rows []componentRow
	for i := range r.Datasets {
		for _, s := range skills(&r.Datasets[i]) {
			name := r.Datasets[i].Ruleset
			rows = append(rows,
				componentRow{i, name, "total", s, &s.Total}, componentRow{i, name, "skill", s, &s.Skill.Skill},
				componentRow{i, name, "walls", s, &s.Walls}, componentRow{i, name, "rest", s, &s.Rest})
		}
	}
	return writeArrow(w, []arrowColumn[componentRow]{
		wholeColumn("dataset", "number of the dataset as named, from 0", func(r *componentRow) uint64 { return uint64(r.dataset) }),
		textColumn("ruleset", "ruleset of the dataset", func(r *componentRow) string { return r.ruleset }),
		textColumn("of", "of which results: ranks; placement points", func(r *componentRow) string { return r.skill.what }),
		textColumn("part", "total; skill; walls, the luck of the walls; rest, the luck of play", func(r *componentRow) string { return r.name }),
		wholeColumn("sets", "number of wall sets, or of matches without duplicates", func(r *componentRow) uint64 { return uint64(r.skill.Sets) }),
		wholeColumn("set_matches", "matches of a set", func(r *componentRow) uint64 { return uint64(r.skill.SetMatches) }),
		numberColumn("variance", "of one player's result in one match, ranks or placement points squared", func(r *componentRow) summary.Number { return r.Variance }),
		numberColumn("share", "part of the total", func(r *componentRow) summary.Number { return r.Share }),
		numberColumn("low", "lower end of the 95 % interval of share", func(r *componentRow) summary.Number { return r.Low }),
		numberColumn("high", "upper end of the 95 % interval of share", func(r *componentRow) summary.Number { return r.High }),
	}, rows)
}

// pairRow is two agents and the dataset in which they play.
type pairRow struct {
	dataset int
	ruleset string
	*stats.Pair
}

// Pairs writes the differences of agents as an Arrow IPC file, a row for each pair.
func (r *Report) Pairs(w io.WriteSeeker) error {
	var rows []pairRow
	for i := range r.Datasets {
		if s := r.Datasets[i].Skill; s != nil {
			for j := range s.Pairs {
				rows = append(rows, pairRow{i, r.Datasets[i].Ruleset, &s.Pairs[j]})
			}
		}
	}
	return writeArrow(w, []arrowColumn[pairRow]{
		wholeColumn("dataset", "number of the dataset as named, from 0", func(r *pairRow) uint64 { return uint64(r.dataset) }),
		textColumn("ruleset", "ruleset of the dataset", func(r *pairRow) string { return r.ruleset }),
		textColumn("a", "an agent", func(r *pairRow) string { return r.A }),
		textColumn("b", "another", func(r *pairRow) string { return r.B }),
		numberColumn("difference", "placement points a match that a is better than b", func(r *pairRow) summary.Number { return summary.Number(r.Difference.Value) }),
		numberColumn("low", "lower end of the 95 % interval", func(r *pairRow) summary.Number { return r.Difference.Low }),
		numberColumn("high", "upper end of the 95 % interval", func(r *pairRow) summary.Number { return r.Difference.High }),
		wholeColumn("sets", "number of sets in which both play", func(r *pairRow) uint64 { return uint64(r.Difference.Clusters) }),
		numberColumn("deviation", "standard deviation of the difference in a match", func(r *pairRow) summary.Number { return r.Deviation }),
		numberColumn("paired_deviation", "the same in a match of a set", func(r *pairRow) summary.Number { return r.PairedDeviation }),
		numberColumn("needed", "matches that show the difference at 5 % with a power of 80 %", func(r *pairRow) summary.Number { return r.Needed }),
		numberColumn("needed_low", "the same at the far end of the interval", func(r *pairRow) summary.Number { return r.NeededLow }),
		numberColumn("needed_high", "the same at the near end of the interval", func(r *pairRow) summary.Number { return r.NeededHigh }),
		numberColumn("needed_alone", "the same where every match has walls of its own", func(r *pairRow) summary.Number { return r.NeededAlone }),
	}, rows)
}

// barRow is a bar of a distribution of a dataset.
type barRow struct {
	dataset             int
	ruleset, name, unit string
	stats.Bar
}

// Bars writes the bars of all distributions as an Arrow IPC file, a row each.
func (r *Report) Bars(w io.WriteSeeker) error {
	var rows []barRow
	for i := range r.Datasets {
		for _, d := range r.Datasets[i].Distributions {
			for _, b := range d.Bars {
				rows = append(rows, barRow{i, r.Datasets[i].Ruleset, d.Name, string(d.Unit), b})
			}
		}
	}
	return writeArrow(w, []arrowColumn[barRow]{
		wholeColumn("dataset", "number of the dataset as named, from 0", func(r *barRow) uint64 { return uint64(r.dataset) }),
		textColumn("ruleset", "ruleset of the dataset", func(r *barRow) string { return r.ruleset }),
		textColumn("distribution", "what is distributed", func(r *barRow) string { return r.name }),
		textColumn("unit", "unit of from and to", func(r *barRow) string { return r.unit }),
		numberColumn("from", "least value of the bar", func(r *barRow) summary.Number { return summary.Number(r.From) }),
		numberColumn("to", "first value above the bar", func(r *barRow) summary.Number { return summary.Number(r.To) }),
		wholeColumn("count", "number of cases", func(r *barRow) uint64 { return r.Count }),
		numberColumn("share", "part of all cases", func(r *barRow) summary.Number { return summary.Number(r.Share) }),
		numberColumn("low", "lower end of the 95 % interval", func(r *barRow) summary.Number { return summary.Number(r.Low) }),
		numberColumn("high", "upper end of the 95 % interval", func(r *barRow) summary.Number { return summary.Number(r.High) }),
	}, rows)
}

// luckRow is the luck of a player in a hand.
type luckRow struct {
	match  uint64
	hand   uint64
	player int
	agent  string
	luck   *matchluck.Luck
	unit   int
}

// WriteLuck writes the luck of every player in every hand of a dataset as an Arrow IPC file.
// list has the luck of its matches, measured with [matchluck.Options.Hands].
func WriteLuck(w io.WriteSeeker, d *dataset.Dataset, list []matchluck.Match) error {
	var rows []luckRow
	unit := d.Rules().Unit()
	for match, err := range d.MatchesByRows() {
		if err != nil {
			return err
		}
		hands := list[match[0].Match-d.First()].Hands
		for h := range hands {
			for p, m := range match {
				rows = append(rows, luckRow{m.Match, uint64(h), p, d.Manifest.Agents[m.Agent], &hands[h], unit})
			}
		}
	}
	return writeArrow(w, []arrowColumn[luckRow]{
		wholeColumn("match", "number of the match in its run", func(r *luckRow) uint64 { return r.match }),
		wholeColumn("hand", "number of the hand in the match, from 0", func(r *luckRow) uint64 { return r.hand }),
		wholeColumn("player", "player, 0 to 3", func(r *luckRow) uint64 { return uint64(r.player) }),
		textColumn("agent", "agent that played for the player", func(r *luckRow) string { return r.agent }),
		numberColumn("points", "points that the tiles brought beyond what could be expected", func(r *luckRow) summary.Number {
			return summary.Number(float64(r.luck.Points[r.player]) / luck.Unit / float64(r.unit))
		}),
		numberColumn("placement", "placement points that they brought", func(r *luckRow) summary.Number {
			return summary.Number(float64(r.luck.Places[r.player]) / luck.Unit)
		}),
	}, rows)
}
