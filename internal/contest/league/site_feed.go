package league

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// The feed is for feed readers and programs: news, and the standings of all seasons.

// feed is a JSON Feed. The version comes first.
type feed struct {
	Version string         `json:"version"`
	Title   string         `json:"title"`
	Items   []feedItem     `json:"items"`
	League  map[string]any `json:"_sparrowhall"`
}

// feedItem is an item of a JSON Feed.
type feedItem struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	Text      string `json:"content_text"`
	Published string `json:"date_published"`
}

// feed writes news of the league as a JSON Feed, with the standings as an extension of it.
// Source: https://www.jsonfeed.org/version/1.1/.
func (s *Site) feed(w io.Writer) error {
	type entry struct {
		Standing
		Page string `json:"page"`
	}
	type season struct {
		*Standings
		Bots []entry `json:"bots"`
	}
	var list []season
	for _, x := range slices.Backward(s.seasons) {
		e := season{Standings: x, Bots: []entry{}}
		for _, b := range x.Bots {
			link := s.links[b.Name]
			if s.o.Anonymous {
				b.Name, b.Author = strings.TrimSuffix(s.names[b.bot.ID], fmt.Sprintf(" %d", b.Version)), ""
			}
			e.Bots = append(e.Bots, entry{b, link})
		}
		list = append(list, e)
	}
	j := json.NewEncoder(w)
	j.SetIndent("", " ")
	return j.Encode(feed{
		Version: "https://jsonfeed.org/version/1.1", Title: s.currentSeason().Season.Title, Items: s.news(),
		League: map[string]any{"format": "sparrowhall league 1", "seasons": list},
	})
}

// news returns the seasons, versions of bots and tests, the newest first.
func (s *Site) news() []feedItem {
	items := []feedItem{}
	add := func(id, date, title, text string) {
		items = append(items, feedItem{id, title, text, date + "T00:00:00Z"})
	}
	for _, x := range s.seasons {
		add(fmt.Sprintf("season-%d", x.Season.ID), x.Season.Began, x.Season.Title, fmt.Sprintf("A season of %s begins.", x.Season.Name))
	}
	for i := range s.bots {
		b := &s.bots[i]
		add(fmt.Sprintf("bot-%d", b.ID), b.Added, s.names[b.ID], s.names[b.ID]+" joins the league.")
	}
	for i := range s.tests {
		r := &s.tests[i]
		add(fmt.Sprintf("test-%d", r.ID), r.Ended, fmt.Sprintf("%s against %s", s.names[r.New], s.names[r.Old]), r.Summary(s.names[r.New], s.names[r.Old]).String())
	}
	slices.SortStableFunc(items, func(a, b feedItem) int { return strings.Compare(b.Published, a.Published) })
	return items
}
