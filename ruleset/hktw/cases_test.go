package hktw_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset/cases"
)

// TestCases scores the published cases and compares every member expected.
func TestCases(t *testing.T) { rulestest.Scored(t, "testdata/cases.jsonl") }

// TestOwed answers what each player owes, in points and before the pull.
func TestOwed(t *testing.T) {
	const hand = `"concealed":"678m345p67s44z","melds":[{"type":"chi","tiles":"234m"},{"type":"pon","tiles":"222z"}],` +
		`"win_tile":"8s","round":"E","flags":[],"flowers":"",`
	for line, want := range map[string]string{
		`{` + hand + `"seat":"S","self_draw":false,"from":"W"}`:                                      `{"E":0,"S":10,"W":-10,"N":0}`,
		`{` + hand + `"seat":"S","self_draw":false,"from":"E","dealer":true,"dealer_streak":3}`:      `{"E":-17,"S":17,"W":0,"N":0}`,
		`{` + hand + `"seat":"S","self_draw":true,"dealer_streak":1}`:                                `{"E":-14,"S":36,"W":-11,"N":-11}`,
		`{` + hand + `"seat":"S","self_draw":false,"from":"W","config":{"pull_enabled":false}}`:      `{"E":0,"S":10,"W":-10,"N":0}`,
		`{` + hand + `"seat":"S","self_draw":false,"from":"W","config":{"fan_cap":7,"base_fan":50}}`: `{"E":0,"S":7,"W":-7,"N":0}`,
	} {
		answer, ok := cases.Score([]byte(line), "hkma_hktw", configs.LoadWith)
		if !ok {
			t.Fatalf("%s", answer)
		}
		if err := cases.Check([]byte(`{"win":true,"payments":`+want+`}`), answer); err != nil {
			t.Error(err)
		}
	}
}

// TestChickenKnobs looks at hands with nothing but a flower besides fan of events
// ([H] 4.7).
func TestChickenKnobs(t *testing.T) {
	const (
		open = `"concealed":"34s44z","melds":[{"type":"pon","tiles":"777m"},{"type":"chi","tiles":"234m"},` +
			`{"type":"chi","tiles":"567p"},{"type":"chi","tiles":"789s"}],"win_tile":"5s","seat":"S","round":"E","flowers":"1f",`
		closed = `"concealed":"777m234m567p34s789s44z","melds":[],"win_tile":"5s","seat":"S","round":"E","flowers":"1f",`
		ignore = `"config":{"chicken_ignores_events":true},`
	)
	for _, c := range []struct{ line, want string }{
		{open + `"self_draw":false,"flags":["last_tile"]`, `[["base"],["last_tile"],["flower"]]`},
		{open + ignore + `"self_draw":false,"flags":["last_tile"]`, `[["base"],["last_tile"],["flower"],["big_chicken",30]]`},
		{open + ignore + `"self_draw":true,"flags":["last_tile"]`, `[["base"],["last_tile"],["flower"],["big_duck",10]]`},
		{open + ignore + `"self_draw":true,"flags":["after_flower","tail_draws:1"]`, `[["base"],["flower_draw"],["flower"],["big_duck",10]]`},
		{closed + ignore + `"self_draw":false,"flags":["ready_earth"]`, `[["base"],["ready_earth"],["flower"]]`},
		{closed + `"self_draw":false,"flags":[]`, `[["base"],["concealed"],["flower"]]`},
	} {
		answer, ok := cases.Score([]byte("{"+c.line+"}"), "hkma_hktw", configs.LoadWith)
		if !ok {
			t.Fatalf("%s", answer)
		}
		if err := cases.Check([]byte(`{"win":true,"patterns":`+c.want+`}`), answer); err != nil {
			t.Error(err)
		}
	}
}
