package heuristic_test

import (
	"os"
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// record counts what became of the hands of one player: folly is giving a player who
// has declared ready his tile with a hand that was not ready.
type record struct{ hands, wins, dealIns, folly int }

func (c *record) share(n int) float64 { return 100 * float64(n) / float64(c.hands) }

// play adds matches in which an agent takes each seat in turn among three value players,
// at the same walls.
func (c *record) play(t *testing.T, r *ruleset.Rules, spec string, walls int) {
	t.Helper()
	for p := range sim.Player(sim.NumPlayers) {
		seats := lineup(t, 1<<p, spec, "value")
		for i := range walls {
			m := sim.Match{Seed: sim.MatchSeed(77, uint64(i))}
			m.Play(r, seats)
			c.count(r, &m, p)
		}
	}
}

// count follows the events of a match.
func (c *record) count(r *ruleset.Rules, m *sim.Match, p sim.Player) {
	var declared sim.Players
	table := sim.NewTable(r, m.Seed)
	ready := false // whether p's hand was when he last discarded
	n := 0
	for !table.Over() {
		if table.Phase() == sim.PhaseDeal {
			table.StartHand(nil)
			c.hands++
			declared = 0
			continue
		}
		for asked := table.Asked(); asked != 0; asked = asked.Rest() {
			q := asked.First()
			a := m.Actions[n]
			n++
			if q == p && table.Phase() == sim.PhaseTurn && a.IsDiscard() {
				ready = readyAfter(table.View(p), a)
			}
			events, err := table.Step(q, a, nil)
			if err != nil {
				panic(err)
			}
			for _, e := range events {
				switch {
				case e.Type == sim.EvReady && e.Value == 1:
					declared |= e.Player.Bit()
				case e.Type == sim.EvWin && e.Player == p:
					c.wins++
				case e.Type == sim.EvWin && sim.Player(e.Value) == p:
					c.dealIns++
					if declared.Has(e.Player) && !ready {
						c.folly++
					}
				}
			}
		}
	}
}

// tenpaiEVAfter reports whether the viewer's hand is ready after a discard.
func readyAfter(v sim.View, a sim.Action) bool {
	f := v.Drawn()
	switch {
	case v.Ready(v.Player()) != sim.NotReady || a.DeclaresReady():
		return true
	case a != sim.ActDiscardDrawn:
		f = tile.Face(a - sim.ActDiscard)
	}
	h := v.Hand()
	h.Remove(f.Kind())
	return v.Rules().Waits(&h, v.NumMelds(v.Player())) != 0
}

// TestExpertFolds holds expert to fewer losses to declared hands than value has, with
// about as many wins.
func TestExpertFolds(t *testing.T) {
	walls := 25
	if os.Getenv("SPARROWHALL_LONG") != "" {
		walls = 1500
	}
	r := load(t, "tenhou")
	var value, expert record
	value.play(t, r, "value", walls)
	expert.play(t, r, "expert", walls)
	for name, c := range map[string]*record{"value": &value, "expert": &expert} {
		t.Logf("%s: %d hands, wins %.2f %%, deals in %.2f %%, to a declared hand while not ready %.2f %%",
			name, c.hands, c.share(c.wins), c.share(c.dealIns), c.share(c.folly))
	}
	if expert.share(expert.folly) > 0.75*value.share(value.folly) {
		t.Errorf("expert deals in to declared hands nearly as often as value")
	}
	if expert.share(expert.wins) < 0.85*value.share(value.wins) {
		t.Errorf("expert wins much less than value")
	}
}
