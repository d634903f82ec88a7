package dataset

import (
	"errors"
	"fmt"

	"github.com/sparrowhall/sparrowhall/internal/arena"
)

// Shard is one of the equal parts of a run that several machines play. A part is a number
// of consecutive files. The zero value is the whole run.
type Shard struct {
	Number uint64 `json:"number"` // from 1
	Of     uint64 `json:"of"`
}

func (s Shard) whole() bool { return s == Shard{} }

// String returns the shard in words, "none" for nil.
func (s *Shard) String() string {
	if s == nil {
		return "none"
	}
	return fmt.Sprintf("%d/%d", s.Number, s.Of)
}

func (r *Run) checkShard() error {
	files := (r.Matches + r.FileMatches - 1) / r.FileMatches
	switch s := r.Shard; {
	case s.whole():
		return nil
	case r.Import != nil:
		return errors.New("matches that were played elsewhere have no shards")
	case s.Number < 1 || s.Number > s.Of:
		return fmt.Errorf("shard %d/%d; the shards are numbered from 1 to %d", s.Number, s.Of, s.Of)
	case s.Of > files:
		return fmt.Errorf("%d shards, but %d matches fill only %d files of %d; let fewer matches share a file", s.Of, r.Matches, files, r.FileMatches)
	case r.Tournament != nil && r.Tournament.Schedule.Plan.Selection == arena.Swiss:
		return errors.New("the pairings follow from all earlier results, which a shard does not have; let machines share the tournament (--share)")
	case r.Tournament != nil && r.Tournament.ends():
		return errors.New("a shard does not have the results that decide when to stop; let all matches be played, or machines share the tournament (--share)")
	}
	return nil
}

// span returns the first match that the dataset of the run holds, and the one after the
// last.
func (r *Run) span() (first, end uint64) {
	s := r.Shard
	if s.whole() {
		return 0, r.Matches
	}
	files := (r.Matches + r.FileMatches - 1) / r.FileMatches
	// Files are far fewer than matches, so the product does not overflow.
	return (s.Number - 1) * files / s.Of * r.FileMatches, min(s.Number*files/s.Of*r.FileMatches, r.Matches)
}
