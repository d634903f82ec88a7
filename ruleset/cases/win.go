package cases

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

func (m Meld) isKan() bool { return m.Type.IsKan() }

func (m Meld) isOpen() bool { return m.Type != hand.ClosedKan }

// Win returns the case as the ruleset's scorer takes it. The error names the
// member that is impossible under the ruleset.
func (c *Case) Win(r *ruleset.Rules) (ruleset.Win, error) {
	w := ruleset.Win{
		Tile: tile.NoKind, SelfDraw: c.SelfDraw, SeatWind: c.Seat, RoundWind: c.Round, Flags: c.Flags,
		Discards: c.River, TailDraws: c.TailDraws, Dealer: c.Dealer, Streak: uint8(min(c.Counter, 0xff)),
		Norths: uint8(c.Kita),
	}
	for _, check := range []func(*ruleset.Rules) error{
		c.checkFamily, c.checkTiles, c.checkFlags, c.checkPlayers,
	} {
		if err := check(r); err != nil {
			return w, err
		}
	}
	for i, m := range c.Melds {
		meld, err := m.meld(c.Seat, r)
		if err != nil {
			return w, fmt.Errorf("melds: meld %d: %w", i+1, err)
		}
		w.Melds[i] = meld
		w.NumMelds++
		w.Reds += meld.Reds
	}
	for _, f := range c.Concealed {
		w.Hand.Add(f.Kind())
		w.Reds += red(f)
	}
	if c.WinTile != tile.NoFace {
		w.Tile = c.WinTile.Kind()
		w.Hand.Add(w.Tile)
		w.Reds += red(c.WinTile)
	}
	for _, f := range c.Flowers {
		w.Flowers |= 1 << f.Flower()
	}
	for i, f := range c.Indicators {
		w.Indicators[i] = f.Kind()
	}
	for i, f := range c.Ura {
		w.Ura[i] = f.Kind()
	}
	w.NumIndicators, w.NumUra = uint8(len(c.Indicators)), uint8(len(c.Ura))
	return w, nil
}

func red(f tile.Face) uint8 {
	if f.IsRed() {
		return 1
	}
	return 0
}

// checkFamily refuses members of other families.
func (c *Case) checkFamily(r *ruleset.Rules) error {
	for _, m := range members {
		if !m.special || r.Traits.TakesCaseWord(m.name) || !slices.Contains(c.given, m.name) || m.name == "flowers" && len(c.Flowers) == 0 {
			continue
		}
		return fmt.Errorf("%s: cases of %s rulesets do not have it; leave it out", m.name, r.Family)
	}
	return nil
}

// checkTiles refuses tiles that cannot be where they are, and more of them than
// there are.
func (c *Case) checkTiles(r *ruleset.Rules) error {
	if most := r.HandSize / 3; len(c.Melds) > most {
		return fmt.Errorf("melds: %d melds, a hand has at most %d", len(c.Melds), most)
	}
	kans := c.numKans()
	if c.Flags&(ruleset.FlagRobbingKan|ruleset.FlagRobbingClosedKan) != 0 {
		kans++ // the one that is robbed was allowed as well
	}
	if r.MaxKans != ruleset.NoLimit && kans > int(r.MaxKans) {
		return fmt.Errorf("melds: %d kans, one that is robbed included, but the ruleset's max_kans is %d", kans, r.MaxKans)
	}
	// A flower win may come while dealt flowers are still to be replaced, which is before any meld.
	want, missing := r.HandSize-3*len(c.Melds), len(c.Flowers)
	if len(c.Melds) > 0 {
		missing = 1
	}
	replaced := c.Flags&anyFlowerWin == 0 || len(c.Concealed) > want || len(c.Concealed) < want-missing
	if len(c.Concealed) != want && replaced {
		return fmt.Errorf("concealed: %d tiles, want %d besides the winning tile with %d melds",
			len(c.Concealed), want, len(c.Melds))
	}
	type group struct {
		name  string
		faces []tile.Face
		most  int
	}
	groups := []group{{"concealed", c.Concealed, maxTiles}}
	if c.WinTile != tile.NoFace {
		groups = append(groups, group{"win_tile", []tile.Face{c.WinTile}, 1})
	}
	for _, m := range c.Melds {
		groups = append(groups, group{"melds", m.Tiles, 4})
	}
	groups = append(groups,
		group{"dora_indicators", c.Indicators, ruleset.MaxIndicators},
		group{"ura_indicators", c.Ura, len(c.Indicators)})
	if c.Kita > 0 && r.Kita == ruleset.NoKita {
		return errors.New("kita: no North is set aside under the ruleset")
	}
	all := slices.Repeat([]tile.Face{tile.Face(tile.North)}, c.Kita)
	for _, g := range groups {
		if len(g.faces) > g.most {
			return fmt.Errorf("%s: %d tiles, at most %d are possible", g.name, len(g.faces), g.most)
		}
		if i := slices.IndexFunc(g.faces, tile.Face.IsFlower); i >= 0 {
			return fmt.Errorf("%s: %v: flowers belong in the member flowers", g.name, g.faces[i])
		}
		if i := slices.IndexFunc(g.faces, func(f tile.Face) bool { return !r.HasKind(f.Kind()) }); i >= 0 {
			return fmt.Errorf("%s: %v is not in the set of the ruleset", g.name, g.faces[i])
		}
		if g.name == "dora_indicators" && len(g.faces) > 1 && c.withoutKans(r) {
			return fmt.Errorf("dora_indicators: %d tiles, but no kan can have turned a second one", len(g.faces))
		}
		all = append(all, g.faces...)
		if err := tile.CheckCopies(all); err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
		if err := checkReds(all, r); err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
	}
	return c.checkFlowers(r)
}

// withoutKans reports whether no kan can have turned an indicator by the time of the win.
func (c *Case) withoutKans(r *ruleset.Rules) bool {
	return !r.KanDora || r.MaxKans == 0 || c.Flags&firstTurn != 0 && brokenByKan(r) || r.DoubleRiichiKan && c.Flags&ruleset.FlagDoubleRiichi != 0 && c.withinGoAround()
}

// checkReds refuses more red fives of a suit than the ruleset has.
func checkReds(faces []tile.Face, r *ruleset.Rules) error {
	var reds [3]int
	for _, f := range faces {
		if !f.IsRed() {
			continue
		}
		s := f.Kind().Suit()
		if reds[s]++; reds[s] > r.AkaDora[s] {
			return fmt.Errorf("more %v than the %d of the ruleset", f, r.AkaDora[s])
		}
	}
	return nil
}

func (c *Case) checkFlowers(r *ruleset.Rules) error {
	if len(c.Flowers) > 0 && r.Flowers == ruleset.NoFlowers {
		return errors.New("flowers: the ruleset has none")
	}
	if i := slices.IndexFunc(c.Flowers, func(f tile.Face) bool { return !f.IsFlower() }); i >= 0 {
		return fmt.Errorf("flowers: %v is no flower: flowers are 1f to 8f", c.Flowers[i])
	}
	if err := tile.CheckCopies(c.Flowers); err != nil {
		return fmt.Errorf("flowers: %w", err)
	}
	return nil
}

// checkPlayers refuses givers that cannot have given.
func (c *Case) checkPlayers(r *ruleset.Rules) error {
	for _, w := range c.winds() {
		if int(w.wind) >= r.NumSeats() {
			return fmt.Errorf("%s: there is no %v with %d players", w.name, w.wind, r.NumSeats())
		}
	}
	switch {
	case c.From != nil && c.SelfDraw:
		return errors.New("from: no player gives the tile of a self-draw")
	case c.From != nil && *c.From == c.Seat:
		return fmt.Errorf("from: %v is the winner's own seat", c.Seat)
	case c.Responsible != nil && c.SelfDraw:
		return errors.New("responsible: no player gives the tile of a self-draw")
	case c.Responsible != nil && !c.Responsible.None && c.Responsible.Wind == c.Seat:
		return fmt.Errorf("responsible: %v is the winner's own seat", c.Seat)
	}
	if err := c.checkResponsible(r); err != nil {
		return err
	}
	for _, l := range c.Liable {
		if l.Wind == c.Seat {
			return fmt.Errorf("liable: %s: %v is the winner's own seat", clip(l.Pattern), c.Seat)
		}
	}
	return nil
}

// checkResponsible refuses a payer other than the giver who cannot have thrown a tile of the kind before, and
// no payer where the winner cannot have (zungjung 4.2).
func (c *Case) checkResponsible(r *ruleset.Rules) error {
	p := c.Responsible
	if p == nil || !p.None && (c.From == nil || p.Wind == *c.From) {
		return nil
	}
	held := 0
	for _, f := range c.Concealed {
		if f.Kind() == c.WinTile.Kind() {
			held++
		}
	}
	switch human := c.Flags&ruleset.FlagHuman != 0; {
	case !r.SameRoundImmunity:
		return errors.New("responsible: the ruleset's same_round_immunity is false, so that who gave the tile pays")
	case c.Flags&ruleset.FlagEarthly != 0:
		return errors.New("responsible: with earthly no player but East has discarded")
	case human && (p.None || p.Wind >= c.Seat):
		return errors.New("responsible: with human only those who play before seat have discarded")
	case c.Flags&ruleset.FlagRobbingClosedKan != 0:
		return errors.New("responsible: with robbing_closed_kan the kan has all other tiles of the kind")
	case c.WinTile != tile.NoFace && held == 3:
		return fmt.Errorf("responsible: the hand has the three other %v, so that no player has thrown one before", c.WinTile)
	}
	return nil
}

// seatOf is a seat wind that a member of a case names.
type seatOf struct {
	name string
	wind tile.Wind
}

// winds lists the seats that the case names.
func (c *Case) winds() []seatOf {
	list := []seatOf{{"seat", c.Seat}}
	if c.From != nil {
		list = append(list, seatOf{"from", *c.From})
	}
	if c.Responsible != nil {
		list = append(list, seatOf{"responsible", c.Responsible.Wind})
	}
	for _, l := range c.Liable {
		list = append(list, seatOf{"liable", l.Wind})
	}
	for _, m := range c.Melds {
		if m.From != nil {
			list = append(list, seatOf{"melds: from", *m.From})
		}
	}
	return list
}

func (m Meld) meld(seat tile.Wind, r *ruleset.Rules) (hand.Meld, error) {
	out := hand.Meld{Type: m.Type}
	size := out.Size()
	if len(m.Tiles) != size {
		return out, fmt.Errorf("tiles: %d tiles, a %v has %d", len(m.Tiles), m.Type, size)
	}
	var kinds tile.Set
	out.Kind = tile.NoKind
	for _, f := range m.Tiles {
		kinds |= f.Kind().Bit()
		out.Kind = min(out.Kind, f.Kind())
		out.Reds += red(f)
	}
	run := out.Kind < tile.East && out.Kind.Rank() <= 6 && kinds == 7*out.Kind.Bit()
	if m.Type == hand.Chi && !run || m.Type != hand.Chi && kinds != out.Kind.Bit() {
		return out, fmt.Errorf("tiles: %s is no %v", tile.FormatFaces(m.Tiles), m.Type)
	}
	if m.Type == hand.Chi && r.ChiFrom == ruleset.ChiFromNone {
		return out, errors.New("type: no player may claim a chi under the ruleset")
	}
	if m.From == nil {
		return out, nil
	}
	out.From = uint8(r.SeatWind(ruleset.Chair(*m.From), ruleset.Chair(seat)))
	switch {
	case m.Type == hand.ClosedKan:
		return out, errors.New("from: no player gives a tile of a closed_kan")
	case out.From == 0:
		return out, fmt.Errorf("from: %v is the winner's own seat", seat)
	case m.Type == hand.Chi && r.ChiFrom == ruleset.ChiFromLeft && out.From != 3:
		return out, fmt.Errorf("from: a chi is claimed from the player to the left, %v", (seat+3)&3)
	}
	return out, nil
}
