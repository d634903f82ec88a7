package report

import (
	"fmt"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/digits"
)

// mostHabits is the largest number of habits that a sentence names.
const mostHabits = 6

// DescribeAdaptation returns sentences on the gain of a tuned player and on its habits, nil for
// nil.
func DescribeAdaptation(a *stats.Adaptation) (list []string) {
	if a == nil {
		return nil
	}
	luck := ""
	if a.LuckAdjusted {
		luck = " luck-adjusted"
	}
	text := fmt.Sprintf("Players who adapt: one %s whose weights were tuned in %d matches scores %s%s points a match above the mean of the table among untuned ones, in %d other matches.",
		a.Agent, a.Searched, a.Worth.Text(stats.Points), luck, a.Matches)
	if !a.Clear() {
		text += " That is no clear gain: the search found nothing better in these matches."
	}
	list = append(list, text)
	if a.Beyond != nil {
		verdict := "not clearly different from 0: tuning for either ruleset may gain as much"
		switch {
		case a.Beyond.Low.Known() && a.Beyond.Low > 0:
			verdict = "a clear gain"
		case a.Beyond.High.Known() && a.Beyond.High < 0:
			verdict = "a clear loss: the search found less here than under the ruleset without changes"
		}
		list = append(list, fmt.Sprintf("One tuned for the ruleset without changes scores %s here. So adapting to the change itself is worth %s points a match, which is %s.", a.Before.Text(stats.Points), a.Beyond.Text(stats.Points), verdict))
	}
	if len(a.Habits) == 0 {
		return append(list, "The tuned player does nothing clearly more or less often than the others.")
	}
	var habits, dominant []string
	for i := range a.Habits {
		h := &a.Habits[i]
		habits = append(habits, describeHabit(h))
		if h.Dominant() {
			dominant = append(dominant, h.Name)
		}
	}
	list = append(list, "Habits with another rate than those of the others, as shares of their hands: "+join(habits, "; ")+".")
	switch {
	case len(dominant) == 0:
	case a.Clear():
		list = append(list, "A dominant strategy: the better player does this clearly more than twice as often: "+join(dominant, ", ")+".")
	default:
		list = append(list, "Clearly more than twice as often, though without a clear gain: "+join(dominant, ", ")+".")
	}
	return list
}

// join joins the first mostHabits elements and the number of the others.
func join(list []string, separator string) string {
	if n := len(list) - mostHabits; n > 0 {
		list = append(list[:mostHabits:mostHabits], fmt.Sprintf("and %d more", n))
	}
	return strings.Join(list, separator)
}

// describeHabit returns a habit with both rates.
func describeHabit(h *stats.Habit) string {
	times := "never by the others"
	if h.Others > 0 {
		times = fmt.Sprintf("%.2g times as often", h.Rate/h.Others)
	}
	return fmt.Sprintf("%s in %s instead of %s (%s)", h.Name, digits.Share(h.Rate), digits.Share(h.Others), times)
}
