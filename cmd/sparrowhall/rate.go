package main

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/contest/rating"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/internal/tempdir"
	"github.com/sparrowhall/sparrowhall/sim"
)

//go:generate go test -run ^TestLeaderboard$ . -update

// rateOptions are the flags of rate.
type rateOptions struct {
	workFlags
	wrapper   botWrapper
	suite     string
	out       string
	season    string
	newSeason string
	sign      signFlag
	name      string
	anonymous bool
	date      string
	matches   uint64
	retry     bool
	check     bool
	key       string
	table     bool
	json      bool
}

func newRateCommand() *cobra.Command {
	var o rateOptions
	cmd := &cobra.Command{
		Use:   "rate AGENT",
		Short: "Rate an agent against a frozen pool, or check a result",
		Long: `Rate plays an agent against each opponent of a suite, in one seat among copies
of the opponent, on duplicate walls. It prints the luck-adjusted results against
each, the worst of them and one rating, where value has 1500. docs/rating.md
describes the suites:
` + wrap(strings.Join(rating.Names(), ", "), plainWidth) + `.

With --out the matches and the result file are written to a folder. The same
command continues a rating that was interrupted, to the same bytes. The walls
come from the public seed of the suite, with --season from a secret one.

With --check a result file is compared with the matches beside it. With --table
result files are printed as leaderboards in Markdown.`,
		Example: `  sparrowhall rate value --suite riichi-2 --out runs/value
  sparrowhall rate "mine=mjai:./bot" --suite riichi-2 --matches 100
  sparrowhall rate --check runs/value/result.json
  sparrowhall rate --table runs/*/result.json
  sparrowhall rate --new-season spring.seal --suite riichi-2
  sparrowhall rate value --suite riichi-2 --season spring.seal --out runs/spring`,
		Args: func(cmd *cobra.Command, args []string) error { return o.checkArguments(cmd, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.check:
				return o.runCheck(cmd, args[0])
			case o.table:
				return o.printTable(cmd, args)
			case o.newSeason != "":
				return o.runNewSeason(cmd)
			}
			return o.rate(cmd, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.suite, "suite", "", "name of the suite")
	f.StringVar(&o.out, "out", "", "folder to write the matches and the result file to")
	f.StringVar(&o.season, "season", "", "file with the secret seed of a season")
	f.StringVar(&o.newSeason, "new-season", "", "draw the secret seed of a season of --suite and write it to this file")
	o.sign.add(cmd, "PEM file of the ed25519 key that signs the result file")
	f.StringVar(&o.name, "name", "", "name of the agent in the result")
	f.BoolVar(&o.anonymous, "anonymous", false, "leave name and kind of the agent out of the result")
	f.StringVar(&o.date, "date", "", "date to state in the result, such as 2026-11-23")
	f.Uint64Var(&o.matches, "matches", 0, "matches against each opponent at most, for slow agents; 0 for those of the suite")
	f.BoolVar(&o.retry, "retry-forfeits", false, "play the matches of --out again that the agent has forfeited")
	f.BoolVar(&o.check, "check", false, "replay the matches of a result file and compare")
	f.StringVar(&o.key, "key", "", "with --check: PEM file of the public ed25519 key that signed the result file")
	f.BoolVar(&o.table, "table", false, "print result files as leaderboards in Markdown")
	o.wrapper.add(cmd)
	o.addWork(cmd, "matches (with grpc agents: blocks of 64 matches) played")
	jsonFlag(cmd, &o.json)
	return cmd
}

// rateModes are the flags that do something else than rate an agent, with the flags that go
// with each of them.
var rateModes = map[string][]string{
	"check":      {"check", "key", "season", "workers", "quiet", "json"},
	"table":      {"table"},
	"new-season": {"new-season", "suite", "json"},
}

// checkArguments returns what is wrong with the arguments and flags.
func (o *rateOptions) checkArguments(cmd *cobra.Command, args []string) error {
	f := cmd.Flags()
	mode, least, most := "", 1, 1
	for _, name := range []string{"check", "table", "new-season"} {
		if !f.Changed(name) {
			continue
		}
		if mode != "" {
			return fmt.Errorf("--%s and --%s do different things; use one of them", mode, name)
		}
		mode = name
	}
	switch mode {
	case "table":
		most = 1 << 20
	case "new-season":
		least, most = 0, 0
	}
	if n := len(args); n < least || n > most {
		return fmt.Errorf("%d arguments given; usage: %s", n, cmd.UseLine())
	}
	if mode != "" {
		for _, name := range []string{"suite", "out", "season", "sign", "name", "anonymous", "date", "matches", "retry-forfeits", "key", "bot-wrapper", "workers", "quiet", "json"} {
			if f.Changed(name) && !slices.Contains(rateModes[mode], name) {
				return fmt.Errorf("--%s does nothing with --%s; leave it out", name, mode)
			}
		}
		if mode == "new-season" && o.suite == "" {
			return o.missingSuite()
		}
		return nil
	}
	return o.checkRating(cmd)
}

func (o *rateOptions) missingSuite() error {
	return fmt.Errorf("name a suite by --suite: %s", strings.Join(rating.Names(), ", "))
}

// checkRating returns what is wrong with the flags of a rating.
func (o *rateOptions) checkRating(cmd *cobra.Command) error {
	f := cmd.Flags()
	switch {
	case o.suite == "":
		return o.missingSuite()
	case f.Changed("key"):
		return errors.New("--key is for --check; use both")
	case f.Changed("name") && o.anonymous:
		return errors.New("--name and --anonymous both say how the agent is called; use one of them")
	case f.Changed("name") && (strings.TrimSpace(o.name) == "" || len(o.name) > maxRatedName):
		return fmt.Errorf("--name: %q; allowed: up to %d bytes", o.name, maxRatedName)
	case f.Changed("matches") && o.matches == 0:
		return errors.New("--matches: 0 is too few; at least 1")
	case o.season != "" && o.out == "":
		return errors.New("--season needs a folder for the matches; name it with --out")
	case o.sign.file != "" && o.out == "":
		return errors.New("--sign signs the file of a result; name its folder with --out")
	case o.retry && o.out == "":
		return errors.New("--retry-forfeits plays matches of a folder again; name it with --out")
	case f.Changed("out") && o.out == "":
		return errors.New("--out: name a folder")
	}
	if o.date != "" {
		if _, err := time.Parse(time.DateOnly, o.date); err != nil {
			return fmt.Errorf("--date: %q; allowed: a day such as 2026-11-23", o.date)
		}
	}
	return nil
}

// maxRatedName is the most bytes of the name of a rated agent.
const maxRatedName = 200

// rated is an agent to be rated.
type ratedAgent struct {
	rating.Entrant
	// spec has the time budget of the suite.
	spec     string
	newAgent func() sim.Agent
	// builtIn is set if the agent plays the same whenever it is started.
	builtIn bool
}

// entrant returns the agent that the argument names.
func (o *rateOptions) entrant(text string, s *rating.Suite) (*ratedAgent, error) {
	name, spec, err := parseAgent(text)
	if err != nil {
		return nil, usagef("%w", err)
	}
	r := &ratedAgent{Entrant: rating.Entrant{Name: name, Date: o.date}}
	if r.spec, err = withBudget(spec, s); err != nil {
		return nil, usagef("%w", err)
	}
	kind, _, options := strings.Cut(spec, ":")
	_, notPublic := agents.NewServed(spec)
	r.Agent, r.builtIn = spec, notPublic == nil
	if !r.builtIn {
		r.Agent = kind
	}
	switch {
	case o.anonymous:
		r.Name, r.Agent = "anonymous", ""
	case o.name != "":
		r.Name = o.name
	case notPublic != nil && options && name == spec:
		return nil, usagef("%q has a command, address or file, which a result does not publish; name the agent as NAME=SPEC or by --name, or use --anonymous", text)
	}
	constructors, err := (&agentFlags{wrapper: o.wrapper}).constructors("AGENT", []string{r.spec})
	if err != nil {
		return nil, err
	}
	r.newAgent = constructors[0]
	return r, nil
}

// leadingOptions matches the options before the command of a program.
var leadingOptions = regexp.MustCompile(`^(\s*\w+=\S*)*\s`)

// withBudget returns the spec of an agent with the time for an answer that a suite gives. It is an
// error if the spec has a time of its own.
func withBudget(spec string, s *rating.Suite) (string, error) {
	kind, rest, _ := strings.Cut(spec, ":")
	own, budgeted := "", spec
	switch kind {
	case "mjai", "botzone", "llm":
		own, budgeted = leadingOptions.FindString(rest+" "), kind+":timeout="+s.Budget+" "+rest
	case "grpc", "mjsonp":
		_, options, found := strings.Cut(rest, "?")
		own, budgeted = options, spec+"?timeout="+s.Budget
		if found {
			budgeted = spec + "&timeout=" + s.Budget
		}
	}
	if strings.Contains(own, "timeout=") {
		return "", fmt.Errorf("%q: the suite %s gives %s for each answer; leave out timeout", spec, s.Name, s.Budget)
	}
	return budgeted, nil
}

func (o *rateOptions) rate(cmd *cobra.Command, text string) error {
	ctx := cmd.Context()
	s, err := rating.Open(o.suite)
	if err != nil {
		return wrongUsage{err}
	}
	agent, err := o.entrant(text, s)
	if err != nil {
		return err
	}
	if err := o.sign.read(ctx); err != nil {
		return err
	}
	season, err := o.openSeason(ctx, s, false)
	if err != nil {
		return err
	}
	dir := o.out
	if dir == "" {
		folder, err := tempdir.New(os.TempDir(), "sparrowhall-rate-")
		if err != nil {
			return err
		}
		defer folder.Remove()
		dir = folder.Path
	}
	var forfeited []error
	for i := range season.Parts {
		lost, err := o.play(cmd, dir, season, &season.Parts[i], agent)
		if err != nil {
			return fmt.Errorf("%s against %s: %w", s.Name, season.Parts[i].Dir, err)
		}
		forfeited = append(forfeited, lost)
	}
	result, err := rating.Compute(ctx, dir, season, agent.Entrant, o.matches, &rating.Options{NewAgent: agents.New, Workers: o.number()})
	if err != nil {
		return explainInterrupt(err)
	}
	if o.out != "" {
		if err := result.Write(dir, o.sign.key); err != nil {
			return err
		}
	}
	return errors.Join(append(forfeited, printResult(cmd, o.json, result, func(p *printer) { p.rating(s, result) }))...)
}

// openSeason returns the season of --season, or that with the public seed.
func (o *rateOptions) openSeason(ctx context.Context, s *rating.Suite, revealed bool) (*rating.Season, error) {
	if o.season == "" {
		return s.PublicSeason()
	}
	if o.out != "" {
		if inside, err := within(o.season, o.out); err != nil {
			return nil, err
		} else if inside {
			return nil, usagef("--season: %s is in the folder of the matches, which others will read; name a file elsewhere", o.season)
		}
	}
	n, err := s.ReadSeason(ctx, o.season, revealed)
	if err != nil {
		return nil, fmt.Errorf("--season: %w", err)
	}
	return n, nil
}

// play plays the matches of a part that its folder lacks. It returns an error if the agent
// forfeited all of them, and another if they could not be played.
func (o *rateOptions) play(cmd *cobra.Command, dir string, season *rating.Season, part *rating.Part, agent *ratedAgent) (forfeited, err error) {
	run, err := season.Run(part, agent.Name, o.matches)
	if err != nil {
		return nil, err
	}
	opponent, err := agents.New(part.Agent)
	if err != nil {
		return nil, err
	}
	out := &datasetFlags{out: filepath.Join(dir, part.Dir), workFlags: o.workFlags}
	if o.retry {
		dropped, err := dataset.DropForfeits(out.out, run)
		if err != nil {
			return nil, err
		}
		if dropped > 0 && !o.quiet {
			fmt.Fprintf(cmd.ErrOrStderr(), "against %s: forfeited matches to play again: %d\n", part.Dir, dropped)
		}
	}
	w, err := dataset.Create(out.out, run, false)
	if errors.Is(err, dataset.ErrOccupied) {
		return nil, fmt.Errorf("%w; name another folder, or remove it", err)
	}
	if err != nil {
		return nil, err
	}
	begun := w.Next() > 0 || w.KeptMatches() > 0
	p := o.progress(cmd, "matches against "+part.Dir, w.End()-w.Next()-w.KeptMatches())
	lost := newForfeits(cmd.ErrOrStderr(), run, 0)
	if w.WholeMatches() > 0 {
		if err := lost.resume(out.out); err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	specs := []string{agent.spec, part.Agent}
	job := newJob(run, specs, []func() sim.Agent{agent.newAgent, opponent}, o.workers)
	job.Journal = &runJournal{forfeits: lost, progress: p, journal: w.Journal()}
	err = w.Play(cmd.Context(), job)
	p.End()
	if err != nil {
		return nil, out.explain(err, w)
	}
	if begun && agent.builtIn {
		if err := season.CheckEntrant(dir, part, agent.Name, o.matches, agent.newAgent); err != nil {
			return nil, fmt.Errorf("another agent of this name has begun the folder: %w; name another folder, or remove it", err)
		}
	}
	return lost.sum(), nil
}

func (p *printer) rating(s *rating.Suite, r *rating.Result) {
	title := fmt.Sprintf("%s: %s, %s", sanitize.Line(r.Name), s.Name, s.Description)
	if r.Season != "" {
		title += ", season " + r.Season
	}
	if r.MaxMatches > 0 {
		title += fmt.Sprintf("; a part of the suite, at most %d matches against each opponent", r.MaxMatches)
	}
	p.paragraphs(title)
	t := page.Table{Head: []string{"against", "matches", "points", "placement points", "rank"}}
	for i := range r.Parts {
		q := &r.Parts[i]
		placement := "-"
		if q.Placement != nil {
			placement = q.Placement.Text(2)
		}
		label := q.Opponent
		if s.Draw != nil {
			label += " (" + q.Ruleset + ")"
		}
		t.Rows = append(t.Rows, page.Row{Label: label, Cells: []string{
			fmt.Sprint(q.Matches), q.Points.Text(0), placement, q.Rank.Text(2),
		}})
	}
	p.table(&t)
	p.printf("\n")
	if r.Rating != nil {
		p.printf("rating %s, where value has %d\n", r.Rating.Text(0), rating.Anchor)
	}
	worst := r.Worst.Opponent
	if s.Draw != nil {
		worst += " (" + r.Worst.Ruleset + ")"
	}
	p.printf("worst case: against %s\n", sanitize.Line(worst))
	for i := range r.Parts {
		if q := &r.Parts[i]; q.Forfeits > 0 {
			p.printf("against %s it forfeited %d of %d matches\n", sanitize.Line(q.Opponent), q.Forfeits, q.Matches)
		}
	}
	p.printf("\n")
	p.paragraph("points and placement points are luck-adjusted; 95 %% intervals")
}

func (o *rateOptions) runNewSeason(cmd *cobra.Command) error {
	s, err := rating.Open(o.suite)
	if err != nil {
		return wrongUsage{err}
	}
	drawn, err := s.NewSeason(o.newSeason)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s: there is a file already; name a new one", o.newSeason)
	}
	if err != nil {
		return err
	}
	info := drawn.Info(false)
	return printResult(cmd, o.json, info, func(p *printer) {
		p.printf("a season of %s with the commitment %s\n", s.Name, info.Commitment)
		p.paragraph("Publish the commitment now, and the file %s when the season has ended.", sanitize.Line(o.newSeason))
	})
}

// fixedAgent returns a built-in agent whose play never changes, nil for other specs. A result
// file may name no file.
func fixedAgent(spec string) sim.Agent {
	if _, err := agents.NewServed(spec); err != nil {
		return nil
	}
	return agents.Quick(spec)
}

func (o *rateOptions) runCheck(cmd *cobra.Command, path string) error {
	ctx := cmd.Context()
	if err := checkKey(ctx, o.key, func(key ed25519.PublicKey) error { return rating.CheckSignature(path, key) }); err != nil {
		return err
	}
	r, _, err := rating.Read(path)
	if err != nil {
		return err
	}
	total := uint64(0)
	for _, p := range r.Parts {
		total += p.Matches
	}
	p := o.progress(cmd, "matches", 2*total)
	r, err = rating.Check(ctx, path, func(s *rating.Suite) (*rating.Season, error) {
		if o.season == "" {
			return nil, nil
		}
		return o.openSeason(ctx, s, true)
	}, &rating.Options{NewAgent: agents.New, Fixed: fixedAgent, Workers: o.number(), Replayed: p.Add})
	p.End()
	if err != nil {
		return explainInterrupt(err)
	}
	if r.Season == "" && o.season != "" {
		return usagef("--season: the result has the public seed; leave it out")
	}
	answer := struct {
		OK     bool   `json:"ok"`
		Suite  string `json:"suite"`
		Name   string `json:"name"`
		Season string `json:"season,omitempty"`
		Signed bool   `json:"signed"`
	}{true, r.Suite, r.Name, r.Season, o.key != ""}
	return printResult(cmd, o.json, answer, func(p *printer) {
		p.paragraph("%s: the figures of %s follow from the moves, and the opponents played theirs. That this agent chose its own is what the organizer says.", r.Suite, sanitize.Line(r.Name))
		if o.key != "" {
			p.paragraph("The result is signed with the key.")
		}
	})
}

func (o *rateOptions) printTable(cmd *cobra.Command, files []string) error {
	var list []*rating.Result
	for _, f := range files {
		r, _, err := rating.Read(f)
		if err != nil {
			return err
		}
		list = append(list, r)
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), rating.Leaderboard(list))
	return err
}
