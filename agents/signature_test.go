package agents_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/sim"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// pinned are the players whose play is pinned: results are published against
// them, so it stays as it is while the rules do.
// They are all of the registry, and some with options.
var pinned = append(agents.Names(),
	"value:defence=off", "value:calls=off", "value:worth=off", "expert:net=off",
	"expert:level=1", "expert:level=2", "expert:level=3", "expert:level=4",
)

// minHands is the number of hands that are hashed.
const minHands = 48

// playOf hashes the answers and the final points of matches among four of a
// player, as many as make minHands hands.
func playOf(t *testing.T, preset, spec string) string {
	r := load(t, preset)
	seats := table(t, spec, spec)
	hash := sha256.New()
	m := sim.Match{}
	for hands := 0; hands < minHands; hands += len(m.Hands) {
		m.Seed = sim.MatchSeed(1, m.Index)
		m.Index++
		m.Play(r, seats)
		answers := make([]byte, len(m.Actions))
		for i, a := range m.Actions {
			answers[i] = byte(a)
		}
		hash.Write(answers)
		if err := binary.Write(hash, binary.BigEndian, m.Final.Points); err != nil {
			t.Fatal(err)
		}
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// TestSignatures compares one hash for each preset and player with
// testdata/signatures.txt.
func TestSignatures(t *testing.T) {
	const file = "testdata/signatures.txt"
	presets := configs.Names()
	lines := make([]string, len(presets)*len(pinned))
	t.Run("play", func(t *testing.T) {
		for i, preset := range presets {
			t.Run(preset, func(t *testing.T) {
				t.Parallel()
				for j, spec := range pinned {
					lines[i*len(pinned)+j] = fmt.Sprintf("%s %s %s\n", preset, spec, playOf(t, preset, spec))
				}
			})
		}
	})
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Collect(strings.Lines(string(text)))
	changed := false
	for _, line := range lines {
		if slices.Contains(want, line) {
			continue
		}
		changed = true
		what := line[:strings.LastIndexByte(line, ' ')+1]
		old := slices.IndexFunc(want, func(l string) bool { return strings.HasPrefix(l, what) })
		if old < 0 {
			t.Errorf("%snot in %s", what, file)
			continue
		}
		t.Errorf("%s%.8s -> %.8s", what, want[old][len(what):], line[len(what):])
	}
	if len(want) != len(lines) {
		t.Errorf("%s has %d lines, want %d", file, len(want), len(lines))
	}
	if changed {
		t.Error("these players answer otherwise than before. If that is because the rules are played\n" +
			"otherwise, rewrite the file with\n" +
			"\tgo test ./agents -run TestSignatures -update\n" +
			"and say in the commit why, with the lines above.")
	}
}

// TestExpertPPO holds expert-ppo to be expert where it has no network, by their signatures.
func TestExpertPPO(t *testing.T) {
	text, err := os.ReadFile("testdata/signatures.txt")
	if err != nil {
		t.Fatal(err)
	}
	hashes := map[string]string{}
	for line := range strings.Lines(string(text)) {
		preset, rest, _ := strings.Cut(line, " ")
		name, hash, _ := strings.Cut(rest, " ")
		hashes[preset+" "+name] = hash
	}
	for _, preset := range configs.Names() {
		corrected := slices.Contains([]string{"taiwanese", "mcr", "hkos"}, load(t, preset).FittedName())
		if same := hashes[preset+" expert"] == hashes[preset+" expert-ppo"]; same == corrected {
			t.Errorf("%s: expert-ppo is expert: %v", preset, same)
		}
	}
}
