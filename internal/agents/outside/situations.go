package outside

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// situation is a hand with a prepared wall that leads to a decision of the program. Player 0
// is the dealer. Players without a script discard what they draw and claim nothing.
type situation struct {
	name string
	bot  sim.Player // for whom the program plays
	// dealt are the tiles dealt to the players, draws those drawn from the wall in order and
	// replacements those drawn after kans. The rest of the wall is arbitrary.
	dealt               [sim.NumPlayers]string
	draws, replacements string
	// script has the actions that players take as soon as each is legal. Those of the program
	// are played whatever it answers.
	script [sim.NumPlayers][]sim.Action
	// asks is among the legal actions at the decision that the situation is for.
	asks sim.Action
}

const (
	manzu5 = sim.Action(tile.Kind(4))
	souzu5 = sim.Action(tile.Kind(22))
	pinzu1 = sim.Action(tile.Kind(9))
	pinzu5 = sim.Action(tile.Kind(13))
)

// riichiSituations are for programs that speak mjai, under the preset tenhou.
var riichiSituations = []situation{
	{name: "a draw", asks: sim.ActDiscardDrawn},
	{
		name: "a chi in three ways", bot: 1, asks: sim.ActChi + 1,
		dealt: [sim.NumPlayers]string{1: "2356m19p19s12345z"}, draws: "4m",
	},
	{
		name: "a chi with a red five", bot: 1, asks: sim.ActChiRed,
		dealt: [sim.NumPlayers]string{1: "056m19p19s123456z"}, draws: "4m",
	},
	{
		name: "a pon with a red five", bot: 2, asks: sim.ActPon + 1,
		dealt: [sim.NumPlayers]string{2: "05p19m19s1234567z"}, draws: "5p",
	},
	{
		name: "an open kan", bot: 3, asks: sim.ActOpenKan,
		dealt: [sim.NumPlayers]string{3: "777z19m19p19s1234z"}, draws: "7z",
	},
	{
		name: "a closed kan", asks: sim.ActClosedKan + pinzu1,
		dealt: [sim.NumPlayers]string{0: "1111p19m19s12345z"}, replacements: "9m",
	},
	{
		name: "the discard after a pon", bot: 2, asks: sim.ActDiscard + manzu5,
		dealt: [sim.NumPlayers]string{2: "3355m19p19s12345z"}, draws: "3m",
		script: [sim.NumPlayers][]sim.Action{2: {sim.ActPon}},
	},
	{
		name: "the discard after a chi, where the same tile may not go", bot: 1, asks: sim.ActDiscard + pinzu1,
		dealt: [sim.NumPlayers]string{1: "4567m19p19s12345z"}, draws: "4m",
		script: [sim.NumPlayers][]sim.Action{1: {sim.ActChi}},
	},
	{
		name: "an added kan", bot: 2, asks: sim.ActAddedKan + pinzu1,
		dealt: [sim.NumPlayers]string{2: "11p2468m2468s123z"}, draws: "1p9s9s9s1p", replacements: "9m",
		script: [sim.NumPlayers][]sim.Action{2: {sim.ActPon, sim.ActDiscard + sim.Action(tile.East)}},
	},
	{
		name: "riichi", asks: sim.ActReadyDrawn,
		dealt: [sim.NumPlayers]string{0: "123456m789p12s55s"}, draws: "1z",
	},
	{
		name: "the riichi of another player", bot: 2, asks: sim.ActDiscardDrawn,
		dealt: [sim.NumPlayers]string{1: "123456m789p1255s", 2: "1479m258p369s123z"}, draws: "9p2z",
		script: [sim.NumPlayers][]sim.Action{1: {sim.ActReadyDrawn}},
	},
	{
		name: "a win by self-draw", asks: sim.ActWin,
		dealt: [sim.NumPlayers]string{0: "123456m789p12s55s"}, draws: "3s",
	},
	{
		name: "a win on a discard", bot: 1, asks: sim.ActWin,
		dealt: [sim.NumPlayers]string{1: "234m567m345p22s67s"}, draws: "8s",
	},
	{
		name: "a win of two players on one discard", bot: 1, asks: sim.ActWin,
		dealt: [sim.NumPlayers]string{1: "234m567m345p22s67s", 2: "345m456p678p33s67s"}, draws: "8s",
		script: [sim.NumPlayers][]sim.Action{2: {sim.ActWin}},
	},
	{
		name: "a win on a discard that others win on too, the last of three", bot: 3, asks: sim.ActWin,
		dealt: [sim.NumPlayers]string{1: "234m567m345p22s67s", 3: "345m456p678p33s67s"}, draws: "8s",
		script: [sim.NumPlayers][]sim.Action{1: {sim.ActWin}},
	},
	{
		name: "robbing an added kan", bot: 2, asks: sim.ActWin,
		dealt: [sim.NumPlayers]string{1: "05s1379m2468p123z", 2: "11p234m678m99p46s1z"}, draws: "1p9m5s9m7z7z5s",
		script: [sim.NumPlayers][]sim.Action{
			1: {sim.ActPon + 1, sim.ActAddedKan + souzu5},
			2: {sim.ActPon, sim.ActDiscard + sim.Action(tile.East), sim.ActDiscardDrawn},
		},
	},
	{
		name: "a discard after an added kan and its indicator", bot: 2, asks: sim.ActPon,
		dealt: [sim.NumPlayers]string{1: "11p2468m2468s124z", 2: "33z19m19s2479p25s8m"}, draws: "1p2z2z2z1p", replacements: "3z",
		script: [sim.NumPlayers][]sim.Action{1: {sim.ActPon, sim.ActAddedKan + pinzu1}},
	},
	{
		name: "a closed kan of another player", bot: 2, asks: sim.ActDiscardDrawn,
		dealt: [sim.NumPlayers]string{1: "1111p2468m2468s1z"}, draws: "2z3z4z", replacements: "2z",
		script: [sim.NumPlayers][]sim.Action{1: {sim.ActClosedKan + pinzu1}},
	},
	{
		name: "nine kinds of terminals and honors", asks: sim.ActNineKinds,
		dealt: [sim.NumPlayers]string{0: "19m19p19s1234z258m"}, draws: "5z",
	},
}

// threeSituations are for programs that speak mjai, under the preset tenhou_sanma.
var threeSituations = []situation{
	{name: "a draw", asks: sim.ActDiscardDrawn},
	{
		name: "a North to set aside", asks: sim.ActKita,
		dealt: [sim.NumPlayers]string{0: "19m19p19s1234567z"}, replacements: "1m",
	},
	{
		name: "the North of another player", bot: 1, asks: sim.ActDiscardDrawn,
		dealt: [sim.NumPlayers]string{0: "19m19p19s1234567z"}, draws: "1p2z", replacements: "1m",
		script: [sim.NumPlayers][]sim.Action{0: {sim.ActKita}},
	},
	{
		name: "a North drawn after riichi", asks: sim.ActKita,
		dealt: [sim.NumPlayers]string{0: "123456789p1255s"}, draws: "1z2z3z4z",
		script: [sim.NumPlayers][]sim.Action{0: {sim.ActReadyDrawn}},
	},
	{
		name: "a win on a North set aside", bot: 2, asks: sim.ActWin,
		dealt: [sim.NumPlayers]string{0: "19m19p19s1234567z", 2: "12345678911p44z"}, draws: "9s",
		script: [sim.NumPlayers][]sim.Action{0: {sim.ActKita}},
	},
	{
		name: "a pon with a red five", bot: 2, asks: sim.ActPon + 1,
		dealt: [sim.NumPlayers]string{2: "05p19m19s1234567z"}, draws: "5p",
	},
	{
		name: "an open kan", bot: 1, asks: sim.ActOpenKan,
		dealt: [sim.NumPlayers]string{1: "777z19m19p19s1235z"}, draws: "7z",
	},
	{
		name: "a closed kan", asks: sim.ActClosedKan + pinzu1,
		dealt: [sim.NumPlayers]string{0: "1111p19m19s12356z"}, replacements: "9m",
	},
	{
		name: "the discard after a pon", bot: 2, asks: sim.ActDiscard + pinzu5,
		dealt: [sim.NumPlayers]string{2: "3355p19m19s12356z"}, draws: "3p",
		script: [sim.NumPlayers][]sim.Action{2: {sim.ActPon}},
	},
	{
		name: "an added kan", bot: 2, asks: sim.ActAddedKan + pinzu1,
		dealt: [sim.NumPlayers]string{2: "112468p2468s123z"}, draws: "1p9s9s1p", replacements: "9m",
		script: [sim.NumPlayers][]sim.Action{2: {sim.ActPon, sim.ActDiscard + sim.Action(tile.East)}},
	},
	{
		name: "riichi", asks: sim.ActReadyDrawn,
		dealt: [sim.NumPlayers]string{0: "123456789p1255s"}, draws: "1z",
	},
	{
		name: "the riichi of another player", bot: 2, asks: sim.ActDiscardDrawn,
		dealt: [sim.NumPlayers]string{1: "123456789p1255s", 2: "19m258p369s12356z"}, draws: "9p2z",
		script: [sim.NumPlayers][]sim.Action{1: {sim.ActReadyDrawn}},
	},
	{
		name: "a win by self-draw", asks: sim.ActWin,
		dealt: [sim.NumPlayers]string{0: "123456789p1255s"}, draws: "3s",
	},
	{
		name: "a win on a discard", bot: 1, asks: sim.ActWin,
		dealt: [sim.NumPlayers]string{1: "234567p3452267s"}, draws: "8s",
	},
	{
		name: "a win of two players on one discard", bot: 1, asks: sim.ActWin,
		dealt: [sim.NumPlayers]string{1: "234567p3452267s", 2: "345456678p3367s"}, draws: "8s",
		script: [sim.NumPlayers][]sim.Action{2: {sim.ActWin}},
	},
	{
		name: "a win on a discard that the other player wins on first", bot: 2, asks: sim.ActWin,
		dealt: [sim.NumPlayers]string{1: "234567p3452267s", 2: "345456678p3367s"}, draws: "8s",
		script: [sim.NumPlayers][]sim.Action{1: {sim.ActWin}},
	},
	{
		name: "robbing an added kan", bot: 2, asks: sim.ActWin,
		dealt: [sim.NumPlayers]string{1: "05s19m2468p12356z", 2: "1123467899p46s1z"}, draws: "1p5s9m7z5s",
		script: [sim.NumPlayers][]sim.Action{
			1: {sim.ActPon + 1, sim.ActAddedKan + souzu5},
			2: {sim.ActPon, sim.ActDiscard + sim.Action(tile.East), sim.ActDiscardDrawn},
		},
	},
	{
		name: "a discard after an added kan and its indicator", bot: 2, asks: sim.ActPon,
		dealt: [sim.NumPlayers]string{1: "11p19m2468s12356z", 2: "33z19m19s2479p258s"}, draws: "1p2z2z1p", replacements: "3z",
		script: [sim.NumPlayers][]sim.Action{1: {sim.ActPon, sim.ActAddedKan + pinzu1}},
	},
	{
		name: "a closed kan of another player", bot: 2, asks: sim.ActDiscardDrawn,
		dealt: [sim.NumPlayers]string{1: "1111p19m2468s123z"}, draws: "2z3z5z", replacements: "2z",
		script: [sim.NumPlayers][]sim.Action{1: {sim.ActClosedKan + pinzu1}},
	},
	{
		name: "nine kinds of terminals and honors", asks: sim.ActNineKinds,
		dealt: [sim.NumPlayers]string{0: "19m19p19s123z258p5s"}, draws: "5z",
	},
}

// botzoneSituations are for programs written for Botzone, under the preset botzone.
var botzoneSituations = []situation{
	{name: "a draw", asks: sim.ActDiscardDrawn},
	{
		name: "a chow in three ways", bot: 1, asks: sim.ActChi + 1,
		dealt: [sim.NumPlayers]string{1: "2356m19p19s12345z"}, draws: "4m",
	},
	{
		name: "a pung", bot: 2, asks: sim.ActPon,
		dealt: [sim.NumPlayers]string{2: "55p19m19s1234567z"}, draws: "5p",
	},
	{
		name: "a kong of a discard", bot: 3, asks: sim.ActOpenKan,
		dealt: [sim.NumPlayers]string{3: "777z19m19p19s1234z"}, draws: "7z",
	},
	{
		name: "a concealed kong", asks: sim.ActClosedKan + pinzu1,
		dealt: [sim.NumPlayers]string{0: "1111p19m19s12345z"},
	},
	{
		name: "a win by self-draw", asks: sim.ActWin,
		dealt: [sim.NumPlayers]string{0: "123456789m12s55s"}, draws: "3s",
	},
	{
		name: "a win on a discard", bot: 1, asks: sim.ActWin,
		dealt: [sim.NumPlayers]string{1: "123456789m12s55s"}, draws: "3s",
	},
	{
		name: "a win on a discard that another player wins on too", bot: 2, asks: sim.ActWin,
		dealt: [sim.NumPlayers]string{1: "123456789p12s66p", 2: "123456789m12s55s"}, draws: "3s",
		script: [sim.NumPlayers][]sim.Action{1: {sim.ActWin}},
	},
	{
		name: "the concealed kong of another player", bot: 2, asks: sim.ActDiscardDrawn,
		dealt:  [sim.NumPlayers]string{0: "1111p19m19s12345z"},
		script: [sim.NumPlayers][]sim.Action{0: {sim.ActClosedKan + pinzu1}},
	},
}

// wall returns the wall of the situation.
func (s *situation) wall(r *ruleset.Rules) (*sim.Wall, error) {
	flow := &r.Flow
	size := sim.SetSize(flow)
	spare := sim.NewWall(flow, 1, 0, 0, 0)
	var left [tile.NumFaces]int
	for _, f := range spare[:size] {
		left[f]++
	}
	w := sim.EmptyWall()
	lay := func(text string, place func(int) int) error {
		faces, err := tile.ParseFaces(text)
		for i, f := range faces {
			// Rules without red fives have ordinary ones in their places.
			if left[f] == 0 && f.Kind().IsFive() {
				f = tile.Face(f.Kind())
			}
			if left[f]--; left[f] < 0 {
				return fmt.Errorf("%s: there are more %v than the set has", s.name, f)
			}
			w[place(i)] = f
		}
		return err
	}
	perSeat := flow.Walls == ruleset.WallPerSeat
	seatWall := size / sim.NumPlayers
	for p, text := range s.dealt {
		err := lay(text, func(i int) int {
			if perSeat {
				return p*seatWall + i
			}
			return sim.DealtIndex(flow, 0, ruleset.Chair(p), i)
		})
		if err != nil {
			return nil, err
		}
	}
	err := lay(s.draws, func(i int) int {
		if perSeat { // of the dealer alone
			return flow.HandSize + i
		}
		return flow.NumSeats()*flow.HandSize + i
	})
	if err == nil && s.replacements != "" {
		err = lay(s.replacements, func(i int) int { return sim.ReplacementIndex(flow, i) })
	}
	if err != nil {
		return nil, err
	}
	return w, w.Complete(flow, &spare)
}

// scriptedAgent plays a script, and the default action otherwise.
type scriptedAgent struct{ script []sim.Action }

// Act implements sim.Agent.
func (e *scriptedAgent) Act(v sim.View) sim.Action {
	legal := v.Legal()
	if len(e.script) > 0 && legal.Has(e.script[0]) {
		a := e.script[0]
		e.script = e.script[1:]
		return a
	}
	return sim.DefaultAction(&legal)
}
