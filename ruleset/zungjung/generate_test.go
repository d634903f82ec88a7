package zungjung_test

import (
	"github.com/sparrowhall/sparrowhall/internal/testkit/handgen"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// winds are the four winds.
var winds = []tile.Wind{0, 1, 2, 3}

// win returns a complete hand of the family.
func win(m *handgen.Maker) ruleset.Win {
	w := m.Thirteen()
	circumstances(m, &w)
	return w
}

// circumstances says how the hand was won.
func circumstances(m *handgen.Maker, w *ruleset.Win) {
	w.SelfDraw = m.Chance(50)
	w.SeatWind, w.RoundWind = handgen.Pick(m, winds...), handgen.Pick(m, winds...)
	if m.Chance(50) {
		return
	}
	if m.Chance(30) {
		w.Flags |= ruleset.FlagLastTile
	}
	switch {
	case !w.SelfDraw && m.Chance(10):
		w.Flags |= ruleset.FlagRobbingClosedKan
	case !w.SelfDraw && m.Chance(30):
		w.Flags |= ruleset.FlagRobbingKan
	case w.SelfDraw && m.Chance(50):
		w.Flags |= ruleset.FlagAfterKan
	}
	if w.NumMelds == 0 && m.Chance(50) {
		w.Flags = ruleset.FlagEarthly
		if w.SelfDraw {
			w.Flags = ruleset.FlagHeavenly
		}
	}
}
