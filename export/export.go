// Package export writes what was played to Arrow files, reads it back and
// checks it by playing it again.
//
// A dataset is a folder with a manifest and numbered Arrow IPC files of several
// tables: one row for a player of a match, for a hand, for a decision, for a
// change of what one player owes another. Its bytes depend on the run alone: on
// rules, seed, agents, number of matches and what is recorded, never on time,
// place or the number of workers. Files stand under their names only once they
// are whole, so a run that was interrupted anywhere goes on where the last whole
// files end. What slow players have played since then stands in a journal, which the
// dataset does not need.
package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/nearest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// SchemaVersion is raised whenever a column comes or changes its name, type, unit
// or meaning, and when the manifest does. Datasets of earlier versions are read;
// a column that their version has not reads as zero.
const SchemaVersion = 3

// Versions that brought something.
const (
	firstSchema   = 1
	dividedBlocks = 2 // a block of matches may stand in several record batches
	checkedText   = 2 // the manifest ends with its checksum
	sealedRuns    = 2
	joinedBlocks  = 3 // blocks of matches share record batches, which ZSTD compresses
	wordColumns   = 3 // words are numbers in dictionaries
	tileColumns   = 3 // the hands tell what was dealt and when players were tenpai
)

// Table is one of the tables of a dataset.
type Table uint8

// The tables. Those that a run may be recorded up to stand first, from the
// shortest to the longest: a run that records one records those before it too.
// Whatever is recorded, the matches can be played again.
const (
	Matches   Table = iota // a row a match and player
	Hands                  // a row a hand
	Decisions              // a row a decision
	// Ledger has a row for each change of a debt. It is recorded together with
	// Hands where the players may owe each other points.
	Ledger
	// Records and Walls are of matches that were played elsewhere.
	Records // a row a match
	Walls   // a row a hand
	numTables
)

var tableNames = []string{"matches", "hands", "decisions", "ledger", "records", "walls"}

// recordNames are the tables that a run may be recorded up to.
var recordNames = tableNames[:Decisions+1]

// String returns the name of the table.
func (t Table) String() string { return tableNames[t] }

// ParseRecord returns the table of that name up to which a run may be recorded.
func ParseRecord(name string) (Table, error) {
	if i := slices.Index(recordNames, name); i >= 0 {
		return Table(i), nil
	}
	return 0, fmt.Errorf("unknown table %q; allowed: %s, nearest %s",
		name, strings.Join(recordNames, ", "), nearest.To(name, recordNames, 1)[0])
}

// MarshalText returns the name of the table.
func (t Table) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText sets the table to the one of that name.
func (t *Table) UnmarshalText(text []byte) error {
	i := slices.Index(tableNames, string(text))
	if i < 0 {
		return fmt.Errorf("unknown table %q; allowed: %s", text, strings.Join(tableNames, ", "))
	}
	*t = Table(i)
	return nil
}

// NumAgents is the number of agents of a run that is no tournament, one for each
// player.
const NumAgents = sim.NumPlayers

// DefaultFileMatches is the number of matches of which the rows stand in one
// file if the run does not say otherwise.
const DefaultFileMatches = 4096

// Run is all that the bytes of a dataset depend on.
type Run struct {
	Ruleset *configs.Ruleset
	// Seed is the seed of the run; each match has its own from it.
	Seed uint64
	// Matches is the number of matches, at least 1.
	Matches uint64
	// Agents are the agents as they were asked for.
	Agents []string
	// KeepSeats lets agent i play for player i in every match; otherwise the
	// agents move on by one player from match to match.
	KeepSeats bool
	// Record is the longest table that is recorded, Decisions at most.
	Record Table
	// FileMatches is the number of matches of which the rows stand in one file,
	// a multiple of sim.BlockSize. An interrupted run loses at most the quick
	// matches of the files in work; see [Writer.Journal].
	FileMatches uint64
	// Shard is the part of the matches that the dataset is for, the zero value for
	// all.
	Shard Shard
	// Tournament is nil for a run of four agents at one table.
	Tournament *Tournament
	// Import is nil for a run that is played here.
	Import *Import
	// Seal is nil for a run whose seed is open. See [Run.SetSeal].
	Seal *Seal
}

// maxName is the most bytes of a name of an agent or ruleset. Tables of a report
// have many rows as wide as the longest.
const maxName = 2000

// Check returns what is wrong with the run.
func (r *Run) Check() error {
	for _, name := range append([]string{r.Ruleset.Name}, r.Agents...) {
		if len(name) > maxName {
			return fmt.Errorf("the name %.20s... has %d bytes; allowed: %d", name, len(name), maxName)
		}
	}
	if err := r.checkSeal(); err != nil {
		return err
	}
	switch {
	case r.Matches < 1:
		return fmt.Errorf("%d matches; at least 1 must be played", r.Matches)
	case r.FileMatches < 1 || r.FileMatches%sim.BlockSize != 0:
		return fmt.Errorf("%d matches a file; allowed: multiples of %d", r.FileMatches, sim.BlockSize)
	case r.Record > Decisions:
		return fmt.Errorf("a run cannot be recorded up to table %s", r.Record)
	case r.Tournament != nil:
		if err := r.checkTournament(); err != nil {
			return err
		}
	case len(r.Agents) != NumAgents:
		return fmt.Errorf("%d agents; there are %d", len(r.Agents), NumAgents)
	}
	return r.checkShard()
}

// Tables returns the tables that are recorded.
func (r *Run) Tables() []Table { return r.layout(r.Ruleset.Rules(), SchemaVersion).tables }

// layout returns the tables and columns of the run, whose rules are r's, in a schema
// version.
func (r *Run) layout(rules *ruleset.Rules, version int) *layout {
	l := layoutOf(rules, r.Record, r.Tournament != nil, version)
	if r.Import != nil {
		l.tables = append(l.tables, Records, Walls)
		l.setSize = sim.SetSize(&rules.Flow)
	}
	return l
}

// Keep returns the lists of a sim.Match that the tables are made from.
func (r *Run) Keep() sim.Keep {
	return [...]sim.Keep{
		Hands:     sim.KeepValues,
		Decisions: sim.KeepValues | sim.KeepChoices,
	}[r.Record]
}
