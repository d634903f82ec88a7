package league

import (
	"io"
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
)

// The page of tests has the verdict and the course of each sequential test.

func (s *Site) testPage(w io.Writer) error {
	type test struct {
		Title, Verdict, About findings.Text
		Chart                 *page.LineChart
	}
	var list []test
	for i := range slices.Backward(s.tests) {
		r := &s.tests[i]
		t := test{
			Title:   findings.NewText("league.against", s.names[r.New], s.names[r.Old]),
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
	return s.writePage(w, "tests", testsFile, findings.NewText("title.Tests"), nil, map[string]any{"Tests": list})
}
