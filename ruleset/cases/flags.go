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

// flag is a word of the member flags, the circumstance it stands for, and the
// families that know it, all if empty. A flag that counts is written with its
// number, such as river:7.
type flag struct {
	word     string
	flag     ruleset.Flags
	families []string
	doc      string
	count    func(*Case) *uint8
}

// flags lists all flags.
var flags = []flag{
	{word: "riichi", doc: "riichi was declared", flag: ruleset.FlagRiichi, families: []string{"riichi"}},
	{word: "double_riichi", doc: "riichi on the first own turn, uninterrupted", flag: ruleset.FlagDoubleRiichi, families: []string{"riichi"}},
	{word: "ippatsu", doc: "within one uninterrupted go-around of riichi or ready", flag: ruleset.FlagOneShot, families: []string{"riichi", "hktw"}},
	{word: "ready", doc: "ready (叮) declared in an ordinary turn", flag: ruleset.FlagReady, families: []string{"hktw"}},
	{word: "ready_human", doc: "ready declared in the first go-around", flag: ruleset.FlagReadyHuman, families: []string{"hktw"}},
	{word: "ready_earth", doc: "ready declared with the first own discard", flag: ruleset.FlagReadyEarth, families: []string{"hktw"}},
	{word: "ready_heaven", doc: "ready declared before the first draw", flag: ruleset.FlagReadyHeaven, families: []string{"hktw"}},
	{word: "last_tile", doc: "the last tile of the wall, or the discard after it", flag: ruleset.FlagLastTile},
	{word: "after_kan", doc: "self-draw of the replacement for a kan", flag: ruleset.FlagAfterKan},
	{word: "after_flower", doc: "self-draw of the replacement for a flower", flag: ruleset.FlagAfterFlower, families: []string{"mcr", "hktw"}},
	{word: "robbing_kan", doc: "on the tile of an added kan", flag: ruleset.FlagRobbingKan},
	{word: "robbing_closed_kan", doc: "on the tile of a closed kan", flag: ruleset.FlagRobbingClosedKan},
	{word: "last_copy", doc: "on the fourth copy, the three others being visible to all", flag: ruleset.FlagLastCopy, families: []string{"mcr", "hktw"}},
	{word: "sole_live", doc: "on the only tile left that could complete the hand", flag: ruleset.FlagSoleLive, families: []string{"hktw"}},
	{word: "heavenly", doc: "the dealer's win on the dealt tiles", flag: ruleset.FlagHeavenly, families: []string{"riichi", "mcr", "zungjung", "hktw"}},
	{word: "earthly", doc: "riichi: another player's self-draw in the first go-around; zungjung, hktw: on the dealer's first discard", flag: ruleset.FlagEarthly, families: []string{"riichi", "zungjung", "hktw"}},
	{word: "human", doc: "riichi: on a discard before the first own draw; hktw: in the first go-around", flag: ruleset.FlagHuman, families: []string{"riichi", "zungjung", "hktw"}},
	{word: "double_win", doc: "one of two winners on the tile", flag: ruleset.FlagDoubleWin, families: []string{"hktw"}},
	{word: "triple_win", doc: "one of three winners on the tile", flag: ruleset.FlagTripleWin, families: []string{"hktw"}},
	{word: "flower_win_7", doc: "seven flowers that rob the eighth, declared as a win", flag: ruleset.FlagFlowerWin7, families: []string{"hktw"}},
	{word: "flower_win_8", doc: "all eight flowers, declared as a win", flag: ruleset.FlagFlowerWin8, families: []string{"hktw"}},
	{word: "river", doc: "so many tiles lie in all rivers, as the ruleset counts them", families: []string{"hktw"}, count: func(c *Case) *uint8 { return &c.River }},
	{word: "tail_draws", doc: "so many replacement tiles drawn in one go before the win", families: []string{"hktw"}, count: func(c *Case) *uint8 { return &c.TailDraws }},
}

// takenBy reports whether family is among families, which stand for all if
// empty.
func takenBy(families []string, family string) bool {
	return len(families) == 0 || slices.Contains(families, family)
}

// flagWords lists the flags of a family, all for an empty name.
func flagWords(family string) string {
	var words []string
	for _, f := range flags {
		if family == "" || takenBy(f.families, family) {
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
			return fmt.Errorf("unknown flag %q: flags are %s", clip(text), flagWords(""))
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
	anyRob       = ruleset.FlagRobbingKan | ruleset.FlagRobbingClosedKan
	anyFlowerWin = ruleset.FlagFlowerWin7 | ruleset.FlagFlowerWin8
	anyReady     = ruleset.FlagReady | ruleset.FlagReadyHuman | ruleset.FlagReadyEarth | ruleset.FlagReadyHeaven
	anyShared    = ruleset.FlagDoubleWin | ruleset.FlagTripleWin
	firstTurn    = ruleset.FlagHeavenly | ruleset.FlagEarthly | ruleset.FlagHuman
)

// exclusive lists flags of which no two can be true of one win: a flag of the one
// kind and a flag of the other, or two of one kind.
var exclusive = []struct {
	a, b     ruleset.Flags
	families []string
}{
	{anyRiichi, anyRiichi, nil},
	{anyReady, anyReady, nil},
	{firstTurn, firstTurn, nil},
	{anyRob, anyRob, nil},
	{anyFlowerWin, anyFlowerWin, nil},
	{anyShared, anyShared, nil},
	{ruleset.FlagAfterKan, ruleset.FlagAfterFlower, nil},
	// The tile of a kan is neither drawn from the wall nor discarded.
	{ruleset.FlagLastTile, anyRob, nil},
	{ruleset.FlagLastTile, firstTurn, nil},
	{firstTurn, anyRob, nil},
	{firstTurn, ruleset.FlagAfterKan, []string{"riichi", "mcr", "hktw"}},
	{firstTurn, anyRiichi | ruleset.FlagOneShot, []string{"riichi"}},
	{ruleset.FlagOneShot, ruleset.FlagAfterKan, []string{"riichi"}},
	{ruleset.FlagHeavenly, anyShared, nil},
}

// contradictions lists what of a case and the rules cannot go together with a
// flag, by family where the rules of the others differ. The messages name it.
var contradictions = []struct {
	flags    ruleset.Flags
	families []string
	holds    func(c *Case, r *ruleset.Rules) bool
	message  string
}{
	{
		ruleset.FlagAfterKan | ruleset.FlagAfterFlower, nil,
		func(c *Case, _ *ruleset.Rules) bool { return !c.SelfDraw },
		"needs self_draw true",
	},
	{
		ruleset.FlagAfterKan, nil,
		func(c *Case, _ *ruleset.Rules) bool { return !slices.ContainsFunc(c.Melds, Meld.isKan) },
		"needs a kan among the melds",
	},
	{
		ruleset.FlagAfterFlower, nil,
		func(c *Case, _ *ruleset.Rules) bool { return len(c.Flowers) == 0 },
		"needs a flower in flowers",
	},
	{
		anyRob | anyShared, nil,
		func(c *Case, _ *ruleset.Rules) bool { return c.SelfDraw },
		"needs self_draw false",
	},
	{
		ruleset.FlagRobbingKan, nil,
		func(_ *Case, r *ruleset.Rules) bool { return !r.RobAddedKan },
		"the ruleset's rob_added_kan is false",
	},
	{
		ruleset.FlagRobbingClosedKan, nil,
		func(_ *Case, r *ruleset.Rules) bool { return r.RobClosedKan == ruleset.RobClosedNever },
		"the ruleset's rob_closed_kan is never",
	},
	{
		anyRiichi, nil,
		func(c *Case, _ *ruleset.Rules) bool { return slices.ContainsFunc(c.Melds, Meld.isOpen) },
		"needs a closed hand, but melds has an open one",
	},
	{
		ruleset.FlagOneShot,
		[]string{"riichi"},
		func(c *Case, _ *ruleset.Rules) bool { return c.Flags&anyRiichi == 0 },
		"needs riichi or double_riichi",
	},
	{
		ruleset.FlagOneShot,
		[]string{"hktw"},
		func(c *Case, _ *ruleset.Rules) bool { return c.Flags&anyReady == 0 },
		"needs ready, ready_human, ready_earth or ready_heaven",
	},
	{
		ruleset.FlagLastTile,
		[]string{"riichi"},
		func(c *Case, r *ruleset.Rules) bool {
			return c.Flags&ruleset.FlagAfterKan != 0 && !r.LastTileAfterKan
		},
		"not with after_kan: the ruleset's rinshan_counts_as_haitei is false",
	},
	{
		firstTurn, nil,
		func(c *Case, _ *ruleset.Rules) bool { return slices.ContainsFunc(c.Melds, Meld.isOpen) },
		"comes before any call, but melds has an open one",
	},
	{
		firstTurn,
		[]string{"riichi", "mcr", "hktw"},
		func(c *Case, _ *ruleset.Rules) bool { return len(c.Melds) != 0 },
		"comes before any call and kan, but melds is not empty",
	},
	{
		ruleset.FlagHeavenly, nil,
		func(c *Case, _ *ruleset.Rules) bool { return !c.SelfDraw || c.Seat != 0 },
		"is the dealer's self-draw: needs self_draw true and seat E",
	},
	{
		ruleset.FlagHeavenly,
		[]string{"hktw"},
		func(c *Case, _ *ruleset.Rules) bool { return c.River != ruleset.NoCount && c.River > 0 },
		"comes before any discard, but river counts some",
	},
	{
		ruleset.FlagEarthly,
		[]string{"riichi"},
		func(c *Case, _ *ruleset.Rules) bool { return !c.SelfDraw || c.Seat == 0 },
		"is a self-draw of another than the dealer: needs self_draw true and a seat other than E",
	},
	{
		ruleset.FlagEarthly,
		[]string{"zungjung", "hktw"},
		func(c *Case, _ *ruleset.Rules) bool {
			return c.SelfDraw || c.Seat == 0 || c.From != nil && *c.From != 0
		},
		"is a win on the dealer's first discard: needs self_draw false, a seat other than E and from E, if any",
	},
	{
		ruleset.FlagHuman,
		[]string{"riichi"},
		func(c *Case, _ *ruleset.Rules) bool { return c.SelfDraw || c.Seat == 0 },
		"is a win on a discard by another than the dealer: needs self_draw false and a seat other than E",
	},
	{
		ruleset.FlagHuman,
		[]string{"hktw"},
		func(c *Case, _ *ruleset.Rules) bool { return c.SelfDraw && c.Seat == 0 },
		"is not the dealer's self-draw, which seat E and self_draw true make it: that is heavenly",
	},
}

// checkFamilyFlags refuses flags of other families.
func (c *Case) checkFamilyFlags(r *ruleset.Rules) error {
	for _, f := range flags {
		if slices.Contains(c.flags, f.word) && !takenBy(f.families, r.Family) {
			return fmt.Errorf("flags: %s is none of the %s flags %s", f.word, r.Family, flagWords(r.Family))
		}
	}
	return nil
}

// checkExclusive refuses two flags that exclude one another, naming both.
func (c *Case) checkExclusive(r *ruleset.Rules) error {
	for _, e := range exclusive {
		if !takenBy(e.families, r.Family) {
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
			if f.flag&no.flags != 0 && takenBy(no.families, r.Family) && no.holds(c, r) {
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

// Page returns the tables of the members and of the flags of a case, as Markdown.
func Page() string {
	var b strings.Builder
	b.WriteString("| member | families | meaning |\n| --- | --- | --- |\n")
	for _, m := range members {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", m.name, familyText(m.families), m.doc)
	}
	b.WriteString("\nThe flags:\n\n| flag | families | meaning |\n| --- | --- | --- |\n")
	for _, f := range flags {
		word := f.word
		if f.count != nil {
			word += ":N"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", word, familyText(f.families), f.doc)
	}
	return b.String()
}

func familyText(families []string) string {
	if families == nil {
		return "all"
	}
	return strings.Join(families, ", ")
}
