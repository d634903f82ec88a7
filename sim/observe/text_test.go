package observe_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// text is a text observation as a reader would declare it.
type text struct {
	Version            int
	Ruleset, Phase     string
	Round              int
	RoundWind          string `json:"round_wind"`
	Counter, Deposits  int
	Indicators, Window string
	Turn, Creditor     *int
	Hand, Drawn        string
	Source             string
	Shanten            int
	Waits, Furiten     string
	Players            []textPlayer
	Discards           []textDiscard
	Debts              []textDebt
	Legal              []textAction
}

type textPlayer struct {
	Wind            string
	Points          float64
	Concealed, Left int
	Melds           []textMeld
	Flowers, Ready  string
	Norths          int
	Ippatsu         bool `json:"one_shot"`
	Declared        string
}

type textMeld struct {
	Type, Tiles, Tile string
	From              *int
}

type textDiscard struct {
	Player                int
	Tile                  string
	Drawn, Ready, Claimed bool
}

type textDebt struct {
	Creditor, Debtor int
	Points           float64
	Wins             int
}

type textAction struct {
	ID   int
	Text string
}

// TestText reads texts back and finds what the view shows.
func TestText(t *testing.T) {
	eachRuleset(t, func(t *testing.T, r *ruleset.Rules) {
		e := lookup(t, "text").For(r.NumSeats()).NewEncoder()
		sampled(t, r, 61, func(table *sim.Table, _ *observe.History) {
			for p := range sim.Player(r.NumSeats()) {
				v := table.View(p)
				var dst [1][]byte
				e.Append(dst[:], v, nil)
				d := json.NewDecoder(bytes.NewReader(dst[0]))
				d.DisallowUnknownFields()
				var x text
				if err := d.Decode(&x); err != nil {
					t.Fatal(err)
				}
				checkText(t, x, v)
			}
		})
	})
}

func checkText(t *testing.T, x text, v sim.View) {
	t.Helper()
	s := seenBy(v)
	r := v.Rules()
	unit := float64(r.Unit())
	want := text{
		Version: lookup(t, "text").For(r.NumSeats()).Version, Ruleset: r.Name, Phase: s.Table.Phase.String(), Round: s.Table.Round,
		RoundWind: tile.Wind(s.Table.Wind).String(), Counter: s.Table.Counter, Deposits: s.Table.Pot,
		Indicators: tile.FormatFaces(s.Table.Indicators), Shanten: plainOutlook(v).shanten,
		Legal: []textAction{}, Discards: []textDiscard{},
	}
	if s.Table.Turn >= 0 {
		want.Turn = &s.Table.Turn
	}
	if s.Table.Creditor >= 0 {
		want.Creditor = &s.Table.Creditor
	}
	if f := s.Own.Window; f != tile.NoFace {
		want.Window = f.String()
	}
	if f := s.Own.Drawn; f != tile.NoFace {
		want.Drawn = f.String()
	}
	if s.Table.Phase == sim.PhaseTurn {
		want.Source = map[sim.Source]string{
			sim.FromDeal: "deal", sim.FromWall: "wall", sim.FromKan: "kan", sim.FromFlower: "flower", sim.FromClaim: "claim", sim.FromKita: "north",
		}[s.Table.Cause]
	}
	if w := v.Waits(); w != 0 {
		want.Waits = w.String()
		if w &= s.Own.Locked; w != 0 {
			want.Furiten = w.String()
		}
	}
	var own []tile.Face
	for k, n := range s.Hand {
		for i := range n {
			f := tile.Face(k)
			if f.Kind().IsFive() && i < s.Own.Reds[f.Kind().Suit()] {
				f = tile.RedOf(f.Kind().Suit())
			}
			own = append(own, f)
		}
	}
	want.Hand = tile.FormatFaces(slices.Concat(own, flowersOf(s.Own.Held)))
	for _, d := range s.Discards {
		want.Discards = append(want.Discards, textDiscard{int(d.Player), d.Tile.String(), d.Drawn, d.Ready, d.Claimed})
	}
	for i, y := range s.Seats[:r.NumSeats()] {
		player := textPlayer{
			Wind: v.SeatWind(v.PlayerAfter(i)).String(), Points: float64(y.Points) / unit, Concealed: y.Concealed, Left: y.Left,
			Flowers: tile.FormatFaces(flowersOf(y.Flowers)), Ippatsu: y.Ippatsu, Norths: y.Norths,
			Ready:    []string{"", "ordinary", "double", "human", "earth", "heaven"}[y.Ready],
			Declared: []string{"", "not ready", "ready"}[y.Declared],
		}
		for _, m := range y.Melds {
			player.Melds = append(player.Melds, meldOf(m, i, r.NumSeats()))
		}
		want.Players = append(want.Players, player)
		for j, d := range s.Debts[i] {
			if d.Points != 0 {
				want.Debts = append(want.Debts, textDebt{i, j, float64(d.Points) / unit, int(d.Wins)})
			}
		}
	}
	for a := range v.Legal().All {
		want.Legal = append(want.Legal, textAction{int(a), a.String()})
		if back, err := sim.ParseAction(a.String()); err != nil || back != a {
			t.Fatalf("%v is read as %v, %v", a, back, err)
		}
	}
	if d := cmp.Diff(want, x); d != "" {
		t.Fatalf("the text differs from the view (-): %s", d)
	}
}

func flowersOf(set uint8) (faces []tile.Face) {
	for i := range 8 {
		if set>>i&1 != 0 {
			faces = append(faces, tile.FirstFlower+tile.Face(i))
		}
	}
	return faces
}

// meldOf describes a meld of player i of so many.
func meldOf(m hand.Meld, i, seats int) textMeld {
	x := textMeld{Type: m.Type.String()}
	if m.Kind == tile.NoKind {
		return x
	}
	five := tile.NoFace
	var faces []tile.Face
	for k := range tile.Kind(tile.NumKinds) {
		for range m.Count(k) {
			faces = append(faces, tile.Face(k))
		}
		if m.Count(k) > 0 && k.IsFive() {
			five = tile.Face(k)
		}
	}
	for range m.Reds {
		faces[slices.Index(faces, five)] = tile.RedOf(five.Kind().Suit())
	}
	tile.SortFaces(faces)
	x.Tiles = tile.FormatFaces(faces)
	if m.Type != hand.ClosedKan {
		claimed := tile.Face(m.Kind) + tile.Face(m.Claimed)
		if m.ClaimedRed {
			claimed = tile.RedOf(claimed.Kind().Suit())
		}
		from := (i + int(m.From)) % seats
		x.Tile, x.From = claimed.String(), &from
	}
	return x
}
