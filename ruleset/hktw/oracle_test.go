package hktw_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/hktw"
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

// fan is a line of the published catalog.
type fan struct {
	id, native, name string
	open, concealed  int
	section          string
}

func readCatalog(t testing.TB) (list []fan) {
	t.Helper()
	for f := range rulestest.Table(t, "testdata/fans.tsv") {
		list = append(list, fan{f[0], f[1], f[2], f.Int(3), f.Int(4), f[5]})
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
			if l.cfg.ConcealedKongs == ruleset.KongsNone {
				return false
			}
		case hand.OpenKan:
			if l.cfg.ConcealedKongs != ruleset.KongsAny {
				return false
			}
		default:
			return false
		}
	}
	return true
}

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

// order sorts instances as the catalog does, concealed ones first.
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
