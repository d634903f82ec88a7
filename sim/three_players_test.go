package sim_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/sparrowhall/sparrowhall/sim"
)

// threePlayers are the rulesets of three players.
var threePlayers = []string{"tenhou_sanma", "mahjong_soul_sanma"}

// TestRotationOfThree sees that three agents take turns in three seats.
func TestRotationOfThree(t *testing.T) {
	want := [][sim.NumPlayers]uint8{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 1, 2}}
	for i, want := range want {
		seed, agents := sim.Rotation{Seed: 3, Seats: 3}.Match(uint64(i))
		if agents != want || seed != sim.MatchSeed(3, uint64(i)) {
			t.Errorf("match %d: %v, want %v", i, agents, want)
		}
		if _, agents = (sim.Rotation{Seats: 3, KeepSeats: true}).Match(uint64(i)); agents != [sim.NumPlayers]uint8{0, 1, 2} {
			t.Errorf("match %d with kept seats: %v", i, agents)
		}
	}
}

// TestRunThree holds that three agents move on by one seat from match to match, that no
// fourth is made, and that a schedule of another number of players is refused.
func TestRunThree(t *testing.T) {
	for _, name := range threePlayers {
		var mu sync.Mutex
		made := map[int]bool{}
		job := &sim.Job{
			Rules: load(t, name), Schedule: sim.Rotation{Seats: 3, Seed: 3}, Count: 10, Workers: 2,
			NewAgent: func(number int) sim.Agent {
				mu.Lock()
				defer mu.Unlock()
				made[number] = true
				return anyhow
			},
		}
		got, err := runAll(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range got {
			if want := [4]uint8{uint8(i % 3), uint8((i + 1) % 3), uint8((i + 2) % 3), 0}; m.Agents != want {
				t.Errorf("%s: match %d has agents %v, want %v", name, i, m.Agents, want)
			}
		}
		if len(got) != 10 || len(made) != 3 || made[3] {
			t.Errorf("%s: %d matches, agents %v", name, len(got), made)
		}
		job.Schedule = sim.Rotation{Seed: 3}
		if _, err := runAll(t.Context(), job); err == nil || !strings.Contains(err.Error(), "a schedule of 4 players; "+job.Rules.Name+" has 3") {
			t.Errorf("%s: a schedule of four: %v", name, err)
		}
	}
	job := quickJob(load(t, "ema_2016"), 10, 1)
	job.Schedule = sim.Rotation{Seats: 3}
	if _, err := runAll(t.Context(), job); err == nil || !strings.Contains(err.Error(), "a schedule of 3 players; ema_2016 has 4") {
		t.Errorf("a schedule of three: %v", err)
	}
}
