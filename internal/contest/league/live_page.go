package league

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/contest/live"
)

// maxQueue is the most lineups of the queue on the page.
const maxQueue = 20

// livePage writes the running matches and the queue. Of another process it shows the plan of the
// open round.
func (s *Site) livePage(ctx context.Context, w io.Writer) error {
	type row struct{ Text, Note string }
	running, queue := s.o.Live.Snapshot()
	planned := false
	if len(running) == 0 && len(queue) == 0 {
		r, err := s.league.openRound(ctx)
		if err != nil {
			return err
		}
		if planned = r != nil; planned {
			queue = r.queue(s.league.seats())
		}
	}
	queue = combineLineups(queue)
	var matches, waiting []row
	for _, r := range running {
		text := row{Text: s.players(r.Bots), Note: "for " + time.Since(r.Since).Truncate(time.Second).String()}
		if r.Round > 0 {
			text.Note = fmt.Sprintf("round %d, match %d, %s", r.Round, r.Index, text.Note)
		}
		matches = append(matches, text)
	}
	more := max(0, len(queue)-maxQueue)
	for _, q := range queue[:len(queue)-more] {
		waiting = append(waiting, row{s.players(q.Bots), fmt.Sprint(q.Matches)})
	}
	return s.writePage(w, "live", liveFile, "Now", []string{s.currentSeason().title()},
		map[string]any{"Running": matches, "Queue": waiting, "More": more, "Planned": planned})
}

// combineLineups returns a queue in which each lineup occurs once, where it is first.
func combineLineups(queue []live.Lineup) (list []live.Lineup) {
	for _, q := range queue {
		bots := slices.Sorted(slices.Values(q.Bots))
		i := slices.IndexFunc(list, func(o live.Lineup) bool { return slices.Equal(o.Bots, bots) })
		if i < 0 {
			i = len(list)
			list = append(list, live.Lineup{Bots: bots})
		}
		list[i].Matches += q.Matches
	}
	return list
}

func (s *Site) players(bots []int64) string {
	var names []string
	for _, id := range bots {
		name, ok := s.names[id]
		if !ok { // it joined after the site was read
			name = "a new bot"
		}
		names = append(names, name)
	}
	return strings.Join(names, " · ")
}
