package dataset

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// owedAt returns what is owed before each hand of a match, as the table has it,
// and at the end.
func owedAt(t *testing.T, d *Dataset, m *sim.Match) [][]schema.Debt {
	t.Helper()
	var owed [][]schema.Debt
	now := func(table *sim.Table) {
		var debts []schema.Debt
		for creditor := range sim.Player(sim.NumPlayers) {
			for debtor, d := range table.View(0).Debts(creditor) {
				if d.Points != 0 {
					debts = append(debts, schema.Debt{Creditor: uint8(creditor), Debtor: uint8(debtor), Points: d.Points, Wins: d.Wins})
				}
			}
		}
		owed = append(owed, debts)
	}
	table := sim.NewTable(d.Rules(), m.Seed)
	actions := m.Actions
	for !table.Over() {
		if table.Phase() == sim.PhaseDeal {
			now(&table)
			table.StartHand(nil)
			continue
		}
		for asked, p := table.Asked(), sim.Player(0); asked != 0; asked, p = asked>>1, p+1 {
			if asked&1 == 0 {
				continue
			}
			if _, err := table.Step(p, actions[0], nil); err != nil {
				t.Fatal(err)
			}
			actions = actions[1:]
		}
	}
	now(&table)
	return owed
}

// The ledger and the debts of the hands are those of the table, whatever the
// rules of the pull.
func TestLedger(t *testing.T) {
	for knobs, reasons := range map[string]string{
		"":                              "collected grown halved new",
		"pull_cut_after = 1":            "collected cut grown halved new",
		`pull_end_of_match = "void"`:    "collected grown halved new void",
		`pull_end_of_match = "half"`:    "collected grown halved new",
		"pull_enabled = false":          "",
		"pull_growth = 2\nbase_fan = 0": "collected grown halved new",
		"pull_creditor_and_outsider = \"settle_then_new\"\npull_both_win_off_third = \"hold\"": "collected grown halved new",
	} {
		run := newRun(t, variant(t, "hkma_hktw", "max_hands = 30\n"+knobs), schema.Hands)
		run.Agents = []string{"climber", "climber", "climber", "climber"}
		run.Matches = uint64(samples(3, 8, 500))
		dir := t.TempDir()
		mustPlay(t, dir, run, 2)
		if err := verify(t, dir); err != nil {
			t.Errorf("%s: %v", knobs, err)
		}
		d := mustOpen(t, dir)
		hands, changes := collect(t, d.HandRows()), collect(t, d.LedgerRows())
		if int64(len(changes)) != d.Manifest.Rows[schema.Ledger] {
			t.Errorf("%s: %d rows, the manifest says %d", knobs, len(changes), d.Manifest.Rows[schema.Ledger])
		}
		seen := map[string]bool{}
		for index := range run.Matches {
			m, err := d.Match(index)
			if err != nil {
				t.Fatal(err)
			}
			owed := owedAt(t, d, m)
			for h := range m.Hands {
				row := hands[0]
				hands = hands[1:]
				if d := cmp.Diff(owed[h+1], append([]schema.Debt(nil), row.Debts...)); d != "" {
					t.Fatalf("%s: match %d, hand %d: debts (-table):\n%s", knobs, index, h, d)
				}
				n := 0
				for n < len(changes) && changes[n].Match == index && int(changes[n].Hand) == h {
					seen[changes[n].Reason] = true
					n++
				}
				checkChanges(t, m, h, owed[h], owed[h+1], changes[:n])
				changes = changes[n:]
			}
		}
		if len(hands) != 0 || len(changes) != 0 {
			t.Errorf("%s: %d hands and %d changes are of no match", knobs, len(hands), len(changes))
		}
		names := []string{}
		for reason := range seen {
			names = append(names, reason)
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != reasons {
			t.Errorf("%s: reasons %q, want %q", knobs, got, reasons)
		}
	}
}

// checkChanges checks that the changes of a hand lead from what was owed before
// to what is owed after it and pay what the events say.
func checkChanges(t *testing.T, m *sim.Match, h int, before, after []schema.Debt, changes []schema.LedgerRow) {
	t.Helper()
	type pair struct{ creditor, debtor uint8 }
	owed, paid := map[pair]schema.Debt{}, map[pair]int32{}
	for _, d := range before {
		owed[pair{d.Creditor, d.Debtor}] = d
	}
	for i, c := range changes {
		k := pair{c.Creditor, c.Debtor}
		was := owed[k]
		ok := int(c.Order) == i && (c.Points == 0) == (c.Wins == 0)
		switch c.Reason {
		case "new":
			ok = ok && was == schema.Debt{} && c.Wins == 1 && c.Paid == 0
		case "grown":
			ok = ok && was.Points > 0 && c.Points > was.Points && c.Wins == was.Wins+1 && c.Paid == 0
		case "halved":
			ok = ok && was.Points > 0 && c.Points == 0 && c.Paid == was.Points/4*2
		case "collected", "cut":
			ok = ok && was.Points > 0 && c.Points == 0 && c.Paid == was.Points
		case "void":
			ok = ok && was.Points > 0 && c.Points == 0 && c.Paid == 0
		default:
			ok = false
		}
		if !ok {
			t.Errorf("match %d, hand %d: %+v of %+v", m.Index, h, c, was)
		}
		if owed[k] = (schema.Debt{Creditor: c.Creditor, Debtor: c.Debtor, Points: c.Points, Wins: c.Wins}); c.Points == 0 {
			delete(owed, k)
		}
		if c.Paid != 0 {
			paid[k] += c.Paid
		}
	}
	want := map[pair]schema.Debt{}
	for _, d := range after {
		want[pair{d.Creditor, d.Debtor}] = d
	}
	if d := cmp.Diff(want, owed, cmp.AllowUnexported(pair{})); d != "" {
		t.Errorf("match %d, hand %d: changes lead elsewhere (-table):\n%s", m.Index, h, d)
	}
	end := len(m.Events)
	if h+1 < len(m.Hands) {
		end = m.Hands[h+1].FirstEvent
	}
	for _, e := range m.Events[m.Hands[h].FirstEvent:end] {
		if e.Type != sim.EvPay {
			continue
		}
		if from, to, amount, reason := e.Pay(); reason == ruleset.ForDebt {
			paid[pair{uint8(to), uint8(from)}] -= amount
		}
	}
	for k, rest := range paid {
		if rest != 0 {
			t.Errorf("match %d, hand %d: the rows of %v pay %d too much", m.Index, h, k, rest)
		}
	}
}

// Only rulesets with debts have a ledger, if hands are recorded.
func TestLedgerIsThere(t *testing.T) {
	for _, c := range []struct {
		ruleset string
		record  schema.Table
		tables  []schema.Table
		unit    string
	}{
		{"hkma_hktw", schema.Matches, []schema.Table{schema.Matches}, "half points"},
		{"hkma_hktw", schema.Hands, []schema.Table{schema.Matches, schema.Hands, schema.Wins, schema.Ledger}, "half points"},
		{"hkma_hktw", schema.Decisions, []schema.Table{schema.Matches, schema.Hands, schema.Decisions, schema.Wins, schema.Ledger}, "half points"},
		{"mcr_2006", schema.Decisions, []schema.Table{schema.Matches, schema.Hands, schema.Decisions, schema.Wins}, "points, in family hktw half points"},
		{"tenhou", schema.Hands, []schema.Table{schema.Matches, schema.Hands, schema.Wins}, "points, in family hktw half points"},
	} {
		run := newRun(t, c.ruleset, c.record)
		if d := cmp.Diff(c.tables, run.Tables()); d != "" {
			t.Errorf("%s, record %v: tables (-want):\n%s", c.ruleset, c.record, d)
		}
		l := schema.NewLayout(run.Ruleset.Rules(), schema.Options{Record: c.record})
		amounts := 0
		for _, table := range []schema.Table{schema.Matches, schema.Hands, schema.Ledger} {
			eachField(l.Schema(table).Fields(), func(f arrow.Field) {
				unit, _ := f.Metadata.GetValue("unit")
				if unit == c.unit {
					amounts++
				} else if strings.Contains(unit, "points") && unit != "placement points" {
					t.Errorf("%s: column %s has the unit %q", c.ruleset, f.Name, unit)
				}
			})
		}
		// points of matches, of hands and of their wins, payments, awards, points of debts; points and
		// paid of the ledger.
		if want := 8; amounts != want {
			t.Errorf("%s: %d columns in %s, want %d", c.ruleset, amounts, c.unit, want)
		}
	}
	for name, record := range map[string]schema.Table{"ema_2016": schema.Decisions, shortHKTW(t): schema.Matches} {
		dir := t.TempDir()
		mustPlay(t, dir, newRun(t, name, record), 2)
		for _, err := range mustOpen(t, dir).LedgerRows() {
			if !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("%s: ledger: %v", name, err)
			}
		}
	}
}

func eachField(fields []arrow.Field, visit func(arrow.Field)) {
	for _, f := range fields {
		visit(f)
		if l, ok := f.Type.(*arrow.ListType); ok {
			eachField(l.Elem().(*arrow.StructType).Fields(), visit)
		}
	}
}

// The ledger is a table like the others: verified, continued, replaced.
func TestLedgerFiles(t *testing.T) {
	run := newRun(t, shortHKTW(t), schema.Hands)
	whole := t.TempDir()
	mustPlay(t, whole, run, 2)
	want := contents(t, whole)
	l := mustOpen(t, whole).layout
	for _, c := range []struct {
		table  schema.Table
		column string
		want   string
	}{
		{schema.Ledger, "debtor", "row 5: column debtor: "},
		{schema.Ledger, "wins", "row 5: column wins: "},
	} {
		for _, sign := range []bool{false, true} {
			dir := copyOf(t, whole)
			name := fileName(c.table, 0)
			column := l.Schema(c.table).FieldIndices(c.column)[0]
			rewrite(t, dir, name, sign, setNumber(column, 5, func(old int32) int32 { return old ^ 2 }))
			err := verify(t, dir)
			diff, ok := errors.AsType[*Difference](err)
			if !ok || diff.File != filepath.Join(dir, name) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v %s, signed %v: %v", c.table, c.column, sign, err)
			}
		}
	}

	// A debt that is missing from a hand is found there, before the ledger.
	dir := copyOf(t, whole)
	rewrite(t, dir, fileName(schema.Hands, 0), true, func(_ int, r arrow.Record) arrow.Record {
		column := r.Schema().FieldIndices("debts")[0]
		b := array.NewBuilder(memory.DefaultAllocator, r.Column(column).DataType()).(*array.ListBuilder)
		for range r.NumRows() {
			b.Append(true)
		}
		none, err := r.SetColumn(column, b.NewArray())
		if err != nil {
			t.Fatal(err)
		}
		return none
	})
	if err := verify(t, dir); err == nil || !strings.Contains(err.Error(), "column debts: [] is stored, the match gives [{") {
		t.Errorf("debts left out: %v", err)
	}

	// An incomplete dataset goes on, one without a file of the ledger does not.
	dir = copyOf(t, whole)
	changeManifest(t, dir, func(m *Manifest) {
		for _, f := range m.Files[4:] {
			m.Rows[f.Table] -= f.Rows
		}
		m.Files, m.Complete = m.Files[:4], false
	})
	mustPlay(t, dir, run, 2)
	if d := cmp.Diff(want, contents(t, dir)); d != "" {
		t.Errorf("continued (-never stopped):\n%s", d)
	}
	changeManifest(t, dir, func(m *Manifest) { m.Files = append(m.Files[:3:3], m.Files[4:]...) })
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "files: entry 3 is not ledger-000000.arrow with 64 matches from 0") {
		t.Errorf("without the first file: %v", err)
	}
	changeManifest(t, dir, func(m *Manifest) { m.Record = schema.Ledger })
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "cannot be recorded up to table ledger") {
		t.Errorf("recorded up to the ledger: %v", err)
	}
	other := newRun(t, "ema_2016", schema.Matches)
	w, err := Create(dir, other, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, dir); len(got) != 1 {
		t.Errorf("with force, the folder holds %v", got)
	}
}

// A match that the columns cannot count is an error, not a wrong number.
func TestTooManyHands(t *testing.T) {
	const maxHands = 65535
	m := &sim.Match{Index: 3, Hands: make([]sim.HandMark, maxHands)}
	b := (*Writer)(nil).NewBlock()
	if err := b.Add(m); err != nil || b.Rows[0].Hands != maxHands {
		t.Errorf("%d hands: %d, %v", maxHands, b.Rows[0].Hands, err)
	}
	m.Hands = append(m.Hands, sim.HandMark{})
	if err := b.Add(m); err == nil || err.Error() != fmt.Sprintf("match 3 has %d hands; at most 65535 can be counted: let max_hands cut it off", maxHands+1) {
		t.Errorf("%v", err)
	}
}
