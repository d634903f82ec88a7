package heuristic

import "sync"

// Bounds of the table of win chances. What lies beyond counts as the bound.
const (
	maxDistance = 6
	maxUkeire   = 63
	maxDraws    = 24
)

// winChances is the chance to win with a hand, by whether another player threatens,
// whether the hand needs particular sets, the number of own draws left, the distance (0
// tenpai) and the ukeire. The entries that one decision reads lie together.
type winChances [2][2][maxDraws + 1][maxDistance + 1]chancesByUkeire

// chancesByUkeire are the chances to win by ukeire, all else being equal.
type chancesByUkeire [maxUkeire + 1]float32

// at returns the chance to win with a hand.
func (c *winChances) at(threatened, restricted bool, distance, ukeire, draws int) float64 {
	return c.byUkeire(threatened, restricted, distance, draws).at(ukeire)
}

func (c *winChances) byUkeire(threatened, restricted bool, distance, draws int) *chancesByUkeire {
	return &c[boolIndex(threatened)][boolIndex(restricted)][clamp(draws, maxDraws)][clamp(distance, maxDistance)]
}

func (c *chancesByUkeire) at(ukeire int) float64 { return float64(c[clamp(ukeire, maxUkeire)]) }

func boolIndex(b bool) int {
	if b {
		return 1
	}
	return 0
}

func clamp(n, most int) int { return min(max(n, 0), most) }

// meanUkeire is the mean ukeire of hands of thirteen tiles by distance.
var meanUkeire = [maxDistance + 1]float64{6, 16, 25, 33, 40, 46, 50}

// Other parameters of the table, tuned by matches against greedy.
const (
	// restrictedShare is the share of the mean ukeire of a hand that needs particular sets.
	restrictedShare = 0.5
	// progressShare reduces the chance to draw a tile that helps, once for each step
	// beyond the first: such tiles also come when another is needed.
	progressShare = 0.65
	// undrawnTiles is the number of unseen tiles that are never drawn.
	undrawnTiles = 49
	// wonOnDiscard is the chance that a tenpai hand wins on a discard of another player
	// relative to its chance on a draw, without and with a threat at the table.
	wonOnDiscard, wonOnDiscardThreatened = 0.5, 0.4
	// Another player ends the hand in a go-around with these chances: in the first,
	// eighteen later, and with a threat at the table.
	endChanceFirst, endChanceLast, endChanceThreatened = 0.006, 0.4, 0.14
)

func typicalUkeire(distance int, restricted bool) int {
	return typicalUkeireTable[boolIndex(restricted)][clamp(distance, maxDistance)]
}

// typicalUkeireTable has meanUkeire in whole tiles, without and with restriction.
var typicalUkeireTable = func() (n [2][maxDistance + 1]int) {
	free, restricted := &n[boolIndex(false)], &n[boolIndex(true)]
	for distance, mean := range meanUkeire {
		free[distance], restricted[distance] = int(mean), int(mean*restrictedShare)
	}
	restricted[0] = free[0] // a tenpai hand has its waits
	return n
}()

// sharedWinChances returns the table, which is computed once.
var sharedWinChances = sync.OnceValue(func() *winChances {
	c := new(winChances)
	for _, threatened := range [...]bool{false, true} {
		for _, restricted := range [...]bool{false, true} {
			c.fill(threatened, restricted)
		}
	}
	return c
})

// fill computes the chances of one kind of hands by recursion over distance and draws.
func (c *winChances) fill(threatened, restricted bool) {
	table := &c[boolIndex(threatened)][boolIndex(restricted)]
	onDiscard := wonOnDiscard
	if threatened {
		onDiscard = wonOnDiscardThreatened
	}
	keep := 1.0
	for distance := range maxDistance + 1 {
		for ukeire := range maxUkeire + 1 {
			for draws := 1; draws <= maxDraws; draws++ {
				chance, before := &table[draws][distance][ukeire], &table[draws-1]
				ended := endChanceThreatened
				if !threatened {
					ended = endChanceFirst + float64(float64(max(18-draws, 0))/18*(endChanceLast-endChanceFirst))
				}
				draw := min(float64(ukeire)/float64(4*draws+undrawnTiles), 1)
				stay := float64((1 - ended) * float64(before[distance][ukeire]))
				if distance == 0 {
					missed := 1 - float64(draw*onDiscard)
					win := 1 - float64((1-draw)*missed*missed*missed)
					*chance = float32(win + float64((1-win)*stay))
					continue
				}
				draw = float64(draw * keep)
				next := float64(before[distance-1][typicalUkeire(distance-1, restricted)])
				*chance = float32(float64(draw*(1-ended)*next) + float64((1-draw)*stay))
			}
		}
		if distance > 0 {
			keep *= progressShare
		}
	}
}
