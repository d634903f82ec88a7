package league

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/analysis/matchluck"
	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/internal/contest/strength"
	"github.com/sparrowhall/sparrowhall/internal/export/seal"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestOptions describe a sequential test of whether a bot is stronger than another.
type TestOptions struct {
	// New and Old are the names of the bots, Elo0 and Elo1 the leads of New that are compared.
	New, Old   string
	Elo0, Elo1 float64
	// Alpha is the probability of accepting at Elo0, Beta that of rejecting at Elo1.
	Alpha, Beta float64
	// Rounds is the largest number of rounds of three duplicate sets, or two where three play.
	Rounds uint64
	// Run sets how matches are played, by Workers, Wrap and Played.
	Run RunOptions
}

// TestResult is a test that has ended.
type TestResult struct {
	// ID is its number, from 1.
	ID int64
	// New and Old are the ids of the bots.
	New, Old int64
	// Accept is what was tested.
	Accept dataset.Accept
	// Verdict is Open if the test ended undecided.
	Verdict strength.Verdict
	// Matches is the number of matches played.
	Matches uint64
	// Course has the evidence at each look.
	Course []strength.Look
	// Ended is a date.
	Ended string
	// sealed is the secret of its walls, nil for public ones.
	sealed *seal.Info
}

// Summary returns the verdict in words: accepted, rejected or undecided first. a and b are the
// names of the bots.
func (r *TestResult) Summary(a, b string) findings.Text {
	return strength.VerdictText(&r.Accept, r.Verdict, a, b, r.Matches)
}

// Details returns the hypotheses and error rates of the test, and where it ended.
func (r *TestResult) Details() findings.Text {
	text := findings.NewText("league.test", r.Accept.Elo0, r.Accept.Elo1, r.Accept.Alpha, r.Accept.Beta, findings.Count(r.Matches, "match"), r.Ended)
	if r.Accept.Luck {
		text = findings.NewText("league.test.luck", text)
	}
	if n := len(r.Course); n > 0 && r.Course[n-1].LogRatio.Known() {
		e := r.Course[n-1]
		hundredths := func(x float64) string { return fmt.Sprintf("%.2f", x) }
		text = findings.NewText("league.test.course", text, hundredths(float64(e.LogRatio)), hundredths(e.Lower), hundredths(e.Upper), findings.Count(e.Sets, "set"))
	}
	return findings.NewText("league.stop", text)
}

// Test plays two bots against each other until a sequential test decides. A test that was
// interrupted goes on. Its matches do not count in the ratings: a test ends when its result is
// extreme.
func (l *League) Test(ctx context.Context, o TestOptions) (*TestResult, error) {
	if err := l.Lock(); err != nil {
		return nil, err
	}
	a, err := l.bot(ctx, o.New)
	if err != nil {
		return nil, err
	}
	b, err := l.bot(ctx, o.Old)
	if err != nil {
		return nil, err
	}
	if a.ID == b.ID {
		return nil, fmt.Errorf("%s cannot be tested against itself", a.Label())
	}
	r := &TestResult{New: a.ID, Old: b.ID, Accept: dataset.Accept{
		A: 0, B: 1, Elo0: o.Elo0, Elo1: o.Elo1, Alpha: o.Alpha, Beta: o.Beta, Luck: l.luck != NoLuck, FastLuck: l.luck == FastLuck,
	}}
	if err := r.Accept.Check(2); err != nil {
		return nil, err
	}
	bots := []Bot{a, b}
	s := &session{league: l, o: &o.Run, leftOut: map[int64]bool{}}
	for i := range bots {
		if err := s.probe(ctx, &bots[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", bots[i].Label(), err)
		}
	}
	if err := l.openTest(ctx, r, o.Rounds); err != nil {
		return nil, err
	}
	run, err := l.testRun(r, bots, o.Rounds)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(l.dir, testsName, fmt.Sprintf("%08d", r.ID))
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	if err := s.playTest(ctx, dir, run, bots); err != nil {
		return nil, err
	}
	d, err := dataset.Open(dir)
	if err != nil {
		return nil, err
	}
	if r.Course, err = strength.TrialCourse(ctx, d, l.luckOptions(max(1, o.Run.Workers))); err != nil {
		return nil, err
	}
	r.Matches, r.Verdict, r.Ended = d.Matches(), r.Course[len(r.Course)-1].Verdict, l.date()
	course, err := json.Marshal(r.Course)
	if err != nil {
		return nil, err
	}
	return r, l.exec(ctx, `UPDATE tests SET verdict = ?, matches = ?, course = ?, ended = ? WHERE id = ?`, string(r.Verdict), r.Matches, string(course), r.Ended, r.ID)
}

// openTest sets the id of a test: the id of the same test if it was interrupted, or a new one.
func (l *League) openTest(ctx context.Context, r *TestResult, rounds uint64) error {
	// The same test that was interrupted has the same plan but for its seal.
	plan := map[string]any{"accept": r.Accept, "rounds": rounds}
	text, err := json.Marshal(plan)
	if err != nil {
		return err
	}
	return l.inTransaction(ctx, func(tx *sql.Tx) error {
		var begun []byte
		err := tx.QueryRowContext(ctx, `SELECT id, plan FROM tests WHERE ended = '' AND season = ? AND engine = ? AND new = ? AND old = ? AND json_remove(plan, '$.sealed') = ?`,
			l.season.ID, engineVersion, r.New, r.Old, string(text)).Scan(&r.ID, &begun)
		if err == nil {
			return json.Unmarshal(begun, &struct{ Sealed **seal.Info }{&r.sealed})
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if r.sealed = l.newSeal(); r.sealed != nil {
			plan["sealed"] = r.sealed
			if text, err = json.Marshal(plan); err != nil {
				return err
			}
		}
		result, err := tx.ExecContext(ctx, `INSERT INTO tests (season, engine, new, old, plan, verdict, matches, course) VALUES (?, ?, ?, ?, ?, '', 0, '[]')`,
			l.season.ID, engineVersion, r.New, r.Old, string(text))
		if err != nil {
			return err
		}
		r.ID, err = result.LastInsertId()
		return err
	})
}

func (l *League) testRun(r *TestResult, bots []Bot, rounds uint64) (*dataset.Run, error) {
	seats := l.seats()
	seed := l.deriveSeed("test", r.ID)
	schedule, err := arena.New(arena.Plan{Seats: seats, Seed: seed, Agents: 2, Selection: arena.EveryLineup, Repeats: true, Seatings: arena.Rotations(seats), Rounds: rounds})
	if err != nil {
		return nil, err
	}
	run := &dataset.Run{
		Ruleset: l.rules, Seed: seed, Matches: schedule.Matches(), Agents: []string{bots[0].Label(), bots[1].Label()}, Record: schema.Matches,
		FileMatches: dataset.DefaultFileMatches, Tournament: &dataset.Tournament{Schedule: schedule, Accept: &r.Accept},
	}
	if err := setSeal(run, r.sealed); err != nil {
		return nil, err
	}
	return run, run.Check()
}

func (s *session) playTest(ctx context.Context, dir string, run *dataset.Run, bots []Bot) error {
	c, err := strength.NewContest(run)
	if err != nil {
		return err
	}
	meter := s.league.luckOptions(1)
	if run.Tournament.Accept.Luck {
		if c.NewMeter, err = matchluck.NewMeters(run.Ruleset.Rules(), &meter); err != nil {
			return err
		}
	}
	newAgents := make([]func() sim.Agent, len(bots))
	for i := range bots {
		if newAgents[i], err = agents.New(s.o.startSpec(&bots[i])); err != nil {
			return err
		}
	}
	if c.Writer, err = dataset.Create(dir, run, false); err != nil {
		return err
	}
	if err := c.Load(ctx, dir, s.league.luckOptions(max(1, s.o.Workers))); err != nil {
		return errors.Join(err, c.Writer.Close())
	}
	job := &sim.Job{
		Rules: run.Ruleset.Rules(), Schedule: run.Schedule(), Workers: s.o.Workers, Sealed: run.Seal != nil,
		NewAgent: func(n int) sim.Agent { return newAgents[n]() },
		Overlap:  slices.ContainsFunc(bots, func(b Bot) bool { return agents.Overlaps(b.Agent) }),
	}
	persist := func(record func() error) error { return s.persist(ctx, record) }
	job.Journal = &journal{Journal: c.Writer.Journal(), o: s.o, bots: bots, persist: persist}
	return c.Play(ctx, job)
}

// Tests returns the tests that have ended, in their order.
func (l *League) Tests(ctx context.Context) (list []TestResult, err error) {
	type row struct {
		TestResult
		plan, course []byte
	}
	rows, err := queryAll(ctx, l.db, func(r *row) []any {
		return []any{&r.ID, &r.New, &r.Old, &r.plan, &r.Verdict, &r.Matches, &r.course, &r.Ended}
	}, `SELECT id, new, old, plan, verdict, matches, course, ended FROM tests WHERE ended <> '' ORDER BY id`)
	for i := range rows {
		r := &rows[i]
		err = errors.Join(err, json.Unmarshal(r.plan, &struct{ Accept *dataset.Accept }{&r.Accept}), json.Unmarshal(r.course, &r.Course))
		list = append(list, r.TestResult)
	}
	return list, err
}
