// Package balance compares a ruleset with all presets, by figures in units that all families
// share. They cover the share of skill in results, the worth of the seats, and the length and
// tempo of play, also changes of the lead, the volatility of results, and the diversity of
// patterns.
//
//	job := &balance.Job{Ruleset: r, Matches: 1000, Seed: 1, NewAgent: agents.New, Workers: 2}
//	err := job.Check()
//	p, err := balance.Play(ctx, job, bar)
//	presets, err := balance.Presets(p.Players)
//	for _, remark := range balance.Remarks(p.Compare(presets)) {
//		fmt.Println(remark)
//	}
package balance

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Field is the players who play against each other.
type Field struct {
	// Name describes the field; Agents are the specs of the players.
	Name   string
	Agents []string
	// Duplicate reports whether the players play duplicate sets in all rotations, which
	// separates the luck of the walls from that of play.
	Duplicate bool
}

// NumFields is the number of fields of a profile.
const NumFields = 3

// Fields returns the fields of a profile of a ruleset for 3 or 4 players, in the order of the
// datasets of a job.
func Fields(players int) [NumFields]Field {
	strong := []string{"expert", "value", "value:defence=off", "greedy"}
	if players < sim.NumPlayers {
		strong = []string{"expert", "value", "greedy"}
	}
	return [...]Field{
		{"equal", slices.Repeat([]string{"value"}, players), false},
		WithBeginner(players),
		{"without a beginner", strong, true},
	}
}

// WithBeginner returns a field of 3 or 4 players of different strengths, the last of whom plays
// at random.
func WithBeginner(players int) Field {
	agents := []string{"expert", "value", "greedy", "random"}
	return Field{"with a beginner", agents[len(agents)-players:], true}
}

// Schedule returns the tournament of a duplicate field, nil for others.
// Matches must be a multiple of the number of players.
func (f *Field) Schedule(seed, matches uint64) (*dataset.Tournament, error) {
	if !f.Duplicate {
		return nil, nil
	}
	n := len(f.Agents)
	s, err := arena.New(arena.Plan{Seats: n, Seed: seed, Agents: n, Selection: arena.EveryLineup, Seatings: arena.Rotations(n), Rounds: matches / uint64(n)})
	if err != nil {
		return nil, err
	}
	return &dataset.Tournament{Schedule: s}, nil
}

// Group is a heading of figures.
type Group string

// The groups, in the order of a profile.
const (
	Skill      Group = "Luck and skill"
	Seats      Group = "Seats and first mover"
	Length     Group = "Length"
	Tempo      Group = "Tempo"
	Comeback   Group = "Comebacks"
	Volatility Group = "Volatility"
	Economy    Group = "Economy of patterns"
	Adapting   Group = "Players who adapt"
)

// Groups lists the groups in the order of a profile.
var Groups = []Group{Skill, Seats, Length, Tempo, Comeback, Volatility, Economy, Adapting}

// Figure is a figure of a ruleset with its 95 % interval.
type Figure struct {
	Group Group `json:"group"`
	// Name is the same under all rulesets, About explains it.
	Name  string     `json:"name"`
	About string     `json:"about"`
	Unit  stats.Unit `json:"unit"`
	Value float64    `json:"value"`
	// Error is the standard error. Low and High are the 95 % interval, or missing.
	Error float64         `json:"error"`
	Low   interval.Number `json:"low"`
	High  interval.Number `json:"high"`
	// Cases is the number of cases, Per their kind, such as matches.
	Cases float64 `json:"cases"`
	Per   string  `json:"per"`
}

// Text returns the figure with its interval.
func (f *Figure) Text() string {
	e := stats.Estimate{Value: f.Value, Error: f.Error, Count: f.Cases, Low: f.Low, High: f.High}
	return e.Text(f.Unit)
}

// rounded returns the figure without its interval.
func (f *Figure) rounded() string {
	e := stats.Estimate{Value: f.Value, Error: f.Error}
	return e.Rounded(f.Unit)
}

// Profile is the figures of a ruleset, comparable between all families.
type Profile struct {
	// Ruleset is the name, Hash identifies the rules, and Engine is the version of the
	// engine that played.
	Ruleset string `json:"ruleset"`
	Family  string `json:"family"`
	// Players is the number of players of a match.
	Players int    `json:"players"`
	Hash    string `json:"ruleset_hash"`
	Engine  int    `json:"engine_version"`
	// Seed and Matches are the seed and the number of matches of each field.
	Seed    uint64   `json:"seed"`
	Matches uint64   `json:"matches"`
	Figures []Figure `json:"figures"`
	// Prices compares the prices of patterns with their rarity among the wins of equal
	// players, the largest deviations first. Presets do not have it.
	Prices []stats.PatternPrice `json:"prices,omitempty"`
	// Offered compares the prices with the rarity of opportunities. Adaptation is the result
	// of a player tuned for the ruleset, or nil. Presets have neither.
	Offered    []stats.PatternPrice `json:"offered,omitempty"`
	Adaptation *stats.Adaptation    `json:"adaptation,omitempty"`
}

// handsAMatch is the name of the figure that is 1 where a match is one hand.
const handsAMatch = "hands a match"

// Figure returns the figure of a name, nil if there is none.
func (v *Profile) Figure(name string) *Figure {
	if i := slices.IndexFunc(v.Figures, func(f Figure) bool { return f.Name == name }); i >= 0 {
		return &v.Figures[i]
	}
	return nil
}

// collect computes the profile of a ruleset from a dataset for each of [Fields], with hands
// recorded, and from the result of a player tuned for it, which may be nil. workers, at least 1,
// does not change the profile.
func collect(ctx context.Context, dirs []string, adaptation *stats.Adaptation, workers int) (*Profile, error) {
	if len(dirs) != NumFields {
		return nil, fmt.Errorf("balance: %d datasets of %d fields", len(dirs), NumFields)
	}
	var all [NumFields]*stats.Summary
	for i, dir := range dirs {
		r, err := stats.Collect(ctx, []string{dir}, nil, nil)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			if err := r.MeasureOpportunities(ctx, dataset.Open, workers, nil); err != nil {
				return nil, err
			}
		}
		all[i] = &r.Datasets[0]
	}
	equal := all[0]
	d, err := dataset.Open(dirs[0])
	if err != nil {
		return nil, err
	}
	more, err := derive(d)
	if err != nil {
		return nil, err
	}
	v := &Profile{
		Ruleset: equal.Ruleset, Family: equal.Family, Players: d.Rules().NumSeats(), Hash: equal.Hash, Engine: d.Manifest.EngineVersion,
		Seed: equal.Seed, Matches: equal.Matches, Prices: equal.Prices, Offered: equal.Offered, Adaptation: adaptation,
	}
	fields := Fields(v.Players)
	v.addSkill(all[1], all[2], fields[1].list(), fields[2].list())
	v.addShared(equal)
	v.makeRelative("rank, starts ", func(x, mean float64) float64 { return x - mean }, stats.Rank)
	v.makeRelative("wins of the ", func(x, mean float64) float64 { return x / mean }, stats.Times)
	v.Figures = append(v.Figures, more...)
	v.addOffered()
	v.addAdapted(equal)
	slices.SortStableFunc(v.Figures, func(a, b Figure) int {
		return slices.Index(Groups, a.Group) - slices.Index(Groups, b.Group)
	})
	return v, nil
}

// makeRelative replaces the figures whose names have a prefix, one for each seat, by figures
// relative to their mean, which depends on shared ranks and drawn hands. relative computes such a
// figure, whose unit is u.
func (v *Profile) makeRelative(prefix string, relative func(x, mean float64) float64, u stats.Unit) {
	var list []*Figure
	mean := 0.0
	for i := range v.Figures {
		if f := &v.Figures[i]; strings.HasPrefix(f.Name, prefix) {
			list = append(list, f)
			mean += f.Value / float64(v.Players)
		}
	}
	for _, f := range list {
		f.Unit = u
		if mean == 0 {
			continue // no hand was won
		}
		f.Error = relative(f.Value+f.Error, mean) - relative(f.Value, mean)
		f.Value, f.Low, f.High = relative(f.Value, mean), interval.Number(relative(float64(f.Low), mean)), interval.Number(relative(float64(f.High), mean))
	}
}

// addComponent adds a component of the variance of ranks.
func (v *Profile) addComponent(name, about string, s *stats.Skill, c *stats.Component) {
	if !c.Share.Known() || !c.Low.Known() {
		return
	}
	v.Figures = append(v.Figures, Figure{
		Group: Skill, Name: name, About: about, Unit: stats.Share, Value: float64(c.Share), Error: float64(c.Error),
		Low: c.Low, High: c.High, Cases: float64(s.Sets * s.SetMatches), Per: "matches",
	})
}

func (f *Field) list() string {
	n := len(f.Agents)
	return strings.Join(f.Agents[:n-1], ", ") + " and " + f.Agents[n-1]
}

// addSkill adds the components of luck and skill, and the matches that separate two agents.
// names lists the players of the field with a beginner, strongNames those of the other.
func (v *Profile) addSkill(beginner, strong *stats.Summary, names, strongNames string) {
	if s := beginner.SkillByRank; s != nil {
		v.addComponent("skill with a beginner", "share of the variance of ranks that comes from the players: "+names, s, &s.Skill)
	}
	if s := strong.SkillByRank; s != nil {
		v.addComponent("skill without a beginner", "the same for "+strongNames, s, &s.Skill)
		v.addComponent("luck of the walls", "share that comes from the walls of a seat, for any player", s, &s.Walls)
		v.addComponent("luck of play", "the rest: who draws which tiles in the course of play", s, &s.Rest)
	}
	if s := beginner.SkillByRank; s != nil {
		for i := range s.Pairs {
			p := &s.Pairs[i]
			if p.A != "value" || p.B != "greedy" || !p.NeededHigh.Known() {
				continue
			}
			v.Figures = append(v.Figures, Figure{
				Group: Skill, Name: "matches to tell apart", About: "matches that show by ranks that value plays better than greedy", Unit: stats.Times,
				Value: float64(p.NeededAlone), Error: float64(p.NeededAlone) / 10, Low: p.NeededLow * p.NeededAlone / p.Needed,
				High: p.NeededHigh * p.NeededAlone / p.Needed, Cases: float64(s.Sets * s.SetMatches), Per: "matches",
			})
		}
	}
}

// sharedFigure is a figure of a report that is comparable between all rulesets.
type sharedFigure struct {
	group Group
	name  string
	key   stats.Key
	about string
}

var sharedFigures = []sharedFigure{
	{Seats, "rank, starts East", stats.Key{Section: "seat", Name: "rank", Of: "east"}, "mean rank of the player who starts in this seat less the mean of all; below 0 is better"},
	{Seats, "rank, starts South", stats.Key{Section: "seat", Name: "rank", Of: "south"}, ""},
	{Seats, "rank, starts West", stats.Key{Section: "seat", Name: "rank", Of: "west"}, ""},
	{Seats, "rank, starts North", stats.Key{Section: "seat", Name: "rank", Of: "north"}, ""},
	{Seats, "wins of the first mover", stats.Key{Section: "dealer", Name: "win", Of: "east"}, "hands won by the player who deals and moves first, relative to the mean player"},
	{Seats, "wins of the second", stats.Key{Section: "dealer", Name: "win", Of: "south"}, ""},
	{Seats, "wins of the third", stats.Key{Section: "dealer", Name: "win", Of: "west"}, ""},
	{Seats, "wins of the last", stats.Key{Section: "dealer", Name: "win", Of: "north"}, ""},
	{Length, handsAMatch, stats.Key{Section: "match", Name: "hands"}, ""},
	{Length, "decisions a match", stats.Key{Section: "match", Name: "decisions"}, "decisions of all players"},
	{Length, "discards a hand", stats.Key{Section: "hand", Name: "discards"}, ""},
	{Tempo, "turns to win", stats.Key{Section: "win", Name: "turns"}, "turns until a hand is won"},
	{Tempo, "hands won", stats.Key{Section: "hand", Name: "won"}, ""},
	{Tempo, "hands won by self-draw", stats.Key{Section: "hand", Name: "self_draw"}, ""},
	{Tempo, "players who call", stats.Key{Section: "hand", Name: "open"}, "players of a hand who called"},
	{Tempo, "players who declare", stats.Key{Section: "hand", Name: "ready"}, "players of a hand who declared ready"},
	{Comeback, "lead changes a match", stats.Key{Section: "match", Name: "lead_changes"}, ""},
	{Comeback, "last hand decides", stats.Key{Section: "match", Name: "last_hand_decides"}, "matches whose winner did not lead before the last hand"},
	{Comeback, "from last to first", stats.Key{Section: "match", Name: "comeback_from_last"}, "matches won by the player who was last after half of the hands"},
	{Comeback, "led all the way", stats.Key{Section: "match", Name: "wire_to_wire"}, "matches whose winner led after every hand but draws"},
}

// addShared adds the figures of a report of equal players.
func (v *Profile) addShared(s *stats.Summary) {
	for _, p := range sharedFigures {
		f := s.Figure(p.key)
		if f == nil || f.Count == 0 {
			continue
		}
		v.Figures = append(v.Figures, Figure{
			Group: p.group, Name: p.name, About: p.about, Unit: f.Unit, Value: f.Value, Error: f.Error, Low: f.Low, High: f.High,
			Cases: f.Count, Per: f.Per,
		})
	}
}
