package placement

import (
	"bytes"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

func load(t testing.TB, preset string) *Evaluator {
	t.Helper()
	r, err := configs.Load(preset)
	if err != nil {
		t.Fatal(err)
	}
	p, err := EvaluatorFor(r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func start(r *ruleset.Rules) (s sim.MatchState) {
	for p := range s.Points {
		s.Points[p] = int32(r.StartingPoints * r.Unit())
	}
	return s
}

func points(e Expected) (f [sim.NumPlayers]float64) {
	for p, n := range e {
		f[p] = float64(n) / Unit
	}
	return f
}

// sanma is a ruleset of three players.
const sanma = "tenhou_sanma"

// TestRollouts compares what can be expected with the mean of matches whose hands end
// as those of the table do.
func TestRollouts(t *testing.T) {
	for _, c := range []struct {
		preset        string
		round, dealer int
		points        [sim.NumPlayers]int32
		within        float64
	}{
		{"ema_2016", 0, 0, [...]int32{30000, 30000, 30000, 30000}, 0.3},
		{"ema_2016", 1, 1, [...]int32{38000, 21000, 29500, 31500}, 0.3},
		{"ema_2016", 1, 3, [...]int32{33000, 29000, 25900, 32100}, 0.15},
		{"tenhou", 0, 2, [...]int32{25000, 12000, 30000, 33000}, 0.5},
		{"tenhou", 1, 3, [...]int32{29000, 24000, 21000, 26000}, 0.3},
		{"tenhou", 2, 1, [...]int32{29000, 29900, 15000, 26100}, 0.3},
		{"mcr_2006", 1, 0, [...]int32{40, -24, 8, -24}, 0.05},
		{sanma, 0, 0, [...]int32{35000, 35000, 35000, 0}, 0.5},
		{sanma, 1, 2, [...]int32{39000, 30000, 36000, 0}, 0.5},
	} {
		p := load(t, c.preset)
		s := sim.MatchState{Round: c.round, Dealer: sim.Player(c.dealer), Points: c.points}
		got := points(p.BeforeHand(&s))
		const matches = 3_000
		rng := rand.New(rand.NewPCG(1, 1))
		var sum, squares [sim.NumPlayers]float64
		for range matches {
			for q, x := range points(rollout(p, s, rng)) {
				sum[q] += x
				squares[q] += x * x
			}
		}
		for q := range sum {
			mean := sum[q] / matches
			e := math.Sqrt((squares[q]/matches - mean*mean) / matches)
			if math.Abs(got[q]-mean) > 4*e+c.within {
				t.Errorf("%s round %d dealer %d: player %d can expect %.3f, by playing on %.3f ± %.3f", c.preset, c.round, c.dealer, q, got[q], mean, e)
			}
		}
	}
}

// rollout draws the hands of the rest of a match from the table.
func rollout(p *Evaluator, s sim.MatchState, rng *rand.Rand) Expected {
	total := 0
	for _, u := range p.hands {
		total += int(u.weight)
	}
	for {
		n := rng.IntN(total)
		i := 0
		for n -= int(p.hands[0].weight); n >= 0; n -= int(p.hands[i].weight) {
			i++
		}
		u := &p.hands[i]
		for c, change := range u.change {
			s.Points[p.player(int(s.Dealer), c)] += change
		}
		c := sim.Progress{Round: s.Round, Dealer: ruleset.Chair(s.Dealer), DealerPlayer: s.Dealer, Points: s.Points}
		if over, mayStop := c.Advance(p.rules, u.end); over || mayStop {
			return p.AtEnd(s.Points, 0)
		}
		s.Round, s.Dealer = c.Round, sim.Player(c.Dealer)
	}
}

// NewPlayer is agents.New. The tests of the package itself cannot import agents, whose search
// imports package luck and so this one.
var NewPlayer func(spec string) (func() sim.Agent, error)

// TestPlayed follows matches of a built-in player: what can be expected must be right on
// average at every stage, and foresee a good part of the result in the last hand.
func TestPlayed(t *testing.T) {
	p := load(t, "ema_2016")
	var four [sim.NumPlayers]sim.Agent
	factory, err := NewPlayer("greedy")
	if err != nil {
		t.Fatal(err)
	}
	for i := range four {
		four[i] = factory()
	}
	var m sim.Match
	var left, all float64
	for i := range uint64(60) {
		m.Seed = sim.MatchSeed(5, i)
		m.Play(p.rules, &four)
		table := sim.NewTable(p.rules, m.Seed)
		var last sim.MatchState
		at := 0
		var events []sim.Event
		for !table.Over() {
			if table.Phase() == sim.PhaseDeal {
				last = table.MatchState()
				events = table.StartHand(events[:0])
				continue
			}
			if events, err = table.Step(table.Asked().First(), m.Actions[at], events[:0]); err != nil {
				t.Fatal(err)
			}
			at++
		}
		e := points(p.BeforeHand(&last))
		for q, n := range m.Final.Placement {
			x := float64(n) / ruleset.PlacementUnit
			left += (x - e[q]) * (x - e[q])
			all += x * x
		}
	}
	if left > 0.25*all {
		t.Errorf("before the last hand %.2f of the variance of placement points is open", left/all)
	}
}

// TestSticks sees that the sticks on the table are worth something to everybody.
func TestSticks(t *testing.T) {
	p := load(t, "ema_2016")
	s := sim.MatchState{Round: 1, Dealer: 3, Points: [...]int32{30000, 29000, 28000, 27000}, Deposits: 6}
	with := points(p.BeforeHand(&s))
	s.Deposits = 0
	for q, x := range points(p.BeforeHand(&s)) {
		if with[q] <= x {
			t.Errorf("player %d can expect %.3f with sticks on the table, %.3f without", q, with[q], x)
		}
	}
}

// TestPoints sees that where places count for nothing what one has is what counts,
// debts included.
func TestPoints(t *testing.T) {
	for _, preset := range []string{"universal", "hkma_hktw"} {
		p := load(t, preset)
		s := sim.MatchState{Points: [...]int32{40, -20, 0, -20}}
		if p.rules.Family == "hktw" {
			s.Points = [...]int32{0, 0, 0, 0}
			s.Ledger[0][1] = ruleset.Debt{Points: 20, Wins: 1}
			s.Ledger[0][3] = ruleset.Debt{Points: 20, Wins: 1}
			s.Points[0], s.Points[3] = 0, 0
		}
		f := ruleset.Final{Points: [...]int32{40, -20, 0, -20}}
		p.rules.Final(&f)
		for q, n := range p.BeforeHand(&s) {
			if n != int64(f.Placement[q])<<extraBits {
				t.Errorf("%s: player %d can expect %d, want %d", preset, q, n, int64(f.Placement[q])<<extraBits)
			}
		}
	}
}

// TestSame pins a value, which is the same on every machine.
func TestSame(t *testing.T) {
	p := load(t, "ema_2016")
	s := sim.MatchState{Round: 1, Dealer: 2, Points: [...]int32{41000, 30000, 25000, 24000}, Counter: 1}
	if got, want := p.BeforeHand(&s), (Expected{685623, -2157, -323734, -359671}); got != want {
		t.Errorf("expected %v, want %v", got, want)
	}
}

func TestExpectAllocates(t *testing.T) {
	p := load(t, "ema_2016")
	s := start(p.rules)
	p.BeforeHand(&s)
	if n := testing.AllocsPerRun(10, func() { p.BeforeHand(&s) }); n > 0 {
		t.Errorf("a question allocates %.0f times", n)
	}
}

// TestTable reads and writes a table, and tries what is none.
func TestTable(t *testing.T) {
	data, err := files.ReadFile("tables/mcr.csv")
	if err != nil {
		t.Fatal(err)
	}
	table, err := ParseTable(data)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(table.AppendTo(nil), data) {
		t.Error("a table changes when it is written")
	}
	head := strings.Join(columns, ",") + "\n"
	for text, want := range map[string]string{
		"":                                "a first line",
		"1,2\n3,4\n":                      "a first line",
		head:                              "a first line",
		head + "0,win,E,,3,-1,-1,-1\n":    "weight",
		head + "1,won,E,,3,-1,-1,-1\n":    "ending",
		head + "1,win,X,,3,-1,-1,-1\n":    "players",
		head + "1,win,,,3,-1,-1,-1\n":     "winners",
		head + "1,draw,E,,3,-1,-1,-1\n":   "winners",
		head + "1,win,E,,many,-1,-1,-1\n": "east",
		head + "1,win,E\n":                "fields",
	} {
		if _, err := ParseTable([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// TestFreed checks that the values computed for a ruleset are freed with it.
func TestFreed(t *testing.T) {
	r, err := configs.Load("tenhou")
	if err != nil {
		t.Fatal(err)
	}
	p, err := EvaluatorFor(r)
	if err != nil {
		t.Fatal(err)
	}
	rules, values := weak.Make(r), weak.Make(p)
	for range 100 {
		runtime.GC()
		if rules.Value() == nil && values.Value() == nil {
			return
		}
	}
	t.Error("the values of a ruleset that nothing uses are kept")
}
