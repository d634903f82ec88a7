package league

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/matchluck"
	"github.com/sparrowhall/sparrowhall/internal/contest/strength"
	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/sim"
)

// The states of a round in the database.
const (
	playing   = "playing"   // its dataset is not complete, or not counted
	counted   = "counted"   // its results are in the database
	inherited = "inherited" // counted in the league of which this one is a fork
	abandoned = "abandoned" // a bot could not play; nothing of it counts
)

// storedRound is a round of the database.
type storedRound struct {
	id, season, engine, matches int64
	state, ruleset, digest      string
}

func (l *League) rounds(ctx context.Context, states ...string) ([]storedRound, error) {
	list, err := queryAll(ctx, l.db, func(r *storedRound) []any {
		return []any{&r.id, &r.season, &r.engine, &r.matches, &r.state, &r.ruleset, &r.digest}
	}, `SELECT r.id, r.season, r.engine, r.matches, r.state, s.ruleset, coalesce(r.digest, '') FROM rounds r JOIN seasons s ON s.id = r.season ORDER BY r.id`)
	for _, r := range list {
		if r.digest == "" && (r.state == counted || r.state == inherited) {
			err = errors.Join(err, fmt.Errorf("%s is damaged: round %d counts without the digest of its dataset; restore a backup", databaseName, r.id))
		}
	}
	return slices.DeleteFunc(list, func(r storedRound) bool { return !slices.Contains(states, r.state) }), err
}

// figures are the sums of a bot over the matches of a round, a match counted once for each of
// its seats.
type figures struct {
	Matches                                         int64
	Places                                          [sim.NumPlayers]int64
	Points, Placement                               int64 // in units of the ruleset, in 1/ruleset.PlacementUnit
	Hands, Wins, SelfDraws, DealIns, Readies, Calls int64
	Decisions, Forfeits                             int64
	// Timed is the number of decisions whose time is known, Nanoseconds their sum.
	Timed, Nanoseconds int64
}

func (f *figures) add(r *schema.MatchRow) {
	f.Matches++
	f.Places[r.Rank-1]++
	f.Points += int64(r.Points)
	f.Placement += int64(r.Placement)
	f.Hands += int64(r.Hands)
	f.Wins += int64(r.Wins)
	f.SelfDraws += int64(r.SelfDraws)
	f.DealIns += int64(r.DealIns)
	f.Readies += int64(r.Readies)
	f.Calls += int64(r.Calls)
	f.Decisions += int64(r.Decisions)
	if r.Forfeited {
		f.Forfeits++
	}
}

// setResult is a duplicate set of a round.
type setResult struct {
	number   int64
	identity int64 // of its walls and lineup
	results  []byte
}

// recordBytes is the size of the result of a player in a match: the id of the bot, the rank,
// the luck as a float32.
const recordBytes = 4 + 1 + 4

func appendResult(dst []byte, bot int64, rank uint8, luck float32) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(bot))
	dst = append(dst, rank)
	return binary.LittleEndian.AppendUint32(dst, math.Float32bits(luck))
}

// results are the results of a dataset.
type results struct {
	sets    []setResult
	figures map[int64]*figures // by bot
	matches int64
	digest  string // of the manifest
}

// readResults reads the results of a dataset, whose agents are bots in their order, with the luck
// of each match where it is not nil.
func readResults(d *dataset.Dataset, bots []Bot, lucks []matchluck.Match) (*results, error) {
	r := &results{figures: map[int64]*figures{}, digest: d.Digest()}
	schedule := d.Run.Tournament
	for rows, err := range d.MatchesByRows() {
		if err != nil {
			return nil, err
		}
		index := rows[0].Match
		set, _ := schedule.Schedule.SetAndSeating(index)
		if n := len(r.sets); n == 0 || r.sets[n-1].number != int64(set) {
			seed, lineup := schedule.Schedule.Match(set * uint64(schedule.Schedule.Plan.Seatings))
			var ids []int64
			for _, agent := range lineup[:schedule.Schedule.NumSeats()] {
				ids = append(ids, bots[agent].ID)
			}
			r.sets = append(r.sets, setResult{number: int64(set), identity: identity(seed, ids)})
		}
		s := &r.sets[len(r.sets)-1]
		for p := range rows {
			bot := bots[rows[p].Agent].ID
			f := r.figures[bot]
			if f == nil {
				f = &figures{}
				r.figures[bot] = f
			}
			f.add(&rows[p])
			value := float32(0)
			if lucks != nil {
				value = float32(float64(lucks[index-d.First()].Points[p]) / luck.Unit)
			}
			s.results = appendResult(s.results, bot, rows[p].Rank, value)
		}
		r.matches++
	}
	return r, nil
}

// measure returns the luck of the matches of a dataset, nil if the league does not measure it.
func (l *League) measure(ctx context.Context, d *dataset.Dataset, workers int) ([]matchluck.Match, error) {
	if l.luck == NoLuck {
		return nil, nil
	}
	return matchluck.Measure(ctx, d, l.luckOptions(workers))
}

// compareResults compares the results that are stored of a round with those of its dataset. Neither
// the times of decisions are compared, which only the league has, nor luck that was measured: another
// version of the program may have another value function.
func (l *League) compareResults(ctx context.Context, d *dataset.Dataset, round int64) error {
	if err := d.Run.Tournament.AddAll(d); err != nil {
		return err
	}
	// The agents of the dataset are numbered, since the bots that they were may have other names now:
	// bots[n] is what the first result of agent n says.
	numbers, bots := make([]Bot, len(d.Run.Agents)), make([]int64, len(d.Run.Agents))
	for n := range numbers {
		numbers[n].ID = int64(n)
	}
	want, err := readResults(d, numbers, nil)
	if err != nil {
		return err
	}
	stored, err := queryAll(ctx, l.db, func(s *setResult) []any { return []any{&s.number, &s.results} },
		`SELECT number, results FROM sets WHERE round = ? ORDER BY number`, round)
	if err != nil {
		return err
	}
	if len(stored) != len(want.sets) {
		return fmt.Errorf("%s has %d duplicate sets, its files have %d; restore a backup", databaseName, len(stored), len(want.sets))
	}
	for i, s := range stored {
		w := want.sets[i]
		same := s.number == w.number && len(s.results) == len(w.results)
		for at := 0; same && at < len(w.results); at += recordBytes {
			agent, bot := binary.LittleEndian.Uint32(w.results[at:]), int64(binary.LittleEndian.Uint32(s.results[at:]))
			if bots[agent] == 0 {
				bots[agent] = bot
			}
			same = bots[agent] == bot && s.results[at+4] == w.results[at+4] &&
				(l.luck != NoLuck || binary.LittleEndian.Uint32(s.results[at+5:]) == 0)
		}
		if !same {
			return fmt.Errorf("%s and its files have other results of duplicate set %d; restore a backup", databaseName, w.number)
		}
	}
	sums, err := l.sums(ctx, "f.round = ?", round)
	if err != nil {
		return err
	}
	for agent, f := range want.figures {
		s := sums[bots[agent]]
		if s != nil {
			f.Timed, f.Nanoseconds = s.Timed, s.Nanoseconds
		}
		if s == nil || *s != *f {
			return fmt.Errorf("%s and its files have other figures of bot %d; restore a backup", databaseName, bots[agent])
		}
	}
	if len(sums) != len(want.figures) {
		return fmt.Errorf("%s has figures of %d bots, its files of %d; restore a backup", databaseName, len(sums), len(want.figures))
	}
	return nil
}

// luckOptions returns how the luck of matches is measured.
func (l *League) luckOptions(workers int) matchluck.Options {
	return matchluck.Options{Fast: l.luck != StrongLuck, Player: agents.Quick, Workers: workers}
}

// identity returns a number of the walls and the lineup of a duplicate set, whatever the order
// of the seats. With 250,000 sets two differ with a probability above 1 - 10^-8.
func identity(seed uint64, bots []int64) int64 {
	h := sha256.New()
	slices.Sort(bots)
	_ = binary.Write(h, binary.LittleEndian, seed) // a hash returns no error
	_ = binary.Write(h, binary.LittleEndian, bots)
	return int64(binary.LittleEndian.Uint64(h.Sum(nil)) >> 1)
}

// errDuplicate is the error of results that the league has already.
var errDuplicate = errors.New("the league has these matches already")

// commitResults stores the results of a round: its duplicate sets, the sums of the bots, and its
// state.
func (l *League) commitResults(ctx context.Context, tx *sql.Tx, round int64, r *results) error {
	set, err := tx.PrepareContext(ctx, `INSERT INTO sets (round, number, identity, results) VALUES (?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer set.Close()
	known, err := tx.PrepareContext(ctx, `SELECT round FROM sets WHERE identity = ?`)
	if err != nil {
		return err
	}
	defer known.Close()
	for _, s := range r.sets {
		var other int64
		switch err := known.QueryRowContext(ctx, s.identity).Scan(&other); {
		case err == nil:
			return fmt.Errorf("%w: duplicate set %d is in round %d", errDuplicate, s.number, other)
		case !errors.Is(err, sql.ErrNoRows):
			return err
		}
		if _, err := set.ExecContext(ctx, round, s.number, s.identity, s.results); err != nil {
			return err
		}
	}
	for bot, f := range r.figures {
		_, err := tx.ExecContext(ctx, `INSERT INTO figures (round, bot, matches, first, second, third, fourth, points, placement, hands, wins,
			self_draws, deal_ins, readies, calls, decisions, forfeits, timed, nanoseconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			round, bot, f.Matches, f.Places[0], f.Places[1], f.Places[2], f.Places[3], f.Points, f.Placement, f.Hands, f.Wins,
			f.SelfDraws, f.DealIns, f.Readies, f.Calls, f.Decisions, f.Forfeits, f.Timed, f.Nanoseconds)
		if err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, `UPDATE rounds SET state = ?, digest = ?, matches = ?, ended = ? WHERE id = ?`, counted, r.digest, r.matches, l.date(), round)
	return err
}

// View selects the matches that are rated.
type View struct {
	// Season is the number of a season, 0 for the current one.
	Season int64
	// Engine is a version of the engine, 0 for that of this program.
	Engine int64
}

func (l *League) fillView(v View) View {
	return View{Season: cmp.Or(v.Season, l.season.ID), Engine: cmp.Or(v.Engine, engineVersion)}
}

// storedSet is a duplicate set as it is read from the database.
type storedSet struct {
	round    int64
	rankings []strength.Ranking // Agents are indices in a list of bots
}

// visitSets calls visit for the duplicate sets of a view in the order of their rounds. index
// has the number of each bot in the rankings by its id. The set is valid during the call of
// visit only.
func (l *League) visitSets(ctx context.Context, v View, index map[int64]uint8, visit func(storedSet) error) error {
	v = l.fillView(v)
	seats := l.seats()
	if v.Season != l.season.ID {
		seasons, err := l.Seasons(ctx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(seasons, func(s Season) bool { return s.ID == v.Season })
		if i < 0 {
			return fmt.Errorf("no season %d; the league has 1 to %d", v.Season, len(seasons))
		}
		rules, err := l.ruleset(ctx, seasons[i].Ruleset)
		if err != nil {
			return err
		}
		seats = rules.Config.Common().NumSeats()
	}
	rows, err := l.db.QueryContext(ctx, `SELECT s.round, s.results FROM rounds r JOIN sets s ON s.round = r.id
		WHERE r.season = ? AND r.engine = ? AND r.state IN (?, ?) ORDER BY s.round, s.number`, v.Season, v.Engine, counted, inherited)
	if err != nil {
		return err
	}
	return visitRows(rows, seats, index, visit)
}

// visitRows calls visit for the duplicate sets of a query of rounds and results.
func visitRows(rows *sql.Rows, seats int, index map[int64]uint8, visit func(storedSet) error) error {
	defer rows.Close()
	var s storedSet
	for rows.Next() {
		var data sql.RawBytes
		if err := rows.Scan(&s.round, &data); err != nil {
			return err
		}
		if err := s.decode(data, seats, index); err != nil {
			return err
		}
		if err := visit(s); err != nil {
			return err
		}
	}
	return rows.Err()
}

// decode reads the results of a duplicate set.
func (s *storedSet) decode(data []byte, seats int, index map[int64]uint8) error {
	if len(data) == 0 || len(data)%(seats*recordBytes) != 0 {
		return fmt.Errorf("%s is damaged: results of %d bytes in round %d; restore a backup", databaseName, len(data), s.round)
	}
	s.rankings = s.rankings[:0]
	for len(data) > 0 {
		m := strength.Ranking{Seats: uint8(seats)}
		for p := range seats {
			bot, ok := index[int64(binary.LittleEndian.Uint32(data))]
			if !ok || data[4] < 1 || int(data[4]) > seats {
				return fmt.Errorf("%s is damaged: an unknown bot or rank in round %d; restore a backup", databaseName, s.round)
			}
			m.Agents[p], m.Ranks[p] = bot, data[4]
			m.Luck[p] = math.Float32frombits(binary.LittleEndian.Uint32(data[5:]))
			data = data[recordBytes:]
		}
		s.rankings = append(s.rankings, m)
	}
	return nil
}

// viewSums returns the sums of the bots over the rounds of a view.
func (l *League) viewSums(ctx context.Context, v View) (map[int64]*figures, error) {
	v = l.fillView(v)
	return l.sums(ctx, "r.season = ? AND r.engine = ? AND r.state IN (?, ?)", v.Season, v.Engine, counted, inherited)
}

// sums returns the sums of the bots over the rounds that fulfill a condition.
func (l *League) sums(ctx context.Context, condition string, args ...any) (map[int64]*figures, error) {
	type row struct {
		figures
		bot int64
	}
	list, err := queryAll(ctx, l.db, func(f *row) []any {
		return []any{
			&f.bot, &f.Matches, &f.Places[0], &f.Places[1], &f.Places[2], &f.Places[3], &f.Points, &f.Placement, &f.Hands, &f.Wins,
			&f.SelfDraws, &f.DealIns, &f.Readies, &f.Calls, &f.Decisions, &f.Forfeits, &f.Timed, &f.Nanoseconds,
		}
	}, `SELECT bot, sum(f.matches), sum(first), sum(second), sum(third), sum(fourth), sum(points), sum(placement),
		sum(hands), sum(wins), sum(self_draws), sum(deal_ins), sum(readies), sum(calls), sum(decisions), sum(forfeits), sum(timed), sum(nanoseconds)
		FROM figures f JOIN rounds r ON r.id = f.round WHERE `+condition+` GROUP BY bot`, args...)
	all := map[int64]*figures{}
	for i := range list {
		all[list[i].bot] = &list[i].figures
	}
	return all, err
}

// countOtherEngines returns the number of matches of a season that other versions of the engine
// played.
func (l *League) countOtherEngines(ctx context.Context, v View) (n int64, err error) {
	v = l.fillView(v)
	err = l.db.QueryRowContext(ctx, `SELECT coalesce(sum(matches), 0) FROM rounds WHERE season = ? AND engine <> ? AND state IN (?, ?)`,
		v.Season, v.Engine, counted, inherited).Scan(&n)
	return n, err
}
