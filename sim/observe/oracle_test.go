package observe_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// fieldOf returns the bytes of a field of a tensor of bytes.
func fieldOf(t *testing.T, spec *observe.Spec, tensor int, name string, data []byte) []byte {
	t.Helper()
	for _, f := range spec.Tensors[tensor].Fields {
		if f.Name == name {
			return data[f.First : f.First+f.Count]
		}
	}
	t.Fatalf("no field %s", name)
	return nil
}

// The oracle names every tile that is drawn next, and shows of the others what
// they see of themselves.
func TestOracle(t *testing.T) {
	spec := observe.Oracle()
	if slices.Contains(observe.Names(), spec.Name) {
		t.Fatal("players may ask for the oracle")
	}
	for _, name := range configs.Names() {
		rules := load(t, name)
		spec, planes := spec.For(rules.NumSeats()), lookup(t, "planes").For(rules.NumSeats())
		encoder, plain := spec.NewEncoder(), planes.NewEncoder()
		draws := 0
		for seed := uint64(0); seed < uint64(sample(1, 3)) || draws < 50 && seed < 9; seed++ {
			table := sim.NewTable(rules, seed)
			var events []sim.Event
			got, want, own := make([][]byte, len(spec.Tensors)), make([][]byte, len(planes.Tensors)), make([][]byte, len(planes.Tensors))
			for !table.Over() {
				var ahead [sim.NumPlayers][]byte
				var replacements []byte
				for p := range sim.Player(rules.NumSeats()) {
					for _, list := range [][][]byte{got, want} {
						for i := range list {
							list[i] = list[i][:0]
						}
					}
					encoder.AppendTable(got, &table, p, nil, nil)
					plain.Append(want, table.View(p), nil)
					for i := range got {
						if len(got[i]) != spec.Tensors[i].Size() {
							t.Fatalf("%s: tensor %s has %d bytes", name, spec.Tensors[i].Name, len(got[i]))
						}
						if i < len(want) && !bytes.Equal(got[i], want[i]) {
							t.Fatalf("%s: tensor %s is not that of planes", name, spec.Tensors[i].Name)
						}
					}
					hands, hidden := got[len(want)], got[len(want)+1]
					for i := range rules.NumSeats() - 1 {
						next := table.View(table.View(p).PlayerAfter(i + 1))
						for i := range own {
							own[i] = own[i][:0]
						}
						plain.Append(own, next, nil)
						if !bytes.Equal(hands[i*20:i*20+20], own[0][:20]) {
							t.Fatalf("%s: hand %d is not what its player sees", name, i)
						}
					}
					n := len(want) + 1
					ahead[p] = bytes.Clone(fieldOf(t, spec, n, "wall", hidden))
					replacements = fieldOf(t, spec, n, "replacements", hidden)
				}
				events = events[:0]
				if table.Phase() == sim.PhaseDeal {
					events = table.StartHand(events)
					continue
				}
				for p := range sim.Player(rules.NumSeats()) {
					if table.Asked()>>p&1 == 0 {
						continue
					}
					v := table.View(p)
					legal, r := v.Legal(), v.Rand()
					var err error
					if events, err = table.Step(p, legal.Nth(r.Below(legal.Len())), events); err != nil {
						t.Fatal(err)
					}
				}
				for _, e := range events {
					if e.Type != sim.EvDraw {
						continue
					}
					from := ahead[e.Player]
					if source := sim.Source(e.Detail); source != sim.FromWall && replacements[0] != 0 {
						from = replacements
					}
					if tile.Face(from[0])-1 != e.Tile {
						t.Fatalf("%s: drew %v, the oracle said %v", name, e.Tile, tile.Face(from[0])-1)
					}
					draws++
					break // what comes after the first draw has moved on
				}
			}
		}
		if draws < 50 {
			t.Errorf("%s: %d draws", name, draws)
		}
	}
}
