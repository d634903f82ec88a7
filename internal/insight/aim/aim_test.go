package aim_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

func load(t testing.TB, preset string, knobs map[string]any) *ruleset.Rules {
	t.Helper()
	r, err := configs.LoadWith(preset, knobs)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// deal returns n random tiles.
func deal(rng *rand.Rand, n int) (h hand.Hand) {
	for _, t := range rng.Perm(4 * tile.NumKinds)[:n] {
		h.Add(tile.Kind(t / 4))
	}
	return h
}

// find returns the first aim of a class for which ok holds.
func find(t *testing.T, aims []aim.Aim, c aim.Class, ok func(a *aim.Aim) bool) *aim.Aim {
	t.Helper()
	for i := range aims {
		if a := &aims[i]; a.Class == c && ok(a) {
			return a
		}
	}
	t.Fatalf("no such aim of class %v", c)
	return nil
}

func whichever(*aim.Aim) bool { return true }

func TestSufficient(t *testing.T) {
	const (
		value     = "honors*7 "
		flushes   = "half flush*3 "
		sequences = "runs*10 "
	)
	for name, test := range map[string]struct {
		preset       string
		knobs        map[string]any
		closed, open bool
		want         string // classes with the number of their aims, in order
	}{
		"yaku":             {"ema_2016", nil, true, false, "simples*1 " + flushes + value + "triplets*1 " + sequences + "outside*1 other shape*1 "},
		"no open tanyao":   {"ema_2016", map[string]any{"kuitan": false}, true, false, flushes + value + "triplets*1 " + sequences + "outside*1 other shape*1 "},
		"no tanyao":        {"ema_2016", map[string]any{"patterns.tanyao": "off"}, true, false, flushes + value + "triplets*1 " + sequences + "outside*1 other shape*1 "},
		"no honitsu":       {"ema_2016", map[string]any{"patterns.honitsu": "off"}, true, false, "simples*1 full flush*3 " + value + "triplets*1 " + sequences + "outside*1 other shape*1 "},
		"no toitoi":        {"ema_2016", map[string]any{"patterns.toitoi": "off"}, true, false, "simples*1 " + flushes + value + sequences + "outside*1 other shape*1 "},
		"no like runs":     {"mcr_2006", map[string]any{"patterns.mixed_triple_chow": "off"}, false, false, "half flush*3 triplets*1 runs*3 other shape*1 "},
		"at least two han": {"ema_2016", map[string]any{"min_win": int64(2)}, true, false, flushes + "triplets*1 other shape*1 "},
		"eight points":     {"mcr_2006", nil, false, false, "half flush*3 triplets*1 runs*10 other shape*1 "},
		"no minimum":       {"zung_jung", nil, true, true, ""},
	} {
		b := aim.NewBook(load(t, test.preset, test.knobs))
		if b.ClosedWins != test.closed || b.OpenWins != test.open {
			t.Errorf("%s: any closed hand wins %v, any open one %v", name, b.ClosedWins, b.OpenWins)
		}
		got := ""
		for i, a := range b.Sufficient {
			if n := slices.IndexFunc(b.Sufficient[i:], func(o aim.Aim) bool { return o.Class != a.Class }); i == 0 || b.Sufficient[i-1].Class != a.Class {
				if n < 0 {
					n = len(b.Sufficient) - i
				}
				got += fmt.Sprintf("%v*%d ", a.Class, n)
			}
		}
		if test.want != "" && got != test.want {
			t.Errorf("%s: sufficient are %q, want %q", name, got, test.want)
		}
	}
	b := aim.NewBook(load(t, "ema_2016", nil))
	if got, want := b.Honors(1, 0), tile.Dragons|tile.East.Bit()|tile.South.Bit(); got != want {
		t.Errorf("honors of South in an East round are %v, want %v", got, want)
	}
	b = aim.NewBook(load(t, "ema_2016", map[string]any{"min_win": int64(2)}))
	if got := b.Honors(1, 0); got != 0 {
		t.Errorf("two han: a triplet of %v is enough", got)
	}
}

// TestValuedHonors compares the honors that the rules value in a triplet with their pages: those
// under a minimum count though they are not sufficient.
func TestValuedHonors(t *testing.T) {
	const south, west = tile.Wind(1), tile.Wind(2)
	both := tile.Dragons | tile.South.Bit() | tile.West.Bit()
	for preset, want := range map[string]tile.Set{
		"tenhou": both, "ema_2016": both, "tenhou_sanma": both, "mcr_2006": both, "hk_old_style": both,
		"hkma_hktw": both, "taiwanese": both,
		"zung_jung": tile.Dragons | tile.West.Bit(), "universal": tile.Dragons | tile.West.Bit(),
	} {
		if got := aim.NewBook(load(t, preset, nil)).ValuedHonors(west, south); got != want {
			t.Errorf("%s: West in a South round values triplets of %v, want %v", preset, got, want)
		}
	}
}

// TestDistance checks distances against what makes them exact: a hand that the
// aim accepts has -1, no draw lowers the distance by more than one, and from any
// other hand some draw lowers it.
func TestDistance(t *testing.T) {
	b := aim.NewBook(load(t, "ema_2016", nil))
	mcr := aim.NewBook(load(t, "mcr_2006", nil))
	suited := func(kinds tile.Set) func(*aim.Aim) bool {
		return func(a *aim.Aim) bool { return a.Kinds == kinds }
	}
	first := func(s hand.Set) func(*aim.Aim) bool {
		return func(a *aim.Aim) bool { return a.Sets[0] == s }
	}
	for name, test := range map[string]struct {
		aim   *aim.Aim
		melds int
		exact bool
	}{
		"plain":         {find(t, b.Aims, aim.Plain, whichever), 0, true},
		"simples":       {find(t, b.Aims, aim.Simples, whichever), 1, true},
		"half flush":    {find(t, b.Aims, aim.HalfFlush, suited(tile.SuitSet(1)|tile.HonorSet)), 0, true},
		"white dragons": {find(t, b.Aims, aim.Honors, first(hand.Triplet(tile.White))), 1, true},
		"straight":      {find(t, b.Sufficient, aim.Runs, first(hand.Sequence(18))), 0, true},
		"like":          {find(t, b.Sufficient, aim.Runs, func(a *aim.Aim) bool { return a.Sets[1] == hand.Sequence(11) }), 0, true},
		"shifted":       {find(t, mcr.Aims, aim.Shifted, whichever), 0, true},
		"triplets":      {find(t, b.Aims, aim.AllTriplets, whichever), 1, true},
		"outside":       {find(t, b.Aims, aim.Outside, whichever), 1, false},
		"pairs":         {find(t, b.Aims, aim.Pairs, whichever), 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			stuck := 0
			for range 300 {
				p := &aim.Position{NumMelds: test.melds, Sets: 4 - test.melds}
				for i := range test.melds { // a set that does not matter
					p.Melds[i] = hand.Meld{Type: hand.Pon, Kind: tile.NoKind}
				}
				n := need(test.aim)
				p.Hand = deal(rng, 3*p.Sets+1)
				if !complete(t, b, p, test.aim, &n, test.exact) {
					stuck++
				}
			}
			if test.exact && stuck > 0 || stuck > 30 {
				t.Errorf("%d of 300 hands get stuck", stuck)
			}
		})
	}
}

// need returns what a hand without melds needs for the aim.
func need(a *aim.Aim) aim.Need {
	n, _ := (&aim.Position{Sets: 4}).Need(a)
	return n
}

// complete draws and discards as the aim has it until the hand is complete. Where
// the distance is not exact a hand may get stuck.
func complete(t *testing.T, b *aim.Book, p *aim.Position, a *aim.Aim, n *aim.Need, exact bool) bool {
	t.Helper()
	distance := func() int { return b.Distance(p, a, n) }
	for d := distance(); d >= 0; d = distance() {
		before := p.Hand
		useful := b.Ukeire(p, a, n, d, tile.All)
		if p.Hand != before {
			t.Fatalf("%v: looking for useful tiles changes the hand", before.Counts())
		}
		if joining := b.ConnectedUkeire(p, a, n, d, tile.All); joining&^useful != 0 {
			t.Fatalf("%v: joining %v are not among the useful %v", before.Counts(), joining, useful)
		}
		if useful == 0 {
			if exact {
				t.Fatalf("%v: distance %d, but nothing lowers it", before.Counts(), d)
			}
			return false
		}
		for set := a.Kinds &^ p.Hand.AtLeast(4); set != 0; set = set.Rest() {
			k := set.First()
			p.Hand.Add(k)
			got := distance()
			p.Hand.Remove(k)
			if exact && useful.Has(k) && got != d-1 || !useful.Has(k) && got < d {
				t.Fatalf("%v: distance %d, with %v %d, useful %v", before.Counts(), d, k, got, useful)
			}
		}
		p.Hand.Add(useful.First())
		done := distance() < 0
		if ok := accepts(p, a); done && !ok || exact && ok && !done {
			t.Fatalf("%v: complete as the aim wants it %v, distance %d", p.Hand.Counts(), ok, distance())
		}
		if done {
			return true
		}
		least, discard := aim.Hopeless, tile.NoKind
		for kinds := p.Hand.Kinds(); kinds != 0; kinds = kinds.Rest() {
			k := kinds.First()
			p.Hand.Remove(k)
			if d := distance(); d < least {
				least, discard = d, k
			}
			p.Hand.Add(k)
		}
		if least >= d {
			t.Fatalf("%v with %v: no discard keeps the distance %d", before.Counts(), useful.First(), d-1)
		}
		p.Hand.Remove(discard)
	}
	return true
}

// accepts reports whether the hand is complete as the aim wants it.
func accepts(p *aim.Position, a *aim.Aim) bool {
	if a.Shape == aim.SevenPairs {
		return p.Hand.AtLeast(2).Len() == 7
	}
	for d := range p.Hand.Divisions(p.Sets) {
		runs, triplets := d.Runs(), d.Triplets()
		missing := false
		for _, s := range a.Sets[:a.NumSets] {
			if s.IsTriplet() && !triplets.Has(s.Kind()) || s.IsSequence() && !runs.Has(s.Kind()) {
				missing = true
			}
		}
		switch {
		case missing || p.Hand.Kinds()&^a.Kinds != 0:
		case a.Shape == aim.Triplets && runs != 0:
		case a.Shape == aim.Terminals && (runs&^tile.EdgeSequences != 0 || (triplets|d.Pair.Bit())&^tile.Orphans != 0):
		default:
			return true
		}
	}
	return false
}

// TestUsefulAfter compares what may help a hand once it has discarded with what does,
// for every discard of random hands. Some have many pairs, to which the special shapes
// of most families are near.
func TestUsefulAfter(t *testing.T) {
	anyShape := aim.Aim{Shape: aim.Any, Kinds: tile.All}
	for _, preset := range []string{"ema_2016", "mcr_2006", "universal", "hkma_hktw"} {
		r := load(t, preset, nil)
		b := aim.NewBook(r)
		rng := rand.New(rand.NewPCG(1, 1))
		narrowed := 0
		for range 300 {
			p := aim.Position{Sets: r.HandSize / 3}
			for p.Hand.Len() <= r.HandSize {
				k := tile.Kind(rng.IntN(tile.NumKinds))
				for range 1 + rng.IntN(2) {
					if p.Hand.Count(k) < 4 && p.Hand.Len() <= r.HandSize {
						p.Hand.Add(k)
					}
				}
			}
			for kinds := p.Hand.Kinds(); kinds != 0; kinds = kinds.Rest() {
				q := p
				q.Hand.Remove(kinds.First())
				d := b.Distance(&q, &anyShape, &aim.Need{})
				got := b.Ukeire(&q, &anyShape, &aim.Need{}, d, tile.All)
				may := b.UkeireAfterDiscard(&p, &anyShape, &aim.Need{}, d, tile.All)
				if got&^may != 0 {
					t.Fatalf("%s: %v without %v at distance %d is helped by %v, the whole hand but by %v", preset, p.Hand.Counts(), kinds.First(), d, got, may)
				}
				if got != b.Ukeire(&q, &anyShape, &aim.Need{}, d, may) {
					t.Fatalf("%s: %v without %v: among %v less is useful", preset, p.Hand.Counts(), kinds.First(), may)
				}
				if may != tile.All {
					narrowed++
				}
			}
		}
		if narrowed == 0 {
			t.Errorf("%s: everything may help every hand", preset)
		}
	}
}

// TestNeed takes melds into account: a set melded down is not needed, and a meld may
// leave an aim impossible.
func TestNeed(t *testing.T) {
	b := aim.NewBook(load(t, "ema_2016", nil))
	straight := find(t, b.Sufficient, aim.Runs, whichever) // of characters
	p := aim.Position{Sets: 4}
	chi := func(k tile.Kind) aim.Position {
		q := p
		q.Hand.Add(k)
		q.Hand.Add(k + 1)
		q.AddMeld(hand.Meld{Type: hand.Chi, Kind: k}, 1, k, k+1)
		return q
	}
	q := chi(3) // 456m
	if n, ok := q.Need(straight); !ok || n.Sets != 2 || n.Kinds[0] != 7|7<<6 || !q.Open || q.Hand.Len() != 0 {
		t.Errorf("with 456m melded a straight needs %+v, possible %v", n, ok)
	}
	for _, c := range []aim.Class{aim.AllTriplets, aim.Pairs, aim.Outside} {
		if _, ok := q.Need(find(t, b.Aims, c, whichever)); ok {
			t.Errorf("with 456m melded %v are possible", c)
		}
	}
	if _, ok := q.Need(find(t, b.Aims, aim.HalfFlush, func(a *aim.Aim) bool { return !a.Kinds.Has(3) })); ok {
		t.Error("with 456m melded a flush of another suit is possible")
	}
	q = chi(6)
	for range 2 {
		q.NumMelds++
		q.Melds[q.NumMelds-1] = hand.Meld{Type: hand.Pon, Kind: tile.East}
		q.Sets--
	}
	if _, ok := q.Need(straight); ok {
		t.Error("two sequences are possible in one set")
	}
	if got := q.MeldedTriplets(); got != tile.East.Bit() {
		t.Errorf("triplets melded down are %v", got)
	}
}

// TestFitting asks about more melds than are remembered, some of them again and again.
func TestFitting(t *testing.T) {
	b := aim.NewBook(load(t, "mcr_2006", nil))
	aims := make([]*aim.Aim, len(b.Aims))
	for i := range aims {
		aims[i] = &b.Aims[i]
	}
	f := aim.NewAimFilter(aims, 4)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		p := aim.Position{Sets: 4}
		for range rng.IntN(4) {
			m := hand.Meld{Type: hand.Pon, Kind: tile.Kind(rng.IntN(4) * 9)}
			if rng.IntN(2) == 0 && m.Kind < tile.East {
				m.Type = hand.Chi
			}
			p.AddMeld(m, 0)
		}
		p.Hand = deal(rng, 3*p.Sets+2)
		fits := f.Possible(&p)
		nearest := rng.IntN(8) - 1
		var want []uint8
		for i := 1; i < len(fits); i++ {
			far := p.DistanceBound(fits[i].Aim) - 2
			if fits[i].Need.Sets > 0 {
				far = fits[i].Need.Lacking(&p.Hand) - 1
			}
			if far <= nearest {
				want = append(want, uint8(i))
			}
		}
		if got := f.Reachable(&p, fits, nearest); !slices.Equal(got, want) {
			t.Fatalf("%+v: reachable at %d are %v, not %v", p, nearest, got, want)
		}
		for i, a := range aims {
			n, ok := p.Need(a)
			if !ok {
				continue
			}
			if len(fits) == 0 || fits[0].Index != i || fits[0].Aim != a || fits[0].Need != n {
				t.Fatalf("%+v: aim %d needs %+v, not in its place", p.Melds[:p.NumMelds], i, n)
			}
			fits = fits[1:]
		}
		if len(fits) > 0 {
			t.Fatalf("%+v: %d aims that are not possible", p.Melds[:p.NumMelds], len(fits))
		}
	}
}

// TestCompletion checks that what is made of random hands is complete and holds
// what the aim asks for.
func TestCompletion(t *testing.T) {
	for _, preset := range []string{"ema_2016", "mcr_2006", "universal", "hkma_hktw"} {
		r := load(t, preset, nil)
		b := aim.NewBook(r)
		c := aim.NewCompletion(r)
		rng := rand.New(rand.NewPCG(1, 2))
		for i := range b.Aims {
			a := &b.Aims[i]
			if a.Shape == aim.Other {
				continue
			}
			for _, open := range []bool{false, true} {
				if open && !a.MayOpen() {
					continue
				}
				done := 0
				for range 50 {
					p := aim.Position{Sets: r.HandSize / 3, Hand: deal(rng, r.HandSize)}
					for k := range c.Unseen {
						c.Unseen[k] = int8(4 - p.Hand.Count(tile.Kind(k)))
					}
					if !c.FindSets(&p, a) {
						continue
					}
					c.MakeWin(&p, a, open)
					var v ruleset.Value
					r.Value(&c.Win, &v)
					if v.Shape && (c.Win.NumMelds > 0) == open && (a.Kinds == tile.All || a.Shape == aim.Terminals || c.Win.Hand.Kinds()&^a.Kinds == 0) {
						done++
					}
				}
				if done < 45 {
					t.Errorf("%s: %d of 50 completions of %+v, open %v, are complete", preset, done, a, open)
				}
			}
		}
	}
}

// TestWorth checks what examples are worth. A plain hand, in riichi and waiting for
// its pair, has 1 han 40 fu: 1,300 points, or 400, 400 and 700. A full flush has 7
// han with riichi, and there may be more in it. In MCR the former may not win, and
// pure shifted chows have 16 fan: each player pays 8, and those who pay the hand
// its fan.
func TestWorth(t *testing.T) {
	b := aim.NewBook(load(t, "ema_2016", nil))
	if a := b.Aims[0]; a.Class != aim.Plain || a.Closed != (aim.Worth{Discard: 1300, SelfDraw: 1500}) || a.Open != (aim.Worth{}) {
		t.Errorf("a %v hand is worth %+v closed, %+v open", a.Class, a.Closed, a.Open)
	}
	if a := find(t, b.Aims, aim.FullFlush, whichever); a.Closed.Discard < 12000 || a.Open.Discard >= a.Closed.Discard {
		t.Errorf("a full flush is worth %+v closed, %+v open", a.Closed, a.Open)
	}
	b = aim.NewBook(load(t, "mcr_2006", nil))
	if a := b.Aims[0]; a.Closed != (aim.Worth{}) || a.Open != (aim.Worth{}) {
		t.Errorf("mcr: a %v hand is worth %+v closed, %+v open", a.Class, a.Closed, a.Open)
	}
	if a := find(t, b.Aims, aim.Shifted, whichever); a.Open.Discard < 3*8+16 || a.Open.SelfDraw < 3*(8+16) {
		t.Errorf("mcr: shifted sequences are worth %+v", a.Open)
	}
}

// TestSettle asks about values again and again: what is remembered must be what others
// work out anew, whatever patterns the values have.
func TestSettle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, preset := range []string{"ema_2016", "mcr_2006", "universal", "hkma_hktw"} {
		r := load(t, preset, nil)
		s := aim.NewStakes(r)
		for range 3000 {
			v := ruleset.Value{Shape: true, OK: true, Points: rng.Int32N(40), Base: 100 * (1 + rng.Int32N(20))}
			v.Han, v.Yakuman, v.DealerItems, v.FlowerWin = uint8(rng.IntN(3)), uint8(rng.IntN(2)), uint8(rng.IntN(2)), rng.IntN(8) == 0
			for range rng.IntN(4) {
				v.Add(uint8(rng.IntN(40)), 1)
			}
			winner, from := ruleset.Chair(rng.IntN(4)), ruleset.NoChair
			if i := rng.IntN(4); i > 0 {
				from = winner.Next(i)
			}
			fresh := aim.NewStakes(r)
			*s.Value(), *fresh.Value() = v, v
			if got, want := s.Settle(winner, from), fresh.Settle(winner, from); got != want {
				t.Fatalf("%s: %+v by %d off %d brings %d, want %d", preset, v, winner, from, got, want)
			}
		}
	}
}

// TestMoves checks calls and discards against the table: in matches of random
// answers all that is legal is found, and nothing else.
func TestMoves(t *testing.T) {
	r := load(t, "tenhou", nil)
	calls, reds, discards := 0, 0, 0
	watch := &watcher{check: func(v sim.View) {
		legal := v.Legal()
		switch v.Phase() {
		case sim.PhaseClaim:
			var ways [aim.MaxCalls]aim.Call
			k := v.ClaimableTile().Kind()
			for _, c := range ways[:aim.FindCalls(&legal, k, &ways)] {
				calls++
				var p aim.Position
				p.Observe(v)
				before := p.Hand.Len()
				p.ApplyCall(&c)
				if !legal.Has(c.Action) || p.Hand.Len() != before-2 || p.NumMelds != v.NumMelds(v.Player())+1 || !p.Open {
					t.Errorf("%v: legal %v, leaves %d tiles", c.Action, legal.Has(c.Action), p.Hand.Len())
				}
				low := c.Meld.Kind
				if c.Meld.Type == hand.Chi && low+tile.Kind(c.Meld.Claimed) != k || c.Meld.Type == hand.Pon && low != k {
					t.Errorf("%v of %v makes %+v", c.Action, k, c.Meld)
				}
			}
		case sim.PhaseTurn:
			for _, ready := range []bool{false, true} {
				d := aim.NewDiscardActions(&legal, v.Drawn(), ready)
				var kinds tile.Set
				for a := range legal.All {
					if a.IsDiscard() && a.DeclaresReady() == ready {
						f := tile.Face(a)
						switch {
						case a == sim.ActDiscardDrawn || a == sim.ActReadyDrawn:
							f = v.Drawn()
						case ready:
							f = tile.Face(a - sim.ActReady)
						}
						kinds |= f.Kind().Bit()
					}
				}
				if d.Kinds() != kinds {
					t.Errorf("discardable %v, want %v", d.Kinds(), kinds)
				}
				for ; kinds != 0; kinds = kinds.Rest() {
					discards++
					a := d.Action(kinds.First())
					if !legal.Has(a) {
						t.Errorf("the discard of %v is %v, not legal", kinds.First(), a)
					}
					if a == sim.ActDiscard+sim.Action(tile.RedFive) {
						reds++
						h := v.Hand()
						if int(v.Reds()[0]) != h.Count(4) {
							t.Error("a red five is discarded although there is another")
						}
					}
				}
			}
		}
	}}
	var m sim.Match
	for m.Seed = range 40 {
		m.Play(r, &[sim.NumPlayers]sim.Agent{watch, watch, watch, watch})
	}
	if calls == 0 || reds == 0 || discards == 0 {
		t.Errorf("%d calls, %d red fives, %d discards met", calls, reds, discards)
	}
}

// watcher answers at random and lets each view be checked.
type watcher struct{ check func(v sim.View) }

func (w *watcher) Act(v sim.View) sim.Action {
	w.check(v)
	legal, r := v.Legal(), v.Rand()
	return legal.Nth(r.Below(legal.Len()))
}
