package findings

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/pages/board"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/internal/pages/picture"
)

//go:embed page.html
var templates string

//go:embed page.js
var script string

// Script shows a page in the language that its address names, the reader has chosen before or the
// browser prefers, and unfolds the target of a link.
var Script = template.JS(board.Language + script)

// Page is the template of a page in all languages.
type Page struct{ parsed *template.Template }

// NewPage parses the template of a page with a summary, as [page.New] does. It may use the
// templates "summary" of the sections that [Summary.Sections] returns and "strip" of a picture that
// [Picture.Strip] returns, and "languages" for the links that choose one. The functions say, said and
// write return a heading, a label and a [Text] in all languages, named and title an attribute.
func NewPage(name, more string) *Page {
	return &Page{page.New(name, templates+more, speak(""))}
}

// Execute writes the page, or the named template of it, in the words of a family of rules, which may be empty.
func (p *Page) Execute(w io.Writer, name, family string, data any) error {
	spoken := template.Must(p.parsed.Clone()).Funcs(speak(family))
	return page.Execute(w, spoken.Lookup(name), data)
}

// speak returns the functions of a template.
func speak(family string) template.FuncMap {
	said := func(text string) template.HTML { return Say(text).in(family) }
	return template.FuncMap{
		"say":   func(text string) template.HTML { return heading(text).in(family) },
		"said":  said,
		"write": func(t Text) template.HTML { return t.in(family) },
		"cell": func(text string) template.HTML {
			if HasEntry("label."+text) || strings.HasSuffix(text, ")") && Say(text).ID != "" {
				return said(text)
			}
			return page.Cell(text)
		},
		"row":   func(head []string, r page.Row) template.HTML { return sayRow(head[0], r, family) },
		"named": func(text string) template.HTMLAttr { return inAttribute("aria-label", text, family) },
		"title": func(text string) template.HTMLAttr { return inAttribute("title", text, family) },
		"draw": func(p *picture.Picture) template.HTML {
			return p.HTML(func(before, text, after string) string {
				t := nameOf(family, text)
				t.ID, t.Args = "join", []any{before, t, after}
				return t.attribute(family)
			})
		},
		"tongues": func() []Section {
			var list []Section
			for _, language := range Languages {
				list = append(list, Section{Language: language, Name: words(language)["language"]})
			}
			return list
		},
	}
}

// inAttribute returns an attribute with a heading or a label.
func inAttribute(name, text, family string) template.HTMLAttr {
	return template.HTMLAttr(fmt.Sprintf(`%s="%s"%s`, name, template.HTMLEscapeString(text), heading(text).attribute(family)))
}

// heading returns a heading, or a label, which may have a name after a colon.
func heading(text string) Text {
	if HasEntry("title." + text) {
		return NewText("title."+text, text)
	}
	if before, name, found := strings.Cut(text, ": "); found && Say(text).ID == "" {
		return NewText("under", heading(before), name)
	}
	return Say(text)
}

// nameOf returns the name of a figure, with what it is of, or of a pattern of a family, whose words may have
// blanks between them.
func nameOf(family, name string) Text {
	if t := PatternName(family, strings.ReplaceAll(name, " ", "_")); words(Languages[1])[t.ID] != "" {
		t.Args = []any{name}
		return t
	}
	figure, of, found := strings.Cut(name, ", ")
	section, rest, _ := strings.Cut(figure, " ")
	if id := section + "." + strings.ReplaceAll(rest, " ", "_") + ".noun"; HasEntry(id) {
		return NewText(id, "", nameOf(family, of))
	}
	if t := Say(figure); found && t.ID != "" {
		return NewText("about.of", t, nameOf(family, of))
	}
	return heading(name)
}

// sayRow returns the label of a row, below the head of its column, with what explains it, which takes the place of a label without an entry in
// other languages.
func sayRow(head string, r page.Row, family string) template.HTML {
	label, about := PlainText(r.Label), Say(r.About)
	switch {
	case HasEntry("figure." + r.Label):
		label = Say(r.Label)
	case head == "pattern":
		label = nameOf(family, r.Label)
	case head == "figure" && about.ID != "":
		if _, of, found := strings.Cut(r.Label, ", "); found {
			about = NewText("about.of", about, nameOf(family, of))
		}
		return inAll(func(language string) string {
			if language == Languages[0] {
				return r.Label
			}
			return about.Translate(Tag(language, family))
		}) + template.HTML(`<small data-said lang="en">`) + page.Label(about.Translate(Tag(Languages[0], family))) + "</small>"
	case strings.HasSuffix(r.Label, ", points") || strings.HasSuffix(r.Label, ", placement"): // of an agent
		at := strings.LastIndex(r.Label, ", ")
		label = NewText("about.of", r.Label[:at], Say(r.Label[at+2:]))
	case head == "figure" || head == "of" || head == "distribution" || head == "ruleset":
		label = heading(r.Label)
	}
	html := label.in(family)
	if r.About != "" {
		html += "<small>" + about.in(family) + "</small>"
	}
	return html
}

// attribute returns the attribute by which [Script] chooses the language of a text or a name, empty for one
// that is the same in all.
func (t Text) attribute(family string) string {
	first, all := t.Translate(Tag(Languages[0], family)), map[string]string{}
	for _, language := range Languages[1:] {
		if translated := t.Translate(Tag(language, family)); translated != first {
			all[language] = translated
		}
	}
	if len(all) == 0 {
		return ""
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // a map of strings
	}
	return fmt.Sprintf(` data-named="%s"`, template.HTMLEscapeString(string(text)))
}

// HTML returns the text in all languages, of which [Script] shows one.
func (t Text) HTML() template.HTML { return t.in("") }

func (t Text) in(family string) template.HTML {
	return inAll(func(language string) string { return t.Translate(Tag(language, family)) })
}

// inAll returns a text in all languages.
func inAll(translate func(language string) string) (all template.HTML) {
	first, hidden, differs := translate(Languages[0]), "", false
	for _, language := range Languages {
		translated := translate(language)
		differs = differs || translated != first
		all += template.HTML(fmt.Sprintf(`<span data-said lang="%s"%s>%s</span>`, language, hidden, page.Label(translated)))
		hidden = " hidden"
	}
	if !differs {
		return page.Label(first) // a name
	}
	return all
}

// Section is a summary in a language, for the template "summary".
type Section struct {
	// Language is the tag of the language, Name its own name, and Words are its entries.
	Language, Name string
	Words          map[string]string
	// Compared, Players, Unchanged and Certainty are sentences, as in [Summary].
	Compared, Players, Unchanged, Certainty []string
	// UnchangedTitle is the heading of Unchanged.
	UnchangedTitle string
	// Bounds is the table that Unchanged explains where several rulesets are compared,
	// otherwise nil.
	Bounds *page.Table
	// Findings are the findings. Scale explains their pictures, and Further is a sentence on
	// the other figures that survive the correction; both may be empty.
	Findings       []SectionFinding
	Scale, Further string
}

// SectionFinding is a finding in a language.
type SectionFinding struct {
	// Text is a sentence, Number the figure, and Strip its picture for the template "strip".
	Text, Number string
	Strip        template.HTML
	// Matches are links to the matches in which the figure changed most.
	Matches []Link
}

// Link is the name of a match and its page, which may be empty.
type Link struct {
	// Text is what the reader sees, Page the address.
	Text, Page string
}

func (f *Finding) links(language string) (list []Link) {
	for _, m := range f.Matches {
		list = append(list, Link{NewText("match", m.Dir, m.Number).Translate(language), m.Page})
	}
	return list
}

// Sections returns the summary in each language, in the words of a family of rules, which may be empty.
func (s *Summary) Sections(family string) (list []Section) {
	for _, language := range Languages {
		tag := Tag(language, family)
		w := words(tag)
		sentences := func(texts []Text) (list []string) {
			for _, t := range texts {
				list = append(list, t.sentence(tag))
			}
			return list
		}
		section := Section{
			Language: language, Name: w["language"], Words: w, Compared: sentences(s.Compared), Players: sentences(s.Players),
			Unchanged: sentences(s.Unchanged), Certainty: sentences(s.Certainty),
		}
		if section.UnchangedTitle = w["unchanged"]; s.Alone {
			section.UnchangedTitle = w["unchanged.alone"]
		}
		if s.Bounds != nil {
			section.Unchanged, section.Bounds = sentences(s.Bounds.Notes), s.Bounds.translate(tag)
		}
		for i := range s.Findings {
			f := &s.Findings[i]
			sentence := f.Text.sentence(tag)
			number := ""
			if f.Number.ID != "" || len(f.Number.Args) > 0 {
				number = f.Number.sentence(tag)
			}
			section.Findings = append(section.Findings, SectionFinding{sentence, number, f.Picture.Strip(tag, sentence+" "+number), f.links(tag)})
		}
		if len(s.Findings) > 0 && s.Scale.ID != "" {
			section.Scale = s.Scale.sentence(tag)
		}
		if s.Further > 0 {
			section.Further = NewText("further", s.Further).sentence(tag)
			if s.Further == 1 {
				section.Further = NewText("further.one").sentence(tag)
			}
		}
		list = append(list, section)
	}
	return list
}

func (t *Table) translate(language string) *page.Table {
	texts := func(list []Text) (cells []string) {
		for _, t := range list {
			cells = append(cells, t.Translate(language))
		}
		return cells
	}
	p := &page.Table{Title: words(language)["unchanged"], Head: texts(t.Head)}
	for _, r := range t.Rows {
		p.Rows = append(p.Rows, page.Row{Label: capital(r.Label.Translate(language)), Cells: texts(r.Cells)})
	}
	return p
}

// Part is a heading of a summary, its sentences and the table below them.
type Part struct {
	// Title is the heading, Lines are sentences. Table may be nil.
	Title string
	Lines []string
	Table *page.Table
}

// Parts returns the summary in English for a terminal.
func (s *Summary) Parts() []Part {
	section := s.Sections("")[0]
	var found []string
	for i := range section.Findings {
		f := &section.Findings[i]
		found = append(found, strings.TrimSpace(f.Text+" "+f.Number))
	}
	if len(found) == 0 {
		found = append(found, section.Words["nothing"])
	}
	if section.Further != "" {
		found = append(found, section.Further)
	}
	w := section.Words
	var list []Part
	for _, p := range []Part{
		{w["compared"], section.Compared, nil},
		{w["findings"], found, nil},
		{w["players"], section.Players, nil},
		{section.UnchangedTitle, section.Unchanged, section.Bounds},
		{w["certainty"], section.Certainty, nil},
	} {
		if len(p.Lines) > 0 {
			list = append(list, p)
		}
	}
	return list
}
