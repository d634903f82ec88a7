package botzone_test

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/internal/record/botzone"
	"github.com/sparrowhall/sparrowhall/internal/testkit/recordtest"
	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// reader plays as another agent and follows the requests as a program does, by their text and its
// own responses.
type reader struct {
	sim.Agent
	t        *testing.T
	requests *botzone.Requests
	id       string
	hand     []string
	flowers  [sim.NumPlayers]int
	last     string // the tile discarded last
	drew     bool   // whether its last request was its own draw
	kan      string // the tile of a closed kan that it responded
	met      map[string]int
}

// Listen implements sim.Listener.
func (r *reader) Listen(v sim.View, events []sim.Event) {
	if r.requests == nil {
		w, err := botzone.NewRequests(v.Rules(), v.Player())
		if err != nil {
			r.t.Fatal(err)
		}
		r.requests = w
	}
	r.read(r.requests.Append(nil, events))
	if v.Phase() == sim.PhaseOver {
		r.requests = nil
	}
}

// Act implements sim.Agent.
func (r *reader) Act(v sim.View) sim.Action {
	r.read(r.requests.AppendDeal(nil))
	if v.Phase() != sim.PhaseTurn || v.DrawSource() != sim.FromClaim {
		var held []string
		h := v.Hand()
		for k := range tile.Kind(tile.NumKinds) {
			for range h.Count(k) {
				held = append(held, botzoneCode(k))
			}
		}
		slices.Sort(held)
		slices.Sort(r.hand)
		if diff := cmp.Diff(held, r.hand); diff != "" {
			r.t.Fatalf("the hand, and that of the requests:\n%s", diff)
		}
		for i, n := range r.flowers {
			p := v.PlayerAfter(0)
			for q := range sim.Player(sim.NumPlayers) {
				if int(v.SeatWind(q)) == i {
					p = q
				}
			}
			if bits.OnesCount8(v.Flowers(p)) != n {
				r.t.Fatalf("player %d has %d flowers by the requests; has %08b", i, n, v.Flowers(p))
			}
		}
	}
	a := r.Agent.Act(v)
	if a >= sim.ActClosedKan && a < sim.ActAddedKan {
		r.kan = botzoneCode(tile.Kind(a - sim.ActClosedKan))
	}
	return a
}

func (r *reader) remove(codes ...string) {
	for _, code := range codes {
		i := slices.Index(r.hand, code)
		if i < 0 {
			r.t.Fatalf("%s is not in the hand %v", code, r.hand)
		}
		r.hand = slices.Delete(r.hand, i, i+1)
	}
}

func (r *reader) read(requests []string) {
	for _, request := range requests {
		w := strings.Fields(request)
		drew := r.drew
		r.drew = false
		switch {
		case w[0] == "0":
			r.id, r.hand, r.flowers = w[1], nil, [sim.NumPlayers]int{}
		case w[0] == "1":
			r.hand = slices.Clone(w[5:18])
			sum := 0
			for i, text := range w[1:5] {
				n, _ := strconv.Atoi(text)
				r.flowers[i] = n
				sum += n
			}
			if len(w) != 18+sum {
				r.t.Errorf("%q has not %d flowers", request, sum)
			}
			r.met["DEAL"] += sum
		case w[0] == "2":
			r.hand = append(r.hand, w[1])
			r.drew = true
		case w[2] == "BUHUA":
			r.flowers[w[1][0]-'0']++
		case w[1] == r.id:
			switch w[2] {
			case "PLAY":
				r.remove(w[3])
			case "PENG":
				r.remove(r.last, r.last, w[3])
			case "CHI":
				for _, step := range []int{-1, 0, 1} {
					if code := w[3][:1] + string(w[3][1]+byte(step)); code != r.last {
						r.remove(code)
					}
				}
				r.remove(w[4])
			case "GANG":
				if drew {
					r.remove(r.kan, r.kan, r.kan, r.kan)
				} else {
					r.remove(r.last, r.last, r.last)
				}
			case "BUGANG":
				r.remove(w[3])
			}
		}
		if w[0] == "3" {
			r.met[w[2]]++
			if w[2] == "PLAY" || w[2] == "PENG" || w[2] == "CHI" {
				r.last = w[len(w)-1]
			}
		}
	}
}

// A program knows its hand and the flowers of all from the requests, also where flowers are
// replaced and the dealer's last tile is dealt.
func TestRequestsWithFlowers(t *testing.T) {
	met := map[string]int{}
	for n := range rulestest.Sample[uint64](4, 200) {
		seated := recordtest.Agents(t, "eager")
		for p := range seated {
			seated[p] = &reader{Agent: seated[p], t: t, met: met}
		}
		m := &sim.Match{Index: n, Seed: sim.MatchSeed(13, n)}
		m.Play(rulestest.Rules(t, "mcr_2006", nil), seated)
	}
	for _, word := range []string{"DEAL", "BUHUA", "DRAW", "PLAY", "CHI", "PENG", "GANG", "BUGANG"} {
		if met[word] == 0 {
			t.Errorf("no %s in the requests", word)
		}
	}
}

// The requests have the form of the public judge: the numbers of flowers, the hand, all flowers by
// player; a flower that is drawn later is replaced without a draw.
func TestFlowerRequests(t *testing.T) {
	r := rulestest.Rules(t, "mcr_2006", nil)
	f := func(i int) tile.Face { return tile.FirstFlower + tile.Face(i) }
	deal := func(p sim.Player, faces ...tile.Face) (events []sim.Event) {
		for tiles := range slices.Chunk(faces, 4) {
			value := int32(0)
			for i := range 4 {
				b := tile.NoFace
				if i < len(tiles) {
					b = tiles[i]
				}
				value |= int32(b) << (24 - 8*i)
			}
			events = append(events, sim.Event{Type: sim.EvDeal, Player: p, Tile: tile.NoFace, Value: value})
		}
		return events
	}
	draw := func(p sim.Player, face tile.Face, from sim.Source) sim.Event {
		return sim.Event{Type: sim.EvDraw, Player: p, Tile: face, Detail: uint8(from), Value: 40}
	}
	flower := func(p sim.Player, i int) sim.Event { return sim.Event{Type: sim.EvFlower, Player: p, Tile: f(i)} }
	discard := func(p sim.Player, face tile.Face) sim.Event {
		return sim.Event{Type: sim.EvDiscard, Player: p, Tile: face}
	}
	events := []sim.Event{
		{Type: sim.EvSeats, Player: -1, Tile: tile.NoFace, Value: 0 | 1<<8 | 2<<16 | 3<<24},
		{Type: sim.EvHandStart, Player: 0},
	}
	events = append(events, deal(0, 0, f(4), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)...)
	events = append(events, deal(1, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24)...)
	events = append(
		events, draw(0, f(0), sim.FromDeal),
		flower(0, 0), flower(0, 4), draw(0, 12, sim.FromFlower), draw(0, 31, sim.FromFlower),
		flower(2, 6), draw(2, 0, sim.FromFlower),
	)
	rest := []sim.Event{
		discard(0, 8),
		draw(1, f(1), sim.FromWall), flower(1, 1), draw(1, 25, sim.FromFlower), discard(1, 24),
		draw(2, 26, sim.FromWall), discard(2, 26),
		draw(3, f(7), sim.FromWall), discard(3, f(7)),
		{Type: sim.EvExhausted, Player: -1},
	}
	for p, want := range [][]string{
		{
			"0 0 0", "1 2 0 1 0 W1 W2 W3 W4 W5 W6 W7 W8 W9 B1 B2 B3 B4 H1 H5 H7", "2 J3",
			"3 0 PLAY W9", "3 1 BUHUA H2", "3 1 DRAW", "3 1 PLAY T7", "3 2 DRAW", "3 2 PLAY T9", "3 3 BUHUA H8",
		},
		{
			"0 1 0", "1 2 0 1 0 B4 B5 B6 B7 B8 B9 T1 T2 T3 T4 T5 T6 T7 H1 H5 H7", "3 0 DRAW",
			"3 0 PLAY W9", "3 1 BUHUA H2", "2 T8", "3 1 PLAY T7", "3 2 DRAW", "3 2 PLAY T9", "3 3 BUHUA H8",
		},
	} {
		w, err := botzone.NewRequests(r, sim.Player(p))
		if err != nil {
			t.Fatal(err)
		}
		got := w.Append(nil, events)
		if p == 0 {
			got = w.AppendDeal(got)
		}
		if diff := cmp.Diff(want, w.Append(got, rest)); diff != "" {
			t.Errorf("player %d:\n%s", p, diff)
		}
	}
}

// What the protocol cannot express is refused by its reason, and the logs refuse more.
func TestUnsupportedRules(t *testing.T) {
	for _, c := range []struct {
		set          func(r *ruleset.Rules)
		inRequests   bool
		preset, want string
	}{
		{preset: "tenhou", inRequests: true, want: "its family is riichi"},
		{preset: "botzone", inRequests: true, set: func(r *ruleset.Rules) { r.Flowers = ruleset.OptionalFlowers }, want: "its players may keep flowers"},
		{preset: "botzone", inRequests: true, set: func(r *ruleset.Rules) { r.KanAfterClaim = true }, want: "a kan may follow a chi or pon"},
		{preset: "mcr_2006", want: "it plays with flowers"},
		{preset: "botzone", set: func(r *ruleset.Rules) { r.DealerExtraTile = ruleset.ExtraDealt }, want: "the dealer's last tile is dealt, not drawn"},
	} {
		r := *rulestest.Rules(t, c.preset, nil)
		if c.set != nil {
			c.set(&r)
		}
		_, err := botzone.NewRequests(&r, 0)
		if c.inRequests != (err != nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.preset, err, c.want)
		}
		if err := botzone.CheckRules(&r); err == nil || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("logs of %s: %v, want %q", c.preset, err, c.want)
		}
	}
}
