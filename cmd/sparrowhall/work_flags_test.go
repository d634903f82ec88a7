package main

import (
	"context"
	"testing"
)

// lateInterrupt is a context that ends when it has been asked a few times.
type lateInterrupt struct {
	context.Context
	left int
}

func (c *lateInterrupt) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestLateInterrupt opens rulesets while an interrupt arrives, at any moment: there is a ruleset or
// an error. Seed 14 of the faults found neither.
func TestLateInterrupt(t *testing.T) {
	for left := range 8 {
		for _, name := range []string{"ema_2016", "no_such"} {
			r, err := openRuleset(&lateInterrupt{t.Context(), left}, name)
			if (r == nil) != (err != nil) {
				t.Errorf("%s, interrupted after %d questions: %v, %v", name, left, r, err)
			}
		}
	}
}
