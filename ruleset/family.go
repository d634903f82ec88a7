package ruleset

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Family is a rule family: what a configuration file of it may say. Adding a
// family is a package with one of these and a line in package configs.
type Family struct {
	// Name is what a file's family key says, Title its name in text. The page of its
	// rules is docs/rules/Name.md.
	Name, Title string
	// New returns a configuration with every knob at its zero value.
	New func() Config
	// Traits describe the family to code that must not depend on its name.
	Traits Traits
	// FlowKnobs lists the keys of the optional knobs of Flow that the family has,
	// separated by white space. It has all others, and the fields of its own Config.
	FlowKnobs string
	// Undefined explains, by key, knobs that the family's rule text mentions
	// but that a ruleset cannot have, and why.
	Undefined map[string]string

	// What its knobs are is read from the tags of its configuration once.
	described sync.Once
	fields    []field
}

// Traits are what value functions, players, statistics and scoring cases need to
// know of a family.
type Traits struct {
	// Scale is about what a win is worth, in units. Value functions and networks
	// measure amounts in multiples of it. It is above 0.
	Scale int
	// HandSpread is about the standard deviation of the difference of what two players gain in
	// a hand, in points: that of greedy players under the main preset. Rewards of learners
	// compare leads with it.
	HandSpread int
	// Margin is the least gain, in thousandths of Scale, for which agent expert
	// prefers another action to the one that agent value plays. It is smaller for
	// networks fitted to more rollouts.
	Margin int32
	// DoublingPrices reports whether one more in the price of a pattern doubles the
	// hand, as a han does. Other prices add up.
	DoublingPrices bool
	// CountsFaan reports that hands are worth Value.Base faan, which a table turns into the
	// points that the winner gains. Answers of scoring cases then have faan.
	CountsFaan bool
	// CountsTai reports that hands are worth Value.Base tai, of which each payment is a number
	// of points. Answers of scoring cases then have tai.
	CountsTai bool
	// CaseWords lists the members and flags of scoring cases that the family takes
	// besides those of all families, separated by white space. See package cases.
	CaseWords string
}

// TakesCaseWord reports whether CaseWords has a word.
func (t *Traits) TakesCaseWord(word string) bool {
	return slices.Contains(strings.Fields(t.CaseWords), word)
}

// Config is the knobs of one family: a pointer to a struct that embeds Flow and
// adds the family's own fields, all with knob tags.
type Config interface {
	// Common returns the embedded Flow.
	Common() *Flow
	// Check returns every contradiction between knobs, each naming the key that
	// should change; nil if there is none. Ranges and words have been checked
	// before.
	Check() []Problem
	// Compile returns the scorer for the knobs.
	Compile() Scorer
}

// Problem is something wrong with one knob.
type Problem struct {
	// Key is the name of the knob in a file.
	Key string
	// Message says what is wrong with its value, and what is allowed.
	Message string
}

// Problems collects what is wrong with a configuration.
type Problems []Problem

// NeedPlain records what a family cannot be played with that has one wall, neither
// declarations at its end nor abortive draws, and points as final scores.
func (p *Problems) NeedPlain(f *Flow) {
	p.Need(f.Walls == SharedWall, "walls", "there is one wall: allowed is \"shared\"")
	p.Need(f.LastTileWhen == WallEmpty, "last_tile_when", "there is one wall: allowed is \"wall_empty\"")
	p.Need(!f.KanNeedsNextWall, "kan_needs_next_wall", "there is one wall: allowed is false")
	p.Need(f.DealerStaysOnDraw != StaysReady, "dealer_stays_on_draw",
		"no player declares at an exhausted wall: allowed are \"never\" and \"always\"")
	p.Need(f.MultiWin != WinAllAbortOnTriple, "multi_win", "there are no abortive draws: allowed are \"nearest\" and \"all\"")
	p.Need(f.Placement == [NumPlayers]Placement{}, "placement", "players score their points alone: allowed is [0, 0, 0, 0]")
	p.Need(f.PlacementTie == TieSplit || f.PlacementTie == TieSeatOrder, "placement_tie",
		"equal points share a place or rank by seat: allowed are \"split\" and \"seat_order\"")
}

// Need records that the knob of a key must be as the message says, unless ok.
func (p *Problems) Need(ok bool, key, format string, args ...any) {
	if !ok {
		*p = append(*p, Problem{Key: key, Message: fmt.Sprintf(format, args...)})
	}
}
