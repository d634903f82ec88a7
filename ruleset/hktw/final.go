package hktw

import "github.com/sparrowhall/sparrowhall/ruleset"

// Final ranks the players by points, which are their final scores.
func (s *Scorer) Final(f *ruleset.Final) { f.ScoreByPoints(&s.knobs.Flow) }
