// Package experience keeps the decisions of a learner until their episodes end, for gradients
// of its policy. It draws actions from the outputs of a network, converts observations into
// inputs, computes advantages, and the gradient of the loss with respect to the outputs. The
// probabilities are over the legal actions alone, which takes half of the time of a softmax
// over all.
//
//	b.Read(rows)                       // inputs of the decisions to be made
//	b.Choose(outputs, uniform)         // what the network made of them: b.Answers()
//	ready := b.Take(n, dst)            // decisions of ended episodes
//	b.Gradient(ready, outputs, ...)    // what the network makes of them now
//
// Advantages are those of Schulman and others, High-Dimensional Continuous Control Using
// Generalized Advantage Estimation (2016), without a discount. Nothing is bootstrapped: a
// decision is ready when its episode has ended. The loss is that of Schulman and others,
// Proximal Policy Optimization Algorithms (2017). The numpy twin of all of this is in
// python/tests/test_ppo.py.
package experience

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Reward is what a player receives between two decisions.
type Reward uint8

// The rewards. Points are in Options.Spread. Under rulesets with debts a win moves no points but
// enters the debts, so the rewards that are to say what a hand was worth count what is owed.
const (
	Points        Reward = iota // points moved
	PointsClipped               // points moved and owed, bounded
	Rank                        // 1 for the first to -1 for the last at the end of the match, ties shared
	Placement                   // placement points at the end of the match
	PointsOwed                  // points moved and owed
	numRewards
)

// clip bounds PointsClipped.
const clip = 3

// Options are the settings of a Buffer.
type Options struct {
	// Tables is the number of tables, of four players each.
	Tables int
	// Width is the number of outputs of a network for a decision. The last predicts the sum of
	// the rewards to come.
	Width int
	// Columns names the output of each action that is its logit, by 1 + the kind of the tile
	// that was drawn or may be claimed: sim.NumActions for each of 0..34.
	Columns []int16
	Reward  Reward
	Spread  float64 // in units
	// Results has for each table the number of opponents of the matches that have ended there,
	// and the number of them that the learner finished ahead of, a tie counting half.
	Results []float64
}

// rowsOfColumns is the number of rows of Options.Columns.
const rowsOfColumns = 1 + tile.NumKinds

// Rows is what players see at their decisions and at the ends of their episodes, in columns of
// little-endian numbers as env/internal/tables has them. LastRow and those after it have an
// entry for each end of an episode.
type Rows struct {
	Table, Player, Step, Flags, Reward, Mask []byte
	Owed                                     []byte // empty under rulesets without debts
	LastRow, LastPlacement, LastSharedRank   []byte
	Tensors                                  [][]byte // of the observation, bits packed
}

// Bits of Rows.Flags.
const (
	Asked     = 1 << 0 // the player must decide
	MatchOver = 1 << 4 // the match is over
)

// Answers are the actions that Choose has drawn, in columns as those of Rows.
type Answers struct {
	Table, Player, Step, Action []byte
}

// Memory is the columns of decisions, memory of the caller for as many as Action has. LatestTile is
// 1 + the kind of the tile that was drawn or may be claimed, 0 without one.
type Memory struct {
	Numbers                            []float32
	Legal                              []uint64 // three words each
	LogProb, Value, Advantage, Outcome []float32
	Action, LatestTile, Kinds          []byte
	// Advised has 1 + the action of each candidate, 0 for none: Candidates for a decision, or
	// none without advice.
	Advised []byte
}

// Buffer holds decisions. It is for one goroutine.
type Buffer struct {
	Options
	Inputs *Inputs
	// Trace is the lambda of advantages, Potential the weight of the shanten: a potential of
	// -Potential for each step. They count for episodes that end from now on.
	Trace, Potential float64
	// Episodes is the number of ended episodes with a decision, Total the sum of their rewards.
	Episodes, Total float64

	memory  Memory
	free    []int32 // decisions that are not in use
	earlier []int32 // the decision of the same player before each, -1 for none
	reward  []float32
	shanten []uint8
	last    []int32 // of each player of each table, -1 for none
	ready   []int32
	taken   []int32
	asked   []int32 // decisions to be made
	answers Answers
	logits  [sim.NumActions]float64
	actions [sim.NumActions]uint8
	outputs [sim.NumActions]int16
	// advice is what the adviser adds to each logit; scores is the same by 1 + the action, with 0
	// for no candidate.
	advice [sim.NumActions]float64
	scores [1 + sim.NumActions]float64
}

// New returns a Buffer without memory.
func New(o Options, in *Inputs) (*Buffer, error) {
	if o.Width < 2 || len(o.Columns) != rowsOfColumns*sim.NumActions || o.Reward >= numRewards || len(o.Results) != 2*o.Tables || !(o.Spread > 0) {
		return nil, errors.New("experience: these are no options")
	}
	for _, c := range o.Columns {
		if c < 0 || int(c) >= o.Width-1 {
			return nil, fmt.Errorf("experience: the logit of an action is output %d of %d", c, o.Width-1)
		}
	}
	b := &Buffer{Options: o, Inputs: in, last: make([]int32, o.Tables*sim.NumPlayers)}
	for i := range b.last {
		b.last[i] = -1
	}
	return b, nil
}

// Attach moves the Buffer to larger memory, to which the caller has copied the columns.
func (b *Buffer) Attach(m Memory) error {
	n, old := len(m.Action), len(b.reward)
	if n <= old || len(m.Numbers) != n*b.Inputs.Numbers || len(m.Legal) != 3*n || len(m.Kinds) != n*tile.NumKinds*b.Inputs.Channels || len(m.Advised) != n*b.Inputs.Candidates {
		return errors.New("experience: the memory is too small")
	}
	b.memory = m
	b.earlier = append(make([]int32, 0, n), b.earlier...)[:n]
	b.reward = append(make([]float32, 0, n), b.reward...)[:n]
	b.shanten = append(make([]uint8, 0, n), b.shanten...)[:n]
	for i := n - 1; i >= old; i-- {
		b.free = append(b.free, int32(i))
	}
	return nil
}

// Free returns the number of decisions for which there is memory.
func (b *Buffer) Free() int { return len(b.free) }

// Ready returns the number of decisions that Take can return.
func (b *Buffer) Ready() int { return len(b.ready) }

// Pending returns the decisions to be made.
func (b *Buffer) Pending() []int32 { return b.asked }

// Read takes rows: it completes the episodes that have ended and adds the decisions to be made.
func (b *Buffer) Read(rows *Rows) error {
	b.end(rows)
	a := &b.answers
	b.asked, a.Table, a.Player, a.Step = b.asked[:0], a.Table[:0], a.Player[:0], a.Step[:0]
	for r, f := range rows.Flags {
		if f&Asked == 0 {
			continue
		}
		if len(b.free) == 0 {
			return errors.New("experience: there is no memory for a decision")
		}
		d := b.free[len(b.free)-1]
		b.free = b.free[:len(b.free)-1]
		b.add(rows, r, d)
	}
	return nil
}

// add makes d the decision of row r.
func (b *Buffer) add(rows *Rows, r int, d int32) {
	m, in := &b.memory, b.Inputs
	size := tile.NumKinds * in.Channels
	kinds, numbers := m.Kinds[int(d)*size:][:size], m.Numbers[int(d)*in.Numbers:][:in.Numbers]
	m.LatestTile[d], b.shanten[d] = in.encode(rows.Tensors, r, kinds, numbers)
	if c := in.Candidates; c > 0 {
		in.readAdvice(rows.Tensors, r, m.LatestTile[d], kinds, numbers, m.Advised[int(d)*c:][:c])
	}
	for w := range 3 {
		m.Legal[3*int(d)+w] = binary.LittleEndian.Uint64(rows.Mask[24*r+8*w:])
	}
	actor := rows.actor(r)
	if before := b.last[actor]; before >= 0 {
		b.reward[before] = float32(b.worth(rows, r))
	}
	b.earlier[d], b.last[actor] = b.last[actor], d
	b.asked = append(b.asked, d)
	a := &b.answers
	a.Table, a.Player = append(a.Table, rows.Table[4*r:4*r+4]...), append(a.Player, rows.Player[r])
	a.Step = append(a.Step, rows.Step[4*r:4*r+4]...)
}

// actor numbers the players of all tables.
func (rows *Rows) actor(r int) int {
	return int(binary.LittleEndian.Uint32(rows.Table[4*r:]))*sim.NumPlayers + int(rows.Player[r])
}

// number returns entry i of a column of int32.
func number(column []byte, i int) float64 {
	return float64(int32(binary.LittleEndian.Uint32(column[4*i:])))
}

// worth returns the reward for the points of row r.
func (b *Buffer) worth(rows *Rows, r int) float64 {
	units := number(rows.Reward, r)
	if b.Reward != Points && len(rows.Owed) > 0 {
		units += number(rows.Owed, r)
	}
	switch b.Reward {
	case Points, PointsOwed:
		return units / b.Spread
	case PointsClipped:
		return max(-clip, min(clip, units/b.Spread))
	}
	return 0
}

// end completes the episodes that have ended.
func (b *Buffer) end(rows *Rows) {
	for i := range len(rows.LastRow) / 4 {
		r := int(binary.LittleEndian.Uint32(rows.LastRow[4*i:]))
		actor := rows.actor(r)
		if rows.Flags[r]&MatchOver != 0 {
			table := actor / sim.NumPlayers
			b.Results[2*table] += sim.NumPlayers - 1
			b.Results[2*table+1] += (2*sim.NumPlayers - float64(rows.LastSharedRank[i])) / 2
		}
		d := b.last[actor]
		if d < 0 {
			continue // an episode without a decision
		}
		b.last[actor] = -1
		reward := b.worth(rows, r)
		if rows.Flags[r]&MatchOver != 0 {
			switch b.Reward {
			case Rank:
				// Twice the shared rank is 2 to 8, evenly spaced.
				reward = (5 - float64(rows.LastSharedRank[i])) / 3
			case Placement:
				reward = number(rows.LastPlacement, i) / placementUnits
			}
		}
		b.reward[d] = float32(reward)
		b.complete(d)
	}
}

// placementUnits is the number of units of a placement point.
const placementUnits = 120

// complete computes the advantages of an episode from its last decision back.
func (b *Buffer) complete(d int32) {
	m := &b.memory
	var value, shanten, advantage float64 // of the decision after; 0 at the end
	for ; d >= 0; d = b.earlier[d] {
		reward, near := float64(b.reward[d]), float64(b.shanten[d])
		b.Total += reward
		reward += b.Potential * (near - shanten)
		own := float64(m.Value[d])
		advantage = reward + value - own + b.Trace*advantage
		m.Advantage[d], m.Outcome[d] = float32(advantage), float32(advantage+own)
		value, shanten = own, near
		b.ready = append(b.ready, d)
	}
	b.Episodes++
}

// legal lists the legal actions of a decision, with their logits among its outputs and what
// the adviser adds to them, and returns their number and the largest logit.
func (b *Buffer) legal(d int32, outputs []float32) (n int, largest float64) {
	c, numbers := b.Inputs.Candidates, b.Inputs.Numbers
	advised, scores := b.memory.Advised[int(d)*c:][:c], b.memory.Numbers[(int(d)+1)*numbers-c:][:c]
	for i, a := range advised {
		b.scores[a] = float64(scores[i])
	}
	columns := b.Columns[int(b.memory.LatestTile[d])*sim.NumActions:][:sim.NumActions]
	largest = math.Inf(-1)
	for w := range 3 {
		for set := b.memory.Legal[3*int(d)+w]; set != 0; set &= set - 1 {
			a := 64*w + bits.TrailingZeros64(set)
			l := float64(outputs[columns[a]]) + b.scores[a+1]
			b.actions[n], b.outputs[n], b.logits[n], b.advice[n] = uint8(a), columns[a], l, b.scores[a+1]
			largest = max(largest, l)
			n++
		}
	}
	for _, a := range advised {
		b.scores[a] = 0
	}
	return n, largest
}

// Answers returns the actions that Choose has drawn.
func (b *Buffer) Answers() *Answers { return &b.answers }

// Choose draws an action for each decision to be made, given its outputs and a number in
// [0, 1).
func (b *Buffer) Choose(outputs []float32, uniform []float64) error {
	if len(outputs) != len(b.asked)*b.Width || len(uniform) != len(b.asked) {
		return fmt.Errorf("experience: %d outputs and %d numbers for %d decisions", len(outputs), len(uniform), len(b.asked))
	}
	m := &b.memory
	b.answers.Action = b.answers.Action[:0]
	for i, d := range b.asked {
		row := outputs[i*b.Width:][:b.Width]
		n, largest := b.legal(d, row)
		sum := 0.0
		var upTo [sim.NumActions]float64
		for q, l := range b.logits[:n] {
			sum += math.Exp(l - largest)
			upTo[q] = sum
		}
		// The last action is chosen if rounding leaves none.
		q, at := 0, uniform[i]*sum
		for q < n-1 && upTo[q] <= at {
			q++
		}
		m.Action[d] = b.actions[q]
		m.LogProb[d] = float32(b.logits[q] - largest - math.Log(sum))
		m.Value[d] = row[b.Width-1]
		b.answers.Action = append(b.answers.Action, b.actions[q])
	}
	return nil
}

// Take returns up to n decisions of ended episodes in dst, the oldest first. Those that it
// returned before are forgotten.
func (b *Buffer) Take(dst []int32) []int32 {
	b.free = append(b.free, b.taken...)
	n := copy(dst, b.ready)
	b.taken = append(b.taken[:0], dst[:n]...)
	b.ready = append(b.ready[:0], b.ready[n:]...)
	return dst[:n]
}

// Loss is the weights of the terms of the loss.
type Loss struct {
	// Clip bounds the change of the ratio of probabilities that is rewarded.
	Clip float64
	// Entropy and Value weigh the entropy of the policy and the squared error of the value,
	// Anchor the divergence of the policy from one that takes the advice.
	Entropy, Value, Anchor float64
	// Mean and Deviation are those of the advantages.
	Mean, Deviation float64
}

// Figures are sums over decisions.
type Figures struct {
	// Entropy is in nats, ValueError squared, KL an estimate of the divergence from the policy
	// that has acted; Clipped counts ratios out of bounds. Drift is the divergence from the policy
	// that takes the advice, which without advice is the uniform one.
	Entropy, ValueError, KL, Clipped, Drift float64
}

// Gradient writes the gradient of the mean loss of taken decisions with respect to their
// outputs.
func (b *Buffer) Gradient(decisions []int32, outputs, gradient []float32, l Loss) (f Figures, err error) {
	m := &b.memory
	if n := len(decisions) * b.Width; len(outputs) != n || len(gradient) != n {
		return f, fmt.Errorf("experience: %d outputs and %d derivatives for %d decisions", len(outputs), len(gradient), len(decisions))
	}
	clear(gradient)
	each := 1 / float64(len(decisions))
	for i, d := range decisions {
		if d < 0 || int(d) >= len(m.Action) {
			return f, fmt.Errorf("experience: there is no decision %d", d)
		}
		row, out := outputs[i*b.Width:][:b.Width], gradient[i*b.Width:][:b.Width]
		n, largest := b.legal(d, row)
		sum, sumOfAdvice := 0.0, 0.0
		var share [sim.NumActions]float64
		for q, x := range b.logits[:n] {
			share[q] = math.Exp(x - largest)
			sum += share[q]
			sumOfAdvice += math.Exp(b.advice[q])
		}
		all, allOfAdvice := largest+math.Log(sum), math.Log(sumOfAdvice)
		entropy, chosen, drift := 0.0, 0.0, 0.0
		for q := range b.logits[:n] {
			share[q] /= sum
			b.logits[q] -= all
			entropy -= share[q] * b.logits[q]
			b.advice[q] -= allOfAdvice
			drift += share[q] * (b.logits[q] - b.advice[q])
			if b.actions[q] == m.Action[d] {
				chosen = b.logits[q]
			}
		}
		advantage := (float64(m.Advantage[d]) - l.Mean) / l.Deviation
		change := chosen - float64(m.LogProb[d])
		ratio := math.Exp(change)
		slope := 0.0
		if advantage > 0 && ratio < 1+l.Clip || advantage < 0 && ratio > 1-l.Clip {
			slope = advantage * ratio
		}
		for q, log := range b.logits[:n] {
			g := share[q] * (slope + l.Entropy*(log+entropy) + l.Anchor*(log-b.advice[q]-drift))
			if b.actions[q] == m.Action[d] {
				g -= slope
			}
			// Two actions may have the same output.
			out[b.outputs[q]] += float32(g * each)
		}
		wrong := float64(row[b.Width-1]) - float64(m.Outcome[d])
		out[b.Width-1] = float32(2 * l.Value * wrong * each)
		f.Entropy += entropy
		f.Drift += drift
		f.ValueError += wrong * wrong
		f.KL += ratio - 1 - change
		if math.Abs(ratio-1) > l.Clip {
			f.Clipped++
		}
	}
	return f, nil
}
