package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/tabwriter"
)

// write puts the tables into the page and all figures beside the pictures.
func (s *study) write() error {
	page := filepath.Join(s.docs, "research", "study.md")
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	out, err := s.fill(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	if err := os.WriteFile(page, []byte(out), 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.docs, "study", "figures.txt"), []byte(s.print()), 0o666)
}

// place matches a table of the page, or the facts: the text between two comments.
var place = regexp.MustCompile(`(?s)(<!-- (table [a-z0-9_-]+|facts) -->\n).*?(<!-- end -->)`)

// fill returns the page with its tables.
func (s *study) fill(page string) (string, error) {
	var missing error
	out := place.ReplaceAllStringFunc(page, func(old string) string {
		m := place.FindStringSubmatch(old)
		if m[2] == "facts" {
			return m[1] + "\n- " + strings.Join(s.facts, "\n- ") + "\n\n" + m[3]
		}
		for _, t := range s.tables {
			if "table "+t.name == m[2] {
				return m[1] + "\n" + t.markdown() + "\n" + m[3]
			}
		}
		missing = fmt.Errorf("there is no %s", m[2])
		return old
	})
	return out, missing
}

func (t *table) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(t.head, " | "), strings.Repeat(" --- |", len(t.head)))
	for _, row := range t.rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	return b.String()
}

// print writes all tables and facts as text.
func (s *study) print() string {
	var b strings.Builder
	b.WriteString("What tools/study/study.sh prints: every figure of docs/research/study.md stands here.\n\n")
	for _, f := range s.facts {
		fmt.Fprintln(&b, f)
	}
	for _, t := range s.tables {
		fmt.Fprintf(&b, "\n%s\n", strings.ToUpper(t.name))
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.DiscardEmptyColumns)
		for _, row := range append([][]string{t.head}, t.rows...) {
			fmt.Fprintln(w, strings.NewReplacer("`", "", "**", "").Replace(strings.Join(row, "\t")))
		}
		w.Flush() // into memory
	}
	return b.String()
}
