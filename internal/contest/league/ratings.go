package league

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/contest/strength"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

// Standings are the bots of a league with their ratings.
type Standings struct {
	Season Season `json:"season"`
	// Engine is the version of the engine that played.
	Engine int64 `json:"engine_version"`
	// Matches and Sets are the numbers of matches and duplicate sets that count, OtherEngines
	// the number of matches of the season that other versions of the engine played.
	Matches      int   `json:"matches"`
	Sets         int   `json:"duplicate_sets"`
	OtherEngines int64 `json:"matches_of_other_engines"`
	// Explained is the part of the variance of results that luck explains, 0 if ratings are
	// not luck-adjusted.
	Explained float64 `json:"explained_by_luck"`
	// Bots is in the order of the ratings. Bots without matches are last.
	Bots []Standing `json:"bots"`

	ratings *strength.Ratings // nil without matches
	index   map[int64]uint8   // of a bot in ratings
}

// Standing is the place of a version of a bot.
type Standing struct {
	// Name to Added are those of the [Bot].
	Name    string `json:"name"`
	Version int64  `json:"version"`
	Author  string `json:"author,omitempty"`
	Retired string `json:"retired,omitempty"`
	Added   string `json:"added"`
	// Rating is in Elo points; that of the anchor is [AnchorRating]. It is missing without
	// matches. Low and High are its 95 % interval, missing below [strength.LeastSets]
	// duplicate sets.
	Rating interval.Number `json:"rating"`
	Low    interval.Number `json:"low"`
	High   interval.Number `json:"high"`
	// Sets is the number of duplicate sets in which the bot played.
	Sets int `json:"duplicate_sets"`
	// Best and Worst are the first and the last place that the bot may have, if ratings that
	// do not differ at the 5 % level may be in any order. A bot without an interval has no place.
	Best  int `json:"best_place,omitempty"`
	Worst int `json:"worst_place,omitempty"`
	// Group is the same for neighbors that cannot be distinguished from the first of them at the
	// 5 % level, corrected for all pairs; from 1, 0 without a place.
	Group    int   `json:"group,omitempty"`
	Matches  int64 `json:"matches"`
	Forfeits int64 `json:"forfeits"`
	// Places are the shares of the places from the first to the last.
	Places []float64 `json:"places,omitempty"`

	bot     *Bot
	figures *figures // nil without matches
}

// pool is the matches of a view with the bots that played them.
type pool struct {
	matches *strength.Pool
	bots    []Bot // all of the league
	members []int // the place in bots of each agent of the pool
	index   map[int64]uint8
}

// newPool returns the pool of the bots that have matches in a view or have not retired. The
// matches are still to be added; the sums of the bots are returned too.
func (l *League) newPool(ctx context.Context, v View) (*pool, map[int64]*figures, error) {
	bots, err := l.Bots(ctx)
	if err != nil {
		return nil, nil, err
	}
	sums, err := l.viewSums(ctx, v)
	if err != nil {
		return nil, nil, err
	}
	p := &pool{bots: bots, index: map[int64]uint8{}}
	for i := range bots {
		if b := &bots[i]; sums[b.ID] != nil || b.Retired == "" {
			if len(p.members) == strength.MaxPool {
				return nil, nil, fmt.Errorf("more than %d bots in a season; begin a new season, or retire some", strength.MaxPool)
			}
			p.index[b.ID] = uint8(len(p.members))
			p.members = append(p.members, i)
		}
	}
	p.matches, err = strength.NewPool(len(p.members))
	return p, sums, err
}

// Standings returns the standings of a view.
func (l *League) Standings(ctx context.Context, v View) (*Standings, error) {
	p, sums, err := l.newPool(ctx, v)
	if err != nil {
		return nil, err
	}
	if err := l.visitSets(ctx, v, p.index, func(s storedSet) error {
		p.matches.Add(p.matches.Sets(), s.rankings)
		return nil
	}); err != nil {
		return nil, err
	}
	return l.rate(ctx, v, p, sums)
}

func (l *League) rate(ctx context.Context, v View, p *pool, sums map[int64]*figures) (*Standings, error) {
	w := l.fillView(v)
	s := &Standings{Engine: w.Engine, Matches: p.matches.Matches(), Sets: p.matches.Sets(), index: p.index}
	seasons, err := l.Seasons(ctx)
	if err != nil {
		return nil, err
	}
	for _, season := range seasons {
		if season.ID == w.Season {
			s.Season = season
		}
	}
	if s.OtherEngines, err = l.countOtherEngines(ctx, v); err != nil {
		return nil, err
	}
	anchor := -1
	if i, ok := p.index[l.anchor]; ok && sums[l.anchor] != nil {
		anchor = int(i)
	}
	if s.Matches > 0 {
		if s.ratings, err = p.matches.Fit(); err != nil {
			return nil, err
		}
		s.Explained = s.ratings.Explained
	}
	for i, at := range p.members {
		b := &p.bots[at]
		x := Standing{
			Name: b.Name, Version: b.Version, Author: b.Author, Retired: b.Retired, Added: b.Added,
			Rating: interval.Missing, Low: interval.Missing, High: interval.Missing, bot: b, figures: sums[b.ID],
		}
		if f := x.figures; f != nil {
			x.Matches, x.Forfeits = f.Matches, f.Forfeits
			for _, n := range f.Places[:l.seats()] {
				x.Places = append(x.Places, float64(n)/float64(f.Matches))
			}
			x.Sets = s.ratings.Sets[i]
			rating, half := s.rating(i, anchor)
			x.Rating = interval.Number(rating)
			x.Low, x.High = interval.Around(rating, half)
		}
		s.Bots = append(s.Bots, x)
	}
	slices.SortStableFunc(s.Bots, func(a, b Standing) int {
		if ranked := a.ranked(); ranked != b.ranked() || !ranked {
			return cmp.Compare(b.Sets, a.Sets)
		}
		return cmp.Compare(b.Rating, a.Rating)
	})
	s.group()
	return s, nil
}

func (b *Standing) ranked() bool { return b.Low.Known() }

// rating returns the rating of an agent of the pool and the half-width of its interval, which is
// not a number where the agent has none. Without matches of the anchor the mean of all is
// [AnchorRating].
func (s *Standings) rating(agent, anchor int) (rating, half float64) {
	r := s.ratings
	if anchor < 0 {
		half, _ = r.Interval(agent, agent)
		return AnchorRating + r.Elo[agent], half
	}
	if half, _ = r.Interval(agent, anchor); agent == anchor && r.Sets[anchor] >= strength.LeastSets {
		half = 0 // the anchor has its rating by definition
	}
	return AnchorRating + r.Elo[agent] - r.Elo[anchor], half
}

// group sets the places and groups of the bots.
func (s *Standings) group() {
	n := 0
	for n < len(s.Bots) && s.Bots[n].ranked() {
		n++
	}
	// Of bots i < j at j*(j-1)/2+i.
	p := make([]float64, 0, n*n/2)
	for j := range n {
		for i := range j {
			p = append(p, s.ratings.P(int(s.index[s.Bots[i].bot.ID]), int(s.index[s.Bots[j].bot.ID])))
		}
	}
	// The first and the last of equal bots are many deviations apart, so that a line between them
	// would be common without a correction.
	adjusted := interval.Holm(p, slices.Repeat([]float64{1}, len(p)))
	const level = 1 - interval.Confidence
	first := 0
	for j := range s.Bots[:n] {
		b := &s.Bots[j]
		b.Best, b.Worst, b.Group = 1, n, 1
		for i := range s.Bots[:j] {
			if p[j*(j-1)/2+i] <= level {
				b.Best++
				s.Bots[i].Worst--
			}
		}
		if j == 0 {
			continue
		}
		if b.Group = s.Bots[j-1].Group; adjusted[j*(j-1)/2+first] <= level {
			b.Group++
			first = j
		}
	}
}

// Remarks returns sentences on bots whose results do not vary, on luck adjustment and on matches that
// do not count.
func (s *Standings) Remarks() (list []findings.Text) {
	var same []findings.Text
	for i := range s.Bots {
		if b := &s.Bots[i]; !b.ranked() && b.Sets >= strength.LeastSets {
			same = append(same, findings.PlainText(fmt.Sprintf("%s %d", sanitize.Line(b.Name), b.Version)))
		}
	}
	if len(same) > 0 {
		list = append(list, findings.NewText("league.same", same))
	}
	if s.Explained > 0 {
		list = append(list, findings.NewText("league.adjusted", digits.Fixed(100*s.Explained, 0)))
	}
	if s.OtherEngines > 0 {
		list = append(list, findings.NewText("league.engines", findings.Count(s.OtherEngines, "match")))
	}
	return list
}
