package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestBotPlay plays the beginning of a hand, and ends with a failure after a hand that cannot be
// followed.
func TestBotPlay(t *testing.T) {
	start := `{"type":"start_game","id":1}
{"type":"start_kyoku","bakaze":"E","dora_marker":"9s","kyoku":1,"honba":0,"kyotaku":0,"oya":0,"tehais":[["?","?","?","?","?","?","?","?","?","?","?","?","?"],["1m","4m","7m","2p","5p","8p","3s","6s","9s","E","S","W","N"],["?","?","?","?","?","?","?","?","?","?","?","?","?"],["?","?","?","?","?","?","?","?","?","?","?","?","?"]]}
{"type":"tsumo","actor":0,"pai":"?"}
{"type":"dahai","actor":0,"pai":"P","tsumogiri":true}
{"type":"tsumo","actor":1,"pai":"C"}
`
	out, errOut, status := sparrowhall(t, start, "bot", "play", "greedy")
	if lines := strings.Split(strings.TrimSpace(out), "\n"); status != statusOK || len(lines) != 5 || !strings.Contains(lines[4], `"dahai"`) || lines[3] != `{"type":"none"}` {
		t.Errorf("status %d: %s%s", status, out, errOut)
	}
	if !strings.Contains(errOut, "event 5: the match ends within a hand") {
		t.Error(errOut)
	}
	_, errOut, status = sparrowhall(t, start+`{"type":"tsumo","actor":3,"pai":"?"}`, "bot", "play", "greedy")
	if status != statusFailure || !strings.Contains(errOut, "event 6: sim: player 3 acts; it is the turn of player 1") {
		t.Errorf("status %d: %s", status, errOut)
	}
}

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
	for _, args := range [][]string{{"bot", "play"}, {"bot", "play", "nobody"}, {"bot", "play", "mjai:cat"}, {"bot", "play", "greedy", "--player", "4"}, {"bot", "play", "greedy", "--protocol", "chess"}, {"bot", "play", "greedy", "--connect", "http://localhost"}, {"bot", "play", "greedy", "--ruleset", "nothing"}, {"bot", "play", "greedy", "--time", "-1s"}, {"bot", "chek"}, {"bot", "check", "greedy"}, {"bot", "check"}, {"bot", "check", "grpc:localhost:1"}, {"bot", "check", "--seats", "3", "botzone:cat"}, {"bot", "check", "--seats", "5", "mjai:cat"}} {
		if _, errOut, status := sparrowhall(t, "", args...); status != statusUsage {
			t.Errorf("%v: status %d: %s", args, status, errOut)
		}
	}
}
