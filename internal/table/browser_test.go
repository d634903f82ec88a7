package table

import (
	"context"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/configs"
)

// page returns the document that a Chromium makes of the page of player 0 after some seconds of its
// clock.
func (s *served) page(t *testing.T, browser, language string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
		"--accept-lang="+language, "--user-data-dir="+t.TempDir(), "--virtual-time-budget=3000", "--dump-dom", s.url+"/#"+s.Key(0)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if fault := regexp.MustCompile(`<p id="error" role="alert">.*`).Find(out); fault != nil || !strings.Contains(string(out), `id="error"`) {
		t.Errorf("the page reports a fault: %s\n%.300s", fault, out)
	}
	return string(out)
}

// TestInBrowser opens the page where there is a Chromium: in a turn, and between two hands where a
// debt may be paid.
func TestInBrowser(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Log("no chromium here")
		return
	}
	o := options(t, "tenhou", "greedy", 1)
	o.Coach, o.Clock = expertCoach, Clock{Turn: time.Hour}
	s := serve(t, o)
	q := s.firstQuestion(t)
	text := s.page(t, browser, "en-US")
	if n := strings.Count(text, `class="pick`); n < len(q.Legal)/2 || !strings.Contains(text, "E round, hand 1") || !strings.Contains(text, "The coach's choice") || !regexp.MustCompile(`class="clock">3[56]\d\d s`).MatchString(text) {
		t.Errorf("a page with %d tiles to choose from, of %v:\n%s", n, q.Legal, text)
	}

	if o.Ruleset, err = configs.Change("hkma_hktw", map[string]any{"max_hands": int64(8), "pull_cut_after": int64(1)}); err != nil {
		t.Fatal(err)
	}
	o.Seed, o.Coach = new(uint64(3)), nil
	s = serve(t, o)
	s.follow(t, s.Key(0), "", func(m received) bool {
		if m.kind != "question" {
			return true
		}
		q := questionOf(t, m)
		if q.Creditor != nil {
			return false
		}
		action := -1
		if len(q.Legal) > 0 {
			action = q.Legal[len(q.Legal)/2]
		}
		s.answer(t, s.Key(0), q.Question, action)
		return true
	})
	text = s.page(t, browser, "zh-TW")
	_, result, _ := strings.Cut(text, `<section id="result"`)
	if strings.Contains(result[:strings.Index(result, ">")], "hidden") || !regexp.MustCompile(`你欠 [東南西北]（greedy） \d+。.*斬拉.*>過<`).MatchString(result) {
		t.Errorf("no choice between hands:\n%s", result)
	}
}
