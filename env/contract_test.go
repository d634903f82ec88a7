package env_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/env/client"
	"github.com/sparrowhall/sparrowhall/sim"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// transports are the ways to reach an environment.
var transports = map[string]func(t testing.TB, e *env.Env) *client.Stream{
	"process": func(t testing.TB, e *env.Env) *client.Stream { return client.NewStream(e.Play(t.Context())) },
	"memory": func(t testing.TB, e *env.Env) *client.Stream {
		l := bufconn.Listen(1 << 20)
		return playAt(t, serve(t, e, l), grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
	},
	"tcp": func(t testing.TB, e *env.Env) *client.Stream { return playAt(t, serve(t, e, listen(t, "127.0.0.1:0"))) },
	"unix": func(t testing.TB, e *env.Env) *client.Stream {
		return playAt(t, serve(t, e, listen(t, "unix:"+filepath.Join(t.TempDir(), "s"))))
	},
}

func listen(t testing.TB, address string) net.Listener {
	t.Helper()
	l, err := env.Listen(address, false)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// serve serves e until the test ends and returns the target to dial.
func serve(t testing.TB, e *env.Env, l net.Listener) string {
	t.Helper()
	s, err := env.NewServer(e, env.ServerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	start(t, s, l)
	return target(l)
}

func start(t testing.TB, s *env.Server, l net.Listener) {
	served := make(chan error)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		now, cancel := context.WithCancel(context.Background())
		cancel()
		s.Shutdown(now)
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

func target(l net.Listener) string {
	switch l.Addr().Network() {
	case "unix":
		return "unix:" + l.Addr().String()
	case "bufconn":
		return "passthrough:memory"
	}
	return l.Addr().String()
}

func dial(t testing.TB, target string, options ...grpc.DialOption) *client.Client {
	t.Helper()
	if len(options) == 0 || target == "passthrough:memory" {
		options = append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))
	}
	c, err := client.Dial(target, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func playAt(t testing.TB, target string, options ...grpc.DialOption) *client.Stream {
	t.Helper()
	s, err := dial(t, target, options...).Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newEnv(t testing.TB, o env.Options) *env.Env {
	t.Helper()
	o.NewAgent = newAgent
	e, err := env.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func preset(name string) *envv1.Open_Preset { return &envv1.Open_Preset{Preset: name} }

// compare checks the rows of each table against those of the engine.
func compare(t *testing.T, o *envv1.Open, rows map[uint32][]seen) {
	t.Helper()
	for table := range o.Tables {
		got := rows[table]
		if len(got) == 0 {
			t.Errorf("table %d: no rows", table)
			continue
		}
		if diff := cmp.Diff(reference(t, o, int(table), len(got))[:len(got)], got); diff != "" {
			t.Fatalf("table %d (-engine +server):\n%s", table, diff)
		}
	}
}

// playSync opens and takes some steps at all tables.
func playSync(t *testing.T, s *client.Stream, o *envv1.Open, steps int) map[uint32][]seen {
	t.Helper()
	_, b, err := s.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	p := newPlayer()
	for range steps {
		p.take(t, b)
		b = p.act(t, s)
	}
	p.take(t, b)
	return p.rows
}

// lineups are ways to sit down.
var lineups = map[string][]string{
	"all":    nil,
	"one":    {env.External, "eager", "eager", "tsumogiri"},
	"two":    {"eager", env.External, "tsumogiri", env.External},
	"varied": append([]string{env.External, "eager", "eager", "eager", "tsumogiri", "tsumogiri", env.External, "eager"}, slices.Repeat([]string{env.External}, 4)...),
}

// lineupsOfThree are those for three players.
var lineupsOfThree = map[string][]string{
	"all":    nil,
	"one":    {env.External, "eager", "tsumogiri"},
	"two":    {"eager", env.External, env.External},
	"varied": {env.External, "eager", "tsumogiri", "eager", "eager", env.External, env.External, env.External, env.External},
}

func seat(t *testing.T, o *envv1.Open, lineup string) {
	t.Helper()
	o.Seats = lineups[lineup]
	if rulesOf(t, o).NumSeats() == 3 {
		o.Seats = lineupsOfThree[lineup]
	}
}

// Every ruleset, observation, lineup and kind of episode gives the rows that the
// engine gives.
func TestRows(t *testing.T) {
	e := newEnv(t, env.Options{})
	names := []string{"planes", "events", "features", ""}
	seats := []string{"all", "one", "two", "varied"}
	n := 0
	for _, name := range configs.Names() {
		for _, episode := range []envv1.Episode{envv1.Episode_EPISODE_MATCH, envv1.Episode_EPISODE_HAND} {
			lineup := seats[n%4]
			o := withRules(name, &envv1.Open{
				Tables: 3, Seed: uint64(n), RotateSeats: n%3 == 0, Observation: names[n/2%4], Episode: episode, AutoReset: true,
			})
			seat(t, o, lineup)
			n++
			t.Run(fmt.Sprintf("%s/%v/%s/%s", name, episode, lineup, o.Observation), func(t *testing.T) {
				compare(t, o, playSync(t, transports["process"](t, e), o, 200))
			})
		}
	}
}

// The same rows come over every transport.
func TestTransports(t *testing.T) {
	all := maps.Clone(transports)
	all["inline"] = func(t testing.TB, e *env.Env) *client.Stream { return client.NewStream(newInline(t, e)) }
	for name, dial := range all {
		for _, rules := range []string{"hkma_hktw", "tenhou_sanma"} {
			t.Run(name+"/"+rules, func(t *testing.T) {
				o := withRules(rules, &envv1.Open{Tables: 10, Seed: 5, Observation: "planes", Episode: envv1.Episode_EPISODE_HAND, AutoReset: true})
				compare(t, o, playSync(t, dial(t, newEnv(t, env.Options{})), o, 60))
			})
		}
	}
}

// Matches that are cut off, and seeds that are given.
func TestTruncated(t *testing.T) {
	o := &envv1.Open{
		Rules:  &envv1.Open_Toml{Toml: "base = \"hkma_hktw\"\nmax_hands = 2\n"},
		Tables: 4, Seeds: client.Column([]uint64{7, 8, 9, 7}), Seats: lineups["two"], Observation: "planes", AutoReset: true,
	}
	rows := playSync(t, transports["process"](t, newEnv(t, env.Options{})), o, 600)
	compare(t, o, rows)
	if !slices.EqualFunc(rows[0], rows[3], func(a, b seen) bool { return a == b }) {
		t.Error("tables with equal seeds differ")
	}
	cut := 0
	for _, r := range rows[0] {
		if r.Flags&envv1.RowFlag_ROW_FLAG_TRUNCATED != 0 {
			cut++
		}
	}
	if cut < 4 {
		t.Errorf("only %d last rows of matches that were cut off", cut)
	}
}

// short is a ruleset whose matches end soon.
const short = "base = \"ema_2016\"\nrounds = 1\nhands_per_round = 2\n"

// Without auto-reset a table rests until it is told to go on, and then does what
// it would have done by itself.
func TestManualReset(t *testing.T) {
	for _, episode := range []envv1.Episode{envv1.Episode_EPISODE_MATCH, envv1.Episode_EPISODE_HAND} {
		t.Run(episode.String(), func(t *testing.T) {
			o := &envv1.Open{Rules: &envv1.Open_Toml{Toml: short}, Tables: 5, Seed: 3, Seats: lineups["one"], Observation: "planes", Episode: episode}
			s := transports["process"](t, newEnv(t, env.Options{}))
			_, b, err := s.Open(o)
			if err != nil {
				t.Fatal(err)
			}
			p := newPlayer()
			resets := 0
			for range 200 {
				p.take(t, b)
				var over []uint32
				for i := range b.Len() {
					if !b.Asked(i) {
						over = append(over, b.TableOf(i))
					}
				}
				resets += len(over)
				if b, err = s.Reset(over, nil); err != nil {
					t.Fatal(err)
				}
				p.take(t, b)
				b = p.act(t, s)
			}
			if resets < 5 {
				t.Errorf("only %d episodes ended", resets)
			}
			compare(t, o, p.rows)
		})
	}
}

// A batch of any number of workers has the same bytes.
func TestWorkers(t *testing.T) {
	o := &envv1.Open{Rules: preset("hkma_hktw"), Tables: 80, Seed: 11, Seats: lineups["two"], Observation: "planes", Episode: envv1.Episode_EPISODE_HAND, AutoReset: true}
	var want [][]byte
	for _, workers := range []int{1, 2, 5} {
		s := transports["process"](t, newEnv(t, env.Options{Workers: workers}))
		_, b, err := s.Open(o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 60 {
			text, err := proto.MarshalOptions{Deterministic: true}.Marshal((*envv1.Batch)(b))
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case workers == 1:
				want = append(want, text)
			case !bytes.Equal(text, want[i]):
				t.Fatalf("%d workers: batch %d differs", workers, i)
			}
			p := newPlayer()
			p.take(t, b)
			b = p.act(t, s)
		}
	}
}

// In asynchronous mode each table gives the same rows, in batches that are large
// enough.
func TestAsynchronous(t *testing.T) {
	for _, name := range []string{"process", "tcp"} {
		for _, least := range []uint32{1, 12, 36, 1000} {
			t.Run(fmt.Sprintf("%s/%d", name, least), func(t *testing.T) {
				o := &envv1.Open{
					Rules: preset("mcr_2006"), Tables: 40, Seed: 2, Seats: lineups["two"], Observation: "planes",
					Episode: envv1.Episode_EPISODE_HAND, AutoReset: true, MinBatch: least,
				}
				s := transports[name](t, newEnv(t, env.Options{}))
				if err := s.Send(&envv1.PlayRequest{Request: &envv1.PlayRequest_Open{Open: o}}); err != nil {
					t.Fatal(err)
				}
				if r, err := s.Recv(); err != nil || r.GetOpened() == nil {
					t.Fatal(r, err)
				}
				p := newPlayer()
				// Workers may fall behind one another, so 40 batches need not
				// reach every table.
				for batches := 0; batches < 40 || p.fewest(o.Tables) < 2; batches++ {
					r, err := s.Recv()
					if err != nil {
						t.Fatal(err)
					}
					b := (*client.Batch)(r.GetBatch())
					// The client answers all it gets at once, so a batch below the
					// minimum holds all there is.
					if b.Len() < int(least) && b.Len() < int(o.Tables) {
						t.Fatalf("a batch of %d rows", b.Len())
					}
					p.take(t, b)
					act := proto.CloneOf(p.answers.Act())
					p.answers.Reset()
					if err := s.Send(&envv1.PlayRequest{Request: &envv1.PlayRequest_Act{Act: act}}); err != nil {
						t.Fatal(err)
					}
				}
				compare(t, o, p.rows)
			})
		}
	}
}

// Flush brings what is ready, also where that is nothing.
func TestFlush(t *testing.T) {
	s := transports["process"](t, newEnv(t, env.Options{}))
	o := &envv1.Open{Rules: preset("ema_2016"), Tables: 4, Seats: lineups["one"], AutoReset: true, MinBatch: 4}
	if err := s.Send(&envv1.PlayRequest{Request: &envv1.PlayRequest_Open{Open: o}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Recv(); err != nil {
		t.Fatal(err)
	}
	r, err := s.Recv()
	if err != nil {
		t.Fatal(err)
	}
	b := (*client.Batch)(r.GetBatch())
	for _, answered := range []int{1, 0} {
		var a client.Answers
		for i := range answered {
			row := rowOf(b, i, 0)
			a.Add(b, i, choose(&row))
		}
		act := a.Act()
		act.Flush = true
		if err := s.Send(&envv1.PlayRequest{Request: &envv1.PlayRequest_Act{Act: act}}); err != nil {
			t.Fatal(err)
		}
		r, err := s.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if got := r.GetBatch().GetRows(); int(got) != answered {
			t.Errorf("%d rows after %d answers", got, answered)
		}
	}
}

// Answers may come in any order and in any portions; a table with several
// players to answer waits for the last of them.
func TestPortions(t *testing.T) {
	o := &envv1.Open{Rules: preset("ema_2016"), Tables: 16, Seed: 1, Observation: "planes", AutoReset: true}
	s := transports["process"](t, newEnv(t, env.Options{}))
	_, b, err := s.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	type answer struct {
		table, step uint32
		player      uint8
		action      sim.Action
	}
	var pending []answer
	p := newPlayer()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		p.answers.Reset()
		p.take(t, b)
		act := p.answers.Act()
		for i := range p.answers.Len() {
			pending = append(pending, answer{uint32At(act.Table, i), uint32At(act.Step, i), act.Player[i], sim.Action(act.Action[i])})
		}
		rng.Shuffle(len(pending), func(i, j int) { pending[i], pending[j] = pending[j], pending[i] })
		var some client.Answers
		for _, a := range pending[len(pending)/2:] {
			some.AddTo(a.table, sim.Player(a.player), a.step, a.action)
		}
		pending = pending[:len(pending)/2]
		if b, err = s.Act(&some); err != nil {
			t.Fatal(err)
		}
		waiting := map[uint32]bool{}
		for _, a := range pending {
			waiting[a.table] = true
		}
		for i := range b.Len() {
			if waiting[b.TableOf(i)] {
				t.Fatalf("table %d goes on without all answers", b.TableOf(i))
			}
		}
	}
	compare(t, o, p.rows)
}

// In asynchronous mode what is ready comes before the answer to any other
// request, and the rows of its tables after it.
func TestAsynchronousRequests(t *testing.T) {
	const tables = 90
	s := transports["process"](t, newEnv(t, env.Options{}))
	send := func(req *envv1.PlayRequest) {
		t.Helper()
		if err := s.Send(req); err != nil {
			t.Fatal(err)
		}
	}
	receive := func() *envv1.PlayResponse {
		t.Helper()
		r, err := s.Recv()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	send(&envv1.PlayRequest{Request: &envv1.PlayRequest_Open{Open: &envv1.Open{
		Rules: preset("ema_2016"), Tables: tables, Seats: lineups["one"], AutoReset: true, MinBatch: tables,
	}}})
	if r := receive(); r.GetOpened() == nil {
		t.Fatal(r)
	}
	first := (*client.Batch)(receive().GetBatch())
	p := newPlayer()
	p.take(t, first)
	// Half of the tables are played when one of the rest is kept and put back.
	var half client.Answers
	act := p.answers.Act()
	rest := uint32At(act.Table, tables-1)
	for i := range tables / 2 {
		half.AddTo(uint32At(act.Table, i), sim.Player(act.Player[i]), uint32At(act.Step, i), sim.Action(act.Action[i]))
	}
	send(&envv1.PlayRequest{Request: &envv1.PlayRequest_Act{Act: half.Act()}})
	send(&envv1.PlayRequest{RequestId: 5, Request: &envv1.PlayRequest_Snapshot{Snapshot: &envv1.Snapshot{Table: client.Column([]uint32{rest})}}})
	if b := receive().GetBatch(); b.GetRows() < tables/2 {
		t.Fatalf("%d rows before the handles", b.GetRows())
	}
	r := receive()
	if r.RequestId != 5 || len(r.GetHandles().GetHandle()) != 8 {
		t.Fatal(r)
	}
	restore := &envv1.Restore{Table: client.Column(upTo(tables)), Handle: bytes.Repeat(r.GetHandles().Handle, tables)}
	send(&envv1.PlayRequest{RequestId: 6, Request: &envv1.PlayRequest_Restore{Restore: restore}})
	if r := receive(); r.RequestId != 6 || r.GetDone() == nil {
		t.Fatal(r)
	}
	b := receive()
	if b.RequestId != 0 || b.GetBatch().GetRows() != tables {
		t.Fatal(b)
	}
	want := rowsOf(first)[tables-1]
	for i, r := range rowsOf((*client.Batch)(b.GetBatch())) {
		if r != want {
			t.Errorf("row %d is not that of the kept table", i)
		}
	}
}
