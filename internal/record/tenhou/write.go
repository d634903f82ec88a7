package tenhou

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// CheckRules returns an error if the JSON of tenhou.net/6 does not support the rules: it
// is for riichi matches with fixed seats and a shared wall.
func CheckRules(r *ruleset.Rules) error {
	if !r.Dora || r.HandSize != 13 || r.SeatRotation != ruleset.NoRotation || r.Walls != ruleset.SharedWall {
		return fmt.Errorf("tenhou: the form is for riichi matches with fixed seats; it does not support the rules of %s", r.Name)
	}
	return nil
}

// WriteJSON returns a match in the JSON of tenhou.net/6, which the viewer there shows and
// [Format] reads. The match must have its Values. names are those of the players. With three
// players the fourth seat is empty and Norths set aside count among the dora, as in Tenhou's
// records. The error is that of [CheckRules].
func WriteJSON(r *ruleset.Rules, m *sim.Match, names [sim.NumPlayers]string) ([]byte, error) {
	if err := CheckRules(r); err != nil {
		return nil, err
	}
	w := &jsonWriter{rules: r, match: m}
	for p := range names {
		if p < r.NumSeats() {
			w.points[p] = int32(r.StartingPoints)
		} else {
			names[p] = ""
		}
	}
	if m.Start != nil {
		w.points = m.Start.Points
	}
	for _, e := range m.Events {
		w.event(e)
	}
	var sc []any
	for p := range sim.NumPlayers {
		sc = append(sc, m.Final.Points[p], float64(m.Final.Placement[p])/ruleset.PlacementUnit)
	}
	doc := struct {
		Title [2]string              `json:"title"`
		Name  [sim.NumPlayers]string `json:"name"`
		Rule  map[string]any         `json:"rule"`
		Log   [][]any                `json:"log"`
		SC    []any                  `json:"sc,omitempty"`
	}{[2]string{r.Name, fmt.Sprintf("match %d", m.Index)}, names, ruleOf(r), w.log, sc}
	if m.Truncated {
		doc.SC = nil // readers take them for final scores
	}
	text, err := json.Marshal(doc)
	return append(text, '\n'), err
}

// ruleOf returns the rules in the form: their name and the red fives. It avoids the
// letters by which [Format] reads the length of Tenhou's own matches. Other programs read
// the letter for three players.
func ruleOf(r *ruleset.Rules) map[string]any {
	name := r.Name
	if strings.ContainsAny(name, "東南三") {
		name = "sparrowhall"
	}
	if r.Seats == ruleset.ThreeSeats {
		name = "三 " + name
	}
	return map[string]any{"disp": name, "aka": 0, "aka51": r.AkaDora[0], "aka52": r.AkaDora[1], "aka53": r.AkaDora[2]}
}

// jsonWriter writes the hands of a match.
type jsonWriter struct {
	rules  *ruleset.Rules
	match  *sim.Match
	log    [][]any
	points [sim.NumPlayers]int32
	values int // number of wins written

	hand jsonHandWriter
}

// jsonHandWriter is the hand being written.
type jsonHandWriter struct {
	start              []any
	round              int
	dealer             sim.Player
	deal, takes, gives [sim.NumPlayers][]any
	pons               map[tile.Kind]string
	dora, ura          []any
	// result is the name of the end of a hand without a winner.
	result string
	wins   []jsonWin
	paid   [sim.NumPlayers]int32
}

// jsonWin is one winner.
type jsonWin struct {
	winner, giver sim.Player
	texts         []any
	paid          [sim.NumPlayers]int32
}

// jsonFace returns the number of a face; see jsonTile.
func jsonFace(f tile.Face) int {
	switch k := f.Kind(); {
	case f.IsRed():
		return 51 + int(k.Suit())
	case k.IsHonor():
		return 41 + k.Rank()
	default:
		return 10*(int(k.Suit())+1) + k.Rank() + 1
	}
}

func (w *jsonWriter) event(e sim.Event) {
	p := e.Player
	switch e.Type {
	case sim.EvHandStart:
		round, _, counter, deposits := e.HandStart()
		points := w.points
		w.hand = jsonHandWriter{round: round, dealer: p, pons: map[tile.Kind]string{}}
		w.hand.start = []any{[]int{sim.NumPlayers*round + int(p), counter, deposits}, points[:]}
	case sim.EvDeal:
		for _, f := range record.DealtTiles(e) {
			w.hand.deal[p] = append(w.hand.deal[p], jsonFace(f))
		}
	case sim.EvDraw:
		w.hand.takes[p] = append(w.hand.takes[p], jsonFace(e.Tile))
	case sim.EvDiscard:
		n := jsonFace(e.Tile)
		drawn, ready := e.Discard()
		if drawn {
			n = jsonDrawn
		}
		var item any = n
		if ready {
			item = fmt.Sprintf("r%d", n)
		}
		w.hand.gives[p] = append(w.hand.gives[p], item)
	case sim.EvChi, sim.EvPon, sim.EvOpenKan:
		w.claim(e)
	case sim.EvKita:
		w.hand.gives[p] = append(w.hand.gives[p], fmt.Sprintf("f%d", jsonFace(e.Tile)))
	case sim.EvClosedKan:
		w.hand.gives[p] = append(w.hand.gives[p], closedKan(e, w.rules))
	case sim.EvAddedKan:
		// The added tile comes before the claimed one.
		pon := w.hand.pons[e.Tile.Kind()]
		w.hand.gives[p] = append(w.hand.gives[p], strings.Replace(pon, "p", fmt.Sprintf("k%d", jsonFace(e.Tile)), 1))
	case sim.EvIndicator:
		if !e.Ura() {
			w.hand.dora = append(w.hand.dora, jsonFace(e.Tile))
		} else if len(w.hand.ura) < len(w.hand.dora) { // each winner turns the same
			w.hand.ura = append(w.hand.ura, jsonFace(e.Tile))
		}
	case sim.EvExhausted:
		w.hand.result = "流局"
	case sim.EvAbort:
		w.hand.result = jsonAbortNames[e.Abort()]
	case sim.EvWin:
		_, giver := e.Win()
		w.hand.wins = append(w.hand.wins, jsonWin{winner: p, giver: giver})
	case sim.EvValue:
		win := &w.hand.wins[len(w.hand.wins)-1]
		win.texts = w.winTexts(win, e)
		w.values++
	case sim.EvPay:
		w.pay(e)
	case sim.EvHandEnd:
		w.finish()
	}
}

// closedKan returns the text of a closed kan, red fives last, with the marker before the
// last tile.
func closedKan(e sim.Event, r *ruleset.Rules) string {
	tiles := e.AppendSpent(nil, &r.Flow)
	text := ""
	for i, f := range slices.Backward(tiles) {
		if i == 0 {
			text += "a"
		}
		text += fmt.Sprint(jsonFace(f))
	}
	return text
}

func (w *jsonWriter) claim(e sim.Event) {
	p := e.Player
	giver, _, _ := e.Call()
	marker := map[sim.EventType]string{sim.EvChi: "c", sim.EvPon: "p", sim.EvOpenKan: "m"}[e.Type]
	var parts []string
	for _, f := range e.AppendSpent(nil, &w.rules.Flow) {
		parts = append(parts, fmt.Sprint(jsonFace(f)))
	}
	// The place of the claimed tile shows the giver: before, across or after.
	at := 3 - (int(giver)-int(p)+sim.NumPlayers)%sim.NumPlayers
	if at == 2 {
		at = len(parts)
	}
	text := strings.Join(slices.Insert(parts, at, marker+fmt.Sprint(jsonFace(e.Tile))), "")
	w.hand.takes[p] = append(w.hand.takes[p], text)
	switch e.Type {
	case sim.EvPon:
		w.hand.pons[e.Tile.Kind()] = text
	case sim.EvOpenKan:
		w.hand.gives[p] = append(w.hand.gives[p], 0)
	}
}

// winTexts returns the entries for a winner: winner, giver, value and patterns.
func (w *jsonWriter) winTexts(win *jsonWin, e sim.Event) []any {
	points, han, fu := e.HandValue()
	texts := []any{win.winner, win.giver, win.winner} // the third is who is liable, the winner if no player is
	var v ruleset.Value
	if w.values < len(w.match.Values) {
		v = w.match.Values[w.values]
	}
	texts = append(texts, w.valueText(win, points, han, fu, v.Yakuman))
	all := w.rules.Patterns()
	dora, at := 0, -1 // the dora and Norths of a hand, and the index of their text
	for _, s := range v.Patterns[:v.NumPatterns] {
		id := all[s.Pattern].ID
		switch {
		case v.Yakuman > 0:
			texts = append(texts, w.patternName(id, win)+"(役満)")
			continue
		case id == "dora" || id == "nuki_dora":
			if dora += int(s.Points); at < 0 {
				at = len(texts)
				texts = append(texts, "")
			}
			texts[at] = fmt.Sprintf("ドラ(%d飜)", dora)
			continue
		}
		texts = append(texts, fmt.Sprintf("%s(%d飜)", w.patternName(id, win), s.Points))
	}
	return texts
}

// valueText returns the value of a hand: "40符3飜5200点" for a discard, "満貫4000点∀" if
// each player pays the same, "30符1飜300-500点" if the dealer pays more.
func (w *jsonWriter) valueText(win *jsonWin, points int32, han, fu int, yakuman uint8) string {
	others := int32(w.rules.NumSeats() - 2) // who pay a self-draw beside the dealer
	// The base points (riichi 5.1) by the whole gain: a dealer gets 6 times these from a discarder or
	// twice from each, others 4 times, or twice from the dealer and once from each. From mangan on
	// no payment is rounded, so they are exact; below, they only show that it is less.
	base := points / 4
	switch selfDraw := win.winner == win.giver; {
	case win.winner == w.hand.dealer && selfDraw:
		base = points / (2 + 2*others)
	case win.winner == w.hand.dealer:
		base = points / 6
	case selfDraw:
		base = points / (2 + others)
	}
	const mangan = 2000
	text := fmt.Sprintf("%d符%d飜", fu, han)
	switch {
	case yakuman > 0:
		text = "役満"
	case base >= 8000:
		text = "数え役満"
	case base >= 6000:
		text = "三倍満"
	case base >= 4000:
		text = "倍満"
	case base >= 3000:
		text = "跳満"
	case base >= mangan:
		text = "満貫"
	}
	// Below, each payment of a self-draw is rounded up on its own, so it takes the exact base
	// (riichi 5.3).
	if base < mangan && win.winner == win.giver {
		base = int32(fu) << (2 + han)
	}
	roundUp := func(n int32) int32 { return (n + 99) / 100 * 100 }
	switch other, dealer := roundUp(base), roundUp(2*base); {
	case win.winner != win.giver:
	case win.winner == w.hand.dealer && (1+others)*dealer == points:
		return fmt.Sprintf("%s%d点∀", text, dealer)
	case win.winner != w.hand.dealer && others*other+dealer == points:
		return fmt.Sprintf("%s%d-%d点", text, other, dealer)
	}
	return fmt.Sprintf("%s%d点", text, points)
}

// patternName returns the name of a pattern, with the wind for seat and round winds. A
// pattern without a name in the form keeps its id.
func (w *jsonWriter) patternName(id string, win *jsonWin) string {
	winds := [...]string{"東", "南", "西", "北"}
	switch id {
	// Players are chairs here: they keep their seats, see CheckRules.
	case "yakuhai_seat_wind":
		return "自風 " + winds[w.rules.SeatWind(ruleset.Chair(win.winner), ruleset.Chair(w.hand.dealer))]
	case "yakuhai_round_wind":
		return "場風 " + winds[w.hand.round%sim.NumPlayers]
	}
	if name, ok := jsonYakuNames[id]; ok {
		return name
	}
	return id
}

// jsonYakuNames and jsonAbortNames are the names to write. Of the two names of four kans
// it is the more common one.
var (
	jsonYakuNames = func() map[string]string {
		names := map[string]string{}
		for name, id := range jsonYaku {
			names[id] = name
		}
		return names
	}()
	jsonAbortNames = [...]string{
		sim.AbortNineKinds: "九種九牌", sim.AbortFourWinds: "四風連打", sim.AbortFourRiichi: "四家立直",
		sim.AbortFourKans: "四槓散了", sim.AbortTripleRon: "三家和了",
	}
)

// pay applies a payment; payments to a winner go to the winner's deltas.
func (w *jsonWriter) pay(e sim.Event) {
	_, to, _, _ := e.Pay()
	paid := &w.hand.paid
	for i := range w.hand.wins {
		if w.hand.wins[i].winner == to {
			paid = &w.hand.wins[i].paid
		}
	}
	record.ApplyPayment(e, &w.points, paid)
}

// finish adds the hand to the log.
func (w *jsonWriter) finish() {
	result := []any{w.hand.result, w.hand.paid}
	if w.hand.wins != nil {
		result = []any{"和了"}
		for i := range w.hand.wins {
			result = append(result, w.hand.wins[i].paid, w.hand.wins[i].texts)
		}
	}
	// An empty list is written as [], not as null.
	list := func(items []any) []any { return append([]any{}, items...) }
	hand := append(w.hand.start, list(w.hand.dora), list(w.hand.ura))
	for p := range sim.NumPlayers {
		hand = append(hand, list(w.hand.deal[p]), list(w.hand.takes[p]), list(w.hand.gives[p]))
	}
	w.log = append(w.log, append(hand, result))
}
