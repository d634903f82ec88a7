// Package majiang reads the records (paipu) of Majiang, the program of Kobayashi Satoshi,
// through its [Format]. Other programs by its author convert records to this format.
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

// Format reads the records of Majiang, alone, in sequence or in an array.
var Format = &record.Format{
	Name:     "majiang",
	Ruleset:  "tenhou",
	Suffixes: []string{".json", ".jsonl"},
	Split:    record.SplitElements(record.SplitJSON),
	Parse:    parse,
}

// paipu is a record of a match. Players are numbered by the draw for seats; Qijia is the
// number of the first dealer.
type paipu struct {
	Player []string `json:"player"`
	Qijia  int      `json:"qijia"`
	Log    [][]item `json:"log"`
	Defen  []int32  `json:"defen"`
}

// item is an entry of a hand, of which exactly one member is set.
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

// deal is the beginning of a hand. Lists are by seat, East first.
type deal struct {
	Zhuangfeng int      `json:"zhuangfeng"`
	Jushu      int      `json:"jushu"`
	Changbang  int      `json:"changbang"`
	Lizhibang  int      `json:"lizhibang"`
	Defen      []int32  `json:"defen"`
	Baopai     string   `json:"baopai"`
	Shoupai    []string `json:"shoupai"`
}

// turn is a draw, discard, claim or kan of seat L, with the tile P or the meld M.
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

// pingju is the end of a hand without a winner.
type pingju struct {
	Name    string   `json:"name"`
	Shoupai []string `json:"shoupai"`
	Fenpei  []int32  `json:"fenpei"`
}

func parse(text []byte, _ int) (*record.Game, error) {
	var doc paipu
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("no record of Majiang: %w", record.DescribeJSONError(err))
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
		r := &reader{Builder: record.Builder{Unit: fmt.Sprintf("hand %d: %s", i, unit), Place: 1, Hand: &record.Hand{}}}
		hand, err := r.read(items)
		switch {
		case err == nil:
			g.Hands = append(g.Hands, *hand)
			continue
		case !r.cut || i == 0 || i < len(doc.Log)-1:
			return nil, err
		}
		// An incomplete last hand is dropped, and the points are not final.
		g.Truncation, g.Points = err, nil
	}
	g.Knobs = knobs(g.Hands)
	g.AddStartingPoints()
	return g, nil
}

// knobs returns the rules that follow from the hands: the numbers of red fives, unless one
// per suit is possible, and whether some yakuman count double, for which Majiang has one
// switch.
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

// double are the yakuman that count double where any do.
var double = [...]string{"daisuushii", "suuankou_tanki", "junsei_chuuren_poutou", "kokushi_musou_13"}

// unit is the unit of places: the items of a hand.
const unit = "item"

// reader reads a hand.
type reader struct {
	record.Builder
	dealer int
	// window is the tile that may be won on, drawn the current drawn tile.
	window, drawn tile.Face
	giver         sim.Player // of the tile in the window
	// cut is set if the hand is incomplete but otherwise valid.
	cut, ended bool
}

// read returns a hand.
func (r *reader) read(items []item) (*record.Hand, *record.PlaceError) {
	if len(items) == 0 {
		r.cut = true
		return nil, r.Errorf("the hand has no items")
	}
	r.drawn, r.window = tile.NoFace, tile.NoFace
	for i := range items {
		r.Place = i + 1
		if err := r.item(&items[i]); err != nil {
			return nil, err
		}
	}
	if !r.ended {
		r.cut = true
		return nil, r.Errorf("the record ends in the midst of a hand")
	}
	return r.Hand, nil
}

// item reads an item.
func (r *reader) item(it *item) *record.PlaceError {
	switch {
	case (it.Qipai != nil) != (r.Place == 1):
		return r.Errorf("a hand begins with qipai and has it once")
	case it.Qipai != nil:
		return r.deal(it.Qipai)
	case r.ended && it.Hule == nil:
		return r.Errorf("the hand has ended")
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
			r.Add(sim.Event{Type: sim.EvIndicator, Player: -1, Tile: f})
		}
		return err
	case it.Hule != nil:
		return r.win(it.Hule)
	case it.Pingju != nil:
		return r.noWinner(it.Pingju)
	}
	return r.Errorf("the item is none that Majiang has: qipai, zimo, dapai, fulou, gang, gangzimo, kaigang, hule, pingju")
}

// seat returns the player in a seat of the hand, 0 for East.
func (r *reader) seat(l int) (sim.Player, *record.PlaceError) {
	if l < 0 || l >= sim.NumPlayers {
		return 0, r.Errorf("l is %d; allowed: 0 to %d", l, sim.NumPlayers-1)
	}
	return sim.Player((r.dealer + l) % sim.NumPlayers), nil
}

// four converts amounts by seat to amounts by player.
func (r *reader) four(member string, list []int32) (*[sim.NumPlayers]int32, *record.PlaceError) {
	if len(list) != sim.NumPlayers {
		return nil, r.Errorf("%s has %d numbers; %d are needed", member, len(list), sim.NumPlayers)
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
		return r.Errorf("zhuangfeng is %d and jushu %d; allowed: 0 to %d", d.Zhuangfeng, d.Jushu, sim.NumPlayers-1)
	case d.Changbang < 0 || d.Lizhibang < 0:
		return r.Errorf("changbang is %d and lizhibang %d; neither can be negative", d.Changbang, d.Lizhibang)
	case len(d.Shoupai) != sim.NumPlayers:
		return r.Errorf("qipai deals %d hands; only matches of four can be replayed", len(d.Shoupai))
	}
	r.dealer = d.Jushu
	points, err := r.four("defen", d.Defen)
	if err != nil {
		return err
	}
	r.Hand.Place = r.Place
	r.Hand.Start = &sim.MatchState{
		Round: d.Zhuangfeng, Dealer: sim.Player(d.Jushu), Counter: d.Changbang, Deposits: d.Lizhibang, Points: *points,
	}
	for l, text := range d.Shoupai {
		faces, err := r.tiles(text)
		if err != nil {
			return err
		}
		r.Hand.Deal[(r.dealer+l)%sim.NumPlayers] = faces
	}
	f, err := r.tile(d.Baopai)
	if err == nil {
		r.Add(sim.Event{Type: sim.EvIndicator, Player: -1, Tile: f})
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
	r.Add(sim.Event{Type: sim.EvDraw, Player: p, Tile: f})
	return nil
}

// discard reads a discard such as "p7_*", where _ marks the drawn tile and * a riichi
// declaration.
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
		r.Add(sim.Event{Type: sim.EvReady, Player: p})
	}
	r.drawn, r.window, r.giver = tile.NoFace, f, p
	r.Add(e)
	return nil
}

// giverMarks mark a claimed tile of the player one, two or three places after the
// claimer.
const giverMarks = "+=-"

// claim reads a meld with a discard, such as "m1-23", "s505=" or "z2222+".
func (r *reader) claim(t *turn) *record.PlaceError {
	p, err := r.seat(t.L)
	if err != nil {
		return err
	}
	i := strings.IndexAny(t.M, giverMarks)
	if i < 2 {
		return r.Errorf("fulou: %q does not mark the claimed tile", t.M)
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
		return r.Errorf("fulou: %q is no meld", t.M)
	}
	e.Player = p
	r.drawn = tile.NoFace
	r.Add(e)
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
		return r.Errorf("gang: %q is no kan", t.M)
	}
	e := sim.Event{Type: sim.EvClosedKan, Player: p, Tile: tile.Face(tiles[0].Kind())}
	if added {
		e = sim.Event{Type: sim.EvAddedKan, Player: p, Tile: tiles[3]}
	}
	r.drawn, r.window, r.giver = tile.NoFace, e.Tile, p
	r.Add(e)
	return nil
}

// pay adds the gains of the players at the end of the hand.
func (r *reader) pay(fenpei []int32) *record.PlaceError {
	amounts, err := r.four("fenpei", fenpei)
	if err != nil {
		return err
	}
	r.AddDeltas(*amounts)
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
			return r.Errorf("hule: player %d has not given a tile that can be won on", giver)
		}
		e.Tile, e.Value = r.window, int32(giver)
	}
	if e.Tile == tile.NoFace {
		return r.Errorf("hule: there is no drawn or discarded tile to win on")
	}
	r.Add(e)
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
			n = len(stars) // the multiple of a yakuman
		}
		if id == "" || n <= 0 {
			w.Patterns = nil // an unknown yaku of house rules
			break
		}
		w.Patterns[id] += n
	}
	if len(w.Patterns) == 0 {
		w.Patterns = nil
	}
	r.Hand.Wins = append(r.Hand.Wins, w)
	r.ended = true
	return r.pay(h.Fenpei)
}

func told(n *int32) int32 {
	if n == nil {
		return record.NotGiven
	}
	return *n
}

// noWinner reads the end of a hand without a winner. An unknown name may come from
// another program.
func (r *reader) noWinner(d *pingju) *record.PlaceError {
	r.ended = true
	if !slices.Contains(exhausted, d.Name) {
		e := sim.Event{Type: sim.EvAbort, Player: -1, Detail: record.UnknownAbort}
		if reason, ok := record.AbortByName[d.Name]; ok {
			e.Detail = uint8(reason)
		}
		r.Add(e)
		return r.pay(d.Fenpei)
	}
	r.Add(sim.Event{Type: sim.EvExhausted, Player: -1})
	if len(d.Shoupai) == sim.NumPlayers {
		for l, shown := range d.Shoupai {
			e := sim.Event{Type: sim.EvDeclare, Player: sim.Player((r.dealer + l) % sim.NumPlayers)}
			if shown != "" {
				e.Detail = 1
			}
			r.Add(e)
		}
	}
	return r.pay(d.Fenpei)
}

// exhausted are the names of exhausted walls.
var exhausted = []string{"荒牌平局", "流局", "流し満貫", "全員聴牌", "全員不聴"}

// yaku are the pattern ids by the names of yaku.
var yaku = record.YakuByName(map[string]string{
	"翻牌 白": "yakuhai_haku", "翻牌 發": "yakuhai_hatsu", "翻牌 中": "yakuhai_chun", "ダブル立直": "double_riichi", "国士無双十三面": "kokushi_musou_13",
})

// tile parses a tile such as "m3", "p0" for a red five, or "z7".
func (r *reader) tile(text string) (tile.Face, *record.PlaceError) {
	faces, err := r.tiles(text)
	if err == nil && len(faces) != 1 {
		err = r.Errorf("%q is no tile", text)
	}
	if err != nil {
		return tile.NoFace, err
	}
	return faces[0], nil
}

// tiles parses tiles such as "m123p055z7"; digits follow the letter of their suit.
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
			return nil, r.Errorf("%q has hidden tiles; only records that show all tiles can be replayed", text)
		case suit == 0 || n < 0 || n > 9:
			return nil, r.Errorf("%q are no tiles", text)
		case suit != 'z' && n == 0:
			faces = append(faces, tile.RedOf(tile.Suit(s)))
		case suit != 'z':
			faces = append(faces, tile.Face(9*s+n-1))
		case n < 1 || n > honors:
			return nil, r.Errorf("%q are no tiles", text)
		default:
			faces = append(faces, tile.Face(27+n-1))
		}
	}
	if len(faces) == 0 {
		return nil, r.Errorf("a tile is hidden; only records that show all tiles can be replayed")
	}
	return faces, nil
}
