package record

import (
	"bufio"
	"bytes"
)

// SplitJSON is a [Format.Split] of records that are JSON objects or arrays, one
// after another, on lines of their own or not. A record that breaks off takes
// none of those after it along if they begin on lines of their own.
func SplitJSON(data []byte, atEOF bool) (advance int, token []byte, err error) {
	skip := Blank(data)
	rest := data[skip:]
	switch n := valueLength(rest); {
	case len(rest) == 0:
		return skip, nil, nil
	case n > 0:
		return skip + n, rest[:n], nil
	case atEOF || len(data) >= maxRecord:
		n = len(rest)
		if i := bytes.Index(rest, []byte("\n{")); i > 0 {
			n = i
		}
		return skip + n, rest[:n], nil
	}
	return 0, nil, nil
}

// Elements returns a [Format.Split] of records that stand as another one cuts them,
// or are the elements of an array.
func Elements(split bufio.SplitFunc) bufio.SplitFunc {
	return func(data []byte, atEOF bool) (advance int, token []byte, err error) {
		skip := len(data) - len(bytes.TrimLeft(data, " \t\r\n,]"))
		if skip < len(data) && data[skip] == '[' {
			skip += 1 + Blank(data[skip+1:])
		}
		if skip == len(data) {
			return skip, nil, nil
		}
		advance, token, err = split(data[skip:], atEOF)
		if advance == 0 {
			return 0, nil, err
		}
		return skip + advance, token, err
	}
}

// SplitLines is a [Format.Split] of records of a line each.
func SplitLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	skip := Blank(data)
	rest := data[skip:]
	i := bytes.IndexByte(rest, '\n')
	switch {
	case len(rest) == 0:
		return skip, nil, nil
	case i >= 0:
		return skip + i + 1, bytes.TrimRight(rest[:i], "\r"), nil
	case atEOF:
		return len(data), rest, nil
	}
	return 0, nil, nil
}

// Blank returns the length of the white space that data begins with.
func Blank(data []byte) int {
	return len(data) - len(bytes.TrimLeft(data, " \t\r\n"))
}

// maxDepth is how deep no record of any form nests. Without it the rest of a file
// would be looked through for the end of each of many records that break off.
const maxDepth = 32

// valueLength returns the length of the JSON object or array at the beginning of
// data, or of what must be taken for a broken one; 0 if its end is not there. What
// begins neither is taken up to the end of its line.
func valueLength(data []byte) int {
	depth, inString := 0, false
	last := byte('{') // before, white space left out
	for i := 0; i < len(data); i++ {
		b := data[i]
		if inString {
			switch b {
			case '\\':
				i++
			case '"':
				inString = false
			case '\n':
				return i // no string goes over a line
			}
			continue
		}
		switch b {
		case '"':
			inString = true
		case '{', '[':
			if b == '{' && i > 0 && data[i-1] == '\n' && bytes.IndexByte([]byte(",:[{"), last) < 0 {
				// Another record begins: a value cannot stand here. It need not be the
				// first that was swallowed.
				return bytes.Index(data, []byte("\n{")) + 1
			}
			if depth++; depth > maxDepth {
				return bytes.Index(data, []byte("\n{")) + 1
			}
		case '}', ']':
			depth--
		case ' ', '\t', '\r':
			continue
		case '\n':
			if depth == 0 {
				return i
			}
			continue
		}
		if last = b; depth == 0 && !inString && (b == '}' || b == ']') {
			return i + 1
		}
	}
	return 0
}
