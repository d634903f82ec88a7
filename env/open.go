package env

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/env/internal/tables"
	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// describedRules is rules and their description for clients.
type describedRules struct {
	ruleset *configs.Ruleset
	rules   *ruleset.Rules // those of ruleset, perhaps with the wall of the first hand
	about   *envv1.Ruleset
}

// config checks an Open and returns the tables that it requests.
func (e *Env) config(o *envv1.Open) (tables.Config, describedRules, *tables.Refusal) {
	c := tables.Config{
		Tables: int(o.Tables), Seed: o.Seed, Seeds: o.Seeds, RotateSeats: o.RotateSeats, AutoReset: o.AutoReset,
		HandEpisodes: o.Episode == envv1.Episode_EPISODE_HAND, MinBatch: int(min(o.MinBatch, math.MaxInt32)), Workers: e.options.Workers,
	}
	if limit := e.options.MaxTables; o.Tables < 1 || int64(o.Tables) > int64(limit) {
		return c, describedRules{}, refuse(envv1.ErrorCode_ERROR_CODE_BAD_TABLES, "%d tables; allowed: 1 to %d", o.Tables, limit)
	}
	if o.Episode < envv1.Episode_EPISODE_UNSPECIFIED || o.Episode > envv1.Episode_EPISODE_HAND {
		return c, describedRules{}, refuse(envv1.ErrorCode_ERROR_CODE_BAD_OPTION, "episode %d is unknown; allowed: match and hand", o.Episode)
	}
	if n := len(o.Seeds); n != 0 && n != 8*c.Tables {
		return c, describedRules{}, refuse(envv1.ErrorCode_ERROR_CODE_BAD_LENGTH, "column seeds has %d bytes; %d tables need %d, or none", n, c.Tables, 8*c.Tables)
	}
	r, refused := e.openRules(o)
	if refused == nil {
		refused = r.setWall(o.Wall)
	}
	c.Rules = r.rules
	if refused == nil && o.Observation != "" {
		c.Observation, refused = e.observation(o.Observation, r.rules.NumSeats())
	}
	if refused == nil && o.LuckAdjusted {
		if f, err := luck.ValueFunctionFor(r.rules); err != nil {
			refused = refuse(envv1.ErrorCode_ERROR_CODE_BAD_OPTION, "luck_adjusted: %v", err)
		} else {
			c.Luck = &f.Linear
		}
	}
	if refused == nil {
		refused = e.setSeats(&c, o.Seats)
	}
	return c, r, refused
}

// openRules returns the rules that an Open names. It reads no files.
func (e *Env) openRules(o *envv1.Open) (describedRules, *tables.Refusal) {
	switch m := o.Rules.(type) {
	case *envv1.Open_Preset:
		r, ok := e.presets[m.Preset]
		if !ok {
			return describedRules{}, refuse(envv1.ErrorCode_ERROR_CODE_BAD_RULESET, "there is no preset %q; presets: %s", brief(m.Preset), strings.Join(configs.Names(), ", "))
		}
		return r, nil
	case *envv1.Open_Toml:
		r, err := configs.Read("ruleset", []byte(m.Toml))
		if err != nil {
			return describedRules{}, refuse(envv1.ErrorCode_ERROR_CODE_BAD_RULESET, "%v", err)
		}
		return describedRules{r, r.Rules(), describeRuleset(r)}, nil
	}
	return describedRules{}, refuse(envv1.ErrorCode_ERROR_CODE_BAD_RULESET, "no rules are named; set preset or toml")
}

// maxWall is the number of bytes of the text of a wall.
const maxWall = 64 << 10

// setWall gives the rules the wall of the first hand that the text has, if any.
func (d *describedRules) setWall(text string) *tables.Refusal {
	if text == "" {
		return nil
	}
	if len(text) > maxWall {
		return refuse(envv1.ErrorCode_ERROR_CODE_BAD_OPTION, "wall: %d bytes; allowed: %d", len(text), maxWall)
	}
	wall, err := sim.ParseFirstWall(&d.rules.Flow, text)
	if err != nil {
		return refuse(envv1.ErrorCode_ERROR_CODE_BAD_OPTION, "wall: %v", err)
	}
	given := *d.rules // those of a preset are shared
	given.FirstWall = wall
	d.rules = &given
	return nil
}

// maxName is the number of bytes of a name, such as an agent's with its options or file.
const maxName = 1000

// brief returns the part of a name that an error repeats.
func brief(name string) string { return name[:min(len(name), maxName)] }

// setSeats sets the agents and seats of an Open.
func (e *Env) setSeats(c *tables.Config, entries []string) *tables.Refusal {
	seats := c.Rules.NumSeats()
	if len(entries) == 0 {
		entries = slices.Repeat([]string{External}, seats)
	}
	if n := len(entries); n != seats && n != seats*c.Tables {
		return refuse(envv1.ErrorCode_ERROR_CODE_BAD_SEATS, "%d seats; %s is for %d players, so allowed: none, %d, or %d for %d tables",
			n, c.Rules.Name, seats, seats, seats*c.Tables, c.Tables)
	}
	var refused *tables.Refusal
	c.Seats, refused = e.readSeats(c, entries)
	return refused
}

// readSeats returns the seats of tables, and adds the agents that are new to those of c.
func (e *Env) readSeats(c *tables.Config, entries []string) ([][sim.NumPlayers]uint8, *tables.Refusal) {
	seats := c.Rules.NumSeats()
	list := make([][sim.NumPlayers]uint8, len(entries)/seats)
	agents := c.Agents
	numbers := map[string]uint8{External: tables.External}
	for i, a := range agents {
		numbers[a.Name] = uint8(i)
	}
	for i, entry := range entries {
		n, ok := numbers[entry]
		if !ok {
			if len(agents) == maxAgents {
				return nil, refuse(envv1.ErrorCode_ERROR_CODE_BAD_SEATS, "more than %d different agents", maxAgents).AtRow(i)
			}
			if len(entry) > maxName {
				return nil, refuse(envv1.ErrorCode_ERROR_CODE_BAD_SEATS, "seats: the name of an agent has %d bytes; allowed: %d", len(entry), maxName).AtRow(i)
			}
			newAgent, err := e.options.NewAgent(entry)
			if err != nil {
				if !strings.Contains(entry, ":") {
					err = fmt.Errorf("%w; %q is the client itself", err, External)
				}
				return nil, refuse(envv1.ErrorCode_ERROR_CODE_BAD_SEATS, "seats: %v", err).AtRow(i)
			}
			if err := sim.StartAgent(newAgent(), c.Rules); err != nil {
				return nil, refuse(envv1.ErrorCode_ERROR_CODE_BAD_SEATS, "seats: %v", err).AtRow(i)
			}
			n = uint8(len(agents))
			numbers[entry] = n
			agents = append(agents, tables.Agent{Name: entry, New: newAgent})
		}
		list[i/seats][i%seats] = n
	}
	for i, s := range list {
		if !slices.Contains(s[:seats], tables.External) {
			return nil, refuse(envv1.ErrorCode_ERROR_CODE_BAD_SEATS, "the client plays for no player; at least one of %d seats must be %q", seats, External).AtRow(seats * i)
		}
	}
	c.Agents = agents
	return list, nil
}
