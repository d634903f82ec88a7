package league

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/page"
	"github.com/sparrowhall/sparrowhall/export/standings"
	"github.com/sparrowhall/sparrowhall/export/summary"
	"github.com/sparrowhall/sparrowhall/export/viewer"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

//go:embed site.html
var siteText string

var siteTemplate = page.New("site", siteText)

// SiteOptions say what the site of a league has.
type SiteOptions struct {
	// Anonymous replaces the names of bots by numbers and leaves out authors and
	// fingerprints.
	Anonymous bool
	// Replays is the number of matches with a replay, drawn from all of the season.
	Replays int
}

// Site is the site of a league at one moment: a set of files, none of which has a command, a path
// or an address of a bot.
type Site struct {
	league  *League
	o       SiteOptions
	seasons []*Standings // by season; the last is the current one
	history []moment
	heads   *headToHead
	sample  []sampled
	tests   []TestResult
	names   map[int64]string // of bots, with their versions
	files   []string
}

// moment is the ratings of the bots after a part of the matches.
type moment struct {
	matches int
	rating  map[int64][3]float64 // by bot: the rating and its interval
}

// historyParts is the number of moments in charts.
const historyParts = 10

// sampled is a match with a replay.
type sampled struct {
	round int64
	index uint64
}

// name returns the name of the file of its replay.
func (m sampled) name() string { return fmt.Sprintf("match-%d-%d.html", m.round, m.index) }

// The files of a site, besides those of bots, seasons and matches.
const (
	boardFile   = "index.html"
	headsFile   = "head-to-head.html"
	matchesFile = "matches.html"
	testsFile   = "tests.html"
	feedFile    = "feed.json"
)

// siteFile matches the names of files that WriteSite may replace or remove.
var siteFile = regexp.MustCompile(`^(index|head-to-head|matches|tests|bot-\d+|season-\d+|match-\d+-\d+)\.html$|^feed\.json$`)

// NewSite reads all that the pages of a league show.
func (l *League) NewSite(ctx context.Context, o SiteOptions) (*Site, error) {
	s := &Site{league: l, o: o, names: map[int64]string{}}
	bots, err := l.Bots(ctx)
	if err != nil {
		return nil, err
	}
	numbers := map[string]int{}
	for i := range bots {
		b := &bots[i]
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
	}
	current, err := s.readCurrent(ctx)
	if err != nil {
		return nil, err
	}
	s.seasons = append(s.seasons, current)
	if err := s.draw(ctx); err != nil {
		return nil, err
	}
	if s.tests, err = l.Tests(ctx); err != nil {
		return nil, err
	}
	s.files = []string{boardFile, headsFile, matchesFile, testsFile, feedFile}
	for _, season := range s.seasons[:len(s.seasons)-1] {
		s.files = append(s.files, seasonFile(season.Season.ID))
	}
	for i := range bots {
		if bots[i].Version == 1 {
			s.files = append(s.files, botFile(bots[i].ID))
		}
	}
	for _, m := range s.sample {
		s.files = append(s.files, m.name())
	}
	return s, nil
}

func seasonFile(id int64) string { return fmt.Sprintf("season-%d.html", id) }

func botFile(id int64) string { return fmt.Sprintf("bot-%d.html", id) }

// current returns the standings of the current season.
func (s *Site) current() *Standings { return s.seasons[len(s.seasons)-1] }

// readCurrent reads the duplicate sets of the season once, for standings, history and pairs.
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
	total /= l.rules.Config.Common().NumSeats()
	s.heads = newHeadToHead(len(p.at))
	part := max(1, total/historyParts)
	next := part
	anchor, anchored := p.index[l.anchor]
	err = l.visitSets(ctx, View{}, p.index, func(set storedSet) error {
		p.Add(set.rankings)
		s.heads.add(set.rankings)
		if p.Matches() < next {
			return nil
		}
		next += part
		r, err := p.Fit()
		if err != nil {
			return err
		}
		at := &Standings{ratings: r, index: p.index}
		m := moment{matches: p.Matches(), rating: map[int64][3]float64{}}
		zero := -1
		if anchored && sums[l.anchor] != nil {
			zero = int(anchor)
		}
		for i, k := range p.at {
			if rating, deviation := at.rating(i, zero); deviation < unknown || i == zero {
				m.rating[p.bots[k].ID] = [3]float64{rating, rating - z*deviation, rating + z*deviation}
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

// headToHead is the results of pairs of agents of a pool.
type headToHead struct {
	agents int
	pairs  []headPair // of a and b at a*agents+b, for a < b
}

// headPair is the sums over the duplicate sets in which two agents met: of the shares of
// matches in which the first was ahead, and of their squares.
type headPair struct{ sets, share, squares float64 }

func newHeadToHead(agents int) *headToHead {
	return &headToHead{agents: agents, pairs: make([]headPair, agents*agents)}
}

// add adds a duplicate set.
func (h *headToHead) add(set []standings.Ranking) {
	lineup := set[0].Agents
	seats := set[0].Seats
	for x, a := range lineup[:seats] {
		for _, b := range lineup[:seats] {
			if a >= b || slices.Contains(lineup[:x], a) {
				continue
			}
			var ahead, all float64
			for i := range set {
				m := &set[i]
				for p, c := range m.Agents[:seats] {
					for q, d := range m.Agents[:seats] {
						if c != a || d != b {
							continue
						}
						all++
						switch {
						case m.Ranks[p] < m.Ranks[q]:
							ahead++
						case m.Ranks[p] == m.Ranks[q]:
							ahead += 0.5
						}
					}
				}
			}
			k := &h.pairs[int(a)*h.agents+int(b)]
			k.sets++
			k.share += ahead / all
			k.squares += ahead / all * (ahead / all)
		}
	}
}

// share returns the share of matches in which a is ahead of b, its standard error, and the
// number of duplicate sets.
func (h *headToHead) share(a, b uint8) (share, deviation, sets float64) {
	turned := a > b
	if turned {
		a, b = b, a
	}
	k := h.pairs[int(a)*h.agents+int(b)]
	if k.sets == 0 {
		return 0, 0, 0
	}
	share = k.share / k.sets
	deviation = math.Sqrt(max(k.squares/k.sets-share*share, 0.0625/k.sets) / max(k.sets-1, 1))
	if turned {
		share = 1 - share
	}
	return share, deviation, k.sets
}

// draw chooses the matches with a replay: at random, by the seed of the league.
func (s *Site) draw(ctx context.Context) error {
	rows, err := s.league.db.QueryContext(ctx, `SELECT id, matches FROM rounds WHERE season = ? AND engine = ? AND state = ? ORDER BY id`, s.league.season.ID, engine, counted)
	if err != nil {
		return err
	}
	defer rows.Close()
	type round struct{ id, matches, end int64 }
	var rounds []round
	total := int64(0)
	for rows.Next() {
		var r round
		if err := rows.Scan(&r.id, &r.matches); err != nil {
			return err
		}
		total += r.matches
		r.end = total
		rounds = append(rounds, r)
	}
	if err := rows.Err(); err != nil || total == 0 {
		return err
	}
	for i := 0; len(s.sample) < min(s.o.Replays, int(total)); i++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "sparrowhall league replay %d %d", s.league.seed, i))
		n := int64(binary.LittleEndian.Uint64(sum[:]) % uint64(total))
		k := slices.IndexFunc(rounds, func(r round) bool { return n < r.end })
		first := uint64(0)
		if d, err := dataset.Open(s.league.roundDir(rounds[k].id)); err == nil {
			first = d.First()
		}
		m := sampled{rounds[k].id, first + uint64(n-rounds[k].end+rounds[k].matches)}
		if !slices.Contains(s.sample, m) {
			s.sample = append(s.sample, m)
		}
	}
	slices.SortFunc(s.sample, func(a, b sampled) int {
		if a.round != b.round {
			return int(b.round - a.round)
		}
		return int(a.index) - int(b.index)
	})
	return nil
}

// ErrNoPage is the error of a page that a site does not have.
var ErrNoPage = errors.New("no such page")

// Names returns the names of the files of the site.
func (s *Site) Names() []string { return s.files }

// Render writes a file of the site. Besides those of Names it renders the replay of any match
// of the season.
func (s *Site) Render(ctx context.Context, w io.Writer, name string) error {
	if m := regexp.MustCompile(`^match-(\d+)-(\d+)\.html$`).FindStringSubmatch(name); m != nil {
		round, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil {
			return ErrNoPage
		}
		index, err := strconv.ParseUint(m[2], 10, 64)
		if err != nil {
			return ErrNoPage
		}
		return s.replay(ctx, w, sampled{round, index})
	}
	if !slices.Contains(s.files, name) {
		return ErrNoPage
	}
	id := int64(0)
	if m := regexp.MustCompile(`-(\d+)\.html$`).FindStringSubmatch(name); m != nil {
		id, _ = strconv.ParseInt(m[1], 10, 64) // of the files
	}
	switch {
	case name == feedFile:
		return s.feed(w)
	case name == boardFile:
		return s.board(w, s.current(), name)
	case name == headsFile:
		return s.headPage(w)
	case name == matchesFile:
		return s.matchPage(ctx, w)
	case name == testsFile:
		return s.testPage(w)
	case strings.HasPrefix(name, "season-"):
		return s.board(w, s.seasons[id-1], name)
	}
	return s.botPage(ctx, w, id)
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
	// The mark of a site comes first, so that one that was interrupted can be written again.
	for _, name := range slices.Concat([]string{feedFile}, s.files) {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		var b bytes.Buffer
		if err := s.Render(ctx, &b, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		temp := filepath.Join(dir, ".new")
		if err := os.WriteFile(temp, b.Bytes(), 0o644); err != nil {
			return err
		}
		if err := os.Rename(temp, filepath.Join(dir, name)); err != nil {
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
	Link, Text string
	Here       bool
}

// execute writes a page by a template. data has what the template needs besides the head.
func (s *Site) execute(w io.Writer, name, file, title string, facts []string, data map[string]any) error {
	data["Title"], data["Facts"], data["Style"], data["Sort"] = title, facts, page.Style, page.Sort
	nav := []link{{boardFile, "Leaderboard", false}, {headsFile, "Head to head", false}, {matchesFile, "Matches", false}, {testsFile, "Tests", false}, {feedFile, "JSON", false}}
	for i := range nav {
		nav[i].Here = nav[i].Link == file
	}
	data["Nav"] = nav
	return page.Execute(w, siteTemplate.Lookup(name), data)
}

// boardRow is a bot on the leaderboard.
type boardRow struct {
	Place                               int
	Starts                              bool
	Name, About, Link, Rating, Interval string
	Places, Matches, First, Forfeits    string
	Low, Width, At                      template.CSS // in percent of the bar
	Shares                              []template.CSS
	ShareText                           string
}

// percentCSS returns a number of percent for a style.
func percentCSS(x float64) template.CSS {
	return template.CSS(strconv.FormatFloat(min(max(x, 0), 100), 'f', 2, 64))
}

// pages returns the page of each bot by its name.
func (l *League) pages(ctx context.Context) (map[string]string, error) {
	bots, err := l.Bots(ctx)
	if err != nil {
		return nil, err
	}
	pages := map[string]string{}
	for i := range bots {
		if bots[i].Version == 1 {
			pages[bots[i].Name] = botFile(bots[i].ID)
		}
	}
	return pages, nil
}

// board writes the leaderboard of a season.
func (s *Site) board(w io.Writer, x *Standings, file string) error {
	pages, err := s.league.pages(context.Background())
	if err != nil {
		return err
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i := range x.Bots {
		if b := &x.Bots[i]; b.figures != nil {
			low, high = min(low, float64(b.Low)), max(high, float64(b.High))
		}
	}
	// Half of the bots share half of the scale at least, however weak the last ones are.
	if n := len(x.Bots); n > 0 && x.Bots[n/2].figures != nil {
		low = max(low, 2*float64(x.Bots[n/2].Low)-high)
	}
	across := max(high-low, 1)
	var rows []boardRow
	var waiting []string
	for i := range x.Bots {
		b := &x.Bots[i]
		if b.figures == nil {
			waiting = append(waiting, s.names[b.bot.ID])
			continue
		}
		row := boardRow{
			Place: i + 1, Starts: i > 0 && b.Group > x.Bots[i-1].Group, Name: s.names[b.bot.ID], About: s.about(b.bot), Link: pages[b.Name],
			Rating: digits.Fixed(float64(b.Rating), 0), Interval: intervalText(b.Low, b.High), Places: placesText(b.Best, b.Worst),
			Matches: fmt.Sprint(b.Matches), First: digits.Fixed(100*b.Places[0], 1) + "%", Forfeits: fmt.Sprint(b.Forfeits),
			Low: percentCSS(100 * (float64(b.Low) - low) / across), Width: percentCSS(100 * (float64(b.High) - max(float64(b.Low), low)) / across), At: percentCSS(100 * (float64(b.Rating) - low) / across),
		}
		for k, share := range b.Places {
			row.Shares = append(row.Shares, percentCSS(100*share))
			row.ShareText += fmt.Sprintf("%s %s%%  ", ordinals[k], digits.Fixed(100*share, 1))
		}
		rows = append(rows, row)
	}
	data := map[string]any{
		"Rows": rows, "Waiting": strings.Join(waiting, ", "), "Remarks": x.Remarks(), "Anchor": s.names[s.league.anchor],
		"Head": []string{"bot", "rating", "interval", "from, to", "places", "matches", "1st to last", "1st", "forfeits"}, "Chart": (*chart)(nil), "Seasons": []link(nil),
	}
	title := x.Season.Title
	facts := []string{fmt.Sprintf("%s since %s: %d matches in %d duplicate sets, engine version %d.", x.Season.Name, x.Season.Began, x.Matches, x.Sets, x.Engine)}
	if x == s.current() {
		data["Chart"] = s.boardChart()
		var seasons []link
		for i := range slices.Backward(s.seasons[:len(s.seasons)-1]) {
			old := s.seasons[i]
			seasons = append(seasons, link{Link: seasonFile(old.Season.ID), Text: fmt.Sprintf("%s (%s, since %s): %d matches", old.Season.Title, old.Season.Name, old.Season.Began, old.Matches)})
		}
		data["Seasons"] = seasons
	}
	return s.execute(w, "board", file, title, facts, data)
}

// ordinals are the places in words.
var ordinals = [...]string{"1st", "2nd", "3rd", "4th"}

// about returns the line below the name of a bot.
func (s *Site) about(b *Bot) string {
	text := "since " + b.Added
	if b.Author != "" && !s.o.Anonymous {
		text = b.Author + ", " + text
	}
	if b.Retired != "" {
		text += ", retired " + b.Retired
	}
	return text
}

// intervalText returns the interval of a rating.
func intervalText(low, high summary.Number) string {
	return digits.Fixed(float64(low), 0) + " to " + digits.Fixed(float64(high), 0)
}

// placesText returns the places that a bot may have.
func placesText(best, worst int) string {
	if best == worst {
		return fmt.Sprint(best)
	}
	return fmt.Sprintf("%d to %d", best, worst)
}

// chart is a chart of lines, as positions in percent of its area.
type chart struct {
	Label string
	Lines []chartLine
	X, Y  []chartMark
	Key   []chartKey
	First int // the colour of bands
}

type chartLine struct {
	Color        int
	Points, Band string
}

// chartMark is a label of an axis. Bound marks a line that is dashed.
type chartMark struct {
	At    template.CSS
	Text  string
	Bound bool
}

type chartKey struct {
	Color int
	Name  string
}

// series is a line of a chart before it is placed. Low and High are nil without a band.
type series struct {
	name      string
	x, y      []float64
	low, high []float64
}

// newChart returns the chart of some series. bounds are values with a dashed line.
func newChart(label, xLabel string, list []series, bounds ...float64) *chart {
	left, right, bottom, top := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	points := 0
	for _, s := range list {
		for i := range s.x {
			points++
			left, right = min(left, s.x[i]), max(right, s.x[i])
			bottom, top = min(bottom, s.y[i]), max(top, s.y[i])
			if s.low != nil {
				bottom, top = min(bottom, s.low[i]), max(top, s.high[i])
			}
		}
	}
	if points < 2 || left == right {
		return nil
	}
	for _, b := range bounds {
		bottom, top = min(bottom, b), max(top, b)
	}
	margin := max((top-bottom)/20, 0.05)
	bottom, top = bottom-margin, top+margin
	c := &chart{Label: label}
	at := func(x, y float64) string {
		return fmt.Sprintf("%.2f,%.2f ", 100*(x-left)/(right-left), 100-100*(y-bottom)/(top-bottom))
	}
	for k, s := range list {
		line := chartLine{Color: k % 5}
		for i := range s.x {
			line.Points += at(s.x[i], s.y[i])
		}
		if s.low != nil {
			for i := range s.x {
				line.Band += at(s.x[i], s.high[i])
			}
			for i := range slices.Backward(s.x) {
				line.Band += at(s.x[i], s.low[i])
			}
			c.First = line.Color
		}
		c.Lines = append(c.Lines, line)
		c.Key = append(c.Key, chartKey{k % 5, s.name})
	}
	step := digits.NiceStep((top - bottom) / 5)
	for n := math.Ceil(bottom / step); n*step <= top; n++ {
		c.Y = append(c.Y, chartMark{At: percentCSS(100 * (n*step - bottom) / (top - bottom)), Text: digits.Exact(n * step)})
	}
	for _, b := range bounds {
		c.Y = append(c.Y, chartMark{At: percentCSS(100 * (b - bottom) / (top - bottom)), Bound: true})
	}
	c.X = []chartMark{{At: "0", Text: fmt.Sprintf("%.0f", left)}, {At: "100", Text: fmt.Sprintf("%.0f %s", right, xLabel)}}
	return c
}

// seriesOf returns the history of a bot.
func (s *Site) seriesOf(id int64, band bool) (x series) {
	x.name = s.names[id]
	for _, m := range s.history {
		r, ok := m.rating[id]
		if !ok {
			continue
		}
		x.x, x.y = append(x.x, float64(m.matches)), append(x.y, r[0])
		if band {
			x.low, x.high = append(x.low, r[1]), append(x.high, r[2])
		}
	}
	return x
}

// boardChart returns the history of the first bots.
func (s *Site) boardChart() *chart {
	var list []series
	for i := range s.current().Bots {
		b := &s.current().Bots[i]
		if b.figures == nil || len(list) == 5 {
			break
		}
		list = append(list, s.seriesOf(b.bot.ID, len(list) == 0))
	}
	return newChart("Ratings of the first five bots as matches were added", "matches", list)
}

// figure is a figure of a bot with its name.
type figure struct{ Name, Text string }

// botPage writes the page of a bot with all its versions. id is that of the first.
func (s *Site) botPage(ctx context.Context, w io.Writer, id int64) error {
	bots, err := s.league.Bots(ctx)
	if err != nil {
		return err
	}
	var versions []Bot // the newest first
	name := ""
	for i := range bots {
		if bots[i].ID == id {
			name = bots[i].Name
		}
	}
	for i := range bots {
		if bots[i].Name == name {
			versions = slices.Insert(versions, 0, bots[i])
		}
	}
	x := s.current()
	standing := map[int64]*Standing{}
	for i := range x.Bots {
		standing[x.Bots[i].bot.ID] = &x.Bots[i]
	}
	unit := float64(s.league.rules.Rules().Unit())
	table := &page.Table{Title: "versions", Head: []string{"version", "rating", "places", "matches", "forfeits", "since", "retired"}}
	style := &page.Table{Title: "style", Head: []string{"version", "hands", "won", "by self-draw", "deal-in", "ready", "called", "points a match", "placement points", "ms a decision"}}
	if !s.o.Anonymous {
		table.Head = append(table.Head, "fingerprint")
	}
	var lines []series
	for i := range versions {
		b := &versions[i]
		cells := []string{"-", "-", "0", "0"}
		if p := standing[b.ID]; p != nil && p.figures != nil {
			f := p.figures
			cells = []string{digits.Fixed(float64(p.Rating), 0) + " [" + digits.Fixed(float64(p.Low), 0) + ", " + digits.Fixed(float64(p.High), 0) + "]", placesText(p.Best, p.Worst), fmt.Sprint(p.Matches), fmt.Sprint(p.Forfeits)}
			share := func(n int64) string {
				if f.Hands == 0 {
					return "-"
				}
				return digits.Fixed(100*float64(n)/float64(f.Hands), 1) + "%"
			}
			time := "-"
			if f.Timed > 0 {
				time = digits.Fixed(float64(f.Nanoseconds)/float64(f.Timed)/1e6, 3)
			}
			n := float64(f.Matches)
			style.Rows = append(style.Rows, page.Row{Label: s.names[b.ID], Cells: []string{
				fmt.Sprint(f.Hands), share(f.Wins), share(f.SelfDraws), share(f.DealIns), share(f.Readies), share(f.Calls),
				digits.Fixed(float64(f.Points)/n/unit, 1), digits.Fixed(float64(f.Placement)/n/ruleset.PlacementUnit, 2), time,
			}})
			if len(lines) < 5 {
				lines = append(lines, s.seriesOf(b.ID, len(lines) == 0))
			}
		}
		retired := b.Retired
		if retired == "" {
			retired = "plays"
		}
		cells = append(cells, b.Added, retired)
		if !s.o.Anonymous {
			cells = append(cells, b.Fingerprint[:16])
		}
		table.Rows = append(table.Rows, page.Row{Label: s.names[b.ID], Cells: cells})
	}
	newest := &versions[0]
	data := map[string]any{"Versions": table, "Style1": style, "Against": s.against(newest, x), "Chart": newChart("Rating as matches were added", "matches", lines), "Figures": s.figures(standing[newest.ID])}
	if len(style.Rows) == 0 {
		data["Style1"] = (*page.Table)(nil)
	}
	return s.execute(w, "bot", botFile(id), s.names[newest.ID], []string{s.about(newest)}, data)
}

// figures returns the figures at the top of the page of a bot. p is nil without a place.
func (s *Site) figures(p *Standing) []figure {
	if p == nil || p.figures == nil {
		return []figure{{"matches of the season", "0"}}
	}
	return []figure{
		{"rating", digits.Fixed(float64(p.Rating), 0)},
		{"95 % interval", intervalText(p.Low, p.High)},
		{"places", placesText(p.Best, p.Worst)},
		{"matches", fmt.Sprint(p.Matches)},
		{"first", digits.Fixed(100*p.Places[0], 1) + "%"},
		{"last", digits.Fixed(100*p.Places[len(p.Places)-1], 1) + "%"},
		{"forfeits", fmt.Sprint(p.Forfeits)},
	}
}

// against returns the results of a bot against the others, nil if it has not played.
func (s *Site) against(b *Bot, x *Standings) *page.Table {
	own, ok := x.index[b.ID]
	if !ok {
		return nil
	}
	t := &page.Table{Title: "against the others", Head: []string{"opponent", "ahead", "duplicate sets", "rating"}}
	for i := range x.Bots {
		o := &x.Bots[i]
		if o.bot.ID == b.ID || o.figures == nil {
			continue
		}
		share, deviation, sets := s.heads.share(own, x.index[o.bot.ID])
		if sets == 0 {
			continue
		}
		t.Rows = append(t.Rows, page.Row{Label: s.names[o.bot.ID], Cells: []string{
			fmt.Sprintf("%s%% [%s, %s]", digits.Fixed(100*share, 1), digits.Fixed(100*max(0, share-z*deviation), 1), digits.Fixed(100*min(1, share+z*deviation), 1)),
			fmt.Sprintf("%.0f", sets), digits.Fixed(float64(o.Rating), 0),
		}})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// headCell is a pair of bots in the matrix.
type headCell struct {
	Text, Title string
	Shade       template.CSS
}

// headPage writes who finishes ahead of whom.
func (s *Site) headPage(w io.Writer) error {
	pages, err := s.league.pages(context.Background())
	if err != nil {
		return err
	}
	type row struct {
		Place      int
		Name, Link string
		Cells      []headCell
	}
	x := s.current()
	var rows []row
	for i := range x.Bots {
		a := &x.Bots[i]
		if a.figures == nil {
			break
		}
		r := row{Place: i + 1, Name: s.names[a.bot.ID], Link: pages[a.Name]}
		for j := range x.Bots {
			b := &x.Bots[j]
			if b.figures == nil {
				break
			}
			share, deviation, sets := s.heads.share(x.index[a.bot.ID], x.index[b.bot.ID])
			if i == j || sets == 0 {
				r.Cells = append(r.Cells, headCell{Text: "–"})
				continue
			}
			color := "#1b9e5a"
			if share < 0.5 {
				color = "#c9503c"
			}
			r.Cells = append(r.Cells, headCell{
				Text:  digits.Fixed(100*share, 0),
				Title: fmt.Sprintf("%s ahead of %s in %s%% ± %s of %.0f duplicate sets", r.Name, s.names[b.bot.ID], digits.Fixed(100*share, 1), digits.Fixed(100*z*deviation, 1), sets),
				Shade: template.CSS(fmt.Sprintf("color-mix(in srgb, %s %.0f%%, transparent)", color, min(200*math.Abs(share-0.5), 60))),
			})
		}
		rows = append(rows, r)
	}
	return s.execute(w, "heads", headsFile, "Head to head", []string{x.Season.Title + ", " + x.Season.Name + ", in percent"}, map[string]any{"Rows": rows})
}

// openMatch returns a match of a round, and the names of its players.
func (s *Site) openMatch(m sampled) (*ruleset.Rules, *sim.Match, [sim.NumPlayers]string, [sim.NumPlayers]sim.Agent, error) {
	var names [sim.NumPlayers]string
	var players [sim.NumPlayers]sim.Agent
	d, err := dataset.Open(s.league.roundDir(m.round))
	if err != nil {
		return nil, nil, names, players, err
	}
	match, err := d.Match(m.index)
	if err != nil {
		return nil, nil, names, players, err
	}
	bots, err := s.league.Bots(context.Background())
	if err != nil {
		return nil, nil, names, players, err
	}
	rules := d.Rules()
	for p, agent := range match.Agents[:rules.NumSeats()] {
		label := d.Run.Agents[agent]
		b := find(bots, label)
		for i := range bots {
			if b == nil && bots[i].Agent == label {
				b = &bots[i]
			}
		}
		if b == nil {
			return nil, nil, names, players, fmt.Errorf("round %d has an unknown bot", m.round)
		}
		names[p], players[p] = s.names[b.ID], agents.Quick(b.Agent)
	}
	return rules, match, names, players, nil
}

// replay writes the replay of a match.
func (s *Site) replay(ctx context.Context, w io.Writer, m sampled) error {
	var season int64
	if err := s.league.db.QueryRowContext(ctx, `SELECT season FROM rounds WHERE id = ? AND state = ?`, m.round, counted).Scan(&season); err != nil {
		return ErrNoPage
	}
	rules, match, names, players, err := s.openMatch(m)
	if errors.Is(err, dataset.ErrNoMatch) {
		return ErrNoPage
	} else if err != nil {
		return err
	}
	return viewer.Write(w, rules, match, names, players, nil)
}

// matchPage writes the list of the matches with a replay.
func (s *Site) matchPage(ctx context.Context, w io.Writer) error {
	type row struct{ Text, Link, Players string }
	var rows []row
	for _, m := range s.sample {
		r := row{Text: fmt.Sprintf("round %d, match %d", m.round, m.index), Link: m.name()}
		rules, _, names, _, err := s.openMatch(m)
		if err != nil {
			return err
		}
		r.Players = strings.Join(names[:rules.NumSeats()], " · ")
		rows = append(rows, r)
	}
	text := fmt.Sprintf("%d of %d matches of the season, drawn at random by the seed of the league.", len(rows), s.current().Matches)
	return s.execute(w, "matches", matchesFile, "Matches", []string{s.current().Season.Title + ", " + s.current().Season.Name}, map[string]any{"Rows": rows, "Sample": text})
}

// testPage writes the tests with their charts.
func (s *Site) testPage(w io.Writer) error {
	type test struct {
		Title, Verdict, About string
		Chart                 *chart
	}
	var list []test
	for i := range slices.Backward(s.tests) {
		r := &s.tests[i]
		t := test{
			Title:   fmt.Sprintf("%s against %s", s.names[r.New], s.names[r.Old]),
			Verdict: r.Sentence(s.names[r.New], s.names[r.Old]), About: r.About(),
		}
		line := series{name: "log-likelihood ratio", x: []float64{0}, y: []float64{0}}
		var bounds []float64
		for _, e := range r.Course {
			if e.LogRatio.Known() {
				line.x, line.y = append(line.x, float64(e.Matches)), append(line.y, float64(e.LogRatio))
				bounds = []float64{e.Lower, e.Upper}
			}
		}
		t.Chart = newChart("The log-likelihood ratio as matches were added; dashed lines are its bounds", "matches", []series{line}, bounds...)
		list = append(list, t)
	}
	return s.execute(w, "tests", testsFile, "Tests", nil, map[string]any{"Tests": list})
}

// feed writes the standings as JSON.
func (s *Site) feed(w io.Writer) error {
	type entry struct {
		Standing
		Page string `json:"page"`
	}
	type season struct {
		*Standings
		Bots []entry `json:"bots"`
	}
	pages, err := s.league.pages(context.Background())
	if err != nil {
		return err
	}
	var list []season
	for _, x := range slices.Backward(s.seasons) {
		e := season{Standings: x, Bots: []entry{}}
		for _, b := range x.Bots {
			link := pages[b.Name]
			if s.o.Anonymous {
				b.Name, b.Author = strings.TrimSuffix(s.names[b.bot.ID], fmt.Sprintf(" %d", b.Version)), ""
			}
			e.Bots = append(e.Bots, entry{b, link})
		}
		list = append(list, e)
	}
	j := json.NewEncoder(w)
	j.SetIndent("", " ")
	return j.Encode(map[string]any{"format": "sparrowhall league 1", "seasons": list})
}
