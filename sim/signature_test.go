package sim_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jansou/jansou/agents"
	"github.com/jansou/jansou/configs"
	"github.com/jansou/jansou/sim"
)

// signature hashes all events of fixed matches: by the built-in random and greedy
// agents and by the test agents.
func signature(t *testing.T, preset string) string {
	t.Helper()
	r := load(t, preset)
	seats := [][4]sim.Agent{mixed, kanners}
	for _, name := range []string{"random", "greedy"} {
		factory, err := agents.New(name)
		if err != nil {
			t.Fatal(err)
		}
		seats = append(seats, [4]sim.Agent{factory(), factory(), factory(), factory()})
	}
	var d digest
	for _, four := range seats {
		for i := range uint64(8) {
			m := sim.Match{Seed: sim.MatchSeed(1, i)}
			m.Play(r, &four)
			d.add(m.Events)
		}
	}
	return d.sum()
}

// TestSignatures compares one hash for each preset with testdata/signatures.txt.
func TestSignatures(t *testing.T) {
	const file = "testdata/signatures.txt"
	var got strings.Builder
	for _, preset := range configs.Names() {
		fmt.Fprintf(&got, "%s %s\n", preset, signature(t, preset))
	}
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) == got.String() {
		return
	}
	old := map[string]string{}
	for line := range strings.Lines(string(want)) {
		preset, hash, _ := strings.Cut(strings.TrimSpace(line), " ")
		old[preset] = hash
	}
	for line := range strings.Lines(got.String()) {
		preset, hash, _ := strings.Cut(strings.TrimSpace(line), " ")
		if old[preset] != hash {
			t.Errorf("%s: signature %.8s -> %.8s", preset, old[preset], hash)
		}
	}
	t.Error("the same seeds lead to other events than before. If that is meant, rewrite the file with\n" +
		"\tgo test ./sim -run TestSignatures -update\n" +
		"raise sim.EngineVersion if rules are played otherwise, and say in the commit why, with the lines above.")
}
