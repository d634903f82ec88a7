package sim

import (
	"fmt"
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// Redeal returns a determinization: a table that looks the same to the viewer but whose
// hidden tiles are sampled from seed. These are the other players' concealed tiles, the
// rest of the wall, and the indicators not yet turned. A search plays on from it. Redeal
// panics unless the viewer is one of the players asked at this decision point.
//
// Players who have declared ready get ready hands, if possible with no wait they have
// passed. If it finds no ready hand for a player in some thousand tries, all ready
// players keep their tiles.
//
// Redeal recomputes the private state of the others, such as furiten and legal actions,
// from the discards and the kans that were not robbed. It ignores wins declined by
// declaring a kan, and takes discards of hidden origin as tiles of the hand. Under pass_lock_set_by = "legal_win" it judges whether a past win was
// legal by the sampled hand and the present melds, flowers and visible tiles.
func (v View) Redeal(seed uint64) Table { return v.RedealWithOdds(nil, seed) }

// RedealWithOdds is Redeal with hands sampled by odds. With nil all consistent deals are
// equally likely, except for the hands of players who have declared ready.
// [belief.Estimator] estimates odds from the discards and calls of the others.
//
// [belief.Estimator]: https://pkg.go.dev/github.com/sparrowhall/sparrowhall/internal/insight/belief#Estimator
func (v View) RedealWithOdds(odds *Odds, seed uint64) (t Table) {
	if !v.RedealInto(&t, odds, seed) {
		v.redeal(&t, odds, seed, true)
	}
	return t
}

// RedealInto is RedealWithOdds into a table of the caller, for agents that search. It reports
// false, with dst half dealt, where RedealWithOdds would keep the tiles of ready players, which
// the viewer does not know. It does not allocate.
func (v View) RedealInto(dst *Table, odds *Odds, seed uint64) bool {
	// All who were asked count, and not those who must still answer: answers at one decision point
	// are hidden from each other.
	if !v.t.askedAll.Has(v.c) || v.t.asked == 0 {
		panic(fmt.Sprintf("sim: Redeal for player %d, who is not asked", v.p))
	}
	return v.redeal(dst, odds, seed, false)
}

// Reseed replaces the seed of the match for the walls of later hands and the random
// streams of the players, so that a search beyond the hand does not use the true ones.
func (t *Table) Reseed(seed uint64) {
	fresh := NewTable(t.rules, seed)
	t.seed, t.agent, t.streams = fresh.seed, fresh.agent, fresh.streams
}

// redeal is RedealInto that keeps the tiles of ready players if keepReady is set. It reports
// false if it finds no ready hand for one of them.
func (v View) redeal(t *Table, odds *Odds, seed uint64, keepReady bool) bool {
	*t = *v.t
	// What the viewer does not know may neither shape the deal nor be read from its table.
	for i := range t.log[:t.discards] {
		if e := &t.log[i]; e.marks&markHidden != 0 && e.chair != v.c {
			e.marks &^= markDrawn
		}
	}
	d := determinizer{t: t, rand: Stream{mix64(seed)}, odds: odds}
	if !d.deal(v.c, keepReady) {
		return false
	}
	// Locks first: whether a player is asked depends on the wins that he has passed.
	for c := range ruleset.Chair(NumPlayers) {
		if d.hidden[c] {
			t.rebuildLocks(c)
		}
	}
	t.rebuildClaims(v.c)
	return true
}

// determinizer samples the hidden tiles of a table.
type determinizer struct {
	t       *Table
	rand    Stream
	pool    [tile.NumFaces]uint8 // hidden tiles by face
	hidden  [NumPlayers]bool     // chairs whose tiles the viewer cannot see
	ready   [NumPlayers]bool     // chairs that get ready hands
	flowers [NumPlayers]int      // flowers dealt to each of them
	odds    *Odds                // nil if all deals are equally likely
	// handsByOdds are the tiles sampled by odds of those who are not ready, one hand after
	// another. The hand of a chair goes from firstByOdds on.
	handsByOdds [WallSize]tile.Face
	firstByOdds [NumPlayers]int
}

// deal samples all hidden tiles, those of players who have declared ready unless keepReady
// is set. It reports false, with the table half dealt, if it finds no ready hand for one of
// them.
func (d *determinizer) deal(viewer ruleset.Chair, keepReady bool) bool {
	// Who needs the rarest tiles is dealt first: kans need four of a kind, ready hands tiles
	// that fit, and the other hands and the wall take what is left.
	d.collect(viewer, keepReady)
	d.chooseReady()
	for c := range d.t.seats {
		if d.hidden[c] {
			d.dealKans(&d.t.seats[c])
		}
	}
	d.dealFlowers()
	for c := range ruleset.Chair(NumPlayers) {
		if d.ready[c] && !d.dealReadyHand(c) {
			if d.t.seats[c].isReady() {
				return false
			}
			d.ready[c] = false // only the odds took him for ready
		}
	}
	if d.odds != nil {
		d.dealHands()
	}
	for c := range ruleset.Chair(NumPlayers) {
		if d.hidden[c] && !d.ready[c] {
			d.dealHand(c)
		}
	}
	d.fillWall()
	return true
}

// chooseReady decides which of the players with hidden tiles get ready hands: those who
// have declared ready, and by the odds others, if their hand can be ready before a draw.
func (d *determinizer) chooseReady() {
	for c := range d.hidden {
		if d.ready[c] = d.hidden[c] && d.t.seats[c].isReady(); d.ready[c] || !d.hidden[c] || d.odds == nil {
			continue
		}
		// A hand that has just called and not discarded has a tile too many to be ready.
		n := d.handSize(ruleset.Chair(c))
		d.ready[c] = n%3 == 1 && d.rand.Below(OddsUnit) < int(d.odds.Ready[d.t.who[c]])
	}
}

// handSize returns the number of concealed tiles of chair c, flowers included, without a
// tile just drawn.
func (d *determinizer) handSize(c ruleset.Chair) int {
	s := &d.t.seats[c]
	n := s.hand.Len() + bits.OnesCount8(s.heldFlowers)
	if d.hasDrawn(c) {
		n--
	}
	return n
}

func (d *determinizer) hasDrawn(c ruleset.Chair) bool {
	return c == d.t.turn && d.t.drawn != tile.NoFace
}

// isReady reports whether the player has declared ready, including with the discard that
// may be claimed now.
func (s *seat) isReady() bool { return s.ready != NotReady || s.declaring != NotReady }

// collect puts the tiles that chair c cannot see into the pool, except those of ready
// players if keepReady is set.
func (d *determinizer) collect(c ruleset.Chair, keepReady bool) {
	t := d.t
	d.pool, d.hidden = [tile.NumFaces]uint8{}, [NumPlayers]bool{}
	for i := range t.rules.NumSeats() {
		// The hand of a player who has declared ready at an exhausted wall lies open.
		other := ruleset.Chair(i)
		if other == c || t.phase == PhaseDeclare && t.declared.Has(other) || keepReady && t.seats[i].isReady() {
			continue
		}
		d.hidden[other] = true
		s := &t.seats[other]
		for set := s.hand.Kinds(); set != 0; set = set.Rest() {
			d.addToPool(set.First(), s.hand.Count(set.First()), s.redsOf(set.First()))
		}
		for i := range s.melds[:s.numMelds] {
			if m := &s.melds[i]; t.isHiddenKan(m) {
				d.addToPool(m.Kind, 4, int(m.Reds))
			}
		}
		for i := range tile.NumFaces - tile.FirstFlower {
			d.pool[tile.FirstFlower+i] += s.heldFlowers >> i & 1
		}
	}
	for i := range t.wallEnd() {
		if t.wallHidden(i) {
			d.pool[t.wall[i]]++
		}
	}
}

// isHiddenKan reports whether only its owner knows the kind of a meld. A kan that may be
// robbed is not hidden.
func (t *Table) isHiddenKan(m *hand.Meld) bool {
	robbed := t.phase == PhaseRob && t.kanClosed && m.Kind == t.window.Kind()
	return m.Type == hand.ClosedKan && !t.rules.ClosedKanVisible && !robbed
}

// dealKans samples the kinds of hidden kans among the kinds of which no tile is known.
func (d *determinizer) dealKans(s *seat) {
	for i := range s.melds[:s.numMelds] {
		m := &s.melds[i]
		if !d.t.isHiddenKan(m) {
			continue
		}
		whole := d.countKinds()
		total := 0
		for k := range whole {
			whole[k] /= 4
			total += int(whole[k])
		}
		m.Kind = d.pick(&whole, total)
		m.Reds = 0
		for range 4 {
			if d.drawKind(m.Kind).IsRed() {
				m.Reds++
			}
		}
	}
}

func (s *seat) redsOf(k tile.Kind) int {
	if k.IsFive() {
		return int(s.reds[k.Suit()])
	}
	return 0
}

func (d *determinizer) addToPool(k tile.Kind, n, reds int) {
	d.pool[k] += uint8(n - reds)
	if reds > 0 {
		d.pool[tile.RedOf(k.Suit())] += uint8(reds)
	}
}

// dealFlowers samples how many of the hidden flowers each hand holds. Only tiles drawn
// after the opening and kept can be flowers, and none of a ready hand; the other hidden flowers
// are in the wall.
func (d *determinizer) dealFlowers() {
	t := d.t
	d.flowers = [NumPlayers]int{}
	if t.rules.Flowers != ruleset.OptionalFlowers {
		return
	}
	places := 0
	for i := range t.wallEnd() {
		if t.wallHidden(i) {
			places++
		}
	}
	var kept [NumPlayers]int
	for c := range kept {
		if s := &t.seats[c]; d.hidden[c] && !d.ready[c] {
			// More draws than tiles are possible: a kept tile may have left the hand in a meld or
			// by a later discard.
			kept[c] = s.hand.Len() + bits.OnesCount8(s.heldFlowers)
			if !t.rules.OriginHidden {
				kept[c] = min(kept[c], int(s.keptDraws))
			}
			places += kept[c]
		}
	}
	// Each hidden flower goes to one of the places where it may be, all equally likely. A
	// place in the wall needs no entry: fillWall puts the rest there.
	for range d.count(tile.FirstFlower, tile.NumFaces) {
		n := d.rand.Below(places)
		places--
		for c := range kept {
			if n < kept[c] {
				kept[c]--
				d.flowers[c]++
				break
			}
			n -= kept[c]
		}
	}
}

// count returns the number of tiles of the faces in [first, end) in the pool.
func (d *determinizer) count(first, end tile.Face) int {
	n := 0
	for _, c := range d.pool[first:end] {
		n += int(c)
	}
	return n
}

// draw removes a random tile of the faces in [first, end) from the pool.
func (d *determinizer) draw(first, end tile.Face) tile.Face {
	n := d.rand.Below(d.count(first, end))
	// Weighted by the copies left, so that all tiles and not all faces are equally likely.
	for f := first; f < end; f++ {
		if n < int(d.pool[f]) {
			d.pool[f]--
			return f
		}
		n -= int(d.pool[f])
	}
	panic("sim: redeal pool is out of step")
}

// drawKind removes a random tile of kind k, which the pool must hold.
func (d *determinizer) drawKind(k tile.Kind) tile.Face {
	f := tile.Face(k)
	if k.IsFive() {
		red := tile.RedOf(k.Suit())
		if d.rand.Below(int(d.pool[k]+d.pool[red])) < int(d.pool[red]) {
			f = red
		}
	}
	d.pool[f]--
	return f
}

func (d *determinizer) countKinds() (n [tile.NumKinds]uint8) {
	for f, c := range d.pool[:tile.FirstFlower] {
		n[tile.Face(f).Kind()] += c
	}
	return n
}

// dealReadyHand deals chair c a ready hand of as many tiles as it had. It reports false,
// with the hand as it was, if it finds none.
func (d *determinizer) dealReadyHand(c ruleset.Chair) bool {
	s := &d.t.seats[c]
	n, before := d.handSize(c), s.hand
	h, ok := d.readyHand(s, n)
	if !ok {
		s.hand = before
		return false
	}
	if d.odds != nil {
		d.resampleReadyHand(c, n, &h)
	}
	// The shape was found by kinds, with s.hand as scratch space, which takeHand clears. Now its
	// tiles leave the pool, and the red fives among them are drawn by their odds.
	d.takeHand(c)
	for set := h.Kinds(); set != 0; set = set.Rest() {
		for range h.Count(set.First()) {
			d.t.addTile(c, d.drawKind(set.First()))
		}
	}
	d.finishHand(c)
	return true
}

// dealHand deals chair c as many tiles as it had, the flowers of dealFlowers among them.
func (d *determinizer) dealHand(c ruleset.Chair) {
	n := d.handSize(c) - d.flowers[c]
	d.takeHand(c)
	for range d.flowers[c] {
		d.t.addTile(c, d.draw(tile.FirstFlower, tile.NumFaces))
	}
	for i := range n {
		var f tile.Face
		if d.odds != nil {
			f = d.handsByOdds[d.firstByOdds[c]+i]
		} else {
			f = d.draw(0, tile.FirstFlower)
		}
		d.t.addTile(c, f)
	}
	d.finishHand(c)
}

// takeHand takes the concealed tiles of chair c away.
func (d *determinizer) takeHand(c ruleset.Chair) {
	s := &d.t.seats[c]
	s.minShanten = 0 // no bound is known of the tiles to come
	s.hand, s.reds, s.heldFlowers = hand.Hand{}, [3]uint8{}, 0
}

// finishHand finds the waits of the hand dealt to chair c, and draws a tile for it if it
// had just drawn one.
func (d *determinizer) finishHand(c ruleset.Chair) {
	t := d.t
	// In this order: waits are those of the hand without the drawn tile.
	t.findWaits(&t.seats[c])
	// No flower: those are dealt by dealFlowers alone, and where players may keep flowers no other
	// player has a drawn tile while one is asked.
	if d.hasDrawn(c) {
		t.drawn = d.draw(0, tile.FirstFlower)
		t.addTile(c, t.drawn)
	}
}

// maxTries bounds the search for a ready hand. The first half looks for hands that have
// no wait they have passed.
const maxTries = 4000

// readyHand finds a ready hand of n tiles in the pool: random sets and a pair, less one
// tile.
func (d *determinizer) readyHand(s *seat, n int) (hand.Hand, bool) {
	t := d.t
	all := d.countKinds()
	passed := t.passedByReady(s)
	h := &s.hand // the player's tiles are about to be replaced
	for try := range maxTries {
		left := all
		*h = hand.Hand{}
		var whole bool
		// Seven pairs and the like are one try in sixteen. The rules have no part in the choice:
		// what they do not know has no waits.
		if s.numMelds == 0 && d.rand.Below(16) == 0 {
			whole = d.addAllPairs(h, &left, n+1)
		} else {
			whole = d.addSets(h, &left, (n-1)/3)
			whole = d.addPairs(h, &left, 1) && whole
		}
		if !whole {
			continue
		}
		// A complete hand less a tile waits for that tile at least, if the rules have its shape.
		// The removed tile comes from the pool, so a copy of the wait is not in the
		// player's own hand: the wait is live under all rules.
		h.Remove(d.pick(h.Counts(), n+1))
		w := t.rules.HandWaits(h, s.melds[:s.numMelds])
		if w != 0 && (try >= maxTries/2 || w&passed == 0) {
			return *h, true
		}
	}
	return hand.Hand{}, false
}

// pick returns a random kind weighted by its count; total is the sum of the counts.
func (d *determinizer) pick(counts *[tile.NumKinds]uint8, total int) tile.Kind {
	n := d.rand.Below(total)
	for k, c := range counts {
		if n < int(c) {
			return tile.Kind(k)
		}
		n -= int(c)
	}
	panic("sim: counts are out of step")
}

// addSets adds n random sets of the tiles left to h. It reports false, with h half
// filled, if the tiles do not suffice for a set.
func (d *determinizer) addSets(h *hand.Hand, left *[tile.NumKinds]uint8, n int) bool {
	total := 0
	for _, c := range left {
		total += int(c)
	}
	for range n {
		k := d.pick(left, total)
		kinds := [3]tile.Kind{k, k, k}
		// Four sets in five are runs, as in ready hands of play; the proposal need not be exact,
		// with odds it is resampled.
		if !k.IsHonor() && d.rand.Below(5) != 0 {
			// The run begins at the tile, or one or two below it, and is moved inside the suit at
			// its ends.
			rank := min(max(k.Rank()-d.rand.Below(3), 0), 6)
			low := k - tile.Kind(k.Rank()-rank)
			kinds = [3]tile.Kind{low, low + 1, low + 2}
		}
		if !addAll(h, left, kinds[:]) {
			return false
		}
		total -= 3
	}
	return true
}

// addPairs adds n random pairs of the tiles left to h. It reports false like addSets.
func (d *determinizer) addPairs(h *hand.Hand, left *[tile.NumKinds]uint8, n int) bool {
	for range n {
		k := tile.Kind(d.rand.Below(tile.NumKinds))
		// The next kind that has a pair, in place of a new draw: it ends whatever is left.
		for i := 0; left[k] < 2 && i < tile.NumKinds; i++ {
			k = (k + 1) % tile.NumKinds
		}
		if !addAll(h, left, []tile.Kind{k, k}) {
			return false
		}
	}
	return true
}

// addAllPairs adds n tiles in pairs, with one triplet if n is odd.
func (d *determinizer) addAllPairs(h *hand.Hand, left *[tile.NumKinds]uint8, n int) bool {
	if n%2 == 1 {
		k := tile.Kind(d.rand.Below(tile.NumKinds))
		if !addAll(h, left, []tile.Kind{k, k, k}) {
			return false
		}
		n -= 3
	}
	return d.addPairs(h, left, n/2)
}

// addAll moves tiles of the kinds from left to h, all or none.
func addAll(h *hand.Hand, left *[tile.NumKinds]uint8, kinds []tile.Kind) bool {
	// Tile by tile, since the same kind may be in the list several times.
	for i, k := range kinds {
		if left[k] == 0 {
			for _, back := range kinds[:i] {
				left[back]++
				h.Remove(back)
			}
			return false
		}
		left[k]--
		h.Add(k)
	}
	return true
}

// fillWall deals the rest of the pool to the hidden tiles of the wall.
func (d *determinizer) fillWall() {
	for i := range d.t.wallEnd() {
		if d.t.wallHidden(i) {
			d.t.wall[i] = d.draw(0, tile.NumFaces)
		}
	}
}

// wallEnd returns the number of tiles of the set.
func (t *Table) wallEnd() int { return SetSize(&t.rules.Flow) }

// wallHidden reports whether the tile at index i of the wall is still there and hidden.
func (t *Table) wallHidden(i int) bool {
	at, c := i, 0
	if t.rules.Walls == ruleset.WallPerSeat {
		at, c = i%seatWall, i/seatWall
	}
	// The last tile may have been drawn from a place behind the front; see frontPlace. Without a
	// dead wall it is then enough that none is left.
	if at < int(t.front[c]) || t.rules.DeadWall == 0 && t.left(ruleset.Chair(c)) == 0 {
		return false
	}
	for k := range int(t.taken) {
		if i == replacementPosition(t.rules.ReplacementOrder, t.wallEnd(), k) {
			return false
		}
	}
	for k := range int(t.indicators) {
		if i == IndicatorIndex(&t.rules.Flow, k) {
			return false
		}
	}
	return true
}

// passedByReady returns the kinds discarded or added to a pon since the player declared
// ready, for others since they last discarded a tile from the hand. A wait among them would
// have won.
func (t *Table) passedByReady(s *seat) tile.Set {
	var set tile.Set
	declared := s.isReady()
	for i := int(t.discards) - 1; i >= 0; i-- {
		e := t.log[i]
		own := &t.seats[e.chair] == s
		if own && !declared && e.marks&markDrawn == 0 {
			return set | t.robbableSince(i+1)
		}
		if !t.inWindow(i) {
			set |= e.face.Kind().Bit()
		}
		if own && e.marks&markReady != 0 {
			return set | t.robbableSince(i+1)
		}
	}
	return set
}

// robbableSince returns the kinds added to a pon, and North if one was set aside, after the
// given number of discards, where the rules let others win on them.
func (t *Table) robbableSince(discards int) (set tile.Set) {
	for c := range t.seats {
		s := &t.seats[c]
		for _, at := range s.northsAt[:s.norths] {
			if int(at) > discards && t.rules.RobKita == ruleset.RobKitaAlways {
				set |= tile.North.Bit()
			}
		}
		if !t.rules.RobAddedKan {
			continue
		}
		for i, m := range s.melds[:s.numMelds] {
			if m.Type == hand.AddedKan && int(s.kanAt[i]) > discards {
				set |= m.Kind.Bit()
			}
		}
	}
	return set
}

// inWindow reports whether discard i is the one that may be claimed now.
func (t *Table) inWindow(i int) bool { return t.phase == PhaseClaim && i == int(t.discards)-1 }

// rebuildClaims recomputes the legal actions of the players other than the viewer.
func (t *Table) rebuildClaims(viewer ruleset.Chair) {
	// The others may do what their new hands allow, and who is asked follows from that. What
	// the viewer may do depends on his own tiles, and he must stay asked.
	mine := t.legal[viewer]
	switch t.phase {
	case PhaseClaim:
		t.asked = 0
		t.askClaims()
	case PhaseRob:
		t.asked = 0
		t.askRob()
	case PhaseReady:
		t.asked = 0
		t.askReady()
	default:
		return
	}
	t.legal[viewer] = mine
	t.asked |= viewer.Bit()
	t.askedAll = t.asked
}
