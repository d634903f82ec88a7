package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sparrowhall/sparrowhall/configs"
)

// mcpClient returns a function that calls a tool of a server: its text, and whether it is an error.
func mcpClient(t *testing.T) func(name string, arguments any) (text string, failed bool) {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	server, err := newMCPServer().Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(client.Close(), server.Wait()); err != nil {
			t.Error(err)
		}
	})
	return func(name string, arguments any) (string, bool) {
		t.Helper()
		result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
		if err != nil {
			t.Fatalf("%s %v: %v", name, arguments, err)
		}
		return result.Content[0].(*mcp.TextContent).Text, result.IsError
	}
}

type object = map[string]any

// TestMCP checks that tools answer what the verbs print, errors included.
func TestMCP(t *testing.T) {
	call := mcpClient(t)
	dir, short := filepath.Join(t.TempDir(), "played"), filepath.Join(t.TempDir(), "short.toml")
	if err := os.WriteFile(short, []byte("base = \"tenhou\"\nmax_hands = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, errOut, status := sparrowhall(t, "", "play", "--ruleset", short, "--agents", "greedy,tsumogiri,greedy,value", "--matches", "1", "--out", dir, "--quiet"); status != statusOK {
		t.Fatal(errOut)
	}
	hand := strings.Split(twoHands, "\n")[0]
	var parsed object
	if err := json.Unmarshal([]byte(hand), &parsed); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tool string
		in   object
		verb string
	}{
		{"rulesets", object{}, "rules list"},
		{"rules", object{"ruleset": "mcr_2006"}, "rules show --words mcr_2006"},
		{"rules", object{"ruleset": "tenhou_sanma"}, "rules show --words tenhou_sanma"},
		{"rules", object{"ruleset": "--json"}, "rules show --words -- --json"},
		{"replay", object{"dataset": dir, "match": 0, "hand": 0, "player": 2}, "replay --match 0 --hand 0 --player 2 " + dir},
		{"replay", object{"dataset": dir, "match": 0, "hand": 7}, "replay --match 0 --hand 7 " + dir},
		{"replay", object{"dataset": dir, "match": 3, "hand": 0}, "replay --match 3 --hand 0 " + dir},
		{"replay", object{"dataset": dir, "match": 0, "hand": 0, "player": 4}, "replay --match 0 --hand 0 --player 4 " + dir},
		{"replay", object{"dataset": dir + "x", "match": 0, "hand": 0}, "replay --match 0 --hand 0 " + dir + "x"},
		{"review", object{"dataset": dir, "match": 0, "deals": 3, "judge": "value", "player": 0}, "review --match 0 --deals 3 --judge value --player 0 " + dir},
		{"review", object{"dataset": dir, "match": 0, "deals": 1}, "review --match 0 --deals 1 " + dir},
		{"review", object{"dataset": dir, "match": 0, "judge": "mjai:false"}, "review --match 0 --judge mjai:false " + dir},
	} {
		out, errOut, status := sparrowhall(t, "", strings.Fields(c.verb)...)
		want := out
		if status != statusOK {
			want = strings.TrimSuffix(strings.ReplaceAll(errOut, "sparrowhall: ", ""), "\n")
		}
		if got, failed := call(c.tool, c.in); got != want || failed != (status != statusOK) {
			t.Errorf("%s %v: failed %v\n%s\n%s prints, with status %d,\n%s", c.tool, c.in, failed, got, c.verb, status, want)
		}
	}
	for name, in := range map[string]object{"": {}, "ema_2016": parsed, "no_such": parsed, "wrc": {"id": 7, "concealed": "123m"}} {
		line, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		answer := func([]byte) string { out, _, _ := sparrowhall(t, string(line)+"\n", "score"); return out }
		if name != "" {
			in["ruleset"] = name
			if line, err = json.Marshal(in); err != nil {
				t.Fatal(err)
			}
		}
		// The hand of a call is in no line.
		want := strings.Replace(strings.TrimSuffix(answer(line), "\n"), `,"line":1}`, "}", 1)
		if got, failed := call("score", object{"hand": in}); got != want || failed != strings.Contains(want, `"error"`) {
			t.Errorf("score %s: failed %v\n%s, want\n%s", line, failed, got, want)
		}
	}
}

// TestMCPPosition checks that positions have the legal actions of the matches they come from.
func TestMCPPosition(t *testing.T) {
	call := mcpClient(t)
	dir := filepath.Join(t.TempDir(), "played")
	for preset, agents := range map[string]string{"hkma_hktw": "random,random,random,random", "tenhou_sanma": "random,random,random"} {
		if _, errOut, status := sparrowhall(t, "", "play", "--ruleset", preset, "--agents", agents, "--seed", "9", "--matches", "1", "--out", dir, "--force", "--quiet"); status != statusOK {
			t.Fatal(errOut)
		}
		rules, m, _, err := openMatch(t.Context(), dir, 0, "")
		if err != nil {
			t.Fatal(err)
		}
		var done []string
		for i, c := range m.Choices {
			if i == 30 {
				break
			}
			var legal []string
			for a := range c.Legal.All {
				legal = append(legal, fmt.Sprintf(`{"id":%d,"text":%q}`, a, a))
			}
			want := fmt.Sprintf(`"legal":[%s]}}`, strings.Join(legal, ","))
			recorded, failed := call("position", object{"dataset": dir, "match": 0, "decision": i})
			if failed || !strings.HasPrefix(recorded, fmt.Sprintf(`{"player":%d,`, c.Player)) || !strings.HasSuffix(recorded, want) {
				t.Fatalf("decision %d: %s\nwant the actions %s of player %d", i, recorded, want, c.Player)
			}
			if played, _ := call("position", object{"ruleset": preset, "seed": 9, "actions": append([]string{}, done...)}); played != recorded {
				t.Fatalf("after %v: %s\nthe record has %s", done, played, recorded)
			}
			done = append(done, m.Actions[i].String())
		}
		other, failed := call("position", object{"dataset": dir, "match": 0, "decision": 0, "player": 2})
		if failed || !strings.HasPrefix(other, `{"player":2,`) || !strings.HasSuffix(other, `"legal":[]}}`) {
			t.Errorf("the view of a player who is not asked: %s", other)
		}
		all := make([]string, len(m.Actions))
		for i, a := range m.Actions {
			all[i] = a.String()
		}
		if got, failed := call("position", object{"ruleset": preset, "seed": 9, "actions": all}); !failed || !strings.Contains(got, "the match is over after ") {
			t.Errorf("all actions of %s: %s", rules.Name, got)
		}
	}
	for want, in := range map[string]object{
		"name a dataset with match and decision, or a ruleset": {},
		"decision is missing":                            {"dataset": dir, "match": 0},
		"decision: -1; match 0 has decisions 0 to ":      {"dataset": dir, "match": 0, "decision": -1},
		"ruleset, wall and actions are for positions ":   {"dataset": dir, "ruleset": "tenhou", "decision": 0},
		`unknown ruleset "tenho"`:                        {"ruleset": "tenho"},
		"wall: line 1: E: there are more 9p than the se": {"ruleset": "tenhou", "wall": "E 99999p"},
		`wall: line 2: "F" is no part of a wall`:         {"ruleset": "tenhou", "wall": "E 9p\nF 9p"},
		"--player: 4; allowed: 0 to 3":                   {"ruleset": "tenhou", "player": 4},
		`action 0 of player 0: sim: unknown action "go"`: {"ruleset": "tenhou", "actions": []string{"go"}},
		"action 1 of player 1: sim: illegal action: pla": {"ruleset": "tenhou", "wall": "E 1m", "actions": []string{"discard 1m", "win"}},
		"no such match":                                  {"dataset": dir, "match": 8, "decision": 0},
		`unexpected additional properties ["hands"]`:     {"ruleset": "tenhou", "hands": 8},
		`has type "string", want "integer"`:              {"ruleset": "tenhou", "seed": "eight"},
	} {
		if text, failed := call("position", in); !failed || !strings.Contains(text, want) {
			t.Errorf("%v: failed %v, %s\nwant %s", in, failed, text, want)
		}
	}
}

// TestMCPBounds checks that an answer has an end, and no character that a terminal would obey.
func TestMCPBounds(t *testing.T) {
	long := strings.Repeat("a line of text\x1b[31m\n", 10000)
	s := mcp.NewServer(&mcp.Implementation{Name: "test"}, nil)
	addTool(s, "long", "", func(context.Context, struct{}) (string, error) { return long, nil })
	addTool(s, "one", "", func(context.Context, struct{}) (string, error) {
		return "", errors.New(strings.Repeat("x", 3*maxMCPText))
	})
	here, there := mcp.NewInMemoryTransports()
	if _, err := s.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, tool := range []string{"long", "one"} {
		result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool})
		if err != nil {
			t.Fatal(err)
		}
		text := result.Content[0].(*mcp.TextContent).Text
		if len(text) > maxMCPText+100 || !strings.Contains(text, " more bytes; ask for less") || strings.Contains(text, "\x1b") || result.IsError != (tool == "one") {
			t.Errorf("%s: %d bytes: %.100q", tool, len(text), text)
		}
	}
}

// TestMCPStream checks the verb by its streams: a client's first messages, and what is none.
func TestMCPStream(t *testing.T) {
	start := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`
	r, w := io.Pipe()
	go io.WriteString(w, start+`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`+"\n")
	answers, out := io.Pipe()
	done := make(chan int)
	go func() { done <- run(t.Context(), []string{"mcp"}, r, out, io.Discard) }()
	lines := json.NewDecoder(answers)
	for _, want := range []string{`"serverInfo":{"name":"sparrowhall"`, `"name":"position"`} {
		var line json.RawMessage
		if err := lines.Decode(&line); err != nil || !strings.Contains(string(line), want) {
			t.Errorf("%s, %v; want %s", line, err, want)
		}
	}
	w.Close()
	if status := <-done; status != statusOK {
		t.Errorf("status %d at the end of the input", status)
	}
	for _, in := range []string{"{", "no JSON\n", "[]\n", "7\n", "null\n", `{"jsonrpc":"2.0","id":1,"method":"shout"}{}`, start + strings.Repeat("[", maxMCPLine)} {
		if _, errOut, status := sparrowhall(t, in, "mcp"); status != statusFailure || !strings.HasPrefix(errOut, "sparrowhall: ") {
			t.Errorf("%.20q: status %d: %s", in, status, errOut)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if status := run(ctx, []string{"mcp"}, r, io.Discard, io.Discard); status != statusOK {
		t.Errorf("status %d after a signal", status)
	}
}

// TestRulesInWords checks that the words of a ruleset follow its knobs and prices.
func TestRulesInWords(t *testing.T) {
	for _, name := range configs.Names() {
		r, err := configs.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if text := rulesInWords(r); strings.Count(text, "\n- ") != len(r.Knobs())-1+len(r.Config.Compile().Patterns()) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
	out, _, status := sparrowhall(t, "", "rules", "show", "mcr_2006", "--words")
	for _, line := range []string{
		`- flowers = "forced": flowers in the set, and whether a drawn one must be exposed at once; here a flower is exposed and replaced as soon as it is held`,
		`- big_four_winds = "listed" (88): Big Four Winds (大四喜)`,
	} {
		if !strings.Contains(out, "\n"+line) || status != statusOK {
			t.Errorf("status %d; want %s in\n%s", status, line, out)
		}
	}
	if _, errOut, status := sparrowhall(t, "", "rules", "show", "mcr_2006", "--words", "--json"); status != statusUsage || !strings.Contains(errOut, "--words is text") {
		t.Errorf("status %d: %s", status, errOut)
	}
}
