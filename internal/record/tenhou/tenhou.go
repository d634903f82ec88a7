// Package tenhou reads the records of Tenhou by its [Format]: mjlog XML, the JSON of
// tenhou.net/6, and links that contain such JSON. [WriteJSON] writes the JSON.
//
// # XML
//
// One match per file: the elements of `<mjloggm>` in order. Places are numbers of elements,
// from 1, `<mjloggm>` included.
//
//   - `SHUFFLE seed`: the walls, if it names `mt19937ar-sha512-n288-base64`; otherwise they are
//     rebuilt from the draws
//   - `GO type`: bits: `0x02` no red fives, `0x04` no open tanyao, `0x08` two rounds, `0x10`
//     three players
//   - `UN n0`..`n3`: names, before the first hand
//   - `TAIKYOKU oya`: who deals first
//   - `INIT seed ten oya hai0`..`hai3`: round and dealer, counter, sticks, dice, first
//     indicator; points in hundreds; the deal
//   - `T` `U` `V` `W` + tile: draws of the four seats
//   - `D` `E` `F` `G` + tile: discards; the number of a tile shows whether it is the one just
//     drawn
//   - `N who m`: chi, pon, kans
//   - `REACH step 1`, `2`: riichi declared, accepted
//   - `DORA hai`: an indicator; it may stand anywhere in the hand
//   - `AGARI`: a winner: `machi` tile, `fromWho`, `ten` (fu, points), `yaku` or `yakuman`,
//     `doraHaiUra`, `sc` (who gains what)
//   - `RYUUKYOKU type`: without a type and `nm`: exhausted wall, with a hand shown by those who
//     are ready; `yao9` `kaze4` `reach4` `kan4` `ron3`: aborted
//   - `owari`: points at the end
//   - `BYE` and others: left out
//
// Tile t of 0..135 is of kind t/4; 16, 52 and 88 are the red fives where there are any.
//
// The base64 text after the name of the shuffle is 624 little-endian 32-bit words, the key of
// MT19937's `init_by_array`. For each hand, 288 outputs are written as nine blocks of 128
// bytes; their SHA-512 digests are 144 words r. From tiles 0..135 in order, tile i is swapped
// with tile i + r[i] mod (136 - i) for i = 0..134. The dice are r[135] and r[136] mod 6. Tiles
// are taken from the last to the first: the table's wall is this list backwards.
//
// A meld `m` has 16 bits. The lowest two are the number of seats from the player to the giver,
// in turn order. The first of these bits that is set decides the rest:
//
//   - `0x04`: chi: bits 10-15 are 3 x (7 x suit + lowest rank) + which of the three was
//     claimed; bits 3-4, 5-6, 7-8 the copy of each tile
//   - `0x08`: pon: bits 9-15 are 3 x kind + which was claimed; bits 5-6 the copy left out
//   - `0x10`: added kan: the same; the copy left out before is added
//   - `0x20`: a North set aside in matches of three; bits 8-15 the tile
//   - none: bits 8-15 a tile; closed kan if the giver is the player, else open kan
//
// # JSON
//
// The form of tenhou.net/6: an object with `name`, `rule`, `log` and, in downloads, `sc`.
// Places are numbers of entries of `log`, from 1. Records may be one per line, in a row, in an
// array, or in links with `#json=`, one per line. A link with `?log=` only names a record;
// download it first.
//
//   - `rule`: red fives (`aka`, or `aka51` `aka52` `aka53`) and, in the letters of Tenhou's own
//     records, the length and open tanyao
//   - `log`: an entry for each hand: `[number, counter, sticks]`, points, indicators, ura
//     indicators, then for each player the deal, the draws and the discards, and the result
//   - 11-19, 21-29, 31-39, 41-47: characters, dots, bamboo, honors
//   - 51-53: red fives
//   - 60: a discard of the tile just drawn
//   - `c` `p` `m` `k` `a` `r`: chi, pon, open kan, added kan, closed kan, riichi; claims stand
//     among the draws, kans and riichi among the discards. The letter stands before the claimed
//     tile, which is first, second or last if the giver sits before, across from or after the
//     player
//   - 0 among the discards: stands for an open kan
//   - result: the value of a hand is read from its text (`40符3飜5200点`), and its yaku if all
//     names are Tenhou's
//
// The i-th draw or claim of a player belongs to their i-th discard. Import searches the
// possible orders of turns. If none fits, the error has the end of the longest attempt. Of
// several, the first that the rules confirm is taken; if they confirm two, that is noted.
//
// # Three players
//
// Tenhou counts seats by four: in a claim the giver may be three seats away, and hand 4 is the
// first of the South round. It counts Norths set aside among the dora (`ドラ`), and so does what
// is written; Mahjong Soul counts them apart (`抜きドラ`). Both are compared. The shuffle for three
// players is undocumented, so the walls of XML records are rebuilt from the draws. Of a
// self-draw the payments are compared, not the value.
//
//   - XML: a North is `N` with bit `0x20`. The fourth seat stays empty: `hai3`, `n3` and the
//     draws `W` and discards `G` are missing, the last numbers of `ten`, `sc` and `owari` are 0
//     or missing
//   - JSON: a North is `"f44"` among the discards, and the next draw is the replacement. The
//     fourth seat has three empty lists and 0 points
//
// # What is written
//
// An object per match, which the viewer of tenhou.net/6 shows. `rule` has only the name of the
// ruleset and the red fives: name other rules with `--ruleset` on the way back. Values are
// written as Tenhou does, as one sum where a liable player pays. Yaku unknown to Tenhou are
// written by their id and not compared.
package tenhou

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/sparrowhall/sparrowhall/sim/record"
)

// Format reads the records of Tenhou in all forms.
var Format = &record.Format{
	Name:     "tenhou",
	Ruleset:  "tenhou",
	Suffixes: []string{".mjlog", ".xml", ".json", ".jsonl"},
	Split:    record.SplitElements(split), Parse: parse, KnobsFromName: knobsByDate,
}

const digits = "0123456789"

// isNumber reports whether a text consists of digits.
func isNumber(text string) bool { return text != "" && strings.Trim(text, digits) == "" }

// knobsByDate returns the knobs that differ by the date in the name of a match: before June 2010
// a leading, ready last dealer did not end the match (announced on blog.tenhou.net,
// 2010-05-18).
func knobsByDate(name string) map[string]any {
	const tenpaiYame = "2010060100"
	// The id of a match begins with the hour of its start.
	if hour, _, ok := strings.Cut(name, "gm-"); ok && len(hour) == len(tenpaiYame) && isNumber(hour) && hour < tenpaiYame {
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
