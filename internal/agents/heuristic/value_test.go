package heuristic

import (
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// setup is a crafted hand: who is dealt what, what is drawn, and what is played
// until the decision in question. Player 0 deals; what is not given is filled in
// with the tiles that are left.
type setup struct {
	preset string
	knobs  map[string]any // beside those of the preset
	hands  [sim.NumPlayers]string
	draws  string // from the dealer's last dealt tile on
	dora   string
	script []string // "player: action"; else players pass and discard what they draw
}

// wall returns the wall of the setup, for a family that deals fours tiles at a
// time from a shared wall.
func (s *setup) wall(t *testing.T, r *ruleset.Rules) *sim.Wall {
	t.Helper()
	var w sim.Wall
	for i := range w {
		w[i] = tile.NoFace
	}
	left := [tile.NumKinds]int{}
	for k := range left {
		left[k] = 4
	}
	put := func(at int, f tile.Face) {
		w[at] = f
		if left[f.Kind()]--; left[f.Kind()] < 0 {
			t.Fatalf("more than four of %v", f)
		}
	}
	parse := func(text string) []tile.Face {
		faces, err := tile.ParseFaces(text)
		if err != nil {
			t.Fatal(err)
		}
		return faces
	}
	blocks := r.HandSize / 4
	for p, text := range s.hands {
		for i, f := range parse(text) {
			at := 16*(i/4) + 4*p + i%4
			if i/4 == blocks { // the last tile, one by one
				at = 16*blocks + p
			}
			put(at, f)
		}
	}
	for i, f := range parse(s.draws) {
		put(4*r.HandSize+i, f)
	}
	if s.dora != "" {
		put(130, parse(s.dora)[0])
	}
	for f := range sim.SetSize(&r.Flow) - 4*tile.NumKinds {
		w[100+f] = tile.FirstFlower + tile.Face(f) // nearExhaustion in the hand
	}
	// What is left goes round by round through the kinds, so that nobody is dealt
	// much of one.
	k := tile.Kind(0)
	for i := range sim.SetSize(&r.Flow) {
		if w[i] != tile.NoFace {
			continue
		}
		for k = (k + 7) % tile.NumKinds; left[k] == 0; {
			k = (k + 1) % tile.NumKinds
		}
		put(i, tile.Face(k))
	}
	return &w
}

// play plays the script and returns the table at the next decision of player p.
func (s *setup) play(t *testing.T, p sim.Player) *sim.Table {
	t.Helper()
	r, err := configs.LoadWith(s.preset, s.knobs)
	if err != nil {
		t.Fatal(err)
	}
	table := sim.NewTable(r, 1)
	events := table.StartHandFrom(s.wall(t, r), nil)
	script := s.script
	for range 1000 {
		q := sim.Player(0)
		for !table.Asked().Has(q) {
			if q++; q == sim.NumPlayers {
				t.Fatal("the hand has ended")
			}
		}
		legal := table.Legal(q)
		a := sim.DefaultAction(&legal)
		if len(script) == 0 && q == p {
			return &table
		}
		if len(script) > 0 {
			who, text, _ := strings.Cut(script[0], ": ")
			act, err := sim.ParseAction(text)
			if err != nil {
				t.Fatal(err)
			}
			if who == string(rune('0'+q)) && legal.Has(act) {
				a, script = act, script[1:]
			}
		}
		if events, err = table.Step(q, a, events[:0]); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatalf("script not played: %v", script)
	return nil
}

// answer returns what the agent of the options answers at the decision.
func (s *setup) answer(t *testing.T, p sim.Player, options string) sim.Action {
	t.Helper()
	f, err := NewValue(options)
	if err != nil {
		t.Fatal(err)
	}
	table := s.play(t, p)
	return f().Act(table.View(p))
}

func TestOptions(t *testing.T) {
	for _, options := range []string{"", "defence=off", "calls=off,worth=on", "worth=off,defence=off,calls=off", "pushed=0.5,silent=1,wait_pair=0"} {
		if _, err := NewValue(options); err != nil {
			t.Errorf("%q: %v", options, err)
		}
	}
	for options, want := range map[string]string{
		"defense=off":        `unknown option "defense"; allowed: defence, calls, worth`,
		"defence":            `option defence: "" is neither on nor off`,
		"calls=0":            `option calls: "0" is neither on nor off`,
		"defence=off,":       `unknown option ""`,
		"worth=off,worth=on": `option worth is given twice`,
		"pushed":             `option pushed: "" is no number`,
		"pushed=-1":          `option pushed: "-1" is no number`,
		"pushed=.5":          `option pushed: ".5" is no number`,
		"pushed=0.1234":      `option pushed: "0.1234" is no number such as 3 or 0.45, with at most three digits`,
		"pushed=2.001":       `option pushed: 2.001 is not from 0 to 2`,
		"wait_two_sides=0":   `option wait_two_sides: 0 is not from 0.001 to 10`,
	} {
		if _, err := NewValue(options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q in it", options, err, want)
		}
	}
}

// A hand far from winning gives the player who has declared what he cannot win
// on; without defense it discards what is of least use.
func TestFolds(t *testing.T) {
	s := setup{
		preset: "ema_2016",
		hands:  [sim.NumPlayers]string{"159m2468p1357s4z5m", "234567m234p6799s"},
		draws:  "9p1z4p2p3z",
		script: []string{"0: discard drawn", "1: ready drawn"},
	}
	passed := []sim.Action{12, 10} // 4p and 2p, discarded since
	if a := s.answer(t, 0, ""); !slices.Contains(passed, a) {
		t.Errorf("discards %v, want 4p or 2p, which have passed", a)
	}
	if a := s.answer(t, 0, "defence=off"); slices.Contains(passed, a) {
		t.Errorf("without defense discards %v", a)
	}
}

// A ready hand goes on although another player is ready.
func TestPushes(t *testing.T) {
	s := setup{
		preset: "ema_2016",
		hands:  [sim.NumPlayers]string{"55567m555p345s6s6z", "123789m123p4499s"},
		draws:  "9m1z4z2z6s",
		script: []string{"0: discard drawn", "1: ready drawn"},
	}
	if a := s.answer(t, 0, ""); !a.DeclaresReady() {
		t.Errorf("answers %v, want a declaration", a)
	}
}

// Of two tiles of the same use the dora is kept.
func TestKeepsDora(t *testing.T) {
	s := setup{preset: "ema_2016", hands: [sim.NumPlayers]string{"345m678p3467s99s1p"}, draws: "9m"}
	s.dora = "8m"
	if a := s.answer(t, 0, ""); a.String() != "discard 1p" {
		t.Errorf("dora 9m: %v, want the discard of 1p", a)
	}
	s.dora = "9p"
	if a := s.answer(t, 0, ""); a != sim.ActDiscardDrawn {
		t.Errorf("dora 1p: %v, want the discard of the drawn 9m", a)
	}
}

// A chi that makes a hand ready is let go where the open hand would be worth
// little, and taken where two dora make it worth enough.
func TestCallsByWorth(t *testing.T) {
	s := setup{
		preset: "ema_2016",
		hands:  [sim.NumPlayers]string{"9m", "23467m34567p55s8s"},
		draws:  "5m",
		script: []string{"0: discard drawn"},
	}
	s.dora = "8m"
	if a := s.answer(t, 1, ""); a != sim.ActPass {
		t.Errorf("cheap hand: %v, want a pass", a)
	}
	s.dora = "4s"
	if a := s.answer(t, 1, ""); a != sim.ActChi {
		t.Errorf("with two dora: %v, want chi low", a)
	}
	if a := s.answer(t, 1, "calls=off"); a != sim.ActPass {
		t.Errorf("without calls: %v", a)
	}
}

// 234m 234p 2s4s5s waits for one tile or for two. Only the worse wait makes the
// three like sequences, which alone reach eight points.
func TestTakesTheRouteToEight(t *testing.T) {
	s := setup{preset: "mcr_2006", hands: [sim.NumPlayers]string{"234m23455678p24s"}, draws: "5s"}
	if a := s.answer(t, 0, ""); a != sim.ActDiscardDrawn {
		t.Errorf("%v, want the discard of the drawn 5s", a)
	}
	s.preset = "ema_2016"
	if a := s.answer(t, 0, "worth=off"); a.String() != "discard 2s" && a.String() != "ready 2s" {
		t.Errorf("without regard to worth under ema_2016: %v, want the wider wait", a)
	}
}

// A win off a debtor makes his debt grow, and a loss to a creditor one's own.
func TestMindsTheLedger(t *testing.T) {
	s := setup{preset: "hkma_hktw", hands: [sim.NumPlayers]string{"123456789m2345p"}}
	table := s.play(t, 0)
	e := &evaluator{features: allFeatures, weights: usualWeights(), winChances: sharedWinChances()}
	e.observe(table.View(0))
	worth := func() float64 {
		if !e.completion.FindSets(&e.now, e.aims[0].aim) {
			t.Fatal("the hand cannot be completed")
		}
		return e.completionGain(&e.now, e.aims[0].aim, false)
	}
	loss := func() float64 { return e.lossTo(table.View(0), &e.threats[0]) }
	even, evenLoss := worth(), loss()
	owe := func(creditor, debtor int) {
		due := e.stakes.Context
		due.HasDebts, due.Ledger = true, ruleset.Ledger{}
		due.Ledger[creditor][debtor] = ruleset.Debt{Points: 80, Wins: 1}
		e.stakes.SetContext(due, 0)
		e.wins.invalidate()
	}
	owe(0, 1) // player 1 owes the viewer
	if w := worth(); w <= even {
		t.Errorf("worth %v to a creditor, %v without debts", w, even)
	}
	owe(1, 0)
	if l := loss(); l <= evenLoss {
		t.Errorf("loss %v to a creditor, %v without debts", l, evenLoss)
	}
}

// The chance to win falls with the distance and rises with useful tiles and
// draws.
func TestChances(t *testing.T) {
	c := sharedWinChances()
	for _, threatened := range []bool{false, true} {
		for _, narrow := range []bool{false, true} {
			for d := range maxDistance + 1 {
				for live := range maxUkeire + 1 {
					for draws := range maxDraws + 1 {
						p := c.at(threatened, narrow, d, live, draws)
						if p < 0 || p > 1 {
							t.Fatalf("chance %v at distance %d", p, d)
						}
						if q := c.at(threatened, narrow, d, live+1, draws); q < p {
							t.Fatalf("distance %d, %d draws: %v with %d tiles, %v with more", d, draws, p, live, q)
						}
						if q := c.at(threatened, narrow, d+1, typicalUkeire(d+1, narrow), draws); q > c.at(threatened, narrow, d, typicalUkeire(d, narrow), draws) {
							t.Fatalf("%d draws: more at distance %d than at %d", draws, d+1, d)
						}
					}
				}
			}
		}
	}
}

// TestAims checks which aims a family rewards.
func TestAims(t *testing.T) {
	for _, preset := range []string{"ema_2016", "mcr_2006", "universal", "hkma_hktw"} {
		r, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		e := &evaluator{features: allFeatures, weights: usualWeights(), winChances: sharedWinChances()}
		e.prepare(r)
		if e.typicalWin.Points <= 0 || !e.typicalWin.OK {
			t.Errorf("%s: a usual win is worth %v", preset, e.typicalWin.Points)
		}
		classes := map[aim.Class]bool{}
		for _, a := range e.aims {
			classes[a.aim.Class] = true
		}
		want := []aim.Class{aim.Plain, aim.HalfFlush, aim.AllTriplets, aim.Runs}
		if r.HandSize == 13 {
			want = append(want, aim.Pairs)
		}
		if r.MinWin == 8 {
			want = append(want, aim.Shifted, aim.KnittedTiles)
		}
		for _, c := range want {
			if !classes[c] {
				t.Errorf("%s: no aim of class %v", preset, c)
			}
		}
	}
}
