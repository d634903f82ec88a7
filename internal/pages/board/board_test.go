package board

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/insight/facts"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestSentences checks that the file has every sentence that the script says by a fixed key.
func TestSentences(t *testing.T) {
	sentences := Sentences("en")
	// What state.js says stands in lines that set says, ended or how.
	said := regexp.MustCompile(`(?m)^.*(?:says|ended|how) = .*$`)
	quoted := regexp.MustCompile(`"([a-z_]+)"`)
	for _, line := range said.FindAllString(State, -1) {
		for _, key := range quoted.FindAllStringSubmatch(line, -1) {
			if _, ok := sentences[key[1]]; !ok && key[1] != "abort_" {
				t.Errorf("no sentence %q", key[1])
			}
		}
	}
	drawn := regexp.MustCompile(`say\("(\w+)"|count\([^"]*"(\w+)", "(\w+)"`)
	for _, found := range drawn.FindAllStringSubmatch(Draw, -1) {
		for _, key := range found[1:] {
			if _, ok := sentences[key]; !ok && key != "" && key != "why_" {
				t.Errorf("no sentence %q", key)
			}
		}
	}
	for _, language := range Languages {
		for key := range sentences {
			if _, ok := Sentences(language)[key]; !ok {
				t.Errorf("%s: no sentence %q", language, key)
			}
		}
	}
	for _, why := range facts.Whys {
		if _, ok := sentences["why_"+string(why)]; !ok {
			t.Errorf("no sentence for %s", why)
		}
	}
	for reason := sim.AbortNineKinds; reason <= sim.AbortTripleRon; reason++ {
		if _, ok := sentences["abort_"+reason.String()]; !ok {
			t.Errorf("no sentence for the abort %s", reason)
		}
	}
}

// TestReadyNames checks that a declaration has a name in every tier that the rules have: riichi
// under rules of riichi, and ready under the others.
func TestReadyNames(t *testing.T) {
	tiers := map[string][]sim.ReadyTier{
		"riichi": {sim.ReadyOrdinary, sim.ReadyDouble},
		"ding":   {sim.ReadyOrdinary, sim.ReadyHuman, sim.ReadyEarth, sim.ReadyHeaven},
		"none":   nil,
	}
	for _, preset := range configs.Names() {
		r, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		ready := Describe(r).Ready
		list, ok := tiers[ready]
		if !ok {
			t.Errorf("%s: ready is %q", preset, ready)
		}
		for _, language := range Languages {
			for _, tier := range list {
				if key := ReadyKey(r, tier); Sentences(language)[key] == "" {
					t.Errorf("%s: %s: no sentence %q", preset, language, key)
				}
			}
		}
	}
}

// TestWinWithoutTai checks that a win of no tai or faan has a count where the family counts them,
// and none in other families.
func TestWinWithoutTai(t *testing.T) {
	for preset, want := range map[string]string{
		"taiwanese":    `{"patterns":[],"yakuman":0,"tai":0}`,
		"hk_old_style": `{"patterns":[],"yakuman":0,"faan":0}`,
		"tenhou":       `{"patterns":[],"yakuman":0}`,
	} {
		r, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(WinOf(r, &ruleset.Value{}))
		if err != nil {
			t.Fatal(err)
		}
		if string(text) != want {
			t.Errorf("%s: a win of nothing is %s, want %s", preset, text, want)
		}
	}
}

// TestRepeats checks that people see the repeats of the dealer exactly where payments count them.
func TestRepeats(t *testing.T) {
	shown := map[string]bool{"riichi": true, "hktw": true, "taiwanese": true}
	for _, preset := range configs.Names() {
		r, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		if got := Describe(r).Repeats; got != shown[r.Family] {
			t.Errorf("%s: repeats are shown: %v, want %v", preset, got, shown[r.Family])
		}
	}
}

// TestWordsOfFamilies checks that Chinese names a win on a discard as each family's rule text does.
func TestWordsOfFamilies(t *testing.T) {
	for family, want := range map[string][2]string{
		"riichi": {"{p}榮和{q}打的 {f}", "放過了和牌"}, "mcr": {"{p}和牌，{q}打出 {f}", "放過了和牌"}, "zungjung": {"{p}榮和{q}打的 {f}", "放過了和牌"},
		"hktw": {"{p}食{q}打的 {f}", "放過了食糊"}, "hkos": {"{p}食{q}打的 {f}", "放過了食糊"}, "taiwanese": {"{p}胡{q}打的 {f}", "放過了胡牌"},
	} {
		if got := [...]string{Words("zh-Hant", family)["wins_discard"], WithTerms("放過了和牌", "zh-Hant", family)}; got != want {
			t.Errorf("%s: %q, want %q", family, got, want)
		}
	}
	if got := WithTerms("和了", "ja", "taiwanese"); got != "和了" {
		t.Errorf("Japanese has a word of a family: %q", got)
	}
}
