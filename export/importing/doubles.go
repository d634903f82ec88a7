package importing

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// content tells what happened in a match from what happened in others.
type content [16]byte

// contentOf returns that of a match as the table has played it, which does not
// depend on the form of the record or on what it leaves out.
func contentOf(m *sim.Match) content {
	var buf []byte
	for _, e := range m.Events {
		buf = append(buf, byte(e.Type), byte(e.Player), byte(e.Tile), e.Detail)
		buf = binary.LittleEndian.AppendUint32(buf, uint32(e.Value))
	}
	sum := sha256.Sum256(buf)
	return content(sum[:])
}

// telling is how much a record tells of its match.
type telling struct {
	content content
	// id is what the record calls the match, unit what its form counts: names in
	// different forms are not compared.
	id, unit string
	// walls tells that it has all of the walls.
	walls bool
	size  int
}

func tellingOf(g *record.Game, m *sim.Match, size int) telling {
	t := telling{content: contentOf(m), id: g.ID, unit: g.Unit, walls: true, size: size}
	for i := range g.Hands {
		t.walls = t.walls && g.Hands[i].Wall != nil && !g.Hands[i].Filled
	}
	return t
}

// differs reports whether two records of the same content call their matches
// differently: programs that draw nothing at random play some matches twice.
func (t *telling) differs(o *telling) bool {
	return t.id != "" && o.id != "" && t.unit == o.unit && t.id != o.id
}

func (t *telling) moreThan(o *telling) bool {
	if t.walls != o.walls {
		return t.walls
	}
	return t.size > o.size
}

// imported is a record that is imported as long as no other tells more of its
// match.
type imported struct {
	record *checked
	about  Note
	group  int
}

// isDouble reports whether a record is of a match of which another tells at least
// as much. If it tells more itself, it takes the place of the other.
func (im *importer) isDouble(c *checked, about Note, group int) bool {
	if !im.Format.Doubles {
		return false
	}
	list := im.seen[c.telling.content]
	i := slices.IndexFunc(list, func(o *imported) bool { return !o.record.telling.differs(&c.telling) })
	if i < 0 {
		im.seen[c.telling.content] = append(list, &imported{c.light(), about, group})
		return false
	}
	kept, left := list[i], &imported{c, about, group}
	double := !c.telling.moreThan(&kept.record.telling)
	if !double {
		kept, left = &imported{c.light(), about, group}, kept
		list[i] = kept
		im.drop(left)
	}
	im.report.Doubles.add(left.record)
	note := left.about
	note.Message = fmt.Sprintf("left out as a double: %s is a record of the same match", kept.about.name())
	im.report.Notes = append(im.report.Notes, note)
	return double
}

// light returns a copy of what is needed to take a record back.
func (c *checked) light() *checked {
	return &checked{
		text: text{file: c.file, Text: record.Text{Number: c.Number}}, telling: c.telling,
		taken: c.taken, partial: c.partial, hands: c.hands, decisions: c.decisions,
	}
}

// drop takes back a record that was imported.
func (im *importer) drop(o *imported) {
	im.report.Imported.remove(o.record)
	im.report.Rulesets[o.group].remove(o.record)
	if im.Out == "" {
		return
	}
	g := im.groups[o.group]
	i, _ := slices.BinarySearchFunc(g.matches, o.record, func(m match, c *checked) int {
		return slices.Compare([]int{int(m.file), int(m.number)}, []int{c.file, c.Number})
	})
	g.matches[i].double = true
}
