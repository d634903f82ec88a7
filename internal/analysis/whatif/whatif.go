// Package whatif re-scores recorded matches under other rules. A table under the other rules
// gets the recorded answers. A hand is re-scored where every player sees the same and has the
// same legal actions at every decision; other hands are set apart, with the cause.
//
//	r, err := whatif.Run(ctx, d, &whatif.Options{Other: other, NewJudge: newJudge, Workers: 2})
//	fmt.Println(r.Apart.Hands, r.Figures[0].Difference)
//
// A record does not show whether players who know the other rules would have answered as
// recorded. A judge, an agent that answers under both rules, estimates that.
package whatif

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/insight/policydiff"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Options set how matches are re-scored.
type Options struct {
	// Other is the ruleset with all changes, Alone those with each change alone, in the order
	// of Keys. Alone may be empty if there is one change.
	Other *ruleset.Rules
	Alone []*ruleset.Rules
	Keys  []string
	// NewJudge returns the agent that answers under both rules, nil for none. Its answers must
	// depend on its view alone.
	NewJudge func() sim.Agent
	// Workers is the number of goroutines, at least 1. It does not change the result.
	Workers int
	// Read, if not nil, is called by these goroutines with the number of matches done since
	// its last call.
	Read func(matches int)
}

// Result compares the record with the other rules.
type Result struct {
	// Matches and Hands are the numbers of matches and hands of the record.
	Matches int `json:"matches"`
	Hands   int `json:"hands"`
	// Apart are the hands that cannot be re-scored under all changes, Alone those that cannot
	// under each change alone.
	Apart HandsApart   `json:"apart"`
	Alone []HandsApart `json:"apart_by_knob,omitempty"`
	// WholeMatches is the number of matches that are re-scored from the first hand to the last.
	WholeMatches int `json:"whole_matches"`
	// OtherCourse is the number of matches that would have taken another course, so that other
	// hands would have been dealt; Incomplete is that of matches that the record does not have
	// to their end.
	OtherCourse int `json:"other_course"`
	Incomplete  int `json:"incomplete"`
	// OtherPoints is the number of re-scored hands before which the players would have had
	// other points, counters or deposits, which might have changed their decisions.
	OtherPoints int `json:"hands_at_other_points"`
	// ChangedHands is the share of re-scored hands with other payments, OtherWinner and
	// OtherPlaces are the shares of whole matches with another winner or other places.
	ChangedHands stats.Estimate `json:"changed_hands"`
	OtherWinner  stats.Estimate `json:"other_winner"`
	OtherPlaces  stats.Estimate `json:"other_places"`
	// Figures are those of re-scored hands and whole matches under both rules.
	Figures []Figure `json:"figures"`
	// Response is how the judge answers under both rules, nil without one.
	Response *policydiff.Difference `json:"response,omitempty"`
}

// HandsApart is the hands that are set apart because of some changes.
type HandsApart struct {
	// Knobs names the changes, Hands is the number of the hands, Causes counts them by cause,
	// the most frequent first.
	Knobs  string       `json:"knobs"`
	Hands  int          `json:"hands"`
	Causes []CauseCount `json:"causes"`
}

// CauseCount is the number of hands that are set apart for a cause.
type CauseCount struct {
	Cause Cause `json:"cause"`
	Hands int   `json:"hands"`
	// Match and Hand are the first of them.
	Match uint64 `json:"match"`
	Hand  int    `json:"hand"`
}

// Figure is a figure under both rules. Its interval counts matches as independent.
type Figure struct {
	// Name is short, About is in words.
	Name  string     `json:"name"`
	About string     `json:"about"`
	Unit  stats.Unit `json:"unit"`
	// Before is the estimate under the rules of the record, After that under the other rules.
	Before stats.Estimate `json:"before"`
	After  stats.Estimate `json:"after"`
	stats.Difference
}

// judgedMatches is the number of matches in which the judge answers.
const judgedMatches = 100

// ErrDepends is the error of changes on which the recorded decisions depend.
var ErrDepends = errors.New("the recorded decisions depend on it")

// maxChanged is the largest share of decisions that the judge may answer otherwise.
const maxChanged = 0.02

// Run re-scores the matches of a dataset. The error is ErrDepends if less than half of the hands
// can be re-scored, or if the judge answers more than one of fifty decisions otherwise. It is
// also ErrDepends if no payment changes and no match keeps its course.
func Run(ctx context.Context, d *dataset.Dataset, o *Options) (*Result, error) {
	if d.Run.Import != nil && d.Run.Import.From == nil && o.Other.MultiWin != d.Rules().MultiWin {
		return nil, fmt.Errorf("multi_win: %w: imported records do not have the wins that lost to another", ErrDepends)
	}
	walls, err := wholeWalls(d)
	if err != nil {
		return nil, err
	}
	list := make([]match, d.Matches())
	err = d.VisitReplays(ctx, o.Workers, func() func(*dataset.ReplayedMatch) error {
		w := newWorker(d.Rules(), o)
		return func(m *dataset.ReplayedMatch) error {
			n := m.Match.Index - d.First()
			err := w.follow(m, &list[n], walls == nil || walls[n], n < judgedMatches)
			if o.Read != nil {
				o.Read(1)
			}
			return err
		}
	})
	if err != nil {
		return nil, err
	}
	r := newSums(d.Rules(), list).result(list, o)
	if 2*r.Apart.Hands > r.Hands {
		most := r.Apart.mainChange(r.Alone)
		return r, fmt.Errorf("%s: %w: in %d of %d hands %s", most.Knobs, ErrDepends, most.Hands, r.Hands, most.Causes[0].Cause)
	}
	if x := r.Response; x != nil && float64(x.Changed) > maxChanged*float64(x.Decisions) {
		return r, fmt.Errorf("%s: %w: the judge answers %d of %d decisions otherwise", r.Apart.Knobs, ErrDepends, x.Changed, x.Decisions)
	}
	if r.WholeMatches == 0 && r.OtherCourse > 0 && r.ChangedHands.Sum == 0 {
		return r, fmt.Errorf("%s: %w: no payment of a hand changes, and all %d matches would have taken another course", r.Apart.Knobs, ErrDepends, r.OtherCourse)
	}
	return r, nil
}

// mainChange returns the first change that alone sets apart most of the hands that all changes set
// apart, or all changes if there is none.
func (a *HandsApart) mainChange(alone []HandsApart) *HandsApart {
	for i := range alone {
		if 2*alone[i].Hands > a.Hands && (a.Knobs == "" || alone[i].Hands >= a.Hands/2) {
			return &alone[i]
		}
	}
	return a
}

// wholeWalls reports for each match of an import whether the record has the walls, nil for
// matches that were played here.
func wholeWalls(d *dataset.Dataset) (list []bool, err error) {
	if d.Run.Import == nil {
		return nil, nil
	}
	for row, err := range d.Origins() {
		if err != nil {
			return nil, err
		}
		list = append(list, row.WholeWalls)
	}
	return list, nil
}

// match has the sums of a match.
type match struct {
	names [sim.NumPlayers]string
	seats int
	index uint64
	hands int
	// apart has the causes by change and hand: those of all changes, then of each alone.
	apart                [][]Cause
	whole, course, short bool
	otherPoints          int
	// The sums below are over the re-scored hands: the numbers of all, of hands with other
	// payments, of wins, deal-ins and exhausted hands, and amounts under both rules.
	rescored, changed, wins, dealIns, draws float64
	value, loss, dealer, moved, drawn       [2]float64
	final                                   [2]ruleset.Final
	points                                  [2][sim.NumPlayers]float64
	response                                policydiff.Counts
	judged                                  bool
}

// worker re-scores one match after another.
type worker struct {
	base   table
	others []*table // with all changes, then with each alone
	judges [2]sim.Agent
	err    error
}

func newWorker(r *ruleset.Rules, o *Options) *worker {
	w := &worker{base: table{rules: r}}
	for _, other := range append([]*ruleset.Rules{o.Other}, o.Alone...) {
		w.others = append(w.others, &table{rules: other})
	}
	if o.NewJudge == nil {
		return w
	}
	for i, rules := range [...]*ruleset.Rules{r, o.Other} {
		w.judges[i] = o.NewJudge()
		w.err = errors.Join(w.err, sim.StartAgent(w.judges[i], rules))
	}
	return w
}

// follow re-scores a match.
func (w *worker) follow(m *dataset.ReplayedMatch, result *match, wholeWalls, judged bool) error {
	*result = match{names: m.Names, seats: w.base.rules.NumSeats(), index: m.Match.Index, judged: judged && w.judges[0] != nil, apart: make([][]Cause, len(w.others))}
	for i := range result.names {
		result.names[i] = strings.Clone(result.names[i])
	}
	if w.err != nil {
		return w.err
	}
	base := &w.base
	if err := base.start(m); err != nil {
		return err
	}
	first := w.others[0]
	for _, t := range w.others {
		_ = t.start(m) // if it fails, the table is not chained
	}
	answers := m.Match.Actions
	take := func(n int) []sim.Action {
		n = min(n, len(answers))
		taken := answers[:n]
		answers = answers[n:]
		return taken
	}
	for hand := 0; !base.state.Over() && (m.Match.Walls == nil || hand < len(m.Match.Walls)); hand++ {
		state := base.state.MatchState()
		other := first.chained && pointsDiffer(first.state.MatchState(), state, first.rules, base.rules)
		base.deal(m, hand, state)
		for _, t := range w.others {
			if t.deal(m, hand, state); t.apart == notApart {
				t.compare(base, 0, wholeWalls)
			}
		}
		for range base.state.RestOfHand() {
			if !base.playing() {
				break
			}
			asked := base.state.Asked()
			given := take(asked.Len())
			if len(given) < asked.Len() {
				result.short = true // an answer that no rule allows ended the match
				return nil
			}
			if result.judged && first.apart == notApart {
				w.judge(asked, result)
			}
			from := len(base.events)
			base.answer(asked, given)
			for _, t := range w.others {
				if t.apart == notApart {
					t.answer(asked, given)
					t.compare(base, from, wholeWalls)
				}
			}
		}
		result.addHand(w, other)
		chained := first.chained && first.apart == notApart
		w.answerBetweenHands(take)
		result.course = result.course || chained && !first.chained
	}
	result.finish(w, m)
	return nil
}

// pointsDiffer reports whether players have won or lost other points before a hand, or whether
// there are other counters or deposits.
func pointsDiffer(a, b sim.MatchState, x, y *ruleset.Rules) bool {
	for p := range a.Points {
		a.Points[p] -= int32(x.StartingPoints * x.Unit())
		b.Points[p] -= int32(y.StartingPoints * y.Unit())
	}
	return a.Points != b.Points || a.Counter != b.Counter || a.Deposits != b.Deposits || a.Ledger != b.Ledger
}

// judge compares the answers of the judge under both rules.
func (w *worker) judge(asked sim.Players, result *match) {
	for ; asked != 0; asked = asked.Rest() {
		p := asked.First()
		legal := w.base.state.Legal(p)
		if legal.Len() < 2 {
			continue
		}
		c := &result.response[policydiff.KindOf(&legal)]
		c.Decisions++
		if w.judges[0].Act(w.base.state.View(p)) != w.judges[1].Act(w.others[0].state.View(p)) {
			c.Changed++
		}
	}
}

// answerBetweenHands gives the answers between two hands, and breaks the chain of tables that are
// not in the same state after them.
func (w *worker) answerBetweenHands(take func(int) []sim.Action) {
	base := &w.base
	for _, t := range w.others {
		t.chained = t.chained && t.apart == notApart
	}
	for range base.state.RestOfHand() {
		asked := base.state.Asked()
		given := take(asked.Len())
		if len(given) < asked.Len() {
			return
		}
		for _, t := range w.others {
			if t.chained = t.chained && t.state.Phase() == sim.PhaseBetween && t.state.Asked() == asked && t.state.Legal(asked.First()) == base.state.Legal(asked.First()); t.chained {
				t.answer(asked, given)
			}
		}
		base.answer(asked, given)
	}
	for _, t := range w.others {
		t.chained = t.chained && t.state.Phase() == base.state.Phase()
		if t.chained && !base.state.Over() {
			a, b := t.state.MatchState(), base.state.MatchState()
			t.chained = a.Round == b.Round && a.Dealer == b.Dealer && a.DealIndex == b.DealIndex
		}
	}
}

func (m *match) addHand(w *worker, otherPoints bool) {
	m.hands++
	for i, t := range w.others {
		m.apart[i] = append(m.apart[i], t.apart)
	}
	first := w.others[0]
	if first.apart != notApart {
		return
	}
	m.rescored++
	if otherPoints {
		m.otherPoints++
	}
	x, y := w.base.outcome(), first.outcome()
	if x.pays != y.pays {
		m.changed++
	}
	m.wins += float64(x.wins)
	exhausted := slices.ContainsFunc(w.base.events, func(e sim.Event) bool { return e.Type == sim.EvExhausted })
	if x.giver >= 0 {
		m.dealIns++
	}
	if exhausted {
		m.draws++
	}
	for i, o := range [...]*outcome{&x, &y} {
		m.value[i] += o.value
		m.dealer[i] += o.pays[o.dealer]
		if o.giver >= 0 {
			m.loss[i] -= o.pays[o.giver]
		}
		m.moved[i] += o.paid
		if exhausted {
			m.drawn[i] += o.paid
		}
	}
}

func (m *match) finish(w *worker, x *dataset.ReplayedMatch) {
	first := w.others[0]
	apart := slices.ContainsFunc(m.apart[0], func(c Cause) bool { return c != notApart })
	switch {
	case x.Match.Truncated || !w.base.state.Over():
		m.short = true
	case first.chained && !apart:
		m.whole = true
	}
	if !m.whole {
		return
	}
	for i, t := range [...]*table{&w.base, first} {
		m.final[i] = *t.state.Final()
		for p, n := range t.state.Points() {
			m.points[i][p] = float64(n) / float64(t.rules.Unit())
		}
	}
}

// Changes returns the changes of a ruleset in words.
func Changes(from, to *configs.Ruleset) string {
	var list []string
	for _, d := range configs.Diff(from, to) {
		list = append(list, fmt.Sprintf("%s = %s instead of %s", d.Knob, d.ShownB, d.ShownA))
	}
	return strings.Join(list, ", ")
}
