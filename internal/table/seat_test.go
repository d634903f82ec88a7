package table

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestClock checks that the clock answers for a person who does not, and that an answer that comes
// later is refused by name.
func TestClock(t *testing.T) {
	o := options(t, "ema_2016", "greedy", 1)
	o.Clock = Clock{Turn: 2 * time.Millisecond, Reserve: 5 * time.Millisecond}
	s := serve(t, o)
	var late questionData
	tried := false // once, since a flood of them is refused otherwise
	s.follow(t, s.Key(0), "", func(m received) bool {
		if m.kind == "answered" && len(late.Legal) > 0 && !tried {
			tried = true
			if status, text := s.answer(t, s.Key(0), late.Question, late.Legal[0]); status != http.StatusConflict || !strings.Contains(text, fmt.Sprintf("question %d is over", late.Question)) {
				t.Errorf("a late answer: %d %s", status, text)
			}
		}
		if m.kind != "question" {
			return m.kind != "replay"
		}
		var q questionData
		if err := json.Unmarshal([]byte(m.data), &q); err != nil {
			t.Fatal(err)
		}
		if len(q.Legal) == 0 {
			s.answer(t, s.Key(0), q.Question, -1)
		}
		late = q
		if q.Seconds < 0.002 || q.Seconds > 0.007 && q.Seconds != pauseTime.Seconds() {
			t.Errorf("%v s for an answer", q.Seconds)
		}
		return true
	})
}

// TestClockOfNewPage checks that a page that connects later learns what the clock has left.
func TestClockOfNewPage(t *testing.T) {
	o := options(t, "ema_2016", "greedy", 1)
	o.Clock = Clock{Turn: 20 * time.Second, Reserve: 40 * time.Second}
	s := serve(t, o)
	q := s.firstQuestion(t)
	s.follow(t, s.Key(0), "", func(m received) bool {
		var c clockData
		if m.kind != "clock" || m.id != "" {
			t.Fatalf("the first message is %v", m)
		}
		if err := json.Unmarshal([]byte(m.data), &c); err != nil {
			t.Fatal(err)
		}
		if c.Question != q.Question || c.Left >= 60 || c.Left < 30 {
			t.Errorf("of 60 s for question %d the clock leaves %+v", q.Question, c)
		}
		return false
	})
}

// The clock that goes on to the next hand by itself is shown, also by a page that connects later.
func TestClockBetweenHands(t *testing.T) {
	o := options(t, "ema_2016", "greedy", 2)
	o.Clock = Clock{Turn: time.Millisecond}
	s := serve(t, o)
	var q questionData
	s.follow(t, s.Key(0), "", func(m received) bool {
		if m.kind == "question" {
			q = questionOf(t, m)
		}
		return m.kind != "question" || len(q.Legal) > 0
	})
	if q.Seconds != pauseTime.Seconds() {
		t.Errorf("%v s for going on, want %v", q.Seconds, pauseTime)
	}
	s.follow(t, s.Key(0), "", func(m received) bool {
		var c clockData
		if m.kind != "clock" {
			t.Fatalf("the first message is %v", m)
		}
		if err := json.Unmarshal([]byte(m.data), &c); err != nil {
			t.Fatal(err)
		}
		if c.Question != q.Question || c.Left <= 0 || c.Left > q.Seconds {
			t.Errorf("of %v s for question %d the clock leaves %+v", q.Seconds, q.Question, c)
		}
		return false
	})
}

// TestSubstitute checks that an agent plays for a page that is closed.
func TestSubstitute(t *testing.T) {
	o := options(t, "ema_2016", "greedy", 1)
	o.Substitute, o.Away, o.Watch = o.Agents[1].New, time.Nanosecond, true
	s := serve(t, o)
	questions := 0
	s.follow(t, s.WatchKey(), "", func(m received) bool {
		if m.kind == "question" {
			questions++
		}
		return m.kind != "replay"
	})
	if questions > 0 {
		t.Errorf("spectators were asked %d times", questions)
	}
}

func TestParseClock(t *testing.T) {
	for text, want := range map[string]Clock{
		"": {}, "5": {Turn: 5 * time.Second}, "5+10": {5 * time.Second, 10 * time.Second}, "1+0": {Turn: time.Second},
	} {
		if got, err := ParseClock(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"0", "-1", "5+", "+5", "x", "5+x", "4000", "5+-1", "1+2+3"} {
		if _, err := ParseClock(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

// external is an agent that needs what [sim.Starter] and [io.Closer] do.
type external struct {
	sim.Agent
	started, closed bool
}

func (e *external) Start(*ruleset.Rules) error { e.started = true; return nil }
func (e *external) Close() error               { e.closed = true; return nil }

// A substitute that is an external agent is started and closed as the agents of seats are.
func TestSubstituteIsStarted(t *testing.T) {
	o := options(t, "ema_2016", "greedy", 1)
	var list []*external
	newAgent := o.Agents[1].New
	o.Substitute = func() sim.Agent {
		e := &external{Agent: newAgent()}
		list = append(list, e)
		return e
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || !list[0].started || !list[0].closed {
		t.Errorf("substitutes %+v; want one, started and closed", list)
	}
}

// A person who may pay one of several debts between two hands learns whose it is.
func TestCreditor(t *testing.T) {
	o := options(t, "hkma_hktw", "value", 8)
	r, err := configs.Change("hkma_hktw", map[string]any{"max_hands": int64(8), "pull_cut_after": int64(1)})
	if err != nil {
		t.Fatal(err)
	}
	o.Ruleset, o.Seed = r, new(uint64(3))
	s := serve(t, o)
	debts, asked := map[int]int{}, 0 // of player 0, by creditor
	for _, m := range s.play(t) {
		switch m.kind {
		case "events":
			for _, row := range rows(t, m) {
				if sim.EventType(number(t, row[0])) == sim.EvDebt && number(t, row[3])&3 == 0 {
					debts[number(t, row[1])] = number(t, row[4])
				}
			}
		case "question":
			q := questionOf(t, m)
			if slices.Contains(q.Legal, int(sim.ActCutDebt)) != (q.Creditor != nil) {
				t.Errorf("the creditor of %v is %v", q.Legal, q.Creditor)
			}
			if q.Creditor != nil {
				if asked++; debts[int(*q.Creditor)] == 0 {
					t.Errorf("player 0 owes nothing to %d: %v", *q.Creditor, debts)
				}
			}
		}
	}
	if asked == 0 {
		t.Error("no debt could be paid")
	}
}

// TestNumbers checks that questions of one seat do not change the numbers of another, and that
// seats begin with different numbers.
func TestNumbers(t *testing.T) {
	var own, other, later seat
	first := own.nextNumber()
	for range 5 {
		other.nextNumber()
	}
	if next := own.nextNumber(); next != first+1 {
		t.Errorf("after five questions of another seat number %d follows %d", next, first)
	}
	if n := later.nextNumber(); n == first {
		t.Errorf("two seats begin with number %d", n)
	}
}

// TestMarks checks that the page of a person says whose page is closed, and who has sat down.
func TestMarks(t *testing.T) {
	o := options(t, "tenhou", "greedy", 1)
	o.Agents[1] = Agent{}
	s := serve(t, o)
	marked := func(want string) {
		t.Helper()
		for last := int64(0); ; {
			messages, more := s.feeds[0].after(last)
			for _, m := range messages {
				if last = m.id; m.kind == "seats" && string(m.data) == want {
					return
				}
			}
			select {
			case <-more:
			case <-time.After(time.Minute):
				t.Fatalf("no message %s", want)
			}
		}
	}
	marked(`{"names":["person","person","greedy","greedy"],"away":[true,true,false,false],"ready":[false,false,false,false],"free":[true,true,false,false]}`)
	page := s.seats[1].connect(s.sit(t, 1, "ben"))
	marked(`{"names":["person","ben","greedy","greedy"],"away":[true,false,false,false],"ready":[false,false,false,false],"free":[true,false,false,false]}`)
	s.seats[1].disconnect(page.number)
}
