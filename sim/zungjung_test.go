package sim_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// flowCase is a line of testdata/zungjung_flow.jsonl. Which members it has depends
// on its case.
type flowCase struct {
	Case, Note, Ruleset string
	Config              map[string]any
	Expect              json.RawMessage

	Replacements int // wall
	Seat, Waits  string
	Events       [][3]string
	Winner       string
	Log          [][2]string
	Discarder    string
	Requests     map[string]string
	Phase        string // mask
	State        struct {
		Concealed string
		Melds     [][2]string
		Drawable  int
		Tile      string
	}
	GameLength string   `json:"game_length"` // rotation
	Results    []string // winner of each hand, or draw
}

// flowKnobs translates the configurations of the cases.
var flowKnobs = map[string]func(value any) (key string, knob any){
	"same_turn_furiten_clear": func(value any) (string, any) {
		return "pass_lock_ends", map[any]string{"own_draw": "any_own_draw", "own_discard": "own_discard"}[value]
	},
	"discard_furiten": func(value any) (string, any) { return "river_lock", value },
	"dealer_repeat": func(value any) (string, any) {
		return "dealer_stays_on_win", map[any]string{"never": "never", "dealer_win": "any"}[value]
	},
}

func (c *flowCase) knobs(t *testing.T) map[string]any {
	t.Helper()
	knobs := map[string]any{}
	for name, value := range c.Config {
		translate, ok := flowKnobs[name]
		if !ok {
			t.Fatalf("unknown configuration %s", name)
		}
		key, knob := translate(value)
		knobs[key] = knob
	}
	return knobs
}

// TestZungJungFlow plays every flow case of the rule text at the table. Scripts
// for those that begin in the middle of a hand stand in testdata/zungjung_flow.txt.
func TestZungJungFlow(t *testing.T) {
	scripts := map[string]*script{}
	for _, s := range readScripts(t, "testdata/zungjung_flow.txt") {
		scripts[s.name] = s
	}
	f, err := os.Open("testdata/zungjung_flow.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	checks := map[string]func(*testing.T, *flowCase, *place){
		"furiten": checkFuriten, "responsible": checkResponsible, "priority": checkPriority, "mask": checkMask,
	}
	total := 0
	for sc := bufio.NewScanner(f); sc.Scan(); total++ {
		c := new(flowCase)
		if err := json.Unmarshal(sc.Bytes(), c); err != nil {
			t.Fatalf("%s: %v", sc.Text(), err)
		}
		t.Run(fmt.Sprint(c.Case, " ", c.Note, " ", c.Ruleset), func(t *testing.T) {
			switch c.Case {
			case "wall":
				checkWall(t, c)
			case "deal":
				checkDeal(t, c)
			case "last_drawer":
				checkLastDrawer(t, c)
			case "rotation":
				checkRotation(t, c)
			default:
				s, ok := scripts[c.Note]
				if !ok {
					t.Fatal("no script")
				}
				delete(scripts, c.Note)
				if s.setup.knobs == nil {
					s.setup.knobs = map[string]any{}
				}
				maps.Copy(s.setup.knobs, c.knobs(t))
				checks[c.Case](t, c, s.run(t, c.Ruleset))
			}
		})
	}
	if total != 50 || len(scripts) != 0 {
		t.Errorf("%d cases, want 50; scripts without a case: %v", total, slices.Collect(maps.Keys(scripts)))
	}
}

// checkWall lets East lay down closed kans and plays on to the last tile. What is
// drawn tells the places of the wall, since neighbors differ.
func checkWall(t *testing.T, c *flowCase) {
	var want struct {
		LiveDraws   int   `json:"live_draws"`
		Last        int   `json:"last_live_index"`
		KingIndices []int `json:"king_indices"`
	}
	decodeInto(t, c.Expect, &want)
	s := newScript(t, c.Note, "E 1111m2222m3333m4m | 4m\ntail 4m4m").setup
	p, err := s.start(c.Ruleset)
	if err != nil {
		t.Fatal(err)
	}
	for k := range c.Replacements {
		p.must(t, fmt.Sprintf("E closed_kan %dm", k+1))
	}
	p.must(t, "run", "> exhausted", "? delta")
	wall := p.table.Wall()
	var gone [136]bool
	for i := range 53 {
		gone[i] = true
	}
	ordinary, replaced := 0, 0
	for _, e := range p.events {
		if e.Type != sim.EvDraw || sim.Source(e.Detail) == sim.FromDeal {
			continue
		}
		at := 53 + ordinary
		if sim.Source(e.Detail) == sim.FromKan {
			at = [...]int{134, 135, 132, 133}[replaced]
			replaced++
		} else {
			ordinary++
		}
		if e.Tile != wall[at] || int(e.Value) != 69-ordinary-replaced {
			t.Fatalf("draw %d+%d is %v with %d left; at place %d lies %v", ordinary, replaced, e.Tile, e.Value, at, wall[at])
		}
		gone[at] = true
	}
	var kings []int
	for i, g := range gone {
		if !g {
			kings = append(kings, i)
		}
	}
	if ordinary != want.LiveDraws || 53+ordinary-1 != want.Last || replaced != c.Replacements {
		t.Errorf("%d ordinary draws and %d replacements, want %d and %d", ordinary, replaced, want.LiveDraws, c.Replacements)
	}
	if diff := cmp.Diff(want.KingIndices, kings); diff != "" {
		t.Errorf("king tiles, -want +got:\n%s", diff)
	}
}

// checkDeal compares the tiles each seat is dealt with their places in the wall.
func checkDeal(t *testing.T, c *flowCase) {
	var want map[string]any
	decodeInto(t, c.Expect, &want)
	for dealer := range 4 {
		p, err := newScript(t, c.Case, fmt.Sprintf("hand E%d", dealer+1)).setup.start(c.Ruleset)
		if err != nil {
			t.Fatal(err)
		}
		got := [4][]tile.Face{}
		for _, e := range p.events {
			switch e.Type {
			case sim.EvDeal:
				got[p.wind(e.Player)] = append(got[p.wind(e.Player)], dealt(e)...)
			case sim.EvDraw:
				got[p.wind(e.Player)] = append(got[p.wind(e.Player)], e.Tile)
			}
		}
		wall := p.table.Wall()
		for w := range tile.Wind(4) {
			var tiles []tile.Face
			for _, part := range strings.Split(want[w.String()].(string), ",") {
				low, high, ok := strings.Cut(part, "-")
				if !ok {
					high = low
				}
				from, _ := strconv.Atoi(low)
				to, _ := strconv.Atoi(high)
				tiles = append(tiles, wall[from:to+1]...)
			}
			if !slices.Equal(got[w], tiles) {
				t.Errorf("dealer %d: %v is dealt %v, want %v", dealer, w, got[w], tiles)
			}
		}
		p.must(t, "until S")
		if drawn := p.table.View(p.seat(tile.Wind(1))).Drawn(); drawn != wall[int(want["first_live"].(float64))] {
			t.Errorf("the first tile drawn is %v", drawn)
		}
	}
}

func checkLastDrawer(t *testing.T, c *flowCase) {
	p, err := newScript(t, c.Case, "").setup.start(c.Ruleset)
	if err != nil {
		t.Fatal(err)
	}
	p.must(t, "run")
	var last sim.Event
	for _, e := range p.events {
		if e.Type == sim.EvDraw {
			last = e
		}
	}
	if got := p.wind(last.Player).String(); got != decode[string](t, c.Expect) || last.Value != 0 {
		t.Errorf("%v draws the last tile, with %d left", got, last.Value)
	}
}

// checkFuriten looks for the events of the case, and whether its seat may win on
// the last of them.
func checkFuriten(t *testing.T, c *flowCase, p *place) {
	types := map[string]sim.EventType{
		"discard": sim.EvDiscard, "pung": sim.EvPon, "add_kong": sim.EvAddedKan, "draw": sim.EvDraw,
	}
	waits := kindsOf(t, c.Waits)
	next := 0
	for _, e := range p.events {
		if next < len(c.Events) {
			want := c.Events[next]
			if f, _ := tile.ParseFace(want[2]); e.Player == p.seat(seatOf(t, want[0])) && e.Type == types[want[1]] && e.Tile == f {
				next++
				continue
			}
		}
		if next > 0 && next < len(c.Events) && e.Type == sim.EvDiscard && waits.Has(e.Tile.Kind()) {
			t.Fatalf("the case has no %s", p.text(e))
		}
	}
	if next != len(c.Events) {
		t.Fatalf("event %v did not happen in\n%s", c.Events[next], p.transcript(0))
	}
	p.must(t, "? waits "+c.Seat+" "+waits.String())
	var want struct {
		Ron bool `json:"ron_on_last"`
	}
	decodeInto(t, c.Expect, &want)
	q := p.seat(seatOf(t, c.Seat))
	if got := p.may(q, "ron") || p.may(q, "rob"); got != want.Ron {
		t.Errorf("may win: %v, want %v", got, want.Ron)
	}
}

// checkResponsible looks at what each seat paid for a hand worth more than the
// par: the one responsible pays the most.
func checkResponsible(t *testing.T, c *flowCase, p *place) {
	next := 0
	for _, e := range p.events {
		if e.Type != sim.EvDiscard || next == len(c.Log) {
			continue
		}
		if f, _ := tile.ParseFace(c.Log[next][1]); e.Player == p.seat(seatOf(t, c.Log[next][0])) && e.Tile == f {
			next++
		}
	}
	if next != len(c.Log) {
		t.Fatalf("discard %v did not happen in\n%s", c.Log[next], p.transcript(0))
	}
	const value, par = 125, 25
	want := decode[*string](t, c.Expect)
	for w := range tile.Wind(4) {
		pays := int32(value)
		switch {
		case w.String() == c.Winner:
			pays = -3 * value
		case want != nil && w.String() == *want:
			pays = 3*value - 2*par
		case want != nil:
			pays = par
		}
		if got := -p.delta(w); got != pays {
			t.Errorf("%v pays %d, want %d", w, got, pays)
		}
	}
}

// checkPriority makes all requests and looks at what comes of them.
func checkPriority(t *testing.T, c *flowCase, p *place) {
	requests := map[string]struct {
		name  string
		event sim.EventType
	}{
		"ron": {"win", sim.EvWin}, "kong": {"open_kan", sim.EvOpenKan}, "pung": {"pon", sim.EvPon}, "chow": {"chi", sim.EvChi},
	}
	if got := p.table.View(0).Turn(); p.wind(got).String() != c.Discarder {
		t.Fatalf("the tile is %v's", p.wind(got))
	}
	asked, before := p.table.Asked(), len(p.events)
	for q := range sim.Player(4) {
		if !asked.Has(q) {
			continue
		}
		a := sim.ActPass
		if request, ok := c.Requests[p.wind(q).String()]; ok {
			a = actionCalled(p.table.Legal(q), requests[request].name)
		}
		if err := p.step(q, a); err != nil {
			t.Fatalf("%v: %v", p.wind(q), err)
		}
	}
	for seat := range c.Requests {
		if asked>>p.seat(seatOf(t, seat))&1 == 0 {
			t.Errorf("%s was not asked", seat)
		}
	}
	want := decode[[2]string](t, c.Expect)
	if e := p.events[before]; p.wind(e.Player).String() != want[0] || e.Type != requests[want[1]].event {
		t.Errorf("%s follows, want %v", p.text(e), want)
	}
	if wins := countEvents(p.events[before:], sim.EvWin); wins > 1 {
		t.Errorf("%d winners", wins)
	}
}

// actionCalled returns the first action whose text begins with a word, NoAction if
// there is none.
func actionCalled(l sim.ActionSet, word string) sim.Action {
	for a := range l.All {
		if first, _, _ := strings.Cut(a.String(), " "); first == word {
			return a
		}
	}
	return sim.NoAction
}

func countEvents(events []sim.Event, typ sim.EventType) (n int) {
	for _, e := range events {
		if e.Type == typ {
			n++
		}
	}
	return n
}

// checkMask finds the seat that holds what the case says and compares the kinds of
// actions it may take.
func checkMask(t *testing.T, c *flowCase, p *place) {
	want := decode[[]string](t, c.Expect)
	slices.Sort(want)
	if e := p.events[p.fresh:]; len(e) > 1 && e[0].Type == sim.EvPon && e[1].Type == sim.EvDiscard {
		// The claim left two equal tiles; the table plays the only action.
		left := tile.FormatFaces(append(concealed(p.table.View(e[0].Player)), e[1].Tile))
		if left != c.State.Concealed || !slices.Equal(want, []string{"discard"}) {
			t.Errorf("left %s and one of them discarded, want %s and %v", left, c.State.Concealed, want)
		}
		return
	}
	held, err := tile.ParseFaces(c.State.Concealed)
	if err != nil {
		t.Fatal(err)
	}
	tile.SortFaces(held)
	seat := sim.Player(slices.IndexFunc([]sim.Player{0, 1, 2, 3}, func(q sim.Player) bool {
		return slices.Equal(concealed(p.table.View(q)), held)
	}))
	if seat < 0 {
		t.Fatalf("nobody holds %s", c.State.Concealed)
	}
	v := p.table.View(seat)
	if diff := cmp.Diff(c.State.Melds, meldsOf(v, seat), cmpopts.SortSlices(func(a, b [2]string) bool { return a[1] < b[1] })); diff != "" {
		t.Fatalf("melds, -want +got:\n%s", diff)
	}
	phase := sim.PhaseTurn
	if c.Phase == "CLAIM_WINDOW" {
		phase = sim.PhaseClaim
		if f, _ := tile.ParseFace(c.State.Tile); v.ClaimableTile() != f {
			t.Fatalf("the window holds %v", v.ClaimableTile())
		}
	} else if claimed := v.DrawSource() == sim.FromClaim; v.Turn() != seat || claimed != (c.Phase == "TURN_CLAIMED") {
		t.Fatalf("the turn of player %d, after a claim: %v", v.Turn(), claimed)
	}
	if v.Phase() != phase || v.TilesLeft() != c.State.Drawable {
		t.Fatalf("phase %v with %d drawable", v.Phase(), v.TilesLeft())
	}
	names := map[string]string{
		"discard": "discard", "closed_kan": "ckong", "added_kan": "akong", "win": "win",
		"pass": "pass", "chi": "chow", "pon": "pung", "open_kan": "kong",
	}
	offered := map[string]bool{}
	legal := p.table.Legal(seat)
	for a := range legal.All {
		offered[names[kindOf(a)]] = true
	}
	if len(offered) == 0 {
		offered["pass"] = true // nobody is asked about his only action
	}
	if got := slices.Sorted(maps.Keys(offered)); !slices.Equal(got, want) {
		t.Errorf("may %v, want %v", got, want)
	}
}

// meldsOf writes the melds of a player as the cases do.
func meldsOf(v sim.View, q sim.Player) [][2]string {
	list := [][2]string{}
	for i := range v.NumMelds(q) {
		m := v.Meld(q, i)
		faces := []tile.Face{tile.Face(m.Kind), tile.Face(m.Kind), tile.Face(m.Kind)}
		name := "pung"
		if m.Type == hand.Chi {
			name = "chow"
			faces[1]++
			faces[2] += 2
		}
		list = append(list, [2]string{name, tile.FormatFaces(faces)})
	}
	return list
}

// checkRotation plays a match whose hands end as the case says.
func checkRotation(t *testing.T, c *flowCase) {
	var want struct {
		Dealers    []int
		RoundWinds string `json:"round_winds"`
		OverAfter  int    `json:"over_after"`
	}
	decodeInto(t, c.Expect, &want)
	knobs := c.knobs(t)
	knobs["rounds"] = int64(map[string]int{"east": 1, "half": 2, "full": 4}[c.GameLength])
	s := series{knobs: knobs}
	s.begin(t, c.Ruleset)
	var dealers []int
	winds := ""
	for _, result := range c.Results {
		dealers = append(dealers, int(s.dealer()))
		winds += s.table.View(0).RoundWind().String()
		if result == "draw" {
			s.draw(t)
			continue
		}
		winner := (s.dealer() + sim.Player(seatOf(t, result))) & 3
		s.win(t, (winner+1)&3, winner)
	}
	if diff := cmp.Diff(want.Dealers, dealers); diff != "" || winds != want.RoundWinds {
		t.Errorf("round winds %s; dealers, -want +got:\n%s", winds, diff)
	}
	if !s.table.Over() || s.table.Hands() != want.OverAfter {
		t.Errorf("over: %v after %d hands", s.table.Over(), s.table.Hands())
	}
}

func decodeInto(t *testing.T, raw json.RawMessage, v any) {
	t.Helper()
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
}

// TestZungJungMatch plays sixteen drawn hands, and a match in which everybody wins
// alike, so that all share the first place ([S] 2.11).
func TestZungJungMatch(t *testing.T) {
	for _, preset := range presetsOf("zungjung") {
		for _, wins := range []bool{false, true} {
			t.Run(fmt.Sprint(preset, wins), func(t *testing.T) {
				var s series
				s.begin(t, preset)
				for i := range 16 {
					m := s.table.MatchState()
					if s.table.Over() || m.Round != i/4 || int(m.Dealer) != i%4 || m.DealIndex != 0 || m.Counter != 0 {
						t.Fatalf("hand %d: over %v, %+v", i, s.table.Over(), m)
					}
					if wins {
						from := sim.Player(i+1) & 3
						s.win(t, from, from)
					} else {
						s.draw(t)
					}
				}
				f := s.table.Final()
				if !s.table.Over() || s.table.Hands() != 16 || f.Points != [4]int32{} || f.Rank != [4]uint8{1, 1, 1, 1} {
					t.Errorf("over %v after %d hands with %v, ranks %v", s.table.Over(), s.table.Hands(), f.Points, f.Rank)
				}
			})
		}
	}
}

// The variations of the presets of the family. The referee knows the first kind; of
// the others only the invariants hold that all rules share.
var (
	zungJungKnobs = []knobs{
		{"replacement_order": "linear"},
		{"deal": "sequential"},
		{"dead_wall": 0},
		{"dead_wall": 20},
		{"rounds": 1},
		{"rounds": 3, "hands_per_round": 2},
		{"max_hands": 5},
		{"dealer_stays_on_win": "any", "counter_on_shared_win": "plus_one", "max_hands": 9},
		{"dealer_stays_on_win": "alone", "multi_win": "all", "max_hands": 9},
		{"dealer_stays_on_draw": "always", "counter_on_draw_kept": "plus_one", "max_hands": 6},
		{"dealer_stays_on_win": "any", "last_dealer_plays_on": false, "rounds": 1},
		{"chi_from": "any"},
		{"swap_ban": "same_tile"},
		{"swap_ban": "same_and_other_end"},
		{"kan_after_claim": false},
		{"kan_on_fresh_pon": true},
		{"kan_on_fresh_pon": false},
		{"kan_min_wall": 3},
		{"max_kans": 2},
		{"closed_kan_visible": false},
		{"last_discard_claims": "all"},
		{"multi_win": "all"},
		{"rob_added_kan": false},
		{"rob_closed_kan": "orphans"},
		{"river_lock": "off"},
		{"river_lock": "kind"},
		{"river_lock": "hand"},
		{"pass_lock": "off"},
		{"pass_lock": "kind"},
		{"pass_lock": "hand"},
		{"pass_lock": "kind", "pass_lock_ends": "own_draw"},
		{"pass_lock": "kind", "pass_lock_ends": "any_own_draw"},
		{"pass_lock": "hand", "pass_lock_ends": "any_own_draw", "pass_lock_blocks_self_draw": true},
		{"pass_lock": "kind", "pass_lock_ends": "own_draw_or_call"},
		{"pass_lock": "hand", "pass_lock_ends": "any_call"},
		{"pass_lock": "kind", "pass_lock_set_by": "shape"},
		{"pass_lock": "kind", "pass_lock_on_own_draw": true, "pass_lock_blocks_self_draw": true},
		{"pass_lock": "kind", "pass_lock_on_own_draw": true, "min_win": 30},
		{"pass_lock": "kind", "pass_lock_from_deal": false},
		{"pass_lock": "kind", "pass_lock_on_rob": false},
		{"pass_lock": "kind", "locks_block_rob": false},
		{"pon_pass": "own_draw"},
		{"pon_pass": "own_discard"},
		{"min_win": 5},
		{"min_win": 60, "pass_lock": "kind", "pass_lock_set_by": "shape"},
		{"same_round_immunity": true},
		{"same_round_immunity": false},
		{"same_round_immunity": true, "multi_win": "all"},
		{"blessings_void_after_east_kong": false, "min_win": 100},
		{"chicken_points": 7, "compound_limit": "none", "listed_limit": "none"},
		{"starting_points": -50},
	}
	otherZungJungKnobs = []knobs{
		{"payoff_scheme": "uniform"},
		{"payoff_scheme": "discarder_all"},
		{"par_score": 0},
		{"dealer_factor": 2},
		{"self_draw_points": 3, "round_wind_scores": true},
		{"seven_pairs_quads": false},
		{"pattern_exclusion": "category"},
		{"round_wind": "random"},
		{"placement_tie": "seat_order"},
	}
)

// TestZungJungKnobs plays matches under every variation, and under several at once.
func TestZungJungKnobs(t *testing.T) {
	for _, preset := range presetsOf("zungjung") {
		playKnobs(t, preset, zungJungKnobs, otherZungJungKnobs)
	}
}
