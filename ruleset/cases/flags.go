package cases

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/tile"
)

// flag is a word of the member flags, the circumstance it stands for, and the
// families that know it, all if empty. A flag that counts is written with its
// number, such as river:7.
type flag struct {
	word     string
	flag     ruleset.Flags
	families []string
	count    func(*Case) *uint8
}

// flags lists all flags.
var flags = []flag{
	{word: "riichi", flag: ruleset.FlagRiichi, families: []string{"riichi"}},
	{word: "double_riichi", flag: ruleset.FlagDoubleRiichi, families: []string{"riichi"}},
	{word: "ippatsu", flag: ruleset.FlagOneShot, families: []string{"riichi", "hktw"}},
	{word: "ready", flag: ruleset.FlagReady, families: []string{"hktw"}},
	{word: "ready_human", flag: ruleset.FlagReadyHuman, families: []string{"hktw"}},
	{word: "ready_earth", flag: ruleset.FlagReadyEarth, families: []string{"hktw"}},
	{word: "ready_heaven", flag: ruleset.FlagReadyHeaven, families: []string{"hktw"}},
	{word: "last_tile", flag: ruleset.FlagLastTile},
	{word: "after_kan", flag: ruleset.FlagAfterKan},
	{word: "after_flower", flag: ruleset.FlagAfterFlower, families: []string{"mcr", "hktw"}},
	{word: "robbing_kan", flag: ruleset.FlagRobbingKan},
	{word: "robbing_closed_kan", flag: ruleset.FlagRobbingClosedKan},
	{word: "last_copy", flag: ruleset.FlagLastCopy, families: []string{"mcr", "hktw"}},
	{word: "sole_live", flag: ruleset.FlagSoleLive, families: []string{"hktw"}},
	{word: "heavenly", flag: ruleset.FlagHeavenly, families: []string{"riichi", "mcr", "zungjung", "hktw"}},
	{word: "earthly", flag: ruleset.FlagEarthly, families: []string{"riichi", "zungjung", "hktw"}},
	{word: "human", flag: ruleset.FlagHuman, families: []string{"riichi", "zungjung", "hktw"}},
	{word: "double_win", flag: ruleset.FlagDoubleWin, families: []string{"hktw"}},
	{word: "triple_win", flag: ruleset.FlagTripleWin, families: []string{"hktw"}},
	{word: "flower_win_7", flag: ruleset.FlagFlowerWin7, families: []string{"hktw"}},
	{word: "flower_win_8", flag: ruleset.FlagFlowerWin8, families: []string{"hktw"}},
	{word: "river", families: []string{"hktw"}, count: func(c *Case) *uint8 { return &c.River }},
	{word: "tail_draws", families: []string{"hktw"}, count: func(c *Case) *uint8 { return &c.TailDraws }},
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
	firstTurn    = ruleset.FlagHeavenly | ruleset.FlagEarthly | ruleset.FlagHuman
)

// contradictions lists what cannot go together with a flag, by family where the
// rules of the others differ.
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
		"needs a flower",
	},
	{
		anyRob, nil,
		func(c *Case, _ *ruleset.Rules) bool { return c.SelfDraw || c.Flags&anyRob == anyRob },
		"needs self_draw false, and one kan only can be robbed",
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
		anyRiichi,
		[]string{"riichi"},
		func(c *Case, _ *ruleset.Rules) bool { return slices.ContainsFunc(c.Melds, Meld.isOpen) },
		"the hand is open",
	},
	{
		ruleset.FlagOneShot,
		[]string{"riichi"},
		func(c *Case, _ *ruleset.Rules) bool { return c.Flags&anyRiichi == 0 },
		"needs riichi or double_riichi",
	},
	{
		ruleset.FlagOneShot,
		[]string{"riichi"},
		func(c *Case, _ *ruleset.Rules) bool { return c.Flags&ruleset.FlagAfterKan != 0 },
		"a kan has ended it",
	},
	{
		ruleset.FlagLastTile,
		[]string{"riichi"},
		func(c *Case, _ *ruleset.Rules) bool { return c.Flags&anyRob != 0 },
		"after the last tile no kan can be robbed",
	},
	{
		ruleset.FlagLastTile,
		[]string{"riichi"},
		func(c *Case, r *ruleset.Rules) bool {
			return c.Flags&ruleset.FlagAfterKan != 0 && !r.LastTileAfterKan
		},
		"the ruleset's rinshan_counts_as_haitei is false",
	},
	{
		firstTurn,
		[]string{"riichi"},
		func(c *Case, _ *ruleset.Rules) bool {
			return len(c.Melds) != 0 || bits.OnesCount32(uint32(c.Flags)) != 1
		},
		"allows neither melds nor another flag",
	},
	{
		ruleset.FlagHeavenly,
		[]string{"riichi"},
		func(c *Case, _ *ruleset.Rules) bool { return !c.SelfDraw || c.Seat != 0 },
		"is the dealer's self-draw",
	},
	{
		ruleset.FlagEarthly,
		[]string{"riichi"},
		func(c *Case, _ *ruleset.Rules) bool { return !c.SelfDraw || c.Seat == 0 },
		"is a self-draw of a player other than the dealer",
	},
	{
		ruleset.FlagHuman,
		[]string{"riichi"},
		func(c *Case, _ *ruleset.Rules) bool { return c.SelfDraw || c.Seat == 0 },
		"is a win on a discard by a player other than the dealer",
	},
}

// checkFlags returns what is wrong with the flags under r.
func (c *Case) checkFlags(r *ruleset.Rules) error {
	for _, word := range c.flags {
		i := slices.IndexFunc(flags, func(f flag) bool { return f.word == word })
		f := flags[i]
		if !takenBy(f.families, r.Family) {
			return fmt.Errorf("flags: %s is none of the %s flags %s", word, r.Family, flagWords(r.Family))
		}
		for _, no := range contradictions {
			if f.flag&no.flags != 0 && takenBy(no.families, r.Family) && no.holds(c, r) {
				return fmt.Errorf("flags: %s: %s", word, no.message)
			}
		}
	}
	if c.WinTile == tile.NoFace && c.Flags&anyFlowerWin == 0 {
		return errors.New("win_tile: missing")
	}
	return nil
}
