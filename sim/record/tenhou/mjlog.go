package tenhou

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// Bits of the game type of Tenhou.
const (
	noReds       = 0x02
	noKuitan     = 0x04 // no open tanyao
	southToo     = 0x08 // two rounds
	threePlayers = 0x10 // three players
)

const (
	mjlogTiles = 136
	// mjlogUnit is what places in the XML count: all of it is one line.
	mjlogUnit = "element"
	// mjlogYakuman is the limit of a yakuman in AGARI, counted ones included.
	mjlogYakuman = 5
)

// gameKnobs returns the rules that a game type names.
func gameKnobs(bits int) map[string]any {
	reds, rounds := int64(1), int64(1)
	if bits&noReds != 0 {
		reds = 0
	}
	if bits&southToo != 0 {
		rounds = 2
	}
	return map[string]any{
		"aka_dora": []any{reds, reds, reds},
		"kuitan":   bits&noKuitan == 0,
		"rounds":   rounds,
	}
}

// mjlog reads the elements of Tenhou's XML one by one.
type mjlog struct {
	game record.Game
	// at counts the elements, from 1; name and attrs are of the one at hand.
	at    int
	name  string
	attrs map[string]string

	typed bool // the game type has been read
	reds  bool
	seed  *seed
	// first is who deals first, -1 before that is told; players are counted from
	// there on.
	first int
	ended bool // the match

	hand   *record.Hand
	over   bool // the hand
	dealer int
	drawn  [sim.NumPlayers]int // tile drawn last and still held, -1 if none
	// window is the tile discarded last, windowOf by which seat.
	window, windowOf int
	ready            bool // the next discard declares
}

func parseMJLog(text []byte) (*record.Game, error) {
	l := &mjlog{game: record.Game{Unit: mjlogUnit}, first: -1}
	d := xml.NewDecoder(bytes.NewReader(text))
	depth := 0
	breaksOff := func(at int, message string) (*record.Game, error) {
		cut := &record.PlaceError{Unit: mjlogUnit, At: at, Message: message}
		if n := len(l.game.Hands); l.hand != nil && !l.over {
			l.game.Hands = l.game.Hands[:n-1]
		}
		if len(l.game.Hands) == 0 {
			return nil, cut
		}
		l.game.Cut = cut
		l.game.NameStart()
		return &l.game, nil
	}
	for {
		t, err := d.RawToken()
		if err == io.EOF {
			break
		}
		if err != nil {
			message := strings.TrimPrefix(err.Error(), "XML ")
			if rest := text[d.InputOffset():]; strings.HasSuffix(message, "unexpected EOF") && len(rest) == 0 {
				return breaksOff(l.at+1, message)
			}
			return nil, &record.PlaceError{Unit: mjlogUnit, At: l.at + 1, Message: message}
		}
		switch t := t.(type) {
		case xml.StartElement:
			l.at++
			l.name = t.Name.Local
			l.attrs = make(map[string]string, len(t.Attr))
			for _, a := range t.Attr {
				l.attrs[a.Name.Local] = a.Value
			}
			if depth++; depth == 1 && l.name != "mjloggm" {
				return nil, l.fail("the record begins with <%s>, not with <mjloggm>", l.name)
			}
			if depth > 2 {
				return nil, l.fail("<%s> stands inside another element", l.name)
			}
			if depth == 2 {
				if err := l.element(); err != nil {
					return nil, err
				}
			}
		case xml.EndElement:
			depth--
		case xml.Directive:
			return nil, &record.PlaceError{Unit: mjlogUnit, At: l.at + 1, Message: "a document type is declared; no record of Tenhou does"}
		}
	}
	switch {
	case depth != 0:
		return breaksOff(l.at, fmt.Sprintf("the record is truncated after <%s>", l.name))
	case l.hand == nil:
		return nil, errors.New("the record has no hand")
	case !l.over:
		return breaksOff(l.at, "the record ends in the midst of a hand")
	}
	l.game.NameStart()
	return &l.game, nil
}

func (l *mjlog) fail(format string, args ...any) error {
	return &record.PlaceError{Unit: mjlogUnit, At: l.at, Message: fmt.Sprintf(format, args...)}
}

// element reads the element at hand.
func (l *mjlog) element() error {
	if l.ended && l.name != "BYE" && l.name != "UN" {
		return l.fail("<%s> stands after the end of the match", l.name)
	}
	switch l.name {
	case "SHUFFLE":
		return l.shuffle()
	case "GO":
		return l.gameType()
	case "UN":
		return l.names()
	case "TAIKYOKU":
		first, err := l.number("oya", 0, sim.NumPlayers-1)
		l.first = first
		return err
	case "BYE", "CHAT", "HELO", "LN", "PROF", "RANKING", "REJOIN":
		return nil
	case "INIT":
		return l.begin()
	}
	// Of several winners each has an element.
	another := l.name == "AGARI" && l.hand != nil && len(l.hand.Wins) > 0
	if l.hand == nil || l.over && !another {
		return l.fail("<%s> stands outside a hand", l.name)
	}
	switch l.name {
	case "N":
		return l.meld()
	case "REACH":
		return l.reach()
	case "DORA":
		t, err := l.number("hai", 0, mjlogTiles-1)
		if err == nil {
			l.add(sim.Event{Type: sim.EvIndicator, Player: -1, Tile: l.face(t)})
		}
		return err
	case "AGARI":
		return l.win()
	case "RYUUKYOKU":
		return l.exhausted()
	}
	return l.drawOrDiscard()
}

// number returns an attribute that is a number in a range.
func (l *mjlog) number(attr string, least, most int) (int, error) {
	return l.parse(attr, l.attrs[attr], least, most)
}

func (l *mjlog) parse(attr, text string, least, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, l.fail("<%s>: %s is %q; allowed: %d to %d", l.name, attr, text, least, most)
	}
	return n, nil
}

// numbers returns an attribute that is a list of numbers in a range.
func (l *mjlog) numbers(attr string, least, most int) ([]int, error) {
	text, ok := l.attrs[attr]
	if !ok || text == "" {
		return nil, nil
	}
	var list []int
	for field := range strings.SplitSeq(text, ",") {
		n, err := l.parse(attr, field, least, most)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// exactly returns an attribute that is a list of n numbers in a range.
func (l *mjlog) exactly(n int, attr string, least, most int) ([]int, error) {
	list, err := l.numbers(attr, least, most)
	if err == nil && len(list) != n {
		err = l.fail("<%s>: %s has %d numbers; %d are needed", l.name, attr, len(list), n)
	}
	return list, err
}

// player returns the player of an attribute.
func (l *mjlog) player(attr string) (sim.Player, error) {
	who, err := l.number(attr, 0, sim.NumPlayers-1)
	return l.seat(who), err
}

// seat returns the player of a seat of Tenhou.
func (l *mjlog) seat(who int) sim.Player {
	return sim.Player((who - l.first + sim.NumPlayers) % sim.NumPlayers)
}

// face returns the face of one of the 136 tiles.
func (l *mjlog) face(t int) tile.Face { return faceOf(t, l.reds) }

// faceOf returns the face of one of the 136 tiles; the first of each five is
// red in games with red fives.
func faceOf(t int, reds bool) tile.Face {
	k := tile.Kind(t / 4)
	if reds && t%4 == 0 && k.IsFive() {
		return tile.RedOf(k.Suit())
	}
	return tile.Face(k)
}

func (l *mjlog) faces(tiles []int) []tile.Face {
	list := make([]tile.Face, len(tiles))
	for i, t := range tiles {
		list[i] = l.face(t)
	}
	return list
}

func (l *mjlog) add(e sim.Event) {
	l.hand.Events = append(l.hand.Events, record.Event{Event: e, At: l.at})
}

// shuffle reads where the walls come from. The walls of other ways of shuffling
// than the one that is documented are not known.
func (l *mjlog) shuffle() error {
	text, ok := strings.CutPrefix(l.attrs["seed"], shuffleName+",")
	if !ok {
		return nil
	}
	seed, err := newSeed(text)
	if err != nil {
		return l.fail("<SHUFFLE>: %v", err)
	}
	l.seed = seed
	return nil
}

func (l *mjlog) gameType() error {
	bits, err := l.number("type", 0, 1<<16-1)
	if err != nil {
		return err
	}
	if bits&threePlayers != 0 {
		return l.fail("game type %d is played by three", bits)
	}
	l.typed, l.reds = true, bits&noReds == 0
	l.game.Knobs = gameKnobs(bits)
	return nil
}

// names reads the names of the players. Those in the midst of a match tell who
// has come back.
func (l *mjlog) names() error {
	if l.hand != nil {
		return nil
	}
	for who := range sim.NumPlayers {
		name, ok := l.attrs[fmt.Sprintf("n%d", who)]
		if !ok {
			continue
		}
		text, err := url.PathUnescape(name)
		if err != nil {
			return l.fail("<UN>: n%d is no name", who)
		}
		l.game.Names[who] = strings.ToValidUTF8(text, "\ufffd")
	}
	return nil
}

// begin reads the beginning of a hand.
func (l *mjlog) begin() error {
	switch {
	case !l.typed:
		return l.fail("<INIT> stands before <GO>, which tells the kind of game")
	case l.hand != nil && !l.over:
		return l.fail("<INIT> stands in the midst of a hand")
	}
	seed, err := l.exactly(6, "seed", 0, 1<<10)
	if err != nil {
		return err
	}
	points, err := l.exactly(sim.NumPlayers, "ten", -1<<20, 1<<20)
	if err != nil {
		return err
	}
	if l.dealer, err = l.number("oya", 0, sim.NumPlayers-1); err != nil {
		return err
	}
	if l.first < 0 {
		l.first = l.dealer
	}
	if l.hand == nil {
		names := l.game.Names
		for who, name := range names {
			l.game.Names[l.seat(who)] = name
		}
	}
	start := &sim.Standing{
		Round: seed[0] / sim.NumPlayers, Dealer: l.seat(l.dealer), Counter: seed[1], Deposits: seed[2],
	}
	for who, n := range points {
		start.Points[l.seat(who)] = int32(100 * n)
	}
	h := record.Hand{At: l.at, Start: start}
	if n := seed[0] % sim.NumPlayers; n != int(start.Dealer) {
		h.Contradiction = fmt.Sprintf("it is hand %d of the round, but seat %d deals", n+1, l.dealer)
	}
	for who := range sim.NumPlayers {
		tiles, err := l.exactly(13, fmt.Sprintf("hai%d", who), 0, mjlogTiles-1)
		if err != nil {
			return err
		}
		h.Deal[l.seat(who)] = l.faces(tiles)
	}
	if l.seed != nil {
		wall, dice := l.seed.next()
		h.Wall = &sim.Wall{}
		for i := range wall {
			h.Wall[i] = l.face(int(wall[len(wall)-1-i]))
		}
		if [2]int{seed[3], seed[4]} != dice {
			h.Contradiction = fmt.Sprintf("another wall: the dice are %d and %d, by the shuffle %d and %d", seed[3]+1, seed[4]+1, dice[0]+1, dice[1]+1)
		}
	}
	l.game.Hands = append(l.game.Hands, h)
	l.hand = &l.game.Hands[len(l.game.Hands)-1]
	l.over, l.ready = false, false
	l.drawn = [sim.NumPlayers]int{-1, -1, -1, -1}
	l.window, l.windowOf = -1, -1
	if seed[5] >= mjlogTiles {
		return l.fail("<INIT>: the dora indicator is %d; allowed: 0 to %d", seed[5], mjlogTiles-1)
	}
	l.add(sim.Event{Type: sim.EvIndicator, Player: -1, Tile: l.face(seed[5])})
	return nil
}

// drawOrDiscard reads an element such as <T45/>: the letters T U V W are draws
// of the four seats, D E F G their discards.
func (l *mjlog) drawOrDiscard() error {
	t, err := strconv.Atoi(l.name[1:])
	if who := strings.IndexByte("TUVW", l.name[0]); err == nil && who >= 0 && t >= 0 && t < mjlogTiles {
		l.drawn[who] = t
		l.add(sim.Event{Type: sim.EvDraw, Player: l.seat(who), Tile: l.face(t)})
		return nil
	}
	who := strings.IndexByte("DEFG", l.name[0])
	if err != nil || who < 0 || t < 0 || t >= mjlogTiles {
		return l.fail("<%s> is not known", l.name)
	}
	e := sim.Event{Type: sim.EvDiscard, Player: l.seat(who), Tile: l.face(t)}
	if l.drawn[who] == t {
		e.Detail |= sim.DiscardDrawn
	}
	if l.ready {
		e.Detail |= sim.DiscardReady
	}
	l.drawn[who], l.ready = -1, false
	l.window, l.windowOf = t, who
	l.add(e)
	return nil
}

func (l *mjlog) reach() error {
	p, err := l.player("who")
	if err != nil {
		return err
	}
	step, err := l.number("step", 1, 2)
	if err != nil {
		return err
	}
	l.ready = step == 1
	l.add(sim.Event{Type: sim.EvReady, Player: p, Value: int32(step - 1)})
	return nil
}

// win reads one winner.
func (l *mjlog) win() error {
	p, err := l.player("who")
	if err != nil {
		return err
	}
	giver, err := l.player("fromWho")
	if err != nil {
		return err
	}
	t, err := l.number("machi", 0, mjlogTiles-1)
	if err != nil {
		return err
	}
	ten, err := l.exactly(3, "ten", 0, 1<<20)
	if err != nil {
		return err
	}
	w := record.Win{Points: int32(ten[1]), Han: record.NotTold, Fu: int32(ten[0])}
	if err := l.yaku(&w); err != nil {
		return err
	}
	ura, err := l.numbers("doraHaiUra", 0, mjlogTiles-1)
	if err != nil {
		return err
	}
	if ura != nil {
		w.Ura = l.faces(ura)
	}
	// Above a sanbaiman the fu say nothing.
	if ten[2] == mjlogYakuman {
		w.Fu = record.NotTold
	}
	l.hand.Wins = append(l.hand.Wins, w)
	l.add(sim.Event{Type: sim.EvWin, Player: p, Tile: l.face(t), Value: int32(giver)})
	return l.paid()
}

// yaku reads what a hand is made of.
func (l *mjlog) yaku(w *record.Win) error {
	_, ordinary := l.attrs["yaku"]
	if _, limit := l.attrs["yakuman"]; !ordinary && !limit {
		w.Yakuman = record.NotTold
		return nil
	}
	w.Patterns = map[string]int{}
	list, err := l.numbers("yaku", 0, 1<<10)
	if err != nil {
		return err
	}
	for i := 0; i+1 < len(list); i += 2 {
		if list[i] >= len(mjlogYaku) {
			return l.fail("<AGARI>: yaku %d is not known", list[i])
		}
		if list[i+1] > 0 {
			w.Patterns[mjlogYaku[list[i]]] += list[i+1]
		}
	}
	limits, err := l.numbers("yakuman", 0, len(mjlogYaku)-1)
	if err != nil {
		return err
	}
	for _, y := range limits {
		w.Patterns[mjlogYaku[y]]++
	}
	w.Yakuman = int32(len(limits))
	return nil
}

// mjlogYaku is the pattern ids of the numbers of yaku.
var mjlogYaku = [...]string{
	"menzen_tsumo", "riichi", "ippatsu", "chankan", "rinshan_kaihou", "haitei", "houtei", "pinfu", "tanyao", "iipeikou",
	"yakuhai_seat_wind", "yakuhai_seat_wind", "yakuhai_seat_wind", "yakuhai_seat_wind",
	"yakuhai_round_wind", "yakuhai_round_wind", "yakuhai_round_wind", "yakuhai_round_wind",
	"yakuhai_haku", "yakuhai_hatsu", "yakuhai_chun", "double_riichi", "chiitoitsu", "chanta", "ittsu",
	"sanshoku_doujun", "sanshoku_doukou", "sankantsu", "toitoi", "sanankou", "shousangen", "honroutou",
	"ryanpeikou", "junchan", "honitsu", "chinitsu", "renhou", "tenhou", "chiihou", "daisangen",
	"suuankou", "suuankou_tanki", "tsuuiisou", "ryuuiisou", "chinroutou", "chuuren_poutou",
	"junsei_chuuren_poutou", "kokushi_musou", "kokushi_musou_13", "daisuushii", "shousuushii", "suukantsu",
	"dora", "ura_dora", "aka_dora",
}

// mjlogAborts are the abortive draws by their names.
var mjlogAborts = map[string]sim.AbortReason{
	"yao9": sim.AbortNineKinds, "kaze4": sim.AbortFourWinds, "reach4": sim.AbortFourRiichi,
	"kan4": sim.AbortFourKans, "ron3": sim.AbortTripleRon,
}

// exhausted reads a hand that nobody won. "nm" is nagashi mangan.
func (l *mjlog) exhausted() error {
	kind := l.attrs["type"]
	if reason, ok := mjlogAborts[kind]; ok {
		l.add(sim.Event{Type: sim.EvAbort, Player: -1, Detail: uint8(reason)})
		return l.paid()
	}
	if kind != "" && kind != "nm" {
		return l.fail("<RYUUKYOKU>: type %q is not known", kind)
	}
	l.add(sim.Event{Type: sim.EvExhausted, Player: -1})
	for i := range sim.NumPlayers {
		who := (l.dealer + i) % sim.NumPlayers
		e := sim.Event{Type: sim.EvDeclare, Player: l.seat(who)}
		if _, shown := l.attrs[fmt.Sprintf("hai%d", who)]; shown {
			e.Detail = 1
		}
		l.add(e)
	}
	return l.paid()
}

// paid reads who pays what, and at the end of the match its points.
func (l *mjlog) paid() error {
	sc, err := l.exactly(2*sim.NumPlayers, "sc", -1<<20, 1<<20)
	if err != nil {
		return err
	}
	if l.hand.Paid == nil {
		l.hand.Paid = &[sim.NumPlayers]int32{}
	}
	for who := range sim.NumPlayers {
		l.hand.Paid[l.seat(who)] += int32(100 * sc[2*who+1])
	}
	l.over = true
	owari, ok := l.attrs["owari"]
	if !ok {
		return nil
	}
	fields := strings.Split(owari, ",")
	if len(fields) != 2*sim.NumPlayers {
		return l.fail("<%s>: owari has %d numbers; %d are needed", l.name, len(fields), 2*sim.NumPlayers)
	}
	l.ended = true
	l.game.Points = &[sim.NumPlayers]int32{}
	for who := range sim.NumPlayers {
		n, err := l.parse("owari", fields[2*who], -1<<20, 1<<20)
		if err != nil {
			return err
		}
		l.game.Points[l.seat(who)] = int32(100 * n)
	}
	return nil
}
