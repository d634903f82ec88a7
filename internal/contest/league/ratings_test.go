package league

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/contest/strength"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestLines holds that at most one league of equal bots in twenty has a line between them, and that a
// bot which is clearly better stands above one.
func TestLines(t *testing.T) {
	const bots, leagues, sets = 8, 100, 80
	r := rand.New(rand.NewPCG(50, 8))
	play := func(lead float64) *Standings {
		pool, err := strength.NewPool(bots)
		if err != nil {
			t.Fatal(err)
		}
		for n := range sets {
			lineup := r.Perm(bots)[:sim.NumPlayers]
			var set []strength.Ranking
			for range 4 {
				order := r.Perm(len(lineup))
				if at := slices.Index(lineup, 0); at >= 0 && r.Float64() < lead {
					i := slices.Index(order, at)
					order[0], order[i] = order[i], order[0]
				}
				m := strength.Ranking{Seats: sim.NumPlayers}
				for rank, p := range order {
					m.Agents[p], m.Ranks[p] = uint8(lineup[p]), uint8(rank+1)
				}
				set = append(set, m)
			}
			pool.Add(n, set)
		}
		s := &Standings{index: map[int64]uint8{}}
		if s.ratings, err = pool.Fit(); err != nil {
			t.Fatal(err)
		}
		for i := range bots {
			s.index[int64(i)] = uint8(i)
			s.Bots = append(s.Bots, Standing{Rating: interval.Number(s.ratings.Elo[i]), bot: &Bot{ID: int64(i)}})
		}
		slices.SortFunc(s.Bots, func(a, b Standing) int { return cmp.Compare(b.Rating, a.Rating) })
		s.group()
		return s
	}
	lines, found := 0, 0
	for range leagues {
		if s := play(0); s.Bots[bots-1].Group > 1 {
			lines++
		}
		if s := play(0.7); s.Bots[0].bot.ID == 0 && s.Bots[1].Group == 2 && s.Bots[0].Worst == 1 && s.Bots[1].Best == 2 {
			found++
		}
	}
	t.Logf("%d lines between equal bots, %d below a better one, of %d", lines, found, leagues)
	if lines > 11 || found < 95 {
		t.Errorf("%d lines between equal bots, %d below a better one, of %d", lines, found, leagues)
	}
}

// TestWhyNoInterval holds that a bot without an interval has too few duplicate sets or, as is said then,
// the same result in all.
func TestWhyNoInterval(t *testing.T) {
	few := Standing{Name: "new", Version: 1, Sets: strength.LeastSets - 1, Low: interval.Missing}
	same := Standing{Name: "copy", Version: 2, Sets: 64, Low: interval.Missing}
	if a, b := intervalText(&few), intervalText(&same); a != "3 of 4 duplicate sets" || b != "the same result in every duplicate set" {
		t.Errorf("%q, %q", a, b)
	}
	s := Standings{Bots: []Standing{few, same}}
	if list := s.Remarks(); len(list) != 1 || list[0].String() != "The same result in every duplicate set, so play may be identical: copy 2" {
		t.Error(list)
	}
}
