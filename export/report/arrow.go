package report

import (
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
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

func numberColumn[R any](name, about string, get func(*R) Number) arrowColumn[R] {
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
	Figure
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
		textColumn("about", "what is divided by what", func(r *figureRow) string { return r.About }),
		numberColumn("value", "the estimate, sum/count", func(r *figureRow) Number { return Number(r.Value) }),
		numberColumn("sum", "the amount", func(r *figureRow) Number { return Number(r.Sum) }),
		numberColumn("count", "number of cases", func(r *figureRow) Number { return Number(r.Count) }),
		numberColumn("error", "standard error over clusters", func(r *figureRow) Number { return Number(r.Error) }),
		numberColumn("low", "lower end of the 95 % interval", func(r *figureRow) Number { return r.Low }),
		numberColumn("high", "upper end of the 95 % interval", func(r *figureRow) Number { return r.High }),
		wholeColumn("clusters", "number of independent clusters", func(r *figureRow) uint64 { return uint64(r.Clusters) }),
	}, rows)
}

// Differences writes all comparisons as an Arrow IPC file, a row each.
func (r *Report) Differences(w io.WriteSeeker) error {
	return writeArrow(w, []arrowColumn[Comparison]{
		wholeColumn("dataset", "number of the dataset that is compared with number 0", func(c *Comparison) uint64 { return uint64(c.Dataset) }),
		textColumn("section", "what the figure is about", func(c *Comparison) string { return c.Section }),
		textColumn("name", "the figure", func(c *Comparison) string { return c.Name }),
		textColumn("of", "seat, wind, agent or pattern it is of, empty for all", func(c *Comparison) string { return c.Of }),
		textColumn("unit", "what it is measured in; shares are parts of 1", func(c *Comparison) string { return string(c.Unit) }),
		boolColumn("paired", "compared match by match", func(c *Comparison) bool { return c.Paired }),
		numberColumn("difference", "figure of the dataset less that of number 0", func(c *Comparison) Number { return Number(c.Value) }),
		numberColumn("error", "standard error", func(c *Comparison) Number { return Number(c.Error) }),
		numberColumn("low", "lower end of the 95 % interval", func(c *Comparison) Number { return c.Low }),
		numberColumn("high", "upper end of the 95 % interval", func(c *Comparison) Number { return c.High }),
		numberColumn("p", "probability of such a difference by chance", func(c *Comparison) Number { return c.P }),
		numberColumn("p_adjusted", "the same corrected for all comparisons", func(c *Comparison) Number { return c.Adjusted }),
	}, r.Comparisons)
}

// barRow is a bar of a distribution and where it belongs.
type barRow struct {
	dataset             int
	ruleset, name, unit string
	Bar
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
		numberColumn("from", "least value of the bar", func(r *barRow) Number { return Number(r.From) }),
		numberColumn("to", "first value above the bar", func(r *barRow) Number { return Number(r.To) }),
		wholeColumn("count", "number of cases", func(r *barRow) uint64 { return r.Count }),
		numberColumn("share", "part of all cases", func(r *barRow) Number { return Number(r.Share) }),
		numberColumn("low", "lower end of the 95 % interval", func(r *barRow) Number { return Number(r.Low) }),
		numberColumn("high", "upper end of the 95 % interval", func(r *barRow) Number { return Number(r.High) }),
	}, rows)
}
