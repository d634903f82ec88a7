package record

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/tile"
	"github.com/jansou/jansou/sim"
)

// Difference is a place where a record and the table, playing by some rules, are
// not of one mind.
type Difference struct {
	// Hand is the number of the hand in the match, from 0; it is -1 where the
	// match as a whole is meant.
	Hand int
	// Place is where in the file, such as "line 12", empty where no place is
	// meant.
	Place   string
	Message string
	// Cut tells that nothing is wrong but that the record is of a part of the
	// match: it begins or ends in its midst.
	Cut bool
	// Note tells that it is no difference, but something to know: what the record
	// does not tell, or tells in another way.
	Note bool
}

// Partial reports whether differences are only those of a record of a part of a
// match, or notes.
func Partial(list []Difference) bool {
	return !slices.ContainsFunc(list, func(d Difference) bool { return !d.Cut && !d.Note })
}

// Whole reports whether there are no differences but notes.
func Whole(list []Difference) bool {
	return !slices.ContainsFunc(list, func(d Difference) bool { return !d.Note })
}

// Replay plays a recorded match at a table, answering as the record tells, and
// returns where they differ: an illegal action, another event, other walls,
// patterns, values, payments or points, another end of the hand or match. A hand
// that cannot be played on is left there; the next one is played from where the
// record says it begins.
//
// If nothing differs (see [Whole]), or nothing but that the record is of a part of
// the match (see [Partial]), m becomes the match, or the part: with its walls, its actions
// and the lists that m.Keep names. Every answer that the record does not show is a
// pass.
func Replay(r *ruleset.Rules, g *Game, m *sim.Match) []Difference {
	c := &checker{rules: r, game: g, table: sim.NewTable(r, m.Seed)}
	m.RoundWind = 0
	if g.RoundWind != nil {
		m.RoundWind = *g.RoundWind
	}
	c.table.SetRoundWind(m.RoundWind)
	for i := range g.Hands {
		c.hand = i
		if !c.playOne(&g.Hands[i]) && c.forfeited == 0 {
			return c.differences
		}
	}
	if c.forfeited == 0 {
		c.end()
	}
	if !Partial(c.differences) || len(c.walls) == 0 {
		return c.differences
	}
	m.Walls, m.Start = c.walls, c.start
	if err := m.Replay(r, c.actions, c.forfeited); err != nil {
		c.differ(0, "%v", err)
	} else if c.forfeited != 0 {
		c.comparePoints(m.Final.Points)
	}
	return c.differences
}

// UnknownEnd is the Detail of an EvAbort in a record that does not tell whether
// the hand was aborted, and why, or the wall was exhausted.
const UnknownEnd = 0xff

// checker plays a record.
type checker struct {
	rules       *ruleset.Rules
	game        *Game
	table       sim.Table
	actions     []sim.Action
	walls       []sim.Wall
	differences []Difference
	// start is where the record begins, nil if it is the beginning of the match.
	start *sim.Standing
	// lost tells that the hand before was left in its midst.
	lost bool
	// forfeited is who ended the match by a fault.
	forfeited sim.Players
	// taken tells that a discard of the hand was taken for one of the drawn tile.
	taken bool

	// The hand being played.
	hand   int
	record *Hand
	// told is the events of the record but for the dora indicators, which are in
	// doras; next and turned count those that the table has made.
	told   []Event
	next   int
	doras  []Event
	turned int
	// astray tells that an indicator differs, so that those after it say nothing.
	astray bool
	dealt  [sim.NumPlayers][]tile.Face
	values []ruleset.Value
	ura    [][]tile.Face
	paid   [sim.NumPlayers]int32
	events []sim.Event
	over   bool
	triple bool // three players win on the tile in the window
}

func (c *checker) differ(at int, format string, args ...any) {
	d := Difference{Hand: c.hand, Message: fmt.Sprintf(format, args...)}
	if at > 0 {
		d.Place = fmt.Sprintf("%s %d", c.game.Unit, at)
	}
	c.differences = append(c.differences, d)
}

// cut notes that the record is of a part of the match.
func (c *checker) cut(at int, format string, args ...any) {
	c.differ(at, format, args...)
	c.differences[len(c.differences)-1].Cut = true
}

// progress is what a hand changes of a checker.
type progress struct {
	table                       sim.Table
	actions, walls, differences int
	start                       *sim.Standing
	lost                        bool
}

func (c *checker) save() progress {
	return progress{c.table, len(c.actions), len(c.walls), len(c.differences), c.start, c.lost}
}

func (c *checker) restore(p *progress) {
	c.table, c.start, c.lost = p.table, p.start, p.lost
	c.actions, c.walls, c.differences = c.actions[:p.actions], c.walls[:p.walls], c.differences[:p.differences]
}

// playOne plays a hand in the first of the ways it may have gone in which nothing
// differs, or else in the first of all, and reports whether the next one can be
// played. Of a second way it is noted that the record does not tell the two apart.
func (c *checker) playOne(h *Hand) bool {
	if h.Others == nil {
		return c.playHand(h)
	}
	before := c.save()
	ways := append([][]Event{h.Events}, h.Others...)
	way := *h
	right, other := -1, -1
	for i, events := range ways {
		c.restore(&before)
		way.Events = events
		c.playHand(&way)
		if !Partial(c.differences[before.differences:]) {
			continue
		}
		if right >= 0 {
			other = i
			break
		}
		right = i
	}
	c.restore(&before)
	way.Events = ways[max(right, 0)]
	goesOn := c.playHand(&way)
	if other >= 0 {
		n := 0
		for ways[right][n].Event == ways[other][n].Event {
			n++
		}
		c.differ(h.At, "the record does not tell whether %s or %s; the first is taken",
			describe(ways[right][n].Event), describe(ways[other][n].Event))
		c.differences[len(c.differences)-1].Note = true
	}
	return goesOn
}

// playHand plays a hand and reports whether the next one can be played.
func (c *checker) playHand(h *Hand) bool {
	c.record = h
	c.told, c.doras, c.next, c.turned = nil, nil, 0, 0
	for _, e := range h.Events {
		if e.Type == sim.EvIndicator {
			c.doras = append(c.doras, e)
		} else {
			c.told = append(c.told, e)
		}
	}
	c.values, c.ura, c.paid, c.over = c.values[:0], nil, [sim.NumPlayers]int32{}, false
	c.dealt, c.astray = [sim.NumPlayers][]tile.Face{}, false
	if !c.begin(h) {
		return false
	}
	if h.Contradiction != "" {
		c.differ(h.At, "%s", h.Contradiction)
	}
	standing := c.table.Standing()
	wall := h.Wall
	if wall != nil && wall.Unknown(&c.rules.Flow) >= 0 {
		c.differ(h.At, "the wall of the record is not of the tiles of %s", c.rules.Name)
		return c.leave()
	}
	if wall == nil {
		var err error
		if wall, err = rebuildWall(c.rules, h, &standing); err != nil {
			c.differ(h.At, "the tiles of the hand do not fit: %v", err)
			return c.leave()
		}
	}
	c.walls = append(c.walls, *wall)
	c.events = c.table.StartHandFrom(wall, c.events[:0])
	for c.follow() && !c.over {
		if !c.answer() {
			return c.leave()
		}
	}
	if !c.over {
		return c.leave()
	}
	if c.forfeited != 0 {
		return false
	}
	c.compareEnd(h)
	c.chooseBetween()
	return true
}

// begin sets up the table for the hand.
func (c *checker) begin(h *Hand) bool {
	over := c.table.Over()
	if over {
		c.differ(h.At, "by the rules the match is over after hand %d; the record goes on", c.hand-1)
	}
	lost := over || c.lost
	c.lost = false
	if h.Start == nil {
		return !lost
	}
	want := *h.Start
	if !lost {
		is := c.table.Standing()
		is.DealIndex, is.Hands = want.DealIndex, want.Hands // which no record tells
		if is == want {
			return true
		}
		if c.hand == 0 && (want.Round > 0 || want.Dealer != is.Dealer || want.Counter > 0 || want.Deposits > 0) {
			c.cut(h.At, "the record begins in the midst of the match, at %s", c.standing(&want))
			c.start = &want
		} else {
			c.differ(h.At, "the hand begins at %s, by the rules at %s", c.standing(&want), c.standing(&is))
		}
	}
	t, err := sim.NewTableAt(c.rules, 0, want)
	if err != nil {
		c.differ(h.At, "%v", err)
		return false
	}
	c.table = t
	if c.game.RoundWind != nil {
		c.table.SetRoundWind(*c.game.RoundWind)
	}
	return true
}

// leave gives up the hand and reports whether the record says where the next one
// begins.
func (c *checker) leave() bool {
	c.lost = true
	return c.hand+1 < len(c.game.Hands) && c.game.Hands[c.hand+1].Start != nil
}

func (c *checker) standing(s *sim.Standing) string {
	return fmt.Sprintf("round %v, dealer %d, counter %d, deposits %d, points %s",
		tile.Wind(s.Round&3), s.Dealer, s.Counter, s.Deposits, c.points(&s.Points))
}

func (c *checker) points(p *[sim.NumPlayers]int32) string {
	var list []string
	for _, units := range p {
		list = append(list, c.rules.PointsText(units))
	}
	return strings.Join(list, " ")
}

// follow compares the events that the table has just made with the record, and
// reports whether they agree.
func (c *checker) follow() bool {
	for _, e := range c.events {
		switch e.Type {
		case sim.EvDraw, sim.EvDiscard, sim.EvChi, sim.EvPon, sim.EvOpenKan, sim.EvClosedKan, sim.EvAddedKan,
			sim.EvFlower, sim.EvFlowerChoice, sim.EvWin, sim.EvAbort, sim.EvExhausted:
			if !c.expect(e) {
				return false
			}
			if e.Type == sim.EvWin {
				c.ura = append(c.ura, nil)
			}
		case sim.EvReady:
			if e.Value == 0 || c.nextIs(sim.EvReady, 1) {
				if !c.expect(e) {
					return false
				}
			}
		case sim.EvDeclare:
			if c.nextIs(sim.EvDeclare, 0) && !c.expect(e) {
				return false
			}
		case sim.EvDeal:
			c.compareDeal(e)
		case sim.EvIndicator:
			c.indicator(e)
		case sim.EvPay:
			if from, to, amount, reason := e.Pay(); !c.over && reason != ruleset.ForRiichi {
				if from < sim.NumPlayers {
					c.paid[from] -= amount
				}
				if to < sim.NumPlayers {
					c.paid[to] += amount
				}
			}
		case sim.EvHandEnd:
			c.over = true
			if c.next < len(c.told) {
				n := &c.told[c.next]
				c.differ(n.At, "by the rules the hand is over; the record goes on: %s", describe(n.Event))
				return true
			}
		}
	}
	c.events = c.events[:0]
	return true
}

// nextIs reports whether the next event of the record is of a type and value.
func (c *checker) nextIs(t sim.EventType, value int32) bool {
	return c.next < len(c.told) && c.told[c.next].Type == t && c.told[c.next].Value == value
}

// expect compares an event of the table with the next one of the record.
func (c *checker) expect(e sim.Event) bool {
	if c.next == len(c.told) {
		c.differ(c.record.At, "the record of the hand ends; by the rules %s", describe(e))
		return false
	}
	n := &c.told[c.next]
	if n.Type == sim.EvForfeit && e.Type == sim.EvDraw {
		// The fault is of a player who is not asked; it comes at the next decision.
		return true
	}
	if drawn, _ := e.Discard(); e.Type == sim.EvDiscard && n.Type == e.Type && drawn {
		if told, _ := n.Discard(); !told && n.Player == e.Player && n.Tile == e.Tile {
			c.takeAsDrawn(n) // after riichi, where nobody is asked
		}
	}
	want, is := compared(n.Event), compared(e)
	if n.Type == sim.EvAbort && n.Detail == UnknownEnd && (e.Type == sim.EvAbort || e.Type == sim.EvExhausted) {
		want = is
	}
	if want != is {
		c.differ(n.At, "the record: %s; by the rules: %s", describe(n.Event), describe(e))
		return false
	}
	c.next++
	return true
}

// compared returns what is compared of an event.
func compared(e sim.Event) sim.Event {
	switch e.Type {
	case sim.EvDraw, sim.EvFlower, sim.EvClosedKan, sim.EvAddedKan:
		e.Detail, e.Value = 0, 0
	case sim.EvReady:
		e.Tile, e.Detail = tile.NoFace, 0
	case sim.EvWin:
		e.Detail = 0
	case sim.EvDiscard, sim.EvChi, sim.EvPon, sim.EvOpenKan:
		e.Value = 0
		if e.Type == sim.EvOpenKan {
			giver, _, _ := e.Call()
			e.Detail = sim.PackCall(giver, 0, 0) // all own tiles are used
		}
	case sim.EvAbort, sim.EvDeclare:
		e.Tile, e.Value = tile.NoFace, 0
	case sim.EvExhausted:
		e = sim.Event{Type: sim.EvExhausted}
	}
	if e.Type == sim.EvAbort {
		e.Player = -1
	}
	return e
}

// compareDeal checks that a given wall deals the tiles of the record.
func (c *checker) compareDeal(e sim.Event) {
	if c.record.Wall == nil {
		return
	}
	is := &c.dealt[e.Player]
	dealt, _ := e.Deal()
	for _, f := range dealt {
		if f != tile.NoFace {
			*is = append(*is, f)
		}
	}
	if len(*is) < c.rules.HandSize {
		return
	}
	told := slices.Clone(c.record.Deal[e.Player])
	tile.SortFaces(told)
	tile.SortFaces(*is)
	if !slices.Equal(told, *is) {
		c.differ(c.record.At, "another wall: player %d is dealt %s; the wall has %s for him", e.Player, tile.FormatFaces(told), tile.FormatFaces(*is))
	}
}

func (c *checker) indicator(e sim.Event) {
	if e.Ura() {
		last := &c.ura[len(c.ura)-1]
		*last = append(*last, e.Tile)
		return
	}
	switch {
	case c.astray:
	case c.turned == len(c.doras):
		c.differ(c.record.At, "by the rules dora indicator %v is turned; the record does not have it", e.Tile)
		c.astray = true
	case c.doras[c.turned].Tile != e.Tile:
		d := &c.doras[c.turned]
		c.differ(d.At, "the record turns dora indicator %v; in the wall it is %v", d.Tile, e.Tile)
		c.astray = true
	}
	c.turned++
}

// answer gives the table the answers of the record at a decision point.
func (c *checker) answer() bool {
	if c.next == len(c.told) && c.table.Phase() != sim.PhaseDeclare {
		c.differ(c.record.At, "the record of the hand ends in its midst")
		return false
	}
	if c.nextIs(sim.EvForfeit, 0) {
		return c.forfeit()
	}
	c.triple = c.tripleRon()
	for asked := c.table.Asked(); asked != 0; asked = asked.Rest() {
		p := asked.First()
		a, ok := c.answerOf(p)
		if !ok {
			return false
		}
		events, err := c.table.StepValues(p, a, c.events, &c.values)
		if err != nil {
			c.differ(c.told[min(c.next, len(c.told)-1)].At, "%v", strings.TrimPrefix(err.Error(), "sim: "))
			return false
		}
		c.actions = append(c.actions, a)
		c.events = events
	}
	return true
}

// forfeit ends the match by the fault of a player: at his answer, or if he is not
// asked at the first that is to come. Those who answer before him pass.
func (c *checker) forfeit() bool {
	e := &c.told[c.next]
	if c.rules.ForfeitPoints == 0 {
		c.differ(e.At, "the match ends by a fault of player %d; under these rules it would go on (forfeit_points = 0)", e.Player)
		return false
	}
	c.next++
	c.forfeited = e.Player.Bit()
	if asked := c.table.Asked(); asked.Has(e.Player) {
		for p := asked.First(); p != e.Player; p = asked.First() {
			c.actions = append(c.actions, sim.ActPass)
			asked = asked.Rest()
		}
	}
	c.over = true
	return true
}

// answerOf returns what player p answers, according to the record.
func (c *checker) answerOf(p sim.Player) (sim.Action, bool) {
	legal := c.table.Legal(p)
	if c.table.Phase() == sim.PhaseDeclare {
		if c.nextIs(sim.EvDeclare, 0) && c.told[c.next].Player == p && !c.told[c.next].Declare() {
			return sim.ActNoten, true
		}
		return sim.ActTenpai, true
	}
	e := &c.told[c.next]
	if c.table.Phase() != sim.PhaseTurn {
		// A declaration is accepted before its tile is claimed.
		if c.nextIs(sim.EvReady, 1) && c.next+1 < len(c.told) {
			e = &c.told[c.next+1]
		}
		for _, lost := range e.Lost {
			switch {
			case lost.Player != p:
			case legal.Has(lost.Action):
				return lost.Action, true
			default:
				c.differ(e.At, "player %d wanted %v in vain, which is not legal; he passes", p, lost.Action)
				c.differences[len(c.differences)-1].Note = true
			}
		}
		switch {
		case e.Type == sim.EvWin && c.wins(p),
			c.triple && legal.Has(sim.ActWin):
			return sim.ActWin, true
		case e.Player == p && (e.Type == sim.EvChi || e.Type == sim.EvPon || e.Type == sim.EvOpenKan):
			return e.Action(), true
		}
		return sim.ActPass, true
	}
	switch {
	case e.Type == sim.EvAbort:
		return sim.ActNineKinds, true
	case e.Player != p:
	case e.Type == sim.EvReady && e.Value == 0 && c.next+1 < len(c.told) && c.told[c.next+1].Type == sim.EvDiscard:
		d := &c.told[c.next+1]
		c.drawnAfterAll(d, &legal, sim.ActReady, sim.ActReadyDrawn)
		if drawn, _ := d.Discard(); drawn {
			return sim.ActReadyDrawn, true
		}
		return sim.ActReady + sim.Action(d.Tile), true
	case e.Type == sim.EvDiscard:
		c.drawnAfterAll(e, &legal, sim.ActDiscard, sim.ActDiscardDrawn)
		if drawn, _ := e.Discard(); drawn {
			return sim.ActDiscardDrawn, true
		}
		return sim.ActDiscard + sim.Action(e.Tile), true
	case e.Type == sim.EvClosedKan:
		return sim.ActClosedKan + sim.Action(e.Tile.Kind()), true
	case e.Type == sim.EvAddedKan:
		return sim.ActAddedKan + sim.Action(e.Tile.Kind()), true
	case e.Type == sim.EvFlower:
		return sim.ActFlower + sim.Action(e.Tile.Flower()), true
	case e.Type == sim.EvWin:
		return sim.ActWin, true
	}
	c.differ(e.At, "the record: %s; by the rules player %d must discard, declare a kan or win", describe(e.Event), p)
	return sim.NoAction, false
}

// drawnAfterAll makes a discard that the record has of the hand one of the tile just
// drawn where the player holds no other: programs take little care of this.
func (c *checker) drawnAfterAll(d *Event, legal *sim.ActionSet, held, drawn sim.Action) {
	if isDrawn, _ := d.Discard(); isDrawn || legal.Has(held+sim.Action(d.Tile)) || !legal.Has(drawn) ||
		c.table.View(d.Player).Drawn() != d.Tile {
		return
	}
	c.takeAsDrawn(d)
}

func (c *checker) takeAsDrawn(d *Event) {
	d.Detail |= sim.DiscardDrawn
	if !c.taken {
		c.taken = true
		c.differ(d.At, "the record has the discard of %v as one of the hand, where it can only be the tile just drawn; this and others like it are taken so", d.Tile)
		c.differences[len(c.differences)-1].Note = true
	}
}

// wins reports whether the record has player p among the winners that come next.
func (c *checker) wins(p sim.Player) bool {
	for _, e := range c.told[c.next:] {
		if e.Type == sim.EvWin && e.Player == p {
			return true
		}
	}
	return false
}

// tripleRon reports whether the next event of the record can only mean that three
// players win at once.
func (c *checker) tripleRon() bool {
	if c.next == len(c.told) || c.rules.MultiWin != ruleset.WinAllAbortOnTriple {
		return false
	}
	e := &c.told[c.next]
	if e.Type != sim.EvAbort || e.Detail != uint8(sim.AbortTripleRon) && e.Detail != UnknownEnd {
		return false
	}
	n := 0
	for p := range sim.Player(sim.NumPlayers) {
		if legal := c.table.Legal(p); legal.Has(sim.ActWin) {
			n++
		}
	}
	return n == sim.NumPlayers-1
}

// compareEnd compares how the hand ended.
func (c *checker) compareEnd(h *Hand) {
	if !c.astray && c.turned < len(c.doras) {
		d := &c.doras[c.turned]
		c.differ(d.At, "the record turns dora indicator %v, which by the rules stays hidden", d.Tile)
	}
	at := h.At
	if n := len(c.told); n > 0 {
		at = c.told[n-1].At
	}
	for i := range h.Wins {
		if i < len(c.values) {
			c.compareWin(at, &h.Wins[i], &c.values[i], c.ura[i])
		}
	}
	if h.Paid != nil && *h.Paid != c.paid {
		c.differ(at, "the players gain %s, by the rules %s", c.points(h.Paid), c.points(&c.paid))
	}
}

func (c *checker) compareWin(at int, w *Win, v *ruleset.Value, ura []tile.Face) {
	for _, n := range [...]struct {
		name     string
		told, is int32
	}{
		{"points", w.Points, v.Points},
		{"han", w.Han, int32(v.Han)},
		{"fu", w.Fu, int32(v.Fu)},
		{"yakuman", w.Yakuman, int32(v.Yakuman)},
	} {
		if n.told != NotTold && n.told != n.is {
			c.differ(at, "the hand is worth %d %s, by the rules %d", n.told, n.name, n.is)
		}
	}
	if w.Patterns != nil {
		all := c.rules.Patterns()
		is := map[string]int{}
		for _, p := range v.Patterns[:v.NumPatterns] {
			is[all[p.Pattern].ID] += int(p.Points)
		}
		if !maps.Equal(is, w.Patterns) {
			c.differ(at, "the hand has %s, by the rules %s", patternsText(w.Patterns), patternsText(is))
			// Readings of a hand may tie; where its value is a sum, that decides.
			c.differences[len(c.differences)-1].Note = w.Han == NotTold && w.Points == v.Points
		}
	}
	if w.Ura != nil && !slices.Equal(w.Ura, ura) {
		c.differ(at, "the ura indicators are %s, in the wall %s", tile.FormatFaces(w.Ura), tile.FormatFaces(ura))
	}
}

func patternsText(p map[string]int) string {
	var list []string
	for _, id := range slices.Sorted(maps.Keys(p)) {
		list = append(list, fmt.Sprintf("%s %d", id, p[id]))
	}
	return strings.Join(list, ", ")
}

// chooseBetween answers what is asked between two hands: the match goes on while
// the record does.
func (c *checker) chooseBetween() {
	for c.table.Phase() == sim.PhaseBetween {
		for p := range sim.Player(sim.NumPlayers) {
			legal := c.table.Legal(p)
			if legal == (sim.ActionSet{}) {
				continue
			}
			a := sim.ActPass
			if legal.Has(sim.ActEndMatch) && c.hand == len(c.game.Hands)-1 {
				a = sim.ActEndMatch
			}
			if _, err := c.table.Step(p, a, nil); err != nil {
				panic(err) // both are legal
			}
			c.actions = append(c.actions, a)
		}
	}
}

// end compares the end of the match.
func (c *checker) end() {
	if len(c.game.Hands) == 0 {
		c.hand = -1
		c.differ(0, "the record has no hand")
		return
	}
	if cut := c.game.Cut; cut != nil {
		c.hand++
		c.cut(cut.At, "%s", cut.Message)
		return
	}
	if !c.table.Over() && !c.lost {
		at := c.game.Hands[c.hand].At
		c.cut(at, "the record ends with hand %d; by the rules the match is not over", c.hand)
		return
	}
	c.comparePoints(c.table.Points())
}

// comparePoints compares the points at the end of the match.
func (c *checker) comparePoints(points [sim.NumPlayers]int32) {
	if c.game.Points != nil && *c.game.Points != points {
		c.hand = -1
		c.differ(0, "the match ends with %s points, by the rules with %s", c.points(c.game.Points), c.points(&points))
	}
}

// describe says what happened.
func describe(e sim.Event) string {
	who := fmt.Sprintf("player %d", e.Player)
	switch e.Type {
	case sim.EvDraw:
		return fmt.Sprintf("%s draws %v", who, e.Tile)
	case sim.EvFlower:
		return fmt.Sprintf("%s exposes %v", who, e.Tile)
	case sim.EvFlowerChoice:
		return who + " chooses about the flowers"
	case sim.EvDiscard:
		s := fmt.Sprintf("%s discards %v", who, e.Tile)
		drawn, ready := e.Discard()
		if drawn {
			s += ", just drawn"
		}
		if ready {
			s += ", with riichi"
		}
		return s
	case sim.EvReady:
		return fmt.Sprintf("%s %s riichi", who, [...]string{"declares", "stakes for"}[e.Value&1])
	case sim.EvChi, sim.EvPon, sim.EvOpenKan:
		giver, _, _ := e.Call()
		return fmt.Sprintf("%s claims %v of player %d by %v", who, e.Tile, giver, e.Action())
	case sim.EvClosedKan:
		return fmt.Sprintf("%s declares a closed kan of %v", who, e.Tile)
	case sim.EvAddedKan:
		return fmt.Sprintf("%s adds %v to a pon", who, e.Tile)
	case sim.EvDeclare:
		if e.Declare() {
			return who + " declares tenpai"
		}
		return who + " declares noten"
	case sim.EvWin:
		if sim.Player(e.Value) != e.Player {
			return fmt.Sprintf("%s wins on %v of player %d", who, e.Tile, e.Value)
		}
		return fmt.Sprintf("%s wins by self-draw of %v", who, e.Tile)
	case sim.EvForfeit:
		return who + " forfeits"
	case sim.EvAbort:
		if e.Detail == UnknownEnd {
			return "the hand ends without a winner"
		}
		return fmt.Sprintf("the hand is aborted: %v", e.Abort())
	}
	return "the wall is exhausted"
}
