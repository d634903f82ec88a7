package sim_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// stateCase is a line of testdata/riichi_state.jsonl: a case of the rules about
// what the table does, as the rule text gives it. Which members it has depends
// on its kind.
type stateCase struct {
	ID      string
	Kind    string
	Ruleset string
	Expect  map[string]json.RawMessage

	Waits        []string // furiten
	RonAllowed   *bool    `json:"ron_allowed"`
	TsumoAllowed *bool    `json:"tsumo_allowed"`
	Live         int      `json:"live_wall_after_draw"` // riichi_legal
	Points       int
	Discarder    string // call_window
	Tile         string
	Claims       map[string]string
	LiveWall     *int `json:"live_wall"`
	Declaration  bool `json:"riichi_declaration"`
	Kakan, Ankan string
	Concealed    string // riichi_ankan, call_blocked
	Draw         string
	WaitsBefore  []string `json:"waits_before"`
	WaitsAfter   []string `json:"waits_after"`
	FromHand     string   `json:"from_hand"` // kuikae
	Called       string
	Call         string
	Legal        bool
	Forbidden    []string
	Honba        int // hand_end, exhaustive_draw
	Deposits     int
	Tenpai       []string
	Hand         string // match_end
	Yaku         string // first_turn
	Events       []string
	Note, Src    string
	Result       string
}

// readStates returns the cases of a kind; it fails if there are none.
func readStates(t *testing.T, kind string) []*stateCase {
	t.Helper()
	f, err := os.Open("testdata/riichi_state.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []*stateCase
	for sc := bufio.NewScanner(f); sc.Scan(); {
		c := new(stateCase)
		if err := json.Unmarshal(sc.Bytes(), c); err != nil {
			t.Fatalf("%s: %v", sc.Text(), err)
		}
		if c.Kind == kind {
			cases = append(cases, c)
		}
	}
	if cases == nil {
		t.Fatalf("no cases of kind %s", kind)
	}
	return cases
}

// eachPreset runs f for every preset the case expects something of; "any"
// stands for all.
func (c *stateCase) eachPreset(t *testing.T, f func(t *testing.T, preset string, want json.RawMessage)) {
	t.Helper()
	if len(c.Expect) == 0 {
		t.Fatalf("%s expects nothing", c.ID)
	}
	for preset, want := range c.Expect {
		presets := []string{preset}
		if preset == "any" {
			presets = presetsOf("riichi")
		}
		for _, preset := range presets {
			t.Run(c.ID+"/"+preset, func(t *testing.T) { f(t, preset, want) })
		}
	}
}

func decode[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

// seatOf reads E, S, W or N.
func seatOf(t *testing.T, text string) tile.Wind {
	t.Helper()
	w, err := tile.ParseWind(text)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// must lets a script line be played or checked.
func (p *place) must(t *testing.T, lines ...string) {
	t.Helper()
	for _, line := range lines {
		do := p.play
		if strings.HasPrefix(line, "?") || strings.HasPrefix(line, ">") || strings.HasPrefix(line, "!>") {
			do = p.check
		}
		if err := do(line); err != nil {
			t.Fatalf("%s: %v\nthe hand so far:\n%s", line, err, p.transcript(0))
		}
	}
}

// furitenScripts play the events of the furiten cases for South up to the tile
// in question.
var furitenScripts = map[string]string{
	"FU01": `
		S 23m456678p55789s
		draws 1m4m
		S discard 1m
		W discard 4m`,
	"FU02": `
		S 23m456678p55678s
		draws 1m5z6z7z5m4m
		S discard 1m
		until S
		? drawn S 5m
		S discard 2m
		W discard 4m`,
	"FU03": `
		S 456678m34p55678s
		draws 5z2p5p
		S discard drawn
		W discard 2p
		S pass
		N discard 5p`,
	"FU04": `
		S 78m222456p34566s
		draws 5z5z9m6m
		until N
		N discard 9m
		? S may not ron
		until E
		E discard 6m`,
	"FU05": `
		S 456678m34p55678s
		draws 5z2p6z7z1z1z5p
		S discard drawn
		W discard 2p
		S pass
		until S
		S discard drawn
		until N
		N discard 5p`,
	"FU06": `
		S 456999m34p66s777z
		draws 5z2p6s1z5p
		S discard drawn
		W discard 2p
		S pass
		N discard 6s
		S pon
		S discard 9m
		until N
		N discard 5p`,
	"FU07": `
		S 22456m678789p45s
		draws 5z6z7z3s1z1z2z2z3z6s
		S ready drawn
		until E
		E discard 3s
		S pass
		until N
		until E
		until W
		W discard 6s`,
	"FU08": `
		E | 6p
		S 23455m78p456678s
		W 66p
		draws 5z5z6z6p9p
		rinshan 7z
		E discard 6p
		W pon
		W discard spare
		until W
		W added_kan 6p
		? S may rob
		S pass
		W discard drawn
		N discard 9p`,
	"FU09": `
		S 56m234678p55678s
		N 77m
		draws 7m4m
		S discard 7m
		N pon
		N discard spare
		E discard 4m`,
	"FU10": `
		S 23m456678p55789s
		draws 1m5z6z7z4m
		S discard 1m
		until S`,
}

// TestFuriten checks section 2.9. A win that furiten forbids must be legal with
// the locks switched off.
func TestFuriten(t *testing.T) {
	for _, c := range readStates(t, "furiten") {
		text, ok := furitenScripts[c.ID]
		if !ok {
			t.Errorf("%s: no script", c.ID)
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			p := newScript(t, c.ID, text).run(t, c.Ruleset)
			p.must(t, "? waits S "+waitsText(t, c.Waits))
			if c.RonAllowed != nil {
				if got := p.may(p.seat(1), "ron"); got != *c.RonAllowed {
					t.Errorf("ron allowed: %v, want %v; %s", got, *c.RonAllowed, c.Events)
				}
				free := newScript(t, c.ID, "with river_lock = \"off\"\nwith pass_lock = \"off\"\n"+text).run(t, c.Ruleset)
				if !free.may(free.seat(1), "ron") {
					t.Errorf("without furiten the tile cannot be won on either")
				}
			}
			if c.TsumoAllowed != nil && p.may(p.seat(1), "tsumo") != *c.TsumoAllowed {
				t.Errorf("tsumo allowed: %v, want %v", !*c.TsumoAllowed, *c.TsumoAllowed)
			}
		})
	}
}

// TestRiichiLegal checks the wall and points conditions of section 2.6: a ready
// hand sits where the turn falls with so many tiles left.
func TestRiichiLegal(t *testing.T) {
	for _, c := range readStates(t, "riichi_legal") {
		c.eachPreset(t, func(t *testing.T, preset string, want json.RawMessage) {
			w := tile.Wind(69-c.Live) & 3
			p := newScript(t, c.ID, fmt.Sprintf(`
				%v 123m456p789s34s99m
				points %v %d
				until live %d
				? turn %v`, w, w, c.Points, c.Live, w)).run(t, preset)
			if got := p.may(p.seat(w), "ready"); got != decode[bool](t, want) {
				t.Errorf("riichi legal: %v, want %s; %s", got, want, c.Note)
			}
		})
	}
}

// claimHands complete their shape and have a yaku with a 3m.
var claimHands = []string{"24m34566p345678s", "24m45677p234567s", "24m22678p234678s"}

// windowScript plays a call_window case up to the tile in question.
func windowScript(t *testing.T, c *stateCase) string {
	t.Helper()
	switch {
	case c.Kakan != "":
		// South waits for 3p and 6p in riichi; West has ponned 6p.
		return `
			dora 9m8m
			E | 6p
			S 23488m45p234678s
			W 66p
			draws 5z5z9m6p
			E discard 6p
			W pon
			W discard spare
			until S
			S ready drawn
			until W
			W added_kan 6p`
	case c.Ankan != "":
		return `
			S 119m19p19s123456z
			W 777z
			draws 2m7z
			until W
			W closed_kan 7z`
	}
	var b strings.Builder
	hands := map[tile.Wind]string{}
	next := 0
	for seat, claim := range c.Claims {
		w := seatOf(t, seat)
		switch claim {
		case "chi":
			hands[w] = "24m"
		case "pon":
			hands[w] = "33m"
		case "ron":
			hands[w] = claimHands[next]
			next++
		}
	}
	d := seatOf(t, c.Discarder)
	play := []string{fmt.Sprintf("%v discard 3m", d)}
	if c.Declaration {
		hands[d] = "11122288899p78s"
		play[0] = fmt.Sprintf("%v ready 3m", d)
	}
	switch {
	case c.LiveWall != nil:
		// A kan of North moves the last draw to East.
		if *c.LiveWall != 0 || d != 0 {
			t.Fatalf("%s: no setup for live wall %d of %v", c.ID, *c.LiveWall, d)
		}
		hands[3] = "9999s"
		fmt.Fprintln(&b, "draws 67*.3m")
		play = append([]string{"N closed_kan 9s", "until live 0"}, play...)
	case d == 0:
		hands[0] += " | 3m"
	default:
		fmt.Fprintf(&b, "draws %d*.3m\n", d-1)
		play = append([]string{fmt.Sprintf("until %v", d)}, play...)
	}
	for w, h := range hands {
		fmt.Fprintln(&b, w, h)
	}
	b.WriteString(strings.Join(play, "\n"))
	return b.String()
}

// TestCallWindow checks section 2.4: the claims are made and the outcome must
// be what the case says.
func TestCallWindow(t *testing.T) {
	for _, c := range readStates(t, "call_window") {
		c.eachPreset(t, func(t *testing.T, preset string, want json.RawMessage) {
			p := newScript(t, c.ID, windowScript(t, c)).run(t, preset)
			before := len(p.events)
			ippatsu := p.table.View(0).Ippatsu(1)
			offered := p.yaku(1) // to South
			var answers []string
			for seat, claim := range c.Claims {
				claim, _, _ = strings.Cut(claim, " ")
				if c.Tile != "3m" {
					claim = "rob"
				}
				if claim == "chi" {
					claim = "chi mid"
				}
				if w := seatOf(t, seat); p.may(p.seat(w), claim) {
					answers = append(answers, seat+" "+claim)
				}
			}
			if answers != nil {
				p.must(t, strings.Join(answers, ", "))
			}
			if !p.ended() && answers == nil && c.LiveWall != nil {
				p.must(t, "run")
			}
			var happened []string
			for _, e := range p.events[before:] {
				happened = append(happened, p.text(e))
			}
			happens := func(text string) bool {
				return slices.ContainsFunc(happened, func(s string) bool { return s == text || strings.HasPrefix(s, text+" ") })
			}
			ran := func(text string) bool {
				return happens(text) || strings.Contains(p.transcript(0), "\t"+text)
			}
			winners := 0
			for _, s := range happened {
				if strings.HasPrefix(s, "win ") {
					winners++
				}
			}
			expect := strings.NewReplacer("; ", ",", ", ", ",", " and has", ",E has").Replace(decode[string](t, want))
			wins := 0
			for _, clause := range strings.Split(strings.ReplaceAll(expect, " + ", ","), ",") {
				good := false
				switch clause {
				case "W pon":
					good = happens("pon W")
				case "S ron", "W ron", "N ron", "E ron":
					good = happens("win " + clause[:1])
					wins++
				case "S wins with chankan":
					good = happens("win S "+c.Tile+" rob") && slices.Contains(offered, "chankan")
					wins++
				case "kan void":
					good = !happens("kan_done")
				case "no new indicator":
					good = !happens("indicator")
				case "S and others keep ippatsu":
					good = ippatsu && slices.Contains(offered, "ippatsu")
				case "abortive draw":
					good = happens("abort triple_ron")
				case "exhaustive draw":
					good = ran("exhausted") && answers == nil
				case "E keeps the 1000 points":
					good = !ran("pay E pot")
				case "E has no riichi":
					good = !ran("ready E accepted")
				case "riichi stands":
					good = happens("ready E accepted")
				case "stick paid":
					good = happens("pay E pot 1000 riichi")
				case "ippatsu lost":
					good = !p.table.View(0).Ippatsu(0)
				case "not offered":
					good = answers == nil && ran("kan_done W")
				default:
					t.Fatalf("unknown clause %q", clause)
				}
				if !good {
					t.Errorf("%q does not hold; events:\n%s", clause, strings.Join(happened, "\n"))
				}
			}
			if wins != winners {
				t.Errorf("%d winners, want %d", winners, wins)
			}
		})
	}
}

// TestCallBlocked checks the last sentence of section 2.3: a claim that leaves
// only barred discards is not offered. South has three melds and the four tiles
// of the case.
func TestCallBlocked(t *testing.T) {
	for _, c := range readStates(t, "call_blocked") {
		for _, preset := range presetsOf("riichi") {
			t.Run(c.ID+"/"+preset, func(t *testing.T) {
				play := func(knobs string) bool {
					p := newScript(t, c.ID, knobs+`
						E | 5z
						S 55z66z77z`+c.Concealed+`
						draws 6z1z7z1z2z`+c.Called+`
						E discard drawn
						S pon
						S discard spare
						until W
						W discard 6z
						S pon
						S discard spare
						until N
						N discard 7z
						S pon
						S discard spare
						until E
						? hand S `+c.Concealed+`
						E discard `+c.Called).run(t, preset)
					return p.may(p.seat(1), c.Call)
				}
				if got := play(""); got != c.Legal {
					t.Errorf("%s legal: %v, want %v; %s", c.Call, got, c.Legal, c.Note)
				}
				if !play("with swap_ban = \"same_tile\"\n") {
					t.Errorf("%s is not legal with a weaker ban", c.Call)
				}
			})
		}
	}
}

// TestSwapCalling checks section 2.8 in play: South claims and may discard any
// tile but those of the case; the ban ends with that discard.
func TestSwapCalling(t *testing.T) {
	for _, c := range readStates(t, "kuikae") {
		for _, preset := range []string{"ema_2016", "hkma_league_a", "tenhou", "mleague", "wrc", "mahjong_soul"} {
			if strings.Contains(c.Called, "0") && (preset == "ema_2016" || preset == "wrc") {
				continue // no red fives
			}
			t.Run(c.ID+"/"+preset, func(t *testing.T) {
				forbidden := kindsOf(t, strings.Join(c.Forbidden, ""))
				own, _ := tile.ParseFaces(c.FromHand)
				called, _ := tile.ParseFace(c.Called)
				call := "pon"
				if own[0] != own[1] {
					call = "chi mid"
					if called.Kind() < own[0].Kind() {
						call = "chi low"
					} else if called.Kind() > own[1].Kind() {
						call = "chi high"
					}
				}
				p := newScript(t, c.ID, `
					E | `+c.Called+`
					S `+c.FromHand+strings.Join(c.Forbidden, "")+`
					E discard `+c.Called+`
					S `+call).run(t, preset)
				v := p.table.View(1)
				h, legal := v.Hand(), v.Legal()
				for k := range tile.Kind(tile.NumKinds) {
					if got, want := legal.Has(sim.Action(k)), h.Count(k) > 0 && !forbidden.Has(k); got != want {
						t.Errorf("discard %v legal: %v, want %v; %s", k, got, want, c.Note)
					}
				}
				if h.Kinds()&forbidden != forbidden {
					t.Fatalf("hand %v has none of the barred tiles %v to try", h.Kinds(), forbidden)
				}
				p.must(t, "S discard spare", "until S")
				for set := forbidden; set != 0; set = set.Rest() {
					if l := p.table.Legal(1); !l.Has(sim.Action(set.First())) {
						t.Errorf("%v still barred in the next turn", set.First())
					}
				}
			})
		}
	}
}

// TestReadyKan checks section 2.7 in play: East declares riichi with the hand of
// the case and draws the tile in question.
func TestReadyKan(t *testing.T) {
	for _, c := range readStates(t, "riichi_ankan") {
		c.eachPreset(t, func(t *testing.T, preset string, want json.RawMessage) {
			draw := c.Draw
			if r, err := configs.Load(preset); err != nil {
				t.Fatal(err)
			} else if draw[0] == '5' && r.AkaDora != [3]int{} {
				draw = "0" + draw[1:] // the hand holds the ordinary ones
			}
			p := newScript(t, c.ID, `
				E `+c.Concealed+` | 4z
				draws 5z6z7z`+draw+`
				E ready drawn
				? waits E `+waitsText(t, c.WaitsBefore)).run(t, preset)
			if err := p.playOn(func() bool { return p.table.View(0).TilesLeft() <= 65 }); err != nil {
				t.Fatal(err)
			}
			got := p.may(0, "closed_kan "+c.Draw)
			if got != decode[bool](t, want) {
				t.Fatalf("kan legal: %v, want %s; %s", got, want, c.Note)
			}
			if got {
				p.must(t, "E closed_kan "+c.Draw)
				if v := p.table.View(0); v.Waits().String() != waitsText(t, c.WaitsAfter) {
					t.Errorf("waits after the kan %v, want %s", v.Waits(), c.WaitsAfter)
				}
			}
		})
	}
}

func waitsText(t *testing.T, waits []string) string {
	t.Helper()
	return kindsOf(t, strings.Join(waits, "")).String()
}

func kindsOf(t *testing.T, text string) (s tile.Set) {
	t.Helper()
	faces, err := tile.ParseFaces(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faces {
		s |= f.Kind().Bit()
	}
	return s
}

// TestExhaustiveDraw checks section 2.10 and the draws of 2.12: the players named
// hold ready hands, all are shown.
func TestExhaustiveDraw(t *testing.T) {
	ready := map[string]string{
		"E": "123m456p789s34s99m", "S": "123s456p789m34m99p",
		"W": "123p456m789p34p99s", "N": "456s67s11122233z",
	}
	for _, c := range readStates(t, "exhaustive_draw") {
		t.Run(c.ID, func(t *testing.T) {
			text := fmt.Sprintf("honba %d\ndeposits %d\n", c.Honba, c.Deposits)
			for _, seat := range c.Tenpai {
				text += seat + " " + ready[seat] + "\n"
			}
			p := newScript(t, c.ID, text+"run\n> exhausted").run(t, c.Ruleset)
			type result struct {
				Deltas   map[string]int32 `json:"deltas"`
				Stays    bool             `json:"dealer_stays"`
				Honba    int              `json:"honba"`
				Deposits int              `json:"deposits"`
			}
			m := p.table.MatchState()
			got := result{map[string]int32{}, m.Dealer == 0, m.Counter, m.Deposits}
			for w := range tile.Wind(4) {
				got.Deltas[w.String()] = p.delta(w)
			}
			raw, err := json.Marshal(c.Expect)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(decode[result](t, raw), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.Note, diff)
			}
		})
	}
}

// handEndScripts lead to the results of the hand_end cases. East waits for 6s
// and 9s, as do South and North.
var handEndScripts = map[string]string{
	"HE1": `
		E 111m45p789p23499s | 6p
		E tsumo`,
	"HE2": `
		S 678m234p23478s66p
		draws 5z6z9s
		until N
		N discard 9s
		S ron`,
	"HE3": `
		E 123m33456678p78s | 1z
		S 678m234p23478s66p
		draws 5z9s
		until W
		W discard 9s
		E ron, S ron`,
	"HE4": `
		E 123m33456678p78s | 1z
		S 678m234p23478s66p
		draws 5z6z9s
		until N
		N discard 9s
		E ron, S ron`,
	"HE5": `
		E 123m33456678p78s | 1z
		N 34599m345789p78s
		draws 5z9s
		until W
		W discard 9s
		E ron, N ron`,
}

// TestHandEnd checks section 2.12.
func TestHandEnd(t *testing.T) {
	for _, c := range readStates(t, "hand_end") {
		text, ok := handEndScripts[c.ID]
		if !ok {
			t.Errorf("%s: no script", c.ID)
			continue
		}
		c.eachPreset(t, func(t *testing.T, preset string, raw json.RawMessage) {
			want := decode[struct {
				Stays  bool `json:"dealer_stays"`
				Honba  int
				Winner string
			}](t, raw)
			p := newScript(t, c.ID, "honba "+strconv.Itoa(c.Honba)+"\n"+text).run(t, preset)
			m := p.table.MatchState()
			if m.Dealer == 0 != want.Stays || m.Counter != want.Honba {
				t.Errorf("%s: dealer stays %v, honba %d; want %v, %d", c.Result, m.Dealer == 0, m.Counter, want.Stays, want.Honba)
			}
			if want.Stays != (m.DealIndex == 1) {
				t.Errorf("deal index %d", m.DealIndex)
			}
			if want.Winner == "" {
				return
			}
			winner := strings.Replace(want.Winner, "dealer", "E", 1)
			if log := p.transcript(0); strings.Count(log, "\twin ") != 1 || !strings.Contains(log, "\twin "+winner) {
				t.Errorf("winner is not %s alone:\n%s", winner, log)
			}
		})
	}
}

// matchEndScripts lead to the results of the match_end cases.
var matchEndScripts = map[string]string{
	"ME1": `
		hand S4
		dora 4z
		points E 39500 S 20000 W 20000 N 20000
		E 678m234p23478s66p | 1z
		draws 5z9s
		until W
		W discard 9s
		E ron`,
	"ME2": `
		hand S4
		dora 4z
		points E 25000 S 28000 W 24000 N 23000
		S 678m234p23478s66p
		draws 5z6z9s
		until N
		N discard 9s
		S ron`,
	"ME3": `
		hand E2
		dora 4z
		points N 500
		S 678m234p23478s66p
		draws 5z6z9s
		until N
		N discard 9s
		S ron`,
	"ME4": `
		hand E2
		dora 4z
		points N 1000
		S 678m234p23478s66p
		draws 5z6z9s
		until N
		N discard 9s
		S ron`,
	"ME5": `
		hand S4
		E 123m456p789s34s99m | 1z
		until exhausted
		E noten`,
	"ME6": `
		hand S4
		points E 10000
		E 123m456p789s34s99m | 1z
		run
		> declare E tenpai`,
}

// TestMatchEnd checks section 2.13.
func TestMatchEnd(t *testing.T) {
	// Points that the results name.
	points := map[string]struct {
		seat   tile.Wind
		points int32
	}{"ME1": {0, 41000}, "ME2": {1, 29000}, "ME3": {3, -500}, "ME4": {3, 0}}
	for _, c := range readStates(t, "match_end") {
		text, ok := matchEndScripts[c.ID]
		if !ok {
			t.Errorf("%s: no script", c.ID)
			continue
		}
		c.eachPreset(t, func(t *testing.T, preset string, want json.RawMessage) {
			p := newScript(t, c.ID, text).run(t, preset)
			if x, ok := points[c.ID]; ok && p.table.Points()[p.seat(x.seat)] != x.points {
				t.Fatalf("points %v, want %d for %v", p.table.Points(), x.points, x.seat)
			}
			m := p.table.MatchState()
			got := fmt.Sprintf("%v%d", tile.Wind(m.Round), m.Dealer+1)
			switch {
			case p.table.Over():
				got = "end"
			case got == "W1":
				got = "West 1"
			default:
				got = "continue"
			}
			if w := decode[string](t, want); got != w {
				t.Errorf("%s in %s: %s, want %s", c.Result, c.Hand, got, w)
			}
		})
	}
}

// firstTurnScripts play the events of the first_turn cases up to a win that is
// offered; the letter before tells whose.
var firstTurnScripts = map[string][2]string{
	"FT1": {"S", `
		E 9999m
		S 123m456p789s34s11z
		draws 4z5s
		rinshan 5z
		E closed_kan 9m
		E discard drawn
		S ready drawn
		W discard 5s`},
	"FT2": {"S", `
		E | 5z
		S 123m456p789s34s11z
		W 55z
		draws 6z2z4z5s
		E discard drawn
		W pon
		W discard spare
		until S
		S ready drawn
		W discard 5s`},
	"FT3": {"S", `
		E 9999m
		S 123m456p789s34s11z
		draws 5s
		rinshan 5z
		E closed_kan 9m
		E discard drawn`},
	"FT4": {"E", `
		E 9999m234567p34s1z | 1z
		rinshan 5s
		E closed_kan 9m`},
	"FT5": {"S", `
		E | 6p
		S 111m45p789p23499s
		E discard 6p`},
	"FT6": {"S", `
		E | 5z
		S 123m456p789s34s11z
		W 9999m
		draws 4z6z7z2z5s
		rinshan 5z
		until S
		S ready drawn
		W closed_kan 9m
		W discard drawn
		until S`},
	"FT7": {"S", `
		E | 6z
		S 123m456p789s34s11z
		N 66z
		draws 2z4z5z6z7z5s
		rinshan 5z
		E discard 6z
		N pon
		N discard spare
		until S
		S ready drawn
		until N
		N added_kan 6z
		> kan_done N
		N discard drawn
		until S`},
}

// TestFirstTurn checks which wins the uninterrupted first turns and go-arounds
// give (2.6, 3.3, 3.4).
func TestFirstTurn(t *testing.T) {
	for _, c := range readStates(t, "first_turn") {
		s, ok := firstTurnScripts[c.ID]
		if !ok {
			t.Errorf("%s: no script", c.ID)
			continue
		}
		c.eachPreset(t, func(t *testing.T, preset string, want json.RawMessage) {
			p := newScript(t, c.ID, s[1]).run(t, preset)
			yaku := p.yaku(p.seat(seatOf(t, s[0])))
			if got := slices.Contains(yaku, c.Yaku); got != decode[bool](t, want) {
				t.Errorf("%s counts: %v, want %s; yaku %v", c.Yaku, got, want, yaku)
			}
			// A yaku that does not count for want of a first turn must not be
			// missing because nothing is won.
			if yaku == nil && c.Yaku != "renhou" {
				t.Errorf("no win is offered")
			}
		})
	}
}
