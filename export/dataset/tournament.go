package dataset

import (
	"errors"
	"fmt"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Tournament is the schedule of a run that is a tournament, and when it ends.
type Tournament struct {
	// Schedule has the seed, the number of agents and the number of matches of the run.
	*arena.Schedule
	// UntilClear is the error rate of the test for the best agent, with whose answer the
	// run ends; 0 if all matches are played.
	UntilClear float64
	// Accept is the sequential test with whose answer the run ends, nil if there is none.
	Accept *Accept
}

// Accept is a sequential probability ratio test (SPRT) of whether an agent is better than
// another by Elo1 or only by Elo0 Elo points, in the model of who finishes
// ahead of whom.
type Accept struct {
	// A and B are the numbers of the agents.
	A    int     `json:"a"`
	B    int     `json:"b"`
	Elo0 float64 `json:"elo0"`
	Elo1 float64 `json:"elo1"` // above Elo0
	// Alpha is the probability of answering Elo1 if Elo0 is true, Beta that of answering
	// Elo0 if Elo1 is true.
	Alpha float64 `json:"alpha"`
	Beta  float64 `json:"beta"`
	// Luck is set if the results are luck-adjusted.
	Luck bool `json:"luck"`
	// FastLuck is set if luck is measured with the linear value function.
	FastLuck bool `json:"fast_luck,omitempty"`
}

// mostElo is the largest difference that can be tested: odds of 300 to one.
const mostElo = 1000

// Check returns an error if the test is impossible in a tournament of this many agents.
func (a *Accept) Check(agents int) error {
	switch {
	case a.A < 0 || a.A >= agents || a.B < 0 || a.B >= agents || a.A == a.B:
		return fmt.Errorf("agents %d and %d cannot be compared; two of %d must be named", a.A+1, a.B+1, agents)
	case !(a.Elo0 >= -mostElo && a.Elo1 <= mostElo):
		return fmt.Errorf("%v and %v Elo points; allowed: from -%d to %d", a.Elo0, a.Elo1, mostElo, mostElo)
	case !(a.Elo1-a.Elo0 >= 1):
		return fmt.Errorf("%v Elo points against %v; the second must be at least one point more", a.Elo0, a.Elo1)
	case a.FastLuck && !a.Luck:
		return errors.New("a fast value function is for luck-adjusted results; set luck too")
	case !(a.Alpha > 0 && a.Alpha < 0.5 && a.Beta > 0 && a.Beta < 0.5):
		return fmt.Errorf("error rates %v and %v; allowed: above 0 and below 0.5", a.Alpha, a.Beta)
	}
	return nil
}

// String returns the test in words.
func (a *Accept) String() string {
	s := fmt.Sprintf("until agent %d is better than agent %d by %v or by %v Elo points, error rates %v and %v", a.A+1, a.B+1, a.Elo1, a.Elo0, a.Alpha, a.Beta)
	if a.Luck {
		s += ", luck-adjusted"
	}
	if a.FastLuck {
		s += " by the fast estimate"
	}
	return s
}

// TournamentInfo is a tournament in a manifest.
type TournamentInfo struct {
	// Selection to Accept are the plan of the schedule; see [arena.Plan] and
	// [Tournament].
	Selection arena.Selection `json:"selection"`
	Repeats   bool            `json:"repeats"`
	Seatings  int             `json:"seatings"`
	Rounds    uint64          `json:"rounds"`
	// SetsPerTable is 0 where a table plays the usual number of duplicate sets.
	SetsPerTable uint64 `json:"sets_per_table,omitempty"`
	// Lineups has the places of the agents in the manifest's list, for each lineup of
	// [arena.ListedLineups] and [arena.RecordedLineups].
	Lineups    [][]int `json:"lineups,omitempty"`
	UntilClear float64 `json:"until_clear,omitempty"`
	Accept     *Accept `json:"accept,omitempty"`
	// Stopped is the number of matches after which the best agent or the answer of Accept
	// was clear, and with which the dataset is complete; 0 if that did not happen.
	Stopped uint64 `json:"stopped,omitempty"`
}

func (t *Tournament) info() *TournamentInfo {
	i := &TournamentInfo{
		Selection: t.Schedule.Plan.Selection, Repeats: t.Schedule.Plan.Repeats, Seatings: t.Schedule.Plan.Seatings, Rounds: t.Schedule.Plan.Rounds, SetsPerTable: t.Schedule.Plan.SetsPerTable, UntilClear: t.UntilClear,
		Accept: t.Accept,
	}
	for _, lineup := range t.Schedule.Plan.Lineups {
		var list []int
		for _, agent := range lineup[:t.Schedule.NumSeats()] {
			list = append(list, int(agent))
		}
		i.Lineups = append(i.Lineups, list)
	}
	return i
}

// lineups returns the lineups of a schedule of tables with so many seats.
func (i *TournamentInfo) lineups(seats int) (list [][sim.NumPlayers]uint8, err error) {
	for n, agents := range i.Lineups {
		var lineup [sim.NumPlayers]uint8
		if len(agents) != seats {
			return nil, fmt.Errorf("lineup %d: %d agents; a table has %d seats", n+1, len(agents), seats)
		}
		for p, agent := range agents {
			if agent < 0 || agent >= arena.MaxAgents {
				return nil, fmt.Errorf("lineup %d: agent %d; allowed: 0 to %d", n+1, agent, arena.MaxAgents-1)
			}
			lineup[p] = uint8(agent)
		}
		list = append(list, lineup)
	}
	return list, nil
}

// String returns the plan in words, "none" for nil.
func (i *TournamentInfo) String() string {
	if i == nil {
		return "none"
	}
	s := fmt.Sprintf("%d rounds, %s, repeats %v, %d seatings", i.Rounds, i.Selection, i.Repeats, i.Seatings)
	if i.SetsPerTable > 0 {
		s += fmt.Sprintf(", %d duplicate sets per table", i.SetsPerTable)
	}
	if len(i.Lineups) > 0 {
		s += fmt.Sprintf(", lineups %v", i.Lineups)
	}
	if i.UntilClear > 0 {
		s += fmt.Sprintf(", until clear %v", i.UntilClear)
	}
	if i.Accept != nil {
		s += ", " + i.Accept.String()
	}
	return s
}

// tournament returns the tournament that the manifest describes.
func (i *TournamentInfo) tournament(seed uint64, agents, seats int) (*Tournament, error) {
	lineups, err := i.lineups(seats)
	if err != nil {
		return nil, err
	}
	s, err := arena.New(arena.Plan{
		Seats: seats, Seed: seed, Agents: agents, Selection: i.Selection, Repeats: i.Repeats, Seatings: i.Seatings, Rounds: i.Rounds,
		SetsPerTable: i.SetsPerTable, Lineups: lineups,
	})
	if err != nil {
		return nil, err
	}
	return &Tournament{Schedule: s, UntilClear: i.UntilClear, Accept: i.Accept}, nil
}

func (r *Run) checkTournament() error {
	t := r.Tournament
	switch {
	case t.Schedule.NumSeats() != r.seats():
		return fmt.Errorf("a schedule of %d players; %.60s has %d", t.Schedule.NumSeats(), r.Ruleset.Name, r.seats())
	case t.Schedule.Plan.Seed != r.Seed || t.Schedule.Plan.Agents != len(r.Agents) || t.Schedule.Matches() != r.Matches:
		return fmt.Errorf("%d matches of %d agents from seed %d; the schedule has %d matches of %d agents from seed %d",
			r.Matches, len(r.Agents), r.Seed, t.Schedule.Matches(), t.Schedule.Plan.Agents, t.Schedule.Plan.Seed)
	case (r.Import != nil) != (t.Schedule.Plan.Selection == arena.RecordedLineups):
		return fmt.Errorf("selection %q; it is that of imported matches, and of no other", t.Schedule.Plan.Selection)
	case r.KeepSeats:
		return errors.New("the seats of a tournament are those of its schedule; they cannot be kept")
	case !(t.UntilClear >= 0 && t.UntilClear < 1):
		return fmt.Errorf("error rate %v; allowed: from 0 to below 1", t.UntilClear)
	case t.Schedule.Plan.Selection == arena.Swiss && t.ends():
		return errors.New("agents that are paired by their results play all rounds; it cannot end before")
	case t.Accept != nil && t.UntilClear > 0:
		return errors.New("it ends when the best agent is clear, or when a question is answered, but not both")
	case t.Accept != nil:
		return t.Accept.Check(t.Schedule.Plan.Agents)
	}
	return nil
}

// Add passes the rows of the next match to schedules that need results; see
// [arena.Schedule.AddResult].
func (t *Tournament) Add(rows []schema.MatchRow) {
	var placement, points [sim.NumPlayers]int32
	for p := range rows {
		placement[p], points[p] = rows[p].Placement, rows[p].Points
	}
	t.Schedule.AddResult(placement, points)
}

// AddAll adds all matches of a dataset of the tournament. It reads nothing if the schedule
// needs no results.
func (t *Tournament) AddAll(d *Dataset) error {
	if t.Schedule.Plan.Selection != arena.Swiss {
		return nil
	}
	for rows, err := range d.MatchesByRows() {
		if err != nil {
			return err
		}
		t.Add(rows)
	}
	return nil
}

// ends reports whether the run may end before all its matches are played.
func (t *Tournament) ends() bool { return t.UntilClear > 0 || t.Accept != nil }

// Stop completes the dataset of a tournament whose answer is clear with the matches that
// were appended: a multiple of sim.BlockSize, if they are not all.
func (w *Writer) Stop() error {
	if w.err == nil {
		w.err = w.stop()
	}
	return w.err
}

func (w *Writer) stop() error {
	if err := w.wait(); err != nil {
		return err
	}
	w.end = w.next
	w.manifest = w.manifest.stoppedAfter(w.next)
	if w.files == nil {
		return w.writeManifest(w.manifest)
	}
	if err := w.finish(); err != nil {
		return err
	}
	return w.wait()
}

// Schedule returns the schedule of the run. In a sealed run whose secret is not known, the
// seeds of the matches are not those with which they are played.
func (r *Run) Schedule() sim.Schedule {
	if r.Tournament != nil {
		return r.Tournament.Schedule
	}
	rotation := sim.Rotation{Seats: r.seats(), Seed: r.Seed, KeepSeats: r.KeepSeats}
	if r.Seal != nil {
		rotation.Secret = r.Seal.Secret()
	}
	return rotation
}
