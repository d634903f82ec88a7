package zungjung_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/jansou/jansou/configs"
	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/zungjung"
)

// open returns the knobs of a preset, some of them changed.
func open(name string, overrides map[string]any) (*zungjung.Config, error) {
	r, err := configs.Open(name)
	if err != nil {
		return nil, err
	}
	knobs := r.Knobs()
	for key, value := range overrides {
		i := slices.IndexFunc(knobs, func(k ruleset.Knob) bool { return k.Key == key })
		if i < 0 {
			return nil, fmt.Errorf("unknown knob %s", key)
		}
		if err := knobs[i].Set(value); err != nil {
			return nil, err
		}
	}
	if p := r.Config.Check(); p != nil {
		return nil, p[0]
	}
	return r.Config.(*zungjung.Config), nil
}

// must returns the rules of a preset with some knobs changed.
func must(t testing.TB, name string, overrides map[string]any) *ruleset.Rules {
	t.Helper()
	r, err := configs.With(name, overrides)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// eachLine calls test with each line of a file of JSON objects.
func eachLine[T any](t *testing.T, file string, test func(line []byte, c T)) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var c T
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		test(line, c)
	}
}

// net is what the payments of s move, by chair.
func net(s *ruleset.Settlement) [ruleset.NumPlayers]int {
	var n [ruleset.NumPlayers]int
	for _, p := range s.Payments[:s.NumPayments] {
		n[p.From] -= int(p.Amount)
		n[p.To] += int(p.Amount)
	}
	return n
}
