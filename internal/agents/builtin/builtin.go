// Package builtin is the registry of the players that need nothing outside the process. Programs
// without processes and connections, such as the build for browsers, construct players by it:
//
//	newAgent, err := builtin.New(builtin.Players, "expert:level=2")
//
// Package agents adds networks and bridges to the registry.
package builtin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/agents/heuristic"
	"github.com/sparrowhall/sparrowhall/internal/suggest"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Entry is a player or a bridge of a registry.
type Entry struct {
	Name, About string
	// Configure returns the constructor for the options after the colon, "" for none.
	Configure func(options string) (func() sim.Agent, error)
	// Quick players answer within microseconds and depend on the view alone.
	Quick bool
}

// Players lists the built-in players, the simplest first.
var Players = append([]Entry{
	{"random", "plays any legal action, each as likely as the others", always(heuristic.NewRandom), true},
	{"tsumogiri", "discards the drawn tile and never calls, but wins", always(heuristic.NewTsumogiri), true},
	{"greedy", "goes for the nearest hand that may win, by the widest way", always(heuristic.NewGreedy), true},
	{"value", "plays for the expected value of its hand, and defends", heuristic.NewValue, true},
	{"expert", "plays as value does, but where a network knows better; level=1 to level=4 are weaker", heuristic.NewExpert, false},
	{"expert-1", "expert as it was when the suites of rate began; it never changes", newExpert1, false},
}, corrected...)

// Find returns the entry of a name in a list.
func Find(list []Entry, name string) (Entry, bool) {
	i := slices.IndexFunc(list, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return Entry{}, false
	}
	return list[i], true
}

// Names returns the names in a list.
func Names(list []Entry) []string {
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Name
	}
	return names
}

// New returns the constructor of the agent of a list that spec names. The error names the nearest
// agents, or the option at fault.
func New(list []Entry, spec string) (func() sim.Agent, error) {
	name, options, _ := strings.Cut(spec, ":")
	e, ok := Find(list, name)
	if !ok {
		return nil, fmt.Errorf("agents: unknown agent %q; nearest: %s",
			name, strings.Join(suggest.Nearest(name, Names(list), 3), ", "))
	}
	f, err := e.Configure(options)
	if err != nil {
		return nil, fmt.Errorf("agents: %s: %w", name, err)
	}
	return f, nil
}

// always returns a configure function for a player without options.
func always(newAgent func() sim.Agent) func(string) (func() sim.Agent, error) {
	return func(options string) (func() sim.Agent, error) {
		if options != "" {
			return nil, fmt.Errorf("takes no options, given %q", options)
		}
		return newAgent, nil
	}
}

// expert1Options switch off what expert has learned since expert-1.
const expert1Options = "honors=off,networks=1"

// newExpert1 returns expert as it was. When expert changes, expert-1 keeps the networks and
// the tables that it has: TestSignatures of package agents compares its play.
func newExpert1(options string) (func() sim.Agent, error) {
	newAgent, err := heuristic.NewExpert(expert1Options)
	if err != nil {
		return nil, err
	}
	return always(newAgent)(options)
}
