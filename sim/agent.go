package sim

import "github.com/sparrowhall/sparrowhall/ruleset"

// Agent is a policy: it decides for one player. An agent is used by one goroutine at
// a time, for one seat of one match after another.
//
// Act returns one of v.Legal(). Its answer may depend on v and v.Rand alone, so that a
// match does not depend on where or in what order it is played. v is valid during
// the call only.
type Agent interface {
	Act(v View) Action
}

// Listener is an Agent that follows a match by its events, such as an external agent
// that receives them one by one.
//
// Before each call of Act, and once after the end of the match, Listen receives the
// events since its last call, as the player sees them (see [Event.SeenBy]). Both
// arguments are valid during the call only.
type Listener interface {
	Agent
	Listen(v View, events []Event)
}

// Explainer is an Agent that may fail to find a legal answer, such as an external
// agent. Explain returns why its last call of Act failed.
type Explainer interface {
	Agent
	Explain() string
}

// Starter is an Agent that needs external resources or supports some rules only. Run
// calls Start once before the agent's first match and returns its error.
type Starter interface {
	Agent
	Start(r *ruleset.Rules) error
}

// Failer is an Agent that may lose what it depends on, such as a connection. Err
// returns why it can play no more, nil while it can. Run calls Err after each match; on
// an error it ends and drops that match.
type Failer interface {
	Agent
	Err() error
}

// Interrupter is an Agent whose answers may take long, such as an external agent. Run
// calls Interrupt at most once, from another goroutine, when its context ends. The
// agent then has a few seconds for all further calls, Start and Close included.
// Interrupt may come during a call of Act, before Start or after Close. A match that an
// agent could not finish does not count.
type Interrupter interface {
	Agent
	Interrupt()
}

// Adviser is an Agent that can rank the actions it considered. Callers find it by
// [As].
type Adviser interface {
	Agent
	// Advise appends candidates among the actions of v.Legal to dst: first the action
	// that Act returns, then the others by descending Total, equal ones by ascending
	// action. It leaves out actions that the agent does not evaluate, such as declining
	// a win it always takes. Like Act it depends on v alone. It allocates only to grow
	// dst.
	Advise(v View, dst []Candidate) []Candidate
}

// Candidate is an action and its evaluation by an Adviser, in units of the ruleset.
type Candidate struct {
	Action Action
	// Shanten is that of the hand after the action, and after the discard that
	// follows a call: 0 tenpai, -1 complete.
	Shanten int8
	// DealIn is the probability of a deal-in by the discarded tile, in millionths.
	DealIn int32
	// Gain is the expected win of the hand, Risk the expected deal-in loss of the
	// discard, Total the agent's evaluation of both, all in thousandths of a unit.
	Gain, Risk, Total int64
}

// Tunable is an Agent with tunable weights. The registry of agents sets them by a text
// NAME:WEIGHT=VALUE,WEIGHT=VALUE.
type Tunable interface {
	Agent
	// Weights returns all weights, always in the same order.
	Weights() []Weight
}

// Weight is a parameter of a Tunable agent, in thousandths.
type Weight struct {
	// Name is the option of the agent that sets it.
	Name string
	// Value is the current value; Min and Max bound it.
	Value, Min, Max int32
}

// DefaultAction returns the answer of a player who forfeited: the first legal one of
// passing, noten, taking the flower award, discarding the drawn tile; otherwise the
// lowest legal action.
func DefaultAction(legal *ActionSet) Action {
	for _, a := range [...]Action{ActPass, ActNoten, ActFlowerAward, ActDiscardDrawn} {
		if legal.Has(a) {
			return a
		}
	}
	return legal.First()
}
