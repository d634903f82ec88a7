package sim_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// panics returns what f panics with, empty if it does not.
func panics(f func()) (message string) {
	defer func() {
		if r := recover(); r != nil {
			message = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}

// TestMisuse checks that who breaks a promise is told which one.
func TestMisuse(t *testing.T) {
	r := load(t, "ema_2016")
	deal := sim.NewTable(r, 1)
	playing := deal
	playing.StartHand(nil)
	noTile, flower := sim.NewWall(&r.Flow, 1, 0, 0, 0), sim.NewWall(&r.Flow, 1, 0, 0, 0)
	noTile[135], flower[3] = tile.NumFaces, tile.FirstFlower
	bystander := (playing.Asked().First() + 1) & 3
	for want, f := range map[string]func(){
		"StartHand called in phase turn":          func() { playing.StartHand(nil) },
		"tile 135 of the wall is invalid":         func() { deal.StartHandFrom(&noTile, nil) },
		"tile 3 of the wall is invalid":           func() { deal.StartHandFrom(&flower, nil) },
		"SetRoundWind called in phase turn":       func() { playing.SetRoundWind(0) },
		"Redeal for player 0, who is not asked":   func() { deal.View(0).Redeal(1) },
		fmt.Sprintf("for player %d, ", bystander): func() { playing.View(bystander).Redeal(1) },
		"with walls for 1 hands goes on":          func() { (&sim.Match{Walls: []sim.Wall{sim.NewWall(&r.Flow, 1, 0, 0, 0)}}).Play(r, &nobody) },
		"WithDraw called in phase deal":           func() { deal.WithDraw(0, 0) },
		"events that do not end with a draw":      func() { fresh := playing; fresh.ReplaceNextDraw([]sim.Event{{Type: sim.EvDiscard}}, 0) },
		"match state: round 9; allowed":           func() { (&sim.Match{Start: &sim.MatchState{Round: 9}}).Play(r, &nobody) },
	} {
		if got := panics(f); !strings.Contains(got, want) {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
	before := playing
	for _, p := range []sim.Player{bystander, -1, 4, 127, -128} {
		if events, err := playing.Step(p, sim.ActDiscardDrawn, nil); !errors.Is(err, sim.ErrNotAsked) || events != nil {
			t.Errorf("player %d, who is not asked: %v, error %v", p, events, err)
		}
	}
	var illegal *sim.IllegalActionError
	for _, a := range []sim.Action{sim.ActPass, sim.NumActions, sim.NoAction} {
		if events, err := playing.Step(playing.Asked().First(), a, nil); !errors.As(err, &illegal) || illegal.Action != a || events != nil {
			t.Errorf("illegal action %d: %v, error %v", a, events, err)
		}
	}
	for p := range sim.Player(4) {
		for _, beyond := range []sim.Player{p + 4, p - 4, p + 124} {
			if playing.View(beyond) != playing.View(p) || playing.Legal(beyond) != playing.Legal(p) {
				t.Errorf("player %d is not taken modulo four", beyond)
			}
		}
	}
	if playing != before {
		t.Error("a refused answer changed the table")
	}
}

func TestJobMisuse(t *testing.T) {
	r := load(t, "ema_2016")
	for want, change := range map[string]func(*sim.Job){
		"cannot begin with match 3; First must be a multiple of 64": func(j *sim.Job) { j.First = 3 },
		"a job of 18446744073709551615 matches":                     func(j *sim.Job) { j.First, j.Count = sim.BlockSize, math.MaxUint64 },
		"needs Rules, a Schedule and NewAgent":                      func(j *sim.Job) { j.Rules = nil },
		"a job needs Rules, a Schedule":                             func(j *sim.Job) { j.Schedule = nil },
		"a job needs Rules, a Schedule and NewAgent":                func(j *sim.Job) { j.NewAgent = nil },
	} {
		j := quickJob(r, 5, 1)
		change(j)
		if got, err := runAll(t.Context(), j); err == nil || !strings.Contains(err.Error(), want) || got != nil {
			t.Errorf("%d matches, error %v, want %q", len(got), err, want)
		}
	}
}
