package browser

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/agents/builtin"
	"github.com/sparrowhall/sparrowhall/sim"
)

// plays is for two runs on two systems, of which the second compares.
var plays = flag.String("plays", "", "file with digests of matches, to compare with; it is written if it is not there")

// Matches of four of a player have the same answers and points on every system: .ci/full browser runs
// this test here and in Node.
func TestPlays(t *testing.T) {
	file, counts := *plays, map[string]uint64{"value": 100, "expert": 3}
	presets := configs.Names()
	if file == "" {
		file, counts, presets = filepath.Join(t.TempDir(), "plays"), map[string]uint64{"value": 2, "expert": 1}, presets[:2]
		writePlays(t, file, presets, counts)
	} else if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		writePlays(t, file, presets, counts)
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	list := slices.Collect(strings.Lines(string(want)))
	for _, line := range digests(t, presets, counts) {
		if !slices.Contains(list, line) {
			t.Errorf("%s is not in %s", strings.TrimSpace(line), file)
		}
	}
}

func writePlays(t *testing.T, file string, presets []string, counts map[string]uint64) {
	t.Helper()
	if err := os.WriteFile(file, []byte(strings.Join(digests(t, presets, counts), "")), 0o600); err != nil {
		t.Fatal(err)
	}
}

// timed measures the answers of an agent.
type timed struct {
	sim.Agent
	times *[]time.Duration
}

func (a timed) Unwrap() sim.Agent { return a.Agent }

func (a timed) Act(v sim.View) sim.Action {
	begin := time.Now()
	defer func() { *a.times = append(*a.times, time.Since(begin)) }()
	return a.Agent.Act(v)
}

// digests returns a line for each preset and player. In a browser's engine it holds the answers of
// expert to their limits of time.
func digests(t *testing.T, presets []string, counts map[string]uint64) (lines []string) {
	t.Helper()
	var times []time.Duration
	for _, preset := range presets {
		r, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range []string{"value", "expert"} {
			newAgent, err := builtin.New(builtin.Players, spec)
			if err != nil {
				t.Fatal(err)
			}
			var seats [sim.NumPlayers]sim.Agent
			for p := range seats {
				if seats[p] = newAgent(); spec == "expert" {
					seats[p] = timed{seats[p], &times}
				}
			}
			hash := sha256.New()
			m := sim.Match{}
			for m.Index < counts[spec] {
				m.Seed = sim.MatchSeed(1, m.Index)
				m.Index++
				m.Play(r, &seats)
				for _, a := range m.Actions {
					hash.Write([]byte{byte(a)})
				}
				if err := binary.Write(hash, binary.BigEndian, m.Final.Points); err != nil {
					t.Fatal(err)
				}
			}
			lines = append(lines, fmt.Sprintf("%s %s %d %x\n", preset, spec, counts[spec], hash.Sum(nil)))
		}
	}
	slices.Sort(times)
	median, late := times[len(times)/2], times[len(times)*95/100]
	t.Logf("%d answers of expert: median %v, 95 %% within %v", len(times), median, late)
	if runtime.GOOS == "js" && (median > 5*time.Millisecond || late > 30*time.Millisecond) {
		t.Errorf("expert answers late: allowed are a median of 5 ms and 95 %% within 30 ms")
	}
	return lines
}
