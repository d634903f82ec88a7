package schema

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/sim"
)

// The rows of hands with the tiles dealt take one allocation a hand, those without none.
func TestMakerAllocations(t *testing.T) {
	ruleset, err := configs.Load("tenhou")
	if err != nil {
		t.Fatal(err)
	}
	random, err := agents.New("random")
	if err != nil {
		t.Fatal(err)
	}
	m := sim.Match{Seed: 5}
	m.Play(ruleset, &[sim.NumPlayers]sim.Agent{random(), random(), random(), random()})
	for _, test := range []struct {
		maker *Maker
		texts int // of each hand
	}{
		{&Maker{}, 0},
		{NewMaker(ruleset, MakerOptions{}), 0},
		{NewMaker(ruleset, MakerOptions{Dealt: true}), 1},
	} {
		if err := test.maker.Read(&m); err != nil {
			t.Fatal(err)
		}
		if dealt := test.maker.hands[0].Dealt[3] != ""; dealt != (test.texts > 0) {
			t.Errorf("the rows have the tiles dealt: %v; want %d texts a hand", dealt, test.texts)
		}
		n := testing.AllocsPerRun(10, func() { err = test.maker.Read(&m) })
		if most := test.texts * len(m.Hands); err != nil || n > float64(most) {
			t.Errorf("rows of %d hands take %v allocations (%v), want at most %d", len(m.Hands), n, err, most)
		}
	}
}
