package rating

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/variant"
	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/internal/export/seal"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Season is a suite with the seed from which its walls and rulesets follow.
type Season struct {
	Suite *Suite
	// Seal has the secret seed, nil for the public one.
	Seal *seal.Seal
	// Parts are the parts of the suite, in order.
	Parts []Part
}

// Part is the matches against one opponent under one ruleset.
type Part struct {
	// Dir is the name of the folder of its dataset, in the folder of the result.
	Dir string
	Opponent
	Rules *configs.Ruleset
}

// PublicSeason returns the suite with its public seed.
func (s *Suite) PublicSeason() (*Season, error) { return s.season(nil) }

// ErrNotRevealed is the error of a season whose seed is not known.
var ErrNotRevealed = errors.New("the season is not revealed")

// sealDigest identifies the suite in its seal files.
func (s *Suite) sealDigest() string { return "season of " + s.Name + " " + s.Digest() }

// NewSeason draws a secret seed for a season and writes it to a new file, which only its
// owner may read.
func (s *Suite) NewSeason(path string) (*seal.Seal, error) {
	drawn := seal.New()
	return drawn, drawn.WriteFile(path, s.sealDigest())
}

// ReadSeason returns the suite with the secret seed in a file. If revealed is set, others may
// read the file; otherwise that is an error.
func (s *Suite) ReadSeason(ctx context.Context, path string, revealed bool) (*Season, error) {
	read := seal.ReadFile
	if revealed {
		read = seal.ReadRevealed
	}
	found, run, err := read(ctx, path)
	switch {
	case err != nil:
		return nil, err
	case run != s.sealDigest():
		return nil, fmt.Errorf("%s: it is not the seed of a season of %s; name the file of this suite", path, s.Name)
	}
	return s.season(found)
}

// season returns the suite with a seal, nil for the public seed.
func (s *Suite) season(sealed *seal.Seal) (*Season, error) {
	n := &Season{Suite: s, Seal: sealed}
	if s.Draw == nil {
		base := Base{Preset: s.Ruleset, Signature: s.Signature}
		r, err := base.open()
		if err != nil {
			return nil, err
		}
		for _, o := range s.Opponents {
			n.Parts = append(n.Parts, Part{o.Agent, o, r})
		}
		return n, nil
	}
	for i := range s.Draw.Rulesets {
		r, err := n.drawRuleset(i)
		if err != nil {
			return nil, err
		}
		for _, o := range s.Opponents {
			n.Parts = append(n.Parts, Part{"rules-" + strconv.Itoa(i+1) + "-" + o.Agent, o, r})
		}
	}
	return n, nil
}

// rulesDomain separates the random stream of rulesets; see docs/determinism.md.
const rulesDomain = "sparrowhall suite rules 1"

// maxDraws is the largest number of attempts to draw knobs that agree with each other.
const maxDraws = 1000

// drawRuleset returns ruleset i of the season. Its name is that of the base and the number,
// so that it does not lead to other rules that a player may know.
func (n *Season) drawRuleset(i int) (*configs.Ruleset, error) {
	base := n.Suite.Draw.Bases[i%len(n.Suite.Draw.Bases)]
	r, err := base.open()
	if err != nil {
		return nil, err
	}
	key := []byte(rulesDomain)
	if n.Seal != nil {
		key = append(key, n.Seal.Secret()[:]...)
	} else {
		key = binary.LittleEndian.AppendUint64(key, n.Suite.Seed)
	}
	key = binary.LittleEndian.AppendUint64(key, uint64(i))
	draw := rand.New(rand.NewChaCha8(sha256.Sum256(key)))
	source := variant.Source{Path: base.Preset, Ruleset: r}
	for range maxDraws {
		var changes []variant.Change
		for _, k := range draw.Perm(len(base.Knobs))[:n.Suite.Draw.Changes] {
			list, err := source.Parse(base.Knobs[k], false)
			if err != nil {
				return nil, err
			}
			changes = append(changes, list[draw.IntN(len(list))])
		}
		changed, err := source.Apply(changes)
		if err != nil {
			continue // the knobs contradict each other
		}
		changed.Name = fmt.Sprintf("%s %s %d", n.Suite.Name, base.Preset, i+1)
		return changed, nil
	}
	return nil, fmt.Errorf("suite %s: no %d changes of %s agree with each other", n.Suite.Name, n.Suite.Draw.Changes, base.Preset)
}

// EntrantName returns the name of the entrant in the datasets. No opponent has such a name.
func EntrantName(name string) string { return "entrant " + name }

// fileMatches is the number of matches of a file: an interrupted rating loses at most as many.
const fileMatches = 4 * sim.BlockSize

// Run returns the run of a part for an entrant. With most above 0 it has at most so many
// matches, rounded up to whole duplicate sets.
func (n *Season) Run(p *Part, entrant string, most uint64) (*dataset.Run, error) {
	seats := p.Rules.Config.Common().NumSeats()
	matches := p.Matches
	if most > 0 {
		matches = min(matches, most)
	}
	rotations := uint64(arena.Rotations(seats))
	schedule, err := arena.New(arena.Plan{
		Seats: seats, Seed: n.Suite.Seed, Agents: 2, Selection: arena.FirstAgainstOthers, Repeats: true,
		Seatings: arena.Rotations(seats), Rounds: (matches + rotations - 1) / rotations,
	})
	if err != nil {
		return nil, err
	}
	run := &dataset.Run{
		Ruleset: p.Rules, Seed: n.Suite.Seed, Matches: schedule.Matches(), Agents: []string{EntrantName(entrant), p.Agent},
		Record: schema.Matches, FileMatches: fileMatches, Tournament: &dataset.Tournament{Schedule: schedule},
	}
	if n.Seal != nil {
		// A shard does not reveal the seed when it is complete: others have yet to play.
		run.Shard = dataset.Shard{Number: 1, Of: 1}
		run.SetSeal(n.Seal)
	}
	return run, run.Check()
}
