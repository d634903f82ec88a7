package league

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/pages/viewer"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Matches have replays: a sample of them, drawn by the seed of the league, in a static site, any
// of them in a served one.

// replayKey identifies a match with a replay.
type replayKey struct {
	round int64
	index uint64
}

func (m replayKey) file() string { return fmt.Sprintf("match-%d-%d.html", m.round, m.index) }

func (s *Site) sampleReplays(ctx context.Context) error {
	all, err := s.league.rounds(ctx, counted)
	if err != nil {
		return err
	}
	type round struct{ id, matches, end int64 }
	var rounds []round
	total := int64(0)
	for _, r := range all {
		if r.season == s.league.season.ID && r.engine == engineVersion {
			total += r.matches
			rounds = append(rounds, round{r.id, r.matches, total})
		}
	}
	for i := 0; len(s.replays) < min(s.o.Replays, int(total)); i++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "sparrowhall league replay %d %d", s.league.seed, i))
		n := int64(binary.LittleEndian.Uint64(sum[:]) % uint64(total))
		k := slices.IndexFunc(rounds, func(r round) bool { return n < r.end })
		first := uint64(0)
		if d, err := dataset.Open(s.league.roundDir(rounds[k].id)); err == nil {
			first = d.First()
		}
		m := replayKey{rounds[k].id, first + uint64(n-rounds[k].end+rounds[k].matches)}
		if !slices.Contains(s.replays, m) {
			s.replays = append(s.replays, m)
		}
	}
	slices.SortFunc(s.replays, func(a, b replayKey) int {
		return cmp.Or(cmp.Compare(b.round, a.round), cmp.Compare(a.index, b.index))
	})
	return nil
}

func (s *Site) matchPage(ctx context.Context, w io.Writer) error {
	type row struct {
		Text          findings.Text
		Link, Players string
	}
	var rows []row
	for _, m := range s.replays {
		r, err := s.openReplay(ctx, m)
		if err != nil {
			return err
		}
		rows = append(rows, row{findings.NewText("league.round", m.round, m.index), m.file(), strings.Join(r.names[:r.rules.NumSeats()], " · ")})
	}
	text := findings.NewText("league.sample", len(rows), s.currentSeason().Matches)
	return s.writePage(w, "matches", matchesFile, findings.NewText("title.Matches"), []findings.Text{findings.PlainText(s.currentSeason().title())}, map[string]any{"Rows": rows, "Sample": text})
}

// replay is a match of a round with its players.
type replay struct {
	rules   *ruleset.Rules
	match   *sim.Match
	names   [sim.NumPlayers]string
	players [sim.NumPlayers]sim.Agent // nil for all but quick ones
}

func (s *Site) openReplay(ctx context.Context, m replayKey) (r replay, err error) {
	d, err := dataset.Open(s.league.roundDir(m.round))
	if err != nil {
		return r, err
	}
	r.rules = d.Rules()
	if r.match, err = d.Match(m.index); err != nil {
		return r, err
	}
	bots, err := s.league.Bots(ctx)
	if err != nil {
		return r, err
	}
	ids, err := s.league.roundBots(ctx, m.round, d)
	if err != nil {
		return r, err
	}
	for p, agent := range r.match.Agents[:r.rules.NumSeats()] {
		b := findID(bots, ids[agent])
		if b == nil {
			return r, fmt.Errorf("round %d has an unknown bot", m.round)
		}
		r.names[p], r.players[p] = s.names[b.ID], agents.Quick(b.Agent)
	}
	return r, nil
}

func (s *Site) writeReplay(ctx context.Context, w io.Writer, m replayKey) error {
	var id int64
	if err := s.league.db.QueryRowContext(ctx, `SELECT id FROM rounds WHERE id = ? AND state = ?`, m.round, counted).Scan(&id); err != nil {
		return ErrNoPage
	}
	r, err := s.openReplay(ctx, m)
	if errors.Is(err, dataset.ErrNoMatch) {
		return ErrNoPage
	} else if err != nil {
		return err
	}
	return viewer.Write(w, r.rules, r.match, r.names, r.players, nil)
}
