package cases_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/cases"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// A play is a hand as far as the circumstances of a win of one player depend on it. The oracle
// below searches all plays, step by step, and notes the wins on the way. It reads neither the table
// of flags nor any other part of package cases.
type play struct {
	phase phase
	turn  uint8 // the wind of the player whose turn or discard it is
	// discards are those of the hand, own those of the winner, both with a number for many.
	discards, claimed, own uint8
	called, broken         bool  // by a claim, and by what ends the opening
	others                 uint8 // the winds of those who have claimed or declared a kan
	dealerKan              bool
	melds                  [4]uint8 // the winner's chi or pon, open, added and closed kans
	ready, declaring       ruleset.Flags
	shot                   bool
	origin                 origin
	kans, tail             uint8 // replacements in one go
	last, late             bool  // the wall is empty, or may be
	replaced               bool  // the tile before the discard was a replacement
	flower, north          bool  // the winner has one
}

type phase uint8

const (
	drawn   phase = iota // the player has drawn
	claimed              // the player has claimed and discards
	thrown               // a discard lies open
)

type origin uint8

const (
	ofDeal origin = iota
	ofWall
	ofKan
	ofFlower
	ofNorth
)

// Numbers that stand for more.
const (
	manyDiscards = 5
	manyOwn      = 2
	mostMelds    = 2
)

// win is a win that a play reaches.
type win struct {
	selfDraw    bool
	from        uint8
	flags       ruleset.Flags
	melds       [4]uint8
	flower      bool
	north       bool
	tail, river uint8 // river is unknown for a hand of many discards
}

const unknown = 255

// shape is what a case states of a win most of all.
type shape struct {
	selfDraw bool
	melds    [4]uint8
}

// oracle is all wins that a player in a seat can reach under rules.
type oracle struct {
	r    *ruleset.Rules
	seat uint8
	seen map[play]bool
	wins map[shape]map[win]bool
	todo []play
}

func newOracle(r *ruleset.Rules, seat uint8) *oracle {
	o := &oracle{r: r, seat: seat, seen: map[play]bool{}, wins: map[shape]map[win]bool{}}
	first := play{}
	o.reach(first)
	for turn := range uint8(r.NumSeats()) { // dealt flowers
		o.flowerWins(play{turn: turn})
	}
	if r.Flowers != ruleset.NoFlowers && seat == 0 {
		first.origin, first.flower, first.tail = ofFlower, true, 1
		o.reach(first)
	}
	if r.Ready == ruleset.Ding && r.ReadyInitial {
		for _, shot := range []bool{false, true} {
			for _, p := range slices.Clone(o.todo) {
				p.ready, p.shot = ruleset.FlagReadyHeaven, shot && r.OneShot
				o.reach(p)
			}
		}
	}
	for len(o.todo) > 0 {
		p := o.todo[len(o.todo)-1]
		o.todo = o.todo[:len(o.todo)-1]
		o.step(p)
	}
	return o
}

func (o *oracle) reach(p play) {
	if !o.seen[p] {
		o.seen[p] = true
		o.todo = append(o.todo, p)
	}
}

func (o *oracle) step(p play) {
	own := p.turn == o.seat
	switch p.phase {
	case drawn:
		if own {
			o.note(p, true, p.drawFlags(o.r))
		}
		o.kansOf(p)
		o.discard(p)
	case claimed:
		o.discard(p)
	case thrown:
		o.afterDiscard(p)
	}
}

// note notes a win of the player.
func (o *oracle) note(p play, selfDraw bool, flags ruleset.Flags) {
	w := win{selfDraw: selfDraw, flags: flags | p.ready, melds: p.melds, flower: p.flower, north: p.north, tail: p.tail, river: unknown}
	if p.shot {
		w.flags |= ruleset.FlagIppatsu
	}
	if !selfDraw {
		w.from, w.tail = p.turn, 0
	}
	if p.discards < manyDiscards {
		w.river = p.discards
		if !o.r.WithinCountsClaimed {
			w.river -= p.claimed
		}
		if !selfDraw && p.phase == thrown && !o.r.WithinCountsWinning && w.river > 0 {
			w.river--
		}
	}
	at := shape{selfDraw, p.melds}
	if o.wins[at] == nil {
		o.wins[at] = map[win]bool{}
	}
	o.wins[at][w] = true
}

// drawFlags returns what a self-draw is: docs/scoring.md has the definitions.
func (p play) drawFlags(r *ruleset.Rules) (f ruleset.Flags) {
	switch p.origin {
	case ofKan:
		if f = ruleset.FlagAfterKan; p.kans > 1 {
			f |= ruleset.FlagAfterTwoKans
		}
	case ofFlower:
		f = ruleset.FlagAfterFlower
	case ofNorth:
		f = ruleset.FlagAfterKita
	}
	if p.last && (p.origin == ofWall || r.LastTileAfterKan) {
		f |= ruleset.FlagLastTile
	}
	dealer, opening := p.turn == 0, !p.broken && p.own == 0
	switch r.FirstWins {
	case ruleset.FirstTurnWins:
		if opening && dealer {
			f |= ruleset.FlagHeavenly
		} else if opening {
			f |= ruleset.FlagEarthly
		}
	case ruleset.DealtWins:
		if p.discards == 0 && !(r.BlessingsVoid && p.dealerKan) {
			f |= ruleset.FlagHeavenly
		}
	case ruleset.GoAroundWins:
		switch {
		case opening && dealer:
			f |= ruleset.FlagHeavenly
		case opening && r.EarthlyScope == ruleset.EarthlyFirstDraw:
			f |= ruleset.FlagEarthly
		case opening:
			f |= ruleset.FlagHuman
		}
	}
	return f
}

func (o *oracle) discardFlags(p play) (f ruleset.Flags) {
	r := o.r
	if p.last && (!p.replaced || r.LastDiscardAfterKan) {
		f = ruleset.FlagLastTile
	}
	switch r.FirstWins {
	case ruleset.FirstTurnWins:
		if !p.broken && p.own == 0 && o.seat != 0 {
			f |= ruleset.FlagHuman
		}
	case ruleset.DealtWins:
		if p.discards == 1 && !(r.BlessingsVoid && p.dealerKan) {
			f |= ruleset.FlagEarthly
		}
		if !p.broken && p.own == 0 && o.seat != 0 { // of no value
			f |= ruleset.FlagHuman
		}
	case ruleset.GoAroundWins:
		switch {
		case p.broken:
		case r.EarthlyScope == ruleset.EarthlyDealerDiscard && p.discards == 1:
			f |= ruleset.FlagEarthly
		case p.discards <= 4:
			f |= ruleset.FlagHuman
		}
	}
	return f
}

// kansOf declares kans and sets Norths aside in the turn of a player who has drawn.
func (o *oracle) kansOf(p play) {
	r, own := o.r, p.turn == o.seat
	if p.last { // every preset needs a tile to replace
		return
	}
	if !own {
		if r.RobClosedKan != ruleset.RobClosedNever {
			o.note(p, false, ruleset.FlagRobbingClosedKan)
		}
		if p.called && r.RobAddedKan {
			o.note(p, false, ruleset.FlagRobbingKan)
		}
		if r.Kita != ruleset.NoKita && r.RobKita != ruleset.RobKitaNever {
			o.note(p, false, ruleset.FlagRobbingKita)
		}
	}
	kan := p
	kan.broken, kan.shot, kan.origin, kan.replaced = true, false, ofKan, true
	kan.others |= 1 << p.turn
	kan.dealerKan = p.dealerKan || p.turn == 0
	kan.kans, kan.tail = min(p.kans+1, 2), min(p.tail+1, 4)
	if !own {
		kan.kans, kan.tail = 0, 0
		o.draws(kan)
	} else if p.ready == 0 || r.ReadyKan != ruleset.ReadyKanNever {
		if p.count() < mostMelds {
			closed := kan
			closed.melds[3]++
			o.draws(closed)
		}
		if p.melds[0] > 0 && p.ready == 0 {
			added := kan
			added.melds[0]--
			added.melds[2]++
			o.draws(added)
		}
	}
	if r.Kita != ruleset.NoKita {
		kita := p
		kita.origin, kita.replaced = ofNorth, true
		kita.broken = kita.broken || r.KitaEndsFirstTurn
		kita.shot = kita.shot && !r.KitaEndsOneShot
		kita.north = kita.north || own
		o.draws(kita)
	}
}

func (p play) count() (n uint8) { return p.melds[0] + p.melds[1] + p.melds[2] + p.melds[3] }

// draws draws a tile from where the origin says, the last one or not, a flower first or not.
func (o *oracle) draws(p play) {
	p.phase = drawn
	for _, last := range []bool{false, p.late} {
		p.last = last
		o.reach(p)
	}
	for range 4 { // flowers one after another
		if p.last = false; o.r.Flowers == ruleset.NoFlowers {
			return
		}
		p.origin, p.replaced = ofFlower, true
		if p.turn == o.seat {
			p.flower, p.tail = true, min(p.tail+1, 4)
		}
		o.flowerWins(p)
		for _, last := range []bool{false, p.late} {
			p.last = last
			o.reach(p)
		}
	}
}

// flowerWins notes wins when a player has laid a flower aside: by seven or eight of one's own, or by
// seven when another has the eighth.
func (o *oracle) flowerWins(p play) {
	r, own := o.r, p.turn == o.seat
	p.flower = true
	if own && r.FlowerWinEight {
		o.note(p, true, ruleset.FlagFlowerWin8)
	}
	if own && r.FlowerDrawSeven {
		o.note(p, true, ruleset.FlagFlowerWin7)
	}
	for holder := range uint8(r.NumSeats()) {
		if holder != o.seat && (own || holder == p.turn) && r.FlowerWinSeven {
			p.turn = holder
			o.note(p, false, ruleset.FlagFlowerWin7)
		}
	}
}

// discard discards, with or without a declaration of the player.
func (o *oracle) discard(p play) {
	declares := ruleset.Flags(0)
	if p.turn == o.seat {
		declares = o.tier(p)
	}
	p.phase, p.discards = thrown, min(p.discards+1, manyDiscards)
	if p.turn == o.seat {
		p.own, p.shot = min(p.own+1, manyOwn), false
	}
	p.kans, p.tail, p.origin = 0, 0, ofDeal
	o.reach(p)
	if p.declaring = declares; declares != 0 {
		o.reach(p)
	}
}

// tier returns the declaration that the player can make with a discard, 0 if there is none.
func (o *oracle) tier(p play) ruleset.Flags {
	r := o.r
	open := p.melds[0]+p.melds[1]+p.melds[2] > 0
	first, dealer := p.own == 0, p.turn == 0
	switch {
	case p.ready != 0 || p.declaring != 0, r.Ready == ruleset.NoReady, open && r.ReadyClosedOnly, p.last && r.Ready == ruleset.Riichi:
		return 0
	case r.Ready == ruleset.Riichi:
		if first && (!p.broken || !r.DoubleRiichiKan && !p.called) {
			return ruleset.FlagDoubleRiichi
		}
		return ruleset.FlagRiichi
	}
	within := cmp.Or(r.ReadyWithin, 8) // a case may price it where the ruleset does not (tw-053)
	early := !p.broken && int(p.discards) < within
	switch r.ReadyTiers {
	case ruleset.LeagueTiers:
		switch {
		case !first:
		case !p.broken && dealer && p.origin != ofDeal: // if it is the tile drawn
			return ruleset.FlagReadyHeaven
		case !p.broken:
			return ruleset.FlagReadyEarth
		case p.others&^(1<<p.turn) == 0 && p.discards < 4:
			return ruleset.FlagReadyHuman
		}
	case ruleset.UncalledTiers, ruleset.FirstDiscardTiers:
		if first && (!p.broken || r.ReadyTiers == ruleset.FirstDiscardTiers) {
			if dealer {
				return ruleset.FlagReadyHeaven
			}
			return ruleset.FlagReadyEarth
		}
	}
	if early && r.ReadyTiers != ruleset.LeagueTiers {
		return ruleset.FlagReadyHuman
	}
	return ruleset.FlagReady
}

// afterDiscard lets the player win, claims for any player, and goes on.
func (o *oracle) afterDiscard(p play) {
	r, seats := o.r, uint8(o.r.NumSeats())
	if p.turn != o.seat {
		o.note(p, false, o.discardFlags(p))
	}
	if p.declaring != 0 {
		p.ready, p.declaring, p.shot = p.declaring, 0, r.OneShot
	}
	if p.last {
		return
	}
	for claimer := range seats {
		if claimer == p.turn || claimer == o.seat && (p.ready != 0 || p.count() == mostMelds) {
			continue
		}
		c := p
		c.called, c.broken, c.shot, c.turn, c.phase, c.replaced = true, true, false, claimer, claimed, false
		c.claimed++
		c.others |= 1 << claimer
		if claimer == o.seat {
			c.melds[0]++
		}
		if c.claimed = min(c.claimed, c.discards); c.discards == manyDiscards {
			c.claimed = 0
		}
		o.reach(c)
		k := c
		k.origin, k.replaced = ofKan, true
		if claimer == o.seat {
			k.melds[0]--
			k.melds[1]++
			k.kans, k.tail = 1, 1
		}
		o.draws(k)
	}
	next := p
	next.turn, next.origin, next.replaced = (p.turn+1)%seats, ofWall, false
	o.draws(next)
	// Much later all have discarded, and a one-shot is over.
	for turn := range seats {
		later := p
		later.turn, later.discards, later.own, later.claimed, later.shot = turn, manyDiscards, manyOwn, 0, false
		later.origin, later.replaced, later.late = ofWall, false, true
		o.draws(later)
	}
}

// situation is a case as far as flags can contradict it.
type situation struct {
	flags          []string
	selfDraw       bool
	seat, from     uint8
	stated         bool // from is
	melds          [4]uint8
	flowers, kita  int
	river, tail    int // -1 if they are not stated
	deposits       int // likewise
	copies, hidden int // of the winning tile besides it, and those that others do not see
	flowerWin      bool
}

// flagBits are the flags of plays by their words.
var flagBits = map[string]ruleset.Flags{
	"riichi": ruleset.FlagRiichi, "double_riichi": ruleset.FlagDoubleRiichi, "ippatsu": ruleset.FlagIppatsu, "ready": ruleset.FlagReady,
	"ready_human": ruleset.FlagReadyHuman, "ready_early": ruleset.FlagReadyHuman, "ready_earth": ruleset.FlagReadyEarth,
	"ready_heaven": ruleset.FlagReadyHeaven, "last_tile": ruleset.FlagLastTile, "after_kan": ruleset.FlagAfterKan,
	"after_two_kans": ruleset.FlagAfterTwoKans, "after_flower": ruleset.FlagAfterFlower, "after_kita": ruleset.FlagAfterKita,
	"robbing_kita": ruleset.FlagRobbingKita, "robbing_kan": ruleset.FlagRobbingKan, "robbing_closed_kan": ruleset.FlagRobbingClosedKan,
	"heavenly": ruleset.FlagHeavenly, "earthly": ruleset.FlagEarthly, "human": ruleset.FlagHuman,
	"flower_win_7": ruleset.FlagFlowerWin7, "flower_win_8": ruleset.FlagFlowerWin8,
}

const byFlowers = ruleset.FlagFlowerWin7 | ruleset.FlagFlowerWin8

// possible reports whether some play reaches the situation.
func (o *oracle) possible(s *situation) bool {
	has := func(word string) bool { return slices.Contains(s.flags, word) }
	want := ruleset.Flags(0)
	for _, word := range s.flags {
		want |= flagBits[word]
	}
	// Flowers win without a tile, and nothing else does.
	needs := map[ruleset.Flags]int{0: s.flowers, ruleset.FlagFlowerWin7: 7, ruleset.FlagFlowerWin8: 8}
	if n, ok := needs[want&byFlowers]; !ok || n != s.flowers || s.flowerWin != (want&byFlowers != 0) ||
		s.flowerWin && slices.ContainsFunc(s.flags, func(word string) bool { return flagBits[word] == 0 }) {
		return false
	}
	// One player may hold only so many copies of a tile that the flag puts elsewhere.
	switch {
	case (has("robbing_kan") || has("robbing_closed_kan")) && s.copies > 0,
		has("sole_live") && o.r.TrueLast == ruleset.RiversOnly && s.copies > 0,
		(has("last_copy") || has("sole_live")) && o.r.TrueLast != ruleset.RiversOnly && s.hidden > 0 && !has("robbing_kan"):
		return false
	}
	// Several winners share a tile that another player gives.
	if shared := has("double_win") || has("triple_win"); shared && (s.selfDraw || o.r.MultiWin == ruleset.WinNearest || has("double_win") && has("triple_win")) ||
		has("triple_win") && (o.r.NumSeats() < 4 || o.r.MultiWin != ruleset.WinAll) {
		return false
	}
	if (has("riichi") || has("double_riichi")) && o.r.RiichiStick > 0 && s.deposits == 0 {
		return false
	}
	for w := range o.wins[shape{s.selfDraw, s.melds}] {
		switch {
		case s.stated && !w.selfDraw && w.from != s.from, w.flags&want != want, w.flags&byFlowers != want&byFlowers,
			w.flower && s.flowers == 0, w.north != (s.kita > 0),
			s.river >= 0 && w.river != unknown && int(w.river) != s.river,
			s.river >= 0 && s.river < 5 && w.river == unknown && w.flags&ruleset.FlagLastTile != 0,
			s.tail >= 0 && (int(w.tail) != s.tail && !(w.tail == 4 && s.tail >= 4) || w.flags&(ruleset.FlagAfterKan|ruleset.FlagAfterFlower) == 0):
			continue
		}
		return true
	}
	return false
}

// line writes the situation as a case with a hand that wins, tiles of which are chosen at random. It
// is empty where the tiles do not suffice.
func (s *situation) line(r *ruleset.Rules, random *rand.Rand) string {
	var left [tile.NumKinds]int
	for k := range left {
		if r.HasKind(tile.Kind(k)) {
			left[k] = 4
		}
	}
	left[tile.North] -= s.kita
	text := func(kinds ...int) (all string) {
		for _, k := range kinds {
			left[k]--
			all += tile.Face(k).String()
		}
		return all
	}
	set := func(size int) []int { // a pon or kan, or for 1 a sequence
		for range 200 {
			k := random.IntN(tile.NumKinds)
			if size > 1 && left[k] >= size {
				return slices.Repeat([]int{k}, size)
			}
			if size == 1 && k < int(tile.East) && k%9 < 7 && min(left[k], left[k+1], left[k+2]) > 0 {
				return []int{k, k + 1, k + 2}
			}
		}
		return nil
	}
	var melds []string
	for i, n := range s.melds {
		for range n {
			name, size := [...]string{"pon", "open_kan", "added_kan", "closed_kan"}[i], 4
			if i == 0 {
				size = 3
			}
			kinds := set(size)
			if kinds == nil {
				return ""
			}
			melds = append(melds, fmt.Sprintf(`{"type":%q,"tiles":%q}`, name, text(kinds...)))
		}
	}
	var held []int
	take := func(kinds []int) bool {
		held = append(held, kinds...)
		text(kinds...)
		return kinds != nil
	}
	for n := int(s.melds[0] + s.melds[1] + s.melds[2] + s.melds[3]); n < r.HandSize/3; n++ {
		size := 1
		if random.IntN(4) == 0 {
			size = 3
		}
		if !take(set(size)) {
			return ""
		}
	}
	if !take(set(2)) {
		return ""
	}
	win := ""
	if !s.flowerWin {
		i := random.IntN(len(held))
		s.copies, s.hidden = 4-left[held[i]]-1, 0
		if held[i] == int(tile.North) {
			s.copies -= s.kita
		}
		win = tile.Face(held[i]).String()
		for j, k := range held {
			if j != i && k == held[i] {
				s.hidden++
			}
		}
		held = slices.Delete(held, i, i+1)
	} else {
		held = held[1:]
	}
	concealed := ""
	for _, k := range held {
		concealed += tile.Face(k).String()
	}
	flags := append([]string{}, s.flags...)
	if s.river >= 0 {
		flags = append(flags, fmt.Sprintf("river:%d", s.river))
	}
	if s.tail >= 0 {
		flags = append(flags, fmt.Sprintf("tail_draws:%d", s.tail))
	}
	quoted, _ := json.Marshal(flags)
	all := fmt.Sprintf(`{"concealed":%q,"melds":[%s],"win_tile":%q,"self_draw":%t,"seat":%q,"round":"E","flags":%s`,
		concealed, strings.Join(melds, ","), win, s.selfDraw, tile.Wind(s.seat), quoted)
	if s.stated && !s.selfDraw {
		all += fmt.Sprintf(`,"from":%q`, tile.Wind(s.from))
	}
	if s.flowers > 0 {
		all += fmt.Sprintf(`,"flowers":%q`, "12345678"[:s.flowers]+"f")
	}
	if s.kita > 0 {
		all += fmt.Sprintf(`,"kita":%d`, s.kita)
	}
	if s.deposits >= 0 {
		all += fmt.Sprintf(`,"deposits":%d`, s.deposits)
	}
	return all + "}"
}

// chance returns a random situation without flags.
func chance(r *ruleset.Rules, random *rand.Rand) situation {
	seats := r.NumSeats()
	s := situation{seat: uint8(random.IntN(seats)), selfDraw: random.IntN(2) == 0, river: -1, tail: -1, deposits: -1}
	s.from, s.stated = uint8((int(s.seat)+1+random.IntN(seats-1))%seats), random.IntN(3) > 0
	for range random.IntN(mostMelds + 1) {
		s.melds[random.IntN(4)]++
	}
	if r.Flowers != ruleset.NoFlowers {
		s.flowers = random.IntN(3)
	}
	if r.Kita != ruleset.NoKita {
		s.kita = random.IntN(3)
	}
	return s
}

// changes are the members of a case that change, each to a random value.
var changes = []struct {
	name   string
	change func(s *situation, r *ruleset.Rules, random *rand.Rand)
}{
	{"self_draw", func(s *situation, _ *ruleset.Rules, _ *rand.Rand) { s.selfDraw = !s.selfDraw }},
	{"seat", func(s *situation, r *ruleset.Rules, random *rand.Rand) {
		s.seat = uint8(random.IntN(r.NumSeats()))
		s.from = uint8((int(s.seat) + 1 + random.IntN(r.NumSeats()-1)) % r.NumSeats())
	}},
	{"from", func(s *situation, r *ruleset.Rules, random *rand.Rand) {
		s.stated, s.from = true, uint8((int(s.seat)+1+random.IntN(r.NumSeats()-1))%r.NumSeats())
	}},
	{"melds", func(s *situation, _ *ruleset.Rules, random *rand.Rand) {
		s.melds = [4]uint8{}
		for range random.IntN(mostMelds + 1) {
			s.melds[random.IntN(4)]++
		}
	}},
	{"flowers", func(s *situation, r *ruleset.Rules, random *rand.Rand) {
		if r.Flowers != ruleset.NoFlowers {
			s.flowers = random.IntN(9)
		}
	}},
	{"win_tile", func(s *situation, _ *ruleset.Rules, _ *rand.Rand) { s.flowerWin = !s.flowerWin }},
	{"kita", func(s *situation, r *ruleset.Rules, random *rand.Rand) {
		if r.Kita != ruleset.NoKita {
			s.kita = random.IntN(3)
		}
	}},
	{"deposits", func(s *situation, r *ruleset.Rules, random *rand.Rand) {
		if r.Traits.TakesCaseWord("deposits") {
			s.deposits = random.IntN(3)
		}
	}},
	{"river", func(s *situation, r *ruleset.Rules, random *rand.Rand) {
		if r.Traits.TakesCaseWord("river") {
			s.river = random.IntN(12)
		}
	}},
	{"tail_draws", func(s *situation, r *ruleset.Rules, random *rand.Rand) {
		if r.Traits.TakesCaseWord("tail_draws") {
			s.tail = random.IntN(4)
		}
	}},
	{"tiles", func(*situation, *ruleset.Rules, *rand.Rand) {}}, // line chooses others
}

// TestOracle makes situations that no play reaches: with each flag every member is changed, and every
// other flag is added. All are refused, while the same situation without the flags is accepted.
func TestOracle(t *testing.T) {
	for _, preset := range configs.Names() {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			r, err := configs.LoadWith(preset, nil)
			if err != nil {
				t.Fatal(err)
			}
			contradict(t, r)
		})
	}
}

func contradict(t *testing.T, r *ruleset.Rules) {
	const each = 10 // contradictions of a pair
	takes := func(word string) bool {
		return r.Traits.TakesCaseWord(word) || slices.Contains([]string{"last_tile", "after_kan", "robbing_kan", "robbing_closed_kan"}, word)
	}
	words := slices.DeleteFunc(append(slices.Sorted(maps.Keys(flagBits)), "last_copy", "sole_live", "double_win", "triple_win"),
		func(word string) bool { return !takes(word) })
	oracles := make([]*oracle, r.NumSeats())
	for seat := range oracles {
		oracles[seat] = newOracle(r, uint8(seat))
	}
	random := rand.New(rand.NewPCG(1, 1))
	score := func(line string) (string, bool) {
		answer, ok := cases.Score([]byte(line), r.Name, func(string, map[string]any) (*ruleset.Rules, error) { return r, nil })
		return string(answer), ok
	}
	pairs, whole, total := 0, 0, 0
	pair := func(name string, flags []string, change func(*situation, *ruleset.Rules, *rand.Rand)) {
		found := 0
		for tries := 0; tries < 300 && found < each; tries++ {
			s := chance(r, random)
			s.flags = flags
			for _, word := range flags {
				if flagBits[word]&byFlowers != 0 {
					s.flowerWin, s.flowers = true, int(word[len(word)-1]-'0')
				}
			}
			change(&s, r, random)
			line := s.line(r, random)
			if line == "" || oracles[s.seat].possible(&s) {
				continue
			}
			s.flags, s.tail, s.river, s.flowerWin = nil, -1, -1, false
			plain := s.line(r, random)
			if _, ok := score(plain); plain == "" || !ok {
				continue
			}
			if answer, ok := score(line); ok {
				t.Errorf("%s: no play reaches %s, but the answer is %s", name, line, answer)
				return
			}
			found++
		}
		total += found
		if pairs++; found == each || found == 0 {
			whole++
		}
	}
	for i, word := range words {
		for _, c := range changes {
			pair(word+" and "+c.name, []string{word}, c.change)
		}
		for _, other := range words[i+1:] {
			pair(word+" and "+other, []string{word, other}, func(*situation, *ruleset.Rules, *rand.Rand) {})
			for _, third := range words[min(i+2, len(words)):] {
				if third > other {
					pair(word+", "+other+" and "+third, []string{word, other, third}, func(*situation, *ruleset.Rules, *rand.Rand) {})
				}
			}
		}
	}
	// Of a pair that cannot contradict there are none.
	if total < 5*pairs || whole != pairs {
		t.Errorf("%d contradictions; of %d pairs there are %d or none in %d", total, pairs, each, whole)
	}
}
