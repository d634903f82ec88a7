package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/internal/admission"
	"github.com/sparrowhall/sparrowhall/internal/contest/league"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/internal/table"
	"github.com/sparrowhall/sparrowhall/sim"
)

// tableOptions are the flags of table.
type tableOptions struct {
	ruleset    string
	wall       wallFlag
	seed       uint64
	people     int
	names      string
	agentList  string
	agents     []string
	clock      string
	pace       time.Duration
	away       time.Duration
	substitute string
	watch      bool
	coach      string
	from       string
	match      uint64
	hand       int
	step       int
	player     int
	seal       string
	out        string
	listen     string
	tlsFlags
}

func newTableCommand() *cobra.Command {
	var o tableOptions
	cmd := &cobra.Command{
		Use:   "table",
		Short: "Sit down at a table in the browser",
		Long: `Table serves a table in the browser and prints an address for each person.
People take the first seats, agents the others. The address of a seat holds its
key, which admits to that seat. A page may be closed and opened again at any
time; the seat waits.

For several people it prints one link more to share. It leads to a lobby, where
they take the free seats by names of their own. Who leaves a seat frees it.

The table listens on this machine only. For people on other machines name an
address with --listen and a certificate, or --insecure in a network you trust.

An agent is written as for play, or NAME=SPEC for an external agent: the page
and what is kept have the name then, and not the command or address.

With --from a recorded or imported match goes on from any moment, as often as
you like. The page of replay --html names a moment by its hand and step.

With --out every match is kept as a dataset in a folder of its own, and a match
that was interrupted goes on when the same command runs again.`,
		Example: `  sparrowhall table --ruleset mcr_2006 --agents expert,expert,expert
  sparrowhall table --agents expert:level=1,expert:level=2,expert:level=3
  sparrowhall table --people 4 --ruleset club.toml --listen :8080 --insecure
  sparrowhall table --from runs/first --match 3 --hand 2 --step 41 --player 1
  sparrowhall table --people 2 --agents value,jo=mjai:./bot --out club`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	rulesetFlag(cmd, &o.ruleset)
	o.wall.add(cmd)
	f.Uint64Var(&o.seed, "seed", 0, "seed of the first match, for public walls,\nwhich anybody can compute; without it\neach match is sealed")
	f.IntVar(&o.people, "people", 1, "number of people, at least 1")
	f.StringVar(&o.names, "names", "", "names of the people, separated by commas; default person")
	f.StringVar(&o.agentList, "agents", "", "agents of the other seats, separated by commas; default expert")
	f.StringArrayVar(&o.agents, "agent", nil, "one agent, given for each seat instead of --agents; may contain commas")
	f.StringVar(&o.clock, "clock", "", "seconds for an answer and in reserve for each hand, such as 5+10")
	f.DurationVar(&o.pace, "pace", table.Pace, "least time between the moves of agents")
	f.DurationVar(&o.away, "away", 0, "time after which --substitute plays for a closed page; 0 waits for ever")
	f.StringVar(&o.substitute, "substitute", "value", "agent that plays for a closed page")
	f.BoolVar(&o.watch, "watch", false, "print an address for spectators")
	f.StringVar(&o.coach, "coach", "", "comment on each person's choices on that person's page, as `agent` sees them: value or expert")
	f.Lookup("coach").NoOptDefVal = "expert"
	f.StringVar(&o.from, "from", "", "dataset with the match to go on from")
	matchFlag(cmd, &o.match, "match of --from")
	f.IntVar(&o.hand, "hand", 0, "number of the hand of --from, from 0")
	f.IntVar(&o.step, "step", 0, "step in the hand, as the page of replay --html counts")
	f.IntVar(&o.player, "player", -1, "player of --from whose seat you take; default who decides next")
	sealFileFlag(cmd, &o.seal, sealHelp)
	f.StringVar(&o.out, "out", "", "folder that keeps the matches")
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "host:port, with port 0 for any free one")
	o.addTLS(cmd, "serve other machines without a certificate")
	return cmd
}

// maxPages is the largest number of connections to a table.
const maxPages = 256

func (o *tableOptions) options(cmd *cobra.Command) (table.Options, error) {
	var t table.Options
	var err error
	first := 0 // seat of a person
	if o.from != "" {
		if first, err = o.branch(cmd, &t); err != nil {
			return t, err
		}
	} else if t.Ruleset, err = openRuleset(cmd.Context(), o.ruleset); err != nil {
		return t, err
	}
	for _, name := range [...]string{"match", "hand", "step", "player", "seal-file"} {
		if o.from == "" && cmd.Flags().Changed(name) {
			return t, usagef("--%s names a moment of a match; name its dataset with --from", name)
		}
	}
	seats := t.Ruleset.Rules().NumSeats()
	switch {
	case o.people < 1 || o.people > seats:
		return t, usagef("--people: %d; allowed: 1 to %d", o.people, seats)
	case cmd.Flags().Changed("agents") && cmd.Flags().Changed("agent"):
		return t, usagef("--agents and --agent are both given; use one of them")
	case o.pace < 0 || o.pace > table.MaxPace:
		return t, usagef("--pace: %v; allowed: 0 to 1m", o.pace)
	case o.away < 0:
		return t, usagef("--away: %v; at least 0", o.away)
	}
	if o.names != "" {
		names := strings.Split(o.names, ",")
		if len(names) != o.people {
			return t, usagef("--names: %s for --people %d", digits.Count(len(names), "name"), o.people)
		}
		for i, name := range names {
			if err := league.CheckName(name); err != nil {
				return t, usagef("--names: %w", err)
			}
			t.Agents[(first+i)%seats].Name = name
		}
	}
	specs := o.agents
	if o.agentList != "" {
		specs = strings.Split(o.agentList, ",")
	}
	if len(specs) == 0 {
		specs = strings.Fields(strings.Repeat("expert ", seats-o.people))
	}
	if len(specs) != seats-o.people {
		return t, usagef("--agents: %s; %d must be named beside --people %d", digits.Count(len(specs), "agent"), seats-o.people, o.people)
	}
	for i, text := range specs {
		name, spec, err := parseAgent(text)
		if err != nil {
			return t, usagef("--agents: %w", err)
		}
		newAgent, err := agents.New(spec)
		if err != nil {
			return t, usagef("--agents: %w", err)
		}
		t.Agents[(first+o.people+i)%seats] = table.Agent{Name: name, New: newAgent}
	}
	if o.away > 0 {
		newAgent, err := agents.New(o.substitute)
		if err != nil {
			return t, usagef("--substitute: %w", err)
		}
		t.Substitute, t.Away = newAgent, o.away
	}
	if o.coach != "" {
		if t.Coach, err = newCoach(o.coach); err != nil {
			return t, err
		}
	}
	if t.Judge, err = newJudge("expert"); err != nil {
		return t, err
	}
	if t.Clock, err = table.ParseClock(o.clock); err != nil {
		return t, usagef("--clock: %w", err)
	}
	if err := o.wall.apply(cmd.Context(), t.Ruleset); err != nil {
		return t, err
	}
	t.Pace, t.Watch, t.Out = o.pace, o.watch, o.out
	if cmd.Flags().Changed("seed") {
		t.Seed = &o.seed
	}
	t.Log = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
	return t, nil
}

// branch sets the ruleset and the moment of --from and returns the player whose seat is taken.
func (o *tableOptions) branch(cmd *cobra.Command, t *table.Options) (player int, err error) {
	for _, name := range [...]string{"ruleset", "wall", "seed", "people"} {
		if cmd.Flags().Changed(name) {
			return 0, usagef("--%s: --from has it already; one person goes on with the match", name)
		}
	}
	d, err := openDataset(cmd.Context(), o.from, o.seal)
	if err != nil {
		return 0, err
	}
	if t.From, err = table.NewBranch(d, o.match, o.hand, o.step); err != nil {
		return 0, usagef("--from: %w", err)
	}
	ruleset := *d.Run.Ruleset
	ruleset.Name, ruleset.FirstWall = sanitize.Line(ruleset.Name), nil
	t.Ruleset = &ruleset
	if o.player < 0 && !cmd.Flags().Changed("player") {
		return int(t.From.Asked), nil
	}
	return o.player, checkPlayer(o.player, d.Rules().NumSeats())
}

// newCoach returns the constructor of the adviser that --coach names.
func newCoach(text string) (func() sim.Adviser, error) {
	newAgent, err := agents.New(text)
	if err != nil {
		return nil, usagef("--coach: %w", err)
	}
	return coachOf(text, newAgent)
}

// coachOf returns the constructor of the adviser among the agents that newAgent makes.
func coachOf(text string, newAgent func() sim.Agent) (func() sim.Adviser, error) {
	if _, ok := sim.As[sim.Adviser](newAgent()); !ok {
		return nil, usagef("--coach: %s gives no advice; allowed: value and expert, with options but level", text)
	}
	return func() sim.Adviser {
		a, _ := sim.As[sim.Adviser](newAgent())
		return a
	}, nil
}

func (o *tableOptions) run(cmd *cobra.Command) error {
	options, err := o.options(cmd)
	if err != nil {
		return err
	}
	s, err := table.New(options)
	if err != nil {
		return err
	}
	defer s.Close()
	server := admission.NewServer(s.Handler())
	server.ErrorLog = newServerLog(func(line string) { options.Log.Warn(line) })
	if server.TLSConfig, err = o.config(cmd.Context()); err != nil {
		return err
	}
	l, err := o.open("--listen", o.listen)
	if err != nil {
		return err
	}
	if err := o.printAddresses(cmd, s, l.Addr()); err != nil {
		return errors.Join(err, l.Close())
	}
	g, ctx := errgroup.WithContext(cmd.Context())
	g.Go(func() error { return serveHTTP(ctx, server, l, maxPages) })
	g.Go(func() error { return s.Play(ctx) })
	return g.Wait()
}

// printAddresses prints the address of each person, of the lobby and of spectators.
func (o *tableOptions) printAddresses(cmd *cobra.Command, s *table.Sitting, a net.Addr) error {
	scheme := "http"
	if o.certificate != "" {
		scheme = "https"
	}
	_, port, err := net.SplitHostPort(a.String())
	if err != nil {
		return err
	}
	host, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return err
	}
	if host == "" || net.ParseIP(host).IsUnspecified() {
		if host, err = os.Hostname(); err != nil {
			return err
		}
	}
	base := fmt.Sprintf("%s://%s/#", scheme, net.JoinHostPort(host, port))
	for p := range sim.Player(sim.NumPlayers) {
		if key := s.Key(p); key != "" {
			if _, err := fmt.Fprintf(cmd.OutOrStdout(), "player %d  %s%s\n", p, base, key); err != nil {
				return err
			}
		}
	}
	for _, page := range [...]struct{ name, key string }{{"share", s.ShareKey()}, {"watch", s.WatchKey()}} {
		if page.key != "" {
			if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s     %s%s\n", page.name, base, page.key); err != nil {
				return err
			}
		}
	}
	return nil
}
