package export

import (
	"errors"
	"fmt"

	"github.com/sparrowhall/sparrowhall/sim/arena"
)

// Shard is one of the equal parts that a run is divided into, so that several
// machines may play them. A part is a number of files in a row. The zero value is
// all of the run.
type Shard struct {
	Number uint64 `json:"number"` // from 1
	Of     uint64 `json:"of"`
}

// whole reports whether the shard is all of the run.
func (s Shard) whole() bool { return s == Shard{} }

// describe returns the shard in words.
func (s *Shard) describe() string {
	if s == nil {
		return "none"
	}
	return fmt.Sprintf("%d/%d", s.Number, s.Of)
}

// checkShard returns what is wrong with the shard of the run.
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
	case r.Tournament != nil && r.Tournament.Selection == arena.Swiss:
		return errors.New("who meets whom follows from all results before, which a shard does not see; one machine plays the run")
	case r.Tournament != nil && r.Tournament.ends():
		return errors.New("when to stop cannot be seen in a shard; let all matches be played, or one machine play them")
	}
	return nil
}

// span returns the first match that the dataset of the run is for, and that
// after the last.
func (r *Run) span() (first, end uint64) {
	s := r.Shard
	if s.whole() {
		return 0, r.Matches
	}
	files := (r.Matches + r.FileMatches - 1) / r.FileMatches
	// Files are far fewer than matches, so the product is no greater than a
	// number of matches may be.
	return (s.Number - 1) * files / s.Of * r.FileMatches, min(s.Number*files/s.Of*r.FileMatches, r.Matches)
}
