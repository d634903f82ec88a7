package mcr_test

import (
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/mcr"
)

// fans returns the fan of a reading that no combination of sets makes.
func (s *slowWin) fans(r slowReading) slowBag {
	b := slowBag{}
	add := func(ok bool, id string) {
		if ok && !s.off(id) {
			b[id]++
		}
	}
	s.composition(r, add)
	s.sets(r, add)
	s.manner(r, b, add)
	if id := s.wait(r); id != "" && !s.off(id) {
		b[id] = 1
	}
	return b
}

// composition adds the fan of the tiles of the hand as such.
func (s *slowWin) composition(r slowReading, add func(bool, string)) {
	tiles := s.whole
	suits := map[int]bool{}
	for _, t := range tiles {
		if !isHonor(t) {
			suits[suit(t)] = true
		}
	}
	honors := anyOf(tiles, isHonor)
	among := func(text string) bool {
		return all(tiles, func(t int) bool { return strings.Contains(text, slowText(t)) })
	}
	ranks := func(lo, hi int) bool {
		return all(tiles, func(t int) bool { return !isHonor(t) && lo <= rank(t) && rank(t) <= hi })
	}
	outer := func(t int) bool { return isTerminal(t) || isHonor(t) }
	switch r.shape {
	case "K":
		add(len(suits) == 3 && anyOf(tiles, isWind) && anyOf(tiles, isDragon), "all_types")
		add(!honors, "no_honors")
	case "P", "S":
		if r.shape == "P" && !s.cfg.PairsComposition {
			break
		}
		add(among("2s 3s 4s 6s 8s 6z"), "all_green")
		add(all(tiles, isTerminal), "all_terminals")
		add(all(tiles, isHonor), "all_honors")
		add(all(tiles, outer) && honors && anyOf(tiles, isTerminal), "all_terminals_and_honors")
		add(len(suits) == 1 && !honors, "full_flush")
		add(len(suits) == 1 && honors, "half_flush")
		add(ranks(7, 9), "upper_tiles")
		add(ranks(4, 6), "middle_tiles")
		add(ranks(1, 3), "lower_tiles")
		add(ranks(6, 9), "upper_four")
		add(ranks(1, 4), "lower_four")
		add(among("1p 2p 3p 4p 5p 8p 9p 2s 4s 5s 6s 8s 9s 5z"), "reversible_tiles")
		add(len(suits) == 3 && anyOf(tiles, isWind) && anyOf(tiles, isDragon), "all_types")
		add(!anyOf(tiles, outer), "all_simples")
		add(len(suits) == 2, "one_voided_suit")
		add(!honors, "no_honors")
	}
	// Quads that are no kongs.
	hogs := 0
	for t := range 34 {
		n := 0
		for _, x := range tiles {
			if x == t {
				n++
			}
		}
		kong := slices.ContainsFunc(s.melds, func(m slowSet) bool { return m.kong && m.first == t })
		if n == 4 && !kong && (s.cfg.HonorHogs || !isHonor(t)) {
			hogs++
		}
	}
	six := s.cfg.PairsComposition && (among("2s 3s 4s 6s 8s 6z") && !s.off("all_green") || all(tiles, isTerminal) && !s.off("all_terminals"))
	if r.shape == "P" && hogs > 0 && six && s.cfg.InevitableHog == mcr.AbsorbOneHog {
		hogs--
	}
	for range hogs {
		add(r.shape == "S" || r.shape == "K" || r.shape == "P", "tile_hog")
	}
}

// sets adds the fan of shapes and of single sets, and those that all sets have
// to make.
func (s *slowWin) sets(r slowReading, add func(bool, string)) {
	switch r.shape {
	case "O":
		add(true, "thirteen_orphans")
		return
	case "X":
		honors := 0
		for t, n := range s.concealed {
			if isHonor(t) {
				honors += n
			}
		}
		add(honors == 7, "greater_honors_and_knitted_tiles")
		add(honors < 7 || s.off("greater_honors_and_knitted_tiles"), "lesser_honors_and_knitted_tiles")
		add(honors == 5 && s.cfg.LesserStraight, "knitted_straight")
		return
	case "P":
		var pairs []int
		for t, n := range s.concealed {
			if n == 2 {
				pairs = append(pairs, t)
			}
		}
		shifted := len(pairs) == 7 && pairs[6] == pairs[0]+6 && pairs[6] < 27 && suit(pairs[0]) == suit(pairs[6])
		add(shifted, "seven_shifted_pairs")
		add(!shifted || s.off("seven_shifted_pairs"), "seven_pairs")
		return
	case "K":
		add(true, "knitted_straight")
	}
	chows, triplets, melded, concealedKongs, concealed := 0, 0, 0, 0, 0
	for i, set := range r.sets {
		if set.chow {
			chows++
			continue
		}
		triplets++
		t := set.first
		add(isDragon(t), "dragon_pung")
		add(t == 27+int(s.RoundWind), "prevalent_wind")
		add(t == 27+int(s.SeatWind), "seat_wind")
		value := t == 27+int(s.RoundWind) || t == 27+int(s.SeatWind)
		winds := 0
		for _, o := range r.sets {
			if !o.chow && isWind(o.first) {
				winds++
			}
		}
		add((isTerminal(t) || isWind(t)) && !value && !(isWind(t) && winds >= 3), "pung_of_terminals_or_honors")
		won := i == r.place && !s.SelfDraw && s.cfg.ClaimedPung == mcr.ClaimedMelded
		switch {
		case set.kong && set.exposed:
			melded++
		case set.kong:
			concealedKongs++
			concealed++
		case i >= len(s.melds) && !won:
			concealed++
		}
	}
	add(triplets == 0 && !isHonor(r.pair), "all_chows")
	s.kongs(melded, concealedKongs, concealed, add)
	if r.shape == "K" {
		return
	}
	add(triplets == 4, "all_pungs")
	groups := [][]int{{r.pair}}
	for _, set := range r.sets {
		groups = append(groups, set.tiles())
	}
	each := func(ok func(int) bool) bool {
		return !slices.ContainsFunc(groups, func(g []int) bool { return !anyOf(g, ok) })
	}
	add(each(func(t int) bool { return isTerminal(t) || isHonor(t) }), "outside_hand")
	add(each(func(t int) bool { return !isHonor(t) && rank(t) == 5 }), "all_fives")
	add(triplets == 4 && all(s.whole, func(t int) bool { return !isHonor(t) && rank(t)%2 == 0 }), "all_even_pungs")
	if len(s.melds) == 0 && !s.noTile() {
		before, u := s.before(), suit(s.w)
		gates := u < 3
		for t, n := range before {
			want := 0
			if suit(t) == u {
				want = 1
				if isTerminal(t) {
					want = 3
				}
			}
			gates = gates && n == want
		}
		add(gates, "nine_gates")
	}
}

// kongs adds the fan of kongs and of concealed pungs, kongs included.
func (s *slowWin) kongs(melded, kongs, pungs int, add func(bool, string)) {
	mixed := s.worth("mixed_kongs") > 0 && !s.off("mixed_kongs")
	// one counts concealed kongs as two or each.
	least := 2
	one := func() {
		if kongs == 2 && !s.off("two_concealed_kongs") {
			add(true, "two_concealed_kongs")
			least = 3
			return
		}
		for range kongs {
			add(true, "concealed_kong")
		}
	}
	several := ""
	if melded+kongs == 4 && !s.off("four_kongs") {
		several = "four_kongs"
	} else if melded+kongs >= 3 && !s.off("three_kongs") {
		several = "three_kongs"
	}
	switch {
	case several != "":
		add(true, several)
		if kongs <= 2 && s.cfg.KongConcealment != mcr.KongsMIL {
			one()
		}
	case melded == 2 && kongs == 0 && !s.off("two_melded_kongs"):
		add(true, "two_melded_kongs")
	case melded == 1 && kongs == 1 && mixed:
		add(true, "mixed_kongs")
	default:
		for range melded {
			add(true, "melded_kong")
		}
		one()
	}
	for n := pungs; n >= least; n-- {
		if id := []string{2: "two_concealed_pungs", 3: "three_concealed_pungs", 4: "four_concealed_pungs"}[n]; !s.off(id) {
			add(true, id)
			break
		}
	}
}

// manner adds the fan of the way of winning.
func (s *slowWin) manner(r slowReading, b slowBag, add func(bool, string)) {
	exposed := 0
	for _, m := range s.melds {
		if m.exposed {
			exposed++
		}
	}
	flag := func(f ruleset.Flags) bool { return s.Flags&f != 0 }
	add(s.SelfDraw, "self_drawn")
	add(s.SelfDraw && flag(ruleset.FlagLastTile), "last_tile_draw")
	add(s.SelfDraw && flag(ruleset.FlagAfterKan), "out_with_replacement_tile")
	add(!s.SelfDraw && flag(ruleset.FlagLastTile), "last_tile_claim")
	add(!s.SelfDraw && flag(ruleset.FlagRobbingKan|ruleset.FlagRobbingClosedKan), "robbing_the_kong")
	add(flag(ruleset.FlagLastCopy), "last_of_kind_tile")
	add(exposed == 4 && !s.SelfDraw, "melded_hand")
	special := r.shape != "S" && r.shape != "K" || b["nine_gates"] > 0 || b["four_concealed_pungs"] > 0
	add(exposed == 0 && !s.SelfDraw && !special, "concealed_hand")
	add(exposed == 0 && s.SelfDraw && (!special || s.cfg.SpecialSelfDraw == mcr.SpecialFullyConcealed), "fully_concealed_hand")
}
