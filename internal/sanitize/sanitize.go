// Package sanitize makes text from outside, such as the names of players and agents, safe to
// print. Characters that would move the cursor, change colors or the direction of writing,
// or break a line become escapes. [Guard] gives pages the policy that they load nothing from elsewhere.
//
//	fmt.Println(sanitize.Line(name))
package sanitize

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Line returns a text as one line of printable characters. All others become escapes as in
// JSON: \u001b, \u000a.
func Line(text string) string {
	for i := 0; i < len(text); i++ {
		if b := text[i]; b < ' ' || b > '~' {
			return string(appendPlain(nil, []byte(text), ""))
		}
	}
	return text
}

// CheckLine returns an error if a text of some kind, such as a name, is empty, cannot be shown in one
// line, or has more than a number of characters.
func CheckLine(what, text string, most int) error {
	switch {
	case strings.TrimSpace(text) == "" || strings.TrimSpace(text) != text:
		return fmt.Errorf("the %s %q is empty or has spaces around it", what, text)
	case utf8.RuneCountInString(text) > most:
		return fmt.Errorf("the %s %q has %d characters; allowed: %d", what, text, utf8.RuneCountInString(text), most)
	case Line(text) != text:
		return fmt.Errorf("the %s %s has characters that cannot be printed", what, Line(text))
	}
	return nil
}

// Lines returns the elements of a list as lines.
func Lines(list []string) []string {
	lines := make([]string, len(list))
	for i, text := range list {
		lines[i] = Line(text)
	}
	return lines
}

// appendPlain appends text with all but printable characters escaped, except those in keep.
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

// Writer escapes all characters that are not printable, except line feeds and tabs, and
// writes to another writer. JSON keeps its meaning.
type Writer struct {
	// W is the writer below, which may also be written to directly.
	W io.Writer
	// rest is the beginning of a character whose end has not been written yet.
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

// policy is what the headers of a served page say, for pages that are opened from a folder or served
// by another program: they load nothing from elsewhere, and requests do not have their address.
const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">`

// Guard returns the text of a page with a policy after its character set.
func Guard(text string) string {
	const charset = `<meta charset="utf-8">`
	return strings.Replace(text, charset, charset+"\n"+policy, 1)
}
