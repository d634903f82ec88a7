package league

import (
	"context"
	"io"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
)

// livePage writes the running matches and how many wait. Of another process it shows the plans of
// the open rounds. It names no player: a bot that reads the page must not learn who sits at its
// table, or at the next, before the match has ended.
func (s *Site) livePage(ctx context.Context, w io.Writer) error {
	type row struct {
		Table, Players int
		Since          time.Duration
	}
	running, waiting := s.o.Live.Snapshot()
	planned := false
	if len(running) == 0 && waiting == 0 {
		open, err := s.league.openRounds(ctx)
		if err != nil {
			return err
		}
		planned = len(open) > 0
		for _, r := range open {
			waiting += r.matches(s.league.seats())
		}
	}
	var matches []row
	for i, r := range running {
		matches = append(matches, row{i + 1, len(r.Bots), time.Since(r.Since).Truncate(time.Second)})
	}
	var wait *findings.Text
	if waiting > 0 {
		wait = new(findings.Count(waiting, "waiting"))
	}
	return s.writePage(w, "live", LiveFile, findings.NewText("title.Now"), []findings.Text{findings.PlainText(s.currentSeason().title())},
		map[string]any{"Running": matches, "Waiting": wait, "Planned": planned})
}
