package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/analysis/outfolder"
)

// folder is the kind of a folder with a report.
var folder = outfolder.Kind{Name: "report", Mark: "sparrowhall-report.json"}

// Write writes the report to a folder: a page, JSON, all statistics as Arrow tables, and the
// pictures as PNG and SVG. See [outfolder.Kind.Write].
func (r *Report) Write(dir string, replace bool) error { return folder.Write(dir, replace, r.fill) }

// Check returns the error that Write would return before it writes anything.
func Check(dir string, replace bool) error { return folder.Check(dir, replace) }

func (r *Report) fill(dir string) error {
	pictures, err := r.Pictures()
	if err == nil {
		err = r.writeReplays(dir)
	}
	if err != nil {
		return err
	}
	type output struct {
		name  string
		write func(f *os.File) error
	}
	files := []output{
		{"report.html", func(f *os.File) error { return r.HTML(f, pictures) }},
		{"report.json", func(f *os.File) error { return r.JSON(f) }},
		{"figures.arrow", func(f *os.File) error { return r.Figures(f) }},
		{"distributions.arrow", func(f *os.File) error { return r.Bars(f) }},
		{"quantiles.arrow", func(f *os.File) error { return r.Quantiles(f) }},
		{"skill.arrow", func(f *os.File) error { return r.Skills(f) }},
		{"pairs.arrow", func(f *os.File) error { return r.Pairs(f) }},
	}
	if len(r.Datasets) > 1 {
		files = append(files, output{"differences.arrow", func(f *os.File) error { return r.Differences(f) }})
	}
	for i := range r.Datasets {
		if text := r.Datasets[i].Suggestion; text != "" {
			files = append(files, output{suggestedFile(i), func(f *os.File) error { _, err := f.WriteString(text); return err }})
		}
	}
	for i := range pictures {
		p := &pictures[i]
		files = append(files,
			output{p.Name + ".png", func(f *os.File) error { return p.PNG(f) }},
			output{p.Name + ".svg", func(f *os.File) error { return p.SVG(f) }})
	}
	for _, o := range files {
		if err := writeFile(filepath.Join(dir, o.name), o.write); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(name string, write func(*os.File) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// MarshalJSON implements [json.Marshaler]: the report with its summary.
func (r *Report) MarshalJSON() ([]byte, error) {
	type report Report
	return json.Marshal(struct {
		Summary *findings.Summary `json:"summary"`
		*report
	}{r.Summary(), (*report)(r)})
}

// JSON writes the report as one JSON object.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// suggestedFile is the name of the ruleset file with the suggested prices of a dataset.
func suggestedFile(dataset int) string {
	if dataset == 0 {
		return "suggested.toml"
	}
	return fmt.Sprintf("suggested_%d.toml", dataset+1)
}
