package configs

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/sparrowhall/sparrowhall/internal/userfile"
)

// A ruleset may come from a stranger, so its size is checked before anything is
// built from it. The largest preset has 7 KB, 130 keys and a depth of 2.
const (
	maxBytes  = 32 << 10 // of a file
	maxKeys   = 500      // of a file
	maxKey    = 100      // bytes of a key with the tables it names
	maxDepth  = 8        // of tables, lists and parts of keys in each other
	maxChain  = 16       // files that start from each other
	maxErrors = 20       // listed for one file
	maxText   = 1000     // bytes of an error; it may repeat a value of the file
)

// readFile returns the text of a ruleset file of at most maxBytes.
func readFile(ctx context.Context, path string) ([]byte, error) {
	text, err := userfile.Read(ctx, path, maxBytes)
	if errors.Is(err, userfile.ErrTooLarge) {
		return nil, Errors{tooLarge(path)}
	}
	return text, err
}

func tooLarge(file string) *Error {
	return &Error{File: file, Message: fmt.Sprintf("too large for a ruleset; allowed: %d bytes", maxBytes)}
}

// checkSize returns an error for a text that is too large, has too many or too long
// keys, or is nested too deep; otherwise nil. It keeps one expression at a time.
// It stops at broken TOML, which the decoder reports.
func checkSize(file string, text []byte) *Error {
	if len(text) > maxBytes {
		return tooLarge(file)
	}
	var p unstable.Parser
	p.Reset(text)
	var all size
	table := 0
	for p.NextExpression() {
		e := p.Expression()
		s := sizeOf(e)
		if e.Kind == unstable.KeyValue {
			s.depth += table
		} else {
			table = s.depth
		}
		all.keys += s.keys
		why := ""
		switch {
		case s.depth > maxDepth:
			why = fmt.Sprintf("keys, lists and tables are nested too deep; the greatest depth is %d", maxDepth)
		case s.key > maxKey:
			why = fmt.Sprintf("a key of %d bytes; allowed: %d", s.key, maxKey)
		case all.keys > maxKeys:
			why = fmt.Sprintf("too many keys; allowed: %d", maxKeys)
		default:
			continue
		}
		line := 0
		if path := e.Key(); path.Next() {
			line = p.Shape(path.Node().Raw).Start.Line
		}
		return &Error{File: file, Line: line, Message: why}
	}
	return nil
}

// size is the size of an expression or value.
type size struct {
	keys  int // those of tables within included
	key   int // bytes of the longest
	depth int
}

// sizeOf returns the size of an expression or of a value. The parser bounds how
// deep values are nested.
func sizeOf(n *unstable.Node) size {
	var s size
	switch n.Kind {
	case unstable.Array, unstable.InlineTable:
		for children := n.Children(); children.Next(); {
			c := sizeOf(children.Node())
			s = size{s.keys + c.keys, max(s.key, c.key), max(s.depth, c.depth)}
		}
		s.depth++
	case unstable.KeyValue, unstable.Table, unstable.ArrayTable:
		parts, key := 0, 0
		for path := n.Key(); path.Next(); parts++ {
			key += len(path.Node().Data) + 1
		}
		if n.Kind == unstable.KeyValue {
			s = sizeOf(n.Value())
		}
		s = size{s.keys + 1, max(s.key, key-1), s.depth + parts}
	}
	return s
}

// limit returns the errors to list: at most maxErrors, each at most maxText long.
func (e Errors) limit() Errors {
	if len(e) > maxErrors {
		e = append(e[:maxErrors:maxErrors], &Error{File: e[0].File, Message: fmt.Sprintf("more errors; the first %d are listed", maxErrors)})
	}
	for _, err := range e {
		err.Key, err.Message = shorten(err.Key, maxKey), shorten(err.Message, maxText)
	}
	return e
}

// shorten leaves out the middle of a long text: errors end with what is allowed.
func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	head, tail := most/2, len(s)-most/2
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + " ... " + s[tail:]
}
