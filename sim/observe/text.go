package observe

import (
	"encoding/json"

	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

var textSpec = Spec{
	Name: "text", Version: Version,
	Doc: "the table and the legal actions as JSON; for people and language models",
	Tensors: []Tensor{{
		Name: "text", DType: Text, Shape: []int{},
		Doc: "one JSON object without line breaks; tiles as in the action table, players as everywhere, empty members left out",
	}},
	append: func(_ *Encoder, dst [][]byte, v sim.View, _ *History, _ *Board) { dst[0] = appendText(dst[0], v) },
}

// The members of the JSON text. docs/observations.md is generated from their tags.
type (
	textTable struct {
		Version    int           `json:"version" doc:"version of the schema"`
		Ruleset    string        `json:"ruleset" doc:"name of the ruleset"`
		Phase      string        `json:"phase" doc:"what the table waits for: deal, ready, flowers, turn, claim, rob, declare, between, over"`
		Round      int           `json:"round" doc:"number of the wind round from 0"`
		RoundWind  string        `json:"round_wind" doc:"E, S, W or N"`
		Counter    int           `json:"counter" doc:"honba or dealer repeats"`
		Deposits   int           `json:"deposits" doc:"riichi sticks on the table"`
		Indicators string        `json:"indicators,omitempty" doc:"dora indicators"`
		Turn       *int          `json:"turn,omitempty" doc:"player whose turn it is, or whose discard or kan the window is about"`
		Window     string        `json:"window,omitempty" doc:"tile that may be claimed or robbed"`
		Creditor   *int          `json:"creditor,omitempty" doc:"player to whom you may pay a debt now"`
		Hand       string        `json:"hand" doc:"your concealed tiles in order, the drawn one included"`
		Drawn      string        `json:"drawn,omitempty" doc:"the tile you have drawn, in your turn"`
		Source     string        `json:"source,omitempty" doc:"where the turn came from: deal, wall, kan, flower, claim or north"`
		Shanten    int           `json:"shanten" doc:"exchanges of tiles until your hand is ready: 0 ready, -1 complete"`
		Waits      string        `json:"waits,omitempty" doc:"kinds that complete your hand without the drawn tile"`
		Furiten    string        `json:"furiten,omitempty" doc:"those of the waits on which your discards or passed wins forbid to win"`
		Players    []textPlayer  `json:"players" doc:"the players, you first, then in turn order; they are numbered from 0 in this order throughout"`
		Discards   []textDiscard `json:"discards" doc:"all discards of the hand, oldest first"`
		Debts      []textDebt    `json:"debts,omitempty" doc:"debts of earlier hands"`
		Legal      []textAction  `json:"legal" doc:"the actions you may answer with; empty when you are not asked"`
	}
	textPlayer struct {
		Wind      string      `json:"wind" doc:"seat wind; E deals"`
		Points    json.Number `json:"points" doc:"points"`
		Concealed int         `json:"concealed" doc:"number of concealed tiles"`
		Left      int         `json:"left" doc:"tiles the player can still draw"`
		Melds     []textMeld  `json:"melds,omitempty" doc:"sets laid down, in order"`
		Flowers   string      `json:"flowers,omitempty" doc:"exposed flowers"`
		Norths    int         `json:"norths,omitempty" doc:"number of Norths set aside (kita)"`
		Ready     string      `json:"ready,omitempty" doc:"ready declaration that stands: ordinary, double, human, earth or heaven"`
		Ippatsu   bool        `json:"one_shot,omitempty" doc:"a win would be within one go-around of the declaration"`
		Declared  string      `json:"declared,omitempty" doc:"at an exhausted wall: ready or not ready"`
	}
	textMeld struct {
		Type  string `json:"type" doc:"chi, pon, open_kan, added_kan or closed_kan"`
		Tiles string `json:"tiles,omitempty" doc:"its tiles, 0 for a red five; left out of a closed kan whose kind is hidden"`
		Tile  string `json:"tile,omitempty" doc:"the claimed tile"`
		From  *int   `json:"from,omitempty" doc:"the player who gave it"`
	}
	textDiscard struct {
		Player  int    `json:"player" doc:"who discarded it"`
		Tile    string `json:"tile" doc:"the tile"`
		Drawn   bool   `json:"drawn,omitempty" doc:"it had just been drawn"`
		Ready   bool   `json:"ready,omitempty" doc:"ready was declared with it"`
		Claimed bool   `json:"claimed,omitempty" doc:"another player took it"`
	}
	textDebt struct {
		Creditor int         `json:"creditor" doc:"player who is owed"`
		Debtor   int         `json:"debtor" doc:"player who owes"`
		Points   json.Number `json:"points" doc:"the amount"`
		Wins     int         `json:"wins" doc:"number of wins it is made of"`
	}
	textAction struct {
		ID   int    `json:"id" doc:"id in the action table"`
		Text string `json:"text" doc:"its text"`
	}
)

func appendText(dst []byte, v sim.View) []byte {
	b, err := json.Marshal(textOf(v))
	if err != nil {
		panic("observe: " + err.Error()) // all members are plain values
	}
	return append(dst, b...)
}

func textOf(v sim.View) *textTable {
	r := v.Rules()
	t := &textTable{
		Version: versionFor(r.NumSeats()), Ruleset: r.Name, Phase: v.Phase().String(), Round: v.Round(),
		RoundWind: v.RoundWind().String(), Counter: v.Counter(), Deposits: v.Deposits(),
		Window: faceText(v.ClaimableTile()), Hand: tile.FormatFaces(concealed(v)), Drawn: faceText(v.Drawn()),
		Discards: []textDiscard{}, Legal: []textAction{},
	}
	relative := func(p sim.Player) *int {
		if p < 0 {
			return nil
		}
		n := int(placeOf(v, p))
		return &n
	}
	t.Turn, t.Creditor = relative(v.Turn()), relative(v.Creditor())
	if v.Phase() == sim.PhaseTurn {
		t.Source = [...]string{"deal", "wall", "kan", "flower", "claim", "north"}[v.DrawSource()]
	}
	var indicators []tile.Face
	for i := range v.NumIndicators() {
		indicators = append(indicators, v.Indicator(i))
	}
	t.Indicators = tile.FormatFaces(indicators)
	var s shape
	s.look(v)
	t.Shanten = s.shanten()
	if w := v.Waits(); w != 0 {
		t.Waits = w.String()
		if f := w & v.FuritenKinds(); f != 0 {
			t.Furiten = f.String()
		}
	}
	for i := range r.NumSeats() {
		t.Players = append(t.Players, playerText(v, i))
		creditor := v.PlayerAfter(i)
		for j := range r.NumSeats() {
			if d := v.Debts(creditor)[v.PlayerAfter(j)]; d.Points != 0 {
				t.Debts = append(t.Debts, textDebt{i, j, json.Number(r.PointsText(d.Points)), int(d.Wins)})
			}
		}
	}
	for i := range v.NumDiscards() {
		d := v.Discard(i)
		t.Discards = append(t.Discards, textDiscard{int(placeOf(v, d.Player)), d.Tile.String(), d.Drawn, d.Ready, d.Claimed})
	}
	for a := range v.Legal().All {
		t.Legal = append(t.Legal, textAction{int(a), a.String()})
	}
	return t
}

// playerText describes the player n places after the viewer.
func playerText(v sim.View, n int) textPlayer {
	p := v.PlayerAfter(n)
	t := textPlayer{
		Wind: v.SeatWind(p).String(), Points: json.Number(v.Rules().PointsText(v.Points()[p])),
		Concealed: v.ConcealedLen(p), Left: v.TilesLeftOf(p),
		Flowers: tile.FormatFaces(flowers(nil, v.Flowers(p))), Norths: v.Norths(p),
		Ready:    [...]string{"", "ordinary", "double", "human", "earth", "heaven"}[v.Ready(p)],
		Ippatsu:  v.Ippatsu(p),
		Declared: [...]string{nothing: "", notReady: "not ready", isReady: "ready"}[declared(v, p)],
	}
	for i := range v.NumMelds(p) {
		t.Melds = append(t.Melds, meldText(v.Meld(p, i), n, v.Rules().NumSeats()))
	}
	return t
}

// meldText describes a meld of the player n places after the viewer, of so many.
func meldText(m hand.Meld, n, seats int) textMeld {
	t := textMeld{Type: m.Type.String()}
	if m.Kind == tile.NoKind {
		return t
	}
	reds := m.Reds
	var faces []tile.Face
	for i := range m.Size() {
		k := m.Kind
		if m.Type == hand.Chi {
			k += tile.Kind(i)
		}
		f := tile.Face(k)
		if k.IsFive() && reds > 0 {
			f = tile.RedOf(k.Suit())
			reds--
		}
		faces = append(faces, f)
	}
	t.Tiles = tile.FormatFaces(faces)
	if m.IsOpen() {
		k := m.Kind + tile.Kind(m.Claimed)
		t.Tile = k.String()
		if m.ClaimedRed {
			t.Tile = tile.RedOf(k.Suit()).String()
		}
		from := (n + int(m.From)) % seats
		t.From = &from
	}
	return t
}

// concealed returns the viewer's concealed tiles in order.
func concealed(v sim.View) []tile.Face {
	h, reds := v.Hand(), v.Reds()
	var faces []tile.Face
	for kinds := h.Kinds(); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		red := 0
		if k.IsFive() {
			red = int(reds[k.Suit()])
		}
		for i := range h.Count(k) {
			f := tile.Face(k)
			if i < red {
				f = tile.RedOf(k.Suit())
			}
			faces = append(faces, f)
		}
	}
	return flowers(faces, v.HeldFlowers())
}

func flowers(faces []tile.Face, set uint8) []tile.Face {
	for i := range tile.Face(8) {
		if set>>i&1 != 0 {
			faces = append(faces, tile.FirstFlower+i)
		}
	}
	return faces
}

func faceText(f tile.Face) string {
	if f == tile.NoFace {
		return ""
	}
	return f.String()
}
