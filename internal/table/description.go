package table

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/pages/board"
	"github.com/sparrowhall/sparrowhall/internal/pages/chart"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

//go:embed page
var pages embed.FS

// File is a file of the page, which the page names by its name alone.
type File struct{ Name, Kind, Text string }

// Files returns the files of the page, the page itself first.
func Files() []File {
	files := []File{
		{"index.html", "text/html; charset=utf-8", board.MustRead(&pages, "page/index.html")},
		{"table.css", "text/css; charset=utf-8", chart.Style + board.Style + board.MustRead(&pages, "page/table.css")},
		{"table.js", "text/javascript; charset=utf-8", script()},
		{"chart.js", "text/javascript; charset=utf-8", chart.Script},
	}
	for _, l := range board.Languages {
		text, err := json.Marshal(sentences(l))
		if err != nil {
			panic(err) // strings
		}
		files = append(files, File{l + ".json", "application/json", string(text)})
	}
	return files
}

// sentences returns the sentences of the page in a language by key: those of the board, the names
// of patterns, and its own.
func sentences(language string) map[string]string {
	all := board.Sentences(language)
	maps.Copy(all, board.PatternNames(language))
	return board.AddSentences(all, &pages, "page/"+language+".json")
}

func script() string {
	// The one sentence that is needed where the others cannot be loaded.
	unreached := map[string]string{}
	for _, l := range board.Languages {
		unreached[l] = sentences(l)["unreached"]
	}
	text, err := json.Marshal(unreached)
	if err != nil {
		panic(err) // strings
	}
	return "(async () => {\nconst unreached = " + string(text) + ";\n" + board.Tiles + board.Language + board.MustRead(&pages, "page/server.js") + board.MustRead(&pages, "page/data.js") + board.State + board.Draw + board.MustRead(&pages, "page/lobby.js") + board.MustRead(&pages, "page/panel.js") + board.MustRead(&pages, "page/facts.js") + board.MustRead(&pages, "page/coach.js") + board.MustRead(&pages, "page/play.js") + "})();\n"
}

// gameData describes a game to its page before the first message.
type gameData struct {
	board.Description
	// Player is the player of the page, -1 for spectators.
	Player int `json:"player"`
	// Patterns are the patterns of the ruleset that are not switched off.
	Patterns []pricedPattern `json:"patterns"`
	// IDs are the first actions of each kind by name.
	IDs map[string]sim.Action `json:"ids"`
	// Coach is set if the page receives advice.
	Coach bool `json:"coach,omitempty"`
	// Lobby is set for the page of the lobby. Share is the key of that page, for those who sit at a
	// table of several people.
	Lobby bool   `json:"lobby,omitempty"`
	Share string `json:"share,omitempty"`
	// Watch is set for the page of a gallery.
	Watch *watchData `json:"watch,omitempty"`
}

// pricedPattern is a pattern with its price in the ruleset, which is empty where a knob of
// another name has it.
type pricedPattern struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Native string `json:"native"`
	Price  string `json:"price"`
	// Yakuman is set if the price is a multiple of a yakuman.
	Yakuman bool `json:"yakuman,omitempty"`
}

// actionIDs are the actions of which the page shows a button, by name.
var actionIDs = map[string]sim.Action{
	"discard": sim.ActDiscard, "discardDrawn": sim.ActDiscardDrawn, "ready": sim.ActReady, "readyDrawn": sim.ActReadyDrawn,
	"chi": sim.ActChi, "chiRed": sim.ActChiRed, "pon": sim.ActPon, "openKan": sim.ActOpenKan, "closedKan": sim.ActClosedKan,
	"addedKan": sim.ActAddedKan, "win": sim.ActWin, "pass": sim.ActPass, "readyNow": sim.ActReadyNow, "nineKinds": sim.ActNineKinds,
	"tenpai": sim.ActTenpai, "noten": sim.ActNoten, "flower": sim.ActFlower, "flowerWin": sim.ActFlowerWin,
	"flowerAward": sim.ActFlowerAward, "cutDebt": sim.ActCutDebt, "endMatch": sim.ActEndMatch, "kita": sim.ActKita,
}

// describe returns the description of matches under a ruleset, for spectators. rules are those
// of the ruleset.
func describe(r *configs.Ruleset, rules *ruleset.Rules) gameData {
	return gameData{
		Description: board.Describe(rules), Player: -1, Patterns: patterns(r, rules.Patterns()), IDs: actionIDs,
	}
}

// patterns returns the patterns of a ruleset that are not switched off, with their prices.
func patterns(r *configs.Ruleset, all []ruleset.Pattern) []pricedPattern {
	var list []pricedPattern
	for _, k := range r.Knobs() {
		prices := k.Prices()
		for i, l := range k.Listings() {
			if i == len(all) {
				break // with four players, patterns of three follow
			}
			p := pricedPattern{ID: all[i].ID, Name: all[i].Name, Native: all[i].Native, Yakuman: all[i].Yakuman}
			switch price := prices[i]; {
			case price.IsSet() && price.Value() == "off":
				continue
			case price.IsSet():
				p.Price = price.Text()
			case l.Listed.Open != 0 && l.Listed.Open != l.Listed.Closed:
				p.Price = fmt.Sprintf("%d, %d", l.Listed.Closed, l.Listed.Open)
			case l.Listed.Closed != 0:
				p.Price = strconv.Itoa(int(l.Listed.Closed))
			}
			list = append(list, p)
		}
	}
	return list
}

// watchData describes a gallery to its page, besides [gameData].
type watchData struct {
	Rooms []roomData `json:"rooms"` // the newest first
	Room  int        `json:"room"`  // the one that is shown
	// AllowHidden is set if the page may show all tiles.
	AllowHidden bool `json:"allow_hidden"`
}

// roomData is a room in the list of the page.
type roomData struct {
	Number  int    `json:"number"`
	Ruleset string `json:"ruleset"`
	Tables  int    `json:"tables"`
}
