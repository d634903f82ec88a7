package dataset

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/sim"
)

// stalls is an agent that forfeits a quarter of its matches while its machine stands still.
type stalls struct{ standing *atomic.Bool }

func (s stalls) Act(v sim.View) sim.Action {
	if random := v.Rand(); s.standing.Load() && v.Decision() == 9 && random.Below(4) == 0 {
		return sim.NoAction
	}
	return climber{}.Act(v)
}

// Matches that are dropped are played again to the bytes of a run without forfeits, from a complete
// dataset and from one that was interrupted.
func TestDropForfeits(t *testing.T) {
	var standing atomic.Bool
	testAgents["stalls"] = stalls{&standing}
	defer delete(testAgents, "stalls")
	run := newRun(t, "ema_2016", schema.Matches)
	run.Agents = []string{"stalls", "climber", "random", "climber"}
	wholeDir := t.TempDir()
	mustPlay(t, wholeDir, run, 1)
	want := contents(t, wholeDir)
	if n, err := DropForfeits(wholeDir, run); n != 0 || err != nil {
		t.Errorf("%d matches dropped of a run without forfeits, %v", n, err)
	}
	if d := cmp.Diff(want, contents(t, wholeDir)); d != "" {
		t.Errorf("a run without forfeits has changed:\n%s", d)
	}
	for _, most := range []int64{10, 70, 1000} {
		dir := t.TempDir()
		standing.Store(true)
		first, err := playCounted(t, dir, run, false, most, slowSystem())
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		standing.Store(false)
		dropped, err := DropForfeits(dir, run)
		if err != nil || dropped == 0 {
			t.Fatalf("%d matches dropped, %v", dropped, err)
		}
		if n := kept(t, dir, run); n != first-int64(dropped) {
			t.Errorf("%d of %d matches are kept, and %d were dropped", n, first, dropped)
		}
		again, err := playCounted(t, dir, run, false, 1000, slowSystem())
		if err != nil || again != int64(run.Matches)-first+int64(dropped) {
			t.Errorf("%d matches were played after %d without %d, %v", again, first, dropped, err)
		}
		if d := cmp.Diff(want, contents(t, dir)); d != "" {
			t.Errorf("after %d matches the bytes differ:\n%s", first, d)
		}
	}
}
