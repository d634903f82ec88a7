// Package steps writes datasets for learners: an Arrow stream with a row for each decision,
// which has the observation of the player, the action, and the returns that followed. It
// replays the matches.
//
//	w := steps.NewWriter(os.Stdout, steps.Options{Observation: planes})
//	err := w.Write(ctx, d)  // for each dataset
//	err = w.Close()
//
// [PairWriter] writes pairs of rollouts in the same form.
package steps

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// version is the version of the columns. It is raised when one changes or is removed;
// readers ignore unknown ones.
const version = 1

// batchRows is about the number of rows in a record batch, which ends with a match.
const batchRows = 8192

// Options select the rows to write and their columns.
type Options struct {
	// Observation is the encoding of what the players see; nil for none.
	Observation *observe.Spec
	// Hidden adds the tensors of the oracle that show what is hidden.
	Hidden bool
	// Shanten adds the shanten of the hands.
	Shanten bool
	// Players are the players whose decisions are written, by name or as "0" to "3" ("0" to
	// "2" where three play); empty for all.
	Players []string
	// Shard and Shards select the matches whose number modulo Shards is Shard.
	Shard, Shards uint64
}

// The columns of every row, before those of the tensors.
const (
	colMatch = iota
	colWallSet
	colHand
	colStep
	colPlayer
	colAction
	colMask
	colPoints
	colHandReturn
	colReturn
	colPlacement
	colRank
	numColumns
)

// columns are the names, descriptions and types of these columns.
var columns = [numColumns]column{
	{"match", "number of the match in the dataset", arrow.PrimitiveTypes.Int64},
	{"wall_set", "its duplicate set, whose matches have the same walls", arrow.PrimitiveTypes.Int64},
	{"hand", "number of the hand in the match, from 0", arrow.PrimitiveTypes.Int32},
	{"step", "number of the decision in the match, of all players, from 0", arrow.PrimitiveTypes.Int32},
	{"player", "the player who decides, 0 to 3", arrow.PrimitiveTypes.Int32},
	{"action", "the id of what he did", arrow.PrimitiveTypes.Int32},
	{"mask", "what he might have done, a bit for each id", &arrow.FixedSizeBinaryType{ByteWidth: observe.Mask.Size()}},
	{"points", "units the player has", arrow.PrimitiveTypes.Int32},
	{"hand_return", "units he gets from here to the end of the hand, what he is owed by then included", arrow.PrimitiveTypes.Int32},
	{"match_return", "units he gets from here to the end of the match", arrow.PrimitiveTypes.Int32},
	{"placement", "his placement points of the match in 1/120", arrow.PrimitiveTypes.Int32},
	{"rank", "his rank in the match, 1 to 4; 0 of a match that was cut off", arrow.PrimitiveTypes.Int32},
}

// Writer writes the rows of datasets.
type Writer struct {
	options Options
	hidden  []observe.Tensor // nil without them
	stream

	encoder *observe.Encoder
	oracle  *observe.Encoder
	// spare is memory for the tensors of the oracle that are not written; tensors has those
	// and the written ones.
	spare, tensors [][]byte
	history        observe.History
	events         []sim.Event
	players        []sim.Player // of the rows of the current match
	debts          []int32      // what others owed him then
}

// NewWriter returns a writer to out.
func NewWriter(out io.Writer, o Options) *Writer {
	return &Writer{options: o, stream: stream{out: out}}
}

// newEncoders sets the encodings for tables of so many players.
func (w *Writer) newEncoders(seats int) {
	if o := w.options.Observation; o != nil {
		w.options.Observation = o.For(seats)
		w.encoder = w.options.Observation.NewEncoder()
	}
	if w.options.Hidden {
		oracle := observe.Oracle().For(seats)
		w.oracle = oracle.NewEncoder()
		planes := len(oracle.Tensors) - 2
		w.hidden = oracle.Tensors[planes:]
		w.spare = make([][]byte, planes)
	}
}

// Write adds the rows of a dataset. The rulesets of all datasets must have the same unit and
// number of players.
func (w *Writer) Write(ctx context.Context, d *dataset.Dataset) error {
	if err := w.begin(version, "datasets", d.Run.Ruleset.Name, d.Rules(), columns[:], w.addColumns); err != nil {
		return err
	}
	shards := max(w.options.Shards, 1)
	pass := func(match uint64) bool { return match%shards == w.options.Shard }
	for m, err := range d.ReplaysOf(0, pass) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if err := w.match(d, &m); err != nil {
			return err
		}
		if w.rows >= batchRows {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// addColumns adds the columns that the options select.
func (w *Writer) addColumns(f *form) error {
	w.newEncoders(f.seats)
	if w.options.Shanten {
		f.fields = append(f.fields, arrow.Field{Name: "shanten", Type: arrow.PrimitiveTypes.Int8})
	}
	if o := w.options.Observation; o != nil {
		if err := f.tensors("observation", o); err != nil {
			return err
		}
	}
	if w.options.Hidden {
		o := *observe.Oracle().For(f.seats)
		o.Tensors = w.hidden
		return f.tensors("hidden", &o)
	}
	return nil
}

func (w *Writer) match(d *dataset.Dataset, m *dataset.ReplayedMatch) error {
	var selected sim.Players
	for p := range sim.Player(m.Match.NumSeats()) {
		if len(w.options.Players) == 0 || slices.Contains(w.options.Players, m.Names[p]) || slices.Contains(w.options.Players, strconv.Itoa(int(p))) {
			selected |= p.Bit()
		}
	}
	if selected == 0 {
		return nil
	}
	rules := d.Rules()
	set, _ := d.Run.Place(m.Match.Index)
	table, err := m.Match.NewTable(rules)
	if err != nil {
		return err
	}
	w.history = observe.History{}
	w.players, w.debts = w.players[:0], w.debts[:0]
	first, ofHand := w.rows, w.rows
	next := 0
	for h := range m.Match.Hands {
		w.events = m.Match.Deal(&table, h, w.events[:0])
		w.history.Add(w.events)
		for p := range table.RestOfHand() {
			if next == len(m.Match.Actions) {
				break
			}
			a := m.Match.Actions[next]
			if selected.Has(p) {
				w.row(&table, m.Match.Index, set, h, next, p, a)
			}
			next++
			if w.events, err = table.Step(p, a, w.events[:0]); err != nil {
				return fmt.Errorf("steps: match %d: %w", m.Match.Index, err)
			}
			w.history.Add(w.events)
		}
		points := table.View(0).Points()
		for p := range points {
			points[p] += table.View(sim.Player(p)).NetDebt()
		}
		w.setReturns(colHandReturn, ofHand, ofHand-first, points)
		for row := ofHand; row < w.rows; row++ {
			addInt32(w.data[colHandReturn][4*row:], -w.debts[row-first])
		}
		ofHand = w.rows
	}
	points := table.View(0).Points()
	if m.Match.Forfeited != 0 && rules.ForfeitPoints > 0 {
		points = m.Match.Final.Points // forfeits are paid after the last action
	}
	w.setReturns(colReturn, first, 0, points)
	for i, p := range w.players {
		binary.LittleEndian.PutUint32(w.data[colPlacement][4*(first+i):], uint32(m.Match.Final.Placement[p]))
		binary.LittleEndian.PutUint32(w.data[colRank][4*(first+i):], uint32(m.Match.Final.Rank[p]))
	}
	return nil
}

// setReturns sets the return of each row from first on, row i of the match: the points that
// the players have gained since. points are those they have now.
func (w *Writer) setReturns(column, first, i int, points [sim.NumPlayers]int32) {
	for row := first; row < w.rows; row, i = row+1, i+1 {
		had := int32(binary.LittleEndian.Uint32(w.data[colPoints][4*row:]))
		binary.LittleEndian.PutUint32(w.data[column][4*row:], uint32(points[w.players[i]]-had))
	}
}

// addInt32 adds to the number at the start of a column's bytes.
func addInt32(b []byte, n int32) {
	binary.LittleEndian.PutUint32(b, binary.LittleEndian.Uint32(b)+uint32(n))
}

func (w *Writer) row(t *sim.Table, match, set uint64, h, step int, p sim.Player, a sim.Action) {
	v := t.View(p)
	c := w.data
	c[colMatch] = binary.LittleEndian.AppendUint64(c[colMatch], match)
	c[colWallSet] = binary.LittleEndian.AppendUint64(c[colWallSet], set)
	c[colHand] = appendInt32(c[colHand], h)
	c[colStep] = appendInt32(c[colStep], step)
	c[colPlayer] = appendInt32(c[colPlayer], int(p))
	c[colAction] = appendInt32(c[colAction], int(a))
	c[colMask] = observe.AppendMask(c[colMask], v.Legal())
	c[colPoints] = appendInt32(c[colPoints], int(v.Points()[p]))
	w.debts = append(w.debts, v.NetDebt())
	for _, later := range [...]int{colHandReturn, colReturn, colPlacement, colRank} {
		c[later] = appendInt32(c[later], 0)
	}
	c = c[numColumns:]
	if w.options.Shanten {
		c[0] = append(c[0], uint8(shanten(v)))
		c = c[1:]
	}
	if w.encoder != nil {
		w.encoder.AppendTable(c, t, p, &w.history, nil)
		c = c[len(w.options.Observation.Tensors):]
	}
	if w.oracle != nil {
		for i := range w.spare {
			w.spare[i] = w.spare[i][:0]
		}
		w.tensors = append(append(w.tensors[:0], w.spare...), c...)
		w.oracle.AppendTable(w.tensors, t, p, nil, nil)
		copy(w.spare, w.tensors)
		copy(c, w.tensors[len(w.spare):])
	}
	w.rows++
	w.players = append(w.players, p)
}

func appendInt32(column []byte, n int) []byte {
	return binary.LittleEndian.AppendUint32(column, uint32(n))
}

func shanten(v sim.View) int {
	h := v.Hand()
	var melds [hand.MaxMelds]hand.Meld
	n := v.NumMelds(v.Player())
	for i := range n {
		melds[i] = v.Meld(v.Player(), i)
	}
	return v.Rules().HandShanten(&h, melds[:n])
}
