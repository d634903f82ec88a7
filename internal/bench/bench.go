// Package bench measures the speed of the engine, of scoring, shanten and recording, and of
// the environment over gRPC. docs/research/measurements.md reports the figures. A calibration figure
// allows comparisons between machines.
//
//	report, err := bench.Run(ctx, ruleset, "tenhou", 5*time.Second, firstMatch)
package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Play is the speed of matches that are not recorded.
type Play struct {
	// Matches, Hands, Decisions and Wins are what was played in Seconds of wall time. Wins
	// counts winners.
	Matches   uint64  `json:"matches"`
	Hands     uint64  `json:"hands"`
	Decisions uint64  `json:"decisions"`
	Wins      uint64  `json:"hands_won"`
	Seconds   float64 `json:"seconds"`
	// The rates and means of these. NanosPerDecision is wall time.
	MatchesPerSecond     float64 `json:"matches_per_second"`
	HandsPerSecond       float64 `json:"hands_per_second"`
	NanosPerDecision     float64 `json:"ns_per_decision"`
	AllocationsPerMatch  float64 `json:"allocations_per_match"`
	AllocationsPerDecide float64 `json:"allocations_per_decision"`
}

// MeasurePlay plays matches with the given agents on a number of workers for about d. It
// plays rounds of doubling length and reports the last one.
func MeasurePlay(ctx context.Context, r *ruleset.Rules, newAgent func() sim.Agent, workers int, d time.Duration) (Play, error) {
	for count := uint64(4 * sim.BlockSize); ; count *= 2 {
		p, err := playMatches(ctx, r, newAgent, workers, count)
		if err != nil || p.Seconds >= d.Seconds()/2 {
			return p, err
		}
	}
}

// newJob returns a job of count matches of equal agents.
func newJob(r *ruleset.Rules, newAgent func() sim.Agent, workers int, count uint64) *sim.Job {
	return &sim.Job{
		Rules: r, Schedule: sim.Rotation{Seed: 1, Seats: r.NumSeats()}, Count: count, Workers: workers,
		NewAgent: func(int) sim.Agent { return newAgent() },
	}
}

func playMatches(ctx context.Context, r *ruleset.Rules, newAgent func() sim.Agent, workers int, count uint64) (Play, error) {
	job := newJob(r, newAgent, workers, count)
	var total Play
	each := func(b *Play, m *sim.Match) error {
		b.Matches++
		b.Hands += uint64(len(m.Hands))
		b.Decisions += uint64(len(m.Actions))
		for _, e := range m.Events {
			if e.Type == sim.EvWin {
				b.Wins++
			}
		}
		return nil
	}
	done := func(b *Play) error {
		total.Matches += b.Matches
		total.Hands += b.Hands
		total.Decisions += b.Decisions
		total.Wins += b.Wins
		*b = Play{}
		return nil
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	err := sim.Run(ctx, job, func() *Play { return new(Play) }, each, done)
	total.Seconds = time.Since(start).Seconds()
	runtime.ReadMemStats(&after)
	allocations := float64(after.Mallocs - before.Mallocs)
	total.MatchesPerSecond = float64(total.Matches) / total.Seconds
	total.HandsPerSecond = float64(total.Hands) / total.Seconds
	total.NanosPerDecision = total.Seconds * 1e9 / float64(max(total.Decisions, 1))
	total.AllocationsPerMatch = allocations / float64(max(total.Matches, 1))
	total.AllocationsPerDecide = allocations / float64(max(total.Decisions, 1))
	return total, err
}

// TwoWorkers returns the speed of two workers divided by that of one: the median of three
// pairs of runs of about d each.
func TwoWorkers(ctx context.Context, r *ruleset.Rules, newAgent func() sim.Agent, d time.Duration) (float64, error) {
	probe, err := MeasurePlay(ctx, r, newAgent, 1, d)
	if err != nil {
		return 0, err
	}
	return medianOfThree(func() (float64, error) {
		one, err := playMatches(ctx, r, newAgent, 1, probe.Matches)
		if err != nil {
			return 0, err
		}
		two, err := playMatches(ctx, r, newAgent, 2, 2*probe.Matches)
		return two.MatchesPerSecond / one.MatchesPerSecond, err
	})
}

func medianOfThree(measure func() (float64, error)) (float64, error) {
	var figures [3]float64
	for i := range figures {
		var err error
		if figures[i], err = measure(); err != nil {
			return 0, err
		}
	}
	slices.Sort(figures[:])
	return figures[1], nil
}

// perCall repeats a batch of n calls until d has passed. It returns the nanoseconds of a call
// in the fastest batch, the one that other work disturbed least.
func perCall(d time.Duration, n int, batch func()) float64 {
	best := time.Duration(1 << 62)
	for end := time.Now().Add(d); time.Now().Before(end); {
		start := time.Now()
		batch()
		best = min(best, time.Since(start))
	}
	return float64(best.Nanoseconds()) / float64(n)
}

// Shuffle returns the calibration figure: the nanoseconds of a Fisher-Yates shuffle of 136
// bytes by PCG.
func Shuffle(d time.Duration) float64 {
	src := rand.NewPCG(1, 2)
	var wall [136]uint8
	for i := range wall {
		wall[i] = uint8(i)
	}
	const n = 1000
	return perCall(d, n, func() {
		for range n {
			for i := len(wall) - 1; i > 0; i-- {
				j := int((src.Uint64() >> 32) * uint64(i+1) >> 32)
				wall[i], wall[j] = wall[j], wall[i]
			}
		}
	})
}

// numHands is the number of hands over which scoring and shanten are measured: more than the
// first-level cache holds table entries for.
const numHands = 1 << 13

// Scoring returns the nanoseconds of Scorer.Value, averaged over random complete hands: sets
// and a pair, half of the hands with melds, with random winds, indicators and circumstances.
func Scoring(r *ruleset.Rules, d time.Duration) (float64, error) {
	rng := rand.New(rand.NewPCG(3, 4))
	wins := make([]ruleset.Win, numHands)
	won := 0
	var v ruleset.Value
	for i := range wins {
		wins[i] = randomWin(rng, r)
		v = ruleset.Value{}
		if r.Value(&wins[i], &v); v.Shape {
			won++
		}
	}
	if won != numHands {
		return 0, fmt.Errorf("bench: only %d of %d generated hands are complete; report this as a defect", won, numHands)
	}
	ns := perCall(d, numHands, func() {
		for i := range wins {
			v = ruleset.Value{}
			r.Value(&wins[i], &v)
		}
	})
	return ns, nil
}

// randomWin returns a random hand of sets and a pair, won on a random one of its tiles.
func randomWin(rng *rand.Rand, r *ruleset.Rules) ruleset.Win {
	sets := r.HandSize / 3
	for {
		var left [tile.NumKinds]int8
		for k := range left {
			if r.HasKind(tile.Kind(k)) {
				left[k] = 4
			}
		}
		var w ruleset.Win
		melds := 0
		if rng.IntN(2) == 0 {
			melds = rng.IntN(sets + 1)
		}
		ok := true
		take := func(k tile.Kind, n int8, concealed bool) {
			left[k] -= n
			ok = ok && left[k] >= 0
			for i := int8(0); i < n && ok && concealed; i++ {
				w.Hand.Add(k)
			}
		}
		for i := range sets {
			k := tile.Kind(rng.IntN(tile.NumKinds))
			m := hand.Meld{Type: hand.Pon, Kind: k, From: uint8(1 + rng.IntN(3))}
			if !k.IsHonor() && k.Rank() < 7 && rng.IntN(3) != 0 {
				m.Type = hand.Chi
				for j := range tile.Kind(3) {
					take(k+j, 1, i >= melds)
				}
			} else {
				take(k, 3, i >= melds)
			}
			if i < melds {
				w.Melds[w.NumMelds] = m
				w.NumMelds++
			}
		}
		take(tile.Kind(rng.IntN(tile.NumKinds)), 2, true)
		if !ok {
			continue
		}
		kinds := w.Hand.Kinds()
		for range rng.IntN(kinds.Len()) {
			kinds = kinds.Rest()
		}
		w.Tile = kinds.First()
		w.SelfDraw = rng.IntN(2) == 0
		w.SeatWind, w.RoundWind = tile.Wind(rng.IntN(r.NumSeats())), tile.Wind(rng.IntN(2))
		if r.Dora {
			w.NumIndicators = 1
			w.Indicators[0] = tile.Kind(rng.IntN(tile.NumKinds))
			if melds == 0 && rng.IntN(2) == 0 {
				w.Flags |= ruleset.FlagRiichi
				w.NumUra = 1
				w.Ura[0] = tile.Kind(rng.IntN(tile.NumKinds))
			}
		}
		return w
	}
}

// Shanten is the time in nanoseconds to compute the shanten of the standard shape.
type Shanten struct {
	Counts float64 `json:"counts_ns"` // from the number of tiles of each kind
	Cached float64 `json:"cached_ns"` // from the cached classes of the suits
}

// MeasureShanten measures random hands with as many tiles as a number of sets and a pair.
func MeasureShanten(sets int, d time.Duration) Shanten {
	rng := rand.New(rand.NewPCG(5, 6))
	counts := make([][tile.NumKinds]uint8, numHands)
	classes := make([]hand.Classes, numHands)
	for i := range counts {
		wall := rng.Perm(4 * tile.NumKinds)
		for _, t := range wall[:3*sets+2] {
			counts[i][t/4]++
		}
		classes[i] = hand.ClassesOf(&counts[i])
	}
	sum := 0
	s := Shanten{
		Counts: perCall(d, numHands, func() {
			for i := range counts {
				sum += hand.ClassesOf(&counts[i]).Shanten(sets)
			}
		}),
		Cached: perCall(d, numHands, func() {
			for i := range classes {
				sum += classes[i].Shanten(sets)
			}
		}),
	}
	runtime.KeepAlive(sum)
	return s
}
