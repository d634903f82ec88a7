package cases

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

func (c *Case) numKans() int { return c.count(Meld.isKan) }

// count returns the number of melds of a sort.
func (c *Case) count(is func(Meld) bool) (n int) {
	for _, m := range c.Melds {
		if is(m) {
			n++
		}
	}
	return n
}

// checkReplacements refuses more replacement tiles than the winner's kans and flowers ask for.
func (c *Case) checkReplacements() error {
	kans := c.numKans()
	if c.Flags&ruleset.FlagAfterTwoKans != 0 && kans < 2 {
		return errors.New("flags: after_two_kans: needs two kans among the melds")
	}
	turned := c.count(func(m Meld) bool { return m.Type != hand.OpenKan && m.isKan() })
	if c.Flags&ruleset.FlagAfterTwoKans != 0 && turned == 0 {
		return errors.New("flags: after_two_kans: needs a closed or added kan, as the second is made in the own turn")
	}
	if !slices.Contains(c.flags, "tail_draws") {
		return nil
	}
	least := 1
	if c.Flags&ruleset.FlagAfterTwoKans != 0 {
		least = 2
	}
	switch {
	case c.Flags&(ruleset.FlagAfterKan|ruleset.FlagAfterTwoKans|ruleset.FlagAfterFlower) == 0:
		return errors.New("flags: tail_draws: needs after_kan or after_flower")
	case int(c.TailDraws) < least:
		return fmt.Errorf("flags: tail_draws: %d, but the other flags need at least %d", c.TailDraws, least)
	case c.Flags&ruleset.FlagAfterKan != 0 && turned == 0 && c.TailDraws > 1:
		return fmt.Errorf("flags: tail_draws: %d with after_kan, but nothing is drawn before the replacement for an open kan", c.TailDraws)
	case int(c.TailDraws) > kans && len(c.Flowers) == 0, int(c.TailDraws) > kans+8:
		// The rule text counts flowers in its own case of a chain without naming each of them
		// (hktw-027), so any flower stands for all.
		return fmt.Errorf("flags: tail_draws: %d replacement tiles, but melds has %d kans and flowers %d", c.TailDraws, kans, len(c.Flowers))
	}
	return nil
}

// checkCopies refuses flags that need copies of the winning tile which the hand has itself.
func (c *Case) checkCopies(r *ruleset.Rules) error {
	if c.WinTile == tile.NoFace {
		return nil
	}
	kind := c.WinTile.Kind()
	count := func(faces []tile.Face) (n int) {
		for _, f := range faces {
			if f.Kind() == kind {
				n++
			}
		}
		return n
	}
	concealed, shown, hidden := count(c.Concealed), count(c.Indicators)+count(c.Ura), 0
	for _, m := range c.Melds {
		if m.isOpen() {
			shown += count(m.Tiles)
		} else {
			hidden += count(m.Tiles)
		}
	}
	if kind == tile.North {
		shown += c.Kita
	}
	word := c.wordOf(ruleset.FlagRobbingKan|ruleset.FlagRobbingClosedKan, "")
	if own := concealed + shown + hidden; word != "" && own > 0 {
		return fmt.Errorf("flags: %s: the kan has the three other %v, but the case has %d besides win_tile", word, c.WinTile, own)
	}
	robbed := word
	if word = c.wordOf(ruleset.FlagLastCopy|ruleset.FlagSoleLive, ""); word == "" {
		return nil
	}
	fromRivers := r.TrueLast == ruleset.RiversOnly && c.Flags&ruleset.FlagSoleLive != 0
	thrown := c.mostThrown(r)
	switch {
	case c.Flags&ruleset.FlagRobbingClosedKan != 0, robbed != "" && fromRivers:
		return fmt.Errorf("flags: %s and %s cannot both be: the kan has the three other %v", robbed, word, c.WinTile)
	case robbed != "":
		return nil
	case thrown < 3:
		return fmt.Errorf("flags: %s: the three other %v lie open, but at most %d tiles do before the winning one", word, c.WinTile, thrown)
	}
	switch inRivers := r.TrueLast == ruleset.RiversOnly; {
	case inRivers && c.Flags&ruleset.FlagSoleLive != 0 && concealed+shown+hidden > 0:
		return fmt.Errorf("flags: sole_live: the three other %v lie in the rivers, but the case has %d besides win_tile", c.WinTile, concealed+shown+hidden)
	case !inRivers && concealed+hidden > 0:
		return fmt.Errorf("flags: %s: all see the three other %v, but the hand hides %d", word, c.WinTile, concealed+hidden)
	}
	return nil
}

// leastRiver returns the fewest tiles that lie in the rivers when the wall is empty: every tile
// drawn is discarded but for those of kans and flowers, and melds take some of them away.
func leastRiver(r *ruleset.Rules) int {
	return 4*tile.NumKinds - r.DeadWall - 1 - 8 - r.NumSeats()*(r.HandSize+hand.MaxMelds)
}

// mostThrown returns the most tiles that can lie open before the winning one: in the opening each player
// has discarded once, and a river that is stated may be all that counts.
func (c *Case) mostThrown(r *ruleset.Rules) int {
	most := 4 * tile.NumKinds
	if c.Flags&firstTurn != 0 {
		_, most = c.openingRiver(r)
		if !c.SelfDraw && r.WithinCountsWinning {
			most--
		}
	}
	if c.River != ruleset.NoCount && r.TrueLast == ruleset.RiversOnly && c.Flags&ruleset.FlagSoleLive != 0 {
		river := int(c.River)
		if !c.SelfDraw && r.WithinCountsWinning {
			river--
		}
		most = min(most, river)
	}
	return most
}

// checkRiver refuses fewer tiles in the rivers than lie there at a win of the sort, and more than there are.
func (c *Case) checkRiver(r *ruleset.Rules) error {
	if c.River == ruleset.NoCount {
		return nil
	}
	least := 0
	switch {
	case c.Flags&anyFlowerWin != 0:
	case !c.SelfDraw && c.Flags&anyRob == 0:
		if r.WithinCountsWinning {
			least = 1
		}
	case c.Flags&ruleset.FlagRobbingKan != 0: // what its owner discarded after the pon
		least = 1
	case c.SelfDraw && (c.Seat != 0 || c.isOpen(r)) && !(c.Flags&(afterKans|ruleset.FlagAfterFlower) != 0 && slices.ContainsFunc(c.Melds, func(m Meld) bool { return m.Type == hand.OpenKan })):
		// The discard before the draw, which was not claimed. No draw from the wall comes before the
		// replacement for an open kan, nor before that for a flower drawn there.
		least = 1
	}
	if declared := c.Flags & (anyReady &^ ruleset.FlagReadyHeaven); declared != 0 && c.SelfDraw && r.WithinCountsClaimed {
		least = max(least, 2) // that of the declaration, and one before the draw
	}
	most := 4*tile.NumKinds + 8 - r.DeadWall - r.NumSeats()*r.HandSize
	if c.withinGoAround() {
		most = 2 * r.NumSeats()
	}
	if n := int(c.River); n < least || n > most {
		return fmt.Errorf("flags: river: %d tiles, but there are %d to %d at such a win", n, least, most)
	}
	return nil
}

// withinGoAround reports whether the winner has declared in the first go-around and wins within the next one.
func (c *Case) withinGoAround() bool {
	return c.Flags&ruleset.FlagIppatsu != 0 && c.Flags&earlyReady != 0
}

// openingRiver returns how many tiles lie in the rivers at a win in the opening, by its flag: each
// player before has discarded once.
func (c *Case) openingRiver(r *ruleset.Rules) (least, most int) {
	if c.SelfDraw {
		return int(c.Seat), int(c.Seat)
	}
	least, most = 1, r.NumSeats()
	switch {
	case c.Flags&ruleset.FlagEarthly != 0:
		most = 1
	case c.From != nil:
		least, most = int(*c.From)+1, int(*c.From)+1
	}
	if !r.WithinCountsWinning {
		return least - 1, most - 1
	}
	return least, most
}

// followLiability makes those liable who gave the tiles of melds that name their givers, in the
// order of the melds: what a case leaves out follows from what it states.
func (c *Case) followLiability(r *ruleset.Rules, w *ruleset.Winner) {
	if !r.Traits.TakesCaseWord("liable") {
		return
	}
	var list [hand.MaxMelds]hand.Meld
	order := uint8(0)
	for i, m := range c.Melds {
		list[i], _ = m.meld(c.Seat, r) // they were checked
		if m.From == nil {
			continue
		}
		if list[i].Type == hand.AddedKan {
			list[i].Type = hand.Pon // as it was claimed
		}
		bits := r.Liability(list[:i+1])
		list[i].Type = m.Type
		if m.Type == hand.OpenKan && c.Flags&afterKans != 0 && c.replacedLast(i) {
			bits |= 1 << (ruleset.NumLiabilities - 1)
		}
		for bit := range w.Liable {
			if bits>>bit&1 != 0 {
				w.Liable[bit], w.LiableOrder[bit] = ruleset.Chair(*m.From), order
				order++
			}
		}
	}
}

// replacedLast reports whether the replacement for kan number i was the last one, or that for a closed kan
// which was made with it.
func (c *Case) replacedLast(i int) bool {
	rest := c.Melds[i+1:]
	return len(rest) == 0 || c.Flags&ruleset.FlagAfterTwoKans != 0 && len(rest) == 1 && rest[0].Type == hand.ClosedKan
}

// canBeLiable reports whether the giver of one of the melds became liable for a pattern, bit
// number of the ruleset: some of the melds lay on the table when it was claimed.
func (c *Case) canBeLiable(r *ruleset.Rules, l Liable, bit int) bool {
	if bit == ruleset.NumLiabilities-1 {
		// The giver of an open kan on whose replacement tile the hand is won.
		return c.Flags&afterKans != 0 && slices.ContainsFunc(c.Melds, func(m Meld) bool {
			return m.Type == hand.OpenKan && (m.From == nil || *m.From == l.Wind)
		})
	}
	var list [hand.MaxMelds]hand.Meld
	for last, m := range c.Melds {
		if m.Type == hand.ClosedKan || m.From != nil && *m.From != l.Wind ||
			m.Type == hand.Chi && r.ChiFrom == ruleset.ChiFromLeft && l.Wind != (c.Seat+3)&3 {
			continue
		}
		for others := range 1 << len(c.Melds) {
			n := 0
			for i, o := range c.Melds {
				if others>>i&1 != 0 && i != last {
					list[n], _ = o.meld(c.Seat, r) // they were checked
					n++
				}
			}
			list[n], _ = m.meld(c.Seat, r)
			if list[n].Type == hand.AddedKan {
				list[n].Type = hand.Pon // as it was claimed
			}
			if r.Liability(list[:n+1])>>bit&1 != 0 {
				return true
			}
		}
	}
	return false
}
