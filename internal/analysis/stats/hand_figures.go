package stats

import (
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// course summarizes the points of a match from hand to hand.
type course struct {
	leadChanges int
	// lastHandDecides reports that the winner did not lead before the last hand, fromLast
	// that he was last after half of the hands, wireToWire that he led after every hand in
	// which a player gained.
	lastHandDecides, fromLast, wireToWire bool
}

// courseOf returns the course of a match, in which points owed count as those paid. Players with
// equal points change no lead.
func courseOf(m *match, r *ruleset.Rules) course {
	var c course
	if len(m.hands) == 0 {
		return c
	}
	points := make([]int32, r.NumSeats())
	for p := range points {
		points[p] = int32(r.StartingPoints * r.Unit())
	}
	leader := -1
	leads := func() bool { return leader >= 0 && m.players[leader].Rank == 1 }
	c.wireToWire = true
	for i := range m.hands {
		if last := lastOf(points); i > 0 && i == len(m.hands)/2 && last >= 0 {
			c.fromLast = m.players[last].Rank == 1
		}
		if i == len(m.hands)-1 {
			c.lastHandDecides = !leads()
		}
		moved := false
		gains := Gains(&m.hands[i], m.debtsBefore(i))
		for p, v := range gains[:len(points)] {
			points[p] += v
			moved = moved || v != 0
		}
		if now := leaderOf(points); now >= 0 {
			c.leadChanges += int(indicator(leader >= 0 && now != leader))
			leader = now
		}
		if moved && !leads() {
			c.wireToWire = false
		}
	}
	return c
}

// leaderOf returns the player with the most points, -1 if several have them.
func leaderOf(points []int32) int {
	best := 0
	for p, v := range points {
		if v > points[best] {
			best = p
		}
	}
	for p, v := range points {
		if p != best && v == points[best] {
			return -1
		}
	}
	return best
}

// lastOf returns the player with the fewest points, -1 if several have them.
func lastOf(points []int32) int {
	var memory [sim.NumPlayers]int32
	negative := memory[:len(points)]
	for p, v := range points {
		negative[p] = -v
	}
	return leaderOf(negative)
}

// winTotals are the number of some wins and the sum of their values in points.
type winTotals struct{ n, value float64 }

func (w *winTotals) add(value float64) {
	w.n++
	w.value += value
}

// handTotals are sums over the hands of a match.
type handTotals struct {
	n, won               float64
	ends                 map[string]float64 // hands by [schema.HandRow.End]
	several              float64            // hands with more than one winner
	discards, turns      float64            // of all hands, of won hands
	readies, openHands   float64            // players of hands
	dealerStays          float64
	windWins, windPoints [sim.NumPlayers]float64
	awards, owed         float64

	// all are the wins; those by self-draw, after a ready declaration, after a call, and after
	// neither of these two are among them.
	all, selfDraw, otherwise, ready, open, silent winTotals
	// divided is the value of the wins that is divided among patterns.
	divided  float64
	patterns []patternTotals
}

// patternTotals are sums over the wins with a pattern: their number, their value, and the
// part of it that the pattern has. A win may count a pattern more than once; last is the
// number of the last win that did.
type patternTotals struct {
	wins, winPoints, points float64
	last                    float64
}

func (t *tally) readHands(m *match) {
	s := &t.hands
	clear(s.patterns)
	*s = handTotals{patterns: s.patterns, ends: map[string]float64{}}
	for i := range m.hands {
		t.readHand(s, &m.hands[i], m.debtsBefore(i))
		if i+1 < len(m.hands) && m.hands[i+1].Dealer == m.hands[i].Dealer && m.hands[i+1].Round == m.hands[i].Round {
			s.dealerStays++
		}
	}
	t.noteHands(s)
	t.noteWins(s)
	t.notePatterns(s)
}

func (t *tally) readHand(s *handTotals, h *schema.HandRow, before []schema.Debt) {
	gains := Gains(h, before)
	s.n++
	s.discards += float64(h.Discards)
	chairs := sim.Seats(&t.rules.Flow, int(h.Round))
	var chairOf [sim.NumPlayers]int
	for c, p := range chairs {
		chairOf[p] = c
	}
	dealer, seats := chairOf[h.Dealer], t.rules.NumSeats()
	for p := range seats {
		wind := (chairOf[p] - dealer + seats) % seats
		s.windPoints[wind] += t.points(float64(gains[p]))
		if h.Ready[p] != 0 {
			s.readies++
		}
		if h.Called[p] {
			s.openHands++
		}
		s.awards += t.points(max(0, float64(h.Awards[p])))
	}
	for _, d := range h.Debts {
		s.owed += t.points(float64(d.Points))
	}
	s.ends[h.End]++
	if len(h.Wins) > 1 {
		s.several++
	}
	if len(h.Wins) > 0 {
		s.won++
		s.turns += t.turns(h)
		t.count(winTurns, int32(h.Discards)/int32(seats))
	}
	for i := range h.Wins {
		w := &h.Wins[i]
		wind := (chairOf[w.Player] - dealer + seats) % seats
		s.windWins[wind]++
		value := t.points(float64(w.Points))
		t.count(winValues, w.Points)
		ready, open := h.Ready[w.Player] != 0, h.Called[w.Player]
		s.all.add(value)
		if h.End == sim.WinSelfDraw.String() {
			s.selfDraw.add(value)
		} else {
			s.otherwise.add(value)
		}
		if ready {
			s.ready.add(value)
		}
		if open {
			s.open.add(value)
		}
		if !ready && !open {
			s.silent.add(value)
		}
		t.readPatterns(s, w, value)
	}
}

// readPatterns divides the value of a win among its patterns in proportion to what they count.
func (t *tally) readPatterns(s *handTotals, w *schema.Win, value float64) {
	total := 0.0
	for _, p := range w.Patterns {
		total += float64(p.Value)
	}
	if total > 0 {
		s.divided += value
	}
	for _, p := range w.Patterns {
		i, ok := t.patterns[p.ID]
		if !ok {
			continue
		}
		q := &s.patterns[i]
		if q.last != s.all.n {
			q.last = s.all.n
			q.wins++
			q.winPoints += value
		}
		if total > 0 {
			q.points += value * float64(p.Value) / total
		}
	}
}

func (t *tally) noteHands(s *handTotals) {
	var per string
	var cases float64
	note := func(section, name, of string, u Unit, about string, amount float64) {
		t.note(section, name, of, u, per, about, amount, cases)
	}
	per, cases = perHand, s.n
	end := func(name, about string, n float64) { note(SectionHand, name, "", Share, about, n) }
	aborted := 0.0
	for r := sim.AbortNineKinds; r <= sim.AbortTripleRon; r++ {
		aborted += s.ends[r.String()]
	}
	end("won", "hands with a winner", s.won)
	end("exhausted", "hands that ended with an empty wall", s.ends["exhausted"])
	end("aborted", "hands that were an abortive draw", aborted)
	end("self_draw", "hands won by self-draw", s.ends[sim.WinSelfDraw.String()])
	end("discard", "hands won on a discard", s.ends[sim.WinDiscard.String()])
	end("rob", "hands won by robbing a kan", s.ends[sim.WinRob.String()])
	if t.rules.Seats == ruleset.ThreeSeats {
		end("rob_kita", "hands won on a North that another set aside", s.ends[sim.WinRobKita.String()])
	}
	end("flower", "hands won by flowers alone", s.ends[sim.WinFlower.String()])
	end("several_winners", "hands with more than one winner", s.several)
	end("forfeited", "hands that a forfeit cut short", s.n-s.won-s.ends["exhausted"]-aborted)
	note(SectionHand, "discards", "", Tiles, "discards a hand", s.discards)
	seats := t.rules.NumSeats()
	others := func(of *[sim.NumPlayers]float64) (mean float64) {
		for _, x := range of[1:seats] {
			mean += x
		}
		return mean / float64(seats-1)
	}
	note(SectionDealer, "first_mover_edge", "", Gap, "hands won by the dealer, who moves first, over those won by each of the others", s.windWins[0]-others(&s.windWins))
	note(SectionDealer, "points_edge", "", Points, "points a hand of the dealer over those of each of the others", s.windPoints[0]-others(&s.windPoints))
	note(SectionDealer, "stays", "", Share, "hands after which the dealer deals again", s.dealerStays)
	for w, of := range Winds(seats) {
		note(SectionDealer, "points", of, Points, "points a hand of the player of this wind; East deals and moves first", s.windPoints[w])
		note(SectionDealer, "win", of, Share, "hands won by the player of this wind", s.windWins[w])
	}
	if _, ok := t.rules.Scorer.(ruleset.DebtCollector); ok {
		note(SectionLedger, "awards", "", Points, "points paid in mid-hand, a hand", s.awards)
		note(SectionLedger, "owed", "", Points, "points owed after a hand", s.owed)
	}
	per, cases = perSeat, float64(seats)*s.n
	if t.rules.Ready != ruleset.NoReady {
		note(SectionHand, "ready", "", Share, "players of hands who declared ready", s.readies)
	}
	note(SectionHand, "open", "", Share, "players of hands who called", s.openHands)
}

func (t *tally) noteWins(s *handTotals) {
	value := func(name, about string, w winTotals) {
		t.note(SectionWin, name, "", Points, perWin, about, w.value, w.n)
	}
	share := func(name, by string, w winTotals) {
		t.note(SectionWin, name, "", Share, perWin, "wins by a player who "+by, w.n, s.all.n)
		value("value_"+name, "value of a hand won by a player who "+by, w)
	}
	value("value", "value of a won hand", s.all)
	value("value_self_draw", "value of a hand won by self-draw", s.selfDraw)
	value("value_discard", "value of a hand won otherwise", s.otherwise)
	t.note(SectionWin, "turns", "", Turns, perWon, "turns until a hand is won", s.turns, s.won)
	share("open", "called", s.open)
	if t.rules.Ready != ruleset.NoReady {
		share("ready", "declared ready", s.ready)
	}
	share("silent", "neither called nor declared ready", s.silent)
}

func (t *tally) notePatterns(s *handTotals) {
	list := t.rules.Patterns()
	for i, p := range list {
		t.note(SectionPattern, "frequency", p.ID, Share, perWin, "wins that hold the pattern", s.patterns[i].wins, s.all.n)
	}
	for i, p := range list {
		t.note(SectionPattern, "value_share", p.ID, Share, perPoint, "value of all wins, each divided among its patterns by what they count", s.patterns[i].points, s.divided)
	}
	for i, p := range list {
		t.note(SectionPattern, "win_value", p.ID, Points, perWin, "value of a won hand that holds the pattern", s.patterns[i].winPoints, s.patterns[i].wins)
	}
}
