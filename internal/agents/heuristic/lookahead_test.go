package heuristic

import (
	"math"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// foreseer compares what its expert foresees with plainForesight.
type foreseer struct {
	*Expert
	t    *testing.T
	seen map[int]int // how many actions by their distance
}

func (f *foreseer) Act(v sim.View) sim.Action {
	choice, x := f.Expert.Act(v), f.Expert
	if x.numCandidates < 2 {
		return choice
	}
	x.Inputs(v, 0) // describes the situation, if nothing has yet
	for i := range x.candidates[:x.numCandidates] {
		a := &x.candidates[i]
		got, distance := *x.lookAhead(a), x.value.book.Rules.Shanten(&a.after.Hand, a.after.NumMelds)
		want := x.plainForesight(a, distance)
		if got.ukeire != want.ukeire || got.nextUkeire != want.nextUkeire || got.goodDraws != want.goodDraws ||
			math.Abs(got.winEV-want.winEV) > 1e-6*math.Abs(want.winEV) || math.Abs(got.growth-want.growth) > 1e-9 {
			f.t.Errorf("%v, %d exchanges from ready: foresees %+v, want %+v", a.action, distance, got, want)
		}
		f.seen[distance]++
	}
	return choice
}

// plainForesight tries all tiles and discards, and remembers nothing.
func (x *Expert) plainForesight(a *candidate, distance int) forecast {
	f := forecast{known: true, growth: 1, winEV: a.winEV}
	p := a.after
	if distance != 1 {
		return f
	}
	standard := p.Hand.Shanten(p.Sets) == distance
	pairs := p.NumMelds == 0 && p.Hand.Len() == 13 && p.Hand.PairsShanten() == 1
	draws := max(x.value.table.draws/2, 1)
	sum, hopes := 0.0, 0.0
	for k := range tile.Kind(tile.NumKinds) {
		n := int(x.value.completion.Unseen[k])
		then := p
		if n == 0 || then.Hand.Count(k) == 4 {
			continue
		}
		then.Hand.Add(k)
		nearer := standard && then.Hand.Shanten(then.Sets) < distance
		if !nearer && !(pairs && then.Hand.PairsShanten() < 1) {
			continue
		}
		f.ukeire += n
		x.value.completion.Unseen[k]--
		most, hope := 0, 0.0
		for kinds := then.Hand.Kinds(); kinds != 0; kinds = kinds.Rest() {
			d := kinds.First()
			last := then
			last.Hand.Remove(d)
			if nearer && last.Hand.Shanten(last.Sets) < distance {
				live := 0
				for useful := last.Hand.Ukeire(last.Sets); useful != 0; useful = useful.Rest() {
					live += int(x.value.completion.Unseen[useful.First()])
				}
				most = max(most, live)
			}
			if waits := x.value.waits(&last); waits != 0 &&
				(nearer && last.Hand.Shanten(last.Sets) == 0 || last.Hand.PairsShanten() == 0 || last.Hand.PairsQuadsShanten() == 0) {
				// Four equal tiles are two pairs only where the waits say so.
				left := x.value.table.draws
				x.value.table.draws, x.value.pendingDiscard = draws, d.Bit()|kindSet(a.discard)
				hope = max(hope, x.value.tenpaiEV(&last, waits))
				x.value.table.draws, x.value.pendingDiscard = left, 0
			}
		}
		x.value.completion.Unseen[k]++
		f.nextUkeire += n * most
		if most >= goodWait {
			f.goodDraws += n
		}
		sum += float64(n) * x.value.winChances.at(x.value.dealIn.threatened, false, 0, most, draws)
		hopes += float64(n) * hope
	}
	if f.ukeire == 0 {
		return f
	}
	all := float64(f.ukeire) * x.value.winChances.at(x.value.dealIn.threatened, false, 0, int(meanUkeire[0]), draws)
	f.growth = sum / all
	f.winEV = x.value.winChances.at(x.value.dealIn.threatened, false, 1, f.ukeire, x.value.table.draws) * hopes / all
	return f
}

// TestForesight compares what experts foresee in matches of all families.
func TestForesight(t *testing.T) {
	for _, preset := range []string{"tenhou", "mcr_2006", "universal", "hkma_hktw"} {
		r, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		f := &foreseer{Expert: expertOf(t, ""), t: t, seen: map[int]int{}}
		seats := [sim.NumPlayers]sim.Agent{f, expertOf(t, "net=off"), expertOf(t, "net=off"), expertOf(t, "net=off")}
		var m sim.Match
		for m.Seed = range 3 {
			m.Play(r, &seats)
		}
		if f.seen[1] < 50 {
			t.Errorf("%s: hands seen by distance: %v", preset, f.seen)
		}
	}
}
