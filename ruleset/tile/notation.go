package tile

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// letters are the letters of the groups in notation: characters, dots, bamboo,
// honors, flowers.
const letters = "mpszf"

// SyntaxError describes what is wrong with a text that should name tiles.
type SyntaxError struct {
	// Text is the offending part of the input.
	Text string
	// Pos is where Text starts, in bytes counted from 1.
	Pos int
	// Want says what is allowed there.
	Want string
}

// Error names the text, its position and what is allowed.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("tile: %q at position %d: %s", e.Text, e.Pos, e.Want)
}

// String returns the notation of k: 1m..9m, 1p..9p, 1s..9s, 1z..7z, or "-" for
// NoKind.
func (k Kind) String() string { return Face(k).String() }

// String returns the notation of f: that of its kind, 0m 0p 0s for the red
// fives, 1f..8f for the flowers, or "-" for NoFace.
func (f Face) String() string {
	if f >= NumFaces {
		return "-"
	}
	digit, letter := f.notation()
	return string([]byte{digit, letter})
}

func (f Face) notation() (digit, letter byte) {
	switch {
	case f < RedFive:
		k := Kind(f)
		return '1' + byte(k.Rank()), letters[k.Suit()]
	case f < FirstFlower:
		return '0', letters[f-RedFive]
	}
	return '1' + byte(f.Flower()), 'f'
}

// faceOf returns the face a digit and a letter name, or what is allowed instead.
func faceOf(digit, letter byte) (Face, string) {
	n := Face(digit - '1')
	switch letter {
	case 'z':
		if digit < '1' || digit > '7' {
			return NoFace, "honors are 1z to 7z"
		}
		return Face(East) + n, ""
	case 'f':
		if digit < '1' || digit > '8' {
			return NoFace, "flowers are 1f to 8f"
		}
		return FirstFlower + n, ""
	}
	s := Suit(strings.IndexByte(letters, letter))
	if digit == '0' {
		return RedOf(s), ""
	}
	return Face(s)*9 + n, ""
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return strings.IndexByte(letters, c) >= 0 }

// ParseFaces reads tiles in grouped notation, such as 234m0p55z: the digits of
// a group share the letter that ends it. Spaces may separate groups. The
// order is kept, and a text without tiles gives none. The error is a
// *SyntaxError.
func ParseFaces(text string) ([]Face, error) {
	var faces []Face
	start := 0 // of the group being read
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case isDigit(c):
		case isLetter(c) && i > start:
			for j := start; j < i; j++ {
				f, want := faceOf(text[j], c)
				if want != "" {
					return nil, &SyntaxError{string([]byte{text[j], c}), j + 1, want}
				}
				faces = append(faces, f)
			}
			start = i + 1
		case isLetter(c):
			return nil, &SyntaxError{text[i : i+1], i + 1, "digits must come before the letter"}
		case i > start:
			return nil, &SyntaxError{text[start:i], start + 1, "a letter m, p, s, z or f must follow the digits"}
		case c == ' ':
			start = i + 1
		default:
			_, size := utf8.DecodeRuneInString(text[i:])
			return nil, &SyntaxError{text[i : i+size], i + 1, "tiles are digits and a letter m, p, s, z or f"}
		}
	}
	if start < len(text) {
		return nil, &SyntaxError{text[start:], start + 1, "a letter m, p, s, z or f must follow the digits"}
	}
	return faces, nil
}

// ParseFace reads one tile, such as 3m, 0p or 8f. The error is a *SyntaxError.
func ParseFace(text string) (Face, error) {
	if len(text) == 2 && isDigit(text[0]) && isLetter(text[1]) {
		f, want := faceOf(text[0], text[1])
		if want != "" {
			return NoFace, &SyntaxError{text, 1, want}
		}
		return f, nil
	}
	return NoFace, &SyntaxError{text, 1, "one tile is a digit and a letter m, p, s, z or f"}
}

// AppendFaces appends the grouped notation of faces to dst: neighbors of one
// letter share it, the order is kept, and no spaces are written.
func AppendFaces(dst []byte, faces []Face) []byte {
	for i, f := range faces {
		digit, letter := f.notation()
		if i > 0 && dst[len(dst)-1] == letter {
			dst[len(dst)-1] = digit
		} else {
			dst = append(dst, digit)
		}
		dst = append(dst, letter)
	}
	return dst
}

// FormatFaces returns the grouped notation of faces in their order, such as
// 234m0p55z. ParseFaces reads it back to the same faces.
func FormatFaces(faces []Face) string { return string(AppendFaces(nil, faces)) }

// AppendSorted appends the grouped notation of faces as a hand is shown: what
// AppendFaces does after SortFaces, but quicker. It panics if one of them is no tile.
func AppendSorted(dst []byte, faces []Face) []byte {
	var counts [NumFaces]uint8
	held := uint64(0) // places of which there are any
	for _, f := range faces {
		place := shownPlace[f]
		counts[place]++
		held |= 1 << place
	}
	letter := byte(0)
	for ; held != 0; held &= held - 1 {
		place := bits.TrailingZeros64(held)
		text := shownText[place]
		if text[1] != letter && letter != 0 {
			dst = append(dst, letter)
		}
		letter = text[1]
		for range counts[place] {
			dst = append(dst, text[0])
		}
	}
	if letter != 0 {
		dst = append(dst, letter)
	}
	return dst
}

// compareFaces orders faces as a hand is shown: by kind, a red five before the
// other fives, flowers last.
func compareFaces(a, b Face) int {
	return cmp.Compare(a.shown(), b.shown())
}

// shown is the place of f in a shown hand.
func (f Face) shown() int {
	if f.IsRed() {
		return 2*int(f.Kind()) - 1
	}
	return 2 * int(f)
}

// shownOrder is all faces as a hand is shown, shownPlace the place of each in it.
var shownOrder, shownPlace = func() (order, place [NumFaces]Face) {
	for f := range order {
		order[f] = Face(f)
	}
	slices.SortFunc(order[:], compareFaces)
	for i, f := range order {
		place[f] = Face(i)
	}
	return order, place
}()

// shownText is the digit and the letter of each face, as a hand is shown.
var shownText = func() (text [NumFaces][2]byte) {
	for place, f := range shownOrder {
		text[place][0], text[place][1] = f.notation()
	}
	return text
}()

// SortFaces sorts faces as a hand is shown; see compareFaces.
func SortFaces(faces []Face) {
	var counts [NumFaces]int
	held := uint64(0) // places of which there are any
	for _, f := range faces {
		if f >= NumFaces {
			slices.SortFunc(faces, compareFaces)
			return
		}
		counts[shownPlace[f]]++
		held |= 1 << shownPlace[f]
	}
	sorted := faces[:0]
	for ; held != 0; held &= held - 1 {
		place := bits.TrailingZeros64(held)
		for range counts[place] {
			sorted = append(sorted, shownOrder[place])
		}
	}
}

// String returns the kinds of s in ascending order in grouped notation, such as
// 147m1z; the empty set is the empty text.
func (s Set) String() string {
	faces := make([]Face, 0, NumKinds)
	for ; s != 0; s = s.Rest() {
		faces = append(faces, Face(s.First()))
	}
	return FormatFaces(faces)
}

// ParseWind reads E, S, W or N. The error is a *SyntaxError.
func ParseWind(text string) (Wind, error) {
	if len(text) == 1 {
		if w := strings.IndexByte("ESWN", text[0]); w >= 0 {
			return Wind(w), nil
		}
	}
	return 0, &SyntaxError{text, 1, "winds are E, S, W and N"}
}

// CheckCopies returns an error that names the first tile of which the groups of
// faces together hold more than exist: four of a kind, red fives included, and
// one of each flower. How many fives are red is for the ruleset to say.
func CheckCopies(groups ...[]Face) error {
	var kinds [NumKinds]int
	var flowers [NumFaces - FirstFlower]int
	for _, faces := range groups {
		for _, f := range faces {
			if f.IsFlower() {
				flowers[f.Flower()]++
				if flowers[f.Flower()] > 1 {
					return fmt.Errorf("tile: more than one %v: there is one of each flower", f)
				}
				continue
			}
			k := f.Kind()
			kinds[k]++
			if kinds[k] > 4 {
				return fmt.Errorf("tile: more than four %v: there are four of each kind", k)
			}
		}
	}
	return nil
}
