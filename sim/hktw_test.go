package sim_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestHktwDeal compares the tiles each seat is dealt with their places in the wall:
// four passes of four tiles each (2.3).
func TestHktwDeal(t *testing.T) {
	for dealer := range 4 {
		p, err := newScript(t, "deal", fmt.Sprintf("hand E%d", dealer+1)).setup.start("hkma_hktw")
		if err != nil {
			t.Fatal(err)
		}
		wall := p.table.Wall()
		var got, want [4][]tile.Face
		for _, e := range p.events {
			if e.Type == sim.EvDeal {
				got[p.wind(e.Player)] = append(got[p.wind(e.Player)], dealt(e)...)
			}
		}
		for i := range 64 {
			want[i/4%4] = append(want[i/4%4], wall[i])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("dealer %d: -want +got:\n%s", dealer, diff)
		}
		p.must(t, "? turn E", "? drawn E "+wall[64].String())
	}
}

// pullStep is a step of a worked sequence of the pull.
type pullStep struct {
	Event, Kind  string
	Wins         map[string]int
	From         string
	Dealer       string
	Streak       int
	Ledger       map[string]int // points by "A<-B"
	HalfBalances map[string]int `json:"half_balances"`
}

// TestPullSequences plays the worked sequences of 3.6 at a table: hands that end as
// the steps say, valued as they say. Of sequence 13, in which one player completes
// four flowers and another seven in the same hand, only the numbers are possible;
// testdata/rules/hktw/pull.txt plays the same with other flowers.
func TestPullSequences(t *testing.T) {
	f, err := os.Open("testdata/hktw_pull.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	played := 0
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var c struct {
			Sequence int
			Title    string
			Steps    []pullStep
		}
		if err := json.Unmarshal(sc.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if c.Sequence == 13 {
			continue
		}
		played++
		t.Run(fmt.Sprint(c.Sequence, " ", c.Title), func(t *testing.T) {
			s := series{prices: map[sim.Player]int{}, knobs: map[string]any{"last_dealer_plays_on": false}}
			s.begin(t, "hkma_hktw")
			for i := range c.Steps {
				s.step(t, &c.Steps[i])
			}
		})
	}
	if played != 15 {
		t.Errorf("%d sequences played, want 15", played)
	}
}

// step plays a step of a sequence and compares debts and points.
func (s *series) step(t *testing.T, st *pullStep) {
	t.Helper()
	m := s.table.MatchState()
	at := func() {
		t.Helper()
		var err error
		if s.table, err = sim.NewTableAt(s.rules, 1, m); err != nil {
			t.Fatal(err)
		}
	}
	switch st.Kind {
	case "win":
		if st.Dealer != "" {
			if s.table.Hands() == 0 {
				m.Dealer, m.Counter = playerCalled(st.Dealer), st.Streak
				at()
			}
			if s.dealer() != playerCalled(st.Dealer) || m.Counter != st.Streak {
				t.Fatalf("%s: player %d deals, with streak %d", st.Event, s.dealer(), m.Counter)
			}
			s.items = 1
		}
		var winners []sim.Player
		for name, points := range st.Wins {
			s.prices[playerCalled(name)] = points
			winners = append(winners, playerCalled(name))
		}
		slices.Sort(winners)
		from := winners[0]
		if st.From != "" {
			from = playerCalled(st.From)
		}
		s.win(t, from, winners...)
	case "drawn":
		s.draw(t)
	case "end":
		m.Round, m.Dealer = 1, 3
		at()
		s.draw(t)
		if !s.table.Over() {
			t.Fatal("the match goes on")
		}
	default:
		t.Fatalf("step of kind %q", st.Kind)
	}
	ledger, balances := map[string]int{}, map[string]int{}
	v := s.table.View(0)
	for p, points := range v.Points() {
		balances[string(rune('A'+p))] = int(points)
		for q, d := range v.Debts(sim.Player(p)) {
			if d.Points != 0 {
				ledger[fmt.Sprintf("%c<-%c", 'A'+p, 'A'+q)] = int(d.Points) / 2
			}
		}
	}
	if diff := cmp.Diff(st.Ledger, ledger); diff != "" {
		t.Fatalf("%s: debts, -want +got:\n%s", st.Event, diff)
	}
	if diff := cmp.Diff(st.HalfBalances, balances); diff != "" {
		t.Fatalf("%s: balances, -want +got:\n%s", st.Event, diff)
	}
}

// playerCalled returns the player of a letter from A to D.
func playerCalled(name string) sim.Player { return sim.Player(name[0] - 'A') }

// TestHktwMatch plays two rounds with repeats: the deal stays after drawn hands and
// wins of the dealer, and the walls of a dealer's hands differ although the streak
// starts again after a shared win (2.1, 2.12).
func TestHktwMatch(t *testing.T) {
	s := series{prices: map[sim.Player]int{0: 10, 1: 10, 2: 10, 3: 10}}
	s.begin(t, "hkma_hktw")
	type hand struct {
		Round, Dealer, DealIndex, Counter int
	}
	var hands, want []hand
	note := func() {
		m := s.table.MatchState()
		hands = append(hands, hand{m.Round, int(m.Dealer), m.DealIndex, m.Counter})
	}
	for round := range 2 {
		for dealer := range sim.Player(4) {
			other := (dealer + 1) & 3
			for i, end := range []func(){
				func() { s.draw(t) },                            // n 0 -> 1
				func() { s.win(t, dealer, dealer) },             // 1 -> 2
				func() { s.win(t, (other+1)&3, dealer, other) }, // 2 -> 0
				func() { s.win(t, other, dealer) },              // 0 -> 1
				func() { s.win(t, dealer, other) },              // the deal passes
			} {
				note()
				want = append(want, hand{round, int(dealer), i, []int{0, 1, 2, 0, 1}[i]})
				end()
			}
		}
	}
	if diff := cmp.Diff(want, hands); diff != "" {
		t.Errorf("hands, -want +got:\n%s", diff)
	}
	if !s.table.Over() || s.table.Hands() != 40 || s.table.View(0).Debts(0) != [4]ruleset.Debt{} {
		t.Errorf("over %v after %d hands", s.table.Over(), s.table.Hands())
	}
	seen := map[sim.Wall]bool{}
	for round := range 2 {
		for dealer := range ruleset.Chair(4) {
			for i := range 5 {
				seen[sim.NewWall(&s.rules.Flow, 1, round, dealer, i)] = true
			}
		}
	}
	if len(seen) != 40 {
		t.Errorf("%d different walls", len(seen))
	}
}

// TestUnbeaten lets a dealer win until his debts grow no more. The hand in which
// they are paid is the last, and the scores fit.
func TestUnbeaten(t *testing.T) {
	s := series{prices: map[sim.Player]int{0: 100, 1: 10}}
	s.begin(t, "hkma_hktw")
	for range 40 {
		s.win(t, 0, 0)
	}
	most := ruleset.Debt{Points: ruleset.MaxDebt, Wins: 40}
	if got := s.table.View(0).Debts(0); got != [4]ruleset.Debt{1: most, 2: most, 3: most} {
		t.Fatalf("debts %v", got)
	}
	s.win(t, 2, 1)
	if !s.table.Over() || !s.table.Truncated() {
		t.Fatal("the match goes on")
	}
	f := s.table.Final()
	if want := [4]int32{3 * ruleset.MaxDebt, 20 - ruleset.MaxDebt, -20 - ruleset.MaxDebt, -ruleset.MaxDebt}; f.Points != want {
		t.Errorf("points %v, want %v", f.Points, want)
	}
	for p, points := range f.Points {
		if want := int(points) * ruleset.PlacementUnit / 2; int(f.Placement[p]) != want {
			t.Errorf("player %d scores %d, want %d", p, f.Placement[p], want)
		}
	}
}

// TestCreditor asks a debtor about his debts one by one; every view tells which.
func TestCreditor(t *testing.T) {
	p := newScript(t, "cut", `
		with pull_cut_after = 1
		debt S N 20 1
		debt W N 12 1
		run`).run(t, "hkma_hktw")
	for _, creditor := range []sim.Player{1, 2, -1} {
		for q := range sim.Player(4) {
			if got := p.table.View(q).Creditor(); got != creditor {
				t.Errorf("player %d sees creditor %d, want %d", q, got, creditor)
			}
		}
		if creditor >= 0 {
			p.must(t, "? asked N", "N pass")
		}
	}
	p.must(t, "? phase deal")
}

// The variations of the preset. The referee knows the first kind; of the others only
// the invariants hold that all rules share.
var (
	hktwKnobs = []knobs{
		{"flowers": "none"},
		{"opening_flowers": "round_robin"},
		{"replacement_order": "linear"},
		{"replacement_from": "front"},
		{"deal": "sequential"},
		{"deal_turn": "backward"},
		{"dead_wall": 14},
		{"rounds": 1},
		{"rounds": 1, "hands_per_round": 2, "dealer_stays_on_draw": "never"},
		{"starting_points": 25},
		{"dealer_stays_on_win": "alone"},
		{"dealer_stays_on_win": "never", "dealer_stays_on_draw": "never"},
		{"counter_on_shared_win": "plus_one"},
		{"counter_on_draw_kept": "keep"},
		{"counter_on_draw_kept": "reset"},
		{"dealer_stays_on_draw": "never", "counter_on_draw_passed": "plus_one"},
		{"last_dealer_plays_on": false, "rounds": 1, "dealer_stays_on_draw": "never"},
		{"chi_from": "any"},
		{"swap_ban": "none"},
		{"swap_ban": "same_tile"},
		{"kan_after_claim": true},
		{"kan_after_claim": true, "kan_on_fresh_pon": true},
		{"kan_min_wall": 0},
		{"kan_min_wall": 0, "last_discard_claims": "all"},
		{"kan_min_wall": 3},
		{"max_kans": 1},
		{"closed_kan_visible": false},
		{"last_discard_claims": "all"},
		{"multi_win": "nearest"},
		{"rob_added_kan": false},
		{"rob_closed_kan": "orphans"},
		{"rob_closed_kan": "always"},
		{"ready": "none"},
		{"ready_closed_only": true},
		{"ready_kan": "waits_same"},
		{"live_wait": "none"},
		{"live_wait": "concealed"},
		{"one_shot": false},
		{"one_shot_broken_by": "nothing"},
		{"ready_initial_window": false},
		{"ready_tiers": "off"},
		{"ready_tiers": "first_discard"},
		{"river_lock": "kind"},
		{"pass_lock": "off"},
		{"pass_lock": "kind"},
		{"pass_lock_ends": "own_discard"},
		{"pass_lock_ends": "own_draw_or_call"},
		{"pass_lock_ends": "any_call"},
		{"pass_lock_ends": "any_own_draw"},
		{"pass_lock_set_by": "legal_win"},
		{"pass_lock_on_own_draw": false},
		{"pass_lock_on_rob": false},
		{"pass_lock_blocks_self_draw": false},
		{"pass_lock_final_when_ready": false},
		{"pass_lock_from_deal": false},
		{"locks_block_rob": false},
		{"pon_pass": "off"},
		{"pon_pass": "own_discard"},
		{"win_pass_on_flower_decline": true},
		{"flower_win_eight": false},
		{"flower_win_seven_rob_one": false},
		{"flower_win_optional": false},
		{"flower_win_in_opening": false},
		{"flower_win_adds_base": true},
		{"di_points": 0},
		{"di_points": 7},
		{"award_grass_di": 2, "award_flower_set_di": 0},
		{"award_grass_once": false},
		{"award_grass_and_set_together": false},
		{"award_seven_rob_one_di": 0, "award_eight_flowers_di": 0.5},
		{"award_concealed_kong_di": 0},
		{"award_concealed_kong_escalates": true},
		{"award_chase_outer_di": 0, "award_chase_inner_di": 3},
		{"chase_scope": "off"},
		{"chase_scope": "first_go_around"},
		{"base_fan": 0, "fan_cap": 40},
	}
	otherHktwKnobs = []knobs{
		{"dealer_extra_tile": "dealt"},
		{"min_win": 30},
		{"flower_win_adds_dealer": true},
		{"dealer_item": 3, "dealer_item_per_repeat": 0},
		{"dealer_item_on_dealer_discard_win": false},
		{"dealer_item_on_self_draw": "all_pay"},
		{"pull_enabled": false},
		{"pull_growth": 2, "pull_growth_round": "floor", "pull_half_round": "ceil"},
		{"pull_growth_round": "half_up", "pull_half_round": "half_up"},
		{"pull_creditor_and_outsider": "settle_then_new"},
		{"pull_both_win_off_third": "hold"},
		{"pull_outsider_also_wins": "hold"},
		{"pull_end_of_match": "void"},
		{"pull_end_of_match": "half"},
		{"pull_cut_after": 1},
		{"pull_cut_after": 2, "pull_both_win_off_third": "hold"},
		{"pull_applies_to_flower_win": false},
		{"thirteen_orphans_kong": "none"},
		{"thirteen_orphans_kong": "concealed"},
		{"lik_gu_quad_as_two_pairs": false},
		{"disjoint_min_gap": 2},
		{"disjoint_pair": "honor"},
		{"lik_gu_double_dealer": true},
		{"early_counts_winning_discard": false, "early_counts_called_tiles": true},
		{"true_last_mode": "rivers_only"},
		{"placement_tie": "seat_order"},
	}
)

// TestHktwKnobs plays matches under every variation, and under several at once.
func TestHktwKnobs(t *testing.T) { playKnobs(t, "hkma_hktw", hktwKnobs, otherHktwKnobs) }

// TestCutAfterEveryHand asks whether a debt is to be cut after each hand anew, not only
// after the first (knob pull_cut_after).
func TestCutAfterEveryHand(t *testing.T) {
	p := newScript(t, "cut", `
		with pull_cut_after = 3
		debt E S 20 3
		run
		? asked S
		S pass
		? phase deal`).run(t, "hkma_hktw")
	for hand := range 3 {
		p.events = p.table.StartHand(p.events)
		if err := p.playOn(p.ended); err != nil {
			t.Fatal(err)
		}
		debtor := p.seat(tile.Wind(1))
		if legal := p.table.Legal(debtor); !legal.Has(sim.ActCutDebt) {
			t.Fatalf("after %d more hands the debtor may not cut the debt: phase %v", hand+1, p.table.Phase())
		}
		if err := p.step(debtor, sim.ActPass); err != nil {
			t.Fatal(err)
		}
	}
}
