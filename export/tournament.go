package export

import (
	"errors"
	"fmt"

	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/arena"
)

// Tournament is what makes the run of a tournament.
type Tournament struct {
	// Schedule has the seed, the number of agents and the number of matches of
	// the run.
	*arena.Schedule
	// UntilClear is the error rate at which the run ends once the best agent is
	// clear, 0 if all matches are played.
	UntilClear float64
	// Accept is the question with whose answer the run ends, nil if there is none.
	Accept *Accept
}

// Accept asks whether an agent is better than another by Elo1 points or only by Elo0,
// in Elo points of the model of Bradley and Terry on who finishes ahead.
type Accept struct {
	// A and B are the numbers of the agents.
	A    int     `json:"a"`
	B    int     `json:"b"`
	Elo0 float64 `json:"elo0"`
	Elo1 float64 `json:"elo1"` // above Elo0
	// Alpha is the probability of the answer Elo1 if Elo0 is true, Beta that of the
	// answer Elo0 if Elo1 is true.
	Alpha float64 `json:"alpha"`
	Beta  float64 `json:"beta"`
	// Luck tells that results are taken less the luck of the tiles.
	Luck bool `json:"luck"`
	// FastLuck tells that it is measured by the fast estimate.
	FastLuck bool `json:"fast_luck,omitempty"`
}

// mostElo is the largest difference that can be asked for: odds of 300 to one.
const mostElo = 1000

// Check returns what is wrong with the question in a tournament of some agents.
func (a *Accept) Check(agents int) error {
	switch {
	case a.A < 0 || a.A >= agents || a.B < 0 || a.B >= agents || a.A == a.B:
		return fmt.Errorf("agents %d and %d cannot be compared; two of %d must be named", a.A+1, a.B+1, agents)
	case !(a.Elo0 >= -mostElo && a.Elo1 <= mostElo):
		return fmt.Errorf("%v and %v Elo points; allowed: from -%d to %d", a.Elo0, a.Elo1, mostElo, mostElo)
	case !(a.Elo1-a.Elo0 >= 1):
		return fmt.Errorf("%v Elo points against %v; the second must be at least one point more", a.Elo0, a.Elo1)
	case a.FastLuck && !a.Luck:
		return errors.New("the fast estimate of luck without luck")
	case !(a.Alpha > 0 && a.Alpha < 0.5 && a.Beta > 0 && a.Beta < 0.5):
		return fmt.Errorf("error rates %v and %v; allowed: above 0 and below 0.5", a.Alpha, a.Beta)
	}
	return nil
}

// plan returns the question in words.
func (a *Accept) plan() string {
	s := fmt.Sprintf("until agent %d is better than agent %d by %v or by %v Elo points, error rates %v and %v", a.A+1, a.B+1, a.Elo1, a.Elo0, a.Alpha, a.Beta)
	if a.Luck {
		s += ", less luck"
	}
	if a.FastLuck {
		s += " by the fast estimate"
	}
	return s
}

// TournamentInfo is a tournament in a manifest.
type TournamentInfo struct {
	// Selection to Accept are what the schedule was asked for; see [arena.Schedule]
	// and [Tournament].
	Selection  arena.Selection `json:"selection"`
	Repeats    bool            `json:"repeats"`
	Seatings   int             `json:"seatings"`
	Rounds     uint64          `json:"rounds"`
	UntilClear float64         `json:"until_clear,omitempty"`
	Accept     *Accept         `json:"accept,omitempty"`
	// Shard is where shards of tournaments were noted before other runs had any;
	// it is read as that of the manifest, and not written.
	Shard *Shard `json:"shard,omitempty"`
	// Stopped is the number of matches after which the best agent was clear, or the
	// question of Accept answered; the dataset is then complete with them. It is 0 if that did not happen.
	Stopped uint64 `json:"stopped,omitempty"`
}

func (t *Tournament) info() *TournamentInfo {
	return &TournamentInfo{
		Selection: t.Selection, Repeats: t.Repeats, Seatings: t.Seatings, Rounds: t.Rounds, UntilClear: t.UntilClear,
		Accept: t.Accept,
	}
}

// plan returns what was asked for, in words.
func (i *TournamentInfo) plan() string {
	if i == nil {
		return "none"
	}
	s := fmt.Sprintf("%d rounds, %s, repeats %v, %d seatings", i.Rounds, i.Selection, i.Repeats, i.Seatings)
	if i.UntilClear > 0 {
		s += fmt.Sprintf(", until clear %v", i.UntilClear)
	}
	if i.Accept != nil {
		s += ", " + i.Accept.plan()
	}
	return s
}

// tournament returns what the section describes.
func (i *TournamentInfo) tournament(seed uint64, agents int) (*Tournament, error) {
	s, err := arena.New(arena.Plan{
		Seed: seed, Agents: agents, Selection: i.Selection, Repeats: i.Repeats, Seatings: i.Seatings, Rounds: i.Rounds,
	})
	if err != nil {
		return nil, err
	}
	return &Tournament{Schedule: s, UntilClear: i.UntilClear, Accept: i.Accept}, nil
}

// checkTournament returns what is wrong with the tournament of the run.
func (r *Run) checkTournament() error {
	t := r.Tournament
	switch {
	case t.Seed != r.Seed || t.Agents != len(r.Agents) || t.Matches() != r.Matches:
		return fmt.Errorf("%d matches of %d agents from seed %d; the schedule has %d matches of %d agents from seed %d",
			r.Matches, len(r.Agents), r.Seed, t.Matches(), t.Agents, t.Seed)
	case r.KeepSeats:
		return errors.New("the seats of a tournament are those of its schedule; they cannot be kept")
	case !(t.UntilClear >= 0 && t.UntilClear < 1):
		return fmt.Errorf("error rate %v; allowed: from 0 to below 1", t.UntilClear)
	case t.Selection == arena.Swiss && t.ends():
		return errors.New("agents that are paired by their results play all rounds; it cannot end before")
	case t.Accept != nil && t.UntilClear > 0:
		return errors.New("it ends when the best agent is clear, or when a question is answered, but not both")
	case t.Accept != nil:
		return t.Accept.Check(t.Agents)
	}
	return nil
}

// Add takes the result of the next match by the rows of its players, for the schedules
// that need results; see [arena.Schedule.Add].
func (t *Tournament) Add(rows []MatchRow) {
	var placement, points [sim.NumPlayers]int32
	for p := range rows {
		placement[p], points[p] = rows[p].Placement, rows[p].Points
	}
	t.Schedule.Add(placement, points)
}

// AddAll takes the results of all matches that are in a dataset of the tournament. It
// reads nothing if the schedule needs none.
func (t *Tournament) AddAll(d *Dataset) error {
	if t.Selection != arena.Swiss {
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

// ends tells whether the run may end before all its matches are played.
func (t *Tournament) ends() bool { return t.UntilClear > 0 || t.Accept != nil }

// Stop ends the writing of a tournament whose best agent is clear or whose question is
// answered: the dataset is complete with the matches that were appended, a multiple of sim.BlockSize if
// they are not all.
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
	w.manifest = w.manifest.stopped(w.next)
	if w.files == nil {
		return w.writeManifest(w.manifest)
	}
	if err := w.finish(); err != nil {
		return err
	}
	return w.wait()
}

// Schedule returns the matches of the run. Those of a sealed run whose secret is not
// known have other seeds than when they are played.
func (r *Run) Schedule() sim.Schedule {
	if r.Tournament != nil {
		return r.Tournament.Schedule
	}
	rotation := sim.Rotation{Seed: r.Seed, KeepSeats: r.KeepSeats}
	if r.Seal != nil {
		rotation.Secret = r.Seal.secret
	}
	return rotation
}
