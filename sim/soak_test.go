package sim_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/configs"
)

// TestRandomRulesets plays matches under rulesets whose knobs have random values,
// and checks the invariants that all rules share, the time of a match and the
// memory. SPARROWHALL_SOAK says how long, such as 60s, and SPARROWHALL_SOAK_SEED from where.
func TestRandomRulesets(t *testing.T) {
	seed, rulesets := uint64(1), sample(20, 2000)
	var end time.Time
	if d, err := time.ParseDuration(os.Getenv("SPARROWHALL_SOAK")); err == nil {
		end, rulesets = time.Now().Add(d), 1<<30
		seed, _ = strconv.ParseUint(os.Getenv("SPARROWHALL_SOAK_SEED"), 10, 64)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	rulesetNames := configs.Names()
	played := 0
	for i := range rulesets {
		if !end.IsZero() && time.Now().After(end) {
			break
		}
		base := rulesetNames[rng.IntN(len(rulesetNames))]
		k := randomKnobs(t, base, rng)
		r, err := configs.LoadWith(base, k)
		if err != nil {
			t.Fatalf("seed %d, ruleset %d: %s with %v: %v", seed, i, base, k, err)
		}
		if r.MaxHands == 0 || r.MaxHands > 12 {
			r.MaxHands = 12 // some never end by themselves
		}
		began := time.Now()
		c := newChecker(r, false, sample(71, 29))
		n := rng.Uint64()
		if err := c.match(n, &tables[n%uint64(len(tables))]); err != nil {
			t.Errorf("seed %d, ruleset %d: %s with %v: %v", seed, i, base, k, err)
		}
		if took := time.Since(began); took > time.Minute {
			t.Errorf("seed %d, ruleset %d: %s with %v: a match took %v", seed, i, base, k, took)
		}
		played++
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.Sys > 1<<30 {
		t.Errorf("%d bytes of memory", m.Sys)
	}
	t.Logf("%d rulesets", played)
}

// randomKnobs returns changes of a preset that contradict neither it nor each
// other: knobs with choices have one of them, numbers are moved about.
func randomKnobs(t *testing.T, base string, rng *rand.Rand) map[string]any {
	t.Helper()
	r, err := configs.Open(base)
	if err != nil {
		t.Fatal(err)
	}
	changed := map[string]any{}
	all := r.Knobs()
	for range 1 + rng.IntN(30) {
		k := all[rng.IntN(len(all))]
		old, had := changed[k.Key]
		switch v := k.Value().(type) {
		case int64:
			changed[k.Key] = max(0, v+[]int64{-1000, -5, -1, 1, 5, 1000, 1 << 40}[rng.IntN(7)])
		default:
			choices := k.Choices()
			if len(choices) == 0 {
				continue
			}
			changed[k.Key] = choices[rng.IntN(len(choices))]
		}
		if _, err := configs.LoadWith(base, changed); err != nil {
			if _, ok := errors.AsType[configs.Errors](err); !ok {
				t.Fatalf("%s with %v: %v", base, changed, err)
			}
			if delete(changed, k.Key); had {
				changed[k.Key] = old
			}
		}
	}
	return changed
}
