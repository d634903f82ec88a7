package table

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/pages/board"
	"github.com/sparrowhall/sparrowhall/internal/pages/chart"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// TestLanguages checks that every language has every sentence with the same values, and the name
// of every pattern. English names of patterns are those of the program.
func TestLanguages(t *testing.T) {
	english := sentences("en")
	values := regexp.MustCompile(`{\w+}`)
	for _, language := range board.Languages[1:] {
		s := sentences(language)
		for key, text := range english {
			other, ok := s[key]
			if !ok || other == "" && text != "" {
				t.Errorf("%s: no sentence %q", language, key)
			}
			for _, value := range values.FindAllString(text, -1) {
				if !strings.Contains(other, value) {
					t.Errorf("%s: %q lacks %s", language, key, value)
				}
			}
		}
		patterns := map[string]bool{}
		name := func(family string, list []ruleset.Pattern) {
			for _, p := range list {
				key := "pattern." + family + "." + p.ID
				patterns[key] = true
				if s[key] == "" {
					t.Errorf("%s: no name %q", language, key)
				}
			}
		}
		for _, f := range configs.Families {
			name(f.Name, f.New().Compile().Patterns())
		}
		three, err := configs.Load(sanma)
		if err != nil {
			t.Fatal(err)
		}
		name(three.Family, three.Patterns())
		for key := range s {
			// KEY.FAMILY stands for KEY, in this language alone too.
			base, family, _ := strings.Cut(key, ".")
			isOwn := english[base] != "" && slices.ContainsFunc(configs.Families, func(f *ruleset.Family) bool { return f.Name == family })
			if _, ok := english[key]; !ok && !patterns[key] && !isOwn {
				t.Errorf("%s has the sentence %q, which the page does not use", language, key)
			}
		}
	}
}

// TestKeys checks that the page has the sentences that its script names.
func TestKeys(t *testing.T) {
	english := sentences("en")
	used := regexp.MustCompile(`sentences\.(\w+)|say\("(\w+)"|sentences\["(\w+)" \+|"(act_\w+)"`)
	for _, found := range used.FindAllStringSubmatch(board.MustRead(&pages, "page/play.js")+board.MustRead(&pages, "page/lobby.js")+board.MustRead(&pages, "page/coach.js")+board.MustRead(&pages, "page/panel.js")+board.MustRead(&pages, "page/data.js"), -1) {
		for _, key := range found[1:] {
			_, ok := english[key]
			if key != "" && !ok && key != "act_ready_" && key != "reason_" {
				t.Errorf("no sentence %q", key)
			}
		}
	}
	r, err := configs.Load("ema_2016")
	if err != nil {
		t.Fatal(err)
	}
	for _, preset := range configs.Names() {
		c, err := configs.Open(preset)
		if err != nil {
			t.Fatal(err)
		}
		if ready := describe(c, c.Rules()).Ready; ready != "none" && english["act_ready_"+ready] == "" {
			t.Errorf("%s: no button for ready = %q", preset, ready)
		}
	}
	for _, reason := range board.Describe(r).Reasons {
		if english["reason_"+reason] == "" {
			t.Errorf("no sentence for payments for %s", reason)
		}
	}
	for _, f := range configs.Families {
		k, ok := ruleset.FindKnob(f.Knobs(f.New()), "ready")
		if !ok {
			t.Fatalf("%s has no knob ready", f.Name)
		}
		for _, w := range k.Words {
			if w.Text != "none" && english["act_ready_"+w.Text] == "" {
				t.Errorf("no button for ready = %q", w.Text)
			}
		}
	}
}

// TestNames checks that no name is declared twice at the top of the script, which would keep a
// browser from running any of it.
func TestNames(t *testing.T) {
	declared := map[string]bool{}
	for _, line := range regexp.MustCompile(`(?m)^(?:async )?(const|let|function)( .*)$`).FindAllStringSubmatch(script(), -1) {
		names := regexp.MustCompile(`^ (\w+)|, (\w+) = `).FindAllStringSubmatch(line[2], -1)
		if line[1] == "function" {
			names = names[:1] // its parameters follow
		}
		for _, name := range names {
			if declared[name[1]+name[2]] {
				t.Errorf("%s is declared twice", name[1]+name[2])
			}
			declared[name[1]+name[2]] = true
		}
	}
	if !declared["render"] || !declared["headName"] {
		t.Errorf("the test overlooks names; it finds %v", declared)
	}
}

// TestSize checks that the page stays below 300 kB, as a first visit loads it.
func TestSize(t *testing.T) {
	size := len(board.MustRead(&pages, "page/index.html")) + len(script()) + len(chart.Style+board.Style) + len(board.MustRead(&pages, "page/table.css"))
	for _, language := range board.Languages {
		text, err := json.Marshal(sentences(language))
		if err != nil {
			t.Fatal(err)
		}
		if n := size + len(text); n > 300_000 {
			t.Errorf("the page has %d bytes in %s", n, language)
		}
	}
}
