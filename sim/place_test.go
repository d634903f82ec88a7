package sim_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/tile"
	"github.com/jansou/jansou/sim"
)

// place is a hand being played from a setup.
type place struct {
	table  sim.Table
	rules  *ruleset.Rules
	events []sim.Event  // all so far
	fresh  int          // first event since the last command
	seen   int          // first event a ">" line may still match
	base   [4]int32     // points of the players at the start
	pot    int          // riichi sticks at the start
	winds  [4]tile.Wind // of the players in the hand
	number int          // of the dealer in the round, from 1
	spare  [4]tile.Set  // kinds the hands were filled with, by seat
}

// seat returns the player with a wind of the hand.
func (p *place) seat(w tile.Wind) sim.Player { return sim.Player(slices.Index(p.winds[:], w)) }

// wind returns the wind of a player in the hand.
func (p *place) wind(q sim.Player) tile.Wind { return p.winds[q] }

// start deals the hand of a setup under a preset.
func (s *setup) start(preset string) (*place, error) {
	r, err := s.rules(preset)
	if err != nil {
		return nil, err
	}
	w, spare, err := s.wall(r)
	if err != nil {
		return nil, err
	}
	p := &place{rules: r, number: int(s.dealer) + 1, spare: spare}
	m := sim.Standing{Round: s.round, Counter: s.honba, Deposits: s.deposits}
	for q := range sim.Player(sim.NumPlayers) { // whoever sits on the dealer's chair in this round
		m.Dealer = q
		if p.table, err = sim.NewTableAt(r, 1, m); err != nil {
			return nil, err
		}
		if p.table.DealerChair() == s.dealer {
			break
		}
	}
	for q := range m.Points {
		p.winds[q] = p.table.View(0).SeatWind(sim.Player(q))
	}
	for q := range m.Points {
		m.Points[q] = int32(r.StartingPoints * r.Unit())
		if points, ok := s.points[p.wind(sim.Player(q))]; ok {
			m.Points[q] = points * int32(r.Unit())
		}
	}
	for _, d := range s.debts {
		d.Points *= int32(r.Unit())
		m.Ledger[p.seat(d.creditor)][p.seat(d.debtor)] = d.Debt
	}
	p.base, p.pot = m.Points, m.Deposits
	if p.table, err = sim.NewTableAt(r, 1, m); err != nil {
		return nil, err
	}
	p.events = p.table.StartHandFrom(w, nil)
	return p, nil
}

// step answers for a player.
func (p *place) step(q sim.Player, a sim.Action) error {
	var err error
	p.events, err = p.table.Step(q, a, p.events)
	return err
}

// asked reports whether the table waits for player q.
func (p *place) asked(q sim.Player) bool { return p.table.Asked().Has(q) }

// turn returns the player whose turn it is, -1 in other phases.
func (p *place) turn() sim.Player {
	if p.table.Phase() != sim.PhaseTurn {
		return -1
	}
	return p.table.View(0).Turn()
}

// pass lets everyone who is still asked in a window pass.
func (p *place) pass() error {
	asked := p.table.Asked()
	for q := range sim.Player(4) {
		if asked.Has(q) {
			if err := p.step(q, sim.ActPass); err != nil {
				return err
			}
		}
	}
	return nil
}

// idle lets the table play on by one answer of each player asked: pass, ready
// hands are shown, flowers do not win, the drawn tile is discarded.
func (p *place) idle() error {
	ph := p.table.Phase()
	if ph == sim.PhaseClaim || ph == sim.PhaseRob || ph == sim.PhaseReady {
		return p.pass()
	}
	for q := range sim.Player(4) {
		if !p.asked(q) {
			continue
		}
		legal := p.table.Legal(q)
		for _, a := range []sim.Action{sim.ActTenpai, sim.ActPass, sim.ActFlowerAward, sim.ActDiscardDrawn} {
			if legal.Has(a) {
				return p.step(q, a)
			}
		}
		return fmt.Errorf("%v has no tile to discard by default", p.wind(q))
	}
	return fmt.Errorf("nobody is asked in phase %v", ph)
}

// ended reports whether the hand has ended.
func (p *place) ended() bool {
	ph := p.table.Phase()
	return ph == sim.PhaseDeal || ph == sim.PhaseOver || ph == sim.PhaseBetween
}

// playOn idles until the condition holds.
func (p *place) playOn(until func() bool) error {
	for !until() {
		if p.ended() {
			return fmt.Errorf("the hand ended")
		}
		if err := p.idle(); err != nil {
			return err
		}
	}
	return nil
}

// parseAction reads an action of the script for player q: a text of the action
// table, "discard spare" for a tile the setup filled the hand with, or ron, rob
// and tsumo for a win.
func (p *place) parseAction(q sim.Player, text string) (sim.Action, error) {
	switch phase := p.table.Phase(); {
	case text == "ron" && phase == sim.PhaseClaim,
		text == "rob" && phase == sim.PhaseRob,
		text == "tsumo" && phase == sim.PhaseTurn:
		return sim.ActWin, nil
	case text == "ron", text == "rob", text == "tsumo":
		return sim.NoAction, fmt.Errorf("%s in phase %v", text, phase)
	}
	if text == "discard spare" {
		legal := p.table.Legal(q)
		for set := p.spare[p.wind(q)]; set != 0; set = set.Rest() {
			if a := sim.Action(set.First()); legal.Has(a) {
				return a, nil
			}
		}
		return sim.NoAction, fmt.Errorf("no spare tile")
	}
	a, err := sim.ParseAction(text)
	if err != nil {
		return a, err
	}
	// The drawn tile may be named by its face, unless the same is held too.
	if legal := p.table.Legal(q); a.IsDiscard() && !legal.Has(a) {
		drawn := p.table.View(q).Drawn()
		switch {
		case a < sim.ActDiscardDrawn && drawn == tile.Face(a):
			return sim.ActDiscardDrawn, nil
		case a >= sim.ActReady && a < sim.ActReadyDrawn && drawn == tile.Face(a-sim.ActReady):
			return sim.ActReadyDrawn, nil
		}
	}
	return a, nil
}

// may reports whether one of the actions that text stands for is legal for q.
// A word such as "ready" or "chi" stands for all actions that begin with it.
func (p *place) may(q sim.Player, text string) bool {
	legal := p.table.Legal(q)
	phase := p.table.Phase()
	switch text {
	case "ron":
		return phase == sim.PhaseClaim && legal.Has(sim.ActWin)
	case "rob":
		return phase == sim.PhaseRob && legal.Has(sim.ActWin)
	case "tsumo":
		return phase == sim.PhaseTurn && legal.Has(sim.ActWin)
	}
	for a := range legal.All {
		if name := a.String(); name == text || strings.HasPrefix(name, text+" ") {
			return true
		}
	}
	if a, err := p.parseAction(q, text); err == nil {
		return legal.Has(a)
	}
	return false
}

// play carries out a command of a script:
//
//	E discard 5m          an action; whoever is not named passes and
//	S chi low, W pon      discards the drawn tile until then
//	until S               play on until it is a seat's turn
//	until live 4          play on until so many tiles can be drawn at a decision
//	until exhausted       play on until the wall is empty and nobody has won
//	run                   play on to the end of the hand
func (p *place) play(line string) error {
	p.fresh, p.seen = len(p.events), len(p.events)
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "run":
		return p.playOn(p.ended)
	case "until":
		if live, ok := strings.CutPrefix(rest, "live "); ok {
			n, err := strconv.Atoi(live)
			if err != nil {
				return err
			}
			return p.playOn(func() bool { return p.turn() >= 0 && p.table.View(0).Left() == n })
		}
		if rest == "exhausted" {
			return p.playOn(func() bool { return p.table.Phase() == sim.PhaseDeclare })
		}
		w, err := tile.ParseWind(rest)
		if err != nil {
			return err
		}
		return p.playOn(func() bool { return p.turn() == p.seat(w) })
	}
	for i, part := range strings.Split(line, ", ") {
		seat, text, _ := strings.Cut(part, " ")
		w, err := tile.ParseWind(seat)
		if err != nil {
			return err
		}
		if err := p.answer(p.seat(w), text, i == 0); err != nil {
			return err
		}
	}
	if a := p.table.Phase(); a == sim.PhaseClaim || a == sim.PhaseRob || a == sim.PhaseReady {
		// The others pass once one player has answered; a window that a
		// discard or kan has just opened stays open.
		if p.table.Decided() {
			return p.pass()
		}
	}
	return nil
}

// answer gives the answer of player q, playing on until it is legal; wait tells
// whether that is allowed.
func (p *place) answer(q sim.Player, text string, wait bool) error {
	for {
		if p.asked(q) {
			a, err := p.parseAction(q, text)
			legal := p.table.Legal(q)
			if err == nil && legal.Has(a) {
				return p.step(q, a)
			}
			if p.turn() == q || p.table.Phase() == sim.PhaseDeclare || !wait {
				return fmt.Errorf("%v may not %s: legal are %s", p.wind(q), text, list(&legal))
			}
		}
		if p.ended() || !wait {
			return fmt.Errorf("%v is never asked to %s", p.wind(q), text)
		}
		if err := p.idle(); err != nil {
			return err
		}
	}
}

// list writes a set of actions, separated by commas.
func list(l *sim.ActionSet) string {
	var names []string
	for a := range l.All {
		names = append(names, a.String())
	}
	return strings.Join(names, ", ")
}

// check tests a line of a script that asks something:
//
//	? S: pass, win            exactly what S may do
//	? S may pon               S may do so now
//	? S may not ready         S may not
//	? asked S W               who is asked; - for nobody
//	? turn S                  whose turn it is
//	? phase rob               what the table waits for
//	? live 68                 tiles that can be drawn
//	? live S 5                tiles that S can draw
//	? indicators 1z2z         the indicators turned
//	? waits S 1m4m            what the hand without a drawn tile waits for
//	? drawn S 5m              the drawn tile
//	? hand S 123m...          the concealed tiles
//	? yaku S riichi pinfu     yaku and yakuman of the win S is offered
//	? yaku S has ippatsu      one of them; lacks: not
//	? ready S human           how S has declared ready, or no
//	? flowers S 1f2f          the flowers S has exposed
//	? delta E +1000 S -1000   points won since the start; 0 for the others
//	? debts E<-S 20, E<-W 12  all debts, in points; - for none
//	? honba 1, ? deposits 0   counter and sticks
//	? next S1                 the next hand is this one
//	? over                    the match has ended
//	> pon S 5m from E         an event since the last command, in order
//	!> indicator              no such event since the last command
func (p *place) check(line string) error {
	if text, ok := strings.CutPrefix(line, "> "); ok {
		for i := p.seen; i < len(p.events); i++ {
			if p.text(p.events[i]) == text {
				p.seen = i + 1
				return nil
			}
		}
		return fmt.Errorf("no event %q in\n%s", text, p.transcript(p.seen))
	}
	if text, ok := strings.CutPrefix(line, "!> "); ok {
		for _, e := range p.events[p.fresh:] {
			if got := p.text(e); got == text || strings.HasPrefix(got, text+" ") {
				return fmt.Errorf("event %q in\n%s", got, p.transcript(p.fresh))
			}
		}
		return nil
	}
	text, _ := strings.CutPrefix(line, "? ")
	word, rest, _ := strings.Cut(text, " ")
	v := p.table.View(0)
	same := func(got string) error {
		if got != rest {
			return fmt.Errorf("%s is %s, want %s", word, got, rest)
		}
		return nil
	}
	switch word {
	case "asked":
		var seats []string
		for w := range tile.Wind(4) {
			if p.asked(p.seat(w)) {
				seats = append(seats, w.String())
			}
		}
		if seats == nil {
			seats = []string{"-"}
		}
		return same(strings.Join(seats, " "))
	case "turn":
		if p.turn() < 0 {
			return same("-")
		}
		return same(p.wind(p.turn()).String())
	case "phase":
		return same(p.table.Phase().String())
	case "live":
		if seat, n, ok := strings.Cut(rest, " "); ok {
			w, err := tile.ParseWind(seat)
			if got := strconv.Itoa(v.LeftOf(p.seat(w))); err == nil && got != n {
				return fmt.Errorf("%v has %s tiles left, want %s", w, got, n)
			}
			return err
		}
		return same(strconv.Itoa(v.Left()))
	case "indicators":
		var faces []tile.Face
		for i := range v.NumIndicators() {
			faces = append(faces, v.Indicator(i))
		}
		return same(tile.FormatFaces(faces))
	case "honba":
		return same(strconv.Itoa(p.table.Standing().Counter))
	case "deposits":
		return same(strconv.Itoa(p.table.Standing().Deposits))
	case "next":
		if p.table.Over() {
			return same("over")
		}
		return same(tile.Wind(p.table.Standing().Round).String() + strconv.Itoa(int(p.table.DealerChair())+1))
	case "over":
		if !p.table.Over() {
			return fmt.Errorf("the match goes on")
		}
		return nil
	case "delta":
		want, err := parseAmounts(rest, p.rules.Unit())
		if err != nil {
			return err
		}
		for w := range tile.Wind(4) {
			if got := p.delta(w); got != want[w] {
				return fmt.Errorf("%v won %s points, want %s in\n%s",
					w, p.rules.PointsText(got), p.rules.PointsText(want[w]), p.transcript(p.fresh))
			}
		}
		return nil
	case "debts":
		return same(p.debts())
	case "waits", "drawn", "hand", "yaku", "ready", "flowers":
		return p.checkSeat(word, rest)
	}
	w, err := tile.ParseWind(strings.TrimSuffix(word, ":"))
	if err != nil {
		return fmt.Errorf("unknown line %q", line)
	}
	legal := p.table.Legal(p.seat(w))
	if strings.HasSuffix(word, ":") {
		return same(list(&legal))
	}
	if action, ok := strings.CutPrefix(rest, "may not "); ok {
		if p.may(p.seat(w), action) {
			return fmt.Errorf("%v may %s: legal are %s", w, action, list(&legal))
		}
		return nil
	}
	action, ok := strings.CutPrefix(rest, "may ")
	if !ok {
		return fmt.Errorf("unknown line %q", line)
	}
	if !p.may(p.seat(w), action) {
		return fmt.Errorf("%v may not %s: legal are %s; the table is in phase %v", w, action, list(&legal), p.table.Phase())
	}
	return nil
}

// debts writes the debts of all seats.
func (p *place) debts() string {
	var list []string
	for w := range tile.Wind(4) {
		for x := range tile.Wind(4) {
			if d := p.table.View(0).Debts(p.seat(w))[p.seat(x)]; d.Points != 0 {
				list = append(list, fmt.Sprintf("%v<-%v %s", w, x, p.rules.PointsText(d.Points)))
			}
		}
	}
	if list == nil {
		return "-"
	}
	return strings.Join(list, ", ")
}

// formatFlowers writes a set of flowers.
func formatFlowers(set uint8) string {
	var faces []tile.Face
	for i := range tile.Face(8) {
		if set>>i&1 != 0 {
			faces = append(faces, tile.FirstFlower+i)
		}
	}
	return tile.FormatFaces(faces)
}

// delta returns the points a seat has won since the start.
func (p *place) delta(w tile.Wind) int32 {
	return p.table.Points()[p.seat(w)] - p.base[p.seat(w)]
}

// checkSeat tests a line about one seat.
func (p *place) checkSeat(word, rest string) error {
	seat, want, _ := strings.Cut(rest, " ")
	w, err := tile.ParseWind(seat)
	if err != nil {
		return err
	}
	q := p.seat(w)
	v := p.table.View(q)
	got := ""
	switch word {
	case "waits":
		got = v.Waits().String()
	case "drawn":
		got = v.Drawn().String()
	case "hand":
		got = tile.FormatFaces(concealed(v))
	case "ready":
		got = [...]string{"no", "ordinary", "double", "human", "earth", "heaven"}[v.Ready(q)]
	case "flowers":
		got = formatFlowers(v.Flowers(q))
	case "yaku":
		yaku := p.yaku(q)
		if id, ok := strings.CutPrefix(want, "has "); ok {
			if !slices.Contains(yaku, id) {
				return fmt.Errorf("%v would win with %v, without %s", w, yaku, id)
			}
			return nil
		}
		if id, ok := strings.CutPrefix(want, "lacks "); ok {
			if slices.Contains(yaku, id) {
				return fmt.Errorf("%v would win with %v, %s among them", w, yaku, id)
			}
			return nil
		}
		fields := strings.Fields(want)
		slices.Sort(fields)
		got, want = strings.Join(yaku, " "), strings.Join(fields, " ")
	}
	if got != want {
		return fmt.Errorf("%s of %v is %s, want %s", word, w, got, want)
	}
	return nil
}

// yaku returns the patterns of the win player q is offered, bonus tiles left
// out, in alphabetical order.
func (p *place) yaku(q sim.Player) []string {
	legal := p.table.Legal(q)
	if !legal.Has(sim.ActWin) {
		return nil
	}
	_, v := p.table.Appraise(q)
	var ids []string
	for _, s := range v.Patterns[:v.NumPatterns] {
		switch id := p.rules.Patterns()[s.Pattern].ID; id {
		case "dora", "aka_dora", "ura_dora":
		default:
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// concealed returns the concealed tiles of a view's player, sorted.
func concealed(v sim.View) []tile.Face {
	h, reds := v.Hand(), v.Reds()
	var faces []tile.Face
	for k := range tile.Kind(tile.NumKinds) {
		n := h.Count(k)
		if k.IsFive() {
			faces = append(faces, slices.Repeat([]tile.Face{tile.RedOf(k.Suit())}, int(reds[k.Suit()]))...)
			n -= int(reds[k.Suit()])
		}
		faces = append(faces, slices.Repeat([]tile.Face{tile.Face(k)}, n)...)
	}
	for i := range tile.Face(8) {
		if v.HeldFlowers()>>i&1 != 0 {
			faces = append(faces, tile.FirstFlower+i)
		}
	}
	return faces
}

// transcript writes the events from the given one on.
func (p *place) transcript(from int) string {
	var b strings.Builder
	for _, e := range p.events[from:] {
		fmt.Fprintf(&b, "\t%s\n", p.text(e))
	}
	return b.String()
}

// text writes an event, with seats of the hand.
func (p *place) text(e sim.Event) string {
	who := func(q sim.Player) string {
		switch {
		case q < 0:
			return "-"
		case q == sim.Player(ruleset.Pot):
			return "pot"
		}
		return p.wind(q).String()
	}
	pick := func(i uint8, words ...string) string { return words[i] }
	s := who(e.Player)
	giver := func() string { return "from " + who(sim.Player(e.Detail&3)) }
	reds := func() string { return pick(e.Detail>>4&3, "", " red", " red2") }
	switch e.Type {
	case sim.EvSeats:
		return fmt.Sprintf("seats %08x", e.Value)
	case sim.EvHandStart:
		round, index, honba, deposits := e.HandStart()
		return fmt.Sprintf("hand_start %v%d index %d honba %d deposits %d", tile.Wind(round), p.number, index, honba, deposits)
	case sim.EvDeal:
		return fmt.Sprintf("deal %s %s", s, tile.FormatFaces(dealt(e)))
	case sim.EvDraw:
		return fmt.Sprintf("draw %s %v %s live %d", s, e.Tile, pick(e.Detail, "deal", "wall", "kan", "flower"), e.Value)
	case sim.EvFlower:
		return fmt.Sprintf("flower %s %v", s, e.Tile)
	case sim.EvFlowerChoice:
		return fmt.Sprintf("flower_choice %s %s", s, pick(e.Detail, "award", "win"))
	case sim.EvDebt:
		return fmt.Sprintf("debt %s %s %s wins %d", s, who(sim.Player(e.Detail&3)), p.rules.PointsText(e.Value), e.Detail>>2)
	case sim.EvDiscard:
		return fmt.Sprintf("discard %s %v%s", s, e.Tile, pick(e.Detail, "", " drawn", " ready", " drawn ready"))
	case sim.EvReady:
		return fmt.Sprintf("ready %s %s%s", s, pick(uint8(e.Value), "declared", "accepted"), pick(e.Detail, "", "", " double", " human", " earth", " heaven"))
	case sim.EvChi:
		return fmt.Sprintf("chi %s %v %s %s%s", s, e.Tile, giver(), pick(e.Detail>>2&3, "low", "mid", "high"), reds())
	case sim.EvPon:
		return fmt.Sprintf("pon %s %v %s%s", s, e.Tile, giver(), reds())
	case sim.EvOpenKan:
		return fmt.Sprintf("open_kan %s %v %s", s, e.Tile, giver())
	case sim.EvClosedKan:
		return fmt.Sprintf("closed_kan %s %v", s, e.Tile)
	case sim.EvAddedKan:
		return fmt.Sprintf("added_kan %s %v", s, e.Tile)
	case sim.EvKanDone:
		return "kan_done " + s
	case sim.EvIndicator:
		if e.Detail == 1 {
			return fmt.Sprintf("ura %s %v", s, e.Tile)
		}
		return fmt.Sprintf("indicator %v", e.Tile)
	case sim.EvDeclare:
		return fmt.Sprintf("declare %s %s", s, pick(e.Detail, "noten", "tenpai"))
	case sim.EvExhausted:
		return "exhausted"
	case sim.EvAbort:
		return "abort " + sim.AbortReason(e.Detail).String()
	case sim.EvWin:
		return fmt.Sprintf("win %s %v %v from %s", s, e.Tile, sim.WinKind(e.Detail), who(sim.Player(e.Value)))
	case sim.EvValue:
		if e.Detail == 0 {
			return fmt.Sprintf("value %s %d", s, e.Value)
		}
		return fmt.Sprintf("value %s %d han %d fu %d", s, e.Detail, e.Tile, e.Value)
	case sim.EvReveal:
		if e.Detail == 1 {
			return fmt.Sprintf("reveal %s closed_kan %v", s, e.Tile)
		}
		return "reveal " + s
	case sim.EvPay:
		from, to, amount, reason := e.Pay()
		return fmt.Sprintf("pay %s %s %s %v", who(from), who(to), p.rules.PointsText(amount), reason)
	case sim.EvHandEnd:
		return fmt.Sprintf("hand_end %s honba %d deposits %d", pick(e.Detail, "passes", "stays"), e.Value&0xffff, e.Value>>16)
	case sim.EvPlacement:
		return fmt.Sprintf("placement player %d rank %d %d/120", e.Player, e.Detail, e.Value)
	case sim.EvForfeit:
		return "forfeit " + s
	case sim.EvTruncated:
		return "truncated"
	case sim.EvMatchEnd:
		return "match_end"
	}
	return fmt.Sprintf("event %+v", e)
}

// dealt returns the tiles of an EvDeal event.
func dealt(e sim.Event) []tile.Face {
	var faces []tile.Face
	for shift := 24; shift >= 0; shift -= 8 {
		if f := tile.Face(e.Value >> shift); f != tile.NoFace {
			faces = append(faces, f)
		}
	}
	return faces
}
