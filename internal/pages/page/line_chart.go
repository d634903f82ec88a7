package page

import (
	"encoding/json"
	"html/template"
	"math"
	"strconv"
)

// LineChart is a chart of lines with their bands. The template "chart" of a page has its data and
// [ChartScript] draws it.
type LineChart struct {
	// Label describes the chart in words.
	Label string `json:"-"`
	// X and Y name the axes, and Lines are the lines.
	X     string   `json:"x"`
	Y     string   `json:"y"`
	Lines []Series `json:"lines"`
	// Bounds are values with a dashed line.
	Bounds []float64 `json:"bounds"`
}

// Series is a line of a chart.
type Series struct {
	// Name is in the legend.
	Name string `json:"name"`
	// X and Y are the points, Low and High the band around them, empty without a band.
	X    []float64 `json:"x"`
	Y    Values    `json:"y"`
	Low  Values    `json:"low"`
	High Values    `json:"high"`
}

// Values are numbers in JSON, null where they are not known.
type Values []float64

// MarshalJSON implements [json.Marshaler].
func (v Values) MarshalJSON() ([]byte, error) {
	list := make([]*float64, len(v))
	for i := range v {
		if !math.IsNaN(v[i]) {
			list[i] = &v[i]
		}
	}
	return json.Marshal(list)
}

// NewLineChart returns the chart of some series, nil if they have no two places on the axis.
// Bounds are values with a dashed line.
func NewLineChart(label, x, y string, list []Series, bounds ...float64) *LineChart {
	left, right := math.Inf(1), math.Inf(-1)
	for _, s := range list {
		for _, at := range s.X {
			left, right = min(left, at), max(right, at)
		}
	}
	if left >= right {
		return nil
	}
	return &LineChart{label, x, y, list, bounds}
}

// PercentCSS returns a number of percent for a style.
func PercentCSS(x float64) template.CSS {
	return template.CSS(strconv.FormatFloat(min(max(x, 0), 100), 'f', 2, 64))
}
