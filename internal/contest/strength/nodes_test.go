package strength

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/arena"
)

// A node whose agent is weaker than elsewhere is named.
func TestNodes(t *testing.T) {
	run, _ := newTournament(t, arena.Plan{Seed: 1, Agents: 4, Selection: arena.EveryLineup, Seatings: arena.Rotations(4), Rounds: 400})
	n := NewNodes(run.Tournament.Schedule, []string{"a", "b", "c", "d"})
	for i, strength := range [][]float64{{0, 0, 0, 0}, {0, 0, 0, -1}, {0, 0, 0, 0}} {
		w := &world{strength: strength, luck: gumbel}
		w.play(run, uint64(i), func(rows []schema.MatchRow) {
			if name := fmt.Sprint(rows[0].Match / 64 % 3); name == fmt.Sprint(i) {
				n.Add(name, rows)
			}
		})
	}
	path := filepath.Join(t.TempDir(), "nodes.json")
	warning, err := n.WriteFile(path)
	if err != nil || !strings.HasPrefix(warning, "1 plays otherwise than the others: the ranks of d differ by ") {
		t.Errorf("%q, %v", warning, err)
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), `"apart"`) != 3 {
		t.Errorf("%v: %s", err, text)
	}
}
