package agents

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/agents/builtin"
	"github.com/sparrowhall/sparrowhall/internal/agents/net"
	"github.com/sparrowhall/sparrowhall/internal/agents/outside"
	"github.com/sparrowhall/sparrowhall/sim"
)

// outsiders lists networks and bridges; the text after the colon names the player.
// docs/bots.md describes the bridges.
var outsiders = []builtin.Entry{
	{Name: "net", About: "plays by a network of the program, or of a file: net:FILE", Configure: func(path string) (func() sim.Agent, error) { return net.New(path, newBuiltIn) }},
	{Name: "mjai", About: "a program that speaks mjai lines: mjai:COMMAND", Configure: outside.NewMJAI},
	{Name: "mjsonp", About: "a program that connects and speaks mjai lines: mjsonp://ADDRESS/ROOM", Configure: outside.NewMJSONP},
	{Name: "botzone", About: "a program for Chinese Standard Mahjong on Botzone: botzone:COMMAND", Configure: outside.NewBotzone},
	{Name: "llm", About: "a program that reads a decision as text and answers it, such as by a language model: llm:COMMAND", Configure: outside.NewLLM},
	{Name: "grpc", About: "a policy that is asked for many players at a time: grpc:ADDRESS", Configure: outside.NewGRPC},
}

// New returns the constructor of the agent that spec names: one of Names or Outside, with
// options after a colon where it takes any. An agent plays one seat and is used by one
// goroutine at a time, so each worker constructs its own. An error names the nearest agents,
// or the option at fault.
func New(spec string) (func() sim.Agent, error) {
	return builtin.New(slices.Concat(builtin.Players, outsiders), spec)
}

// newBuiltIn is New for built-in players alone. A program that constructs no others does not
// contain the bridges: the shared library is a tenth smaller for it.
func newBuiltIn(spec string) (func() sim.Agent, error) { return builtin.New(builtin.Players, spec) }

// Quick returns a new agent if spec names a built-in player that answers within
// microseconds and depends on the view alone, so that it may be called thousands of times a
// match; nil otherwise.
func Quick(spec string) sim.Agent {
	name, _, _ := strings.Cut(spec, ":")
	if b, ok := builtin.Find(builtin.Players, name); !ok || !b.Quick {
		return nil
	}
	newAgent, err := newBuiltIn(spec)
	if err != nil {
		return nil
	}
	return newAgent()
}

// NewServed is New for specs of clients, which may name the built-in players alone, since
// others start processes or open connections, and no files.
func NewServed(spec string) (func() sim.Agent, error) {
	if name, _, _ := strings.Cut(spec, ":"); name == "net" {
		return nil, fmt.Errorf("agent %q: this server plays no networks; serve --networks FOLDER allows those of a folder", name)
	}
	return newServed(spec, Names())
}

// newServed constructs a built-in player for a client that may name those allowed.
func newServed(spec string, allowed []string) (func() sim.Agent, error) {
	name, options, _ := strings.Cut(spec, ":")
	for option := range strings.SplitSeq(options, ",") {
		if strings.HasPrefix(option, "weights=") {
			return nil, fmt.Errorf("agent %q: %q names a file, which clients may not; leave it out", name, option)
		}
	}
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("unknown agent %q; allowed: %s", name, strings.Join(allowed, ", "))
	}
	return newBuiltIn(spec)
}

// NewServedNetworks is NewServed where clients may also name the networks in a folder, as
// net:FILE. FILE is a path below the folder, and links that lead out of it are not followed.
func NewServedNetworks(folder string) func(spec string) (func() sim.Agent, error) {
	return func(spec string) (func() sim.Agent, error) {
		path, ok := strings.CutPrefix(spec, "net:")
		if !ok {
			return newServed(spec, append(Names(), "net:FILE"))
		}
		f, err := net.NewIn(folder, path, newBuiltIn)
		if err != nil {
			return nil, fmt.Errorf("agent %q: %w", "net", err)
		}
		return f, nil
	}
}

// Names returns the names of the built-in players, the simplest first.
func Names() []string { return builtin.Names(builtin.Players) }

// Outside returns the names of players from outside the program: networks and bridges.
func Outside() []string { return builtin.Names(outsiders) }

// Overlaps reports whether the agent that spec names answers many players in one call, so
// that many matches should be played at once.
func Overlaps(spec string) bool { return strings.HasPrefix(spec, "grpc:") }

// About returns one line about the built-in player of a name, "" if there is none.
func About(name string) string {
	b, _ := builtin.Find(builtin.Players, name)
	return b.About
}
