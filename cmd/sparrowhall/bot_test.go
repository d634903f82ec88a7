package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestBotCheck checks a program that echoes what it is sent.
func TestBotCheck(t *testing.T) {
	t.Parallel() // most of the time a program is waited for
	out, errOut, status := sparrowhall(t, "", "bot", "check", "mjai:cat")
	for _, want := range []string{
		"wrong  a draw (1 decisions", `       > {"type":"tsumo","actor":0,"pai":`, `       < {"type":"tsumo"`, "       ! answer {", "situations, 0 without a fault, ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if status != statusFailure || !strings.Contains(errOut, "mjai:cat has faults in ") {
		t.Errorf("status %d: %s", status, errOut)
	}
	out, _, status = sparrowhall(t, "", "bot", "check", "--json", "mjai:replies=all cat")
	var result struct {
		Program, Form string
		Situations    []struct {
			Situation string
			Wrong     []struct{ Asked, Answer, Why string }
		}
	}
	if err := json.Unmarshal([]byte(out), &result); err != nil || status != statusFailure {
		t.Fatalf("status %d, %v: %s", status, err, out)
	}
	if len(result.Situations) < 20 || result.Form != "replies=all" || result.Situations[0].Wrong[0].Why == "" {
		t.Errorf("%+v", result)
	}
	for _, args := range [][]string{{"bot", "chek"}, {"bot", "check", "greedy"}, {"bot", "check"}, {"bot", "check", "grpc:localhost:1"}, {"bot", "check", "--seats", "3", "botzone:cat"}, {"bot", "check", "--seats", "5", "mjai:cat"}} {
		if _, errOut, status := sparrowhall(t, "", args...); status != statusUsage {
			t.Errorf("%v: status %d: %s", args, status, errOut)
		}
	}
}
