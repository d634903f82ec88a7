package zungjung

import "github.com/sparrowhall/sparrowhall/ruleset"

// Final ranks the players by points, which are their final scores ([S] 2.11).
func (s *scorer) Final(f *ruleset.Final) { f.ScoreByPoints(&s.knobs.Flow) }
