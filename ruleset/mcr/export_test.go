package mcr

import "math/bits"

// Excluded returns for each fan the other fan that are not counted with it, single
// units apart. It panics if a fan has no
// place of its own in a bag.
func Excluded() [][]string {
	var taken bag
	for i, r := range table[:flowerTiles] {
		minors := every(r.fan.minors)
		if bits.OnesCount64(uint64(r.fan.majors))+bits.OnesCount64(uint64(r.fan.minors)) != 1 ||
			taken.majors&r.fan.majors != 0 || taken.minors&minors != 0 {
			panic("no place of its own: " + patterns[i].ID)
		}
		taken.majors |= r.fan.majors
		taken.minors |= minors
	}
	all := make([][]string, numFans)
	for i, r := range table {
		for j, other := range table {
			majors, minors := other.fan.majors&r.excludes.majors, every(other.fan.minors)&r.excludes.minors
			if majors != 0 || minors != 0 {
				all[i] = append(all[i], patterns[j].ID)
			}
			if minors != 0 && minors != every(other.fan.minors) {
				panic(patterns[i].ID + " leaves some of " + patterns[j].ID)
			}
		}
	}
	return all
}
