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
//
// # Values
//
//   - players: 0 to 3, the same throughout the match even where they change seats, as under
//     `mcr_2006`; player 0 deals first. Where three play they are 0 to 2, and lists by player
//     have three values. Agent (player + match) mod 4 plays for a player, unless the run keeps
//     the seats
//   - columns: have the metadata `description` and, if any, `unit`. Values are never null
//     unless the type says so
//   - integers: all are signed, so that differences do not wrap
//   - word: a text stored once in a dictionary of the file, `dictionary<values=utf8,
//     indices=int32>` in Arrow, a category in pandas, a categorical in polars, an enum or text
//     in DuckDB, a factor in R
//   - amounts: integers: single points, in family hktw half points. Placement points are
//     floats, exact to 1/120
//   - rows: in the order of matches, and within a match of players, hands, decisions, or
//     changes of debts. A record batch has whole blocks of 64 matches, compressed with ZSTD
//
// # Metadata of a file
//
// Keys begin with `sparrowhall.`:
//
//   - `table`, `schema_version`: the table, and the version of the schema
//   - `engine_version`: as in the manifest
//   - `ruleset`, `ruleset_hash`, `starting_points`: name, hash of family and knobs, points at
//     the start of a match
//   - `agents`: JSON, the manifest's list
//   - `seed` or `commitment`: seed of the run, or the commitment to that of a sealed run
//   - `import`: of an import, in place of the seed: the format of the records
//
// # Traps
//
// Columns without another table's name are those of table hands.
//
//   - a row for each player of a hand: in DuckDB `from hands, range(4) as t(p)`, with
//     `payments[p + 1]`, as lists count from 1 there
//   - `payments`: everything that changes hands between one deal and the next. Points at the
//     start and the payments of all hands give the points at the end
//   - `end`: `forfeit` where a forfeit cut the hand short
//   - `tile`: `-` of a win by flowers alone. A player with seven flowers robs the eighth: its
//     holder is the giver, and `deal_ins` counts it. Eight are a self-draw
//   - `wins.points`: includes the flowers of MCR, and not the dealer item of hktw. In hktw a
//     win moves no points by itself: it enters the debts
//   - `debts`: what the next hand begins with, so it is empty after the last
//   - `agent_0` to `agent_3`: columns and no list, since DuckDB reads lists of words as
//     numbers. `[agent_0, agent_1, agent_2, agent_3][giver + 1]` is the agent of a player there
//   - `giver` in table wins: its agent is in table matches, joined on `match` and
//     `player = giver`
//   - `action` in table decisions: riichi and its discard are one word, such as `ready 5m`.
//     Where a later discard of that player leaves no choice, it has no row; `discards` counts it
//   - number of hands: a match of more than 65,535 hands is an error; `max_hands` cuts it off
//     before
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
