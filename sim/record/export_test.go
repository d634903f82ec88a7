package record

// What the tests that write records need to know.
var (
	TenhouYaku   = tenhouYaku[:]
	TenhouAborts = tenhouAborts
	JSONYaku     = jsonYaku
	JSONAborts   = jsonAborts
)

// TenhouShuffle names the way of shuffling, TenhouWalls returns the walls of a
// seed and the dice, hand by hand.
const TenhouShuffle = tenhouShuffle

func TenhouWalls(seed string) (func() ([136]uint8, [2]int), error) {
	s, err := newTenhouSeed(seed)
	if err != nil {
		return nil, err
	}
	return s.next, nil
}

// Twister returns the first outputs of a Mersenne twister with a key.
func Twister(key []uint32, n int) []uint32 {
	var t twister
	t.init(key)
	out := make([]uint32, n)
	for i := range out {
		out[i] = t.next()
	}
	return out
}
