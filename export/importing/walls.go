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

// apart is the walls of a match that stand apart from the record of the match.
type apart struct {
	walls *sim.Wall
	// joined tells that a record has got them.
	joined bool
	// refused is why they cannot be imported themselves, about where they stand.
	refused *checked
	about   Note
}

// place is that of a text in the files.
type place struct{ file, number int }

// wallsApart is the walls that stand apart, by their places and by what they have
// in common with their records.
type wallsApart struct {
	at    map[place]*apart
	known map[string][]*apart
	order []*apart
}

// findWalls looks for walls that stand apart from their records.
func (im *importer) findWalls(ctx context.Context) error {
	im.apart = wallsApart{at: map[place]*apart{}, known: map[string][]*apart{}}
	if im.Format.Walls == nil {
		return nil
	}
	for t := range im.texts(func(int) bool { return true }) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if t.err != nil || t.Err != nil {
			continue
		}
		id, walls := im.Format.Walls(t.Text.Text)
		if walls == nil {
			continue
		}
		a := &apart{walls: walls}
		im.apart.at[place{t.file, t.Number}] = a
		im.apart.order = append(im.apart.order, a)
		for _, key := range im.keys(&t, id) {
			im.apart.known[key] = append(im.apart.known[key], a)
		}
	}
	return nil
}

// keys returns what walls and their record have in common: the id of the match,
// or the name of the file up to its first dot and the place in it.
func (im *importer) keys(t *text, id string) []string {
	stem, _, _ := strings.Cut(path.Base(im.files[t.file].Name), ".")
	list := []string{fmt.Sprintf("name %d %s", t.Number, stem)}
	if id != "" {
		list = append([]string{"id " + id}, list...)
	}
	return list
}

// replay plays a record, with the walls that stand apart if it bears them out. It
// returns these walls.
func (im *importer) replay(r *ruleset.Rules, t *text, g *record.Game, m *sim.Match) (d []record.Difference, joined []*apart) {
	if len(im.apart.order) == 0 || len(g.Hands) != 1 {
		return record.Replay(r, g, m), nil
	}
	h := &g.Hands[0]
	own, filled := h.Wall, h.Filled
	for _, key := range im.keys(t, g.ID) {
		list := im.apart.known[key]
		for _, a := range list {
			if !filled && own != nil && *own != *a.walls {
				continue
			}
			h.Wall, h.Filled = a.walls, false
			if d = record.Replay(r, g, m); !record.Whole(d) {
				continue
			}
			for _, same := range list {
				if *same.walls == *a.walls {
					joined = append(joined, same)
				}
			}
			return d, joined
		}
	}
	h.Wall, h.Filled = own, filled
	return record.Replay(r, g, m), nil
}

// noteWalls enters the walls that no record has got into the report.
func (im *importer) noteWalls() {
	for _, a := range im.apart.order {
		if a.refused != nil && !a.joined {
			im.noteUnusable(a.refused, a.about)
		}
	}
}
