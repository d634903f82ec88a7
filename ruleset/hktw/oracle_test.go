package hktw_test

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/hand"
	"github.com/jansou/jansou/ruleset/hktw"
	"github.com/jansou/jansou/ruleset/tile"
)

// The second scorer: readings as lists of units, every combination of units as an
// instance of a fan, and the rules of counting applied to the instances. It shares
// no code with the first.

// unit is a meld or the pair of a reading.
type unit struct {
	form   string // chow, pung, kong or pair; of special forms quad and single too
	kind   int    // the lowest
	called bool
	open   bool
	added  bool // a pung raised to a kong
}

func (u unit) tiles() []int {
	switch u.form {
	case "chow":
		return []int{u.kind, u.kind + 1, u.kind + 2}
	case "pair":
		return []int{u.kind, u.kind}
	case "single":
		return []int{u.kind}
	}
	return []int{u.kind, u.kind, u.kind}
}

func (u unit) isPung() bool { return u.form == "pung" || u.form == "kong" }

func (u unit) has(kind int) bool { return slices.Contains(u.tiles(), kind) }

func isHonor(k int) bool    { return k >= 27 }
func isWind(k int) bool     { return k >= 27 && k < 31 }
func isDragon(k int) bool   { return k >= 31 }
func isTerminal(k int) bool { return k < 27 && (k%9 == 0 || k%9 == 8) }
func isOrphan(k int) bool   { return isHonor(k) || isTerminal(k) }

// suitOf and rankOf are of suited kinds.
func suitOf(k int) int { return k / 9 }
func rankOf(k int) int { return k%9 + 1 }

// instance is a fan counted once.
type instance struct {
	id        string
	value     int
	concealed bool
	// about says of what the instance is where others may absorb it.
	about string
}

// oracle is the second scorer for a configuration.
type oracle struct {
	cfg     *hktw.Config
	catalog []fan
	index   map[string]int
	// absorbed is the published table by the id that is present.
	absorbed map[string][]string
}

// fan is a line of the published catalogue.
type fan struct {
	id, native, name string
	open, concealed  int
	section          string
}

func readCatalog(t testing.TB) []fan {
	t.Helper()
	text, err := os.ReadFile("testdata/fans.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var list []fan
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		open, err1 := strconv.Atoi(f[3])
		concealed, err2 := strconv.Atoi(f[4])
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		list = append(list, fan{f[0], f[1], f[2], open, concealed, f[5]})
	}
	return list
}

func newOracle(cfg *hktw.Config, catalog []fan) *oracle {
	o := &oracle{cfg, catalog, map[string]int{}, map[string][]string{}}
	for i, f := range catalog {
		o.index[f.id] = i
	}
	for line := range strings.Lines(strings.TrimPrefix(absorption, "\n")) {
		present, removed, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for _, id := range strings.Fields(present) {
			o.absorbed[id] = append(o.absorbed[id], strings.Fields(removed)...)
		}
	}
	return o
}

// value returns what a fan counts.
func (o *oracle) value(id string, concealed bool) int {
	i := o.index[id]
	f := o.catalog[i]
	switch p := o.cfg.Patterns[i]; {
	case p.IsGiven() && concealed:
		return int(p.Closed)
	case p.IsGiven():
		return int(p.Open)
	case i == 0:
		return o.cfg.BaseFan
	case i == 1:
		return o.cfg.DealerItem
	}
	if concealed {
		return f.concealed
	}
	return f.open
}

func (o *oracle) exists(id string) bool {
	return !o.cfg.Patterns[o.index[id]].IsOff()
}

// layout is one reading of a hand and the fan found in it.
type layout struct {
	*oracle
	win   *ruleset.Win
	form  string // standard, lik gu, disjoint or orphans
	units []unit
	won   int   // the unit that the winning tile completed, -1 if that is no matter
	tiles []int // of the whole hand, three of a kong
	found []instance
}

func (l *layout) addAbout(id, about string, concealed bool) {
	if l.exists(id) {
		f := l.catalog[l.index[id]]
		concealed = concealed && f.open != f.concealed
		l.found = append(l.found, instance{id, l.value(id, concealed), concealed, about})
	}
}

func (l *layout) add(id string, holds bool) {
	if holds {
		l.addAbout(id, "", false)
	}
}

func (l *layout) has(id string) bool {
	return slices.ContainsFunc(l.found, func(i instance) bool { return i.id == id })
}

func (l *layout) all(holds func(int) bool) bool {
	return !slices.ContainsFunc(l.tiles, func(k int) bool { return !holds(k) })
}

func (l *layout) any(holds func(int) bool) bool { return slices.ContainsFunc(l.tiles, holds) }

func (l *layout) flag(f ruleset.Flags) bool { return l.win.Flags&f != 0 }

// melds are the sets of the reading.
func (l *layout) melds() (melds []unit) {
	for _, u := range l.units {
		if u.form != "pair" && u.form != "single" {
			melds = append(melds, u)
		}
	}
	return melds
}

func (l *layout) pair() int {
	for _, u := range l.units {
		if u.form == "pair" {
			return u.kind
		}
	}
	return -100
}

// concealedHand reports 門清.
func (l *layout) concealedHand() bool {
	for _, m := range l.win.Melds[:l.win.NumMelds] {
		switch m.Type {
		case hand.ClosedKan:
			if l.cfg.ConcealedKongs == hktw.KongsNone {
				return false
			}
		case hand.OpenKan:
			if l.cfg.ConcealedKongs != hktw.KongsAny {
				return false
			}
		default:
			return false
		}
	}
	return true
}

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
	l.add("one_shot", l.flag(ruleset.FlagOneShot))
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
	if len(held) == 8 {
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

func (l *layout) bothColours() bool {
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

// suits returns the number of suits in the hand.
func (l *layout) suits() int {
	n := 0
	for s := range 3 {
		if l.any(func(k int) bool { return !isHonor(k) && suitOf(k) == s }) {
			n++
		}
	}
	return n
}

// types returns the types of some tiles.
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
		l.add("small_seven_types", !big && l.bothColours())
		l.add("big_seven_types", big && l.bothColours())
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
	for n, id := range map[int]string{
		2: "concealed_pungs_2", 3: "concealed_pungs_3", 4: "concealed_pungs_4", 5: "concealed_pungs_5",
	} {
		l.add(id, hidden == n)
	}
	l.add("pure_concealed_pungs", hidden == 5 && kongs == 0 && (l.win.SelfDraw || !l.cfg.PureConcealedSelfDraw))
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
		l.add("small_seven_types", l.cfg.SpecialTypes == hktw.SpecialTypesSeven && l.bothColours())
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
		l.add("small_seven_types", l.cfg.SpecialTypes != hktw.SpecialTypesNone && l.bothColours())
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
pure_concealed_pungs: concealed_pungs_5 all_pungs concealed
quad_identical_chows: triple_identical_chows
small_seven_types: small_five_types
big_five_types: small_five_types
big_seven_types: big_five_types
twelve_return: eight_return
lik_gu sixteen_disjoint thirteen_orphans: concealed
`

// absorbs reports whether instance a takes b away.
func (o *oracle) absorbs(a, b instance) bool {
	switch {
	case a.id == "concealed_self_draw" && b.id == "concealed" && o.cfg.ConcealedSelfDraw == hktw.SelfDrawAdds:
		return false
	case b.id == "all_pungs" && o.cfg.StackAllPungs && !strings.Contains(a.id, "concealed"):
		return false
	case a.id == "pure_terminals" && !o.cfg.PureTerminalsFlat &&
		slices.Contains([]string{"same_pungs_2", "small_same_pungs_3", "same_pungs_3", "terminal_pungs"}, b.id):
		return false
	case b.id == "no_honors_no_flowers" && !o.cfg.NoHonorsNoFlowersKept && a.id != b.id &&
		o.absorbs(a, instance{id: "no_honors"}):
		return true
	case a.id == "quad_identical_chows" && !o.cfg.ReturnsIndependent && strings.Contains(b.id, "return"):
		return true
	}
	inside := func(pairOf, length int) bool { // whether pungs of two ranks are among those of b's
		var suit, first, rank int
		fmt.Sscan(a.about, &suit, &first)
		var otherSuit int
		fmt.Sscan(b.about, &otherSuit, &rank)
		return suit == otherSuit && rank >= first && rank+pairOf <= first+length
	}
	switch a.id + " " + b.id {
	case "small_three_dragons honor_pung", "big_three_dragons honor_pung",
		"small_three_dragons proper_honor", "big_three_dragons proper_honor":
		return b.about == "dragon"
	case "small_three_winds honor_pung", "big_three_winds honor_pung", "small_four_winds honor_pung",
		"big_four_winds honor_pung", "big_four_winds proper_honor":
		return b.about == "wind"
	case "small_three_winds proper_honor", "big_three_winds proper_honor", "small_four_winds proper_honor":
		return b.about == "wind" && !o.cfg.ProperUnderWinds
	case "mixed_triple_chows mixed_pair_chows", "pure_straight terminal_chows", "triple_identical_chows identical_chows",
		"quad_identical_chows identical_chows", "same_pungs_3 same_pungs_2", "small_same_pungs_3 same_pungs_2":
		return a.about == b.about
	case "linked_pungs_3 linked_pungs_2", "small_linked_pungs_3 linked_pungs_2":
		return inside(2, 3)
	}
	return slices.Contains(o.absorbed[a.id], b.id)
}

// absorb drops the instances that others take away.
func (l *layout) absorb() {
	if !l.cfg.NoCompounding {
		return
	}
	l.found = slices.DeleteFunc(slices.Clone(l.found), func(b instance) bool {
		return slices.ContainsFunc(l.found, func(a instance) bool { return l.absorbs(a, b) })
	})
}

func total(found []instance) int {
	sum := 0
	for _, i := range found {
		sum += i.value
	}
	return sum
}

// order sorts instances as the catalogue does, concealed ones first.
func (o *oracle) order(found []instance) {
	slices.SortStableFunc(found, func(a, b instance) int {
		if d := cmp.Compare(o.index[a.id], o.index[b.id]); d != 0 || a.concealed == b.concealed {
			return d
		}
		if a.concealed {
			return -1
		}
		return 1
	})
}

// better reports whether a is to be reported rather than b.
func (o *oracle) better(a, b []instance) bool {
	if d := total(a) - total(b); d != 0 {
		return d > 0
	}
	ids := func(list []instance) (ids []int) {
		for _, i := range list {
			ids = append(ids, o.index[i.id])
		}
		return ids
	}
	if d := slices.Compare(ids(a), ids(b)); d != 0 {
		return d < 0
	}
	for i := range a {
		if a[i].concealed != b[i].concealed {
			return a[i].concealed
		}
	}
	return false
}

// chicken adds the big chicken or the big duck to the best standard reading.
func (o *oracle) chicken(w *ruleset.Win, best *layout) {
	events := "ready concealed_ready one_shot last_tile robbing_kong flower_draw kong_draw tail_chain double_win " +
		"triple_win within_ten within_seven within_four human_win earthly_win heavenly_win ready_human ready_earth " +
		"ready_heaven fourth_copy true_last"
	var rest []string
	self := false
	for _, i := range best.found {
		switch {
		case i.id == "base":
		case i.id == "self_draw":
			self = true
		case o.cfg.ChickenIgnoresEvents && !best.concealedHand() && slices.Contains(strings.Fields(events), i.id):
		default:
			rest = append(rest, i.id)
		}
	}
	if o.cfg.ChickenIgnoresEvents && !best.concealedHand() {
		self = w.SelfDraw
	}
	if len(rest) != 1 || w.SelfDraw != self {
		return
	}
	if rest[0] != "flower" && (rest[0] != "no_flowers" || !o.cfg.ChickenNoFlowers) {
		return
	}
	id := "big_chicken"
	if w.SelfDraw {
		id = "big_duck"
	}
	if !o.exists(id) {
		return
	}
	best.add(id, true)
	if w.SelfDraw && !o.cfg.DuckKeepsSelfDraw {
		best.found = slices.DeleteFunc(best.found, func(i instance) bool { return i.id == "self_draw" })
	}
	o.order(best.found)
}

// result is what the second scorer finds; patterns are ordered by fan and value.
type result struct {
	shape, ok    bool
	patterns     []string
	base, points int
	items        int
	flowerWin    bool
}

func (o *oracle) best(w *ruleset.Win) result {
	if w.Flags&(ruleset.FlagFlowerWin7|ruleset.FlagFlowerWin8) != 0 {
		return o.flowerWin(w)
	}
	var standard, special *layout
	for _, l := range o.layouts(w) {
		l.score()
		l.absorb()
		o.order(l.found)
		best := &special
		if l.form == "standard" {
			best = &standard
		}
		if *best == nil || o.better(l.found, (*best).found) {
			*best = &l
		}
	}
	if standard != nil {
		o.chicken(w, standard)
	}
	res := result{shape: true, ok: true, items: 1}
	var found []instance
	switch {
	case standard == nil && special == nil:
		return result{}
	case special == nil:
		found = standard.found
	case standard == nil:
		found = special.found
	case o.cfg.LikGuDouble == hktw.LikGuSum:
		found = slices.Concat(standard.found, slices.DeleteFunc(special.found, func(i instance) bool { return i.id == "base" }))
		if o.cfg.LikGuDoubleDealer {
			res.items = 2
		}
	case o.better(special.found, standard.found):
		found = special.found
	default:
		found = standard.found
	}
	orphans := special != nil && special.form == "orphans"
	if w.Flags&ruleset.FlagRobbingClosedKan != 0 && !orphans && o.cfg.RobClosedKan != ruleset.RobClosedAlways {
		res.ok = false
	}
	sum := total(found)
	if o.cfg.FanCap != ruleset.NoLimit {
		sum = min(sum, int(o.cfg.FanCap))
	}
	o.finish(w, &res, found, sum)
	return res
}

func (o *oracle) flowerWin(w *ruleset.Win) result {
	l := layout{oracle: o, win: w}
	l.add("base", o.cfg.FlowerWinBase)
	l.add("two_flower_sets", w.Flags&ruleset.FlagFlowerWin8 != 0)
	l.add("seven_rob_one", w.Flags&ruleset.FlagFlowerWin7 != 0)
	res := result{shape: true, ok: true, flowerWin: true}
	if o.cfg.FlowerWinDealer {
		res.items = 1
	}
	o.finish(w, &res, l.found, total(l.found))
	return res
}

// finish adds the dealer item and writes the fan down.
func (o *oracle) finish(w *ruleset.Win, res *result, found []instance, sum int) {
	res.ok = res.ok && sum >= o.cfg.MinWin
	res.base, res.points = sum, sum
	for _, i := range found {
		res.patterns = append(res.patterns, fmt.Sprint(i.id, " ", i.value))
	}
	if w.Dealer && o.exists("dealer") {
		item := o.value("dealer", false) + o.cfg.DealerItemStreak*int(w.Streak)
		for range res.items {
			res.patterns = append(res.patterns, fmt.Sprint("dealer ", item))
			res.points += item
		}
	}
	slices.Sort(res.patterns)
}

// layouts returns all readings of a hand.
func (o *oracle) layouts(w *ruleset.Win) []layout {
	var counts [34]int
	var tiles []int
	for k, n := range w.Hand.Counts() {
		counts[k] = int(n)
		for range n {
			tiles = append(tiles, k)
		}
	}
	inHand := len(tiles)
	var melds []unit
	for _, m := range w.Melds[:w.NumMelds] {
		u := unit{kind: int(m.Kind), called: m.Type != hand.ClosedKan, open: m.Type != hand.ClosedKan, added: m.Type == hand.AddedKan}
		switch m.Type {
		case hand.Chi:
			u.form = "chow"
		case hand.Pon:
			u.form = "pung"
		default:
			u.form = "kong"
		}
		melds = append(melds, u)
		tiles = append(tiles, u.tiles()...)
	}
	var found []layout
	for _, units := range split(counts) {
		if len(units)+len(melds) != 6 {
			continue
		}
		for i, u := range units {
			if !u.has(int(w.Tile)) {
				continue
			}
			units := slices.Concat(units, melds)
			if !w.SelfDraw && u.form != "pair" && o.cfg.DiscardOpensMeld {
				units[i].open = true
			}
			found = append(found, layout{oracle: o, win: w, form: "standard", units: units, won: i, tiles: tiles})
		}
	}
	special := func(form string, units []unit) {
		found = append(found, layout{oracle: o, win: w, form: form, units: units, won: -1, tiles: tiles})
	}
	if len(melds) == 0 && inHand == 17 {
		if units, ok := o.likGu(counts); ok && o.exists("lik_gu") {
			special("lik gu", units)
		}
		if o.isDisjoint(counts) && o.exists("sixteen_disjoint") {
			special("disjoint", nil)
		}
	}
	for _, extra := range o.extras(counts, melds, inHand) {
		if !o.exists("thirteen_orphans") {
			break
		}
		units := []unit{extra}
		for k := range 34 {
			if isOrphan(k) {
				units = append(units, unit{form: "single", kind: k})
			}
		}
		special("orphans", units)
	}
	return found
}

// likGu returns the groups of seven pairs and a triplet.
func (o *oracle) likGu(counts [34]int) (units []unit, ok bool) {
	triplets := 0
	for k, n := range counts {
		switch n {
		case 1:
			return nil, false
		case 2:
			units = append(units, unit{form: "pair", kind: k})
		case 3:
			triplets++
			units = append(units, unit{form: "pung", kind: k})
		case 4:
			if !o.cfg.LikGuQuads {
				return nil, false
			}
			units = append(units, unit{form: "pair", kind: k}, unit{form: "pair", kind: k})
		}
	}
	return units, triplets == 1
}

func (o *oracle) isDisjoint(counts [34]int) bool {
	doubled := 0
	for k, n := range counts {
		if n > 2 || isHonor(k) && n == 0 {
			return false
		}
		if n == 2 {
			doubled++
			if o.cfg.DisjointPair == hktw.DisjointHonor && !isHonor(k) {
				return false
			}
		}
	}
	for suit := range 3 {
		var ranks []int
		for r := range 9 {
			if counts[9*suit+r] > 0 {
				ranks = append(ranks, r)
			}
		}
		if len(ranks) != 3 || ranks[1]-ranks[0] < o.cfg.DisjointMinGap || ranks[2]-ranks[1] < o.cfg.DisjointMinGap {
			return false
		}
	}
	return doubled == 1
}

// extras returns the melds that may be the extra one of thirteen orphans.
func (o *oracle) extras(counts [34]int, melds []unit, inHand int) (found []unit) {
	for k := range 34 {
		if isOrphan(k) {
			if counts[k]--; counts[k] < 0 {
				return nil
			}
		}
	}
	doubled := func(counts [34]int) bool {
		left := 0
		for k, n := range counts {
			if n < 0 || n > 0 && !isOrphan(k) {
				return false
			}
			left += n
		}
		return left == 1
	}
	switch {
	case len(melds) == 1 && inHand == 14:
		m := melds[0]
		allowed := o.cfg.OrphansKong == hktw.OrphansKongAny || o.cfg.OrphansKong == hktw.OrphansKongConcealed && !m.open
		if m.form == "kong" && !m.added && allowed && doubled(counts) {
			found = append(found, m)
		}
	case len(melds) == 0 && inHand == 17:
		for k := range 34 {
			candidates := []unit{{form: "pung", kind: k}}
			if !isHonor(k) && rankOf(k) <= 7 {
				candidates = append(candidates, unit{form: "chow", kind: k})
			}
			for _, u := range candidates {
				rest := counts
				for _, t := range u.tiles() {
					rest[t]--
				}
				if doubled(rest) {
					found = append(found, u)
				}
			}
		}
	}
	return found
}

// split returns the ways to divide tiles into sets and one pair.
func split(counts [34]int) [][]unit {
	var all [][]unit
	for k := range counts {
		if counts[k] >= 2 {
			counts[k] -= 2
			for _, sets := range splitSets(counts) {
				all = append(all, append(sets, unit{form: "pair", kind: k}))
			}
			counts[k] += 2
		}
	}
	return all
}

func splitSets(counts [34]int) [][]unit {
	k := slices.IndexFunc(counts[:], func(n int) bool { return n > 0 })
	if k < 0 {
		return [][]unit{nil}
	}
	var all [][]unit
	take := func(u unit) {
		rest := counts
		for _, k := range u.tiles() {
			if rest[k]--; rest[k] < 0 {
				return
			}
		}
		for _, sets := range splitSets(rest) {
			all = append(all, append(sets, u))
		}
	}
	take(unit{form: "pung", kind: k})
	if !isHonor(k) && rankOf(k) <= 7 {
		take(unit{form: "chow", kind: k})
	}
	return all
}
