package strength

import (
	"context"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/analysis/matchluck"
)

// Look is the evidence of a [Trial] when it looked.
type Look struct {
	// Matches is the number of matches until then.
	Matches uint64 `json:"matches"`
	Evidence
}

// TrialCourse returns the evidence of a tournament that tests agents at each of its looks, and
// after its last match. luck are the options for measuring luck, if the test is of luck-adjusted
// results.
func TrialCourse(ctx context.Context, d *dataset.Dataset, luck matchluck.Options) ([]Look, error) {
	t := NewTrial(d.Run)
	var list []Look
	next := t.Next(0)
	err := t.read(ctx, d, luck, func() {
		// The last match is a look in a tournament that was not decided, and in one of fewer
		// matches than the first look.
		if t.matches == next || t.matches == d.Matches() {
			list = append(list, Look{t.matches, t.Evidence()})
			next = t.Next(next)
		}
	})
	return list, err
}
