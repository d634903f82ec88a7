package tenhou

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/record/reading"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// Bits of the game type of Tenhou.
const (
	noReds       = 0x02
	noKuitan     = 0x04 // no open tanyao
	southToo     = 0x08 // two rounds
	threePlayers = 0x10
)

const (
	mjlogTiles = 136
	// mjlogUnit is the unit of places in the XML, which is a single line.
	mjlogUnit = "element"
	// mjlogYakuman is the limit of a yakuman in AGARI, counted yakuman included.
	mjlogYakuman = 5
	// mjlogPoints is the unit of scores and gains; the points of a hand alone are exact.
	mjlogPoints = 100
)

// gameKnobs returns the knobs of a game type. The set of three players has no five of
// characters.
func gameKnobs(bits int) map[string]any {
	reds, characters, rounds := int64(1), int64(1), int64(1)
	if bits&noReds != 0 {
		reds = 0
	}
	if bits&(noReds|threePlayers) != 0 {
		characters = 0
	}
	if bits&southToo != 0 {
		rounds = 2
	}
	return map[string]any{
		"aka_dora": []any{characters, reds, reds},
		"kuitan":   bits&noKuitan == 0,
		"rounds":   rounds,
	}
}

// mjlog reads the elements of Tenhou's XML one by one.
type mjlog struct {
	builder reading.Builder
	// name and attrs are those of the current element.
	name  string
	attrs map[string]string

	typed bool // the game type has been read
	reds  bool
	seed  *seed
	// first is the seat of the first dealer, who is player 0; -1 before it is known.
	first int
	ended bool // the match

	over   bool // the hand
	dealer int
	drawn  [sim.NumPlayers]int // tile drawn last and still held, -1 if none
	// window is the last discarded tile, windowOf the seat that discarded it.
	window, windowOf int
	ready            bool // the next discard declares
}

func parseMJLog(text []byte) (*record.Game, error) {
	l := &mjlog{builder: reading.Builder{Unit: mjlogUnit, Game: &record.Game{Unit: mjlogUnit, Acceptances: true}}, first: -1}
	d := xml.NewDecoder(bytes.NewReader(text))
	depth := 0
	for l.builder.Err == nil {
		t, err := d.RawToken()
		if err == io.EOF {
			break
		}
		if err != nil {
			l.builder.Place++
			l.builder.Fail("%s", strings.TrimPrefix(err.Error(), "XML "))
		}
		switch t := t.(type) {
		case xml.StartElement:
			l.builder.Place++
			l.name = t.Name.Local
			l.attrs = make(map[string]string, len(t.Attr))
			for _, a := range t.Attr {
				l.attrs[a.Name.Local] = a.Value
			}
			switch depth++; {
			case depth == 1 && l.name != "mjloggm":
				l.builder.Fail("the record begins with <%s>, not with <mjloggm>", l.name)
			case depth > 2:
				l.builder.Fail("<%s> inside another element", l.name)
			case depth == 2:
				l.element()
			}
		case xml.EndElement:
			depth--
		case xml.Directive:
			l.builder.Place++
			l.builder.Fail("a document type is declared; no record of Tenhou does")
		}
	}
	switch {
	case depth != 0:
		l.builder.Fail("the record is truncated after <%s>", l.name)
	case l.builder.Hand == nil:
		l.builder.Fail("the record has no hand")
	case !l.over:
		l.builder.Fail("the record ends within a hand")
	}
	if l.over {
		l.builder.EndHand()
	}
	l.builder.Game.AddStartingPoints()
	return l.builder.Finish()
}

// isTile reports whether an element is a draw or a discard.
func isTile(name string) bool { return strings.ContainsAny(name[:1], "TUVWDEFG") && isNumber(name[1:]) }

// mjlogAttrs are the attributes of the elements of which some are read, those with tiles left out.
var mjlogAttrs = map[string]string{
	"SHUFFLE": "seed ref", "GO": "type lobby", "UN": "n0 n1 n2 n3 dan rate sx", "TAIKYOKU": "oya",
	"INIT": "seed ten oya hai0 hai1 hai2 hai3", "N": "who m", "REACH": "who ten step", "DORA": "hai",
	"AGARI":     "ba hai m machi ten yaku yakuman doraHai doraHaiUra who fromWho paoWho sc owari",
	"RYUUKYOKU": "type ba hai0 hai1 hai2 hai3 sc owari",
}

func (l *mjlog) element() {
	// Each of several winners has an element.
	another := l.name == "AGARI" && l.builder.Hand != nil && len(l.builder.Hand.Wins) > 0
	outside := l.builder.Hand == nil || l.over && !another
	for _, attr := range slices.Sorted(maps.Keys(l.attrs)) {
		if known := mjlogAttrs[l.name]; known != "" && !slices.Contains(strings.Fields(known), attr) {
			l.builder.Note("<%s>: attribute %s is not known and was not read", l.name, attr)
		}
	}
	switch name := l.name; {
	case l.ended && name != "BYE" && name != "UN":
		l.builder.Fail("<%s> after the end of the match", name)
	case name == "SHUFFLE":
		l.shuffle()
	case name == "GO":
		l.gameType()
	case name == "UN":
		l.names()
	case name == "TAIKYOKU":
		l.first = l.number("oya", 0, l.seats()-1)
	// Of the room and not of the match.
	case slices.Contains([]string{"BYE", "CHAT", "HELO", "LN", "PROF", "RANKING", "REJOIN"}, name):
	case name == "INIT":
		l.begin()
	case mjlogAttrs[name] == "" && !isTile(name):
		l.builder.Note("<%s> is not known and was not read", name)
	case outside:
		l.builder.Fail("<%s> outside a hand", name)
	case name == "N":
		l.meld()
	case name == "REACH":
		step := l.number("step", 1, 2) // the declaration, then its acceptance
		l.ready = step == 1
		l.builder.Add(sim.Event{Type: sim.EvReady, Player: l.player("who"), Value: int32(step - 1)})
	case name == "DORA":
		l.builder.Add(sim.Event{Type: sim.EvIndicator, Player: -1, Tile: l.face(l.number("hai", 0, mjlogTiles-1))})
	case name == "AGARI":
		l.win()
	case name == "RYUUKYOKU":
		l.exhausted()
	default:
		l.drawOrDiscard()
	}
}

// number returns a number of a range from an attribute.
func (l *mjlog) number(attr string, least, most int) int {
	return l.parse(attr, l.attrs[attr], least, most)
}

func (l *mjlog) parse(attr, text string, least, most int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		l.builder.Fail("<%s>: %s is %q; allowed: %d to %d", l.name, attr, text, least, most)
		return least
	}
	return n
}

// numbers returns a list of numbers of a range from an attribute.
func (l *mjlog) numbers(attr string, least, most int) (list []int) {
	if text := l.attrs[attr]; text != "" {
		for field := range strings.SplitSeq(text, ",") {
			list = append(list, l.parse(attr, field, least, most))
		}
	}
	return list
}

// exactNumbers returns a list of n numbers of a range from an attribute.
func (l *mjlog) exactNumbers(n int, attr string, least, most int) []int {
	return reading.First(&l.builder, fmt.Sprintf("<%s>: %s", l.name, attr), l.numbers(attr, least, most), n)
}

func (l *mjlog) player(attr string) sim.Player {
	return l.seat(l.number(attr, 0, l.seats()-1))
}

// seats returns the number of players. Three sit on the first seats; the last one is empty.
func (l *mjlog) seats() int { return l.builder.Seats.Count() }

// seat returns the player of a seat of Tenhou.
func (l *mjlog) seat(who int) sim.Player {
	return sim.Player((who - l.first + l.seats()) % l.seats())
}

// seatOf returns the seat of Tenhou of a player.
func (l *mjlog) seatOf(p sim.Player) int { return (int(p) + l.first) % l.seats() }

// perSeat returns n numbers for each seat from an attribute, without those of an empty seat,
// which are 0 or missing.
func (l *mjlog) perSeat(n int, attr string) []int {
	list := l.numbers(attr, -1<<20, 1<<20)
	if extra := n * l.seats(); l.builder.Seats == ruleset.ThreeSeats && len(list) == n*sim.NumPlayers {
		if slices.ContainsFunc(list[extra:], func(points int) bool { return points != 0 }) {
			l.builder.Fail("<%s>: %s has points for the fourth seat, where three play", l.name, attr)
		}
		list = list[:extra]
	}
	return reading.First(&l.builder, fmt.Sprintf("<%s>: %s", l.name, attr), list, n*l.seats())
}

func (l *mjlog) face(t int) tile.Face { return faceOf(t, l.reds) }

// faceOf returns the face of one of the 136 tiles. The first copy of each five is red in
// games with red fives.
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

// shuffle reads the seed of the walls. It ignores undocumented shuffles, and begin those of
// three players, where the places of the tiles are not documented.
func (l *mjlog) shuffle() {
	text, ok := strings.CutPrefix(l.attrs["seed"], shuffleName+",")
	if !ok {
		return
	}
	var err error
	if l.seed, err = newSeed(text); err != nil {
		l.builder.Note("<SHUFFLE>: %v; the walls are those of the draws", err)
	}
}

// gameType reads the rules of the match. It comes before the first hand, which needs the number of
// players and whether fives are red.
func (l *mjlog) gameType() {
	bits := l.number("type", 0, 1<<16-1)
	if l.builder.Hand != nil {
		l.builder.Fail("<GO> after the beginning of the match")
	}
	if bits&threePlayers != 0 {
		l.builder.Seats, l.builder.Game.Seats, l.builder.Game.Ruleset = ruleset.ThreeSeats, ruleset.ThreeSeats, "tenhou_sanma"
	}
	l.typed, l.reds = true, bits&noReds == 0
	// The rules of a room are the preset's but for these.
	l.builder.Game.Knobs = gameKnobs(bits)
}

// names reads the names of the players. Within a match they mark a reconnected player.
func (l *mjlog) names() {
	if l.builder.Hand != nil {
		return
	}
	for who := range l.seats() {
		text, err := url.PathUnescape(l.attrs[fmt.Sprintf("n%d", who)])
		if err != nil {
			l.builder.Note("<UN>: n%d is not a name in percent-encoding", who)
		}
		if text != "" {
			l.builder.Game.Names[who] = strings.ToValidUTF8(text, "\ufffd")
		}
	}
}

// begin reads the beginning of a hand.
func (l *mjlog) begin() {
	switch {
	case l.builder.Hand != nil && !l.over:
		l.builder.Fail("<INIT> within a hand")
		return
	case l.builder.Hand != nil:
		l.builder.EndHand()
	case !l.typed:
		l.builder.Note("<GO> with the game type is missing; red fives, open tanyao and two rounds are taken")
		l.reds, l.builder.Game.Knobs = true, gameKnobs(southToo)
	}
	l.over = false
	seed := l.exactNumbers(6, "seed", 0, 1<<10)
	number, counter, deposits, indicator := seed[0], seed[1], seed[2], seed[5]
	shown := [2]int(seed[3:5]) // the dice, each less one
	points := l.perSeat(1, "ten")
	l.dealer = l.number("oya", 0, l.seats()-1)
	if l.first < 0 {
		l.first = l.dealer
	}
	if len(l.builder.Game.Hands) == 0 {
		names := l.builder.Game.Names
		for who, name := range names[:l.seats()] {
			l.builder.Game.Names[l.seat(who)] = name
		}
	}
	start := &sim.MatchState{
		Round: number / sim.NumPlayers, Dealer: l.seat(l.dealer), Counter: counter, Deposits: deposits,
	}
	for who, n := range points {
		start.Points[l.seat(who)] = int32(mjlogPoints * n)
	}
	h := record.Hand{Place: l.builder.Place, Start: start}
	if n := number % sim.NumPlayers; n != int(start.Dealer) {
		h.Contradiction = fmt.Sprintf("it is hand %d of the round, but seat %d deals", n+1, l.dealer)
	}
	if l.builder.Seats == ruleset.ThreeSeats && l.attrs["hai3"] != "" {
		l.builder.Fail("<INIT>: hai3 deals tiles to the fourth seat, where three play")
	}
	for who := range l.seats() {
		attr := fmt.Sprintf("hai%d", who)
		if n := strings.Count(l.attrs[attr], ",") + 1; n != 13 {
			l.builder.Fail("<INIT>: %s has %d tiles; 13 are needed", attr, n)
		}
		h.Deal[l.seat(who)] = l.faces(l.numbers(attr, 0, mjlogTiles-1))
	}
	if l.seed != nil && l.builder.Seats == ruleset.FourSeats {
		wall, dice := l.seed.next()
		h.Wall = &sim.Wall{}
		// Tenhou draws from the end of its list.
		for i := range wall {
			h.Wall[i] = l.face(int(wall[len(wall)-1-i]))
		}
		if shown != dice {
			h.Contradiction = fmt.Sprintf("another wall: the dice are %d and %d, by the shuffle %d and %d", shown[0]+1, shown[1]+1, dice[0]+1, dice[1]+1)
		}
	}
	l.ready = false
	l.drawn = [sim.NumPlayers]int{-1, -1, -1, -1}
	l.window, l.windowOf = -1, -1
	if indicator >= mjlogTiles {
		l.builder.Fail("<INIT>: the dora indicator is %d; allowed: 0 to %d", indicator, mjlogTiles-1)
	}
	if l.builder.Err != nil {
		return
	}
	l.builder.Hand = &h
	l.builder.Add(sim.Event{Type: sim.EvIndicator, Player: -1, Tile: l.face(indicator)})
}

// drawOrDiscard reads an element such as <T45/>: the letters T U V W are draws
// of the four seats, D E F G their discards.
func (l *mjlog) drawOrDiscard() {
	t, err := strconv.Atoi(l.name[1:])
	if who := strings.IndexByte("TUVW"[:l.seats()], l.name[0]); err == nil && who >= 0 && t >= 0 && t < mjlogTiles {
		l.drawn[who] = t
		l.builder.Add(sim.Event{Type: sim.EvDraw, Player: l.seat(who), Tile: l.face(t)})
		return
	}
	who := strings.IndexByte("DEFG"[:l.seats()], l.name[0])
	if err != nil || who < 0 || t < 0 || t >= mjlogTiles {
		l.builder.Fail("<%s> is not known", l.name)
		return
	}
	l.builder.Discard(l.seat(who), l.face(t), l.drawn[who] == t, l.ready)
	l.drawn[who], l.ready = -1, false
	l.window, l.windowOf = t, who
}

func (l *mjlog) win() {
	l.over = false // until its payments have been read, also those of a further winner
	p, giver := l.player("who"), l.player("fromWho")
	t := l.number("machi", 0, mjlogTiles-1)
	ten := l.exactNumbers(3, "ten", 0, 1<<20)
	fu, points, limit := ten[0], ten[1], ten[2]
	w := record.Win{Points: int32(points), Han: record.NotGiven, Fu: int32(fu)}
	if l.builder.Seats == ruleset.ThreeSeats && p == giver {
		w.Points = record.NotGiven // undocumented; the gains are compared
	}
	l.yaku(&w)
	if ura := l.numbers("doraHaiUra", 0, mjlogTiles-1); ura != nil {
		w.Ura = l.faces(ura)
	}
	// The fu of a yakuman are not meaningful.
	if limit == mjlogYakuman {
		w.Fu = record.NotGiven
	}
	l.builder.Hand.Wins = append(l.builder.Hand.Wins, w)
	l.builder.Add(sim.Event{Type: sim.EvWin, Player: p, Tile: l.face(t), Value: int32(giver)})
	l.addGains()
}

// yaku reads the patterns of a hand.
func (l *mjlog) yaku(w *record.Win) {
	_, ordinary := l.attrs["yaku"]
	if _, limit := l.attrs["yakuman"]; !ordinary && !limit {
		w.Yakuman = record.NotGiven
		return
	}
	w.Patterns = map[string]int{}
	list := l.numbers("yaku", 0, 1<<10) // each yaku followed by its han, 0 for ura dora that missed
	for i := 0; i+1 < len(list); i += 2 {
		switch {
		case list[i] >= len(mjlogYaku):
			l.builder.Note("<AGARI>: yaku %d is not known", list[i])
		case list[i+1] > 0:
			w.Patterns[mjlogYaku[list[i]]] += list[i+1]
		}
	}
	for _, y := range l.numbers("yakuman", 0, len(mjlogYaku)-1) {
		w.Patterns[mjlogYaku[y]]++
		w.Yakuman++
	}
}

// mjlogYaku are the pattern ids by the numbers of yaku.
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

// mjlogAborts are the abortive draws by name.
var mjlogAborts = map[string]sim.AbortReason{
	"yao9": sim.AbortNineKinds, "kaze4": sim.AbortFourWinds, "reach4": sim.AbortFourRiichi,
	"kan4": sim.AbortFourKans, "ron3": sim.AbortTripleRon,
}

// exhausted reads the end of a hand without a winner. "nm" is nagashi mangan.
func (l *mjlog) exhausted() {
	kind := l.attrs["type"]
	switch reason, aborted := mjlogAborts[kind]; {
	case aborted:
		l.builder.Abort(uint8(reason))
	case kind == "" || kind == "nm":
		const declared = true // hands that are not shown are noten
		l.builder.Exhausted(l.seat(l.dealer), declared, func(n int) bool {
			return l.attrs[fmt.Sprintf("hai%d", (l.dealer+n)%l.seats())] != ""
		})
	default:
		l.builder.Note("<RYUUKYOKU>: type %q is not known; it may be any end without a winner", kind)
		l.builder.Abort(record.UnknownAbort)
	}
	l.addGains()
}

// addGains reads the gains of the players, and at the end of the match their points.
func (l *mjlog) addGains() {
	sc := l.perSeat(2, "sc") // the score before and the gain of each
	var deltas [sim.NumPlayers]int32
	for who := range l.seats() {
		deltas[l.seat(who)] = int32(mjlogPoints * sc[2*who+1])
	}
	l.builder.AddDeltas(deltas)
	l.over = l.builder.Err == nil
	owari, ok := l.attrs["owari"]
	if !ok {
		return
	}
	fields := strings.Split(owari, ",")
	if len(fields) != 2*sim.NumPlayers { // with three players those of an empty seat may follow
		fields = reading.First(&l.builder, fmt.Sprintf("<%s>: owari", l.name), fields, 2*l.seats())
	}
	l.ended = true
	l.builder.Game.Points = &[sim.NumPlayers]int32{}
	for who := range l.seats() {
		l.builder.Game.Points[l.seat(who)] = int32(mjlogPoints * l.parse("owari", fields[2*who], -1<<20, 1<<20))
	}
}
