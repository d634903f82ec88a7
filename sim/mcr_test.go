package sim_test

import (
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// The variations of the presets of the family; the referee knows them all.
var (
	mcrKnobs = []knobs{
		{"flowers": "none"},
		{"flowers": "optional"},
		{"flowers": "optional", "swap_ban": "same_tile"},
		{"flowers": "optional", "kan_after_claim": true, "kan_min_wall": 0},
		{"last_flower": "reveal"},
		{"opening_flowers": "round_robin"},
		{"replacement_order": "linear"},
		{"replacement_from": "front"},
		{"deal": "sequential"},
		{"deal_turn": "backward"},
		{"dealer_extra_tile": "drawn"},
		{"last_tile_when": "next_wall_empty", "exhausted_when": "empty_draw"},
		{"initial_win_tile": "none"},
		{"rounds": 2, "hands_per_round": 3},
		{"round_wind": "random"},
		{"seat_rotation": "none"},
		{"dealer_stays_on_win": "any", "dealer_stays_on_draw": "always", "max_hands": 7},
		{"max_hands": 5},
		{"chi_from": "any"},
		{"swap_ban": "same_tile"},
		{"kan_after_claim": true},
		{"kan_after_claim": true, "kan_on_fresh_pon": true},
		{"kan_min_wall": 0},
		{"kan_min_wall": 3},
		{"max_kans": 2},
		{"closed_kan_visible": true},
		{"last_discard_claims": "all"},
		{"multi_win": "all"},
		{"min_win": 0},
		{"min_win": 0, "multi_win": "all", "rob_closed_kan": "orphans"},
		{"rob_added_kan": false},
		{"mcr_discard_payment": "all_fan", "starting_points": 500},
		{"points_cap": 20, "dealer_factor": 2},
		{"points_table": []any{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 4}, "base_points": 0},
	}
	botzoneKnobs = []knobs{
		{"last_tile_when": "wall_empty"},
		{"last_tile_when": "wall_empty", "exhausted_when": "last_discard", "kan_needs_next_wall": false},
		{"last_discard_claims": "all"},
		{"kan_needs_next_wall": false},
		{"kan_min_wall": 0},
		{"dealer_extra_tile": "dealt"},
		{"round_wind": "by_round", "rounds": 4, "hands_per_round": 4, "seat_rotation": "mcr_table"},
		{"chi_from": "any", "min_win": 0},
		{"min_win": 0, "multi_win": "all"},
		{"walls": "shared", "flowers": "optional"},
	}
)

// TestMCRKnobs plays matches under every variation, and under several at once.
func TestMCRKnobs(t *testing.T) {
	for base, variations := range map[string][]knobs{"mcr_2006": mcrKnobs, "botzone": botzoneKnobs} {
		t.Run(base, func(t *testing.T) {
			t.Parallel()
			for i, k := range variations {
				// Matches of sixteen hands under botzone too.
				all := knobs{"rounds": 4, "hands_per_round": 4}
				maps.Copy(all, k)
				playVariation(t, base, all, uint64(i), true)
			}
		})
	}
	t.Run("several", func(t *testing.T) {
		t.Parallel()
		rng := rand.New(rand.NewPCG(1, 2))
		for i := range sample(20, 200) {
			all := knobs{}
			for range 1 + rng.IntN(6) {
				maps.Copy(all, mcrKnobs[rng.IntN(len(mcrKnobs))])
			}
			playVariation(t, "mcr_2006", all, uint64(i), true)
		}
	})
}

// TestBotzoneHands plays more hands than TestInvariants, whose matches are of one.
func TestBotzoneHands(t *testing.T) {
	t.Parallel()
	c := newChecker(load(t, "botzone"), true, sample(71, 31))
	for i := range sample(100, 5000) {
		if err := c.match(uint64(i), &tables[i%len(tables)]); err != nil {
			t.Fatalf("table %d: %v", i%len(tables), err)
		}
	}
}

// TestMCRSeats plays a match and follows the players through the four rounds by
// the seat table (2.14), the deal passing after each of sixteen hands.
func TestMCRSeats(t *testing.T) {
	t.Parallel()
	// Who sits east, south, west and north in each round.
	seats := [4][4]sim.Player{{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 1, 0}, {3, 2, 0, 1}}
	m := sim.Match{Seed: 5}
	m.Play(load(t, "mcr_2006"), &closeds)
	hands, round := 0, -1
	points := [4]int32{}
	for _, e := range m.Events {
		switch e.Type {
		case sim.EvSeats:
			round++
			var got [4]sim.Player
			for chair := range got {
				got[chair] = sim.Player(e.Value >> (8 * chair) & 255)
			}
			if got != seats[round] || e.Tile != tile.NoFace {
				t.Errorf("round %d: seats %v, wind %v; want %v", round, got, e.Tile, seats[round])
			}
		case sim.EvHandStart:
			number, index, counter, _ := e.HandStart()
			if number != round || e.Player != seats[hands/4][hands%4] || index != 0 || counter != 0 {
				t.Errorf("hand %d: round %d, dealer %d, deal %d, counter %d; want round %d, dealer %d",
					hands, number, e.Player, index, counter, hands/4, seats[hands/4][hands%4])
			}
			hands++
		case sim.EvPay:
			from, to, amount, _ := e.Pay()
			points[from] -= amount
			points[to] += amount
		}
	}
	if hands != 16 || m.Final.Points != points {
		t.Errorf("%d hands, points %v; by the payments %v", hands, m.Final.Points, points)
	}
}

// TestBotzoneRoundWind checks that a match has a round wind of its own, drawn from
// the seed (2.15): all four, about equally often, told by the first event and shown
// by the views.
func TestBotzoneRoundWind(t *testing.T) {
	t.Parallel()
	r := load(t, "botzone")
	var seen [4]int
	const matches = 400
	for seed := range uint64(matches) {
		table := sim.NewTable(r, seed)
		first := table.StartHand(nil)[0]
		w := table.View(2).RoundWind()
		seen[w]++
		if first.Type != sim.EvSeats || first.Tile != tile.Face(w.Kind()) {
			t.Fatalf("seed %d: round wind %v, event %+v", seed, w, first)
		}
	}
	for w, n := range seen {
		if n < matches/4-40 || n > matches/4+40 {
			t.Errorf("%d of %d matches have the round wind %v", n, matches, tile.Wind(w))
		}
	}
	// It is the wind that counts: a pung of it is worth a prevalent wind.
	for seed := range uint64(20) {
		table := sim.NewTable(r, seed)
		w := table.View(0).RoundWind()
		if w == tile.Wind(0) {
			continue
		}
		k := tile.Face(w.Kind()).String()
		s := newScript(t, "round wind", "E "+k+k+k+"123789m456p9s\nwall E 9s")
		wall, _, err := s.setup.wall(r)
		if err != nil {
			t.Fatal(err)
		}
		table.StartHandFrom(wall, nil)
		_, v := table.Appraise(0)
		prevalent := false
		for _, p := range v.Patterns[:v.NumPatterns] {
			prevalent = prevalent || r.Patterns()[p.Pattern].ID == "prevalent_wind"
		}
		if !prevalent {
			t.Errorf("seed %d: no prevalent wind for a pung of %v", seed, w)
		}
	}
}

// late plays like closed until its n-th decision, which it answers illegally.
type late struct{ n uint32 }

func (l late) Act(v sim.View) sim.Action {
	if v.Decision() >= l.n {
		return sim.NoAction
	}
	return closed.Act(v)
}

// TestBotzoneForfeit checks that an illegal answer ends a match of botzone: -30 for
// the offender, +10 for each other player (2.15), and that the replay of its actions
// ends in the same way.
func TestBotzoneForfeit(t *testing.T) {
	t.Parallel()
	r := load(t, "botzone")
	forfeits := 0
	for seed := range uint64(20) {
		offender := sim.Player(seed % 4)
		agents := [4]sim.Agent{closed, closed, closed, closed}
		agents[offender] = late{uint32(seed / 2)}
		m := sim.Match{Seed: seed}
		m.Play(r, &agents)
		if m.Forfeited == 0 {
			continue // the hand was over before
		}
		forfeits++
		want := [4]int32{10, 10, 10, 10}
		want[offender] = -30
		if m.Forfeited != 1<<offender || m.Final.Points != want || m.Final.Rank[offender] != 4 {
			t.Errorf("seed %d: forfeited %04b, points %v, ranks %v", seed, m.Forfeited, m.Final.Points, m.Final.Rank)
		}
		again := sim.Match{Seed: seed}
		if err := again.Replay(r, m.Actions, m.Forfeited); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !slices.Equal(again.Events, m.Events) || again.Final != m.Final || again.Forfeited != m.Forfeited {
			t.Errorf("seed %d: the replayed match is another", seed)
		}
		if err := again.Replay(r, m.Actions, 0); err == nil {
			t.Errorf("seed %d: the actions alone make a match", seed)
		}
	}
	if forfeits < 10 {
		t.Errorf("only %d of 20 matches were forfeited", forfeits)
	}
}

// TestMCRForfeit checks that under mcr_2006 an illegal answer costs nothing: the
// match is played to its end with default answers, which pass and discard the drawn
// tile.
func TestMCRForfeit(t *testing.T) {
	t.Parallel()
	r := load(t, "mcr_2006")
	m := sim.Match{Seed: 3}
	m.Keep = sim.KeepChoices
	m.Play(r, &[4]sim.Agent{closed, late{7}, closed, closed})
	if m.Forfeited != 1<<1 || len(m.Hands) != 16 {
		t.Fatalf("forfeited %04b after %d hands", m.Forfeited, len(m.Hands))
	}
	answers, forfeits := 0, 0
	for i, c := range m.Choices {
		if c.Player != 1 {
			continue
		}
		if answers++; answers > 7 && m.Actions[i] != sim.DefaultAction(&c.Legal) {
			t.Fatalf("answer %d is %v", answers, m.Actions[i])
		}
	}
	for _, e := range m.Events {
		if e.Type == sim.EvForfeit {
			forfeits++
		}
	}
	if sum := m.Final.Points[0] + m.Final.Points[1] + m.Final.Points[2] + m.Final.Points[3]; sum != 0 || forfeits != 1 {
		t.Errorf("points %v, %d forfeits", m.Final.Points, forfeits)
	}
	again := sim.Match{Seed: 3}
	if err := again.Replay(r, m.Actions, m.Forfeited); err != nil || again.Final != m.Final {
		t.Errorf("replay: %v, %+v", err, again.Final)
	}
}

// TestMCRHiddenKan checks who knows the kind of a concealed kong (2.13): during the
// hand the owner alone, in views, events and re-deals; when it ends everybody.
func TestMCRHiddenKan(t *testing.T) {
	t.Parallel()
	p := newScript(t, "hidden kong", `
		E 1111m | 5z
		E closed_kan 1m
		E discard drawn`).run(t, "mcr_2006")
	r := p.rules
	for q := range sim.Player(4) {
		v := p.table.View(q)
		want, unseen := tile.NoKind, 4
		if q == 0 {
			want, unseen = tile.Kind(0), 0
		}
		if m := v.Meld(0, 0); m.Type != hand.ClosedKan || m.Kind != want {
			t.Errorf("player %d sees the meld %+v", q, m)
		}
		held := v.Hand()
		if got := v.Unseen(0); got != unseen-held.Count(0) || got != int(v.UnseenCounts()[0]) || v.Visible(0) != 0 {
			t.Errorf("player %d: %d tiles of 1m unseen, %d visible", q, got, v.Visible(0))
		}
		for _, e := range p.events {
			if e.Type == sim.EvClosedKan && e.SeenBy(q, &r.Flow).Tile.Kind() != want {
				t.Errorf("player %d is told of %v", q, e.SeenBy(q, &r.Flow).Tile)
			}
		}
	}
	kinds := map[tile.Kind]bool{}
	for seed := range uint64(40) {
		d := p.table.View(1).Redeal(seed)
		kinds[d.View(0).Meld(0, 0).Kind] = true
	}
	if len(kinds) < 10 {
		t.Errorf("the kong is re-dealt as one of %d kinds", len(kinds))
	}
	if err := p.play("run"); err != nil {
		t.Fatal(err)
	}
	reveals := 0
	for _, e := range p.events {
		if e.Type == sim.EvReveal {
			reveals++
			if e.SeenBy(2, &r.Flow) != (sim.Event{Type: sim.EvReveal, Player: 0, Tile: 0, Detail: 1}) {
				t.Errorf("revealed %+v", e)
			}
		}
	}
	if reveals != 1 {
		t.Errorf("%d concealed kongs were revealed", reveals)
	}
}

// unseenFans are the fans that the long run of TestMCRFans did not meet when it was
// last looked at; docs/rules/mcr.md lists them.
var unseenFans = []string{"nine_gates", "all_terminals", "quadruple_chow"}

// TestMCRFans plays hands of greedy and of more aggressive players and counts the
// fans of their wins. The log names those that did not occur.
func TestMCRFans(t *testing.T) {
	r := load(t, "mcr_2006")
	factory, err := agents.New("greedy")
	if err != nil {
		t.Fatal(err)
	}
	greedy := factory()
	hands, wins := 0, 0
	counts := make([]int, len(r.Patterns()))
	m := sim.Match{Keep: sim.KeepValues}
	for _, four := range [][4]sim.Agent{{greedy, greedy, greedy, greedy}, {greedy, eager, closed, kanner}, eagers, kanners} {
		for m.Seed = range uint64(sample(60, 30000)) {
			m.Play(r, &four)
			hands += len(m.Hands)
			wins += len(m.Values)
			for i := range m.Values {
				v := &m.Values[i]
				for _, p := range v.Patterns[:v.NumPatterns] {
					counts[p.Pattern]++
				}
			}
		}
	}
	var unseen []string
	for i, p := range r.Patterns() {
		if counts[i] > 0 {
			continue
		}
		unseen = append(unseen, p.ID)
		if common := i >= len(counts)-24; common || sample(0, 1) == 1 && !slices.Contains(unseenFans, p.ID) {
			t.Errorf("%s does not occur in %d hands", p.ID, hands)
		}
	}
	t.Logf("%d hands, %d wins; not seen: %s", hands, wins, strings.Join(unseen, ", "))
}

// TestMCRRedealFlowers checks who may hold flowers in a re-deal under the optional
// rule: those who have drawn tiles and kept them, for the dealt ones are replaced.
func TestMCRRedealFlowers(t *testing.T) {
	t.Parallel()
	p := newScript(t, "flowers", `
		with flowers = "optional"
		E | 5z
		draws 1f2z3z4z
		tail 6z
		E discard drawn
		S flower 1f
		S discard drawn
		W discard spare
		N discard drawn
		? turn E`).run(t, "mcr_2006")
	const deals = 600
	held := [4]int{}
	for seed := range uint64(deals) {
		d := p.table.View(0).Redeal(seed)
		for q := range sim.Player(4) {
			held[q] += bits.OnesCount8(d.View(q).HeldFlowers())
		}
		if n := d.View(0).ConcealedLen(2); n != 13 {
			t.Fatalf("player 2 holds %d tiles, flowers among them; want 13", n)
		}
		// Flowers held count as well when they are dealt anew.
		again := d.View(0).Redeal(seed + 1)
		if n := again.View(0).ConcealedLen(2); n != 13 {
			t.Fatalf("player 2, who held flowers %08b, is dealt %d tiles; want 13", d.View(2).HeldFlowers(), n)
		}
	}
	// One tile of West's is as likely a flower as any of the wall.
	left := p.table.View(0).TilesLeft()
	if want := deals * 7 / (left + 1); held[0]+held[1]+held[3] != 0 || held[2] < want/2 || held[2] > 2*want {
		t.Errorf("flowers in %d re-deals: %v, want about %d with player 2 and none elsewhere", deals, held, want)
	}
	// What the viewer has drawn and kept he knows: no place for any of them.
	p.table.Keep(0, 14)
	p.table.Keep(2, 13)
	n := 0
	for seed := range uint64(deals) {
		d := p.table.View(0).Redeal(seed)
		n += bits.OnesCount8(d.View(2).HeldFlowers())
	}
	if want := deals * 7 * 13 / (left + 13); n < want*95/100 || n > want*105/100 {
		t.Errorf("flowers in %d re-deals among thirteen tiles drawn: %d, want about %d", deals, n, want)
	}
}
