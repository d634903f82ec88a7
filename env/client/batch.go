package client

import (
	"encoding/binary"

	"github.com/sparrowhall/sparrowhall/sim"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// Batch is the rows of an answer, numbered from 0 to Len()-1. It is valid until the
// stream receives again.
type Batch envv1.Batch

// Len returns the number of rows.
func (b *Batch) Len() int { return int(b.Rows) }

// TableOf returns the table of a row.
func (b *Batch) TableOf(row int) uint32 { return binary.LittleEndian.Uint32(b.Table[4*row:]) }

// PlayerOf returns the player of a row.
func (b *Batch) PlayerOf(row int) sim.Player { return sim.Player(b.Player[row]) }

// StepOf returns the step of a row, which its answer must repeat.
func (b *Batch) StepOf(row int) uint32 { return binary.LittleEndian.Uint32(b.Step[4*row:]) }

// FlagsOf returns the flags of a row.
func (b *Batch) FlagsOf(row int) envv1.RowFlag { return envv1.RowFlag(b.Flags[row]) }

// Asked reports whether a row must be answered; the others are last rows.
func (b *Batch) Asked(row int) bool { return b.FlagsOf(row)&envv1.RowFlag_ROW_FLAG_ASKED != 0 }

// RewardOf returns the units that the player of a row has gained since the player's last
// decision.
func (b *Batch) RewardOf(row int) int32 { return int32(binary.LittleEndian.Uint32(b.Reward[4*row:])) }

// OwedOf returns the change of the net debt of others to the player of a row since the
// player's last decision; 0 under rules without debts.
func (b *Batch) OwedOf(row int) int32 {
	if len(b.Owed) == 0 {
		return 0
	}
	return int32(binary.LittleEndian.Uint32(b.Owed[4*row:]))
}

// Legal returns the legal actions of a row.
func (b *Batch) Legal(row int) sim.ActionSet {
	m := b.Mask[MaskSize*row:][:MaskSize]
	return sim.ActionSet{
		binary.LittleEndian.Uint64(m),
		binary.LittleEndian.Uint64(m[8:]),
		// The last seven bytes are the upper ones of the word that begins one
		// byte before them.
		binary.LittleEndian.Uint64(m[15:]) >> 8,
	}
}

// Tensor returns the bytes of a row in tensor number k of the observation.
func (b *Batch) Tensor(k, row int) []byte {
	size := len(b.Observation[k]) / int(b.Rows)
	return b.Observation[k][size*row:][:size]
}

// Answers are the rows of an Act. The zero value is empty.
type Answers struct {
	table, player, step, action []byte // columns
}

// Add answers row number row of a batch.
func (a *Answers) Add(b *Batch, row int, action sim.Action) {
	a.AddTo(b.TableOf(row), b.PlayerOf(row), b.StepOf(row), action)
}

// AddTo answers for a player of a table at a step.
func (a *Answers) AddTo(table uint32, player sim.Player, step uint32, action sim.Action) {
	a.table = binary.LittleEndian.AppendUint32(a.table, table)
	a.player = append(a.player, uint8(player))
	a.step = binary.LittleEndian.AppendUint32(a.step, step)
	a.action = append(a.action, uint8(action))
}

// Len returns the number of answers.
func (a *Answers) Len() int { return len(a.player) }

// Reset empties the answers and keeps their memory.
func (a *Answers) Reset() {
	a.table, a.player, a.step, a.action = a.table[:0], a.player[:0], a.step[:0], a.action[:0]
}

// Act returns the answers as a request, which shares their memory.
func (a *Answers) Act() *envv1.Act {
	return &envv1.Act{Table: a.table, Player: a.player, Step: a.step, Action: a.action}
}
