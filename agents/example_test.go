package agents_test

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// collector is a player of one idea: he keeps one suit and honors, and discards
// what does not bring him nearer to that. He never calls.
type collector struct {
	book *aim.Book
	now  aim.Position
}

// Act implements sim.Agent.
func (c *collector) Act(v sim.View) sim.Action {
	legal := v.Legal()
	if legal.Has(sim.ActWin) {
		return sim.ActWin
	}
	discards := aim.NewDiscardActions(&legal, v.Drawn(), false)
	if v.Phase() != sim.PhaseTurn || discards.Kinds() == 0 {
		return sim.DefaultAction(&legal) // pass, or what there is no choice about
	}
	if c.book == nil || c.book.Rules != v.Rules() {
		c.book = aim.NewBook(v.Rules())
	}
	c.now.Observe(v)
	best, least := tile.NoKind, aim.Hopeless+1
	for kinds := discards.Kinds(); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		c.now.Hand.Remove(k)
		if d := c.distance(); d < least {
			best, least = k, d
		}
		c.now.Hand.Add(k)
	}
	return discards.Action(best)
}

// distance returns how far the position is from the nearest flush.
func (c *collector) distance() int {
	least := aim.Hopeless
	for i := range c.book.Aims {
		a := &c.book.Aims[i]
		if n, ok := c.now.Need(a); ok && a.Class == aim.HalfFlush {
			least = min(least, c.book.Distance(&c.now, a, &n))
		}
	}
	return least
}

// Write an agent: a type with a method Act that answers from its view alone. Here
// one plays ten matches among three tsumogiri.
func Example() {
	rules, err := configs.Load("zung_jung")
	if err != nil {
		panic(err)
	}
	newOther, err := agents.New("tsumogiri")
	if err != nil {
		panic(err)
	}
	seats := [sim.NumPlayers]sim.Agent{&collector{}, newOther(), newOther(), newOther()}
	wins := 0
	var m sim.Match
	for i := range uint64(10) {
		m.Seed = sim.MatchSeed(1, i)
		m.Play(rules, &seats)
		for _, e := range m.Events {
			if e.Type == sim.EvWin && e.Player == 0 {
				wins++
			}
		}
	}
	fmt.Println(wins, "wins")
	// Output: 10 wins
}
