package report

import (
	"fmt"
	"strings"

	"github.com/sparrowhall/sparrowhall/export/stats"
	"github.com/sparrowhall/sparrowhall/internal/digits"
)

// mostHabits is how many habits a sentence names.
const mostHabits = 6

// DescribeAdaptation describes the worth of adapting and what adapted players do. as reports that
// it is the ruleset as it is.
func DescribeAdaptation(a *stats.Adaptation) (list []string) {
	if a == nil {
		return nil
	}
	luck := ""
	if a.LuckAdjusted {
		luck = ", luck taken off"
	}
	text := fmt.Sprintf("Players who adapt: one %s whose weights were tuned in %d matches has %s points a match more than the mean of his table among three who go on as before, in %d others%s.",
		a.Agent, a.Searched, a.Worth.Text(stats.Points), a.Matches, luck)
	if !a.Clear() {
		text += " That is not clearly anything: within these matches nothing better was found."
	}
	list = append(list, text)
	if a.Beyond != nil {
		what := "not clearly anything: as far as can be told, it is what tuning brings anyway"
		switch {
		case a.Beyond.Low.Known() && a.Beyond.Low > 0:
			what = "clearly something"
		case a.Beyond.High.Known() && a.Beyond.High < 0:
			what = "clearly less than nothing: the search has found less here than there"
		}
		list = append(list, fmt.Sprintf("One tuned for the ruleset as it is has %s here. So adapting to the change itself is worth %s points a match, which is %s.", a.Before.Text(stats.Points), a.Beyond.Text(stats.Points), what))
	}
	if len(a.Habits) == 0 {
		return append(list, "Who has adapted does nothing clearly more or less often than the others.")
	}
	var parts []string
	for i := range a.Habits {
		if i == mostHabits {
			parts = append(parts, fmt.Sprintf("and %d more", len(a.Habits)-i))
			break
		}
		parts = append(parts, describeHabit(&a.Habits[i]))
	}
	list = append(list, "What he does at another rate than each of the others, of their hands: "+strings.Join(parts, "; ")+".")
	var names []string
	for i := range a.Habits {
		if h := &a.Habits[i]; h.Dominant() {
			names = append(names, h.Name)
		}
	}
	if n := len(names); n > mostHabits {
		names = append(names[:mostHabits], fmt.Sprintf("and %d more", n-mostHabits))
	}
	switch text := strings.Join(names, ", "); {
	case len(names) == 0:
	case a.Clear():
		list = append(list, "A dominant strategy: who plays better does this clearly more than twice as often: "+text+".")
	default:
		list = append(list, "Clearly more than twice as often, though it is not shown to bring anything: "+text+".")
	}
	return list
}

// String tells the habit in words.
func describeHabit(h *stats.Habit) string {
	times := "never by the others"
	if h.Others > 0 {
		times = fmt.Sprintf("%.2g times as often", h.Rate/h.Others)
	}
	return fmt.Sprintf("%s in %s instead of %s (%s)", h.Name, digits.Share(h.Rate), digits.Share(h.Others), times)
}
