package dataset

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/export/seal"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// DefaultFileMatches is the usual number of matches in one file of a table.
const DefaultFileMatches = 4096

// Run is everything that the bytes of a dataset depend on.
type Run struct {
	Ruleset *configs.Ruleset
	// Seed is the seed of the run, from which the seeds of the matches follow.
	Seed uint64
	// Matches is the number of matches, at least 1.
	Matches uint64
	// Agents are the agents as the command names them.
	Agents []string
	// KeepSeats seats agent i as player i in every match; otherwise the agents move on by
	// one player from match to match.
	KeepSeats bool
	// Record is the table up to which the run is recorded, Decisions at most.
	Record schema.Table
	// FileMatches is the number of matches in one file of a table, a multiple of
	// sim.BlockSize. An interrupted run loses at most the fast matches of unfinished
	// files; see [Writer.Journal].
	FileMatches uint64
	// Shard is the part of the matches that the dataset holds; the zero value is all.
	Shard Shard
	// Tournament is nil for a run of one agent for each player, at one table.
	Tournament *Tournament
	// Import is nil for matches that this program plays.
	Import *Import
	// Seal is nil for a run whose seed is public. See [Run.SetSeal].
	Seal *seal.Seal
	// Repeatable is set if the agents play a match again as they did, as built-in ones do. Then a
	// finished run is extended although its last file is not full.
	Repeatable bool
}

// maxName is the most bytes in the name of an agent or ruleset. Reports have tables with
// rows as wide as the longest name.
const maxName = 2000

// Check returns an error if no dataset can have the run.
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
	case r.Record > schema.Decisions:
		return fmt.Errorf("a run cannot be recorded up to table %s", r.Record)
	case r.Tournament != nil:
		if err := r.checkTournament(); err != nil {
			return err
		}
	case len(r.Agents) != r.seats():
		return fmt.Errorf("%d agents; %.60s has %d players", len(r.Agents), r.Ruleset.Name, r.seats())
	}
	return r.checkShard()
}

// seats returns the number of players of a match.
func (r *Run) seats() int { return r.Ruleset.Config.Common().NumSeats() }

// Tables returns the tables that are recorded.
func (r *Run) Tables() []schema.Table {
	return r.layout(r.Ruleset.Rules()).Tables
}

// layout returns the tables and columns of the run. The rules are those of its ruleset.
func (r *Run) layout(rules *ruleset.Rules) *schema.Layout {
	return schema.NewLayout(rules, schema.Options{
		Record: r.Record, Import: r.Import != nil, Ruleset: r.Ruleset.Name, Agents: r.Agents, Made: r.made(),
	})
}

// made returns what made the files of the run, for their metadata. A sealed run has its
// commitment there, since the seed is a secret while it is played.
func (r *Run) made() [][2]string {
	hash := r.Ruleset.Hash()
	agents, _ := json.Marshal(r.Agents) // strings are always encoded
	list := [][2]string{
		{"engine_version", strconv.Itoa(sim.EngineVersion)},
		{"ruleset", r.Ruleset.Name},
		{"ruleset_hash", hex.EncodeToString(hash[:])},
		{"starting_points", strconv.Itoa(r.Ruleset.Config.Common().StartingPoints)},
		{"agents", string(agents)},
	}
	switch {
	case r.Seal != nil:
		list = append(list, [2]string{"commitment", r.Seal.Info(false).Commitment})
	case r.Import != nil:
		list = append(list, [2]string{"import", r.Import.Format})
	default:
		list = append(list, [2]string{"seed", strconv.FormatUint(r.Seed, 10)})
	}
	return list
}

func (r *Run) newMaker(rules *ruleset.Rules) *schema.Maker {
	o := schema.MakerOptions{Dealt: r.Record >= schema.Hands, Sealed: r.Seal != nil, Ruleset: r.Ruleset.Name, Agents: r.Agents}
	o.Place = r.Place
	return schema.NewMaker(rules, o)
}

// Place returns the duplicate set of a match and its seating in it.
func (r *Run) Place(match uint64) (set uint64, seating int) {
	if r.Tournament == nil {
		return match, 0
	}
	return r.Tournament.Schedule.SetAndSeating(match)
}

// Keep returns what a sim.Match must keep for the tables of the run.
func (r *Run) Keep() sim.KeepFlags {
	return [...]sim.KeepFlags{
		schema.Hands:     sim.KeepValues,
		schema.Decisions: sim.KeepValues | sim.KeepChoices,
	}[r.Record]
}
