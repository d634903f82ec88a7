// Package schema defines the tables of a dataset: their rows, how a match becomes rows, and
// how rows become Arrow columns.
//
//	layout := schema.NewLayout(rules, schema.Options{Record: schema.Hands})
//	maker := schema.NewMaker(rules, schema.MakerOptions{Dealt: true})
//	builder := schema.NewBuilder(mem, layout, full)
//	err := maker.Read(match)           // a match as rows
//	err = builder.AddRows(maker)       // rows as Arrow records, with which full is called
//
// docs/datasets.md lists the columns.
package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/suggest"
)

// Version is the version of the tables and of the manifest. It is raised whenever a column
// is added or changes its name, type, unit or meaning.
const Version = 1

// Table is one of the tables of a dataset.
type Table uint8

// The tables. A run is recorded up to one of the first three, from the shortest to the
// longest, and has those before it too. From any of them the matches can be replayed.
const (
	Matches   Table = iota // a row for each match and player
	Hands                  // a row for each hand
	Decisions              // a row for each decision
	// Wins has a row for each pattern of a won hand. It is recorded together with Hands.
	Wins
	// Ledger has a row for each change of a debt. It is recorded together with Hands
	// under rules by which players may owe each other points.
	Ledger
	// Records and Walls belong to imports.
	Records // a row for each match
	Walls   // a row for each hand
	// NumTables is the number of tables.
	NumTables
)

var tableNames = []string{"matches", "hands", "decisions", "wins", "ledger", "records", "walls"}

// String returns the name of the table.
func (t Table) String() string { return tableNames[t] }

// ParseRecord returns the table of a name up to which a run can be recorded.
func ParseRecord(name string) (Table, error) {
	names := tableNames[:Decisions+1]
	if i := slices.Index(names, name); i >= 0 {
		return Table(i), nil
	}
	return 0, fmt.Errorf("unknown table %q; allowed: %s, nearest %s",
		name, strings.Join(names, ", "), suggest.Nearest(name, names, 1)[0])
}

// MarshalText returns the name of the table.
func (t Table) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText sets the table to the one of a name.
func (t *Table) UnmarshalText(text []byte) error {
	i := slices.Index(tableNames, string(text))
	if i < 0 {
		return fmt.Errorf("unknown table %q; allowed: %s", text, strings.Join(tableNames, ", "))
	}
	*t = Table(i)
	return nil
}
