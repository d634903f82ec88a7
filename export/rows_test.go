package export

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/sim"
)

// What is written of hands costs one text a hand, and nothing where only the rows of
// players are wanted.
func TestRowsAllocate(t *testing.T) {
	rules, err := configs.Load("tenhou")
	if err != nil {
		t.Fatal(err)
	}
	m := sim.Match{Seed: 5}
	m.Play(rules, &[sim.NumPlayers]sim.Agent{random{}, random{}, random{}, random{}})
	for _, test := range []struct {
		maker rowMaker
		texts int // of each hand
	}{
		{rowMaker{}, 0},
		{newRowMaker(rules, newRun(t, "tenhou", Matches)), 0},
		{newRowMaker(rules, newRun(t, "tenhou", Hands)), 1},
	} {
		if err := test.maker.read(&m); err != nil {
			t.Fatal(err)
		}
		if told := test.maker.hands[0].Dealt[3] != ""; told != (test.texts > 0) {
			t.Errorf("dealt tiles are told: %v, wanted %d texts a hand", told, test.texts)
		}
		n := testing.AllocsPerRun(10, func() { err = test.maker.read(&m) })
		if most := test.texts * len(m.Hands); err != nil || n > float64(most) {
			t.Errorf("rows of %d hands take %v allocations (%v), want at most %d", len(m.Hands), n, err, most)
		}
	}
}
