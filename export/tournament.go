package export

import (
	"errors"
	"fmt"

	"github.com/jansou/jansou/sim"
	"github.com/jansou/jansou/sim/arena"
)

// Tournament is what makes the run of a tournament.
type Tournament struct {
	// Schedule has the seed, the number of agents and the number of matches of
	// the run.
	*arena.Schedule
	// UntilClear is the error rate at which the run ends once the best agent is
	// clear, 0 if all matches are played.
	UntilClear float64
}

// TournamentInfo is a tournament in a manifest.
type TournamentInfo struct {
	// Selection to UntilClear are what the schedule was asked for; see [arena.Schedule]
	// and [Tournament].
	Selection  arena.Selection `json:"selection"`
	Repeats    bool            `json:"repeats"`
	Seatings   int             `json:"seatings"`
	Rounds     uint64          `json:"rounds"`
	UntilClear float64         `json:"until_clear,omitempty"`
	// Shard is where shards of tournaments were noted before other runs had any;
	// it is read as that of the manifest, and not written.
	Shard *Shard `json:"shard,omitempty"`
	// Stopped is the number of matches after which the best agent was clear; the
	// dataset is then complete with them. It is 0 if that did not happen.
	Stopped uint64 `json:"stopped,omitempty"`
}

func (t *Tournament) info() *TournamentInfo {
	return &TournamentInfo{
		Selection: t.Selection, Repeats: t.Repeats, Seatings: t.Seatings, Rounds: t.Rounds, UntilClear: t.UntilClear,
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
	return &Tournament{Schedule: s, UntilClear: i.UntilClear}, nil
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
	}
	return nil
}

// Stop ends the writing of a tournament whose best agent is clear: the dataset is
// complete with the matches that were appended, a multiple of sim.BlockSize if
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
