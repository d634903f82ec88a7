package hktw_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// account is a match as the pull sees it: what has been paid, in half points, and
// what is owed.
type account struct {
	points [ruleset.NumPlayers]int
	ledger ruleset.Ledger
}

// settle plays a settlement through the scorer, or the end of the match.
func (a *account) settle(s *ruleset.Settlement, do func(*ruleset.Settlement)) {
	s.Ledger = a.ledger
	do(s)
	a.ledger = s.Ledger
	moved := rulestest.Net(s)
	for c := range a.points {
		a.points[c] += moved[c]
	}
}

// player returns the chair of A, B, C or D.
func player(name string) ruleset.Chair { return ruleset.Chair(name[0] - 'A') }

// TestSequences follows the sixteen worked sequences ([H] 3.6).
func TestSequences(t *testing.T) {
	type step struct {
		Event, Kind  string
		Wins         map[string]int
		From, To     string
		Flowers      bool
		Dealer       string
		Streak       int
		HalfPoints   int            `json:"half_points"`
		Ledger       map[string]int // points by "A<-B"
		HalfBalances map[string]int `json:"half_balances"`
	}
	type sequence struct {
		Sequence int
		Title    string
		Steps    []step
	}
	r := rulestest.Rules(t, "hkma_hktw", nil)
	sequences := 0
	rulestest.EachLine(t, "testdata/pull.jsonl", func(_ []byte, c sequence) {
		sequences++
		t.Run(fmt.Sprint(c.Sequence), func(t *testing.T) {
			var a account
			for i, st := range c.Steps {
				switch st.Kind {
				case "win":
					s := ruleset.Settlement{From: ruleset.NoChair, Counter: st.Streak}
					if st.From != "" {
						s.From = player(st.From)
					}
					if st.Dealer != "" {
						s.Dealer = player(st.Dealer)
					}
					for name, points := range st.Wins {
						v := ruleset.Value{Base: int32(points), FlowerWin: st.Flowers}
						if st.Dealer != "" {
							v.DealerItems = 1
						}
						s.Winners[s.NumWinners] = ruleset.Winner{Chair: player(name), Responsible: s.From, Value: v}
						s.NumWinners++
					}
					a.settle(&s, r.Settle)
				case "drawn":
					a.settle(&ruleset.Settlement{}, r.Drawn)
				case "end":
					a.settle(&ruleset.Settlement{}, r.Scorer.(ruleset.DebtCollector).Collect)
				case "award":
					for c := range a.points {
						if to := player(st.To); ruleset.Chair(c) != to {
							a.points[c] -= st.HalfPoints
							a.points[to] += st.HalfPoints
						}
					}
				default:
					t.Fatalf("step %d: kind %q", i+1, st.Kind)
				}
				ledger, balances := map[string]int{}, map[string]int{}
				for x, row := range a.ledger {
					balances[string(rune('A'+x))] = a.points[x]
					for y, d := range row {
						if d.Points != 0 {
							ledger[fmt.Sprintf("%c<-%c", 'A'+x, 'A'+y)] = int(d.Points) / 2
						}
					}
				}
				if diff := cmp.Diff(st.Ledger, ledger); diff != "" {
					t.Fatalf("step %d, %s: debts, -want +got:\n%s", i+1, st.Event, diff)
				}
				if diff := cmp.Diff(st.HalfBalances, balances); diff != "" {
					t.Fatalf("step %d, %s: balances, -want +got:\n%s", i+1, st.Event, diff)
				}
			}
		})
	})
	if sequences != 16 {
		t.Errorf("%d sequences, want 16", sequences)
	}
}

// pullVariants are the knobs of payments at each value.
var pullVariants = []map[string]any{
	nil,
	{"pull_growth": 2, "pull_growth_round": "floor", "pull_half_round": "ceil"},
	{"pull_growth_round": "half_up", "pull_half_round": "half_up", "pull_end_of_match": "half"},
	{"pull_growth_round": "floor", "pull_creditor_and_outsider": "settle_then_new", "pull_end_of_match": "void"},
	{"pull_both_win_off_third": "hold", "dealer_item_on_self_draw": "all_pay"},
	{"pull_outsider_also_wins": "hold", "pull_creditor_and_outsider": "settle_then_new", "pull_both_win_off_third": "hold"},
	{"pull_outsider_also_wins": "hold", "dealer_item_on_dealer_discard_win": false},
	{"pull_applies_to_flower_win": false, "dealer_item": 3, "dealer_item_per_repeat": 0},
	{"pull_enabled": false},
}

func randomHand(r *rand.Rand) ruleset.Settlement {
	s := ruleset.Settlement{From: ruleset.NoChair, Dealer: ruleset.Chair(r.IntN(4)), Counter: r.IntN(4)}
	chairs := r.Perm(4)
	winners := 1
	if r.IntN(3) > 0 {
		s.From = ruleset.Chair(chairs[3])
		winners = 1 + max(0, r.IntN(5)-2)
	}
	flowers := winners == 1 && r.IntN(8) == 0
	for _, c := range chairs[:winners] {
		v := ruleset.Value{Base: int32(r.IntN(60)), FlowerWin: flowers, DealerItems: uint8(r.IntN(3))}
		s.Winners[s.NumWinners] = ruleset.Winner{Chair: ruleset.Chair(c), Responsible: s.From, Value: v}
		s.NumWinners++
	}
	return s
}

// TestPull compares the pull with its rules as they are written, debts as a map
// from a pair of letters to an amount, over matches at random.
func TestPull(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for i, overrides := range pullVariants {
		r := rulestest.Rules(t, "hkma_hktw", overrides)
		knob := func(key, word string) bool { return overrides[key] == word }
		for range rulestest.Sample(200, 20_000) {
			var a account
			debts := map[string]int{}
			points := map[byte]int{}
			move := func(from, to byte, n int) { points[from] -= n; points[to] += n }
			for range 8 {
				s := randomHand(rng)
				if rng.IntN(6) == 0 {
					a.settle(&s, r.Drawn)
					continue
				}
				due, flowers := dueOf(&s, overrides)
				a.settle(&s, r.Settle)
				if overrides["pull_enabled"] == false ||
					flowers && overrides["pull_applies_to_flower_win"] == false {
					for pair, n := range due {
						move(pair[1], pair[0], n)
					}
				} else {
					debts = pulled(debts, due, overrides, move)
				}
				compare(t, i, &a, debts, points)
			}
			a.settle(&ruleset.Settlement{}, r.Scorer.(ruleset.DebtCollector).Collect)
			for pair, n := range debts {
				switch {
				case knob("pull_end_of_match", "half"):
					move(pair[1], pair[0], rounded(n, 2, overrides["pull_half_round"], "floor"))
				case !knob("pull_end_of_match", "void"):
					move(pair[1], pair[0], n)
				}
			}
			compare(t, i, &a, nil, points)
		}
	}
}

func rounded(n, d int, word any, usual string) int {
	if word == nil {
		word = usual
	}
	q := n / d
	if n%d != 0 && (word == "ceil" || word == "half_up" && 2*(n%d) >= d) {
		q++
	}
	return q
}

// dueOf returns what each winner is owed, by the letters of winner and payer.
func dueOf(s *ruleset.Settlement, overrides map[string]any) (due map[string]int, flowers bool) {
	due = map[string]int{}
	letter := func(c ruleset.Chair) string { return string(rune('A' + c)) }
	item := 1 + 2*s.Counter
	if overrides["dealer_item"] == 3 {
		item = 3
	}
	for _, w := range s.Winners[:s.NumWinners] {
		flowers = flowers || w.Value.FlowerWin
		for c := range ruleset.Chair(4) {
			if c == w.Chair || s.From != ruleset.NoChair && c != s.From {
				continue
			}
			adds := c == s.Dealer
			if s.From == ruleset.NoChair {
				adds = adds || w.Chair == s.Dealer || overrides["dealer_item_on_self_draw"] == "all_pay"
			} else if w.Chair == s.Dealer {
				adds = overrides["dealer_item_on_dealer_discard_win"] != false
			}
			n := int(w.Value.Base)
			if adds {
				n += int(w.Value.DealerItems) * item
			}
			due[letter(w.Chair)+letter(c)] = n
		}
	}
	return due, flowers
}

// pulled returns the debts after a won hand ([H] 3.3, 3.5).
func pulled(debts, due map[string]int, overrides map[string]any, move func(from, to byte, n int)) map[string]int {
	next := map[string]int{}
	var winners string
	for pair := range due {
		if !strings.Contains(winners, pair[:1]) {
			winners += pair[:1]
		}
	}
	used := map[string]bool{}
	for pair, n := range debts {
		a, b := pair[:1], pair[1:]
		again, grows := due[pair]
		_, back := due[b+a]
		outsider := len(winners) > 1
		switch {
		case grows && outsider && overrides["pull_creditor_and_outsider"] == "settle_then_new":
			move(b[0], a[0], n)
		case grows:
			factor := 3
			if overrides["pull_growth"] == 2 {
				factor = 4
			}
			next[pair] = rounded(factor*n, 2, overrides["pull_growth_round"], "ceil") + again
			used[pair] = true
		case back:
			move(b[0], a[0], rounded(n, 2, overrides["pull_half_round"], "floor"))
		case winners == a,
			strings.Contains(winners, a) && strings.Contains(winners, b) && overrides["pull_both_win_off_third"] == "hold",
			strings.Contains(winners, a) && !strings.Contains(winners, b) && overrides["pull_outsider_also_wins"] == "hold":
			next[pair] = n
		default:
			move(b[0], a[0], n)
		}
	}
	for pair, n := range due {
		if !used[pair] {
			next[pair] = n
		}
	}
	return next
}

// compare holds an account, in half points, against debts and points.
func compare(t *testing.T, variant int, a *account, debts map[string]int, points map[byte]int) {
	t.Helper()
	var want account
	for pair, n := range debts {
		want.ledger[pair[0]-'A'][pair[1]-'A'].Points = int32(2 * n)
	}
	for name, n := range points {
		want.points[name-'A'] = 2 * n
	}
	got := *a
	for x := range got.ledger {
		for y := range got.ledger[x] {
			d := &got.ledger[x][y]
			if (d.Points == 0) != (d.Wins == 0) {
				t.Fatalf("variant %d: debt %+v", variant, *d)
			}
			d.Wins = 0
		}
	}
	if got != want {
		t.Fatalf("variant %d: %+v, want %+v", variant, got, want)
	}
}

// TestLedgerLaws checks what holds of the league's ledger in every match ([H] 3.2).
func TestLedgerLaws(t *testing.T) {
	r := rulestest.Rules(t, "hkma_hktw", nil)
	rng := rand.New(rand.NewPCG(2, 2))
	for range rulestest.Sample(500, 20_000) {
		var a, seats account
		turn := ruleset.Chair(1 + rng.IntN(3)) // the same match with everybody moved on
		for range 10 {
			s := randomHand(rng)
			moved := s
			moved.Dealer = s.Dealer.Next(int(turn))
			if s.From != ruleset.NoChair {
				moved.From = s.From.Next(int(turn))
			}
			for i := range moved.Winners[:moved.NumWinners] {
				w := &moved.Winners[i]
				w.Chair, w.Responsible = w.Chair.Next(int(turn)), moved.From
			}
			a.settle(&s, r.Settle)
			seats.settle(&moved, r.Settle)
			checkLaws(t, &s, &a)
			for x := range ruleset.Chair(4) {
				if a.points[x] != seats.points[x.Next(int(turn))] {
					t.Fatalf("points %v, moved on by %d %v", a.points, turn, seats.points)
				}
				for y := range ruleset.Chair(4) {
					if a.ledger[x][y] != seats.ledger[x.Next(int(turn))][y.Next(int(turn))] {
						t.Fatalf("debts %v, moved on by %d %v", a.ledger, turn, seats.ledger)
					}
				}
			}
		}
		a.settle(&ruleset.Settlement{}, r.Scorer.(ruleset.DebtCollector).Collect)
		if a.ledger != (ruleset.Ledger{}) {
			t.Fatalf("debts %v after the match", a.ledger)
		}
	}
}

func checkLaws(t *testing.T, s *ruleset.Settlement, a *account) {
	t.Helper()
	var winners []ruleset.Chair
	for _, w := range s.Winners[:s.NumWinners] {
		winners = append(winners, w.Chair)
	}
	debts := 0
	for x, row := range a.ledger {
		for y, d := range row {
			if d.Points == 0 {
				continue
			}
			debts++
			if a.ledger[y][x].Points != 0 {
				t.Fatalf("%d and %d owe each other", x, y)
			}
			if !slices.Contains(winners, ruleset.Chair(x)) || len(winners) > 1 && ruleset.Chair(y) != s.From {
				t.Fatalf("%d owes %d after a win of %v off %d", y, x, winners, s.From)
			}
		}
	}
	if sum := a.points[0] + a.points[1] + a.points[2] + a.points[3]; sum != 0 || debts > 3 {
		t.Fatalf("%d debts, points %v", debts, a.points)
	}
}

// TestDebtLimits lets one player win all hands by self-draw: his debts grow
// exactly up to their limit and no further, and are paid in full.
func TestDebtLimits(t *testing.T) {
	r := rulestest.Rules(t, "hkma_hktw", nil)
	var a account
	want := 0
	for wins := 1; wins <= 100; wins++ {
		s := ruleset.Settlement{NumWinners: 1, From: ruleset.NoChair, Dealer: 1}
		s.Winners[0] = ruleset.Winner{Chair: 0, Responsible: ruleset.NoChair, Value: ruleset.Value{Base: 20}}
		a.settle(&s, r.Settle)
		want = min((want*3+1)/2+20, ruleset.MaxDebt/2)
		debt := ruleset.Debt{Points: int32(2 * want), Wins: uint8(min(wins, ruleset.MaxDebtWins))}
		if a.ledger[0] != [4]ruleset.Debt{1: debt, 2: debt, 3: debt} {
			t.Fatalf("after %d wins: debts %v, want %v", wins, a.ledger[0], debt)
		}
	}
	a.settle(&ruleset.Settlement{}, r.Scorer.(ruleset.DebtCollector).Collect)
	if a.points != [4]int{3 * ruleset.MaxDebt, -ruleset.MaxDebt, -ruleset.MaxDebt, -ruleset.MaxDebt} {
		t.Errorf("points %v", a.points)
	}
}

// TestMayCut counts the wins inside a debt.
func TestMayCut(t *testing.T) {
	r := rulestest.Rules(t, "hkma_hktw", map[string]any{"pull_cut_after": 3})
	var a account
	for wins := 1; wins <= 4; wins++ {
		s := ruleset.Settlement{NumWinners: 1, From: 2}
		s.Winners[0] = ruleset.Winner{Chair: 1, Responsible: 2, Value: ruleset.Value{Base: 10}}
		a.settle(&s, r.Settle)
		d := a.ledger[1][2]
		if int(d.Wins) != wins || r.MayCut(d) != (wins >= 3) {
			t.Errorf("after %d wins: debt %+v, may cut %v", wins, d, r.MayCut(d))
		}
	}
	if r := rulestest.Rules(t, "hkma_hktw", nil); r.MayCut(a.ledger[1][2]) {
		t.Error("the league's rules know no cut")
	}
}

// TestFinal checks places and scores, of half points.
func TestFinal(t *testing.T) {
	f := ruleset.Final{Points: [4]int32{-15, 41, -15, -11}, Rounds: 2}
	rulestest.Rules(t, "hkma_hktw", nil).Final(&f)
	if f.Rank != [4]uint8{3, 1, 3, 2} {
		t.Errorf("ranks %v", f.Rank)
	}
	for p, points := range f.Points {
		if 2*f.Placement[p] != ruleset.Placement(points)*ruleset.PlacementUnit {
			t.Errorf("player %d with %d half points scores %v", p, points, f.Placement[p])
		}
	}
}
