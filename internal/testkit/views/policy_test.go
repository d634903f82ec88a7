package views_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/bits"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/sparrowhall/sparrowhall/agents"
	agentv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/agent/v1"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestPolicy compares the requests to a policy over gRPC, with and without an observation.
func TestPolicy(t *testing.T) {
	eachTwins(t, presets[:3], []sim.Player{0, 3}, func(t *testing.T, x *twins) {
		for _, observation := range []string{"", "planes", "events"} {
			x.compare(t, "policy, observation "+observation, func(k int) string { return toPolicy(t, x, k, observation) })
		}
	})
}

// policy gives the viewer's answers and logs the requests up to the moment.
type policy struct {
	agentv1.UnimplementedPolicyServiceServer
	x           *twins
	observation string
	log         strings.Builder
	answered    int
}

func (p *policy) Describe(context.Context, *agentv1.DescribeRequest) (*agentv1.DescribeResponse, error) {
	return &agentv1.DescribeResponse{Name: "script", Observation: p.observation}, nil
}

func (p *policy) Act(_ context.Context, r *agentv1.ActRequest) (*agentv1.ActResponse, error) {
	var a sim.Action
	switch n := p.answered; {
	case n < len(p.x.answers):
		a = p.x.answers[n]
	default: // any legal one
		first := slices.IndexFunc(r.GetMask(), func(b byte) bool { return b != 0 })
		a = sim.Action(8*first + bits.TrailingZeros8(r.GetMask()[first]))
	}
	if p.answered <= len(p.x.answers) {
		text, err := proto.MarshalOptions{Deterministic: true}.Marshal(r)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&p.log, "%x\n", sha256.Sum256(text))
	}
	p.answered++
	return &agentv1.ActResponse{Action: []byte{byte(a)}}, nil
}

// toPolicy plays match k with a policy in the seat of the viewer and returns what it is sent.
func toPolicy(t *testing.T, x *twins, k int, observation string) string {
	p := &policy{x: x, observation: observation}
	path := filepath.Join(t.TempDir(), "p")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	agentv1.RegisterPolicyServiceServer(s, p)
	go func() { _ = s.Serve(l) }()
	defer s.Stop()
	newAgent, err := agents.New("grpc:unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	remote, rules := newAgent(), x.rulesets[k].Rules()
	if err := sim.StartAgent(remote, rules); err != nil {
		t.Fatal(err)
	}
	a := scripted{twins: x}
	seated := [sim.NumPlayers]sim.Agent{a, a, a, a}
	seated[x.viewer] = remote
	m := sim.Match{Seed: x.seed}
	m.Play(rules, &seated)
	if err := sim.CloseAgent(remote); err != nil || m.Forfeited != 0 || p.answered < len(x.answers) {
		t.Fatalf("%s: %v, %v; %d answers", x.name, err, m.Forfeits, p.answered)
	}
	return p.log.String()
}
