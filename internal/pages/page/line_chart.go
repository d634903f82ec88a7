package page

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"

	"github.com/sparrowhall/sparrowhall/internal/digits"
)

// LineChart is a chart of lines without scripts, as positions in percent of its area. The
// template of a page draws it.
type LineChart struct {
	// Label describes the chart in words.
	Label string
	// Lines are the lines with their bands, X and Y the labels of the axes.
	Lines []chartLine
	X, Y  []chartMark
	// Key has the names of the lines, First the color of bands.
	Key   []chartKey
	First int
}

type chartLine struct {
	Color        int
	Points, Band string
}

// chartMark is a label of an axis. Bound marks a line that is dashed.
type chartMark struct {
	At    template.CSS
	Text  string
	Bound bool
}

type chartKey struct {
	Color int
	Name  string
}

// Series is a line of a chart before it is placed. Low and High are nil without a band.
type Series struct {
	// Name is in the key.
	Name string
	// X and Y are the points, Low and High the band around them.
	X, Y      []float64
	Low, High []float64
}

// NewLineChart returns the chart of some series, nil of fewer than two points. bounds are values
// with a dashed line.
func NewLineChart(label, xLabel string, list []Series, bounds ...float64) *LineChart {
	left, right, bottom, top := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	points := 0
	for _, s := range list {
		for i := range s.X {
			points++
			left, right = min(left, s.X[i]), max(right, s.X[i])
			bottom, top = min(bottom, s.Y[i]), max(top, s.Y[i])
			if s.Low != nil {
				bottom, top = min(bottom, s.Low[i]), max(top, s.High[i])
			}
		}
	}
	if points < 2 || left == right {
		return nil
	}
	for _, b := range bounds {
		bottom, top = min(bottom, b), max(top, b)
	}
	margin := max((top-bottom)/20, 0.05)
	bottom, top = bottom-margin, top+margin
	c := &LineChart{Label: label}
	at := func(x, y float64) string {
		return fmt.Sprintf("%.2f,%.2f ", 100*(x-left)/(right-left), 100-100*(y-bottom)/(top-bottom))
	}
	for k, s := range list {
		line := chartLine{Color: k % 5}
		for i := range s.X {
			line.Points += at(s.X[i], s.Y[i])
		}
		if s.Low != nil {
			for i := range s.X {
				line.Band += at(s.X[i], s.High[i])
			}
			for i := range slices.Backward(s.X) {
				line.Band += at(s.X[i], s.Low[i])
			}
			c.First = line.Color
		}
		c.Lines = append(c.Lines, line)
		c.Key = append(c.Key, chartKey{k % 5, s.Name})
	}
	step := digits.NiceStep((top - bottom) / 5)
	for n := math.Ceil(bottom / step); n*step <= top; n++ {
		c.Y = append(c.Y, chartMark{At: PercentCSS(100 * (n*step - bottom) / (top - bottom)), Text: digits.Exact(n * step)})
	}
	for _, b := range bounds {
		c.Y = append(c.Y, chartMark{At: PercentCSS(100 * (b - bottom) / (top - bottom)), Bound: true})
	}
	c.X = []chartMark{{At: "0", Text: fmt.Sprintf("%.0f", left)}, {At: "100", Text: fmt.Sprintf("%.0f %s", right, xLabel)}}
	return c
}

// PercentCSS returns a number of percent for a style.
func PercentCSS(x float64) template.CSS {
	return template.CSS(strconv.FormatFloat(min(max(x, 0), 100), 'f', 2, 64))
}
