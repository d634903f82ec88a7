// Package board draws a table in a web page. The viewer of recorded matches and the page at
// which people play share it:
//
//	data := board.Describe(rules) // the script's constant data, as JSON
//	style, script := board.Style, board.Tiles+board.Language+board.State+board.Draw
//
// tiles.js draws tiles, language.js chooses the language, state.js computes the state of a table from its events, and board.js
// draws that state. A language file holds the sentences of a page by key.
package board

import (
	"embed"
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"sync"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

//go:embed language.js tiles.js state.js board.js board.css en.json ja.json zh-Hant.json patterns.ja.json patterns.zh-Hant.json
var files embed.FS

var (
	// Style is the style sheet of the board, in a light and a dark scheme.
	Style = MustRead(&files, "board.css")
	// Tiles is the part of the script that draws tiles; it comes first.
	Tiles = MustRead(&files, "tiles.js")
	// Language is the part that chooses the language of the page.
	Language = MustRead(&files, "language.js")
	// State is the part that computes the state of a table from its events. It needs the
	// constants that its first comment lists.
	State = MustRead(&files, "state.js")
	// Draw is the part that draws a state; it comes after State.
	Draw = MustRead(&files, "board.js")
)

// MustRead returns an embedded file. It panics if there is none: that is a defect of the program.
func MustRead(files *embed.FS, name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // embedded
	}
	return string(text)
}

// AddSentences adds the sentences of an embedded file to those of a language.
func AddSentences(all map[string]string, files *embed.FS, name string) map[string]string {
	if err := json.Unmarshal([]byte(MustRead(files, name)), &all); err != nil {
		panic(err) // a test parses it
	}
	return all
}

// Languages are the languages of the sentences, by the codes that browsers send.
var Languages = []string{"en", "ja", "zh-Hant"}

// Sentences returns the sentences of the board in a language, by key. A name in braces is
// replaced by a value.
func Sentences(language string) map[string]string { return maps.Clone(parsed()[language]) }

// parsed are the sentences of each language.
var parsed = sync.OnceValue(func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, language := range Languages {
		all[language] = AddSentences(map[string]string{}, &files, language+".json")
	}
	return all
})

// Words returns the sentences of the board in a language as a family says them: a sentence
// KEY.FAMILY stands for KEY, as in state.js.
func Words(language, family string) map[string]string {
	all := Sentences(language)
	for key, text := range all {
		if own, ok := strings.CutSuffix(key, "."+family); ok {
			all[own] = text
		}
	}
	return all
}

// terms are the entries whose words a family replaces in every sentence, as in state.js.
var terms = []string{"win", "deals_in"}

// WithTerms returns a text in a language with a family's words for a win and a deal-in in place of the usual ones.
func WithTerms(text, language, family string) string {
	return Replace(text, parsed()[language], family, terms...)
}

// Replace returns a text with the words KEY.FAMILY of an entry in place of those of KEY, for each of the keys.
func Replace(text string, sentences map[string]string, family string, keys ...string) string {
	for _, key := range keys {
		if own, ok := sentences[key+"."+family]; ok {
			text = strings.ReplaceAll(text, sentences[key], own)
		}
	}
	return text
}

// ReadyKey returns the key of the name of a ready declaration, as readyName in state.js does.
func ReadyKey(r *ruleset.Rules, tier sim.ReadyTier) string {
	if r.Ready == ruleset.Riichi {
		return "riichi" + strconv.Itoa(int(tier))
	}
	return "ready" + strconv.Itoa(int(tier))
}

// TileName returns the name of a tile in a language, as tileName in state.js does.
func TileName(language string, f tile.Face) string {
	s := parsed()[language]
	text := f.String()
	n, suit := int(text[0]-'0'), text[1:]
	switch suit {
	case "z":
		return strings.Fields(s["tile_honors"])[n-1]
	case "f":
		return strings.Fields(s["tile_flowers"])[n-1]
	}
	name := string([]rune(s["tile_suits"])[strings.Index("mps", suit)])
	if n == 0 {
		return strings.ReplaceAll(s["tile_red"], "{suit}", name)
	}
	return strconv.Itoa(n) + name
}

// PatternNames returns the names of patterns in a language, by the keys pattern.FAMILY.ID. It is
// empty for the first language, whose names are those of the program.
func PatternNames(language string) map[string]string {
	if language == Languages[0] {
		return map[string]string{}
	}
	return AddSentences(map[string]string{}, &files, "patterns."+language+".json")
}

// Description describes the rules and events to the script. Numbers are those of package sim.
type Description struct {
	// Ruleset is the name of the ruleset, Family that of its family.
	Ruleset string `json:"ruleset"`
	Family  string `json:"family"`
	// HandSize is the number of tiles that a player holds between turns.
	HandSize int `json:"hand_size"`
	// Start is the points of each player at the start, in units; Unit is the number of
	// units in a point.
	Start int `json:"start"`
	Unit  int `json:"unit"`
	// Seats is the number of players.
	Seats int `json:"seats"`
	// DoraOf has for the kind of each indicator the kind that is dora; it is empty without dora.
	DoraOf []int `json:"dora_of"`
	// KanVisible is set if all players see the kind of a closed kan.
	KanVisible bool `json:"kan_visible"`
	// Minimum is what a hand must be worth to win: han of yaku, fan, faan, tai or points.
	Minimum int `json:"minimum"`
	// Ready is the word of the knob ready: how a ready hand is declared.
	Ready string `json:"ready"`
	// Repeats is set if the repeats of the dealer have a value.
	Repeats bool `json:"repeats"`
	// Reds is the number of red fives of each suit.
	Reds [3]int `json:"reds"`
	// Faces and Actions are the texts of tiles and actions by number.
	Faces   [tile.NumFaces]string `json:"faces"`
	Actions []string              `json:"actions"`
	// Types are the numbers of event types by name.
	Types map[string]int `json:"types"`
	// Reasons and Aborts are the texts of reasons of payments and of abortive draws by
	// number.
	Reasons []string `json:"reasons"`
	Aborts  []string `json:"aborts"`
}

// CountsRepeats reports whether honba or dealer repeats have a value: where scoring cases state
// them. The engine counts repeats in other families too, but people need not see them.
func CountsRepeats(r *ruleset.Rules) bool {
	return r.Traits.TakesCaseWord("honba") || r.Traits.TakesCaseWord("dealer_streak")
}

// Describe returns the description of the rules.
func Describe(r *ruleset.Rules) Description {
	d := Description{
		Ruleset: r.Name, Family: r.Family, HandSize: r.HandSize, Start: r.StartingPoints * r.Unit(), Unit: r.Unit(), Seats: r.NumSeats(),
		DoraOf: []int{}, Minimum: r.MinWin, Reds: r.AkaDora, KanVisible: r.ClosedKanVisible, Types: types,
		Ready: ruleset.WordOf(r.Ready), Repeats: CountsRepeats(r),
	}
	for k := tile.Kind(0); r.Dora && k < tile.NumKinds; k++ {
		d.DoraOf = append(d.DoraOf, int(r.DoraOf(k)))
	}
	for f := range d.Faces {
		d.Faces[f] = tile.Face(f).String()
	}
	_, actions := sim.ActionTable(r.NumSeats())
	for a := range sim.Action(actions) {
		d.Actions = append(d.Actions, a.String())
	}
	for reason := ruleset.ForWin; reason <= ruleset.ForForfeit; reason++ {
		d.Reasons = append(d.Reasons, reason.String())
	}
	for reason := sim.AbortNineKinds; reason <= sim.AbortTripleRon; reason++ {
		d.Aborts = append(d.Aborts, reason.String())
	}
	return d
}

// types are the events that the script distinguishes.
var types = map[string]int{
	"seats": int(sim.EvSeats), "handStart": int(sim.EvHandStart), "deal": int(sim.EvDeal), "draw": int(sim.EvDraw),
	"flower": int(sim.EvFlower), "flowerChoice": int(sim.EvFlowerChoice), "discard": int(sim.EvDiscard),
	"ready": int(sim.EvReady), "chi": int(sim.EvChi), "pon": int(sim.EvPon), "openKan": int(sim.EvOpenKan),
	"closedKan": int(sim.EvClosedKan), "addedKan": int(sim.EvAddedKan), "indicator": int(sim.EvIndicator),
	"kita": int(sim.EvKita), "declare": int(sim.EvDeclare), "exhausted": int(sim.EvExhausted), "abort": int(sim.EvAbort), "win": int(sim.EvWin),
	"value": int(sim.EvValue), "reveal": int(sim.EvReveal), "pay": int(sim.EvPay), "debt": int(sim.EvDebt),
	"handEnd": int(sim.EvHandEnd), "placement": int(sim.EvPlacement), "forfeit": int(sim.EvForfeit),
	"truncated": int(sim.EvTruncated), "matchEnd": int(sim.EvMatchEnd),
}

// Event returns an event as the script reads it: its five fields.
func Event(e sim.Event) [5]int {
	return [5]int{int(e.Type), int(e.Player), int(e.Tile), int(e.Detail), int(e.Value)}
}

// Win is the value of a won hand: its patterns, for a yakuman its multiple, and the key of the limit
// that it has reached. Faan or tai are those after the cap, nil in families that do not count them.
type Win struct {
	Patterns []Pattern `json:"patterns"`
	Yakuman  uint8     `json:"yakuman"`
	Limit    string    `json:"limit,omitempty"`
	Faan     *int32    `json:"faan,omitempty"`
	Tai      *int32    `json:"tai,omitempty"`
}

// Pattern is a pattern of a won hand, with its id, its English name and its worth in han, fan, tai
// or points.
type Pattern struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Points int16  `json:"points"`
}

// WinOf returns the value v of a hand under the rules.
func WinOf(r *ruleset.Rules, v *ruleset.Value) Win {
	w := Win{Patterns: []Pattern{}, Yakuman: v.Yakuman, Limit: LimitKey(r, v)}
	if r.Traits.CountsFaan {
		w.Faan = new(v.Base)
	}
	if r.Traits.CountsTai {
		w.Tai = new(v.Base)
	}
	all := r.Patterns()
	for _, p := range v.Patterns[:v.NumPatterns] {
		w.Patterns = append(w.Patterns, Pattern{all[p.Pattern].ID, all[p.Pattern].Name, p.Points})
	}
	return w
}
