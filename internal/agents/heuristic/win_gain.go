package heuristic

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// rewardedAim is an aim that the rules reward, with the worth in units of an example hand:
// closed, and open.
type rewardedAim struct {
	aim          *aim.Aim
	closed, open float64
}

// prepare finds which aims new rules reward and what a typical win is worth.
func (e *evaluator) prepare(r *ruleset.Rules) {
	e.book = aim.NewBook(r)
	e.completion, e.stakes = aim.NewCompletion(r), aim.NewStakes(r)
	e.table = tableState{}
	e.dealIn = dealIn{}
	e.shownWin = ruleset.Win{Discards: ruleset.NoCount}
	e.selectAims()
	configured := e.features
	e.features = allFeatures
	e.estimateTypicalWin()
	e.features = configured
	e.wins.invalidate()
	e.table.sparedFor.Counter = -1 // of no decision, so that sparedLoss is computed
}

// clearlyMore is the factor by which the example of an aim must exceed a plain hand.
const clearlyMore = 1.5

// selectAims lists the aims that the rules reward: the plain hand, and those whose
// example is worth clearly more or may win where a plain hand may not.
func (e *evaluator) selectAims() {
	e.aims = e.aims[:0]
	for i := range e.book.Aims {
		a := rewardedAim{aim: &e.book.Aims[i]}
		a.closed, a.open = meanGain(a.aim.Closed.Discard, a.aim.Closed.SelfDraw), meanGain(a.aim.Open.Discard, a.aim.Open.SelfDraw)
		if i > 0 && a.aim.Shape != aim.Other &&
			a.closed <= clearlyMore*e.aims[0].closed && a.open <= clearlyMore*e.aims[0].open {
			continue
		}
		e.aims = append(e.aims, a)
	}
	aims := make([]*aim.Aim, len(e.aims))
	for i, a := range e.aims {
		aims[i] = a.aim
	}
	e.fitting = aim.NewAimFilter(aims, e.book.Rules.HandSize/3)
}

// estimateTypicalWin sets typicalWin to the 60 % quantile of what random hands are worth
// by their best aims. The hands are the same for all players.
func (e *evaluator) estimateTypicalWin() {
	const samples, draws = 101, 17
	rng := rand.New(rand.NewPCG(1, 1))
	var values []ruleset.Value
	for range samples {
		for k := range e.completion.Unseen {
			e.completion.Unseen[k] = 4
		}
		draw := func() tile.Kind {
			for {
				if k := tile.Kind(rng.IntN(tile.NumKinds)); rng.IntN(4) < int(e.completion.Unseen[k]) {
					e.completion.Unseen[k]--
					return k
				}
			}
		}
		p := &e.now
		*p = aim.Position{Sets: e.book.Rules.HandSize / 3}
		for range e.book.Rules.HandSize {
			p.Hand.Add(draw())
		}
		if e.book.Rules.Dora {
			e.completion.Win.Indicators[0], e.completion.Win.NumIndicators = draw(), 1
		}
		e.table.draws = draws
		e.wins.invalidate()
		e.followAims(p)
		best := slices.MaxFunc(append([]followedAim{{}}, e.followed[:e.numFollowed]...), func(a, b followedAim) int {
			return cmp.Compare(a.ev, b.ev)
		})
		if best.rewarded != nil && e.completion.FindSets(p, best.rewarded.aim) && e.completionGain(p, best.rewarded.aim, best.open*clearlyMore > best.closed) > 0 && e.stakes.Score(&e.completion.Win) {
			values = append(values, *e.stakes.Value())
		}
	}
	slices.SortStableFunc(values, func(a, b ruleset.Value) int { return int(a.Points - b.Points) })
	if len(values) > 0 {
		e.typicalWin = values[len(values)*6/10]
	}
}

// selfDrawShare is the share of self-draws among all wins.
const selfDrawShare = 0.35

func meanGain(onDiscard, bySelfDraw int32) float64 {
	return float64((1-selfDrawShare)*float64(onDiscard)) + float64(selfDrawShare*float64(bySelfDraw))
}

// completionGain returns the gain in units of p completed as FindSets found, 0 if that may
// not win.
func (e *evaluator) completionGain(p *aim.Position, a *aim.Aim, open bool) float64 {
	e.completion.MakeWin(p, a, open)
	return e.winGain()
}

// winGain returns the mean gain in units of the win in e.Win, with debts and sparedLoss;
// 0 if the hand may not win.
func (e *evaluator) winGain() float64 {
	at, known := e.wins.lookup(&e.completion.Win)
	if !known {
		at.gain = e.computeWinGain()
	}
	return at.gain
}

func (e *evaluator) computeWinGain() float64 {
	if !e.stakes.Score(&e.completion.Win) {
		return 0
	}
	if !e.features.worth {
		*e.stakes.Value() = e.typicalWin
	}
	onDiscard := 0.0
	if e.stakes.Context.HasDebts {
		for i := 1; i < sim.NumPlayers; i++ {
			onDiscard += e.settle(e.stakes.Context.Me, e.stakes.Context.Me.Next(i)) / (sim.NumPlayers - 1)
		}
	} else {
		// Without debts it matters little who pays.
		onDiscard = e.settle(e.stakes.Context.Me, e.book.Rules.NextChair(e.stakes.Context.Me, 2))
	}
	return float64((1-selfDrawShare)*onDiscard) + float64(selfDrawShare*e.settle(e.stakes.Context.Me, ruleset.NoChair)) + e.table.sparedLoss
}

// meanLossToOthers returns the mean payment of the viewer, in units, for a typical win of
// another player.
func (e *evaluator) meanLossToOthers() float64 {
	*e.stakes.Value() = e.typicalWin
	r := e.book.Rules
	winner := r.NextChair(e.stakes.Context.Me, 1)
	return -float64((1-selfDrawShare)*e.settle(winner, r.NextChair(e.stakes.Context.Me, 2))) - float64(selfDrawShare*e.settle(winner, ruleset.NoChair))
}

// settle returns the gain of the viewer in units when winner wins e.Value() on a discard
// of from, or by self-draw if that is NoChair.
func (e *evaluator) settle(winner, from ruleset.Chair) float64 {
	return float64(e.stakes.Settle(winner, from))
}

// winCache is a direct-mapped cache of the gains of wins: the same few are scored again
// and again, at one decision and the next.
type winCache struct {
	context winContext
	stamp   uint32
	wins    [256]cachedWin
}

// winContext is what a gain depends on besides payments, tiles and the way of winning.
type winContext struct {
	deposits      int
	sparedLoss    float64
	seat, round   tile.Wind
	flowers       uint8
	norths        uint8
	indicators    [ruleset.MaxIndicators]tile.Kind
	numIndicators uint8
}

// cachedWin is a win with its gain. It is valid while its stamp is that of the cache.
type cachedWin struct {
	codes          [tile.Honors + 1]uint32
	stamp          uint32
	flags          ruleset.Flags
	tile           tile.Kind
	selfDraw       bool
	reds, numMelds uint8
	melds          [hand.MaxMelds]hand.Meld
	gain           float64
}

func (g *winCache) setContext(c *winContext) {
	if g.context != *c {
		g.context = *c
		g.invalidate()
	}
}

func (g *winCache) invalidate() { g.stamp++ }

// lookup returns the entry of a win and whether its gain is set.
func (g *winCache) lookup(w *ruleset.Win) (at *cachedWin, known bool) {
	codes := handCodes(&w.Hand)
	at = &g.wins[mix(&codes, uint32(w.Tile)+uint32(w.NumMelds)<<8)>>24]
	if at.stamp == g.stamp && at.codes == codes && at.tile == w.Tile && at.selfDraw == w.SelfDraw && at.flags == w.Flags &&
		at.reds == w.Reds && at.numMelds == w.NumMelds && at.melds == w.Melds {
		return at, true
	}
	at.codes, at.stamp = codes, g.stamp
	at.flags, at.tile, at.selfDraw = w.Flags, w.Tile, w.SelfDraw
	at.reds, at.numMelds, at.melds = w.Reds, w.NumMelds, w.Melds
	return at, false
}

func handCodes(h *hand.Hand) [tile.Honors + 1]uint32 {
	return [...]uint32{h.Code(0), h.Code(1), h.Code(2), h.Code(tile.Honors)}
}

// mix hashes the codes of a hand and one more number; use the high bits.
func mix(codes *[tile.Honors + 1]uint32, more uint32) uint32 {
	h := codes[0]*0x9e3779b1 ^ codes[1]*0x85ebca77 ^ codes[2]*0xc2b2ae3d ^ codes[3]*0x27d4eb2f ^ more*0x165667b1
	return h * 0x9e3779b1
}
