package league

import (
	"fmt"
	"io"
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/pages/page"
)

// The page of tests has the verdict and the course of each sequential test.

func (s *Site) testPage(w io.Writer) error {
	type test struct {
		Title, Verdict, About string
		Chart                 *page.LineChart
	}
	var list []test
	for i := range slices.Backward(s.tests) {
		r := &s.tests[i]
		t := test{
			Title:   fmt.Sprintf("%s against %s", s.names[r.New], s.names[r.Old]),
			Verdict: r.Summary(s.names[r.New], s.names[r.Old]), About: r.Details(),
		}
		line := page.Series{Name: "log-likelihood ratio", X: []float64{0}, Y: []float64{0}}
		var bounds []float64
		for _, e := range r.Course {
			if e.LogRatio.Known() {
				line.X, line.Y = append(line.X, float64(e.Matches)), append(line.Y, float64(e.LogRatio))
				bounds = []float64{e.Lower, e.Upper}
			}
		}
		t.Chart = page.NewLineChart("The log-likelihood ratio as matches were added; dashed lines are its bounds", "matches", "log-likelihood ratio", []page.Series{line}, bounds...)
		list = append(list, t)
	}
	return s.writePage(w, "tests", testsFile, "Tests", nil, map[string]any{"Tests": list})
}
