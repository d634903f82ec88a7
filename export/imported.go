package export

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Import is what makes the dataset of matches that were played elsewhere. Their
// walls do not come from a seed, so they are recorded.
type Import struct {
	// Format is the form of the records.
	Format string `json:"format"`
	// Digest is the SHA-256 of the records, so that a dataset is not continued
	// with others.
	Digest string `json:"digest"`
}

// describe returns the import in words.
func (i *Import) describe() string {
	if i == nil {
		return "none"
	}
	return fmt.Sprintf("%s records with digest %s", i.Format, i.Digest)
}

// Origin is where a match of an import comes from: a row of table records.
type Origin struct {
	Match uint64
	// Record is the name of the file in the folder that was imported, Part the
	// number of the match in it, from 0.
	Record string
	Part   uint32
	// Names are those of the players.
	Names [sim.NumPlayers]string
	// WholeWalls tells whether the record gives the walls; otherwise the tiles that
	// nobody saw are filled in.
	WholeWalls bool
	// CutBefore tells whether the record begins in the midst of its match, at the
	// standing that the match was replayed from; see [sim.Match.Start].
	CutBefore                   bool
	StartRound, StartDealer     uint8
	StartCounter, StartDeposits uint16
	StartPoints                 [sim.NumPlayers]int32
}

// start returns where the match begins, nil for its beginning.
func (r *Origin) start() *sim.Standing {
	if !r.CutBefore {
		return nil
	}
	return &sim.Standing{
		Round: int(r.StartRound), Dealer: sim.Player(r.StartDealer & 3),
		Counter: int(r.StartCounter), Deposits: int(r.StartDeposits), Points: r.StartPoints,
	}
}

// setStart sets where the match begins.
func (r *Origin) setStart(s *sim.Standing) {
	if r.CutBefore = s != nil; !r.CutBefore {
		return
	}
	r.StartRound, r.StartDealer = uint8(s.Round), uint8(s.Dealer)
	r.StartCounter, r.StartDeposits, r.StartPoints = uint16(s.Counter), uint16(s.Deposits), s.Points
}

// size is about what the row takes beside the columns of fixed size.
func (r *Origin) size() int {
	n := len(r.Record)
	for _, name := range r.Names {
		n += len(name)
	}
	return n
}

// wallRow is the wall of a hand.
type wallRow struct {
	match     uint64
	hand      uint16
	tiles     []byte
	roundWind uint8
}

// partsAndStarts is the schema version from which on a file may have more than
// 65,536 matches and a match may begin in its midst.
const partsAndStarts = 2

func originColumns() []column[Origin] {
	return []column[Origin]{
		scalar("match", noUnit, "number of the match in the run, from 0", func(r *Origin) *uint64 { return &r.Match }),
		scalar("record", noUnit, "name of the file that the match was read from", func(r *Origin) *string { return &r.Record }),
		scalar("part", noUnit, "number of the match in the file, from 0", func(r *Origin) *uint32 { return &r.Part }).from(partsAndStarts),
		{
			field: scalar("part", noUnit, "number of the match in the file, from 0", func(*Origin) *uint16 { return nil }).field,
			read:  func(a arrow.Array, i int, r *Origin) { r.Part = uint32(a.(*array.Uint16).Value(i)) },
			until: partsAndStarts - 1,
		},
		four("names", noUnit, "names of the players, empty where the record has none", func(r *Origin) *[4]string { return &r.Names }),
		scalar("whole_walls", noUnit, "the record gives the walls; otherwise the tiles that were never dealt, drawn or turned are filled in", func(r *Origin) *bool { return &r.WholeWalls }),
		scalar("cut_before", noUnit, "the record begins in the midst of its match, where the columns start_ say; otherwise these are 0", func(r *Origin) *bool { return &r.CutBefore }).from(partsAndStarts),
		scalar("start_round", noUnit, "wind round in which the record begins: 0 East, 1 South, ...", func(r *Origin) *uint8 { return &r.StartRound }).from(partsAndStarts),
		scalar("start_dealer", inPlayers, "who deals first in the record", func(r *Origin) *uint8 { return &r.StartDealer }).from(partsAndStarts),
		scalar("start_counter", noUnit, "honba or dealer repeats when the record begins", func(r *Origin) *uint16 { return &r.StartCounter }).from(partsAndStarts),
		scalar("start_deposits", inSticks, "riichi sticks on the table when the record begins", func(r *Origin) *uint16 { return &r.StartDeposits }).from(partsAndStarts),
		four("start_points", inPoints, "points of each player when the record begins", func(r *Origin) *[4]int32 { return &r.StartPoints }).from(partsAndStarts),
	}
}

func wallColumns() []column[wallRow] {
	return []column[wallRow]{
		scalar("match", noUnit, "number of the match in the run, from 0", func(r *wallRow) *uint64 { return &r.match }),
		scalar("hand", noUnit, "number of the hand in the match, from 0", func(r *wallRow) *uint16 { return &r.hand }),
		scalar("tiles", "faces", "the wall in the order in which it is taken from the front, a face each byte: 0-33 the kinds 1m..9m 1p..9p 1s..9s 1z..7z, 34-36 the red fives, 37-44 the flowers", func(r *wallRow) *[]byte { return &r.tiles }),
		scalar("round_wind", noUnit, "the round wind under rules that draw one for a match, 0-3 East South West North; otherwise 0", func(r *wallRow) *uint8 { return &r.roundWind }),
	}
}

// AddImported is Add for a match of an import, which was replayed with its walls.
func (b *Block) AddImported(m *sim.Match, r *Origin) error {
	b.begin(m.Index)
	if b.tables != nil {
		if err := b.tables.addOrigin(m, r); err != nil {
			return err
		}
	}
	return b.Add(m)
}

// addOrigin adds the rows of a match of an import.
func (t *tables) addOrigin(m *sim.Match, r *Origin) error {
	row := *r
	row.Match = m.Index
	row.setStart(m.Start)
	if err := t.records.add([]Origin{row}); err != nil {
		return err
	}
	rows := make([]wallRow, len(m.Walls))
	for i := range m.Walls {
		rows[i] = wallRow{m.Index, uint16(i), make([]byte, t.layout.setSize), uint8(m.RoundWind)}
		for j := range rows[i].tiles {
			rows[i].tiles[j] = byte(m.Walls[i][j])
		}
	}
	return t.walls.add(rows)
}

// Origins returns where the matches come from, the rows of table records, in the order of the matches. It
// ends with the first error, which is [errors.ErrUnsupported] if the dataset is
// not of an import.
func (d *Dataset) Origins() iter.Seq2[Origin, error] {
	return rows(d, Records, d.layout.records, d.checkRecord)
}

// Names returns the names of those who played a match: of an import those in the
// record where it has any, otherwise those of the agents.
func (d *Dataset) Names(m *sim.Match) (names [sim.NumPlayers]string, err error) {
	if d.Run.Import == nil {
		return d.agentNames(m), nil
	}
	p, err := d.openPart(m.Index/d.Run.FileMatches, d.layout.replayTables(), false)
	if err != nil {
		return names, err
	}
	defer p.close()
	b := p.block(int(m.Index % d.Run.FileMatches / sim.BlockSize))
	defer b.release()
	return b.names(m)
}

// agentNames returns the names of the agents that played a match.
func (d *Dataset) agentNames(m *sim.Match) (names [sim.NumPlayers]string) {
	for p, a := range m.Agents {
		names[p] = d.Run.Agents[a]
	}
	return names
}

// names returns the names of those who played a match of the block.
func (b *storedBlock) names(m *sim.Match) (names [sim.NumPlayers]string, err error) {
	names = b.p.d.agentNames(m)
	if b.p.d.Run.Import == nil {
		return names, nil
	}
	err = b.each(Records, func(r arrow.Record, before int) error {
		i := int(m.Index-b.first) - before
		if i < 0 || i >= int(r.NumRows()) {
			return nil
		}
		var row Origin
		for k, c := range b.p.d.layout.records {
			c.read(r.Column(k), i, &row)
		}
		for p, name := range row.Names {
			if name != "" {
				names[p] = strings.Clone(name) // the record is of no use later
			}
		}
		return nil
	})
	return names, err
}

// starts adds to the logs of the block of an import where the matches begin.
func (b *storedBlock) starts(logs []log) error {
	return b.each(Records, func(r arrow.Record, before int) error {
		for i, row := range readRows(nil, b.p.d.layout.records, r) {
			n := row.Match - b.first
			if n >= uint64(b.n) {
				return fmt.Errorf("row %d is of match %d", b.fileRow(Records, before+i), row.Match)
			}
			logs[n].start = row.start()
		}
		return nil
	})
}

// walls adds the walls of an import to the logs of the block.
func (b *storedBlock) walls(logs []log) error {
	return b.each(Walls, func(r arrow.Record, before int) error {
		matches := r.Column(0).(*array.Uint64)
		hands := r.Column(1).(*array.Uint16)
		tiles := r.Column(2).(*array.Binary)
		winds := r.Column(3).(*array.Uint8)
		for i := range int(r.NumRows()) {
			n := matches.Value(i) - b.first
			faces, wind := tiles.Value(i), winds.Value(i)
			switch {
			case n >= uint64(b.n) || int(hands.Value(i)) != len(logs[n].walls):
				return fmt.Errorf("row %d is out of order", b.fileRow(Walls, before+i))
			case len(faces) != b.p.d.layout.setSize:
				return fmt.Errorf("row %d has %d tiles; the set has %d", b.fileRow(Walls, before+i), len(faces), b.p.d.layout.setSize)
			case wind > 3:
				return fmt.Errorf("row %d: there is no wind %d", b.fileRow(Walls, before+i), wind)
			}
			var wall sim.Wall
			for j, face := range faces {
				if face >= tile.NumFaces {
					return fmt.Errorf("row %d: there is no tile %d", b.fileRow(Walls, before+i), face)
				}
				wall[j] = tile.Face(face)
			}
			if !wall.IsOf(&b.p.d.rules.Flow) {
				return fmt.Errorf("row %d: its tiles are not those of the set", b.fileRow(Walls, before+i))
			}
			logs[n].walls = append(logs[n].walls, wall)
			logs[n].roundWind = tile.Wind(wind)
		}
		return nil
	})
}

// countRecords returns the number of rows of table records in the block, which
// has one for each match.
func (b *storedBlock) countRecords() (int64, error) {
	n := 0
	err := b.each(Records, func(r arrow.Record, _ int) error {
		for _, row := range readRows(nil, b.p.d.layout.records, r) {
			if row.Match != b.first+uint64(n) {
				return fmt.Errorf("row %d is of match %d, not of match %d", b.fileRow(Records, n), row.Match, b.first+uint64(n))
			}
			n++
		}
		return nil
	})
	if err == nil && n != b.n {
		err = fmt.Errorf("%s: %d rows for %d matches", b.p.files[Records].path, n, b.n)
	}
	return int64(n), err
}

// replayTables are the tables that a match is played again from.
func (l *layout) replayTables() []Table {
	tables := l.tables[:l.logTable()+1]
	if slices.Contains(l.tables, Walls) {
		tables = append(slices.Clip(tables), Records, Walls)
	}
	return tables
}
