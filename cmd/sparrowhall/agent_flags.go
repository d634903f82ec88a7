package main

import (
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"
	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/sim"
)

// agentFlags are --agents and --agent, of which one names the agents of a run.
type agentFlags struct {
	list    string
	each    []string
	wrapper botWrapper
	// maxForfeits is the most matches that an agent may forfeit, 0 for any number.
	maxForfeits uint64
	// flag replaces --agents in errors if list comes from another flag.
	flag string
	// usual reports whether list is the default of --agents, which has four.
	usual func() bool
}

func (o *agentFlags) addAgents(cmd *cobra.Command, list, helpList, helpEach string) {
	f := cmd.Flags()
	f.StringVar(&o.list, "agents", list, helpList)
	o.usual = func() bool { return !f.Changed("agents") }
	f.StringArrayVar(&o.each, "agent", nil, helpEach+" instead of --agents; may contain commas")
}

// addOutside adds the flags about external agents.
func (o *agentFlags) addOutside(cmd *cobra.Command) {
	o.wrapper.add(cmd)
	cmd.Flags().Uint64Var(&o.maxForfeits, "max-forfeits", 0, "end with an error when an agent forfeits more matches than this; 0 for any number")
}

// isKind reports whether the name in a spec, before its options, is one of some.
func isKind(spec string, names []string) bool {
	name, _, _ := strings.Cut(spec, ":")
	return slices.Contains(names, name)
}

// areBuiltIn reports whether no spec is that of an external agent.
func areBuiltIn(specs []string) bool {
	return !slices.ContainsFunc(specs, func(spec string) bool { return !isKind(spec, agents.Names()) })
}

// specs returns the specs of the agents, and the flag that named them.
func (o *agentFlags) specs() (flag string, specs []string) {
	switch {
	case len(o.each) > 0:
		return "--agent", o.each
	case o.flag != "":
		return o.flag, strings.Split(o.list, ",")
	}
	return "--agents", strings.Split(o.list, ",")
}

// seated returns the specs of the agents of a ruleset, one for each player, and the flag that
// named them.
func (o *agentFlags) seated(r *configs.Ruleset) (flag string, specs []string, err error) {
	flag, specs = o.specs()
	seats := r.Config.Common().NumSeats()
	if flag == "--agents" && o.usual != nil && o.usual() {
		specs = specs[:seats]
	}
	if len(specs) != seats {
		return flag, nil, usagef("%s: %s; %d must be named, one for each player of %s", flag, digits.Count(len(specs), "agent"), seats, r.Name)
	}
	return flag, specs, nil
}

func (o *agentFlags) constructors(flag string, specs []string) (list []func() sim.Agent, err error) {
	for _, spec := range specs {
		f, err := agents.New(o.wrapper.around(spec))
		if name, bare, _ := parseAgent(spec); err != nil && name != bare {
			return nil, usagef("%s: %q: agents have no names here; write %q", flag, spec, bare)
		}
		if err != nil {
			return nil, usagef("%s: %w", flag, err)
		}
		list = append(list, f)
	}
	return list, o.wrapper.check(specs)
}

// botWrapper is --bot-wrapper: the command that starts the programs among the agents.
type botWrapper string

func (w *botWrapper) add(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(w), "bot-wrapper", "", "command that starts each program, such as a sandbox; see docs/bots.md")
}

// check returns an error if no agent is a program.
func (w botWrapper) check(specs []string) error {
	if w != "" && !slices.ContainsFunc(specs, isProgram) {
		return usagef("--bot-wrapper: no agent is a program, mjai:COMMAND, botzone:COMMAND or llm:COMMAND")
	}
	return nil
}

func isProgram(spec string) bool {
	kind, _, _ := strings.Cut(spec, ":")
	return kind != spec && (kind == "mjai" || kind == "botzone" || kind == "llm")
}

// around returns the spec of an agent, with the wrapper if it is a program.
func (w botWrapper) around(spec string) string {
	if w == "" || !isProgram(spec) {
		return spec
	}
	bridge, options, _ := strings.Cut(spec, ":")
	return bridge + ":wrapper=" + shellquote.Join(string(w)) + " " + options
}
