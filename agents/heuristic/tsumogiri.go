package heuristic

import "github.com/sparrowhall/sparrowhall/sim"

// tsumogiri discards whatever it draws and never calls, but wins when it can and
// shows a ready hand. It is the least that still plays by the rules: the only
// hands it completes are the dealt ones that wait for a tile.
type tsumogiri struct{}

// NewTsumogiri returns a player who discards what he draws.
func NewTsumogiri() sim.Agent { return tsumogiri{} }

// Act implements sim.Agent.
func (tsumogiri) Act(v sim.View) sim.Action {
	legal := v.Legal()
	for _, a := range [...]sim.Action{sim.ActWin, sim.ActTenpai} {
		if legal.Has(a) {
			return a
		}
	}
	return sim.DefaultAction(&legal)
}
