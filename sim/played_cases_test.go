package sim_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/cases"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestPlayedWinsAreCases writes every win that is offered in matches as a scoring case: it is
// accepted, and worth what it is worth in play; those that are taken are paid as in play. Whether
// the dealer item applies and who is liable follows from the seats and melds of the case.
func TestPlayedWinsAreCases(t *testing.T) {
	matches := sample(10, 10_000)
	for _, preset := range configs.Names() {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			r := load(t, preset)
			for i := range uint64(matches) {
				seed := i
				if found, ok := foundSeeds[preset]; ok && i == 0 {
					seed = found
				}
				playCases(t, r, seed)
				if t.Failed() {
					return
				}
			}
		})
	}
}

// foundSeeds are matches with wins that are rare: seven flowers that the player completes in his own
// turn and that rob the eighth, a tile that the winner himself has thrown since, and a liability.
var foundSeeds = map[string]uint64{"hkma_hktw": 306, "zung_jung": 9537, "mahjong_soul_sanma": 109}

// playCases plays a match and checks its wins.
func playCases(t *testing.T, r *ruleset.Rules, seed uint64) {
	var players [sim.NumPlayers]sim.Agent
	for p := range r.NumSeats() {
		name := "greedy"
		if (seed+uint64(p))%4 == 0 {
			name = "random"
		}
		newAgent, err := agents.New(name)
		if err != nil {
			t.Fatal(err)
		}
		players[p] = newAgent()
		if err := sim.StartAgent(players[p], r); err != nil {
			t.Fatal(err)
		}
	}
	m := sim.Match{Seed: seed}
	table, err := m.NewTable(r)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; !table.Over(); n++ {
		m.Deal(&table, n, nil)
		offers := map[sim.Player]*cases.Payments{}
		var thrown []throw
		for p := range table.RestOfHand() {
			offers[p] = checkOffer(t, &table, p, thrown)
			a, err := sim.Ask(players[p], table.View(p))
			if err != nil {
				t.Fatal(err)
			}
			var winds [sim.NumPlayers]tile.Wind
			for q := range sim.Player(r.NumSeats()) {
				winds[q] = table.View(q).SeatWind(q)
			}
			events, err := table.Step(p, a, nil)
			if err != nil {
				t.Fatal(err)
			}
			checkPaid(t, r, events, winds, offers)
			for _, e := range events {
				if e.Type == sim.EvDiscard {
					thrown = append(thrown, throw{e.Player, e.Tile.Kind()})
				}
			}
			if t.Failed() {
				t.Logf("%s, seed %d", r.Name, seed)
				return
			}
		}
	}
}

// throw is a discard of a hand.
type throw struct {
	player sim.Player
	kind   tile.Kind
}

// responsible returns who pays for a win on a tile as its giver where same_round_immunity holds: who
// threw that kind first since the winner's last discard, which counts too. It is the giver where
// nobody did.
func responsible(thrown []throw, winner, giver sim.Player, k tile.Kind) sim.Player {
	for i := len(thrown) - 1; i >= 0; i-- {
		if thrown[i].kind == k {
			giver = thrown[i].player
		}
		if thrown[i].player == winner {
			break
		}
	}
	return giver
}

// checkPaid compares what is paid for a win with the payments of its case. Several winners, ura
// indicators, which cases learn after the win, and debts are left out.
func checkPaid(t *testing.T, r *ruleset.Rules, events []sim.Event, winds [sim.NumPlayers]tile.Wind, offers map[sim.Player]*cases.Payments) {
	winner, wins := sim.Player(0), 0
	var paid [5]int
	for _, e := range events {
		switch e.Type {
		case sim.EvWin:
			winner = e.Player
			wins++
		case sim.EvDebt, sim.EvIndicator:
			return
		case sim.EvPay:
			from, to, amount, reason := e.Pay()
			if !slices.Contains([]ruleset.Reason{ruleset.ForWin, ruleset.ForCounter, ruleset.ForDeposit}, reason) {
				continue
			}
			if from < sim.NumPlayers {
				paid[winds[from]] -= int(amount)
			}
			paid[winds[to&3]] += int(amount)
		}
	}
	if want := offers[winner]; wins == 1 && want != nil && !r.HalfPoints {
		got := cases.Payments{E: paid[0], S: paid[1], W: paid[2]}
		north := 0
		if want.N != nil {
			north = *want.N
		}
		if got.E != want.E || got.S != want.S || got.W != want.W || paid[3] != north {
			t.Errorf("paid in play %v, by the case %v, %d", paid[:4], *want, north)
		}
	}
}

func checkOffer(t *testing.T, table *sim.Table, p sim.Player, thrown []throw) *cases.Payments {
	legal := table.Legal(p)
	if !legal.Has(sim.ActWin) && !legal.Has(sim.ActFlowerWin) {
		return nil
	}
	w, v := table.Appraise(p)
	if !v.Shape {
		return nil
	}
	// The table adds the dealer item when it settles; here it follows from who gives the tile.
	if r := table.Rules(); r.Traits.TakesCaseWord("dealer") && w.Tile != tile.NoKind {
		w.Dealer = w.SeatWind == 0 || !w.SelfDraw && table.View(p).SeatWind(table.View(p).Turn()) == 0
		w.Streak = uint8(table.View(p).Counter())
		v = ruleset.Value{}
		r.Value(&w, &v)
	}
	line := caseOf(table, p, &w)
	if v := table.View(p); table.Rules().SameRoundImmunity && !w.SelfDraw {
		who := fmt.Sprintf("%q", v.SeatWind(responsible(thrown, p, v.Turn(), w.Tile)))
		if responsible(thrown, p, v.Turn(), w.Tile) == p {
			who = "null"
		}
		line = append(line[:len(line)-1:len(line)-1], fmt.Sprintf(`,"responsible":%s}`, who)...)
	}
	// To load the rules for each case would take longer than all the rest.
	load := func(string, map[string]any) (*ruleset.Rules, error) { return table.Rules(), nil }
	answer, ok := cases.Score(line, table.Rules().Name, load)
	if !ok {
		t.Errorf("%s\n%s", line, answer)
		return nil
	}
	var a cases.Answer
	if err := json.Unmarshal(answer, &struct {
		Win      *bool            `json:"win"`
		Points   **int            `json:"points"`
		Payments **cases.Payments `json:"payments"`
	}{&a.Win, &a.Points, &a.Payments}); err != nil {
		t.Fatal(err)
	}
	if stated := state(table, p, &w, line); stated != nil {
		if again, ok := cases.Score(stated, table.Rules().Name, load); !ok || string(again) != string(answer) {
			t.Errorf("left out  %s\n%s\nstated %s\n%s", line, answer, stated, again)
		}
	}
	if !a.Win || a.Points == nil || *a.Points != int(v.Points) {
		t.Errorf("%s\n%s\nis worth %d in play", line, answer, v.Points)
	}
	return a.Payments
}

// state adds to a case what follows from its other members: whether the dealer item applies, and who
// is liable. It returns nil if nothing does.
func state(table *sim.Table, p sim.Player, w *ruleset.Win, line []byte) []byte {
	r := table.Rules()
	var stated []string
	if r.Traits.TakesCaseWord("dealer") && w.Tile != tile.NoKind {
		stated = append(stated, fmt.Sprintf(`"dealer":%t`, w.Dealer))
	}
	if l, ok := r.Scorer.(interface {
		Liabilities() [ruleset.NumLiabilities]string
	}); ok {
		winds, order := table.Liable(p)
		var list []int
		for bit, wind := range winds {
			if wind >= 0 && l.Liabilities()[bit] != "" { // tables keep also who the ruleset lets off
				list = append(list, bit)
			}
		}
		slices.SortFunc(list, func(a, b int) int { return int(order[a]) - int(order[b]) })
		var liable []string
		for _, bit := range list {
			liable = append(liable, fmt.Sprintf("%q:%q", l.Liabilities()[bit], tile.Wind(winds[bit])))
		}
		if liable != nil {
			stated = append(stated, `"liable":{`+strings.Join(liable, ",")+"}")
		}
	}
	if stated == nil {
		return nil
	}
	return append(line[:len(line)-1:len(line)-1], ","+strings.Join(stated, ",")+"}"...)
}

// caseFlags are the flags as cases write them.
var caseFlags = []struct {
	flag ruleset.Flags
	word string
}{
	{ruleset.FlagRiichi, "riichi"},
	{ruleset.FlagDoubleRiichi, "double_riichi"},
	{ruleset.FlagIppatsu, "ippatsu"},
	{ruleset.FlagReady, "ready"},
	{ruleset.FlagReadyHuman, "ready_human"},
	{ruleset.FlagReadyEarth, "ready_earth"},
	{ruleset.FlagReadyHeaven, "ready_heaven"},
	{ruleset.FlagLastTile, "last_tile"},
	{ruleset.FlagAfterKan, "after_kan"},
	{ruleset.FlagAfterTwoKans, "after_two_kans"},
	{ruleset.FlagAfterFlower, "after_flower"},
	{ruleset.FlagAfterKita, "after_kita"},
	{ruleset.FlagRobbingKita, "robbing_kita"},
	{ruleset.FlagRobbingKan, "robbing_kan"},
	{ruleset.FlagRobbingClosedKan, "robbing_closed_kan"},
	{ruleset.FlagLastCopy, "last_copy"},
	{ruleset.FlagSoleLive, "sole_live"},
	{ruleset.FlagHeavenly, "heavenly"},
	{ruleset.FlagEarthly, "earthly"},
	{ruleset.FlagHuman, "human"},
	{ruleset.FlagFlowerWin7, "flower_win_7"},
	{ruleset.FlagFlowerWin8, "flower_win_8"},
}

// caseOf returns the line of a win that player p is offered. The dealer item is left out.
func caseOf(table *sim.Table, p sim.Player, w *ruleset.Win) []byte {
	r, v := table.Rules(), table.View(p)
	takes := r.Traits.TakesCaseWord
	line := map[string]any{"self_draw": w.SelfDraw, "seat": w.SeatWind.String(), "round": w.RoundWind.String()}
	flags := []string{}
	for _, f := range caseFlags {
		if w.Flags&f.flag != 0 && (takes(f.word) || slices.Contains([]string{"last_tile", "after_kan", "robbing_kan", "robbing_closed_kan"}, f.word)) {
			flags = append(flags, f.word)
		}
	}
	if takes("river") && w.Discards != ruleset.NoCount {
		flags = append(flags, fmt.Sprintf("river:%d", w.Discards))
	}
	if takes("tail_draws") && w.Flags&(ruleset.FlagAfterKan|ruleset.FlagAfterFlower) != 0 {
		flags = append(flags, fmt.Sprintf("tail_draws:%d", w.TailDraws))
	}
	line["flags"] = flags
	if w.Tile != tile.NoKind {
		if takes("dealer_streak") {
			line["dealer_streak"] = v.Counter()
		}
		if !w.SelfDraw {
			line["from"] = v.SeatWind(v.Turn()).String()
		}
	}
	// Red fives are worth the same wherever they are: the first of their suit in the hand.
	h, reds := w.Hand, v.Reds()
	winTile := tile.NoFace
	if w.Tile != tile.NoKind {
		winTile = tile.Face(w.Tile)
		if w.SelfDraw {
			winTile = v.Drawn()
		} else if f := v.ClaimableTile(); f != tile.NoFace && f.Kind() == w.Tile {
			winTile = f
		}
		h.Remove(w.Tile)
		if w.SelfDraw && winTile.IsRed() {
			reds[winTile.Kind().Suit()]--
		}
	}
	var concealed []tile.Face
	for k := range tile.Kind(tile.NumKinds) {
		for range h.Count(k) {
			f := tile.Face(k)
			if s := int(k) / 9; k < tile.East && k.Rank() == 4 && reds[s] > 0 {
				reds[s]--
				f = tile.RedOf(tile.Suit(s))
			}
			concealed = append(concealed, f)
		}
	}
	line["concealed"], line["win_tile"] = tile.FormatFaces(concealed), ""
	if winTile != tile.NoFace {
		line["win_tile"] = winTile.String()
	}
	melds := []map[string]any{}
	for _, m := range w.Melds[:w.NumMelds] {
		var faces []tile.Face
		left := m.Reds
		for i := range m.Size() {
			k := m.Kind
			if m.Type.String() == "chi" {
				k += tile.Kind(i)
			}
			f := tile.Face(k)
			if k < tile.East && k.Rank() == 4 && left > 0 {
				left--
				f = tile.RedOf(k.Suit())
			}
			faces = append(faces, f)
		}
		meld := map[string]any{"type": m.Type.String(), "tiles": tile.FormatFaces(faces)}
		if m.From != 0 {
			meld["from"] = tile.Wind((int(w.SeatWind) + int(m.From)) % r.NumSeats()).String()
		}
		melds = append(melds, meld)
	}
	line["melds"] = melds
	if takes("flowers") {
		var b strings.Builder
		for f := range 8 {
			if w.Flowers>>f&1 != 0 {
				fmt.Fprintf(&b, "%df", f+1)
			}
		}
		line["flowers"] = b.String()
	}
	if takes("kita") && w.Norths > 0 {
		line["kita"] = w.Norths
	}
	if takes("dora_indicators") {
		var shown []tile.Face
		for i := range v.NumIndicators() {
			shown = append(shown, v.Indicator(i))
		}
		line["dora_indicators"] = tile.FormatFaces(shown)
		line["honba"], line["deposits"] = v.Counter(), v.Deposits()
	}
	text, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	return text
}
