package fitting

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/sparrowhall/sparrowhall/internal/fit"
	"github.com/sparrowhall/sparrowhall/internal/insight/belief"
	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
)

// BeliefScore is the mean negative log-likelihood (cross entropy) of hidden information
// under a belief network; less is better.
type BeliefScore struct {
	// Ready is that of whether an undeclared player is tenpai, Win that of whether a
	// discard deals in.
	Ready, Win float64
	// Held is that of where an unseen tile is; Even is the same if only the numbers of
	// tiles are known.
	Held, Even float64
}

// Beliefs fits a belief network to samples under rules of a FittedName. It calls progress
// after each epoch with the score of the held-out samples. Of the options it ignores Batch,
// Weights and Progress.
func Beliefs(ctx context.Context, fitted string, samples []BeliefSample, o *PairOptions, progress func(epoch int, s BeliefScore)) (*perceptron.Network, error) {
	hold := len(samples) - len(samples)/beliefsHeldBack
	if hold < fewestBeliefs {
		return nil, errors.New("fitting: too few decisions: play more matches")
	}
	o.Sizes.Inputs, o.Sizes.Outputs = belief.NumInputs, belief.NumOutputs
	b := newBeliefBatch(newNetwork(o), samples)
	list := make([]*BeliefSample, len(samples))
	for i := range samples {
		list[i] = &samples[i]
	}
	err := fit.Epochs(ctx, rand.New(rand.NewPCG(o.Seed, 5)), list[:hold], beliefBatchSize, o.Epochs, o.Rate, b.learn, func(epoch int) {
		progress(epoch, b.score(list[hold:]))
	})
	if err != nil {
		return nil, err
	}
	return perceptron.Round(belief.Purpose(fitted), b.net.Layers())
}

// beliefBatchSize is the number of samples of a step.
const beliefBatchSize = 64

// One of beliefsHeldBack samples is held out. fewestBeliefs is the least number of
// samples to learn from.
const beliefsHeldBack, fewestBeliefs = 20, 1280

// beliefBatch is the samples of a step. A sample has a row for each player who has not
// declared tenpai, then one for each kind and player.
type beliefBatch struct {
	net   *fit.Network
	batch *fit.Batch
	rows  int // of the batch
	set   int // those that are in use
}

func newBeliefBatch(n *fit.Network, samples []BeliefSample) *beliefBatch {
	most := 0
	for i := range samples {
		most = max(most, len(samples[i].Players)*(1+len(samples[i].Kinds)))
	}
	rows := most * beliefBatchSize
	return &beliefBatch{net: n, batch: n.NewBatch(rows), rows: rows}
}

// forward computes the outputs for the rows of the samples, as many as a batch at most.
func (b *beliefBatch) forward(samples []*BeliefSample) {
	b.set = 0
	for _, x := range samples {
		for i := range x.Players {
			if !x.Players[i].Declared {
				b.add(x.Players[i].Inputs, nil)
			}
		}
		for j := range x.Kinds {
			for i := range x.Kinds[j].Players {
				b.add(x.Players[i].Inputs, x.Kinds[j].Players[i].Inputs)
			}
		}
	}
	b.net.Forward(b.batch)
}

// add adds a row with the inputs of a player and those of a kind.
func (b *beliefBatch) add(player, kind []perceptron.Input) {
	row := b.batch.Input(b.set)
	clear(row)
	for _, list := range [...][]perceptron.Input{player, kind} {
		for _, x := range list {
			row[x.At] += float32(x.Value) / perceptron.One
		}
	}
	b.set++
}

func sigmoid(x float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) }

// The weights of the parts of the loss, and a factor that keeps the gradients of a
// batch at the usual size.
const (
	beliefUnit  = 1.0 / 1500
	heldWeight  = 0.3
	readyWeight = 1
	winWeight   = 3
	lossWeight  = 0.3
)

// learn takes an optimizer step by the loss of a batch of samples.
func (b *beliefBatch) learn(samples []*BeliefSample, rate float64) {
	b.forward(samples)
	for r := range b.rows { // those not in use have no loss
		clear(b.batch.Slope(r))
	}
	at := 0
	for _, x := range samples {
		for i := range x.Players {
			o := &x.Players[i]
			if o.Declared {
				continue
			}
			y := float32(0)
			if o.Ready {
				y = 1
			}
			b.batch.Slope(at)[belief.OutReady] = readyWeight * beliefUnit * (sigmoid(b.batch.Output(at)[belief.OutReady]) - y)
			at++
		}
		for j := range x.Kinds {
			k := &x.Kinds[j]
			for i, share := range b.shares(x, at) {
				o, out, slope := &k.Players[i], b.batch.Output(at), b.batch.Slope(at)
				at++
				if k.Unseen > 0 {
					slope[belief.OutHeld] = heldWeight * beliefUnit * (share*float32(k.Unseen) - float32(o.Held))
				}
				if o.Asked {
					y := float32(0)
					if o.Won {
						y = 1
						slope[belief.OutLoss] = lossWeight * beliefUnit * (out[belief.OutLoss] - min(float32(o.Loss)/1000, 6))
					}
					slope[belief.OutWin] = winWeight * beliefUnit * (sigmoid(out[belief.OutWin]) - y)
				}
			}
		}
	}
	b.net.Learn(b.batch, rate)
}

// shares returns the share of a kind that each player holds, by the rows from at on.
func (b *beliefBatch) shares(x *BeliefSample, at int) []float32 {
	sum, list := float32(x.Wall), make([]float32, len(x.Players))
	for i := range list {
		list[i] = float32(x.Players[i].Hidden) * float32(math.Exp(float64(min(b.batch.Output(at + i)[belief.OutHeld], 8))))
		sum += list[i]
	}
	for i := range list {
		list[i] /= sum
	}
	return list
}

// score returns the score of samples.
func (b *beliefBatch) score(samples []*BeliefSample) (s BeliefScore) {
	var ready, wins, tiles float64
	at := 0
	for i, x := range samples {
		if i%beliefBatchSize == 0 {
			b.forward(samples[i:min(i+beliefBatchSize, len(samples))])
			at = 0
		}
		all := float64(x.Wall)
		for j := range x.Players {
			o := &x.Players[j]
			all += float64(o.Hidden)
			if !o.Declared {
				ready++
				s.Ready += surprise(sigmoid(b.batch.Output(at)[belief.OutReady]), o.Ready)
				at++
			}
		}
		for j := range x.Kinds {
			k, first := &x.Kinds[j], at
			none, asked, won := float32(1), false, false
			for i := range k.Players {
				if k.Players[i].Asked {
					asked, won = true, won || k.Players[i].Won
					none *= 1 - sigmoid(b.batch.Output(at)[belief.OutWin])
				}
				at++
			}
			if asked {
				wins++
				s.Win += surprise(1-none, won)
			}
			if k.Unseen == 0 {
				continue
			}
			tiles += float64(k.Unseen)
			rest, wall, even := float64(k.Unseen), 1.0, 1.0
			for i, share := range b.shares(x, first) {
				n, part := float64(k.Players[i].Held), float64(x.Players[i].Hidden)/all
				s.Held -= n * math.Log(float64(share))
				s.Even -= n * math.Log(part)
				rest, wall, even = rest-n, wall-float64(share), even-part
			}
			if rest > 0 { // the wall may be empty
				s.Held -= rest * math.Log(wall)
				s.Even -= rest * math.Log(even)
			}
		}
	}
	s.Ready, s.Win, s.Held, s.Even = s.Ready/ready, s.Win/wins, s.Held/tiles, s.Even/tiles
	return s
}

// surprise returns the negative logarithm of the probability given to the outcome.
func surprise(chance float32, happened bool) float64 {
	const least = 1e-6
	if !happened {
		chance = 1 - chance
	}
	return -math.Log(max(float64(chance), least))
}
