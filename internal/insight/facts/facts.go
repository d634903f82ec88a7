// Package facts computes what the rules let a player know from the own seat: what the hand waits
// for, and what each wait would win or why it would not. It also lists what may be called with which
// tiles, and which discards are safe by rule. Facts are not advice: every client shows them, and none
// ranks them.
//
//	f := facts.Of(view)
//	for _, w := range f.Hand.Waits {
//		fmt.Println(tile.Kind(w.Kind), w.Left, w.Wins)
//	}
//
// # Shape and win
//
// A wait is a kind that completes the shape of the hand. Whether it wins is another question, and
// the rules answer it differently for each way in which the tile can come. Three things stand
// between a complete shape and a win:
//
//   - The minimum. A riichi hand needs a yaku, MCR eight fan, Hong Kong Old Style three faan. A
//     self-draw may be worth more than a discard, so that only the one wins.
//   - Own discards (furiten). They forbid a win on a discard, of that kind or of all, and never on
//     a drawn tile.
//   - Passed wins. They forbid a win until the next own draw or discard, and after riichi to the
//     end of the hand.
//
// So a hand one tile from a complete shape is ready only if some wait wins ([Hand.Ready]). Without
// one it is a shape that cannot win, and no client may call it ready.
//
// # How it is computed
//
// Nothing here counts fan or knows a lock. The engine supposes that the tile comes next
// ([sim.View.Prospect]) and prices it by the code that pays wins. What a wait gains is therefore
// what the engine pays if that tile comes next. Left out is what no player can know: ura dora, a red
// five, a new indicator, a riichi stick of the discarder and a second winner. Prices of later tiles
// may change: a call ends ippatsu, and the last tile of the wall has a price of its own.
//
// The members have the names in which pages read them. The package needs no file, network or
// process, so it runs in a browser too.
package facts

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Facts are what a player may know at a moment of the hand.
type Facts struct {
	// Hand is the hand as it is, nil in an own turn, when it depends on the discard.
	Hand *Hand `json:"hand,omitempty"`
	// Discards are the discards that leave a hand with waits.
	Discards []Discard `json:"discards,omitempty"`
	// Refused is set if the tile at hand, drawn or discarded, completes the hand and yet no win is
	// offered.
	Refused *Refused `json:"refused,omitempty"`
	// Calls are the legal calls and kans with their tiles.
	Calls []Call `json:"calls,omitempty"`
	// Safe has each other player who has declared ready.
	Safe []Safe `json:"safe,omitempty"`
}

// Hand is what a hand between turns waits for.
type Hand struct {
	Waits []Wait `json:"waits"`
}

// Ready reports whether some wait wins, in some way. A hand that waits and is not ready has a
// shape that cannot win.
func (h *Hand) Ready() bool {
	for _, w := range h.Waits {
		for _, x := range w.Wins {
			if x.Why == "" {
				return true
			}
		}
	}
	return false
}

// Wait is a kind that completes the shape.
type Wait struct {
	Kind int `json:"kind"`
	// Left is the number of its tiles that the player cannot see.
	Left int `json:"left"`
	// Wins has for each player the win on a tile of that player's next discard, and for the own
	// player the win by self-draw.
	Wins []Win `json:"wins"`
}

// Win is a win on a tile of a wait, or why it is none.
type Win struct {
	// Why is empty for a win.
	Why Why `json:"why,omitempty"`
	// Gain is what the player would gain, in units, debts included.
	Gain int32 `json:"gain,omitempty"`
	// Points, Han, Fu and Base are those of the value; see [ruleset.Value]. Yakuman is its multiple.
	Points  int32 `json:"points"`
	Base    int32 `json:"base,omitempty"`
	Han     uint8 `json:"han,omitempty"`
	Fu      uint8 `json:"fu,omitempty"`
	Yakuman uint8 `json:"yakuman,omitempty"`
}

// Why is why a complete shape is no win.
type Why string

// The reasons.
const (
	NoPattern    Why = "no_pattern"   // no pattern that counts toward a minimum of 1: no yaku
	BelowMinimum Why = "minimum"      // worth less than the minimum
	OwnDiscard   Why = "river"        // a wait is among the own discards
	PassedWin    Why = "passed"       // a win was passed; ends with a later own draw, discard or call
	PassedReady  Why = "passed_ready" // a win was passed after declaring ready: to the end of the hand
)

// Whys are all reasons.
var Whys = []Why{NoPattern, BelowMinimum, OwnDiscard, PassedWin, PassedReady}

// Discard is a discard with the hand that it leaves.
type Discard struct {
	Action sim.Action `json:"action"`
	Hand
}

// Refused is a tile that completes the hand without a win.
type Refused struct {
	Tile tile.Face `json:"tile"`
	Win
}

// Call is a legal call or kan with the own tiles that it uses.
type Call struct {
	Action sim.Action `json:"action"`
	Tiles  []int      `json:"tiles"`
}

// Safe is the kinds on which a player who has declared ready may not win: those among the player's
// discards, and those that the player has passed since.
type Safe struct {
	Player sim.Player `json:"player"`
	Kinds  []int      `json:"kinds"`
}

// Of returns the facts of a view during a hand.
func Of(v sim.View) *Facts {
	f := &Facts{Calls: calls(v), Safe: safe(v)}
	inTurn := v.Phase() == sim.PhaseTurn && v.Turn() == v.Player()
	if inTurn {
		f.Discards = discards(v)
	} else if v.Waits() != 0 {
		f.Hand = HandOf(v)
	}
	at := v.Drawn()
	if v.Phase() == sim.PhaseClaim && v.Turn() != v.Player() {
		at = v.ClaimableTile()
	}
	if v.Waits().Has(at.Kind()) {
		if w := winOf(v, at, v.Turn()); w.Why != "" {
			f.Refused = &Refused{at, w}
		}
	}
	return f
}

// HandOf returns what the viewer's hand waits for, which is without a drawn tile.
func HandOf(v sim.View) *Hand {
	h := &Hand{Waits: []Wait{}}
	for kinds := v.Waits(); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		w := Wait{Kind: int(k), Left: v.Unseen(k)}
		for p := range sim.Player(v.Rules().NumSeats()) {
			w.Wins = append(w.Wins, winOf(v, tile.Face(k), p))
		}
		h.Waits = append(h.Waits, w)
	}
	return h
}

// winOf returns the win of the viewer on a tile from a player.
func winOf(v sim.View, f tile.Face, from sim.Player) Win {
	var x sim.Prospect
	v.Prospect(f, from, &x)
	value := &x.Value
	w := Win{Points: value.Points, Base: value.Base, Han: value.Han, Fu: value.Fu, Yakuman: value.Yakuman}
	switch {
	case x.Locked:
		w.Why = lockOf(v, f.Kind())
	case !value.OK:
		if w.Why = BelowMinimum; v.Rules().MinWin <= 1 {
			w.Why = NoPattern
		}
	default:
		w.Gain = x.Gain
	}
	return w
}

// lockOf returns why the viewer is furiten for kind k.
func lockOf(v sim.View, k tile.Kind) Why {
	r, own := v.Rules(), v.River(v.Player())
	switch {
	case r.RiverLock == ruleset.LockHand && own&v.Waits() != 0, r.RiverLock == ruleset.LockKind && own.Has(k):
		return OwnDiscard
	case r.PassLockFinal && v.Ready(v.Player()) != sim.NotReady:
		return PassedReady
	}
	return PassedWin
}

// discards returns the legal discards that leave a hand with waits.
func discards(v sim.View) (list []Discard) {
	h := v.Hand()
	// A tile that is discarded brings no hand nearer to a complete one.
	if v.Rules().HandShanten(&h, Melds(v)) > 1 {
		return nil
	}
	var ahead sim.Table
	for a := range v.Legal().All {
		if !a.IsDiscard() {
			continue
		}
		if w := v.AfterDiscard(a, &ahead); w.Waits() != 0 {
			list = append(list, Discard{a, *HandOf(w)})
		}
	}
	return list
}

// Melds returns the viewer's melds.
func Melds(v sim.View) (list []hand.Meld) {
	for i := range v.NumMelds(v.Player()) {
		list = append(list, v.Meld(v.Player(), i))
	}
	return list
}

// calls returns the legal calls and kans.
func calls(v sim.View) (list []Call) {
	h, reds, claimed := v.Hand(), v.Reds(), v.ClaimableTile().Kind()
	// own appends n concealed tiles of kind k, the given number of them red.
	own := func(tiles []int, k tile.Kind, n, red int) []int {
		for i := range n {
			f := int(k)
			if i < red {
				f = int(tile.RedOf(k.Suit()))
			}
			tiles = append(tiles, f)
		}
		return tiles
	}
	all := func(k tile.Kind, n int) []int {
		red := 0
		if k.IsFive() {
			red = int(reds[k.Suit()])
		}
		return own(nil, k, n, red)
	}
	for a := range v.Legal().All {
		c := Call{Action: a}
		switch {
		case a >= sim.ActChi && a < sim.ActPon:
			red, low := 0, claimed-tile.Kind((a-sim.ActChi)%3) // the ids with a red five follow those without
			if a >= sim.ActChiRed {
				red = 1
			}
			for k := low; k < low+3; k++ {
				if k != claimed && k.IsFive() {
					c.Tiles = own(c.Tiles, k, 1, red)
				} else if k != claimed {
					c.Tiles = own(c.Tiles, k, 1, 0)
				}
			}
		case a >= sim.ActPon && a < sim.ActOpenKan:
			c.Tiles = own(nil, claimed, 2, int(a-sim.ActPon))
		case a == sim.ActOpenKan:
			c.Tiles = all(claimed, h.Count(claimed))
		case a >= sim.ActClosedKan && a < sim.ActAddedKan:
			c.Tiles = all(tile.Kind(a-sim.ActClosedKan), 4)
		case a >= sim.ActAddedKan && a < sim.ActWin:
			c.Tiles = all(tile.Kind(a-sim.ActAddedKan), 1)
		default:
			continue
		}
		list = append(list, c)
	}
	return list
}

// safe returns what is safe by rule against the players who have declared ready.
func safe(v sim.View) (list []Safe) {
	r := v.Rules()
	for i := 1; i < r.NumSeats(); i++ {
		p := v.PlayerAfter(i)
		if v.Ready(p) == sim.NotReady {
			continue
		}
		var kinds tile.Set
		if r.RiverLock != ruleset.LockOff {
			kinds = v.River(p)
		}
		declared := false
		for j := 0; r.PassLockFinal && r.PassLock != ruleset.LockOff && j < v.NumDiscards(); j++ {
			switch d := v.Discard(j); {
			case d.Player == p:
				declared = declared || d.Ready
			case declared:
				kinds |= d.Tile.Kind().Bit()
			}
		}
		s := Safe{Player: p, Kinds: []int{}}
		for ; kinds != 0; kinds = kinds.Rest() {
			s.Kinds = append(s.Kinds, int(kinds.First()))
		}
		list = append(list, s)
	}
	return list
}
