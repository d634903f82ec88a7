package report

import (
	"github.com/jansou/jansou/export"
	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/sim"
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
	winner := 0
	for p := range m.players {
		if m.players[p].Rank == 1 {
			winner = p
			break
		}
	}
	leader := -1
	c.wireToWire = true
	for i := range m.hands {
		if i == len(m.hands)/2 && i > 0 {
			c.fromLast = lastAlone(&points, winner)
		}
		if i == len(m.hands)-1 {
			c.lastHandDecides = leader != winner
		}
		moved := false
		for p, v := range m.hands[i].Payments {
			points[p] += v
			moved = moved || v != 0
		}
		if now := leaderOf(&points); now >= 0 {
			if leader >= 0 && now != leader {
				c.leadChanges++
			}
			leader = now
		}
		if moved && leader != winner {
			c.wireToWire = false
		}
	}
	return c
}

// leaderOf returns who has the most points, -1 if several have.
func leaderOf(points *[sim.NumPlayers]int32) int {
	best, alone := 0, true
	for p := 1; p < len(points); p++ {
		switch {
		case points[p] > points[best]:
			best, alone = p, true
		case points[p] == points[best]:
			alone = false
		}
	}
	if !alone {
		return -1
	}
	return best
}

// lastAlone tells whether all others have more points than player p.
func lastAlone(points *[sim.NumPlayers]int32, p int) bool {
	for q, v := range points {
		if q != p && v <= points[p] {
			return false
		}
	}
	return true
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
	dealerWins, dealerStays               float64
	windHands, windWins                   [sim.NumPlayers]float64
	windPoints                            [sim.NumPlayers]float64

	wins, value, valueSelf, valueDiscard, selfWins float64
	readyWins, valueReady, openWins, valueOpen     float64
	closedWins, valueClosed                        float64
	patternTotal                                   float64
	pattern, patternValue, patternPoints           []float64
	awards, owed                                   float64
}

func (t *tally) readHands(m *match) {
	s := handTotals{
		pattern:      make([]float64, len(t.patterns)),
		patternValue: make([]float64, len(t.patterns)), patternPoints: make([]float64, len(t.patterns)),
	}
	for i := range m.hands {
		t.readHand(&s, &m.hands[i])
		if i+1 < len(m.hands) && m.hands[i+1].Dealer == m.hands[i].Dealer && m.hands[i+1].Round == m.hands[i].Round {
			s.dealerStays++
		}
	}
	t.noteHands(&s)
	t.noteWins(&s)
	t.notePatterns(&s)
}

func (t *tally) readHand(s *handTotals, h *export.HandRow) {
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
		s.windHands[wind]++
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
		t.count(t.winTurns, int32(h.Discards)/sim.NumPlayers)
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
		if wind == 0 {
			s.dealerWins++
		}
		value := t.points(float64(w.Points))
		t.count(t.winValues, w.Points)
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
		for _, p := range w.Patterns {
			i, ok := t.patterns[p.ID]
			if !ok {
				continue
			}
			s.pattern[i]++
			s.patternValue[i] += float64(p.Value)
			s.patternPoints[i] += value
			s.patternTotal += float64(p.Value)
		}
	}
}

func (t *tally) noteHands(s *handTotals) {
	end := func(name, about string, n float64) { t.note(sectionHand, name, "", Share, about, n, s.n) }
	end("won", "hands that somebody won", s.won)
	end("exhausted", "hands that ended with an empty wall", s.exhausted)
	end("aborted", "abortive draws", s.aborted)
	end("self_draw", "hands won by self-draw", s.selfDraw)
	end("discard", "hands won on a discard", s.discard)
	end("rob", "hands won by robbing a kan", s.rob)
	end("flower", "hands won by flowers alone", s.flower)
	end("several_winners", "hands with more than one winner", s.several)
	end("forfeited", "hands that a forfeit cut short", s.forfeited)
	t.note(sectionHand, "discards", "", Tiles, "discards a hand", s.discards, s.n)
	t.note(sectionHand, "ready", "", Share, "players of hands who declared ready", s.readies, 4*s.n)
	t.note(sectionHand, "open", "", Share, "players of hands who called", s.openHands, 4*s.n)
	t.note(sectionDealer, "win", "", Share, "hands won by the dealer", s.dealerWins, s.n)
	t.note(sectionDealer, "stays", "", Share, "hands after which the dealer deals again", s.dealerStays, s.n)
	for w, of := range winds {
		t.note(sectionDealer, "hand_points", of, Points, "points a hand of the player of this wind; East deals and moves first", s.windPoints[w], s.windHands[w])
		t.note(sectionDealer, "hand_win", of, Share, "hands won by the player of this wind", s.windWins[w], s.windHands[w])
	}
}

func (t *tally) noteWins(s *handTotals) {
	value := func(name, about string, sum, n float64) { t.note(sectionWin, name, "", Points, about, sum, n) }
	share := func(name, about string, n float64) { t.note(sectionWin, name, "", Share, about, n, s.wins) }
	value("value", "value of a won hand", s.value, s.wins)
	value("value_self_draw", "value of a hand won by self-draw", s.valueSelf, s.selfWins)
	value("value_discard", "value of a hand won otherwise", s.valueDiscard, s.wins-s.selfWins)
	t.note(sectionWin, "turns", "", Turns, "turns until a hand is won", s.turns, s.won)
	share("open", "wins by a player who called", s.openWins)
	value("value_open", "value of a hand won by a player who called", s.valueOpen, s.openWins)
	if t.rules.Ready != ruleset.NoReady {
		share("ready", "wins by a player who declared ready", s.readyWins)
		value("value_ready", "value of a hand won by a player who declared ready", s.valueReady, s.readyWins)
	}
	share("silent", "wins by a player who neither called nor declared ready", s.closedWins)
	value("value_silent", "value of a hand won by a player who neither called nor declared ready", s.valueClosed, s.closedWins)
	if _, ok := t.rules.Scorer.(ruleset.DebtCollector); ok {
		t.note(sectionLedger, "awards", "", Points, "points paid in mid-hand, a hand", s.awards, s.n)
		t.note(sectionLedger, "owed", "", Points, "points owed after a hand", s.owed, s.n)
	}
}

func (t *tally) notePatterns(s *handTotals) {
	for i, p := range t.rules.Patterns() {
		t.note(sectionPattern, "frequency", p.ID, Share, "wins that hold the pattern", s.pattern[i], s.wins)
	}
	for i, p := range t.rules.Patterns() {
		t.note(sectionPattern, "value_share", p.ID, Share, "part of the worth of all patterns of all wins", s.patternValue[i], s.patternTotal)
	}
	for i, p := range t.rules.Patterns() {
		t.note(sectionPattern, "win_value", p.ID, Points, "value of a won hand that holds the pattern", s.patternPoints[i], s.pattern[i])
	}
}
