package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/release"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/ruleset/cases"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

func newMCPCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve scores, positions, reviews and rules to language models",
		Long: `Mcp serves tools for language models by the Model Context Protocol on standard
input and output: what score, rules, replay and review print, and the table of
any position with its legal actions. A client such as an editor starts it. It
reads the datasets and ruleset files that are named to it, writes nothing and
uses no network. docs/mcp.md lists the tools.`,
		Example: "  sparrowhall mcp",
		Args:    arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := struct {
				io.Writer
				io.Closer
			}{rawOutput(cmd), io.NopCloser(nil)}
			err := newMCPServer().Run(cmd.Context(), &mcp.IOTransport{
				Reader: io.NopCloser(cmd.InOrStdin()), Writer: out, MaxLineLength: maxMCPLine,
			})
			if cmd.Context().Err() != nil {
				return nil // a signal is how a client ends it
			}
			return err
		},
	}
}

const (
	// maxMCPLine is the most bytes of a message of a client.
	maxMCPLine = 1 << 20
	// maxMCPText is the most bytes of the answer of a tool.
	maxMCPText = 64 << 10
)

func newMCPServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "sparrowhall", Version: release.Version}, nil)
	addTool(s, "rulesets", "List the names of the rulesets that the other tools take.",
		func(ctx context.Context, _ struct{}) (string, error) {
			return printed(ctx, newRulesListCommand())
		})
	addTool(s, "rules", "Describe a ruleset in words: each knob with its value and meaning, and what patterns are worth.",
		func(ctx context.Context, in struct {
			Ruleset string `json:"ruleset" jsonschema:"preset or ruleset file"`
		},
		) (string, error) {
			return printed(ctx, newRulesShowCommand(), "--words", "--", in.Ruleset)
		})
	addTool(s, "score", `Score a winning hand. Example of a hand: {"concealed": "234m234p23467s55p", "win_tile": "8s", "self_draw": true, "seat": "S", "round": "E", "dora_indicators": "1z"}; docs/scoring.md describes all members.`,
		func(_ context.Context, in struct {
			Hand    map[string]any `json:"hand" jsonschema:"the hand with its circumstances, as an input line of sparrowhall score"`
			Ruleset string         `json:"ruleset,omitempty" jsonschema:"preset or ruleset file, unless the hand names one"`
		},
		) (string, error) {
			line, err := json.Marshal(in.Hand)
			if err != nil {
				return "", err
			}
			answer, ok := cases.Score(line, in.Ruleset, configs.LoadWith)
			if !ok {
				return "", errors.New(string(answer))
			}
			return string(answer), nil
		})
	addTool(s, "position", "Show a position as a player sees it, with the legal actions. It is one of a recorded match (dataset, match, decision), or one that follows from a ruleset, a wall and actions.", position)
	addTool(s, "replay", "Print a hand of a recorded match, one line per turn.",
		func(ctx context.Context, in struct {
			recordedMatch
			Hand int `json:"hand" jsonschema:"number of the hand in the match, from 0"`
			oneView
		},
		) (string, error) {
			return printed(ctx, newReplayCommand(), append(in.flags(), "--match", fmt.Sprint(in.Match), "--hand", fmt.Sprint(in.Hand), "--", in.Dataset)...)
		})
	addTool(s, "review", "Estimate what the choices in a recorded match cost, with the mistakes in words. It takes seconds to minutes.",
		func(ctx context.Context, in struct {
			recordedMatch
			oneView
			Deals int    `json:"deals,omitempty" jsonschema:"deals of the unseen tiles per decision, 2 to 100000; default 100"`
			Judge string `json:"judge,omitempty" jsonschema:"built-in agent that judges; default expert"`
		},
		) (string, error) {
			args := append(in.flags(), "--quiet", "--match", fmt.Sprint(in.Match))
			if in.Deals != 0 {
				args = append(args, "--deals", fmt.Sprint(in.Deals))
			}
			if in.Judge != "" {
				args = append(args, "--judge", in.Judge)
			}
			return printed(ctx, newReviewCommand(), append(args, "--", in.Dataset)...)
		})
	return s
}

// recordedMatch is the input of tools that read a match.
type recordedMatch struct {
	Dataset string `json:"dataset" jsonschema:"folder of a dataset"`
	Match   uint64 `json:"match" jsonschema:"number of the match in the dataset, from 0"`
}

// oneView is the input of tools that can take one player's view.
type oneView struct {
	Player *int `json:"player,omitempty" jsonschema:"number of a player, from 0; only what this player sees or does"`
}

func (v oneView) flags() []string {
	if v.Player == nil {
		return nil
	}
	return []string{"--player", fmt.Sprint(*v.Player)}
}

// addTool adds a tool that answers with text. An error is an answer too, marked as one.
func addTool[In any](s *mcp.Server, name, description string, answer func(ctx context.Context, in In) (string, error)) {
	mcp.AddTool(s, &mcp.Tool{Name: name, Description: description, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
			text, err := answer(ctx, in)
			if err != nil {
				text = err.Error()
			}
			var b strings.Builder
			fmt.Fprint(&sanitize.Writer{W: &b}, text)
			if text = b.String(); len(text) > maxMCPText {
				kept := text[:strings.LastIndexByte(text[:maxMCPText], '\n')+1]
				text = fmt.Sprintf("%s[%d more bytes; ask for less, such as one player]", kept, len(text)-len(kept))
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: err != nil}, nil, nil
		})
}

// printed returns what a verb prints.
func printed(ctx context.Context, cmd *cobra.Command, args ...string) (string, error) {
	var out strings.Builder
	cmd.SetArgs(append([]string{}, args...)) // without a list cobra reads the command line of the process
	cmd.SetIn(strings.NewReader(""))
	cmd.SetOut(&out)
	cmd.SetErr(io.Discard)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.ExecuteContext(ctx)
	return out.String(), err
}

// positionInput is the input of tool position.
type positionInput struct {
	Dataset  string   `json:"dataset,omitempty" jsonschema:"folder of a dataset, for a position of a recorded match"`
	Match    uint64   `json:"match,omitempty" jsonschema:"number of the match in the dataset, from 0"`
	Decision *int     `json:"decision,omitempty" jsonschema:"number of the decision in the match, from 0, as review prints it"`
	Ruleset  string   `json:"ruleset,omitempty" jsonschema:"preset or ruleset file, for a position without a record"`
	Seed     uint64   `json:"seed,omitempty" jsonschema:"seed of the run whose first match it is; places that the wall leaves open follow from it"`
	Wall     string   `json:"wall,omitempty" jsonschema:"lines of the wall of the first hand as --wall of play reads them, such as: E 123m456p789s1122z"`
	Actions  []string `json:"actions,omitempty" jsonschema:"the answers of all decisions so far, in order, such as: discard 5m; pass"`
	oneView
}

// position returns what a player sees at a position, by default the one who is asked.
func position(ctx context.Context, in positionInput) (string, error) {
	var t sim.Table
	var p sim.Player
	var err error
	switch {
	case in.Dataset != "" && (in.Ruleset != "" || in.Wall != "" || in.Actions != nil):
		return "", errors.New("dataset names a recorded match; ruleset, wall and actions are for positions without one")
	case in.Dataset != "":
		t, p, err = recordedPosition(ctx, &in)
	case in.Ruleset != "":
		t, p, err = playedPosition(ctx, &in)
	default:
		err = errors.New("name a dataset with match and decision, or a ruleset")
	}
	if err != nil {
		return "", err
	}
	if in.Player != nil {
		if err := checkPlayer(*in.Player, t.Rules().NumSeats()); err != nil {
			return "", err
		}
		p = sim.Player(*in.Player)
	}
	spec, err := observe.Lookup("text")
	if err != nil {
		return "", err
	}
	text := make([][]byte, 1)
	spec.NewEncoder().Append(text, t.View(p), nil)
	return fmt.Sprintf(`{"player":%d,"observation":%s}`, p, text[0]), nil
}

// recordedPosition returns the table at a decision of a recorded match, and who decides.
func recordedPosition(ctx context.Context, in *positionInput) (t sim.Table, decider sim.Player, err error) {
	if in.Decision == nil {
		return t, 0, errors.New("decision is missing")
	}
	rules, m, _, err := openMatch(ctx, in.Dataset, in.Match, "")
	if err != nil {
		return t, 0, err
	}
	n := *in.Decision
	if n < 0 || n >= len(m.Actions) {
		return t, 0, fmt.Errorf("decision: %d; match %d has decisions 0 to %d", n, in.Match, len(m.Actions)-1)
	}
	err = m.ReplaySteps(rules, func(before *sim.Table, p sim.Player, _ sim.Action, _ []sim.Event) {
		if before == nil {
			return
		}
		if n == 0 {
			t, decider = *before, p
		}
		n--
	})
	return t, decider, err
}

// playedPosition returns the table after actions, and who decides.
func playedPosition(ctx context.Context, in *positionInput) (t sim.Table, decider sim.Player, err error) {
	r, err := openRuleset(ctx, in.Ruleset)
	if err != nil {
		return t, 0, err
	}
	if in.Wall != "" {
		if r.FirstWall, err = sim.ParseFirstWall(r.Config.Common(), in.Wall); err != nil {
			return t, 0, fmt.Errorf("wall: %w", err)
		}
	}
	t = sim.NewTable(r.Rules(), sim.MatchSeed(in.Seed, 0))
	n := 0
	for !t.Over() {
		t.StartHand(nil)
		for p := range t.RestOfHand() {
			if n == len(in.Actions) {
				return t, p, nil
			}
			a, err := sim.ParseAction(in.Actions[n])
			if err == nil {
				_, err = t.Step(p, a, nil)
			}
			if legal := t.Legal(p); err != nil {
				return t, p, fmt.Errorf("action %d of player %d: %w; legal: %v", n, p, err, legal)
			}
			n++
		}
	}
	return t, 0, fmt.Errorf("the match is over after %d actions; %d are given", n, len(in.Actions))
}
