// Package plain makes text that others wrote, such as the names of players and
// agents, safe to print: what would move the cursor, change colours or the
// direction of writing, or break a line is written as an escape.
package plain

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Line returns a text as one line of printable characters. All others become
// escapes as in JSON: \u001b, \u000a.
func Line(text string) string {
	for i := 0; i < len(text); i++ {
		if b := text[i]; b < ' ' || b > '~' {
			return string(appendPlain(nil, []byte(text), ""))
		}
	}
	return text
}

// Lines returns the elements of a list as lines.
func Lines(list []string) []string {
	lines := make([]string, len(list))
	for i, text := range list {
		lines[i] = Line(text)
	}
	return lines
}

// appendPlain appends text, in which the characters of keep stay as they are.
func appendPlain(dst, text []byte, keep string) []byte {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			dst = append(dst, `\ufffd`...)
		case unicode.IsPrint(r) || strings.ContainsRune(keep, r):
			dst = append(dst, text[:n]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			dst = fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
		text = text[n:]
	}
	return dst
}

// Writer writes to another writer. Characters that are not printable, all but line
// feeds and tabs, become escapes, so that the terminal is safe whatever is printed.
// JSON means the same after it.
type Writer struct {
	// W is what is written to, also by what is not text.
	W io.Writer
	// rest is the beginning of a character that has not been written whole.
	rest, buf []byte
}

// Write implements io.Writer.
func (p *Writer) Write(text []byte) (int, error) {
	whole := append(p.rest, text...)
	end := len(whole)
	for i := max(0, end-utf8.UTFMax+1); i < end; i++ {
		if utf8.RuneStart(whole[i]) && !utf8.FullRune(whole[i:]) {
			end = i
		}
	}
	p.buf = appendPlain(p.buf[:0], whole[:end], "\n\t")
	p.rest = append([]byte(nil), whole[end:]...)
	if _, err := p.W.Write(p.buf); err != nil {
		return 0, err
	}
	return len(text), nil
}
