package configs

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/sparrowhall/sparrowhall/internal/suggest"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// Error is a fault in a ruleset file.
type Error struct {
	// File is the path or the preset's name, empty for overrides.
	File string `json:"file,omitempty"`
	// Line counts from 1; it is 0 where no line is at fault, such as for a
	// missing knob.
	Line int `json:"line,omitempty"`
	// Key is the knob, empty for broken TOML.
	Key string `json:"key,omitempty"`
	// Message says what is wrong and what is allowed.
	Message string `json:"message"`
}

// Error returns "file:line: key: message" without the parts that are empty.
func (e *Error) Error() string {
	s := e.Message
	if e.Key != "" {
		s = e.Key + ": " + s
	}
	switch {
	case e.File != "" && e.Line > 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, s)
	case e.File != "":
		return e.File + ": " + s
	}
	return s
}

// Errors is the list of the faults in a ruleset file.
type Errors []*Error

// Error returns the errors on a line each.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, err := range e {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// document is a ruleset file as it is written.
type document struct {
	file                      string
	family, base, description string
	// keys of the knobs in the order of the file, and their lines and values.
	keys   []string
	lines  map[string]int
	values map[string]any
}

// errorf returns an error at the line of a key; the price of a pattern that has
// none of its own is at that of its table.
func (d *document) errorf(key, format string, args ...any) *Error {
	line, ok := d.lines[key]
	if table, _, isPrice := strings.Cut(key, "."); !ok && isPrice {
		line = d.lines[table]
	}
	return &Error{d.file, line, key, fmt.Sprintf(format, args...)}
}

const (
	digits     = "0123456789"
	wordLetter = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
)

// consists reports whether a text consists of some characters.
func consists(text, of string) bool { return text != "" && strings.Trim(text, of) == "" }

// keyAndValue returns those of a line, "" if it has no bare key. No regular expression reads it: their
// package makes tables of Unicode whenever the program for browsers starts.
func keyAndValue(text []byte, line int) (key, value string) {
	lines := strings.Split(string(text), "\n")
	if line < 1 || line > len(lines) {
		return "", ""
	}
	key, value, ok := strings.Cut(lines[line-1], "=")
	if key = strings.TrimSpace(key); !ok || !consists(key, wordLetter+digits+".-") {
		return "", ""
	}
	value, _, _ = strings.Cut(value, "#")
	return key, strings.TrimSpace(value)
}

// isGrouped reports whether a value is a number with commas between its thousands.
func isGrouped(value string) bool {
	groups := strings.Split(strings.TrimPrefix(value, "-"), ",")
	for i, g := range groups {
		if !consists(g, digits) || len(g) > 3 || i > 0 && len(g) < 3 {
			return false
		}
	}
	return len(groups) > 1
}

// parse parses a file without looking up its knobs.
func parse(file string, text []byte) (*document, Errors) {
	if e := checkSize(file, text); e != nil {
		return nil, Errors{e}
	}
	d := &document{file: file, lines: map[string]int{}}
	if err := toml.Unmarshal(text, &d.values); err != nil {
		e := &Error{File: file, Message: strings.TrimPrefix(err.Error(), "toml: ")}
		if at, ok := errors.AsType[*toml.DecodeError](err); ok {
			e.Line, _ = at.Position()
			e.Key = strings.Join(at.Key(), ".")
			switch key, value := keyAndValue(text, e.Line); {
			case key == "":
			case consists(value, wordLetter+digits+"./-") && strings.Contains(wordLetter, value[:1]):
				e.Key, e.Message = key, fmt.Sprintf("text without quotes; put it in quotes: %s = %q", key, value)
			case strings.Contains(e.Message, "too large to fit"):
				e.Key, e.Message = key, "the number is too large for any knob; `sparrowhall rules knobs` lists what each allows"
			case isGrouped(value):
				e.Key, e.Message = key, fmt.Sprintf("a number is written without commas: %s = %s", key, strings.ReplaceAll(value, ",", ""))
			}
		}
		return nil, Errors{e}
	}
	d.findKeys(text)
	var errs Errors
	d.keys = slices.DeleteFunc(d.keys, func(key string) bool {
		var dst *string
		switch key {
		case "base":
			dst = &d.base
		case "description":
			dst = &d.description
		case "family":
			dst = &d.family
		default:
			return false
		}
		var ok bool
		if *dst, ok = d.values[key].(string); !ok || *dst == "" {
			errs = append(errs, d.errorf(key, "%v is no text; allowed: text", d.values[key]))
		} else if strings.ContainsFunc(*dst, unicode.IsControl) {
			errs = append(errs, d.errorf(key, "%q is no line of text; allowed: text without control characters", *dst))
		}
		return true
	})
	return d, errs
}

// findKeys sets keys and lines from a text that is valid TOML. lines has the keys in tables
// too.
func (d *document) findKeys(text []byte) {
	var p unstable.Parser
	p.Reset(text)
	var table []string
	for p.NextExpression() {
		e := p.Expression()
		var path []string
		line := 0
		for keys := e.Key(); keys.Next(); {
			if path = append(path, string(keys.Node().Data)); len(path) == 1 {
				line = p.Shape(keys.Node().Raw).Start.Line
			}
		}
		switch {
		case path == nil:
			continue
		case e.Kind == unstable.KeyValue:
			path = slices.Concat(table, path)
		default:
			table = path
		}
		if _, ok := d.lines[path[0]]; !ok {
			d.keys = append(d.keys, path[0])
			d.lines[path[0]] = line
		}
		if len(path) > 1 {
			d.lines[path[0]+"."+path[1]] = line
		}
	}
}

// apply sets the knobs of r that d gives. It ends early where there are more
// errors than are listed.
func (d *document) apply(r *Ruleset) Errors {
	var errs Errors
	if seats, ok := d.values["seats"]; ok {
		if p, ok := errors.AsType[ruleset.Problem](r.Family.SetSeats(r.Config, seats)); ok {
			return Errors{d.errorf("seats", "%s", p.Message)}
		}
	}
	knobs := r.Knobs()
	set := func(key string, value any) {
		k, ok := ruleset.FindKnob(knobs, key)
		if !ok {
			errs = append(errs, d.errorf(key, "%s", explainUnknown(key, r.Family, knobs)))
		} else if p, ok := errors.AsType[ruleset.Problem](k.Set(value)); ok {
			errs = append(errs, d.errorf(key, "%s", p.Message))
		}
	}
	for _, key := range d.keys {
		if len(errs) > maxErrors {
			break
		}
		if key == "seats" {
			continue
		}
		value := d.values[key]
		k, _ := ruleset.FindKnob(knobs, key)
		prices, isTable := value.(map[string]any)
		if k.Prices() == nil || !isTable {
			set(key, value)
			continue
		}
		byLine := func(a, b string) int {
			return cmp.Or(cmp.Compare(d.lines[key+"."+a], d.lines[key+"."+b]), cmp.Compare(a, b))
		}
		for _, id := range slices.SortedFunc(maps.Keys(prices), byLine) {
			if len(errs) > maxErrors {
				break
			}
			set(key+"."+id, prices[id])
		}
	}
	return errs
}

// missing names the knobs that a full file lacks. The table of prices may be left
// out: then all are as listed.
func (d *document) missing(r *Ruleset) Errors {
	var keys []string
	for _, k := range r.Knobs() {
		if _, ok := d.values[k.Key]; !ok && k.Prices() == nil {
			keys = append(keys, k.Key)
		}
	}
	if keys == nil {
		return nil
	}
	return Errors{{
		File:    d.file,
		Message: fmt.Sprintf("a file without a base gives every knob; missing: %s", strings.Join(keys, ", ")),
	}}
}

// check returns the contradictions between the knobs of r.
func (d *document) check(r *Ruleset) Errors {
	var errs Errors
	for _, p := range r.Config.Check() {
		errs = append(errs, d.errorf(p.Key, "%s", p.Message))
	}
	return errs
}

// explainUnknown returns what is wrong with a key that is no knob of the family.
func explainUnknown(key string, family *ruleset.Family, knobs []ruleset.Knob) string {
	if why, ok := family.Undefined[key]; ok {
		return "rulesets have no such knob: " + why
	}
	names := make([]string, len(knobs))
	for i, k := range knobs {
		if id, ok := strings.CutPrefix(key, k.Key+"."); ok && k.Prices() != nil {
			var ids []string
			for _, price := range k.Prices() {
				ids = append(ids, strings.TrimPrefix(price.Key, k.Key+"."))
			}
			return fmt.Sprintf("unknown pattern; allowed: the patterns of family %s, nearest %s",
				family.Name, strings.Join(suggest.Nearest(id, ids, 3), ", "))
		}
		if slices.Contains(k.Spec, key) {
			return fmt.Sprintf("is called %s here; allowed: %s", k.Key, k.Allowed)
		}
		names[i] = k.Key
	}
	if _, ok := ruleset.FindKnob(family.Knobs(family.NewThree()), key); ok {
		return "is a knob of three players: needs seats = 3"
	}
	var others []string
	for _, f := range Families {
		if _, ok := ruleset.FindKnob(f.Knobs(f.New()), key); ok {
			others = append(others, f.Name)
		}
	}
	if others != nil {
		return fmt.Sprintf("is a knob of family %s; allowed: the knobs of family %s", strings.Join(others, ", "), family.Name)
	}
	for _, m := range mechanisms {
		if slices.ContainsFunc(m.words, func(word string) bool { return strings.Contains(key, word) }) {
			return fmt.Sprintf("unknown knob: %s; see docs/variants.md for what a file can express", m.hint)
		}
	}
	names = append(names, "base", "description", "family")
	return fmt.Sprintf("unknown knob; allowed: base, description, family and the knobs of family %s, nearest %s",
		family.Name, strings.Join(suggest.Nearest(key, names, 3), ", "))
}

// mechanisms are features of games that no ruleset has or that have other names, by words of
// the keys that a user may try.
var mechanisms = []struct {
	words []string
	hint  string
}{
	{[]string{"furiten"}, "furiten is river_lock, by own discards, and pass_lock, by wins that were let pass"},
	{[]string{"head_bump", "atamahane", "double_ron", "triple_ron"}, "several wins on one tile are multi_win"},
	{[]string{"limit", "max_points", "max_fan", "ceiling"}, "caps are points_cap (hkos, mcr), fan_cap (hktw, taiwanese), compound_limit (zungjung), counted_limit and points_table (riichi)"},
	{[]string{"void", "que_"}, "no ruleset has suits that a player must get rid of"},
	{[]string{"joker", "wild", "laizi", "hun_"}, "no ruleset has tiles that stand for others"},
	{[]string{"charleston", "exchange_", "swap_three", "pass_tiles"}, "no ruleset has tiles passed between players"},
	{[]string{"blood", "xuezhan", "play_on_after", "continue_after", "winners_leave"}, "a hand ends with its first winners"},
	{[]string{"nmjl", "printed_card"}, "hands are sets and a pair or a special shape, not those of a printed card"},
	{[]string{"wind_and_rain", "instant_kong", "kong_payment", "kan_payment", "gang_"}, "only hktw pays during a hand, by its awards"},
}
