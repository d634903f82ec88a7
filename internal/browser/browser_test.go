package browser

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/agents/builtin"
	"github.com/sparrowhall/sparrowhall/sim"
)

// serve returns the status and the text of an answer.
func serve(t *testing.T, p *Program, r Request) (status int, text string) {
	t.Helper()
	p.Serve(t.Context(), r, func(s int, part string) { status, text = s, text+part })
	return status, text
}

// each calls handle with each server-sent event of an answer.
func each(handle func(event string)) Send {
	return func(_ int, text string) {
		for event := range strings.SplitSeq(strings.TrimSuffix(text, "\n\n"), "\n\n") {
			handle(event)
		}
	}
}

// TestTable plays a match of one hand of every preset as the page does, and opens its replay.
func TestTable(t *testing.T) {
	for _, name := range configs.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p Program
			key := url.Values{"rules": {"base = \"" + name + "\"\nmax_hands = 1\n"}, "agents": {"value,value,value"}, "seed": {"3"}, "pace": {"0s"}, "coach": {"value"}}
			if r, err := configs.Load(name); err != nil {
				t.Fatal(err)
			} else if r.NumSeats() == 3 {
				key.Set("agents", "value,value")
			}
			status, text := serve(t, &p, Request{Path: "game.json", Key: key.Encode()})
			if status != 200 || !json.Valid([]byte(text)) {
				t.Fatalf("status %d, %s", status, text)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			replay := ""
			p.Serve(ctx, Request{Path: "events"}, each(func(part string) {
				_, data, _ := strings.Cut(part, "\ndata: ")
				var m struct {
					Question int64
					Legal    []int
					Address  string
				}
				if json.Unmarshal([]byte(data), &m) == nil {
					replay += m.Address
				}
				switch {
				case strings.Contains(part, "event: replay\n"):
					cancel()
				case strings.Contains(part, "event: question\n"):
					body := map[string]any{"question": m.Question}
					if len(m.Legal) > 0 {
						body["action"] = m.Legal[0]
					}
					sent, err := json.Marshal(body)
					if err != nil {
						t.Error(err)
					}
					if status, text := serve(t, &p, Request{Path: "answer", Body: string(sent)}); status != 204 {
						t.Errorf("status %d, %s", status, text)
						cancel()
					}
				}
			}))
			if status, text := serve(t, &p, Request{Path: strings.TrimPrefix(replay, "/")}); status != 200 || !strings.Contains(text, "<!DOCTYPE html>") {
				t.Errorf("replay %q: status %d, %.80s", replay, status, text)
			}
		})
	}
}

// TestRefusals gives the messages of the command line for links that are broken.
func TestRefusals(t *testing.T) {
	for key, want := range map[string]string{
		"ruleset=emaa_2016":                 `unknown ruleset "emaa_2016"`,
		"rules=base+%3D+%22tenhou%22%0ax=1": "ruleset.toml:2: x: ",
		"agents=value":                      "agents: 1 named; the ruleset has seats for 3 beside yours",
		"agents=valeu,value,value":          `unknown agent "valeu"; nearest: value`,
		"agents=value,value,mjai:x":         `unknown agent "mjai"`,
		"coach=greedy":                      "coach: greedy gives no advice; allowed: value and expert",
		"wall=E+99z":                        "wall: ",
		"seed=-1":                           `seed: "-1" is no whole number`,
		"pace=2m":                           `pace: "2m"; allowed: 0s to 1m`,
		"people=2":                          `the link has "people"; allowed: ruleset`,
		"%zz":                               "the link cannot be read: ",
	} {
		var p Program
		if status, text := serve(t, &p, Request{Path: "game.json", Key: key}); status != 422 || !strings.Contains(text, want) {
			t.Errorf("%s: status %d, %q; want %q", key, status, text, want)
		}
	}
}

// records are one record of each format.
var records = []string{"sample.json", "sample.mjlog", "sample.mjson", "sample.majiang.json", "sample.txt", "sample.mahjongsoul.json"}

// TestRecords opens a record of each format without its name, goes on from a moment of it at a table,
// and shows what import says of a broken one.
func TestRecords(t *testing.T) {
	for _, file := range records {
		text, err := os.ReadFile(filepath.Join("..", "record", "testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		var p Program
		status, html := serve(t, &p, Request{Path: "record", Key: "name=" + file, Body: string(text)})
		if status != 200 || !strings.Contains(html, "<!DOCTYPE html>") {
			t.Errorf("%s: status %d, %.300s", file, status, html)
		}
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, err = w.Write(text)
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		key := url.Values{"record": {base64.RawURLEncoding.EncodeToString(packed.Bytes())}, "hand": {"0"}, "step": {"20"}}
		if status, text := serve(t, &p, Request{Path: "game.json", Key: key.Encode()}); status != 200 {
			t.Errorf("%s: status %d, %s", file, status, text)
		}
	}
	var p Program
	if status, text := serve(t, &p, Request{Path: "record", Key: "format=tenhou&name=x.json", Body: "{}"}); status != 422 || !strings.HasPrefix(text, "tenhou: x.json: ") {
		t.Errorf("status %d, %q", status, text)
	}
	if status, text := serve(t, &p, Request{Path: "record", Key: "format=x"}); status != 422 || !strings.Contains(text, `format "x"; allowed: tenhou`) {
		t.Errorf("status %d, %q", status, text)
	}
}

// TestActions goes on from a moment of a match that the page has played: a link has its seed and its actions.
func TestActions(t *testing.T) {
	r, err := configs.Load("ema_2016")
	if err != nil {
		t.Fatal(err)
	}
	newAgent, err := builtin.New(builtin.Players, "value")
	if err != nil {
		t.Fatal(err)
	}
	m := sim.Match{Seed: 5}
	m.Play(r, &[sim.NumPlayers]sim.Agent{newAgent(), newAgent(), newAgent(), newAgent()})
	var actions []string
	for _, a := range m.Actions {
		actions = append(actions, strconv.Itoa(int(a)))
	}
	for link, want := range map[string]string{
		"seed=5&hand=1&step=20&player=2&actions=" + strings.Join(actions, "."): `"player":2`,
		"seed=5&actions=300": `actions: "300" is no action`,
		"seed=5&actions=179": "actions: ",
		"actions=1":          "actions: the seed of their match is missing",
	} {
		var p Program
		if _, text := serve(t, &p, Request{Path: "game.json", Key: link}); !strings.Contains(text, want) {
			t.Errorf("%.60s: %.300s; want %s", link, text, want)
		}
	}
}

// TestScore scores a hand with the names of its patterns, and shows what score says of a wrong one.
func TestScore(t *testing.T) {
	const hand = `{"concealed":"234m234p23467s55p","win_tile":"8s","self_draw":true,"seat":"S","round":"E"}`
	var p Program
	status, text := serve(t, &p, Request{Path: "score", Key: "ruleset=ema_2016&language=ja", Body: hand})
	for _, want := range []string{`"han":5`, `"pinfu":"平和"`} {
		if status != 200 || !strings.Contains(text, want) {
			t.Errorf("status %d, %s; want %s", status, text, want)
		}
	}
	// The page words each reason of score, and a win as the family does. The program of the page has
	// no copy of it.
	script, err := os.ReadFile("page/site.js")
	if err != nil {
		t.Fatal(err)
	}
	for key, hand := range map[string]string{
		"ruleset=hk_old_style&language=zh-Hant": `{"concealed":"147m258p369s1234z","win_tile":"5z","self_draw":true,"seat":"E","round":"E"}`,
		"ruleset=mcr_2006&language=zh-Hant":     `{"concealed":"123m456p22s567s22z","win_tile":"2z","self_draw":false,"seat":"E","round":"E","from":"S"}`,
	} {
		var said struct {
			Answer struct{ Reason string }
			Win    [2]string
		}
		if _, text := serve(t, &p, Request{Path: "score", Key: key, Body: hand}); json.Unmarshal([]byte(text), &said) != nil || said.Answer.Reason == "" || !strings.Contains(string(script), strings.TrimRight(said.Answer.Reason, "0123456789")) {
			t.Errorf("%s: the page does not word %s", key, text)
		}
		if hk := strings.Contains(key, "hk"); said.Win[0] != "和牌" || (said.Win[1] == "食糊") != hk {
			t.Errorf("%s: words for a win %q", key, said.Win)
		}
	}
	if status, text := serve(t, &p, Request{Path: "score", Body: `{"win_tile":"8s"}`}); status != 422 || !strings.Contains(text, "concealed") {
		t.Errorf("status %d, %q", status, text)
	}
}

// TestProgress loads a page again after some answers: the match goes on where it was.
func TestProgress(t *testing.T) {
	key := url.Values{"agents": {"value,value,value"}, "seed": {"3"}, "pace": {"0s"}}.Encode()
	// questions opens the page and answers up to a number of questions, the last of which it leaves open.
	questions := func(progress string, n int) (asked, kept string) {
		var p Program
		if status, text := serve(t, &p, Request{Path: "progress"}); status != 404 {
			t.Errorf("status %d, %s", status, text)
		}
		if status, text := serve(t, &p, Request{Path: "game.json", Key: key, Body: progress}); status != 200 {
			t.Fatalf("status %d, %s", status, text)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p.Serve(ctx, Request{Path: "events"}, each(func(part string) {
			var m struct {
				Question int64
				Legal    []int
			}
			_, data, _ := strings.Cut(part, "\ndata: ")
			if !strings.Contains(part, "event: question\n") || json.Unmarshal([]byte(data), &m) != nil || ctx.Err() != nil {
				return
			}
			if n--; n == 0 {
				asked = fmt.Sprint(m.Legal)
				cancel()
				return
			}
			serve(t, &p, Request{Path: "answer", Body: fmt.Sprintf(`{"question":%d,"action":%d}`, m.Question, m.Legal[0])})
		}))
		_, kept = serve(t, &p, Request{Path: "progress"})
		return asked, kept
	}
	asked, kept := questions("", 6)
	again, keptAgain := questions(kept, 1)
	if again != asked || keptAgain != kept || len(kept) < 40 {
		t.Errorf("the question is %s after %s, and %s after %s in a page that is loaded again", asked, kept, again, keptAgain)
	}
}
