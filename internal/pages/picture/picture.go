// Package picture draws the plots of reports, searches and findings, as files and in pages:
//
//	p := picture.Picture{Title: "Points", Plot: picture.NewPlot("Points"), Width: picture.Width, Height: 3 * vg.Inch}
//	err := p.SVG(w)
//
// [Picture.SVG] replaces all characters that are not printable with escapes, since names of agents and
// rulesets come from files of other people.
package picture

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"image/color"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

// Picture is a plot with a size.
type Picture struct {
	// Name is the name of its file without extension, Title its title, and Note the
	// text below it in a page.
	Name, Title, Note string
	Plot              *plot.Plot
	Width, Height     vg.Length
	// Spots are the tooltips of its marks in a page.
	Spots []Spot
}

// Spot is a tooltip.
type Spot struct {
	plotter.XY                 // in the coordinates of the plot
	Before, Name, After string // what it shows: a name that has translations, and text beside it
}

// Width is the usual width of a picture.
const Width = 7.5 * vg.Inch

// palette distinguishes series for any color vision: Okabe and Ito, Color universal
// design, 2008.
var palette = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff},
	color.RGBA{0xe6, 0x9f, 0x00, 0xff},
	color.RGBA{0x00, 0x9e, 0x73, 0xff},
	color.RGBA{0xcc, 0x79, 0xa7, 0xff},
	color.RGBA{0xd5, 0x5e, 0x00, 0xff},
	color.RGBA{0x56, 0xb4, 0xe9, 0xff},
	color.RGBA{0x80, 0x80, 0x80, 0xff},
}

// Band is the color of the first series at a quarter of its strength on white.
var Band = color.RGBA{0xbf, 0xdc, 0xec, 0xff}

// Color returns the color of a series.
func Color(series int) color.Color { return palette[series%len(palette)] }

// Glyph returns the mark of a series. Series of the same color differ in shape.
func Glyph(series int) draw.GlyphStyle {
	shapes := [...]draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}}
	return draw.GlyphStyle{Color: Color(series), Radius: vg.Points(3), Shape: shapes[series/len(palette)%len(shapes)]}
}

// Dashes returns the dashes of a line. Series of the same color differ in them.
func Dashes(series int) []vg.Length {
	dashes := [...][]vg.Length{nil, {vg.Points(6), vg.Points(2)}, {vg.Points(2), vg.Points(2)}}
	return dashes[series/len(palette)%len(dashes)]
}

// NewPlot returns an empty plot with a grid and a legend at the top.
func NewPlot(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	for _, style := range []*text.Style{
		&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle,
	} {
		style.Font.Variant = "Sans"
	}
	p.Title.TextStyle.Font.Size = font.Length(13)
	p.X.Tick.Marker, p.Y.Tick.Marker = Ticks{}, Ticks{}
	p.Title.Padding = vg.Points(6)
	p.BackgroundColor = color.White
	p.Legend.Top = true
	p.Legend.Padding = vg.Points(2)
	p.Legend.XOffs = vg.Points(-6)
	grid := plotter.NewGrid()
	grid.Vertical.Color = color.Gray{0xe0}
	grid.Horizontal.Color = color.Gray{0xe0}
	p.Add(grid)
	return p
}

// Ticks are at most eight ticks at round numbers, in percent for shares of 1.
type Ticks struct{ Percent bool }

// Ticks implements plot.Ticker.
func (t Ticks) Ticks(low, high float64) (ticks []plot.Tick) {
	const most = 8
	step := digits.NiceStep((high - low) / most)
	for n := math.Ceil(low / step); n*step <= high; n++ {
		label := digits.Exact(n * step)
		if t.Percent {
			label = digits.Exact(100*n*step) + "%"
		}
		ticks = append(ticks, plot.Tick{Value: n * step, Label: label})
	}
	return ticks
}

// canvas replaces characters that are not printable in all text of a picture, which
// an SVG file must not hold, and notes the width of each text.
type canvas struct {
	vg.CanvasSizer
	widths map[string]vg.Length
}

// FillString implements vg.Canvas.
func (c canvas) FillString(f font.Face, at vg.Point, text string) {
	text = sanitize.Line(text)
	c.widths[text] = f.Width(text)
	c.CanvasSizer.FillString(f, at, text)
}

// crop leaves a margin around a plot. It returns the widths of the texts that will be drawn.
func crop(c vg.CanvasSizer) (draw.Canvas, map[string]vg.Length) {
	const margin = 8 * vg.Inch / 72
	widths := map[string]vg.Length{}
	return draw.Crop(draw.New(canvas{c, widths}), margin, -margin, margin, -margin), widths
}

// SVG writes the picture as SVG.
func (p *Picture) SVG(w io.Writer) error {
	_, err := p.svg(w)
	return err
}

// svg writes the picture as SVG and returns the widths of its texts.
func (p *Picture) svg(w io.Writer) (map[string]vg.Length, error) {
	c := vgsvg.New(p.Width, p.Height)
	area, widths := crop(c)
	p.Plot.Draw(area)
	_, err := c.WriteTo(w)
	return widths, err
}

// PNG writes the picture as PNG.
func (p *Picture) PNG(w io.Writer) error {
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(p.Width, p.Height), vgimg.UseDPI(144))}
	area, _ := crop(c)
	p.Plot.Draw(area)
	_, err := c.WriteTo(w)
	return err
}

// svgText matches a text of an SVG file by its place, its other attributes and its content.
var svgText = regexp.MustCompile(`<text x="([^"]*)"([^>]*)>([^<]*)<`)

// HTML returns the picture as an SVG element with tooltips. The function named returns an attribute for
// a name with text beside it, empty for one without translations.
func (p *Picture) HTML(named func(before, name, after string) string) template.HTML {
	var b bytes.Buffer
	widths, _ := p.svg(&b) // a buffer takes all
	_, inner, _ := strings.Cut(b.String(), "<svg")
	inner, _, _ = strings.Cut(inner, "</svg>")
	var out strings.Builder
	fmt.Fprintf(&out, `<svg role="img" aria-label="%s"%s`, html.EscapeString(p.Title), named("", p.Title, ""))
	out.WriteString(svgText.ReplaceAllStringFunc(inner, func(found string) string {
		part := svgText.FindStringSubmatch(found)
		text := html.UnescapeString(part[3])
		attribute := named("", text, "")
		at, err := strconv.ParseFloat(part[1], 64)
		if attribute == "" || err != nil {
			return found
		}
		// A translation has another width: titles keep their middle, rows and legends their end.
		anchor, width := "end", widths[text].Points()
		if slices.Contains([]string{p.Plot.Title.Text, p.Plot.X.Label.Text, p.Plot.Y.Label.Text}, text) {
			anchor, width = "middle", width/2
		}
		return fmt.Sprintf(`<text x="%.2f" text-anchor="%s"%s%s>%s<`, at+width, anchor, attribute, part[2], part[3])
	}))
	canvas, _ := crop(vgsvg.New(p.Width, p.Height))
	area := p.Plot.DataCanvas(canvas)
	x, y := p.Plot.Transforms(&area)
	for _, s := range p.Spots {
		fmt.Fprintf(&out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"8\" fill=\"transparent\"><title%s>%s</title></circle>\n",
			x(s.X).Points(), (p.Height - y(s.Y)).Points(), named(s.Before, s.Name, s.After), html.EscapeString(s.Before+s.Name+s.After))
	}
	out.WriteString("</svg>")
	return template.HTML(out.String())
}
