package net

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/sim"
)

// highest is the graph of a module whose scores are the ids of the actions.
const highest = `{"nodes":[{"name":"y","op":"add","in":["observation.action_mask","ids"]}],"output":"y"}`

// moduleMetadata are those of a module that reads the legal actions alone.
func moduleMetadata() map[string]string {
	return map[string]string{
		"format": moduleFormat, "version": "1", "family": "riichi", "seats": "4",
		"observation": "planes", "observation_version": "1", "action_table_version": "1",
		"inputs": "action_mask", "graph": highest,
	}
}

// ids are the scores of that module for tables of four players.
func ids() []float32 {
	list := make([]float32, sim.NumActions)
	for i := range list {
		list[i] = float32(i)
	}
	return list
}

// moduleFile returns the bytes of a file with one tensor.
func moduleFile(t testing.TB, metadata map[string]string, name string, numbers []float32) []byte {
	t.Helper()
	var data bytes.Buffer
	if err := binary.Write(&data, binary.LittleEndian, numbers); err != nil {
		t.Fatal(err)
	}
	metadata = maps.Clone(metadata)
	digest := sha256.Sum256(append([]byte(name), data.Bytes()...))
	metadata["sha256"] = hex.EncodeToString(digest[:])
	header, err := json.Marshal(map[string]any{
		"__metadata__": metadata,
		name:           map[string]any{"dtype": "F32", "shape": []int{len(numbers)}, "data_offsets": []int{0, data.Len()}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header, data.Bytes())
}

// loadModule returns a player by a module in a file.
func loadModule(t testing.TB, data []byte) (sim.Agent, string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "module.safetensors")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	factory, err := New(path, newAgent)
	if err != nil {
		return nil, path, err
	}
	return factory(), path, nil
}

// checking checks that a module plays the last legal action.
type checking struct {
	sim.Agent
	t     *testing.T
	asked int
}

func (c *checking) Act(v sim.View) sim.Action {
	a, legal := c.Agent.Act(v), v.Legal()
	for b := a + 1; b < sim.NumAllActions; b++ {
		if legal.Has(b) {
			c.t.Errorf("%v is played, and %v has a higher score", a, b)
		}
	}
	if c.asked++; c.asked < 10 {
		if n := testing.AllocsPerRun(5, func() { c.Agent.Act(v) }); n != 0 {
			c.t.Errorf("%v allocations", n)
		}
	}
	return a
}

func TestModule(t *testing.T) {
	three := moduleMetadata()
	three["seats"], three["observation_version"], three["action_table_version"] = "3", "2", "2"
	events := moduleMetadata()
	events["observation"], events["inputs"] = "events", "action_mask,events,state,amounts"
	for preset, data := range map[string][]byte{
		"tenhou":       moduleFile(t, moduleMetadata(), "ids", ids()),
		"tenhou_sanma": moduleFile(t, three, "ids", append(ids(), sim.NumActions)),
		"ema_2016":     moduleFile(t, events, "ids", ids()),
	} {
		rules, err := configs.LoadWith(preset, map[string]any{"max_hands": int64(4)})
		if err != nil {
			t.Fatal(err)
		}
		var seats [sim.NumPlayers]sim.Agent
		for i := range rules.NumSeats() {
			agent, _, err := loadModule(t, data)
			if err != nil {
				t.Fatal(err)
			}
			if err := sim.StartAgent(agent, rules); err != nil {
				t.Fatal(err)
			}
			seats[i] = &checking{Agent: agent, t: t}
		}
		m := sim.Match{Seed: 1}
		if m.Play(rules, &seats); m.Forfeited != 0 || seats[0].(*checking).asked < 5 {
			t.Errorf("%s: %d decisions, forfeited %b", preset, seats[0].(*checking).asked, m.Forfeited)
		}
	}
}

// TestModuleInputs compares the numbers of tensors with those unpacked.
func TestModuleInputs(t *testing.T) {
	agent, _, err := loadModule(t, moduleFile(t, moduleMetadata(), "ids", ids()))
	if err != nil {
		t.Fatal(err)
	}
	p := agent.(*modulePlayer)
	for i := range p.module.spec.Tensors {
		tensor := &p.module.spec.Tensors[i]
		data := make([]byte, tensor.Size())
		for j := range data {
			data[j] = byte(j*37 + 11)
		}
		_, length, err := p.module.tensorOf(tensor.Name)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float32, length)
		unpacked := tensor.AppendUnpacked(nil, data)
		numbers(got, unpacked)
		for j, x := range got {
			size := len(unpacked) / length
			want := map[int]float64{1: float64(unpacked[j*size])}[size]
			if size == 4 {
				want = float64(float32(int32(binary.LittleEndian.Uint32(unpacked[4*j:]))))
			}
			if float64(x) != want {
				t.Fatalf("%s: number %d is %v, want %v", tensor.Name, j, x, want)
			}
		}
	}
}

func TestModuleRefused(t *testing.T) {
	good := moduleFile(t, moduleMetadata(), "ids", ids())
	with := func(key, value string) []byte {
		metadata := moduleMetadata()
		metadata[key] = value
		return moduleFile(t, metadata, "ids", ids())
	}
	infinite := ids()
	infinite[7] = float32(math.Inf(1))
	for want, data := range map[string][]byte{
		`its format is "something", want "sparrowhall net" or "sparrowhall module"`: with("format", "something"),
		`version "2" of files`:                                        with("version", "2"),
		`its seats is "5"; allowed: 3 to 4`:                           with("seats", "5"),
		`version "1" of the action table, this program has version 2`: with("seats", "3"),
		`version "9" of the observation planes`:                       with("observation_version", "9"),
		"unknown encoding":                                            with("observation", "oracle"),
		`it reads "hands", which is no tensor`:                        with("inputs", "hands"),
		`it reads "", which is no tensor`:                             with("inputs", ""),
		"its graph cannot be read":                                    with("graph", "{"),
		`the operation "lstm" is unknown`:                             with("graph", strings.Replace(highest, "add", "lstm", 1)),
		`the tensor "ids" is not part`:                                with("graph", strings.Replace(highest, `"ids"`, `"observation.action_mask"`, 1)),
		`is no node before it, no tensor`:                             with("graph", strings.Replace(highest, "ids", "idz", 1)),
		"not finite":                                                  moduleFile(t, moduleMetadata(), "ids", infinite),
		"its output has 1 numbers":                                    with("graph", `{"nodes":[{"name":"y","op":"sum","in":["ids"],"dims":[180]}],"output":"y"}`),
		"operand 1 has 7 numbers, another 180":                        moduleFile(t, moduleMetadata(), "ids", ids()[:7]),
		"do not match its digest":                                     append(slices.Clone(good[:len(good)-1]), 9),
		"its tensors have":                                            append(slices.Clone(good), 0),
		"truncated":                                                   good[:len(good)-5],
	} {
		if _, path, err := loadModule(t, data); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%v, want %q in it and the path", err, want)
		}
	}
}

// TestModuleStart refuses rules of another family or number of players.
func TestModuleStart(t *testing.T) {
	agent, path, err := loadModule(t, moduleFile(t, moduleMetadata(), "ids", ids()))
	if err != nil {
		t.Fatal(err)
	}
	for preset, want := range map[string]string{
		"wrc": "", "mcr_2006": `is for the family "riichi", these rules are of "mcr"`,
		"tenhou_sanma": "is for 4 players, tenhou_sanma for 3",
	} {
		rules, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		err = sim.StartAgent(agent, rules)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path)) {
			t.Errorf("%s: %v", preset, err)
		}
	}
}

// TestModuleOverflow ends a run whose scores are not numbers.
func TestModuleOverflow(t *testing.T) {
	metadata := moduleMetadata()
	metadata["graph"] = `{"nodes":[{"name":"x","op":"exp","in":["ids"]},{"name":"y","op":"sub","in":["x","x"]}],"output":"y"}`
	large := slices.Repeat([]float32{1000}, sim.NumActions)
	agent, _, err := loadModule(t, moduleFile(t, metadata, "ids", large))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := configs.Load("tenhou")
	if err != nil {
		t.Fatal(err)
	}
	seats := [sim.NumPlayers]sim.Agent{agent, load(t, files[0]), load(t, files[0]), load(t, files[0])}
	m := sim.Match{Seed: 1}
	m.Play(rules, &seats)
	if err := sim.AgentError(agent); err == nil || !strings.Contains(err.Error(), "is NaN; train the network with smaller numbers") {
		t.Error(err)
	}
}
