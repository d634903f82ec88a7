package report

import (
	"slices"

	"github.com/jansou/jansou/export"
	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/sim"
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
)

// Key names a figure. Keys are the same in all datasets, so that figures can be
// compared.
type Key struct {
	// Section groups figures, such as "win".
	Section string `json:"section"`
	// Name is the figure, such as "self_draw".
	Name string `json:"name"`
	// Of says of which seat, agent, wind or pattern it is, empty for all.
	Of string `json:"of,omitempty"`
}

// definition is a figure of a dataset, with what it says in words.
type definition struct {
	Key
	Unit Unit
	// About tells what is divided by what.
	About string
}

// The sections, in the order of a report.
const (
	sectionMatch   = "match"
	sectionSeat    = "seat"
	sectionDealer  = "dealer"
	sectionHand    = "hand"
	sectionWin     = "win"
	sectionAgent   = "agent"
	sectionPattern = "pattern"
	sectionLedger  = "ledger"
)

// Sections lists the sections of figures in the order of a report.
var Sections = []string{
	sectionMatch, sectionSeat, sectionDealer, sectionHand, sectionWin, sectionAgent, sectionPattern, sectionLedger,
}

var winds = [sim.NumPlayers]string{"east", "south", "west", "north"}

// tally turns the rows of matches into the amounts and cases of figures.
type tally struct {
	rules *ruleset.Rules
	// agents are the different agents, agentOf the number there of each of the
	// run: the same agent may play for several players.
	agents   []string
	agentOf  []int
	hasHands bool
	patterns map[string]int
	defs     []definition
	// y and x are amounts and cases of the current cluster, parallel to defs.
	y, x []float64
	// next is the figure that note fills in next. Figures are defined and filled
	// in by the same code, in the same order.
	next     int
	defining bool
	// finalPoints, winValues and winTurns are distributions.
	finalPoints, winValues, winTurns distribution
}

func newTally(d *export.Dataset) *tally {
	t := &tally{
		rules: d.Rules(), hasHands: d.Manifest.Record != export.Matches,
		patterns: map[string]int{}, finalPoints: distribution{}, winValues: distribution{}, winTurns: distribution{},
	}
	for i, p := range t.rules.Patterns() {
		t.patterns[p.ID] = i
	}
	for _, name := range d.Manifest.Agents {
		i := slices.Index(t.agents, name)
		if i < 0 {
			i = len(t.agents)
			t.agents = append(t.agents, name)
		}
		t.agentOf = append(t.agentOf, i)
	}
	t.defining = true
	t.read(&match{})
	t.defining = false
	t.y, t.x = make([]float64, len(t.defs)), make([]float64, len(t.defs))
	return t
}

// match is the rows of one match.
type match struct {
	players [sim.NumPlayers]export.MatchRow
	hands   []export.HandRow
}

// note adds an amount of a number of cases to the figure that comes next.
func (t *tally) note(section, name, of string, u Unit, about string, amount, cases float64) {
	if t.defining {
		t.defs = append(t.defs, definition{Key{section, name, of}, u, about})
		return
	}
	t.y[t.next] += amount
	t.x[t.next] += cases
	t.next++
}

// share is note for one case that is or is not.
func (t *tally) share(section, name, of, about string, is bool) {
	amount := 0.0
	if is {
		amount = 1
	}
	t.note(section, name, of, Share, about, amount, 1)
}

// read adds a match to the current cluster.
func (t *tally) read(m *match) {
	t.next = 0
	t.readMatch(m)
	t.readSeats(m)
	t.readAgents(m)
	if t.hasHands {
		t.readHands(m)
	}
}

// points returns units as points.
func (t *tally) points(units float64) float64 { return units / float64(t.rules.Unit()) }

func (t *tally) readMatch(m *match) {
	p := &m.players
	var decisions, forfeits float64
	best, second, worst := p[0].Points, int32(-1<<31), p[0].Points
	for i := range p {
		decisions += float64(p[i].Decisions)
		if p[i].Forfeited {
			forfeits++
		}
		worst = min(worst, p[i].Points)
		if i == 0 {
			continue
		}
		if v := p[i].Points; v > best {
			best, second = v, best
		} else {
			second = max(second, v)
		}
		t.count(t.finalPoints, p[i].Points)
	}
	t.count(t.finalPoints, p[0].Points)
	t.note(sectionMatch, "hands", "", Hands, "hands a match", float64(p[0].Hands), 1)
	t.note(sectionMatch, "decisions", "", Decisions, "decisions of all players a match", decisions, 1)
	t.note(sectionMatch, "lead", "", Points, "points of the first over the second at the end", t.points(float64(best)-float64(second)), 1)
	t.note(sectionMatch, "spread", "", Points, "points of the first over the last at the end", t.points(float64(best)-float64(worst)), 1)
	t.share(sectionMatch, "truncated", "", "matches cut off at max_hands or at a limit of the engine", p[0].Truncated)
	t.note(sectionMatch, "forfeits", "", Times, "agents that forfeited a match", forfeits, 1)
	if t.hasHands {
		c := courseOf(m, t.rules)
		t.note(sectionMatch, "lead_changes", "", Times, "how often the lead passed to another player", float64(c.leadChanges), 1)
		t.share(sectionMatch, "last_hand_decides", "", "matches whose winner did not lead before the last hand", c.lastHandDecides)
		t.share(sectionMatch, "comeback_from_last", "", "matches won by a player who was last after half of the hands", c.fromLast)
		t.share(sectionMatch, "wire_to_wire", "", "matches whose winner led after every hand but draws", c.wireToWire)
	}
}

func (t *tally) readSeats(m *match) {
	for i := range m.players {
		p := &m.players[i]
		of := winds[i]
		t.note(sectionSeat, "points", of, Points, "points at the end of the player who starts in this seat", t.points(float64(p.Points)), 1)
		t.note(sectionSeat, "placement", of, Placement, "placement points of the player who starts in this seat", float64(p.Placement)/ruleset.PlacementUnit, 1)
		t.note(sectionSeat, "rank", of, Rank, "mean rank of the player who starts in this seat", float64(p.Rank), 1)
		t.share(sectionSeat, "first", of, "matches won by the player who starts in this seat", p.Rank == 1)
		t.share(sectionSeat, "last", of, "matches in which the player who starts in this seat is fourth", p.Rank == 4)
	}
}

func (t *tally) readAgents(m *match) {
	for i, of := range t.agents {
		var n, points, placement, rank, first, last, hands, wins, selfDraws, dealIns, readies, calls, decisions float64
		for j := range m.players {
			p := &m.players[j]
			if t.agentOf[p.Agent] != i {
				continue
			}
			n++
			points += t.points(float64(p.Points))
			placement += float64(p.Placement) / ruleset.PlacementUnit
			rank += float64(p.Rank)
			if p.Rank == 1 {
				first++
			}
			if p.Rank == 4 {
				last++
			}
			hands += float64(p.Hands)
			wins += float64(p.Wins)
			selfDraws += float64(p.SelfDraws)
			dealIns += float64(p.DealIns)
			readies += float64(p.Readies)
			calls += float64(p.Calls)
			decisions += float64(p.Decisions)
		}
		t.note(sectionAgent, "points", of, Points, "points at the end", points, n)
		t.note(sectionAgent, "placement", of, Placement, "placement points", placement, n)
		t.note(sectionAgent, "rank", of, Rank, "mean rank", rank, n)
		t.note(sectionAgent, "first", of, Share, "matches won", first, n)
		t.note(sectionAgent, "last", of, Share, "matches in which it was fourth", last, n)
		t.note(sectionAgent, "win", of, Share, "hands won", wins, hands)
		t.note(sectionAgent, "self_draw", of, Share, "wins by self-draw", selfDraws, wins)
		t.note(sectionAgent, "deal_in", of, Share, "hands in which it gave the winning tile", dealIns, hands)
		if t.rules.Ready != ruleset.NoReady {
			t.note(sectionAgent, "ready", of, Share, "hands in which it declared ready", readies, hands)
		}
		t.note(sectionAgent, "call", of, Share, "hands in which it called", calls, hands)
		t.note(sectionAgent, "decisions", of, Decisions, "decisions a hand", decisions, hands)
		if t.hasHands {
			var value, turns, loss float64
			for k := range m.hands {
				h := &m.hands[k]
				for w := range h.Wins {
					win := &h.Wins[w]
					if t.agentOf[m.players[win.Player].Agent] == i {
						value += t.points(float64(win.Points))
						turns += turnsOf(h)
					}
				}
				if h.Giver != export.NoPlayer && t.agentOf[m.players[h.Giver].Agent] == i {
					loss -= t.points(float64(h.Payments[h.Giver]))
				}
			}
			t.note(sectionAgent, "win_value", of, Points, "value of a won hand", value, wins)
			t.note(sectionAgent, "win_turn", of, Turns, "turns until it wins", turns, wins)
			t.note(sectionAgent, "deal_in_cost", of, Points, "points lost in a hand in which it gave the winning tile", loss, dealIns)
		}
	}
}

// turnsOf returns how many turns a hand lasted: its discards divided among four.
func turnsOf(h *export.HandRow) float64 { return float64(h.Discards) / sim.NumPlayers }
