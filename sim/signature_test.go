package sim_test

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// signature hashes what a preset decides: matches with their standings, hands so
// dealt that rare things are frequent, and standings with ties. CONTRIBUTING.md,
// section Golden files and signatures, describes it.
func signature(t *testing.T, preset string) string {
	t.Helper()
	r := load(t, preset)
	var d digest
	signMatches(t, &d, r)
	signDeals(t, &d, r)
	signSettlements(&d, r)
	signFinals(&d, r)
	return d.sum()
}

// signMatches adds all events and the standings of whole matches: by the built-in
// random and greedy agents, by the test agents, and with one who answers illegally.
func signMatches(t *testing.T, d *digest, r *ruleset.Rules) {
	t.Helper()
	seats := [][4]sim.Agent{mixed, kanners, {closed, late{25}, eager, closed}}
	for _, name := range []string{"random", "greedy"} {
		factory, err := agents.New(name)
		if err != nil {
			t.Fatal(err)
		}
		seats = append(seats, [4]sim.Agent{factory(), factory(), factory(), factory()})
	}
	for _, four := range seats {
		for i := range uint64(8) {
			m := sim.Match{Seed: sim.MatchSeed(1, i)}
			m.Play(r, &four)
			d.add(m.Events)
			d.addFinal(&m.Final)
		}
	}
}

// signDeals adds all events of single hands in the middle of a match, dealt by
// thickWall.
func signDeals(t *testing.T, d *digest, r *ruleset.Rules) {
	t.Helper()
	rng := rand.New(rand.NewPCG(13, 0))
	for n := range 128 {
		s := sim.MatchState{
			Round: rng.IntN(r.Rounds), Dealer: sim.Player(n / 4 % r.NumSeats()), DealIndex: rng.IntN(2), Counter: rng.IntN(4),
		}
		if n%2 == 0 { // the last scheduled hand
			s.Round, s.Dealer = r.Rounds-1, sim.Player(r.NumSeats()-1)
		}
		if r.RiichiStick > 0 {
			s.Deposits = rng.IntN(3)
		}
		for p := range s.Points[:r.NumSeats()] {
			s.Points[p] = int32((r.StartingPoints + rng.IntN(20)*100) * r.Unit())
		}
		table, err := sim.NewTableAt(r, uint64(n), s)
		if err != nil {
			t.Fatal(err)
		}
		events := table.StartHandFrom(thickWall(r, table.DealerChair(), n, rng), nil)
		for table.Phase() != sim.PhaseDeal && !table.Over() {
			for p := range sim.Player(sim.NumPlayers) {
				if !table.Asked().Has(p) {
					continue
				}
				if events, err = table.Step(p, tables[n%3][p].Act(table.View(p)), events); err != nil {
					t.Fatal(err)
				}
			}
		}
		d.add(events)
		d.addFinal(table.Final())
	}
}

// signSettlements adds what hands of all styles are worth and who pays for them:
// won by one to three players or by nobody, with and without liable players.
func signSettlements(d *digest, r *ruleset.Rules) {
	rng := rand.New(rand.NewPCG(15, 0))
	all := ruleset.Chairs(1<<r.NumSeats() - 1)
	chair := func() ruleset.Chair { return ruleset.Chair(rng.IntN(r.NumSeats())) }
	for n := range 2000 {
		s := ruleset.Settlement{
			From: ruleset.NoChair, Dealer: chair(), Counter: rng.IntN(4), Deposits: rng.IntN(4),
			Sticks: ruleset.Chairs(rng.IntN(16)) & all, Ready: ruleset.Chairs(rng.IntN(16)) & all, Nagashi: ruleset.Chairs(1<<rng.IntN(6)) & all,
		}
		s.Deposits += bits.OnesCount8(uint8(s.Sticks)) // those of the hand lie among them
		if r.RiichiStick == 0 {
			s.Deposits, s.Sticks = 0, 0
		}
		if n%20 == 0 {
			r.Drawn(&s)
		} else {
			first, winners := chair(), 1
			if n%2 == 0 {
				s.From, winners = r.NextChair(first, r.NumSeats()-1), 1+rng.IntN(r.NumSeats()-1)
			}
			for i := range winners {
				if w := &s.Winners[s.NumWinners]; thickWin(d, r, &s, r.NextChair(first, i), w, rng) {
					s.NumWinners++
				}
			}
			if s.NumWinners == 0 {
				continue
			}
			r.Settle(&s)
		}
		for _, p := range s.Payments[:s.NumPayments] {
			d.addNumbers(p)
		}
		d.addNumbers(s.Ledger)
	}
}

// signFinals adds the standings that the family makes of points with many ties and
// of sticks left over.
func signFinals(d *digest, r *ruleset.Rules) {
	rng := rand.New(rand.NewPCG(14, 0))
	for range 64 {
		f := ruleset.Final{Rounds: r.Rounds, Deposits: rng.IntN(4)}
		for p := range f.Points[:r.NumSeats()] {
			f.Points[p] = int32((r.StartingPoints + (rng.IntN(5)-2)*1100) * r.Unit())
		}
		r.Final(&f)
		d.addFinal(&f)
	}
}

func (d *digest) addFinal(f *ruleset.Final) {
	d.addNumbers(f.Points, int32(f.Deposits), int32(f.Rounds), f.Rank, f.Share, f.Placement)
}

// addNumbers adds numbers, and arrays and structures of numbers, each in its own
// width, lowest byte first.
func (d *digest) addNumbers(list ...any) {
	for _, x := range list {
		var err error
		if d.buf, err = binary.Append(d.buf, binary.LittleEndian, x); err != nil {
			panic(err)
		}
	}
}

const signaturesFile = "testdata/signatures.txt"

// readSignatures returns the signatures on file, by preset.
func readSignatures(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(signaturesFile)
	if err != nil {
		t.Fatal(err)
	}
	signatures := map[string]string{}
	for line := range strings.Lines(string(text)) {
		preset, hash, _ := strings.Cut(strings.TrimSpace(line), " ")
		signatures[preset] = hash
	}
	return signatures
}

// TestSignatures compares one hash for each preset with testdata/signatures.txt.
func TestSignatures(t *testing.T) {
	var got strings.Builder
	for _, preset := range configs.Names() {
		fmt.Fprintf(&got, "%s %s\n", preset, signature(t, preset))
	}
	if *update {
		if err := os.WriteFile(signaturesFile, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(signaturesFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) == got.String() {
		return
	}
	old := readSignatures(t)
	for line := range strings.Lines(got.String()) {
		preset, hash, _ := strings.Cut(strings.TrimSpace(line), " ")
		if old[preset] != hash {
			t.Errorf("%s: signature %.8s -> %.8s", preset, old[preset], hash)
		}
	}
	t.Error("the same seeds lead to other events than before. If that is meant, rewrite the file with\n" +
		"\tgo test ./sim -run TestSignatures -update\n" +
		"raise sim.EngineVersion if rules are played otherwise, and say in the commit why, with the lines above.")
}

// TestSignaturesTellPresetsApart checks that presets which differ in a knob have
// different signatures.
func TestSignaturesTellPresetsApart(t *testing.T) {
	signatures := readSignatures(t)
	rules := map[string]*ruleset.Rules{} // by signature
	for _, preset := range configs.Names() {
		r := load(t, preset)
		s := signatures[preset]
		if other := rules[s]; s == "" || other != nil && other.Hash != r.Hash {
			t.Errorf("%s: the signature %.8q is none or that of other rules too", preset, s)
		}
		rules[s] = r
	}
}
