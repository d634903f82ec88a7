package agents

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/agents/heuristic"
	"github.com/sparrowhall/sparrowhall/internal/agents/net"
	"github.com/sparrowhall/sparrowhall/internal/agents/outside"
	"github.com/sparrowhall/sparrowhall/internal/suggest"
	"github.com/sparrowhall/sparrowhall/sim"
)

// entry is a player or a bridge of the registry.
type entry struct {
	name, about string
	// configure returns the constructor for the options after the colon, "" for none.
	configure func(options string) (func() sim.Agent, error)
	// quick players answer within microseconds and depend on the view alone.
	quick bool
}

// registry lists the players, the simplest first.
var registry = []entry{
	{"random", "plays any legal action, each as likely as the others", always(heuristic.NewRandom), true},
	{"tsumogiri", "discards the drawn tile and never calls, but wins", always(heuristic.NewTsumogiri), true},
	{"greedy", "goes for the nearest hand that may win, by the widest way", always(heuristic.NewGreedy), true},
	{"value", "plays for the expected value of its hand, and defends", heuristic.NewValue, true},
	{"expert", "plays as value does, but where a network knows better; level=1 to level=4 are weaker", heuristic.NewExpert, false},
	{"expert-1", "expert as it was when the suites of rate began; it never changes", newExpert1, false},
}

// outsiders lists networks and bridges; the text after the colon names the player.
// docs/outside-players.md describes the bridges.
var outsiders = []entry{
	{"net", "plays by a network of the program, or of a file: net:FILE", func(path string) (func() sim.Agent, error) { return net.New(path, newBuiltIn) }, false},
	{"mjai", "a program that speaks mjai lines: mjai:COMMAND", outside.NewMJAI, false},
	{"mjsonp", "a program that connects and speaks mjai lines: mjsonp://ADDRESS/ROOM", outside.NewMJSONP, false},
	{"botzone", "a program for Chinese Standard Mahjong on Botzone: botzone:COMMAND", outside.NewBotzone, false},
	{"llm", "a program that reads a decision as text and answers it, such as by a language model: llm:COMMAND", outside.NewLLM, false},
	{"grpc", "a policy that is asked for many players at a time: grpc:ADDRESS", outside.NewGRPC, false},
}

func find(list []entry, name string) (entry, bool) {
	i := slices.IndexFunc(list, func(e entry) bool { return e.name == name })
	if i < 0 {
		return entry{}, false
	}
	return list[i], true
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
// the tables that it has: TestSignatures compares its play.
func newExpert1(options string) (func() sim.Agent, error) {
	newAgent, err := heuristic.NewExpert(expert1Options)
	if err != nil {
		return nil, err
	}
	return always(newAgent)(options)
}

// New returns the constructor of the agent that spec names: one of Names or Outside, with
// options after a colon where it takes any. An agent plays one seat and is used by one
// goroutine at a time, so each worker constructs its own. An error names the nearest agents,
// or the option at fault.
func New(spec string) (func() sim.Agent, error) {
	return newFrom(slices.Concat(registry, outsiders), spec)
}

// newBuiltIn is New for built-in players alone. A program that constructs no others does not
// contain the bridges: the shared library is a tenth smaller for it.
func newBuiltIn(spec string) (func() sim.Agent, error) { return newFrom(registry, spec) }

func newFrom(list []entry, spec string) (func() sim.Agent, error) {
	name, options, _ := strings.Cut(spec, ":")
	b, ok := find(list, name)
	if !ok {
		return nil, fmt.Errorf("agents: unknown agent %q; nearest: %s",
			name, strings.Join(suggest.Nearest(name, names(list), 3), ", "))
	}
	f, err := b.configure(options)
	if err != nil {
		return nil, fmt.Errorf("agents: %s: %w", name, err)
	}
	return f, nil
}

// Quick returns a new agent if spec names a built-in player that answers within
// microseconds and depends on the view alone, so that it may be called thousands of times a
// match; nil otherwise.
func Quick(spec string) sim.Agent {
	name, _, _ := strings.Cut(spec, ":")
	if b, ok := find(registry, name); !ok || !b.quick {
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
func Names() []string { return names(registry) }

// Outside returns the names of players from outside the program: networks and bridges.
func Outside() []string { return names(outsiders) }

func names(list []entry) []string {
	names := make([]string, len(list))
	for i, b := range list {
		names[i] = b.name
	}
	return names
}

// Overlaps reports whether the agent that spec names answers many players in one call, so
// that many matches should be played at once.
func Overlaps(spec string) bool { return strings.HasPrefix(spec, "grpc:") }

// About returns one line about the built-in player of a name, "" if there is none.
func About(name string) string {
	b, _ := find(registry, name)
	return b.about
}
