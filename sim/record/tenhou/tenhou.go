// Package tenhou reads the records of Tenhou: its own XML (mjlog), the JSON of
// tenhou.net/6, and links that hold such JSON.
package tenhou

import (
	"bytes"
	"errors"

	"github.com/jansou/jansou/sim/record"
)

// Format reads the records of Tenhou in all their forms.
var Format = &record.Format{
	Name:     "tenhou",
	Ruleset:  "tenhou",
	Suffixes: []string{".mjlog", ".xml", ".json", ".jsonl"},
	Split:    split,
	Parse:    parse,
}

// split cuts a file into XML documents, JSON objects and lines with links,
// whichever stands next. Objects may also be the elements of an array.
func split(data []byte, atEOF bool) (advance int, token []byte, err error) {
	skip := len(data) - len(bytes.TrimLeft(data, " \t\r\n,]"))
	if skip < len(data) && data[skip] == '[' {
		skip += 1 + record.Blank(data[skip+1:])
	}
	rest := data[skip:]
	if len(rest) == 0 {
		return skip, nil, nil
	}
	cut := record.SplitLines
	switch rest[0] {
	case '<':
		cut = splitXML
	case '{':
		cut = record.SplitJSON
	}
	advance, token, err = cut(rest, atEOF)
	if advance == 0 {
		return 0, nil, err
	}
	return skip + advance, token, err
}

// splitXML cuts off a document, or what there is of one when the next begins.
func splitXML(data []byte, atEOF bool) (advance int, token []byte, err error) {
	const begin, end = "<mjloggm", "</mjloggm>"
	n := len(data)
	found := atEOF
	if i := bytes.Index(data, []byte(end)); i >= 0 {
		n, found = i+len(end), true
	} else if bytes.HasPrefix(data, []byte("<mjloggm/>")) {
		n, found = len("<mjloggm/>"), true
	}
	if i := bytes.Index(data[1:n], []byte(begin)); i >= 0 && bytes.Contains(data[:i+1], []byte(begin)) {
		n, found = i+1, true
	}
	if !found {
		return 0, nil, nil
	}
	return n, data[:n], nil
}

// parse reads a record in any of the forms.
func parse(text []byte, _ int) (*record.Game, error) {
	switch text = bytes.TrimSpace(text); {
	case len(text) > 0 && text[0] == '<':
		return parseMJLog(text)
	case len(text) > 0 && text[0] == '{':
		return parseJSON(text)
	}
	return nil, errors.New("it is neither Tenhou's XML nor its JSON")
}
