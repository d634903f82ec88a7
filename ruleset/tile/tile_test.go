package tile

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestKinds(t *testing.T) {
	tests := []struct {
		text   string
		suit   Suit
		rank   int
		honor  bool
		next   string
		orphan bool
	}{
		{"1m", Characters, 0, false, "2m", true},
		{"5m", Characters, 4, false, "6m", false},
		{"9m", Characters, 8, false, "1m", true},
		{"1p", Dots, 0, false, "2p", true},
		{"9p", Dots, 8, false, "1p", true},
		{"8s", Bamboo, 7, false, "9s", false},
		{"9s", Bamboo, 8, false, "1s", true},
		{"1z", Honors, 0, true, "2z", true},
		{"4z", Honors, 3, true, "1z", true},
		{"5z", Honors, 4, true, "6z", true},
		{"7z", Honors, 6, true, "5z", true},
	}
	for _, tt := range tests {
		f, err := ParseFace(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		k := f.Kind()
		if k.Suit() != tt.suit || k.Rank() != tt.rank || k.IsHonor() != tt.honor {
			t.Errorf("%v: suit %d, rank %d, honor %v", k, k.Suit(), k.Rank(), k.IsHonor())
		}
		if k.Next().String() != tt.next {
			t.Errorf("after %v comes %v, want %v", k, k.Next(), tt.next)
		}
		if Orphans.Has(k) != tt.orphan || Simples.Has(k) == tt.orphan {
			t.Errorf("%v: orphan %v, simple %v", k, Orphans.Has(k), Simples.Has(k))
		}
	}
}

func TestSets(t *testing.T) {
	tests := []struct {
		name string
		set  Set
		want string
	}{
		{"All", All, "123456789m123456789p123456789s1234567z"},
		{"Suited", Suited, "123456789m123456789p123456789s"},
		{"HonorSet", HonorSet, "1234567z"},
		{"Winds", Winds, "1234z"},
		{"Dragons", Dragons, "567z"},
		{"Terminals", Terminals, "19m19p19s"},
		{"Orphans", Orphans, "19m19p19s1234567z"},
		{"Simples", Simples, "2345678m2345678p2345678s"},
		{"Greens", Greens, "23468s6z"},
		{"characters", SuitSet(Characters), "123456789m"},
		{"dots", SuitSet(Dots), "123456789p"},
		{"bamboo", SuitSet(Bamboo), "123456789s"},
		{"honors", SuitSet(Honors), "1234567z"},
		{"empty", 0, ""},
	}
	for _, tt := range tests {
		if got := tt.set.String(); got != tt.want {
			t.Errorf("%s = %s, want %s", tt.name, got, tt.want)
		}
		if tt.set.Len() != len(tt.want)-groups(tt.want) {
			t.Errorf("%s has %d kinds", tt.name, tt.set.Len())
		}
		var kinds Set
		for rest := tt.set; rest != 0; rest = rest.Rest() {
			if k := rest.First(); k >= NumKinds || kinds>>k != 0 {
				t.Fatalf("%s: %v out of order", tt.name, k)
			}
			kinds |= rest.First().Bit()
			if rest.Rest() == 0 && rest.First() != tt.set.Last() {
				t.Errorf("%s ends with %v, not %v", tt.name, rest.First(), tt.set.Last())
			}
		}
		if kinds != tt.set {
			t.Errorf("%s holds %v", tt.name, kinds)
		}
	}
}

func groups(text string) (n int) {
	for i := range len(text) {
		if isLetter(text[i]) {
			n++
		}
	}
	return n
}

// TestNeighbors takes all kinds, and two at a time.
func TestNeighbors(t *testing.T) {
	for a := range Kind(NumKinds) {
		var want Set
		for b := range Kind(NumKinds) {
			if far := max(a, b) - min(a, b); a != b && far <= 2 && a.Suit() == b.Suit() && !a.IsHonor() {
				want |= b.Bit()
			}
		}
		if got := a.Bit().Neighbors(); got != want {
			t.Errorf("%v: %v, want %v", a, got, want)
		}
		for b := range Kind(NumKinds) {
			if got, want := (a.Bit() | b.Bit()).Neighbors(), a.Bit().Neighbors()|b.Bit().Neighbors(); got != want {
				t.Errorf("%v and %v: %v, want %v", a, b, got, want)
			}
		}
	}
}

// TestChiKinds takes all pairs of kinds.
func TestChiKinds(t *testing.T) {
	for a := range Kind(NumKinds) {
		for b := range a {
			var want Set
			for k := range Kind(NumKinds) {
				three := []Kind{a, b, k}
				slices.Sort(three)
				low := three[0]
				if three[1] == low+1 && three[2] == low+2 && !k.IsHonor() && low.Suit() == three[2].Suit() {
					want |= k.Bit()
				}
			}
			if got := (a.Bit() | b.Bit()).ChiKinds(); got != want {
				t.Errorf("%v%v take %v, want %v", b, a, got, want)
			}
		}
	}
}

func TestFaces(t *testing.T) {
	for f := range Face(NumFaces) {
		k := f.Kind()
		switch {
		case f.IsRed() && (f.IsFlower() || !k.IsFive() || RedOf(k.Suit()) != f):
			t.Errorf("%v is a red %v", f, k)
		case f.IsFlower() && (k != NoKind || f.Flower() != int(f-FirstFlower)):
			t.Errorf("%v is flower %d of kind %v", f, f.Flower(), k)
		case !f.IsRed() && !f.IsFlower() && k != Kind(f):
			t.Errorf("%v is of kind %v", f, k)
		}
	}
	for k := range Kind(NumKinds) {
		if k.IsFive() != (k.Rank() == 4 && !k.IsHonor()) {
			t.Errorf("%v: IsFive %v", k, k.IsFive())
		}
	}
}

func TestWinds(t *testing.T) {
	for w := range Wind(4) {
		if got, err := ParseWind(w.String()); err != nil || got != w {
			t.Errorf("ParseWind(%v) = %v, %v", w, got, err)
		}
		if w.Kind() != East+Kind(w) {
			t.Errorf("wind %v is shown by %v", w, w.Kind())
		}
	}
	for _, text := range []string{"", "e", "ES", "1z"} {
		if w, err := ParseWind(text); err == nil {
			t.Errorf("ParseWind(%q) = %v", text, w)
		}
	}
}

func TestTally(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		var counts [NumKinds]uint8
		held := Set(0)
		for k := range counts {
			if counts[k] = uint8(rng.IntN(8)); counts[k] > 0 {
				held |= Kind(k).Bit()
			}
		}
		tally, kinds, want := TallyOf(&counts), Set(rng.Uint64())&All, 0
		for set := kinds; set != 0; set = set.Rest() {
			want += int(counts[set.First()])
		}
		if got := tally.Of(kinds); got != want || tally.Kinds() != held {
			t.Fatalf("%v: %d tiles of %v, want %d; kinds %v, want %v", counts, got, kinds, want, tally.Kinds(), held)
		}
	}
}

func TestCopies(t *testing.T) {
	// Of the first four kinds there are one to four, of East always one.
	var c Copies
	c.Add(East.Bit())
	for n := range 4 {
		c.Add(0xf << n & 0xf)
	}
	for taken := range 5 {
		if want := max(0, 1-taken); c.Count(East) != want {
			t.Errorf("%d of East after %d are gone, want %d", c.Count(East), taken, want)
		}
		for k := range Kind(4) {
			if want := max(0, int(k)+1-taken); c.Count(k) != want {
				t.Errorf("%d of %v after %d are gone, want %d", c.Count(k), k, taken, want)
			}
		}
		for i, kinds := range c[1:] {
			if kinds&^c[i] != 0 {
				t.Errorf("more than %d of %v, but no more than %d", i+1, kinds, i)
			}
		}
		c.Remove(c[0])
	}
}

// TestTallyAdd adds kinds in ones, twos and fours wherever the numbers go into three
// bits.
func TestTallyAdd(t *testing.T) {
	for have := range 8 {
		for more := range 8 - have {
			counts := [NumKinds]uint8{Red: uint8(have)}
			tally := TallyOf(&counts)
			of := func(bit int) Set { return Set(more>>bit&1) << Red }
			tally.Add(of(0), of(1), of(2))
			if got := tally.Count(Red); got != have+more || tally.Of(All) != got {
				t.Errorf("%d and %d are %d, and %d in all", have, more, got, tally.Of(All))
			}
		}
	}
}
