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
	s = serve(t, o)
	s.play(t)
	s.stop()
	want, got := files(t, filepath.Join(whole.Out, "match-0001")), files(t, filepath.Join(o.Out, "match-0001"))
	if !bytes.Equal(want, got) {
		t.Error("the match that was interrupted differs from the one that was not")
	}
}

// Without a seed each match draws one: a match that was interrupted goes on with its own, and the
// next does not follow from it.
func TestDrawnSeeds(t *testing.T) {
	seed := func(dir string) uint64 {
		o := options(t, "tenhou", "value", 2)
		o.Out, o.Seed = dir, nil
		s := serve(t, o)
		s.firstQuestion(t)
		s.stop()
		name := filepath.Join(dir, "match-0001.journal")
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("the journal, which has the seed, is readable by others: %v, %v", info.Mode(), err)
		}
		line, _, _ := bytes.Cut(text, []byte("\n"))
		var head journalHead
		if err := json.Unmarshal(line, &head); err != nil {
			t.Fatal(err)
		}
		return head.Seed
	}
	dir := t.TempDir()
	first := seed(dir)
	if again := seed(dir); again != first {
		t.Errorf("a match of seed %d goes on with %d", first, again)
	}
	if other := seed(t.TempDir()); other-first+1000 < 2000 || other < 1<<20 {
		t.Errorf("seed %d is near %d, or small", other, first)
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

// serve2 returns the error with which a sitting ends at once.
// A second table cannot write to the folder of one that plays.
func TestTwoTables(t *testing.T) {
	o := options(t, "tenhou", "value", 2)
	o.Out = t.TempDir()
	serve(t, o).firstQuestion(t)
	if err := serve2(t, o); err == nil || !strings.Contains(err.Error(), "another table plays here") {
		t.Errorf("a second table in the same folder: %v", err)
	}
}

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
