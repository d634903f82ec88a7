package hkos

import "github.com/sparrowhall/sparrowhall/ruleset"

// Final ranks the players by points, which are their final scores ([K] 9.3).
func (s *scorer) Final(f *ruleset.Final) { f.ScoreByPoints(&s.knobs.Flow) }
