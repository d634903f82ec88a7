package strength

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/internal/tempdir"
)

// Nodes are what the machines of a tournament have played, by the names of processes or shards. One
// that is slow shows by its speed, one that plays otherwise than the others, such as with another
// network, by its results.
type Nodes struct {
	schedule *arena.Schedule
	agents   []string
	list     map[string]*Node
}

// Node is what a process or shard has played.
type Node struct {
	Matches   uint64 `json:"matches"`
	Forfeited uint64 `json:"forfeited"`
	// Seconds is the time of all workers together, 0 if it is not known.
	Seconds   float64 `json:"seconds,omitempty"`
	PerSecond float64 `json:"per_second,omitempty"`
	// Agent is the agent whose mean rank differs most from that of the other nodes, and Apart by
	// how many standard errors. Duplicate sets are the unit. Both are missing where opponents
	// follow from results, and for few sets.
	Agent string   `json:"agent,omitempty"`
	Apart *float64 `json:"apart,omitempty"`

	sets map[uint8]*moments // of the mean ranks of each agent
	set  map[uint8]*moments // of the ranks in the current set
	next uint64             // match
	part int                // of the matches of the current set
}

// moments are sums over cases.
type moments struct{ n, sum, squares float64 }

func (m *moments) add(x float64) { *m = moments{m.n + 1, m.sum + x, m.squares + float64(x*x)} }

// NewNodes returns those of a tournament of agents before its first match.
func NewNodes(t *arena.Schedule, agents []string) *Nodes {
	return &Nodes{t, agents, map[string]*Node{}}
}

func (n *Nodes) node(name string) *Node {
	if n.list[name] == nil {
		n.list[name] = &Node{sets: map[uint8]*moments{}, set: map[uint8]*moments{}}
	}
	return n.list[name]
}

// Add adds a match of a node by the rows of its players, after those before it.
func (n *Nodes) Add(name string, rows []schema.MatchRow) {
	x, match := n.node(name), rows[0].Match
	x.Matches++
	if slices.ContainsFunc(rows, func(r schema.MatchRow) bool { return r.Forfeited }) {
		x.Forfeited++
	}
	if n.schedule.Plan.Selection == arena.Swiss {
		return
	}
	_, seating := n.schedule.SetAndSeating(match)
	if seating == 0 || match != x.next { // a set of which another node has the beginning is left out
		clear(x.set)
		x.part = 0
	}
	x.next = match + 1
	x.part++
	of := func(m map[uint8]*moments, agent uint8) *moments {
		if m[agent] == nil {
			m[agent] = &moments{}
		}
		return m[agent]
	}
	for i := range rows {
		of(x.set, rows[i].Agent).add(float64(rows[i].Rank))
	}
	if x.part == n.schedule.Plan.Seatings {
		for a, m := range x.set {
			of(x.sets, a).add(m.sum / m.n)
		}
	}
}

// AddTime adds the time that a node has played for.
func (n *Nodes) AddTime(name string, seconds float64) { n.node(name).Seconds += seconds }

// leastCompared is the least number of duplicate sets by which a node is compared with the others,
// and mostApart the number of standard errors beyond which the difference is hardly chance.
const (
	leastCompared = 16
	mostApart     = 4
)

// WriteFile writes the nodes as JSON. It returns a warning of the one that plays otherwise than the
// others, empty without one. Only the farthest is named: beside it the others seem to differ too.
func (n *Nodes) WriteFile(path string) (warning string, err error) {
	farthest := float64(mostApart)
	for _, name := range slices.Sorted(maps.Keys(n.list)) {
		x := n.list[name]
		if x.Seconds > 0 {
			x.PerSecond = float64(x.Matches) / x.Seconds
		}
		for _, a := range slices.Sorted(maps.Keys(x.sets)) {
			apart, ok := n.apart(x, a)
			if ok && (x.Apart == nil || math.Abs(apart) > math.Abs(*x.Apart)) {
				x.Agent, x.Apart = n.agents[a], &apart
			}
		}
		if x.Apart != nil && math.Abs(*x.Apart) > farthest {
			farthest = math.Abs(*x.Apart)
			warning = fmt.Sprintf("%s plays otherwise than the others: the ranks of %s differ by %.1f standard errors", name, x.Agent, farthest)
		}
	}
	text, err := json.MarshalIndent(n.list, "", "  ")
	if err != nil {
		return "", err
	}
	return warning, tempdir.ReplaceFile(path, append(text, '\n'))
}

// apart returns by how many standard errors the mean rank of an agent at a node is above that at the
// others.
func (n *Nodes) apart(x *Node, agent uint8) (apart float64, ok bool) {
	own, rest := x.sets[agent], moments{}
	for _, other := range n.list {
		if m := other.sets[agent]; m != nil && other != x {
			rest = moments{rest.n + m.n, rest.sum + m.sum, rest.squares + m.squares}
		}
	}
	if own.n < leastCompared || rest.n < leastCompared {
		return 0, false
	}
	// The spread within the two: that between them is what is tested.
	squares := own.squares - float64(own.sum*own.sum)/own.n + rest.squares - float64(rest.sum*rest.sum)/rest.n
	variance := squares / (own.n + rest.n - 2) * (1/own.n + 1/rest.n)
	if variance <= 0 {
		return 0, true
	}
	return (own.sum/own.n - rest.sum/rest.n) / math.Sqrt(variance), true
}
