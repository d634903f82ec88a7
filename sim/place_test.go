package sim_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// place is a hand being played from a setup.
type place struct {
	table  sim.Table
	rules  *ruleset.Rules
	events []sim.Event  // all so far
	fresh  int          // first event since the last command
	seen   int          // first event a ">" line may still match
	base   [4]int32     // points of the players at the start of the hand
	pot    int          // riichi sticks then
	winds  [4]tile.Wind // of the players in the hand
	number int          // of the dealer in the round, from 1
	spare  [4]tile.Set  // kinds the hands were filled with, by seat
}

func (p *place) seat(w tile.Wind) sim.Player { return sim.Player(slices.Index(p.winds[:], w)) }

func (p *place) wind(q sim.Player) tile.Wind { return p.winds[q] }

// start deals the hand of a setup under a preset.
func (s *setup) start(preset string) (*place, error) {
	r, err := s.rules(preset)
	if err != nil {
		return nil, err
	}
	w, spare, err := s.wall(r)
	if err != nil {
		return nil, err
	}
	p := &place{rules: r, number: int(s.dealer) + 1, spare: spare}
	m := sim.MatchState{Round: s.round, Counter: s.honba, Deposits: s.deposits}
	for q := range sim.Player(r.NumSeats()) { // whoever sits on the dealer's chair in this round
		m.Dealer = q
		if p.table, err = sim.NewTableAt(r, 1, m); err != nil {
			return nil, err
		}
		if p.table.DealerChair() == s.dealer {
			break
		}
	}
	for q := range m.Points {
		p.winds[q] = tile.Wind(q)
		if q < r.NumSeats() {
			p.winds[q] = p.table.View(0).SeatWind(sim.Player(q))
		}
	}
	for q := range r.NumSeats() {
		m.Points[q] = int32(r.StartingPoints * r.Unit())
		if points, ok := s.points[p.wind(sim.Player(q))]; ok {
			m.Points[q] = points * int32(r.Unit())
		}
	}
	for _, d := range s.debts {
		d.Points *= int32(r.Unit())
		m.Ledger[p.seat(d.creditor)][p.seat(d.debtor)] = d.Debt
	}
	p.base, p.pot = m.Points, m.Deposits
	if p.table, err = sim.NewTableAt(r, 1, m); err != nil {
		return nil, err
	}
	p.events = p.table.StartHandFrom(w, nil)
	return p, nil
}

// next deals the next hand of the match with the tiles of a setup.
func (p *place) next(s *setup) error {
	if p.table.Phase() != sim.PhaseDeal {
		return fmt.Errorf("no hand is to be dealt in phase %v", p.table.Phase())
	}
	s.dealer = p.table.DealerChair()
	w, spare, err := s.wall(p.rules)
	if err != nil {
		return err
	}
	m := p.table.MatchState()
	p.base, p.pot, p.number, p.spare = m.Points, m.Deposits, int(s.dealer)+1, spare
	for q := range p.rules.NumSeats() {
		p.winds[q] = p.table.View(0).SeatWind(sim.Player(q))
	}
	p.fresh, p.seen = len(p.events), len(p.events)
	p.events = p.table.StartHandFrom(w, p.events)
	return nil
}

func (p *place) step(q sim.Player, a sim.Action) error {
	var err error
	p.events, err = p.table.Step(q, a, p.events)
	return err
}

func (p *place) asked(q sim.Player) bool { return p.table.Asked().Has(q) }

// turn returns the player whose turn it is, -1 in other phases.
func (p *place) turn() sim.Player {
	if p.table.Phase() != sim.PhaseTurn {
		return -1
	}
	return p.table.View(0).Turn()
}

// pass lets everyone who is still asked in a window pass.
func (p *place) pass() error {
	asked := p.table.Asked()
	for q := range sim.Player(4) {
		if asked.Has(q) {
			if err := p.step(q, sim.ActPass); err != nil {
				return err
			}
		}
	}
	return nil
}

// idle lets the table play on by one answer of each player asked: pass, ready
// hands are shown, flowers do not win, the drawn tile is discarded.
func (p *place) idle() error {
	ph := p.table.Phase()
	if ph == sim.PhaseClaim || ph == sim.PhaseRob || ph == sim.PhaseReady {
		return p.pass()
	}
	for q := range sim.Player(4) {
		if !p.asked(q) {
			continue
		}
		legal := p.table.Legal(q)
		for _, a := range []sim.Action{sim.ActTenpai, sim.ActPass, sim.ActFlowerAward, sim.ActDiscardDrawn} {
			if legal.Has(a) {
				return p.step(q, a)
			}
		}
		return fmt.Errorf("%v has no tile to discard by default", p.wind(q))
	}
	return fmt.Errorf("nobody is asked in phase %v", ph)
}

func (p *place) ended() bool {
	ph := p.table.Phase()
	return ph == sim.PhaseDeal || ph == sim.PhaseOver || ph == sim.PhaseBetween
}

// playOn idles until the condition holds.
func (p *place) playOn(until func() bool) error {
	for !until() {
		if p.ended() {
			return fmt.Errorf("the hand ended")
		}
		if err := p.idle(); err != nil {
			return err
		}
	}
	return nil
}

// parseAction reads an action of the script for player q: a text of the action
// table, "discard spare" for a tile the setup filled the hand with, or ron, rob
// and tsumo for a win.
func (p *place) parseAction(q sim.Player, text string) (sim.Action, error) {
	switch phase := p.table.Phase(); {
	case text == "ron" && phase == sim.PhaseClaim,
		text == "rob" && phase == sim.PhaseRob,
		text == "tsumo" && phase == sim.PhaseTurn:
		return sim.ActWin, nil
	case text == "ron", text == "rob", text == "tsumo":
		return sim.NoAction, fmt.Errorf("%s in phase %v", text, phase)
	}
	if text == "discard spare" {
		legal := p.table.Legal(q)
		for set := p.spare[p.wind(q)]; set != 0; set = set.Rest() {
			if a := sim.Action(set.First()); legal.Has(a) {
				return a, nil
			}
		}
		return sim.NoAction, fmt.Errorf("no spare tile")
	}
	a, err := sim.ParseAction(text)
	if err != nil {
		return a, err
	}
	// The drawn tile may be named by its face, unless the same is held too.
	if legal := p.table.Legal(q); a.IsDiscard() && !legal.Has(a) {
		drawn := p.table.View(q).Drawn()
		switch {
		case a < sim.ActDiscardDrawn && drawn == tile.Face(a):
			return sim.ActDiscardDrawn, nil
		case a >= sim.ActReady && a < sim.ActReadyDrawn && drawn == tile.Face(a-sim.ActReady):
			return sim.ActReadyDrawn, nil
		}
	}
	return a, nil
}

// may reports whether one of the actions that text stands for is legal for q.
// A word such as "ready" or "chi" stands for all actions that begin with it.
func (p *place) may(q sim.Player, text string) bool {
	legal := p.table.Legal(q)
	phase := p.table.Phase()
	switch text {
	case "ron":
		return phase == sim.PhaseClaim && legal.Has(sim.ActWin)
	case "rob":
		return phase == sim.PhaseRob && legal.Has(sim.ActWin)
	case "tsumo":
		return phase == sim.PhaseTurn && legal.Has(sim.ActWin)
	}
	for a := range legal.All {
		if name := a.String(); name == text || strings.HasPrefix(name, text+" ") {
			return true
		}
	}
	if a, err := p.parseAction(q, text); err == nil {
		return legal.Has(a)
	}
	return false
}

// play carries out a command of a script:
//
//	E discard 5m          an action; whoever is not named passes and
//	S chi low, W pon      discards the drawn tile until then
//	until S               play on until it is a seat's turn
//	until live 4          play on until so many tiles can be drawn at a decision
//	until exhausted       play on until the wall is empty and nobody has won
//	run                   play on to the end of the hand
func (p *place) play(line string) error {
	p.fresh, p.seen = len(p.events), len(p.events)
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "run":
		return p.playOn(p.ended)
	case "until":
		if live, ok := strings.CutPrefix(rest, "live "); ok {
			n, err := strconv.Atoi(live)
			if err != nil {
				return err
			}
			return p.playOn(func() bool { return p.turn() >= 0 && p.table.View(0).TilesLeft() == n })
		}
		if rest == "exhausted" {
			return p.playOn(func() bool { return p.table.Phase() == sim.PhaseDeclare })
		}
		w, err := tile.ParseWind(rest)
		if err != nil {
			return err
		}
		return p.playOn(func() bool { return p.turn() == p.seat(w) })
	}
	for i, part := range strings.Split(line, ", ") {
		seat, text, _ := strings.Cut(part, " ")
		w, err := tile.ParseWind(seat)
		if err != nil {
			return err
		}
		if err := p.answer(p.seat(w), text, i == 0); err != nil {
			return err
		}
	}
	if a := p.table.Phase(); a == sim.PhaseClaim || a == sim.PhaseRob || a == sim.PhaseReady {
		// The others pass once one player has answered; a window that a
		// discard or kan has just opened stays open.
		if p.table.Decided() {
			return p.pass()
		}
	}
	return nil
}

// answer gives the answer of player q, playing on until it is legal; wait tells
// whether that is allowed.
func (p *place) answer(q sim.Player, text string, wait bool) error {
	for {
		if p.asked(q) {
			a, err := p.parseAction(q, text)
			legal := p.table.Legal(q)
			if err == nil && legal.Has(a) {
				return p.step(q, a)
			}
			if p.turn() == q || p.table.Phase() == sim.PhaseDeclare || !wait {
				return fmt.Errorf("%v may not %s: legal are %s", p.wind(q), text, list(&legal))
			}
		}
		if p.ended() || !wait {
			return fmt.Errorf("%v is never asked to %s", p.wind(q), text)
		}
		if err := p.idle(); err != nil {
			return err
		}
	}
}

// list writes a set of actions, separated by commas.
func list(l *sim.ActionSet) string {
	var names []string
	for a := range l.All {
		names = append(names, a.String())
	}
	return strings.Join(names, ", ")
}
