package balance

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/testkit/exporttest"
)

// TestCoverage draws samples of matches from many that were played, and counts how often
// the intervals of the figures by a jackknife hold what is true of all of them. With -v it
// prints rows of the table of docs/research/measurements.md.
func TestCoverage(t *testing.T) {
	matches, trials, size := uint64(256), 50, 200
	if os.Getenv("SPARROWHALL_LONG") != "" {
		matches, trials, size = 8192, 1000, 500
	}
	rules, err := configs.Change("ema_2016", nil)
	if err != nil {
		t.Fatal(err)
	}
	run := &dataset.Run{Ruleset: rules, Seed: 11, Matches: matches, Agents: []string{"value", "greedy", "value", "greedy"}, Record: schema.Hands, FileMatches: dataset.DefaultFileMatches}
	d := exporttest.Open(t, run)
	each := make([]sums, matches)
	for i := range each {
		each[i] = newSums(4)
	}
	if err := gather(d, func(match uint64) *sums { return &each[match] }); err != nil {
		t.Fatal(err)
	}
	whole := newSums(4)
	for i := range each {
		whole.add(&each[i], 1)
	}
	truth := whole.figures()
	var held [numDerived]int
	var names [numDerived]string
	r := rand.New(rand.NewPCG(4, 9))
	for range trials {
		var parts [groups]sums
		for i := range parts {
			parts[i] = newSums(4)
		}
		for i := range size {
			parts[i%groups].add(&each[r.IntN(len(each))], 1)
		}
		list := jackknife(&parts)
		if len(list) != numDerived {
			t.Fatalf("%d figures, want %d", len(list), numDerived)
		}
		for i := range list {
			f := &list[i]
			names[i] = f.Name
			if float64(f.Low) <= truth[i] && truth[i] <= float64(f.High) {
				held[i]++
			}
		}
	}
	for i, n := range held {
		share := float64(n) / float64(trials)
		t.Logf("%s, in truth %.4g: %.3f", names[i], truth[i], share)
		if slack := 3 * math.Sqrt(0.07*0.93/float64(trials)); share < 0.93-slack {
			t.Errorf("the interval of %s holds the truth in %.3f of the samples", names[i], share)
		}
	}
}

// TestSwingWithDebts compares the swing of a hand with one by where players stand after each hand,
// by points and by what is owed.
func TestSwingWithDebts(t *testing.T) {
	rules, err := configs.Open("hkma_hktw")
	if err != nil {
		t.Fatal(err)
	}
	run := &dataset.Run{
		Ruleset: rules, Seed: 3, Matches: 12, FileMatches: 64, Record: schema.Hands,
		Agents: []string{"greedy", "greedy", "greedy", "greedy"},
	}
	d := exporttest.Open(t, run)
	var squares, hands, value, wins float64
	var stood [4]int32
	for h, err := range d.HandRows() {
		if err != nil {
			t.Fatal(err)
		}
		if h.Hand == 0 {
			stood = h.Points
		}
		for p := range stood {
			stands := h.Points[p] + h.Payments[p]
			for _, debt := range h.Debts {
				switch p {
				case int(debt.Creditor):
					stands += debt.Points
				case int(debt.Debtor):
					stands -= debt.Points
				}
			}
			gained := float64(stands - stood[p])
			squares += gained * gained / 4
			stood[p] = stands
		}
		hands++
		for _, w := range h.Wins {
			value, wins = value+float64(w.Points), wins+1
		}
	}
	list, err := derive(d)
	if err != nil {
		t.Fatal(err)
	}
	if want := math.Sqrt(squares/hands) / (value / wins); math.Abs(list[swing].Value-want) > 1e-9 {
		t.Errorf("the swing of a hand is %v, want %v", list[swing].Value, want)
	}
}
