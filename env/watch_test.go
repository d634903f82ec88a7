package env_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/sim"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// spectator follows one table of a stream and counts what it is shown.
type spectator struct {
	follows int
	env.WatchedTables

	mu     sync.Mutex
	others int // scenes at other tables
	events map[sim.EventType]int
	wins   int // values of winning hands
	looks  int // scenes without events
	names  []string
	closed bool
}

func (s *spectator) Follows(table int) bool { return table == s.follows }

func (s *spectator) Show(table int, scene *sim.Scene) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if table != s.follows {
		s.others++
		return
	}
	if len(scene.Events) == 0 {
		s.looks++
	}
	for _, e := range scene.Events {
		s.events[e.Type]++
	}
	s.wins += len(scene.Values)
	s.names = nil
	for p := range scene.Table.Rules().NumSeats() {
		s.names = append(s.names, s.AgentName(scene.Agents[p]))
	}
}

// watchedEnv returns an environment whose streams are watched by a spectator of a table.
func watchedEnv(t *testing.T, table int) (*env.Env, *spectator) {
	t.Helper()
	s := &spectator{follows: table, events: map[sim.EventType]int{}}
	return newEnv(t, env.Options{Workers: 2, Watch: func(w env.WatchedTables) (sim.Watch, func()) {
		s.WatchedTables = w
		return s, func() { s.closed = true }
	}}), s
}

// TestWatch plays at tables of which one is followed: its spectator is shown all that happens
// there and nothing of the others, and the rows are those of tables that are not watched.
func TestWatch(t *testing.T) {
	e, w := watchedEnv(t, 40)
	s := transports["process"](t, e)
	o := &envv1.Open{
		Rules: preset("ema_2016"), Tables: 45, Seed: 3, Observation: "planes", AutoReset: true,
		Seats: []string{"eager", env.External, "eager", "eager"},
	}
	_, b, err := s.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if w.Tables != 45 || w.Ruleset.Name != "ema_2016" {
		t.Errorf("%d tables of %s are watched", w.Tables, w.Ruleset.Name)
	}
	p := newPlayer()
	p.take(t, b)
	looking := make(chan struct{})
	go func() {
		defer close(looking)
		for range 100 {
			w.Look(40)
			w.Look(41)
		}
	}()
	for range 150 {
		p.take(t, p.act(t, s))
	}
	<-looking
	compare(t, o, p.rows)
	w.mu.Lock()
	if w.others > 0 || w.events[sim.EvHandStart] < 2 || w.events[sim.EvDiscard] < 100 || w.events[sim.EvWin] != w.wins {
		t.Errorf("%d scenes of others, %d wins, events %v", w.others, w.wins, w.events)
	}
	if want := []string{"eager", "external", "eager", "eager"}; !slices.Equal(w.names, want) {
		t.Errorf("players %v, want %v", w.names, want)
	}
	looks := w.looks
	w.mu.Unlock()
	w.Look(40) // no table is in play now
	if w.looks != looks+1 {
		t.Errorf("%d looks, want %d", w.looks, looks+1)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Recv(); err == nil {
		t.Error("the stream goes on")
	}
	if !w.closed {
		t.Error("the spectators are not dismissed")
	}
}

// TestWatchCopies checks that spectators are shown tables anew that requests change.
func TestWatchCopies(t *testing.T) {
	e, w := watchedEnv(t, 1)
	s := transports["process"](t, e)
	_, b, err := s.Open(&envv1.Open{Rules: preset("ema_2016"), Tables: 3, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	handles, err := s.Snapshot([]uint32{0})
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func() error{
		"restore": func() error { _, err := s.Restore([]uint32{1}, handles); return err },
		"redeal": func() error {
			_, err := s.Redeal([]uint32{0}, b.Player[:1], []uint64{5}, []uint32{1}, false)
			return err
		},
		"fork": func() error { _, err := s.Fork([]uint32{0}, []uint32{1}); return err },
	} {
		before := w.looks
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if w.looks != before+1 {
			t.Errorf("%s: %d scenes without events, want 1", what, w.looks-before)
		}
	}
}
