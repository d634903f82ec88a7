package agents_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestNet holds networks to what is expected of a built-in player: they answer legally
// everywhere, the same twice and whatever is hidden, and allocate nothing.
func TestNet(t *testing.T) {
	for _, file := range []string{"planes", "advice"} {
		spec := "net:../internal/agents/net/testdata/" + file + ".safetensors"
		for _, preset := range []string{"tenhou", "mcr_2006", "zung_jung", "hkma_hktw"} {
			r, err := configs.LoadWith(preset, map[string]any{"max_hands": int64(4)})
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
	if _, err := agents.New("net:no/such.file"); err == nil || !strings.HasPrefix(err.Error(), "agents: net: ") {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestFilesAreBounded names files that are too large, or without an end.
func TestFilesAreBounded(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 65<<20); err != nil {
		t.Fatal(err)
	}
	for spec, want := range map[string]string{
		"net:" + os.DevNull:            "is not a regular file",
		"net:" + large:                 "has more than 64 MiB",
		"expert:weights=" + os.DevNull: "is not a regular file",
		"expert:weights=" + large:      "has more than 1 MiB",
	} {
		if _, err := agents.New(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", spec, err, want)
		}
	}
}

// TestEmbeddedNet holds the networks of the program to the same, and names the families for
// which there is none.
func TestEmbeddedNet(t *testing.T) {
	for preset, has := range map[string]bool{"tenhou": true, "mcr_2006": true, "zung_jung": false, "hkma_hktw": false} {
		r, err := configs.LoadWith(preset, map[string]any{"max_hands": int64(4)})
		if err != nil {
			t.Fatal(err)
		}
		newAgent, err := agents.New("net")
		if err != nil {
			t.Fatal(err)
		}
		err = newAgent().(sim.Starter).Start(r)
		if !has {
			if want := fmt.Sprintf("no network for the family %q; it has one for: ", r.Family); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", preset, err, want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Run(preset, func(t *testing.T) { conform(t, r, "net", "value", 1) })
	}
}
