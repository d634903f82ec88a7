package observe_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/internal/testkit/golden"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

//go:generate go test -run "^(TestSpecs|TestGolden|TestActions|TestDocs)$" . -update

// versioned is golden.Hold for what must not change under one version. A file is rewritten
// for lines that are new, those of another encoding, not where a line changed: raise
// observe.Version, or remove the file if the engine plays the matches otherwise.
func versioned(t *testing.T, path, want string) {
	t.Helper()
	old, err := os.ReadFile(path)
	version, _, _ := strings.Cut(want, "\n")
	if err == nil && string(old) != want && bytes.HasPrefix(old, []byte(version+"\n")) && !(*golden.Update && holds(want, string(old))) {
		t.Fatalf("%s: changed under %s (-):\n%s", path, version, cmp.Diff(string(old), want))
	}
	golden.Hold(t, path, want)
}

// holds reports whether a text has all lines of another in their order.
func holds(text, lines string) bool {
	next, stop := iter.Pull(strings.Lines(lines))
	defer stop()
	line, more := next()
	for l := range strings.Lines(text) {
		if more && l == line {
			line, more = next()
		}
	}
	return !more
}

func TestLookup(t *testing.T) {
	for _, name := range observe.Names() {
		if s := lookup(t, name); s.Name != name || s.Version != observe.Version || s.For(4) != s {
			t.Errorf("%s is %s, version %d", name, s.Name, s.Version)
		}
		if s := lookup(t, name).For(3); s.Name != name || s.Version != observe.VersionOfThree || s.Seats != 3 || s.For(3) != s {
			t.Errorf("%s of three players is %s, version %d", name, s.Name, s.Version)
		}
	}
	if _, err := observe.Lookup("plains"); err == nil || !strings.Contains(err.Error(), `"plains"`) || !strings.Contains(err.Error(), "planes") {
		t.Errorf("the error of an unknown encoding is %v", err)
	}
}

// TestSpecs keeps the specs as files that other languages may read, and checks
// that each hangs together.
func TestSpecs(t *testing.T) {
	for seats, path := range map[int]string{4: "testdata/specs.json", 3: "testdata/specs_three.json"} {
		specs := []*observe.Spec{}
		for _, name := range append(observe.Names(), "advice") {
			specs = append(specs, adviceOf(t, name).For(seats))
			checkSpec(t, specs[len(specs)-1])
		}
		b, err := json.MarshalIndent(map[string]any{
			"version": specs[0].Version, "mask": observe.MaskFor(seats), "encodings": specs,
		}, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		golden.Hold(t, path, string(b)+"\n")
	}
}

func checkSpec(t *testing.T, s *observe.Spec) {
	t.Helper()
	names := map[string]bool{}
	for _, tensor := range append(slices.Clone(s.Tensors), observe.Mask) {
		if names[tensor.Name] || tensor.Doc == "" {
			t.Errorf("%s: tensor %q is there twice or not explained", s.Name, tensor.Name)
		}
		names[tensor.Name] = true
		next := 0
		for _, f := range tensor.Fields {
			if f.First != next || f.Count < 1 || f.Low < tensor.Low || f.High > tensor.High || f.Low > f.High || f.Doc == "" {
				t.Errorf("%s: field %+v of %s after %d", s.Name, f, tensor.Name, next)
			}
			if names[tensor.Name+"."+f.Name] {
				t.Errorf("%s: %s has two fields %s", s.Name, tensor.Name, f.Name)
			}
			names[tensor.Name+"."+f.Name] = true
			next += f.Count
		}
		if axis := tensor.Shape; next != 0 && next != axis[0] && !tensor.LastAxis || tensor.LastAxis && next != axis[len(axis)-1] {
			t.Errorf("%s: the fields of %s are %d long, its shape is %v", s.Name, tensor.Name, next, axis)
		}
	}
}

// TestBounds checks sizes and bounds of every element of every tensor, for all
// players, those not asked and those at a finished match included, and that
// encoding into a longer buffer touches nothing else.
func TestBounds(t *testing.T) {
	eachRuleset(t, func(t *testing.T, r *ruleset.Rules) {
		list := encoders(t, r)
		check := func(table *sim.Table, h *observe.History) {
			for p := range sim.Player(r.NumSeats()) {
				for _, e := range list {
					if e.Spec().Name == "text" {
						continue
					}
					o := encode(e, table.View(p), h)
					size := 0
					for i := range o.data {
						checkTensor(t, e.Spec().Name, &e.Spec().Tensors[i], o.data[i], o.read[i])
						size += len(o.data[i])
					}
					if size != e.Spec().Size() {
						t.Fatalf("%s: %d bytes, want %d", e.Spec().Name, size, e.Spec().Size())
					}
					dst := make([][]byte, len(o.data))
					for i := range dst {
						dst[i] = bytes.Repeat([]byte{0xaa}, 3+len(o.data[i])+8)[:3]
					}
					e.Append(dst, table.View(p), h)
					for i := range dst {
						rest := dst[i][len(dst[i]):cap(dst[i])]
						if !bytes.Equal(dst[i][3:], o.data[i]) || !bytes.Equal(dst[i][:3], rest[:3]) || bytes.Count(rest[:8], []byte{0xaa}) != 8 {
							t.Fatalf("%s: %s is written elsewhere", e.Spec().Name, e.Spec().Tensors[i].Name)
						}
					}
				}
				checkMask(t, table.Legal(p))
			}
		}
		start := sim.NewTable(r, 1)
		check(&start, new(observe.History))
		sampled(t, r, 151, check)
	})
}

// TestBoard checks that what is encoded with a Board kept from one observation to
// the next is what is encoded without, whoever is shown it and how often.
func TestBoard(t *testing.T) {
	eachRuleset(t, func(t *testing.T, r *ruleset.Rules) {
		spec := lookup(t, "planes").For(r.NumSeats())
		e := spec.NewEncoder()
		fresh, kept := make([][]byte, len(spec.Tensors)), make([][]byte, len(spec.Tensors))
		for seed := range uint64(sample(1, 20)) {
			var board observe.Board
			table, seen := sim.NewTable(r, seed), 0
			for !table.Over() {
				if table.Phase() == sim.PhaseDeal {
					table.StartHand(nil)
					board.Reset()
				}
				for p := range sim.Player(r.NumSeats()) {
					if table.Asked().Has(p) {
						if _, err := table.Step(p, mixed[p].Act(table.View(p)), nil); err != nil {
							t.Fatal(err)
						}
					}
				}
				for p := range sim.Player(r.NumSeats()) {
					if seen++; seen%7 < 3 { // not all are shown all
						continue
					}
					for i := range fresh {
						fresh[i], kept[i] = fresh[i][:0], kept[i][:0]
					}
					e.AppendTable(kept, &table, p, nil, &board)
					e.AppendTable(fresh, &table, p, nil, nil)
					for i := range fresh {
						if !bytes.Equal(fresh[i], kept[i]) {
							t.Fatalf("seed %d: player %d is shown %s otherwise with a board that is kept", seed, p, spec.Tensors[i].Name)
						}
					}
				}
			}
		}
	})
}

func checkTensor(t *testing.T, encoding string, tensor *observe.Tensor, data []byte, elements []int64) {
	t.Helper()
	n := 1
	for _, d := range tensor.Shape {
		n *= d
	}
	if len(elements) != n || len(data) != tensor.Size() {
		t.Fatalf("%s: %s has %d elements in %d bytes; want %v in %d", encoding, tensor.Name, len(elements), len(data), tensor.Shape, tensor.Size())
	}
	inner := 1
	if !tensor.LastAxis {
		inner = n / tensor.Shape[0]
	}
	for i, x := range elements {
		low, high, name := tensor.Low, tensor.High, tensor.Name
		axis := i / inner
		if tensor.LastAxis {
			axis %= tensor.Shape[len(tensor.Shape)-1]
		}
		for _, f := range tensor.Fields {
			if axis >= f.First && axis < f.First+f.Count {
				low, high, name = f.Low, f.High, tensor.Name+"."+f.Name
			}
		}
		if x < low || x > high {
			t.Fatalf("%s: %s holds %d, want %d to %d", encoding, name, x, low, high)
		}
	}
}

func checkMask(t *testing.T, legal sim.ActionSet) {
	t.Helper()
	mask := observe.AppendMask([]byte{0xaa}, legal)[1:]
	if len(mask) != observe.MaskSize || len(mask) != observe.Mask.Size() {
		t.Fatalf("the mask has %d bytes", len(mask))
	}
	for a := range sim.Action(8 * observe.MaskSize) {
		if (mask[a/8]>>(a%8)&1 == 1) != legal.Has(a) {
			t.Fatalf("bit %d of the mask of %v is wrong", a, legal)
		}
	}
}

// TestGolden keeps the bytes of a few positions of each family. They change with
// Version, or when the engine plays the matches otherwise.
func TestGolden(t *testing.T) {
	for _, preset := range []string{"ema_2016", "mcr_2006", "zung_jung", "hkma_hktw", "tenhou_sanma"} {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			rules := load(t, preset)
			fmt.Fprintf(&b, "version %d\n", lookup(t, "planes").For(rules.NumSeats()).Version)
			for i, x := range positions(t, rules, &mixed, 113, 3) {
				v := x.table.View(x.player)
				fmt.Fprintf(&b, "\nposition %d, player %d\nmask %x\n", i, x.player, observe.AppendMask(nil, v.Legal()))
				for _, e := range encoders(t, rules) {
					spec, first := e.Spec(), 0
					if spec.Name == "advice" {
						continue // players change their minds
					}
					if spec.Name == "features" {
						first = len(lookup(t, "planes").Tensors) // the others are those of planes
					}
					for j, data := range appendAll(e, v, &x.history) {
						switch tensor := spec.Tensors[j]; {
						case tensor.DType == observe.Text:
							fmt.Fprintf(&b, "%s %s %s\n", spec.Name, tensor.Name, data)
						case j >= first:
							fmt.Fprintf(&b, "%s %s %x\n", spec.Name, tensor.Name, data)
						}
					}
				}
			}
			versioned(t, "testdata/"+preset+".txt", b.String())
		})
	}
}

// TestAllocations holds encodings of fixed size to no allocation.
func TestAllocations(t *testing.T) {
	for _, preset := range []string{"ema_2016", "mcr_2006", "zung_jung", "hkma_hktw", "tenhou_sanma"} {
		rules := load(t, preset)
		points := positions(t, rules, &mixed, 29, 40)
		for _, e := range encoders(t, rules) {
			if e.Spec().Name == "text" {
				continue
			}
			dst := make([][]byte, len(e.Spec().Tensors))
			for i := range dst {
				dst[i] = make([]byte, 0, e.Spec().Tensors[i].Size())
			}
			mask := make([]byte, 0, observe.MaskSize)
			n := testing.AllocsPerRun(10, func() {
				for i := range points {
					x := &points[i]
					for j := range dst {
						dst[j] = dst[j][:0]
					}
					e.Append(dst, x.table.View(x.player), &x.history)
					mask = observe.AppendMask(mask[:0], x.table.Legal(x.player))
				}
			})
			if n != 0 {
				t.Errorf("%s, %s: %v allocations in %d observations", preset, e.Spec().Name, n, len(points))
			}
		}
	}
}

// TestUnpacked packs what was unpacked, and finds every bit where it belongs.
func TestUnpacked(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range observe.Names() {
		spec, err := observe.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, tensor := range spec.Tensors {
			if tensor.DType == observe.Text {
				continue
			}
			const rows = 3
			packed := make([]byte, rows*tensor.Size())
			for i := range packed {
				packed[i] = byte(rng.Uint32())
			}
			last := tensor.Shape[len(tensor.Shape)-1]
			width := (last + 7) / 8
			if tensor.DType == observe.Bit && last%8 != 0 { // what is left of the last byte is 0
				for i := width - 1; i < len(packed); i += width {
					packed[i] &= 1<<(last%8) - 1
				}
			}
			unpacked := tensor.AppendUnpacked([]byte{7}, packed)
			if got := len(unpacked) - 1; got != rows*tensor.UnpackedSize() || unpacked[0] != 7 {
				t.Fatalf("%s/%s: %d bytes after %d, want %d after 7", name, tensor.Name, got, unpacked[0], rows*tensor.UnpackedSize())
			}
			if tensor.DType == observe.Bit {
				for i, b := range unpacked[1:] {
					if want := packed[i/last*width+i%last/8] >> (i % last % 8) & 1; b != want {
						t.Fatalf("%s/%s: bit %d is %d, want %d", name, tensor.Name, i, b, want)
					}
				}
			}
			if got := tensor.AppendPacked(nil, unpacked[1:]); !bytes.Equal(got, packed) {
				t.Errorf("%s/%s: packed again it is not what it was", name, tensor.Name)
			}
		}
	}
}
