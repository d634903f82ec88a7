package transcript_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/pages/transcript"
	"github.com/sparrowhall/sparrowhall/internal/testkit/golden"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// seeds are those of the golden matches, chosen so that all that greedy players
// do to one another happens in some of them. Presets not listed play seed 1.
var seeds = map[string][]uint64{
	"ema_2016":           {5931, 2020},
	"ema_2016_en":        {5045, 4819},
	"hkma_league_a":      {4053, 7334},
	"hkma_league_a_body": {5376, 7720},
	"hkma_league_b":      {6270, 7150},
	"hkma_league_b_body": {4276, 6850},
	"mahjong_soul":       {7238, 4089},
	"mleague":            {5344, 3244},
	"tenhou":             {3554, 2147},
	"wrc":                {1488, 598},
}

// sanma is a ruleset of three players.
const sanma = "tenhou_sanma"

// names are the agents of the golden matches.
var names = [sim.NumPlayers]string{"greedy", "greedy", "greedy", "greedy"}

func play(t *testing.T, preset string, hands int64, seed uint64) (*ruleset.Rules, *sim.Match) {
	t.Helper()
	r, err := configs.LoadWith(preset, map[string]any{"max_hands": hands})
	if err != nil {
		t.Fatal(err)
	}
	var seated [sim.NumPlayers]sim.Agent
	for p, name := range names {
		factory, err := agents.New(name)
		if err != nil {
			t.Fatal(err)
		}
		seated[p] = factory()
	}
	m := &sim.Match{Seed: seed, Keep: sim.KeepValues}
	m.Play(r, &seated)
	return r, m
}

func write(t *testing.T, script transcript.Transcript) string {
	t.Helper()
	var b strings.Builder
	if err := script.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGolden plays the first three hands of some matches under every preset and
// compares their transcripts with those that were reviewed.
func TestGolden(t *testing.T) {
	for _, preset := range append(configs.Names(), sanma) {
		name := strings.TrimSuffix(filepath.Base(preset), ".toml")
		t.Run(name, func(t *testing.T) {
			list := seeds[name]
			if list == nil {
				list = []uint64{1}
			}
			var all strings.Builder
			for _, seed := range list {
				r, m := play(t, preset, 3, seed)
				text := write(t, transcript.New(r, m, names))
				for p, points := range m.Final.Points[:r.NumSeats()] {
					if want := fmt.Sprintf("player %d  %s points", p, r.PointsText(points)); !strings.Contains(text, want) {
						t.Errorf("seed %d: no %q in the standings", seed, want)
					}
				}
				all.WriteString(text + "\n")
			}
			golden.Hold(t, filepath.Join("testdata", name+".txt"), all.String())
		})
	}
}

// hidden matches what another player than 2 draws, or holds, in a line of a
// transcript: tiles that do not follow the name of a meld.
var hidden = regexp.MustCompile(`(?m)^  [013] [ESWN]  (.*(draws|dealt|replaces) \d.*|.{41} [0-9 ]+[mpsz].*)$`)

func TestPlayersView(t *testing.T) {
	r, m := play(t, "tenhou", 3, seeds["tenhou"][0])
	all := transcript.New(r, m, names)
	text := write(t, all.SeenBy(2))
	golden.Hold(t, filepath.Join("testdata", "view.txt"), text)
	if !hidden.MatchString(write(t, all)) {
		t.Fatal("the check for hidden tiles finds none in a full transcript")
	}
	for _, line := range hidden.FindAllString(text, -1) {
		if !strings.Contains(line, "wins") && !strings.Contains(line, "  ready ") {
			t.Errorf("player 2 cannot see the tiles in %q", line)
		}
	}
}

func TestWriteHand(t *testing.T) {
	r, m := play(t, "ema_2016", 3, 1)
	script := transcript.New(r, m, names)
	whole := write(t, script)
	heading, _, _ := strings.Cut(whole, "\n\n")
	hands := heading + "\n"
	for n := range m.Hands {
		var b strings.Builder
		if err := script.WriteHand(&b, n); err != nil {
			t.Fatal(err)
		}
		hands += strings.TrimPrefix(b.String(), heading+"\n")
	}
	if diff := cmp.Diff(whole, hands); diff != "" {
		t.Errorf("the hands are not the match (-match +hands):\n%s", diff)
	}
	for _, n := range []int{-1, 3} {
		if err := script.WriteHand(&strings.Builder{}, n); err == nil || !strings.Contains(err.Error(), "hands 0 to 2") {
			t.Errorf("hand %d: error %v, want the hands there are", n, err)
		}
	}
}

// full is a writer with no room.
type full struct{}

var errFull = errors.New("no room")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteError(t *testing.T) {
	r, m := play(t, "ema_2016", 1, 1)
	if err := transcript.New(r, m, names).Write(full{}); !errors.Is(err, errFull) {
		t.Errorf("error %v, want %v", err, errFull)
	}
}

// cheat answers what is never legal.
type cheat struct{}

func (cheat) Act(sim.View) sim.Action { return sim.NoAction }

func TestForfeitsAndBareValues(t *testing.T) {
	r, m := play(t, "ema_2016", 1, 1)
	if !strings.Contains(write(t, transcript.New(r, m, names)), "riichi 1") {
		t.Fatal("nobody wins with riichi in this hand")
	}
	m.Values = nil
	text := write(t, transcript.New(r, m, [sim.NumPlayers]string{}))
	if strings.Contains(text, "riichi 1") || !strings.Contains(text, " han, ") {
		t.Error("a match without values has patterns, or no value at all")
	}
	if strings.Contains(text, "greedy") || strings.Contains(text, "player 0:") {
		t.Error("players without a name are named")
	}
	m.Play(r, &[sim.NumPlayers]sim.Agent{cheat{}, cheat{}, cheat{}, cheat{}})
	text = write(t, transcript.New(r, m, names))
	for _, want := range []string{" forfeits\n", ": greedy, forfeited\n"} {
		if n := strings.Count(text, want); n != sim.NumPlayers {
			t.Errorf("%q %d times, want one for each player", want, n)
		}
	}
}

// TestOtherEvents writes down events that no preset with golden matches leads to.
func TestOtherEvents(t *testing.T) {
	r, err := configs.LoadWith("ema_2016", nil)
	if err != nil {
		t.Fatal(err)
	}
	rules := *r
	rules.ClosedKanVisible, rules.AkaDora, rules.Ready = false, [3]int{0, 1, 0}, ruleset.Ding
	red, flower := tile.RedOf(tile.Dots), tile.FirstFlower+4
	deal := func(faces ...tile.Face) int32 {
		v := int32(-1)
		for _, f := range faces {
			v = v<<8 | int32(f)
		}
		return v
	}
	m := &sim.Match{
		Hands: []sim.HandMark{{}},
		Events: []sim.Event{
			{Type: sim.EvSeats, Player: -1, Tile: tile.Face(tile.West), Value: 1 | 0<<8 | 3<<16 | 2<<24},
			{Type: sim.EvHandStart, Player: 1, Detail: 1, Value: 2 | 3<<16, Tile: 1},
			{Type: sim.EvDeal, Player: 0, Value: deal(13, 13, 13, red)},
			{Type: sim.EvDeal, Player: 1, Value: deal(flower)},
			{Type: sim.EvFlower, Player: 1, Tile: flower},
			{Type: sim.EvFlowerChoice, Player: 1, Detail: 0},
			{Type: sim.EvDraw, Player: 1, Tile: 5, Detail: uint8(sim.FromFlower)},
			{Type: sim.EvReady, Player: 2, Detail: uint8(sim.ReadyHeaven), Value: 1},
			{Type: sim.EvClosedKan, Player: 0, Tile: 13},
			{Type: sim.EvDraw, Player: 0, Tile: 8, Detail: uint8(sim.FromKan)},
			{Type: sim.EvDiscard, Player: 0, Tile: 8, Detail: sim.DiscardDrawn},
			{Type: sim.EvDebt, Player: 1, Detail: 3 | 2<<2, Value: 40},
			{Type: sim.EvFlowerChoice, Player: 3, Detail: 1},
			{Type: sim.EvWin, Player: 3, Detail: uint8(sim.WinFlower), Value: 3},
			{Type: sim.EvReveal, Player: 3},
			{Type: sim.EvValue, Player: 3, Value: 12},
			{Type: sim.EvReveal, Player: 0, Tile: 13, Detail: 1},
			{Type: sim.EvWin, Player: 1, Detail: uint8(sim.WinFlower), Value: 2},
			{Type: sim.EvHandEnd, Player: -1},
		},
	}
	script := transcript.New(&rules, m, [sim.NumPlayers]string{})
	const want = `match 0, ema_2016, seed 0

hand 0: round W, dealer 1, 3 honba, 1 stick
  0 S  30000 points                             0555p
  1 E  30000 points                             5f
  2 N  30000 points
  3 W  30000 points
  1 E  flower 5f, takes the award, replaces 6m
  2 N  ready (heaven)
  0 S  closed kan 5p, replaces 9m, discards 9m*   | closed kan 0555p
       3 owes 1 40 from 2 in a row
  3 W  wins with the flowers
       12 points
  0 S  shows closed kan 5p
  1 E  wins with seven flowers, robbing the eighth of 2
       points 30000 30000 30000 30000; the deal passes
`
	if diff := cmp.Diff(want, write(t, script)); diff != "" {
		t.Errorf("all tiles (-want +got):\n%s", diff)
	}
	view := strings.NewReplacer("                             0555p", "", "  0 S  closed kan 5p, replaces 9m", "  0 S  closed kan, replaces",
		"*   | closed kan 0555p", "*       closed kan").Replace(want)
	view = strings.Replace(view, "seed 0\n", "seed 0\nas seen by player 1\n", 1)
	if diff := cmp.Diff(view, write(t, script.SeenBy(1))); diff != "" {
		t.Errorf("player 1 (-want +got):\n%s", diff)
	}
}
