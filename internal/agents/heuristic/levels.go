package heuristic

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// maxLevel is the level of the expert itself. The players of the lower ones are weaker because
// they see less, as people do who are learning; none of them errs by chance.
const maxLevel = 5

// cutLevel returns the level that an option of a list sets, maxLevel without one, and the other
// options.
func cutLevel(options string) (level int, others string, err error) {
	level = maxLevel
	var rest []string
	for option := range strings.SplitSeq(options, ",") {
		value, ok := strings.CutPrefix(option, "level=")
		if !ok {
			rest = append(rest, option)
			continue
		}
		if level, err = strconv.Atoi(value); err != nil || level < 1 || level > maxLevel {
			return 0, "", fmt.Errorf("option level: %q is not a whole number from 1 to %d", value, maxLevel)
		}
	}
	others = strings.Join(rest, ",")
	if level < maxLevel && others != "" {
		return 0, "", fmt.Errorf("option level: %d takes no other options; leave out %q", level, others)
	}
	return level, others, nil
}

// newLevel returns a constructor of the player of a level below maxLevel.
func newLevel(level int) func() sim.Agent {
	switch level {
	case 1:
		return func() sim.Agent { return &novice{sight: -1, honorWorth: 14} }
	case 2:
		return func() sim.Agent { return &novice{sight: 0, honorWorth: 11} }
	}
	e := evaluator{features: allFeatures, weights: usualWeights(), winChances: sharedWinChances()}
	if level == 3 {
		// One aim at a time, no tile of which a bonus is lost, and no look at the others.
		e.features.defense = false
		e.weights[otherAims], e.weights[minAimShare], e.weights[withoutBonus] = 0, 0.8, 0
		e.weights[callMargin] = 6
	} else {
		e.weights[callMargin], e.weights[waitSingle] = 2.4, 6
	}
	return func() sim.Agent {
		return &evaluator{features: e.features, weights: e.weights, winChances: e.winChances}
	}
}

// novice calls as greedy does and aims at the same hands, but does not count ukeire: it discards
// the most isolated tile, and keeps winds and dragons too long.
type novice struct {
	greedy greedy
	// sight is the greatest distance at which the novice discards as greedy does. It sees then
	// which tiles its hand lacks.
	sight int
	// honorWorth is what an honor seems to be worth, on the scale of connections.
	honorWorth int
}

// Act implements sim.Agent.
func (n *novice) Act(v sim.View) sim.Action {
	a := n.greedy.Act(v)
	if v.Phase() != sim.PhaseTurn || !a.IsDiscard() || v.Drawn().IsFlower() || v.Ready(v.Player()) != sim.NotReady {
		return a
	}
	p := &n.greedy.now
	pl, d := n.greedy.nearest(p)
	if d <= n.sight {
		return a
	}
	legal := v.Legal()
	discards := aim.NewDiscardActions(&legal, v.Drawn(), a.DeclaresReady())
	return discards.Action(n.mostIsolated(p, discards.Kinds(), pl.aim.Kinds))
}

// mostIsolated returns the allowed kind with the fewest connections. Kinds that the plan cannot
// use come first.
func (n *novice) mostIsolated(p *plannedPosition, allowed, usable tile.Set) tile.Kind {
	allowed &= p.position.Hand.Kinds()
	if useless := allowed &^ usable; useless != 0 {
		allowed = useless
	}
	kind, least := tile.NoKind, 0
	for ; allowed != 0; allowed = allowed.Rest() {
		k := allowed.First()
		if c := n.connections(p, k); kind == tile.NoKind || c < least {
			kind, least = k, c
		}
	}
	return kind
}

// connections returns how well a tile of kind k is connected to the hand. Equal tiles count more
// than adjacent ones, and those more than tiles two ranks away.
func (n *novice) connections(p *plannedPosition, k tile.Kind) int {
	const equal, adjacent, apart = 8, 6, 4
	c := equal * (p.position.Hand.Count(k) - 1)
	if k.IsHonor() {
		return c + n.honorWorth
	}
	rank := k.Rank()
	c += 1 + min(rank, 8-rank, 3)
	for _, other := range [...]struct{ step, worth int }{{-2, apart}, {-1, adjacent}, {1, adjacent}, {2, apart}} {
		if r := rank + other.step; r >= 0 && r <= 8 && p.position.Hand.Count(k+tile.Kind(other.step)) > 0 {
			c += other.worth
		}
	}
	return c
}
