package botzone

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/sparrowhall/sparrowhall/internal/record/reading"
	"github.com/sparrowhall/sparrowhall/ruleset/mcr"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// handBuilder builds the only hand of a match.
type handBuilder struct {
	builder reading.Builder
	game    *record.Game
	over    bool // the match
}

func newHandBuilder(unit string, at int) handBuilder {
	g := &record.Game{Unit: unit}
	return handBuilder{builder: reading.Builder{Unit: unit, Place: at, Game: g, Hand: &record.Hand{Place: at}}, game: g}
}

// finish returns the match after what its reading has failed at, if it has. walls finds the walls.
func (b *handBuilder) finish(walls func() error) (*record.Game, error) {
	if err := walls(); err != nil && b.over {
		b.builder.Fail("%v", err)
	} else if err != nil {
		b.builder.Hand.Events = nil // the hand up to the fault cannot be played
	}
	if b.over && b.builder.Hand.Wall != nil {
		b.builder.EndHand()
	}
	return b.builder.Finish()
}

// deal adds the tiles that player p is dealt.
func (b *handBuilder) deal(p sim.Player, kinds []tile.Kind) {
	for _, k := range kinds {
		b.builder.Hand.Deal[p] = append(b.builder.Hand.Deal[p], tile.Face(k))
	}
}

func (b *handBuilder) draw(p sim.Player, k tile.Kind) {
	b.builder.Add(sim.Event{Type: sim.EvDraw, Player: p, Tile: tile.Face(k)})
}

// discard adds a discard; it is tsumogiri if the drawn tile has the same kind.
func (b *handBuilder) discard(p sim.Player, k tile.Kind) {
	drawn := b.ownTurn(p) && b.builder.Last().Tile == tile.Face(k)
	b.builder.Discard(p, tile.Face(k), drawn, false)
}

// ownTurn reports whether player p has just drawn.
func (b *handBuilder) ownTurn(p sim.Player) bool {
	last := b.builder.Last()
	return last.Type == sim.EvDraw && last.Player == p
}

// calls are the events of the words for claims and kans.
var calls = map[string]sim.EventType{
	"CHI": sim.EvChi, "PENG": sim.EvPon, "GANG": sim.EvOpenKan, "ANGANG": sim.EvClosedKan, "BUGANG": sim.EvAddedKan,
}

// call adds a claim or kan by its word with a kind: the middle of a chow, otherwise the
// kind of the meld.
func (b *handBuilder) call(p sim.Player, word string, k tile.Kind) error {
	last := b.builder.Last()
	e := sim.Event{Type: calls[word], Player: p, Tile: tile.Face(k)}
	if e.Type == sim.EvClosedKan || e.Type == sim.EvAddedKan {
		if !b.ownTurn(p) {
			return errOutOfPlace
		}
		b.builder.Add(e)
		return nil
	}
	place := 0
	switch {
	case last.Type != sim.EvDiscard || last.Player == p:
		return errOutOfPlace
	case e.Type == sim.EvChi:
		var err error
		if place, err = b.chiPlace(k); err != nil {
			return err
		}
	case last.Tile != e.Tile:
		return errOutOfPlace
	}
	e.Tile, e.Detail = last.Tile, sim.PackCall(last.Player, place, 0)
	b.builder.Add(e)
	return nil
}

// chiPlace returns the place of the last discard in the chow with the given middle.
func (b *handBuilder) chiPlace(middle tile.Kind) (int, error) {
	last := b.builder.Last().Tile
	place := int(last) - int(middle) + 1
	if place < 0 || place > 2 || middle.IsHonor() || middle.Rank() == 0 || middle.Rank() == 8 {
		return 0, fmt.Errorf("a chow around %s does not hold %s", tileCode(middle), tileText(last))
	}
	return place, nil
}

// tileText returns the code of a tile, "none" for NoFace.
func tileText(f tile.Face) string {
	if f == tile.NoFace {
		return "none"
	}
	return tileCode(f.Kind())
}

// claimActions are the claims of a tile by their words; CHI is that of the lowest tile.
var claimActions = map[string]sim.Action{"HU": sim.ActWin, "PENG": sim.ActPon, "GANG": sim.ActOpenKan, "CHI": sim.ActChi}

// outrank adds a claim of the last tile to those that the last event outranked: the word
// and, for CHI, the code of the middle tile. ok is false if they are no claim.
func (b *handBuilder) outrank(p sim.Player, words []string) (ok bool) {
	a, ok := claimActions[words[0]]
	if a == sim.ActChi {
		middle, err := parseTiles(words[1:min(2, len(words))])
		if err != nil || middle == nil {
			return false
		}
		place, err := b.chiPlace(middle[0])
		if err != nil {
			return false
		}
		a += sim.Action(place)
	}
	if ok = ok && (a == sim.ActWin || b.builder.Last().Type == sim.EvDiscard); ok {
		e := &b.builder.Hand.Events[len(b.builder.Hand.Events)-1]
		e.Outranked = append(e.Outranked, record.OutrankedClaim{Player: p, Action: a})
	}
	return ok
}

// win adds a win on the last tile.
func (b *handBuilder) win(p sim.Player) {
	last := b.builder.Last()
	b.builder.Add(sim.Event{Type: sim.EvWin, Player: p, Tile: last.Tile, Value: int32(last.Player)})
}

// value adds the value of the winning hand: the sum, which may be NotGiven, and the fan by
// their Chinese names.
func (b *handBuilder) value(points int32, fan []fanEntry) {
	w := record.Win{Points: points, Han: record.NotGiven, Fu: record.NotGiven, Yakuman: record.NotGiven}
	b.builder.Hand.Wins = []record.Win{w}
	if len(fan) == 0 {
		return
	}
	patterns := map[string]int{}
	priced, rest := "", int(points)
	for _, f := range fan {
		listed, ok := fanTable()[f.name]
		id, value := listed.id, f.value
		if !ok {
			id = f.name // an unknown fan, which the comparison reports
		}
		switch {
		case f.count == 0:
			continue
		case value == 0 && listed.points == 0 && ok:
			if priced != "" || points == record.NotGiven {
				return
			}
			priced = id
			continue
		case value == 0:
			value = listed.points
		}
		patterns[id] += f.count * value
		rest -= f.count * value
	}
	if priced != "" {
		// The price of this fan depends on the rules: it is the rest of the sum.
		patterns[priced] = rest
	}
	b.builder.Hand.Wins[0].Patterns = patterns
}

// fanEntry is a fan of a winning hand, by its Chinese name; value is 0 if not given.
type fanEntry struct {
	name         string
	count, value int
}

type fan struct {
	id     string
	points int
}

// fanTable returns the fan by their Chinese names.
var fanTable = sync.OnceValue(func() map[string]fan {
	table := map[string]fan{}
	cfg := mcr.Family.New()
	patterns := cfg.Compile().Patterns()
	for _, k := range mcr.Family.Knobs(cfg) {
		if k.Prices() == nil {
			continue
		}
		for i, l := range k.Listings() {
			table[patterns[i].Native] = fan{patterns[i].ID, int(l.Listed.Closed)}
		}
	}
	return table
})

const (
	seatWall   = 136 / sim.NumPlayers
	dealtTiles = 13
)

// wallOf returns the walls of a log, each of which is drawn from its end.
func wallOf(codes []string) (*sim.Wall, error) {
	if len(codes) != 4*seatWall {
		return nil, fmt.Errorf("%d tiles in the walls; want %d", len(codes), 4*seatWall)
	}
	kinds, err := parseTiles(codes)
	if err != nil {
		return nil, err
	}
	wall := sim.EmptyWall()
	for i, k := range kinds {
		wall[i/seatWall*seatWall+seatWall-1-i%seatWall] = tile.Face(k)
	}
	return wall, tile.CheckCopies(wall[:4*seatWall])
}

// rebuild builds the walls from the tiles dealt and drawn, and fills in the others by
// kind.
func (b *handBuilder) rebuild() error {
	drawn := b.builder.Hand.Deal
	for _, e := range b.builder.Hand.Events {
		if e.Type == sim.EvDraw {
			drawn[e.Player] = append(slices.Clip(drawn[e.Player]), e.Tile)
		}
	}
	wall := sim.EmptyWall()
	var left [tile.NumKinds]int
	for p, drawn := range drawn {
		if len(drawn) < dealtTiles || len(drawn) > seatWall {
			return fmt.Errorf("player %d is dealt and draws %d tiles; his wall has %d", p, len(drawn), seatWall)
		}
		for i, f := range drawn {
			wall[p*seatWall+i] = f
			left[f]++
		}
	}
	k := 0
	for i := range 4 * seatWall {
		if wall[i] != tile.NoFace {
			continue
		}
		for k < tile.NumKinds && left[k] >= 4 {
			k++
		}
		if k == tile.NumKinds {
			break
		}
		wall[i] = tile.Face(k)
		left[k]++
	}
	b.builder.Hand.Wall, b.builder.Hand.WallFilledIn = wall, true
	return tile.CheckCopies(wall[:4*seatWall])
}

// setPoints sets the points that the players gain, which are those at the end of the match.
func (b *handBuilder) setPoints(points [sim.NumPlayers]int32) {
	b.builder.Hand.Deltas, b.game.Points = &points, &points
}

// setRoundWind parses the round wind of the match, 0 to 3 for East to North.
func (b *handBuilder) setRoundWind(text string) error {
	if len(text) != 1 || text[0] < '0' || text[0] > '3' {
		return fmt.Errorf("round wind %q; want 0 to 3", text)
	}
	w := tile.Wind(text[0] - '0')
	b.game.RoundWind = &w
	return nil
}

var errOutOfPlace = errors.New("out of place")
