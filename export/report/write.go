package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// The files of a folder that Write makes, beside the pictures.
const (
	pageFile          = "report.html"
	jsonFile          = "report.json"
	figuresFile       = "figures.arrow"
	distributionsFile = "distributions.arrow"
	quantilesFile     = "quantiles.arrow"
	skillFile         = "skill.arrow"
	pairsFile         = "pairs.arrow"
	differencesFile   = "differences.arrow"
)

// ErrOccupied is the error of a folder that holds something else than a report.
var ErrOccupied = errors.New("the folder is occupied")

// Write writes the report to a folder: the page, the same as JSON, all statistics
// as Arrow tables, and the pictures as PNG and SVG. The folder appears when all
// of it is written. One that is there already must be empty or, with replace,
// hold a report; otherwise the error is ErrOccupied.
func (r *Report) Write(dir string, replace bool) (err error) {
	dir = filepath.Clean(dir)
	if err := free(dir, replace); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(temp)
		}
	}()
	if err := os.Chmod(temp, 0o755); err != nil {
		return err
	}
	if err := r.fill(temp); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(temp, dir)
}

// free returns why a report cannot be written to a folder.
func free(dir string, replace bool) error {
	list, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist) || err == nil && len(list) == 0:
		return nil
	case err != nil:
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, jsonFile)); err != nil {
		return fmt.Errorf("%s: %w by something that is not a report", dir, ErrOccupied)
	}
	if _, err := os.Stat(filepath.Join(dir, "manifest.json")); err == nil {
		return fmt.Errorf("%s: %w by a dataset", dir, ErrOccupied)
	}
	if !replace {
		return fmt.Errorf("%s: %w by another report", dir, ErrOccupied)
	}
	return nil
}

func (r *Report) fill(dir string) error {
	pictures, err := r.Pictures()
	if err != nil {
		return err
	}
	type output struct {
		name  string
		write func(f *os.File) error
	}
	files := []output{
		{pageFile, func(f *os.File) error { return r.HTML(f, pictures) }},
		{jsonFile, func(f *os.File) error { return r.JSON(f) }},
		{figuresFile, func(f *os.File) error { return r.Figures(f) }},
		{distributionsFile, func(f *os.File) error { return r.Bars(f) }},
		{quantilesFile, func(f *os.File) error { return r.Quantiles(f) }},
		{skillFile, func(f *os.File) error { return r.Skills(f) }},
		{pairsFile, func(f *os.File) error { return r.Pairs(f) }},
	}
	if len(r.Datasets) > 1 {
		files = append(files, output{differencesFile, func(f *os.File) error { return r.Differences(f) }})
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

// JSON writes the report as one JSON object.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
