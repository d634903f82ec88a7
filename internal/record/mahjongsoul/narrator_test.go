package mahjongsoul_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/record/mahjongsoul"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// object is a JSON object.
type object = map[string]any

// narrator writes a match as the messages of Mahjong Soul, by the protocol's public description.
type narrator struct {
	t      testing.TB
	rules  *ruleset.Rules
	match  *sim.Match
	list   []object
	start  object
	round  int
	dealer sim.Player
	deal   [sim.NumPlayers][]string
	doras  []string
	points []int32
	paid   []int32
	ready  bool
	wins   []object
	values int
	shown  []object
	end    object
	ended  bool
}

// messages returns the messages of the match.
func messages(t testing.TB, r *ruleset.Rules, m *sim.Match) []object {
	n := &narrator{t: t, rules: r, match: m, points: make([]int32, r.NumSeats())}
	for p := range n.points {
		n.points[p] = int32(r.StartingPoints)
	}
	for _, e := range m.Events {
		n.event(e)
	}
	return n.list
}

func (n *narrator) add(name string, data object) {
	for key, value := range data { // as protobuf leaves out what is zero
		if value == 0 || value == false || value == sim.Player(0) {
			delete(data, key)
		}
	}
	n.list = append(n.list, object{"name": ".lq." + name, "data": data})
}

func (n *narrator) last() object { return n.list[len(n.list)-1]["data"].(object) }

func (n *narrator) event(e sim.Event) {
	p := e.Player
	switch e.Type {
	case sim.EvHandStart:
		round, _, counter, deposits := e.HandStart()
		n.round, n.dealer, n.deal, n.doras, n.wins, n.shown, n.ended = round, p, [4][]string{}, nil, nil, nil, false
		n.paid = make([]int32, len(n.points))
		n.start = object{"chang": round, "ju": p, "ben": counter, "liqibang": deposits, "scores": slices.Clone(n.points)}
	case sim.EvDeal:
		dealt, _ := e.Deal()
		for _, f := range dealt {
			if f != tile.NoFace {
				n.deal[p] = append(n.deal[p], f.String())
			}
		}
	case sim.EvIndicator:
		if e.Ura() {
			w := n.wins[len(n.wins)-1]
			list, _ := w["li_doras"].([]string)
			w["li_doras"] = append(list, e.Tile.String())
			break
		}
		if n.doras = append(n.doras, e.Tile.String()); len(n.doras) == 1 {
			n.start["doras"] = slices.Clone(n.doras)
		} else {
			// With the discard of an open kan, and with the draw of a closed one.
			if _, kan := n.last()["froms"]; kan || n.list[len(n.list)-1]["name"] == ".lq.RecordAnGangAddGang" {
				break
			}
			n.last()["doras"] = slices.Clone(n.doras)
		}
	case sim.EvDraw:
		if from, _ := e.Draw(); from == sim.FromDeal {
			n.deal[p] = append(n.deal[p], e.Tile.String())
			for q := range n.points {
				n.start[fmt.Sprint("tiles", q)] = n.deal[q]
			}
			n.add("RecordNewRound", n.start)
			break
		}
		n.add("RecordDealTile", object{"seat": p, "tile": e.Tile.String(), "doras": slices.Clone(n.doras)})
	case sim.EvReady:
		n.ready = n.ready || e.Value == 0
	case sim.EvDiscard:
		drawn, _ := e.Discard()
		n.add("RecordDiscardTile", object{"seat": p, "tile": e.Tile.String(), "moqie": drawn, "is_liqi": n.ready})
		n.ready = false
	case sim.EvChi, sim.EvPon, sim.EvOpenKan:
		giver, _, _ := e.Call()
		tiles, froms := []string{}, []sim.Player{}
		for _, f := range e.AppendSpent(nil, &n.rules.Flow) {
			tiles, froms = append(tiles, f.String()), append(froms, p)
		}
		n.add("RecordChiPengGang", object{"seat": p, "type": int(e.Type - sim.EvChi), "tiles": append(tiles, e.Tile.String()), "froms": append(froms, giver)})
	case sim.EvClosedKan:
		n.add("RecordAnGangAddGang", object{"seat": p, "type": 3, "tiles": e.Tile.String()})
	case sim.EvAddedKan:
		n.add("RecordAnGangAddGang", object{"seat": p, "type": 2, "tiles": e.Tile.String()})
	case sim.EvKita:
		n.add("RecordBaBei", object{"seat": p})
	case sim.EvDeclare:
		n.shown = append(n.shown, object{"tingpai": e.Declare()})
	case sim.EvWin:
		kind, _ := e.Win()
		n.wins, n.ended = append(n.wins, object{"seat": p, "zimo": kind == sim.WinSelfDraw, "qinjia": p == n.dealer}), true
	case sim.EvValue:
		n.value(e)
	case sim.EvExhausted:
		n.end, n.ended = object{}, true
	case sim.EvAbort:
		n.add("RecordLiuJu", object{"type": [...]int{1, 2, 4, 3, 5}[e.Abort()], "seat": 0})
	case sim.EvPay:
		from, to, amount, _ := e.Pay()
		for q, by := range map[sim.Player]int32{from: -amount, to: amount} {
			if int(q) < len(n.points) {
				n.points[q] += by
				if n.ended {
					n.paid[q] += by
				}
			}
		}
	case sim.EvHandEnd:
		n.finish()
	}
}

// value writes what the last winner's hand is worth.
func (n *narrator) value(e sim.Event) {
	points, han, fu := e.HandValue()
	v := &n.match.Values[n.values]
	n.values++
	w := n.wins[len(n.wins)-1]
	w["count"], w["fu"] = han, fu
	if v.Yakuman > 0 {
		w["yiman"], w["count"] = true, int(v.Yakuman)
	}
	switch seats := int32(len(n.points)); {
	case w["zimo"] == false:
		w["point_rong"] = points
	case w["qinjia"] == true:
		w["point_zimo_xian"] = points / (seats - 1)
	default: // the dealer pays half of four players' payments
		w["point_zimo_xian"], w["point_zimo_qin"] = int32(0), points
	}
	fans := []object{}
	for _, s := range v.Patterns[:v.NumPatterns] {
		id := slices.Index(mahjongsoul.Yaku(), n.rules.Patterns()[s.Pattern].ID)
		if id <= 0 {
			n.t.Fatalf("yaku %s has no number", n.rules.Patterns()[s.Pattern].ID)
		}
		fans = append(fans, object{"id": id, "val": s.Points})
	}
	w["fans"] = fans
}

func (n *narrator) finish() {
	switch {
	case n.wins != nil:
		n.add("RecordHule", object{"hules": n.wins, "delta_scores": slices.Clone(n.paid)})
	case n.end != nil:
		players := make([]object, len(n.points))
		for i, shown := range n.shown {
			players[(int(n.dealer)+i)%len(players)] = shown
		}
		n.add("RecordNoTile", object{"players": players, "scores": []object{{"delta_scores": slices.Clone(n.paid)}}})
	}
	n.end = nil
}

// textOf writes messages in one of the forms of public tools.
func textOf(t testing.TB, m *sim.Match, list []object, form int) string {
	seats := []object{}
	accounts := []object{}
	for p := range len(list[0]["data"].(object)["scores"].([]int32)) {
		seats = append(seats, object{"seat": p, "part_point_1": m.Final.Points[p]})
		accounts = append(accounts, object{"seat": p, "nickname": fmt.Sprint("player ", p)})
	}
	head := object{"uuid": "a match", "accounts": accounts, "result": object{"players": seats}}
	actions := []object{{"type": 2}}
	for _, message := range list {
		actions = append(actions, object{"type": 1, "passed": 10, "result": message})
	}
	text, err := json.Marshal([]any{
		list,
		object{"head": head, "data": object{"name": ".lq.GameDetailRecords", "data": object{"records": list, "version": 0}}},
		object{"head": head, "data": object{"actions": actions, "version": 210715, "records": []any{}}},
	}[form])
	if err != nil {
		t.Fatal(err)
	}
	if form == 2 { // as protobuf writes JSON
		return regexp.MustCompile(`_([a-z0-9])`).ReplaceAllStringFunc(string(text), func(s string) string { return strings.ToUpper(s[1:]) })
	}
	return string(text)
}
