// Package report writes the statistics of package stats for people and programs:
// tables of text, a page with pictures, JSON, and Arrow tables, all of them in one
// folder by [Report.Write]. An [Answer] puts the differences between rulesets into
// sentences.
//
//	results, err := stats.Collect(ctx, dirs, nil, nil)
//	r := report.New(results)
//	err = r.Write("first-report", false)
package report

import "github.com/sparrowhall/sparrowhall/internal/analysis/stats"

// Report is statistics with sentences that explain them.
type Report struct {
	*stats.Results
	// Answers explain the differences of each dataset from the first.
	Answers []Answer `json:"answers,omitempty"`
	// Adaptation is what tuned players do under the first dataset's ruleset, nil if that
	// was not measured.
	Adaptation *stats.Adaptation `json:"adaptation,omitempty"`

	// Command is the command that made the report, for its page.
	Command string `json:"-"`

	// folders are those of the datasets, replays the pages of matches in that of the report.
	folders []string
	replays map[replay]string
}

// New returns the report of some statistics.
func New(s *stats.Results) *Report {
	r := &Report{Results: s}
	for i := range r.Datasets {
		r.folders = append(r.folders, r.Datasets[i].Dir)
	}
	for i := 1; i < len(r.Datasets); i++ {
		if r.Datasets[i].Family == r.Datasets[0].Family {
			r.Answers = append(r.Answers, r.answer(i))
		}
	}
	return r
}
