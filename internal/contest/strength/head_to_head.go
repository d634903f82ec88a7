package strength

// HeadToHead is the results of pairs of agents, counted by duplicate sets.
type HeadToHead struct {
	agents int
	// ahead is, for a < b at a*agents+b, the share of matches in which a is ahead of b.
	ahead []ratio
}

// NewHeadToHead returns that of so many agents without matches.
func NewHeadToHead(agents int) *HeadToHead {
	return &HeadToHead{agents: agents, ahead: make([]ratio, agents*agents)}
}

// Add adds a duplicate set.
func (h *HeadToHead) Add(set []Ranking) {
	var room [len(choice{}.agents)]uint8
	// The matches of a set have the same agents, so the first names them all.
	lineup := set[0].lineup(room[:0])
	for i, a := range lineup {
		// The lineup is sorted, so a < b, as the index requires.
		for _, b := range lineup[i+1:] {
			var ahead, all float64
			for k := range set {
				won, n := set[k].ahead(a, b)
				ahead += won
				all += n
			}
			h.ahead[int(a)*h.agents+int(b)].add(ahead, all)
		}
	}
}

// State is what the matches of two agents with each other can say about them.
type State string

// The states of a pair.
const (
	// Compared is a pair with an interval.
	Compared State = "compared"
	// FewSets is a pair with fewer than [LeastSets] common duplicate sets, which has neither an
	// interval nor an order.
	FewSets State = "few sets"
	// OneSided is a pair of which one was ahead in every match. How far the two are apart
	// is then known from the prior alone.
	OneSided State = "one-sided"
	// Identical is a pair with the same result in every duplicate set, which says nothing of
	// the spread.
	Identical State = "identical"
	// NotMet is a pair without a common match.
	NotMet State = "not met"
)

// Pair is the results of two agents against each other.
type Pair struct {
	// A and B are the numbers of the agents, Sets is the number of duplicate sets in which
	// both played.
	A     int    `json:"a"`
	B     int    `json:"b"`
	State State  `json:"state"`
	Sets  uint64 `json:"duplicate_sets"`
	// Ahead is the share of matches in which A finishes ahead of B, ties by half.
	Ahead Estimate `json:"ahead"`
	// Rating is the rating of A minus that of B. As all matches determine both ratings, it
	// also has a value for agents that have not met.
	Rating Estimate `json:"rating_difference"`
	// Difference is the mean lead of A in placement points a match where both play, in
	// points if the ruleset has no placement points.
	Difference Estimate `json:"difference"`
	// Reduction is that of [Standings] for this pair alone.
	Reduction Estimate `json:"variance_reduction"`
}

// Pair returns two agents with their State, Sets and Ahead.
func (h *HeadToHead) Pair(a, b int) Pair {
	r := h.ahead[min(a, b)*h.agents+max(a, b)]
	p := Pair{A: a, B: b, State: Compared, Sets: uint64(r.sets), Ahead: r.share()}
	switch mean := r.mean(); {
	case r.sets == 0:
		p.State = NotMet
	// Few sets come before one-sided: three wins in three matches are no evidence yet.
	case r.sets < LeastSets:
		p.State = FewSets
	case mean == 0 || mean == 1:
		p.State = OneSided
	case r.identical():
		p.State = Identical
	}
	if a > b {
		p.A, p.B = b, a
		return p.turned()
	}
	return p
}

// turned returns the results of B against A.
func (p Pair) turned() Pair {
	p.A, p.B = p.B, p.A
	// Reduction is of the difference squared, which has no side.
	p.Ahead = p.Ahead.times(-1).Plus(1)
	p.Rating, p.Difference = p.Rating.times(-1), p.Difference.times(-1)
	return p
}

// leastOneSided is the least number of duplicate sets after which an agent that was ahead in every
// match is the better one: by chance one of two equal agents is ahead in all of six sets in 3 %
// of the cases.
const leastOneSided = 6

// Separated reports whether A is better than B, by one look at the 5 % level.
func (p *Pair) Separated() bool {
	switch p.State {
	case Compared:
		return p.Rating.Low > 0
	case OneSided:
		// An agent that was never behind has no spread, so its rating has no interval; the number
		// of sets is the evidence.
		return p.Ahead.Value == 1 && p.Sets >= leastOneSided
	}
	return false
}

// AheadText returns the share of matches in which A is ahead with its interval, or the state of a
// pair that is not compared.
func (p *Pair) AheadText() string {
	percent := p.Ahead.times(100)
	switch p.State {
	case NotMet, FewSets:
		return string(p.State)
	case Identical:
		return percent.Text(1) + " % in every duplicate set"
	}
	return percent.Text(1) + " %"
}
