package stats

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/insight/opportunity"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

// OpenDataset opens the dataset in a folder so that its matches can be replayed.
type OpenDataset func(dir string) (*dataset.Dataset, error)

// MeasureOpportunities replays the matches of the datasets and sets Offered: the prices of patterns compared
// with how often players have the opportunity for them (package internal/insight/opportunity). It calls
// read, if not nil, with the number of matches done. workers, at least 1, does not change the
// result.
func (r *Results) MeasureOpportunities(ctx context.Context, open OpenDataset, workers int, read func(matches int)) error {
	for i := range r.Datasets {
		s := &r.Datasets[i]
		d, err := open(s.Dir)
		if err != nil {
			return err
		}
		w, err := watch(ctx, d, workers, read)
		if err != nil {
			return err
		}
		ids := map[string]int{}
		for n, p := range d.Rules().Patterns() {
			ids[p.ID] = n
		}
		s.Offered = fitPrices(s.Family, pricesOf(d.Run.Ruleset), func(id string) (cases, frequency float64) {
			cases = float64(w.Offered[ids[id]])
			return cases, cases / float64(w.Hands*d.Rules().NumSeats())
		})
		if s.Suggestion, err = suggestedRuleset(d.Run.Ruleset, s.Offered); err != nil {
			return err
		}
	}
	return nil
}

// watch counts the opportunities in all matches of a dataset.
func watch(ctx context.Context, d *dataset.Dataset, workers int, read func(matches int)) (*opportunity.Watcher, error) {
	var mutex sync.Mutex // guards list
	var list []*opportunity.Watcher
	err := d.VisitReplays(ctx, workers, func() func(*dataset.ReplayedMatch) error {
		w := opportunity.NewWatcher(d.Rules())
		mutex.Lock()
		defer mutex.Unlock()
		list = append(list, w)
		return func(m *dataset.ReplayedMatch) error {
			w.Follow(m.Match.Events)
			if read != nil {
				read(1)
			}
			return nil
		}
	})
	all := opportunity.NewWatcher(d.Rules())
	for _, w := range list {
		all.Add(w)
	}
	return all, err
}

// suggestedRuleset returns a ruleset file with the suggested prices, empty where there are none.
func suggestedRuleset(r *configs.Ruleset, list []PatternPrice) (string, error) {
	list = slices.DeleteFunc(slices.Clone(list), func(p PatternPrice) bool { return p.Suggested == 0 })
	if len(list) == 0 {
		return "", nil
	}
	var b strings.Builder
	name := sanitize.Line(r.Name)
	fmt.Fprintf(&b, "# %s with the prices that patterns have which are offered as seldom:\n", name)
	overrides := map[string]any{}
	var prices strings.Builder
	for _, p := range list {
		fmt.Fprintf(&b, "# %s counts %d, others that one hand in %.0f offers count %.1f.\n", p.Pattern, p.Price, 1/p.Frequency, p.Line)
		fmt.Fprintf(&prices, "%s = %d # %d\n", p.Pattern, p.Suggested, p.Price)
		overrides["patterns."+p.Pattern] = int64(p.Suggested)
	}
	fmt.Fprintf(&b, "# What they change: sparrowhall sweep --ruleset %s --variant suggested.toml\n", name)
	if slices.Contains(configs.Names(), r.Name) {
		fmt.Fprintf(&b, "base = %q\n\n[patterns]\n%s", r.Name, prices.String())
		return b.String(), nil
	}
	// The file may stand anywhere, so it names no other file.
	err := r.Set(overrides)
	return b.String() + r.TOML(), err
}
