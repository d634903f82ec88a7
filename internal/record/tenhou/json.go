package tenhou

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/record/reading"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// jsonRecord is a record by the editor or the download of tenhou.net/6.
type jsonRecord struct {
	Ref  string   `json:"ref"`
	Name []string `json:"name"`
	Rule struct {
		Disp                     string
		Aka, Aka51, Aka52, Aka53 *int
	} `json:"rule"`
	Log [][]json.RawMessage `json:"log"`
	SC  []float64           `json:"sc"`
	// What is not read.
	Title, Ver, RatingC, Lobby, Dan, Rate, SX, Connection reading.Unread
}

// Indices in the array of a hand: the start as three numbers, the points, the indicators,
// for each player three lists with the deal, the draws and claims, the discards and kans,
// and the result. With three players the lists of the fourth are empty.
const (
	jsonStart = iota
	jsonPoints
	jsonDora
	jsonUra
	jsonPlayers
	jsonResult = jsonPlayers + 3*sim.NumPlayers
	jsonParts  = jsonResult + 1
)

// jsonUnit is the unit of places in the JSON: the entries of log, one per hand.
const jsonUnit = "entry"

func parseJSON(text []byte) (*record.Game, error) {
	g := &record.Game{Unit: jsonUnit}
	b := &reading.Builder{Unit: jsonUnit, Place: 1, Game: g}
	var doc jsonRecord
	const aroundHand = 2 // a hand lies in log, and that in the record
	text, cut := reading.Close(text, aroundHand)
	if err := b.Unmarshal(text, &doc); err != nil && len(doc.Log) > 0 {
		b.Note("%v; it was not read", err)
	} else if len(doc.Log) == 0 {
		b.Fail("no record of tenhou.net/6: %s", cmp.Or(cut, "it has no hand in log"))
		return b.Finish()
	}
	soul := isSoulRoom(doc.Rule.Disp)
	switch g.Seats = doc.seats(); {
	case g.Seats == ruleset.ThreeSeats && soul:
		g.Ruleset = "mahjong_soul_sanma"
	case g.Seats == ruleset.ThreeSeats:
		g.Ruleset = "tenhou_sanma"
	case strings.Contains(doc.Rule.Disp, "三"):
		b.Fail("rule %q is played by three, but the record has a fourth player", doc.Rule.Disp)
	case soul:
		g.Ruleset = "mahjong_soul"
	}
	g.Knobs = doc.knobs(g.Seats)
	maps.Copy(g.Knobs, knobsByDate(doc.Ref))
	for p := range min(len(doc.Name), g.Seats.Count()) {
		g.Names[p] = doc.Name[p]
	}
	b.Seats = g.Seats
	for i, parts := range doc.Log {
		b.Place = i + 1
		h := jsonHand{builder: b}
		if err := h.read(parts); err != nil || b.Err != nil {
			b.Hand = nil // the order of its events is not known
			b.Fail("%v", err)
			break
		}
		b.EndHand()
	}
	g.AddStartingPoints()
	if len(doc.SC) >= 2*sim.NumPlayers { // points and placement points of each
		g.Points = &[sim.NumPlayers]int32{}
		for p := range g.Points {
			g.Points[p] = int32(reading.First(b, "sc", doc.SC, 2*sim.NumPlayers)[2*p])
		}
	}
	if cut != "" {
		b.Place = len(doc.Log) + 1
		b.Fail("%s", cut)
	}
	return b.Finish()
}

// seats returns the number of players: three where the first hand deals no tiles to the
// fourth.
func (d *jsonRecord) seats() ruleset.Seats {
	const fourth = jsonPlayers + 3*(sim.NumPlayers-1)
	var dealt []json.RawMessage
	if parts := d.Log[0]; len(parts) == jsonParts && json.Unmarshal(parts[fourth], &dealt) == nil && len(dealt) == 0 {
		return ruleset.ThreeSeats
	}
	return ruleset.FourSeats
}

// soulRooms are the rooms of Mahjong Soul. No regular expression matches texts here: their package
// makes tables of Unicode whenever the program for browsers starts.
var soulRooms = []string{"銅の間", "銀の間", "金の間", "玉の間", "王座の間", "Bronze Room", "Silver Room", "Gold Room", "Jade Room", "Throne Room"}

// isSoulRoom reports whether a converted record is of a room of Mahjong Soul.
func isSoulRoom(disp string) bool {
	disp = strings.TrimPrefix(disp, "三")
	return slices.ContainsFunc(soulRooms, func(room string) bool { return strings.HasPrefix(disp, room) })
}

// knobs returns the rules that the record states. Records of Tenhou itself state the
// length and open tanyao by letters in disp. In matches of three they give the characters a
// red five that is not in the set.
func (d *jsonRecord) knobs(seats ruleset.Seats) map[string]any {
	knobs := map[string]any{}
	r := &d.Rule
	var reds []any
	switch {
	case r.Aka51 != nil && r.Aka52 != nil && r.Aka53 != nil:
		reds = []any{int64(*r.Aka51), int64(*r.Aka52), int64(*r.Aka53)}
	case r.Aka != nil:
		n := int64(*r.Aka)
		reds = []any{n, n, n}
	}
	if reds != nil {
		if seats == ruleset.ThreeSeats {
			reds[0] = int64(0)
		}
		knobs["aka_dora"] = reds
	}
	east := strings.Contains(r.Disp, "東") || strings.HasSuffix(r.Disp, " East")
	south := strings.Contains(r.Disp, "南") || strings.HasSuffix(r.Disp, " South")
	if east != south {
		knobs["rounds"] = int64(1)
		if south {
			knobs["rounds"] = int64(2)
		}
		if !isSoulRoom(r.Disp) {
			knobs["kuitan"] = strings.Contains(r.Disp, "喰")
		}
	}
	return knobs
}

// jsonHand reads a hand.
type jsonHand struct {
	builder *reading.Builder
	search  search
	// winners and givers are the winners and the players they won from, empty without a
	// win. reason is valid if aborted is set.
	winners, givers []sim.Player
	aborted         bool
	reason          sim.AbortReason
}

// jsonItem is a tile, or a call in text.
type jsonItem struct {
	tile tile.Face // NoFace for tsumogiri and for nothing
	n    int       // the number, 0 for a call
	call string
}

// jsonDrawn is the number of a discard of the drawn tile.
const jsonDrawn = 60

// UnmarshalJSON implements json.Unmarshaler.
func (i *jsonItem) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, &i.call)
	}
	if err := json.Unmarshal(text, &i.n); err != nil {
		return err
	}
	i.tile = tile.NoFace
	if i.n == jsonDrawn || i.n == 0 {
		return nil
	}
	var err error
	i.tile, err = jsonTile(i.n)
	return err
}

// jsonTile returns the face of a number: 11-19 characters, 21-29 dots, 31-39 bamboo,
// 41-47 honors, 51-53 red fives.
func jsonTile(n int) (tile.Face, error) {
	switch suit, rank := n/10, n%10; {
	case suit >= 1 && suit <= 3 && rank >= 1:
		return tile.Face(9*(suit-1) + rank - 1), nil
	case suit == 4 && rank >= 1 && rank <= 7:
		return tile.Face(tile.East) + tile.Face(rank-1), nil
	case suit == 5 && rank >= 1 && rank <= 3:
		return tile.RedOf(tile.Suit(rank - 1)), nil
	}
	return tile.NoFace, fmt.Errorf("%d is no tile", n)
}

func (h *jsonHand) read(parts []json.RawMessage) error {
	if len(parts) < jsonParts {
		return fmt.Errorf("it has %d parts; a hand has %d", len(parts), jsonParts)
	}
	parts = reading.First(h.builder, "the hand", parts, jsonParts)
	var failed error
	get := func(i int, v any) {
		if err := json.Unmarshal(parts[i], v); err != nil && failed == nil {
			failed = fmt.Errorf("part %d: %w", i+1, reading.DescribeJSONError(err))
		}
	}
	var start []int
	var points []int32
	var dora, ura []jsonItem
	var deal [sim.NumPlayers][]jsonItem
	get(jsonStart, &start)
	get(jsonPoints, &points)
	get(jsonDora, &dora)
	get(jsonUra, &ura)
	for p := range sim.NumPlayers {
		get(jsonPlayers+3*p, &deal[p])
		get(jsonPlayers+3*p+1, &h.search.takes[p])
		get(jsonPlayers+3*p+2, &h.search.gives[p])
	}
	if failed != nil {
		return failed
	}
	start, points = reading.First(h.builder, "the beginning", start, 3), reading.First(h.builder, "the list of points", points, sim.NumPlayers)
	number, counter, deposits := start[0], start[1], start[2]
	const fourth = sim.NumPlayers - 1
	switch {
	case number < 0:
		return fmt.Errorf("it begins with %v, not with its number, counter and deposits", start)
	case h.builder.Seats == ruleset.ThreeSeats && (points[fourth] != 0 || len(deal[fourth])+len(h.search.takes[fourth])+len(h.search.gives[fourth]) > 0):
		return errors.New("the fourth player of a match of three has points or tiles")
	}
	h.builder.Hand = &record.Hand{Place: h.builder.Place, Start: &sim.MatchState{
		Round: number / sim.NumPlayers, Dealer: sim.Player(number % sim.NumPlayers),
		Counter: counter, Deposits: deposits, Points: [sim.NumPlayers]int32(points),
	}}
	for p, items := range deal {
		faces, err := h.faces(items)
		if err != nil {
			return err
		}
		h.builder.Hand.Deal[p] = faces
	}
	uras, err := h.faces(ura)
	if err != nil {
		return err
	}
	if err := h.result(parts[jsonResult], uras); err != nil {
		return err
	}
	h.search.fits, h.search.players = h.canEnd, sim.Player(h.builder.Seats.Count())
	orders, err := h.search.orders(h.builder.Hand.Start.Dealer, &h.builder.Hand.Deal)
	if err != nil {
		return err
	}
	for i := range orders {
		events := h.eventsOf(&orders[i], dora)
		if i == 0 {
			h.builder.Hand.Events = events
		} else {
			h.builder.Hand.Alternatives = append(h.builder.Hand.Alternatives, events)
		}
	}
	return nil
}

// canEnd reports whether an order of the turns can end with the result.
func (h *jsonHand) canEnd(o *order) bool {
	for i, p := range h.winners {
		if selfDraw := p == h.givers[i]; selfDraw != o.held || o.by != h.givers[i] {
			return false
		}
	}
	switch {
	case h.winners != nil:
		return true
	case h.aborted && h.reason == sim.AbortNineKinds:
		return o.held
	}
	return !o.held || h.aborted
}

// eventsOf returns the events of the hand for an order of the turns.
func (h *jsonHand) eventsOf(o *order, dora []jsonItem) []record.Event {
	var events []record.Event
	add := func(e sim.Event) { events = append(events, record.Event{Event: e, Place: h.builder.Place}) }
	for _, d := range dora {
		add(sim.Event{Type: sim.EvIndicator, Player: -1, Tile: d.tile})
	}
	for _, e := range o.events {
		add(e)
	}
	for i, p := range h.winners {
		e := sim.Event{Type: sim.EvWin, Player: p, Tile: o.window, Value: int32(h.givers[i])}
		if p == h.givers[i] {
			e.Tile = o.drawn
		}
		add(e)
	}
	switch {
	case h.winners != nil:
	case h.aborted:
		add(sim.Event{Type: sim.EvAbort, Player: -1, Detail: uint8(h.reason)})
	default:
		add(sim.Event{Type: sim.EvExhausted, Player: -1})
	}
	return events
}

// faces converts items that must be tiles.
func (h *jsonHand) faces(items []jsonItem) ([]tile.Face, error) {
	faces := make([]tile.Face, len(items))
	for i, item := range items {
		if item.tile == tile.NoFace || item.call != "" {
			return nil, fmt.Errorf("item %d of the deal or the indicators is no tile", i+1)
		}
		faces[i] = item.tile
	}
	return faces, nil
}

// jsonDraws are the results of hands with an exhausted wall.
var jsonDraws = []string{"流局", "全員聴牌", "全員不聴", "流し満貫", "流局満貫", "流局滿貫"}

// result reads how the hand ended. That comes before the search of the order, which must fit it.
func (h *jsonHand) result(text json.RawMessage, ura []tile.Face) error {
	var parts []json.RawMessage
	var name string
	if err := json.Unmarshal(text, &parts); err != nil || len(parts) == 0 || json.Unmarshal(parts[0], &name) != nil {
		return errors.New("it has no result")
	}
	reason, aborted := reading.AbortByName[name]
	switch {
	case name == "和了":
		return h.readWins(parts[1:], ura)
	case aborted:
		h.aborted, h.reason = true, reason
	case slices.Contains(jsonDraws, name):
	default:
		return fmt.Errorf("result %q is not known", name)
	}
	// A result without gains says that no player gains: the settlement is compared with that.
	h.builder.AddDeltas([sim.NumPlayers]int32{})
	if len(parts) > 1 {
		return h.addGains(parts[1])
	}
	return nil
}

func (h *jsonHand) addGains(text json.RawMessage) error {
	var deltas []int32
	if err := json.Unmarshal(text, &deltas); err != nil || len(deltas) < sim.NumPlayers {
		return errors.New("the result does not say what four players gain; in matches of three the fourth gains 0")
	}
	h.builder.AddDeltas([sim.NumPlayers]int32(reading.First(h.builder, "the list of gains", deltas, sim.NumPlayers)))
	return nil
}

// readWins reads the winners: for each the gains of all players, then the winner, the giver
// and the value.
func (h *jsonHand) readWins(parts []json.RawMessage, ura []tile.Face) error {
	if len(parts) == 0 || len(parts)%2 != 0 {
		return errors.New("the result does not have pairs of gains and winner")
	}
	for i := 0; i < len(parts); i += 2 {
		if err := h.addGains(parts[i]); err != nil {
			return err
		}
		var about []json.RawMessage
		var who, from int
		if err := json.Unmarshal(parts[i+1], &about); err != nil || len(about) < 2 ||
			json.Unmarshal(about[0], &who) != nil || json.Unmarshal(about[1], &from) != nil ||
			who < 0 || who >= h.builder.Seats.Count() || from < 0 || from >= h.builder.Seats.Count() {
			return errors.New("the result does not have the winner and the giver")
		}
		h.winners, h.givers = append(h.winners, sim.Player(who)), append(h.givers, sim.Player(from))
		var texts []string
		// Third comes the player who is liable; the settlement finds him by itself.
		for _, part := range about[min(3, len(about)):] {
			var s string
			if json.Unmarshal(part, &s) == nil {
				texts = append(texts, s)
			}
		}
		w := parseJSONWin(texts, h.builder.Seats)
		if h.declared(who) {
			w.Ura = ura
		}
		h.builder.Hand.Wins = append(h.builder.Hand.Wins, w)
	}
	return nil
}

// declared reports whether a player has declared riichi.
func (h *jsonHand) declared(p int) bool {
	return slices.ContainsFunc(h.search.gives[p], func(i jsonItem) bool { return strings.Contains(i.call, string(markRiichi)) })
}

// cutPoints returns the points at the end of a text, with those of the dealer in 1000-2000点, else "". all is set
// in 1000点∀: all pay them.
func cutPoints(text string) (points, dealer string, all, ok bool) {
	text, all = strings.CutSuffix(text, "∀")
	if text, ok = strings.CutSuffix(text, "点"); !ok {
		return "", "", false, false
	}
	before := strings.TrimRight(text, digits)
	last := text[len(before):]
	if others, ok := strings.CutSuffix(before, "-"); ok && last != "" {
		if points = others[len(strings.TrimRight(others, digits)):]; points != "" {
			return points, last, all, true
		}
	}
	return last, "", all, last != ""
}

// cutHan returns the name and the han of a yaku, such as 平和(1飜), "" for those of a yakuman: 大三元(役満).
func cutHan(text string) (name, han string, ok bool) {
	at := max(strings.LastIndex(text, "("), 0)
	if text[at:] == "(役満)" {
		return text[:at], "", true
	}
	han, ok = strings.CutSuffix(text[at:], "飜)")
	han, open := strings.CutPrefix(han, "(")
	return text[:at], han, ok && open && isNumber(han)
}

// parseJSONWin parses the value of a hand and its patterns. Patterns are nil if one is
// unknown, as in records of other programs.
func parseJSONWin(texts []string, seats ruleset.Seats) record.Win {
	w := record.Win{Points: record.NotGiven, Han: record.NotGiven, Fu: record.NotGiven, Yakuman: record.NotGiven}
	if len(texts) == 0 {
		return w
	}
	if fu, _, ok := strings.Cut(texts[0], "符"); ok && isNumber(fu) {
		w.Fu = jsonNumber(fu)
	}
	if points, dealer, all, ok := cutPoints(texts[0]); ok {
		w.Points = jsonNumber(points)
		switch {
		case all:
			w.Points *= int32(seats.Count() - 1)
		case dealer != "": // all but the dealer pay the first number
			w.Points = int32(seats.Count()-2)*w.Points + jsonNumber(dealer)
		}
	}
	if len(texts) == 1 {
		return w // the editor's results may have no yaku
	}
	w.Patterns = map[string]int{}
	for _, text := range texts[1:] {
		name, han, ok := cutHan(text)
		if !ok || jsonYaku[name] == "" {
			w.Patterns = nil
			return w
		}
		if n := jsonNumber(han); han == "" {
			w.Patterns[jsonYaku[name]]++
		} else if n > 0 {
			w.Patterns[jsonYaku[name]] += int(n)
		}
	}
	return w
}

// jsonNumber parses digits; it returns record.NotGiven if the number is too large.
func jsonNumber(digits string) int32 {
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		return record.NotGiven
	}
	return int32(n)
}

// jsonYaku are the pattern ids by the names of yaku.
var jsonYaku = reading.YakuByName(map[string]string{
	"役牌 白": "yakuhai_haku", "役牌 發": "yakuhai_hatsu", "役牌 中": "yakuhai_chun", "両立直": "double_riichi", "国士無双１３面": "kokushi_musou_13",
	"抜きドラ": "nuki_dora", // of Mahjong Soul; Tenhou adds the Norths to ドラ
})
