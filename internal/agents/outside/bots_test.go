package outside_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/record/mjai"
	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestMain lets the test binary be a player outside the program as well: its first
// argument then names one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if bot, ok := bots[os.Args[1]]; ok {
			bot(os.Args[2:])
			return
		}
	}
	os.Exit(m.Run())
}

// bots are the programs that the test binary can be. The fault of the first
// argument is done at the ninth draw.
var bots = map[string]func(args []string){"mjai-bot": runMJAIBot, "botzone-bot": runBotzoneBot, "llm-bot": runLLMBot}

// program returns the command of one of bots.
func program(name string, args ...string) string {
	return fmt.Sprintf("'%s' %s %s", os.Args[0], name, strings.Join(args, " "))
}

// hang does nothing for much longer than a test waits, but not for good: what a test that was
// itself killed has left behind ends.
func hang() { time.Sleep(10 * poll.Patience) }

// misbehave does the fault that the arguments name, with which most programs end.
func misbehave(args []string) {
	if len(args) == 0 {
		return
	}
	switch args[0] {
	case "late":
		hang()
	case "garbage":
		fmt.Println("tsumogiri!")
	case "endless":
		fmt.Print(strings.Repeat("x", 3<<20))
		hang()
	case "crash":
		// With a file named it crashes but once.
		if len(args) > 1 {
			f, err := os.OpenFile(args[1], os.O_CREATE|os.O_EXCL, 0o644)
			if err != nil {
				return
			}
			f.Close()
		}
		fmt.Fprintln(os.Stderr, "out of ideas")
		os.Exit(3)
	}
}

// mjaiBot claims any pon, then discards its lowest tile, declares riichi with a
// drawn tile as soon as it may and otherwise discards what it has drawn. With three players
// it sets Norths aside before, by the word that it is sent. pushover is the same player
// inside the program.
type mjaiBot struct {
	args          []string
	self          sim.Player
	hand          hand.Hand
	closed, ready bool
	drawn         string
	left, draws   int
	least         int // tiles left at a riichi
	asked         bool
}

type pushover struct{}

func (pushover) Act(v sim.View) sim.Action {
	legal := v.Legal()
	for _, a := range []sim.Action{sim.ActPon, sim.ActKita, sim.ActReadyDrawn, sim.ActDiscardDrawn, sim.ActTenpai, sim.ActPass} {
		if legal.Has(a) {
			return a
		}
	}
	return legal.First()
}

func runMJAIBot(args []string) {
	b := &mjaiBot{args: args}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var list []json.RawMessage
		if json.Unmarshal(in.Bytes(), &list) != nil {
			list = []json.RawMessage{in.Bytes()}
		}
		answer := ""
		for _, m := range list {
			answer = b.react(m)
		}
		switch {
		case slices.Contains(args, "arrays") && in.Bytes()[0] != '[':
			fmt.Println("no array")
		case slices.Contains(args, "asked") && answer == `{"type":"none"}` && !b.asked:
		case slices.Contains(args, "rude"):
			fmt.Println(rude(args[1], answer, in.Text()))
		default:
			fmt.Println(answer)
		}
	}
}

func rude(fault, answer, asked string) string {
	switch fault {
	case "actor":
		return strings.Replace(answer, `"actor":0,"pai"`, `"actor":3,"pai"`, 1)
	case "tsumogiri":
		return strings.Replace(answer, `,"tsumogiri":true`, "", 1)
	case "leaves":
		if strings.Contains(asked, "end_game") {
			os.Exit(0)
		}
	}
	return answer
}

func (b *mjaiBot) react(line []byte) string {
	m, err := mjai.Parse(line)
	if err != nil {
		return err.Error()
	}
	mine := m.Actor != nil && *m.Actor == b.self
	b.asked = mine && m.Type == "tsumo" || !mine && bytes.Contains(line, []byte(`"possible_actions"`))
	switch {
	case m.Type == "start_game":
		b.self = *m.ID
	case m.Type == "start_kyoku":
		b.hand, b.closed, b.ready, b.left, b.least = hand.Hand{}, true, false, 70, 4
		if len(m.Tehais) == 3 {
			b.left, b.least = 55, 3
		}
		for _, t := range m.Tehais[b.self] {
			b.hand.Add(kindOf(t))
		}
	case m.Type == "tsumo":
		b.left--
		if mine {
			for _, word := range []string{"kita", "nukidora"} {
				if bytes.Contains(line, fmt.Appendf(nil, `{"type":%q`, word)) {
					b.hand.Add(kindOf(m.Pai))
					b.hand.Remove(tile.Kind(tile.North))
					return fmt.Sprintf(`{"type":%q,"actor":%d,"pai":"N"}`, word, b.self)
				}
			}
			return b.turn(m.Pai)
		}
	case m.Type == "reach" && mine:
		b.ready = true
		return b.discard(b.drawn, true)
	case m.Type == "dahai" && mine:
		b.hand.Remove(kindOf(m.Pai))
	case m.Type == "dahai" && !b.ready && b.left > 0 && b.hand.Count(kindOf(m.Pai)) >= 2:
		return fmt.Sprintf(`{"type":"pon","actor":%d,"target":%d,"pai":%q,"consumed":[%q,%q]}`, b.self, *m.Actor, m.Pai, m.Pai, m.Pai)
	case m.Type == "pon" && mine:
		b.closed = false
		k := kindOf(m.Pai)
		b.hand.Remove(k)
		b.hand.Remove(k)
		return b.discard(mjai.Tile(tile.Face((b.hand.Kinds() &^ k.Bit()).First())), false)
	}
	return `{"type":"none"}`
}

func (b *mjaiBot) turn(drawn string) string {
	if b.draws++; b.draws == 9 {
		misbehave(b.args)
	}
	b.drawn = drawn
	ready := b.closed && !b.ready && b.left >= b.least && b.hand.Waits(4) != 0
	b.hand.Add(kindOf(drawn))
	if ready {
		return fmt.Sprintf(`{"type":"reach","actor":%d}`, b.self)
	}
	return b.discard(drawn, true)
}

func (b *mjaiBot) discard(pai string, drawn bool) string {
	return fmt.Sprintf(`{"type":"dahai","actor":%d,"pai":%q,"tsumogiri":%v}`, b.self, pai, drawn)
}

func kindOf(pai string) tile.Kind {
	f, err := mjai.ParseTile(pai)
	if err != nil {
		panic(err)
	}
	return f.Kind()
}

// botzoneBot claims any pung, then discards its lowest tile, and otherwise
// discards what it has drawn, as does pushover. Its options are words of its
// command: simple for text instead of JSON, once to end after each response, eof
// to wait for the end of its input before, brief to forfeit at the second draw, rash
// to claim the last discard of a hand.
type botzoneBot struct {
	args   []string
	self   int
	held   map[string]int
	window string
	draws  [sim.NumPlayers]int
}

func runBotzoneBot(args []string) {
	b := &botzoneBot{args: args, self: -1}
	options := strings.Join(args, " ")
	var input io.Reader = os.Stdin
	if strings.Contains(options, "eof") {
		all, err := io.ReadAll(os.Stdin)
		if err != nil {
			panic(err)
		}
		input = bytes.NewReader(all)
	}
	in := bufio.NewScanner(input)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var requests []string
		var all struct{ Requests []string }
		var one string
		n := 0
		switch {
		case strings.Contains(options, "simple") && b.self < 0:
			fmt.Sscan(in.Text(), &n)
			for i := 0; i < 2*n-1 && in.Scan(); i++ {
				if i%2 == 0 {
					requests = append(requests, in.Text())
				}
			}
		case strings.Contains(options, "simple"):
			requests = []string{in.Text()}
		case json.Unmarshal(in.Bytes(), &one) == nil:
			requests = []string{one}
		case json.Unmarshal(in.Bytes(), &all) == nil:
			requests = all.Requests
		}
		response := ""
		for i, request := range requests {
			response = b.react(request, i == len(requests)-1)
		}
		if strings.Contains(options, "simple") {
			fmt.Println(response)
		} else {
			fmt.Printf("{\"response\":%q,\"debug\":\"none\"}\n", response)
		}
		if strings.Contains(options, "once") {
			return
		}
		fmt.Println(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<")
	}
}

// react returns the response to a request; asked tells that it counts.
func (b *botzoneBot) react(request string, asked bool) string {
	w := strings.Fields(request)
	who := -1
	if w[0] == "3" {
		who = int(w[1][0] - '0')
	}
	switch {
	case w[0] == "0":
		b.self, b.held = int(w[1][0]-'0'), map[string]int{}
	case w[0] == "1":
		for _, t := range w[5:] {
			b.held[t]++
		}
	case w[0] == "2":
		b.draws[b.self]++
		b.held[w[1]]++
		switch {
		case asked && b.draws[b.self] == 9:
			misbehave(b.args)
		case b.draws[b.self] == 2 && slices.Contains(b.args, "brief"):
			return "PASS"
		}
		return "PLAY " + w[1]
	case w[2] == "DRAW":
		b.draws[who]++
	case w[2] == "PLAY" && who == b.self:
		b.held[w[3]]--
	case w[2] == "PENG" && who == b.self:
		b.held[b.window] -= 2
		b.held[w[3]]--
	}
	if who < 0 || who == b.self || w[2] != "PLAY" && w[2] != "PENG" && w[2] != "CHI" {
		return "PASS"
	}
	t := w[len(w)-1]
	b.window = t
	if b.draws[(who+1)%4] == 21 && slices.Contains(b.args, "rash") {
		return "PENG W1"
	}
	if b.held[t] < 2 || b.draws[(who+1)%4] == 21 {
		return "PASS"
	}
	rest := maps.Clone(b.held)
	rest[t] -= 2
	for k := range tile.Kind(tile.NumKinds) {
		// The lowest kind, in the order of the table.
		code := botzoneCode(k)
		if rest[code] > 0 {
			return "PENG " + code
		}
	}
	return "PASS"
}

func botzoneCode(k tile.Kind) string {
	return []string{
		"W1", "W2", "W3", "W4", "W5", "W6", "W7", "W8", "W9", "B1", "B2", "B3", "B4", "B5", "B6", "B7", "B8", "B9",
		"T1", "T2", "T3", "T4", "T5", "T6", "T7", "T8", "T9", "F1", "F2", "F3", "F4", "J3", "J2", "J1",
	}[k]
}
