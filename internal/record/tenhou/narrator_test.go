package tenhou_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/record/tenhou"
	"github.com/sparrowhall/sparrowhall/internal/testkit/recordtest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

func tenhouSeed(n uint64) string {
	key := make([]byte, 4*624)
	random := rand.New(rand.NewPCG(n, 0))
	for i := range key {
		key[i] = byte(random.Uint32())
	}
	return base64.StdEncoding.EncodeToString(key)
}

// maxTestHands is more than any match under test has.
const maxTestHands = 60

// tenhouMatch plays a match with the walls of Tenhou's shuffle.
func tenhouMatch(t testing.TB, r *ruleset.Rules, agent string, n uint64) (*sim.Match, *mjlogWriter) {
	t.Helper()
	seed := tenhouSeed(n)
	next, err := tenhou.Walls(seed)
	if err != nil {
		t.Fatal(err)
	}
	w := &mjlogWriter{rules: r, seed: seed}
	m := &sim.Match{Seed: n, Keep: sim.KeepValues}
	for range maxTestHands {
		wall, dice := next()
		slices.Reverse(wall[:])
		var faces sim.Wall
		for i, id := range wall {
			faces[i] = w.face(int(id))
		}
		w.walls, w.dice = append(w.walls, wall), append(w.dice, dice)
		m.Walls = append(m.Walls, faces)
	}
	m.Play(r, recordtest.Agents(t, agent))
	m.Walls = m.Walls[:len(m.Hands)]
	return m, w
}

// mjlogOf returns a writer of a match whose walls come from its own seed.
func mjlogOf(r *ruleset.Rules, m *sim.Match) *mjlogWriter {
	w := &mjlogWriter{rules: r, noSeed: true}
	for _, e := range m.Events {
		if e.Type != sim.EvHandStart {
			continue
		}
		round, index, _, _ := e.HandStart()
		faces := sim.NewWall(&r.Flow, m.Seed, round, ruleset.Chair(e.Player), index)
		var wall [136]uint8
		used := [136]bool{}
		for i := range sim.SetSize(&r.Flow) {
			id := 4 * int(faces[i].Kind())
			for used[id] || w.face(id) != faces[i] {
				id++
			}
			used[id], wall[i] = true, uint8(id)
		}
		w.walls, w.dice = append(w.walls, wall), append(w.dice, [2]int{})
	}
	return w
}

// mjlogWriter writes a match as Tenhou does. It follows the 136 tiles by
// themselves.
type mjlogWriter struct {
	rules *ruleset.Rules
	seed  string
	walls [][136]uint8
	dice  [][2]int
	// first is the seat of Tenhou that player 0 has.
	first int
	// noSeed leaves the seed out.
	noSeed bool

	out    strings.Builder
	hand   int
	held   [4][]int
	pons   map[int][3]int // by kind: the claimed tile, and where from
	points [4]int32
	drawn  int
	window int
	front  int
	kans   int
	doras  int
	ura    []string
	wins   []string
	deltas [4][4]int32 // by winner
	winner []sim.Player
	giver  []sim.Player
	paid   [4]int32
	shown  [4]bool
	values int
	end    string
}

func (w *mjlogWriter) seat(p sim.Player) int { return (int(p) + w.first) % w.rules.NumSeats() }

// players returns the players in the order of their seats.
func (w *mjlogWriter) players() []int {
	n := w.rules.NumSeats()
	list := make([]int, n)
	for seat := range list {
		list[seat] = (seat + n - w.first) % n
	}
	return list
}

// empty returns the text of an empty fourth seat.
func (w *mjlogWriter) empty(text string) string {
	if w.rules.Seats == ruleset.FourSeats {
		return ""
	}
	return text
}

func (w *mjlogWriter) face(id int) tile.Face {
	k := tile.Kind(id / 4)
	if k.IsFive() && id%4 < w.rules.AkaDora[k.Suit()] {
		return tile.RedOf(k.Suit())
	}
	return tile.Face(k)
}

// take takes a held tile of a face, another than the drawn one where there is
// one.
func (w *mjlogWriter) take(p sim.Player, f tile.Face, drawn bool) int {
	h := &w.held[p]
	i := -1
	for j, id := range *h {
		if w.face(id) == f && (i < 0 || (id == w.drawn) == drawn) {
			i = j
		}
	}
	id := (*h)[i]
	*h = slices.Delete(*h, i, i+1)
	return id
}

func (w *mjlogWriter) tag(format string, args ...any) { fmt.Fprintf(&w.out, "<"+format+"/>", args...) }

func (w *mjlogWriter) write(m *sim.Match) string {
	w.out.Reset()
	w.out.WriteString(`<mjloggm ver="2.3">`)
	if !w.noSeed {
		w.tag(`SHUFFLE seed="%s,%s" ref=""`, tenhou.Shuffle, w.seed)
	}
	bits := 0xa9
	if w.rules.AkaDora == [3]int{} {
		bits |= 2
	}
	if w.rules.Seats == ruleset.ThreeSeats {
		bits |= 0x10
	}
	w.tag(`GO type="%d" lobby="0"`, bits)
	if w.rules.Seats == ruleset.FourSeats {
		w.tag(`UN n%d="first%%20%%E9%%9B%%80" n%d="second" n%d="third" n%d="fourth" dan="1,1,1,1"`, w.first, (w.first+1)%4, (w.first+2)%4, (w.first+3)%4)
	} else {
		w.tag(`UN n%d="first" n%d="second" n%d="third" n3="" dan="1,1,1,0"`, w.first, (w.first+1)%3, (w.first+2)%3)
	}
	w.tag(`TAIKYOKU oya="%d"`, w.first)
	for i := range w.points {
		if w.points[i] = 0; i < w.rules.NumSeats() {
			w.points[i] = int32(w.rules.StartingPoints)
		}
	}
	w.hand, w.values = -1, 0
	for _, e := range m.Events {
		w.event(e, m)
	}
	w.out.WriteString("</mjloggm>")
	return w.out.String()
}

func (w *mjlogWriter) event(e sim.Event, m *sim.Match) {
	p := e.Player
	wall := func(place int) int { return int(w.walls[w.hand][place]) }
	switch e.Type {
	case sim.EvHandStart:
		w.hand++
		w.begin(e)
	case sim.EvDraw:
		place := w.front
		if e.Detail == uint8(sim.FromKan) || e.Detail == uint8(sim.FromKita) {
			place = sim.ReplacementIndex(&w.rules.Flow, w.kans)
			w.kans++
		} else {
			w.front++
		}
		w.drawn = wall(place)
		w.held[p] = append(w.held[p], w.drawn)
		w.tag("%c%d", "TUVW"[w.seat(p)], w.drawn)
	case sim.EvDiscard:
		w.window = w.take(p, e.Tile, e.Detail&sim.DiscardDrawn != 0)
		w.drawn = -1
		w.tag("%c%d", "DEFG"[w.seat(p)], w.window)
	case sim.EvReady:
		w.tag(`REACH who="%d" step="%d"`, w.seat(p), e.Value+1)
	case sim.EvChi, sim.EvPon, sim.EvOpenKan:
		w.claim(e)
	case sim.EvKita:
		w.window = w.take(p, e.Tile, true)
		w.tag(`N who="%d" m="%d"`, w.seat(p), w.window<<8|0x20)
	case sim.EvClosedKan:
		var id int
		for range 4 {
			i := slices.IndexFunc(w.held[p], func(id int) bool { return id/4 == int(e.Tile) })
			id = w.held[p][i]
			w.held[p] = slices.Delete(w.held[p], i, i+1)
		}
		w.tag(`N who="%d" m="%d"`, w.seat(p), id<<8)
	case sim.EvAddedKan:
		w.window = w.take(p, e.Tile, true)
		pon := w.pons[w.window/4]
		w.tag(`N who="%d" m="%d"`, w.seat(p), (w.window/4*3+pon[1])<<9|w.window%4<<5|1<<4|pon[2])
	case sim.EvIndicator:
		if e.Detail == 1 {
			w.ura = append(w.ura, fmt.Sprint(wall(sim.IndicatorIndex(&w.rules.Flow, len(w.ura))+1)))
			break
		}
		if w.doras++; w.doras > 1 {
			w.tag(`DORA hai="%d"`, wall(sim.IndicatorIndex(&w.rules.Flow, w.doras-1)))
		}
	case sim.EvDeclare:
		w.shown[p] = e.Detail == 1
	case sim.EvExhausted:
		w.end = `RYUUKYOKU`
	case sim.EvAbort:
		for name, reason := range tenhou.MJLogAborts {
			if reason == sim.AbortReason(e.Detail) {
				w.end = fmt.Sprintf(`RYUUKYOKU type="%s"`, name)
			}
		}
	case sim.EvWin:
		w.ura = nil
		if sim.Player(e.Value) == p {
			w.window = w.drawn
		}
		w.winner, w.giver = append(w.winner, p), append(w.giver, sim.Player(e.Value))
	case sim.EvValue:
		w.win(e, m)
	case sim.EvPay:
		w.pay(e)
	case sim.EvHandEnd:
		w.finish()
	case sim.EvMatchEnd:
		var owari []string
		for _, p := range w.players() {
			owari = append(owari, fmt.Sprint(w.points[p]/100), "0.0")
		}
		text := strings.TrimSuffix(w.out.String(), "/>")
		w.out.Reset()
		fmt.Fprintf(&w.out, `%s owari="%s%s"/>`, text, strings.Join(owari, ","), w.empty(",0,0"))
	}
}

func (w *mjlogWriter) begin(e sim.Event) {
	round, _, counter, deposits := e.HandStart()
	w.front, w.kans, w.doras, w.ura, w.wins, w.winner, w.giver, w.end = 13*w.rules.NumSeats(), 0, 0, nil, nil, nil, nil, ""
	w.deltas, w.paid, w.shown, w.pons = [4][4]int32{}, [4]int32{}, [4]bool{}, map[int][3]int{}
	wall := &w.walls[w.hand]
	for _, p := range w.players() {
		w.held[p] = nil
		for i := range 13 {
			place := sim.DealtIndex(&w.rules.Flow, ruleset.Chair(e.Player), ruleset.Chair(p), i)
			w.held[p] = append(w.held[p], int(wall[place]))
		}
	}
	var hands, ten []string
	for seat, p := range w.players() {
		hands = append(hands, fmt.Sprintf(`hai%d="%s"`, seat, join(w.held[p])))
		ten = append(ten, fmt.Sprint(w.points[p]/100))
	}
	w.tag(`INIT seed="%d,%d,%d,%d,%d,%d" ten="%s" oya="%d" %s`, 4*round+int(e.Player), counter, deposits,
		w.dice[w.hand][0], w.dice[w.hand][1], wall[sim.IndicatorIndex(&w.rules.Flow, 0)], strings.Join(ten, ",")+w.empty(",0"), w.seat(e.Player), strings.Join(hands, " ")+w.empty(` hai3=""`))
}

func join[T any](list []T) string {
	var text []string
	for _, v := range list {
		text = append(text, fmt.Sprint(v))
	}
	return strings.Join(text, ",")
}

func (w *mjlogWriter) claim(e sim.Event) {
	p, giver := e.Player, sim.Player(e.Detail&3)
	from := (w.seat(giver) - w.seat(p) + 4) % 4
	k, reds := e.Tile.Kind(), int(e.Detail>>4)
	own := func(k tile.Kind) int {
		f := tile.Face(k)
		if k.IsFive() && reds > 0 {
			f, reds = tile.RedOf(k.Suit()), reds-1
		}
		return w.take(p, f, false)
	}
	m := 0
	switch e.Type {
	case sim.EvChi:
		place := int(e.Detail >> 2 & 3)
		low := k - tile.Kind(place)
		m = (int(low.Suit())*7+low.Rank())*3 + place
		m = m<<10 | 4 | from
		for i := range 3 {
			id := w.window
			if i != place {
				id = own(low + tile.Kind(i))
			}
			m |= id % 4 << (3 + 2*i)
		}
	case sim.EvPon:
		used := []int{w.window, own(k), own(k)}
		slices.Sort(used)
		place := slices.Index(used, w.window)
		spare := 6 - used[0]%4 - used[1]%4 - used[2]%4
		m = (int(k)*3+place)<<9 | spare<<5 | 8 | from
		w.pons[int(k)] = [3]int{w.window, place, from}
	default:
		for range 3 {
			own(k)
		}
		m = w.window<<8 | from
	}
	w.drawn = -1
	w.tag(`N who="%d" m="%d"`, w.seat(p), m)
}

func (w *mjlogWriter) win(e sim.Event, m *sim.Match) {
	v := &m.Values[w.values]
	w.values++
	var yaku []string
	dora := 0 // with the Norths set aside
	for _, p := range v.Patterns[:v.NumPatterns] {
		id := w.rules.Patterns()[p.Pattern].ID
		if v.Yakuman == 0 && (id == "dora" || id == "nuki_dora") {
			dora += int(p.Points)
			continue
		}
		yaku = append(yaku, fmt.Sprint(slices.Index(tenhou.MJLogYaku, id)))
		if v.Yakuman == 0 {
			yaku = append(yaku, fmt.Sprint(p.Points))
		}
	}
	if dora > 0 {
		yaku = append(yaku, fmt.Sprint(slices.Index(tenhou.MJLogYaku, "dora")), fmt.Sprint(dora))
	}
	name := "yaku"
	if v.Yakuman > 0 {
		name = "yakuman"
	}
	limit := 0
	if v.Yakuman > 0 || v.Han >= 13 {
		limit = 5
	}
	text := fmt.Sprintf(`AGARI who="%d" machi="%d" ten="%d,%d,%d" %s="%s"`, w.seat(e.Player), w.window, v.Fu, v.Points, limit, name, strings.Join(yaku, ","))
	if len(w.ura) > 0 {
		text += fmt.Sprintf(` doraHaiUra="%s"`, strings.Join(w.ura, ","))
	}
	w.wins = append(w.wins, text)
}

func (w *mjlogWriter) pay(e sim.Event) {
	from, to, amount, reason := e.Pay()
	deltas := &w.paid
	if i := slices.Index(w.winner, to); i >= 0 {
		deltas = &w.deltas[i]
	}
	for _, side := range [...]struct {
		p sim.Player
		n int32
	}{{from, -amount}, {to, amount}} {
		if side.p < 4 {
			w.points[side.p] += side.n
			if reason != ruleset.ForRiichi {
				deltas[side.p] += side.n
			}
		}
	}
}

func (w *mjlogWriter) sc(deltas [4]int32) string {
	var list []string
	for _, p := range w.players() {
		list = append(list, fmt.Sprint(w.points[p]/100), fmt.Sprint(deltas[p]/100))
	}
	return strings.Join(list, ",") + w.empty(",0,0")
}

func (w *mjlogWriter) finish() {
	for i, text := range w.wins {
		w.tag(`%s fromWho="%d" sc="%s"`, text, w.seat(w.giver[i]), w.sc(w.deltas[i]))
	}
	if w.wins == nil {
		text := w.end
		if !strings.Contains(text, "type") {
			for p, shown := range w.shown {
				if shown {
					text += fmt.Sprintf(` hai%d="%s"`, w.seat(sim.Player(p)), join(w.held[p]))
				}
			}
		}
		w.tag(`%s sc="%s"`, text, w.sc(w.paid))
	}
}

func jsonOf(t testing.TB, r *ruleset.Rules, m *sim.Match) []byte {
	t.Helper()
	text, err := tenhou.WriteJSON(r, m, [sim.NumPlayers]string{"a", "b", "c", "d"})
	if err != nil {
		t.Fatal(err)
	}
	return text
}
