package belief

import (
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/aim"
	"github.com/sparrowhall/sparrowhall/sim/perceptron"
)

// others is the number of players whose tiles are hidden.
const others = sim.NumPlayers - 1

// Sample is a decision met in a match, with what is true of the hidden tiles. The other
// players are those after the viewer, in turn order.
type Sample struct {
	Players [others]struct {
		Inputs []perceptron.Input
		// Ready tells that he waits for a tile, Declared that he has said so.
		Ready, Declared bool
		// Hidden is how many concealed tiles he has.
		Hidden int8
	}
	// Wall is how many hidden tiles nobody has.
	Wall  int16
	Kinds []KindSample
}

// KindSample is a kind of tile in a Sample.
type KindSample struct {
	Kind tile.Kind
	// Unseen is how many tiles of it the viewer cannot see.
	Unseen int8
	Of     [others]struct {
		Inputs []perceptron.Input
		// Held is how many tiles of it the player has concealed.
		Held int8
		// Asked tells that the viewer might discard it and that it is not known to be
		// safe, Won that the player would win on it, and how much the viewer would pay then, in
		// thousandths of the scale.
		Asked, Won bool
		Loss       int16
	}
}

// Sampler makes samples of tables that are known.
type Sampler struct {
	reader Reader
	list   list
	table  sim.Table
	room   []perceptron.Input
	events []sim.Event
}

// keep copies what the list has.
func (s *Sampler) keep() []perceptron.Input {
	if cap(s.room)-len(s.room) < s.list.n {
		s.room = make([]perceptron.Input, 0, 1<<16)
	}
	first := len(s.room)
	s.room = append(s.room, s.list.all()...)
	return s.room[first:len(s.room):len(s.room)]
}

// Sample makes a sample of the decision of player p, whose turn it is at t, with the
// kinds that he may discard and further ones.
func (s *Sampler) Sample(t *sim.Table, p sim.Player, further tile.Set) Sample {
	v := t.View(p)
	s.reader.Look(v)
	legal := v.Legal()
	quiet := aim.DiscardsOf(&legal, v.Drawn(), false)
	var x Sample
	wall := 0
	for _, n := range s.reader.unseen {
		wall += int(n)
	}
	anybody := false
	for i := range x.Players {
		o, q := &x.Players[i], v.At(i+1)
		s.reader.tellPlayer(&s.list, q)
		o.Inputs = s.keep()
		theirs := t.View(q)
		o.Ready, o.Declared = theirs.Waits() != 0, v.Ready(q) != sim.NotReady
		anybody = anybody || o.Ready
		h := theirs.Hand()
		o.Hidden = int8(h.Len())
		wall -= h.Len()
	}
	x.Wall = int16(wall)
	discards := quiet.Kinds()
	for kinds := discards | further; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		ks := KindSample{Kind: k, Unseen: s.reader.unseen[k]}
		asked := discards.Has(k)
		for i := range ks.Of {
			o, q := &ks.Of[i], v.At(i+1)
			s.reader.tellKind(&s.list, q, k)
			o.Inputs = s.keep()
			h := t.View(q).Hand()
			o.Held = int8(h.Count(k))
			o.Asked = asked && !s.reader.Safe(q).Has(k)
		}
		if asked && anybody {
			s.try(t, p, quiet.Of(k), &ks)
		}
		x.Kinds = append(x.Kinds, ks)
	}
	return x
}

// try finds out who would win on a discard, and by how much.
func (s *Sampler) try(t *sim.Table, p sim.Player, a sim.Action, k *KindSample) {
	v := t.View(p)
	before := t.Points()[p]
	after := *t
	s.events, _ = after.Step(p, a, s.events[:0])
	if after.Phase() != sim.PhaseClaim || after.View(p).Turn() != p {
		return // nobody may claim it, and the table has gone on by itself
	}
	for i := range k.Of {
		q := v.At(i + 1)
		legal := after.Legal(q)
		if !legal.Has(sim.ActWin) {
			continue
		}
		o := &k.Of[i]
		o.Won = true
		s.table = after
		for asked := s.table.Asked(); asked != 0; asked = asked.Rest() {
			answer := sim.ActPass
			if asked.First() == q {
				answer = sim.ActWin
			}
			s.events, _ = s.table.Step(asked.First(), answer, s.events[:0])
		}
		lost := int(before-s.table.Points()[p]) * 1000 / aim.Scale(t.Rules())
		o.Loss = int16(max(-30000, min(lost, 30000)))
	}
}
