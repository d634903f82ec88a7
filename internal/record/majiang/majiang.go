// Package majiang reads the records (paipu) of Majiang, the program of Kobayashi Satoshi,
// through its [Format]. Other programs by its author convert records to this format.
//
// # Paipu
//
// A record is a JSON object; several may be in a row, one per line or in an array. Places are
// numbers of items of a hand, from 1. A match has `player` (names, of which the first line
// counts), `qijia` (who deals first), `log` (the hands) and `defen` (the points at the end);
// `title`, `rank` and `point` are ignored.
//
// A hand is a list of items with one member each. Seats `l` count from the dealer, 0. Tiles are
// `m1`..`m9` `p1`..`p9` `s1`..`s9`, `z1`..`z7`, and `m0` `p0` `s0` the red fives.
//
//   - `qipai` (`zhuangfeng`, `jushu`, `changbang`, `lizhibang`, `defen`, `baopai`, `shoupai`):
//     round, dealer, counter, sticks, points, the first indicator and the deal
//   - `zimo`, `gangzimo` (`l`, `p`): a draw, a replacement
//   - `dapai` (`l`, `p`): a discard; `_` of the tile just drawn, `*` with riichi
//   - `fulou` (`l`, `m`): chi, pon, open kan, such as `m1-23`; the mark stands behind the
//     claimed tile and names the giver: `-` the player before, `=` across, `+` after
//   - `gang` (`l`, `m`): a closed kan (`z6666`), a tile added to a pon (`z666-6`)
//   - `kaigang` (`baopai`): an indicator; it may stand anywhere in the hand
//   - `hule` (`l`, `baojia`, `fubaopai`, `fu`, `fanshu`, `damanguan`, `defen`, `hupai`,
//     `fenpei`): a winner, off `baojia` if the record has it, with ura indicators, fu, han,
//     multiple of a yakuman, value, yaku and payments
//   - `pingju` (`name`, `shoupai`, `fenpei`): no winner; 荒牌平局 and 流し満貫 exhaust the wall, with a
//     hand in `shoupai` for those who are ready; 九種九牌 四風連打 四家立直 四開槓 三家和 abort; of another name,
//     any end without a winner
//
// A paipu does not contain its rules. The program's own are Tenhou's, except double yakuman:
// where a yaku counts twice (`**`), `double_yakuman` has the four that Majiang knows. For a
// match of one round name a ruleset file with `rounds = 1`.
//
// The winner's hand in `hule` is not compared, nor `baojia` of a yaku, which the payments
// confirm, nor yaku with names of a house and those beside them.
package majiang

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/record/reading"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// Format reads the records of Majiang, alone, in sequence or in an array.
var Format = &record.Format{
	Name: "majiang", Ruleset: "tenhou", Suffixes: []string{".json", ".jsonl"},
	Split: record.SplitElements(record.SplitJSON), Parse: parse,
}

// paipu is a record of a match. Players are numbered by the draw for seats; Qijia is the
// number of the first dealer.
type paipu struct {
	Player []string            `json:"player"`
	Qijia  int                 `json:"qijia"`
	Log    [][]json.RawMessage `json:"log"`
	Defen  []int32             `json:"defen"`
	// What is not read.
	Title, Point, Rank reading.Unread
}

// item is an entry of a hand, of which exactly one member is set.
type item struct {
	Qipai, Kaigang                     *deal
	Zimo, Dapai, Fulou, Gang, Gangzimo *turn
	Hule                               *hule
	Pingju                             *pingju
}

// deal is the beginning of a hand, and of kaigang its Baopai. Lists are by seat, East first.
type deal struct {
	Zhuangfeng, Jushu, Changbang, Lizhibang int
	Defen                                   []int32
	Baopai                                  string
	Shoupai                                 []string
}

// turn is a draw, discard, claim or kan of seat L, with the tile P or the meld M.
type turn struct {
	L    int
	P, M string
}

// hule is a win.
type hule struct {
	L                 int
	Shoupai           string
	Baojia            *int
	Fubaopai          []string
	Fu, Fanshu, Defen *int32
	Damanguan         int32
	Hupai             []struct {
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
	g := &record.Game{Unit: unit}
	r := &reader{builder: reading.Builder{Unit: "record", Place: 1, Game: g}}
	var doc paipu
	text, cut := reading.Close(text, 3)
	err := r.builder.Unmarshal(text, &doc)
	switch {
	case len(doc.Log) == 0 && (err != nil || cut != ""):
		r.builder.Fail("no record of Majiang: %s", cmp.Or(cut, fmt.Sprint(err)))
	case len(doc.Log) == 0:
		r.builder.Fail("no record of Majiang: it has no hand in log")
	case doc.Qijia < 0 || doc.Qijia >= sim.NumPlayers:
		r.builder.Fail("qijia is %d; allowed: 0 to %d", doc.Qijia, sim.NumPlayers-1)
	case len(doc.Player) != 0 && len(doc.Player) < sim.NumPlayers:
		r.builder.Fail("it names %d players; only matches of four can be replayed", len(doc.Player))
	case err != nil:
		r.builder.Note("%v; it was not read", err)
	}
	if r.builder.Err != nil {
		return r.builder.Finish()
	}
	if len(doc.Player) > 0 {
		doc.Player = reading.First(&r.builder, "player", doc.Player, sim.NumPlayers)
	}
	player := func(id int) int { return (id - doc.Qijia + sim.NumPlayers) % sim.NumPlayers }
	for id, about := range doc.Player {
		g.Names[player(id)], _, _ = strings.Cut(about, "\n") // the name is the first line
	}
	if len(doc.Defen) >= sim.NumPlayers {
		g.Points = &[sim.NumPlayers]int32{}
		for id, n := range reading.First(&r.builder, "defen", doc.Defen, sim.NumPlayers) {
			g.Points[player(id)] = n
		}
	}
	for i, items := range doc.Log {
		r.builder.Unit, r.builder.Place, r.builder.Hand, r.begun, r.ended = fmt.Sprintf("hand %d: %s", i, unit), 1, &record.Hand{}, false, false
		r.read(items)
		if r.builder.Err == nil && !r.ended {
			r.builder.Fail("%s", cmp.Or(cut, "the record ends within a hand"))
		}
		if r.builder.Err != nil {
			break
		}
		r.builder.EndHand()
	}
	if cut != "" {
		r.builder.Fail("%s", cut)
	}
	g.Knobs = knobs(g.Hands)
	g.AddStartingPoints()
	return r.builder.Finish()
}

// knobs returns the rules that follow from the hands: the numbers of red fives, unless one
// per suit is possible, and whether some yakuman count double, for which Majiang has one
// switch.
func knobs(hands []record.Hand) map[string]any {
	const rank, copies = 4, 4 // the rank of a five, from 0
	knobs := map[string]any{}
	var reds [3]int
	stated := false // one red five per suit is not possible
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
			stated = stated || n > 1 || seen[9*suit+rank] == copies
		}
		for _, w := range h.Wins {
			for _, id := range doubledYakuman {
				if w.Patterns[id] > 1 {
					knobs["double_yakuman"] = []any{doubledYakuman[0], doubledYakuman[1], doubledYakuman[2], doubledYakuman[3]}
				}
			}
		}
	}
	if stated {
		knobs["aka_dora"] = []any{int64(reds[0]), int64(reds[1]), int64(reds[2])}
	}
	return knobs
}

// doubledYakuman are the yakuman that count double where any do.
var doubledYakuman = [...]string{"daisuushii", "suuankou_tanki", "junsei_chuuren_poutou", "kokushi_musou_13"}

// unit is the unit of places: the items of a hand.
const unit = "item"

// reader reads a hand.
type reader struct {
	builder reading.Builder
	dealer  int
	begun   bool // the hand
	ended   bool
}

func (r *reader) read(items []json.RawMessage) {
	if len(items) == 0 {
		r.builder.Fail("the hand has no items")
	}
	for i, text := range items {
		r.builder.Place = i + 1
		var it item
		if err := r.builder.Unmarshal(text, &it); err != nil {
			r.builder.Fail("%v", err)
		} else if r.item(&it); r.builder.Err != nil {
			return
		}
	}
}

func (r *reader) item(it *item) {
	switch {
	case (it.Qipai != nil) == r.begun:
		r.builder.Fail("a hand begins with qipai and has it once")
	case it.Qipai != nil:
		r.begun = true
		r.deal(it.Qipai)
	case r.ended && it.Hule == nil:
		r.builder.Fail("the hand has ended")
	case it.Zimo != nil:
		r.draw(it.Zimo)
	case it.Gangzimo != nil:
		r.draw(it.Gangzimo)
	case it.Dapai != nil:
		r.discard(it.Dapai)
	case it.Fulou != nil:
		r.claim(it.Fulou)
	case it.Gang != nil:
		r.kan(it.Gang)
	case it.Kaigang != nil:
		r.builder.Add(sim.Event{Type: sim.EvIndicator, Player: -1, Tile: r.tile(it.Kaigang.Baopai)})
	case it.Hule != nil:
		r.win(it.Hule)
	case it.Pingju != nil:
		r.noWinner(it.Pingju)
	default:
		r.builder.Note("the item is none that Majiang has: qipai, zimo, dapai, fulou, gang, gangzimo, kaigang, hule, pingju")
	}
}

// seat returns the player in a seat of the hand, 0 for East.
func (r *reader) seat(l int) sim.Player {
	if l < 0 || l >= sim.NumPlayers {
		r.builder.Fail("l is %d; allowed: 0 to %d", l, sim.NumPlayers-1)
		return 0
	}
	return sim.Player((r.dealer + l) % sim.NumPlayers)
}

// byPlayer converts amounts by seat to amounts by player.
func (r *reader) byPlayer(member string, list []int32) (amounts [sim.NumPlayers]int32) {
	for l, n := range reading.First(&r.builder, member, list, sim.NumPlayers) {
		amounts[r.seat(l)] = n
	}
	return amounts
}

func (r *reader) deal(d *deal) {
	switch {
	case d.Zhuangfeng < 0 || d.Zhuangfeng >= sim.NumPlayers || d.Jushu < 0 || d.Jushu >= sim.NumPlayers:
		r.builder.Fail("zhuangfeng is %d and jushu %d; allowed: 0 to %d", d.Zhuangfeng, d.Jushu, sim.NumPlayers-1)
		return
	case d.Changbang < 0 || d.Lizhibang < 0:
		r.builder.Fail("changbang is %d and lizhibang %d; neither can be negative", d.Changbang, d.Lizhibang)
	case len(d.Shoupai) != sim.NumPlayers:
		r.builder.Fail("qipai deals %d hands; only matches of four can be replayed", len(d.Shoupai))
		return
	}
	r.dealer = d.Jushu
	r.builder.Hand.Place = r.builder.Place
	r.builder.Hand.Start = &sim.MatchState{
		Round: d.Zhuangfeng, Dealer: sim.Player(d.Jushu), Counter: d.Changbang, Deposits: d.Lizhibang, Points: r.byPlayer("defen", d.Defen),
	}
	for l, text := range d.Shoupai {
		if text != "" || !r.builder.Seen {
			r.builder.Hand.Deal[r.seat(l)] = r.tiles(text)
		}
	}
	r.builder.Add(sim.Event{Type: sim.EvIndicator, Player: -1, Tile: r.tile(d.Baopai)})
}

func (r *reader) draw(t *turn) {
	r.builder.Add(sim.Event{Type: sim.EvDraw, Player: r.seat(t.L), Tile: r.tile(t.P)})
}

// discard reads a discard such as "p7_*", where _ marks the drawn tile and * a riichi
// declaration.
func (r *reader) discard(t *turn) {
	p := r.seat(t.L)
	text, ready := strings.CutSuffix(strings.TrimRight(t.P, giverMarks), "*")
	text, drawn := strings.CutSuffix(text, "_")
	if ready {
		r.builder.Add(sim.Event{Type: sim.EvReady, Player: p})
	}
	r.builder.Discard(p, r.tile(text), drawn, ready)
}

// giverMarks mark a claimed tile of the player one, two or three places after the
// claimer.
const giverMarks = "+=-"

// claim reads a meld with a discard, such as "m1-23", "s505=" or "z2222+".
func (r *reader) claim(t *turn) {
	p := r.seat(t.L)
	i := strings.IndexAny(t.M, giverMarks)
	if i < 2 {
		r.builder.Fail("fulou: %q does not mark the claimed tile", t.M)
		return
	}
	claimed := r.tile(t.M[:1] + t.M[i-1:i])
	own := r.tiles(t.M[:i-1] + t.M[i+1:])
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
		r.builder.Fail("fulou: %q is no meld", t.M)
	}
	e.Player = p
	r.builder.Add(e)
}

// kan reads a closed kan such as "m1111" or a tile added to a pon, "m111+1".
func (r *reader) kan(t *turn) {
	tiles := r.tiles(strings.NewReplacer("+", "", "=", "", "-", "").Replace(t.M))
	if len(tiles) != 4 || slices.ContainsFunc(tiles, func(f tile.Face) bool { return f.Kind() != tiles[0].Kind() }) {
		r.builder.Fail("gang: %q is no kan", t.M)
		return
	}
	e := sim.Event{Type: sim.EvClosedKan, Player: r.seat(t.L), Tile: tile.Face(tiles[0].Kind())}
	if strings.ContainsAny(t.M, giverMarks) {
		e.Type, e.Tile = sim.EvAddedKan, tiles[3]
	}
	r.builder.Add(e)
}

func (r *reader) win(h *hule) {
	p, last := r.seat(h.L), r.builder.Last()
	giver := p
	if h.Baojia != nil {
		giver = r.seat(*h.Baojia)
	}
	switch selfDraw := last.Type == sim.EvDraw; {
	case h.Baojia != nil && (selfDraw || last.Player != giver):
		r.builder.Fail("hule: player %d has not given a tile that can be won on", giver)
	case h.Baojia == nil && !selfDraw:
		r.builder.Fail("hule: there is no drawn or discarded tile to win on")
	}
	r.builder.Add(sim.Event{Type: sim.EvWin, Player: p, Tile: last.Tile, Value: int32(giver)})
	w := record.Win{Points: givenOr(h.Defen), Han: givenOr(h.Fanshu), Fu: givenOr(h.Fu), Yakuman: h.Damanguan}
	for _, text := range h.Fubaopai {
		w.Ura = append(w.Ura, r.tile(text))
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
	r.builder.Hand.Wins = append(r.builder.Hand.Wins, w)
	r.ended = true
	r.builder.AddDeltas(r.byPlayer("fenpei", h.Fenpei))
}

// givenOr returns the number that a member of the record gives, or record.NotGiven.
func givenOr(n *int32) int32 {
	if n == nil {
		return record.NotGiven
	}
	return *n
}

// noWinner reads the end of a hand without a winner. An unknown name may come from
// another program.
func (r *reader) noWinner(d *pingju) {
	r.ended = true
	switch reason, ok := reading.AbortByName[d.Name]; {
	case slices.Contains(exhausted, d.Name):
		r.builder.Exhausted(sim.Player(r.dealer), len(d.Shoupai) == sim.NumPlayers, func(l int) bool { return d.Shoupai[l] != "" })
	case ok:
		r.builder.Abort(uint8(reason))
	default:
		r.builder.Abort(record.UnknownAbort)
	}
	r.builder.AddDeltas(r.byPlayer("fenpei", d.Fenpei))
}

// exhausted are the names of exhausted walls.
var exhausted = []string{"荒牌平局", "流局", "流し満貫", "全員聴牌", "全員不聴"}

// yaku are the pattern ids by the names of yaku.
var yaku = reading.YakuByName(map[string]string{
	"翻牌 白": "yakuhai_haku", "翻牌 發": "yakuhai_hatsu", "翻牌 中": "yakuhai_chun", "ダブル立直": "double_riichi", "国士無双十三面": "kokushi_musou_13",
})

// tile parses a tile such as "m3", "p0" for a red five, or "z7".
func (r *reader) tile(text string) tile.Face {
	if text == "" && r.builder.Seen {
		return tile.NoFace
	}
	faces := r.tiles(text)
	if len(faces) != 1 {
		r.builder.Fail("%q is no tile", text)
		return tile.NoFace
	}
	return faces[0]
}

// tiles parses tiles such as "m123p055z7"; digits follow the letter of their suit.
func (r *reader) tiles(text string) (faces []tile.Face) {
	const suits, honors = "mps", 7
	suit := byte(0)
	for i := range len(text) {
		b := text[i]
		n := int(b) - '0'
		switch s := strings.IndexByte(suits, suit); {
		case strings.IndexByte(suits+"z", b) >= 0:
			suit = b
		case b == '_':
			r.builder.Fail("%q has hidden tiles; only records that show all tiles can be replayed", text)
		case suit == 0 || n < 0 || n > 9 || suit == 'z' && (n < 1 || n > honors):
			r.builder.Fail("%q are no tiles", text)
		case suit == 'z':
			faces = append(faces, tile.Face(27+n-1))
		case n == 0:
			faces = append(faces, tile.RedOf(tile.Suit(s)))
		default:
			faces = append(faces, tile.Face(9*s+n-1))
		}
	}
	if len(faces) == 0 {
		r.builder.Fail("a tile is hidden; only records that show all tiles can be replayed")
	}
	return faces
}
