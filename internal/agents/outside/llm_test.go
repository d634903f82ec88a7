package outside_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/agents/outside"
	"github.com/sparrowhall/sparrowhall/sim"
)

// runLLMBot is a scripted stand-in for an adapter to a language model. It plays the last legal
// action. The fault of the first argument is done at the first request of every third decision,
// "stubborn" at each.
func runLLMBot(args []string) {
	fault := ""
	if len(args) > 0 {
		fault = args[0]
	}
	in := bufio.NewReader(os.Stdin)
	rules, decisions := "", 0
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var r struct {
			ID          int64
			Rules       string
			Try         int
			Error       string
			Seconds     float64
			Tokens      int64
			Observation struct {
				Ruleset string
				Legal   []struct {
					ID   int
					Text string
				}
			}
		}
		if err := json.Unmarshal(line, &r); err != nil || r.Seconds <= 0 || len(r.Observation.Legal) < 2 {
			fmt.Fprintln(os.Stderr, "bad request", err)
			os.Exit(4)
		}
		if rules += r.Rules; !strings.Contains(rules, "family = \"mcr\"") || (r.Try > 1) != (r.Error != "") {
			fmt.Fprintln(os.Stderr, "no rules, or no error of a second try")
			os.Exit(5)
		}
		if r.Try == 1 {
			decisions++
		}
		legal := r.Observation.Legal[len(r.Observation.Legal)-1]
		answer := fmt.Sprintf(`{"id":%d,"action":%q,"tokens":10}`, r.ID, legal.Text)
		if decisions%2 == 0 {
			answer = fmt.Sprintf(`{"id":%d,"action":%d,"tokens":10}`, r.ID, legal.ID)
		}
		if fault == "stubborn" || r.Try == 1 && decisions%3 == 0 {
			switch fault {
			case "stubborn", "illegal":
				answer = fmt.Sprintf(`{"id":%d,"action":"win at once","tokens":10}`, r.ID)
			case "old":
				answer = fmt.Sprintf(`{"id":%d,"action":%d}`, r.ID-1, legal.ID)
			default:
				misbehave(args)
			}
			if fault == "garbage" {
				continue
			}
		}
		fmt.Println(answer)
	}
}

// TestLLM plays with scripted stand-ins, and holds their counts and why they forfeit.
func TestLLM(t *testing.T) {
	r, err := configs.Load("botzone")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		options, fault string
		forfeit        string // "" for none
		illegal        bool
		unreadable     bool
	}{
		{"", "", "", false, false},
		{"", "illegal", "", true, false},
		{"", "garbage", "", false, true},
		{"", "old", "", false, true},
		{"tries=1 ", "illegal", "the action win at once is not legal; legal: ", true, false},
		{"tries=2 ", "stubborn", "the action win at once is not legal", true, false},
		{"tokens=35 ", "", "the tokens of the match are used up", false, false},
		{"timeout=200ms ", "late", "no answer in time", false, false},
		{"", "endless", "the line is too long", false, false},
		{"", "crash", "it last said: out of ideas", false, false},
	} {
		t.Run(c.options+c.fault, func(t *testing.T) {
			t.Parallel()
			log := filepath.Join(t.TempDir(), "counts.json")
			newAgent, err := outside.NewLLM(c.options + "log=" + log + " " + program("llm-bot", c.fault))
			if err != nil {
				t.Fatal(err)
			}
			a := newAgent()
			if err := a.(sim.Starter).Start(r); err != nil {
				t.Fatal(err)
			}
			seats := [sim.NumPlayers]sim.Agent{a, a, a, a}
			for p := range seats[1:] {
				seats[p+1] = lastLegal{}
			}
			m := sim.Match{Seed: 3}
			m.Play(r, &seats)
			if err := a.(interface{ Close() error }).Close(); err != nil {
				t.Fatal(err)
			}
			if (len(m.Forfeits) > 0) != (c.forfeit != "") || c.forfeit != "" && !strings.Contains(m.Forfeits[0].Reason, c.forfeit) {
				t.Errorf("forfeits %+v, want %q", m.Forfeits, c.forfeit)
			}
			if c.forfeit == "" {
				plain := sim.Match{Seed: 3}
				plain.Play(r, &[sim.NumPlayers]sim.Agent{lastLegal{}, lastLegal{}, lastLegal{}, lastLegal{}})
				if !slices.Equal(m.Actions, plain.Actions) {
					t.Error("the match is not that of the same player inside")
				}
			}
			var counts map[string]int
			text, err := os.ReadFile(log)
			if err == nil {
				err = json.Unmarshal(text, &counts)
			}
			if err != nil {
				t.Fatal(err)
			}
			if counts["matches"] != 1 || (counts["illegal"] > 0) != c.illegal || (counts["unreadable"] > 0) != c.unreadable ||
				(counts["forfeits"] == 1) != (c.forfeit != "") || counts["requests"] < counts["decisions"] && c.options != "tokens=35 " ||
				counts["decisions"] == 0 || counts["tokens"]%10 != 0 {
				t.Errorf("counts %v", counts)
			}
		})
	}
}

// lastLegal plays the last legal action.
type lastLegal struct{}

func (lastLegal) Act(v sim.View) (last sim.Action) {
	for a := range v.Legal().All {
		last = a
	}
	return last
}

func TestLLMOptions(t *testing.T) {
	for options, want := range map[string]string{
		"tries=0 true":          `tries: "0"; allowed: 1 to 100`,
		"tokens=many true":      `tokens: "many"; allowed: at least 1`,
		"log= true":             `log: ""; allowed: the name of a file`,
		"tries=2 tries=3 true":  "option tries is given twice",
		"timeout=1s tries=2":    "names no program",
		"kita=kita true":        "option kita is unknown",
		"tries=2 no-such-thing": "no-such-thing",
	} {
		if _, err := outside.NewLLM(options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", options, err, want)
		}
	}
}
