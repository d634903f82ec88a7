package strength

import "github.com/sparrowhall/sparrowhall/export/dataset"

// Course returns the standings of a tournament after each of at most looks equal parts of its
// matches. Parts end with duplicate sets; the last standings are those of all matches.
func Course(d *dataset.Dataset, looks int) ([]*Standings, error) {
	t, err := NewTally(d.Run)
	if err != nil {
		return nil, err
	}
	seatings, matches := uint64(t.seatings), d.Matches()
	// In whole duplicate sets: at any other match the tally would leave out the set that is not
	// complete.
	part := max(1, matches/seatings/uint64(looks)) * seatings
	var list []*Standings
	for rows, err := range d.MatchesByRows() {
		if err != nil {
			return nil, err
		}
		t.Add(rows)
		// The last look is at all matches. One that is less than a part before it would show the
		// same matches twice, and is left out.
		if last := t.matches == matches; !last && (t.matches%part != 0 || matches-t.matches < part) {
			continue
		}
		s, err := t.Compute()
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}
