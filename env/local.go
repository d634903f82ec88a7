package env

import (
	"context"
	"io"
	"net"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/sparrowhall/sparrowhall/env/internal/segment"
	"github.com/sparrowhall/sparrowhall/env/internal/tables"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

const (
	// streamCheck is how often a session that waits for a request in shared memory
	// checks whether its stream is still open.
	streamCheck = 100 * time.Millisecond
	// activeTime is how long after its last request a client counts as active: it
	// sends one request after the other and so keeps a processor busy.
	activeTime = 2 * time.Millisecond
	// smallAct is the number of answers up to which a session spins for the next
	// request.
	smallAct = 32
)

// local is the transport by memory shared with the client. What the client writes is
// copied before it is checked.
type local struct {
	env     *Env
	stream  *stream // for what is too long for the memory
	tables  *tables.Scheduler
	segment *segment.Segment
	bytes   int // taken from the Env's limit
	side    segment.Side
	form    tables.Form
	targets []tables.Target // by frame

	attached  bool
	unwatch   func() bool    // stops waking the session when its context ends
	active    bool           // counted in Env.active
	thread    segment.Thread // of the session, bound only while the client is active
	small     bool           // the last request was little work
	elsewhere *request       // a request that came by the stream

	read, answered uint32 // requests
	requests       [2 * maxRequests]request
	inUse          []bool // frames that requests under way write to
	answers        envv1.Act
	act            envv1.PlayRequest // of answers
	flags          []byte
}

// offer offers memory to share, if the client requests and can use it.
func (s *session) offer(o *envv1.Open) *envv1.Local {
	if o.Local == 0 {
		return nil
	}
	why := ""
	switch {
	case o.Local != segment.Version:
		why = "the server has another version of the local transport"
	case s.tables.Config.MinBatch > 0:
		why = "asynchronous tables are played over the stream"
	case !sameMachine(s.ctx):
		why = "the connection may come from another machine"
	default:
		s.local, why = s.newLocal(o.LocalUnpacked)
	}
	if why != "" {
		return &envv1.Local{Refused: why}
	}
	g := s.local.segment
	return &envv1.Local{Path: g.Path(), Size: g.Layout.Size, Token: slices.Clone(g.Layout.Token[:])}
}

func (s *session) newLocal(unpacked bool) (l *local, why string) {
	form := tables.Packed
	if unpacked {
		form = tables.Unpacked
	}
	rowBytes := s.tables.Config.RowBytes(form)
	layout := segment.NewLayout(s.tables.Config.Tables, rowBytes)
	// A segment larger than the limit may not fit into an int.
	size := int(min(layout.Size, uint64(s.env.options.MaxShared)+1))
	if why := s.env.allShared.Take(s.address, size); why != "" {
		s.env.metrics.refused.WithLabelValues("memory", why).Inc()
		return nil, "no more memory may be shared"
	}
	g, err := segment.Create(layout)
	if err != nil {
		s.env.allShared.Release(s.address, size)
		s.env.options.Log.WarnContext(s.ctx, "no local transport", "error", err)
		return nil, err.Error()
	}
	l = &local{
		env: s.env, stream: s.stream, tables: s.tables, segment: g, bytes: size, side: g.Server(), form: form,
		targets: targetsOf(g, rowBytes), inUse: make([]bool, g.Layout.Frames),
	}
	l.act.Request = &envv1.PlayRequest_Act{Act: &l.answers}
	return l, ""
}

func targetsOf(g *segment.Segment, rowBytes []int) []tables.Target {
	targets := make([]tables.Target, g.Layout.Frames)
	for i := range targets {
		t := tables.Target{Columns: make([][]byte, len(rowBytes)), RowBytes: rowBytes, Rows: g.Layout.Rows}
		for c := range t.Columns {
			t.Columns[c] = g.ColumnOf(g.Frame(i), c)
		}
		targets[i] = t
	}
	return targets
}

// closeLocal gives the shared memory back. No worker may be at play.
func (s *session) closeLocal() {
	l := s.local
	if l == nil {
		return
	}
	s.local, s.targets = nil, nil
	if l.attached {
		l.unwatch()
		s.env.locals.Add(-1)
	}
	l.setActive(false)
	l.segment.End()
	_ = l.segment.Close()
	s.env.allShared.Release(s.address, l.bytes)
}

// sameMachine reports whether a call comes through a socket of the machine.
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

// attach makes shared memory the transport. The answer still goes by the stream.
func (s *session) attach(r *request) (*tables.Refusal, error) {
	l := s.local
	if l == nil || l.attached {
		return refuse(envv1.ErrorCode_ERROR_CODE_NOT_LOCAL, "no memory to share was offered, or it is shared already"), nil
	}
	answer := done()
	answer.RequestId = r.id
	if err := s.send(r, answer); err != nil {
		return nil, err
	}
	l.attached = true
	s.transport, s.targets = l, l.targets
	s.env.locals.Add(1)
	l.unwatch = context.AfterFunc(s.ctx, l.side.WakeSelf)
	s.tables.Attach(l.form, func(pieces int) bool {
		return playsAlone(int(s.env.active.Load()), s.env.processors, pieces)
	})
	return nil, l.segment.CloseFile()
}

// target returns the memory for the rows that answer a request, nil for none.
func (s *session) target(r *request) *tables.Target {
	if s.targets == nil {
		return nil
	}
	return &s.targets[r.frame]
}

// playsAlone reports whether a session plays all the pieces of a cheap round itself. Each
// active client keeps up to two processors busy, its own and that of its session. Where these
// leave none for workers, workers would take processors from other clients, and tables would
// leave the cache of the processor that played them last.
func playsAlone(active, processors, pieces int) bool {
	return active > 1 && (2*active > processors || pieces < 4*active)
}

// followsClient reports whether sessions run on the processors of their clients. With
// at least as many active clients as processors, each client and its session keep one
// processor busy in turns: no processor has to be woken, and tables stay in its cache.
// With fewer clients a processor would be left over. With more sessions than threads,
// sessions would wait for each other.
func followsClient(active, processors, threads int) bool {
	return active >= processors && active <= threads
}

// poll implements transport.
func (l *local) poll() (*request, error) {
	seen := l.side.Seen()
	if seen == l.read {
		return nil, nil
	}
	if under := max(seen-l.read, seen-l.answered); under > uint32(l.segment.Layout.Slots) {
		return nil, status.Errorf(codes.InvalidArgument, "the shared memory has %d requests under way; it has room for %d", under, l.segment.Layout.Slots)
	}
	slot := l.segment.Slot(l.read)
	h := slot.Request()
	if h.Frame >= uint32(l.segment.Layout.Frames) {
		return nil, status.Errorf(codes.InvalidArgument, "a request in shared memory names frame %d for its answer; there are %d", h.Frame, l.segment.Layout.Frames)
	}
	if l.inUse[h.Frame] || h.Kind == segment.AnswersTo && h.Answered < uint32(l.segment.Layout.Frames) && l.inUse[h.Answered] {
		return nil, nil // it waits until the answer there is complete
	}
	l.setActive(true)
	l.follow()
	r := &l.requests[l.read%uint32(len(l.requests))]
	*r = request{id: h.ID, frame: h.Frame, body: &l.act}
	if err := l.readBody(r, slot, h); err != nil {
		return nil, err
	}
	l.inUse[h.Frame] = true
	l.read++
	return r, nil
}

// wait implements transport.
func (l *local) wait(played <-chan *tables.Piece) (*request, *tables.Piece, error) {
	ctx := l.stream.ctx
	if played != nil { // requests are seen between pieces
		select {
		case p := <-played:
			return nil, p, nil
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
	}
	var idle time.Time
	for ctx.Err() == nil {
		if r, err := l.poll(); r != nil || err != nil {
			return r, nil, err
		}
		if l.thread.Bound() {
			l.side.WakeOther()
		}
		spin := 2*int(l.env.locals.Load()) <= l.env.processors
		l.segment.SetSpin(spin)
		limit := streamCheck
		if l.active {
			limit = activeTime
		}
		l.side.Wait(l.read, spin && l.small, limit)
		if l.side.Seen() != l.read {
			continue
		}
		l.setActive(false)
		if now := time.Now(); idle.IsZero() {
			idle = now
		} else if now.Sub(idle) > l.env.options.Idle {
			return nil, nil, errIdle
		}
		if l.elsewhere == nil {
			var err error
			if l.elsewhere, err = l.stream.poll(); err != nil {
				return nil, nil, err
			}
		}
	}
	return nil, nil, context.Cause(ctx)
}

// setActive counts the client as active, or not.
func (l *local) setActive(active bool) {
	switch {
	case l.active == active:
		return
	case active:
		l.env.active.Add(1)
	default:
		l.env.active.Add(-1)
		l.thread.Free()
	}
	l.active = active
}

// follow has the session run on its client's processor, if that pays.
func (l *local) follow() {
	if l.tables.PlayedAlone() && followsClient(int(l.env.active.Load()), l.env.processors, l.env.threads) {
		l.thread.Bind(l.segment.Processor())
	} else if l.thread.Bound() {
		l.side.WakeOther()
		l.thread.Free()
	}
}

// readBody copies the body of a request from a slot or takes it from the stream.
func (l *local) readBody(r *request, slot segment.Part, h segment.Head) error {
	switch h.Kind {
	case segment.Answers, segment.AnswersTo:
		r.refused = l.readAnswers(slot, h)
		l.small = len(l.answers.Player) <= smallAct
		return nil
	case segment.Message:
		text := slot.Text()
		r.body = &envv1.PlayRequest{RequestId: h.ID}
		if int64(h.Count) > int64(len(text)) {
			r.refused = refuse(envv1.ErrorCode_ERROR_CODE_BAD_LENGTH, "a message of %d bytes in a place of %d", h.Count, len(text))
			return nil
		}
		if err := proto.Unmarshal(slices.Clone(text[:h.Count]), r.body); err != nil {
			return status.Errorf(codes.Internal, "the message is not a PlayRequest: %v", err)
		}
	case segment.Elsewhere:
		if l.elsewhere == nil {
			var err error
			if l.elsewhere, _, err = l.stream.wait(nil); err == io.EOF {
				return status.Error(codes.InvalidArgument, "the shared memory names a request in the stream, which ended without one")
			} else if err != nil {
				return err
			}
		}
		r.body, l.elsewhere = l.elsewhere.body, nil
	default:
		return status.Errorf(codes.InvalidArgument, "the shared memory has a request of unknown kind %d", h.Kind)
	}
	r.id = r.body.RequestId
	if r.body.GetOpen() != nil || r.body.GetAttach() != nil {
		r.refused = refuse(envv1.ErrorCode_ERROR_CODE_NOT_LOCAL, "the tables of a stream whose memory is shared cannot be replaced; open another stream")
	}
	return nil
}

func (l *local) readAnswers(slot segment.Part, h segment.Head) *tables.Refusal {
	g, a := l.segment, &l.answers
	most := g.Layout.Answers
	if h.Kind == segment.AnswersTo {
		most = g.Layout.Rows
	}
	if int64(h.Count) > int64(most) {
		return refuse(envv1.ErrorCode_ERROR_CODE_BAD_LENGTH, "%d answers; the shared memory has room for %d", h.Count, most)
	}
	rows := int(h.Count)
	a.Action = append(a.Action[:0], g.AnswerColumn(slot, 3, rows)...)
	if h.Kind == segment.Answers {
		a.Table = append(a.Table[:0], g.AnswerColumn(slot, 0, rows)...)
		a.Player = append(a.Player[:0], g.AnswerColumn(slot, 1, rows)...)
		a.Step = append(a.Step[:0], g.AnswerColumn(slot, 2, rows)...)
		return nil
	}
	if h.Answered >= uint32(g.Layout.Frames) {
		return refuse(envv1.ErrorCode_ERROR_CODE_BAD_LENGTH, "answers to frame %d; there are %d frames", h.Answered, g.Layout.Frames)
	}
	of := l.targets[h.Answered].Columns
	a.Table = append(a.Table[:0], of[tables.ColumnTable][:4*rows]...)
	a.Player = append(a.Player[:0], of[tables.ColumnPlayer][:rows]...)
	a.Step = append(a.Step[:0], of[tables.ColumnStep][:4*rows]...)
	l.flags = append(l.flags[:0], of[tables.ColumnFlags][:rows]...)
	kept := tables.Answers{Table: a.Table, Player: a.Player, Step: a.Step, Action: a.Action}
	kept.KeepAsked(l.flags)
	a.Table, a.Player, a.Step, a.Action = kept.Table, kept.Player, kept.Step, kept.Action
	return nil
}

// send implements transport. It writes an answer into the frame that its request names,
// or sends it by the stream if the frame has no room for it.
func (l *local) send(r *request, answer response) (err error) {
	frame := l.segment.Frame(int(r.frame))
	defer func() {
		if err == nil {
			l.inUse[r.frame] = false
			l.answered++
			// A bound session wakes the client in wait: before, the client has no
			// processor to run on.
			if l.side.PublishQuietly(l.answered); !l.thread.Bound() {
				l.side.WakeOther()
			}
		}
	}()
	switch a := answer.(type) {
	case *batch:
		h := segment.Head{Kind: segment.Batch, ID: a.id}
		if a.draining {
			h.Flags = segment.Draining
		}
		if rows, lasts, ok := a.round.Placed(); ok {
			h.Count, h.Lasts = uint32(rows), uint32(lasts)
			frame.SetResponse(h)
			a.round.Release()
			return nil
		}
	case *envv1.PlayResponse:
		text := frame.Text()
		if n := proto.Size(a); n <= len(text) {
			if _, err := (proto.MarshalOptions{}).MarshalAppend(text[:0], a); err != nil {
				return err
			}
			frame.SetResponse(segment.Head{Kind: segment.Message, Count: uint32(n), ID: a.RequestId})
			return nil
		}
	}
	frame.SetResponse(segment.Head{Kind: segment.Elsewhere})
	return l.stream.send(r, answer)
}
