package env_test

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"math"
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/env/client"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// seen is a row as the tests compare them.
type seen struct {
	Player       sim.Player
	Flags        envv1.RowFlag
	Reward, Owed int32
	Mask         string
	Observation  string
	// Of a last row.
	Points    int32
	Rank      uint8
	Placement int32
	Seed      uint64
}

// choose is the tests' policy: a win where there is one, else an action that the
// row alone decides.
func choose(r *seen) sim.Action {
	var legal sim.ActionSet
	for a := range sim.Action(8 * len(r.Mask)) {
		if r.Mask[a/8]>>(a%8)&1 != 0 {
			legal.Add(a)
		}
	}
	if legal.Has(sim.ActWin) {
		return sim.ActWin
	}
	h := fnv.New64a()
	h.Write([]byte(r.Mask))
	h.Write([]byte(r.Observation))
	return legal.Nth(int(h.Sum64() >> 32 % uint64(legal.Len())))
}

// eager plays at random and wins when it can.
type eager struct{}

func (eager) Act(v sim.View) sim.Action {
	legal, r := v.Legal(), v.Rand()
	if legal.Has(sim.ActWin) {
		return sim.ActWin
	}
	return legal.Nth(r.Below(legal.Len()))
}

// tsumogiri throws what it draws.
type tsumogiri struct{}

func (tsumogiri) Act(v sim.View) sim.Action {
	legal := v.Legal()
	return sim.DefaultAction(&legal)
}

// newAgent knows the tests' agents.
func newAgent(spec string) (func() sim.Agent, error) {
	switch spec {
	case "eager":
		return func() sim.Agent { return eager{} }, nil
	case "tsumogiri":
		return func() sim.Agent { return tsumogiri{} }, nil
	case "broken":
		return func() sim.Agent { return broken{} }, nil
	case "illegal":
		return func() sim.Agent { return illegal{} }, nil
	}
	return nil, errors.New("unknown agent " + spec)
}

// broken panics.
type broken struct{}

func (broken) Act(sim.View) sim.Action { panic("broken") }

// illegal never answers legally.
type illegal struct{}

func (illegal) Act(sim.View) sim.Action { return sim.NoAction }

// reference plays one table of an Open by the engine alone and returns its first
// rows. Rewards are summed up from the payments among the events.
func reference(t *testing.T, o *envv1.Open, table int, least int) []seen {
	t.Helper()
	rules := rulesOf(t, o)
	seats := o.Seats
	if len(seats) == 0 {
		seats = slices.Repeat([]string{env.External}, rules.NumSeats())
	}
	if len(seats) > rules.NumSeats() {
		seats = seats[rules.NumSeats()*table:][:rules.NumSeats()]
	}
	var encoder *observe.Encoder
	var tensors int
	if o.Observation != "" {
		spec, err := observe.Lookup(o.Observation)
		if err != nil {
			t.Fatal(err)
		}
		encoder, tensors = spec.For(rules.NumSeats()).NewEncoder(), len(spec.Tensors)
	}
	hands := o.Episode == envv1.Episode_EPISODE_HAND
	var rows []seen
	for m := uint64(0); len(rows) < least; m++ {
		number := uint64(table) + m*uint64(o.Tables)
		seed := sim.MatchSeed(o.Seed, number)
		if len(o.Seeds) > 0 {
			if seed = binary.LittleEndian.Uint64(o.Seeds[8*table:]); m > 0 {
				seed = sim.MatchSeed(seed, m)
			}
		}
		var agents [4]sim.Agent
		for p := range rules.NumSeats() {
			entry := p
			if o.RotateSeats {
				entry = int((uint64(p) + number) % uint64(rules.NumSeats()))
			}
			if seats[entry] != env.External {
				maker, err := newAgent(seats[entry])
				if err != nil {
					t.Fatal(err)
				}
				agents[p] = maker()
			}
		}
		match := sim.NewTable(rules, seed)
		var history observe.History
		var moved, owed [4]int32
		var debts [4][4]int32
		var acted [4]bool
		record := func(events []sim.Event) {
			history.Add(events)
			for _, e := range events {
				switch e.Type {
				case sim.EvPay:
					from, to, amount, _ := e.Pay()
					if from < 4 {
						moved[from] -= amount
					}
					if to < 4 {
						moved[to] += amount
					}
				case sim.EvDebt:
					creditor, debtor := e.Player, e.Detail&3
					change := e.Value - debts[creditor][debtor]
					debts[creditor][debtor] = e.Value
					owed[creditor] += change
					owed[debtor] -= change
				}
			}
		}
		row := func(p sim.Player, flags envv1.RowFlag) seen {
			v := match.View(p)
			legal := v.Legal()
			if flags&envv1.RowFlag_ROW_FLAG_ASKED == 0 {
				legal.Add(sim.ActPass)
			}
			r := seen{Player: p, Flags: flags, Reward: moved[p], Owed: owed[p], Mask: string(observe.AppendMask(nil, legal))}
			if !acted[p] {
				r.Flags |= envv1.RowFlag_ROW_FLAG_FIRST
			}
			if encoder != nil {
				dst := make([][]byte, tensors)
				encoder.Append(dst, v, &history)
				for _, d := range dst {
					r.Observation += string(d)
				}
			}
			return r
		}
		end := func(flags envv1.RowFlag) {
			for p := range sim.Player(rules.NumSeats()) {
				if agents[p] != nil {
					continue
				}
				r := row(p, flags)
				r.Points = match.Points()[p]
				if match.Over() {
					r.Seed = seed
					r.Rank, r.Placement = match.Final().Rank[p], int32(match.Final().Placement[p])
				}
				rows = append(rows, r)
			}
			moved, owed, acted = [4]int32{}, [4]int32{}, [4]bool{}
		}
		for !match.Over() && len(rows) < least {
			if match.Phase() == sim.PhaseDeal {
				if hands && match.Hands() > 0 {
					end(envv1.RowFlag_ROW_FLAG_TERMINATED)
				}
				record(match.StartHand(nil))
				continue
			}
			var answers [4]sim.Action
			asked := match.Asked()
			for p := range sim.Player(4) {
				switch {
				case !asked.Has(p):
				case agents[p] == nil:
					r := row(p, envv1.RowFlag_ROW_FLAG_ASKED)
					answers[p] = choose(&r)
					rows = append(rows, r)
				default:
					answers[p] = agents[p].Act(match.View(p))
					if legal := match.Legal(p); !legal.Has(answers[p]) {
						answers[p] = sim.DefaultAction(&legal)
					}
				}
			}
			for p := range sim.Player(4) {
				if !asked.Has(p) {
					continue
				}
				if agents[p] == nil {
					moved[p], owed[p], acted[p] = 0, 0, true
				}
			}
			for p := range sim.Player(4) {
				if asked.Has(p) {
					events, err := match.Step(p, answers[p], nil)
					if err != nil {
						t.Fatal(err)
					}
					record(events)
				}
			}
		}
		switch {
		case !match.Over():
		case match.Truncated() && !hands:
			end(envv1.RowFlag_ROW_FLAG_TRUNCATED | envv1.RowFlag_ROW_FLAG_MATCH_OVER)
		default:
			end(envv1.RowFlag_ROW_FLAG_TERMINATED | envv1.RowFlag_ROW_FLAG_MATCH_OVER)
		}
	}
	return rows
}

// threePlayers are rulesets of three players.
var threePlayers = []string{"tenhou_sanma", "mahjong_soul_sanma"}

func withRules(name string, o *envv1.Open) *envv1.Open {
	o.Rules = preset(name)
	return o
}

func rulesOf(t *testing.T, o *envv1.Open) *ruleset.Rules {
	t.Helper()
	if o.GetToml() != "" {
		rules, err := configs.Parse("test", []byte(o.GetToml()))
		if err != nil {
			t.Fatal(err)
		}
		return rules
	}
	rules, err := configs.Load(o.GetPreset())
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// rowOf returns a row of a batch as the tests compare them. lasts is the number
// of last rows before it.
func rowOf(b *client.Batch, i, lasts int) seen {
	mask := b.Mask[23*i:][:23]
	r := seen{
		Player: b.PlayerOf(i), Flags: b.FlagsOf(i), Reward: b.RewardOf(i), Owed: b.OwedOf(i), Mask: string(mask),
	}
	for k := range b.Observation {
		r.Observation += string(b.Tensor(k, i))
	}
	if !b.Asked(i) {
		r.Points = int32(binary.LittleEndian.Uint32(b.LastPoints[4*lasts:]))
		r.Rank = b.LastRank[lasts]
		r.Placement = int32(binary.LittleEndian.Uint32(b.LastPlacement[4*lasts:]))
		r.Seed = binary.LittleEndian.Uint64(b.LastSeed[8*lasts:])
	}
	return r
}

// player plays by choose and keeps the rows of each table.
type player struct {
	rows    map[uint32][]seen
	answers client.Answers
}

func newPlayer() *player { return &player{rows: map[uint32][]seen{}} }

// act sends the answers and returns what they are answered with.
func (p *player) act(t *testing.T, s *client.Stream) *client.Batch {
	t.Helper()
	b, err := s.Act(&p.answers)
	if err != nil {
		t.Fatal(err)
	}
	p.answers.Reset()
	return b
}

// take adds the rows of a batch, and answers to those that are asked.
func (p *player) take(t *testing.T, b *client.Batch) {
	t.Helper()
	lasts := 0
	for i := range b.Len() {
		r := rowOf(b, i, lasts)
		p.rows[b.TableOf(i)] = append(p.rows[b.TableOf(i)], r)
		if b.Asked(i) {
			p.answers.Add(b, i, choose(&r))
			continue
		}
		if got := int(binary.LittleEndian.Uint32(b.LastRow[4*lasts:])); got != i {
			t.Fatalf("last row %d is said to be row %d, but is row %d", lasts, got, i)
		}
		lasts++
	}
	if 4*lasts != len(b.LastRow) {
		t.Fatalf("%d last rows, %d listed", lasts, len(b.LastRow)/4)
	}
}

func uint32At(column []byte, i int) uint32 { return binary.LittleEndian.Uint32(column[4*i:]) }

// fewest returns the least number of rows of a table.
func (p *player) fewest(tables uint32) int {
	n := math.MaxInt
	for table := range tables {
		n = min(n, len(p.rows[table]))
	}
	return n
}
