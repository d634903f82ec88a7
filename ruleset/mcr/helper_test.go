package mcr_test

import (
	"os"
	"slices"
	"testing"

	"github.com/jansou/jansou/configs"
	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/mcr"
)

func init() {
	if !slices.Contains(configs.Families, &mcr.Family) {
		configs.Families = append(configs.Families, &mcr.Family)
	}
}

// preset returns the file of a ruleset of the family.
func preset(name string) string { return "testdata/presets/" + name + ".toml" }

// load returns the rules of a preset with some knobs changed.
func load(name string, overrides map[string]any) (*ruleset.Rules, error) {
	return configs.With(preset(name), overrides)
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
	r, err := configs.Open(preset(name))
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
