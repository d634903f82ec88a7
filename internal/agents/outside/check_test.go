package outside_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/agents/outside"
	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// check checks a program and returns the situations in which it does something
// wrong, and what.
func check(t *testing.T, spec string, seats ruleset.Seats) (all []outside.CheckResult, wrong map[string]string) {
	t.Helper()
	wrong = map[string]string{}
	_, err := outside.Check(t.Context(), spec, seats, configs.LoadWith, func(c outside.CheckResult) {
		all = append(all, c)
		for _, w := range c.Wrong {
			wrong[c.Situation] += w.Asked + " | " + w.Answer + " | " + w.Why + "\n"
		}
	})
	if err != nil {
		t.Fatalf("%s: %v", spec, err)
	}
	return all, wrong
}

// TestCheck checks programs that play well, and some with one fault each.
func TestCheck(t *testing.T) {
	var good []string
	if python, err := exec.LookPath("python3"); err == nil {
		good = append(good, "mjai:"+python+" ../../../python/examples/mjai_bot.py", "botzone:"+python+" ../../../python/examples/botzone_bot.py")
	} else {
		t.Log("no python3 here")
	}
	for _, spec := range good {
		for _, seats := range []ruleset.Seats{ruleset.FourSeats, ruleset.ThreeSeats} {
			if seats == ruleset.ThreeSeats && strings.HasPrefix(spec, "botzone") {
				continue
			}
			t.Run(fmt.Sprintf("%s %d", spec, seats.Count()), func(t *testing.T) {
				t.Parallel() // most of the time programs are waited for
				all, wrong := check(t, spec, seats)
				if len(all) < 11 || len(wrong) > 0 {
					t.Errorf("%d situations, wrong: %v", len(all), wrong)
				}
			})
		}
	}
	for fault, want := range map[string]struct{ situation, asked, answer, why string }{
		"actor":     {"a draw", `"possible_actions"`, `"actor":3`, "player 0 is asked, not 3"},
		"tsumogiri": {"a draw", `"type":"tsumo"`, `"dahai"`, "dahai has no tsumogiri"},
		"leaves":    {"nine kinds of terminals and honors", `"type":"end_game"`, "", "it does not go on to the next match"},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			_, wrong := check(t, "mjai:replies=all "+program("mjai-bot", "rude", fault), ruleset.FourSeats)
			got, ok := wrong[want.situation]
			if parts := strings.SplitN(got, " | ", 3); !ok || !strings.Contains(parts[0], want.asked) || !strings.Contains(parts[1], want.answer) || !strings.Contains(parts[2], want.why) {
				t.Errorf("in %s %q, want %+v; all: %v", want.situation, got, want, wrong)
			}
		})
	}
	for spec, want := range map[string]string{
		"greedy":                     "does not name a program; allowed: mjai:COMMAND, botzone:COMMAND",
		"mjai:no-such-program":       "executable file not found",
		"botzone:startup=200ms true": "does not respond to the first request",
		"mjai:replies=some cat":      `replies: "some"; allowed: all, asked, batch`,
		"botzone:replies=asked cat":  "option replies is unknown",
	} {
		if _, err := outside.Check(t.Context(), spec, ruleset.FourSeats, configs.LoadWith, func(outside.CheckResult) {}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", spec, err, want)
		}
	}
}

// TestCheckInterrupted ends a check of a program that does not answer.
func TestCheckInterrupted(t *testing.T) {
	t.Parallel() // most of the time the program is waited for
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := outside.Check(ctx, "mjai:timeout=1h startup=1h replies=all sleep 3600", ruleset.FourSeats, configs.LoadWith, func(c outside.CheckResult) {
		t.Errorf("a result: %+v", c)
	})
	if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > poll.Patience {
		t.Errorf("%v after %v", err, took)
	}
}
