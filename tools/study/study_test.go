// Package study holds the published pages of the study to what study.py printed, which plays the
// plan of plan.toml and makes tables of it.
package study

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// number is a figure: a number with a fraction, or one that has a unit.
var number = regexp.MustCompile(`[0-9][0-9,]*(?:\.[0-9]+)?(?: ?%| pp|\.[0-9]+)?`)

// TestFigures holds that every figure of the report and of its summary was printed by the
// study.
func TestFigures(t *testing.T) {
	text, err := os.ReadFile("../../docs/study/figures.txt")
	if err != nil {
		t.Fatal(err)
	}
	printed := map[string]bool{}
	for _, n := range figuresIn(string(text)) {
		printed[n] = true
	}
	for _, test := range []struct {
		page  string
		least int // figures on it
	}{
		{"../../docs/research/rulesets.md", 50},
		{"../../docs/research/study.md", 500},
	} {
		page, err := os.ReadFile(test.page)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(string(page)) {
			for _, f := range figuresIn(line) {
				if n++; !printed[f] {
					t.Errorf("%s: %s was not printed: %s", test.page, f, line)
				}
			}
		}
		if n < test.least {
			t.Errorf("%s: %d figures", test.page, n)
		}
	}
}

// figuresIn returns the figures of a text: numbers with a fraction and shares.
func figuresIn(text string) (list []string) {
	for _, f := range number.FindAllString(text, -1) {
		f = strings.NewReplacer(",", "", " ", "", "pp", "%").Replace(f)
		if strings.ContainsAny(f, ".%") {
			list = append(list, strings.TrimSuffix(f, "%"))
		}
	}
	return list
}
