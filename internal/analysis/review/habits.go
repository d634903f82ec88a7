//go:build !js

package review

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/insight/reasons"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/internal/ordered"
	"github.com/sparrowhall/sparrowhall/internal/suggest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// HabitOptions configure the comparison of the habits of recorded players with a judge.
type HabitOptions struct {
	// NewJudge returns an agent that answers where the players did. Its answers must depend
	// on its view alone.
	NewJudge func() sim.Agent
	// Player is the name of the player to compare, empty for all.
	Player string
	// Decisions is the number of decisions of each habit whose cost is estimated by
	// rollouts, Deals the number of deals of the unseen tiles at each, at least 2.
	Decisions, Deals int
	// Matches is the number of matches that the judge plays against itself, for the results
	// of hands.
	Matches uint64
	// Workers is the number of goroutines, at least 1. It does not change the result.
	Workers int
	// Done, if not nil, is called with the number of matches read or decisions judged since
	// its last call, from several goroutines.
	Done func(n int)
}

// People is how recorded players differ from a judge under the same rules.
type People struct {
	// Matches and Hands are those in which the players took part, Hands counted for each
	// player. Decisions is the number of their decisions, Same that of those at which the
	// judge answers alike.
	Matches   int `json:"matches"`
	Hands     int `json:"hands"`
	Decisions int `json:"decisions"`
	Same      int `json:"same"`
	// Unknown is the number of passed claims that are left out: another player's claim went
	// through, and the record does not show whether the player claimed the tile as well.
	Unknown int `json:"claims_unknown"`
	// Habits compares answers in the same positions.
	Habits []Habit `json:"habits"`
	// Played is the number of matches of the judge, Results compares the results of hands
	// with those.
	Played  uint64   `json:"judge_matches"`
	Results []Result `json:"results"`
}

// Habit is how often an answer was given where it was possible, by the players and by the judge
// in the same positions.
type Habit struct {
	// Name is short, About is in words.
	Name  string `json:"name"`
	About string `json:"about"`
	// People and Judge are shares of the positions, Difference is that of the players from
	// the judge. They are missing for the discards that no other habit distinguishes.
	People stats.Estimate `json:"people"`
	Judge  stats.Estimate `json:"judge"`
	stats.Difference
	// Differ is the number of positions in which one of both gave the answer alone, Judged
	// that of those whose cost was estimated. Cost is the mean cost of the players' answer in
	// points, missing for fewer than ten. Total is the cost in a hundred hands.
	Differ int  `json:"differ"`
	Judged int  `json:"judged"`
	Cost   Cost `json:"cost"`
	Total  Cost `json:"cost_in_100_hands"`
}

// Result is a result of hands of the players, and of the judge among players like it.
type Result struct {
	// Name is short, About is in words. People is the figure of the players, Judge that of the
	// judge.
	Name   string         `json:"name"`
	About  string         `json:"about"`
	Unit   stats.Unit     `json:"unit"`
	People stats.Estimate `json:"people"`
	Judge  stats.Estimate `json:"judge"`
	// Difference is that of the players from the judge.
	stats.Difference
}

// The habits, in the order in which a decision counts for the first that differs.
const (
	habitWin = iota
	habitReady
	habitChi
	habitPon
	habitKan
	habitSafe
	habitFast
	habitDiscard
	numHabits
)

var habits = [numHabits]struct{ name, about string }{
	{"win", "win when possible"},
	{"ready", "declare ready when possible"},
	{"chi", "call chi when possible"},
	{"pon", "call pon when possible"},
	{"kan", "declare or call a kan when possible"},
	{"safe", "discard a safe tile when another has declared ready"},
	{"fast", "keep the hand as near to ready as possible when no other has"},
	{"discard", "discard another tile than the judge"},
}

// isHabit reports whether an action is one of a habit, for the habits before habitSafe.
func isHabit(habit int, a sim.Action) bool {
	switch habit {
	case habitWin:
		return a == sim.ActWin || a == sim.ActFlowerWin
	case habitReady:
		return a.DeclaresReady()
	case habitChi:
		return a >= sim.ActChi && a < sim.ActPon
	case habitPon:
		return a >= sim.ActPon && a < sim.ActOpenKan
	case habitKan:
		return a >= sim.ActOpenKan && a < sim.ActWin
	}
	return false
}

// position has the habits that are possible at a decision, and those of two answers.
type position struct {
	possible [numHabits]bool
	did      [2][numHabits]bool
}

// positionOf returns the habits at a decision for the answers of the player and of the judge.
func positionOf(r *reasons.Reader, v sim.View, answers [2]sim.Action) (x position) {
	legal := v.Legal()
	for a := range legal.All {
		for h := range habitSafe {
			x.possible[h] = x.possible[h] || isHabit(h, a)
		}
	}
	for i, a := range answers {
		for h := range habitSafe {
			x.did[i][h] = isHabit(h, a)
		}
	}
	if !answers[0].IsDiscard() || !answers[1].IsDiscard() || answers[0].DeclaresReady() || answers[1].DeclaresReady() {
		return x
	}
	good, habit := goodDiscards(r, v, &legal)
	for i, a := range answers {
		f := reasons.DiscardedTile(a, v.Drawn())
		x.did[i][habit] = !f.IsFlower() && good.Has(f.Kind())
	}
	x.possible[habit] = good != 0
	return x
}

// goodDiscards returns the discards that are safe against all players who have declared ready.
// If no player has, they are those that leave the lowest shanten. If all discards are good, it
// returns none.
func goodDiscards(r *reasons.Reader, v sim.View, legal *sim.ActionSet) (good tile.Set, habit int) {
	kinds := legal.Kinds(sim.ActDiscard)
	for a := range legal.All {
		if f := reasons.DiscardedTile(a, v.Drawn()); a.IsDiscard() && !f.IsFlower() {
			kinds |= f.Kind().Bit()
		}
	}
	var declared []sim.Player
	for i := 1; i < v.Rules().NumSeats(); i++ {
		if p := v.PlayerAfter(i); v.Ready(p) != sim.NotReady {
			declared = append(declared, p)
		}
	}
	if len(declared) > 0 {
		r.Observe(v)
		for s := kinds; s != 0; s = s.Rest() {
			if !slices.ContainsFunc(declared, func(p sim.Player) bool { return r.Danger(p, s.First()).Class > reasons.Passed }) {
				good |= s.First().Bit()
			}
		}
	} else {
		good = reasons.NearestDiscards(v, kinds)
	}
	if good == kinds {
		good = 0
	}
	if len(declared) > 0 {
		return good, habitSafe
	}
	return good, habitFast
}

// disagreement is a decision with another answer of the judge.
type disagreement struct {
	habit    int
	priority uint64 // by which the decisions to be judged are drawn
	decision Decision
}

// matchHabits has the sums of a match.
type matchHabits struct {
	chances [numHabits]float64
	did     [2][numHabits]float64
	differ  [numHabits]int
	results [numResults][2]float64 // amount and cases
	// decisions, same and unknown are those of [People], hands and matches too.
	decisions, same, unknown, hands, matches int
}

// habitReader reads the habits of matches.
type habitReader struct {
	o       *HabitOptions
	rules   *ruleset.Rules
	judge   sim.Agent
	reader  reasons.Reader
	maker   schema.Maker
	foreign bool // of an import, where claims that lost are unknown
	// drawn are the decisions to be judged, by habit, those of the lowest priorities.
	drawn [numHabits][]disagreement
	// others are names of players who are not compared.
	others map[string]bool
}

// players returns the players of a match who are compared.
func (o *HabitOptions) players(m *dataset.ReplayedMatch, seats int) (list sim.Players) {
	for p := range sim.Player(seats) {
		if o.Player == "" || m.Names[p] == o.Player {
			list |= p.Bit()
		}
	}
	return list
}

func (h *habitReader) read(m *dataset.ReplayedMatch, x *matchHabits) error {
	players := h.o.players(m, h.rules.NumSeats())
	if players == 0 {
		for _, name := range m.Names[:h.rules.NumSeats()] {
			h.others[name] = true
		}
		return nil
	}
	x.matches = 1
	if err := x.readResults(&h.maker, m.Match, players); err != nil {
		return err
	}
	type decided struct {
		position     position
		disagreement disagreement
	}
	var pending []decided
	step, claimed := 0, sim.Players(0)
	return m.Match.ReplaySteps(h.rules, func(before *sim.Table, p sim.Player, a sim.Action, events []sim.Event) {
		if before == nil {
			return
		}
		if isCall(a) || a == sim.ActWin {
			claimed |= p.Bit()
		}
		if legal := before.Legal(p); players.Has(p) && legal.Len() > 1 && before.Phase() != sim.PhaseBetween {
			v := before.View(p)
			better := h.judge.Act(v)
			pending = append(pending, decided{positionOf(&h.reader, v, [2]sim.Action{a, better}), disagreement{
				priority: mix(m.Match.Index<<24 | uint64(step)),
				decision: Decision{Step: step, Player: p, Choice: a, Better: better, Drawn: v.Drawn(), table: *before},
			}})
		}
		step++
		if len(events) == 0 {
			return
		}
		for i := range pending {
			d := &pending[i]
			if h.foreign && d.disagreement.decision.Choice == sim.ActPass && claimed&^d.disagreement.decision.Player.Bit() != 0 {
				x.unknown++
				continue
			}
			x.add(&d.position)
			if d.disagreement.habit = d.position.differs(d.disagreement.decision.Choice, d.disagreement.decision.Better); d.disagreement.habit >= 0 {
				x.differ[d.disagreement.habit]++
				h.draw(&d.disagreement)
			}
			if x.decisions++; d.disagreement.decision.Choice == d.disagreement.decision.Better {
				x.same++
			}
		}
		pending, claimed = pending[:0], 0
	})
}

// differs returns the habit in which the answers of a position differ, -1 for none.
func (x *position) differs(a, b sim.Action) int {
	for h := range habitDiscard {
		if x.possible[h] && x.did[0][h] != x.did[1][h] {
			return h
		}
	}
	if a != b && a.IsDiscard() && b.IsDiscard() {
		return habitDiscard
	}
	return -1
}

func (x *matchHabits) add(p *position) {
	for h, possible := range p.possible {
		if !possible {
			continue
		}
		x.chances[h]++
		for i := range p.did {
			if p.did[i][h] {
				x.did[i][h]++
			}
		}
	}
}

// mix returns a number that looks random, the same for the same number.
// Source: Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// draw keeps a decision if it is among those of the lowest priorities.
func (h *habitReader) draw(d *disagreement) {
	h.drawn[d.habit] = insertLowest(append(h.drawn[d.habit], *d), h.o.Decisions)
}

// insertLowest returns the n decisions of the lowest priorities in their order. list is sorted but for
// its last element.
func insertLowest(list []disagreement, n int) []disagreement {
	last := list[len(list)-1]
	at, _ := slices.BinarySearchFunc(list[:len(list)-1], last.priority, func(d disagreement, p uint64) int { return cmp.Compare(d.priority, p) })
	if at >= n {
		return list[:n]
	}
	copy(list[at+1:], list[at:])
	list[at] = last
	return list[:min(n, len(list))]
}

// The results of hands.
const (
	resultWin = iota
	resultDealIn
	resultReady
	resultCall
	resultDraw
	resultSelfDraw
	resultValue
	numResults
)

var results = [numResults]struct {
	name, about string
	unit        stats.Unit
}{
	{"win", "hands won", stats.Share},
	{"deal_in", "hands in which the player gave the winning tile", stats.Share},
	{"ready", "hands with a ready declaration", stats.Share},
	{"call", "hands with a call", stats.Share},
	{"draw", "hands without a winner", stats.Share},
	{"self_draw", "wins by self-draw", stats.Share},
	{"win_value", "value of a win", stats.Points},
}

func (x *matchHabits) readResults(maker *schema.Maker, m *sim.Match, players sim.Players) error {
	if err := maker.Read(m); err != nil {
		return err
	}
	for p := range maker.Players {
		row := &maker.Players[p]
		if !players.Has(sim.Player(p)) {
			continue
		}
		x.hands += int(row.Hands)
		for i, n := range [...]uint16{row.Wins, row.DealIns, row.Readies, row.Calls, row.Draws} {
			x.results[i][0] += float64(n)
			x.results[i][1] += float64(row.Hands)
		}
		x.results[resultSelfDraw][0] += float64(row.SelfDraws)
		x.results[resultSelfDraw][1] += float64(row.Wins)
		x.results[resultValue][1] += float64(row.Wins)
	}
	for _, e := range m.Events {
		if e.Type == sim.EvValue && players.Has(e.Player) {
			points, _, _ := e.HandValue()
			x.results[resultValue][0] += float64(points)
		}
	}
	return nil
}

// Habits compares the players of a dataset with a judge: their answers in the same positions,
// what the differences cost, and the results of their hands with those of the judge among
// players like it. It is an error if no match has the player.
func Habits(ctx context.Context, d *dataset.Dataset, o *HabitOptions) (*People, error) {
	rules := d.Rules()
	list := make([]matchHabits, d.Matches())
	var mu sync.Mutex
	var readers []*habitReader
	err := d.VisitReplays(ctx, o.Workers, func() func(*dataset.ReplayedMatch) error {
		h := &habitReader{o: o, rules: rules, foreign: d.Run.Import != nil && d.Run.Import.From == nil, others: map[string]bool{}}
		judge, err := newJudge(rules, Options{NewJudge: o.NewJudge})
		h.judge = judge
		mu.Lock()
		readers = append(readers, h)
		mu.Unlock()
		return func(m *dataset.ReplayedMatch) error {
			if err != nil {
				return err
			}
			if o.Done != nil {
				o.Done(1)
			}
			return h.read(m, &list[m.Match.Index-d.First()])
		}
	})
	if err != nil {
		return nil, err
	}
	r := &People{Habits: []Habit{}, Results: []Result{}, Played: o.Matches}
	for i := range list {
		x := &list[i]
		r.Matches += x.matches
		r.Hands += x.hands
		r.Decisions += x.decisions
		r.Same += x.same
		r.Unknown += x.unknown
	}
	if r.Matches == 0 {
		names := map[string]bool{}
		for _, h := range readers {
			maps.Copy(names, h.others)
		}
		return nil, fmt.Errorf("no match has a player named %q; nearest: %s", o.Player,
			strings.Join(suggest.Nearest(o.Player, slices.Sorted(maps.Keys(names)), 3), ", "))
	}
	judged, err := o.play(ctx, rules)
	if err != nil {
		return nil, err
	}
	r.addResults(list, judged)
	return r, r.addHabits(ctx, rules, list, readers, o)
}

// play plays the matches of the judge against itself.
func (o *HabitOptions) play(ctx context.Context, rules *ruleset.Rules) (list []matchHabits, err error) {
	job := &sim.Job{
		Rules: rules, Schedule: sim.Rotation{Seed: 1, Seats: rules.NumSeats()}, Count: o.Matches, Workers: o.Workers,
		NewAgent: func(int) sim.Agent { return o.NewJudge() },
	}
	type block struct {
		maker schema.Maker
		list  []matchHabits
	}
	err = sim.Run(ctx, job, func() *block { return &block{} }, func(b *block, m *sim.Match) error {
		var x matchHabits
		err := x.readResults(&b.maker, m, 1<<rules.NumSeats()-1)
		b.list = append(b.list, x)
		if o.Done != nil {
			o.Done(1)
		}
		return err
	}, func(b *block) error {
		list = append(list, b.list...)
		b.list = b.list[:0]
		return nil
	})
	return list, err
}

func (r *People) addResults(people, judged []matchHabits) {
	for i, result := range results {
		a, b := stats.NewSample(result.unit), stats.NewSample(result.unit)
		for j := range people {
			a.Add(people[j].results[i][0], people[j].results[i][1])
		}
		for j := range judged {
			b.Add(judged[j].results[i][0], judged[j].results[i][1])
		}
		if x := (Result{result.name, result.about, result.unit, a.Estimate(), b.Estimate(), b.Compare(a)}); x.People.Sum > 0 || x.Judge.Sum > 0 {
			r.Results = append(r.Results, x)
		}
	}
	stats.AdjustAll(r.Results, func(x *Result) *stats.Difference { return &x.Difference })
}

// addHabits compares the answers and estimates their costs.
func (r *People) addHabits(ctx context.Context, rules *ruleset.Rules, list []matchHabits, readers []*habitReader, o *HabitOptions) error {
	var drawn []disagreement
	for habit := range numHabits {
		var all []disagreement
		for _, h := range readers {
			all = append(all, h.drawn[habit]...)
		}
		slices.SortFunc(all, func(a, b disagreement) int { return cmp.Compare(a.priority, b.priority) })
		drawn = append(drawn, all[:min(o.Decisions, len(all))]...)
	}
	costs, err := o.judgeAll(ctx, rules, drawn)
	if err != nil {
		return err
	}
	for habit, h := range habits {
		pair := stats.NewPairedSample(stats.Share)
		x := Habit{Name: h.name, About: h.about}
		for i := range list {
			m := &list[i]
			pair.Add(m.did[1][habit], m.did[0][habit], m.chances[habit])
			x.Differ += m.differ[habit]
		}
		x.Judge, x.People, x.Difference = pair.Before.Estimate(), pair.After.Estimate(), pair.Difference()
		if x.Judge.Count == 0 && x.Differ == 0 {
			continue
		}
		x.Judged = len(costs[habit])
		x.setCost(costs[habit], r.Hands)
		r.Habits = append(r.Habits, x)
	}
	stats.AdjustAll(r.Habits, func(x *Habit) *stats.Difference { return &x.Difference })
	return nil
}

// leastJudged is the least number of decisions whose mean cost has an interval.
const leastJudged = 10

// setCost sets the cost of a habit, given those of the decisions that were judged.
func (h *Habit) setCost(costs []float64, hands int) {
	h.Cost = Cost{Cost: interval.Missing, Low: interval.Missing, High: interval.Missing}
	h.Total = h.Cost
	if len(costs) < leastJudged {
		return
	}
	h.Cost = costOf(costs)
	per := interval.Number(100 * float64(h.Differ) / float64(hands))
	h.Total = Cost{Cost: h.Cost.Cost * per, Low: h.Cost.Low * per, High: h.Cost.High * per}
}

// judgeAll returns the costs of decisions by habit, in points.
func (o *HabitOptions) judgeAll(ctx context.Context, rules *ruleset.Rules, drawn []disagreement) (costs [numHabits][]float64, err error) {
	newWorker := func() ordered.Worker[*disagreement, disagreement] {
		judge, _ := newJudge(rules, Options{NewJudge: o.NewJudge}) // which has worked before
		p := rollouts{judge: judge, deals: o.Deals, unit: float64(rules.Unit())}
		return ordered.Worker[*disagreement, disagreement]{Work: func(_ context.Context, d *disagreement, result *disagreement) error {
			*result = *d
			return p.judgeAt(&result.decision)
		}}
	}
	err = ordered.Run(ctx, o.Workers, pointers(drawn), newWorker, func() *disagreement { return new(disagreement) }, func(d *disagreement) error {
		costs[d.habit] = append(costs[d.habit], float64(d.decision.Cost.Cost))
		if o.Done != nil {
			o.Done(1)
		}
		return nil
	})
	return costs, err
}
