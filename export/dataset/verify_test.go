package dataset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/sim"
)

// rewrite puts a file of a dataset in another form, with the library's writer,
// changing its rows, and signs it in the manifest if sign is set.
func rewrite(t *testing.T, dir, name string, sign bool, change func(batch int, r arrow.Record) arrow.Record) {
	t.Helper()
	path := filepath.Join(dir, name)
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ipc.NewFileReader(in)
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(path + ".new")
	if err != nil {
		t.Fatal(err)
	}
	w, err := ipc.NewFileWriter(out, ipc.WithSchema(r.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.NumRecords() {
		record, err := r.RecordAt(i)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(change(i, record)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), out.Close(), in.Close(), os.Rename(path+".new", path)); err != nil {
		t.Fatal(err)
	}
	if sign {
		signFile(t, dir, name)
	}
}

// signFile makes the manifest say what a file now is.
func signFile(t *testing.T, dir, name string) {
	t.Helper()
	sum := strings.SplitN(contents(t, dir)[name], " bytes, ", 2)
	changeManifest(t, dir, func(m *Manifest) {
		for i := range m.Files {
			if m.Files[i].Name == name {
				fmt.Sscan(sum[0], &m.Files[i].Bytes)
				m.Files[i].SHA256 = sum[1]
			}
		}
	})
}

func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

func changeManifest(t *testing.T, dir string, change func(m *Manifest)) {
	t.Helper()
	path := filepath.Join(dir, manifestName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m := &Manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		t.Fatal(err)
	}
	change(m)
	if text, err = m.encode(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// setNumber returns a change of one value of a column of numbers, or of the number of a
// word, in a row of the file.
func setNumber(column, row int, value func(old int32) int32) func(int, arrow.Record) arrow.Record {
	before := 0
	return func(_ int, r arrow.Record) arrow.Record {
		row := row - before
		before += int(r.NumRows())
		if row < 0 || row >= int(r.NumRows()) {
			return r
		}
		c := r.Column(column)
		words, isWord := c.(*array.Dictionary)
		if isWord {
			c = words.Indices()
		}
		numbers := slices.Clone(c.(*array.Int32).Int32Values())
		numbers[row] = value(numbers[row])
		b := array.NewInt32Builder(memory.DefaultAllocator)
		b.AppendValues(numbers, nil)
		changed := b.NewArray()
		if isWord {
			changed = array.NewDictionaryArray(words.DataType(), changed, words.Dictionary())
		}
		r, err := r.SetColumn(column, changed)
		if err != nil {
			panic(err)
		}
		return r
	}
}

// A row that is not what its match gives is found, in whichever table, whether or
// not the checksum gives it away.
func TestVerifyRows(t *testing.T) {
	run := newRun(t, "ema_2016", schema.Decisions)
	run.Agents = randomAgents
	run.FileMatches = 2 * sim.BlockSize // both blocks in one file
	whole := t.TempDir()
	mustPlay(t, whole, run, 2)
	column := func(t schema.Table, name string) int {
		return schema.NewLayout(run.Ruleset.Rules(), schema.Options{Record: schema.Decisions}).Schema(t).FieldIndices(name)[0]
	}
	other := func(old int32) int32 { return old ^ 1 }
	for _, c := range []struct {
		table  schema.Table
		column string
		row    int
		want   string
	}{
		{schema.Decisions, "action", 17, "row 34: match 0 cannot be played from its actions: "},
		{schema.Decisions, "player", 40000, "row 40000: column player: "},
		{schema.Hands, "dealer", 3, "row 3: column dealer: 3 is stored, the match gives 2"},
		{schema.Hands, "discards", 703, "row 703: column discards: "},
		{schema.Hands, "end", 4, "row 4: column end: "},
		{schema.Hands, "end", 704, "row 704: column end: "},
		{schema.Matches, "rank", 265, "row 265: column rank: "},
		{schema.Matches, "agent_index", 0, "row 0: column agent_index: 1 is stored, the match gives 0"},
	} {
		for _, sign := range []bool{true, false}[:samples(1, 2, 2)] {
			dir := copyOf(t, whole)
			name := fileName(c.table, 0)
			rewrite(t, dir, name, sign, setNumber(column(c.table, c.column), c.row, other))
			err := verify(t, dir)
			diff, ok := errors.AsType[*Difference](err)
			if !ok || diff.File != filepath.Join(dir, name) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v %s, signed %v: %v", c.table, c.column, sign, err)
				continue
			}
			if unsigned := strings.Contains(err.Error(), "checksum") || strings.Contains(err.Error(), "bytes"); unsigned == sign {
				t.Errorf("%v %s, signed %v: %v", c.table, c.column, sign, err)
			}
		}
	}
}

// An action log with an action that is not legal, too few or too many names the
// hand it breaks in.
func TestVerifyLogs(t *testing.T) {
	for _, record := range []schema.Table{schema.Matches, schema.Hands} {
		for name, change := range map[string]func(log []byte) []byte{
			"not legal": func(log []byte) []byte { log[0] = byte(sim.ActTenpai); return log },
			"too few":   func(log []byte) []byte { return log[:len(log)-1] },
			"none":      func(log []byte) []byte { return nil },
			"too many":  func(log []byte) []byte { return append(log, 0) },
			"no action": func(log []byte) []byte { log[3] = 0xff; return log },
		} {
			run := newRun(t, "ema_2016", record)
			run.Agents = randomAgents
			dir := t.TempDir()
			mustPlay(t, dir, run, 2)
			const row = 4 // of match 1 at level matches, hand 4 of match 0 at level hands
			rewrite(t, dir, fileName(record, 0), true, func(i int, r arrow.Record) arrow.Record {
				c := int(r.NumCols()) - 1
				old := r.Column(c).(*array.Binary)
				b := array.NewBinaryBuilder(memory.DefaultAllocator, arrow.BinaryTypes.Binary)
				for j := range old.Len() {
					switch {
					case old.IsNull(j):
						b.AppendNull()
					case j == row:
						b.Append(change(append([]byte{}, old.Value(j)...)))
					default:
						b.Append(old.Value(j))
					}
				}
				changed, err := r.SetColumn(c, b.NewArray())
				if err != nil {
					t.Fatal(err)
				}
				return changed
			})
			err := verify(t, dir)
			diff, ok := errors.AsType[*Difference](err)
			if !ok || diff.File != filepath.Join(dir, fileName(record, 0)) || diff.Row < row || diff.Damage != nil {
				t.Errorf("%v, %s: %v", record, name, err)
			}
		}
	}
}

// Files that are damaged anywhere are refused with one line, and read by nobody.
func TestDamage(t *testing.T) {
	run := newRun(t, "ema_2016", schema.Decisions)
	run.Agents = randomAgents
	whole := t.TempDir()
	mustPlay(t, whole, run, 2)
	r := rand.New(rand.NewPCG(5, 6))
	names := []string{}
	for _, f := range mustOpen(t, whole).Manifest.Files {
		names = append(names, f.Name)
	}
	dir := copyOf(t, whole)
	for i := range samples(5, 15, 1000) {
		name := names[r.IntN(len(names))]
		text, err := os.ReadFile(filepath.Join(whole, name))
		if err != nil {
			t.Fatal(err)
		}
		damaged := append([]byte{}, text...)
		how := [...]string{"flipped", "cut", "garbage", "empty", "missing"}[i%5]
		switch how {
		case "flipped":
			at := r.IntN(len(damaged))
			if r.IntN(2) == 0 {
				at = len(damaged) - 1 - r.IntN(400) // the footer
			}
			damaged[at] ^= 1 << r.IntN(8)
		case "cut":
			damaged = damaged[:r.IntN(len(damaged))]
		case "garbage":
			for j := range damaged {
				damaged[j] = byte(r.Uint32())
			}
		case "empty":
			damaged = nil
		}
		path := filepath.Join(dir, name)
		if how == "missing" {
			err = os.Remove(path)
		} else {
			err = os.WriteFile(path, damaged, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, sign := range []bool{false, how != "missing"} {
			if sign {
				signFile(t, dir, name)
			}
			err := verify(t, dir)
			// A flipped bit that no reader looks at leaves nothing to find once
			// the checksum is made to fit.
			if err == nil && !(sign && how == "flipped") {
				t.Fatalf("%s %s, signed %v: no error", how, name, sign)
			}
			if err != nil && (!sign && !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), "\n")) {
				t.Fatalf("%s %s, signed %v: %v", how, name, sign, err)
			}
			if !sign {
				if err := readAll(t, dir); err == nil || !strings.Contains(err.Error(), path) {
					t.Fatalf("%s %s was read: %v", how, name, err)
				}
			}
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		signFile(t, dir, name)
	}
	if err := verify(t, dir); err != nil {
		t.Errorf("the dataset was not mended: %v", err)
	}
}

// readAll reads all rows of a dataset and returns the first error.
func readAll(t *testing.T, dir string) error {
	d := mustOpen(t, dir)
	for _, table := range d.Run.Tables() {
		for _, err := range d.Records(table) {
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// An incomplete dataset is verified as far as it goes.
func TestVerifyIncomplete(t *testing.T) {
	run := newRun(t, "ema_2016", schema.Hands)
	dir := t.TempDir()
	w, err := Create(dir, run, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := verify(t, dir); err != nil {
		t.Errorf("nothing written: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	mustPlay(t, dir, run, 2)
	changeManifest(t, dir, func(m *Manifest) {
		for _, f := range m.Files[3:] {
			m.Rows[f.Table] -= f.Rows
		}
		m.Files, m.Complete = m.Files[:3], false
	})
	d := mustOpen(t, dir)
	matches := 0
	if err := d.Verify(t.Context(), 2, func(n int) { matches += n }); err != nil || matches != 64 || d.Matches() != 64 {
		t.Errorf("%d of %d matches verified: %v", matches, d.Matches(), err)
	}
	if n := len(collect(t, d.MatchRows())); n != 4*64 {
		t.Errorf("%d rows", n)
	}
}

func TestVerifyStops(t *testing.T) {
	dir := t.TempDir()
	run := newRun(t, "ema_2016", schema.Matches)
	run.Matches = 8 * sim.BlockSize // more than a worker has in hand
	mustPlay(t, dir, run, 2)
	ctx, cancel := context.WithCancel(t.Context())
	err := mustOpen(t, dir).Verify(ctx, 1, func(int) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Differences in a dataset of another engine are explained.
func TestVerifyEngine(t *testing.T) {
	dir := t.TempDir()
	run := newRun(t, "ema_2016", schema.Hands)
	mustPlay(t, dir, run, 2)
	changeManifest(t, dir, func(m *Manifest) { m.EngineVersion = sim.EngineVersion + 1 })
	if err := verify(t, dir); err != nil {
		t.Errorf("a dataset that plays the same: %v", err)
	}
	rewrite(t, dir, fileName(schema.Hands, 0), true, setNumber(run.layout(run.Ruleset.Rules()).Schema(schema.Hands).FieldIndices("dealer")[0], 0, func(old int32) int32 { return old + 1 }))
	err := verify(t, dir)
	if _, ok := errors.AsType[*Difference](err); !ok || !strings.Contains(err.Error(), "engine version 2, this is 1") {
		t.Errorf("%v", err)
	}
}

// FuzzFile: no file panics or takes the memory of the machine.
func FuzzFile(f *testing.F) {
	run := newRun(f, "ema_2016", schema.Hands)
	run.Matches = 2
	dir := f.TempDir()
	if err := play(context.Background(), dir, run, 1, realSystem); err != nil {
		f.Fatal(err)
	}
	d, err := Open(dir)
	if err != nil {
		f.Fatal(err)
	}
	info := &d.Manifest.Files[schema.Hands]
	path := filepath.Join(dir, info.Name)
	text, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(text[:len(text)-1])
	f.Add([]byte("ARROW1\x00\x00\xff\xff\xff\x7fARROW1"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		file, err := d.openFile(info)
		if err != nil {
			t.Fatal(err)
		}
		defer file.close()
		if file.readFooter(d) != nil {
			return
		}
		r, err := file.record(0)
		if err != nil {
			return
		}
		defer r.Release()
		if err := file.guard(func() error { d.layout.Hands.Read(nil, r); return nil }); err != nil && !strings.Contains(err.Error(), path) {
			t.Error(err)
		}
	})
}
