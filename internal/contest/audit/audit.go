// Package audit looks for agents that help each other. It counts how each agent treats each
// other one, and compares that with how the same agent treats the rest and how the rest treat
// the other one, in the same seats.
//
//	a := audit.New(rules, names)
//	err := a.AddDataset(ctx, d, numbers, audit.Place{}, 2)
//	r := a.Report()
//	fmt.Println(r.Treatments[0].Adjusted) // of the most conspicuous pair
//
// Expected counts are those of quasi-independence: a factor for each agent that acts and one
// for each that gains, fitted without the pair in question (Goodman, The analysis of
// cross-classified data, 1968). The test flips the signs of the matches, whose sum of
// squares estimates the variance: it holds whatever the distribution of counts is (Efron,
// Student's t-test under symmetry conditions, 1969). P-values are corrected for the number of
// pairs by Holm's method.
package audit

import (
	"context"
	"fmt"
	"sync"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/insight/reasons"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Act is a way in which an agent may favor another.
type Act string

// The acts that are counted. The chances of all but the first are shares of the kinds that an
// agent may discard, so that a discard at random has the rate 1.
const (
	// PassedWin is declining a win on a discard or a kan of the other agent; a chance is the
	// offer of one.
	PassedWin Act = "passes wins"
	// DealInDeclared is discarding a wait of an agent that has declared ready and is not
	// furiten.
	DealInDeclared Act = "deals into declared hands"
	// DealInHidden is the same for ready hands that are not declared.
	DealInHidden Act = "deals into other ready hands"
	// FedCall is discarding a tile that the other agent then calls; a chance is a kind for
	// which it holds the tiles.
	FedCall Act = "feeds calls"
)

var acts = [...]Act{PassedWin, DealInDeclared, DealInHidden, FedCall}

// The places in acts.
const (
	passedWin = iota
	dealInDeclared
	dealInHidden
	fedCall
	numActs
)

// Audit collects matches. Its methods may be called by many goroutines.
type Audit struct {
	rules *ruleset.Rules
	names []string

	mu      sync.Mutex
	matches []matchCounts
}

// New returns an audit of agents with these names, without matches yet.
func New(r *ruleset.Rules, names []string) *Audit { return &Audit{rules: r, names: names} }

// Place is the place of a match among others.
type Place struct {
	// Set is the number of the duplicate set, Match that of the match. Both ascend with time.
	Set, Match uint64
}

// matchCounts are the counts of a match.
type matchCounts struct {
	Place
	agents [sim.NumPlayers]int // by player
	ranks  [sim.NumPlayers]uint8
	counts []count
}

// count is how often a player acted for another sitting at a distance.
type count struct {
	from, to       sim.Player
	act, distance  uint8
	times, chances uint32 // chances in 1/unit
}

// unit is the unit of chances.
const unit = 1 << 16

// AddDataset adds the matches of a tournament. numbers are the places of its agents in the
// names of the audit; after is the number of duplicate sets and matches before it.
func (a *Audit) AddDataset(ctx context.Context, d *dataset.Dataset, numbers []int, after Place, workers int) error {
	return d.VisitReplays(ctx, workers, func() func(*dataset.ReplayedMatch) error {
		return func(m *dataset.ReplayedMatch) error {
			at := Place{after.Set + m.Match.Index, after.Match + m.Match.Index}
			if t := d.Run.Tournament; t != nil {
				set, _ := t.Schedule.SetAndSeating(m.Match.Index)
				at.Set = after.Set + set
			}
			var agents [sim.NumPlayers]int
			for p, n := range m.Match.Agents[:d.Rules().NumSeats()] {
				agents[p] = numbers[n]
			}
			return a.Add(m.Match, agents, at)
		}
	})
}

// Add adds a match that has been played. agents are the places of the agents of the players in
// the names of the audit.
func (a *Audit) Add(m *sim.Match, agents [sim.NumPlayers]int, at Place) error {
	w := watcher{rules: a.rules, discarder: -1}
	// The table answers for a player who forfeits, and declines wins; such matches have no counts.
	if m.Forfeited == 0 {
		if err := m.ReplaySteps(a.rules, w.step); err != nil {
			return fmt.Errorf("audit: match %d: %w", at.Match, err)
		}
	}
	x := matchCounts{Place: at, agents: agents}
	for p := range a.rules.NumSeats() {
		x.ranks[p] = m.Final.Rank[p]
	}
	for from := range w.times {
		for to := range w.times[from] {
			if agents[from] == agents[to] {
				continue
			}
			for act := range w.times[from][to] {
				for distance := range w.times[from][to][act] {
					if chances := w.chances[from][to][act][distance]; chances > 0 {
						x.counts = append(x.counts, count{sim.Player(from), sim.Player(to), uint8(act), uint8(distance), w.times[from][to][act][distance], chances})
					}
				}
			}
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.matches = append(a.matches, x)
	return nil
}

// distanceCounts are numbers by the player who acts, the one who gains, the act, and the distance
// from the chair of the first to that of the second.
type distanceCounts [sim.NumPlayers][sim.NumPlayers][numActs][sim.NumPlayers]uint32

// watcher follows a match with all hands open.
type watcher struct {
	rules          *ruleset.Rules
	times, chances distanceCounts
	// discarder is the player whose last decision was discard number discards, -1 for none.
	// The callers hold tiles to call one of the kinds that could have been discarded.
	discarder sim.Player
	discards  int
	callers   sim.Players
}

// step is called with each answer.
func (w *watcher) step(t *sim.Table, p sim.Player, a sim.Action, _ []sim.Event) {
	if t == nil {
		return
	}
	switch v := t.View(p); t.Phase() {
	case sim.PhaseTurn:
		w.discarder = -1
		if a.IsDiscard() {
			w.discard(t, v, p, a)
		}
	case sim.PhaseClaim, sim.PhaseRob:
		giver := v.Turn()
		if legal := v.Legal(); legal.Has(sim.ActWin) {
			w.count(v, p, giver, passedWin, unit, a != sim.ActWin)
		}
		if a >= sim.ActChi && a <= sim.ActOpenKan && giver == w.discarder && w.callers.Has(p) && v.NumDiscards() == w.discards+1 {
			w.times[giver][p][fedCall][w.distance(v, giver, p)]++
		}
	}
}

// distance returns how many turns after one player another plays.
func (w *watcher) distance(v sim.View, from, to sim.Player) int {
	seats := w.rules.NumSeats()
	return (int(v.ChairOf(to)) - int(v.ChairOf(from)) + seats) % seats
}

// count counts a chance, and the act if it was taken.
func (w *watcher) count(v sim.View, from, to sim.Player, act int, chance uint32, done bool) {
	d := w.distance(v, from, to)
	w.chances[from][to][act][d] += chance
	if done {
		w.times[from][to][act][d]++
	}
}

// discard counts the chances that a discard had to deal into hands and to feed calls.
func (w *watcher) discard(t *sim.Table, v sim.View, p sim.Player, a sim.Action) {
	legal := v.Legal()
	kinds := legal.Kinds(sim.ActDiscard)
	for f := tile.RedFive; f < tile.FirstFlower; f++ {
		if legal.Has(sim.ActDiscard + sim.Action(f)) {
			kinds |= f.Kind().Bit()
		}
	}
	if k := v.Drawn().Kind(); k != tile.NoKind && legal.Has(sim.ActDiscardDrawn) {
		kinds |= k.Bit()
	}
	chosen := reasons.DiscardedTile(a, v.Drawn()).Kind()
	if kinds.Len() < 2 || !kinds.Has(chosen) {
		return
	}
	share := func(s tile.Set) uint32 { return uint32(unit * (s & kinds).Len() / kinds.Len()) }
	w.discarder, w.discards, w.callers = p, v.NumDiscards(), 0
	for q := range sim.Player(w.rules.NumSeats()) {
		if q == p {
			continue
		}
		o := t.View(q)
		if waits := o.Waits() &^ o.FuritenKinds(); waits&kinds != 0 {
			act := dealInHidden
			if v.Ready(q) != sim.NotReady {
				act = dealInDeclared
			}
			w.count(v, p, q, act, share(waits), waits.Has(chosen))
		}
		if v.Ready(q) != sim.NotReady {
			continue
		}
		h := o.Hand()
		calls := h.AtLeast(2)
		if from := w.rules.ChiFrom; from == ruleset.ChiFromAny || from == ruleset.ChiFromLeft && w.distance(v, p, q) == 1 {
			calls |= h.Kinds().ChiKinds()
		}
		if calls&kinds != 0 {
			w.callers |= q.Bit()
			w.count(v, p, q, fedCall, share(calls), false) // counted when it is called
		}
	}
}
