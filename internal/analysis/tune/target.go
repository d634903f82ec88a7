// Package tune searches for rulesets whose figures meet targets, by Bayesian optimization with
// successive halving.
//
//	targets, err := tune.ParseTargets("draws<8%", keys, units)
//	space, err := tune.NewSpace(source, []string{"min_win=4..12"})
//	s := &tune.Search{Targets: targets, Evaluate: evaluator.Evaluate, Legal: space.Legal}
//	result, err := s.Run(ctx)
package tune

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
)

// Target is the range that a figure should have.
type Target struct {
	// Text is the text that the user wrote.
	Text string
	// Key is the figure. Complement reports that the target is for 1 minus the figure: draws
	// are the hands that are not won.
	Key        stats.Key
	Complement bool
	Unit       stats.Unit
	// Skill reports that the target is for the share of skill in the variance of ranks, of
	// players of different strength. Key is then no figure of a report.
	Skill bool
	// Hard reports that no other target makes up for missing this one.
	Hard bool
	// Low and High bound the figure; they are infinite if there is no bound, and equal for a
	// target value.
	Low, High float64
}

// Draws is the name of the hands without a winner in a target.
const Draws = "draws"

// Skill is the name of the share of skill in the variance of ranks in a target.
const Skill = "skill"

// ParseTargets parses targets separated by commas, such as hands=10..12, draws<8%, value>20 or
// first_mover_edge~0. One that ends in an exclamation mark is hard. Shares may be in percent; in a range one sign at the end is enough. The
// figures are [Draws], [Skill] and those of the keys, as [stats.FindKey] finds them. The error
// names a target that cannot be parsed or met, an unknown figure, or targets that contradict each
// other.
func ParseTargets(text string, keys []stats.Key, units map[stats.Key]stats.Unit) ([]Target, error) {
	var list []Target
	for one := range strings.SplitSeq(text, ",") {
		w, err := parseTarget(strings.TrimSpace(one), keys, units)
		if err != nil {
			return nil, err
		}
		list = append(list, w)
	}
	return list, checkContradictions(list)
}

const allowed = "allowed: FIGURE=4..12, FIGURE=4, FIGURE<8%, FIGURE>45% or FIGURE~0"

func parseTarget(text string, keys []stats.Key, units map[stats.Key]stats.Unit) (Target, error) {
	at := strings.IndexAny(text, "=<>~")
	if at < 1 {
		return Target{}, fmt.Errorf("%q is no target; %s", text, allowed)
	}
	w := Target{Text: text, Low: math.Inf(-1), High: math.Inf(1)}
	name, sign, value := strings.TrimSpace(text[:at]), text[at], strings.TrimPrefix(text[at+1:], "=")
	value, w.Hard = strings.CutSuffix(value, "!")
	var err error
	switch name {
	case Draws:
		name, w.Complement = "hand.won", true
	case Skill:
		keys, w.Skill = []stats.Key{{Section: Skill, Name: Skill}}, true
	}
	if w.Key, err = stats.FindKey(keys, name); err != nil {
		return w, fmt.Errorf("%w; %s and %s are known as well", err, Draws, Skill)
	}
	if w.Unit = units[w.Key]; w.Skill {
		w.Unit = stats.Share
	}
	first, second, isRange := strings.Cut(value, "..")
	if isRange && strings.HasSuffix(strings.TrimSpace(second), "%") {
		first = strings.TrimSuffix(strings.TrimSpace(first), "%") + "%"
	}
	low, err := parseNumber(first)
	high := low
	if err == nil && isRange {
		high, err = parseNumber(second)
	}
	if err != nil || isRange && sign != '=' {
		return w, fmt.Errorf("%q is no target: %q is no number; %s", text, strings.TrimSpace(value), allowed)
	}
	switch sign {
	case '<':
		w.High = high
	case '>':
		w.Low = low
	default:
		w.Low, w.High = low, high
	}
	if w.Low > w.High {
		return w, fmt.Errorf("%q: nothing is from %v to %v", text, strings.TrimSpace(first), strings.TrimSpace(second))
	}
	return w, w.checkBounds()
}

// checkBounds returns an error for bounds that no figure of the unit has.
func (w *Target) checkBounds() error {
	least := -1.0
	if w.Unit == stats.Share {
		least = 0
	}
	for _, bound := range [...]float64{w.Low, w.High} {
		switch {
		case math.IsInf(bound, 0) || w.inPercent() && bound >= least && bound <= 1:
		case w.Unit == stats.Share:
			return fmt.Errorf("%q cannot be: a share is from 0%% to 100%%, or from 0 to 1", w.Text)
		case w.Unit == stats.Gap:
			return fmt.Errorf("%q cannot be: a difference of shares is from -100%% to 100%%, or from -1 to 1", w.Text)
		case strings.Contains(w.Text, "%"):
			return fmt.Errorf("%q: %s is no share, so it is not in percent but in %s", w.Text, w.Key, w.Unit)
		}
	}
	return nil
}

// parseNumber parses a number, in percent or not.
func parseNumber(text string) (float64, error) {
	text = strings.TrimSpace(text)
	n, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(text, "%")), 64)
	if math.IsNaN(n) || math.IsInf(n, 0) {
		err = errors.New("it is not finite")
	}
	if strings.HasSuffix(text, "%") {
		n /= 100
	}
	return n, err
}

// bounds returns the bounds of the figure itself.
func (w *Target) bounds() (low, high float64) {
	if w.Complement {
		return 1 - w.High, 1 - w.Low
	}
	return w.Low, w.High
}

// inPercent reports whether the figure is a share or a difference of shares, which are
// given in percent.
func (w *Target) inPercent() bool { return w.Unit == stats.Share || w.Unit == stats.Gap }

// handEndings are the ways a hand may end, which exclude each other. The first four are wins.
var handEndings = []string{"self_draw", "discard", "rob", "flower", "exhausted", "aborted", "forfeited"}

// checkContradictions returns an error for targets that contradict each other.
func checkContradictions(list []Target) error {
	for i := range list {
		w := &list[i]
		low, high := w.bounds()
		for j := range list[:i] {
			v := &list[j]
			l, h := v.bounds()
			if v.Key == w.Key && (l > high || low > h) {
				return fmt.Errorf("the targets %q and %q contradict each other", v.Text, w.Text)
			}
		}
	}
	// The lower bounds of the ways in which hands end must fit into all hands, and those of
	// the won ones into the bound of hands won.
	var least, won float64
	var texts []string
	for i := range list {
		w := &list[i]
		low, _ := w.bounds()
		for n, end := range handEndings {
			if w.Key.Section == "hand" && w.Key.Name == end && low > 0 {
				least += low
				texts = append(texts, strconv.Quote(w.Text))
				if n < 4 {
					won += low
				}
			}
		}
	}
	for i := range list {
		w := &list[i]
		if w.Key != (stats.Key{Section: "hand", Name: "won"}) {
			continue
		}
		low, high := w.bounds()
		if won > high || low+least-won > 1 {
			return fmt.Errorf("the targets %s and %q contradict each other: hands are won or not", strings.Join(texts, ", "), w.Text)
		}
	}
	if least > 1 {
		return fmt.Errorf("the targets %s contradict each other: a hand ends in one way", strings.Join(texts, ", "))
	}
	return nil
}

// Measured is the measured figure of a target. In JSON a missing one is null.
type Measured struct {
	Unit stats.Unit `json:"unit"`
	// Value is the figure, NaN if a ruleset has none, such as the value of wins where there are none.
	Value float64 `json:"value"`
	// Error is the standard error, Low and High are the 95 % interval, both equal to Value if
	// there is none.
	Error float64 `json:"error"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	// Spread is the standard deviation of the figure in a single match.
	Spread float64 `json:"spread"`
}

// Known reports whether the figure is not missing.
func (m *Measured) Known() bool { return !math.IsNaN(m.Value) }

// MarshalJSON implements [json.Marshaler].
func (m Measured) MarshalJSON() ([]byte, error) {
	if !m.Known() {
		return []byte("null"), nil
	}
	type measured Measured
	return json.Marshal(measured(m))
}

// measure returns the figure of the target in the statistics of a dataset: of [Evaluator.Field] for
// skill, of [Evaluator.Agents] for others.
func (w *Target) measure(s *stats.Summary) Measured {
	if w.Skill {
		return skillOf(s)
	}
	f := s.Figure(w.Key)
	if f == nil || f.Count == 0 {
		return Measured{Unit: w.Unit, Value: math.NaN()}
	}
	m := Measured{Unit: f.Unit, Value: f.Value, Error: f.Error, Low: f.Value, High: f.Value, Spread: f.Error * math.Sqrt(float64(f.Clusters))}
	if f.Low.Known() {
		m.Low, m.High = float64(f.Low), float64(f.High)
	}
	if w.Complement {
		m.Value, m.Low, m.High = 1-m.Value, 1-m.High, 1-m.Low
	}
	return m
}

// skillOf returns the share of skill in the variance of ranks.
func skillOf(s *stats.Summary) Measured {
	k := s.SkillByRank
	if k == nil || !k.Skill.Share.Known() {
		return Measured{Unit: stats.Share, Value: math.NaN()}
	}
	m := Measured{Unit: stats.Share, Value: float64(k.Skill.Share), Low: float64(k.Skill.Share), High: float64(k.Skill.Share)}
	if k.Skill.Low.Known() {
		m.Low, m.High = float64(k.Skill.Low), float64(k.Skill.High)
	}
	if k.Skill.Error.Known() {
		m.Error = float64(k.Skill.Error)
	}
	m.Spread = m.Error * math.Sqrt(float64(s.Matches))
	return m
}

// hardWeight is how much more than others a hard target counts: a thousandth of a deviation of it
// weighs more than what others are missed by.
const hardWeight = 1e9

// loss returns what a value adds to the loss. scale is the unit of its distance.
func (w *Target) loss(value, scale float64) float64 {
	d := w.Distance(value) / scale
	if w.Hard {
		return hardWeight * d * d
	}
	return d * d
}

// Distance returns the distance of a value from the bounds, 0 if it meets the target. A missing
// figure meets none, however far others miss.
func (w *Target) Distance(value float64) float64 {
	if math.IsNaN(value) {
		return math.Inf(1)
	}
	return max(w.Low-value, value-w.High, 0)
}
