// Package viewer writes a match as a self-contained web page on which it can be
// stepped through; docs/viewer.md describes it.
package viewer

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"io"

	"github.com/sparrowhall/sparrowhall/export/page"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

//go:embed page.html page.css tiles.js match.js table.js panel.js measures.js page.js
var files embed.FS

// scripts are the parts of the script of a page, in their order.
var scripts = []string{"tiles.js", "match.js", "table.js", "panel.js", "measures.js", "page.js"}

var pageTemplate = template.Must(template.ParseFS(files, "page.html"))

// data is what a page knows of its match. Numbers mean what they mean in package
// sim; each event is its five fields, each decision what it was made from.
type data struct {
	Match      uint64                 `json:"match"`
	Seed       uint64                 `json:"seed,string"`
	Ruleset    string                 `json:"ruleset"`
	Agents     [sim.NumPlayers]string `json:"agents"`
	Start      int                    `json:"start"` // points of each player, in units
	Unit       int                    `json:"unit"`  // units in a point
	Dora       bool                   `json:"dora"`
	KanVisible bool                   `json:"kan_visible"`
	Hands      []int                  `json:"hands"` // events before each hand
	Events     [][5]int               `json:"events"`
	Decisions  []decision             `json:"decisions"`
	Wins       []win                  `json:"wins"`     // of the EvWin events in order
	Outlooks   [][]int                `json:"outlooks"` // see outlooks
	Luck       [][5]int64             `json:"luck"`     // see luckOf
	Verdicts   []Verdict              `json:"verdicts"`
	Faces      [tile.NumFaces]string  `json:"faces"`
	Actions    [sim.NumActions]string `json:"actions"`
	Types      map[string]int         `json:"types"`   // of events, by name
	Reasons    []string               `json:"reasons"` // of payments
	Aborts     []string               `json:"aborts"`
}

// decision is one answer; At is the number of events before it.
type decision struct {
	At     int32      `json:"at"`
	Player sim.Player `json:"player"`
	Legal  []int      `json:"legal"`
	Choice sim.Action `json:"choice"`
}

// win is what a won hand is worth.
type win struct {
	Patterns []pattern `json:"patterns"`
	Yakuman  uint8     `json:"yakuman"`
}

type pattern struct {
	Name   string `json:"name"`
	Points int16  `json:"points"`
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

// types are the events that the script of the page tells apart.
var types = map[string]int{
	"seats": int(sim.EvSeats), "handStart": int(sim.EvHandStart), "deal": int(sim.EvDeal), "draw": int(sim.EvDraw),
	"flower": int(sim.EvFlower), "flowerChoice": int(sim.EvFlowerChoice), "discard": int(sim.EvDiscard),
	"ready": int(sim.EvReady), "chi": int(sim.EvChi), "pon": int(sim.EvPon), "openKan": int(sim.EvOpenKan),
	"closedKan": int(sim.EvClosedKan), "addedKan": int(sim.EvAddedKan), "indicator": int(sim.EvIndicator),
	"declare": int(sim.EvDeclare), "exhausted": int(sim.EvExhausted), "abort": int(sim.EvAbort), "win": int(sim.EvWin),
	"value": int(sim.EvValue), "reveal": int(sim.EvReveal), "pay": int(sim.EvPay), "debt": int(sim.EvDebt),
	"handEnd": int(sim.EvHandEnd), "placement": int(sim.EvPlacement), "forfeit": int(sim.EvForfeit),
	"truncated": int(sim.EvTruncated), "matchEnd": int(sim.EvMatchEnd),
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
		Match: m.Index, Seed: m.Seed, Ruleset: r.Name, Agents: agents,
		Start: r.StartingPoints * r.Unit(), Unit: r.Unit(), Dora: r.Dora, KanVisible: r.ClosedKanVisible,
		Hands: []int{}, Events: [][5]int{}, Decisions: []decision{}, Wins: []win{}, Types: types, Verdicts: append([]Verdict{}, found...),
		Outlooks: outlooks(r, m.Events), Luck: luck,
	}
	for _, h := range m.Hands {
		d.Hands = append(d.Hands, h.FirstEvent)
	}
	for _, e := range m.Events {
		d.Events = append(d.Events, [5]int{int(e.Type), int(e.Player), int(e.Tile), int(e.Detail), int(e.Value)})
	}
	for i, c := range m.Choices {
		legal := []int{}
		for a := range c.Legal.All {
			legal = append(legal, int(a))
		}
		d.Decisions = append(d.Decisions, decision{c.EventIndex, c.Player, legal, m.Actions[i]})
	}
	all := r.Patterns()
	for i := range m.Values {
		v := &m.Values[i]
		x := win{Patterns: []pattern{}, Yakuman: v.Yakuman}
		for _, p := range v.Patterns[:v.NumPatterns] {
			x.Patterns = append(x.Patterns, pattern{all[p.Pattern].Name, p.Points})
		}
		d.Wins = append(d.Wins, x)
	}
	for f := range d.Faces {
		d.Faces[f] = tile.Face(f).String()
	}
	for a := range d.Actions {
		d.Actions[a] = sim.Action(a).String()
	}
	for reason := ruleset.ForWin; reason <= ruleset.ForForfeit; reason++ {
		d.Reasons = append(d.Reasons, reason.String())
	}
	for reason := sim.AbortNineKinds; reason <= sim.AbortTripleRon; reason++ {
		d.Aborts = append(d.Aborts, reason.String())
	}

	style, err := files.ReadFile("page.css")
	if err != nil {
		return err
	}
	script := []byte("(() => {\n")
	for _, name := range scripts {
		part, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		script = append(script, part...)
	}
	script = append(script, "})();\n"...)
	var b bytes.Buffer
	err = page.Execute(&b, pageTemplate, map[string]any{
		"Chart": page.Chart, "Data": d, "HandSize": r.HandSize, "Style": page.ChartStyle + template.CSS(style), "Script": template.JS(script),
	})
	if err != nil {
		return err
	}
	_, err = b.WriteTo(w)
	return err
}
