package hktw_test

import (
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hktw"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// circumstances adds what any form takes.
func (l *layout) circumstances() {
	w := l.win
	concealed := l.concealedHand()
	l.add("base", true)
	l.add("concealed", concealed)
	l.add("ready", l.flag(ruleset.FlagReady))
	l.add("concealed_ready", l.flag(ruleset.FlagReady) && concealed)
	l.add("ready_human", l.flag(ruleset.FlagReadyHuman))
	l.add("ready_earth", l.flag(ruleset.FlagReadyEarth))
	l.add("ready_heaven", l.flag(ruleset.FlagReadyHeaven))
	l.add("one_shot", l.flag(ruleset.FlagIppatsu))
	l.add("self_draw", w.SelfDraw)
	l.add("concealed_self_draw", w.SelfDraw && concealed)
	l.add("last_tile", l.flag(ruleset.FlagLastTile) && (w.SelfDraw || l.cfg.LastTileScope != hktw.LastDrawOnly))
	l.add("robbing_kong", l.flag(ruleset.FlagRobbingKan) || l.flag(ruleset.FlagRobbingClosedKan))
	l.add("flower_draw", l.flag(ruleset.FlagAfterFlower))
	l.add("kong_draw", l.flag(ruleset.FlagAfterKan))
	if n := int(w.TailDraws); w.SelfDraw && n >= 2 && l.exists("tail_chain") {
		value := l.value("tail_chain", false) * (n - 1)
		if l.cfg.TailChainFormula == hktw.TailDouble {
			value = l.value("tail_chain", false)
			for range n - 2 {
				value *= 2
			}
		}
		l.found = append(l.found, instance{id: "tail_chain", value: value})
	}
	l.add("double_win", l.flag(ruleset.FlagDoubleWin))
	l.add("triple_win", l.flag(ruleset.FlagTripleWin))
	for id, n := range map[string]uint8{"within_ten": 10, "within_seven": 7, "within_four": 4} {
		l.add(id, w.Discards <= n)
	}
	scope := l.cfg.HumanWinScope
	l.add("human_win", l.flag(ruleset.FlagHuman) &&
		(scope == hktw.HumanFirstGoAround || (scope == hktw.HumanSelfDraw) == w.SelfDraw))
	l.add("earthly_win", l.flag(ruleset.FlagEarthly))
	l.add("heavenly_win", l.flag(ruleset.FlagHeavenly))
	l.add("fourth_copy", l.flag(ruleset.FlagLastCopy))
	l.add("true_last", l.flag(ruleset.FlagSoleLive))
	l.flowers()
	for _, u := range l.units {
		if u.form == "kong" {
			l.addAbout("kong", "", !u.open)
		}
	}
}

func (l *layout) flowers() {
	held := map[int]bool{}
	for f := range 8 {
		if l.win.Flowers>>f&1 == 1 {
			held[f] = true
		}
	}
	l.add("no_flowers", len(held) == 0)
	if len(held) == 8 && l.exists("two_flower_sets") {
		l.add("two_flower_sets", true)
		return
	}
	for _, first := range []int{0, 4} {
		complete := held[first] && held[first+1] && held[first+2] && held[first+3]
		l.add("one_flower_set", complete)
		for f := first; f < first+4 && !complete; f++ {
			l.add("flower", held[f])
			l.add("proper_flower", held[f] && f-first == int(l.win.SeatWind))
		}
	}
}

func (l *layout) bothColors() bool {
	return l.win.Flowers&0x0f > 0 && l.win.Flowers&0xf0 > 0
}

// proper returns how often a pung of an honor counts as proper.
func (l *layout) proper(k int) int {
	n := 0
	if k == 27+int(l.win.SeatWind) {
		n++
	}
	if k == 27+int(l.win.RoundWind) {
		n++
	}
	if isDragon(k) && l.cfg.DragonIsProper {
		n++
	}
	return n
}

// honors adds the pungs of honors and what they make.
func (l *layout) honors() {
	winds, dragons := 0, 0
	for _, u := range l.units {
		if !u.isPung() || !isHonor(u.kind) {
			continue
		}
		about := "dragon"
		if isWind(u.kind) {
			about = "wind"
			winds++
		} else {
			dragons++
		}
		l.addAbout("honor_pung", about, false)
		for range l.proper(u.kind) {
			l.addAbout("proper_honor", about, false)
		}
	}
	p := l.pair()
	l.add("small_three_dragons", dragons == 2 && isDragon(p))
	l.add("big_three_dragons", dragons == 3)
	l.add("small_three_winds", winds == 2 && isWind(p))
	l.add("big_three_winds", winds == 3 && !isWind(p))
	l.add("small_four_winds", winds == 3 && isWind(p))
	l.add("big_four_winds", winds == 4)
}

func (l *layout) suits() int {
	n := 0
	for s := range 3 {
		if l.any(func(k int) bool { return !isHonor(k) && suitOf(k) == s }) {
			n++
		}
	}
	return n
}

func typesOf(tiles []int) map[string]bool {
	found := map[string]bool{}
	for _, k := range tiles {
		switch {
		case isWind(k):
			found["wind"] = true
		case isDragon(k):
			found["dragon"] = true
		default:
			found[fmt.Sprint("suit", suitOf(k))] = true
		}
	}
	return found
}

// wholeHand adds what the tiles and the groups of a standard or lik gu reading
// make.
func (l *layout) wholeHand() {
	honors := l.any(isHonor)
	suited := l.any(func(k int) bool { return !isHonor(k) })
	l.add("no_honors", !honors)
	l.add("no_honors_no_flowers", !honors && l.win.Flowers == 0)
	l.add("all_honors", !suited)
	l.add("half_flush", l.suits() == 1 && honors)
	l.add("full_flush", l.suits() == 1 && !honors)
	l.add("missing_suit", l.suits() == 2 && (!honors || l.cfg.MissingSuitHonors))
	five := l.any(func(k int) bool { return !isHonor(k) && rankOf(k) == 5 })
	l.add("missing_five", !five && (!honors || l.cfg.MissingFiveHonors))
	l.add("all_simples", !l.any(isOrphan))
	outside := !slices.ContainsFunc(l.units, func(u unit) bool { return !slices.ContainsFunc(u.tiles(), isOrphan) })
	l.add("mixed_outside", outside && honors && suited)
	l.add("pure_outside", outside && !honors)
	l.add("mixed_terminals", l.all(isOrphan) && honors && suited)
	l.add("pure_terminals", l.all(isTerminal))
	for rank := 1; rank <= 9; rank++ {
		groups, with := 0, 0
		for _, u := range l.units {
			if !isHonor(u.kind) {
				groups++
				if slices.ContainsFunc(u.tiles(), func(k int) bool { return rankOf(k) == rank }) {
					with++
				}
			}
		}
		if groups == 0 || groups != with || l.has("mixed_common_rank") || l.has("pure_common_rank") {
			continue
		}
		l.add("mixed_common_rank", honors && groups >= l.cfg.CommonRankGroups)
		l.add("pure_common_rank", !honors)
	}
	if len(typesOf(l.tiles)) == 5 {
		ofMelds := map[string]bool{}
		for _, m := range l.melds() {
			for t := range typesOf(m.tiles()) {
				ofMelds[t] = true
			}
		}
		big := len(ofMelds) == 5 && l.form == "standard"
		l.add("small_five_types", !big)
		l.add("big_five_types", big)
		l.add("small_seven_types", !big && l.bothColors())
		l.add("big_seven_types", big && l.bothColors())
	}
}

// combine adds a fan of several melds for every key, with as many instances as
// may be counted together. The parts of a key are looked for among the melds.
func (l *layout) combine(id string, about string, parts ...unit) {
	melds := l.melds()
	var instances [][]int
	var choose func(chosen []int)
	choose = func(chosen []int) {
		if len(chosen) == len(parts) {
			instances = append(instances, slices.Clone(chosen))
			return
		}
		p := parts[len(chosen)]
		for i, m := range melds {
			if (m.form == p.form || p.form == "pung" && m.form == "kong") && m.kind == p.kind {
				choose(append(chosen, i))
			}
		}
	}
	choose(nil)
	hidden := func(chosen []int) bool {
		return !slices.ContainsFunc(chosen, func(i int) bool { return melds[i].open })
	}
	// Of all admissible selections, the one that counts most.
	bestSum := 0
	var best []int
	for selection := range 1 << len(instances) {
		sum := 0
		var list []int
		for i, a := range instances {
			if selection>>i&1 == 1 {
				list = append(list, i)
				sum += l.value(id, hidden(a))
			}
		}
		ok := l.cfg.SingleCount == hktw.SingleCountOff || !slices.ContainsFunc(list, func(i int) bool {
			return slices.ContainsFunc(list, func(j int) bool {
				different := 0
				for p := range parts {
					if instances[i][p] != instances[j][p] {
						different++
					}
				}
				return i < j && different < 2
			})
		})
		if ok && sum > bestSum {
			bestSum, best = sum, list
		}
	}
	for _, i := range best {
		l.addAbout(id, about, hidden(instances[i]))
	}
}

var permutations = [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}

// chows adds the combinations of sequences.
func (l *layout) chows() {
	count := map[int]int{}
	for _, m := range l.melds() {
		if m.form == "chow" {
			count[m.kind]++
		}
	}
	chow := func(suit, start int) unit { return unit{form: "chow", kind: 9*suit + start - 1} }
	n := 0
	for _, times := range count {
		n += times
	}
	if n == 5 {
		l.add("all_chows", !isHonor(l.pair()) || !l.cfg.AllChowsSuitedPair)
		l.add("grand_all_chows", !l.any(isHonor) && l.win.Flowers == 0)
	}
	for start := 1; start <= 7; start++ {
		about := fmt.Sprint("start", start)
		for a := range 3 {
			for b := range a {
				l.combine("mixed_pair_chows", about, chow(a, start), chow(b, start))
			}
		}
		l.combine("mixed_triple_chows", about, chow(0, start), chow(1, start), chow(2, start))
		for suit := range 3 {
			if start <= 5 {
				l.combine("pure_steps", "", chow(suit, start), chow(suit, start+1), chow(suit, start+2))
			}
			if start <= 3 {
				l.combine("linked_chain", "", chow(suit, start), chow(suit, start+2), chow(suit, start+4))
			}
		}
		for _, p := range permutations {
			if start <= 5 {
				l.combine("mixed_steps", "", chow(p[0], start), chow(p[1], start+1), chow(p[2], start+2))
			}
		}
	}
	for _, p := range permutations {
		l.combine("mixed_straight", "", chow(p[0], 1), chow(p[1], 4), chow(p[2], 7))
	}
	for suit := range 3 {
		about := fmt.Sprint("suit", suit)
		l.combine("pure_straight", about, chow(suit, 1), chow(suit, 4), chow(suit, 7))
		l.combine("terminal_chows", about, chow(suit, 1), chow(suit, 7))
	}
	var twice []int
	for kind, times := range count {
		about := fmt.Sprint("kind", kind)
		if times >= 2 {
			twice = append(twice, kind)
		}
		if times >= 3 {
			l.addAbout("triple_identical_chows", about, false)
		}
		if times >= 4 {
			l.addAbout("quad_identical_chows", about, false)
		}
	}
	if len(twice) == 2 && (l.cfg.DoubleIdentical == hktw.IdenticalAny || suitOf(twice[0]) != suitOf(twice[1])) {
		l.add("double_identical_chows", true)
	}
	for _, kind := range twice {
		if !l.has("double_identical_chows") {
			l.addAbout("identical_chows", fmt.Sprint("kind", kind), false)
		}
	}
}

// pungs adds the combinations of triplets.
func (l *layout) pungs() {
	hidden, kongs, pungs := 0, 0, map[int]bool{}
	for _, m := range l.melds() {
		if !m.isPung() {
			continue
		}
		pungs[m.kind] = true
		if m.form == "kong" {
			kongs++
		}
		if !m.open || m.form == "kong" && l.cfg.OpenKongConcealed {
			hidden++
		}
	}
	l.add("all_pungs", len(pungs) == 5)
	five := hidden == 5
	for hidden >= 2 && !l.exists(fmt.Sprint("concealed_pungs_", hidden)) {
		hidden--
	}
	l.add(fmt.Sprint("concealed_pungs_", hidden), hidden >= 2)
	l.add("pure_concealed_pungs", five && kongs == 0 && (l.win.SelfDraw || !l.cfg.PureConcealedSelfDraw))
	// part tells whether a place is a pung (1), the pair (10) or neither.
	part := func(suit, rank int) int {
		k := 9*suit + rank - 1
		switch {
		case pungs[k]:
			return 1
		case l.pair() == k:
			return 10
		}
		return -100
	}
	for suit := range 3 {
		for rank := 1; rank <= 8; rank++ {
			if part(suit, rank)+part(suit, rank+1) == 2 {
				l.addAbout("linked_pungs_2", fmt.Sprint(suit, rank), false)
			}
		}
		for rank := 1; rank <= 7; rank++ {
			about := fmt.Sprint(suit, rank)
			switch part(suit, rank) + part(suit, rank+1) + part(suit, rank+2) {
			case 3:
				l.addAbout("linked_pungs_3", about, false)
			case 12:
				l.addAbout("small_linked_pungs_3", about, false)
			}
		}
		l.add("terminal_pungs", part(suit, 1)+part(suit, 9) == 2)
	}
	for rank := 1; rank <= 9; rank++ {
		about := fmt.Sprint(rank)
		for a := range 3 {
			for b := range a {
				if part(a, rank)+part(b, rank) == 2 {
					l.addAbout("same_pungs_2", about, false)
				}
			}
		}
		switch part(0, rank) + part(1, rank) + part(2, rank) {
		case 3:
			l.addAbout("same_pungs_3", about, false)
		case 12:
			l.addAbout("small_same_pungs_3", about, false)
		}
		for _, p := range permutations {
			if rank > 7 {
				continue
			}
			switch part(p[0], rank) + part(p[1], rank+1) + part(p[2], rank+2) {
			case 3:
				l.add("mixed_linked_pungs", true)
			case 12:
				l.add("small_mixed_linked_pungs", true)
			}
		}
	}
}

// returns adds the kinds of which all four are spread over several units.
func (l *layout) returns() {
	found, hidden := 0, 0
	var each []instance
	for k := range 34 {
		held, groups, open := 0, 0, false
		for _, u := range l.units {
			n := 0
			for _, other := range u.tiles() {
				if other == k && u.form != "kong" {
					n++
				}
			}
			if n > 0 {
				held += n
				groups++
				open = open || u.open
			}
		}
		if held != 4 || groups < 2 {
			continue
		}
		if !l.win.SelfDraw && int(l.win.Tile) == k {
			open = true
		}
		found++
		if !open {
			hidden++
		}
		id := map[int]string{2: "return_two", 3: "return_three", 4: "return_four"}[groups]
		each = append(each, instance{id: id, concealed: !open})
	}
	for _, i := range each {
		if found < 2 || l.cfg.EightReturn == hktw.ReturnsAdd {
			l.addAbout(i.id, "", i.concealed)
		}
	}
	if found == 2 {
		l.addAbout("eight_return", "", hidden == 2)
	}
	l.add("twelve_return", found >= 3)
}

// waits returns the number of kinds that would have completed the hand, those of
// which the player held all four left out.
func (l *layout) waits() int {
	n := 0
	for k := range 34 {
		before := *l.win
		before.Hand.Remove(before.Tile)
		held := before.Hand.Count(tile.Kind(k))
		for _, m := range before.Melds[:before.NumMelds] {
			held += m.Count(tile.Kind(k))
		}
		if held == 4 {
			continue
		}
		before.Hand.Add(tile.Kind(k))
		before.Tile = tile.Kind(k)
		if len(l.layouts(&before)) > 0 {
			n++
		}
	}
	return n
}

// score finds the fan of the reading.
func (l *layout) score() {
	l.circumstances()
	switch l.form {
	case "standard":
		l.wholeHand()
		l.honors()
		l.chows()
		l.pungs()
		l.returns()
		won := l.units[l.won]
		p := l.pair()
		l.add("pair_258", !isHonor(p) && rankOf(p)%3 == 2)
		l.add("pung_wait", won.form == "pung")
		place := int(l.win.Tile) - won.kind
		single := won.form == "pair" || won.form == "chow" &&
			(place == 1 || place == 2 && rankOf(won.kind) == 1 || place == 0 && rankOf(won.kind) == 7)
		if single {
			only := l.waits() == 1
			l.add("true_single", only)
			l.add("fake_single", !only)
		}
		called, kongs := 0, 0
		for _, u := range l.units {
			if u.called {
				called++
			}
			if u.form == "kong" {
				kongs++
			}
		}
		begging := called == 5 && (kongs == 0 || l.cfg.BeggingOpenKong)
		l.add("half_begging", begging && l.win.SelfDraw)
		l.add("all_begging", begging && !l.win.SelfDraw)
	case "lik gu":
		l.wholeHand()
		l.returns()
		l.add("lik_gu", true)
		n := 0
		for _, k := range l.tiles {
			if k == int(l.win.Tile) {
				n++
			}
		}
		if n == 2 && l.cfg.LikGuSingleWait {
			only := l.waits() == 1
			l.add("true_single", only)
			l.add("fake_single", !only)
		}
	case "disjoint":
		l.add("sixteen_disjoint", true)
		ranks := map[int]int{}
		seen := map[int]bool{}
		for _, k := range l.tiles {
			if !isHonor(k) && !seen[k] {
				seen[k] = true
				ranks[rankOf(k)]++
			}
		}
		l.add("disjoint_same", len(ranks) == 3)
		l.add("disjoint_straight", len(ranks) == 9)
		l.add("true_single", l.waits() == 1)
		l.add("small_seven_types", l.cfg.SpecialTypes == hktw.SpecialTypesSeven && l.bothColors())
	case "orphans":
		extra := l.units[0]
		l.add("thirteen_orphans", true)
		switch {
		case extra.isPung() && isOrphan(extra.kind) && l.cfg.OrphansTerminals:
			l.add("mixed_terminals", true)
		case slices.ContainsFunc(extra.tiles(), isOrphan):
			l.add("mixed_outside", true)
		}
		if extra.isPung() && isHonor(extra.kind) {
			l.add("honor_pung", true)
			for range l.proper(extra.kind) {
				l.add("proper_honor", true)
			}
		}
		l.returns()
		l.add("true_single", l.waits() == 1)
		l.add("small_seven_types", l.cfg.SpecialTypes != hktw.SpecialTypesNone && l.bothColors())
	}
}

// absorption is the published table.
const absorption = `
concealed_self_draw: concealed self_draw
concealed_ready: concealed ready
ready_heaven ready_earth: ready concealed_ready concealed
ready_human: ready concealed_ready
heavenly_win: concealed self_draw concealed_self_draw within_ten within_seven within_four
earthly_win human_win: concealed within_ten within_seven within_four
within_four: within_seven within_ten
within_seven: within_ten
flower_draw kong_draw: self_draw
tail_chain: self_draw flower_draw kong_draw
half_begging: self_draw true_single fake_single
all_begging: true_single fake_single
true_last: fourth_copy
robbing_kong: fourth_copy
no_honors_no_flowers: no_honors no_flowers
grand_all_chows: all_chows no_honors_no_flowers no_honors no_flowers
full_flush missing_suit missing_five all_simples pure_common_rank: no_honors
pure_outside: no_honors missing_five
mixed_terminals: all_pungs mixed_outside
pure_terminals: no_honors missing_five pure_outside all_pungs same_pungs_2 small_same_pungs_3 same_pungs_3 terminal_pungs
all_honors: all_pungs honor_pung mixed_terminals mixed_outside
concealed_pungs_5: all_pungs concealed
pure_concealed_pungs: concealed_pungs_5 concealed_pungs_4 concealed_pungs_3 concealed_pungs_2 all_pungs concealed
quad_identical_chows: triple_identical_chows
small_seven_types: small_five_types
big_five_types: small_five_types
big_seven_types: big_five_types
twelve_return: eight_return
lik_gu sixteen_disjoint thirteen_orphans: concealed
`
