package heuristic

import (
	"math"

	"github.com/jansou/jansou/ruleset/tile"
	"github.com/jansou/jansou/sim"
	"github.com/jansou/jansou/sim/perceptron"
)

// InputsVersion is that of the inputs below; a network is for one of them.
const InputsVersion = 3

// The inputs of the network: places of what stands for each kind of tile, then what is
// told of the situation, then of the action.
const (
	atHand     = 0                      // by number held and kind, after the action
	atSeen     = 4 * tile.NumKinds      // by kind: how many lie open
	atDora     = atSeen + tile.NumKinds // by kind: how many dora a tile of it counts
	atValued   = atDora + tile.NumKinds // by honor: whether a triplet of it is worth something by itself
	situation0 = atValued + 7

	ownInputs      = 62
	opponentInputs = 25
	action0        = situation0 + ownInputs + (sim.NumPlayers-1)*opponentInputs

	planInputs   = 58
	tileInputs   = 19
	dangerInputs = 38
	// NumInputs is the number of inputs of an expert's network.
	NumInputs = action0 + planInputs + tileInputs + (sim.NumPlayers-1)*dangerInputs
)

const one = perceptron.One

// inputs is a list of inputs under construction: next is the place of the next one.
type inputs struct {
	list [256]perceptron.Input
	n    int
	next int
}

// put tells the next input.
func (c *inputs) put(n int) {
	if n != 0 {
		c.at(c.next, n)
	}
	c.next++
}

// at tells the input of a place.
func (c *inputs) at(place, n int) {
	c.list[c.n] = perceptron.Input{At: uint16(place), Value: int8(max(-127, min(n, 127)))}
	c.n++
}

func (c *inputs) flag(b bool) {
	if b {
		c.at(c.next, one)
	}
	c.next++
}

// oneOf tells which of n inputs holds; none if i is not below n.
func (c *inputs) oneOf(i, n int) {
	if i >= 0 && i < n {
		c.at(c.next+i, one)
	}
	c.next += n
}

// begin empties the list and goes to a place.
func (c *inputs) begin(place int) { c.n, c.next = 0, place }

// skipTo goes to a place; all before it must have been told.
func (c *inputs) skipTo(place int) {
	if c.next > place {
		panic("heuristic: more inputs than there is room for")
	}
	c.next = place
}

func (c *inputs) all() []perceptron.Input { return c.list[:c.n] }

// amount returns units as a multiple of a part of the scale.
func (x *Expert) amount(units, part float64) int {
	return int(math.Round(float64(max(-4, min(units/(float64(x.scale)*part), 4)) * one)))
}

// AlikeInputs returns the orders of the inputs in which suits have changed places: place
// i of a list goes to order[i]. The first changes nothing.
func AlikeInputs() [][]uint16 {
	var orders [][]uint16
	for _, suits := range [...][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		order := make([]uint16, NumInputs)
		for i := range order {
			order[i] = uint16(i)
			if i < atValued {
				if k := i % tile.NumKinds; k < int(tile.East) {
					order[i] = uint16(i - k + 9*suits[k/9] + k%9)
				}
			}
		}
		orders = append(orders, order)
	}
	return orders
}
