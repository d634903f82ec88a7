package observe_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// token is a token of the events encoding, taken apart.
type token struct {
	typ                  string
	face, player, detail int
}

func tokensOf(o observation) (list []token) {
	t, words := o.tensor("events")
	_, length := o.tensor("length")
	for i, w := range words {
		x := token{}
		for _, part := range t.BitFields {
			n := int(w>>part.Shift) & (1<<part.Width - 1)
			switch part.Name {
			case "face":
				x.face = n
			case "player":
				x.player = n
			case "detail":
				x.detail = n
			case "type":
				x.typ = part.Values[n]
			}
		}
		if (x.typ == "none") != (i >= int(length[0])) || i >= int(length[0]) && w != 0 {
			panic("the length is wrong")
		}
		if w != 0 {
			list = append(list, x)
		}
	}
	return list
}

// follow plays the tokens and returns what they show of the table of so many players.
func follow(list []token, seats int) (s seen, err error) {
	concealed := map[tile.Face]int{}
	lose := func(player int, f tile.Face, n int) {
		if player != 0 {
			return
		}
		if concealed[f] -= n; concealed[f] < 0 {
			err = fmt.Errorf("no %v left after %+v", f, list)
		}
	}
	for _, x := range list {
		p, f := &s.Seats[x.player], faceOf(x.face)
		switch x.typ {
		case "start":
			s.Table.Round = x.detail
			s.Own.SeatWind = (seats - x.player) % seats
		case "deal", "draw":
			concealed[f]++
		case "flower":
			lose(x.player, f, 1)
			p.Flowers |= 1 << f.Flower()
		case "kita":
			lose(x.player, f, 1)
			p.Norths++
		case "discard":
			lose(x.player, f, 1)
			s.Discards = append(s.Discards, sim.Discard{Player: sim.Player(x.player), Tile: f, Drawn: x.detail&1 != 0, Ready: x.detail&2 != 0})
		case "ready":
			p.Ready = sim.ReadyTier(x.detail)
		case "chi", "pon", "open_kan":
			d := &s.Discards[len(s.Discards)-1]
			d.Claimed = true
			m := hand.Meld{Kind: f.Kind(), From: uint8((int(d.Player) - x.player + seats) % seats), ClaimedRed: f.IsRed()}
			if d.Tile != f {
				return s, fmt.Errorf("%+v after %v", x, d)
			}
			own := []tile.Kind{m.Kind, m.Kind}
			reds := x.detail
			switch x.typ {
			case "chi":
				m.Claimed, reds = uint8(x.detail&3), x.detail>>2
				m.Kind -= tile.Kind(m.Claimed)
				own = nil
				for k := m.Kind; k < m.Kind+3; k++ {
					if k != f.Kind() {
						own = append(own, k)
					}
				}
			case "pon":
				m.Type = hand.Pon
			case "open_kan":
				m.Type, own = hand.OpenKan, append(own, m.Kind)
				reds = 0
				if x.player == 0 && m.Kind.IsFive() {
					reds = concealed[tile.RedOf(m.Kind.Suit())]
				}
			}
			m.Reds = uint8(reds)
			for _, k := range own {
				face := tile.Face(k)
				if k.IsFive() && reds > 0 {
					face, reds = tile.RedOf(k.Suit()), reds-1
				}
				lose(x.player, face, 1)
			}
			if m.ClaimedRed {
				m.Reds++
			}
			p.Melds = append(p.Melds, m)
		case "closed_kan":
			m := hand.Meld{Type: hand.ClosedKan, Kind: f.Kind()}
			if x.player == 0 {
				red := 0
				if m.Kind.IsFive() {
					red = concealed[tile.RedOf(m.Kind.Suit())]
					lose(0, tile.RedOf(m.Kind.Suit()), red)
				}
				lose(0, f, 4-red)
				m.Reds = uint8(red)
			}
			p.Melds = append(p.Melds, m)
		case "added_kan":
			lose(x.player, f, 1)
			for i := range p.Melds {
				if m := &p.Melds[i]; m.Type == hand.Pon && m.Kind == f.Kind() {
					m.Type, m.AddedRed = hand.AddedKan, f.IsRed()
					m.Reds += uint8(x.detail)
					if f.IsRed() {
						m.Reds++
					}
				}
			}
		case "indicator":
			s.Table.Indicators = append(s.Table.Indicators, f)
		case "declare":
			p.Declared = 1 + x.detail
		}
	}
	for f, n := range concealed {
		switch {
		case f.IsFlower():
			s.Own.Held |= uint8(n) << f.Flower()
			continue
		case f.IsRed():
			s.Own.Reds[f.Kind().Suit()] = n
		}
		s.Hand[f.Kind()] += n
	}
	return s, err
}

// told returns what events tell of the table.
func (s seen) told(robbing bool) seen {
	t := seen{Hand: s.Hand, Discards: s.Discards}
	t.Own.Reds, t.Own.Held, t.Own.SeatWind = s.Own.Reds, s.Own.Held, s.Own.SeatWind
	t.Table.Round, t.Table.Indicators = s.Table.Round, s.Table.Indicators
	for i, x := range s.Seats {
		y := &t.Seats[i]
		y.Flowers, y.Norths, y.Ready, y.Declared = x.Flowers, x.Norths, x.Ready, x.Declared
		for _, m := range x.Melds {
			if m.Type.IsKan() && (i != 0 || m.Type != hand.ClosedKan) || robbing && m.Type == hand.Pon {
				// How many reds another had among four tiles, and whether the
				// added tile has arrived, the events leave open.
				m.Reds, m.AddedRed = 0, false
				if m.Type == hand.AddedKan {
					m.Type = hand.Pon
				}
			}
			if m.Type == hand.Pon && robbing {
				m.Reds = 0
			}
			y.Melds = append(y.Melds, m)
		}
	}
	return t
}

// TestFollowEvents plays the tokens back and finds the hand, the discards and
// the melds of the view.
func TestFollowEvents(t *testing.T) {
	eachRuleset(t, func(t *testing.T, r *ruleset.Rules) {
		e := lookup(t, "events").For(r.NumSeats()).NewEncoder()
		longest := 0
		sampled(t, r, 61, func(table *sim.Table, h *observe.History) {
			if table.Phase() == sim.PhaseBetween || table.Over() {
				return
			}
			for p := range sim.Player(r.NumSeats()) {
				v := table.View(p)
				o := encode(e, v, h)
				list := tokensOf(o)
				longest = max(longest, len(list))
				got, err := follow(list, r.NumSeats())
				if err != nil {
					t.Fatal(err)
				}
				robbing := table.Phase() == sim.PhaseRob
				if d := cmp.Diff(seenBy(v).withoutOrigins(r).told(robbing), got.withoutOrigins(r).told(robbing)); d != "" {
					t.Fatalf("player %d, phase %v: the events tell otherwise than the view (-): %s", p, table.Phase(), d)
				}
			}
		})
		if longest > 200 {
			t.Errorf("%d tokens; 256 may not always do", longest)
		}
	})
}
