package tile

// Copies is a number of tiles, or of sets named by a tile, of each kind, 0 to 4:
// Copies[i] holds the kinds of which there are more than i.
type Copies [4]Set

// Add adds one of each of the kinds, of which there must be fewer than four.
func (c *Copies) Add(kinds Set) {
	c[3] |= c[2] & kinds
	c[2] |= c[1] & kinds
	c[1] |= c[0] & kinds
	c[0] |= kinds
}

// Remove takes one of each of the kinds away, of which there must be one.
func (c *Copies) Remove(kinds Set) {
	c[0] &^= kinds &^ c[1]
	c[1] &^= kinds &^ c[2]
	c[2] &^= kinds &^ c[3]
	c[3] &^= kinds
}

// Count returns how many there are of kind k.
func (c *Copies) Count(k Kind) int {
	return int(c[0]>>k&1 + c[1]>>k&1 + c[2]>>k&1 + c[3]>>k&1)
}
