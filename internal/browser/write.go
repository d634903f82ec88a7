//go:build !js

package browser

import (
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"encoding/base64"
	"encoding/json"
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
	files, err := pageFiles(policy("'self'", "'self'", "'self'"))
	if err != nil {
		return err
	}
	program, script, err := loadProgram(ctx)
	if err != nil {
		return err
	}
	for _, f := range append(files, table.File{Name: programName, Text: program}, table.File{Name: scriptName, Text: script}) {
		if err := os.WriteFile(filepath.Join(dir, f.Name), []byte(f.Text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// WriteSingle writes the page as one file, which a browser opens without a server, with the program of Write.
func WriteSingle(ctx context.Context, path string) error {
	files, err := pageFiles("")
	if err != nil {
		return err
	}
	program, script, err := loadProgram(ctx)
	if err != nil {
		return err
	}
	texts := map[string]string{scriptName: script}
	for _, f := range files {
		texts[f.Name] = f.Text
	}
	list, err := json.Marshal(texts)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, program)
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	page := strings.NewReplacer("{{policy}}", policy("", "blob:", "data:"), "{{files}}", string(list), "{{program}}", base64.StdEncoding.EncodeToString(packed.Bytes()))
	return tempdir.WriteFile(path, func(w io.Writer) error {
		_, err := page.WriteString(w, board.MustRead(&pages, "page/single.html"))
		return err
	})
}

// loadProgram returns the program for browsers and the script of Go that runs it.
func loadProgram(ctx context.Context) (program, script string, err error) {
	if released == nil {
		return build(ctx)
	}
	text, err := released.ReadFile("program/" + scriptName)
	if err != nil {
		return "", "", err
	}
	packed, err := released.ReadFile("program/" + programName + ".gz")
	if err != nil {
		return "", "", err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", "", err
	}
	unpacked, err := io.ReadAll(r)
	return string(unpacked), string(text), err
}

// build builds the program from the module of the working directory.
func build(ctx context.Context) (program, script string, err error) {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, programName)
	out, err := command(ctx, "build", "-trimpath", "-pgo=off", "-ldflags=-s -w", "-o", path, "github.com/sparrowhall/sparrowhall/cmd/browser")
	if err == nil {
		out, err = command(ctx, "env", "GOROOT")
	}
	var files [2]string
	for i, name := range []string{path, filepath.Join(strings.TrimSpace(string(out)), "lib", "wasm", scriptName)} {
		if err == nil {
			var text []byte
			text, err = os.ReadFile(name)
			files[i] = string(text)
		}
	}
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("the program for browsers is inside releases alone, and cannot be built here: %w\n%s\nuse a release, or run this in a clone of the repository, with Go installed",
			err, strings.TrimSpace(string(out)))
	}
	return files[0], files[1], err
}

// command runs the go command and returns what it has printed.
func command(ctx context.Context, words ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", words...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	return cmd.CombinedOutput()
}

// policy returns that of the content of a page, which no server sets: links and records are of other people, so a
// page loads and sends nothing elsewhere. Its own files, workers and requests may have the sources that are named.
// The viewer, whose script stands in it, inherits the policy.
func policy(own, workers, requests string) string {
	return fmt.Sprintf(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src %[1]s 'unsafe-inline' 'wasm-unsafe-eval'; worker-src %[2]s; style-src %[1]s 'unsafe-inline'; connect-src %[3]s; img-src %[1]s data:; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">`, own, workers, requests)
}

// pageFiles returns the files of the page, but for the program and the script of Go that runs it. Its pages have a
// policy.
func pageFiles(policy string) ([]table.File, error) {
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
			// Scripts below a style sheet wait for it, and the program takes longest to start.
			f.Text = strings.Replace(f.Text, `<meta charset="utf-8">`, `<meta charset="utf-8">`+"\n"+policy+"\n"+`<script src="program.js"></script>`, 1)
			f.Text = strings.Replace(f.Text, script, `<script src="table-program.js"></script>`+"\n"+script, 1)
		}
		files = append(files, f)
	}
	return files, nil
}
