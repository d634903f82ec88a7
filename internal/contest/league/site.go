package league

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/contest/live"
	"github.com/sparrowhall/sparrowhall/internal/contest/pairing"
	"github.com/sparrowhall/sparrowhall/internal/contest/strength"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/internal/release"
	"github.com/sparrowhall/sparrowhall/internal/tempdir"
)

//go:embed site.html
var siteText string

var siteTemplate = findings.NewPage("site", siteText)

// SiteOptions select the pages of a site and what they show.
type SiteOptions struct {
	// Anonymous replaces the names of bots by numbers and leaves out authors and
	// fingerprints.
	Anonymous bool
	// Replays is the number of matches with a replay, drawn from all of the season.
	Replays int
	// Live, if not nil, adds a page of what is being played, for sites that are served.
	Live *live.Activity
}

// Site is the site of a league at one moment: a set of files. None contains the command, path or
// address of a bot.
type Site struct {
	league     *League
	o          SiteOptions
	seasons    []*Standings // by season; the last is the current one
	history    []moment
	headToHead *strength.HeadToHead
	replays    []replayKey
	tests      []TestResult
	bots       []Bot
	names      map[int64]string  // of bots, with their versions, by id
	links      map[string]string // to the pages of bots, by name
	files      []string
}

func (s *Site) currentSeason() *Standings { return s.seasons[len(s.seasons)-1] }

// title returns the title and ruleset of the season.
func (s *Standings) title() string { return s.Season.Title + ", " + s.Season.Name }

// The files of a site, besides those of bots, seasons and matches.
const (
	boardFile   = "index.html"
	headsFile   = "head-to-head.html"
	matchesFile = "matches.html"
	testsFile   = "tests.html"
	feedFile    = "feed.json"
	LiveFile    = "now.html" // what is being played, of served sites
	WallsFile   = "walls.json"
)

var (
	// siteFile matches the names of files that WriteSite may replace or remove.
	siteFile = regexp.MustCompile(`^(index|head-to-head|matches|tests|bot-\d+|season-\d+|match-\d+-\d+)\.html$|^(feed|walls(-\d+)?)\.json$`)
	// replayFile matches the round and match of a replay, numberedFile the number of a page.
	replayFile   = regexp.MustCompile(`^match-(\d+)-(\d+)\.html$`)
	numberedFile = regexp.MustCompile(`-(\d+)\.(html|json)$`)
)

func seasonFile(id int64) string { return fmt.Sprintf("season-%d.html", id) }

func botFile(id int64) string { return fmt.Sprintf("bot-%d.html", id) }

// NewSite reads all that the pages of a league show.
func (l *League) NewSite(ctx context.Context, o SiteOptions) (*Site, error) {
	s := &Site{league: l, o: o, names: map[int64]string{}, links: map[string]string{}}
	var err error
	if s.bots, err = l.Bots(ctx); err != nil {
		return nil, err
	}
	s.files = []string{boardFile, headsFile, matchesFile, testsFile, feedFile, WallsFile}
	if o.Live != nil {
		s.files = append(s.files, LiveFile)
	}
	parts, err := l.wallsParts(ctx)
	if err != nil {
		return nil, err
	}
	earlier, err := queryAll(ctx, l.db, func(n *int64) []any { return []any{n} }, `SELECT DISTINCT id / ? FROM rounds WHERE id / ?1 < ? ORDER BY 1`, wallsPart, parts)
	if err != nil {
		return nil, err
	}
	for _, n := range earlier {
		s.files = append(s.files, wallsFile(n))
	}
	numbers := map[string]int{}
	for i := range s.bots {
		b := &s.bots[i]
		if b.Version == 1 {
			s.links[b.Name] = botFile(b.ID)
			s.files = append(s.files, s.links[b.Name])
		}
		name := b.Name
		if o.Anonymous {
			if numbers[name] == 0 {
				numbers[name] = len(numbers) + 1
			}
			name = fmt.Sprintf("Bot %d", numbers[name])
		}
		s.names[b.ID] = fmt.Sprintf("%s %d", name, b.Version)
	}
	seasons, err := l.Seasons(ctx)
	if err != nil {
		return nil, err
	}
	for _, season := range seasons[:len(seasons)-1] {
		old, err := l.Standings(ctx, View{Season: season.ID})
		if err != nil {
			// An earlier season may have a ruleset that this version does not read.
			old = &Standings{Season: season}
		}
		s.seasons = append(s.seasons, old)
		s.files = append(s.files, seasonFile(season.ID))
	}
	current, err := s.readCurrent(ctx)
	if err != nil {
		return nil, err
	}
	s.seasons = append(s.seasons, current)
	if err := s.sampleReplays(ctx); err != nil {
		return nil, err
	}
	if s.tests, err = l.Tests(ctx); err != nil {
		return nil, err
	}
	for _, m := range s.replays {
		s.files = append(s.files, m.file())
	}
	return s, nil
}

// readCurrent reads the duplicate sets of the current season, for standings, history and pairs.
func (s *Site) readCurrent(ctx context.Context) (*Standings, error) {
	l := s.league
	p, sums, err := l.newPool(ctx, View{})
	if err != nil {
		return nil, err
	}
	total := 0
	for _, f := range sums {
		total += int(f.Matches)
	}
	total /= l.seats()
	s.headToHead = strength.NewHeadToHead(len(p.members))
	part := max(1, total/historyParts)
	next := part
	anchor, anchored := p.index[l.anchor]
	err = l.visitSets(ctx, View{}, p.index, func(set storedSet) error {
		p.matches.Add(p.matches.Sets(), set.rankings)
		s.headToHead.Add(set.rankings)
		if p.matches.Matches() < next {
			return nil
		}
		next += part
		r, err := p.matches.Fit()
		if err != nil {
			return err
		}
		at := &Standings{ratings: r, index: p.index}
		m := moment{matches: p.matches.Matches(), rating: map[int64][3]float64{}}
		zero := -1
		if anchored && sums[l.anchor] != nil {
			zero = int(anchor)
		}
		for i, k := range p.members {
			// A rating that the matches say less about than the prior is no moment to draw.
			if rating, half := at.rating(i, zero); half < interval.Normal*pairing.PriorDeviation {
				m.rating[p.bots[k].ID] = [3]float64{rating, rating - half, rating + half}
			}
		}
		s.history = append(s.history, m)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return l.rate(ctx, View{}, p, sums)
}

// ErrNoPage is the error of a page that a site does not have.
var ErrNoPage = errors.New("no such page")

// Names returns the names of the files of the site.
func (s *Site) Names() []string { return s.files }

// Render writes a file of the site. It may be called by many goroutines. Besides those of Names it renders the replay of any match
// of the season.
func (s *Site) Render(ctx context.Context, w io.Writer, name string) error {
	if m := replayFile.FindStringSubmatch(name); m != nil {
		round, err := strconv.ParseInt(m[1], 10, 64)
		index, err2 := strconv.ParseUint(m[2], 10, 64)
		if err != nil || err2 != nil {
			return ErrNoPage
		}
		return s.writeReplay(ctx, w, replayKey{round, index})
	}
	if !slices.Contains(s.files, name) {
		return ErrNoPage
	}
	id := int64(0)
	if m := numberedFile.FindStringSubmatch(name); m != nil {
		id, _ = strconv.ParseInt(m[1], 10, 64) // of the files
	}
	switch {
	case name == feedFile:
		return s.feed(w)
	case name == WallsFile:
		parts, err := s.league.wallsParts(ctx)
		if err != nil {
			return err
		}
		return s.walls(ctx, w, parts, 0)
	case strings.HasPrefix(name, "walls-"):
		return s.walls(ctx, w, id, id+1)
	case name == boardFile:
		return s.leaderboard(w, s.currentSeason(), name)
	case name == headsFile:
		return s.headPage(w)
	case name == matchesFile:
		return s.matchPage(ctx, w)
	case name == testsFile:
		return s.testPage(w)
	case name == LiveFile:
		return s.livePage(ctx, w)
	case strings.HasPrefix(name, "season-"):
		return s.leaderboard(w, s.seasons[id-1], name)
	}
	return s.botPage(w, id)
}

// WriteSite writes a site to a folder, which is empty, missing, or has a site. It removes pages
// that the site no longer has.
func (s *Site) WriteSite(ctx context.Context, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) > 0 && !exists(filepath.Join(dir, feedFile)) {
		return fmt.Errorf("%s: the folder has files that are no site of a league; name a new one", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	// The feed marks a folder as a site. It comes first, so that an interrupted call can be
	// repeated.
	for _, name := range slices.Concat([]string{feedFile}, s.files) {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		var b bytes.Buffer
		if err := s.Render(ctx, &b, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := tempdir.ReplaceFile(filepath.Join(dir, name), b.Bytes()); err != nil {
			return err
		}
	}
	for _, e := range entries {
		if siteFile.MatchString(e.Name()) && !slices.Contains(s.files, e.Name()) {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// link is a link of the navigation.
type link struct {
	Link    string
	Text    findings.Text
	Current bool
}

// writePage writes a page by a template. data has the fields of the template besides those of
// the head.
func (s *Site) writePage(w io.Writer, name, current string, title findings.Text, facts []findings.Text, data map[string]any) error {
	if name == "board" || name == "bot" || name == "tests" {
		data["ChartScript"] = page.ChartScript
	}
	data["Title"], data["Facts"], data["Style"], data["Sort"], data["Script"] = title, facts, page.Style+page.ChartStyle, page.Sort, findings.Script
	to := func(file, title string) link { return link{file, findings.NewText("title." + title), file == current} }
	nav := []link{to(boardFile, "Leaderboard"), to(headsFile, "Head to head"), to(matchesFile, "Matches"), to(testsFile, "Tests"), {feedFile, findings.PlainText("JSON"), false}, to(WallsFile, "Walls")}
	if s.o.Live != nil {
		nav = slices.Insert(nav, 1, to(LiveFile, "Now"))
	}
	data["Nav"] = nav
	season := &s.currentSeason().Season
	data["Made"] = release.Made(engineVersion, release.Rules(season.Name, season.Ruleset))
	return siteTemplate.Execute(w, name, s.league.Rules().Family, data)
}
