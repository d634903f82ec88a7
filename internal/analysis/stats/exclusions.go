package stats

import (
	"iter"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// A condition lists values of knobs that exclude an event, such as "ready=none" or
// "rob_added_kan=false and rob_closed_kan=never". The event cannot occur if all terms hold. A
// term holds if the knob has the value, or one of several separated by commas, and in families
// without the knob. The family is a knob too.
type condition string

const (
	noRob     condition = "rob_added_kan=false and rob_closed_kan=never"
	noFlowers condition = "flowers=none"
	noReady   condition = "ready=none"
	noKan     condition = "max_kans=0"
)

// exclusions has, of each figure and pattern whose event the rules may not have, the conditions
// each of which excludes it. Patterns that are off are not listed.
var exclusions = map[[2]string][]condition{
	{SectionMatch, "truncated"}: {"max_hands=0"},
	{SectionHand, "aborted"}: {
		"suukaikan=continue and kyuushu_kyuuhai=false and suufon_renda=false and suucha_riichi=false and multi_win=nearest,all",
	},
	{SectionHand, "rob"}:             {noRob, noKan},
	{SectionHand, "rob_kita"}:        {"kita=none", "rob_kita=never"},
	{SectionHand, "flower"}:          {noFlowers, "flower_win_eight=false and flower_win_seven_rob_one=false and flower_win_seven=false"},
	{SectionHand, "several_winners"}: {"multi_win=nearest"},

	// Patterns of riichi.
	{SectionPattern, "riichi"}:         {noReady},
	{SectionPattern, "double_riichi"}:  {noReady},
	{SectionPattern, "ippatsu"}:        {noReady, "one_shot=false"},
	{SectionPattern, "ura_dora"}:       {noReady, "ura_dora=false"},
	{SectionPattern, "nuki_dora"}:      {"kita=none"},
	{SectionPattern, "aka_dora"}:       {"aka_dora=[0, 0, 0]"},
	{SectionPattern, "renhou"}:         {"renhou=none"},
	{SectionPattern, "rinshan_kaihou"}: {noKan + " and kita=none", noKan + " and kita_rinshan=false"},
	{SectionPattern, "chankan"}:        {noRob, noKan},
	{SectionPattern, "sankantsu"}:      {"max_kans=0,1,2"},
	{SectionPattern, "suukantsu"}:      {"max_kans=0,1,2,3"},

	// Patterns of hktw, some of them also of hkos and zungjung.
	{SectionPattern, "ready"}:           {noReady},
	{SectionPattern, "concealed_ready"}: {noReady},
	{SectionPattern, "one_shot"}:        {noReady, "one_shot=false"},
	{SectionPattern, "ready_heaven"}:    {noReady, "ready_tiers=off", "ready_initial_window=false"},
	{SectionPattern, "ready_earth"}:     {noReady, "ready_tiers=off"},
	{SectionPattern, "ready_human"}:     {noReady, "ready_tiers=off,first_discard"},
	{SectionPattern, "flower"}:          {noFlowers},
	{SectionPattern, "proper_flower"}:   {noFlowers},
	{SectionPattern, "one_flower_set"}:  {noFlowers},
	{SectionPattern, "two_flower_sets"}: {noFlowers},
	{SectionPattern, "flower_draw"}:     {noFlowers},
	{SectionPattern, "seven_rob_one"}:   {noFlowers, "flower_win_seven_rob_one=false"},
	{SectionPattern, "double_win"}:      {"multi_win=nearest"},
	{SectionPattern, "triple_win"}:      {"multi_win=nearest,all_abort_on_triple"},
	{SectionPattern, "robbing_kong"}:    {noRob, noKan},
	{SectionPattern, "kong_draw"}:       {noKan},
	{SectionPattern, "kong"}:            {noKan},

	// Patterns of hkos and zungjung.
	{SectionPattern, "seven_flowers"}:      {noFlowers, "flower_win_seven=false"},
	{SectionPattern, "eight_flowers"}:      {noFlowers, "flower_win_eight=false"},
	{SectionPattern, "no_flowers"}:         {"family=hkos and flowers=none"},
	{SectionPattern, "robbing_a_kong"}:     {noRob, noKan},
	{SectionPattern, "win_on_kong"}:        {noKan},
	{SectionPattern, "win_on_double_kong"}: {"max_kans=0,1"},
	{SectionPattern, "one_kong"}:           {noKan},
	{SectionPattern, "two_kong"}:           {"max_kans=0,1"},
	{SectionPattern, "three_kong"}:         {"max_kans=0,1,2"},
	{SectionPattern, "four_kong"}:          {"max_kans=0,1,2,3"},

	// Patterns of mcr.
	{SectionPattern, "flower_tiles"}:              {noFlowers, "flower_points=0"},
	{SectionPattern, "robbing_the_kong"}:          {noRob, noKan},
	{SectionPattern, "out_with_replacement_tile"}: {noKan},
	{SectionPattern, "concealed_kong"}:            {noKan},
	{SectionPattern, "melded_kong"}:               {noKan},
	{SectionPattern, "two_concealed_kongs"}:       {"max_kans=0,1"},
	{SectionPattern, "two_melded_kongs"}:          {"max_kans=0,1"},
	{SectionPattern, "mixed_kongs"}:               {"max_kans=0,1"},
	{SectionPattern, "three_kongs"}:               {"max_kans=0,1,2"},
	{SectionPattern, "four_kongs"}:                {"max_kans=0,1,2,3"},
}

// excluded reports whether the event of a figure cannot occur under a ruleset, whatever is
// played.
func excluded(k Key, r *configs.Ruleset) bool {
	name := k.Name
	if k.Section == SectionPattern {
		name = k.Of
		if condition("patterns." + name + "=off").holds(r) {
			return true
		}
	}
	return slices.ContainsFunc(exclusions[[2]string{k.Section, name}], func(c condition) bool { return c.holds(r) })
}

// terms returns the knobs of the condition with their values.
func (c condition) terms() iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		for term := range strings.SplitSeq(string(c), " and ") {
			key, text, _ := strings.Cut(term, "=")
			values := []string{text}
			if !strings.HasPrefix(text, "[") {
				values = strings.Split(text, ",")
			}
			if !yield(key, values) {
				return
			}
		}
	}
}

func (c condition) holds(r *configs.Ruleset) bool {
	for key, values := range c.terms() {
		text := r.Family.Name
		if key != "family" {
			k, has := ruleset.FindKnob(r.Knobs(), key)
			if !has {
				continue
			}
			text = strings.ReplaceAll(k.Text(), `"`, "")
		}
		if !slices.Contains(values, text) {
			return false
		}
	}
	return true
}
