package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/export/standings"
	"github.com/sparrowhall/sparrowhall/internal/plain"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/arena"
)

// tournamentResult is what tournament prints. All of it but the speed depends on
// the matches alone.
type tournamentResult struct {
	Ruleset string `json:"ruleset"`
	Hash    string `json:"ruleset_hash"`
	Seed    uint64 `json:"seed"`
	// Sealed is the commitment of a sealed tournament.
	Sealed     string          `json:"sealed,omitempty"`
	Selection  arena.Selection `json:"selection"`
	Repeats    bool            `json:"repeats"`
	Seatings   int             `json:"seatings"`
	Rounds     uint64          `json:"rounds"`
	UntilClear float64         `json:"until_clear,omitempty"`
	// Leader is the number of the agent that is clear at UntilClear, nil if there
	// is none or it was not asked for.
	Leader *int `json:"leader,omitempty"`
	// Accept is the answer to the question that was asked.
	Accept *acceptResult `json:"accept,omitempty"`
	*standings.Standings
	Speed *tournamentSpeed `json:"speed,omitempty"`

	// decimals is how many decimals of points are printed.
	decimals int
	planned  uint64 // matches
	placed   bool   // there are placement points
	seed     string // what is printed of it
	names    []string
}

type tournamentSpeed struct {
	Matches          uint64  `json:"matches"`
	Seconds          float64 `json:"seconds"`
	MatchesPerSecond float64 `json:"matches_per_second"`
}

// newTournamentSpeed returns the speed of what was played, nil for nothing.
func newTournamentSpeed(p *progress) *tournamentSpeed {
	if p.done == 0 {
		return nil
	}
	return &tournamentSpeed{p.done, p.seconds(), p.rate()}
}

// newTournamentResult returns the result of a run; trial is nil if no question was asked.
func newTournamentResult(run *export.Run, s *standings.Standings, tally *standings.Tally, trial *standings.Trial) *tournamentResult {
	t, rules := run.Tournament, run.Ruleset.Rules()
	r := &tournamentResult{
		Ruleset: run.Ruleset.Name, Hash: fmt.Sprintf("%x", rules.Hash), Seed: run.Seed, Sealed: commitment(run),
		Selection: t.Selection, Repeats: t.Repeats, Seatings: t.Seatings, Rounds: t.Rounds, UntilClear: t.UntilClear,
		Standings: s, planned: t.Matches(), seed: seedText(run), placed: rules.Placement != [sim.NumPlayers]ruleset.Placement{},
	}
	if rules.StartingPoints < 1000 {
		r.decimals = 2
	}
	if trial != nil {
		r.Accept = &acceptResult{*t.Accept, trial.Evidence()}
		r.names = run.Agents
	}
	if t.UntilClear > 0 {
		if agent, clear := tally.Leader(t.UntilClear); clear {
			r.Leader = &agent
		}
	}
	return r
}

// mostInMatrix is the largest number of agents for which who finishes ahead of
// whom is printed.
const mostInMatrix = 16

func (r *tournamentResult) write(w io.Writer) error {
	if err := printParagraph(w, r.played()+"; intervals of 95 % by drawing wall sets again"); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	if err := writeRows(w, r.standingsTable()); err != nil {
		return err
	}
	if len(r.Agents) <= mostInMatrix {
		title := wrap("share of matches in which the agent of the line finishes ahead of that of the column", widthOf(w))
		if _, err := fmt.Fprintf(w, "\n%s\n\n", title); err != nil {
			return err
		}
		if err := writeRows(w, r.matrix()); err != nil {
			return err
		}
	}
	for _, line := range r.remarks() {
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
		if err := printParagraph(w, line); err != nil {
			return err
		}
	}
	return nil
}

// played says what was played.
func (r *tournamentResult) played() string {
	return fmt.Sprintf("%s, %s: %d matches, %d wall sets in %d seatings", plain.Line(r.Ruleset), r.seed, r.Matches, r.Sets, r.Seatings)
}

// standingsTable has a line for each agent, the best first.
func (r *tournamentResult) standingsTable() [][]string {
	rows := [][]string{{"", "matches", "1st", "2nd", "3rd", "4th"}}
	if r.placed {
		rows[0] = append(rows[0], "placement points")
	}
	rows[0] = append(rows[0], "points", "Plackett-Luce", "Bradley-Terry")
	forfeits := slices.ContainsFunc(r.Agents, func(a standings.Agent) bool { return a.Forfeits > 0 })
	if forfeits {
		rows[0] = append(rows[0], "forfeited")
	}
	for i := range r.Agents {
		a := &r.Agents[i]
		row := []string{agentLabel(a), fmt.Sprint(a.Matches)}
		for _, p := range a.Places {
			row = append(row, fmt.Sprintf("%.1f%%", 100*p.Value))
		}
		if r.placed {
			row = append(row, estimateText(a.Placement, 2))
		}
		row = append(row, estimateText(a.Points, r.decimals), estimateText(a.PlackettLuce, 0), estimateText(a.BradleyTerry, 0))
		if forfeits {
			row = append(row, fmt.Sprint(a.Forfeits))
		}
		rows = append(rows, row)
	}
	return rows
}

func agentLabel(a *standings.Agent) string {
	return fmt.Sprintf("%d %s", a.Number+1, plain.Line(a.Name))
}

// estimateText writes an estimate with its interval.
func estimateText(e standings.Estimate, decimals int) string {
	s := decimal(float64(e.Value), decimals)
	if e.Low.Known() {
		s += " [" + decimal(float64(e.Low), decimals) + ", " + decimal(float64(e.High), decimals) + "]"
	}
	return s
}

// matrix has a line and a column for each agent, the best first.
func (r *tournamentResult) matrix() [][]string {
	head := []string{""}
	for i := range r.Agents {
		head = append(head, fmt.Sprint(r.Agents[i].Number+1))
	}
	rows := [][]string{head}
	for i := range r.Agents {
		row := []string{agentLabel(&r.Agents[i])}
		for j := range r.Agents {
			row = append(row, r.aheadText(r.Agents[i].Number, r.Agents[j].Number))
		}
		rows = append(rows, row)
	}
	return rows
}

// aheadText writes how often one agent finishes ahead of another.
func (r *tournamentResult) aheadText(a, b int) string {
	for _, p := range r.Pairs {
		share := p.Ahead.Value
		switch {
		case p.A == a && p.B == b:
		case p.A == b && p.B == a:
			share = 1 - share
		default:
			continue
		}
		return fmt.Sprintf("%.1f%%", 100*share)
	}
	return "-"
}

// remarks are the paragraphs after the tables.
func (r *tournamentResult) remarks() []string {
	var lines []string
	if r.Reduction.Value.Known() {
		lines = append(lines, fmt.Sprintf("a match of a wall set tells as much as %s matches on walls of their own", estimateText(r.Reduction, 2)))
	}
	switch percent := decimal(100*r.UntilClear, 3); {
	case r.UntilClear == 0:
	case r.Leader != nil:
		i := slices.IndexFunc(r.Agents, func(a standings.Agent) bool { return a.Number == *r.Leader })
		lines = append(lines, fmt.Sprintf("%s is clear of all others at an error rate of %s %%", agentLabel(&r.Agents[i]), percent))
	default:
		lines = append(lines, fmt.Sprintf("nobody is clear of all others at an error rate of %s %% after %d of %d matches", percent, r.Matches, r.planned))
	}
	if r.Accept != nil {
		lines = append(lines, plain.Line(r.Accept.remark(r.names, r.planned, r.Matches)))
	}
	if s := r.Speed; s != nil {
		lines = append(lines, fmt.Sprintf("played %d matches in %.2f s: %.0f matches/s", s.Matches, s.Seconds, s.MatchesPerSecond))
	}
	return lines
}
