package board

import (
	"regexp"
	"testing"

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
			if _, ok := sentences[key]; !ok && key != "" {
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
	for reason := sim.AbortNineKinds; reason <= sim.AbortTripleRon; reason++ {
		if _, ok := sentences["abort_"+reason.String()]; !ok {
			t.Errorf("no sentence for the abort %s", reason)
		}
	}
}
