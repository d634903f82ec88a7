// Package trajectories writes what the engine shows in a few matches, for the
// Python tests to compare with what they receive.
package trajectories

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

var update = flag.Bool("update", false, "rewrite the golden file")

const (
	golden    = "data/trajectories.json"
	decisions = 600
	seed      = 20260101
)

// trajectory is the start of a match of random players.
type trajectory struct {
	Ruleset string `json:"ruleset"`
	Seed    uint64 `json:"seed"`
	// Actions are the answers in hexadecimal, players ascending within a
	// decision point.
	Actions string `json:"actions"`
	// Digests holds the SHA-256 of the bytes of all observations, by name of the
	// encoding; Masks that of all masks.
	Digests map[string]string `json:"digests"`
	Masks   string            `json:"masks"`
}

func TestTrajectories(t *testing.T) {
	var list []trajectory
	for _, preset := range []string{"ema_2016", "tenhou", "mcr_2006", "zung_jung", "hkma_hktw"} {
		list = append(list, play(t, preset))
	}
	b, err := json.MarshalIndent(list, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	b = append(b, '\n')
	if *update {
		if err := os.WriteFile(golden, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b, want) {
		t.Errorf("%s is not what the engine shows; go test ./python/tests -update rewrites it", golden)
	}
}

func play(t *testing.T, preset string) trajectory {
	rules, err := configs.Load(preset)
	if err != nil {
		t.Fatal(err)
	}
	type encoding struct {
		name    string
		encoder *observe.Encoder
		tensors [][]byte
		seen    []byte
	}
	var encodings []encoding
	for _, name := range []string{"planes", "features", "events"} {
		spec, err := observe.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		encodings = append(encodings, encoding{name, spec.NewEncoder(), make([][]byte, len(spec.Tensors)), nil})
	}

	table := sim.NewTable(rules, seed)
	var history observe.History
	var actions, masks []byte
	var events []sim.Event
	for len(actions) < decisions && !table.Over() {
		if table.Phase() == sim.PhaseDeal {
			events = table.StartHand(events[:0])
			history.Add(events)
			continue
		}
		var answers [sim.NumPlayers]sim.Action
		asked := table.Asked()
		for p := range sim.Player(sim.NumPlayers) {
			if asked>>p&1 == 0 {
				continue
			}
			v := table.View(p)
			legal, r := v.Legal(), v.Rand()
			answers[p] = legal.Nth(r.Below(legal.Len()))
			masks = observe.AppendMask(masks, legal)
			for i := range encodings {
				e := &encodings[i]
				for j := range e.tensors {
					e.tensors[j] = e.tensors[j][:0]
				}
				e.encoder.Append(e.tensors, v, &history)
				e.seen = append(e.seen, bytes.Join(e.tensors, nil)...)
			}
		}
		events = events[:0]
		for p := range sim.Player(sim.NumPlayers) {
			if asked>>p&1 == 0 {
				continue
			}
			actions = append(actions, byte(answers[p]))
			if events, err = table.Step(p, answers[p], events); err != nil {
				t.Fatal(err)
			}
		}
		history.Add(events)
	}
	digests := map[string]string{}
	for _, e := range encodings {
		digests[e.name] = digest(e.seen)
	}
	return trajectory{preset, seed, hex.EncodeToString(actions), digests, digest(masks)}
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
