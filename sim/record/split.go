package record

import (
	"bufio"
	"bytes"
)

// SplitJSON is a [Format.Split] for a sequence of JSON objects or arrays. After an
// incomplete one it resumes at the next line that begins a record.
func SplitJSON(data []byte, atEOF bool) (advance int, token []byte, err error) {
	skip := SpaceLen(data)
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

// SplitElements returns a [Format.Split] like split that also accepts the records as
// elements of an array.
func SplitElements(split bufio.SplitFunc) bufio.SplitFunc {
	return func(data []byte, atEOF bool) (advance int, token []byte, err error) {
		skip := len(data) - len(bytes.TrimLeft(data, " \t\r\n,]"))
		if skip < len(data) && data[skip] == '[' {
			skip += 1 + SpaceLen(data[skip+1:])
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

// SplitLines is a [Format.Split] for one record per line.
func SplitLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	skip := SpaceLen(data)
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

// SpaceLen returns the length of the leading white space of data.
func SpaceLen(data []byte) int {
	return len(data) - len(bytes.TrimLeft(data, " \t\r\n"))
}

// maxDepth is more than the nesting depth of any record. It bounds the search for the
// end of incomplete records.
const maxDepth = 32

// valueLength returns the length of the JSON object or array at the beginning of data, or
// of the text taken for an incomplete one; 0 if it does not end in data. Other text ends
// with its line.
func valueLength(data []byte) int {
	depth, inString := 0, false
	last := byte('{') // the previous byte that is no white space
	for i := 0; i < len(data); i++ {
		b := data[i]
		if inString {
			switch b {
			case '\\':
				i++
			case '"':
				inString = false
			case '\n':
				return i // strings do not contain line breaks
			}
			continue
		}
		switch b {
		case '"':
			inString = true
		case '{', '[':
			if b == '{' && i > 0 && data[i-1] == '\n' && bytes.IndexByte([]byte(",:[{"), last) < 0 {
				// A value is not allowed here, so another record begins. It need not be the
				// first one after the incomplete record.
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
