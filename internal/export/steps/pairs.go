package steps

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/sparrowhall/sparrowhall/internal/rollout"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// pairVersion is the version of the columns of pairs; see version.
const pairVersion = 1

// The columns of a row of pairs, before those of the tensors.
const (
	pairMatch = iota
	pairHand
	pairPlayer
	pairMask
	pairPlayed
	pairOther
	pairMore
	pairLuck
	numPairColumns
)

var pairColumns = [numPairColumns]column{
	{"match", "number of the match in its file", arrow.PrimitiveTypes.Int64},
	{"hand", "number of the hand in the match, from 0", arrow.PrimitiveTypes.Int32},
	{"player", "the player who decides, 0 to 3", arrow.PrimitiveTypes.Int32},
	columns[colMask],
	{"played", "the id of what he did", arrow.PrimitiveTypes.Int32},
	{"other", "the id of what was tried instead", arrow.PrimitiveTypes.Int32},
	{"more", "units that the other brought more to the end of the hand, less luck", arrow.PrimitiveTypes.Int32},
	{"luck", "units more that the tiles were worth there, as an estimate has it", arrow.PrimitiveTypes.Int32},
}

// PairWriter writes pairs of rollouts with common random numbers, with the observation of
// the player.
type PairWriter struct {
	stream
	observation *observe.Spec
	encoder     *observe.Encoder
}

// NewPairWriter returns a writer to out. The observation must not need the history of the
// match, as events do.
func NewPairWriter(out io.Writer, o *observe.Spec) *PairWriter {
	return &PairWriter{stream: stream{out: out}, observation: o}
}

// Write adds the pairs of a file, whose rules are r. The rulesets of all files must have the
// same unit.
func (w *PairWriter) Write(ctx context.Context, in *rollout.Reader, r *ruleset.Rules) error {
	tensors := func(f *form) error {
		w.observation = w.observation.For(f.seats)
		w.encoder = w.observation.NewEncoder()
		return f.tensors("observation", w.observation)
	}
	if err := w.begin(pairVersion, "files", in.Header.Name, r, pairColumns[:], tensors); err != nil {
		return err
	}
	var m rollout.Match
	for number := uint64(0); ; number++ {
		err := in.Read(&m)
		if err == io.EOF {
			return nil
		}
		if err = cmp.Or(err, ctx.Err()); err == nil {
			err = m.Replay(r, func(t *sim.Table, p *rollout.Pair, played sim.Action) { w.row(number, &m, t, p, played) })
		}
		if err != nil {
			return fmt.Errorf("steps: match %d: %w", number, err)
		}
		if w.rows >= batchRows {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
}

func (w *PairWriter) row(match uint64, m *rollout.Match, t *sim.Table, p *rollout.Pair, played sim.Action) {
	c := w.data
	luck := p.Luck
	more := p.Other.Points[p.Player] - m.Baselines[p.Hand].Points[p.Player] - luck
	player := sim.Player(p.Player)
	c[pairMatch] = binary.LittleEndian.AppendUint64(c[pairMatch], match)
	c[pairHand] = appendInt32(c[pairHand], int(p.Hand))
	c[pairPlayer] = appendInt32(c[pairPlayer], int(p.Player))
	c[pairMask] = observe.AppendMask(c[pairMask], t.Legal(player))
	c[pairPlayed] = appendInt32(c[pairPlayed], int(played))
	c[pairOther] = appendInt32(c[pairOther], int(p.Action))
	c[pairMore] = appendInt32(c[pairMore], int(more))
	c[pairLuck] = appendInt32(c[pairLuck], int(luck))
	w.encoder.AppendTable(c[numPairColumns:], t, player, nil, nil)
	w.rows++
}
