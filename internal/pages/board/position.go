package board

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Position is a table in the midst of a hand, as the script's function atPosition reads it.
// Tiles that spectators may not see are 255.
type Position struct {
	// Points are the points of each player, Debts those that others owe to each, in units.
	Points []int   `json:"points"`
	Debts  [][]int `json:"debts"`
	// Chairs are the chairs of the players, Wind is the round wind where one is drawn for
	// the match.
	Chairs []int `json:"chairs"`
	Wind   *int  `json:"fixedWind"`
	// Dealer, Round and Counter are those of the hand, Deposits are the riichi sticks on the
	// table. Left is the number of tiles that the player in turn can draw.
	Dealer   int `json:"dealer"`
	Round    int `json:"round"`
	Counter  int `json:"counter"`
	Deposits int `json:"deposits"`
	Left     int `json:"left"`
	// Dora are the indicators.
	Dora []int `json:"dora"`
	// Turn is the player in turn, Latest the one whose discard may be claimed.
	Turn   int  `json:"turn"`
	Latest *int `json:"latest"`
	// Players has the tiles before each player.
	Players []playerPosition `json:"players"`
}

// playerPosition is the tiles before a player, and whether the player has declared ready.
type playerPosition struct {
	Tiles   []int          `json:"tiles"`
	Last    *int           `json:"last"` // the drawn tile
	Melds   []meldPosition `json:"melds"`
	River   []riverTile    `json:"river"`
	Flowers []int          `json:"flowers"`
	Ready   int            `json:"ready"`
	Stick   bool           `json:"stick"`
}

// meldPosition is a meld. The tile at index Turned was claimed.
type meldPosition struct {
	Name   string `json:"name"`
	Tiles  []int  `json:"tiles"`
	Turned int    `json:"turned"`
	Added  *int   `json:"added,omitempty"`
	Closed bool   `json:"closed,omitempty"`
}

// riverTile is a discard.
type riverTile struct {
	Face    int  `json:"f"`
	Drawn   bool `json:"drawn"`
	Ready   bool `json:"ready"`
	Claimed bool `json:"claimed"`
}

// PositionOf returns the position of a table at which a hand is played: with all tiles, or as
// spectators may see it.
func PositionOf(t *sim.Table, all bool) Position {
	r := t.Rules()
	seats := r.NumSeats()
	v := t.View(0)
	d := Position{
		Dealer: int(v.Dealer()), Round: v.Round(), Counter: v.Counter(), Deposits: v.Deposits(),
		Turn: int(v.Turn()), Left: t.View(max(v.Turn(), 0)).TilesLeft(), Dora: []int{},
	}
	if r.RoundWind == ruleset.WindRandom {
		d.Wind = new(int(v.RoundWind()))
	}
	if v.Phase() == sim.PhaseClaim {
		d.Latest = new(int(v.Turn()))
	}
	for i := range v.NumIndicators() {
		d.Dora = append(d.Dora, int(v.Indicator(i)))
	}
	for p := range sim.Player(seats) {
		d.Points = append(d.Points, int(v.Points()[p]))
		d.Chairs = append(d.Chairs, int(v.ChairOf(p)))
		debts := make([]int, seats)
		for q, debt := range v.Debts(p) {
			if q < seats {
				debts[q] = int(debt.Points)
			}
		}
		d.Debts = append(d.Debts, debts)
		d.Players = append(d.Players, positionOf(t, p, all))
	}
	for i := range v.NumDiscards() {
		// Spectators know of a discard what another player does.
		seen := t.View(v.Discard(i).Player)
		if !all {
			seen = t.View((seen.Player() + 1) % sim.Player(seats))
		}
		x := seen.Discard(i)
		river := &d.Players[x.Player].River
		*river = append(*river, riverTile{int(x.Tile), x.Drawn, x.Ready, x.Claimed})
	}
	return d
}

// positionOf returns the tiles before player p without the river.
func positionOf(t *sim.Table, p sim.Player, all bool) playerPosition {
	own, seats := t.View(p), t.Rules().NumSeats()
	seen := own
	if !all {
		seen = t.View((p + 1) % sim.Player(seats)) // another player sees what spectators may
	}
	d := playerPosition{
		Melds: []meldPosition{}, River: []riverTile{}, Flowers: []int{}, Ready: int(own.Ready(p)),
		Stick: own.Ready(p) != sim.NotReady && t.Rules().RiichiStick > 0,
	}
	drawn := own.Drawn()
	for _, f := range Concealed(own) {
		d.Tiles = append(d.Tiles, hide(f, all))
	}
	if drawn != tile.NoFace {
		d.Last = new(hide(drawn, all))
	}
	for i := range seen.NumMelds(p) {
		d.Melds = append(d.Melds, meldOf(seen.Meld(p, i), seats))
	}
	for i := range tile.Face(8) {
		if own.Flowers(p)>>i&1 != 0 {
			d.Flowers = append(d.Flowers, int(tile.FirstFlower+i))
		}
	}
	for range own.Norths(p) {
		d.Flowers = append(d.Flowers, int(tile.North))
	}
	return d
}

// hide returns a tile if it may be seen, otherwise NoFace.
func hide(f tile.Face, seen bool) int {
	if !seen {
		return int(tile.NoFace)
	}
	return int(f)
}

// Concealed returns the viewer's concealed tiles, the drawn one last.
func Concealed(v sim.View) []tile.Face {
	h, reds := v.Hand(), v.Reds()
	var faces []tile.Face
	for kinds := h.Kinds(); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		for i := range h.Count(k) {
			f := tile.Face(k)
			if k.IsFive() && i < int(reds[k.Suit()]) {
				f = tile.RedOf(k.Suit())
			}
			faces = append(faces, f)
		}
	}
	for i := range tile.Face(8) {
		if v.HeldFlowers()>>i&1 != 0 {
			faces = append(faces, tile.FirstFlower+i)
		}
	}
	if i := slices.Index(faces, v.Drawn()); i >= 0 {
		faces = append(slices.Delete(faces, i, i+1), v.Drawn())
	}
	return faces
}

// meldNames are the names of melds in the script.
var meldNames = [...]string{
	hand.Chi: "chi", hand.Pon: "pon", hand.OpenKan: "kan", hand.AddedKan: "added kan", hand.ClosedKan: "closed kan",
}

func meldOf(m hand.Meld, seats int) meldPosition {
	d := meldPosition{Name: meldNames[m.Type], Closed: m.Type == hand.ClosedKan}
	if m.Kind == tile.NoKind {
		d.Tiles = slices.Repeat([]int{int(tile.NoFace)}, 4)
		return d
	}
	reds := int(m.Reds)
	take := func(k tile.Kind, red bool) int {
		if red {
			reds--
			return int(tile.RedOf(k.Suit()))
		}
		return int(k)
	}
	claimed := m.Kind + tile.Kind(m.Claimed)
	var given int
	if m.IsOpen() {
		given = take(claimed, m.ClaimedRed)
	}
	size := m.Size()
	if m.Type == hand.AddedKan {
		d.Added = new(take(m.Kind, m.AddedRed))
		size = 3
	}
	for i := range size {
		k := m.Kind
		if m.Type == hand.Chi {
			k += tile.Kind(i)
		}
		if m.IsOpen() && (m.Type == hand.Chi && k == claimed || m.Type != hand.Chi && i == 0) {
			continue // the claimed tile
		}
		d.Tiles = append(d.Tiles, take(k, k.IsFive() && reds > 0))
	}
	if m.IsOpen() {
		// As in the script: turned toward the player who gave it.
		d.Turned = seats - 1 - int(m.From)
		if m.From == 1 {
			d.Turned = len(d.Tiles)
		}
		d.Tiles = slices.Insert(d.Tiles, d.Turned, given)
	}
	return d
}
