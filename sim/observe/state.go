package observe

import (
	"encoding/binary"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

const (
	statePhase      = 0
	stateTurn       = statePhase + 1
	stateCause      = stateTurn + 1
	stateDrawn      = stateCause + 1
	stateWindow     = stateDrawn + 1
	stateRound      = stateWindow + 1
	stateRoundWind  = stateRound + 1
	stateSeatWind   = stateRoundWind + 1
	stateReds       = stateSeatWind + 1
	stateIndicators = stateReds + 3
	stateHeld       = stateIndicators + ruleset.MaxIndicators
	stateFlowers    = stateHeld + 1
	stateConcealed  = stateFlowers + sim.NumPlayers
	stateLeft       = stateConcealed + sim.NumPlayers
	stateReady      = stateLeft + sim.NumPlayers
	stateIppatsu    = stateReady + sim.NumPlayers
	stateOpen       = stateIppatsu + sim.NumPlayers
	stateDeclared   = stateOpen + sim.NumPlayers
	stateCreditor   = stateDeclared + sim.NumPlayers
	stateDebtWins   = stateCreditor + 1
	stateBytes      = stateDebtWins + sim.NumPlayers*sim.NumPlayers

	amountPoints   = 0
	amountDebts    = amountPoints + sim.NumPlayers
	amountCounter  = amountDebts + sim.NumPlayers*sim.NumPlayers
	amountDeposits = amountCounter + 1
	numAmounts     = amountDeposits + 1
)

// stateTensors returns what every encoding of fixed size ends with.
func stateTensors() []Tensor {
	const player = sim.NumPlayers
	state := newFields(1)
	state.bound("phase", 1, 0, int64(sim.PhaseOver), "what the table waits for: 0 deal, 1 ready, 2 flowers, 3 turn, 4 claim, 5 rob, 6 declare, 7 between, 8 over")
	state.bound("turn", 1, 0, player, "1 + the player whose turn it is or whose discard or kan the window is about; 0 none")
	state.bound("cause", 1, 0, int64(sim.FromClaim), "where the last drawn tile came from: 0 deal, 1 wall, 2 replacement for a kan, 3 replacement for a flower, 4 no draw but a claim")
	state.bound("drawn", 1, 0, tile.NumFaces, "1 + face of the drawn tile in an own turn; 0 none")
	state.bound("window", 1, 0, tile.NumFaces, "1 + face of the tile that may be claimed or robbed; 0 none or hidden")
	state.bound("round", 1, 0, 255, "number of the wind round from 0")
	state.bound("round_wind", 1, 0, 3, "wind of the round: 0 East, 1 South, 2 West, 3 North")
	state.bound("seat_wind", 1, 0, 3, "wind of the viewer; that of player i is i more, modulo 4; East deals")
	state.bound("reds", 3, 0, 4, "own concealed red fives among characters, dots, bamboo")
	state.bound("indicators", ruleset.MaxIndicators, 0, int64(tile.FirstFlower), "1 + face of each dora indicator turned; 0 none")
	state.bound("held_flowers", 1, 0, 255, "bit i: the viewer holds flower i concealed")
	state.bound("flowers", player, 0, 255, "bit i: the player has exposed flower i")
	state.bound("concealed", player, 0, 17, "number of concealed tiles, flowers included")
	state.bound("left", player, 0, sim.WallSize, "tiles the player can still draw; of a shared wall the same for all")
	state.bound("ready", player, 0, int64(sim.ReadyHeaven), "ready declaration that stands: 0 none, 1 ordinary, 2 double (first own turn), 3 human (first go-around), 4 earth (first discard), 5 heaven (before the first draw)")
	state.bound("one_shot", player, 0, 1, "a win would be within one go-around of the declaration")
	state.bound("open", player, 0, 1, "a meld shows another player's tile")
	state.bound("declared", player, 0, 2, "at an exhausted wall: 0 nothing said, 1 said not to be ready, 2 shown to be ready")
	state.bound("creditor", 1, 0, player, "1 + the player to whom the viewer may pay a debt now; 0 that is not the question")
	state.bound("debt_wins", player*player, 0, 255, "number of wins in the debt of player j to player i, at 4 i + j")

	const most = 1<<31 - 1
	amounts := newFields(most)
	amounts.bound("points", player, -most-1, most, "points of each player, realized ones alone")
	amounts.bound("debts", player*player, 0, most, "what player j owes player i, at 4 i + j")
	amounts.add("counter", 1, "number of honba or dealer repeats")
	amounts.add("deposits", 1, "riichi sticks on the table")
	return []Tensor{
		{Name: "state", DType: Uint8, Shape: []int{stateBytes}, High: 255, Fields: state.list, Doc: "small numbers and flags; runs of four are players 0-3"},
		{Name: "amounts", DType: Int32, Shape: []int{numAmounts}, Low: -most - 1, High: most, Fields: amounts.list, Doc: "large numbers; points and debts in the ruleset's unit, a point or in hktw half a point"},
	}
}

// appendState appends the tensors of stateTensors.
func appendState(dst [][]byte, v sim.View) {
	s := (*[stateBytes]byte)(extend(&dst[0], stateBytes))
	*s = [stateBytes]byte{}
	s[statePhase] = uint8(v.Phase())
	if p := v.Turn(); p >= 0 {
		s[stateTurn] = placeOf(v, p) + 1
	}
	s[stateCause] = uint8(v.DrawSource())
	s[stateDrawn] = faceCode(v.Drawn())
	s[stateWindow] = faceCode(v.ClaimableTile())
	s[stateRound] = uint8(v.Round())
	s[stateRoundWind] = uint8(v.RoundWind())
	s[stateSeatWind] = uint8(v.SeatWind(v.Player()))
	reds := v.Reds()
	copy(s[stateReds:], reds[:])
	for i := range v.NumIndicators() {
		s[stateIndicators+i] = faceCode(v.Indicator(i))
	}
	s[stateHeld] = v.HeldFlowers()
	if p := v.Creditor(); p >= 0 {
		s[stateCreditor] = placeOf(v, p) + 1
	}

	a := (*[4 * numAmounts]byte)(extend(&dst[1], 4*numAmounts))
	*a = [4 * numAmounts]byte{}
	put := func(i int, n int32) { binary.LittleEndian.PutUint32(a[4*i:], uint32(n)) }
	points := v.Points()
	three := v.Rules().Seats == ruleset.ThreeSeats
	for i := range v.Rules().NumSeats() {
		p := v.PlayerAfter(i)
		s[stateFlowers+i] = v.Flowers(p)
		if three {
			s[stateFlowers+i] = uint8(v.Norths(p))
		}
		s[stateConcealed+i] = uint8(v.ConcealedLen(p))
		s[stateLeft+i] = uint8(v.TilesLeftOf(p))
		s[stateReady+i] = uint8(v.Ready(p))
		s[stateIppatsu+i] = uint8(b2u(v.Ippatsu(p)))
		s[stateOpen+i] = uint8(b2u(v.IsOpen(p)))
		s[stateDeclared+i] = uint8(declared(v, p))
		put(amountPoints+i, points[p&3])
	}
	if v.HasDebts() {
		for i := range sim.NumPlayers {
			debts := v.Debts(v.PlayerAfter(i))
			for j := range sim.NumPlayers {
				d := debts[v.PlayerAfter(j)&3]
				s[stateDebtWins+4*i+j] = d.Wins
				put(amountDebts+4*i+j, d.Points)
			}
		}
	}
	put(amountCounter, int32(v.Counter()))
	put(amountDeposits, int32(v.Deposits()))
}

// What a player may have declared at an exhausted wall.
const (
	nothing = iota
	notReady
	isReady
)

func declared(v sim.View, p sim.Player) int {
	switch {
	case v.DeclaredReady(p):
		return isReady
	case int(v.SeatWind(p)) < v.NumDeclared():
		return notReady
	}
	return nothing
}
