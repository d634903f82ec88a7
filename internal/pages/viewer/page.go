// Package viewer writes a match as a self-contained web page that shows it step by step, with
// the legal actions and the choice at every decision; docs/review.md describes it.
//
//	err := viewer.Write(w, rules, match, names, policies, nil)
//
// The page has the events and decisions of the match as JSON, and scripts that show them.
package viewer

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/analysis/review"
	"github.com/sparrowhall/sparrowhall/internal/insight/facts"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/internal/pages/board"
	"github.com/sparrowhall/sparrowhall/internal/pages/chart"
	"github.com/sparrowhall/sparrowhall/internal/release"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

//go:embed en.json ja.json zh-Hant.json page.html page.css data.js match.js panel.js measures.js page.js
var files embed.FS

// pageText is the page, with places in double braces for what differs.
var pageText = sanitize.Guard(board.MustRead(&files, "page.html"))

// data is the match as JSON in the page. Numbers of events, actions, faces and so on are those of
// package sim; an event is its five fields.
type data struct {
	board.Description
	Match     uint64      `json:"match"`
	Seed      uint64      `json:"seed,string"`
	Agents    []string    `json:"agents"`
	Hands     []int       `json:"hands"` // events before each hand
	Events    [][5]int    `json:"events"`
	Stops     []int       `json:"stops"` // see stops
	Decisions []decision  `json:"decisions"`
	Wins      []board.Win `json:"wins"`     // of the EvWin events in order
	Items     []itemized  `json:"items"`    // of the payments and debts that have any
	Outlooks  [][]int     `json:"outlooks"` // see outlooks
	Whys      []facts.Why `json:"whys"`
	Luck      [][]int64   `json:"luck"`  // see luckOf
	Walls     []undrawn   `json:"walls"` // of the hands; none where the record does not give them
	Verdicts  []verdict   `json:"verdicts"`
	// Sentences are those of the page by language and key, Review the summary of a review.
	Sentences map[string]map[string]string `json:"sentences"`
	Review    *reviewSummary               `json:"review,omitempty"`
}

// decision is one decision; At is the number of events before it.
type decision struct {
	At     int32      `json:"at"`
	Player sim.Player `json:"player"`
	Legal  []int      `json:"legal"`
	Choice sim.Action `json:"choice"`
	// Rated are the answers that the judge of a review has evaluated, its own first: the action, and by how many
	// tenths of a point it is rated lower.
	Rated [][2]int `json:"rated,omitempty"`
}

// itemized is the items of the event of an index.
type itemized struct {
	At    int          `json:"at"`
	Items []board.Item `json:"items"`
}

// itemsOf returns the items of the payments and debts of a match.
func itemsOf(r *ruleset.Rules, m *sim.Match) []itemized {
	list := []itemized{}
	payments, wins := board.NewPayments(r), 0
	for n, h := range m.Hands {
		end := len(m.Events)
		if n+1 < len(m.Hands) {
			end = m.Hands[n+1].FirstEvent
		}
		hand := m.Events[h.FirstEvent:end]
		for i, e := range hand {
			var value *ruleset.Value
			if e.Type == sim.EvWin && wins < len(m.Values) {
				value = &m.Values[wins]
				wins++
			}
			if items := payments.Apply(e, value, hand); items != nil {
				list = append(list, itemized{h.FirstEvent + i, items})
			}
		}
	}
	return list
}

// verdict is a decision at which the judge of a review would have answered differently.
type verdict struct {
	// Step is the number of the decision among all of the match.
	Step    int        `json:"step"`
	Better  sim.Action `json:"better"`
	Mistake bool       `json:"mistake"`
	Kind    string     `json:"kind"`
	Text    texts      `json:"text"`
	Brief   texts      `json:"brief"`
	// Cost is by rollouts, in points, with the interval that Text has.
	Cost [3]interval.Number `json:"cost"`
}

func verdicts(found *review.Review, r *ruleset.Rules) []verdict {
	list := []verdict{}
	if found != nil {
		for i := range found.Decisions {
			d := &found.Decisions[i]
			low, high := d.Low, d.High
			if d.Corrected != nil && d.Kind != review.Placement {
				low, high = d.Corrected[0], d.Corrected[1]
			}
			list = append(list, verdict{
				d.Step, d.Better, d.Mistake, d.Kind.Title(r), sentenceOf(d, r),
				inLanguages(func(language string) string { return d.Brief(language, r) }),
				[...]interval.Number{d.Cost.Cost, low, high},
			})
		}
	}
	return list
}

// sentencesFor returns the sentences of the page by language and key, with the names of the
// patterns of wins under the rules of a family.
func sentencesFor(wins []board.Win, family string) map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, language := range board.Languages {
		s := board.AddSentences(board.Sentences(language), &files, language+".json")
		names := board.PatternNames(language)
		for _, w := range wins {
			for _, p := range w.Patterns {
				if key := "pattern." + family + "." + p.ID; names[key] != "" {
					s[key] = names[key]
				}
			}
		}
		all[language] = s
	}
	return all
}

// Write writes the page of a match that was played or replayed under the rules with its choices
// and values kept. agents are the names of the agents of the players, empty where unknown.
// policies are the agents that measure luck, nil where unknown; see
// [luck.ControlVariate.SetPolicies]. A review that is not nil is summed up on the page, and
// shown at its decisions.
func Write(w io.Writer, r *ruleset.Rules, m *sim.Match, agents [sim.NumPlayers]string, policies [sim.NumPlayers]sim.Agent, found *review.Review) error {
	if len(m.Choices) != len(m.Actions) {
		return errors.New("viewer: the choices of the match were not kept")
	}
	luck, err := luckOf(r, m, policies)
	if err != nil {
		return err
	}
	readiness, err := outlooks(r, m)
	if err != nil {
		return err
	}
	walls, err := undrawnTiles(r, m)
	if err != nil {
		return err
	}
	d := data{
		Description: board.Describe(r), Match: m.Index, Seed: m.Seed, Agents: agents[:r.NumSeats()],
		Hands: []int{}, Events: [][5]int{}, Items: itemsOf(r, m), Decisions: []decision{}, Wins: []board.Win{}, Verdicts: verdicts(found, r),
		Stops: stops(m), Outlooks: readiness, Whys: facts.Whys, Luck: luck, Walls: walls, Review: summarize(found, r),
	}
	for _, h := range m.Hands {
		d.Hands = append(d.Hands, h.FirstEvent)
	}
	for _, e := range m.Events {
		d.Events = append(d.Events, board.Event(e))
	}
	for i, c := range m.Choices {
		legal := []int{}
		for a := range c.Legal.All {
			legal = append(legal, int(a))
		}
		d.Decisions = append(d.Decisions, decision{c.EventIndex, c.Player, legal, m.Actions[i], nil})
	}
	if found != nil {
		for _, x := range found.Ratings {
			for _, l := range x.Losses {
				rated := &d.Decisions[x.Step].Rated
				*rated = append(*rated, [2]int{int(l.Action), int(math.Round(10 * float64(l.Points)))})
			}
		}
	}
	for i := range m.Values {
		d.Wins = append(d.Wins, board.WinOf(r, &m.Values[i]))
	}

	d.Sentences = sentencesFor(d.Wins, r.Family)

	script := "(() => {\n" + board.Tiles + board.Language + board.MustRead(&files, "data.js") + board.State + board.MustRead(&files, "match.js") + board.Draw +
		board.MustRead(&files, "panel.js") + board.MustRead(&files, "measures.js") + board.MustRead(&files, "page.js") + "})();\n"
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	made := []string{release.Rules(r.Name, fmt.Sprintf("%x", r.Hash))}
	if len(m.Walls) == 0 {
		made = append(made, fmt.Sprintf("seed %d", m.Seed))
	}
	// JSON has no <, which could end its element. A template would bring all of reflection into
	// programs for browsers.
	_, err = strings.NewReplacer(
		"{{title}}", html.EscapeString(fmt.Sprintf("%s, match %d", d.Ruleset, d.Match)), "{{hand_size}}", strconv.Itoa(r.HandSize),
		"{{made}}", html.EscapeString(release.Made(sim.EngineVersion, made...)),
		"{{style}}", chart.Style+board.Style+board.MustRead(&files, "page.css"), "{{data}}", string(text),
		"{{chart}}", chart.Script, "{{script}}", script,
	).WriteString(&sanitize.Writer{W: w}, pageText)
	return err
}
