package luck

import (
	"reflect"
	"runtime"
	"testing"
	"weak"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// sanma is a ruleset of three players.
const sanma = "tenhou_sanma"

func load(t testing.TB, preset string) *ruleset.Rules {
	t.Helper()
	r, err := configs.Load(preset)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func estimate(t testing.TB, r *ruleset.Rules) *ValueFunction {
	t.Helper()
	e, err := ValueFunctionFor(r)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// NewPlayer is agents.New. The tests of the package itself cannot import agents, whose search
// imports the package.
var NewPlayer func(spec string) (func() sim.Agent, error)

func seated(t testing.TB, names ...string) (four [sim.NumPlayers]sim.Agent) {
	t.Helper()
	for p := range four {
		factory, err := NewPlayer(names[p%len(names)])
		if err != nil {
			t.Fatal(err)
		}
		four[p] = factory()
	}
	return four
}

// TestState compares the state with the table at every decision point.
func TestState(t *testing.T) {
	for _, preset := range append(configs.Names(), sanma) {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			r := load(t, preset)
			four := seated(t, "greedy", "random")
			for i := range uint64(1) {
				follow(t, r, &four, sim.MatchSeed(7, i))
			}
		})
	}
}

// follow plays a match beside a state.
func follow(t *testing.T, r *ruleset.Rules, four *[sim.NumPlayers]sim.Agent, seed uint64) {
	table := sim.NewTable(r, seed)
	s := NewState(r)
	var events []sim.Event
	for !table.Over() {
		events = events[:0]
		if table.Phase() == sim.PhaseDeal {
			events = table.StartHand(events)
		} else {
			p := table.Asked().First()
			var err error
			if events, err = table.Step(p, four[p].Act(table.View(p)), events); err != nil {
				t.Fatal(err)
			}
		}
		for _, e := range events {
			s.Apply(e)
		}
		if table.Points() != s.points {
			t.Fatalf("points %v, want %v", s.points, table.Points())
		}
		if table.Phase() == sim.PhaseTurn || table.Phase() == sim.PhaseClaim {
			compareHands(t, &table, &s)
			compareWithTable(t, &table, &s)
		}
	}
}

// compareWithTable compares a state that has followed the events with one set to the table.
func compareWithTable(t *testing.T, table *sim.Table, s *State) {
	t.Helper()
	made, want := NewState(table.Rules()), *s
	made.setTable(table)
	for p := range want.seats {
		made.seats[p].summarized, want.seats[p].summarized = false, false
		made.seats[p].wasSummarized, want.seats[p].wasSummarized = false, false
		if !table.Rules().OneShot {
			want.seats[p].ippatsu = false
		}
	}
	if table.Rules().Walls != ruleset.SharedWall {
		made.left = want.left // that of the player who drew last
	}
	if want.discards == 0 {
		made.mover, made.drawn = want.mover, want.drawn // of the last flower of the opening
	}
	if made == want {
		return
	}
	a, b := reflect.ValueOf(made), reflect.ValueOf(want)
	for i := range a.NumField() {
		if !a.Field(i).Equal(b.Field(i)) {
			t.Fatalf("discard %d, phase %s: %s is %v, want %v", s.discards, table.Phase(), a.Type().Field(i).Name, a.Field(i), b.Field(i))
		}
	}
}

func compareHands(t *testing.T, table *sim.Table, s *State) {
	t.Helper()
	concealed := 0
	for p := range sim.Player(sim.NumPlayers) {
		v := table.View(p)
		st := &s.seats[p]
		if v.Hand() != st.hand || v.Reds() != st.reds || v.HeldFlowers() != st.heldFlowers || v.Flowers(p) != st.flowers {
			t.Fatalf("player %d has %v with reds %v, want %v with %v", p, *st.hand.Counts(), st.reds, v.Hand(), v.Reds())
		}
		if int(st.n) != v.NumMelds(p) || st.open != v.IsOpen(p) || st.ready != (v.Ready(p) != sim.NotReady) || st.river != v.River(p) {
			t.Fatalf("player %d: melds, ready or river differ", p)
		}
		for i := range int(st.n) {
			if st.melds[i] != v.Meld(p, i) {
				t.Fatalf("player %d meld %d is %+v, want %+v", p, i, st.melds[i], v.Meld(p, i))
			}
		}
		concealed += st.hand.Len()
		// All that the player cannot see is in the pool or held by others.
		for k := range tile.Kind(tile.NumKinds) {
			if n := s.inPool(k) + s.heldByOthers(p, k.Bit()); n != v.Unseen(k) && s.rules.ClosedKanVisible {
				t.Fatalf("player %d cannot see %d tiles of kind %d, want %d", p, n, k, v.Unseen(k))
			}
		}
	}
	total := 0
	for _, n := range s.pool {
		total += int(n)
	}
	if total != s.poolSize {
		t.Fatalf("the pool has %d tiles, its size is %d", total, s.poolSize)
	}
}

// TestPlaceLuckRounds sees that bad luck is as much worth in places as good luck, to the
// last digit: a match has hundreds of tiles.
func TestPlaceLuckRounds(t *testing.T) {
	r := load(t, "ema_2016")
	e := estimate(t, r)
	m := NewLinearControlVariate(r, &e.Linear)
	for p := range m.tracker.slopes {
		for q := range m.tracker.slopes[p] {
			m.tracker.slopes[p][q] = int64(1000003 * (1 + p - 2*q))
		}
	}
	for n := range int64(1000) {
		good := Points{7 * n, -3 * n, -2 * n, -2 * n}
		var bad Points
		for p := range good {
			bad[p] = -good[p]
		}
		up, down := m.PlacementLuck(&good), m.PlacementLuck(&bad)
		for p := range up {
			if up[p] != -down[p] {
				t.Fatalf("luck of %v is worth %d to player %d, the opposite %d", good, up[p], p, down[p])
			}
		}
	}
}

// TestExact sees at every draw and indicator of some matches that the luck of all
// that could have come adds up to zero, each as often as it is there: so its mean
// is zero whatever the estimate is worth.
func TestExact(t *testing.T) {
	for _, preset := range []string{"ema_2016", "tenhou", "mcr_2006", "botzone", "universal", "hkma_hktw", sanma} {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			overrides := map[string]any{"max_hands": int64(4)}
			if long() {
				overrides = nil
			}
			r, err := configs.LoadWith(preset, overrides)
			if err != nil {
				t.Fatal(err)
			}
			e := estimate(t, r)
			four := seated(t, "greedy", "random")
			m := sim.Match{Seed: 11}
			m.Play(r, &four)
			meter, linear := NewControlVariate(r, e), NewLinearControlVariate(r, &e.Linear)
			for i, event := range m.Events {
				if event.Type == sim.EvDraw || event.Type == sim.EvIndicator && !event.Ura() {
					if i%16 == 0 {
						exact(t, &meter.tracker.state, event, func(e sim.Event) Points { other := *meter; return other.Follow(e) })
					}
					exact(t, &linear.tracker.state, event, func(e sim.Event) Points { other := *linear; return other.Follow(e) })
				}
				meter.Follow(event)
				linear.Follow(event)
			}
		})
	}
}

// exact sees that the luck of a draw or indicator adds up to zero over all that could
// have come.
func exact(t *testing.T, s *State, event sim.Event, luck func(sim.Event) Points) {
	t.Helper()
	var sum Points
	total := int64(0)
	for f := range tile.Face(tile.NumFaces) {
		n := int64(s.pool[f])
		if n == 0 || event.Type == sim.EvIndicator && f.IsFlower() {
			continue
		}
		event.Tile = f
		l := luck(event)
		total += n
		for p := range sum {
			sum[p] += n * l[p]
		}
	}
	// Each of a few divisions loses less than one.
	for p, n := range sum {
		if n < -8*total || n > 8*total {
			t.Fatalf("the luck of player %d adds up to %d over %d tiles", p, n, total)
		}
	}
}

// TestDealt sees that the luck of the deals that give the same hands to the players
// in all ways adds up to zero.
func TestDealt(t *testing.T) {
	r := load(t, "ema_2016")
	e := estimate(t, r)
	var events []sim.Event
	table := sim.NewTable(r, 3)
	events = table.StartHand(events)
	var dealt [sim.NumPlayers][]sim.Event
	var before []sim.Event
	for _, e := range events {
		switch e.Type {
		case sim.EvDeal:
			dealt[e.Player] = append(dealt[e.Player], e)
		case sim.EvSeats, sim.EvHandStart:
			before = append(before, e)
		}
	}
	for name, follow := range map[string]func() func(sim.Event) Points{
		"network": func() func(sim.Event) Points { return NewControlVariate(r, e).Follow },
		"linear":  func() func(sim.Event) Points { return NewLinearControlVariate(r, &e.Linear).Follow },
	} {
		var sum Points
		for _, order := range orders {
			luck := follow()
			for _, e := range before {
				luck(e)
			}
			var l Points
			for p, from := range order {
				for _, e := range dealt[from] {
					e.Player = sim.Player(p)
					l = luck(e)
				}
			}
			if l == (Points{}) {
				t.Fatalf("%s: a deal without any luck", name)
			}
			sum.Add(&l)
		}
		for p, n := range sum {
			if n < -200 || n > 200 {
				t.Errorf("%s: the luck of player %d adds up to %d", name, p, n)
			}
		}
	}
}

// TestWorth sees that points less luck vary clearly less than points.
func TestWorth(t *testing.T) {
	for _, preset := range []string{"ema_2016", "mcr_2006", "universal", "hkma_hktw", sanma} {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			matches := uint64(6)
			if long() {
				matches = 100
			}
			r := load(t, preset)
			e := estimate(t, r)
			four := seated(t, "greedy")
			meter := NewControlVariate(r, e)
			var m sim.Match
			var raw, left float64
			for i := range matches {
				m.Seed = sim.MatchSeed(4, i)
				m.Play(r, &four)
				meter.Reset()
				var l Points
				for _, event := range m.Events {
					x := meter.Follow(event)
					l.Add(&x)
				}
				for p, x := range l[:r.NumSeats()] {
					// Equal players have the starting points on average.
					points := float64(m.Final.Points[p]) - float64(r.StartingPoints*r.Unit())
					raw += points * points
					left += (points - float64(x)/Unit) * (points - float64(x)/Unit)
				}
			}
			t.Logf("a match less its luck is worth %.2f", raw/left)
			if raw < 1.6*left {
				t.Errorf("a match less its luck is worth %.2f, want 1.6", raw/left)
			}
		})
	}
}

// TestFollowAllocates sees that measuring a match allocates nothing.
func TestFollowAllocates(t *testing.T) {
	r := load(t, "ema_2016")
	e := estimate(t, r)
	four := seated(t, "greedy")
	m := sim.Match{Seed: 5}
	m.Play(r, &four)
	meter := NewControlVariate(r, e)
	if n := testing.AllocsPerRun(5, func() {
		meter.Reset()
		for _, event := range m.Events {
			meter.Follow(event)
		}
	}); n >= 1 {
		t.Errorf("a match allocates %.1f times", n)
	}
}

// TestSamples sees that what is gained after a sample is what the hand brought.
func TestSamples(t *testing.T) {
	r := load(t, "hkma_hktw")
	four := seated(t, "greedy")
	m := sim.Match{Seed: 5}
	m.Play(r, &four)
	list, err := NewControlVariate(r, new(ValueFunction)).AppendSamples(nil, 40, &m)
	if err != nil {
		t.Fatal(err)
	}
	hands := 0
	for i := range list {
		if list[i].Last {
			hands++
		}
		var sum int32
		for _, n := range list[i].Rest {
			sum += n
		}
		if sum != 0 {
			t.Fatalf("sample %d: the players gain %v", i, list[i].Rest)
		}
	}
	if hands != len(m.Hands) {
		t.Errorf("samples of %d hands, want %d", hands, len(m.Hands))
	}
}

func BenchmarkFollow(b *testing.B) {
	r := load(b, "ema_2016")
	e, err := ValueFunctionFor(r)
	if err != nil {
		b.Fatal(err)
	}
	four := seated(b, "value")
	m := sim.Match{Seed: 5}
	m.Play(r, &four)
	meter := NewControlVariate(r, e)
	b.ReportAllocs()
	for b.Loop() {
		meter.Reset()
		for _, event := range m.Events {
			meter.Follow(event)
		}
	}
}

// TestFreed checks that what a meter knows of a ruleset is freed with it.
func TestFreed(t *testing.T) {
	r := load(t, "tenhou")
	m := NewLinearControlVariate(r, new(Linear))
	rules, guide := weak.Make(r), weak.Make(m.tracker.state.guide)
	for range 100 {
		runtime.GC()
		if rules.Value() == nil && guide.Value() == nil {
			return
		}
	}
	t.Error("the guide of a ruleset that nothing uses is kept")
}
