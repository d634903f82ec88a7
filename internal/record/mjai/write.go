package mjai

import (
	"encoding/json"
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// Writer writes a match as mjai lines, complete or as one player sees it.
//
// Lines are in the order of the table's events. A dora line comes when the rules turn the
// indicator, or before the discard that turns it; reach_accepted comes after the claim
// window of the declaring discard and before a claim. Lists by player have an entry for each
// player.
type Writer struct {
	rules   *ruleset.Rules
	names   [sim.NumPlayers]string
	seats   int
	kita    Kita
	viewer  sim.Player
	limited bool
	out     []byte

	points [sim.NumPlayers]int32
	// values are those of the winning hands of the match that are still to come.
	values []ruleset.Value
	// hands are the concealed tiles of the players, shown the players who show theirs at
	// the end of the hand. Neither is kept for lines limited to a player.
	hands record.Hands
	shown sim.Players
	// dealing is set until all tiles are dealt; start is then the start_kyoku so far and
	// first the dealer's extra tile.
	dealing bool
	start   Message
	first   tile.Face
	turn    sim.Player
	reached bool // the receiver has the next reach line already; see SkipReach
	// The end of a hand is written after all payments.
	wins    []winner
	tenpais []bool
	reason  string
	deltas  [sim.NumPlayers]int32
}

// winner is a winner of the hand.
type winner struct {
	win, value sim.Event
	ura        []string
	deltas     [sim.NumPlayers]int32
	tehais     []string
	yakus      yakus
}

// NewWriter returns a writer of matches under riichi rules; the error is that of
// other rules.
func NewWriter(r *ruleset.Rules, names [sim.NumPlayers]string) (*Writer, error) {
	if err := check(r); err != nil {
		return nil, err
	}
	return &Writer{rules: r, names: names, seats: r.NumSeats(), kita: KitaWord, hands: record.Hands{Rules: r}}, nil
}

// WithKita sets the word for Norths set aside, which is otherwise [KitaWord]. Call it before
// Append. It returns the writer.
func (e *Writer) WithKita(word Kita) *Writer {
	e.kita = word
	return e
}

// setKitaWord changes the type of the message of a North set aside to the word of the writer.
func (e *Writer) setKitaWord(m *Message) {
	if m.Type == string(KitaWord) {
		m.Type = string(e.kita)
	}
}

// LimitTo limits the lines to what player p sees: tiles that others are dealt and draw are
// "?". Call it before Append. It returns the writer.
func (e *Writer) LimitTo(p sim.Player) *Writer {
	e.viewer, e.limited = p, true
	return e
}

// WithValues sets the values of the winning hands of the match, which the hora lines
// need for their yakus, in the order of the EvWin events. Call it before Append. It
// returns the writer.
func (e *Writer) WithValues(values []ruleset.Value) *Writer {
	e.values = values
	return e
}

// SkipReach leaves out the reach line of the next declaration, which the receiver
// already has.
func (e *Writer) SkipReach() { e.reached = true }

// Append appends the lines that the events complete to dst. Pass all events of a match in
// order, in one or more calls; the events that follow an answer must be in one call. They
// may be limited to a player's view already. At each decision all lines before it are
// written.
func (e *Writer) Append(dst []byte, events []sim.Event) []byte {
	e.out = dst
	for len(events) > 0 {
		// The indicators that a discard turns come before its line.
		n := 1
		for events[0].Type == sim.EvDiscard && n < len(events) && events[n].Type == sim.EvIndicator {
			e.event(events[n])
			n++
		}
		e.event(events[0])
		events = events[n:]
	}
	dst, e.out = e.out, nil
	return dst
}

func (e *Writer) line(m *Message) {
	e.setKitaWord(m)
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // strings and numbers can be written
	}
	e.out = append(append(e.out, text...), '\n')
}

func (e *Writer) event(ev sim.Event) {
	if e.limited {
		ev = ev.SeenBy(e.viewer, &e.rules.Flow)
	}
	if e.dealing && ev.Type != sim.EvDeal && ev.Type != sim.EvDraw {
		if ev.Type == sim.EvIndicator {
			e.start.DoraMarker = Tile(ev.Tile)
		}
		e.endDeal()
		if ev.Type == sim.EvIndicator {
			return
		}
	}
	p := ev.Player
	if !e.limited {
		e.hands.Apply(ev)
	}
	switch ev.Type {
	case sim.EvSeats:
		e.startGame()
	case sim.EvHandStart:
		e.startHand(ev)
	case sim.EvDeal:
		dealt, hidden := ev.Deal()
		for _, f := range dealt {
			if hand := &e.start.Tehais[p]; len(*hand) < e.rules.HandSize && (f != tile.NoFace || hidden) {
				*hand = append(*hand, Tile(f))
			}
		}
	case sim.EvDraw:
		e.turn = p
		if e.dealing {
			e.first = ev.Tile
			break
		}
		e.line(&Message{Type: "tsumo", Actor: &p, Pai: Tile(ev.Tile)})
	case sim.EvDiscard, sim.EvClosedKan, sim.EvAddedKan, sim.EvKita:
		e.line(eventMessage(ev, e.rules))
	case sim.EvReady:
		if _, accepted := ev.Ready(); accepted {
			e.line(&Message{Type: "reach_accepted", Actor: &p})
		} else if !e.reached {
			e.line(&Message{Type: "reach", Actor: &p})
		}
		e.reached = false
	case sim.EvChi, sim.EvPon, sim.EvOpenKan:
		e.turn = p
		e.line(eventMessage(ev, e.rules))
	case sim.EvIndicator:
		if !ev.Ura() {
			e.line(&Message{Type: "dora", DoraMarker: Tile(ev.Tile)})
			break
		}
		w := &e.wins[len(e.wins)-1]
		w.ura = append(w.ura, Tile(ev.Tile))
	case sim.EvReveal:
		if !ev.Reveal() {
			e.shown |= p.Bit()
		}
	case sim.EvDeclare:
		if e.tenpais == nil {
			e.tenpais = make([]bool, e.seats)
		}
		e.tenpais[p] = ev.Declare()
	case sim.EvExhausted:
		e.reason = exhausted
	case sim.EvAbort:
		e.reason = reasons[ev.Abort()]
	case sim.EvWin:
		e.addWinner(ev)
	case sim.EvValue:
		e.wins[len(e.wins)-1].value = ev
	case sim.EvPay:
		e.pay(ev)
	case sim.EvHandEnd:
		e.endHand()
	case sim.EvMatchEnd:
		e.line(&Message{Type: "end_game", Scores: e.points[:e.seats]})
	}
}

func (e *Writer) startGame() {
	for p := range e.seats {
		e.points[p] = int32(e.rules.StartingPoints)
	}
	red := e.rules.AkaDora != [3]int{}
	m := &Message{Type: "start_game", Names: e.names[:e.seats], AkaFlag: &red}
	if e.limited {
		m.ID = &e.viewer
	}
	e.line(m)
}

func (e *Writer) startHand(ev sim.Event) {
	round, _, counter, deposits := ev.HandStart()
	dealer := ev.Player
	scores := e.points
	e.start = Message{
		Type: "start_kyoku", Bakaze: "ESWN"[round&3:][:1], Kyoku: int(dealer) + 1,
		Honba: &counter, Kyotaku: &deposits, Oya: &dealer, Scores: scores[:e.seats],
		Tehais: make([][]string, e.seats),
	}
	e.dealing, e.turn, e.wins, e.tenpais, e.reason, e.deltas, e.shown = true, -1, nil, nil, "", [sim.NumPlayers]int32{}, 0
}

// endDeal writes the start of the hand and the dealer's first tile.
func (e *Writer) endDeal() {
	e.dealing = false
	e.line(&e.start)
	if e.turn >= 0 {
		dealer := e.turn
		e.line(&Message{Type: "tsumo", Actor: &dealer, Pai: Tile(e.first)})
	}
}

// eventMessage returns the message of a discard, claim, kan or North set aside.
func eventMessage(e sim.Event, r *ruleset.Rules) *Message {
	p, k := e.Player, e.Tile.Kind()
	m := &Message{Actor: &p, Pai: Tile(e.Tile)}
	reds := 0
	if k.IsFive() {
		reds = r.AkaDora[k.Suit()]
	}
	switch e.Type {
	case sim.EvDiscard:
		drawn, _ := e.Discard()
		m.Type, m.Tsumogiri = "dahai", &drawn
	case sim.EvKita:
		m.Type = string(KitaWord)
	case sim.EvClosedKan:
		m.Type, m.Pai, m.Consumed = "ankan", "", sameKind(k, 4, reds)
	case sim.EvAddedKan:
		if e.Tile.IsRed() {
			reds--
		}
		m.Type, m.Consumed = "kakan", sameKind(k, 3, reds)
	default:
		giver, _, _ := e.Call()
		m.Type, m.Target, m.Consumed = claimTypes[e.Type], &giver, names(e.AppendSpent(nil, &r.Flow))
	}
	return m
}

// sameKind returns n tiles of a kind, the first of them red.
func sameKind(k tile.Kind, n, reds int) []string {
	list := make([]string, n)
	for i := range list {
		f := tile.Face(k)
		if i < reds {
			f = tile.RedOf(k.Suit())
		}
		list[i] = Tile(f)
	}
	return list
}

// pay applies a payment; the deltas of a winner go to his hora line.
func (e *Writer) pay(ev sim.Event) {
	_, to, _, _ := ev.Pay()
	deltas := &e.deltas
	for i := range e.wins {
		if e.wins[i].win.Player == to {
			deltas = &e.wins[i].deltas
		}
	}
	record.ApplyPayment(ev, &e.points, deltas)
}

func (e *Writer) endHand() {
	if e.wins == nil {
		m := &Message{Type: "ryukyoku", Reason: e.reason, Tenpais: e.tenpais, Tehais: e.tehais(), Deltas: e.deltas[:e.seats], Scores: e.points[:e.seats]}
		if e.reason == reasons[sim.AbortNineKinds] {
			m.Actor = &e.turn
		}
		e.line(m)
	}
	// The scores of a line are those after its own deltas.
	scores := e.points
	for _, w := range e.wins {
		for p, n := range w.deltas {
			scores[p] -= n
		}
	}
	for i := range e.wins {
		w := &e.wins[i]
		for p, n := range w.deltas {
			scores[p] += n
		}
		target := sim.Player(w.win.Value)
		points, han, minipoints := w.value.HandValue()
		fan, fu := int32(han), int32(minipoints)
		after := scores
		e.line(&Message{
			Type: "hora", Actor: &w.win.Player, Target: &target, Pai: Tile(w.win.Tile), UraMarkers: w.ura,
			Fan: &fan, Fu: &fu, HoraPoints: &points, HoraTehais: w.tehais, Yakus: w.yakus, Deltas: w.deltas[:e.seats], Scores: after[:e.seats],
		})
	}
	e.line(&Message{Type: "end_kyoku"})
}

func (e *Writer) addWinner(ev sim.Event) {
	w := winner{win: ev, ura: []string{}, tehais: names(e.hands.Concealed[ev.Player])}
	if len(e.values) > 0 {
		w.yakus = yakusOf(e.rules, &e.values[0])
		e.values = e.values[1:]
	}
	e.wins = append(e.wins, w)
}

// tehais returns the concealed tiles of all players at the end of a hand without a winner,
// with hands that are not shown hidden; nil if the lines are limited.
func (e *Writer) tehais() [][]string {
	if e.limited {
		return nil
	}
	list := make([][]string, e.seats)
	for p, held := range e.hands.Concealed[:e.seats] {
		list[p] = names(held)
		if !e.shown.Has(sim.Player(p)) {
			list[p] = slices.Repeat([]string{hiddenTile}, len(held))
		}
	}
	return list
}

func names(faces []tile.Face) (list []string) {
	for _, f := range faces {
		list = append(list, Tile(f))
	}
	return list
}

// exhausted and reasons are the reasons of ryukyoku.
const exhausted = "fanpai"

var reasons = [...]string{
	sim.AbortNineKinds: "kyushukyuhai", sim.AbortFourWinds: "sufonrenda", sim.AbortFourRiichi: "suchareach",
	sim.AbortFourKans: "sukaikan", sim.AbortTripleRon: "sanchaho",
}
