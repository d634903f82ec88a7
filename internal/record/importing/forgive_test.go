package importing_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/record/importing"
	"github.com/sparrowhall/sparrowhall/internal/testkit/recordtest"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// samples are the made-up records by format; the text of Botzone has one match of one hand.
var samples = []struct {
	format int // in importing.Formats
	file   string
}{{0, "sample.mjlog"}, {0, "sample.json"}, {1, "sample.mjson"}, {2, "sample.majiang.json"}, {4, "sample.mahjongsoul.json"}, {3, "sample.txt"}}

var nowhere = regexp.MustCompile("it is neither Tenhou's|the file is empty|is not UTF-8|the match ends with")

// importText imports a text with --partial, and checks that each record is whole, of whole hands,
// or at fault with a place.
func importText(t *testing.T, f *record.Format, text []byte) *importing.Report {
	t.Helper()
	path := filepath.Join(t.TempDir(), "record"+f.Suffixes[0])
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	files, err := importing.Find(f, []string{path})
	if err != nil {
		t.Fatal(err)
	}
	r, err := importing.Import(t.Context(), files, &importing.Options{Format: f, Partial: true, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Imported.Records > 0 && r.Imported.Hands == 0 || r.Differ.Records+r.Unusable.Records > 0 && len(r.Differences) == 0 {
		t.Errorf("%+v", r)
	}
	// Without a place a text is none of the format at all; both are the first line of the report.
	if len(r.Differences) > 0 && r.Differences[0].Place == "" && !nowhere.MatchString(r.Differences[0].Message) {
		t.Errorf("a fault without a place: %+v", r.Differences)
	}
	return r
}

// damage drops, doubles, empties or lengthens the n-th element of a text, which its separators end:
// an element of XML, or a number or member of any text.
func damage(text []byte, n, kind int) []byte {
	parts := bytes.SplitAfter(text, []byte(","))
	if bytes.Count(text, []byte(",")) < 100 {
		parts = bytes.SplitAfter(text, []byte("\n"))
	}
	if text[0] == '<' && kind&4 != 0 {
		parts = bytes.SplitAfter(text, []byte(">"))
	}
	p := parts[n%len(parts)]
	with := [][]byte{nil, append(bytes.Clone(p), p...), p[len(p)-1:], append([]byte("1"), p...)}[kind%4]
	return bytes.Join([][]byte{bytes.Join(parts[:n%len(parts)], nil), with, bytes.Join(parts[n%len(parts)+1:], nil)}, nil)
}

func FuzzDamage(f *testing.F) {
	var texts [][]byte
	for i, s := range samples {
		text, err := os.ReadFile(filepath.Join("../testdata", s.file))
		if err != nil {
			f.Fatal(err)
		}
		texts = append(texts, text)
		for kind := range 4 {
			f.Add(i, 7+31*kind, kind)
			f.Add(i, 400+13*kind, kind)
		}
	}
	f.Fuzz(func(t *testing.T, i, n, kind int) {
		i, n, kind = int(uint(i)%uint(len(samples))), int(uint(n)>>1), int(uint(kind)>>1)
		importText(t, importing.Formats[samples[i].format], damage(texts[i], n, kind))
	})
}

// TestDamagedRecords damages the real records of Tenhou in the folder that SPARROWHALL_RECORDS names;
// they are not part of the project.
func TestDamagedRecords(t *testing.T) {
	for i, file := range recordtest.Records(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		whole := importText(t, importing.Formats[0], text).Imported.Hands
		for n := range 24 {
			r := importText(t, importing.Formats[0], damage(text, 37*i+211*n, n%8))
			if hands := r.Imported.Hands; hands > whole+1 {
				t.Errorf("%s, %d: %d hands, of the whole record %d", file, n, hands, whole)
			}
			if t.Failed() {
				t.Fatalf("%s, %d", file, n)
			}
		}
	}
}

// A record cut at any byte has the hands before the cut, and the place is named.
func TestCutAnywhere(t *testing.T) {
	for _, s := range samples[:5] {
		text, err := os.ReadFile(filepath.Join("../testdata", s.file))
		if err != nil {
			t.Fatal(err)
		}
		before := 0
		for i := 1; i <= 8; i++ {
			r := importText(t, importing.Formats[s.format], text[:len(text)*i/9])
			if r.Imported.Hands < before || i > 2 && r.Imported.Hands == 0 {
				t.Errorf("%s, %d ninths: %d hands, with less of it %d: %+v", s.file, i, r.Imported.Hands, before, r)
			}
			before = r.Imported.Hands
			if i > 2 && (len(r.Notes) == 0 && len(r.Differences) == 0) {
				t.Errorf("%s, %d ninths: nothing is said of the cut", s.file, i)
			}
		}
	}
}

// Hands before a fault survive, the fault is named, and what is unknown is a note.
func TestFault(t *testing.T) {
	log, err := os.ReadFile("../testdata/sample.mjlog")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := os.ReadFile("../testdata/sample.mjson")
	if err != nil {
		t.Fatal(err)
	}
	extra := strings.ReplaceAll(string(log), `" sc="`, `" sc2="" sc="`)
	chips := regexp.MustCompile(` sc="[^"]*`).ReplaceAllString(string(log), "$0,1,0,1,0,1,0,1,0")
	last := strings.LastIndex(string(log), ` sc="`)
	kan := strings.SplitAfter(string(lines), "\n")
	end := slices.IndexFunc(kan, func(line string) bool { return strings.Contains(line, "end_kyoku") })
	for name, test := range map[string]struct {
		format int
		text   string
		hands  int
		want   string
	}{
		"attribute":     {0, extra, 13, "attribute sc2 is not known"},
		"chips":         {0, chips, 13, "sc has more than 8 numbers; the others were not read"},
		"element":       {0, strings.Replace(string(log), "<DORA", "<CHIPS n=\"1\"/><DORA", 1), 13, "<CHIPS> is not known and was not read"},
		"last sc":       {0, string(log)[:last] + ` x="` + string(log)[last+5:], 12, "sc has 0 numbers; 8 are needed"},
		"no acceptance": {1, regexp.MustCompile(`\{"type":"reach_accepted"[^\n]*\n`).ReplaceAllString(string(lines), ""), 13, "is accepted; by the rules it is"},
		"no end_kyoku":  {1, strings.Replace(string(lines), "{\"type\":\"end_kyoku\"}\n", "", 1), 13, "end_kyoku is missing"},
		"no end_game":   {1, string(lines)[:strings.LastIndex(string(lines), `{"type":"end_game"`)], 13, "the log has no end_game"},
		"message":       {1, strings.Replace(string(lines), `{"type":"end_kyoku"}`, `{"type":"cheer"}`+"\n"+`{"type":"end_kyoku"}`, 1), 13, "message cheer is not known"},
		"member":        {1, strings.Replace(string(lines), `{"type":"tsumo",`, `{"type":"tsumo","meta":{},`, 1), 13, `member "meta" is not known`},
		// The first fault is the kan, not that the log ends.
		"kan in a cut hand": {1, strings.Join(kan[:end+4], "") + `{"type":"ankan","actor":0,"consumed":["1m","1m","1m","1m"]}` + "\n" + kan[end+4], 1, "declares a closed kan of 1m"},
		// What only the rules show ends the record as well.
		"fu of the last": {0, string(log)[:strings.LastIndex(string(log), ` ten="`)] + ` ten="9` + string(log)[strings.LastIndex(string(log), ` ten="`)+6:], 12, " fu, by the rules "},
	} {
		r := importText(t, importing.Formats[test.format], []byte(test.text))
		notes := ""
		for _, n := range append(r.Notes, r.Differences...) {
			notes += n.String() + "\n"
		}
		if r.Imported.Hands != test.hands || !strings.Contains(notes, test.want) {
			t.Errorf("%s: %d hands, want %d; no %q in %s", name, r.Imported.Hands, test.hands, test.want, notes)
		}
	}
}
