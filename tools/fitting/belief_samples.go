package fitting

import (
	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/internal/insight/belief"
	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// BeliefSample is a decision of a match: the inputs of a belief network, and the hidden
// information that it is to predict. The other players are listed in turn order after the
// viewer.
type BeliefSample struct {
	Players []OtherPlayer
	// Wall is the number of hidden tiles that no player holds.
	Wall  int16
	Kinds []KindSample
}

// OtherPlayer is a player whose tiles are hidden from the viewer.
type OtherPlayer struct {
	// Inputs are those of the network about the player.
	Inputs []perceptron.Input
	// Ready reports whether the player is tenpai, Declared whether the player has declared
	// it.
	Ready, Declared bool
	// Hidden is the number of the player's concealed tiles.
	Hidden int8
}

// KindSample is a kind of tile in a BeliefSample.
type KindSample struct {
	Kind tile.Kind
	// Unseen is how many tiles of it the viewer cannot see.
	Unseen  int8
	Players []KindOfOther
}

// KindOfOther is a kind of tile against a player whose tiles are hidden.
type KindOfOther struct {
	// Inputs are those of the network about the kind in the player's hand.
	Inputs []perceptron.Input
	// Held is the number of tiles of the kind that the player has concealed.
	Held int8
	// Asked reports whether the viewer may discard the kind and it is not known to be
	// safe. Won reports whether the player would win on it, and Loss is how much the
	// viewer would then pay, in thousandths of the scale.
	Asked, Won bool
	Loss       int16
}

// BeliefSampler makes samples of tables whose tiles are all known.
type BeliefSampler struct {
	reader belief.Estimator
	list   perceptron.InputList
	table  sim.Table
	room   []perceptron.Input
	events []sim.Event
}

func (s *BeliefSampler) keep() []perceptron.Input {
	if cap(s.room)-len(s.room) < len(s.list.All()) {
		s.room = make([]perceptron.Input, 0, 1<<16)
	}
	first := len(s.room)
	s.room = append(s.room, s.list.All()...)
	return s.room[first:len(s.room):len(s.room)]
}

// Sample returns the sample of the decision of player p, whose turn it is at t. Its
// kinds are those that p may discard and further ones.
func (s *BeliefSampler) Sample(t *sim.Table, p sim.Player, further tile.Set) BeliefSample {
	v := t.View(p)
	s.reader.Observe(v)
	legal := v.Legal()
	quiet := aim.NewDiscardActions(&legal, v.Drawn(), false)
	others := t.Rules().NumSeats() - 1
	x := BeliefSample{Players: make([]OtherPlayer, others)}
	wall := 0
	for k := range tile.Kind(tile.NumKinds) {
		wall += v.Unseen(k)
	}
	anyTenpai := false
	for i := range x.Players {
		o, q := &x.Players[i], v.PlayerAfter(i+1)
		s.reader.EncodePlayer(&s.list, q)
		o.Inputs = s.keep()
		otherView := t.View(q)
		o.Ready, o.Declared = otherView.Waits() != 0, v.Ready(q) != sim.NotReady
		anyTenpai = anyTenpai || o.Ready
		h := otherView.Hand()
		o.Hidden = int8(h.Len())
		wall -= h.Len()
	}
	x.Wall = int16(wall)
	discards := quiet.Kinds()
	for kinds := discards | further; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		ks := KindSample{Kind: k, Unseen: int8(v.Unseen(k)), Players: make([]KindOfOther, others)}
		asked := discards.Has(k)
		for i := range ks.Players {
			o, q := &ks.Players[i], v.PlayerAfter(i+1)
			s.reader.EncodeKind(&s.list, q, k)
			o.Inputs = s.keep()
			h := t.View(q).Hand()
			o.Held = int8(h.Count(k))
			o.Asked = asked && !s.reader.SafeKinds(q).Has(k)
		}
		if asked && anyTenpai {
			s.findWinners(t, p, quiet.Action(k), &ks)
		}
		x.Kinds = append(x.Kinds, ks)
	}
	return x
}

// findWinners finds which players would win on a discard, and the payments.
func (s *BeliefSampler) findWinners(t *sim.Table, p sim.Player, a sim.Action, k *KindSample) {
	v := t.View(p)
	before := t.Points()[p]
	after := *t
	s.events, _ = after.Step(p, a, s.events[:0])
	if after.Phase() != sim.PhaseClaim || after.View(p).Turn() != p {
		return // no player may claim it
	}
	for i := range k.Players {
		q := v.PlayerAfter(i + 1)
		legal := after.Legal(q)
		if !legal.Has(sim.ActWin) {
			continue
		}
		o := &k.Players[i]
		o.Won = true
		s.table = after
		for asked := s.table.Asked(); asked != 0; asked = asked.Rest() {
			answer := sim.ActPass
			if asked.First() == q {
				answer = sim.ActWin
			}
			s.events, _ = s.table.Step(asked.First(), answer, s.events[:0])
		}
		lost := int(before-s.table.Points()[p]) * 1000 / t.Rules().Traits.Scale
		o.Loss = int16(max(-30000, min(lost, 30000)))
	}
}
