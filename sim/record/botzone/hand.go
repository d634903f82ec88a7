package botzone

import (
	"errors"
	"fmt"
	"sync"

	"github.com/sparrowhall/sparrowhall/ruleset/mcr"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// handBuilder builds the only hand of a match.
type handBuilder struct {
	record.Builder
	game  *record.Game
	drawn [sim.NumPlayers][]tile.Face // the deal and the draws of each player
	last  sim.Event                   // the last draw, discard or added kan
}

func newHandBuilder(unit string, at int) handBuilder {
	g := &record.Game{Unit: unit, Hands: []record.Hand{{Place: at}}}
	return handBuilder{Builder: record.Builder{Unit: unit, Place: at, Hand: &g.Hands[0]}, game: g, last: noEvent}
}

// add appends an event.
func (b *handBuilder) add(e sim.Event) {
	b.Add(e)
	switch e.Type {
	case sim.EvDraw, sim.EvDiscard, sim.EvAddedKan:
		b.last = e
	}
}

// deal adds a tile that player p is dealt.
func (b *handBuilder) deal(p sim.Player, k tile.Kind) {
	b.Hand.Deal[p] = append(b.Hand.Deal[p], tile.Face(k))
	b.drawn[p] = append(b.drawn[p], tile.Face(k))
}

func (b *handBuilder) draw(p sim.Player, k tile.Kind) {
	b.drawn[p] = append(b.drawn[p], tile.Face(k))
	b.add(sim.Event{Type: sim.EvDraw, Player: p, Tile: tile.Face(k)})
}

// discard adds a discard; it is tsumogiri if the drawn tile has the same kind.
func (b *handBuilder) discard(p sim.Player, k tile.Kind) {
	marks := uint8(0)
	if b.last.Type == sim.EvDraw && b.last.Player == p && tile.Face(k) == b.last.Tile {
		marks = sim.DiscardDrawn
	}
	b.add(sim.Event{Type: sim.EvDiscard, Player: p, Tile: tile.Face(k), Detail: marks})
}

// ownTurn reports whether player p has just drawn.
func (b *handBuilder) ownTurn(p sim.Player) bool {
	return b.last.Type == sim.EvDraw && b.last.Player == p
}

// canClaim reports whether another player than p has just discarded.
func (b *handBuilder) canClaim(p sim.Player) bool {
	return b.last.Type == sim.EvDiscard && b.last.Player != p
}

// call adds a claim of the last discard.
func (b *handBuilder) call(t sim.EventType, p sim.Player, place int) {
	b.add(sim.Event{Type: t, Player: p, Tile: b.last.Tile, Detail: sim.PackCall(b.last.Player, place, 0)})
}

// chiPlace returns the place of the last discard in the chow with the given middle.
func (b *handBuilder) chiPlace(middle tile.Kind) (int, error) {
	place := int(b.last.Tile) - int(middle) + 1
	if place < 0 || place > 2 || middle.IsHonor() || middle.Rank() == 0 || middle.Rank() == 8 {
		return 0, fmt.Errorf("a chow around %s does not hold %s", tileCode(middle), tileCode(b.last.Tile.Kind()))
	}
	return place, nil
}

// win adds a win on the last tile.
func (b *handBuilder) win(p sim.Player) {
	b.add(sim.Event{Type: sim.EvWin, Player: p, Tile: b.last.Tile, Value: int32(b.last.Player)})
}

// value adds the value of the winning hand: the sum, which may be NotGiven, and the fan by
// their Chinese names.
func (b *handBuilder) value(points int32, fan []fanEntry) {
	w := record.Win{Points: points, Han: record.NotGiven, Fu: record.NotGiven, Yakuman: record.NotGiven}
	b.Hand.Wins = []record.Win{w}
	if len(fan) == 0 {
		return
	}
	patterns := map[string]int{}
	priced, rest := "", int(points)
	for _, f := range fan {
		known, ok := fanTable()[f.name]
		id, value := known.id, f.value
		if !ok {
			id = f.name // an unknown fan, which the comparison reports
		}
		switch {
		case f.count == 0:
			continue
		case value == 0 && known.points == 0 && ok:
			if priced != "" || points == record.NotGiven {
				return
			}
			priced = id
			continue
		case value == 0:
			value = known.points
		}
		patterns[id] += f.count * value
		rest -= f.count * value
	}
	if priced != "" {
		// The price of this fan depends on the rules: it is the rest of the sum.
		patterns[priced] = rest
	}
	b.Hand.Wins[0].Patterns = patterns
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
	wall := emptyWall()
	for i, code := range codes {
		k, err := parseTile(code)
		if err != nil {
			return nil, err
		}
		wall[i/seatWall*seatWall+seatWall-1-i%seatWall] = tile.Face(k)
	}
	return wall, tile.CheckCopies(wall[:4*seatWall])
}

func emptyWall() *sim.Wall {
	wall := &sim.Wall{}
	for i := range wall {
		wall[i] = tile.NoFace
	}
	return wall
}

// rebuild builds the walls from the tiles dealt and drawn, and fills in the others by
// kind.
func (b *handBuilder) rebuild() error {
	wall := emptyWall()
	var left [tile.NumKinds]int
	for p, drawn := range b.drawn {
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
	b.Hand.Wall, b.Hand.WallFilledIn = wall, true
	return tile.CheckCopies(wall[:4*seatWall])
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
