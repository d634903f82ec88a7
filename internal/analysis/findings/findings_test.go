package findings

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/pages/board"
)

// The files of all languages have the same entries, and each entry the same arguments and
// directions in all of them.
func TestLanguages(t *testing.T) {
	english := words(Languages[0])
	for _, language := range Languages {
		entries := words(language)
		for id, text := range english {
			if entries[id] == "" {
				t.Errorf("%s: no entry %q", language, id)
			}
			mine, theirs := placeholder.FindAllString(text, -1), placeholder.FindAllString(entries[id], -1)
			for _, list := range [][]string{mine, theirs} {
				for i, p := range list {
					if strings.Contains(p, "|") {
						list[i] = "direction"
					}
				}
				slices.Sort(list)
			}
			if !slices.Equal(mine, theirs) {
				t.Errorf("%s, %q: %q; in English %q", language, id, entries[id], text)
			}
		}
		for id := range maps.Keys(entries) {
			if _, ok := english[id]; !ok && board.PatternNames(language)[id] == "" && !strings.HasPrefix(id, "term.") {
				t.Errorf("%s: entry %q is not in English", language, id)
			}
		}
	}
}

// Arguments are text in the same language, sentences begin with a capital and end with a stop,
// and names stay as they are.
func TestSentences(t *testing.T) {
	longer := NewText("match.hands", NewText("unit.percent", "1.3", " [0.9, 1.7]"))
	shorter := longer
	shorter.Down = true
	for _, c := range []struct {
		text Text
		want [3]string
	}{
		{longer, [3]string{"Matches last 1.3 % [0.9, 1.7] longer.", "対局が長くなる：1.3 % [0.9, 1.7]。", "每場長 1.3 % [0.9, 1.7]。"}},
		{shorter, [3]string{"Matches last 1.3 % [0.9, 1.7] shorter.", "対局が短くなる：1.3 % [0.9, 1.7]。", "每場短 1.3 % [0.9, 1.7]。"}},
		{NewText("under", "mcr_2006", NewText("nothing")), [3]string{"mcr_2006: Nothing clear.", "mcr_2006：はっきりしたものはない。", "mcr_2006：沒有明顯的差異。"}},
		{PlainText("a\x1b[31m"), [3]string{`a\u001b[31m.`, `a\u001b[31m。`, `a\u001b[31m。`}},
		{NewText("pattern.frequency.noun", "", PatternName("riichi", "pinfu")), [3]string{"Wins with pinfu.", "平和を含む和了。", "有 平和 的和牌。"}},
		{NewText("pattern.frequency.noun", "", PatternName("riichi", "mine")), [3]string{"Wins with mine.", "mineを含む和了。", "有 mine 的和牌。"}},
		{NewText("seat.rank.noun", "", NewText("wind.east")), [3]string{"Rank of who starts East.", "東家で始めた人の順位。", "東起家的名次。"}},
	} {
		for i, language := range Languages {
			if got := c.text.sentence(language); got != c.want[i] {
				t.Errorf("%q, want %q", got, c.want[i])
			}
		}
	}
}

// There are at most seven findings, of different topics as far as three are; the largest come
// first.
func TestChoose(t *testing.T) {
	finding := func(topic string, size float64) Finding { return Finding{Topic: topic, Size: size} }
	var many []Finding
	for i := range 10 {
		many = append(many, finding(strings.Repeat("x", i), float64(i)))
	}
	for _, c := range []struct {
		list []Finding
		want []float64
	}{
		{nil, nil},
		{[]Finding{finding("a", 1), finding("a", -3), finding("b", 2)}, []float64{-3, 2, 1}},
		{[]Finding{finding("a", 1), finding("a", -3), finding("b", 2), finding("c", 0.5)}, []float64{-3, 2, 0.5}},
		{many, []float64{9, 8, 7, 6, 5, 4, 3}},
	} {
		var sizes []float64
		for _, f := range Choose(c.list) {
			sizes = append(sizes, f.Size)
		}
		if !slices.Equal(sizes, c.want) {
			t.Errorf("%v, want %v", sizes, c.want)
		}
	}
}

// Pictures with the same scale show all that each of them has; infinite ends of a target do not
// stretch it.
func TestAlign(t *testing.T) {
	a := Picture{Value: 1, Low: 0, High: 2, Band: [2]float64{math.Inf(-1), 8}}
	b := Picture{Value: -1, Low: -1, High: -1, Marks: []Mark{{At: -2}}}
	Align(&a, &b)
	if a.From != b.From || a.To != b.To || a.From != -2 || a.To != 8 {
		t.Errorf("from %v to %v", a.From, a.To)
	}
	alone := Picture{Value: 3, Low: 3, High: 3}
	Align(&alone)
	if alone.From != 2 || alone.To != 4 {
		t.Errorf("a single value is from %v to %v", alone.From, alone.To)
	}
}

// A page has the summary in all languages, with what others wrote as text.
func TestPage(t *testing.T) {
	s := &Summary{
		Compared: []Text{NewText("compared.first", "<b>mine</b>", 4, "seed 1", "4 × value")},
		Findings: []Finding{{
			Text: NewText("match.hands", "5 %"), Number: NewText("instead", 1, 2), Picture: Picture{Value: 1, Lines: []Mark{{Name: NewText("no_change")}}},
			Matches: []Match{{Dir: "01_x", Number: 7, Page: "01_x-7.html"}, {Dir: "00_y", Number: 7}},
		}},
		Further: 2, Unchanged: []Text{NewText("same", []Text{PlainText("x")}, 4, "60 %")}, Certainty: []Text{NewText("sure.programs")},
	}
	AlignAll(s.Findings)
	var b bytes.Buffer
	if err := NewPage("x", `{{template "summary" .}}`).Execute(&b, "x", "", s.Sections("")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<section class="summary" id="zh-Hant" lang="zh-Hant" hidden>`, "&lt;b&gt;mine&lt;/b&gt;", "Matches last 5 % longer.", "每場長 5 %。", `<a href="01_x-7.html">01_x, match 7</a>`, `<a href="01_x-7.html">01_x 第 7 場</a>`, "00_y 第 7 場", "2 more figures"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in %s", want, b.String())
		}
	}
	if parts := s.Parts(); len(parts) != 4 || parts[1].Lines[0] != "Matches last 5 % longer. 1 instead of 2." {
		t.Errorf("parts %+v", parts)
	}
}
