// Package option has the options of players: their names, what they may be, and what sets them,
// so that parsers and pages read one list.
//
//	var options = []option.Option[player]{
//		option.OnOff("calls", "claims more than wins", func(p *player) *bool { return &p.calls }),
//	}
//	known, err := option.Set(options, &p, "calls", "off")
package option

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Option is an option of a player of type P.
type Option[P any] struct {
	Name, Usual, Allowed, Meaning string
	// Set sets the option; nil where the player's own parser takes it from the list.
	Set func(p *P, value string) error
}

// New returns an option.
func New[P any](name, usual, allowed, meaning string, set func(p *P, value string) error) Option[P] {
	return Option[P]{Name: name, Usual: usual, Allowed: allowed, Meaning: meaning, Set: set}
}

// OnOff returns an option that switches a part of a player off.
func OnOff[P any](name, meaning string, field func(p *P) *bool) Option[P] {
	return New(name, "on", "on, off", meaning, func(p *P, value string) error {
		if value != "on" && value != "off" {
			return fmt.Errorf("option %s: %q is neither on nor off", name, value)
		}
		*field(p) = value == "on"
		return nil
	})
}

// Set sets the option of a name, and reports whether there is one.
func Set[P any](options []Option[P], p *P, name, value string) (known bool, err error) {
	i := slices.IndexFunc(options, func(o Option[P]) bool { return o.Name == name && o.Set != nil })
	if i < 0 {
		return false, nil
	}
	return true, options[i].Set(p, value)
}

// Parse calls set for each option of a list separated by commas. Each may be given once.
func Parse(options string, set func(name, value string) error) error {
	if options == "" {
		return nil
	}
	var given []string
	for option := range strings.SplitSeq(options, ",") {
		name, value, _ := strings.Cut(option, "=")
		if slices.Contains(given, name) {
			return fmt.Errorf("option %s is given twice", name)
		}
		given = append(given, name)
		if err := set(name, value); err != nil {
			return err
		}
	}
	return nil
}

// Thousandths reads the value of an option with at most three digits after the point,
// in thousandths, and checks its bounds.
func Thousandths(name, text string, least, most int32) (int32, error) {
	whole, part, _ := strings.Cut(text, ".")
	n, err := strconv.ParseUint(whole+(part + "000")[:3], 10, 31)
	if err != nil || whole == "" || len(part) > 3 {
		return 0, fmt.Errorf("option %s: %q is no number such as 3 or 0.45, with at most three digits after the point", name, text)
	}
	if int32(n) < least || int32(n) > most {
		return 0, fmt.Errorf("option %s: %s is not from %s to %s", name, text, FormatThousandths(least), FormatThousandths(most))
	}
	return int32(n), nil
}

// FormatThousandths returns a number of thousandths as text.
func FormatThousandths(n int32) string {
	return strconv.FormatFloat(float64(n)/1000, 'f', -1, 64)
}
