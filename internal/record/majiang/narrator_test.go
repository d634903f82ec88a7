package majiang_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// object is a JSON object.
type object = map[string]any

// narrator writes a match as Majiang would have recorded it. The seat of the first
// draw for seats is that of player first.
type narrator struct {
	t      testing.TB
	rules  *ruleset.Rules
	match  *sim.Match
	first  int
	names  map[string]string // of yaku, by pattern id
	log    [][]object
	dealer sim.Player
	round  int
	points [sim.NumPlayers]int32
	deal   [sim.NumPlayers][]tile.Face
	pons   map[tile.Kind]string
	ready  bool
	shown  [sim.NumPlayers]string
	wins   []object
	paid   []*[sim.NumPlayers]int32
	values int
	start  object
	end    string
}

// write returns the record of the match as JSON.
func (n *narrator) write() string {
	for _, e := range n.match.Events {
		n.event(e)
	}
	var names [sim.NumPlayers]string
	var points [sim.NumPlayers]int32
	for p := range sim.NumPlayers {
		id := (p + n.first) % sim.NumPlayers
		names[id] = fmt.Sprintf("player %d\n(rank)", p)
		points[id] = n.match.Final.Points[p]
	}
	text, err := json.Marshal(object{"title": "a match", "player": names, "qijia": n.first, "log": n.log, "defen": points})
	if err != nil {
		n.t.Fatal(err)
	}
	return string(text)
}

// face writes a tile, or only its digit.
func face(f tile.Face) string {
	k := f.Kind()
	if f.IsRed() {
		return "mps"[k.Suit():k.Suit()+1] + "0"
	}
	if k.IsHonor() {
		return fmt.Sprintf("z%d", k.Rank()+1)
	}
	return fmt.Sprintf("%c%d", "mps"[k.Suit()], k.Rank()+1)
}

func digit(f tile.Face) string { return face(f)[1:] }

func (n *narrator) seat(p sim.Player) int { return int(p-n.dealer+sim.NumPlayers) % sim.NumPlayers }

func (n *narrator) add(key string, value any) {
	n.log[len(n.log)-1] = append(n.log[len(n.log)-1], object{key: value})
}

func (n *narrator) bySeat(of *[sim.NumPlayers]int32) (list [sim.NumPlayers]int32) {
	for p, v := range of {
		list[n.seat(sim.Player(p))] = v
	}
	return list
}

func (n *narrator) event(e sim.Event) {
	p := e.Player
	switch e.Type {
	case sim.EvHandStart:
		round, _, counter, deposits := e.HandStart()
		n.dealer, n.round, n.wins, n.paid, n.end = p, round, nil, nil, ""
		n.deal, n.shown, n.pons = [4][]tile.Face{}, [4]string{}, map[tile.Kind]string{}
		n.log = append(n.log, nil)
		n.start = object{"zhuangfeng": round, "jushu": p, "changbang": counter, "lizhibang": deposits, "defen": n.bySeat(&n.points)}
		n.add("qipai", n.start)
	case sim.EvDeal:
		dealt, _ := e.Deal()
		for _, f := range dealt {
			if f != tile.NoFace {
				n.deal[p] = append(n.deal[p], f)
			}
		}
	case sim.EvIndicator:
		n.indicator(e)
	case sim.EvDraw:
		items := n.log[len(n.log)-1]
		key := "zimo"
		for last := range items[len(items)-1] {
			if last == "gang" || last == "fulou" && strings.Count(items[len(items)-1][last].(object)["m"].(string), "")-1 == 6 {
				key = "gangzimo"
			}
		}
		n.add(key, object{"l": n.seat(p), "p": face(e.Tile)})
	case sim.EvReady:
		n.ready = e.Value == 0
	case sim.EvDiscard:
		text := face(e.Tile)
		if drawn, _ := e.Discard(); drawn {
			text += "_"
		}
		if n.ready {
			text += "*"
		}
		n.ready = false
		n.add("dapai", object{"l": n.seat(p), "p": text})
	case sim.EvChi, sim.EvPon, sim.EvOpenKan:
		n.add("fulou", object{"l": n.seat(p), "m": n.claim(e)})
	case sim.EvClosedKan:
		k, digits := e.Tile.Kind(), ""
		for i := range 4 {
			f := tile.Face(k)
			if k.IsFive() && 3-i < n.rules.AkaDora[k.Suit()] {
				f = tile.RedOf(k.Suit())
			}
			digits += digit(f)
		}
		n.add("gang", object{"l": n.seat(p), "m": face(tile.Face(k))[:1] + digits})
	case sim.EvAddedKan:
		n.add("gang", object{"l": n.seat(p), "m": n.pons[e.Tile.Kind()] + digit(e.Tile)})
	case sim.EvDeclare:
		if e.Declare() {
			n.shown[n.seat(p)] = "m1" // the hand
		}
	case sim.EvWin:
		winner := object{"l": n.seat(p), "shoupai": "", "baojia": nil, "fubaopai": nil}
		if _, giver := e.Win(); giver != p {
			winner["baojia"] = n.seat(giver)
		}
		n.wins, n.paid = append(n.wins, winner), append(n.paid, &[sim.NumPlayers]int32{})
	case sim.EvValue:
		n.value(e)
	case sim.EvExhausted:
		n.end = "荒牌平局"
	case sim.EvAbort:
		n.end = [...]string{"九種九牌", "四風連打", "四家立直", "四開槓", "三家和"}[e.Abort()]
	case sim.EvPay:
		n.pay(e)
	case sim.EvHandEnd:
		n.finish()
	}
}

func (n *narrator) indicator(e sim.Event) {
	switch {
	case e.Ura():
		w := n.wins[len(n.wins)-1]
		list, _ := w["fubaopai"].([]string)
		w["fubaopai"] = append(list, face(e.Tile))
	case n.start["baopai"] == nil:
		n.start["baopai"] = face(e.Tile)
		var hands [sim.NumPlayers]string
		for p, faces := range n.deal {
			for _, f := range faces {
				hands[n.seat(sim.Player(p))] += face(f)
			}
		}
		n.start["shoupai"] = hands
	default:
		n.add("kaigang", object{"baopai": face(e.Tile)})
	}
}

// claim writes a meld, tiles in order, a mark behind the claimed one.
func (n *narrator) claim(e sim.Event) string {
	giver, place, reds := e.Call()
	k := e.Tile.Kind()
	kinds := []tile.Kind{k, k, k, k}
	switch e.Type {
	case sim.EvChi:
		low := k - tile.Kind(place)
		kinds = []tile.Kind{low, low + 1, low + 2}
	case sim.EvPon:
		kinds = kinds[:3]
	default:
		place = 3
	}
	if e.Type == sim.EvPon {
		place = 2
	}
	text := face(e.Tile)[:1]
	for i, o := range kinds {
		f := tile.Face(o)
		switch {
		case i == place:
			text += digit(e.Tile) + []string{"", "+", "=", "-"}[(giver-e.Player+sim.NumPlayers)%sim.NumPlayers]
			continue
		case o.IsFive() && reds > 0:
			f, reds = tile.RedOf(o.Suit()), reds-1
		}
		text += digit(f)
	}
	if e.Type == sim.EvPon {
		n.pons[k] = text
	}
	return text
}

// value writes what the last winner's hand is worth.
func (n *narrator) value(e sim.Event) {
	points, han, fu := e.HandValue()
	v := &n.match.Values[n.values]
	n.values++
	w := n.wins[len(n.wins)-1]
	w["defen"] = points
	if v.Yakuman > 0 {
		w["damanguan"] = v.Yakuman
	} else {
		w["fu"], w["fanshu"] = fu, han
	}
	var list []object
	all := n.rules.Patterns()
	for _, s := range v.Patterns[:v.NumPatterns] {
		id := all[s.Pattern].ID
		name := n.names[id]
		switch id {
		case "yakuhai_round_wind":
			name = "場風 " + string([]rune("東南西北")[n.round])
		case "yakuhai_seat_wind":
			name = "自風 " + string([]rune("東南西北")[w["l"].(int)])
		}
		if name == "" {
			n.t.Fatalf("yaku %s has no name", id)
		}
		var value any = s.Points
		if v.Yakuman > 0 {
			value = strings.Repeat("*", int(s.Points))
		}
		list = append(list, object{"name": name, "fanshu": value})
	}
	w["hupai"] = list
}

// pay moves points; what a winner receives belongs to him.
func (n *narrator) pay(e sim.Event) {
	from, to, amount, reason := e.Pay()
	if n.paid == nil {
		n.paid = []*[sim.NumPlayers]int32{{}}
	}
	paid := n.paid[len(n.paid)-1]
	for i, w := range n.wins {
		if to < sim.NumPlayers && w["l"] == n.seat(to) {
			paid = n.paid[i]
		}
	}
	for p, by := range map[sim.Player]int32{from: -amount, to: amount} {
		if p < sim.NumPlayers {
			n.points[p] += by
			if reason != ruleset.ForRiichi {
				paid[p] += by
			}
		}
	}
	if reason == ruleset.ForRiichi && n.wins == nil {
		n.paid = nil
	}
}

func (n *narrator) finish() {
	for i, w := range n.wins {
		w["fenpei"] = n.bySeat(n.paid[i])
		n.add("hule", w)
	}
	if n.wins == nil {
		var paid [sim.NumPlayers]int32
		if n.paid != nil {
			paid = *n.paid[0]
		}
		n.add("pingju", object{"name": n.end, "shoupai": n.shown, "fenpei": n.bySeat(&paid)})
	}
}
