package sim

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// Follower rebuilds a table from the events that one player sees, for agents that play at the
// tables of other programs. At each of the player's decisions its [View] is that of a player at a
// table of this package: the same tiles, legal actions and random stream. Hidden tiles are filled
// in from those that the player has not seen.
//
//	f, err := sim.NewFollower(rules, player, seed)
//	err = f.StartHand(state, dealt)
//	err = f.Apply(event)
//	view, ok, err := f.Ask()
//
// It takes the events of [record.Hand], with NoFace for hidden tiles: draws, discards, claims,
// kans, Norths set aside, indicators and the end of the hand. The rest follows from the rules:
// declarations are those of their discards.
//
// [record.Hand]: https://pkg.go.dev/github.com/sparrowhall/sparrowhall/sim/record#Hand
type Follower struct {
	table  Table
	player Player
	wait   followed
	start  MatchState
	dealt  []tile.Face
	events []Event
	// kan is an open kan that the draw of its replacement completes: the engine draws with it.
	kan Event
	// known is the number of indicators whose tiles are known, late that of those which the rules
	// have turned before their tile was shown.
	known, late uint8
	difference  string
}

// followed is what a follower expects next.
type followed uint8

const (
	noHand       followed = iota // StartHand
	dealtHand                    // the first draw
	inTurn                       // an action of the player in turn
	afterTile                    // a claim of the discard, or the next draw
	afterKan                     // a rob of the kan or North, or its replacement
	afterOpenKan                 // the replacement of an open kan
)

// NewFollower returns a follower of matches in which p plays. Random streams are those of a match
// of the seed. The error is that of rules with flowers, or in which players declare ready before
// the first draw.
func NewFollower(r *ruleset.Rules, p Player, seed uint64) (*Follower, error) {
	switch {
	case r.Flowers != ruleset.NoFlowers:
		return nil, fmt.Errorf("sim: matches with flowers cannot be followed; %s has them", r.Name)
	case r.Ready == ruleset.Ding:
		return nil, fmt.Errorf("sim: matches with declarations before the first draw cannot be followed; %s has them", r.Name)
	case p < 0 || int(p) >= r.NumSeats():
		return nil, fmt.Errorf("sim: there is no player %d under %s", p, r.Name)
	}
	return &Follower{table: NewTable(r, seed), player: p}, nil
}

// Player returns the player who is followed.
func (f *Follower) Player() Player { return f.player }

// Points returns the points of the players, with those gained by EndHand.
func (f *Follower) Points() [NumPlayers]int32 { return f.table.points }

// TakeEvents returns the events since its last call, as the player sees them. They are valid
// until the next call of another method.
func (f *Follower) TakeEvents() []Event {
	list := f.events
	for i := range list {
		list[i] = list[i].SeenBy(f.player, &f.table.rules.Flow)
	}
	f.events = f.events[:0]
	return list
}

// StartHand begins a hand in which the player is dealt the given tiles. The deal index and the
// number of hands follow from the hands before.
func (f *Follower) StartHand(s MatchState, dealt []tile.Face) error {
	r := f.table.rules
	if len(dealt) != r.HandSize {
		return fmt.Errorf("sim: %d tiles are dealt; %s deals %d", len(dealt), r.Name, r.HandSize)
	}
	s.Hands = f.start.Hands
	if f.wait != noHand || f.table.hands > 0 {
		s.Hands++
		if s.Round == f.start.Round && s.Dealer == f.start.Dealer {
			s.DealIndex = f.start.DealIndex + 1
		}
	}
	t, err := NewTableAt(r, f.table.seed, s)
	if err != nil {
		return err
	}
	if r.RoundWind == ruleset.WindRandom {
		t.roundWind = f.table.roundWind
	}
	t.decisions = f.table.decisions
	f.table, f.start = t, s
	f.dealt = append(f.dealt[:0], dealt...)
	f.wait, f.known, f.late, f.kan = dealtHand, 0, 0, Event{}
	return nil
}

// SetRoundWind sets the round wind, under rules where it is drawn for the match. Call it before
// the first hand.
func (f *Follower) SetRoundWind(w tile.Wind) { f.table.SetRoundWind(w) }

// deal deals the hand, before the first draw, whose tile the rules may deal with it.
func (f *Follower) deal(first tile.Face) error {
	t, flow := &f.table, &f.table.rules.Flow
	me := t.chairOf[f.player]
	w := EmptyWall()
	place := func(c ruleset.Chair, i int) int {
		if flow.Walls == ruleset.WallPerSeat {
			return int(c)*seatWall + i
		}
		return DealtIndex(flow, t.dealer, c, i)
	}
	for i, face := range f.dealt {
		w[place(me, i)] = face
	}
	if first != tile.NoFace {
		at := flow.NumSeats() * flow.HandSize
		if flow.Walls == ruleset.WallPerSeat {
			at = place(t.dealer, flow.HandSize)
		}
		w[at] = first
	}
	for i := range f.known {
		w[IndicatorIndex(flow, int(i))] = t.wall[IndicatorIndex(flow, int(i))]
	}
	if err := w.Complete(flow, facesOf(flow)); err != nil {
		return fmt.Errorf("sim: %w", err)
	}
	t.wall = *w
	o := f.out()
	t.setUp(o)
	f.hideUnknown()
	t.openFlowers(o)
	return nil
}

func (f *Follower) out() *events { return &events{list: &f.events, t: &f.table} }

// Apply plays an event. After an error the hand cannot be followed further.
func (f *Follower) Apply(e Event) error {
	f.difference = ""
	switch e.Type {
	case EvReady, EvDeclare:
		return nil
	case EvIndicator:
		return f.turn(e.Tile)
	}
	switch ends := e.Type == EvWin || e.Type == EvAbort || e.Type == EvExhausted; {
	case f.wait == noHand && e.Type == EvWin && f.table.hands > 0: // a further winner
		f.events = append(f.events, e)
		return nil
	case f.wait == noHand:
		return errors.New("sim: no hand has begun")
	case ends:
		f.end(e)
		return nil
	}
	if e.Player < 0 || int(e.Player) >= f.table.rules.NumSeats() {
		return fmt.Errorf("sim: there is no player %d", e.Player)
	}
	if e.Type == EvDraw {
		return f.draw(e)
	}
	if e.Tile == tile.NoFace && e.Type != EvClosedKan {
		return errors.New("sim: a tile is hidden that all players see")
	}
	c := f.table.chairOf[e.Player]
	switch e.Type {
	case EvChi, EvPon, EvOpenKan:
		return f.claim(c, e)
	case EvDiscard, EvClosedKan, EvAddedKan, EvKita:
		if f.wait != inTurn || c != f.table.turn {
			return f.outOfTurn(e.Player)
		}
		return f.act(c, e)
	}
	return fmt.Errorf("sim: events of type %d cannot be followed", e.Type)
}

func (f *Follower) outOfTurn(p Player) error {
	t := &f.table
	switch f.wait {
	case dealtHand:
		return fmt.Errorf("sim: player %d acts; player %d draws first", p, t.who[t.dealer])
	case inTurn:
		return fmt.Errorf("sim: player %d acts; it is the turn of player %d", p, t.who[t.turn])
	case afterTile:
		return fmt.Errorf("sim: player %d acts after a discard of player %d; a claim or a draw of player %d is due", p, t.who[t.turn], t.who[t.rules.NextChair(t.turn, 1)])
	}
	return fmt.Errorf("sim: player %d acts after a kan or North of player %d, who draws next", p, t.who[t.turn])
}

// turn notes the tile of the next indicator. It lies in the wall until the rules turn it.
func (f *Follower) turn(face tile.Face) error {
	t := &f.table
	if face == tile.NoFace || !t.rules.Dora || f.known == ruleset.MaxIndicators {
		return fmt.Errorf("sim: a dora indicator is turned that %s does not have", t.rules.Name)
	}
	t.wall[IndicatorIndex(&t.rules.Flow, int(f.known))] = face
	f.known++
	if f.late > 0 {
		f.late--
		t.turnIndicator(f.out())
	}
	return nil
}

// hideUnknown takes back indicators that the rules have turned and the other program has not shown
// yet; they are late.
func (f *Follower) hideUnknown() {
	t := &f.table
	for i := len(f.events) - 1; i >= 0 && t.indicators > f.known; i-- {
		if e := f.events[i]; e.Type == EvIndicator && !e.Ura() {
			f.events = append(f.events[:i], f.events[i+1:]...)
			t.indicators--
			t.visible[e.Tile.Kind()]--
			f.late++
		}
	}
}

// draw plays a draw. What happened before it is complete now: no player has claimed the discard,
// robbed the kan, or the replacement of an open kan comes.
func (f *Follower) draw(e Event) error {
	t, o := &f.table, f.out()
	next, replacement := t.turn, true
	switch f.wait {
	case inTurn:
		return f.outOfTurn(e.Player)
	case dealtHand:
		next, replacement = t.dealer, false
	case afterTile:
		next, replacement = t.rules.NextChair(t.turn, 1), false
	case afterOpenKan:
		next = t.chairOf[f.kan.Player]
	}
	if t.who[next] != e.Player {
		return f.outOfTurn(e.Player)
	}
	if f.wait == dealtHand {
		if err := f.deal(e.Tile); err != nil {
			return err
		}
		if t.drawn != tile.NoFace { // the rules deal the tile
			f.beginTurn()
			return nil
		}
	}
	if t.left(next) == 0 {
		return fmt.Errorf("sim: player %d draws; by the rules of %s the wall is exhausted", e.Player, t.rules.Name)
	}
	f.place(next, e.Tile, replacement)
	switch f.wait {
	case afterTile:
		f.pass()
		t.turn = next
		t.draw(o)
	case afterKan:
		f.answered()
		t.closeRob(o)
	case afterOpenKan:
		f.pass()
		t.claim(o, next, ActOpenKan)
	default:
		t.turn = next
		t.draw(o)
	}
	f.hideUnknown()
	f.beginTurn()
	return nil
}

// place puts a tile where chair c draws from next.
func (f *Follower) place(c ruleset.Chair, face tile.Face, replacement bool) {
	t := &f.table
	front, taken := t.front, t.taken
	at := 0
	if replacement {
		at = t.replacementPlace(c)
	} else {
		at = t.frontPlace(c)
	}
	t.front, t.taken = front, taken
	if face == tile.NoFace {
		// No fifth tile of a kind: the tables of shanten have none.
		face = 0
		for t.seats[c].hand.Count(face.Kind()) == 4 {
			face++
		}
	}
	t.wall[at] = face
}

// beginTurn asks the player in turn.
func (f *Follower) beginTurn() {
	t := &f.table
	c := t.turn
	f.wait = inTurn
	f.blind()
	t.phase, t.asked = PhaseTurn, c.Bit()
	t.askedAll = t.asked
	t.legal[c] = ActionSet{}
	if t.who[c] == f.player {
		t.turnActions(c, &t.legal[c])
	}
}

// blindShanten is a bound that no hand reaches: the engine then looks for no waits.
const blindShanten = 100

// blind takes the waits of the others away: their hands are unknown, and must not answer.
func (f *Follower) blind() {
	for c := range f.table.seats {
		if s := &f.table.seats[c]; f.table.who[c] != f.player {
			s.waits, s.minShanten = 0, blindShanten
		}
	}
}

// openWindow asks the player alone whether to claim a tile: the hands of the others are unknown.
func (f *Follower) openWindow(p Phase, w followed) {
	t := &f.table
	f.wait = w
	f.blind()
	f.hideUnknown()
	t.phase = p
	t.asked &= t.chairOf[f.player].Bit()
	t.askedAll = t.asked
}

// answered counts the decision of the player, if there was one.
func (f *Follower) answered() {
	t := &f.table
	if t.asked.Has(t.chairOf[f.player]) && t.legal[t.chairOf[f.player]].Len() > 1 {
		t.decisions[f.player]++
	}
	t.asked = 0
}

// pass closes the claim window without a win.
func (f *Follower) pass() {
	f.answered()
	f.table.passWins(f.out())
}

// judge notes an action of the player that the rules do not allow.
func (f *Follower) judge(p Player, a Action) {
	t := &f.table
	if c := t.chairOf[p]; p == f.player && !(t.asked.Has(c) && t.legal[c].Has(a)) {
		f.difference = fmt.Sprintf("player %d may not %v; legal: %v", p, a, t.Legal(p))
	}
}

// claim plays a chi, pon or open kan.
func (f *Follower) claim(c ruleset.Chair, e Event) error {
	t := &f.table
	giver, _, _ := e.Call()
	switch {
	case f.wait != afterTile:
		return f.outOfTurn(e.Player)
	case e.Tile != t.window || t.chairOf[giver] != t.turn || c == t.turn:
		return fmt.Errorf("sim: player %d claims %v of player %d; player %d has discarded %v", e.Player, e.Tile, giver, t.who[t.turn], t.window)
	}
	if err := f.hold(c, e); err != nil {
		return err
	}
	f.judge(e.Player, e.Action())
	t.answers[c] = e.Action()
	if e.Type == EvOpenKan {
		f.kan, f.wait = e, afterOpenKan
		return nil
	}
	f.pass()
	t.claim(f.out(), c, e.Action())
	f.beginTurn()
	return nil
}

// act plays a discard, a closed or added kan, or a North of the player in turn.
func (f *Follower) act(c ruleset.Chair, e Event) error {
	t, o := &f.table, f.out()
	k := e.Tile.Kind()
	if e.Type == EvClosedKan && e.Tile == tile.NoFace {
		// The kind is hidden, and filled in again with the other hidden tiles.
		if k = f.anyKan(); k == tile.NoKind {
			return fmt.Errorf("sim: player %d declares a kan of a kind that cannot be complete", e.Player)
		}
		e.Tile = tile.Face(k)
	}
	if err := f.hold(c, e); err != nil {
		return err
	}
	var a Action
	drawn, ready := e.Discard()
	drawn = drawn && t.drawn == e.Tile
	switch e.Type {
	case EvDiscard:
		a = ActDiscard + Action(e.Tile)
		if s := &t.seats[c]; e.Tile == t.drawn && e.Player == f.player && !drawn {
			// Only one of them is there: other programs mark this carelessly.
			n := s.hand.Count(k) - s.redsOf(k)
			if e.Tile.IsRed() {
				n = s.redsOf(k)
			}
			drawn = n == 1
		}
		switch {
		case drawn && ready:
			a = ActReadyDrawn
		case drawn:
			a = ActDiscardDrawn
		case ready:
			a = ActReady + Action(e.Tile)
		}
	case EvClosedKan:
		a = ActClosedKan + Action(k)
	case EvAddedKan:
		a = ActAddedKan + Action(k)
		if !t.seats[c].ponKinds.Has(k) {
			return fmt.Errorf("sim: player %d adds %v to a pon; there is no pon of it", e.Player, e.Tile)
		}
	case EvKita:
		a = ActKita
	}
	f.judge(e.Player, a)
	if t.who[c] == f.player {
		t.lockDeclined(c, a)
	}
	f.answered()
	switch e.Type {
	case EvDiscard:
		marks, tier := uint8(0), NotReady
		if drawn {
			marks = markDrawn
		}
		if ready {
			marks |= markReady
			tier = t.readyTier(&t.seats[c], drawn)
		}
		t.layDown(o, e.Tile, marks, tier)
		t.askClaims()
		f.openWindow(PhaseClaim, afterTile)
		return nil
	case EvClosedKan:
		t.closedKan(o, k)
	case EvAddedKan:
		t.addedKan(o, k)
	case EvKita:
		t.setNorthAside(o)
	}
	f.openWindow(PhaseRob, afterKan)
	return nil
}

// hold checks that the player holds the tiles of an event, and gives them to another one, whose
// hand is unknown. The tiles of the table may then be more than those of the set, until fill
// deals the hidden ones again.
func (f *Follower) hold(c ruleset.Chair, e Event) error {
	t := &f.table
	s := &t.seats[c]
	spent := e.AppendSpent(nil, &t.rules.Flow)
	var kinds [tile.NumKinds]int
	var reds [3]int
	for _, face := range spent {
		kinds[face.Kind()]++
		if face.IsRed() {
			reds[face.Kind().Suit()]++
		}
	}
	if t.who[c] == f.player {
		for _, face := range spent {
			k := face.Kind()
			if n := s.redsOf(k); s.hand.Count(k) < kinds[k] || face.IsRed() && n < reds[k.Suit()] || !face.IsRed() && s.hand.Count(k)-n < kinds[k]-redsIn(reds, k) {
				return fmt.Errorf("sim: player %d does not hold %v", e.Player, face)
			}
		}
		return nil
	}
	if drawn, _ := e.Discard(); e.Type == EvDiscard && drawn && t.drawn != tile.NoFace {
		if s.hand.Count(e.Tile.Kind()) == 0 {
			t.removeTile(c, t.drawn)
			t.addTile(c, e.Tile)
		}
		if k := e.Tile.Kind(); k.IsFive() {
			s.reds[k.Suit()] = uint8(reds[k.Suit()])
		}
		t.drawn = e.Tile
		return nil
	}
	for k, n := range kinds {
		for s.hand.Count(tile.Kind(k)) < n {
			for set := s.hand.Kinds(); ; set = set.Rest() {
				if set == 0 {
					return fmt.Errorf("sim: player %d has too few tiles", e.Player)
				}
				if other := set.First(); s.hand.Count(other) > kinds[other] {
					s.hand.Remove(other)
					break
				}
			}
			s.hand.Add(tile.Kind(k))
		}
		if n > 0 && tile.Kind(k).IsFive() {
			s.reds[tile.Kind(k).Suit()] = uint8(reds[tile.Kind(k).Suit()])
		}
	}
	return nil
}

// redsIn returns the entry of a kind, 0 for kinds without red fives.
func redsIn(reds [3]int, k tile.Kind) int {
	if k.IsFive() {
		return reds[k.Suit()]
	}
	return 0
}

// end notes how the hand ended, as far as it counts for the player.
func (f *Follower) end(e Event) {
	t := &f.table
	exhausted := e.Type == EvExhausted && f.wait == afterTile
	f.answered()
	if exhausted {
		t.passWins(f.out())
		// The player was asked whether to declare ready.
		if me := t.chairOf[f.player]; t.rules.TenpaiDeclaration == ruleset.TenpaiOptional && t.seats[me].ready == NotReady && t.isReady(me) {
			t.decisions[f.player]++
		}
	}
	f.events = append(f.events, e)
	f.wait, t.phase, t.turn = noHand, PhaseDeal, ruleset.NoChair
	t.hands++
}

// Difference describes how the last event breaks the rules of the follower, "" if it does not.
func (f *Follower) Difference() string { return f.difference }

// Try is Ask after an event that may come next. The view is that of a copy, which stays valid.
func (f *Follower) Try(e Event) (v View, asked bool, err error) {
	c := *f
	c.dealt, c.events = slices.Clone(f.dealt), nil
	if err := c.Apply(e); err != nil {
		return View{}, false, err
	}
	return c.Ask()
}

// EndMatch ends the match.
func (f *Follower) EndMatch() View {
	t := &f.table
	f.wait, t.phase, t.asked = noHand, PhaseOver, 0
	f.events = append(f.events, Event{Type: EvMatchEnd, Player: -1, Tile: tile.NoFace})
	return t.View(f.player)
}

// Table returns a copy of the table, in which hidden tiles are filled in.
func (f *Follower) Table() Table { return f.table }

// EndHand adds the points that the players have gained at the end of the hand.
func (f *Follower) EndHand(gained [NumPlayers]int32) {
	for p, n := range gained {
		f.table.points[p] += n
	}
}

// Ask returns the view of the player if he must answer now. Where one action is legal a table of
// this package does not ask; the other program may.
func (f *Follower) Ask() (v View, asked bool, err error) {
	t := &f.table
	me := t.chairOf[f.player]
	if f.wait == noHand || f.wait == dealtHand || f.wait == afterOpenKan || !t.asked.Has(me) || t.legal[me] == (ActionSet{}) {
		return View{}, false, nil
	}
	// An indicator that the other program has shown is visible.
	for t.indicators < f.known && t.pending > 0 {
		t.pending--
		t.turnIndicator(f.out())
	}
	if err := f.fill(); err != nil {
		return View{}, false, err
	}
	return t.View(f.player), true, nil
}

// fill deals the hidden tiles: those of the set that the player does not see.
func (f *Follower) fill() error {
	t := &f.table
	d := determinizer{t: t, rand: Stream{mix64(uint64(t.discards))}}
	pool, err := f.unseen()
	if err != nil {
		return err
	}
	d.pool = pool
	for c := range ruleset.Chair(t.rules.NumSeats()) {
		d.hidden[c] = t.who[c] != f.player
	}
	for c := range t.seats {
		if d.hidden[c] {
			if f.anyKan() == tile.NoKind && t.hasHiddenKan(&t.seats[c]) {
				return fmt.Errorf("sim: no kind is left for a hidden kan of player %d", t.who[c])
			}
			d.dealKans(&t.seats[c])
		}
	}
	for c := range ruleset.Chair(t.rules.NumSeats()) {
		if d.hidden[c] {
			d.dealHand(c)
		}
	}
	d.fillWall()
	f.blind()
	return nil
}

func (t *Table) hasHiddenKan(s *seat) bool {
	for i := range s.melds[:s.numMelds] {
		if t.isHiddenKan(&s.melds[i]) {
			return true
		}
	}
	return false
}

// anyKan returns a kind of which the player sees no tile, NoKind if there is none.
func (f *Follower) anyKan() tile.Kind {
	v := f.table.View(f.player)
	for k := range tile.Kind(tile.NumKinds) {
		if v.Unseen(k) == 4 {
			return k
		}
	}
	return tile.NoKind
}

// unseen counts the tiles that the player does not see, by face. The error names one of which he
// sees more than the set has.
func (f *Follower) unseen() (pool [tile.NumFaces]uint8, err error) {
	t, flow := &f.table, &f.table.rules.Flow
	for _, face := range facesOf(flow)[:t.wallEnd()] {
		pool[face]++
	}
	see := func(k tile.Kind, n, reds int) {
		for i := range n {
			face := tile.Face(k)
			if i < reds {
				face = tile.RedOf(k.Suit())
			}
			if pool[face]--; pool[face] > 4 && err == nil {
				err = fmt.Errorf("sim: there are more %v than the set has", face)
			}
		}
	}
	face := func(face tile.Face) {
		reds := 0
		if face.IsRed() {
			reds = 1
		}
		see(face.Kind(), 1, reds)
	}
	for _, e := range t.log[:t.discards] {
		if e.marks&markClaimed == 0 {
			face(e.face)
		}
	}
	for i := range t.indicators {
		face(t.wall[IndicatorIndex(flow, int(i))])
	}
	for c := range ruleset.Chair(t.rules.NumSeats()) {
		s := &t.seats[c]
		mine := t.who[c] == f.player
		for k := range tile.Kind(tile.NumKinds) {
			if mine {
				see(k, s.hand.Count(k), s.redsOf(k))
			}
		}
		see(tile.North, int(s.norths), 0)
		for i := range s.melds[:s.numMelds] {
			switch m := &s.melds[i]; {
			case m.Type == hand.Chi:
				for k := m.Kind; k < m.Kind+3; k++ {
					if k.IsFive() {
						see(k, 1, int(m.Reds))
					} else {
						see(k, 1, 0)
					}
				}
			case m.Type == hand.Pon:
				see(m.Kind, 3, int(m.Reds))
			case mine || !t.isHiddenKan(m):
				see(m.Kind, 4, int(m.Reds))
			}
		}
	}
	if t.phase == PhaseRob && !t.kanClosed && !t.kita {
		face(t.window)
	}
	return pool, err
}
