package tenhou

// What the tests that write records need to know.
var (
	MJLogYaku   = mjlogYaku[:]
	MJLogAborts = mjlogAborts
)

// Shuffle names the way of shuffling, Walls returns the walls of a
// seed and the dice, hand by hand.
const Shuffle = shuffleName

func Walls(seed string) (func() ([136]uint8, [2]int), error) {
	s, err := newSeed(seed)
	if err != nil {
		return nil, err
	}
	return s.next, nil
}
