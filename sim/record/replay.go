package record

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Replay plays a recorded match at a table and returns the differences: illegal actions,
// other events, walls, patterns, values, payments or points, another end of a hand or of
// the match. It abandons a hand at a difference that stops it, and continues with the next
// hand from the recorded state.
//
// If the result [Agrees], or [AgreesInPart] for a record of a part of a match, m becomes
// the match or the part, with its walls, its actions and the lists of m.Keep. Answers
// that the record does not show are passes. A record of another number of players than the
// rules have differs by that alone.
func Replay(r *ruleset.Rules, g *Game, m *sim.Match) []Difference {
	if err := g.CheckSeats(r); err != nil {
		return []Difference{{Hand: -1, Message: err.Error()}}
	}
	// The notes come last: what a difference is about counts more.
	return append(replay(r, g, m), g.Notes...)
}

func replay(r *ruleset.Rules, g *Game, m *sim.Match) []Difference {
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
		c.compareMatchEnd()
	}
	if !AgreesInPart(c.differences) || len(c.walls) == 0 {
		return c.differences
	}
	m.Walls, m.WallsFilledIn, m.Start = c.walls, !g.HasWholeWalls(), c.start
	if err := m.Replay(r, c.actions, c.forfeited); err != nil {
		c.differ(0, "%v", err)
	} else if c.forfeited != 0 {
		c.comparePoints(m.Final.Points)
	}
	return c.differences
}

// UnknownAbort is the Detail of an EvAbort in a record without the reason: the hand was
// aborted, or the wall was exhausted.
const UnknownAbort = 0xff

// checker replays a record and collects the differences.
type checker struct {
	rules       *ruleset.Rules
	game        *Game
	table       sim.Table
	actions     []sim.Action
	walls       []sim.Wall
	differences []Difference
	// start is the state at the beginning of the record, nil at the beginning of the match.
	start *sim.MatchState
	// lost is set if the previous hand was not replayed to its end.
	lost bool
	// forfeited is the player whose forfeit ended the match.
	forfeited sim.Players
	// notedDrawn is set once a discard was corrected to one of the drawn tile, which is
	// noted once.
	notedDrawn bool

	// The hand being played.
	hand   int
	record *Hand
	// recorded are the recorded events without the dora indicators, which are in doras;
	// next and turned count those that the table has replayed.
	recorded []Event
	next     int
	doras    []Event
	turned   int
	// dorasDiffer is set once an indicator differs; later ones are not compared.
	dorasDiffer bool
	dealt       [sim.NumPlayers][]tile.Face
	values      []ruleset.Value
	ura         [][]tile.Face
	paid        [sim.NumPlayers]int32
	events      []sim.Event
	over        bool
	triple      bool // three players win on the tile in the window
}

func (c *checker) differ(at int, format string, args ...any) {
	d := Difference{Hand: c.hand, Message: fmt.Sprintf(format, args...)}
	if at > 0 {
		d.Place = fmt.Sprintf("%s %d", c.game.Unit, at)
	}
	c.differences = append(c.differences, d)
}

func (c *checker) note(at int, format string, args ...any) {
	c.differ(at, format, args...)
	c.differences[len(c.differences)-1].Note = true
}

// differInPart adds a difference of a record of a part of the match.
func (c *checker) differInPart(at int, format string, args ...any) {
	c.differ(at, format, args...)
	c.differences[len(c.differences)-1].Part = true
}

// progress is the state of a checker that a hand changes.
type progress struct {
	table                       sim.Table
	actions, walls, differences int
	start                       *sim.MatchState
	lost                        bool
}

func (c *checker) save() progress {
	return progress{c.table, len(c.actions), len(c.walls), len(c.differences), c.start, c.lost}
}

func (c *checker) restore(p *progress) {
	c.table, c.start, c.lost = p.table, p.start, p.lost
	c.actions, c.walls, c.differences = c.actions[:p.actions], c.walls[:p.walls], c.differences[:p.differences]
}

// playOne plays the first alternative of a hand that has no differences, or else the first
// alternative. It reports whether the next hand can be played. It adds a note if a second
// alternative fits as well.
func (c *checker) playOne(h *Hand) bool {
	if h.Alternatives == nil {
		return c.playHand(h)
	}
	before := c.save()
	orders := append([][]Event{h.Events}, h.Alternatives...)
	hand := *h
	first, second := -1, -1 // the alternatives that fit
	for i, events := range orders {
		c.restore(&before)
		hand.Events = events
		c.playHand(&hand)
		if !AgreesInPart(c.differences[before.differences:]) {
			continue
		}
		if first >= 0 {
			second = i
			break
		}
		first = i
	}
	c.restore(&before)
	hand.Events = orders[max(first, 0)]
	ok := c.playHand(&hand)
	if second >= 0 {
		n := 0
		for orders[first][n].Event == orders[second][n].Event {
			n++
		}
		c.note(h.Place, "the record is ambiguous: %s, or %s; the first is taken",
			describe(orders[first][n].Event), describe(orders[second][n].Event))
	}
	return ok
}

// playHand plays a hand and reports whether the next one can be played.
func (c *checker) playHand(h *Hand) bool {
	c.record = h
	c.recorded, c.doras, c.next, c.turned = nil, nil, 0, 0
	for _, e := range h.Events {
		if e.Type == sim.EvIndicator {
			c.doras = append(c.doras, e)
		} else {
			c.recorded = append(c.recorded, e)
		}
	}
	c.values, c.ura, c.paid, c.over = c.values[:0], nil, [sim.NumPlayers]int32{}, false
	c.dealt, c.dorasDiffer = [sim.NumPlayers][]tile.Face{}, false
	if !c.begin(h) {
		return false
	}
	if h.Contradiction != "" {
		c.differ(h.Place, "%s", h.Contradiction)
	}
	start := c.table.MatchState()
	wall := h.Wall
	if wall != nil && wall.FirstInvalid(&c.rules.Flow) >= 0 {
		c.differ(h.Place, "the wall of the record is not of the tiles of %s", c.rules.Name)
		return c.abandonHand()
	}
	if wall == nil {
		var err error
		if wall, err = rebuildWall(c.rules, h, &start); err != nil {
			c.differ(h.Place, "the tiles of the hand do not fit: %v", err)
			return c.abandonHand()
		}
	}
	c.walls = append(c.walls, *wall)
	c.events = c.table.StartHandFrom(wall, c.events[:0])
	for c.follow() && !c.over {
		if !c.answer() {
			return c.abandonHand()
		}
	}
	if !c.over {
		return c.abandonHand()
	}
	if c.forfeited != 0 {
		return false
	}
	c.compareEnd(h)
	c.chooseBetween()
	return true
}

func (c *checker) begin(h *Hand) bool {
	over := c.table.Over()
	if over {
		c.differ(h.Place, "by the rules the match is over after hand %d; the record goes on", c.hand-1)
	}
	lost := over || c.lost
	c.lost = false
	if h.Start == nil {
		return !lost
	}
	want := *h.Start
	if !lost {
		got := c.table.MatchState()
		got.DealIndex, got.Hands = want.DealIndex, want.Hands // which no record has
		if got == want {
			return true
		}
		if c.hand == 0 && (want.Round > 0 || want.Dealer != got.Dealer || want.Counter > 0 || want.Deposits > 0) {
			c.differInPart(h.Place, "the record begins within the match, at %s", c.stateText(&want))
			c.start = &want
		} else {
			c.differ(h.Place, "the hand begins at %s, by the rules at %s", c.stateText(&want), c.stateText(&got))
		}
	}
	t, err := sim.NewTableAt(c.rules, 0, want)
	if err != nil {
		c.differ(h.Place, "%v", err)
		return false
	}
	c.table = t
	if c.game.RoundWind != nil {
		c.table.SetRoundWind(*c.game.RoundWind)
	}
	return true
}

// abandonHand ends the replay of the hand and reports whether the record has the state before the next
// one.
func (c *checker) abandonHand() bool {
	c.lost = true
	return c.hand+1 < len(c.game.Hands) && c.game.Hands[c.hand+1].Start != nil
}

func (c *checker) stateText(s *sim.MatchState) string {
	return fmt.Sprintf("round %v, dealer %d, counter %d, deposits %d, points %s",
		tile.Wind(s.Round&3), s.Dealer, s.Counter, s.Deposits, c.points(&s.Points))
}

func (c *checker) points(p *[sim.NumPlayers]int32) string {
	var list []string
	for _, units := range p[:c.rules.NumSeats()] {
		list = append(list, c.rules.PointsText(units))
	}
	return strings.Join(list, " ")
}

// follow compares the new events of the table with the record and reports whether they
// agree.
func (c *checker) follow() bool {
	for _, e := range c.events {
		switch e.Type {
		case sim.EvDraw, sim.EvDiscard, sim.EvChi, sim.EvPon, sim.EvOpenKan, sim.EvClosedKan, sim.EvAddedKan,
			sim.EvFlower, sim.EvFlowerChoice, sim.EvKita, sim.EvWin, sim.EvAbort, sim.EvExhausted:
			if !c.expect(e) {
				return false
			}
			if e.Type == sim.EvWin {
				c.ura = append(c.ura, nil)
			}
		case sim.EvReady:
			if _, accepted := e.Ready(); !accepted || c.nextIs(sim.EvReady, 1) {
				if !c.expect(e) {
					return false
				}
			} else if c.game.Acceptances && c.next < len(c.recorded) {
				c.note(c.recorded[c.next].Place, "the record does not have that the riichi of player %d is accepted; by the rules it is", e.Player)
			}
		case sim.EvDeclare:
			if c.nextIs(sim.EvDeclare, 0) && !c.expect(e) {
				return false
			}
		case sim.EvDeal:
			c.compareDeal(e)
		case sim.EvIndicator:
			c.compareIndicator(e)
		case sim.EvPay:
			if !c.over {
				ApplyPayment(e, &[sim.NumPlayers]int32{}, &c.paid)
			}
		case sim.EvHandEnd:
			c.over = true
			if c.next < len(c.recorded) {
				n := &c.recorded[c.next]
				c.differ(n.Place, "by the rules the hand is over; the record goes on: %s", describe(n.Event))
				return true
			}
		}
	}
	c.events = c.events[:0]
	return true
}

// nextIs reports whether the next event of the record is of a type and value.
func (c *checker) nextIs(t sim.EventType, value int32) bool {
	return c.next < len(c.recorded) && c.recorded[c.next].Type == t && c.recorded[c.next].Value == value
}

// answer plays the recorded answers at a decision point.
func (c *checker) answer() bool {
	if c.next == len(c.recorded) && (c.record == c.game.Rest || c.table.Phase() != sim.PhaseDeclare) {
		c.differ(c.record.Place, "the record of the hand ends before the hand does")
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
			c.differ(c.recorded[min(c.next, len(c.recorded)-1)].Place, "%v", strings.TrimPrefix(err.Error(), "sim: "))
			return false
		}
		c.actions = append(c.actions, a)
		c.events = events
	}
	return true
}

// forfeit ends the match by a forfeit: at the player's answer, or at the next answer if
// he is not asked. Players who answer before him pass.
func (c *checker) forfeit() bool {
	e := &c.recorded[c.next]
	if c.rules.ForfeitPoints == 0 {
		c.differ(e.Place, "the match ends by a fault of player %d; under these rules it would go on (forfeit_points = 0)", e.Player)
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

func (c *checker) answerOf(p sim.Player) (sim.Action, bool) {
	legal := c.table.Legal(p)
	if c.table.Phase() == sim.PhaseDeclare {
		if c.nextIs(sim.EvDeclare, 0) && c.recorded[c.next].Player == p && !c.recorded[c.next].Declare() {
			return sim.ActNoten, true
		}
		return sim.ActTenpai, true
	}
	e := &c.recorded[c.next]
	if c.table.Phase() != sim.PhaseTurn {
		// A declaration is accepted before its tile is claimed.
		if c.nextIs(sim.EvReady, 1) && c.next+1 < len(c.recorded) {
			e = &c.recorded[c.next+1]
		}
		for _, lost := range e.Outranked {
			switch {
			case lost.Player != p:
			case legal.Has(lost.Action):
				return lost.Action, true
			default:
				c.note(e.Place, "the outranked claim %[2]v of player %[1]d is not legal; it is replayed as a pass", p, lost.Action)
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
	_, accepted := e.Ready()
	switch {
	case e.Type == sim.EvAbort:
		return sim.ActNineKinds, true
	case e.Player != p:
	case e.Type == sim.EvReady && !accepted && c.next+1 < len(c.recorded) && c.recorded[c.next+1].Type == sim.EvDiscard:
		d := &c.recorded[c.next+1]
		c.fixDrawn(d, &legal, sim.ActReady, sim.ActReadyDrawn)
		if drawn, _ := d.Discard(); drawn {
			return sim.ActReadyDrawn, true
		}
		return sim.ActReady + sim.Action(d.Tile), true
	case e.Type == sim.EvDiscard:
		c.fixDrawn(e, &legal, sim.ActDiscard, sim.ActDiscardDrawn)
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
	case e.Type == sim.EvKita:
		return sim.ActKita, true
	case e.Type == sim.EvWin:
		return sim.ActWin, true
	}
	c.differ(e.Place, "the record: %s; by the rules player %d must discard, declare a kan or win", describe(e.Event), p)
	return sim.NoAction, false
}

// fixDrawn marks a discard as tsumogiri if the player holds no other copy of the tile
// than the drawn one. Many programs record this carelessly.
func (c *checker) fixDrawn(d *Event, legal *sim.ActionSet, held, drawn sim.Action) {
	if isDrawn, _ := d.Discard(); isDrawn || legal.Has(held+sim.Action(d.Tile)) || !legal.Has(drawn) ||
		c.table.View(d.Player).Drawn() != d.Tile {
		return
	}
	c.takeAsDrawn(d)
}

func (c *checker) takeAsDrawn(d *Event) {
	d.Detail |= sim.DiscardDrawn
	if !c.notedDrawn {
		c.notedDrawn = true
		c.note(d.Place, "the record has the discard of %v as one of the hand, where it can only be the tile just drawn; this and others like it are taken so", d.Tile)
	}
}

// wins reports whether player p is among the next winners of the record.
func (c *checker) wins(p sim.Player) bool {
	return slices.ContainsFunc(c.recorded[c.next:], func(e Event) bool { return e.Type == sim.EvWin && e.Player == p })
}

// tripleRon reports whether the next event of the record can only mean that three
// players win at once.
func (c *checker) tripleRon() bool {
	if c.next == len(c.recorded) || c.rules.MultiWin != ruleset.WinAllAbortOnTriple {
		return false
	}
	e := &c.recorded[c.next]
	if e.Type != sim.EvAbort || e.Detail != uint8(sim.AbortTripleRon) && e.Detail != UnknownAbort {
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

// chooseBetween answers the choices between two hands so that the match continues while
// the record does.
func (c *checker) chooseBetween() {
	for c.table.Phase() == sim.PhaseBetween {
		for p := range sim.Player(sim.NumPlayers) {
			legal := c.table.Legal(p)
			if legal == (sim.ActionSet{}) {
				continue
			}
			a := sim.ActPass
			if legal.Has(sim.ActEndMatch) && c.hand == len(c.game.Hands)-1 && c.game.Truncation == nil {
				a = sim.ActEndMatch
			}
			if _, err := c.table.Step(p, a, nil); err != nil {
				panic(err) // both are legal
			}
			c.actions = append(c.actions, a)
		}
	}
}

func (c *checker) compareMatchEnd() {
	if cut := c.game.Truncation; cut != nil {
		c.hand = len(c.game.Hands)
		if !c.compareRest() {
			c.differInPart(cut.Number, "%s", cut.Message)
		}
		return
	}
	if len(c.game.Hands) == 0 {
		c.hand = -1
		c.differ(0, "the record has no hand")
		return
	}
	if !c.table.Over() && !c.lost {
		at := c.game.Hands[c.hand].Place
		c.differInPart(at, "the record ends with hand %d; by the rules the match is not over", c.hand)
		return
	}
	c.comparePoints(c.table.Points())
}

// compareRest plays the hand in which the record ends, and adds its first difference if it has one:
// a fault that comes before the one which ends the record.
func (c *checker) compareRest() bool {
	h := c.game.Rest
	if h == nil || c.lost && h.Start == nil {
		return false
	}
	before := c.save()
	c.playHand(h)
	played := c.differences[before.differences:]
	c.restore(&before)
	i := slices.IndexFunc(played, func(d Difference) bool { return !d.Part && !d.Note })
	if i < 0 || c.next == len(c.recorded) { // what follows is missing, and no fault
		return false
	}
	c.differences = append(c.differences, played[i])
	c.differences[len(c.differences)-1].Part = true
	return true
}
