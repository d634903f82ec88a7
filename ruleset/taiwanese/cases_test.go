package taiwanese_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset/internal/rulestest"
)

// TestCases scores the published cases and compares every member expected.
func TestCases(t *testing.T) { rulestest.Scored(t, "testdata/cases.jsonl") }
