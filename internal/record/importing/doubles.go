package importing

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// contentDigest is a digest of the events of a match, the same for all records of it.
type contentDigest [16]byte

// digestEvents returns the digest of events of a replayed match. It does not depend on the format of
// the record or on the events that the record leaves out.
func digestEvents(events []sim.Event) contentDigest {
	var buf []byte
	for _, e := range events {
		buf = append(buf, byte(e.Type), byte(e.Player), byte(e.Tile), e.Detail)
		buf = binary.LittleEndian.AppendUint32(buf, uint32(e.Value))
	}
	sum := sha256.Sum256(buf)
	return contentDigest(sum[:])
}

// completeness describes how much of its match a record contains.
type completeness struct {
	content contentDigest
	// id is the name of the match in the record. Names in formats with different units
	// are not compared.
	id, unit string
	walls    bool // whether it has all walls
	size     int
}

func completenessOf(g *record.Game, m *sim.Match, size int) completeness {
	return completeness{content: digestEvents(m.Events), id: g.ID, unit: g.Unit, walls: g.HasWholeWalls(), size: size}
}

// isOtherMatch reports whether two records of the same events are of different matches by their
// names: deterministic programs play some matches twice.
func (t *completeness) isOtherMatch(o *completeness) bool {
	return t.id != "" && o.id != "" && t.unit == o.unit && t.id != o.id
}

// isMoreComplete reports whether the record is more complete than another of the same match.
func (t *completeness) isMoreComplete(o *completeness) bool {
	if t.walls != o.walls {
		return t.walls
	}
	return t.size > o.size
}

// importedRecord is a record that is imported unless a more complete one of its match follows.
type importedRecord struct {
	record *checkedRecord
	about  Note
	group  int
}

// isDouble reports whether another record of the same match is at least as complete. If c
// is more complete, it replaces the other record.
func (im *importer) isDouble(c *checkedRecord, about Note, group int) bool {
	if !im.options.Format.HasDuplicates {
		return false
	}
	list := im.seen[c.completeness.content]
	i := slices.IndexFunc(list, func(o *importedRecord) bool { return !o.record.completeness.isOtherMatch(&c.completeness) })
	if i < 0 {
		im.seen[c.completeness.content] = append(list, &importedRecord{c.summary(), about, group})
		return false
	}
	kept, left := list[i], &importedRecord{c, about, group}
	double := !c.completeness.isMoreComplete(&kept.record.completeness)
	if !double {
		kept, left = &importedRecord{c.summary(), about, group}, kept
		list[i] = kept
		im.drop(left)
	}
	im.report.Doubles.add(left.record, 1)
	note := left.about
	note.Message = fmt.Sprintf("left out as a double: %s is a record of the same match", kept.about.name())
	im.report.Notes = append(im.report.Notes, note)
	return double
}

// summary returns a copy with the fields that drop reads.
func (c *checkedRecord) summary() *checkedRecord {
	return &checkedRecord{
		text: text{file: c.text.file, record: record.Text{Number: c.text.record.Number}}, completeness: c.completeness,
		taken: c.taken, partial: c.partial, hands: c.hands, decisions: c.decisions,
	}
}

func (im *importer) drop(o *importedRecord) {
	im.report.Imported.add(o.record, -1)
	im.report.Rulesets[o.group].add(o.record, -1)
	if im.options.Out == "" {
		return
	}
	g := im.groups[o.group]
	i, _ := slices.BinarySearchFunc(g.matches, o.record, func(m match, c *checkedRecord) int {
		return slices.Compare([]int{int(m.file), int(m.number)}, []int{c.text.file, c.text.record.Number})
	})
	g.matches[i].double = true
}
