package outside_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
	agentv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/agent/v1"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// testPolicy answers as the agent random does, or as its test wants.
type testPolicy struct {
	agentv1.UnimplementedPolicyServiceServer
	observation string
	seats       int // players of a table; 0 for four
	// act, if not nil, may change the answer.
	act func(context.Context, *agentv1.ActRequest, *agentv1.ActResponse) error

	mu      sync.Mutex
	batches int
	rows    int
	// next has the decision that each asker must come with next.
	next map[uint32]uint32
	errs []error
}

func (p *testPolicy) Describe(_ context.Context, r *agentv1.DescribeRequest) (*agentv1.DescribeResponse, error) {
	version, actions := sim.ActionTable(p.seats)
	if len(r.GetActions()) != actions || int(r.GetActionTableVersion()) != version || r.GetActions()[sim.ActWin] != sim.ActWin.String() {
		return nil, fmt.Errorf("version %d with actions %v", r.GetActionTableVersion(), r.GetActions())
	}
	for _, o := range r.GetObservations() {
		spec, err := observe.Lookup(o.GetName())
		if err != nil || int(o.GetVersion()) != spec.For(p.seats).Version {
			return nil, fmt.Errorf("observation %s of version %d: %w", o.GetName(), o.GetVersion(), err)
		}
	}
	return &agentv1.DescribeResponse{Name: "test", Observation: p.observation}, nil
}

func (p *testPolicy) Act(ctx context.Context, r *agentv1.ActRequest) (*agentv1.ActResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.batches++
	n := int(r.GetRows())
	p.rows += n
	fail := func(format string, args ...any) { p.errs = append(p.errs, fmt.Errorf(format, args...)) }
	if len(r.GetAsker()) != 4*n || len(r.GetPlayer()) != n || len(r.GetDecision()) != 4*n ||
		len(r.GetRandom()) != 8*n || len(r.GetMask()) != observe.MaskSize*n {
		fail("columns of other lengths than %d rows", n)
	}
	if p.observation != "" {
		spec, err := observe.Lookup(p.observation)
		if err != nil {
			return nil, err
		}
		for i, column := range r.GetObservation() {
			if len(column) != n*spec.Tensors[i].Size() {
				fail("tensor %s has %d bytes for %d rows", spec.Tensors[i].Name, len(column), n)
			}
		}
	}
	answer := &agentv1.ActResponse{}
	seen := map[uint32]bool{}
	for i := range n {
		asker := binary.LittleEndian.Uint32(r.GetAsker()[4*i:])
		decision := binary.LittleEndian.Uint32(r.GetDecision()[4*i:])
		if decision != 0 && decision != p.next[asker] || seen[asker] {
			fail("asker %d comes with decision %d, after %d", asker, decision, p.next[asker])
		}
		p.next[asker], seen[asker] = decision+1, true
		var legal []byte
		mask := r.GetMask()[observe.MaskSize*i:]
		for a := range 8 * observe.MaskSize {
			if mask[a/8]>>(a%8)&1 != 0 {
				legal = append(legal, byte(a))
			}
		}
		// The first draw of the row's stream, as the agent random uses it.
		random := binary.LittleEndian.Uint64(r.GetRandom()[8*i:])
		choice, _ := bits.Mul64(random, uint64(len(legal)))
		answer.Action = append(answer.Action, legal[choice])
	}
	if p.act != nil {
		if err := p.act(ctx, r, answer); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

// serve lets a policy listen and returns its address and what stops it.
func (p *testPolicy) serve(t *testing.T) (address string, stop func()) {
	t.Helper()
	p.next = map[uint32]uint32{}
	path := filepath.Join(t.TempDir(), "policy.sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(grpc.MaxRecvMsgSize(64 << 20))
	agentv1.RegisterPolicyServiceServer(s, p)
	go s.Serve(listener)
	t.Cleanup(s.Stop)
	return "unix:" + path, s.Stop
}

// logged is what is left of a match.
type logged struct {
	index     uint64
	actions   []sim.Action
	forfeited sim.Players
	reasons   []string
}

// playAll plays matches of one agent against three of another.
func playAll(t *testing.T, preset, first, others string, matches uint64, overlap bool) ([]logged, error) {
	t.Helper()
	r, err := configs.Load(preset)
	if err != nil {
		t.Fatal(err)
	}
	var factories []func() sim.Agent
	for _, spec := range []string{first, others} {
		f, err := agents.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		factories = append(factories, f)
	}
	job := &sim.Job{
		Rules: r, Schedule: sim.Rotation{Seed: 5, Seats: r.NumSeats()}, Count: matches, Workers: 2, Overlap: overlap,
		NewAgent: func(number int) sim.Agent { return factories[min(number, 1)]() },
	}
	var all []logged
	err = sim.Run(t.Context(), job,
		func() *[]logged { return new([]logged) },
		func(b *[]logged, m *sim.Match) error {
			l := logged{m.Index, slices.Clone(m.Actions), m.Forfeited, nil}
			for _, f := range m.Forfeits {
				l.reasons = append(l.reasons, f.Reason)
			}
			*b = append(*b, l)
			return nil
		},
		func(b *[]logged) error {
			all = append(all, *b...)
			*b = (*b)[:0]
			return nil
		})
	return all, err
}

// threePlayers is a preset of three players.
const threePlayers = "tenhou_sanma"

// TestPolicySeats sees that a policy sits at tables of one number of players at a time.
func TestPolicySeats(t *testing.T) {
	p := &testPolicy{seats: 3}
	address, _ := p.serve(t)
	newAgent, err := agents.New("grpc:" + address)
	if err != nil {
		t.Fatal(err)
	}
	start := func(rules string) error {
		r, err := configs.Load(rules)
		if err != nil {
			t.Fatal(err)
		}
		agent := newAgent()
		if err := agent.(sim.Starter).Start(r); err != nil {
			return err
		}
		t.Cleanup(func() { _ = agent.(io.Closer).Close() })
		return nil
	}
	if err := start(threePlayers); err != nil {
		t.Fatal(err)
	}
	if err := start("ema_2016"); err == nil || !strings.Contains(err.Error(), "tables of 3 players") {
		t.Errorf("at a table of four: %v", err)
	}
}

// A policy that does what a built-in player does plays the same matches, however
// its rows are put together, with any observation.
func TestPolicy(t *testing.T) {
	for preset, matches := range map[string]uint64{"ema_2016": 66, "zung_jung": 8, threePlayers: 8} {
		want, err := playAll(t, preset, "random", "tsumogiri", matches, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, observation := range []string{"", "planes", "events"} {
			for _, overlap := range []bool{true, false} {
				if !overlap && observation != "" || preset != "ema_2016" && observation != "planes" {
					continue
				}
				p := &testPolicy{observation: observation}
				if preset == threePlayers {
					p.seats = 3
				}
				address, _ := p.serve(t)
				got, err := playAll(t, preset, "grpc:"+address, "tsumogiri", matches, overlap)
				if err != nil {
					t.Fatal(err)
				}
				if len(p.errs) > 0 {
					t.Errorf("%s, %s: %v, and %d more", preset, observation, p.errs[0], len(p.errs)-1)
				}
				if !slices.EqualFunc(want, got, func(a, b logged) bool {
					return a.index == b.index && slices.Equal(a.actions, b.actions) && a.forfeited == b.forfeited
				}) {
					t.Errorf("%s, %s, overlap %v: other matches than those of random", preset, observation, overlap)
				}
				if mean := float64(p.rows) / float64(p.batches); overlap && mean < 4 {
					t.Errorf("%s, %s: %.1f rows a batch", preset, observation, mean)
				}
			}
		}
	}
}

// The events a policy sees are those of the whole history that its player knows.
func TestPolicyHistory(t *testing.T) {
	spec, err := observe.Lookup("events")
	if err != nil {
		t.Fatal(err)
	}
	for _, preset := range []string{"tenhou", "mcr_2006", "universal", "hkma_hktw"} {
		r, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		factory, err := agents.New("greedy")
		if err != nil {
			t.Fatal(err)
		}
		greedy := factory()
		played := sim.NewTable(r, 4)
		var all observe.History
		var seen [sim.NumPlayers]observe.History
		encoder := spec.NewEncoder()
		encode := func(v sim.View, h *observe.History) [][]byte {
			dst := make([][]byte, len(spec.Tensors))
			encoder.Append(dst, v, h)
			return dst
		}
		tell := func(events []sim.Event) {
			all.Add(events)
			for p := range seen {
				for _, e := range events {
					seen[p].Add([]sim.Event{e.SeenBy(sim.Player(p), &r.Flow)})
				}
			}
		}
		for hands := 0; hands < 3 && !played.Over(); hands++ {
			tell(played.StartHand(nil))
			for played.Phase() != sim.PhaseDeal && !played.Over() {
				for p := range sim.Player(sim.NumPlayers) {
					if !played.Asked().Has(p) {
						continue
					}
					v := played.View(p)
					if want, got := encode(v, &all), encode(v, &seen[p]); !slices.EqualFunc(want, got, slices.Equal[[]byte]) {
						t.Fatalf("%s, hand %d: player %d sees other events", preset, hands, p)
					}
					events, err := played.Step(p, greedy.Act(v), nil)
					if err != nil {
						t.Fatal(err)
					}
					tell(events)
				}
			}
		}
	}
}

// Who answers illegally, not at all or too late forfeits, and play goes on.
func TestPolicyForfeits(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		options, reason string
		act             func(ctx context.Context, n int, r *agentv1.ActRequest, a *agentv1.ActResponse) error
	}{
		"illegal": {"", "action 255: is not legal", func(_ context.Context, _ int, r *agentv1.ActRequest, a *agentv1.ActResponse) error {
			a.Action[0] = 255
			return nil
		}},
		"short": {"", "actions for ", func(_ context.Context, n int, _ *agentv1.ActRequest, a *agentv1.ActResponse) error {
			if n == 3 {
				a.Action = a.Action[1:]
			}
			return nil
		}},
		"error": {"", "broken", func(_ context.Context, n int, _ *agentv1.ActRequest, _ *agentv1.ActResponse) error {
			if n == 3 {
				return broken
			}
			return nil
		}},
		"late": {"?timeout=1s", "DeadlineExceeded", func(ctx context.Context, n int, _ *agentv1.ActRequest, _ *agentv1.ActResponse) error {
			// A nil error after the end may arrive before the program's own clock has run out.
			if n == 3 {
				<-ctx.Done()
			}
			return ctx.Err()
		}},
	} {
		p := &testPolicy{}
		p.act = func(ctx context.Context, r *agentv1.ActRequest, a *agentv1.ActResponse) error {
			return c.act(ctx, p.batches, r, a)
		}
		address, _ := p.serve(t)
		got, err := playAll(t, "ema_2016", "grpc:"+address+c.options, "tsumogiri", 10, true)
		if err != nil || len(got) != 10 {
			t.Errorf("%s: %d matches, %v", name, len(got), err)
		}
		forfeits := 0
		for _, m := range got {
			switch m.forfeited {
			case 0:
			case 1 << ((4 - m.index) % 4): // where agent 0 sits
				forfeits++
				if len(m.reasons) != 1 || !strings.Contains(m.reasons[0], c.reason) || !strings.Contains(m.reasons[0], "; legal: ") {
					t.Errorf("%s: match %d: forfeits for %q, want %q", name, m.index, m.reasons, c.reason)
				}
			default:
				t.Errorf("%s: match %d: players %04b forfeit", name, m.index, m.forfeited)
			}
		}
		if forfeits == 0 {
			t.Errorf("%s: nobody forfeits", name)
		}
	}
}

// A policy that goes away ends the run.
func TestPolicyGone(t *testing.T) {
	p := &testPolicy{}
	address, stop := p.serve(t)
	p.act = func(context.Context, *agentv1.ActRequest, *agentv1.ActResponse) error {
		if p.batches == 5 {
			go stop()
		}
		return nil
	}
	_, err := playAll(t, "ema_2016", "grpc:"+address, "tsumogiri", 200, true)
	if err == nil || !strings.Contains(err.Error(), "agents: grpc:"+address+": the policy is no longer available") {
		t.Error(err)
	}
}

func TestPolicyErrors(t *testing.T) {
	for spec, want := range map[string]string{
		"grpc:":                "agents: grpc: the address of the policy is missing",
		"grpc:a:1?timeout=x":   `timeout: "x"; allowed: a time such as 500ms or 10s`,
		"grpc:a:1?timeout=-1s": `timeout: "-1s"`,
		"grpc:a:1?tls=maybe":   `tls: "maybe"; allowed: on, off`,
		"grpc:a:1?speed=1":     `option speed is unknown; allowed: timeout, tls`,
		"grpc:a:1?timeout=%zz": "invalid URL escape",
	} {
		if _, err := agents.New(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", spec, err, want)
		}
	}
	start := time.Now()
	_, err := playAll(t, "ema_2016", "grpc:unix:"+filepath.Join(t.TempDir(), "absent")+"?timeout=200ms", "tsumogiri", 100, true)
	if err == nil || !strings.Contains(err.Error(), "no policy answers") || time.Since(start) > 9*time.Second {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
	for observation, want := range map[string]string{
		"colors": `the policy requests the observation "colors", which is not offered`,
		"text":   `the policy requests the observation "text", which is not offered`,
	} {
		p := &testPolicy{observation: observation}
		address, _ := p.serve(t)
		if _, err := playAll(t, "ema_2016", "grpc:"+address, "tsumogiri", 1, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// An interrupt does not wait for a policy that does not answer.
func TestPolicyInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := &testPolicy{act: func(context.Context, *agentv1.ActRequest, *agentv1.ActResponse) error {
		cancel()
		<-t.Context().Done()
		return nil
	}}
	address, _ := p.serve(t)
	r, err := configs.Load("ema_2016")
	if err != nil {
		t.Fatal(err)
	}
	f, err := agents.New("grpc:" + address + "?timeout=100s")
	if err != nil {
		t.Fatal(err)
	}
	began, matches := time.Now(), 0
	job := &sim.Job{
		Rules: r, Schedule: sim.Rotation{Seed: 5}, Count: 4, Workers: 1, Overlap: true,
		NewAgent: func(int) sim.Agent { return f() },
	}
	err = sim.Run(ctx, job, func() *int { return new(int) },
		func(*int, *sim.Match) error { matches++; return nil },
		func(*int) error { return nil })
	if took := time.Since(began); !errors.Is(err, context.Canceled) || matches != 0 || took > poll.Patience {
		t.Errorf("%d matches, error %v after %v", matches, err, took)
	}
}
