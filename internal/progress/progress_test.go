package progress

import (
	"math"
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
