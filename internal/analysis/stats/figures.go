package stats

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/matchluck"
	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// Unit is what a figure is measured in.
type Unit string

// The units of figures.
const (
	Share     Unit = "share"
	Points    Unit = "points"
	Placement Unit = "placement points"
	Hands     Unit = "hands"
	Decisions Unit = "decisions"
	Tiles     Unit = "tiles"
	Turns     Unit = "turns"
	Times     Unit = "times"
	Rank      Unit = "rank"
	// Gap is a difference of two shares.
	Gap Unit = "difference of shares"
)

// Key names a figure. Keys are the same in all datasets, so that figures can be
// compared.
type Key struct {
	// Section groups figures, such as "win".
	Section string `json:"section"`
	// Name is the figure, such as "self_draw".
	Name string `json:"name"`
	// Of is the seat, agent, wind or pattern that the figure is about, empty for all.
	Of string `json:"of,omitempty"`
}

// Meaning describes a figure.
type Meaning struct {
	Unit Unit `json:"unit"`
	// About describes the amount, or what a share is the share of; see [Meaning.Describe].
	// Per names the cases, such as hands.
	About string `json:"about"`
	Per   string `json:"per"`
}

// The cases of figures.
const (
	perMatch = "matches"
	perHand  = "hands"
	perSeat  = "hands of players"
	perWin   = "wins"
	perWon   = "won hands"
	perGiven = "deal-ins"
	perPoint = "points of wins"
)

// definition is a figure of a dataset.
type definition struct {
	Key
	Meaning
}

// The sections, in the order of a report.
const (
	SectionMatch   = "match"
	SectionSeat    = "seat"
	SectionDealer  = "dealer"
	SectionHand    = "hand"
	SectionWin     = "win"
	SectionAgent   = "agent"
	SectionPattern = "pattern"
	SectionLedger  = "ledger"
)

// Sections lists the sections of figures in the order of a report.
var Sections = []string{
	SectionMatch, SectionSeat, SectionDealer, SectionHand, SectionWin, SectionAgent, SectionPattern, SectionLedger,
}

// Winds returns the names of the seats, of which there are 3 or 4.
func Winds(seats int) []string { return []string{"east", "south", "west", "north"}[:seats] }

// tally computes the amounts and cases of the figures from the rows of matches. The same code
// defines the figures and fills them in, in the same order: newTally reads an empty match with
// defining set.
type tally struct {
	rules *ruleset.Rules
	// agents are the different names of agents; agentOf is the index there of each agent of
	// the run, as several may have the same name.
	agents   []string
	agentOf  []int
	hasHands bool
	hasLuck  bool
	patterns map[string]int
	defs     []definition
	// y and x are the amounts and cases of the current cluster, l the luck that was
	// subtracted from the amounts of luck-adjusted figures; all are parallel to defs.
	y, x, l []float64
	// next is the index of the figure that note fills in next.
	next          int
	defining      bool
	hands         handTotals
	distributions [distributions]distribution
}

// The distributions.
const (
	finalPoints = iota
	placements
	winValues
	winTurns
	distributions
)

func newTally(rules *ruleset.Rules, agents []string, hasHands, hasLuck bool) *tally {
	t := &tally{
		rules: rules, hasHands: hasHands, hasLuck: hasLuck,
		patterns: map[string]int{},
	}
	for i := range t.distributions {
		t.distributions[i] = distribution{}
	}
	t.hands.patterns = make([]patternTotals, len(t.rules.Patterns()))
	for i, p := range t.rules.Patterns() {
		t.patterns[p.ID] = i
	}
	for _, name := range agents {
		i := slices.Index(t.agents, name)
		if i < 0 {
			i = len(t.agents)
			t.agents = append(t.agents, name)
		}
		t.agentOf = append(t.agentOf, i)
	}
	t.defining = true
	t.read(&match{players: make([]schema.MatchRow, rules.NumSeats())})
	t.defining = false
	t.y, t.x, t.l = make([]float64, len(t.defs)), make([]float64, len(t.defs)), make([]float64, len(t.defs))
	return t
}

// match is the rows of one match.
type match struct {
	players []schema.MatchRow
	hands   []schema.HandRow
	luck    matchluck.Luck // zero if it was not measured
}

// note adds an amount and a number of cases to the next figure, or defines it.
func (t *tally) note(section, name, of string, u Unit, per, about string, amount, cases float64) {
	if t.defining {
		t.defs = append(t.defs, definition{Key{section, name, of}, Meaning{u, about, per}})
		return
	}
	t.y[t.next] += amount
	t.x[t.next] += cases
	t.next++
}

// The names of the figures of agents about luck.
const (
	PointsLuck        = "luck"
	AdjustedPoints    = "points_less_luck"
	PlacementLuck     = "placement_luck"
	AdjustedPlacement = "placement_less_luck"
)

// indicator returns 1 for true and 0 for false.
func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func (t *tally) read(m *match) {
	t.next = 0
	t.readMatch(m)
	t.readSeats(m)
	t.readAgents(m)
	if t.hasHands {
		t.readHands(m)
	}
}

func (t *tally) points(units float64) float64 { return units / float64(t.rules.Unit()) }

func (t *tally) readMatch(m *match) {
	p := m.players
	var decisions, forfeits float64
	best, second, worst := p[0].Points, int32(-1<<31), p[0].Points
	for i := range p {
		decisions += float64(p[i].Decisions)
		forfeits += indicator(p[i].Forfeited)
		worst = min(worst, p[i].Points)
		if i == 0 {
			continue
		}
		if v := p[i].Points; v > best {
			best, second = v, best
		} else {
			second = max(second, v)
		}
	}
	for i := range p {
		t.count(finalPoints, p[i].Points)
		t.count(placements, p[i].Placement)
	}
	note := func(name string, u Unit, about string, amount float64) {
		t.note(SectionMatch, name, "", u, perMatch, about, amount, 1)
	}
	note("hands", Hands, "hands a match", float64(p[0].Hands))
	note("decisions", Decisions, "decisions of all players a match", decisions)
	note("lead", Points, "points of the first over the second at the end", t.points(float64(best)-float64(second)))
	note("spread", Points, "points of the first over the last at the end", t.points(float64(best)-float64(worst)))
	if t.hasHands {
		c := courseOf(m, t.rules)
		note("lead_changes", Times, "how often the lead passed to another player", float64(c.leadChanges))
		note("last_hand_decides", Share, "matches whose winner did not lead before the last hand", indicator(c.lastHandDecides))
		note("comeback_from_last", Share, "matches won by a player who was last after half of the hands", indicator(c.fromLast))
		note("wire_to_wire", Share, "matches whose winner led after every hand but draws", indicator(c.wireToWire))
	}
	note("truncated", Share, "matches cut off at max_hands", indicator(p[0].Truncated))
	note("forfeits", Times, "agents that forfeited a match", forfeits)
}

// Places are the names of the ranks, by the number of players.
var Places = [...][]string{3: {"first", "second", "last"}, 4: {"first", "second", "third", "last"}}

func (t *tally) readSeats(m *match) {
	winds := Winds(len(m.players))
	for i := range m.players {
		p := &m.players[i]
		note := func(name string, u Unit, about string, amount float64) {
			t.note(SectionSeat, name, winds[i], u, perMatch, about, amount, 1)
		}
		note("points", Points, "points at the end of the player who starts in this seat", t.points(float64(p.Points)))
		note("placement", Placement, "placement points of the player who starts in this seat", float64(p.Placement)/ruleset.PlacementUnit)
		note("rank", Rank, "mean rank of the player who starts in this seat", float64(p.Rank))
		for r, place := range Places[len(m.players)] {
			note(place, Share, "matches in which the player who starts in this seat comes "+place, indicator(int(p.Rank) == r+1))
		}
	}
}

// agentTotals are the rows of the players of an agent in a match, and sums over its wins and
// deal-ins.
type agentTotals struct {
	players                   []*schema.MatchRow
	pointsLuck, placementLuck float64
	value, turns, loss        float64
}

// sum returns the sum of a column over the players of the agent.
func (s *agentTotals) sum(column func(p *schema.MatchRow) float64) (sum float64) {
	for _, p := range s.players {
		sum += column(p)
	}
	return sum
}

func (t *tally) readAgents(m *match) {
	for i, of := range t.agents {
		var s agentTotals
		for j := range m.players {
			if p := &m.players[j]; t.agentOf[p.Agent] == i {
				s.players = append(s.players, p)
				s.pointsLuck += t.points(float64(m.luck.Points[j]) / luck.Unit)
				s.placementLuck += float64(m.luck.Places[j]) / luck.Unit
			}
		}
		for j := range m.hands {
			h := &m.hands[j]
			for k := range h.Wins {
				if w := &h.Wins[k]; t.agentOf[m.players[w.Player].Agent] == i {
					s.value += t.points(float64(w.Points))
					s.turns += t.turns(h)
				}
			}
			if h.Giver != schema.NoPlayer && t.agentOf[m.players[h.Giver].Agent] == i {
				s.loss -= t.points(float64(Gains(h, m.debtsBefore(j))[h.Giver]))
			}
		}
		t.noteAgent(of, &s)
	}
}

func (t *tally) noteAgent(of string, s *agentTotals) {
	per, cases := perMatch, float64(len(s.players))
	note := func(name string, u Unit, about string, amount float64) {
		t.note(SectionAgent, name, of, u, per, about, amount, cases)
	}
	column := func(name string, u Unit, about string, value func(p *schema.MatchRow) float64) {
		note(name, u, about, s.sum(value))
	}
	adjusted := func(name string, u Unit, about string, amount, luck float64) {
		if !t.defining {
			t.l[t.next] += luck
		}
		note(name, u, about, amount-luck)
	}
	points := s.sum(func(p *schema.MatchRow) float64 { return t.points(float64(p.Points)) })
	placement := s.sum(func(p *schema.MatchRow) float64 { return float64(p.Placement) }) / ruleset.PlacementUnit
	note("placement", Placement, "placement points", placement)
	note("points", Points, "points at the end", points)
	if t.hasLuck {
		note(PointsLuck, Points, "luck of the tiles in points", s.pointsLuck)
		adjusted(AdjustedPoints, Points, "luck-adjusted points at the end", points, s.pointsLuck)
		note(PlacementLuck, Placement, "luck of the tiles in placement points", s.placementLuck)
		adjusted(AdjustedPlacement, Placement, "luck-adjusted placement points", placement, s.placementLuck)
	}
	column("rank", Rank, "mean rank", func(p *schema.MatchRow) float64 { return float64(p.Rank) })
	for r, place := range Places[t.rules.NumSeats()] {
		column(place, Share, "matches in which it came "+place, func(p *schema.MatchRow) float64 { return indicator(int(p.Rank) == r+1) })
	}
	column("forfeit", Share, "matches that it forfeited", func(p *schema.MatchRow) float64 { return indicator(p.Forfeited) })
	per, cases = perHand, s.sum(func(p *schema.MatchRow) float64 { return float64(p.Hands) })
	column("win", Share, "hands it won", func(p *schema.MatchRow) float64 { return float64(p.Wins) })
	column("deal_in", Share, "hands in which it gave the winning tile", func(p *schema.MatchRow) float64 { return float64(p.DealIns) })
	if t.rules.Ready != ruleset.NoReady {
		column("ready", Share, "hands in which it declared ready", func(p *schema.MatchRow) float64 { return float64(p.Readies) })
	}
	column("call", Share, "hands in which it called", func(p *schema.MatchRow) float64 { return float64(p.Calls) })
	column("draw", Share, "its hands without a winner", func(p *schema.MatchRow) float64 { return float64(p.Draws) })
	column("decisions", Decisions, "decisions a hand", func(p *schema.MatchRow) float64 { return float64(p.Decisions) })
	per, cases = perWin, s.sum(func(p *schema.MatchRow) float64 { return float64(p.Wins) })
	column("self_draw", Share, "its wins that are by self-draw", func(p *schema.MatchRow) float64 { return float64(p.SelfDraws) })
	if t.hasHands {
		note("win_value", Points, "value of a hand that it won", s.value)
		note("win_turn", Turns, "turns until it wins", s.turns)
		per, cases = perGiven, s.sum(func(p *schema.MatchRow) float64 { return float64(p.DealIns) })
		note("deal_in_cost", Points, "points lost in a hand in which it gave the winning tile", s.loss)
	}
}

// turns returns the number of turns of a hand: its discards divided by the players.
func (t *tally) turns(h *schema.HandRow) float64 {
	return float64(h.Discards) / float64(t.rules.NumSeats())
}

// adjustedOf maps the names of luck-adjusted figures to those of the results.
var adjustedOf = map[string]string{AdjustedPoints: "points", AdjustedPlacement: "placement"}

func (k Key) isAdjusted() bool { return k.Section == SectionAgent && adjustedOf[k.Name] != "" }
