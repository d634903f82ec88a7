package agents_test

import (
	"strings"
	"testing"

	"github.com/jansou/jansou/agents"
	"github.com/jansou/jansou/configs"
	"github.com/jansou/jansou/sim"
)

// TestNet holds networks to what is expected of a built-in player: they answer legally
// everywhere, the same twice and whatever is hidden, and allocate nothing.
func TestNet(t *testing.T) {
	for _, file := range []string{"planes", "advice"} {
		spec := "net:net/testdata/" + file + ".safetensors"
		for _, preset := range []string{"tenhou", "mcr_2006", "zung_jung", "hkma_hktw"} {
			r, err := configs.With(preset, map[string]any{"max_hands": int64(4)})
			if err != nil {
				t.Fatal(err)
			}
			t.Run(file+"/"+preset, func(t *testing.T) {
				conform(t, r, spec, spec, 2)
				conform(t, r, spec, "greedy", 2)
				seated := table(t, spec, spec)
				var m sim.Match
				if n := testing.AllocsPerRun(5, func() { m.Play(r, seated) }); n > 0 {
					t.Errorf("%v allocations in %d answers", n, len(m.Actions))
				}
			})
		}
	}
	for _, spec := range []string{"net", "net:", "net:no/such.file"} {
		if _, err := agents.New(spec); err == nil || !strings.HasPrefix(err.Error(), "agents: net: ") {
			t.Errorf("%s: %v", spec, err)
		}
	}
}
