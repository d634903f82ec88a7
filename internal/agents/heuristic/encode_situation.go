package heuristic

import (
	"math"

	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/internal/insight/belief"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// encodeSituation sets x.situationInputs to the inputs that all candidates have in common.
func (x *Expert) encodeSituation(v sim.View) {
	c := &x.situationInputs
	c.Begin(0)
	x.situationEncoded = true
	belief.ReadDiscardHistories(v, &x.discardHistories)
	x.observeBeliefs(v)
	x.tenpaiCache.stamp++
	me := v.Player()
	p := &x.value.now
	for k := tile.East; k <= tile.Red; k++ {
		c.Flag(x.isValueTile(k))
	}
	points := v.Points()
	r := x.value.book.Rules
	claim := v.Phase() == sim.PhaseClaim
	c.Flag(claim)
	c.Flag(!claim && v.Drawn() == tile.NoFace)
	c.Put(x.value.table.draws * one / 18)
	c.Flag(x.value.table.draws <= 1)
	c.Flag(x.value.table.draws <= 3)
	c.Flag(x.value.table.draws <= 6)
	c.Flag(x.value.table.draws >= 13)
	hands := x.handsLeft(v)
	c.Flag(v.Dealer() == me)
	c.Put(hands * one / 8)
	c.Flag(hands == 0)
	c.Flag(hands == 1)
	c.Flag(hands >= 4)
	c.Put(v.Counter() * one / 4)
	c.Put(v.Deposits() * one / 2)
	rank, above, below := 0, math.Inf(1), math.Inf(1)
	for i := 1; i < r.NumSeats(); i++ {
		q := v.PlayerAfter(i)
		gap := float64(points[me] - points[q])
		if gap < 0 {
			rank++
			above = min(above, -gap)
		} else {
			below = min(below, gap)
		}
	}
	c.OneHot(rank, sim.NumPlayers)
	c.Put(x.scaled(above, 2))
	c.Put(x.scaled(below, 2))
	last := hands <= 1
	c.Flag(last && rank == 0)
	c.Flag(last && rank == r.NumSeats()-1)
	c.PutIf(last, x.scaled(above, 1))
	c.PutIf(last, x.scaled(below, 1))
	shanten := r.Shanten(&p.Hand, p.NumMelds)
	x.shanten = shanten
	c.OneHot(shanten+1, 7)
	c.Flag(p.Open)
	c.Put(p.NumMelds * one / 2)
	c.Put(x.scaled(x.value.dealIn.meanDealInCost, 0.125))
	c.Flag(x.value.dealIn.threatened)
	c.Put(x.scaled(x.value.table.sparedLoss, 0.5))
	hope := 0.0
	for i := range x.candidates[:x.numCandidates] {
		hope = max(hope, x.candidates[i].winEV)
	}
	c.Put(x.scaled(hope, 0.5))
	c.Put(x.scaled(hope, 0.1))
	dora, reds := 0, 0
	for kinds := p.Hand.Kinds(); kinds != 0; kinds = kinds.Rest() {
		dora += int(x.value.completion.Dora[kinds.First()]) * p.Hand.Count(kinds.First())
	}
	for _, n := range x.value.completion.Reds {
		reds += int(n)
	}
	c.Put((dora + reds) * one / 3)
	safeOfAll := tile.All
	others := x.value.others()
	for i := range others {
		if others[i].tenpai >= x.value.weights[noThreatBelow] {
			safeOfAll &= others[i].safe
		}
	}
	c.Put((p.Hand.Kinds() & safeOfAll).Len() * one / 5)
	x.encodeAims()
	doraLeft := 0
	for k, n := range x.value.completion.Dora {
		doraLeft += int(n) * int(x.value.completion.Unseen[k])
	}
	c.Put(doraLeft * one / 4)
	x.pointSpread = 0.8 * math.Sqrt(float64(hands+1))
	c.SkipTo(ownInputs)
	for i := range others {
		x.encodeOpponent(v, &others[i], points[me])
		c.SkipTo(ownInputs + (i+1)*opponentInputs)
	}
	if len(others) < sim.NumPlayers-1 {
		x.encodeNorths(v)
	}
	x.encodeTenpaiBeliefs()
}

// encodeNorths encodes the Norths in the place of a third opponent, whom three players lack:
// those set aside by each player, those held and those unseen.
func (x *Expert) encodeNorths(v sim.View) {
	c := &x.situationInputs
	for i := range x.value.book.Rules.NumSeats() {
		c.Put(v.Norths(v.PlayerAfter(i)) * one / 4)
	}
	c.Put(x.value.now.Hand.Count(tile.North) * one / 4)
	c.Put(int(x.value.completion.Unseen[tile.North]) * one / 4)
}

// handsLeft returns the number of hands after this one if no dealer repeats.
func (x *Expert) handsLeft(v sim.View) int {
	r := x.value.book.Rules
	return max((r.Rounds-v.Round())*r.HandsPerRound-1-v.DealsPassed(), 0)
}

// isValueTile reports whether a triplet of an honor scores for the viewer.
func (x *Expert) isValueTile(k tile.Kind) bool {
	w := &x.value.completion.Win
	return tile.Dragons.Has(k) || k == w.SeatWind.Kind() || k == w.RoundWind.Kind()
}

// encodeOpponent encodes what another player shows.
func (x *Expert) encodeOpponent(v sim.View, t *threat, points int32) {
	c, q := &x.situationInputs, t.player
	declared := v.Ready(q) != sim.NotReady
	c.Flag(declared)
	c.Flag(declared && v.Ippatsu(q))
	c.Put(rounded(t.tenpai * one))
	c.Put(x.scaled(t.dealInLoss, 1))
	c.Flag(v.Dealer() == q)
	melds := v.NumMelds(q)
	c.Put(melds * one / 2)
	c.Flag(v.IsOpen(q))
	m := belief.SummarizeMelds(v, q, &x.value.completion.Dora)
	c.Put(m.Dora * one / 3)
	c.Flag(m.Valued > 0)
	c.Flag(melds >= 2 && m.Suits <= 1)
	c.Flag(melds >= 2 && m.Triplets == melds)
	c.Flag(melds >= 2 && m.Triplets == 0)
	past := &x.discardHistories[q]
	c.Put(int(past.DrawnInARow) * one / 4)
	gap := float64(points - v.Points()[q])
	c.Put(x.scaled(gap, 4))
	if t.tenpai >= x.value.weights[noThreatBelow] {
		safe := x.value.now.Hand.Kinds() & t.safe
		c.Put(safe.Len() * one / 5)
		c.Flag(safe == 0)
		c.Flag(safe.Len() == 1)
	} else {
		c.Skip(3)
	}
	z := float64(max(-4, min(gap/(float64(x.scale)*x.pointSpread), 4)))
	c.Put(rounded(z * one))
	c.Put(rounded(one / (1 + float64(z*z))))
	c.Put(int(past.FromHand) * one / 8)
	c.Put(int(past.Count) * one / 16)
	c.PutIf(declared, (v.NumDiscards()-int(past.ReadyAt))*one/24)
	c.Flag(declared && past.ReadyKind.IsHonor())
	c.Put((past.Early & belief.MiddleKinds).Len() * one / 4)
	c.Put(belief.TwoSidedWaits(t.safe, x.value.completion.UnseenKinds()).Len() * one / 18)
}

// encodeAims encodes the followed aims: distance and gains of the best, EVs of all classes.
func (x *Expert) encodeAims() {
	c := &x.situationInputs
	most, best := 0.0, -1
	for i := range x.value.numFollowed {
		if o := x.value.followed[i].ev; o > most {
			most, best = o, i
		}
	}
	if best >= 0 {
		b := &x.value.followed[best]
		c.OneHot(max(b.distance, 0), 6)
		c.Put(x.scaled(b.closed, 1))
		c.Put(x.scaled(b.open, 1))
		for i := range x.value.numFollowed {
			a := &x.value.followed[i]
			c.PutAhead(int(a.rewarded.aim.Class), max(rounded(a.ev/most*one), 1))
		}
	} else {
		c.Skip(8)
	}
	c.Skip(aim.NumClasses)
}
