package sim_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

func load(t testing.TB, preset string) *ruleset.Rules {
	t.Helper()
	r, err := (&setup{}).rules(preset)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// digest hashes events, each as its eight bytes in order, numbers lowest byte
// first.
type digest struct{ buf []byte }

func (d *digest) add(events []sim.Event) {
	for _, e := range events {
		d.buf = append(d.buf, byte(e.Type), byte(e.Player), byte(e.Tile), e.Detail)
		d.buf = binary.LittleEndian.AppendUint32(d.buf, uint32(e.Value))
	}
}

func (d *digest) sum() string { return fmt.Sprintf("%x", sha256.Sum256(d.buf)) }

// played is what a run leaves of each match.
type played struct {
	Index, Seed uint64
	Agents      [4]uint8
	Hash        string
	Actions     int
}

// runAll collects the matches of a job in the order in which Run hands them on.
func runAll(ctx context.Context, j *sim.Job) ([]played, error) {
	var all []played
	err := sim.Run(ctx, j,
		func() *[]played { return new([]played) },
		func(b *[]played, m *sim.Match) error {
			var d digest
			d.add(m.Events)
			*b = append(*b, played{m.Index, m.Seed, m.Agents, d.sum(), len(m.Actions)})
			return nil
		},
		func(b *[]played) error {
			all = append(all, *b...)
			*b = (*b)[:0]
			return nil
		})
	return all, err
}

func quickJob(r *ruleset.Rules, count uint64, workers int) *sim.Job {
	return &sim.Job{
		Rules: r, Schedule: sim.Rotation{Seed: 3}, Count: count, Workers: workers,
		NewAgent: func(number int) sim.Agent { return anyhows[number] },
	}
}

// TestRunOrder checks that matches come in the same order and are the same for
// any number of workers, and wherever the run starts.
func TestRunOrder(t *testing.T) {
	r := load(t, "ema_2016")
	count := uint64(3*sim.BlockSize + 5)
	var want []played
	for _, workers := range []int{1, 2, 16} {
		got, err := runAll(t.Context(), quickJob(r, count, workers))
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%d workers (-1 +now):\n%s", workers, diff)
		}
	}
	if len(want) != int(count) {
		t.Fatalf("%d matches of %d", len(want), count)
	}
	for i, m := range want {
		if m.Index != uint64(i) || m.Seed != sim.MatchSeed(3, uint64(i)) {
			t.Fatalf("match %d is %+v", i, m)
		}
		for p := range m.Agents {
			if int(m.Agents[p]) != (p+i)%4 {
				t.Fatalf("match %d: agents %v do not rotate", i, m.Agents)
			}
		}
	}
	later := quickJob(r, 7, 2)
	later.First = sim.BlockSize
	got, err := runAll(t.Context(), later)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want[sim.BlockSize:sim.BlockSize+7], got); diff != "" {
		t.Errorf("a run that starts later (-whole +later):\n%s", diff)
	}
	kept := quickJob(r, 5, 1)
	kept.Schedule = sim.Rotation{Seed: 3, KeepSeats: true}
	got, err = runAll(t.Context(), kept)
	if err != nil || slices.ContainsFunc(got, func(m played) bool { return m.Agents != [4]uint8{0, 1, 2, 3} }) {
		t.Errorf("agents move although seats are kept: %v, %v", got, err)
	}
}

// A few matches, of one block, are played at as many tables as there are workers.
func TestRunFewMatches(t *testing.T) {
	const workers = 3
	r := load(t, "ema_2016")
	want, err := runAll(t.Context(), quickJob(r, 7, 1))
	if err != nil {
		t.Fatal(err)
	}
	j := quickJob(r, 7, workers)
	var playing sync.WaitGroup // until as many matches have begun
	playing.Add(workers)
	schedule := j.Schedule
	j.Schedule = hookedSchedule{schedule, func(index uint64) {
		if index < workers {
			playing.Done()
			playing.Wait()
		}
	}}
	got, err := runAll(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-one table +%d tables):\n%s", workers, diff)
	}
	if n := j.Tables(); n != workers {
		t.Errorf("%d tables, want %d", n, workers)
	}
}

// hookedSchedule calls a function before each match.
type hookedSchedule struct {
	sim.Schedule
	before func(index uint64)
}

func (s hookedSchedule) Match(index uint64) (uint64, [sim.NumPlayers]uint8) {
	s.before(index)
	return s.Schedule.Match(index)
}

func TestRunNothing(t *testing.T) {
	if got, err := runAll(t.Context(), quickJob(load(t, "ema_2016"), 0, 4)); err != nil || got != nil {
		t.Errorf("a run of no matches: %v, %v", got, err)
	}
}

// TestRunErrors checks that errors end a run, that done has then been called for
// a prefix of the blocks, and that no goroutine stays behind.
func TestRunErrors(t *testing.T) {
	r := load(t, "ema_2016")
	before := runtime.NumGoroutine()
	broken := errors.New("broken")
	for _, workers := range []int{1, 2, 16} {
		for _, where := range []string{"each", "done", "cancel"} {
			ctx, cancel := context.WithCancel(t.Context())
			next := uint64(0)
			// A run that is canceled must be longer than its workers can get
			// ahead, or it may be complete before it hears of it.
			blocks := uint64(8)
			if where == "cancel" {
				blocks = 200
			}
			err := sim.Run(ctx, quickJob(r, blocks*sim.BlockSize, workers),
				func() *[]uint64 { return new([]uint64) },
				func(b *[]uint64, m *sim.Match) error {
					*b = append(*b, m.Index)
					if where == "each" && m.Index == 2*sim.BlockSize+3 {
						return broken
					}
					return nil
				},
				func(b *[]uint64) error {
					for _, i := range *b {
						if i != next {
							return fmt.Errorf("match %d comes after %d", i, next)
						}
						next++
					}
					*b = (*b)[:0]
					switch where {
					case "done":
						if next == 3*sim.BlockSize {
							return broken
						}
					case "cancel":
						cancel()
					}
					return nil
				})
			cancel()
			want := broken
			if where == "cancel" {
				want = context.Canceled
			}
			if !errors.Is(err, want) {
				t.Errorf("%d workers, error in %s: %v", workers, where, err)
			}
			if next%sim.BlockSize != 0 || where == "each" && next > 2*sim.BlockSize || where == "done" && next != 3*sim.BlockSize {
				t.Errorf("%d workers, error in %s: done was given %d matches", workers, where, next)
			}
		}
	}
	if !poll.Until(func() bool { return runtime.NumGoroutine() <= before }) {
		t.Errorf("%d goroutines, %d before the runs", runtime.NumGoroutine(), before)
	}
}

func TestRunCanceledBefore(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("no time")
	cancel(reason)
	if got, err := runAll(ctx, quickJob(load(t, "ema_2016"), 100*sim.BlockSize, 2)); !errors.Is(err, reason) || len(got)%sim.BlockSize != 0 {
		t.Errorf("%d matches, error %v", len(got), err)
	}
}

// stubborn answers as told, whether legal or not.
type stubborn struct{ sim.Action }

func (s stubborn) Act(sim.View) sim.Action { return s.Action }

// TestForfeit checks that an agent that answers illegally is reported once and
// plays on by default, and that the match can be replayed.
func TestForfeit(t *testing.T) {
	r := load(t, "hkma_league_a")
	m := sim.Match{Seed: 4}
	m.Play(r, &[4]sim.Agent{anyhow, stubborn{sim.NoAction}, anyhow, stubborn{sim.ActPass}})
	var forfeits []sim.Player
	var others []sim.Event
	for _, e := range m.Events {
		if e.Type == sim.EvForfeit {
			forfeits = append(forfeits, e.Player)
		} else {
			others = append(others, e)
		}
	}
	slices.Sort(forfeits)
	if m.Forfeited != 0b1010 || !slices.Equal(forfeits, []sim.Player{1, 3}) {
		t.Errorf("forfeited %04b, by the events %v", m.Forfeited, forfeits)
	}
	again := sim.Match{Seed: 4}
	if err := again.Replay(r, m.Actions, m.Forfeited); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.Events, others) || again.Final != m.Final {
		t.Error("the replayed match differs")
	}
	// Luck is measured by the steps, in play and from a dataset alike.
	var steps []sim.Event
	if err := m.ReplaySteps(r, func(_ *sim.Table, _ sim.Player, _ sim.Action, events []sim.Event) { steps = append(steps, events...) }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(steps, others) {
		t.Error("the steps are not those of a replay from a dataset")
	}
	if err := again.Replay(r, m.Actions, 0, m.Forfeits...); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.Events, m.Events) || !slices.Equal(again.Forfeits, m.Forfeits) || again.Forfeited != m.Forfeited {
		t.Error("the match replayed with its forfeits differs")
	}
	wrong := m.Forfeits[0]
	wrong.Player = 0
	if err := again.Replay(r, m.Actions, 0, wrong); err == nil || !strings.Contains(err.Error(), "player 0, who forfeits there") {
		t.Errorf("a forfeit that cannot be: %v", err)
	}
}

func TestDefaultAction(t *testing.T) {
	for _, c := range []struct {
		legal []sim.Action
		want  sim.Action
	}{
		{[]sim.Action{sim.ActWin, sim.ActPass, sim.ActPon}, sim.ActPass},
		{[]sim.Action{sim.ActTenpai, sim.ActNoten}, sim.ActNoten},
		{[]sim.Action{3, 7, sim.ActDiscardDrawn, sim.ActWin}, sim.ActDiscardDrawn},
		{[]sim.Action{7, 3}, 3},
	} {
		var s sim.ActionSet
		for _, a := range c.legal {
			s.Add(a)
		}
		if got := sim.DefaultAction(&s); got != c.want {
			t.Errorf("%v: %v, want %v", c.legal, got, c.want)
		}
	}
}

// TestReplayErrors checks that actions that do not fit are refused with the place.
func TestReplayErrors(t *testing.T) {
	r := load(t, "ema_2016")
	m := sim.Match{Seed: 8}
	m.Play(r, &anyhows)
	first := slices.Clone(m.Actions)
	first[0] = sim.ActPass
	for _, c := range []struct {
		name    string
		actions []sim.Action
		want    string
	}{
		{"none", nil, "hand 0: the actions end at decision 0"},
		{"too few", m.Actions[:len(m.Actions)-1], fmt.Sprintf("the actions end at decision %d", len(m.Actions)-1)},
		{"too many", append(slices.Clone(m.Actions), sim.ActPass), "but " + fmt.Sprint(len(m.Actions)+1) + " actions are given"},
		{"illegal", first, "hand 0, decision 0: sim: illegal action: player 0 may not pass (turn)"},
	} {
		again := sim.Match{Seed: 8}
		err := again.Replay(r, c.actions, 0)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	var illegal *sim.IllegalActionError
	if err := m.Replay(r, first, 0); !errors.As(err, &illegal) || illegal.Action != sim.ActPass {
		t.Errorf("error %v does not hold the action", err)
	}
}

// poolsKeep says that a sync.Pool keeps what it is given, so that allocations can be counted.
var poolsKeep = true

// TestMatchIsReused checks that playing into a used Match leaves nothing of the
// match before, and costs no memory per decision.
func TestMatchIsReused(t *testing.T) {
	r := load(t, "tenhou")
	lists := sim.KeepChoices | sim.KeepValues
	used := sim.Match{Seed: 1, Keep: lists}
	used.Play(r, &kanners)
	used.Seed = 2
	used.Play(r, &mixed)
	fresh := sim.Match{Seed: 2, Keep: lists}
	fresh.Play(r, &mixed)
	if !slices.Equal(used.Events, fresh.Events) || !slices.Equal(used.Actions, fresh.Actions) ||
		!slices.Equal(used.Hands, fresh.Hands) || !slices.Equal(used.Choices, fresh.Choices) ||
		!slices.Equal(used.Values, fresh.Values) || used.Final != fresh.Final || used.Decisions != fresh.Decisions {
		t.Error("the second match differs from a fresh one")
	}
	for i, c := range fresh.Choices {
		if !c.Legal.Has(fresh.Actions[i]) || c.Legal.Len() < 2 {
			t.Fatalf("choice %d: %v from %v", i, fresh.Actions[i], c)
		}
	}
	wins := 0
	for _, e := range fresh.Events {
		if e.Type == sim.EvWin {
			wins++
		}
	}
	if len(fresh.Choices) != len(fresh.Actions) || len(fresh.Values) != wins {
		t.Errorf("%d choices of %d actions, %d values of %d wins", len(fresh.Choices), len(fresh.Actions), len(fresh.Values), wins)
	}
	lazy := [4]sim.Agent{quickest{}, quickest{}, quickest{}, quickest{}}
	m := sim.Match{Seed: 5}
	m.Play(r, &lazy)
	allocs := testing.AllocsPerRun(10, func() { m.Play(r, &lazy) })
	if limit := float64(len(m.Actions)) / 50; poolsKeep && allocs > limit {
		t.Errorf("%v allocations for %d decisions", allocs, len(m.Actions))
	}
}

// TestTenpaiTurn plays matches again and looks, after each discard, whether the
// player waits for a tile: the marks of the hands say after which he first did.
func TestTenpaiTurn(t *testing.T) {
	for _, preset := range []string{"ema_2016", "mcr_2006", "botzone", "zung_jung"} {
		r := load(t, preset)
		m := sim.Match{Seed: 3}
		m.Play(r, &mixed)
		table := sim.NewTable(r, m.Seed)
		var got [][4]uint8
		var discards [4]uint8
		note := func(events []sim.Event) {
			for _, e := range events {
				if e.Type != sim.EvDiscard {
					continue
				}
				discards[e.Player]++
				if turn := &got[len(got)-1][e.Player]; *turn == 0 && table.View(e.Player).Waits() != 0 {
					*turn = discards[e.Player]
				}
			}
		}
		for rest := m.Actions; !table.Over(); {
			if table.Phase() == sim.PhaseDeal {
				got, discards = append(got, [4]uint8{}), [4]uint8{}
				note(table.StartHand(nil))
				continue
			}
			for asked := table.Asked(); asked != 0; asked = asked.Rest() {
				events, err := table.Step(asked.First(), rest[0], nil)
				if err != nil {
					t.Fatal(err)
				}
				note(events)
				rest = rest[1:]
			}
		}
		waited := 0
		for i, h := range m.Hands {
			if h.TenpaiTurn != got[i] {
				t.Errorf("%s, hand %d: %v, but they waited after %v", preset, i, h.TenpaiTurn, got[i])
			}
			for _, turn := range got[i] {
				if turn != 0 {
					waited++
				}
			}
		}
		if waited == 0 {
			t.Errorf("%s: nobody ever waited", preset)
		}
	}
}

// quickest plays a random action without allocating.
type quickest struct{}

func (quickest) Act(v sim.View) sim.Action {
	legal, s := v.Legal(), v.Rand()
	return legal.Nth(s.Below(legal.Len()))
}

// TestStartHandTooEarly checks that dealing in the middle of a hand panics, as it
// is a fault of the caller.
func TestStartHandTooEarly(t *testing.T) {
	table := sim.NewTable(load(t, "ema_2016"), 1)
	table.StartHand(nil)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	table.StartHand(nil)
}

// waiting answers nothing until it is interrupted.
type waiting struct {
	asked       func()
	interrupted chan struct{}
}

func (w *waiting) Act(sim.View) sim.Action {
	w.asked()
	<-w.interrupted
	return sim.NoAction
}

func (w *waiting) Interrupt() { close(w.interrupted) }

// A run that is told to stop tells its agents, and hands on no match in which one of
// them then forfeits.
func TestRunInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	j := &sim.Job{
		Rules: load(t, "tenhou"), Schedule: sim.Rotation{Seed: 1}, Count: 1, Workers: 1,
		NewAgent: func(int) sim.Agent { return &waiting{cancel, make(chan struct{})} },
	}
	all, err := runAll(ctx, j)
	if !errors.Is(err, context.Canceled) || len(all) != 0 {
		t.Errorf("%d matches, error %v; want none and %v", len(all), err, context.Canceled)
	}
}
