package net

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/agents/heuristic"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// newAgent makes the adviser of the networks here.
func newAgent(string) (func() sim.Agent, error) { return heuristic.NewValue("") }

// files are networks with weights drawn at random, written by
// sparrowhall.learn.export(Network(NAME, width=6, whole=8, blocks=2), FILE, "riichi").
var files = []string{"testdata/planes.safetensors", "testdata/advice.safetensors"}

func load(t testing.TB, path string) *player {
	t.Helper()
	factory, err := New(path, newAgent)
	if err != nil {
		t.Fatal(err)
	}
	return factory().(*player)
}

// slowly is the network of a file as the Python package has it, in fractions.
type slowly struct {
	f       *tensorFile
	tensors map[string][]float64
}

func readSlowly(t *testing.T, path string) *slowly {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := &slowly{tensors: map[string][]float64{}}
	if s.f, err = parseSafetensors(data); err != nil {
		t.Fatal(err)
	}
	for name, x := range s.f.tensors {
		var list []float64
		for len(x.data) > 0 {
			if x.DType == "I16" {
				list = append(list, float64(int16(binary.LittleEndian.Uint16(x.data)))/(1<<weightBits))
				x.data = x.data[2:]
				continue
			}
			list = append(list, float64(int32(binary.LittleEndian.Uint32(x.data)))/(1<<(weightBits+valueBits)))
			x.data = x.data[4:]
		}
		s.tensors[name] = list
	}
	return s
}

// linear returns inputs times weights and biases.
func (s *slowly) linear(name string, inputs []float64) []float64 {
	weights, bias := s.tensors[name+".weight"], s.tensors[name+".bias"]
	out := make([]float64, len(weights)/len(inputs))
	copy(out, bias)
	for i, x := range inputs {
		for o := range out {
			out[o] += x * weights[i*len(out)+o]
		}
	}
	return out
}

func clamp(list []float64) []float64 {
	for i, x := range list {
		list[i] = max(0, min(x, 32-1.0/one))
	}
	return list
}

func (s *slowly) scores(in *inputs, l *inputLayout, width, blocks int) []float64 {
	x := make([][]float64, tile.NumKinds)
	for k := range x {
		var channels []float64
		for _, set := range in.planes[:l.planes] {
			channels = append(channels, map[bool]float64{true: 1}[set.Has(tile.Kind(k))])
		}
		for _, c := range in.channels[:l.kinds-l.planes] {
			channels = append(channels, float64(c[k])/one)
		}
		bias := s.tensors["embed.bias"][k*width:][:width]
		s.tensors["at.weight"], s.tensors["at.bias"] = s.tensors["embed.weight"], bias
		x[k] = clamp(s.linear("at", channels))
	}
	for b := range blocks {
		name := "suits." + string(rune('0'+b))
		next := make([][]float64, len(x))
		for k := range x {
			sum := slices.Clone(s.tensors[name+".bias"])
			for t, at := range []int{k - 1, k, k + 1} {
				if at < 0 || at >= len(x) || at/9 != k/9 {
					continue
				}
				for c, v := range x[at] {
					for o := range sum {
						sum[o] += v * s.tensors[name+".weight"][(t*width+c)*width+o]
					}
				}
			}
			next[k] = clamp(sum)
			for o := range sum {
				next[k][o] = min(next[k][o]+x[k][o], 32-1.0/one)
			}
		}
		x = next
	}
	var global []float64
	for _, n := range in.numbers[:l.numbers] {
		global = append(global, float64(n)/one)
	}
	mean, most, window := make([]float64, width), make([]float64, width), make([]float64, width)
	for k := range x {
		for i, v := range x[k] {
			mean[i] += v / tile.NumKinds
			most[i] = max(most[i], v)
			if in.window.Has(tile.Kind(k)) {
				window[i] = v
			}
		}
	}
	global = slices.Concat(global, mean, most, window)
	global = clamp(s.linear("second", clamp(s.linear("first", global))))
	join := s.linear("join", global)
	each := make([][]float64, len(x))
	for k := range x {
		y := slices.Clone(x[k])
		for i := range y {
			y[i] += join[i]
		}
		each[k] = s.linear("per_kind", clamp(y))
	}
	scores := s.linear("other", global)
	for k := range tile.Kind(tile.NumKinds) {
		for i, first := range []sim.Action{sim.ActDiscard, sim.ActReady, sim.ActClosedKan, sim.ActAddedKan} {
			scores[first+sim.Action(k)] += each[k][i]
		}
		if in.drawn.Has(k) {
			scores[sim.ActDiscardDrawn] += each[k][0]
			scores[sim.ActReadyDrawn] += each[k][1]
		}
	}
	for suit := range tile.Suit(3) {
		red := tile.RedOf(suit)
		scores[sim.ActDiscard+sim.Action(red)] += each[red.Kind()][0] + each[red.Kind()][4]
		scores[sim.ActReady+sim.Action(red)] += each[red.Kind()][1] + each[red.Kind()][5]
	}
	for _, c := range in.candidate[:in.candidates] {
		var values []float64
		for _, v := range c.values {
			values = append(values, float64(v)/one)
		}
		hidden := s.linear("candidate", values)
		for i, v := range s.linear("situation", global) {
			hidden[i] += v
		}
		scores[c.action] += s.linear("score", clamp(hidden))[0]
	}
	return scores
}

// asker compares the scores at its decisions with those in fractions.
type asker struct {
	*player
	t         *testing.T
	slow      *slowly
	decisions int
	worst     float64
}

func (a *asker) Act(v sim.View) sim.Action {
	action := a.player.Act(v)
	want := a.slow.scores(&a.in, &a.net.inputs, a.net.width, a.net.blocks)
	legal := v.Legal()
	for b := range sim.Action(sim.NumActions) {
		if legal.Has(b) {
			got := float64(a.scratch.scores[b]) / (1 << (weightBits + valueBits))
			a.worst = max(a.worst, math.Abs(got-want[b])/(1+math.Abs(want[b])))
			if want[b] > want[action]+0.2*(1+math.Abs(want[b])) {
				a.t.Errorf("%v has %.3f, %v %.3f: not the best is played", action, want[action], b, want[b])
			}
		}
	}
	a.decisions++
	return action
}

// TestAnswer compares scores with those of the same network with fractions.
func TestAnswer(t *testing.T) {
	for _, path := range files {
		for _, preset := range []string{"tenhou", "hkma_hktw"} {
			rules, err := configs.LoadWith(preset, map[string]any{"max_hands": int64(4)})
			if err != nil {
				t.Fatal(err)
			}
			a := &asker{player: load(t, path), t: t, slow: readSlowly(t, path)}
			seats := [sim.NumPlayers]sim.Agent{a, load(t, path), load(t, path), load(t, path)}
			m := sim.Match{Seed: 1}
			m.Play(rules, &seats)
			if m.Forfeited != 0 || a.decisions < 30 {
				t.Errorf("%s, %s: %d decisions, forfeited %b", path, preset, a.decisions, m.Forfeited)
			}
			if a.worst > 0.1 {
				t.Errorf("%s, %s: a score is off by %.3f", path, preset, a.worst)
			}
			t.Logf("%s, %s: %d decisions, off by %.4f at most", path, preset, a.decisions, a.worst)
		}
	}
}

// write returns the bytes of a file with other metadata or descriptions.
func write(t *testing.T, path string, change func(header map[string]json.RawMessage, metadata map[string]string)) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	length := binary.LittleEndian.Uint64(data)
	header, metadata := map[string]json.RawMessage{}, map[string]string{}
	if err := json.Unmarshal(data[8:8+length], &header); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(header["__metadata__"], &metadata); err != nil {
		t.Fatal(err)
	}
	change(header, metadata)
	if header["__metadata__"], err = json.Marshal(metadata); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text, data[8+length:])
}

// TestRefused names what is wrong with a file.
func TestRefused(t *testing.T) {
	data, err := os.ReadFile(files[1])
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(data)
	flipped[len(flipped)-5] ^= 4
	told := func(key, value string) []byte {
		return write(t, files[1], func(_ map[string]json.RawMessage, m map[string]string) { m[key] = value })
	}
	described := func(tensor, by string) []byte {
		return write(t, files[1], func(h map[string]json.RawMessage, _ map[string]string) { h[tensor] = json.RawMessage(by) })
	}
	for want, data := range map[string][]byte{
		"fewer than 8 bytes":                                       nil,
		"or truncated":                                             data[:100],
		"header is not JSON":                                       []byte("\x03\x00\x00\x00\x00\x00\x00\x00abc"),
		"is truncated: its bytes are":                              data[:len(data)-1],
		"it is damaged: its tensors have":                          append(bytes.Clone(data), 0),
		"its tensors do not match its digest":                      flipped,
		`its format is "something"`:                                told("format", "something"),
		`version "2" of files`:                                     told("version", "2"),
		`version "9" of the action table`:                          told("action_table_version", "9"),
		"unknown encoding":                                         told("observation", "plains"),
		"networks do not read the observation events":              told("observation", "events"),
		`reads version "7" of the observation advice`:              told("observation_version", "7"),
		`its width is "5000"`:                                      told("width", "5000"),
		`its whole is "x"`:                                         told("whole", "x"),
		`its margin is "-1"`:                                       told("margin", "-1"),
		"its width is 7; allowed: even":                            told("width", "7"),
		`the tensor "embed.weight" is I16 [67 6], want I16 [67 8]`: told("width", "8"),
		`the tensor "suits.2.weight" is missing`:                   told("blocks", "3"),
		`the tensor "suits.1.bias" is not part`:                    told("blocks", "1"),
		`tensor "join.bias": `:                                     described("join.bias", `[1]`),
	} {
		path := filepath.Join(t.TempDir(), "net.safetensors")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := New(path, newAgent); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%v, want %q in it and the path", err, want)
		}
	}
	for path, want := range map[string]string{"testdata/none": "no such file", "testdata": "testdata"} {
		if _, err := New(path, newAgent); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", path, err, want)
		}
	}
}

// TestTooLarge refuses weights with which a sum might not fit.
func TestTooLarge(t *testing.T) {
	f := &tensorFile{}
	f.checkRange("a", slices.Repeat([]int32{8191}, 12), []int32{0, 0}, 0, 2)
	if f.err != nil {
		t.Errorf("small weights: %v", f.err)
	}
	f.checkRange("b", slices.Repeat([]int32{32767}, 100), []int32{0, 0}, 0, 2)
	if f.err == nil || !strings.Contains(f.err.Error(), `"b" are too large`) {
		t.Errorf("large weights: %v", f.err)
	}
}

// TestStart refuses rules of another family, or for three players.
func TestStart(t *testing.T) {
	p := load(t, files[0])
	for preset, want := range map[string]string{
		"tenhou": "", "wrc": "", "mcr_2006": `these rules are of "mcr"`,
		"tenhou_sanma": "tenhou_sanma is for 3 players; networks are for 4; name another agent",
	} {
		rules, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Start(rules); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", preset, err)
		}
	}
}

func TestLevel(t *testing.T) {
	for x, want := range map[int64]int32{0: 0, 1: 32, 2: 48, 3: 64, -1: -32, 7: 96, 1 << 31: 992, -(1 << 31): -992, 1<<32 - 1: 1024} {
		if got := logScale(x); got != want {
			t.Errorf("logScale(%d) = %d, want %d", x, got, want)
		}
	}
	for x := int64(1); x < 1<<40; x += x/3 + 1 {
		if got, want := float64(logScale(x)), 32*math.Log2(float64(x+1)); math.Abs(got-want) > 4 {
			t.Errorf("logScale(%d) = %v, 32 log2 is %.1f", x, got, want)
		}
	}
}

// BenchmarkAct asks a network of the usual size at decisions of matches.
func BenchmarkAct(b *testing.B) {
	path := os.Getenv("SPARROWHALL_NET")
	if path == "" {
		path = files[1]
	}
	rules, err := configs.Load("tenhou")
	if err != nil {
		b.Fatal(err)
	}
	seats := [sim.NumPlayers]sim.Agent{load(b, path), load(b, path), load(b, path), load(b, path)}
	var m sim.Match
	decisions := 0
	for b.Loop() {
		m.Seed++
		m.Play(rules, &seats)
		decisions += len(m.Actions)
	}
	b.ReportMetric(float64(decisions)/b.Elapsed().Seconds(), "decisions/s")
}

// asking keeps what its network is asked.
type asking struct {
	*player
	inputs []inputs
	legal  []sim.ActionSet
}

func (a *asking) Act(v sim.View) sim.Action {
	answer := a.player.Act(v)
	a.inputs, a.legal = append(a.inputs, a.in), append(a.legal, a.scratch.legal)
	return answer
}

// BenchmarkAnswer asks a network alone, with the decisions of a few matches one after the
// other: what is left of BenchmarkAct if nothing comes between them, as in a batch.
func BenchmarkAnswer(b *testing.B) {
	path := os.Getenv("SPARROWHALL_NET")
	if path == "" {
		path = files[1]
	}
	rules, err := configs.Load("tenhou")
	if err != nil {
		b.Fatal(err)
	}
	a := &asking{player: load(b, path)}
	seats := [sim.NumPlayers]sim.Agent{a, load(b, path), load(b, path), load(b, path)}
	for seed := range uint64(4) {
		m := sim.Match{Seed: seed + 1}
		m.Play(rules, &seats)
	}
	decisions := 0
	for b.Loop() {
		for i := range a.inputs {
			a.net.choose(&a.scratch, &a.inputs[i], &a.legal[i])
		}
		decisions += len(a.inputs)
	}
	b.ReportMetric(float64(decisions)/b.Elapsed().Seconds(), "decisions/s")
}

// TestConsidered lists what a network chose from: its answer, which promises most, among
// legal actions that promise little less.
func TestConsidered(t *testing.T) {
	rules, err := configs.Load("tenhou")
	if err != nil {
		t.Fatal(err)
	}
	c := &considering{player: load(t, files[1]), t: t}
	seats := [sim.NumPlayers]sim.Agent{c, load(t, files[0]), load(t, files[0]), load(t, files[0])}
	m := sim.Match{Seed: 3}
	m.Play(rules, &seats)
	if c.decisions < 50 || c.others == 0 {
		t.Errorf("%d decisions with %d others", c.decisions, c.others)
	}
}

// TestMargin prefers what is advised, unless another candidate or declaring ready promises
// more by the margin.
func TestMargin(t *testing.T) {
	rules, err := configs.Load("tenhou")
	if err != nil {
		t.Fatal(err)
	}
	last := 101
	for _, margin := range []int64{0, one << weightBits / 4, maxMargin} {
		p := load(t, files[1])
		p.net.margin = margin
		c := &against{player: p}
		seats := [sim.NumPlayers]sim.Agent{c, load(t, files[0]), load(t, files[0]), load(t, files[0])}
		m := sim.Match{Seed: 3}
		m.Play(rules, &seats)
		share := 100 * c.others / c.advised
		if share >= last || margin == maxMargin && c.others > 0 {
			t.Errorf("margin %d: something else than advised in %d %% of %d decisions, %d %% with less", margin, share, c.advised, last)
		}
		if margin > 0 && (c.strange > 0 || c.alone > 0) {
			t.Errorf("margin %d: %d actions that nobody named, %d where there was nothing to choose", margin, c.strange, c.alone)
		}
		last = share
	}
}

// against counts the decisions at which a network does something else than it is advised.
type against struct {
	*player
	advised, others, strange, alone int
}

func (c *against) Act(v sim.View) sim.Action {
	a := c.player.Act(v)
	c.advised++
	if c.in.candidates > 0 && a != c.in.candidate[0].action {
		c.others++
		if c.in.candidates == 1 {
			c.alone++
		}
		named := a.DeclaresReady()
		for i := range c.in.candidates {
			named = named || a == c.in.candidate[i].action
		}
		if !named {
			c.strange++
		}
	}
	return a
}

type considering struct {
	*player
	t                 *testing.T
	decisions, others int
}

func (c *considering) Act(v sim.View) sim.Action {
	a := c.player.Act(v)
	legal, answers, most := v.Legal(), 0, math.MinInt
	n := c.NumCandidates()
	for i := range n {
		most = max(most, c.PredictedGain(i))
		if !legal.Has(c.Candidate(i)) {
			c.t.Errorf("%v is considered and not legal", c.Candidate(i))
		}
	}
	for i := range n {
		if c.Candidate(i) == a {
			answers++
			if c.PredictedGain(i) != most {
				c.t.Errorf("%v was answered and promises %d; others %d", a, c.PredictedGain(i), most)
			}
		}
		if c.PredictedGain(i) < most-consideredMargin*winThousandths-1 {
			c.t.Errorf("%v promises %d where others promise %d", c.Candidate(i), c.PredictedGain(i), most)
		}
	}
	if answers != 1 {
		c.t.Errorf("%v is there %d times", a, answers)
	}
	c.decisions++
	c.others += n - 1
	return a
}
