package dataset

import (
	"fmt"
	"iter"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Import is the source of matches that were played elsewhere. Their walls do not come from
// a seed, so the dataset has them.
type Import struct {
	// Format is the format of the records.
	Format string `json:"format"`
	// Digest is the SHA-256 of the records, so that a dataset is not continued with
	// others.
	Digest string `json:"digest"`
	// From is where a match of the format [Branched] goes on, nil for others. Digest is then
	// that of the manifest of the recorded match.
	From *Position `json:"from,omitempty"`
}

// Branched is the format of matches that go on from a moment of a recorded match.
const Branched = "branch"

// Position is a moment of a recorded match: before the answer with number Actions, from 0. Hand
// and Step are the numbers by which the page of the match shows it, also from 0.
type Position struct {
	Match   uint64 `json:"match"`
	Hand    int    `json:"hand"`
	Step    int    `json:"step"`
	Actions int    `json:"actions"`
}

// String returns the import in words, "none" for nil.
func (i *Import) String() string {
	if i == nil {
		return "none"
	}
	if i.From != nil {
		return fmt.Sprintf("branch from match %d, hand %d, step %d of the run with digest %s", i.From.Match, i.From.Hand, i.From.Step, i.Digest)
	}
	return fmt.Sprintf("%s records with digest %s", i.Format, i.Digest)
}

// Origins returns the rows of table records in the order of the matches. It ends with the
// first error, which is [errors.ErrUnsupported] if the dataset is not an import.
func (d *Dataset) Origins() iter.Seq2[schema.Origin, error] {
	return rows(d, schema.Records, d.layout.Origins, d.checkRecord)
}

// Names returns the names of the players of a match: those of the record, if there are any,
// otherwise those of the agents.
func (d *Dataset) Names(m *sim.Match) (names [sim.NumPlayers]string, err error) {
	if d.Run.Import == nil {
		return d.agentNames(m), nil
	}
	err = d.withBlock(m.Index, func(b *storedBlock) error {
		names, err = b.names(m)
		return err
	})
	return names, err
}

func (d *Dataset) agentNames(m *sim.Match) (names [sim.NumPlayers]string) {
	for p, a := range m.Agents[:d.rules.NumSeats()] {
		names[p] = d.Run.Agents[a]
	}
	return names
}

func (b *storedBlock) names(m *sim.Match) (names [sim.NumPlayers]string, err error) {
	names = b.p.d.agentNames(m)
	if b.p.d.Run.Import == nil {
		return names, nil
	}
	err = b.each(schema.Records, func(r arrow.Record, before int) error {
		i := int(m.Index-b.first) - before
		if i < 0 || i >= int(r.NumRows()) {
			return nil
		}
		row := r.NewSlice(int64(i), int64(i+1))
		defer row.Release()
		for p, name := range b.p.d.layout.Origins.Read(nil, row)[0].Names {
			if name != "" {
				names[p] = strings.Clone(name) // the memory of the record is reused
			}
		}
		return nil
	})
	return names, err
}

// addStarts adds to the logs of an import the standings with which the matches begin.
func (b *storedBlock) addStarts(logs []log) error {
	return b.each(schema.Records, func(r arrow.Record, before int) error {
		for i, row := range b.p.d.layout.Origins.Read(nil, r) {
			n := row.Match - b.first
			if n >= uint64(b.n) {
				return fmt.Errorf("row %d is of match %d", b.fileRow(schema.Records, before+i), row.Match)
			}
			logs[n].start, logs[n].filledIn = row.Start(), !row.WholeWalls
		}
		return nil
	})
}

func (b *storedBlock) addWalls(logs []log) error {
	return b.each(schema.Walls, func(r arrow.Record, before int) error {
		for i, row := range b.p.d.layout.Walls.Read(nil, r) {
			n := row.Match - b.first
			faces, wind := row.Tiles, row.RoundWind
			switch {
			case n >= uint64(b.n) || int(row.Hand) != len(logs[n].walls):
				return fmt.Errorf("row %d is out of order", b.fileRow(schema.Walls, before+i))
			case len(faces) != b.p.d.layout.SetSize:
				return fmt.Errorf("row %d has %d tiles; the set has %d", b.fileRow(schema.Walls, before+i), len(faces), b.p.d.layout.SetSize)
			case wind > 3:
				return fmt.Errorf("row %d: there is no wind %d", b.fileRow(schema.Walls, before+i), wind)
			}
			var wall sim.Wall
			for j, face := range faces {
				if face >= tile.NumFaces {
					return fmt.Errorf("row %d: there is no tile %d", b.fileRow(schema.Walls, before+i), face)
				}
				wall[j] = tile.Face(face)
			}
			if !wall.HasFullSet(&b.p.d.rules.Flow) {
				return fmt.Errorf("row %d: its tiles are not those of the set", b.fileRow(schema.Walls, before+i))
			}
			logs[n].walls = append(logs[n].walls, wall)
			logs[n].roundWind = tile.Wind(wind)
		}
		return nil
	})
}

// countRecords returns the number of rows of table records in the block: one for each
// match.
func (b *storedBlock) countRecords() (int64, error) {
	n := 0
	err := b.each(schema.Records, func(r arrow.Record, _ int) error {
		for _, row := range b.p.d.layout.Origins.Read(nil, r) {
			if row.Match != b.first+uint64(n) {
				return fmt.Errorf("row %d is of match %d, not of match %d", b.fileRow(schema.Records, n), row.Match, b.first+uint64(n))
			}
			n++
		}
		return nil
	})
	if err == nil && n != b.n {
		err = fmt.Errorf("%s: %d rows for %d matches", b.p.files[schema.Records].path, n, b.n)
	}
	return int64(n), err
}
