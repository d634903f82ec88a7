package mcr_test

import "slices"

// combination is a fan made by some sets of a reading, by their places.
type combination struct {
	id   string
	sets int // set of places
}

// combinations returns all fan that two, three or four sets of a reading make
// together.
func combinations(r slowReading) (list []combination) {
	n := len(r.sets)
	for choice := range 1 << n {
		var sets []slowSet
		for i, s := range r.sets {
			if choice>>i&1 != 0 {
				sets = append(sets, s)
			}
		}
		slices.SortFunc(sets, compareSets)
		for _, id := range combined(sets, r.pair) {
			list = append(list, combination{id, choice})
		}
	}
	return list
}

// combined returns the fan that these very sets make.
func combined(sets []slowSet, pair int) (ids []string) {
	if len(sets) < 2 {
		return nil
	}
	chows := 0
	var firsts, ranks, suits []int
	for _, s := range sets {
		if s.chow {
			chows++
		}
		firsts = append(firsts, s.first)
		ranks = append(ranks, rank(s.first))
		suits = append(suits, suit(s.first))
	}
	if chows != 0 && chows != len(sets) {
		return nil
	}
	steps := func(list []int, step int) bool {
		for i := 1; i < len(list); i++ {
			if list[i]-list[i-1] != step {
				return false
			}
		}
		return true
	}
	oneSuit := suits[0] == suits[len(suits)-1] && suits[0] < 3
	slices.Sort(ranks)
	differ := len(slices.Compact(slices.Clone(suits))) == len(suits) && suits[len(suits)-1] < 3
	add := func(ok bool, id string) {
		if ok {
			ids = append(ids, id)
		}
	}
	if chows > 0 {
		switch len(sets) {
		case 4:
			add(oneSuit && steps(firsts, 0), "quadruple_chow")
			add(oneSuit && (steps(firsts, 1) || steps(firsts, 2)), "four_pure_shifted_chows")
			u, v := suits[0], suits[2]
			same := slices.Equal(firsts, []int{9 * u, 9 * u, 9*u + 6, 9*u + 6})
			add(same && pair == 9*u+4, "pure_terminal_chows")
			two := u != v && slices.Equal(firsts, []int{9 * u, 9*u + 6, 9 * v, 9*v + 6})
			add(two && pair == 9*(3-u-v)+4, "three_suited_terminal_chows")
		case 3:
			add(oneSuit && steps(firsts, 0), "pure_triple_chow")
			add(oneSuit && (steps(firsts, 1) || steps(firsts, 2)), "pure_shifted_chows")
			add(oneSuit && slices.Equal(ranks, []int{1, 4, 7}), "pure_straight")
			add(differ && slices.Equal(ranks, []int{1, 4, 7}), "mixed_straight")
			add(differ && steps(ranks, 0), "mixed_triple_chow")
			add(differ && steps(ranks, 1), "mixed_shifted_chows")
		case 2:
			add(oneSuit && steps(firsts, 0), "pure_double_chow")
			add(differ && steps(ranks, 0), "mixed_double_chow")
			add(oneSuit && steps(firsts, 3), "short_straight")
			add(oneSuit && slices.Equal(ranks, []int{1, 7}), "two_terminal_chows")
		}
		return ids
	}
	switch len(sets) {
	case 4:
		add(all(firsts, isWind), "big_four_winds")
		add(oneSuit && steps(firsts, 1), "four_pure_shifted_pungs")
	case 3:
		add(all(firsts, isDragon), "big_three_dragons")
		add(all(firsts, isWind) && isWind(pair), "little_four_winds")
		add(all(firsts, isWind), "big_three_winds")
		add(oneSuit && steps(firsts, 1), "pure_shifted_pungs")
		add(differ && steps(ranks, 0), "triple_pung")
		add(differ && steps(ranks, 1), "mixed_shifted_pungs")
	case 2:
		add(all(firsts, isDragon) && isDragon(pair), "little_three_dragons")
		add(all(firsts, isDragon), "two_dragon_pungs")
		add(differ && steps(ranks, 0), "double_pung")
	}
	return ids
}

// plans calls visit with every choice of combinations that the principles allow:
// taken one after the other, each has at most one set that was used before, and
// none shares a set with another of the same fan.
func plans(list []combination, visit func([]combination)) {
	seen := map[int]bool{}
	var extend func(chosen int, taken []combination)
	extend = func(chosen int, taken []combination) {
		if seen[chosen] {
			return
		}
		seen[chosen] = true
		visit(taken)
		used := 0
		for _, c := range taken {
			used |= c.sets
		}
		for i, c := range list {
			shared := c.sets & used
			identical := slices.ContainsFunc(taken, func(o combination) bool { return o.id == c.id && o.sets&c.sets != 0 })
			if chosen>>i&1 == 0 && shared&(shared-1) == 0 && !identical {
				extend(chosen|1<<i, append(taken[:len(taken):len(taken)], c))
			}
		}
	}
	extend(0, nil)
}
