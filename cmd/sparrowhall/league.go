package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/contest/league"
	"github.com/sparrowhall/sparrowhall/internal/contest/live"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/internal/progress"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/internal/tempdir"
	"github.com/sparrowhall/sparrowhall/sim"
)

func newLeagueCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "league",
		Short: "Keep a league of bots that grows: ratings, seasons, pages",
		Long: `League keeps a folder of bots and of all their matches. Bots join, get new
versions and retire; matches are played where they help the ratings most.
docs/contests.md describes it.`,
		Example: `  sparrowhall league init cup --ruleset tenhou
  sparrowhall league add cup greedy greedy
  sparrowhall league run cup --matches 1000
  sparrowhall league standings cup`,
	}
	addVerbs(cmd, newLeagueInitCommand(), newLeagueAddCommand(), newLeagueRetireCommand(), newLeagueSeasonCommand(),
		newLeagueRunCommand(), newLeagueForkCommand(), newLeagueMergeCommand(), newLeagueCheckCommand(), newLeagueStandingsCommand(), newLeaguePageCommand(), newLeagueTestCommand(), newLeagueAuditCommand(), newLeagueServeCommand(), newLeagueTokenCommand(), newLeagueBackupCommand())
	return cmd
}

// withLeague opens the league in a folder for a function.
func withLeague(ctx context.Context, dir string, f func(*league.League) error) error {
	l, err := league.Open(ctx, dir)
	if err != nil {
		return err
	}
	return errors.Join(f(l), l.Close())
}

// onLeague returns a command on the league in the folder of the first argument.
func onLeague(run func(cmd *cobra.Command, l *league.League, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return withLeague(cmd.Context(), args[0], func(l *league.League) error { return run(cmd, l, args) })
	}
}

func newLeagueInitCommand() *cobra.Command {
	var ruleset, title, anchor, luck string
	var seed uint64
	cmd := &cobra.Command{
		Use:   "init DIR",
		Short: "Make a league",
		Long: `Init makes a league in a new folder. Its first bot is the anchor, a built-in
player whose rating is 1500.`,
		Example: `  sparrowhall league init cup --ruleset tenhou --title "Spring 2027"`,
		Args:    arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch league.Luck(luck) {
			case league.NoLuck, league.FastLuck, league.StrongLuck:
			default:
				return usagef("--luck: %q; allowed: %s, %s, %s", luck, league.FastLuck, league.StrongLuck, league.NoLuck)
			}
			rules, err := openRuleset(cmd.Context(), ruleset)
			if err != nil {
				return err
			}
			settings := league.Settings{Ruleset: rules, Title: title, Anchor: anchor, Luck: league.Luck(luck)}
			walls := "its walls are sealed"
			if cmd.Flags().Changed("seed") {
				settings.Seed, walls = &seed, "its walls are public: whoever knows the seed knows every tile"
			}
			l, err := league.Init(cmd.Context(), args[0], settings)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s is a league of %s, with %s at %d points; league add adds bots\n%s\n",
				sanitize.Line(args[0]), sanitize.Line(rules.Name), sanitize.Line(anchor), league.AnchorRating, walls)
			return l.Close()
		},
	}
	rulesetFlag(cmd, &ruleset)
	f := cmd.Flags()
	f.StringVar(&title, "title", "Season 1", "title of the first season")
	f.StringVar(&anchor, "anchor", "value", "built-in player whose rating is 1500")
	f.StringVar(&luck, "luck", string(league.FastLuck), "luck by which ratings are adjusted: fast, strong or none")
	f.Uint64Var(&seed, "seed", 0, "seed of all matches, for public walls,\nwhich anybody can compute; without it\neach round is sealed")
	return cmd
}

func newLeagueAddCommand() *cobra.Command {
	var author string
	cmd := &cobra.Command{
		Use:   "add DIR NAME AGENT",
		Short: "Add a bot, or a new version of one",
		Long: `Add adds a bot: an agent as for play, under a name. With the name of a bot that
plays already it is the next version of that bot, and the one before retires. A
fingerprint of what plays is kept: of the files that the agent names, or of the
play of a built-in player. The agent "remote" is a bot that connects by itself,
with the token that is printed once; see league serve.`,
		Example: `  sparrowhall league add cup mine "mjai:python3 bot.py" --author Ada
  sparrowhall league add cup theirs remote --author Grace`,
		Args: arguments(3, 3),
		RunE: onLeague(func(cmd *cobra.Command, l *league.League, args []string) error {
			if args[2] == league.RemoteAgent {
				b, token, err := l.AddRemote(cmd.Context(), args[1], author)
				return printToken(cmd, &b, token, err)
			}
			b, err := l.Add(cmd.Context(), league.NewBot{Name: args[1], Author: author, Agent: args[2]})
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "%s joins with fingerprint %.16s\n", sanitize.Line(b.Label()), b.Fingerprint)
			}
			return err
		}),
	}
	cmd.Flags().StringVar(&author, "author", "", "who wrote it, as pages show it")
	return cmd
}

func newLeagueRetireCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "retire DIR NAME",
		Short:   "Retire a bot; its matches stay",
		Example: `  sparrowhall league retire cup mine`,
		Args:    arguments(2, 2),
		RunE: onLeague(func(cmd *cobra.Command, l *league.League, args []string) error {
			b, err := l.Retire(cmd.Context(), args[1])
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "%s retires\n", sanitize.Line(b.Label()))
			}
			return err
		}),
	}
}

func newLeagueSeasonCommand() *cobra.Command {
	var ruleset string
	cmd := &cobra.Command{
		Use:   "season DIR TITLE",
		Short: "Begin a season with ratings of its own",
		Long: `Season begins a new season, with another ruleset if --ruleset names one. The
bots stay, and so do the matches and the standings of earlier seasons.`,
		Example: `  sparrowhall league season cup "Autumn 2027"`,
		Args:    arguments(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var rules *configs.Ruleset
			if cmd.Flags().Changed("ruleset") {
				var err error
				if rules, err = openRuleset(cmd.Context(), ruleset); err != nil {
					return err
				}
			}
			return withLeague(cmd.Context(), args[0], func(l *league.League) error {
				if err := l.BeginSeason(cmd.Context(), args[1], rules); err != nil {
					return err
				}
				s := l.Season()
				fmt.Fprintf(cmd.OutOrStdout(), "season %d begins: %s, %s\n", s.ID, sanitize.Line(s.Title), sanitize.Line(s.Name))
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&ruleset, "ruleset", "", "preset or ruleset file of the season (default: that of the season before)")
	return cmd
}

// leagueRunOptions are the flags of league run.
type leagueRunOptions struct {
	workFlags
	matches, total uint64
	span           time.Duration
	wrapper        botWrapper
	site           leaguePageOptions
}

func newLeagueRunCommand() *cobra.Command {
	var o leagueRunOptions
	cmd := &cobra.Command{
		Use:   "run DIR",
		Short: "Play where it helps the ratings most",
		Long: `Run plays matches in duplicate sets, round after round. Each round pairs the
bots by all results so far: uncertain ratings, close neighbors most of all at
the top, and pairs that have seldom met come first.

In a league with public walls, what is played for a number of matches follows
from the folder and its seed. With sealed walls each round draws its own. It
prints the commitment, or serves it in walls.json with --serve. What is played
--for a time depends on the clock. Each match can be replayed. An interrupted
run loses nothing that counts, and the next one goes on with the round in work.

With --serve it serves the site of the league while it plays, with the queue and
the running matches.`,
		Example: `  sparrowhall league run cup --matches 2000
  sparrowhall league run cup --for 8h
  sparrowhall league run cup --total 20000`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.Uint64Var(&o.matches, "matches", 0, "play so many matches, rounded up to whole duplicate sets")
	f.Uint64Var(&o.total, "total", 0, "play until the folder has so many matches of this season: for scripts that start again")
	f.DurationVar(&o.span, "for", 0, "play for so long, such as 8h")
	o.site.addSite(cmd)
	o.wrapper.add(cmd)
	o.addWork(cmd, "matches played")
	return cmd
}

func (o *leagueRunOptions) run(cmd *cobra.Command, dir string) error {
	f := cmd.Flags()
	given := 0
	for _, name := range []string{"matches", "total", "for"} {
		if f.Changed(name) {
			given++
		}
	}
	switch {
	case given != 1:
		return usagef("say how long to play, by one of --matches, --total and --for")
	case f.Changed("matches") && o.matches == 0 || f.Changed("total") && o.total == 0 || f.Changed("for") && o.span <= 0:
		return usagef("--matches, --total and --for are above 0")
	case o.site.Anonymous && o.site.serve == "":
		return usagef("--anonymous is of the site; name an address by --serve")
	}
	return withLeague(cmd.Context(), dir, func(l *league.League) error {
		p := o.progress(cmd, "matches", max(o.matches, o.total))
		lines := log.New(cmd.ErrOrStderr(), "", 0)
		r := newRunOptions(lines, p, &o.workFlags, &o.wrapper)
		r.Matches, r.Total = o.matches, o.total
		if o.span > 0 {
			r.Until = time.Now().Add(o.span)
		}
		if o.site.serve != "" {
			r.Live = &live.Activity{}
			o.site.Live = r.Live
			stop, err := o.serve(cmd, dir)
			if err != nil {
				return err
			}
			defer stop()
		} else {
			r.Sealed = func(round int64, commitment string) {
				lines.Printf("round %d is sealed: the commitment is %s", round, commitment)
			}
		}
		n, err := l.Run(cmd.Context(), r)
		p.End()
		if err != nil {
			return fmt.Errorf("%w; %s added, and the next run goes on", explainInterrupt(err), digits.Count(n, "match"))
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s added\n\n", digits.Count(n, "match"))
		return printLeague(cmd, l, league.View{}, false)
	})
}

// serve serves the site of a league that plays, until stop is called. An open league is for one
// goroutine, so the site has another.
func (o *leagueRunOptions) serve(cmd *cobra.Command, dir string) (stop func(), err error) {
	l, err := league.Open(cmd.Context(), dir)
	if err != nil {
		return nil, err
	}
	listener, err := listenLeague(cmd, o.site.serve)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer l.Close()
		if err := serveLeague(ctx, l, o.site.SiteOptions, listener); err != nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "warning: the site is not served any more: %s\n", sanitize.Line(err.Error()))
		}
	}()
	return func() { cancel(); <-done }, nil
}

// newRunOptions returns options by which a league plays with progress and warnings of forfeits.
func newRunOptions(lines *log.Logger, p *progress.Progress, work *workFlags, wrapper *botWrapper) league.RunOptions {
	warn := func(format string, args ...any) { lines.Printf("warning: "+format, args...) }
	var mu sync.Mutex
	forfeits := map[string]int{} // of each bot; a program that has ended forfeits every match
	return league.RunOptions{
		Workers: work.number(), Wrap: wrapper.around,
		Warn: func(text string) { warn("%s", sanitize.Line(text)) },
		Played: func(m *sim.Match, bots []league.Bot) {
			p.Add(1)
			mu.Lock()
			defer mu.Unlock()
			for i := range m.Forfeits {
				x := &m.Forfeits[i]
				bot := sanitize.Line(bots[m.Agents[x.Player]].Label())
				switch forfeits[bot]++; forfeits[bot] {
				case 1:
					warn("match %d, hand %d, decision %d: %s forfeits: %s", m.Index, x.Hand, x.Decision, bot, sanitize.Line(x.Reason))
				case 2:
					warn("further forfeits of %s are only counted", bot)
				}
			}
		},
	}
}

func newLeagueForkCommand() *cobra.Command {
	var number int64
	cmd := &cobra.Command{
		Use:   "fork DIR NEW",
		Short: "Copy a league to play on another machine",
		Long: `Fork makes a league in a new folder that knows all bots and results and plays
other matches: one for each task of a job array. Forks with different numbers
never play the same walls. League merge brings their matches back.`,
		Example: `  sparrowhall league fork cup cup-3 --number 3
  sparrowhall league run cup-3 --total 5000`,
		Args: arguments(2, 2),
		RunE: onLeague(func(cmd *cobra.Command, l *league.League, args []string) error {
			if err := l.Fork(cmd.Context(), args[1], number); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s is fork %d of %s\n", sanitize.Line(args[1]), number, sanitize.Line(args[0]))
			return err
		}),
	}
	cmd.Flags().Int64Var(&number, "number", 1, "number of the fork, from 1")
	return cmd
}

// sampleFlags are the flags of verbs that replay a sample.
type sampleFlags struct {
	workFlags
	sample float64
}

func (o *sampleFlags) add(cmd *cobra.Command) {
	cmd.Flags().Float64Var(&o.sample, "sample", 0.1, "part of the blocks of 64 matches that are replayed, at least one of each dataset")
	require(cmd, o.check)
	o.addWork(cmd, "matches replayed")
}

func (o *sampleFlags) check() error {
	if !(o.sample >= 0 && o.sample <= 1) {
		return usagef("--sample: %v; allowed: from 0 to 1", o.sample)
	}
	return nil
}

func (o *sampleFlags) options() league.MergeOptions {
	return league.MergeOptions{Sample: o.sample, Workers: o.number()}
}

func newLeagueMergeCommand() *cobra.Command {
	var o sampleFlags
	cmd := &cobra.Command{
		Use:   "merge DIR SHARD...",
		Short: "Add matches that were played elsewhere",
		Long: `Merge adds the matches of folders: forks of the league, and datasets of
tournaments between its bots. All files are compared with their checksums, and a
sample of the matches is replayed. A folder is added whole or refused by name:
if it is of another ruleset, version of the engine or bot, is damaged, does not
replay, or is there already.`,
		Example: `  sparrowhall league merge cup cup-1 cup-2 runs/tournament`,
		Args:    arguments(2, 1<<16),
		RunE: onLeague(func(cmd *cobra.Command, l *league.League, args []string) error {
			refused := 0
			for _, dir := range args[1:] {
				m, err := l.Merge(cmd.Context(), dir, o.options())
				switch {
				case cmd.Context().Err() != nil, errors.Is(err, league.ErrBusy):
					return explainInterrupt(err)
				case err != nil:
					refused++
					fmt.Fprintf(cmd.ErrOrStderr(), "refused: %s\n", sanitize.Line(err.Error()))
					continue
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %s added; %d of them were replayed, and in %d the choices of built-in players compared\n", sanitize.Line(dir), digits.Count(m.Matches, "match"), m.Replayed, m.Replays)
			}
			if refused > 0 {
				return fmt.Errorf("%d of %d folders were refused", refused, len(args)-1)
			}
			return nil
		}),
	}
	o.add(cmd)
	return cmd
}

func newLeagueCheckCommand() *cobra.Command {
	var o sampleFlags
	cmd := &cobra.Command{
		Use:   "check DIR",
		Short: "Compare the matches of a league with what was counted",
		Long: `Check compares the datasets of a league with the checksums of when they were
counted and with the results in its database, and replays a sample of their
matches. It names each round that is missing, has changed, does not replay or
was counted otherwise. Luck that was measured is not measured again.`,
		Example: `  sparrowhall league check cup --sample 1`,
		Args:    arguments(1, 1),
		RunE: onLeague(func(cmd *cobra.Command, l *league.League, args []string) error {
			n, err := l.Check(cmd.Context(), o.options())
			if err == nil {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: all files are as counted; %s replayed\n", sanitize.Line(args[0]), digits.Count(n, "match"))
			}
			return explainInterrupt(err)
		}),
	}
	o.add(cmd)
	return cmd
}

func newLeagueStandingsCommand() *cobra.Command {
	var v league.View
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "standings DIR",
		Short: "Print the ratings of a league",
		Long: `Standings prints the bots by their ratings in Elo points, with 95 % intervals by
duplicate sets. One fit of the model of Plackett and Luce rates all matches of
the season; the anchor has 1500. A line separates groups that differ. A bot with
fewer than four duplicate sets has no interval and no place.`,
		Example: `  sparrowhall league standings cup --season 1`,
		Args:    arguments(1, 1),
		RunE: onLeague(func(cmd *cobra.Command, l *league.League, _ []string) error {
			return printLeague(cmd, l, v, asJSON)
		}),
	}
	viewFlags(cmd, &v)
	jsonFlag(cmd, &asJSON)
	return cmd
}

// viewFlags adds the flags that select the matches of a league.
func viewFlags(cmd *cobra.Command, v *league.View) {
	cmd.Flags().Int64Var(&v.Season, "season", 0, "number of the season, 0 for the current one")
	cmd.Flags().Int64Var(&v.Engine, "engine", 0, "version of the engine whose matches count, 0 for that of this program")
}

func printLeague(cmd *cobra.Command, l *league.League, v league.View, asJSON bool) error {
	s, err := l.Standings(cmd.Context(), v)
	if err != nil {
		return err
	}
	return printResult(cmd, asJSON, s, func(p *printer) {
		p.paragraphs(fmt.Sprintf("%s, %s: %s, %s; 95 %% intervals by duplicate sets", sanitize.Line(s.Season.Title), sanitize.Line(s.Season.Name), digits.Count(s.Matches, "match"), digits.Count(s.Sets, "duplicate set")))
		p.table(leagueTable(s))
		for _, text := range s.Remarks() {
			p.printf("\n")
			p.paragraph("%s", text)
		}
	})
}

// maxLeagueName is the most characters of a name in a printed table.
const maxLeagueName = 24

func leagueTable(s *league.Standings) *page.Table {
	t := &page.Table{Head: []string{"", "place", "rating", "matches", "1st", "last", "forfeited"}}
	group := 0
	for i := range s.Bots {
		b := &s.Bots[i]
		if i > 0 && b.Group != group && b.Rating.Known() {
			t.Rows = append(t.Rows, page.Row{Label: "--", Cells: make([]string, len(t.Head)-1)})
		}
		group = b.Group
		name := []rune(sanitize.Line(b.Name))
		if len(name) > maxLeagueName { // pages have all of it
			name = append(name[:maxLeagueName-1], '…')
		}
		label := fmt.Sprintf("%s %d", string(name), b.Version)
		if b.Retired != "" {
			label += " (retired)"
		}
		cells := []string{"-", "-", "0", "-", "-", "0"}
		if b.Rating.Known() {
			places, rating := "-", digits.Fixed(float64(b.Rating), 0)
			if b.Low.Known() {
				places, rating = fmt.Sprintf("%d-%d", b.Best, b.Worst), digits.Interval(float64(b.Rating), float64(b.Low), float64(b.High), 0)
			}
			cells = []string{
				places, rating, fmt.Sprint(b.Matches),
				digits.Fixed(100*b.Places[0], 1) + "%", digits.Fixed(100*b.Places[len(b.Places)-1], 1) + "%", fmt.Sprint(b.Forfeits),
			}
		}
		t.Rows = append(t.Rows, page.Row{Label: label, Cells: cells})
	}
	return t
}

func newLeagueBackupCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "backup DIR FILE",
		Short: "Write a league as one file, also while it plays",
		Long: `Backup writes a tar archive of all that counts: the bots, the results at one
moment, and the datasets of their matches. It may run while the league plays.
To restore it, extract the file into a new folder.`,
		Example: `  sparrowhall league backup cup cup-2026-11-23.tar`,
		Args:    arguments(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFile(args[1], force); err != nil {
				return err
			}
			return withLeague(cmd.Context(), args[0], func(l *league.League) error {
				// It has the secrets of the matches in work.
				return tempdir.WriteSecret(args[1], func(w io.Writer) error { return l.Backup(cmd.Context(), w) })
			})
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace a file that is there")
	return cmd
}
