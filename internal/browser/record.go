package browser

import (
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/analysis/review"
	"github.com/sparrowhall/sparrowhall/internal/pages/viewer"
	"github.com/sparrowhall/sparrowhall/internal/record/importing"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/internal/table"
	"github.com/sparrowhall/sparrowhall/sim"
)

// openedRecord is a match that was opened, with the course of its review.
type openedRecord struct {
	record      *importing.Record
	judged, all atomic.Int64 // choices
}

// readRecord reads a record in the format that is named, or in any.
func readRecord(q url.Values, text string) (*importing.Record, error) {
	var fixed *configs.Ruleset
	if q.Get("rules") != "" || q.Get("ruleset") != "" {
		var err error
		if fixed, err = openRuleset(q); err != nil {
			return nil, err
		}
	}
	name, format, faults := q.Get("name"), q.Get("format"), []string(nil)
	if name == "" {
		name = "record"
	}
	for _, f := range importing.Formats {
		if format != "" && format != f.Name {
			continue
		}
		r, err := importing.Read(f, name, []byte(text), fixed)
		if err == nil {
			r.Ruleset.Name = sanitize.Line(r.Ruleset.Name)
			for p := range r.Names {
				r.Names[p] = sanitize.Line(r.Names[p])
			}
			return r, nil
		}
		faults = append(faults, f.Name+": "+err.Error())
	}
	if len(faults) == 0 {
		return nil, fmt.Errorf("format %q; allowed: %s", format, strings.Join(formats(), ", "))
	}
	return nil, errors.New(strings.Join(faults, "\n"))
}

// formats returns the names of the formats of records.
func formats() (names []string) {
	for _, f := range importing.Formats {
		names = append(names, f.Name)
	}
	return names
}

// openRecord opens a record and returns its viewer.
func (p *Program) openRecord(r Request) (string, error) {
	q, err := settings(r.Key, "ruleset", "rules", "format", "name")
	if err != nil {
		return "", err
	}
	found, err := readRecord(q, r.Body)
	if err != nil {
		return "", err
	}
	o := &openedRecord{record: found}
	p.mu.Lock()
	p.record = o
	p.mu.Unlock()
	return o.viewer(nil)
}

func (o *openedRecord) viewer(found *review.Review) (string, error) {
	var b strings.Builder
	err := viewer.Write(&b, o.record.Ruleset.Rules(), &o.record.Match, o.record.Names, [sim.NumPlayers]sim.Agent{}, found)
	return b.String(), err
}

// opened returns the record that was opened last.
func (p *Program) opened() (*openedRecord, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.record == nil {
		return nil, errors.New("no record is open")
	}
	return p.record, nil
}

// reviewRecord reviews the choices of the record that was opened last and returns its viewer.
func (p *Program) reviewRecord(ctx context.Context) (string, error) {
	o, err := p.opened()
	if err != nil {
		return "", err
	}
	judge, err := judge()
	if err != nil {
		return "", err
	}
	rules := o.record.Ruleset.Rules()
	found, err := review.Match(ctx, rules, &o.record.Match, review.Options{
		NewJudge: judge, Deals: table.ReviewDeals, Players: 1<<rules.NumSeats() - 1, Workers: 1,
		Begin: func(decisions int) { o.all.Store(int64(decisions)) },
		Done:  func(decisions int) { o.judged.Add(int64(decisions)) },
	})
	if err != nil {
		return "", fmt.Errorf("the match cannot be reviewed: %w", err)
	}
	return o.viewer(found)
}

// judged returns how many choices are judged, of how many.
func (p *Program) judged() (string, error) {
	o, err := p.opened()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d/%d", o.judged.Load(), o.all.Load()), nil
}

// branch sets the moment of a record from which a table goes on: the record is compressed in the
// link. It returns the player whose seat is taken.
func branch(q url.Values, o *table.Options) (player int, err error) {
	packed, err := base64.RawURLEncoding.DecodeString(q.Get("record"))
	if err != nil {
		return 0, fmt.Errorf("the record of the link is broken: %w", err)
	}
	r, err := gzip.NewReader(strings.NewReader(string(packed)))
	if err != nil {
		return 0, fmt.Errorf("the record of the link is broken: %w", err)
	}
	const most = 16 << 20
	text, err := io.ReadAll(io.LimitReader(r, most))
	if err != nil || len(text) == most {
		return 0, fmt.Errorf("the record of the link is broken or has more than %d MiB", most>>20)
	}
	found, err := readRecord(q, string(text))
	if err != nil {
		return 0, err
	}
	o.Ruleset = found.Ruleset
	return branchAt(q, o, &found.Match, found.Names)
}

// branchOf sets the moment from which a table goes on in a match that the program has played: its seed, and its
// actions by their numbers.
func branchOf(q url.Values, o *table.Options) (player int, err error) {
	if o.Seed == nil {
		return 0, errors.New("actions: the seed of their match is missing")
	}
	var actions []sim.Action
	for text := range strings.SplitSeq(q.Get("actions"), ".") {
		a, err := strconv.ParseUint(text, 10, 8)
		if err != nil {
			return 0, fmt.Errorf("actions: %q is no action", text)
		}
		actions = append(actions, sim.Action(a))
	}
	m := sim.Match{Seed: *o.Seed, Keep: sim.KeepChoices}
	if err := m.Replay(o.Ruleset.Rules(), actions, 0); err != nil {
		return 0, fmt.Errorf("actions: %w", err)
	}
	return branchAt(q, o, &m, [sim.NumPlayers]string{})
}

// branchAt sets the moment of a match that the hand and the step of a link name.
func branchAt(q url.Values, o *table.Options, m *sim.Match, names [sim.NumPlayers]string) (player int, err error) {
	var at [2]int
	for i, name := range []string{"hand", "step"} {
		if text := q.Get(name); text != "" {
			if at[i], err = strconv.Atoi(text); err != nil {
				return 0, fmt.Errorf("%s: %q is no number", name, text)
			}
		}
	}
	if o.From, err = table.NewBranchOf(o.Ruleset.Rules(), m, names, at[0], at[1]); err != nil {
		return 0, err
	}
	player = int(o.From.Asked)
	if text := q.Get("player"); text != "" {
		n, seats := 0, o.Ruleset.Config.Common().NumSeats()
		if n, err = strconv.Atoi(text); err != nil || n < 0 || n >= seats {
			return 0, fmt.Errorf("player: %q; allowed: 0 to %d", text, seats-1)
		}
		player = n
	}
	return player, nil
}
