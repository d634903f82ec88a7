//go:build !js

package browser

import (
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/pages/board"
	webpage "github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/internal/table"
	"github.com/sparrowhall/sparrowhall/internal/tempdir"
)

//go:embed page
var pages embed.FS

// The program for browsers and the script of Go that runs it.
const (
	programName = "sparrowhall.wasm"
	scriptName  = "wasm_exec.js"
)

// Write writes the page into a folder, which must be new or empty. In a clone of the repository the go
// command builds the program for browsers; a release has it inside.
func Write(ctx context.Context, dir string) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s: the folder has files; name a new or empty one", dir)
	}
	f, err := tempdir.Beside(filepath.Clean(dir))
	if err != nil {
		return err
	}
	if err := writeFiles(ctx, f.Path); err != nil {
		return errors.Join(err, f.Remove())
	}
	if err := os.Chmod(f.Path, 0o755); err != nil { // servers of other users read it
		return errors.Join(err, f.Remove())
	}
	return f.Rename(dir)
}

func writeFiles(ctx context.Context, dir string) error {
	files, err := pageFiles()
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), []byte(f.Text), 0o644); err != nil {
			return err
		}
	}
	if program != nil {
		return unpack(dir)
	}
	return build(ctx, dir)
}

// unpack writes the program of a release.
func unpack(dir string) error {
	script, err := program.ReadFile("program/" + scriptName)
	if err != nil {
		return err
	}
	packed, err := program.ReadFile("program/" + programName + ".gz")
	if err != nil {
		return err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, scriptName), script, 0o644),
		os.WriteFile(filepath.Join(dir, programName), text, 0o644))
}

// build builds the program from the module of the working directory.
func build(ctx context.Context, dir string) error {
	path, err := filepath.Abs(filepath.Join(dir, programName))
	if err != nil {
		return err
	}
	out, err := command(ctx, "env", "GOROOT")
	if err == nil {
		var script []byte
		if script, err = os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "lib", "wasm", scriptName)); err == nil {
			err = os.WriteFile(filepath.Join(dir, scriptName), script, 0o644)
		}
	}
	if err == nil {
		out, err = command(ctx, "build", "-trimpath", "-pgo=off", "-ldflags=-s -w", "-o", path, "github.com/sparrowhall/sparrowhall/cmd/browser")
	}
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("the program for browsers is inside releases alone, and cannot be built here: %w\n%s\nuse a release, or run this in a clone of the repository, with Go installed",
			err, strings.TrimSpace(string(out)))
	}
	return err
}

// command runs the go command and returns what it has printed.
func command(ctx context.Context, words ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", words...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	return cmd.CombinedOutput()
}

// policy is that of the content of the pages, which no server sets: links and records are of other
// people, so a page loads and sends nothing elsewhere. The viewer, whose script stands in it, inherits it.
const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'">`

// pageFiles returns the files of the page, but for the program and the script of Go that runs it.
func pageFiles() ([]table.File, error) {
	list, err := choices()
	if err != nil {
		return nil, err
	}
	own := func(name string) string { return board.MustRead(&pages, "page/"+name) }
	files := []table.File{
		{Name: "index.html", Text: strings.Replace(own("index.html"), "{{policy}}", policy, 1)},
		{Name: "site.css", Text: string(webpage.Style) + own("site.css")},
		{Name: "site.js", Text: "(async () => {\n" + board.Language + own("site.js") + "})();\n"},
		{Name: "program.js", Text: own("program.js")},
		{Name: "table-program.js", Text: own("table-program.js")},
		{Name: "worker.js", Text: own("worker.js")},
		{Name: "choices.json", Text: list},
	}
	for _, l := range board.Languages {
		files = append(files, table.File{Name: "site-" + l + ".json", Text: own(l + ".json")})
	}
	const script = `<script src="table.js">`
	for _, f := range table.Files() {
		if f.Name == "index.html" {
			f.Name = "table.html"
			f.Text = strings.Replace(f.Text, `<meta charset="utf-8">`, `<meta charset="utf-8">`+"\n"+policy, 1)
			f.Text = strings.Replace(f.Text, script, `<script src="program.js"></script>`+"\n"+`<script src="table-program.js"></script>`+"\n"+script, 1)
		}
		files = append(files, f)
	}
	return files, nil
}
