package sim_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// This file follows docs/determinism.md to the letter and shares no code with
// the package.

// docDerive is derive of the page: SHA-256 of the domain and LE of the numbers.
func docDerive(domain string, numbers ...uint64) []byte {
	var b bytes.Buffer
	b.WriteString(domain)
	for _, n := range numbers {
		for range 8 {
			b.WriteByte(byte(n))
			n >>= 8
		}
	}
	h := sha256.Sum256(b.Bytes())
	return h[:]
}

// docFirst is LE⁻¹ of the first eight bytes.
func docFirst(b []byte) uint64 { return binary.LittleEndian.Uint64(b[:8]) }

// docWall returns the faces of a wall: physical numbers shuffled with exact
// arithmetic, then read as faces.
func docWall(seed, round, dealer, dealIndex uint64, aka [3]int, n int) []tile.Face {
	src := rand.NewChaCha8([32]byte(docDerive("jansou wall 1", seed, round, dealer, dealIndex)))
	set := make([]int, n)
	for i := range set {
		set[i] = i
	}
	two64 := new(big.Int).Lsh(big.NewInt(1), 64)
	for i := n - 1; i >= 1; i-- {
		size := big.NewInt(int64(i + 1))
		threshold := new(big.Int).Mod(two64, size)
		var j *big.Int
		for {
			product := new(big.Int).Mul(new(big.Int).SetUint64(src.Uint64()), size)
			low := new(big.Int)
			j, low = new(big.Int).DivMod(product, two64, low)
			if low.Cmp(threshold) >= 0 {
				break
			}
		}
		k := int(j.Int64())
		set[i], set[k] = set[k], set[i]
	}
	faces := make([]tile.Face, n)
	for i, number := range set {
		switch kind, copied := number/4, number%4; {
		case number >= 136:
			faces[i] = tile.Face(37 + number - 136)
		case kind < 27 && kind%9 == 4 && copied < aka[kind/9]:
			faces[i] = tile.Face(34 + kind/9)
		default:
			faces[i] = tile.Face(kind)
		}
	}
	return faces
}

// docStream returns the first numbers of a decision's stream.
func docStream(seed, player, decision uint64, n int) []uint64 {
	const g = 0x9e3779b97f4a7c15
	mix := func(x uint64) uint64 {
		x ^= x >> 30
		x *= 0xbf58476d1ce4e5b9
		x ^= x >> 27
		x *= 0x94d049bb133111eb
		x ^= x >> 31
		return x
	}
	key := docFirst(docDerive("jansou agent 1", seed))
	state := mix(key+g*(player+1)) ^ mix(g*(decision+1))
	list := make([]uint64, n)
	for i := range list {
		state += g
		list[i] = mix(state)
	}
	return list
}

func TestWallFollowsThePage(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range sample(50, 5000) {
		r := ruleset.Flow{AkaDora: [3]int{rng.IntN(5), rng.IntN(5), rng.IntN(5)}}
		if rng.IntN(4) == 0 {
			r.Flowers = ruleset.ForcedFlowers
		}
		seed, round, dealer, deal := rng.Uint64(), rng.IntN(5), rng.IntN(4), rng.IntN(9)
		w := sim.NewWall(&r, seed, round, ruleset.Chair(dealer), deal)
		n := sim.SetSize(&r)
		want := docWall(seed, uint64(round), uint64(dealer), uint64(deal), r.AkaDora, n)
		if diff := cmp.Diff(want, w[:n]); diff != "" {
			t.Fatalf("wall of seed %d, round %d, dealer %d, deal %d (-page +package):\n%s", seed, round, dealer, deal, diff)
		}
		match := rng.Uint64N(1000)
		if got, want := sim.MatchSeed(seed, match), docFirst(docDerive("jansou match 1", seed, match)); got != want {
			t.Fatalf("match %d of %d has seed %d, by the page %d", match, seed, got, want)
		}
		player, decision := rng.Uint64N(4), rng.Uint64N(1000)
		s := sim.StreamOf(seed, sim.Player(player), uint32(decision))
		for i, want := range docStream(seed, player, decision, 5) {
			if got := s.Uint64(); got != want {
				t.Fatalf("number %d of seed %d, player %d, decision %d: %d, by the page %d", i, seed, player, decision, got, want)
			}
		}
	}
}

// vectors are the pinned outputs; the page lists the same lines.
var vectors = []string{
	"match seed of run 0, match 0: " + u64(sim.MatchSeed(0, 0)),
	"match seed of run 1, match 0: " + u64(sim.MatchSeed(1, 0)),
	"match seed of run 1, match 999999: " + u64(sim.MatchSeed(1, 999999)),
	"wall of seed 0, round 0, dealer 0, deal 0: " + wallText(0, 0, 0, 0, [3]int{}),
	"the same with a red five in each suit: " + wallText(0, 0, 0, 0, [3]int{1, 1, 1}),
	"wall of seed 1, round 1, dealer 2, deal 3: " + wallText(1, 1, 2, 3, [3]int{}),
	"wall of seed 18446744073709551615, round 3, dealer 3, deal 15: " + wallText(math.MaxUint64, 3, 3, 15, [3]int{}),
	"stream of seed 0, player 0, decision 0: " + streamText(0, 0, 0),
	"stream of seed 1, player 3, decision 77: " + streamText(1, 3, 77),
	"match seed of the secret 000102…1f, match 0: " + u64(testSecret.MatchSeed(0)),
	"match seed of the secret 000102…1f, match 999999: " + u64(testSecret.MatchSeed(999999)),
	"sealed stream of seed 1, player 3, decision 77: " + sealedStreamText(1, 3, 77),
}

func u64(n uint64) string { return fmt.Sprintf("%016x", n) }

func wallText(seed uint64, round int, dealer ruleset.Chair, deal int, aka [3]int) string {
	w := sim.NewWall(&ruleset.Flow{AkaDora: aka}, seed, round, dealer, deal)
	faces := make([]string, 0, 136)
	for _, f := range w[:136] {
		faces = append(faces, f.String())
	}
	h := sha256.Sum256([]byte(strings.Join(faces, " ")))
	return strings.Join(faces[:8], " ") + " … " + strings.Join(faces[132:], " ") + ", SHA-256 " + hex.EncodeToString(h[:8])
}

func streamText(seed uint64, p sim.Player, decision uint32) string {
	s := sim.StreamOf(seed, p, decision)
	return u64(s.Uint64()) + " " + u64(s.Uint64())
}

// testSecret is the bytes 0 to 31.
var testSecret = func() (s sim.Secret) {
	for i := range s {
		s[i] = byte(i)
	}
	return s
}()

func sealedStreamText(seed uint64, p sim.Player, decision uint32) string {
	s := sim.SealedStreamOf(seed, p, decision)
	return u64(s.Uint64()) + " " + u64(s.Uint64())
}

// TestSealedFollowsThePage computes the derivations of sealed runs a second time.
func TestSealedFollowsThePage(t *testing.T) {
	for index := range uint64(20) {
		h := sha256.New()
		h.Write([]byte("jansou sealed match 1"))
		h.Write(testSecret[:])
		binary.Write(h, binary.LittleEndian, index)
		if got, want := testSecret.MatchSeed(index), binary.LittleEndian.Uint64(h.Sum(nil)); got != want {
			t.Errorf("match %d: %016x, by the page %016x", index, got, want)
		}
		key := docFirst(docDerive("jansou agent 1", index))
		state := docFirst(docDerive("jansou sealed agent 1", key, index%4, 7*index))
		s, want := sim.SealedStreamOf(index, sim.Player(index%4), uint32(7*index)), sim.NewStream(state)
		if got, want := s.Uint64(), want.Uint64(); got != want {
			t.Errorf("stream %d: %016x, by the page %016x", index, got, want)
		}
	}
}

// The streams of a sealed match cannot be turned back: the difference between what
// two decisions begin with is not that of their numbers, as it is elsewhere.
func TestSealedStreams(t *testing.T) {
	r := load(t, "ema_2016")
	first := func(sealed bool) (list []uint64) {
		m := &sim.Match{Seed: 5, Sealed: sealed}
		var seated [4]sim.Agent
		for p := range seated {
			seated[p] = agentFunc(func(v sim.View) sim.Action {
				s := v.Rand()
				list = append(list, s.Uint64())
				legal := v.Legal()
				return sim.DefaultAction(&legal)
			})
		}
		m.Play(r, &seated)
		return list
	}
	open, sealed := first(false), first(true)
	if len(open) != len(sealed) || len(open) == 0 {
		t.Fatalf("%d decisions, %d when sealed: the walls are others", len(open), len(sealed))
	}
	for i := range open {
		if open[i] == sealed[i] {
			t.Fatalf("decision %d begins with the same number", i)
		}
	}
}

// agentFunc is an agent that is a function.
type agentFunc func(v sim.View) sim.Action

func (f agentFunc) Act(v sim.View) sim.Action { return f(v) }

// TestVectors compares the package with the lines of the page. They never change
// within a domain string; a new derivation gets a new one.
func TestVectors(t *testing.T) {
	page, err := os.ReadFile("../docs/determinism.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(page), "## Vectors\n")
	if !ok {
		t.Fatal("docs/determinism.md has no section Vectors")
	}
	for _, v := range vectors {
		name, value, _ := strings.Cut(v, ": ")
		row := "| " + name + " | " + value + " |"
		if !strings.Contains(section, row+"\n") {
			t.Errorf("docs/determinism.md does not have the row\n%s", row)
		}
	}
}

// TestRedFivesMoveNoTile checks that the number of red fives leaves every wall as
// it is but for the color.
func TestRedFivesMoveNoTile(t *testing.T) {
	plain := sim.NewWall(&ruleset.Flow{}, 5, 1, 1, 1)
	red := sim.NewWall(&ruleset.Flow{AkaDora: [3]int{1, 2, 4}}, 5, 1, 1, 1)
	reds := map[tile.Face]int{}
	for i := range plain[:136] {
		if red[i].Kind() != plain[i].Kind() {
			t.Fatalf("place %d: %v and %v", i, plain[i], red[i])
		}
		if red[i].IsRed() {
			reds[red[i]]++
		}
	}
	if diff := cmp.Diff(map[tile.Face]int{34: 1, 35: 2, 36: 4}, reds); diff != "" {
		t.Error(diff)
	}
}

// TestWallIsUniform is a chi-squared test of the kinds at several places, and of
// equal neighbors.
func TestWallIsUniform(t *testing.T) {
	n := sample(20000, 400000)
	places := []int{0, 1, 52, 67, 122, 130, 135}
	counts := make([][tile.NumKinds]int, len(places))
	pairs := 0
	for i := range n {
		w := sim.NewWall(&ruleset.Flow{}, uint64(i), 0, 0, 0)
		for j, at := range places {
			counts[j][w[at].Kind()]++
		}
		if w[60].Kind() == w[61].Kind() {
			pairs++
		}
	}
	expected := float64(n) / tile.NumKinds
	for j, at := range places {
		chi := 0.0
		for _, c := range counts[j] {
			chi += (float64(c) - expected) * (float64(c) - expected) / expected
		}
		// 33 degrees of freedom: mean 33, deviation 8.1; 80 is beyond 1 in 100,000.
		if chi > 80 {
			t.Errorf("place %d: chi-squared %.1f over 33 degrees of freedom", at, chi)
		}
	}
	p := 3.0 / 135
	if dev := math.Abs(float64(pairs)-float64(n)*p) / math.Sqrt(float64(n)*p*(1-p)); dev > 5 {
		t.Errorf("%d equal neighbors of %d, %.1f deviations off", pairs, n, dev)
	}
}

// TestStreams checks that streams of different decisions differ, that Below is
// uniform, and that a stream does not depend on what was drawn elsewhere.
func TestStreams(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(10) {
		for p := range sim.Player(4) {
			for d := range uint32(100) {
				s := sim.StreamOf(seed, p, d)
				if n := s.Uint64(); seen[n] {
					t.Fatalf("seed %d, player %d, decision %d starts like another", seed, p, d)
				} else {
					seen[n] = true
				}
			}
		}
	}
	var counts [7]int
	s := sim.StreamOf(1, 0, 0)
	const n = 70000
	for range n {
		counts[s.Below(len(counts))]++
	}
	for i, c := range counts {
		if math.Abs(float64(c)-n/7) > 5*math.Sqrt(n/7.0) {
			t.Errorf("Below gave %d %d times of %d", i, c, n)
		}
	}
}

// TestWallKey checks that a wall depends on match seed, round, dealer and deal
// index alone: not on what happened before, nor on the counter.
func TestWallKey(t *testing.T) {
	r, err := configs.Load("tenhou")
	if err != nil {
		t.Fatal(err)
	}
	m := sim.MatchState{Round: 1, Dealer: 2, DealIndex: 1}
	x, err := sim.NewTableAt(r, 9, m)
	if err != nil {
		t.Fatal(err)
	}
	m.Counter, m.Deposits, m.Points = 7, 3, [4]int32{1000, 2000, 3000, 4000}
	y, err := sim.NewTableAt(r, 9, m)
	if err != nil {
		t.Fatal(err)
	}
	x.StartHand(nil)
	y.StartHand(nil)
	if x.Wall() != y.Wall() || x.Wall() != sim.NewWall(&r.Flow, 9, 1, 2, 1) {
		t.Error("the wall depends on more than its key")
	}
	if w := sim.NewWall(&r.Flow, 9, 1, 2, 2); w == x.Wall() {
		t.Error("another deal has the same wall")
	}
}

// TestWallEndsMeet plays hands of a ruleset without a dead wall to the last tile:
// every tile is dealt or drawn exactly once, also when an odd number of
// replacement tiles leaves a single tile of the last stack.
func TestWallEndsMeet(t *testing.T) {
	odd, even := 0, 0
	for seed := range uint64(20) {
		table := sim.NewTable(load(t, "mcr_2006"), seed)
		events := table.StartHand(nil)
		for table.Asked() != 0 {
			asked := table.Asked()
			for p := range sim.Player(4) {
				if !asked.Has(p) {
					continue
				}
				legal := table.Legal(p)
				var err error
				if events, err = table.Step(p, sim.DefaultAction(&legal), events); err != nil {
					t.Fatal(err)
				}
			}
		}
		var seen [tile.NumFaces]int
		replaced := 0
		for _, e := range events {
			switch e.Type {
			case sim.EvDeal:
				for _, f := range dealt(e) {
					seen[f]++
				}
			case sim.EvDraw:
				seen[e.Tile]++
				if sim.Source(e.Detail) == sim.FromFlower {
					replaced++
				}
			}
		}
		if diff := cmp.Diff(fullSet(table.Rules()), seen); diff != "" {
			t.Fatalf("seed %d, %d replacements (-set +seen):\n%s", seed, replaced, diff)
		}
		odd += replaced & 1
		even += 1 - replaced&1
	}
	if odd == 0 || even == 0 {
		t.Errorf("%d hands with an odd and %d with an even number of replacements", odd, even)
	}
}
