// Package mahjongsoul reads the records of Mahjong Soul, through its [Format], in the JSON that
// public tools save. It has the messages of the protocol (Record...) by name, with members as in
// the protocol or in camel case. Members of value 0 may be missing, as in that encoding.
//
// # Messages
//
// A record is one of these values, or several one after another. It is an array of messages
// `{"name":".lq.RecordNewRound","data":{...}}`, or an object with `head` and `data`. There
// `data` has the messages in `records`, or in `actions` those of type 1 as `result`; it may be
// in a message `GameDetailRecords` of its own. Names of messages may come without `.lq.`.
// Places are numbers of messages, from 1.
//
//   - `RecordNewRound` (`chang`, `ju`, `ben`, `liqibang`, `scores`, `tiles0`..`tiles3`, `doras`
//     or `dora`): the state of the match and the deal; the dealer's fourteenth tile is the
//     first draw
//   - `RecordDealTile` (`seat`, `tile`, `doras`): a draw
//   - `RecordDiscardTile` (`seat`, `tile`, `moqie`, `is_liqi`, `is_wliqi`, `doras`): a discard,
//     with a riichi declaration
//   - `RecordChiPengGang` (`seat`, `type`, `tiles`, `froms`): a claim, by type 0 chi, 1 pon, 2
//     open kan; the tile from another seat is the claimed one
//   - `RecordAnGangAddGang` (`seat`, `type`, `tiles`): a kan, by type 2 added, 3 closed
//   - `RecordBaBei` (`seat`, `doras`): a North set aside
//   - `RecordHule` (`hules`, `delta_scores`): wins; of each `seat`, `zimo`, `qinjia`, `count`,
//     `fu`, `yiman`, `fans`, `li_doras`, `point_...`
//   - `RecordNoTile` (`players`, `scores`): an exhausted wall, with `tingpai` and
//     `delta_scores`
//   - `RecordLiuJu` (`type`): an abortive draw: 1 nine kinds, 2 four winds, 3 four kans, 4 four
//     riichi, 5 triple ron
//   - `head` (`uuid`, `accounts`, `result`, `config.mode.mode`): names, final points; modes 1
//     and 11 are matches of one round
//
// A list `doras` that is longer than the one before turns the further indicators. A record of
// three players has three `scores`, or no tiles of a fourth, and is replayed under
// `mahjong_soul_sanma`. Other messages, as of special rooms, are noted and not read.
package mahjongsoul

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/record/reading"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// Format reads records of Mahjong Soul, one JSON value each.
var Format = &record.Format{
	Name: "mahjongsoul", Ruleset: "mahjong_soul", Suffixes: []string{".json", ".jsonl"},
	Split: record.SplitJSON, Parse: parse,
}

// unit is the unit of places: the messages of a match, from 1.
const unit = "message"

// members are those of an object, by their names in lower case without underscores: is_liqi and
// isLiqi are one.
type members map[string]json.RawMessage

// UnmarshalJSON reads an object.
func (m *members) UnmarshalJSON(text []byte) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	*m = members{}
	for name, value := range all {
		if !bytes.Equal(value, []byte("null")) {
			(*m)[strings.ToLower(strings.ReplaceAll(name, "_", ""))] = value
		}
	}
	return nil
}

// message is one of the protocol.
type message struct {
	Name string  `json:"name"`
	Data members `json:"data"`
	// Type and Result are of the newer form, in which a message of a record has type 1.
	Type   int      `json:"type"`
	Result *message `json:"result"`
}

// reader reads a match.
type reader struct {
	builder    reading.Builder
	dealer     sim.Player
	indicators int
	ended      bool
}

func parse(text []byte, _ int) (*record.Game, error) {
	g := &record.Game{Unit: unit, Knobs: map[string]any{}}
	r := &reader{builder: reading.Builder{Unit: unit, Place: 1, Game: g}, ended: true}
	depth := 4 // a message of the longest form, in objects of data and an array
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		depth = 1
	}
	text, cut := reading.Close(text, depth)
	list, head := r.messages(text)
	if n := len(list); cut != "" && n > 0 && len(list[n-1].Data) == 0 {
		list = list[:n-1] // which breaks off
	}
	if len(list) == 0 {
		r.builder.Fail("no record of Mahjong Soul: %s", cmp.Or(cut, "it has no messages"))
	}
	for i, m := range list {
		if r.builder.Place = i + 1; r.builder.Err != nil {
			break
		}
		r.message(&m)
	}
	switch {
	case r.builder.Err != nil:
	case cut != "":
		r.builder.Fail("%s", cut)
	case !r.ended:
		r.builder.Fail("the record ends within a hand")
	default:
		r.head(head)
	}
	g.AddStartingPoints()
	return r.builder.Finish()
}

// messages finds the messages of a match, in the forms that the package comment lists, and the head.
func (r *reader) messages(text []byte) (list []message, head members) {
	for range 4 { // data in data
		if json.Unmarshal(text, &list) == nil {
			break
		}
		var outer members
		if json.Unmarshal(text, &outer) != nil {
			return nil, head
		}
		if inner, ok := outer["head"]; ok && json.Unmarshal(inner, &head) != nil {
			r.builder.Note("head is no object; it was not read")
		}
		text = nil
		for _, name := range []string{"records", "actions", "data"} {
			if inner, ok := outer[name]; ok && len(inner) > 2 {
				text = inner
				break
			}
		}
	}
	for i := range list {
		if m := list[i].Result; m != nil {
			list[i] = *m
		}
	}
	return slices.DeleteFunc(list, func(m message) bool { return m.Name == "" }), head
}

// message reads a message of a hand.
func (r *reader) message(m *message) {
	name := m.Name[strings.LastIndexByte(m.Name, '.')+1:]
	read := map[string]func(members){
		"RecordNewRound": r.deal, "RecordDealTile": r.draw, "RecordDiscardTile": r.discard, "RecordChiPengGang": r.claim,
		"RecordAnGangAddGang": r.kan, "RecordBaBei": r.kita, "RecordHule": r.win, "RecordNoTile": r.exhausted, "RecordLiuJu": r.abort,
	}[name]
	switch {
	case read == nil:
		r.builder.Note("a message %q is not read; special rules of the site cannot be replayed", name)
		return
	case name == "RecordNewRound" && !r.ended:
		r.builder.Fail("a hand begins before the one before has ended")
		return
	case name != "RecordNewRound" && r.ended:
		r.builder.Fail("%s comes before RecordNewRound", name)
		return
	}
	read(m.Data)
	if r.ended && r.builder.Err == nil {
		r.builder.EndHand()
	}
}

// get decodes a member; one that is missing has the zero value.
func get[T any](r *reader, m members, name string) (v T) {
	if text, ok := m[name]; ok {
		if err := json.Unmarshal(text, &v); err != nil {
			r.builder.Fail("member %s: %v", name, reading.DescribeJSONError(err))
		}
	}
	return v
}

func (r *reader) seats() int { return r.builder.Seats.Count() }

func (r *reader) seat(n int) sim.Player {
	if n < 0 || n >= r.seats() {
		r.builder.Fail("seat is %d; allowed: 0 to %d", n, r.seats()-1)
		return 0
	}
	return sim.Player(n)
}

// byPlayer returns amounts as those of the players.
func (r *reader) byPlayer(name string, list []int32) (amounts [sim.NumPlayers]int32) {
	copy(amounts[:], reading.First(&r.builder, name, list, r.seats()))
	return amounts
}

// tile parses a tile such as "3m", "0p" for a red five, or "7z".
func (r *reader) tile(text string) tile.Face {
	faces, err := tile.ParseFaces(text)
	if err != nil || len(faces) != 1 || faces[0].IsFlower() {
		r.builder.Fail("%q is no tile; only records that show all tiles can be replayed", text)
		return tile.NoFace
	}
	return faces[0]
}

func (r *reader) deal(m members) {
	scores := get[[]int32](r, m, "scores")
	three := len(scores) == 3 || len(get[[]string](r, m, "tiles3")) == 0
	if len(r.builder.Game.Hands) == 0 && three {
		r.builder.Seats, r.builder.Game.Seats, r.builder.Game.Ruleset = ruleset.ThreeSeats, ruleset.ThreeSeats, "mahjong_soul_sanma"
	}
	r.builder.Hand = &record.Hand{Place: r.builder.Place}
	r.ended, r.indicators, r.dealer = false, 0, r.seat(get[int](r, m, "ju"))
	h := r.builder.Hand
	h.Start = &sim.MatchState{
		Round: get[int](r, m, "chang"), Dealer: r.dealer, Counter: get[int](r, m, "ben"), Deposits: get[int](r, m, "liqibang"),
		Points: r.byPlayer("scores", scores),
	}
	if s := h.Start; s.Round < 0 || s.Round > 3 || s.Counter < 0 || s.Deposits < 0 {
		r.builder.Fail("chang is %d, ben %d and liqibang %d; allowed: 0 to 3, and no negative number", s.Round, s.Counter, s.Deposits)
	}
	const dealt = 13
	last := tile.NoFace
	for p := range r.seats() {
		list := get[[]string](r, m, fmt.Sprint("tiles", p))
		want := dealt
		if sim.Player(p) == r.dealer {
			want++
		}
		if len(list) != want {
			r.builder.Fail("tiles%d has %d tiles; %d are dealt to this player", p, len(list), want)
			return
		}
		for i, text := range list {
			if i == dealt {
				last = r.tile(text)
				break
			}
			h.Deal[p] = append(h.Deal[p], r.tile(text))
		}
	}
	if one := get[string](r, m, "dora"); one != "" && m["doras"] == nil {
		m["doras"], _ = json.Marshal([]string{one})
	}
	r.turned(m)
	r.builder.Add(sim.Event{Type: sim.EvDraw, Player: r.dealer, Tile: last})
}

// turned adds the indicators that the list of a message has more than those before.
func (r *reader) turned(m members) {
	list := get[[]string](r, m, "doras")
	for ; r.indicators < len(list); r.indicators++ {
		r.builder.Add(sim.Event{Type: sim.EvIndicator, Player: -1, Tile: r.tile(list[r.indicators])})
	}
}

func (r *reader) draw(m members) {
	r.turned(m)
	r.builder.Add(sim.Event{Type: sim.EvDraw, Player: r.seat(get[int](r, m, "seat")), Tile: r.tile(get[string](r, m, "tile"))})
}

func (r *reader) discard(m members) {
	p, ready := r.seat(get[int](r, m, "seat")), get[bool](r, m, "isliqi") || get[bool](r, m, "iswliqi")
	if ready {
		r.builder.Add(sim.Event{Type: sim.EvReady, Player: p})
	}
	r.builder.Discard(p, r.tile(get[string](r, m, "tile")), get[bool](r, m, "moqie"), ready)
	r.turned(m)
}

// claim reads the tiles of a chi, pon or open kan, with the seats that they come from.
func (r *reader) claim(m members) {
	p, tiles, froms := r.seat(get[int](r, m, "seat")), get[[]string](r, m, "tiles"), get[[]int](r, m, "froms")
	types := []sim.EventType{sim.EvChi, sim.EvPon, sim.EvOpenKan}
	n := get[int](r, m, "type")
	if n < 0 || n >= len(types) || len(froms) != len(tiles) {
		r.builder.Fail("type is %d, with %d tiles of %d seats; allowed: 0 to 2, and a seat for each tile", n, len(tiles), len(froms))
		return
	}
	claimed, giver := tile.NoFace, p
	var own []tile.Face
	for i, text := range tiles {
		if from := r.seat(froms[i]); from != p && claimed == tile.NoFace {
			claimed, giver = r.tile(text), from
		} else {
			own = append(own, r.tile(text))
		}
	}
	e, ok := record.ClaimEvent(types[n], giver, claimed, own)
	if !ok {
		r.builder.Fail("the tiles %v are no meld", tiles)
	}
	e.Player = p
	r.builder.Add(e)
	r.turned(m)
}

func (r *reader) kan(m members) {
	const added, closed = 2, 3
	e := sim.Event{Type: sim.EvAddedKan, Player: r.seat(get[int](r, m, "seat")), Tile: r.tile(get[string](r, m, "tiles"))}
	switch n := get[int](r, m, "type"); n {
	case added:
	case closed:
		e.Type, e.Tile = sim.EvClosedKan, tile.Face(e.Tile.Kind())
	default:
		r.builder.Fail("type is %d; allowed: %d for an added kan, %d for a closed one", n, added, closed)
	}
	r.builder.Add(e)
	r.turned(m)
}

func (r *reader) kita(m members) {
	r.builder.Add(sim.Event{Type: sim.EvKita, Player: r.seat(get[int](r, m, "seat")), Tile: tile.Face(tile.North)})
	r.turned(m)
}

// win reads the winners of a hand.
func (r *reader) win(m members) {
	list, last := get[[]members](r, m, "hules"), r.builder.Last()
	if len(list) == 0 {
		r.builder.Fail("hules: there is no winner")
	}
	for _, h := range list {
		p, giver := r.seat(get[int](r, h, "seat")), last.Player
		switch drawn := get[bool](r, h, "zimo"); {
		case drawn != (last.Type == sim.EvDraw) || drawn != (p == giver):
			r.builder.Fail("hules: player %d has no tile to win on with zimo %t", p, drawn)
			return
		}
		r.builder.Add(sim.Event{Type: sim.EvWin, Player: p, Tile: last.Tile, Value: int32(giver)})
		r.builder.Hand.Wins = append(r.builder.Hand.Wins, r.value(h, p == giver))
	}
	r.builder.AddDeltas(r.byPlayer("delta_scores", get[[]int32](r, m, "deltascores")))
	r.ended = true
}

// value reads what a hand is worth.
func (r *reader) value(h members, drawn bool) record.Win {
	w := record.Win{Points: get[int32](r, h, "pointrong"), Han: get[int32](r, h, "count"), Fu: get[int32](r, h, "fu"), Patterns: map[string]int{}}
	if drawn {
		others := int32(r.seats() - 1)
		if w.Points = others * get[int32](r, h, "pointzimoxian"); !get[bool](r, h, "qinjia") {
			w.Points = get[int32](r, h, "pointzimoqin") + (others-1)*get[int32](r, h, "pointzimoxian")
		}
	}
	if get[bool](r, h, "yiman") {
		w.Yakuman, w.Han, w.Fu = w.Han, record.NotGiven, record.NotGiven
	}
	for _, text := range get[[]string](r, h, "lidoras") {
		w.Ura = append(w.Ura, r.tile(text))
	}
	for _, fan := range get[[]members](r, h, "fans") {
		id, n := get[int](r, fan, "id"), get[int](r, fan, "val")
		if id < 0 || id >= len(yaku) || yaku[id] == "" {
			w.Patterns = nil // of special rules
			break
		}
		if n > 0 {
			w.Patterns[yaku[id]] += n
		}
	}
	if len(w.Patterns) == 0 {
		w.Patterns = nil
	}
	return w
}

// exhausted reads the end of the wall. There is an entry of scores for each payment.
func (r *reader) exhausted(m members) {
	players := get[[]members](r, m, "players")
	r.builder.Exhausted(r.dealer, len(players) >= r.seats(), func(n int) bool {
		return get[bool](r, players[(int(r.dealer)+n)%r.seats()], "tingpai")
	})
	r.builder.AddDeltas([sim.NumPlayers]int32{})
	for _, s := range get[[]members](r, m, "scores") {
		if list := get[[]int32](r, s, "deltascores"); len(list) > 0 {
			r.builder.AddDeltas(r.byPlayer("delta_scores", list))
		}
	}
	r.ended = true
}

func (r *reader) abort(m members) {
	reasons := map[int]sim.AbortReason{
		1: sim.AbortNineKinds, 2: sim.AbortFourWinds, 3: sim.AbortFourKans, 4: sim.AbortFourRiichi, 5: sim.AbortTripleRon,
	}
	reason, ok := reasons[get[int](r, m, "type")]
	if !ok {
		reason = record.UnknownAbort
	}
	r.builder.Abort(uint8(reason))
	r.ended = true
}

// head reads the names, the final points and the length of the match.
func (r *reader) head(m members) {
	g := r.builder.Game
	g.ID = get[string](r, m, "uuid")
	for _, a := range get[[]members](r, m, "accounts") {
		g.Names[r.seat(get[int](r, a, "seat"))] = get[string](r, a, "nickname")
	}
	if players := get[[]members](r, get[members](r, m, "result"), "players"); len(players) == r.seats() {
		g.Points = &[sim.NumPlayers]int32{}
		for _, p := range players {
			g.Points[r.seat(get[int](r, p, "seat"))] = get[int32](r, p, "partpoint1")
		}
	}
	mode := get[members](r, get[members](r, m, "config"), "mode")
	if n := get[int](r, mode, "mode"); n%10 == 1 { // 1 and 11 are matches of one round
		g.Knobs["rounds"] = int64(1)
	}
}

// yaku are the pattern ids by the numbers of the site, from 1.
var yaku = [...]string{
	1: "menzen_tsumo", "riichi", "chankan", "rinshan_kaihou", "haitei", "houtei", "yakuhai_haku", "yakuhai_hatsu", "yakuhai_chun",
	"yakuhai_seat_wind", "yakuhai_round_wind", "tanyao", "iipeikou", "pinfu", "chanta", "ittsu", "sanshoku_doujun", "double_riichi",
	"sanshoku_doukou", "sankantsu", "toitoi", "sanankou", "shousangen", "honroutou", "chiitoitsu", "junchan", "honitsu", "ryanpeikou",
	"chinitsu", "ippatsu", "dora", "aka_dora", "ura_dora", "nuki_dora", "tenhou", "chiihou", "daisangen", "suuankou", "tsuuiisou",
	"ryuuiisou", "chinroutou", "kokushi_musou", "shousuushii", "suukantsu", "chuuren_poutou", "", "junsei_chuuren_poutou",
	"suuankou_tanki", "kokushi_musou_13", "daisuushii",
}
