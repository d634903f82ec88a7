package env

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/sparrowhall/sparrowhall/env/internal/segment"
	"github.com/sparrowhall/sparrowhall/env/internal/tables"
	"github.com/sparrowhall/sparrowhall/internal/experience"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// Errors of an Inline.
var (
	// ErrTwoThreads is returned for a request made while another is carried out.
	ErrTwoThreads = errors.New("env: two threads use one stream at the same time; open a stream for each")
	errClosed     = errors.New("env: the stream is closed")
)

// Inline is a Play stream within the process whose requests are carried out by the
// goroutine that makes them. The rows that answer them go to frames of the caller's memory.
// Its layout is that of package segment, its columns those of tables.Both. Where there is
// no memory, or it has no room, rows go to messages, as do all other answers.
type Inline struct {
	mu      sync.Mutex // held by the request that is carried out
	session *session
	cancel  context.CancelFunc
	layout  *segment.Layout // nil before an Open
	request request
	answers [][]byte // encoded, for Answer
	err     error    // why the stream has ended
	// columns are the answers of Act without the rows that are not asked.
	columns tables.Answers
	learned tables.Target // rows that a learner reads
}

// Inline starts a stream that ends by Close. The error reports that there are too many.
func (e *Env) Inline() (*Inline, error) {
	if err := e.takeStream(""); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	client := strconv.FormatUint(e.sessions.Add(1), 10)
	return &Inline{session: &session{env: e, ctx: ctx, client: client}, cancel: cancel}, nil
}

// begin takes the stream for a request.
func (i *Inline) begin() error {
	if !i.mu.TryLock() {
		return ErrTwoThreads
	}
	if i.err != nil {
		i.mu.Unlock()
		return i.err
	}
	return nil
}

// end gives the stream back. A panic, or another error of a request, ends it.
func (i *Inline) end(err *error) {
	if *err != nil {
		i.err = *err
	}
	i.mu.Unlock()
}

// Request carries out an encoded PlayRequest. If the answer is rows and the frame has room
// for them, it returns their number and the number of last rows; otherwise placed is false
// and Answer returns what answers it.
func (i *Inline) Request(text []byte, frame int) (rows, lasts int, placed bool, err error) {
	if err := i.begin(); err != nil {
		return 0, 0, false, err
	}
	defer i.end(&err)
	defer tables.Recover(&err)
	body := &envv1.PlayRequest{}
	if err := proto.Unmarshal(text, body); err != nil {
		return 0, 0, false, err
	}
	i.request = request{id: body.RequestId, body: body, frame: uint32(frame)}
	if frames := len(i.session.targets); frames > 0 && (frame < 0 || frame >= frames) {
		return i.finish(refuse(envv1.ErrorCode_ERROR_CODE_BAD_LENGTH, "an answer in frame %d of %d", frame, frames), nil)
	}
	if body.GetOpen().GetMinBatch() > 0 {
		return i.finish(refuse(envv1.ErrorCode_ERROR_CODE_BAD_OPTION, "asynchronous tables are not played in process; connect to a server"), nil)
	}
	refused, err := i.session.do(&i.request)
	if body.GetOpen() != nil && refused == nil && err == nil {
		i.layout = segment.NewLayout(i.session.tables.Config.Tables, i.session.tables.Config.RowBytes(tables.Both))
	}
	return i.finish(refused, err)
}

// Act answers the rows of a frame with an action for each; those of rows that are not asked
// are ignored. It returns what Request does; messages have the request_id 0.
func (i *Inline) Act(of, frame int, actions []byte) (rows, lasts int, placed bool, err error) {
	if err := i.begin(); err != nil {
		return 0, 0, false, err
	}
	defer i.end(&err)
	defer tables.Recover(&err)
	s := i.session
	i.request = request{frame: uint32(frame)}
	if min(of, frame) < 0 || max(of, frame) >= len(s.targets) || len(actions) > s.targets[of].Rows {
		return i.finish(refuse(envv1.ErrorCode_ERROR_CODE_BAD_LENGTH, "%d answers to frame %d in frame %d of %d", len(actions), of, frame, len(s.targets)), nil)
	}
	round, refused := s.tables.Act(i.answersTo(s.targets[of].Columns, actions), false, &s.targets[frame])
	if refused == nil {
		s.env.metrics.decisions.Add(float64(len(actions)))
	}
	i.request.round = round
	return i.finish(refused, nil)
}

// Learn starts the next match of all tables, at its first call, or answers the decisions that a
// learner has read by the actions that it has drawn. The learner then reads the next decisions.
// From the first call on rows go nowhere else. It must not be mixed with Act.
func (i *Inline) Learn(b *experience.Buffer) (err error) {
	if err := i.begin(); err != nil {
		return err
	}
	defer i.end(&err)
	defer tables.Recover(&err)
	s := i.session
	if s.tables == nil {
		return errors.New("env: no tables are open, so nothing is learned")
	}
	var round *tables.Round
	var refused *tables.Refusal
	if i.learned.Rows == 0 {
		i.learned = tables.NewTarget(&s.tables.Config, tables.Packed)
		s.tables.Attach(tables.Packed, nil)
		var all []byte
		for n := range s.tables.Config.Tables {
			all = binary.LittleEndian.AppendUint32(all, uint32(n))
		}
		round, refused = s.tables.Reset(all, nil, nil, nil, &i.learned)
	} else {
		a := b.Answers()
		round, refused = s.tables.Act(tables.Answers{Table: a.Table, Player: a.Player, Step: a.Step, Action: a.Action}, false, &i.learned)
	}
	if refused != nil {
		return errors.New("env: " + refused.Reason)
	}
	for !round.Done() {
		if err := s.tables.Wait(); err != nil {
			return err
		}
	}
	defer round.Release()
	rows, lasts, placed := round.Placed()
	if !placed {
		return fmt.Errorf("env: more than %d rows at once", i.learned.Rows)
	}
	s.env.metrics.rows.Add(float64(rows))
	column := func(c, n int) []byte { return i.learned.Columns[c][:n*i.learned.RowBytes[c]] }
	read := &experience.Rows{
		Table: column(tables.ColumnTable, rows), Player: column(tables.ColumnPlayer, rows), Step: column(tables.ColumnStep, rows),
		Flags: column(tables.ColumnFlags, rows), Reward: column(tables.ColumnReward, rows), Mask: column(tables.ColumnMask, rows),
		LastRow: column(tables.ColumnLastRow, lasts), LastPlacement: column(tables.ColumnLastPlacement, lasts),
		LastSharedRank: column(tables.ColumnLastSharedRank, lasts),
	}
	if i.learned.RowBytes[tables.ColumnOwed] > 0 {
		read.Owed = column(tables.ColumnOwed, rows)
	}
	for t := range s.tables.Config.Tensors() {
		read.Tensors = append(read.Tensors, column(tables.NumColumns+t, rows))
	}
	return b.Read(read)
}

// answersTo returns the answers to the rows of a frame that are asked.
func (i *Inline) answersTo(of [][]byte, actions []byte) tables.Answers {
	n := len(actions)
	a := tables.Answers{
		Table: of[tables.ColumnTable][:4*n], Player: of[tables.ColumnPlayer][:n],
		Step: of[tables.ColumnStep][:4*n], Action: actions,
	}
	flags := of[tables.ColumnFlags][:n]
	if !slices.ContainsFunc(flags, func(f byte) bool { return f&tables.Asked == 0 }) {
		return a
	}
	c := &i.columns
	c.Table, c.Player, c.Step, c.Action = append(c.Table[:0], a.Table...), append(c.Player[:0], a.Player...), append(c.Step[:0], a.Step...), append(c.Action[:0], a.Action...)
	c.KeepAsked(flags)
	return *c
}

// finish plays the rows of a request and delivers its answers.
func (i *Inline) finish(refused *tables.Refusal, err error) (rows, lasts int, placed bool, _ error) {
	r, s := &i.request, i.session
	if err != nil {
		return 0, 0, false, err
	}
	if refused != nil {
		r.answer = s.refuse(refused)
	}
	if r.answer != nil {
		r.answer.RequestId = r.id
		if err := i.add(r.answer); err != nil {
			return 0, 0, false, err
		}
	}
	if r.round == nil {
		return 0, 0, false, nil
	}
	for !r.round.Done() {
		if err := s.tables.Wait(); err != nil {
			return 0, 0, false, err
		}
	}
	if r.round.Ends != nil {
		answer := s.playedOut(r.round.Ends)
		answer.RequestId = r.id
		r.round.Release()
		return 0, 0, false, i.add(answer)
	}
	s.env.metrics.rows.Add(float64(r.round.Len()))
	if rows, lasts, placed = r.round.Placed(); !placed {
		b := &batch{id: r.id, round: r.round, tensors: s.tables.Config.Tensors()}
		total, size, n := b.wireSize()
		i.answers = append(i.answers, b.appendWire(make([]byte, 0, total), size, n))
	}
	r.round.Release()
	return rows, lasts, placed, nil
}

func (i *Inline) add(r *envv1.PlayResponse) error {
	text, err := proto.Marshal(r)
	i.answers = append(i.answers, text)
	return err
}

// Answer returns the number of bytes of the oldest answer that is not placed, a
// PlayResponse; 0 if there is none. If it fits into dst, it is copied there and dropped.
func (i *Inline) Answer(dst []byte) int {
	if i.begin() != nil {
		return 0
	}
	defer i.mu.Unlock()
	if len(i.answers) == 0 {
		return 0
	}
	n := len(i.answers[0])
	if n <= len(dst) {
		copy(dst, i.answers[0])
		i.answers = slices.Delete(i.answers, 0, 1)
	}
	return n
}

// Size returns the number of bytes of the memory that Attach takes, 0 before an Open has
// succeeded.
func (i *Inline) Size() uint64 {
	if i.layout == nil {
		return 0
	}
	return i.layout.Size
}

// Attach makes rows go to frames of the memory from now on. It must have Size bytes,
// aligned to 8, and stay valid until Close.
func (i *Inline) Attach(memory []byte) error {
	if err := i.begin(); err != nil {
		return err
	}
	defer i.mu.Unlock()
	if i.layout == nil {
		return errors.New("env: no tables are open, so no rows need memory")
	}
	g, err := segment.Over(i.layout, memory)
	if err != nil {
		return err
	}
	s := i.session
	s.targets = targetsOf(g, s.tables.Config.RowBytes(tables.Both))
	s.tables.Attach(tables.Both, nil)
	return nil
}

// Unpack makes the observations of rows that are placed from now on have a byte for each
// bit as well. Without it those columns are left as they are, since filling them takes a
// quarter of the time of a step and not every caller reads them.
func (i *Inline) Unpack() error {
	if err := i.begin(); err != nil {
		return err
	}
	defer i.mu.Unlock()
	if i.layout == nil {
		return errors.New("env: no tables are open, so no rows have observations")
	}
	i.session.tables.Unpack()
	return nil
}

// Close ends the stream. It waits for a request that another thread has made.
func (i *Inline) Close() {
	i.cancel() // ends what is in play
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.session == nil {
		return
	}
	s := i.session
	s.close()
	s.env.allTables.Release(s.address, s.held)
	s.env.dropStream(s.address)
	i.session, i.err = nil, errClosed
}
