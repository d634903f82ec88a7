package taiwanese_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
)

// TestCases scores the published cases and compares every member expected.
func TestCases(t *testing.T) { rulestest.Scored(t, "testdata/cases.jsonl") }
