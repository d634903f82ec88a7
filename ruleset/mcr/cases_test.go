package mcr_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/jansou/jansou/ruleset/cases"
)

// TestCases scores the published cases and compares every member expected.
func TestCases(t *testing.T) {
	text, err := os.ReadFile("testdata/cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var c struct {
			ID     string
			Expect json.RawMessage
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.ID, func(t *testing.T) {
			answer, ok := cases.Score(line, "", load)
			if !ok {
				t.Fatalf("%s", answer)
			}
			if err := cases.Check(c.Expect, answer); err != nil {
				t.Error(err)
			}
		})
	}
}
