package outside_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

func load(t *testing.T, name string) *ruleset.Rules {
	t.Helper()
	r, err := configs.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// short returns a preset cut to a number of hands.
func short(t *testing.T, preset string, hands int64) *ruleset.Rules {
	t.Helper()
	r, err := configs.LoadWith(preset, map[string]any{"max_hands": hands})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// game is a run in which player 0 of the first match is the agent of a spec
// and the others are pushovers.
type game struct {
	rules *ruleset.Rules
	spec  string
	seed  uint64
}

// played is the actions of matches, the sets of players who forfeited, and why.
type played struct {
	actions   [][]sim.Action
	forfeited []sim.Players
	reasons   []string
}

func (o game) play(t *testing.T, matches uint64) (played played, err error) {
	t.Helper()
	newAgent := func() sim.Agent { return pushover{} }
	if o.spec != "" {
		factory, err := agents.New(o.spec)
		if err != nil {
			return played, err
		}
		newAgent = factory
	}
	job := &sim.Job{
		Rules: o.rules, Schedule: sim.Rotation{Seed: o.seed, Seats: o.rules.NumSeats()}, Count: matches, Workers: 1,
		NewAgent: func(n int) sim.Agent {
			if n == 0 {
				return newAgent()
			}
			return pushover{}
		},
	}
	err = sim.Run(t.Context(), job, func() *int { return new(int) }, func(_ *int, m *sim.Match) error {
		played.actions = append(played.actions, slices.Clone(m.Actions))
		played.forfeited = append(played.forfeited, m.Forfeited)
		for _, f := range m.Forfeits {
			played.reasons = append(played.reasons, f.Reason)
		}
		return nil
	}, func(*int) error { return nil })
	return played, err
}

// TestOutsidePlayers lets programs play that do what pushovers do: the matches are
// the same.
func TestOutsidePlayers(t *testing.T) {
	crashed := filepath.Join(t.TempDir(), "crashed")
	riichi, mcr := short(t, "ema_2016", 2), load(t, "botzone")
	two, err := configs.LoadWith("botzone", map[string]any{"hands_per_round": int64(2)})
	if err != nil {
		t.Fatal(err)
	}
	// The bot knows no red fives.
	three, err := configs.LoadWith("tenhou_sanma", map[string]any{"aka_dora": []any{int64(0), int64(0), int64(0)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rules   *ruleset.Rules
		matches uint64
		spec    string
	}{
		{riichi, 3, "mjai:" + program("mjai-bot")},
		{riichi, 3, "mjai:replies=batch " + program("mjai-bot")},
		{riichi, 3, "mjai:" + program("mjai-bot", "player", "asked")},
		{riichi, 3, "mjai:replies=asked " + program("mjai-bot", "player", "asked")},
		{riichi, 2, "mjai:" + program("mjai-bot", "player", "arrays")},
		{three, 2, "mjai:" + program("mjai-bot")},
		{three, 2, "mjai:kita=nukidora " + program("mjai-bot", "player", "asked")},
		{mcr, 2, "botzone:" + program("botzone-bot", "simple")},
		{riichi, 2, "mjai:restarts=1 timeout=5s " + program("mjai-bot", "crash", crashed)},
		{riichi, 2, "mjai:replies=batch " + program("mjai-bot", "crash", crashed+"2")},
		{riichi, 2, "mjai:" + program("mjai-bot", "player", "{player}")},
		{mcr, 4, "botzone:" + program("botzone-bot")},
		{mcr, 4, "botzone:io=simple " + program("botzone-bot", "simple")},
		{two, 2, "botzone:" + program("botzone-bot", "rash")},
		{short(t, "mcr_2006", 3), 2, "botzone:" + program("botzone-bot")},
		{mcr, 1, "botzone:" + program("botzone-bot", "once", "brief")},
		{mcr, 1, "botzone:" + program("botzone-bot", "once", "eof", "brief")},
		{mcr, 1, "botzone:io=simple " + program("botzone-bot", "once", "simple", "brief")},
		{mcr, 2, "botzone:" + program("botzone-bot", "crash", crashed+"3")},
	} {
		pushovers, err := game{rules: c.rules, seed: 4}.play(t, c.matches)
		if err != nil {
			t.Fatal(err)
		}
		p, err := game{c.rules, c.spec, 4}.play(t, c.matches)
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		want, got := pushovers.actions, p.actions
		for i := range want {
			var quits sim.Players
			if strings.HasSuffix(c.spec, " brief") {
				quits = 1
				want[i] = want[i][:min(len(got[i]), len(want[i]))]
			}
			if p.forfeited[i] != quits || len(got[i]) == 0 || !slices.Equal(got[i], want[i]) {
				t.Errorf("%s: match %d: another match, forfeited %04b %q", c.spec, i, p.forfeited[i], p.reasons)
				break
			}
		}
	}
}

// TestOutsideFaults checks that a program which does not answer as it should
// forfeits its match and no other, with the reason in the log.
func TestOutsideFaults(t *testing.T) {
	riichi, mcr := short(t, "ema_2016", 1), load(t, "botzone")
	for _, c := range []struct {
		rules *ruleset.Rules
		spec  string
		want  string
	}{
		{riichi, "mjai:timeout=200ms " + program("mjai-bot", "late"), "no answer in time: 200ms"},
		{riichi, "mjai:" + program("mjai-bot", "garbage"), "answer tsumogiri!: record: no mjai message"},
		{riichi, "mjai:restarts=0 " + program("mjai-bot", "crash"), "the program has ended: exit status 3; it last said: out of ideas"},
		{riichi, "mjai:restarts=2 " + program("mjai-bot", "crash"), "exit status 3"},
		{riichi, "mjai:" + program("mjai-bot", "endless"), "the line is too long"},
		{riichi, "mjai:true", "the program has ended"},
		{riichi, "mjai:cat", "is not legal"},
		{mcr, "botzone:timeout=200ms " + program("botzone-bot", "late"), "no answer in time: 200ms"},
		{mcr, "botzone:" + program("botzone-bot", "garbage"), "want an object such as"},
		{mcr, "botzone:io=simple " + program("botzone-bot", "garbage", "simple"), "tsumogiri!"},
		{mcr, "botzone:restarts=0 " + program("botzone-bot", "crash"), "exit status 3; it last said: out of ideas"},
	} {
		p, err := game{c.rules, c.spec, 4}.play(t, 2)
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		if !slices.Equal(p.forfeited, []sim.Players{1, 8}) {
			t.Errorf("%s: forfeited %04b, want player 0 and then player 3", c.spec, p.forfeited)
		}
		for _, reason := range p.reasons {
			if !strings.Contains(reason, c.want) || !strings.HasPrefix(reason, "asked by ") || !strings.Contains(reason, "; legal: discard ") {
				t.Errorf("%s: %s, want %q and what is legal in it", c.spec, reason, c.want)
			}
		}
	}
}

func TestOutsideErrors(t *testing.T) {
	riichi, mcr := load(t, "ema_2016"), load(t, "mcr_2006")
	for _, c := range []struct {
		rules      *ruleset.Rules
		spec, want string
	}{
		{riichi, "mjai:", "mjai: names no program"},
		{riichi, "mjai:no-such-program-here", "executable file not found"},
		{riichi, "mjai:'cat", "Unterminated single-quoted string"},
		{riichi, "mjai:timeout=soon cat", `timeout: "soon"; allowed: a time such as 500ms or 10s`},
		{riichi, "mjai:restarts=-1 cat", `restarts: "-1"; allowed: 0 to 1000`},
		{riichi, "mjai:timeout=1s timeout=2s cat", "option timeout is given twice"},
		{riichi, "mjai:env=NO_SUCH_NAME_HERE cat", `env: "NO_SUCH_NAME_HERE" is not in the environment`},
		{riichi, "mjai:io=json cat", "option io is unknown; allowed: timeout, startup, restarts, env, memory, cpu, processes, wrapper, bank, replies, kita"},
		{riichi, "botzone:io=xml cat", `io: "xml"; allowed: json, simple`},
		{mcr, "mjai:cat", "mjai is for riichi matches with fixed seats; it does not support the rules of mcr_2006"},
		{riichi, "botzone:cat", "its family is riichi"},
		{load(t, "botzone"), "botzone:startup=2s true", "true does not respond to the first request; with io=json: the program has ended; with io=simple: the program has ended"},
	} {
		if _, err := (game{c.rules, c.spec, 1}).play(t, 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", c.spec, err, c.want)
		}
	}
}

// TestExampleBots lets the example players of python/examples play where there is
// a Python.
func TestExampleBots(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Log("no python3 here")
		return
	}
	specs, matches := []struct{ preset, spec string }{
		{"tenhou", "mjai:" + python + " ../../../python/examples/mjai_bot.py"},
		{"botzone", "botzone:" + python + " ../../../python/examples/botzone_bot.py"},
	}, uint64(1)
	if os.Getenv("SPARROWHALL_LONG") != "" {
		matches = 20
		specs = append(specs, struct{ preset, spec string }{"botzone", "botzone:" + python + " ../../../python/examples/botzone_bot.py --once"})
	}
	for _, c := range specs {
		p, err := game{load(t, c.preset), c.spec, 1}.play(t, matches)
		if err != nil || slices.Max(p.forfeited) != 0 {
			t.Errorf("%s: error %v, forfeited %04b %q", c.spec, err, p.forfeited, p.reasons)
		}
	}
}

// TestClosedProcesses checks that no program outlives its run, and that one which
// hangs is not waited for.
func TestClosedProcesses(t *testing.T) {
	begin := time.Now()
	factory, err := agents.New("mjai:timeout=300ms " + program("mjai-bot", "late"))
	if err != nil {
		t.Fatal(err)
	}
	var m sim.Match
	a := factory()
	m.Play(short(t, "ema_2016", 1), &[sim.NumPlayers]sim.Agent{a, pushover{}, pushover{}, pushover{}})
	if err := a.(interface{ Close() error }).Close(); err != nil || m.Forfeited != 1 {
		t.Errorf("error %v, forfeited %04b", err, m.Forfeited)
	}
	if took := time.Since(begin); took > poll.Patience {
		t.Errorf("it took %v", took)
	}
}
