package heuristic

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// gains remembers what wins bring, as the same few are weighed again and again, at one
// decision and at the next. Wins that share a place push each other out.
type gains struct {
	circumstances
	stamp uint32
	wins  [256]knownWin
}

// circumstances are what a gain depends on besides what is due, the tiles of the win, and
// how it is won.
type circumstances struct {
	deposits    int
	relief      float64
	seat, round tile.Wind
	flowers     uint8
	indicators  [ruleset.MaxIndicators]tile.Kind
	shown       uint8
}

// knownWin is a win and what it brings. It holds in the circumstances of the stamp.
type knownWin struct {
	codes          [tile.Honors + 1]uint32
	stamp          uint32
	flags          ruleset.Flags
	tile           tile.Kind
	selfDraw       bool
	reds, numMelds uint8
	melds          [hand.MaxMelds]hand.Meld
	gain           float64
}

// under forgets all that was known in other circumstances.
func (g *gains) under(c *circumstances) {
	if g.circumstances != *c {
		g.circumstances = *c
		g.forget()
	}
}

func (g *gains) forget() { g.stamp++ }

// of returns the place of a win and whether its gain is known.
func (g *gains) of(w *ruleset.Win) (at *knownWin, known bool) {
	h := &w.Hand
	codes := [...]uint32{h.Code(0), h.Code(1), h.Code(2), h.Code(tile.Honors)}
	at = &g.wins[mix(&codes, uint32(w.Tile)+uint32(w.NumMelds)<<8)>>24]
	if at.stamp == g.stamp && at.codes == codes && at.tile == w.Tile && at.selfDraw == w.SelfDraw && at.flags == w.Flags &&
		at.reds == w.Reds && at.numMelds == w.NumMelds && at.melds == w.Melds {
		return at, true
	}
	at.codes, at.stamp = codes, g.stamp
	at.flags, at.tile, at.selfDraw = w.Flags, w.Tile, w.SelfDraw
	at.reds, at.numMelds, at.melds = w.Reds, w.NumMelds, w.Melds
	return at, false
}

// mix hashes the codes of a hand and something more; the high bits are the best.
func mix(codes *[tile.Honors + 1]uint32, more uint32) uint32 {
	h := codes[0]*0x9e3779b1 ^ codes[1]*0x85ebca77 ^ codes[2]*0xc2b2ae3d ^ codes[3]*0x27d4eb2f ^ more*0x165667b1
	return h * 0x9e3779b1
}
