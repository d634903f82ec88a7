package cases

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// flag is a word of the member flags and the circumstance it names. One that
// is special is taken only by families that list it, see [ruleset.Traits]. A flag
// that counts is written with its number, such as river:7.
type flag struct {
	word    string
	flag    ruleset.Flags
	special bool
	doc     string
	count   func(*Case) *uint8
}

// flags lists all flags.
var flags = []flag{
	{word: "riichi", doc: "riichi was declared", flag: ruleset.FlagRiichi, special: true},
	{word: "double_riichi", doc: "riichi on the first own turn, uninterrupted", flag: ruleset.FlagDoubleRiichi, special: true},
	{word: "ippatsu", doc: "within one uninterrupted go-around of riichi or ready", flag: ruleset.FlagIppatsu, special: true},
	{word: "ready", doc: "ready (叮) declared in an ordinary turn", flag: ruleset.FlagReady, special: true},
	{word: "ready_human", doc: "ready declared in the first go-around", flag: ruleset.FlagReadyHuman, special: true},
	{word: "ready_early", doc: "ready declared within the first discards of the hand, as ready_within has it", flag: ruleset.FlagReadyHuman, special: true},
	{word: "ready_earth", doc: "ready declared with the first own discard", flag: ruleset.FlagReadyEarth, special: true},
	{word: "ready_heaven", doc: "ready declared before the first draw", flag: ruleset.FlagReadyHeaven, special: true},
	{word: "last_tile", doc: "the last tile of the wall, or the discard after it", flag: ruleset.FlagLastTile},
	{word: "after_kan", doc: "self-draw of the replacement for a kan", flag: ruleset.FlagAfterKan},
	{word: "after_two_kans", doc: "self-draw of the replacement for a kan made with the replacement for another", flag: ruleset.FlagAfterTwoKans, special: true},
	{word: "after_flower", doc: "self-draw of the replacement for a flower", flag: ruleset.FlagAfterFlower, special: true},
	{word: "after_kita", doc: "self-draw of the replacement for a North set aside", flag: ruleset.FlagAfterKita, special: true},
	{word: "robbing_kita", doc: "on a North that another player sets aside", flag: ruleset.FlagRobbingKita, special: true},
	{word: "robbing_kan", doc: "on the tile of an added kan", flag: ruleset.FlagRobbingKan},
	{word: "robbing_closed_kan", doc: "on the tile of a closed kan", flag: ruleset.FlagRobbingClosedKan},
	{word: "last_copy", doc: "on the fourth copy, the three others being visible to all", flag: ruleset.FlagLastCopy, special: true},
	{word: "sole_live", doc: "on the only tile left that could complete the hand", flag: ruleset.FlagSoleLive, special: true},
	{word: "heavenly", doc: "the dealer's win on the dealt tiles", flag: ruleset.FlagHeavenly, special: true},
	{word: "earthly", doc: "riichi, and earthly_scope = first_draw: another player's self-draw in the first go-around; others: on the dealer's first discard", flag: ruleset.FlagEarthly, special: true},
	{word: "human", doc: "riichi, zungjung: on a discard before the first own draw; hktw, hkos, taiwanese: in the first go-around", flag: ruleset.FlagHuman, special: true},
	{word: "double_win", doc: "one of two winners on the tile", flag: ruleset.FlagDoubleWin, special: true},
	{word: "triple_win", doc: "one of three winners on the tile", flag: ruleset.FlagTripleWin, special: true},
	{word: "flower_win_7", doc: "seven flowers declared as a win, in hktw and taiwanese robbing the eighth", flag: ruleset.FlagFlowerWin7, special: true},
	{word: "flower_win_8", doc: "all eight flowers, declared as a win", flag: ruleset.FlagFlowerWin8, special: true},
	{word: "river", doc: "so many tiles lie in all rivers, as the ruleset counts them", special: true, count: func(c *Case) *uint8 { return &c.River }},
	{word: "tail_draws", doc: "so many replacement tiles drawn in one go before the win", special: true, count: func(c *Case) *uint8 { return &c.TailDraws }},
}

// flagWords lists the flags that a ruleset takes, all for nil.
func flagWords(r *ruleset.Rules) string {
	var words []string
	for _, f := range flags {
		if r == nil || !f.special || r.Traits.TakesCaseWord(f.word) {
			word := f.word
			if f.count != nil {
				word += ":<number>"
			}
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}

func (c *Case) parseFlags(raw json.RawMessage) error {
	var list []string
	if err := decode(raw, "a list of flags", &list); err != nil {
		return err
	}
	for _, text := range list {
		word, number, numbered := strings.Cut(text, ":")
		i := slices.IndexFunc(flags, func(f flag) bool { return f.word == word && numbered == (f.count != nil) })
		if i < 0 {
			return fmt.Errorf("unknown flag %q: flags are %s", clip(text), flagWords(nil))
		}
		if slices.Contains(c.flags, word) {
			return fmt.Errorf("%s: given twice", word)
		}
		c.flags = append(c.flags, word)
		c.Flags |= flags[i].flag
		if numbered {
			n, err := strconv.ParseUint(number, 10, 8)
			if err != nil {
				return fmt.Errorf("%s: %q is not an integer 0..255", word, clip(number))
			}
			*flags[i].count(c) = uint8(n)
		}
	}
	return nil
}

const (
	anyRiichi    = ruleset.FlagRiichi | ruleset.FlagDoubleRiichi
	anyKita      = ruleset.FlagAfterKita | ruleset.FlagRobbingKita
	anyRob       = ruleset.FlagRobbingKan | ruleset.FlagRobbingClosedKan | ruleset.FlagRobbingKita
	anyFlowerWin = ruleset.FlagFlowerWin7 | ruleset.FlagFlowerWin8
	anyReady     = ruleset.FlagReady | ruleset.FlagReadyHuman | ruleset.FlagReadyEarth | ruleset.FlagReadyHeaven
	anyShared    = ruleset.FlagDoubleWin | ruleset.FlagTripleWin
	firstTurn    = ruleset.FlagHeavenly | ruleset.FlagEarthly | ruleset.FlagHuman
	afterKans    = ruleset.FlagAfterKan | ruleset.FlagAfterTwoKans
	earlyReady   = ruleset.FlagDoubleRiichi | ruleset.FlagReadyHuman | ruleset.FlagReadyEarth | ruleset.FlagReadyHeaven
)

// byTurn holds where an earthly win is a self-draw and a human win one on a discard.
func byTurn(r *ruleset.Rules) bool {
	return r.FirstWins == ruleset.FirstTurnWins || r.EarthlyScope == ruleset.EarthlyFirstDraw
}

// byDiscard holds where an earthly win is one on the dealer's first discard.
func byDiscard(r *ruleset.Rules) bool { return !byTurn(r) }

// byGoAround holds where human wins are those of the first go-around.
func byGoAround(r *ruleset.Rules) bool { return r.FirstWins == ruleset.GoAroundWins && !byTurn(r) }

// beforeDraw holds where a human win comes before the winner's first draw.
func beforeDraw(r *ruleset.Rules) bool { return r.FirstWins != ruleset.GoAroundWins }

// brokenByKan holds where any kan, also a closed one, ends the chance of those wins.
func brokenByKan(r *ruleset.Rules) bool { return r.FirstWins != ruleset.DealtWins }

func withRiichi(r *ruleset.Rules) bool { return r.Traits.TakesCaseWord("riichi") }

func withReady(r *ruleset.Rules) bool { return r.Traits.TakesCaseWord("ready") }

// alternatives are flags of which a win has at most one.
var alternatives = []ruleset.Flags{anyRiichi, anyReady, firstTurn, anyRob, anyFlowerWin, anyShared}

// contradictions lists what a case with some flags cannot have, under some rulesets; nil
// means all. An error gives the message after the flag.
var contradictions = []struct {
	flags   ruleset.Flags
	under   func(*ruleset.Rules) bool
	message string
	holds   func(c *Case, r *ruleset.Rules) bool
}{
	{anyKita, nil, "no North is set aside under the ruleset", func(_ *Case, r *ruleset.Rules) bool { return r.Kita == ruleset.NoKita }},
	{ruleset.FlagAfterKita, nil, "needs a North set aside: kita 1 to 4", func(c *Case, _ *ruleset.Rules) bool { return c.Kita == 0 }},
	{ruleset.FlagRobbingKita, nil, "the ruleset's rob_kita is never", func(_ *Case, r *ruleset.Rules) bool { return r.RobKita == ruleset.RobKitaNever }},
	{ruleset.FlagRobbingKita, nil, "needs win_tile 4z", func(c *Case, _ *ruleset.Rules) bool { return c.WinTile != tile.Face(tile.North) }},
	{ruleset.FlagAfterKan, nil, "needs a kan among the melds", func(c *Case, _ *ruleset.Rules) bool { return !slices.ContainsFunc(c.Melds, Meld.isKan) }},
	{ruleset.FlagAfterFlower, nil, "needs a flower in flowers", func(c *Case, _ *ruleset.Rules) bool { return len(c.Flowers) == 0 }},
	{ruleset.FlagRobbingKan, nil, "the ruleset's rob_added_kan is false", func(_ *Case, r *ruleset.Rules) bool { return !r.RobAddedKan }},
	{ruleset.FlagRobbingClosedKan, nil, "the ruleset's rob_closed_kan is never", func(_ *Case, r *ruleset.Rules) bool { return r.RobClosedKan == ruleset.RobClosedNever }},
	{anyRiichi, nil, "needs a closed hand, but melds has an open one", (*Case).isOpen},
	{ruleset.FlagIppatsu, withRiichi, "needs riichi or double_riichi", func(c *Case, _ *ruleset.Rules) bool { return c.Flags&anyRiichi == 0 }},
	{ruleset.FlagIppatsu, withReady, "needs ready, ready_human, ready_earth or ready_heaven", func(c *Case, _ *ruleset.Rules) bool { return c.Flags&anyReady == 0 }},
	{firstTurn, nil, "comes before any call, but melds has an open one", (*Case).isOpen},
	{firstTurn, brokenByKan, "comes before any call and kan, but melds is not empty", func(c *Case, _ *ruleset.Rules) bool { return len(c.Melds) != 0 }},
	{firstTurn, nil, "comes before any kan of the winner, or is void after it, but melds is not empty", func(c *Case, r *ruleset.Rules) bool {
		return !brokenByKan(r) && (r.BlessingsVoid || c.Flags&ruleset.FlagHeavenly == 0) && len(c.Melds) != 0
	}},
	{firstTurn, nil, "comes before any call and North set aside, but kita is not 0", func(c *Case, r *ruleset.Rules) bool { return r.KitaEndsFirstTurn && c.Kita > 0 }},
	{earlyReady, nil, "with ippatsu is over in the second go-around, in which the wall is not empty", func(c *Case, _ *ruleset.Rules) bool {
		return c.withinGoAround() && c.Flags&ruleset.FlagLastTile != 0
	}},
	{earlyReady, func(r *ruleset.Rules) bool { return r.ReadyTiers != ruleset.FirstDiscardTiers }, "with ippatsu allows no pon of others, which a kan to be robbed begins as", func(c *Case, _ *ruleset.Rules) bool {
		return c.withinGoAround() && c.Flags&ruleset.FlagRobbingKan != 0
	}},
	{ruleset.FlagReadyHeaven, nil, "with ippatsu is over with the own first discard: needs from a player who plays before seat", func(c *Case, r *ruleset.Rules) bool {
		return r.ReadyInitial && c.withinGoAround() && c.Seat != 0 && c.From != nil && *c.From > c.Seat
	}},
	// What comes before the declaration breaks the first turn, what comes after it the one-shot.
	{ruleset.FlagDoubleRiichi, nil, "with ippatsu allows no kan and no North set aside", func(c *Case, r *ruleset.Rules) bool {
		return c.Flags&ruleset.FlagIppatsu != 0 && (r.DoubleRiichiKan && c.numKans() > 0 || r.KitaEndsFirstTurn && r.KitaEndsOneShot && c.Kita > 0)
	}},
	{ruleset.FlagHeavenly, nil, "is the dealer's self-draw: needs self_draw true and seat E", func(c *Case, _ *ruleset.Rules) bool { return !c.SelfDraw || c.Seat != 0 }},
	{ruleset.FlagHeavenly, nil, "comes before any discard, but river counts some", func(c *Case, _ *ruleset.Rules) bool { return c.River != ruleset.NoCount && c.River > 0 }},
	{ruleset.FlagEarthly, byTurn, "is a self-draw of another than the dealer: needs self_draw true and a seat other than E", func(c *Case, _ *ruleset.Rules) bool { return !c.SelfDraw || c.Seat == 0 }},
	{ruleset.FlagEarthly, byDiscard, "is a win on the dealer's first discard: needs self_draw false, a seat other than E and from E, if any", func(c *Case, _ *ruleset.Rules) bool {
		return c.SelfDraw || c.Seat == 0 || c.From != nil && *c.From != 0
	}},
	{ruleset.FlagHuman, func(r *ruleset.Rules) bool { return r.FirstWins == ruleset.GoAroundWins && byTurn(r) }, "is a win on a discard: needs self_draw false", func(c *Case, _ *ruleset.Rules) bool { return c.SelfDraw }},
	{ruleset.FlagHuman, beforeDraw, "is a win on a discard by another than the dealer: needs self_draw false and a seat other than E", func(c *Case, _ *ruleset.Rules) bool { return c.SelfDraw || c.Seat == 0 }},
	{anyRiichi, nil, "the ruleset's ready is not riichi", func(_ *Case, r *ruleset.Rules) bool { return r.Ready != ruleset.Riichi }},
	{anyReady, nil, "the ruleset's ready is not ding", func(_ *Case, r *ruleset.Rules) bool { return r.Ready != ruleset.Ding }},
	{ruleset.FlagIppatsu, nil, "the ruleset's one_shot is false", func(_ *Case, r *ruleset.Rules) bool { return !r.OneShot }},
	{anyRiichi, nil, "the winner's own stick lies on the table: deposits is at least 1, or left out", func(c *Case, r *ruleset.Rules) bool {
		return r.RiichiStick > 0 && c.Deposits == 0 && slices.Contains(c.given, "deposits")
	}},
	{anyReady, nil, "the ruleset's ready_closed_only is true, but melds has an open one", func(c *Case, r *ruleset.Rules) bool { return r.ReadyClosedOnly && c.isOpen(r) }},
	{anyReady | anyRiichi, nil, "the ruleset's ready_kan is never, so that no kan follows it", func(c *Case, r *ruleset.Rules) bool {
		return r.ReadyKan == ruleset.ReadyKanNever && c.Flags&afterKans != 0
	}},
	// hktw 2.8: without a call or kan of the winner it is ready_earth, or ready_heaven.
	{ruleset.FlagReadyHuman, nil, "comes with the first own discard after a call or kan, and melds are not those of it; without one it is ready_earth", func(c *Case, r *ruleset.Rules) bool {
		return r.ReadyTiers == ruleset.LeagueTiers && (len(c.Melds) == 0 || !c.madeInOneTurn())
	}},
	{ruleset.FlagReadyHeaven | ruleset.FlagReadyEarth, nil, "the ruleset's ready_tiers is off", func(_ *Case, r *ruleset.Rules) bool { return r.ReadyTiers == ruleset.NoTiers }},
	// [T] 3.8: of the dealer, with the first discard. Before the first draw anybody may.
	{ruleset.FlagReadyHeaven, nil, "is the dealer's: needs seat E", func(c *Case, r *ruleset.Rules) bool { return c.Seat != 0 && !r.ReadyInitial }},
	{ruleset.FlagReadyEarth, nil, "is not the dealer's, whose first discard makes it ready_heaven: needs a seat other than E", func(c *Case, r *ruleset.Rules) bool { return c.Seat == 0 && r.ReadyTiers != ruleset.LeagueTiers }},
	{ruleset.FlagReadyHeaven, nil, "comes before any call and allows none, but melds has an open one", (*Case).isOpen},
	// hktw 2.8, [T] 3.8, 3.9: nothing was called, and nothing is afterwards.
	{ruleset.FlagReadyHeaven | ruleset.FlagReadyEarth, func(r *ruleset.Rules) bool { return r.ReadyTiers != ruleset.FirstDiscardTiers }, "comes before any call and kan and allows none, but melds is not empty", (*Case).calledAround},
	{ruleset.FlagReadyHuman, func(r *ruleset.Rules) bool { return r.ReadyTiers != ruleset.LeagueTiers }, "comes before any call and kan and allows none, but melds is not empty", (*Case).calledAround},
	{anyShared, nil, "the ruleset's multi_win is nearest: one player wins", func(_ *Case, r *ruleset.Rules) bool { return r.MultiWin == ruleset.WinNearest }},
	{ruleset.FlagTripleWin, nil, "three players cannot win on one tile under the ruleset", func(_ *Case, r *ruleset.Rules) bool {
		return r.MultiWin == ruleset.WinAllAbortOnTriple || r.NumSeats() < 4
	}},
	{ruleset.FlagFlowerWin8, nil, "the ruleset's flower_win_eight is false", func(_ *Case, r *ruleset.Rules) bool { return !r.FlowerWinEight }},
	{ruleset.FlagFlowerWin8, nil, "needs all eight flowers in flowers", func(c *Case, _ *ruleset.Rules) bool { return len(c.Flowers) != 8 }},
	{ruleset.FlagFlowerWin7, nil, "seven flowers are no win under the ruleset", func(_ *Case, r *ruleset.Rules) bool { return !r.FlowerWinSeven && !r.FlowerDrawSeven }},
	{ruleset.FlagFlowerWin7, nil, "needs seven flowers in flowers", func(c *Case, _ *ruleset.Rules) bool { return len(c.Flowers) != 7 }},
	{ruleset.FlagLastCopy | ruleset.FlagSoleLive, nil, "needs a win_tile; flowers win without one", func(c *Case, _ *ruleset.Rules) bool { return c.WinTile == tile.NoFace }},
	{anyFlowerWin, nil, "is won by flowers alone: win_tile is empty", func(c *Case, _ *ruleset.Rules) bool { return c.WinTile != tile.NoFace }},
	{ruleset.FlagFlowerWin7, nil, "is won off the player who has the eighth flower: needs self_draw false", func(c *Case, r *ruleset.Rules) bool { return c.SelfDraw && !r.FlowerDrawSeven }},
	{ruleset.FlagFlowerWin7, nil, "is drawn, not won off another player: needs self_draw true", func(c *Case, r *ruleset.Rules) bool { return !c.SelfDraw && !r.FlowerWinSeven }},
	{firstTurn, nil, "comes in the first go-around, but river counts more or fewer tiles than lie there then", func(c *Case, r *ruleset.Rules) bool {
		least, most := c.openingRiver(r)
		return c.River != ruleset.NoCount && (int(c.River) < least || int(c.River) > most)
	}},
	{ruleset.FlagLastTile, nil, "comes when the wall is empty, but river counts fewer tiles than must lie there by then", func(c *Case, r *ruleset.Rules) bool {
		return c.River != ruleset.NoCount && int(c.River) < leastRiver(r)
	}},
	{ruleset.FlagHuman, beforeDraw, "comes before the first own draw, so from is a player who plays before seat", func(c *Case, _ *ruleset.Rules) bool { return c.From != nil && *c.From >= c.Seat }},
	{ruleset.FlagHuman, nil, "comes before the discard of North ends the first go-around, so without ready_earth of North, and on the dealer's discard it is earthly: needs another from than E", func(c *Case, r *ruleset.Rules) bool {
		return c.Flags&ruleset.FlagReadyEarth != 0 && int(c.Seat) == r.NumSeats()-1 || byGoAround(r) && r.EarthlyScope == ruleset.EarthlyDealerDiscard && c.From != nil && *c.From == 0
	}},
	{ruleset.FlagHuman, nil, "comes in the first go-around, in which only those who play after seat discard after its declaration of ready: needs from one of them", func(c *Case, r *ruleset.Rules) bool {
		declared := c.Flags & anyReady
		if r.ReadyInitial {
			declared &^= ruleset.FlagReadyHeaven
		}
		return declared != 0 && c.From != nil && *c.From < c.Seat
	}},
	{ruleset.FlagHuman, byGoAround, "is not the dealer's self-draw, which seat E and self_draw true make it: that is heavenly", func(c *Case, _ *ruleset.Rules) bool { return c.SelfDraw && c.Seat == 0 }},
}

// calledAround reports whether the winner has melds that a ready hand without calls cannot
// have: any, unless closed kans may follow the declaration.
func (c *Case) calledAround(r *ruleset.Rules) bool {
	return c.isOpen(r) || len(c.Melds) > 0 && r.ReadyKan == ruleset.ReadyKanNever
}

// madeInOneTurn reports whether a player can have made the melds before a discard: one claim, after
// an open kan or a draw as many closed kans as there are.
func (c *Case) madeInOneTurn() bool {
	open, added := c.count(Meld.isOpen), c.count(func(m Meld) bool { return m.Type == hand.AddedKan })
	one := open == 1 && c.Seat != 0 && (len(c.Melds) == 1 || len(c.Melds) == c.numKans()) // the dealer discards before any claim
	return added == 0 && (open == 0 || one)
}

func (c *Case) isOpen(*ruleset.Rules) bool { return slices.ContainsFunc(c.Melds, Meld.isOpen) }

// checkFamilyFlags refuses flags of other families.
func (c *Case) checkFamilyFlags(r *ruleset.Rules) error {
	for _, f := range flags {
		if slices.Contains(c.flags, f.word) && f.special && !r.Traits.TakesCaseWord(f.word) {
			return fmt.Errorf("flags: %s is none of the %s flags %s", f.word, r.Family, flagWords(r))
		}
	}
	return nil
}

// checkMoments refuses flags that no moment of a hand can have together, naming two where two
// are enough.
func (c *Case) checkMoments(r *ruleset.Rules) error {
	if len(c.flags) == 0 {
		return nil
	}
	for _, some := range alternatives {
		first := c.wordOf(some, "")
		if second := c.wordOf(some, first); second != "" {
			return fmt.Errorf("flags: %s and %s cannot both be", first, second)
		}
	}
	var listed []flag
	for _, f := range flags {
		if f.flag == 0 || !slices.Contains(c.flags, f.word) {
			continue
		}
		own := momentsOf(f.flag, r)
		for _, g := range listed {
			if momentsOf(g.flag, r)&own == 0 {
				why := ""
				if g.flag == ruleset.FlagLastTile && !r.LastTileAfterKan {
					why = ": the ruleset's rinshan_counts_as_haitei is false"
				}
				return fmt.Errorf("flags: %s and %s cannot both be%s", g.word, f.word, why)
			}
		}
		listed = append(listed, f)
	}
	return nil
}

// checkOrigin refuses flags of drawn tiles on a given one, and the other way round.
// The messages of first wins name the seat as well; see contradictions.
func (c *Case) checkOrigin(r *ruleset.Rules) error {
	for _, f := range flags {
		if f.flag&^(firstTurn|anyFlowerWin) != 0 && slices.Contains(c.flags, f.word) && momentsOf(f.flag, r)&c.side() == 0 {
			return fmt.Errorf("flags: %s: needs self_draw %t", f.word, !c.SelfDraw)
		}
	}
	return nil
}

// side returns the moments of tiles that are drawn or, without a self-draw, given.
func (c *Case) side() moments { return when(sides[c.SelfDraw], anyStage...) }

// checkAll refuses flags that each a win of that side can have, but not all of them.
func (c *Case) checkAll(r *ruleset.Rules) error {
	all := c.side()
	for _, f := range flags {
		if f.flag != 0 && slices.Contains(c.flags, f.word) {
			all &= momentsOf(f.flag, r)
		}
	}
	if all == 0 {
		return fmt.Errorf("flags: %s: no win with self_draw %t can be all of that", strings.Join(c.flags, ", "), c.SelfDraw)
	}
	return nil
}

// wordOf returns the first word of the case for one of some flags other than the
// given word, empty if there is none.
func (c *Case) wordOf(some ruleset.Flags, but string) string {
	for _, f := range flags {
		if f.flag&some != 0 && f.word != but && slices.Contains(c.flags, f.word) {
			return f.word
		}
	}
	return ""
}

// checkFlags returns what is wrong with the flags under r.
func (c *Case) checkFlags(r *ruleset.Rules) error {
	if err := c.checkFamilyFlags(r); err != nil {
		return err
	}
	if err := c.checkMoments(r); err != nil {
		return err
	}
	if err := c.checkOrigin(r); err != nil {
		return err
	}
	for _, word := range c.flags {
		i := slices.IndexFunc(flags, func(f flag) bool { return f.word == word })
		f := flags[i]
		for _, no := range contradictions {
			if f.flag&no.flags != 0 && (no.under == nil || no.under(r)) && no.holds(c, r) {
				return fmt.Errorf("flags: %s: %s", word, no.message)
			}
		}
	}
	if err := c.checkAll(r); err != nil {
		return err
	}
	if err := c.checkReplacements(); err != nil {
		return err
	}
	if err := c.checkCopies(r); err != nil {
		return err
	}
	if err := c.checkRiver(r); err != nil {
		return err
	}
	if c.WinTile == tile.NoFace && c.Flags&anyFlowerWin == 0 {
		return errors.New("win_tile: missing")
	}
	return nil
}
