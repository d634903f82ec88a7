// Package balance sets what a ruleset makes of a match beside what the presets make of it:
// how much of the result is skill, what the seats are worth, how long and how fast play is,
// how the lead changes, how wild it is, and how rich the patterns are. Its figures are in
// units that all families share, so that any ruleset stands beside all presets.
package balance

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/export/report"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/arena"
)

// Field is four players at a table and what their matches tell.
type Field struct {
	// Name says who they are, Agents their names in the registry of players.
	Name   string
	Agents [sim.NumPlayers]string
	// Duplicate tells that the players change seats at the same walls, so that luck of the
	// walls can be told from that of play.
	Duplicate bool
}

// Fields are those that play for a view, in the order of the datasets of [Collect]. All
// are published players, whose play does not move.
var Fields = [...]Field{
	{"equal", [...]string{"value", "value", "value", "value"}, false},
	WithBeginner,
	{"without a beginner", [...]string{"expert", "value", "value:defence=off", "greedy"}, true},
}

// WithBeginner is the field of players of four strengths, one of whom does not know how
// to play.
var WithBeginner = Field{"with a beginner", [...]string{"expert", "value", "greedy", "random"}, true}

// Schedule returns the tournament that a field of changing seats plays, nil for others.
// Matches must be a multiple of [arena.Rotations].
func (f *Field) Schedule(seed, matches uint64) (*export.Tournament, error) {
	if !f.Duplicate {
		return nil, nil
	}
	s, err := arena.New(arena.Plan{Seed: seed, Agents: sim.NumPlayers, Selection: arena.Every, Seatings: arena.Rotations, Rounds: matches / arena.Rotations})
	if err != nil {
		return nil, err
	}
	return &export.Tournament{Schedule: s}, nil
}

// Group is what figures tell of.
type Group string

// The groups, in the order of a view.
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

// Groups lists the groups in the order of a view.
var Groups = []Group{Skill, Seats, Length, Tempo, Comeback, Volatility, Economy, Adapting}

// Figure is a figure of a ruleset with its 95 % interval.
type Figure struct {
	Group Group `json:"group"`
	// Name is the same under all rulesets, About says what it is.
	Name  string      `json:"name"`
	About string      `json:"about"`
	Unit  report.Unit `json:"unit"`
	Value float64     `json:"value"`
	// Error is the standard error. Low and High are missing where nothing can be said.
	Error float64       `json:"error"`
	Low   export.Number `json:"low"`
	High  export.Number `json:"high"`
	// Cases is of how many cases of the kind Per it is.
	Cases float64 `json:"cases"`
	Per   string  `json:"per"`
}

// Text returns the figure with its interval.
func (f *Figure) Text() string {
	e := report.Estimate{Value: f.Value, Error: f.Error, Count: f.Cases, Low: f.Low, High: f.High}
	return e.Text(f.Unit)
}

// Short returns the figure alone.
func (f *Figure) Short() string {
	e := report.Estimate{Value: f.Value, Error: f.Error}
	return e.Rounded(f.Unit)
}

// View is what is known of a ruleset.
type View struct {
	// Ruleset is the name, Hash that of the rules, Engine the version of the engine that
	// played.
	Ruleset string `json:"ruleset"`
	Family  string `json:"family"`
	Hash    string `json:"ruleset_hash"`
	Engine  int    `json:"engine_version"`
	// Seed and Matches are those of each field.
	Seed    uint64   `json:"seed"`
	Matches uint64   `json:"matches"`
	Figures []Figure `json:"figures"`
	// Prices sets the prices of patterns beside how rare they are among the wins of equal
	// players, those farthest off first. Presets are kept without.
	Prices []report.PatternPrice `json:"prices,omitempty"`
	// Offered does the same with how rare they are among what these players are offered,
	// and Adaptation says what a player makes of the ruleset who has adapted to it, nil if
	// none did. Of presets the figures alone are kept.
	Offered    []report.PatternPrice `json:"offered,omitempty"`
	Adaptation *report.Adaptation    `json:"adaptation,omitempty"`
}

// Figure returns the figure of a name, nil if there is none.
func (v *View) Figure(name string) *Figure {
	if i := slices.IndexFunc(v.Figures, func(f Figure) bool { return f.Name == name }); i >= 0 {
		return &v.Figures[i]
	}
	return nil
}

// Collect works out the view of a ruleset from a dataset for each of [Fields], with hands
// recorded, and from what is known of a player who has adapted to it, nil if nothing is.
func Collect(ctx context.Context, dirs []string, adaptation *report.Adaptation) (*View, error) {
	if len(dirs) != len(Fields) {
		return nil, fmt.Errorf("balance: %d datasets of %d fields", len(dirs), len(Fields))
	}
	var all [len(Fields)]*report.Summary
	for i, dir := range dirs {
		r, err := report.Collect(ctx, []string{dir}, nil, nil)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			if err := r.Offer(ctx, nil); err != nil {
				return nil, err
			}
		}
		all[i] = &r.Datasets[0]
	}
	equal := all[0]
	d, err := export.Open(dirs[0])
	if err != nil {
		return nil, err
	}
	more, err := derive(d)
	if err != nil {
		return nil, err
	}
	v := &View{
		Ruleset: equal.Ruleset, Family: equal.Family, Hash: equal.Hash, Engine: d.Manifest.EngineVersion,
		Seed: equal.Seed, Matches: equal.Matches, Prices: equal.Prices, Offered: equal.Offered, Adaptation: adaptation,
	}
	v.addSkill(all[1], all[2])
	v.addShared(equal)
	v.relate("rank, starts ", func(x, mean float64) float64 { return x - mean }, report.Rank)
	v.relate("wins of the ", func(x, mean float64) float64 { return x / mean }, report.Times)
	v.Figures = append(v.Figures, more...)
	v.addOffered()
	v.addAdapted(equal)
	slices.SortStableFunc(v.Figures, func(a, b Figure) int {
		return slices.Index(Groups, a.Group) - slices.Index(Groups, b.Group)
	})
	return v, nil
}

// relate sets the figures whose names begin alike, one for each seat, in relation to their
// mean: ranks that are shared and hands that nobody wins would move all of them.
func (v *View) relate(name string, to func(x, mean float64) float64, u report.Unit) {
	var list []*Figure
	mean := 0.0
	for i := range v.Figures {
		if f := &v.Figures[i]; strings.HasPrefix(f.Name, name) {
			list = append(list, f)
			mean += f.Value / sim.NumPlayers
		}
	}
	for _, f := range list {
		f.Unit = u
		if mean == 0 {
			continue // nobody won
		}
		f.Error = to(f.Value+f.Error, mean) - to(f.Value, mean)
		f.Value, f.Low, f.High = to(f.Value, mean), export.Number(to(float64(f.Low), mean)), export.Number(to(float64(f.High), mean))
	}
}

// part adds a part of the variance of ranks.
func (v *View) part(name, about string, s *report.Skill, c *report.Component) {
	if !c.Share.Known() || !c.Low.Known() {
		return
	}
	v.Figures = append(v.Figures, Figure{
		Group: Skill, Name: name, About: about, Unit: report.Share, Value: float64(c.Share), Error: float64(c.High-c.Low) / 4,
		Low: c.Low, High: c.High, Cases: float64(s.Sets * s.SetMatches), Per: "matches",
	})
}

// addSkill adds what is luck and what is skill.
func (v *View) addSkill(beginner, strong *report.Summary) {
	if s := beginner.SkillByRank; s != nil {
		v.part("skill with a beginner", "part of the variance of ranks that is who plays: expert, value, greedy and random", s, &s.Skill)
	}
	if s := strong.SkillByRank; s != nil {
		v.part("skill without a beginner", "the same of expert, value, value without defence, and greedy", s, &s.Skill)
		v.part("luck of the walls", "part of it that is what the walls bring a seat, whoever sits there", s, &s.Walls)
		v.part("luck of play", "the rest: which tiles meet whom as play goes on", s, &s.Rest)
	}
	if s := beginner.SkillByRank; s != nil {
		for i := range s.Pairs {
			p := &s.Pairs[i]
			if p.A != "value" || p.B != "greedy" || !p.NeededHigh.Known() {
				continue
			}
			v.Figures = append(v.Figures, Figure{
				Group: Skill, Name: "matches to tell apart", About: "matches that show by their ranks that value plays better than greedy", Unit: report.Times,
				Value: float64(p.NeededAlone), Error: float64(p.NeededAlone) / 10, Low: p.NeededLow * p.NeededAlone / p.Needed,
				High: p.NeededHigh * p.NeededAlone / p.Needed, Cases: float64(s.Sets * s.SetMatches), Per: "matches",
			})
		}
	}
}

// shared is a figure of a report that is the same thing under all rulesets.
type shared struct {
	group Group
	name  string
	key   report.Key
	about string
}

var sharedFigures = []shared{
	{Seats, "rank, starts East", report.Key{Section: "seat", Name: "rank", Of: "east"}, "by how much the mean rank of who starts in this seat is behind that of all; below 0 it is better"},
	{Seats, "rank, starts South", report.Key{Section: "seat", Name: "rank", Of: "south"}, ""},
	{Seats, "rank, starts West", report.Key{Section: "seat", Name: "rank", Of: "west"}, ""},
	{Seats, "rank, starts North", report.Key{Section: "seat", Name: "rank", Of: "north"}, ""},
	{Seats, "wins of the first mover", report.Key{Section: "dealer", Name: "win", Of: "east"}, "hands won by the player who deals and moves first, times those of a mean player"},
	{Seats, "wins of the second", report.Key{Section: "dealer", Name: "win", Of: "south"}, ""},
	{Seats, "wins of the third", report.Key{Section: "dealer", Name: "win", Of: "west"}, ""},
	{Seats, "wins of the last", report.Key{Section: "dealer", Name: "win", Of: "north"}, ""},
	{Length, "hands a match", report.Key{Section: "match", Name: "hands"}, ""},
	{Length, "decisions a match", report.Key{Section: "match", Name: "decisions"}, "decisions of all four players"},
	{Length, "discards a hand", report.Key{Section: "hand", Name: "discards"}, ""},
	{Tempo, "turns to win", report.Key{Section: "win", Name: "turns"}, "turns until a hand is won"},
	{Tempo, "hands won", report.Key{Section: "hand", Name: "won"}, ""},
	{Tempo, "hands won by self-draw", report.Key{Section: "hand", Name: "self_draw"}, ""},
	{Tempo, "players who call", report.Key{Section: "hand", Name: "open"}, "players of hands who called"},
	{Tempo, "players who declare", report.Key{Section: "hand", Name: "ready"}, "players of hands who declared ready"},
	{Comeback, "lead changes a match", report.Key{Section: "match", Name: "lead_changes"}, ""},
	{Comeback, "last hand decides", report.Key{Section: "match", Name: "last_hand_decides"}, "matches whose winner did not lead before the last hand"},
	{Comeback, "from last to first", report.Key{Section: "match", Name: "comeback_from_last"}, "matches won by who was last after half of the hands"},
	{Comeback, "led all the way", report.Key{Section: "match", Name: "wire_to_wire"}, "matches whose winner led after every hand but draws"},
}

// addShared adds the figures that a report of equal players has.
func (v *View) addShared(s *report.Summary) {
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
