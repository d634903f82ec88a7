package viewer

import (
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/sim"
)

// seen are the events after which the page stands still.
var seen = [...]sim.EventType{
	sim.EvDraw, sim.EvFlower, sim.EvFlowerChoice, sim.EvKita, sim.EvDiscard, sim.EvChi, sim.EvPon, sim.EvOpenKan,
	sim.EvClosedKan, sim.EvAddedKan, sim.EvExhausted, sim.EvAbort, sim.EvHandEnd, sim.EvMatchEnd,
}

// stops returns the numbers of events after which the page stands still, in ascending order:
// before decisions and after what is seen. Events that belong together have one stop. A forfeit
// belongs to what follows it: datasets do not store when it was, and their pages have the same
// numbers.
func stops(m *sim.Match) []int {
	list := []int{}
	for _, c := range m.Choices {
		if c.EventIndex > 0 {
			list = append(list, int(c.EventIndex))
		}
	}
	for i, e := range m.Events {
		next := sim.EventType(0)
		if i+1 < len(m.Events) {
			next = m.Events[i+1].Type
		}
		switch {
		case slices.Contains(seen[:], e.Type),
			e.Type == sim.EvValue && next != sim.EvWin,
			e.Type == sim.EvDeal && next != sim.EvDeal:
			list = append(list, i+1)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// EventsBefore returns the number of events before a step of a hand, by the numbers of the page:
// hands count from 0 in the match, steps from 0 in the hand. The choices of m must be kept.
func EventsBefore(m *sim.Match, hand, step int) (int, error) {
	if hand < 0 || hand >= len(m.Hands) {
		return 0, fmt.Errorf("hand %d; the match has hands 0 to %d", hand, len(m.Hands)-1)
	}
	all := stops(m)
	first, _ := slices.BinarySearch(all, m.Hands[hand].FirstEvent+1)
	end := len(all)
	if hand+1 < len(m.Hands) {
		end, _ = slices.BinarySearch(all, m.Hands[hand+1].FirstEvent+1)
	}
	if step < 0 || first+step >= end {
		return 0, fmt.Errorf("step %d; hand %d has steps 0 to %d", step, hand, end-first-1)
	}
	return all[first+step], nil
}
