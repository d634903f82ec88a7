package dataset

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// samples returns how much of a test to do: the least with -short, where each
// step takes ten times as long, and the most with SPARROWHALL_LONG.
func samples(short, quick, long int) int {
	switch {
	case testing.Short():
		return short
	case os.Getenv("SPARROWHALL_LONG") != "":
		return long
	}
	return quick
}

// climber goes for a ready hand by the discard that leaves the lowest shanten,
// and takes what it can get: it makes rows of every kind.
type climber struct{}

func (climber) Act(v sim.View) sim.Action {
	legal, r := v.Legal(), v.Rand()
	for _, a := range []sim.Action{sim.ActWin, sim.ActTenpai} {
		if legal.Has(a) {
			return a
		}
	}
	best, bestShanten := sim.NoAction, 0
	for a := range legal.All {
		if !a.IsDiscard() {
			continue
		}
		h := v.Hand()
		h.Remove(discarded(v, a))
		s := 2*v.Rules().Shanten(&h, v.NumMelds(v.Player())) + 1
		if a.DeclaresReady() {
			s--
		}
		if best == sim.NoAction || s < bestShanten {
			best, bestShanten = a, s
		}
	}
	if best == sim.NoAction || r.Below(20) == 0 {
		return legal.Nth(r.Below(legal.Len()))
	}
	return best
}

func discarded(v sim.View, a sim.Action) tile.Kind {
	switch {
	case a == sim.ActDiscardDrawn || a == sim.ActReadyDrawn:
		return v.Drawn().Kind()
	case a >= sim.ActReady:
		return tile.Face(a - sim.ActReady).Kind()
	}
	return tile.Face(a - sim.ActDiscard).Kind()
}

// random plays any legal action.
type random struct{}

func (random) Act(v sim.View) sim.Action {
	legal, r := v.Legal(), v.Rand()
	return legal.Nth(r.Below(legal.Len()))
}

// cheat answers illegally once in a while.
type cheat struct{}

func (cheat) Act(v sim.View) sim.Action {
	if r := v.Rand(); r.Below(500) == 0 {
		return sim.NoAction
	}
	return random{}.Act(v)
}

var testAgents = map[string]sim.Agent{"climber": climber{}, "random": random{}, "cheat": cheat{}}

// newRun returns a run of a block and a half, each in files of its own.
func newRun(t testing.TB, preset string, record schema.Table) *Run {
	t.Helper()
	rules, err := configs.Open(preset)
	if err != nil {
		t.Fatal(err)
	}
	return &Run{
		Ruleset: rules, Seed: 7, Matches: sim.BlockSize + 32, Record: record, FileMatches: sim.BlockSize,
		Agents: []string{"climber", "random", "random", "cheat"},
	}
}

// variant returns a ruleset file with some knobs of a preset changed.
func variant(t testing.TB, base, knobs string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "variant.toml")
	if err := os.WriteFile(path, fmt.Appendf(nil, "base = %q\n%s\n", base, knobs), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// shortHKTW is the ruleset with debts, its matches cut off early.
func shortHKTW(t testing.TB) string { return variant(t, "hkma_hktw", "max_hands = 8") }

// play writes what is missing of the dataset of run.
func play(ctx context.Context, dir string, run *Run, workers int, s system) error {
	w, err := create(dir, run, false, s)
	if err != nil {
		return err
	}
	job := &sim.Job{
		Rules: run.Ruleset.Rules(), Schedule: run.Schedule(), First: w.Next(), Count: w.End() - w.Next(),
		Keep: run.Keep(), Workers: workers, Sealed: run.Seal != nil, Journal: w.Journal(),
		NewAgent: func(number int) sim.Agent { return testAgents[run.Agents[number]] },
	}
	err = sim.Run(ctx, job, w.NewBlock, (*Block).Add, w.Append)
	if closing := w.Close(); err == nil {
		err = closing
	}
	return err
}

func mustPlay(t *testing.T, dir string, run *Run, workers int) {
	t.Helper()
	if err := play(t.Context(), dir, run, workers, realSystem); err != nil {
		t.Fatal(err)
	}
}

// contents returns the checksum of every file in a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	for _, e := range readDir(t, dir) {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		sums[e.Name()] = fmt.Sprintf("%d bytes, %x", len(b), sha256.Sum256(b))
	}
	return sums
}

func readDir(t *testing.T, dir string) []fs.DirEntry {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return entries
}

func mustOpen(t *testing.T, dir string) *Dataset {
	t.Helper()
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func verify(t *testing.T, dir string) error {
	t.Helper()
	d, err := Open(dir)
	if err != nil {
		return err
	}
	return d.Verify(t.Context(), 2, func(int) {})
}

func collect[R any](t *testing.T, rows func(func(R, error) bool)) []R {
	t.Helper()
	var list []R
	for r, err := range rows {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// The same run gives the same bytes for any number of workers, and what is
// written is what can be read.
func TestBytes(t *testing.T) {
	for record := range schema.Decisions + 1 {
		run := newRun(t, "ema_2016", record)
		run.Matches += uint64(samples(0, sim.BlockSize, 10*sim.BlockSize))
		checkBytes(t, run, []int{1, 3, 4}[record])
	}
	checkBytes(t, newRun(t, shortHKTW(t), schema.Hands), 4)
}

func checkBytes(t *testing.T, run *Run, tables int) {
	t.Helper()
	blocks := int(run.Matches+sim.BlockSize-1) / sim.BlockSize
	var want map[string]string
	for _, workers := range []int{1, 16, 2}[:samples(2, 3, 3)] {
		dir := t.TempDir()
		mustPlay(t, dir, run, workers)
		got := contents(t, dir)
		if want == nil {
			want = got
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("record %v: %d workers write other bytes (-1 worker):\n%s", run.Record, workers, d)
		}
		if len(got) != 1+blocks*tables {
			t.Errorf("record %v: files %v", run.Record, got)
		}
		if err := verify(t, dir); err != nil {
			t.Errorf("record %v: %v", run.Record, err)
		}
	}
}

// Every row is what the match says.
func TestRows(t *testing.T) {
	for preset, kinds := range map[string][]string{
		"ema_2016":   {"self_draw", "discard", "exhausted", "called", "ready", "tenpai", "forfeited"},
		"tenhou":     {"self_draw", "discard", "exhausted", "called", "ready", "tenpai", "forfeited"},
		"mcr_2006":   {"self_draw", "discard", "exhausted", "called", "forfeited"},
		"botzone":    {"self_draw", "discard", "exhausted", "called", "forfeited", "forfeit"},
		"universal":  {"self_draw", "discard", "exhausted", "called", "forfeited"},
		shortHKTW(t): {"self_draw", "discard", "exhausted", "called", "ready", "forfeited", "award", "debt"},
	} {
		run := newRun(t, preset, schema.Decisions)
		run.Agents = []string{"climber", "climber", "climber", "cheat"}
		if run.Ruleset.Rules().Rounds == 4 {
			run.Matches = 24 // of sixteen hands
		}
		dir := t.TempDir()
		mustPlay(t, dir, run, 2)
		d := mustOpen(t, dir)
		matches := collect(t, d.MatchRows())
		hands := collect(t, d.HandRows())
		decisions := collect(t, d.DecisionRows())
		if n := uint64(len(matches)); n != 4*run.Matches {
			t.Fatalf("%d rows of matches", n)
		}
		nextHand, nextDecision := 0, 0
		seen := map[string]int{}
		for index := range run.Matches {
			m, err := d.Match(index)
			if err != nil {
				t.Fatal(err)
			}
			if m.Seed != sim.MatchSeed(run.Seed, index) {
				t.Fatalf("match %d: seed %d", index, m.Seed)
			}
			rows := matches[4*index:][:4]
			for p, r := range rows {
				if want := uint8((uint64(p) + index) % 4); r.Agent != want || m.Agents[p] != want {
					t.Errorf("match %d, player %d: agent %d and %d, want %d", index, p, r.Agent, m.Agents[p], want)
				}
				if r.Match != index || r.Seed != m.Seed || int(r.Player) != p || int(r.Hands) != len(m.Hands) ||
					r.Points != m.Final.Points[p] || r.Rank != m.Final.Rank[p] || r.Placement != int32(m.Final.Placement[p]) ||
					r.Decisions != m.Decisions[p] || r.Forfeited != m.Forfeited.Has(sim.Player(p)) {
					t.Errorf("match %d: row %+v", index, r)
				}
			}
			points := [4]int32{}
			for p := range points {
				points[p] = int32(d.Rules().StartingPoints * d.Rules().Unit())
			}
			actions := 0
			counts := [4]schema.MatchRow{}
			for h := range m.Hands {
				row := hands[nextHand]
				nextHand++
				if row.Match != index || int(row.Hand) != h {
					t.Fatalf("row of match %d, hand %d is %+v", index, h, row)
				}
				seen[row.End]++
				checkHand(t, m, h, &row, d)
				for p := range points {
					points[p] += row.Payments[p]
					if row.Called[p] {
						counts[p].Calls++
						seen["called"]++
					}
					if row.Ready[p] > 0 {
						counts[p].Readies++
						seen["ready"]++
					}
					if row.Tenpai[p] {
						seen["tenpai"]++
					}
					if int(row.Giver) == p {
						counts[p].DealIns++
					}
					if len(row.Wins) == 0 {
						counts[p].Draws++
					}
				}
				if row.Awards != [4]int32{} {
					seen["award"]++
				}
				if len(row.Debts) > 0 {
					seen["debt"]++
				}
				for _, w := range row.Wins {
					counts[w.Player].Wins++
					if row.End == "self_draw" || row.End == "flower" && row.Giver == schema.NoPlayer {
						counts[w.Player].SelfDraws++
					}
				}
				for p := range points {
					if before := row.Points[p] + row.Payments[p]; before != points[p] {
						t.Errorf("match %d, hand %d, player %d: %d points before it and its payments give %d, not %d", index, h, p, row.Points[p], before, points[p])
					}
				}
				for i := 0; nextDecision < len(decisions) && decisions[nextDecision].Match == index && int(decisions[nextDecision].Hand) == h; i++ {
					dr := decisions[nextDecision]
					choice := m.Choices[actions]
					want := schema.DecisionRow{
						Match: index, Hand: uint16(h), Index: uint16(i), Ruleset: run.Ruleset.Name, Player: uint8(choice.Player), Agent: run.Agents[m.Agents[choice.Player]],
						Round: row.Round, Dealer: row.Dealer, Counter: row.Counter, Turn: dr.Turn, Legal: choice.Legal, Action: m.Actions[actions],
					}
					if dr != want || row.Actions != nil {
						t.Fatalf("decision %+v, want %+v", dr, want)
					}
					nextDecision++
					actions++
				}
			}
			if actions != len(m.Actions) {
				t.Errorf("match %d: %d of %d actions in its decisions", index, actions, len(m.Actions))
			}
			for p, r := range rows {
				if points[p] != r.Points {
					t.Errorf("match %d, player %d: payments lead to %d, not %d", index, p, points[p], r.Points)
				}
				c := counts[p]
				if r.Wins != c.Wins || r.SelfDraws != c.SelfDraws || r.DealIns != c.DealIns || r.Readies != c.Readies || r.Calls != c.Calls || r.Draws != c.Draws {
					t.Errorf("match %d: row %+v, hands give %+v", index, r, c)
				}
				if r.Forfeited {
					seen["forfeited"]++
				}
			}
		}
		if nextHand != len(hands) || nextDecision != len(decisions) {
			t.Errorf("%d of %d hands, %d of %d decisions seen", nextHand, len(hands), nextDecision, len(decisions))
		}
		for _, what := range kinds {
			if seen[what] == 0 {
				t.Errorf("%s: the matches have no %s: %v", preset, what, seen)
			}
		}
		want := map[schema.Table]int64{schema.Matches: int64(len(matches)), schema.Hands: int64(len(hands)), schema.Decisions: int64(len(decisions)), schema.Wins: 0}
		won := map[[2]int]bool{}
		for _, w := range collect(t, d.WinRows()) {
			h := hands[slices.IndexFunc(hands, func(h schema.HandRow) bool { return h.Match == w.Match && h.Hand == w.Hand })]
			if one := h.Wins[w.Win]; w.Player != one.Player || w.Points != one.Points || len(one.Patterns) > 0 && (w.Pattern != one.Patterns[w.Index].ID || w.Value != one.Patterns[w.Index].Value) {
				t.Errorf("row %+v of wins; the hand has %+v", w, one)
			}
			won[[2]int{int(w.Match), int(w.Hand)}] = true
			want[schema.Wins]++
		}
		for _, h := range hands {
			if won[[2]int{int(h.Match), int(h.Hand)}] != (len(h.Wins) > 0) {
				t.Errorf("match %d, hand %d: %d wins, in table wins: %v", h.Match, h.Hand, len(h.Wins), len(h.Wins) == 0)
			}
		}
		if slices.Contains(run.Tables(), schema.Ledger) {
			want[schema.Ledger] = int64(len(collect(t, d.LedgerRows())))
		}
		if diff := cmp.Diff(want, d.Manifest.Rows); diff != "" {
			t.Error(diff)
		}
	}
}

// checkHand compares the row of a hand with the events that only it is made of.
func checkHand(t *testing.T, m *sim.Match, h int, row *schema.HandRow, d *Dataset) {
	t.Helper()
	end := len(m.Events)
	if h+1 < len(m.Hands) {
		end = m.Hands[h+1].FirstEvent
	}
	won := 0
	for _, e := range m.Events[:m.Hands[h].FirstEvent] {
		if e.Type == sim.EvWin {
			won++
		}
	}
	discards, wins := 0, 0
	var payments, awards [4]int32
	for _, e := range m.Events[m.Hands[h].FirstEvent:end] {
		switch e.Type {
		case sim.EvHandStart:
			round, index, counter, deposits := e.HandStart()
			if int(row.Round) != round || int(row.DealIndex) != index || int(row.Counter) != counter || int(row.Deposits) != deposits || int(row.Dealer) != int(e.Player) {
				t.Errorf("%+v began with %+v", row, e)
			}
		case sim.EvDiscard:
			discards++
		case sim.EvForfeit:
			if row.End != "forfeit" {
				t.Errorf("%+v ended with %+v", row, e)
			}
		case sim.EvPay:
			from, to, amount, reason := e.Pay()
			for p, gain := range map[sim.Player]int32{from: -amount, to: amount} {
				if p == sim.Player(ruleset.Pot) {
					continue
				}
				payments[p] += gain
				if reason == ruleset.ForAward {
					awards[p] += gain
				}
			}
		case sim.EvWin:
			w, v := row.Wins[wins], m.Values[won+wins]
			patterns := []schema.Pattern{}
			for _, p := range v.Patterns[:v.NumPatterns] {
				patterns = append(patterns, schema.Pattern{ID: d.Rules().Patterns()[p.Pattern].ID, Value: p.Points})
			}
			want := schema.Win{Player: uint8(e.Player), Tile: e.Tile.String(), Points: v.Points * int32(d.Rules().Unit()), Han: v.Han, Fu: v.Fu, Yakuman: v.Yakuman, Patterns: patterns}
			if diff := cmp.Diff(want, w); diff != "" {
				t.Errorf("match %d, hand %d:\n%s", m.Index, h, diff)
			}
			giver := uint8(e.Value)
			if sim.Player(e.Value) == e.Player {
				giver = schema.NoPlayer
			}
			if row.Giver != giver || row.End != sim.WinKind(e.Detail).String() {
				t.Errorf("%+v ended with %+v", row, e)
			}
			wins++
		}
	}
	if discards != int(row.Discards) || wins != len(row.Wins) || row.End == "" {
		t.Errorf("%+v: %d discards, %d wins", row, discards, wins)
	}
	if payments != row.Payments || awards != row.Awards {
		t.Errorf("%+v: payments %v, awards %v", row, payments, awards)
	}
}

// A dataset of matches alone holds the whole log of a match in one row, one of
// hands a log in each; both replay to the same match.
func TestLevels(t *testing.T) {
	want, got := t.TempDir(), t.TempDir()
	mustPlay(t, want, newRun(t, "ema_2016", schema.Hands), 2)
	mustPlay(t, got, newRun(t, "ema_2016", schema.Matches), 2)
	a, b := mustOpen(t, want), mustOpen(t, got)
	for _, index := range []uint64{0, 63, 64, 95} {
		x, err := a.Match(index)
		if err != nil {
			t.Fatal(err)
		}
		y, err := b.Match(index)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(x.Events, y.Events) || x.Forfeited != y.Forfeited {
			t.Errorf("match %d differs", index)
		}
	}
	rows := collect(t, b.MatchRows())
	if rows[0].Actions == nil || rows[1].Actions != nil {
		t.Errorf("actions in rows %+v, %+v", rows[0], rows[1])
	}
	for _, err := range b.HandRows() {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("hands: %v", err)
		}
	}
	if _, err := a.Match(96); !errors.Is(err, ErrNoMatch) {
		t.Errorf("match 96: %v", err)
	}
}

// Matches of every preset can be written, read and verified.
func TestPresets(t *testing.T) {
	for _, name := range configs.Names() {
		run := newRun(t, name, schema.Decisions)
		run.Agents = []string{"climber", "climber", "climber", "random"}[4-run.Ruleset.Config.Common().NumSeats():]
		run.Matches = 4
		dir := t.TempDir()
		mustPlay(t, dir, run, 2)
		if err := verify(t, dir); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		rules := run.Ruleset.Rules()
		wins := 0
		for _, h := range collect(t, mustOpen(t, dir).HandRows()) {
			wins += len(h.Wins)
			for _, w := range h.Wins {
				if rules.MinWin > 0 && (len(w.Patterns) == 0 || w.Points == 0) {
					t.Errorf("%s: a win without value: %+v", name, w)
				}
				sum := int32(0)
				for _, p := range w.Patterns {
					sum += int32(p.Value)
				}
				if traits := rules.Traits; !traits.DoublingPrices && !traits.CountsTai && int32(rules.Unit())*sum != w.Points {
					t.Errorf("%s: patterns of %d points in %+v", name, sum, w)
				}
			}
		}
		if wins == 0 {
			t.Errorf("%s: nobody won a hand", name)
		}
	}
}

// Rows are about players, who change their seats between rounds under mcr_2006:
// who deals is found by seat.
func TestSeats(t *testing.T) {
	run := newRun(t, "mcr_2006", schema.Decisions)
	run.Agents = []string{"climber", "climber", "climber", "climber"}
	run.Matches = 8
	dir := t.TempDir()
	mustPlay(t, dir, run, 2)
	d := mustOpen(t, dir)
	dealers := [...]uint8{0, 1, 2, 3, 1, 0, 3, 2, 2, 3, 1, 0, 3, 2, 0, 1}
	for _, h := range collect(t, d.HandRows()) {
		if h.Dealer != dealers[h.Hand] || h.Round != uint8(h.Hand/4) || h.DealIndex != 0 {
			t.Errorf("match %d, hand %d: player %d deals in round %d, deal %d", h.Match, h.Hand, h.Dealer, h.Round, h.DealIndex)
		}
		// Each other player pays at least the base; the giver, or on a self-draw
		// everybody, the fan too.
		if len(h.Wins) != 1 {
			continue
		}
		w, base := h.Wins[0], int32(8)
		for p, got := range h.Payments {
			want := -base
			switch {
			case p == int(w.Player) && h.Giver == schema.NoPlayer:
				want = 3 * (base + w.Points)
			case p == int(w.Player):
				want = 3*base + w.Points
			case h.Giver == schema.NoPlayer || p == int(h.Giver):
				want -= w.Points
			}
			if got != want {
				t.Errorf("player %d gained %d, want %d: %+v", p, got, want, h)
			}
		}
	}
	// The first to decide in a hand is its dealer, unless only another may choose.
	first := 0
	for _, r := range collect(t, d.DecisionRows()) {
		if r.Index == 0 && r.Player == dealers[r.Hand] {
			first++
		}
	}
	if hands := d.Manifest.Rows[schema.Hands]; first < int(hands)*9/10 {
		t.Errorf("the dealer decided first in %d of %d hands", first, hands)
	}
}

// Under botzone a forfeit ends the match, whatever is recorded: the dataset
// verifies and its matches play again.
func TestForfeit(t *testing.T) {
	for record := range schema.Decisions + 1 {
		run := newRun(t, "botzone", record)
		dir := t.TempDir()
		mustPlay(t, dir, run, 2)
		if err := verify(t, dir); err != nil {
			t.Errorf("record %v: %v", record, err)
		}
		d := mustOpen(t, dir)
		rows := collect(t, d.MatchRows())
		forfeited := map[uint64]bool{}
		for i, r := range rows {
			if !r.Forfeited {
				continue
			}
			forfeited[r.Match] = true
			if r.Points != -30 || r.Rank != 4 || r.Hands != 1 || r.Wins != 0 || r.Draws != 1 {
				t.Errorf("record %v: %+v", record, r)
			}
			for _, other := range rows[i-int(r.Player):][:4] {
				if other.Player != r.Player && (other.Points != 10 || other.Rank != 1 || other.Forfeited) {
					t.Errorf("record %v: %+v and %+v", record, r, other)
				}
			}
			m, err := d.Match(r.Match)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(m.Events, func(e sim.Event) bool { return e.Type == sim.EvForfeit && e.Player == sim.Player(r.Player) }) {
				t.Errorf("record %v: match %d is played again without its forfeit", record, r.Match)
			}
		}
		if len(forfeited) == 0 {
			t.Errorf("record %v: nobody forfeited", record)
		}
		if record == schema.Matches {
			continue
		}
		for _, h := range collect(t, d.HandRows()) {
			if (h.End == "forfeit") != forfeited[h.Match] {
				t.Errorf("record %v: forfeited %v, %+v", record, forfeited[h.Match], h)
			}
		}
	}
}

func TestKeepSeats(t *testing.T) {
	run := newRun(t, "ema_2016", schema.Matches)
	run.KeepSeats = true
	run.Matches = 10
	dir := t.TempDir()
	mustPlay(t, dir, run, 2)
	for _, r := range collect(t, mustOpen(t, dir).MatchRows()) {
		if r.Agent != r.Player {
			t.Fatalf("agent %d played for player %d", r.Agent, r.Player)
		}
	}
	if err := verify(t, dir); err != nil {
		t.Error(err)
	}
}

func TestParseRecord(t *testing.T) {
	for table := range schema.Decisions + 1 {
		got, err := schema.ParseRecord(table.String())
		if err != nil || got != table {
			t.Errorf("%v: %v, %v", table, got, err)
		}
	}
	for _, name := range []string{"hnads", "ledger"} {
		_, err := schema.ParseRecord(name)
		if want := fmt.Sprintf("unknown table %q; allowed: matches, hands, decisions, nearest ", name); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestRunCheck(t *testing.T) {
	for name, change := range map[string]func(r *Run){
		"0 matches; at least 1 must be played":         func(r *Run) { r.Matches = 0 },
		"0 matches a file; allowed: multiples of 64":   func(r *Run) { r.FileMatches = 0 },
		"100 matches a file; allowed: multiples of 64": func(r *Run) { r.FileMatches = 100 },
		"a run cannot be recorded up to table ledger":  func(r *Run) { r.Record = schema.Ledger },
	} {
		run := newRun(t, "ema_2016", schema.Matches)
		change(run)
		dir := filepath.Join(t.TempDir(), "new")
		if _, err := Create(dir, run, false); err == nil || err.Error() != name {
			t.Errorf("%v, want %s", err, name)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: the folder was made", name)
		}
	}
}
