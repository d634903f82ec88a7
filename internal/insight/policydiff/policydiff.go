// Package policydiff measures whether players change their answers when rules change
// (policy disagreement). Without it, a comparison of rulesets cannot separate the
// effect of a rule from the players' difference to it.
//
//	list, err := policydiff.Run(ctx, &policydiff.Job{
//		Base: base, Variants: variants, Schedule: schedule,
//		Matches: 100, NewAgent: newAgent, Workers: 4,
//	})
//	fmt.Println(list[0].String())
package policydiff

import (
	"context"
	"errors"
	"fmt"

	"github.com/sparrowhall/sparrowhall/internal/ordered"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Kind is the kind of a decision.
type Kind uint8

// The kinds of decisions.
const (
	Discards Kind = iota // which tile to discard
	Readies              // whether to declare ready
	Calls                // whether and how to call another player's tile
	Kans                 // whether to lay down a kan in the own turn
	Wins                 // whether to win
	Others               // all else
	NumKinds
)

var kindNames = [NumKinds]string{"discards", "ready", "calls", "kans", "wins", "others"}

// String returns the name of the kind.
func (k Kind) String() string { return kindNames[k] }

// Count is the number of Decisions of a kind met in the same position under both rules,
// and Changed that of those with different answers.
type Count struct {
	Kind      string `json:"kind"`
	Decisions int    `json:"decisions"`
	Changed   int    `json:"otherwise"`
}

// Counts are the decisions of each kind.
type Counts [NumKinds]Count

// Add adds other counts.
func (c *Counts) Add(o *Counts) {
	for k := range c {
		c[k].Decisions += o[k].Decisions
		c[k].Changed += o[k].Changed
	}
}

// Difference is how players' answers differ under changed rules.
//
// The hands of some matches are played under the base rules. A second table under the
// changed rules gets the same answers as long as they are legal there. Whenever a
// player has the same hand and the same legal actions at both tables, the player
// answers at both.
type Difference struct {
	// Matches is the number of matches, from the first of the schedule, and Hands that of
	// their hands. Apart is the number of hands in which the tables diverged before the end.
	Matches int `json:"matches"`
	Hands   int `json:"hands"`
	Apart   int `json:"apart"`
	// Decisions is the number of decisions in the same position, Changed that of those
	// with different answers.
	Decisions int `json:"decisions"`
	Changed   int `json:"otherwise"`
	// Kinds are the kinds of the decisions met, in the order of the constants.
	Kinds []Count `json:"kinds"`
}

// Slight reports whether fewer than one in a thousand answers differ.
func (r *Difference) Slight() bool { return 1000*r.Changed < r.Decisions }

// String describes the difference in a sentence.
func (r *Difference) String() string {
	switch {
	case r.Decisions == 0:
		return "Whether the players respond is unknown: they are never in the same position under both rules."
	case r.Changed == 0:
		return fmt.Sprintf("The players do not respond: in the same position they answer alike, in all of %d decisions of %d matches. What changes is what the rule does to players who go on as before.", r.Decisions, r.Matches)
	}
	most := r.Kinds[0]
	for _, c := range r.Kinds {
		if c.Changed > most.Changed {
			most = c
		}
	}
	if r.Slight() {
		return fmt.Sprintf("The players hardly respond: in the same position they answer otherwise in only %d of %d decisions of %d matches.", r.Changed, r.Decisions, r.Matches)
	}
	return fmt.Sprintf("The players respond: in the same position they answer otherwise in %s of %d decisions of %d matches; %d of these %d are of the kind %q.",
		percent(r.Changed, r.Decisions), r.Decisions, r.Matches, most.Changed, r.Changed, most.Kind)
}

// percent formats a share with two significant digits.
func percent(n, of int) string { return fmt.Sprintf("%.2g %%", 100*float64(n)/float64(of)) }

// ErrOutside is the error of an external agent, which follows one match and so cannot
// answer at two tables.
var ErrOutside = errors.New("a player from outside the program is not asked at two tables")

// Job describes the matches to play.
type Job struct {
	// Base is the base ruleset, Variants are the changed ones, each compared with it.
	Base     *ruleset.Rules
	Variants []*ruleset.Rules
	// Schedule has the seeds and the numbers of the agents of the matches.
	Schedule sim.Schedule
	// Matches is how many matches are played, from the first of the schedule on.
	Matches int
	// NewAgent returns the agent of a number in the schedule. Its answers must depend on
	// the view alone, as [sim.Agent] says.
	NewAgent func(number int) sim.Agent
	// Workers is the number of goroutines, at least 1.
	Workers int
}

// Run returns the difference for each variant. The error is ErrOutside, that of an
// agent that cannot play by the rules, or the cause of the end of ctx.
func Run(ctx context.Context, j *Job) ([]Difference, error) {
	total := make([]tally, len(j.Variants))
	err := ordered.Run(ctx, j.Workers, ordered.Numbers(0, uint64(j.Matches), 1), func() ordered.Worker[uint64, []tally] {
		w := &worker{job: j}
		return ordered.Worker[uint64, []tally]{Work: w.play}
	}, func() *[]tally { return new([]tally) }, func(list *[]tally) error {
		for i := range *list {
			total[i].add(&(*list)[i])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	list := make([]Difference, len(total))
	for i := range total {
		list[i] = total[i].difference(j.Matches)
	}
	return list, nil
}

// tally counts the decisions of a variant by kind.
type tally struct {
	hands, apart int
	counts       Counts
}

func (t *tally) add(o *tally) {
	t.hands += o.hands
	t.apart += o.apart
	t.counts.Add(&o.counts)
}

func (t *tally) difference(matches int) Difference {
	r := Difference{Matches: matches, Hands: t.hands, Apart: t.apart}
	r.SetKinds(&t.counts)
	return r
}

// SetKinds sets the decisions from the counts of each kind.
func (r *Difference) SetKinds(counts *Counts) {
	r.Kinds = []Count{}
	for k, c := range counts {
		if c.Decisions > 0 {
			r.Decisions += c.Decisions
			r.Changed += c.Changed
			r.Kinds = append(r.Kinds, Count{Kind(k).String(), c.Decisions, c.Changed})
		}
	}
}

// worker plays one match after another.
type worker struct {
	job *Job
	// agents[r][number] are the agents of a number that play by ruleset r: 0 is the base, the
	// variants follow.
	agents [][][]sim.Agent
	events []sim.Event
}

// agent returns the i-th agent of a number for a ruleset.
func (w *worker) agent(rules, number, i int) (sim.Agent, error) {
	for len(w.agents) <= rules {
		w.agents = append(w.agents, nil)
	}
	for len(w.agents[rules]) <= number {
		w.agents[rules] = append(w.agents[rules], nil)
	}
	list := &w.agents[rules][number]
	for len(*list) <= i {
		a := w.job.NewAgent(number)
		if _, follows := sim.As[sim.Listener](a); follows {
			return nil, ErrOutside
		}
		if _, outside := sim.As[sim.Interrupter](a); outside {
			return nil, ErrOutside
		}
		r := w.job.Base
		if rules > 0 {
			r = w.job.Variants[rules-1]
		}
		if err := sim.StartAgent(a, r); err != nil {
			return nil, err
		}
		*list = append(*list, a)
	}
	return (*list)[i], nil
}

// seated returns the agents of a match by ruleset and player.
func (w *worker) seated(numbers [sim.NumPlayers]uint8) ([][sim.NumPlayers]sim.Agent, error) {
	list := make([][sim.NumPlayers]sim.Agent, 1+len(w.job.Variants))
	for rules := range list {
		var copies [256]int
		for p, number := range numbers[:w.job.Base.NumSeats()] {
			a, err := w.agent(rules, int(number), copies[number])
			if err != nil {
				return nil, err
			}
			list[rules][p] = a
			copies[number]++
		}
	}
	return list, nil
}

// play plays a match hand by hand under the base rules, with a second table for each
// variant.
func (w *worker) play(ctx context.Context, match uint64, result *[]tally) error {
	j := w.job
	*result = make([]tally, len(j.Variants))
	seed, numbers := j.Schedule.Match(match)
	agents, err := w.seated(numbers)
	if err != nil {
		return err
	}
	base := sim.NewTable(j.Base, seed)
	for !base.Over() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		// All tables start at the hand, so that their random streams are the same.
		standing := base.MatchState()
		if base, err = sim.NewTableAt(j.Base, seed, standing); err != nil {
			return err
		}
		varied := make([]*sim.Table, len(j.Variants))
		for i, r := range j.Variants {
			(*result)[i].hands++
			if t, err := sim.NewTableAt(r, seed, standing); err == nil {
				w.events = t.StartHand(w.events[:0])
				varied[i] = &t
			} else {
				(*result)[i].apart++
			}
		}
		w.events = base.StartHand(w.events[:0])
		w.playHand(&base, varied, agents, *result)
	}
	return nil
}

// playHand plays a hand at the base table and gives the same answers at the tables of the
// variants. Those that cannot follow become nil.
func (w *worker) playHand(base *sim.Table, varied []*sim.Table, agents [][sim.NumPlayers]sim.Agent, result []tally) {
	for range base.RestOfHand() {
		var answers [sim.NumPlayers]sim.Action
		asked := base.Asked()
		for s := asked; s != 0; s = s.Rest() {
			p := s.First()
			answers[p], _ = sim.Ask(agents[0][p], base.View(p))
		}
		for i, t := range varied {
			if t == nil {
				continue
			}
			if !result[i].compare(base, t, &agents[i+1], &answers) || !w.follow(t, asked, &answers) {
				result[i].apart++
				varied[i] = nil
			}
		}
		for s := asked; s != 0; s = s.Rest() {
			p := s.First()
			if w.events, _ = base.Step(p, answers[p], w.events[:0]); base.Over() {
				break
			}
		}
	}
}

// compare compares the answers of the players who are in the same position at both
// tables. It returns false if other players must answer.
func (t *tally) compare(base, varied *sim.Table, agents *[sim.NumPlayers]sim.Agent, answers *[sim.NumPlayers]sim.Action) bool {
	if base.Phase() != varied.Phase() || base.Asked() != varied.Asked() {
		return false
	}
	for s := base.Asked(); s != 0; s = s.Rest() {
		p := s.First()
		legal := base.Legal(p)
		if legal != varied.Legal(p) || base.View(p).Hand() != varied.View(p).Hand() {
			continue
		}
		k := KindOf(&legal)
		t.counts[k].Decisions++
		if answer, _ := sim.Ask(agents[p], varied.View(p)); answer != answers[p] {
			t.counts[k].Changed++
		}
	}
	return true
}

// follow gives answers at a table and reports whether all are legal there.
func (w *worker) follow(t *sim.Table, asked sim.Players, answers *[sim.NumPlayers]sim.Action) bool {
	for s := asked; s != 0; s = s.Rest() {
		p := s.First()
		var err error
		if w.events, err = t.Step(p, answers[p], w.events[:0]); err != nil {
			return false
		}
	}
	return true
}

// KindOf returns the kind of a decision: that of its rarest legal action.
func KindOf(legal *sim.ActionSet) Kind {
	kind := Others
	for a := range sim.Action(sim.NumActions) {
		if !legal.Has(a) {
			continue
		}
		switch {
		case a == sim.ActWin || a == sim.ActFlowerWin:
			return Wins
		case a >= sim.ActChi && a <= sim.ActOpenKan:
			kind = Calls
		case a.DeclaresReady():
			kind = Readies
		case a >= sim.ActClosedKan && a < sim.ActWin && kind != Readies:
			kind = Kans
		case a.IsDiscard() && kind == Others:
			kind = Discards
		}
	}
	return kind
}
