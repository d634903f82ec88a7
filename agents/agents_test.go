package agents_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

func TestNew(t *testing.T) {
	for _, name := range agents.Names() {
		for _, spec := range []string{name, name + ":"} {
			if factory, err := agents.New(spec); err != nil || factory() == nil {
				t.Errorf("New(%q): %v", spec, err)
			}
		}
		if agents.About(name) == "" {
			t.Errorf("About(%q) is empty", name)
		}
	}
	if about := agents.About("missing"); about != "" {
		t.Errorf("About(missing) = %q, want nothing", about)
	}
	for spec, want := range map[string]string{
		"gredy":      `unknown agent "gredy"; nearest: greedy`,
		"":           `unknown agent ""; nearest: `,
		"greedy:x=1": `greedy: takes no options, given "x=1"`,
	} {
		if _, err := agents.New(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New(%q): error %v, want %q in it", spec, err, want)
		}
	}
}

// table returns one agent named name among three named others.
func table(t testing.TB, name, others string) *[sim.NumPlayers]sim.Agent {
	t.Helper()
	var seated [sim.NumPlayers]sim.Agent
	for p := range seated {
		spec := others
		if p == 1 {
			spec = name
		}
		factory, err := agents.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		seated[p] = factory()
	}
	return &seated
}

func load(t testing.TB, name string) *ruleset.Rules {
	t.Helper()
	r, err := configs.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// peeker answers as its agent does and asks a second one what it would do if
// the hidden tiles were others.
type peeker struct {
	sim.Agent
	t             *testing.T
	blind, masked sim.Agent
}

func (p *peeker) Act(v sim.View) sim.Action {
	a := p.Agent.Act(v)
	r := v.Rand()
	other := v.Redeal(r.Uint64())
	seen := a
	if v.Rules().OriginHidden {
		// Players published before origins could be hidden read them; a table dealt again has
		// none. All else they do must follow from what they see.
		seen = p.masked.Act(v.Masked())
	}
	if b := p.blind.Act(other.View(v.Player()).Masked()); b != seen {
		p.t.Errorf("decision %d of player %d: %v, with other hidden tiles %v", v.Decision(), v.Player(), seen, b)
	}
	return a
}

// players returns all built-in players, with the levels of expert.
func players() []string {
	return append(agents.Names(), "expert:level=1", "expert:level=2", "expert:level=3", "expert:level=4")
}

// TestConformance holds every built-in player to what a table expects of an
// agent, under every preset, among random players; in a long run in whole matches, among all
// players. Random players often need hundreds of hands for a match: TestSignatures plays whole
// ones among equals.
func TestConformance(t *testing.T) {
	matches, company, overrides := uint64(1), []string{"random"}, map[string]any{"max_hands": int64(8)}
	if os.Getenv("SPARROWHALL_LONG") != "" {
		matches, company, overrides = 4, agents.Names(), nil
	}
	for _, name := range players() {
		for _, preset := range configs.Names() {
			for _, others := range company {
				t.Run(name+"/"+preset+"/"+others, func(t *testing.T) {
					t.Parallel()
					r, err := configs.LoadWith(preset, overrides)
					if err != nil {
						t.Fatal(err)
					}
					conform(t, r, name, others, matches)
				})
			}
		}
	}
}

// conform returns the matches that it has played.
func conform(t *testing.T, r *ruleset.Rules, name, others string, matches uint64) []sim.Match {
	played := make([]sim.Match, matches)
	seated := table(t, name, others)
	for i := range played {
		m := &played[i]
		m.Seed = uint64(i)
		m.Play(r, seated)
		if m.Forfeited != 0 {
			t.Fatalf("seed %d: players %04b answered illegally", m.Seed, m.Forfeited)
		}
	}
	// In another order, and where each answer is compared with that of an agent
	// to which the hidden tiles are others.
	seated[1] = &peeker{seated[1], t, table(t, name, others)[1], table(t, name, others)[1]}
	var again sim.Match
	for _, m := range slices.Backward(played) {
		again.Seed = m.Seed
		again.Play(r, seated)
		if !slices.Equal(again.Events, m.Events) || !slices.Equal(again.Actions, m.Actions) {
			t.Fatalf("seed %d: another match the second time", m.Seed)
		}
	}
	return played
}

// searching is expert with a search.
const searching = "expert:search=16"

// TestSearch holds expert with a search, in matches of one hand (of four with SPARROWHALL_LONG)
// under every preset, to what TestConformance holds others to, and sees that it plays otherwise
// than without a search.
func TestSearch(t *testing.T) {
	hands := int64(1)
	if os.Getenv("SPARROWHALL_LONG") != "" {
		hands = 4
	}
	var others atomic.Int64
	t.Run("presets", func(t *testing.T) {
		for _, preset := range configs.Names() {
			t.Run(preset, func(t *testing.T) {
				t.Parallel()
				r, err := configs.LoadWith(preset, map[string]any{"max_hands": hands})
				if err != nil {
					t.Fatal(err)
				}
				searched := conform(t, r, searching, "expert", 1)[0]
				var plain sim.Match
				plain.Play(r, table(t, "expert", "expert"))
				if !slices.Equal(plain.Actions, searched.Actions) {
					others.Add(1)
				}
			})
		}
	})
	if others.Load() == 0 {
		t.Error("search changes nothing")
	}
}

// TestSearchWorkers plays the same matches by one worker and by three.
func TestSearchWorkers(t *testing.T) {
	r, err := configs.LoadWith("tenhou", map[string]any{"max_hands": int64(1)})
	if err != nil {
		t.Fatal(err)
	}
	newAgent, err := agents.New(searching)
	if err != nil {
		t.Fatal(err)
	}
	var played [2][]sim.Action
	for i, workers := range []int{1, 3} {
		job := &sim.Job{Rules: r, Schedule: sim.Rotation{Seed: 8, Seats: r.NumSeats()}, Count: 6, Workers: workers, NewAgent: func(int) sim.Agent { return newAgent() }}
		err := sim.Run(t.Context(), job, func() *[]sim.Action { return new([]sim.Action) },
			func(b *[]sim.Action, m *sim.Match) error {
				*b = append(*b, m.Actions...)
				return nil
			},
			func(b *[]sim.Action) error {
				played[i] = append(played[i], *b...)
				*b = (*b)[:0]
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(played[0]) == 0 || !slices.Equal(played[0], played[1]) {
		t.Error("three workers play other matches than one")
	}
}

// TestNoAllocation holds the built-in players to allocating nothing once they
// know the rules: in matches of four hands, played often enough that what the runtime
// allocates of its own now and then does not count.
func TestNoAllocation(t *testing.T) {
	const runs = 10
	for _, preset := range []string{"tenhou", "mcr_2006", "zung_jung", "hkma_hktw"} {
		r, err := configs.LoadWith(preset, map[string]any{"max_hands": int64(4)})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range players() {
			seated := table(t, name, name)
			var m sim.Match
			if n := testing.AllocsPerRun(runs, func() { m.Play(r, seated) }); n > 0 {
				t.Errorf("%s, %s: %v allocations in %d answers", preset, name, n, len(m.Actions))
			}
		}
	}
}

func benchmark(b *testing.B, name string) {
	r := load(b, "ema_2016")
	seated := table(b, name, name)
	var m sim.Match
	hands, decisions := 0, 0
	for b.Loop() {
		m.Seed = sim.MatchSeed(1, m.Index)
		m.Index++
		m.Play(r, seated)
		hands += len(m.Hands)
		decisions += len(m.Actions)
	}
	seconds := b.Elapsed().Seconds()
	b.ReportMetric(float64(b.N)/seconds, "matches/s")
	b.ReportMetric(float64(hands)/seconds, "hands/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(decisions), "ns/decision")
	b.ReportAllocs()
}

func BenchmarkRandom(b *testing.B)    { benchmark(b, "random") }
func BenchmarkTsumogiri(b *testing.B) { benchmark(b, "tsumogiri") }
func BenchmarkGreedy(b *testing.B)    { benchmark(b, "greedy") }
func BenchmarkValue(b *testing.B)     { benchmark(b, "value") }
func BenchmarkExpert(b *testing.B)    { benchmark(b, "expert") }
func BenchmarkSearch(b *testing.B)    { benchmark(b, searching) }

// TestQuick sees who can be asked thousands of times a match.
func TestQuick(t *testing.T) {
	for _, spec := range []string{"greedy", "random", "tsumogiri", "value", "value:calls=off"} {
		if agents.Quick(spec) == nil {
			t.Errorf("%s cannot be asked", spec)
		}
	}
	for _, spec := range []string{"expert", "missing", "value:nothing=off", "greedy:fast", "mjai:./bot", "", "grpc:127.0.0.1:1"} {
		if agents.Quick(spec) != nil {
			t.Errorf("%s can be asked", spec)
		}
	}
}

// Clients may name the built-in players, none that starts a program, and no file.
func TestServedAgents(t *testing.T) {
	for _, name := range agents.Names() {
		if _, err := agents.NewServed(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range agents.Outside() {
		want := "allowed: random"
		if name == "net" {
			want = "--networks"
		}
		if _, err := agents.NewServed(name + ":x"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := agents.NewServed("expert:places=off,weights=/dev/null"); err == nil || !strings.Contains(err.Error(), "names a file") {
		t.Errorf("a file of weights: %v", err)
	}
}

// TestServedNetworks opens networks below a folder, and none elsewhere.
func TestServedNetworks(t *testing.T) {
	folder := t.TempDir()
	data, err := os.ReadFile("../internal/agents/net/testdata/planes.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	inside := filepath.Join(folder, "in")
	for _, file := range []string{filepath.Join(inside, "a.safetensors"), filepath.Join(folder, "b.safetensors")} {
		if err := errors.Join(os.MkdirAll(inside, 0o700), os.WriteFile(file, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../b.safetensors", filepath.Join(inside, "link")); err != nil {
		t.Fatal(err)
	}
	newAgent := agents.NewServedNetworks(inside)
	for _, spec := range []string{"net:a.safetensors", "net:" + filepath.Join(inside, "a.safetensors"), "greedy"} {
		if _, err := newAgent(spec); err != nil {
			t.Errorf("%s: %v", spec, err)
		}
	}
	for spec, want := range map[string]string{
		"net:../b.safetensors": "escapes",
		"net:link":             "escapes",
		"net:" + filepath.Join(folder, "b.safetensors"): "escapes",
		"net:none":         `"net": none: no such file`,
		"net:.":            "not a regular file",
		"net:":             "",
		"net":              "expert-ppo, net:FILE",
		"missing":          "expert-ppo, net:FILE",
		"mjai:./bot":       "allowed: random",
		"expert:weights=a": "names a file",
	} {
		if _, err := newAgent(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", spec, err, want)
		}
	}
}
