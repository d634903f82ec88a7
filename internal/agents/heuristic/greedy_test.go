package heuristic_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// watcher checks each answer of a greedy player against what docs/research/players.md
// promises, the slow way.
type watcher struct {
	sim.Agent
	t *testing.T
	// What was met.
	wins, readies, discards, calls, openCalls, kans int
	openReady, worthless                            int
}

func (w *watcher) Act(v sim.View) sim.Action {
	a := w.Agent.Act(v)
	legal := v.Legal()
	if legal.Has(sim.ActWin) {
		w.wins++
		w.must(v, a == sim.ActWin, a, "does not win")
		return a
	}
	switch v.Phase() {
	case sim.PhaseTurn:
		w.turn(v, a)
	case sim.PhaseClaim:
		w.claim(v, a)
	case sim.PhaseDeclare:
		w.must(v, a == sim.ActTenpai, a, "hides a ready hand")
	}
	return a
}

func (w *watcher) must(v sim.View, ok bool, a sim.Action, complaint string) {
	if !ok {
		h := v.Hand()
		w.t.Errorf("player %d, decision %d, hand %v, %d melds: %v %s", v.Player(), v.Decision(),
			text(&h), v.NumMelds(v.Player()), a, complaint)
	}
}

func text(h *hand.Hand) string {
	var faces []tile.Face
	for set := h.Kinds(); set != 0; set = set.Rest() {
		for range h.Count(set.First()) {
			faces = append(faces, tile.Face(set.First()))
		}
	}
	return tile.FormatFaces(faces)
}

func (w *watcher) turn(v sim.View, a sim.Action) {
	me, legal, h, r := v.Player(), v.Legal(), v.Hand(), v.Rules()
	melds := v.NumMelds(me)
	switch {
	case v.Ready(me) != sim.NotReady || a == sim.ActNineKinds:
		return
	case !a.IsDiscard():
		w.kans++
		before := r.Shanten(&h, melds)
		if k := tile.Kind(a - sim.ActClosedKan); a < sim.ActAddedKan {
			for range 4 {
				h.Remove(k)
			}
			melds++
		} else {
			h.Remove(tile.Kind(a - sim.ActAddedKan))
		}
		w.must(v, v.IsOpen(me) || r.Shanten(&h, melds) <= max(before, 0), a, "takes the hand farther away")
		return
	}
	var discarded tile.Face
	switch {
	case a == sim.ActDiscardDrawn || a == sim.ActReadyDrawn:
		discarded = v.Drawn()
	case a.DeclaresReady():
		discarded = tile.Face(a - sim.ActReady)
	default:
		discarded = tile.Face(a)
	}
	k := discarded.Kind()
	if discarded.IsRed() {
		w.must(v, int(v.Reds()[k.Suit()]) == h.Count(k), a, "gives up a red five although there is another")
	}
	for ready := sim.ActReady; ready <= sim.ActReadyDrawn; ready++ {
		if legal.Has(ready) {
			w.readies++
			w.must(v, a.DeclaresReady(), a, "does not declare ready")
			break
		}
	}
	if v.IsOpen(me) {
		w.openHand(v, k)
		return
	}
	// A closed hand: least distance, then most unseen tiles.
	w.discards++
	d, live := measure(v, &h, k)
	for set := h.Kinds(); set != 0; set = set.Rest() {
		other, otherLive := measure(v, &h, set.First())
		w.must(v, d <= other, a, "leaves more than the least distance")
		// Several shapes at the same distance are not added up.
		standard := h.Shanten(r.HandSize/3 - melds)
		if d == other && standard == d && h.PairsShanten() > d && h.OrphansShanten() > d && !a.DeclaresReady() {
			w.must(v, live >= otherLive, a, "leaves less than the most useful tiles")
		}
	}
}

// measure returns the shanten that discarding k leaves and the number of unseen
// tiles that lower it.
func measure(v sim.View, h *hand.Hand, k tile.Kind) (shanten, live int) {
	r, melds := v.Rules(), v.NumMelds(v.Player())
	h.Remove(k)
	defer h.Add(k)
	shanten = r.Shanten(h, melds)
	for x := range tile.Kind(tile.NumKinds) {
		if v.Unseen(x) == 0 {
			continue
		}
		h.Add(x)
		if r.Shanten(h, melds) < shanten {
			live += v.Unseen(x)
		}
		h.Remove(x)
	}
	return shanten, live
}

// openHand counts open hands that are ready and those of them that no tile
// would let win.
func (w *watcher) openHand(v sim.View, discarded tile.Kind) {
	me, h, r := v.Player(), v.Hand(), v.Rules()
	h.Remove(discarded)
	waits := r.Waits(&h, v.NumMelds(me)) &^ h.AtLeast(4)
	if waits == 0 {
		return
	}
	w.openReady++
	for ; waits != 0; waits = waits.Rest() {
		win := ruleset.Win{
			Hand: h, NumMelds: uint8(v.NumMelds(me)), Tile: waits.First(),
			SeatWind: v.SeatWind(me), RoundWind: v.RoundWind(),
		}
		win.Hand.Add(win.Tile)
		for i := range v.NumMelds(me) {
			win.Melds[i] = v.Meld(me, i)
		}
		var value ruleset.Value
		if r.Value(&win, &value); value.OK {
			return
		}
	}
	w.worthless++
}

func (w *watcher) claim(v sim.View, a sim.Action) {
	if a == sim.ActPass {
		return
	}
	me, h, r := v.Player(), v.Hand(), v.Rules()
	melds, k := v.NumMelds(me), v.ClaimableTile().Kind()
	if a == sim.ActOpenKan {
		w.kans++
		w.must(v, v.IsOpen(me), a, "opens the hand with a kan")
		return
	}
	if v.IsOpen(me) {
		w.openCalls++
		return
	}
	w.calls++
	before := r.Shanten(&h, melds)
	low := k - tile.Kind(a-sim.ActChi)%3
	for i := range tile.Kind(3) {
		if a >= sim.ActPon {
			if i < 2 {
				h.Remove(k)
			}
		} else if low+i != k {
			h.Remove(low + i)
		}
	}
	w.must(v, r.Shanten(&h, melds+1) < before, a, "does not bring the hand nearer")
}

// TestGreedyKeepsItsWord plays matches in which every answer is checked.
func TestGreedyKeepsItsWord(t *testing.T) {
	for _, preset := range []string{"ema_2016", "tenhou", "hkma_league_a"} {
		t.Run(preset, func(t *testing.T) {
			r := load(t, preset)
			seated := lineup(t, 0xf, "greedy", "")
			w := &watcher{Agent: seated[1], t: t}
			seated[1] = w
			var m sim.Match
			for m.Seed = range 30 {
				m.Play(r, seated)
			}
			for _, met := range []struct {
				what string
				n    int
			}{
				{"wins", w.wins},
				{"ready declarations", w.readies},
				{"discards of closed hands", w.discards},
				{"calls of closed hands", w.calls},
				{"calls of open hands", w.openCalls},
				{"kans", w.kans},
				{"open ready hands", w.openReady},
			} {
				if met.n == 0 {
					t.Errorf("no %s in these matches", met.what)
				}
			}
			// A hand may become ready in a shape that its plan does not want.
			if 40*w.worthless > w.openReady {
				t.Errorf("%d of %d open ready hands wait for nothing that lets them win, more than one in 40", w.worthless, w.openReady)
			}
		})
	}
}
