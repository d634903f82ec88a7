package hktw_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/hktw"
)

// open reads a preset with some knobs changed.
func open(name string, overrides map[string]any) (*hktw.Config, error) {
	text, err := os.ReadFile("testdata/presets/" + name + ".toml")
	if err != nil {
		return nil, err
	}
	file := map[string]any{}
	if err := toml.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	delete(file, "description")
	delete(file, "family")
	maps.Copy(file, overrides)
	cfg := hktw.Family.New()
	for _, k := range hktw.Family.Knobs(cfg) {
		v, ok := file[k.Key]
		if !ok {
			return nil, fmt.Errorf("%s: missing", k.Key)
		}
		if err := k.Set(v); err != nil {
			return nil, err
		}
		delete(file, k.Key)
	}
	if len(file) > 0 {
		return nil, fmt.Errorf("unknown knobs %v", slices.Sorted(maps.Keys(file)))
	}
	if p := cfg.Check(); p != nil {
		return nil, p[0]
	}
	return cfg.(*hktw.Config), nil
}

// load returns the rules of a preset with some knobs changed.
func load(name string, overrides map[string]any) (*ruleset.Rules, error) {
	cfg, err := open(name, overrides)
	if err != nil {
		return nil, err
	}
	return &ruleset.Rules{Name: name, Family: "hktw", Flow: cfg.Flow, Scorer: cfg.Compile()}, nil
}

// must is load for knobs that are known to be good.
func must(t testing.TB, name string, overrides map[string]any) *ruleset.Rules {
	t.Helper()
	r, err := load(name, overrides)
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
