package mcr

import (
	"slices"
	"sync"

	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// This file finds the best reading where fan have other prices than the listed ones.
// Which way to combine sets is worth most then depends on the prices, and so does the set
// that the winning tile should count as having completed. All are tried (GB06 3.9.1).

// chowPlans holds the ways to combine each sorted list of chows.
type chowPlans [chowChoice]struct {
	// ways are the fan of each way that cannot be added to for nothing, terminal
	// those with a pair of kind fives if it makes a fan of terminal chows.
	ways     []bag
	fives    tile.Kind
	terminal []bag
}

// allChowPlans is made when the first ruleset needs it.
var allChowPlans = sync.OnceValue(func() *chowPlans {
	all := new(chowPlans)
	eachList(func(at int, chows []chow) {
		p := &all[at]
		p.ways = ways(chows, 0)
		p.fives = tile.NoKind
		if len(chows) == 4 {
			if kind, fan := terminalChows(chows); fan != 0 {
				p.fives, p.terminal = kind, ways(chows, fan)
			}
		}
	})
	return all
})

// of returns the ways to combine the chows of a list, in any order, beside a pair.
func (p *chowPlans) of(list [4]chow, pair tile.Kind) []bag {
	of := &p[place(sorted(list))]
	if of.fives == pair {
		return of.terminal
	}
	return of.ways
}

// excluding are the fan of chows that exclude other fan.
const excluding = quadrupleChow | pureTerminalChows | threeSuitedTerminalChows

// ways returns the fan of the ways to combine sorted chows, where terminal is what
// all four make with the pair: one fan after the other, each with at most one chow
// that was used before, and none with a chow in another of the same fan. A way to
// which a fan can be added that excludes none is left out.
func ways(chows []chow, terminal majors) (list []bag) {
	type combination struct {
		fan   bag
		chows uint8 // set of places
	}
	var all []combination
	add := func(fan bag, places uint8) {
		if fan != (bag{}) {
			all = append(all, combination{fan, places})
		}
	}
	if len(chows) == 4 {
		add(bag{majors: fourChows(chows)}, 0xf)
		add(bag{majors: terminal}, 0xf)
	}
	for a := range chows {
		for b := range a {
			add(bag{minors: link(chows[b], chows[a])}, 1<<a|1<<b)
			for c := range b {
				add(bag{majors: threeChows(chows[c], chows[b], chows[a])}, 1<<a|1<<b|1<<c)
			}
		}
	}
	seen := map[uint16]bool{}
	var extend func(chosen uint16, used uint8, fans bag)
	extend = func(chosen uint16, used uint8, fans bag) {
		if seen[chosen] {
			return
		}
		seen[chosen] = true
		whole := true
	next:
		for i, c := range all {
			if shared := c.chows & used; chosen>>i&1 != 0 || shared&(shared-1) != 0 {
				continue
			}
			for j, o := range all {
				if chosen>>j&1 != 0 && o.fan == c.fan && o.chows&c.chows != 0 {
					continue next
				}
			}
			whole = whole && c.fan.majors&excluding != 0
			extend(chosen|1<<i, used|c.chows, fans.and(c.fan))
		}
		if whole && !slices.Contains(list, fans) {
			list = append(list, fans)
		}
	}
	extend(0, 0, bag{})
	return list
}

// overlapping are the fan of pungs that exclude others: where these are worth more
// the greater one is not counted.
const overlapping = bigFourWinds | bigThreeDragons | littleFourWinds | littleThreeDragons |
	fourPureShiftedPungs | triplePung | twoDragonPungs

// plan considers a division into four sets and a pair in all ways, where b is what
// does not depend on them.
func (e *evaluation) plan(b bag, chows [4]chow, own, triplets tile.Set, concealed int, pair tile.Kind) {
	ways := e.scorer.plans.of(chows, pair)
	pungs := e.tripletFans(triplets, pair).without(e.scorer.off)
	chicken := e.scorer.knobs.Chicken && pungs == bag{}
	for _, way := range ways {
		chicken = chicken && way.without(e.scorer.off) == bag{}
	}
	list, n := e.completions(own, triplets&^e.triplets, pair)
	for _, c := range list[:n] {
		with := b
		if c.fan != 0 && e.isUnique() {
			with.minors |= c.fan
		}
		hidden := concealed
		if c.claimed {
			hidden--
		}
		with = e.withManner(with, hidden)
		for some := pungs; ; {
			for _, way := range ways {
				e.rate(with.and(some).and(way).without(e.scorer.off), chicken)
			}
			greater := some.majors & overlapping
			if greater == 0 {
				break
			}
			for greater&(greater-1) != 0 {
				greater &= greater - 1
			}
			some.majors &^= greater
		}
	}
}

// planBeside considers a set and a pair beside a knitted straight of some kinds.
func (e *evaluation) planBeside(b bag, own tile.Set, pair tile.Kind, kinds tile.Set, rest *hand.Hand) {
	e.consider(b)
	if !e.isUniqueBeside(kinds, rest) {
		return
	}
	list, n := e.completions(own, 0, pair)
	for _, c := range list[:n] {
		with := b
		with.minors |= c.fan
		e.consider(with)
	}
}

// completion is a place that the winning tile may have taken: the fan of the wait
// if it was the only one, and whether it made a pung that counts as melded (D11).
type completion struct {
	fan     minors
	claimed bool
}

// completions returns what the winning tile may have completed: a concealed chow,
// a concealed triplet, the pair; list[:n].
func (e *evaluation) completions(own, triplets tile.Set, pair tile.Kind) (list [5]completion, n int) {
	t := e.win.Tile.Bit()
	places := list[:0]
	if own&(t>>2)&firstRuns|own&t&lastRuns != 0 {
		places = append(places, completion{fan: edgeWait})
	}
	if own&(t>>1) != 0 {
		places = append(places, completion{fan: closedWait})
	}
	if pair == e.win.Tile {
		places = append(places, completion{fan: singleWait})
	}
	if own&(t|t>>2)&^(t>>2&firstRuns|t&lastRuns) != 0 {
		places = append(places, completion{})
	}
	if triplets&t != 0 {
		places = append(places, completion{claimed: !e.win.SelfDraw && e.scorer.knobs.ClaimedPung == ClaimedMelded})
	}
	return list, len(places)
}
