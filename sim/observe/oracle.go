package observe

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

const (
	others       = sim.NumPlayers - 1
	handPlanes   = 4 * others
	aheadOwn     = 8 // tiles of each private wall
	numAhead     = aheadOwn * sim.NumPlayers
	numReplacing = 4
	numUnder     = 5

	hiddenAhead     = 0
	hiddenReplacing = hiddenAhead + numAhead
	hiddenUnder     = hiddenReplacing + numReplacing
	hiddenReds      = hiddenUnder + numUnder
	hiddenFlowers   = hiddenReds + 3*others
	hiddenBytes     = hiddenFlowers + others
)

// oracleSpec includes hidden tiles. Names does not list it, so that no player receives it;
// see [Oracle].
var oracleSpec = Spec{
	Name: "oracle", Version: Version,
	Doc:     "planes, and what is hidden: the concealed tiles of the others and the tiles that come next; for critics and teachers in training, never for a player",
	Tensors: append(slices.Clone(planesSpec.Tensors), hiddenTensors()...),
	truth: func(dst [][]byte, t *sim.Table, p sim.Player, b *Board) {
		planesSpec.append(nil, dst, t.View(p), nil, b)
		appendHidden(dst[len(planesSpec.Tensors):], t, p)
	},
}

// Oracle returns the spec of the perfect-information encoding. Only [Encoder.AppendTable]
// supports it.
func Oracle() *Spec { return &oracleSpec }

func hiddenTensors() []Tensor {
	hands := newFields(1)
	hidden := newFields(tile.NumFaces)
	hidden.add("wall", numAhead, "1 + face of the tiles that come next from the front of a shared wall, in order; of private walls the next eight of each player's; 0 after the last")
	hidden.add("replacements", numReplacing, "1 + face of the replacement tiles that come next from the tail; 0 where there are none")
	hidden.add("ura", numUnder, "1 + face of the tile below each dora indicator turned; 0 none")
	for i, who := range [...]string{"the next player", "the player across", "the player before"} {
		hands.add([...]string{"hand_1", "hand_2", "hand_3"}[i], 4, "concealed tiles of "+who+"; thermometer")
		hidden.bound([...]string{"reds_1", "reds_2", "reds_3"}[i], 3, 0, 4, "concealed red fives among characters, dots, bamboo of "+who)
	}
	for i, who := range [...]string{"the next player", "the player across", "the player before"} {
		hidden.bound([...]string{"flowers_1", "flowers_2", "flowers_3"}[i], 1, 0, 255, "bit i: "+who+" holds flower i concealed")
	}
	return []Tensor{
		{Name: "hands", DType: Bit, Shape: []int{handPlanes, tile.NumKinds}, High: 1, Fields: hands.list, Doc: "sets of kinds as in planes, of what the others hold"},
		{Name: "hidden", DType: Uint8, Shape: []int{hiddenBytes}, High: 255, Fields: hidden.list, Doc: "the other hidden tiles"},
	}
}

// appendHidden appends the tensors of hiddenTensors.
func appendHidden(dst [][]byte, t *sim.Table, p sim.Player) {
	planes := grow(&dst[0], handPlanes*planeBytes)
	out := (*[hiddenBytes]byte)(grow(&dst[1], hiddenBytes))
	me := t.View(p)
	for i := range me.Rules().NumSeats() - 1 {
		v := t.View(me.PlayerAfter(i + 1))
		h := v.Hand()
		for n := range 4 {
			s := h.AtLeast(n + 1)
			for k := range planeBytes {
				planes[(4*i+n)*planeBytes+k] = byte(s >> (8 * k))
			}
		}
		reds := v.Reds()
		copy(out[hiddenReds+3*i:], reds[:])
		out[hiddenFlowers+i] = v.HeldFlowers()
	}
	var faces [numAhead]tile.Face
	put := func(at, n int) {
		for i := range n {
			out[at+i] = faceCode(faces[i])
		}
	}
	if me.Rules().Walls == ruleset.WallPerSeat {
		for i := range sim.NumPlayers {
			put(hiddenAhead+i*aheadOwn, t.NextTiles(me.PlayerAfter(i), faces[:aheadOwn]))
		}
	} else {
		put(hiddenAhead, t.NextTiles(p, faces[:]))
	}
	put(hiddenReplacing, t.NextReplacements(faces[:numReplacing]))
	for i := range min(me.NumIndicators(), numUnder) {
		out[hiddenUnder+i] = faceCode(t.UraIndicator(i))
	}
}
