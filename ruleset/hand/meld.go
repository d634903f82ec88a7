package hand

import "github.com/sparrowhall/sparrowhall/ruleset/tile"

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
