package export

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

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// pay and debt are the events of the ledger.
func pay(from, to sim.Player, amount int32) sim.Event {
	return sim.Event{Type: sim.EvPay, Player: from, Detail: uint8(to) | uint8(ruleset.ForDebt)<<4, Value: amount}
}

func debt(creditor, debtor sim.Player, points int32, wins uint8) sim.Event {
	return sim.Event{Type: sim.EvDebt, Player: creditor, Detail: uint8(debtor) | wins<<2, Value: points}
}

// Each kind of change is told from the others by the events alone.
func TestDebtBook(t *testing.T) {
	end := sim.Event{Type: sim.EvHandEnd, Player: -1}
	type change struct {
		creditor, debtor uint8
		points           int32
		wins             uint8
		paid             int32
		reason           string
	}
	for name, hands := range map[string][]struct {
		events  []sim.Event
		changes []change
		debts   []Debt
	}{
		"grown, kept, collected": {
			{[]sim.Event{debt(2, 1, 40, 1), end}, []change{{2, 1, 40, 1, 0, "new"}}, []Debt{{2, 1, 40, 1}}},
			{[]sim.Event{debt(2, 1, 82, 2), end}, []change{{2, 1, 82, 2, 0, "grown"}}, []Debt{{2, 1, 82, 2}}},
			{[]sim.Event{end}, nil, []Debt{{2, 1, 82, 2}}},
			{
				[]sim.Event{pay(1, 2, 82), debt(0, 3, 20, 1), debt(2, 1, 0, 0), end},
				[]change{{0, 3, 20, 1, 0, "new"}, {2, 1, 0, 0, 82, "collected"}},
				[]Debt{{0, 3, 20, 1}},
			},
			{
				[]sim.Event{pay(3, 0, 20), debt(0, 3, 0, 0), debt(3, 1, 8, 1), end, pay(1, 3, 8), debt(3, 1, 0, 0)},
				[]change{{0, 3, 0, 0, 20, "collected"}, {3, 1, 8, 1, 0, "new"}, {3, 1, 0, 0, 8, "collected"}},
				nil,
			},
		},
		"halved": {
			{[]sim.Event{debt(0, 1, 42, 1), debt(0, 2, 2, 1), end}, []change{{0, 1, 42, 1, 0, "new"}, {0, 2, 2, 1, 0, "new"}}, []Debt{{0, 1, 42, 1}, {0, 2, 2, 1}}},
			// Half of one point, rounded down, is no payment.
			{
				[]sim.Event{pay(1, 0, 20), debt(0, 1, 0, 0), debt(0, 2, 0, 0), debt(1, 0, 10, 1), debt(2, 0, 10, 1), end},
				[]change{{0, 1, 0, 0, 20, "halved"}, {0, 2, 0, 0, 0, "halved"}, {1, 0, 10, 1, 0, "new"}, {2, 0, 10, 1, 0, "new"}},
				[]Debt{{1, 0, 10, 1}, {2, 0, 10, 1}},
			},
			// Half of one point, rounded up, is all of it.
			{
				[]sim.Event{pay(0, 1, 10), pay(0, 2, 5), debt(0, 1, 6, 1), debt(1, 0, 0, 0), debt(2, 0, 0, 0), end},
				[]change{{0, 1, 6, 1, 0, "new"}, {1, 0, 0, 0, 10, "halved"}, {2, 0, 0, 0, 5, "halved"}},
				[]Debt{{0, 1, 6, 1}},
			},
			{[]sim.Event{end, pay(1, 0, 2), debt(0, 1, 0, 0)}, []change{{0, 1, 0, 0, 2, "halved"}}, nil},
		},
		"cut": {
			{
				[]sim.Event{debt(0, 1, 42, 1), debt(0, 2, 30, 1), end, pay(1, 0, 42), debt(0, 1, 0, 0)},
				[]change{{0, 1, 42, 1, 0, "new"}, {0, 2, 30, 1, 0, "new"}, {0, 1, 0, 0, 42, "cut"}},
				[]Debt{{0, 2, 30, 1}},
			},
			{[]sim.Event{end, debt(0, 2, 0, 0)}, []change{{0, 2, 0, 0, 0, "void"}}, nil},
		},
		"collected, then new": {
			{[]sim.Event{debt(0, 1, 42, 1), debt(0, 2, 30, 1), end}, []change{{0, 1, 42, 1, 0, "new"}, {0, 2, 30, 1, 0, "new"}}, []Debt{{0, 1, 42, 1}, {0, 2, 30, 1}}},
			// The debts to 0 are paid and begin again, the second with as much.
			{
				[]sim.Event{pay(1, 0, 42), pay(2, 0, 30), debt(0, 1, 44, 1), end},
				[]change{{0, 1, 0, 0, 42, "collected"}, {0, 1, 44, 1, 0, "new"}, {0, 2, 0, 0, 30, "collected"}, {0, 2, 30, 1, 0, "new"}},
				[]Debt{{0, 1, 44, 1}, {0, 2, 30, 1}},
			},
		},
	} {
		var b debtBook
		b.begin()
		for i, hand := range hands {
			h := HandRow{Match: 9, Hand: uint16(i)}
			first := len(b.rows)
			b.read(&h, hand.events, i == len(hands)-1)
			want := []LedgerRow{}
			for order, c := range hand.changes {
				want = append(want, LedgerRow{9, uint16(i), uint8(order), c.creditor, c.debtor, c.points, c.wins, c.paid, c.reason})
			}
			if d := cmp.Diff(want, append([]LedgerRow{}, b.rows[first:]...)); d != "" {
				t.Errorf("%s, hand %d: changes (-want):\n%s", name, i, d)
			}
			if d := cmp.Diff(hand.debts, h.Debts); d != "" {
				t.Errorf("%s, hand %d: debts (-want):\n%s", name, i, d)
			}
		}
	}
}

// owedAt returns what is owed before each hand of a match, as the table has it,
// and at the end.
func owedAt(t *testing.T, d *Dataset, m *sim.Match) [][]Debt {
	t.Helper()
	var owed [][]Debt
	now := func(table *sim.Table) {
		var debts []Debt
		for creditor := range sim.Player(sim.NumPlayers) {
			for debtor, d := range table.View(0).Debts(creditor) {
				if d.Points != 0 {
					debts = append(debts, Debt{uint8(creditor), uint8(debtor), d.Points, d.Wins})
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
		run := newRun(t, variant(t, "hkma_hktw", "max_hands = 30\n"+knobs), Hands)
		run.Agents = []string{"climber", "climber", "climber", "climber"}
		run.Matches = uint64(samples(3, 8, 500))
		dir := t.TempDir()
		mustPlay(t, dir, run, 2)
		if err := verify(t, dir); err != nil {
			t.Errorf("%s: %v", knobs, err)
		}
		d := mustOpen(t, dir)
		hands, changes := collect(t, d.HandRows()), collect(t, d.LedgerRows())
		if int64(len(changes)) != d.Manifest.Rows[Ledger] {
			t.Errorf("%s: %d rows, the manifest says %d", knobs, len(changes), d.Manifest.Rows[Ledger])
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
				if d := cmp.Diff(owed[h+1], append([]Debt(nil), row.Debts...)); d != "" {
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
func checkChanges(t *testing.T, m *sim.Match, h int, before, after []Debt, changes []LedgerRow) {
	t.Helper()
	type pair struct{ creditor, debtor uint8 }
	owed, paid := map[pair]Debt{}, map[pair]int32{}
	for _, d := range before {
		owed[pair{d.Creditor, d.Debtor}] = d
	}
	for i, c := range changes {
		k := pair{c.Creditor, c.Debtor}
		was := owed[k]
		ok := int(c.Order) == i && (c.Points == 0) == (c.Wins == 0)
		switch c.Reason {
		case "new":
			ok = ok && was == Debt{} && c.Wins == 1 && c.Paid == 0
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
		if owed[k] = (Debt{c.Creditor, c.Debtor, c.Points, c.Wins}); c.Points == 0 {
			delete(owed, k)
		}
		if c.Paid != 0 {
			paid[k] += c.Paid
		}
	}
	want := map[pair]Debt{}
	for _, d := range after {
		want[pair{d.Creditor, d.Debtor}] = d
	}
	if d := cmp.Diff(want, owed, cmp.AllowUnexported(pair{})); d != "" {
		t.Errorf("match %d, hand %d: changes lead elsewhere (-table):\n%s", m.Index, h, d)
	}
	end := len(m.Events)
	if h+1 < len(m.Hands) {
		end = m.Hands[h+1].Event
	}
	for _, e := range m.Events[m.Hands[h].Event:end] {
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

// Only rulesets with debts have a ledger, if hands are recorded, and the columns
// that go with it.
func TestLedgerIsThere(t *testing.T) {
	extra := []string{"awards", "debts"}
	for _, c := range []struct {
		ruleset string
		record  Table
		tables  []Table
		columns []string
		unit    string
	}{
		{"hkma_hktw", Matches, []Table{Matches}, extra, "half points"},
		{"hkma_hktw", Hands, []Table{Matches, Hands, Ledger}, extra, "half points"},
		{"hkma_hktw", Decisions, []Table{Matches, Hands, Decisions, Ledger}, extra, "half points"},
		{"mcr_2006", Decisions, []Table{Matches, Hands, Decisions}, nil, inPoints},
		{"tenhou", Hands, []Table{Matches, Hands}, nil, inPoints},
	} {
		run := newRun(t, c.ruleset, c.record)
		if d := cmp.Diff(c.tables, run.Tables()); d != "" {
			t.Errorf("%s, record %v: tables (-want):\n%s", c.ruleset, c.record, d)
		}
		l := layoutOf(run.Ruleset.Rules(), c.record, false, SchemaVersion)
		var got []string
		for _, name := range extra {
			if l.schema(Hands).HasField(name) {
				got = append(got, name)
			}
		}
		if d := cmp.Diff(c.columns, got); d != "" {
			t.Errorf("%s: columns of hands (-want):\n%s", c.ruleset, d)
		}
		amounts := 0
		for _, table := range []Table{Matches, Hands, Ledger} {
			eachField(l.schema(table).Fields(), func(f arrow.Field) {
				unit, _ := f.Metadata.GetValue("unit")
				if unit == c.unit {
					amounts++
				} else if strings.Contains(unit, "points") {
					t.Errorf("%s: column %s has the unit %q", c.ruleset, f.Name, unit)
				}
			})
		}
		// points of matches and of wins, payments; points and paid of the ledger;
		// awards, points of debts.
		if want := 5 + len(c.columns); amounts != want {
			t.Errorf("%s: %d columns in %s, want %d", c.ruleset, amounts, c.unit, want)
		}
	}
	for name, record := range map[string]Table{"ema_2016": Decisions, shortHKTW(t): Matches} {
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
	run := newRun(t, shortHKTW(t), Hands)
	whole := t.TempDir()
	mustPlay(t, whole, run, 2)
	want := contents(t, whole)
	l := mustOpen(t, whole).layout
	for _, c := range []struct {
		table  Table
		column string
		want   string
	}{
		{Ledger, "debtor", "row 5: column debtor: "},
		{Ledger, "wins", "row 5: column wins: "},
	} {
		for _, sign := range []bool{false, true} {
			dir := copyOf(t, whole)
			name := fileName(c.table, 0)
			column := l.schema(c.table).FieldIndices(c.column)[0]
			rewrite(t, dir, name, sign, setByte(column, 5, func(old uint8) uint8 { return old ^ 2 }))
			err := verify(t, dir)
			diff, ok := errors.AsType[*Difference](err)
			if !ok || diff.File != filepath.Join(dir, name) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v %s, signed %v: %v", c.table, c.column, sign, err)
			}
		}
	}

	// A debt that is missing from a hand is found there, before the ledger.
	dir := copyOf(t, whole)
	rewrite(t, dir, fileName(Hands, 0), true, func(_ int, r arrow.Record) arrow.Record {
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
		for _, f := range m.Files[3:] {
			m.Rows[f.Table] -= f.Rows
		}
		m.Files, m.Complete = m.Files[:3], false
	})
	mustPlay(t, dir, run, 2)
	if d := cmp.Diff(want, contents(t, dir)); d != "" {
		t.Errorf("continued (-never stopped):\n%s", d)
	}
	changeManifest(t, dir, func(m *Manifest) { m.Files = append(m.Files[:2:2], m.Files[3:]...) })
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "files: entry 2 is not ledger-000000.arrow with 64 matches from 0") {
		t.Errorf("without the first file: %v", err)
	}
	changeManifest(t, dir, func(m *Manifest) { m.Record = Ledger })
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "cannot be recorded up to table ledger") {
		t.Errorf("recorded up to the ledger: %v", err)
	}
	other := newRun(t, "ema_2016", Matches)
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
