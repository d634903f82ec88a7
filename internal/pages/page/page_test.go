package page_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/internal/pages/picture"
)

const hostile = "a\x1b[31m\x07\u202e<script>&\"\x00\xffz"

// Names with characters that are not printable, or with markup, leave pictures and pages
// well-formed.
func TestHostileNames(t *testing.T) {
	p := picture.NewPlot("title " + hostile)
	p.X.Label.Text, p.Y.Label.Text = hostile, hostile
	line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}})
	if err != nil {
		t.Fatal(err)
	}
	p.Add(line)
	p.Legend.Add(hostile, line)
	drawn := picture.Picture{Name: "x", Title: hostile, Plot: p, Width: picture.Width, Height: 3 * vg.Inch, Spots: []picture.Spot{{Name: hostile}}}
	var svg, whole bytes.Buffer
	if err := drawn.SVG(&svg); err != nil {
		t.Fatal(err)
	}
	table := &page.Table{Title: hostile, Note: hostile, Head: []string{hostile, "b"}, Rows: []page.Row{{Label: hostile, About: hostile, Cells: []string{hostile + " [1, 2]"}}}}
	parsed := page.New("test", `<p>{{.P}}</p>{{template "table" .T}}`, nil)
	if err := page.Execute(&whole, parsed, map[string]any{"P": drawn.HTML(func(_, _, _ string) string { return "" }), "T": table}); err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"svg": svg.String(), "page": "<div>" + whole.String() + "</div>"} {
		if strings.ContainsAny(text, "\x1b\x07\x00\u202e") || strings.Contains(text, "<script>") {
			t.Errorf("%s has a character that is not printable, or markup of a name", what)
		}
		if !strings.Contains(text, `\u001b`) && !strings.Contains(text, `\\u001b`) {
			t.Errorf("%s does not show the name", what)
		}
		for d := xml.NewDecoder(strings.NewReader(text)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Errorf("%s: %v", what, err)
				break
			}
		}
	}
}

// Names break after the signs between their words and nowhere else, and markup in them stays
// text.
func TestLabels(t *testing.T) {
	for name, want := range map[string]string{
		"greedy":            "greedy",
		"value:calls=off":   "value:<wbr>calls=<wbr>off",
		"yakuhai_seat_wind": "yakuhai_<wbr>seat_<wbr>wind",
		"<b>a</b>":          "&lt;b&gt;a&lt;/<wbr>b&gt;",
	} {
		var b bytes.Buffer
		table := page.Table{Head: []string{"figure", name}, Rows: []page.Row{{Label: name}}}
		if err := page.Execute(&b, page.New("x", `{{template "table" .}}`, nil), table); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), `<th scope="row">`+want+"</th>") {
			t.Errorf("%s: no %s in %s", name, want, b.String())
		}
	}
	var b bytes.Buffer
	table := page.Table{Head: []string{"", "b"}, Rows: []page.Row{{Label: "a"}}}
	if err := page.Execute(&b, page.New("x", `{{template "table" .}}`, nil), table); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<button></button>") {
		t.Errorf("a button without a name in %s", b.String())
	}
	style, err := os.ReadFile("style.css")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(style), "overflow-wrap: break-word; color") {
		t.Error("a long name widens a paragraph beyond the window")
	}
	if strings.Contains(string(style), "th:first-child { min-width: 7.5rem; overflow-wrap: anywhere") {
		t.Error("a narrow window breaks names within words")
	}
}

// A terminal shows Chinese and Japanese characters two columns wide.
func TestWideNames(t *testing.T) {
	table := page.Table{Head: []string{"player", "points"}, Rows: []page.Row{{Label: "強い", Cells: []string{"1"}}, {Label: "greedy", Cells: []string{"23"}}}}
	want := []string{"player  points", "強い    1", "greedy  23"}
	if got := table.Lines(80); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
