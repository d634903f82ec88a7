package table

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/export/dataset"
)

// TestRestart ends a sitting in the midst of a match and starts it again: the match goes on
// where it stood, and ends as it does without a break.
func TestRestart(t *testing.T) {
	whole := options(t, "tenhou", "value", 2)
	whole.Out = t.TempDir()
	one := serve(t, whole)
	one.play(t)
	one.stop()

	o := options(t, "tenhou", "value", 2)
	o.Out = t.TempDir()
	s := serve(t, o)
	answers := 0
	s.follow(t, s.Key(0), "", func(m received) bool {
		if m.kind != "question" {
			return true
		}
		var q questionData
		if err := json.Unmarshal([]byte(m.data), &q); err != nil {
			t.Fatal(err)
		}
		if answers == 5 {
			return false
		}
		answers++
		s.answer(t, s.Key(0), q.Question, q.Legal[len(q.Legal)/2])
		return true
	})
	s.stop()
	other := o
	other.Seed = new(uint64(8))
	if err := serve2(t, other); err == nil || !strings.Contains(err.Error(), "is in progress here") {
		t.Errorf("another seed: %v", err)
	}
	// A crash or a full disk may leave the folder of the match before there is a manifest in it.
	if err := os.Mkdir(filepath.Join(o.Out, "match-0001"), 0o777); err != nil {
		t.Fatal(err)
	}
	s = serve(t, o)
	s.play(t)
	s.stop()
	want, got := files(t, filepath.Join(whole.Out, "match-0001")), files(t, filepath.Join(o.Out, "match-0001"))
	if !bytes.Equal(want, got) {
		t.Error("the match that was interrupted differs from the one that was not")
	}
}

// unsynced is the file of a journal that counts the bytes which a power failure would lose.
type unsynced struct {
	journalFile
	bytes atomic.Int64
}

func (f *unsynced) Write(b []byte) (int, error) {
	f.bytes.Add(int64(len(b)))
	return f.journalFile.Write(b)
}

func (f *unsynced) Sync() error {
	f.bytes.Store(0)
	return f.journalFile.Sync()
}

// What a page is sent of a match follows from what is on the disk: no power failure takes back what
// a person has seen.
func TestJournalSync(t *testing.T) {
	o := options(t, "tenhou", "value", 2)
	o.Out = t.TempDir()
	file := &unsynced{}
	s := serveBy(t, o, func(s *Sitting) {
		s.openFile = func(name string) (_ journalFile, err error) {
			file.journalFile, err = openFile(name)
			return file, err
		}
	})
	questions := 0
	s.follow(t, s.Key(0), "", func(m received) bool {
		if n := file.bytes.Load(); n > 0 && m.kind == "question" {
			t.Errorf("question %d is asked with %d bytes that are not on the disk", questions, n)
		}
		if m.kind != "question" {
			return true
		}
		var q questionData
		if err := json.Unmarshal([]byte(m.data), &q); err != nil {
			t.Fatal(err)
		}
		if questions++; questions == 8 {
			return false
		}
		s.answer(t, s.Key(0), q.Question, q.Legal[len(q.Legal)/2])
		return true
	})
}

// Without a seed each match has a seal: its commitment is published before the first hand, a match
// that was interrupted goes on with it, and at the end its dataset and the pages reveal it.
func TestSealedMatch(t *testing.T) {
	o := options(t, "tenhou", "value", 2)
	o.Out, o.Seed = t.TempDir(), nil
	journal := filepath.Join(o.Out, "match-0001.journal")
	begin := func() (commitment string) {
		s := serve(t, o)
		defer s.stop()
		s.follow(t, s.Key(0), "", func(m received) bool {
			if m.kind == "match" {
				var d matchData
				if err := json.Unmarshal([]byte(m.data), &d); err != nil {
					t.Fatal(err)
				}
				commitment = d.Commitment
			}
			return m.kind != "question"
		})
		return commitment
	}
	first := begin()
	if len(first) != 64 {
		t.Fatalf("commitment %q", first)
	}
	if info, err := os.Stat(journal); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the journal, which has the secret, is readable by others: %v, %v", info.Mode(), err)
	}
	if again := begin(); again != first {
		t.Errorf("a match with the commitment %s goes on with %s", first, again)
	}
	s := serve(t, o)
	s.play(t)
	s.stop()
	d, err := dataset.Open(filepath.Join(o.Out, "match-0001"))
	if err != nil {
		t.Fatal(err)
	}
	if sealed := d.Manifest.Sealed; sealed == nil || sealed.Commitment != first || !d.Run.Seal.Known() {
		t.Errorf("the dataset is of the seal %v, the commitment was %s", sealed, first)
	}
	if err := d.Verify(t.Context(), 1, func(int) {}); err != nil {
		t.Error(err)
	}
	if other := begin(); other == first {
		t.Error("the next match has the same seal")
	}
	for _, damage := range []string{`"salt":"`, `"seed":"`} {
		text, err := os.ReadFile(filepath.Join(o.Out, "match-0002.journal"))
		if err != nil {
			t.Fatal(err)
		}
		damaged := filepath.Join(o.Out, "match-0002.journal")
		if err := os.WriteFile(damaged, bytes.Replace(text, []byte(damage), []byte(damage+"00"), 1), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := serve2(t, o); err == nil || !strings.Contains(err.Error(), "match-0002.journal") {
			t.Errorf("a journal with a damaged %s: %v", damage, err)
		}
		if err := os.WriteFile(damaged, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A journal that is a device, which would be read for ever, is refused.
func TestJournalOfDevice(t *testing.T) {
	o := options(t, "tenhou", "value", 2)
	o.Out = t.TempDir()
	if err := os.Symlink(os.DevNull, filepath.Join(o.Out, "match-0001.journal")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Play(ctx); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a device as journal: %v", err)
	}
}

// A second table cannot write to the folder of one that plays.
func TestTwoTables(t *testing.T) {
	o := options(t, "tenhou", "value", 2)
	o.Out = t.TempDir()
	serve(t, o).firstQuestion(t)
	if err := serve2(t, o); err == nil || !strings.Contains(err.Error(), "another table plays here") {
		t.Errorf("a second table in the same folder: %v", err)
	}
}

// serve2 returns the error with which a sitting ends at once.
func serve2(t *testing.T, o Options) error {
	t.Helper()
	s, err := New(o)
	if err != nil {
		return err
	}
	return s.Play(t.Context())
}

// files returns the rows of the decisions of a dataset as text.
func files(t *testing.T, dir string) []byte {
	t.Helper()
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for row, err := range d.DecisionRows() {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%v\n", row)
	}
	return b.Bytes()
}
