package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/internal/record/importing"
)

// samples are records of the same match in several forms.
const samples = "../../internal/record/testdata"

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
	makePipe(t, filepath.Join(dir, "pipe.mjlog"))
	return dir
}

// Import takes what it can, names what it cannot, and writes the same bytes
// whatever the number of workers.
func TestImport(t *testing.T) {
	dir, out := recordsDir(t), t.TempDir()
	var want string
	for _, workers := range []string{"1", "4"} {
		text, errOut, status := sparrowhall(t, "", "import", "tenhou", dir, "--out", filepath.Join(out, workers), "--workers", workers, "--quiet")
		if status != statusFailure || errOut != "sparrowhall: 5 of 8 records were left out; the same command with --partial imports the whole hands of 1 of them, parts of matches\n" {
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
		"5-truncated.mjlog: hand 5: element 495: syntax error on line 1: unexpected EOF\n", "6-bytes.mjlog: byte 0 of the record is not UTF-8\n",
		"7-three.mjlog: hand 0: element 6: <INIT>: ten has points for the fourth seat, where three play\n",
		"8-short.mjlog: hand 7: element 736: by the rules the match is over after hand 6; the record goes on\n",
		"8-short.mjlog: nothing would differ with --ruleset tenhou\n",
		"\nimported  3        39     2292\ndiffer    3        31     0\nunusable  2        0      0\n",
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
	text, errOut, status := sparrowhall(t, "", "verify", first, "--quiet")
	if status != statusOK || !strings.Contains(text, "3 matches of tenhou play as recorded") || !strings.Contains(text, "39 rows of walls") {
		t.Errorf("verify: status %d: %s%s", status, text, errOut)
	}
	text, errOut, status = sparrowhall(t, "", "replay", first, "--match", "2")
	if status != statusOK || !strings.Contains(text, "player 0: first 雀\n") {
		t.Errorf("replay: status %d: %.300s%s", status, text, errOut)
	}
	// The same command again changes nothing.
	before := files(t, first)
	if _, errOut, _ = sparrowhall(t, "", "import", "tenhou", dir, "--out", first, "--quiet"); !strings.Contains(errOut, "5 of 8") {
		t.Errorf("again: %s", errOut)
	}
	if d := cmp.Diff(before, files(t, first)); d != "" {
		t.Errorf("the same command changed the dataset:\n%s", d)
	}
}

func TestImportJSON(t *testing.T) {
	out, _, status := sparrowhall(t, "", "import", "tenhou", recordsDir(t), "--quiet", "--json")
	var report importing.Report
	if err := json.Unmarshal([]byte(out), &report); err != nil || status != statusFailure {
		t.Fatalf("status %d, %v:\n%s", status, err, out)
	}
	if report.Format != "tenhou" || len(report.Rulesets) != 1 || report.Rulesets[0].Name != "tenhou" || report.Imported.Records != 3 || len(report.Differences) < 5 {
		t.Errorf("report %+v", report)
	}
	if n := report.Differences[0]; n.Record != "4-differs.mjlog" || n.Hand == nil || *n.Hand != 0 || !strings.HasPrefix(n.Place, "element ") {
		t.Errorf("first difference %+v", n)
	}
}

// Each record says what rules it is imported by; --ruleset says what they must be.
func TestImportRulesets(t *testing.T) {
	dir := t.TempDir()
	rules := filepath.Join(dir, "no_reds.toml")
	if err := os.WriteFile(rules, []byte("base = \"tenhou\"\naka_dora = [0, 0, 0]\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	plays := filepath.Join(dir, "plays")
	if _, errOut, status := sparrowhall(t, "", "play", "--ruleset", rules, "--matches", "2", "--quiet", "--out", plays); status != statusOK {
		t.Fatal(errOut)
	}
	logs := filepath.Join(dir, "logs")
	if out, errOut, status := sparrowhall(t, "", "export-log", plays, "--out", logs, "--quiet"); status != statusOK || !strings.HasSuffix(out, "logs: 2 logs\n") {
		t.Fatalf("status %d: %s%s", status, out, errOut)
	}
	sample := filepath.Join(samples, "sample.mjson")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{logs}, "imported  2 "},
		{[]string{logs, sample}, "\ntenhou-aka_dora=0,0,0  2        21     922\ntenhou                 1        13     764\n"},
		{[]string{sample, logs}, "\ntenhou                 1        13     764\ntenhou-aka_dora=0,0,0  2        21     922\n"},
		{[]string{logs, "--ruleset", rules}, "imported  2 "},
		{[]string{logs, "--ruleset", "tenhou"}, "000000.json: the record states aka_dora = [0 0 0]; tenhou has [1 1 1], which was used"},
		{[]string{sample, "--ruleset", "ema_2016"}, "the hand begins at round E, dealer 0, counter 0, deposits 0, points 25000 25000 25000 25000, by the rules at"},
		{[]string{sample, "--ruleset", "mleague"}, "sample.mjson: nothing would differ with --ruleset tenhou"},
		{[]string{sample, "--ruleset", "mcr_2006"}, "the hand begins at"},
	} {
		out, _, _ := sparrowhall(t, "", append([]string{"import", "mjai", "--quiet"}, test.args...)...)
		if !strings.Contains(out, test.want) {
			t.Errorf("%v: no %q in\n%s", test.args, test.want, out)
		}
	}
}

// Records of several rulesets become a dataset each; a folder that holds one of
// them alone is left as it is.
func TestImportSortsRulesets(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	good, err := os.ReadFile(filepath.Join(samples, "sample.json"))
	if err != nil {
		t.Fatal(err)
	}
	// Without open tanyao the match goes the same way if nobody wins by it.
	other := bytes.Replace(good, []byte("般南喰赤"), []byte("般南赤"), 1)
	if err := os.WriteFile(filepath.Join(dir, "mixed.jsonl"), bytes.Join([][]byte{good, other, good[:len(good)/2], good}, []byte("\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	text, errOut, status := sparrowhall(t, "", "import", "tenhou", dir, "--out", out, "--quiet")
	if status != statusFailure || !strings.HasPrefix(errOut, "sparrowhall: 1 of 4 records were left out; the same command with --partial") || !strings.Contains(text, "mixed.jsonl: match 2: hand 6: entry 7: the JSON breaks off") {
		t.Fatalf("status %d: %s%s", status, text, errOut)
	}
	for _, want := range []string{
		"\ntenhou               2        26     1528       " + filepath.Join(out, "tenhou") + "\n",
		"\ntenhou-kuitan=false  1        13     764        " + filepath.Join(out, "tenhou-kuitan=false") + "\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for name, matches := range map[string]string{"tenhou": "2 matches of", "tenhou-kuitan=false": "1 match of"} {
		if text, errOut, status := sparrowhall(t, "", "verify", filepath.Join(out, name), "--quiet"); status != statusOK || !strings.Contains(text, matches) {
			t.Errorf("%s: status %d: %s%s", name, status, text, errOut)
		}
	}
	alone := t.TempDir()
	if _, errOut, status := sparrowhall(t, "", "import", "tenhou", filepath.Join(samples, "sample.json"), "--out", alone, "--quiet"); status != statusOK {
		t.Fatal(errOut)
	}
	before := files(t, alone)
	if _, errOut, status := sparrowhall(t, "", "import", "tenhou", dir, "--out", alone, "--quiet"); status != statusFailure || !strings.Contains(errOut, "the records are of 2 rulesets") {
		t.Errorf("status %d: %s", status, errOut)
	}
	if d := cmp.Diff(before, files(t, alone)); d != "" {
		t.Errorf("the dataset has changed:\n%s", d)
	}
}

// With --partial the whole hands of records that break off or begin in the midst
// of a match enter the dataset, which says so and plays as recorded.
func TestImportPartial(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join(samples, "sample.json"))
	if err != nil {
		t.Fatal(err)
	}
	var whole map[string]any
	if err := json.Unmarshal(text, &whole); err != nil {
		t.Fatal(err)
	}
	hands := whole["log"].([]any)
	delete(whole, "sc")
	var lines bytes.Buffer
	for _, part := range [][]any{hands[:5], hands[3:4], hands[6:], hands} {
		whole["log"] = part
		if err := json.NewEncoder(&lines).Encode(whole); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "parts.jsonl")
	if err := os.WriteFile(file, lines.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	out, errOut, status := sparrowhall(t, "", "import", "tenhou", file, "--quiet")
	if status != statusFailure || errOut != "sparrowhall: 3 of 4 records were left out; the same command with --partial imports the whole hands of 3 of them, parts of matches\n" {
		t.Errorf("status %d: %s", status, errOut)
	}
	for _, want := range []string{
		"match 0: hand 4: entry 5: the record ends with hand 4; by the rules the match is not over\n",
		"match 1: hand 0: entry 1: the record begins within the match, at round E, dealer ",
		"match 1: hand 0: entry 1: the record ends with hand 0; ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	// A single hand is imported by the command that the message names.
	whole["log"] = hands[4:5]
	one, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	single := filepath.Join(dir, "single.json")
	if err := os.WriteFile(single, one, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, errOut, status := sparrowhall(t, "", "import", "tenhou", single, "--quiet"); status != statusFailure || !strings.Contains(errOut, "the same command with --partial imports") {
		t.Errorf("a single hand: status %d: %s", status, errOut)
	}
	if out, errOut, status := sparrowhall(t, "", "import", "tenhou", single, "--quiet", "--partial"); status != statusOK {
		t.Errorf("a single hand with --partial: status %d: %s%s", status, out, errOut)
	}
	parts := filepath.Join(dir, "parts")
	out, errOut, status = sparrowhall(t, "", "import", "tenhou", file, "--partial", "--out", parts, "--quiet")
	if status != statusOK || !strings.Contains(out, "decisions  partial\nimported  4        26     ") || !strings.Contains(out, "  3\ndiffer    0") {
		t.Fatalf("status %d: %s%s", status, out, errOut)
	}
	if out, errOut, status := sparrowhall(t, "", "verify", parts, "--quiet"); status != statusOK || !strings.Contains(out, "4 matches of tenhou play as recorded") {
		t.Errorf("verify: status %d: %s%s", status, out, errOut)
	}
	for match, want := range []bool{true, true, false, false} {
		out, errOut, status := sparrowhall(t, "", "replay", parts, "--match", string(rune('0'+match)))
		if status != statusOK || strings.Contains(out, "the match is cut off") != want {
			t.Errorf("match %d: status %d, cut off %v: %s", match, status, !want, errOut)
		}
	}
}

// What a record tells without words: its day, by its name or the reference in it,
// and the points at the beginning, of which the oka follows.
func TestImportTellsRules(t *testing.T) {
	sample := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(samples, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	six := sample("sample.json")
	for _, test := range []struct {
		format, name string
		text         []byte
		ruleset      string
	}{
		{"tenhou", "2010053123gm-00a9-0000-0123abcd.mjlog", sample("sample.mjlog"), "tenhou-tenpai_yame=none"},
		{"tenhou", "2010060100gm-00a9-0000-0123abcd.mjlog", sample("sample.mjlog"), "tenhou"},
		{"tenhou", "a.json", bytes.Replace(six, []byte("{"), []byte(`{"ref":"2009022011gm-00a9-0000-0123abcd",`), 1), "tenhou-tenpai_yame=none"},
		{"tenhou", "b.json", bytes.Replace(six, []byte("般南喰赤"), []byte("玉の間四人南"), 1), "mahjong_soul"},
		{"tenhou", "c.json", bytes.Replace(six, []byte("般南喰赤"), []byte("Jade Room South"), 1), "mahjong_soul"},
		{"tenhou", "one.json", []byte(`{"name":["a","b","c","d"],"rule":{"aka":1},"log":[[[0,0,0],[30000,30000,30000,30000],[37],[],
			[11,19,21,29,31,39,41,42,43,44,45,46,47],[11],[],[12,13,14,15,16,17,18,12,13,14,15,16,17],[],[],
			[22,23,24,25,26,27,28,22,23,24,25,26,27],[],[],[32,33,34,35,36,37,38,32,33,34,35,36,38],[],[],
			["和了",[48000,-16000,-16000,-16000],[0,0,0,"役満16000点∀","国士無双１３面(役満)","天和(役満)"]]]]}`), ""},
	} {
		file := filepath.Join(t.TempDir(), test.name)
		if err := os.WriteFile(file, test.text, 0o666); err != nil {
			t.Fatal(err)
		}
		out, errOut, _ := sparrowhall(t, "", "import", test.format, file, "--quiet", "--json")
		var report importing.Report
		if err := json.Unmarshal([]byte(out), &report); err != nil {
			t.Fatalf("%s: %s%s", test.name, out, errOut)
		}
		switch {
		case test.ruleset == "":
			// It may differ, but other points at the beginning are rules that can be.
			if report.Unusable.Records != 0 {
				t.Errorf("%s: %s", test.name, out)
			}
		case len(report.Rulesets) != 1 || report.Rulesets[0].Name != test.ruleset:
			t.Errorf("%s: %s, want %s", test.name, out, test.ruleset)
		}
	}
}

// Of a pack of records that differ only some are looked at for what would explain
// them, but what explains one is tried on all.
func TestImportExplainsSome(t *testing.T) {
	good, err := os.ReadFile(filepath.Join(samples, "sample.majiang.json"))
	if err != nil {
		t.Fatal(err)
	}
	wrong := bytes.Replace(good, []byte(`"fenpei":[`), []byte(`"fenpei":[1`), 1)
	const first = `[{"qipai":{"zhuangfeng":1`
	end := bytes.Index(good, []byte(","+first))
	if end < 0 || bytes.Equal(wrong, good) {
		t.Fatal("the sample has changed")
	}
	east := append(bytes.Clone(good[:end]), "]}\n"...)
	for _, test := range []struct{ wrong, explained int }{{7, 3}, {8, 0}} {
		var pack []byte
		for range test.wrong {
			pack = append(pack, wrong...)
		}
		pack = append(pack, bytes.Repeat(east, 3)...)
		file := filepath.Join(t.TempDir(), "pack.jsonl")
		if err := os.WriteFile(file, pack, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, workers := range []string{"1", "3"} {
			out, errOut, _ := sparrowhall(t, "", "import", "majiang", file, "--quiet", "--workers", workers)
			if n := strings.Count(out, ": nothing would differ with rounds = 1:"); n != test.explained {
				t.Errorf("%d are explained after %d in vain, want %d: %s%s", n, test.wrong, test.explained, out, errOut)
			}
		}
	}
}

// botzoneLogs writes logs of Botzone of three matches to a folder, and returns
// their names and contents.
func botzoneLogs(t *testing.T, dir string) map[string]map[string]json.RawMessage {
	t.Helper()
	plays := filepath.Join(t.TempDir(), "plays")
	if _, errOut, status := sparrowhall(t, "", "play", "--ruleset", "botzone", "--matches", "3", "--quiet", "--out", plays); status != statusOK {
		t.Fatal(errOut)
	}
	if _, errOut, status := sparrowhall(t, "", "export-log", plays, "--format", "botzone", "--out", dir, "--quiet"); status != statusOK {
		t.Fatal(errOut)
	}
	logs := map[string]map[string]json.RawMessage{}
	for _, name := range sortedNames(t, dir) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		var log map[string]json.RawMessage
		if err := json.Unmarshal(text, &log); err != nil {
			t.Fatal(err)
		}
		logs[name] = log
	}
	return logs
}

// writeJSONFile writes an object to a file, without some of its members.
func writeJSONFile(t *testing.T, path string, object map[string]json.RawMessage, without ...string) {
	t.Helper()
	object = maps.Clone(object)
	for _, key := range without {
		delete(object, key)
	}
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// Of several records of a match the one that tells most is imported, wherever it
// stands; matches that differ in their ids alone are all imported.
func TestImportDoubles(t *testing.T) {
	dir := t.TempDir()
	logs := botzoneLogs(t, filepath.Join(dir, "full"))
	for name, log := range logs {
		writeJSONFile(t, filepath.Join(dir, "a-lite", name), log, "initdata", "players")
		writeJSONFile(t, filepath.Join(dir, "z-nameless", name), log, "initdata", "_id")
	}
	log := maps.Clone(logs[sortedNames(t, filepath.Join(dir, "full"))[0]])
	log["_id"] = json.RawMessage(`"another"`)
	writeJSONFile(t, filepath.Join(dir, "other.json"), log)
	var want string
	for _, workers := range []string{"1", "3"} {
		data := filepath.Join(t.TempDir(), "data")
		out, errOut, status := sparrowhall(t, "", "import", "botzone", dir, "--out", data, "--workers", workers, "--quiet")
		if status != statusOK {
			t.Fatalf("status %d: %s%s", status, out, errOut)
		}
		if want == "" {
			want = out
		}
		if d := cmp.Diff(want, out); d != "" {
			t.Errorf("%s workers print something else (-1):\n%s", workers, d)
		}
		for _, line := range []string{"\nimported  4 ", "\ndoubles   6 "} {
			if !strings.Contains(out, line) {
				t.Errorf("no %q in\n%s", line, out)
			}
		}
		for name := range logs {
			for _, left := range []string{"a-lite/", "z-nameless/"} {
				if line := left + name + ": left out as a double: full/" + name + " is a record of the same match\n"; !strings.Contains(out, line) {
					t.Errorf("no %q in\n%s", line, out)
				}
			}
		}
		out, errOut, status = sparrowhall(t, "", "verify", data, "--quiet")
		if status != statusOK || !strings.Contains(out, "4 matches of botzone play as recorded") {
			t.Errorf("verify: status %d: %s%s", status, out, errOut)
		}
	}
}

// Walls that stand apart come to their logs, by id or by the name of the file, and
// only if the log bears them out.
// Records that are too large to be held until their block is written are read once more.
func TestImportLarge(t *testing.T) {
	record, err := os.ReadFile("../../internal/record/testdata/sample.json")
	if err != nil {
		t.Fatal(err)
	}
	imported := func(text string) map[string]string {
		dir, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
		for n := range 3 {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(n, ".json")), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		ok(t, "import", "tenhou", dir, "--out", out, "--quiet")
		written := files(t, out)
		delete(written, "manifest.json") // which has a digest of the texts
		return written
	}
	large := strings.Replace(string(record), "{", "{"+strings.Repeat(" ", 2<<20), 1)
	small := imported(strings.Repeat(string(record)+"\n", 2))
	if diff := cmp.Diff(small, imported(strings.Repeat(large+"\n", 2))); len(small) == 0 || diff != "" {
		t.Errorf("%d files; with spaces in the records they differ", len(small))
	}
}

func TestImportWallsApart(t *testing.T) {
	whole, bare, dir := t.TempDir(), t.TempDir(), t.TempDir()
	logs := botzoneLogs(t, whole)
	names := sortedNames(t, whole)
	// The first two are told by the id alone, the last by its name.
	for i, name := range names {
		id, apart := "_id", name
		if i < 2 {
			id, apart = "", "of-"+name
		}
		writeJSONFile(t, filepath.Join(bare, name), logs[name], "initdata", id)
		writeJSONFile(t, filepath.Join(dir, "logs", name), logs[name], "initdata", id)
		writeJSONFile(t, filepath.Join(dir, "walls", apart), logs[name], "logs", id)
	}
	walls := func(dir string) map[string]string {
		data := filepath.Join(t.TempDir(), "data")
		out, errOut, status := sparrowhall(t, "", "import", "botzone", dir, "--out", data, "--quiet")
		if status != statusOK || !strings.Contains(out, "imported  3 ") {
			t.Fatalf("status %d: %s%s", status, out, errOut)
		}
		all := files(t, data)
		maps.DeleteFunc(all, func(name, _ string) bool { return !strings.Contains(name, "walls") })
		if len(all) == 0 {
			t.Fatal("no walls are written")
		}
		return all
	}
	want := walls(whole)
	if d := cmp.Diff(want, walls(dir)); d != "" {
		t.Errorf("walls that stood in the logs (-), apart (+):\n%s", d)
	}
	if cmp.Equal(want, walls(bare)) {
		t.Error("the logs have the walls without what stands apart")
	}
	// The walls of another match are refused, and the log is imported without.
	writeJSONFile(t, filepath.Join(bare, "walls", names[0]), logs[names[1]], "logs", "_id")
	out, _, status := sparrowhall(t, "", "import", "botzone", bare, "--quiet")
	if line := "walls/" + names[0] + ": it holds the initdata of a match without its turns; "; status != statusFailure ||
		!strings.Contains(out, line) || !strings.Contains(out, "imported  3 ") || !strings.Contains(out, "unusable  1 ") {
		t.Errorf("status %d, no %q in\n%s", status, line, out)
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
		{[]string{}, statusUsage, "name a format and at least one file or folder; usage: sparrowhall import FORMAT FILE|DIR..."},
		{[]string{"tenhou"}, statusUsage, "name a format and at least one file or folder"},
		{[]string{"tenho", sample}, statusUsage, `unknown format "tenho"; did you mean tenhou? Allowed: tenhou, mjai, `},
		{[]string{"tenho", sample}, statusUsage, "; did you mean tenhou? Allowed: "},
		{[]string{"tenhou", "nothing"}, statusFailure, "nothing: no such file"},
		{[]string{"tenhou", empty}, statusFailure, "no file in it ends in .mjlog, .xml, .json, .jsonl or one of these and .gz"},
		{[]string{"tenhou", sample, "--ruleset", "tenho"}, statusUsage, "tenho"},
		{[]string{"tenhou", sample, "--workers", "-1"}, statusUsage, "--workers: -1; at least 0"},
		{[]string{"tenhou", sample, "--force"}, statusUsage, "--force says how to write a dataset; name its folder with --out"},
		{[]string{"tenhou", sample, "--out", ""}, statusUsage, "--out: name a folder"},
		{[]string{"tenhou", sample, "--out", empty, "--file-matches", "5"}, statusUsage, "--file-matches: 5; allowed: multiples of 64"},
		{[]string{"tenhou", sample, "--out", empty, "--record", "hnds"}, statusUsage, `unknown table "hnds"`},
		{[]string{"tenhou", sample, "--out", samples}, statusFailure, "the folder is occupied: it holds no dataset, but sample.json; --force replaces it"},
	} {
		out, errOut, status := sparrowhall(t, "", append([]string{"import"}, test.args...)...)
		if status != test.status || !strings.Contains(errOut, test.want) {
			t.Errorf("%v: status %d, %s%s, want %q", test.args, status, out, errOut, test.want)
		}
	}
}

func TestExportLog(t *testing.T) {
	dir := t.TempDir()
	plays, logs := filepath.Join(dir, "plays"), filepath.Join(dir, "logs")
	if _, errOut, status := sparrowhall(t, "", "play", "--ruleset", "wrc", "--matches", "3", "--quiet", "--out", plays, "--agents", "greedy,random,greedy,greedy"); status != statusOK {
		t.Fatal(errOut)
	}
	one, errOut, status := sparrowhall(t, "", "export-log", plays, "--match", "1")
	if status != statusOK || !strings.HasPrefix(one, `{"type":"start_game","names":["random","greedy","greedy","greedy"],"aka_flag":false}`) {
		t.Fatalf("status %d: %.200s%s", status, one, errOut)
	}
	if out, errOut, status := sparrowhall(t, "", "export-log", plays, "--out", logs, "--gzip"); status != statusOK || out != logs+": 3 logs\n" {
		t.Fatalf("status %d: %s%s", status, out, errOut)
	}
	if got := strings.Join([]string{"000000.json.gz", "000001.json.gz", "000002.json.gz"}, " "); strings.Join(sortedNames(t, logs), " ") != got {
		t.Errorf("files %v", sortedNames(t, logs))
	}
	out, errOut, status := sparrowhall(t, "", "import", "mjai", logs, "--ruleset", "wrc", "--quiet", "--out", filepath.Join(dir, "again"))
	if status != statusOK || !strings.Contains(out, "imported  3 ") {
		t.Errorf("import: status %d: %s%s", status, out, errOut)
	}
	file := filepath.Join(dir, "one.mjson")
	if _, errOut, status := sparrowhall(t, "", "export-log", plays, "--match", "1", "--out", file); status != statusOK {
		t.Error(errOut)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != one {
		t.Errorf("the file has another log: %v", err)
	}
	// The JSON of tenhou.net/6 comes back too, and can be printed.
	six := filepath.Join(dir, "six")
	if out, errOut, status := sparrowhall(t, "", "export-log", plays, "--format", "tenhou6", "--out", six); status != statusOK || out != six+": 3 logs\n" || !strings.Contains(strings.Join(sortedNames(t, six), " "), "000001.json") {
		t.Fatalf("status %d: %s%s", status, out, errOut)
	}
	out, errOut, status = sparrowhall(t, "", "import", "tenhou", six, "--ruleset", "wrc", "--quiet")
	if status != statusOK || !strings.Contains(out, "imported  3 ") {
		t.Errorf("import of tenhou6: status %d: %s%s", status, out, errOut)
	}
	text, _, _ := sparrowhall(t, "", "export-log", plays, "--match", "1", "--format", "tenhou6")
	if file, err := os.ReadFile(filepath.Join(six, "000001.json")); err != nil || string(file) != text || !strings.Contains(text, "和了") {
		t.Errorf("the log of a match is not that of all: %v", err)
	}
	view, _, _ := sparrowhall(t, "", "export-log", plays, "--match", "1", "--player", "2")
	if !strings.Contains(view, `"id":2`) || !strings.Contains(view, `"pai":"?"`) || strings.Count(view, "\n") != strings.Count(one, "\n") {
		t.Errorf("not the view of player 2:\n%.300s", view)
	}
	mcr := filepath.Join(dir, "mcr")
	if _, errOut, status := sparrowhall(t, "", "play", "--ruleset", "botzone", "--matches", "1", "--quiet", "--out", mcr); status != statusOK {
		t.Fatal(errOut)
	}
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{plays}, statusUsage, "name the folder to write to with --out, or one match with --match"},
		{[]string{plays, "--match", "1", "--format", "tenhou"}, statusUsage, `--format: unknown format "tenhou"; did you mean tenhou6? Allowed: mjai, mjai-nukidora, tenhou6`},
		{[]string{plays, "--match", "1", "--format", "tenhou6", "--player", "1"}, statusUsage, "--player: tenhou6 logs show everything"},
		{[]string{plays, "--match", "1", "--player", "4"}, statusUsage, "--player: 4; allowed: 0 to 3"},
		{[]string{plays, "--match", "1", "--force"}, statusUsage, "--force replaces files of --out"},
		{[]string{plays, "--match", "3"}, statusFailure, "match 3: no such match"},
		{[]string{plays, "--match", "1", "--out", file}, statusFailure, "--force replaces it"},
		{[]string{plays, "--out", logs, "--gzip"}, statusFailure, "000000.json.gz: file already exists; --force replaces it"},
		{[]string{mcr, "--match", "0"}, statusFailure, "does not support the rules of botzone"},
		{[]string{mcr, "--out", filepath.Join(dir, "none")}, statusFailure, "does not support the rules of botzone"},
	} {
		out, errOut, status := sparrowhall(t, "", append([]string{"export-log"}, test.args...)...)
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
