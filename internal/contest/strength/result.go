package strength

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/analysis/matchluck"
	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Result is the result of a tournament, as JSON and as text. All of it but the speed depends on
// the matches alone.
type Result struct {
	// Ruleset is the name of the ruleset, Hash the hash of its rules in hexadecimal.
	Ruleset string `json:"ruleset"`
	Hash    string `json:"ruleset_hash"`
	// Seed is the seed of the matches, 0 while it is sealed.
	Seed uint64 `json:"seed"`
	// Sealed is the commitment of a sealed tournament.
	Sealed     string          `json:"sealed,omitempty"`
	Selection  arena.Selection `json:"selection"`
	Repeats    bool            `json:"repeats"`
	Seatings   int             `json:"seatings"`
	Rounds     uint64          `json:"rounds"`
	UntilClear float64         `json:"until_clear,omitempty"`
	// Leader is the number of the agent that is clear of all others at UntilClear, or nil.
	Leader *int `json:"leader,omitempty"`
	// Accept is the verdict of a tournament that tests whether one agent is better.
	Accept *TestResult `json:"accept,omitempty"`
	*Standings
	Speed *Speed `json:"speed,omitempty"`

	run      *dataset.Run
	decimals int    // of points in text
	planned  uint64 // matches
	placed   bool   // there are placement points
}

// TestResult is the verdict of a [Trial] and what was tested.
type TestResult struct {
	dataset.Accept
	Evidence
}

// Speed is the number of matches that were played in a wall time.
type Speed struct {
	// Matches were played in Seconds, which makes MatchesPerSecond.
	Matches          uint64  `json:"matches"`
	Seconds          float64 `json:"seconds"`
	MatchesPerSecond float64 `json:"matches_per_second"`
}

// NewResult returns the result of the matches in a tally. trial is nil unless agents are tested.
func NewResult(run *dataset.Run, tally *Tally, trial *Trial) (*Result, error) {
	s, err := tally.Compute()
	if err != nil {
		return nil, err
	}
	t, rules := run.Tournament, run.Ruleset.Rules()
	r := &Result{
		Ruleset: run.Ruleset.Name, Hash: fmt.Sprintf("%x", rules.Hash), Seed: run.Seed,
		Selection: t.Schedule.Plan.Selection, Repeats: t.Schedule.Plan.Repeats, Seatings: t.Schedule.Plan.Seatings, Rounds: t.Schedule.Plan.Rounds, UntilClear: t.UntilClear,
		Standings: s, run: run, planned: t.Schedule.Matches(), decimals: digits.OfPoints(rules.StartingPoints), placed: rules.Placement != [sim.NumPlayers]ruleset.Placement{},
	}
	if run.Seal != nil {
		r.Sealed = fmt.Sprintf("%x", run.Seal.Commitment)
	}
	if trial != nil {
		r.Accept = &TestResult{*t.Accept, trial.Evidence()}
	}
	if t.UntilClear > 0 {
		r.Leader = NewLeader(run, tally).Agent()
	}
	return r, nil
}

// ReadResult returns the result of a dataset of a tournament. luck are the options for measuring
// luck, if the tournament tests agents by luck-adjusted results.
func ReadResult(ctx context.Context, d *dataset.Dataset, luck matchluck.Options) (*Result, error) {
	tally, err := NewTally(d.Run)
	if err != nil {
		return nil, err
	}
	if err := tally.Read(d); err != nil {
		return nil, err
	}
	var trial *Trial
	if d.Run.Tournament.Accept != nil {
		trial = NewTrial(d.Run)
		if err := trial.Read(ctx, d, luck); err != nil {
			return nil, err
		}
	}
	return NewResult(d.Run, tally, trial)
}

// Read adds the matches of a dataset, and measures their luck with the options if the test is of
// luck-adjusted results.
func (t *Trial) Read(ctx context.Context, d *dataset.Dataset, options matchluck.Options) error {
	return t.read(ctx, d, options, func() {})
}

// read is Read that calls added after each match.
func (t *Trial) read(ctx context.Context, d *dataset.Dataset, options matchluck.Options, added func()) error {
	var lucks []matchluck.Match
	if t.question.Luck {
		var err error
		options.Fast = t.question.FastLuck
		if lucks, err = matchluck.Measure(ctx, d, options); err != nil {
			return err
		}
	}
	for rows, err := range d.MatchesByRows() {
		if err != nil {
			return err
		}
		if lucks == nil {
			t.Add(rows[:], nil)
		} else {
			t.Add(rows[:], &lucks[rows[0].Match-d.First()].Points)
		}
		added()
	}
	return nil
}

// Verdict returns the verdict of a tournament that tests agents, in words.
func (r *Result) Verdict() findings.Text {
	t := r.Accept
	return VerdictText(&t.Accept, t.Evidence.Verdict, r.run.Agents[t.A], r.run.Agents[t.B], findings.NewText("count.of", r.Matches, r.planned))
}

// VerdictText returns the verdict of a test in words: accepted, rejected or undecided first, and
// what that means. a and b are the names of its agents, matches says how many were played.
func VerdictText(t *dataset.Accept, v Verdict, a, b string, matches any) findings.Text {
	fit := func(lead, other float64) findings.Text {
		return findings.NewText("verdict.fit", lead, other, percent(max(t.Alpha, t.Beta)))
	}
	switch {
	case v == Accepted && t.Elo0 < 0:
		return findings.NewText("verdict.not_weaker", a, b, fit(t.Elo1, t.Elo0))
	case v == Accepted:
		return findings.NewText("verdict.stronger", a, b, fit(t.Elo1, t.Elo0))
	case v == Rejected:
		return findings.NewText("verdict.rejected", a, t.Elo1, b, fit(t.Elo0, t.Elo1))
	}
	return findings.NewText("verdict.open", matches, a, b, t.Elo0, t.Elo1)
}

// percent returns a share in percent, rounded to four decimals so that 0.05 gives 5.
func percent(share float64) float64 { return math.Round(share*1e6) / 1e4 }

// SeedText returns the seed, or the start of the commitment of a sealed run.
func (r *Result) SeedText() findings.Text {
	if r.Sealed != "" {
		return findings.NewText("contest.sealed", fmt.Sprintf("%.16s", r.Sealed))
	}
	return findings.NewText("contest.seed", r.Seed)
}

// Summary returns the ruleset, the seed and the number of matches as text.
func (r *Result) Summary() findings.Text {
	return findings.NewText("contest.played", r.Ruleset, r.SeedText(), findings.Count(r.Matches, "match"), findings.Count(r.Sets, "set"), findings.Count(r.Seatings, "seating"))
}

// Table returns the standings with a row per agent, the best first.
func (r *Result) Table() *page.Table {
	t := &page.Table{Title: "standings", Head: []string{"", "matches"}}
	t.Head = append(t.Head, []string{"1st", "2nd", "3rd", "4th"}[:r.run.Tournament.Schedule.NumSeats()]...)
	if r.placed {
		t.Head = append(t.Head, "placement points")
	}
	t.Head = append(t.Head, "points", "rating")
	forfeits := slices.ContainsFunc(r.Agents, func(a Agent) bool { return a.Forfeits > 0 })
	if forfeits {
		t.Head = append(t.Head, "forfeited")
	}
	for i := range r.Agents {
		a := &r.Agents[i]
		cells := []string{fmt.Sprint(a.Matches)}
		for _, p := range a.Places {
			cells = append(cells, fmt.Sprintf("%.1f%%", 100*p.Value))
		}
		if r.placed {
			cells = append(cells, a.Placement.Text(2))
		}
		cells = append(cells, a.Points.Text(r.decimals), a.Rating.Text(0))
		if forfeits {
			cells = append(cells, fmt.Sprint(a.Forfeits))
		}
		t.Rows = append(t.Rows, page.Row{Label: r.label(a), Cells: cells})
	}
	return t
}

// label returns the rank and the name of an agent, with "=" after a rank that others share.
func (r *Result) label(a *Agent) string {
	return r.rankText(a) + " " + sanitize.Line(a.Name)
}

func (r *Result) rankText(a *Agent) string {
	text := fmt.Sprint(a.Rank)
	if slices.ContainsFunc(r.Agents, func(b Agent) bool { return b.Number != a.Number && b.Rank == a.Rank }) {
		text += "="
	}
	return text
}

// Neighbors returns sentences on the agents that are not separated from the agent above them, and
// why. It is empty if all are separated.
func (r *Result) Neighbors() (list []findings.Text) {
	var open, few, same []findings.Text
	for i := 1; i < len(r.Agents); i++ {
		below := &r.Agents[i]
		label := findings.PlainText(r.label(below))
		switch p := r.pair(r.Agents[i-1].Number, below.Number); {
		// A separated pair needs no remark; the order of the cases is from "not compared" to
		// "compared, but not clear".
		case p.Separated():
		case p.State == FewSets, p.State == NotMet:
			few = append(few, label)
		case p.State == Identical:
			same = append(same, label)
		default:
			open = append(open, label)
		}
	}
	if len(open) > 0 {
		list = append(list, findings.NewText("contest.open", open))
	}
	if len(few) > 0 {
		list = append(list, findings.NewText("contest.few", LeastSets, few))
	}
	if len(same) > 0 {
		list = append(list, findings.NewText("contest.same", same))
	}
	return list
}

// pair returns the results of agent a against b.
func (r *Result) pair(a, b int) Pair {
	i := slices.IndexFunc(r.Pairs, func(p Pair) bool { return p.A == min(a, b) && p.B == max(a, b) })
	if a > b {
		return r.Pairs[i].turned()
	}
	return r.Pairs[i]
}

// EstimateText returns the points or placement points of an agent as in the standings.
func (r *Result) EstimateText(agent, name string) string {
	for i := range r.Agents {
		switch a := &r.Agents[i]; {
		case a.Name != agent:
		case name == "points":
			return a.Points.Text(r.decimals)
		default:
			return a.Placement.Text(2)
		}
	}
	return "-"
}

// AheadTable returns, with a row and a column per agent, the share of matches in which the agent of
// the row finishes ahead of that of the column.
func (r *Result) AheadTable() *page.Table {
	t := &page.Table{Title: "who finishes ahead of whom", Head: []string{""}}
	for i := range r.Agents {
		t.Head = append(t.Head, r.rankText(&r.Agents[i]))
		row := page.Row{Label: r.label(&r.Agents[i])}
		for j := range r.Agents {
			row.Cells = append(row.Cells, r.aheadText(r.Agents[i].Number, r.Agents[j].Number))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// aheadText returns the share of matches in which agent a finishes ahead of b, or why there is
// none. The shares of both add up to 100.0 %.
func (r *Result) aheadText(a, b int) string {
	if a == b {
		return "-"
	}
	// One of the two shares is rounded and the other is what remains, or the two could add up to
	// 100.1 %.
	p := r.pair(min(a, b), max(a, b))
	if p.State == NotMet || p.State == FewSets {
		return string(p.State)
	}
	tenths := math.Round(1000 * float64(p.Ahead.Value)) // of a percent
	if a > b {
		tenths = 1000 - tenths
	}
	return fmt.Sprintf("%.1f%%", tenths/10)
}

// Remarks returns paragraphs on the variance reduction by duplicate walls, the leader, the test
// of two agents, and the speed.
func (r *Result) Remarks() (list []findings.Text) {
	if r.Reduction.Value.Known() {
		list = append(list, findings.NewText("contest.worth", r.Reduction.Text(2)))
	}
	switch rate := percent(r.UntilClear); {
	case r.UntilClear == 0:
	case r.Leader != nil:
		i := slices.IndexFunc(r.Agents, func(a Agent) bool { return a.Number == *r.Leader })
		list = append(list, findings.NewText("contest.leader", r.label(&r.Agents[i]), rate))
	default:
		list = append(list, findings.NewText("contest.no_leader", rate, r.Matches, r.planned))
	}
	if t := r.Accept; t != nil && t.LogRatio.Known() {
		text := findings.NewText("contest.test", findings.Count(t.Evidence.Sets, "set"), hundredths(float64(t.LogRatio)), hundredths(t.Lower), hundredths(t.Upper), t.Alpha, t.Beta)
		if t.Explained.Known() {
			text = findings.NewText("contest.explained", text, fmt.Sprintf("%.0f", 100*float64(t.Explained)))
		}
		list = append(list, text)
	}
	if s := r.Speed; s != nil {
		list = append(list, findings.NewText("contest.speed", findings.Count(s.Matches, "match"), hundredths(s.Seconds), fmt.Sprintf("%.0f", s.MatchesPerSecond)))
	}
	return list
}

func hundredths(x float64) string { return fmt.Sprintf("%.2f", x) }
