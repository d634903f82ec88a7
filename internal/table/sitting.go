// Package table lets people play against agents and each other in a browser.
//
// A [Sitting] plays one match after the other and serves the page of each seat:
//
//	s, err := table.New(table.Options{Ruleset: r, Agents: agents, ...})
//	go http.Serve(listener, s.Handler())
//	err = s.Play(ctx)
//
// The page of a seat receives the events of the match as that player sees them (see
// [sim.Event.SeenBy]), never the table itself. A person answers with the number of the
// question, so a late or repeated answer is refused. docs/table.md describes the page.
package table

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/export/seal"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Pace is the usual least time between the moves of agents, and MaxPace the longest that may be set.
const (
	Pace    = 400 * time.Millisecond
	MaxPace = time.Minute
)

// Clock limits the time for an answer. Zero means no limit.
type Clock struct {
	// Turn is the time for each answer, Reserve the time of each hand that is used when
	// Turn is over.
	Turn, Reserve time.Duration
}

// ParseClock parses seconds for an answer and in reserve for each hand, such as "5+10" or "5".
// Without text there is no limit.
func ParseClock(text string) (Clock, error) {
	if text == "" {
		return Clock{}, nil
	}
	var seconds [2]int
	first, second, found := strings.Cut(text, "+")
	for i, part := range []string{first, second} {
		if i == 1 && !found {
			break
		}
		n, err := strconv.Atoi(part)
		if err != nil || n < 1-i || n > 3600 {
			return Clock{}, fmt.Errorf("%q; allowed: seconds for an answer (1 to 3600), and after a plus seconds in reserve, such as 5+10", text)
		}
		seconds[i] = n
	}
	return Clock{Turn: time.Duration(seconds[0]) * time.Second, Reserve: time.Duration(seconds[1]) * time.Second}, nil
}

// Options are the settings of a sitting.
type Options struct {
	// Ruleset is the ruleset of all matches.
	Ruleset *configs.Ruleset
	// Seed, if not nil, is the seed of the first match, to which each further one adds 1: then
	// who knows it knows all walls. Otherwise each match has a seal of its own (see
	// docs/contests.md#sealed-walls), so that the replays of the matches before say nothing about the next.
	Seed *uint64
	// From, if not nil, is the moment of a recorded match from which each match goes on.
	// Ruleset is that of its dataset then, and there is no seed.
	From *Branch
	// Agents are the agents of the players, of three the first ones. A person plays for a
	// player without one.
	Agents [sim.NumPlayers]Agent
	// Substitute plays for a person whose page has been closed for the time Away. It may
	// be nil; the seat then waits.
	Substitute func() sim.Agent
	Away       time.Duration
	// Clock limits the time of people.
	Clock Clock
	// Pace is the least time between the moves of agents, so that people can follow.
	Pace time.Duration
	// Coach, if not nil, returns an adviser. The page of each person receives its comments
	// on that person's own choices.
	Coach func() sim.Adviser
	// Judge, if not nil, returns an agent that judges the choices of people after a match, for
	// the page of its review.
	Judge func() sim.Agent
	// Watch adds a key for spectators, who see hands after the hand has ended.
	Watch bool
	// Out, if not empty, is the folder in which each match is kept as a dataset.
	Out string
	// Resume, if not nil, is a match that was in progress, with which a sitting without Out goes on.
	Resume *Progress
	// Log receives warnings, such as of illegal answers. It may be nil.
	Log *slog.Logger
}

// Agent is an agent at the table.
type Agent struct {
	// Name is its name for people, New its constructor. A person plays where New is nil.
	Name string
	New  func() sim.Agent
}

// Person is the name of people in datasets.
const Person = "person"

// Sitting is a table at which people and agents play matches.
type Sitting struct {
	site  site
	o     Options
	rules *ruleset.Rules
	seats []*seat
	// seed and seal are those of the match that is played; seal is nil if its walls are public.
	seed uint64
	seal *seal.Seal
	// watchKey and shareKey are the keys of the pages of spectators and of the lobby, "" without them.
	watchKey, shareKey string
	// seating is held while a person sits down.
	seating sync.Mutex
	// feeds are the messages for each player, and for spectators last; views reduce an event
	// to what each of them may see.
	feeds [sim.NumPlayers + 1]*feed
	views []func(sim.Event) sim.Event
	// progress is the match in progress, guarded by progressing.
	progressing sync.Mutex
	progress    Progress
	// openFile opens the file of a journal.
	openFile func(name string) (journalFile, error)
	// marked is what the pages show of the players, nil for nothing.
	marked atomic.Pointer[seatsData]
	// games are the finished matches by number, from 0.
	games games
	// reviewing is held while a match is reviewed. ctx ends when the sitting closes.
	reviewing sync.Mutex
	ctx       context.Context
	cancel    context.CancelFunc
}

// audience is the reader of a page: a player, spectators, or people in the lobby.
type audience int

// The audiences without a seat. The lobby receives no messages.
const (
	spectators audience = sim.NumPlayers + iota
	lobby
)

// player returns the player whose page it is, -1 for an audience without a seat.
func (a audience) player() sim.Player {
	if a >= spectators {
		return -1
	}
	return sim.Player(a)
}

// seenBy returns what player p may see of events, or spectators if p is -1.
func seenBy(p sim.Player, r *ruleset.Rules) func(sim.Event) sim.Event {
	return func(e sim.Event) sim.Event { return e.SeenBy(p, &r.Flow) }
}

// New returns a sitting whose first match starts with Play. It is an error if an agent cannot play
// the rules.
func New(o Options) (*Sitting, error) {
	s := &Sitting{o: o, rules: o.Ruleset.Rules(), site: site{writeTime: writeTime}, openFile: openFile}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if s.o.Log == nil {
		s.o.Log = slog.New(slog.DiscardHandler)
	}
	seats, people := s.rules.NumSeats(), 0
	for p := range seats {
		name := &s.o.Agents[p].Name
		if o.Agents[p].New == nil {
			*name = cmp.Or(*name, Person)
		}
		seat := &seat{player: sim.Player(p), name: *name, seats: seats, limit: rate.NewLimiter(maxRate, maxRate)}
		s.seats = append(s.seats, seat)
		if o.Agents[p].New == nil {
			people++
			seat.left, seat.key = time.Now(), newKey()
			if o.Substitute != nil {
				seat.substitute = o.Substitute()
			}
			if o.Coach != nil {
				seat.coach = &coach{adviser: o.Coach()}
			}
		} else {
			seat.agent = o.Agents[p].New()
		}
		for _, agent := range seat.agents() {
			if err := sim.StartAgent(agent, s.rules); err != nil {
				return nil, errors.Join(fmt.Errorf("agent of player %d, %s: %w", p, seat.name, err), s.Close())
			}
		}
	}
	if o.Watch {
		s.watchKey = newKey()
	}
	if people > 1 {
		s.shareKey = newKey()
	}
	for a := range s.feeds {
		s.feeds[a] = newFeed()
		s.views = append(s.views, seenBy(audience(a).player(), s.rules))
	}
	return s, nil
}

// newKey returns a key that cannot be guessed.
func newKey() string { return rand.Text() }

// Key returns the key of the page of player p, "" if an agent plays for p. It changes when a person
// sits down in the lobby or leaves the seat.
func (s *Sitting) Key(p sim.Player) string {
	if int(p) >= len(s.seats) {
		return ""
	}
	seat := s.seats[p]
	seat.mu.Lock()
	defer seat.mu.Unlock()
	return seat.key
}

// WatchKey returns the key of the page of spectators, "" without Options.Watch.
func (s *Sitting) WatchKey() string { return s.watchKey }

// ShareKey returns the key of the lobby, where people take the seats that are free: "" where fewer
// than two people play.
func (s *Sitting) ShareKey() string { return s.shareKey }

// find returns the audience of the page with a key.
func (s *Sitting) find(key string) (a audience, ok bool) {
	switch key {
	case "": // the key of what does not exist
		return 0, false
	case s.watchKey:
		return spectators, true
	case s.shareKey:
		return lobby, true
	}
	for p := range s.seats {
		if key == s.Key(sim.Player(p)) {
			return audience(p), true
		}
	}
	return 0, false
}

// Close ends the agents, and the reviews that are computed.
func (s *Sitting) Close() error {
	s.cancel()
	var failed error
	for _, seat := range s.seats {
		for _, agent := range seat.agents() {
			failed = errors.Join(failed, sim.CloseAgent(agent))
		}
	}
	return failed
}

// Play plays matches until ctx ends, which is no error. Between two matches it waits for all
// people. It is an error if an agent fails (see [sim.Failer]) or a dataset cannot be written.
func (s *Sitting) Play(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() {
		for _, seat := range s.seats {
			for _, agent := range seat.agents() {
				if i, ok := sim.As[sim.Interrupter](agent); ok {
					i.Interrupt()
				}
			}
		}
	})()
	unlock, err := s.lockFolder()
	if err != nil {
		return err
	}
	defer unlock()
	go s.markSeats(ctx)
	first, err := s.firstMatch()
	if err != nil {
		return err
	}
	if s.awaitPeople(ctx) != nil {
		return nil
	}
	for n := first; ; n++ {
		m, again, err := s.playMatch(ctx, n)
		if err == nil {
			err = s.storeMatch(n, m)
		}
		if err == nil && !again {
			_, err = s.pause(ctx, nil)
		}
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
	}
}

// markSeats keeps the marks of people on all pages until ctx ends: at most one message a second, however often pages
// open and close.
func (s *Sitting) markSeats(ctx context.Context) {
	if s.shareKey == "" {
		return // one person has no other to wait for
	}
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for {
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
		now := s.marks()
		if last := s.marked.Load(); last == nil || !reflect.DeepEqual(last, now) {
			s.marked.Store(now)
			s.publish("seats", now)
		}
	}
}

// playMatch plays match number n and returns its record, and whether the person ended a branch to
// begin it again.
func (s *Sitting) playMatch(ctx context.Context, n uint64) (_ *sim.Match, again bool, err error) {
	if err := s.drawWalls(n); err != nil {
		return nil, false, err
	}
	seed, numbers := s.rotation().Match(0)
	g := &game{s: s, match: n, table: sim.NewTable(s.rules, seed), report: newReporter(s.rules)}
	if s.o.From != nil {
		if g.table, err = s.o.From.start(s.rules); err != nil {
			return nil, false, err
		}
	}
	if g.journal, err = s.openJournal(n); err != nil {
		return nil, false, err
	}
	defer g.journal.Close()
	s.begin(n)
	s.announce(n)
	for !g.table.Over() {
		if len(g.actions) > g.journal.branchActions && g.journal.recorded(len(g.actions)) == sim.NoAction {
			if again, err = s.pause(ctx, func() sim.Action { return nextHand }); err != nil {
				return nil, false, err
			}
			if again {
				break
			}
		}
		for _, seat := range s.seats {
			seat.reserve, seat.facts = s.o.Clock.Reserve, nil
		}
		g.publish(g.startHand(), nil, nil)
		for range g.table.RestOfHand() {
			if err := g.decide(ctx); err != nil {
				return nil, false, err
			}
		}
	}
	for _, seat := range s.seats {
		seat.listen(&g.table, g.events)
		seat.delivered = 0
		for _, agent := range seat.agents() {
			if err := sim.AgentError(agent); err != nil {
				return nil, false, fmt.Errorf("agent of player %d, %s: %w", seat.player, seat.name, err)
			}
		}
	}
	m := &sim.Match{Seed: seed, Keep: sim.KeepChoices | sim.KeepValues, Agents: numbers}
	if from := s.o.From; from != nil {
		m.Walls, m.Start, m.RoundWind = g.walls, from.match.Start, g.table.View(0).RoundWind()
	}
	return m, again, m.Replay(s.rules, g.actions, 0, g.forfeits...)
}

// game is a match in progress.
type game struct {
	s       *Sitting
	match   uint64
	table   sim.Table
	events  []sim.Event
	actions []sim.Action
	// forfeited are the players whose agent has answered illegally, forfeits their answers.
	forfeited sim.Players
	forfeits  []sim.Forfeit
	walls     []sim.Wall // of the hands of a branch
	report    reporter
	changed   time.Time // when the table last changed
	journal   *journal
}

// decide collects the answers at a decision point and plays on to the next one. All players who
// are asked answer at the same time.
func (g *game) decide(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var answers [sim.NumPlayers]answer
	group, groupCtx := errgroup.WithContext(ctx)
	for asked := g.table.Asked(); asked != 0; asked = asked.Rest() {
		p := asked.First()
		group.Go(func() (err error) {
			answers[p], err = g.answer(groupCtx, p)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	// An agent that was interrupted has not answered illegally. The match goes on from its
	// journal, and asks the agent again.
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if wait := g.s.o.Pace - time.Since(g.changed); wait > 0 && g.needsPace() {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	for asked := g.table.Asked(); asked != 0; asked = asked.Rest() {
		p := asked.First()
		if f := answers[p].forfeit; f != nil {
			if err := g.forfeit(f); err != nil || g.table.Over() {
				return err
			}
		}
		var ahead *sim.Table
		if g.table.Phase() == sim.PhaseTurn && answers[p].action.IsDiscard() {
			ahead = new(sim.Table)
			g.table.View(p).AfterDiscard(answers[p].action, ahead)
		}
		var values []ruleset.Value
		events, err := g.table.StepValues(p, answers[p].action, nil, &values)
		if err != nil {
			return err // answers are legal
		}
		g.actions = append(g.actions, answers[p].action)
		g.s.proceed(answers[p].action)
		if err := g.journal.add(len(g.actions)-1, answers[p].action); err != nil {
			return err
		}
		g.publish(events, values, ahead)
	}
	return nil
}

// forfeit records an illegal answer to the decision that comes next, and shows it. By the rule of
// [sim.Match.Play] the match is over where the rules have a penalty, and elsewhere the agent is not
// asked again.
func (g *game) forfeit(f *sim.Forfeit) error {
	f.Decision = len(g.actions)
	g.forfeited |= f.Player.Bit()
	g.forfeits = append(g.forfeits, *f)
	if err := g.journal.addForfeit(f); err != nil {
		return err
	}
	g.publish(g.table.Forfeit(f.Player, nil), nil, nil)
	return nil
}

// needsPace reports whether people need time to see the next move: that of an agent in its turn,
// unless it comes from the journal.
func (g *game) needsPace() bool {
	turn := g.table.View(0).Turn()
	return turn >= 0 && g.table.Phase() == sim.PhaseTurn && g.s.seats[turn].agent != nil && g.journal.recorded(len(g.actions)) == sim.NoAction
}

// pauseTime is how long people who play with a clock may look at the result of a hand.
const pauseTime = 30 * time.Second

// pause waits until all people go on. absent answers for those whose page is closed; nil waits
// for them. It reports whether a person begins the branch again.
func (s *Sitting) pause(ctx context.Context, absent func() sim.Action) (again bool, err error) {
	var answers [sim.NumPlayers]sim.Action
	group, ctx := errgroup.WithContext(ctx)
	for _, seat := range s.seats {
		if seat.agent != nil {
			continue
		}
		group.Go(func() error {
			asked := inquiry{substitute: absent}
			if s.o.Clock.Turn > 0 {
				asked.limit = pauseTime
			}
			var err error
			answers[seat.player], err = s.wait(ctx, seat, asked)
			return err
		})
	}
	err = group.Wait()
	return slices.Contains(answers[:], restartBranch), err
}
