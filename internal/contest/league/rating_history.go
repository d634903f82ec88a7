package league

import "github.com/sparrowhall/sparrowhall/internal/pages/page"

// The history of ratings is drawn as a line for each bot, with the interval as a band.

// moment is the ratings of the bots after a part of the matches.
type moment struct {
	matches int
	rating  map[int64][3]float64 // by bot: the rating and its interval
}

// historyParts is the number of moments in charts.
const historyParts = 10

func (s *Site) seriesOf(id int64, band bool) (x page.Series) {
	x.Name = s.names[id]
	for _, m := range s.history {
		r, ok := m.rating[id]
		if !ok {
			continue
		}
		x.X, x.Y = append(x.X, float64(m.matches)), append(x.Y, r[0])
		if band {
			x.Low, x.High = append(x.Low, r[1]), append(x.High, r[2])
		}
	}
	return x
}
