package stats

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestVariances makes up matches of which the parts of the variance are known and
// finds them again.
func TestVariances(t *testing.T) {
	const sets = 20000
	for _, test := range []struct {
		name  string
		set   int
		seats int
		order func(rotation int) []int
	}{
		{"single matches", 1, 4, nil},
		{"four rotations", 4, 4, rotation(4)},
		{"all orders", 24, 4, nthOrder},
		{"single matches of three", 1, 3, nil},
		{"three rotations", 3, 3, rotation(3)},
		{"all orders of three", 6, 3, func(k int) []int { return nthOrder(18 + k)[1:] }},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, uint64(test.set)))
			got := madeUpSkill(r, sets/test.set, test.set, test.seats, test.order)
			const walls, play = madeUpWalls, madeUpPlay
			part, skill := 0.75, 5.0
			if test.seats == 3 {
				part, skill = 2.0/3, 8.0/3
			}
			near(t, "skill", float64(got.Skill.Variance), skill, 0.5)
			total := skill + part*(walls*walls+play*play)
			near(t, "total", float64(got.Total.Variance), total, 0.04*total)
			if test.set == 1 {
				if got.Walls.Variance.Known() {
					t.Errorf("luck of the walls is %v without duplicates", got.Walls.Variance)
				}
				near(t, "rest", float64(got.Rest.Variance), total-skill, 0.04*total)
			} else {
				near(t, "walls", float64(got.Walls.Variance), part*walls*walls, 2.5)
				near(t, "rest", float64(got.Rest.Variance), part*play*play, 2.5)
			}
			for _, c := range []Component{got.Skill, got.Rest} {
				if !(c.Low < c.Share && c.Share < c.High) || c.High-c.Low > 0.1 {
					t.Errorf("share %v has the interval [%v, %v]", c.Share, c.Low, c.High)
				}
			}
			p := got.Pairs[0]
			near(t, "a - b", p.Difference.Value, 2, 0.6)
			single := math.Sqrt(2 * (walls*walls + play*play))
			near(t, "deviation", float64(p.Deviation), single, 0.05*single)
			paired := single
			if test.set > 1 {
				paired = math.Sqrt(2) * play // the walls cancel
			}
			near(t, "paired deviation", float64(p.PairedDeviation), paired, 0.07*paired)
			z := 1.959964 + 0.841621
			want := math.Pow(z*float64(p.PairedDeviation)/p.Difference.Value, 2)
			near(t, "matches needed", float64(p.Needed), want, 2)
		})
	}
}

// The deviations of what walls and play add to the results of madeUpSkill.
const madeUpWalls, madeUpPlay = 6.0, 10.0

// madeUpSkill makes up sets of matches of four agents, who score 3, 1, -1 and -3 in the
// mean, and tells what their skill is found to be. order seats the agents in a match of a
// set; they sit by chance where it is nil. Scores of a match sum to zero, so an independent
// part of variance v leaves 3/4 v. Three agents are the first three, and 2/3 v is left.
func madeUpSkill(r *rand.Rand, sets, set, players int, order func(rotation int) []int) *Skill {
	s := newSkillSums(placementScores, players, []string{"a", "b", "c", "d"}[:players], []int{0, 1, 2, 3}[:players], set)
	skill := [sim.NumPlayers]float64{3, 1, -1, -3}
	var number uint64
	for range sets {
		var luck [sim.NumPlayers]float64
		for p := range luck {
			luck[p] = madeUpWalls * r.NormFloat64()
		}
		for k := range set {
			seats := []int{0, 1, 2, 3}[:players]
			if order != nil {
				seats = order(k)
			} else {
				r.Shuffle(players, func(i, j int) { seats[i], seats[j] = seats[j], seats[i] })
			}
			var score [sim.NumPlayers]float64
			mean := 0.0
			for p, a := range seats {
				score[p] = skill[a] + luck[p] + madeUpPlay*r.NormFloat64()
				mean += score[p] / float64(players)
			}
			m := &match{players: make([]schema.MatchRow, players)}
			for p, a := range seats {
				m.players[p].Match, m.players[p].Agent = number, uint8(a)
				m.players[p].Seating = uint8(number % uint64(set))
				m.players[p].Placement = int32(math.Round((score[p] - mean) * ruleset.PlacementUnit))
			}
			s.add(m)
			number++
		}
	}
	return s.estimate()
}

// rotation returns the function that returns the n-th rotation of some players.
func rotation(players int) func(n int) []int {
	return func(n int) (seats []int) {
		for p := range players {
			seats = append(seats, (p+n)%players)
		}
		return seats
	}
}

// TestCoverageOfSkill makes up tournaments and counts how often the intervals of the parts
// of skill and luck, and of what tells agents apart, hold the truth. With -v it prints rows
// of the table of docs/research/measurements.md.
func TestCoverageOfSkill(t *testing.T) {
	trials, sets := 100, 50
	if long {
		trials, sets = 2000, 200
	}
	const part, skill = 0.75, 5.0
	const walls, play = part * madeUpWalls * madeUpWalls, part * madeUpPlay * madeUpPlay
	const total = skill + walls + play
	r := rand.New(rand.NewPCG(12, 22))
	held := map[string]int{}
	hold := func(name string, low, high interval.Number, truth float64) {
		if float64(low) <= truth && truth <= float64(high) {
			held[name]++
		}
	}
	for range trials {
		k := madeUpSkill(r, sets, 4, 4, rotation(4))
		hold("skill", k.Skill.Low, k.Skill.High, skill/total)
		hold("walls", k.Walls.Low, k.Walls.High, walls/total)
		hold("rest", k.Rest.Low, k.Rest.High, play/total)
		hold("difference", k.Pairs[0].Difference.Low, k.Pairs[0].Difference.High, 2)
		alone := madeUpSkill(r, 4*sets, 1, 4, nil)
		hold("skill, walls of their own", alone.Skill.Low, alone.Skill.High, skill/total)
		hold("rest, walls of their own", alone.Rest.Low, alone.Rest.High, (walls+play)/total)
	}
	for _, name := range slices.Sorted(maps.Keys(held)) {
		share := float64(held[name]) / float64(trials)
		t.Logf("%s: %.3f", name, share)
		if slack := 3 * math.Sqrt(0.07*0.93/float64(trials)); share < 0.93-slack {
			t.Errorf("the intervals of %s hold the truth in %.3f of the tournaments", name, share)
		}
	}
	if len(held) != 6 {
		t.Errorf("of six figures %d are held at all", len(held))
	}
}

// TestRepeats makes up a tournament of two agents, one of which plays for two or
// three players.
func TestRepeats(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	s := newSkillSums(placementScores, 4, []string{"a", "b"}, []int{0, 1}, 4)
	lineups := [][sim.NumPlayers]uint8{{0, 0, 1, 1}, {1, 0, 0, 0}}
	const sets, walls, play = 4000, 3.0, 5.0
	for set := range sets {
		var luck [sim.NumPlayers]float64
		for p := range luck {
			luck[p] = walls * r.NormFloat64()
		}
		for k := range 4 {
			m := &match{players: make([]schema.MatchRow, sim.NumPlayers)}
			var score [sim.NumPlayers]float64
			mean := 0.0
			for p := range score {
				m.players[p].Match, m.players[p].Seating = uint64(4*set+k), uint8(k)
				m.players[p].Agent = lineups[set%2][(p+k)%sim.NumPlayers]
				score[p] = 2*float64(m.players[p].Agent) + luck[p] + play*r.NormFloat64()
				mean += score[p] / sim.NumPlayers
			}
			for p := range score {
				m.players[p].Placement = int32(math.Round((score[p] - mean) * ruleset.PlacementUnit))
			}
			s.add(m)
		}
	}
	got := s.estimate()
	// Two of each vary by 1 around their mean, three and one by 3/4.
	near(t, "skill", float64(got.Skill.Variance), (1+0.75)/2, 0.05)
	near(t, "walls", float64(got.Walls.Variance), 0.75*walls*walls, 0.3)
	near(t, "rest", float64(got.Rest.Variance), 0.75*play*play, 0.5)
	if len(got.Pairs) != 1 {
		t.Fatalf("%d pairs of two agents", len(got.Pairs))
	}
	p := got.Pairs[0]
	near(t, "a - b", p.Difference.Value, -2, 0.15)
	if !(p.Difference.Low < -2 && -2 < p.Difference.High) || p.Difference.Clusters != sets {
		t.Errorf("difference %+v", p.Difference)
	}
	if !(p.PairedDeviation < p.Deviation) || !(p.Needed < p.NeededAlone) {
		t.Errorf("duplicates do not help: %+v", p)
	}
}

// nthOrder returns the n-th of the 24 orders of four.
func nthOrder(n int) (order []int) {
	left := []int{0, 1, 2, 3}
	for _, f := range [...]int{6, 2, 1, 1} {
		order = append(order, left[n/f])
		left = append(left[:n/f:n/f], left[n/f+1:]...)
		n %= f
	}
	return order
}

// TestRankScores gives players who share a rank the mean of those they share.
func TestRankScores(t *testing.T) {
	for ranks, want := range map[[sim.NumPlayers]uint8][sim.NumPlayers]float64{
		{2, 1, 4, 3}: {2, 3, 0, 1},
		{1, 1, 3, 3}: {2.5, 2.5, 0.5, 0.5},
		{1, 2, 2, 2}: {3, 1, 1, 1},
		{1, 1, 1, 1}: {1.5, 1.5, 1.5, 1.5},
		{2, 1, 3}:    {1, 2, 0},
		{1, 2, 2}:    {2, 0.5, 0.5},
	} {
		m := &match{}
		for _, r := range ranks {
			if r > 0 {
				m.players = append(m.players, schema.MatchRow{Rank: r})
			}
		}
		if got := rankScores(m); got != want {
			t.Errorf("ranks %v: %v, want %v", ranks, got, want)
		}
	}
}
