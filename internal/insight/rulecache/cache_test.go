package rulecache

import (
	"errors"
	"runtime"
	"testing"
	"weak"

	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

type derived struct {
	rules *ruleset.Rules
	data  []byte
}

// TestShared checks that callers share a value while one of them has it, and that errors
// are not kept.
func TestShared(t *testing.T) {
	var c Cache[derived]
	r := &ruleset.Rules{Name: "one"}
	fail := errors.New("fail")
	if _, err := c.Get(r, func() (*derived, error) { return nil, fail }); err != fail {
		t.Fatal(err)
	}
	compute := func() (*derived, error) { return &derived{rules: r}, nil }
	a, _ := c.Get(r, compute)
	runtime.GC()
	if b, err := c.Get(r, compute); a != b || err != nil {
		t.Error("the value is computed again while it is used")
	}
	other := &ruleset.Rules{Name: "other"}
	if b, _ := c.Get(other, func() (*derived, error) { return &derived{rules: other}, nil }); b.rules != other {
		t.Error("two rulesets share a value")
	}
	runtime.KeepAlive(a)
}

// TestFreed checks that the cache keeps neither a value nor its ruleset, and drops the entry.
func TestFreed(t *testing.T) {
	var c Cache[derived]
	var rules []weak.Pointer[ruleset.Rules]
	for range 3 {
		r := &ruleset.Rules{Name: "one"}
		if _, err := c.Get(r, func() (*derived, error) { return &derived{r, make([]byte, 1<<20)}, nil }); err != nil {
			t.Fatal(err)
		}
		rules = append(rules, weak.Make(r))
	}
	empty := func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.values) == 0
	}
	if !poll.Until(func() bool { runtime.GC(); return empty() }) {
		t.Error("the cache is not empty")
	}
	for _, r := range rules {
		if r.Value() != nil {
			t.Error("a ruleset that nothing uses is kept")
		}
	}
	if !empty() {
		t.Errorf("%d entries are left", len(c.values))
	}
}
