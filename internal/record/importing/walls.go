package importing

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// separateWall is the wall of a match in a text of its own, beside the record of the match.
type separateWall struct {
	wall *sim.Wall
	// joined is set once a record uses it.
	joined bool
	// refused is its text as a record, which cannot be imported; about names it.
	refused *checkedRecord
	about   Note
}

// place is the place of a text in the files.
type place struct{ file, number int }

// separateWalls are the separate walls: by their places, by the keys that they share with
// their records, and in their order.
type separateWalls struct {
	at    map[place]*separateWall
	byKey map[string][]*separateWall
	order []*separateWall
}

func (im *importer) findWalls(ctx context.Context) error {
	im.separate = separateWalls{at: map[place]*separateWall{}, byKey: map[string][]*separateWall{}}
	if im.options.Format.ParseWalls == nil {
		return nil
	}
	for t := range im.texts(func(int) bool { return true }) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if t.err != nil || t.record.Err != nil {
			continue
		}
		id, wall := im.options.Format.ParseWalls(t.record.Text)
		if wall == nil {
			continue
		}
		a := &separateWall{wall: wall}
		im.separate.at[place{t.file, t.record.Number}] = a
		im.separate.order = append(im.separate.order, a)
		for _, key := range im.keys(&t, id) {
			im.separate.byKey[key] = append(im.separate.byKey[key], a)
		}
	}
	return nil
}

// keys returns the keys that a separate wall and its record share: the id of the match, or
// the name of the file up to its first dot and the number in it.
func (im *importer) keys(t *text, id string) []string {
	stem, _, _ := strings.Cut(path.Base(im.files[t.file].Name), ".")
	list := []string{fmt.Sprintf("name %d %s", t.record.Number, stem)}
	if id != "" {
		list = append([]string{"id " + id}, list...)
	}
	return list
}

// replay replays a record, with a separate wall if nothing differs with it. It returns the
// walls that the record uses.
func (im *importer) replay(r *ruleset.Rules, t *text, g *record.Game, m *sim.Match) (d []record.Difference, joined []*separateWall) {
	if len(im.separate.order) == 0 || len(g.Hands) != 1 {
		return record.Replay(r, g, m), nil
	}
	h := &g.Hands[0]
	own, filled := h.Wall, h.WallFilledIn
	for _, key := range im.keys(t, g.ID) {
		list := im.separate.byKey[key]
		for _, a := range list {
			if !filled && own != nil && *own != *a.wall {
				continue
			}
			h.Wall, h.WallFilledIn = a.wall, false
			if d = record.Replay(r, g, m); !record.Agrees(d) {
				continue
			}
			for _, same := range list {
				if *same.wall == *a.wall {
					joined = append(joined, same)
				}
			}
			return d, joined
		}
	}
	h.Wall, h.WallFilledIn = own, filled
	return record.Replay(r, g, m), nil
}

// noteWalls enters the separate walls that no record uses into the report.
func (im *importer) noteWalls() {
	for _, a := range im.separate.order {
		if a.refused != nil && !a.joined {
			im.noteUnusable(a.refused, a.about)
		}
	}
}
