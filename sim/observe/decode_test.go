package observe_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// observation is an encoded view with its spec, from which alone the tests read
// it.
type observation struct {
	spec *observe.Spec
	data [][]byte
	read [][]int64 // the elements of each tensor
}

func lookup(tb testing.TB, name string) *observe.Spec {
	tb.Helper()
	s, err := observe.Lookup(name)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func encode(e *observe.Encoder, v sim.View, h *observe.History) observation {
	o := observation{spec: e.Spec(), data: make([][]byte, len(e.Spec().Tensors))}
	e.Append(o.data, v, h)
	for i := range o.data {
		o.read = append(o.read, elements(&o.spec.Tensors[i], o.data[i]))
	}
	return o
}

// tensor returns a tensor and its elements in row-major order.
func (o observation) tensor(name string) (*observe.Tensor, []int64) {
	i := slices.IndexFunc(o.spec.Tensors, func(t observe.Tensor) bool { return t.Name == name })
	if i < 0 {
		panic("no tensor " + name)
	}
	return &o.spec.Tensors[i], o.read[i]
}

// elements returns the elements of a tensor in row-major order.
func elements(t *observe.Tensor, data []byte) (list []int64) {
	switch t.DType {
	case observe.Bit:
		width := t.Shape[len(t.Shape)-1]
		for row := range slices.Chunk(data, (width+7)/8) {
			for i := range width {
				list = append(list, int64(row[i/8]>>(i%8)&1))
			}
		}
	case observe.Uint8:
		for _, b := range data {
			list = append(list, int64(b))
		}
	case observe.Uint16:
		for c := range slices.Chunk(data, 2) {
			list = append(list, int64(binary.LittleEndian.Uint16(c)))
		}
	case observe.Int32:
		for c := range slices.Chunk(data, 4) {
			list = append(list, int64(int32(binary.LittleEndian.Uint32(c))))
		}
	}
	return list
}

// field returns the elements of a field of a tensor in row-major order.
func (o observation) field(tensor, field string) (list []int64) {
	t, all := o.tensor(tensor)
	i := slices.IndexFunc(t.Fields, func(f observe.Field) bool { return f.Name == field })
	if i < 0 {
		panic("no field " + field + " in " + tensor)
	}
	f := t.Fields[i]
	if !t.LastAxis {
		inner := len(all) / t.Shape[0]
		return all[f.First*inner : (f.First+f.Count)*inner]
	}
	for row := range slices.Chunk(all, t.Shape[len(t.Shape)-1]) {
		list = append(list, row[f.First:f.First+f.Count]...)
	}
	return list
}

func (o observation) one(tensor, field string) int {
	list := o.field(tensor, field)
	if len(list) != 1 {
		panic(field + " is not one number")
	}
	return int(list[0])
}

func (o observation) kinds(tensor, field string) (s tile.Set) {
	for k, x := range o.field(tensor, field) {
		s |= tile.Set(x) << k
	}
	return s
}

// counts reads a thermometer.
func (o observation) counts(field string) (n [tile.NumKinds]int) {
	bits := o.field("planes", field)
	for i, x := range bits {
		if x == 1 && i >= tile.NumKinds && bits[i-tile.NumKinds] == 0 {
			panic(field + " is no thermometer")
		}
		n[i%tile.NumKinds] += int(x)
	}
	return n
}

func faceOf(code int) tile.Face { return tile.Face(code - 1) }

// seen is what a view shows, with players relative to the viewer.
type seen struct {
	Hand     [tile.NumKinds]int
	Own      own
	Table    common
	Seats    [4]public
	Discards []sim.Discard
	Debts    [4][4]ruleset.Debt
}

// own is what the viewer alone sees, the hand apart.
type own struct {
	Reds          [3]int
	Held          uint8
	Drawn, Window tile.Face
	Locked        tile.Set
	Unseen        [tile.NumKinds]int
	SeatWind      int
}

// common is the same for all players, Turn and Creditor but for the viewpoint.
type common struct {
	Phase           sim.Phase
	Cause           sim.Source
	Turn, Creditor  int // -1 for none
	Round, Wind     int
	Counter, Pot    int
	Indicators      []tile.Face
	IndicatorCounts [tile.NumKinds]int
	Dora            [tile.NumKinds]int
}

// public is what lies before a player.
type public struct {
	River, Melded   [tile.NumKinds]int
	DrawnDiscards   tile.Set
	ClosedKans      tile.Set
	Melds           []hand.Meld
	Flowers         uint8
	Norths          int
	Concealed, Left int
	Ready           sim.ReadyTier
	Ippatsu, Open   bool
	Declared        int // 1 not ready, 2 ready
	Points          int32
}

// withoutOrigins leaves out which discards of others were drawn where the rules hide it: there the
// players see different marks, and events have fewer than views.
func (s seen) withoutOrigins(r *ruleset.Rules) seen {
	if !r.OriginHidden {
		return s
	}
	s.Discards = slices.Clone(s.Discards)
	for i := range s.Discards {
		s.Discards[i].Drawn = false
	}
	for i := range s.Seats {
		s.Seats[i].DrawnDiscards = 0
	}
	return s
}

func seenBy(v sim.View) seen {
	s := seen{
		Own: own{
			Held: v.HeldFlowers(), Drawn: v.Drawn(), Window: v.ClaimableTile(), SeatWind: int(v.SeatWind(v.Player())),
		},
		Table: common{
			Phase: v.Phase(), Cause: v.DrawSource(), Turn: place(v, v.Turn()), Creditor: place(v, v.Creditor()),
			Round: v.Round(), Wind: int(v.RoundWind()), Counter: v.Counter(), Pot: v.Deposits(),
		},
	}
	h := v.Hand()
	for k := range tile.Kind(tile.NumKinds) {
		s.Hand[k] = h.Count(k)
		s.Own.Unseen[k] = v.Unseen(k)
		if v.Furiten(k) {
			s.Own.Locked |= k.Bit()
		}
	}
	for i, n := range v.Reds() {
		s.Own.Reds[i] = int(n)
	}
	for i := range v.NumIndicators() {
		f := v.Indicator(i)
		s.Table.Indicators = append(s.Table.Indicators, f)
		s.Table.IndicatorCounts[f.Kind()]++
		if v.Rules().Dora {
			s.Table.Dora[v.Rules().DoraOf(f.Kind())]++
		}
	}
	for i := range v.NumDiscards() {
		d := v.Discard(i)
		d.Player = sim.Player(place(v, d.Player))
		s.Discards = append(s.Discards, d)
		if k := d.Tile.Kind(); k != tile.NoKind {
			s.Seats[d.Player].River[k]++
			if d.Drawn {
				s.Seats[d.Player].DrawnDiscards |= k.Bit()
			}
		}
	}
	seats := v.Rules().NumSeats()
	for i := range seats {
		p, x := v.PlayerAfter(i), &s.Seats[i]
		for j := range v.NumMelds(p) {
			m := v.Meld(p, j)
			x.Melds = append(x.Melds, m)
			for k := range tile.Kind(tile.NumKinds) {
				x.Melded[k] += m.Count(k)
			}
			if m.Type == hand.ClosedKan && m.Kind != tile.NoKind {
				x.ClosedKans |= m.Kind.Bit()
			}
		}
		x.Flowers, x.Concealed, x.Left = v.Flowers(p), v.ConcealedLen(p), v.TilesLeftOf(p)
		x.Norths = v.Norths(p)
		x.Ready, x.Ippatsu, x.Open, x.Points = v.Ready(p), v.Ippatsu(p), v.IsOpen(p), v.Points()[p]
		for d := range v.NumDeclared() {
			if v.SeatWind(p) == tile.Wind(d) {
				x.Declared = 1
			}
		}
		if v.DeclaredReady(p) {
			x.Declared = 2
		}
		for j := range seats {
			s.Debts[i][j] = v.Debts(p)[v.PlayerAfter(j)]
		}
	}
	return s
}

func place(v sim.View, p sim.Player) int {
	for i := range v.Rules().NumSeats() {
		if v.PlayerAfter(i) == p {
			return i
		}
	}
	return -1
}

func decode(o observation) seen {
	s := decodeState(o)
	s.Hand = o.counts("hand")
	s.Own.Locked = o.kinds("planes", "locked")
	s.Own.Unseen = o.counts("unseen")
	s.Table.IndicatorCounts, s.Table.Dora = o.counts("indicators"), o.counts("dora")
	// Planes that repeat what other tensors say say the same.
	var reds tile.Set
	for i, n := range s.Own.Reds {
		if n > 0 {
			reds |= tile.RedOf(tile.Suit(i)).Kind().Bit()
		}
	}
	for _, c := range []struct {
		field string
		want  tile.Set
	}{
		{"reds", reds},
		{"drawn", s.Own.Drawn.Kind().Bit() & tile.All},
		{"window", s.Own.Window.Kind().Bit() & tile.All},
		{"round_wind", tile.Wind(s.Table.Wind).Kind().Bit()},
		{"seat_wind", tile.Wind(s.Own.SeatWind).Kind().Bit()},
	} {
		if got := o.kinds("planes", c.field); got != c.want {
			panic(fmt.Sprintf("plane %s is %v, state says %v", c.field, got, c.want))
		}
	}
	for i := range s.Seats {
		x := &s.Seats[i]
		x.River, x.Melded = o.counts(fmt.Sprint("river_", i)), o.counts(fmt.Sprint("melds_", i))
		x.DrawnDiscards = o.kinds("planes", fmt.Sprint("drawn_discards_", i))
		x.ClosedKans = o.kinds("planes", fmt.Sprint("closed_kans_", i))
		x.Melds = o.melds(i)
	}
	_, tokens := o.tensor("discards")
	drawn, ready, claimed := o.field("discard_marks", "drawn"), o.field("discard_marks", "ready"), o.field("discard_marks", "claimed")
	for i, t := range tokens {
		if t == 0 {
			if slices.Max(tokens[i:])+slices.Max(drawn[i:])+slices.Max(ready[i:])+slices.Max(claimed[i:]) != 0 {
				panic("discards with a gap")
			}
			break
		}
		s.Discards = append(s.Discards, sim.Discard{
			Player: sim.Player(t >> 6), Tile: faceOf(int(t) & 63),
			Drawn: drawn[i] == 1, Ready: ready[i] == 1, Claimed: claimed[i] == 1,
		})
	}
	return s
}

func (o observation) melds(i int) (list []hand.Meld) {
	types, kinds, claimed := o.field("melds", "type"), o.field("melds", "kind"), o.field("melds", "claimed")
	from, reds := o.field("melds", "from"), o.field("melds", "reds")
	for j := i * hand.MaxMelds; j < (i+1)*hand.MaxMelds; j++ {
		if types[j] == 0 {
			if kinds[j]+claimed[j]+from[j]+reds[j] != 0 {
				panic("a meld without a type")
			}
			continue
		}
		list = append(list, hand.Meld{
			Type: hand.MeldType(types[j] - 1), Kind: tile.Kind(kinds[j] - 1), Claimed: uint8(claimed[j]), From: uint8(from[j]),
			Reds: uint8(reds[j] & 7), ClaimedRed: reds[j]>>3&1 == 1, AddedRed: reds[j]>>4&1 == 1,
		})
	}
	return list
}

// decodeState reads the tensors that all encodings but text have.
func decodeState(o observation) (s seen) {
	num := func(field string) int { return o.one("state", field) }
	s.Own.Held = uint8(num("held_flowers"))
	s.Own.Drawn, s.Own.Window = faceOf(num("drawn")), faceOf(num("window"))
	s.Own.SeatWind = num("seat_wind")
	for i, n := range o.field("state", "reds") {
		s.Own.Reds[i] = int(n)
	}
	s.Table.Phase, s.Table.Cause = sim.Phase(num("phase")), sim.Source(num("cause"))
	s.Table.Turn, s.Table.Creditor = num("turn")-1, num("creditor")-1
	s.Table.Round, s.Table.Wind = num("round"), num("round_wind")
	s.Table.Counter, s.Table.Pot = o.one("amounts", "counter"), o.one("amounts", "deposits")
	for _, n := range o.field("state", "indicators") {
		if n != 0 {
			s.Table.Indicators = append(s.Table.Indicators, faceOf(int(n)))
		}
	}
	for i := range s.Seats {
		x := &s.Seats[i]
		of := func(field string) int { return int(o.field("state", field)[i]) }
		if o.spec.Seats == 3 {
			x.Norths = of("norths")
		} else {
			x.Flowers = uint8(of("flowers"))
		}
		x.Concealed, x.Left = of("concealed"), of("left")
		x.Ready, x.Ippatsu, x.Open = sim.ReadyTier(of("ready")), of("one_shot") == 1, of("open") == 1
		x.Declared = of("declared")
		x.Points = int32(o.field("amounts", "points")[i])
		for j := range 4 {
			s.Debts[i][j] = ruleset.Debt{
				Points: int32(o.field("amounts", "debts")[4*i+j]), Wins: uint8(o.field("state", "debt_wins")[4*i+j]),
			}
		}
	}
	return s
}

// shared returns what all players see alike, from the viewpoint of the player n
// places after the viewer, of so many players.
func (s seen) shared(n, seats int) seen {
	turn := func(p int) int {
		if p < 0 {
			return p
		}
		return (p - n + seats) % seats
	}
	t := s
	t.Hand, t.Own = [tile.NumKinds]int{}, own{}
	t.Table.Turn = turn(t.Table.Turn)
	t.Table.Creditor = turn(t.Table.Creditor)
	t.Discards = slices.Clone(s.Discards)
	for i := range t.Discards {
		t.Discards[i].Player = sim.Player(turn(int(t.Discards[i].Player)))
	}
	for i := range seats {
		t.Seats[i] = s.Seats[(i+n)%seats]
		t.Seats[i].Melds = slices.Clone(t.Seats[i].Melds)
		for j := range t.Seats[i].Melds {
			// The kind of a closed kan may be known to its owner alone.
			if m := &t.Seats[i].Melds[j]; m.Type == hand.ClosedKan {
				*m = hand.Meld{Type: hand.ClosedKan}
			}
		}
		t.Seats[i].Melded, t.Seats[i].ClosedKans = [tile.NumKinds]int{}, 0
		for j := range seats {
			t.Debts[i][j] = s.Debts[(i+n)%seats][(j+n)%seats]
		}
	}
	return t
}

// TestDecode reads planes back and finds what the view shows, for every player
// at every sampled point, asked or not, and finds the same public facts whoever
// looks.
func TestDecode(t *testing.T) {
	eachRuleset(t, func(t *testing.T, r *ruleset.Rules) {
		e := lookup(t, "planes").For(r.NumSeats()).NewEncoder()
		n := 0
		sampled(t, r, 71, func(table *sim.Table, h *observe.History) {
			var first seen
			for i := range r.NumSeats() {
				v := table.View(table.View(0).PlayerAfter(i))
				want, got := seenBy(v), decode(encode(e, v, h))
				if d := cmp.Diff(want, got); d != "" {
					t.Fatalf("the planes of player %d differ from the view (-): %s", v.Player(), d)
				}
				if i == 0 {
					first = got
				}
				if d := cmp.Diff(first.withoutOrigins(r).shared(i, r.NumSeats()), got.withoutOrigins(r).shared(0, r.NumSeats())); d != "" {
					t.Fatalf("player %d sees another table than player 0 (-): %s", v.Player(), d)
				}
				if table.Phase() != sim.PhaseOver {
					if err := conserved(got, v); err != nil {
						t.Fatal(err)
					}
				}
				n++
			}
		})
		if n == 0 {
			t.Fatal("no views")
		}
	})
}

// conserved checks that the planes account for four tiles of each kind.
func conserved(s seen, v sim.View) error {
	total := s.Own.Unseen
	for k := range total {
		total[k] += s.Hand[k] + s.Table.IndicatorCounts[k]
		for _, x := range s.Seats {
			total[k] += x.River[k] + x.Melded[k]
		}
	}
	for _, x := range s.Seats {
		total[tile.North] += x.Norths
	}
	for _, d := range s.Discards {
		if d.Claimed {
			total[d.Tile.Kind()]--
		}
	}
	if v.Phase() == sim.PhaseRob {
		// The tile being added to a pon lies in no meld yet.
		if k := s.Own.Window.Kind(); k != tile.NoKind && total[k] == 3 {
			total[k]++
		}
	}
	for k, n := range total {
		if n != 4 && v.Rules().HasKind(tile.Kind(k)) {
			return fmt.Errorf("%d tiles of %v: %+v", n, tile.Kind(k), s)
		}
	}
	return nil
}
