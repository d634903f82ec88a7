// Package rating measures a player against a frozen pool: the yardstick.
//
//	s, err := rating.Open("riichi-2")
//	season, err := s.PublicSeason()
//	result, err := rating.Compute(ctx, dir, season, entrant, 0, options)
//	again, err := rating.Check(ctx, "runs/mine/result.json", openSeason, options)
//
// A [Suite] names a ruleset, opponents whose play never changes, and the number of matches
// against each. The entrant has one seat among copies of one opponent, in duplicate sets. A
// [Result] has figures for each opponent and one rating: the maximum-likelihood estimate in the
// model of Plackett and Luce, with the ratings of the opponents fixed.
package rating

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/suggest"
	"github.com/sparrowhall/sparrowhall/sim"
)

//go:embed suites/*.toml
var embedded embed.FS

// files has the suites; tests replace it.
var files fs.FS = embedded

// Anchor is the rating of the player value, which fixes the scale.
const Anchor = 1500

// Suite is a frozen yardstick. A change of anything in it needs a new name.
type Suite struct {
	// Name is the name of the file, Description a line for tables.
	Name        string `toml:"name"`
	Description string `toml:"description"`
	// Ruleset is a preset, Signature the hash of its knobs; both are empty if Draw is set.
	Ruleset   string `toml:"ruleset"`
	Signature string `toml:"signature"`
	// Engine is the [sim.EngineVersion] that the suite is for.
	Engine int `toml:"engine"`
	// Seed is the public seed for development.
	Seed uint64 `toml:"seed"`
	// Budget is the time for one answer of an external agent, such as "5s".
	Budget    string     `toml:"budget"`
	Opponents []Opponent `toml:"opponents"`
	// Draw sets how rulesets are drawn from the seed, nil for a suite of one ruleset.
	Draw *Draw `toml:"draw"`
}

// Opponent is a player of the pool.
type Opponent struct {
	// Agent is the spec of a built-in agent.
	Agent string `toml:"agent"`
	// Matches is the number of matches under each ruleset, whole duplicate sets.
	Matches uint64 `toml:"matches"`
	// Rating is the rating of the opponent, where value has [Anchor]; 0 if it has none.
	Rating int `toml:"rating"`
}

// Draw is how the rulesets of a suite follow from the seed.
type Draw struct {
	// Rulesets is the number of rulesets, Changes the number of knobs that each changes.
	Rulesets int `toml:"rulesets"`
	Changes  int `toml:"changes"`
	// Bases are the rulesets that are changed, in turn.
	Bases []Base `toml:"bases"`
}

// Base is a preset with the knobs that may be changed.
type Base struct {
	Preset string `toml:"preset"`
	// Signature is the hash of the preset.
	Signature string `toml:"signature"`
	// Knobs has one text for each knob, as [variant.Source.Parse] reads it.
	Knobs []string `toml:"knobs"`
}

// Names returns the names of the suites in alphabetical order.
func Names() []string {
	list, err := fs.Glob(files, "suites/*.toml")
	if err != nil {
		panic(err) // the pattern is malformed
	}
	for i, f := range list {
		list[i] = strings.TrimSuffix(strings.TrimPrefix(f, "suites/"), ".toml")
	}
	return list
}

// Open returns the suite of a name. The error of an unknown name has the nearest names, that
// of a suite whose preset or engine has changed names what changed.
func Open(name string) (*Suite, error) {
	text, err := fs.ReadFile(files, "suites/"+name+".toml")
	if err != nil {
		return nil, fmt.Errorf("unknown suite %q; nearest: %s", name, strings.Join(suggest.Nearest(name, Names(), 3), ", "))
	}
	s, err := parseSuite(text)
	if err != nil {
		return nil, fmt.Errorf("suite %s: %w", name, err)
	}
	return s, nil
}

// parseSuite parses a suite and compares the presets and the engine with it.
func parseSuite(text []byte) (*Suite, error) {
	s := &Suite{}
	if err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(s); err != nil {
		return nil, err
	}
	if s.Engine != sim.EngineVersion {
		return nil, fmt.Errorf("it is for engine version %d, this program has %d; rate with a program of that version", s.Engine, sim.EngineVersion)
	}
	if _, err := time.ParseDuration(s.Budget); err != nil {
		return nil, fmt.Errorf("budget: %w", err)
	}
	bases := []Base{{Preset: s.Ruleset, Signature: s.Signature}}
	if s.Draw != nil {
		bases = s.Draw.Bases
	}
	for _, b := range bases {
		if _, err := b.open(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// open returns the preset. It is an error if the preset has changed.
func (b *Base) open() (*configs.Ruleset, error) {
	r, err := configs.Open(b.Preset)
	if err != nil {
		return nil, err
	}
	if hash := r.Hash(); hex.EncodeToString(hash[:]) != b.Signature {
		return nil, fmt.Errorf("the preset %s has changed: its hash is %x, the suite is for %s; rate with a program of the version of the suite", b.Preset, hash, b.Signature)
	}
	return r, nil
}

// Digest returns the SHA-256 of the suite without the description and the hashes of rulesets.
func (s *Suite) Digest() string {
	plain := *s
	plain.Description, plain.Signature = "", ""
	if s.Draw != nil {
		draw := *s.Draw
		draw.Bases = slices.Clone(draw.Bases)
		for i := range draw.Bases {
			draw.Bases[i].Signature = ""
		}
		plain.Draw = &draw
	}
	text, err := json.Marshal(plain)
	if err != nil {
		panic(err) // every suite has a form
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// Timeout returns the time for one answer of an external agent.
func (s *Suite) Timeout() time.Duration {
	d, err := time.ParseDuration(s.Budget)
	if err != nil {
		panic(err) // parseSuite has checked it
	}
	return d
}
