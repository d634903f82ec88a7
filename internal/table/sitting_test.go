package table

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestHiddenTiles plays matches under all presets and checks every message to the person: of
// other players no dealt or drawn tile, no hidden kan and no hand that is not revealed. The
// events are compared with those of the match that was kept.
func TestHiddenTiles(t *testing.T) {
	for _, preset := range configs.Names() {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			o := options(t, preset, "value", 2)
			o.Out, o.Coach = t.TempDir(), expertCoach
			s := serve(t, o)
			all := s.play(t)
			s.stop()
			d, err := dataset.Open(filepath.Join(o.Out, "match-0001"))
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Verify(t.Context(), 1, func(int) {}); err != nil {
				t.Error(err)
			}
			match, err := d.Match(0)
			if err != nil {
				t.Fatal(err)
			}
			compareSeen(t, all, match, 0, &o.Ruleset.Rules().Flow)
		})
	}
}

// compareSeen compares the events that the page of player p received with those of the match: all
// of them, without the tiles that p may not see.
func compareSeen(t *testing.T, all []received, match *sim.Match, p sim.Player, flow *ruleset.Flow) {
	t.Helper()
	n := 0
	for i, m := range all {
		if m.kind != "events" {
			if m.kind == "facts" {
				// Anywhere else they would show that the table waits for another player.
				if all[i-1].kind != "events" || match.Events[n-1].Type != sim.EvDiscard {
					t.Errorf("facts after %s %s", all[i-1].kind, all[i-1].data)
				}
				continue
			}
			if !slices.Contains([]string{"match", "question", "advice", "answered", "replay"}, m.kind) {
				t.Errorf("message %s %s", m.kind, m.data)
			}
			continue
		}
		for _, row := range rows(t, m) {
			e := match.Events[n]
			n++
			want := []int{int(e.Type), int(e.Player), int(e.Tile), int(e.Detail), int(e.Value)}
			if e.Player != p {
				switch {
				case e.Type == sim.EvDeal:
					want[4] = -1
				case e.Type == sim.EvDraw, e.Type == sim.EvClosedKan && !flow.ClosedKanVisible:
					want[2] = int(tile.NoFace)
				case e.Type == sim.EvDiscard && flow.OriginHidden:
					want[3] &^= int(sim.DiscardDrawn)
				}
			}
			for i, field := range want {
				if got := number(t, row[i]); got != field {
					t.Fatalf("event %d: field %d is %d, want %d", n-1, i, got, field)
				}
			}
			open := e.Type == sim.EvReveal && !e.Reveal() || e.Type == sim.EvWin || e.Type == sim.EvPay || e.Type == sim.EvDebt
			if len(row) != 5 && !open {
				t.Errorf("event %d of type %d has %s", n-1, e.Type, row[5])
			}
		}
	}
	// A branch that begins again has no event of its end.
	if end := match.Events[n:]; len(end) > 0 && end[0].Type != sim.EvTruncated {
		t.Errorf("%d events, want %d", n, len(match.Events))
	}
}

// TestSpectators checks that spectators see hands only once the hand has ended.
func TestSpectators(t *testing.T) {
	o := options(t, "mcr_2006", "value", 2)
	o.Substitute, o.Away, o.Watch = o.Agents[1].New, time.Nanosecond, true
	s := serve(t, o)
	ended, shown := 0, 0
	s.follow(t, s.WatchKey(), "", func(m received) bool {
		switch m.kind {
		case "events":
			for _, row := range rows(t, m) {
				kind := sim.EventType(number(t, row[0]))
				if kind == sim.EvDeal && number(t, row[4]) != -1 || kind == sim.EvDraw && number(t, row[2]) != int(tile.NoFace) {
					t.Fatalf("spectators see %s", row)
				}
				if kind == sim.EvHandEnd {
					ended++
				}
			}
		case "hands":
			if shown++; shown != ended {
				t.Errorf("hand %d is shown after %d hands have ended", shown, ended)
			}
		}
		return m.kind != "replay"
	})
	if shown != 2 {
		t.Errorf("%d hands were shown", shown)
	}
}

// TestThreePlayers plays a match of three by the page of player 0, who sets every North aside
// that may be, and checks that the page knows of three players alone.
func TestThreePlayers(t *testing.T) {
	o := options(t, sanma, "value", 4)
	o.Watch = true
	s := serve(t, o)
	if s.Key(1) != "" || s.Key(3) != "" {
		t.Error("seats of agents, or a fourth seat, have a page")
	}
	var game gameData
	if err := json.NewDecoder(s.request(t, "GET", "/game.json", s.Key(0), "").Body).Decode(&game); err != nil {
		t.Fatal(err)
	}
	if game.Seats != 3 || len(game.Actions) != sim.NumAllActions || game.Actions[game.IDs["kita"]] != "kita" {
		t.Errorf("%d seats, %d actions", game.Seats, len(game.Actions))
	}
	if !slices.ContainsFunc(game.Patterns, func(p pricedPattern) bool { return p.ID == "nuki_dora" }) {
		t.Error("the pattern of Norths is missing")
	}
	key, norths, refused := s.Key(0), 0, false
	s.follow(t, key, "", func(m received) bool {
		switch m.kind {
		case "match":
			var d matchData
			if err := json.Unmarshal([]byte(m.data), &d); err != nil || len(d.Names) != 3 {
				t.Errorf("match %s: %v", m.data, err)
			}
		case "events":
			for _, row := range rows(t, m) {
				if p := number(t, row[1]); p > 2 && p != int(ruleset.Pot) {
					t.Errorf("an event of player %d", p)
				}
			}
		case "question":
			var q questionData
			if err := json.Unmarshal([]byte(m.data), &q); err != nil {
				t.Fatal(err)
			}
			action := -1
			if len(q.Legal) > 0 {
				action = q.Legal[len(q.Legal)/2]
			}
			if slices.Contains(q.Legal, int(sim.ActKita)) {
				action = int(sim.ActKita)
				norths++
			}
			if !refused {
				refused = true
				if status, text := s.answer(t, key, q.Question, sim.NumAllActions); status != http.StatusUnprocessableEntity || !strings.Contains(text, "0 to 180") {
					t.Errorf("action %d: %d %s", sim.NumAllActions, status, text)
				}
			}
			if status, text := s.answer(t, key, q.Question, action); status != http.StatusNoContent {
				t.Fatalf("answer %d of %v: %d %s", action, q.Legal, status, text)
			}
		}
		return m.kind != "replay"
	})
	if norths == 0 {
		t.Error("no North could be set aside")
	}
}
