package tile

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestFaceText(t *testing.T) {
	seen := map[string]bool{}
	for f := range Face(NumFaces) {
		text := f.String()
		if len(text) != 2 || seen[text] {
			t.Errorf("face %d is %q", f, text)
		}
		seen[text] = true
		if got, err := ParseFace(text); err != nil || got != f {
			t.Errorf("ParseFace(%q) = %v, %v", text, got, err)
		}
		if k := f.Kind(); f < RedFive && (k != Kind(f) || k.String() != text) {
			t.Errorf("face %q is of kind %v", text, k)
		}
	}
	for text, want := range map[string]Face{"1m": 0, "9s": 26, "1z": 27, "7z": 33, "0m": 34, "0s": 36, "1f": 37, "8f": 44} {
		if f, err := ParseFace(text); err != nil || f != want {
			t.Errorf("ParseFace(%q) = %d, %v, want %d", text, f, err, want)
		}
	}
	if NoFace.String() != "-" || NoKind.String() != "-" {
		t.Errorf("NoFace is %v, NoKind is %v", NoFace, NoKind)
	}
}

func TestFacesText(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", ""},
		{"  ", ""},
		{"234m234p23467s55p", "234m234p23467s55p"},
		{"2m3m4m 2p3p4p", "234m234p"},
		{" 340m  1f8f 77z ", "340m18f77z"},
		{"1m2p1m", "1m2p1m"},
	}
	for _, tt := range tests {
		faces, err := ParseFaces(tt.text)
		if err != nil {
			t.Errorf("ParseFaces(%q): %v", tt.text, err)
		}
		if got := FormatFaces(faces); got != tt.want {
			t.Errorf("%q reads as %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestFacesTextErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"118z", `tile: "8z" at position 3: honors are 1z to 7z`},
		{"0z", `tile: "0z" at position 1: honors are 1z to 7z`},
		{"1m 19f", `tile: "9f" at position 5: flowers are 1f to 8f`},
		{"0f", `tile: "0f" at position 1: flowers are 1f to 8f`},
		{"123m45", `tile: "45" at position 5: a letter m, p, s, z or f must follow the digits`},
		{"12 m", `tile: "12" at position 1: a letter m, p, s, z or f must follow the digits`},
		{"12x", `tile: "12" at position 1: a letter m, p, s, z or f must follow the digits`},
		{"1mp", `tile: "p" at position 3: digits must come before the letter`},
		{"1m,2p", `tile: "," at position 3: tiles are digits and a letter m, p, s, z or f`},
		{"1m東", `tile: "東" at position 3: tiles are digits and a letter m, p, s, z or f`},
		{"1M", `tile: "1" at position 1: a letter m, p, s, z or f must follow the digits`},
	}
	for _, tt := range tests {
		faces, err := ParseFaces(tt.text)
		if err == nil || err.Error() != tt.want {
			t.Errorf("ParseFaces(%q) = %v, %v, want %s", tt.text, faces, err, tt.want)
		}
	}
	for _, text := range []string{"", "m", "1", "11m", "1m ", "8z", "0f", "1x"} {
		if f, err := ParseFace(text); err == nil || f != NoFace {
			t.Errorf("ParseFace(%q) = %v, %v", text, f, err)
		}
	}
}

func TestSortFaces(t *testing.T) {
	faces, err := ParseFaces("3f7z1z5550s1m9m50p2f")
	if err != nil {
		t.Fatal(err)
	}
	SortFaces(faces)
	if got, want := FormatFaces(faces), "19m05p0555s17z23f"; got != want {
		t.Errorf("sorted %s, want %s", got, want)
	}
	four, red := Face(3), RedOf(0)
	if compareFaces(four, red) >= 0 || compareFaces(red, four) <= 0 {
		t.Error("a red five does not come after a four")
	}
}

func TestCheckCopies(t *testing.T) {
	tests := []struct {
		groups string
		want   string
	}{
		{"1111m 2222m|5550p|12345678f", ""},
		{"111m|11m", "tile: more than four 1m: there are four of each kind"},
		{"5555p0p", "tile: more than four 5p: there are four of each kind"},
		{"00s|555s", "tile: more than four 5s: there are four of each kind"},
		{"1z|3f|3f", "tile: more than one 3f: there is one of each flower"},
		{"", ""},
	}
	for _, tt := range tests {
		var groups [][]Face
		for text := range strings.SplitSeq(tt.groups, "|") {
			faces, err := ParseFaces(text)
			if err != nil {
				t.Fatal(err)
			}
			groups = append(groups, faces)
		}
		got := ""
		if err := CheckCopies(groups...); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("CheckCopies(%s): %q, want %q", tt.groups, got, tt.want)
		}
	}
}

func FuzzParseFaces(f *testing.F) {
	for _, seed := range []string{"", "234m234p23467s55p", "0m 0p 0s", "12345678f", "8z", "1m2", "m", "1m\xff", "東"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		faces, err := ParseFaces(text)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || faces != nil {
				t.Fatalf("%v, %v", faces, err)
			}
			// The text of the error stands in the input, but for the letter of a
			// tile, which stands at the end of its group.
			if at := syntax.Pos - 1; at < 0 || at >= len(text) || text[at] != syntax.Text[0] {
				t.Fatalf("%v is not in %q", err, text)
			}
			return
		}
		canonical := FormatFaces(faces)
		again, err := ParseFaces(canonical)
		if err != nil || !slices.Equal(again, faces) {
			t.Fatalf("%q reads as %q, which reads as %v, %v", text, canonical, again, err)
		}
		if FormatFaces(again) != canonical {
			t.Fatalf("%q is not canonical", canonical)
		}
	})
}

func TestSortFacesLikeCompareFaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		faces := make([]Face, rng.IntN(20))
		for i := range faces {
			faces[i] = Face(rng.IntN(NumFaces))
			if rng.IntN(100) == 0 {
				faces[i] = NoFace
			}
		}
		want := slices.Clone(faces)
		slices.SortFunc(want, compareFaces)
		if SortFaces(faces); !slices.Equal(faces, want) {
			t.Fatalf("sorted %v, want %v", faces, want)
		}
	}
}

func TestAppendSorted(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		faces := make([]Face, rng.IntN(20))
		for i := range faces {
			faces[i] = Face(rng.IntN(NumFaces))
		}
		got := string(AppendSorted([]byte("dealt "), faces))
		SortFaces(faces)
		if want := "dealt " + FormatFaces(faces); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	}
}
