// Package agents holds the built-in players and the registry by which commands
// name them. A player is a file here with a line in the registry; see
// docs/agents.md.
package agents

import (
	"fmt"
	"slices"
	"strings"

	bridge "github.com/jansou/jansou/agents/outside"
	"github.com/jansou/jansou/internal/nearest"
	"github.com/jansou/jansou/sim"
)

// Factory makes an agent. What it makes is for one goroutine and one seat at a
// time, so each worker makes its own for every seat.
type Factory = func() sim.Agent

// builtin is a player of the registry.
type builtin struct {
	name, about string
	// configure returns the factory for the text after the colon, empty where
	// there is none.
	configure func(options string) (Factory, error)
}

// registry lists the players, the simplest first.
var registry = []builtin{
	{"random", "plays any legal action, each as likely as the others", always(newRandom)},
	{"tsumogiri", "discards the drawn tile and never calls, but wins", always(newTsumogiri)},
	{"greedy", "goes for the nearest hand that may win, by the widest way", always(newGreedy)},
	{"value", "plays for the expected value of its hand, and defends", newValue},
}

// bridges lists the bridges to players outside the program; the text after the
// colon says which player. docs/outside-players.md describes them.
var bridges = []builtin{
	{"mjai", "a program that speaks mjai lines: mjai:COMMAND", bridge.NewMJAI},
	{"botzone", "a program for Chinese Standard Mahjong on Botzone: botzone:COMMAND", bridge.NewBotzone},
	{"grpc", "a policy that is asked for many players at a time: grpc:ADDRESS", bridge.NewGRPC},
}

// lookup returns the player of that name in the registry or among the bridges.
func lookup(name string) (builtin, bool) {
	all := slices.Concat(registry, bridges)
	i := slices.IndexFunc(all, func(b builtin) bool { return b.name == name })
	if i < 0 {
		return builtin{}, false
	}
	return all[i], true
}

// always configures a player without options.
func always(f Factory) func(string) (Factory, error) {
	return func(options string) (Factory, error) {
		if options != "" {
			return nil, fmt.Errorf("takes no options, given %q", options)
		}
		return f, nil
	}
}

// New returns the factory of the agent that spec names: one of Names, with a
// colon and options after it for agents that take any, or one of Outside, with a
// colon and the player outside the program after it. An error names the
// nearest agents, or the option at fault.
func New(spec string) (Factory, error) {
	name, options, _ := strings.Cut(spec, ":")
	b, ok := lookup(name)
	if !ok {
		return nil, fmt.Errorf("agents: unknown agent %q; nearest: %s",
			name, strings.Join(nearest.To(name, names(slices.Concat(registry, bridges)), 3), ", "))
	}
	f, err := b.configure(options)
	if err != nil {
		return nil, fmt.Errorf("agents: %s: %w", name, err)
	}
	return f, nil
}

// Names returns the names of the built-in players, the simplest first.
func Names() []string { return names(registry) }

// Outside returns the names of the bridges to players outside the program.
func Outside() []string { return names(bridges) }

func names(list []builtin) []string {
	names := make([]string, len(list))
	for i, b := range list {
		names[i] = b.name
	}
	return names
}

// Overlaps reports whether the agent that spec names answers many players at a
// time, so that many matches should be played at once.
func Overlaps(spec string) bool { return strings.HasPrefix(spec, "grpc:") }

// About returns one line on the player or bridge of that name, or the empty string if
// there is none.
func About(name string) string {
	b, _ := lookup(name)
	return b.about
}
