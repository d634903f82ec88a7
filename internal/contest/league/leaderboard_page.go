package league

import (
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/contest/strength"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
)

// The leaderboard has a row for each bot of a season, with its rating and places, and for the
// current season the ratings of the first bots as matches were added.

// boardRow is a bot on the leaderboard.
type boardRow struct {
	Place                            int
	StartsGroup, Ranked              bool
	Name, Link, Rating, Interval     string
	About                            findings.Text
	Places, Matches, First, Forfeits string
	Low, Width, Mark                 template.CSS // in percent of the bar
	Shares                           []template.CSS
	ShareText                        string
}

func (s *Site) leaderboard(w io.Writer, x *Standings, file string) error {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range x.Bots {
		if b := &x.Bots[i]; b.ranked() {
			low, high = min(low, float64(b.Low)), max(high, float64(b.High))
		}
	}
	// Half of the bots share half of the scale at least, however weak the last ones are.
	if n := len(x.Bots); n > 0 && x.Bots[n/2].ranked() {
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
			Place: i + 1, StartsGroup: i > 0 && b.Group != x.Bots[i-1].Group, Ranked: b.ranked(), Name: s.names[b.bot.ID], About: s.subtitle(b.bot), Link: s.links[b.Name],
			Rating: digits.Fixed(float64(b.Rating), 0), Interval: intervalText(b), Places: placesText(b),
			Matches: fmt.Sprint(b.Matches), First: digits.Fixed(100*b.Places[0], 1) + "%", Forfeits: fmt.Sprint(b.Forfeits),
		}
		if row.Ranked {
			row.Low, row.Mark = page.PercentCSS(100*(float64(b.Low)-low)/across), page.PercentCSS(100*(float64(b.Rating)-low)/across)
			row.Width = page.PercentCSS(100 * (float64(b.High) - max(float64(b.Low), low)) / across)
		}
		for k, share := range b.Places {
			row.Shares = append(row.Shares, page.PercentCSS(100*share))
			row.ShareText += fmt.Sprintf("%s %s%%  ", ordinals[k], digits.Fixed(100*share, 1))
		}
		rows = append(rows, row)
	}
	data := map[string]any{
		"Rows": rows, "Waiting": (*findings.Text)(nil), "Remarks": x.Remarks(), "Scale": findings.NewText("league.scale", s.names[s.league.anchor]),
		"Head": []string{"bot", "rating", "interval", "from, to", "places", "matches", "1st to last", "1st", "forfeits"}, "Chart": (*page.LineChart)(nil), "Seasons": []link(nil),
	}
	if len(waiting) > 0 {
		data["Waiting"] = new(findings.NewText("league.unplayed", strings.Join(waiting, ", ")))
	}
	title := findings.PlainText(x.Season.Title)
	facts := []findings.Text{findings.NewText("league.played", x.Season.Name, x.Season.Began, findings.Count(x.Matches, "match"), findings.Count(x.Sets, "set"), x.Engine)}
	if x == s.currentSeason() {
		data["Chart"] = s.boardChart()
		var seasons []link
		for i := range slices.Backward(s.seasons[:len(s.seasons)-1]) {
			old := s.seasons[i]
			seasons = append(seasons, link{Link: seasonFile(old.Season.ID), Text: findings.NewText("league.season", old.Season.Title, old.Season.Name, old.Season.Began, findings.Count(old.Matches, "match"))})
		}
		data["Seasons"] = seasons
	}
	return s.writePage(w, "board", file, title, facts, data)
}

// boardChart returns the history of the first bots.
func (s *Site) boardChart() *page.LineChart {
	var list []page.Series
	for i := range s.currentSeason().Bots {
		b := &s.currentSeason().Bots[i]
		if !b.ranked() || len(list) == 5 {
			break
		}
		list = append(list, s.seriesOf(b.bot.ID, len(list) == 0))
	}
	return page.NewLineChart("Ratings of the first five bots as matches were added", "matches", "Elo", list)
}

// ordinals are the places in words.
var ordinals = [...]string{"1st", "2nd", "3rd", "4th"}

// subtitle returns the line below the name of a bot.
func (s *Site) subtitle(b *Bot) findings.Text {
	var list []findings.Text
	if b.Author != "" && !s.o.Anonymous {
		list = append(list, findings.PlainText(b.Author))
	}
	list = append(list, findings.NewText("league.since", b.Added))
	if b.Retired != "" {
		list = append(list, findings.NewText("league.retired", b.Retired))
	}
	return findings.Text{Args: []any{list}}
}

func intervalText(b *Standing) string {
	if !b.ranked() {
		return fewSets(b)
	}
	return digits.Fixed(float64(b.Low), 0) + " to " + digits.Fixed(float64(b.High), 0)
}

// fewSets returns why a bot with matches has no interval.
func fewSets(b *Standing) string {
	if b.Sets >= strength.LeastSets {
		return "the same result in every duplicate set"
	}
	return fmt.Sprintf("%d of %s", b.Sets, digits.Count(strength.LeastSets, "duplicate set"))
}

// placesText returns the places that a bot may have.
func placesText(b *Standing) string {
	switch {
	case !b.ranked():
		return "-"
	case b.Best == b.Worst:
		return fmt.Sprint(b.Best)
	}
	return fmt.Sprintf("%d to %d", b.Best, b.Worst)
}

func ratingText(b *Standing) string {
	if !b.ranked() {
		return digits.Fixed(float64(b.Rating), 0) + ", " + fewSets(b)
	}
	return digits.Interval(float64(b.Rating), float64(b.Low), float64(b.High), 0)
}
