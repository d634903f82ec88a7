package league

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/contest/audit"
)

// Audit is the audit of a league.
type Audit struct {
	*audit.Report
	// Inherited is the number of matches that were left out: those of the league of which this
	// one is a fork, which has their datasets.
	Inherited int64 `json:"inherited_matches"`
	// Times are the rounds in which a bot took unusually long or short for its decisions.
	Times []UnusualTime `json:"times"`
}

// UnusualTime is a round in which a bot took more than three times, or less than a third, of
// its usual time, and the two are at least 10 ms apart.
type UnusualTime struct {
	Bot   string `json:"bot"`
	Round int64  `json:"round"`
	// Milliseconds is the mean wall time of a decision, Usual the median over the rounds.
	Milliseconds float64 `json:"milliseconds"`
	Usual        float64 `json:"usual_milliseconds"`
}

// Audit compares how the bots treat each other in the matches of a view, and lists the seats and
// times at which their results or decisions are unusual.
func (l *League) Audit(ctx context.Context, v View, workers int) (*Audit, error) {
	v = l.fillView(v)
	bots, err := l.Bots(ctx)
	if err != nil {
		return nil, err
	}
	rounds, inherited, err := l.roundsOf(ctx, v)
	if err != nil {
		return nil, err
	}
	if len(rounds) == 0 {
		return nil, errors.New("no matches of the season are in this folder; league run plays some")
	}
	var names []string
	places := map[int64]int{} // in names, by bot
	var after audit.Place
	datasets := make([]*dataset.Dataset, len(rounds))
	numbers := make([][]int, len(rounds))
	for i, id := range rounds {
		if datasets[i], err = dataset.Open(l.roundDir(id)); err != nil {
			return nil, fmt.Errorf("round %d: %w", id, err)
		}
		players, err := l.roundBots(ctx, id, datasets[i])
		if err != nil {
			return nil, err
		}
		for _, bot := range players {
			k, ok := places[bot]
			if b := findID(bots, bot); !ok && b != nil {
				k = len(names)
				names, places[bot] = append(names, b.Label()), k
			}
			numbers[i] = append(numbers[i], k)
		}
	}
	a := audit.New(datasets[0].Rules(), names)
	for i, d := range datasets {
		if err := a.AddDataset(ctx, d, numbers[i], after, workers); err != nil {
			return nil, fmt.Errorf("round %d: %w", rounds[i], err)
		}
		after.Set, after.Match = after.Set+d.Run.Tournament.Schedule.Sets(), after.Match+d.Matches()
	}
	x := &Audit{Report: a.Report(), Inherited: inherited}
	x.Times, err = l.unusualTimes(ctx, v, bots)
	return x, err
}

// roundsOf returns the rounds of a view whose datasets are in this folder, and the number of the
// other matches of the view.
func (l *League) roundsOf(ctx context.Context, v View) (rounds []int64, others int64, err error) {
	all, err := l.rounds(ctx, counted, inherited)
	for _, r := range all {
		switch {
		case r.season != v.Season || r.engine != v.Engine:
		case r.state == counted:
			rounds = append(rounds, r.id)
		default:
			others += r.matches
		}
	}
	return rounds, others, err
}

// roundBots returns the ids of the agents of a round's dataset, by the results that were counted:
// a dataset that was merged names versions as its own league does.
func (l *League) roundBots(ctx context.Context, id int64, d *dataset.Dataset) ([]int64, error) {
	bots := make([]int64, len(d.Run.Agents))
	schedule := d.Run.Tournament
	rows, err := l.db.QueryContext(ctx, `SELECT number, results FROM sets WHERE round = ? ORDER BY number`, id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for slices.Contains(bots, 0) && rows.Next() {
		var set uint64
		var data sql.RawBytes
		if err := rows.Scan(&set, &data); err != nil {
			return nil, err
		}
		if schedule == nil || set >= schedule.Schedule.Sets() {
			return nil, fmt.Errorf("%s is damaged: round %d is not that of its dataset; restore a backup", databaseName, id)
		}
		if len(data) != schedule.Schedule.Plan.Seatings*schedule.Schedule.NumSeats()*recordBytes {
			continue // at the edge of a shard
		}
		_, lineup := schedule.Schedule.Match(set * uint64(schedule.Schedule.Plan.Seatings))
		for p, agent := range lineup[:schedule.Schedule.NumSeats()] {
			bots[agent] = int64(binary.LittleEndian.Uint32(data[p*recordBytes:]))
		}
	}
	return bots, rows.Err()
}

// Bounds of usual times.
const (
	leastTimed  = 100 // decisions of a round
	leastRounds = 5
	mostRatio   = 3
	leastGap    = 10 // milliseconds; smaller gaps come from the machine
)

// unusualTimes returns the rounds of a view with unusual times of decisions.
func (l *League) unusualTimes(ctx context.Context, v View, bots []Bot) (list []UnusualTime, err error) {
	type row struct {
		UnusualTime
		bot int64
	}
	rows, err := queryAll(ctx, l.db, func(r *row) []any { return []any{&r.bot, &r.Round, &r.Milliseconds} },
		`SELECT f.bot, f.round, f.nanoseconds / 1e6 / f.timed FROM figures f JOIN rounds r ON r.id = f.round
		WHERE r.season = ? AND r.engine = ? AND r.state = ? AND f.timed >= ? ORDER BY f.bot, f.round`, v.Season, v.Engine, counted, leastTimed)
	times := map[int64][]UnusualTime{} // of all rounds
	for _, r := range rows {
		times[r.bot] = append(times[r.bot], r.UnusualTime)
	}
	for i := range bots {
		all := times[bots[i].ID]
		if len(all) < leastRounds {
			continue
		}
		var sorted []float64
		for _, t := range all {
			sorted = append(sorted, t.Milliseconds)
		}
		slices.Sort(sorted)
		usual := sorted[len(sorted)/2]
		for _, t := range all {
			apart := t.Milliseconds > mostRatio*usual || t.Milliseconds*mostRatio < usual
			if apart && math.Abs(t.Milliseconds-usual) >= leastGap {
				t.Bot, t.Usual = bots[i].Label(), usual
				list = append(list, t)
			}
		}
	}
	return list, err
}
