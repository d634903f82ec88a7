package cases

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
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
	{word: "ippatsu", doc: "within one uninterrupted go-around of riichi or ready", flag: ruleset.FlagOneShot, special: true},
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
	{word: "human", doc: "riichi: on a discard before the first own draw; hktw, hkos, taiwanese: in the first go-around", flag: ruleset.FlagHuman, special: true},
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
)

// byTurn holds where an earthly win is a self-draw and a human win one on a discard.
func byTurn(r *ruleset.Rules) bool {
	return r.FirstWins == ruleset.FirstTurnWins || r.EarthlyScope == ruleset.EarthlyFirstDraw
}

// byDiscard holds where an earthly win is one on the dealer's first discard.
func byDiscard(r *ruleset.Rules) bool { return !byTurn(r) }

// byGoAround holds where human wins are those of the first go-around.
func byGoAround(r *ruleset.Rules) bool { return r.FirstWins == ruleset.GoAroundWins && !byTurn(r) }

// brokenByKan holds where any kan, also a closed one, ends the chance of those wins.
func brokenByKan(r *ruleset.Rules) bool { return r.FirstWins != ruleset.DealtWins }

func withRiichi(r *ruleset.Rules) bool { return r.Traits.TakesCaseWord("riichi") }

func withReady(r *ruleset.Rules) bool { return r.Traits.TakesCaseWord("ready") }

// exclusive lists flags of which no two can be true of one win: one of a and another of b,
// under some rulesets; nil means all.
var exclusive = []struct {
	a, b  ruleset.Flags
	under func(*ruleset.Rules) bool
}{
	{anyRiichi, anyRiichi, nil},
	{anyReady, anyReady, nil},
	{firstTurn, firstTurn, nil},
	{anyRob, anyRob, nil},
	{anyFlowerWin, anyFlowerWin, nil},
	{anyShared, anyShared, nil},
	{ruleset.FlagAfterKan, ruleset.FlagAfterFlower, nil},
	{ruleset.FlagAfterKan, ruleset.FlagAfterKita, nil},
	{ruleset.FlagAfterKita, ruleset.FlagOneShot, nil},
	{ruleset.FlagAfterKita, firstTurn, nil},
	// The tile of a kan is neither drawn from the wall nor discarded.
	{ruleset.FlagLastTile, anyRob, nil},
	{ruleset.FlagLastTile, firstTurn, nil},
	{firstTurn, anyRob, nil},
	{firstTurn, ruleset.FlagAfterKan, brokenByKan},
	{firstTurn, anyRiichi | ruleset.FlagOneShot, withRiichi},
	{ruleset.FlagOneShot, ruleset.FlagAfterKan, withRiichi},
	{ruleset.FlagHeavenly, anyShared, nil},
}

// contradictions lists what a case with some flags cannot have, under some rulesets; nil
// means all. An error gives the message after the flag.
var contradictions = []struct {
	flags   ruleset.Flags
	under   func(*ruleset.Rules) bool
	message string
	holds   func(c *Case, r *ruleset.Rules) bool
}{
	{ruleset.FlagAfterKan | ruleset.FlagAfterFlower | ruleset.FlagAfterKita, nil, "needs self_draw true", (*Case).onDiscard},
	{anyKita, nil, "no North is set aside under the ruleset", func(_ *Case, r *ruleset.Rules) bool { return r.Kita == ruleset.NoKita }},
	{ruleset.FlagAfterKita, nil, "needs a North set aside: kita 1 to 4", func(c *Case, _ *ruleset.Rules) bool { return c.Kita == 0 }},
	{ruleset.FlagRobbingKita, nil, "the ruleset's rob_kita is never", func(_ *Case, r *ruleset.Rules) bool { return r.RobKita == ruleset.RobKitaNever }},
	{ruleset.FlagRobbingKita, nil, "needs win_tile 4z", func(c *Case, _ *ruleset.Rules) bool { return c.WinTile != tile.Face(tile.North) }},
	{ruleset.FlagAfterKan, nil, "needs a kan among the melds", func(c *Case, _ *ruleset.Rules) bool { return !slices.ContainsFunc(c.Melds, Meld.isKan) }},
	{ruleset.FlagAfterFlower, nil, "needs a flower in flowers", func(c *Case, _ *ruleset.Rules) bool { return len(c.Flowers) == 0 }},
	{anyRob | anyShared, nil, "needs self_draw false", (*Case).selfDrawn},
	{ruleset.FlagRobbingKan, nil, "the ruleset's rob_added_kan is false", func(_ *Case, r *ruleset.Rules) bool { return !r.RobAddedKan }},
	{ruleset.FlagRobbingClosedKan, nil, "the ruleset's rob_closed_kan is never", func(_ *Case, r *ruleset.Rules) bool { return r.RobClosedKan == ruleset.RobClosedNever }},
	{anyRiichi, nil, "needs a closed hand, but melds has an open one", (*Case).isOpen},
	{ruleset.FlagOneShot, withRiichi, "needs riichi or double_riichi", func(c *Case, _ *ruleset.Rules) bool { return c.Flags&anyRiichi == 0 }},
	{ruleset.FlagOneShot, withReady, "needs ready, ready_human, ready_earth or ready_heaven", func(c *Case, _ *ruleset.Rules) bool { return c.Flags&anyReady == 0 }},
	{ruleset.FlagLastTile, nil, "not with after_kan: the ruleset's rinshan_counts_as_haitei is false", func(c *Case, r *ruleset.Rules) bool {
		return c.Flags&(ruleset.FlagAfterKan|ruleset.FlagAfterKita) != 0 && !r.LastTileAfterKan
	}},
	{firstTurn, nil, "comes before any call, but melds has an open one", (*Case).isOpen},
	{firstTurn, brokenByKan, "comes before any call and kan, but melds is not empty", func(c *Case, _ *ruleset.Rules) bool { return len(c.Melds) != 0 }},
	{ruleset.FlagHeavenly, nil, "is the dealer's self-draw: needs self_draw true and seat E", func(c *Case, _ *ruleset.Rules) bool { return !c.SelfDraw || c.Seat != 0 }},
	{ruleset.FlagHeavenly, nil, "comes before any discard, but river counts some", func(c *Case, _ *ruleset.Rules) bool { return c.River != ruleset.NoCount && c.River > 0 }},
	{ruleset.FlagEarthly, byTurn, "is a self-draw of another than the dealer: needs self_draw true and a seat other than E", func(c *Case, _ *ruleset.Rules) bool { return !c.SelfDraw || c.Seat == 0 }},
	{ruleset.FlagEarthly, byDiscard, "is a win on the dealer's first discard: needs self_draw false, a seat other than E and from E, if any", func(c *Case, _ *ruleset.Rules) bool {
		return c.SelfDraw || c.Seat == 0 || c.From != nil && *c.From != 0
	}},
	{ruleset.FlagHuman, byTurn, "is a win on a discard by another than the dealer: needs self_draw false and a seat other than E", func(c *Case, _ *ruleset.Rules) bool { return c.SelfDraw || c.Seat == 0 }},
	{ruleset.FlagHuman, byGoAround, "is not the dealer's self-draw, which seat E and self_draw true make it: that is heavenly", func(c *Case, _ *ruleset.Rules) bool { return c.SelfDraw && c.Seat == 0 }},
}

func (c *Case) onDiscard(*ruleset.Rules) bool { return !c.SelfDraw }
func (c *Case) selfDrawn(*ruleset.Rules) bool { return c.SelfDraw }
func (c *Case) isOpen(*ruleset.Rules) bool    { return slices.ContainsFunc(c.Melds, Meld.isOpen) }

// checkFamilyFlags refuses flags of other families.
func (c *Case) checkFamilyFlags(r *ruleset.Rules) error {
	for _, f := range flags {
		if slices.Contains(c.flags, f.word) && f.special && !r.Traits.TakesCaseWord(f.word) {
			return fmt.Errorf("flags: %s is none of the %s flags %s", f.word, r.Family, flagWords(r))
		}
	}
	return nil
}

// checkExclusive refuses two flags that exclude one another, naming both.
func (c *Case) checkExclusive(r *ruleset.Rules) error {
	for _, e := range exclusive {
		if e.under != nil && !e.under(r) {
			continue
		}
		first := c.wordOf(e.a, "")
		if second := c.wordOf(e.b, first); first != "" && second != "" {
			return fmt.Errorf("flags: %s and %s cannot both be", first, second)
		}
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
	if err := c.checkExclusive(r); err != nil {
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
	if c.TailDraws > 0 && c.Flags&(ruleset.FlagAfterKan|ruleset.FlagAfterFlower) == 0 {
		return errors.New("flags: tail_draws: needs after_kan or after_flower")
	}
	if c.WinTile == tile.NoFace && c.Flags&anyFlowerWin == 0 {
		return errors.New("win_tile: missing")
	}
	return nil
}

// Page returns the tables of the members and of the flags of a case, as Markdown,
// with the families that take them.
func Page(families []*ruleset.Family) string {
	takers := func(word string, special bool) string {
		var names []string
		for _, f := range families {
			if f.Traits.TakesCaseWord(word) {
				names = append(names, f.Name)
			}
		}
		if !special {
			return "all"
		}
		return strings.Join(names, ", ")
	}
	var b strings.Builder
	b.WriteString("| member | families | meaning |\n| --- | --- | --- |\n")
	for _, m := range members {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", m.name, takers(m.name, m.special), m.doc)
	}
	b.WriteString("\nThe flags:\n\n| flag | families | meaning |\n| --- | --- | --- |\n")
	for _, f := range flags {
		word := f.word
		if f.count != nil {
			word += ":N"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", word, takers(f.word, f.special), f.doc)
	}
	return b.String()
}
