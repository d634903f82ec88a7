package fitting

import (
	"context"
	"fmt"
	"io"

	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/internal/ordered"
	"github.com/sparrowhall/sparrowhall/internal/rollout"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// FeatureSource is a Considerer with the network inputs of its options, such as
// heuristic.Expert.
type FeatureSource interface {
	rollout.Considerer
	// Inputs returns the inputs of the situation of the last Act and of its i-th option.
	// v is the view of that Act.
	Inputs(v sim.View, i int) (situation, action []perceptron.Input)
}

// Examine replays matches from a file. At the decision of each pair it calls each with
// the inputs of both actions, computed by a FeatureSource. It leaves out pairs whose
// actions the FeatureSource does not consider. Several goroutines call each, every one
// for matches with its own R; done is called for the results in order.
func Examine[R any](
	ctx context.Context, in *rollout.Reader, r *ruleset.Rules, workers int, newSource func() FeatureSource, newResult func() *R,
	each func(result *R, m *rollout.Match, x *ExaminedPair), done func(*R) error,
) error {
	var failed error
	number := uint64(0)
	type item struct {
		match  *rollout.Match
		number uint64
	}
	matches := func(yield func(item) bool) {
		for {
			m := new(rollout.Match)
			if err := in.Read(m); err != nil {
				if err != io.EOF {
					failed = err
				}
				return
			}
			if !yield(item{m, number}) {
				return
			}
			number++
		}
	}
	err := ordered.Run(ctx, workers, matches, func() ordered.Worker[item, R] {
		e := &examiner{rules: r, source: newSource()}
		return ordered.Worker[item, R]{Work: func(_ context.Context, i item, result *R) error {
			if err := e.examine(i.match, i.number, func(x *ExaminedPair) { each(result, i.match, x) }); err != nil {
				return fmt.Errorf("fitting: match %d: %w", i.number, err)
			}
			return nil
		}}
	}, newResult, done)
	if err == nil {
		err = failed
	}
	return err
}

// ExaminedPair is a pair with its inputs. It is valid during the call.
type ExaminedPair struct {
	*rollout.Pair
	// Match is the number of the match in its file.
	Match uint64
	// View is that of the player at the decision.
	View sim.View
	// Played is the action of the match. First are the inputs of it, Second those of
	// Pair.Action.
	Played                   sim.Action
	Situation, First, Second []perceptron.Input
}

type examiner struct {
	rules  *ruleset.Rules
	source FeatureSource
	inputs [3][]perceptron.Input
}

func (e *examiner) examine(m *rollout.Match, number uint64, each func(*ExaminedPair)) error {
	return m.Replay(e.rules, func(t *sim.Table, p *rollout.Pair, played sim.Action) {
		e.examinePair(&ExaminedPair{Pair: p, Match: number, View: t.View(sim.Player(p.Player)), Played: played}, each)
	})
}

// examinePair calls each if the FeatureSource considers both actions.
func (e *examiner) examinePair(x *ExaminedPair, each func(*ExaminedPair)) {
	e.source.Act(x.View)
	first, second := -1, -1
	for i := range e.source.NumCandidates() {
		switch e.source.Candidate(i) {
		case x.Played:
			first = i
		case sim.Action(x.Action):
			second = i
		}
	}
	if first < 0 || second < 0 {
		return
	}
	s, a := e.source.Inputs(x.View, first)
	e.inputs[0], e.inputs[1] = append(e.inputs[0][:0], s...), append(e.inputs[1][:0], a...)
	_, b := e.source.Inputs(x.View, second)
	e.inputs[2] = append(e.inputs[2][:0], b...)
	x.Situation, x.First, x.Second = e.inputs[0], e.inputs[1], e.inputs[2]
	each(x)
}
