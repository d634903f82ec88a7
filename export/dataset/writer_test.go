package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/export/arrowfile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// The variables that make the test binary write a dataset into a folder, and be killed at an
// operation.
const (
	childDir  = "SPARROWHALL_EXPORT_TEST_DIR"
	childKill = "SPARROWHALL_EXPORT_TEST_KILL"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		n, err := strconv.ParseInt(os.Getenv(childKill), 10, 64)
		if err == nil {
			var k killer
			k.left.Store(n)
			err = play(context.Background(), dir, childRun(&testing.B{}), 2, k.system())
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// randomAgents play fast.
var randomAgents = []string{"random", "random", "random", "random"}

// childRun is a run of many short files.
func childRun(t testing.TB) *Run {
	run := newRun(t, "ema_2016", schema.Decisions)
	run.Agents = randomAgents
	run.Matches = 10*sim.BlockSize + 1
	return run
}

// checkWhole checks that a folder in which a run ended early holds whole files
// only, but for those with the names of files that are not whole.
func checkWhole(t *testing.T, dir string) {
	t.Helper()
	listed := map[string]bool{manifestName: true}
	if _, err := os.Stat(filepath.Join(dir, manifestName)); err == nil {
		for _, f := range mustOpen(t, dir).Manifest.Files {
			listed[f.Name] = true
		}
		if err := verify(t, dir); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range readDir(t, dir) {
		if _, ok := journalNumber(e.Name()); !ok && !listed[e.Name()] && !strings.HasSuffix(e.Name(), tempSuffix) {
			f, err := os.Open(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ipc.NewFileReader(f); err != nil {
				t.Errorf("%s: %v", e.Name(), err)
			}
			f.Close()
		}
	}
}

// killer is a system whose process is killed at one of its operations on files, within it if that
// is a write.
type killer struct{ left atomic.Int64 }

// step counts an operation, and is called before it.
func (k *killer) step(within func()) {
	if k.left.Add(-1) != 0 {
		return
	}
	within()
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {}
}

func (k *killer) system() system {
	s := realSystem
	open := func(open func(string) (arrowfile.File, error)) func(string) (arrowfile.File, error) {
		return func(path string) (arrowfile.File, error) {
			k.step(func() {})
			f, err := open(path)
			return killerFile{f, k}, err
		}
	}
	s.create, s.extend = open(s.create), open(s.extend)
	return s
}

type killerFile struct {
	arrowfile.File
	killer *killer
}

func (f killerFile) Write(p []byte) (int, error) {
	f.killer.step(func() { _, _ = f.File.Write(p[:len(p)/2]) })
	return f.File.Write(p)
}

func (f killerFile) Sync() error {
	f.killer.step(func() {})
	return f.File.Sync()
}

func (f killerFile) Close() error {
	f.killer.step(func() {})
	return f.File.Close()
}

// A process that is killed leaves whole files, and the same command goes on to
// the same bytes.
func TestKill(t *testing.T) {
	const most = 1 << 40
	var k killer
	k.left.Store(most)
	whole := t.TempDir()
	if err := play(t.Context(), whole, childRun(t), 2, k.system()); err != nil {
		t.Fatal(err)
	}
	want, operations := contents(t, whole), most-k.left.Load()
	r := rand.New(rand.NewPCG(1, 2))
	for range samples(1, 1, 40) {
		dir := t.TempDir()
		kills := int64(samples(1, 3, 3))
		for range kills {
			// What a run that goes on has left to do is enough for the kills that follow.
			n := 1 + r.Int64N(operations/(kills+1))
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childDir+"="+dir, fmt.Sprint(childKill, "=", n))
			if out, err := cmd.CombinedOutput(); err == nil || cmd.ProcessState.Exited() {
				t.Fatalf("not killed at operation %d of %d: %v: %s", n, operations, err, out)
			}
			checkWhole(t, dir)
		}
		mustPlay(t, dir, childRun(t), 2)
		if d := cmp.Diff(want, contents(t, dir)); d != "" {
			t.Fatalf("killed and continued (-never killed):\n%s", d)
		}
	}
}

// A run that is told to stop keeps what is whole.
func TestStop(t *testing.T) {
	run := newRun(t, "ema_2016", schema.Decisions)
	run.Agents = randomAgents
	run.Matches = 10 * sim.BlockSize
	stops := []int{1, 0, 5}
	whole := t.TempDir()
	mustPlay(t, whole, run, 2)
	want := contents(t, whole)
	// A worker is at most four blocks ahead, so none has played the last.
	for _, blocks := range stops[:samples(1, 3, 3)] {
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		s := realSystem
		s.create = func(path string) (arrowfile.File, error) {
			if strings.HasSuffix(path, fmt.Sprintf("decisions-%06d.arrow.tmp", blocks)) {
				cancel()
			}
			return realSystem.create(path)
		}
		if err := play(ctx, dir, run, 1, s); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		checkWhole(t, dir)
		for _, e := range readDir(t, dir) {
			if strings.HasSuffix(e.Name(), tempSuffix) {
				t.Errorf("%s was left behind", e.Name())
			}
		}
		mustPlay(t, dir, run, 2)
		if d := cmp.Diff(want, contents(t, dir)); d != "" {
			t.Fatalf("stopped at file %d and continued (-never stopped):\n%s", blocks, d)
		}
	}
}

// fullDisk makes files that can hold a number of bytes in all.
type fullDisk struct{ left atomic.Int64 }

type fullFile struct {
	*os.File
	disk *fullDisk
}

func (d *fullDisk) create(path string) (arrowfile.File, error) {
	f, err := os.Create(path)
	return &fullFile{f, d}, err
}

func (f *fullFile) Write(p []byte) (int, error) {
	left := f.disk.left.Add(-int64(len(p)))
	if left >= 0 {
		return f.File.Write(p)
	}
	n, _ := f.File.Write(p[:max(0, left+int64(len(p)))])
	return n, syscall.ENOSPC
}

// A disk that is full at any byte leaves whole files and nothing else, and the
// run goes on once there is room.
func TestFullDisk(t *testing.T) {
	run := newRun(t, "ema_2016", schema.Decisions)
	run.Agents = randomAgents
	whole := t.TempDir()
	mustPlay(t, whole, run, 2)
	want := contents(t, whole)
	size := int64(0)
	for _, f := range mustOpen(t, whole).Manifest.Files {
		size += f.Bytes
	}
	r := rand.New(rand.NewPCG(3, 4))
	for i := range samples(3, 12, 300) {
		dir := t.TempDir()
		disk := &fullDisk{}
		room := r.Int64N(size)
		if i < 2 {
			room = r.Int64N(6000) // within the first manifest, or just after it
		}
		disk.left.Store(room)
		s := realSystem
		s.create = disk.create
		err := play(t.Context(), dir, run, 2, s)
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("room for %d bytes: %v", room, err)
		}
		checkWhole(t, dir)
		for _, e := range readDir(t, dir) {
			if strings.HasSuffix(e.Name(), tempSuffix) {
				t.Errorf("room for %d bytes: %s was left behind", room, e.Name())
			}
		}
		mustPlay(t, dir, run, 2)
		if d := cmp.Diff(want, contents(t, dir)); d != "" {
			t.Fatalf("room for %d bytes, then more (-always enough):\n%s", room, d)
		}
	}
}

// What is in the folder decides what may be done there.
func TestFolder(t *testing.T) {
	run := newRun(t, "ema_2016", schema.Hands)
	run.Agents = randomAgents
	whole := t.TempDir()
	mustPlay(t, whole, run, 2)
	write := func(t *testing.T, dir, name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	other := func(change func(r *Run)) func(t *testing.T, dir string) *Run {
		return func(*testing.T, string) *Run {
			r := *run
			change(&r)
			return &r
		}
	}
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir string) *Run // the run to ask for; nil for the same
		err    string                              // empty if it may be continued
	}{
		{"same", func(*testing.T, string) *Run { return nil }, ""},
		{"seed", other(func(r *Run) { r.Seed = 8 }), "seed is 7 there, 8 here"},
		{"matches", other(func(r *Run) { r.Matches = 90 }), "number of matches is 96 there, 90 here"},
		{"agents", other(func(r *Run) { r.Agents = []string{"random", "climber", "random", "random"} }), "list of agents is [random random random random] there, [random climber random random] here"},
		{"seats", other(func(r *Run) { r.KeepSeats = true }), "keep-seats is false there, true here"},
		{"record", other(func(r *Run) { r.Record = schema.Decisions }), "record is hands there, decisions here"},
		{"files", other(func(r *Run) { r.FileMatches = 128 }), "matches a file is 64 there, 128 here"},
		{"ruleset", other(func(r *Run) { r.Ruleset = newRun(t, "ema_2016_en", schema.Hands).Ruleset }), "ruleset is ema_2016 there, ema_2016_en here"},
		{"lost file", func(t *testing.T, dir string) *Run {
			if err := os.Remove(filepath.Join(dir, "hands-000001.arrow")); err != nil {
				t.Fatal(err)
			}
			return nil
		}, "hands-000001.arrow is missing or of another size"},
		{"cut file", func(t *testing.T, dir string) *Run {
			if err := os.Truncate(filepath.Join(dir, "hands-000001.arrow"), 100); err != nil {
				t.Fatal(err)
			}
			return nil
		}, "hands-000001.arrow is missing or of another size"},
		{"damaged manifest", func(t *testing.T, dir string) *Run {
			write(t, dir, manifestName, "{}")
			return nil
		}, "manifest.json is damaged: schema_version: missing"},
		{"lost manifest", func(t *testing.T, dir string) *Run {
			if err := os.Remove(filepath.Join(dir, manifestName)); err != nil {
				t.Fatal(err)
			}
			return nil
		}, "it holds no dataset, but hands-000000.arrow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := copyOf(t, whole)
			write(t, dir, "notes.txt", "mine")
			asked := c.change(t, dir)
			if asked == nil {
				asked = run
			}
			before := contents(t, dir)
			w, err := Create(dir, asked, false)
			if c.err == "" {
				if err != nil {
					t.Fatal(err)
				}
				if w.Next() != run.Matches || w.WholeMatches() != run.Matches {
					t.Errorf("next %d, whole %d", w.Next(), w.WholeMatches())
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
			} else if !errors.Is(err, ErrOccupied) || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%v, want %s", err, c.err)
			}
			if d := cmp.Diff(before, contents(t, dir)); d != "" {
				t.Fatalf("the folder was changed:\n%s", d)
			}
			w, err = Create(dir, asked, true)
			if err != nil {
				t.Fatal(err)
			}
			if w.Next() != 0 {
				t.Errorf("with force, the next match is %d", w.Next())
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			after := contents(t, dir)
			if after["notes.txt"] != before["notes.txt"] || len(after) != 2 {
				t.Errorf("with force, the folder holds %v", after)
			}
			mustPlay(t, dir, asked, 2)
			if err := verify(t, dir); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestForeignFolder(t *testing.T) {
	run := newRun(t, "ema_2016", schema.Matches)
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir, run, false); !errors.Is(err, ErrOccupied) {
		t.Errorf("a folder with a file: %v", err)
	}
	for _, force := range []bool{false, true} {
		if _, err := Create(file, run, force); !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("a file: %v", err)
		}
	}
	if d := len(readDir(t, dir)); d != 1 {
		t.Errorf("%d files", d)
	}
}

func TestLock(t *testing.T) {
	run := newRun(t, "ema_2016", schema.Matches)
	dir := t.TempDir()
	w, err := Create(dir, run, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, force := range []bool{false, true} {
		if _, err := Create(dir, run, force); !errors.Is(err, ErrLocked) {
			t.Errorf("a second writer: %v", err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	mustPlay(t, dir, run, 1)
}

// The file writer of the Arrow library is the oracle of ours.
func TestArrowFile(t *testing.T) {
	run := newRun(t, "tenhou", schema.Decisions)
	dir := t.TempDir()
	mustPlay(t, dir, run, 2)
	d := mustOpen(t, dir)
	for _, info := range d.Manifest.Files {
		path := filepath.Join(dir, info.Name)
		ours, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer ours.Close()
		a, err := ipc.NewFileReader(ours)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := os.Create(filepath.Join(t.TempDir(), info.Name))
		if err != nil {
			t.Fatal(err)
		}
		defer theirs.Close()
		w, err := ipc.NewFileWriter(theirs, ipc.WithSchema(a.Schema()))
		if err != nil {
			t.Fatal(err)
		}
		for i := range a.NumRecords() {
			r, err := a.Record(i)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Write(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		b, err := ipc.NewFileReader(theirs)
		if err != nil {
			t.Fatal(err)
		}
		if a.NumRecords() != b.NumRecords() || a.Version() != b.Version() || a.NumDictionaries() != b.NumDictionaries() || !a.Schema().Equal(b.Schema()) {
			t.Errorf("%s: footers differ", info.Name)
		}
		for i := range a.NumRecords() {
			x, err := a.RecordAt(i)
			if err != nil {
				t.Fatal(err)
			}
			y, err := b.RecordAt(i)
			if err != nil {
				t.Fatal(err)
			}
			if !array.RecordEqual(x, y) {
				t.Errorf("%s: batch %d differs", info.Name, i)
			}
		}
		// The schema and the dictionaries are theirs to the byte.
		x, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		y, err := os.ReadFile(theirs.Name())
		if err != nil {
			t.Fatal(err)
		}
		e, err := d.layout.Envelope(info.Table)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(e.Head()); !bytes.Equal(x[:n], y[:n]) {
			t.Errorf("%s: what stands before the batches differs", info.Name)
		}
		// And a file is a stream with something around it.
		s, err := ipc.NewReader(bytes.NewReader(x[8:]))
		if err != nil {
			t.Fatal(err)
		}
		rows := int64(0)
		for s.Next() {
			rows += s.Record().NumRows()
		}
		if s.Err() != nil && s.Err() != io.EOF || rows != info.Rows {
			t.Errorf("%s as a stream: %d rows, %v", info.Name, rows, s.Err())
		}
	}
}

// checkedAllocator is a memory.CheckedAllocator for several goroutines.
type checkedAllocator struct {
	mu sync.Mutex
	*memory.CheckedAllocator
}

func (c *checkedAllocator) Allocate(size int) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.CheckedAllocator.Allocate(size)
}

func (c *checkedAllocator) Reallocate(size int, b []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.CheckedAllocator.Reallocate(size, b)
}

func (c *checkedAllocator) Free(b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.CheckedAllocator.Free(b)
}

// Nothing that Arrow counts references of is kept.
func TestLeaks(t *testing.T) {
	for record := range schema.Decisions + 1 {
		mem := &checkedAllocator{CheckedAllocator: memory.NewCheckedAllocator(memory.NewGoAllocator())}
		s := realSystem
		s.mem = mem
		dir := t.TempDir()
		if err := play(t.Context(), dir, newRun(t, "ema_2016", record), 2, s); err != nil {
			t.Fatal(err)
		}
		mem.AssertSize(t, 0)
		d := mustOpen(t, dir)
		d.mem = mem
		collect(t, d.MatchRows())
		if record >= schema.Hands {
			collect(t, d.HandRows())
		}
		if _, err := d.Match(90); err != nil {
			t.Error(err)
		}
		if err := d.Verify(t.Context(), 2, func(int) {}); err != nil {
			t.Error(err)
		}
		// The library's file reader keeps the dictionaries of each file that was opened.
		kept := map[schema.Table]int{}
		left := mem.CurrentAlloc()
		for _, info := range d.Manifest.Files {
			before := mem.CurrentAlloc()
			p, err := d.openPart(info.First/d.Run.FileMatches, []schema.Table{info.Table}, false)
			if err != nil {
				t.Fatal(err)
			}
			p.close()
			kept[info.Table] = mem.CurrentAlloc() - before
		}
		accounted := false
		for hands := range 20 {
			for decisions := range 20 {
				for matches := range 20 {
					rest := left - hands*kept[schema.Hands] - decisions*kept[schema.Decisions] - matches*kept[schema.Matches]
					accounted = accounted || rest == 0 || rest > 0 && kept[schema.Wins] > 0 && rest%kept[schema.Wins] == 0
				}
			}
		}
		if !accounted {
			t.Errorf("%v: %d bytes are kept; the dictionaries have %v", record, left, kept)
		}
	}
}
