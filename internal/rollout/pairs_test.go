package rollout_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/rollout"
	"github.com/sparrowhall/sparrowhall/sim"
)

func player(t *testing.T, name string) func() sim.Agent {
	t.Helper()
	f, err := agents.New(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// generate returns a file of pairs.
func generate(t *testing.T, preset string, matches uint64, workers, near int) []byte {
	t.Helper()
	rules, err := configs.Open(preset)
	if err != nil {
		t.Fatal(err)
	}
	expert, value := player(t, "expert"), player(t, "value")
	var file bytes.Buffer
	w, err := rollout.NewWriter(&file, rollout.Header{Name: preset, Ruleset: rules.TOML(), Matches: matches})
	if err != nil {
		t.Fatal(err)
	}
	job := &rollout.Job{
		Rules: rules.Rules(), Seed: 5, Matches: matches, Workers: workers, Share: 300, Near: near,
		Learns: [sim.NumPlayers]bool{true, false, true, false},
		NewAgent: func(n int) sim.Agent {
			if n%2 == 0 {
				return expert()
			}
			return value()
		},
	}
	if err := rollout.Generate(t.Context(), job, w.Write); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// sanma is a ruleset of three players.
const sanma = "tenhou_sanma"

// TestSameBytes makes the same file by one worker and by three.
func TestSameBytes(t *testing.T) {
	for _, preset := range []string{"tenhou", "mcr_2006", "hkma_hktw", sanma} {
		if !bytes.Equal(generate(t, preset, 4, 1, 0), generate(t, preset, 4, 3, 0)) {
			t.Errorf("%s: the file depends on the number of workers", preset)
		}
	}
}

// TestPlayouts plays the other branch of each pair of a file again, with agents of its
// own, and compares where both end.
func TestPlayouts(t *testing.T) {
	for _, preset := range []string{"tenhou", sanma} {
		t.Run(preset, func(t *testing.T) { playOut(t, preset) })
	}
}

func playOut(t *testing.T, preset string) {
	file := generate(t, preset, 12, 2, 0)
	in, err := rollout.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := configs.Load(preset)
	if err != nil {
		t.Fatal(err)
	}
	number := uint64(0)
	for {
		var m rollout.Match
		if err := in.Read(&m); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if len(m.Pairs) < 20 {
			t.Errorf("match %d has %d pairs", number, len(m.Pairs))
		}
		_, seated := sim.Rotation{Seed: 5, Seats: rules.NumSeats()}.Match(number)
		number++
		var seats [sim.NumPlayers]sim.Agent
		for p, n := range seated {
			seats[p] = player(t, [...]string{"expert", "value"}[n%2])()
		}
		for i, pair := range m.Pairs {
			base := endOfHand(t, sim.NewTable(rules, m.Seed), m.Actions, int(pair.At), sim.NoAction, &seats)
			other := endOfHand(t, sim.NewTable(rules, m.Seed), m.Actions, int(pair.At), sim.Action(pair.Action), &seats)
			if base != m.Baselines[pair.Hand].Points || other != pair.Other.Points {
				t.Errorf("pair %d: %v and %v, played again %v and %v", i, m.Baselines[pair.Hand].Points, pair.Other.Points, base, other)
			}
		}
	}
}

// TestNear asks the player again at each pair: what was tried is nearly as good in his eyes.
func TestNear(t *testing.T) {
	const near = 20
	in, err := rollout.NewReader(bytes.NewReader(generate(t, "tenhou", 8, 2, near)))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := configs.Load("tenhou")
	if err != nil {
		t.Fatal(err)
	}
	considerer, pairs := player(t, "expert")().(rollout.Considerer), 0
	var m rollout.Match
	for in.Read(&m) == nil {
		table, played, left := sim.NewTable(rules, m.Seed), 0, m.Pairs
		for len(left) > 0 {
			if table.Phase() == sim.PhaseDeal {
				table.StartHand(nil)
				continue
			}
			for asked := table.Asked(); asked != 0; asked = asked.Rest() {
				p, a := asked.First(), sim.Action(m.Actions[played])
				if len(left) > 0 && int(left[0].At) == played {
					considerer.Act(table.View(p))
					gain := map[sim.Action]int{}
					for i := range considerer.NumCandidates() {
						gain[considerer.Candidate(i)] = considerer.PredictedGain(i)
					}
					other, ok := gain[sim.Action(left[0].Action)]
					if !ok || other < gain[a]-near {
						t.Errorf("%v of %d was tried, where %v of %d was played", sim.Action(left[0].Action), other, a, gain[a])
					}
					left, pairs = left[1:], pairs+1
				}
				if _, err := table.Step(p, a, nil); err != nil {
					t.Fatal(err)
				}
				played++
			}
		}
	}
	if pairs < 100 {
		t.Errorf("%d near pairs", pairs)
	}
}

// TestLuck subtracts the luck from pairs, which then vary less.
func TestLuck(t *testing.T) {
	in, err := rollout.NewReader(bytes.NewReader(generate(t, "tenhou", 16, 2, 0)))
	if err != nil {
		t.Fatal(err)
	}
	var plain, adjusted, n float64
	for {
		var m rollout.Match
		if err := in.Read(&m); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for _, p := range m.Pairs {
			d := float64(p.Other.Points[p.Player] - m.Baselines[p.Hand].Points[p.Player])
			plain += d * d
			adjusted += (d - float64(p.Luck)) * (d - float64(p.Luck))
			n++
		}
	}
	if n < 500 || adjusted > 0.85*plain {
		t.Errorf("%v pairs: sums of squares %.4g, luck-adjusted %.4g", n, plain, adjusted)
	}
}

// endOfHand plays the first n answers, then a if it is an action, and then as the agents
// do to the end of the hand.
func endOfHand(t *testing.T, table sim.Table, actions []byte, n int, a sim.Action, seats *[sim.NumPlayers]sim.Agent) [sim.NumPlayers]int32 {
	t.Helper()
	played := 0
	for !table.Over() {
		if table.Phase() == sim.PhaseDeal {
			if played > n {
				break
			}
			table.StartHand(nil)
			continue
		}
		for asked := table.Asked(); asked != 0; asked = asked.Rest() {
			p := asked.First()
			answer := a
			switch {
			case played < n:
				answer = sim.Action(actions[played])
			case played > n || a == sim.NoAction:
				answer = seats[p].Act(table.View(p))
			}
			if _, err := table.Step(p, answer, nil); err != nil {
				t.Fatal(err)
			}
			played++
		}
	}
	return table.Points()
}

// TestRefused reads files that are cut off, damaged or something else.
func TestRefused(t *testing.T) {
	file := generate(t, "botzone", 5, 1, 0)
	read := func(data []byte) error {
		in, err := rollout.NewReader(bytes.NewReader(data))
		for err == nil {
			err = in.Read(new(rollout.Match))
		}
		return err
	}
	if err := read(file); err != io.EOF {
		t.Errorf("a whole file: %v", err)
	}
	changed := func(at int) []byte {
		data := bytes.Clone(file)
		data[at]++
		return data
	}
	for _, c := range []struct {
		want string
		data []byte
	}{
		{"no file of pairs", []byte("PK\x03\x04 something")},
		{"no file of pairs", nil},
		{"version 2, this program reads version 1", changed(18)},
		{"the beginning of the file: damaged", changed(40)},
		{"the beginning of the file: the file ends within it", file[:60]},
		{"match 4: the file ends within it", file[:len(file)-5]},
		{"match 4: damaged", changed(len(file) - 5)},
	} {
		if err := read(c.data); err == nil || err == io.EOF || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want %q, got %v", c.want, err)
		}
	}
	in, err := rollout.NewReader(bytes.NewReader(file[:len(file)-5]))
	if err != nil {
		t.Fatal(err)
	}
	matches, n, end, damaged := in.CountWhole()
	if matches != 4 || n == 0 || damaged != nil {
		t.Errorf("%d matches of 5 are whole, with %d pairs: %v", matches, n, damaged)
	}
	if in, err = rollout.NewReader(bytes.NewReader(changed(len(file) - 5))); err != nil {
		t.Fatal(err)
	}
	if matches, _, again, damaged := in.CountWhole(); matches != 4 || again != end || damaged == nil {
		t.Errorf("%d matches are whole up to byte %d, not to %d: %v", matches, again, end, damaged)
	}
	if err := read(file[:end]); err == nil || !strings.Contains(err.Error(), "ends after 4 of 5 matches") {
		t.Errorf("the whole matches alone: %v", err)
	}
}
