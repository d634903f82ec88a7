package sim_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// check tests a line of a script that asks something:
//
//	? S: pass, win            exactly what S may do
//	? S may pon               S may do so now
//	? S may not ready         S may not
//	? asked S W               who is asked; - for nobody
//	? turn S                  whose turn it is
//	? phase rob               what the table waits for
//	? live 68                 tiles that can be drawn
//	? live S 5                tiles that S can draw
//	? indicators 1z2z         the indicators turned
//	? waits S 1m4m            what the hand without a drawn tile waits for
//	? drawn S 5m              the drawn tile
//	? hand S 123m...          the concealed tiles
//	? yaku S riichi pinfu     yaku and yakuman of the win S is offered
//	? yaku S has ippatsu      one of them; lacks: not
//	? ready S human           how S has declared ready, or no
//	? flowers S 1f2f          the flowers S has exposed
//	? delta E +1000 S -1000   points won in the hand; 0 for the others
//	? debts E<-S 20, E<-W 12  all debts, in points; - for none
//	? honba 1, ? deposits 0   counter and sticks
//	? next S1                 the next hand is this one
//	? over                    the match has ended
//	> pon S 5m from E         an event since the last command, in order
//	!> indicator              no such event since the last command
func (p *place) check(line string) error {
	if text, ok := strings.CutPrefix(line, "> "); ok {
		for i := p.seen; i < len(p.events); i++ {
			if p.text(p.events[i]) == text {
				p.seen = i + 1
				return nil
			}
		}
		return fmt.Errorf("no event %q in\n%s", text, p.transcript(p.seen))
	}
	if text, ok := strings.CutPrefix(line, "!> "); ok {
		for _, e := range p.events[p.fresh:] {
			if got := p.text(e); got == text || strings.HasPrefix(got, text+" ") {
				return fmt.Errorf("event %q in\n%s", got, p.transcript(p.fresh))
			}
		}
		return nil
	}
	text, _ := strings.CutPrefix(line, "? ")
	word, rest, _ := strings.Cut(text, " ")
	v := p.table.View(0)
	same := func(got string) error {
		if got != rest {
			return fmt.Errorf("%s is %s, want %s", word, got, rest)
		}
		return nil
	}
	switch word {
	case "asked":
		var seats []string
		for w := range tile.Wind(4) {
			if p.asked(p.seat(w)) {
				seats = append(seats, w.String())
			}
		}
		if seats == nil {
			seats = []string{"-"}
		}
		return same(strings.Join(seats, " "))
	case "turn":
		if p.turn() < 0 {
			return same("-")
		}
		return same(p.wind(p.turn()).String())
	case "phase":
		return same(p.table.Phase().String())
	case "live":
		if seat, n, ok := strings.Cut(rest, " "); ok {
			w, err := tile.ParseWind(seat)
			if got := strconv.Itoa(v.TilesLeftOf(p.seat(w))); err == nil && got != n {
				return fmt.Errorf("%v has %s tiles left, want %s", w, got, n)
			}
			return err
		}
		return same(strconv.Itoa(v.TilesLeft()))
	case "indicators":
		var faces []tile.Face
		for i := range v.NumIndicators() {
			faces = append(faces, v.Indicator(i))
		}
		return same(tile.FormatFaces(faces))
	case "honba":
		return same(strconv.Itoa(p.table.MatchState().Counter))
	case "deposits":
		return same(strconv.Itoa(p.table.MatchState().Deposits))
	case "next":
		if p.table.Over() {
			return same("over")
		}
		return same(tile.Wind(p.table.MatchState().Round).String() + strconv.Itoa(int(p.table.DealerChair())+1))
	case "over":
		if !p.table.Over() {
			return fmt.Errorf("the match goes on")
		}
		return nil
	case "delta":
		want, err := parseAmounts(rest, p.rules.Unit())
		if err != nil {
			return err
		}
		for w := range tile.Wind(4) {
			if got := p.delta(w); got != want[w] {
				return fmt.Errorf("%v won %s points, want %s in\n%s",
					w, p.rules.PointsText(got), p.rules.PointsText(want[w]), p.transcript(p.fresh))
			}
		}
		return nil
	case "debts":
		return same(p.debts())
	case "waits", "drawn", "hand", "yaku", "ready", "flowers":
		return p.checkSeat(word, rest)
	}
	w, err := tile.ParseWind(strings.TrimSuffix(word, ":"))
	if err != nil {
		return fmt.Errorf("unknown line %q", line)
	}
	legal := p.table.Legal(p.seat(w))
	if strings.HasSuffix(word, ":") {
		return same(list(&legal))
	}
	if action, ok := strings.CutPrefix(rest, "may not "); ok {
		if p.may(p.seat(w), action) {
			return fmt.Errorf("%v may %s: legal are %s", w, action, list(&legal))
		}
		return nil
	}
	action, ok := strings.CutPrefix(rest, "may ")
	if !ok {
		return fmt.Errorf("unknown line %q", line)
	}
	if !p.may(p.seat(w), action) {
		return fmt.Errorf("%v may not %s: legal are %s; the table is in phase %v", w, action, list(&legal), p.table.Phase())
	}
	return nil
}

func (p *place) debts() string {
	var list []string
	for w := range tile.Wind(4) {
		for x := range tile.Wind(4) {
			if d := p.table.View(0).Debts(p.seat(w))[p.seat(x)]; d.Points != 0 {
				list = append(list, fmt.Sprintf("%v<-%v %s", w, x, p.rules.PointsText(d.Points)))
			}
		}
	}
	if list == nil {
		return "-"
	}
	return strings.Join(list, ", ")
}

func formatFlowers(set uint8) string {
	var faces []tile.Face
	for i := range tile.Face(8) {
		if set>>i&1 != 0 {
			faces = append(faces, tile.FirstFlower+i)
		}
	}
	return tile.FormatFaces(faces)
}

// delta returns the points a seat has won since the start.
func (p *place) delta(w tile.Wind) int32 {
	return p.table.Points()[p.seat(w)] - p.base[p.seat(w)]
}

func (p *place) checkSeat(word, rest string) error {
	seat, want, _ := strings.Cut(rest, " ")
	w, err := tile.ParseWind(seat)
	if err != nil {
		return err
	}
	q := p.seat(w)
	v := p.table.View(q)
	got := ""
	switch word {
	case "waits":
		got = v.Waits().String()
	case "drawn":
		got = v.Drawn().String()
	case "hand":
		got = tile.FormatFaces(concealed(v))
	case "ready":
		got = [...]string{"no", "ordinary", "double", "human", "earth", "heaven"}[v.Ready(q)]
	case "flowers":
		got = formatFlowers(v.Flowers(q))
	case "yaku":
		yaku := p.yaku(q)
		if id, ok := strings.CutPrefix(want, "has "); ok {
			if !slices.Contains(yaku, id) {
				return fmt.Errorf("%v would win with %v, without %s", w, yaku, id)
			}
			return nil
		}
		if id, ok := strings.CutPrefix(want, "lacks "); ok {
			if slices.Contains(yaku, id) {
				return fmt.Errorf("%v would win with %v, %s among them", w, yaku, id)
			}
			return nil
		}
		fields := strings.Fields(want)
		slices.Sort(fields)
		got, want = strings.Join(yaku, " "), strings.Join(fields, " ")
	}
	if got != want {
		return fmt.Errorf("%s of %v is %s, want %s", word, w, got, want)
	}
	return nil
}

// yaku returns the patterns of the win player q is offered, bonus tiles left
// out, in alphabetical order.
func (p *place) yaku(q sim.Player) []string {
	legal := p.table.Legal(q)
	if !legal.Has(sim.ActWin) {
		return nil
	}
	_, v := p.table.Appraise(q)
	var ids []string
	for _, s := range v.Patterns[:v.NumPatterns] {
		switch id := p.rules.Patterns()[s.Pattern].ID; id {
		case "dora", "aka_dora", "ura_dora", "nuki_dora":
		default:
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// concealed returns the concealed tiles of a view's player, sorted.
func concealed(v sim.View) []tile.Face {
	h, reds := v.Hand(), v.Reds()
	var faces []tile.Face
	for k := range tile.Kind(tile.NumKinds) {
		n := h.Count(k)
		if k.IsFive() {
			faces = append(faces, slices.Repeat([]tile.Face{tile.RedOf(k.Suit())}, int(reds[k.Suit()]))...)
			n -= int(reds[k.Suit()])
		}
		faces = append(faces, slices.Repeat([]tile.Face{tile.Face(k)}, n)...)
	}
	for i := range tile.Face(8) {
		if v.HeldFlowers()>>i&1 != 0 {
			faces = append(faces, tile.FirstFlower+i)
		}
	}
	return faces
}
