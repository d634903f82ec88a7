package luck

import (
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// discardModel is a multinomial logistic model of a player's discards: the weight of
// each feature in 1/65536. The last weight, after those of the DiscardWeights, is that
// of the order of kinds, by which many programs break ties.
type discardModel [NumDiscardFeatures + 1]int32

const (
	modelBits      = 8 // more than those of DiscardWeights
	maxModelWeight = 1 << 22

	// orderUnit is the tie-breaking feature per place in the order of kinds, in
	// 1/InputUnit.
	orderUnit = 2

	// learningBits give the learning rate, a quarter.
	learningBits = 2
)

// discardModels are those of the players of a match. A player without a known policy is
// modeled from the earlier discards, which are known before the next tile comes.
type discardModels [sim.NumPlayers]discardModel

// begin sets all models to the fitted weights.
func (m *discardModels) begin(weights *[NumDiscardFeatures]int16) {
	for p := range m {
		m[p] = newDiscardModel(weights)
	}
}

func newDiscardModel(weights *[NumDiscardFeatures]int16) (m discardModel) {
	for i, x := range weights {
		m[i] = int32(x) << modelBits
	}
	return m
}

// feature returns feature i of a discard, the last of which is its place in the order
// of kinds.
func (d *DiscardFeatures) feature(i int) int32 {
	if i == NumDiscardFeatures {
		return int32(d.Kind) * orderUnit
	}
	return int32(d.Features[i])
}

// score returns the logit of a discard in 1/16384.
func (m *discardModel) score(d *DiscardFeatures) (sum int32) {
	for i, x := range d.Features {
		sum += int32(x) * (m[i] >> modelBits)
	}
	return sum + d.feature(NumDiscardFeatures)*(m[NumDiscardFeatures]>>modelBits)
}

// learn takes a step of gradient ascent on the log-likelihood of the discard made, one
// of d, whose probabilities are those of t.
func (m *discardModel) learn(d *discards, t *discardForecast, made int) {
	for i := range m {
		mean, all := int64(0), int64(0)
		for j := range d.list[:d.n] {
			n := int64(t.odds.chances[d.list[j].Kind])
			mean += n * int64(d.list[j].feature(i))
			all += n
		}
		const figureBits = inputBits + learningBits
		step := (int64(d.list[made].feature(i))*all - mean) << (16 - figureBits) / all
		m[i] = int32(max(-maxModelWeight, min(int64(m[i])+step, maxModelWeight)))
	}
}

// isFreeDiscard reports whether e, which has not been applied, is a discard by a player
// who has drawn a tile and may choose.
func (s *State) isFreeDiscard(e sim.Event) bool {
	return e.Type == sim.EvDiscard && s.mover == e.Player && s.drawn != tile.NoFace && !s.seats[e.Player].ready && s.hasDrawn()
}

// placeOf returns the place of the discard of a kind, -1 if there is none.
func (d *discards) placeOf(k tile.Kind) int {
	for i := range d.list[:d.n] {
		if d.list[i].Kind == k {
			return i
		}
	}
	return -1
}

// updateDiscardModel learns from the next event if it is a free discard by a player
// without a known policy.
func (m *ControlVariate) updateDiscardModel(e sim.Event) {
	s := &m.tracker.state
	if !s.isFreeDiscard(e) || m.policies.players[e.Player] != nil {
		return
	}
	var d discards
	s.discardFeatures(&d, &m.tracker.score)
	made := d.placeOf(e.Tile.Kind())
	if made < 0 {
		return // an inconsistent record
	}
	own := &m.models[e.Player]
	var t discardForecast
	t.setProbabilities(&d, own)
	own.learn(&d, &t, made)
}
