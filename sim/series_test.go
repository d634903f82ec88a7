package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// A series plays the hands of one match one after another, each so dealt that it
// ends as is wanted.
type series struct {
	knobs map[string]any
	// prices, if not nil, is what the hands of the winners are said to be worth, by
	// player, and items how often the dealer item is added to that.
	prices map[sim.Player]int
	items  uint8

	rules *ruleset.Rules
	table sim.Table
	// hand is the events of the last hand.
	hand []sim.Event
}

func (s *series) begin(t *testing.T, preset string) {
	t.Helper()
	r, err := configs.LoadWith(preset, s.knobs)
	if err != nil {
		t.Fatal(err)
	}
	if s.prices != nil {
		priced := *r
		priced.Scorer = &priceList{r.Scorer, s}
		r = &priced
	}
	s.rules = r
	s.table = sim.NewTable(r, 1)
}

// dealer returns who deals the next hand.
func (s *series) dealer() sim.Player { return s.table.MatchState().Dealer }

func (s *series) seat(p sim.Player) tile.Wind { return tile.Wind(p-s.dealer()) & 3 }

// deal deals the next hand from the lines of a setup.
func (s *series) deal(t *testing.T, lines string) *place {
	t.Helper()
	setup := newScript(t, "series", lines).setup
	setup.dealer = s.table.DealerChair()
	w, spare, err := setup.wall(s.rules)
	if err != nil {
		t.Fatal(err)
	}
	p := &place{table: s.table, rules: s.rules, spare: spare, base: s.table.Points()}
	for q := range p.winds {
		p.winds[q] = s.seat(sim.Player(q))
	}
	p.events = p.table.StartHandFrom(w, nil)
	return p
}

// end takes over the table after a hand has been played.
func (s *series) end(t *testing.T, p *place) {
	t.Helper()
	if !p.ended() {
		t.Fatalf("the hand goes on:\n%s", p.transcript(0))
	}
	s.table, s.hand = p.table, p.events
}

// draw plays a hand to the last tile. The flowers are spread, so that they earn
// nobody an award.
func (s *series) draw(t *testing.T) {
	t.Helper()
	lines := ""
	if s.rules.Flowers != ruleset.NoFlowers {
		lines = "E 1f5f\nS 2f6f\nW 3f7f\nN 4f8f"
	}
	p := s.deal(t, lines)
	p.must(t, "run", "> exhausted")
	s.end(t, p)
}

// readyHands all wait for 5s, with thirteen and with sixteen tiles.
var readyHandSamples = map[int][3]string{
	13: {"46s123456789m11z", "46s123456789p22z", "46s111999s777z33z"},
	16: {"46s123456789m123p11z", "46s123456789p555z22z", "46s111999s777z666z33z"},
}

// win lets players win on a discard of from, or one by self-draw if that is he.
func (s *series) win(t *testing.T, from sim.Player, winners ...sim.Player) {
	t.Helper()
	var lines []string
	for i, w := range winners {
		lines = append(lines, fmt.Sprintf("%v %s", s.seat(w), readyHandSamples[s.rules.HandSize][i]))
	}
	draws := []string{"7z", "6z", "5z", "4z"} // of East, South, West and North
	selfDraw := slices.Contains(winners, from)
	if selfDraw {
		draws[s.seat(from)] = "5s"
	} else {
		lines = append(lines, fmt.Sprintf("%v 5s", s.seat(from)))
	}
	lines = append(lines, "draws "+strings.Join(draws[1:], ""))
	if i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "E ") }); i >= 0 {
		lines[i] += " | " + draws[0]
	} else {
		lines = append(lines, "E | "+draws[0])
	}
	p := s.deal(t, strings.Join(lines, "\n"))
	if selfDraw {
		p.must(t, fmt.Sprintf("%v tsumo", s.seat(from)))
	} else {
		p.must(t, fmt.Sprintf("%v discard 5s", s.seat(from)))
		var answers []string
		for _, w := range winners {
			answers = append(answers, fmt.Sprintf("%v ron", s.seat(w)))
		}
		p.must(t, strings.Join(answers, ", "))
	}
	s.end(t, p)
}

// priceList values hands as the series says.
type priceList struct {
	ruleset.Scorer
	s *series
}

func (l *priceList) Value(w *ruleset.Win, v *ruleset.Value) {
	l.Scorer.Value(w, v)
	winner := (l.s.dealer() + sim.Player(w.SeatWind)) & 3
	v.Base, v.Points, v.DealerItems = int32(l.s.prices[winner]), int32(l.s.prices[winner]), l.s.items
}

// Collect is what a match of the priced rules ends with.
func (l *priceList) Collect(s *ruleset.Settlement) { l.Scorer.(ruleset.DebtCollector).Collect(s) }
