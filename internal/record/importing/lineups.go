package importing

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/sim"
)

// lineups are the players of the matches of a group by name, so that its dataset is that of a
// tournament.
type lineups struct {
	// names are the players, in the order in which they are first met; empty if they are not
	// known, or too many.
	names []string
	// sets are the players of each duplicate set by number, in the first of its seatings.
	sets     [][sim.NumPlayers]uint8
	seatings int
}

// notCompared ends a note.
const notCompared = ", so players are not compared; leave such records out, or correct the names"

// maxSetSpan is the most records in a file from the first of a duplicate set to the last. They
// are written in the order of their seatings, and those in between are kept until then.
const maxSetSpan = 64

// dealOf returns the events of a match up to its first draw: the tiles that are dealt and the first
// indicator, which no two walls share by chance.
func dealOf(m *sim.Match) []sim.Event {
	return m.Events[:max(0, slices.IndexFunc(m.Events, func(e sim.Event) bool { return e.Type == sim.EvDraw }))]
}

// findLineups finds the players of the matches, and duplicate sets: matches with the same walls in
// which the same players take each seat in turn. If all matches are in sets, it puts them in the
// order of the schedule. If the names of a match are of no use, it is a copy, or its set lacks a
// seating, why says so.
func (g *group) findLineups() (at int, why string) {
	seats := g.variant.rules.NumSeats()
	numbers := map[string]uint8{}
	all := make([][sim.NumPlayers]uint8, len(g.matches))
	moved := false
	for i := range g.matches {
		names := g.matches[i].names[:seats]
		for p, name := range names {
			n, ok := numbers[name]
			if !ok {
				// Records of people have very many names, and many have none: no note for each of those.
				if name == "" && len(numbers) > 0 {
					return i, "a player has no name" + notCompared
				}
				if name == "" || len(numbers) == arena.MaxAgents {
					return 0, ""
				}
				n = uint8(len(numbers))
				numbers[name] = n
			}
			all[i][p] = n
		}
		// A table of one player against itself shows nothing about strength.
		if slices.Max(all[i][:seats]) == slices.Min(all[i][:seats]) {
			return i, "all players have one name" + notCompared
		}
		moved = moved || all[i] != all[0]
	}
	// If no player changes seats, the effect of a seat cannot be separated from strength.
	if !moved {
		return 0, "the players have these seats in all records" + notCompared
	}
	names := make([]string, len(numbers))
	for name, n := range numbers {
		names[n] = name
	}
	g.lineups = lineups{names: names, sets: all, seatings: 1}
	sets, lacking := g.rotations(all, seats)
	if lacking >= 0 {
		at, why = lacking, "a seating of its duplicate set is missing, so all matches count as independent; complete such sets, or leave them out"
	}
	if sets != nil {
		matches := slices.Clone(g.matches)
		g.lineups.sets, g.lineups.seatings = nil, arena.Rotations(seats)
		type players struct {
			deal   contentDigest
			lineup [sim.NumPlayers]uint8
		}
		seen := map[players]bool{}
		for n, set := range sets {
			k := players{matches[set[0]].deal, all[set[0]]}
			if seen[k] && why == "" {
				at, why = n*len(set), "a duplicate set of the same players and walls is there already; intervals count both, so leave out copies"
			}
			seen[k] = true
			g.lineups.sets = append(g.lineups.sets, all[set[0]])
			for k, i := range set {
				g.matches[n*len(set)+k] = matches[i]
			}
		}
	}
	return at, why
}

// rotations returns the duplicate sets as the numbers of their matches by seating, nil if a match
// is in none. lineups are the players of the matches. If there are sets, and only some of them are
// whole, lacking is a match of one that is not, otherwise -1.
func (g *group) rotations(lineups [][sim.NumPlayers]uint8, seats int) (sets [][]int, lacking int) {
	type key struct {
		deal   contentDigest
		lineup [sim.NumPlayers]uint8 // in the first seating
	}
	open := map[key][]int{} // numbers of sets that lack a seating
	several := map[int32]bool{}
	for i := range g.matches {
		m := &g.matches[i]
		several[m.file] = several[m.file] || m.number > 0
		// Every set begins with the least of its lineups, so that those of many sets are equal.
		least := lineups[i]
		for by := range seats {
			if l := rotated(lineups[i], by, seats); slices.Compare(l[:], least[:]) < 0 {
				least = l
			}
		}
		k := key{m.deal, least}
		n := slices.IndexFunc(open[k], func(n int) bool { return seat(sets[n], lineups[i], least, i) })
		if n < 0 {
			n = len(open[k])
			open[k] = append(open[k], len(sets))
			sets = append(sets, slices.Repeat([]int{-1}, seats))
			seat(sets[len(sets)-1], lineups[i], least, i)
		}
		if !slices.Contains(sets[open[k][n]], -1) {
			open[k] = slices.Delete(open[k], n, n+1)
		}
	}
	isWhole := func(set []int) bool { return !slices.Contains(set, -1) }
	if i := slices.IndexFunc(sets, func(set []int) bool { return !isWhole(set) }); i >= 0 {
		if slices.ContainsFunc(sets, isWhole) {
			return nil, slices.Max(sets[i])
		}
		return nil, -1
	}
	for _, set := range sets {
		first, last := &g.matches[slices.Min(set)], &g.matches[slices.Max(set)]
		for _, i := range set {
			if m := &g.matches[i]; several[m.file] && (first.file != last.file || last.number-first.number >= maxSetSpan) {
				return nil, -1
			}
		}
	}
	return sets, -1
}

// seat enters a match into a set if its seating is missing there, and reports whether it was.
func seat(set []int, lineup, least [sim.NumPlayers]uint8, match int) bool {
	for by := range set {
		if set[by] < 0 && lineup == rotated(least, by, len(set)) {
			set[by] = match
			return true
		}
	}
	return false
}

// rotated returns a lineup in another seating of its duplicate set; see [arena.Schedule.Match].
func rotated(lineup [sim.NumPlayers]uint8, by, seats int) (r [sim.NumPlayers]uint8) {
	for p := range r[:seats] {
		r[p] = lineup[(p+by)%seats]
	}
	return r
}

// schedule returns the schedule of the matches, nil if the players are not known.
func (l *lineups) schedule(seats int) (*arena.Schedule, error) {
	if l.names == nil {
		return nil, nil
	}
	// Arenas of one against three have the same few lineups again and again.
	period := 1
	for period < len(l.sets) && !(len(l.sets)%period == 0 && slices.Equal(l.sets[period:], l.sets[:len(l.sets)-period])) {
		period++
	}
	return arena.New(arena.Plan{
		Seats: seats, Agents: len(l.names), Selection: arena.RecordedLineups, Seatings: l.seatings,
		Rounds: uint64(len(l.sets) / period), SetsPerTable: 1, Lineups: l.sets[:period],
	})
}
