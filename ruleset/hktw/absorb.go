package hktw

// absorption is the table of what a fan removes from a reading that has it, as
// far as it removes a fan altogether ([H] 4.6).
var absorption = []struct {
	present []int
	removed []int
}{
	{[]int{concealedSelfDraw}, []int{concealed, selfDraw}},
	{[]int{concealedReady}, []int{concealed, ready}},
	{[]int{readyHeaven, readyEarth}, []int{ready, concealedReady, concealed}},
	{[]int{readyHuman}, []int{ready, concealedReady}},
	{[]int{heavenlyWin}, []int{concealed, selfDraw, concealedSelfDraw, withinTen, withinSeven, withinFour}},
	{[]int{earthlyWin, humanWin}, []int{concealed, withinTen, withinSeven, withinFour}},
	{[]int{withinFour}, []int{withinTen, withinSeven}},
	{[]int{withinSeven}, []int{withinTen}},
	{[]int{flowerDraw, kongDraw}, []int{selfDraw}},
	{[]int{tailChain}, []int{selfDraw, flowerDraw, kongDraw}},
	{[]int{halfBegging}, []int{selfDraw, trueSingle, fakeSingle}},
	{[]int{allBegging}, []int{trueSingle, fakeSingle}},
	{[]int{trueLast, robbingKong}, []int{fourthCopy}},
	{[]int{noHonorsNoFlowers}, []int{noHonors, noFlowers}},
	{[]int{grandAllChows}, []int{allChows, noHonorsNoFlowers, noHonors, noFlowers}},
	{[]int{fullFlush, missingSuit, missingFive, allSimples, pureCommonRank}, []int{noHonors}},
	{[]int{pureOutside}, []int{noHonors, missingFive}},
	{[]int{mixedTerminals}, []int{allPungs, mixedOutside}},
	{[]int{pureTerminals}, []int{
		noHonors, missingFive, pureOutside, allPungs, samePungs2, smallSamePungs3, samePungs3, terminalPungs,
	}},
	{[]int{allHonors}, []int{allPungs, honorPung, mixedTerminals, mixedOutside}},
	{[]int{concealedPungs5}, []int{allPungs, concealed}},
	{[]int{pureConcealedPungs}, []int{concealedPungs5, concealedPungs4, concealedPungs3, concealedPungs2, allPungs, concealed}},
	{[]int{quadIdenticalChows}, []int{tripleIdenticalChows}},
	{[]int{smallSevenTypes}, []int{smallFiveTypes}},
	{[]int{bigFiveTypes}, []int{smallFiveTypes}},
	{[]int{bigSevenTypes}, []int{smallFiveTypes, bigFiveTypes, smallSevenTypes}},
	{[]int{twelveReturn}, []int{eightReturn}},
	{[]int{likGu, sixteenDisjoint, thirteenOrphans}, []int{concealed}},
}

// fillAbsorbed enters the table as the knobs change it.
func (s *Scorer) fillAbsorbed() {
	for _, row := range absorption {
		for _, id := range row.present {
			s.absorbed[id] = s.absorbed[id].or(fansOf(row.removed...))
		}
	}
	if s.knobs.ConcealedSelfDraw == SelfDrawAdds {
		s.absorbed[concealedSelfDraw] = fansOf(selfDraw)
	}
	if !s.knobs.NoHonorsNoFlowersKept {
		for id, removed := range s.absorbed {
			if removed.has(noHonors) && id != noHonorsNoFlowers {
				s.absorbed[id].add(noHonorsNoFlowers)
			}
		}
	}
	if s.knobs.StackAllPungs {
		for _, id := range [...]int{allHonors, mixedTerminals, pureTerminals} {
			s.absorbed[id] = s.absorbed[id].without(fansOf(allPungs))
		}
	}
	if !s.knobs.PureTerminalsFlat {
		s.absorbed[pureTerminals] = s.absorbed[pureTerminals].without(
			fansOf(samePungs2, smallSamePungs3, samePungs3, terminalPungs))
	}
	if !s.knobs.ReturnsIndependent {
		// Four identical sequences are returns of their three kinds.
		s.absorbed[quadIdenticalChows] = s.absorbed[quadIdenticalChows].or(
			fansOf(returnTwo, returnThree, returnFour, eightReturn, twelveReturn))
	}
	for id, removed := range s.absorbed {
		if removed != (fans{}) {
			s.absorbers.add(id)
		}
	}
}
