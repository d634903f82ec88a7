package whatif

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/insight/policydiff"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// sum is a figure that is being added up.
type sum struct {
	name, about string
	unit        stats.Unit
	pair        *stats.PairedSample
}

// sums are the figures of the matches.
type sums struct {
	seats                                  int
	figures                                []*sum
	changedHands, otherWinner, otherPlaces *stats.Sample
}

// minMatches is the fewest matches of a player who has figures, maxPlayers the most players who
// have them.
const minMatches, maxPlayers = 10, 12

func newSums(r *ruleset.Rules, list []match) *sums {
	s := &sums{
		seats:        r.NumSeats(),
		changedHands: stats.NewSample(stats.Share), otherWinner: stats.NewSample(stats.Share), otherPlaces: stats.NewSample(stats.Share),
	}
	hands := func(name, about string, sums func(m *match) (amount [2]float64, cases float64)) {
		x := s.add(name, about, stats.Points)
		for i := range list {
			amount, cases := sums(&list[i])
			x.pair.Add(amount[0], amount[1], cases)
		}
	}
	hands("win_value", "value of a win", func(m *match) ([2]float64, float64) { return m.value, m.wins })
	hands("deal_in_cost", "cost of a deal-in", func(m *match) ([2]float64, float64) { return m.loss, m.dealIns })
	hands("draw_payment", "payments at a draw", func(m *match) ([2]float64, float64) { return m.drawn, m.draws })
	hands("moved", "payments in a hand", func(m *match) ([2]float64, float64) { return m.moved, m.rescored })
	hands("dealer", "gain of the dealer in a hand", func(m *match) ([2]float64, float64) { return m.dealer, m.rescored })
	s.addMatches(list)
	s.addPlayers(list)
	for i := range list {
		m := &list[i]
		s.changedHands.Add(m.changed, m.rescored)
		if m.whole {
			winner, other := 0.0, 0.0
			if m.final[0].Rank != m.final[1].Rank {
				other = 1
			}
			if s.firstPlayer(m, 0) != s.firstPlayer(m, 1) {
				winner = 1
			}
			s.otherWinner.Add(winner, 1)
			s.otherPlaces.Add(other, 1)
		}
	}
	return s
}

func (s *sums) add(name, about string, u stats.Unit) *sum {
	x := &sum{name, about, u, stats.NewPairedSample(u)}
	s.figures = append(s.figures, x)
	return x
}

// firstPlayer returns the player who comes first under one of the rules.
func (s *sums) firstPlayer(m *match, rules int) int {
	return slices.Index(m.final[rules].Rank[:s.seats], 1)
}

func (s *sums) addMatches(list []match) {
	lead, spread := s.add("lead", "lead of the first at the end", stats.Points), s.add("spread", "first over last at the end", stats.Points)
	var ranks []*sum
	for _, place := range stats.Places[s.seats] {
		ranks = append(ranks, s.add("placement_"+place, "placement points, "+place, stats.Placement))
	}
	for i := range list {
		m := &list[i]
		if !m.whole {
			continue
		}
		var leads, spreads [2]float64
		worth := make([][2]float64, s.seats)
		for k := range 2 {
			points := slices.Sorted(slices.Values(m.points[k][:s.seats]))
			leads[k], spreads[k] = points[s.seats-1]-points[s.seats-2], points[s.seats-1]-points[0]
			order := make([]int, s.seats)
			for p := range order {
				order[p] = p
			}
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(m.final[k].Rank[a], m.final[k].Rank[b]) })
			for r, p := range order {
				worth[r][k] = float64(m.final[k].Placement[p]) / ruleset.PlacementUnit
			}
		}
		lead.pair.Add(leads[0], leads[1], 1)
		spread.pair.Add(spreads[0], spreads[1], 1)
		for r, x := range ranks {
			x.pair.Add(worth[r][0], worth[r][1], 1)
		}
	}
}

// addPlayers adds the figures of the players with most whole matches, if there are several.
func (s *sums) addPlayers(list []match) {
	matches := map[string]int{}
	for i := range list {
		if m := &list[i]; m.whole {
			names := slices.Compact(slices.Sorted(slices.Values(m.names[:s.seats])))
			for _, name := range names {
				matches[name]++
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(matches), func(a, b string) int {
		return cmp.Or(matches[b]-matches[a], strings.Compare(a, b))
	})
	if len(names) < 2 {
		return
	}
	for _, name := range names[:min(len(names), maxPlayers)] {
		if matches[name] < minMatches {
			break
		}
		points, worth := s.add("points", "points, "+name, stats.Points), s.add("placement", "placement points, "+name, stats.Placement)
		for i := range list {
			m := &list[i]
			if !m.whole {
				continue
			}
			var a, b [2]float64
			n := 0.0
			for p, other := range m.names[:s.seats] {
				if other != name {
					continue
				}
				n++
				for k := range 2 {
					a[k] += m.points[k][p]
					b[k] += float64(m.final[k].Placement[p]) / ruleset.PlacementUnit
				}
			}
			points.pair.Add(a[0], a[1], n)
			worth.pair.Add(b[0], b[1], n)
		}
	}
}

func (s *sums) result(list []match, o *Options) *Result {
	r := &Result{Matches: len(list), Figures: []Figure{}}
	var response policydiff.Difference
	var kinds policydiff.Counts
	for i := range list {
		m := &list[i]
		r.Hands += m.hands
		r.OtherPoints += m.otherPoints
		count := func(is bool, n *int) {
			if is {
				*n++
			}
		}
		count(m.whole, &r.WholeMatches)
		count(m.course, &r.OtherCourse)
		count(m.short, &r.Incomplete)
		count(m.judged, &response.Matches)
		if !m.judged {
			continue
		}
		response.Hands += m.hands
		kinds.Add(&m.response)
	}
	r.Apart = countApart(strings.Join(o.Keys, ", "), list, 0)
	for i := range o.Alone {
		r.Alone = append(r.Alone, countApart(o.Keys[i], list, i+1))
	}
	r.ChangedHands, r.OtherWinner, r.OtherPlaces = s.changedHands.Estimate(), s.otherWinner.Estimate(), s.otherPlaces.Estimate()
	for _, x := range s.figures {
		f := Figure{
			Name: x.name, About: x.about, Unit: x.unit, Difference: x.pair.Difference(),
			Before: x.pair.Before.Estimate(), After: x.pair.After.Estimate(),
		}
		if f.Before.Count > 0 {
			r.Figures = append(r.Figures, f)
		}
	}
	stats.AdjustAll(r.Figures, func(f *Figure) *stats.Difference { return &f.Difference })
	if o.NewJudge != nil {
		response.SetKinds(&kinds)
		r.Response = &response
	}
	return r
}

// countApart counts the hands that are set apart by all changes (number 0) or by one of them.
func countApart(knobs string, list []match, number int) HandsApart {
	a := HandsApart{Knobs: knobs, Causes: []CauseCount{}}
	causes := map[Cause]CauseCount{}
	for i := range list {
		for hand, c := range list[i].apart[number] {
			if c == notApart {
				continue
			}
			a.Hands++
			x, known := causes[c]
			if !known {
				x = CauseCount{Cause: c, Match: list[i].index, Hand: hand}
			}
			x.Hands++
			causes[c] = x
		}
	}
	for _, c := range allCauses {
		if x, found := causes[c]; found {
			a.Causes = append(a.Causes, x)
		}
	}
	slices.SortStableFunc(a.Causes, func(x, y CauseCount) int { return y.Hands - x.Hands })
	return a
}

// Text returns a cause with its hands.
func (c *CauseCount) Text() string {
	return fmt.Sprintf("in %d %s (first in match %d, hand %d)", c.Hands, c.Cause, c.Match, c.Hand)
}
