package mcr_test

import (
	"os"
	"testing"

	"github.com/jansou/jansou/configs"
	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/mcr"
)

// load returns the rules of a preset with some knobs changed.
func load(name string, overrides map[string]any) (*ruleset.Rules, error) {
	return configs.With(name, overrides)
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

// config returns the knobs of a preset.
func config(t testing.TB, name string) *mcr.Config {
	t.Helper()
	r, err := configs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return r.Config.(*mcr.Config)
}

// sample returns quick, or long when JANSOU_LONG asks for the long tests.
func sample(quick, long int) int {
	if os.Getenv("JANSOU_LONG") == "" {
		return quick
	}
	return long
}
