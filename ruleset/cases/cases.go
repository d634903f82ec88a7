// Package cases reads scoring cases, winning hands with their circumstances as
// one JSON object a line, and answers them with what the hands are worth:
//
//	{"id":"S02","ruleset":"ema_2016","concealed":"234m234p23467s55p","melds":[],
//	 "win_tile":"8s","self_draw":true,"seat":"S","round":"E","flags":[],
//	 "dora_indicators":"1z","honba":3,"deposits":2}
//
// Here and in the answers it is one line. Reading is strict: an unknown
// member, a tile too many or a circumstance that no play reaches is an error that names the
// member. The members expect and note are ignored. The members and flags that families differ
// in are in two tables. Two more have what flags allow: the moments of a hand at which a win with
// them can be, and what they need of the other members. Flags without a common moment
// contradict each other.
package cases

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// MaxLine is the largest length of a line in bytes.
const MaxLine = 1 << 16

// Case is a scoring case as it is written, before it is held against a ruleset.
// Members that a line leaves out are zero, the tile and the winds absent.
type Case struct {
	// ID is the JSON string or number that names the case, null if it has none.
	ID json.RawMessage
	// Ruleset is the preset, Config the knobs that differ from it.
	Ruleset string
	Config  map[string]any

	// Concealed leaves out the winning tile, which is NoFace for a win that
	// needs none.
	Concealed []tile.Face
	Melds     []Meld
	WinTile   tile.Face
	SelfDraw  bool
	Seat      tile.Wind
	Round     tile.Wind
	// From gave the winning tile; Responsible pays for it where the case says
	// so, or no player does.
	From        *tile.Wind
	Responsible *Responsible
	// Flags are the circumstances; River and TailDraws those that count.
	Flags     ruleset.Flags
	River     uint8
	TailDraws uint8

	// Indicators and Ura are the dora and ura dora indicators, Flowers the flowers laid
	// aside.
	Indicators []tile.Face
	Ura        []tile.Face
	Flowers    []tile.Face
	// Kita is the number of Norths that the winner has set aside.
	Kita int
	// Counter is the number of honba or dealer repeats, Deposits that of riichi
	// sticks on the table, the winner's own one included.
	Counter  int
	Deposits int
	// Dealer reports whether a dealer item applies.
	Dealer bool
	// Liable lists who is liable for a pattern in order of their arising.
	Liable []Liable
	// Expect is what the answer is expected to hold.
	Expect json.RawMessage

	given []string // members in the order of the line
	flags []string
}

// Meld is a set laid down; From is the wind of the player who gave its claimed
// tile.
type Meld struct {
	// Type is chi, pon, or a kind of kan, Tiles are in any order.
	Type  hand.MeldType
	Tiles []tile.Face
	From  *tile.Wind
}

// Responsible is the player who pays as the giver of the winning tile. None reports that
// there is no such player; Wind is then unused.
type Responsible struct {
	None bool
	Wind tile.Wind
}

// Liable is the player liable for a pattern.
type Liable struct {
	Pattern string
	Wind    tile.Wind
}

// member is a member of a case and what it means. One that is special is taken only by
// families that list it, see [ruleset.Traits].
type member struct {
	name    string
	doc     string
	special bool
	parse   func(*Case, json.RawMessage) error
}

// members lists all members.
var members []member

func init() {
	members = []member{
		{"concealed", `the concealed tiles without the winning tile; required, as are the next four`, false, func(c *Case, raw json.RawMessage) (err error) { return decodeTiles(raw, &c.Concealed) }},
		{"win_tile", `the winning tile; empty for a win that flowers alone make`, false, (*Case).parseWinTile},
		{"self_draw", `whether it was drawn, or given by another player`, false, func(c *Case, raw json.RawMessage) error { return decode(raw, "true or false", &c.SelfDraw) }},
		{"seat", `the winner's wind; East deals`, false, func(c *Case, raw json.RawMessage) error { return decodeWind(raw, &c.Seat) }},
		{"round", `the round wind`, false, func(c *Case, raw json.RawMessage) error { return decodeWind(raw, &c.Round) }},
		{"id", `a text or number that the answer repeats`, false, (*Case).parseID},
		{"ruleset", "a preset or file; wins over `--ruleset`", false, func(c *Case, raw json.RawMessage) error { return decode(raw, "a name", &c.Ruleset) }},
		{"config", "an object of knobs that differ from the ruleset, such as `{\"min_win\":2,\"patterns.pinfu\":2}`", false, func(c *Case, raw json.RawMessage) error { return decode(raw, "an object of knobs", &c.Config) }},
		{"melds", "a list of objects with `type` (`chi`, `pon`, `open_kan`, `added_kan`, `closed_kan`), `tiles` and, if it matters, `from`, the wind of the giver", false, (*Case).parseMelds},
		{"from", "the wind of the player who gave the winning tile; without it a win on a discard has no `payments`", false, func(c *Case, raw json.RawMessage) error { return decodeGiver(raw, &c.From) }},
		{"flags", `the circumstances, a list of the words below`, false, (*Case).parseFlags},
		{"flowers", "the winner's flowers, `1f`..`4f` the seasons and `5f`..`8f` the plants", true, func(c *Case, raw json.RawMessage) error { return decodeTiles(raw, &c.Flowers) }},
		{"dora_indicators", `the indicators that are turned`, true, func(c *Case, raw json.RawMessage) error { return decodeTiles(raw, &c.Indicators) }},
		{"ura_indicators", `the tiles below them; they count with riichi`, true, func(c *Case, raw json.RawMessage) error { return decodeTiles(raw, &c.Ura) }},
		{"kita", `the Norths that the winner has set aside, of three players`, true, (*Case).parseKita},
		{"honba", `repeat counters`, true, func(c *Case, raw json.RawMessage) error { return decodeCount(raw, &c.Counter) }},
		{"deposits", `riichi sticks on the table with the winner's own`, true, func(c *Case, raw json.RawMessage) error { return decodeCount(raw, &c.Deposits) }},
		{"liable", "an object from pattern to the wind of the player liable for it, in order of their arising; left out, it follows from the `from` of melds, which are then in the order of their claims", true, (*Case).parseLiable},
		{"responsible", "the wind of the player who pays as the one who gave the tile, `null` for no player, where that is another than `from`", true, (*Case).parseResponsible},
		{"dealer", "whether the dealer item applies between winner and payer, and so counts in `points`; left out, it follows from `seat` and `from`", true, func(c *Case, raw json.RawMessage) error { return decode(raw, "true or false", &c.Dealer) }},
		{"dealer_streak", `the repeats that the dealer item counts`, true, func(c *Case, raw json.RawMessage) error { return decodeCount(raw, &c.Counter) }},
		{"expect", "ignored; `--check` compares the answer with it", false, func(c *Case, raw json.RawMessage) error { c.Expect = raw; return nil }},
		{"note", `ignored`, false, func(*Case, json.RawMessage) error { return nil }},
	}
}

// required are the members without which there is no case.
var required = []string{"concealed", "win_tile", "self_draw", "seat", "round"}

// Parse reads a line. The error names the member that is wrong and what is
// allowed; the ID is set even then, if the line has a usable one.
func Parse(line []byte) (Case, error) {
	c := Case{ID: json.RawMessage("null"), WinTile: tile.NoFace, River: ruleset.NoCount}
	if len(line) > MaxLine {
		return c, fmt.Errorf("the line has more than %d bytes, the most that is read; write one hand on a line", MaxLine)
	}
	object, err := split(line)
	for _, m := range object {
		if m.name == "id" {
			// Whatever else is wrong, the answer shall name the case.
			if bad := c.parseID(m.value); bad != nil && err == nil {
				err = fmt.Errorf("id: %w", bad)
			}
			break
		}
	}
	if err != nil {
		return c, err
	}
	for _, m := range object {
		i := slices.IndexFunc(members, func(k member) bool { return k.name == m.name })
		if i < 0 {
			return c, fmt.Errorf("unknown member %q: members are %s", clip(m.name), names(members))
		}
		if slices.Contains(c.given, m.name) {
			return c, fmt.Errorf("%s: given twice", m.name)
		}
		c.given = append(c.given, m.name)
		if err := members[i].parse(&c, m.value); err != nil {
			return c, fmt.Errorf("%s: %w", m.name, err)
		}
	}
	for _, name := range required {
		if !slices.Contains(c.given, name) {
			return c, fmt.Errorf("%s: missing", name)
		}
	}
	return c, nil
}

// pair is a member of a JSON object.
type pair struct {
	name  string
	value json.RawMessage
}

// split returns the members of a JSON object in their order. If it is broken,
// those before the break are returned with the error.
func split(text []byte) ([]pair, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	var object []pair
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return object, broken(err)
		}
		m := pair{name: t.(string)} // the decoder lets no other key pass
		if err := d.Decode(&m.value); err != nil {
			return object, broken(err)
		}
		object = append(object, m)
	}
	if _, err := d.Token(); err != nil {
		return object, broken(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return object, errors.New("more than one JSON object on the line")
	}
	return object, nil
}

func broken(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = errors.New("the line ends too early")
	}
	return fmt.Errorf("not a JSON object: %w", err)
}

// clip shortens a text from the input for an error.
func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "..."
	}
	return s
}

func names(members []member) string {
	list := make([]string, len(members))
	for i, m := range members {
		list[i] = m.name
	}
	return strings.Join(list, ", ")
}

// decode reads a JSON value that must be what want says.
func decode(raw json.RawMessage, want string, dst any) error {
	if string(raw) == "null" || json.Unmarshal(raw, dst) != nil {
		return fmt.Errorf("%s is not %s", clip(string(raw)), want)
	}
	return nil
}

// maxCount bounds honba, deposits and repeats.
const maxCount = 1000

func decodeCount(raw json.RawMessage, dst *int) error {
	var n int
	if decode(raw, "", &n) != nil || n < 0 || n > maxCount {
		return fmt.Errorf("%s is not an integer 0..%d", clip(string(raw)), maxCount)
	}
	*dst = n
	return nil
}

func decodeTiles(raw json.RawMessage, dst *[]tile.Face) error {
	var text string
	if err := decode(raw, `tiles in text, such as "123m0p"`, &text); err != nil {
		return err
	}
	faces, err := tile.ParseFaces(text)
	if err != nil {
		return err
	}
	if len(faces) > maxTiles {
		return fmt.Errorf("%d tiles, at most %d can belong here", len(faces), maxTiles)
	}
	*dst = faces
	return nil
}

// maxTiles is the largest number of tiles a member can hold.
const maxTiles = 16

func decodeWind(raw json.RawMessage, dst *tile.Wind) error {
	var text string
	if err := decode(raw, "E, S, W or N", &text); err != nil {
		return err
	}
	wind, err := tile.ParseWind(text)
	if err != nil {
		return fmt.Errorf("%q is not E, S, W or N", clip(text))
	}
	*dst = wind
	return nil
}

func decodeGiver(raw json.RawMessage, dst **tile.Wind) error {
	*dst = new(tile.Wind)
	return decodeWind(raw, *dst)
}

func (c *Case) parseID(raw json.RawMessage) error {
	var id any
	if err := json.Unmarshal(raw, &id); err != nil {
		return fmt.Errorf("%s is not a text or a number", clip(string(raw)))
	}
	switch id := id.(type) {
	case string:
		c.ID = marshal(id) // encoded again: escapes and broken characters may differ
	case float64:
		c.ID = raw
	default:
		return fmt.Errorf("%s is not a text or a number", clip(string(raw)))
	}
	return nil
}

func (c *Case) parseWinTile(raw json.RawMessage) error {
	var faces []tile.Face
	if err := decodeTiles(raw, &faces); err != nil {
		return err
	}
	switch len(faces) {
	case 0:
	case 1:
		c.WinTile = faces[0]
	default:
		return fmt.Errorf("%d tiles, want one", len(faces))
	}
	return nil
}

func (c *Case) parseMelds(raw json.RawMessage) error {
	var list []json.RawMessage
	if err := decode(raw, "a list of melds", &list); err != nil {
		return err
	}
	if len(list) > hand.MaxMelds {
		return fmt.Errorf("%d melds, at most %d are possible", len(list), hand.MaxMelds)
	}
	for i, text := range list {
		m, err := parseMeld(text)
		if err != nil {
			return fmt.Errorf("meld %d: %w", i+1, err)
		}
		c.Melds = append(c.Melds, m)
	}
	return nil
}

func parseMeld(text json.RawMessage) (m Meld, err error) {
	object, err := split(text)
	if err != nil {
		return m, err
	}
	given := map[string]json.RawMessage{}
	for _, f := range object {
		if _, ok := given[f.name]; ok {
			return m, fmt.Errorf("%s: given twice", f.name)
		}
		given[f.name] = f.value
		switch f.name {
		case "type":
			m.Type, err = parseMeldType(f.value)
		case "tiles":
			err = decodeTiles(f.value, &m.Tiles)
		case "from":
			err = decodeGiver(f.value, &m.From)
		default:
			return m, fmt.Errorf("unknown member %q: members are type, tiles, from", clip(f.name))
		}
		if err != nil {
			return m, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	for _, name := range []string{"type", "tiles"} {
		if given[name] == nil {
			return m, fmt.Errorf("%s: missing", name)
		}
	}
	return m, nil
}

func parseMeldType(raw json.RawMessage) (hand.MeldType, error) {
	const want = "chi, pon, open_kan, added_kan or closed_kan"
	var text string
	if err := decode(raw, want, &text); err != nil {
		return 0, err
	}
	for _, t := range []hand.MeldType{hand.Chi, hand.Pon, hand.OpenKan, hand.AddedKan, hand.ClosedKan} {
		if t.String() == text {
			return t, nil
		}
	}
	return 0, fmt.Errorf("%q is not %s", clip(text), want)
}

func (c *Case) parseLiable(raw json.RawMessage) error {
	object, err := split(raw)
	if err != nil {
		return err
	}
	for _, m := range object {
		var l Liable
		if err := decodeWind(m.value, &l.Wind); err != nil {
			return fmt.Errorf("%s: %w", clip(m.name), err)
		}
		l.Pattern = m.name
		if slices.ContainsFunc(c.Liable, func(k Liable) bool { return k.Pattern == l.Pattern }) {
			return fmt.Errorf("%s: given twice", clip(m.name))
		}
		c.Liable = append(c.Liable, l)
	}
	return nil
}

func (c *Case) parseKita(raw json.RawMessage) error {
	if decodeCount(raw, &c.Kita) != nil || c.Kita > 4 {
		return fmt.Errorf("%s is not an integer 0..4", clip(string(raw)))
	}
	return nil
}

func (c *Case) parseResponsible(raw json.RawMessage) error {
	c.Responsible = &Responsible{None: string(raw) == "null"}
	if c.Responsible.None {
		return nil
	}
	return decodeWind(raw, &c.Responsible.Wind)
}
