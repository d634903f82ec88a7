// Package env serves mahjong tables to learners as a vectorized environment in the sense of
// reinforcement learning: a client plays at thousands of tables at once. The protocol is
// proto/sparrowhall/env/v1/env.proto; docs/serving.md explains it.
//
// An [Env] has the players and the limits. It carries out streams: the first request of a stream
// opens its tables, and each later one has answers for players who are asked. The reply is a batch
// of rows, one for each player of the client who must answer or whose episode has ended, with
// observation, legal actions and reward. The example of Env plays a hand over a stream within the
// process; that of package client does so over the network.
//
// # Duties of the caller
//
//   - The specs of players come from clients. [Options].NewAgent must lead neither to files nor to
//     commands of the host, and its agents decide by the view alone: one plays at many tables.
//   - A server without TLS is for clients that you trust on one network; Listen refuses addresses of
//     other machines unless the call says that they are safe.
//   - A client answers rows by their table, player and step. An answer to an earlier step, or an
//     illegal one, is refused by name, and the tables stay as they were.
//   - Rows come in the same order for any number of workers. Asynchronous streams (min_batch) give
//     that up for speed.
//   - Shut a server down before the program ends, so that clients learn of it.
//
// # Inside
//
// A request comes by a transport: gRPC in server.go and stream.go, shared memory in
// local.go, this process in process.go. The transport passes it to the session of its
// stream, session.go. That carries it out, requests.go, by the scheduler of package tables.
// The rows that answer it go back through the transport (codec.go for gRPC). In inline.go
// the caller's goroutine carries out each request, without a transport.
//
// # A server
//
//	e, err := env.New(env.Options{})
//	server, err := env.NewServer(e, env.ServerOptions{})
//	l, err := env.Listen("127.0.0.1:0", false)
//	err = server.Serve(l)
package env

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/env/internal/fairqueue"
	"github.com/sparrowhall/sparrowhall/internal/admission"
	"github.com/sparrowhall/sparrowhall/sim"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// External is the entry of Open.seats for the client.
const External = "external"

// maxAgents is the largest number of different agents of a stream.
const maxAgents = 250

// Agent is a built-in player that clients may name.
type Agent struct {
	// Name is what clients write, About a line about it.
	Name, About string
}

// Options configures an Env. The zero value of each field is a default.
type Options struct {
	// Agents lists the built-in players.
	Agents []Agent
	// NewAgent returns a constructor of the agents of a spec: a name, or a name, a
	// colon and options. Specs come from clients, so they must not lead to files or
	// commands. Agents must decide by the view alone, since one plays at many tables.
	// By default there are no agents.
	NewAgent func(spec string) (func() sim.Agent, error)
	// Version is the version of the program that Describe returns.
	Version string
	// AllowHidden offers the observation oracle, which contains hidden tiles.
	AllowHidden bool
	// MaxStreams is the number of Play streams at a time; by default 128.
	MaxStreams int
	// MaxTables is the number of tables in one stream; by default 8192. A table
	// takes about 2 KB, and 4 KB with its history.
	MaxTables int
	// TotalTables is the number of tables in all streams; by default 65536.
	TotalTables int
	// MaxHandles is the number of tables a stream may keep; by default 8192.
	MaxHandles int
	// TotalHandles is the number of tables that all streams may keep; by default
	// 65536.
	TotalHandles int
	// AddressShare is the percentage of the streams, and of the tables and handles of
	// all streams, that one address may have; by default 50.
	AddressShare int
	// MaxRequest is the number of bytes of one request; by default 1 MB. The Env
	// reports it to clients and the Server enforces it.
	MaxRequest int
	// MaxShared is the number of bytes of memory that may be shared with clients on
	// the same machine; by default 1 GB. A stream takes about 8 KB a table where the
	// observation is planes.
	MaxShared int
	// RequestTime is how long the server may work without sending an answer, or in
	// asynchronous mode without finishing rows. The time that a client takes to receive
	// does not count. The default is one minute; negative for no limit.
	RequestTime time.Duration
	// OpenTime is how long a stream may be without tables; by default one minute,
	// negative for no limit.
	OpenTime time.Duration
	// Idle is how long a stream may be without a request, or an answer wait to be
	// received; by default ten minutes, negative for no limit.
	Idle time.Duration
	// Workers is the number of goroutines that play at the tables of one stream;
	// by default one for each processor. It changes no answer in synchronous mode.
	Workers int
	// Log receives the begin and end of streams, and panics; by default nothing is
	// logged.
	Log *slog.Logger
	// Watch, if not nil, is called when a stream opens tables, from many goroutines. It
	// returns who shows them to spectators, and what is called when they are closed.
	Watch func(WatchedTables) (w sim.Watch, closed func())
}

// WatchedTables are the tables of a stream, for spectators.
type WatchedTables struct {
	// Ruleset is the ruleset and Tables the number of tables.
	Ruleset *configs.Ruleset
	Tables  int
	// AgentName returns the name of an agent by its number in a [sim.Scene]. It may be
	// called during Show.
	AgentName func(number uint8) string
	// Look calls Show for a table without events, unless some table of the stream is in
	// play; the next step at the table calls it then.
	Look func(table int)
}

// Env is an environment. It is safe for use by any number of goroutines.
type Env struct {
	options  Options
	describe *envv1.DescribeResponse
	presets  map[string]describedRules

	// Limits on all clients together and on each address.
	streams, allTables, allHandles, allShared *admission.Quota

	queue    *fairqueue.Queue // for processors
	sessions atomic.Uint64    // begun without an address

	locals              atomic.Int32 // streams that share memory
	active              atomic.Int32 // those with a request in the last activeTime
	processors, threads int          // of the machine and of the process

	draining atomic.Bool
	metrics  metrics
}

// metrics are those of docs/serving.md.
type metrics struct {
	open, tables, handles prometheus.Gauge
	decisions, rows       prometheus.Counter
	refusals, ended       *prometheus.CounterVec
	refused               *prometheus.CounterVec // by kind and reason
}

func newMetrics() metrics {
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	m := metrics{
		open:      gauge("sparrowhall_env_streams", "Play streams that are open."),
		tables:    gauge("sparrowhall_env_tables", "Tables that are open."),
		handles:   gauge("sparrowhall_env_handles", "Tables that are kept for Restore."),
		decisions: counter("sparrowhall_env_decisions_total", "Decisions taken by clients."),
		rows:      counter("sparrowhall_env_rows_total", "Rows sent to clients."),
		refusals:  counterVec("sparrowhall_env_refusals_total", "Requests that were refused, by code.", "code"),
		ended:     counterVec("sparrowhall_env_streams_ended_total", "Play streams that have ended, by gRPC code.", "code"),
		refused:   counterVec("sparrowhall_env_refused_total", "Connections, streams, calls, health watches and memory to share that were refused. The reason is that all, an address or a connection has as many as it may, its token, the size of a message, or that the server is draining.", "what", "reason"),
	}
	for what, reasons := range map[string][]string{
		"connection": {"all", "address"},
		"stream":     {"all", "address", "token", "size", "draining"},
		"call":       {"all", "address", "token", "size"},
		"watch":      {"connection", "size"},
		"memory":     {"all", "address"},
	} {
		for _, why := range reasons {
			m.refused.WithLabelValues(what, why)
		}
	}
	return m
}

func counterVec(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

// collectors returns the metrics, which docs/serving.md describes.
func (m *metrics) collectors() []prometheus.Collector {
	return []prometheus.Collector{m.open, m.tables, m.handles, m.decisions, m.rows, m.refusals, m.ended, m.refused}
}

// codeName returns the metrics label of an error code, such as bad_ruleset.
func codeName(c envv1.ErrorCode) string {
	return strings.ToLower(strings.TrimPrefix(c.String(), "ERROR_CODE_"))
}

// limit is an option with a default and a range from 1 to most.
type limit struct {
	name     string
	n        *int
	standard int
	most     int
}

// complete sets limits of 0 to their defaults. The error names a limit that is out of
// range.
func complete(limits []limit) error {
	for _, l := range limits {
		if *l.n == 0 {
			*l.n = l.standard
		}
		if *l.n < 1 || *l.n > l.most {
			return fmt.Errorf("env: %s %d; allowed: 1 to %d", l.name, *l.n, l.most)
		}
	}
	return nil
}

// New returns an environment. The error names an option that is out of range.
func New(o Options) (*Env, error) {
	if err := complete([]limit{
		{"MaxStreams", &o.MaxStreams, 128, math.MaxInt32},
		{"MaxTables", &o.MaxTables, 8192, 1 << 20},
		{"TotalTables", &o.TotalTables, 65536, math.MaxInt32},
		{"MaxHandles", &o.MaxHandles, 8192, math.MaxInt32},
		{"TotalHandles", &o.TotalHandles, 65536, math.MaxInt32},
		{"AddressShare", &o.AddressShare, 50, 100},
		{"MaxShared", &o.MaxShared, 1 << 30, math.MaxInt},
		{"MaxRequest", &o.MaxRequest, 1 << 20, math.MaxInt32},
		{"Workers", &o.Workers, runtime.GOMAXPROCS(0), 1 << 10},
	}); err != nil {
		return nil, err
	}
	for _, d := range []struct {
		time     *time.Duration
		standard time.Duration
	}{{&o.Idle, 10 * time.Minute}, {&o.RequestTime, time.Minute}, {&o.OpenTime, time.Minute}} {
		if *d.time == 0 {
			*d.time = d.standard
		}
		if *d.time < 0 {
			*d.time = math.MaxInt64
		}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.NewAgent == nil {
		o.NewAgent = func(spec string) (func() sim.Agent, error) {
			return nil, errors.New("env: unknown agent " + spec + "; there are none")
		}
	}
	e := &Env{
		options: o, metrics: newMetrics(), presets: map[string]describedRules{},
		streams:    admission.NewQuota(o.MaxStreams, o.AddressShare),
		allTables:  admission.NewQuota(o.TotalTables, o.AddressShare),
		allHandles: admission.NewQuota(o.TotalHandles, o.AddressShare),
		allShared:  admission.NewQuota(o.MaxShared, o.AddressShare),
		processors: runtime.NumCPU(),
		threads:    runtime.GOMAXPROCS(0),
		queue:      fairqueue.New(runtime.GOMAXPROCS(0)),
	}
	var err error
	if e.describe, err = e.description(); err != nil {
		return nil, err
	}
	return e, nil
}

// Describe returns the rulesets, observations, agents and limits of the environment.
// The message is shared and must not be changed.
func (e *Env) Describe() *envv1.DescribeResponse { return e.describe }

// drain sets the draining flag of all batches from now on, and refuses new streams.
func (e *Env) drain() { e.draining.Store(true) }
