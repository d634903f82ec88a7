package client

import (
	"encoding/binary"
	"fmt"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// Conn is the transport of a Stream: a gRPC stream, or an env.Stream in this process.
type Conn interface {
	// Send sends a request; it may return before the server has it.
	Send(*envv1.PlayRequest) error
	// Recv returns the next response, io.EOF after the last.
	Recv() (*envv1.PlayResponse, error)
	// CloseSend ends the requests; responses to those sent still come.
	CloseSend() error
}

// Stream plays at the tables of one Play stream. In synchronous mode each method sends
// one request and waits for its answer. Use Send and Recv for asynchronous mode, or for
// several requests under way.
//
// One goroutine may call Send while another calls Recv. All other methods call both.
type Stream struct {
	conn Conn
	id   uint64
}

// NewStream returns a stream over conn.
func NewStream(conn Conn) *Stream { return &Stream{conn: conn} }

// Conn returns the transport of the stream.
func (s *Stream) Conn() Conn { return s.conn }

// Attach goes on in the shared memory of Opened.local, which must be mapped.
func (s *Stream) Attach() error {
	_, err := s.call(&envv1.PlayRequest{Request: &envv1.PlayRequest_Attach{Attach: &envv1.Attach{}}})
	return err
}

// Send sends a request. The error is io.EOF if the stream has ended; Recv then returns
// the reason.
func (s *Stream) Send(req *envv1.PlayRequest) error { return s.conn.Send(req) }

// Recv returns the next response. A refusal is a *RefusedError. The columns of a
// batch are valid until the next call.
func (s *Stream) Recv() (*envv1.PlayResponse, error) {
	r, err := s.conn.Recv()
	if err != nil {
		return nil, err
	}
	if e := r.GetError(); e != nil {
		return nil, &RefusedError{r.RequestId, e}
	}
	return r, nil
}

// Close ends the requests. Answers to earlier ones still come.
func (s *Stream) Close() error { return s.conn.CloseSend() }

// call sends a request and waits for the answer.
func (s *Stream) call(req *envv1.PlayRequest) (*envv1.PlayResponse, error) {
	s.id++
	req.RequestId = s.id
	if err := s.Send(req); err != nil {
		if _, why := s.Recv(); why != nil {
			err = why
		}
		return nil, err
	}
	return s.answer()
}

// answer waits for the answer to the last request.
func (s *Stream) answer() (*envv1.PlayResponse, error) {
	r, err := s.Recv()
	if err != nil {
		return nil, err
	}
	if r.RequestId != s.id {
		return nil, fmt.Errorf("client: received the answer to request %d, want %d; is the stream asynchronous?", r.RequestId, s.id)
	}
	return r, nil
}

// batch sends a request whose answer is a batch.
func (s *Stream) batch(req *envv1.PlayRequest) (*Batch, error) {
	r, err := s.call(req)
	if err != nil {
		return nil, err
	}
	return batchOf(r)
}

func batchOf(r *envv1.PlayResponse) (*Batch, error) {
	b := r.GetBatch()
	if b == nil {
		return nil, fmt.Errorf("client: the answer is a %T, want a batch", r.Response)
	}
	return (*Batch)(b), nil
}

// Open opens tables in synchronous mode and returns their first batch.
func (s *Stream) Open(o *envv1.Open) (*envv1.Opened, *Batch, error) {
	r, err := s.call(&envv1.PlayRequest{Request: &envv1.PlayRequest_Open{Open: o}})
	if err != nil {
		return nil, nil, err
	}
	opened := r.GetOpened()
	if opened == nil {
		return nil, nil, fmt.Errorf("client: the answer to Open is a %T", r.Response)
	}
	if r, err = s.answer(); err != nil {
		return opened, nil, err
	}
	b, err := batchOf(r)
	return opened, b, err
}

// Act answers for players and returns the rows of their tables.
func (s *Stream) Act(a *Answers) (*Batch, error) {
	return s.batch(&envv1.PlayRequest{Request: &envv1.PlayRequest_Act{Act: a.Act()}})
}

// Reset starts new episodes and returns their first rows. Without seeds a table
// goes on to its next episode.
func (s *Stream) Reset(tables []uint32, seeds []uint64, seats ...string) (*Batch, error) {
	return s.batch(&envv1.PlayRequest{Request: &envv1.PlayRequest_Reset_{Reset_: &envv1.Reset{Table: Column(tables), Seed: Column(seeds), Seats: seats}}})
}

// Snapshot keeps tables and returns a handle for each.
func (s *Stream) Snapshot(tables []uint32) ([]uint64, error) {
	r, err := s.call(&envv1.PlayRequest{Request: &envv1.PlayRequest_Snapshot{Snapshot: &envv1.Snapshot{Table: Column(tables)}}})
	if err != nil {
		return nil, err
	}
	column := r.GetHandles().GetHandle()
	handles := make([]uint64, len(column)/8)
	_, err = binary.Decode(column, binary.LittleEndian, handles)
	return handles, err
}

// Restore puts kept tables back and returns the rows that wait there.
func (s *Stream) Restore(tables []uint32, handles []uint64) (*Batch, error) {
	return s.batch(&envv1.PlayRequest{Request: &envv1.PlayRequest_Restore{Restore: &envv1.Restore{Table: Column(tables), Handle: Column(handles)}}})
}

// Fork copies tables onto others and returns the rows that wait at the copies.
func (s *Stream) Fork(from, to []uint32) (*Batch, error) {
	return s.batch(&envv1.PlayRequest{Request: &envv1.PlayRequest_Fork{Fork: &envv1.Fork{From: Column(from), To: Column(to)}}})
}

// Redeal copies tables onto others, deals again there what the players cannot see, and
// returns the rows that wait at the copies. If believed is set, hidden tiles are dealt
// by their probability given the discards, calls and declarations of the others.
func (s *Stream) Redeal(from []uint32, players []uint8, seeds []uint64, to []uint32, believed bool) (*Batch, error) {
	return s.batch(&envv1.PlayRequest{Request: &envv1.PlayRequest_Redeal{Redeal: &envv1.Redeal{
		From: Column(from), Player: players, Seed: Column(seeds), To: Column(to), Believed: believed,
	}}})
}

// Playout plays hands to their end on copies of tables, after the given actions of
// players, with a built-in agent for all players. It returns the results by row.
func (s *Stream) Playout(tables []uint32, players, actions []uint8, agent string) (*envv1.PlayedOut, error) {
	r, err := s.call(&envv1.PlayRequest{Request: &envv1.PlayRequest_Playout{Playout: &envv1.Playout{
		Table: Column(tables), Player: players, Action: actions, Agent: agent,
	}}})
	return r.GetPlayedOut(), err
}

// Drop drops kept tables.
func (s *Stream) Drop(handles []uint64) error {
	_, err := s.call(&envv1.PlayRequest{Request: &envv1.PlayRequest_Drop{Drop: &envv1.Drop{Handle: Column(handles)}}})
	return err
}

// Inspect returns what a player of the client sees at a table, as JSON.
func (s *Stream) Inspect(table uint32, player uint8) (string, error) {
	r, err := s.call(&envv1.PlayRequest{Request: &envv1.PlayRequest_Inspect{Inspect: &envv1.Inspect{Table: table, Player: uint32(player)}}})
	return r.GetInspected().GetJson(), err
}

// Column encodes a column of numbers; it is empty if list is.
func Column[T uint32 | uint64](list []T) []byte {
	column, _ := binary.Append(nil, binary.LittleEndian, list) // numbers have a size
	return column
}
