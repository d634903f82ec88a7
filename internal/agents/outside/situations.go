package outside

import (
	"bytes"
	_ "embed" // the situations
	"fmt"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// situation is a hand with a prepared wall that leads to a decision of the program. The file
// situations.toml explains the members.
type situation struct {
	Name                string
	Bot                 sim.Player
	Dealt               [sim.NumPlayers]string
	Draws, Replacements string
	Script              [sim.NumPlayers][]namedAction
	Asks                namedAction
}

// namedAction is an action of a file.
type namedAction struct{ sim.Action }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *namedAction) UnmarshalText(text []byte) (err error) {
	s.Action, err = sim.ParseAction(string(text))
	return err
}

//go:embed situations.toml
var situationFile []byte

// situations returns the situations of each preset for which there are any.
var situations = sync.OnceValue(func() (byPreset map[string][]situation) {
	if err := toml.NewDecoder(bytes.NewReader(situationFile)).DisallowUnknownFields().Decode(&byPreset); err != nil {
		panic(err) // tests read the file
	}
	return byPreset
})

func (s *situation) wall(r *ruleset.Rules) (*sim.Wall, error) {
	flow := &r.Flow
	size := sim.SetSize(flow)
	spare := sim.NewWall(flow, 1, 0, 0, 0)
	var left [tile.NumFaces]int
	for _, f := range spare[:size] {
		left[f]++
	}
	w := sim.EmptyWall()
	lay := func(text string, place func(int) int) error {
		faces, err := tile.ParseFaces(text)
		for i, f := range faces {
			// Rules without red fives have ordinary ones in their places.
			if left[f] == 0 && f.Kind().IsFive() {
				f = tile.Face(f.Kind())
			}
			if left[f]--; left[f] < 0 {
				return fmt.Errorf("%s: there are more %v than the set has", s.Name, f)
			}
			w[place(i)] = f
		}
		return err
	}
	perSeat := flow.Walls == ruleset.WallPerSeat
	seatWall := size / sim.NumPlayers
	for p, text := range s.Dealt {
		err := lay(text, func(i int) int {
			if perSeat {
				return p*seatWall + i
			}
			return sim.DealtIndex(flow, 0, ruleset.Chair(p), i)
		})
		if err != nil {
			return nil, err
		}
	}
	err := lay(s.Draws, func(i int) int {
		if perSeat { // of the dealer alone
			return flow.HandSize + i
		}
		return flow.NumSeats()*flow.HandSize + i
	})
	if err == nil && s.Replacements != "" {
		err = lay(s.Replacements, func(i int) int { return sim.ReplacementIndex(flow, i) })
	}
	if err != nil {
		return nil, err
	}
	return w, w.Complete(flow, &spare)
}

// scriptedAgent plays a script, and the default action otherwise.
type scriptedAgent struct{ script []namedAction }

// Act implements sim.Agent.
func (e *scriptedAgent) Act(v sim.View) sim.Action {
	legal := v.Legal()
	if len(e.script) > 0 && legal.Has(e.script[0].Action) {
		a := e.script[0].Action
		e.script = e.script[1:]
		return a
	}
	return sim.DefaultAction(&legal)
}
