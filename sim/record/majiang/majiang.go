// Package majiang reads the records (paipu) of Majiang, the program of Kobayashi
// Satoshi. Other programs of its author make them of records of other places.
package majiang

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// Format reads the records of Majiang, one or several in a file or an array.
var Format = &record.Format{
	Name:     "majiang",
	Ruleset:  "tenhou",
	Suffixes: []string{".json", ".jsonl"},
	Split:    record.Elements(record.SplitJSON),
	Parse:    parse,
}

// paipu is a record of a match. Players have the numbers of the draw for seats;
// Qijia is that of the first dealer.
type paipu struct {
	Player []string `json:"player"`
	Qijia  int      `json:"qijia"`
	Log    [][]item `json:"log"`
	Defen  []int32  `json:"defen"`
}

// item is what happened next in a hand: the one member that is there.
type item struct {
	Qipai    *deal    `json:"qipai"`
	Zimo     *turn    `json:"zimo"`
	Dapai    *turn    `json:"dapai"`
	Fulou    *turn    `json:"fulou"`
	Gang     *turn    `json:"gang"`
	Gangzimo *turn    `json:"gangzimo"`
	Kaigang  *kaigang `json:"kaigang"`
	Hule     *hule    `json:"hule"`
	Pingju   *pingju  `json:"pingju"`
}

// deal is the beginning of a hand. Lists go by seat, East first.
type deal struct {
	Zhuangfeng int      `json:"zhuangfeng"`
	Jushu      int      `json:"jushu"`
	Changbang  int      `json:"changbang"`
	Lizhibang  int      `json:"lizhibang"`
	Defen      []int32  `json:"defen"`
	Baopai     string   `json:"baopai"`
	Shoupai    []string `json:"shoupai"`
}

// turn is a draw, discard, claim or kan: the tile or the meld of a seat.
type turn struct {
	L int    `json:"l"`
	P string `json:"p"`
	M string `json:"m"`
}

type kaigang struct {
	Baopai string `json:"baopai"`
}

// hule is a win.
type hule struct {
	L         int      `json:"l"`
	Shoupai   string   `json:"shoupai"`
	Baojia    *int     `json:"baojia"`
	Fubaopai  []string `json:"fubaopai"`
	Fu        *int32   `json:"fu"`
	Fanshu    *int32   `json:"fanshu"`
	Damanguan int32    `json:"damanguan"`
	Defen     *int32   `json:"defen"`
	Hupai     []struct {
		Name   string          `json:"name"`
		Fanshu json.RawMessage `json:"fanshu"`
	} `json:"hupai"`
	Fenpei []int32 `json:"fenpei"`
}

// pingju is the end of a hand that nobody won.
type pingju struct {
	Name    string   `json:"name"`
	Shoupai []string `json:"shoupai"`
	Fenpei  []int32  `json:"fenpei"`
}

func parse(text []byte, _ int) (*record.Game, error) {
	var doc paipu
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("no record of Majiang: %w", record.ExplainJSON(err))
	}
	switch {
	case len(doc.Log) == 0:
		return nil, fmt.Errorf("no record of Majiang: it has no hand in log")
	case doc.Qijia < 0 || doc.Qijia >= sim.NumPlayers:
		return nil, fmt.Errorf("qijia is %d; allowed: 0 to %d", doc.Qijia, sim.NumPlayers-1)
	case len(doc.Player) != 0 && len(doc.Player) != sim.NumPlayers:
		return nil, fmt.Errorf("it names %d players; only matches of four can be replayed", len(doc.Player))
	}
	g := &record.Game{Unit: unit}
	player := func(id int) int { return (id - doc.Qijia + sim.NumPlayers) % sim.NumPlayers }
	for id, about := range doc.Player {
		g.Names[player(id)], _, _ = strings.Cut(about, "\n") // the name stands on the first line
	}
	if len(doc.Defen) == sim.NumPlayers {
		g.Points = &[sim.NumPlayers]int32{}
		for id, n := range doc.Defen {
			g.Points[player(id)] = n
		}
	}
	for i, items := range doc.Log {
		r := &reader{number: i}
		hand, err := r.read(items)
		switch {
		case err == nil:
			g.Hands = append(g.Hands, *hand)
			continue
		case !r.cut || i == 0 || i < len(doc.Log)-1:
			return nil, err
		}
		// What breaks off in the midst of its last hand has the hands before, and
		// its points are not those of an end.
		g.Cut, g.Points = err, nil
	}
	g.Knobs = knobs(g.Hands)
	g.NameStart()
	return g, nil
}

// knobs returns the rules that the hands show: how many red fives there are, if it
// is not one of each suit for certain, and that some yakuman count twice, for
// which Majiang has one switch.
func knobs(hands []record.Hand) map[string]any {
	const rank, copies = 4, 4 // the rank of a five, from 0
	knobs := map[string]any{}
	var reds [3]int
	other := false
	for i := range hands {
		h := &hands[i]
		var seen [tile.NumFaces]int
		for _, deal := range h.Deal {
			for _, f := range deal {
				seen[f]++
			}
		}
		for _, e := range h.Events {
			if e.Type == sim.EvDraw || e.Type == sim.EvIndicator {
				seen[e.Tile]++
			}
		}
		for suit := range reds {
			n := seen[tile.RedOf(tile.Suit(suit))]
			reds[suit] = max(reds[suit], n)
			other = other || n > 1 || seen[9*suit+rank] == copies
		}
		for _, w := range h.Wins {
			for _, id := range double {
				if w.Patterns[id] > 1 {
					knobs["double_yakuman"] = []any{double[0], double[1], double[2], double[3]}
				}
			}
		}
	}
	if other {
		knobs["aka_dora"] = []any{int64(reds[0]), int64(reds[1]), int64(reds[2])}
	}
	return knobs
}

// double is the yakuman that count twice where any do.
var double = [...]string{"daisuushii", "suuankou_tanki", "junsei_chuuren_poutou", "kokushi_musou_13"}

// unit is what places count: what happened in a hand, from 1.
const unit = "item"

// reader reads a hand.
type reader struct {
	number int // of the hand, from 0
	at     int
	hand   record.Hand
	dealer int
	// window is the tile that may be won on; drawn is that of the draw at hand.
	window, drawn tile.Face
	giver         sim.Player // of the tile in the window
	// cut tells that the hand breaks off and has no other fault.
	cut, ended bool
}

func (r *reader) fail(format string, args ...any) *record.PlaceError {
	return &record.PlaceError{Unit: fmt.Sprintf("hand %d: %s", r.number, unit), At: max(r.at, 1), Message: fmt.Sprintf(format, args...)}
}

func (r *reader) add(e sim.Event) {
	r.hand.Events = append(r.hand.Events, record.Event{Event: e, At: r.at})
}

// read returns a hand.
func (r *reader) read(items []item) (*record.Hand, *record.PlaceError) {
	if len(items) == 0 {
		r.cut = true
		return nil, r.fail("the hand has no items")
	}
	r.drawn, r.window = tile.NoFace, tile.NoFace
	for i := range items {
		r.at = i + 1
		if err := r.item(&items[i]); err != nil {
			return nil, err
		}
	}
	if !r.ended {
		r.cut = true
		return nil, r.fail("the record ends in the midst of a hand")
	}
	return &r.hand, nil
}

// item reads what happened next.
func (r *reader) item(it *item) *record.PlaceError {
	switch {
	case (it.Qipai != nil) != (r.at == 1):
		return r.fail("a hand begins with qipai and has it once")
	case it.Qipai != nil:
		return r.deal(it.Qipai)
	case r.ended && it.Hule == nil:
		return r.fail("the hand has ended")
	case it.Zimo != nil:
		return r.draw(it.Zimo)
	case it.Gangzimo != nil:
		return r.draw(it.Gangzimo)
	case it.Dapai != nil:
		return r.discard(it.Dapai)
	case it.Fulou != nil:
		return r.claim(it.Fulou)
	case it.Gang != nil:
		return r.kan(it.Gang)
	case it.Kaigang != nil:
		f, err := r.tile(it.Kaigang.Baopai)
		if err == nil {
			r.add(sim.Event{Type: sim.EvIndicator, Player: -1, Tile: f})
		}
		return err
	case it.Hule != nil:
		return r.win(it.Hule)
	case it.Pingju != nil:
		return r.noWinner(it.Pingju)
	}
	return r.fail("the item is none that Majiang has: qipai, zimo, dapai, fulou, gang, gangzimo, kaigang, hule, pingju")
}

// seat returns the player at a seat of the hand, 0 for East.
func (r *reader) seat(l int) (sim.Player, *record.PlaceError) {
	if l < 0 || l >= sim.NumPlayers {
		return 0, r.fail("l is %d; allowed: 0 to %d", l, sim.NumPlayers-1)
	}
	return sim.Player((r.dealer + l) % sim.NumPlayers), nil
}

// four returns amounts that go by seat by player.
func (r *reader) four(member string, list []int32) (*[sim.NumPlayers]int32, *record.PlaceError) {
	if len(list) != sim.NumPlayers {
		return nil, r.fail("%s has %d numbers; %d are needed", member, len(list), sim.NumPlayers)
	}
	var amounts [sim.NumPlayers]int32
	for l, n := range list {
		amounts[(r.dealer+l)%sim.NumPlayers] = n
	}
	return &amounts, nil
}

func (r *reader) deal(d *deal) *record.PlaceError {
	switch {
	case d.Zhuangfeng < 0 || d.Zhuangfeng >= sim.NumPlayers || d.Jushu < 0 || d.Jushu >= sim.NumPlayers:
		return r.fail("zhuangfeng is %d and jushu %d; allowed: 0 to %d", d.Zhuangfeng, d.Jushu, sim.NumPlayers-1)
	case d.Changbang < 0 || d.Lizhibang < 0:
		return r.fail("changbang is %d and lizhibang %d; neither can be negative", d.Changbang, d.Lizhibang)
	case len(d.Shoupai) != sim.NumPlayers:
		return r.fail("qipai deals %d hands; only matches of four can be replayed", len(d.Shoupai))
	}
	r.dealer = d.Jushu
	points, err := r.four("defen", d.Defen)
	if err != nil {
		return err
	}
	r.hand.At = r.at
	r.hand.Start = &sim.Standing{
		Round: d.Zhuangfeng, Dealer: sim.Player(d.Jushu), Counter: d.Changbang, Deposits: d.Lizhibang, Points: *points,
	}
	for l, text := range d.Shoupai {
		faces, err := r.tiles(text)
		if err != nil {
			return err
		}
		r.hand.Deal[(r.dealer+l)%sim.NumPlayers] = faces
	}
	f, err := r.tile(d.Baopai)
	if err == nil {
		r.add(sim.Event{Type: sim.EvIndicator, Player: -1, Tile: f})
	}
	return err
}

func (r *reader) draw(t *turn) *record.PlaceError {
	p, err := r.seat(t.L)
	if err != nil {
		return err
	}
	f, err := r.tile(t.P)
	if err != nil {
		return err
	}
	r.drawn, r.giver = f, p
	r.add(sim.Event{Type: sim.EvDraw, Player: p, Tile: f})
	return nil
}

// discard reads a discard such as "p7_*": _ tells that it is of the tile just
// drawn, * that it declares riichi.
func (r *reader) discard(t *turn) *record.PlaceError {
	p, err := r.seat(t.L)
	if err != nil {
		return err
	}
	text, ready := strings.CutSuffix(strings.TrimRight(t.P, giverMarks), "*")
	text, drawn := strings.CutSuffix(text, "_")
	f, err := r.tile(text)
	if err != nil {
		return err
	}
	e := sim.Event{Type: sim.EvDiscard, Player: p, Tile: f}
	if drawn {
		e.Detail |= sim.DiscardDrawn
	}
	if ready {
		e.Detail |= sim.DiscardReady
		r.add(sim.Event{Type: sim.EvReady, Player: p})
	}
	r.drawn, r.window, r.giver = tile.NoFace, f, p
	r.add(e)
	return nil
}

// giverMarks mark a claimed tile: it was discarded by who sits one, two or three
// places after the player.
const giverMarks = "+=-"

// claim reads a meld made of a discard, such as "m1-23", "s505=" or "z2222+".
func (r *reader) claim(t *turn) *record.PlaceError {
	p, err := r.seat(t.L)
	if err != nil {
		return err
	}
	i := strings.IndexAny(t.M, giverMarks)
	if i < 2 {
		return r.fail("fulou: %q does not tell which tile is claimed", t.M)
	}
	claimed, err := r.tile(t.M[:1] + t.M[i-1:i])
	if err != nil {
		return err
	}
	own, err := r.tiles(t.M[:i-1] + t.M[i+1:])
	if err != nil {
		return err
	}
	kind := sim.EvChi
	switch {
	case len(own) == 3:
		kind = sim.EvOpenKan
	case len(own) == 2 && own[0].Kind() == own[1].Kind():
		kind = sim.EvPon
	}
	giver := (p + 1 + sim.Player(strings.IndexByte(giverMarks, t.M[i]))) % sim.NumPlayers
	e, ok := record.ClaimEvent(kind, giver, claimed, own)
	if !ok {
		return r.fail("fulou: %q is no meld", t.M)
	}
	e.Player = p
	r.drawn = tile.NoFace
	r.add(e)
	return nil
}

// kan reads a closed kan such as "m1111" or a tile added to a pon, "m111+1".
func (r *reader) kan(t *turn) *record.PlaceError {
	p, err := r.seat(t.L)
	if err != nil {
		return err
	}
	added := strings.ContainsAny(t.M, giverMarks)
	tiles, err := r.tiles(strings.NewReplacer("+", "", "=", "", "-", "").Replace(t.M))
	if err != nil {
		return err
	}
	if len(tiles) != 4 || slices.ContainsFunc(tiles, func(f tile.Face) bool { return f.Kind() != tiles[0].Kind() }) {
		return r.fail("gang: %q is no kan", t.M)
	}
	e := sim.Event{Type: sim.EvClosedKan, Player: p, Tile: tile.Face(tiles[0].Kind())}
	if added {
		e = sim.Event{Type: sim.EvAddedKan, Player: p, Tile: tiles[3]}
	}
	r.drawn, r.window, r.giver = tile.NoFace, e.Tile, p
	r.add(e)
	return nil
}

// pay adds what the players gain by an end of the hand.
func (r *reader) pay(fenpei []int32) *record.PlaceError {
	amounts, err := r.four("fenpei", fenpei)
	if err != nil {
		return err
	}
	if r.hand.Paid == nil {
		r.hand.Paid = &[sim.NumPlayers]int32{}
	}
	for p, n := range amounts {
		r.hand.Paid[p] += n
	}
	return nil
}

// win reads one winner.
func (r *reader) win(h *hule) *record.PlaceError {
	p, err := r.seat(h.L)
	if err != nil {
		return err
	}
	e := sim.Event{Type: sim.EvWin, Player: p, Tile: r.drawn, Value: int32(p)}
	if h.Baojia != nil {
		giver, err := r.seat(*h.Baojia)
		switch {
		case err != nil:
			return err
		case r.drawn != tile.NoFace || giver != r.giver:
			return r.fail("hule: player %d has given nothing that can be won", giver)
		}
		e.Tile, e.Value = r.window, int32(giver)
	}
	if e.Tile == tile.NoFace {
		return r.fail("hule: nothing has been drawn or discarded that can be won")
	}
	r.add(e)
	w := record.Win{Points: told(h.Defen), Han: told(h.Fanshu), Fu: told(h.Fu), Yakuman: h.Damanguan}
	for _, text := range h.Fubaopai {
		f, err := r.tile(text)
		if err != nil {
			return err
		}
		w.Ura = append(w.Ura, f)
	}
	w.Patterns = map[string]int{}
	for _, y := range h.Hupai {
		id, n := yaku[y.Name], 0
		var stars string
		switch {
		case json.Unmarshal(y.Fanshu, &n) == nil:
		case json.Unmarshal(y.Fanshu, &stars) == nil:
			n = len(stars) // of a yakuman, its multiple
		}
		if id == "" || n <= 0 {
			w.Patterns = nil // yaku of a house have names of their own
			break
		}
		w.Patterns[id] += n
	}
	if len(w.Patterns) == 0 {
		w.Patterns = nil
	}
	r.hand.Wins = append(r.hand.Wins, w)
	r.ended = true
	return r.pay(h.Fenpei)
}

func told(n *int32) int32 {
	if n == nil {
		return record.NotTold
	}
	return *n
}

// noWinner reads a hand that nobody won. Majiang has names for its ends; those of
// others may be any.
func (r *reader) noWinner(d *pingju) *record.PlaceError {
	r.ended = true
	if !slices.Contains(exhausted, d.Name) {
		e := sim.Event{Type: sim.EvAbort, Player: -1, Detail: record.UnknownEnd}
		if reason, ok := aborts[d.Name]; ok {
			e.Detail = uint8(reason)
		}
		r.add(e)
		return r.pay(d.Fenpei)
	}
	r.add(sim.Event{Type: sim.EvExhausted, Player: -1})
	if len(d.Shoupai) == sim.NumPlayers {
		for l, shown := range d.Shoupai {
			e := sim.Event{Type: sim.EvDeclare, Player: sim.Player((r.dealer + l) % sim.NumPlayers)}
			if shown != "" {
				e.Detail = 1
			}
			r.add(e)
		}
	}
	return r.pay(d.Fenpei)
}

var (
	exhausted = []string{"荒牌平局", "流局", "流し満貫", "全員聴牌", "全員不聴"}
	aborts    = map[string]sim.AbortReason{
		"九種九牌": sim.AbortNineKinds, "四風連打": sim.AbortFourWinds, "四家立直": sim.AbortFourRiichi,
		"四開槓": sim.AbortFourKans, "四槓散了": sim.AbortFourKans, "三家和": sim.AbortTripleRon, "三家和了": sim.AbortTripleRon,
	}
)

// yaku is the pattern ids of the names of yaku.
var yaku = map[string]string{
	"立直": "riichi", "ダブル立直": "double_riichi", "一発": "ippatsu", "海底摸月": "haitei", "河底撈魚": "houtei",
	"嶺上開花": "rinshan_kaihou", "槍槓": "chankan", "門前清自摸和": "menzen_tsumo", "平和": "pinfu", "断幺九": "tanyao",
	"場風 東": "yakuhai_round_wind", "場風 南": "yakuhai_round_wind", "場風 西": "yakuhai_round_wind", "場風 北": "yakuhai_round_wind",
	"自風 東": "yakuhai_seat_wind", "自風 南": "yakuhai_seat_wind", "自風 西": "yakuhai_seat_wind", "自風 北": "yakuhai_seat_wind",
	"翻牌 白": "yakuhai_haku", "翻牌 發": "yakuhai_hatsu", "翻牌 中": "yakuhai_chun", "一盃口": "iipeikou",
	"三色同順": "sanshoku_doujun", "一気通貫": "ittsu", "混全帯幺九": "chanta", "七対子": "chiitoitsu", "対々和": "toitoi",
	"三暗刻": "sanankou", "三槓子": "sankantsu", "三色同刻": "sanshoku_doukou", "混老頭": "honroutou", "小三元": "shousangen",
	"混一色": "honitsu", "純全帯幺九": "junchan", "二盃口": "ryanpeikou", "清一色": "chinitsu", "人和": "renhou",
	"天和": "tenhou", "地和": "chiihou", "国士無双": "kokushi_musou", "国士無双十三面": "kokushi_musou_13",
	"四暗刻": "suuankou", "四暗刻単騎": "suuankou_tanki", "大三元": "daisangen", "小四喜": "shousuushii", "大四喜": "daisuushii",
	"字一色": "tsuuiisou", "緑一色": "ryuuiisou", "清老頭": "chinroutou", "四槓子": "suukantsu", "九蓮宝燈": "chuuren_poutou",
	"純正九蓮宝燈": "junsei_chuuren_poutou", "ドラ": "dora", "赤ドラ": "aka_dora", "裏ドラ": "ura_dora",
}

// tile reads a tile such as "m3", "p0" (a red five) or "z7".
func (r *reader) tile(text string) (tile.Face, *record.PlaceError) {
	faces, err := r.tiles(text)
	if err == nil && len(faces) != 1 {
		err = r.fail("%q is no tile", text)
	}
	if err != nil {
		return tile.NoFace, err
	}
	return faces[0], nil
}

// tiles reads tiles such as "m123p055z7": a digit is of the letter before it.
func (r *reader) tiles(text string) ([]tile.Face, *record.PlaceError) {
	const suits, honors = "mps", 7
	var faces []tile.Face
	suit := byte(0)
	for i := range len(text) {
		b := text[i]
		n := int(b) - '0'
		switch s := strings.IndexByte(suits, suit); {
		case strings.IndexByte(suits+"z", b) >= 0:
			suit = b
		case b == '_' || text == "":
			return nil, r.fail("%q has hidden tiles; only records that show all tiles can be replayed", text)
		case suit == 0 || n < 0 || n > 9:
			return nil, r.fail("%q are no tiles", text)
		case suit != 'z' && n == 0:
			faces = append(faces, tile.RedOf(tile.Suit(s)))
		case suit != 'z':
			faces = append(faces, tile.Face(9*s+n-1))
		case n < 1 || n > honors:
			return nil, r.fail("%q are no tiles", text)
		default:
			faces = append(faces, tile.Face(27+n-1))
		}
	}
	if len(faces) == 0 {
		return nil, r.fail("a tile is hidden; only records that show all tiles can be replayed")
	}
	return faces, nil
}
