package strength

import (
	"encoding/json"
	"maps"
	"math"
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/internal/tempdir"
)

// Node is what a process has played of a shared tournament. One that is slow shows by its speed, one
// that plays otherwise than the others, such as with another network, by its results.
type Node struct {
	Matches   uint64  `json:"matches"`
	Forfeited uint64  `json:"forfeited"`
	Seconds   float64 `json:"seconds"` // of all workers together
	PerSecond float64 `json:"per_second"`
	// Agent is the place in the list of the agent whose mean rank differs most from that of the
	// other processes, and Apart by how many standard errors. Duplicate sets are the unit. Beyond 4
	// it is hardly chance. Both are missing where opponents follow from results.
	Agent *int     `json:"agent,omitempty"`
	Apart *float64 `json:"apart,omitempty"`

	ranks map[uint8]*moments
}

// moments are sums over duplicate sets.
type moments struct{ n, sum, squares float64 }

// count counts a block for the process that has played it.
func (s *Shared) count(b *sharedBlock, t *arena.Schedule) {
	x := s.nodes[b.Node]
	if x == nil {
		x = &Node{ranks: map[uint8]*moments{}}
		s.nodes[b.Node] = x
	}
	x.Matches += uint64(len(b.Matches))
	x.Seconds += b.Seconds
	x.PerSecond = float64(x.Matches) / x.Seconds
	ranks := map[uint8]*moments{} // of the current set
	for _, m := range b.Matches {
		if m.Forfeited != 0 {
			x.Forfeited++
		}
		for _, r := range m.Rows {
			if ranks[r.Agent] == nil {
				ranks[r.Agent] = &moments{}
			}
			ranks[r.Agent].n++
			ranks[r.Agent].sum += float64(r.Rank)
		}
		if _, seating := t.SetAndSeating(m.Rows[0].Match); seating < t.Plan.Seatings-1 {
			continue
		}
		for a, set := range ranks {
			if x.ranks[a] == nil {
				x.ranks[a] = &moments{}
			}
			mean := set.sum / set.n
			x.ranks[a].n++
			x.ranks[a].sum += mean
			x.ranks[a].squares += float64(mean * mean)
		}
		clear(ranks)
	}
	if t.Plan.Selection == arena.Swiss {
		clear(x.ranks)
	}
}

// writeNodes writes what each process has played to the file nodes.json of the folder.
func (s *Shared) writeNodes() error {
	for _, x := range s.nodes {
		for _, a := range slices.Sorted(maps.Keys(x.ranks)) {
			own, rest := x.ranks[a], moments{}
			for _, other := range s.nodes {
				if m := other.ranks[a]; m != nil && other != x {
					rest = moments{rest.n + m.n, rest.sum + m.sum, rest.squares + m.squares}
				}
			}
			if own.n < leastCompared || rest.n < leastCompared {
				continue
			}
			all := own.n + rest.n
			mean := (own.sum + rest.sum) / all
			variance := (own.squares + rest.squares) / (all - 1) * (1 - mean*mean*all/(own.squares+rest.squares))
			apart := 0.0
			if variance > 0 {
				apart = (own.sum/own.n - rest.sum/rest.n) / math.Sqrt(variance*(1/own.n+1/rest.n))
			}
			if x.Apart == nil || math.Abs(apart) > math.Abs(*x.Apart) {
				x.Agent, x.Apart = new(int(a)), &apart
			}
		}
	}
	text, err := json.MarshalIndent(s.nodes, "", "  ")
	if err != nil {
		return err
	}
	return tempdir.ReplaceFile(s.path("nodes.json"), append(text, '\n'))
}

// leastCompared is the least number of duplicate sets by which a process is compared with the others.
const leastCompared = 16
