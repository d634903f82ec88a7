package heuristic

import "sync"

// Bounds of the table of chances: the farthest hand, the most useful tiles and
// the most draws it tells apart. What lies beyond counts as the bound.
const (
	maxFar   = 6
	maxLive  = 63
	maxDraws = 24
)

// chances holds the chance to win with a hand, by whether somebody else is known
// to be ready, whether not every shape will do, the number of own draws left, the
// distance and the number of unseen useful tiles. What one decision asks for lies
// together.
type chances [2][2][maxDraws + 1][maxFar + 1]chancesByLive

// chancesByLive are those by the number of unseen useful tiles alone.
type chancesByLive [maxLive + 1]float32

// of returns the chance of a hand.
func (c *chances) of(threatened, narrow bool, distance, live, draws int) float64 {
	return c.far(threatened, narrow, distance, draws).of(live)
}

// far returns the chances of hands at a distance.
func (c *chances) far(threatened, narrow bool, distance, draws int) *chancesByLive {
	return &c[index(threatened)][index(narrow)][clamp(draws, maxDraws)][clamp(distance, maxFar)]
}

// of returns the chance with a number of useful tiles.
func (c *chancesByLive) of(live int) float64 { return float64(c[clamp(live, maxLive)]) }

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}

func clamp(n, most int) int { return min(max(n, 0), most) }

// usualLive is the number of unseen useful tiles that hands of thirteen tiles
// usually have at each distance.
var usualLive = [maxFar + 1]float64{6, 16, 25, 33, 40, 46, 50}

// What the table rests on besides; found by play against greedy.
const (
	// narrowLive is the part of the useful tiles that is left where not every
	// shape will do.
	narrowLive = 0.5
	// idle is the part of its chances to come nearer that a hand keeps for each
	// exchange beyond the last: useful tiles also come when others are more so.
	idle = 0.65
	// hidden is the number of tiles a player cannot see that nobody will draw.
	hidden = 49
	// A ready hand finds its tile among this part of the discards of others,
	// without and with a ready player at the table.
	won, wonLate = 0.5, 0.4
	// Somebody else ends the hand in a go-around: the first, one eighteen later,
	// and any with a ready player at the table.
	endFirst, endLast, endReady = 0.006, 0.4, 0.14
)

// usual returns the number of unseen useful tiles that a hand usually has.
func usual(distance int, narrow bool) int {
	return usualNumbers[index(narrow)][clamp(distance, maxFar)]
}

// usualNumbers has usualLive in whole tiles, and what is left of it in narrow hands.
var usualNumbers = func() (n [2][maxFar + 1]int) {
	for distance, live := range usualLive {
		n[0][distance], n[1][distance] = int(live), int(live*narrowLive)
	}
	n[1][0] = n[0][0] // the waits of a ready hand are what they are
	return n
}()

// chancesOf returns the table of chances. It is computed once.
var chancesOf = sync.OnceValue(func() *chances {
	c := new(chances)
	for _, threatened := range [...]bool{false, true} {
		for _, narrow := range [...]bool{false, true} {
			c.fill(threatened, narrow)
		}
	}
	return c
})

// fill computes the chances of one sort of hands, the nearest first.
func (c *chances) fill(threatened, narrow bool) {
	table := &c[index(threatened)][index(narrow)]
	onDiscard := won
	if threatened {
		onDiscard = wonLate
	}
	keep := 1.0
	for distance := range maxFar + 1 {
		for live := range maxLive + 1 {
			for draws := 1; draws <= maxDraws; draws++ {
				chance, before := &table[draws][distance][live], &table[draws-1]
				ended := endReady
				if !threatened {
					ended = endFirst + float64(float64(max(18-draws, 0))/18*(endLast-endFirst))
				}
				draw := min(float64(live)/float64(4*draws+hidden), 1)
				stay := float64((1 - ended) * float64(before[distance][live]))
				if distance == 0 {
					missed := 1 - float64(draw*onDiscard)
					win := 1 - float64((1-draw)*missed*missed*missed)
					*chance = float32(win + float64((1-win)*stay))
					continue
				}
				draw = float64(draw * keep)
				next := float64(before[distance-1][usual(distance-1, narrow)])
				*chance = float32(float64(draw*(1-ended)*next) + float64((1-draw)*stay))
			}
		}
		if distance > 0 {
			keep *= idle
		}
	}
}
