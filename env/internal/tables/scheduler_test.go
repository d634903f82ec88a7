package tables

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestSchedulerAlone plays without a transport. All answers are the first legal action.
func TestSchedulerAlone(t *testing.T) {
	rules, err := configs.Load("zung_jung")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s := New(ctx, Config{Rules: rules, Tables: 70, Seats: playAll, Workers: 4, AutoReset: true, HandEpisodes: true})
	defer s.Close()
	defer cancel()
	r := s.Open()
	lasts := 0
	for range 200 {
		for !r.Done() {
			if err := s.Wait(); err != nil {
				t.Fatal(err)
			}
		}
		var a Answers
		columns := [NumColumns][]byte{}
		for c := range columns {
			columns[c] = r.AppendColumn(nil, c)
		}
		for i := range r.Len() {
			if columns[ColumnFlags][i]&Asked == 0 {
				continue
			}
			mask := columns[ColumnMask][packedMaskBytes*i:][:packedMaskBytes]
			action := uint8(0)
			for mask[action/8]>>(action%8)&1 == 0 {
				action++
			}
			a.Table = append(a.Table, columns[ColumnTable][4*i:4*i+4]...)
			a.Step = append(a.Step, columns[ColumnStep][4*i:4*i+4]...)
			a.Player, a.Action = append(a.Player, columns[ColumnPlayer][i]), append(a.Action, action)
		}
		lasts += len(columns[ColumnLastRank])
		r.Release()
		var refused *Refusal
		if r, refused = s.Act(a, false, nil); refused != nil {
			t.Fatal(refused)
		}
	}
	if lasts == 0 {
		t.Error("no episode has ended")
	}
}

// panics is an agent that panics.
type panics struct{}

func (panics) Act(sim.View) sim.Action { panic("the agent fails") }

// TestCloseAfterPanic closes a scheduler whose workers panic while it collects nothing
// more. All its goroutines end.
func TestCloseAfterPanic(t *testing.T) {
	rules, err := configs.Load("ema_2016")
	if err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	agents := []Agent{{"panics", func() sim.Agent { return panics{} }}}
	s := New(ctx, Config{Rules: rules, Tables: 1000, Agents: agents, Seats: [][sim.NumPlayers]uint8{{0, 0, 0, External}}, Workers: 4})
	s.Open()
	err = s.Wait()
	p, ok := errors.AsType[*PanicError](err)
	if !ok || p.Value != "the agent fails" || len(p.Stack) == 0 {
		t.Fatalf("error %v", err)
	}
	cancel()
	s.Close()
	if !poll.Until(func() bool { return runtime.NumGoroutine() <= before }) {
		t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
	}
}
