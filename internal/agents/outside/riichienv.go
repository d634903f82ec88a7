package outside

import (
	"encoding/json"
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/record/mjai"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// envObservation is what a player sees in the form of RiichiEnv 0.4, whose class Observation
// (of three players Observation3P) reads it from JSON. Tiles are numbers from 0 to 135: four of
// each kind, of a five with a red one the first is red. Which of the equal tiles a number
// means may differ from one observation to the next.
type envObservation struct {
	PlayerID       sim.Player  `json:"player_id"`
	Hands          [][]int     `json:"hands"` // those of others are empty
	Melds          [][]envMeld `json:"melds"`
	Discards       [][]int     `json:"discards"`
	Indicators     []int       `json:"dora_indicators"`
	Scores         []int32     `json:"scores"`
	Riichi         []bool      `json:"riichi_declared"`
	Legal          []envAction `json:"_legal_actions"`
	Events         []string    `json:"events"` // lines of mjai since the last observation
	Honba          int         `json:"honba"`
	Deposits       int         `json:"riichi_sticks"`
	RoundWind      tile.Wind   `json:"round_wind"`
	Dealer         sim.Player  `json:"oya"`
	Kyoku          sim.Player  `json:"kyoku_index"`
	Waits          []int       `json:"waits"` // kinds
	Tenpai         bool        `json:"is_tenpai"`
	Tsumogiri      [][]bool    `json:"tsumogiri_flags"`
	RiichiDiscards []*int      `json:"riichi_sutehais"`
	LastTedashi    []*int      `json:"last_tedashis"`
	LastDiscard    *sim.Player `json:"last_discard"` // who discarded, in spite of its name
	Drawn          *int        `json:"drawn_tile"`
}

// envMeld is a meld of an envObservation. From is -1 without a claimed tile.
type envMeld struct {
	Type   string     `json:"meld_type"`
	Tiles  []int      `json:"tiles"`
	Opened bool       `json:"opened"`
	From   sim.Player `json:"from_who"`
	Called *int       `json:"called_tile"`
}

// envMelds are the types of melds.
var envMelds = [...]string{hand.Chi: "Chi", hand.Pon: "Pon", hand.OpenKan: "Daiminkan", hand.AddedKan: "Kakan", hand.ClosedKan: "Ankan"}

// envAction is a legal action of an envObservation.
type envAction struct {
	Type     string     `json:"action_type"`
	Tile     *int       `json:"tile"`
	Consumed []int      `json:"consume_tiles"`
	Actor    sim.Player `json:"actor"`
}

// envActions are the types of actions by those of their messages; a hora is one of two.
var envActions = map[string]string{
	"dahai": "Discard", "chi": "Chi", "pon": "Pon", "daiminkan": "Daiminkan", "reach": "Riichi", "none": "Pass",
	"ankan": "Ankan", "kakan": "Kakan", "ryukyoku": "KyushuKyuhai", string(mjai.KitaWord): "Kita",
}

// numbering gives tiles their numbers.
type numbering [tile.NumKinds]int

// next returns the number of one more tile of a face.
func (n *numbering) next(f tile.Face) int {
	k := f.Kind()
	first := 4 * int(k)
	switch {
	case f.IsRed():
		return first
	case k.IsFive(): // the first is the red one, if there is one
		n[k]++
		return first + n[k]&3
	}
	n[k]++
	return first + (n[k]-1)&3
}

// request is a decision as the protocol of RiichiLab writes it.
type request struct {
	possible []*mjai.Message
	state    envObservation
	last     *int // number of the last discard
}

// newRequest returns the decision of a view. declared is set if the player has declared reach
// and must discard. events are the lines since the last decision.
func newRequest(v sim.View, declared bool, events []string) *request {
	p, seats := v.Player(), v.Rules().NumSeats()
	points := v.Points()
	r := &request{state: envObservation{
		PlayerID: p, Hands: make([][]int, seats), Melds: make([][]envMeld, seats), Discards: make([][]int, seats),
		Indicators: []int{}, Scores: points[:seats], Riichi: make([]bool, seats), Legal: []envAction{}, Events: events,
		Honba: v.Counter(), Deposits: v.Deposits(), RoundWind: v.RoundWind(), Dealer: v.Dealer(), Kyoku: v.Dealer(),
		Waits: []int{}, Tsumogiri: make([][]bool, seats), RiichiDiscards: make([]*int, seats), LastTedashi: make([]*int, seats),
	}}
	s := &r.state
	var numbers numbering
	own := map[tile.Face][]int{}
	h := v.Hand()
	s.Hands[p] = []int{}
	for k := range tile.Kind(tile.NumKinds) {
		n, reds := h.Count(k), mjai.HeldReds(v, k)
		for i := range n {
			f := tile.Face(k)
			if i < reds {
				f = tile.RedOf(k.Suit())
			}
			id := numbers.next(f)
			own[f] = append(own[f], id)
			s.Hands[p] = append(s.Hands[p], id)
		}
	}
	if f := v.Drawn(); f != tile.NoFace {
		id := own[f][len(own[f])-1]
		s.Drawn = &id
	}
	claimed := map[tile.Face][]int{}
	for q := range seats {
		if q != int(p) {
			s.Hands[q] = []int{}
		}
		s.Melds[q], s.Discards[q], s.Tsumogiri[q] = []envMeld{}, []int{}, []bool{}
		s.Riichi[q] = v.Ready(sim.Player(q)) != 0
	}
	if declared {
		s.Riichi[p] = false
	}
	for i := range v.NumDiscards() {
		d := v.Discard(i)
		id := numbers.next(d.Tile)
		s.Discards[d.Player] = append(s.Discards[d.Player], id)
		s.Tsumogiri[d.Player] = append(s.Tsumogiri[d.Player], d.Drawn)
		if !d.Drawn {
			s.LastTedashi[d.Player] = &id
		}
		if d.Ready {
			s.RiichiDiscards[d.Player] = &id
		}
		if d.Claimed {
			claimed[d.Tile] = append(claimed[d.Tile], id)
		}
		r.last, s.LastDiscard = &id, &d.Player
	}
	if turn := v.Turn(); v.Phase() == sim.PhaseRob {
		s.LastDiscard = &turn
	}
	for q := range seats {
		for i := range v.NumMelds(sim.Player(q)) {
			s.Melds[q] = append(s.Melds[q], numbers.meld(v.Meld(sim.Player(q), i), sim.Player(q), v.Rules(), claimed))
		}
	}
	for i := range v.NumIndicators() {
		s.Indicators = append(s.Indicators, numbers.next(v.Indicator(i)))
	}
	for waits := v.Waits(); waits != 0; waits = waits.Rest() {
		s.Waits = append(s.Waits, int(waits.First()))
	}
	s.Tenpai = len(s.Waits) > 0
	r.addActions(v, declared, own)
	return r
}

// meld returns a meld of a player. claimed are the numbers of the claimed discards that no
// meld has yet.
func (n *numbering) meld(m hand.Meld, owner sim.Player, r *ruleset.Rules, claimed map[tile.Face][]int) envMeld {
	e := envMeld{Type: envMelds[m.Type], Opened: m.IsOpen(), From: -1, Tiles: []int{}}
	if m.Kind == tile.NoKind { // hidden by the rules
		return e
	}
	var faces []tile.Face
	for i := range m.Size() {
		k := m.Kind
		if m.Type == hand.Chi {
			k += tile.Kind(i)
		}
		faces = append(faces, tile.Face(k))
	}
	called := -1
	if m.IsOpen() {
		called = int(m.Claimed)
		e.From = sim.Player((int(owner) + int(m.From)) % r.NumSeats())
	}
	reds := int(m.Reds)
	if m.ClaimedRed {
		faces[called] = tile.RedOf(m.Kind.Suit())
		reds--
	}
	for i := range faces {
		if reds > 0 && i != called && faces[i].Kind().IsFive() && !faces[i].IsRed() {
			faces[i] = tile.RedOf(faces[i].Kind().Suit())
			reds--
		}
	}
	for i, f := range faces {
		if list := claimed[f]; i == called && len(list) > 0 {
			id := list[0]
			claimed[f], e.Called = list[1:], &id
			e.Tiles = append(e.Tiles, id)
			continue
		}
		e.Tiles = append(e.Tiles, n.next(f))
	}
	return e
}

// addActions adds the legal actions of a view. own are the numbers of the tiles in the hand.
func (r *request) addActions(v sim.View, declared bool, own map[tile.Face][]int) {
	s, p := &r.state, v.Player()
	add := func(m *mjai.Message, kind string, id *int, consumed []int) {
		m.Actor = &p
		slices.Sort(consumed) // a red five comes first
		r.possible = append(r.possible, m)
		s.Legal = append(s.Legal, envAction{Type: kind, Tile: id, Consumed: consumed, Actor: p})
	}
	take := func(names []string) []int {
		ids, used := []int{}, map[tile.Face]int{}
		for _, name := range names {
			f, err := mjai.ParseTile(name)
			if err == nil && used[f] < len(own[f]) {
				ids = append(ids, own[f][used[f]])
				used[f]++
			}
		}
		return ids
	}
	discard := func(f tile.Face, ids []int) {
		for i := range ids {
			id := ids[i]
			s.Legal = append(s.Legal, envAction{Type: "Discard", Tile: &id, Consumed: []int{}, Actor: p})
		}
		m := &mjai.Message{Type: "dahai", Actor: &p, Pai: mjai.Tile(f)}
		for _, other := range r.possible {
			if other.Type == m.Type && other.Pai == m.Pai {
				return
			}
		}
		r.possible = append(r.possible, m)
	}
	reach := false
	legal := v.Legal()
	for a := range legal.All {
		m, dahai := mjai.Answer(v, a)
		switch {
		case m.Type == "", declared && dahai == nil, m.Type == "reach" && !declared && reach:
		case m.Type == "dahai" || declared:
			if declared {
				m = dahai
			}
			f, err := mjai.ParseTile(m.Pai)
			if err != nil {
				continue
			}
			ids := own[f]
			if drawn := len(ids) - 1; v.Drawn() == f && a != sim.ActDiscardDrawn && a != sim.ActReadyDrawn {
				ids = ids[:drawn]
			} else if v.Drawn() == f {
				ids = ids[drawn:]
			}
			discard(f, ids)
		case m.Type == "reach":
			reach = true
			add(&mjai.Message{Type: "reach"}, "Riichi", nil, []int{})
		case m.Type == "hora":
			kind, id := "Ron", r.last
			if v.Phase() == sim.PhaseTurn {
				kind, id = "Tsumo", s.Drawn
			}
			add(&mjai.Message{Type: "hora"}, kind, id, []int{})
		case m.Type == "ankan":
			f, err := mjai.ParseTile(m.Consumed[0])
			if err != nil {
				continue
			}
			first := 4 * int(f.Kind())
			m.Pai = m.Consumed[0]
			add(m, envActions[m.Type], &first, []int{first, first + 1, first + 2, first + 3})
		case m.Type == "kakan":
			f, err := mjai.ParseTile(m.Pai)
			if err != nil {
				continue
			}
			consumed := []int{}
			for _, meld := range s.Melds[p] {
				if meld.Type == "Pon" && meld.Tiles[0]/4 == int(f.Kind()) {
					consumed = slices.Clone(meld.Tiles)
				}
			}
			add(m, envActions[m.Type], &own[f][0], consumed)
		case len(m.Consumed) > 0:
			add(&mjai.Message{Type: m.Type, Pai: m.Pai, Consumed: m.Consumed}, envActions[m.Type], r.last, take(m.Consumed))
		case m.Type == string(mjai.KitaWord):
			north := own[tile.Face(tile.North)][0]
			add(m, envActions[m.Type], &north, []int{})
		default: // none and ryukyoku
			add(&mjai.Message{Type: m.Type}, envActions[m.Type], nil, []int{})
		}
	}
}

func (s *envObservation) encode() []byte {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // numbers and strings can be written
	}
	return text
}
