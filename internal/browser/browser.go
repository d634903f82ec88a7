// Package browser answers the requests of a page that has the program inside: the same table, viewer
// and scores as those of a server, without connections.
//
//	var p browser.Program
//	p.Serve(ctx, browser.Request{Path: "game.json", Key: "ruleset=mcr_2006&agents=value,value,value"}, send)
//
// The page is that of package table. Its key, which a server draws, is the text of its settings here,
// so that a link has all of them. docs/play-in-browser.md describes the folder.
package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/agents/builtin"
	"github.com/sparrowhall/sparrowhall/internal/table"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Request is a request of the page.
type Request struct {
	// Path is what is requested, Key the settings of the table, Body the text that is sent.
	Path, Key, Body string
	// Last is the number of the last message that the page has.
	Last int64
}

// Send returns a part of an answer. Its status is that of HTTP, and the same in all parts.
type Send func(status int, text string)

// Program is the program of one page. The zero value is ready.
type Program struct {
	// Fault, if not nil, receives the error that ends the table.
	Fault func(error)

	mu      sync.Mutex
	sitting *table.Sitting
	client  table.Client
	record  *openedRecord
}

// Serve answers a request. It returns after the last part.
func (p *Program) Serve(ctx context.Context, r Request, send Send) {
	status, text, err := 200, "", error(nil)
	path, name, _ := strings.Cut(r.Path, "/")
	if slices.Contains([]string{"events", "progress", "answer", "replay", "review"}, path) && !p.isOpen() {
		send(404, "no table is open")
		return
	}
	switch path {
	case "choices.json":
		text, err = choices()
	case "game.json":
		if err = p.open(r.Key, r.Body); err == nil {
			text, err = p.game()
		}
	case "events":
		p.client.Follow(ctx, r.Last, func(text string) { send(200, text) })
		return
	case "progress":
		text, err = p.progress()
	case "answer":
		status, err = p.client.Answer(strings.NewReader(r.Body))
	case "record":
		switch name {
		case "":
			text, err = p.openRecord(r)
		case "review":
			text, err = p.reviewRecord(ctx)
		case "judged":
			text, err = p.judged()
		}
	case "score":
		text, err = score(r)
	case "replay", "review":
		status, text, err = p.finished(name, path == "review")
	default:
		status, err = 404, fmt.Errorf("%q is no request of a page", r.Path)
	}
	if err != nil {
		text = err.Error()
		if status == 200 {
			status = 422
		}
	}
	send(status, text)
}

// choices returns what a person may choose from: rulesets with their seats, and agents.
func choices() (string, error) {
	type preset struct {
		Name  string `json:"name"`
		Seats int    `json:"seats"`
	}
	var all struct {
		Rulesets []preset `json:"rulesets"`
		Agents   []string `json:"agents"`
		Formats  []string `json:"formats"`
	}
	for _, name := range configs.Names() {
		r, err := configs.Load(name)
		if err != nil {
			return "", err
		}
		all.Rulesets = append(all.Rulesets, preset{name, r.NumSeats()})
	}
	all.Formats = formats()
	all.Agents = builtin.Names(builtin.Players)
	text, err := json.Marshal(all)
	return string(text), err
}

// settings returns those of a link, which has only those that are allowed.
func settings(key string, allowed ...string) (url.Values, error) {
	q, err := url.ParseQuery(key)
	if err != nil {
		return nil, fmt.Errorf("the link cannot be read: %w", err)
	}
	for name := range q {
		if !slices.Contains(allowed, name) {
			return nil, fmt.Errorf("the link has %q; allowed: %s", name, strings.Join(allowed, ", "))
		}
	}
	return q, nil
}

// openRuleset returns the ruleset of a link: the text of a file, or the name of a preset.
func openRuleset(q url.Values) (*configs.Ruleset, error) {
	if text := q.Get("rules"); text != "" {
		return configs.Read("ruleset.toml", []byte(text))
	}
	name := q.Get("ruleset")
	if name == "" {
		name = "ema_2016"
	}
	return configs.Open(name)
}

// options returns the settings of a table from those of a link, which are named as the flags of the
// verb table, and the player whose seat the person takes. A record in the link has a moment from which
// the table goes on.
func options(key string) (o table.Options, player int, err error) {
	q, err := settings(key, "ruleset", "rules", "agents", "wall", "seed", "coach", "pace", "record", "format", "actions", "hand", "step", "player")
	if err != nil {
		return o, 0, err
	}
	if q.Get("record") != "" {
		if q.Get("wall") != "" {
			return o, 0, errors.New("wall: the record has it already")
		}
		if player, err = branch(q, &o); err != nil {
			return o, 0, err
		}
	} else if o.Ruleset, err = openRuleset(q); err != nil {
		return o, 0, err
	}
	seats := o.Ruleset.Config.Common().NumSeats()
	if text := q.Get("wall"); text != "" {
		if o.Ruleset.FirstWall, err = sim.ParseFirstWall(o.Ruleset.Config.Common(), text); err != nil {
			return o, 0, fmt.Errorf("wall: %w", err)
		}
	}
	if text := q.Get("seed"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return o, 0, fmt.Errorf("seed: %q is no whole number from 0 to 2^64-1", text)
		}
		o.Seed = &seed
	}
	if q.Get("actions") != "" {
		if player, err = branchOf(q, &o); err != nil {
			return o, 0, err
		}
	}
	specs := slices.Repeat([]string{"expert"}, seats-1)
	if text := q.Get("agents"); text != "" {
		if specs = strings.Split(text, ","); len(specs) != seats-1 {
			return o, 0, fmt.Errorf("agents: %d named; the ruleset has seats for %d beside yours", len(specs), seats-1)
		}
	}
	for i, spec := range specs {
		newAgent, err := builtin.New(builtin.Players, spec)
		if err != nil {
			return o, 0, err
		}
		o.Agents[(player+1+i)%seats] = table.Agent{Name: spec, New: newAgent}
	}
	o.Pace = table.Pace
	if text := q.Get("pace"); text != "" {
		if o.Pace, err = time.ParseDuration(text); err != nil || o.Pace < 0 || o.Pace > table.MaxPace {
			return o, 0, fmt.Errorf("pace: %q; allowed: 0s to 1m", text)
		}
	}
	if spec := q.Get("coach"); spec != "" {
		newAgent, err := builtin.New(builtin.Players, spec)
		if err != nil {
			return o, 0, err
		}
		adviser, ok := sim.As[sim.Adviser](newAgent())
		if !ok {
			return o, 0, fmt.Errorf("coach: %s gives no advice; allowed: value and expert", spec)
		}
		o.Coach = func() sim.Adviser { return adviser } // of the one person
	}
	o.Judge, err = judge()
	return o, player, err
}

// judge returns the constructor of the agent that judges choices.
func judge() (func() sim.Agent, error) {
	newAgent, err := builtin.New(builtin.Players, "expert")
	return func() sim.Agent { return &patient{Agent: newAgent()} }, err
}

// patient is an agent that now and then waits. A browser has one thread for the program, which answers
// the page while every goroutine waits, and a review takes minutes.
type patient struct {
	sim.Agent
	waited time.Time
}

// Unwrap returns the agent.
func (p *patient) Unwrap() sim.Agent { return p.Agent }

// Act implements sim.Agent.
func (p *patient) Act(v sim.View) sim.Action {
	if time.Since(p.waited) > 50*time.Millisecond {
		time.Sleep(time.Microsecond)
		p.waited = time.Now()
	}
	return p.Agent.Act(v)
}

// open opens the table of a link, once. progress is the answer to an earlier page's request of that name,
// with whose match the table goes on, or empty.
func (p *Program) open(key, progress string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sitting != nil {
		return nil
	}
	o, player, err := options(key)
	if err != nil {
		return err
	}
	if progress != "" {
		if err := json.Unmarshal([]byte(progress), &o.Resume); err != nil {
			return fmt.Errorf("the match of the page before is broken: %w; load the page again", err)
		}
	}
	if p.sitting, err = table.New(o); err != nil {
		return err
	}
	p.client = p.sitting.Client(sim.Player(player))
	go func() { // it ends with the page
		if err := p.sitting.Play(context.Background()); err != nil && p.Fault != nil {
			p.Fault(err)
		}
	}()
	return nil
}

func (p *Program) isOpen() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sitting != nil
}

func (p *Program) game() (string, error) {
	text, err := p.client.Game()
	return string(text), err
}

func (p *Program) progress() (string, error) {
	text, err := json.Marshal(p.sitting.Progress())
	return string(text), err
}

// finished returns the viewer of a finished match, with its review if that is asked for. While the
// review is computed the status is 202 and the text the number of choices judged so far.
func (p *Program) finished(name string, reviewed bool) (status int, text string, err error) {
	var b strings.Builder
	judged, err := p.sitting.WriteFinished(&b, name, reviewed)
	switch {
	case err != nil:
		return 404, "", err
	case judged >= 0:
		return 202, strconv.Itoa(judged), nil
	}
	return 200, b.String(), nil
}
