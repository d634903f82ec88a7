package report_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/report"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/internal/contest/strength"
	"github.com/sparrowhall/sparrowhall/sim"
)

// sealManifest changes the manifest of a dataset and makes its checksum fit.
func sealManifest(t testing.TB, dir string, change func(m *dataset.Manifest)) {
	t.Helper()
	path := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m := &dataset.Manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		t.Fatal(err)
	}
	change(m)
	if text, err = json.MarshalIndent(m, "", "  "); err != nil {
		t.Fatal(err)
	}
	text = append(bytes.TrimSuffix(text, []byte("\n}")), ",\n"...)
	text = fmt.Appendf(text, "  \"sha256\": \"%x\"\n}\n", sha256.Sum256(text))
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// damage names a byte of the buffers of a column.
type damage struct {
	column, buffer uint8
	offset         uint32
	value          uint8
}

// apply returns the column with the byte set; buffers are counted through the
// column and what it is made of.
func (d damage) apply(data arrow.ArrayData, left *int) arrow.ArrayData {
	var buffers []*memory.Buffer
	for _, b := range data.Buffers() {
		if b != nil && b.Len() > 0 {
			if *left == 0 {
				changed := bytes.Clone(b.Bytes())
				changed[int(d.offset)%len(changed)] = d.value
				b = memory.NewBufferBytes(changed)
			}
			*left--
		}
		buffers = append(buffers, b)
	}
	var children []arrow.ArrayData
	for _, c := range data.Children() {
		children = append(children, d.apply(c, left))
	}
	if data.DataType().ID() == arrow.DICTIONARY {
		return array.NewDataWithDictionary(data.DataType(), data.Len(), buffers, data.NullN(), data.Offset(), data.Dictionary().(*array.Data))
	}
	return array.NewData(data.DataType(), data.Len(), buffers, children, data.NullN(), data.Offset())
}

// damaged writes an Arrow file with a damaged column. The error is that of damage
// that the Arrow library does not write.
func damaged(w io.WriteSeeker, text []byte, d damage) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	r, err := ipc.NewFileReader(bytes.NewReader(text))
	if err != nil {
		return err
	}
	out, err := ipc.NewFileWriter(w, ipc.WithSchema(r.Schema()))
	if err != nil {
		return err
	}
	for i := range r.NumRecords() {
		record, err := r.RecordAt(i)
		if err != nil {
			return err
		}
		if i == 0 {
			columns := record.Columns()
			c := int(d.column) % len(columns)
			left := int(d.buffer)
			columns[c] = array.MakeFromData(d.apply(columns[c].Data(), &left))
			record = array.NewRecord(record.Schema(), columns, record.NumRows())
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	return out.Close()
}

// spoil puts a damaged column into a table of a dataset, of which all checksums
// fit. It reports whether it could.
func spoil(t testing.TB, dir string, file uint8, d damage) bool {
	data, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	n := int(file) % len(data.Manifest.Files)
	path := filepath.Join(dir, data.Manifest.Files[n].Name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	failed := damaged(out, text, d)
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if failed != nil {
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		return false
	}
	if text, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	sealManifest(t, dir, func(m *dataset.Manifest) {
		m.Files[n].Bytes, m.Files[n].SHA256 = int64(len(text)), fmt.Sprintf("%x", sha256.Sum256(text))
	})
	return true
}

// reader reads a dataset and returns what it says.
type reader struct {
	name string
	read func(t testing.TB, dir string) error
}

// readers are all readers of datasets.
var readers = []reader{
	{"report", func(t testing.TB, dir string) error {
		results, err := stats.Collect(t.Context(), []string{dir}, nil, nil)
		if err != nil {
			return err
		}
		r := report.New(results)
		r.Tables()
		errs := []error{r.JSON(io.Discard)}
		for _, f := range []func(io.WriteSeeker) error{r.Figures, r.Quantiles, r.Bars, r.Skills, r.Pairs} {
			out, err := os.Create(filepath.Join(t.TempDir(), "table"))
			if err != nil {
				t.Fatal(err)
			}
			errs = append(errs, f(out), out.Close())
		}
		return errors.Join(errs...)
	}},
	{"replays", func(t testing.TB, dir string) error {
		return last(open(t, dir).Replays(sim.KeepValues | sim.KeepChoices))
	}},
	{"replay", func(t testing.TB, dir string) error {
		d := open(t, dir)
		m, err := d.Match(d.First())
		if err == nil {
			_, err = d.Names(m)
		}
		return err
	}},
	{"decisions", func(t testing.TB, dir string) error { return last(open(t, dir).DecisionRows()) }},
	{"ledger", func(t testing.TB, dir string) error { return last(open(t, dir).LedgerRows()) }},
	{"records", func(t testing.TB, dir string) error { return last(open(t, dir).Origins()) }},
	{"verify", func(t testing.TB, dir string) error { return open(t, dir).Verify(t.Context(), 1, func(int) {}) }},
	{"standings", func(t testing.TB, dir string) error {
		d := open(t, dir)
		if d.Run.Tournament == nil {
			return nil
		}
		tally, err := strength.NewTally(d.Run)
		if err != nil {
			t.Fatal(err)
		}
		if err := tally.Read(d); err != nil {
			return err
		}
		_, err = tally.Compute()
		return err
	}},
	{"resume", func(t testing.TB, dir string) error {
		w, err := dataset.Create(dir, open(t, dir).Run, false)
		if err == nil {
			err = w.Close()
		}
		return err
	}},
}

// open opens a dataset of which only columns are damaged.
func open(t testing.TB, dir string) *dataset.Dataset {
	t.Helper()
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// last goes through all rows and returns the last error.
func last[T any](rows iter.Seq2[T, error]) (last error) {
	for _, err := range rows {
		if err != nil {
			last = err
		}
	}
	return last
}

// readAll lets every reader have the dataset in dir and returns what they say.
func readAll(t testing.TB, dir string) map[string]error {
	said := map[string]error{}
	for _, r := range readers {
		said[r.name] = r.read(t, dir)
	}
	return said
}

// merged merges shards, and makes a report of what comes of it.
func merged(t testing.TB, shards []string) (merge, reported error) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "merged")
	if merge = dataset.Merge(t.Context(), dir, shards, nil, false, func(int) {}); merge == nil {
		_, reported = stats.Collect(t.Context(), []string{dir}, nil, nil)
	}
	return merge, reported
}

func partials(t testing.TB, shards []string) (files []string, err error) {
	t.Helper()
	for i, shard := range shards {
		p, err := stats.CollectPartial(t.Context(), []string{shard}, nil, nil)
		if err != nil {
			return nil, err
		}
		files = append(files, filepath.Join(t.TempDir(), fmt.Sprint(i)))
		out, err := os.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(p.Write(out), out.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return files, nil
}

// joined lets report merge have some files.
func joined(files []string) error {
	var list []*stats.Partial
	for _, file := range files {
		p, err := stats.ReadPartial(context.Background(), file)
		if err != nil {
			return err
		}
		list = append(list, p)
	}
	p, err := stats.Join(list)
	if err == nil {
		err = p.CheckComplete()
	}
	if err != nil {
		return err
	}
	r := report.New(p.Results())
	r.Tables()
	return errors.Join(r.JSON(io.Discard), p.Write(io.Discard))
}

// shardsOf writes the two shards of a run.
func shardsOf(t testing.TB) (dirs []string) {
	t.Helper()
	for n := range uint64(2) {
		rules, err := configs.Read("short", []byte("base = \"tenhou\"\nmax_hands = 1\n"))
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, write(t, rules, dataset.Run{
			Seed: 1, Matches: 2 * sim.BlockSize, Record: schema.Hands, Shard: dataset.Shard{Number: n + 1, Of: 2},
		}, "tsumogiri"))
	}
	return dirs
}

// write plays a run of four agents and returns the folder of its dataset.
func write(t testing.TB, rules *configs.Ruleset, run dataset.Run, agent string) (dir string) {
	t.Helper()
	run.Ruleset, run.Agents, run.FileMatches = rules, []string{agent, "random", agent, "tsumogiri"}, sim.BlockSize
	dir = t.TempDir()
	w, err := dataset.Create(dir, &run, false)
	if err != nil {
		t.Fatal(err)
	}
	job := &sim.Job{
		Rules: rules.Rules(), Schedule: run.Schedule(), First: uint64(max(0, int(run.Shard.Number)-1)) * sim.BlockSize, Count: run.Matches, Keep: run.Keep(),
		NewAgent: func(number int) sim.Agent {
			f, err := agents.New(run.Agents[number])
			if err != nil {
				t.Error(err)
			}
			return f()
		},
	}
	if run.Shard.Of > 0 {
		job.Count = run.Matches / run.Shard.Of
	}
	if err := errors.Join(sim.Run(context.Background(), job, w.NewBlock, (*dataset.Block).Add, w.Append), w.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// samplesOf writes small datasets of every kind.
func samplesOf(t testing.TB) (dirs []string) {
	t.Helper()
	schedule, err := arena.New(arena.Plan{Seed: 1, Agents: 4, Selection: arena.EveryLineup, Seatings: arena.Permutations(4), Rounds: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		ruleset string
		run     dataset.Run
	}{
		{"ema_2016", dataset.Run{Seed: 1, Matches: 2, Record: schema.Decisions}},
		{"hkma_hktw", dataset.Run{Seed: 1, Matches: 1, Record: schema.Hands}},
		{"mcr_2006", dataset.Run{Seed: 1, Matches: 2, Record: schema.Matches}},
		{"ema_2016", dataset.Run{Seed: 1, Matches: schedule.Matches(), Tournament: &dataset.Tournament{Schedule: schedule}}},
	} {
		rules, err := configs.Open(c.ruleset)
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, write(t, rules, c.run, "greedy"))
	}
	return dirs
}

// What somebody wrote who made the checksums fit is an error that names the file,
// for each reader.
func TestDamagedColumns(t *testing.T) {
	dirs := samplesOf(t)
	for _, c := range []struct {
		dir    int
		file   uint8
		column string
		value  uint8
		reader string
	}{
		{0, 0, "rank", 255, "report"},
		{0, 0, "agent", 9, "report"},
		{0, 0, "agent_index", 9, "report"},
		{0, 0, "player", 4, "report"},
		{0, 1, "dealer", 4, "report"},
		{0, 1, "giver", 4, "report"},
		{0, 1, "end", 200, "report"},
		{0, 2, "player", 200, "decisions"},
		{0, 2, "action", 255, "decisions"},
		{1, 3, "creditor", 7, "ledger"},
		{3, 0, "rank", 0, "standings"},
		{3, 0, "seating", 99, "standings"},
		{3, 0, "agent_index", 1, "standings"},
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(dirs[c.dir])); err != nil {
			t.Fatal(err)
		}
		d, err := dataset.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		for r, err := range d.Records(d.Manifest.Files[c.file].Table) {
			if err != nil {
				t.Fatal(err)
			}
			i := r.Schema().FieldIndices(c.column)[0]
			hurt := damage{column: uint8(i), value: c.value}
			if c.column == "giver" { // the first buffer says what is null
				hurt.buffer = 1
				for row := 0; r.Column(i).IsNull(row); row++ {
					hurt.offset += 4
				}
			}
			if !spoil(t, dir, c.file, hurt) {
				t.Fatalf("%s cannot be damaged", c.column)
			}
			break
		}
		said := readAll(t, dir)
		if err := said[c.reader]; err == nil || !strings.Contains(err.Error(), d.Manifest.Files[c.file].Name) {
			t.Errorf("column %s is %d: %s says %v", c.column, c.value, c.reader, err)
		}
		if said["verify"] == nil {
			t.Errorf("column %s is %d: verify finds nothing", c.column, c.value)
		}
	}
}

// A shard that somebody has changed so that the checksums fit is copied, as they
// stand for what it is, but no report is made of it.
func TestDamagedShards(t *testing.T) {
	shards := shardsOf(t)
	files, partial := partials(t, shards)
	merge, reported := merged(t, shards)
	if err := errors.Join(merge, reported, partial, joined(files)); err != nil {
		t.Errorf("whole shards: %v", err)
	}
	hurt := damage{column: 4, value: 255}
	d, err := dataset.Open(shards[1])
	if err != nil {
		t.Fatal(err)
	}
	for r, err := range d.Records(d.Manifest.Files[0].Table) {
		if err != nil {
			t.Fatal(err)
		}
		hurt.column = uint8(r.Schema().FieldIndices("rank")[0])
	}
	if !spoil(t, shards[1], 0, hurt) {
		t.Fatal("the rank cannot be damaged")
	}
	_, partial = partials(t, shards)
	_, reported = merged(t, shards)
	for _, err := range []error{partial, reported} {
		if err == nil || !strings.Contains(err.Error(), d.Manifest.Files[0].Name) {
			t.Errorf("rank 255 in a shard: %v", err)
		}
	}
	if err := joined(files[:1]); err == nil || !strings.Contains(err.Error(), "are missing") {
		t.Errorf("one of two: %v", err)
	}
}

// FuzzTables: whatever stands in a column, no reader panics.
func FuzzTables(f *testing.F) {
	dirs, shards := samplesOf(f), shardsOf(f)
	for which := range readers {
		f.Add(uint8(which), uint8(0), uint8(0), uint8(5), uint8(0), uint32(0), uint8(255))
	}
	reader := func(name string) uint8 {
		return uint8(slices.IndexFunc(readers, func(r reader) bool { return r.name == name }))
	}
	f.Add(reader("report"), uint8(0), uint8(1), uint8(8), uint8(1), uint32(3), uint8(4))
	f.Add(reader("replays"), uint8(0), uint8(1), uint8(9), uint8(0), uint32(4), uint8(200))
	f.Add(reader("ledger"), uint8(1), uint8(2), uint8(3), uint8(0), uint32(0), uint8(200))
	f.Add(reader("verify"), uint8(2), uint8(0), uint8(17), uint8(1), uint32(5), uint8(77))
	f.Add(reader("standings"), uint8(3), uint8(0), uint8(3), uint8(0), uint32(9), uint8(3))
	f.Add(uint8(0), uint8(4), uint8(0), uint8(5), uint8(0), uint32(0), uint8(255))
	f.Add(uint8(1), uint8(4), uint8(1), uint8(9), uint8(24), uint32(0), uint8(2))
	f.Fuzz(func(t *testing.T, which, dataset, file, column, buffer uint8, offset uint32, value uint8) {
		copied := func(from string) string {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
				t.Fatal(err)
			}
			return dir
		}
		hurt := damage{column, buffer % 24, offset, value}
		if n := int(dataset) % (len(dirs) + 1); n < len(dirs) {
			if dir := copied(dirs[n]); spoil(t, dir, file, hurt) {
				_ = readers[int(which)%len(readers)].read(t, dir) // an error, mostly; a panic is what is looked for
			}
			return
		}
		own := []string{copied(shards[0]), copied(shards[1])}
		if !spoil(t, own[buffer/24%2], file, hurt) {
			return
		}
		if which%2 == 0 {
			_, _ = merged(t, own)
		} else if files, err := partials(t, own); err == nil {
			_ = joined(files)
		}
	})
}

// smallPartial is the file of a partial report as the program writes it, of few
// figures and sets, so that it is quick to read.
type smallPartial struct {
	Version int             `json:"sparrowhall_partial_report"`
	SHA256  string          `json:"sha256"`
	Parts   json.RawMessage `json:"parts"`
}

// writeTo writes the file with other parts and a checksum that fits.
func (p smallPartial) writeTo(t testing.TB, file string, parts []byte) {
	t.Helper()
	text := fmt.Appendf(nil, `{"sparrowhall_partial_report":%d,"sha256":"%x","parts":%s}`, p.Version, sha256.Sum256(parts), parts)
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// smallPartials returns those of the two shards of a run.
func smallPartials(t testing.TB) (small [2]smallPartial) {
	t.Helper()
	files, err := partials(t, shardsOf(t))
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var parts []map[string]any
		if err := errors.Join(json.Unmarshal(text, &small[i]), json.Unmarshal(small[i].Parts, &parts)); err != nil {
			t.Fatal(err)
		}
		figures, sums := parts[0]["figures"].([]any), parts[0]["sums"].([]any)
		var fewFigures, fewSums []any
		seen := map[string]bool{}
		for k, f := range figures { // one of each section and unit
			f := f.(map[string]any)
			if kind := fmt.Sprint(f["section"], f["unit"]); !seen[kind] {
				seen[kind] = true
				fewFigures, fewSums = append(fewFigures, f), append(fewSums, sums[k])
			}
		}
		parts[0]["figures"], parts[0]["sums"] = fewFigures, fewSums
		groups := parts[0]["skill"].(map[string]any)["groups"].([]any)
		for k := 2; k < len(groups); k++ {
			groups[k] = map[string]any{"Pairs": []any{}}
		}
		if small[i].Parts, err = json.Marshal(parts); err != nil {
			t.Fatal(err)
		}
	}
	return small
}

// FuzzPartial: whatever stands at a place of the file of a partial report with a
// checksum that fits, it is an error or joined.
func FuzzPartial(f *testing.F) {
	small := smallPartials(f)
	dir := f.TempDir()
	files := []string{filepath.Join(dir, "0"), filepath.Join(dir, "1")}
	for i, p := range small {
		p.writeTo(f, files[i], p.Parts)
	}
	if err := joined(files); err != nil {
		f.Fatalf("unharmed: %v", err)
	}
	for _, c := range [][2]string{
		{`"figures":[`, `"figures":[{},`},
		{`"matches":64`, `"matches":18446744073709551615`},
		{`"run":{`, `"run":{},"y":{`},
		{`"set_matches":`, `"set_matches":-`},
		{`"Agents":[0,`, `"Agents":[3,`},
		{`"unit":`, `"unit":-`},
		{`"Pairs":[{`, `"Pears":[{`},
		{`"Pairs":[]`, ``},
		{`"Sets":1`, `"Sets":-1`},
		{`"run":{`, `"run":{"tournament":{"stopped":1},`},
	} {
		for which, p := range small {
			at := bytes.Index(p.Parts, []byte(c[0]))
			if at < 0 {
				f.Fatalf("no partial report has %s", c[0])
			}
			f.Add(which == 1, uint16(at), uint8(len(c[0])), []byte(c[1]))
		}
	}
	file := filepath.Join(dir, "harmed")
	f.Fuzz(func(t *testing.T, second bool, place uint16, cut uint8, text []byte) {
		which := 0
		if second {
			which = 1
		}
		parts := small[which].Parts
		at := int(place) % len(parts)
		small[which].writeTo(t, file, slices.Concat(parts[:at], text, parts[min(at+int(cut), len(parts)):]))
		_ = joined([]string{file, files[1-which]}) // an error, mostly; a panic is what is looked for
	})
}
