// Package agents holds the built-in players and the registry by which commands
// name them. A player is a file here with a line in the registry; see
// docs/agents.md.
package agents

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jansou/jansou/internal/nearest"
	"github.com/jansou/jansou/sim"
)

// Factory makes an agent. What it makes is for one goroutine and one seat at a
// time, so each worker makes its own for every seat.
type Factory func() sim.Agent

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
// colon and options after it for agents that take any. An error names the
// nearest agents, or the option at fault.
func New(spec string) (Factory, error) {
	name, options, _ := strings.Cut(spec, ":")
	i := slices.IndexFunc(registry, func(b builtin) bool { return b.name == name })
	if i < 0 {
		return nil, fmt.Errorf("agents: unknown agent %q; nearest: %s",
			name, strings.Join(nearest.To(name, Names(), 3), ", "))
	}
	f, err := registry[i].configure(options)
	if err != nil {
		return nil, fmt.Errorf("agents: %s: %w", name, err)
	}
	return f, nil
}

// Names returns the names of the built-in players, the simplest first.
func Names() []string {
	names := make([]string, len(registry))
	for i, b := range registry {
		names[i] = b.name
	}
	return names
}

// About returns one line on the player of that name, or the empty string if
// there is none.
func About(name string) string {
	for _, b := range registry {
		if b.name == name {
			return b.about
		}
	}
	return ""
}
