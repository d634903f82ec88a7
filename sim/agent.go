package sim

// What an environment or a statistic may ask of an Agent, by a type assertion.

// Adviser is an Agent that can say what it weighed up.
type Adviser interface {
	Agent
	// Advise appends to dst the candidates among the actions of v.Legal: first what
	// Act answers, then the others in descending order of Total, equal ones in
	// ascending order of actions. An action that the agent does not weigh up, such
	// as the pass of a win it never lets go, is not among them. Like Act it depends
	// on v alone; it allocates nothing but what dst has no room for.
	Advise(v View, dst []Candidate) []Candidate
}

// Candidate is an action and what its Adviser thinks of it. Units are those of the
// ruleset.
type Candidate struct {
	Action Action
	// Shanten is the distance of the hand after the action, and after the discard
	// that follows a call: 0 ready, -1 complete.
	Shanten int8
	// DealIn is the chance, in millionths, that the tile discarded is won on.
	DealIn int32
	// Hope is what the hand can be expected to win, Risk what the discard can be
	// expected to lose, Total what the agent makes of both, all in thousandths of a
	// unit.
	Hope, Risk, Total int64
}

// Weighted is an Agent whose play depends on numbers that can be tuned. Its registry
// makes one with others from a text NAME:WEIGHT=VALUE,WEIGHT=VALUE.
type Weighted interface {
	Agent
	// Weights returns all weights, always in the same order.
	Weights() []Weight
}

// Weight is a number that an agent plays by, in thousandths.
type Weight struct {
	Name string
	// Value is what the agent plays with; Min and Max bound what it may be.
	Value, Min, Max int32
}
