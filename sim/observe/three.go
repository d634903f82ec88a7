package observe

import (
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/sim"
)

// For returns the encoding for tables of so many players. That of three has the tensors of
// four with the same shapes; what there is for each player stays zero for the fourth. It has
// a version of its own, and fields for the Norths set aside instead of flowers.
func (s *Spec) For(seats int) *Spec {
	if seats != 3 || s.Seats == 3 {
		return s
	}
	three := *s
	three.Version, three.Seats, three.Tensors = VersionOfThree, 3, slices.Clone(s.Tensors)
	for i := range three.Tensors {
		three.Tensors[i].makeThree()
	}
	return &three
}

// versionFor returns the version of the schema for so many players.
func versionFor(seats int) int {
	if seats == 3 {
		return VersionOfThree
	}
	return Version
}

// fieldsOfThree are the fields that differ where three play, by tensor and name, without
// their places.
var fieldsOfThree = map[string]Field{
	"melds.from":        {Name: "from", High: 2, Doc: "who gave the claimed tile, counted in turn order from the owner of the meld: 1 next, 2 before; 0 for a closed kan or no meld"},
	"state.cause":       {Name: "cause", High: int64(sim.FromKita), Doc: "where the last drawn tile came from: 0 deal, 1 wall, 2 replacement for a kan, 4 no draw but a claim, 5 replacement for a North set aside"},
	"state.seat_wind":   {Name: "seat_wind", High: 2, Doc: "wind of the viewer; that of player i is i more, modulo 3; East deals"},
	"state.flowers":     {Name: "norths", High: 4, Doc: "number of Norths the player has set aside (kita)"},
	"candidates.action": {Name: "action", High: sim.NumAllActions, Doc: "1 + the action; 0 after the last candidate"},
}

// partsOfThree are the parts of elements that differ where three play, by their names.
var partsOfThree = map[string]BitField{
	"type": {
		Values: append(slices.Clone(tokenParts[2].Values), "kita"),
		Doc:    tokenParts[2].Doc + "; kita: sets a North aside",
	},
	"detail": {
		Doc: strings.NewReplacer("3 for a flower;", "5 for a North;", "3 flowers;", "4 on a North set aside;").Replace(tokenParts[3].Doc),
	},
}

// docsOfThree replaces what the descriptions of tensors and fields say about four players.
var docsOfThree = strings.NewReplacer(
	"the player before", "no player", "the player across", "the player before",
	"runs of four are players 0-3", "runs of four are players 0-2, and 0",
)

// makeThree makes a tensor of four players one of three.
func (t *Tensor) makeThree() {
	t.Doc = docsOfThree.Replace(t.Doc)
	t.Fields, t.BitFields = slices.Clone(t.Fields), slices.Clone(t.BitFields)
	for i := range t.Fields {
		f := &t.Fields[i]
		if three, ok := fieldsOfThree[t.Name+"."+f.Name]; ok {
			three.First, three.Count = f.First, f.Count
			*f = three
		}
		f.Doc = docsOfThree.Replace(f.Doc)
	}
	for i := range t.BitFields {
		p := &t.BitFields[i]
		if three, ok := partsOfThree[p.Name]; ok {
			p.Doc = three.Doc
			if three.Values != nil {
				p.Values = three.Values
			}
		}
	}
}
