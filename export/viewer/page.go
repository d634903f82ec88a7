// Package viewer writes a match as a self-contained web page on which it can be
// stepped through; docs/viewer.md describes it.
package viewer

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"io"

	"github.com/sparrowhall/sparrowhall/export/board"
	"github.com/sparrowhall/sparrowhall/export/page"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

//go:embed page.html page.css data.js match.js panel.js measures.js page.js
var files embed.FS

var pageTemplate = template.Must(template.ParseFS(files, "page.html"))

// data is what a page knows of its match. Each event is its five fields, each decision
// what it was made from.
type data struct {
	board.Description
	Match     uint64                 `json:"match"`
	Seed      uint64                 `json:"seed,string"`
	Agents    [sim.NumPlayers]string `json:"agents"`
	Hands     []int                  `json:"hands"` // events before each hand
	Events    [][5]int               `json:"events"`
	Decisions []decision             `json:"decisions"`
	Wins      []board.Win            `json:"wins"`     // of the EvWin events in order
	Outlooks  [][]int                `json:"outlooks"` // see outlooks
	Luck      [][5]int64             `json:"luck"`     // see luckOf
	Verdicts  []Verdict              `json:"verdicts"`
	Sentences map[string]string      `json:"sentences"`
}

// read returns an embedded file.
func read(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // embedded
	}
	return string(text)
}

// decision is one answer; At is the number of events before it.
type decision struct {
	At     int32      `json:"at"`
	Player sim.Player `json:"player"`
	Legal  []int      `json:"legal"`
	Choice sim.Action `json:"choice"`
}

// Verdict says that a decision would have been answered otherwise by a judge.
type Verdict struct {
	// Step is the number of the decision among all of the match.
	Step int `json:"step"`
	// Better is the judge's answer.
	Better sim.Action `json:"better"`
	// Cost is what the choice costs, in points, Low and High its interval.
	Cost float64 `json:"cost"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Write writes the page of a match that was played or replayed under the rules
// with its choices and values kept. agents are the names of those who played for
// players 0 to 3, empty where unknown. Those of asked that are not nil are the policies of
// the players, see [luck.ControlVariate.SetPolicies]. What a review found is shown at its decisions.
// The page loads nothing from elsewhere.
func Write(w io.Writer, r *ruleset.Rules, m *sim.Match, agents [sim.NumPlayers]string, asked [sim.NumPlayers]sim.Agent, found ...Verdict) error {
	if len(m.Choices) != len(m.Actions) {
		return errors.New("page: the choices of the match were not kept")
	}
	luck, err := luckOf(r, m, asked)
	if err != nil {
		return err
	}
	d := data{
		Description: board.Describe(r), Match: m.Index, Seed: m.Seed, Agents: agents,
		Hands: []int{}, Events: [][5]int{}, Decisions: []decision{}, Wins: []board.Win{}, Verdicts: append([]Verdict{}, found...),
		Outlooks: outlooks(r, m.Events), Luck: luck, Sentences: board.Sentences(),
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
		d.Decisions = append(d.Decisions, decision{c.EventIndex, c.Player, legal, m.Actions[i]})
	}
	for i := range m.Values {
		d.Wins = append(d.Wins, board.WinOf(r, &m.Values[i]))
	}

	script := "(() => {\n" + board.Tiles + read("data.js") + board.State + read("match.js") + board.Draw +
		read("panel.js") + read("measures.js") + read("page.js") + "})();\n"
	var b bytes.Buffer
	err = page.Execute(&b, pageTemplate, map[string]any{
		"Chart": page.Chart, "Data": d, "HandSize": r.HandSize, "Style": page.ChartStyle + board.Style + template.CSS(read("page.css")), "Script": template.JS(script),
	})
	if err != nil {
		return err
	}
	_, err = b.WriteTo(w)
	return err
}
