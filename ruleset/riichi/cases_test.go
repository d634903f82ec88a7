package riichi_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset/internal/rulestest"
)

// TestCases scores the published cases and compares every member expected.
func TestCases(t *testing.T) { rulestest.Scored(t, "testdata/cases.jsonl") }

// TestThreePlayerCases does so with three players.
func TestThreePlayerCases(t *testing.T) { rulestest.Scored(t, "testdata/sanma.jsonl") }
