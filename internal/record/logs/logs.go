// Package logs writes matches in the formats of other programs: mjai, tenhou.net/6, Botzone.
//
//	f, err := logs.Find("mjai")
//	text, err := f.Write(rules, match, names, logs.All)
package logs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/record/botzone"
	"github.com/sparrowhall/sparrowhall/internal/record/mjai"
	"github.com/sparrowhall/sparrowhall/internal/record/tenhou"
	"github.com/sparrowhall/sparrowhall/internal/suggest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Format is a format of logs.
type Format struct {
	// Name is the value of --format, Suffix ends the names of the files.
	Name, Suffix string
	// Views reports whether the view of one player can be written.
	Views bool
	// Check returns why matches under some rules cannot be written, nil if they can.
	Check func(*ruleset.Rules) error
	// Write returns a match as a log, with what one player saw or with everything, for All.
	Write func(r *ruleset.Rules, m *sim.Match, names [sim.NumPlayers]string, viewer sim.Player) ([]byte, error)
}

// All is the viewer who sees all tiles.
const All sim.Player = -1

// Formats lists the formats. A new one needs an element here and a section in docs/formats.md.
var Formats = []Format{
	mjaiFormat("mjai", mjai.KitaWord),
	mjaiFormat("mjai-nukidora", mjai.Nukidora),
	{
		Name: "tenhou6", Suffix: ".json", Check: tenhou.CheckRules,
		Write: func(r *ruleset.Rules, m *sim.Match, names [sim.NumPlayers]string, _ sim.Player) ([]byte, error) {
			return tenhou.WriteJSON(r, m, names)
		},
	},
	{
		Name: "botzone", Suffix: ".json", Check: botzone.CheckRules,
		Write: func(r *ruleset.Rules, m *sim.Match, names [sim.NumPlayers]string, _ sim.Player) ([]byte, error) {
			return botzone.WriteLog(r, m, names)
		},
	},
	{
		Name: "botzone-text", Suffix: ".txt", Check: botzone.CheckRules,
		Write: func(r *ruleset.Rules, m *sim.Match, _ [sim.NumPlayers]string, _ sim.Player) ([]byte, error) {
			return botzone.WriteText(r, m)
		},
	},
}

// mjaiFormat returns the format of mjai lines with a word for the Norths that three players
// set aside.
func mjaiFormat(name string, word mjai.Kita) Format {
	return Format{
		Name: name, Suffix: ".json", Views: true,
		Check: func(r *ruleset.Rules) error {
			_, err := mjai.NewWriter(r, [sim.NumPlayers]string{})
			return err
		},
		Write: func(r *ruleset.Rules, m *sim.Match, names [sim.NumPlayers]string, viewer sim.Player) ([]byte, error) {
			w, err := mjai.NewWriter(r, names)
			if err != nil {
				return nil, err
			}
			if viewer != All {
				w.LimitTo(viewer)
			}
			return w.WithKita(word).WithValues(m.Values).Append(nil, m.Events), nil
		},
	}
}

// Names returns the names of the formats.
func Names() []string {
	var names []string
	for _, f := range Formats {
		names = append(names, f.Name)
	}
	return names
}

// Find returns the format of a name. The error names the nearest one.
func Find(name string) (*Format, error) {
	names := Names()
	if i := slices.Index(names, name); i >= 0 {
		return &Formats[i], nil
	}
	return nil, fmt.Errorf("unknown format %q; did you mean %s? Allowed: %s", name, suggest.Nearest(name, names, 1)[0], strings.Join(names, ", "))
}
