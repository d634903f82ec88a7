package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/export/schema"
)

// Each fault of a manifest is named.
func TestManifest(t *testing.T) {
	run := newRun(t, "ema_2016", schema.Hands)
	run.Agents = randomAgents
	run.Matches = 160
	whole := t.TempDir()
	mustPlay(t, whole, run, 2)
	for want, change := range map[string]func(m *Manifest){
		"schema version 9; this program reads version 1":               func(m *Manifest) { m.SchemaVersion = 9 },
		`unknown family "poker"`:                                       func(m *Manifest) { m.Ruleset.Family = "poker" },
		"the knobs have hash":                                          func(m *Manifest) { m.Ruleset.Knobs["rounds"] = 1 },
		"rounds: 7 is out of range; allowed: integer 1..4":             func(m *Manifest) { m.Ruleset.Knobs["rounds"] = 7 },
		"ruleset: rounds: missing":                                     func(m *Manifest) { delete(m.Ruleset.Knobs, "rounds"); m.Ruleset.Knobs["around"] = 1 },
		"knobs, of which family riichi has":                            func(m *Manifest) { m.Ruleset.Knobs["around"] = 1 },
		"aaa... has 5000 bytes; allowed: 2000":                         func(m *Manifest) { m.Agents[1] = strings.Repeat("a", 5000) },
		"3 agents; ema_2016 has 4 players":                             func(m *Manifest) { m.Agents = m.Agents[:3] },
		"0 matches; at least 1 must be played":                         func(m *Manifest) { m.Matches = 0 },
		"65 matches a file; allowed: multiples of 64":                  func(m *Manifest) { m.FileMatches = 65 },
		"entry 0 is not matches-000000.arrow with 64 matches from 0":   func(m *Manifest) { m.Files[0].Name = "../../x.arrow" },
		"entry 3 is not matches-000001.arrow with 64 matches from 64":  func(m *Manifest) { m.Files[3].First = 0 },
		"entry 6 is not matches-000002.arrow with 32 matches from 128": func(m *Manifest) { m.Files[6].Matches = 64 },
		"files: hands-000002.arrow is missing":                         func(m *Manifest) { m.Files = m.Files[:7] },
		"entry 9 is not":                                               func(m *Manifest) { m.Files = append(m.Files, m.Files[0]) },
		"complete: true, but the files hold 128 of 160 matches":        func(m *Manifest) { m.Files = m.Files[:6] },
		"complete: false, but the files hold 160 of 160 matches":       func(m *Manifest) { m.Complete = false },
		"rows: the files hold":                                         func(m *Manifest) { m.Rows[schema.Hands]++ },
	} {
		dir := copyOf(t, whole)
		changeManifest(t, dir, change)
		_, err := Open(dir)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), filepath.Join(dir, manifestName)+": ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for text, want := range map[string]string{
		"":                         "unexpected end of JSON input",
		"[]":                       "cannot unmarshal array",
		"{}":                       "schema_version: missing",
		`{"schema_version": 4}`:    "schema version 4",
		`{"schema_version": 1} {}`: "invalid character '{' after top-level value",
	} {
		if _, _, err := parseManifest([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	// These have their checksum.
	for text, want := range map[string]string{
		`  "schema_version": 1, "agents": 5`:     "agents",
		`  "schema_version": 1, "host": ""`:      `unknown field "host"`,
		`  "schema_version": 1, "record": "all"`: `unknown table "all"`,
	} {
		text = "{\n" + text + ",\n"
		text += checksumOf([]byte(text))
		if _, _, err := parseManifest([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		dir:                          "no dataset: there is no manifest.json in it",
		filepath.Join(dir, "absent"): "no such file or directory",
	} {
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for i, want := range []string{"match-0001", "match-0002", "match-0003", "match-0003, or one of 1 others"} {
		folder := filepath.Join(dir, fmt.Sprintf("match-%04d", i+1))
		if err := errors.Join(os.Mkdir(folder, 0o755), os.WriteFile(filepath.Join(folder, manifestName), nil, 0o644)); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "; name a folder in it: "+filepath.Join(dir, "match-0001")) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%d datasets in it: %v", i+1, err)
		}
	}
}

func TestIsFileName(t *testing.T) {
	for name, want := range map[string]bool{
		"manifest.json": true, "manifest.json.tmp": true,
		"hands-000000.arrow": true, "decisions-1234567.arrow": true, "matches-000001.arrow.tmp": true,
		"hands-00000.arrow": false, "hands-000000.arrow.bak": false, "hands-00000a.arrow": false,
		"feet-000000.arrow": false, "hands.arrow": false, "notes.txt": false, ".tmp": false, "": false,
	} {
		if got := isFileName(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// FuzzManifest: no text panics, and what is accepted is written back as it was.
func FuzzManifest(f *testing.F) {
	m := newManifest(newRun(f, "tenhou", schema.Decisions))
	text, err := m.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"schema_version": 1, "matches": 1, "file_matches": 64, "files": [{}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, run, err := parseManifest(text)
		if err != nil {
			return
		}
		if d := m.Differences(newManifest(run)); d != "" && m.EngineVersion == newManifest(run).EngineVersion && m.ActionTableVersion == newManifest(run).ActionTableVersion {
			t.Errorf("the run of the manifest has another: %s", d)
		}
	})
}
