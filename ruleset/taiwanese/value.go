package taiwanese

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/hktw"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// numSets is the number of sets of a complete hand.
const numSets = 5

// scorer is a compiled Config.
type scorer struct {
	knobs Config
	// hktw finds the shapes and counts the patterns.
	hktw *hktw.Scorer
	// rowOf has the index in rows of each fan of package hktw.
	rowOf [128]uint8
	pairs bool // lik gu exists
}

// Compile returns the scorer for the knobs.
func (c *Config) Compile() ruleset.Scorer {
	s := &scorer{knobs: *c, pairs: !c.Patterns[likGu].IsOff()}
	if p := c.Patterns[dealer]; p.IsGiven() {
		s.knobs.DealerItem = int(p.Closed)
	}
	for id, p := range patterns {
		s.rowOf[hktw.Fan(fanOf(p.ID))&0x7f] = uint8(id)
	}
	s.hktw = hktw.New(&hktw.Config{
		Flow: c.Flow, FlowerWinDealer: c.FlowerWinDealer, FanCap: c.FanCap,
		DealerItemStreak: c.DealerItemStreak, DealerItemWin: c.DealerItemWin,
		DealerItemDraw: c.DealerItemDraw, DiscardOpensMeld: c.DiscardOpensMeld,
		ConcealedKongs: c.ConcealedKongs, BeggingOpenKong: true, LastTileScope: hktw.LastDrawAndDiscard,
		HumanWinScope: hktw.HumanDiscard, LikGuDouble: hktw.LikGuMax, LikGuQuads: true, DisjointMinGap: 1,
	}, hktw.Variant{
		Fan: s.fan(), EachCounts: true, SetKeepsProper: c.SetKeepsProper, HonorSetsKeep: c.HonorSetsKeep,
		ConcealedWithSelfDraw: true, AllChows: hktw.ChowConditions(c.Pinghu),
	})
	return s
}

// fanOf returns the name of a pattern in package hktw, whose early ready is that of another
// window.
func fanOf(id string) string {
	if id == "ready_early" {
		return "ready_human"
	}
	return id
}

// fan returns the patterns that exist with their tai, and what does not count beside them
// ([T] 6, column "replaces").
func (s *scorer) fan() []hktw.Priced {
	implied := [numPatterns][]string{
		concealedPungs5: idsUnless(s.knobs.FivePungsKeep, "all_pungs", "concealed"),
		allHonors:       idsUnless(s.knobs.AllHonorsKeep, "all_pungs"),
		halfBegging:     append(idsUnless(s.knobs.BeggingAddsSingle, "true_single"), idsUnless(s.knobs.BeggingKeepsDraw, "self_draw")...),
		allBegging:      idsUnless(s.knobs.BeggingAddsSingle, "true_single"),
		kongDraw:        idsUnless(s.knobs.TailKeepsDraw, "self_draw"),
		flowerDraw:      idsUnless(s.knobs.TailKeepsDraw, "self_draw"),
		readyHeaven:     idsUnless(s.knobs.ReadyKeeps, "concealed"),
		readyEarth:      idsUnless(s.knobs.ReadyKeeps, "concealed"),
		readyEarly:      idsUnless(s.knobs.ReadyKeeps, "concealed"),
		heavenlyWin:     idsUnless(s.knobs.FirstWinKeeps, "concealed", "self_draw", "concealed_self_draw"),
		earthlyWin:      idsUnless(s.knobs.FirstWinKeeps, "concealed", "self_draw", "concealed_self_draw"),
		humanWin:        idsUnless(s.knobs.FirstWinKeeps, "concealed"),
		likGu:           {"concealed"},
	}
	var list []hktw.Priced
	for id, p := range patterns {
		worth := int16(s.knobs.tai(id))
		if id == dealer {
			worth = int16(s.knobs.DealerItem)
		}
		if !s.knobs.Patterns[id].IsOff() {
			list = append(list, hktw.Priced{ID: fanOf(p.ID), Value: worth, Implies: implied[id]})
		}
	}
	return list
}

// idsUnless returns the ids, or nil if the knob keeps them.
func idsUnless(kept bool, ids ...string) []string {
	if kept {
		return nil
	}
	return ids
}

// Patterns lists the patterns in the order of the table.
func (s *scorer) Patterns() []ruleset.Pattern { return patterns[:] }

// Waits returns the kinds that complete five sets and a pair, or a lik gu ([T] 5).
func (s *scorer) Waits(h *hand.Hand, melds int) tile.Set {
	if s.pairs {
		return s.hktw.Waits(h, melds)
	}
	return h.Waits(numSets - melds)
}

// Shanten returns the least shanten toward either shape.
func (s *scorer) Shanten(h *hand.Hand, melds int) int {
	if s.pairs {
		return s.hktw.Shanten(h, melds)
	}
	return h.Shanten(numSets - melds)
}

// ShantenLowerBound is that of sets and a pair; -1 for what may be a lik gu.
func (s *scorer) ShantenLowerBound(h *hand.Hand, melds []hand.Meld) int {
	return s.hktw.ShantenLowerBound(h, melds)
}

// Value scores a complete hand by its best reading ([T] 6). Base of the value is the tai without
// the dealer item, Points what one payment of them is worth.
func (s *scorer) Value(w *ruleset.Win, v *ruleset.Value) {
	s.hktw.Value(w, v)
	if !v.Shape {
		return
	}
	counted := v.Patterns[:v.NumPatterns]
	v.NumPatterns = 0
	for _, p := range counted {
		s.insert(v, ruleset.Scored{Pattern: s.rowOf[p.Pattern&0x7f], Points: p.Points})
	}
	if s.knobs.FanCap != ruleset.NoLimit { // hktw applies no cap to wins by flowers
		over := max(v.Base-int32(s.knobs.FanCap), 0)
		v.Base -= over
		v.Points -= over
	}
	v.Points = int32(s.points(int(v.Points), v.FlowerWin))
}

// insert adds a pattern in the order of the table; those of one kind are one.
func (s *scorer) insert(v *ruleset.Value, p ruleset.Scored) {
	at := int(v.NumPatterns)
	for at > 0 && v.Patterns[at-1].Pattern > p.Pattern {
		at--
	}
	if at > 0 && v.Patterns[at-1].Pattern == p.Pattern {
		v.Patterns[at-1].Points += p.Points
		return
	}
	copy(v.Patterns[at+1:], v.Patterns[at:v.NumPatterns])
	v.Patterns[at] = p
	v.NumPatterns++
}

// points returns what one payer pays for a number of tai ([T] 7).
func (s *scorer) points(tai int, flowerWin bool) int {
	if flowerWin && !s.knobs.FlowerWinBase {
		return tai * s.knobs.TaiPoints
	}
	return s.knobs.BasePoints + tai*s.knobs.TaiPoints
}
