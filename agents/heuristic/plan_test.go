package heuristic

import (
	"math/rand/v2"
	"testing"

	"github.com/jansou/jansou/configs"
	"github.com/jansou/jansou/ruleset/hand"
	"github.com/jansou/jansou/ruleset/tile"
	"github.com/jansou/jansou/sim"
)

func TestWorth(t *testing.T) {
	all := worth{
		closed: true, dragons: true, seatWind: true, roundWind: true, simples: true, halfFlush: true,
		fullFlush: true, triplets: true, straight: true, mixed: true, outside: true, pairs: true, irregular: true,
	}
	closedSimples := all
	closedSimples.simples = false
	twoHan := worth{closed: true, triplets: true, halfFlush: true, fullFlush: true, pairs: true, irregular: true}
	for name, test := range map[string]struct {
		knobs map[string]any
		want  worth
	}{
		"ema_2016":         {nil, all},
		"no open tanyao":   {map[string]any{"kuitan": false}, closedSimples},
		"at least two han": {map[string]any{"min_win": int64(2)}, twoHan},
	} {
		r, err := configs.With("ema_2016", test.knobs)
		if err != nil {
			t.Fatal(err)
		}
		if got := worthOf(r); got != test.want {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, test.want)
		}
	}
}

// deal returns n random tiles.
func deal(rng *rand.Rand, n int) (h hand.Hand) {
	for _, t := range rng.Perm(136)[:n] {
		h.Add(tile.Kind(t / 4))
	}
	return h
}

// TestPlanDistance checks the distances towards plans against what makes them
// exact: a hand that the plan accepts has -1, no draw lowers the distance by
// more than one, and from any other hand some draw lowers it.
func TestPlanDistance(t *testing.T) {
	g := &greedy{}
	plans := map[string]struct {
		plan
		melds int
		exact bool
	}{
		"simples":       {plan{goal: within, kinds: tile.Simples}, 1, true},
		"half flush":    {plan{goal: within, kinds: suit<<9 | tile.HonorSet}, 0, true},
		"white dragons": {plan{goal: holding, kinds: tile.All, triplets: tile.White.Bit()}, 1, true},
		"straight":      {plan{goal: holding, kinds: tile.All, runs: straight << 18}, 0, true},
		"mixed":         {plan{goal: holding, kinds: tile.All, runs: 1<<2 | 1<<20}, 1, true},
		"triplets":      {plan{goal: allTriples, kinds: tile.All}, 1, true},
		"outside":       {plan{goal: outside, kinds: edges | edges<<1 | edges<<2 | tile.HonorSet}, 1, false},
	}
	for name, test := range plans {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			pl := &test.plan
			stuck := 0
			p := &position{numMelds: test.melds, sets: 4 - test.melds}
			for range 300 {
				p.hand = deal(rng, 3*p.sets+1)
				// Draw and discard as the plan has it until it is complete. Where the
				// distance is not exact a hand may get stuck.
				complete := false
				for d := g.toward(p, pl); d >= 0; d = g.toward(p, pl) {
					before := p.hand
					useful := g.useful(p, pl, d, pl.kinds)
					if useful == 0 && !test.exact {
						break
					} else if useful == 0 {
						t.Fatalf("%v: distance %d, but nothing lowers it", before.Counts(), d)
					}
					for set := pl.kinds &^ p.hand.AtLeast(4); set != 0; set = set.Rest() {
						k := set.First()
						p.hand.Add(k)
						got := g.toward(p, pl)
						p.hand.Remove(k)
						if test.exact && useful.Has(k) && got != d-1 || !useful.Has(k) && got < d {
							t.Fatalf("%v: distance %d, with %v %d, useful %v", before.Counts(), d, k, got, useful)
						}
					}
					p.hand.Add(useful.First())
					complete = g.toward(p, pl) < 0
					if a := accepts(p, pl); complete && !a || test.exact && a && !complete {
						t.Fatalf("%v: complete as the plan wants it %v, distance %d", p.hand.Counts(), a, g.toward(p, pl))
					}
					if complete {
						break
					}
					if n := g.tryAll(p, pl, p.hand.Kinds()); n == 0 || int(g.discards[0].Shanten) >= d {
						t.Fatalf("%v with %v: no discard keeps the distance %d", before.Counts(), useful.First(), d-1)
					}
					p.hand.Remove(g.discards[0].Kind)
				}
				if !complete {
					stuck++
				}
			}
			if test.exact && stuck > 0 || stuck > 30 {
				t.Errorf("%d of 300 hands get stuck", stuck)
			}
		})
	}
}

// accepts reports whether the hand is complete as the plan wants it.
func accepts(p *position, pl *plan) bool {
	var divisions [hand.MaxDivisions]hand.Division
	for _, d := range divisions[:p.hand.Divisions(p.sets, &divisions)] {
		var runs, triplets tile.Set
		for _, s := range d.Sets[:d.N] {
			if s.IsTriplet() {
				triplets |= s.Kind().Bit()
			} else {
				runs |= s.Kind().Bit()
			}
		}
		switch pl.goal {
		case within:
			return p.hand.Kinds()&^pl.kinds == 0
		case holding:
			if pl.runs&^runs == 0 && pl.triplets&^triplets == 0 {
				return true
			}
		case allTriples:
			if runs == 0 {
				return true
			}
		case outside:
			if runs&^edges == 0 && (triplets|d.Pair.Bit())&^tile.Orphans == 0 {
				return true
			}
		}
	}
	return false
}

// caller checks that its greedy player calls only what lowers the distance.
type caller struct {
	greedy
	t      *testing.T
	calls  int
	spared int // calls that would lower the shanten alone
}

func (c *caller) Act(v sim.View) sim.Action {
	a := c.greedy.Act(v)
	if v.Phase() != sim.PhaseClaim || a == sim.ActWin || a == sim.ActOpenKan {
		return a
	}
	c.look(v)
	before := c.distance(&c.now)
	k := v.Window().Kind()
	for legal := range v.Legal().All {
		var m hand.Meld
		var own [2]tile.Kind
		switch place := tile.Kind(legal-sim.ActChi) % 3; {
		case legal >= sim.ActPon && legal < sim.ActOpenKan:
			m, own = hand.Meld{Type: hand.Pon, Kind: k}, [2]tile.Kind{k, k}
		case legal >= sim.ActChi && legal < sim.ActPon:
			m = hand.Meld{Type: hand.Chi, Kind: k - place, Claimed: uint8(place)}
			own = [...][2]tile.Kind{{k + 1, k + 2}, {k - 1, k + 1}, {k - 2, k - 1}}[place]
		default:
			continue
		}
		after := c.call(v, before, m, own[0], own[1]).distance
		shanten := c.rules.Shanten(&c.then.hand, c.then.numMelds)
		switch {
		case legal == a && after >= before:
			c.t.Errorf("%v leaves the distance at %d, it was %d", a, after, before)
		case legal == a:
			c.calls++
		case a == sim.ActPass && after < before:
			c.t.Errorf("passes a %v that lowers the distance from %d to %d", legal, before, after)
		case a == sim.ActPass && shanten < c.rules.Shanten(&c.now.hand, c.now.numMelds):
			c.spared++
		}
	}
	return a
}

func TestCalls(t *testing.T) {
	r, err := configs.Load("ema_2016")
	if err != nil {
		t.Fatal(err)
	}
	c := &caller{t: t}
	var m sim.Match
	for m.Seed = range 20 {
		m.Play(r, &[sim.NumPlayers]sim.Agent{c, NewGreedy(), NewGreedy(), NewGreedy()})
	}
	if c.calls == 0 || c.spared == 0 {
		t.Errorf("%d calls made and %d spared in these matches", c.calls, c.spared)
	}
}
