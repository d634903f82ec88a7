//go:build !js

package browser

import (
	"os"
	"strings"
	"testing"
)

// The files of the page name each other, and a page is not written over others.
func TestFiles(t *testing.T) {
	files, err := pageFiles("")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, f := range files {
		if _, twice := names[f.Name]; twice {
			t.Errorf("%s is there twice", f.Name)
		}
		names[f.Name] = f.Text
	}
	for _, name := range []string{"program.js", "table-program.js", "table.js"} {
		if !strings.Contains(names["table.html"], `<script src="`+name+`">`) || names[name] == "" {
			t.Errorf("table.html or %s is not whole", name)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/x", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Write(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "the folder has files") {
		t.Errorf("error %v", err)
	}
}
