// Package tenhou reads the records of Tenhou: its own XML (mjlog), the JSON of
// tenhou.net/6, and links that hold such JSON.
package tenhou

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/jansou/jansou/sim"
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
	case bytes.HasPrefix(text, []byte("http")):
		return parseLink(string(text))
	}
	return nil, errors.New("it is neither Tenhou's XML nor its JSON, nor a link that holds such JSON")
}

// parseLink reads the JSON in a link such as https://tenhou.net/6/#json={...}.
func parseLink(link string) (*record.Game, error) {
	_, packed, ok := strings.Cut(link, "#json=")
	if !ok {
		return nil, errors.New("the link does not hold the record, only where it is; download it, or take a link with #json=")
	}
	text, err := url.PathUnescape(packed)
	if err != nil {
		return nil, fmt.Errorf("the link is damaged: %w", err)
	}
	return parseJSON([]byte(text))
}

// nameStart adds to the knobs of a record the points that all players have at the
// beginning of a match, which boards of lobbies set.
func nameStart(g *record.Game) {
	if len(g.Hands) == 0 || g.Hands[0].Start == nil {
		return
	}
	s := *g.Hands[0].Start
	points := s.Points[0]
	if s == (sim.Standing{Points: [sim.NumPlayers]int32{points, points, points, points}}) && points > 0 {
		g.Knobs["starting_points"] = int64(points)
	}
}
