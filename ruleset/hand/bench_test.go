package hand

import (
	"math/rand/v2"
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

const numHands = 8192

// sink keeps results alive.
var sink int

// hands returns hands of 3*sets+extra tiles, random and half-formed.
func hands(sets, extra int) *[numHands]Hand {
	rng := rand.New(rand.NewPCG(7, 7))
	var hs [numHands]Hand
	for i := range hs {
		hs[i] = deal(rng, sets, extra)
	}
	return &hs
}

// winning returns complete hands of sets sets and a pair.
func winning(sets int) *[numHands]Hand {
	rng := rand.New(rand.NewPCG(8, 8))
	var hs [numHands]Hand
	for i := range hs {
		for {
			hs[i] = deal(rng, sets, 2)
			if hs[i].Complete(sets) {
				break
			}
		}
	}
	return &hs
}

// each runs f over the hands, again and again.
func each(b *testing.B, hs *[numHands]Hand, f func(*Hand) int) {
	sum := 0
	for i := 0; b.Loop(); i++ {
		sum += f(&hs[i%numHands])
	}
	sink += sum
}

func benchmarkCounts(b *testing.B, sets int) {
	each(b, hands(sets, 2), func(h *Hand) int { return ClassesOf(h.Counts()).Shanten(sets) })
}

func BenchmarkShanten14Counts(b *testing.B) { benchmarkCounts(b, 4) }
func BenchmarkShanten17Counts(b *testing.B) { benchmarkCounts(b, 5) }

func benchmarkHand(b *testing.B, sets int) {
	each(b, hands(sets, 2), func(h *Hand) int { return h.Shanten(sets) })
}

func BenchmarkShanten14Hand(b *testing.B) { benchmarkHand(b, 4) }
func BenchmarkShanten17Hand(b *testing.B) { benchmarkHand(b, 5) }

func benchmarkCached(b *testing.B, sets int) {
	var classes [numHands]Classes
	for i, h := range hands(sets, 2) {
		classes[i] = h.Classes()
	}
	sum := 0
	for i := 0; b.Loop(); i++ {
		sum += classes[i%numHands].Shanten(sets)
	}
	sink += sum
}

func BenchmarkShanten14Cached(b *testing.B) { benchmarkCached(b, 4) }
func BenchmarkShanten17Cached(b *testing.B) { benchmarkCached(b, 5) }

func BenchmarkWaits13(b *testing.B) {
	each(b, hands(4, 1), func(h *Hand) int { return h.Waits(4).Len() })
}

func BenchmarkWaits16(b *testing.B) {
	each(b, hands(5, 1), func(h *Hand) int { return h.Waits(5).Len() })
}

func BenchmarkUseful13(b *testing.B) {
	each(b, hands(4, 1), func(h *Hand) int { return h.Ukeire(4).Len() })
}

func BenchmarkUseful16(b *testing.B) {
	each(b, hands(5, 1), func(h *Hand) int { return h.Ukeire(5).Len() })
}

func BenchmarkDiscards14(b *testing.B) {
	var dst [MaxDiscards]Discard
	each(b, hands(4, 2), func(h *Hand) int { return h.Discards(4, &dst) })
}

func BenchmarkBestDiscards14(b *testing.B) {
	var dst [MaxDiscards]Discard
	each(b, hands(4, 2), func(h *Hand) int { return h.BestDiscards(4, &dst) })
}

func BenchmarkDivisions14(b *testing.B) {
	each(b, winning(4), func(h *Hand) int { return number(h.Divisions(4)) })
}

func BenchmarkDivisions17(b *testing.B) {
	each(b, winning(5), func(h *Hand) int { return number(h.Divisions(5)) })
}

func BenchmarkAddRemove(b *testing.B) {
	var h Hand
	for i := 0; b.Loop(); i++ {
		k := tile.Kind(i % tile.NumKinds)
		h.Add(k)
		h.Remove(k)
	}
	sink += h.Len()
}
