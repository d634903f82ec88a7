package sim

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// Odds say where hidden tiles are likely to be, in 1/OddsUnit. Those of the viewer are
// ignored.
type Odds struct {
	// Tiles are likelihood ratios: how many times as likely a tile of kind k is among the
	// concealed tiles of player p as in the wall, beyond the number of places.
	Tiles [NumPlayers][tile.NumKinds]uint16
	// Ready is the probability that a player who has not declared ready has a ready hand.
	Ready [NumPlayers]uint16
}

// OddsUnit is the fixed-point scale of Odds: as likely as in the wall, or certain.
const OddsUnit = 1 << 10

// swapsPerTile is the mean number of proposed swaps per concealed tile, enough for the
// Markov chain to approach the odds.
const swapsPerTile = 12

// dealHands deals the tiles of the pool to the players without a ready hand by the odds: it
// starts from a random deal and proposes swaps between hands and wall, each accepted by
// the Metropolis rule (Metropolis et al., 1953).
func (d *determinizer) dealHands() {
	t := d.t
	tiles := d.handsByOdds[:0]
	for f, n := range d.pool[:tile.FirstFlower] {
		for range n {
			tiles = append(tiles, tile.Face(f))
		}
	}
	// A uniform deal to start from. Without it the first hand would have the lowest faces, and the
	// chain would need longer to forget that.
	for i := len(tiles) - 1; i > 0; i-- {
		j := d.rand.Below(i + 1)
		tiles[i], tiles[j] = tiles[j], tiles[i]
	}
	var owners [WallSize]*[tile.NumKinds]uint16
	owner, dealt := owners[:len(tiles)], 0
	for c := range ruleset.Chair(NumPlayers) {
		if !d.hidden[c] || d.ready[c] {
			continue
		}
		n := d.handSize(c) - d.flowers[c]
		d.firstByOdds[c] = dealt
		for i := range n {
			owner[dealt+i] = &d.odds.Tiles[t.who[c]]
		}
		dealt += n
	}
	// The rest of the list is the wall, where every kind is as likely.
	for i := dealt; i < len(tiles); i++ {
		owner[i] = &evenOdds
	}
	for range swapsPerTile * dealt {
		i, j := d.rand.Below(dealt), d.rand.Below(len(tiles))
		a, b := tiles[i].Kind(), tiles[j].Kind()
		// A swap that changes no likelihood would be accepted and move nothing.
		if a == b || owner[i] == owner[j] {
			continue
		}
		// Odds of 0 count as 1: a hand may hold a tile that the odds exclude, and must be able to
		// get rid of it.
		now := uint64(max(owner[i][a], 1)) * uint64(max(owner[j][b], 1))
		then := uint64(max(owner[i][b], 1)) * uint64(max(owner[j][a], 1))
		// then/now against a random share in 1/2^24, without a division. The products of two odds
		// stay below 2^32.
		if then >= now || uint64(d.rand.Below(1<<24))*now < then<<24 {
			tiles[i], tiles[j] = tiles[j], tiles[i]
		}
	}
	for _, f := range tiles[:dealt] {
		d.pool[f]--
	}
}

// evenOdds are the odds of the wall.
var evenOdds = func() (o [tile.NumKinds]uint16) {
	for k := range o {
		o[k] = OddsUnit
	}
	return o
}()

// readyHandSamples is the number of Metropolis steps for a ready hand.
const readyHandSamples = 12

// resampleReadyHand replaces h, a ready hand of n tiles of chair c, by Metropolis steps
// with the likelihood of the odds.
func (d *determinizer) resampleReadyHand(c ruleset.Chair, n int, h *hand.Hand) {
	s := &d.t.seats[c]
	odds := &d.odds.Tiles[d.t.who[c]]
	now := likelihood(h, odds)
	for range readyHandSamples {
		other, ok := d.readyHand(s, n)
		// No other hand was found in all tries; the one in hand is good.
		if !ok {
			return
		}
		// As in dealHands. What is shifted is less than now, so it fits.
		if then := likelihood(&other, odds); then >= now || uint64(d.rand.Below(1<<24))*now < then<<24 {
			*h, now = other, then
		}
	}
}

// likelihood returns the likelihood of a hand by the odds, up to a constant factor, at
// most 2^40.
func likelihood(h *hand.Hand, odds *[tile.NumKinds]uint16) uint64 {
	const most = 1 << 40
	// It begins in the middle and is cut off at both ends, so that fourteen factors neither
	// overflow nor become 0.
	x := uint64(1 << 24)
	for kinds := h.Kinds(); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		for range h.Count(k) {
			x = max(1, min(x*uint64(max(odds[k], 1))/OddsUnit, most))
		}
	}
	return x
}
