package agents_test

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// words finds the words a knob takes in its own description.
var words = regexp.MustCompile(`"(\w+)"`)

// valuesOf returns the values of a knob that can be listed: both of a switch, all
// words of an enumeration, and a few numbers around the present one.
func valuesOf(k *ruleset.Knob) (values []any) {
	switch v := k.Value().(type) {
	case bool:
		return []any{!v}
	case string:
		for _, w := range words.FindAllStringSubmatch(k.Allowed, -1) {
			if w[1] != v {
				values = append(values, w[1])
			}
		}
	case int64:
		values = []any{v - 1, v + 1, 2*v + 2}
	}
	return values
}

// TestEveryKnob plays matches under one preset of each family with every knob at
// each value that can be listed and that the family takes, by a value player
// among greedy and random ones. No player may answer illegally, and no point may
// be lost.
func TestEveryKnob(t *testing.T) {
	matches := 1
	if os.Getenv("SPARROWHALL_LONG") != "" {
		matches = 20
	}
	for _, preset := range []string{"ema_2016", "mcr_2006", "botzone", "universal", "hkma_hktw"} {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			base, err := configs.Open(preset)
			if err != nil {
				t.Fatal(err)
			}
			played := 0
			for _, k := range base.Knobs() {
				for _, v := range valuesOf(&k) {
					r, err := configs.LoadWith(preset, map[string]any{k.Key: v})
					if err != nil {
						continue // out of range, or against another knob
					}
					if r.MaxHands == 0 {
						r, err = configs.LoadWith(preset, map[string]any{k.Key: v, "max_hands": int64(12)})
					}
					if err != nil {
						t.Fatal(err)
					}
					played++
					for i := range matches {
						if err := playOne(r, uint64(i)); err != nil {
							t.Errorf("%s = %v, match %d: %v", k.Key, v, i, err)
						}
					}
				}
			}
			if played < 60 {
				t.Errorf("only %d variations were played", played)
			}
			t.Logf("%d variations", played)
		})
	}
}

// playOne plays a match by several kinds of players and checks its payments.
func playOne(r *ruleset.Rules, seed uint64) error {
	var seats [sim.NumPlayers]sim.Agent
	for p := range seats {
		name := "greedy"
		switch {
		case p == 3:
			name = "value"
		case seed%2 == 1 && p%2 == 0:
			name = "random"
		}
		f, err := agents.New(name)
		if err != nil {
			return err
		}
		seats[p] = f()
	}
	m := sim.Match{Seed: seed}
	m.Play(r, &seats)
	if m.Forfeited != 0 {
		return fmt.Errorf("players %04b answered illegally", m.Forfeited)
	}
	points := [sim.NumPlayers + 1]int32{}
	for p := range sim.NumPlayers {
		points[p] = int32(r.StartingPoints * r.Unit())
	}
	for _, e := range m.Events {
		if e.Type == sim.EvPay {
			from, to, amount, _ := e.Pay()
			points[from] -= amount
			points[to] += amount
		}
	}
	for p, n := range m.Final.Points {
		if n != points[p] {
			return fmt.Errorf("player %d ends with %d, the payments say %d", p, n, points[p])
		}
	}
	if pot := points[sim.NumPlayers]; pot < 0 {
		return fmt.Errorf("the pot ends with %d", pot)
	}
	return nil
}
