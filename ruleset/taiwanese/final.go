package taiwanese

import "github.com/sparrowhall/sparrowhall/ruleset"

// Final ranks the players by points, which are their final scores ([T] 8.4).
func (s *scorer) Final(f *ruleset.Final) { f.ScoreByPoints(&s.knobs.Flow) }
