package heuristic

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/belief"
)

// beliefs is what an expert believes of the others' hidden tiles.
type beliefs struct {
	off    bool
	reader belief.Reader
	// read tells which of the others, in turn order after the viewer, may well wait for a
	// tile, ready the chance that they do, in 1/belief.Unit.
	read  [sim.NumPlayers - 1]bool
	ready [sim.NumPlayers - 1]int32
}

// harmless is the chance to be ready, in 1/belief.Unit, below which a player's waits are not
// asked for.
const harmless = belief.Unit / 50

// believe reads those of the others who may wait for a tile.
func (x *Expert) believe(v sim.View) {
	b := &x.beliefs
	clear(b.read[:])
	clear(b.ready[:])
	if b.off || !x.style.defence || x.book.Rules.Ready != ruleset.Riichi {
		return // the networks of other families have not been told
	}
	looked := false
	for i := range b.read {
		p := v.At(i + 1)
		if v.Ready(p) == sim.NotReady && x.threats[i].ready < x.weights[unlikely] && v.NumMelds(p) < 2 {
			continue
		}
		if !looked {
			b.reader.Look(v)
			if looked = true; !b.reader.Knows() {
				return
			}
		}
		if b.ready[i] = b.reader.Read(p); b.ready[i] < harmless {
			continue
		}
		b.read[i] = true
		x.threats[i].safe = b.reader.Safe(p)
	}
}

// describeReadiness tells how likely each of the others is to wait for a tile.
func (x *Expert) describeReadiness() {
	c, b := &x.common, &x.beliefs
	for i := range b.read {
		c.skipTo(belief0 + i*readyInputs)
		c.put(int(b.ready[i]) / unitOfInput)
		c.put(4 * int(b.ready[i]) / unitOfInput)
	}
}

// describeBeliefs tells what is believed of a discard, and notes its danger.
func (x *Expert) describeBeliefs(v sim.View, a *considered) {
	k := a.discard
	if k == tile.NoKind {
		return
	}
	c, b := &x.act, &x.beliefs
	chance, risk := 0, 0
	a.danger = 0
	for i := range b.read {
		if !b.read[i] {
			continue
		}
		win, pays := b.reader.Win(v.At(i+1), k)
		if win == 0 {
			continue
		}
		c.skipTo(winning0 + i*winInputs)
		p, loss := int(win), int(pays)
		r := int(int64(p) * int64(loss) / belief.Unit)
		chance += p
		risk += r
		if v.Ready(v.At(i+1)) != sim.NotReady {
			a.danger += win
		}
		c.put(8 * p / unitOfInput)
		c.put(40 * p / unitOfInput)
		c.put(20 * r / unitOfInput)
		c.put(100 * r / unitOfInput)
		c.put(loss / unitOfInput)
	}
	c.skipTo(winning0 + (sim.NumPlayers-1)*winInputs)
	c.put(8 * chance / unitOfInput)
	c.put(40 * chance / unitOfInput)
	c.put(20 * risk / unitOfInput)
	c.put(100 * risk / unitOfInput)
}

// unitOfInput is what of beliefs is one step of an input.
const unitOfInput = belief.Unit / one
