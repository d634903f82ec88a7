package env

import (
	"context"
	"net"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/sparrowhall/sparrowhall/env/segment"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// localPatience is how long a session waits for a request in shared memory before
// it looks whether its client is still there.
const localPatience = 100 * time.Millisecond

// livelyTime is how long after its last request a client counts as one that asks for
// one batch after the other, and so keeps a processor of its own busy.
const livelyTime = 2 * time.Millisecond

// local is the memory that a session shares with its client. What the client
// writes there is copied before anything is made of it.
type local struct {
	segment *segment.Segment
	bytes   int // taken from those that all may have
	side    segment.Side
	// unpacked tells that bits take bytes in the memory; columnBytes are those of a
	// row of each column.
	unpacked    bool
	columnBytes []int

	attached bool
	lively   bool                 // counted in the Env's
	stream   func(response) error // takes over what is too long for the memory
	pending  *envv1.PlayRequest   // one that came by the stream
	thread   segment.Thread       // of the session, bound only while the client is lively
	small    bool                 // the last request was little work

	answered uint32    // requests
	frame    uint32    // where the answer to the request at hand goes
	answers  envv1.Act // of the request at hand
	act      envv1.PlayRequest_Act
	request  envv1.PlayRequest // of answers
	flags    []byte
}

// offer makes memory to share with the client, if it wants some and can.
func (s *session) offer(o *envv1.Open) *envv1.Local {
	if o.Local == 0 {
		return nil
	}
	why, l := "", (*local)(nil)
	switch {
	case o.Local != segment.Version:
		why = "the server has another version of the local transport"
	case s.minBatch > 0:
		why = "asynchronous tables are played over the stream"
	case !sameMachine(s.ctx):
		why = "the connection may come from another machine"
	default:
		l, why = s.newLocal(o.LocalUnpacked)
	}
	if why != "" {
		return &envv1.Local{Refused: why}
	}
	s.local = l
	g := l.segment
	return &envv1.Local{Path: g.Path(), Size: g.Size, Token: slices.Clone(g.Token[:])}
}

func (s *session) newLocal(unpacked bool) (l *local, why string) {
	columns := s.columnBytes(unpacked)
	layout := segment.NewLayout(s.tables, columns)
	l = &local{bytes: int(layout.Size), unpacked: unpacked, columnBytes: columns}
	if why := s.env.allShared.take(s.address, l.bytes); why != "" {
		s.env.refused.WithLabelValues("memory", why).Inc()
		return nil, "no more memory may be shared"
	}
	var err error
	if l.segment, err = segment.Create(layout); err != nil {
		s.env.allShared.take(s.address, -l.bytes)
		s.env.options.Log.WarnContext(s.ctx, "no local transport", "error", err)
		return nil, err.Error()
	}
	l.side = l.segment.Server()
	l.act.Act = &l.answers
	l.request.Request = &l.act
	return l, ""
}

// closeLocal gives the shared memory back. No worker may be at play.
func (s *session) closeLocal() {
	if s.local == nil {
		return
	}
	if s.local.attached {
		s.env.locals.Add(-1)
	}
	s.enliven(false)
	s.local.segment.End()
	_ = s.local.segment.Close()
	s.env.allShared.take(s.address, -s.local.bytes)
	s.local = nil
}

// enliven counts the client as one that asks for one batch after the other, or not.
func (s *session) enliven(lively bool) {
	switch l := s.local; {
	case l.lively == lively:
		return
	case lively:
		s.env.lively.Add(1)
	default:
		s.env.lively.Add(-1)
		l.thread.Free()
	}
	s.local.lively = lively
}

// sameMachine tells whether a call comes through a socket of the machine.
func sameMachine(ctx context.Context) bool {
	p, ok := peer.FromContext(ctx)
	if !ok || p.Addr == nil {
		return false
	}
	if p.Addr.Network() == "unix" {
		return true
	}
	host, _, err := net.SplitHostPort(p.Addr.String())
	return err == nil && net.ParseIP(host).IsLoopback()
}

func (s *session) attach(id uint64) (*refusal, error) {
	if s.local == nil || s.local.attached {
		return refuse(envv1.ErrorCode_ERROR_CODE_NOT_LOCAL, "no memory to share was offered, or it is shared already"), nil
	}
	if err := s.settle(); err != nil {
		return nil, err
	}
	if err := s.send(done(id)); err != nil {
		return nil, err
	}
	s.local.attached = true
	s.unpacked = s.local.unpacked
	s.local.stream = s.send
	s.send = s.sendLocal
	s.env.locals.Add(1)
	return nil, s.local.segment.CloseFile()
}

// converseLocal carries out requests that are made in shared memory until the
// stream ends.
func (s *session) converseLocal(requests <-chan *envv1.PlayRequest) error {
	l := s.local
	defer l.segment.End()
	defer context.AfterFunc(s.ctx, l.side.Wake)()
	for n := uint32(0); ; {
		if len(s.rounds) > 0 && (l.side.Seen() == n || len(s.rounds) == maxRounds) {
			if err := s.advance(); err != nil {
				return err
			}
			continue
		}
		more, err := s.awaitLocal(n, requests)
		if err != nil || !more {
			return err
		}
		if len(s.rounds) == 0 {
			s.time.Reset(s.env.options.RequestTime)
		}
		s.followClient()
		req, refused, err := s.readLocal(n, requests)
		n++
		switch {
		case err != nil:
		case refused != nil:
			err = s.refused(req, refused)
		default:
			err = s.carryOut(req)
		}
		if err != nil {
			return err
		}
		if len(s.rounds) == 0 {
			s.time.Stop()
		}
	}
}

// followClient has the session run on its client's processor, if it pays.
func (s *session) followClient() {
	l := s.local
	if s.lone && staysClose(int(s.env.lively.Load()), s.env.processors, s.env.threads) {
		l.thread.Bind(l.segment.Processor())
	} else if l.thread.Bound() {
		l.side.Rouse()
		l.thread.Free()
	}
}

// staysClose tells whether sessions run on the processors of their clients. Where as
// many clients ask for one batch after the other as there are processors, each with
// its session keeps one busy, the two by turns: nobody waits until a processor is
// woken, and tables stay in the cache of one. With fewer clients a processor would
// be left over, and more sessions than the program has threads wait for each other.
func staysClose(lively, processors, threads int) bool {
	return lively >= processors && lively <= threads
}

// awaitLocal waits for request number n. There are no more when the client has
// said so by the stream.
func (s *session) awaitLocal(n uint32, requests <-chan *envv1.PlayRequest) (more bool, err error) {
	l := s.local
	var idle time.Time
	for {
		if s.ctx.Err() != nil {
			return false, context.Cause(s.ctx)
		}
		if seen := l.side.Seen(); seen != n {
			s.enliven(true)
			if under := max(seen-n, seen-l.answered); under > uint32(l.segment.Slots) {
				return false, status.Errorf(codes.InvalidArgument, "the shared memory tells of %d requests under way; it has room for %d", under, l.segment.Slots)
			}
			return true, nil
		}
		if l.thread.Bound() {
			l.side.Rouse()
		}
		spin := 2*int(s.env.locals.Load()) <= s.env.processors
		l.segment.SetSpin(spin)
		patience := localPatience
		if l.lively {
			patience = livelyTime
		}
		l.side.Wait(n, spin && l.small, patience)
		if l.side.Seen() != n {
			continue
		}
		s.enliven(false)
		if now := time.Now(); idle.IsZero() {
			idle = now
		} else if now.Sub(idle) > s.env.options.Idle {
			return false, errIdle
		}
		if l.pending != nil {
			continue
		}
		select {
		case req, ok := <-requests:
			if !ok {
				return false, context.Cause(s.ctx)
			}
			l.pending = req
		default:
		}
	}
}

// readLocal copies request number n from the shared memory.
func (s *session) readLocal(n uint32, requests <-chan *envv1.PlayRequest) (*envv1.PlayRequest, *refusal, error) {
	l := s.local
	slot := l.segment.Slot(n)
	h := slot.Request()
	l.request.RequestId = h.ID
	req := &l.request
	if h.Frame >= uint32(l.segment.Frames) {
		return req, nil, status.Errorf(codes.InvalidArgument, "a request in shared memory wants its answer in frame %d; there are %d", h.Frame, l.segment.Frames)
	}
	for _, r := range s.rounds {
		if r.number == h.Frame || h.Kind == segment.AnswersTo && r.number == h.Of { // it would see half of an answer
			if err := s.settle(); err != nil {
				return req, nil, err
			}
			break
		}
	}
	l.frame = h.Frame
	var refused *refusal
	switch h.Kind {
	case segment.Answers, segment.AnswersTo:
		refused = l.read(slot, h)
		l.small = len(l.answers.Player) <= pieceTables
		return req, refused, nil
	case segment.Message:
		text := slot.Text()
		req = &envv1.PlayRequest{RequestId: h.ID}
		if int64(h.Count) > int64(len(text)) {
			return req, refuse(envv1.ErrorCode_ERROR_CODE_BAD_LENGTH, "a message of %d bytes in a place of %d", h.Count, len(text)), nil
		}
		if err := proto.Unmarshal(slices.Clone(text[:h.Count]), req); err != nil {
			return req, nil, status.Errorf(codes.Internal, "the message is no request: %v", err)
		}
	case segment.Elsewhere:
		if l.pending == nil {
			var ok bool
			select {
			case l.pending, ok = <-requests:
			case <-s.ctx.Done():
			}
			if !ok {
				return req, nil, status.Error(codes.InvalidArgument, "the shared memory tells of a request in the stream, which ended without one")
			}
		}
		req, l.pending = l.pending, nil
	default:
		return req, nil, status.Errorf(codes.InvalidArgument, "the shared memory has a request of kind %d, which is none", h.Kind)
	}
	if req.GetOpen() != nil || req.GetAttach() != nil {
		refused = refuse(envv1.ErrorCode_ERROR_CODE_NOT_LOCAL, "the tables of a stream whose memory is shared cannot be replaced; open another stream")
	}
	return req, refused, nil
}

// read copies answers.
func (l *local) read(slot segment.Part, h segment.Head) *refusal {
	g, a := l.segment, &l.answers
	most := g.Answers
	if h.Kind == segment.AnswersTo {
		most = g.Rows
	}
	if int64(h.Count) > int64(most) {
		return refuse(envv1.ErrorCode_ERROR_CODE_BAD_LENGTH, "%d answers; the shared memory has room for %d", h.Count, most)
	}
	rows := int(h.Count)
	a.Action = append(a.Action[:0], g.Answered(slot, 3, rows)...)
	if h.Kind == segment.Answers {
		a.Table = append(a.Table[:0], g.Answered(slot, 0, rows)...)
		a.Player = append(a.Player[:0], g.Answered(slot, 1, rows)...)
		a.Step = append(a.Step[:0], g.Answered(slot, 2, rows)...)
		return nil
	}
	if h.Of >= uint32(g.Frames) {
		return refuse(envv1.ErrorCode_ERROR_CODE_BAD_LENGTH, "answers to frame %d; there are %d frames", h.Of, g.Frames)
	}
	of := g.Frame(int(h.Of))
	column := func(c, size int) []byte { return g.ColumnOf(of, c)[:size*rows] }
	a.Table = append(a.Table[:0], column(colTable, 4)...)
	a.Player = append(a.Player[:0], column(colPlayer, 1)...)
	a.Step = append(a.Step[:0], column(colStep, 4)...)
	l.flags = append(l.flags[:0], column(colFlags, 1)...)
	k := 0
	for i, f := range l.flags {
		if f&uint8(envv1.RowFlag_ROW_FLAG_ASKED) == 0 {
			continue
		}
		if k != i {
			copy(a.Table[4*k:4*k+4], a.Table[4*i:])
			copy(a.Step[4*k:4*k+4], a.Step[4*i:])
			a.Player[k], a.Action[k] = a.Player[i], a.Action[i]
		}
		k++
	}
	a.Table, a.Player, a.Step, a.Action = a.Table[:4*k], a.Player[:k], a.Step[:4*k], a.Action[:k]
	return nil
}

// sendLocal is the session's send once memory is shared: it puts an answer into
// the frame that the request names, or tells there that the stream has it.
func (s *session) sendLocal(r response) (err error) {
	l := s.local
	frame := l.segment.Frame(int(l.frame))
	defer func() {
		if err == nil {
			l.answered++
			// On the session's processor the client has nowhere to run until awaitLocal.
			if l.side.Show(l.answered); !l.thread.Bound() {
				l.side.Rouse()
			}
		}
	}()
	switch r := r.(type) {
	case *batch:
		frame = r.round.frame
		h := segment.Head{Kind: segment.Batch, ID: r.id}
		if r.draining {
			h.Flags = segment.Draining
		}
		if rows, lasts, ok := r.round.done(s.setup); ok {
			h.Count, h.Lasts = uint32(rows), uint32(lasts)
			frame.SetResponse(h)
			r.release()
			s.spare = append(s.spare, r.round)
			return nil
		}
	case *envv1.PlayResponse:
		text := frame.Text()
		if n := proto.Size(r); n <= len(text) {
			if _, err := (proto.MarshalOptions{}).MarshalAppend(text[:0], r); err != nil {
				return err
			}
			frame.SetResponse(segment.Head{Kind: segment.Message, Count: uint32(n), ID: r.RequestId})
			return nil
		}
	}
	frame.SetResponse(segment.Head{Kind: segment.Elsewhere})
	return l.stream(r)
}
