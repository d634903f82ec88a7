package mcr

import (
	"slices"
	"sync"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// chow is a sequence: its lowest rank, 0..6, plus seven times its suit.
type chow uint8

// noChow fills the places of a list of four chows that hold none.
const (
	numChows        = 21
	noChow     chow = numChows
	chowChoice      = 12650 // lists of four of the 21 chows and noChow, in order
)

// chowOf is the chow of each lowest kind.
var chowOf = func() (chows [32]chow) {
	for k := range tile.East {
		if k.Rank() < 7 {
			chows[k] = chow(k.Suit())*7 + chow(k.Rank())
		}
	}
	return chows
}()

func (c chow) suit() int { return int(c / 7) }
func (c chow) rank() int { return int(c % 7) }

// chowFans is what some chows score together (GB06 3.9.1: the principles of
// non-repetition, non-separation, non-identity and of combining once).
type chowFans struct {
	fans bag
	// terminal is what they score instead if the pair of the hand is of kind
	// fives.
	fives    tile.Kind
	terminal bag
}

var (
	chowOnce sync.Once
	// chowLists holds all different chowFans, chowIndex the place there of
	// each list of chows.
	chowLists []chowFans
	chowIndex [chowChoice]uint8
)

// place returns the place of a sorted list of chows in chowIndex: the number of
// sorted lists before it when they are compared from the last chow on.
func place(list [4]chow) int {
	return int(list[0]) + chowPlaces[0][list[1]&31] + chowPlaces[1][list[2]&31] + chowPlaces[2][list[3]&31]
}

// chowPlaces holds at [i][c] the number of sorted lists of i+2 chows all below
// c.
var chowPlaces = func() (places [3][32]int) {
	for c := range int(noChow) + 1 {
		places[0][c] = c * (c + 1) / 2
		places[1][c] = c * (c + 1) * (c + 2) / 6
		places[2][c] = c * (c + 1) * (c + 2) * (c + 3) / 24
	}
	return places
}()

// sorted returns the list in ascending order.
func sorted(list [4]chow) [4]chow {
	a, b, c, d := list[0], list[1], list[2], list[3]
	a, b = min(a, b), max(a, b)
	c, d = min(c, d), max(c, d)
	a, c = min(a, c), max(a, c)
	b, d = min(b, d), max(b, d)
	b, c = min(b, c), max(b, c)
	return [4]chow{a, b, c, d}
}

// scoreChows returns what the chows of a list, in any order, score together.
func scoreChows(list [4]chow) *chowFans {
	return &chowLists[chowIndex[place(sorted(list))]]
}

// fillChows builds the tables of this file.
func fillChows() {
	numbers := newBook(table[:])
	known := map[chowFans]uint8{}
	eachList(func(at int, chows []chow) {
		f := combine(&numbers, chows)
		id, ok := known[f]
		if !ok {
			id = uint8(len(chowLists))
			known[f] = id
			chowLists = append(chowLists, f)
		}
		chowIndex[at] = id
	})
}

// eachList calls do with the place of every sorted list of up to four chows, and with
// its chows.
func eachList(do func(at int, chows []chow)) {
	var list [4]chow
	var fill func(n int)
	fill = func(n int) {
		if n >= 0 {
			most := noChow
			if n < 3 {
				most = list[n+1]
			}
			for list[n] = 0; list[n] <= most; list[n]++ {
				fill(n - 1)
			}
			return
		}
		chows := list[:]
		for len(chows) > 0 && chows[len(chows)-1] == noChow {
			chows = chows[:len(chows)-1]
		}
		do(place(list), chows)
	}
	fill(3)
}

// combine returns what sorted chows score together: a fan of all four; or the
// best of a fan of three and one link of the fourth to one of them; or links
// alone.
func combine(numbers *book, chows []chow) (f chowFans) {
	f.fives = tile.NoKind
	if len(chows) == 4 {
		if fan := fourChows(chows); fan != 0 {
			f.fans.majors = fan
			return f
		}
		f.fives, f.terminal.majors = terminalChows(chows)
	}
	best := func(b bag) {
		points, most := numbers.worth(b), numbers.worth(f.fans)
		if points > most || points == most && b.before(f.fans) {
			f.fans = b
		}
	}
	for a := range chows {
		for b := range a {
			for c := range b {
				fan := threeChows(chows[c], chows[b], chows[a])
				if fan == 0 {
					continue
				}
				best(bag{majors: fan})
				for rest := range chows {
					if rest == a || rest == b || rest == c {
						continue
					}
					for _, i := range [...]int{a, b, c} {
						best(bag{fan, link(chows[rest], chows[i])})
					}
				}
			}
		}
	}
	if f.fans == (bag{}) {
		f.fans.minors = links(chows)
	}
	return f
}

// fourChows returns the fan of four sorted chows.
func fourChows(c []chow) majors {
	switch step := c[1] - c[0]; {
	case c[3]-c[2] != step || c[2]-c[1] != step || c[3].suit() != c[0].suit():
		return 0
	case step == 0:
		return quadrupleChow
	}
	return fourPureShiftedChows // a suit has room for steps of one and two
}

// terminalChows returns the fan of four sorted chows 123 and 789 of one suit
// twice or of two suits, and the kind of the pair it needs.
func terminalChows(c []chow) (tile.Kind, majors) {
	for _, c := range c {
		if c.rank() != 0 && c.rank() != 6 {
			return tile.NoKind, 0
		}
	}
	u, v := c[0].suit(), c[3].suit()
	switch {
	case u == v && c[0] == c[1] && c[2] == c[3] && c[0] != c[3]:
		return tile.Kind(9*u + 4), pureTerminalChows
	case u != v && c[0] != c[1] && c[2] != c[3] && c[0].suit() == c[1].suit() && c[2].suit() == c[3].suit():
		return tile.Kind(9*(3-u-v) + 4), threeSuitedTerminalChows
	}
	return tile.NoKind, 0
}

// threeChows returns the fan of three sorted chows.
func threeChows(a, b, c chow) majors {
	if a.suit() == c.suit() {
		switch step := b - a; {
		case c-b != step:
			return 0
		case step == 0:
			return pureTripleChow
		case step <= 2:
			return pureShiftedChows
		}
		return pureStraight // 123 456 789 has the only step of three
	}
	if a.suit() == b.suit() || b.suit() == c.suit() {
		return 0
	}
	ranks := [3]int{a.rank(), b.rank(), c.rank()}
	slices.Sort(ranks[:])
	switch step := ranks[1] - ranks[0]; {
	case ranks[2]-ranks[1] != step:
		return 0
	case step == 0:
		return mixedTripleChow
	case step == 1:
		return mixedShiftedChows
	case step == 3:
		return mixedStraight
	}
	return 0
}

// link returns the fan of two chows.
func link(a, b chow) minors {
	if a.suit() != b.suit() {
		if a.rank() == b.rank() {
			return mixedDoubleChow
		}
		return 0
	}
	switch max(a, b) - min(a, b) {
	case 0:
		return pureDoubleChow
	case 3:
		return shortStraight
	case 6:
		return twoTerminalChows
	}
	return 0
}

// links returns the links counted among chows that make no greater fan: as many
// as there can be without a circle of them, and without one chow in two of the
// same fan.
func links(chows []chow) (best minors) {
	type edge struct{ a, b int }
	var edges []edge
	var fans []minors
	for a := range chows {
		for b := range a {
			if fan := link(chows[a], chows[b]); fan != 0 {
				edges = append(edges, edge{a, b})
				fans = append(fans, fan)
			}
		}
	}
	most := 0
choices:
	for choice := range 1 << len(edges) {
		group := [4]int{0, 1, 2, 3} // the same number for chows that are linked
		var sum minors
		var taken []int
		for i, e := range edges {
			if choice>>i&1 == 0 {
				continue
			}
			for _, j := range taken {
				o := edges[j]
				if fans[i] == fans[j] && (e.a == o.a || e.a == o.b || e.b == o.a || e.b == o.b) {
					continue choices
				}
			}
			from, to := group[e.a], group[e.b]
			if from == to {
				continue choices
			}
			for i := range group {
				if group[i] == from {
					group[i] = to
				}
			}
			taken = append(taken, i)
			sum += fans[i]
		}
		if n := len(taken); n > most || n == most && sum > best {
			most, best = n, sum
		}
	}
	return best
}
