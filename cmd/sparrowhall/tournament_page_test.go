package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/pagetest"
)

// checkLanguages checks that a page of a tournament or league says nothing in English alone.
func checkLanguages(t *testing.T, page string, names ...string) {
	t.Helper()
	for _, text := range pagetest.Untranslated(page, append(names, "sparrowhall", "tsumogiri", "greedy", "random", "value", "Elo", "JSON", "Season 1", "short.toml")...) {
		t.Errorf("in English alone: %s", text)
	}
}

func TestTournamentPage(t *testing.T) {
	dir := t.TempDir()
	cup, page := filepath.Join(dir, "cup"), filepath.Join(dir, "cup.html")
	if _, errOut, status := sparrowhall(t, "", tournamentArgs(cup, "--quiet")...); status != 0 {
		t.Fatal(errOut)
	}
	if _, errOut, status := sparrowhall(t, "", "tournament", "page", cup, "--html", page); status != 0 {
		t.Fatal(errOut)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`).FindSubmatch(text)
	var data struct {
		Matches []uint64
		Lines   []struct {
			Name              string
			Rating, Low, High []*float64
		}
	}
	if err := json.Unmarshal(found[1], &data); err != nil {
		t.Fatal(err)
	}
	printed, _, _ := sparrowhall(t, "", tournamentArgs(cup, "--quiet", "--json")...)
	var result struct {
		Matches uint64
		Agents  []struct {
			Number int
			Agent  string
			Rating struct{ Value float64 } `json:"rating"`
		}
	}
	if err := json.Unmarshal([]byte(printed), &result); err != nil {
		t.Fatal(err)
	}
	last := len(data.Matches) - 1
	if data.Matches[last] != result.Matches || len(data.Lines) != len(result.Agents) {
		t.Errorf("the page has %v matches and %d agents, want %d and %d", data.Matches, len(data.Lines), result.Matches, len(result.Agents))
	}
	for _, a := range result.Agents {
		if l := data.Lines[a.Number]; l.Name != a.Agent || len(l.Rating) != last+1 || *l.Rating[last] != a.Rating.Value {
			t.Errorf("agent %d is %v, want %v", a.Number, l, a)
		}
	}
	names := []string{"http://www.w3.org/2000/svg", "https://github.com/leeoniya/uPlot"}
	rest := string(text)
	for _, name := range names { // names, not addresses
		rest = strings.ReplaceAll(rest, name, "")
	}
	if outside := regexp.MustCompile(`https?:|<link|@import|url\(`).FindString(rest); outside != "" {
		t.Errorf("the page has %q", outside)
	}

	checkLanguages(t, rest)
	if !strings.Contains(rest, `<span data-said lang="ja" hidden>大会：`) {
		t.Error("the title is not in Japanese")
	}

	if strings.Contains(rest, `id="luck"`) {
		t.Error("luck that nobody asked for")
	}
	lucky := filepath.Join(dir, "lucky.html")
	if _, errOut, status := sparrowhall(t, "", "tournament", "page", cup, "--luck=fast", "--html", lucky); status != 0 {
		t.Fatal(errOut)
	}
	text, err = os.ReadFile(lucky)
	if err != nil {
		t.Fatal(err)
	}
	out, _, _ := sparrowhall(t, "", "luck", "--fast", "--quiet", cup)
	_, section, ok := strings.Cut(string(text), `<h2 id="luck">`)
	if !ok || !strings.Contains(string(text), `href="#luck"`) {
		t.Fatal("the page has no luck")
	}
	section, _, _ = strings.Cut(section, "<h2")
	cells := strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(section, " "))
	// Luck is that of the verb. Results have one value and interval on the page, those of
	// the standings, which draw duplicate sets again.
	standings, _, _ := strings.Cut(string(text), `<h2 id="ahead">`)
	shown := strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(standings, " "))
	for line := range strings.Lines(out) {
		if words := strings.Fields(line); len(words) > 7 && words[1] == "points" && !strings.Contains(strings.Join(cells, " "), strings.Join(words[5:8], " ")) {
			t.Errorf("%q is not among %q", words, cells)
		}
	}
	for i, word := range cells {
		if word == "points" && i > 0 && strings.HasSuffix(cells[i-1], ",") {
			if result := strings.Join(cells[i+1:i+4], " "); !strings.Contains(strings.Join(shown, " "), result) {
				t.Errorf("the result %s is not in the standings", result)
			}
		}
	}

	play := filepath.Join(dir, "play")
	if _, errOut, status := sparrowhall(t, "", "play", "--matches", "2", "--out", play, "--quiet"); status != 0 {
		t.Fatal(errOut)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{cup}, "--html: name a file"},
		{[]string{cup, "--html", page, "--luck=slow"}, "--luck=slow; allowed: strong, fast"},
		{[]string{cup, "--html", page}, "--force replaces it"},
		{[]string{play, "--html", page, "--force"}, "no tournament"},
		{[]string{filepath.Join(dir, "nothing"), "--html", page, "--force"}, "nothing"},
	} {
		_, errOut, status := sparrowhall(t, "", append([]string{"tournament", "page"}, c.args...)...)
		if status == 0 || !strings.Contains(errOut, c.want) {
			t.Errorf("%v: status %d, %q; want %q", c.args, status, errOut, c.want)
		}
	}
}
