package env

import (
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// setup checks an Open and returns what it asks for.
func (e *Env) setup(o *envv1.Open) (*setup, *refusal) {
	s := &setup{
		tables: int(o.Tables), seed: o.Seed, rotate: o.RotateSeats, auto: o.AutoReset,
		hand: o.Episode == envv1.Episode_EPISODE_HAND, minBatch: int(o.MinBatch),
	}
	if limit := e.options.MaxTables; o.Tables < 1 || int64(o.Tables) > int64(limit) {
		return nil, refuse(envv1.ErrorCode_ERROR_CODE_BAD_TABLES, "%d tables; allowed: 1 to %d", o.Tables, limit)
	}
	if o.Episode < envv1.Episode_EPISODE_UNSPECIFIED || o.Episode > envv1.Episode_EPISODE_HAND {
		return nil, refuse(envv1.ErrorCode_ERROR_CODE_BAD_OPTION, "episode %d is unknown; allowed: match and hand", o.Episode)
	}
	if n := len(o.Seeds); n != 0 && n != 8*s.tables {
		return nil, refuse(envv1.ErrorCode_ERROR_CODE_BAD_LENGTH, "column seeds has %d bytes; %d tables need %d, or none", n, s.tables, 8*s.tables)
	}
	var refused *refusal
	if s.opened, refused = e.openRules(o); refused != nil {
		return nil, refused
	}
	_, s.debts = s.rules.Scorer.(ruleset.DebtCollector)
	if o.Observation != "" {
		if s.spec, refused = e.observation(o.Observation); refused != nil {
			return nil, refused
		}
	}
	if refused := e.setSeats(s, o.Seats); refused != nil {
		return nil, refused
	}
	return s, nil
}

// openRules returns the rules an Open names. No file is read for a client.
func (e *Env) openRules(o *envv1.Open) (opened, *refusal) {
	switch r := o.Rules.(type) {
	case *envv1.Open_Preset:
		rules, ok := e.presets[r.Preset]
		if !ok {
			return opened{}, refuse(envv1.ErrorCode_ERROR_CODE_BAD_RULESET, "there is no preset %q; presets: %s", brief(r.Preset), strings.Join(configs.Names(), ", "))
		}
		return rules, nil
	case *envv1.Open_Toml:
		rules, err := configs.Read("ruleset", []byte(r.Toml))
		if err != nil {
			return opened{}, refuse(envv1.ErrorCode_ERROR_CODE_BAD_RULESET, "%v", err)
		}
		return opened{rules.Rules(), describeRuleset(rules)}, nil
	}
	return opened{}, refuse(envv1.ErrorCode_ERROR_CODE_BAD_RULESET, "no rules are named; set preset or toml")
}

// maxName is the number of bytes of a name, such as an agent's with its options.
const maxName = 200

// brief returns the part of a name that an error repeats.
func brief(name string) string { return name[:min(len(name), maxName)] }

// setSeats sets who plays.
func (e *Env) setSeats(s *setup, entries []string) *refusal {
	if len(entries) == 0 {
		entries = slices.Repeat([]string{External}, sim.NumPlayers)
	}
	if n := len(entries); n != sim.NumPlayers && n != sim.NumPlayers*s.tables {
		return refuse(envv1.ErrorCode_ERROR_CODE_BAD_SEATS, "%d seats; allowed: none, %d, or %d for %d tables", n, sim.NumPlayers, sim.NumPlayers*s.tables, s.tables)
	}
	numbers := map[string]uint8{External: external}
	s.seats = make([][sim.NumPlayers]uint8, len(entries)/sim.NumPlayers)
	for i, entry := range entries {
		n, ok := numbers[entry]
		if !ok {
			if len(s.makers) == maxAgents {
				return refuse(envv1.ErrorCode_ERROR_CODE_BAD_SEATS, "more than %d different agents", maxAgents).at(i)
			}
			if len(entry) > maxName {
				return refuse(envv1.ErrorCode_ERROR_CODE_BAD_SEATS, "seats: the name of an agent has %d bytes; allowed: %d", len(entry), maxName).at(i)
			}
			maker, err := e.options.NewAgent(entry)
			if err != nil {
				return refuse(envv1.ErrorCode_ERROR_CODE_BAD_SEATS, "seats: %v; or %q for the client", err, External).at(i)
			}
			n = uint8(len(s.makers))
			numbers[entry] = n
			s.makers = append(s.makers, maker)
		}
		s.seats[i/sim.NumPlayers][i%sim.NumPlayers] = n
	}
	for i, seats := range s.seats {
		if !slices.Contains(seats[:], external) {
			return refuse(envv1.ErrorCode_ERROR_CODE_BAD_SEATS, "the client plays for nobody; at least one of four seats must be %q", External).at(sim.NumPlayers * i)
		}
	}
	return nil
}
