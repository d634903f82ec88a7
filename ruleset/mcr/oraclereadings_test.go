package mcr_test

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/mcr"
)

// divide calls visit with all ways to split counts into n sets, some more than
// once.
func divide(counts *[34]int, n int, sets []slowSet, visit func([]slowSet)) {
	t := slices.IndexFunc(counts[:], func(n int) bool { return n != 0 })
	if t < 0 && n == 0 {
		visit(sets)
	}
	if t < 0 || n == 0 {
		return
	}
	for _, s := range []slowSet{{first: t}, {first: t, chow: true}} {
		if s.chow && (isHonor(t) || rank(t) > 7) {
			continue
		}
		for _, x := range s.tiles() {
			counts[x]--
		}
		if all(s.tiles(), func(x int) bool { return counts[x] >= 0 }) {
			divide(counts, n-1, append(sets[:len(sets):len(sets)], s), visit)
		}
		for _, x := range s.tiles() {
			counts[x]++
		}
	}
}

// standard calls visit with all ways to split counts into n sets and a pair.
func standard(counts [34]int, n int, visit func([]slowSet, int)) {
	for p := range counts {
		if counts[p] >= 2 {
			counts[p] -= 2
			divide(&counts, n, nil, func(sets []slowSet) { visit(sets, p) })
			counts[p] += 2
		}
	}
}

func compareSets(a, b slowSet) int {
	if a.first != b.first {
		return a.first - b.first
	}
	switch {
	case a.chow == b.chow:
		return 0
	case a.chow:
		return 1
	}
	return -1
}

func isStandard(counts [34]int, n int) bool {
	found := false
	standard(counts, n, func([]slowSet, int) { found = true })
	return found
}

func isPairs(counts [34]int, quads bool) bool {
	pairs := 0
	for _, n := range counts {
		if n%2 != 0 || n == 4 && !quads {
			return false
		}
		pairs += n / 2
	}
	return pairs == 7
}

func isOrphans(counts [34]int) bool {
	n := 0
	for t, c := range counts {
		if !isTerminal(t) && !isHonor(t) {
			continue
		}
		if c == 0 {
			return false
		}
		n += c
	}
	return n == 14
}

// slowBodies are the six knitted straights.
var slowBodies = func() (bodies [][]int) {
	for m := 1; m <= 3; m++ {
		for p := 1; p <= 3; p++ {
			for s := 1; s <= 3; s++ {
				if m == p || p == s || m == s {
					continue
				}
				var body []int
				for i, first := range []int{m, p, s} {
					for r := first; r <= 9; r += 3 {
						body = append(body, 9*i+r-1)
					}
				}
				bodies = append(bodies, body)
			}
		}
	}
	return bodies
}()

// isHonorsAndKnitted reports whether counts are fourteen different honors and
// tiles of one knitted straight.
func isHonorsAndKnitted(counts [34]int) bool {
	n := 0
	for _, c := range counts {
		if c > 1 {
			return false
		}
		n += c
	}
	return n == 14 && slices.ContainsFunc(slowBodies, func(body []int) bool {
		for t, c := range counts {
			if c > 0 && !isHonor(t) && !slices.Contains(body, t) {
				return false
			}
		}
		return true
	})
}

// withoutBody returns counts less the tiles of a knitted straight.
func withoutBody(counts [34]int, body []int) ([34]int, bool) {
	for _, t := range body {
		if counts[t] == 0 {
			return counts, false
		}
		counts[t]--
	}
	return counts, true
}

// off reports whether the ruleset has no such fan.
func (s *slowWin) off(id string) bool { return s.cfg.Patterns[slowNumber[id]].IsOff() }

func (s *slowWin) readings() (list []slowReading) {
	melds := len(s.melds)
	// attribute adds the reading once for each place of the winning tile.
	attribute := func(shape string, sets []slowSet, pair int) {
		r := slowReading{shape: shape, sets: append(slices.Clone(s.melds), sets...), pair: pair, place: -1}
		if shape == "K" {
			list = append(list, r) // perhaps the tile went into the body
		}
		for i := melds; i < len(r.sets); i++ {
			if slices.Contains(r.sets[i].tiles(), s.w) {
				r.place = i
				list = append(list, r)
			}
		}
		if pair == s.w {
			r.place = len(r.sets)
			list = append(list, r)
		}
	}
	standard(s.concealed, 4-melds, func(sets []slowSet, pair int) { attribute("S", sets, pair) })
	if melds <= 1 && !s.off("knitted_straight") {
		for _, body := range slowBodies {
			if rest, ok := withoutBody(s.concealed, body); ok {
				standard(rest, 1-melds, func(sets []slowSet, pair int) { attribute("K", sets, pair) })
			}
		}
	}
	if melds > 0 {
		return list
	}
	if s.isPairs(s.concealed) {
		list = append(list, slowReading{shape: "P", place: -1})
	}
	if isOrphans(s.concealed) && !s.off("thirteen_orphans") {
		list = append(list, slowReading{shape: "O", place: -1})
	}
	if isHonorsAndKnitted(s.concealed) && !s.off("lesser_honors_and_knitted_tiles") {
		list = append(list, slowReading{shape: "X", place: -1})
	}
	return list
}

// isPairs reports whether counts are seven pairs and these a shape.
func (s *slowWin) isPairs(counts [34]int) bool {
	return isPairs(counts, s.cfg.PairsQuads) && !s.off("seven_pairs")
}

// before returns the concealed tiles without the winning one.
func (s *slowWin) before() [34]int {
	c := s.concealed
	c[s.w]--
	return c
}

// noTile reports a win with the dealt tiles where none of them counts as the
// winning one.
func (s *slowWin) noTile() bool {
	return s.SelfDraw && s.Flags&ruleset.FlagHeavenly != 0 &&
		s.cfg.InitialWinTile == mcr.NoInitialWinTile && s.cfg.DealerExtraTile == ruleset.ExtraDealt
}

// owned counts a kind in the whole hand before the win.
func (s *slowWin) owned(t int) int {
	n := 0
	for _, x := range s.whole {
		if x == t {
			n++
		}
	}
	if t == s.w {
		n--
	}
	return n
}

// waits returns the kinds that complete the concealed tiles before the win in
// the sense of complete.
func (s *slowWin) waits(before [34]int, complete func([34]int) bool) (kinds []int) {
	for t := range 34 {
		if !s.cfg.ExhaustedWaits && s.owned(t) == 4 {
			continue
		}
		after := before
		after[t]++
		if complete(after) {
			kinds = append(kinds, t)
		}
	}
	return kinds
}

// wait returns the wait fan of a reading, empty if there is none.
func (s *slowWin) wait(r slowReading) string {
	if r.place < 0 || s.noTile() {
		return ""
	}
	n := 4 - len(s.melds)
	var kinds []int
	switch r.shape {
	case "S":
		kinds = s.waits(s.before(), func(c [34]int) bool {
			return isStandard(c, n) || n == 4 && s.isPairs(c)
		})
	case "K":
		if s.cfg.KnittedWaits == mcr.NoKnittedWait {
			return ""
		}
		for _, body := range slowBodies {
			rest, ok := withoutBody(s.concealed, body)
			if !ok || !isStandard(rest, n-3) {
				continue
			}
			if slices.Contains(body, s.w) && s.cfg.KnittedWaits == mcr.WaitOutsideBody {
				return ""
			}
			rest[s.w]--
			kinds = s.waits(rest, func(c [34]int) bool { return isStandard(c, n-3) })
		}
	}
	if len(kinds) != 1 {
		return ""
	}
	if r.place == len(r.sets) {
		return "single_wait"
	}
	set := r.sets[r.place]
	switch {
	case !set.chow:
		return ""
	case s.w == set.first+1:
		return "closed_wait"
	case s.w == set.first+2 && rank(s.w) == 3 || s.w == set.first && rank(s.w) == 7:
		return "edge_wait"
	}
	return ""
}
