package sim

import (
	"io"
	"iter"

	"github.com/sparrowhall/sparrowhall/ruleset"
)

// RestOfHand yields the player whose answer the table waits for, at a decision point the
// lowest first. It ends when the hand has ended with all choices that follow it. It is
// the one loop over the decisions of a table, and its body has one duty: to answer for
// the player by a step, or to leave the loop. Otherwise the same player is yielded again,
// for ever.
//
//	for !t.Over() {
//		events = t.StartHand(events[:0])
//		for p := range t.RestOfHand() {
//			answer, _ := sim.Ask(agents[p], t.View(p))
//			events, err = t.Step(p, answer, events[:0])
//		}
//	}
//
// It may begin anywhere in a hand, as after the first action of a rollout, and yields
// nothing before StartHand and after the match. The table is the only state of the loop, so
// the body may copy it, or set it to another position of a match. Asked is for callers who
// ask players at the same time, or receive the answers later.
func (t *Table) RestOfHand() iter.Seq[Player] {
	return func(yield func(Player) bool) {
		for t.phase != PhaseDeal && t.phase != PhaseOver {
			if !yield(t.Asked().First()) {
				return
			}
		}
	}
}

// Ask returns the answer of an agent, who is asked. It is the rule for bad answers
// wherever agents play: one that is illegal, or that came too late and is NoAction, is an
// *IllegalActionError, and the answer is the DefaultAction. Where the result counts the
// player then forfeits (see [Match.Play]); a person or a client is never asked by Ask:
// what they may not do is refused, and they may answer again.
func Ask(a Agent, v View) (Action, error) {
	answer := a.Act(v)
	if legal := &v.t.legal[v.c&3]; !legal.Has(answer) {
		return DefaultAction(legal), illegalAnswer(a, v, answer)
	}
	return answer, nil
}

func illegalAnswer(a Agent, v View, answer Action) error {
	err := &IllegalActionError{Player: v.p, Action: answer, Phase: v.t.phase}
	if e, ok := As[Explainer](a); ok {
		err.Reason = e.Explain()
	}
	return err
}

// As returns what an agent can do besides Act: the agent as a T, such as a [Listener] or an
// io.Closer, or the first of the agents it stands for that is one. A wrapper needs the
// method Unwrap() Agent for that, and only those others that it changes.
func As[T any](a Agent) (T, bool) {
	for {
		if t, ok := a.(T); ok {
			return t, true
		}
		w, ok := a.(interface{ Unwrap() Agent })
		if !ok {
			var none T
			return none, false
		}
		a = w.Unwrap()
	}
}

// StartAgent calls Start of a Starter.
func StartAgent(a Agent, r *ruleset.Rules) error {
	if s, ok := As[Starter](a); ok {
		return s.Start(r)
	}
	return nil
}

// CloseAgent calls Close of an io.Closer.
func CloseAgent(a Agent) error {
	if c, ok := As[io.Closer](a); ok {
		return c.Close()
	}
	return nil
}

// AgentError returns Err of a Failer.
func AgentError(a Agent) error {
	if f, ok := As[Failer](a); ok {
		return f.Err()
	}
	return nil
}

// NewTable returns the table of the match before its first hand, which [Match.Deal] deals.
func (m *Match) NewTable(r *ruleset.Rules) (t Table, err error) {
	t = NewTable(r, m.Seed)
	if m.Start != nil {
		if t, err = NewTableAt(r, m.Seed, *m.Start); err != nil {
			return t, err
		}
	}
	// The rest of what a match is does not follow from its seed and state.
	t.sealed = m.Sealed
	if m.Walls != nil && t.rules.RoundWind == ruleset.WindRandom {
		t.SetRoundWind(m.RoundWind)
	}
	return t, nil
}

// Deal deals hand number n of the match at a table, from its wall if Walls has one, and
// appends the events to dst.
func (m *Match) Deal(t *Table, n int, dst []Event) []Event {
	if n < len(m.Walls) {
		return t.StartHandFrom(&m.Walls[n], dst)
	}
	return t.StartHand(dst)
}
