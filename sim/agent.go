package sim

import "github.com/sparrowhall/sparrowhall/ruleset"

// Agent decides for one player. An agent is used by one goroutine at a time, for
// one seat of one match after another.
//
// Act returns one of v.Legal(). Its answer may depend on v alone (and on
// v.Rand), so that a match is the same wherever and in whatever order it is
// played. v is valid during the call only.
type Agent interface {
	Act(v View) Action
}

// Listener is an Agent that follows a match by its events, such as one outside
// the program that is sent them one by one.
//
// Before each call of Act, and once more when the match has ended, Listen
// receives all that has happened since the call before as the player sees it (see
// Event.For), the first time from the beginning of the match. Both arguments are
// valid during the call only.
type Listener interface {
	Agent
	Listen(v View, events []Event)
}

// Explainer is an Agent that may fail to find a legal answer, such as one outside
// the program. Explain returns why it last gave none.
type Explainer interface {
	Agent
	Explain() string
}

// Starter is an Agent that needs something from outside the program or plays some
// rules only. Run calls Start once before the agent's first match and ends with
// its error.
type Starter interface {
	Agent
	Start(r *ruleset.Rules) error
}

// Failer is an Agent that may lose what it plays by, such as a connection. Err
// returns why it can play no more, nil while it can. Run asks after each match,
// and ends without that match.
type Failer interface {
	Agent
	Err() error
}

// Interrupter is an Agent whose answers may take long, such as one outside the
// program. Run calls Interrupt at most once, from another goroutine, when it is told
// to stop: the agent then has a few seconds for all that it is asked and still will
// be asked, Start and Close included. It may be called while the agent answers, and
// before Start or after Close. A match that an agent could not answer to the end
// does not count.
type Interrupter interface {
	Agent
	Interrupt()
}

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
	// Name is the option of the agent that sets it.
	Name string
	// Value is what the agent plays with; Min and Max bound what it may be.
	Value, Min, Max int32
}

// DefaultAction is the answer given for a player who forfeits: pass, or noten,
// or take the award of the flowers and play on, or discard the drawn tile, else
// the first legal action.
func DefaultAction(legal *ActionSet) Action {
	for _, a := range [...]Action{ActPass, ActNoten, ActFlowerAward, ActDiscardDrawn} {
		if legal.Has(a) {
			return a
		}
	}
	return legal.First()
}
