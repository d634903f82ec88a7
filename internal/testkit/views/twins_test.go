// Package views_test compares what players and spectators are sent in two matches that differ in
// hidden tiles alone.
package views_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/insight/reasons"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// twins are two matches that look equal to a viewer up to a moment. The first is played by
// agents. The second has the same seed and the same answers by a script, but the tiles of its first
// wall that the viewer is not shown by then have changed places: those that are not drawn, and
// those that others hold. Where the rules hide the origin of discards, what another discards may
// have been drawn just before in one match and long ago in the other. So all that the viewer is sent up to the moment must have the same bytes.
type twins struct {
	name   string
	preset string
	viewer sim.Player // spectators for -1
	run    uint64     // the seed of the run of which the match is the first
	seed   uint64     // of the match
	// rulesets are those of the two matches, each with its first wall; rules has none.
	rulesets [2]*configs.Ruleset
	rules    *ruleset.Rules
	script   map[place]answer
	// moment is the decision of the viewer, or for spectators of a player, before which the viewer
	// compares. events is the number of events before it, opening those before the first decision.
	moment          place
	events, opening int
	hands           int // that have begun by the moment
	// answers are those of the viewer before the moment, legal the legal actions at each of
	// the viewer's decisions, that at the moment included.
	answers []sim.Action
	legal   []sim.ActionSet
	seen    []string // the events up to the moment as the viewer sees them
	// asked are the numbers of decisions of others up to the moment in both matches, drawn the
	// discards of others that are the tile just drawn.
	asked [2]int
	drawn [2]string
}

// answer is an action and, if it discards, the tile.
type answer struct {
	action sim.Action
	tile   tile.Face
}

func answerOf(v sim.View, a sim.Action) answer { return answer{a, reasons.DiscardedTile(a, v.Drawn())} }

// spectators is the viewer without a seat.
const spectators sim.Player = -1

// place is a decision, by what all can see of it.
type place struct {
	player, turn, dealer, creditor           sim.Player
	phase                                    sim.Phase
	source                                   sim.Source
	round, counter, discards, declared, kans int
	points                                   [sim.NumPlayers]int32
	left, melds, flowers, norths             [sim.NumPlayers]int
	ready                                    [sim.NumPlayers]sim.ReadyTier
}

func placeOf(v sim.View) place {
	x := place{
		player: v.Player(), turn: v.Turn(), dealer: v.Dealer(), creditor: v.Creditor(), phase: v.Phase(), source: v.DrawSource(),
		round: v.Round(), counter: v.Counter(), discards: v.NumDiscards(), declared: v.NumDeclared(), kans: v.NumKans(), points: v.Points(),
	}
	for p := range sim.Player(v.Rules().NumSeats()) {
		x.left[p], x.melds[p], x.flowers[p], x.norths[p], x.ready[p] = v.TilesLeftOf(p), v.NumMelds(p), int(v.Flowers(p)), v.Norths(p), v.Ready(p)
	}
	return x
}

// scripted plays the script of twins, and passes where it has nothing.
type scripted struct {
	*twins
	// reached, if not nil, is called at the moment, and when it is passed.
	reached func()
}

func (a scripted) Act(v sim.View) sim.Action {
	if a.reached != nil && placeOf(v) == a.moment {
		a.reached()
	}
	return a.answer(v)
}

func (x *twins) answer(v sim.View) sim.Action {
	legal := v.Legal()
	want, ok := x.script[placeOf(v)]
	if !ok {
		return sim.DefaultAction(&legal)
	}
	// The tile that is drawn in one match may be one of the hand in the other.
	actions := []sim.Action{want.action}
	switch {
	case want.action.DeclaresReady():
		actions = append(actions, sim.ActReadyDrawn, sim.ActReady+sim.Action(want.tile))
	case want.action.IsDiscard():
		actions = append(actions, sim.ActDiscardDrawn, sim.ActDiscard+sim.Action(want.tile))
	}
	for _, a := range actions {
		if legal.Has(a) && answerOf(v, a).tile == want.tile {
			return a
		}
	}
	return sim.DefaultAction(&legal)
}

// eager calls, declares and wins as often as it may, and otherwise plays like its agent.
type eager struct{ sim.Agent }

func (e eager) Act(v sim.View) sim.Action {
	legal, random := v.Legal(), v.Rand()
	if legal.Has(sim.ActPass) && legal.Len() > 1 && random.Below(3) == 0 {
		return legal.Nth(random.Below(legal.Len()))
	}
	return e.Agent.Act(v)
}

// eachTwins calls a test for twins of several presets, viewers and moments, from the first turns to
// the last hand.
func eachTwins(t *testing.T, presets []string, viewers []sim.Player, test func(t *testing.T, x *twins)) {
	all, differ, hidden, moved := 0, 0, 0, 0
	for i, preset := range presets {
		for j, viewer := range viewers {
			for _, at := range []float64{0.2, 0.9, 2} {
				// A seed at which too little may change is passed over.
				var x *twins
				for seed := uint64(10*i + j); x == nil; seed++ {
					if seed == uint64(10*i+j+10) {
						t.Fatalf("%s, viewer %d, moment %v: nothing may change", preset, viewer, at)
					}
					x = newTwins(t, preset, "greedy", seed, viewer, at)
				}
				if all++; x.asked[0] != x.asked[1] {
					differ++
				}
				if x.rules.OriginHidden {
					if hidden++; x.drawn[0] != x.drawn[1] {
						moved++
					}
				} else if x.drawn[0] != x.drawn[1] {
					t.Errorf("%s: the viewer sees where a discard comes from, which differs", x.name)
				}
				t.Run(x.name, func(t *testing.T) { test(t, x) })
			}
		}
	}
	// Otherwise no test would find a count of questions to others.
	if differ == 0 {
		t.Errorf("in all of %d pairs others are asked as often", all)
	}
	if hidden > 0 && moved == 0 {
		t.Errorf("in all of %d pairs discards of hidden origin have the same origins", hidden)
	}
}

// compare requires the same bytes, and shows where they begin to differ.
func (x *twins) compare(t *testing.T, channel string, sent func(k int) string) {
	t.Helper()
	first, second := sent(0), sent(1)
	if !strings.Contains(first, "\n") {
		t.Fatalf("%s: hardly anything is sent: %q", channel, first)
	}
	if n := difference(first, second); n >= 0 {
		around := func(s string) string { return s[max(0, min(n-150, len(s))):min(n+150, len(s))] }
		t.Errorf("%s: hidden tiles change what the viewer is sent, at byte %d:\n%s\nand\n%s", channel, n, around(first), around(second))
	}
}

// difference returns where two texts begin to differ, -1 if they are equal.
func difference(x, y string) int {
	for n := range min(len(x), len(y)) {
		if x[n] != y[n] {
			return n
		}
	}
	if len(x) != len(y) {
		return min(len(x), len(y))
	}
	return -1
}

// newTwins returns twins of a preset. at is the moment in the first hand from 0, the deal, to 1, the
// last decision; 2 is a moment in the last hand, when the first has ended and what it did not show
// is still hidden. It returns nil if hardly any tile may change.
func newTwins(t *testing.T, preset, agent string, run uint64, viewer sim.Player, at float64) *twins {
	t.Helper()
	r, err := configs.Change(preset, map[string]any{"max_hands": 3})
	if err != nil {
		t.Fatal(err)
	}
	rules := r.Rules()
	x := &twins{
		name: fmt.Sprintf("%s, seed %d, viewer %d, moment %v", preset, run, viewer, at), preset: preset, viewer: viewer,
		rules: rules, run: run, seed: sim.MatchSeed(run, 0), script: map[place]answer{},
	}
	wall := sim.NewWall(&rules.Flow, x.seed, 0, 0, 0)
	size := sim.SetSize(&rules.Flow)
	for k := range x.rulesets {
		given := *r
		given.FirstWall = slices.Clone(wall[:size])
		x.rulesets[k] = &given
	}
	newAgent, err := agents.New(agent)
	if err != nil {
		t.Fatal(err)
	}
	x.record(t, eager{newAgent()}, at)
	if x.events == 0 {
		return nil
	}
	if x.asked[0], err = x.follow(t, 0); err != nil {
		t.Fatalf("%s: the script: %v", x.name, err)
	}
	random := rand.New(rand.NewPCG(run, 1))
	kept := 0
	for range 200 {
		second, i, j := x.rulesets[1].FirstWall, random.IntN(size), random.IntN(size)
		if second[i] == second[j] {
			continue
		}
		second[i], second[j] = second[j], second[i]
		if asked, err := x.follow(t, 1); err == nil {
			x.asked[1] = asked
			kept++
		} else {
			second[i], second[j] = second[j], second[i]
		}
	}
	if kept < 20 {
		return nil
	}
	return x
}

// decision is a decision of the recorded match.
type decision struct {
	place
	legal  sim.ActionSet
	action sim.Action
	events int // before it
	hand   int
}

// record plays the match by an agent in all seats, and chooses the moment.
func (x *twins) record(t *testing.T, agent sim.Agent, at float64) {
	t.Helper()
	var list []decision
	var events []sim.Event
	table, hand := sim.NewTable(x.rules, x.seed), -1
	for hand = 0; !table.Over(); hand++ {
		events = table.StartHand(events)
		for p := range table.RestOfHand() {
			v := table.View(p)
			d := decision{placeOf(v), v.Legal(), agent.Act(v), len(events), hand}
			list = append(list, d)
			x.script[d.place] = answerOf(v, d.action)
			var err error
			if events, err = table.Step(p, d.action, events); err != nil {
				t.Fatal(err)
			}
		}
	}
	// Spectators are shown all hands when one has ended.
	last := at > 1 && x.viewer != spectators
	var candidates []int
	for i, d := range list {
		if (d.player == x.viewer || x.viewer == spectators && d.phase == sim.PhaseTurn) && (last && d.hand > 0 || !last && d.hand == 0) {
			candidates = append(candidates, i)
		}
	}
	if len(candidates) < 5 {
		return
	}
	n := candidates[int(min(at, 1)*float64(len(candidates)-1))]
	x.opening, x.events, x.moment, x.hands = list[0].events, list[n].events, list[n].place, list[n].hand+1
	for i, d := range list[:n+1] {
		if d.player == x.viewer {
			x.legal = append(x.legal, d.legal)
			if i < n {
				x.answers = append(x.answers, d.action)
			}
		}
	}
	x.seen = x.see(&record.Hands{Rules: x.rules}, events[:x.events])
}

// see returns events as the viewer sees them, with the hands that they show. hands is the state
// before them.
func (x *twins) see(hands *record.Hands, events []sim.Event) (seen []string) {
	for _, e := range events {
		hands.Apply(e)
		// Not by Event.SeenBy: a fault there must not hide itself.
		if e.Player != x.viewer {
			switch {
			case e.Type == sim.EvDeal:
				e.Value = -1
			case e.Type == sim.EvDraw, e.Type == sim.EvClosedKan && !hands.Rules.ClosedKanVisible:
				e.Tile = tile.NoFace
			case e.Type == sim.EvDiscard && hands.Rules.OriginHidden:
				e.Detail &^= sim.DiscardDrawn
			}
		}
		text := fmt.Sprint(e)
		for p := range sim.Player(hands.Rules.NumSeats()) {
			shown := p == e.Player && (e.Type == sim.EvWin || e.Type == sim.EvReveal && !e.Reveal())
			if shown || x.viewer == spectators && e.Type == sim.EvHandEnd {
				held := slices.Clone(hands.Concealed[p])
				tile.SortFaces(held)
				text += tile.FormatFaces(held)
			}
		}
		seen = append(seen, text)
	}
	return seen
}

// follow plays match k by the script up to the moment. It returns how often others than the viewer
// are asked. The error is that of a match that differs from the first for the viewer by its
// events; if the legal actions alone differ, the test has failed.
func (x *twins) follow(t *testing.T, k int) (asked int, err error) {
	t.Helper()
	var events []sim.Event
	rules := *x.rules
	rules.FirstWall = x.rulesets[k].FirstWall
	table, hands, decisions, checked := sim.NewTable(&rules, x.seed), &record.Hands{Rules: x.rules}, 0, 0
	for !table.Over() {
		events = table.StartHand(events)
		for p := range table.RestOfHand() {
			if len(events) > x.events {
				return 0, errors.New("the moment is passed")
			}
			if !slices.Equal(x.see(hands, events[checked:]), x.seen[checked:len(events)]) {
				return 0, errors.New("other events")
			}
			checked = len(events)
			v := table.View(p)
			if p == x.viewer {
				if decisions == len(x.legal) || v.Legal() != x.legal[decisions] {
					t.Fatalf("%s: decision %d of the viewer is another one at the same events", x.name, decisions)
				}
				decisions++
			}
			if placeOf(v) == x.moment {
				x.drawn[k] = ""
				for i, e := range events {
					if drawn, _ := e.Discard(); e.Type == sim.EvDiscard && drawn && e.Player != x.viewer {
						x.drawn[k] += fmt.Sprint(i, " ")
					}
				}
				return asked, nil
			}
			if p != x.viewer {
				asked++
			}
			if events, err = table.Step(p, x.answer(v), events); err != nil {
				return 0, err
			}
		}
	}
	return 0, errors.New("the match is over")
}
