// Package tenhou reads the records of Tenhou by its [Format]: mjlog XML, the JSON of
// tenhou.net/6, and links that contain such JSON. [WriteJSON] writes the JSON.
package tenhou

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/sparrowhall/sparrowhall/sim/record"
)

// Format reads the records of Tenhou in all forms.
var Format = &record.Format{
	Name:     "tenhou",
	Ruleset:  "tenhou",
	Suffixes: []string{".mjlog", ".xml", ".json", ".jsonl"},
	Split:    record.SplitElements(split), Parse: parse, KnobsFromName: knobsByDate,
}

// matchName matches the id of a match, which begins with the hour of its start.
var matchName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d{10})gm-`) })

// knobsByDate returns the knobs that differ by the date in the name of a match: before June 2010
// a leading, ready last dealer did not end the match (announced on blog.tenhou.net,
// 2010-05-18).
func knobsByDate(name string) map[string]any {
	const tenpaiYame = "2010060100"
	if m := matchName().FindStringSubmatch(name); m != nil && m[1] < tenpaiYame {
		return map[string]any{"tenpai_yame": "none"}
	}
	return nil
}

// split splits off an XML document, a JSON object or a line with a link, whichever comes
// next.
func split(data []byte, atEOF bool) (advance int, token []byte, err error) {
	switch data[0] { // SplitElements passes no empty text, and no space before a record
	case '<':
		return splitXML(data, atEOF)
	case '{':
		return record.SplitJSON(data, atEOF)
	}
	return record.SplitLines(data, atEOF)
}

// splitXML splits off a document, or an incomplete one at the beginning of the next.
func splitXML(data []byte, atEOF bool) (advance int, token []byte, err error) {
	const begin, end, empty = "<mjloggm", "</mjloggm>", "<mjloggm/>"
	n, begun := 0, false
	// The search stops at the first tag that decides, so that many documents without an
	// end are not scanned repeatedly.
	for next := 0; next >= 0; n += max(next, 0) {
		switch tag := data[n:]; {
		case bytes.HasPrefix(tag, []byte(end)):
			return n + len(end), data[:n+len(end)], nil
		case bytes.HasPrefix(tag, []byte(begin)) && begun:
			return n, data[:n], nil
		case bytes.HasPrefix(tag, []byte(empty)):
			return n + len(empty), data[:n+len(empty)], nil
		case bytes.HasPrefix(tag, []byte(begin)):
			begun = true
		}
		if next = bytes.IndexByte(data[n+1:], '<'); next >= 0 {
			next++
		}
	}
	if !atEOF {
		return 0, nil, nil
	}
	return len(data), data, nil
}

// parse parses a record in any of the forms.
func parse(text []byte, _ int) (*record.Game, error) {
	switch text = bytes.TrimSpace(text); {
	case len(text) > 0 && text[0] == '<':
		return parseMJLog(text)
	case len(text) > 0 && text[0] == '{':
		return parseJSON(text)
	case bytes.HasPrefix(text, []byte("http")):
		return parseLink(string(text))
	}
	return nil, errors.New("it is neither Tenhou's XML nor its JSON, nor a link that contains such JSON")
}

// parseLink parses the JSON in a link such as https://tenhou.net/6/#json={...}.
func parseLink(link string) (*record.Game, error) {
	_, packed, ok := strings.Cut(link, "#json=")
	if !ok {
		return nil, errors.New("the link does not contain the record; download the record, or use a link with #json=")
	}
	text, err := url.PathUnescape(packed)
	if err != nil {
		return nil, fmt.Errorf("the link is damaged: %w", err)
	}
	return parseJSON([]byte(text))
}
