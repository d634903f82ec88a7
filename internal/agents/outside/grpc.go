package outside

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	grpccodes "google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	agentv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/agent/v1"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

const (
	// maxRows is the largest number of rows of a batch.
	maxRows = 4096
	// maxBytes is the largest message, far above one of maxRows rows.
	maxBytes = 64 << 20
)

// policy is a client of sparrowhall.agent.v1.PolicyService. All agents of a constructor
// share it, so that one call answers many of them.
type policy struct {
	address string
	timeout time.Duration
	secure  bool

	mu sync.Mutex
	// users is the number of agents that have started and are not closed. The fields below are
	// set while there are any.
	users       int
	conn        *grpc.ClientConn
	seats       int           // players of the tables at which all users sit
	observation *observe.Spec // nil if the policy requests none
	asked       chan *question
	stopped     chan struct{}
	calls       context.Context // of all calls; ends with the last user
	leave       context.CancelFunc
	failure     error // why the policy cannot be reached
}

// question is a row of a batch.
type question struct {
	agentID, decision uint32
	player            sim.Player
	random            uint64
	rules             *ruleset.Rules
	mask              []byte
	observation       [][]byte
	// answer receives the action, or NoAction if there is none because of err.
	answer chan sim.Action
	err    error
}

// NewGRPC returns a constructor of players by a policy at an address, such as
// "localhost:9000" or "unix:/run/policy.sock", with options such as "?timeout=30s&tls=on".
func NewGRPC(spec string) (func() sim.Agent, error) {
	address, options, _ := strings.Cut(spec, "?")
	if address == "" {
		return nil, errors.New("the address of the policy is missing, such as in grpc:localhost:9000")
	}
	values, err := url.ParseQuery(options)
	if err != nil {
		return nil, fmt.Errorf("options %q: %w", options, err)
	}
	c := newCommand("grpc")
	if err := c.setAll(values); err != nil {
		return nil, err
	}
	p := &policy{address: address, timeout: c.timeout, secure: c.tls}
	var agentIDs atomic.Uint32
	return func() sim.Agent {
		return &remote{interruption: newInterruption(), policy: p, question: question{agentID: agentIDs.Add(1) - 1, answer: make(chan sim.Action, 1)}}
	}, nil
}

// open adds a user at a table of so many players. It connects for the first one.
func (p *policy) open(ctx context.Context, seats int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failure != nil {
		return p.failure
	}
	if p.users > 0 && p.seats != seats {
		return fmt.Errorf("agents: grpc:%s: the policy plays at tables of %d players, and cannot play at one of %d at the same time", p.address, p.seats, seats)
	}
	if p.users == 0 {
		p.seats = seats
		err := p.connect(ctx)
		if err != nil && ctx.Err() != nil {
			return errInterrupted
		}
		p.failure = err
	}
	if p.failure == nil {
		p.users++
	}
	return p.failure
}

// connect connects and starts serving questions.
func (p *policy) connect(ctx context.Context) error {
	transport := insecure.NewCredentials()
	if p.secure {
		transport = credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12})
	}
	conn, err := grpc.NewClient(p.address,
		grpc.WithTransportCredentials(transport),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxBytes), grpc.MaxCallSendMsgSize(maxBytes)),
	)
	if err != nil {
		return fmt.Errorf("agents: grpc:%s: %w", p.address, err)
	}
	if err := p.describe(ctx, conn); err != nil {
		return errors.Join(fmt.Errorf("agents: grpc:%s: %w", p.address, err), conn.Close())
	}
	p.conn = conn
	p.calls, p.leave = context.WithCancel(context.Background())
	p.asked, p.stopped = make(chan *question), make(chan struct{})
	go p.serve(agentv1.NewPolicyServiceClient(conn), p.asked, p.stopped)
	return nil
}

// describe lets the policy choose its observation.
func (p *policy) describe(ctx context.Context, conn *grpc.ClientConn) error {
	version, actions := sim.ActionTable(p.seats)
	request := &agentv1.DescribeRequest{ActionTableVersion: uint32(version)}
	for a := range sim.Action(actions) {
		request.Actions = append(request.Actions, a.String())
	}
	for _, name := range observe.Names() {
		if o := p.describeObservation(name); o != nil {
			request.Observations = append(request.Observations, o)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	answer, err := agentv1.NewPolicyServiceClient(conn).Describe(ctx, request, grpc.WaitForReady(true))
	if err != nil {
		return fmt.Errorf("no policy answers: %w", err)
	}
	p.observation = nil
	if name := answer.GetObservation(); name != "" {
		if p.describeObservation(name) == nil {
			return fmt.Errorf("the policy requests the observation %q, which is not offered", name)
		}
		if p.observation, err = observe.Lookup(name); err == nil {
			p.observation = p.observation.For(p.seats)
		}
	}
	return err
}

// describeObservation returns the description of an observation, nil if there is none of that
// name with a fixed size.
func (p *policy) describeObservation(name string) *agentv1.Observation {
	spec, err := observe.Lookup(name)
	if err != nil {
		return nil
	}
	spec = spec.For(p.seats)
	o := &agentv1.Observation{Name: spec.Name, Version: uint32(spec.Version)}
	for i := range spec.Tensors {
		t := &spec.Tensors[i]
		if t.DType == observe.Text {
			return nil
		}
		tensor := &agentv1.Tensor{Name: t.Name, Dtype: string(t.DType), RowBytes: uint32(t.Size())}
		for _, d := range t.Shape {
			tensor.Shape = append(tensor.Shape, uint32(d))
		}
		o.Tensors = append(o.Tensors, tensor)
	}
	return o
}

// close removes a user. The last one closes the connection.
func (p *policy) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users--; p.users > 0 {
		return nil
	}
	p.leave()
	close(p.asked)
	<-p.stopped
	return p.conn.Close()
}

// err returns why the policy cannot be reached, nil if it can.
func (p *policy) err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failure
}

// serve calls the policy with one batch of questions after another until asked is closed.
func (p *policy) serve(client agentv1.PolicyServiceClient, asked <-chan *question, stopped chan<- struct{}) {
	defer close(stopped)
	var (
		batch   []*question
		request agentv1.ActRequest
	)
	for q := range asked {
		batch = gather(append(batch[:0], q), asked)
		p.ask(client, &request, batch)
	}
}

// gather adds the questions that are waiting. It yields a few times for players that are
// about to ask: a call costs far more than that.
func gather(batch []*question, asked <-chan *question) []*question {
	for quiet := 0; quiet < 3 && len(batch) < maxRows; {
		select {
		case q, ok := <-asked:
			if !ok {
				return batch
			}
			batch = append(batch, q)
			quiet = 0
		default:
			quiet++
			runtime.Gosched()
		}
	}
	return batch
}

// ask calls the policy with a batch and distributes the answers. It fills request, whose
// memory each call uses again.
func (p *policy) ask(client agentv1.PolicyServiceClient, request *agentv1.ActRequest, batch []*question) {
	fill(request, batch)
	actions, err := p.act(client, request, len(batch))
	for i, q := range batch {
		a := sim.NoAction
		if err == nil {
			a = sim.Action(actions[i])
		}
		q.err = err
		q.answer <- a
	}
}

func (p *policy) act(client agentv1.PolicyServiceClient, request *agentv1.ActRequest, rows int) ([]byte, error) {
	if err := p.err(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(p.calls, p.timeout)
	defer cancel()
	answer, err := client.Act(ctx, request)
	if status.Code(err) == grpccodes.Unavailable {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.failure = fmt.Errorf("agents: grpc:%s: the policy is no longer available: %w", p.address, err)
	}
	if err == nil && len(answer.GetAction()) != rows {
		err = fmt.Errorf("%d actions for %d rows", len(answer.GetAction()), rows)
	}
	return answer.GetAction(), err
}

func fill(r *agentv1.ActRequest, batch []*question) {
	le := binary.LittleEndian
	r.Ruleset, r.RulesetHash, r.Rows = batch[0].rules.Name, batch[0].rules.Hash[:], uint32(len(batch))
	r.Asker, r.Player, r.Decision, r.Random, r.Mask = r.Asker[:0], r.Player[:0], r.Decision[:0], r.Random[:0], r.Mask[:0]
	if r.Observation == nil {
		r.Observation = make([][]byte, len(batch[0].observation))
	}
	for i := range r.Observation {
		r.Observation[i] = r.Observation[i][:0]
	}
	for _, q := range batch {
		r.Asker = le.AppendUint32(r.Asker, q.agentID)
		r.Player = append(r.Player, byte(q.player))
		r.Decision = le.AppendUint32(r.Decision, q.decision)
		r.Random = le.AppendUint64(r.Random, q.random)
		r.Mask = append(r.Mask, q.mask...)
		for i, tensor := range q.observation {
			r.Observation[i] = append(r.Observation[i], tensor...)
		}
	}
}

// remote is a player whose answers come from a policy.
type remote struct {
	interruption
	policy   *policy
	question question
	encoder  *observe.Encoder
	history  observe.History
	started  bool
	reason   string // of the last forfeit
}

// Start implements sim.Starter.
func (a *remote) Start(r *ruleset.Rules) error {
	if err := a.policy.open(a.interruption.ctx, r.NumSeats()); err != nil {
		return err
	}
	a.started = true
	a.question.rules = r
	if spec := a.policy.observation; spec != nil {
		a.encoder = spec.NewEncoder()
		a.question.observation = make([][]byte, len(spec.Tensors))
	}
	return nil
}

// Close implements io.Closer.
func (a *remote) Close() error {
	if !a.started {
		return nil
	}
	a.started = false
	return a.policy.close()
}

// Err implements sim.Failer.
func (a *remote) Err() error { return a.policy.err() }

// Listen implements sim.Listener.
func (a *remote) Listen(_ sim.View, events []sim.Event) {
	if spec := a.policy.observation; spec != nil && spec.History {
		a.history.Add(events)
	}
}

// Act implements sim.Agent.
func (a *remote) Act(v sim.View) sim.Action {
	if a.interruption.ctx.Err() != nil {
		// The last question may not have been answered yet.
		a.reason = errInterrupted.Error()
		return sim.NoAction
	}
	q := &a.question
	random := v.Rand()
	q.player, q.decision, q.random = v.Player(), v.Decision(), random.Uint64()
	q.mask = observe.AppendMask(q.mask[:0], v.Legal())
	if a.encoder != nil {
		for i := range q.observation {
			q.observation[i] = q.observation[i][:0]
		}
		a.encoder.Append(q.observation, v, &a.history)
	}
	select {
	case a.policy.asked <- q:
	case <-a.interruption.ctx.Done():
		a.reason = errInterrupted.Error()
		return sim.NoAction
	}
	var action sim.Action
	select {
	case action = <-q.answer:
	case <-a.interruption.ctx.Done():
		a.reason = errInterrupted.Error()
		return sim.NoAction
	}
	if legal := v.Legal(); !legal.Has(action) {
		if q.err == nil {
			q.err = fmt.Errorf("action %d: %w", action, &record.IllegalError{Legal: legal})
		}
		a.reason = reason(fmt.Sprintf("decision %d", v.Decision()), v, q.err)
	}
	return action
}

// Explain implements sim.Explainer.
func (a *remote) Explain() string { return a.reason }
