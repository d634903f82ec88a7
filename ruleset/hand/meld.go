package hand

import "github.com/sparrowhall/sparrowhall/ruleset/tile"

// MeldType is the way a set was laid down.
type MeldType uint8

// The five melds. An added kan is a pon to which the fourth tile was added.
const (
	Chi MeldType = iota
	Pon
	OpenKan
	AddedKan
	ClosedKan
)

// String returns the name used in scoring cases: chi, pon, open_kan, added_kan
// or closed_kan.
func (t MeldType) String() string {
	return [...]string{"chi", "pon", "open_kan", "added_kan", "closed_kan"}[t]
}

// IsKan reports whether t is one of the three kans.
func (t MeldType) IsKan() bool { return t >= OpenKan }

// Meld is a set laid down.
type Meld struct {
	// Type is the type, which also decides whether the meld is open.
	Type MeldType
	// Kind is the kind of a triplet or quad, the lowest kind of a sequence.
	Kind tile.Kind
	// Claimed is the place of the claimed tile in a sequence, 0 lowest to 2
	// highest; 0 for other melds.
	Claimed uint8
	// From is the player who discarded the claimed tile, counted in turn order from the
	// owner: 1 next, 2 across, 3 previous. It is 0 for a closed kan.
	From uint8
	// Reds is the number of red fives in the meld; ClaimedRed reports whether the
	// claimed tile is one of them.
	Reds       uint8
	ClaimedRed bool
	// AddedRed reports whether the tile added to a pon was a red five.
	AddedRed bool
}

// IsOpen reports whether the meld contains another player's tile. All melds but
// closed kans do.
func (m Meld) IsOpen() bool { return m.Type != ClosedKan }

// Size returns the number of tiles in the meld, 3 or 4.
func (m Meld) Size() int {
	if m.Type.IsKan() {
		return 4
	}
	return 3
}

// Count returns how many tiles of kind k the meld holds, 0..4.
func (m Meld) Count(k tile.Kind) int {
	switch {
	case m.Type == Chi && k-m.Kind < 3:
		return 1
	case m.Type != Chi && k == m.Kind:
		return m.Size()
	}
	return 0
}

// MeldSummary is the kinds and the number of the melds of a player.
type MeldSummary struct {
	// Kinds are those of all tiles, Triplets those of pons and kans.
	Kinds, Triplets tile.Set
	// Runs are the sequences by their lowest kind.
	Runs tile.Copies
	// Kans and ClosedKans count kans, and the closed ones among them. Open reports whether
	// a meld shows another player's tile.
	Kans, ClosedKans int
	Open             bool
}

// SummarizeMelds returns the summary of melds.
func SummarizeMelds(melds []Meld) (s MeldSummary) {
	for i := range melds {
		m := &melds[i]
		bit := m.Kind.Bit()
		if m.Type == Chi {
			s.Kinds |= 7 * bit
			s.Runs.Add(bit)
			s.Open = true
			continue
		}
		s.Kinds |= bit
		s.Triplets |= bit
		if m.Type.IsKan() {
			s.Kans++
		}
		if m.Type == ClosedKan {
			s.ClosedKans++
		} else {
			s.Open = true
		}
	}
	return s
}

// MaxMelds is the largest number of melds a player can have, that of a
// seventeen-tile hand.
const MaxMelds = 5
