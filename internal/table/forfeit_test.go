package table

import (
	"context"
	"encoding/json"
	"errors"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/pages/viewer"
	"github.com/sparrowhall/sparrowhall/sim"
)

// cheat plays like another agent until its last legal answer; the next one is illegal.
type cheat struct {
	sim.Agent
	legal int
	// asked counts the calls of Act.
	asked *atomic.Int64
}

func (c cheat) Act(v sim.View) sim.Action {
	if c.asked.Add(1) > int64(c.legal) {
		return sim.ActCutDebt
	}
	return c.Agent.Act(v)
}

func (cheat) Explain() string { return "it said \"no\"\nand left" }

// middle answers as the person of [served.play] does.
type middle struct{}

func (middle) Act(v sim.View) sim.Action {
	legal := v.Legal()
	list := legal.AppendTo(nil)
	return list[len(list)/2]
}

// cheats returns options of a table at which agent 1 forfeits after a number of legal answers, and
// the number of times it has been asked.
func cheats(t *testing.T, preset string, hands int64, legal int) (Options, *atomic.Int64) {
	o := options(t, preset, "value", hands)
	asked, newAgent := new(atomic.Int64), o.Agents[1].New
	o.Agents[1] = Agent{Name: "cheat", New: func() sim.Agent { return cheat{newAgent(), legal, asked} }}
	return o, asked
}

// countForfeits returns the number of forfeits of player p that a page has been sent.
func countForfeits(t *testing.T, all []received, p int) (n int) {
	for _, m := range all {
		if m.kind == "events" {
			for _, row := range rows(t, m) {
				if sim.EventType(number(t, row[0])) == sim.EvForfeit && number(t, row[1]) == p {
					n++
				}
			}
		}
	}
	return n
}

// finishedMatch returns the match of the last message, which is its replay.
func (s *served) finishedMatch(t *testing.T, all []received) *sim.Match {
	t.Helper()
	var d replayData
	if err := json.Unmarshal([]byte(all[len(all)-1].data), &d); err != nil {
		t.Fatal(err)
	}
	return s.games.get(strings.TrimPrefix(d.Address, "/replay/")).match
}

// An agent that answers illegally forfeits as in a match that is played by sim.Match.Play: the same
// events, answers and results. The page shows it, and the dataset can be verified.
func TestForfeit(t *testing.T) {
	for _, preset := range []string{"ema_2016", "botzone", "hkma_hktw", sanma} {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			o, asked := cheats(t, preset, 2, 4)
			o.Out = t.TempDir()
			s := serve(t, o)
			all := s.play(t)
			m := s.finishedMatch(t, all)
			s.stop()
			if n := asked.Load(); n != 5 {
				t.Errorf("the agent was asked %d times, want 5", n)
			}
			if n := countForfeits(t, all, 1); n != 1 {
				t.Errorf("the page was sent %d forfeits", n)
			}
			want := sim.Match{Seed: m.Seed, Keep: m.Keep}
			players := [sim.NumPlayers]sim.Agent{middle{}, cheat{o.Agents[2].New(), 4, new(atomic.Int64)}, o.Agents[2].New(), o.Agents[2].New()}
			want.Play(o.Ruleset.Rules(), &players)
			if len(want.Forfeits) != 1 {
				t.Fatalf("Play has the forfeits %v", want.Forfeits)
			}
			for _, d := range []string{
				cmp.Diff(want.Events, m.Events), cmp.Diff(want.Actions, m.Actions), cmp.Diff(want.Choices, m.Choices),
				cmp.Diff(want.Forfeits, m.Forfeits), cmp.Diff(want.Forfeited, m.Forfeited), cmp.Diff(want.Final, m.Final),
			} {
				if d != "" {
					t.Errorf("the table differs from Play (-Play +table):\n%.400s", d)
				}
			}
			_, kept := opened(t, filepath.Join(o.Out, "match-0001"))
			if kept.Forfeited != 0b10 || !slices.Equal(kept.Actions, m.Actions) || kept.Final != m.Final {
				t.Errorf("the dataset has the forfeits %04b", kept.Forfeited)
			}
			// The numbers of hand and step on the page are those of the page of the dataset.
			for hand := range m.Hands {
				for step := 0; ; step++ {
					a, errA := answersBefore(m, hand, step)
					b, errB := answersBefore(kept, hand, step)
					if (errA == nil) != (errB == nil) || a != b {
						t.Fatalf("hand %d, step %d: %d answers before it on the page of the table, %d on that of the dataset", hand, step, a, b)
					}
					if errA != nil {
						break
					}
				}
			}
		})
	}
}

// answersBefore returns the number of answers before a step of a hand of the page of a match.
func answersBefore(m *sim.Match, hand, step int) (int, error) {
	before, err := viewer.EventsBefore(m, hand, step)
	n := 0
	for n < len(m.Choices) && int(m.Choices[n].EventIndex) < before {
		n++
	}
	return n, err
}

// A match that goes on from its journal knows who has forfeited, and why, and does not ask the agent
// again. It ends as without the break.
func TestForfeitRestart(t *testing.T) {
	whole, _ := cheats(t, "tenhou", 2, 4)
	whole.Out = t.TempDir()
	one := serve(t, whole)
	all := one.play(t)
	want := one.finishedMatch(t, all)
	one.stop()

	o, asked := cheats(t, "tenhou", 2, 4)
	o.Out = t.TempDir()
	s := serve(t, o)
	forfeited, answers := false, 0
	s.follow(t, s.Key(0), "", func(m received) bool {
		forfeited = forfeited || countForfeits(t, []received{m}, 1) > 0
		if m.kind != "question" {
			return true
		}
		if forfeited {
			answers++
		}
		q := questionOf(t, m)
		s.answer(t, s.Key(0), q.Question, q.Legal[len(q.Legal)/2])
		return answers < 3
	})
	s.stop()
	before := asked.Load()
	s = serve(t, o)
	all = s.play(t)
	got := s.finishedMatch(t, all)
	s.stop()
	if n := asked.Load() - before; n != 0 || before != 5 {
		t.Errorf("the agent was asked %d times before the break, want 5, and %d after it", before, n)
	}
	if n := countForfeits(t, all, 1); n != 1 {
		t.Errorf("the page was sent %d forfeits after the break", n)
	}
	for _, d := range []string{cmp.Diff(want.Events, got.Events), cmp.Diff(want.Actions, got.Actions), cmp.Diff(want.Forfeits, got.Forfeits)} {
		if d != "" {
			t.Errorf("the match differs from one without a break (-without +with):\n%.400s", d)
		}
	}
	_, kept := opened(t, filepath.Join(o.Out, "match-0001"))
	if kept.Forfeited != 0b10 {
		t.Errorf("the dataset has the forfeits %04b", kept.Forfeited)
	}
}

// A journal with a line that is no forfeit is refused by its number.
func TestJournalOfBadForfeit(t *testing.T) {
	for _, line := range []string{`forfeit 4 255 ""`, `forfeit 1 255`, `forfeit -1 255 ""`, `forfeit 1 300 ""`, `forfeit 1 255 text`} {
		o := options(t, "tenhou", "value", 2)
		o.Out = t.TempDir()
		s := serve(t, o)
		s.firstQuestion(t)
		s.stop()
		name := filepath.Join(o.Out, "match-0001.journal")
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(text), "\n")
		if err := os.WriteFile(name, []byte(head+"\n"+line+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := serve2(t, o); err == nil || !strings.Contains(err.Error(), "line 2: ") || !strings.Contains(err.Error(), "is no forfeit") {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// recordedForfeit writes a dataset of a match in which the agent of player 1 forfeits in its first
// hand, and opens it.
func recordedForfeit(t *testing.T) *dataset.Dataset {
	t.Helper()
	o, _ := cheats(t, "ema_2016", 3, 4)
	run := &dataset.Run{Ruleset: o.Ruleset, Seed: 5, Matches: 1, KeepSeats: true, Record: schema.Decisions, FileMatches: dataset.DefaultFileMatches}
	run.Agents = append(run.Agents, "value", "cheat", "value", "value")
	dir := filepath.Join(t.TempDir(), "recorded")
	w, err := dataset.Create(dir, run, false)
	if err != nil {
		t.Fatal(err)
	}
	newAgent := func(n int) sim.Agent {
		if n == 1 {
			return o.Agents[1].New()
		}
		return o.Agents[2].New()
	}
	if err := errors.Join(w.Play(t.Context(), &sim.Job{NewAgent: newAgent, Workers: 1}), w.Close()); err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A branch does not ask an agent that has forfeited before its moment. It asks another agent in the
// same seat, and the same one if it forfeited later.
func TestForfeitBranch(t *testing.T) {
	d := recordedForfeit(t)
	for _, c := range []struct {
		name      string
		hand      int
		step      int
		forfeited sim.Players
		asked     bool
	}{
		{"cheat", 1, 10, 0b10, false},
		{"another", 1, 10, 0, true},
		{"cheat", 0, 1, 0, true},
	} {
		o, asked := cheats(t, "ema_2016", 3, 1_000_000)
		o.Agents[0], o.Agents[1].Name = o.Agents[2], c.name
		b, err := NewBranch(d, 0, c.hand, c.step)
		if err != nil {
			t.Fatal(err)
		}
		o.Agents[3] = Agent{}
		o.From, o.Out = b, t.TempDir()
		s := serve(t, o)
		all := s.playAs(t, 3, "", 1)
		s.stop()
		_, m := opened(t, filepath.Join(o.Out, "match-0001"))
		if m.Forfeited != c.forfeited || asked.Load() > 0 != c.asked || countForfeits(t, all, 1) != bits.OnesCount8(uint8(c.forfeited)) {
			t.Errorf("%+v: forfeited %04b, asked %d times, %d forfeits on the page", c, m.Forfeited, asked.Load(), countForfeits(t, all, 1))
		}
	}
}

// broken is an agent that answers only when it is interrupted, or whose connection is lost.
type broken struct {
	sim.Agent
	interrupted chan struct{}
	lost        error
}

func (b broken) Act(sim.View) sim.Action {
	if b.lost == nil {
		<-b.interrupted
	}
	return sim.NoAction
}

func (b broken) Interrupt() { close(b.interrupted) }
func (b broken) Err() error { return b.lost }

// An agent that is interrupted because the table ends, or that has lost its connection, does not
// forfeit: the match goes on from its journal, and asks it again.
func TestBrokenAgentDoesNotForfeit(t *testing.T) {
	for _, lost := range []error{nil, errors.New("the connection is lost")} {
		o := options(t, "ema_2016", "value", 1)
		o.Out, o.Agents[0] = t.TempDir(), o.Agents[1]
		o.Agents[1] = Agent{Name: "broken", New: func() sim.Agent { return broken{nil, make(chan struct{}), lost} }}
		s, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		err = s.Play(ctx)
		cancel()
		if lost == nil && err != nil || lost != nil && (err == nil || !strings.Contains(err.Error(), "agent of player 1, broken: the connection is lost")) {
			t.Errorf("lost %v: %v", lost, err)
		}
		text, err := os.ReadFile(filepath.Join(o.Out, "match-0001.journal"))
		if err != nil || strings.Contains(string(text), "forfeit") || !strings.Contains(string(text), "\n") {
			t.Errorf("lost %v: the journal is %q, %v", lost, text, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A person does not forfeit by the answers of a substitute.
func TestSubstituteDoesNotForfeit(t *testing.T) {
	o := options(t, "ema_2016", "value", 1)
	o.Substitute, o.Away, o.Watch = func() sim.Agent { return cheat{nil, 0, new(atomic.Int64)} }, time.Nanosecond, true
	s := serve(t, o)
	var all []received
	s.follow(t, s.WatchKey(), "", func(m received) bool {
		all = append(all, m)
		return m.kind != "replay"
	})
	if m := s.finishedMatch(t, all); m.Forfeited != 0 || len(m.Forfeits) != 0 || m.Decisions[0] == 0 {
		t.Errorf("forfeited %04b, %d decisions", m.Forfeited, m.Decisions[0])
	}
}
