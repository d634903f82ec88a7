package env_test

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/env/client"
	"github.com/sparrowhall/sparrowhall/sim"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// refused checks that a request is refused with a code, and returns the refusal.
func refused(t *testing.T, code envv1.ErrorCode, ask func() error) *envv1.Error {
	t.Helper()
	refusal, ok := errors.AsType[*client.RefusedError](ask())
	if !ok {
		t.Fatalf("not refused; want %v", code)
	}
	if refusal.Reason.Code != code {
		t.Fatalf("%v; want %v", refusal, code)
	}
	return refusal.Reason
}

func request(s *client.Stream, req *envv1.PlayRequest) error {
	if err := s.Send(req); err != nil {
		return err
	}
	_, err := s.Recv()
	return err
}

// column is one column of an Act that is changed.
func withAct(good *envv1.Act, change func(a *envv1.Act)) *envv1.PlayRequest {
	a := proto.CloneOf(good)
	change(a)
	return &envv1.PlayRequest{Request: &envv1.PlayRequest_Act{Act: a}}
}

// Every error names what is wrong, and leaves the tables as they were: the rows
// that follow are those of a stream without errors.
func TestErrors(t *testing.T) {
	o := &envv1.Open{
		Rules: preset("ema_2016"), Tables: 8, Seed: 21, Seats: lineups["two"], Observation: "planes",
		Episode: envv1.Episode_EPISODE_HAND, AutoReset: true,
	}
	e := newEnv(t, env.Options{MaxTables: 64, MaxHandles: 4})
	for _, transport := range []string{"process", "unix"} {
		t.Run(transport, func(t *testing.T) {
			s := transports[transport](t, e)
			refused(t, envv1.ErrorCode_ERROR_CODE_NOT_OPEN, func() error { _, err := s.Act(new(client.Answers)); return err })
			_, b, err := s.Open(o)
			if err != nil {
				t.Fatal(err)
			}
			handles := keep(t, s, []uint32{1, 2})
			p := newPlayer()
			for range 40 {
				p.take(t, b)
				good := proto.CloneOf(p.answers.Act())
				last := p.answers.Len() - 1
				table := uint32At(good.Table, last)
				mine := []uint8{1, 3}
				other := mine[0] ^ mine[1] ^ good.Player[last]
				for _, c := range []struct {
					name  string
					code  envv1.ErrorCode
					words string
					req   *envv1.PlayRequest
				}{
					{"nothing", envv1.ErrorCode_ERROR_CODE_EMPTY_REQUEST, "no field", &envv1.PlayRequest{}},
					{"act length", envv1.ErrorCode_ERROR_CODE_BAD_LENGTH, "action", withAct(good, func(a *envv1.Act) { a.Action = a.Action[1:] })},
					{"act bytes", envv1.ErrorCode_ERROR_CODE_BAD_LENGTH, "table", withAct(good, func(a *envv1.Act) { a.Table = append(a.Table, 0) })},
					{"act table", envv1.ErrorCode_ERROR_CODE_UNKNOWN_TABLE, "0 to 7", withAct(good, func(a *envv1.Act) { a.Table[4*last] = 8 })},
					{"act player", envv1.ErrorCode_ERROR_CODE_UNKNOWN_PLAYER, "player 4", withAct(good, func(a *envv1.Act) { a.Player[last] = 4 })},
					{"act for an agent", envv1.ErrorCode_ERROR_CODE_UNKNOWN_PLAYER, "player 0", withAct(good, func(a *envv1.Act) { a.Player[last] = 0 })},
					{"act step", envv1.ErrorCode_ERROR_CODE_STALE_STEP, "step", withAct(good, func(a *envv1.Act) { a.Step[4*last]-- })},
					{"act id", envv1.ErrorCode_ERROR_CODE_ILLEGAL_ACTION, "180", withAct(good, func(a *envv1.Act) { a.Action[last] = 255 })},
					{"act illegal", envv1.ErrorCode_ERROR_CODE_ILLEGAL_ACTION, "cut_debt", withAct(good, func(a *envv1.Act) { a.Action[last] = uint8(sim.ActCutDebt) })},
					{"act twice", envv1.ErrorCode_ERROR_CODE_DUPLICATE, "both", withAct(good, func(a *envv1.Act) {
						a.Table, a.Step = append(a.Table, a.Table[4*last:]...), append(a.Step, a.Step[4*last:]...)
						a.Player, a.Action = append(a.Player, a.Player[last]), append(a.Action, a.Action[last])
					})},
					{"reset length", envv1.ErrorCode_ERROR_CODE_BAD_LENGTH, "seed", &envv1.PlayRequest{Request: &envv1.PlayRequest_Reset_{Reset_: &envv1.Reset{Table: client.Column([]uint32{1}), Seed: []byte{1}}}}},
					{"reset table", envv1.ErrorCode_ERROR_CODE_UNKNOWN_TABLE, "table 9", &envv1.PlayRequest{Request: &envv1.PlayRequest_Reset_{Reset_: &envv1.Reset{Table: client.Column([]uint32{1, 9})}}}},
					{"reset twice", envv1.ErrorCode_ERROR_CODE_DUPLICATE, "twice", &envv1.PlayRequest{Request: &envv1.PlayRequest_Reset_{Reset_: &envv1.Reset{Table: client.Column([]uint32{1, 1})}}}},
					{"snapshot table", envv1.ErrorCode_ERROR_CODE_UNKNOWN_TABLE, "table 8", &envv1.PlayRequest{Request: &envv1.PlayRequest_Snapshot{Snapshot: &envv1.Snapshot{Table: client.Column([]uint32{1, 8})}}}},
					{"snapshot length", envv1.ErrorCode_ERROR_CODE_BAD_LENGTH, "table", &envv1.PlayRequest{Request: &envv1.PlayRequest_Snapshot{Snapshot: &envv1.Snapshot{Table: []byte{1}}}}},
					{"snapshot many", envv1.ErrorCode_ERROR_CODE_TOO_MANY_HANDLES, "may keep 4", &envv1.PlayRequest{Request: &envv1.PlayRequest_Snapshot{Snapshot: &envv1.Snapshot{Table: client.Column([]uint32{1, 2, 3})}}}},
					{"restore handle", envv1.ErrorCode_ERROR_CODE_UNKNOWN_HANDLE, "handle 99", &envv1.PlayRequest{Request: &envv1.PlayRequest_Restore{Restore: &envv1.Restore{Table: client.Column([]uint32{1, 2}), Handle: client.Column([]uint64{handles[0], 99})}}}},
					{"restore length", envv1.ErrorCode_ERROR_CODE_BAD_LENGTH, "handle", &envv1.PlayRequest{Request: &envv1.PlayRequest_Restore{Restore: &envv1.Restore{Table: client.Column([]uint32{1, 2}), Handle: client.Column(handles[:1])}}}},
					{"restore twice", envv1.ErrorCode_ERROR_CODE_DUPLICATE, "twice", &envv1.PlayRequest{Request: &envv1.PlayRequest_Restore{Restore: &envv1.Restore{Table: client.Column([]uint32{1, 1}), Handle: client.Column(handles)}}}},
					{"fork onto itself", envv1.ErrorCode_ERROR_CODE_DUPLICATE, "copied", &envv1.PlayRequest{Request: &envv1.PlayRequest_Fork{Fork: &envv1.Fork{From: client.Column([]uint32{1, 2}), To: client.Column([]uint32{3, 1})}}}},
					{"fork table", envv1.ErrorCode_ERROR_CODE_UNKNOWN_TABLE, "table 77", &envv1.PlayRequest{Request: &envv1.PlayRequest_Fork{Fork: &envv1.Fork{From: client.Column([]uint32{77}), To: client.Column([]uint32{3})}}}},
					{"redeal player", envv1.ErrorCode_ERROR_CODE_UNKNOWN_PLAYER, "player 2", redealing(table, 2)},
					{"redeal length", envv1.ErrorCode_ERROR_CODE_BAD_LENGTH, "player", &envv1.PlayRequest{Request: &envv1.PlayRequest_Redeal{Redeal: &envv1.Redeal{From: client.Column([]uint32{1})}}}},
					{"drop", envv1.ErrorCode_ERROR_CODE_UNKNOWN_HANDLE, "handle 5", &envv1.PlayRequest{Request: &envv1.PlayRequest_Drop{Drop: &envv1.Drop{Handle: client.Column([]uint64{handles[0], 5})}}}},
					{"drop twice", envv1.ErrorCode_ERROR_CODE_DUPLICATE, "twice", &envv1.PlayRequest{Request: &envv1.PlayRequest_Drop{Drop: &envv1.Drop{Handle: client.Column([]uint64{handles[0], handles[0]})}}}},
					{"inspect table", envv1.ErrorCode_ERROR_CODE_UNKNOWN_TABLE, "table 8", &envv1.PlayRequest{Request: &envv1.PlayRequest_Inspect{Inspect: &envv1.Inspect{Table: 8, Player: 1}}}},
					{"inspect an agent", envv1.ErrorCode_ERROR_CODE_UNKNOWN_PLAYER, "player 0", &envv1.PlayRequest{Request: &envv1.PlayRequest_Inspect{Inspect: &envv1.Inspect{Table: 7, Player: 0}}}},
					{"open", envv1.ErrorCode_ERROR_CODE_BAD_TABLES, "1 to 64", &envv1.PlayRequest{Request: &envv1.PlayRequest_Open{Open: &envv1.Open{Rules: preset("ema_2016"), Tables: 65}}}},
				} {
					c.req.RequestId = 77
					reason := refused(t, c.code, func() error { return request(s, c.req) })
					if !strings.Contains(reason.Message, c.words) {
						t.Fatalf("%s: %q does not say %q", c.name, reason.Message, c.words)
					}
					if strings.HasPrefix(c.name, "act ") && c.code != envv1.ErrorCode_ERROR_CODE_BAD_LENGTH && c.name != "act twice" &&
						(int(reason.GetRow()) != last || reason.Row == nil || reason.Table == nil) {
						t.Fatalf("%s: %v names another row", c.name, reason)
					}
				}
				if !hasRow(b, table, other) {
					refused(t, envv1.ErrorCode_ERROR_CODE_NOT_ASKED, func() error {
						return request(s, withAct(good, func(a *envv1.Act) { a.Player[last] = other }))
					})
				} else {
					// One of two has answered and may not do so again.
					one := &envv1.Act{Table: good.Table[4*last:], Player: good.Player[last:], Step: good.Step[4*last:], Action: good.Action[last:]}
					act := &envv1.PlayRequest{Request: &envv1.PlayRequest_Act{Act: one}}
					if err := request(s, act); err != nil {
						t.Fatal(err)
					}
					refused(t, envv1.ErrorCode_ERROR_CODE_NOT_ASKED, func() error { return request(s, act) })
					refused(t, envv1.ErrorCode_ERROR_CODE_NOT_ASKED, func() error { return request(s, redealing(table, good.Player[last])) })
					p.answers = client.Answers{}
					for i := range last {
						p.answers.AddTo(uint32At(good.Table, i), sim.Player(good.Player[i]), uint32At(good.Step, i), sim.Action(good.Action[i]))
					}
				}
				b = p.act(t, s)
			}
			compare(t, o, p.rows)
		})
	}
}

func redealing(table uint32, player uint8) *envv1.PlayRequest {
	return &envv1.PlayRequest{Request: &envv1.PlayRequest_Redeal{Redeal: &envv1.Redeal{
		From: client.Column([]uint32{table}), Player: []byte{player}, Seed: client.Column([]uint64{1}), To: client.Column([]uint32{(table + 1) % 8}),
	}}}
}

func hasRow(b *client.Batch, table uint32, player uint8) bool {
	for i := range b.Len() {
		if b.TableOf(i) == table && b.Player[i] == player && b.Asked(i) {
			return true
		}
	}
	return false
}

// A table that rests cannot be copied, and says so.
func TestNotWaiting(t *testing.T) {
	s := transports["process"](t, newEnv(t, env.Options{}))
	_, b, err := s.Open(&envv1.Open{Rules: &envv1.Open_Toml{Toml: short}, Tables: 2, Seats: lineups["one"]})
	if err != nil {
		t.Fatal(err)
	}
	p := newPlayer()
	for p.take(t, b); p.answers.Len() > 0; p.take(t, b) {
		b = p.act(t, s)
	}
	refused(t, envv1.ErrorCode_ERROR_CODE_NOT_WAITING, func() error { _, err := s.Snapshot([]uint32{0}); return err })
	refused(t, envv1.ErrorCode_ERROR_CODE_NOT_WAITING, func() error { _, err := s.Fork([]uint32{0}, []uint32{1}); return err })
	if text, err := s.Inspect(0, 0); err != nil || !strings.HasPrefix(text, "{") {
		t.Errorf("inspect: %q, %v", text, err)
	}
	if b, err = s.Reset([]uint32{0}, []uint64{5}); err != nil || b.Len() != 1 || b.TableOf(0) != 0 {
		t.Fatal(b, err)
	}
	if b, err = s.Restore([]uint32{1}, keep(t, s, []uint32{0})); err != nil || b.Len() != 1 || b.TableOf(0) != 1 {
		t.Fatal(b, err)
	}
}

// TestResetSeats seats other players from the next match on, and none where a seat is refused.
func TestResetSeats(t *testing.T) {
	s := transports["process"](t, newEnv(t, env.Options{}))
	if _, _, err := s.Open(&envv1.Open{Rules: preset("botzone"), Tables: 3, Seats: []string{"external", "eager", "eager", "eager"}}); err != nil {
		t.Fatal(err)
	}
	for _, seats := range [][]string{
		{"external", "eager", "eager"},
		{"external", "eager", "eager", "nobody"},
		{"eager", "eager", "eager", "eager"},
	} {
		refused(t, envv1.ErrorCode_ERROR_CODE_BAD_SEATS, func() error { _, err := s.Reset([]uint32{1}, []uint64{7}, seats...); return err })
	}
	players := func(b *client.Batch, table uint32) (list []uint8) {
		for i := range b.Len() {
			if b.TableOf(i) == table {
				list = append(list, b.Player[i])
			}
		}
		return list
	}
	for _, c := range []struct {
		seats []string
		want  uint8
	}{
		{[]string{"eager", "eager", "eager", "external"}, 3},
		{nil, 3},
		{[]string{"tsumogiri", "external", "tsumogiri", "tsumogiri"}, 1},
	} {
		b, err := s.Reset([]uint32{1}, []uint64{7}, c.seats...)
		if err != nil {
			t.Fatal(err)
		}
		if got := players(b, 1); len(got) != 1 || got[0] != c.want {
			t.Errorf("seats %q: rows of the players %v, want %d", c.seats, got, c.want)
		}
	}
	b, err := s.Reset([]uint32{0}, []uint64{7})
	if err != nil {
		t.Fatal(err)
	}
	if got := players(b, 0); len(got) != 1 || got[0] != 0 {
		t.Errorf("another table has rows of the players %v", got)
	}
}

// What is wrong with an Open is named, and the tables that are open stay.
func TestBadOpen(t *testing.T) {
	e := newEnv(t, env.Options{MaxTables: 10})
	s := transports["process"](t, e)
	_, b, err := s.Open(&envv1.Open{Rules: preset("ema_2016"), Tables: 2, Observation: "planes", AutoReset: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		code  envv1.ErrorCode
		words string
		o     *envv1.Open
	}{
		{"no rules", envv1.ErrorCode_ERROR_CODE_BAD_RULESET, "preset or toml", &envv1.Open{Tables: 1}},
		{"unknown preset", envv1.ErrorCode_ERROR_CODE_BAD_RULESET, "ema_2016", &envv1.Open{Tables: 1, Rules: preset("ema_2017")}},
		{"a file", envv1.ErrorCode_ERROR_CODE_BAD_RULESET, "no preset", &envv1.Open{Tables: 1, Rules: preset("../configs/ema_2016.toml")}},
		{"a base file", envv1.ErrorCode_ERROR_CODE_BAD_RULESET, "preset", &envv1.Open{Tables: 1, Rules: &envv1.Open_Toml{Toml: "base = \"../configs/ema_2016.toml\"\n"}}},
		{"four seats of three players", envv1.ErrorCode_ERROR_CODE_BAD_SEATS, "3 players, so allowed: none, 3, or 6", withRules("tenhou_sanma", &envv1.Open{Tables: 2, Seats: lineups["one"]})},
		{"two seats of three players", envv1.ErrorCode_ERROR_CODE_BAD_SEATS, "3 players", withRules("tenhou_sanma", &envv1.Open{Tables: 2, Seats: []string{"external", "eager"}})},
		{"three seats of four players", envv1.ErrorCode_ERROR_CODE_BAD_SEATS, "4 players", &envv1.Open{Rules: preset("ema_2016"), Tables: 2, Seats: lineupsOfThree["one"]}},
		{"no client among three", envv1.ErrorCode_ERROR_CODE_BAD_SEATS, "one of 3 seats", withRules("tenhou_sanma", &envv1.Open{Tables: 1, Seats: []string{"eager", "eager", "eager"}})},
		{"a knob of four players", envv1.ErrorCode_ERROR_CODE_BAD_RULESET, "suufon_renda", &envv1.Open{Tables: 1, Rules: &envv1.Open_Toml{Toml: "base = \"tenhou_sanma\"\nsuufon_renda = true\n"}}},
		{"bad knob", envv1.ErrorCode_ERROR_CODE_BAD_RULESET, "ruleset:2: kiriage: unknown", &envv1.Open{Tables: 1, Rules: &envv1.Open_Toml{Toml: "base = \"ema_2016\"\nkiriage = 1\n"}}},
		{"no tables", envv1.ErrorCode_ERROR_CODE_BAD_TABLES, "1 to 10", &envv1.Open{Rules: preset("ema_2016")}},
		{"too many tables", envv1.ErrorCode_ERROR_CODE_BAD_TABLES, "1 to 10", &envv1.Open{Rules: preset("ema_2016"), Tables: 4294967295}},
		{"seeds", envv1.ErrorCode_ERROR_CODE_BAD_LENGTH, "seeds", &envv1.Open{Rules: preset("ema_2016"), Tables: 2, Seeds: make([]byte, 8)}},
		{"seats", envv1.ErrorCode_ERROR_CODE_BAD_SEATS, "or 8 for 2 tables", &envv1.Open{Rules: preset("ema_2016"), Tables: 2, Seats: []string{"external"}}},
		{"unknown agent", envv1.ErrorCode_ERROR_CODE_BAD_SEATS, `Eager; "external" is the client itself`, &envv1.Open{Rules: preset("ema_2016"), Tables: 2, Seats: []string{"external", "Eager", "eager", "eager"}}},
		{"nobody", envv1.ErrorCode_ERROR_CODE_BAD_SEATS, "for no player", &envv1.Open{Rules: preset("ema_2016"), Tables: 2, Seats: slices.Repeat([]string{"eager"}, 4)}},
		{"observation", envv1.ErrorCode_ERROR_CODE_BAD_OBSERVATION, "planes", &envv1.Open{Rules: preset("ema_2016"), Tables: 2, Observation: "plains"}},
		{"text", envv1.ErrorCode_ERROR_CODE_BAD_OBSERVATION, "planes", &envv1.Open{Rules: preset("ema_2016"), Tables: 2, Observation: "text"}},
		{"wall", envv1.ErrorCode_ERROR_CODE_BAD_OPTION, "wall: line 2: E: there are more", &envv1.Open{Rules: preset("ema_2016"), Tables: 1, Wall: "S 1m\nE 11111m"}},
		{"wall of many bytes", envv1.ErrorCode_ERROR_CODE_BAD_OPTION, "wall: 70000 bytes; allowed: 65536", &envv1.Open{Rules: preset("ema_2016"), Tables: 1, Wall: strings.Repeat(" ", 70000)}},
		{"episode", envv1.ErrorCode_ERROR_CODE_BAD_OPTION, "episode 9", &envv1.Open{Rules: preset("ema_2016"), Tables: 2, Episode: 9}},
	} {
		reason := refused(t, c.code, func() error { _, _, err := s.Open(c.o); return err })
		if !strings.Contains(reason.Message, c.words) {
			t.Errorf("%s: %q does not say %q", c.name, reason.Message, c.words)
		}
	}
	want := bytes.Clone(b.Observation[0])
	if b, err = s.Restore([]uint32{0, 1}, keep(t, s, []uint32{0, 1})); err != nil || !bytes.Equal(want, b.Observation[0]) {
		t.Errorf("the tables have changed: %v", err)
	}
}

// A given wall is that of the first hand of every match, under rules of three players too, and
// other tables under the same preset keep theirs.
func TestWall(t *testing.T) {
	e := newEnv(t, env.Options{})
	hand := func(o *envv1.Open) []string {
		t.Helper()
		s := transports["process"](t, e)
		if _, _, err := s.Open(o); err != nil {
			t.Fatal(err)
		}
		var hands []string
		for table := range o.Tables {
			text, err := s.Inspect(table, 0)
			if err != nil {
				t.Fatal(err)
			}
			hands = append(hands, regexp.MustCompile(`"hand":\s*(\[[^\]]*\]|"[^"]*")`).FindString(text))
		}
		return hands
	}
	const wall = "E 1112345678999p\ndraws 1z"
	for _, name := range []string{"ema_2016", "mcr_2006", "tenhou_sanma"} {
		before := hand(withRules(name, &envv1.Open{Tables: 1, Seed: 1}))
		with := hand(withRules(name, &envv1.Open{Tables: 2, Seed: 1, Wall: wall}))
		if after := hand(withRules(name, &envv1.Open{Tables: 1, Seed: 1})); after[0] == "" || after[0] != before[0] || with[0] == before[0] {
			t.Errorf("%s: %v, with the wall %v, then %v", name, before, with, after)
		}
		if with[0] != with[1] {
			t.Errorf("%s: the tables have %v", name, with)
		}
	}
}

// Where three play there is no player 3, no action 181, and no chi; action 180 is for them
// alone.
func TestRefusedOfThree(t *testing.T) {
	e := newEnv(t, env.Options{})
	for _, c := range []struct {
		rules          string
		player, action uint8
		code           envv1.ErrorCode
		words          string
	}{
		{"tenhou_sanma", 3, 45, envv1.ErrorCode_ERROR_CODE_UNKNOWN_PLAYER, "player 3"},
		{"tenhou_sanma", 0, 181, envv1.ErrorCode_ERROR_CODE_ILLEGAL_ACTION, "table of 181 actions"},
		{"tenhou_sanma", 0, uint8(sim.ActChi), envv1.ErrorCode_ERROR_CODE_ILLEGAL_ACTION, "chi low"},
		{"tenhou", 0, uint8(sim.ActKita), envv1.ErrorCode_ERROR_CODE_ILLEGAL_ACTION, "table of 180 actions"},
	} {
		s := transports["process"](t, e)
		_, b, err := s.Open(withRules(c.rules, &envv1.Open{Tables: 1, Seed: 1}))
		if err != nil {
			t.Fatal(err)
		}
		if b.Player[0] != 0 {
			t.Fatalf("player %d begins", b.Player[0])
		}
		reason := refused(t, c.code, func() error {
			return request(s, &envv1.PlayRequest{Request: &envv1.PlayRequest_Act{Act: &envv1.Act{Table: b.Table, Player: []byte{c.player}, Step: b.Step, Action: []byte{c.action}}}})
		})
		if !strings.Contains(reason.Message, c.words) {
			t.Errorf("%q does not say %q", reason.Message, c.words)
		}
	}
}

// A built-in player that answers illegally is given the default answer; one that
// panics ends the stream and no other.
func TestBrokenAgents(t *testing.T) {
	e := newEnv(t, env.Options{})
	good := transports["tcp"](t, e)
	_, b, err := good.Open(&envv1.Open{Rules: preset("ema_2016"), Tables: 1, Seats: []string{"external", "illegal", "illegal", "illegal"}, AutoReset: true})
	if err != nil {
		t.Fatal(err)
	}
	bad := client.NewStream(e.Play(t.Context()))
	if _, _, err := bad.Open(&envv1.Open{Rules: preset("ema_2016"), Tables: 100, Seats: []string{"broken", "broken", "broken", "external"}}); err == nil || !strings.Contains(err.Error(), "Internal") {
		t.Errorf("a stream with a player that panics: %v", err)
	}
	p := newPlayer()
	for range 100 {
		p.take(t, b)
		b = p.act(t, good)
	}
}
