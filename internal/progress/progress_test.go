package progress

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestProgress(t *testing.T) {
	now := time.Unix(0, 0)
	var b strings.Builder
	p := newAt(&b, "matches", 1000, func() time.Time { return now })
	for range 10 {
		now = now.Add(2 * time.Second)
		p.Add(100)
	}
	p.End()
	want := "300 of 1000 matches, 50 matches/s, 14s left\n600 of 1000 matches, 50 matches/s, 8s left\n900 of 1000 matches, 50 matches/s, 2s left\n"
	if b.String() != want || p.Done() != 1000 || p.Seconds() != 20 {
		t.Errorf("%d in %v s:\n%s", p.Done(), p.Seconds(), b.String())
	}
	b.Reset()
	endless := newAt(&b, "matches", math.MaxUint64, func() time.Time { return now })
	now = now.Add(lineInterval)
	endless.Add(5)
	if want := "1 matches/s, 2500000h0m0s left\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("%q, want %q at the end", b.String(), want)
	}
	silent := newAt(nil, "matches", 10, func() time.Time { return now })
	now = now.Add(time.Minute)
	silent.Add(5)
	silent.End()
}

// TestFile reads the file of the progress: at once, after five seconds, and at the end.
func TestFile(t *testing.T) {
	now := time.Unix(0, 0)
	path := filepath.Join(t.TempDir(), "progress.json")
	p := newAt(nil, "matches", 1000, func() time.Time { return now })
	read := func(want string) {
		t.Helper()
		if text, err := os.ReadFile(path); err != nil || string(text) != want+"\n" {
			t.Errorf("%s, %v\nwant %s", text, err, want)
		}
	}
	if err := p.WriteTo(path); err != nil {
		t.Fatal(err)
	}
	read(`{"what":"matches","done":0,"total":1000,"seconds":0,"per_second":0,"ended":false,"updated":"1970-01-01T00:00:00Z"}`)
	p.Skip(500)
	for range 2 {
		now = now.Add(3 * time.Second)
		p.Add(60)
	}
	read(`{"what":"matches","done":620,"total":1000,"seconds":6,"per_second":20,"ended":false,"updated":"1970-01-01T00:00:06Z"}`)
	now = now.Add(time.Second)
	p.End()
	read(`{"what":"matches","done":620,"total":1000,"seconds":7,"per_second":17.142857142857142,"ended":true,"updated":"1970-01-01T00:00:07Z"}`)
	if err := p.WriteTo(filepath.Join(path, "nowhere")); err == nil {
		t.Error("a file in a file is written")
	}
}
