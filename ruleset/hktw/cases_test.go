package hktw_test

import (
	"encoding/json"
	"testing"

	"github.com/jansou/jansou/ruleset/cases"
)

// TestCases scores the published cases and compares every member expected.
func TestCases(t *testing.T) {
	type example struct {
		ID     string
		Expect json.RawMessage
	}
	eachLine(t, "testdata/cases.jsonl", func(line []byte, c example) {
		t.Run(c.ID, func(t *testing.T) {
			answer, ok := cases.Score(line, "", load)
			if !ok {
				t.Fatalf("%s", answer)
			}
			if err := cases.Check(c.Expect, answer); err != nil {
				t.Error(err)
			}
		})
	})
}
