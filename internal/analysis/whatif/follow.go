package whatif

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/insight/policydiff"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Cause is why a hand cannot be re-scored, in words.
type Cause string

// The causes.
const (
	notApart       Cause = ""
	otherTiles     Cause = "players would have seen other tiles or events"
	otherWins      Cause = "a win would have been possible under one of the rules only"
	otherReady     Cause = "ready could have been declared under one of the rules only"
	otherCalls     Cause = "a call would have been possible under one of the rules only"
	otherKans      Cause = "a kan would have been possible under one of the rules only" // in the own turn
	otherDiscards  Cause = "a discard would have been possible under one of the rules only"
	otherChoices   Cause = "another answer would have been possible under one of the rules only"
	otherEnd       Cause = "the hand would have ended at another moment"
	hiddenTiles    Cause = "the result depends on tiles that the records do not have"
	otherStandings Cause = "the match would not have come to the hand"
)

// allCauses lists the causes in the order in which equally frequent ones are printed.
var allCauses = []Cause{
	otherTiles, otherWins, otherReady, otherCalls, otherKans, otherDiscards, otherChoices, otherEnd, hiddenTiles, otherStandings,
}

// causeOf maps the kind of the actions that differ to the cause.
var causeOf = [policydiff.NumKinds]Cause{
	policydiff.Discards: otherDiscards, policydiff.Readies: otherReady, policydiff.Calls: otherCalls,
	policydiff.Kans: otherKans, policydiff.Wins: otherWins, policydiff.Others: otherChoices,
}

// table is a table that follows a recorded match, with the events of the current hand.
type table struct {
	state  sim.Table
	rules  *ruleset.Rules
	events []sim.Event
	// read is the number of events that have been compared.
	read int
	// chained reports whether all hands before were played at this table, so that its points
	// follow from its own payments.
	chained bool
	// apart is the cause why the current hand is set apart.
	apart Cause
}

func (t *table) start(m *dataset.ReplayedMatch) (err error) {
	t.state, err = m.Match.NewTable(t.rules)
	t.chained = err == nil
	return err
}

// deal begins a hand, from the state of the match in the record unless t is chained.
func (t *table) deal(m *dataset.ReplayedMatch, hand int, state sim.MatchState) {
	t.events, t.read, t.apart = t.events[:0], 0, notApart
	if !t.chained {
		var err error
		later := sim.Match{Seed: m.Match.Seed, Sealed: m.Match.Sealed, Walls: m.Match.Walls, RoundWind: m.Match.RoundWind, Start: &state}
		if t.state, err = later.NewTable(t.rules); err != nil {
			t.apart = otherStandings
			return
		}
	}
	t.events = m.Match.Deal(&t.state, hand, t.events)
}

// answer gives the answers of the players asked, which are legal.
func (t *table) answer(asked sim.Players, answers []sim.Action) {
	for i := 0; asked != 0; asked = asked.Rest() {
		var err error
		if t.events, err = t.state.Step(asked.First(), answers[i], t.events); err != nil {
			panic(err) // legal at both tables
		}
		i++
	}
}

func (t *table) playing() bool {
	switch t.state.Phase() {
	case sim.PhaseDeal, sim.PhaseBetween, sim.PhaseOver:
		return false
	}
	return true
}

// compare sets t apart if it does not offer the same actions to the same players as the table of
// the record, or if they have seen other events: those of base from number from on differ from
// those of t since the last call.
func (t *table) compare(base *table, from int, wholeWalls bool) {
	same, ura := t.compareEvents(base, from)
	switch {
	case t.playing() != base.playing():
		t.apart = otherEnd
	case !base.playing():
		if ura > 0 && !wholeWalls {
			t.apart = hiddenTiles
		}
	case !same || t.state.Phase() != base.state.Phase():
		t.apart = otherTiles
	default:
		for asked := base.state.Asked() | t.state.Asked(); asked != 0; asked = asked.Rest() {
			var only sim.ActionSet
			a, b := base.state.Legal(asked.First()), t.state.Legal(asked.First())
			for i := range only {
				only[i] = a[i] ^ b[i]
			}
			if only != (sim.ActionSet{}) {
				t.apart = causeOf[policydiff.KindOf(&only)]
				return
			}
		}
	}
}

// isVisible reports whether players see an event during a hand, apart from amounts.
func isVisible(e sim.Event) bool {
	switch e.Type {
	case sim.EvValue, sim.EvPay, sim.EvDebt, sim.EvPlacement, sim.EvHandStart, sim.EvHandEnd, sim.EvTruncated, sim.EvMatchEnd:
		return false
	case sim.EvIndicator:
		return !e.Ura()
	}
	return true
}

// compareEvents reports whether players have seen the same at both tables since the last call,
// and how many more ura indicators t has turned.
func (t *table) compareEvents(base *table, from int) (same bool, ura int) {
	visible := func(events []sim.Event, sign int) (list []sim.Event) {
		for _, e := range events {
			switch {
			case isVisible(e):
				list = append(list, e)
			case e.Type == sim.EvIndicator:
				ura += sign
			}
		}
		return list
	}
	same = slices.Equal(visible(base.events[from:], -1), visible(t.events[t.read:], 1))
	t.read = len(t.events)
	return same, ura
}

// outcome has the payments and wins of a hand.
type outcome struct {
	pays          [sim.NumPlayers]float64
	paid          float64 // to all players
	value         float64 // of all wins
	wins          int
	giver, dealer sim.Player // giver is -1 without a win on another's tile
}

// outcome returns the result of the current hand.
func (t *table) outcome() (o outcome) {
	o.giver = -1
	unit := float64(t.rules.Unit())
	for _, e := range t.events {
		switch e.Type {
		case sim.EvHandStart:
			o.dealer = e.Player
		case sim.EvPay:
			from, to, amount, _ := e.Pay()
			if from < sim.NumPlayers {
				o.pays[from] -= float64(amount) / unit
			}
			if to < sim.NumPlayers {
				o.pays[to] += float64(amount) / unit
				o.paid += float64(amount) / unit
			}
		case sim.EvWin:
			o.wins++
			if _, giver := e.Win(); giver != e.Player {
				o.giver = giver
			}
		case sim.EvValue:
			points, _, _ := e.HandValue()
			o.value += float64(points)
		case sim.EvHandEnd:
			return o
		}
	}
	return o
}
