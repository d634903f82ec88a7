// Package rulestest is what the tests of several families share: presets with knobs
// changed, files of cases, what defines waits and shanten, and what a settlement moves.
package rulestest

import (
	"bytes"
	"encoding/json"
	"iter"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/cases"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// Rules returns the rules of a preset with some knobs changed; nil changes none.
func Rules(t testing.TB, name string, overrides map[string]any) *ruleset.Rules {
	t.Helper()
	r, err := configs.LoadWith(name, overrides)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Config returns the knobs of a preset, some of them changed. C is the
// configuration of the preset's family, such as *riichi.Config.
func Config[C ruleset.Config](t testing.TB, name string, overrides map[string]any) C {
	t.Helper()
	r, err := configs.Change(name, overrides)
	if err != nil {
		t.Fatal(err)
	}
	return r.Config.(C)
}

// EachLine calls test with each line of a file of JSON objects, as text and read
// into a T.
func EachLine[T any](t *testing.T, file string, test func(line []byte, c T)) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var c T
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		test(line, c)
	}
}

// Fields are those of a line of a published table.
type Fields []string

// Int returns the number in field i. It panics if there is none.
func (f Fields) Int(i int) int {
	n, err := strconv.Atoi(f[i])
	if err != nil {
		panic(err)
	}
	return n
}

// Table returns the lines of a file of fields that tabs separate.
func Table(t testing.TB, file string) iter.Seq[Fields] {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(Fields) bool) {
		for line := range strings.Lines(string(text)) {
			if !yield(strings.Split(strings.TrimSpace(line), "\t")) {
				return
			}
		}
	}
}

// EachCase runs a test for each line of a file of cases, named by its member id. The
// cases are kept in the words of the rules.
func EachCase[T any](t *testing.T, file string, test func(*testing.T, T)) {
	t.Helper()
	EachLine(t, file, func(line []byte, c T) {
		var id struct{ ID string }
		if err := json.Unmarshal(line, &id); err != nil {
			t.Fatal(err)
		}
		t.Run(id.ID, func(t *testing.T) { test(t, c) })
	})
}

// Scored scores the cases of a file and compares every member that they expect.
func Scored(t *testing.T, file string) {
	t.Helper()
	type example struct {
		ID     string
		Expect json.RawMessage
	}
	EachLine(t, file, func(line []byte, c example) {
		t.Run(c.ID, func(t *testing.T) {
			answer, ok := cases.Score(line, "", configs.LoadWith)
			if !ok {
				t.Fatalf("%s", answer)
			}
			if err := cases.Check(c.Expect, answer); err != nil {
				t.Error(err)
			}
		})
	})
}

// Net is what the payments of s move, by chair and, last, the pot.
func Net(s *ruleset.Settlement) (n [ruleset.NumPlayers + 1]int) {
	for _, p := range s.Payments[:s.NumPayments] {
		n[p.From] -= int(p.Amount)
		n[p.To] += int(p.Amount)
	}
	return n
}

// Waits checks what defines waits: the kinds that complete a win with another tile of
// them. A fifth tile of a kind is none.
func Waits(t *testing.T, w *ruleset.Win, waits tile.Set, complete func(*ruleset.Win) bool) {
	t.Helper()
	for k := range tile.Kind(tile.NumKinds) {
		if w.Hand.Count(k) == 4 {
			continue
		}
		full := *w
		full.Hand.Add(k)
		full.Tile = k
		if ok := complete(&full); ok != waits.Has(k) {
			t.Fatalf("%s with %v: complete %v, waits %v", show(&w.Hand), k, ok, waits)
		}
	}
}

// Shanten checks the definition of shanten for a hand that is not complete. It is 0 with a
// wait of which a tile is left. Otherwise it is one more than the least shanten that a draw
// and a discard lead to.
func Shanten(t *testing.T, h hand.Hand, shanten func(*hand.Hand) int, waits func(*hand.Hand) tile.Set) {
	t.Helper()
	got := shanten(&h)
	if ready := waits(&h)&^h.AtLeast(4) != 0; ready != (got == 0) {
		t.Fatalf("%s: shanten %d, waits %v", show(&h), got, waits(&h))
	}
	least := 99
	for in := range tile.Kind(tile.NumKinds) {
		if h.Count(in) == 4 {
			continue
		}
		h.Add(in)
		for out := h.Kinds(); out != 0; out = out.Rest() {
			h.Remove(out.First())
			least = min(least, shanten(&h))
			h.Add(out.First())
		}
		h.Remove(in)
	}
	if want := max(0, got-1); least != want {
		t.Fatalf("%s: shanten %d, after one exchange %d", show(&h), got, least)
	}
}

func show(h *hand.Hand) string {
	var b strings.Builder
	for k, n := range h.Counts() {
		b.WriteString(strings.Repeat(tile.Kind(k).String(), int(n)))
	}
	return b.String()
}

// Sample is how often to try something at random: quick times, long ones where
// SPARROWHALL_LONG selects the long tests.
func Sample[T int | uint64](quick, long T) T {
	if os.Getenv("SPARROWHALL_LONG") == "" {
		return quick
	}
	return long
}
