package fitting

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/insight/placement"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// HandResults collects how hands end. The zero value is empty.
type HandResults struct{ ends []handEnd }

// handEnd is how one hand ended. Its weight is not set.
type handEnd struct {
	placement.Row
	giver ruleset.Chair // who dealt in, counted from the dealer; NoChair for none
}

// Add adds the hands of a match under the rules, given by its events, that began without
// repeats and without deposits.
func (c *HandResults) Add(r *ruleset.Rules, events []sim.Event) {
	var x handEnd
	var dealer sim.Player
	who, fresh := [sim.NumPlayers]sim.Player{0, 1, 2, 3}, false
	chair := func(p sim.Player) ruleset.Chair {
		return ruleset.Chair(r.SeatWind(ruleset.Chair(slices.Index(who[:], p)), ruleset.Chair(slices.Index(who[:], dealer))))
	}
	for _, e := range events {
		switch e.Type {
		case sim.EvSeats:
			who, _, _ = e.Seats()
		case sim.EvHandStart:
			_, _, counter, deposits := e.HandStart()
			x, dealer, fresh = handEnd{giver: ruleset.NoChair}, e.Player, counter == 0 && deposits == 0
		case sim.EvWin:
			x.Winners |= chair(e.Player).Bit()
			if kind, giver := e.Win(); kind != sim.WinSelfDraw && kind != sim.WinFlower {
				x.giver = chair(giver)
			}
		case sim.EvExhausted:
			x.Ending = sim.EndDraw
		case sim.EvAbort:
			x.Ending = sim.EndAbort
		case sim.EvDeclare:
			if e.Declare() {
				x.Ready |= chair(e.Player).Bit()
			}
		case sim.EvPay:
			from, to, amount, _ := e.Pay()
			if from < sim.NumPlayers {
				x.Change[chair(from)] -= amount
			}
			if to < sim.NumPlayers {
				x.Change[chair(to)] += amount
			}
		case sim.EvHandEnd:
			if fresh && (x.Ending != sim.EndWin || x.Winners != 0) {
				c.ends = append(c.ends, x)
			}
			fresh = false
		}
	}
}

// Wins that end alike are divided by the points that change hands into at most maxParts
// parts: one more for each full 1/handsPerPart of all hands.
const maxParts, handsPerPart = 5, 200

// Table returns the table of the hands. It groups those with the same winners, giver
// and ready players, divided into parts by the points that change hands.
func (c *HandResults) Table() (*placement.Table, error) {
	if len(c.ends) == 0 {
		return nil, errors.New("fitting: no hands to make a table of")
	}
	if len(c.ends) > placement.MaxWeight {
		return nil, fmt.Errorf("fitting: %d hands; a table is made of at most %d", len(c.ends), placement.MaxWeight)
	}
	ends := slices.SortedFunc(slices.Values(c.ends), func(a, b handEnd) int {
		return cmp.Or(compareKinds(&a, &b), cmp.Compare(a.moved(), b.moved()), slices.Compare(a.Change[:], b.Change[:]))
	})
	t := &placement.Table{}
	for first := 0; first < len(ends); {
		last := first + 1
		for last < len(ends) && compareKinds(&ends[first], &ends[last]) == 0 {
			last++
		}
		same := ends[first:last]
		parts := 1
		if same[0].Ending == sim.EndWin {
			parts = min(maxParts, 1+len(same)*handsPerPart/len(ends), len(same))
		}
		for i := range parts {
			t.Rows = append(t.Rows, mean(same[i*len(same)/parts:(i+1)*len(same)/parts]))
		}
		first = last
	}
	return t, nil
}

// compareKinds orders hands by how they ended.
func compareKinds(a, b *handEnd) int {
	return cmp.Or(cmp.Compare(a.Ending, b.Ending), cmp.Compare(a.Winners, b.Winners), cmp.Compare(a.Ready, b.Ready), cmp.Compare(a.giver, b.giver))
}

// moved returns how many units the losers paid together.
func (x *handEnd) moved() (n int32) {
	for _, change := range x.Change {
		n -= min(change, 0)
	}
	return n
}

// mean returns the row of hands that ended alike: their number and mean gains.
func mean(same []handEnd) placement.Row {
	x := same[0].Row
	x.Weight = len(same)
	for c := range x.Change {
		var sum int64
		for i := range same {
			sum += int64(same[i].Change[c])
		}
		x.Change[c] = int32(sum / int64(len(same)))
	}
	return x
}

// Join moves the hands of another collector to c.
func (c *HandResults) Join(other *HandResults) {
	c.ends = append(c.ends, other.ends...)
	other.ends = other.ends[:0]
}

// Hands returns the number of hands collected.
func (c *HandResults) Hands() int { return len(c.ends) }
