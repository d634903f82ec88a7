package tables

import (
	"encoding/binary"
	"time"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// The columns of rows. A row is what one player of the client sees at one decision; a last
// row is the row of a player at the end of an episode. The columns from ColumnLastRow to
// ColumnLastSharedRank have an entry for each last row only. The tensors of the observation
// follow from NumColumns on.
const (
	ColumnTable          = iota // uint32
	ColumnPlayer                // uint8
	ColumnStep                  // uint32
	ColumnFlags                 // uint8, bits below
	ColumnReward                // int32, units gained since the player's last decision
	ColumnOwed                  // int32, change of net debts; empty under rules without debts
	ColumnMask                  // MaskBytes
	ColumnLastRow               // uint32, number of the row in the batch
	ColumnLastPoints            // int32, units at the end of the episode
	ColumnLastRank              // uint8, place in the match; 0 before its end
	ColumnLastPlacement         // int32, placement points as in ruleset.Placement
	ColumnLastSeed              // uint64, seed of the match; 0 before its end
	ColumnLastSharedRank        // uint8, twice the mean rank of those tied; 0 before the match's end
	NumColumns
)

// MaskBytes is the number of bytes of a mask in memory: three words of 64 bits.
const MaskBytes = 24

// packedMaskBytes is the number of bytes of a mask in a message.
const packedMaskBytes = observe.MaskSize

// The bits of ColumnFlags, which are those of RowFlag in the protocol.
const (
	Asked      = 1 << iota // the player must answer
	First                  // the player's first row in the episode
	Terminated             // the episode has ended by the rules
	Truncated              // the episode was cut off by the knob max_hands
	MatchOver              // the match is over
)

// Form is how the bits of observations and masks are stored in a Target.
type Form uint8

// The forms.
const (
	// Packed has 8 bits of an observation a byte.
	Packed Form = iota
	// Unpacked has a byte for each bit of an observation.
	Unpacked
	// Both is Packed, followed by a column for each tensor with a byte for each bit, filled
	// after Scheduler.Unpack, and a column of masks with a byte for each action.
	Both
)

// RowBytes returns the number of bytes of a row in each column of a form, 0 for columns
// that the rules do not use.
func (c *Config) RowBytes(form Form) []int {
	sizes := []int{
		ColumnTable: 4, ColumnPlayer: 1, ColumnStep: 4, ColumnFlags: 1, ColumnReward: 4, ColumnOwed: 0, ColumnMask: MaskBytes,
		ColumnLastRow: 4, ColumnLastPoints: 4, ColumnLastRank: 1, ColumnLastPlacement: 4, ColumnLastSeed: 8, ColumnLastSharedRank: 1,
	}
	if c.hasDebts() {
		sizes[ColumnOwed] = 4
	}
	if form != Unpacked {
		for i := range c.Tensors() {
			sizes = append(sizes, c.Observation.Tensors[i].Size())
		}
	}
	if form != Packed {
		for i := range c.Tensors() {
			sizes = append(sizes, c.Observation.Tensors[i].UnpackedSize())
		}
	}
	if form == Both {
		_, actions := sim.ActionTable(c.Rules.NumSeats())
		sizes = append(sizes, actions)
	}
	return sizes
}

// Tensors returns the number of tensors of the observation.
func (c *Config) Tensors() int {
	if c.Observation == nil {
		return 0
	}
	return len(c.Observation.Tensors)
}

// Piece is the rows of up to pieceTables tables, written by one worker. The row numbers
// in its column ColumnLastRow count from its own first row. Callers pass pieces from
// Scheduler.Played to Scheduler.Collect.
type Piece struct {
	round   *Round
	order   int      // position in the round
	items   []uint32 // tables, or rows of a playout
	rows    int
	asked   int // rows to be answered
	took    time.Duration
	columns [][]byte
	own     [][]byte // memory of the columns unless they are placed
	placed  bool     // the columns lie in the round's Target
	failed  error    // a *PanicError
}

func newPiece(c *Config) *Piece {
	n := NumColumns + 2*c.Tensors() + 1 // as many as any form has
	return &Piece{columns: make([][]byte, n), own: make([][]byte, n)}
}

func (p *Piece) lastRows() int { return len(p.columns[ColumnLastRow]) / 4 }

// unplace copies the columns from the round's Target into memory of the piece, with
// observations packed.
func (p *Piece) unplace(s *Scheduler) {
	for i, c := range p.columns {
		if p.placed {
			p.columns[i] = append(p.own[i][:0], c...)
		}
		if tensor := i - NumColumns; s.form == Unpacked && tensor >= 0 && tensor < s.Config.Tensors() {
			p.columns[i] = s.Config.Observation.Tensors[tensor].AppendPacked(nil, p.columns[i])
		}
	}
	p.placed = false
}

// clear empties the piece and keeps its memory.
func (p *Piece) clear() {
	p.round, p.items, p.rows, p.asked, p.failed = nil, p.items[:0], 0, 0, nil
	if !p.placed {
		copy(p.own, p.columns)
	}
	p.placed = false
	for i := range p.columns {
		p.columns[i] = p.own[i][:0]
	}
}

// episodeEnd is how an episode has ended for one player.
type episodeEnd struct {
	points     int32
	rank       uint8
	placement  ruleset.Placement
	seed       uint64
	sharedRank uint8
}

// passAlone is the mask of a last row: a policy that is applied to whole batches divides by the
// number of legal actions, and its answer there is passed over.
var passAlone = func() (s sim.ActionSet) {
	s.Add(sim.ActPass)
	return s
}()

// sharedRank returns twice the mean of the ranks that a player and those tied with it have
// together. Leftover sticks can part players whom the rules rank as equal, and the order of
// seats parts those with equal points. Either makes a tie, so that equal results have equal
// rewards; the ranks of a table keep their sum.
func sharedRank(f *ruleset.Final, seats int, p sim.Player) uint8 {
	twice := uint8(1)
	for q := range seats {
		switch {
		case f.Rank[q] == f.Rank[p] || f.Points[q] == f.Points[p]:
			twice++
		case f.Rank[q] < f.Rank[p]:
			twice += 2
		}
	}
	return twice
}

// addEnd makes the row that is added next the last of an episode.
func (p *Piece) addEnd(e episodeEnd) {
	c := p.columns
	c[ColumnLastRow] = binary.LittleEndian.AppendUint32(c[ColumnLastRow], uint32(p.rows))
	c[ColumnLastPoints] = AppendInt32(c[ColumnLastPoints], e.points)
	c[ColumnLastRank] = append(c[ColumnLastRank], e.rank)
	c[ColumnLastPlacement] = AppendInt32(c[ColumnLastPlacement], int32(e.placement))
	c[ColumnLastSeed] = binary.LittleEndian.AppendUint64(c[ColumnLastSeed], e.seed)
	c[ColumnLastSharedRank] = append(c[ColumnLastSharedRank], e.sharedRank)
}

// row is one row without its mask and observation.
type row struct {
	table  uint32
	player sim.Player
	step   uint32
	flags  uint8
	reward int32
	owed   int32
}

// add adds a row but for the observation.
func (p *Piece) add(r *row, legal *sim.ActionSet, debts bool) {
	c := p.columns
	c[ColumnTable] = binary.LittleEndian.AppendUint32(c[ColumnTable], r.table)
	c[ColumnPlayer] = append(c[ColumnPlayer], uint8(r.player))
	c[ColumnStep] = binary.LittleEndian.AppendUint32(c[ColumnStep], r.step)
	c[ColumnFlags] = append(c[ColumnFlags], r.flags)
	c[ColumnReward] = AppendInt32(c[ColumnReward], r.reward)
	if debts {
		c[ColumnOwed] = AppendInt32(c[ColumnOwed], r.owed)
	}
	for _, word := range legal {
		c[ColumnMask] = binary.LittleEndian.AppendUint64(c[ColumnMask], word)
	}
	p.rows++
}
