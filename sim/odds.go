package sim

import (
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// Odds say where a hidden tile is likely to be: [p][k] is by how much likelier, beside
// chance alone, one of kind k is among the concealed tiles of player p than in the wall, in
// 1/OddsUnit. Those of the viewer do not matter.
type Odds [NumPlayers][tile.NumKinds]uint16

// OddsUnit is what stands for one in Odds: as likely as in the wall.
const OddsUnit = 1 << 10

// swapsPerTile is how often, on average, each concealed tile is offered for another, which
// brings deals that begin at random as near to the odds as matters.
const swapsPerTile = 12

// dealHands deals the tiles of the pool to the players who are not ready: at random, and
// then again and again one tile is exchanged for another of somebody else or of the wall,
// or is not, by the odds of both (Metropolis and others, 1953).
func (d *dealer) dealHands() {
	t := d.t
	var tiles []tile.Face
	for f, n := range d.pool[:tile.FirstFlower] {
		for range n {
			tiles = append(tiles, tile.Face(f))
		}
	}
	for i := len(tiles) - 1; i > 0; i-- {
		j := d.rand.Below(i + 1)
		tiles[i], tiles[j] = tiles[j], tiles[i]
	}
	owner := make([]*[tile.NumKinds]uint16, len(tiles))
	dealt := 0
	for c := range ruleset.Chair(NumPlayers) {
		s := &t.seats[c]
		if !d.hidden[c] || s.isReady() {
			continue
		}
		n := s.hand.Len() + bits.OnesCount8(s.held) - d.flowers[c]
		if c == t.turn && t.drawn != tile.NoFace {
			n--
		}
		d.hands[c] = tiles[dealt : dealt+n]
		for i := range n {
			owner[dealt+i] = &d.odds[t.who[c]]
		}
		dealt += n
	}
	for i := dealt; i < len(tiles); i++ {
		owner[i] = &evenOdds
	}
	for range swapsPerTile * dealt {
		i, j := d.rand.Below(dealt), d.rand.Below(len(tiles))
		a, b := tiles[i].Kind(), tiles[j].Kind()
		if a == b || owner[i] == owner[j] {
			continue
		}
		now := uint64(max(owner[i][a], 1)) * uint64(max(owner[j][b], 1))
		then := uint64(max(owner[i][b], 1)) * uint64(max(owner[j][a], 1))
		if then >= now || uint64(d.rand.Below(1<<24))*now < then<<24 {
			tiles[i], tiles[j] = tiles[j], tiles[i]
		}
	}
	for _, f := range tiles[:dealt] {
		d.pool[f]--
	}
}

// evenOdds are those of the wall.
var evenOdds = func() (o [tile.NumKinds]uint16) {
	for k := range o {
		o[k] = OddsUnit
	}
	return o
}()

// readyHands is how many ready hands are weighed against each other.
const readyHands = 12

// likelier weighs a ready hand of n tiles of chair c against others by the odds, and leaves the
// one that comes out of it in h.
func (d *dealer) likelier(c ruleset.Chair, n int, h *hand.Hand) {
	s := &d.t.seats[c]
	odds := &d.odds[d.t.who[c]]
	now := likelihood(h, odds)
	for range readyHands {
		other, ok := d.readyHand(s, n)
		if !ok {
			return
		}
		if then := likelihood(&other, odds); then >= now || uint64(d.rand.Below(1<<24))*now < then<<24 {
			*h, now = other, then
		}
	}
}

// likelihood returns how likely a hand is by the odds, up to a factor, at most 2^40.
func likelihood(h *hand.Hand, odds *[tile.NumKinds]uint16) uint64 {
	const most = 1 << 40
	x := uint64(1 << 24)
	for kinds := h.Kinds(); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		for range h.Count(k) {
			x = max(1, min(x*uint64(max(odds[k], 1))/OddsUnit, most))
		}
	}
	return x
}
