package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// samples are records of the same match in several forms.
const samples = "../../sim/record/testdata"

// recordsDir returns a folder with good and bad records.
func recordsDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, text []byte) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	good, err := os.ReadFile(filepath.Join(samples, "sample.mjlog"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(good); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	change := func(old, with string) []byte {
		if !bytes.Contains(good, []byte(old)) {
			t.Fatalf("no %s in the sample", old)
		}
		return bytes.Replace(good, []byte(old), []byte(with), 1)
	}
	write("1.mjlog", good)
	write("2.mjlog", packed.Bytes()) // as Tenhou's own program keeps it
	write("3/a.mjlog.gz", packed.Bytes())
	write("4-differs.mjlog", change(`ten="30,`, `ten="40,`))
	write("5-truncated.mjlog", good[:len(good)/2])
	write("6-bytes.mjlog", append([]byte{0xff}, good...))
	write("7-three.mjlog", change(`type="169"`, `type="185"`))
	write("8-short.mjlog", change(`type="169"`, `type="161"`))
	write("notes.txt", []byte("no record"))
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.mjlog"), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Import takes what it can, names what it cannot, and writes the same bytes
// whatever the number of workers.
func TestImport(t *testing.T) {
	dir, out := recordsDir(t), t.TempDir()
	var want string
	for _, workers := range []string{"1", "4"} {
		text, errOut, status := jansou(t, "", "import", "tenhou", dir, "--out", filepath.Join(out, workers), "--workers", workers, "--quiet")
		if status != statusFailure || errOut != "jansou: 5 of 8 records were left out\n" {
			t.Errorf("status %d, err %q", status, errOut)
		}
		if want == "" {
			want = text
		}
		if d := cmp.Diff(want, text); d != "" {
			t.Errorf("%s workers print something else (-1):\n%s", workers, d)
		}
	}
	for _, line := range []string{
		"4-differs.mjlog: hand 0: element ", ": the hand is worth 40 fu, by the rules 30\n",
		"5-truncated.mjlog: element ", "6-bytes.mjlog: byte 0 is not UTF-8\n",
		"7-three.mjlog: element 3: game type 185 is played by three\n",
		"8-short.mjlog: the record is of other rules than those before: rounds = 1; import such records apart\n",
		"\nimported  3        39     2292\ndiffer    1        13     0\nunusable  4        13     0\n",
	} {
		if !strings.Contains(want, line) {
			t.Errorf("no %q in\n%s", line, want)
		}
	}
	if strings.Contains(want, "notes.txt") {
		t.Error("a file that is no record was read")
	}
	first := filepath.Join(out, "1")
	if d := cmp.Diff(files(t, first), files(t, filepath.Join(out, "4"))); d != "" {
		t.Errorf("other bytes with 4 workers:\n%s", d)
	}
	text, errOut, status := jansou(t, "", "verify", first, "--quiet")
	if status != statusOK || !strings.Contains(text, "3 matches of tenhou play as recorded") || !strings.Contains(text, "39 rows of walls") {
		t.Errorf("verify: status %d: %s%s", status, text, errOut)
	}
	text, errOut, status = jansou(t, "", "replay", first, "--match", "2")
	if status != statusOK || !strings.Contains(text, "player 0: first 雀\n") {
		t.Errorf("replay: status %d: %.300s%s", status, text, errOut)
	}
	// The same command again changes nothing.
	before := files(t, first)
	if _, errOut, _ = jansou(t, "", "import", "tenhou", dir, "--out", first, "--quiet"); !strings.Contains(errOut, "5 of 8") {
		t.Errorf("again: %s", errOut)
	}
	if d := cmp.Diff(before, files(t, first)); d != "" {
		t.Errorf("the same command changed the dataset:\n%s", d)
	}
}

func TestImportJSON(t *testing.T) {
	out, _, status := jansou(t, "", "import", "tenhou", recordsDir(t), "--quiet", "--json")
	var report importReport
	if err := json.Unmarshal([]byte(out), &report); err != nil || status != statusFailure {
		t.Fatalf("status %d, %v:\n%s", status, err, out)
	}
	if report.Format != "tenhou" || report.Ruleset != "tenhou" || report.Imported != (importCount{3, 39, 2292}) || len(report.List) < 5 {
		t.Errorf("report %+v", report)
	}
	if n := report.List[0]; n.Record != "4-differs.mjlog" || n.Hand == nil || *n.Hand != 0 || !strings.HasPrefix(n.Place, "element ") {
		t.Errorf("first difference %+v", n)
	}
}

// The first usable record says what rules are imported by; --ruleset says what
// they must be.
func TestImportRulesets(t *testing.T) {
	dir := t.TempDir()
	rules := filepath.Join(dir, "no_reds.toml")
	if err := os.WriteFile(rules, []byte("base = \"tenhou\"\naka_dora = [0, 0, 0]\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	plays := filepath.Join(dir, "plays")
	if _, errOut, status := jansou(t, "", "play", "--ruleset", rules, "--matches", "2", "--quiet", "--out", plays); status != statusOK {
		t.Fatal(errOut)
	}
	logs := filepath.Join(dir, "logs")
	if out, errOut, status := jansou(t, "", "export-log", plays, "--out", logs, "--quiet"); status != statusOK || !strings.HasSuffix(out, "logs: 2 logs\n") {
		t.Fatalf("status %d: %s%s", status, out, errOut)
	}
	sample := filepath.Join(samples, "sample.mjson")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{logs}, "imported  2 "},
		{[]string{logs, sample}, "sample.mjson: the record is of other rules than those before: aka_dora = [1, 1, 1]; import such records apart"},
		{[]string{sample, logs}, "000001.mjson: the record is of other rules than those before: aka_dora = [0, 0, 0]; import such records apart"},
		{[]string{logs, "--ruleset", rules}, "imported  2 "},
		{[]string{logs, "--ruleset", "tenhou"}, "000000.mjson: the record is of other rules: aka_dora is [0 0 0] in it, [1 1 1] in tenhou"},
		{[]string{sample, "--ruleset", "ema_2016"}, "the hand begins at round E, dealer 0, counter 0, deposits 0, points 25000 25000 25000 25000, by the rules at"},
		{[]string{sample, "--ruleset", "mcr_2006"}, "the hand begins at"},
	} {
		out, _, _ := jansou(t, "", append([]string{"import", "mjai", "--quiet"}, test.args...)...)
		if !strings.Contains(out, test.want) {
			t.Errorf("%v: no %q in\n%s", test.args, test.want, out)
		}
	}
}

func TestImportUsage(t *testing.T) {
	empty := t.TempDir()
	sample := filepath.Join(samples, "sample.mjlog")
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{}, statusUsage, "a format and at least one file or folder must be named; usage: jansou import FORMAT FILE|DIR..."},
		{[]string{"tenhou"}, statusUsage, "a format and at least one file or folder must be named"},
		{[]string{"tenho", sample}, statusUsage, `unknown format "tenho"; allowed: tenhou, mjai, botzone, nearest tenhou`},
		{[]string{"tenhou", "nothing"}, statusFailure, "nothing: no such file"},
		{[]string{"tenhou", empty}, statusFailure, "no file in it ends in .mjlog, .xml, .json or one of these and .gz"},
		{[]string{"tenhou", sample, "--ruleset", "tenho"}, statusFailure, "tenho"},
		{[]string{"tenhou", sample, "--workers", "-1"}, statusUsage, "--workers: -1; at least 0"},
		{[]string{"tenhou", sample, "--force"}, statusUsage, "--force says how to write a dataset; name its folder with --out"},
		{[]string{"tenhou", sample, "--out", ""}, statusUsage, "--out: no folder is named"},
		{[]string{"tenhou", sample, "--out", empty, "--file-matches", "5"}, statusUsage, "--file-matches: 5; allowed: multiples of 64"},
		{[]string{"tenhou", sample, "--out", empty, "--record", "hnds"}, statusUsage, `unknown table "hnds"`},
		{[]string{"tenhou", sample, "--out", samples}, statusFailure, "the folder is occupied: it holds no dataset, but sample.json; --force starts over there"},
	} {
		out, errOut, status := jansou(t, "", append([]string{"import"}, test.args...)...)
		if status != test.status || !strings.Contains(errOut, test.want) {
			t.Errorf("%v: status %d, %s%s, want %q", test.args, status, out, errOut, test.want)
		}
	}
}

func TestExportLog(t *testing.T) {
	dir := t.TempDir()
	plays, logs := filepath.Join(dir, "plays"), filepath.Join(dir, "logs")
	if _, errOut, status := jansou(t, "", "play", "--ruleset", "wrc", "--matches", "3", "--quiet", "--out", plays, "--agents", "greedy,random,greedy,greedy"); status != statusOK {
		t.Fatal(errOut)
	}
	one, errOut, status := jansou(t, "", "export-log", plays, "--match", "1")
	if status != statusOK || !strings.HasPrefix(one, `{"type":"start_game","names":["random","greedy","greedy","greedy"],"aka_flag":false}`) {
		t.Fatalf("status %d: %.200s%s", status, one, errOut)
	}
	if out, errOut, status := jansou(t, "", "export-log", plays, "--out", logs, "--gzip"); status != statusOK || out != logs+": 3 logs\n" {
		t.Fatalf("status %d: %s%s", status, out, errOut)
	}
	if got := strings.Join([]string{"000000.mjson.gz", "000001.mjson.gz", "000002.mjson.gz"}, " "); strings.Join(sortedNames(t, logs), " ") != got {
		t.Errorf("files %v", sortedNames(t, logs))
	}
	out, errOut, status := jansou(t, "", "import", "mjai", logs, "--ruleset", "wrc", "--quiet", "--out", filepath.Join(dir, "again"))
	if status != statusOK || !strings.Contains(out, "imported  3 ") {
		t.Errorf("import: status %d: %s%s", status, out, errOut)
	}
	file := filepath.Join(dir, "one.mjson")
	if _, errOut, status := jansou(t, "", "export-log", plays, "--match", "1", "--out", file); status != statusOK {
		t.Error(errOut)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != one {
		t.Errorf("the file has another log: %v", err)
	}
	view, _, _ := jansou(t, "", "export-log", plays, "--match", "1", "--player", "2")
	if !strings.Contains(view, `"id":2`) || !strings.Contains(view, `"pai":"?"`) || strings.Count(view, "\n") != strings.Count(one, "\n") {
		t.Errorf("not the view of player 2:\n%.300s", view)
	}
	mcr := filepath.Join(dir, "mcr")
	if _, errOut, status := jansou(t, "", "play", "--ruleset", "botzone", "--matches", "1", "--quiet", "--out", mcr); status != statusOK {
		t.Fatal(errOut)
	}
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{plays}, statusUsage, "name the folder to write to with --out, or one match with --match"},
		{[]string{plays, "--match", "1", "--format", "tenhou"}, statusUsage, `--format: "tenhou"; allowed: mjai`},
		{[]string{plays, "--match", "1", "--player", "4"}, statusUsage, "--player: 4; allowed: 0 to 3"},
		{[]string{plays, "--match", "1", "--force"}, statusUsage, "--force replaces what --out names"},
		{[]string{plays, "--match", "3"}, statusFailure, "match 3: no such match"},
		{[]string{plays, "--match", "1", "--out", file}, statusFailure, "--force replaces it"},
		{[]string{plays, "--out", logs, "--gzip"}, statusFailure, "000000.mjson.gz: file already exists; --force replaces it"},
		{[]string{mcr, "--match", "0"}, statusFailure, "botzone has rules it cannot tell"},
		{[]string{mcr, "--out", filepath.Join(dir, "none")}, statusFailure, "botzone has rules it cannot tell"},
	} {
		out, errOut, status := jansou(t, "", append([]string{"export-log"}, test.args...)...)
		if status != test.status || !strings.Contains(errOut, test.want) {
			t.Errorf("%v: status %d, %.100s%s, want %q", test.args, status, out, errOut, test.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder was made for nothing")
	}
}

// sortedNames returns the names of the files of a folder.
func sortedNames(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
