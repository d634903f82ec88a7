package rows

import (
	"slices"
	"testing"
)

const source = `package some

// Comments by themselves are no rows.
const (
	first  = iota // one: First; 一; 1
	second        // two: Second: it has a colon; 二; -2
	third
)

func use() {
	if third > 2 {
		third-- // nor is this: a comment in a function
	}
}
`

func TestTable(t *testing.T) {
	want := [][]string{{"one", "First", "一", "1"}, {"two", "Second: it has a colon", "二", "-2"}}
	table := Table(source)
	if !slices.EqualFunc(table, want, slices.Equal) {
		t.Fatalf("%q, want %q", table, want)
	}
	if n := Number(table[1][3]); n != -2 {
		t.Errorf("number %d", n)
	}
	for range All(source) {
		break
	}
}

func TestNoNumber(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a word passes for a number")
		}
	}()
	Number("First")
}
