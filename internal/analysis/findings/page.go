package findings

import (
	_ "embed"
	"fmt"
	"html/template"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/pages/board"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
)

//go:embed page.html
var templates string

//go:embed page.js
var script string

// Script shows a page in the language that its address names, the reader has chosen before or the
// browser prefers, and unfolds the target of a link.
var Script = template.JS(board.Language + script)

// NewPage parses the template of a page with a summary, as [page.New] does. It may use the
// templates "summary" of the sections that [Summary.Sections] returns and "strip" of a picture that
// [Picture.Strip] returns, and "languages" for the links that choose one. The functions say and said
// return a heading and a label in all languages.
func NewPage(name, more string) *template.Template {
	in := func(kind string) func(string) template.HTML {
		return func(text string) template.HTML { return Text{ID: kind + text, Args: []any{text}}.HTML() }
	}
	said := in("label.")
	cell := func(text string) template.HTML {
		if HasEntry("label." + text) {
			return said(text)
		}
		return page.Cell(text)
	}
	return page.New(name, templates+more, template.FuncMap{"say": in("title."), "said": said, "cell": cell, "languages": func() map[string]map[string]string { return words() }})
}

// HTML returns the text in all languages, of which [Script] shows one.
func (t Text) HTML() (all template.HTML) {
	first, hidden, differs := t.Translate(Languages[0]), "", false
	for _, language := range Languages {
		translated := t.Translate(language)
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

// Sections returns the summary in each language.
func (s *Summary) Sections() (list []Section) {
	for _, language := range Languages {
		w := words()[language]
		sentences := func(texts []Text) (list []string) {
			for _, t := range texts {
				list = append(list, t.sentence(language))
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
			section.Unchanged, section.Bounds = sentences(s.Bounds.Notes), s.Bounds.translate(language)
		}
		for i := range s.Findings {
			f := &s.Findings[i]
			sentence := f.Text.sentence(language)
			number := ""
			if f.Number.ID != "" || len(f.Number.Args) > 0 {
				number = f.Number.sentence(language)
			}
			section.Findings = append(section.Findings, SectionFinding{sentence, number, f.Picture.Strip(language, sentence+" "+number), f.links(language)})
		}
		if len(s.Findings) > 0 && s.Scale.ID != "" {
			section.Scale = s.Scale.sentence(language)
		}
		if s.Further > 0 {
			section.Further = NewText("further", s.Further).sentence(language)
			if s.Further == 1 {
				section.Further = NewText("further.one").sentence(language)
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
	p := &page.Table{Title: words()[language]["unchanged"], Head: texts(t.Head)}
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
	section := s.Sections()[0]
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
