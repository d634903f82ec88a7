package record

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Difference is a contradiction between a record and its replay, or a note.
type Difference struct {
	// Hand is the number of the hand in the match, from 0; -1 for the match as a whole.
	Hand int
	// Place is the place in the file, such as "line 12"; empty if there is none.
	Place   string
	Message string
	// Part marks a record of a part of a match, which begins or ends in the middle.
	Part bool
	// Note marks information that is no contradiction, such as an ambiguity of the
	// record.
	Note bool
}

// AgreesInPart reports whether list has only notes and the differences of a record of a
// part of a match.
func AgreesInPart(list []Difference) bool {
	return !slices.ContainsFunc(list, func(d Difference) bool { return !d.Part && !d.Note })
}

// Agrees reports whether list has only notes.
func Agrees(list []Difference) bool {
	return !slices.ContainsFunc(list, func(d Difference) bool { return !d.Note })
}

// expect compares an event of the table with the next event of the record.
func (c *checker) expect(e sim.Event) bool {
	if c.next == len(c.recorded) {
		c.differ(c.record.Place, "the record of the hand ends; by the rules %s", describe(e))
		return false
	}
	n := &c.recorded[c.next]
	if n.Type == sim.EvForfeit && e.Type == sim.EvDraw {
		// The forfeiting player is not asked; the forfeit follows at the next decision.
		return true
	}
	if drawn, _ := e.Discard(); e.Type == sim.EvDiscard && n.Type == e.Type && drawn {
		if asDrawn, _ := n.Discard(); !asDrawn && n.Player == e.Player && n.Tile == e.Tile {
			c.takeAsDrawn(n) // after riichi, where the player is not asked
		}
	}
	want, got := comparableEvent(n.Event), comparableEvent(e)
	if n.Type == sim.EvAbort && n.Detail == UnknownAbort && (e.Type == sim.EvAbort || e.Type == sim.EvExhausted) {
		want = got
	}
	if want != got {
		c.differ(n.Place, "the record: %s; by the rules: %s", describe(n.Event), describe(e))
		return false
	}
	c.next++
	return true
}

// comparableEvent returns an event without the fields that records need not have.
func comparableEvent(e sim.Event) sim.Event {
	switch e.Type {
	case sim.EvDraw, sim.EvFlower, sim.EvClosedKan, sim.EvAddedKan:
		e.Detail, e.Value = 0, 0
	case sim.EvReady:
		e.Tile, e.Detail = tile.NoFace, 0
	case sim.EvWin:
		e.Detail = 0
	case sim.EvDiscard, sim.EvChi, sim.EvPon, sim.EvOpenKan:
		e.Value = 0
		if e.Type == sim.EvOpenKan {
			giver, _, _ := e.Call()
			e.Detail = sim.PackCall(giver, 0, 0) // the red fives follow from the tiles
		}
	case sim.EvAbort, sim.EvDeclare:
		e.Tile, e.Value = tile.NoFace, 0
	case sim.EvExhausted:
		e = sim.Event{Type: sim.EvExhausted}
	}
	if e.Type == sim.EvAbort {
		e.Player = -1
	}
	return e
}

// compareDeal checks that a given wall deals the tiles of the record.
func (c *checker) compareDeal(e sim.Event) {
	if c.record.Wall == nil {
		return
	}
	dealt := append(c.dealt[e.Player], DealtTiles(e)...)
	c.dealt[e.Player] = dealt
	if len(dealt) < c.rules.HandSize {
		return
	}
	recorded := slices.Clone(c.record.Deal[e.Player])
	tile.SortFaces(recorded)
	tile.SortFaces(dealt)
	if !slices.Equal(recorded, dealt) {
		c.differ(c.record.Place, "another wall: player %d is dealt %s; in the wall it is %s", e.Player, tile.FormatFaces(recorded), tile.FormatFaces(dealt))
	}
}

// compareIndicator compares a dora indicator that the table turns with the record.
func (c *checker) compareIndicator(e sim.Event) {
	if e.Ura() {
		last := &c.ura[len(c.ura)-1]
		*last = append(*last, e.Tile)
		return
	}
	switch {
	case c.dorasDiffer:
	case c.turned == len(c.doras):
		c.differ(c.record.Place, "by the rules dora indicator %v is turned; the record does not have it", e.Tile)
		c.dorasDiffer = true
	case c.doras[c.turned].Tile != e.Tile:
		d := &c.doras[c.turned]
		c.differ(d.Place, "the record turns dora indicator %v; in the wall it is %v", d.Tile, e.Tile)
		c.dorasDiffer = true
	}
	c.turned++
}

// compareEnd compares how the hand ended.
func (c *checker) compareEnd(h *Hand) {
	if !c.dorasDiffer && c.turned < len(c.doras) {
		d := &c.doras[c.turned]
		c.differ(d.Place, "the record turns dora indicator %v, which stays hidden by kan_dora_timing_open and kan_dora_timing_ankan", d.Tile)
	}
	at := h.Place
	if n := len(c.recorded); n > 0 {
		at = c.recorded[n-1].Place
	}
	for i := range h.Wins {
		if i < len(c.values) {
			c.compareWin(at, &h.Wins[i], &c.values[i], c.ura[i])
		}
	}
	if h.Deltas != nil && *h.Deltas != c.paid {
		c.differ(at, "the players gain %s, by the rules %s", c.points(h.Deltas), c.points(&c.paid))
	}
}

func (c *checker) compareWin(at int, w *Win, v *ruleset.Value, ura []tile.Face) {
	for _, n := range [...]struct {
		name          string
		recorded, got int32
	}{
		{"points", w.Points, v.Points},
		{"han", w.Han, int32(v.Han)},
		{"fu", w.Fu, int32(v.Fu)},
		{"yakuman", w.Yakuman, int32(v.Yakuman)},
	} {
		if n.recorded != NotGiven && n.recorded != n.got {
			c.differ(at, "the hand is worth %d %s, by the rules %d", n.recorded, n.name, n.got)
		}
	}
	if w.Patterns != nil {
		all := c.rules.Patterns()
		got := map[string]int{}
		for _, p := range v.Patterns[:v.NumPatterns] {
			got[all[p.Pattern].ID] += int(p.Points)
		}
		if _, apart := w.Patterns["nuki_dora"]; !apart && got["nuki_dora"] > 0 {
			got["dora"] += got["nuki_dora"]
			delete(got, "nuki_dora")
		}
		if !maps.Equal(got, w.Patterns) {
			c.differ(at, "the hand has %s, by the rules %s", patternsText(w.Patterns), patternsText(got))
			// Readings of a hand may tie. Where the value is a sum, equal sums suffice.
			c.differences[len(c.differences)-1].Note = w.Han == NotGiven && w.Points == v.Points
		}
	}
	if w.Ura != nil && !slices.Equal(w.Ura, ura) {
		c.differ(at, "the ura indicators are %s, in the wall %s", tile.FormatFaces(w.Ura), tile.FormatFaces(ura))
	}
}

func patternsText(p map[string]int) string {
	var list []string
	for _, id := range slices.Sorted(maps.Keys(p)) {
		list = append(list, fmt.Sprintf("%s %d", id, p[id]))
	}
	return strings.Join(list, ", ")
}

// comparePoints compares the points at the end of the match.
func (c *checker) comparePoints(points [sim.NumPlayers]int32) {
	if c.game.Points != nil && *c.game.Points != points {
		c.hand = -1
		c.differ(0, "the match ends with %s points, by the rules with %s", c.points(c.game.Points), c.points(&points))
	}
}

// descriptions describe the events in which only the player and the tile matter.
var descriptions = map[sim.EventType]string{
	sim.EvDraw: "WHO draws TILE", sim.EvFlower: "WHO exposes TILE", sim.EvFlowerChoice: "WHO chooses about the flowers",
	sim.EvClosedKan: "WHO declares a closed kan of TILE", sim.EvAddedKan: "WHO adds TILE to a pon", sim.EvKita: "WHO sets a North aside",
	sim.EvDiscard: "WHO discards TILE", sim.EvForfeit: "WHO forfeits", sim.EvExhausted: "the wall is exhausted",
}

func describe(e sim.Event) string {
	who := fmt.Sprintf("player %d", e.Player)
	s := strings.NewReplacer("WHO", who, "TILE", e.Tile.String()).Replace(descriptions[e.Type])
	switch e.Type {
	case sim.EvDiscard:
		drawn, ready := e.Discard()
		if drawn {
			s += ", just drawn"
		}
		if ready {
			s += ", with riichi"
		}
	case sim.EvReady:
		if _, accepted := e.Ready(); accepted {
			return who + " stakes for riichi"
		}
		return who + " declares riichi"
	case sim.EvChi, sim.EvPon, sim.EvOpenKan:
		giver, _, _ := e.Call()
		return fmt.Sprintf("%s claims %v of player %d by %v", who, e.Tile, giver, e.Action())
	case sim.EvDeclare:
		if e.Declare() {
			return who + " declares tenpai"
		}
		return who + " declares noten"
	case sim.EvWin:
		if _, giver := e.Win(); giver != e.Player {
			return fmt.Sprintf("%s wins on %v of player %d", who, e.Tile, giver)
		}
		return fmt.Sprintf("%s wins by self-draw of %v", who, e.Tile)
	case sim.EvAbort:
		if e.Detail == UnknownAbort {
			return "the hand ends without a winner"
		}
		return fmt.Sprintf("the hand is aborted: %v", e.Abort())
	}
	return s
}
