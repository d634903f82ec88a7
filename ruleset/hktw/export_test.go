package hktw

import "github.com/sparrowhall/sparrowhall/ruleset/hand"

// LikGuShanten returns the distance to seven pairs and a triplet alone.
func (c *Config) LikGuShanten(h *hand.Hand) int {
	s := Scorer{knobs: *c}
	return s.likGuShanten(h)
}
