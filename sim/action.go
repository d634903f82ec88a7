package sim

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// Action is the id of an answer in the action table, which all rulesets share. Ids
// never change; additions come at the end. Rulesets of four players have the actions of
// version 1, the first NumActions; the others came with three players.
type Action uint8

// ActionTableVersion is the version of the action table of four players.
const ActionTableVersion = 1

// ActionTable returns the version of the action table at a table of so many players, and
// the number of its actions: the first ones of all.
func ActionTable(seats int) (version, actions int) {
	if seats == 3 {
		return 2, NumAllActions
	}
	return ActionTableVersion, NumActions
}

// The action table. Ids of a range are the first id plus the face or
// kind.
const (
	ActDiscard      Action = 0    // + face: discard a tile held before the draw; flowers where they may be held
	ActDiscardDrawn Action = 45   // discard the drawn tile, which the river shows as drawn
	ActReady        Action = 46   // + face 0-36: the same, declaring ready (riichi, ding)
	ActReadyDrawn   Action = 83   // discard the drawn tile, declaring ready
	ActChi          Action = 84   // + place of the claimed tile in the sequence; of an own five an ordinary one is used
	ActChiRed       Action = 87   // + place: the same with an own red five
	ActPon          Action = 90   // + number of own red fives used, 0-2
	ActOpenKan      Action = 93   // claim the discard for a kan
	ActClosedKan    Action = 94   // + kind: lay down four concealed tiles
	ActAddedKan     Action = 128  // + kind: add the fourth tile to a pon
	ActWin          Action = 162  // self-draw, on a discard or robbing a kan, by phase
	ActPass         Action = 163  // decline a claim, a win or an offer
	ActReadyNow     Action = 164  // declare ready before the first draw
	ActNineKinds    Action = 165  // abortive draw with nine kinds of terminals and honors
	ActTenpai       Action = 166  // show a ready hand at an exhausted wall
	ActNoten        Action = 167  // show no ready hand at an exhausted wall
	ActFlower       Action = 168  // + flower 0-7: expose it and draw a replacement
	ActFlowerWin    Action = 176  // win with the flowers
	ActFlowerAward  Action = 177  // take the flower award and play on
	ActCutDebt      Action = 178  // pay a debt and end it
	ActEndMatch     Action = 179  // the last dealer ends the match
	NumActions             = 180  // size of the table of four players
	ActKita         Action = 180  // set a North aside and draw a replacement, where three play
	NumAllActions          = 181  // size of the table
	NoAction        Action = 0xff // no action
)

// IsDiscard reports whether a discards a tile, with or without declaring ready.
func (a Action) IsDiscard() bool { return a < ActChi }

// DeclaresReady reports whether a declares ready.
func (a Action) DeclaresReady() bool {
	return a >= ActReady && a <= ActReadyDrawn || a == ActReadyNow
}

var actionNames = func() (names [NumAllActions]string) {
	for f := range tile.Face(tile.NumFaces) {
		names[ActDiscard+Action(f)] = "discard " + f.String()
		if !f.IsFlower() {
			names[ActReady+Action(f)] = "ready " + f.String()
		}
	}
	for i, place := range [...]string{"low", "mid", "high"} {
		names[ActChi+Action(i)] = "chi " + place
		names[ActChiRed+Action(i)] = "chi " + place + " red"
	}
	for k := range tile.Kind(tile.NumKinds) {
		names[ActClosedKan+Action(k)] = "closed_kan " + k.String()
		names[ActAddedKan+Action(k)] = "added_kan " + k.String()
	}
	for i := range 8 {
		names[ActFlower+Action(i)] = "flower " + (tile.FirstFlower + tile.Face(i)).String()
	}
	for a, name := range map[Action]string{
		ActDiscardDrawn: "discard drawn", ActReadyDrawn: "ready drawn",
		ActPon: "pon", ActPon + 1: "pon red", ActPon + 2: "pon red2",
		ActOpenKan: "open_kan", ActWin: "win", ActPass: "pass", ActReadyNow: "ready",
		ActNineKinds: "nine_kinds", ActTenpai: "tenpai", ActNoten: "noten",
		ActFlowerWin: "flower_win", ActFlowerAward: "flower_award",
		ActCutDebt: "cut_debt", ActEndMatch: "end_match", ActKita: "kita",
	} {
		names[a] = name
	}
	return names
}()

var actionIDs = func() map[string]Action {
	ids := make(map[string]Action, NumAllActions)
	for a, name := range actionNames {
		ids[name] = Action(a)
	}
	return ids
}()

// String returns the text of a, such as "discard 5m" or "chi low red".
func (a Action) String() string {
	if int(a) < len(actionNames) {
		return actionNames[a]
	}
	return fmt.Sprintf("action %d", uint8(a))
}

// ParseAction returns the action with the given text.
func ParseAction(text string) (Action, error) {
	if a, ok := actionIDs[strings.Join(strings.Fields(text), " ")]; ok {
		return a, nil
	}
	return NoAction, fmt.Errorf("sim: unknown action %q: want a text of the action table, such as %q or %q", text, "discard 5m", "chi low")
}

// ActionSet is a set of actions: bit a%64 of word a/64.
type ActionSet [3]uint64

// Has reports whether s contains a.
func (s *ActionSet) Has(a Action) bool { return a < NumAllActions && s[a>>6]>>(a&63)&1 != 0 }

// Add puts a into s.
func (s *ActionSet) Add(a Action) { s[a>>6] |= 1 << (a & 63) }

// Kinds returns the kinds k for which s contains base+k. For ActDiscard and ActReady
// it does not include red fives and the drawn tile.
func (s *ActionSet) Kinds(base Action) tile.Set {
	word, bit := base>>6, base&63
	kinds := s[word] >> bit
	if int(word)+1 < len(s) {
		kinds |= s[word+1] << (64 - bit)
	}
	return tile.Set(kinds) & tile.All
}

// Flowers returns the set (bit i for flower i) of flowers that s may expose.
func (s *ActionSet) Flowers() uint8 { return uint8(s[ActFlower>>6] >> (ActFlower & 63)) }

// Len returns the number of actions in s.
func (s *ActionSet) Len() int {
	return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) + bits.OnesCount64(s[2])
}

// First returns the lowest action of s, NoAction if s is empty.
func (s *ActionSet) First() Action {
	for i, w := range s {
		if w != 0 {
			return Action(i*64 + bits.TrailingZeros64(w))
		}
	}
	return NoAction
}

// pick returns a random action of s, which must not be empty.
func (s *ActionSet) pick(r Stream) Action {
	if s[1]|s[2] == 0 { // discards alone
		return Action(selectBit(s[0], uint64(r.Below(bits.OnesCount64(s[0])))))
	}
	return s.nth(r.Below(s.Len()))
}

// Nth returns the n-th action of s in ascending order, from 0; NoAction if n is out of
// range.
func (s *ActionSet) Nth(n int) Action {
	if uint(n) >= uint(s.Len()) {
		return NoAction
	}
	return s.nth(n)
}

// nth is Nth without the check of the range.
func (s *ActionSet) nth(n int) Action {
	// Branch-free: which word holds the action is unpredictable.
	first, second := bits.OnesCount64(s[0]), bits.OnesCount64(s[1])
	after1 := (first - 1 - n) >> 63 // all ones if the action is after the first word
	n -= first & after1
	after2 := (second - 1 - n) >> 63 & after1
	n -= second & after2
	word := uint(-after1 - after2)
	return Action(word*64 + uint(selectBit(s[word%3], uint64(n))))
}

// selectBit returns the position of the n-th set bit of w, from 0. It is branch-free:
// it finds the byte by running sums of the bits per byte, the bit inside it by a table.
func selectBit(w, n uint64) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	sums := w - w>>1&0x5555555555555555
	sums = sums&0x3333333333333333 + sums>>2&0x3333333333333333
	sums = (sums + sums>>4) & 0x0f0f0f0f0f0f0f0f
	sums *= ones
	// A byte keeps its high bit if the sum up to it is at most n. The mask shows the
	// compiler that the shift is below 64, which saves its checks.
	place := uint(8*bits.OnesCount64(((n*ones|highs)-sums)&highs)) & 56
	n -= sums << 8 >> place & 0xff
	return int(place) + int(placeInByte[w>>place&0xff][n&7])
}

// placeInByte[b][n] is the position of the n-th set bit of b.
var placeInByte = func() (t [256][8]uint8) {
	for b := range t {
		n := 0
		for i := range uint8(8) {
			if b>>i&1 != 0 {
				t[b][n] = i
				n++
			}
		}
	}
	return t
}()

// All is an iterator over the actions in ascending order.
func (s ActionSet) All(yield func(Action) bool) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			if !yield(Action(i*64 + bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}

// String lists the actions, separated by commas.
func (s ActionSet) String() string {
	var list []string
	for a := range s.All {
		list = append(list, a.String())
	}
	return strings.Join(list, ", ")
}

// AppendTo appends the actions of s to dst in ascending order.
func (s *ActionSet) AppendTo(dst []Action) []Action {
	for a := range s.All {
		dst = append(dst, a)
	}
	return dst
}

func (s *ActionSet) addKinds(base Action, set tile.Set) {
	for ; set != 0; set = set.Rest() {
		s.Add(base + Action(set.First()))
	}
}
