package stats

import (
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// course is how the points of a match went.
type course struct {
	leadChanges     int
	lastHandDecides bool
	fromLast        bool
	wireToWire      bool
}

// courseOf follows the points from hand to hand. Equal points change no lead.
func courseOf(m *match, r *ruleset.Rules) course {
	var c course
	if len(m.hands) == 0 {
		return c
	}
	var points [sim.NumPlayers]int32
	for p := range points {
		points[p] = int32(r.StartingPoints * r.Unit())
	}
	leader := -1
	leads := func() bool { return leader >= 0 && m.players[leader].Rank == 1 }
	c.wireToWire = true
	for i := range m.hands {
		if last := lastOf(&points); i > 0 && i == len(m.hands)/2 && last >= 0 {
			c.fromLast = m.players[last].Rank == 1
		}
		if i == len(m.hands)-1 {
			c.lastHandDecides = !leads()
		}
		moved := false
		for p, v := range m.hands[i].Payments {
			points[p] += v
			moved = moved || v != 0
		}
		if now := leaderOf(&points); now >= 0 {
			c.leadChanges += int(indicator(leader >= 0 && now != leader))
			leader = now
		}
		if moved && !leads() {
			c.wireToWire = false
		}
	}
	return c
}

// leaderOf returns who has the most points, -1 if several have.
func leaderOf(points *[sim.NumPlayers]int32) int {
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

// lastOf returns who has the fewest points, -1 if several have.
func lastOf(points *[sim.NumPlayers]int32) int {
	negative := *points
	for p := range negative {
		negative[p] = -negative[p]
	}
	return leaderOf(&negative)
}

// aborted lists the ends of hands that nobody won though the wall was not empty.
var aborted = map[string]bool{
	sim.AbortNineKinds.String(): true, sim.AbortFourWinds.String(): true, sim.AbortFourRiichi.String(): true,
	sim.AbortFourKans.String(): true, sim.AbortTripleRon.String(): true,
}

// handTotals is what the hands of a match add up to.
type handTotals struct {
	n, won, exhausted, aborted, forfeited float64
	selfDraw, discard, rob, flower        float64
	several, discards, turns              float64
	readies, openHands                    float64
	dealerStays                           float64
	windWins, windPoints                  [sim.NumPlayers]float64

	wins, value, valueSelf, valueDiscard, selfWins float64
	readyWins, valueReady, openWins, valueOpen     float64
	closedWins, valueClosed                        float64
	sharedPoints                                   float64
	awards, owed                                   float64
	patterns                                       []patternTotals
}

// patternTotals is what a pattern adds up to: the wins that hold it, what they
// are worth, and its own part of that. A win may count a pattern more than once;
// last is the number of the last one that did.
type patternTotals struct {
	wins, winPoints, points float64
	last                    float64
}

func (t *tally) readHands(m *match) {
	s := &t.hands
	clear(s.patterns)
	*s = handTotals{patterns: s.patterns}
	for i := range m.hands {
		t.readHand(s, &m.hands[i])
		if i+1 < len(m.hands) && m.hands[i+1].Dealer == m.hands[i].Dealer && m.hands[i+1].Round == m.hands[i].Round {
			s.dealerStays++
		}
	}
	t.noteHands(s)
	t.noteWins(s)
	t.notePatterns(s)
}

func (t *tally) readHand(s *handTotals, h *schema.HandRow) {
	s.n++
	s.discards += float64(h.Discards)
	chairs := sim.Seats(&t.rules.Flow, int(h.Round))
	var chairOf [sim.NumPlayers]int
	for c, p := range chairs {
		chairOf[p] = c
	}
	dealer := chairOf[h.Dealer]
	for p := range sim.NumPlayers {
		wind := (chairOf[p] - dealer + sim.NumPlayers) % sim.NumPlayers
		s.windPoints[wind] += t.points(float64(h.Payments[p]))
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
	switch {
	case len(h.Wins) > 0:
		s.won++
	case aborted[h.End]:
		s.aborted++
	case h.End == "exhausted":
		s.exhausted++
	default:
		s.forfeited++
	}
	if len(h.Wins) > 1 {
		s.several++
	}
	if len(h.Wins) > 0 {
		s.turns += turnsOf(h)
		t.count(winTurns, int32(h.Discards)/sim.NumPlayers)
		switch h.End {
		case sim.WinSelfDraw.String():
			s.selfDraw++
		case sim.WinDiscard.String():
			s.discard++
		case sim.WinRob.String():
			s.rob++
		case sim.WinFlower.String():
			s.flower++
		}
	}
	for i := range h.Wins {
		w := &h.Wins[i]
		wind := (chairOf[w.Player] - dealer + sim.NumPlayers) % sim.NumPlayers
		s.windWins[wind]++
		value := t.points(float64(w.Points))
		t.count(winValues, w.Points)
		s.wins++
		s.value += value
		if h.End == sim.WinSelfDraw.String() {
			s.selfWins++
			s.valueSelf += value
		} else {
			s.valueDiscard += value
		}
		if h.Ready[w.Player] != 0 {
			s.readyWins++
			s.valueReady += value
		}
		if h.Called[w.Player] {
			s.openWins++
			s.valueOpen += value
		}
		if h.Ready[w.Player] == 0 && !h.Called[w.Player] {
			s.closedWins++
			s.valueClosed += value
		}
		t.readPatterns(s, w, value)
	}
}

// readPatterns divides the value of a win among its patterns by what they count.
func (t *tally) readPatterns(s *handTotals, w *schema.Win, value float64) {
	total := 0.0
	for _, p := range w.Patterns {
		total += float64(p.Value)
	}
	if total > 0 {
		s.sharedPoints += value
	}
	for _, p := range w.Patterns {
		i, ok := t.patterns[p.ID]
		if !ok {
			continue
		}
		q := &s.patterns[i]
		if q.last != s.wins {
			q.last = s.wins
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
	end("won", "hands that somebody won", s.won)
	end("exhausted", "hands that ended with an empty wall", s.exhausted)
	end("aborted", "hands that were an abortive draw", s.aborted)
	end("self_draw", "hands won by self-draw", s.selfDraw)
	end("discard", "hands won on a discard", s.discard)
	end("rob", "hands won by robbing a kan", s.rob)
	end("flower", "hands won by flowers alone", s.flower)
	end("several_winners", "hands with more than one winner", s.several)
	end("forfeited", "hands that a forfeit cut short", s.forfeited)
	note(SectionHand, "discards", "", Tiles, "discards a hand", s.discards)
	others := func(of *[sim.NumPlayers]float64) float64 { return (of[1] + of[2] + of[3]) / (sim.NumPlayers - 1) }
	note(SectionDealer, "first_mover_edge", "", Gap, "hands won by the dealer, who moves first, over those won by each of the others", s.windWins[0]-others(&s.windWins))
	note(SectionDealer, "points_edge", "", Points, "points a hand of the dealer over those of each of the others", s.windPoints[0]-others(&s.windPoints))
	note(SectionDealer, "stays", "", Share, "hands after which the dealer deals again", s.dealerStays)
	for w, of := range Winds {
		note(SectionDealer, "points", of, Points, "points a hand of the player of this wind; East deals and moves first", s.windPoints[w])
		note(SectionDealer, "win", of, Share, "hands won by the player of this wind", s.windWins[w])
	}
	if _, ok := t.rules.Scorer.(ruleset.DebtCollector); ok {
		note(SectionLedger, "awards", "", Points, "points paid in mid-hand, a hand", s.awards)
		note(SectionLedger, "owed", "", Points, "points owed after a hand", s.owed)
	}
	per, cases = perSeat, sim.NumPlayers*s.n
	if t.rules.Ready != ruleset.NoReady {
		note(SectionHand, "ready", "", Share, "players of hands who declared ready", s.readies)
	}
	note(SectionHand, "open", "", Share, "players of hands who called", s.openHands)
}

func (t *tally) noteWins(s *handTotals) {
	value := func(name, about string, sum, n float64) {
		t.note(SectionWin, name, "", Points, perWin, about, sum, n)
	}
	share := func(name, about string, n float64) { t.note(SectionWin, name, "", Share, perWin, about, n, s.wins) }
	value("value", "value of a won hand", s.value, s.wins)
	value("value_self_draw", "value of a hand won by self-draw", s.valueSelf, s.selfWins)
	value("value_discard", "value of a hand won otherwise", s.valueDiscard, s.wins-s.selfWins)
	t.note(SectionWin, "turns", "", Turns, perWon, "turns until a hand is won", s.turns, s.won)
	share("open", "wins by a player who called", s.openWins)
	value("value_open", "value of a hand won by a player who called", s.valueOpen, s.openWins)
	if t.rules.Ready != ruleset.NoReady {
		share("ready", "wins by a player who declared ready", s.readyWins)
		value("value_ready", "value of a hand won by a player who declared ready", s.valueReady, s.readyWins)
	}
	share("silent", "wins by a player who neither called nor declared ready", s.closedWins)
	value("value_silent", "value of a hand won by a player who neither called nor declared ready", s.valueClosed, s.closedWins)
}

func (t *tally) notePatterns(s *handTotals) {
	list := t.rules.Patterns()
	for i, p := range list {
		t.note(SectionPattern, "frequency", p.ID, Share, perWin, "wins that hold the pattern", s.patterns[i].wins, s.wins)
	}
	for i, p := range list {
		t.note(SectionPattern, "value_share", p.ID, Share, perPoint, "value of all wins, each divided among its patterns by what they count", s.patterns[i].points, s.sharedPoints)
	}
	for i, p := range list {
		t.note(SectionPattern, "win_value", p.ID, Points, perWin, "value of a won hand that holds the pattern", s.patterns[i].winPoints, s.patterns[i].wins)
	}
}
